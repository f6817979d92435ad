"""Parameters that are not trained: those that the optimizer does not have, and those that `parameters()` does not find.
Whole modules that it does not have are in `lacking`, parameters that get no gradient in `untrained`; when gradients are
cleared and used is in `training`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.lists import listed
from gradviz.session.doctor.case import (
    SEARCHED,
    Case,
    Event,
    Fix,
    Hit,
    expected,
    first_use,
    fixes,
    optimizer_of,
    owners_of,
    trained_beside,
)  # fmt: skip
from gradviz.session.doctor.cuts import cuts_below
from gradviz.session.doctor.lacking import (
    first_for_each,
    forgotten,
    given_twice,
    left_out,
    one_of_several,
    own_attribute,
    owner_of,
)  # fmt: skip
from gradviz.session.doctor.text import name_of, receiver_of
from gradviz.session.doctor.training import leaves, zeroed_too_late
from gradviz.trace.table.schema import GATHERED


def other_parameters(case: Case) -> Iterator[Hit]:
    """The optimizer changes tensors other than those that get gradients."""
    if _plainly_assigned(case):
        return
    steps = case.optimizer_steps
    left = _never_updated(case)
    if case.raised and not has_stepped(case):
        return
    if not steps or not left or zeroed_too_late(case):
        return
    first = steps[0]
    for find in (given_twice, one_of_several, first_for_each):
        found = next(find(case, left, first), None)
        if found is not None:
            yield found
            return
    if _cut_before(case, left):
        return
    alike = case.updates and not any(case.trace.tensors.is_parameter[each] for each in {*case.updates, *left})
    if case.updates and not alike:
        yield from _replaced(case, left, first)
        yield from left_out(case, left, first)
        yield from forgotten(case, left, first)
        return
    if case.updates and any(_grad_is_read(case, each) or not trained_beside(case, each) for each in left):
        return
    making = optimizer_of(case, first)
    put = making is not None and any(_is_put_into(case, each, making) for each in left)
    replaced = next(_replaced(case, left, first), None) if put else None
    if replaced is not None:
        yield replaced
        return
    line = making.lineno if making is not None else case.line_of(first)
    named = [case.name(each) for each in left[:3]]
    names = listed(named) if len(left) <= 3 else f"{', '.join(named)} and others"
    why = f"{names} got gradients from backward(), but step() on line {case.line_of(first)} has not changed "
    why += "any of them: " if case.updates else "anything: "
    why += "the optimizer was given other tensors."
    advice = "Give the optimizer the tensors that the loss is computed from, after they have been made."
    yield Hit(line, first + 1, why, advice, _given(case, making, left), ())


def has_stepped(case: Case) -> bool:
    """Whether each step() in the text ran before the error."""
    ran = {case.line_of(step) for step in case.optimizer_steps}
    return all(call.lineno in ran for call in case.calls if name_of(call) == "step" and not call.args)


def _cut_before(case: Case, left: list[int]) -> bool:
    """Whether the tensors of the optimizer are used before those that get gradients, or together with them, and cut off
    there."""
    trace, cuts = case.trace, [cut for each in expected(case) for cut in cuts_below(case, each)]
    if any({*left} & {*case.ancestors(cut.made)} for cut in cuts if cut.made in case.below_roots):
        return True
    users = {user for each in left for user in trace.users_of(each).tolist()}
    turned = [node for node in users if trace.nodes.op[node] in ("t", "transpose", "permute")]
    users |= {user for node in turned for user in trace.users_of(case.output(node)).tolist()}
    queue = [cut.made for cut in cuts if cut.kind == "detached"]
    seen = {*queue}
    for each in queue:
        for node in trace.users_of(each).tolist() if len(queue) < SEARCHED else ():
            if node in users and case.output(node) in case.below_roots:
                return True
            queue += [made for made in trace.outputs_of(node).tolist() if made not in seen]
            seen |= {*queue}
    return False


def _replaced(case: Case, left: list[int], step: int) -> Iterator[Hit]:
    """A layer that replaced another after the optimizer had been given the module's parameters."""
    making = optimizer_of(case, step)
    given = {*expected(case)}
    late = [each for each in left if each in given or (making is not None and _is_put_into(case, each, making))]
    if making is None or not late:
        return
    line, name = int(case.trace.tensors.line[late[0]]), case.name(late[0])
    holds = "which still holds those of the former layer: the new one gets"
    if case.function_of(case.statement(line) or making) is not case.function_of(making):
        line = _called_later(case, line, making)  # a method of the model made it
        holds = f"which therefore does not have {name}: it gets"
    if line <= making.lineno:
        return
    why = f"Line {line} makes {name} after line {making.lineno} has given the parameters to the optimizer, {holds} "
    why += "gradients, and no step() ever changes it."
    advice = "Change the model first, then make the optimizer."
    text = edits.moved(case.text, line, before=making.lineno)
    offered = fixes(("before the optimizer", text))
    yield Hit(making.lineno, step + 1, why, advice, offered, first_use(case, late[0]))


