"""The icon in all sizes, painted from the one SVG: PNG files for Linux, .ico for Windows, .icns for macOS. Run with the
Python of the build environment: `python icons.py FOLDER`."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "resources/icons/org.gradviz.GradViz.svg"
LINUX = (16, 22, 24, 32, 48, 64, 128, 256, 512)
WINDOWS = (16, 24, 32, 48, 64, 128, 256)
MACOS = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09", 1024: b"ic10"}


def png(size: int) -> bytes:
    """The icon as a PNG of this many pixels."""
    from PySide6.QtCore import QBuffer
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    with QPainter(image) as painter:
        QSvgRenderer(str(SOURCE)).render(painter)
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """Pictures by their size as one file for Windows."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    at = len(head) + 16 * len(pictures)
    for size, data in pictures.items():
        head += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), at)
        at += len(data)
    return head + b"".join(pictures.values())


def icns(pictures: dict[bytes, bytes]) -> bytes:
    """Pictures by their kind as one file for macOS."""
    body = b"".join(kind + struct.pack(">I", len(data) + 8) + data for kind, data in pictures.items())
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def write(folder: Path) -> None:
    """All of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for size in LINUX:
        (folder / f"{size}.png").write_bytes(png(size))
    (folder / "gradviz.ico").write_bytes(ico({size: png(size) for size in WINDOWS}))
    (folder / "gradviz.icns").write_bytes(icns({kind: png(size) for size, kind in MACOS.items()}))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    write(Path(sys.argv[1]))
