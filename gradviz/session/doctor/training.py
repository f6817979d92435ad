"""Training loops whose gradients accumulate, or are cleared before they are used; writes and plain numbers that
autograd does not notice. Which parameters are trained at all is in `parameters`, graphs that are kept in `kept`,
numbers that diverge in `magnitudes`."""

from __future__ import annotations

import ast
import bisect
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Event, Fix, Hit, fixes, once
from gradviz.session.doctor.cuts import Cut, computed_from, cut_hit, taken_out
from gradviz.session.doctor.magnitudes import is_summand
from gradviz.session.doctor.text import name_of, receiver_of, uncalled, uses
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import BY_NUMPY

# -- gradients that accumulate, or are cleared too early


def not_zeroed(case: Case) -> Iterator[Hit]:
    """A gradient that was used for an update still exists when the next one is added, and is used again."""
    found = min(filter(None, (_stale(case, *each) for each in leaves(case))), default=None)
    if found is None and not case.updates:
        piled = [_piled(case, *each) or _piled_in_turn(case, *each) for each in leaves(case)]
        found = min(filter(None, piled), default=None)
    if found is None:
        return
    step, tensor, old, new = found
    line, name = case.line_of(step), case.name(tensor)
    before, after = case.trace.value(old), case.trace.value(new)
    numbers = f": {before.brief()} became {after.brief()}" if before is not None and after is not None else ""
    why = f"backward() on line {line} adds to what {name}.grad holds already{numbers}. The older gradient was used "
    why += "before and was never cleared, so it counts again and again."
    senders = [
        int(n) for n in case.trace.arrivals.from_node[case.trace.history("arrivals", "tensor").all(tensor)] if n >= 0
    ]
    marks = case.mark(senders[-1], f"adds to {name}.grad") if senders else ()
    advice = "Clear the gradients before each backward(): optimizer.zero_grad(), or .grad = None."
    named = uncalled(case, "zero_grad")
    if named is not None:
        code = f"{case.source(named)}()"
        why += f" Line {named.lineno} only names zero_grad."
        offered = fixes((code, edits.replace_node(case.text, named, code)))
        yield Hit(named.lineno, step + 1, why, f"Write the brackets: {code}.", offered, marks)
        return
    yield Hit(line, step + 1, why, advice, _clearing(case, line, tensor), marks)


def summed_twice(case: Case) -> Iterator[Hit]:
    """A second backward() from the same root that does not fail, because nothing was saved: gradients double."""
    trace, calls = case.trace, case.trace.calls
    first: dict[int, int] = {}
    for call in range(len(calls) if not case.raised else 0):
        for root in trace.roots_of(call).tolist():
            before = first.setdefault(root, call)
            if before == call or (calls.retain_graph | calls.create_graph)[[before, call]].any():
                continue
            pairs = ((leaf, itertools.pairwise(events)) for leaf, events in leaves(case))
            doubled = [
                leaf for leaf, events in pairs for one, other in events
                if (one.what, other.what) == ("added", "added") and case.call_of(other.step) == call
                and case.call_of(one.step) == before
            ]  # fmt: skip
            if not doubled:
                continue
            line, names = int(calls.line[call]), ", ".join(case.name(leaf) for leaf in doubled[:3])
            why = f"Line {line} calls backward() of {case.name(root)} a second time. Nothing was saved that could be "
            why += f"missing, so there is no error: the same gradients are added to {names} again."
            same = line != int(calls.line[before])
            text = edits.without_statement(case.text, line) if same else None
            advice = "Call backward() once for each loss."
            yield Hit(line, int(calls.step[call]) + 1, why, advice, fixes(("without the second call", text)))
            return


