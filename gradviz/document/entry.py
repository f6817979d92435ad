"""What a person types or pastes into a drawing. On the canvas, to get a node: an operation, a number, a list of
numbers, a factory such as `randn(2, 3)`, each optionally preceded by a name, or an expression whose nodes are added. In
a field, an argument of an operation, a factory or a backward call, by the kind of the parameter. From the clipboard,
nodes as PyTorch code, which runs on its own: it includes what the nodes are computed from.

`code.parse` reads expressions, `tables` numbers, `shaping` makes the nodes and checks the arguments; the input box is
in `ui.drawing`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from gradviz.document.arranging import STEP, cleared, uncovered
from gradviz.document.catalogue import Entry, Parameter, catalogue, find
from gradviz.document.code.emit import code_of, emit
from gradviz.document.code.parse import Reading, parse_expression, parse_more
from gradviz.document.code.spelling import index_text
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Operation, Ref, in_place
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import FACTORIES, RANDOM, SHAPED
from gradviz.document.shaping import connect, free_name, move, new_leaf, new_operation, rename, take_in, tidy
from gradviz.document.shaping.names import names_of, taken
from gradviz.document.shaping.nodes import InPort, part, port_count
from gradviz.document.shaping.places import with_members
from gradviz.document.shaping.queries import ancestors, label
from gradviz.document.tables import quoted, read, read_number, read_numbers, write

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


# --- Arguments ---

LISTS = ("dims", "ints", "shape")  # kinds written without brackets


def read_argument(parameter: Parameter, text: str) -> Literal:
    """Read a value; nothing means the default. Raises UserError if it is invalid."""
    word = text.strip()
    if not word:
        if parameter.required:
            raise UserError(f"{parameter.name} is needed; type {WANTED.get(parameter.kind, 'a value')}.")
        return parameter.default
    bare = word.strip("'\"")
    if bare in parameter.choices:
        return bare
    if word == "None" and (parameter.optional or (parameter.default is None and not parameter.required)):
        return None
    return READERS.get(parameter.kind, _text)(parameter, word)


def write_argument(parameter: Parameter, value: Literal) -> str:
    """Return the value as it is typed."""
    if value is None:
        return "None"
    if parameter.kind in LISTS and isinstance(value, tuple):
        return ", ".join(map(write, value))
    return write(value)


def _whole(parameter: Parameter, text: str) -> Literal:
    value = read_number(text) if re.fullmatch(r"[+\-−]?[\d_]+", text) else None
    if not isinstance(value, int):
        raise UserError(f"{parameter.name} is {WANTED['int']}, and {quoted(text)} is not.")
    return value


def _real(parameter: Parameter, text: str) -> Literal:
    value = read_number(text)
    if isinstance(value, bool | complex):
        raise UserError(f"{parameter.name} is {WANTED['float']}, and {quoted(text)} is not.")
    return float(value)


def _number(parameter: Parameter, text: str) -> Literal:
    return read_number(text)


def _wholes(parameter: Parameter, text: str) -> Literal:
    """Read `2, 3`, `(2, 3)`, `2×3` or a single integer."""
    inner = text.strip("()[] ")
    words = [word for word in re.split(r"\s*[,×x]\s*|\s+", inner) if word]
    values = tuple(_whole(parameter, word) for word in words)
    if len(values) == 1 and inner == text and parameter.kind != "shape":
        return values[0]
    return values


def _numbers(parameter: Parameter, text: str) -> Literal:
    return read_numbers(text)


def _text(parameter: Parameter, text: str) -> Literal:
    if parameter.kind == "choice":
        raise UserError(f"{parameter.name} is one of {', '.join(parameter.choices)}.")
    return text.strip("'\"")


def _index(parameter: Parameter, text: str) -> Literal:
    """Read what is in the brackets of `x[…]`."""
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") and "]" not in text[1:-1] else text
    if index_text(inner) is None:
        raise UserError(f"{quoted(text)} is no index. Type one such as 0, :, 0 or 1:3, and _ for a wired tensor.")
    return inner


READERS: dict[str, Callable[[Parameter, str], Literal]] = {
    **{"int": _whole, "dim": _whole, "float": _real, "number": _number, "dims": _wholes, "ints": _wholes},
    **{"shape": _wholes, "numbers": _numbers, "text": _text, "choice": _text, "dtype": _text, "index": _index},
}
WANTED = {
    "int": "a whole number such as 2",
    "dim": "a dimension such as 0 or -1",
    "float": "a number such as 0.5",
    "number": "a number such as 0.5",
    "dims": "dimensions such as 0, 1",
    "ints": "whole numbers such as 2, 3",
    "shape": "a shape such as 2, 3",
    "numbers": "numbers such as 1, 2",
    "index": "an index such as 0 or :, 1; _ is a wired tensor",
}


# -- the options of a backward call


def root_name(drawing: Drawing, root: Ref) -> str:
    """Return the name of what backward is called on."""
    node = drawing.by_id.get(root.node)
    if node is None:
        return "?"
    names = (node.name,) if isinstance(node, Leaf) else node.names
    return names[root.output] if root.output < len(names) else label(drawing, root.node)


def read_gradient(text: str) -> Literal:
    """Read `gradient=`: None, a number, or numbers with or without brackets."""
    text = text.strip()
    if text in ("", "None"):
        return None
    return read_numbers(text)


def write_gradient(call: BackwardCall) -> str:
    """Return it as text, "" for None."""
    return "" if call.gradient is None else write(call.gradient)


def read_inputs(drawing: Drawing, text: str) -> tuple[int, ...] | None:
    """Read `inputs=`: names of leaves; nothing, `all` or `None` for all of them."""
    words = text.replace("[", " ").replace("]", " ").replace(",", " ").split()
    if words in ([], ["all"], ["None"]):
        return None
    leaves = {node.name: node.id for node in drawing.nodes if isinstance(node, Leaf)}
    unknown = next((word for word in words if word not in leaves), None)
    if unknown is not None:
        some = ", ".join(list(leaves)[:2])
        raise UserError(f"There is no leaf {quoted(unknown)}. Type names of leaves such as {some}.")
    return tuple(dict.fromkeys(leaves[word] for word in words))


def write_inputs(drawing: Drawing, call: BackwardCall) -> str:
    """Return it as text, "" for all."""
    return ", ".join(label(drawing, id) for id in call.inputs or () if id in drawing.by_id)


# --- The clipboard ---


def copy_code(drawing: Drawing, ids: Iterable[int]) -> str:
    """Return the code of these nodes and everything that they are computed from; for a group, that of its members."""
    chosen = {id for id in with_members(drawing, ids) if id in drawing.by_id}
    return emit(part(drawing, ancestors(drawing, chosen))).text


@dataclass(frozen=True)
class Pasted:
    """The drawing with what was pasted, the pasted nodes, and sentences about the lines that are not part of a
    drawing."""

    drawing: Drawing
    nodes: frozenset[int]
    passed_over: tuple[str, ...] = ()


def paste_code(drawing: Drawing, text: str, x: float, y: float) -> Pasted:
    """Add the nodes of this code to the drawing, centred at x, y. Code that defines nothing may refer to what is in the
    drawing; names in use get a number; plain numbers become a leaf. Raises UserError for what can't be drawn."""
    if not text.strip():
        raise UserError("There is no code on the clipboard. Copy some nodes or lines first.")
    numbers = _typed_numbers(text)
    if numbers is not None:
        changed, leaf = new_leaf(drawing, x, y, data=numbers)
        return Pasted(cleared(changed, frozenset({leaf})), frozenset({leaf}))
    reading = _read_code(text, _known(drawing))
    if not reading.drawing.nodes:
        raise UserError("This code has nothing to draw. Copy lines such as y = w * x.")
    changed, new = take_in(drawing, reading.drawing, x, y)
    return Pasted(cleared(changed, new), new, reading.passed_over)


def _typed_numbers(text: str) -> Literal:
    """Return the numbers in this text, as from a spreadsheet; None for other text."""
    if text.lstrip()[:1].isalpha():
        return None
    try:
        return read(text).data
    except UserError:
        return None


def _read_code(text: str, known: dict[str, Ref]) -> Reading:
    try:
        return parse_more(text, known)
    except UserError as refused:
        try:  # an expression of names that do not exist yet
            return Reading(parse_expression(text, known))
        except UserError:
            raise refused from None


def _known(drawing: Drawing) -> dict[str, Ref]:
    """Return the names that the code may refer to."""
    return {
        name: Ref(node.id, output)
        for node in drawing.nodes
        for output, name in enumerate((node.name,) if isinstance(node, Leaf) else node.names)
    }
