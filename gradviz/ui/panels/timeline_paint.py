"""Painting a timeline: the steps, as blocks with signs if there is room and as columns of pixels if not; the lens; and
around the strip iterations, phases, marks, the overview, and the markers A and B. Each row has a function that paints
it and one that finds what is under the mouse. Where everything is at a given size and zoom is plain arithmetic; the
curves are in `timeline_plots`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from gradviz.session.breakpoints.points import Playback
from gradviz.session.timeline.iterations import Iterations
from gradviz.session.timeline.marks import TITLES, Mark, Marks
from gradviz.session.timeline.outline import Group, Strip
from gradviz.session.timeline.zoom import Span, whole
from gradviz.ui import look
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


# -- positions

BLOCK = 4.0  # pixels per step from which every step is a block
LENS_BLOCK = 24.0  # width of a step in the lens
CATCH = 7.0  # pixels around a handle that still grab it


@dataclass(frozen=True)
class Geometry:
    """The rows from the top: overview, iterations, handles, strip, marks, phases, lens, plots."""

    width: float
    height: float
    theme: Theme
    steps: int
    span: Span
    has_iterations: bool = False

    def _row(self, top: float, height: float) -> QRectF:
        side = self.theme.px(16)
        return QRectF(side, top, max(1.0, self.width - 2 * side), height)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all steps are in view."""
        return self.span.is_whole(self.steps)

    @cached_property
    def overview(self) -> QRectF:
        """The bar that shows which part of all steps is in view; only painted if it is not everything."""
        return self._row(self.theme.px(1), self.theme.px(4))

    @cached_property
    def iterations(self) -> QRectF:
        """The row of the iterations of the outermost loop."""
        return self._row(self.overview.bottom() + 1, self.theme.px(14) if self.has_iterations else 0.0)

    @cached_property
    def handles(self) -> QRectF:
        """The row of the playhead's knob and of the markers A and B."""
        return self._row(self.iterations.bottom(), self.theme.px(12))

    @cached_property
    def strip(self) -> QRectF:
        """The row of steps."""
        return self._row(self.handles.bottom(), self.theme.px(20))

    @cached_property
    def marks(self) -> QRectF:
        """The row of errors, NaN, breakpoints, writes in place and accumulations."""
        return self._row(self.strip.bottom() + 1, self.theme.px(9))

    @cached_property
    def phases(self) -> QRectF:
        """The row of group titles: forward, backward, optimizer."""
        return self._row(self.marks.bottom(), self.theme.px(14))

    @cached_property
    def is_dense(self) -> bool:
        """Whether there are too many steps in view for blocks."""
        return self.strip.width() / max(1.0, self.span.width) < BLOCK

    @cached_property
    def lens(self) -> QRectF:
        """The row of the steps around the cursor, if the strip is dense and there is room."""
        top, height = self.phases.bottom() + 1, self.theme.px(18)
        return self._row(top, height if self.is_dense and top + height <= self.height else 0.0)

    def lens_range(self, cursor: int) -> tuple[int, int]:
        """The first step in the lens, and how many there are."""
        count = min(self.steps, max(3, int(self.lens.width() / (LENS_BLOCK * self.theme.scale))))
        return min(max(cursor - 1 - count // 2, 0), self.steps - count), count

    @cached_property
    def plots(self) -> QRectF:
        """The area of the curves below the strip."""
        top = self.lens.bottom() + self.theme.px(2)
        return self._row(top, max(0.0, self.height - top - self.theme.px(6)))

    def left_of(self, step: float) -> float:
        """x of the start of a step."""
        row = self.strip
        return row.left() + row.width() * (step - self.span.start) / self.span.width

    def playhead(self, cursor: float) -> float:
        """x of the playhead: in the middle of the latest completed step, or at the start of the first."""
        return self.left_of(max(cursor - 0.5, 0.0))

    def step_at(self, x: float) -> float:
        """The step under an x, with its fraction."""
        return self.span.start + (x - self.strip.left()) / self.strip.width() * self.span.width

    def whole_step_at(self, x: float) -> float:
        """The step under an x of the overview."""
        return (x - self.overview.left()) / self.overview.width() * self.steps

    def cursor_at(self, x: float, y: float, cursor: int) -> int:
        """The cursor under the mouse."""
        if self.lens.height() and self.lens.top() <= y <= self.lens.bottom():
            first, count = self.lens_range(cursor)
            return min(max(first + int((x - self.lens.left()) / self.lens.width() * count) + 1, 0), self.steps)
        place = self.step_at(x)
        return 0 if place < 0 else min(self.steps, int(place) + 1)

    def thumb(self) -> QRectF:
        """The part of the overview that stands for what is in view."""
        row = self.overview
        left = row.left() + row.width() * self.span.start / max(1, self.steps)
        width = max(self.theme.px(10), row.width() * self.span.width / max(1, self.steps))
        return QRectF(min(left, row.right() - width), row.top(), width, row.height())


TEXT = 18.0  # height of the line of text above the curves, which the playhead does not cross
DASHES = 9.0  # width from which a freed buffer is a dashed outline
GLYPH, GLYPH_HEIGHT = 15.0, 9.0  # width and height from which a block carries its sign
SIGNS = {
    "LEAF": "●",
    "FORWARD": "ƒ",
    "INPLACE": "✎",
    "BACKWARD_CALL": "◀",
    "BACKWARD": "∇",
    "CONTRIBUTION": "+",
    "ACCUMULATE": "Σ",
    "FREE": "",
    "HOOK": "h",
    "CLEAR_GRAD": "0",
    "OPTIMIZER": "↓",
    "PRINT": "›",
    "WARNING": "!",
    "ERROR": "×",
    "CAUGHT": "↩",
    "COLLECTIVE": "⇄",
    "GAP": "⋯",
}


def colour_of(theme: Theme, kind: str) -> str:
    """The colour of a kind of step."""
    return {
        "LEAF": theme.leaf,
        "FORWARD": theme.forward,
        "INPLACE": theme.inplace,
        "BACKWARD_CALL": theme.backward,
        "BACKWARD": theme.backward,
        "CONTRIBUTION": theme.backward,
        "ACCUMULATE": theme.accumulate,
        "FREE": theme.freed,
        "OPTIMIZER": theme.inplace,
        "WARNING": theme.warning,
        "ERROR": theme.error,
        "CAUGHT": theme.error,
        "COLLECTIVE": theme.accumulate,
    }.get(kind, theme.other)


def paint_strip(painter: QPainter, geometry: Geometry, strip: Strip, ratio: float) -> None:
    """Paint the steps in view."""
    if geometry.is_dense:
        row = geometry.strip
        painter.drawImage(row, columns_of(geometry.theme, strip, geometry, round(row.width() * ratio)))
    else:
        _paint_blocks(painter, geometry, strip)


def columns_of(theme: Theme, strip: Strip, geometry: Geometry, columns: int, *, all_steps: bool = False) -> QImage:
    """If there are more steps than fit as blocks: each column of pixels shows the kinds of its steps in proportion."""
    import numpy as np

    from gradviz.trace.table.kinds import Kind

    rows = 3 if all_steps else max(1, int(geometry.strip.height()))
    span = whole(strip.steps) if all_steps else geometry.span
    kinds = strip.picture(span, max(1, columns), rows)
    colours = np.array([QColor(colour_of(theme, kind.name)).rgba() for kind in Kind], np.uint32)
    pixels = np.ascontiguousarray(colours[kinds])
    return QImage(pixels.tobytes(), kinds.shape[1], rows, 4 * kinds.shape[1], QImage.Format.Format_RGB32)


def _paint_blocks(painter: QPainter, geometry: Geometry, strip: Strip) -> None:
    from gradviz.trace.table.kinds import Kind

    theme, row = geometry.theme, geometry.strip
    width = row.width() / geometry.span.width
    gap = min(2.0, width / 5)
    first, last = max(0, int(geometry.span.start)), min(strip.steps, int(geometry.span.end) + 1)
    painter.save()
    painter.setClipRect(row.adjusted(-1, -1, 1, 1))
    painter.setFont(look.sans(theme, 11, bold=True))
    for step, number in enumerate(strip.kinds[first:last].tolist(), first):
        box = QRectF(geometry.left_of(step) + gap / 2, row.top(), width - gap, row.height())
        kind = Kind(number).name
        _paint_block(painter, theme, box, kind, _sign(strip.trace, step, kind))
    painter.restore()


def _paint_block(painter: QPainter, theme: Theme, box: QRectF, kind: str, sign: str) -> None:
    """One step: a block in the colour of its kind, with its sign if there is room."""
    colour = QColor(colour_of(theme, kind))
    if kind == "FREE":
        box = box.adjusted(0.5, box.height() * 0.25, -0.5, -box.height() * 0.25)
        is_wide = box.width() >= DASHES
        painter.setBrush(Qt.BrushStyle.NoBrush if is_wide else colour)
        painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine) if is_wide else Qt.PenStyle.NoPen)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
    radius = min(3.0, box.width() / 4)
    painter.drawRoundedRect(box, radius, radius)
    if box.width() >= GLYPH * theme.scale and box.height() >= GLYPH_HEIGHT * theme.scale and sign:
        painter.setPen(QColor(theme.panel))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)


