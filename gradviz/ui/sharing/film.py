"""A whole run as an animation: one frame per stop, with the graph, the sentence and the line of code, shown for as long
as it takes to read. Qt encodes the frames of an animated WebP. GIF needs Pillow and MP4 needs PyAV; both are optional
and not shipped, because PyAV's wheels contain the x264 encoder, which is GPL."""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QImageWriter, QPainter

from gradviz.trace.words.explain import explain_fold, fold_number
from gradviz.ui import look
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.painter import WHOLE

if TYPE_CHECKING:
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.sharing.picture import Shown

Work = Generator[float, None, tuple[bytes, tuple[str, ...]]]
WIDTH, HEIGHT = 1280, 560  # maximum size of the graph in pixels, at scale 1
NARROWEST = 760
LEGIBLE, LARGER = 0.8, 1.5  # the zoom at which numbers can be read, and how much larger a film may get for it
NEAREST = 1.6  # how far a small graph is enlarged
MARGIN, SIDE = 36.0, 24  # words on edges stand in the margin
LINES = 4  # lines of a sentence
MOST_FRAMES = 600
SHORTEST, LONGEST, BY_LETTER = 1100, 9000, 45  # milliseconds of a frame, and for each letter to read
AT_THE_END = 3000
COLOURS = 128  # of a frame of a GIF


@dataclass(frozen=True)
class _Words:
    """The text below the graph."""

    title: str
    sentence: str
    code: str

    @property
    def milliseconds(self) -> int:
        """How long it takes to read."""
        return min(LONGEST, SHORTEST + BY_LETTER * len(self.sentence))


