"""The timeline: all steps as a strip that is zoomed, moved along and scrubbed with mouse, wheel, touchpad and keys.
What it paints is put together in `timeline_picture`; the meaning of the mouse is in `timeline_mouse`."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, QVariantAnimation
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip

from gradviz.session.state import State
from gradviz.session.timeline.zoom import Span, whole
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.panels.timeline_geometry import Geometry
from gradviz.ui.panels.timeline_mouse import Mouse, key_target, tooltip
from gradviz.ui.panels.timeline_picture import Content, Now, draw, paint_now
from gradviz.ui.theme import Theme

WHEEL_NOTCH = 120
ZOOM = 0.8  # of the span that one notch of the wheel leaves in view
GLIDE_AT_MOST = 0.3  # seconds that the playhead takes from one step to the next
GLIDE_SPEED = 15.0  # steps per second from which on it does not glide: it would never arrive
KEYS = (
    "Arrow keys step, Page Up and Page Down go further, Home and End go to the ends, Space plays. Plus and minus zoom, "
    "0 shows all steps, Shift with an arrow key moves along, Control with an arrow key goes to the next mark. "
    "[ and ] set the markers A and B between which playing loops, Backspace takes them away."
)


class TimelinePanel(Panel):
    """Custom-painted; the pixmap of a trace is made once per size and zoom."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._picture: QPixmap | None = None
        self._wheel = 0.0
        self.content: Content | None = None
        self.span = whole(1)
        self.mouse = Mouse(self)
        self._from = 0.0  # where the playhead glides from
        self._glide = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._glide.valueChanged.connect(lambda _: self.update())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription(KEYS)
        self.setMouseTracking(True)
        self.set_theme(context.theme)

    def sizeHint(self) -> QSize:
        return QSize(600, self.theme.px(180))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.theme.px(100))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._picture = None
        self.updateGeometry()
        self.update()

    @property
    def state(self) -> State:
        """What is now."""
        return self.context.shell.store.state

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.trace is not after.trace or before.steps != after.steps:
            self._take(before, after)
        if self.content is not None and (before is after or before.breakpoints.hits is not after.breakpoints.hits):
            self.content.stop_at(after.breakpoints.hits.steps)
            self._picture = None
            self.update()
        if moved(before, after) and self.content is not None:
            self._begin_glide(before, after)
            self.show_span(self.span.following(after.cursor - 0.5, after.steps))
        if moved(before, after) or before.playback != after.playback:
            self.update()

    def _take(self, before: State, after: State) -> None:
        """Another trace, or the same one with more steps."""
        former, span = self.content, self.span
        was_whole = self.span.is_whole(before.steps) or before.trace is not after.trace
        has_trace = after.trace is not None and after.steps > 0
        self.content = Content(after.trace, after.steps) if has_trace and after.trace is not None else None
        if was_whole or before is after:
            self.span = whole(after.steps)
        if self.content is not None:
            self.content.stop_at(after.breakpoints.hits.steps)
        if former is None or self.content is None or span != self.span or not self.content.looks_like(former):
            self._picture = None

    def show_span(self, span: Span) -> None:
        """Show other steps."""
        if span != self.span:
            self.span = span
            self._picture = None
            self.update()

    def zoom(self, factor: float, at: float) -> None:
        """More (above 1) or fewer steps, around the step `at`."""
        if self.content is not None:
            self.show_span(self.span.zoomed(factor, at, self.state.steps))

    # painting

    @property
    def geometry_(self) -> Geometry:
        """Where things stand now."""
        has_iterations = self.content is not None and len(self.content.iterations) > 1
        return Geometry(self.width(), self.height(), self.theme, self.state.steps, self.span, has_iterations)

    def paintEvent(self, _: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            state = self.state
            if self.content is None:
                painter.setFont(look.sans(self.theme))
                painter.setPen(QPen(self.palette().placeholderText().color()))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "The steps of a run will appear here.")
                return
            if self._picture is None:
                self._picture = draw(self.content, self.geometry_, self.size(), self.devicePixelRatioF())
            painter.drawPixmap(0, 0, self._picture)
            paint_now(painter, self.content, self.geometry_, Now(state.cursor, self._glided(), state.playback))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        super().resizeEvent(event)

    def _begin_glide(self, before: State, after: State) -> None:
        """While it plays slowly the playhead glides to the next step; otherwise it is there at once."""
        self._glide.stop()
        slow = after.view.speed < GLIDE_SPEED and abs(after.cursor - before.cursor) == 1
        if after.playing and slow and after.view.animated and self.isVisible():
            self._from = float(before.cursor)
            self._glide.setDuration(round(1000 * min(0.7 / after.view.speed, GLIDE_AT_MOST)))
            self._glide.start()

    def _glided(self) -> float:
        cursor = float(self.state.cursor)
        if self._glide.state() is not QVariantAnimation.State.Running:
            return cursor
        share = float(self._glide.currentValue())
        eased = 1 - (1 - share) ** 3
        return self._from + (cursor - self._from) * eased

    # moving

    def move_to(self, cursor: int) -> None:
        """Go to a step by hand: playing ends."""
        self.context.shell.store.play(False)
        self.context.shell.store.move(cursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.content is not None:
            self.mouse.press(event, self.geometry_, self.content)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.content is not None:
            self.mouse.move(event, self.geometry_)

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        self.mouse.release()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """All steps again."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.show_span(whole(self.state.steps))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A notch is a step; with Ctrl it zooms at the pointer, with Shift or sideways it moves along."""
        event.accept()
        if self.content is None:
            return
        turned, sideways = event.angleDelta().y(), event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM ** ((turned or sideways) / WHEEL_NOTCH), self.geometry_.step_at(event.position().x()))
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier or (abs(sideways) > abs(turned)):
            by = -(sideways or turned) / WHEEL_NOTCH * self.span.width / 10
            self.show_span(self.span.moved(by, self.state.steps))
        else:
            self._wheel += turned
            notches = int(self._wheel / WHEEL_NOTCH)
            if notches:
                self._wheel -= notches * WHEEL_NOTCH
                self.move_to(self.state.cursor - notches)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.content is None or not self._pressed(event):
            super().keyPressEvent(event)

    def _pressed(self, event: QKeyEvent) -> bool:
        """Do what a key means; False if it means nothing here."""
        assert self.content is not None
        target = key_target(event, self.state, self.content)
        steps, cursor = self.state.steps, self.state.cursor
        along = {Qt.Key.Key_Left: -0.1, Qt.Key.Key_Right: 0.1}.get(Qt.Key(event.key()))
        zooms = {Qt.Key.Key_Plus: ZOOM, Qt.Key.Key_Equal: ZOOM, Qt.Key.Key_Minus: 1 / ZOOM}
        commands = {
            Qt.Key.Key_Space: "run.play",
            Qt.Key.Key_BracketLeft: "run.mark_a",
            Qt.Key.Key_BracketRight: "run.mark_b",
            Qt.Key.Key_Backspace: "run.no_marks",
        }
        key = Qt.Key(event.key())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and along is not None:
            self.show_span(self.span.moved(along * self.span.width, steps))
        elif target is not None:
            self.move_to(target)
        elif key in zooms:
            self.zoom(zooms[key], cursor - 0.5)
        elif key == Qt.Key.Key_0:
            self.show_span(whole(steps))
        elif key in commands:
            self.context.do(commands[key])
        else:
            return False
        return True

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusInEvent(event)

    def event(self, event: QEvent) -> bool:
        """Say what is under the mouse; zoom as two fingers do."""
        if self.content is not None and event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = tooltip(event.pos(), self.geometry_, self.content, self.state)
            QToolTip.showText(event.globalPos(), look.tip(text), self)
            return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom(1 / max(0.1, 1 + event.value()), self.geometry_.step_at(event.position().x()))
            return True
        return super().event(event)
