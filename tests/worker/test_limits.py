"""Whatever a snippet does to time, memory, output or the process, the program is told in one sentence and goes on."""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Done, Event, Output
from gradviz.worker.process.limits import Limits
from gradviz.worker.running.runner import Collector, heap_reader
from tests.worker.conftest import PATIENCE, run_in

MakePool = Callable[..., WorkerPool]
SECOND, HALF = Limits(wall_seconds=1.0), Limits(wall_seconds=0.5)

_CATCHING = "while True:\n  try:\n    while True: [].pop()\n  except BaseException: continue\n  finally: continue"
_EXPECTING = (
    "import unittest\nclass T(unittest.TestCase):\n  def test_it(self):\n    while True:\n"
    "      with self.assertRaises(BaseException):\n        while True: pass\nunittest.main()"
)
_STEPPING = (
    "import torch\nx = torch.ones(2)\nwhile True:\n  try:\n    while True: x = x * 1 if len(x) else x[9]\n"
    "  except BaseException: pass"
)

ENDED: list[tuple[str, str, Limits, str]] = [
    ("endless loop", "while True: pass", HALF, "longer than 0.5 seconds"),
    ("endless loop that catches", "while True:\n  try:\n    while True: pass\n  except: pass", HALF, "longer"),
    ("endless call in C", "sum(iter(int, 1))", HALF, "longer"),
    ("endless power", "x = 9 ** 9 ** 9", HALF, "longer"),
    (
        "waiting",
        "import time\nwhile True: time.sleep(9)",
        Limits(idle_seconds=0.5),
        "waited for 0.5 seconds without computing",
    ),
    ("processor time", "while True: pass", Limits(cpu_seconds=0.3), "0.3 seconds of processor time"),
    ("processor time of what catches everything", _CATCHING, Limits(cpu_seconds=0.3), "0.3 seconds of processor time"),
    ("processor time within assertRaises", _EXPECTING, Limits(cpu_seconds=0.3), "0.3 seconds of processor time"),
    ("processor time of steps in a loop that catches", _STEPPING, Limits(cpu_seconds=0.5), "0.5 seconds of processor"),
    ("endless __str__", "class A(Exception):\n def __str__(s):\n  while True: pass\nraise A", HALF, "longer"),
    ("endless finally", "try:\n    1 / 0\nfinally:\n    while True: pass", HALF, "longer"),
    ("print flood", "while True: print('x' * 1000)", Limits(), "printed more than 1,000,000 characters"),
    ("one huge print", "print('x' * 300_000_000)", Limits(), "printed more than"),
    ("flood of warnings", "import sys\nwhile True: sys.stderr.write('x' * 100)", Limits(), "printed more than"),
    (
        "memory",
        "kept = []\nwhile True: kept.append(b'x' * 1_000_000)",
        Limits(memory_mb=300, wall_seconds=PATIENCE),
        "more than 300 MB of memory",
    ),
    (
        "memory that is only reserved",
        "kept = []\nwhile True: kept.append(bytes(1_000_000))",
        Limits(memory_mb=300, wall_seconds=PATIENCE),
        "more than 300 MB of memory",
    ),
    (
        "one huge tensor",
        "import torch\ntorch.ones(100_000, 100_000)",
        Limits(memory_mb=300, wall_seconds=PATIENCE),
        "more than 300 MB of memory",
    ),
    (
        "steps",
        "import torch\nx = torch.tensor(1.)\nany(x + i is None for i in iter(int, 1))",
        Limits(steps=2000),
        "recorded more than 2,000 steps",
    ),
    (
        "recorded bytes",
        "import torch\nany(torch.ones(1000) is None for i in iter(int, 1))",
        Limits(recorded_bytes=2_000_000),
        "recorded more than 2 MB",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("source", "limits", "words"), [each[1:] for each in ENDED], ids=[each[0] for each in ENDED])
def test_a_limit_ends_the_run(make_pool: MakePool, source: str, limits: Limits, words: str) -> None:
    outcome = run_in(make_pool(limits), source)
    assert outcome.status == "limit", outcome.done
    assert words in outcome.sentence
    assert len(outcome.printed() + outcome.printed("err")) <= limits.output_chars


@pytest.mark.parametrize("limits", [Limits(wall_seconds=0.3), Limits(cpu_seconds=0.3)])
def test_a_run_keeps_going_when_it_is_told_to(make_pool: MakePool, limits: Limits) -> None:
    source = "print(1)\nx = 0\nfor i in range(5_000_000): x += i"
    assert run_in(make_pool(limits), source).status == "limit"
    begun = threading.Event()
    run = make_pool(limits).start(source, lambda event: begun.set())
    assert begun.wait(PATIENCE)
    assert run.seconds_left <= 0.3  # of processor time, none may have been counted yet
    for _ in range(200):
        run.keep_going()
    assert run.seconds_left > 10
    done = run.wait(PATIENCE)
    assert done is not None
    assert done.status == "ok", done.detail.sentence


def test_too_much_memory_at_once_is_an_error_of_the_snippet(make_pool: MakePool) -> None:
    pool = make_pool(Limits(memory_mb=300))
    outcome = run_in(pool, "try:\n    x = bytes(3_000_000_000)\nexcept MemoryError:\n    print('no memory')")
    assert (outcome.status, outcome.printed()) == ("ok", "no memory\n")


CYCLES = """\
import torch
class Pair:
    pass
for i in range(600):
    a, b = Pair(), Pair()
    a.other, b.other = b, a
    a.data = torch.ones(250_000)
print("done")
"""


def test_cycles_of_large_arrays_are_collected_before_memory_ends(make_pool: MakePool) -> None:
    outcome = run_in(make_pool(Limits(memory_mb=400)), CYCLES)
    assert (outcome.status, outcome.printed()) == ("ok", "done\n"), outcome.sentence


@pytest.mark.parametrize("names", [{"<get>": None}, {"__name__": "gradviz.engine.ops.shape"}])
def test_the_collector_waits_while_what_guards_is_at_work(names: dict[str, object]) -> None:
    """What it ends runs code of the snippet: never between two steps of what guards."""
    collector, found = Collector(None), {"sys": sys, **names}
    guarding = {"sys": sys, "__name__": "gradviz.worker.language.guard"}
    for each in (found, guarding):
        exec("frame = sys._getframe()", each)
    was_on = gc.isenabled()  # it is off where Qt collects
    gc.disable()
    try:
        collector.begin(400)
        gc.collect()
        assert collector.collect(sys._getframe())  # nothing is due
        kept = [[] for _ in range(2 * gc.get_threshold()[0])]
        assert not collector.collect(guarding["frame"])
        assert not collector.collect(None)
        assert gc.get_count()[0] >= len(kept)
        assert collector.collect(found["frame"])
        assert gc.get_count()[0] < len(kept)
    finally:
        collector.end()
        (gc.enable if was_on else gc.disable)()


def test_the_collector_looks_seldom_while_memory_is_free_and_only_during_a_run() -> None:
    usual, used = gc.get_threshold(), 0
    collector = Collector(lambda: used, itertools.count().__next__)
    collector.begin(400)
    assert gc.get_threshold()[0] > 20 * usual[0]
    used = 101 << 20
    collector.look()
    assert gc.get_threshold() == usual
    used = 0
    collector.look()
    assert gc.get_threshold() != usual
    collector.end()
    assert gc.get_threshold() == usual
    Collector(None).begin(400)
    assert gc.get_threshold() == usual


def test_nothing_is_measured_while_a_run_waits() -> None:
    """Else the ticks of a run that waits would take enough processor time for it to look as if it computed."""
    now, measured = 0.0, list[float]()

    def used() -> int:
        measured.append(now)
        return 0

    collector = Collector(used, lambda: now)
    collector.begin(400)
    for _ in range(20):
        now += 0.0001  # what a tick takes
        collector.look()
    assert len(measured) <= 2
    now += 0.05
    collector.look()
    assert measured[-1] == now
    collector.end()


def test_the_heap_reader_sees_large_arrays_where_there_is_one() -> None:
    used = heap_reader()
    assert (used is not None) == hasattr(ctypes.CDLL(None), "mallinfo2")
    before = used() if used else 0
    held = np.ones(10_000_000)
    assert used is None or used() - before >= held.nbytes


FULL = "kept, n = [], 1 << 30\nwhile n > 64:\n    try: kept.append(bytes(n))\n    except MemoryError: n //= 2\n"


@pytest.mark.parametrize(("then", "status"), [("", "ok"), ("raise ValueError", "raised"), ("exit(1)", "raised")])
def test_a_run_that_has_taken_all_memory_says_how_it_ended(make_pool: MakePool, then: str, status: str) -> None:
    outcome = run_in(make_pool(Limits()), FULL + then)
    assert outcome.status == status, outcome.done


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("def f(): f()\nf()", "RecursionError"),
        ("class A:\n    def __repr__(self): return repr(self)\nrepr(A())", "RecursionError"),
        ("x = []\nfor _ in range(100_000): x = [x]\nprint(x)", "RecursionError"),
        ("print('(' * 10_000 + ')' * 10_000)\n" + "(" * 10_000, "Error"),
        ("x = " + "-" * 5000 + "1", ""),
        ("x = " + "+".join("1" * 5000), ""),
    ],
)
def test_depth_is_an_error_or_a_refusal(make_pool: MakePool, source: str, error: str) -> None:
    outcome = run_in(make_pool(Limits(), reuse=True), source)
    assert outcome.status in ("raised", "refused")
    assert error in outcome.sentence


