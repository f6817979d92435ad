"""Collections of cyclic garbage in the thread of the window, and in no other."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.session.doctor import lessons
from gradviz.session.doctor.case import case_of
from gradviz.trace.table.trace import Trace
from gradviz.ui import memory_management
from gradviz.ui.canvas import diagram_layout
from gradviz.ui.canvas.placed import Placed
from gradviz.ui.memory_management import GarbageCollector
from gradviz.ui.services import worker_bridge
from gradviz.ui.services.worker_bridge import TracePrecomputer
from tests.driver import Pilot
from tests.trace.running import run

SQUARES = "import torch\nx = torch.ones(50, {}, requires_grad=True)\n(x * x).sum().backward()"
ROOT = Path(__file__).parents[2]
PROGRAM = """
import gc, sys
from PySide6.QtCore import QTimer
from gradviz.ui import launch
from gradviz.ui.memory_management import GarbageCollector

def look(window):
    print(gc.isenabled(), len(launch.application().findChildren(GarbageCollector)), flush=True)
    window.close()

class Window(launch.MainWindow):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.painted.connect(lambda: QTimer.singleShot(0, lambda: look(self)))

launch.MainWindow = Window
sys.exit(launch.open_window([], None, None))
"""


class Ticking(QObject):
    """Part of a cycle, with a running timer: to be destroyed in another thread is its end and that of the process."""

    def __init__(self, destroyed_in: list[threading.Thread]) -> None:
        super().__init__()
        self.itself = self
        self.timer = QTimer(self, interval=10)
        self.timer.start()
        self._destroyed_in = destroyed_in

    def __del__(self) -> None:
        self._destroyed_in.append(threading.current_thread())
        self.timer.stop()


@pytest.fixture
def collector(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[GarbageCollector]:
    monkeypatch.setattr(memory_management, "EVERY", 1)
    one = GarbageCollector(qapp)
    yield one
    one.deleteLater()


def _allocate() -> None:
    kept = [[number] for number in range(100_000)]
    kept.append(kept)


def test_a_thread_that_allocates_destroys_nothing_of_the_window(collector: GarbageCollector, qtbot: QtBot) -> None:
    destroyed_in: list[threading.Thread] = []
    Ticking(destroyed_in)
    thread = threading.Thread(target=_allocate)
    thread.start()
    thread.join()
    assert destroyed_in == []
    qtbot.waitUntil(lambda: destroyed_in == [threading.main_thread()])


def test_all_objects_are_looked_through_when_there_are_a_quarter_more(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [[number] for number in range(1000)]
    gc.collect(1)  # they are old now, also where all others are frozen
    done: list[int] = []
    collect = gc.collect
    monkeypatch.setattr(gc, "collect", lambda generation=2: (done.append(generation), collect(generation))[1])
    counted: list[int] = []
    objects = gc.get_objects
    monkeypatch.setattr(gc, "get_objects", lambda generation: counted.append(generation) or objects(generation))
    old = gc.get_threshold()[2] + 1
    monkeypatch.setattr(gc, "get_count", lambda: (10_000, 11, old))
    collector.collect()
    assert done == [2]
    collector.collect()
    assert done == [2, 1]
    before = len(counted)
    collector.collect()
    assert done == [2, 1, 1] and len(counted) == before, "not counted again so soon"
    monkeypatch.setattr(gc, "get_objects", objects)
    more = [[number] for number in range(len(gc.get_objects()))]
    collect(1)
    old *= 2
    collector.collect()
    assert done == [2, 1, 1, 2]
    assert len(more) > len(held)


@pytest.mark.parametrize(("count", "generations"), [((700, 10, 10), []), ((701, 0, 0), [0]), ((701, 11, 0), [1])])
def test_no_more_than_python_itself_would(
    collector: GarbageCollector,
    monkeypatch: pytest.MonkeyPatch,
    count: tuple[int, int, int],
    generations: list[int],
) -> None:
    done: list[int] = []
    monkeypatch.setattr(gc, "collect", done.append)
    monkeypatch.setattr(gc, "get_count", lambda: count)
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
    collector.collect()
    assert done == generations


def test_the_program_collects_this_way(tmp_path: Path) -> None:
    places = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"), str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=os.environ | places, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "False 1\n"), done.stderr[-2000:]


@pytest.mark.usefixtures("no_collection")
def test_a_trace_ends_with_the_run_that_takes_its_place(pilot: Pilot) -> None:
    """Large values must not wait for the garbage collector, which looks at the number of objects."""
    seen: list[weakref.ref[Trace]] = []
    for number in range(4):
        pilot.run_again(SQUARES.format(number + 2))
        pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
        pilot.step(3)
        trace = pilot.state.trace
        assert trace is not None
        seen.append(weakref.ref(trace))
        del trace
    pilot.qtbot.waitUntil(lambda: [made() is None for made in seen] == [True, True, True, False])


@pytest.mark.usefixtures("no_collection")
def test_a_trace_that_is_still_laid_out_when_another_takes_its_place_ends_too(
    pilot: Pilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, prepare = threading.Event(), diagram_layout.prepare

    def prepare_late(placed: Placed) -> None:
        goes_on.wait()
        assert placed.diagram.trace.naming
        prepare(placed)

    monkeypatch.setattr(diagram_layout, "prepare", prepare_late)
    seen = []
    for number in range(2):
        pilot.run_again(SQUARES.format(number + 2))
        assert pilot.state.trace is not None
        seen.append(weakref.ref(pilot.state.trace))
    goes_on.set()
    pilot.qtbot.waitUntil(lambda: [made() is None for made in seen] == [True, False])


@pytest.mark.usefixtures("no_collection")
def test_a_trace_ends_that_is_painted_until_the_next_one_is_laid_out(
    pilot: Pilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pilot.run_again(SQUARES.format(2))
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    goes_on, lay_out = threading.Event(), diagram_layout.lay_out
    monkeypatch.setattr(
        diagram_layout, "lay_out", lambda *given, **named: goes_on.wait(20) and lay_out(*given, **named)
    )
    assert pilot.state.trace is not None
    first = weakref.ref(pilot.state.trace)
    pilot.run_again(SQUARES.format(3))
    scene = pilot.window.canvas.view.scene
    assert scene is not None and scene.trace is first(), "as long as the other is laid out"
    del scene
    pilot.window.canvas.grab()
    goes_on.set()
    pilot.qtbot.waitUntil(lambda: first() is None)


@pytest.mark.usefixtures("no_collection")
def test_a_trace_ends_that_the_doctor_examines_when_the_next_run_is_shown(
    pilot: Pilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, find = threading.Event(), lessons.diagnose
    monkeypatch.setattr(lessons, "diagnose", lambda trace: find(trace) if goes_on.wait(20) else ())
    pilot.run_again(SQUARES.format(2))
    assert pilot.state.trace is not None
    first = weakref.ref(pilot.state.trace)
    pilot.type_snippet(SQUARES.format(3) + "\ninput()")
    pilot.press("F5")
    pilot.qtbot.waitUntil(lambda: pilot.state.trace is not first())
    assert pilot.state.run.is_running
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.examined):
        goes_on.set()
    pilot.qtbot.waitUntil(lambda: first() is None)


def test_a_trace_that_was_made_ready_in_vain_ends_too(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run("import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()")
    monkeypatch.setattr(worker_bridge, "SHORT", 1)
    precomputer, shown = TracePrecomputer(), []
    precomputer.precompute(trace, lambda: shown.append(True))
    precomputer.drop()
    assert precomputer._thread is not None
    precomputer._thread.join()
    assert trace._cache
    qtbot.waitUntil(lambda: not trace._cache)
    assert not shown


@pytest.mark.usefixtures("no_collection")
def test_no_copy_of_a_trace_stays_behind_either(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor looks at a copy, which has the same values and derives names of its own."""
    made: list[weakref.ref[Trace]] = []
    begin = Trace.__init__
    monkeypatch.setattr(
        Trace, "__init__", lambda self, *given: (begin(self, *given), made.append(weakref.ref(self)))[0]
    )
    for number in range(3):
        with pilot.qtbot.waitSignal(pilot.window.shell.runner.examined):
            pilot.run_again(NOT_ZEROED.format(number + 2))
        pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    assert pilot.state.doctor.findings
    pilot.qtbot.waitUntil(lambda: sum(each() is not None for each in made) == 1)


