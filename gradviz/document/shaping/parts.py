"""Parts of a drawing: taken out for the clipboard, put in, duplicated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Node, Operand, Operation, Ref
from gradviz.document.shaping.looking import ancestors
from gradviz.document.shaping.names import free_name, given_by_nobody, taken, tidy
from gradviz.document.shaping.nodes import delete
from gradviz.document.shaping.places import move, with_members


def part(drawing: Drawing, ids: Iterable[int]) -> Drawing:
    """These nodes, comments and groups alone, with the wires between them. A backward call comes along if all that its
    root depends on does."""
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
    """Put another drawing in, its middle at x, y; a name that is taken gets a number. Returns the numbers of its nodes
    and comments here."""
    spots = [(node.x, node.y) for node in other.nodes]
    spots += [(one.x + dx, one.y + dy) for one in other.comments for dx, dy in ((0.0, 0.0), (one.width, one.height))]
    if not spots:
        return drawing, frozenset()
    dx = x - (min(spot[0] for spot in spots) + max(spot[0] for spot in spots)) / 2
    dy = y - (min(spot[1] for spot in spots) + max(spot[1] for spot in spots)) / 2
    numbers = _numbers(drawing, other)
    return _joined(drawing, other, numbers, dx, dy)


def duplicate(drawing: Drawing, ids: Iterable[int], dx: float, dy: float) -> tuple[Drawing, frozenset[int]]:
    """Copy nodes, comments and groups to a place beside them. A copy keeps the wires from what is not copied, so that a
    second neuron has the inputs of the first."""
    chosen = with_members(drawing, ids)
    copied = part(drawing, chosen)
    originals = drawing.by_id
    nodes = tuple(replace(originals[node.id], pinned=False) for node in copied.nodes)
    copied = replace(copied, nodes=nodes, calls=())
    return _joined(drawing, copied, _numbers(drawing, copied), dx, dy)


def _numbers(drawing: Drawing, other: Drawing) -> dict[int, int]:
    """A new number for everything in the other drawing."""
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
    """The node under its new number and under a free name; one that nobody gave is left to `tidy`."""
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
