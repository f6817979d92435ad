"""Every example that ships: each of its steps is explained, whatever it is about can be inspected, and each error has
its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.document.files.examples import examples
from gradviz.document.snippet import Snippet, load
from gradviz.session.inspect.inspection import inspect
from gradviz.session.moves import inspected, on_screen
from gradviz.session.problem import problem
from gradviz.session.state import Phase, Run, State
from gradviz.session.timeline.outline import Strip
from gradviz.trace.table import schema
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Event


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(reuse=True)
    made.start("", lambda event: None).wait(60)  # the process and its threads are there before the first test
    yield made
    made.close()


def run(pool: WorkerPool, snippet: Snippet) -> State:
    trace = Trace(snippet.text)

    def take(event: Event) -> None:
        if isinstance(event, Batch):
            trace.extend(schema.Batch(event.header, event.payload))

    done = pool.start(snippet.text, take).wait(60)
    assert done is not None
    ended = Run(Phase(done.status), snippet, done.detail.sentence, done.detail.line)
    return State(document=snippet, run=ended, trace=trace, traced=snippet, steps=len(trace), cursor=len(trace))


@pytest.mark.parametrize("path", [example.path for example in examples()], ids=lambda path: path.stem)
def test_an_example_is_explained_step_by_step(pool: WorkerPool, path: Path) -> None:
    from dataclasses import replace

    state = run(pool, load(path))
    trace = state.trace
    assert trace is not None and state.steps
    for cursor in range(1, state.steps + 1):
        explanation = explain(trace.frame(cursor))
        assert explanation.title and explanation.sentence, cursor
        here = replace(state, cursor=cursor)
        thing = inspected(here)
        found = inspect(here, thing)
        assert (thing is None) == (found is None)
        assert found is None or found.title, cursor
    for thing in on_screen(state):
        found = inspect(state, thing)
        assert found is not None and found.sections
    assert (Strip(trace, state.steps).phases.bounds[[0, -1]] == [0, state.steps]).all()
    if state.run.phase is not Phase.OK:
        wrong = problem(state)
        assert wrong is not None and wrong.why and wrong.fix
