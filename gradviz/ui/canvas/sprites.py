"""Items as they were painted: painted anew only when what they say, or the zoom, has changed. Where things may move by
themselves a new picture dissolves out of the one before it, so that one sees what a step has changed: a buffer's tab
fades to its outline, a number to the next."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from gradviz.ui.canvas.brief import Brief
from gradviz.ui.canvas.content import Content

MOST_PIXELS = 12_000_000  # of all sprites
MOST_FADES = 40  # items that may dissolve at the same time
Said = Content | Brief


@dataclass(eq=False)
class Sprites:
    """By item. `part` says how far the dissolving is, 1 for none."""

    scale: float = 0.0
    ratio: float = 1.0
    whole: bool = True
    pixels: int = 0
    part: float = 1.0
    known: dict[int, tuple[Said, QPixmap]] = field(default_factory=dict)
    fading: dict[int, QPixmap] = field(default_factory=dict)  # how items were painted before the step

    def at(self, scale: float, ratio: float, whole: bool, *, coarse: bool = False) -> dict[int, tuple[Said, QPixmap]]:
        """The sprites of this zoom; those of another zoom are forgotten, unless a `coarse` picture will do."""
        other = (scale, ratio) != (self.scale, self.ratio) and not (coarse and self.known)
        if other or whole != self.whole or self.pixels > MOST_PIXELS:
            self.scale, self.ratio, self.whole, self.pixels, self.known = scale, ratio, whole, 0, {}
            self.fading.clear()
        return self.known

    def keep(self, item: int, says: Said, sprite: QPixmap) -> None:
        """Remember one, and the one before it while it dissolves."""
        before = self.known.get(item)
        if before is None:
            self.pixels += sprite.width() * sprite.height()
        elif self.part < 1 and len(self.fading) < MOST_FADES:
            self.fading.setdefault(item, before[1])
        self.known[item] = says, sprite

    def dissolve(self, part: float) -> list[int]:
        """How far it is now, 0 for the beginning of a step; the items that look different by that."""
        if part <= 0:
            self.fading.clear()
        items = list(self.fading)
        self.part = part
        if part >= 1:
            self.fading.clear()
        return items

    def shown(self, item: int, sprite: QPixmap) -> QPixmap:
        """The picture of an item at this moment."""
        before = self.fading.get(item)
        if before is None or before.size() != sprite.size():
            return sprite
        mixed = _faint(before, 1 - self.part)
        with QPainter(mixed) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Plus)
            painter.drawPixmap(0, 0, _faint(sprite, self.part))
        return mixed


def _faint(sprite: QPixmap, part: float) -> QPixmap:
    """A part of a picture: two parts that are 1 together may be added."""
    faint = QPixmap(sprite.size())
    faint.setDevicePixelRatio(sprite.devicePixelRatio())
    faint.fill(Qt.GlobalColor.transparent)
    with QPainter(faint) as painter:
        painter.setOpacity(part)
        painter.drawPixmap(0, 0, sprite)
    return faint
