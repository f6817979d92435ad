"""Paints groups: a closed one as a box with its totals, an open one as a titled frame around its contents. If the title
strip of a frame is out of view, its title sticks to the edge of the view, so that the enclosing group stays
identifiable. The text on a closed group comes from `content`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from gradviz.lists import quantity
from gradviz.trace.table.regions import RegionKind
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.camera import Box
from gradviz.ui.canvas.content import GroupContent
from gradviz.ui.canvas.groups import GRADIENTS
from gradviz.ui.canvas.ink import CENTRE, LEFT, RIGHT, Ink

if TYPE_CHECKING:
    from gradviz.ui.canvas.camera import Camera
    from gradviz.ui.canvas.diagram import Floats
    from gradviz.ui.canvas.ink import Ink
    from gradviz.ui.canvas.moment import Moment
    from gradviz.ui.canvas.placed import Placed


CORNER = 9.0
BEYOND = 40.0  # of the edge of the picture beyond which a frame may end unseen
BEHIND, SHEETS = 4.0, 2  # how far each sheet behind a loop peeks out, and how many there are
TINTS = (0.0, 0.035)  # nested frames alternate: they never get darker with depth
BAR = 6.0
SMALL_BAR = 8.0  # height of the bar of a small one, in pixels
TITLE_HEIGHT = 17.0
REACH = 60.0  # how far a title may extend above its frame
TITLE_TEXT = 0.85  # of its own size: the largest that the title of a frame gets from far away
SMALL_TEXT = 1.0  # of the fonts of groups up close
READABLE = 0.3  # the zoom below which titles of frames keep their size
SMALLEST_TITLE, LARGEST_TITLE = 0.07, 3.2


def group_colour(ink: Ink, kind: int, *, fill: bool = False) -> QColor:
    """The colour of a group; gradients have their own."""
    name = "gradient" if kind == GRADIENTS else "group"
    return ink.colours[f"{name}_fill" if fill else name]


def paint_group(painter: QPainter, ink: Ink, box: QRectF, content: GroupContent) -> None:
    """A closed group: title, what it iterates over, how much has run, what it holds and what leaves it."""
    header = QRectF(box.left(), box.top(), box.width(), sizes.GROUP_TITLE)
    _body(painter, ink, box, header, content, CORNER, 1.8)
    inner = box.adjusted(sizes.PAD, 0, -sizes.PAD, 0)
    line = QRectF(inner.left(), header.top(), inner.width(), header.height())
    triangle(painter, ink, line.left() + 5, line.center().y(), is_open=False)
    ink.text(painter, sizes.NAME, "text", line.adjusted(sizes.TRIANGLE - 4, 0, 0, 0), content.title, LEFT)
    top = header.bottom() + 3
    if content.detail:
        row = QRectF(inner.left(), top, inner.width(), sizes.GROUP_LINE)
        ink.text(painter, sizes.META, "muted", row, content.detail, LEFT)
        top += sizes.GROUP_LINE
    _totals(painter, ink, QRectF(inner.left(), top, inner.width(), sizes.GROUP_LINE), content)
    _progress(painter, ink, QRectF(inner.left(), top + 2 * sizes.GROUP_LINE + 3, inner.width(), BAR), content)


def paint_group_small(painter: QPainter, ink: Ink, box: QRectF, content: GroupContent, scale: float) -> None:
    """A closed group too far away for all of its words: title, count and progress, in readable text."""
    painter.save()
    painter.translate(box.topLeft())
    painter.scale(1 / scale, 1 / scale)
    size = SMALL_TEXT * ink.theme.scale
    area = QRectF(0, 0, box.width() * scale, box.height() * scale)
    line = sizes.NOTE * ink.theme.scale
    lines = max(int((area.height() - SMALL_BAR) / line), int(area.height() >= line + 4))
    header = QRectF(0, 0, area.width(), line + 2 if lines > 1 else area.height())
    _body(painter, ink, area, header, content, max(CORNER * scale, 2.5), max(1.8 * scale, 1.3))
    _progress(painter, ink, QRectF(5, area.height() - 7, area.width() - 10, 3.5), content)
    rows = [(sizes.NAME, "error", f"! {content.title}") if content.problem else (sizes.NAME, "text", content.title)]
    rows += [(sizes.META, "error", f"! {content.problem}")] if content.problem and lines > 1 else []
    rows += [(sizes.META, "muted", content.detail)] if content.detail and lines > 2 else []
    rows += [(sizes.META, "muted", f"{content.operations:,} {_operations(content)}")] if lines > len(rows) else []
    rows += [(sizes.META, "gradient", f"∇ norm {content.norm}")] if content.norm and lines > len(rows) else []
    painter.scale(size, size)
    wide = area.width() / size
    for nth, (role, colour, text) in enumerate(rows if lines else []):
        row = QRectF(5, (nth * line + 1) / size, wide - 9, line / size)
        if nth == 0 and lines > 1 and ink.width(role, text) <= row.width() - 13:
            triangle(painter, ink, 10, row.center().y(), is_open=False, size=4)
            row.setLeft(18)
        ink.text(painter, role, colour, row, text, LEFT)
    painter.restore()


def _body(
    painter: QPainter, ink: Ink, box: QRectF, header: QRectF, content: GroupContent, corner: float, width: float
) -> None:
    """The box with its header; that of a loop is the top sheet of a stack."""
    done = bool(content.tracked) and content.went == content.tracked
    edge = ink.colours["gradient"] if done else group_colour(ink, content.kind)
    edge = ink.colours["error"] if content.problem else edge
    sheets = SHEETS if content.kind == RegionKind.LOOP or content.detail else 0
    painter.setBrush(ink.colours["card"])
    painter.setPen(QPen(ink.mixed(edge, 0.6), width * 0.7))
    for nth in range(sheets, 0, -1):
        shift = nth * BEHIND * corner / CORNER
        painter.drawRoundedRect(box.translated(shift, shift), corner, corner)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawRoundedRect(box, corner, corner)
    painter.save()
    painter.setClipRect(header, Qt.ClipOperation.IntersectClip)
    painter.setBrush(group_colour(ink, content.kind, fill=True))
    painter.drawRoundedRect(box, corner, corner)
    painter.restore()
    painter.setPen(QPen(edge, width))
    painter.setBrush(QBrush())
    painter.drawRoundedRect(box, corner, corner)


def _operations(content: GroupContent) -> str:
    return "operation" if content.operations == 1 else "operations"


def _totals(painter: QPainter, ink: Ink, row: QRectF, content: GroupContent) -> None:
    room = row.width() - (_held(painter, ink, row, f"holds {content.held}") + 8 if content.held else 0.0)
    count, noun = f"{content.operations:,}", _operations(content)
    if content.ran < content.operations:
        count = f"{content.ran:,} of {count}"
    numbers = f" · {quantity(content.parameters, 'parameter')}" if content.parameters else ""
    text = _fitting(ink, room, f"{count} {noun}{numbers}", f"{count} {noun}", f"{count} op.", count)
    ink.text(painter, sizes.META, "muted", QRectF(row.left(), row.top(), room, row.height()), text, LEFT)
    below = row.translated(0, sizes.GROUP_LINE)
    if content.now or content.problem:
        colour, text = ("text", f"▸ {content.now}") if content.now else ("error", f"! {content.problem}")
        ink.text(painter, sizes.META, colour, below, text, LEFT)
        return
    norm = f"norm {content.norm}" if content.norm else ""
    if norm:
        ink.text(painter, sizes.META, "error" if content.bad else "gradient", below, norm, RIGHT)
    if content.went:
        room = below.width() - (ink.width(sizes.META, norm) + 8 if norm else 0.0)
        share = f"∇ {100 * content.went // max(1, content.tracked)} %"
        text = _fitting(ink, room, f"∇ {content.went:,} of {content.tracked:,}", share, "")
        ink.text(painter, sizes.META, "gradient", below, text, LEFT)


def _fitting(ink: Ink, room: float, *ways: str) -> str:
    """The first of several phrasings that fits, or the last and shortest."""
    return next((way for way in ways if ink.width(sizes.META, way) <= room), ways[-1])


def _held(painter: QPainter, ink: Ink, row: QRectF, text: str) -> float:
    """What the operations hold, on a tab like that of a saved buffer; returns its width."""
    width = ink.width(sizes.META, text) + 2 * sizes.TAB_PAD
    tab = QRectF(row.right() - width, row.center().y() - sizes.TAB_HEIGHT / 2, width, sizes.TAB_HEIGHT)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colours["saved"])
    painter.drawRoundedRect(tab, 3.5, 3.5)
    ink.text(painter, sizes.META, "saved_text", tab, text, CENTRE)
    return width


def _progress(painter: QPainter, ink: Ink, bar: QRectF, content: GroupContent) -> None:
    """Forward progress from the left, and over it backward progress from the right."""
    radius = bar.height() / 2
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour("muted", 0.2))
    painter.drawRoundedRect(bar, radius, radius)
    if content.ran and content.operations:
        done = QRectF(bar)
        done.setWidth(max(bar.width() * content.ran / content.operations, bar.height()))
        painter.setBrush(ink.colour("forward", 0.55))
        painter.drawRoundedRect(done, radius, radius)
    if content.went and content.tracked:
        done = QRectF(bar)
        done.setLeft(bar.right() - max(bar.width() * content.went / content.tracked, bar.height()))
        painter.setBrush(ink.colours["gradient"])
        painter.drawRoundedRect(done, radius, radius)


def triangle(painter: QPainter, ink: Ink, x: float, y: float, *, is_open: bool, size: float = 4.5) -> None:
    """The triangle that shows that a group can be opened, or is open."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colours["muted"])
    points = [(-0.7, -1), (0.9, 0), (-0.7, 1)] if not is_open else [(-1, -0.7), (1, -0.7), (0, 0.9)]
    painter.drawConvexPolygon(QPolygonF([QPointF(x + size * dx, y + size * dy) for dx, dy in points]))


