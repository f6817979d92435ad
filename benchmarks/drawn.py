"""Aims of the canvas of a drawing, apart from its run: how long the window's thread takes for a drawing whose nodes
changed, for one of which only numbers changed, and to paint it. `in_window.py` measures whole windows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchmarks.aims import Line
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Node, Operation, Ref
from gradviz.trace.table.schema import Batch as TraceBatch
from gradviz.trace.table.trace import Trace
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.launch import application
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Event

COLUMNS = 10
ROUNDS = 15
EDIT, SLIDE, PAINT = 16.0, 5.0, 33.0  # milliseconds
SIZE = (1280, 800)


def drawing_100() -> list[Line]:
    """A drawing of 100 operations."""
    return _drawing(100, (EDIT, SLIDE, PAINT))


def drawing_500() -> list[Line]:
    """A drawing of 500 operations."""
    return _drawing(500, (None, None, None))


def chained(operations: int, x: float) -> Drawing:
    """A chain of products and sums in rows, each with one of ten leaves."""
    leaves: list[Node] = [Leaf(1, "x", x, requires_grad=True, x=-300)]
    leaves += [Leaf(2 + nth, f"w{nth}", 0.9 + nth / 50, requires_grad=True, x=-300, y=180 * nth) for nth in range(10)]
    made = [
        Operation(
            20 + nth, ("mul", "add")[nth % 2], (Ref(19 + nth) if nth else Ref(1), Ref(2 + nth // COLUMNS % 10)),
            names=(f"y{nth}",), x=320 * (nth % COLUMNS), y=180 * (nth // COLUMNS),
        )
        for nth in range(operations)
    ]  # fmt: skip
    return Drawing((*leaves, *made), calls=(BackwardCall(Ref(19 + operations)),), next_id=21 + operations)


def _drawing(operations: int, aims: tuple[float | None, float | None, float | None]) -> list[Line]:
    app = application()
    drawings = [chained(operations, 0.5), chained(operations, 0.6)]
    traces = [_trace(drawing) for drawing in drawings]
    view = DrawingView()
    view.resize(*SIZE)
    view.show()
    view.put_cursor(len(traces[0]))
    both = list(zip(drawings, traces, strict=True))

    def show(drawing: Drawing, trace: Trace) -> None:
        view.show_drawing(drawing, drawings[traces.index(trace)], trace)

    show(*both[0])
    view.grab()
    moved = [(replace(drawing, nodes=drawing.nodes[::-1]), trace) for drawing, trace in both]
    for drawing, _ in moved:
        _ = code_of(drawing)
    shifted = replace(drawings[0], nodes=tuple(replace(node, x=node.x + 20) for node in drawings[0].nodes))
    show(*both[0])
    drags = [_milliseconds(partial(show, shifted if nth % 2 else drawings[0], traces[0])) for nth in range(ROUNDS)]
    edits = [_milliseconds(partial(show, *(moved[0] if nth % 2 else both[0]))) for nth in range(ROUNDS)]
    slides, paints = [], []
    for nth in range(ROUNDS):
        slides.append(_milliseconds(partial(show, *both[nth % 2])))
        paints.append(_milliseconds(app.processEvents))
    what = f"drawing of {operations} operations"
    view.shutdown()
    return [
        Line(f"{what}, after an edit: CPU, median", "ms", statistics.median(edits), aims[0]),
        Line(f"{what}, all of it dragged: CPU, median", "ms", statistics.median(drags), aims[0]),
        Line(f"{what}, other values: CPU, median", "ms", statistics.median(slides), aims[1]),
        Line(f"{what}, painted with them: CPU, median", "ms", statistics.median(paints), aims[2]),
    ]


def _trace(drawing: Drawing) -> Trace:
    """That of a run in a worker."""
    trace, pool = Trace(text_of(drawing)), WorkerPool()
    batches: list[Batch] = []

    def collect(event: Event) -> None:
        if isinstance(event, Batch):
            batches.append(event)

    try:
        run = pool.start(text_of(drawing), collect, "drawing")
        run.wait()
        run.join()
    finally:
        pool.close()
    for batch in batches:
        trace.extend(TraceBatch(batch.header, batch.payload))
    return trace


def _milliseconds(act: Callable[[], None]) -> float:
    began = time.thread_time()
    act()
    return (time.thread_time() - began) * 1e3
