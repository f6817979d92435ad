"""Where a history was cut off (`Cut`): detach(), .data, no_grad(), whole numbers, copies and plain numbers;
and how it is joined again. What follows for a .grad is in `missing`, a result that leads nowhere in `ends`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import SEARCHED, USERS, Case, Fix, Hit, fixes, requires, returned, under_keys
from gradviz.session.doctor.losses import ELEMENTWISE, LOSSES
from gradviz.session.doctor.text import collected, decorated_at, followed, name_of, names_in, off_at, receiver_of, uses
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import SWITCHED_OFF

_NOT_DIFFERENTIABLE = 3  # see schema.UNTRACKED
_COPIES = ("tensor", "as_tensor", "new_tensor", "from_numpy", "Tensor", "FloatTensor", "array", "Variable", "Parameter")
_NUMBERS = ("item", "numpy", "tolist")
PLAIN_NUMBERS = ("item", "listed")  # kinds of cuts that take them out of a tensor
_FLOATS = ("float", "bfloat", "complex")


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a history was cut off."""

    kind: str  # "detached", "data", "no_grad", "integer", "copied", "listed", "item"
    line: int
    source: int  # the tensor that has a history
    made: int  # the one that has none, -1: a number
    node: int = -1
    expression: ast.expr | None = None  # the expression that does it


def cut_at(case: Case, tensor: int) -> Cut | None:
    """Return how the history of this very tensor was cut off, None if it was not."""
    trace, node = case.trace, int(case.trace.tensors.producer[tensor])
    if node < 0:
        return _copied(case, tensor)
    before = [each for each in case.read_by(node) if requires(case, each, int(trace.nodes.step[node]))]
    line = int(trace.nodes.line[node])
    if before and trace.nodes.op[node] == "detach":
        text = str(trace.nodes.source[node])
        kind = "data" if text.endswith(".data") else "detached"
        return Cut(kind, line, before[0], tensor, node, case.maker(tensor))
    if trace.tensors.requires_grad[tensor]:
        return _detached_later(case, tensor, node)
    if not before:
        return None
    if trace.nodes.reason[node] == SWITCHED_OFF:
        return Cut("no_grad", _switched_at(case, node), before[0], tensor, node, case.maker(tensor))
    if trace.nodes.reason[node] == _NOT_DIFFERENTIABLE:
        return Cut("integer", line, before[0], tensor, node, case.maker(tensor))
    if not str(trace.tensors.dtype[tensor]).startswith(_FLOATS):  # the indices beside the numbers: torch.max(x, 1)[1]
        return Cut("integer", line, before[0], tensor, node, case.maker(tensor))
    return None


def _detached_later(case: Case, tensor: int, node: int) -> Cut | None:
    """A result whose history detach_() removed."""
    flags = case.trace.flags
    rows = [row for row in case.trace.history("flags", "tensor").all(tensor).tolist() if flags.is_leaf[row]]
    for call in [each for each in case.calls if name_of(each) == "detach_"] if rows else ():
        held, step = receiver_of(call), int(flags.step[rows[0]])
        if held is not None and tensor in case.were(held, step + 1):
            return Cut("detached", call.lineno, tensor, tensor, node, call)
    return None


def _copied(case: Case, tensor: int) -> Cut | None:
    return next(_all_copied(case, tensor), None)


def _all_copied(case: Case, tensor: int) -> Iterator[Cut]:
    """Return the tensors with a history whose numbers a leaf was made from."""
    made = case.maker(tensor)
    if not isinstance(made, ast.Call) or name_of(made) not in _COPIES:
        return
    step = int(case.trace.tensors.step[tensor]) + 1
    for argument in made.args[:1]:
        for expression in followed(case, argument):
            number = taken_out(case, expression, step, tensor)
            if number is not None:
                kind = "listed" if _is_list(case, argument, expression) else "item"
                yield Cut(kind, expression.lineno, number, tensor, expression=expression)
        for part in [*ast.walk(argument), *collected(case, argument)]:
            if isinstance(part, (ast.Name, ast.Attribute, ast.BinOp, ast.Subscript, ast.Call)):
                for source in reversed(case.were(part, step)):
                    if source != tensor and requires(case, source, step) and not _is_only_copied(case, part, source):
                        yield Cut("copied", made.lineno, source, tensor, expression=made)


