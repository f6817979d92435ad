"""What a person types on the canvas to get a node: an operation, a number, a list of numbers, a factory such as
`randn(2, 3)`, each optionally preceded by a name, or an expression whose nodes are added. `parse` reads expressions,
`shaping` makes the nodes; the input box is in `ui.drawing`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gradviz.document.arranging import STEP, cleared, uncovered
from gradviz.document.catalogue import Entry, catalogue, find
from gradviz.document.code.emit import code_of
from gradviz.document.code.parse import parse_expression
from gradviz.document.drawing import Drawing, Leaf, Literal, Operation, Ref, in_place
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import FACTORIES, RANDOM, SHAPED
from gradviz.document.shaping import connect, free_name, move, new_leaf, new_operation, rename, take_in, tidy
from gradviz.document.shaping.names import names_of, taken
from gradviz.document.shaping.wires import InPort, port_count

PITCH = 190.0  # world units between a node and one that is added beside it
HINT = "Type an operation such as mul, a number such as 3.0, or an expression such as w*x + b."
MOST = 4000  # characters


@dataclass(frozen=True)
class Made:
    """The drawing with what was typed: its new nodes, its final output, and the name of the edit."""

    drawing: Drawing
    nodes: frozenset[int]
    result: Ref
    label: str


@dataclass(frozen=True)
class Around:
    """Where it is placed, and what it is wired to: `feeds` go to its ports in order, its result goes to `into`.
    `about`: nobody has pointed at the position, so it is moved down if it would overlap something."""

    x: float
    y: float
    feeds: tuple[Ref, ...] = ()
    into: InPort | None = None
    about: bool = False


def make(drawing: Drawing, text: str, around: Around) -> Made:
    """Add what was typed; raises UserError with a sentence for what can't be added."""
    text = text.strip()
    if not text:
        raise UserError(HINT)
    if len(text) > MOST:
        raise UserError("This is too long for the input box; paste it as code instead.")
    entry = operation(text)
    made = make_operation(drawing, entry, around) if entry is not None else _make_written(drawing, text, around)
    made = replace(made, drawing=(cleared if around.about else uncovered)(made.drawing, made.nodes))
    if around.into is None:
        return made
    return Made(connect(made.drawing, made.result, *around.into), made.nodes, made.result, made.label)


def operation(text: str) -> Entry | None:
    """Return the operation that is meant by a word or a sign on its own."""
    entries = catalogue()
    word = text.strip().removeprefix("torch.").removeprefix("F.")
    if word in entries:
        return entries[word]
    meant = [one for one in find(word, 30) if word in (one.name, one.operator) or word.lower() == one.name.lower()]
    return max(meant, key=lambda one: word == one.operator and len(one.ports) > 1, default=None)


def make_operation(drawing: Drawing, entry: Entry, around: Around) -> Made:
    """Place an operation and wire it to its inputs."""
    changed, node = new_operation(drawing, entry.key, around.x, around.y)
    there = changed.by_id[node]
    many = len(around.feeds) if entry.ports and entry.ports[-1].variadic else port_count(there)
    for port, ref in enumerate(around.feeds[:many]):
        changed = connect(changed, ref, node, port)
    return Made(changed, frozenset({node}), Ref(node), f"Add {entry.name}")


def names_known(drawing: Drawing) -> dict[str, Ref]:
    """Return what the names in an expression mean: what an in-place method has changed without giving it a name is its
    result from then on, as in code."""
    known = {name: Ref(node.id, at) for node in drawing.nodes for at, name in enumerate(names_of(node))}
    for id, names in code_of(drawing).names:
        if in_place(drawing.by_id[id]) and not names_of(drawing.by_id[id]):
            known |= dict.fromkeys(names, Ref(id))
    return known


def _make_written(drawing: Drawing, text: str, around: Around) -> Made:
    name, tree = _read(text)
    if name in taken(drawing):
        raise UserError(f"There is a {name} already; choose another name.")
    data = literal(tree)
    if data is not None:
        return _made_leaf(*new_leaf(drawing, around.x, around.y, data=_floats(data), name=name))
    factory = _factory(tree)
    if factory is not None:
        maker, arguments = factory
        seed = _free_seed(drawing) if maker in RANDOM else None
        return _made_leaf(*new_leaf(drawing, around.x, around.y, data=arguments, maker=maker, seed=seed, name=name))
    if isinstance(tree, ast.Name) and not name:
        if tree.id in taken(drawing):
            raise UserError(f"{tree.id} already exists; type an operation for it, or an expression that uses it.")
        raise UserError(f"There is no operation called {tree.id}. {HINT}")
    return _made_expression(drawing, text, name, tree, around)


