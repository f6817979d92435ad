"""What a run costs its user, measured in the real window: from the key to the picture for a short snippet, how long the
window is away while 100,000 steps come, and what a thousand runs leave behind. `aims.py` calls these."""

from __future__ import annotations

import gc
import os
import statistics
import threading
import time
from pathlib import Path

from PySide6.QtCore import Qt

from benchmarks.aims import Line
from benchmarks.in_window import GENEROUS
from benchmarks.snippets import chain, network, training
from benchmarks.stage import Paints, Stage

FRAME = 16.7  # milliseconds
TEN_LINES = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, -1.0], requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)
y = (w * x).sum() + b
target = torch.tensor(1.0)
error = y - target
loss = error ** 2
loss.backward()
print(w.grad, b.grad)
"""
PRESSES, RUNS, WARM_UP = 30, 1000, 50


def key_press() -> list[Line]:
    """F5 on a ten-line snippet with a warm worker: until the trace is there, and until it is painted."""
    stage = Stage()
    stage.run(TEN_LINES)
    pressed = []
    for _ in range(PRESSES):
        _settle(stage)
        pressed.append(_pressed(stage))
    stage.close()
    what = "F5 on ten lines with a warm worker: wall, median, until the trace is "
    return [
        Line(f"{what}there", "ms", statistics.median(there for there, _ in pressed), 50.0),
        Line(f"{what}painted", "ms", statistics.median(painted for _, painted in pressed), 50.0),
    ]


def _pressed(stage: Stage) -> tuple[float, float]:
    """Milliseconds from F5 until the trace is there, and until it is painted."""
    store, view = stage.window.store, stage.window.canvas.view
    paints = Paints(view)
    begun = time.perf_counter()
    stage.press(Qt.Key.Key_F5)
    stage.until(lambda: not store.state.run.is_running)
    traced = (time.perf_counter() - begun) * 1e3
    stage.until(lambda: view.scene is not None and view.scene.trace is store.state.trace)
    seen = paints.count
    view.update()
    stage.until(lambda: paints.count > seen)
    return traced, (time.perf_counter() - begun) * 1e3


def _settle(stage: Stage) -> None:
    """The next worker is warm, and the window has nothing to do."""
    pool = stage.window.shell.runner.pool
    stage.until_soon(lambda: any(spare.is_ready for spare in pool._spares))
    stage.until_soon(lambda: stage.window.canvas.is_settled)
    stage.wait(100)


def training_2000() -> list[Line]:
    """2,000 iterations of training, from F5 until the final layout is painted and the doctor has looked at it: what
    the window's process takes beside the worker."""
    return _trained("a polynomial fitted in 2,000 iterations", training(2000), training(3))


def training_network() -> list[Line]:
    """The same of a small network with Adam, 1,000 iterations."""
    return _trained("a network trained in 1,000 iterations", network(1000), network(3))


def _trained(what: str, text: str, small: str) -> list[Line]:
    stage = Stage(limits=GENEROUS)
    stage.run(small)
    _settle(stage)
    stage.watch_worker()
    examined: list[bool] = []
    stage.window.shell.runner.examined.connect(lambda: examined.append(True))
    begun, thread = time.process_time(), time.thread_time()
    opened = stage.run(text, gaps=False)
    stage.until_soon(lambda: bool(examined))
    own, gui = (
        now - then - stage.watched for now, then in ((time.process_time(), begun), (time.thread_time(), thread))
    )
    steps = stage.window.store.state.steps
    worker = stage.worker_seconds
    stage.close()
    return [
        Line(f"{what}, {steps:,} steps: CPU of the window, times the worker's", "times", own / worker, 0.5),
        Line(f"{what}: CPU of the window a step", "µs", own / steps * 1e6, 10.0),
        Line(f"{what}: of it the window's thread", "µs", gui / steps * 1e6),
        Line(f"{what}: CPU of the worker", "s", worker),
        Line(f"{what}: final layout painted after the end", "ms", (opened.settled - opened.ended) * 1e3),
    ]


def transfer() -> list[Line]:
    """100,000 steps recorded, sent and shown: the longest time between two turns of the event loop."""
    stage = Stage(limits=GENEROUS)
    stage.run(TEN_LINES)
    stage.run(chain(2000))
    gc.collect()
    opened = stage.run(chain(40_000))
    steps = stage.window.store.state.steps
    stage.close()
    what = f"{steps:,} steps transferred and shown: "
    return [
        Line(f"{what}event loop away at most, CPU", "ms", opened.gap.thread * 1e3, FRAME),
        Line(f"{what}event loop away at most, wall", "ms", opened.gap.wall * 1e3),
        Line(f"{what}final layout painted after", "ms", opened.settled * 1e3),
    ]


def thousand() -> list[Line]:
    """A thousand runs after each other in one window: what this process has more of after them."""
    stage = Stage()
    for _ in range(WARM_UP):
        _run(stage)
    before = _belongings()
    for _ in range(RUNS):
        _run(stage)
    after = _belongings()
    stage.close()
    return [
        Line(f"{RUNS:,} runs in a row: more {what}", unit, after[what] - before[what], most)
        for what, unit, most in (
            ("memory", "MB", 5.0),
            ("descriptors", "", 0.0),
            ("threads", "", 0.0),
            ("processes", "", 0.0),
        )
    ]


def _run(stage: Stage) -> None:
    stage.press(Qt.Key.Key_F5) if stage.window.store.state.steps else stage.show(TEN_LINES)
    if not stage.window.store.state.run.is_running:
        stage.window.shell.runner.run()
    stage.until(lambda: not stage.window.store.state.run.is_running)
    stage.until_soon(lambda: stage.window.canvas.is_settled)


def _belongings() -> dict[str, float]:
    """What this process has, once what ends has ended. Linux."""
    deadline = time.monotonic() + 10
    while True:
        gc.collect()
        found = _counted()
        if time.monotonic() > deadline or found["threads"] <= 4:
            return found
        time.sleep(0.2)


def _counted() -> dict[str, float]:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {
        "memory": pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "threads": threading.active_count(),
        "processes": len(children),
    }
