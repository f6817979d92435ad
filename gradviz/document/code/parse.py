"""From PyTorch code to a drawing: the straight-line part of Python that a drawing can express. Nothing is ever run. How
lines and expressions are read is in `statements`; `emit` is the way back.

Note [Recognition] Typing moves nothing: the nodes of the previous drawing are recognised in the changed code. What is
the same keeps its number, its position, its slider; comments and groups stay. Names tell most; a node without a name,
or with a new one, is recognised by what it is computed from and what it is used for."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gradviz.document.arranging import arrange
from gradviz.document.catalogue import catalogue
from gradviz.document.code.emit import code_of, comment
from gradviz.document.code.scope import Named, Scope, give_names
from gradviz.document.code.spelling import SINGLE
from gradviz.document.code.statements import read as read_lines
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Node, Number, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.leaf_kinds import RANDOM
from gradviz.document.literals import as_floats, literal_text
from gradviz.document.shaping.names import names_of, tidy
from gradviz.document.snippet import MAX_BYTES, comments_of, too_big

# -- nodes that are recognised, see Note [Recognition]


def recognise(new: Drawing, text: str, like: Drawing) -> Drawing:
    """Return the new drawing with the numbers and positions of `like`, and whatever code does not express."""
    numbers = _Match(new, like).found
    fresh: list[int] = []
    next_id = like.next_id
    for node in new.nodes:
        if node.id not in numbers:
            numbers[node.id] = next_id
            fresh.append(next_id)
            next_id += 1
    shown = dict(code_of(like).names)
    nodes = [_carried(node, numbers, like, shown) for node in new.nodes]
    waiting = list(_left_out(text, like, {node.id for node in nodes}))
    kept = {node.id for node in nodes} | {node.id for node in waiting}
    nodes += [_without(node, kept) for node in waiting]
    calls = [_call(call, at, numbers, like) for at, call in enumerate(new.calls)]
    drawing = replace(
        like,
        nodes=tuple(nodes),
        groups=tuple(
            replace(group, members=group.members & (kept | {one.id for one in like.comments}))
            for group in like.groups
            if group.members & kept
        ),
        calls=(*calls, *_waiting_calls(text, like, kept)),
        next_id=next_id,
    )
    return arrange(_in_order(tidy(drawing), like), fresh) if fresh else _in_order(tidy(drawing), like)


class _Match:
    """Which node of a new drawing is which of the old one; `found` has their numbers."""

    def __init__(self, new: Drawing, old: Drawing) -> None:
        self.found: dict[int, int] = {}
        self._taken: set[int] = set()
        self._new = new
        self._old = old
        self._by_name()
        self._leaves()
        self._upward()
        self._downward()
        self._upward()

    def _pair(self, new: Node, old: Node | None) -> bool:
        if old is None or new.id in self.found or old.id in self._taken or type(new) is not type(old):
            return False
        self.found[new.id] = old.id
        self._taken.add(old.id)
        return True

    def _by_name(self) -> None:
        names = {name: id for id, names in reversed(code_of(self._old).names) for name in names}  # of leaves first
        names |= {name: node.id for node in self._old.nodes for name in names_of(node) if name not in names}
        for same in (True, False):  # a changed operation keeps its position unless another node matches better
            for node in self._new.nodes:
                for name in names_of(node):
                    old = self._old.by_id.get(names.get(name, 0))
                    if not same or _kind(node) == (_kind(old) if old else ""):
                        self._pair(node, old)

    def _leaves(self) -> None:
        """Match leaves with other names but the same numbers."""
        old = {
            repr(replace(node, id=0, name="", x=0.0, y=0.0, pinned=False, slider=None, extra="")): node
            for node in reversed(self._old.nodes)
            if isinstance(node, Leaf) and node.id not in self._taken
        }
        for node in self._new.nodes:
            if isinstance(node, Leaf) and node.id not in self.found:
                self._pair(node, old.get(repr(replace(node, id=0, name=""))))

    def _upward(self) -> None:
        """Match what is computed in the same way from the same nodes."""
        old: dict[tuple[str, tuple[Operand, ...]], list[Operation]] = {}
        place = {span.node: at for at, span in reversed([*enumerate(code_of(self._old).spans)])}
        for node in sorted(reversed(self._old.nodes), key=lambda node: -place.get(node.id, len(place))):
            if isinstance(node, Operation) and node.id not in self._taken:
                old.setdefault((node.op, node.inputs), []).append(node)
        for node in self._new.nodes:
            if isinstance(node, Operation) and node.id not in self.found:
                candidates = old.get((node.op, tuple(self._translated(node))), [])
                if candidates:
                    self._pair(node, candidates.pop())

    def _translated(self, node: Operation) -> Iterator[Operand]:
        for operand in node.inputs:
            yield Ref(self.found.get(operand.node, -1), operand.output) if isinstance(operand, Ref) else operand

    def _downward(self) -> None:
        """Match what is used in the same way by the same node, even if another operation was inserted between them."""
        for node in reversed(self._new.nodes):
            old = self._old.by_id.get(self.found.get(node.id, 0))
            if isinstance(node, Operation) and isinstance(old, Operation):
                for mine, its in zip(node.inputs, old.inputs, strict=False):
                    if isinstance(mine, Ref) and isinstance(its, Ref):
                        source, former = self._new.by_id[mine.node], self._old.by_id.get(its.node)
                        if former is not None and _kind(source) == _kind(former):
                            self._pair(source, former)


def _kind(node: Node) -> str:
    return node.op if isinstance(node, Operation) else "leaf"


def _carried(node: Node, numbers: dict[int, int], like: Drawing, shown: dict[int, tuple[str, ...]]) -> Node:
    """Return the node with its number in `like` and everything that code does not express."""
    id = numbers[node.id]
    old = like.by_id.get(id)
    if isinstance(node, Leaf):
        if not isinstance(old, Leaf):
            return replace(node, id=id)
        data = old.data if _same_numbers(node, old) else node.data
        seed = old.seed if node.seed is None and old.maker == node.maker and old.maker not in RANDOM else node.seed
        return replace(old, name=node.name, data=data, maker=node.maker, seed=seed, dtype=node.dtype,
                       requires_grad=node.requires_grad)  # fmt: skip
    inputs = tuple(
        Ref(numbers.get(operand.node, operand.node), operand.output) if isinstance(operand, Ref) else operand
        for operand in node.inputs
    )
    if not isinstance(old, Operation):
        return replace(node, id=id, inputs=inputs)
    same_params = old.op == node.op and _params_text(old) == _params_text(node)
    inputs = (
        old.inputs
        if old.op == node.op and _operands_text(old) == _operands_text(replace(node, inputs=inputs))
        else inputs
    )
    names = () if not old.names and node.names == shown.get(id) else node.names
    return replace(old, op=node.op, inputs=inputs, params=old.params if same_params else node.params, names=names)


def _same_numbers(new: Leaf, old: Leaf) -> bool:
    """Whether the code has the same numbers as before."""
    single = old.dtype in SINGLE and old.maker == "tensor"
    return old.maker == new.maker and literal_text(old.data, single=single) == literal_text(new.data, single=single)


def _params_text(node: Operation) -> tuple[tuple[str, str], ...]:
    return tuple((name, literal_text(value).strip("()").rstrip(",")) for name, value in _shown_params(node))


def _shown_params(node: Operation) -> list[tuple[str, Literal]]:
    """Return the parameters that appear in the code: not those with their default value."""
    entry = catalogue().get(node.op)
    given = dict(node.params)
    if entry is None:
        return list(node.params)
    return [(each.name, given[each.name]) for each in entry.params
            if each.name in given and (each.required or given[each.name] != each.default)]  # fmt: skip


def _operands_text(node: Operation) -> list[str]:
    found = [literal_text(each.value) if isinstance(each, Number) else repr(each) for each in node.inputs]
    while found and found[-1] == "None":
        found.pop()
    return found


def _left_out(text: str, like: Drawing, there: set[int]) -> Iterator[Node]:
    """Return the nodes that can't run yet, and whose comments are still in the code."""
    lines = Counter(line.strip() for line in text.splitlines())
    for id, reason in code_of(like).left_out:
        line = comment(reason)
        if lines[line] and id not in there:
            lines[line] -= 1
            yield like.by_id[id]