def paint_frames(painter: QPainter, ink: Ink, placed: Placed, moment: Moment, world: Box, scale: float) -> None:
    """The frames of the open groups that meet a box in world coordinates, outer ones first."""
    diagram = placed.diagram
    left, top, right, bottom = world
    frames = placed.frames
    hit = moment.frames & (frames[:, 0] <= right) & (frames[:, 0] + frames[:, 2] >= left)
    hit &= (frames[:, 1] - REACH <= bottom) & (frames[:, 1] + frames[:, 3] >= top)
    groups = diagram.structure.groups
    around = QRectF(left, top, right - left, bottom - top).adjusted(-BEYOND, -BEYOND, BEYOND, BEYOND)
    for frame in np.flatnonzero(hit).tolist():
        group = int(diagram.frames[frame])
        depth, kind = int(groups.depth[group]), int(groups.kind[group])
        box = QRectF(*frames[frame].tolist())
        _frame(painter, ink, box if kind == GRADIENTS else box & around, kind, depth, scale)  # dashes stay in place
        if scale >= SMALLEST_TITLE:
            _frame_title(painter, ink, box, groups.title[group], groups.detail[group], scale)


def _frame(painter: QPainter, ink: Ink, box: QRectF, kind: int, depth: int, scale: float) -> None:
    """The background of an open group, alternately plain and tinted, its border and its title strip."""
    colour = group_colour(ink, kind)
    strip, line = QColor(colour), QColor(colour)
    tint = 0.07 if kind == GRADIENTS else TINTS[depth % len(TINTS)]
    strip.setAlphaF(0.09)
    line.setAlphaF(0.55)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.mixed(colour, tint, "canvas"))
    painter.drawRoundedRect(box, CORNER, CORNER)
    if scale >= READABLE:
        painter.save()
        head = QRectF(box.left(), box.top(), box.width(), sizes.FRAME_TITLE)
        painter.setClipRect(head, Qt.ClipOperation.IntersectClip)
        painter.setBrush(strip)
        painter.drawRoundedRect(box, CORNER, CORNER)
        painter.restore()
    pen = QPen(line, 1.2 if scale >= READABLE else 1.0)
    pen.setCosmetic(scale < READABLE)
    if kind == GRADIENTS:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(QBrush())
    painter.drawRoundedRect(box, CORNER, CORNER)