class Film:
    """The frames of a run, all of the same size."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._scene = shown.scene(shown.theme, throughout=True)
        self._every = shown.stops[self._begin(self._scene) :]
        self.stops = self._every[:MOST_FRAMES]
        self._lines = shown.source.split("\n")
        boxes = self._boxes(self._scene)
        self._box = QRectF(*boxes[:2], boxes[2] - boxes[0], boxes[3] - boxes[1])
        fits = min(WIDTH / self._box.width(), HEIGHT / self._box.height(), NEAREST)
        scale = shown.scale * min(max(LEGIBLE / fits, 1.0), LARGER)
        self._zoom = fits * scale
        self._fonts = (_sized(look.sans(shown.theme, 15, bold=True), scale), _sized(look.sans(shown.theme, 19), scale))
        self._mono = _sized(look.mono(shown.theme, 15), scale)
        self._side = round(SIDE * scale)
        width = max(self._box.width() * self._zoom, NARROWEST * scale)
        self._graph_height = self._box.height() * self._zoom
        title, sentence, code = (QFontMetrics(font).lineSpacing() for font in (*self._fonts, self._mono))
        self._rows = self._longest(round(width) - 2 * self._side)
        height = self._graph_height + title + self._rows * sentence + code + 1.8 * self._side
        self.width, self.height = _even(width), _even(height)

    @property
    def left_out(self) -> str:
        """A sentence if it does not have all steps."""
        every = len(self._every)
        return f"it has the first {MOST_FRAMES} of {every:,} steps." if every > MOST_FRAMES else ""

    def _begin(self, scene: Scene) -> int:
        """The first stop at which something is visible: an empty picture would stand for the film where it is still."""
        for stop, cursor in enumerate(self._shown.stops):
            scene.move_to(cursor)
            if scene.boxes:
                return stop
        return 0

    def _longest(self, room: int) -> int:
        """The number of lines of the longest sentence, up to the limit."""
        metrics = QFontMetrics(self._fonts[1])
        place = QRect(0, 0, room, LINES * metrics.lineSpacing())
        heights = (metrics.boundingRect(place, WRAPPED, self._words(at).sentence[:2000]).height() for at in self.stops)
        return min(LINES, max(1, round(max(heights, default=1) / metrics.lineSpacing())))

    def _boxes(self, scene: Scene) -> tuple[float, float, float, float]:
        """The box around everything shown at any stop."""
        found: list[tuple[float, float, float, float]] = []
        for cursor in self.stops:
            scene.move_to(cursor)
            box = scene.extent()
            if box is not None and box not in found[-1:]:
                found.append(box)
        lefts, tops, rights, bottoms = zip(*(found or [(0.0, 0.0, 100.0, 60.0)]), strict=True)
        return min(lefts) - MARGIN, min(tops) - MARGIN, max(rights) + MARGIN, max(bottoms) + MARGIN

    def _words(self, cursor: int) -> _Words:
        trace, every = self._shown.trace, self._shown.every_step
        frame = trace.frame_at(cursor)
        found = explain_fold(trace, cursor, every)
        number = f"Step {cursor:,}" if every or not cursor else fold_number(trace, cursor)
        line = frame.current_line if cursor else -1
        code = f"{line}  {self._lines[line - 1].strip()}" if 0 < line <= len(self._lines) else ""
        return _Words(f"{number} of {len(trace):,} · {found.title}", " ".join(found.sentence.split()), code)

    def frames(self) -> Iterator[tuple[QImage, int]]:
        """Each frame with its duration in milliseconds."""
        for cursor in self.stops:
            self._scene.move_to(cursor)
            words = self._words(cursor)
            last = cursor == self.stops[-1]
            yield self._frame(words), max(words.milliseconds, AT_THE_END if last else 0)

    def _frame(self, words: _Words) -> QImage:
        theme, image = self._shown.theme, QImage(self.width, self.height, QImage.Format.Format_RGB888)
        with QPainter(image) as painter:
            painter.fillRect(image.rect(), QColor(theme.canvas))
            self._paint_graph(painter)
            below = round(self._graph_height)
            painter.fillRect(0, below, self.width, self.height - below, QColor(theme.panel))
            room = QRect(self._side, below + self._side // 2, self.width - 2 * self._side, self.height - below)
            self._write(painter, room, words)
        return image

    def _paint_graph(self, painter: QPainter) -> None:
        scene = self._scene
        detail = min(max(self._zoom, WHOLE), 1.0) if self._zoom > WHOLE / 2 else self._zoom  # as it looks up close
        area = QRectF(0, 0, self._box.width() * detail, self._box.height() * detail)
        left = (self.width - self._box.width() * self._zoom) / 2
        painter.save()
        painter.setClipRect(0, 0, self.width, round(self._graph_height))
        painter.translate(left, 0)
        painter.scale(self._zoom / detail, self._zoom / detail)
        camera = Camera(detail, self._box.left(), self._box.top())
        painter.save()
        scene.paint_edges(painter, camera, area)
        painter.restore()
        scene.paint_rest(painter, camera, area, 0.0, None)
        painter.restore()

    def _write(self, painter: QPainter, room: QRect, words: _Words) -> None:
        theme, top = self._shown.theme, room.top()
        texts = (words.title, words.sentence, words.code)
        looks = zip(
            texts, (*self._fonts, self._mono), (theme.muted, theme.text, theme.muted), (1, self._rows, 1), strict=True
        )
        for text, font, colour, lines in looks:
            metrics = QFontMetrics(font)
            place = QRect(room.left(), top, room.width(), lines * metrics.lineSpacing())
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(place, WRAPPED, _fitted(text, metrics, place))
            top += place.height() + self._side // 4


def _sized(font: QFont, scale: float) -> QFont:
    font.setPixelSize(max(6, round(font.pixelSize() * scale)))
    return font


def _even(size: float) -> int:
    """Video has chroma pixels that are two pixels wide and high."""
    return max(2, round(size / 2) * 2)


WRAPPED = Qt.TextFlag.TextWordWrap.value | Qt.AlignmentFlag.AlignTop.value


def _fitted(text: str, metrics: QFontMetrics, place: QRect) -> str:
    """As much of a text as fits into a box of whole lines, of which the last may have a descent of its own."""
    most = place.height() + metrics.lineSpacing() // 2
    if metrics.boundingRect(place, WRAPPED, text).height() <= most and len(text) < 2000:
        return text
    low, high = 0, min(len(text), 2000)
    while low < high:
        middle = (low + high + 1) // 2
        fits = metrics.boundingRect(place, WRAPPED, f"{text[:middle]}…").height() <= most
        low, high = (middle, high) if fits else (low, middle - 1)
    return f"{text[:low]}…"


def _noted(film: Film, name: str) -> tuple[str, ...]:
    return (f"{name}: {film.left_out}",) if film.left_out else ()


# -- animated WebP


def webp(shown: Shown, name: str) -> Work:
    """A lossless animation that browsers can show."""
    film = Film(shown)
    stills, times = [], []
    for image, milliseconds in film.frames():
        stills.append(still(image))
        times.append(milliseconds)
        yield len(stills) / len(film.stops)
    return animated(stills, times, (film.width, film.height)), _noted(film, name)


def still(image: QImage) -> bytes:
    """A picture as lossless WebP."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"webp"))
    writer.setQuality(100)
    if not writer.write(image.convertToFormat(QImage.Format.Format_RGB888)):
        raise OSError(writer.errorString())
    return bytes(buffer.data().data())


