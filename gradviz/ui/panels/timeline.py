"""The timeline: all steps as a strip that can be zoomed, panned and scrubbed with mouse, wheel, touchpad and keys.
Scrub on the strip, pan with the overview or the middle button, drag the markers A and B, click a title to loop over its
steps, click a mark to go there. What does not move with the cursor is painted once per trace, size and zoom; the
playhead, the lens, the markers and the current numbers are painted over it. The painting is in `timeline_paint` and
`timeline_plots`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import (
    QCursor,
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

from gradviz.lists import size_text
from gradviz.session import moves
from gradviz.session.breakpoints.points import Playback
from gradviz.session.state import MOMENT, Selection, Slice, State
from gradviz.session.timeline.marks import Mark, Marks
from gradviz.session.timeline.outline import Group, outline
from gradviz.session.timeline.zoom import Span, whole
from gradviz.ui import look
from gradviz.ui.panels import timeline_paint as paint
from gradviz.ui.panels import timeline_plots as plots
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.panels.timeline_paint import Geometry, paint_lens, paint_playhead, paint_strip
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.session.timeline.outline import Life
    from gradviz.trace.table.trace import Trace


# -- mouse and keys

LANES_MARGIN, ITERATIONS = 28, 14  # height of the text line above the lanes, and of the row of iterations
LANES_SIDES = 6  # pixels around lanes without that line
PAGE = 10  # steps per PageUp or PageDown, at least
CLICK = "Click to loop over these steps."


class Timeline(Protocol):
    """What the mouse acts on."""

    context: Context
    span: Span

    def show_span(self, span: Span) -> None: ...
    def move_to(self, cursor: int) -> None: ...
    def setCursor(self, arg__1: QCursor | Qt.CursorShape, /) -> None: ...


class Mouse:
    """One gesture at a time, from press to release."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._drag = ""  # "scrub", "pan", "overview", "a", "b"
        self._last = QPointF()

    def press(self, event: QMouseEvent, geometry: Geometry, content: Content) -> None:
        """Begin a gesture, or carry out a click at once."""
        at, state = event.position(), self._timeline.context.shell.store.state
        self._last = at
        if event.button() is Qt.MouseButton.MiddleButton:
            self._drag = "pan"
            return
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        marker = paint.marker_at(geometry, state.playback, at)
        group = group_at(geometry, content, at)
        if marker:
            self._drag = marker
        elif not geometry.is_whole and geometry.overview.adjusted(0, -4, 0, 2).contains(at):
            self._drag = "overview"
            if not geometry.thumb().contains(at):
                self._centre(geometry, at)
        elif group is not None:
            self._loop_over(group)
        elif (life := content.life_at(geometry, at)) is not None:
            self._timeline.context.shell.store.select(Selection("node", life.node))
        elif geometry.marks.contains(at) and paint.marks_at(geometry, content.marks, at.x()):
            self._timeline.move_to(paint.marks_at(geometry, content.marks, at.x())[0][2] + 1)
        else:
            self._drag = "scrub"
            self._scrub(geometry, at)

    def move(self, event: QMouseEvent, geometry: Geometry, content: Content) -> None:
        """Continue a gesture; without one, show what a press would do."""
        at = event.position()
        by, self._last = at.x() - self._last.x(), at
        if self._drag == "scrub":
            self._scrub(geometry, at)
        elif self._drag == "pan":
            self._pan(geometry, -by / geometry.strip.width() * geometry.span.width)
        elif self._drag == "overview":
            self._pan(geometry, by / geometry.overview.width() * geometry.steps)
        elif self._drag:
            store = self._timeline.context.shell.store
            cursor = min(max(round(geometry.step_at(at.x())), 0), geometry.steps)
            store.play_as(replace(store.state.playback, **{self._drag: cursor}))
        else:
            life = content.life_at(geometry, at)
            self._timeline.context.shell.store.point(Selection("node", life.node) if life is not None else None)
            self._timeline.setCursor(Qt.CursorShape.PointingHandCursor if life else self._shape(geometry, at))

    def release(self) -> None:
        """The gesture ends where it is."""
        self._drag = ""

    def _shape(self, geometry: Geometry, at: QPointF) -> Qt.CursorShape:
        playback = self._timeline.context.shell.store.state.playback
        if paint.marker_at(geometry, playback, at) or (not geometry.is_whole and geometry.overview.contains(at)):
            return Qt.CursorShape.SizeHorCursor
        if geometry.iterations.contains(at) or geometry.phases.contains(at):
            return Qt.CursorShape.PointingHandCursor
        return Qt.CursorShape.ArrowCursor

    def _scrub(self, geometry: Geometry, at: QPointF) -> None:
        state = self._timeline.context.shell.store.state
        self._timeline.move_to(moves.settled(state, geometry.cursor_at(at.x(), at.y(), state.cursor)))

    def _pan(self, geometry: Geometry, by: float) -> None:
        self._timeline.show_span(self._timeline.span.moved(by, geometry.steps))

    def _centre(self, geometry: Geometry, at: QPointF) -> None:
        middle = (geometry.span.start + geometry.span.end) / 2
        self._pan(geometry, geometry.whole_step_at(at.x()) - middle)

    def _loop_over(self, group: Group) -> None:
        store = self._timeline.context.shell.store
        store.play_as(replace(store.state.playback, a=group.start, b=group.end))
        store.say(f"Playing loops over {group.title}, steps {group.start + 1:,} to {group.end:,}.")


