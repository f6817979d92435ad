"""Which tensors share memory, as the recorder keeps it: at the same cost however many there are."""

from __future__ import annotations

import sys

from gradviz import torch
from gradviz.trace.record.rows import Memory
from gradviz.trace.words.explain import explain
from tests.trace.running import run


def _calls(count: int) -> int:
    """Calls in Python while so many views of one tensor are entered."""
    views, memory, calls = torch.zeros(count, 2).unbind(), Memory(), 0

    def count_them(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count_them)
    for each in views:
        memory.enter(each)
    sys.setprofile(None)
    assert len(memory.every()) == count
    return calls


def test_a_view_is_entered_without_a_look_at_the_others() -> None:
    assert _calls(800) < 8.5 * _calls(100)


def test_what_died_shares_nothing_any_more() -> None:
    memory, base = Memory(), torch.zeros(4)
    kept, gone = base[:2], base[1:]
    for each in (base, kept, gone):
        memory.enter(each)
    assert [each is gone for each in memory.sharing(kept)] == [False, True]
    del gone, each
    assert [each is base for each in memory.sharing(kept)] == [True]
    assert len(memory.every()) == 2
    del base, kept
    assert not memory._tensors


def test_a_parameter_that_was_drawn_before_shares_nothing_with_what_is_written_next() -> None:
    source = "import torch\nv, w = torch.nn.Linear(2, 2).parameters()\n"
    trace = run(f"{source}torch.nn.init.uniform_(v)\ntorch.nn.init.zeros_(w)\n(v @ w).sum().backward()\n")
    said = [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]
    assert [each for each in said if each.startswith("w was overwritten")] == [
        "w was overwritten: it is [0, 0] now, version 2."
    ]
