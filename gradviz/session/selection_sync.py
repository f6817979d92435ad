"""Keeps the selection of a drawing and that of its trace in step: which row of a trace stands for a node, which node a
row is part of, and, after the drawing was changed, the same selection, the same lineage and the corresponding step in
the new trace. `drawn` knows where nodes are in a trace; `store` calls this at every change."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.document.drawing import Drawing, Ref
from gradviz.session.drawn import Drawn, drawing_of, drawn
from gradviz.session.state import Lineage, Selection, State

if TYPE_CHECKING:
    from gradviz.document.documents import Document
    from gradviz.trace.table.trace import Trace

NOTHING: frozenset[int] = frozenset()


def selection_for(state: State, picked: frozenset[int]) -> Selection | None:
    """What the inspector shows of the trace for this selection in the drawing: the result of the only node, unless
    something else of that node is already selected."""
    found = _drawn(state)
    if found is None or len(picked) != 1:
        return None
    (node,) = picked
    now = state.selection
    if now is not None and found.node_of(now.kind, now.index) == node:
        return now
    return _of_node(found, node)


def picked_for(state: State, selection: Selection | None) -> frozenset[int]:
    """What to select in the drawing for this selection in the trace: the node that it is part of."""
    found = _drawn(state)
    if found is None:
        return state.picked if selection is None and state.drawing is None else NOTHING
    node = found.node_of(selection.kind, selection.index) if selection is not None else 0
    return frozenset({node}) if state.drawing is not None and node in state.drawing.by_id else NOTHING


def found_again(state: State, traced: Document, trace: Trace) -> Selection | None:
    """The selection in a newer trace of the drawing: the same tensor or operation of the same node."""
    if not isinstance(traced, Drawing):
        return None
    old, new, now = _drawn(state), drawn(traced, trace), state.selection
    again = thing_again(old, new, now) if old is not None and now is not None else None
    if again is not None:
        return again
    return _of_node(new, next(iter(state.picked))) if len(state.picked) == 1 else None


def place_again(state: State, traced: Document, trace: Trace) -> tuple[int, Lineage | None]:
    """The cursor and the lineage in a newer trace of the drawing; a cursor at the end stays at the end."""
    at_end = state.trace is None or state.cursor >= state.steps
    old = _drawn(state)
    if old is None or state.trace is None or not isinstance(traced, Drawing):
        return len(trace) if at_end else min(state.cursor, len(trace)), None
    new = drawn(traced, trace)
    cursor = len(trace) if at_end else cursor_again(Ran(old, state.trace), Ran(new, trace), state.cursor)
    return cursor, lineage_again(old, new, state.lineage)


def still_there(document: Document, picked: frozenset[int]) -> frozenset[int]:
    """The selection of the drawing, without what no longer exists."""
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


Key = tuple[int, int, int]  # the kind of a step, the node of the drawing, and which of these steps


@dataclass(frozen=True)
class Ran:
    """A trace, and where the nodes of its drawing are in it."""

    drawn: Drawn
    trace: Trace


def thing_again(old: Drawn, new: Drawn, thing: Selection) -> Selection | None:
    """The same tensor or operation of the same node."""
    if thing.kind == "tensor" and thing.index in old.ref_of_tensor:
        tensor = new.tensors.get(old.ref_of_tensor[thing.index])
        return Selection("tensor", tensor) if tensor is not None else None
    node = old.node_of(thing.kind, thing.index)
    if thing.kind == "node" and node in new.rows:
        nth = old.rows[node].index(thing.index)
        return Selection("node", new.rows[node][min(nth, len(new.rows[node]) - 1)])
    return None


def lineage_again(old: Drawn, new: Drawn, lineage: Lineage | None) -> Lineage | None:
    """The same lineage; None if its subject no longer exists."""
    if lineage is None:
        return None
    of = thing_again(old, new, lineage.of)
    to = thing_again(old, new, lineage.to) if lineage.to is not None else None
    if of is None or (to is None and lineage.to is not None):
        return None
    return Lineage(lineage.kind, of, to)


def cursor_again(old: Ran, new: Ran, cursor: int) -> int:
    """After the same step; if that no longer exists, after the latest earlier one that does."""
    if cursor <= 0 or _same_steps(old, new):
        return min(max(cursor, 0), len(new.trace))
    at = {key: step for step, key in enumerate(_keys(new))}
    for key in reversed(_keys(old)[:cursor]):
        if key in at:
            return at[key] + 1
    return 0


def _same_steps(old: Ran, new: Ran) -> bool:
    import numpy as np

    one, other = old.trace.steps, new.trace.steps
    pairs = (one.kind, other.kind), (one.node, other.node), (one.tensor, other.tensor)
    same = all(np.array_equal(mine, theirs) for mine, theirs in pairs)
    return same and old.drawn.rows == new.drawn.rows and old.drawn.tensors == new.drawn.tensors


def _keys(ran: Ran) -> list[Key]:
    """The identity of each step in terms of the nodes of the drawing."""
    steps, drawn = ran.trace.steps, ran.drawn
    many: Counter[tuple[int, int]] = Counter()
    found: list[Key] = []
    for kind, row, tensor in zip(steps.kind.tolist(), steps.node.tolist(), steps.tensor.tolist(), strict=True):
        node = drawn.node_of_row.get(row, 0) or drawn.node_of_tensor.get(tensor, 0)
        found.append((kind, node, many[kind, node]))
        many[kind, node] += 1
    return found
