"""From a drawing to its PyTorch code, as a person would write it: leaves first, one statement for each named result,
the others in place, backward calls last. How an expression is written is in `spelling`; `parse` reads it all.

Note [Left out] What can't run yet (an input is missing, or comes from such a node) becomes a one-line comment, so that
the rest runs; when the code is read along with the drawing, its nodes are found by these lines.

Note [Names of long code] An expression that is too long or too deep to read (or for Python to compile) is cut: its
innermost part gets a name, which the drawing does not have."""

from __future__ import annotations

import heapq
import weakref
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from weakref import ReferenceType

from gradviz.document.catalogue import catalogue, outputs
from gradviz.document.code.order import Order, order_of, sources, word
from gradviz.document.code.pretty import SOFT, Doc, Group, IfBroken, Mark, Nest, Printer, bracketed
from gradviz.document.code.spelling import ATOM, Piece, gradient, leaf, number, operation, unpacking
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Node, Number, Operation, Ref, in_place
from gradviz.document.leaf_kinds import RANDOM
from gradviz.document.shaping.names import free_name, is_name, names_of, result_name

WIDTH = 88
DEEPEST = 12  # operations inside of one another
LONGEST = 160  # approximate characters of one expression


@dataclass(frozen=True)
class Span:
    """The expression of a node in the code: 1-based lines, 0-based columns in characters, exclusive end."""

    node: int
    line: int
    col: int
    end_line: int
    end_col: int


