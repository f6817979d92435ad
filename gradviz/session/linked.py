"""What is picked of a drawing and what is selected of its trace, kept in step: which row of a trace stands for a node,
and which node a row is part of. Where nodes are in a trace is in `drawn`; `store` calls this at every change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.document.drawing import Drawing, Ref
from gradviz.session.drawn import Drawn, drawing_of, drawn
from gradviz.session.state import Lineage, Selection, State
from gradviz.session.staying import Ran, cursor_again, lineage_again, thing_again

if TYPE_CHECKING:
    from gradviz.document.documents import Document
    from gradviz.trace.trace import Trace

NOTHING: frozenset[int] = frozenset()


def selection_for(state: State, picked: frozenset[int]) -> Selection | None:
    """What the inspector shows of the trace when this is picked: the result of the one node; what is selected of that
    node already stays."""
    found = _drawn(state)
    if found is None or len(picked) != 1:
        return None
    (node,) = picked
    now = state.selection
    if now is not None and found.node_of(now.kind, now.index) == node:
        return now
    return _of_node(found, node)


def picked_for(state: State, selection: Selection | None) -> frozenset[int]:
    """What is picked when this is selected: the node that it is part of."""
    found = _drawn(state)
    if found is None:
        return state.picked if selection is None and state.drawing is None else NOTHING
    node = found.node_of(selection.kind, selection.index) if selection is not None else 0
    return frozenset({node}) if state.drawing is not None and node in state.drawing.by_id else NOTHING


def found_again(state: State, traced: Document, trace: Trace) -> Selection | None:
    """What is selected, in a newer trace of the drawing: the same tensor or operation of the same node."""
    if not isinstance(traced, Drawing):
        return None
    old, new, now = _drawn(state), drawn(traced, trace), state.selection
    again = thing_again(old, new, now) if old is not None and now is not None else None
    if again is not None:
        return again
    return _of_node(new, next(iter(state.picked))) if len(state.picked) == 1 else None


def place_again(state: State, traced: Document, trace: Trace) -> tuple[int, Lineage | None]:
    """The cursor and the lineage in a newer trace of the drawing; a cursor at the end stays there."""
    at_end = state.trace is None or state.cursor >= state.steps
    old = _drawn(state)
    if old is None or state.trace is None or not isinstance(traced, Drawing):
        return len(trace) if at_end else min(state.cursor, len(trace)), None
    new = drawn(traced, trace)
    cursor = len(trace) if at_end else cursor_again(Ran(old, state.trace), Ran(new, trace), state.cursor)
    return cursor, lineage_again(old, new, state.lineage)


def still_there(document: Document, picked: frozenset[int]) -> frozenset[int]:
    """What is picked, without what is gone."""
    if not picked or not isinstance(document, Drawing):
        return NOTHING
    known = picked & document.by_id.keys()
    others = ({one.id for one in document.comments} | {one.id for one in document.groups}) & picked
    return picked if len(known) + len(others) == len(picked) else known | others


def _drawn(state: State) -> Drawn | None:
    drawing = state.drawing
    if drawing is None or state.trace is None:
        return None
    traced = drawing_of(state.traced, drawing)
    return drawn(traced, state.trace) if traced is not None else None


def _of_node(found: Drawn, node: int) -> Selection | None:
    tensor = found.tensors.get(Ref(node))
    if tensor is not None:
        return Selection("tensor", tensor)
    return Selection("node", found.rows[node][-1]) if node in found.rows else None
