"""The examples as the program records them: the steps of the trace come in PyTorch's order, and say what it said."""

from __future__ import annotations

import functools
import queue
from collections.abc import Iterator
from typing import Any

import pytest

from gradviz.trace.table.schema import Batch as TraceBatch
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.jsonable import trace_json
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Done, Event
from gradviz.worker.process.limits import Limits
from tests.examples.test_examples import EXAMPLES, golden
from tests.snippets.execute import without_addresses

ACCUMULATE = "torch::autograd::AccumulateGrad"


@functools.cache
def recorded() -> dict[str, dict[str, Any]]:
    """The trace of each example as JSON, by the name of its file."""
    pool = WorkerPool(Limits(), reuse=True)
    pool.warm()
    try:
        return {example.path.stem: _traced(pool, example.path) for example in EXAMPLES}
    finally:
        pool.close()


def _traced(pool: WorkerPool, path: Any) -> dict[str, Any]:
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    trace = Trace()
    pool.start(path.read_text(encoding="utf-8"), events.put, path.name)
    while not isinstance(event := events.get(), Done):
        if isinstance(event, Batch):
            trace.extend(TraceBatch(event.header, event.payload))
    return {**trace_json(trace), "last_line": event.detail.last_line}


def calls(steps: list[dict[str, Any]]) -> Iterator[list[str]]:
    """For each backward call the names of the functions that ran."""
    numbers = sorted({step["call"] for step in steps if step["kind"] in ("backward", "accumulate")})
    for number in numbers:
        of_call = [s for s in steps if s["kind"] in ("backward", "accumulate") and s["call"] == number]
        yield [s["name"] if s["kind"] == "backward" else ACCUMULATE for s in of_call]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_steps_of_the_trace_come_in_pytorchs_order(example: Any) -> None:
    assert list(calls(recorded()[example.path.stem]["steps"])) == golden()[example.path.stem]["order"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_the_trace_prints_and_raises_what_pytorch_does(example: Any) -> None:
    one, expected = recorded()[example.path.stem], golden()[example.path.stem]
    printed = "".join(s["printed"] for s in one["steps"] if s["kind"] == "print" and s["stream"] == "out")
    assert without_addresses(printed) == "\n".join(expected["stdout"])
    assert one["last_line"] == (expected["error"] or "")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_every_step_explains_itself(example: Any) -> None:
    for step in recorded()[example.path.stem]["steps"]:
        assert step["title"], step
        if step["kind"] not in ("print", "warning", "error"):  # what others said stays as it is
            assert step["text"].rstrip().endswith((".", "!", ")", "?")), step
