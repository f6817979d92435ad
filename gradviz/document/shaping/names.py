"""The names of nodes, which are the variables of the code. `tidy` maintains the rules that all drawings follow.

Note [Names] Names are different Python identifiers. A leaf always has one. An operation must have one per output if its
result is used more than once or not at all, if it has several outputs, or if a backward call begins at it; otherwise
its code is written in place, unless a name was given to it by hand. An in-place method needs none: its result has that
of the tensor that it changes. So a drawing and its code say the same. A name that
nobody has given (`y`, `h`, `z2` …) is dropped as soon as its operation is written in place."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Callable, Container
from dataclasses import replace
from functools import lru_cache

from gradviz.document.drawing import Drawing, Leaf, Literal, Node, Number, Operand, Operation, Ref, in_place
from gradviz.document.errors import UserError
from gradviz.document.shaping.queries import (
    entry_of,
    label,
    node_of,
    operation_of,
    outputs,
    replaced,
    uses,
    without_gaps,
)
from gradviz.lists import quantity

RESERVED = frozenset({"torch", "F", "float", "complex", "math", "_"})  # the code itself uses them
LEAVES = "w x b t a c d p q r s u v".split()
MATRICES = "W X B T A C D P Q R S U V".split()
RESULTS = "y h z k m n o g".split()
LONGEST = 80


def identifier(text: str) -> str:
    """Return a name in the form in which Python reads it; refuses an invalid one."""
    name = unicodedata.normalize("NFKC", text.strip())
    if not name:
        raise UserError("A name can't be empty; write a letter or a word.")
    if keyword.iskeyword(name):
        raise UserError(f"'{name}' is a Python keyword; choose another name.")
    if name in RESERVED:
        raise UserError(f"'{name}' is used by the code itself; choose another name.")
    if not name.isidentifier():
        raise UserError(f"'{name}' is no Python name; use letters, digits and _, and no digit first.")
    if name.startswith("__"):
        raise UserError(f"'{name}' looks like Python's own; choose a name that does not begin with __.")
    if len(name) > LONGEST:
        raise UserError(f"This name has {len(name)} characters; choose one with {LONGEST} at most.")
    return name


@lru_cache(maxsize=20_000)
def is_name(text: str) -> bool:
    """Whether a node may have this name."""
    try:
        return identifier(text) == text
    except UserError:
        return False


def names_of(node: Node) -> tuple[str, ...]:
    """Return the variables of a node."""
    return (node.name,) if isinstance(node, Leaf) else node.names


def taken(drawing: Drawing) -> set[str]:
    """Return all names in use."""
    return {name for node in drawing.nodes for name in names_of(node)}


def given_by_nobody(name: str) -> bool:
    """Whether it is a name that a result gets automatically."""
    return name.rstrip("0123456789") in RESULTS


def free_name(wish: str, used: Container[str]) -> str:
    """Return this name, or this name with the next free number."""
    if wish not in used:
        return wish
    stem = wish.rstrip("0123456789") or wish
    number = int(wish[len(stem) :] or 1) + 1 if len(wish) - len(stem) < 10 else 2
    return f"{stem}{_first_free(number, lambda number: f'{stem}{number}' in used)}"


def _first_free(number: int, taken: Callable[[int], bool]) -> int:
    """Return the first free number from this one on; beyond a hundred numbers in use, a free one after one in use,
    found by jumps."""
    for near in range(number, number + 100):
        if not taken(near):
            return near
    low, high = number + 99, number + 100
    while taken(high):
        low, high = high, high + 2 * (high - number)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if taken(middle) else (low, middle)
    return high


def leaf_name(data: Literal, maker: str, used: Container[str]) -> str:
    """Return the name of a new leaf: small letters for numbers and vectors, capitals for matrices."""
    shape = data if maker != "tensor" else ()
    rows = isinstance(data, tuple) and bool(data) and isinstance(data[0], tuple)
    matrix = len(shape) > 1 if maker in ("randn", "rand", "zeros", "ones") and isinstance(shape, tuple) else rows
    return _next(MATRICES if matrix else LEAVES, used)


def result_name(drawing: Drawing, operation: Operation, used: Container[str]) -> str:
    """Return the name of an operation's result: "loss" for what looks like one, otherwise the next of y, h, z …"""
    if looks_like_loss(drawing, operation) and "loss" not in used:
        return "loss"
    return _next(RESULTS, used)


def looks_like_loss(drawing: Drawing, operation: Operation) -> bool:
    """Whether it is a loss function, or the square of a difference, or the mean or sum of one."""
    entry = entry_of(operation)
    if operation.op.endswith(("_loss", "cross_entropy")) or (entry is not None and entry.category == "losses"):
        return True
    source = operation.inputs[0] if operation.inputs else None
    before = drawing.by_id.get(source.node) if isinstance(source, Ref) else None
    if not isinstance(before, Operation):
        return False
    if operation.op in ("mean", "sum"):
        return not operation.params and _is_square(drawing, before)
    return _is_square(drawing, operation)


def _is_square(drawing: Drawing, operation: Operation) -> bool:
    if operation.op not in ("pow", "square") or not operation.inputs:
        return False
    if operation.op == "pow" and operation.inputs[1:] != (Number(2),) and ("exponent", 2) not in operation.params:
        return False
    source = operation.inputs[0]
    before = drawing.by_id.get(source.node) if isinstance(source, Ref) else None
    return isinstance(before, Operation) and before.op == "sub"


