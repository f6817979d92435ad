"""How long the canvas takes for a step, a pan, a zoom and a scrub, in CPU time of the window's thread:
`python -m pytest benchmarks/test_canvas_bench.py --benchmark-enable --benchmark-timer=time.thread_time`.
The graph has 10,000 items and 15,000 edges (or five times as many) and is not a chain, and nothing in it can be folded.
Each has its aim: 16 ms at the median is a frame."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas import TraceView

FRAME = 0.016
ROUNDS = 30
USABLE = 0.050
OPERATIONS, MANY_OPERATIONS = 5000, 25_000
SNIPPET = """
import torch
v = [torch.tensor(1.0, requires_grad=True) for i in range(20)]
far, near = FAR, NEAR
def at(back): return v[max(0, len(v) - 1 - back)]
[v.append(at(far[i]) * at(near[i]) if i % 2 else at(far[i]) + at(near[i])) for i in range(len(far))]
v[-1].backward()
"""


def traced(operations: int) -> Trace:
    from tests.trace.running import run

    dice = random.Random(0)
    far = [int(dice.expovariate(1 / 30)) for _ in range(operations)]
    near = [int(dice.expovariate(1 / 8)) for _ in range(operations)]
    return run(SNIPPET.replace("FAR", repr(far)).replace("NEAR", repr(near)))


@pytest.fixture(scope="module")
def view() -> Iterator[TraceView]:
    """10,000 items in their final drawing."""
    yield from opened(OPERATIONS, wait_for_final=True)


@pytest.fixture(scope="module")
def large_view() -> Iterator[TraceView]:
    """50,000 items, as soon as there is a drawing."""
    yield from opened(MANY_OPERATIONS, wait_for_final=False)


def opened(operations: int, *, wait_for_final: bool) -> Iterator[TraceView]:
    from PySide6.QtCore import QEventLoop

    from gradviz.ui.canvas import TraceView
    from gradviz.ui.launch import application

    app = application()
    canvas = TraceView()
    canvas.resize(1280, 800)
    canvas.show()
    loop = QEventLoop()
    canvas.laid_out.connect(lambda final: loop.quit() if final or not wait_for_final else None)
    trace = traced(operations)
    canvas.set_cursor(len(trace) // 2)
    canvas.set_trace(trace)
    loop.exec()
    app.processEvents()
    yield canvas
    canvas.shutdown()
    canvas.close()


def timed(benchmark: Any, view: TraceView, zoom: str, act: Callable[[int], None], aim: float = FRAME) -> None:
    """Measure an act and the painting that it brings about, at a zoom ("all" of the graph, or "near")."""
    from PySide6.QtWidgets import QApplication

    if zoom == "all":
        view.viewport.fit()
    else:
        view.viewport.zoom_reset()
    view.viewport.sharpen()
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
def test_paint_everything(benchmark: Any, view: TraceView, zoom: str) -> None:
    timed(benchmark, view, zoom, lambda _: view.surface.repaint_all())


@ZOOMS
def test_step(benchmark: Any, view: TraceView, zoom: str) -> None:
    scene = view.scene
    assert scene is not None
    middle = len(scene.trace) // 2
    view.follow = False
    timed(benchmark, view, zoom, lambda nth: view.set_cursor(middle + nth))
    view.follow = True


@ZOOMS
def test_step_back(benchmark: Any, view: TraceView, zoom: str) -> None:
    scene = view.scene
    assert scene is not None
    middle = len(scene.trace) // 2
    view.follow = False
    timed(benchmark, view, zoom, lambda nth: view.set_cursor(middle - nth))
    view.follow = True


@ZOOMS
def test_pan(benchmark: Any, view: TraceView, zoom: str) -> None:
    timed(benchmark, view, zoom, lambda nth: view.viewport.pan(9 if nth % 2 else -9, 4 if nth % 2 else -4))


@ZOOMS
def test_zoom(benchmark: Any, view: TraceView, zoom: str) -> None:
    timed(benchmark, view, zoom, lambda nth: view.viewport.zoom_in() if nth % 2 else view.viewport.zoom_out())


def zoom(view: TraceView, nth: int) -> None:
    """One frame of a zoom that is painted anew, not a scaled picture."""
    view.surface._still, view.surface._seconds = None, 0.0
    (view.viewport.zoom_in if nth % 2 else view.viewport.zoom_out)()


def test_zoom_painted_anew(benchmark: Any, view: TraceView) -> None:
    timed(benchmark, view, "all", lambda nth: zoom(view, nth))


@ZOOMS
def test_pan_50000(benchmark: Any, large_view: TraceView, zoom: str) -> None:
    timed(
        benchmark,
        large_view,
        zoom,
        lambda nth: large_view.viewport.pan(9 if nth % 2 else -9, 4 if nth % 2 else -4),
        USABLE,
    )


def test_zoom_painted_anew_50000(benchmark: Any, large_view: TraceView) -> None:
    timed(benchmark, large_view, "all", lambda nth: zoom(large_view, nth), USABLE)


@ZOOMS
def test_step_50000(benchmark: Any, large_view: TraceView, zoom: str) -> None:
    scene = large_view.scene
    assert scene is not None
    middle = len(scene.trace) // 2
    large_view.follow = False
    timed(benchmark, large_view, zoom, lambda nth: large_view.set_cursor(middle + nth), USABLE)
    large_view.follow = True


def test_the_map_of_a_step(benchmark: Any, view: TraceView) -> None:
    """What the mini-map costs for each step and each move of the camera."""
    from gradviz.ui.panels.canvas_overlays import Minimap
    from gradviz.ui.theme import LIGHT

    view.viewport.zoom_reset()
    minimap = Minimap(view, LIGHT)
    minimap.refresh()
    minimap.grab()

    def once() -> None:
        minimap.refresh()
        minimap.repaint()

    benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    if benchmark.enabled:
        assert benchmark.stats.stats.median < 0.001


@pytest.mark.parametrize("query", ["v", "mul", "nan", "line:6", "freed"])
def test_search_in_50000_rows(benchmark: Any, large_view: TraceView, query: str) -> None:
    """What a key press in the search bar costs: the trace has 25,000 operations and as many tensors, searched anew."""
    from gradviz.session.inspect import search

    scene = large_view.scene
    assert scene is not None
    trace = scene.trace

    def once() -> None:
        search._index(trace).latest = None
        search.find(trace, query, len(trace))

    benchmark.pedantic(once, rounds=5, warmup_rounds=1)
    if benchmark.enabled:
        assert benchmark.stats.stats.median < USABLE


@pytest.mark.parametrize("kind", ["ancestors", "descendants"])
def test_lineage_of_25000_operations(benchmark: Any, large_view: TraceView, kind: str) -> None:
    from gradviz.session.inspect.lineage import family
    from gradviz.session.state import Lineage, Selection

    scene = large_view.scene
    assert scene is not None
    last = len(scene.trace.tensors) - 1 if kind == "ancestors" else 0
    lineage = Lineage(kind, Selection("tensor", last))
    benchmark.pedantic(lambda: family(scene.trace, lineage), rounds=5, warmup_rounds=1)
    if benchmark.enabled:
        assert benchmark.stats.stats.median < USABLE


def test_scrub(benchmark: Any, view: TraceView) -> None:
    scene = view.scene
    assert scene is not None
    cursors = random.Random(1).choices(range(len(scene.trace)), k=100)
    timed(benchmark, view, "all", lambda nth: view.set_cursor(cursors[nth]), aim=2 * FRAME)


def test_the_diagram_of_a_trace(benchmark: Any, view: TraceView) -> None:
    """What the window's thread does before the layout begins."""
    from gradviz.ui.canvas.diagram import build
    from gradviz.ui.canvas.sizes import Ruler

    scene = view.scene
    assert scene is not None
    benchmark.pedantic(lambda: build(scene.trace, Ruler()), rounds=5, warmup_rounds=1)
    if benchmark.enabled:
        assert benchmark.stats.stats.median < 0.5
