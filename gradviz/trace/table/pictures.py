"""What is seen together with a graph, so that its names have to differ from those of the graph: the untracked results
that lead to it, or are made of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.tables import History

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


def of_tensors(trace: Trace) -> NDArray[np.int64]:
    """By tensor: the graph in whose picture it is seen, unless another one reads it alone; -1 for leaves."""
    return _joined(trace)[trace.graphs.of_tensor]


def of_result(trace: Trace, tensor: int) -> int:
    """The graph in whose picture a result is seen: for one that is not tracked, where it is used."""
    graph, used_in = int(trace.graphs.of_tensor[tensor]), trace.graph_of_node[trace.users_of(tensor)]
    joined = int(_joined(trace)[graph])
    return int(used_in[0]) if len(used_in) and joined != graph and graph not in used_in else joined


def members(trace: Trace, graph: int) -> NDArray[np.int64]:
    """The results in the picture of a graph, in order."""
    of_tensor, producer = trace.graphs.of_tensor, trace.tensors.producer
    results = trace.kept("results of pictures", lambda: History(of_tensors(trace), None)).all(graph)
    read = np.unique(trace.inputs.tensor[inputs_of(trace, graph)]).astype(np.int64)
    read = read[read >= 0]
    found: NDArray[np.int64] = np.union1d(results, read[(producer[read] >= 0) & (of_tensor[read] != graph)])
    return found


def inputs_of(trace: Trace, graph: int) -> NDArray[np.int64]:
    """The rows of the inputs that the operations of a graph read."""
    return trace.kept("inputs of graphs", lambda: History(trace.graph_of_node[trace.inputs.node], None)).all(graph)


def _joined(trace: Trace) -> NDArray[np.int64]:
    """By graph: itself, or for one of untracked operations the first tracked graph that reads a result of it, otherwise
    the last one of which it reads a result; -1 at the end, for tensors that no graph has."""
    return trace.kept("joined graphs", lambda: _join(trace))


def _join(trace: Trace) -> NDArray[np.int64]:
    graphs, inputs = trace.graphs, trace.inputs
    joined = np.append(np.arange(len(graphs)), -1)
    tracked = np.zeros(len(graphs), bool)
    tracked[graphs.of_node[trace.nodes.name != ""]] = True
    rows = np.flatnonzero(inputs.tensor >= 0)
    source, reader = graphs.of_tensor[inputs.tensor[rows]], graphs.of_node[inputs.node[rows]]
    rows = np.flatnonzero((source >= 0) & (tracked[source] != tracked[reader]))
    leaving = rows[tracked[source[rows]]]
    joined[reader[leaving]] = source[leaving]  # the last one stays
    entering = rows[tracked[reader[rows]]][::-1]
    joined[source[entering]] = reader[entering]  # the first one stays
    return joined
