"""What the tests of the drawing canvas share: a drawing with all that can be in one, and a shown canvas of it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gradviz.document.documents import text_of
from gradviz.document.drawing import BackwardCall, Comment, Drawing, Group, Leaf, Number, Operation, Ref
from gradviz.trace.table.trace import Trace
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.theme import LIGHT, Theme
from tests.trace.running import run

W, X, B, MUL, ADD, AGAIN, SUM, OPEN, POW, NOISE, COMMENT, GROUP = range(1, 13)


def everything(w: float = 3.0) -> Drawing:
    """loss = ((w * x + b) * w).sum(), its square, a product that lacks an operand, a comment and a group."""
    return Drawing(
        nodes=(
            Leaf(W, "w", w, requires_grad=True, x=0, y=0),
            Leaf(X, "x", (2.0, 1.0, -1.0), x=0, y=150),
            Leaf(B, "b", 1.0, requires_grad=True, x=0, y=300),
            Operation(MUL, "mul", (Ref(W), Ref(X)), x=220, y=75),
            Operation(ADD, "add", (Ref(MUL), Ref(B)), names=("y",), x=560, y=160),
            Operation(AGAIN, "mul", (Ref(ADD), Ref(W)), x=880, y=80),
            Operation(SUM, "sum", (Ref(AGAIN),), names=("loss",), x=1200, y=80),
            Operation(OPEN, "mm", (Ref(X), None), x=240, y=420),
            Operation(POW, "pow", (Ref(SUM), Number(2)), names=("square",), x=1250, y=330, pinned=True),
            Leaf(NOISE, "t", (2, 3), maker="randn", x=0, y=430),
        ),
        comments=(Comment(COMMENT, "The prediction of a line.\nChange w.", x=-90, y=-190, width=230, height=80),),
        groups=(Group(GROUP, "line", frozenset((MUL, ADD))),),
        calls=(BackwardCall(Ref(SUM)),),
        next_id=20,
    )


def shown(
    qtbot: QtBot, drawing: Drawing | None = None, *, ran: bool = True, theme: Theme = LIGHT
) -> tuple[DrawingView, Trace]:
    """A canvas that shows a drawing at the end of its run, or before any."""
    drawing = everything() if drawing is None else drawing
    trace = run(text_of(drawing))
    view = DrawingView(theme)
    qtbot.addWidget(view, before_close_func=lambda view: view.shutdown())
    view.resize(1280, 800)
    view.show()
    view.put_cursor(len(trace))
    view.show_drawing(drawing, drawing if ran else None, trace if ran else None)
    return view, trace


def scene_of(view: DrawingView) -> Scene:
    """What is painted."""
    assert view.scene is not None and view.scene.addition is not None
    return view.scene
