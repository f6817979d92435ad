"""Aims that are measured in the real window, with all its panels and a real worker: runs, steps, scrubs, and how long
the event loop is away. `stage.py` is the window; `aims.py` calls these, each in a process of its own."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

from PySide6.QtCore import Qt

from benchmarks.aims import Line
from benchmarks.growth import peak_memory
from benchmarks.models import transformer
from benchmarks.snippets import chain, recurrence, tangle
from benchmarks.stage import Stage, Watchdog
from gradviz.ui.panels.timeline import TimelinePanel
from gradviz.worker.process.limits import Limits

FRAME, TWO_FRAMES = 16.0, 33.0  # milliseconds
TIMES = 200
GENEROUS = Limits(wall_seconds=600, cpu_seconds=600, steps=3_000_000, recorded_bytes=2 << 30, memory_mb=4000)


def recurrence_100() -> list[Line]:
    """From the press of Run to the painted picture, of 100 steps with a shared weight."""
    return _recurrence(100, 1000.0)


def recurrence_1000() -> list[Line]:
    """The same of 1,000 steps."""
    return _recurrence(1000, 3000.0)


def _recurrence(steps: int, aim: float) -> list[Line]:
    stage = Stage()
    opened = stage.run(recurrence(steps))
    stage.window.store.move(stage.window.store.state.steps // 2)
    what = f"recurrence of {steps:,} steps, from the press of Run"
    lines = [
        Line(f"{what} to the first painted frame", "ms", opened.painted * 1e3, aim),
        Line(f"{what} to the final layout, painted", "ms", opened.settled * 1e3, aim),
        *_steps(stage, f"recurrence of {steps:,} steps, one step", 50),
    ]
    stage.close()
    return lines


def _steps(stage: Stage, what: str, times: int) -> list[Line]:
    """The median and the worst hundredth of a step from key press to painted."""
    cpu, wall = _each(stage, lambda _: stage.press(Qt.Key.Key_F10), times)
    return [
        Line(f"{what}: CPU, median", "ms", statistics.median(cpu), FRAME),
        Line(f"{what}: CPU, 99th percentile", "ms", _worst(cpu), TWO_FRAMES),
        Line(f"{what}: wall, median", "ms", statistics.median(wall)),
    ]


def _each(stage: Stage, act: Callable[[int], None], times: int) -> tuple[list[float], list[float]]:
    """Milliseconds of the window's thread, and on the wall, from an act until it is painted."""
    cpu, wall = [], []
    for nth in range(times):
        thread, clock = time.thread_time(), time.perf_counter()
        act(nth)
        stage.turns(2)
        cpu.append((time.thread_time() - thread) * 1e3)
        wall.append((time.perf_counter() - clock) * 1e3)
    return cpu, wall


def _worst(times: list[float]) -> float:
    return sorted(times)[int(0.99 * len(times))]


def stepping() -> list[Line]:
    """F10 in a graph of 10,000 items and 15,000 edges, all of it in view and near, forward and backward."""
    stage = Stage()
    stage.run(tangle(5000))
    stage.unfold(10_000)
    store, view = stage.window.store, stage.window.canvas.view
    lines = []
    for part, start in (("forward", 0.25), ("backward", 0.75)):
        for zoom, look in (("all in view", view.viewport.fit), ("near", view.viewport.zoom_reset)):
            store.move(int(store.state.steps * start))
            stage.turns()
            look()
            stage.wait(300)
            stage.window.editor.code.setFocus()
            lines += _steps(stage, f"one step of the {part} pass, 10,000 items, {zoom}", TIMES)
    stage.close()
    return lines


def scrubbing() -> list[Line]:
    """Jumps between random steps of 100,000."""
    stage = Stage(limits=GENEROUS)
    stage.run(chain(40_000))
    what = f"scrub over {stage.window.store.state.steps:,} steps"
    lines = [Line(f"{what}, final layout painted after", "ms", stage.opened.settled * 1e3), *_scrubs(stage, what)]
    stage.close()
    return lines


