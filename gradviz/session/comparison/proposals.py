"""Changes of a snippet that are worth trying, derived from its syntax tree: adding or removing a keyword, leaving out a
line, removing `.detach()`. Pure. `gradviz.document.edits` edits the text; `compare` evaluates the outcome."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradviz.document import edits

MOST = 40  # proposals
LONGEST = 44  # characters of code in a title


@dataclass(frozen=True)
class Proposal:
    """One change: a title that begins with "with" or "without", the line (-1 for several), and the changed text."""

    change: str
    line: int
    text: str
    rank: int = 0  # lower ones are more likely to be of interest

    @property
    def title(self) -> str:
        """ "line 9: without retain_graph=True"."""
        return f"line {self.line}: {self.change}" if self.line > 0 else self.change

    @property
    def phrase(self) -> str:
        """The beginning of a sentence: "Without retain_graph=True at line 9"."""
        place = f" at line {self.line}" if self.line > 0 else ""
        return self.change[:1].upper() + self.change[1:] + place


@dataclass(frozen=True)
class _Source:
    text: str
    tree: ast.Module

    def of(self, node: ast.AST) -> str:
        return " ".join((ast.get_source_segment(self.text, node) or "").split())

    def calls(self) -> list[ast.Call]:
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def statements(self) -> Iterator[tuple[ast.stmt, bool]]:
        """Every statement, and whether it is alone in its block."""
        for node in ast.walk(self.tree):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list):
                    yield from ((each, len(block) == 1) for each in block if isinstance(each, ast.stmt))


def proposals(text: str) -> tuple[Proposal, ...]:
    """The changes that make sense for this text, most telling first; none if the text can't be parsed."""
    try:
        source = _Source(text, ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: dict[str, Proposal] = {}
    for rule in RULES:
        for proposal in rule(source):
            if proposal.text != text:
                found.setdefault(proposal.text, proposal)
    return tuple(sorted(found.values(), key=lambda one: (one.rank, one.line)))[:MOST]


def edited(before: str, after: str) -> Proposal | None:
    """A free edit as a proposal, None if nothing differs."""
    import difflib

    old, new = before.split("\n"), after.split("\n")
    blocks = [block for block in difflib.SequenceMatcher(None, old, new).get_opcodes() if block[0] != "equal"]
    if not blocks:
        return None
    _, first, last, start, end = blocks[0]
    if len(blocks) > 1 or last - first > 1 or end - start > 1:
        upto = max(blocks[-1][2], first + 1)
        lines = f"lines {first + 1}–{upto}" if upto > first + 1 else f"line {upto}"
        return Proposal(f"with {lines} edited", -1, after)
    written = new[start].strip() if end > start else ""
    if written and not written.startswith("#"):
        return Proposal(f"with {_short(written)}", first + 1, after)
    return Proposal(f"without {_short(old[first].strip()) if last > first else 'it'}", first + 1, after)


def _short(code: str) -> str:
    return code if len(code) <= LONGEST else code[: LONGEST - 1] + "…"


def _made(change: str, line: int, text: str | None, rank: int) -> Iterator[Proposal]:
    if text is not None:
        yield Proposal(change, line, text, rank)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg == name), None)


