"""Drawings for tests: the one that everybody draws first, random edits, and what is true of every drawing."""

from __future__ import annotations

import random
from collections.abc import Callable

from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.errors import UserError

KEYS = ("mul", "add", "sub", "pow", "exp", "sum", "mean", "tanh", "matmul", "max", "stack", "nn.functional.linear")
NAMES = ("w", "loss", "hidden", "y", "for", "h2", "x y", "torch", "größe", "")
MAKERS = (("tensor", 2.5), ("tensor", ((1.0, 2.0), (3.0, 4.0))), ("randn", (2, 3)), ("tensor", ((1.0,), (2.0, 3.0))))


def squared_error() -> tuple[Drawing, dict[str, int]]:
    """`loss = ((w * x + b) - t) ** 2` as it is drawn by hand, and the numbers of its nodes."""
    drawing, ids = Drawing(), {}
    for at, (name, value) in enumerate((("w", 3.0), ("x", 2.0), ("b", 1.0), ("t", 5.0))):
        drawing, ids[name] = shaping.new_leaf(drawing, 0, 100 * at, data=value, requires_grad=name in "wb")
    for at, key in enumerate(("mul", "add", "sub", "pow")):
        drawing, ids[key] = shaping.new_operation(drawing, key, 200 * (at + 1), 0)
    wires = (("w", "mul", 0), ("x", "mul", 1), ("mul", "add", 0), ("b", "add", 1))
    for source, target, port in (*wires, ("add", "sub", 0), ("t", "sub", 1), ("sub", "pow", 0)):
        drawing = shaping.connect(drawing, Ref(ids[source]), ids[target], port)
    return shaping.set_number(drawing, ids["pow"], 1, 2), ids


def chain(length: int) -> Drawing:
    """`x` doubled again and again."""
    leaf = Leaf(1, "x", 1.0)
    nodes = [Operation(at, "mul", (Ref(at - 1), Ref(1)), x=300.0 * at) for at in range(2, length + 2)]
    return shaping.tidy(Drawing((leaf, *nodes), next_id=length + 2))


def check(drawing: Drawing) -> None:
    """What is true of every drawing that edits have made."""
    names = [name for node in drawing.nodes for name in ((node.name,) if isinstance(node, Leaf) else node.names)]
    assert len(set(names)) == len(names)
    assert all(shaping.is_name(name) for name in names)
    ids = [one.id for one in (*drawing.nodes, *drawing.comments, *drawing.groups)]
    assert len(set(ids)) == len(ids)
    assert max(ids, default=0) < drawing.next_id
    uses, roots = shaping.uses(drawing), {call.root.node for call in drawing.calls}
    for node in drawing.nodes:
        if isinstance(node, Operation):
            assert node.names or (uses[node.id] == 1 and node.id not in roots)
            sources = [operand.node for operand in node.inputs if isinstance(operand, Ref)]
            assert drawing.by_id.keys() >= set(sources)
            assert node.id not in shaping.ancestors(drawing, sources)
    members = [member for group in drawing.groups for member in group.members]
    assert len(set(members)) == len(members)
    assert drawing.by_id.keys() >= {*members, *roots}
    assert all(group.members for group in drawing.groups)
    assert shaping.tidy(drawing) == drawing


