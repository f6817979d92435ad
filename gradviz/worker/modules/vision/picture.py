"""`PIL.Image` as far as transforms need it: a picture of 8-bit numbers that can be inspected, converted, resized and
cropped.

`Image.open` and `save` work on the folder of the run, in a single format: PNG with 8 bits per channel, not interlaced.
It is written in Python, so that no C library parses what a stranger has attached. Next: `transforms`."""

from __future__ import annotations

import operator
import struct
import zlib
from collections.abc import Sequence
from typing import Any, NoReturn, Self

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.ops.interpolation import picture_weights
from gradviz.worker.modules.scratch import SCRATCH, plain_bytes
from gradviz.worker.modules.scratch_paths import Path, plain_path
from gradviz.worker.objects.numpy_boundary import IN, to_numpy

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LARGEST = 4096
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by colour type


def written(pixels: Any) -> bytes:
    """Return a PNG file of grey or coloured pixels."""
    height, width = pixels.shape[:2]
    kind = 0 if pixels.ndim == 2 else 2
    rows = np.zeros((height, 1 + pixels.nbytes // max(height, 1)), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def read(data: bytes) -> Array:
    """Return the pixels of a PNG file, without transparency; ValueError if it is not such a file."""
    if not data.startswith(SIGNATURE):
        raise ValueError("pictures are read from PNG files in GradViz snippets")
    held: dict[bytes, bytearray] = {}
    at = len(SIGNATURE)
    while at + 8 <= len(data):
        (size,), name = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        held.setdefault(name, bytearray()).extend(data[at + 8 : at + 8 + size])
        at += size + 12
    if len(held.get(b"IHDR", b"")) != 13:
        raise ValueError("this PNG file is damaged")
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", held[b"IHDR"])
    if not (0 < width <= _LARGEST and 0 < height <= _LARGEST):
        raise ValueError(f"pictures have at most {_LARGEST} x {_LARGEST} pixels in GradViz snippets")
    if depth != 8 or interlaced or kind not in _CHANNELS:
        raise ValueError("PNG files have 8 bits a channel and are not interlaced in GradViz snippets")
    step = _CHANNELS[kind]
    pixels = _unfiltered(bytes(held.get(b"IDAT", b"")), height, width * step, step).reshape(height, width, step)
    if kind == 3:
        colours = np.zeros((256, 3), np.uint8)
        given = np.frombuffer(bytes(held.get(b"PLTE", b""))[:768], np.uint8)
        colours[: len(given) // 3] = given[: len(given) // 3 * 3].reshape(-1, 3)
        return colours[pixels[..., 0]]
    return pixels[..., 0].copy() if kind in (0, 4) else pixels[..., :3].copy()


def _unfiltered(packed: bytes, height: int, length: int, step: int) -> Array:
    """Undo the filters of the rows, each of which says how it differs from those around it."""
    room = height * (length + 1)
    try:
        raw = zlib.decompressobj().decompress(packed, room)
    except zlib.error:
        raw = b""
    if len(raw) != room:
        raise ValueError("this PNG file is damaged")
    rows = np.frombuffer(raw, np.uint8).reshape(height, length + 1)
    found = np.zeros((height + 1, length + step), np.uint8)  # with zeros above and to the left
    for row, line in enumerate(rows, 1):
        way, above, mine = int(line[0]), found[row - 1], found[row]
        if way in (0, 2):
            mine[step:] = line[1:] + above[step:] if way else line[1:]
            continue
        if way == 1:
            for channel in range(step):
                mine[step + channel :: step] = np.cumsum(line[1 + channel :: step], dtype=np.uint8)
            continue
        if way not in (3, 4):
            raise ValueError("this PNG file is damaged")
        before, up = [0] * (length + step), above.tolist()
        for at, difference in enumerate(line[1:].tolist(), step):
            left, corner = before[at - step], up[at - step]
            guess = (left + up[at]) // 2 if way == 3 else _nearest(left, up[at], corner)
            before[at] = (difference + guess) & 255
        mine[:] = before
    return found[1:, step:]


def _nearest(left: int, up: int, corner: int) -> int:
    """Return Paeth's predictor: whichever of the three is nearest to left + up - corner."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


# --- Pictures ---

NEAREST, LANCZOS, BILINEAR, BICUBIC = 0, 1, 2, 3
_MODES = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic"}
_STEPS = 1 << 22  # of a share, which Pillow stores as a whole number


class Image:
    """A picture, in greyscale ("L") or in colour ("RGB")."""

    __slots__ = ("_pixels",)
    _pixels: Array

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("pictures are made by Image.fromarray, Image.new and data sets in GradViz snippets")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return int(self._pixels.shape[1]), int(self._pixels.shape[0])

    @property
    def width(self) -> int:
        """The width in pixels."""
        return self.size[0]

    @property
    def height(self) -> int:
        """The height in pixels."""
        return self.size[1]

    @property
    def mode(self) -> str:
        """ "L" or "RGB"."""
        return "L" if self._pixels.ndim == 2 else "RGB"

    def convert(self, mode: object = "RGB") -> Image:
        """Convert to greyscale or colour."""
        pixels = self._pixels
        if mode == "L" and pixels.ndim == 3:
            return picture((pixels[..., 0] * 19595.0 + pixels[..., 1] * 38470.0 + pixels[..., 2] * 7471.0) / 65536)
        if mode in ("RGB", "RGBA") and pixels.ndim == 2:
            return picture(np.repeat(pixels[..., None], 3, 2))
        return picture(pixels)

    def resize(self, size: Sequence[int], resample: object = BICUBIC) -> Image:
        """Resize to a width and height."""
        width, height = (operator.index(each) for each in tuple(size))
        mode = str.__str__(resample) if isinstance(resample, str) else _MODES[resample]  # type: ignore[index]
        return picture(_resized(self._pixels, height, width, mode))

    def crop(self, box: Sequence[int]) -> Image:
        """Return the part from left and top to right and bottom."""
        left, top, right, bottom = (operator.index(each) for each in tuple(box))
        return picture(cut(self._pixels, top, left, bottom - top, right - left))

    def copy(self) -> Image:
        """Return a copy."""
        return picture(self._pixels)

    def save(self, fp: Any, format: object = None, **more: object) -> None:
        """Write it as PNG, whatever the name says, into the folder of the run or an open file."""
        data = written(self._pixels)
        if not isinstance(fp, str | Path):
            fp.write(data)
            return
        content = SCRATCH.create(plain_path(fp))
        SCRATCH.empty(content)
        SCRATCH.take(content, len(data))
        content.data += data

    def show(self, title: object = None) -> NoReturn:
        """Refused: matplotlib shows pictures."""
        raise PermissionError("Image.show() is not available in GradViz snippets; show the picture with plt.imshow")

    def __repr__(self) -> str:
        return f"<PIL.Image.Image image mode={self.mode} size={self.width}x{self.height}>"


Image.__module__ = "PIL.Image"


def picture(pixels: Array) -> Image:
    """Return a picture of NumPy's own array."""
    plain = pixels.dtype == np.uint8
    return _holding(pixels.copy() if plain else np.clip(np.rint(pixels), 0, 255).astype(np.uint8))


def _holding(pixels: Array) -> Image:
    """Return a picture of an array that nobody else changes."""
    made: Image = object.__new__(Image)
    made._pixels = pixels
    return made


def shared_picture(pixels: Array) -> Image:
    """Return a picture of an array of bytes that others share, and nobody changes."""
    pixels.setflags(write=False)
    return _holding(pixels)


def pixels_of(image: Image) -> Array:
    """Return a copy of the pixels as NumPy's own array."""
    return image._pixels.copy()


def cut(pixels: Array, top: int, left: int, height: int, width: int) -> Array:
    """Return a part, with zeros beyond the edges."""
    if not 0 < height <= 4096 or not 0 < width <= 4096:
        raise ValueError(f"a part of {height} x {width} pixels")
    made = np.zeros((height, width, *pixels.shape[2:]), pixels.dtype)
    begin, end = max(0, top), max(0, min(pixels.shape[0], top + height))
    first, last = max(0, left), max(0, min(pixels.shape[1], left + width))
    if end > begin and last > first:
        made[begin - top : end - top, first - left : last - left] = pixels[begin:end, first:last]
    return made


def _resized(pixels: Array, height: int, width: int, mode: str) -> Array:
    """Resize as Pillow does, first the rows."""
    if not 0 < height <= 4096 or not 0 < width <= 4096:
        raise ValueError(f"a picture of {height} x {width} pixels")
    for axis, size in ((1, width), (0, height)):
        if size != pixels.shape[axis]:
            weights = np.round(picture_weights(mode, pixels.shape[axis], size) * _STEPS) / _STEPS
            made = np.moveaxis(np.tensordot(weights, pixels, (1, axis)), 0, axis)
            pixels = np.clip(np.floor(made + 0.5), 0, 255).astype(np.uint8)
    return pixels


def fromarray(obj: object, mode: object = None) -> Image:
    """Return a picture of an array."""
    array = np.asarray(to_numpy(obj))
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (3, 4)) or array.dtype.kind not in "buif":
        raise TypeError(f"Cannot handle this data type: {array.shape}, {array.dtype.str}")
    return picture(array[..., :3] if array.ndim == 3 else array)


def new(mode: object, size: Sequence[int], color: object = 0) -> Image:
    """Return a picture of one colour."""
    width, height = (operator.index(each) for each in tuple(size))
    shade = np.asarray(to_numpy(color), np.uint8)
    plain = np.zeros((1, 1) if mode == "L" else (1, 1, 3), np.uint8) + shade
    return picture(cut(np.broadcast_to(plain, (height, width, *plain.shape[2:])), 0, 0, height, width))


def open_image(fp: Any, *rest: object) -> Image:
    """Open a PNG file that is attached or that the run has written; no file of the computer is read."""
    if not isinstance(fp, str | Path):
        return _holding(read(plain_bytes(fp.read())))
    name = plain_path(fp)
    if SCRATCH.meant(name) not in SCRATCH.files:
        raise FileNotFoundError(2, "No such file or directory: a snippet sees no pictures of the computer", name)
    return _holding(read(bytes(SCRATCH.file(name).data)))


IN[Image] = pixels_of
