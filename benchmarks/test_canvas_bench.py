"""How long the canvas takes for a step, a pan, a zoom and a scrub, in CPU time of the window's thread:
`python -m pytest benchmarks/test_canvas_bench.py --benchmark-enable --benchmark-timer=time.thread_time`.
The graph has 10,000 items and 15,000 edges and is not a chain. Each has its aim: 16 ms at the median is a frame."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas import CanvasView

FRAME = 0.016
ROUNDS = 30
OPERATIONS = 5000
SNIPPET = f"""
import torch
v = [torch.tensor(1.0, requires_grad=True) for i in range(20)]
far, near = FAR, NEAR
for i in range({OPERATIONS}):
    a, b = v[max(0, len(v) - 1 - far[i])], v[max(0, len(v) - 1 - near[i])]
    v.append(a * b if i % 2 else a + b)
v[-1].backward()
"""


def traced() -> Trace:
    from tests.trace.running import run

    dice = random.Random(0)
    far = [int(dice.expovariate(1 / 30)) for _ in range(OPERATIONS)]
    near = [int(dice.expovariate(1 / 8)) for _ in range(OPERATIONS)]
    return run(SNIPPET.replace("FAR", repr(far)).replace("NEAR", repr(near)))


@pytest.fixture(scope="module")
def view() -> Iterator[CanvasView]:
    from PySide6.QtCore import QEventLoop

    from gradviz.ui.canvas import CanvasView
    from gradviz.ui.launch import application

    app = application()
    canvas = CanvasView()
    canvas.resize(1280, 800)
    canvas.show()
    loop = QEventLoop()
    canvas.laidOut.connect(lambda final: loop.quit() if final else None)
    trace = traced()
    canvas.set_cursor(len(trace) // 2)
    canvas.set_trace(trace)
    loop.exec()
    app.processEvents()
    yield canvas
    canvas.shutdown()
    canvas.close()


def timed(benchmark: Any, view: CanvasView, zoom: str, act: Callable[[int], None], aim: float = FRAME) -> None:
    """Measure an act and the painting that it brings about, at a zoom ("all" of the graph, or "near")."""
    from PySide6.QtWidgets import QApplication

    if zoom == "all":
        view.fit()
    else:
        view.zoom_reset()
    view._sharpen()
    QApplication.processEvents()
    count = iter(range(10_000))

    def once() -> None:
        act(next(count))
        QApplication.processEvents()

    benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    if benchmark.enabled:
        assert benchmark.stats.stats.median < aim


ZOOMS = pytest.mark.parametrize("zoom", ["all", "near"])


@ZOOMS
def test_paint_everything(benchmark: Any, view: CanvasView, zoom: str) -> None:
    timed(benchmark, view, zoom, lambda _: view._repaint_all())


@ZOOMS
def test_step(benchmark: Any, view: CanvasView, zoom: str) -> None:
    scene = view._scene
    assert scene is not None
    middle = len(scene.trace) // 2
    view.follow = False
    timed(benchmark, view, zoom, lambda nth: view.set_cursor(middle + nth))
    view.follow = True


@ZOOMS
def test_step_back(benchmark: Any, view: CanvasView, zoom: str) -> None:
    scene = view._scene
    assert scene is not None
    middle = len(scene.trace) // 2
    view.follow = False
    timed(benchmark, view, zoom, lambda nth: view.set_cursor(middle - nth))
    view.follow = True


@ZOOMS
def test_pan(benchmark: Any, view: CanvasView, zoom: str) -> None:
    timed(benchmark, view, zoom, lambda nth: view.pan(9 if nth % 2 else -9, 4 if nth % 2 else -4))


@ZOOMS
def test_zoom(benchmark: Any, view: CanvasView, zoom: str) -> None:
    timed(benchmark, view, zoom, lambda nth: view.zoom_in() if nth % 2 else view.zoom_out())


def test_scrub(benchmark: Any, view: CanvasView) -> None:
    scene = view._scene
    assert scene is not None
    cursors = random.Random(1).choices(range(len(scene.trace)), k=100)
    timed(benchmark, view, "all", lambda nth: view.set_cursor(cursors[nth]), aim=2 * FRAME)


def test_the_diagram_of_a_trace(benchmark: Any, view: CanvasView) -> None:
    """What the window's thread does before the layout begins."""
    from gradviz.ui.canvas.diagram import build
    from gradviz.ui.canvas.sizes import Ruler

    scene = view._scene
    assert scene is not None
    benchmark.pedantic(lambda: build(scene.trace, Ruler()), rounds=5, warmup_rounds=1)
    if benchmark.enabled:
        assert benchmark.stats.stats.median < 0.5