def _read(text: str) -> tuple[str, ast.expr]:
    """Split off the name before an `=`, "" if there is none."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        word = text.split()[0] if text.split() else text
        if text.isidentifier():
            raise UserError(f"There is no operation called {word}. {HINT}") from error
        raise UserError(f"Python can't read this. {HINT}") from error
    if len(body) == 1 and isinstance(body[0], ast.Expr):
        return "", body[0].value
    if len(body) == 1 and isinstance(body[0], ast.Assign) and len(body[0].targets) == 1:
        target = body[0].targets[0]
        if isinstance(target, ast.Name):
            return target.id, body[0].value
    raise UserError(f"Type one expression at a time, optionally assigned to one name. {HINT}")


def literal(tree: ast.expr) -> Literal:
    """Read a number, or lists of numbers as tuples; None for anything else."""
    try:
        return _as_tuples(ast.literal_eval(tree))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _as_tuples(value: object) -> Literal:
    if isinstance(value, list | tuple):
        return tuple(_as_tuples(item) for item in value)
    if isinstance(value, bool | int | float | complex):
        return value
    raise ValueError("no number")


def _floats(data: Literal) -> Literal:
    """Convert integers to floats, which may get a gradient; `tensor([0, 2])` says that integers are meant."""
    if isinstance(data, tuple):
        return tuple(map(_floats, data))
    return float(data) if type(data) is int and abs(data) < 2**63 else data


def _factory(tree: ast.expr) -> tuple[str, Literal] | None:
    """Read `randn(2, 3)`, also `torch.randn(2, 3)`: its name and its arguments."""
    if not isinstance(tree, ast.Call) or tree.keywords:
        return None
    name = ast.unparse(tree.func).removeprefix("torch.")
    data = tuple(literal(argument) for argument in tree.args)
    if any(argument is None for argument in data) or not data:
        return None
    if name == "tensor" and len(data) == 1:
        return "tensor", data[0]
    shape = data[0] if name in SHAPED and len(data) == 1 else None  # `zeros((2, 3))`
    return (name, shape if isinstance(shape, tuple) else data) if name in FACTORIES else None


def _free_seed(drawing: Drawing) -> int | None:
    """Return a seed for the first random leaf; further ones may continue its random numbers."""
    seeds = [node.seed for node in drawing.nodes if isinstance(node, Leaf) and node.seed is not None]
    return max(seeds) + 1 if seeds else 0


def _made_leaf(drawing: Drawing, node: int) -> Made:
    leaf = drawing.by_id[node]
    assert isinstance(leaf, Leaf)
    return Made(drawing, frozenset({node}), Ref(node), f"Add {leaf.name}")


def _made_expression(drawing: Drawing, text: str, name: str, tree: ast.expr, around: Around) -> Made:
    parsed = parse_expression(ast.unparse(_Dotted().visit(tree)), names_known(drawing))
    changed, nodes = take_in(drawing, parsed, around.x, around.y)
    used = _used(changed, nodes)
    if around.about:
        changed = _begun_at(changed, nodes, around.x, used - nodes)
    roots = [node.id for node in changed.nodes if node.id in nodes and node.id not in used]
    result = Ref(roots[-1])
    if name:
        changed = rename(changed, result.node, free_name(name, taken(drawing)))
    return Made(tidy(changed), nodes, result, f"Add {name or text}"[:40])


def _begun_at(drawing: Drawing, nodes: frozenset[int], x: float, used: set[int]) -> Drawing:
    """Move the new nodes so that they begin at x, or to the right of what they use: their wires need not turn back."""
    known = drawing.by_id
    ends = (known[one].x + (STEP if isinstance(known[one], Operation) else PITCH) for one in used)
    return move(drawing, nodes, max((x, *ends)) - min(known[one].x for one in nodes), 0.0)


class _Dotted(ast.NodeTransformer):
    """Reads `relu(x)` as `torch.relu(x)`, because on the canvas nobody types the module."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        entry = operation(node.func.id) if isinstance(node.func, ast.Name) else None
        if entry is not None and not entry.key.startswith("Tensor."):
            return ast.Call(ast.parse(f"torch.{entry.key}", mode="eval").body, node.args, node.keywords)
        return node


def _used(drawing: Drawing, nodes: frozenset[int]) -> set[int]:
    operations: Sequence[Operation] = [one for one in drawing.nodes if isinstance(one, Operation) and one.id in nodes]
    return {operand.node for one in operations for operand in one.inputs if isinstance(operand, Ref)}
