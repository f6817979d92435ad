"""Learning rates that are too large or too small, and identical weights. These are often effects of other mistakes, so
`lessons` reports them only if there is no other."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes, requires
from gradviz.session.doctor.text import first_line, name_of, names_in, receiver_of, values_of
from gradviz.trace.table.trace import Trace

# -- learning rates

_FAR = 0.3  # of their size: how far weights go at least if the steps are too long


def _losses(case: Case) -> tuple[list[float], list[int]]:
    """Return the losses of the backward line that ran most often, and their calls; those that precede it in each
    update."""
    return case.trace.kept("losses of updates", lambda: _read_losses(case.trace))


def _read_losses(trace: Trace) -> tuple[list[float], list[int]]:
    calls = trace.calls
    lines, counts = np.unique(calls.line, return_counts=True)
    if not len(lines):
        return [], []
    chosen = np.flatnonzero(calls.line == lines[counts.argmax()]).tolist()
    losses, kept = [], []
    for call in chosen:
        root = trace.roots_of(call)
        value = trace.value(int(trace.tensors.value[root[0]])) if len(root) else None
        number = value.scalar if value is not None else None
        if isinstance(number, float):
            losses.append(number)
            kept.append(call)
    return losses, kept


def learning_rate(case: Case, calls: Sequence[int] = ()) -> tuple[int, ast.expr | None, float]:
    """Return the line that sets the learning rate, the number there, and its value; (-1, None, 0) if it is not
    known. With backward calls: the one of the training to which they belong."""
    updates, steps = case.trace.updates, case.optimizer_steps
    if calls:
        first, last = (int(case.trace.calls.step[call]) for call in (calls[0], calls[-1]))
        steps = [each for each in steps if first < each < last]
    settings = [str(each) for each in updates.settings[np.isin(updates.step, steps[:1])][:1]]
    if settings:
        found = re.search(r"\blr=([\d.e+-]+)", settings[0])
        return _rate_of_optimizer(case, float(found[1]) if found else 0.0)
    for statement in case.statements:
        node = _hand_rate(case, statement)
        if node is not None:
            return node.lineno, node, float(node.value)  # type: ignore[arg-type]
    return -1, None, 0.0


def _rate_of_optimizer(case: Case, rate: float) -> tuple[int, ast.expr | None, float]:
    names = {str(each) for each in case.trace.optimizers.name}
    for call in case.calls:
        if name_of(call) not in names:
            continue
        rates = [each.value for each in call.keywords if each.arg == "lr"] or call.args[1:2]
        unpacked = [each.value for each in call.keywords if each.arg is None]
        rates = rates or [one for each in unpacked for one in _under_key(case, each, "lr")]
        given = rates[0] if rates else None
        value = constant(case, given) if given is not None else None
        return (first_line(case, value), value, rate) if value is not None else (call.lineno, None, rate)
    return -1, None, rate


def _hand_rate(case: Case, statement: ast.stmt) -> ast.Constant | None:
    """Return the number by which a gradient is multiplied in a manual update."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)):
        return None
    gradients = case.gradient_names
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and node.args and ".grad" in case.source(node.args[0]):
            alpha = next((each.value for each in node.keywords if each.arg == "alpha"), None)
            given = constant(case, alpha.operand if isinstance(alpha, ast.UnaryOp) else alpha) if alpha else None
            if given is not None:
                return given
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                code = case.source(other)
                if ".grad" in code or (code in gradients and _changes(case, statement)):
                    given = constant(case, one)
                    if given is not None:
                        return given
    return None


def _changes(case: Case, statement: ast.stmt) -> bool:
    """Whether a statement computes the new value of something from the old one."""
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, ast.AugAssign)
    target = case.source(statement.targets[0])
    return any(isinstance(n, ast.expr) and case.source(n) == target for n in ast.walk(statement.value))


def constant(case: Case, node: ast.expr, depth: int = 4) -> ast.Constant | None:
    """Return the number that an expression stands for, followed through variables, arguments, attributes and
    dictionaries."""
    if isinstance(node, ast.Constant):
        return node if isinstance(node.value, (int, float)) else None
    for given in _stands_for(case, node) if depth else ():
        found = constant(case, given, depth - 1)
        if found is not None:
            return found
    return None