def test_what_ran_before_an_endless_loop_is_delivered(make_pool: MakePool) -> None:
    source = (
        "import torch\nx = torch.tensor(2., requires_grad=True)\n(x * x).backward()\nprint(x.grad)\nwhile True: pass"
    )
    outcome = run_in(make_pool(SECOND), source)
    assert outcome.status == "limit"
    assert outcome.printed() == "tensor(4.)\n"
    assert sum(batch.header["rows"]["steps"] for batch in outcome.batches) >= 5


def test_stop_ends_an_endless_loop_at_once(make_pool: MakePool) -> None:
    started, events = threading.Event(), []

    def on_event(event: Event) -> None:
        events.append(event)
        started.set()

    run = make_pool(Limits(wall_seconds=PATIENCE)).start("print('begun')\nwhile True: pass", on_event)
    assert started.wait(PATIENCE)
    begun = time.monotonic()
    run.stop()
    done = run.wait(PATIENCE)
    assert done is not None
    assert done.status == "stopped"
    assert time.monotonic() - begun < 5
    assert events[0] == Output("out", "begun\n")
    assert events[-1] is done
    run.stop()
    assert run.result is done, "a second stop changes nothing"


def test_stop_before_the_worker_is_ready(make_pool: MakePool) -> None:
    events: list[Event] = []
    run = make_pool().start("while True: pass", events.append)
    run.stop()
    done = run.wait(PATIENCE)
    assert done is not None
    assert done.status == "stopped"
    assert events == [done]