def summed_again(case: Case) -> Iterator[Hit]:
    """backward() from a sum of losses each of which has gone backward by itself: every gradient is added twice."""
    trace, calls = case.trace, case.trace.calls
    before = defaultdict[int, set[int]](set)  # the roots of the calls so far, and the lines where each went backward
    for call in range(len(calls) if not case.raised else 0):
        roots = trace.roots_of(call).tolist()
        queue = roots[:1]
        for each in queue:
            node = int(trace.tensors.producer[each])
            queue += case.read_by(node) if node >= 0 and trace.nodes.op[node] in ("add", "sum", "mean", "div") else []
        gone = before.keys() & {*queue[1:]}
        doubled = [
            leaf for leaf, events in (leaves(case) if len(gone) > 1 else ())
            if [event.what for event in events[: len(gone) + 1]] == ["added"] * (len(gone) + 1)
        ]  # fmt: skip
        if doubled:
            line, names = int(calls.line[call]), ", ".join(case.name(leaf) for leaf in doubled[:3])
            why = f"Line {line} calls backward() of the sum of {len(gone)} losses, each of which has gone backward by "
            why += f"itself before: the same gradients are added to {names} once more."
            earlier = set.union(*(before[each] for each in gone))
            first = edits.without_statement(case.text, earlier.pop()) if len(earlier) == 1 else None
            offered = fixes(("of the sum only", first), ("of each only", edits.without_statement(case.text, line)))
            advice = "Call backward() of each loss, or once of their sum."
            yield Hit(line, int(calls.step[call]) + 1, why, advice, offered)
            return
        for each in roots:
            before[each].add(int(calls.line[call]))


def leaves(case: Case) -> list[tuple[int, list[Event]]]:
    return sorted(case.events.items())


Stale = tuple[int, int, int, int]  # step, leaf, value before, value after


def _stale(case: Case, tensor: int, events: list[Event]) -> Stale | None:
    """Return gradients that were added, used, added again without being cleared, and used again: those of the line that
    had added the used ones, if it is one of several."""
    held, lines, used, again = -1, set[int](), False, list[Stale]()
    for event in events:
        if event.what == "added":
            again += [(event.step, tensor, held, event.value)] if used else []
            lines |= set() if used else {case.line_of(event.step)}
            held = event.value
        elif event.what == "updated" and held >= 0:
            if again:
                return next((each for each in again if case.line_of(each[0]) in lines), again[0])
            used = True
        elif event.what == "clipped" and held >= 0:
            held = event.value
        elif event.what in ("cleared", "changed"):
            held, lines, used, again = -1, set(), False, []
    return None


def _piled(case: Case, tensor: int, events: list[Event]) -> Stale | None:
    """Return gradients that one line adds again and again, that are never cleared or used, and read every time."""
    if any(event.what != "added" for event in events) or len(events) < 2:
        return None
    lines = [case.line_of(event.step) for event in events]
    calls = [case.call_of(event.step) for event in events]
    if len({*lines}) > 1 or len({*calls}) < 2 or lines[0] <= 0:
        return None
    if {*case.trace.roots_of(calls[0]).tolist()} & {*case.trace.roots_of(calls[1]).tolist()}:
        return None
    backward = case.called("backward", lines[0])
    where = case.loop_of(backward) or case.function_of(backward) if backward is not None else None
    if where is None or not _reads_grad(where) or not _may_read(case, where, tensor):
        return None
    if not _twice_as_much(case, events) and not (_of_other_functions(case, calls) and _keeps_grad(where)):
        return None
    return events[1].step, tensor, events[0].value, events[1].value


def _piled_in_turn(case: Case, tensor: int, events: list[Event]) -> Stale | None:
    """Return gradients of several functions that lines add one after the other, which are never cleared or used, and
    read after each; unless the text says that they add up."""
    if any(event.what != "added" for event in events) or len(events) < 2 or _ADDING.search(case.text):
        return None
    calls, lines = [case.call_of(each.step) for each in events], [case.line_of(each.step) for each in events]
    if sorted({*lines}) != lines or not _of_other_functions(case, calls):
        return None
    backward = [case.called("backward", line) for line in lines]
    if any(each is None or case.function_of(each) or case.loop_of(each) for each in backward):
        return None
    reads = [
        n for n in case.walked if isinstance(n, ast.Attribute) and n.attr == "grad" and isinstance(n.ctx, ast.Load)
    ]
    reads = [n for n in reads if tensor in case.were(n.value, len(case.trace) + 1)]
    after = [bisect.bisect_left(lines, node.lineno) for node in reads]
    if {*after} < {*range(1, len(lines) + 1)}:
        return None
    return events[1].step, tensor, events[0].value, events[1].value


_ADDING = re.compile(r"accum|add(s|ed)? (up|to|together)|sum of|grow", re.IGNORECASE)


def _may_read(case: Case, where: ast.AST, tensor: int) -> bool:
    """Whether a .grad that is read may be this tensor's: all others are known to be those of other tensors."""
    read = [node.value for node in ast.walk(where) if isinstance(node, ast.Attribute) and node.attr == "grad"]
    were = [case.were(each, len(case.trace) + 1) for each in read]
    return any(not each or tensor in each for each in were)