def _stands_for(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Name):
        yield from arguments(case, node)
        if (given := case.assigned(node.id, 10**9)) is not None:
            yield given
    elif isinstance(node, ast.Attribute):
        yield from values_of(case, case.source(node))
        yield from _configured(case, node)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        yield from _under_key(case, node.value, node.slice.value)


def _under_key(case: Case, holder: ast.expr, key: object) -> Iterator[ast.expr]:
    """Return what a dictionary, which may be in another one, has under a key."""
    dicts = [*_settings(case, holder)]
    if isinstance(holder, ast.Subscript) and isinstance(holder.slice, ast.Constant):
        dicts += _under_key(case, holder.value, holder.slice.value)
    for held in dicts:
        if isinstance(held, ast.Dict):
            pairs = zip(held.keys, held.values, strict=True)
            yield from (v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key)
        elif isinstance(held, ast.Call):
            yield from (each.value for each in held.keywords if each.arg == key)


def _settings(case: Case, holder: ast.expr, depth: int = 4) -> Iterator[ast.expr]:
    """Return what an expression stands for, followed through variables, arguments and attributes: a dictionary, a call,
    or the name of a class."""
    yield holder
    given: list[ast.expr | None] = []
    if isinstance(holder, ast.Name):
        given = [case.assigned(holder.id, 10**9), *arguments(case, holder)]
    elif isinstance(holder, ast.Attribute):
        given = [*values_of(case, case.source(holder))]
    for each in given if depth else ():
        if each is not None and each is not holder:
            yield from _settings(case, each, depth - 1)


def _configured(case: Case, node: ast.Attribute) -> Iterator[ast.expr]:
    """Return what an object of settings was given for an attribute, and its default in the class or on the command
    line: `Config(lr=1.0).lr`."""
    held = [*_settings(case, node.value)]
    made = [each for each in held if isinstance(each, ast.Call)]
    classes = {name_of(each) if isinstance(each, ast.Call) else case.source(each) for each in held}
    for each in [one for one in case.statements if isinstance(one, ast.Assign)]:  # in the body of a class
        holder = case.class_of(each) if case.function_of(each) is None else None
        own = holder is not None and (holder.name in classes or ("self" in classes and holder is case.class_of(node)))
        if own and case.source(each.targets[0]) == node.attr:
            yield each.value
    yield from (each.value for call in made for each in call.keywords if each.arg == node.attr)
    for field in [one for one in case.statements if isinstance(one, ast.AnnAssign) and one.value is not None]:
        holder = case.class_of(field)
        if holder is not None and holder.name in classes and case.source(field.target) == node.attr:
            yield field.value or ast.Constant(None)
    for call in [each for each in case.calls if name_of(each) == "add_argument" and each.args]:
        if case.source(call.args[-1]).strip("\"'-").replace("-", "_") == node.attr:
            yield from (each.value for each in call.keywords if each.arg == "default")


def arguments(case: Case, name: ast.Name) -> Iterator[ast.expr]:
    """Return what the calls of the function around a name pass for its parameter of that name, then its default."""
    function = case.function_of(name)
    if not isinstance(function, ast.FunctionDef):
        return
    names, keywords = ([each.arg for each in part] for part in (function.args.args, function.args.kwonlyargs))
    if name.id not in (*names, *keywords):
        return
    holder = case.class_of(function) if function.name == "__init__" else None
    called = holder.name if isinstance(holder, ast.ClassDef) else function.name
    place = names.index(name.id) - (names[0] == "self") if name.id in names else len(names)
    for call in [each for each in case.calls if name_of(each) == called]:
        yield from (each.value for each in call.keywords if each.arg == name.id)
        yield from call.args[place : place + 1]
    defaults: dict[str, ast.expr | None] = dict(zip(keywords, function.args.kw_defaults, strict=True))
    defaults |= zip(reversed(names), reversed(function.args.defaults), strict=False)
    given = defaults.get(name.id)
    if given is not None:
        yield given


