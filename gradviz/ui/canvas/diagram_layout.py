"""From a diagram to positions: asks the layout for every graph, computing equal graphs only once. When a graph is first
shown, as many groups are open as leave it readable when all of it is in view. `diagram` limits the number of boxes;
here their size on a page is tried out, and groups are closed from the inside outwards until it fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gradviz.layout.nested import nested
from gradviz.layout.records import ROWS, STRAIGHT, NestedInput
from gradviz.ui.canvas.diagram import Diagram, diagram_of, readable
from gradviz.ui.canvas.groups import GRADIENTS, Flags, Groups
from gradviz.ui.canvas.moment import moment
from gradviz.ui.canvas.placed import Placed, place

if TYPE_CHECKING:
    from gradviz.layout.flat import Layouter
    from gradviz.layout.records import NestedResult
    from gradviz.session.folding import Presentation
    from gradviz.ui.canvas.diagram import Floats, Ints
    from gradviz.ui.canvas.sizes import Measure
    from gradviz.ui.canvas.structure import Structure


@dataclass(frozen=True, eq=False)
class Graphs:
    """The graphs of a diagram in the form the layout needs, without duplicates: a training loop has thousands of equal
    ones. `which` maps each graph to its representative; `edges` is the number of edges that are drawn."""

    different: list[NestedInput]
    which: list[int]
    edges: list[int]

    @property
    def boxes(self) -> int:
        """How many boxes there are to lay out."""
        return sum(len(graph.sizes) for graph in self.different)


def graphs_of(diagram: Diagram, ruler: Measure) -> Graphs:
    """The input for the layout."""
    known: dict[tuple[bytes, ...], int] = {}
    different: list[NestedInput] = []
    which = []
    with_gradients = _with_gradients(diagram)
    for graph in range(len(diagram.first)):
        arrays = diagram.arrays_of(graph, ruler)
        if graph in with_gradients:
            arrays = _in_order(diagram, graph, arrays)
        key = tuple(array.tobytes() for array in arrays)
        if key not in known:
            known[key] = len(different)
            different.append(NestedInput(*arrays, diagram.drawing.vertical))
        which.append(known[key])
    return Graphs(different, which, np.diff(diagram.edge_bounds).tolist())


def lay_out(
    diagram: Diagram, ruler: Measure, layouter: Layouter, *, draft: bool = False, graphs: Graphs | None = None
) -> Placed:
    """The diagram with positions; a `draft` is quick. Pass `graphs` if they are already known. Raises Cancelled if the
    layouter was told to cancel."""
    found = drawings(graphs or graphs_of(diagram, ruler), layouter, draft=draft)
    return replace(place(diagram, found), note=_note({drawing.engine for drawing in found}, len(diagram.frames) > 0))


def _note(engines: set[str], has_frames: bool) -> str:
    """What to say about a drawing that was simplified."""
    less = " Collapse groups to see less at once." if has_frames else ""
    if ROWS in engines:
        return f"This graph is too large for a layered layout: boxes are placed in rows in execution order.{less}"
    if STRAIGHT in engines:
        return f"This graph is too large to route edges around boxes: edges are straight.{less}"
    return ""


def drawings(graphs: Graphs, layouter: Layouter, *, draft: bool = False) -> list[NestedResult]:
    """The drawing of each graph on its own; equal graphs share one."""
    layouter.renew()
    drawn = [nested(layouter, graph, draft=draft) for graph in graphs.different]
    return [_without(drawn[which], edges) for which, edges in zip(graphs.which, graphs.edges, strict=True)]


def _with_gradients(diagram: Diagram) -> set[int]:
    groups = diagram.structure.groups
    return set(groups.graph[groups.kind == GRADIENTS].tolist())


Arrays = tuple["Floats", "Ints", "Floats", "Ints", "Ints", "Floats"]


def _in_order(diagram: Diagram, graph: int, arrays: Arrays) -> Arrays:
    """Note [Gradients after]: adds invisible edges from the start of a backward call to the gradients that it made
    under create_graph, so that these are placed after what they came from."""
    groups, trace = diagram.structure.groups, diagram.trace
    after: list[tuple[int, int]] = []
    for group in np.flatnonzero((groups.kind == GRADIENTS) & (groups.graph == graph)).tolist():
        made = diagram.item_of_node[np.flatnonzero(trace.nodes.call == -2 - groups.index[group])]
        heads = made[(made >= 0) & (diagram.graph[made] == graph)]
        for root in trace.roots_of(int(-2 - groups.index[group])).tolist():
            items = diagram.items_around_tensor(root)
            tails = items[diagram.graph[items] == graph]
            after += [(int(tail), int(heads[0])) for tail in tails if len(heads) and tail != heads[0]]
    if not after:
        return arrays
    sizes, edges, ports, inside, parent, header = arrays
    edges = np.concatenate((edges, np.array(after) - diagram.bounds[graph]))
    return sizes, edges, np.concatenate((ports, np.zeros((len(after), 2)))), inside, parent, header


def _without(drawing: NestedResult, edges: int) -> NestedResult:
    """The drawing with only the first edges."""
    if len(drawing.starts) == edges + 1:
        return drawing
    return replace(drawing, starts=drawing.starts[: edges + 1], points=drawing.points[: drawing.starts[edges]])


def prepare(placed: Placed) -> None:
    """Compute everything that a drawing will be asked for sooner or later, so that the window's thread need not."""
    for thing in (placed, placed.diagram):
        for name, value in vars(type(thing)).items():
            if isinstance(value, cached_property):
                getattr(thing, name)
    trace = placed.diagram.trace
    moment(placed.diagram, trace.frame_at(len(trace)))