def _is_only_copied(case: Case, part: ast.expr, leaf: int) -> bool:
    """Whether an expression makes a leaf that nothing else ever holds: `nn.Parameter(torch.randn(1,
    requires_grad=True))`."""
    made = isinstance(part, ast.Call) and case.trace.tensors.producer[leaf] < 0 and leaf in case.made_by(part)
    return made and not len(case.trace.history("names", "tensor").all(leaf))


def _is_list(case: Case, copied: ast.expr, number: ast.expr) -> bool:
    """Whether a number is one of a list that is copied as a whole: that of tolist(), or a list written there."""
    around = [each for each in case.around(number) if each in {*ast.walk(copied)}]
    several = any(isinstance(each, (ast.List, ast.Tuple, ast.ListComp)) for each in around)
    return several or (isinstance(number, ast.Call) and name_of(number) == "tolist")


def taken_out(case: Case, expression: ast.AST, step: int, copy: int = -1) -> int | None:
    """Return the tensor with a history whose numbers an expression takes out: `loss.item()`; None for other
    expressions. The result, `copy`, may have its name by now: `loss = torch.tensor(loss.item())`."""
    if not isinstance(expression, ast.Call):
        return None
    name, held = name_of(expression), receiver_of(expression)
    if name == "float" and held is None and expression.args:
        held = expression.args[0]
    elif name not in _NUMBERS or held is None:
        return None
    while isinstance(held, ast.Call) and name_of(held) in ("detach", "cpu") and isinstance(held.func, ast.Attribute):
        held = held.func.value
    if isinstance(held, ast.Attribute) and held.attr == "data":
        held = held.value
    were = [each for each in case.were(held, step) or under_keys(case, held, step) if each != copy]
    if not were and isinstance(held, ast.Call):
        were = [each for each in returned(case, held) if case.trace.tensors.step[each] < step]
    while not were and isinstance(held, ast.Name) and (held := _taken_from(case, held)) is not None:
        were = [each for each in case.were(held, step) if each != copy]
    return were[-1] if were and requires(case, were[-1], step) else None


def _taken_from(case: Case, name: ast.Name) -> ast.expr | None:
    """Return what a list comprehension around a name goes over to bind it."""
    around = [each for each in case.around(name) if isinstance(each, (ast.ListComp, ast.GeneratorExp))]
    parts = [part for each in around for part in each.generators if isinstance(part.target, ast.Name)]
    return next((part.iter for part in parts if case.source(part.target) == name.id), None)


def cut_behind(case: Case, tensor: int) -> Cut | None:
    """Return where the history of what a tensor was computed from was cut off, the nearest place first."""
    return next((found for each in case.ancestors(tensor) if (found := cut_at(case, each)) is not None), None)


def cuts_below(case: Case, leaf: int) -> list[Cut]:
    """Return the places where the history of what is computed from a leaf is cut off."""
    trace, queue, found = case.trace, [leaf], []
    seen = {leaf}
    for each in queue:
        for node in trace.users_of(each)[:USERS].tolist():
            for made in trace.outputs_of(node).tolist():
                if made in seen or len(seen) > SEARCHED:
                    continue
                seen.add(made)
                cut = cut_at(case, made)
                if cut is not None:
                    found.append(cut)
                elif trace.tensors.requires_grad[made]:
                    queue.append(made)
    found += [cut for cut in copies(case) if cut.source in seen]
    if all(cut.kind == "detached" for cut in found):
        found += [replace(cut, source=one) for cut in _in_arithmetic(case) for one in _taken(case, cut, seen)]
    found.sort(key=lambda cut: (_is_mask(case, cut), *_may_be_meant(case, cut)))
    lines = {cut.line: cut for cut in found if found[0].kind == "detached"}
    wasted = [cut for cut in lines.values() if len(lines) > 1 and _is_wasted(case, cut.made)]
    return wasted[:1] + found if len(wasted) == 1 else found


def _is_mask(case: Case, cut: Cut) -> bool:
    """Whether what was cut off says only where something is so."""
    return cut.kind == "integer" and cut.made >= 0 and str(case.trace.tensors.dtype[cut.made]) == "bool"