def optimizer_anew(case: Case) -> Iterator[Hit]:
    """An optimizer that counts its steps and is made anew before each of them."""
    trace, rows = case.trace, defaultdict[int, list[int]](list)
    updates = trace.updates
    for row, tensor in enumerate(updates.tensor.tolist()):
        rows[tensor].append(row)
    often = [each for each in rows.values() if len(each) >= SEVERAL]
    firsts = [each for each in often if all(_is_first(case, row) for row in each)]
    if not firsts:
        return
    step = int(updates.step[firsts[0][1]])
    name = str(trace.optimizers.name[trace.optimizers.step.tolist().index(step)])
    makings = [each for each in case.calls if name_of(each) == name and (case.loop_of(each) or case.function_of(each))]
    if len(makings) != 1:
        return
    line = makings[0].lineno
    why = f"Line {line} makes a new {name} for each of the {len(firsts[0])} steps: each step is the first of its "
    why += "optimizer, without any memory of the gradients before."
    offered = fixes(("before the loop", _before_loops(case, makings[0])))
    yield Hit(line, step + 1, why, "Make the optimizer once, before the loop.", offered)


def _is_first(case: Case, row: int) -> bool:
    """Whether an update is the first of its optimizer: that which it counts so, or after which what it remembers is the
    gradient itself, as for SGD with momentum."""
    updates, kept = case.trace.updates, int(case.trace.updates.average[row])
    if updates.count[row] or kept < 0:
        return bool(updates.count[row] == 1)
    grad = case.trace.frame_at(int(updates.step[row])).grad(int(updates.tensor[row]))
    remembered, plain = case.array(kept), "weight_decay" not in str(updates.settings[row])
    if not plain or remembered is None or grad is None or grad.array is None:
        return False
    return bool(grad.array.any()) and np.array_equal(remembered, grad.array)


SEVERAL = 3  # steps


def _before_loops(case: Case, call: ast.Call) -> str | None:
    """Move the statement with a call before all loops around it, or around the only call of its function, if it needs
    nothing that they make."""
    used, function = call, case.function_of(call)
    loops = [each for each in case.around(call) if isinstance(each, (ast.For, ast.While))]
    if isinstance(function, ast.FunctionDef) and (not loops or case.function_of(loops[-1]) is not function):
        called = [each for each in case.calls if name_of(each) == function.name and receiver_of(each) is None]
        if len(called) != 1 or case.function_of(called[0]) is not None or not _are_passed(case, call, called[0]):
            return None
        used = called[0]
        loops = [each for each in case.around(used) if isinstance(each, (ast.For, ast.While))]
    if not loops or case.function_of(used) is not case.function_of(loops[-1]):
        return None
    names = [(each.id, type(each.ctx)) for each in ast.walk(loops[-1]) if isinstance(each, ast.Name)]
    needed = {each.id for each in ast.walk(call) if isinstance(each, ast.Name)}
    if any(name in needed and ctx is ast.Store for name, ctx in names):
        return None
    if used is call:
        return edits.moved(case.text, call.lineno, before=loops[-1].lineno)
    statement = case.statement(call.lineno)
    text = edits.insert_before(case.text, loops[-1].lineno, case.source(statement)) if statement is not None else None
    return edits.without_statement(text, call.lineno) if text is not None else None


def _are_passed(case: Case, made: ast.Call, called: ast.Call) -> bool:
    """Whether a call passes each argument of its function that an expression needs under its own name."""
    function = case.function_of(made)
    if not isinstance(function, ast.FunctionDef):
        return False
    needed = names_in(made)
    given = dict(zip((each.arg for each in function.args.args), map(case.source, called.args), strict=False))
    given |= {each.arg: case.source(each.value) for each in called.keywords if each.arg is not None}
    own = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    return not needed & own and all(given.get(each) == each for each in needed & names)