def _is(node: ast.AST | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _target(statement: ast.stmt) -> str:
    """The variable that a simple assignment binds, otherwise ""."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


# the rules


def _graph_keywords(source: _Source) -> Iterator[Proposal]:
    """retain_graph and create_graph of backward() and grad(): removed or added."""
    calls = [call for call in source.calls() if _name(call) in ("backward", "grad")]
    for call in calls:
        for keyword, rank in (("retain_graph", 3 if len(calls) > 1 else 6), ("create_graph", 7)):
            value = _keyword(call, keyword)
            if _is(value, True):
                text = edits.remove_keyword(source.text, call, keyword)
                yield from _made(f"without {keyword}=True", call.lineno, text, 0)
            else:
                text = edits.add_keyword(source.text, call.lineno, _name(call), keyword, "True")
                yield from _made(f"with {keyword}=True", call.lineno, text, rank)


LEFT_OUT = {
    "zero_grad": 0,
    "zero_": 0,
    "retain_grad": 2,
    "clip_grad_norm_": 2,
    "clip_grad_value_": 2,
    "detach_": 2,
    "step": 4,
    "register_hook": 4,
    "backward": 6,
}


def _statements_left_out(source: _Source) -> Iterator[Proposal]:
    """zero_grad(), `.grad = None`, step() and the like: commented out."""
    for statement, alone in source.statements():
        rank = _left_out_rank(statement)
        if rank >= 0:
            text = edits.leave_out(source.text, statement, alone=alone)
            yield from _made(f"without {_short(source.of(statement))}", statement.lineno, text, rank)


def _left_out_rank(statement: ast.stmt) -> int:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return LEFT_OUT.get(_name(statement.value), -1)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and _is(statement.value, None):
        target = statement.targets[0]
        return 0 if isinstance(target, ast.Attribute) and target.attr == "grad" else -1
    return -1


def _detached(source: _Source) -> Iterator[Proposal]:
    """.detach() and .item() removed, .data replaced by .detach()."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            rank = {"detach": 0, "item": 5}.get(node.func.attr)
            if rank is not None:
                text = edits.replace_node(source.text, node, ast.get_source_segment(source.text, node.func.value) or "")
                yield from _made(f"without .{node.func.attr}()", node.lineno, text, rank)
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            text = edits.replace_node(source.text, node, f"{source.of(node.value)}.detach()")
            yield from _made("with .detach() instead of .data", node.lineno, text, 2)


def _cleared_first(source: _Source) -> Iterator[Proposal]:
    """Gradients cleared before each backward() except the first, if nothing clears them."""
    statements = [statement for statement, _ in source.statements()]
    if any(_left_out_rank(each) == 0 for each in statements):
        return
    clearing = _clearing(source, statements)
    looped = {each for loop in ast.walk(source.tree) if isinstance(loop, (ast.For, ast.While)) for each in loop.body}
    calls = [each for each in statements if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    backwards = [each for each in calls if isinstance(each.value, ast.Call) and _name(each.value) == "backward"]
    for statement in sorted(backwards, key=lambda one: one.lineno):
        if clearing and (statement in looped or statement.lineno > min(one.lineno for one in backwards)):
            code = ast.get_source_segment(source.text, statement) or ""
            text = edits.replace_node(source.text, statement, f"{clearing}; {code}")
            yield from _made(f"with {_short(clearing)} first", statement.lineno, text, 1)


def _clearing(source: _Source, statements: list[ast.stmt]) -> str:
    """The code that clears the gradients: of the optimizer, or else of the leaves that the text makes."""
    leaves = []
    for statement in statements:
        value, name = getattr(statement, "value", None), _target(statement)
        if name and isinstance(value, ast.Call):
            if "optim." in source.of(value.func):
                return f"{name}.zero_grad()"
            if _is(_keyword(value, "requires_grad"), True):
                leaves.append(f"{name}.grad = ")
    return f"{''.join(leaves)}None" if leaves else ""


FACTORIES = {"tensor", "randn", "rand", "zeros", "ones", "arange", "linspace", "full", "eye", "empty", "manual_seed"}


def _detach_added(source: _Source) -> Iterator[Proposal]:
    """`y = x * x` as `y = (x * x).detach()`."""
    for statement, _ in source.statements():
        name = _target(statement)
        if not name or not isinstance(statement, ast.Assign):
            continue
        value = statement.value
        if isinstance(value, ast.Call) and (_name(value) in FACTORIES or not _name(value)[:1].islower()):
            continue
        if isinstance(value, (ast.BinOp, ast.Call, ast.UnaryOp)) and "detach" not in source.of(value):
            inner = ast.get_source_segment(source.text, value) or ""
            wrapped = inner if isinstance(value, ast.Call) else f"({inner})"
            text = edits.replace_node(source.text, value, f"{wrapped}.detach()")
            yield from _made(f"with {name} detached", statement.lineno, text, 8)


MODES = ("no_grad", "inference_mode")


def _modes(source: _Source) -> Iterator[Proposal]:
    """`with torch.no_grad():` removed, as a block and as a decorator."""
    for statement, _ in source.statements():
        if isinstance(statement, ast.With) and len(statement.items) == 1:
            header = statement.items[0].context_expr
            if isinstance(header, ast.Call) and _name(header) in MODES:
                text = edits.without_header(source.text, statement)
                yield from _made(f"without {source.of(header)}", statement.lineno, text, 1)
        elif isinstance(statement, ast.FunctionDef):
            for one in statement.decorator_list:
                if isinstance(one, ast.Call) and _name(one) in MODES and one.lineno == one.end_lineno:
                    lines = source.text.split("\n")
                    lines[one.lineno - 1] = lines[one.lineno - 1].replace("@", "# @", 1)
                    yield from _made(f"without @{source.of(one)}", one.lineno, "\n".join(lines), 1)


OUT_OF_PLACE = {f"{name}_" for name in (
    "add sub mul div pow exp log sqrt neg abs relu sigmoid tanh clamp sin cos square reciprocal round floor ceil"
).split()}  # fmt: skip


def _in_place(source: _Source) -> Iterator[Proposal]:
    """`y += 1` as `y = y + 1`, `y.add_(1)` as `y = y.add(1)`."""
    for statement, _ in source.statements():
        text: str | None = None
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            text = edits.out_of_place(source.text, statement.lineno)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            function = statement.value.func
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                text = _plain_method(source, statement, function.value.id, function.attr)
        if text is not None:
            new = text.split("\n")[statement.lineno - 1].strip()
            yield from _made(f"with {_short(new)}", statement.lineno, text, 2)


def _plain_method(source: _Source, statement: ast.Expr, name: str, method: str) -> str | None:
    if method not in OUT_OF_PLACE:
        return None
    code = ast.get_source_segment(source.text, statement) or ""
    return edits.replace_node(source.text, statement, f"{name} = {code.replace(f'.{method}(', f'.{method[:-1]}(', 1)}")


def _requires_grad(source: _Source) -> Iterator[Proposal]:
    """requires_grad inverted."""
    for call in source.calls():
        value = _keyword(call, "requires_grad")
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            flag = str(not value.value)
            text = edits.replace_node(source.text, value, flag)
            yield from _made(f"with requires_grad={flag}", call.lineno, text, 4)
        elif _name(call) == "requires_grad_" and not call.args and not call.keywords:
            text = edits.insert_argument(source.text, call.lineno, "requires_grad_", "False")
            yield from _made("with requires_grad_(False)", call.lineno, text, 4)


RATES = ("lr", "learning_rate", "step_size", "alpha", "eta")


def _rates(source: _Source) -> Iterator[Proposal]:
    """The learning rate times ten, and divided by ten."""
    found = [(call.lineno, _keyword(call, "lr")) for call in source.calls()]
    for statement, _ in source.statements():
        if _target(statement) in RATES and isinstance(statement, ast.Assign):
            found.append((statement.lineno, statement.value))
    for line, node in found:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and node.value:
            for factor in (10, 0.1):
                number = f"{node.value * factor:.6g}"
                yield from _made(f"with lr={number}", line, edits.replace_node(source.text, node, number), 4)


def _seeds(source: _Source) -> Iterator[Proposal]:
    """Other random numbers, and eval() for train()."""
    for call in source.calls():
        if _name(call) == "manual_seed" and len(call.args) == 1:
            first = call.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, int):
                seed = str(first.value + 1)
                yield from _made(f"with seed {seed}", call.lineno, edits.replace_node(source.text, first, seed), 9)
        elif _name(call) in ("eval", "train") and isinstance(call.func, ast.Attribute) and not call.args:
            other = "train" if call.func.attr == "eval" else "eval"
            owner = ast.get_source_segment(source.text, call.func.value) or ""
            text = edits.replace_node(source.text, call.func, f"{owner}.{other}")
            yield from _made(f"with {other}()", call.lineno, text, 5)


RULES: tuple[Callable[[_Source], Iterator[Proposal]], ...] = (
    _graph_keywords,
    _statements_left_out,
    _cleared_first,
    _detached,
    _modes,
    _in_place,
    _requires_grad,
    _rates,
    _detach_added,
    _seeds,
)
