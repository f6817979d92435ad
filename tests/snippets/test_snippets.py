"""Every snippet of the corpus must do what PyTorch did: print the same to the character, warn the same, raise the same.

`close.json` names the snippets whose numbers may differ in the last printed digits (see `compare.py`), and why; one that is
named there and agrees exactly fails, so that the list cannot rot, unless it depends on the processor. Snippets in `later/` wait for operations of a later
issue. They run too, and one that agrees must move to `corpus/`: the number of those that pass can only grow.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.snippets.compare import compare
from tests.snippets.through_worker import worker

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").glob("*.py"))
PROGRAMS = sorted((HERE / "programs").glob("*.py"))  # whole tutorials, which use more of Python than the corpus
LATER = sorted((HERE / "later").glob("*.py"))
AT_LEAST = 250
PROGRAMS_AT_LEAST = 195
Run = Callable[[Path], dict[str, Any]]


def recorded(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((HERE / "golden" / f"{path.stem}.json").read_text(encoding="utf-8"))
    return data


@pytest.fixture(scope="module")
def plain() -> Iterator[Run]:
    """plain(path): what our own torch does with a file, without policy, locks and recording."""
    command = [sys.executable, str(HERE / "execute.py"), "--gradviz", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=HERE.parents[1]
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def result(path: Path) -> dict[str, Any]:
            asked.write(f"{path}\n")
            told = json.loads(answers.readline())
            return {**told, "stdout": told["stdout"].split("\n")}

        yield result
        asked.close()
        assert process.wait() == 0


@pytest.fixture(scope="module")
def in_worker() -> Iterator[Run]:
    """in_worker(path): the same through the program's worker: policy, names instrumented, every step recorded."""
    with worker() as run:
        yield run


def may_be_close() -> dict[str, dict[str, str]]:
    """The reasons by name of the file: of those that differ "everywhere", and "on some processors"."""
    named: dict[str, dict[str, str]] = json.loads((HERE / "close.json").read_text(encoding="utf-8"))
    return named


def expected(path: Path) -> set[str]:
    named = may_be_close()
    if path.stem in named["on some processors"]:
        return {"same", "close"}
    return {"close"} if path.stem in named["everywhere"] else {"same"}


def test_the_corpus_is_complete() -> None:
    assert len(CORPUS) + len(LATER) >= AT_LEAST
    golden = {path.stem for path in (HERE / "golden").glob("*.json")}
    assert len(PROGRAMS) >= PROGRAMS_AT_LEAST
    assert golden == {path.stem for path in (*CORPUS, *PROGRAMS, *LATER)}
    assert {name for named in may_be_close().values() for name in named} <= {path.stem for path in (*CORPUS, *PROGRAMS)}


def agrees(result: dict[str, Any], path: Path) -> None:
    verdict, difference = compare(result, recorded(path))
    assert verdict in expected(path), f"{path.name}: {verdict}\n{difference}"


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_snippet(plain: Run, in_worker: Run, path: Path) -> None:
    """As in PyTorch; and the worker changes nothing, neither output nor error, to the last digit."""
    alone, worked = plain(path), in_worker(path)
    agrees(alone, path)
    agrees(worked, path)
    assert [worked["stdout"], worked["error"]] == [alone["stdout"], alone["error"]]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(in_worker: Run, path: Path) -> None:
    agrees(in_worker(path), path)


def test_snippets_for_later_only_grow_better(plain: Run) -> None:
    agreeing = sorted(path.stem for path in LATER if compare(plain(path), recorded(path))[0] == "same")
    assert agreeing == [], "these agree with PyTorch now: move them to corpus/"
