"""The moving picture of the README shows its example as the program draws it today."""

from __future__ import annotations

from pathlib import Path

import moving_picture
import numpy as np
import pytest
from PySide6.QtGui import QImage, QImageReader

AGED = 0.12  # of the pixels may differ: fonts are drawn a little differently from system to system
STEP = 12  # in the middle of backward


def frames() -> list[QImage]:
    reader = QImageReader(str(moving_picture.PICTURE))
    return [reader.read() for _ in range(reader.imageCount())]


def grey(image: QImage) -> np.ndarray:
    """The lightness of each pixel, from 0 to 255."""
    image = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width()].astype(int)


def test_it_has_a_frame_for_each_step(tmp_path: Path) -> None:
    snippet = tmp_path / "example.py"
    snippet.write_text(moving_picture.example(), "utf-8")
    found = frames()
    assert len(found) == moving_picture.steps(snippet)
    assert {(image.width(), image.height()) for image in found} == {moving_picture.SIZE}


@pytest.mark.slow
def test_it_has_not_aged(tmp_path: Path) -> None:
    """If the window has changed on purpose: make picture."""
    snippet = tmp_path / "example.py"
    snippet.write_text(moving_picture.example(), "utf-8")
    moving_picture.drawn(snippet, STEP, tmp_path / "now.png")
    now, shown = grey(QImage(str(tmp_path / "now.png"))), frames()
    differs = [float((abs(now - grey(image)) > 24).mean()) for image in shown]
    assert differs[STEP - 1] < AGED
    assert min(differs) == differs[STEP - 1]  # it is no other step


def test_frames_keep_their_pixels_and_times(tmp_path: Path) -> None:
    stills = []
    for name in ("red", "blue"):
        image = QImage(7, 5, QImage.Format.Format_RGB888)
        image.fill(name)
        stills.append(moving_picture.still(image))
    (tmp_path / "two.webp").write_bytes(moving_picture.animated(stills, [120, 450], (7, 5)))
    reader = QImageReader(str(tmp_path / "two.webp"))
    assert (reader.supportsAnimation(), reader.imageCount(), reader.loopCount()) == (True, 2, -1)
    seen = []
    for _ in range(2):
        image = reader.read()
        seen.append((image.pixelColor(3, 2).name(), reader.nextImageDelay()))
    assert seen == [("#ff0000", 120), ("#0000ff", 450)]
