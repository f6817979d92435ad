"""What the edits ask of a drawing: its nodes, what uses them, what they depend on. Changes nothing. The traversals are
written out, because a drawing is asked at every move of a wire's end: networkx would copy the graph first, and its
import takes longer than all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gradviz.document.catalogue import Entry, Port, catalogue
from gradviz.document.catalogue import outputs as outputs_of
from gradviz.document.drawing import Drawing, Leaf, Node, Operand, Operation, Ref
from gradviz.document.errors import UserError


def entry_of(operation: Operation) -> Entry | None:
    """Return its row in the catalogue; None for an operation of a newer version."""
    return catalogue().get(operation.op)


def word(key: str) -> str:
    """Return the word for an operation in a sentence: the end of its dotted key."""
    entry = catalogue().get(key)
    return entry.name if entry is not None else key.rpartition(".")[2]


def label(drawing: Drawing, id: int) -> str:
    """Return the word for a node in a sentence: its name, or its operation."""
    node = node_of(drawing, id)
    if isinstance(node, Leaf):
        return node.name
    return node.names[0] if node.names else word(node.op)


def port_name(operation: Operation, port: int) -> str:
    """Return the word for a port in a sentence."""
    return port_at(entry_of(operation), port).name


def port_at(entry: Entry | None, at: int) -> Port:
    """Return the port of an input: any number of them share a variadic one; an unknown operation accepts anything."""
    ports = () if entry is None else entry.ports
    if at < len(ports) and not ports[at].variadic:
        return ports[at]
    variadic = bool(ports) and ports[-1].variadic
    return Port(f"{ports[-1].name}[{at - len(ports) + 1}]") if variadic else Port(f"input {at + 1}", number=True)


def is_variadic(operation: Operation) -> bool:
    """Whether it takes any number of tensors, as `torch.stack` does."""
    entry = entry_of(operation)
    return entry is not None and bool(entry.ports) and entry.ports[-1].variadic


def without_gaps(operation: Operation, inputs: Sequence[Operand]) -> tuple[Operand, ...]:
    """Return the inputs without open places where any number of tensors go; other ports may stay open."""
    entry = entry_of(operation)
    fixed = len(entry.ports) - 1 if entry is not None and is_variadic(operation) else len(inputs)
    return (*inputs[:fixed], *(operand for operand in inputs[fixed:] if operand is not None))


def outputs(operation: Operation) -> int:
    """Return how many results it has, as far as is known before it runs."""
    entry = entry_of(operation)
    if entry is None:
        return max(1, len(operation.names))
    return len(outputs_of(entry, operation)) if entry.more or entry.many else max(1, len(entry.outputs))


def node_of(drawing: Drawing, id: int) -> Node:
    """Return the node with this number; refuses one that no longer exists."""
    node = drawing.by_id.get(id)
    if node is None:
        raise UserError("This node is no longer in the drawing; choose another one.")
    return node


def operation_of(drawing: Drawing, id: int) -> Operation:
    """Return the operation with this number."""
    node = node_of(drawing, id)
    if isinstance(node, Leaf):
        raise UserError(f"{node.name} is a leaf and has no inputs; choose an operation.")
    return node


def leaf_of(drawing: Drawing, id: int) -> Leaf:
    """Return the leaf with this number."""
    node = node_of(drawing, id)
    if isinstance(node, Operation):
        raise UserError(f"{label(drawing, id)} is computed and can't be written down; choose a leaf.")
    return node


def sources(operation: Operation) -> Iterable[int]:
    """Return the nodes that its wires come from, one for each wire."""
    return (operand.node for operand in operation.inputs if isinstance(operand, Ref))


def uses(drawing: Drawing) -> Counter[int]:
    """Return how many wires begin at each node."""
    counts: Counter[int] = Counter()
    for node in drawing.nodes:
        if isinstance(node, Operation):
            for operand in node.inputs:
                if isinstance(operand, Ref):
                    counts[operand.node] += 1
    return counts


def ancestors(drawing: Drawing, ids: Iterable[int]) -> set[int]:
    """Return these nodes and everything that they are computed from."""
    known = drawing.by_id
    found = {id for id in ids if id in known}
    waiting = list(found)
    while waiting:
        node = known.get(waiting.pop())
        if isinstance(node, Operation):
            new = {source for source in sources(node) if source not in found}
            found |= new
            waiting.extend(new)
    return found


def replaced(drawing: Drawing, changed: Mapping[int, Node]) -> Drawing:
    """Return the drawing with other nodes under the same numbers."""
    if not changed:
        return drawing
    return replace(drawing, nodes=tuple(changed.get(node.id, node) for node in drawing.nodes))
