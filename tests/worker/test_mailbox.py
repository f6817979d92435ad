"""A worker that sends faster than its events are taken is held back, and nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from gradviz.trace.table.trace import Trace
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import DECODED, EACH, Batch, Done, Event, Intake, Mailbox, Output
from gradviz.worker.process.limits import Limits, Stopwatch
from tests.worker.conftest import PATIENCE

MakePool = Callable[..., WorkerPool]
FLOOD = "import torch\nx = torch.ones(2000)\nwhile True: x = x + 1"


def test_what_is_put_is_taken_in_order() -> None:
    mailbox = Mailbox()
    events: list[Event] = [Output("out", str(n)) for n in range(5)]
    for event in events:
        mailbox.put(event)
    assert len(mailbox) == 5
    assert [mailbox.take(), mailbox.wait()] == events[:2]
    assert [mailbox.take() for _ in range(4)] == [*events[2:], None]


def test_one_that_puts_too_much_waits_until_it_is_taken() -> None:
    mailbox = Mailbox(room=3 * EACH)
    done = threading.Event()

    def fill() -> None:
        for _ in range(10):
            mailbox.put(Done("ok"))
        done.set()

    thread = threading.Thread(target=fill)
    thread.start()
    for _ in range(10):
        assert mailbox.wait() == Done("ok")
        assert len(mailbox) <= 3
    assert done.wait(PATIENCE)
    thread.join()


def test_something_larger_than_the_room_passes_alone() -> None:
    mailbox = Mailbox(room=10)
    mailbox.put(Batch({}, b"x" * 1000))
    assert mailbox.take() == Batch({}, b"x" * 1000)


def test_closing_lets_go_of_whoever_waits() -> None:
    mailbox = Mailbox(room=EACH)
    mailbox.put(Done("ok"))
    thread = threading.Thread(target=mailbox.put, args=(Done("ok"),))
    thread.start()
    mailbox.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    mailbox.put(Done("ok"))
    assert mailbox.take() is None


def test_a_flood_that_nobody_takes_is_held_back_and_its_clock_stands_still(make_pool: MakePool) -> None:
    mailbox = Mailbox(room=50_000)
    run = make_pool(Limits(cpu_seconds=PATIENCE)).start(FLOOD, mailbox.put)
    assert isinstance(mailbox.wait(), Batch)

    def stands_still() -> bool:
        before = run.seconds_left
        return run.wait(0.05) is None and run.seconds_left == before

    assert any(stands_still() for _ in range(200)), "it waits for somebody who takes its events"
    assert len(mailbox) <= 2
    run.stop()
    mailbox.close()
    done = run.wait(PATIENCE)
    assert done is not None
    assert done.status == "stopped"


def test_stopping_a_flood_that_is_held_back_ends_when_it_is_taken(make_pool: MakePool) -> None:
    mailbox = Mailbox(room=50_000)
    run = make_pool().start(FLOOD, mailbox.put)
    assert isinstance(mailbox.wait(), Batch)
    run.stop()
    event = mailbox.wait()
    while not isinstance(event, Done):
        event = mailbox.wait()
    assert event.status == "stopped"
    assert run.wait(PATIENCE) is event


def test_closing_the_pool_does_not_wait_for_a_closed_mailbox() -> None:
    pool, mailbox = WorkerPool(), Mailbox(room=50_000)
    pool.start(FLOOD, mailbox.put)
    assert isinstance(mailbox.wait(), Batch)
    mailbox.close()
    closing = threading.Thread(target=pool.close)
    closing.start()
    closing.join(PATIENCE)
    assert not closing.is_alive()


@pytest.mark.parametrize("rows", [{"steps": 1}, {}])
def test_what_cannot_be_decoded_is_the_end(rows: dict[str, int]) -> None:
    mailbox, trace = Mailbox(), Trace()
    intake = Intake(trace, mailbox)
    intake.put(Batch({"format": 99, "rows": rows}, b"nonsense"))
    intake.put(Batch({"format": 99, "rows": rows}, b"nonsense"))
    intake.put(Output("out", "x"))
    first, second = mailbox.take(), mailbox.take()
    assert isinstance(first, Done)
    assert first.status == "died"
    assert "could not be decoded" in first.detail.sentence
    assert (second, mailbox.take(), len(trace)) == (Output("out", "x"), None, 0)


def test_recorded_steps_are_in_the_trace_when_the_mailbox_tells_of_them(make_pool: MakePool) -> None:
    mailbox, trace = Mailbox(), Trace()
    intake = Intake(trace, mailbox)
    make_pool().start("import torch\nx = torch.ones(3)\ny = x * 2", intake.put)
    event = mailbox.wait()
    assert event is DECODED
    assert len(trace) > 0
    now = intake.so_far()
    assert now is not None
    assert len(now) == len(trace)
    assert isinstance(mailbox.wait(), Done)


def test_a_stopwatch_stands_still_while_it_is_held() -> None:
    time = [0.0]
    watch = Stopwatch(lambda: time[0])

    def pass_by(seconds: float) -> float:
        time[0] += seconds
        return watch.seconds

    assert pass_by(1.0) == 1.0
    with watch.held():
        assert pass_by(5.0) == 1.0
        watch.hold()
        assert pass_by(5.0) == 1.0
        watch.forgive(3.0)
    assert pass_by(2.0) == 1.0, "held twice"
    watch.release()
    assert pass_by(2.0) == 3.0
    watch.forgive(1.5)
    assert watch.seconds == 1.5
    watch.restart()
    assert pass_by(1.0) == 1.0