# -- which groups are open at first

PAGE = (900.0, 540.0)  # pixels of a medium-sized canvas
FITS = 0.45  # the zoom at which all of a graph should fit on a page, so that most names are not cut off
FITS_OUTSIDE = 0.3  # the same for closing what nothing is around, which leaves little to see
BETTER = 1.1  # times the zoom: a smaller gain is not worth closing anything
QUICK = 300  # items of a graph that can be drawn in no time; for more, a draft is tried
TOO_MANY = 1500  # items of a graph for which nothing needs to be tried


def initially_open(structure: Structure, ruler: Measure, layouter: Layouter, drawing: Presentation) -> Flags:
    """By group: whether it is open where the user has not decided. Each graph is treated on its own."""
    groups = structure.groups
    plain = replace(drawing, folding=drawing.folding.at_level(None))
    best = readable(structure)
    if not best.any():
        return best

    def zooms(opened: Flags) -> Floats:
        return _zooms(diagram_of(structure, ruler, plain, opened), ruler, layouter)

    trial = best.copy()
    zoom = zooms(best)
    for level in range(len(groups.levels) - 1, -1, -1):
        least = FITS if level else FITS_OUTSIDE
        closing = trial & _seen(groups, trial) & (groups.depth == level) & (zoom < least)[groups.graph]
        if not closing.any():
            continue
        trial &= ~closing
        found = zooms(trial)
        better = found > BETTER * zoom
        best = np.where(better[groups.graph], trial, best)
        zoom = np.where(better, found, zoom)
    return best


def _seen(groups: Groups, opened: Flags) -> Flags:
    """The groups that are not inside a closed one."""
    found = np.ones(len(groups) + 1, bool)
    for level in groups.levels[1:]:
        around = groups.parent[level]
        found[level] = found[around] & opened[around]
    return found[:-1]


def _zooms(diagram: Diagram, ruler: Measure, layouter: Layouter) -> Floats:
    """By graph: the zoom at which all of it fits on a page, 0 if it is too large to be tried."""
    graphs = graphs_of(diagram, ruler)
    layouter.renew()
    zooms = []
    for graph in graphs.different:
        boxes = len(graph.sizes)
        across, down = nested(layouter, graph, draft=boxes > QUICK).size if boxes <= TOO_MANY else (np.inf, np.inf)
        zooms.append(min(PAGE[0] / max(across, 1.0), PAGE[1] / max(down, 1.0)))
    return np.array(zooms)[graphs.which]
