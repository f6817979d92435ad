"""Which tensors share memory, as the recorder keeps it: at the same cost however many there are."""

from __future__ import annotations

import sys

from gradviz import torch
from gradviz.trace.record.rows import Memory


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
