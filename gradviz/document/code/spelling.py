"""How one node is written in Python: the expression of a leaf or of an operation, from the expressions of its inputs.
Which nodes are written, in which order and under which names is in `emit`; line breaks are in `pretty`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradviz.document.catalogue import Entry, Parameter, Port
from gradviz.document.code.pretty import SPACE, Doc, Group, bracketed, filled, joined
from gradviz.document.drawing import Leaf, Literal, Number, Operand, Operation, Ref
from gradviz.document.literals import DTYPES, PLACE, as_floats, literal_text, number_text

# The precedence of an expression, in Python's order.
COMPARE, OR, XOR, AND, SHIFT, ADD, TIMES, UNARY, POWER, ATOM = range(10)
BINARY: Mapping[str, int] = {
    "<": COMPARE, "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "==": COMPARE, "!=": COMPARE, "|": OR, "^": XOR,
    "&": AND, "<<": SHIFT, ">>": SHIFT, "+": ADD, "-": ADD, "*": TIMES, "/": TIMES, "//": TIMES, "%": TIMES,
    "@": TIMES, "**": POWER,
}  # fmt: skip
SINGLE = frozenset({"", "float32", "float", "float16", "half", "bfloat16"})  # dtypes that keep no more than a float32


@dataclass(frozen=True)
class Piece:
    """An expression: its text and its precedence. `simple`: a name or a number."""

    doc: Doc
    strength: int = ATOM
    simple: bool = False

    def within(self, strength: int) -> Doc:
        """Return its text for a place that requires at least this precedence, in brackets if necessary."""
        return self.doc if self.strength >= strength else ("(", self.doc, ")")


def function_text(key: str) -> str:
    """Return the name in code of a function of the catalogue."""
    if key.startswith("nn.functional."):
        return f"F.{key.removeprefix('nn.functional.')}"
    return f"torch.{key}"


def number(value: complex) -> Piece:
    """Return a plain number as an operand."""
    text = number_text(value)
    if isinstance(value, complex) and " " in text and not text.startswith("complex"):
        return Piece(text, ADD)
    return Piece(text, UNARY if text.startswith("-") else ATOM, simple=True)


def fault(operation: Operation, entry: Entry, known: Mapping[Ref, object]) -> str:
    """Return why an operation can't be written: "mul needs other"; "" if it can. `known` are the outputs that exist."""
    given = dict(operation.params)
    for port, operands in by_port(entry, operation.inputs):
        there = [each for each in operands if isinstance(each, Number) or (isinstance(each, Ref) and each in known)]
        open_on_purpose = port.optional and (not operands or operands == (None,))
        if not open_on_purpose and (len(there) < len(operands) or not there):
            return f"{entry.name} needs {port.name}"
    if entry.ports and not any(isinstance(operand, Ref) for operand in operation.inputs):
        return f"{entry.name} needs a tensor"
    for param in entry.params:
        if param.name not in given:
            if param.required and not (entry.style == "index" and any(operation.inputs[1:])):
                return f"{entry.name} needs {param.name}"
        elif argument(param, given[param.name]) is None:
            return f"{entry.name} can't have {param.name} = {literal_text(given[param.name])[:40]}"
    if entry.style == "index" and str(given.get("index", "")).count(PLACE) > sum(map(bool, operation.inputs[1:])):
        return f"{entry.name} needs a tensor for each {PLACE} in its index"
    return ""


def by_port(entry: Entry, inputs: Sequence[Operand]) -> list[tuple[Port, tuple[Operand, ...]]]:
    """Return what is connected at each port; several at a variadic one."""
    found: list[tuple[Port, tuple[Operand, ...]]] = []
    at = 0
    for place, port in enumerate(entry.ports):
        count = max(len(inputs) - at - (len(entry.ports) - place - 1), 0) if port.variadic else 1
        found.append((port, tuple(inputs[at : at + count]) or (() if port.variadic else (None,))))
        at += count
    return found


def argument(param: Parameter, value: Literal) -> str | None:
    """Return a parameter's value in Python; None for an invalid one."""
    if param.kind == "dtype":
        return f"torch.{value}" if value in DTYPES else "None" if value is None else None
    if param.kind == "index":
        return index_text(value) if isinstance(value, str) else None
    return literal_text(value)


