"""Who holds the memory of saved buffers at a cursor (the largest storages with the operations that saved them), and the
lifetimes of the buffers. Pure; the memory page lists the former, the timeline draws the latter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.session.columns import place

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

MOST = 200  # storages that are listed
LOOKED_AT = 4 * MOST  # buffers that are searched: several may hold the same storage


@dataclass(frozen=True)
class Holder:
    """One storage held by saved buffers, counted once however many hold it."""

    node: int  # the operation that saved it first
    operation: str  # "MulBackward0 (line 8)"
    buffers: str  # "self", "self, other"
    tensor: str  # its name in the snippet, "" for the operation's own memory
    nbytes: int
    share: float  # of everything held
    others: int  # how many other operations hold it, too


def holders(trace: Trace, cursor: int) -> tuple[Holder, ...]:
    """The largest first, equal ones in the order in which they were saved."""
    import numpy as np

    saved = trace.saved
    count = place(saved.step, cursor)
    rows = np.flatnonzero((saved.freed[:count] >= cursor) & (saved.nbytes[:count] > 0))
    if len(rows) > LOOKED_AT:
        rows = np.sort(rows[np.argpartition(-saved.nbytes[rows], LOOKED_AT)[:LOOKED_AT]])
    total = int(trace.held_bytes[cursor]) if len(rows) else 0
    of_storage: dict[int, list[int]] = {}
    for row in rows.tolist():
        of_storage.setdefault(int(saved.storage[row]), []).append(row)
    largest = sorted(of_storage.values(), key=lambda group: -max(int(saved.nbytes[row]) for row in group))
    return tuple(_holder(trace, cursor, group, total) for group in largest[:MOST])


def _holder(trace: Trace, cursor: int, rows: list[int], total: int) -> Holder:
    from gradviz.trace.table.trace import in_brackets  # imports NumPy, as an empty window does not

    saved, nodes = trace.saved, trace.nodes
    node, tensor = int(saved.node[rows[0]]), int(saved.tensor[rows[0]])
    name = str(nodes.name[node]) or str(nodes.op[node])
    nbytes = max(int(saved.nbytes[row]) for row in rows)
    mine = [str(saved.name[row]) for row in rows if saved.node[row] == node]
    return Holder(
        node=node,
        operation=f"{name}{in_brackets(trace, int(nodes.site[node]))}",
        buffers=", ".join(dict.fromkeys(mine)),
        tensor=trace.naming.shown(tensor, cursor) if tensor >= 0 else "",
        nbytes=nbytes,
        share=nbytes / total if total else 0.0,
        others=len({int(saved.node[row]) for row in rows} - {node}),
    )


# -- lifetimes

MOST_LIVES = 2000  # buffers; with more only the total of their bytes is drawn
MOST_LANES = 8  # at the same time


@dataclass(frozen=True)
class Life:
    """One saved buffer: held at the cursors (born, end], with a lane of its own during that time."""

    row: int  # row of the table of saved tensors
    node: int  # the operation that holds it
    born: int
    end: int
    is_freed: bool
    lane: int


def lives(trace: Trace, steps: int) -> tuple[Life, ...]:
    """All saved buffers, in the order in which they were saved; none if there are too many to be told apart."""
    import numpy as np

    saved = trace.saved
    rows = np.flatnonzero((saved.step < steps) & (saved.nbytes > 0))
    if not 0 < len(rows) <= MOST_LIVES:
        return ()
    order = rows[np.argsort(saved.step[rows], kind="stable")]
    found, free_from = list[tuple[int, int, int, int]](), list[int]()  # by lane, the step from which it is free
    for row, born, freed in zip(order.tolist(), saved.step[order].tolist(), saved.freed[order].tolist(), strict=True):
        end = min(freed, steps)
        lane = next((lane for lane, free in enumerate(free_from) if free <= born), len(free_from))
        if lane == MOST_LANES:
            return ()
        free_from[lane : lane + 1] = [end]
        found.append((row, born, end, lane))
    return tuple(
        Life(row, int(saved.node[row]), born, end, bool(saved.freed[row] < steps), lane)
        for row, born, end, lane in found
    )


def life_text(trace: Trace, life: Life) -> str:
    """What is kept and for which operation, "x = 2 for × (line 4)"."""
    from gradviz.trace.table.trace import in_brackets
    from gradviz.trace.table.values import number_text
    from gradviz.trace.words.contributions import saved_name

    node, frame = life.node, trace.frame_at(life.born + 1)
    first = int(trace.saved.node.searchsorted(node))
    one = frame.saved(node)[life.row - first]
    value = frame.value(one.tensor) if one.tensor >= 0 else None
    number = f" = {number_text(value.scalar)}" if value is not None and value.scalar is not None else ""
    symbol = str(trace.nodes.symbol[node]) or str(trace.nodes.op[node])
    return f"{saved_name(frame, node, one)}{number} for {symbol}{in_brackets(trace, int(trace.nodes.site[node]))}"
