"""Our own drawing of one graph, in NumPy and plain Python: layers, dummies where edges pass (`mesh`), few crossings
(`ordering`), straight main lines (`levelling`). Edges pass no box, because within the column of a layer they run
level at their own dummy. The techniques are those of Sugiyama, Tagawa and Toda (1981) and of Brandes and Köpf
(2001). Read `ladder` for when it is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gradviz.layout.levelling import heights
from gradviz.layout.mesh import Mesh, layers_from_right, layers_of, mesh_of
from gradviz.layout.ordering import Effort, ordered
from gradviz.layout.records import Floats, Ints, LayoutInput, LayoutResult

LAYER_GAP = 40.0
STEEP = 0.12  # of the highest rise between two layers is added to the gap
MOST_EXTRA = 80.0


def _nothing() -> None:
    """Nobody asks to stop."""


def layered(
    graph: LayoutInput,
    check: Callable[[], None] = _nothing,
    *,
    thorough: bool = True,
    effort: Effort | None = None,
    from_left: bool = True,
    bundled: bool = True,
) -> LayoutResult:
    """Lay out a graph without cycles; same input, same picture, within half a second (not `thorough`: a tenth of that).
    `check` is called often, and may raise. `effort` is what is left of that of the whole request. Layers are counted
    from the left or from the right; `bundled` long edges from one place share their way."""
    layer = layers_of(graph, check) if from_left else layers_from_right(graph, check)
    check()
    mesh = mesh_of(graph, layer, bundled)
    check()
    effort = effort or Effort()
    order = ordered(mesh, check, thorough, effort)
    y = heights(mesh, order, check, thorough, effort)
    check()
    drawing = _draw(graph, mesh, y)
    check()
    return _without_joints(drawing)


def _draw(graph: LayoutInput, mesh: Mesh, y: Floats) -> LayoutResult:
    layers = int(mesh.layer.max(initial=-1)) + 1
    width, rise = np.zeros(layers), np.zeros(layers)
    np.maximum.at(width, mesh.layer[: mesh.boxes], graph.sizes[:, 0])
    tail, head = mesh.hops[:, 0], mesh.hops[:, 1]
    np.maximum.at(rise, mesh.layer[tail], np.abs(y[tail] + mesh.ports[:, 0] - y[head] - mesh.ports[:, 1]))
    gap = LAYER_GAP + np.minimum(STEEP * rise, MOST_EXTRA)
    left = np.concatenate(([0.0], np.cumsum(width + gap)))[:layers]
    right = left + width
    y = y - float((y - mesh.height / 2).min(initial=np.inf)) if len(y) else y
    x = (left + right)[mesh.layer[: mesh.boxes]] / 2
    centres = np.column_stack((x, y[: mesh.boxes]))
    starts, points = _routes(graph, mesh, centres, y, left, right)
    size = (float(right.max(initial=0.0)), float((y + mesh.height / 2).max(initial=0.0)))
    return LayoutResult(centres, points, starts, size, "layered")


def _routes(
    graph: LayoutInput, mesh: Mesh, centres: Floats, y: Floats, left: Floats, right: Floats
) -> tuple[Ints, Floats]:
    """Per hop a level piece through the column of its layer and an S to the next; at the end a level piece."""
    hop_counts = np.diff(mesh.path_starts) - 1
    edge = np.repeat(np.arange(len(graph.edges)), hop_counts)
    hop_starts = np.concatenate(([0], np.cumsum(hop_counts)))
    at = np.arange(len(edge)) + edge
    tail, head = mesh.path[at], mesh.path[at + 1]
    first, last = hop_starts[:-1], hop_starts[1:] - 1
    leave = np.column_stack((left[mesh.layer[tail]], y[tail]))
    arrive = np.column_stack((left[mesh.layer[head]], y[head]))
    boxes = graph.edges
    leave[first] = centres[boxes[:, 0]] + np.column_stack((graph.sizes[boxes[:, 0], 0] / 2, graph.ports[:, 0]))
    arrive[last, 1] = centres[boxes[:, 1], 1] + graph.ports[:, 1]
    turn = np.column_stack((right[mesh.layer[tail]], leave[:, 1]))
    target = centres[boxes[:, 1]] + np.column_stack((-graph.sizes[boxes[:, 1], 0] / 2, graph.ports[:, 1]))
    level, bend = _cubic(leave, turn, 1 / 3), _cubic(turn, arrive, 0.5)
    starts = np.concatenate(([0], np.cumsum(6 * hop_counts + 4)))
    points = np.empty((int(starts[-1]), 2))
    at = starts[:-1][edge] + 6 * (np.arange(len(edge)) - first[edge])
    for nth in range(3):
        points[at + nth] = level[nth]
        points[at + 3 + nth] = bend[nth]
    ending = _cubic(arrive[last], target, 1 / 3)
    for nth in range(4):
        points[starts[1:] - 4 + nth] = ending[nth]
    return starts, points


def _without_joints(drawing: LayoutResult) -> LayoutResult:
    """Level pieces that follow each other on one line as one piece."""
    pieces = np.diff(drawing.starts) // 3
    if not len(pieces):
        return drawing
    edge = np.repeat(np.arange(len(pieces)), pieces)
    first = drawing.starts[:-1][edge] + 3 * (np.arange(len(edge)) - (np.cumsum(pieces) - pieces)[edge])
    cubic = drawing.points[first[:, None] + np.arange(4)]
    level = np.ptp(cubic[:, :, 1], axis=1) < 0.01
    follows = np.zeros(len(edge), bool)
    follows[1:] = level[1:] & level[:-1] & (edge[1:] == edge[:-1])
    run = np.flatnonzero(~follows)
    end = np.append(run[1:], len(edge)) - 1
    merged = cubic[run]
    merged[:, 3] = cubic[end, 3]
    merged[:, 2] = np.where((run == end)[:, None], merged[:, 2], merged[:, 3] - (merged[:, 3] - merged[:, 0]) / 3)
    merged[:, 1] = np.where((run == end)[:, None], merged[:, 1], merged[:, 0] + (merged[:, 3] - merged[:, 0]) / 3)
    count = np.bincount(edge[run], minlength=len(pieces))
    starts = np.concatenate(([0], np.cumsum(3 * count + 1)))
    points = np.empty((int(starts[-1]), 2))
    at = 3 * np.arange(len(run)) + edge[run]
    for nth in range(4):
        points[at + nth] = merged[:, nth]
    return replace(drawing, points=points, starts=starts)


def _cubic(a: Floats, b: Floats, reach: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Control points of cubics that leave a and reach b level, the handles `reach` of the way long."""
    handle = np.column_stack(((b[:, 0] - a[:, 0]) * reach, np.zeros(len(a))))
    return a, a + handle, b - handle, b