def lr_too_large(case: Case) -> Iterator[Hit]:
    """The loss increases from step to step."""
    losses, calls = _losses(case)
    if len(losses) < 3 or not (_is_thrown(case, losses) or (_is_climbing(losses) and _overshoots(case, calls))):
        return
    if _moved(case) < _FAR:  # the data of the later steps are harder
        return
    line, node, rate = learning_rate(case, calls)
    if line <= 0:
        return
    finite = [each for each in losses if math.isfinite(each)]
    why = f"The loss climbs from {finite[0]:.4g} to {losses[-1]:.4g} in {len(losses)} iterations: with a learning rate "
    why += f"of {rate:g} each step jumps over the minimum and lands higher on the other side."
    thrown = 10 ** math.floor(math.log10(rate / 1000)) if _is_thrown(case, losses) and rate > 0 else math.inf
    smaller = f"{min(float(_smaller(losses, rate)), thrown):g}"
    text = edits.replace_node(case.text, node, smaller) if node is not None else None
    step = int(case.trace.calls.step[calls[1]]) + 1
    yield Hit(line, step, why, "Make it ten times smaller to begin with.", fixes((f"lr={smaller}", text)))


def slowed(case: Case) -> tuple[Fix, ...]:
    """Take steps as long as Adam's usual ones, or a thousandth of those that killed a layer."""
    _, node, rate = learning_rate(case)
    smaller = f"{min(1e-3, 10 ** math.floor(math.log10(rate / 1000))):g}" if rate > 0 else ""
    text = edits.replace_node(case.text, node, smaller) if node is not None and smaller else None
    return fixes((f"lr={smaller}", text))


def _is_thrown(case: Case, losses: list[float]) -> bool:
    """Whether the first step moved the weights so far that no later loss is close to the first one."""
    finite = [each for each in losses if math.isfinite(each)]
    return len(finite) > 2 and 0 < 20 * finite[0] < min(finite[1:]) and _moved(case) > 10


def _overshoots(case: Case, calls: list[int]) -> bool:
    """Whether the gradients reverse from step to step and grow: each step lands on the other side, higher up."""
    trace, turned, steady = case.trace, 0, 0
    gradients = [_gradients(case, call) for call in calls[:40]]
    for one, other in itertools.pairwise(gradients):
        both = [(one[each], other[each]) for each in one if each in other]
        product = sum(float((a * b).sum()) for a, b in both)
        if not both or not math.isfinite(product):
            continue
        turned += product < 0
        steady += product >= 0
    adaptive = any(str(each) != "SGD" for each in trace.optimizers.name)
    return turned > steady or (adaptive and turned > 0)


def _gradients(case: Case, call: int) -> dict[int, NDArray[np.float64]]:
    """Return what a call sent to each leaf, as far as its elements were kept."""
    trace, found = case.trace, {}
    low, high = int(trace.calls.step[call]), int(min(trace.calls.end[call], len(trace))) + 1
    frame = trace.frame_at(low)
    rows = np.flatnonzero((trace.arrivals.step >= low) & (trace.arrivals.step <= high) & (trace.arrivals.tensor >= 0))
    for row in rows.tolist():
        tensor = int(trace.arrivals.tensor[row])
        leaf = tensor in case.events or (frame.is_leaf(tensor) and frame.requires_grad(tensor))
        array = case.array(int(trace.arrivals.total[row])) if leaf else None
        if array is not None and array.dtype.kind == "f":
            found[tensor if case.events else _variables(case).get(tensor, tensor)] = array.astype(np.float64)
    return found


def _is_climbing(losses: list[float]) -> bool:
    finite = [each for each in losses if math.isfinite(each)]
    if len(finite) < 2:
        return False
    rising = np.mean(np.diff(finite) > 0)
    if finite[0] <= 0:  # of a loss without a lower bound only the steps can be compared
        steps = np.abs(np.diff(finite))
        return bool(len(steps) > 3 and rising >= 0.75 and steps[-1] > 2 * steps[0] and finite[-1] > finite[0])
    if len(finite) >= 10 and max(finite) > 10 * finite[0] and min(finite[1:]) > 2 * finite[0]:
        return True
    return bool((finite[-1] > 2 * finite[0] or len(finite) < len(losses)) and rising >= 0.75 and finite[-1] > finite[0])


