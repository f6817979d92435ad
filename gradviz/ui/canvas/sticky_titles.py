"""Titles of frames that stay at the edge of the view while their own strip is out of it: one knows inside of what one
looks. Over the picture, in pixels. The titles in their places are in `group_painter`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.group_painter import group_colour
from gradviz.ui.canvas.ink import LEFT

if TYPE_CHECKING:
    from gradviz.ui.canvas.camera import Camera
    from gradviz.ui.canvas.ink import Ink
    from gradviz.ui.canvas.moment import Moment
    from gradviz.ui.canvas.placed import Placed

HEIGHT = 20.0
EDGE = 6.0  # to the edges of the view
PAD = 8.0
BEGINNING = 60.0  # of a title, in the world: without it, it says nothing
MOST = 4  # titles below each other
NARROWEST = 60.0  # pixels of a frame in view
BELOW = 0.5  # of the height of the view, that a frame must still reach below its titles
SEPARATOR = " › "


def away(placed: Placed, moment: Moment, camera: Camera, width: float, height: float) -> list[int]:
    """The frames that go on over the middle of the view and whose titles are out of it, outer ones first."""
    if not len(placed.frames):
        return []
    left, top = camera.to_world(0, 0)
    right, middle = camera.to_world(width, height * BELOW)
    frames = placed.frames
    hidden = (frames[:, 1] + sizes.FRAME_TITLE < top) | (frames[:, 0] + BEGINNING < left)
    hidden &= moment.frames & (frames[:, 1] < middle) & (frames[:, 1] + frames[:, 3] > middle)
    centre = (left + right) / 2
    hidden &= (frames[:, 0] < centre) & (frames[:, 0] + frames[:, 2] > centre)
    groups = placed.diagram.structure.groups
    found = [int(each) for each in np.flatnonzero(hidden)]
    return sorted(found, key=lambda frame: int(groups.depth[int(placed.diagram.frames[frame])]))[-MOST:]


def title(placed: Placed, frames: list[int]) -> str:
    """The titles as one line, from the outermost to the innermost."""
    groups = placed.diagram.structure.groups
    return SEPARATOR.join(str(groups.title[int(placed.diagram.frames[frame])]) for frame in frames)


def paint_sticky_title(
    painter: QPainter, ink: Ink, placed: Placed, moment: Moment, camera: Camera, view: QSize
) -> None:
    """The line in the upper left corner."""
    frames = away(placed, moment, camera, view.width(), view.height())
    if not frames:
        return
    scale, text = ink.theme.scale, title(placed, frames)
    room = min(ink.width(sizes.NAME, text) * scale + 2 * PAD, view.width() * 0.6)
    box = QRectF(EDGE, EDGE, max(room, NARROWEST), HEIGHT * scale)
    kind = int(placed.diagram.structure.groups.kind[int(placed.diagram.frames[frames[-1]])])
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(group_colour(ink, kind), 1.2, Qt.PenStyle.SolidLine))
    painter.setBrush(group_colour(ink, kind, fill=True))
    painter.drawRoundedRect(box, 5, 5)
    painter.translate(box.left() + PAD, box.top())
    painter.scale(scale, scale)
    words = QRectF(0, 0, (box.width() - 2 * PAD) / scale + 1, box.height() / scale)
    ink.text(painter, sizes.NAME, "text", words, text, LEFT)
    painter.restore()
