"""What the window asks of a recorded run: the state at a cursor, anywhere, of a graph 10,000 operations deep."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmarks.contender import recorded
from benchmarks.problems import SCALAR_OPERATIONS
from benchmarks.workloads import chain

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


def scrubbing_rows() -> Iterator[tuple[str, float]]:
    """(what, median milliseconds) for one frame at a random cursor, and for the next frame when stepping."""
    import gradviz.torch
    from gradviz.trace.table.encoding import joined
    from gradviz.trace.table.trace import Trace

    _, parts = recorded(chain(gradviz.torch, SCALAR_OPERATIONS), send=True)
    trace = Trace()
    start = time.process_time()
    trace.extend(joined(parts))
    yield f"trace of {len(trace):,} steps from its batch", (time.process_time() - start) * 1e3
    cursors = random.Random(0).sample(range(len(trace)), 200)
    yield "frame at a random cursor, all node states", _median_of_frames(trace, cursors)
    middle = len(trace) // 2
    yield "frame when stepping", _median_of_frames(trace, list(range(middle, middle + 200)))


def _median_of_frames(trace: Trace, cursors: list[int]) -> float:
    times = []
    for cursor in cursors:
        start = time.process_time()
        frame = trace.frame(cursor)
        frame.node_created, frame.node_ran, frame.node_freed  # noqa: B018
        times.append(time.process_time() - start)
    return statistics.median(times) * 1e3