def _twice_as_much(case: Case, events: list[Event]) -> bool:
    """Whether the second gradient equals the first one: nobody wants their sum."""
    first, second = case.array(events[0].value), case.array(events[1].value)
    return first is not None and second is not None and bool(np.allclose(2 * first, second, rtol=1e-4))


def _of_other_functions(case: Case, calls: list[int]) -> bool:
    """Whether each call went back through operations other than those of the call before: derivatives of several
    functions."""
    steps, node = case.trace.steps, case.trace.steps.node
    through = []
    for call in calls:
        rows = np.flatnonzero((steps.kind == Kind.BACKWARD) & (steps.call == call) & (node >= 0))
        through.append([(str(case.trace.nodes.op[n]), str(case.trace.nodes.params[n])) for n in node[rows].tolist()])
    return all(one != other for one, other in itertools.pairwise(through))


def _keeps_grad(where: ast.AST) -> bool:
    """Whether a .grad is bound to a name, put into a list or printed where it is computed."""
    for node in ast.walk(where):
        kept = node.value if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Call) and name_of(node) in ("append", "print") and node.args:
            kept = ast.Tuple(node.args)
        if kept is not None and _reads_grad(kept):
            return True
    return False


def _reads_grad(where: ast.AST) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "grad" for node in ast.walk(where))


def _clearing(case: Case, line: int, tensor: int) -> tuple[Fix, ...]:
    """Clear the gradients before the backward on a line."""
    backward = case.called("backward", line)
    for step in case.optimizer_steps:
        call = case.called("step", case.line_of(step))
        held = receiver_of(call) if call is not None else None
        updates = case.trace.updates
        if call is None or held is None or tensor not in updates.tensor[updates.step == step]:
            continue
        code = f"{case.source(held)}.zero_grad()"
        same = backward is not None and case.function_of(call) is case.function_of(backward)
        if same and not _is_sometimes(case, call, backward):
            before = _for_each(case, call, held, code)
            return fixes((f"{code} first", edits.insert_before(case.text, _first_before(case, call, line), before)))
        return fixes((f"{code} after the step", edits.insert_after(case.text, call.lineno, code)))
    by_hand = _cleared_by_hand(case, line)
    kinds = {str(each) for each in case.trace.optimizers.name} | {"LBFGS"}  # its steps are those of its closure
    for each in case.statements if by_hand is None else ():  # LBFGS steps where its closure calls backward()
        made = each.value if isinstance(each, ast.Assign) and case.function_of(each) is None else None
        if isinstance(each, ast.Assign) and isinstance(made, ast.Call) and name_of(made) in kinds:
            code = f"{case.source(each.targets[0])}.zero_grad()"
            return fixes((f"{code} first", edits.insert_before(case.text, line, code)))
    return fixes((".grad = None first", by_hand))


def _for_each(case: Case, step: ast.Call, held: ast.expr, code: str) -> str:
    """Return the code, in a loop like that around the step if only this binds what is stepped."""
    named = {each.id for each in ast.walk(held) if isinstance(each, ast.Name)}
    for block in case.around(step):
        if (
            isinstance(block, ast.For)
            and len(block.body) == 1
            and named & {each.id for each in ast.walk(block.target) if isinstance(each, ast.Name)}
        ):
            return f"for {case.source(block.target)} in {case.source(block.iter)}:\n    {code}"
    return code


def _first_before(case: Case, step: ast.Call, line: int) -> int:
    """Return the line of the first backward() for a step of an optimizer: the given one, or if this is for the step of
    another optimizer, the first after the step before."""
    here = [each for each in case.calls if case.function_of(each) is case.function_of(step)]
    earlier = [each.lineno for each in here if name_of(each) == "step" and each.lineno < step.lineno]
    own = range(max(earlier, default=0), step.lineno + 1)
    found = [each.lineno for each in here if name_of(each) == "backward" and each.lineno in own]
    return line if line in own or not found else min(found)


def _is_sometimes(case: Case, step: ast.Call, backward: ast.Call | None) -> bool:
    """Whether several backward passes are followed by one step: gradients are accumulated on purpose."""
    block = next((each for each in case.around(step) if isinstance(each, (ast.If, ast.For, ast.While))), None)
    return isinstance(block, ast.If) and backward is not None and backward not in ast.walk(block)


