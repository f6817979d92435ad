"""Which wires could be made in a drawing, as far as its graph can tell: the ports that are free and close no circle.
`shaping.wires` makes a wire, or says why not; whether the shapes fit only a run can tell."""

from __future__ import annotations

from gradviz.document.drawing import Drawing, Leaf, Node, Operation, Ref
from gradviz.document.shaping import ancestors
from gradviz.document.shaping.looking import is_variadic, outputs, sources

InPort = tuple[int, int]  # a node and the number of its port


def port_count(node: Node) -> int:
    """How many inputs a node shows: one that takes any number has room for one more."""
    return 0 if isinstance(node, Leaf) else len(node.inputs) + is_variadic(node)


def is_taken(node: Node, port: int) -> bool:
    """Whether a wire ends at this port."""
    return isinstance(node, Operation) and port < len(node.inputs) and isinstance(node.inputs[port], Ref)


def free_port(drawing: Drawing, node: int) -> int:
    """The first port without a wire, -1 if there is none; those with a number come last."""
    there = drawing.by_id.get(node)
    if not isinstance(there, Operation):
        return -1
    free = [port for port in range(port_count(there)) if not is_taken(there, port)]
    empty = [port for port in free if port >= len(there.inputs) or there.inputs[port] is None]
    return (empty or free or [-1])[0]


def inputs_for(drawing: Drawing, source: Ref) -> tuple[InPort, ...]:
    """The ports at which a wire from this output could end."""
    before = ancestors(drawing, (source.node,))
    return tuple(
        (node.id, port)
        for node in drawing.nodes
        if node.id not in before
        for port in range(port_count(node))
        if not is_taken(node, port)
    )


def outputs_for(drawing: Drawing, node: int) -> tuple[Ref, ...]:
    """The outputs from which a wire to this node could come."""
    users: dict[int, list[int]] = {}
    for one in drawing.nodes:
        for source in sources(one) if isinstance(one, Operation) else ():
            users.setdefault(source, []).append(one.id)
    below, waiting = {node}, [node]
    while waiting:
        new = [user for user in users.get(waiting.pop(), ()) if user not in below]
        below.update(new)
        waiting.extend(new)
    return tuple(
        Ref(one.id, output)
        for one in drawing.nodes
        if one.id not in below
        for output in range(1 if isinstance(one, Leaf) else outputs(one))
    )