def _without(node: Node, kept: set[int]) -> Node:
    """Return the node without wires from nodes that no longer exist."""
    if isinstance(node, Leaf):
        return node
    inputs = tuple(None if isinstance(each, Ref) and each.node not in kept else each for each in node.inputs)
    return replace(node, inputs=inputs)


def _call(call: BackwardCall, at: int, numbers: dict[int, int], like: Drawing) -> BackwardCall:
    written = [old for old, line in zip(like.calls, code_of(like).call_lines, strict=False) if line]
    old = written[at] if at < len(written) else None
    gradient = call.gradient
    if old is not None and _gradient_text(old.gradient) == _gradient_text(gradient):
        gradient = old.gradient
    inputs = None if call.inputs is None else tuple(numbers[id] for id in call.inputs)
    root = Ref(numbers[call.root.node], call.root.output)
    return replace(call, root=root, gradient=gradient, inputs=inputs, extra=old.extra if old else "")


def _gradient_text(gradient: Literal) -> str:
    return literal_text(as_floats(gradient), single=True)


def _waiting_calls(text: str, like: Drawing, kept: set[int]) -> Iterator[BackwardCall]:
    """Return the calls that can't run yet, and whose comments are still in the code."""
    lines = {line.strip() for line in text.splitlines()}
    for call, line in zip(like.calls, code_of(like).call_lines, strict=False):
        if not line and call.root.node in kept and any(each.startswith(comment("backward waits")) for each in lines):
            yield call


def _in_order(drawing: Drawing, like: Drawing) -> Drawing:
    """Return the nodes in the order of `like`, new ones last, if that gives the same code; otherwise in the order of
    the code."""
    place = {node.id: at for at, node in enumerate(like.nodes)}
    nodes = sorted(drawing.nodes, key=lambda node: place.get(node.id, len(place)))
    sorted_drawing = replace(drawing, nodes=tuple(nodes))
    return sorted_drawing if code_of(sorted_drawing).text == code_of(drawing).text else drawing


