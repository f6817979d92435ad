"""What a drawing computes: its nodes, placed, changed and deleted; parts of it, extracted for the clipboard, inserted,
duplicated; the wires between nodes and the plain numbers at ports; and the backward calls, which run in order after the
forward pass.

A cycle and an occupied port are refused here; whether shapes fit is found out by a run. `inputs_for` and `outputs_for`
say which wires could be made, as far as the graph can tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum

from gradviz.document.catalogue import Entry, Port, named
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Node, Number, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.names import (
    free_name,
    given_by_nobody,
    identifier,
    leaf_name,
    rename,
    result_name,
    settle,
    taken,
    tidy,
)
from gradviz.document.shaping.places import move, with_members
from gradviz.document.shaping.queries import (
    ancestors,
    entry_of,
    is_variadic,
    label,
    leaf_of,
    node_of,
    operation_of,
    outputs,
    port_name,
    replaced,
    sources,
    without_gaps,
    word,
)
from gradviz.document.shaping.values import check_argument, check_leaf, is_differentiable
from gradviz.lists import quantity


class Keep(Enum):
    """Marks a field as unchanged, if None is a value."""

    KEEP = "keep"


KEEP = Keep.KEEP


def new_leaf(
    drawing: Drawing,
    x: float,
    y: float,
    *,
    data: Literal = 0.0,
    maker: str = "tensor",
    name: str = "",
    seed: int | None = None,
    dtype: str = "",
    requires_grad: bool = False,
) -> tuple[Drawing, int]:
    """Place a leaf; without a name it gets the next of w, x, b, t …"""
    used = taken(drawing)
    if name:
        name = identifier(name)
        if name in used:
            raise UserError(f"There is a {name} already; choose another name.")
    else:
        name = leaf_name(data, maker, used)
    id = drawing.next_id
    leaf = check_leaf(Leaf(id, name, data, maker, seed, dtype, requires_grad, x=x, y=y))
    return replace(drawing, nodes=(*drawing.nodes, leaf), next_id=id + 1), id


def new_operation(
    drawing: Drawing, key: str, x: float, y: float, params: Iterable[tuple[str, Literal]] = ()
) -> tuple[Drawing, int]:
    """Place an operation whose ports are open."""
    entry = named(key)
    if entry is None:
        raise UserError(f"There is no operation '{key}'; look for one in the palette.")
    operands: tuple[Operand, ...] = (None,) * sum(not port.variadic for port in entry.ports)
    id = drawing.next_id
    operation = Operation(id, entry.key, operands, x=x, y=y)
    for name, value in params:
        operation = _with_param(operation, entry, name, value)
    used, names = taken(drawing), []
    for _ in range(0 if entry.in_place else outputs(operation)):
        names.append(result_name(drawing, operation, used))
        used.add(names[-1])
    operation = replace(operation, names=tuple(names))
    return replace(drawing, nodes=(*drawing.nodes, operation), next_id=id + 1), id


def change_leaf(
    drawing: Drawing,
    id: int,
    *,
    data: Literal | Keep = KEEP,
    maker: str | Keep = KEEP,
    name: str | Keep = KEEP,
    seed: int | Keep | None = KEEP,
    dtype: str | Keep = KEEP,
    requires_grad: bool | Keep = KEEP,
    slider: tuple[float, float] | Keep | None = KEEP,
) -> Drawing:
    """Change the given fields of a leaf."""
    if not isinstance(name, Keep):
        drawing = rename(drawing, id, name)
    leaf = leaf_of(drawing, id)
    changed = replace(
        leaf,
        data=leaf.data if isinstance(data, Keep) else data,
        maker=leaf.maker if isinstance(maker, Keep) else maker,
        seed=leaf.seed if isinstance(seed, Keep) else seed,
        dtype=leaf.dtype if isinstance(dtype, Keep) else dtype,
        requires_grad=leaf.requires_grad if isinstance(requires_grad, Keep) else requires_grad,
        slider=leaf.slider if isinstance(slider, Keep) else slider,
    )
    return drawing if changed == leaf else replaced(drawing, {id: check_leaf(changed)})


def set_param(drawing: Drawing, id: int, name: str, value: Literal) -> Drawing:
    """Set an argument of an operation; its default is not written."""
    operation = operation_of(drawing, id)
    entry = entry_of(operation)
    if entry is None:
        raise UserError(f"{word(operation.op)} is not known to this version; update GradViz to change it.")
    return tidy(replaced(drawing, {id: _with_param(operation, entry, name, value)}))


def _with_param(operation: Operation, entry: Entry, name: str, value: Literal) -> Operation:
    parameter = next((one for one in entry.params if one.name == name), None)
    if parameter is None:
        raise UserError(f"{entry.name} has no parameter '{name}'; see the inspector for those that it has.")
    value = check_argument(parameter, value, entry.name)
    given = dict(operation.params)
    given.pop(name, None)
    is_default = type(value) is type(parameter.default) and value == parameter.default
    if value is not None if parameter.required else not is_default:
        given[name] = value
    order = {one.name: at for at, one in enumerate(entry.params)}
    params = sorted(given.items(), key=lambda item: order.get(item[0], math.inf))
    return replace(operation, params=tuple(params))


def delete(drawing: Drawing, ids: Iterable[int]) -> Drawing:
    """Delete nodes with their wires, comments, and groups: a closed group with its members, of an open one only the
    frame."""
    gone = set(ids)
    for group in drawing.groups:
        if group.id in gone and group.closed:
            gone |= group.members
    groups = (replace(group, members=group.members - gone) for group in drawing.groups if group.id not in gone)
    nodes = tuple(_without(node, gone) for node in drawing.nodes if node.id not in gone)
    changed = replace(
        drawing,
        nodes=nodes,
        comments=tuple(comment for comment in drawing.comments if comment.id not in gone),
        groups=tuple(group for group in groups if group.members),
        calls=tuple(_call_without(call, gone) for call in drawing.calls if call.root.node not in gone),
    )
    return drawing if changed == drawing else tidy(changed)


def _without(node: Node, gone: set[int]) -> Node:
    """Return the node without its wires from those that are deleted."""
    if isinstance(node, Leaf):
        return node
    left = [None if isinstance(operand, Ref) and operand.node in gone else operand for operand in node.inputs]
    return node if left == list(node.inputs) else replace(node, inputs=without_gaps(node, left))


def _call_without(call: BackwardCall, gone: set[int]) -> BackwardCall:
    if call.inputs is None or not gone.intersection(call.inputs):
        return call
    return replace(call, inputs=tuple(id for id in call.inputs if id not in gone) or None)


# -- parts of a drawing


def part(drawing: Drawing, ids: Iterable[int]) -> Drawing:
    """Return only these nodes, comments and groups, with the wires between them. A backward call is included if
    everything that its root depends on is."""
    chosen = with_members(drawing, ids)
    things = (*drawing.nodes, *drawing.comments)
    kept = delete(drawing, {one.id for one in things if one.id not in chosen})
    whole = {call for call in drawing.calls if ancestors(drawing, (call.root.node,)) <= chosen}
    calls = tuple(call for call in drawing.calls if call in whole and (not call.inputs or chosen >= set(call.inputs)))
    groups = tuple(group for group in kept.groups if group.id in chosen or group.members == _members(drawing, group.id))
    return tidy(replace(kept, calls=calls, groups=groups, extra=""))


def _members(drawing: Drawing, id: int) -> frozenset[int]:
    return next(group.members for group in drawing.groups if group.id == id)


def take_in(drawing: Drawing, other: Drawing, x: float, y: float) -> tuple[Drawing, frozenset[int]]:
    """Insert another drawing, centred at x, y; a name in use gets a number. Returns the numbers of its nodes and
    comments here."""
    spots = [(node.x, node.y) for node in other.nodes]
    spots += [(one.x + dx, one.y + dy) for one in other.comments for dx, dy in ((0.0, 0.0), (one.width, one.height))]
    if not spots:
        return drawing, frozenset()
    dx = x - (min(spot[0] for spot in spots) + max(spot[0] for spot in spots)) / 2
    dy = y - (min(spot[1] for spot in spots) + max(spot[1] for spot in spots)) / 2
    numbers = _numbers(drawing, other)
    return _joined(drawing, other, numbers, dx, dy)


def duplicate(drawing: Drawing, ids: Iterable[int], dx: float, dy: float) -> tuple[Drawing, frozenset[int]]:
    """Copy nodes, comments and groups beside them. A copy keeps the wires from what is not copied, so that a second
    neuron has the inputs of the first."""
    chosen = with_members(drawing, ids)
    copied = part(drawing, chosen)
    originals = drawing.by_id
    nodes = tuple(replace(originals[node.id], pinned=False) for node in copied.nodes)
    copied = replace(copied, nodes=nodes, calls=())
    return _joined(drawing, copied, _numbers(drawing, copied), dx, dy)


def _numbers(drawing: Drawing, other: Drawing) -> dict[int, int]:
    """Return a new number for everything in the other drawing."""
    things = (*other.nodes, *other.comments, *other.groups)
    return {one.id: drawing.next_id + at for at, one in enumerate(things)}


def _joined(
    drawing: Drawing, other: Drawing, numbers: Mapping[int, int], dx: float, dy: float
) -> tuple[Drawing, frozenset[int]]:
    used = taken(drawing)
    nodes = tuple(_renumbered(node, numbers, used) for node in other.nodes)
    comments = tuple(replace(one, id=numbers[one.id]) for one in other.comments)
    groups = tuple(
        replace(one, id=numbers[one.id], members=frozenset(numbers[id] for id in one.members)) for one in other.groups
    )
    joined = replace(
        drawing,
        nodes=(*drawing.nodes, *nodes),
        comments=(*drawing.comments, *comments),
        groups=(*drawing.groups, *groups),
        calls=(*drawing.calls, *(_renumbered_call(call, numbers) for call in other.calls)),
        next_id=drawing.next_id + len(numbers),
    )
    new = frozenset(one.id for one in (*nodes, *comments))
    return move(tidy(joined), new, dx, dy), new


def _renumbered(node: Node, numbers: Mapping[int, int], used: set[str]) -> Node:
    """Return the node under its new number and a free name; an automatic one is left to `tidy`."""
    if isinstance(node, Leaf):
        name = free_name(node.name, used)
        used.add(name)
        return replace(node, id=numbers[node.id], name=name)
    names = node.names
    if any(name in used for name in names):
        names = () if all(map(given_by_nobody, names)) else tuple(free_name(name, used) for name in names)
    used.update(names)
    return replace(node, id=numbers[node.id], names=names, inputs=_rewired(node, numbers))


def _rewired(node: Operation, numbers: Mapping[int, int]) -> tuple[Operand, ...]:
    return tuple(
        Ref(numbers.get(one.node, one.node), one.output) if isinstance(one, Ref) else one for one in node.inputs
    )


def _renumbered_call(call: BackwardCall, numbers: Mapping[int, int]) -> BackwardCall:
    inputs = None if call.inputs is None else tuple(numbers[id] for id in call.inputs)
    return replace(call, root=replace(call.root, node=numbers[call.root.node]), inputs=inputs)


# --- Wires, and the numbers at ports ---


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


# --- Backward calls ---

NAMED = 3  # leaves named in a sentence


def add_call(drawing: Drawing, ref: Ref) -> Drawing:
    """Add a call of backward on this output, after the existing calls."""
    call = BackwardCall(ref)
    _check(drawing, call)
    return tidy(replace(drawing, calls=(*drawing.calls, call)))


def check_root(drawing: Drawing, ref: Ref) -> None:
    """Refuse, with what to do, to call backward if PyTorch has nothing to go back through: no leaf requires grad."""
    found = ancestors(drawing, {node_of(drawing, ref.node).id})
    leaves = [node for node in drawing.nodes if node.id in found and isinstance(node, Leaf)]
    if not leaves or any(leaf.requires_grad for leaf in leaves):
        return
    names = [leaf.name for leaf in leaves if is_differentiable(leaf)][:NAMED]
    name = label(drawing, ref.node)
    if not names:
        raise UserError(f"{name} has whole numbers only, which get no gradient; change a leaf's dtype to float32.")
    told = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
    raise UserError(f"Nothing requires grad for {name}: select {told} and switch requires_grad on (Ctrl+Shift+R).")


def change_call(drawing: Drawing, index: int, call: BackwardCall) -> Drawing:
    """Replace a call."""
    _check_index(drawing, index)
    _check(drawing, call)
    return tidy(replace(drawing, calls=(*drawing.calls[:index], call, *drawing.calls[index + 1 :])))


def remove_call(drawing: Drawing, index: int) -> Drawing:
    """Remove a call."""
    _check_index(drawing, index)
    return replace(drawing, calls=(*drawing.calls[:index], *drawing.calls[index + 1 :]))


def _check_index(drawing: Drawing, index: int) -> None:
    if not 0 <= index < len(drawing.calls):
        raise UserError("This backward call is no longer in the drawing; choose another one.")


def _check(drawing: Drawing, call: BackwardCall) -> None:
    root = node_of(drawing, call.root.node)
    several = 1 if isinstance(root, Leaf) else outputs(root)
    if not 0 <= call.root.output < several:
        raise UserError(f"{label(drawing, root.id)} has only {quantity(several, 'output')}.")
    if call.inputs is None:
        return
    if not call.inputs:
        raise UserError("Choose the leaves that get a gradient, or all of them.")
    for id in call.inputs:
        leaf = node_of(drawing, id)
        if not isinstance(leaf, Leaf):
            raise UserError(f"{label(drawing, id)} is computed; backward's inputs are leaves.")
