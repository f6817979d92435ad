"""Missing gradients: a history that was cut off, and where (`Cut`); a .grad that is None, and why. What the optimizer
does with them is in `training`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import SEARCHED, SWITCHED_OFF, Case, Fix, Hit, fixes, requires, returned, under_keys
from gradviz.session.doctor.text import asked_grads, collected, followed, is_of_gradients, name_of, receiver_of, uses
from gradviz.trace.words.reasons import no_grad_reason

_NOT_DIFFERENTIABLE = 3  # see schema.UNTRACKED
_COPIES = ("tensor", "as_tensor", "new_tensor", "from_numpy", "Tensor", "FloatTensor", "array", "Variable", "Parameter")
_NUMBERS = ("item", "numpy", "tolist")
_FLOATS = ("float", "bfloat", "complex")


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a history was cut off."""

    kind: str  # "detached", "data", "no_grad", "integer", "copied", "item"
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
        outer = case.outer_line(node)
        at = next((off for each in (line, outer) if (off := case.off_at(each)) > 0), outer)
        return Cut("no_grad", at, before[0], tensor, node, case.maker(tensor))
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
                yield Cut("item", expression.lineno, number, tensor, expression=expression)
        for part in [*ast.walk(argument), *collected(case, argument)]:
            if isinstance(part, (ast.Name, ast.Attribute, ast.BinOp, ast.Subscript, ast.Call)):
                for source in reversed(case.were(part, step)):
                    if source != tensor and requires(case, source, step):
                        yield Cut("copied", made.lineno, source, tensor, expression=made)


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
    were = [each for each in case.were(held, step) if each != copy]
    if not were and isinstance(held, ast.Call):
        were = [each for each in returned(case, held) if case.trace.tensors.step[each] < step]
    return were[-1] if were and requires(case, were[-1], step) else None


def cut_behind(case: Case, tensor: int) -> Cut | None:
    """Return where the history of what a tensor was computed from was cut off, the nearest place first."""
    return next((found for each in case.ancestors(tensor) if (found := cut_at(case, each)) is not None), None)


def cuts_below(case: Case, leaf: int) -> list[Cut]:
    """Return the places where the history of what is computed from a leaf is cut off."""
    trace, queue, found = case.trace, [leaf], []
    seen = {leaf}
    for each in queue:
        for node in trace.users_of(each).tolist():
            for made in trace.outputs_of(node).tolist():
                if made in seen or len(queue) > 500:
                    continue
                seen.add(made)
                cut = cut_at(case, made)
                if cut is not None:
                    found.append(cut)
                elif trace.tensors.requires_grad[made]:
                    queue.append(made)
    found += [cut for cut in copies(case) if cut.source in seen]
    return found or [cut for cut in _in_arithmetic(case) if cut.source in seen]


def _in_arithmetic(case: Case) -> list[Cut]:
    """Return every plain number, taken from a tensor with a history, that a tensor behind a loss was computed with."""
    trace, found = case.trace, []
    for call in case.calls:
        places = [case.parents.get(each) for each in uses(case, call, summed=True)]
        made = [one for each in places if isinstance(each, ast.BinOp) for one in case.made_by(each)]
        made = [each for each in made if each in case.below_roots]
        source = taken_out(case, call, int(trace.tensors.step[made[0]]) + 1) if made else None
        if source is not None:
            found.append(Cut("item", call.lineno, source, -1, int(trace.tensors.producer[made[0]]), call))
    return found


def copies(case: Case) -> list[Cut]:
    """Return every leaf that is a copy of the numbers of a tensor with a history."""
    leaves = np.flatnonzero(case.trace.tensors.producer < 0).tolist()
    lines = {call.lineno for call in case.calls if name_of(call) in _COPIES}
    return [cut for each in leaves if int(case.trace.tensors.line[each]) in lines for cut in _all_copied(case, each)]


# -- a .grad that is None

ROWS = {
    "detached": "grad-none-detached",
    "data": "cut-by-data",
    "no_grad": "grad-none-no-grad",
    "integer": "grad-none-integer",
    "copied": "grad-none-copied",
    "item": "cut-by-item",
}