def _cleared_by_hand(case: Case, line: int) -> str | None:
    backward = case.called("backward", line)
    here = case.function_of(backward) if backward is not None else None
    names, text = [], case.text
    for leaf, events in case.events.items():
        if any(event.what == "added" and case.line_of(event.step) == line for event in events):
            names.append((leaf, case.name(leaf)))
    once = len({name for _, name in names}) == len(names)  # not a loop's name for each of them
    if once and all(_is_visible(case, name, here, line) for _, name in names):
        return edits.insert_before(text, line, "\n".join(f"{name}.grad = None" for _, name in names))
    for statement in reversed(case.statements):
        held = _updated_by(case, statement)
        if held:
            text = edits.insert_after(text, statement.lineno, f"{held}.grad = None") or text
    if text != case.text:
        return text
    codes = dict.fromkeys(_cleared_at_once(case, leaf, here, line) for leaf, _ in names)
    return edits.insert_before(text, line, "\n".join(codes)) if "" not in codes else None


def _cleared_at_once(case: Case, leaf: int, function: ast.AST | None, line: int) -> str:
    """Return the code that clears the gradient of a leaf by its name or through its module, "" for neither."""
    name, names = case.name(leaf), case.trace.names
    if _is_visible(case, name, function, line):
        return f"{name}.grad = None"
    owners = {str(names.owner[row]).partition("[")[0] for row in case.trace.history("names", "tensor").all(leaf)}
    owners = {each for each in owners if each and _is_visible(case, each, function, line)}
    return f"{min(owners, key=len)}.zero_grad()" if owners else ""