class Walk:
    """Random edits, each of which may be refused."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def step(self, drawing: Drawing) -> tuple[str, Drawing]:
        """Some edit: what it is called and what comes of it; the same drawing where it was refused."""
        edit = self.random.choice(EDITS if len(drawing.nodes) < 60 else (_delete, _delete, *EDITS))
        try:
            return edit.__name__, edit(self, drawing)
        except UserError as refusal:
            assert str(refusal).endswith((".", "?"))
            return edit.__name__, drawing

    def id(self, drawing: Drawing) -> int:
        """A node, or once in a while none."""
        ids = [node.id for node in drawing.nodes]
        return self.random.choice(ids) if ids and self.random.random() < 0.98 else drawing.next_id

    def ids(self, drawing: Drawing) -> set[int]:
        """Some of all that is there."""
        everything = [one.id for one in (*drawing.nodes, *drawing.comments, *drawing.groups)]
        return set(self.random.sample(everything, min(len(everything), self.random.randint(1, 4))))

    def ref(self, drawing: Drawing) -> Ref:
        """An output, mostly one that is there."""
        return Ref(self.id(drawing), self.random.choice((0, 0, 0, 0, 1)))


def _new_leaf(walk: Walk, drawing: Drawing) -> Drawing:
    maker, data = walk.random.choice(MAKERS)
    grad = walk.random.random() < 0.5
    return shaping.new_leaf(drawing, walk.random.uniform(0, 900), 0, data=data, maker=maker, requires_grad=grad)[0]


def _new_operation(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.new_operation(drawing, walk.random.choice(KEYS), walk.random.uniform(0, 900), 50)[0]


def _connect(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.connect(drawing, walk.ref(drawing), walk.id(drawing), walk.random.randint(0, 2))


def _disconnect(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.disconnect(drawing, walk.id(drawing), walk.random.randint(0, 1))


def _set_number(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.set_number(drawing, walk.id(drawing), walk.random.randint(0, 1), walk.random.choice((2, 0.5, None)))


def _insert(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.insert_on_wire(drawing, walk.random.choice(KEYS), walk.id(drawing), walk.random.randint(0, 1))[0]


def _delete(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.delete(drawing, walk.ids(drawing))


def _duplicate(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.duplicate(drawing, walk.ids(drawing), 40, 40)[0]


def _paste(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.take_in(drawing, shaping.part(drawing, walk.ids(drawing)), 10, 20)[0]


def _move(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.move(drawing, walk.ids(drawing), walk.random.uniform(-9, 9), 5)


def _align(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.align(drawing, walk.ids(drawing), walk.random.choice(shaping.SIDES))


def _distribute(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.distribute(drawing, walk.ids(drawing), walk.random.choice(("across", "down")))


def _pin(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.pin(drawing, walk.ids(drawing), walk.random.random() < 0.5)


def _rename(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.rename(drawing, walk.id(drawing), walk.random.choice(NAMES))


def _change_leaf(walk: Walk, drawing: Drawing) -> Drawing:
    maker, data = walk.random.choice(MAKERS)
    return shaping.change_leaf(
        drawing, walk.id(drawing), data=data, maker=maker, dtype=walk.random.choice(("", "int64"))
    )


def _set_param(walk: Walk, drawing: Drawing) -> Drawing:
    name, value = walk.random.choice((("dim", 0), ("dim", None), ("keepdim", True), ("keepdim", 3)))
    return shaping.set_param(drawing, walk.id(drawing), name, value)


def _group(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.group(drawing, walk.ids(drawing), walk.random.choice(("", "layer 1")))[0]


def _ungroup(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.ungroup(drawing, walk.random.choice([*(group.id for group in drawing.groups), drawing.next_id]))


def _close(walk: Walk, drawing: Drawing) -> Drawing:
    id = walk.random.choice([*(group.id for group in drawing.groups), drawing.next_id])
    return shaping.set_group_closed(drawing, id, walk.random.random() < 0.5)


def _comment(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.new_comment(drawing, 0, 0, "a note")[0]


def _call(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.add_call(drawing, walk.ref(drawing))


def _end_call(walk: Walk, drawing: Drawing) -> Drawing:
    return shaping.remove_call(drawing, walk.random.randint(0, 1))


Edit = Callable[[Walk, Drawing], Drawing]
EDITS: tuple[Edit, ...] = (
    *(_new_leaf, _new_operation, _connect, _disconnect, _set_number, _insert, _delete, _duplicate, _paste, _move),
    *(_align, _distribute, _pin, _rename, _change_leaf, _set_param, _group, _ungroup, _close, _comment, _call),
    *(_new_operation, _connect, _connect, _connect, _set_number, _end_call),
)
