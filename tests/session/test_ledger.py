"""The ledger of each `.grad` adds up at every change of it, in every example and tutorial program."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path

import numpy as np
import pytest

from gradviz.session.inspect import ledger as ledgers
from gradviz.session.inspect.inspection import inspect
from gradviz.session.inspect.ledger import ledger, since_cleared
from gradviz.session.state import Selection, State
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    *sorted((ROOT / "resources/examples").glob("*.py")),
    *sorted((ROOT / "tests/snippets/programs").glob("torch_*.py")),
]
NO_ZERO_GRAD = """
import torch
w = torch.tensor(3., requires_grad=True)
for epoch in range(3):
    (w * 2).backward()
w.grad = None
(w * 5).backward()
"""


def sums(trace: Trace) -> int:
    """How many changes of a `.grad` were added up; each must give what `.grad` holds then."""
    checked = 0
    for row in range(len(trace.grads)):
        frame, tensor = trace.frame(int(trace.grads.step[row]) + 1), int(trace.grads.tensor[row])
        held, now = since_cleared(ledger(frame, tensor)), frame.grad(tensor)
        arrays = [entry.value.array for entry in held if entry.value is not None]
        if now is None or now.array is None or not arrays or any(array is None for array in arrays):
            continue
        total = sum(np.asarray(array, now.array.dtype) for array in arrays)
        assert np.allclose(total, now.array, rtol=1e-4, atol=1e-5, equal_nan=True), frame.name(tensor)
        checked += 1
    return checked


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_ledgers_of_a_program_add_up(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some save their weights
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = run(path.read_text(encoding="utf-8"))
    assert sums(trace) or not len(trace.grads)


def test_gradients_left_from_earlier_calls_are_seen() -> None:
    trace = run(NO_ZERO_GRAD)
    steps = [int(step) for step in trace.grads.step]

    def shown(cursor: int) -> list[tuple[str, str]]:
        found = inspect(State(trace=trace, cursor=cursor), Selection("tensor", 0))
        assert found is not None
        (section,) = [each for each in found.sections if each.title == "Ledger of .grad"]
        return [(row.label, row.text.split(" · ")[0]) for row in section.rows]

    assert shown(steps[2] + 1) == [
        ("+ 2", "left from an earlier backward()"),
        ("+ 2", "left from an earlier backward()"),
        ("+ 2", "backward()"),
        (".grad 6", "now"),
    ]
    assert shown(steps[4] + 1)[3:] == [("None", "cleared"), ("+ 5", "backward()"), (".grad 5", "now")]


def test_looking_at_a_long_run_computes_only_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    trace, computed = run(NO_ZERO_GRAD.replace("range(3)", "range(400)")), []
    real = ledgers._entry
    monkeypatch.setattr(ledgers, "_entry", lambda *args: computed.append(args) or real(*args))
    inspect(State(trace=trace, cursor=len(trace)), Selection("tensor", 0))
    assert len(trace.grads) > 400 and 0 < len(computed) <= 3 * ledgers.MOST_BARS
