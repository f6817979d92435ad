"""Paints groups: a closed one as a box with its totals, an open one as a frame with a title around what is in it. What
is written on a closed group comes from `group_content`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from gradviz.ui.canvas import group_sizes, sizes
from gradviz.ui.canvas.camera import Box
from gradviz.ui.canvas.group_content import GroupContent
from gradviz.ui.canvas.group_words import GRADIENTS
from gradviz.ui.canvas.ink import LEFT, RIGHT, Ink

if TYPE_CHECKING:
    from gradviz.ui.canvas.moment import Moment
    from gradviz.ui.canvas.placed import Placed

CORNER = 9.0
BEHIND = 3.0  # how far the sheets behind a closed group look out
TINTS = (0.05, 0.09)  # of frames in frames, in turn
READABLE = 0.3  # zoom at which the titles of frames keep their size
SMALLEST_TITLE, LARGEST_TITLE = 0.07, 3.2


def group_colour(ink: Ink, kind: int) -> QColor:
    """The colour of a group: gradients have their own."""
    return ink.colours["gradient" if kind == GRADIENTS else "operation"]


def paint_group(painter: QPainter, ink: Ink, box: QRectF, content: GroupContent) -> None:
    """A closed group: title, what it goes over, how much ran, what it holds and what leaves it."""
    colour = group_colour(ink, content.kind)
    edge = QColor(ink.colours["gradient"] if content.tracked and content.went == content.tracked else colour)
    painter.setPen(QPen(edge, 1.2))
    painter.setBrush(ink.colours["card"])
    for nth in (2, 1):
        painter.drawRoundedRect(box.adjusted(nth * BEHIND, nth * BEHIND, -nth * BEHIND, nth * BEHIND), CORNER, CORNER)
    painter.setPen(QPen(edge, 1.8))
    painter.drawRoundedRect(box, CORNER, CORNER)
    tint = QColor(colour)
    tint.setAlphaF(0.1)
    painter.setBrush(tint)
    painter.drawRoundedRect(box, CORNER, CORNER)
    inner = box.adjusted(sizes.PAD, 0, -sizes.PAD, 0)
    line = QRectF(inner.left(), box.top() + 3, inner.width(), group_sizes.TITLE - 3)
    triangle(painter, ink, line.left() + 5, line.center().y(), is_open=False)
    ink.text(painter, sizes.NAME, "text", line.adjusted(group_sizes.TRIANGLE - 4, 0, 0, 0), content.title, LEFT)
    top = box.top() + group_sizes.TITLE
    if content.detail:
        row = QRectF(inner.left(), top, inner.width(), group_sizes.LINE)
        ink.text(painter, sizes.META, "muted", row, content.detail, LEFT)
        top += group_sizes.LINE
    _totals(painter, ink, QRectF(inner.left(), top, inner.width(), group_sizes.LINE), content)
    _progress(painter, ink, QRectF(inner.left(), top + 2 * group_sizes.LINE + 3, inner.width(), 5.0), content)


def _totals(painter: QPainter, ink: Ink, row: QRectF, content: GroupContent) -> None:
    count = f"{content.operations:,} operations"
    if content.ran < content.operations:
        count = f"{content.ran:,} of {count}"
    ink.text(painter, sizes.META, "muted", row, count, LEFT)
    if content.held:
        ink.text(painter, sizes.META, "saved_text", row, f"holds {content.held}", RIGHT)
    below = row.translated(0, group_sizes.LINE)
    if content.now:
        ink.text(painter, sizes.META, "text", below, f"▸ {content.now}", LEFT)
        return
    if content.went:
        ink.text(painter, sizes.META, "gradient", below, f"∇ {content.went:,} of {content.tracked:,}", LEFT)
    if content.norm:
        name = "error" if content.bad else "gradient"
        ink.text(painter, sizes.META, name, below, f"norm {content.norm}", RIGHT)


def _progress(painter: QPainter, ink: Ink, bar: QRectF, content: GroupContent) -> None:
    """How far the backward pass is."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour("muted", 0.22))
    painter.drawRoundedRect(bar, 2.5, 2.5)
    if content.went and content.tracked:
        done = QRectF(bar)
        done.setLeft(bar.right() - max(bar.width() * content.went / content.tracked, 5.0))
        painter.setBrush(ink.colours["gradient"])
        painter.drawRoundedRect(done, 2.5, 2.5)


def triangle(painter: QPainter, ink: Ink, x: float, y: float, *, is_open: bool, size: float = 4.5) -> None:
    """The sign that a group can be opened, or is."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colours["muted"])
    points = [(-0.7, -1), (0.9, 0), (-0.7, 1)] if not is_open else [(-1, -0.7), (1, -0.7), (0, 0.9)]
    painter.drawConvexPolygon(QPolygonF([QPointF(x + size * dx, y + size * dy) for dx, dy in points]))


def paint_frames(painter: QPainter, ink: Ink, placed: Placed, moment: Moment, world: Box, scale: float) -> None:
    """The frames of the open groups in a box of the world, outer ones first."""
    diagram = placed.diagram
    left, top, right, bottom = world
    frames = placed.frames
    hit = moment.frames & (frames[:, 0] <= right) & (frames[:, 0] + frames[:, 2] >= left)
    hit &= (frames[:, 1] <= bottom) & (frames[:, 1] + frames[:, 3] >= top)
    groups = diagram.structure.groups
    for frame in np.flatnonzero(hit).tolist():
        group = int(diagram.frames[frame])
        depth, kind = int(groups.depth[group]), int(groups.kind[group])
        box = QRectF(*frames[frame].tolist())
        fill = QColor(group_colour(ink, kind))
        fill.setAlphaF(TINTS[depth % len(TINTS)])
        line = QColor(group_colour(ink, kind))
        line.setAlphaF(0.45)
        painter.setPen(QPen(line, max(1.1, 0.8 / scale)))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, CORNER + 3, CORNER + 3)
        if scale >= SMALLEST_TITLE:
            _frame_title(painter, ink, box, groups.title[group], groups.detail[group], scale)


def _frame_title(painter: QPainter, ink: Ink, box: QRectF, title: str, detail: str, scale: float) -> None:
    """The title in its strip, larger where one is far away."""
    grown = min(max(1.0, READABLE / scale * 1.6), LARGEST_TITLE)
    if ink.width(sizes.NAME, title) * grown + 30 * grown > box.width() and grown > 1.0:
        grown = max(1.0, box.width() / (ink.width(sizes.NAME, title) + 30))
    painter.save()
    painter.translate(box.left(), box.top())
    painter.scale(grown, grown)
    line = QRectF(sizes.PAD, 1, box.width() / grown - 2 * sizes.PAD, group_sizes.FRAME_TITLE)
    triangle(painter, ink, line.left() + 4, line.center().y(), is_open=True)
    words = line.adjusted(group_sizes.TRIANGLE - 6, 0, 0, 0)
    ink.text(painter, sizes.NAME, "text", words, title, LEFT)
    used = ink.width(sizes.NAME, title) + sizes.PAD
    if detail and used + 40 < words.width():
        ink.text(painter, sizes.META, "muted", words.adjusted(used, 0, 0, 0), detail, LEFT)
    painter.restore()
    painter.setBrush(QBrush())