def _may_be_meant(case: Case, cut: Cut) -> tuple[bool, bool]:
    """Whether a cut is a detach(), and what it made, or what no_grad() made of it, is compared or combined with
    something that has a history, number by number, as a target is."""
    trace, queue = case.trace, [cut.made] if cut.kind in ("detached", "no_grad") else []
    for each in queue:
        for user in trace.users_of(each)[:USERS].tolist() if len(queue) < USERS else ():
            made, inside = case.output(user), cut.kind == "no_grad" and trace.nodes.reason[user] == SWITCHED_OFF
            if not (inside or trace.nodes.op[user] in (*ELEMENTWISE, *LOSSES)) or made in queue:
                continue
            if not inside and any(trace.tensors.requires_grad[case.read_by(user)]):
                return True, True
            queue.append(made)
    return cut.kind == "detached", False


def _taken(case: Case, cut: Cut, seen: set[int]) -> list[int]:
    """Return the tensor among some that the numbers of a cut come from, which may take them from several in turn."""
    held = receiver_of(cut.expression) if isinstance(cut.expression, ast.Call) else None
    return [each for each in (cut.source, *(case.made_by(held) if held is not None else ())) if each in seen][:1]


def _is_wasted(case: Case, tensor: int) -> bool:
    """Whether backward passes go back to a tensor, and no update uses what they add: they were for what it is cut off
    from."""
    trace, queue = case.trace, [tensor]
    seen = {tensor}
    for each in queue:
        made = [one for user in trace.users_of(each).tolist() for one in trace.outputs_of(user).tolist()]
        queue += [one for one in dict.fromkeys(made) if one not in seen and len(queue) < SEARCHED]
        seen |= {*queue}
    calls = {*trace.roots.call[np.isin(trace.roots.tensor, queue)].tolist()}
    for events in case.events.values() if calls else ():
        held = False
        for event in events:
            held = event.what != "cleared" and (held or (event.what == "added" and case.call_of(event.step) in calls))
            if held and event.what == "updated":
                return False
    return bool(calls)


def _in_arithmetic(case: Case) -> list[Cut]:
    """Return every plain number, taken from a tensor with a history, that a tensor behind a loss was computed with."""
    trace, found = case.trace, []
    for call in case.calls:
        places = [place for each in uses(case, computed_from(case, call), summed=True) for place in _sums(case, each)]
        made = [one for each in places for one in case.made_by(each)]
        made = [each for each in made if each in case.below_roots or case.raised]
        source = taken_out(case, call, int(trace.tensors.step[made[0]]) + 1) if made else None
        if source is not None:
            found.append(Cut("item", call.lineno, source, -1, int(trace.tensors.producer[made[0]]), call))
    return found


def _sums(case: Case, number: ast.expr) -> list[ast.BinOp]:
    """Return the arithmetic around a plain number, the innermost first."""
    found = list[ast.BinOp]()
    for each in (number, *case.around(number)):
        if isinstance(each, ast.BinOp):
            found.append(each)
        elif each is not number and not isinstance(each, ast.UnaryOp):
            break
    return found


def computed_from(case: Case, number: ast.expr) -> ast.expr:
    """Return what a statement computes from a number or an array as a whole, with functions that take no tensors."""
    around = [each for each in case.around(number) if isinstance(each, ast.expr)]
    inside = [each for each in around if not isinstance(each, (ast.Lambda, ast.GeneratorExp, ast.ListComp))]
    called = [each for each in inside if isinstance(each, ast.Call) and case.source(each.func).startswith(_OF_NUMBERS)]
    return called[-1] if called and inside == around else number


_OF_NUMBERS = ("np.", "numpy.", "math.")


def number_behind(case: Case, root: int) -> Cut | None:
    """Return the plain number, taken from a tensor with a history, that a root without one was computed with."""
    behind = {case.trace.tensors.producer[each] for each in case.ancestors(root)}
    return next((cut for cut in _in_arithmetic(case) if cut.node in behind), None)


