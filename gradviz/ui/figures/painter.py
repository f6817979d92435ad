"""Paints a whole figure: the axes in their places, each with frame, grid, ticks, labels, layers, legend and colour bar.
The same code paints the screen, the clipboard and PNG or SVG files; files have the size that the snippet asked for, and
light colours unless others are requested. The command line's `--plots` writes each plot of a run."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QGuiApplication, QImage, QLinearGradient, QPainter, QPen

from gradviz.document.errors import UserError
from gradviz.trace.figures import Axes, Colours, Figure, Layer, Scale, colour_at
from gradviz.ui import look
from gradviz.ui.figures import marks
from gradviz.ui.figures.marks import CYCLE_MARKS, OPEN_MARKS, Ground, Pace, marker, paint_layer, pen_of
from gradviz.ui.figures.scales import Span, limits, short_number, ticks, usable, written
from gradviz.ui.theme import LIGHT, Theme

# -- the legend, placed where it covers the least

SAMPLE = 22.0  # pixels
PAD = 6.0
LONGEST = 26  # characters of a name
MOST = 20  # rows


def entries(axes: Axes, others: list[Axes]) -> list[Layer]:
    """Everything with a name, including in overlaid axes."""
    return [layer for each in (axes, *others) for layer in each.layers if layer.style.label][:MOST]


def paint_legend(
    painter: QPainter, named: list[Layer], place: str, area: QRectF, grounds: dict[Layer, Ground], theme: Theme
) -> None:
    """Paint it over the area."""
    font = look.sans(theme, 10.5)
    painter.setFont(font)
    metrics = painter.fontMetrics()
    names = [metrics.elidedText(each.style.label, Qt.TextElideMode.ElideRight, theme.px(180)) for each in named]
    row = metrics.height() + 2
    wide = SAMPLE + 3 * PAD + max(metrics.horizontalAdvance(name) for name in names)
    size = (wide, row * len(names) + 2 * PAD - 2)
    if size[0] > area.width() - 8 or size[1] > area.height() - 8:
        names = names[: max(1, int((area.height() - 20) / row))]
        size = (min(wide, area.width() - 4), row * len(names) + 2 * PAD - 2)
    box = _box(place, area, size, named, grounds)
    paper = QColor(theme.panel)
    paper.setAlpha(215)
    painter.setBrush(paper)
    painter.setPen(QPen(QColor(theme.panel_border), 1))
    painter.drawRoundedRect(box, 4, 4)
    for number, (name, layer) in enumerate(zip(names, named, strict=False)):
        middle = box.top() + PAD + row * (number + 0.5) - 1
        _sample(painter, layer, grounds[layer], QPointF(box.left() + PAD, middle), theme)
        painter.setPen(QColor(theme.text))
        text = QRectF(box.left() + SAMPLE + 2 * PAD, middle - row / 2, box.width() - SAMPLE - 2 * PAD - 2, row)
        painter.drawText(text, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), name)


def _box(
    place: str, area: QRectF, size: tuple[float, float], named: list[Layer], grounds: dict[Layer, Ground]
) -> QRectF:
    wide, high = size
    inner = area.adjusted(6, 6, -6, -6)
    across = {"left": inner.left(), "right": inner.right() - wide, "center": inner.center().x() - wide / 2}
    up = {"upper": inner.top(), "lower": inner.bottom() - high, "center": inner.center().y() - high / 2}
    corners = [("upper", "right"), ("upper", "left"), ("lower", "left"), ("lower", "right"), ("center", "right")]
    words = place.split()
    if len(words) == 2:
        corners = [(words[0], words[1])]
    boxes = [QRectF(across[right], up[over], wide, high) for over, right in corners if right in across and over in up]
    return min(boxes, key=lambda box: _covered(box, grounds)) if boxes else QRectF(inner.topLeft(), inner.bottomRight())


def _covered(box: QRectF, grounds: dict[Layer, Ground]) -> int:
    """How many points it would cover."""
    count = 0
    for layer, ground in grounds.items():
        names = {"bars": ("right", "top"), "area": ("x", "high")}.get(layer.kind, ("x", "y"))
        if layer.kind in ("image", "words", "rule", "segments"):
            continue
        x, y = ground.x.to(layer.columns[names[0]]), ground.y.to(layer.columns[names[1]])
        with np.errstate(invalid="ignore"):
            inside = (x > box.left()) & (x < box.right()) & (y > box.top()) & (y < box.bottom())
            if layer.kind in ("bars", "area"):
                inside = (x > box.left()) & (x < box.right()) & (y < box.bottom())
        count += int(inside.sum())
    return count


def _sample(painter: QPainter, layer: Layer, ground: Ground, at: QPointF, theme: Theme) -> None:
    style = layer.style
    ink = marks.colour(style.color, theme, style.alpha)
    middle = QPointF(at.x() + SAMPLE / 2, at.y())
    if layer.kind in ("bars", "area"):
        painter.setPen(QPen(marks.colour(style.edge, theme), 1) if style.edge != "none" else Qt.PenStyle.NoPen)
        painter.setBrush(ink if style.color != "none" else Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(at.x(), at.y() - 4, SAMPLE, 8))
        return
    if layer.kind != "points":
        painter.setPen(pen_of(style, theme))
        painter.drawLine(at, QPointF(at.x() + SAMPLE, at.y()))
    sign = style.marker
    if layer.kind == "line" and not sign and ground.number > 0 and style.dash in ("", "-"):
        sign = CYCLE_MARKS[ground.number % len(CYCLE_MARKS)]
    if sign and layer.kind in ("line", "points"):
        painter.setPen(QPen(ink, 1.4) if sign in OPEN_MARKS else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if sign in OPEN_MARKS else ink)
        painter.drawPath(marker(sign, 7.0).translated(middle))


TICK, LABEL, TITLE = 10.5, 11.5, 12.5
TICK_LENGTH = 4.0
GAP = 4.0
BAR = 12.0  # width of a colour bar in pixels
TOO_MUCH = "Only part of this plot is drawn: it has too many elements."
Flag = Qt.AlignmentFlag


@dataclass(frozen=True)
class Placed:
    """Axes as they were painted, for finding what is under the mouse."""

    axes: Axes
    area: QRectF
    x: Span
    y: Span


@dataclass(frozen=True)
class Ticks:
    """The positions of the ticks in one direction, and their labels."""

    places: list[float]
    names: list[str]


def paint_figure(painter: QPainter, figure: Figure, box: QRectF, theme: Theme) -> list[Placed]:
    """Paint it into a box; returns the axes as placed."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(box, QColor(theme.panel))
    box = box.adjusted(4, 4, -4, -4)
    if figure.title:
        painter.setFont(look.sans(theme, TITLE + 0.5, bold=True))
        title = _in_lines(painter.fontMetrics(), figure.title, box.width())
        high = painter.fontMetrics().height() * (1 + title.count("\n")) + 2
        _text(painter, QRectF(box.left(), box.top(), box.width(), high), title, theme.text, Flag.AlignCenter)
        box = box.adjusted(0, high, 0, 0)
    placed: list[Placed] = []
    pace = Pace()
    for number, axes in enumerate(figure.axes):
        if not 0 <= axes.twin < number or figure.axes[axes.twin].twin >= 0:
            left, top, wide, tall = axes.place
            cell = QRectF(
                *(box.left() + left * box.width(), box.top() + top * box.height()),
                *(wide * box.width(), tall * box.height()),
            )
            twins = [each for each in figure.axes[number + 1 :] if each.twin == number]
            placed += _AxesPainter(painter, figure, axes, twins, theme, pace).paint(cell.adjusted(3, 3, -3, -3))
    if pace.left_out:
        painter.setFont(look.sans(theme, TICK))
        _text(painter, box, TOO_MUCH, theme.text, Flag.AlignHCenter | Flag.AlignBottom)
    return placed