def index_text(text: str) -> str | None:
    """Return an index such as `0, :2` or `:, _` if it consists of plain numbers and places of tensors, otherwise
    None."""
    try:
        body = ast.parse(f"x[{text}]", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not isinstance(body, ast.Subscript) or not isinstance(body.value, ast.Name) or "\n" in text:
        return None
    allowed = ast.Constant | ast.Slice | ast.Tuple | ast.List | ast.UnaryOp | ast.unaryop | ast.expr_context
    fine = all(
        node.id == PLACE if isinstance(node, ast.Name) else isinstance(node, allowed) and not _is_text(node)
        for node in ast.walk(body.slice)
    )
    return ast.unparse(body)[2:-1] if fine and len(text) <= 200 else None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _index(text: str, tensors: Sequence[Piece]) -> list[Doc]:
    """Return an index with the tensors in their places; those without a place come last."""
    missing = len(tensors) - text.count(PLACE)
    parts = ", ".join([*([text] if text else []), *[PLACE] * missing]).split(PLACE)
    docs: list[Doc] = [parts[0]]
    for part, tensor in zip(parts[1:], tensors, strict=True):
        docs += [tensor.doc, part]
    return docs


def operation(entry: Entry, node: Operation, pieces: Sequence[Piece | None]) -> Piece:
    """Return the expression of an operation; `pieces` are the expressions of its inputs, None if nothing is
    connected."""
    given = dict(node.params)
    first = pieces[0] if pieces and node.inputs and isinstance(node.inputs[0], Ref) else None
    if entry.style == "operator" and not given and len(pieces) in (1, 2) and None not in pieces:
        return _operator(entry, [piece for piece in pieces if piece is not None])
    if first is not None and entry.style == "index":
        text = argument(entry.params[0], given.get("index", "")) or ""
        tensors = [piece for piece in pieces[1:] if piece is not None]
        return Piece((first.within(ATOM), "[", *_index(text, tensors), "]"))
    if first is not None and entry.style == "attribute":
        return Piece((first.within(ATOM), f".{entry.name}"))
    if first is not None and (entry.style == "method" or entry.key.startswith("Tensor.")):
        name = entry.key.rpartition(".")[2]
        return Piece((first.within(ATOM), bracketed(f".{name}(", _arguments(entry, node, pieces)[1:], ")")))
    return Piece(bracketed(f"{function_text(entry.key)}(", _arguments(entry, node, pieces), ")"))


def _operator(entry: Entry, pieces: list[Piece]) -> Piece:
    sign = entry.operator
    if len(pieces) == 1:
        return Piece((sign, pieces[0].within(POWER)), UNARY)
    strength, (left, right) = BINARY[sign], pieces
    if strength == POWER:
        tight = left.simple and right.simple and left.strength == ATOM
        before, after = left.within(ATOM), right.within(UNARY)
        return Piece((before, "**" if tight else " ** ", after), POWER)
    before = left.within(strength + (strength == COMPARE))
    chain = left.strength == strength  # of a chain of operators of the same kind, all break or none
    return Piece((before if chain else Group(before), SPACE, sign, " ", Group(right.within(strength + 1))), strength)


def _arguments(entry: Entry, node: Operation, pieces: Sequence[Piece | None]) -> list[Doc]:
    """Return the arguments in the order of the signature; positional as long as none is left out before and a person
    would write them so."""
    given = dict(node.params)
    operands = dict(zip((port.name for port in entry.ports), by_port(entry, node.inputs), strict=True))
    waiting = list(pieces)
    params = {param.name: param for param in entry.params}
    if "keepdim" in given and "dim" in params and params["dim"].kind == "dims" and params["dim"].default is None:
        given.setdefault("dim", None)  # sum and mean only have keepdim together with dim
    docs: list[Doc] = []
    bare = True
    for name in entry.order or (*operands, *params):
        if name in operands:
            port, inputs = operands[name]
            found = [piece for piece in waiting[: len(inputs)] if piece is not None]
            del waiting[: len(inputs)]
            new = _port_docs(port, found)
            if port.explicit and not found:
                new = ["None"]
            bare = bare and bool(found) and not port.keyword_only
        elif name in given:
            text = argument(params[name], given[name]) or ""
            bare = bare and params[name].positional
            new = [text[1:-1].rstrip(",")] if bare and params[name].spread and text.startswith("(") else [text]
        else:
            bare = False
            continue
        docs += new if bare else [(f"{name}=", doc) for doc in new]
    return docs


def _port_docs(port: Port, pieces: list[Piece]) -> list[Doc]:
    docs = [piece.doc for piece in pieces]
    return [bracketed("[", docs, "]")] if port.variadic and not port.spread else docs


def leaf(node: Leaf) -> Piece:
    """Return the expression of a leaf."""
    options: list[Doc] = [f"dtype=torch.{node.dtype}"] if node.dtype in DTYPES else []
    options += ["requires_grad=True"] if node.requires_grad else []
    single = node.dtype in SINGLE
    if node.maker != "tensor":
        values = node.data if isinstance(node.data, tuple) else (node.data,)
        values = values or ((),)  # the shape of a scalar
        return Piece(bracketed(f"torch.{node.maker}(", [*map(literal_text, values), *options], ")"))
    if not isinstance(node.data, tuple):
        return Piece(bracketed("torch.tensor(", [number_text(node.data, single=single), *options], ")"))
    tail = tuple((", ", option) for option in options)
    return Piece(Group(("torch.tensor(", nested(node.data, single=single), tail, ")")))


def nested(data: Literal, *, single: bool) -> Doc:
    """Write numbers in nested lists: one row per line if they do not fit on one."""
    if not isinstance(data, tuple):
        return number_text(data, single=single)
    if any(isinstance(each, tuple) for each in data):
        return bracketed("[", [nested(each, single=single) for each in data], "]")
    return filled("[", [number_text(each, single=single) for each in data if not isinstance(each, tuple)], "]")


def gradient(data: Literal, root: str, *, plain: bool) -> Doc:
    """Return the argument of `backward` for these numbers; `plain`: the root certainly has PyTorch's default dtype."""
    if data == "ones":
        return f"torch.ones_like({root})"
    body = nested(as_floats(data), single=plain)
    return Group(("torch.tensor(", body, "" if plain else f", dtype={root}.dtype", ")"))


def unpacking(names: Sequence[str]) -> Doc:
    """Return the left side of an assignment."""
    return joined(list(names), ", ")
