"""A slider moves in a drawing of 100 nodes: how long until the picture shows the new values and gradients, by the clock
and in CPU time of the window's thread. Each update is a whole way: edit, code, worker, trace, every panel, paint."""

from __future__ import annotations

import statistics
import time

from PySide6.QtCore import QEventLoop

from benchmarks.aims import Line
from benchmarks.stage import Paints, Stage
from gradviz.document.code.parse import parse
from gradviz.document.drawing import Leaf
from gradviz.document.shaping import change_leaf

UPDATES, WARM = 90, 10
FRAME, PICTURE = 1000 / 30, 1000 / 60  # milliseconds


def slider() -> list[Line]:
    """The median of many updates."""
    stage = Stage()
    window, store = stage.window, stage.window.store
    drawing = parse(text())
    store.open(drawing, None)
    stage.until(lambda: window.shell.live.is_settled and store.state.trace is not None)
    leaf = next(node for node in drawing.nodes if isinstance(node, Leaf))
    store.pick(frozenset({leaf.id}))
    paints = Paints(window.canvas.drawn.view)
    walls, own = [], []
    for step in range(UPDATES):
        before, painted, now = store.state.trace, paints.count, store.state.drawing
        assert now is not None
        begun, cpu = time.perf_counter(), time.thread_time()
        store.edit("Change", change_leaf(now, leaf.id, data=(step + 1) / 100), merge="slider")
        while store.state.trace is before or paints.count == painted:
            stage.app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        walls.append(1000 * (time.perf_counter() - begun))
        own.append(1000 * (time.thread_time() - cpu))
    stage.close()
    return [
        Line("slider in a drawing of 100 nodes: from move to picture", "ms", statistics.median(walls[WARM:]), FRAME),
        Line("… of it the window's own time, on average", "ms", statistics.mean(own[WARM:]), PICTURE),
    ]


def text() -> str:
    """Scalars in a chain of small layers, about 100 nodes."""
    lines = ["import torch", ""]
    lines += [f"w{k} = torch.tensor({(k % 7 + 1) / 7:.3f}, requires_grad=True)" for k in range(24)]
    lines += ["", "h0 = torch.tanh(w0 * 0.5)"]
    lines += [f"h{k} = torch.tanh(h{k - 1} * w{k} + w{k})" for k in range(1, 24)]
    return "\n".join([*lines, "loss = (h23 - 1) ** 2", "", "loss.backward()", ""])
