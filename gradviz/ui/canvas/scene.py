"""A placed diagram at its cursor, with a selection: what `view` asks in order to paint, to find things, and to learn
what a step changed. It finds items (under the pointer, by tensor or node, along the edges from the selected one) and
groups (which are open, what is around what, where to click). It has no widget and no camera of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QPainter, QRegion

from gradviz.trace.words.explain import step_title
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.camera import Box, Camera
from gradviz.ui.canvas.diagram import GROUP, OPERATION, REFERENCE, TENSOR, Flags, Ints
from gradviz.ui.canvas.group_painter import paint_frame_selection
from gradviz.ui.canvas.hover_words import Words, words
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.marks import Marks
from gradviz.ui.canvas.moment import Moment, moment
from gradviz.ui.canvas.painter import ScenePainter, number_at
from gradviz.ui.canvas.placed import Morph, Placed
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.groups import Groups


# -- finding items and groups

FINGER = 6.0  # pixels around a triangle that count as part of it
KINDS = {TENSOR: "tensor", OPERATION: "node", REFERENCE: "tensor", GROUP: "group"}


def item_at(placed: Placed, moment: Moment, x: float, y: float) -> int:
    """The visible item at a world point, -1 for none."""
    offset = np.array((x, y)) - placed.corner
    hit = moment.items & (offset >= 0).all(1) & (offset <= placed.diagram.size).all(1)
    found = np.flatnonzero(hit)
    return int(found[-1]) if len(found) else -1


def nearest(placed: Placed, moment: Moment, x: float, y: float) -> int:
    """The visible item nearest to a world point, -1 for none."""
    seen = np.flatnonzero(moment.items)
    return int(seen[np.abs(placed.centre[seen] - (x, y)).sum(1).argmin()]) if len(seen) else -1


def find(placed: Placed, moment: Moment, kind: str, index: int) -> int:
    """The item of a tensor, node or group, or the closed group that contains it: preferably a visible one, -1 for
    none."""
    diagram = placed.diagram
    if kind == "node":
        return int(diagram.item_of_node[index]) if 0 <= index < len(diagram.item_of_node) else -1
    found = diagram.items_of_group(index) if kind == "group" else diagram.items_of_tensor(index)
    if kind == "tensor" and not len(found):
        found = diagram.items_around_tensor(index)
    found = found[np.argsort(diagram.kind[found], kind="stable")]
    seen = found[moment.items[found]]
    return int(seen[0]) if len(seen) else int(found[0]) if len(found) else -1


def neighbour(placed: Placed, moment: Moment, item: int, direction: str) -> int:
    """The item next to this one: along an edge to the "left" or "right", or the nearest "up" or "down"; -1 for none."""
    edges = placed.diagram.edges[moment.edges]
    if direction in ("left", "right"):  # if there are several, the first argument or the first use
        near = edges[edges[:, 1] == item, 0] if direction == "left" else edges[edges[:, 0] == item, 1]
        return int(near[0]) if len(near) else -1
    offset = placed.centre - placed.centre[item]
    sign = -1 if direction == "up" else 1
    ahead = np.flatnonzero(moment.items & (offset[:, 1] * sign > 4))
    if not len(ahead):
        return -1
    cost = np.abs(offset[ahead, 0]) * 2 + np.abs(offset[ahead, 1])
    return int(ahead[cost.argmin()])


def first(placed: Placed, moment: Moment) -> int:
    """Where the keyboard starts: at the item of the current step, otherwise at the leftmost visible one."""
    if moment.focus >= 0:
        return moment.focus
    seen = np.flatnonzero(moment.items)
    return int(seen[placed.corner[seen, 0].argmin()]) if len(seen) else -1


@dataclass(frozen=True, eq=False)
class SceneGroups:
    """Things are items, or frames of open groups as -2 - frame; -1 is nothing."""

    placed: Placed
    moment: Moment

    @property
    def all(self) -> Groups:
        """All groups, open and closed."""
        return self.placed.diagram.structure.groups

    def is_group(self, thing: int) -> bool:
        """Whether an item is a closed group."""
        return thing >= 0 and bool(self.placed.diagram.kind[thing] == GROUP)

    def is_closed(self, group: int) -> bool:
        """Whether a group is drawn as one item."""
        return bool((self.placed.diagram.group == group).any())

    def at(self, thing: int) -> int:
        """The group that a thing is, or that is around it; -1 for none."""
        diagram = self.placed.diagram
        if thing == -1:
            return -1
        if self.is_group(thing):
            return int(diagram.group[thing])
        frame = -2 - thing if thing < -1 else int(diagram.frame_of[thing])
        return int(diagram.frames[frame]) if frame >= 0 else -1

    def closed_around(self, kind: str, index: int) -> list[int]:
        """The groups to open before a tensor, operation or group becomes visible itself, innermost first."""
        structure, groups = self.placed.diagram.structure, self.all
        if kind == "node":
            inner = int(groups.of_node[index]) if 0 <= index < len(groups.of_node) else -1
        elif kind == "tensor":
            cards = np.flatnonzero(structure.cards[:, 1] == index)
            shown = cards[self.moment.graphs[structure.cards[cards, 0]]]
            chosen = shown if len(shown) else cards
            inner = int(structure.group_of_card[chosen[0]]) if len(chosen) else -1
        else:
            found = np.flatnonzero(groups.index == index)
            inner = int(groups.parent[found[0]]) if len(found) else -1
        opened = set(self.placed.diagram.frames.tolist())
        return [group for group in groups.path(inner) if group not in opened]

    # -- the frames of open groups

    def frame_of(self, index: int) -> int:
        """The frame of an open group as a thing, preferably a visible one; -1 for none."""
        frames = self.placed.diagram.frames_of_group(index)
        seen = frames[self.moment.frames[frames]]
        return -2 - int(seen[0] if len(seen) else frames[0]) if len(frames) else -1

    def first_in(self, thing: int) -> int:
        """The leftmost visible item directly in a frame, otherwise anywhere inside; -1 for none."""
        inside = np.flatnonzero((self.placed.diagram.frame_of == -2 - thing) & self.moment.items)
        return int(inside[self.placed.corner[inside, 0].argmin()]) if len(inside) else -1

    def title_at(self, camera: Camera, pixel: QPoint) -> int:
        """The innermost frame whose title is under a pixel, as a thing; -1 for none."""
        x, y = camera.to_world(pixel.x(), pixel.y())
        frames = self.placed.frames
        hit = self.moment.frames & (frames[:, 0] <= x) & (x <= frames[:, 0] + frames[:, 2])
        hit &= (frames[:, 1] <= y) & (y <= frames[:, 1] + sizes.FRAME_TITLE)
        found = np.flatnonzero(hit)
        return -2 - int(found[-1]) if len(found) else -1

    def is_triangle(self, thing: int, camera: Camera, pixel: QPoint) -> bool:
        """Whether a pixel is on the triangle of a group."""
        if thing == -1 or (thing >= 0 and not self.is_group(thing)):
            return False
        box = self.placed.corner[thing] if thing >= 0 else self.placed.frames[-2 - thing, :2]
        x, y = camera.to_world(pixel.x(), pixel.y())
        across, down = x - float(box[0]), y - float(box[1])
        spare = FINGER / camera.scale
        height = sizes.GROUP_TITLE if thing >= 0 else sizes.FRAME_TITLE
        return across <= sizes.TRIANGLE + spare and down <= height


MOST_CHANGES = 64
REACH = 12  # pixels that halos, dashes and arrowheads extend beyond a bounding box


@dataclass(frozen=True, eq=False)
class Change:
    """What a move of the cursor changed: items and edges that appeared or disappeared, gradients, the current step."""

    items: Ints
    edges: Ints
    flows: Ints
    other_graph: bool
    failure: bool
    frames: bool

    @property
    def many(self) -> bool:
        """So much that painting everything is simpler."""
        return (
            self.other_graph
            or self.failure
            or self.frames
            or len(self.items) + len(self.edges) + len(self.flows) > MOST_CHANGES
        )


class Addition(Protocol):
    """What a scene shows besides the items of its diagram; only the scene of a drawing has one, see `drawing.scene`."""

    def set_ink(self, ink: Ink) -> None: ...
    def extent(self, items: Box | None) -> Box | None: ...
    @property
    def boxes(self) -> int: ...
    @property
    def hint(self) -> int: ...
    def hint_words(self, hint: int, moment: Moment, camera: Camera) -> tuple[Words, QRect] | None: ...
    @property
    def title(self) -> str: ...
    @property
    def has_selection(self) -> bool: ...
    def paint_on_map(self, painter: QPainter) -> None: ...
    def paint_behind(self, painter: QPainter, moment: Moment, camera: Camera, area: QRectF) -> None: ...
    def paint_over(
        self, painter: QPainter, moment: Moment, camera: Camera, area: QRectF, *, on_screen: bool
    ) -> None: ...
    def paint_selection(self, painter: QPainter, camera: Camera, focused: bool) -> None: ...


def _region(lows: list[list[float]], highs: list[list[float]], camera: Camera) -> QRegion:
    """The pixels of boxes given by their corners in world coordinates, and of what extends beyond them."""
    region = QRegion()
    for low, high in zip(lows, highs, strict=True):
        left, top = camera.to_screen(*low)
        right, bottom = camera.to_screen(*high)
        box = QRectF(left, top, right - left, bottom - top).adjusted(-REACH, -REACH, REACH, REACH)
        region += box.toAlignedRect()
    return region


class Scene:
    """What is shown of one trace, with an `addition` for a drawing. The selection is an item, or, below -1, the frame
    of an open group (-2 - frame)."""

    def __init__(self, placed: Placed, theme: Theme, addition: Addition | None = None) -> None:
        self.placed = placed
        self.addition = addition
        self.painter = ScenePainter(placed, Ink(theme))
        self.moment: Moment = moment(placed.diagram, self.trace.frame(0))
        self.selected = -1
        self.marks = Marks(placed)
        self._extent: tuple[Placed, Flags, Box | None] | None = None  # requested at every move of the camera

    @property
    def trace(self) -> Trace:
        """The trace being shown."""
        return self.placed.diagram.trace

    def number_at(self, item: int, camera: Camera, pixel: QPoint) -> tuple[int, str, int] | None:
        """The number of a tensor that is written under a pixel: the tensor, "value" or "grad", and its index."""
        return number_at(self.painter, self.moment, item, camera, pixel)

    @property
    def groups(self) -> SceneGroups:
        """The groups at the cursor; a new object each time, because the layout and the moment change."""
        return SceneGroups(self.placed, self.moment)

    def show_on_the_way(self, way: Morph, part: float) -> None:
        """Show everything in its place on the way to another layout."""
        self.placed = way.at(part)
        self.painter.placed = self.placed
        self.marks.move(self.placed, way.passing, way.opacity(part))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.painter = ScenePainter(self.placed, Ink(theme), self.painter.numbers)
        if self.addition is not None:
            self.addition.set_ink(self.painter.ink)

    def keep_pictures(self, old: Scene) -> None:
        """Take over the pictures of an older scene of the same diagram; items with other content are repainted."""
        self.painter.numbers = old.painter.numbers
        self.painter.sprites = old.painter.sprites.taken_over(old.trace, self.trace)
        self.marks.hovered = old.marks.hovered

    def has_the_edges_of(self, old: Scene) -> bool:
        """Whether everything behind the items looks the same as in an older scene of the same diagram."""
        return np.array_equal(self.moment.edges, old.moment.edges)

    def move_to(self, cursor: int) -> Change:
        """Go to a cursor; returns what looks different there, apart from words and numbers on the items."""
        old, new = self.moment, moment(self.placed.diagram, self.trace.frame(cursor))
        self.moment = new
        items = (old.items != new.items) | (old.ran != new.ran)
        items[list({*old.current, *new.current})] = True
        flows = (old.flow != new.flow) | (old.now != new.now)
        flows |= (old.norm != new.norm) & ~(np.isnan(old.norm) & np.isnan(new.norm))
        return Change(
            np.flatnonzero(items),
            np.flatnonzero(old.edges != new.edges),
            np.flatnonzero(flows),
            bool((old.graphs != new.graphs).any()),
            old.failed != new.failed,
            bool((old.frames != new.frames).any()),
        )

    # -- where things are on the screen

    def screen_box(self, item: int, camera: Camera, halo: float = 1.0) -> QRect:
        """The pixels of an item with its halo and labels; with `halo` 0, of the item alone."""
        corner, size = self.placed.corner[item], self.placed.diagram.size[item]
        x, y = camera.to_screen(*corner.tolist())
        width, height = (size * camera.scale).tolist()
        reach = halo * (REACH + sizes.MARGIN * camera.scale)
        return QRectF(x, y, width, height).adjusted(-reach, -reach, reach, reach).toAlignedRect()

    def world_box(self, item: int) -> Box:
        """Left, top, right, bottom of an item in world coordinates."""
        (left, top), (width, height) = self.placed.corner[item].tolist(), self.placed.diagram.size[item].tolist()
        return left, top, left + width, top + height

    def screen_region(self, edges: Ints, camera: Camera) -> QRegion:
        """The pixels of some edges."""
        return _region(self.placed.low[edges].tolist(), self.placed.high[edges].tolist(), camera)

    def changed_region(self, change: Change, camera: Camera, area: QRectF, ratio: float) -> QRegion:
        """The pixels of everything that a change touched, and of items and edges whose words or numbers differ."""
        region = self.screen_region(change.flows, camera) + self.painter.changed_pills(self.moment, camera)
        for item in {*change.items.tolist(), *self.painter.stale(self.moment, camera, area, ratio)}:
            region += self.screen_box(item, camera)
        return region

    def moving_region(self, camera: Camera) -> QRegion:
        """The pixels of the gradients that move in this step."""
        return self.screen_region(np.flatnonzero(self.moment.now)[:MOST_CHANGES], camera)

    def dissolve(self, part: float, camera: Camera) -> QRegion:
        """Set the progress of the cross-fade from the previous step; returns the pixels that this changes."""
        region = QRegion()
        for item in self.painter.sprites.dissolve(part):
            region += self.screen_box(item, camera)
        return region

    def extent(self) -> Box | None:
        """The box around all visible graphs, including what is still to come in them."""
        placed, graphs = self.placed, self.moment.graphs
        if self._extent is None or self._extent[0] is not placed or not np.array_equal(self._extent[1], graphs):
            self._extent = placed, graphs, placed.extent(graphs)
        return self._extent[2] if self.addition is None else self.addition.extent(self._extent[2])

    @property
    def boxes(self) -> int:
        """How many items are visible; for a drawing, how many nodes it has, whether they have run or not."""
        seen = int(self.moment.items.sum())
        return seen if self.addition is None else max(self.addition.boxes, seen)

    def place_of(self, item: int) -> tuple[float, float] | None:
        """The centre of an item."""
        if item < -1:
            left, top, width, height = self.placed.frames[-2 - item].tolist()
            return left + width / 2, top + height / 2
        if item < 0:
            return None
        x, y = self.placed.centre[item].tolist()
        return x, y

    def start_item(self) -> int:
        """Where to look first."""
        return first(self.placed, self.moment)

    # -- selection

    @property
    def selection(self) -> tuple[str, int] | None:
        """What is selected."""
        if self.selected < -1:
            groups = self.groups
            return "group", int(groups.all.index[groups.at(self.selected)])
        if self.selected < 0:
            return None
        diagram = self.placed.diagram
        return KINDS[int(diagram.kind[self.selected])], int(diagram.index[self.selected])

    def find(self, kind: str, index: int) -> int:
        """The item of a tensor or node."""
        found = find(self.placed, self.moment, kind, index)
        return self.groups.frame_of(index) if kind == "group" and found < 0 else found

    def corner_of(self, kind: str, index: int) -> tuple[float, float] | None:
        """The top left corner of a thing in the world."""
        thing = self.find(kind, index)
        if thing == -1:
            return None
        x, y = (self.placed.corner[thing] if thing >= 0 else self.placed.frames[-2 - thing, :2]).tolist()
        return x, y

    def thing_near(self, x: float, y: float) -> tuple[str, int] | None:
        """The visible item nearest to a world point."""
        item = nearest(self.placed, self.moment, x, y)
        diagram = self.placed.diagram
        return (KINDS[int(diagram.kind[item])], int(diagram.index[item])) if item >= 0 else None

    def select(self, kind: str, index: int) -> None:
        """Select a tensor or node."""
        if self.selection != (kind, index):
            self.selected = self.find(kind, index)

    def select_item(self, item: int) -> None:
        """Select an item; -1 for nothing."""
        self.selected = item

    def next_item(self, direction: str) -> int:
        """Where an arrow key leads from the selection."""
        if self.selected < -1:
            return self.groups.first_in(self.selected)
        if self.selected < 0 or not self.moment.items[self.selected]:
            return self.start_item()
        return neighbour(self.placed, self.moment, self.selected, direction)

    def item_at(self, camera: Camera, pixel: QPoint) -> int:
        """The item under a pixel."""
        return item_at(self.placed, self.moment, *camera.to_world(pixel.x(), pixel.y()))

    def thing_at(self, camera: Camera, pixel: QPoint) -> int:
        """The item under a pixel, otherwise the innermost frame whose title it is."""
        item = self.item_at(camera, pixel)
        return item if item >= 0 else self.groups.title_at(camera, pixel)

    # -- painting and words

    def set_coarse(self, coarse: bool) -> None:
        """Whether items up close may be scaled pictures for now."""
        self.painter.coarse = coarse

    def paint_edges(self, painter: QPainter, camera: Camera, area: QRectF) -> None:
        """Paint the layer of forward edges."""
        if self.addition is not None:
            self.addition.paint_behind(painter, self.moment, camera, area)
        for part, opacity in self.marks.parts(self.moment):
            painter.setOpacity(opacity)
            painter.save()
            self.painter.paint_edges(painter, part, camera, area)
            painter.restore()
        painter.setOpacity(1.0)

    def paint_rest(self, painter: QPainter, camera: Camera, area: QRectF, phase: float, ratio: float | None) -> None:
        """Paint everything above the forward edges."""
        self.marks.paint_edges(painter, self.painter.ink, self.moment, camera, area, self.selected)
        for part, opacity in self.marks.parts(self.moment):
            painter.setOpacity(opacity)
            self.painter.paint_rest(painter, part, camera, area, phase, ratio)
        painter.setOpacity(1.0)
        self.marks.paint_hits(painter, self.painter.ink, self.moment, camera, area, self.selected)
        if self.addition is not None:
            self.addition.paint_over(painter, self.moment, camera, area, on_screen=ratio is not None)

    def paint_selection(self, painter: QPainter, camera: Camera, focused: bool) -> None:
        """Paint the frame around the selection, if it is visible."""
        if self.addition is not None and self.addition.has_selection:
            self.addition.paint_selection(painter, camera, focused)
        elif self.selected < -1:
            frame = -2 - self.selected
            if frame < len(self.placed.frames) and self.moment.frames[frame]:
                paint_frame_selection(painter, self.painter.ink, self.placed.frames[frame], camera, focused=focused)
        elif self.selected >= 0 and self.moment.items[self.selected]:
            self.painter.paint_selection(painter, camera, self.selected, focused)

    def paint_on_map(self, painter: QPainter) -> None:
        """Paint what the mini-map shows besides the items."""
        if self.addition is not None:
            self.addition.paint_on_map(painter)

    def words(self, item: int) -> Words:
        """Everything there is to say about an item."""
        return words(self.placed.diagram, self.moment.frame, item, asks=self.addition is None)

    @property
    def hint(self) -> int:
        """What there is to say about the pointer's position where there is no item: a number from `HINT` up; -1 for
        nothing."""
        return -1 if self.addition is None else self.addition.hint

    def hint_words(self, hint: int, camera: Camera) -> tuple[Words, QRect] | None:
        """The text of a hint, and the pixels it is about."""
        return None if self.addition is None else self.addition.hint_words(hint, self.moment, camera)

    def description(self) -> str:
        """The description of the picture for a screen reader."""
        what = f"{self.boxes} items" if self.addition is None else self.addition.title
        return f"{what}. Now: {step_title(self.moment.frame) or 'before the first step'}"