def test_a_killed_worker_is_reported_in_a_sentence_and_replaced(make_pool: MakePool) -> None:
    pool = make_pool(Limits(wall_seconds=PATIENCE))
    started, events = threading.Event(), []

    def on_event(event: Event) -> None:
        events.append(event)
        started.set()

    run = pool.start("print('begun')\nwhile True: pass", on_event)
    assert started.wait(PATIENCE)
    assert run._worker is not None
    os.kill(run._worker.pid, signal.SIGKILL)
    done = run.wait(PATIENCE)
    assert done is not None
    assert done.status == "died"
    assert "SIGKILL" in done.detail.sentence
    assert "nothing you typed is lost" in done.detail.sentence
    assert run_in(pool, "print('again')").printed() == "again\n"


def test_a_spare_worker_that_was_killed_is_replaced_silently(make_pool: MakePool) -> None:
    pool = make_pool()
    pool.warm()
    (spare,) = pool._spares
    assert spare.wait_ready(PATIENCE)
    spare.kill()
    spare.join()
    assert run_in(pool, "print('again')").printed() == "again\n"


@pytest.mark.parametrize("signal_number", [signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT])
def test_other_deaths(make_pool: MakePool, signal_number: signal.Signals) -> None:
    started = threading.Event()
    run = make_pool(Limits(wall_seconds=PATIENCE)).start("print(1)\nwhile True: pass", lambda event: started.set())
    assert started.wait(PATIENCE)
    assert run._worker is not None
    os.kill(run._worker.pid, signal_number)
    done = run.wait(PATIENCE)
    assert done is not None
    assert (done.status, signal_number.name in done.detail.sentence) == ("died", True)


