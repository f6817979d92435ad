"""Wires and the plain numbers at ports. A cycle and an occupied port are refused here; whether shapes fit is found out
by a run. `inputs_for` and `outputs_for` say which wires could be made, as far as the graph can tell."""

from __future__ import annotations

from dataclasses import replace

from gradviz.document.catalogue import Port
from gradviz.document.drawing import Drawing, Leaf, Node, Number, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.names import settle, tidy
from gradviz.document.shaping.nodes import new_operation
from gradviz.document.shaping.queries import (
    ancestors,
    entry_of,
    is_variadic,
    label,
    node_of,
    operation_of,
    outputs,
    port_name,
    replaced,
    sources,
    without_gaps,
    word,
)
from gradviz.lists import quantity


def connect(drawing: Drawing, ref: Ref, node: int, port: int) -> Drawing:
    """Draw a wire from an output to a port; after the last of any number of inputs, it adds one."""
    source, target = node_of(drawing, ref.node), operation_of(drawing, node)
    several = 1 if isinstance(source, Leaf) else outputs(source)
    if not 0 <= ref.output < several:
        raise UserError(f"{label(drawing, ref.node)} has only {quantity(several, 'output')}.")
    _check_port(target, port, one_more=True)
    if port < len(target.inputs) and isinstance(target.inputs[port], Ref):
        where = f"{port_name(target, port)} of {label(drawing, node)}"
        raise UserError(f"{where} has a wire already; take it off first.")
    check_no_circle(drawing, ref.node, node)
    return settle(_with_operand(drawing, target, port, ref), drawing, (ref.node, node))


def check_no_circle(drawing: Drawing, source: int, target: int) -> None:
    """Refuse a wire from `source` to `target` that would close a cycle."""
    if source == target:
        raise UserError(f"That would make a circle: {label(drawing, target)} can't be its own input.")
    if target in ancestors(drawing, (source,)):
        names = f"{label(drawing, source)} already depends on {label(drawing, target)}"
        raise UserError(f"That would make a circle: {names}.")


def disconnect(drawing: Drawing, node: int, port: int) -> Drawing:
    """Remove the wire or the number at a port."""
    target = operation_of(drawing, node)
    _check_port(target, port)
    if target.inputs[port] is None:
        raise UserError(f"{port_name(target, port)} of {label(drawing, node)} has no wire.")
    return tidy(_with_operand(drawing, target, port, None))


def set_number(drawing: Drawing, node: int, port: int, value: bool | int | float | complex | None) -> Drawing:
    """Write a plain number at a port, such as the 2 of `x ** 2`; None removes it."""
    target = operation_of(drawing, node)
    _check_port(target, port)
    where = f"{port_name(target, port)} of {label(drawing, node)}"
    if isinstance(target.inputs[port], Ref):
        raise UserError(f"{where} has a wire already; take it off first.")
    if value is None:
        return _with_operand(drawing, target, port, None)
    if not _port(target, port).number:
        raise UserError(f"{where} must be a tensor; connect a leaf to it.")
    others = (operand for at, operand in enumerate(target.inputs) if at != port)
    if len(target.inputs) > 1 and all(isinstance(operand, Number) for operand in others):
        raise UserError(f"One input of {label(drawing, node)} must be a tensor; connect a leaf to {where}.")
    return settle(_with_operand(drawing, target, port, Number(value)), drawing, (node,))


def insert_on_wire(drawing: Drawing, key: str, node: int, port: int) -> tuple[Drawing, int]:
    """Put a new operation into the wire that ends at this port."""
    target = operation_of(drawing, node)
    _check_port(target, port)
    ref = target.inputs[port]
    if not isinstance(ref, Ref):
        raise UserError(f"{port_name(target, port)} of {label(drawing, node)} has no wire to put {word(key)} into.")
    source = node_of(drawing, ref.node)
    changed, id = new_operation(drawing, key, (source.x + target.x) / 2, (source.y + target.y) / 2)
    new = operation_of(changed, id)
    if not new.inputs and not is_variadic(new):
        raise UserError(f"{word(key)} has no input, so it can't go into a wire.")
    changed = _with_operand(changed, new, 0, ref)
    changed = replaced(changed, {node: _replaced_operand(operation_of(changed, node), port, Ref(id))})
    return settle(changed, replaced(changed, {node: target}), (id,)), id


def _check_port(operation: Operation, port: int, *, one_more: bool = False) -> None:
    most = len(operation.inputs) + (one_more and is_variadic(operation))
    if not 0 <= port < most:
        raise UserError(f"{word(operation.op)} has no input {port + 1}; it has {len(operation.inputs)}.")


def _port(operation: Operation, port: int) -> Port:
    entry = entry_of(operation)
    if entry is None or not entry.ports:
        return Port("input", number=True)
    return entry.ports[min(port, len(entry.ports) - 1)]


def _with_operand(drawing: Drawing, target: Operation, port: int, operand: Operand) -> Drawing:
    return replaced(drawing, {target.id: _replaced_operand(target, port, operand)})


def _replaced_operand(target: Operation, port: int, operand: Operand) -> Operation:
    """Remove or replace an operand: if there are any number of inputs, a removed one disappears; otherwise its port
    stays open."""
    return replace(target, inputs=without_gaps(target, (*target.inputs[:port], operand, *target.inputs[port + 1 :])))


# -- wires that could be made, as far as the graph can tell: from and to free ports, without closing a cycle

InPort = tuple[int, int]  # a node and the index of its port


def port_count(node: Node) -> int:
    """Return how many inputs a node shows: one that takes any number has room for one more."""
    return 0 if isinstance(node, Leaf) else len(node.inputs) + is_variadic(node)


def is_taken(node: Node, port: int) -> bool:
    """Whether a wire ends at this port."""
    return isinstance(node, Operation) and port < len(node.inputs) and isinstance(node.inputs[port], Ref)


def free_port(drawing: Drawing, node: int) -> int:
    """Return the first port without a wire, -1 if there is none; those with a number come last."""
    there = drawing.by_id.get(node)
    if not isinstance(there, Operation):
        return -1
    free = [port for port in range(port_count(there)) if not is_taken(there, port)]
    empty = [port for port in free if port >= len(there.inputs) or there.inputs[port] is None]
    return (empty or free or [-1])[0]


def inputs_for(drawing: Drawing, source: Ref) -> tuple[InPort, ...]:
    """Return the ports at which a wire from this output could end."""
    before = ancestors(drawing, (source.node,))
    return tuple(
        (node.id, port)
        for node in drawing.nodes
        if node.id not in before
        for port in range(port_count(node))
        if not is_taken(node, port)
    )


def outputs_for(drawing: Drawing, node: int) -> tuple[Ref, ...]:
    """Return the outputs from which a wire to this node could come."""
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
