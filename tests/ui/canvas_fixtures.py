"""What the tests of the canvas share: traces, a placed scene without a widget, and a shown canvas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.layout.flat import Layouter
from gradviz.session.folding import Presentation
from gradviz.trace.table.trace import Trace
from gradviz.ui.canvas import TraceView
from gradviz.ui.canvas.diagram import build
from gradviz.ui.canvas.diagram_layout import lay_out
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.sizes import Ruler
from gradviz.ui.theme import LIGHT, Theme
from tests.trace.running import run

LOOP = """import torch
w = torch.tensor(1., requires_grad=True)
x = torch.tensor([1., 2., 3.])
for epoch in range(6):
    loss = ((w * x - 2.) ** 2).mean()
    loss.backward()
    w.grad = None
"""
RECURRENCE = """import torch
w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1., requires_grad=True)
for t in range(12):
    h = torch.tanh(h * w)
h.backward()
"""
ARRAYS = """import torch
x = torch.tensor([[1., -2.], [3., 0.]], requires_grad=True)
big = torch.arange(60.).reshape(6, 10)
y = (x * x).sum() * big
k = torch.tensor([1, 2, 3])
y.sum().backward()
"""
NOT_FINITE = """import torch
x = torch.tensor([0., 4.], requires_grad=True)
y = x.sqrt() * 0
y.sum().backward()
"""
STALE = """import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""
CHAIN = """import torch
x = torch.tensor(1., requires_grad=True)
y = x
for i in range({count}):
    y = y * 1.0001
y.backward()
"""


def scene_of(
    trace: Trace, cursor: int | None = None, theme: Theme = LIGHT, drawing: Presentation | None = None
) -> Scene:
    """A scene at a cursor, laid out here and now. Needs a QApplication."""
    ruler = Ruler()
    scene = Scene(lay_out(build(trace, ruler, drawing), ruler, Layouter()), theme)
    scene.move_to(len(trace) if cursor is None else cursor)
    return scene


def shown(qtbot: QtBot, trace: Trace, cursor: int | None = None, size: tuple[int, int] = (1000, 640)) -> TraceView:
    """A canvas on the screen with its final layout."""
    view = TraceView(LIGHT)
    qtbot.addWidget(view, before_close_func=lambda widget: widget.shutdown())
    view.resize(*size)
    view.set_cursor(len(trace) if cursor is None else cursor)
    with qtbot.waitExposed(view):
        view.show()
    settle(view, lambda: view.set_trace(trace))
    QApplication.processEvents()
    return view


def settle(view: TraceView, begin: Callable[[], None]) -> None:
    """Begin something that lays out anew, and wait for the final drawing."""
    loop = QEventLoop()

    def done(final: bool) -> None:
        if final:
            loop.quit()

    view.laid_out.connect(done)
    limit = QTimer(singleShot=True, interval=30_000)
    limit.timeout.connect(lambda: loop.exit(1))
    limit.start()
    begin()
    assert loop.exec() == 0, "no layout came"
    limit.stop()
    view.laid_out.disconnect(done)


def picture(view: TraceView) -> QImage:
    """What is on the screen now, without asking the canvas to paint anything again."""
    return view.screen().grabWindow(view.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def differing(view: TraceView) -> int:
    """How many bytes of what is on the screen differ, by more than rounding, from a picture that is painted anew."""
    seen = picture(view)
    view.surface.repaint_all()
    QApplication.processEvents()
    one, other = (np.frombuffer(image.constBits(), np.uint8).astype(np.int16) for image in (seen, picture(view)))
    return int((np.abs(one - other) > 32).sum())


__all__ = [
    "ARRAYS",
    "CHAIN",
    "LOOP",
    "NOT_FINITE",
    "RECURRENCE",
    "STALE",
    "differing",
    "picture",
    "run",
    "scene_of",
    "settle",
    "shown",
]