def number_taken(case: Case, leaf: int) -> Cut | None:
    """Return where plain numbers were taken out of a leaf, or what was computed from it, for a loss."""
    return next((cut for cut in cuts_below(case, leaf) if cut.kind in PLAIN_NUMBERS), None)


def copies(case: Case) -> list[Cut]:
    """Return every leaf that is a copy of the numbers of a tensor with a history."""
    leaves = np.flatnonzero(case.trace.tensors.producer < 0).tolist()
    lines = {call.lineno for call in case.calls if name_of(call) in _COPIES}
    return [cut for each in leaves if int(case.trace.tensors.line[each]) in lines for cut in _all_copied(case, each)]


# -- what is said, and the fixes


def told(case: Case, cut: Cut) -> str:
    name = case.name(cut.source)
    place = f"on line {cut.line}"
    return {
        "detached": f"detach() {place} makes a constant of {name}: no gradient goes back through it.",
        "data": f".data {place} is {name} without its history: autograd sees a constant.",
        "no_grad": f"The no_grad() of line {cut.line} keeps no history of what is computed inside.",
        "integer": f"Line {cut.line} makes whole numbers of {name}: they change in jumps and have no derivative.",
        "copied": f"Line {cut.line} copies the numbers of {name} into a new tensor, which knows nothing of it.",
        "item": f"Line {cut.line} takes plain numbers out of {name}; autograd does not follow them.",
    }["copied" if cut.kind == "listed" else cut.kind]


_ADVICE = {
    "detached": "Leave detach() out where a gradient is to go back.",
    "data": "Use the tensor itself; .detach() says it openly where no gradient is wanted.",
    "no_grad": "Compute it outside of no_grad().",
    "integer": "Stay with floating point numbers as far as the loss.",
    "copied": "Use the tensor itself instead of torch.tensor(…) of it.",
    "listed": "Use the tensors themselves, together torch.stack([…]), instead of a copy of their numbers.",
    "item": "Stay with tensors as far as the loss; .item() is for printing.",
}


def cut_hit(case: Case, cut: Cut, step: int, why: str) -> Hit:
    """Return the hit for a cut."""
    node = cut.node if cut.node >= 0 else int(case.trace.tensors.producer[cut.source])
    if cut.node >= 0 and case.trace.nodes.line[cut.node] != cut.line:  # a decorator or detach_(), which is no step
        step = int(case.trace.nodes.step[cut.node]) + 1
    return Hit(cut.line, step, why, _ADVICE[cut.kind], cut_fixes(case, cut), case.mark(node, told(case, cut)))


def cut_fixes(case: Case, cut: Cut) -> tuple[Fix, ...]:
    """Return fixes that remove the cut."""
    text, node = case.text, cut.expression
    if cut.kind == "no_grad":
        return fixes(("with gradients", with_gradients(case, cut.line)))
    if node is None:
        return ()
    if cut.kind in _CALLED:
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call) and _is_plain(each, _CALLED[cut.kind])]
        held = receiver_of(calls[0]) if calls else None
        if held is None or (cut.kind == "integer" and _picks(case, calls[0])):
            return ()
        alone = isinstance(case.parents.get(calls[0]), ast.Expr)
        shorter = edits.without_statement(text, calls[0].lineno) if alone else None
        name = name_of(calls[0])
        return fixes((f"without {name}()", shorter or edits.replace_node(text, calls[0], case.source(held))))
    if cut.kind == "data" and isinstance(node, ast.Attribute):
        alike = [each for each in case.on_line(node.lineno) if isinstance(each, ast.Attribute) and each.attr == "data"]
        changes: dict[ast.expr | ast.stmt, str | None] = {
            each: case.source(each.value) for each in alike if case.source(each) == case.source(node)
        }
        return fixes(("without .data", edits.all_at_once(text, case.tree, changes)))
    if cut.kind == "copied" and isinstance(node, ast.Call):
        return fixes(("without the copy", _uncopied(case, node)))
    if cut.kind in PLAIN_NUMBERS:
        return fixes(("without the plain number", _with_tensor(case, cut, node)))
    return ()