def why_none(case: Case, tensor: int, step: int) -> tuple[str, Hit] | None:
    """Return the lesson on why a tensor has no gradient at a step."""
    trace = case.trace
    frame = trace.frame_at(step)
    reason = no_grad_reason(frame, tensor)
    if reason is None:
        return None
    name, dtype = case.name(tensor), str(trace.tensors.dtype[tensor])
    why = f"{name}.grad is None: {reason}."
    bound_anew = _bound_anew(case, tensor)
    if bound_anew is not None:
        return "grad-none-rebound", bound_anew
    if frame.requires_grad(tensor) and not frame.is_leaf(tensor):
        return "non-leaf-grad", _not_a_leaf(case, tensor, step, why)
    cut = cut_at(case, tensor) or (cut_behind(case, tensor) if not frame.requires_grad(tensor) else None)
    if cut is None and frame.requires_grad(tensor):
        if frame.call >= 0 and "set to None" not in reason:
            below = [each for each in cuts_below(case, tensor) if each.made in case.below_roots or _is_used(case, each)]
            cut = below[0] if below else None
        if "set to None" in reason:
            return None
    if cut is not None:
        return ROWS[cut.kind], cut_hit(case, cut, step, f"{why} {_told(case, cut)}")
    line = int(trace.tensors.line[tensor])
    if not dtype.startswith(_FLOATS):
        advice = f"Make {name} of floating point numbers: 2. instead of 2, or .float()."
        return "grad-none-integer", Hit(line, step, why, advice, floated(case, tensor))
    if not frame.requires_grad(tensor) and not case.raised:
        return None
    if not frame.requires_grad(tensor):
        advice = "Create it with requires_grad=True."
        return "frozen-parameter", Hit(line, step, why, advice, _requiring(case, tensor))
    if not case.raised and ("asks for" in reason or "input buffer" in reason or _asked_otherwise(case, step)):
        return None
    return "grad-none-not-reached", _not_reached(case, tensor, step, why)


def _is_used(case: Case, cut: Cut) -> bool:
    """Whether a cut leads to a loss without an operation: as a number, or as the indices of elements."""
    subscripts = [node for node in case.walked if isinstance(node, ast.Subscript)] if cut.kind == "integer" else []
    picks = [node for node in subscripts if case.was(node.slice, len(case.trace) + 1) == cut.made]
    return cut.kind == "item" or any({*case.made_by(node)} & case.below_roots for node in picks)


def _asked_otherwise(case: Case, step: int) -> bool:
    """Whether the last backward call was autograd.grad, which writes no .grad."""
    call = int(np.searchsorted(case.trace.calls.step, step)) - 1
    return call >= 0 and case.called("backward", int(case.trace.calls.line[call])) is None


def _not_reached(case: Case, tensor: int, step: int, why: str) -> Hit:
    call = int(np.searchsorted(case.trace.calls.step, step)) - 1
    line = int(case.trace.calls.line[call]) if call >= 0 else case.line_of(step - 1)
    backward = case.called("backward", line) if call >= 0 else None
    root = receiver_of(backward) if backward is not None else None
    given = case.assigned(root.id, line) if isinstance(root, ast.Name) else None
    line = given.lineno if given is not None else line
    advice = f"Compute the root from {case.name(tensor)}, or call backward() on what was computed from it."
    other = _forgotten_root(case, tensor)
    text = edits.replace_node(case.text, root, f"({case.source(root)} + {other})") if root and other else None
    return Hit(line, step, why, advice, fixes((f"with {other}", text)))


def _forgotten_root(case: Case, tensor: int) -> str:
    """Return the name of a scalar that was computed from a tensor and is not used further, "" if there is none."""
    trace, queue = case.trace, [tensor]
    for each in queue:
        users = trace.users_of(each).tolist()
        found = case.name(each)
        if not users and each != tensor and case.shape(each) == () and found.isidentifier():
            return found
        queue += [made for user in users for made in trace.outputs_of(user).tolist() if len(queue) < SEARCHED]
    return ""


