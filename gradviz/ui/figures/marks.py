"""Paints one layer of an axes: lines, points, bars, areas, strokes, images and text, in the colours of a theme: the
colour cycle, text and background, given colours adjusted to stay legible, and colour maps.

It does so in bounded time. The time that Qt takes for a path that goes back and forth grows with the square of its
length, so long ones are painted in pieces; and if a whole figure takes too long (`Pace`), the rest is painted plainly,
and finally not at all."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from gradviz.trace.figures import Colours, Layer, Style, colour_at
from gradviz.ui import look
from gradviz.ui.figures.scales import FAR, Array, Span
from gradviz.ui.theme import Theme

PLAIN_AFTER, LAST = 1.0, 3.0  # seconds of processor time per figure
LONGEST = 16_000.0  # pixels along a path
PIECE = 16  # vertices
MOST_PARTS = 500  # parts of a line between its gaps that are painted individually
MOST_PIECES = 20_000  # for a line with more parts


class Pace:
    """How long the painting of a figure has taken. `is_over` is checked between any two things that are painted."""

    def __init__(self) -> None:
        self._begun = time.thread_time()
        self.left_out = False

    @property
    def plain(self) -> bool:
        """Use thin lines with rough edges from now on."""
        return time.thread_time() - self._begun > PLAIN_AFTER

    @property
    def is_over(self) -> bool:
        """Whether to leave out the rest, in which case it is recorded that something is missing."""
        self.left_out = self.left_out or time.thread_time() - self._begun > LAST
        return self.left_out


def points(x: Array, y: Array) -> list[QPointF]:
    """Vertices for Qt."""
    return [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def is_rough(x: Array, y: Array) -> bool:
    """Whether Qt would take long for a path along these vertices."""
    return bool(np.abs(np.diff(x)).sum() + np.abs(np.diff(y)).sum() > LONGEST)


def plain_pen(pen: QPen) -> QPen:
    """The fastest pen of the same colour."""
    return pen if pen.style() is Qt.PenStyle.NoPen else QPen(pen.color(), 0)


def stroke(painter: QPainter, x: Array, y: Array, area: QRectF, pace: Pace) -> None:
    """Paint a line through all these vertices with the painter's pen."""
    pen = painter.pen()
    if pen.style() is Qt.PenStyle.NoPen:
        return
    if pace.plain:
        painter.setPen(plain_pen(pen))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawPolyline(QPolygonF(points(x, y)))
    elif not is_rough(x, y):
        painter.drawPolyline(QPolygonF(points(x, y)))
    elif pen.style() is Qt.PenStyle.SolidLine:
        _lines(painter, (x[:-1], y[:-1], x[1:], y[1:]), area)
    else:
        _dashes(painter, x, y, pace)
    painter.setPen(pen)


def stroke_parts(painter: QPainter, x: Array, y: Array, area: QRectF) -> None:
    """The same for a line with very many gaps: some of its pieces."""
    good = np.isfinite(x) & np.isfinite(y)
    first = np.flatnonzero(good[:-1] & good[1:])
    first = first[:: max(1, len(first) // MOST_PIECES)]
    _lines(painter, (x[first], y[first], x[first + 1], y[first + 1]), area)


def _lines(painter: QPainter, ends: tuple[Array, Array, Array, Array], area: QRectF) -> None:
    """Paint each piece separately. Their ends overlap, so translucent lines are painted opaque in a separate picture,
    which is then blended in."""
    pen, ink = painter.pen(), painter.pen().color()
    lines = [QLineF(*each) for each in zip(*(part.tolist() for part in ends), strict=True)]
    pen.setCapStyle(Qt.PenCapStyle.SquareCap)
    pen.setColor(QColor(ink.rgb()))
    if ink.alpha() == 255:
        painter.setPen(pen)
        painter.drawLines(lines)
        return
    box, sharp = area.toAlignedRect(), painter.device().devicePixelRatioF()
    layer = QImage(box.size() * sharp, QImage.Format.Format_ARGB32_Premultiplied)
    layer.setDevicePixelRatio(sharp)
    layer.fill(Qt.GlobalColor.transparent)
    with QPainter(layer) as beside:
        beside.setRenderHint(QPainter.RenderHint.Antialiasing)
        beside.translate(-box.topLeft())
        beside.setPen(pen)
        beside.drawLines(lines)
    painter.setOpacity(ink.alphaF())
    painter.drawImage(box.topLeft(), layer)
    painter.setOpacity(1.0)


def _dashes(painter: QPainter, x: Array, y: Array, pace: Pace) -> None:
    """Paint piece by piece, each continuing the dashes of the previous one."""
    pen = painter.pen()
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))]) / max(pen.widthF(), 0.1)
    for begin in range(0, len(x) - 1, PIECE):
        if pace.is_over:
            return
        pen.setDashOffset(float(way[begin] % sum(pen.dashPattern())))
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(points(x[begin : begin + PIECE + 1], y[begin : begin + PIECE + 1])))


