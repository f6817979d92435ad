"""One worker for all tests that leave it healthy; tests that kill or starve a worker make their own pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from gradviz.document.snippet import Attached
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Done, Event, Output
from gradviz.worker.process.limits import Limits

PATIENCE = 60.0


@dataclass(frozen=True)
class Outcome:
    """What came of one run."""

    done: Done
    events: tuple[Event, ...]

    def printed(self, stream: str = "out") -> str:
        return "".join(each.text for each in self.events if isinstance(each, Output) and each.stream == stream)

    @property
    def batches(self) -> list[Batch]:
        return [each for each in self.events if isinstance(each, Batch)]

    @property
    def status(self) -> str:
        return self.done.status

    @property
    def sentence(self) -> str:
        return self.done.detail.sentence


Runner = Callable[..., Outcome]


def run_in(
    pool: WorkerPool, source: str, filename: str = "snippet.py", files: Mapping[str, str | bytes] = MappingProxyType({})
) -> Outcome:
    events: list[Event] = []
    attached = [Attached(name, data.encode() if isinstance(data, str) else data) for name, data in files.items()]
    run = pool.start(source, events.append, filename, files=attached)
    done = run.wait(PATIENCE + pool.limits.wall_seconds)  # when it ends itself, however busy the machine is
    assert done is not None, "the run did not end"
    assert events[-1] is done
    return Outcome(done, tuple(events))


@pytest.fixture(scope="session")
def shared_pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(Limits(wall_seconds=20), reuse=True)
    yield pool
    pool.close()


@pytest.fixture(scope="session")
def _warm(shared_pool: WorkerPool) -> None:
    """The shared worker lives before the first test looks for processes that it leaves behind."""
    run_in(shared_pool, "print(1)")


@pytest.fixture
def run(_warm: None, shared_pool: WorkerPool) -> Runner:
    """run(source): run a snippet in the shared worker."""
    return lambda source, filename="snippet.py", files=MappingProxyType({}): run_in(
        shared_pool, source, filename, files
    )


@pytest.fixture
def make_pool() -> Iterator[Callable[..., WorkerPool]]:
    """make_pool(limits, reuse): a pool of this test's own, closed at its end."""
    pools: list[WorkerPool] = []

    def make(limits: Limits | None = None, reuse: bool = False) -> WorkerPool:
        pools.append(WorkerPool(limits, reuse=reuse))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()
