"""What learners write runs under the policy, and prints what it prints in plain Python."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.trace.record.instrument import instrument
from gradviz.worker.language.policy import Refusal, compile_snippet
from gradviz.worker.modules.stand_ins import TorchFacade, World, load_torch, torch_modules
from tests.worker.conftest import Runner
from tests.worker.tutorials import TUTORIALS

SUGGESTION = re.compile(r"\. Did you mean: '\w+'\?")  # what Python 3.12 adds when it formats an error by itself
ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "resources" / "examples").glob("*.py"))
CORPUS = [*sorted((ROOT / "tests" / "snippets" / "corpus").glob("*.py")), *EXAMPLES]


def plainly(source: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the snippet prints in ordinary Python, with `gradviz.torch` as torch."""
    import gradviz.torch

    for name, module in list(sys.modules.items()):
        if name.startswith("gradviz.torch"):
            monkeypatch.setitem(sys.modules, name.removeprefix("gradviz."), module)
    monkeypatch.setitem(sys.modules, "torch", gradviz.torch)
    out = io.StringIO()
    monkeypatch.setitem(sys.modules, "__main__", type(sys)("__main__"))
    names = vars(sys.modules["__main__"])
    names["__file__"] = "snippet.py"
    with contextlib.redirect_stdout(out):
        exec(compile(source, "snippet.py", "exec"), names)
    return out.getvalue()


@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorial_runs_as_in_plain_python(run: Runner, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = run(TUTORIALS[name])
    assert outcome.status == "ok", outcome.done.detail
    assert outcome.printed() == plainly(TUTORIALS[name], monkeypatch)
    assert not outcome.printed("err")


def test_nothing_in_the_corpus_is_refused() -> None:
    """But for parts of PyTorch that do not exist here, which plain Python can't import either."""
    modules = World(TorchFacade(torch_modules(load_torch())), lambda stream, text: None).modules
    refused = {}
    for path in CORPUS:
        try:
            compile_snippet(path.read_text(encoding="utf-8"), path.name, modules, instrument)
        except Refusal as refusal:
            refused[path.name] = refusal.sentence
    assert {name: why for name, why in refused.items() if "this part of PyTorch is not in GradViz" not in why} == {}


def test_the_examples_behave_as_in_plain_python(run: Runner) -> None:
    """Same output and same error: policy, locks and recording change nothing. `tests/snippets` compares the corpus."""
    command = [sys.executable, str(ROOT / "tests" / "snippets" / "execute.py"), "--gradviz", *map(str, EXAMPLES)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    plain = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    different = []
    for line in plain.stdout.splitlines():
        wanted = json.loads(SUGGESTION.sub("", line.replace("gradviz.torch", "torch")))
        path = Path(wanted["file"])
        outcome = run(path.read_text(encoding="utf-8"), path.name)
        got = masked(outcome.printed()), masked(outcome.done.detail.last_line.strip()) or None
        lacks = "No module named" in str(wanted["error"])  # what plain Python has not, a snippet may have
        if got != (wanted["stdout"], wanted["error"]) and not lacks and outcome.status != "refused":
            different.append((path.name, got, (wanted["stdout"], wanted["error"])))
        if outcome.status == "refused" and not lacks:
            different.append((path.name, outcome.sentence, ""))
    assert not different


def masked(text: str) -> object:
    """Addresses differ from run to run."""
    from tests.snippets import execute

    return execute.without_addresses(text)
