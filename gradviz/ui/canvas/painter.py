"""Paints a placed diagram at a moment, in layers: forward edges, gradients, cards and operations, marks. From far away
the items are coloured blocks, from closer they show their name and main number (`brief`), and up close they are painted
in full. The level of detail depends only on the zoom, never on what happens to be in the painted area, so that painting
a part gives the same pixels as painting everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from math import floor
from time import thread_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QRegion, QTransform

from gradviz.trace.table.frame import Frame
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.brief import Brief, BriefPainter, Briefs, Writer
from gradviz.ui.canvas.camera import Box, Camera
from gradviz.ui.canvas.content import (
    Content,
    GroupContent,
    OperationContent,
    ReferenceContent,
    TensorContent,
    content,
    ticking,
)
from gradviz.ui.canvas.diagram import OP, OPERATION, PLAIN_OP, REFERENCE, TENSOR, Diagram, Ints
from gradviz.ui.canvas.edge_painter import MIDDLE, draw_boxes, paint_flows, paint_forward
from gradviz.ui.canvas.group_painter import paint_frames, paint_group, paint_group_small
from gradviz.ui.canvas.heat import shown_elements
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.item_painter import Spot, number_boxes, paint_card, paint_operation, paint_reference
from gradviz.ui.canvas.moment import Moment, touched
from gradviz.ui.canvas.pills import (
    REASON_WIDTH,
    PillPlaces,
    Spots,
    paint_grown,
    paint_mark,
    paint_pills,
    paint_reason,
    reason_size,
)
from gradviz.ui.canvas.placed import SCREEN, Placed

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

MOST_PIXELS = 12_000_000  # of all sprites
KEPT_PART = 0.75  # of the sprites, once there are too many
MOST_SAID = 4_000  # items whose contents are remembered
MOST_FADES = 40  # items that may cross-fade at the same time
Said = Content | Brief


@dataclass(eq=False)
class SpriteCache:
    """Sprites by item. `part` is the progress of the cross-fade, 1 for none."""

    scale: float = 0.0
    ratio: float = 1.0
    whole: bool = True
    pixels: int = 0
    part: float = 1.0
    known: dict[int, tuple[Said, QPixmap]] = field(default_factory=dict)
    fading: dict[int, tuple[Said, QPixmap]] = field(default_factory=dict)  # what items said before the step, painted
    mixed: set[int] = field(default_factory=set)  # items that are on screen as a mixture
    spots: Spots = field(default_factory=Spots)  # of the words on the edges

    def at(self, scale: float, ratio: float, whole: bool, *, coarse: bool = False) -> dict[int, tuple[Said, QPixmap]]:
        """The sprites at this zoom; those of another zoom are dropped unless a `coarse` picture will do."""
        other = (scale, ratio) != (self.scale, self.ratio) and not (coarse and self.known)
        if other or whole != self.whole:
            self.scale, self.ratio, self.whole, self.pixels, self.known = scale, ratio, whole, 0, {}
            self.fading.clear()
        if self.pixels > MOST_PIXELS:  # those unused for longest go first
            for item in list(self.known):
                if self.pixels <= MOST_PIXELS * KEPT_PART:
                    break
                self._forget(item)
        return self.known

    def _forget(self, item: int) -> None:
        _, sprite = self.known.pop(item)
        self.pixels -= sprite.width() * sprite.height()

    def found(self, item: int, says: Said) -> QPixmap | None:
        """The picture of an item with this content; it becomes the most recently used."""
        kept = self.known.get(item)
        if kept is None or not (kept[0] is says or kept[0] == says):
            return None
        self.known[item] = self.known.pop(item)
        return kept[1]

    def keep(self, item: int, says: Said, sprite: QPixmap) -> None:
        """Remember a picture, and the previous one while it fades."""
        before = self.known.pop(item, None)
        if before is None:
            self.pixels += sprite.width() * sprite.height()
        elif self.part < 1 and len(self.fading) < MOST_FADES:
            self.fading.setdefault(item, before)
        self.known[item] = says, sprite

    def taken_over(self, old: Trace, new: Trace) -> SpriteCache:
        """This cache for a newer trace of the same structure, without brief pictures whose value has changed, since a
        `Brief` holds only the index of the value."""
        for item, (says, _) in [*self.known.items()] if old is not new else ():
            numbers = [number for number in (says.value, says.grad) if number >= 0] if isinstance(says, Brief) else []
            if not all(_is_same(old.value(number), new.value(number)) for number in numbers):
                self._forget(item)
        return self

    def dissolve(self, part: float) -> list[int]:
        """Set the progress of the cross-fade, 0 at the start of a step; returns the items that this changes."""
        items = [*self.fading, *(self.mixed - self.fading.keys())]
        self.part = part
        if part <= 0 or part >= 1:
            self.fading.clear()
            self.mixed.clear()
        return items

    def shown(self, item: int, sprite: QPixmap) -> QPixmap:
        """The picture of an item right now."""
        kept = self.fading.get(item)
        if kept is None or kept[1].size() != sprite.size():
            return sprite
        self.mixed.add(item)
        mixed = _faint(kept[1], 1 - self.part)
        with QPainter(mixed) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Plus)
            painter.drawPixmap(0, 0, _faint(sprite, self.part))
        return mixed


def _is_same(one: Value | None, other: Value | None) -> bool:
    """Whether two values are written the same, as far as that can be told quickly."""
    if one is None or other is None or one.array is None or other.array is None:
        return one is other
    return np.array_equal(one.array, other.array)


def _faint(sprite: QPixmap, part: float) -> QPixmap:
    """A picture at this strength: two whose strengths sum to 1 can be added."""
    faint = QPixmap(sprite.size())
    faint.setDevicePixelRatio(sprite.devicePixelRatio())
    faint.fill(Qt.GlobalColor.transparent)
    with QPainter(faint) as painter:
        painter.setOpacity(part)
        painter.drawPixmap(0, 0, sprite)
    return faint


WHOLE = 0.8  # the zoom, at text scale 1, from which items are painted in full
FAR_BORDER = 0.06  # the zoom from which blocks have borders
REACH = 12.0  # how far arrowheads and dashes extend beside the line of an edge
BLOCK = 0.35  # strength of the colour inside a block


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers that stand out: the one being asked about (its tensor, "value" or "grad", and its index), and those
    that it comes from, by tensor and part."""

    asked: tuple[int, str, int] | None = None
    lit: Mapping[tuple[int, str], Mapping[int, float]] = field(default_factory=dict)


