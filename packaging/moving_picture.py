"""The moving picture that the README opens with, `resources/backward.webp`: the README's own example, step by step, as
the program draws it. `make picture` renews it; a test compares it with what the program draws now.

Qt writes the frames as WebP without loss; the animation is these, each with a head (WebP's container specification)."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "resources/backward.webp"
SIZE = (1180, 720)
MILLISECONDS = 1100  # a step
AT_THE_END = 3500


def example() -> str:
    """The first Python code in the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def drawn(snippet: Path, step: int, out: Path) -> None:
    """The window at a step, as a picture."""
    size = "x".join(map(str, SIZE))
    command = [sys.executable, "-m", "gradviz", str(snippet), "--step", str(step), "--screenshot", str(out)]
    subprocess.run([*command, "--size", size, "--theme", "light"], cwd=ROOT, check=True)


def steps(snippet: Path) -> int:
    """How many there are."""
    command = [sys.executable, "-m", "gradviz", "run", "--json", str(snippet)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return len(json.loads(done.stdout)["steps"])


def animated(stills: list[bytes], milliseconds: list[int], size: tuple[int, int]) -> bytes:
    """WebP pictures of one size as an animation that begins again."""
    width, height = (_three(each - 1) for each in size)
    body = _chunk(b"VP8X", struct.pack("<I", 0b10) + width + height)
    body += _chunk(b"ANIM", bytes(4) + struct.pack("<H", 0))
    for still, time in zip(stills, milliseconds, strict=True):
        body += _chunk(b"ANMF", bytes(6) + width + height + _three(time) + b"\x02" + _picture(still))
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _three(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def _picture(still: bytes) -> bytes:
    """The chunk with the pixels of a still picture."""
    at = 12
    while still[at : at + 4] not in (b"VP8L", b"VP8 "):
        at += 8 + (struct.unpack("<I", still[at + 4 : at + 8])[0] + 1) // 2 * 2
    return still[at:]


def webp(png: Path) -> bytes:
    """A picture as WebP, without loss."""
    from PySide6.QtCore import QBuffer
    from PySide6.QtGui import QImage, QImageWriter

    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, b"webp")
    writer.setQuality(100)
    assert writer.write(QImage(str(png)).convertToFormat(QImage.Format.Format_RGB888)), writer.errorString()
    return bytes(buffer.data().data())


def main() -> None:
    """Draw every step and write the picture."""
    with tempfile.TemporaryDirectory() as scratch:
        snippet = Path(scratch, "example.py")
        snippet.write_text(example(), "utf-8")
        stills = []
        for step in range(1, steps(snippet) + 1):
            drawn(snippet, step, Path(scratch, "step.png"))
            stills.append(webp(Path(scratch, "step.png")))
    times = [MILLISECONDS] * (len(stills) - 1) + [AT_THE_END]
    PICTURE.write_bytes(animated(stills, times, SIZE))
    print(f"{PICTURE.name}: {len(stills)} steps, {PICTURE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    main()