def test_the_inspector_goes_on_with_what_the_doctor_read(pilot: Pilot) -> None:
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.examined):
        pilot.run_again(NOT_ZEROED.format(2))
    trace = pilot.state.trace
    case = case_of(trace)
    assert "events" in vars(case) and case.trace is trace, "read before it is asked for"


NOT_ZEROED = """
import torch
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for turn in range({}):
    loss = (w * w).sum()
    loss.backward()
    optimizer.step()
"""
LARGE_BLOCKS = """
import sys
from gradviz.ui.memory_management import give_back_large_blocks

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 if sys.platform == "linux" else 0

if sys.argv[1] == "as the program":
    give_back_large_blocks()
begun, kept = resident(), []
for round in range(4):
    blocks = []
    for number in range(20):
        blocks.append(b"x" * (6 << 20))
        kept.append(b"y" * (100 << 10))  # lies between them
    del blocks
print((resident() - begun) >> 20)
"""


def test_large_blocks_are_given_back_at_once_though_small_ones_lie_between() -> None:
    def left(how: str) -> int:
        command = [sys.executable, "-c", LARGE_BLOCKS, how]
        return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300).stdout)

    small = 8  # MB that are kept
    assert left("as Python") > 5 * small or sys.platform != "linux", "else there is nothing to do"
    assert left("as the program") < 2 * small


def test_the_window_gives_large_blocks_back_before_the_first_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[bool] = []
    monkeypatch.setattr(memory_management, "give_back_large_blocks", lambda: called.append(True))
    worker_bridge._load()
    assert called == [True]


@pytest.fixture
def no_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    yield
    if was_on:
        gc.enable()