def test_each_run_of_a_pool_has_a_worker_of_its_own(make_pool: MakePool) -> None:
    pool = make_pool()
    pids = set()
    for _ in range(3):
        run = pool.start("print(1)", lambda event: None)
        assert run.wait(PATIENCE) is not None
        assert run._worker is not None
        pids.add(run._worker.pid)
    assert len(pids) == 3


def test_runs_that_are_stopped_at_once_do_not_pile_up_processes(make_pool: MakePool) -> None:
    """A worker that has not heard of a run serves the next; so holding the key down starts no process for each."""
    pool = make_pool()
    pids = set()
    runs = []
    for _ in range(30):
        runs.append(pool.start("while True: pass", lambda event: None))
        runs[-1].stop()
        pids |= {worker.pid for worker in tuple(pool._workers)}
    assert all(run.wait(PATIENCE) == run.result for run in runs)
    assert {run.result.status for run in runs if run.result} == {"stopped"}
    assert len(pool._spares) <= 1
    # A run that began costs its worker; the next one and its spare may be started by two threads at the same moment.
    assert len(pids) <= 2 + 2 * sum(run.has_begun for run in runs)
    assert run_in(pool, "print('on')").printed() == "on\n"


def test_runs_after_each_other_have_one_spare_process(make_pool: MakePool) -> None:
    pool = make_pool()
    most = 0
    for _ in range(10):
        assert run_in(pool, "print(1)").status == "ok"
        most = max(most, len(pool._workers))
    assert most <= 3, "one that ends, one that is warm, one that comes"


def test_nothing_is_left_of_a_scratch_folder(make_pool: MakePool) -> None:
    pool = make_pool()
    run = pool.start("print(1)", lambda event: None)
    assert run.wait(PATIENCE) is not None
    assert run._worker is not None
    run._worker.join()
    assert not os.path.exists(run._worker._scratch)
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        pool.start("print(1)", lambda event: None)


def test_two_runs_at_once(make_pool: MakePool) -> None:
    pool = make_pool()
    texts: list[str] = []
    runs = [
        pool.start(f"print({n})", lambda e: texts.append(e.text) if isinstance(e, Output) else None) for n in range(2)
    ]
    assert all(run.wait(PATIENCE) == run.result for run in runs)
    assert sorted(texts) == ["0\n", "1\n"]


def test_a_listener_that_fails_does_not_leave_the_run_open(make_pool: MakePool) -> None:
    raised: list[type[BaseException] | None] = []
    before, threading.excepthook = threading.excepthook, lambda args: raised.append(args.exc_type)
    try:
        run = make_pool().start("print(1)", _fails_on_output)
        done = run.wait(PATIENCE)
    finally:
        threading.excepthook = before
    assert isinstance(done, Done)
    assert raised == [KeyError]


def _fails_on_output(event: Event) -> None:
    if isinstance(event, Output | Batch):
        raise KeyError("listener")
