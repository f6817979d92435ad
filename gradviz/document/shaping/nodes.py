"""Placing, changing and deleting nodes, and parts of a drawing: extracted for the clipboard, inserted, duplicated.
Wires are in `wires`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum

from gradviz.document.catalogue import Entry, named
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Node, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.names import (
    free_name,
    given_by_nobody,
    identifier,
    leaf_name,
    rename,
    result_name,
    taken,
    tidy,
)
from gradviz.document.shaping.places import move, with_members
from gradviz.document.shaping.queries import (
    ancestors,
    entry_of,
    leaf_of,
    operation_of,
    outputs,
    replaced,
    without_gaps,
    word,
)
from gradviz.document.shaping.values import check_argument, check_leaf


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
