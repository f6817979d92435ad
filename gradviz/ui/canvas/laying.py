"""From a diagram to where everything of it is: asks the layout for every graph, each different one once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gradviz.layout.nested import nested
from gradviz.ui.canvas.moment import moment
from gradviz.ui.canvas.placed import Placed, place

if TYPE_CHECKING:
    from gradviz.layout.ladder import Layouter
    from gradviz.layout.records import NestedInput, NestedResult
    from gradviz.ui.canvas.diagram import Diagram
    from gradviz.ui.canvas.sizes import Measure


def lay_out(diagram: Diagram, ruler: Measure, layouter: Layouter, *, draft: bool = False) -> Placed:
    """The diagram with positions; a `draft` is made quickly. Raises Cancelled when the layouter was told to cancel."""
    return place(diagram, drawings(diagram, ruler, layouter, draft=draft))


def drawings(diagram: Diagram, ruler: Measure, layouter: Layouter, *, draft: bool = False) -> list[NestedResult]:
    """The drawing of each graph by itself."""
    known: dict[tuple[bytes, ...], NestedResult] = {}
    found = []
    for graph in range(len(diagram.first)):
        asked = diagram.nested_input(graph, ruler)
        key = _key(asked)
        if key not in known:
            known[key] = nested(layouter, asked, draft=draft)
        found.append(known[key])
    return found


def prepare(placed: Placed) -> None:
    """Find all that is asked of a drawing sooner or later, so that the window's thread need not."""
    for thing in (placed, placed.diagram):
        for name, value in vars(type(thing)).items():
            if isinstance(value, cached_property):
                getattr(thing, name)
    trace = placed.diagram.trace
    moment(placed.diagram, trace.frame_at(len(trace)))


def _key(asked: NestedInput) -> tuple[bytes, ...]:
    arrays = (asked.sizes, asked.edges, asked.ports, asked.group, asked.parent, asked.header)
    return tuple(array.tobytes() for array in arrays)
