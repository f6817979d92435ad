"""Where on an item its edges touch it, as distances from its middle: arguments in order at an operation, half-way up
the card (not its badge) at a tensor; at a closed group one place for each thing that comes in or goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.groups import Ints
from gradviz.ui.canvas.measure import GROUP, OPERATION, Floats

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.links import Links

GROUP_SPREAD = 0.7  # of the side of a closed group on which edges end
GROUP_PITCH = 16.0


def find_ports(trace: Trace, links: Links, size: Floats, card: Floats, *, vertical: bool) -> Floats:
    """By edge, where it leaves and where it arrives."""
    port = np.zeros(links.edges.shape)
    if not vertical:
        port = ((card - size)[:, 1] / 2)[links.edges]
    at_operation = links.kind[links.edges] == OPERATION
    port[at_operation] = 0.0
    argument = at_operation[:, 1] & (links.row >= 0)
    count = np.bincount(trace.inputs.node, minlength=len(trace.nodes))
    uses = links.row[argument]
    counts = count[trace.inputs.node[uses]]
    pitch = np.minimum(sizes.PORT_PITCH, sizes.PORT_SPREAD / np.maximum(counts - 1, 1))
    port[argument, 1] = (trace.inputs.slot[uses] - (counts - 1) / 2) * pitch
    room = GROUP_SPREAD * size[:, 0 if vertical else 1]
    tensor = np.where(links.row >= 0, trace.inputs.tensor[links.row], links.index[links.edges[:, 1]])
    for end in (0, 1):
        rows = np.flatnonzero(links.kind[links.edges[:, end]] == GROUP)
        port[rows, end] = _spread(links.edges[rows, end], tensor[rows], room)
    return port


def _spread(group: Ints, thing: Ints, room: Floats) -> Floats:
    """Places along the side of each group, one for each thing, in the order in which they came to be."""
    pairs, inverse = np.unique(np.column_stack((group, thing)), axis=0, return_inverse=True)
    first = np.searchsorted(pairs[:, 0], pairs[:, 0])
    many = np.bincount(pairs[:, 0], minlength=len(room))[pairs[:, 0]]
    pitch = np.minimum(GROUP_PITCH, room[pairs[:, 0]] / np.maximum(many - 1, 1))
    place: Floats = (np.arange(len(pairs)) - first - (many - 1) / 2) * pitch
    return place[inverse.reshape(-1)]
