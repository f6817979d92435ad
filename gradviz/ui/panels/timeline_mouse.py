"""What mouse and keys mean on the timeline: scrub on the strip, pan with the overview or the middle button, drag the
markers A and B, click a title to loop over its steps, click a mark to go there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent

from gradviz.session.state import State
from gradviz.session.timeline.outline import Group, size_text
from gradviz.session.timeline.zoom import Span
from gradviz.ui.panels import timeline_rows as rows
from gradviz.ui.panels.panel import Context
from gradviz.ui.panels.timeline_geometry import Geometry

if TYPE_CHECKING:
    from gradviz.ui.panels.timeline_picture import Content

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
        """Begin a gesture, or do at once what a click means."""
        at, state = event.position(), self._timeline.context.shell.store.state
        self._last = at
        if event.button() is Qt.MouseButton.MiddleButton:
            self._drag = "pan"
            return
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        marker = rows.marker_at(geometry, state.playback, at)
        group = group_at(geometry, content, at)
        if marker:
            self._drag = marker
        elif not geometry.is_whole and geometry.overview.adjusted(0, -4, 0, 2).contains(at):
            self._drag = "overview"
            if not geometry.thumb().contains(at):
                self._centre(geometry, at)
        elif group is not None:
            self._loop_over(group)
        elif geometry.marks.contains(at) and rows.marks_at(geometry, content.marks, at.x()):
            self._timeline.move_to(rows.marks_at(geometry, content.marks, at.x())[0][2] + 1)
        else:
            self._drag = "scrub"
            self._scrub(geometry, at)

    def move(self, event: QMouseEvent, geometry: Geometry) -> None:
        """Go on with a gesture; without one show what a press would do."""
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
            self._timeline.setCursor(self._shape(geometry, at))

    def release(self) -> None:
        """The gesture ends where it is."""
        self._drag = ""

    def _shape(self, geometry: Geometry, at: QPointF) -> Qt.CursorShape:
        playback = self._timeline.context.shell.store.state.playback
        if rows.marker_at(geometry, playback, at) or (not geometry.is_whole and geometry.overview.contains(at)):
            return Qt.CursorShape.SizeHorCursor
        if geometry.iterations.contains(at) or geometry.phases.contains(at):
            return Qt.CursorShape.PointingHandCursor
        return Qt.CursorShape.ArrowCursor

    def _scrub(self, geometry: Geometry, at: QPointF) -> None:
        cursor = self._timeline.context.shell.store.state.cursor
        self._timeline.move_to(geometry.cursor_at(at.x(), at.y(), cursor))

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
    """The iteration or phase whose title row the mouse is on."""
    if geometry.iterations.contains(at):
        room = rows.iteration_room(geometry.theme, content.iterations)
        return rows.iteration_at(geometry, content.iterations, at.x(), room)
    if geometry.phases.contains(at):
        return rows.phase_at(geometry, content.strip, at.x())
    return None


def key_target(event: QKeyEvent, state: State, content: Content) -> int | None:
    """The cursor that a key goes to."""
    page = max(PAGE, state.steps // 20)
    targets = {
        Qt.Key.Key_Left: state.cursor - 1,
        Qt.Key.Key_Right: state.cursor + 1,
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: state.steps,
        Qt.Key.Key_PageUp: state.cursor - page,
        Qt.Key.Key_PageDown: state.cursor + page,
    }
    if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        forward = {Qt.Key.Key_Left: False, Qt.Key.Key_Right: True}.get(Qt.Key(event.key()))
        return None if forward is None else content.marks.next_to(state.cursor, forward=forward)
    return targets.get(Qt.Key(event.key()))


def tooltip(at: QPoint, geometry: Geometry, content: Content, state: State) -> str:
    """What is under the mouse, in a line or two."""
    place = QPointF(at)
    group = group_at(geometry, content, place)
    if group is not None:
        return f"{group.title}: steps {group.start + 1:,} to {group.end:,}\n{CLICK}"
    if geometry.marks.contains(place):
        return rows.marks_text(rows.marks_at(geometry, content.marks, place.x()))
    cursor = geometry.cursor_at(place.x(), place.y(), state.cursor)
    if not cursor:
        return ""
    from gradviz.trace.words.explain import step_title

    title = step_title(content.trace.frame_at(cursor))
    held = f"\n{size_text(int(content.strip.held[cursor - 1]))} in saved buffers"
    iteration = content.iterations.at(cursor - 1)
    where = f" · {iteration.title}" if iteration is not None else ""
    return f"Step {cursor:,} · {title}{where}{held if geometry.plots.contains(place) else ''}"