def _called_later(case: Case, line: int, making: ast.Call) -> int:
    """Return the line after the making of an optimizer that calls the method around a line; -1 if there is none."""
    method = case.function_of(case.statement(line) or case.tree)
    if not isinstance(method, ast.FunctionDef) or method.name in ("__init__", "forward"):
        return -1
    called = [call.lineno for call in case.calls if name_of(call) == method.name and call.lineno > making.lineno]
    alone = len([call for call in case.calls if name_of(call) == method.name]) == len(called) == 1
    return called[0] if alone else -1


def _is_put_into(case: Case, tensor: int, making: ast.Call) -> bool:
    """Whether the statement that made a tensor puts it into what an optimizer was given: `model[2] = …`, or `self.head
    = …` in a method of its class."""
    statement = case.statement(int(case.trace.tensors.line[tensor]))
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    holder = case.class_of(statement) if statement is not None else None
    given = receiver_of(making.args[0]) if making.args and isinstance(making.args[0], ast.Call) else None
    made = case.assigned(case.source(given), making.lineno) if given is not None else None
    if holder is not None and isinstance(made, ast.Call) and name_of(made) == holder.name:
        return target is not None and case.source(target).startswith("self.")
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
        if f"{case.source(target)}.parameters(" in case.source(making):
            return True
    return False


def _never_updated(case: Case) -> list[int]:
    """Leaves that got gradients, which were neither used nor asked for."""
    found = []
    for tensor, events in leaves(case):
        added = [event for event in events if event.what == "added"]
        if not added or tensor in case.updates or _was_used(events) or case.name(tensor).endswith(GATHERED):
            continue
        if _is_made_each_time(case, tensor):
            continue
        if any(step > added[0].step for step in case.optimizer_steps):
            found.append(tensor)
    return found


def _is_made_each_time(case: Case, tensor: int) -> bool:
    """Whether each update makes a leaf of its own there, which no optimizer can know: `total = zeros(1, requires_grad
    =True)`."""
    tensors = case.trace.tensors
    if tensors.is_parameter[tensor] or not case.optimizer_steps:
        return False
    same = np.flatnonzero((tensors.site == tensors.site[tensor]) & (tensors.site >= 0))
    return len(same) > 1 and bool((tensors.step[same] > case.optimizer_steps[0]).any())


def _was_used(events: list[Event]) -> bool:
    """Whether a leaf was changed after it had received a gradient."""
    first = next((event.step for event in events if event.what == "added"), 0)
    return any(event.what == "updated" and event.step > first for event in events)


def _grad_is_read(case: Case, tensor: int) -> bool:
    name = case.name(tensor)
    return any(
        isinstance(n, ast.Attribute) and n.attr == "grad" and case.source(n.value) == name
        for n in case.walked
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
    )  # fmt: skip


