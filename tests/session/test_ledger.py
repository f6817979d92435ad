"""The ledger of each `.grad`; that it adds up at every change of it, in every example and tutorial program, is tested
with the sentences, see `tests/trace/true_sentences.py`."""

from __future__ import annotations

import pytest

from gradviz.session.inspect import ledger as ledgers
from gradviz.session.inspect.inspection import inspect
from gradviz.session.inspect.ledger import since_cleared
from gradviz.session.state import Selection, State
from tests.trace.running import run
from tests.trace.true_sentences import problems

NO_ZERO_GRAD = """
import torch
w = torch.tensor(3., requires_grad=True)
for epoch in range(3):
    (w * 2).backward()
w.grad = None
(w * 5).backward()
"""


@pytest.mark.parametrize("missing", [0, 1])
def test_a_ledger_that_does_not_add_up_is_found(missing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(NO_ZERO_GRAD)
    monkeypatch.setattr("tests.trace.true_sentences.since_cleared", lambda held: since_cleared(held)[missing:])
    assert any("the ledger of w.grad is" in each for each in problems(trace)) == bool(missing)


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
    real = ledgers._row
    monkeypatch.setattr(ledgers, "_row", lambda *args: computed.append(args) or real(*args))
    inspect(State(trace=trace, cursor=len(trace)), Selection("tensor", 0))
    assert len(trace.grads) > 400 and 0 < len(computed) <= 3 * ledgers.MOST_BARS


def test_the_bars_of_a_large_gradient_do_not_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    large = NO_ZERO_GRAD.replace("tensor(3.,", "ones(101,").replace(").backward", ").sum().backward")
    trace = run(large)
    monkeypatch.setattr(type(trace.store), "get", lambda *_: pytest.fail("a value is read"))
    found = ledgers.bars(trace.frame_at(len(trace)), 0)
    norms = [round(bar.total.norm / 101**0.5, 9) for bar in found if bar.total is not None]
    assert norms == [2, 4, 6, 5]