def animated(stills: list[bytes], milliseconds: list[int], size: tuple[int, int]) -> bytes:
    """WebP pictures of the same size as an endless animation; see WebP's container specification."""
    width, height = (_three(each - 1) for each in size)
    body = _chunk(b"VP8X", struct.pack("<I", 0b10) + width + height)
    body += _chunk(b"ANIM", bytes(4) + struct.pack("<H", 0))
    parts = [
        _chunk(b"ANMF", bytes(6) + width + height + _three(time) + b"\x02" + _pixels(picture))
        for picture, time in zip(stills, milliseconds, strict=True)
    ]
    body += b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _three(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def _pixels(picture: bytes) -> bytes:
    """The chunk with the pixels of a still picture."""
    at = 12
    while picture[at : at + 4] not in (b"VP8L", b"VP8 "):
        at += 8 + (struct.unpack("<I", picture[at + 4 : at + 8])[0] + 1) // 2 * 2
    return picture[at:]


# -- GIF and MP4


def gif(shown: Shown, name: str) -> Work:
    """An animation for slides and mails."""
    from PIL import Image

    film = Film(shown)
    frames: list[Any] = []
    times: list[int] = []
    for image, milliseconds in film.frames():
        picture = Image.frombuffer("RGB", (film.width, film.height), _bytes(image))
        frames.append(picture.quantize(COLOURS, dither=Image.Dither.NONE))
        times.append(milliseconds)
        yield 0.9 * len(frames) / len(film.stops)
    buffer = BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, disposal=1)
    return buffer.getvalue(), _noted(film, name)


def mp4(shown: Shown, name: str) -> Work:
    """A video for slides and learning platforms."""
    import av

    film = Film(shown)
    buffer = BytesIO()
    with av.open(buffer, "w", format="mp4") as container:
        stream, encode = _stream(av, container, film)
        at = 0
        for done, (image, milliseconds) in enumerate(film.frames(), 1):
            for _ in range(max(1, round(milliseconds / 1000 * RATE))):
                container.mux(encode(image, at))
                at += 1
            yield done / len(film.stops)
        container.mux(stream.encode())
    return buffer.getvalue(), _noted(film, name)


RATE = 5  # pictures per second


def _stream(av: Any, container: Any, film: Film) -> tuple[Any, Callable[[QImage, int], Any]]:
    """The video stream of a container, and a function that encodes a picture at a time."""
    import numpy as np

    codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
    stream = container.add_stream(codec, rate=RATE)
    stream.width, stream.height, stream.pix_fmt = film.width, film.height, "yuv420p"
    if codec == "libx264":
        stream.options = {"crf": "18", "tune": "stillimage"}

    def encode(image: QImage, at: int) -> Any:
        pixels = np.frombuffer(_bytes(image), np.uint8).reshape(film.height, film.width, 3)
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts = at
        return stream.encode(frame)

    return stream, encode


def _bytes(image: QImage) -> bytes:
    """The pixels as red, green, blue, without the padding of rows."""
    wide, data = image.width() * 3, bytes(image.constBits())
    line = image.bytesPerLine()
    if line == wide:
        return data
    return b"".join(data[row * line : row * line + wide] for row in range(image.height()))
