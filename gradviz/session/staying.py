"""Where one was, in the trace of a drawing that was changed meanwhile: the same selection, the same lineage, the step
that says the same. What a drawing and its trace have to do with each other is in `drawn`; `store` asks at every live
run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.session.drawn import Drawn
from gradviz.session.state import Lineage, Selection

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

Key = tuple[int, int, int]  # the kind of a step, the node of the drawing, which of these steps


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
    """The same relatives; None where what they are relatives of is gone."""
    if lineage is None:
        return None
    of = thing_again(old, new, lineage.of)
    to = thing_again(old, new, lineage.to) if lineage.to is not None else None
    if of is None or (to is None and lineage.to is not None):
        return None
    return Lineage(lineage.kind, of, to)


def cursor_again(old: Ran, new: Ran, cursor: int) -> int:
    """After the same step; where that is gone, after the latest one before it that is still there."""
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
    """What each step is, told by the nodes of the drawing."""
    steps, drawn = ran.trace.steps, ran.drawn
    many: Counter[tuple[int, int]] = Counter()
    found: list[Key] = []
    for kind, row, tensor in zip(steps.kind.tolist(), steps.node.tolist(), steps.tensor.tolist(), strict=True):
        node = drawn.node_of_row.get(row, 0) or drawn.node_of_tensor.get(tensor, 0)
        found.append((kind, node, many[kind, node]))
        many[kind, node] += 1
    return found
