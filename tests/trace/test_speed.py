"""Looking at any moment of a run costs no more where the run is long; `benchmarks/in_window.py` measures how much."""

from __future__ import annotations

import random
import sys
from types import FrameType

from gradviz.trace.table.frame import Frame
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain
from tests.trace.running import run

LOOP = """
import torch
w = torch.tensor(1.0001, requires_grad=True)
x = w
for i in range({}):
    x = x * w
    x = x + w
x.backward()
"""


def look(frame: Frame) -> None:
    """What the window asks of a frame for all nodes at once."""
    masks = (frame.node_created, frame.node_ran, frame.node_freed, frame.shown_nodes, frame.shown_tensors)
    edges = (frame.input_grad_norm, frame.input_grad_flag, frame.input_grad_now)
    assert all(len(mask) for mask in (*masks, *edges))
    assert frame.trace.held_bytes[frame.cursor] >= 0 and explain(frame).title


def calls_of_a_look(trace: Trace, cursor: int) -> int:
    """How many functions, of Python and of C, are called for it."""
    count = 0

    def heard(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(heard)
    try:
        look(trace.frame(cursor))
    finally:
        sys.setprofile(None)
    return count


def most_calls_of_a_look(loops: int) -> int:
    trace = run(LOOP.format(loops))
    assert len(trace) > 7 * loops
    cursors = [int(part * len(trace)) for part in random.Random(0).sample([nth / 50 for nth in range(1, 50)], 30)]
    for cursor in cursors:
        look(trace.frame(cursor))  # what is kept for the whole trace is made
    return max(calls_of_a_look(trace, cursor) for cursor in cursors)


def test_a_moment_of_100_000_steps_asks_for_no_more_than_one_of_1_000() -> None:
    assert most_calls_of_a_look(15_000) < 1.5 * most_calls_of_a_look(150)
