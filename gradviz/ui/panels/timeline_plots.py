"""Painting below the strip: the saved buffers, each as a bar from birth to release, or, if they are many, the bytes
that they hold with their peak; in a training loop, the loss and the norm of the gradients over its iterations. The
numbers come from `outline` and `iterations` of `session.timeline`."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from gradviz.lists import size_text
from gradviz.session.columns import place
from gradviz.session.timeline.iterations import Series, Training
from gradviz.session.timeline.outline import Life, Strip, life_text, outline
from gradviz.session.timeline.zoom import whole
from gradviz.ui import look
from gradviz.ui.panels.timeline_paint import Geometry, paint_strip
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace

PEAK = 4.0  # half the height of the dot at the peak
LEAST = 14.0  # minimum height of a curve in pixels
WIDE = 1000.0  # if the largest number is this many times the smallest, the scale is logarithmic
MANY = 1.0  # points per pixel beyond which only the extremes are painted
FILL = 60  # opacity of the colour below the curve, out of 255
SAMPLE = 14.0  # length of the line sample in front of its name


def areas(geometry: Geometry, course: Training | None) -> tuple[QRectF, QRectF]:
    """Where the training curves and the bytes held are painted, each with a line of text above; an area without height
    is not painted."""
    whole, text = geometry.plots, geometry.theme.px(15)
    if course is None:
        return QRectF(), _cut(whole, text)
    half = whole.height() / 2
    if half < text + LEAST:  # no room for both: only one at a time
        return _cut(whole, text), _cut(whole, text)
    upper = QRectF(whole.left(), whole.top(), whole.width(), half)
    return _cut(upper, text), _cut(upper.translated(0, half), text)


def _cut(area: QRectF, text: float) -> QRectF:
    text += PEAK  # the dot at the peak extends above the curve
    height = area.height() - text
    return QRectF(area.left(), area.top() + text, area.width(), height if height >= LEAST else 0.0)


def paint_held(painter: QPainter, geometry: Geometry, area: QRectF, strip: Strip) -> None:
    """The curve of bytes held; a dot marks its peak."""
    if not area.height():
        return
    theme, span = geometry.theme, geometry.span
    peak, at = strip.peak
    painter.save()
    painter.setClipRect(area.adjusted(0, -5, 0, 1))
    if span.width > area.width() / 2:
        levels = strip.levels(span, max(1, min(int(area.width()), math.ceil(span.width))))
        painter.drawImage(area, _curve(theme, levels / max(1, peak), int(area.width()), int(area.height())))
    else:
        _paint_levels(painter, geometry, area, strip)
    if peak:
        painter.setPen(QPen(QColor(theme.panel), 1.5))
        painter.setBrush(QColor(theme.saved))
        painter.drawEllipse(QPointF(geometry.playhead(at), area.top()), 4, 4)
    painter.restore()


def _curve(theme: Theme, shares: NDArray[Any], columns: int, height: int) -> QImage:
    """Many levels as a picture, which takes a tenth of the time of lines: a line with the area below it filled."""
    import numpy as np

    top = np.rint((1 - shares[np.arange(columns) * len(shares) // columns]) * (height - 2)).astype(np.int32)
    before = np.concatenate([top[:1], top[:-1]])
    y = np.arange(height, dtype=np.int32)[:, None]
    line = (y >= np.minimum(top, before)) & (y <= np.maximum(top, before) + 1)
    fill = QColor(theme.saved)
    pixels = np.zeros((height, columns), np.uint32)
    pixels[y >= top] = (FILL << 24) | (fill.rgb() & 0xFFFFFF)
    pixels[line] = fill.rgba()
    return QImage(pixels.tobytes(), columns, height, 4 * columns, QImage.Format.Format_ARGB32)


def _paint_levels(painter: QPainter, geometry: Geometry, area: QRectF, strip: Strip) -> None:
    """A few levels: they begin and end where their steps do."""
    first, peak = int(geometry.span.start), strip.peak[0]
    line = QPolygonF([QPointF(geometry.left_of(first), area.bottom())])
    for step, level in enumerate(strip.held[first : int(geometry.span.end) + 1].tolist(), first):
        y = area.bottom() - (area.height() * level / peak if peak else 0)
        line.append(QPointF(geometry.left_of(step), y))
        line.append(QPointF(geometry.left_of(step + 1), y))
    line.append(QPointF(line.last().x(), area.bottom()))
    fill = QColor(geometry.theme.saved)
    fill.setAlpha(FILL)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawPolygon(line)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(geometry.theme.saved), 1.5))
    painter.drawPolyline(line)


LANE, THIN, THINNEST = 16.0, 7.0, 3.0  # pixels of the lane of a buffer, without words, and at least, at text scale 1
LINE, LEAST_LINE = 5.0, 2.0  # pixels of a lane below which it is a line, and of the thinnest line
SIDE = 4.0  # pixels of the margin below that lanes without a line of text above them take
KEPT, HELD = 40, 110  # opacity of the colour of a buffer while it is not held, and while it is
SHORTEST = 26.0  # width in pixels from which a bar has room for words


def lanes_height(theme: Theme, lives: tuple[Life, ...], lane: float = LANE) -> float:
    """The pixels that the lanes need."""
    return theme.px(lane) * (1 + max((life.lane for life in lives), default=-1))


def lanes_area(geometry: Geometry, course: Training | None, lives: tuple[Life, ...], least: float = THINNEST) -> QRectF:
    """Where the lanes are: below a line of text, or in its place where there is no room for both; without height if
    there is none for them alone."""
    held, whole = areas(geometry, course)[1], geometry.plots
    if lives and held.height() >= lanes_height(geometry.theme, lives, THIN):
        return held
    whole = whole.adjusted(0, 0, 0, geometry.theme.px(SIDE))
    fits = lives and course is None and whole.height() >= lanes_height(geometry.theme, lives, least)
    return whole if fits else QRectF()


def _lane(geometry: Geometry, area: QRectF, lives: tuple[Life, ...]) -> float:
    """The height of a lane: all are as thin as the room demands."""
    share = area.height() / max(lanes_height(geometry.theme, lives), 1.0)
    return geometry.theme.px(LANE) * min(share, 1.0)


def _bar(geometry: Geometry, area: QRectF, life: Life, height: float) -> QRectF:
    left = geometry.left_of(life.born)
    width = max(geometry.left_of(life.end) - left, 2.0)
    gap = 2 if height > THIN else 1
    return QRectF(left, area.top() + life.lane * height + gap / 2, width, height - gap) & area


def life_at(geometry: Geometry, area: QRectF, lives: tuple[Life, ...], at: QPointF) -> Life | None:
    """The buffer whose bar is under the mouse."""
    lane = _lane(geometry, area, lives)
    return next((life for life in lives if _bar(geometry, area, life, lane).contains(at)), None)


def text_of(trace: Trace, life: Life) -> str:
    """What a buffer is and what it is kept for; computed on first use, as it needs the frame of a step."""
    found: str = trace.kept(f"life {life.row}", lambda: life_text(trace, life))
    return found


def paint_lives(
    painter: QPainter, geometry: Geometry, area: QRectF, trace: Trace, lives: tuple[Life, ...], cursor: int
) -> None:
    """The bars of saved buffers; those held at the cursor are filled, and none is if the cursor is below 0."""
    theme, lane = geometry.theme, _lane(geometry, area, lives)
    radius, has_words = max(lane / 2 - 1, 0.5), lane >= theme.px(LANE) - 1
    painter.save()
    painter.setClipRect(area.adjusted(-1, -1, 1, 1))
    painter.setFont(look.sans(theme, look.SMALL))
    metrics = painter.fontMetrics()
    fill = QColor(theme.saved)
    fill.setAlpha((KEPT if cursor < 0 else HELD) if lane >= LINE else (HELD if cursor < 0 else 255))
    pen = QPen(QColor(theme.saved), 1.2) if lane >= LINE else QPen(Qt.PenStyle.NoPen)
    for life in lives:
        bar = _bar(geometry, area, life, lane)
        if bar.isEmpty() or (cursor >= 0 and not life.born < cursor <= life.end):
            continue
        painter.setPen(pen)
        painter.setBrush(fill)
        painter.drawRoundedRect(bar, min(radius, bar.width() / 2), radius)
        if has_words and bar.width() >= SHORTEST:
            painter.setPen(QColor(theme.text))
            inner = bar.adjusted(radius, 0, -radius / 2, 0)
            text = metrics.elidedText(text_of(trace, life), Qt.TextElideMode.ElideRight, int(inner.width()))
            painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    painter.restore()


def paint_held_text(painter: QPainter, geometry: Geometry, area: QRectF, text: str, *, at_right: bool) -> None:
    """The text above the curve of bytes held; on the right if the training curves have the left."""
    painter.setFont(look.sans(geometry.theme, look.SMALL))
    painter.setPen(QColor(geometry.theme.muted))
    metrics = painter.fontMetrics()
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(area.width() * (0.6 if at_right else 1.0)))
    left = area.right() - metrics.horizontalAdvance(text) - geometry.theme.px(14) if at_right else area.left()
    painter.drawText(QPointF(left, area.top() - PEAK - geometry.theme.px(4)), text)


def held_text(strip: Strip, cursor: int) -> str:
    """What is held now, and the maximum with its step."""
    now = int(strip.held[cursor - 1]) if cursor else 0
    peak, at = strip.peak
    most = f" · peak {size_text(peak)} at step {at:,}" if peak else ""
    return f"saved buffers held: {size_text(now)} now{most}"


def paint_course(painter: QPainter, geometry: Geometry, area: QRectF, course: Training) -> None:
    """The losses as lines, the norm of the gradients dashed; each on its own scale."""
    if not area.height():
        return
    painter.save()
    painter.setClipRect(area.adjusted(0, -2, 0, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for series, pen in lines(geometry.theme, course):
        painter.setPen(pen)
        for piece in _pieces(geometry, area, series):
            if piece.size() == 1:
                painter.drawEllipse(piece.first(), 1, 1)
            painter.drawPolyline(piece)
    painter.restore()


def lines(theme: Theme, course: Training) -> list[tuple[Series, QPen]]:
    """Each line with its pen: the gradient first, so that the losses are on top."""
    dashed = QPen(QColor(theme.gradient), 1.4, Qt.PenStyle.DashLine)
    colours = (theme.forward, theme.inplace, theme.leaf)
    losses = [(series, QPen(QColor(colour), 1.7)) for series, colour in zip(course.losses, colours, strict=False)]
    return [(course.gradient, dashed), *losses]


def _pieces(geometry: Geometry, area: QRectF, series: Series) -> list[QPolygonF]:
    """The visible line of a series; it is interrupted where a number is not finite."""
    import numpy as np

    finite = series.numbers[np.isfinite(series.numbers)]
    if not len(finite):
        return []
    scale, low, high = _scale(finite)
    first, last = place(series.steps, geometry.span.start), place(series.steps, geometry.span.end)
    steps, numbers = series.steps[max(0, first - 1) : last + 1], series.numbers[max(0, first - 1) : last + 1]
    x = area.left() + (steps + 0.5 - geometry.span.start) / geometry.span.width * area.width()
    with np.errstate(all="ignore"):
        y = area.bottom() - (scale(numbers) - low) / (high - low) * area.height()
    if len(x) > MANY * area.width():
        x, y = _extremes(x[np.isfinite(y)], y[np.isfinite(y)], max(1, int(area.width() / 2)))
    broken = np.flatnonzero(~np.isfinite(y))
    pieces = zip(np.split(x, broken), np.split(y, broken), strict=True)
    polygons = []
    for xs, ys in pieces:
        good = np.isfinite(ys)
        points = [QPointF(one, other) for one, other in zip(xs[good].tolist(), ys[good].tolist(), strict=True)]
        polygons += [QPolygonF(points)] if points else []
    return polygons


def _scale(numbers: NDArray[Any]) -> tuple[Any, float, float]:
    """How numbers are mapped to the axis, and its ends."""
    import numpy as np

    low, high = float(numbers.min()), float(numbers.max())
    if low > 0 and high / low > WIDE:
        return np.log10, math.log10(low), math.log10(high)
    if low == high:
        return np.asarray, low - 1, high + 1
    return np.asarray, low, high


def _extremes(x: NDArray[Any], y: NDArray[Any], columns: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of many points, only the lowest and the highest in each column, which look the same."""
    import numpy as np

    if not len(x):
        return x, y
    starts = np.unique(np.searchsorted(x, np.linspace(x[0], x[-1], columns, endpoint=False)))
    both = np.stack([np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)], axis=1)
    return np.repeat(x[starts], 2), both.reshape(-1)