def _given(case: Case, making: ast.Call | None, left: list[int]) -> tuple[Fix, ...]:
    """Return the optimizer with the tensors that it lacks."""
    if making is None or not making.args:
        return ()
    first = making.args[0]
    names = [case.name(each) for each in left]
    statement, made = case.statement(making.lineno), max(int(case.trace.tensors.line[each]) for each in left)
    given = [case.source(each) for each in getattr(first, "elts", [])]
    if statement is not None and {*names} <= {*given} and made > making.lineno:
        text = edits.moved_after(case.text, statement.lineno, made, case.source(statement))
        return fixes((f"made after {', '.join(names)}", text))
    if isinstance(first, ast.List) and all(name.isidentifier() for name in names):
        inner = ", ".join([*(case.source(each) for each in first.elts), *names])
        return fixes(("with all of them", edits.replace_node(case.text, first, f"[{inner}]")))
    owner = owner_of(case, left)
    if not owner and case.source(first).startswith("self."):
        owner = own_attribute(case, left)
    if not owner:
        return ()
    bound = [s.lineno for s in case.statements if isinstance(s, ast.Assign) and case.source(s.targets[0]) == owner]
    if (
        bound
        and isinstance(statement, ast.Assign)
        and case.function_of(making) is not case.function_of(case.statement(bound[-1]) or making)
    ):  # another method replaces the module
        return fixes((f"made anew for {owner}", edits.insert_after(case.text, bound[-1], case.source(statement))))
    bound = bound if case.function_of(making) is None else []
    if bound and bound[-1] > making.lineno and statement is not None:
        code = case.source(statement)
        if f"{owner}.parameters()" not in code:
            code = code.replace(case.source(first), f"{owner}.parameters()", 1)
        return fixes((f"made after {owner}", edits.moved_after(case.text, statement.lineno, bound[-1], code)))
    return fixes((f"with {owner}.parameters()", edits.replace_node(case.text, first, f"{owner}.parameters()")))


_MADE = ("randn", "rand", "zeros", "ones", "tensor", "full", "empty", "Parameter", "eye", "arange", "randn_like")


def _plainly_assigned(case: Case) -> list[tuple[ast.Assign | ast.AnnAssign | ast.Expr, int]]:
    """Return the statements in a module's class that store parameters where parameters() does not find them, if one of
    these got a gradient and was not trained, or if there are no others."""
    found = []
    made = {int(case.trace.tensors.line[each]): each for each in _trainable(case)}
    for line, tensor in sorted(made.items()):
        statement = case.statement(line)
        if statement is None or not _is_plain_statement(case, statement):
            statement = _container(case, tensor) or _as_buffer(case, tensor)
        holder = case.class_of(statement) if statement is not None else None
        if (
            not isinstance(holder, ast.ClassDef)
            or not holder.bases
            or not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr))
        ):
            continue
        elsewhere = (_container(case, tensor), _as_buffer(case, tensor))
        if tensor in case.updates or not (_is_plain(case, statement) or statement in elsewhere):
            continue
        if _was_used(case.events.get(tensor, [])):
            continue
        found.append((statement, tensor))
    return found


