"""The records of the layout: the request (`LayoutInput`) and the answer (`LayoutResult`), as NumPy arrays in pixels, y
growing downwards, the flow from left to right. Read `flat` next: it turns one into the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROWS, STRAIGHT = "rows", "straight"  # engines of drawings that are simple only because they are large


class NotAGraphToLayOut(ValueError):
    """The input has a cycle, an edge to a missing box, or sizes and edges of the wrong shape."""


@dataclass(frozen=True, eq=False)
class LayoutInput:
    """Boxes with sizes (n, 2), edges (m, 2) from box to box, and `ports` (m, 2): how far below the centre of its first
    and of its second box an edge touches them. `side` (n,), if given, is -1 for boxes that are left of all others, 1
    for boxes that are right of them, and 0 for the others."""

    sizes: Floats
    edges: Ints
    ports: Floats
    side: Ints | None = None

    def __post_init__(self) -> None:
        count = len(self.sizes)
        if self.sizes.shape != (count, 2) or self.edges.shape != (len(self.edges), 2):
            raise NotAGraphToLayOut(f"sizes {self.sizes.shape} and edges {self.edges.shape} must be (n, 2) and (m, 2)")
        if self.ports.shape != self.edges.shape:
            raise NotAGraphToLayOut(f"ports {self.ports.shape} must be like edges {self.edges.shape}")
        if len(self.edges) and (self.edges.min() < 0 or self.edges.max() >= count):
            raise NotAGraphToLayOut(f"an edge names a box that is not among the {count}")
        if self.side is not None and self.side.shape != (count,):
            raise NotAGraphToLayOut(f"side {self.side.shape} must be one number for each of {count} boxes")

    @cached_property
    def key(self) -> bytes:
        """A key that is equal for two inputs of the same structure, so that layouts can be cached by it."""
        digest = blake2b(digest_size=16)
        for array in (self.sizes, self.edges, self.ports, np.zeros(0) if self.side is None else self.side):
            digest.update(repr(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.digest()


@dataclass(frozen=True, eq=False)
class LayoutResult:
    """Centres (n, 2) of the boxes, and for edge e the chain of cubic Béziers `points[starts[e]:starts[e + 1]]`: 3k + 1
    points, from the side of its first box to the side of its second. `engine` says which rung of the ladder drew it."""

    centres: Floats
    points: Floats
    starts: Ints
    size: tuple[float, float]
    engine: str

    def route(self, edge: int) -> Floats:
        """The control points of one edge."""
        return self.points[self.starts[edge] : self.starts[edge + 1]]


def layout_input(sizes: Floats, edges: Ints, ports: Floats | None = None) -> LayoutInput:
    """A `LayoutInput` from anything array-like; without ports every edge touches its boxes half-way up."""
    box_sizes = np.asarray(sizes, np.float64).reshape(-1, 2)
    pairs = np.asarray(edges, np.int64).reshape(-1, 2)
    offsets = np.zeros(pairs.shape) if ports is None else np.asarray(ports, np.float64).reshape(-1, 2)
    return LayoutInput(box_sizes, pairs, offsets)


def places(box: Ints, port: Floats) -> Ints:
    """A number for each place of each box, equal for equal places."""
    _, nth = np.unique(port, return_inverse=True)
    _, number = np.unique(box * (int(nth.max(initial=0)) + 1) + nth, return_inverse=True)
    result: Ints = number.astype(np.int64)
    return result


@dataclass(frozen=True, eq=False)
class NestedInput:
    """Boxes in nested groups: `group` (n,) is the innermost open group of each box, or -1; `parent` (g,) the group
    around each group, or -1, always an earlier row; `header` (g, 2) the least width and the height of the strip at the
    top of its frame. Edges go from box to box across any borders. With `vertical` the flow is from top to bottom, and
    `ports` are right of the middle of a box instead of below it."""

    sizes: Floats
    edges: Ints
    ports: Floats
    group: Ints
    parent: Ints
    header: Floats
    vertical: bool = False

    def __post_init__(self) -> None:
        LayoutInput(self.sizes, self.edges, self.ports)
        groups = len(self.parent)
        if self.group.shape != (len(self.sizes),) or self.header.shape != (groups, 2) or self.parent.ndim != 1:
            raise NotAGraphToLayOut("group must have one number a box, parent one and header two a group")
        if len(self.group) and (self.group.min() < -1 or self.group.max() >= groups):
            raise NotAGraphToLayOut(f"a box names a group that is not among the {groups}")
        if (self.parent >= np.arange(groups)).any() or (groups and self.parent.min() < -1):
            raise NotAGraphToLayOut("the group around a group must come before it")


@dataclass(frozen=True, eq=False)
class NestedResult:
    """Centres and routes as in `LayoutResult`, and `frames` (g, 4): left, top, width, height of each group. `engine` is
    the simplest one that drew part of it."""

    centres: Floats
    points: Floats
    starts: Ints
    frames: Floats
    size: tuple[float, float]
    engine: str

    def route(self, edge: int) -> Floats:
        """The control points of one edge."""
        return self.points[self.starts[edge] : self.starts[edge + 1]]