def fill(painter: QPainter, x: Array, low: Array, high: Array, area: QRectF, pace: Pace) -> None:
    """Fill the area between two lines with the painter's pen and brush."""
    if not pace.plain and not is_rough(x, low) and not is_rough(x, high):
        painter.drawPolygon(QPolygonF(points(np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]]))))
        return
    pen = painter.pen()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # antialiased pieces would show seams
    for begin in range(0, len(x), PIECE):
        if pace.is_over:
            return
        across, under, over = (part[begin : begin + PIECE + 1] for part in (x, low, high))
        painter.drawPolygon(
            QPolygonF(points(np.concatenate([across, across[::-1]]), np.concatenate([over, under[::-1]])))
        )
    painter.setPen(pen)
    for edge in (low, high):
        stroke(painter, x, edge, area, pace)


# -- colours

# --- The layers of an axes ---

LIGHT_CYCLE = "#0a6cb0 #d96400 #1b8a3c #c2272d #7b52b4 #8c564b #c9479a #636b78 #85850a #0b8c9e".split()
DARK_CYCLE = "#5aaeee #ff9f4a #5fd08a #ff7d7d #b99cf0 #cda291 #f29ac8 #b5bcc8 #d6d65e #4fd0e0".split()
LEAST_CONTRAST = 2.4
STEPS = 256


def colour(name: str, theme: Theme, alpha: float = 1.0) -> QColor:
    """A style's colour in this theme."""
    if name == "none" or alpha <= 0:
        return QColor(0, 0, 0, 0)
    if name.startswith("C"):
        found = QColor((DARK_CYCLE if theme.dark else LIGHT_CYCLE)[int(name[1])])
    elif name in ("text", "paper"):
        found = QColor(theme.text if name == "text" else "#ffffff")
    else:
        found = _readable(QColor(name), QColor(theme.panel), QColor(theme.text))
    found.setAlphaF(alpha)
    return found


def _readable(found: QColor, paper: QColor, ink: QColor) -> QColor:
    """The colour, mixed with that of text until it stands out from the background."""
    for _ in range(6):
        light, dark = sorted((_light(found), _light(paper)), reverse=True)
        if (light + 0.05) / (dark + 0.05) >= LEAST_CONTRAST:
            break
        mixed = [round(0.75 * a + 0.25 * b) for a, b in zip(_parts(found), _parts(ink), strict=True)]
        found = QColor(*mixed)
    return found


def _parts(one: QColor) -> tuple[int, int, int]:
    return one.red(), one.green(), one.blue()


