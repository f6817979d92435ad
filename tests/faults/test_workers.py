"""A worker that dies after each message of a run, in the middle of each, or goes on in a wrong way: one sentence, what
came before is kept and can be read, and neither a process nor a thread nor a descriptor is left."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.trace.table.schema import Batch as Rows
from gradviz.trace.table.trace import Trace
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Asked, Batch, Done, Event, Output
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.protocol import FrameKind
from tests.faults import recorded
from tests.faults.recorded import PATIENCE, SNIPPET, Attempt, encoded, failing, frames
from tests.fuzz.traces import look_at_everything

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are a matter of POSIX")
pytestmark = posix

SHORT = Limits(wall_seconds=1.0)
YEAR = 365 * 24 * 3600.0


@pytest.fixture(scope="module", autouse=True)
def _recorded() -> None:
    """The messages are there before the first test looks for what it leaves behind."""
    assert len(frames()) >= 6, [frame.kind.name for frame in frames()]
    assert (frames()[0].kind, frames()[-1].kind) == (FrameKind.READY, FrameKind.DONE)


@pytest.fixture(autouse=True)
def _no_descriptor_is_left() -> Iterator[None]:
    before = _descriptors()
    yield
    assert _descriptors() <= before


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def _trace(attempt: Attempt) -> Trace:
    trace = Trace(SNIPPET)
    for event in attempt.events:
        if isinstance(event, Batch):
            trace.extend(Rows(event.header, event.payload))
    return trace


def _what_came(attempt: Attempt) -> list[FrameKind]:
    kinds = {Output: FrameKind.OUTPUT, Batch: FrameKind.BATCH, Done: FrameKind.DONE}
    return [kinds[type(event)] for event in attempt.events]


def test_killed_after_each_message_of_a_run(tmp_path: Path) -> None:
    ready, steps = len(encoded(1)), -1
    for count in range(1, len(frames())):
        attempt = failing(tmp_path, encoded(count), recorded.DIES, Limits(), ready=ready)
        assert attempt.status == "died"
        assert attempt.sentence == (
            "The worker process ended unexpectedly (signal SIGKILL). "
            "It has been replaced, and nothing you typed is lost."
        )
        assert _what_came(attempt) == [*(frame.kind for frame in frames()[1:count]), FrameKind.DONE]
        trace = _trace(attempt)
        look_at_everything(trace)
        assert len(trace) >= steps, "what came before is kept"
        steps = len(trace)
        assert not attempt.worker.is_alive
    whole = failing(tmp_path, encoded(len(frames())), recorded.DIES, Limits(), ready=ready)
    assert whole.status == "ok" and len(_trace(whole)) == steps > 10


def test_killed_in_the_middle_of_each_message(tmp_path: Path) -> None:
    ready = len(encoded(1))
    for count in range(1, len(frames())):
        start, end = len(encoded(count)), len(encoded(count + 1))
        for cut in (start + 1, (start + end) // 2, end - 1):
            attempt = failing(tmp_path, encoded(len(frames()))[:cut], recorded.DIES, Limits(), ready=ready)
            assert (attempt.status, "signal SIGKILL" in attempt.sentence) == ("died", True)
            assert _what_came(attempt) == [*(frame.kind for frame in frames()[1:count]), FrameKind.DONE]


@pytest.mark.parametrize("cut", [0, 1, 10])
def test_killed_before_it_is_ready(cut: int, tmp_path: Path) -> None:
    attempt = failing(tmp_path, encoded(1)[:cut], recorded.DIES, Limits())
    assert attempt.sentence == "The worker process could not start: signal SIGKILL."


@pytest.mark.parametrize(
    ("then", "limits", "status", "words"),
    [
        (recorded.CLOSES_BUT_LIVES, Limits(), "died", "It has been replaced"),
        (recorded.HANGS, SHORT, "limit", "took longer than 1 second."),
        (recorded.STOPS, SHORT, "limit", "took longer than 1 second."),
        (recorded.FLOODS, Limits(output_chars=50_000), "limit", "printed more than 50,000 characters"),
        (recorded.FLOODS_BATCHES, Limits(recorded_bytes=2_000_000), "limit", "recorded more than 2 MB"),
        (recorded.FLOODS_NONSENSE, Limits(), "died", "it sent a wrong message"),
    ],
    ids=["closes its output", "hangs", "is stopped", "prints without end", "records without end", "sends nonsense"],
)
def test_other_ways_to_fail(then: str, limits: Limits, status: str, words: str, tmp_path: Path) -> None:
    attempt = failing(tmp_path, encoded(3), then, limits, ready=len(encoded(1)))
    assert attempt.status == status
    assert words in attempt.sentence
    came = _what_came(attempt)
    assert came[:2] == [frame.kind for frame in frames()[1:3]] and came.count(FrameKind.DONE) == 1


@pytest.mark.parametrize("set_by", [-YEAR, YEAR])
def test_a_clock_that_is_set_ends_no_run_and_saves_none(
    set_by: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + set_by)
    whole = failing(tmp_path, encoded(len(frames())), recorded.DIES, Limits(), ready=len(encoded(1)))
    assert whole.status == "ok"
    endless = failing(tmp_path, encoded(3), recorded.HANGS, SHORT, ready=len(encoded(1)))
    assert endless.status == "limit" and 0.9 < endless.seconds < YEAR / 2


@pytest.mark.parametrize("length", [1_000, 300_000])
def test_a_worker_that_never_reads_its_input(length: int, tmp_path: Path) -> None:
    source = "x = 1\n" * (length // 6)  # the longer one fills the pipe
    attempt = failing(tmp_path, encoded(1), recorded.HANGS, SHORT, ready=len(encoded(1)), listens=False, source=source)
    assert attempt.status == "limit"
    assert "took longer than 1 second." in attempt.sentence


def test_a_pool_whose_workers_are_killed_at_each_event_goes_on() -> None:
    others = set(threading.enumerate())  # of pools that a whole module or session shares
    pool = WorkerPool(Limits())
    try:
        for fatal in range(4):
            events: list[Event] = []

            def kill_at(event: Event, fatal: int = fatal, events: list[Event] = events) -> None:
                events.append(event)
                if len(events) == fatal + 1 and not isinstance(event, Done):
                    os.kill(next(iter(pool._active))._worker.pid, signal.SIGKILL)  # type: ignore[union-attr]

            done = pool.start(SNIPPET, kill_at).wait(PATIENCE)
            assert done is not None and done.status == "died" and events[-1] is done
            good: list[Event] = []
            again = pool.start("print(1)", good.append).wait(PATIENCE)
            assert again is not None and again.status == "ok"
            assert [event.text for event in good if isinstance(event, Output)] == ["1\n"]
    finally:
        pool.close()
    ours = set(threading.enumerate()) - others
    threads = [each for each in ours if each.name.startswith(("gradviz-run", "gradviz-worker"))]
    for thread in threads:  # of a worker that is gone, on its last line
        thread.join(PATIENCE)
    assert not [thread for thread in threads if thread.is_alive()]


def test_killed_while_a_question_waits_for_its_answer() -> None:
    pool = WorkerPool(Limits())
    asked = threading.Event()
    events: list[Event] = []

    def take(event: Event) -> None:
        events.append(event)
        if isinstance(event, Asked):
            asked.set()

    try:
        run = pool.start("print('before')\nname = input('Name? ')\nprint(name)\n", take)
        assert asked.wait(PATIENCE)
        os.kill(run._worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        done = run.wait(PATIENCE)
        run.answer("too late")
        assert done is not None and done.status == "died" and events[-1] is done
        assert "".join(event.text for event in events if isinstance(event, Output)).startswith("before\n")
        again = pool.start("print(1)", lambda event: None).wait(PATIENCE)
        assert again is not None and again.status == "ok"
    finally:
        pool.close()