def _next(sequence: list[str], used: Container[str]) -> str:
    for name in sequence:
        if name not in used:
            return name
    number = _first_free(2, lambda number: all(f"{name}{number}" in used for name in sequence))
    return next(f"{name}{number}" for name in sequence if f"{name}{number}" not in used)


def tidy(drawing: Drawing) -> Drawing:
    """Return the drawing with the names that it must have; see Note [Names]. What has a valid name keeps it. Wires from
    outputs that no longer exist are removed."""
    drawing = _without_lost_outputs(drawing)
    counts = uses(drawing)
    roots = {call.root.node for call in drawing.calls}
    used: set[str] = set()
    waiting: list[Node] = []
    for node in drawing.nodes:
        names = names_of(node)
        right = all(name not in used and is_name(name) for name in names) and len(set(names)) == len(names)
        needed = _needed(node, counts[node.id], node.id in roots)
        if not right or len(names) not in ((needed,) if needed else (0, 1)):
            waiting.append(node)
        else:
            used.update(names)
    changed: dict[int, Node] = {}
    for node in waiting:
        changed[node.id] = _named(drawing, node, _needed(node, counts[node.id], node.id in roots), used)
    return replaced(drawing, changed)


def _without_lost_outputs(drawing: Drawing) -> Drawing:
    """Remove wires from lost outputs: an argument may change how many there are: `x.max()` has one, `x.max(dim=0)`
    two."""
    lost = {
        ref for node in drawing.nodes if isinstance(node, Operation) for ref in node.inputs if _is_lost(drawing, ref)
    }
    calls = tuple(call for call in drawing.calls if not _is_lost(drawing, call.root))
    if len(calls) < len(drawing.calls):
        drawing = replace(drawing, calls=calls)
    if not lost:
        return drawing
    changed: dict[int, Node] = {}
    for node in drawing.nodes:
        if isinstance(node, Operation) and not lost.isdisjoint(node.inputs):
            kept = [None if operand in lost else operand for operand in node.inputs]
            changed[node.id] = replace(node, inputs=without_gaps(node, kept))
    return replaced(drawing, changed)


def _is_lost(drawing: Drawing, ref: Operand) -> bool:
    if not isinstance(ref, Ref) or not ref.output:
        return False
    node = drawing.by_id.get(ref.node)
    if node is None:  # of a drawing into which this one is inserted
        return False
    return ref.output >= (outputs(node) if isinstance(node, Operation) else 1)


def _needed(node: Node, count: int, is_root: bool) -> int:
    """Return how many names a node must have."""
    if isinstance(node, Leaf):
        return 1
    several = outputs(node)
    if in_place(node):
        return 0
    return several if several > 1 or count != 1 or is_root else 0


def _named(drawing: Drawing, node: Node, needed: int, used: set[str]) -> Node:
    """Return the node with valid names; its own are kept if they are free, or get a number."""
    if isinstance(node, Leaf):
        good = is_name(node.name)
        name = free_name(node.name, used) if good else leaf_name(node.data, node.maker, used)
        used.add(name)
        return replace(node, name=name)
    names: list[str] = []
    for at in range(needed or len(node.names[:1])):
        had = node.names[at] if at < len(node.names) else ""
        names.append(free_name(had, used) if is_name(had) else result_name(drawing, node, used))
        used.add(names[-1])
    return replace(node, names=tuple(names))


def rename(drawing: Drawing, id: int, name: str, output: int = 0) -> Drawing:
    """Rename a node, or one of its outputs; without a name, an operation is written in place if it may be."""
    node = node_of(drawing, id)
    if not name.strip() and isinstance(node, Operation):
        return tidy(replaced(drawing, {id: replace(node, names=())})) if outputs(node) == 1 else drawing
    name = identifier(name)
    names = names_of(node)
    if output < len(names) and names[output] == name:
        return drawing
    owner = next((other for other in drawing.nodes if name in names_of(other)), None)
    if owner is not None:
        raise UserError(
            f"There is {'a leaf' if isinstance(owner, Leaf) else 'a result'} {name} already; choose another."
        )
    if isinstance(node, Leaf):
        return replaced(drawing, {id: replace(node, name=name)})
    return _rename_output(drawing, id, name, output)


def _rename_output(drawing: Drawing, id: int, name: str, output: int) -> Drawing:
    node = operation_of(drawing, id)
    several = outputs(node)
    if not 0 <= output < several:
        raise UserError(f"{label(drawing, id)} has {quantity(several, 'output')}; choose one of them.")
    used = taken(drawing) | {name}
    names = list(node.names)
    while len(names) < several:
        names.append(result_name(drawing, node, used))
        used.add(names[-1])
    names[output] = name
    return replaced(drawing, {id: replace(node, names=tuple(names))})


def settle(drawing: Drawing, before: Drawing, ids: tuple[int, ...]) -> Drawing:
    """Update names after a new wire: an automatic name of a result is dropped once it is written in place, and one that
    became a loss is called so; then tidy."""
    counts, counted = uses(drawing), uses(before)
    roots = {call.root.node for call in drawing.calls}
    changed: dict[int, Node] = {}
    used = taken(drawing)
    for id in ids:
        node = drawing.by_id[id]
        if isinstance(node, Leaf) or len(node.names) != 1 or not given_by_nobody(node.names[0]):
            continue
        if counts[id] == 1 and counted[id] == 0 and id not in roots and outputs(node) == 1:
            changed[id] = replace(node, names=())
        elif counts[id] == 0 and "loss" not in used and looks_like_loss(drawing, node):
            changed[id] = replace(node, names=("loss",))
            used.add("loss")
    return tidy(replaced(drawing, changed))
