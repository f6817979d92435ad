"""What the tests of the layout share: graphs like those that autograd makes, and measures of a drawing."""

from __future__ import annotations

import numpy as np

from gradviz.layout.records import Floats, LayoutInput, LayoutResult, layout_input

CARD = (150.0, 84.0)
OP = (110.0, 76.0)
TOLERANCE = 1.5


def autograd_like(operations: list[tuple[list[str], str]]) -> tuple[LayoutInput, list[str]]:
    """Boxes and edges of `[(arguments, result), …]`, as the canvas asks for them: tensor -> operation -> tensor."""
    names: list[str] = []
    edges: list[tuple[int, int]] = []
    ports: list[tuple[float, float]] = []
    for number, (arguments, result) in enumerate(operations):
        for name in (*arguments, f"op{number}", result):
            if name not in names:
                names.append(name)
        operation = names.index(f"op{number}")
        for slot, name in enumerate(arguments):
            edges.append((names.index(name), operation))
            ports.append((0.0, (slot - (len(arguments) - 1) / 2) * 14.0))
        edges.append((operation, names.index(result)))
        ports.append((0.0, 0.0))
    sizes = np.array([OP if name.startswith("op") else CARD for name in names])
    return layout_input(sizes, np.array(edges), np.array(ports)), names


def recurrence(steps: int) -> LayoutInput:
    """h = tanh(h @ w_t + x_t): the weight drawn once per use, as the canvas does."""
    operations: list[tuple[list[str], str]] = []
    for t in range(steps):
        operations += [([f"h{t}", f"w{t}"], f"m{t}"), ([f"m{t}", f"x{t}"], f"s{t}"), ([f"s{t}"], f"h{t + 1}")]
    return autograd_like(operations)[0]


def random_graph(boxes: int, seed: int = 0) -> LayoutInput:
    """A layered graph with a few long edges."""
    rng = np.random.default_rng(seed)
    heads = np.repeat(np.arange(1, boxes), rng.integers(1, 3, boxes - 1))
    tails = np.maximum(heads - 1 - rng.exponential(4.0, len(heads)).astype(int), 0)
    sizes = np.column_stack((rng.uniform(50, 180, boxes), rng.uniform(40, 110, boxes)))
    return layout_input(sizes, np.unique(np.column_stack((tails, heads)), axis=0))


def overlapping(graph: LayoutInput, drawing: LayoutResult) -> int:
    """How many pairs of boxes overlap."""
    low, high = drawing.centres - graph.sizes / 2, drawing.centres + graph.sizes / 2
    both = (low[:, None] < high[None] - 0.1) & (low[None] < high[:, None] - 0.1)
    return int((both.all(2).sum() - len(low)) // 2)


def sampled(route: Floats, pieces: int = 12) -> Floats:
    """Points along a chain of cubics."""
    t = np.linspace(0, 1, pieces + 1)[:, None]
    cubics = [route[k : k + 4] for k in range(0, len(route) - 1, 3)]
    return np.concatenate(
        [(1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d for a, b, c, d in cubics]
    )


def passing_through(graph: LayoutInput, drawing: LayoutResult) -> list[tuple[int, int]]:
    """(edge, box) where an edge runs through a box that is not its own."""
    low, high = drawing.centres - graph.sizes / 2 + TOLERANCE, drawing.centres + graph.sizes / 2 - TOLERANCE
    found = []
    for edge, (tail, head) in enumerate(graph.edges.tolist()):
        points = sampled(drawing.route(edge))[:, None]
        inside = ((points > low) & (points < high)).all(2).any(0)
        inside[[tail, head]] = False
        found += [(edge, int(box)) for box in np.flatnonzero(inside)]
    return found
