"""Painting what stands around the strip: iterations, phases, marks, the overview, the markers A and B. Each row has its
own function and, for the mouse, what stands under it; `timeline_picture` puts them together."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gradviz.session.breakpoints.points import Playback
from gradviz.session.timeline.iterations import Iterations
from gradviz.session.timeline.marks import TITLES, Mark, Marks
from gradviz.session.timeline.outline import Group, Strip
from gradviz.session.timeline.zoom import Span
from gradviz.ui import look
from gradviz.ui.panels.timeline_geometry import CATCH, Geometry
from gradviz.ui.panels.timeline_paint import columns_of
from gradviz.ui.theme import Theme

SHAPES = {
    Mark.ACCUMULATE: "▪",
    Mark.INPLACE: "◆",
    Mark.BREAKPOINT: "●",
    Mark.NOT_FINITE: "▲",
    Mark.ERROR: "×",
}
LEAST_LINE = 3.0  # pixels of a phase from which on a line is drawn where it begins
MARK_WIDTH = 9.0  # of one mark with the room around it
LEGEND = "\n".join(f"{SHAPES[mark]}  {TITLES[mark][0]}" for mark in sorted(Mark, reverse=True))


def mark_colour(theme: Theme, mark: Mark) -> str:
    """The colour of a mark."""
    return {
        Mark.ACCUMULATE: theme.accumulate,
        Mark.INPLACE: theme.inplace,
        Mark.BREAKPOINT: theme.error,
        Mark.NOT_FINITE: theme.stale,
        Mark.ERROR: theme.error,
    }[mark]


# iterations


def paint_iterations(painter: QPainter, geometry: Geometry, found: Iterations) -> None:
    """A bracket over each iteration, or over several of them, with its title."""
    row, theme = geometry.iterations, geometry.theme
    painter.save()
    painter.setClipRect(row.adjusted(-1, -1, 1, 2))
    painter.setFont(look.sans(theme, look.SMALL))
    metrics = painter.fontMetrics()
    for label in iteration_labels(geometry, found, metrics.horizontalAdvance(_longest(found)) + theme.px(12)):
        left, right = geometry.left_of(label.start) + 1, geometry.left_of(label.end) - 1
        painter.setPen(QPen(QColor(theme.panel_border), 1))
        painter.setBrush(QColor(theme.header))
        painter.drawRoundedRect(QRectF(left, row.top(), max(1.0, right - left), row.height()), 3, 3)
        seen = QRectF(max(left, row.left()), row.top(), 0, row.height())
        seen.setRight(min(right, row.right()))
        painter.setPen(QColor(theme.muted))
        words = (each for each in shorter(label.title) if metrics.horizontalAdvance(each) <= seen.width() - 2)
        painter.drawText(seen, Qt.AlignmentFlag.AlignCenter, next(words, ""))
    painter.restore()


def shorter(title: str) -> tuple[str, ...]:
    """Ways to write a title, the longest first: "t = 40 … 49", "40 … 49", "40 …"; "epoch = 3", "3"."""
    numbers = title.rpartition(" = ")[2]
    begin, several, _ = numbers.partition(" … ")
    return (title, numbers, f"{begin} …", "…") if several else (title, numbers.rpartition(" ")[2])


def iteration_labels(geometry: Geometry, found: Iterations, room: float) -> list[Group]:
    """The labels of a row in which each needs so many pixels."""
    per_step = geometry.strip.width() / geometry.span.width
    return [Group(one.start, one.end, one.title) for one in found.labels(geometry.span, room / per_step)]


def _longest(found: Iterations) -> str:
    return found.title(0, len(found)) if len(found) > 1 else str(found.names[0])


def iteration_at(geometry: Geometry, found: Iterations, x: float, room: float) -> Group | None:
    """The label under the mouse."""
    step = geometry.step_at(x)
    return next((one for one in iteration_labels(geometry, found, room) if one.start <= step < one.end), None)


def iteration_room(theme: Theme, found: Iterations) -> float:
    """The pixels that a label of several iterations needs."""
    from PySide6.QtGui import QFontMetrics

    if not len(found):
        return 1.0
    return QFontMetrics(look.sans(theme, look.SMALL)).horizontalAdvance(_longest(found)) + theme.px(12)


# phases


def paint_phases(painter: QPainter, geometry: Geometry, strip: Strip) -> None:
    """The titles of the phases, each where it begins; where they could not be read, how many backward calls."""
    theme, row = geometry.theme, geometry.phases
    painter.setFont(look.sans(theme, look.SMALL))
    metrics = painter.fontMetrics()
    phases = strip.phases
    first, last = phases.in_view(geometry.span)
    free_from = row.left()
    baseline = row.top() + metrics.ascent() + 1
    if (last - first) * theme.px(30) > row.width():
        painter.setPen(QColor(theme.muted))
        text = f"{phases.calls(first, last):,} backward calls"
        painter.drawText(QPointF(row.left() + 1, baseline), text)
        free_from += metrics.horizontalAdvance(text) + theme.px(8)
        first = max(first, last - 1) if phases[last - 1].title == "error" else last
    for place in range(first, last):
        group = phases[place]
        left = max(geometry.left_of(group.start), row.left())
        right = min(geometry.left_of(group.end), row.right())
        needed = metrics.horizontalAdvance(group.title)
        is_last_and_short = group.end == strip.steps and right - left < needed
        text_left = right - needed if is_last_and_short else left + 1
        if (right - left >= needed or is_last_and_short) and text_left >= free_from:
            painter.setPen(QColor(theme.error if group.title == "error" else theme.muted))
            painter.drawText(QPointF(text_left, baseline), group.title)
            free_from = text_left + needed + theme.px(6)
        if group.start > geometry.span.start and right - left >= LEAST_LINE:
            painter.setPen(QPen(QColor(theme.faint), 1))
            painter.drawLine(QPointF(left, geometry.strip.top() - 2), QPointF(left, row.top() + 3))


def phase_at(geometry: Geometry, strip: Strip, x: float) -> Group:
    """The phase under the mouse."""
    return strip.phases.at(min(max(int(geometry.step_at(x)), 0), strip.steps - 1))


# marks


def paint_marks(painter: QPainter, geometry: Geometry, marks: Marks) -> None:
    """One shape per place, of the most important thing there."""
    theme, row = geometry.theme, geometry.marks
    for x, mark in mark_places(geometry, marks):
        paint_mark(painter, theme, QPointF(x, row.center().y()), mark)


def mark_places(geometry: Geometry, marks: Marks) -> list[tuple[float, Mark]]:
    """(x, mark) of what is drawn: where steps are wide, in the middle of each, else in the middle of its place."""
    row = geometry.marks
    columns = max(1, int(row.width() / (MARK_WIDTH * geometry.theme.scale)))
    if geometry.strip.width() / geometry.span.width < MARK_WIDTH:
        width = row.width() / columns
        return [(row.left() + (column + 0.5) * width, mark) for column, mark in marks.places(geometry.span, columns)]
    first, last = int(geometry.span.start), int(geometry.span.end) + 1
    steps = marks.places(Span(first, last), last - first)
    inside = ((geometry.left_of(first + column + 0.5), mark) for column, mark in steps)
    return [(x, mark) for x, mark in inside if row.left() <= x <= row.right()]


def marks_at(geometry: Geometry, marks: Marks, x: float) -> list[tuple[Mark, int, int]]:
    """(mark, how many, the first step) around an x, the most important first."""
    row = geometry.marks
    if geometry.strip.width() / geometry.span.width >= MARK_WIDTH:
        step = int(geometry.step_at(x))
        return marks.within(step, step + 1)
    columns = max(1, int(row.width() / (MARK_WIDTH * geometry.theme.scale)))
    width = geometry.span.width / columns
    column = int((geometry.step_at(x) - geometry.span.start) / width)
    return marks.within(geometry.span.start + column * width, geometry.span.start + (column + 1) * width)


def marks_text(found: list[tuple[Mark, int, int]]) -> str:
    """What a tooltip says of marks; nothing there: what the marks mean."""
    lines = []
    for mark, count, step in found:
        one, many = TITLES[mark]
        what = f"{one} at step {step + 1:,}" if count == 1 else f"{count:,} {many}, the first at step {step + 1:,}"
        lines.append(f"{SHAPES[mark]}  {what}")
    return "\n".join(lines) or LEGEND


def paint_mark(painter: QPainter, theme: Theme, at: QPointF, mark: Mark) -> None:
    """The shape of a mark around a point."""
    size = 3.6 * theme.scale
    colour = QColor(mark_colour(theme, mark))
    x, y = at.x(), at.y()
    if mark is Mark.ERROR:
        painter.setPen(QPen(colour, 2.2 * theme.scale, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(x - size, y - size), QPointF(x + size, y + size))
        painter.drawLine(QPointF(x - size, y + size), QPointF(x + size, y - size))
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if mark is Mark.BREAKPOINT:
        painter.drawEllipse(at, size, size)
    elif mark is Mark.ACCUMULATE:
        painter.drawRect(QRectF(x - size / 2, y - size / 2, size, size))
    elif mark is Mark.INPLACE:
        _paint_corners(painter, at, ((0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)))
    else:
        _paint_corners(painter, at, ((0.0, -1.1 * size), (1.1 * size, 0.9 * size), (-1.1 * size, 0.9 * size)))


def _paint_corners(painter: QPainter, at: QPointF, corners: tuple[tuple[float, float], ...]) -> None:
    painter.drawPolygon(QPolygonF([at + QPointF(dx, dy) for dx, dy in corners]))


# overview


def paint_overview(painter: QPainter, geometry: Geometry, strip: Strip) -> None:
    """All steps as a thin bar, what is in view framed; nothing where all is in view."""
    if geometry.is_whole:
        return
    theme, row, thumb = geometry.theme, geometry.overview, geometry.thumb()
    painter.drawImage(row, columns_of(theme, strip, geometry, int(row.width()), all_steps=True))
    veil = QColor(theme.panel)
    veil.setAlpha(170)
    painter.fillRect(QRectF(row.left(), row.top(), thumb.left() - row.left(), row.height()), veil)
    painter.fillRect(QRectF(thumb.right(), row.top(), row.right() - thumb.right(), row.height()), veil)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.text), 1.5))
    painter.drawRoundedRect(thumb.adjusted(0, -1, 0, 1), 3, 3)


# the markers A and B


def paint_markers(painter: QPainter, geometry: Geometry, playback: Playback) -> None:
    """The two handles, and what lies between them under a line."""
    theme, row = geometry.theme, geometry.strip
    colour = QColor(theme.focus)
    painter.save()
    painter.setClipRect(QRectF(row.left() - 8, 0, row.width() + 16, geometry.height))
    if playback.loops:
        low, high = playback.bounds(geometry.steps)
        left, right = max(geometry.left_of(low), row.left()), min(geometry.left_of(high), row.right())
        painter.fillRect(QRectF(left, row.top() - 3, max(0.0, right - left), 2), colour)
    painter.setFont(look.sans(theme, 9.5, bold=True))
    for letter, cursor in (("A", playback.a), ("B", playback.b)):
        x = geometry.left_of(cursor)
        if 0 <= cursor <= geometry.steps and row.left() - 1 <= x <= row.right() + 1:
            painter.setPen(QPen(colour, 1.5))
            painter.drawLine(QPointF(x, row.top() - 3), QPointF(x, row.bottom() + 1))
            box = QRectF(x, geometry.handles.top(), theme.px(11), theme.px(11))
            if letter == "B":
                box.moveRight(x)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(box, 2, 2)
            painter.setPen(QColor(theme.panel))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)
    painter.restore()


def marker_at(geometry: Geometry, playback: Playback, at: QPointF) -> str:
    """ "a" or "b" where the mouse is on that handle, else ""."""
    if not geometry.handles.top() <= at.y() <= geometry.strip.top():
        return ""
    width = geometry.theme.px(11)
    for name, cursor, low, high in (("a", playback.a, -CATCH, width), ("b", playback.b, -width, CATCH)):
        if 0 <= cursor <= geometry.steps and low <= at.x() - geometry.left_of(cursor) <= high:
            return name
    return ""