def paint_course_text(painter: QPainter, geometry: Geometry, area: QRectF, course: Training, cursor: int) -> None:
    """The names of the lines with a sample of each, and their numbers at the cursor."""
    theme, x, y = geometry.theme, area.left(), area.top() - PEAK - geometry.theme.px(4)
    painter.setFont(look.sans(theme, look.SMALL))
    metrics = painter.fontMetrics()
    for series, pen in reversed(lines(theme, course)):
        number = series.at(cursor)
        text = f"{series.name} {'–' if math.isnan(number) and not len(series.numbers) else _number(number)}"
        painter.setPen(pen)
        painter.drawLine(QPointF(x, y - 4), QPointF(x + SAMPLE, y - 4))
        painter.setPen(QColor(theme.muted))
        painter.drawText(QPointF(x + SAMPLE + 5, y), text)
        x += SAMPLE + 5 + metrics.horizontalAdvance(text) + theme.px(14)


def _number(number: float) -> str:
    return "–" if math.isnan(number) else f"{number:.4g}"


# -- the timeline that is folded away

SMALL = 4.0  # height of its strip in pixels, at text scale 1


class SmallGeometry(Geometry):
    """The strip and the lanes alone."""

    @cached_property
    def strip(self) -> QRectF:
        return QRectF(0, 0, self.width, self.theme.px(SMALL))

    @cached_property
    def plots(self) -> QRectF:
        top = self.strip.bottom() + self.theme.px(1)
        return QRectF(0, top, self.width, max(0.0, self.height - top - self.theme.px(SIDE)))


def paint_small(painter: QPainter, size: QSizeF, theme: Theme, trace: Trace, steps: int) -> None:
    """The steps across the whole width, and the lanes of the saved buffers if they can be told apart."""
    geometry, found = SmallGeometry(size.width(), size.height(), theme, steps, whole(steps)), outline(trace, steps)
    paint_strip(painter, geometry, found.strip, painter.device().devicePixelRatioF())
    area = lanes_area(geometry, None, found.lives, LEAST_LINE)
    area.setHeight(min(area.height(), lanes_height(theme, found.lives, LINE)))
    if area.height():
        paint_lives(painter, geometry, area, trace, found.lives, -1)
