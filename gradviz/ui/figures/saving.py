"""A figure as a picture: for the clipboard, or a file in PNG or SVG, in the size that the snippet wished and the light
colours unless others are asked for. The command line's `--plots` writes each plot of a run."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from gradviz.document.errors import UserError
from gradviz.trace.figures import Figure
from gradviz.ui import look
from gradviz.ui.figures.painter import paint_figure
from gradviz.ui.theme import LIGHT, Theme

FORMATS = (".png", ".svg")
INCH = 80.0  # logical pixels
SHARP = 2.0  # pixels of a PNG for each of them
LARGEST = 6000  # pixels of a side
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
    """Write it; UserError where that is not possible."""
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
    """A PNG for each, without a window; the names of the files."""
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
