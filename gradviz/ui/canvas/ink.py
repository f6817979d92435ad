"""Pens, brushes, fonts and colours of the canvas, made once per theme from the `Theme` record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.diagram import CONSTANT, FOLDED, INTERMEDIATE, LEAF, OP, OUTPUT, PLAIN_OP
from gradviz.ui.canvas.heat import BEYOND, FULL
from gradviz.ui.theme import Theme

LEAST = 11.0  # pixels of the smallest text on a screen: anything smaller is not drawn
ALMOST = 1 - 1e-9  # of a size, which is a product of two numbers
PATH = re.compile(r"\w+(\.\w+)*\.[^\W\d]\w*")
ONE_LINE = int(Qt.TextFlag.TextSingleLine) | int(Qt.TextFlag.TextDontClip)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter) | ONE_LINE  # joined once, not for every text
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter) | ONE_LINE
CENTRE = int(Qt.AlignmentFlag.AlignCenter) | ONE_LINE
NO_BRUSH = QBrush()
MOST_WIDTHS = 5_000  # texts whose width is remembered: labels recur
Fonts = tuple[dict[str, QFont], dict[str, QFontMetricsF], dict[tuple[str, str], float]]
NEGATIVE, POSITIVE = QColor("#4f6d96"), QColor("#8a6d4b")
NEGATIVE_DARK, POSITIVE_DARK = QColor("#7f9cc8"), QColor("#b59a78")


@dataclass(frozen=True)
class Frame:
    """The frame of a card of one category."""

    border: QColor
    header: QColor
    width: float


class Ink:
    """Everything that a painter takes from the theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.least = LEAST * theme.scale  # a picture in a file may be enlarged, unlike a screen
        self._near = self._fonts_at(theme.scale)
        self._smaller: dict[float, Fonts] = {}  # by zoom, only the latest
        self.fonts, self._metrics, self._widths = self._near
        self.frames = {
            LEAF: Frame(QColor(theme.leaf), QColor(theme.leaf_fill), 2.2),
            CONSTANT: Frame(QColor(theme.constant), QColor(theme.constant_fill), 1.2),
            INTERMEDIATE: Frame(QColor(theme.card_border), QColor(theme.intermediate_fill), 1.2),
            OUTPUT: Frame(QColor(theme.output), QColor(theme.output_fill), 2.2),
            OP: Frame(QColor(theme.operation), QColor(theme.card), 1.6),
            PLAIN_OP: Frame(QColor(theme.constant), QColor(theme.constant_fill), 1.2),
            FOLDED: Frame(QColor(theme.group), QColor(theme.group_fill), 1.8),
        }
        self.colours = {name: QColor(value) for name, value in vars(theme).items() if str(value).startswith("#")}
        self.heat = (NEGATIVE_DARK, POSITIVE_DARK) if theme.dark else (NEGATIVE, POSITIVE)
        self._strengths: dict[tuple[int, float], QColor] = {}  # mixed so far: a picture has hundreds of cells

    def colour(self, name: str, alpha: float = 1.0) -> QColor:
        """A colour of the theme by name."""
        colour = QColor(self.colours[name])
        colour.setAlphaF(alpha)
        return colour

    def pen(self, name: str, width: float, *, alpha: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        """A pen in a colour of the theme, with its width in world units."""
        pen = QPen(self.colour(name, alpha), width, style)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap if style is Qt.PenStyle.SolidLine else Qt.PenCapStyle.FlatCap)
        return pen

    def hairline(self, name: str, alpha: float = 1.0) -> QPen:
        """A pen one pixel wide at any zoom, the only kind with which Qt draws thousands of lines in a few
        milliseconds."""
        pen = QPen(self.colour(name, alpha), 1.0)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        return pen

    def _fonts_at(self, scale: float) -> Fonts:
        """Fonts in world units, none of them too small at a zoom, with their metrics and the widths measured so far."""
        fonts = sizes.fonts()
        for font in fonts.values():
            font.setPixelSize(max(font.pixelSize(), math.ceil(ALMOST * self.least / scale)))
        return fonts, {role: QFontMetricsF(font) for role, font in fonts.items()}, {}

    @contextmanager
    def at(self, scale: float) -> Iterator[None]:
        """Write and measure with fonts that are legible at a zoom: further away, the small ones are larger in world
        units."""
        small = scale < self.theme.scale and self.least > 0
        if small and scale not in self._smaller:
            self._smaller = {scale: self._fonts_at(scale)}
        self.fonts, self._metrics, self._widths = self._smaller[scale] if small else self._near
        try:
            yield
        finally:
            self.fonts, self._metrics, self._widths = self._near

    def font(self, role: str) -> QFont:
        """The font for a role in `sizes`."""
        return self.fonts[role]

    def width(self, role: str, text: str) -> float:
        """The width of a text."""
        found = self._widths.get((role, text))
        if found is None:
            if len(self._widths) >= MOST_WIDTHS:
                self._widths.clear()
            found = self._widths[role, text] = self._metrics[role].horizontalAdvance(text)
        return found

    def broken(self, role: str, text: str, width: float) -> list[str]:
        """A text in lines of about this width, broken between words; the lines are of similar lengths."""
        lines = self._filled(role, text, width)
        while len(lines) > 1:
            narrower = self._filled(role, text, max(self.width(role, line) for line in lines) - 1)
            if len(narrower) > len(lines) or narrower == lines:
                break
            lines = narrower
        return lines

    def _filled(self, role: str, text: str, width: float) -> list[str]:
        """A text in lines as full as they can be."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.width(role, longer) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def text(self, painter: QPainter, role: str, colour: str, box: QRectF, text: str, align: int) -> None:
        """One line of text in a box, elided if it is too long (a tooltip has it in full). The path of a parameter is
        elided at its start, because its end says more. Text too small to read is left out."""
        if not self.is_legible(role, painter.worldTransform().m22()):
            return
        if self.width(role, text) > box.width():
            text = self.shortened(role, text, box.width())
        painter.setFont(self.fonts[role])
        painter.setPen(self.colours[colour])
        painter.setBrush(NO_BRUSH)
        painter.drawText(box, align, text)

    def is_legible(self, role: str, scale: float) -> bool:
        """Whether text is large enough to be written at this zoom."""
        return self.fonts[role].pixelSize() * scale >= ALMOST * self.least

    def shortened(self, role: str, text: str, room: float) -> str:
        """Shorten a text: a path loses whole words at its start, anything else letters at its end."""
        if PATH.fullmatch(text):
            words = text.split(".")
            ends = [".".join(words[nth:]) for nth in range(1, len(words))]
            fitting = (way for way in [*(f"…{end}" for end in ends), ends[-1]] if self.width(role, way) <= room)
            text = next(fitting, ends[-1])
        return self._metrics[role].elidedText(text, Qt.TextElideMode.ElideRight, room)

    def mixed(self, colour: QColor, part: float, on: str = "card") -> QColor:
        """A colour at this strength over the one beneath it."""
        ground = self.colours[on]
        return QColor(
            round(ground.red() + (colour.red() - ground.red()) * part),
            round(ground.green() + (colour.green() - ground.green()) * part),
            round(ground.blue() + (colour.blue() - ground.blue()) * part),
        )

    def strength(self, strength: int, alpha: float = 1.0) -> QColor:
        """The colour of a heat map cell from -100 to 100: zero is the colour of the card; values beyond get the colour
        at the end."""
        found = self._strengths.get((strength, alpha))
        if found is None:
            part = 0.0 if abs(strength) > BEYOND else min(abs(strength), FULL) / FULL * alpha
            found = self._strengths[strength, alpha] = self.mixed(self.heat[strength > 0], part)
        return found
