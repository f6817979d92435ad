"""How large the parts of a drawing are before anything has run: leaves say their shape, of results a scalar is assumed.
`Sizes` are those that a trace has told; `geometry` puts everything at its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradviz.document.catalogue import Entry, Port, catalogue, outputs
from gradviz.document.drawing import Drawing, Leaf, Node, Operation, Ref
from gradviz.document.leaf_forms import leaf_dtype, leaf_shape
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.ink import Ink

RESULT = (sizes.CARD_MIN, sizes.HEADER + 8 + sizes.LINE + sizes.LINE + sizes.NOTE)
UNKNOWN = Entry("", "?", "", "?", "", "", ())


@dataclass(frozen=True)
class Sizes:
    """What is known of a trace: width and height of cards without what is under them, and the height with it."""

    cards: Mapping[Ref, tuple[float, float]] = field(default_factory=dict)


def entry_of(node: Operation) -> Entry:
    """Its row of the catalogue; one without ports if there is none."""
    return catalogue().get(node.op, UNKNOWN)


def symbol_of(node: Operation) -> str:
    """What stands in its circle."""
    entry = catalogue().get(node.op)
    return entry.symbol if entry is not None else node.op.rpartition(".")[2]


def ports_of(node: Operation) -> tuple[Port, ...]:
    """Its ports: of a variadic one as many as are connected and one more, of an unknown operation what is connected."""
    ports = entry_of(node).ports
    if len(ports) == 1 and ports[0].variadic:
        many = len(node.inputs)
        return tuple(Port(f"{ports[0].name}[{k}]", optional=k >= max(many, 1)) for k in range(many + 1))
    missing = range(len(ports), len(node.inputs))
    return (*ports, *(Port(f"input {k}", optional=True) for k in missing))


def outputs_of(drawing: Drawing) -> dict[int, int]:
    """How many outputs each node has."""
    used: dict[int, int] = {}
    refs = [operand for node in drawing.nodes if isinstance(node, Operation) for operand in node.inputs]
    for ref in (*refs, *(call.root for call in drawing.calls)):
        if isinstance(ref, Ref):
            used[ref.node] = max(used.get(ref.node, 1), ref.output + 1)
    for node in drawing.nodes:
        own = 1 if isinstance(node, Leaf) else max(len(outputs(entry_of(node), node)), len(node.names), 1)
        used[node.id] = max(used.get(node.id, 1), own)
    return used


def leaf_size(leaf: Leaf, ink: Ink, *, shared: bool) -> tuple[float, float]:
    """Width and height of the card of a leaf, as the canvas will make it; `shared`: gradients may add up at it."""
    shape = leaf_shape(leaf)
    dtype = leaf_dtype(leaf)
    meta = sizes.shape_text(dtype, shape)
    if leaf.requires_grad:
        meta = f"leaf · {meta}"
    return sizes.card_size(
        ink, leaf.name, meta, sizes.shape_of(shape, dtype),
        grad=leaf.requires_grad, badge=leaf.requires_grad and shared, expression=False,
    )  # fmt: skip


def name_of(node: Node, output: int = 0) -> str:
    """The name of an output, "" for none."""
    if isinstance(node, Leaf):
        return node.name
    return node.names[output] if output < len(node.names) else ""
