"""PNG, the only picture format that is read and written here: 8 bits per channel, not interlaced, as bytes in the
folder of the run. Written in Python, so that no C library parses what a stranger has attached. Next: `picture`."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array

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
