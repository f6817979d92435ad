"""Who holds the memory of saved buffers at a cursor: the largest storages with the operations that saved them. Pure;
the memory page lists it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.session.columns import place

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

MOST = 200  # storages that are listed
LOOKED_AT = 4 * MOST  # buffers among which they are sought: several may hold the same storage


@dataclass(frozen=True)
class Holder:
    """One storage that saved buffers keep, counted once however many do."""

    node: int  # the operation that saved it first
    operation: str  # "MulBackward0 (line 8)"
    buffers: str  # "self", "self, other"
    tensor: str  # what the snippet calls it, "" for the operation's own memory
    nbytes: int
    share: float  # of all that is held
    others: int  # how many other operations hold it too


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
    saved, nodes = trace.saved, trace.nodes
    node, tensor = int(saved.node[rows[0]]), int(saved.tensor[rows[0]])
    line = int(nodes.line[node])
    name = str(nodes.name[node]) or str(nodes.op[node])
    nbytes = max(int(saved.nbytes[row]) for row in rows)
    mine = [str(saved.name[row]) for row in rows if saved.node[row] == node]
    return Holder(
        node=node,
        operation=f"{name} (line {line})" if line > 0 else name,
        buffers=", ".join(dict.fromkeys(mine)),
        tensor=trace.naming.shown(tensor, cursor) if tensor >= 0 else "",
        nbytes=nbytes,
        share=nbytes / total if total else 0.0,
        others=len({int(saved.node[row]) for row in rows} - {node}),
    )
