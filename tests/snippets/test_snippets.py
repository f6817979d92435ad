"""Every snippet of the corpus must do what PyTorch did: print the same to the character, warn the same, raise the same.

`close.json` names the snippets whose numbers may differ in the last printed digits (see `compare.py`), and why; one that is
named there and agrees exactly fails, so that the list cannot rot, unless it depends on the processor. Snippets in `later/` wait for operations of a later
issue. They run too, and one that agrees must move to `corpus/`: the number of those that pass can only grow.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.snippets.compare import compare
from tests.snippets.through_worker import run_in_worker

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").glob("*.py"))
PROGRAMS = sorted((HERE / "programs").glob("*.py"))  # whole tutorials, which use more of Python than the corpus
LATER = sorted((HERE / "later").glob("*.py"))
AT_LEAST = 250
PROGRAMS_AT_LEAST = 195


def recorded(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((HERE / "golden" / f"{path.stem}.json").read_text(encoding="utf-8"))
    return data


def run_all(paths: list[Path]) -> dict[str, dict[str, Any]]:
    """What our own torch does with each, by name of the file."""
    command = [sys.executable, str(HERE / "execute.py"), "--gradviz", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parents[1])
    assert done.returncode == 0, done.stderr[-2000:]
    results = {}
    for line in done.stdout.splitlines():
        result = json.loads(line)
        results[Path(result["file"]).stem] = {**result, "stdout": result["stdout"].split("\n")}
    return results


@functools.cache
def corpus_results() -> dict[str, dict[str, Any]]:
    return run_all(CORPUS)


@functools.cache
def worker_results() -> dict[str, dict[str, Any]]:
    return run_in_worker([*CORPUS, *PROGRAMS])


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


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_snippet(path: Path) -> None:
    verdict, difference = compare(corpus_results()[path.stem], recorded(path))
    assert verdict in expected(path), f"{path.name}: {verdict}\n{difference}"


@pytest.mark.parametrize("path", [*CORPUS, *PROGRAMS], ids=lambda path: path.stem)
def test_snippet_in_the_worker(path: Path) -> None:
    """The same through the program's worker: policy, names instrumented, every step recorded."""
    verdict, difference = compare(worker_results()[path.stem], recorded(path))
    assert verdict in expected(path), f"{path.name}: {verdict}\n{difference}"


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_worker_changes_nothing(path: Path) -> None:
    """Policy, locks and recording: the same output and the same error as without them, to the last digit."""
    plain, worker = corpus_results()[path.stem], worker_results()[path.stem]
    assert [worker["stdout"], worker["error"]] == [plain["stdout"], plain["error"]]


def test_snippets_for_later_only_grow_better() -> None:
    results = run_all(LATER) if LATER else {}
    agreeing = sorted(path.stem for path in LATER if compare(results[path.stem], recorded(path))[0] == "same")
    assert agreeing == [], "these agree with PyTorch now: move them to corpus/"