class Sayings:
    """What items say, in full and in brief: kept from step to step, and recomputed where it may have changed since the
    previous moment."""

    def __init__(self) -> None:
        self._at: tuple[Diagram, Frame] | None = None
        self._whole: dict[int, Content] = {}
        self._brief: dict[int, Brief] = {}
        self._briefs: Briefs | None = None

    def whole(self, diagram: Diagram, frame: Frame, item: int) -> Content:
        """The full content of an item."""
        self._go_to(diagram, frame)
        found = self._whole.get(item)
        if found is None:
            found = self._whole[item] = content(diagram, frame, item)
        return found

    def brief(self, diagram: Diagram, frame: Frame, item: int) -> Said:
        """The brief content of an item; a closed group says the same as up close."""
        if diagram.kind[item] > REFERENCE:
            return self.whole(diagram, frame, item)
        self._go_to(diagram, frame)
        found = self._brief.get(item)
        if found is None:
            self._briefs = self._briefs or Briefs(frame)
            found = self._brief[item] = self._briefs.of(diagram, item)
        return found

    def _go_to(self, diagram: Diagram, frame: Frame) -> None:
        before, self._at = self._at, (diagram, frame)
        if before is not None and before[0] is diagram and before[1] is frame:
            return
        self._briefs = None
        changed = touched(diagram, before[1], frame) if before is not None and before[0] is diagram else None
        if changed is None or max(len(self._whole), len(self._brief)) > MOST_SAID:
            self._whole, self._brief = {}, {}
            return
        for item in np.flatnonzero(changed).tolist():
            self._whole.pop(item, None)
            self._brief.pop(item, None)