OWN_COMMENT = "# not yet: "  # written for a drawing itself, to say what can't run yet
NAMED_COMMENTS = 3  # lines whose comments are quoted


@dataclass(frozen=True)
class Reading:
    """A drawing and sentences about the lines of its code that are not in it: prints, comments."""

    drawing: Drawing
    passed_over: tuple[str, ...] = ()


def parse(text: str, like: Drawing | None = None) -> Drawing:
    """Return the drawing of this code; what is the same in `like` keeps its number and its position there. Raises
    UserError, with the line, for what can't be drawn."""
    return read(text, like).drawing


def read(text: str, like: Drawing | None = None) -> Reading:
    """Like `parse`, also returning what was skipped."""
    if like is not None and text == code_of(like).text:
        return Reading(like)
    scope = _scope()
    read_lines(scope, _tree(text).body)
    drawing = _drawing(scope)
    comments = _comments(text)
    passed_over = (*scope.passed_over, comments) if comments else tuple(scope.passed_over)
    if like is not None:
        return Reading(recognise(drawing, text, like), passed_over)
    return Reading(arrange(drawing), passed_over)


def parse_expression(text: str, known: Mapping[str, Ref]) -> Drawing:
    """Return the nodes of an expression such as `w*x + b`. It may refer to what is `known`, whose nodes are not in the
    result; other names become new leaves, which require grad."""
    scope = _more(known)
    scope.invents = True
    try:
        body = _tree(f"({text.strip()}\n)").body
        if len(body) != 1 or not isinstance(body[0], ast.Expr):
            raise UserError("Type one expression, such as w*x + b.")
        read_lines(scope, body)
    except UserError as error:
        sentence = str(error).partition(": ")[2] if str(error).startswith("Line ") else str(error)
        raise UserError(sentence[:1].upper() + sentence[1:]) from error
    if not scope.nodes:
        raise UserError("Type an expression with a tensor in it, such as w*x + b.")
    return arrange(_drawing(scope))


def parse_more(text: str, known: Mapping[str, Ref]) -> Reading:
    """Like `read`, for lines that may continue from what is `known`, whose nodes are not in the result; nor are
    backward calls from them."""
    scope = _more(known)
    read_lines(scope, _tree(text).body)
    new = scope.nodes.keys()
    scope.calls = [call for call in scope.calls if {call.root.node, *(call.inputs or ())} <= new]
    comments = _comments(text)
    return Reading(arrange(_drawing(scope)), (*scope.passed_over, *([comments] if comments else [])))


def _more(known: Mapping[str, Ref]) -> Scope:
    scope = _scope()
    scope.next_id = max((ref.node for ref in known.values()), default=0) + 1
    scope.values |= known
    return scope


def _scope() -> Scope:
    """Return a scope with what code may refer to even without an import."""
    return Scope(values={"torch": Named(""), "F": Named("nn.functional"), "nn": Named("nn"), "math": Named("math")})


def _tree(text: str) -> ast.Module:
    if len(text) > MAX_BYTES:
        raise UserError(too_big("This code", len(text)))
    if "\0" in text:
        raise UserError("This is no text: it has null bytes in it. Paste the code again.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        reason = "a number is too large" if "int" in error.msg and "limit" in error.msg else error.msg
        raise UserError(f"Line {error.lineno or 1}: Python can't read this: {reason}.") from error
    except UnicodeError as error:
        raise UserError("This is no text: it has broken characters in it. Paste the code again.") from error
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        raise UserError("This code is nested too deep to be drawn. Give parts of it names of their own.") from error


def _drawing(scope: Scope) -> Drawing:
    """Return the nodes that were read, with their names."""
    for id in scope.asides:
        if not scope.uses[id] and not any(id in (call.inputs or ()) for call in scope.calls):
            leaf = scope.nodes[id]
            if isinstance(leaf, Leaf) and not leaf.requires_grad:
                del scope.nodes[id]
    give_names(scope)
    drawing = Drawing(tuple(scope.nodes.values()), calls=tuple(scope.calls), next_id=scope.next_id)
    return tidy(drawing)


def _comments(text: str) -> str:
    """Return which lines have a comment that is not in the drawing; "" for none."""
    lines = _commented_lines(text)
    if not lines:
        return ""
    if len(lines) == 1:
        return f"Line {lines[0]}: a comment is no part of a drawing."
    named = [str(line) for line in lines[:NAMED_COMMENTS]]
    last = f"{len(lines) - NAMED_COMMENTS} more" if len(lines) > NAMED_COMMENTS else named.pop()
    return f"Lines {', '.join(named)} and {last}: comments are no part of a drawing."


def _commented_lines(text: str) -> list[int]:
    """Return the lines with a comment, from 1; for code that Python can parse."""
    if all(line.startswith(OWN_COMMENT) for line in text.splitlines() if "#" in line):
        return []
    own = OWN_COMMENT.lstrip("# ")
    return [line for line, said in comments_of(text).items() if not said.startswith(own)]