def _picks(case: Case, number: ast.expr) -> bool:
    """Whether elements are picked with a whole number, directly or by the name that it is given."""
    statement = case.statement(number.lineno)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    named = [n for n in case.walked if isinstance(n, ast.Name) and isinstance(target, ast.Name) and n.id == target.id]
    return any(isinstance(each, ast.Subscript) for one in (number, *named) for each in case.around(one))


_CALLED = {  # what cuts it off
    "detached": ("detach", "detach_"),
    "integer": ("long", "int", "short", "char", "byte", "uint"),
}


def _is_plain(call: ast.Call, names: tuple[str, ...]) -> bool:
    """Whether a call is that of one of these methods without arguments, or `.to(torch.int32)` for one of them."""
    if not isinstance(call.func, ast.Attribute):
        return False
    to = ast.unparse(call.args[0]) if name_of(call) in ("to", "type") and len(call.args) == 1 else ""
    return (name_of(call) in names and not call.args) or to.rstrip("0123456789").removeprefix("torch.") in names


def _uncopied(case: Case, call: ast.Call) -> str | None:
    first = call.args[0]
    if isinstance(first, ast.ListComp) and isinstance(first.elt, ast.Call) and name_of(first.elt) == "float":
        return edits.replace_node(case.text, call, f"torch.stack({_without_numbers(case, first)})")
    if isinstance(first, (ast.List, ast.Tuple)) or collected(case, first):
        return edits.replace_node(case.text, call, _stacked(case, first))
    return edits.replace_node(case.text, call, case.source(first))


def _stacked(case: Case, given: ast.expr) -> str:
    """Return the code that joins tensors as torch.tensor() does their numbers: rows in rows."""
    if isinstance(given, (ast.List, ast.Tuple)):
        return f"torch.stack([{', '.join(_part(case, each) for each in given.elts)}])"
    code = case.source(given)
    if isinstance(given, ast.ListComp):
        code = code.replace(case.source(given.elt), _part(case, given.elt), 1)
    return f"torch.stack({code})"


def _part(case: Case, part: ast.expr) -> str:
    """Return the code of a tensor for a part of what is joined: a list of several, a plain number, one taken out of a
    tensor."""
    number = part.operand if isinstance(part, ast.UnaryOp) else part
    if isinstance(part, (ast.List, ast.Tuple, ast.ListComp)):
        return _stacked(case, part)
    if isinstance(number, ast.Constant):
        return f"torch.tensor({case.source(part)})"
    held = receiver_of(part) if isinstance(part, ast.Call) and name_of(part) == "item" else None
    if held is None:
        return case.source(part)
    made = case.were(held, len(case.trace))
    return case.source(held) + (".squeeze()" if any(case.shape(each) for each in made) else "")


def _with_tensor(case: Case, cut: Cut, number: ast.expr) -> str | None:
    held = receiver_of(number) if isinstance(number, ast.Call) else None
    if isinstance(number, ast.Call) and name_of(number) == "float" and number.args:
        held = number.args[0]
    while isinstance(held, ast.Call) and name_of(held) in ("detach", "cpu"):
        held = receiver_of(held)
    if held is None:
        return None
    for each in case.around(number):
        if isinstance(each, ast.Call) and name_of(each) in _COPIES and each.args and each.args[0] is number:
            return edits.replace_node(case.text, each, case.source(held))
        if isinstance(each, ast.stmt):
            break
    changes: dict[ast.expr | ast.stmt, str | None] = {number: case.source(held)}
    around = [each for each in case.around(number) if isinstance(each, ast.Call)]
    around = [each for each in around if case.source(each.func).startswith(_OF_NUMBERS)]
    in_both = [each.func for each in around if len(each.args) == 1 and _is_in_both(case, each.func)]
    changes |= {function.value: "torch" for function in in_both if isinstance(function, ast.Attribute)}
    copy = case.maker(cut.made) if cut.made >= 0 else _copy_of_list(case, number)
    until = copy.lineno if isinstance(copy, ast.Call) else number.lineno
    between = {each for line in range(number.lineno, until + 1) for each in case.on_line(line)}
    for other in between:  # an array beside it is no longer one
        beside = receiver_of(other) if isinstance(other, ast.Call) and name_of(other) == "numpy" else None
        if isinstance(other, ast.Call) and beside is not None and other not in ast.walk(number):
            changes[other] = case.source(beside)
    outer = case.parents.get(number)
    for other in _copies_of_name(case, outer):
        changes[other] = case.source(other.args[0])
    for other in (outer.left, outer.right) if isinstance(outer, ast.BinOp) else ():
        given = case.assigned(other.id, other.lineno) if isinstance(other, ast.Name) else None
        if isinstance(given, ast.Call) and re.match(r"(np|numpy)\.", case.source(given)):
            changes[other] = f"torch.as_tensor({case.source(other)})"
    if copy is None and len(in_both) < len(around):
        return None  # by a function that takes no tensors
    if isinstance(copy, ast.Call) and copy.args:
        if number in ast.walk(copy):
            return _joined(case, copy, cut)
        given = copy.args[0]
        alone = isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) == 1
        several = collected(case, given) if isinstance(given, (ast.Name, ast.Attribute)) else []
        if any(isinstance(each, (ast.List, ast.ListComp)) for each in several):
            return None  # rows of rows
        plain = case.source(given.elts[0] if alone else given)  # type: ignore[attr-defined]
        changes[copy] = f"torch.stack({plain})" if several else plain
        modules = [n for n in case.walked if isinstance(n, ast.Name) and _is_numpy(n)]
        modules = [n for n in modules if n.lineno in range(number.lineno, copy.lineno + 1)]
        changes |= {n: "torch" for n in modules}
        if any(n.lineno == copy.lineno or getattr(case.parents[n], "attr", "") not in _IN_BOTH for n in modules):
            return None
    return edits.all_at_once(case.text, case.tree, changes)