def _smaller(losses: list[float], rate: float) -> str:
    """Return a rate at which gradient descent converges on a parabola of this steepness; on what grows faster than on
    any parabola, a thousandth."""
    finite = [each for each in losses if math.isfinite(each) and each > 0]
    growths = [math.sqrt(other / one) for one, other in itertools.pairwise(finite)] or [10.0]
    growth = growths[-1] if growths[-1] < max(growths[0], 2.0) ** 1.5 else min(growths[-1], 500.0)
    wanted = rate / (1 + max(growth, 1.0)) / 2
    return f"{10 ** math.floor(math.log10(wanted)):g}" if wanted > 0 else "0.01"


def lr_too_small(case: Case) -> Iterator[Hit]:
    """The loss hardly changes although there is a slope."""
    losses, calls = _losses(case)
    if len(losses) < 5 or not all(math.isfinite(each) for each in losses):
        return
    line, node, rate = learning_rate(case, calls)
    still = 0 < rate <= 1e-6 and _moved(case) < 1e-5
    if losses[0] <= 0 and not still:
        return
    yield from _worn_out(case, losses, calls)
    usual = 1e-6 if _is_adaptive(case) else 1e-4  # with Adam, 1e-5 is usual for fine-tuning
    if line <= 0 or not 0 < rate <= usual or (abs(losses[-1] - losses[0]) > 2e-3 * losses[0] and not still):
        return
    slope = _slope(case, calls[0])
    if slope < 1e-3 * abs(losses[0]):
        return
    first, last = (f"{each:.5g}" for each in (losses[0], losses[-1]))
    went = f"stayed at {first}" if first == last else f"went from {first} to {last}"
    why = f"In {len(losses)} iterations the loss {went}: with a learning rate "
    why += f"of {rate:g} nothing moves, although the gradient is {slope:.3g}."
    text = edits.replace_node(case.text, node, f"{_larger(losses, slope, rate):g}") if node is not None else None
    step = int(case.trace.calls.step[calls[-1]]) + 1
    yield Hit(line, step, why, "Make it a hundred times larger to begin with.", fixes(("a larger lr", text)))


def _is_adaptive(case: Case) -> bool:
    """Whether the optimizer divides by the size of the gradients, so that a step is as long as the learning rate."""
    return bool((case.trace.updates.square >= 0).any())


def _moved(case: Case) -> float:
    """Return how far the leaf that moved most went, relative to its size, among those that got gradients; if none kept
    one, among those that were written to or whose name a new one got."""
    trace, found = case.trace, 0.0
    for first, last in [] if case.events else _renewed(case):
        if first.shape == last.shape:
            moved = float(np.linalg.norm(last - first)) / (float(np.linalg.norm(first)) or 1.0)
            found = max(found, moved if math.isfinite(moved) else math.inf)
    for tensor in case.events or {*trace.writes.tensor.tolist()}:
        before, now = case.first_value(tensor), trace.frame_at(len(trace)).value(tensor)
        if before is None or now is None or now.array is None or now.array.shape != before.shape:
            return 1.0
        size = float(np.linalg.norm(before.astype(np.float64)))
        if not np.isfinite(now.array).all():
            return math.inf
        found = max(found, float(np.linalg.norm(now.array.astype(np.float64) - before)) / (size or 1.0))
    return found


def _variables(case: Case) -> dict[int, int]:
    """Return for each tensor the first one that a name of it was bound to."""
    bound = case.bound.values()
    pairs = [(each, tensors[0]) for _, tensors in bound for each in tensors]
    return case.trace.kept("variables", lambda: dict(reversed(pairs)))