def _is_visible(case: Case, name: str, function: ast.AST | None, line: int) -> bool:
    """Whether a name can be used on a line of a function."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    first = name.split(".")[0]
    bound = [
        node
        for node in case.walked
        if isinstance(node, ast.Name) and node.id == first and isinstance(node.ctx, ast.Store)
    ]
    own = [node for node in bound if case.function_of(node) is function]
    outer = function is not None and any(case.function_of(node) is None for node in bound)
    return (any(node.lineno < line for node in own) or (outer and not own)) and name in case.text


def _updated_by(case: Case, statement: ast.stmt) -> str:
    """Return the `p` of a statement that changes p by p.grad."""
    if not isinstance(statement, (ast.AugAssign, ast.Expr)):
        return ""
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            held = case.source(node.value)
            changed = statement.target if isinstance(statement, ast.AugAssign) else statement.value
            return held if case.source(changed).startswith(held) else ""
    return ""


@once
def zeroed_too_late(case: Case) -> Iterator[Hit]:
    """Gradients that are cleared between backward() and the step that should use them."""
    trace = case.trace
    used = defaultdict(set)
    for step, tensor in zip(trace.updates.step.tolist(), trace.updates.tensor.tolist(), strict=True):
        used[step].add(tensor)
    for step, cleared in sorted(_cleared_before(case).items()):
        if used[step] <= {tensor for _, tensor, _ in cleared}:
            at, tensor, value = min(cleared)
            yield _too_late(case, at, tensor, value, case.line_of(step))
            return
    for hit in _cleared_between(case):
        yield hit
        return
    for tensor, events in leaves(case):
        for first, second, third in zip(events, events[1:], events[2:], strict=False):
            whats = (first.what, second.what, third.what)
            if whats != ("added", "cleared", "updated") or min(first.value, second.value) < 0 or third.step in used:
                continue
            if "grad" in case.source(case.statement(case.line_of(third.step)) or ast.Pass()):
                yield _too_late(case, second.step, tensor, first.value, case.line_of(third.step))
                return


def _cleared_between(case: Case) -> Iterator[Hit]:
    """Gradients that are cleared after each pass, where only every second step or so uses them: zero_grad() is not
    under the `if` that step() is under."""
    for tensor, events in leaves(case):
        kept = [event for event in events if event.what not in ("changed", "clipped")]
        rows = [(event.what, case.line_of(event.step)) for event in kept]
        lost = [at for at in range(len(rows) - 1) if (rows[at][0], rows[at + 1][0]) == ("added", "cleared")]
        used = {line for (what, line), after in itertools.pairwise(rows) if what == "added" and after[0] == "updated"}
        for at in lost if used == {rows[each][1] for each in lost} else ():
            line, steps = rows[at + 1][1], [step for step in case.optimizer_steps if step > kept[at].step]
            step = case.called("step", case.line_of(steps[0])) if steps else None
            clears, backward = case.called("zero_grad", line), case.called("backward", rows[at][1])
            if step is None or clears is None or not _is_sometimes(case, step, backward) or line < step.lineno:
                continue
            block = next(each for each in case.around(step) if isinstance(each, ast.If))
            if block in case.around(clears) or case.loop_of(clears) is not case.loop_of(step):
                continue
            gone, name = case.trace.value(kept[at].value), case.name(tensor)
            why = f"Line {line} clears the gradients after each pass, but only some are followed by the step on line "
            was = gone.brief() if gone is not None else "there"
            why += f"{step.lineno}: {name}.grad was {was}, and is gone before "
            why += "any step has used it. Each step has the gradients of the last pass only."
            text = edits.insert_after(case.text, step.lineno, case.source(clears))
            text = edits.without_statement(text, line + 1) if text is not None else None
            advice = "Clear them only after the step has used them."
            yield Hit(line, kept[at + 1].step + 1, why, advice, fixes(("after the step", text)))
            return


def _cleared_before(case: Case) -> dict[int, list[tuple[int, int, int]]]:
    """Return by optimizer step: (step, leaf, cleared value) of gradients that were cleared before it used them."""
    found, steps = defaultdict[int, list[tuple[int, int, int]]](list), case.optimizer_steps
    for tensor, events in leaves(case):
        events = [each for each in events if each.what not in ("changed", "clipped")]
        for at, (first, second) in enumerate(itertools.pairwise(events)):
            if (first.what, second.what) != ("added", "cleared"):
                continue
            place = bisect.bisect_right(steps, first.step)
            later = next((event.step for event in events[at + 2 : at + 4] if event.what == "added"), len(case.trace))
            if place < len(steps) and second.step < steps[place] < later:
                found[steps[place]].append((second.step, tensor, first.value))
    return found


def _too_late(case: Case, step: int, tensor: int, value: int, line: int) -> Hit:
    at, gone = case.line_of(step), case.trace.value(value)
    why = f"Line {at} clears the gradients after backward() has filled them and before line {line} uses them"
    why += (
        f": {case.name(tensor)}.grad was {gone.brief()}, and is gone. Nothing is learned." if gone is not None else "."
    )
    calls = [call for call in case.trace.calls.step.tolist() if call < step]
    backward = case.line_of(calls[-1]) if calls else -1
    return Hit(
        at, step + 1, why, "Clear them before backward(), or after the step.", _in_time(case, at, backward, line)
    )


def _in_time(case: Case, at: int, backward: int, used: int) -> tuple[Fix, ...]:
    """Clear the gradients before backward(); after the update if they must exist, as for `w.grad.zero_()`."""
    statement, later, step = case.statement(at), case.statement(used), case.called("step", used)
    if statement is None or later is None:
        return ()
    function, call = case.function_of(statement), case.called("backward", backward)
    is_apart = function is not case.function_of(later) and (call is None or function is not case.function_of(call))
    if isinstance(function, ast.FunctionDef) and is_apart and used > backward > 0:
        calls = [each for each in case.calls if name_of(each) == function.name and backward < each.lineno < used]
        called = case.statement(calls[0].lineno) if len(calls) == 1 else None
        if called is not None and case.function_of(called) is case.function_of(later):
            block = case.parents.get(later)
            end = (block if isinstance(block, ast.With) else later).end_lineno or used
            return fixes(("after the update", edits.moved_after(case.text, calls[0].lineno, end, case.source(called))))
    loop = case.parents.get(statement)
    if used > at and step is not None and loop is case.parents.get(later) and _is_sometimes(case, step, call):
        return fixes(("after the step", edits.moved_after(case.text, at, used, case.source(statement))))
    if isinstance(loop, ast.For) and loop.body == [statement] and used > at:
        held = receiver_of(step) if step is not None else None
        shorter = edits.replaced(case.text, loop, f"{case.source(held)}.zero_grad()") if held is not None else None
        text = edits.moved(shorter, loop.lineno, before=backward) if shorter and backward < loop.lineno else None
        return fixes(("before backward()", text))
    if ".grad.zero_()" in case.source(statement) and used > at:
        block = case.parents.get(later)
        after = block if isinstance(block, ast.With) and statement not in ast.walk(block) else later
        longer = edits.after_statement(case.text, after, case.source(statement))
        return fixes(("after the update", edits.without_statement(longer, at) if longer else None))
    if isinstance(loop, ast.For) and step is not None and 0 < backward < loop.lineno:  # among other statements
        shorter, held = edits.without_statement(case.text, at), receiver_of(step)
        code = f"{case.source(held)}.zero_grad()" if held is not None else ""
        return fixes(("before backward()", edits.insert_before(shorter, backward, code) if shorter and code else None))
    text = edits.moved(case.text, at, before=backward) if 0 < backward < at else None
    if at < backward:  # in a function
        longer = edits.insert_before(case.text, backward, case.source(statement))
        text = edits.without_statement(longer, at) if longer else None
    elif text is None:
        shorter = edits.without_statement(case.text, at)
        text = edits.insert_before(shorter, backward, case.source(statement)) if shorter else None
    return fixes(("before backward()", text))


# -- writes and numbers that autograd does not notice


_THROUGH_DATA = (
    ".data",
    "Write after backward(), or make a new tensor; inside no_grad() a write is seen, and PyTorch would say so.",
)
_THROUGH_NUMPY = (
    "a NumPy array over its memory",
    "Write after backward(), or to a copy: torch.tensor(array) and tensor.numpy().copy() make one.",
)


def data_written(case: Case) -> Iterator[Hit]:
    """`.data` of a tensor, or a NumPy array over its memory, is written to after an operation saved it: the version
    counter does not notice."""
    trace, saved = case.trace, case.trace.saved
    if ".data" not in case.text and not (trace.nodes.op == BY_NUMPY).any():
        return
    steps = np.flatnonzero(trace.steps.kind == Kind.BACKWARD)
    ran = dict(zip(trace.steps.node[steps].tolist(), steps.tolist(), strict=True))
    for step, storage in sorted(
        {(int(s), int(o)) for s, o in zip(trace.versions.step, trace.versions.storage, strict=True)}
    ):
        node = int(trace.steps.node[step]) if step >= 0 else -1
        by_numpy = node >= 0 and trace.nodes.op[node] == BY_NUMPY
        if node < 0 or not (by_numpy or ".data" in str(trace.nodes.source[node])) or trace.nodes.name[node]:
            continue
        rows = trace.history("saved", "storage").before(storage, step).tolist()
        hurt = [row for row in rows if saved.freed[row] > step and ran.get(int(saved.node[row]), -1) > step]
        if not hurt:
            continue
        victim, line = int(saved.node[hurt[0]]), case.line_of(step)
        name = case.name(int(saved.tensor[hurt[0]])) if saved.tensor[hurt[0]] >= 0 else "the tensor"
        how, instead = _THROUGH_NUMPY if by_numpy else _THROUGH_DATA
        why = f"Line {line} writes to {name} through {how}, which autograd does not see. {trace.nodes.name[victim]} "
        why += f"(line {trace.nodes.line[victim]}) had saved {name} and computed its gradient with the new values: "
        why += "it is wrong, and nothing says so."
        later = [call for call in trace.calls.step.tolist() if call > step]
        moved = _moved_down(case, line, case.line_of(later[0])) if later else None
        yield Hit(line, step + 1, why, instead, fixes(("after backward()", moved)), case.mark(victim, f"saved {name}"))
        return


_BY_OTHER_NUMBERS = ("mul", "div", "add", "sub", "clamp", "clamp_min", "clamp_max", "pow", "sqrt", "exp", "neg", "abs")


def changed_unseen(case: Case) -> Iterator[Hit]:
    """`h.data.clamp_(0, 1)` of what was computed, before it is used further: no gradient knows of that operation."""
    trace = case.trace
    for node in np.flatnonzero(np.char.find(trace.nodes.source.astype(str), ".data") >= 0).tolist():
        read = case.read_by(node)
        maker = int(trace.tensors.producer[read[0]]) if read else -1
        statement, op = case.statement(int(trace.nodes.line[node])), str(trace.nodes.op[node]).rstrip("_")
        if maker < 0 or trace.nodes.op[maker] != "detach" or op not in _BY_OTHER_NUMBERS or statement is None:
            continue
        held, step = case.read_by(maker)[0], int(trace.nodes.step[node])
        wrote = isinstance(statement, ast.AugAssign) or case.source(statement).partition("(")[0].endswith("_")
        later = [user for user in trace.users_of(held).tolist() if trace.nodes.step[user] > step]
        made = any(each in case.below_roots for user in later for each in trace.outputs_of(user).tolist())
        if not wrote or not made or trace.tensors.producer[held] < 0 or not trace.tensors.requires_grad[held]:
            continue
        name = case.name(held)
        why = f"Line {statement.lineno} changes the numbers of {name} through .data ({op}) before they are used. "
        why += f"Autograd does not see it: the gradient is computed as if {op} had not been there."
        advice = f"Compute it with {name} itself, as a new tensor."
        yield Hit(statement.lineno, step + 1, why, advice, _seen(case, statement), case.mark(node, "not in the graph"))
        return


def _seen(case: Case, statement: ast.stmt) -> tuple[Fix, ...]:
    """Return the text with a new tensor instead of a change through .data: `h = h.clamp(0, 1)`."""
    code = ""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Attribute):
        held, sign = case.source(statement.target.value), _SIGNS.get(type(statement.op), "")
        code = f"{held} = {held} {sign} {case.source(statement.value)}" if sign else ""
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call, data = statement.value, receiver_of(statement.value)
        given = ", ".join(case.source(each) for each in [*call.args, *(each.value for each in call.keywords)])
        if isinstance(data, ast.Attribute) and data.attr == "data" and not call.keywords:
            held = case.source(data.value)
            code = f"{held} = {held}.{name_of(call).rstrip('_')}({given})"
    return fixes(("as a new tensor", edits.replaced(case.text, statement, code) if code else None))


_SIGNS = {ast.Mult: "*", ast.Add: "+", ast.Sub: "-", ast.Div: "/"}


def _moved_down(case: Case, line: int, after: int) -> str | None:
    statement = case.statement(line)
    if statement is None or after <= line or (statement.end_lineno or 0) != statement.lineno:
        return None
    later = case.statement(after)
    if later is None or case.function_of(later) is not case.function_of(statement):
        return None  # its names have no meaning there
    return edits.moved_after(case.text, line, after, case.source(statement))


def number_in_loss(case: Case) -> Iterator[Hit]:
    """A plain number taken from a tensor with a history that is added to the loss, or by which its own elements are
    divided."""
    for call in case.calls:
        source = taken_out(case, call, len(case.trace) + 1)
        for used in uses(case, computed_from(case, call), summed=True) if source is not None else ():
            used = _scaled(case, used)
            outer = case.parents.get(used)
            total = isinstance(outer, ast.Call) and name_of(outer) == "sum" and receiver_of(outer) is None
            made = (
                case.made_by(outer) if isinstance(outer, ast.BinOp) or (total and isinstance(outer, ast.Call)) else []
            )
            made = [each for each in made if each in case.below_roots and case.trace.tensors.requires_grad[each]]
            if source is None or not made or not isinstance(outer, (ast.BinOp, ast.Call)):
                continue
            divided = isinstance(outer, ast.BinOp) and outer.right is used and _is_own_sum(case, outer, source)
            adds = total or (isinstance(outer, ast.BinOp) and isinstance(outer.op, (ast.Add, ast.Sub)))
            added = adds and is_summand(case, made[-1])
            if added or divided:
                cut = Cut("item", call.lineno, source, -1, int(case.trace.tensors.producer[made[-1]]), call)
                does = "adds it to the loss" if added else "divides the elements by it"
                why = f"Line {call.lineno} takes a plain number out of {case.name(source)}, and line {outer.lineno} "
                why += f"{does}. For autograd it is a constant, so nothing of it is in the gradient."
                yield cut_hit(case, cut, int(case.trace.tensors.step[made[-1]]) + 1, why)
                return


def _scaled(case: Case, number: ast.expr) -> ast.expr:
    """Return what a plain number becomes when it is multiplied, divided or negated with others."""
    outer = case.parents.get(number)
    while isinstance(outer, (ast.UnaryOp, ast.BinOp)) and not case.made_by(outer):
        if isinstance(outer.op, (ast.Add, ast.Sub)):
            break
        number, outer = outer, case.parents.get(outer)
    return number


def _is_own_sum(case: Case, division: ast.BinOp, number: int) -> bool:
    """Whether something is divided by a number that is the sum of its own elements."""
    node = int(case.trace.tensors.producer[number])
    if not isinstance(division.op, ast.Div) or node < 0 or case.trace.nodes.op[node] != "sum":
        return False
    return bool({*case.were(division.left, len(case.trace) + 1)} & {*case.read_by(node)})
