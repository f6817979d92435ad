"""The records of the layout: what is asked (`LayoutInput`) and what is answered (`LayoutResult`), as NumPy arrays in
pixels, y growing downwards, the flow from left to right. Read `ladder` next: it turns one into the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class NotAGraphToLayOut(ValueError):
    """The input has a cycle, an edge to a box that is not there, or sizes and edges of the wrong shape."""


@dataclass(frozen=True, eq=False)
class LayoutInput:
    """Boxes with sizes (n, 2), edges (m, 2) from box to box, and `ports` (m, 2): how far below the centre of its first
    and of its second box an edge touches them."""

    sizes: Floats
    edges: Ints
    ports: Floats

    def __post_init__(self) -> None:
        count = len(self.sizes)
        if self.sizes.shape != (count, 2) or self.edges.shape != (len(self.edges), 2):
            raise NotAGraphToLayOut(f"sizes {self.sizes.shape} and edges {self.edges.shape} must be (n, 2) and (m, 2)")
        if self.ports.shape != self.edges.shape:
            raise NotAGraphToLayOut(f"ports {self.ports.shape} must be like edges {self.edges.shape}")
        if len(self.edges) and (self.edges.min() < 0 or self.edges.max() >= count):
            raise NotAGraphToLayOut(f"an edge names a box that is not among the {count}")

    @cached_property
    def key(self) -> bytes:
        """The same for two inputs of the same structure, so that a layout can be remembered by it."""
        digest = blake2b(digest_size=16)
        for array in (self.sizes, self.edges, self.ports):
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