def _renewed(case: Case) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the first and last numbers of each variable that has meant several leaves: `w = (w - lr * g).detach()`."""
    for name, (_, tensors) in case.bound.items():
        leaves = [each for each in dict.fromkeys(tensors) if requires(case, each, len(case.trace))]
        arrays = [case.first_value(each) for each in (leaves[0], leaves[-1])] if len(leaves) > 2 else []
        if name.isidentifier() and all(each is not None for each in arrays) and arrays:
            yield arrays[0].astype(np.float64), arrays[1].astype(np.float64)  # type: ignore[union-attr]


def _worn_out(case: Case, losses: list[float], calls: list[int]) -> Iterator[Hit]:
    """A schedule that has made the learning rate so small that most steps change nothing."""
    settings = case.trace.updates.settings
    rates = [float(found[1]) for each in settings if (found := re.search(r"\blr=([\d.e+-]+)", str(each)))]
    makers = [each for each in case.calls if case.source(each.func).split(".")[-2:-1] == ["lr_scheduler"]]
    makers += [each for each in case.calls if name_of(each).endswith("LR")]
    if len(rates) < 10 or not makers or np.mean(np.array(rates) < 1e-5 * max(rates)) < 0.75:
        return
    if abs(losses[-1] - losses[len(losses) // 4]) > 1e-3 * losses[0] or _slope(case, calls[-1]) < 1e-3 * losses[0]:
        return
    why = f"The schedule takes the learning rate from {max(rates):g} to {rates[-1]:.2g} within a few steps: in most of "
    why += f"{len(losses)} steps nothing moves, although the gradient is still {_slope(case, calls[-1]):.3g}."
    advice = "Let the schedule make it smaller more slowly."
    yield Hit(makers[0].lineno, int(case.trace.calls.step[calls[-1]]) + 1, why, advice)


def _larger(losses: list[float], slope: float, rate: float) -> float:
    wanted = max(min(0.1 * abs(losses[0]) / slope**2, 0.1), 10 * rate)
    return float(10 ** math.floor(math.log10(wanted)))


def _slope(case: Case, call: int) -> float:
    """Return the norm of all gradients that a call left at the leaves, or returned for them."""
    trace = case.trace
    low, high = int(trace.calls.step[call]), int(min(trace.calls.end[call], len(trace))) + 1
    rows = np.flatnonzero((trace.grads.step >= low) & (trace.grads.step <= high) & (trace.grads.value >= 0))
    left = float(np.sqrt(np.square(trace.values.norm[trace.grads.value[rows]]).sum()))
    return left or math.sqrt(sum(float(np.square(each).sum()) for each in _gradients(case, call).values()))


# -- identical weights


def equal_weights(case: Case) -> Iterator[Hit]:
    """Units that start identical, get identical gradients, and stay identical."""
    trace = case.trace
    for tensor, events in sorted(case.events.items()):
        added = [event for event in events if event.what == "added"]
        if len(case.shape(tensor)) < 2 or not added:
            continue
        step = int(trace.calls.step[case.call_of(added[0].step)])
        frame = trace.frame_at(step)
        value = frame.value(tensor)
        found = value.array if value is not None else None
        axis = _unit_axis(case, tensor)
        if found is None or axis < 0 or found.shape[axis] < 2 or not _alike(found, axis):
            continue
        if not any(event.what == "updated" for event in events):
            continue
        if not all((grad := case.array(event.value)) is not None and _alike(grad, axis) for event in added):
            continue
        if not _is_hidden(case, tensor):
            continue
        yield _symmetric(case, tensor, step + 1, found, axis)
        return
    yield from _alike_to_the_end(case)


def _alike_to_the_end(case: Case) -> Iterator[Hit]:
    """The same for weights without a .grad, as autograd.grad() returned their gradients: they begin and end alike."""
    trace = case.trace
    begin, end = int(trace.calls.step[0]) if len(trace.calls) else len(trace), len(trace)
    written = {*trace.writes.tensor[trace.writes.step > begin].tolist()} - case.events.keys()
    for tensor in sorted(written):
        axis = _unit_axis(case, tensor) if len(case.shape(tensor)) > 1 else -1
        values = [trace.frame_at(step).value(tensor) for step in (begin, end)]
        arrays = [value.array for value in values if value is not None and value.array is not None]
        if axis < 0 or len(arrays) < 2 or arrays[0].shape[axis] < 2 or not requires(case, tensor, end):
            continue
        if all(_alike(array, axis) for array in arrays) and _is_hidden(case, tensor):
            yield _symmetric(case, tensor, begin + 1, arrays[0], axis)
            return


def _unit_axis(case: Case, tensor: int) -> int:
    """Return the axis of a weight along which its units lie: 0 for a Linear, 1 for x @ W; -1 if it is not used in a
    product."""
    trace = case.trace
    for user in trace.users_of(tensor).tolist():
        op = str(trace.nodes.op[user])
        if op in ("t", "linear", "transpose") or (op == "permute" and trace.nodes.params[user] == "dims=(1, 0)"):
            return 0
        if op == "convolution" and case.read_by(user)[1] == tensor:
            return 0
        if op in ("mm", "addmm", "matmul"):
            read = case.read_by(user)
            return 1 if read[-1] == tensor else 0
    return -1


def _alike(array: NDArray[np.generic], axis: int) -> bool:
    """Whether all units are the same, up to the rounding of sums of numbers as large as the largest."""
    size = float(np.abs(array).max(initial=0))
    return bool(np.allclose(array, np.take(array, [0], axis), rtol=1e-5, atol=1e-5 * size + 1e-9))


def _is_hidden(case: Case, tensor: int) -> bool:
    """Whether the result of a weight passes through another product with weights."""
    trace, products, queue = case.trace, 0, [tensor]
    seen = {tensor}
    for each in queue:
        for user in trace.users_of(each).tolist()[:4]:  # in the first iterations
            if trace.nodes.op[user] in ("mm", "addmm", "matmul", "linear", "mv", "convolution") and each != tensor:
                products += trace.nodes.op[int(trace.tensors.producer[each])] != "t"
            for made in trace.outputs_of(user).tolist():
                if made not in seen and len(queue) < 200:
                    seen.add(made)
                    queue.append(made)
    return products > 0


def _symmetric(case: Case, tensor: int, step: int, value: NDArray[np.generic], axis: int) -> Hit:
    name, count = case.name(tensor), value.shape[axis]
    line, fix = _initialised(case, tensor)
    zero = not value.any()
    what = "zeros" if zero else "equal numbers"
    why = f"{name} begins with {what}, so its {count} units compute the same, get the same gradient and stay the same "
    why += "for ever: the layer is worth one unit." + (
        " Zeros let no gradient through to the layer before." if zero else ""
    )
    users = case.trace.users_of(tensor).tolist()
    filled = bool(users) and case.trace.nodes.line[users[0]] == line
    marks = case.mark(users[0], f"{'fills' if filled else 'uses'} {name}") if users else ()
    step = marks[0].step if filled else step  # not when a loop fills the others
    return Hit(line, step, why, "Begin with different random numbers.", fix, marks)


def _initialised(case: Case, tensor: int) -> tuple[int, tuple[Fix, ...]]:
    """Return the line that initialised a weight."""
    line = case.begun(tensor)
    for call in [each for each in case.on_line(line) if isinstance(each, ast.Call)]:
        name = name_of(call)
        if name in ("zeros", "ones", "full"):
            sizes = case.source(call.args[0]) if name == "full" else ", ".join(map(case.source, call.args))
            rest = "".join(f", {each.arg}={case.source(each.value)}" for each in call.keywords)
            return line, fixes(("randn", edits.replace_node(case.text, call, f"torch.randn({sizes}{rest})")))
        if name in ("constant_", "zeros_", "ones_"):
            held = case.source(call.func)[: -len(name)]
            code = f"{held}normal_({case.source(call.args[0])}, std=0.5)" if call.args else ""
            return line, fixes(("normal_", edits.replace_node(case.text, call, code) if code else None))
        if name in ("fill_", "zero_"):
            held = case.source(call.func)[: -len(name)]
            return line, fixes(("normal_", edits.replace_node(case.text, call, f"{held}normal_(std=0.5)")))
    return line, ()