def _told(case: Case, cut: Cut) -> str:
    name = case.name(cut.source)
    place = f"on line {cut.line}"
    return {
        "detached": f"detach() {place} makes a constant of {name}: no gradient goes back through it.",
        "data": f".data {place} is {name} without its history: autograd sees a constant.",
        "no_grad": f"What is computed inside no_grad {place} has no history.",
        "integer": f"Line {cut.line} makes whole numbers of {name}: they change in jumps and have no derivative.",
        "copied": f"Line {cut.line} copies the numbers of {name} into a new tensor, which knows nothing of it.",
        "item": f"Line {cut.line} takes plain numbers out of {name}; autograd does not follow them.",
    }[cut.kind]


_ADVICE = {
    "detached": "Leave detach() out where a gradient is to go back.",
    "data": "Use the tensor itself; .detach() says it openly where no gradient is wanted.",
    "no_grad": "Compute it outside of no_grad().",
    "integer": "Stay with floating point numbers as far as the loss.",
    "copied": "Use the tensor itself instead of torch.tensor(…) of it.",
    "item": "Stay with tensors as far as the loss; .item() is for printing.",
}


def cut_hit(case: Case, cut: Cut, step: int, why: str) -> Hit:
    """Return the hit for a cut."""
    node = cut.node if cut.node >= 0 else int(case.trace.tensors.producer[cut.source])
    return Hit(cut.line, step, why, _ADVICE[cut.kind], cut_fixes(case, cut), case.mark(node, _told(case, cut)))


def cut_fixes(case: Case, cut: Cut) -> tuple[Fix, ...]:
    """Return fixes that remove the cut."""
    text, node = case.text, cut.expression
    if cut.kind == "no_grad":
        return fixes(("with gradients", with_gradients(case, cut.line)))
    if node is None:
        return ()
    if cut.kind == "detached":
        call = next((each for each in ast.walk(node) if isinstance(each, ast.Call) and name_of(each) == "detach"), None)
        held = receiver_of(call) if call is not None else None
        if call is None or held is None:
            return ()
        return fixes(("without detach()", edits.replace_node(text, call, case.source(held))))
    if cut.kind == "data" and isinstance(node, ast.Attribute):
        return fixes(("without .data", edits.replace_node(text, node, case.source(node.value))))
    if cut.kind == "copied" and isinstance(node, ast.Call):
        return fixes(("without the copy", _uncopied(case, node)))
    if cut.kind == "item":
        return fixes(("without the plain number", _with_tensor(case, cut, node)))
    return ()


def _uncopied(case: Case, call: ast.Call) -> str | None:
    first = call.args[0]
    if isinstance(first, (ast.List, ast.Tuple)) or collected(case, first):
        return edits.replace_node(case.text, call, f"torch.stack({case.source(first)})")
    return edits.replace_node(case.text, call, case.source(first))


def _with_tensor(case: Case, cut: Cut, number: ast.expr) -> str | None:
    held = receiver_of(number) if isinstance(number, ast.Call) else None
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
    copy = case.maker(cut.made) if cut.made >= 0 else None
    if isinstance(copy, ast.Call) and copy.args:
        if number in ast.walk(copy):
            return None
        changes[copy] = case.source(copy.args[0])
        modules = [n for n in case.walked if isinstance(n, ast.Name) and n.id in ("np", "numpy")]
        changes |= {n: "torch" for n in modules if n.lineno in range(number.lineno + 1, copy.lineno)}
        if any(n.lineno in (number.lineno, copy.lineno) for n in modules):
            return None
    return edits.all_at_once(case.text, case.tree, changes)


def with_gradients(case: Case, line: int) -> str | None:
    """Return the text without the no_grad() around a line."""
    statement = case.statement(line)
    for each in [statement, *case.around(statement)] if statement is not None else ():
        if isinstance(each, ast.With):
            head = each.items[0].context_expr
            if (len(each.items) == 1 and "no_grad" in case.source(head)) or "inference_mode" in case.source(head):
                return edits.replace_node(case.text, head, "torch.enable_grad()")
        if isinstance(each, ast.FunctionDef):
            for one in each.decorator_list:
                if "no_grad" in case.source(one):
                    return edits.replace_node(case.text, one, "torch.enable_grad()")
    return None


