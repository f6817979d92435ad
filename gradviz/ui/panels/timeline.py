"""The timeline: all steps as a strip, the bytes held by saved buffers under it, and a playhead that mouse, wheel and
keys move. What it paints is in `timeline_paint`."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip

from gradviz.session.state import State
from gradviz.session.strip import size_text
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.panels.timeline_paint import Geometry, paint_all, paint_lens, paint_playhead
from gradviz.ui.theme import Theme

WHEEL_NOTCH = 120
PAGE = 10  # steps per PageUp or PageDown, at least


class TimelinePanel(Panel):
    """Custom-painted; the pixmap of a trace is made once per size."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._picture: QPixmap | None = None
        self._wheel = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription("Arrow keys step, Home and End go to the ends, Space plays.")
        self.setMouseTracking(True)
        self.set_theme(context.theme)

    def sizeHint(self) -> QSize:
        return QSize(600, self.theme.px(150))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.theme.px(66))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._picture = None
        self.updateGeometry()
        self.update()

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.trace is not after.trace or before.steps != after.steps:
            self._picture = None
        if moved(before, after):
            self.update()

    # painting

    def _geometry(self) -> Geometry:
        return Geometry(self.width(), self.height(), self.theme, self.context.shell.store.state.steps)

    def paintEvent(self, _: QPaintEvent) -> None:
        state = self.context.shell.store.state
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state.trace is None or not state.steps:
            painter.setFont(look.sans(self.theme))
            painter.setPen(QPen(self.palette().placeholderText().color()))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "The steps of a run appear here.")
            return
        if self._picture is None:
            self._picture = self._draw(state)
        painter.drawPixmap(0, 0, self._picture)
        held = state.trace.held_bytes
        text = f"saved buffers held: {size_text(int(held[state.cursor]))} now, {size_text(int(held.max()))} at most"
        geometry = self._geometry()
        paint_playhead(painter, geometry, state.cursor, state.steps, text)
        if geometry.is_dense:
            paint_lens(painter, geometry, state.trace, state.cursor, state.steps)

    def _draw(self, state: State) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(self.theme.panel)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        assert state.trace is not None
        paint_all(painter, self._geometry(), state.trace, state.steps)
        painter.end()
        return picture

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        super().resizeEvent(event)

    # moving

    def _move(self, cursor: int) -> None:
        self.context.shell.store.play(False)
        self.context.shell.store.move(cursor)

    def _scrub(self, at: QPointF) -> None:
        self._move(self._geometry().cursor_at(at.x(), at.y(), self.context.shell.store.state.cursor))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._scrub(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scrub(event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._wheel += event.angleDelta().y() or event.angleDelta().x()
        notches = int(self._wheel / WHEEL_NOTCH)
        if notches:
            self._wheel -= notches * WHEEL_NOTCH
            self._move(self.context.shell.store.state.cursor - notches)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        state = self.context.shell.store.state
        page = max(PAGE, state.steps // 20)
        targets = {
            Qt.Key.Key_Left: state.cursor - 1,
            Qt.Key.Key_Right: state.cursor + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: state.steps,
            Qt.Key.Key_PageUp: state.cursor - page,
            Qt.Key.Key_PageDown: state.cursor + page,
        }
        if event.key() in targets:
            self._move(targets[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Space:
            self.context.do("run.play")
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusInEvent(event)

    def event(self, event: QEvent) -> bool:
        """Say what the step under the mouse is."""
        state = self.context.shell.store.state
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and state.trace is not None:
            cursor = self._geometry().cursor_at(event.pos().x(), event.pos().y(), state.cursor)
            if cursor:
                title = state.trace.frame_at(cursor).explanation.title
                QToolTip.showText(event.globalPos(), f"Step {cursor:,} · {title}", self)
            return True
        return super().event(event)
