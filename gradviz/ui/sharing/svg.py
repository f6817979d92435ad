"""SVG from any code that paints with a QPainter: a paint device that records shapes and styles, and the text of a file.
Clipping is kept, and each text keeps its width on screen, whichever font a reader has. `page` makes the parts of a
page from the same records."""

from __future__ import annotations

import re
import struct
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from html import escape
from typing import Concatenate, NamedTuple, ParamSpec, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QDataStream, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QImageWriter,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainterPath,
    QPen,
    QPixmap,
    QTextItem,
    QTransform,
)

from gradviz.ui.canvas.edge_painter import ELEMENT, MOVE

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DOTS = 96
LONG_PATH = 64  # elements
LETTERS = "MLC "  # by the kind of an element
CAPS = {Qt.PenCapStyle.RoundCap: "round", Qt.PenCapStyle.SquareCap: "square"}
JOINS = {Qt.PenJoinStyle.RoundJoin: "round", Qt.PenJoinStyle.BevelJoin: "bevel"}
GENERIC = {"Inter": "system-ui,sans-serif", "JetBrains Mono": "ui-monospace,Menlo,Consolas,monospace"}


class Style(NamedTuple):
    """The look of a shape: colours as "#rrggbb", "#rrggbbaa" or "none", and SVG properties."""

    fill: str = "none"
    stroke: str = "none"
    rest: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Mark:
    """One shape: the geometry of its element, its style, the content between its tags, and the elements around it that
    move or clip it. An `image` has the address of its data."""

    shape: str
    style: Style
    text: str = ""
    image: str = ""
    around: tuple[str, ...] = ()

    def markup(self, look: str) -> str:
        """The element with its style as attributes."""
        image = f' xlink:href="{self.image}"' if self.image else ""
        found = f"<{self.shape}{look}{image}/>"
        if self.text:
            found = f"<{self.shape}{look}>{self.text}</{self.shape.partition(' ')[0]}>"
        for outer in self.around:
            found = f"<{outer}>{found}</{outer.partition(' ')[0]}>"
        return found