def _is_plain_statement(case: Case, statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and _is_plain(case, statement)


def _container(case: Case, tensor: int) -> ast.stmt | None:
    """Return the statement that stores the module of a tensor in a list or tuple of another: `self.blocks =
    tuple(blocks)`."""
    if tensor not in case.events:
        return None
    for owner in owners_of(case, tensor):
        name, bracket, _ = owner.partition("[")
        for statement in case.statements if bracket and name.startswith("self.") else ():
            if not isinstance(statement, ast.Assign) or case.source(statement.targets[0]) != name:
                continue
            value = statement.value
            if isinstance(value, ast.Name) or (isinstance(value, ast.Call) and name_of(value) in ("list", "tuple")):
                return statement
            if isinstance(value, (ast.List, ast.ListComp, ast.Tuple)):
                return statement
    return None


def _as_buffer(case: Case, tensor: int) -> ast.stmt | None:
    """Return the statement that registers a tensor as a buffer although it gets gradients."""
    names = {str(case.trace.names.name[row]) for row in case.trace.history("names", "tensor").all(tensor).tolist()}
    for call in case.calls if tensor in case.events else ():
        given = call.args[0] if name_of(call) == "register_buffer" and call.args else None
        if isinstance(given, ast.Constant) and given.value in names:
            return case.statement(call.lineno)
    return None


def _trainable(case: Case) -> list[int]:
    """Return the tensors that ask for gradients and were made by no tracked operation."""
    tensors, flags = case.trace.tensors, case.trace.flags
    requires = tensors.requires_grad.astype(bool)
    asked = requires.copy()
    asked[flags.tensor[flags.requires_grad.astype(bool)]] = True
    found: list[int] = np.flatnonzero(asked & ((tensors.producer < 0) | ~requires) & (tensors.line > 0)).tolist()
    return found


def _is_plain(case: Case, statement: ast.Assign | ast.AnnAssign | ast.Expr) -> bool:
    """Whether a statement stores tensors or modules in a plain list, dict or attribute of self."""
    value = statement.value
    if isinstance(statement, ast.Expr):
        if not isinstance(value, ast.Call) or name_of(value) != "append":
            return False
        held = receiver_of(value)
        return held is not None and case.source(held).startswith("self.") and not _module_list(case, case.source(held))
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    if not case.source(target).startswith("self.") or value is None or isinstance(target, ast.Tuple):
        return False
    if isinstance(target, ast.Subscript):
        return case.source(target.value).startswith("self.") and not _module_list(case, case.source(target.value))
    if isinstance(value, (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Tuple)):
        return True
    if isinstance(value, ast.Call) and name_of(value) in ("list", "tuple", "dict"):
        return True
    first = value
    while isinstance(first, (ast.Call, ast.BinOp)) and not (isinstance(first, ast.Call) and name_of(first) in _MADE):
        inner = first.left if isinstance(first, ast.BinOp) else receiver_of(first)
        if inner is None:
            return False
        first = inner
    made = name_of(first) if isinstance(first, ast.Call) else ""
    return made in _MADE and (made != "Parameter" or isinstance(value, ast.BinOp))  # what is computed is no parameter


def _module_list(case: Case, name: str) -> bool:
    for statement in case.statements:
        if isinstance(statement, ast.Assign) and case.source(statement.targets[0]) == name:
            return isinstance(statement.value, ast.Call)
    return False


def unregistered(case: Case) -> Iterator[Hit]:
    """Layers in a plain list, or a tensor that is not an nn.Parameter: parameters() does not find them."""
    trace = case.trace
    trains = bool(case.optimizer_steps) or (case.raised and "empty parameter list" in str(trace.errors.message[0]))
    if not trains:
        return
    for statement, tensor in _plainly_assigned(case):
        line, name = statement.lineno, case.name(tensor)
        if not case.raised and not _could_have_been_trained(case, tensor):
            continue
        value = trace.frame_at(len(trace)).grad(tensor)
        why = f"Line {line} keeps {name} where parameters() does not look: only modules and nn.Parameters that are "
        why += "attributes of the module are registered. "
        why += f"{name}.grad is {value.brief()}, and no step() has ever changed {name}." if value is not None else ""
        advice = "Put layers into nn.ModuleList, and single tensors into nn.Parameter."
        steps = case.optimizer_steps
        cursor = steps[0] + 1 if steps else len(trace)
        line = list_of.lineno if (list_of := _appended_to(case, statement)) is not None else line
        yield Hit(line, cursor, why, advice, _registered(case, statement, name), first_use(case, tensor))
        return


def _could_have_been_trained(case: Case, tensor: int) -> bool:
    """Whether an optimizer takes a step after a gradient of this tensor, which otherwise was only to be looked at."""
    first = min((event.step for event in case.events.get(tensor, [])), default=len(case.trace))
    return first < case.optimizer_steps[-1]


def _appended_to(case: Case, statement: ast.stmt) -> ast.Assign | None:
    """Return the statement that made the list to which another one appends, or the dictionary that it fills."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    held = receiver_of(call) if isinstance(call, ast.Call) and name_of(call) == "append" else None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        held = statement.targets[0].value
    made = [each for each in case.statements if isinstance(each, ast.Assign) and held is not None]
    name = case.source(held) if held is not None else ""
    return next((each for each in made if case.source(each.targets[0]) == name), None)


def _registered(case: Case, statement: ast.Assign | ast.AnnAssign | ast.Expr, name: str) -> tuple[Fix, ...]:
    value = statement.value
    if isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
        held = receiver_of(value)
        if name_of(value) == "register_buffer" and held is not None and len(value.args) == 2:
            buffer, given = ast.literal_eval(value.args[0]), case.source(value.args[1])
            code = f"{case.source(held)}.{buffer} = {_nn(case)}.Parameter({given})"
            return fixes(("nn.Parameter", edits.replace_node(case.text, statement, code)))
        kind = "ParameterList" if case.source(value.args[0]).split("(")[0].endswith("Parameter") else "ModuleList"
        if (made := _appended_to(case, statement)) is not None:
            return fixes((f"nn.{kind}", edits.replace_node(case.text, made.value, f"{_nn(case)}.{kind}()")))
    if value is None:
        return ()
    code = case.source(value)
    modules = (
        re.search(r"\]\.[\w.]+$", name) is not None
        or any(  # gates[2].bias
            isinstance(n, ast.Call) and name_of(n)[:1].isupper() and name_of(n) != "Parameter" for n in ast.walk(value)
        )
    )
    if (made := _appended_to(case, statement)) is not None and isinstance(made.value, ast.Dict):
        kind = "ModuleDict" if modules else "ParameterDict"
        return fixes((f"nn.{kind}", edits.replace_node(case.text, made.value, f"{_nn(case)}.{kind}()")))
    if isinstance(value, ast.Name) or (isinstance(value, ast.Call) and name_of(value) in ("list", "tuple")):
        inner = value.args[0] if isinstance(value, ast.Call) and value.args else value
        kind = "ModuleList" if modules or "Parameter(" not in code else "ParameterList"
        text = edits.replace_node(case.text, value, f"{_nn(case)}.{kind}({case.source(inner)})")
        return fixes((f"nn.{kind}", text))
    if isinstance(value, (ast.List, ast.ListComp, ast.Tuple)):
        kind = "ModuleList" if modules else "ParameterList"
        if not modules and "Parameter" not in code and isinstance(value, (ast.List, ast.Tuple)):
            code = f"[{', '.join(f'{_nn(case)}.Parameter({case.source(each)})' for each in value.elts)}]"
        return fixes((f"nn.{kind}", edits.replace_node(case.text, value, f"{_nn(case)}.{kind}({code})")))
    if isinstance(value, (ast.Dict, ast.DictComp)) or (isinstance(value, ast.Call) and name_of(value) == "dict"):
        kind = "ModuleDict" if modules else "ParameterDict"
        return fixes((f"nn.{kind}", edits.replace_node(case.text, value, f"{_nn(case)}.{kind}({code})")))
    plain = code.replace(", requires_grad=True", "").replace("requires_grad=True", "")
    return fixes(("nn.Parameter", edits.replace_node(case.text, value, f"{_nn(case)}.Parameter({plain})")))


def _nn(case: Case) -> str:
    aliased = any(isinstance(n, ast.alias) and (n.asname or n.name) == "nn" for n in ast.walk(case.tree))
    return "nn" if aliased else "torch.nn"


def has_trained_sibling(case: Case, tensor: int) -> bool:
    """Whether a parameter of the same module object was changed by an optimizer."""
    names = case.trace.names
    for row in case.trace.history("names", "tensor").all(tensor).tolist():
        if names.owner[row]:
            together = np.flatnonzero((names.owner == names.owner[row]) & (names.step == names.step[row]))
            if case.updates & {*names.tensor[together].tolist()}:
                return True
    return False