def _frame_title(painter: QPainter, ink: Ink, box: QRectF, title: str, detail: str, scale: float) -> None:
    """The title in its strip, enlarged from far away."""
    grown = min(max(1.0, TITLE_TEXT * ink.theme.scale / scale), LARGEST_TITLE)
    painter.save()
    painter.translate(box.left(), box.top())
    painter.scale(grown, grown)
    strip = sizes.FRAME_TITLE / grown
    height = max(strip, TITLE_HEIGHT)  # it stands on the strip and extends above its upper edge
    line = QRectF(sizes.PAD, strip - height, box.width() / grown - 2 * sizes.PAD, height)
    if height > strip:  # so that the border does not strike it through
        shown = min(ink.width(sizes.NAME, title) + sizes.TRIANGLE, line.width())
        painter.fillRect(QRectF(line.left() - 3, line.top(), shown + 2, height - 1), ink.colours["canvas"])
    triangle(painter, ink, line.left() + 4, line.center().y(), is_open=True)
    words = line.adjusted(sizes.TRIANGLE - 6, 0, 0, 0)
    ink.text(painter, sizes.NAME, "text", words, title, LEFT)
    used = ink.width(sizes.NAME, title) + sizes.PAD
    if detail and used + 40 < words.width():
        ink.text(painter, sizes.META, "muted", words.adjusted(used, 0, 0, 0), detail, LEFT)
    painter.restore()
    painter.setBrush(QBrush())


