"""The widget of a canvas: it owns the parts and passes Qt's events on to them. One widget and arrays, no object per
item. `surface` paints, `viewport` looks, and `hover` and `input` handle the user. `trace_view` decides what is shown,
or `gradviz.ui.drawing.view` for a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.ui.canvas.camera import Camera, Transition
from gradviz.ui.canvas.hover import Hover
from gradviz.ui.canvas.input import Collapse, Input, ItemSelection
from gradviz.ui.canvas.surface import Surface
from gradviz.ui.canvas.viewport import Viewport
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.scene import Scene

OUTSIDE = QPoint(-1, -1)


class CanvasView(QWidget):
    """Shows a scene at a cursor."""

    laid_out = Signal(bool)  # a layout is on screen; False: a draft, a better one follows

    def __init__(self, theme: Theme, parent: QWidget | None, *, centres_nothing: bool = False) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.surface = Surface(self, theme)
        self.viewport = Viewport(self, self.surface, centres_nothing=centres_nothing)
        self.hover = Hover(self, self.surface)
        self.selection = ItemSelection(self, self.surface)
        self.collapse = Collapse(self, self.surface, self.viewport, self.selection)
        self.input = Input(self, self.surface, self.viewport, self.hover, self.selection, self.collapse)
        self.transition = Transition(self)
        self.viewport.changed.connect(self.hover.leave_card)
        self.animated = False  # groups opening and closing, and nodes moving, are animated
        self.follow = True  # keep the current step in view
        self.trace: Trace | None = None  # what is shown at the cursor, once it is laid out
        self._cursor = 0

    # -- what is shown

    @property
    def scene(self) -> Scene | None:
        """The scene being painted, None before the first layout."""
        return self.surface.scene

    @property
    def is_current(self) -> bool:
        """Whether its items can be selected."""
        return True

    @property
    def camera(self) -> Camera:
        """Where it looks."""
        return self.surface.camera

    @property
    def has_transitions(self) -> bool:
        """Whether items move smoothly to their places in another scene."""
        return self.animated and self.viewport.flight.enabled

    def set_cursor(self, cursor: int) -> None:
        """Show the state after `cursor` steps, repainting only what differs."""
        self._cursor = cursor
        scene = self.surface.scene
        if scene is None or scene.trace is not self.trace:
            return
        self.surface.begin_step(scene)
        change = scene.move_to(cursor)
        self.surface.describe()
        if change.other_graph and self.viewport.is_astray:
            self.viewport.open()
            self.surface.repaint_all()
            return
        if self.follow:
            self.viewport.follow_step()
        if change.many:
            self.surface.repaint_all()
        else:
            self.surface.repaint_change(scene, change)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours; the theme's scale is the zoom that `zoom_reset` goes to."""
        self.surface.set_theme(theme)
        if self.surface.scene is not None and self.viewport.is_fitted:
            self.viewport.open()
        self.surface.repaint_all()

    def shutdown(self) -> None:
        """Stop everything that moves; the widget may still be painted."""
        self.surface.motion.stop()
        self.transition.finish()

    # -- events

    def event(self, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(event, QNativeGestureEvent):
            return self.input.native_gesture(event)
        if kind == QEvent.Type.ToolTip:
            return True  # the card takes the place of tooltips
        if kind == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_of_card(event):
            event.accept()  # it hides the card before the window uses the key
            return True
        if kind == QEvent.Type.Leave:
            self.hover.move_to(OUTSIDE)
        return super().event(event)

    def _is_of_card(self, event: QKeyEvent) -> bool:
        return self.hover.shows_card and event.key() == Qt.Key.Key_Escape

    def paintEvent(self, event: QPaintEvent) -> None:
        self.surface.paint(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.viewport.resized((event.oldSize().width(), event.oldSize().height()))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.hover.leave_card()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.input.wheel(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.input.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.input.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.input.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.input.double_click(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.input.press_key(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self.input.release_key(event):
            super().keyReleaseEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(720, 480)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)
