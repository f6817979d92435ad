"""The pictures of the README show their examples as the program draws them today."""

from __future__ import annotations

from pathlib import Path

import moving_picture
import numpy as np
import pytest
from PySide6.QtGui import QImage, QImageReader

AGED = 0.3  # of what is drawn may differ: fonts are drawn a little differently from system to system
CELL = 8  # pixels that are compared together
PAPER = 232  # lightness from which on nothing is drawn
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


def differing(one: np.ndarray, other: np.ndarray) -> float:
    """The share of all cells with something in one of the pictures that look otherwise in the other."""
    first, second = (
        each[: each.shape[0] // CELL * CELL, : each.shape[1] // CELL * CELL]
        .reshape(each.shape[0] // CELL, CELL, -1, CELL)
        .mean((1, 3))
        for each in (one, other)
    )
    drawn = (first < PAPER) | (second < PAPER)
    return float((abs(first - second) > 16)[drawn].mean())


@pytest.mark.slow
def test_it_has_not_aged(tmp_path: Path) -> None:
    """If the window has changed on purpose: make picture."""
    snippet = tmp_path / "example.py"
    snippet.write_text(moving_picture.example(), "utf-8")
    moving_picture.drawn(snippet, STEP, tmp_path / "now.png")
    now, shown = grey(QImage(str(tmp_path / "now.png"))), frames()
    differs = [differing(now, grey(image)) for image in shown]
    assert differs[STEP - 1] < AGED
    assert min(differs) == differs[STEP - 1]  # it is no other step


@pytest.mark.slow
@pytest.mark.parametrize("name", moving_picture.WINDOWS)
def test_a_picture_of_a_window_has_not_aged(tmp_path: Path, name: str) -> None:
    """If the window has changed on purpose: make picture."""
    moving_picture.window(name, tmp_path / name)
    now, shown = (grey(QImage(str(folder / name))) for folder in (tmp_path, moving_picture.ROOT / "resources"))
    assert now.shape == shown.shape == moving_picture.LARGE[::-1]
    assert differing(now, shown) < AGED


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
