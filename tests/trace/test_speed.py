"""Looking at any moment of a long run takes no time that a person notices."""

from __future__ import annotations

import random
import statistics
import time

from gradviz.trace.table.frame import Frame
from gradviz.trace.words.explain import explain
from tests.trace.running import run

LONG = """
import torch
w = torch.tensor(1.0001, requires_grad=True)
x = w
for i in range(15000):
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


def test_a_random_moment_of_100_000_steps_within_5_ms() -> None:
    trace = run(LONG)
    assert len(trace) > 100_000
    look(trace.frame(1))  # builds what is kept for the whole trace
    drawn, times = random.Random(0), []
    for _ in range(50):
        cursor = drawn.randrange(len(trace))
        before = time.thread_time()
        look(trace.frame(cursor))
        times.append(time.thread_time() - before)
    assert statistics.median(times) < 0.005
