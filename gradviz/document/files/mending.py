"""A drawing made of parts that were read one by one: what doesn't fit together is left out and named, the rest stays.
Duplicate numbers, wires to nowhere, cycles, operations that don't exist. The parts themselves have been checked before
(`gradviz_file`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradviz.document.catalogue import catalogue
from gradviz.document.drawing import BackwardCall, Comment, Drawing, Group, Leaf, Node, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.looking import outputs
from gradviz.document.shaping.names import tidy
from gradviz.document.shaping.values import check_leaf, check_numbers

MOST_ID = 2**40  # no drawing reaches a larger number; with one, few would be left for what is added next


def mended(
    nodes: Iterable[Node],
    comments: Iterable[Comment],
    groups: Iterable[Group],
    calls: Iterable[BackwardCall],
    next_id: int,
    dropped: list[str],
) -> Drawing:
    """Return the drawing of what fits together; `dropped` gets a name for each thing that doesn't."""
    seen: set[int] = set()
    good_nodes = tuple(node for node in nodes if _may_stay(node, seen, dropped))
    good_comments = tuple(one for one in comments if _is_new(f"comment {one.id}", one.id, seen, dropped))
    good_groups = tuple(one for one in groups if _is_new(f"group {one.id}", one.id, seen, dropped))
    wired = _without_circles(_wired(good_nodes, dropped), dropped)
    drawing = Drawing(
        nodes=wired,
        comments=good_comments,
        groups=_grouped(good_groups, {node.id for node in wired}),
        next_id=max(next_id, max(seen, default=0) + 1),
    )
    drawing = replace(drawing, calls=_called(drawing, calls, dropped))
    return tidy(_renumbered(drawing) if drawing.next_id > MOST_ID else drawing)


def _renumbered(drawing: Drawing) -> Drawing:
    """Return the same drawing, numbered from 1 in its order."""
    parts: tuple[Node | Comment | Group, ...] = (*drawing.nodes, *drawing.comments, *drawing.groups)
    new = {part.id: at for at, part in enumerate(parts, start=1)}

    def moved(node: Node) -> Node:
        if isinstance(node, Leaf):
            return replace(node, id=new[node.id])
        inputs = (replace(one, node=new[one.node]) if isinstance(one, Ref) else one for one in node.inputs)
        return replace(node, id=new[node.id], inputs=tuple(inputs))

    groups = (
        replace(one, id=new[one.id], members=frozenset(new[member] for member in one.members)) for one in drawing.groups
    )
    calls = (
        replace(
            call,
            root=replace(call.root, node=new[call.root.node]),
            inputs=call.inputs and tuple(new[leaf] for leaf in call.inputs),
        )
        for call in drawing.calls
    )
    return replace(
        drawing,
        nodes=tuple(moved(node) for node in drawing.nodes),
        comments=tuple(replace(one, id=new[one.id]) for one in drawing.comments),
        groups=tuple(groups),
        calls=tuple(calls),
        next_id=len(parts) + 1,
    )


def _is_new(what: str, id: int, seen: set[int], dropped: list[str]) -> bool:
    if id in seen:
        dropped.append(f"{what} (the number {id} comes twice)")
        return False
    seen.add(id)
    return True


def _may_stay(node: Node, seen: set[int], dropped: list[str]) -> bool:
    what = f"node {node.id}"
    if isinstance(node, Leaf):
        try:
            check_leaf(node)
        except UserError as error:
            dropped.append(f"{what} ({str(error).partition(';')[0].rstrip('.')})")
            return False
    elif node.op not in catalogue():
        dropped.append(f"{what} (no operation '{node.op[:40]}')")
        return False
    return _is_new(what, node.id, seen, dropped)


# wires


def _wired(nodes: tuple[Node, ...], dropped: list[str]) -> tuple[Node, ...]:
    """Return the nodes without wires from nowhere, and without arguments that the operation doesn't have."""
    outputs = {node.id: _outputs(node) for node in nodes}
    return tuple(_fitted(node, outputs, dropped) if isinstance(node, Operation) else node for node in nodes)


def _outputs(node: Node) -> int:
    return outputs(node) if isinstance(node, Operation) else 1


def _fitted(node: Operation, outputs: dict[int, int], dropped: list[str]) -> Operation:
    entry = catalogue()[node.op]
    inputs = list(node.inputs)
    for port, operand in enumerate(inputs):
        if isinstance(operand, Ref) and operand.output >= outputs.get(operand.node, 0):
            dropped.append(f"a wire to node {node.id} (nothing begins at node {operand.node})")
            inputs[port] = None
    if not any(port.variadic for port in entry.ports):
        if len(inputs) > len(entry.ports):
            dropped.append(f"inputs of node {node.id} ({node.op} has {len(entry.ports)})")
        inputs = [*inputs, *[None] * len(entry.ports)][: len(entry.ports)]
    known = {parameter.name: place for place, parameter in enumerate(entry.params)}
    for name, _ in node.params:
        if name not in known:
            dropped.append(f"'{name[:40]}' of node {node.id} (no such parameter)")
    params = sorted((one for one in node.params if one[0] in known), key=lambda one: known[one[0]])
    return replace(node, inputs=tuple(inputs), params=tuple(params))


def _without_circles(nodes: tuple[Node, ...], dropped: list[str]) -> tuple[Node, ...]:
    """Remove each wire that closes a cycle, found depth first and without recursion."""
    by_id = {node.id: node for node in nodes}
    state: dict[int, bool] = {}  # True: on the current path; False: done
    cut: set[tuple[int, int]] = set()
    for start in by_id:
        way = [(start, 0)]
        while way:
            at, port = way.pop()
            node = by_id[at]
            if port == 0 and at in state:
                continue
            state[at] = True
            if not isinstance(node, Operation) or port == len(node.inputs):
                state[at] = False
                continue
            way.append((at, port + 1))
            operand = node.inputs[port]
            if isinstance(operand, Ref) and state.get(operand.node):
                cut.add((at, port))
            elif isinstance(operand, Ref):
                way.append((operand.node, 0))
    dropped.extend(f"a wire to node {id} (it closes a cycle)" for id, _ in sorted(cut))
    return tuple(
        replace(node, inputs=tuple(None if (node.id, at) in cut else one for at, one in enumerate(node.inputs)))
        if isinstance(node, Operation) and cut
        else node
        for node in nodes
    )


# groups and calls


def _grouped(groups: tuple[Group, ...], nodes: set[int]) -> tuple[Group, ...]:
    """Put each node into one group, the first; drop groups without members."""
    kept, taken = [], set[int]()
    for group in groups:
        members = group.members & nodes - taken
        taken |= members
        if members:
            kept.append(replace(group, members=members))
    return tuple(kept)


def _called(drawing: Drawing, calls: Iterable[BackwardCall], dropped: list[str]) -> tuple[BackwardCall, ...]:
    kept = []
    for number, call in enumerate(calls, start=1):
        root = drawing.by_id.get(call.root.node)
        if root is None or call.root.output >= _outputs(root):
            dropped.append(f"backward call {number} (nothing begins at node {call.root.node})")
            continue
        try:
            check_numbers(0.0 if call.gradient is None else call.gradient)
        except UserError as error:
            dropped.append(f"gradient of backward call {number} ({str(error).partition(';')[0].rstrip('.')})")
            call = replace(call, gradient=None)
        leaves = call.inputs and tuple(one for one in call.inputs if isinstance(drawing.by_id.get(one), Leaf))
        kept.append(replace(call, inputs=leaves or None))
    return tuple(kept)