def _sign(trace: Trace, step: int, kind: str) -> str:
    """The operation's own symbol if it is short enough."""
    node = int(trace.steps.node[step])
    symbol = str(trace.nodes.symbol[node]) if kind == "FORWARD" and node >= 0 else ""
    return symbol if 0 < len(symbol) <= 2 else SIGNS[kind]


def paint_lens(painter: QPainter, geometry: Geometry, trace: Trace, cursor: int) -> None:
    """Below a dense strip: the steps around the cursor, large enough to tell them apart."""
    from gradviz.trace.table.kinds import Kind

    theme, row = geometry.theme, geometry.lens
    ratio = painter.device().devicePixelRatio()
    first, count = geometry.lens_range(cursor)
    width = row.width() / count
    for place, number in enumerate(trace.steps.kind[first : first + count].tolist()):
        kind = Kind(number).name
        left = round(row.left() + place * width) + 1
        box = QRectF(left, row.top(), round(row.left() + (place + 1) * width) - 1 - left, row.height())
        painter.setOpacity(1.0 if first + place < cursor else 0.35)
        sign = _sign(trace, first + place, kind)
        painter.drawImage(box, _stamp(theme, kind, sign, int(box.width()), int(box.height()), ratio))
        if first + place == cursor - 1:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.text), 2))
            painter.drawRoundedRect(box, 3, 3)
    painter.setOpacity(1.0)


