"""The examples as the program records them: the steps of the trace come in PyTorch's order, and say what it said."""

from __future__ import annotations

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


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(Limits(), reuse=True)
    made.start("", lambda event: None).wait(60)  # the process and its threads are there before the first test
    yield made
    made.close()


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda example: example.path.stem)
def example(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def recorded(pool: WorkerPool, example: Any) -> dict[str, Any]:
    """The trace of the example as JSON."""
    return _traced(pool, example.path)


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


def test_steps_of_the_trace_come_in_pytorchs_order(recorded: dict[str, Any], example: Any) -> None:
    assert list(calls(recorded["steps"])) == golden()[example.path.stem]["order"]


def test_the_trace_prints_and_raises_what_pytorch_does(recorded: dict[str, Any], example: Any) -> None:
    expected = golden()[example.path.stem]
    printed = "".join(s["printed"] for s in recorded["steps"] if s["kind"] == "print" and s["stream"] == "out")
    assert without_addresses(printed) == "\n".join(expected["stdout"])
    assert recorded["last_line"] == (expected["error"] or "")


def test_every_step_explains_itself(recorded: dict[str, Any]) -> None:
    for step in recorded["steps"]:
        assert step["title"], step
        if step["kind"] not in ("print", "warning", "error"):  # what others said stays as it is
            assert step["text"].rstrip().endswith((".", "!", ")", "?")), step
