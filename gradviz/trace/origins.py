"""Which node's backward made a node of the graph of gradients, found from the order of steps. What a call is told to
keep such a graph by is `create_graph`, see `schema.Calls`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.kinds import Kind
from gradviz.trace.schema import Calls, Nodes, Steps

Array = NDArray[Any]

_ENDS = (Kind.BACKWARD, Kind.CONTRIBUTION, Kind.ACCUMULATE, Kind.HOOK)


def find_origins(steps: Steps, nodes: Nodes, calls: Calls) -> Array:
    """Per node the one whose backward made it, -1 for all others.

    Note [Origins]: within a backward call what a node's formula makes is reported first, then the node's own step. In
    the same way sums of gradients come before the arrival that they are for, and what hooks make before the hook's
    step: these have no origin, nor has a formula that a hook follows before its node is reported. Steps of a call
    within the call carry its own number and do not come between.
    """
    origin = np.full(len(nodes), -1, np.int64)
    made = np.flatnonzero((nodes.call >= 0) & (nodes.step >= 0))
    made = made[calls.create_graph[nodes.call[made]]]
    made = made[(nodes.site[made] >= 0) | (steps.node[nodes.step[made]] == made)]  # not one that was only met there
    ends = np.flatnonzero(np.isin(steps.kind, _ENDS) & (steps.call >= 0))
    if not len(made) or not len(ends):
        return origin
    keys = steps.call[ends].astype(np.int64) << 32 | ends
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], nodes.call[made].astype(np.int64) << 32 | nodes.step[made])
    end = ends[order[np.minimum(at, len(ends) - 1)]]
    known = (at < len(ends)) & (steps.call[end] == nodes.call[made]) & (steps.kind[end] == Kind.BACKWARD)
    origin[made[known]] = steps.node[end[known]]
    return origin