def _requiring(case: Case, tensor: int) -> tuple[Fix, ...]:
    made = case.maker(tensor)
    if not isinstance(made, ast.Call):
        return ()
    text = edits.add_keyword(case.text, made.lineno, name_of(made), "requires_grad", "True")
    return fixes(("requires_grad=True", text))


def floated(case: Case, tensor: int) -> tuple[Fix, ...]:
    made = case.maker(tensor)
    if not isinstance(made, ast.Call) or name_of(made) not in ("tensor", "arange", "ones", "zeros", "full"):
        return ()
    text = edits.add_keyword(case.text, made.lineno, name_of(made), "dtype", "torch.float32")
    return fixes(("dtype=torch.float32", text))


def _not_a_leaf(case: Case, tensor: int, step: int, why: str) -> Hit:
    """.grad of a computed tensor is read."""
    trace, name, line = case.trace, case.name(tensor), case.line_of(step - 1)
    node = int(trace.tensors.producer[tensor])
    made = int(trace.tensors.line[tensor])
    leaf = _leaf_without_name(case, tensor)
    if leaf >= 0:
        expression = case.maker(leaf)
        text = _asked_last(case, tensor, expression) if isinstance(expression, ast.Call) else None
        why += f" The leaf is what line {made} made before that; it has the gradient, and no name."
        return Hit(
            made, step, why, "Ask for gradients last, of the finished tensor: (…).requires_grad_().",
            fixes(("requires_grad_() at the end", text)), case.mark(node, f"made {name}: not a leaf"),
        )  # fmt: skip
    keep = None
    call = int(np.searchsorted(trace.calls.step, step)) - 1
    stored = (n for n in case.walked if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
    if call >= 0 and any(n.lineno <= made for n in stored):
        keep = edits.insert_after(case.text, made, f"{name}.retain_grad()")
    advice = f"Call {name}.retain_grad() before backward(), or read the .grad of the leaf that it was computed from."
    return Hit(line, step, why, advice, fixes((f"{name}.retain_grad()", keep)), case.mark(node, "not a leaf"))


def _leaf_without_name(case: Case, tensor: int) -> int:
    """The leaf in the same expression that a tensor was made from, if nothing else holds it; -1 otherwise."""
    trace, line = case.trace, int(case.trace.tensors.line[tensor])
    for each in case.ancestors(tensor):
        is_leaf = trace.tensors.producer[each] < 0 and trace.tensors.requires_grad[each]
        if is_leaf and trace.tensors.line[each] == line and not len(trace.history("names", "tensor").all(each)):
            return each
    return -1


def _asked_last(case: Case, tensor: int, leaf: ast.Call) -> str | None:
    statement = case.statement(leaf.lineno)
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
        return None
    value = case.source(statement.value)
    plain = edits.remove_keyword(value, _same_call(value, case.source(leaf)), "requires_grad") if value else None
    return edits.replace_node(case.text, statement.value, f"({plain}).requires_grad_()") if plain else None


def _same_call(text: str, code: str) -> ast.Call:
    found = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call)]
    return next((each for each in found if ast.get_source_segment(text, each) == code), found[0])


def _bound_anew(case: Case, tensor: int) -> Hit | None:
    """`w = w - lr * w.grad`: the name of a leaf that now refers to a result."""
    trace, names = case.trace, case.trace.names
    for row in trace.history("names", "tensor").all(tensor).tolist():
        text, step = str(names.name[row]), int(names.step[row])
        before = [each for each in case.named(text, step + 1) if each != tensor and _was_leaf(case, each)]
        if not before or not {*before} & {*list(case.ancestors(tensor))[:64]}:
            continue
        line = int(trace.tensors.line[tensor])
        statement = case.statement(line)
        if statement is None or not is_of_gradients(statement, case.gradient_names - {text}):
            continue
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            line = _binding(case, text, statement)
        node = int(trace.tensors.producer[tensor])
        kind = "a result with a history" if trace.tensors.requires_grad[tensor] else "a tensor that requires no grad"
        why = f"Line {line} binds the name {text} to a new tensor, {kind}. The leaf that backward() gives its "
        why += f"gradient to has lost its name, so {text}.grad is None from then on."
        advice = f"Change {text} in place inside no_grad(), and clear {text}.grad before the next backward()."
        return Hit(line, step + 2, why, advice, _updated_in_place(case), case.mark(node, f"made the new {text}"))
    return None