class ScenePainter:
    """Paints a placed diagram in one theme."""

    def __init__(self, placed: Placed, ink: Ink, numbers: Numbers | None = None) -> None:
        self.placed = placed
        self.ink = ink
        self.sprites = SpriteCache()
        self.budget = SCREEN  # limits of edges and dashes
        self._pills: PillPlaces | None = None
        self.coarse = False  # during a zoom, items up close may be scaled pictures
        self.patience: float | None = None  # seconds after which the remaining new items of a picture are plain blocks
        self.unfinished: list[int] = []  # these blocks, which have to be repainted
        self._sayings = Sayings()
        self.numbers = numbers or Numbers()
        vertical = placed.diagram.drawing.vertical
        self._brief_painter = BriefPainter(ink, Writer(placed.diagram.trace), vertical=vertical)

    def _says(self, moment: Moment, item: int) -> Content:
        """The full content of an item."""
        return self._sayings.whole(self.placed.diagram, moment.frame, item)

    def _says_briefly(self, moment: Moment, item: int) -> Said:
        """The brief content of an item."""
        return self._sayings.brief(self.placed.diagram, moment.frame, item)

    @property
    def pills(self) -> PillPlaces:
        """The words on the edges."""
        if self._pills is None or self._pills.placed is not self.placed:
            self._pills = PillPlaces(self.placed, self.ink, self.sprites.spots)
        return self._pills

    def changed_pills(self, moment: Moment, camera: Camera) -> QRegion:
        """The pixels of words on edges that differ from those painted last."""
        region = QRegion()
        for left, top, right, bottom in self.pills.changed(moment, camera.scale, labels=self.whole(camera.scale)):
            box = QRectF(QPointF(*camera.to_screen(left, top)), QPointF(*camera.to_screen(right, bottom)))
            region += box.adjusted(-3, -3, 3, 3).toAlignedRect()
        return region

    def whole(self, scale: float) -> bool:
        """Whether items are painted in full at this zoom."""
        return scale >= WHOLE * self.ink.theme.scale

    def stale(self, moment: Moment, camera: Camera, area: QRectF, ratio: float) -> list[int]:
        """The items in an area that were painted with words and now say something else."""
        if camera.scale < MIDDLE:
            return []
        whole = self.whole(camera.scale)
        known = self.sprites.at(camera.scale, ratio, whole)
        says = self._says if whole else self._says_briefly
        world = camera.world_box((area.left(), area.top(), area.right(), area.bottom()))
        seen = [item for item in self.items_in(world, moment.items).tolist() if item in known]
        return [item for item in seen if (now := says(moment, item)) is not known[item][0] and now != known[item][0]]

    def items_in(self, world: Box, among: NDArray[np.bool_], margin: float = sizes.MARGIN) -> Ints:
        """The items that meet a box in world coordinates."""
        left, top, right, bottom = world
        corner, size = self.placed.corner, self.placed.diagram.size
        hit = among & (corner[:, 0] + size[:, 0] + margin >= left) & (corner[:, 0] - margin <= right)
        hit &= (corner[:, 1] + size[:, 1] + margin >= top) & (corner[:, 1] - margin <= bottom)
        return np.flatnonzero(hit)

    def paint_edges(self, painter: QPainter, moment: Moment, camera: Camera, area: QRectF) -> None:
        """Paint the layer that only forward steps change."""
        world = camera.world_box((area.left(), area.top(), area.right(), area.bottom()), 10 + REACH * camera.scale)
        painter.setTransform(world_transform(camera), True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_frames(painter, self.ink, self.placed, moment, world, camera.scale)
        paint_forward(painter, self.ink, self.placed, moment, world, camera.scale, self.budget)

    def paint_rest(
        self, painter: QPainter, moment: Moment, camera: Camera, area: QRectF, phase: float, ratio: float | None
    ) -> None:
        """Paint gradients, items and marks; with a pixel `ratio`, items up close are painted through cached sprites."""
        world = camera.world_box((area.left(), area.top(), area.right(), area.bottom()), 10 + REACH * camera.scale)
        painter.save()
        painter.setTransform(world_transform(camera), True)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        paint_flows(painter, self.ink, self.placed, moment, world, camera.scale, phase, self.budget)
        items = self.items_in(world, moment.items)
        if camera.scale >= MIDDLE:
            self._near(painter, moment, items, camera, ratio)
        else:
            self._blocks(painter, moment, items, camera.scale)
        if not self.coarse:
            pills = self.pills.painted = self.pills.at(moment, camera.scale, labels=self.whole(camera.scale))
            paint_pills(painter, self.ink, pills, moment, camera.scale, self.pills)
        if self.numbers.lit:
            _paint_numbers(self, painter, moment, camera.scale)
        for item in moment.current:
            self._halo(painter, moment, item, "halo", camera.scale)
        for item, reason in moment.failed:
            self._halo(painter, moment, item, "error", camera.scale)
            _paint_failed(painter, self, moment, item, reason, camera.scale)
        painter.restore()

    # -- near and middle

    def _near(self, painter: QPainter, moment: Moment, items: Ints, camera: Camera, ratio: float | None) -> None:
        whole = self.whole(camera.scale)
        says = self._says if whole else self._says_briefly
        if ratio is None:
            for item in items.tolist():
                self._paint(painter, item, says(moment, item), camera.scale)
            return
        known = self.sprites.at(camera.scale, ratio, whole, coarse=self.coarse)
        painter.save()
        painter.resetTransform()
        grown, began = camera.scale / self.sprites.scale, thread_time()
        for item in items.tolist():
            if item not in known and self.patience is not None and thread_time() - began > self.patience:
                self._plain(painter, item, camera)
                continue
            box = self._box(item).adjusted(-sizes.MARGIN, -sizes.MARGIN, sizes.MARGIN, sizes.MARGIN)
            x, y = camera.to_screen(box.left(), box.top())
            if grown != 1.0:
                sprite = self._sprite(says(moment, item), item, box)
                size = sprite.deviceIndependentSize() * grown
                painter.drawPixmap(QRectF(QPointF(x, y), size), sprite, QRectF(sprite.rect()))
                continue
            sprite = self._sprite(says(moment, item), item, box)
            place = QPointF(_pixel(x * ratio) / ratio, _pixel(y * ratio) / ratio)
            ticks = self._ticking(item, box)
            painter.drawPixmap(place, ticks if ticks is not None else self.sprites.shown(item, sprite))
        painter.restore()

    def _plain(self, painter: QPainter, item: int, camera: Camera) -> None:
        """A placeholder for an item that the next picture will paint."""
        self.unfinished.append(item)
        card, frame = self.card(item), self.ink.frames[int(self.placed.diagram.category[item])]
        x, y = camera.to_screen(card.left(), card.top())
        painter.setPen(QPen(frame.border, 1.0))
        painter.setBrush(frame.header)
        painter.drawRect(QRectF(x, y, card.width() * camera.scale, card.height() * camera.scale))

    def _sprite(self, says: Said, item: int, box: QRectF) -> QPixmap:
        found = self.sprites.found(item, says)
        if found is not None:
            return found
        sprite = self._drawn(says, item, box)
        self.sprites.keep(item, says, sprite)
        return sprite

    def _ticking(self, item: int, box: QRectF) -> QPixmap | None:
        """A card whose sum is counting up in this step."""
        before, part = self.sprites.fading.get(item), self.pills.travelled
        if before is None or part >= 1 or item not in self.sprites.known:
            return None
        one, other = before[0], self.sprites.known[item][0]
        says = self._brief_painter.ticking(one, other, part) or ticking(one, other, part)
        return self._drawn(says, item, box) if says is not None else None

    def _drawn(self, says: Said, item: int, box: QRectF) -> QPixmap:
        scale, ratio = self.sprites.scale, self.sprites.ratio
        sprite = QPixmap(int(box.width() * scale * ratio) + 2, int(box.height() * scale * ratio) + 2)
        sprite.setDevicePixelRatio(ratio)
        sprite.fill(Qt.GlobalColor.transparent)
        with QPainter(sprite) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing)
            painter.scale(scale, scale)
            painter.translate(-box.left(), -box.top())
            self._paint(painter, item, says, scale)
        return sprite

    def _paint(self, painter: QPainter, item: int, says: Said, scale: float) -> None:
        if isinstance(says, Brief):
            diagram = self.placed.diagram
            kind, category = int(diagram.kind[item]), int(diagram.category[item])
            self._brief_painter.paint(painter, self.card(item), self._box(item), kind, category, says, scale)
            return
        with self.ink.at(scale if self.whole(scale) else self.ink.theme.scale):  # what is small undoes the zoom itself
            self._paint_whole(painter, item, says, scale)

    def _paint_whole(self, painter: QPainter, item: int, says: Content, scale: float) -> None:
        if isinstance(says, OperationContent):
            vertical = self.placed.diagram.drawing.vertical
            paint_operation(painter, self.ink, self._box(item), says, vertical=vertical)
        elif isinstance(says, ReferenceContent):
            paint_reference(painter, self.ink, self.card(item), says)
        elif isinstance(says, GroupContent):
            if self.whole(scale):
                paint_group(painter, self.ink, self.card(item), says)
            else:
                paint_group_small(painter, self.ink, self.card(item), says, scale)
        else:
            paint_card(painter, self.ink, self.card(item), says)

    def _box(self, item: int) -> QRectF:
        return QRectF(*self.placed.corner[item].tolist(), *self.placed.diagram.size[item].tolist())

    def card(self, item: int) -> QRectF:
        """The card or circle of an item."""
        return QRectF(*self.placed.card_corner[item].tolist(), *self.placed.diagram.card[item].tolist())

    # -- far

    def _blocks(self, painter: QPainter, moment: Moment, items: Ints, scale: float) -> None:
        """A map: every item is a block in its colour; operations are dots, orange once the backward pass has reached
        them."""
        placed, diagram = self.placed, self.placed.diagram
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        smallest = 1.5 / scale
        for category, frame in self.ink.frames.items():
            chosen = items[diagram.category[items] == category]
            for ran in (False, True):
                some = chosen[moment.ran[chosen] == ran]
                if not len(some):
                    continue
                border = self.ink.colours["gradient"] if ran else frame.border
                corner, size = placed.card_corner[some], diagram.card[some]
                self._rectangles(painter, corner, size, border, smallest, 0.0)
                if scale > FAR_BORDER and category not in (OP, PLAIN_OP):
                    self._rectangles(painter, corner, size, self.ink.mixed(border, BLOCK), 0.0, 1.4 / scale)

    def _rectangles(
        self, painter: QPainter, corner: Any, size: Any, colour: QColor, smallest: float, inset: float
    ) -> None:
        boxes = np.empty((len(corner), 4))
        boxes[:, :2] = corner + inset
        boxes[:, 2:] = np.maximum(size - 2 * inset, smallest)
        painter.setBrush(colour)
        draw_boxes(painter, boxes)

    # -- marks

    def _halo(self, painter: QPainter, moment: Moment, item: int, colour: str, scale: float) -> None:
        card = _outline(self, moment, item, scale)
        wide = max(3.0, 2.0 / scale)
        around = card.adjusted(-wide - 1, -wide - 1, wide + 1, wide + 1)
        round_corner = around.height() / 2 if self.placed.diagram.kind[item] == OPERATION else 9.0
        painter.setBrush(QBrush())
        painter.setPen(QPen(self.ink.colour(colour, 0.28), 2.6 * wide))
        painter.drawRoundedRect(around, round_corner, round_corner)
        painter.setPen(QPen(self.ink.colour(colour), wide))
        painter.drawRoundedRect(around, round_corner, round_corner)

    def paint_selection(self, painter: QPainter, camera: Camera, item: int, focused: bool) -> None:
        """The frame around the selection."""
        painter.save()
        painter.setTransform(world_transform(camera), True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        gap = max(7.0, 3.0 / camera.scale)
        pen = QPen(self.ink.colours["focus"], max(1.6, 1.6 / camera.scale))
        pen.setStyle(Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(QBrush())
        painter.drawRoundedRect(self._box(item).adjusted(-gap, -gap, gap, gap), 10, 10)
        painter.restore()


def _outline(of: ScenePainter, moment: Moment, item: int, scale: float) -> QRectF:
    """The card or circle of an item as it is painted at this zoom: at medium zoom a name widens its circle."""
    card = of.card(item)
    if of.placed.diagram.kind[item] != OPERATION or scale < MIDDLE or of.whole(scale):
        return card
    says = of._says_briefly(moment, item)
    return of._brief_painter.circle(card, of._box(item), says.name, scale) if isinstance(says, Brief) else card


def words(of: ScenePainter, moment: Moment, scale: float) -> list[Box]:
    """Boxes of what is said beside the items in this step: on its edges, and why an item failed."""
    pills = of.pills.at(moment, scale, labels=of.whole(scale)) if scale >= MIDDLE and not of.coarse else ()
    boxes = (reason_box(of, moment, item, reason, scale) for item, reason in moment.failed)
    reasons = [(box.left(), box.top(), box.right(), box.bottom()) for box in boxes]
    return [*(pill.box for pill in pills if pill.now), *reasons]


def reason_box(of: ScenePainter, moment: Moment, item: int, reason: str, scale: float) -> QRectF:
    """Where it is said why an item failed, at a size that is legible at any zoom: below it, or as near to that as it
    covers nothing."""
    size = reason_size(of.ink, reason, REASON_WIDTH) * max(1.0, of.ink.theme.scale / scale)
    return of.pills.free_place(moment, of._box(item), size, labels=of.whole(scale))


def _paint_failed(
    painter: QPainter, of: ScenePainter, moment: Moment, item: int, reason: str, scale: float
) -> None:  # fmt: skip
    """A red mark on an item, and the reason in its place, joined to the item if it had to go further away."""
    ink, card, place = of.ink, of.card(item), reason_box(of, moment, item, reason, scale)
    grown = place.width() / reason_size(ink, reason, REASON_WIDTH).width()
    if not place.adjusted(0, -3 * sizes.LABEL_HEIGHT, 0, 3 * sizes.LABEL_HEIGHT).intersects(card):
        painter.setPen(ink.pen("error", 1.2))
        painter.drawLine(card.center() + QPointF(0, card.height() / 2), QPointF(card.center().x(), place.top()))
    mark = QPointF(card.right() - 2, card.center().y() + 12)
    top = QPointF(place.center().x(), place.top())
    paint_grown(painter, mark, grown, partial(paint_mark, painter, ink, QPointF()))
    paint_grown(painter, top, grown, partial(paint_reason, painter, ink, QPointF(), reason))


def _pixel(length: float) -> int:
    """The nearest whole number, with halves always rounded up: `round` would round them to even, and items of a
    scrolled picture would be a pixel away from those of a freshly painted one. The small addend absorbs rounding errors
    of the camera's position."""
    return floor(length + 0.5 + 1e-6)


def world_transform(camera: Camera) -> QTransform:
    """From world coordinates to the pixels of a camera."""
    scale = camera.scale
    return QTransform(scale, 0, 0, scale, -camera.left * scale, -camera.top * scale)


# -- single numbers


def number_at(
    of: ScenePainter, moment: Moment, item: int, camera: Camera, pixel: QPoint
) -> tuple[int, str, int] | None:
    """The number of a tensor that is written under a pixel: the tensor, "value" or "grad", and its index."""
    at = QPointF(*camera.to_world(pixel.x(), pixel.y()))
    tensor = int(of.placed.diagram.index[item])
    found = numbers_of(of, moment, item, camera.scale)
    return next(((tensor, part, index) for part, index, box in found if box.contains(at)), None)


def numbers_of(of: ScenePainter, moment: Moment, item: int, scale: float) -> Iterator[tuple[str, int, QRectF]]:
    """The numbers that a card shows at this zoom, written or as cells of a picture: "value" or "grad", the index in the
    tensor, and the box."""
    from gradviz.session.inspect.origins import value_of  # not before it is needed

    diagram = of.placed.diagram
    if diagram.kind[item] != TENSOR or scale < MIDDLE:
        return
    tensor = int(diagram.index[item])
    for part, spots in groupby(_spots(of, moment, item, scale), lambda spot: spot.part):
        value = value_of(moment.frame, tensor, part)
        if value is None or not value.numel:
            continue
        pictured = shown_elements(value.positions).reshape(-1).tolist()
        for spot in spots:
            index = pictured[spot.index] if spot.pictured else spot.index
            if index >= 0:
                yield part, index, spot.box


def _spots(of: ScenePainter, moment: Moment, item: int, scale: float) -> Iterator[Spot]:
    if of.whole(scale):
        whole = of._says(moment, item)
        return number_boxes(of.card(item), whole) if isinstance(whole, TensorContent) else iter(())
    brief = of._says_briefly(moment, item)
    return of._brief_painter.number_boxes(of.card(item), brief, scale) if isinstance(brief, Brief) else iter(())


def _paint_numbers(of: ScenePainter, painter: QPainter, moment: Moment, scale: float) -> None:
    """Frames around the number that is being asked about and around those that it comes from."""
    diagram = of.placed.diagram
    painter.setBrush(QBrush())
    for tensor in sorted({tensor for tensor, _ in of.numbers.lit}):
        for item in np.flatnonzero((diagram.kind == TENSOR) & (diagram.index == tensor) & moment.items).tolist():
            for part, index, box in numbers_of(of, moment, item, scale):
                asked = (tensor, part, index) == of.numbers.asked
                if asked or index in of.numbers.lit.get((tensor, part), {}):
                    painter.setPen(of.ink.pen("focus", (2.6 if asked else 1.3) / min(scale, 1.0)))
                    painter.drawRect(box)