def paint_frame_selection(painter: QPainter, ink: Ink, box: Floats, camera: Camera, *, focused: bool) -> None:
    """The selection around the frame of an open group, which is given as left, top, width and height in world
    coordinates."""
    left, top, width, height = box.tolist()
    x, y = camera.to_screen(left, top)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(ink.colours["focus"], 2.0)
    pen.setStyle(Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine)
    painter.setPen(pen)
    painter.setBrush(QBrush())
    radius = 12 * camera.scale
    painter.drawRoundedRect(QRectF(x, y, width * camera.scale, height * camera.scale), radius, radius)
    painter.restore()


# -- titles that stick to the edge of the view, in pixels

HEIGHT = 20.0
EDGE = 6.0  # to the edges of the view
PAD = 8.0
BEGINNING = 60.0  # length of the start of a title, in world units, without which it means nothing
MOST = 4  # titles one below the other
NARROWEST = 60.0  # pixels of such a line
WIDEST = 0.6  # of the view
BELOW = 0.5  # fraction of the view's height below which a frame must still extend
SEPARATOR = " › "


def away(placed: Placed, moment: Moment, camera: Camera, width: float, height: float) -> list[int]:
    """The frames that span the middle of the view while their titles are out of it, outer ones first."""
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
    """The titles as one line, outermost first."""
    groups = placed.diagram.structure.groups
    return SEPARATOR.join(str(groups.title[int(placed.diagram.frames[frame])]) for frame in frames)


def sticky_strip(scale: float, view: QSize) -> QRect:
    """The pixels that such a line can occupy, whatever it says."""
    return QRect(0, 0, int(view.width() * WIDEST + 2 * EDGE), int(HEIGHT * scale + 2 * EDGE))


def paint_sticky_title(
    painter: QPainter, ink: Ink, placed: Placed, moment: Moment, camera: Camera, view: QSize
) -> None:
    """Paint the line in the upper left corner."""
    frames = away(placed, moment, camera, view.width(), view.height())
    if not frames:
        return
    scale, text = ink.theme.scale, title(placed, frames)
    room = min(ink.width(sizes.NAME, text) * scale + 2 * PAD, view.width() * WIDEST)
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