def _text(painter: QPainter, box: QRectF, text: str, color: str, flags: Flag) -> None:
    painter.setPen(QColor(color))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()) + 3)
    painter.drawText(box, int(flags), text if "\n" in text else shown)


MOST_LINES = 3  # of a title


def _in_lines(metrics: QFontMetrics, text: str, width: float) -> str:
    """A title in as few lines as its words need in this width; what is too long even then is cut off."""
    lines = []
    for part in text.split("\n"):
        lines.append("")
        for word in part.split(" "):
            longer = f"{lines[-1]} {word}" if lines[-1] else word
            if lines[-1] and metrics.horizontalAdvance(longer) > width and len(lines) < MOST_LINES:
                lines.append(word)
            else:
                lines[-1] = longer
    return "\n".join(metrics.elidedText(line, Qt.TextElideMode.ElideRight, int(width) + 3) for line in lines)


class _AxesPainter:
    """Paints one axes and those overlaid on it."""

    def __init__(
        self, painter: QPainter, figure: Figure, axes: Axes, twins: list[Axes], theme: Theme, pace: Pace
    ) -> None:
        self._painter = painter
        self._figure = figure
        self._axes = axes
        self._twins = twins
        self._theme = theme
        self._pace = pace
        self._title = axes.title or next((each.title for each in twins if each.title), "")
        self._small = QFontMetricsF(look.sans(theme, TICK))
        self._bar = next((each for layer in axes.layers if (each := layer.colours) is not None and each.bar), None)

    def paint(self, cell: QRectF) -> list[Placed]:
        area = self._area(cell)
        if area.width() < 8 or area.height() < 8:
            return []
        x, y = self._spans(self._axes, area)
        if self._axes.equal:
            area, x, y = self._equal(area, x, y)
        x_ticks, y_ticks = self._ticks(self._axes.x, x), self._ticks(self._axes.y, y)
        if self._axes.frame:
            self._grid_and_frame(area, x, y, x_ticks, y_ticks)
        found = [Placed(self._axes, area, x, y)]
        found += [Placed(each, area, x, self._spans(each, area)[1]) for each in self._twins]
        grounds = self._layers(found)
        self._words_around(area, cell, x, y, x_ticks, y_ticks)
        for each in found[1:]:
            self._right_side(each, cell)
        named = entries(self._axes, self._twins)
        legends = [each.legend for each in (self._axes, *self._twins) if each.legend != "none"]
        if named and legends:
            paint_legend(self._painter, named, legends[-1], area, grounds, self._theme)
        if self._bar is not None:
            self._colour_bar(self._bar, area)
        return found

    # layout

    def _area(self, cell: QRectF) -> QRectF:
        """The area left for the data."""
        line = self._small.height()
        axes, left, right, bottom, top = self._axes, GAP, 10.0, GAP, GAP
        if axes.frame:
            rough = Span(*limits(self._figure, axes, "y"), cell.bottom(), cell.top(), axes.y.kind == "log")
            left += (
                TICK_LENGTH + GAP + max((self._wide(each) for each in self._ticks(axes.y, rough).names), default=0.0)
            )
            bottom += TICK_LENGTH + line
            left += line + GAP if axes.y.label else 0.0
            bottom += line + 2 if axes.x.label else 0.0
        metrics = QFontMetrics(look.sans(self._theme, TITLE, bold=True))
        self._title = _in_lines(metrics, self._title, cell.width())
        top += metrics.height() * (1 + self._title.count("\n")) * bool(self._title)
        if self._twins:
            right = self._twin_width(cell) + 4
        if self._bar is not None:
            right += BAR + 3 * GAP + max(self._wide(each) for each in self._bar_ticks(self._bar, cell.height())[1])
            right += line + GAP if self._bar.label else 0.0
        return cell.adjusted(min(left, cell.width() * 0.45), top, -min(right, cell.width() * 0.45), -bottom)

    def _wide(self, name: str) -> float:
        return min(self._small.horizontalAdvance(name), self._theme.px(90))

    def _twin_width(self, cell: QRectF) -> float:
        widest = 0.0
        for each in self._twins:
            rough = Span(*limits(self._figure, each, "y"), cell.bottom(), cell.top(), each.y.kind == "log")
            names = max((self._wide(name) for name in self._ticks(each.y, rough).names), default=0.0)
            widest = max(widest, names + TICK_LENGTH + 2 * GAP + (self._small.height() if each.y.label else 0.0))
        return widest

    def _spans(self, axes: Axes, area: QRectF) -> tuple[Span, Span]:
        across, up = (area.left(), area.right()), (area.bottom(), area.top())
        x = Span(*limits(self._figure, axes, "x"), *(across[::-1] if axes.x.flipped else across), axes.x.kind == "log")
        y = Span(*limits(self._figure, axes, "y"), *(up[::-1] if axes.y.flipped else up), axes.y.kind == "log")
        return x, y

    def _equal(self, area: QRectF, x: Span, y: Span) -> tuple[QRectF, Span, Span]:
        """Give x and y units the same length."""
        if x.log or y.log:
            return area, x, y
        scale = min(area.width() / x.width, area.height() / y.width)
        wide, high = max(8.0, scale * x.width), max(8.0, scale * y.width)
        kept = QRectF(area.center().x() - wide / 2, area.center().y() - high / 2, wide, high)
        return kept, *self._spans(self._axes, kept)

    def _ticks(self, scale: Scale, span: Span) -> Ticks:
        upright = abs(span.end - span.start) and scale is not self._axes.x
        if scale.ticks is not None:
            names = list(scale.names) or written(list(scale.ticks), log=span.log)
            shown = [(a, b) for a, b in zip(scale.ticks, names, strict=False) if span.low <= a <= span.high]
            return Ticks([a for a, _ in shown], [b for _, b in shown])
        places = ticks(span, self._theme.px(30 if upright else 50))
        return Ticks(places, written(places, log=span.log))

    # painting

    def _grid_and_frame(self, area: QRectF, x: Span, y: Span, x_ticks: Ticks, y_ticks: Ticks) -> None:
        painter, theme = self._painter, self._theme
        if self._axes.grid:
            painter.setPen(QPen(QColor(theme.panel_border), 1))
            for place in x_ticks.places:
                painter.drawLine(QPointF(x.at(place), area.top()), QPointF(x.at(place), area.bottom()))
            for place in y_ticks.places:
                painter.drawLine(QPointF(area.left(), y.at(place)), QPointF(area.right(), y.at(place)))

    def _layers(self, found: list[Placed]) -> dict[Layer, Ground]:
        grounds: dict[Layer, Ground] = {}
        everything = [(each, layer) for each in found for layer in each.axes.layers]
        theme = self._theme
        if any(layer.kind == "image" for _, layer in everything):  # black stays black on a picture
            theme = replace(theme, text="#000000", panel="#ffffff", dark=False)
        alone = sum(layer.kind == "line" for _, layer in everything) < 2
        number = 0
        self._painter.save()
        self._painter.setClipRect(found[0].area.adjusted(-1, -1, 1, 1))
        order = {"image": 0, "area": 1, "bars": 1}
        for each, layer in sorted(everything, key=lambda one: order.get(one[1].kind, 2)):
            counted = -1 if alone or layer.kind != "line" else number
            ground = Ground(each.area, each.x, each.y, theme, self._pace, counted)
            number += layer.kind == "line"
            grounds[layer] = ground
            if layer.kind != "words" and not self._pace.is_over:
                paint_layer(self._painter, layer, ground)
        self._painter.restore()
        for layer, ground in grounds.items():
            if layer.kind == "words":
                paint_layer(self._painter, layer, ground)
        return grounds

    def _words_around(self, area: QRectF, cell: QRectF, x: Span, y: Span, x_ticks: Ticks, y_ticks: Ticks) -> None:
        painter, theme, axes = self._painter, self._theme, self._axes
        if axes.frame:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.faint), 1))
            painter.drawRect(area)
            painter.setFont(look.sans(theme, TICK))
            self._bottom(area, x, x_ticks)
            for place, name in zip(y_ticks.places, y_ticks.names, strict=True):
                at = y.at(place)
                painter.setPen(QPen(QColor(theme.faint), 1))
                painter.drawLine(QPointF(area.left() - TICK_LENGTH, at), QPointF(area.left(), at))
                line = self._small.height()
                box = QRectF(cell.left(), at - line / 2, area.left() - TICK_LENGTH - GAP - cell.left(), line)
                _text(painter, box, name, theme.muted, Flag.AlignRight | Flag.AlignVCenter)
            painter.setFont(look.sans(theme, LABEL))
            high = painter.fontMetrics().height()
            below = QRectF(cell.left(), area.bottom() + TICK_LENGTH + self._small.height(), cell.width(), high)
            below.moveCenter(QPointF(area.center().x(), below.center().y()))
            _text(painter, below, axes.x.label, theme.text, Flag.AlignCenter)
            names = max((self._wide(name) for name in y_ticks.names), default=0.0)
            self._turned(axes.y.label, area.left() - TICK_LENGTH - 2 * GAP - names - high / 2, area, high)
        if self._title:
            painter.setFont(look.sans(theme, TITLE, bold=True))
            high = painter.fontMetrics().height() * (1 + self._title.count("\n"))
            above = QRectF(cell.left(), area.top() - high - 3, cell.width(), high)
            _text(painter, above, self._title, theme.text, Flag.AlignCenter)

    def _bottom(self, area: QRectF, x: Span, found: Ticks) -> None:
        painter, theme, last = self._painter, self._theme, -1e9
        line = self._small.height()
        for place, name in sorted(zip(found.places, found.names, strict=True), key=lambda one: x.at(one[0])):
            at, wide = x.at(place), self._small.horizontalAdvance(name)
            painter.setPen(QPen(QColor(theme.faint), 1))
            painter.drawLine(QPointF(at, area.bottom()), QPointF(at, area.bottom() + TICK_LENGTH))
            room = min(wide, max(theme.px(40), area.width() / max(1, len(found.places)) - GAP)) + 2
            if at - room / 2 < last + GAP:
                continue
            last = at + room / 2
            box = QRectF(at - room / 2, area.bottom() + TICK_LENGTH, room, line)
            _text(painter, box, name, theme.muted, Flag.AlignHCenter | Flag.AlignTop)

    def _turned(self, text: str, middle: float, area: QRectF, high: float) -> None:
        """A label that reads from bottom to top."""
        painter = self._painter
        if not text:
            return
        painter.save()
        painter.translate(middle, area.center().y())
        painter.rotate(-90)
        wide = max(area.height() + 30, 20.0)
        _text(painter, QRectF(-wide / 2, -high / 2, wide, high), text, self._theme.text, Flag.AlignCenter)
        painter.restore()

    def _right_side(self, placed: Placed, cell: QRectF) -> None:
        painter, theme, area = self._painter, self._theme, placed.area
        found = self._ticks(placed.axes.y, placed.y)
        painter.setFont(look.sans(theme, TICK))
        line = self._small.height()
        for place, name in zip(found.places, found.names, strict=True):
            at = placed.y.at(place)
            painter.setPen(QPen(QColor(theme.faint), 1))
            painter.drawLine(QPointF(area.right(), at), QPointF(area.right() + TICK_LENGTH, at))
            box = QRectF(area.right() + TICK_LENGTH + GAP, at - line / 2, cell.right() - area.right(), line)
            _text(painter, box, name, theme.muted, Flag.AlignLeft | Flag.AlignVCenter)
        painter.setFont(look.sans(theme, LABEL))
        self._turned(placed.axes.y.label, cell.right() - line / 2, area, line)

    def _bar_ticks(self, colours: Colours, room: float) -> tuple[list[float], list[str]]:
        places = ticks(Span(*usable(colours.low, colours.high), 0.0, room), self._theme.px(30))
        return (places, written(places)) if places else ([colours.low], [short_number(colours.low)])

    def _colour_bar(self, colours: Colours, area: QRectF) -> None:
        """The meaning of the colours, on the right."""
        painter, theme = self._painter, self._theme
        shift = self._twin_width(area) if self._twins else 0.0
        box = QRectF(area.right() + 2 * GAP + shift, area.top(), BAR, area.height())
        gradient = QLinearGradient(box.bottomLeft(), box.topLeft())
        for step in range(33):
            gradient.setColorAt(step / 32, QColor(*colour_at(colours.name, step / 32)))
        painter.setBrush(gradient)
        painter.setPen(QPen(QColor(theme.faint), 1))
        painter.drawRect(box)
        span, line = Span(*usable(colours.low, colours.high), box.bottom(), box.top()), self._small.height()
        places, names = self._bar_ticks(colours, area.height())
        painter.setFont(look.sans(theme, TICK))
        for place, name in zip(places, names, strict=True):
            at = QRectF(box.right() + GAP, span.at(place) - line / 2, theme.px(90), line)
            painter.setPen(QPen(QColor(theme.faint), 1))
            painter.drawLine(QPointF(box.right(), span.at(place)), QPointF(box.right() + 3, span.at(place)))
            _text(painter, at, name, theme.muted, Flag.AlignLeft | Flag.AlignVCenter)
        widest = max(self._wide(name) for name in names)
        painter.setFont(look.sans(theme, LABEL))
        self._turned(colours.label, box.right() + 2 * GAP + widest + line / 2, area, line)