def _light(one: QColor) -> float:
    """Relative luminance (WCAG)."""
    parts = [part / 255 for part in _parts(one)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@cache
def table(name: str) -> NDArray[np.uint8]:
    """256 colours of a map as red, green, blue."""
    return np.array([colour_at(name, step / (STEPS - 1)) for step in range(STEPS)], dtype=np.uint8)


def places(values: NDArray[np.float64], colours: Colours) -> NDArray[np.int64]:
    """Which of the 256 colours each number gets, -1 for NaN."""
    wide = colours.high / 2 - colours.low / 2  # halves, because the difference may overflow
    with np.errstate(all="ignore"):
        share = (values / 2 - colours.low / 2) / wide if wide else np.zeros_like(values)
        found = np.clip(np.nan_to_num(share, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    result = np.round(found * (STEPS - 1)).astype(np.int64)
    result[np.isnan(values)] = -1
    return result


def mapped(place: int, name: str, alpha: float = 1.0) -> QColor:
    """One colour of a map."""
    red, green, blue = (int(part) for part in table(name)[place])
    return QColor(red, green, blue, round(255 * alpha))


DASHES = {"--": [5.0, 3.0], "-.": [6.0, 2.5, 1.2, 2.5], ":": [1.2, 2.4]}
POINT = 96 / 72  # pixels
MANY = 4000  # vertices of a line beyond which only the extremes are drawn
WIDEST_IMAGE = 4096  # rows or columns of an image that are drawn
APART = 64.0  # pixels between two markers that distinguish a line from others
CYCLE_MARKS = "osD^v*PXd>"
OPEN_MARKS = "x+|_1234"


@dataclass(frozen=True)
class Ground:
    """Where and how a layer is painted. `number` counts the lines of the axes; -1 if there is only one."""

    area: QRectF
    x: Span
    y: Span
    theme: Theme
    pace: Pace
    number: int = -1


def paint_layer(painter: QPainter, layer: Layer, ground: Ground) -> None:
    """Paint a layer; the caller clips it to the area."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not ground.pace.plain)
    {
        "line": _line,
        "points": _points,
        "bars": _bars,
        "area": _area,
        "segments": _segments,
        "rule": _rule,
        "image": _image,
        "words": _words,
    }[layer.kind](painter, layer, ground)


def pen_of(style: Style, theme: Theme, color: str = "") -> QPen:
    """The pen of a style."""
    if style.dash == "none" or style.width <= 0:
        return QPen(Qt.PenStyle.NoPen)
    pen = QPen(colour(color or style.color, theme, style.alpha), max(0.8, style.width * POINT * 0.85))
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if style.dash in DASHES:
        pen.setDashPattern(DASHES[style.dash])
    return pen


def runs(x: Array, y: Array) -> list[tuple[Array, Array]]:
    """The parts of a line between its gaps; of long ones only the extremes of neighbouring points."""
    good = np.isfinite(x) & np.isfinite(y)
    if not good.any():
        return []
    edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
    return [_extremes(x[a:b], y[a:b]) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]


def _extremes(x: Array, y: Array) -> tuple[Array, Array]:
    if len(x) <= MANY:
        return x, y
    each = math.ceil(len(x) / (MANY // 2))
    rows = len(x) // each
    blocks = y[: rows * each].reshape(rows, each)
    starts = np.arange(rows) * each
    kept = np.sort(np.concatenate([starts + blocks.argmin(1), starts + blocks.argmax(1), [len(x) - 1]]))
    return x[kept], y[kept]


def _line(painter: QPainter, layer: Layer, ground: Ground) -> None:
    style = layer.style
    x, y = ground.x.to(layer.columns["x"]), ground.y.to(layer.columns["y"])
    painter.setPen(pen_of(style, ground.theme))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    parts = runs(x, y)
    if len(parts) > MOST_PARTS:
        stroke_parts(painter, x, y, ground.area)
        parts = []
    for across, up in parts:
        if ground.pace.is_over:
            return
        stroke(painter, across, up, ground.area, ground.pace)
    if style.marker:
        _marks(painter, x, y, style.marker, style.size, ground, style)
    elif ground.number > 0 and style.dash in ("", "-"):
        sign = CYCLE_MARKS[ground.number % len(CYCLE_MARKS)]
        for across, up in parts:
            chosen = _apart(across, up, ground.number)
            _marks(painter, across[chosen], up[chosen], sign, 5.0, ground, style)


def _apart(x: Array, y: Array, number: int) -> Array:
    """Some vertices of a line, well apart, starting at a different place on each line."""
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    wanted = np.arange(APART * (0.4 + 0.23 * (number % 4)), way[-1] + 1e-9, APART)
    return np.unique(np.searchsorted(way, wanted)).clip(0, len(x) - 1)


def _marks(painter: QPainter, x: Array, y: Array, sign: str, size: float, ground: Ground, style: Style) -> None:
    theme = ground.theme
    good = np.isfinite(x) & np.isfinite(y) & (np.abs(x) < FAR) & (np.abs(y) < FAR)
    ink = colour(style.color, theme, style.alpha)
    path = marker(sign, size * POINT * (0.5 if sign == "." else 1.0))
    painter.setPen(QPen(ink, 1.4) if sign in OPEN_MARKS or style.edge == "none" else _edge(style, theme))
    painter.setBrush(Qt.BrushStyle.NoBrush if sign in OPEN_MARKS else ink)
    if sign not in OPEN_MARKS and style.edge == "none":
        painter.setPen(Qt.PenStyle.NoPen)
    every = max(1, int(good.sum()) // MANY)
    for across, up in zip(x[good][::every].tolist(), y[good][::every].tolist(), strict=True):
        if ground.pace.is_over:
            return
        painter.drawPath(path.translated(across, up))


def _edge(style: Style, theme: Theme) -> QPen:
    if style.edge == "none":
        return QPen(Qt.PenStyle.NoPen)
    return QPen(colour(style.edge, theme, style.alpha), max(0.8, style.width))


def marker(sign: str, size: float) -> QPainterPath:
    """The shape of a marker around (0, 0)."""
    path, half = QPainterPath(), size / 2
    corners: dict[str, list[tuple[float, float]]] = {
        "s": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        "D": [(0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)],
        "d": [(0, -1.2), (0.8, 0), (0, 1.2), (-0.8, 0)],
        "^": [(0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
        "v": [(0, 1.1), (1.1, -0.9), (-1.1, -0.9)],
        "<": [(-1.1, 0), (0.9, 1.1), (0.9, -1.1)],
        ">": [(1.1, 0), (-0.9, 1.1), (-0.9, -1.1)],
    }
    strokes: dict[str, list[tuple[float, float, float, float]]] = {
        "x": [(-1, -1, 1, 1), (-1, 1, 1, -1)],
        "+": [(-1.2, 0, 1.2, 0), (0, -1.2, 0, 1.2)],
        "|": [(0, -1.2, 0, 1.2)],
        "_": [(-1.2, 0, 1.2, 0)],
    }
    if sign in corners:
        path.addPolygon(QPolygonF([QPointF(half * a, half * b) for a, b in corners[sign]]))
        path.closeSubpath()
    elif sign in strokes or sign in OPEN_MARKS:
        for a, b, c, d in strokes.get(sign, strokes["x"]):
            path.moveTo(half * a, half * b)
            path.lineTo(half * c, half * d)
    elif sign in "*pPhH8X":
        _star(path, half * 1.2, {"p": 5, "h": 6, "H": 6, "8": 8, "P": 4, "X": 4}.get(sign, 5), sign)
    else:
        path.addEllipse(QPointF(0, 0), half, half)
    return path


def _star(path: QPainterPath, radius: float, arms: int, sign: str) -> None:
    inner = radius * (0.45 if sign in "*PX" else 1.0)
    turn = math.pi / 4 if sign == "X" else 0.0
    points = []
    for number in range(2 * arms):
        reach = radius if number % 2 == 0 else inner * (1.0 if sign in "*PX" else math.cos(math.pi / arms))
        angle = math.pi * number / arms - math.pi / 2 + turn
        points.append(QPointF(reach * math.cos(angle), reach * math.sin(angle)))
    path.addPolygon(QPolygonF(points))
    path.closeSubpath()


def _points(painter: QPainter, layer: Layer, ground: Ground) -> None:
    style, sizes = layer.style, layer.columns["size"]
    x, y = ground.x.to(layer.columns["x"]), ground.y.to(layer.columns["y"])
    good = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & (np.abs(x) < FAR) & (np.abs(y) < FAR))
    good = good[:: max(1, len(good) // (5 * MANY))]
    values = layer.columns["value"]
    inks = None
    if layer.colours is not None and len(values) == len(x):
        inks = places(values, layer.colours)
    plain = colour(style.color, ground.theme, style.alpha)
    line = style.marker in OPEN_MARKS
    for at in good.tolist():
        if ground.pace.is_over:
            return
        ink = plain
        if inks is not None and layer.colours is not None:
            if inks[at] < 0:
                continue
            ink = mapped(int(inks[at]), layer.colours.name, style.alpha)
        size = float(sizes[at] if len(sizes) > 1 else sizes[0] if len(sizes) else style.size)
        painter.setPen(QPen(ink, 1.4) if line else _edge(style, ground.theme))
        painter.setBrush(Qt.BrushStyle.NoBrush if line else ink)
        painter.drawPath(marker(style.marker or "o", min(size, 200.0) * POINT).translated(float(x[at]), float(y[at])))


def _bars(painter: QPainter, layer: Layer, ground: Ground) -> None:
    painter.setPen(_edge(layer.style, ground.theme))
    fill = colour(layer.style.color, ground.theme, layer.style.alpha)
    painter.setBrush(QBrush(fill) if layer.style.color != "none" else Qt.BrushStyle.NoBrush)
    for box in boxes(layer, ground):
        if ground.pace.is_over:
            return
        painter.drawRect(box)


def boxes(layer: Layer, ground: Ground) -> list[QRectF]:
    """The bars in pixels, in order."""
    area = ground.area
    left, right = (_sides(layer.columns[name], ground.x, area.left(), area.right()) for name in ("left", "right"))
    low, high = (_sides(layer.columns[name], ground.y, area.bottom(), area.top()) for name in ("bottom", "top"))
    sides = zip(left.tolist(), high.tolist(), right.tolist(), low.tolist(), strict=True)
    return [QRectF(QPointF(a, b), QPointF(c, d)).normalized() for a, b, c, d in sides]


def _sides(numbers: Array, span: Span, low: float, high: float) -> Array:
    """Edges in pixels; an edge without a position is at the end of the area."""
    pixels = span.to(numbers)
    pixels = np.where(np.isneginf(numbers) | (np.isnan(pixels) & ~np.isnan(numbers)), low, pixels)
    return np.where(np.isposinf(numbers), high, np.nan_to_num(pixels, nan=low))


def _area(painter: QPainter, layer: Layer, ground: Ground) -> None:
    x = ground.x.to(layer.columns["x"])
    low, high = (ground.y.to(layer.columns[name]) for name in ("low", "high"))
    good = np.isfinite(x) & np.isfinite(low) & np.isfinite(high)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
    painter.setPen(_edge(layer.style, ground.theme))
    painter.setBrush(colour(layer.style.color, ground.theme, layer.style.alpha))
    for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        every = max(1, (b - a) // MANY)
        across, under, over = (part[a:b:every] for part in (x, low, high))
        if ground.pace.is_over:
            return
        fill(painter, across, under, over, ground.area, ground.pace)


def _segments(painter: QPainter, layer: Layer, ground: Ground) -> None:
    columns, sign = layer.columns, layer.style.marker
    ends = [
        ground.x.to(columns["x0"]),
        ground.y.to(columns["y0"]),
        ground.x.to(columns["x1"]),
        ground.y.to(columns["y1"]),
    ]
    pen = pen_of(layer.style, ground.theme)
    painter.setPen(plain_pen(pen) if ground.pace.plain else pen)
    painter.setBrush(pen.color())
    good = np.all(np.isfinite(ends), axis=0)
    for x0, y0, x1, y1 in zip(*(end[good].tolist() for end in ends), strict=True):
        if ground.pace.is_over:
            return
        painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
        if sign == ">" and math.hypot(x1 - x0, y1 - y0) > 2:
            _head(painter, x0, y0, x1, y1)
        elif sign == "|":
            across, up = (0, 3) if y0 == y1 else (3, 0)
            for x, y in ((x0, y0), (x1, y1)):
                painter.drawLine(QPointF(x - across, y - up), QPointF(x + across, y + up))


def _head(painter: QPainter, x0: float, y0: float, x1: float, y1: float) -> None:
    angle = math.atan2(y1 - y0, x1 - x0)
    size = min(8.0, 0.6 * math.hypot(x1 - x0, y1 - y0))
    sides = [QPointF(x1 - size * math.cos(angle + turn), y1 - size * math.sin(angle + turn)) for turn in (-0.42, 0.42)]
    painter.drawPolygon(QPolygonF([QPointF(x1, y1), *sides]))


def _rule(painter: QPainter, layer: Layer, ground: Ground) -> None:
    painter.setPen(pen_of(layer.style, ground.theme))
    area = ground.area
    for x in ground.x.to(layer.columns["x"]).tolist():
        if math.isfinite(x) and not ground.pace.is_over:
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
    for y in ground.y.to(layer.columns["y"]).tolist():
        if math.isfinite(y) and not ground.pace.is_over:
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))


def _image(painter: QPainter, layer: Layer, ground: Ground) -> None:
    rows, columns, channels = layer.shape
    value = layer.columns["value"]
    pixels = np.zeros((rows, columns, 4), dtype=np.uint8)
    if channels == 1 and layer.colours is not None:
        place = places(value, layer.colours).reshape(rows, columns)
        pixels[..., :3] = table(layer.colours.name)[np.maximum(place, 0)]
        pixels[..., 3] = np.where(place < 0, 0, 255)
    else:
        shares = np.clip(np.nan_to_num(value), 0.0, 1.0).reshape(rows, columns, channels)
        pixels[..., 3] = 255
        pixels[..., :channels] = np.round(255 * shares)
    left, right, bottom, top = layer.extent
    box = QRectF(QPointF(ground.x.at(left), ground.y.at(top)), QPointF(ground.x.at(right), ground.y.at(bottom)))
    if box.width() < 0:
        pixels = pixels[:, ::-1]
    if box.height() < 0:
        pixels = pixels[::-1]
    pixels = pixels[:: -(-rows // WIDEST_IMAGE), :: -(-columns // WIDEST_IMAGE)]
    rows, columns = pixels.shape[:2]
    pixels = np.ascontiguousarray(pixels)
    picture = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888).copy()
    painter.setOpacity(layer.style.alpha)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, rows * columns > 4 * box.width() * box.height())
    painter.drawImage(box.normalized(), picture)
    painter.setOpacity(1.0)


def _words(painter: QPainter, layer: Layer, ground: Ground) -> None:
    x, y = float(layer.columns["x"][0]), float(layer.columns["y"][0])
    area = ground.area
    if layer.inside:
        place = QPointF(area.left() + x * area.width(), area.bottom() - y * area.height())
    else:
        place = QPointF(ground.x.at(x), ground.y.at(y))
    if not (math.isfinite(place.x()) and math.isfinite(place.y())):
        return
    painter.setFont(look.sans(ground.theme, min(max(layer.style.size * 1.15, 9.0), 40.0)))
    painter.setPen(colour(layer.style.color, ground.theme, layer.style.alpha))
    metrics = painter.fontMetrics()
    lines = layer.text.split("\n")
    wide, high = max(metrics.horizontalAdvance(line) for line in lines), metrics.height() * len(lines)
    across, _, up = layer.anchor.partition(" ")
    left = place.x() - {"center": wide / 2, "right": wide}.get(across, 0)
    top = place.y() - {"center": high / 2, "top": 0}.get(up, high)
    painter.drawText(QRectF(left, top, wide + 2, high), int(Qt.AlignmentFlag.AlignCenter), layer.text)
