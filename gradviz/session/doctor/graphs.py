"""Errors of a graph that was already used: saved tensors that were freed, or overwritten in place."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Hit, fixes, requires
from gradviz.session.doctor.missing import why_none
from gradviz.session.doctor.raised import Fault, Fixes, under_no_grad
from gradviz.session.doctor.text import asked_grads, is_of_gradients, name_of, names_in, receiver_of
from gradviz.trace.table.kinds import Kind


def twice(fault: Fault) -> Hit | None:
    """A second backward through a graph: from the same root, or from another root with a part of its graph."""
    if not _in_a_call(fault.case):
        return None
    carried = None if _same_root(fault.case) else _carried(fault.case)
    if carried is not None:
        return _hidden(fault, carried)
    parameter = _asked_last(fault.case)
    if parameter:
        return fault.hit(parameter)
    kept = None if _was_stepped(fault.case) else retain_graph(fault)
    again = _computed_again(fault) if kept is None else None
    once = _once(fault) if _same_root(fault.case) else None
    offered = (("retain_graph=True", kept), ("computed again", again), ("without the second call", once))
    if once is not None and _is_superfluous(fault):
        advice = f"Leave the second call out: line {fault.fix_line} has computed the gradients already."
        return fault.hit(fixes(offered[-1], *offered[:-1]), advice=advice)
    return fault.hit(fixes(*offered))


def _is_superfluous(fault: Fault) -> bool:
    """Whether a training calls backward() of the same loss again before anything has looked at the gradients, used or
    cleared them: they would only be twice as large."""
    case, last = fault.case, len(fault.case.trace.calls) - 1
    first, second = (int(case.trace.calls.step[each]) for each in (last - 1, last))
    happened = [event for events in case.events.values() for event in events if first < event.step < second]
    touched = any(event.what != "added" for event in happened)
    between = range(fault.fix_line + 1, fault.line) if fault.fix_line < fault.line else range(1, fault.line)
    read = any(isinstance(n, ast.Attribute) and n.attr == "grad" for line in between for n in case.on_line(line))
    trained = case.called("step") is not None or any(
        isinstance(each, ast.AugAssign) and is_of_gradients(each, case.gradient_names) for each in case.statements
    )
    return trained and not touched and not read


def _asked_last(case: Case) -> Fixes:
    """Make a leaf of the parameter that the failed call was to reach, which was computed once from a leaf without a
    name."""
    asked = [each for name in sorted(asked_grads(case)) for each in case.named(name, len(case.trace) + 1)]
    for each in {*asked} & {*case.ancestors(*case.trace.roots_of(len(case.trace.calls) - 1).tolist())}:
        found = why_none(case, each, len(case.trace))
        if found is not None and found[0] == "non-leaf-grad" and found[1].line == case.trace.tensors.line[each]:
            return found[1].fixes
    return ()


def freed(fault: Fault) -> Hit | None:
    """A saved tensor that is read by hand after it was freed."""
    return None if _in_a_call(fault.case) else fault.hit(fixes(("retain_graph=True", retain_graph(fault))))


def _in_a_call(case: Case) -> bool:
    """Whether the error occurred in a backward call, not in reading what a node has saved."""
    line = int(case.trace.errors.line[0])
    calls = [node for node in case.on_line(line) if isinstance(node, ast.Call)]
    if not len(case.trace.calls):
        return False
    reads = 0 < line <= len(case.lines) and re.search(r"saved|\bgetattr\(", case.lines[line - 1])
    return not reads or any(name_of(call) in ("backward", "grad") for call in calls)


def _was_stepped(case: Case) -> bool:
    """Whether an optimizer, or an update by hand, has changed what the freed part of the graph was computed with."""
    trace, last = case.trace, len(case.trace.calls) - 1
    ran = (trace.steps.kind == Kind.BACKWARD) & (trace.steps.node >= 0) & (trace.steps.call < last)
    freed = {*trace.steps.node[ran].tolist()}
    makers = [int(trace.tensors.producer[each]) for each in case.ancestors(*trace.roots_of(last).tolist())]
    read = {each for node in makers if node in freed for each in case.read_by(node)}
    turned = [int(trace.tensors.producer[each]) for each in read]
    written = trace.writes.tensor[trace.writes.step > int(trace.calls.step[0])] if last > 0 else trace.writes.tensor[:0]
    read |= {each for node in turned if node >= 0 and trace.nodes.op[node] == "t" for each in case.read_by(node)}
    return bool(read & (case.updates | {*written.tolist()}))


def _computed_again(fault: Fault) -> str | None:
    """Compute the root again before the failed call: in its loop, if the statements that do it come before the loop."""
    case, call = fault.case, fault.case.called("backward", fault.line)
    held = receiver_of(call) if call is not None else None
    if call is None or not isinstance(held, ast.Name):
        return None
    loop, found, names = case.loop_of(call), list[ast.Assign | ast.AnnAssign](), [held.id]
    for name in names:
        given = case.assigned(name, fault.line)
        statement = case.parents.get(given) if given is not None else None
        tensors = case.named(name, len(case.trace) + 1)
        computed = any(
            case.trace.tensors.producer[each] >= 0 and requires(case, each, len(case.trace)) for each in tensors
        )
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or given is None or statement in found:
            continue
        if computed:
            found.append(statement)
            names += [n.id for n in ast.walk(given) if isinstance(n, ast.Name) and n.id not in names]
    outside = [each for each in found if case.loop_of(each) is not loop]
    found = outside or found  # what a loop computes each time needs nothing
    here = {(case.function_of(each), case.loop_of(each)) for each in found}
    if len(here) != 1 or any("\n" in case.source(each) for each in found):
        return None
    if any(_goes_backward(case, each) for each in found):
        return None
    (function, around), found = here.pop(), sorted(found, key=lambda each: each.lineno)
    code = "\n".join(case.source(each) for each in found)
    if function is not case.function_of(call) or (around is not loop and around is not None):
        return None
    if loop is None or around is loop:
        return edits.insert_before(fault.text, fault.line, code)
    text = edits.insert_before(fault.text, loop.body[0].lineno, code)
    for each in reversed(found):
        text = edits.without_statement(text, each.lineno) if text is not None else None
    return text


def _goes_backward(case: Case, value: ast.AST) -> bool:
    """Whether something calls a function of the snippet that calls backward() itself."""
    names = {name_of(each) for each in ast.walk(value) if isinstance(each, ast.Call)}
    own = [each for each in case.statements if isinstance(each, ast.FunctionDef) and each.name in names]
    return any(case.function_of(each) in own for each in case.calls if name_of(each) == "backward")


def _same_root(case: Case) -> bool:
    """Whether the failed call began at the root of an earlier one."""
    trace, last = case.trace, len(case.trace.calls) - 1
    earlier = trace.roots.tensor[trace.roots.call < last]
    return bool(np.isin(trace.roots_of(last), earlier).any())


def retain_graph(fault: Fault) -> str | None:
    """Add retain_graph=True to the first call."""
    for function in ("backward", "grad"):
        text = edits.add_keyword(fault.text, fault.fix_line, function, "retain_graph", "True")
        if text is not None:
            return text
    return None


def _once(fault: Fault) -> str | None:
    same = _same_statement(fault.case, fault.fix_line, fault.line)
    function = fault.case.function_of(fault.case.called("backward", fault.fix_line) or fault.case.tree)
    inside = function is not None and not isinstance(fault.case.statement(fault.line), ast.Return)
    if fault.fix_line == fault.line or not (same or inside):
        return None
    text, cleared = edits.without_statement(fault.text, fault.line), _cleared_before(fault.case, fault.line)
    return edits.without_statement(text, cleared) if text is not None and cleared > 0 else text


def _cleared_before(case: Case, line: int) -> int:
    """Return the line of a zero_grad() just before a call, which would clear what is read after it; -1 if none is."""
    statement = case.statement(line)
    block = next((each for each in edits.blocks(case.tree) if statement in each), [])
    before = block[: block.index(statement)][-1:] if statement in block else []
    calls = [each.value for each in before if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    return next((each.lineno for each in calls if name_of(each) == "zero_grad"), -1)


def _same_statement(case: Case, one: int, other: int) -> bool:
    first, second = case.statement(one), case.statement(other)
    return first is not None and second is not None and ast.dump(first) == ast.dump(second)


@dataclass(frozen=True, slots=True)
class Carried:
    """A tensor of an earlier iteration that the next one continues from."""

    tensor: int
    name: str
    line: int  # of the operation that continues from it


def _carried(case: Case) -> Carried | None:
    """Return the state that was carried from one backward call to the next with its whole history."""
    trace = case.trace
    if len(trace.calls) < 2 or trace.calls.line[-1] != trace.calls.line[-2]:
        return None
    before, naming = int(trace.calls.step[-2]), case.trace.names
    last = trace.roots_of(len(trace.calls) - 1).tolist()
    for each in case.ancestors(*last):
        made = int(trace.tensors.producer[each])
        if made < 0 or trace.nodes.step[made] > before or not trace.nodes.name[made]:
            continue
        users = [node for node in trace.users_of(each).tolist() if trace.nodes.step[node] > before]
        for row in trace.history("names", "tensor").all(each).tolist():
            text = str(naming.name[row])
            if users and len({*case.named(text, len(trace) + 1)}) > 1:
                inner, own = int(trace.nodes.line[users[0]]), f"self.{text.rpartition('.')[2].partition('[')[0]}"
                kept = any(case.source(read) == own for read in case.on_line(inner))
                return Carried(each, text, inner if kept else case.outer_line(users[0]))
    return None


def _collected(case: Case, name: str, line: int) -> ast.Call | None:
    """Return the call that puts a tensor into a list that the loop around a line begins with only once."""
    call = case.called("backward", line)
    loop = case.loop_of(call) if call is not None else None
    inside = {*ast.walk(loop)} if loop is not None else set()
    for put in [each for each in case.calls if each in inside and name_of(each) == "append" and each.args]:
        held = receiver_of(put)
        owner = case.source(held) if held is not None else ""
        begun = any(statement in inside for statement, _ in case.given.get(owner, []))
        emptied = any(case.source(each.func).startswith((f"{owner}.clear", f"{owner}.pop")) for each in case.calls)
        read = names_in(put.args[0])
        if name in read and owner and not begun and not emptied and f"del {owner}[" not in case.text:
            return put
    return None


def _hidden(fault: Fault, carried: Carried) -> Hit:
    case, name = fault.case, re.match(r"[\w.]+", carried.name)
    held = name[0] if name else carried.name
    why = f"{held} goes from one iteration into the next with its whole history, so backward() walks back through "
    why += "the iterations before, whose saved tensors are freed or overwritten."
    if fault.explanation is not None:
        why += f" {fault.explanation.why}"
    if (put := _collected(case, held, fault.line)) is not None:
        code = f"{case.source(receiver_of(put) or put)}.clear()"
        advice = f"Empty the list when the gradients have been computed: {code}."
        emptied = edits.insert_after(case.text, fault.line, code)
        return fault.hit(fixes((code, emptied)), put.lineno, why, advice)
    several = carried.name != held
    code = f"{held} = tuple(each.detach() for each in {held})" if several else f"{held} = {held}.detach()"
    together = _bound_together(case, held, carried.line)
    if together and not several:
        code = f"{', '.join(together)} = {', '.join(f'{each}.detach()' for each in together)}"
    text, own = edits.insert_after(case.text, fault.line, code), f"self.{held.rpartition('.')[2]}"
    read = [each for each in case.on_line(carried.line) if isinstance(each, ast.Attribute) and case.source(each) == own]
    kept = next((each for each in read if isinstance(each.ctx, ast.Load)), None)
    if kept is not None:
        begins = any(case.source(each) == f"{own} = None" for each in case.statements)
        code = f"tuple(each.detach() for each in {own})" if several else f"{own}.detach()"
        code += f" if {own} is not None else None" if begins else ""
        code = f"({code})" if begins and not isinstance(case.parents.get(kept), ast.Call) else code
        text = edits.replace_node(case.text, kept, code)
    if text is not None and "retain_graph" in case.source(case.statement(fault.line) or ast.Pass()):
        text = _without_retain(text, fault.line) or text
    advice = f"Detach {held} between two iterations: {code}."
    return fault.hit(fixes((f"{held} detached after each backward()", text)), carried.line, why, advice)


def _bound_together(case: Case, name: str, line: int) -> list[str]:
    """Return the names that a line binds to the states that a cell continues from: `h, c = cell(x, (h, c))`."""
    statement = case.statement(line)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    names = [case.source(each) for each in target.elts] if isinstance(target, ast.Tuple) else []
    value = statement.value if isinstance(statement, ast.Assign) else ast.Pass()
    read = names_in(value)
    return names if name in names and {*names} <= read else []


def _without_retain(text: str, line: int) -> str | None:
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.lineno == line]
    call = next((each for each in calls if name_of(each) == "backward"), None)
    return edits.remove_keyword(text, call, "retain_graph") if call is not None else None


def overwritten(fault: Fault) -> Hit | None:
    """A saved tensor was overwritten in place."""
    case, line = fault.case, fault.fix_line
    carried = _carried(case)
    if carried is not None:
        return _hidden(fault, carried)
    if any(case.line_of(at) == line for at in case.steps_of(Kind.OPTIMIZER)):
        moved = _recomputed(fault)
        again = _recomputed(fault, again=True) if moved is None and _is_for_another(fault) else None
        ways = (("computed after the step", moved), ("computed again after the step", again))
        return fault.hit(fixes(*ways, ("step() after the last backward()", _after(fault))), line)
    return fault.hit(in_new_memory(case, line), line)


def part_of_several(fault: Fault) -> Hit | None:
    """One of several views of a leaf, as from unbind(), that is changed in place."""
    case = fault.case
    nodes = [node for node in case.on_line(fault.line) if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute))]
    views = [case.was(node, len(case.trace) + 1) for node in nodes]
    bases = [case.ancestors(view) for view in views if view >= 0 and case.trace.tensors.producer[view] >= 0]
    if not any(requires(case, each, len(case.trace)) for behind in bases for each in [*behind][1:]):
        return None
    return fault.hit(in_new_memory(case, fault.line))


def _recomputed(fault: Fault, again: bool = False) -> str | None:
    """Compute what goes backward after the step that the fault is about, if it was before, and only it is used there;
    otherwise this step would also use the gradients of the second backward(). With `again`, what is used before the
    step, too, is computed once more after it."""
    case, call = fault.case, fault.case.called("backward", fault.line)
    held = receiver_of(call) if call is not None else None
    block = next((each for each in edits.blocks(case.tree) if case.statement(fault.fix_line) in each), [])
    made = [each for each in block if each.lineno < fault.line and isinstance(each, ast.Assign)]
    wanted = {case.source(held)} if isinstance(held, ast.Name) else set[str]()
    moved, copied = list[ast.Assign](), list[ast.Assign]()
    for each in reversed(made):
        bound = set[str]().union(*map(names_in, each.targets))
        if not bound & wanted:
            continue
        if each.lineno > fault.fix_line:
            wanted |= names_in(each.value) if again else set()
            continue
        reads = [n for n in case.walked if isinstance(n, ast.Name) and n.id in bound and isinstance(n.ctx, ast.Load)]
        inside = {n for one in moved for n in ast.walk(one)}
        if not any(n.lineno <= fault.fix_line and n not in inside for n in reads):
            moved.append(each)
            wanted |= names_in(each.value)
        elif again:
            copied.append(each)
    saved = [int(case.trace.nodes.line[mark.node]) for mark in fault.hit(()).marks]
    copied = [each for each in copied if each.lineno in saved]
    after = sorted([*moved, *copied], key=lambda each: each.lineno)
    if "\n" in "".join(map(case.source, after)) or not {*saved} & {each.lineno for each in after}:
        return None
    text = edits.insert_after(fault.text, fault.fix_line, "\n".join(map(case.source, after)))
    for each in moved:
        text = edits.without_statement(text, each.lineno) if text is not None else None
    return text


def _is_for_another(fault: Fault) -> bool:
    """Whether the second backward() is for another optimizer, which makes its step after it, as in a GAN."""
    case = fault.case
    block = next((each for each in edits.blocks(case.tree) if case.statement(fault.fix_line) in each), [])
    steps = {
        each.lineno: case.source(called.value)
        for each in block
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
        and isinstance(called := each.value.func, ast.Attribute) and called.attr == "step"
    }  # fmt: skip
    return any(line > fault.line and held != steps.get(fault.fix_line, held) for line, held in steps.items())


def _after(fault: Fault) -> str | None:
    code = fault.case.source(fault.case.statement(fault.fix_line) or ast.Pass())
    longer = edits.insert_after(fault.text, fault.line, code) if fault.fix_line < fault.line and code else None
    return edits.without_statement(longer, fault.fix_line) if longer else None


def leaf_in_place(fault: Fault) -> Hit | None:
    """A leaf that is changed in place: to update it, or to compute with it what a function returns."""
    case, statement = fault.case, fault.case.statement(fault.line)
    function = case.function_of(statement) if statement is not None else None
    call = statement.value if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    held = statement.target if isinstance(statement, ast.AugAssign) else receiver_of(call) if call is not None else None
    read = any(isinstance(n, ast.Name) and n is not held and n.id == case.source(held or ast.Pass())
               for n in ast.walk(call or ast.Pass()))  # fmt: skip
    offered = fixes(("inside no_grad()", under_no_grad(fault)))
    if isinstance(held, ast.Name) and isinstance(function, ast.FunctionDef) and (read or call is None):
        given = held.id in [each.arg for each in function.args.args]
        returns = [each.value for each in ast.walk(function) if isinstance(each, ast.Return) and each.value is not None]
        back = any(isinstance(n, ast.Name) and n.id == held.id for each in returns for n in ast.walk(each))
        if given and back and statement is not None and not is_of_gradients(statement, case.gradient_names):
            offered = (*in_new_memory(case, fault.line), *offered)
    return fault.hit(offered)


def in_new_memory(case: Case, line: int) -> Fixes:
    """Rewrite what writes in place on a line so that it writes to a new tensor."""
    statement, text = case.statement(line), case.text
    plain = _all_out_of_place(case, line)
    if plain is not None:
        return fixes(("a new tensor", plain))
    for call in [node for node in case.on_line(line) if isinstance(node, ast.Call)]:
        held = receiver_of(call)
        if any(each.arg == "inplace" for each in call.keywords):
            return fixes(("without inplace=True", edits.remove_keyword(text, call, "inplace")))
        method = name_of(call)
        named = isinstance(held, ast.Name) or not isinstance(statement, ast.Expr)
        if held is not None and method.endswith("_") and not method.endswith("__") and named:
            return fixes(("a new tensor", _not_in_place(case, statement, call, case.source(held))))
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        whole, value = case.source(statement.targets[0].value), statement.value
        read = [n for n in ast.walk(value) if isinstance(n, ast.Subscript) and case.source(n.value) == whole]
        if read:  # what the element is computed from
            changes: dict[ast.expr | ast.stmt, str | None] = {each: f"{case.source(each)}.clone()" for each in read}
            return fixes(("of a copy", edits.all_at_once(text, case.tree, changes)))
    target = getattr(statement, "target", None) or (getattr(statement, "targets", None) or [None])[0]
    if isinstance(statement, ast.Assign) and isinstance(target, ast.Name):  # of a call that writes to its argument
        return _relu_modules(case)
    while isinstance(target, (ast.Subscript, ast.Attribute)) and not isinstance(target, ast.Name):
        if isinstance(target, ast.Attribute):
            break
        target = target.value
    if target is not None and statement is not None:
        name = case.source(target)
        return fixes(("a copy first", _copied_first(case, statement, name)))
    return _relu_modules(case)


def _all_out_of_place(case: Case, line: int) -> str | None:
    """Rewrite `y += 1` on a line as `y = y + 1`, and what else in the same block changes y in this way."""
    statement, text = case.statement(line), edits.out_of_place(case.text, line)
    if not isinstance(statement, ast.AugAssign):
        return text
    for each in next((b for b in edits.blocks(case.tree) if statement in b), []):
        same = isinstance(each, ast.AugAssign) and case.source(each.target) == case.source(statement.target)
        if text is not None and same and each is not statement and each.lineno == each.end_lineno:
            text = edits.out_of_place(text, each.lineno) or text
    return text


def _not_in_place(case: Case, statement: ast.stmt | None, call: ast.Call, name: str) -> str | None:
    code = case.source(call)
    method = name_of(call)
    new = code.replace(f".{method}(", f".{method[:-1]}(", 1)
    if isinstance(statement, ast.Expr) and statement.value is call:
        if method in ("zero_", "fill_", "copy_"):
            return _copied_first(case, statement, name)
        return edits.replace_node(case.text, statement, f"{name} = {new}")
    later = any(isinstance(n, ast.Name) and n.id == name and n.lineno > (call.end_lineno or 0) for n in case.walked)
    return edits.replace_node(case.text, call, f"({name} := {new})" if later else new)


def _copied_first(case: Case, statement: ast.stmt, name: str) -> str | None:
    """Give a tensor a copy of its memory before a statement writes to it; if a function has the name from outside, let
    what follows there read copies."""
    function = case.function_of(statement)
    if isinstance(function, ast.FunctionDef) and name.isidentifier() and not _binds(function, name):
        read = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
        later = [n for n in read if n.lineno > (statement.end_lineno or statement.lineno)]
        changes: dict[ast.expr | ast.stmt, str | None] = {each: f"{name}.clone()" for each in later}
        return edits.all_at_once(case.text, case.tree, changes) if changes else None
    return edits.insert_before(case.text, statement.lineno, f"{name} = {name}.clone()")


def _binds(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function may assign to a name without hiding one from outside."""
    for each in ast.walk(function):
        if isinstance(each, ast.arg) and each.arg == name:
            return True
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store):
            return True
        if isinstance(each, (ast.Global, ast.Nonlocal)) and name in each.names:
            return True
    return False


def _relu_modules(case: Case) -> Fixes:
    text: str | None = case.text
    for call in reversed(case.calls):
        if text is not None and any(each.arg == "inplace" for each in call.keywords):
            text = edits.remove_keyword(text, call, "inplace")
    return fixes(("without inplace=True", text if text != case.text else None))