def _binding(case: Case, name: str, statement: ast.stmt) -> int:
    """The line that binds a name to the result of the function around a statement, otherwise the statement's line."""
    function = case.function_of(statement)
    for other in case.statements if isinstance(function, ast.FunctionDef) else ():
        if isinstance(other, ast.Assign) and isinstance(other.value, ast.Call):
            bound = {node.id for target in other.targets for node in ast.walk(target) if isinstance(node, ast.Name)}
            if name in bound and isinstance(function, ast.FunctionDef) and name_of(other.value) == function.name:
                return other.lineno
    return statement.lineno


def _was_leaf(case: Case, tensor: int) -> bool:
    return bool(case.trace.tensors.is_leaf[tensor] and requires(case, tensor, len(case.trace)))


def _updated_in_place(case: Case) -> tuple[Fix, ...]:
    """Rewrite every `w = w - … w.grad …` as `w -= …` inside no_grad, and clear .grad after it."""
    text, names = case.text, case.gradient_names
    for statement in reversed(case.statements):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        name, value = case.source(statement.targets[0]), statement.value
        starts = isinstance(value, ast.BinOp) and case.source(value.left) == name
        if f"{name}.grad" not in case.source(value) and not (starts and is_of_gradients(value, names - {name})):
            continue
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.op, (ast.Sub, ast.Add))
            and case.source(value.left) == name
        ):
            sign = "-" if isinstance(value.op, ast.Sub) else "+"
            update = f"{name} {sign}= {case.source(value.right)}"
        else:
            update = f"{name}.copy_({case.source(value)})"
        inside = case.is_off(statement.lineno)
        code = f"{update}\n{name}.grad = None" if inside else f"with torch.no_grad():\n    {update}\n{name}.grad = None"
        text = edits.replaced(text, statement, code) or text
    return fixes(("in place, inside no_grad()", text if text != case.text else None))


# -- the rows


def none_because(row: str) -> Callable[[Case], Iterator[Hit]]:
    """Return the finder of gradients that are missing for one reason."""

    def find(case: Case) -> Iterator[Hit]:
        yield from (hit for found, hit in _reads(case) if found == row)

    return find


def _reads(case: Case) -> list[tuple[str, Hit]]:
    """Return the lessons of every .grad that the snippet reads while it is None, each once."""
    kept: list[tuple[str, Hit]] | None = case.__dict__.get("missing reads")
    if kept is None:
        kept = case.__dict__["missing reads"] = list(_read_lessons(case))
    return kept


def _read_lessons(case: Case) -> Iterator[tuple[str, Hit]]:
    seen: set[tuple[str, int]] = set()
    for step, tensor in [*_failed_reads(case), *_printed_reads(case), *_warned_reads(case)]:
        found = why_none(case, tensor, step)
        if found is not None and (found[0], found[1].line) not in seen:
            seen.add((found[0], found[1].line))
            yield found
    if not seen and not case.raised:
        yield from _cut_roots(case)


def _cut_roots(case: Case) -> Iterator[tuple[str, Hit]]:
    """A root from which backward() only reaches a copy: `torch.tensor(loss.item(), requires_grad=True)`."""
    trace, asked = case.trace, asked_grads(case)
    firsts = np.unique(trace.calls.line[trace.roots.call], return_index=True)[1]  # one on each line represents all
    for call, root in zip(trace.roots.call[firsts].tolist(), trace.roots.tensor[firsts].tolist(), strict=True):
        step = int(trace.calls.step[call])
        behind = [each for each in case.ancestors(root) if requires(case, each, step)]
        leaves = [each for each in behind if trace.tensors.producer[each] < 0 or not trace.tensors.requires_grad[each]]
        if not leaves or len(trace.wanted_by(call)) or any(case.name(each) in asked for each in leaves):
            continue
        cuts = [cut_behind(case, each) or _only_number(case, root) for each in leaves]
        cut = cuts[0]
        if cut is None or None in cuts or not _is_untrained(case, cut.source):
            continue
        name = case.name(root)
        why = f"backward() of {name} on line {trace.calls.line[call]} comes to {case.name(leaves[0])} and no further: "
        yield ROWS[cut.kind], cut_hit(case, cut, step + 1, f"{why}{_told(case, cut)}")
        return


