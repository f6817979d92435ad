"""The canvas widget: a trace, a cursor and a selection on a painted surface; it turns input into signals. One widget,
arrays, no object per item. NumPy arrives with the first trace: see `set_trace`. Read `surface` next for the painting,
`scene` for what is on it."""

from __future__ import annotations

import weakref
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QRegion, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.ui.canvas.placing import Placing
from gradviz.ui.canvas.surface import EMPTY, Surface
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.scene import Scene

WHEEL = 1.0016
DRAG = 3  # pixels that a click may move
LONGEST_WAIT = 1000.0  # milliseconds between two layouts of a trace that grows
ARROWS = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CanvasView(Surface):
    """Shows a trace at a cursor."""

    nodeSelected = Signal(str, int)  # "tensor" or "node", and its number in the trace
    nothingSelected = Signal()
    laidOut = Signal(bool)  # a drawing is shown; False: a draft, a better one follows

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Graph")
        self.setObjectName("canvas")
        self.follow = True
        self._cursor = 0
        self._trace: Trace | None = None
        self._laid_out: tuple[Trace, int] | None = None
        self._final = False  # what is shown is the best drawing of what was laid out
        self._wanted: tuple[str, int] | None = None
        self._drag: QPointF | None = None
        self._moved = False
        self._growth = QTimer(self, singleShot=True)
        self._growth.timeout.connect(self._lay_out)
        self._placing = Placing()
        self._placing.placed.connect(self._on_placed)
        self.destroyed.connect(self._placing.close)  # deleted with its parent
        weakref.finalize(self, self._placing.close)  # or dropped without one

    # -- what is shown

    def set_trace(self, trace: Trace | None) -> None:
        """Show another trace, or the same one after it grew; the layout follows by itself, of a trace that grows only
        now and then."""
        self._trace = trace
        self._invitation = EMPTY if trace is None else ""
        if trace is None:
            self._scene = None
            self._growth.stop()
            self._repaint_all()
        elif not self._growth.isActive():
            self._lay_out()

    def _lay_out(self) -> None:
        from gradviz.ui.canvas.diagram import build
        from gradviz.ui.canvas.sizes import Ruler

        trace = self._trace
        if trace is None:
            return
        if self._laid_out == (trace, len(trace)):
            if self._final:
                self.laidOut.emit(True)
            return
        began = monotonic()
        self._final = False
        self._laid_out = (trace, len(trace))
        self._placing.place(build(trace, Ruler()))
        self._growth.start(int(min(LONGEST_WAIT, 4000.0 * (monotonic() - began))))

    def _on_placed(self, diagram: object, placed: object, final: bool) -> None:
        from gradviz.ui.canvas.placed import Placed
        from gradviz.ui.canvas.scene import Scene

        assert isinstance(placed, Placed)
        if placed.diagram.trace is not self._trace:
            return
        old = self._scene
        same = old is not None and old.trace is placed.diagram.trace
        self._scene = Scene(placed, self._theme)
        self._scene.move_to(self._cursor)
        if not same or self._fitted:
            self._open()
        if self._wanted is not None:
            self._scene.select(*self._wanted)
        self._describe()
        self._repaint_all()
        self._final = final
        self.laidOut.emit(final)

    def set_cursor(self, cursor: int) -> None:
        """Show the state when `cursor` steps are done; repaints only what differs."""
        self._cursor = cursor
        scene = self._scene
        if scene is None or scene.trace is not self._trace:
            return
        change = scene.move_to(cursor)
        self._describe()
        if change.other_graph and not self._extent_is_seen():
            self._open()
            self._repaint_all()
            return
        if self.follow and self._bring_into_view():
            self._repaint_all()
            return
        if change.many:
            self._repaint_all()
            return
        edges = scene.screen_region(change.edges, self._camera)
        self._dirty += edges & QRegion(self.rect())
        rest = scene.changed_region(change, self._camera, QRectF(self.rect()), self.devicePixelRatioF())
        self.update((edges + rest) & QRegion(self.rect()))

    def set_theme(self, theme: Theme) -> None:
        """Other colours; the theme's scale is the zoom that `zoom_reset` goes to."""
        self._theme = theme
        if self._scene is not None:
            self._scene.set_theme(theme)
            if self._fitted:
                self._open()
        self._repaint_all()

    def shutdown(self) -> None:
        """End the layout and the animation; the widget may still be painted."""
        self._timer.stop()
        self._growth.stop()
        self._placing.close()

    # -- camera

    def center_on(self, kind: str, index: int) -> None:
        """Bring a tensor or node into the middle."""
        place = self._scene.place_of(self._scene.find(kind, index)) if self._scene is not None else None
        if place is not None:
            self._fitted = False
            self._look(self._aimed(self._camera, place))

    # -- selection

    @property
    def selection(self) -> tuple[str, int] | None:
        """What is selected: ("tensor" or "node", its number)."""
        return self._scene.selection if self._scene is not None else None

    def select(self, kind: str, index: int) -> None:
        """Select a tensor or node, from outside: no signal."""
        self._wanted = (kind, index)
        if self._scene is not None:
            self._scene.select(kind, index)
            self.update()

    def clear_selection(self) -> None:
        """Select nothing, from outside: no signal."""
        self._wanted = None
        if self._scene is not None:
            self._scene.select_item(-1)
            self.update()

    def _choose(self, item: int) -> None:
        """Select by mouse or keyboard."""
        scene = self._scene
        if scene is None:
            return
        scene.select_item(item)
        self._wanted = scene.selection
        self.update()
        if scene.selection is None:
            self.nothingSelected.emit()
        else:
            kind, index = scene.selection
            self.nodeSelected.emit(kind, index)

    def _describe(self) -> None:
        if self._scene is not None:
            self.setAccessibleDescription(self._scene.description())

    # -- events

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._tooltip(event)
            return True
        return super().event(event)

    def _tooltip(self, event: QHelpEvent) -> None:
        scene = self._scene
        item = scene.item_at(self._camera, event.pos()) if scene is not None else -1
        if scene is None or item < 0:
            QToolTip.hideText()
            return
        QToolTip.showText(event.globalPos(), scene.tooltip(item), self, scene.screen_box(item, self._camera))

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta()
        if not pixels.isNull() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.pan(pixels.x(), pixels.y())  # a touchpad: two fingers pan, a pinch or Ctrl zooms
        else:
            self._zoom(WHEEL ** event.angleDelta().y(), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._drag = event.position()
        self._moved = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            over = self._scene is not None and self._scene.item_at(self._camera, event.position().toPoint()) >= 0
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
            return
        moved = (event.position() - self._drag).toPoint()
        if self._moved or moved.manhattanLength() > DRAG:
            self._moved = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan(moved.x(), moved.y())
            self._drag = self._drag + QPointF(moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._drag is not None and not self._moved
        self._drag = None
        if clicked and event.button() == Qt.MouseButton.LeftButton and self._scene is not None:
            self._choose(self._scene.item_at(self._camera, event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._scene is not None and self._scene.item_at(self._camera, event.position().toPoint()) < 0:
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, scene = Qt.Key(event.key()), self._scene
        if scene is None or (key not in ARROWS and key not in (*ENTER, Qt.Key.Key_Escape)):
            super().keyPressEvent(event)
            return
        if key == Qt.Key.Key_Escape:
            self._choose(-1)
        elif key in ARROWS:
            self._arrow(scene, ARROWS[key])
        elif scene.selected >= 0:
            self._choose(scene.selected)
            self.center_on(*scene.selection or ("", -1))

    def _arrow(self, scene: Scene, direction: str) -> None:
        item = scene.next_item(direction)
        if item < 0:
            return
        self._choose(item)
        box = scene.screen_box(item, self._camera)
        if not self.rect().contains(box):
            place = scene.place_of(item)
            assert place is not None
            self._look(self._aimed(self._camera, place))