def _scrubs(stage: Stage, what: str) -> list[Line]:
    from gradviz.ui.canvas.moment import moment

    store, view = stage.window.store, stage.window.canvas.view
    trace, dice, state = store.state.trace, random.Random(1), []
    assert trace is not None
    assert view.scene is not None
    diagram = view.scene.placed.diagram
    for _ in range(TIMES):
        begun = time.thread_time()
        moment(diagram, trace.frame(dice.randrange(len(trace))))
        state.append((time.thread_time() - begun) * 1e3)
    cpu, wall = _each(stage, lambda _: store.move(dice.randrange(len(trace))), 100)
    return [
        Line(f"{what}: the state, CPU, median", "ms", statistics.median(state), 5.0),
        Line(f"{what}: on the screen, CPU, median", "ms", statistics.median(cpu), FRAME),
        Line(f"{what}: on the screen, CPU, 99th percentile", "ms", _worst(cpu), TWO_FRAMES),
        Line(f"{what}: on the screen, wall, median", "ms", statistics.median(wall)),
    ]


def away() -> list[Line]:
    """The longest time between two turns of the event loop while large cases are run, laid out and scrubbed."""
    lines = []
    cases = {
        "recurrence of 1,000 steps": recurrence(1000),
        "transformer of 96 blocks": transformer(96),
        "chain of 10,000 operations": chain(10_000),
        "tangle of 5,000 operations": tangle(5000),
    }
    stage = Stage()
    stage.run(recurrence(5))  # what is imported and made once
    for name, text in cases.items():
        opened = stage.run(text)
        what = f"{name}: event loop away at most, "
        lines.append(Line(f"{what}run and layout, CPU", "ms", opened.gap.thread * 1e3, FRAME))
        lines.append(Line(f"{what}run and layout, wall", "ms", opened.gap.wall * 1e3))
        dice, store = random.Random(2), stage.window.store
        with Watchdog() as dog:
            for _ in range(20):
                store.move(dice.randrange(store.state.steps))
                stage.turns(2)
        lines.append(Line(f"{what}scrub, CPU", "ms", dog.longest.thread * 1e3, TWO_FRAMES))
    stage.close()
    return lines


def million() -> list[Line]:
    """A million steps: recorded, sent, opened, scrubbed."""
    stage = Stage(limits=GENEROUS)
    stage.watch_worker()
    opened = stage.run(chain(400_000))
    steps = stage.window.store.state.steps
    what = f"{steps:,} steps"
    lines = [
        Line(f"{what}: recorded and sent", "s", opened.ended),
        Line(f"{what}: on the screen after that", "s", opened.painted - opened.ended),
        Line(f"{what}: final layout painted after that", "s", opened.settled - opened.ended),
        Line(f"{what}: event loop away at most, CPU", "ms", opened.gap.thread * 1e3),
        *_scrubs(stage, f"scrub over {what}"),
        *_zooms(stage, f"zoom of the timeline over {what}"),
        Line(f"{what}: memory of the window at most", "MB", peak_memory() / 1e6),
        Line(f"{what}: memory of the worker at most", "MB", stage.worker_peak / 1e6),
        Line(f"{what}: memory of both", "MB", (peak_memory() + stage.worker_peak) / 1e6, 2000.0),
    ]
    stage.close()
    return lines


def _zooms(stage: Stage, what: str) -> list[Line]:
    """In to a few steps and out again at another place, as with the wheel; a frame each."""
    timeline = stage.window.panel_area.panels["timeline"]
    assert isinstance(timeline, TimelinePanel)
    steps, dice = stage.window.store.state.steps, random.Random(3)
    place = [0]

    def zoom(number: int) -> None:
        if number % 40 == 0:
            place[0] = dice.randrange(steps)
        timeline.zoom(0.7 if number % 40 < 20 else 1 / 0.7, place[0])

    cpu, _ = _each(stage, zoom, TIMES)
    return [
        Line(f"{what}: CPU, median", "ms", statistics.median(cpu), FRAME),
        Line(f"{what}: CPU, 99th percentile", "ms", _worst(cpu), TWO_FRAMES),
    ]


def comparing() -> list[Line]:
    """What-if of 100,000 steps: the comparison of the two runs, which a thread beside the window's makes."""
    from gradviz.session.comparison.differences import judge

    stage = Stage(limits=GENEROUS)
    text = chain(40_000)
    traces = []
    for written in (text, text.replace("1.0001", "1.0002")):
        stage.run(written)
        trace = stage.window.store.state.trace
        assert trace is not None
        traces.append(trace)
    stage.close()
    start = time.thread_time()
    rows = judge(*traces).rows
    seconds = time.thread_time() - start
    return [Line(f"comparison of two runs of {len(traces[0]):,} steps, {len(rows):,} rows: CPU", "ms", seconds * 1e3)]