def _only_number(case: Case, root: int) -> Cut | None:
    """Return the only plain number that is taken from a tensor with a history and is not just displayed."""
    found, end = list[Cut](), len(case.trace) + 1
    for call in case.calls:
        source = taken_out(case, call, end)
        shown = [each for each in case.around(call) if isinstance(each, ast.Call) and name_of(each) == "print"]
        if source is not None and source != root and source not in case.roots and not shown:
            found.append(Cut("item", call.lineno, source, -1, expression=call))
    return found[0] if len({cut.line for cut in found}) == 1 else None


def _is_untrained(case: Case, tensor: int) -> bool:
    """Whether there are leaves behind a tensor, and none of them ever gets a gradient."""
    leaves = [each for each in case.ancestors(tensor) if case.trace.tensors.producer[each] < 0]
    leaves = [each for each in leaves if requires(case, each, len(case.trace))]
    return bool(leaves) and not any(event.what == "added" for leaf in leaves for event in case.events.get(leaf, []))


def _failed_reads(case: Case) -> Iterator[tuple[int, int]]:
    """From an error that a None caused."""
    errors = case.trace.errors
    if not case.raised or "NoneType" not in str(errors.message[0]):
        return
    end = len(case.trace)
    yield from ((end, each) for each in _held(case, int(errors.line[0]), end))


def _held(case: Case, line: int, step: int) -> list[int]:
    """Return the tensors without .grad whose .grad a line reads."""
    frame, found = case.trace.frame_at(step), []
    for node in case.on_line(line):
        if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load):
            were = [each for each in case.were(node.value, step) if frame.grad(each) is None]
            found += were[-1:] or [each for each in under_keys(case, node.value, step) if frame.grad(each) is None]
    return found


def _printed_reads(case: Case) -> Iterator[tuple[int, int]]:
    """From printed text that says None."""
    texts = case.trace.texts
    if not len(case.trace.calls):
        return
    first = int(case.trace.calls.step[0])
    for step, text in zip(texts.step.tolist(), texts.text, strict=True):
        if step > first and "None" in str(text):
            for each in _held(case, case.line_of(step), step + 1):
                leaf = case.trace.frame_at(step + 1).is_leaf(each)
                if leaf and not any(event.what == "added" for event in case.events.get(each, [])):
                    yield step + 1, each


def _warned_reads(case: Case) -> Iterator[tuple[int, int]]:
    """From non-leaf tensors, about which PyTorch warns."""
    texts = case.trace.texts
    for step, text in zip(texts.step.tolist(), texts.text, strict=True):
        if _WARNED in str(text):
            frame = case.trace.frame_at(step + 1)
            held = _held(case, case.line_of(step), step + 1) or _made_anew(case, case.line_of(step))
            yield from ((step + 1, each) for each in held if not frame.is_leaf(each))


def _made_anew(case: Case, line: int) -> list[int]:
    """Results of an update that a line returns: `[p - lr * p.grad for p in params]`."""
    made = [each for node in case.on_line(line) if isinstance(node, ast.BinOp) for each in case.made_by(node)]
    return [each for each in made if _bound_anew(case, each) is not None][:1]


_WARNED = "that is not a leaf Tensor is being accessed"


def warned(case: Case) -> Iterator[Hit]:
    """About any non-leaf tensor: `getattr(module, name).grad`."""
    texts = case.trace.texts
    for step, text in zip(texts.step.tolist(), texts.text, strict=True):
        line = case.line_of(step)
        if _WARNED in str(text) and line > 0 and not _held(case, line, step + 1) and not _made_anew(case, line):
            why = f"Line {line} reads the .grad of a tensor that was computed: backward() keeps the gradients of "
            why += "leaves only, so it is None."
            advice = "Call retain_grad() on that tensor before backward(), or read the .grad of a leaf."
            yield Hit(line, step + 1, why, advice)
            return
