"""NaN and infinity: the operation that made them, forward or backward. They are often effects of other mistakes, so
`lessons` reports them only if there is no other; gradients that grow without end are in `magnitudes`."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes
from gradviz.session.doctor.magnitudes import exploding
from gradviz.session.doctor.raised import Fault, Say
from gradviz.session.doctor.text import name_of, receiver_of
from gradviz.trace.table.frame import NOT_FINITE, Frame
from gradviz.trace.table.values import Value, number_text


def nan_born(case: Case) -> Iterator[Hit]:
    """The first operation that made NaN or infinity from finite numbers, in what a loss was computed from."""
    if any("returned nan values" in str(each) for each in case.trace.caught.message):
        return
    found = _birth(case)
    if found is not None and not found[1] and not _exploded_before(case, found[0].step):
        yield found[0]


def _exploded_before(case: Case, step: int) -> bool:
    """Whether a gradient that exploded in the first backward call led to NaN later."""
    calls = case.trace.calls
    return len(calls) > 1 and int(calls.end[0]) < step and next(exploding(case), None) is not None


def nan_where(case: Case) -> Iterator[Hit]:
    """0 · inf in the branch that where() did not select."""
    found = _birth(case)
    if found is not None and found[1]:
        yield found[0]


def _birth(case: Case) -> tuple[Hit, bool] | None:
    """Return what was born first, and whether it is in a branch that a where() does not select."""
    at, roots = _bad_leaf_grad(case), _bad_roots(case)
    if roots and (at < 0 or case.trace.tensors.step[roots[0]] < at):
        return _forward_birth(case)
    return _backward_birth(case)


def _bad(case: Case, values: NDArray[np.int64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = case.trace.value_flag[values] == NOT_FINITE
    return found


def _bad_leaf_grad(case: Case) -> int:
    """Return the step at which a leaf got a non-finite gradient, -1 if none did."""
    grads = case.trace.grads
    rows = np.flatnonzero(grads.value >= 0)
    rows = rows[_bad(case, grads.value[rows])]
    return int(grads.step[rows[0]]) if len(rows) else -1


def _bad_roots(case: Case) -> list[int]:
    roots = sorted(case.roots)
    return [root for root, bad in zip(roots, _bad(case, case.trace.tensors.value[roots]), strict=True) if bad]


def _forward_birth(case: Case, infinite: int = -1) -> tuple[Hit, bool] | None:
    """Return the operation that made the first non-finite number, among those behind a root or another tensor."""
    trace, roots = case.trace, [infinite] if infinite >= 0 else _bad_roots(case)
    if not roots:
        return None
    values = trace.tensors.value
    behind = sorted(case.ancestors(roots[0]), key=lambda each: int(trace.tensors.step[each]))
    for tensor in behind:
        node = int(trace.tensors.producer[tensor])
        if trace.value_flag[values[tensor]] != NOT_FINITE or node < 0:
            continue
        frame = trace.frame_at(int(trace.nodes.step[node]))
        read = [(each, frame.value(each)) for each in case.read_by(node)]
        if any(value is not None and not math.isfinite(value.norm) for _, value in read):
            continue
        line = int(trace.nodes.line[node])
        made = trace.value(int(values[tensor]))
        given = ", ".join(f"{case.name(each)} = {value.brief()}" for each, value in read if value is not None)
        why = f"{trace.nodes.op[node]} on line {line} made {made.brief() if made else 'nan'} from {given}. "
        why += f"What is computed from it, {case.name(roots[0])} included, is not finite either, nor is the gradient "
        why += "that goes back through it."
        advice = _ADVICE.get(str(trace.nodes.op[node]), "Keep its operand away from that point.")
        return Hit(
            line, int(trace.nodes.step[node]) + 1, why, advice, _kept_away(case, node), case.mark(node, "made it")
        ), False
    return None


_ADVICE = {
    "log": "Keep the operand above 0, for example with .clamp(min=1e-8), or use log_softmax or log1p.",
    "sqrt": "Add a small number under the root, for example 1e-8.",
    "div": "Keep the divisor away from 0, for example by adding 1e-8.",
    "masked_fill": "Leave one position of each row open, or fill with a large negative number instead of -inf.",
    "exp": "Take the largest number off first, as logsumexp and softmax do.",
}
_EPSILON = "1e-8"


def _places(case: Case, frame: Frame, node: int, sent: Value | None) -> str:
    """Where an operation sent NaN or infinity: "where x is 0"; "at x = (3, 4) in [0, 1]," if that is not known."""
    wrong = None if sent is None or sent.array is None else ~np.isfinite(sent.array)
    told = []
    for each in case.read_by(node):
        value = frame.value(each)
        if value is None:
            continue
        is_alike = wrong is not None and value.array is not None and value.array.shape == wrong.shape
        numbers = np.unique(value.array[wrong]).tolist() if is_alike and value.array is not None else []
        is_few = 0 < len(numbers) <= _FEW_PLACES
        said = f"where {case.name(each)} is {' or '.join(map(number_text, numbers))}"
        told.append(said if is_few else f"at {case.name(each)} = {value.brief()},")
    return " ".join(told)


_FEW_PLACES = 3  # different numbers that are named


def _backward_birth(case: Case) -> tuple[Hit, bool] | None:
    """The node that sent NaN or infinity although it received finite numbers; and whether a where() is above it."""
    trace, at = case.trace, _bad_leaf_grad(case)
    if at < 0:
        return None
    flows, call = trace.flows, case.call_of(at)
    rows = np.flatnonzero(_bad(case, flows.value))
    rows = rows[trace.steps.call[flows.step[rows]] == call]
    if not len(rows):
        return None
    step, node = int(flows.step[rows[0]]), int(flows.node[rows[0]])
    frame = trace.frame_at(step)
    for each in case.read_by(node):
        if (value := frame.value(each)) is not None and not math.isfinite(value.norm):
            born, above = _forward_birth(case, each), _where_above(case, node)
            safe = _safe_operand(case, born[0].marks[0].node, above) if born is not None and above else ()
            return (replace(born[0], fixes=safe or born[0].fixes), bool(above)) if born is not None else None
    came = [value.brief() for each in trace.outputs_of(node).tolist() if (value := frame.passing(each)) is not None]
    above = _where_above(case, node)
    line = int(trace.nodes.line[node])
    sent = trace.value(int(flows.value[rows[0]]))
    why = f"{trace.nodes.name[node]} (line {line}) got the gradient {', '.join(came) or '1'} and sent "
    why += f"{sent.brief() if sent else 'nan'} back: {_places(case, frame, node, sent)} its slope is infinite or not "
    why += "defined."
    if above:
        why += f" where() on line {trace.nodes.line[above]} does not take this branch there, so the gradient is 0; but "
        why += "both branches go backward, and 0 · inf is nan."
        advice = "Make the operand safe first: where(condition, x, 1.) inside the function, too."
        fix = _safe_operand(case, node, above) or _kept_away(case, node)
        return Hit(line, step + 1, why, advice, fix, case.mark(node, "0 · inf")), True
    advice = _ADVICE.get(str(trace.nodes.op[node]), "Keep its operand away from that point.")
    return Hit(line, step + 1, why, advice, _kept_away(case, node), case.mark(node, "made it")), False


def anomaly(where: bool) -> Say:
    """Anomaly mode has found NaN, in a branch that a where() does not select or elsewhere."""

    def say(fault: Fault) -> Hit | None:
        found = fault.explanation
        node = found.marks[0].node if found is not None and found.marks else -1
        above = _where_above(fault.case, node) if node >= 0 else 0
        if bool(above) != where:
            return None
        fix = _safe_operand(fault.case, node, above) if above else _kept_away(fault.case, node) if node >= 0 else ()
        return fault.hit(fix, fault.fix_line)

    return say


def _where_above(case: Case, node: int) -> int:
    """Return a where() between a node and the root, -1 for none (falsy, as it is never 0 here)."""
    trace, queue = case.trace, [node]
    seen = {node}
    for each in queue:
        for made in trace.outputs_of(each).tolist():
            for user in trace.users_of(made).tolist():
                if trace.nodes.op[user] in ("where", "masked_fill"):
                    return int(user)
                if user not in seen and len(queue) < 200:
                    seen.add(user)
                    queue.append(user)
    return 0


def _call_at(case: Case, node: int) -> ast.expr | None:
    made = case.output(node)
    return case.maker(made) if made >= 0 else None


def _kept_away(case: Case, node: int) -> tuple[Fix, ...]:
    """Keep the operand of log, sqrt or a division away from 0."""
    op, expression = str(case.trace.nodes.op[node]), _call_at(case, node)
    parts = [each for each in ast.walk(expression) if isinstance(each, ast.BinOp)] if expression is not None else []
    divisions = [each for each in parts if isinstance(each.op, ast.Div)]
    if op == "div" and len(divisions) == 1:
        divisor = divisions[0].right
        text = edits.replace_node(case.text, divisor, f"({case.source(divisor)} + {_EPSILON})")
        return fixes((f"+ {_EPSILON}", text))
    powers = [each for each in parts if isinstance(each.op, ast.Pow)]
    if op == "pow" and len(powers) == 1:
        base = powers[0].left
        return fixes((f"+ {_EPSILON}", edits.replace_node(case.text, base, f"({case.source(base)} + {_EPSILON})")))
    for call in _calls_in(expression, op) if op == "masked_fill" else ():
        if call.args:
            return fixes(("a large negative number", edits.replace_node(case.text, call.args[-1], "-1e9")))
    for call in _calls_in(expression, op):
        operand = _operand_of(case, call)
        plain = not any(each.arg in ("unbiased", "correction") for each in call.keywords)
        if op in ("std", "var") and plain and _bad(case, case.trace.tensors.value[[case.output(node)]])[0]:
            return _of_several(case, node, call) or _of_one(case, call)
        if operand is None:
            continue
        if op == "exp" and _is_shared_out(case, node):
            value = case.source(operand)
            value = value if isinstance(operand, ast.Name) else f"({value})"
            code = f"{value} - {value}.max()"
            code = f"({code})" if operand is receiver_of(call) else code
            return fixes(("minus its maximum", edits.replace_node(case.text, operand, code)))
        if op == "log":
            beside = [each for each in case.on_line(call.lineno) if isinstance(each, ast.Call) and name_of(each) == op]
            beside = [each for each in beside if not any(one in beside for one in case.around(each))]
            operands = [one for each in beside if (one := _operand_of(case, each)) is not None]
            changes: dict[ast.expr | ast.stmt, str | None] = {
                each: f"({case.source(each)}).clamp(min={_EPSILON})" for each in operands
            }
            return fixes(("clamp(min=1e-8)", edits.all_at_once(case.text, case.tree, changes)))
        if op in ("acos", "asin"):
            code = f"({case.source(operand)}).clamp(-1 + 1e-6, 1 - 1e-6)"
            return fixes(("clamp(-1 + 1e-6, 1 - 1e-6)", edits.replace_node(case.text, operand, code)))
        if op in ("sqrt", "rsqrt", "norm", "linalg_vector_norm"):
            code = f"({case.source(operand)} + {_EPSILON})"
            if op in ("sqrt", "rsqrt") and _is_negative(case, case.read_by(node)[0]):
                code = f"({case.source(operand)}).clamp(min={_EPSILON})"
            return fixes((f"at least {_EPSILON}", edits.replace_node(case.text, operand, code)))
    return ()


_SPREAD = ("std", "var", "mean", "std_mean", "var_mean")


def _of_several(case: Case, node: int, call: ast.Call) -> tuple[Fix, ...]:
    """Standardize along the only dimension that has several numbers, instead of one that has a single one."""
    shape = case.shape(case.read_by(node)[0])
    dims, one = [dim for dim, size in enumerate(shape) if size > 1], _dim_of(case, call)
    if len(dims) != 1 or one is None:
        return ()
    beside = [each for each in case.on_line(call.lineno) if isinstance(each, ast.Call) and name_of(each) in _SPREAD]
    changes: dict[ast.expr | ast.stmt, str | None] = {
        given: str(dims[0])
        for each in beside
        if (given := _dim_of(case, each)) is not None and case.source(given) == case.source(one)
    }
    return fixes((f"along dimension {dims[0]}", edits.all_at_once(case.text, case.tree, changes)))


def _dim_of(case: Case, call: ast.Call) -> ast.expr | None:
    """Return the argument of a call that is a dimension."""
    given = [each.value for each in call.keywords if each.arg == "dim"]
    of_torch = isinstance(call.func, ast.Attribute) and case.source(call.func.value) == "torch"
    return next(iter([*given, *call.args[of_torch:]]), None)


def _of_one(case: Case, call: ast.Call) -> tuple[Fix, ...]:
    """Take the spread of the numbers that there are, and divide by no less than a little: of one number it is 0."""
    outer, code = case.parents.get(call), case.source(call)
    text = f"{code[:-1].rstrip()}{', ' if call.args or call.keywords else ''}unbiased=False)"
    divides = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Div) and outer.right is call
    text = f"({text} + {_EPSILON})" if divides else text
    return fixes(("unbiased=False", edits.replace_node(case.text, call, text)))


def _is_shared_out(case: Case, node: int) -> bool:
    """Whether what a node made is divided by its sum, as in a softmax."""
    made, nodes, producer = case.output(node), case.trace.nodes, case.trace.tensors.producer
    divisions = [user for user in case.trace.users_of(made).tolist() if nodes.op[user] == "div"]
    by = [int(producer[case.read_by(each)[1]]) for each in divisions if len(case.read_by(each)) > 1]
    return any(each >= 0 and nodes.op[each] == "sum" and made in case.read_by(each) for each in by)


def _is_negative(case: Case, tensor: int) -> bool:
    array = case.first_value(tensor)
    return array is not None and bool((array < 0).any())


def _calls_in(expression: ast.expr | None, name: str) -> list[ast.Call]:
    if expression is None:
        return []
    return [each for each in ast.walk(expression) if isinstance(each, ast.Call) and name_of(each) == name]


def _operand_of(case: Case, call: ast.Call) -> ast.expr | None:
    if isinstance(call.func, ast.Attribute) and case.source(call.func.value) not in ("torch", "F"):
        return call.func.value
    return call.args[0] if call.args else None


def _is_made_of(case: Case, condition: ast.expr, made: ast.expr) -> bool:
    """Whether a condition reads what the statement around an expression binds."""
    statement = next((each for each in case.around(made) if isinstance(each, ast.stmt)), None)
    names = [n for n in ast.walk(statement) if isinstance(n, ast.Name)] if statement is not None else []
    stored = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    return any(isinstance(n, ast.Name) and n.id in stored for n in ast.walk(condition))


_STEEP = ("sqrt", "rsqrt", "log")  # at 0, where their slope is infinite as well


def _safe_operand(case: Case, node: int, above: int) -> tuple[Fix, ...]:
    where, inner = _call_at(case, above), _call_at(case, node)
    if not isinstance(where, ast.Call) or inner is None:
        return ()
    condition = where.args[0] if where.args else None
    held = [inner] if isinstance(inner, ast.BinOp) else _calls_in(inner, str(case.trace.nodes.op[node]))
    for each in held:
        operand = _operand_of(case, each) if isinstance(each, ast.Call) else None
        if isinstance(each, ast.BinOp):
            operand = each.left if isinstance(each.op, ast.Pow) else each.right
        while isinstance(operand, ast.Call) and name_of(operand) in _STEEP:
            operand = _operand_of(case, operand)
        if operand is None or condition is None or _is_made_of(case, condition, each):
            continue
        slots = case.trace.slots_of(above)
        where_false = [
            slots[slot] for slot in ([0] if case.trace.nodes.op[above] == "masked_fill" else [2]) if slot in slots
        ]
        where_true = case.output(node) not in case.ancestors(*where_false)
        changes: dict[ast.expr | ast.stmt, str | None] = {operand: _chosen(case, condition, operand, where_true)}
        for other in _unsafe_beside(case, where, operand, str(case.trace.nodes.op[node])):
            changes[other] = _chosen(case, condition, other, not where_true)
        return fixes(("a safe operand", edits.all_at_once(case.text, case.tree, changes)))
    return ()


def _chosen(case: Case, condition: ast.expr, operand: ast.expr, where_true: bool) -> str:
    """Return the code of an operand where the condition is true, or false, and of ones elsewhere."""
    value = case.source(operand)
    both = [value, f"torch.ones_like({value})"]
    return f"torch.where({case.source(condition)}, {', '.join(both if where_true else reversed(both))})"


def _unsafe_beside(case: Case, where: ast.Call, operand: ast.expr, op: str) -> Iterator[ast.expr]:
    """Yield the operands of the same operation in the other branch of a where(), if it made infinity there."""
    branches = where.args[1:3] if len(where.args) == 3 else []
    for branch in branches if any(operand in ast.walk(each) for each in branches) else ():
        for call in _calls_in(branch, op) if operand not in ast.walk(branch) else ():
            made = case.made_by(call)
            if (other := _operand_of(case, call)) is not None and _bad(case, case.trace.tensors.value[made]).any():
                yield other