def group_at(geometry: Geometry, content: Content, at: QPointF) -> Group | None:
    """The iteration or phase whose title the mouse is on."""
    if geometry.iterations.contains(at):
        room = paint.iteration_room(geometry.theme, content.iterations)
        return paint.iteration_at(geometry, content.iterations, at.x(), room)
    if geometry.phases.contains(at):
        return paint.phase_at(geometry, content.strip, at.x())
    return None


def key_target(event: QKeyEvent, state: State, content: Content) -> int | None:
    """The cursor that a key leads to."""
    page = max(PAGE, state.steps // 20)
    targets = {
        Qt.Key.Key_Left: moves.walked(state, -1),
        Qt.Key.Key_Right: moves.walked(state, 1),
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: state.steps,
        Qt.Key.Key_PageUp: moves.settled(state, state.cursor - page),
        Qt.Key.Key_PageDown: moves.settled(state, state.cursor + page),
    }
    if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        forward = {Qt.Key.Key_Left: False, Qt.Key.Key_Right: True}.get(Qt.Key(event.key()))
        return None if forward is None else content.marks.next_to(state.cursor, forward=forward)
    return targets.get(Qt.Key(event.key()))


def tooltip(at: QPoint, geometry: Geometry, content: Content, state: State) -> str:
    """What is under the mouse, in one or two lines."""
    place = QPointF(at)
    group = group_at(geometry, content, place)
    if group is not None:
        return f"{group.title}: steps {group.start + 1:,} to {group.end:,}\n{CLICK}"
    if geometry.marks.contains(place):
        return paint.marks_text(paint.marks_at(geometry, content.marks, place.x()))
    if (life := content.life_at(geometry, place)) is not None:
        until = f"let go at step {life.end + 1:,}" if life.is_freed else "held to the end"
        text = plots.text_of(content.trace, life)
        return f"{text}\nkept from step {life.born + 1:,}, {until}. Click to see who keeps it."
    cursor = geometry.cursor_at(place.x(), place.y(), state.cursor)
    if not cursor:
        return ""
    from gradviz.trace.words.explain import fold_number, fold_title, step_title

    cursor = moves.settled(state, cursor)
    every = state.view.every_step
    title = step_title(content.trace.frame_at(cursor)) if every else fold_title(content.trace, cursor)
    number = f"Step {cursor:,}" if every else fold_number(content.trace, cursor)
    held = f"\n{size_text(int(content.strip.held[cursor - 1]))} in saved buffers"
    iteration = content.iterations.at(cursor - 1)
    where = f" · {iteration.title}" if iteration is not None else ""
    return f"{number} · {title}{where}{held if geometry.plots.contains(place) else ''}"


# -- the picture


class Content:
    """What is shown of a trace at one length; computed once, read at every zoom."""

    def __init__(self, trace: Trace, steps: int, *, hides_numbers: bool = False) -> None:
        self.trace = trace
        self.steps = steps
        known = outline(trace, steps)
        self.strip, self.iterations, self.lives = known.strip, known.iterations, known.lives
        self.course = None if hides_numbers else known.course
        self._marks = self._marked = known.marks
        self.marks = Marks(self._marks)

    def mark(self, stops: tuple[int, ...], lessons: tuple[int, ...]) -> None:
        """Mark the steps at which breakpoints stop, and those of the doctor's findings."""
        import numpy as np

        found: NDArray[np.int64] = np.array(stops, np.int64)
        told: NDArray[np.int64] = np.unique(np.array(lessons, np.int64))
        self._marked = {**self._marks, Mark.BREAKPOINT: found[found < self.steps], Mark.LESSON: told}
        self.marks = Marks(self._marked)

    def has_lanes(self, geometry: Geometry) -> bool:
        """Whether there is room for a lane per saved buffer in place of the curve of all."""
        return plots.lanes_area(geometry, self.course, self.lives).height() > 0

    def life_at(self, geometry: Geometry, at: QPointF) -> Life | None:
        """The saved buffer under the mouse."""
        lanes = plots.lanes_area(geometry, self.course, self.lives)
        return plots.life_at(geometry, lanes, self.lives, at) if lanes.contains(at) else None

    def looks_like(self, other: Content) -> bool:
        """Whether the picture of another trace is the same: a slider changes only values. A training curve contains
        values, so it is different each time."""
        import numpy as np

        if self.steps != other.steps or self.course is not None or other.course is not None:
            return False
        if self.lives != other.lives:
            return False
        if max(len(self.iterations), len(other.iterations)) > 1 or self._marked.keys() != other._marked.keys():
            return False
        pairs = [(self.strip.kinds, other.strip.kinds), (self.strip.held, other.strip.held)]
        pairs += [(self.trace.steps.call[: self.steps], other.trace.steps.call[: self.steps])]
        pairs += [(self._marked[mark], other._marked[mark]) for mark in self._marked]
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def lesson_steps(state: State) -> tuple[int, ...]:
    """The steps of the doctor's findings."""
    return tuple(each.step - 1 for each in state.told if 0 < each.step <= state.steps)


@dataclass(frozen=True)
class Now:
    """What moves: the cursor, including the fraction of a glide, with the number of steps walked as one there; and the
    markers."""

    cursor: int
    glide: float
    steps: int
    playback: Playback


def draw(content: Content, geometry: Geometry, size: QSize, ratio: float) -> QPixmap:
    """Paint everything that does not move."""
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(geometry.theme.panel)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint.paint_overview(painter, geometry, content.strip)
        if geometry.has_iterations:
            paint.paint_iterations(painter, geometry, content.iterations)
        paint_strip(painter, geometry, content.strip, ratio)
        paint.paint_marks(painter, geometry, content.marks)
        paint.paint_phases(painter, geometry, content.strip)
        course, held = plots.areas(geometry, content.course)
        if content.has_lanes(geometry):
            lanes = plots.lanes_area(geometry, content.course, content.lives)
            plots.paint_lives(painter, geometry, lanes, content.trace, content.lives, -1)
        else:
            plots.paint_held(painter, geometry, held, content.strip)
        if content.course is not None:
            plots.paint_course(painter, geometry, course, content.course)
    return picture


def paint_now(painter: QPainter, content: Content, geometry: Geometry, now: Now) -> None:
    """Paint what moves on top of the picture."""
    paint_playhead(painter, geometry, now.glide, now.steps)
    paint.paint_markers(painter, geometry, now.playback)
    if geometry.lens.height():
        paint_lens(painter, geometry, content.trace, now.cursor)
    course, held = plots.areas(geometry, content.course)
    if content.course is not None and course.height():
        plots.paint_course_text(painter, geometry, course, content.course, now.cursor)
    lanes = plots.lanes_area(geometry, content.course, content.lives)
    if lanes.height():
        plots.paint_lives(painter, geometry, lanes, content.trace, content.lives, now.cursor)
    if held.height() and (not lanes.height() or lanes == held):
        text = plots.held_text(content.strip, now.cursor)
        plots.paint_held_text(painter, geometry, held, text, at_right=course == held)


WHEEL_NOTCH = 120
ZOOM = 0.8  # of the span that stays in view after one notch of the wheel
GLIDE_AT_MOST = 0.3  # seconds that the playhead takes from one step to the next
GLIDE_SPEED = 15.0  # steps per second from which on it does not glide, because it would never arrive
KEYS = (
    "Arrow keys step, Page Up and Page Down go further, Home and End go to the ends, Space plays. Plus and minus zoom, "
    "0 shows all steps, Shift with an arrow key moves along, Control with an arrow key goes to the next mark. "
    "[ and ] set the markers A and B between which playing loops, Backspace takes them away."
)


class TimelinePanel(Panel):
    """Painted by hand; the picture of a trace is made once per size and zoom."""

    shows = Slice("breakpoints", "playback", "playing", "view", "doctor", "predict", *MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._picture: QPixmap | None = None
        self._wheel = 0.0
        self.content: Content | None = None
        self.span = whole(1)
        self.mouse = Mouse(self)
        self._from = 0.0  # where the playhead's glide started
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
        """The present state."""
        return self.context.shell.store.state

    def show_state(self, before: State, after: State) -> None:
        others = before.trace is not after.trace or before.steps != after.steps
        if before is after or others or before.predict.on != after.predict.on:
            self._take(before, after)
        other = before is after or before.breakpoints.hits is not after.breakpoints.hits or before.told != after.told
        if self.content is not None and other:
            self.content.mark(after.breakpoints.hits.steps, lesson_steps(after))
            self._picture = None
            self.update()
        if moved(before, after) and self.content is not None:
            self._begin_glide(before, after)
            self.show_span(self.span.following(after.cursor - 0.5, after.steps))
        if moved(before, after) or before.playback != after.playback or before.view is not after.view:
            self.update()

    def _take(self, before: State, after: State) -> None:
        """Take another trace, or the same one with more steps."""
        former, span = self.content, self.span
        was_whole = self.span.is_whole(before.steps) or before.trace is not after.trace
        has_trace = after.trace is not None and after.steps > 0
        hides = after.predict.on  # a training curve would reveal later steps
        trace = after.trace if has_trace else None
        self.content = None if trace is None else Content(trace, after.steps, hides_numbers=hides)
        if was_whole or before is after:
            self.span = whole(after.steps)
        if self.content is not None:
            self.content.mark(after.breakpoints.hits.steps, lesson_steps(after))
        if former is None or self.content is None or span != self.span or not self.content.looks_like(former):
            self._picture = None

    def show_span(self, span: Span) -> None:
        """Show a different range of steps."""
        if span != self.span:
            self.span = span
            self._picture = None
            self.update()

    def zoom(self, factor: float, at: float) -> None:
        """Show more (above 1) or fewer steps, around the step `at`."""
        if self.content is not None:
            self.show_span(self.span.zoomed(factor, at, self.state.steps))

    @property
    def more(self) -> tuple[int, int]:
        """The pixels of the thinnest lanes of saved buffers if there is no training curve; and those of lanes with
        words below a line of text, and of the row of iterations."""
        content = self.content
        if content is None:
            return 0, 0
        rows = self.theme.px(ITERATIONS) if len(content.iterations) > 1 else 0
        if not content.lives or content.course is not None:
            return 0, rows
        thin, full = (
            round(plots.lanes_height(self.theme, content.lives, lane)) for lane in (plots.THINNEST, plots.LANE)
        )
        return rows + thin + self.theme.px(LANES_SIDES), rows + full + self.theme.px(LANES_MARGIN)

    # painting

    @property
    def geometry_(self) -> Geometry:
        """Where everything is now."""
        has_iterations = self.content is not None and len(self.content.iterations) > 1
        return Geometry(self.width(), self.height(), self.theme, self.state.steps, self.span, has_iterations)

    def paintEvent(self, _: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.content is None:
                painter.setFont(look.sans(self.theme))
                painter.setPen(QPen(self.palette().placeholderText().color()))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "The steps of a run will appear here.")
                return
            if self._picture is None:
                self._picture = draw(self.content, self.geometry_, self.size(), self.devicePixelRatioF())
            painter.drawPixmap(0, 0, self._picture)
            paint_now(painter, self.content, self.geometry_, self._now())

    def _now(self) -> Now:
        assert self.content is not None
        state = self.state
        start, end = self.content.trace.fold_around(state.cursor)
        whole_fold = end == state.cursor and not state.view.every_step
        return Now(state.cursor, self._glided(), end - start if whole_fold else 1, state.playback)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        super().resizeEvent(event)

    def _begin_glide(self, before: State, after: State) -> None:
        """During slow playback the playhead glides to the next step; otherwise it moves at once."""
        self._glide.stop()
        slow = after.view.speed < GLIDE_SPEED and abs(after.cursor - before.cursor) <= self._now().steps
        if after.playing and slow and after.view.animated and self.isVisible():
            self._from = float(before.cursor)
            pace = after.view.speed or 1.0  # reading is slower than that
            self._glide.setDuration(round(1000 * min(0.7 / pace, GLIDE_AT_MOST)))
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
        """The user goes to a step: playback ends."""
        self.context.shell.store.play(False)
        self.context.shell.store.move(cursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.content is not None:
            self.mouse.press(event, self.geometry_, self.content)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.content is not None:
            self.mouse.move(event, self.geometry_, self.content)

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        self.mouse.release()

    def leaveEvent(self, event: QEvent) -> None:
        self.context.shell.store.point(None)
        super().leaveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all steps again."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.show_span(whole(self.state.steps))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A notch is one step; with Ctrl it zooms at the pointer, with Shift or sideways it pans."""
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
                self.move_to(moves.walked(self.state, -notches))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.content is None or not self._pressed(event):
            super().keyPressEvent(event)

    def _pressed(self, event: QKeyEvent) -> bool:
        """Act on a key; False if it means nothing here."""
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
        """Describe what is under the mouse; zoom by pinching."""
        if self.content is not None and event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = tooltip(event.pos(), self.geometry_, self.content, self.state)
            QToolTip.showText(event.globalPos(), look.tip(text), self)
            return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom(1 / max(0.1, 1 + event.value()), self.geometry_.step_at(event.position().x()))
            return True
        return super().event(event)