@lru_cache(maxsize=256)  # painting the text of forty blocks would take most of the time of a step
def _stamp(theme: Theme, kind: str, sign: str, width: int, height: int, ratio: float) -> QImage:
    """A block as a picture."""
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(look.sans(theme, 11, bold=True))
        _paint_block(painter, theme, QRectF(0, 0, width, height), kind, sign)
    return image


def paint_playhead(painter: QPainter, geometry: Geometry, cursor: float, steps: int = 1) -> None:
    """The future in paler colours, a frame around what is walked as one step, and the playhead through all rows."""
    theme, row = geometry.theme, geometry.strip
    painter.save()
    painter.setClipRect(QRectF(row.left() - 6, 0, row.width() + 12, geometry.height))
    after = geometry.left_of(cursor)
    veil = QColor(theme.panel)
    veil.setAlpha(165)
    if after < row.right():
        left = max(after, row.left() - 1)
        painter.fillRect(QRectF(left, row.top() - 1, row.right() - left + 2, row.height() + 2), veil)
    x = geometry.playhead(cursor)
    ink = QColor(theme.text)
    width = row.width() / geometry.span.width
    if cursor >= 1 and width >= BLOCK:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(ink, 2))
        painter.drawRoundedRect(QRectF(after - steps * width, row.top() - 1, steps * width, row.height() + 2), 3, 3)
    painter.setPen(QPen(ink, 1.5))
    painter.drawLine(QPointF(x, row.top() - 7), QPointF(x, row.top() - 1))
    if geometry.is_dense:
        painter.drawLine(QPointF(x, row.top()), QPointF(x, row.bottom()))
    plots, text = geometry.plots, TEXT * theme.scale
    if plots.height() > 0:
        top = plots.top() + (text if plots.height() > text else 0.0)  # thin lanes are in the place of the text
        painter.drawLine(QPointF(x, top), QPointF(x, plots.bottom()))
    painter.setBrush(ink)
    painter.drawEllipse(QPointF(x, row.top() - 7), 4, 4)
    painter.restore()


# -- the rows around the strip

SHAPES = {
    Mark.ACCUMULATE: "▪",
    Mark.INPLACE: "◆",
    Mark.BREAKPOINT: "●",
    Mark.LESSON: "▼",
    Mark.NOT_FINITE: "▲",
    Mark.ERROR: "×",
}
LEAST_LINE = 3.0  # width in pixels of a phase from which a line marks its start
MARK_WIDTH = 9.0  # width of a mark including the space around it
LEGEND = "\n".join(f"{SHAPES[mark]}  {TITLES[mark][0]}" for mark in sorted(Mark, reverse=True))