def number(value: float) -> str:
    """A coordinate in a few characters."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def clean(text: str) -> str:
    """Text for an XML element."""
    return escape(NOT_XML.sub("\ufffd", text), quote=False)


def colour(value: QColor) -> str:
    """A colour, or "none" if it is invisible."""
    if not value.alpha():
        return "none"
    return value.name() if value.alpha() == 255 else f"{value.name()}{value.alpha():02x}"


def path_text(path: QPainterPath) -> str:
    """The `d` of a path; a path that returns to its start is closed."""
    written = QByteArray()
    stream = QDataStream(written, QIODevice.OpenModeFlag.WriteOnly)
    stream << path  # Qt's own form, as asking for each element is slow: how many, they, and how they are filled
    count = path.elementCount()
    if count >= LONG_PATH:
        return _long_path_text(np.frombuffer(written.data(), ELEMENT, count, offset=4))
    parts: list[str] = []
    begin, texts = (0.0, 0.0), {0.0: "0"}
    elements = [] if not count else list(struct.iter_unpack(">idd", written.data()[4:-8]))
    for at, (kind, x, y) in enumerate(elements):
        for value in (x, y):  # most occur twice
            if value not in texts:
                texts[value] = number(value)
        parts.append(f"{LETTERS[kind]}{texts[x]},{texts[y]}")
        if kind == MOVE:
            begin = x, y
        elif (x, y) == begin and (at + 1 == count or elements[at + 1][0] == MOVE):
            parts.append("Z")
    return "".join(parts)


def _long_path_text(elements: NDArray[np.void]) -> str:
    """The same for many elements at once: a picture may have a million."""
    kind, x, y = (elements[name].astype(form) for name, form in (("kind", int), ("x", float), ("y", float)))
    begins = kind == MOVE
    start = np.maximum.accumulate(np.where(begins, np.arange(len(kind)), 0))
    closed = ~begins & (x == x[start]) & (y == y[start]) & np.append(begins[1:], True)
    different, which = np.unique((x, y), return_inverse=True)
    texts = np.array([number(value) for value in different.tolist()], object)
    across, down = texts[which.reshape(2, -1)].tolist()
    letters, ends = np.array(list(LETTERS))[kind].tolist(), np.where(closed, "Z", "").tolist()
    return "".join([f"{one}{x},{y}{end}" for one, x, y, end in zip(letters, across, down, ends, strict=True)])


def _pen_style(pen: QPen) -> tuple[str, tuple[tuple[str, str], ...]]:
    if pen.style() is Qt.PenStyle.NoPen:
        return "none", ()
    width = pen.widthF() or 1.0
    rest = [("stroke-width", number(width))]
    if pen.capStyle() in CAPS:
        rest.append(("stroke-linecap", CAPS[pen.capStyle()]))
    if pen.joinStyle() in JOINS:
        rest.append(("stroke-linejoin", JOINS[pen.joinStyle()]))
    if pen.style() is not Qt.PenStyle.SolidLine:
        rest.append(("stroke-dasharray", " ".join(number(part * width) for part in pen.dashPattern())))
    return colour(pen.color()), tuple(rest)


P = ParamSpec("P")


def _kept(method: Callable[Concatenate[Engine, P], None]) -> Callable[Concatenate[Engine, P], None]:
    """A method that Qt calls: an exception leaving it would abort the program, so it is kept for `Sheet.marks`."""

    @wraps(method)
    def kept(self: Engine, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001
            self.failures.append(error)

    return cast("Callable[Concatenate[Engine, P], None]", kept)


class Engine(QPaintEngine):
    """Records what is painted."""

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self._marks: list[Mark] = []
        self._lines: list[str] = []  # continue the latest path, collected without copying
        self._goes_on = False  # the next line continues it too, as nothing has changed since
        self.failures: list[Exception] = []
        self._style = Style()
        self._ink = "#000000"  # of text
        self._shift = QPointF()
        self._around: tuple[str, ...] = ()
        self._transform, self._opacity = QTransform(), 1.0
        self._device_clip: QRectF | None = None
        self._clip: QRectF | None = None  # in the units of what is painted

    @property
    def marks(self) -> list[Mark]:
        """What has been painted so far."""
        if self._lines:
            last = self._marks[-1]
            first = last.shape.removeprefix('path d="').removesuffix('"')
            self._marks[-1] = replace(last, shape=f'path d="{_continued([first, *self._lines])}"')
            self._lines = []
        return self._marks

    def begin(self, device: QPaintDevice) -> bool:
        """Accept everything."""
        self.setActive(True)
        return True

    def end(self) -> bool:
        """Nothing to do."""
        self.setActive(False)
        return True

    def type(self) -> QPaintEngine.Type:
        """A type for which Qt keeps curves."""
        return QPaintEngine.Type.SVG

    @_kept
    def updateState(self, state: QPaintEngineState) -> None:
        """The pen, brush, transform or clip has changed; only the changed parts of a state may be read."""
        flags, kind = state.state(), QPaintEngine.DirtyFlag
        self._goes_on = False
        if flags & kind.DirtyPen:
            stroke, rest = _pen_style(state.pen())
            self._style = Style(self._style.fill, stroke, rest)
            self._ink = colour(state.pen().color())
        if flags & kind.DirtyBrush:
            brush = state.brush()
            is_empty = brush.style() is Qt.BrushStyle.NoBrush
            self._style = self._style._replace(fill="none" if is_empty else colour(brush.color()))
        if flags & kind.DirtyTransform:
            self._transform = state.transform()
        if flags & kind.DirtyOpacity:
            self._opacity = state.opacity()
        if flags & (kind.DirtyClipRegion | kind.DirtyClipPath):
            is_region = bool(flags & kind.DirtyClipRegion)
            box = QRectF(state.clipRegion().boundingRect()) if is_region else state.clipPath().boundingRect()
            self._take_clip(self._transform.mapRect(box), state.clipOperation())
        if flags & (kind.DirtyTransform | kind.DirtyOpacity | kind.DirtyClipRegion | kind.DirtyClipPath):
            self._place()

    def _take_clip(self, box: QRectF, how: Qt.ClipOperation) -> None:
        """The box that clips, in units of the sheet: the canvas uses no other clips."""
        if how is Qt.ClipOperation.NoClip:
            self._device_clip = None
        elif how is Qt.ClipOperation.IntersectClip and self._device_clip is not None:
            self._device_clip = self._device_clip.intersected(box)
        else:
            self._device_clip = box

    def _place(self) -> None:
        """The transform of the marks that follow, and the elements around them."""
        t, around = self._transform, []
        is_shift = (t.m11(), t.m12(), t.m21(), t.m22(), t.m33()) == (1.0, 0.0, 0.0, 1.0, 1.0)
        self._shift = QPointF(t.dx(), t.dy()) if is_shift else QPointF()
        if not is_shift:
            matrix = " ".join(f"{value:.5g}" for value in (t.m11(), t.m12(), t.m21(), t.m22(), t.dx(), t.dy()))
            around.append(f'g transform="matrix({matrix})"')
        if self._opacity != 1.0:
            around.append(f'g opacity="{number(self._opacity)}"')
        self._around = tuple(around)
        clip, (back, _) = self._device_clip, t.inverted()
        self._clip = back.mapRect(clip) if clip is not None else None

    @_kept
    def drawPath(self, path: QPainterPath) -> None:
        """Rectangles, ellipses and curves."""
        inside = self._clip is not None and self._style.stroke == "none"
        if self._clip is not None and inside:
            clip = QPainterPath()
            clip.addRect(self._clip)
            path = path.intersected(clip)
        d = path_text(path.translated(self._shift))
        if d:
            self._note(f'path d="{d}"', self._style, clipped=not inside)

    @_kept
    def drawPolygon(self, points: Iterable[QPointF], mode: QPaintEngine.PolygonDrawMode) -> None:
        """Lines, polylines and polygons."""
        right, down = self._shift.x(), self._shift.y()
        d = "M" + "L".join([f"{number(point.x() + right)},{number(point.y() + down)}" for point in points])
        is_line = mode is QPaintEngine.PolygonDrawMode.PolylineMode
        if is_line and self._continues():
            self._lines.append(d)
            self._goes_on = True
        else:
            self._note(f'path d="{d}{"" if is_line else "Z"}"', self._line_style if is_line else self._style)

    @property
    def _line_style(self) -> Style:
        return self._style._replace(fill="none")

    def _continues(self) -> bool:
        """Whether a line looks like the latest path: then it is a part of that."""
        if self._goes_on or not self._marks or self._clip is not None:
            return self._goes_on
        last = self._marks[-1]
        return last == Mark(last.shape, self._line_style, around=self._around)

    @_kept
    def drawTextItem(  # type: ignore[override]  # as Qt calls it, here and below
        self, at: QPointF, item: QTextItem
    ) -> None:
        """One line of text, with its width on screen."""
        text = clean(item.text())
        if not text.strip():
            return
        width = f' textLength="{number(item.width())}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else ""
        place = at + self._shift
        shape = f'text x="{number(place.x())}" y="{number(place.y())}"{width}'
        self._note(shape, Style(self._ink, "none", _font_style(item.font())), text)

    @_kept
    def drawPixmap(  # type: ignore[override]
        self, target: QRectF, pixmap: QPixmap, source: QRectF
    ) -> None:
        """A picture."""
        self.drawImage(target, pixmap.toImage(), source, Qt.ImageConversionFlag.AutoColor)

    @_kept
    def drawImage(  # type: ignore[override]
        self, target: QRectF, image: QImage, source: QRectF, flags: Qt.ImageConversionFlag
    ) -> None:
        """A picture, its pixels as sharp squares."""
        data = b64encode(png_of(image.copy(source.toRect()))).decode()
        shape = f'image {_box(target.translated(self._shift))} preserveAspectRatio="none"'
        style = Style(rest=(("image-rendering", "pixelated"),))
        self._note(shape, style, image=f"data:image/png;base64,{data}")

    def _note(self, shape: str, style: Style, text: str = "", image: str = "", *, clipped: bool = True) -> None:
        """Record a mark; a clipped one is put into an element with that clip."""
        self._goes_on = False
        around = self._around
        if self._clip is not None and clipped:
            place = _box(self._clip.translated(self._shift))
            view = " ".join(re.findall(r'"([^"]*)"', place))
            around = (f'svg {place} viewBox="{view}"', *around)
        self.marks.append(Mark(shape, style, text, image, around))


def _continued(lines: list[str]) -> str:
    """Lines as one path: one that begins where the one before ends goes on with it, and of a straight line along an
    axis only the ends are left."""
    paths: list[list[str]] = []
    for line in lines:
        points = line[1:].split("L")
        if paths and paths[-1][-1] == points[0]:
            del points[0]
        else:
            paths.append([])
        for point in points:
            known = paths[-1]
            if len(known) > 1 and any(
                len(set(each)) == 1 for each in zip(*(p.split(",") for p in (*known[-2:], point)), strict=True)
            ):
                known.pop()
            known.append(point)
    return "".join("M" + "L".join(path) for path in paths)


def png_of(image: QImage, quality: int = -1) -> bytes:
    """A picture as PNG."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"PNG"))
    writer.setQuality(quality)
    if not writer.write(image):
        raise OSError("the picture could not be made")
    return bytes(buffer.data().data())


