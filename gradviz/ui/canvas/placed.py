"""Where everything in a diagram is. `Placed` has the corners of the items, the routes of the edges, and cached geometry
for the painters; `place` makes it from the layouts of the graphs. `Morph` interpolates between two such layouts when
groups open or close; `camera` has the clock. `Budget` decides which edges are painted, and which of them with dashes,
if there are more than can be painted within a frame or told apart: a tensor with 20,000 uses has edges across every
screen. That depends only on the layout and the zoom, never on the area being painted, so that a part looks the same as
in the whole."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.records import NestedResult
from gradviz.layout.rows import stack
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.diagram import GROUP, OPERATION, REFERENCE, Diagram, Flags, Floats, Ints

# -- how many edges can be painted

LONG = 4_000.0  # pixels: an edge this long spans several screens
PERIOD = 15.0  # pixels from dash to dash


@dataclass(frozen=True)
class Budget:
    """How many pixels are visible at once, and how many short edges, long edges and dashes of a graph are then
    painted."""

    width: float
    height: float
    short: int
    long: int
    dashes: int


SCREEN = Budget(1920.0, 1080.0, short=4_000, long=500, dashes=30_000)
PAGE = Budget(math.inf, math.inf, short=500_000, long=5_000, dashes=100_000)


@dataclass(frozen=True, eq=False)
class EdgeDensity:
    """The edges of a drawing: the graph of each, whether it is long, and its position among the long or short ones of
    its graph; and by graph the numbers of short and long edges, their total lengths, and the area covered."""

    graph: Ints
    is_long: Flags
    nth: Ints
    short: Ints
    long: Ints
    short_length: Floats
    long_length: Floats
    area: Floats
    _known: dict[tuple[float, Budget], tuple[Flags, Flags]] = field(default_factory=dict)  # of the latest zoom

    def painted(self, scale: float, budget: Budget) -> tuple[Flags, Flags]:
        """By edge: whether it is painted at this zoom, and whether with dashes where a gradient flows."""
        found = self._known.get((scale, budget))
        if found is None:
            found = self._painted(scale, budget)
            self._known.clear()
            self._known[scale, budget] = found
        return found

    def _painted(self, scale: float, budget: Budget) -> tuple[Flags, Flags]:
        wide, high = budget.width / scale, budget.height / scale
        reach = self.short_length / np.maximum(self.short, 1)
        near = np.minimum(1.0, (wide + reach) * (high + reach) / self.area)
        doublings = np.ceil(np.log2(np.maximum(self.short * near / budget.short, 1.0)))
        every = (2**doublings).astype(np.int64)  # what is visible from further away stays visible closer up
        every_long = np.maximum(-(-self.long // budget.long), 1)
        painted = self.nth % np.where(self.is_long, every_long[self.graph], every[self.graph]) == 0
        length = self.short_length * np.minimum(1.0, wide * high / self.area)
        short = length <= budget.dashes * PERIOD
        long = short & (every_long == 1)
        if math.isinf(wide):  # all of a long edge is visible there
            long &= length + self.long_length <= budget.dashes * PERIOD
        return painted, np.where(self.is_long, long[self.graph], short[self.graph])


def find_density(graph: Ints, length: Floats, area: Floats) -> EdgeDensity:
    """The density of edges with these graphs and lengths; `area` is what each graph covers."""
    is_long = length > LONG
    key = 2 * graph + is_long
    order = np.argsort(key, kind="stable")
    nth = np.empty(len(key), np.int64)
    nth[order] = np.arange(len(key)) - np.searchsorted(key[order], key[order])
    count = np.bincount(key, minlength=2 * len(area)).reshape(-1, 2)
    lengths = np.bincount(key, length, 2 * len(area)).astype(np.float64).reshape(-1, 2)
    return EdgeDensity(
        graph, is_long, nth, count[:, 0], count[:, 1], lengths[:, 0], lengths[:, 1], np.maximum(area, 1.0)
    )


Shorts = NDArray[np.float32]
FAR_STRIDE = 4
FAR_LONG = 160.0  # a cubic that is visible from far away too
MOST_FAR_LINES = 30_000


@dataclass(frozen=True, eq=False)
class Placed:
    """Positions of everything: top left corners of the items, frames of open groups, and all routes as one list of
    cubics."""

    diagram: Diagram
    corner: Floats
    frames: Floats  # (f, 4): left, top, width, height of the frames of open groups
    cubics: Floats  # (pieces, 4, 2)
    edge_of_cubic: Ints
    first_cubic: Ints  # the cubics of edge e are first_cubic[e] to first_cubic[e + 1]
    low: Floats  # bounding box of each edge
    high: Floats
    note: str = ""  # why the drawing was simplified

    @cached_property
    def centre(self) -> Floats:
        """The centre of each card or circle (without the badge below a card)."""
        return self.card_corner + self.diagram.card / 2

    @cached_property
    def card_corner(self) -> Floats:
        """Top left of each card (its badge is below) and of each circle (its labels are around it)."""
        spare = (self.diagram.size - self.diagram.card) / 2
        spare[self.diagram.kind != OPERATION, 1] = 0.0
        return self.corner + spare

    def extent(self, graphs: Flags) -> tuple[float, float, float, float] | None:
        """Left, top, right, bottom of some graphs with their edges; None if there is nothing."""
        items = graphs[self.diagram.graph]
        if not items.any():
            return None
        edges = items[self.diagram.edges[:, 1]]
        frames = self.frames[graphs[self.diagram.frame_graph]]
        low = np.minimum(self.corner[items].min(0), self.low[edges].min(0, initial=np.inf))
        high = np.maximum((self.corner + self.diagram.size)[items].max(0), self.high[edges].max(0, initial=-np.inf))
        low = np.minimum(low, frames[:, :2].min(0, initial=np.inf))
        high = np.maximum(high, (frames[:, :2] + frames[:, 2:]).max(0, initial=-np.inf))
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    @cached_property
    def cubic_bounds(self) -> Shorts:
        """Left, top, right, bottom of the bounding box of each cubic: four rows, which are fast to compare."""
        return _rows(*_bounds(self.cubics))

    @cached_property
    def bent(self) -> Flags:
        """Which cubics are not straight lines."""
        a, b, c, d = np.moveaxis(self.cubics, 1, 0)
        chord = d - a
        away = np.maximum(np.abs(_cross(b - a, chord)), np.abs(_cross(c - a, chord)))
        bent: Flags = away > 0.5 * np.hypot(chord[:, 0], chord[:, 1])
        return bent

    @cached_property
    def cubic_length(self) -> Shorts:
        """Approximate length of each cubic, in four bytes each like everything derived from it, because there are many
        cubics."""
        a, b, c, d = np.moveaxis(self.cubics, 1, 0)
        middle = (a + 3 * b + 3 * c + d) / 8
        early, late = (27 * a + 27 * b + 9 * c + d) / 64, (a + 9 * b + 27 * c + 27 * d) / 64
        ways = (np.hypot(*(q - p).T) for p, q in pairwise((a, early, middle, late, d)))
        return sum(ways, np.zeros(len(a))).astype(np.float32)

    @cached_property
    def cubic_start(self) -> Shorts:
        """How far along its edge each cubic begins."""
        before = np.cumsum(self.cubic_length, dtype=np.float64) - self.cubic_length
        return (before - before[self.first_cubic[self.edge_of_cubic]]).astype(np.float32)

    @cached_property
    def density(self) -> EdgeDensity:
        """Which edges are painted if there are very many."""
        diagram = self.diagram
        low, high = np.full((len(diagram.first), 2), np.inf), np.full((len(diagram.first), 2), -np.inf)
        np.minimum.at(low, diagram.graph, self.corner)
        np.maximum.at(high, diagram.graph, self.corner + diagram.size)
        graph = diagram.graph[diagram.edges[:, 1]].astype(np.int64)
        length = np.bincount(self.edge_of_cubic, self.cubic_length, len(graph)).astype(np.float64)
        return find_density(graph, length, np.maximum(high - low, 0.0).prod(1))

    @cached_property
    def longest_cubic(self) -> Ints:
        """The longest cubic of each edge, where there is room for words."""
        order = np.lexsort((self.cubic_length, self.edge_of_cubic))
        return order[self.first_cubic[1:] - 1]

    @cached_property
    def far_lines(self) -> tuple[Floats, Ints]:
        """The edges as a few straight lines (n, 4) for a view from far away, and the edge of each; a selection if there
        are very many."""
        nth = np.arange(len(self.cubics)) - self.first_cubic[self.edge_of_cubic]
        long = np.abs(self.cubics[:, 3] - self.cubics[:, 0]).max(1, initial=0.0) > FAR_LONG
        begin = (nth % FAR_STRIDE == 0) | long
        begin[1:] |= long[:-1]
        begins = np.flatnonzero(begin)
        ends = np.append(begins[1:], len(nth))[: len(begins)] - 1
        edge = self.edge_of_cubic[begins]
        kept = edge % -(-len(edge) // MOST_FAR_LINES) == 0 if len(edge) else slice(0)
        begins, ends, edge = begins[kept], ends[kept], edge[kept]
        return np.column_stack((self.cubics[begins, 0], self.cubics[ends, 3])), edge

    @cached_property
    def far_bounds(self) -> Shorts:
        """The bounding boxes of these lines, as `cubic_bounds`."""
        lines, _ = self.far_lines
        return _rows(np.minimum(lines[:, :2], lines[:, 2:]), np.maximum(lines[:, :2], lines[:, 2:]))


def _bounds(cubics: Floats) -> tuple[Floats, Floats]:
    """The bounding box of each cubic. It works pair by pair, because NumPy takes far longer to reduce an axis of four
    points."""
    a, b, c, d = np.moveaxis(cubics, 1, 0)
    low: Floats = np.minimum(np.minimum(a, b), np.minimum(c, d))
    high: Floats = np.maximum(np.maximum(a, b), np.maximum(c, d))
    return low, high


def _rows(low: Floats, high: Floats) -> Shorts:
    return np.ascontiguousarray(np.column_stack((low, high)).T, np.float32)


def _cross(a: Floats, b: Floats) -> Floats:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def place(diagram: Diagram, drawings: list[NestedResult]) -> Placed:
    """Put the drawing of each graph where it belongs; see `gradviz.layout.rows`."""
    heights = [drawing.size[1] for drawing in drawings]
    tops = stack(heights, diagram.first.tolist(), diagram.until.tolist())
    different = {id(drawing): drawing for drawing in drawings}  # equal graphs share one
    pieces = {key: _pieces(drawing) for key, drawing in different.items()}
    each = [pieces[id(drawing)] for drawing in drawings]
    corner = np.concatenate([np.empty((0, 2)), *(drawing.centres for drawing in drawings)]) - diagram.size / 2
    corner[:, 1] += np.repeat(tops, np.diff(diagram.bounds))
    order, bounds, _ = diagram.frames_by_graph
    frames = np.empty((len(diagram.frames), 4))
    frames[order] = np.concatenate([np.empty((0, 4)), *(drawing.frames for drawing in drawings)])
    frames[order, 1] += np.repeat(tops, np.diff(bounds))
    cubics = np.concatenate([np.empty((0, 4, 2)), *(cubics for cubics, _ in each)])
    cubics[:, :, 1] += np.repeat(tops, [len(cubics) for cubics, _ in each])[:, None]
    return _placed(diagram, corner, frames, cubics, np.concatenate([[], *(counts for _, counts in each)]))


def _pieces(drawing: NestedResult) -> tuple[Floats, Ints]:
    """The routes of a drawing as cubics, and the number of cubics per edge."""
    counts = np.diff(drawing.starts) // 3
    first = np.repeat(drawing.starts[:-1] - 3 * (np.cumsum(counts) - counts), counts) + 3 * np.arange(counts.sum())
    return drawing.points[first[:, None] + np.arange(4)], counts


def _placed(diagram: Diagram, corner: Floats, frames: Floats, cubics: Floats, counts: Floats) -> Placed:
    edge = np.repeat(np.arange(len(counts)), counts.astype(np.int64))
    cubics, edge = _without_points(*_to_the_circle(diagram, corner, cubics, edge))
    return placed_at(diagram, corner, frames, cubics, edge)


def placed_at(diagram: Diagram, corner: Floats, frames: Floats, cubics: Floats, edge: Ints) -> Placed:
    """A `Placed` of cubics sorted by edge; every edge has one."""
    count = len(diagram.edges)
    first = np.searchsorted(edge, np.arange(count + 1))
    low, high = _bounds(cubics)
    low = np.minimum.reduceat(low, first[:-1], axis=0) if count else np.empty((0, 2))
    high = np.maximum.reduceat(high, first[:-1], axis=0) if count else np.empty((0, 2))
    return Placed(diagram, corner, frames, cubics, edge, first, low, high)


def _to_the_circle(diagram: Diagram, corner: Floats, cubics: Floats, edge: Ints) -> tuple[Floats, Ints]:
    """Routes end at the box of an operation, which includes its labels: extend them in a straight line to the
    circle."""
    along, across = (1, 0) if diagram.drawing.vertical else (0, 1)
    centre = corner + diagram.size / 2
    operation = diagram.kind == OPERATION
    into = np.flatnonzero(operation[diagram.edges[:, 1]])
    out = np.flatnonzero(operation[diagram.edges[:, 0]])
    head, tail = diagram.edges[into, 1], diagram.edges[out, 0]
    port = diagram.port[into, 1]
    half = diagram.card / 2
    flat = np.maximum(np.abs(port) - (half[head, across] - sizes.RADIUS), 0.0)  # how far into a round end
    bulge = sizes.RADIUS - np.sqrt(np.maximum(sizes.RADIUS**2 - flat**2, 0.0))
    end, begin = centre[head].copy(), centre[tail].copy()
    end[:, along] += bulge - half[head, along]
    end[:, across] += port
    begin[:, along] += half[tail, along]
    before, after = end.copy(), begin.copy()
    before[:, along] = centre[head, along] - diagram.size[head, along] / 2
    after[:, along] = centre[tail, along] + diagram.size[tail, along] / 2
    place = np.concatenate((3 * edge + 1, 3 * into + 2, 3 * out))
    order = np.argsort(place, kind="stable")
    everything = np.concatenate((cubics, _straight(before, end), _straight(begin, after)))
    return np.ascontiguousarray(everything[order]), place[order] // 3


def _without_points(cubics: Floats, edge: Ints) -> tuple[Floats, Ints]:
    """Without pieces of zero length: they have no direction for an arrowhead, and dashes get stuck in them."""
    long = np.abs(np.diff(cubics, axis=1)).sum((1, 2)) > 0.01
    kept = long | (np.bincount(edge, long, int(edge.max(initial=-1)) + 1)[edge] == 0)
    return np.ascontiguousarray(cubics[kept]), edge[kept]


def _straight(a: Floats, b: Floats) -> Floats:
    return np.stack((a, a + (b - a) / 3, b - (b - a) / 3, b), axis=1)


# -- from one layout to another: what both have moves, what only one has comes out of its group or goes into it

MOST = 1500  # items; if there are more, nothing moves


@dataclass(frozen=True, eq=False)
class Morph:
    """The drawing with more in it, moving from its old places to the new ones. If groups close, its own places are the
    old ones."""

    base: Placed
    opens: bool
    corner: tuple[Floats, Floats]  # at the beginning and at the end
    frames: tuple[Floats, Floats]
    cubics: tuple[Floats, Floats]
    passing: Flags  # items that only one of the drawings has

    def at(self, part: float) -> Placed:
        """The places after a fraction of the way, 0 to 1."""
        corner, frames, cubics = (
            begin + (end - begin) * part for begin, end in (self.corner, self.frames, self.cubics)
        )  # fmt: skip
        return placed_at(self.base.diagram, corner, frames, cubics, self.base.edge_of_cubic)

    def opacity(self, part: float) -> float:
        """The opacity of what appears or disappears."""
        return part if self.opens else 1.0 - part


def morph(old: Placed, new: Placed, shift: tuple[float, float]) -> Morph | None:
    """The way between two drawings of the same structure, the old one first moved by `shift`; None if it could not be
    seen."""
    if old.diagram.structure is not new.diagram.structure or max(len(old.diagram), len(new.diagram)) > MOST:
        return None
    if old.diagram.drawing.vertical != new.diagram.drawing.vertical:
        return None
    moved = np.array(shift)
    opens = len(new.diagram) >= len(old.diagram)
    base, other = (new, old) if opens else (old, new)
    corner, passing = _corners(base, other)
    frames = _frames(base, other)
    cubics = base.cubics + _pulled(base, corner - base.corner)
    here = base.corner, base.frames, base.cubics
    there = corner, frames, cubics
    early, late = (there, here) if opens else (here, there)
    corner, frames, cubics = (each.copy() for each in early)
    frames[:, :2] += moved
    return Morph(base, opens, (corner + moved, late[0]), (frames, late[1]), (cubics + moved, late[2]), passing)


def _corners(base: Placed, other: Placed) -> tuple[Floats, Flags]:
    """Where each item of `base` is in the other drawing, as itself or as the group that contains it, and which are
    inside a group."""
    diagram, there = base.diagram, other.diagram
    twin = _twins(diagram, there)
    same = (twin >= 0) & (diagram.kind == there.kind[twin]) & (diagram.index == there.index[twin])
    middle = other.corner[twin] + there.size[twin] / 2 - diagram.size / 2
    corner: Floats = np.where(same[:, None], other.corner[twin], middle)
    corner[twin < 0] = base.corner[twin < 0]
    tags = np.flatnonzero(diagram.kind == REFERENCE)
    if len(tags):
        tail = diagram.edges[:, 0]
        order = np.argsort(tail, kind="stable")
        user = diagram.edges[order[np.searchsorted(tail, tags, sorter=order)], 1]
        corner[tags] = base.corner[tags] + corner[user] - base.corner[user]
        same[tags] = same[user] & (diagram.kind[user] != GROUP)
    return corner, ~same


def _twins(diagram: Diagram, there: Diagram) -> Ints:
    """For each item, the item of the other diagram that it is or is inside, -1 for none."""
    twin = np.full(len(diagram), -1, np.int64)
    nodes = np.flatnonzero((diagram.kind == OPERATION) | (diagram.kind == GROUP))
    twin[nodes] = there.item_of_node[diagram.last_node[nodes]]
    cards = np.flatnonzero(diagram.item_of_card >= 0)
    own = diagram.kind[diagram.item_of_card[cards]] != GROUP
    twin[diagram.item_of_card[cards[own]]] = there.item_of_card[cards[own]]
    return twin


def _frames(base: Placed, other: Placed) -> Floats:
    """Where each frame of `base` is in the other drawing: the frame of the same group, or the box that contains it."""
    diagram, there = base.diagram, other.diagram
    known = {group: frame for frame, group in enumerate(there.frames.tolist())}
    frames = base.frames.copy()
    groups = diagram.structure.groups
    boxes = {int(group): item for item, group in enumerate(there.group.tolist()) if group >= 0}
    for frame, group in enumerate(diagram.frames.tolist()):
        if group in known:
            frames[frame] = other.frames[known[group]]
            continue
        box = next((boxes[outer] for outer in groups.path(group) if outer in boxes), -1)
        if box >= 0:
            frames[frame] = (*other.corner[box].tolist(), *there.size[box].tolist())
    return frames


def _pulled(base: Placed, pull: Floats) -> Floats:
    """How far the points of each route move when its ends do."""
    edge = base.edge_of_cubic
    pieces = np.diff(base.first_cubic)[edge]
    nth = np.arange(len(edge)) - base.first_cubic[edge]
    part = ((nth[:, None] + np.arange(4) / 3) / pieces[:, None])[:, :, None]
    tail, head = pull[base.diagram.edges[edge, 0]], pull[base.diagram.edges[edge, 1]]
    found: Floats = tail[:, None] * (1 - part) + head[:, None] * part
    return found