def mark_colour(theme: Theme, mark: Mark) -> str:
    """The colour of a mark."""
    return {
        Mark.ACCUMULATE: theme.accumulate,
        Mark.INPLACE: theme.inplace,
        Mark.BREAKPOINT: theme.error,
        Mark.LESSON: theme.focus,
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
    """Ways to write a title, longest first: "t = 40 … 49", "40 … 49", "40 …"; "epoch = 3", "3"."""
    numbers = title.rpartition(" = ")[2]
    begin, several, _ = numbers.partition(" … ")
    return (title, numbers, f"{begin} …", "…") if several else (title, numbers.rpartition(" ")[2])


def iteration_labels(geometry: Geometry, found: Iterations, room: float) -> list[Group]:
    """The labels of a row, each of which needs this many pixels."""
    per_step = geometry.strip.width() / geometry.span.width
    return [Group(one.start, one.end, one.title) for one in found.labels(geometry.span, room / per_step)]


def _longest(found: Iterations) -> str:
    return found.title(0, len(found)) if len(found) > 1 else str(found.names[0])


def iteration_at(geometry: Geometry, found: Iterations, x: float, room: float) -> Group | None:
    """The label under the mouse."""
    step = geometry.step_at(x)
    return next((one for one in iteration_labels(geometry, found, room) if one.start <= step < one.end), None)


def iteration_room(theme: Theme, found: Iterations) -> float:
    """The pixels needed by a label for several iterations."""
    from PySide6.QtGui import QFontMetrics

    if not len(found):
        return 1.0
    return QFontMetrics(look.sans(theme, look.SMALL)).horizontalAdvance(_longest(found)) + theme.px(12)


# phases


def paint_phases(painter: QPainter, geometry: Geometry, strip: Strip) -> None:
    """The titles of the phases, each where it begins; if they would be illegible, the number of backward calls."""
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
    """One shape per place, for the most important thing there."""
    theme, row = geometry.theme, geometry.marks
    for x, mark in mark_places(geometry, marks):
        paint_mark(painter, theme, QPointF(x, row.center().y()), mark)


def mark_places(geometry: Geometry, marks: Marks) -> list[tuple[float, Mark]]:
    """(x, mark) for each shape: in the middle of a step if steps are wide, otherwise in the middle of its place."""
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
    """(mark, how many, first step) around an x, most important first."""
    row = geometry.marks
    if geometry.strip.width() / geometry.span.width >= MARK_WIDTH:
        step = int(geometry.step_at(x))
        return marks.within(step, step + 1)
    columns = max(1, int(row.width() / (MARK_WIDTH * geometry.theme.scale)))
    width = geometry.span.width / columns
    column = int((geometry.step_at(x) - geometry.span.start) / width)
    return marks.within(geometry.span.start + column * width, geometry.span.start + (column + 1) * width)


def marks_text(found: list[tuple[Mark, int, int]]) -> str:
    """The tooltip for marks; without any, what the marks mean."""
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
    elif mark is Mark.LESSON:
        _paint_corners(painter, at, ((0.0, 1.1 * size), (1.1 * size, -0.9 * size), (-1.1 * size, -0.9 * size)))
    else:
        _paint_corners(painter, at, ((0.0, -1.1 * size), (1.1 * size, 0.9 * size), (-1.1 * size, 0.9 * size)))


def _paint_corners(painter: QPainter, at: QPointF, corners: tuple[tuple[float, float], ...]) -> None:
    painter.drawPolygon(QPolygonF([at + QPointF(dx, dy) for dx, dy in corners]))


# overview


def paint_overview(painter: QPainter, geometry: Geometry, strip: Strip) -> None:
    """All steps as a thin bar with a frame around what is in view; nothing if everything is."""
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
    """The two handles, and a line below what lies between them."""
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
    """ "a" or "b" if the mouse is on that handle, otherwise ""."""
    if not geometry.handles.top() <= at.y() <= geometry.strip.top():
        return ""
    width = geometry.theme.px(11)
    for name, cursor, low, high in (("a", playback.a, -CATCH, width), ("b", playback.b, -width, CATCH)):
        if 0 <= cursor <= geometry.steps and low <= at.x() - geometry.left_of(cursor) <= high:
            return name
    return ""