def _box(box: QRectF) -> str:
    left, top, width, height = map(number, (box.left(), box.top(), box.width(), box.height()))
    return f'x="{left}" y="{top}" width="{width}" height="{height}"'


def _font_style(font: QFont) -> tuple[tuple[str, str], ...]:
    family = font.families()[0] if font.families() else font.family()
    rest = [
        ("font-family", f"{family},{GENERIC.get(family, 'sans-serif')}"),
        ("font-size", f"{font.pixelSize()}px"),
    ]
    return tuple(rest + ([("font-weight", str(int(font.weight())))] if font.weight() > QFont.Weight.Normal else []))


class Sheet(QPaintDevice):
    """Records what is painted on it."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine()

    def paintEngine(self) -> QPaintEngine:
        """The engine that records."""
        return self.engine

    @property
    def marks(self) -> list[Mark]:
        """What was painted."""
        if self.engine.failures:
            raise self.engine.failures[0]
        return self.engine.marks

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        """A sheet without limits, with the resolution of a screen."""
        kind = QPaintDevice.PaintDeviceMetric
        dots = (kind.PdmDpiX, kind.PdmDpiY, kind.PdmPhysicalDpiX, kind.PdmPhysicalDpiY)
        one = (kind.PdmDevicePixelRatio,)
        if metric in dots:
            return DOTS
        return 1 if metric in one else 65_536


def attributes(style: Style) -> str:
    """A style as attributes, for a stand-alone file."""
    pairs = list(style.rest)
    if style.fill != "none" or style.stroke != "none" or not style.rest:
        pairs = [*_paint("fill", style.fill), *_paint("stroke", style.stroke), *pairs]
    return "".join(f' {name}="{value}"' for name, value in pairs)


def _paint(name: str, value: str) -> Iterable[tuple[str, str]]:
    """A colour and its opacity: programs older than CSS 4 don't know "#rrggbbaa"."""
    if name == "stroke" and value == "none":
        return ()
    if len(value) == 9:
        return ((name, value[:7]), (f"{name}-opacity", number(int(value[7:], 16) / 255)))
    return ((name, value),)


def svg_file(
    marks: Iterable[Mark], box: tuple[float, float, float, float], scale: float, words: tuple[str, str]
) -> str:
    """A whole file: what was painted, the visible part of it, and its title and description."""
    _, _, width, height = box
    title, description = map(clean, words)
    size = f'width="{number(width * scale)}" height="{number(height * scale)}"'
    view = " ".join(map(number, box))
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    lines = [mark.markup(_file_look(mark)) for mark in marks]
    head = f'<svg {spaces} {size} viewBox="{view}" role="img">'
    return "\n".join((head, f"<title>{title}</title>", f"<desc>{description}</desc>", *lines, "</svg>\n"))


def _file_look(mark: Mark) -> str:
    space = ' xml:space="preserve"' if mark.shape.startswith("text") else ""
    return attributes(mark.style) + space if mark.style != Style() or mark.shape.startswith("path") else ""