@dataclass(frozen=True)
class Emitted:
    """The code; the expression of each node, nested ones after those around them; the line of each backward call, 0 for
    one that is left out."""

    text: str
    spans: tuple[Span, ...] = ()
    names: tuple[tuple[int, tuple[str, ...]], ...] = ()  # of the outputs of each node that has its own statement
    call_lines: tuple[int, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()  # nodes that can't run yet, and why: "mul needs other"


@dataclass
class _Plan:
    """What is written, in which order and under which names."""

    drawing: Drawing
    order: Order
    names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    nameless: set[int] = field(default_factory=set)  # in-place methods called by the name of what they change


def emit(drawing: Drawing) -> Emitted:
    """Return the code of a drawing, newly written; `source.code_of` caches it."""
    plan = _Plan(drawing, order_of(drawing))
    _name(plan)
    printer = Printer(WIDTH)
    lines = _Writer(plan, printer).write()
    spans = tuple(Span(*stretch) for stretch in printer.stretches)
    return Emitted(printer.text, spans, tuple(plan.names.items()), lines, tuple(plan.order.left_out.items()))


def _name(plan: _Plan) -> None:
    """Decide which nodes get a statement, and under which names: see Note [Names of long code]."""
    counts = Counter(ref.node for node in plan.order.nodes for ref in sources(node))
    named = {call.root.node for call in plan.drawing.calls} | plan.order.spots
    named.update(sources(node)[0].node for node in plan.order.nodes if in_place(node) and not names_of(node))
    plan.used.update(name for node in plan.drawing.nodes for name in names_of(node) if is_name(name))
    given: set[str] = set()
    size: dict[int, tuple[int, int]] = {}  # depth and approximate number of characters of what is written in place
    for node in plan.order.nodes:
        depth, width = _size(node, size)
        needed = 1 if isinstance(node, Leaf) else len(outputs(catalogue()[node.op], node))
        names = list(names_of(node))[:needed]
        if in_place(node) and not names:
            target = sources(node)[0]
            plan.names[node.id] = plan.names[target.node][target.output : target.output + 1]
            plan.nameless.add(node.id)
            continue
        inline = counts[node.id] == 1 and node.id not in named and needed == 1
        if inline and not names and depth < DEEPEST and width < LONGEST:
            size[node.id] = depth, width
            continue
        while len(names) < needed:
            free = "x" if isinstance(node, Leaf) else result_name(plan.drawing, node, plan.used)
            names.append(free)
            plan.used.add(free)
        for at, name in enumerate(names):
            if name in given or not is_name(name):
                names[at] = free_name(name if is_name(name) else "x", plan.used)
            plan.used.add(names[at])
            given.add(names[at])
        plan.names[node.id] = tuple(names)


def _size(node: Node, size: dict[int, tuple[int, int]]) -> tuple[int, int]:
    inner = [size[ref.node] for ref in sources(node) if ref.node in size]
    depth = 1 + max((depth for depth, _ in inner), default=0)
    own = len(node.op.rpartition(".")[2]) + 6 if isinstance(node, Operation) else 0
    return depth, own + sum(width for _, width in inner)


class _Writer:
    """Writes a plan, statement by statement."""

    def __init__(self, plan: _Plan, printer: Printer) -> None:
        self._plan = plan
        self._printer = printer
        self._known = plan.drawing.by_id
        self._pieces: dict[int, Piece] = {}  # for what is written in place
        self._plain = all(_is_plain(node) for node in plan.order.nodes)

    def write(self) -> tuple[int, ...]:
        """Write everything; return the lines of the backward calls."""
        plan, printer = self._plan, self._printer
        if not plan.drawing.nodes:
            return ()
        leaves = [node for node in plan.order.nodes if isinstance(node, Leaf)]
        statements = self._statements()
        printer.line("import torch")
        if any(isinstance(node, Operation) and node.op.startswith("nn.functional.") for node in plan.order.nodes):
            printer.line("import torch.nn.functional as F")
        if leaves:
            printer.line()
        for node in leaves:
            if node.seed is not None and node.maker in RANDOM:
                printer.line(f"torch.manual_seed({node.seed})")
            printer.write((plan.names[node.id][0], " = ", Mark(node.id, leaf(node).doc)))
        if statements or plan.order.left_out:
            printer.line()
        for statement in statements:
            self._statement(statement)
        for reason in plan.order.left_out.values():
            printer.line(comment(reason))
        if plan.drawing.calls:
            printer.line()
        return tuple(self._call(call) for call in plan.drawing.calls)

    def _statements(self) -> list[Operation]:
        """Return the operations with names, each after those that its expression mentions, otherwise in the order of
        the drawing."""
        place = {node.id: at for at, node in enumerate(self._plan.drawing.nodes)}
        needs: dict[int, set[int]] = {}  # the statements that an expression mentions
        for node in self._plan.order.nodes:
            if isinstance(node, Operation):
                needs[node.id] = set().union(self._plan.order.earlier.get(node.id, ()), *self._needs(node, needs))
        users: dict[int, list[Operation]] = {}
        waits: dict[int, int] = {}
        ready: list[tuple[int, int]] = []
        for node in self._plan.order.nodes:
            if isinstance(node, Operation) and node.id in self._plan.names:
                waits[node.id] = len(needs[node.id])
                for source in needs[node.id]:
                    users.setdefault(source, []).append(node)
                if not waits[node.id]:
                    heapq.heappush(ready, (place[node.id], node.id))
        found: list[Operation] = []
        while ready:
            node = self._known[heapq.heappop(ready)[1]]
            assert isinstance(node, Operation)
            found.append(node)
            for user in users.get(node.id, ()):
                waits[user.id] -= 1
                if not waits[user.id]:
                    heapq.heappush(ready, (place[user.id], user.id))
        return found

    def _needs(self, node: Operation, needs: dict[int, set[int]]) -> Iterable[set[int]]:
        for ref in sources(node):
            if isinstance(self._known[ref.node], Operation):
                yield {ref.node} if ref.node in self._plan.names else needs[ref.node]

    def _statement(self, node: Operation) -> None:
        if node.id in self._plan.nameless:
            self._printer.write(_bracketed(self._expression(node)))
            return
        left = unpacking(self._plan.names[node.id])
        self._printer.write((left, " = ", _bracketed(self._expression(node))))

    def _expression(self, node: Operation) -> Piece:
        """Return the expression of an operation, including what is written in place inside it; at most `DEEPEST`
        deep."""
        pieces: list[Piece | None] = []
        for operand in node.inputs:
            if isinstance(operand, Number):
                pieces.append(number(operand.value))
            elif operand is None:
                pieces.append(None)
            else:
                pieces.append(self._operand(operand))
        entry = catalogue()[node.op]
        piece = operation(entry, node, pieces)
        if entry.many and len(outputs(entry, node)) == 1:  # a tuple with one known item
            return Piece((Mark(node.id, piece.doc), "[0]"))
        return Piece(Mark(node.id, piece.doc), piece.strength)

    def _operand(self, ref: Ref) -> Piece:
        names = self._plan.names.get(ref.node)
        if names is not None:
            return Piece(names[ref.output], simple=True)
        node = self._known[ref.node]
        assert isinstance(node, Operation)
        return self._expression(node)

    def _call(self, call: BackwardCall) -> int:
        """Write one backward call; return its line, 0 if it must be left out."""
        names = self._plan.names.get(call.root.node, ())
        if call.root.output >= len(names):
            root = self._known.get(call.root.node)
            self._printer.line(comment(f"backward waits for {word(root) if root else 'its root'}"))
            return 0
        method = self._plan.order.overwritten.get(call.root)
        if method is not None:
            self._printer.line(comment(f"backward waits for {method}, which changes its root: begin at its result"))
            return 0
        root_name = names[call.root.output]
        options: list[Doc] = []
        if call.gradient is not None:
            options.append(gradient(call.gradient, root_name, plain=self._plain))
        if call.retain_graph is not None:
            options.append(f"retain_graph={call.retain_graph}")
        if call.create_graph:
            options.append("create_graph=True")
        if call.inputs is not None:
            inputs = [self._plan.names[id][0] for id in call.inputs if id in self._plan.names]
            options.append(f"inputs=[{', '.join(inputs)}]")
        line = self._printer.row
        self._printer.write(bracketed(f"{root_name}.backward(", options, ")"))
        return line


def _is_plain(node: Node) -> bool:
    """False if numbers may have a dtype other than PyTorch's default, so that the dtype of a gradient must be
    stated."""
    if isinstance(node, Leaf):
        return node.dtype in ("", "float32", "float")
    return "dtype" not in dict(node.params) and node.op.rpartition(".")[2] not in _CASTS


_CASTS = frozenset("to double half bfloat16 type_as float long int short bool complex".split())


def _bracketed(piece: Piece) -> Doc:
    """Return the right side of an assignment: in brackets if it is an operator expression over several lines."""
    if piece.strength == ATOM:
        return Group(piece.doc)
    return Group((IfBroken("("), Nest((SOFT, piece.doc)), SOFT, IfBroken(")")))


def comment(reason: str) -> str:
    """Return the comment line for what is left out."""
    return f"# not yet: {' '.join(reason.split())}"


# -- the code of each drawing in use, written once. Positions are not in it, and another number in a leaf only changes
# the text of one line: most code follows from that of the previous drawing without writing everything again (`emit`
# does that), so that a slider, a drag and typing cost almost nothing.

_known: dict[int, tuple[ReferenceType[Drawing], Emitted]] = {}  # see Note [Equal drawings]
_latest: list[ReferenceType[Drawing]] = []  # the drawing whose code was written last


def code_of(drawing: Drawing) -> Emitted:
    """Return its code, and which part of it belongs to which node.

    Note [Equal drawings] Drawings with 1, 1.0 and True are equal, but not written the same, and hashing ten thousand
    nodes takes long: code is cached for this very object, as long as it lives. It is found by its address, and the weak
    reference beside it tells whether the address still belongs to it."""
    code = _kept(drawing)
    if code is None:
        code = _from_latest(drawing) or emit(drawing)
        share_code(drawing, code)
        _latest[:] = [weakref.ref(drawing)]
    return code


def share_code(drawing: Drawing, code: Emitted) -> None:
    """Store the code of a drawing that was made from another one by a caller who knows its code."""
    key = id(drawing)

    def forget(gone: ReferenceType[Drawing]) -> None:
        if key in _known and _known[key][0] is gone:
            del _known[key]

    _known[key] = weakref.ref(drawing, forget), code


def _kept(drawing: Drawing) -> Emitted | None:
    owner, code = _known.get(id(drawing), (None, None))
    return code if owner is not None and owner() is drawing else None


def _from_latest(drawing: Drawing) -> Emitted | None:
    """Return the code based on that of the previous drawing, None if that is not possible."""
    before = _latest[0]() if _latest else None
    known = None if before is None else _kept(before)
    if before is None or known is None or len(before.nodes) != len(drawing.nodes):
        return None
    if not _exactly(before.calls, drawing.calls):
        return None
    changed: list[Leaf] = []
    for old, new in zip(before.nodes, drawing.nodes, strict=True):
        if old is not new and not _says_the_same(old, new):
            if not (isinstance(old, Leaf) and isinstance(new, Leaf) and _is_only_other_data(old, new)):
                return None
            changed.append(new)
    return _patched(known, changed) if changed else known


def _says_the_same(old: Node, new: Node) -> bool:
    """Whether two nodes are written the same, wherever they are."""
    if isinstance(old, Operation) and isinstance(new, Operation):
        same = (old.id, old.op, old.names) == (new.id, new.op, new.names)
        return same and _exactly(old.inputs, new.inputs) and _exactly(old.params, new.params)
    if isinstance(old, Leaf) and isinstance(new, Leaf):
        return _is_only_other_data(old, new) and _exactly(old.data, new.data)
    return False


def _exactly(one: object, other: object) -> bool:
    """Distinguish 1, 1.0 and True, which are equal, but not written the same."""
    return one is other or (one == other and repr(one) == repr(other))


def _is_only_other_data(old: Leaf, new: Leaf) -> bool:
    one = (old.id, old.name, old.maker, old.seed, old.dtype, old.requires_grad)
    return one == (new.id, new.name, new.maker, new.seed, new.dtype, new.requires_grad)


def _patched(known: Emitted, changed: list[Leaf]) -> Emitted | None:
    """Return the code with the lines of these leaves rewritten; None if one now has a different number of lines."""
    names, spans = dict(known.names), list(known.spans)
    place = {span.node: at for at, span in enumerate(spans)}
    lines = known.text.split("\n")
    for node in changed:
        if node.id in place:  # otherwise it is left out, whatever its numbers are
            at = place[node.id]
            old = spans[at]
            text, span = _statement(node, names[node.id][0], old)
            if span.end_line != old.end_line:
                return None
            lines[old.line - 1 : old.end_line] = text.split("\n")[:-1]
            spans[at] = span
    return replace(known, text="\n".join(lines), spans=tuple(spans))


def _statement(node: Leaf, name: str, old: Span) -> tuple[str, Span]:
    printer = Printer(WIDTH)
    printer.write((name, " = ", Mark(node.id, leaf(node).doc)))
    _, line, col, end_line, end_col = printer.stretches[0]
    down = old.line - line
    return printer.text, replace(old, line=old.line, col=col, end_line=end_line + down, end_col=end_col)