def _copies_of_name(case: Case, statement: ast.AST | None) -> list[ast.Call]:
    """Return the calls that make tensors of the name that a statement binds: `torch.tensor(sigma)`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return []
    made = [each for each in case.calls if name_of(each) in _COPIES and len(each.args) == 1 and not each.keywords]
    made = [each for each in made if case.source(each.args[0]) == statement.targets[0].id]
    return [each for each in made if case.function_of(each) is case.function_of(statement)]


def _copy_of_list(case: Case, number: ast.expr) -> ast.Call | None:
    """Return the call that makes a tensor of the list that a number is appended to."""
    put = case.parents.get(number)
    held = receiver_of(put) if isinstance(put, ast.Call) and name_of(put) == "append" else None
    name = case.source(held) if held is not None else ""
    made = [each for each in case.calls if name_of(each) in _COPIES and each.args and case.source(each.args[0]) == name]
    return made[0] if len(made) == 1 else None


def _joined(case: Case, copy: ast.Call, cut: Cut) -> str | None:
    """Return the text with what a copy was computed from instead of the copy: `loss * 0.1` instead of
    `torch.tensor(loss.item() * 0.1)`."""
    first = copy.args[0]
    code = _without_numbers(case, first)
    functions = {each.attr for each in ast.walk(first) if isinstance(each, ast.Attribute) and _is_numpy(each.value)}
    if not functions <= _IN_BOTH or ("keepdims" in code and "axis" not in code):
        return None
    code = re.sub(r"\b(np|numpy)\.", "torch.", code)
    for name in names_in(first):
        given = case.assigned(name, copy.lineno)
        if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and _is_numpy(given.func.value):
            dtype = str(case.trace.tensors.dtype[cut.source])
            code = re.sub(rf"(?<![\w.]){name}\b", f"torch.as_tensor({name}, dtype=torch.{dtype})", code)
    for name, bound in (("maximum", "min"), ("minimum", "max")):  # of a number, which torch does not take
        code = re.sub(rf"\btorch\.{name}\((.+), (-?[\d.e-]+)\)$", rf"torch.clamp(\1, {bound}=\2)", code)
    rows = first.elts if isinstance(first, ast.List) else [first.elt] if isinstance(first, ast.ListComp) else []
    for row in [each for each in rows if isinstance(each, (ast.List, ast.Tuple, ast.ListComp))]:
        plain = _without_numbers(case, row)
        code = code.replace(plain, f"torch.stack({plain})", 1)
    if rows:
        code = f"torch.stack({code})"
    inside = isinstance(case.parents.get(copy), (ast.BinOp, ast.UnaryOp, ast.Attribute)) and isinstance(
        first, ast.BinOp
    )
    return edits.replace_node(case.text, copy, f"({code})" if inside else code)


def _without_numbers(case: Case, expression: ast.expr) -> str:
    """Return the source of an expression with tensors instead of the plain numbers that are taken from them."""
    code = case.source(expression)
    for call in [each for each in ast.walk(expression) if isinstance(each, ast.Call)]:
        held = receiver_of(call) if name_of(call) in _NUMBERS else None
        if name_of(call) == "float" and call.args:
            held = call.args[0]
        while isinstance(held, ast.Call) and name_of(held) in ("detach", "cpu"):
            held = receiver_of(held)
        if held is not None:
            code = code.replace(case.source(call), case.source(held))
    return code


_IN_BOTH = {"abs", "clip", "cos", "dot", "exp", "log", "log1p", "matmul", "maximum", "mean", "minimum", "sin", "sqrt"}
_IN_BOTH |= {"square", "sum", "tan", "tanh", "log2", "log10", "expm1"}  # functions that NumPy and torch call the same
_OF_MATH = _IN_BOTH | {"acos", "asin", "atan", "cosh", "erf", "sinh"}  # those of math


def _is_in_both(case: Case, function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in _OF_MATH and case.source(function.value) == "math"


def _is_numpy(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "numpy")


_OFF = r"no_grad|inference_mode(?!\(False)|set_grad_enabled(?!\(True)"


def _switched_at(case: Case, node: int) -> int:
    """Return the line that switched gradients off for an operation; the line of the operation if it is not known."""
    around = (off_at(case, each, _OFF) for each in _lines_around(case, node))
    switches = [call.lineno for call in _switches(case)]
    return next((off for off in [*around, *(switches if len(switches) == 1 else ())] if off > 0), case.outer_line(node))


def _lines_around(case: Case, node: int) -> list[int]:
    """Return the line of an operation and those of the calls that may be around it, the innermost first."""
    trace, found = case.trace, [int(case.trace.nodes.line[node])]
    for each in trace.nesting.ancestors(int(trace.nodes.region[node])):
        if trace.regions.kind[each] == RegionKind.FUNCTION:  # its site is the definition
            found += [call.lineno for call in case.calls if name_of(call) == trace.regions.name[each]]
        elif trace.regions.site[each] >= 0:
            found.append(int(trace.sites.line[trace.regions.site[each]]))
    return found


def _switches(case: Case) -> list[ast.Call]:
    calls = [call for call in case.calls if name_of(call) == "set_grad_enabled" and call.args]
    return [call for call in calls if case.source(call.args[0]) == "False"]


def with_gradients(case: Case, line: int) -> str | None:
    """Return the text without the no_grad() around a line, or without the only set_grad_enabled(False)."""
    statement = decorated_at(case, line) or case.statement(line)
    for each in [statement, *case.around(statement)] if statement is not None else ():
        if isinstance(each, ast.With):
            heads = [item.context_expr for item in each.items]
            off = [head for head in heads if re.search(_OFF, case.source(head))]
            if off:
                return edits.replace_node(case.text, off[0], "torch.enable_grad()")
        if isinstance(each, ast.FunctionDef):
            for one in each.decorator_list:
                if "no_grad" in case.source(one):
                    return edits.replace_node(case.text, one, "torch.enable_grad()")
    switches = _switches(case)
    return edits.replace_node(case.text, switches[0].args[0], "True") if len(switches) == 1 else None


def is_used(case: Case, cut: Cut) -> bool:
    """Whether a cut leads to a loss without an operation: as a number, or as the indices or bounds of elements."""
    end = len(case.trace) + 1
    for node in [each for each in case.walked if isinstance(each, ast.Subscript) and cut.kind == "integer"]:
        bounds = (node.slice.lower, node.slice.upper) if isinstance(node.slice, ast.Slice) else (node.slice,)
        if any(each is not None and case.was(each, end) == cut.made for each in bounds):
            stored = isinstance(node.ctx, ast.Store)
            if {*(case.were(node.value, end) if stored else case.made_by(node))} & case.below_roots:
                return True
    return cut.kind in PLAIN_NUMBERS
