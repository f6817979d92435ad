"""What a tensor or operation was computed from, what it contributes to, and the paths from one to another: masks over
the operations and tensors of a trace. Pure; the canvas fades everything else.

Note [One pass] Operations are numbered in the order in which they ran, so the inputs of an operation were made by
earlier ones: one pass over the edges, backwards or forwards, reaches everything, however deep the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.session.groups import as_operation, nodes_of
from gradviz.session.state import Selection

if TYPE_CHECKING:
    from gradviz.session.inspect.chain_rule import Path
    from gradviz.session.state import Lineage
    from gradviz.trace.table.trace import Trace

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Family:
    """Some operations and tensors of a trace; `uses` are the rows of `trace.inputs` that belong to it, None for all
    between them."""

    nodes: Flags
    tensors: Flags
    uses: Flags | None = None

    def __len__(self) -> int:
        return int(self.nodes.sum() + self.tensors.sum())


def family(trace: Trace, lineage: Lineage) -> Family:
    """The family of a lineage."""
    if lineage.kind == "ancestors":
        return ancestors(trace, lineage.of)
    if lineage.kind == "descendants":
        return descendants(trace, lineage.of)
    return between(trace, lineage.of, lineage.to or lineage.of)


def along(trace: Trace, path: Path, tensor: int) -> Family:
    """The operations and tensors on one path of a gradient, and the tensor where it ends."""
    nodes, tensors = np.zeros(len(trace.nodes), bool), np.zeros(len(trace.tensors), bool)
    nodes[[step.node for step in path.steps]] = True
    tensors[[tensor, *(each for step in path.steps for each in (step.result, step.operand) if each >= 0)]] = True
    uses = np.zeros(len(trace.inputs), bool)
    for step in path.steps:
        low, high = np.searchsorted(trace.inputs.node, [step.node, step.node + 1])
        uses[low:high] = trace.inputs.slot[low:high] == step.slot
    return Family(nodes, tensors, uses)


def ancestors(trace: Trace, thing: Selection) -> Family:
    """The thing itself and everything that it was computed from."""
    nodes, tensors = _start(trace, thing)
    makers, users = _links(trace)
    if thing.kind == "tensor":
        maker = int(trace.tensors.producer[thing.index])
        nodes[[maker] if maker >= 0 else []] = True
    start = int(np.flatnonzero(nodes)[-1]) if nodes.any() else -1
    if start >= 0:
        last = int(np.searchsorted(trace.inputs.node, start, "right"))
        _spread(nodes, users[:last][::-1], makers[:last][::-1])
    tensors[trace.inputs.tensor[nodes[trace.inputs.node]]] = True
    return Family(nodes, tensors)


def descendants(trace: Trace, thing: Selection) -> Family:
    """The thing itself and everything computed from it."""
    nodes, tensors = _start(trace, thing)
    makers, users = _links(trace)
    if thing.kind == "tensor":
        nodes[trace.users_of(thing.index)] = True
    begin = np.flatnonzero(nodes)
    if len(begin):
        first = int(np.searchsorted(trace.inputs.node, begin[0]))
        _spread(nodes, makers[first:], users[first:])
    made = trace.tensors.producer >= 0
    tensors[made] |= nodes[trace.tensors.producer[made]]
    return Family(nodes, tensors)


def between(trace: Trace, one: Selection, other: Selection) -> Family:
    """All paths from one thing to the other, in whichever direction there are any; empty if there are none."""
    for source, sink in ((one, other), (other, one)):
        after, before = descendants(trace, source), ancestors(trace, sink)
        at = as_operation(trace, sink)
        mask = after.nodes if at.kind == "node" else after.tensors
        if mask[at.index]:
            return Family(after.nodes & before.nodes, after.tensors & before.tensors)
    return Family(np.zeros(len(trace.nodes), bool), np.zeros(len(trace.tensors), bool))


def _start(trace: Trace, thing: Selection) -> tuple[Flags, Flags]:
    nodes, tensors = np.zeros(len(trace.nodes), bool), np.zeros(len(trace.tensors), bool)
    if thing.kind == "group":
        nodes[nodes_of(trace, thing.index)] = True
        return nodes, tensors
    (nodes if thing.kind == "node" else tensors)[thing.index] = True
    return nodes, tensors


def _links(trace: Trace) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row of `inputs`, the operation that made the tensor (-1 for none) and the one that reads it."""
    return trace.tensors.producer[trace.inputs.tensor].astype(np.int64), trace.inputs.node.astype(np.int64)


def _spread(marked: Flags, source: NDArray[np.int64], sink: NDArray[np.int64]) -> None:
    """Mark the sink of every link whose source is marked; links are in the order in which marks spread."""
    real = (source >= 0) & (sink >= 0)
    flags = bytearray(marked.tobytes())
    for one, other in zip(source[real].tolist(), sink[real].tolist(), strict=True):
        if flags[one]:
            flags[other] = 1
    marked[:] = np.frombuffer(flags, bool)
