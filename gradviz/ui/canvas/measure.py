"""How large the items of a diagram are, and what they are called: only those that are seen are measured. The sizes of
single things are in `sizes`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.sizes import group_size

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.groups import Groups

TENSOR, OPERATION, REFERENCE, GROUP = range(4)
LEAF, CONSTANT, INTERMEDIATE, OUTPUT, OP, PLAIN_OP, FOLDED = range(7)
MODULES = re.compile(r"\b(?:torch\.nn\.functional|torch|self|nn|F)\.(?=[\w.]+\()")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Look:
    """By item: category, size with and without what is around it, name, and whether gradients are added up at it."""

    category: NDArray[np.uint8]
    size: Floats
    card: Floats
    names: list[str]
    badge: Flags


def measure(
    trace: Trace, groups: Groups, ruler: sizes.Measure, kind: NDArray[np.uint8], index: Ints, *, vertical: bool = False
) -> Look:
    """The look of all items; `index` is the number of the group for those that are closed groups."""
    known = _KnownOfTensors(trace)
    tensor = (kind == TENSOR) | (kind == REFERENCE)
    operation, group = kind == OPERATION, kind == GROUP
    category = np.full(len(kind), FOLDED, np.uint8)
    category[operation] = np.where(trace.nodes.sequence_nr >= 0, OP, PLAIN_OP)[index[operation]]
    category[tensor] = known.category[index[tensor]]
    size, card = np.empty((len(kind), 2)), np.empty((len(kind), 2))
    size[operation], card[operation] = _operations(trace, ruler, index[operation], vertical)
    badge = kind == TENSOR
    badge[tensor] &= known.badged[index[tensor]]
    names = [""] * len(kind)
    for item in np.flatnonzero(tensor).tolist():
        which = int(index[item])
        names[item] = card_name(trace, which, len(trace))
        if kind[item] == REFERENCE:
            size[item] = sizes.reference_size(ruler, names[item])
        else:
            size[item] = known.card_size(ruler, which, names[item])
    for item in np.flatnonzero(group).tolist():
        names[item] = groups.title[index[item]]
        size[item] = group_size(ruler, names[item], groups.detail[index[item]])
    card[~operation] = size[~operation]
    size[badge, 1] += sizes.BADGE_GAP + sizes.BADGE_HEIGHT
    return Look(category, size, card, names, badge)


def _operations(trace: Trace, ruler: sizes.Measure, nodes: Ints, vertical: bool) -> tuple[Floats, Floats]:
    """Sizes of operations, and of their circles: those with the same words are measured once."""
    saved = _saved_names(trace, nodes)
    known: dict[tuple[tuple[str, str, str], tuple[str, ...]], tuple[tuple[float, float], float]] = {}
    size, circle = np.empty((len(nodes), 2)), np.full((len(nodes), 2), 2 * sizes.RADIUS)
    for row, node in enumerate(nodes.tolist()):
        words = operation_text(trace, node), saved.get(node, ())
        if words not in known:
            known[words] = (
                sizes.operation_size(ruler, *words[0], words[1], vertical=vertical),
                sizes.symbol_width(ruler, words[0][0]),
            )
        size[row], circle[row, 0] = known[words]
    return size, circle


class _KnownOfTensors:
    """What the whole trace says of each tensor, at any cursor."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.requires = trace.tensors.requires_grad.astype(bool)
        np.logical_or.at(self.requires, trace.flags.tensor, trace.flags.requires_grad)
        self.bound = np.zeros(len(trace.tensors), bool)
        self.bound[trace.names.tensor] = True
        self.versioned = trace.tensors.version > 0
        self.versioned[trace.writes.tensor] = True
        self.badged = np.zeros(len(trace.tensors), bool)
        self.badged[trace.arrivals.tensor[(trace.arrivals.expected > 1) & (trace.arrivals.tensor >= 0)]] = True
        tracked = np.where(trace.tensors.is_leaf, LEAF, INTERMEDIATE)
        self.category = np.where(self.requires, tracked, CONSTANT)
        self.category[trace.roots.tensor] = OUTPUT

    def card_size(self, ruler: sizes.Measure, tensor: int, name: str) -> tuple[float, float]:
        """How large a tensor's card must be for whatever it will say."""
        meta = meta_text(self._trace, tensor, int(self.category[tensor]))
        return sizes.card_size(
            ruler,
            name,
            f"v10 · {meta}" if self.versioned[tensor] else meta,
            sizes.shape_of(self._trace.tensors.shape[tensor], str(self._trace.tensors.dtype[tensor])),
            grad=bool(self.requires[tensor]),
            badge=bool(self.badged[tensor]),
            expression=not self.bound[tensor],
        )


def _saved_names(trace: Trace, nodes: Ints) -> dict[int, tuple[str, ...]]:
    names: dict[int, tuple[str, ...]] = {}
    seen = np.zeros(len(trace.nodes), bool)
    seen[nodes] = True
    rows = np.flatnonzero(seen[trace.saved.node])
    for node, name in zip(trace.saved.node[rows].tolist(), trace.saved.name[rows].tolist(), strict=True):
        names[node] = (*names.get(node, ()), name)
    return names


def card_name(trace: Trace, tensor: int, cursor: int) -> str:
    """What a card is called: as the snippet calls it, expressions without the modules that functions come from."""
    name = trace.naming.name(tensor, cursor)
    return MODULES.sub("", name) if "(" in name else name


def operation_text(trace: Trace, node: int) -> tuple[str, str, str]:
    """Symbol, label and scope of an operation."""
    nodes = trace.nodes
    return str(nodes.symbol[node]), str(nodes.name[node] or nodes.op[node]), str(nodes.scope[node])


def meta_text(trace: Trace, tensor: int, category: int) -> str:
    """What stands on the right of a card's header."""
    tensors = trace.tensors
    kind = sizes.shape_text(str(tensors.dtype[tensor]), tensors.shape[tensor])
    if category == LEAF:
        return f"{'parameter' if tensors.is_parameter[tensor] else 'leaf'} · {kind}"
    return f"output · {kind}" if category == OUTPUT else kind