# -- pictures and files

FORMATS = (".png", ".svg")
INCH = 80.0  # logical pixels
SHARP = 2.0  # pixels of a PNG per logical pixel
LARGEST = 6000  # maximum pixels of a side
LEAST = 120


def picture(figure: Figure, theme: Theme = LIGHT) -> QImage:
    """The figure as pixels."""
    size = _size(figure)
    factor = min(SHARP, LARGEST / max(size.width(), size.height()))
    image = QImage(size * factor, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(factor)
    with QPainter(image) as painter:
        paint_figure(painter, figure, QRectF(0, 0, size.width(), size.height()), theme)
    return image


def write(figure: Figure, path: Path, theme: Theme = LIGHT) -> None:
    """Write it to a file; UserError if that is not possible."""
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise UserError(f"{path.name}: the name must end in {' or '.join(FORMATS)}.")
    try:
        path.touch()
        done = _svg(figure, path, theme) if kind == ".svg" else picture(figure, theme).save(str(path), "PNG")  # type: ignore[call-overload]
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror or error}.") from error
    if not done:
        raise UserError(f"{path} could not be written.")


def _svg(figure: Figure, path: Path, theme: Theme) -> bool:
    from PySide6.QtSvg import QSvgGenerator

    size = _size(figure)
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(figure.name or "Plot")
    painter = QPainter()
    if not painter.begin(generator):
        return False
    with painter:
        paint_figure(painter, figure, QRectF(0, 0, size.width(), size.height()), theme)
    return True


def _size(figure: Figure) -> QSize:
    return QSize(*(int(min(max(side * INCH, LEAST), LARGEST)) for side in figure.size))


def write_all(figures: list[Figure], folder: Path, stem: str) -> list[Path]:
    """Write a PNG for each, without a window; returns the names of the files."""
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    look.load_fonts()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} could not be made: {error.strerror or error}.") from error
    written = [folder / f"{stem}-{number + 1}.png" for number in range(len(figures))]
    for figure, path in zip(figures, written, strict=True):
        write(figure, path)
    del application
    return written
