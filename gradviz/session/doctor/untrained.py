"""Parameters that get no gradient: their history is cut off, no loss uses them, or they are frozen. Which of them the
optimizer has is in `parameters`, why the .grad of a tensor is None in `missing`."""

from __future__ import annotations

import ast
import difflib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, expected, first_use, fixes, once, parameters_of, ran, sources
from gradviz.session.doctor.cuts import (
    PLAIN_NUMBERS,
    copies,
    cut_at,
    cut_fixes,
    cut_hit,
    cuts_below,
    told,
)
from gradviz.session.doctor.ends import dead_end, gone_on, summed
from gradviz.session.doctor.losses import ELEMENTWISE
from gradviz.session.doctor.magnitudes import is_summand
from gradviz.session.doctor.missing import ROWS
from gradviz.session.doctor.parameters import has_stepped, has_trained_sibling
from gradviz.session.doctor.text import asked_grads, name_of, receiver_of, values_of
from gradviz.session.doctor.training import zeroed_too_late


def untrained_because(row: str) -> Callable[[Case], Iterator[Hit]]:
    """Return the finder of parameters that are not trained because their history is cut off in one way."""

    def find(case: Case) -> Iterator[Hit]:
        yield from (hit for found, hit in _untrained(case) if found == row)

    return find


@once
def _untrained(case: Case) -> Iterator[tuple[str, Hit]]:
    trace, steps = case.trace, case.optimizer_steps
    if not steps or not len(trace.calls) or (case.raised and not has_stepped(case)):
        return
    given = [each for each in expected(case) if each not in case.events and not _is_assigned_anew(case, each)]
    if not given or zeroed_too_late(case):
        return
    for tensor in given:
        cuts = cuts_below(case, tensor)
        cuts = [cut for cut in cuts if cut.kind in PLAIN_NUMBERS or cut.made in case.below_roots]
        name = case.name(tensor)
        meant = cuts and cuts[0].kind == "no_grad" and not _given_alone(case, tensor)  # features that are not trained
        if cuts and not (case.updates and meant and not has_trained_sibling(case, tensor)):
            cut = cuts[0]
            why = (
                f"{name} is given to the optimizer, but no gradient ever comes to it: line {cut.line} cuts it off from "
            )
            why += "the loss."
            advice = "Stay with tensors that have a history, from the parameters as far as the loss."
            marks = case.mark(cut.node, "the history ends here")
            yield ROWS[cut.kind], Hit(cut.line, steps[0] + 1, why, advice, cut_fixes(case, cut), marks)
            return
    unused = [each for each in given if each not in case.below_roots]
    unused = [each for each in unused if has_trained_sibling(case, each) or _leads_nowhere(case, each)]
    if unused and len(trace.calls) > 1:
        tensor = unused[0]
        line, name = int(trace.tensors.line[tensor]), case.name(tensor)
        used = trace.users_of(tensor).tolist()
        if used:
            dead, at = dead_end(case, tensor), int(trace.nodes.line[used[0]])
            at = case.outer_line(used[0]) if at == line else at
            at = int(trace.tensors.line[dead]) if dead >= 0 else at
            what = case.name(dead) if dead >= 0 else "something"
            why = f"Line {at} computes {what} with {name}, but no loss was computed from the result: {name}.grad "
            why += f"stayed None in all {len(trace.calls)} backward passes."
            advice = "Go on with the result, or leave that out."
            marks = case.mark(int(trace.tensors.producer[dead]) if dead >= 0 else used[0], "leads nowhere")
            offered = gone_on(case, dead) or summed(case, dead) if dead >= 0 else ()
            yield "grad-none-not-reached", Hit(at, steps[0] + 1, why, advice, offered, marks)
            return
        why = f"{name} is given to the optimizer and requires grad, but no loss was computed from it: its .grad stayed "
        why += f"None in all {len(trace.calls)} backward passes, and step() never changed it."
        yield "frozen-parameter", _unused(case, line, steps[0] + 1, why)


def _is_assigned_anew(case: Case, tensor: int) -> bool:
    """Whether the run puts other parameters in the place of one, again and again, as averages of a codebook are: that
    is how it learns."""
    tensors, names = case.trace.tensors, case.trace.names
    rows = np.flatnonzero(tensors.is_parameter[names.tensor] & (names.tensor > tensor))
    held = f".{case.name(tensor)}"
    others = {int(names.tensor[row]) for row in rows if held.endswith(f".{names.name[row].removeprefix('self.')}")}
    sites = [int(tensors.site[each]) for each in others if tensors.site[each] != tensors.site[tensor]]
    return len(sites) > max(1, len(set(sites)))


def _unused(case: Case, line: int, cursor: int, why: str) -> Hit:
    """A layer made on a line that nothing uses: perhaps another one, which is called twice, has its place."""
    instead = _used_instead(case, line)
    if instead is None:
        return Hit(line, cursor, why, "Use it in forward(), or take it out of the model.", _taken_out(case, line))
    at, own = instead.lineno, case.source(_only_target(case, line))
    why += f" Line {at} calls {case.source(instead.func)} once more."
    offered = fixes((f"with {own}", edits.replace_node(case.text, instead.func, own)))
    return Hit(at, ran(case, at, cursor), why, f"Use {own} there.", offered)


def _leads_nowhere(case: Case, tensor: int) -> bool:
    """Whether a tensor that is trained beside others by itself has results, the last of which nothing uses."""
    alone = not any(case.trace.names.owner[case.trace.history("names", "tensor").all(tensor)])
    return alone and bool(case.updates) and dead_end(case, tensor) >= 0


def constant_term(kind: str) -> Callable[[Case], Iterator[Hit]]:
    """Return the finder of a part of a loss that is a constant for autograd, as all that it was computed from was
    detached, or read through .data."""

    def find(case: Case) -> Iterator[Hit]:
        for node, part in _constant_parts(case):
            cuts = [found for each in case.ancestors(part) if (found := cut_at(case, each)) is not None]
            cut = next(
                (each for each in cuts if each.kind == "data"), next(iter(cuts), None)
            )  # a detach() may be meant
            if cut is None or cut.kind != kind or cut.made == part:
                continue
            line, did = int(case.trace.nodes.line[node]), "detached" if kind == "detached" else "taken .data of"
            why = f"Line {line} has {case.name(part)} as a part of the loss, but line {cut.line} has {did} "
            why += f"{case.name(cut.source)}, from which it was computed. For autograd it is a constant: nothing of it "
            why += "is in the gradient."
            yield cut_hit(case, cut, int(case.trace.nodes.step[node]) + 1, why)
            return

    return find


def _constant_parts(case: Case) -> Iterator[tuple[int, int]]:
    """Yield the sums that a loss consists of, each with a summand that requires no grad although the sum does."""
    trace = case.trace
    for node in np.flatnonzero(np.isin(trace.nodes.op, ("add", "sub"))).tolist() if not case.raised else ():
        total = case.output(node)
        if total not in case.below_roots or not trace.tensors.requires_grad[total] or case.shape(total) != ():
            continue
        parts = [
            each for each in case.read_by(node) if case.shape(each) == () and not trace.tensors.requires_grad[each]
        ]
        if parts and is_summand(case, total):
            yield from ((node, each) for each in parts)


def constant_gradient(case: Case) -> Iterator[Hit]:
    """A penalty on a gradient that autograd.grad() returned without its graph: a constant for the loss."""
    trace = case.trace
    for node, part in _constant_parts(case):
        for each in case.ancestors(part, most=200):
            call = _asking(case, each)
            if call is None:
                continue
            name = case.name(part)
            why = f"Line {int(trace.nodes.line[node])} adds {name} to the loss, which was computed from the gradient "
            why += f"that line {call.lineno} returns. Without {_GRAPH}=True a gradient has no history: for autograd "
            why += f"{name} is a constant, and no weight learns anything from it."
            text = edits.add_keyword(case.text, call.lineno, "grad", _GRAPH, "True")
            advice = f"Ask for the graph of the gradient: {_GRAPH}=True."
            marks = case.mark(node, "adds a constant")
            yield Hit(call.lineno, int(trace.nodes.step[node]) + 1, why, advice, fixes((f"{_GRAPH}=True", text)), marks)
            return
    yield from _constant_derivative(case)


def _asking(case: Case, tensor: int) -> ast.Call | None:
    """Return the call of autograd.grad() without a graph that returned a tensor."""
    call = case.maker(tensor) if case.trace.tensors.producer[tensor] < 0 else None
    call = call.value if isinstance(call, ast.Subscript) else call
    asks = isinstance(call, ast.Call) and name_of(call) == "grad" and all(k.arg != _GRAPH for k in call.keywords)
    return call if asks and isinstance(call, ast.Call) else None


def _constant_derivative(case: Case) -> Iterator[Hit]:
    """`(dy + y).pow(2).mean()` as a loss, where autograd.grad() returned dy = dy/dt without its graph."""
    trace, tensors = case.trace, case.trace.tensors
    lines = {call.lineno for call in case.calls if name_of(call) == "grad"}
    for asked in np.flatnonzero((tensors.producer < 0) & np.isin(tensors.line, [*lines])).tolist():
        call = _asking(case, asked)
        if call is None or case.raised or len(call.args) < 2:
            continue
        inputs = [case.was(n, int(tensors.step[asked])) for n in ast.walk(call.args[1]) if isinstance(n, ast.Name)]
        made = [case.was(n, int(tensors.step[asked])) for n in ast.walk(call.args[0]) if isinstance(n, ast.Name)]
        behind = {*case.ancestors(*(each for each in made if each >= 0))}
        added = _added_to(case, asked)
        known = {*inputs} - {-1}
        if not known or known & case.updates or not behind & case.updates or added < 0:
            continue
        name = case.name(asked)
        why = f"Line {int(trace.nodes.line[added])} makes {name} a part of the loss, a derivative that line "
        why += f"{call.lineno} returns. Without {_GRAPH}=True it has no history: for autograd it is a constant, and no "
        why += "weight learns what should become of it."
        text = edits.remove_keyword(case.text, call, "retain_graph") or case.text
        text = edits.add_keyword(text, call.lineno, "grad", _GRAPH, "True") or ""
        offered = fixes((f"{_GRAPH}=True", text or None))
        advice = f"Ask for the graph of the derivative: {_GRAPH}=True."
        yield Hit(call.lineno, int(trace.nodes.step[added]) + 1, why, advice, offered, case.mark(added, "a constant"))
        return


def _added_to(case: Case, tensor: int) -> int:
    """Return the operation that adds what was computed from a tensor without a history to something that has one, all
    element by element as far as the loss; -1 if there is none."""
    nodes, queue, found = case.trace.nodes, [tensor], -1
    for each in queue:
        for user in case.trace.users_of(each).tolist() if len(queue) < 100 else ():
            made, tracked = case.output(user), any(case.trace.tensors.requires_grad[case.read_by(user)])
            if nodes.op[user] not in ELEMENTWISE:
                return -1
            if tracked and found < 0 and nodes.op[user] in ("add", "sub") and made in case.below_roots:
                found = user
            queue += [made] if made not in queue else []
    return found


_GRAPH = "create_graph"


def copied_on_the_way(case: Case) -> Iterator[Hit]:
    """A copy of numbers, made a leaf so that backward() runs, to which goes the gradient of what it was copied from."""
    trace = case.trace
    for cut in copies(case) if len(trace.calls) else ():
        events = case.events.get(cut.made, [])
        kept = cut.made in case.updates or any(event.what not in ("added", "cleared") for event in events)
        asked = any(cut.made in case.named(text, len(trace) + 1) for text in asked_grads(case))
        shared = trace.tensors.is_leaf[cut.source] or cut.made in case.roots
        if cut.kind not in ("copied", "listed") or not events or kept or asked or shared:
            continue
        why = f"{told(case, cut)} That copy requires grad itself, so backward() raises nothing, and its gradient ends "
        why += f"there: none comes to {case.name(cut.source)}."
        yield cut_hit(case, cut, int(trace.tensors.step[cut.made]) + 1, why)
        return


def _given_alone(case: Case, tensor: int) -> bool:
    """Whether an optimizer was given the module of a tensor by name, and nothing in it ever gets a gradient."""
    together = [tensors for tensors in sources(case).values() if tensor in tensors]
    return len(sources(case)) > 1 and any(not {*tensors} & case.events.keys() for tensors in together)


def _only_target(case: Case, line: int) -> ast.expr:
    """Return the `self.fc` that a line binds to a layer, if nothing else in the text has it; otherwise another
    expression."""
    statement = case.statement(line)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Attribute) or case.source(target.value) != "self":
        return ast.Constant(None)
    used = [n for n in case.walked if isinstance(n, ast.Attribute) and n.attr == target.attr]
    return target if len(used) == 1 else ast.Constant(None)


def _taken_out(case: Case, line: int) -> tuple[Fix, ...]:
    """Return the text without a layer that nothing uses."""
    target = case.source(_only_target(case, line))
    return fixes((f"without {target}", edits.without_statement(case.text, line) if target else None))


def _used_instead(case: Case, line: int) -> ast.Call | None:
    """Return the last call of a layer made just like one that nothing uses, if one method calls it several times."""
    target, made = _only_target(case, line), getattr(case.statement(line), "value", None)
    holder = case.class_of(target) if made is not None and isinstance(target, ast.Attribute) else None
    inside = [each for each in case.statements if isinstance(each, ast.Assign) and case.class_of(each) is holder]
    alike = {
        case.source(each.targets[0]) for each in inside
        if holder is not None and case.source(each.value) == case.source(made or target)
    } - {case.source(target)}  # fmt: skip
    called = [each for each in case.calls if case.source(each.func) in alike and case.class_of(each) is holder]
    called = [each for each in called if case.loop_of(each) is None]
    again = [
        each for each in called
        if sum(case.source(one.func) == case.source(each.func) and case.function_of(one) is case.function_of(each)
               for one in called) > 1
    ]  # fmt: skip
    return again[-1] if again else None


def frozen(case: Case) -> Iterator[Hit]:
    """What an optimizer was given although it requires no grad from beginning to end, and what is trained although it
    was meant to be frozen."""
    found = next(_misspelt(case), None)
    names = {str(each) for each in case.trace.optimizers.name}
    if found is None and not any("requires_grad" in case.source(each) for each in case.calls if name_of(each) in names):
        finders = (_frozen_source, _half_frozen, _made_frozen)  # else it takes only the trained
        found = next((hit for find in finders for hit in find(case)), None)
    if found is not None:
        yield found


def _misspelt(case: Case) -> Iterator[Hit]:
    """`p.require_grad = False`, or `module.requires_grad = False`: a new attribute, which nothing reads."""
    trace = case.trace
    for each in [each for each in case.statements if isinstance(each, ast.Assign)] if len(trace.calls) else ():
        target, value = each.targets[0], case.source(each.value)
        if not isinstance(target, ast.Attribute) or value not in ("True", "False") or not _is_like(target.attr):
            continue
        if _is_of_its_own(case, target.attr):
            continue
        name, begins = case.source(target.value), trace.frame_at(int(trace.calls.step[-1]))
        held = case.named(name, len(trace) + 1)
        one, wanted = bool(held), value == "True"
        held = held or (parameters_of(case, name) if name != "self" else [])
        if one and target.attr == _RIGHT:
            continue
        wrong = [each for each in held if begins.requires_grad(each) != wanted and each in case.below_roots]
        if not wrong or (not wanted and not {*wrong} & case.updates):
            continue
        told = case.name(wrong[0])
        why = f"Line {each.lineno} makes a new attribute {target.attr} of {name}, which PyTorch never looks at: "
        why += f"{told}.requires_grad is still {not wanted}, so "
        why += f"its .grad stayed None in all {len(trace.calls)} passes." if wanted else "step() goes on changing it."
        text = edits.replace_node(case.text, target, f"{name}.{_RIGHT}")
        text = text if one else edits.replace_node(case.text, each, f"{name}.{_RIGHT}_({value})")
        advice = f"The attribute is called {_RIGHT}." if one else f"Of a whole module, call {_RIGHT}_({value})."
        step = int(trace.calls.step[0]) + 1
        yield Hit(each.lineno, step, why, advice, fixes((_RIGHT, text)), first_use(case, wrong[0]))
        return


_RIGHT = "requires_grad"


def _is_like(name: str) -> bool:
    """Whether a name is requires_grad, or meant to be."""
    return difflib.SequenceMatcher(None, name, _RIGHT).ratio() > 0.82


def _is_of_its_own(case: Case, name: str) -> bool:
    """Whether a class of the snippet has an attribute of this name, or the text reads one that tensors don't have."""
    found = [n for n in case.walked if isinstance(n, ast.Attribute) and n.attr == name]
    kept = any(case.source(each.value) == "self" and isinstance(each.ctx, ast.Store) for each in found)
    read = any(isinstance(each.ctx, ast.Load) and not _is_called(case, each) for each in found)
    return kept or (read and name != _RIGHT)


def _is_called(case: Case, node: ast.expr) -> bool:
    outer = case.parents.get(node)
    return isinstance(outer, ast.Call) and outer.func is node


def _made_frozen(case: Case) -> Iterator[Hit]:
    """`nn.Parameter(…, requires_grad=False)`, given to an optimizer, whose .grad the snippet wants to see."""
    trace, asked = case.trace, {int(each) for each in case.trace.flags.tensor[case.trace.flags.requires_grad].tolist()}
    given = {each for held in sources(case).values() for each in held} - asked
    for tensor in sorted(given & case.below_roots) if case.updates and not _FROZEN.search(case.text) else ():
        made = case.called("Parameter", int(trace.tensors.line[tensor]))
        off = [each for each in made.keywords if each.arg == _RIGHT] if made is not None else []
        if made is None or not off or trace.tensors.requires_grad[tensor] or not _is_shown(case, tensor):
            continue
        name, line = case.name(tensor), made.lineno
        why = f"Line {line} makes {name} with {_RIGHT}=False: its .grad stays None in all {len(trace.calls)} backward "
        why += "passes, and step() never changes it."
        offered = fixes(("trained", edits.remove_keyword(case.text, made, _RIGHT)))
        advice = f"Leave {_RIGHT}=False out; what is not to be trained is a buffer."
        yield Hit(line, int(trace.calls.step[0]) + 1, why, advice, offered, first_use(case, tensor))
        return


_FROZEN = re.compile(r"#.*(froz|freez|fixed|constant|not (be )?(train|learn|updat)|None)", re.IGNORECASE)


def _is_shown(case: Case, tensor: int) -> bool:
    """Whether the .grad of a tensor is read other than to ask whether it is None."""
    names, end = {case.name(tensor).rpartition(".")[2]}, len(case.trace) + 1
    reads = [
        n for n in case.walked if isinstance(n, ast.Attribute) and n.attr == "grad" and isinstance(n.ctx, ast.Load)
    ]
    reads = [n for n in reads if not isinstance(case.parents.get(n), (ast.Compare, ast.Assert, ast.If))]
    return any(case.source(n.value).rpartition(".")[2] in names and case.was(n.value, end) == tensor for n in reads)


def _half_frozen(case: Case) -> Iterator[Hit]:
    """The only tensor of a layer that requires no grad, while the others are trained: it was frozen by its name, or is
    what a line forgot that lets the rest of the layer require grad again."""
    trace = case.trace
    if not case.updates or len(trace.calls) < 2:
        return
    now, given = trace.frame_at(int(trace.calls.step[0])), {each for held in sources(case).values() for each in held}
    off = [
        tensor
        for tensor in np.flatnonzero(trace.tensors.is_parameter).tolist()
        if not now.requires_grad(tensor) and tensor in case.below_roots and tensor in given
        and any(_layers(case, tensor) & _layers(case, each) for each in case.updates)
    ]  # fmt: skip
    if len(off) != 1:
        return
    frozen, name = off[0], case.name(off[0])
    for statement, target in _set_alone(case):
        tensor = case.was(target, len(trace) + 1)
        on = now.requires_grad(tensor) if tensor >= 0 else False
        if tensor != frozen and not (on and tensor in case.updates and _layers(case, tensor) & _layers(case, frozen)):
            continue
        line = statement.lineno
        why = f"Line {line} lets {case.name(tensor)} require grad again, but not {name}, which is" if on else (
            f"Line {line} freezes {name}, which is")  # fmt: skip
        why += f" in the same layer: {name}.grad stays None in all {len(trace.calls)} backward passes, and step() "
        why += "never changes it."
        path = case.source(target)
        other = f"{path.rpartition('.')[0]}.{name.rpartition('.')[2]}"
        code = case.source(statement).replace(path, other, 1)
        text = edits.insert_after(case.text, line, code) if on else edits.without_statement(case.text, line)
        offered = fixes(("trained", text))
        advice = "Freeze a whole layer, or nothing of it."
        yield Hit(line, int(trace.calls.step[0]) + 1, why, advice, offered, first_use(case, frozen))
        return


def _layers(case: Case, tensor: int) -> set[str]:
    """Return the paths of the layers that a tensor belongs to."""
    names, rows = case.trace.names, case.trace.history("names", "tensor").all(tensor)
    return {f"{names.owner[row]}.{names.name[row]}".rpartition(".")[0] for row in rows.tolist() if names.owner[row]}


def _set_alone(case: Case) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Return the statements that set requires_grad of one tensor of a layer, with the tensor."""
    for each in [each for each in case.statements if case.loop_of(each) is None]:
        value = each.value if isinstance(each, ast.Expr) else None
        if isinstance(each, ast.Assign):
            target = each.targets[0]
            if isinstance(target, ast.Attribute) and target.attr == _RIGHT and isinstance(target.value, ast.Attribute):
                yield each, target.value
        elif isinstance(value, ast.Call) and name_of(value) == f"{_RIGHT}_":
            held = receiver_of(value)
            if isinstance(held, ast.Attribute):
                yield each, held


def _frozen_source(case: Case) -> Iterator[Hit]:
    """Something that an optimizer was given by name, and that requires no grad at all."""
    trace, steps = case.trace, case.optimizer_steps
    for name, tensors in sources(case).items() if steps and len(trace.calls) > 1 else ():
        begins = trace.frame_at(int(trace.calls.step[0]))
        asked = {int(each) for each in trace.flags.tensor[trace.flags.requires_grad].tolist()}
        late = [each for each in tensors if each in asked and not begins.requires_grad(each)]
        if late or any(begins.requires_grad(each) or each not in case.below_roots for each in tensors):
            continue
        first = tensors[0]
        line, switches = int(trace.tensors.line[first]), _switches(case)
        if trace.tensors.requires_grad[first] and len(switches) == 1:
            line = switches[0]
        if case.updates and _is_meant(case, name, line) and not _is_given_alone(case, name):
            continue
        why = (
            f"{name} is given to the optimizer, but requires no grad in any of {len(trace.calls)} backward passes: it "
        )
        why += "gets no gradient, and step() never changes it."
        advice = f"Let {name} require grad, or do not give it to the optimizer."
        switched = edits.replace_expression(case.text, line, "False", "True") if line in switches else None
        fix = fixes(("with gradients", switched)) or _asked_for(case, first, name)
        yield Hit(line, steps[0] + 1, why, advice, fix, first_use(case, first))
        return


def _is_meant(case: Case, name: str, line: int) -> bool:
    """Whether a line freezes what an optimizer is given among others. One that has a learning rate of its own is to be
    trained."""
    statement = case.statement(line)
    if statement is None or line not in _switches(case) or "False" not in case.source(statement):
        return False
    groups = [each for each in case.walked if isinstance(each, ast.Dict) and f"{name}.parameters(" in case.source(each)]
    return not groups


def _is_given_alone(case: Case, name: str) -> bool:
    """Whether an optimizer was made of one thing and of nothing else."""
    names = {str(each) for each in case.trace.optimizers.name}
    given = [each.args[0] for each in case.calls if name_of(each) in names and each.args]
    return any(isinstance(each, ast.Call) and case.source(receiver_of(each) or each) == name for each in given)


def switched_off(case: Case, tensor: int, cursor: int) -> int:
    """Return the line that switched off that a tensor requires grad; -1 if it is not known which one did."""
    trace = case.trace
    rows = trace.history("flags", "tensor").before(tensor, cursor)
    if not len(rows) or trace.flags.requires_grad[rows[-1]]:
        return -1
    step, lines = int(trace.flags.step[rows[-1]]), {*_switches(case)}
    between = {line for line in lines if case.line_of(step) <= line and (case.line_of(step + 1) < 0
               or line <= case.line_of(step + 1))}  # fmt: skip
    found = lines if len(lines) == 1 else between
    return found.pop() if len(found) == 1 else -1


def _switches(case: Case) -> list[int]:
    """Return the lines that switch requires_grad on or off."""
    calls = [each.lineno for each in case.calls if name_of(each) == "requires_grad_"]
    stores = [n for n in case.walked if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
    return calls + [each.lineno for each in stores if each.attr == "requires_grad"]


def _asked_for(case: Case, tensor: int, name: str) -> tuple[Fix, ...]:
    made = case.maker(tensor)
    if not isinstance(made, ast.Call) or case.name(tensor) != name:
        return ()
    text = edits.add_keyword(case.text, made.lineno, name_of(made), "requires_grad", "True")
    return fixes(("requires_grad=True", text))


def one_layer_repeated(case: Case) -> Iterator[Hit]:
    """`[nn.Linear(3, 3)] * 2`: the list has one layer twice."""
    tensors = case.trace.tensors
    for each in case.walked:
        if not isinstance(each, ast.BinOp) or not isinstance(each.op, ast.Mult) or not isinstance(each.left, ast.List):
            continue
        made = np.flatnonzero(tensors.is_parameter & (tensors.line == each.lineno) & (tensors.producer < 0)).tolist()
        used = [one for one in made if len(case.trace.users_of(one)) > 1]
        if not used or not any(isinstance(one, ast.Call) for one in each.left.elts):
            continue
        line, times, (first, *more) = each.lineno, case.source(each.right), each.left.elts
        why = f"Line {line} makes one layer and repeats it in the list: all places share {case.name(used[0])}, and are "
        why += "trained as one layer."
        text = edits.replace_node(case.text, each, f"[{case.source(first)} for _ in range({times})]")
        advice = "Make a layer for each place, in a list comprehension."
        yield Hit(line, int(tensors.step[used[0]]) + 1, why, advice, fixes(("a layer each", None if more else text)))
        return


def made_in_forward(case: Case) -> Iterator[Hit]:
    """A layer that each call of forward() makes anew: its weights are random each time, and no optimizer has them."""
    tensors, made = case.trace.tensors, defaultdict[int, list[int]](list)
    for tensor in np.flatnonzero(tensors.is_parameter).tolist():
        made[int(tensors.line[tensor])].append(tensor)
    for line, found in made.items():
        statement = case.statement(line)
        around = case.function_of(statement) if statement is not None else None
        inside = isinstance(around, ast.FunctionDef) and around.name == "forward"
        trained = [each for each in found if each in case.events and case.shape(each) == case.shape(found[0])]
        if not inside or not case.updates or {*found} & case.updates or len(trained) < 2:
            continue
        why = f"Line {line} makes a layer with new, random weights in each call of forward(): {len(trained)} tensors "
        why += "got gradients, but the optimizer has none of them."
        advice = "Make it once in __init__() as self.… = …, and only call it in forward()."
        yield Hit(line, int(tensors.step[trained[0]]) + 1, why, advice, (), first_use(case, trained[0]))
        return


def never_stepped(case: Case) -> Iterator[Hit]:
    """An optimizer whose gradients are computed and cleared again and again, and whose step() is never called."""
    trace, names = case.trace, {case.source(held) for call in case.calls if (held := _cleared_by(call)) is not None}
    made = [(name, value) for name in sorted(names) for value in values_of(case, name) if isinstance(value, ast.Call)]
    made = [(name, value) for name, value in made if "optim" in case.source(value.func)]
    if case.raised or len(trace.calls) < 2 or asked_grads(case) or "autograd.grad" in case.text:
        return
    backward = [call for call in case.calls if name_of(call) == "backward"]
    again = case.loop_of(backward[0]) or case.function_of(backward[0]) if len(backward) == 1 else None
    for name, making in made if again is not None else ():
        steps = [n for n in case.walked if isinstance(n, ast.Attribute) and n.attr == "step"]
        steps = [each for each in steps if case.source(each.value) == name]
        uncalled = bool(steps) and isinstance(case.parents.get(steps[0]), ast.Expr)  # no brackets, no call
        if (steps and not uncalled) or not _waits(case, name, making):
            continue
        line, cursor = backward[0].lineno, int(trace.calls.step[0]) + 1
        what = "no weight" if not case.updates else f"nothing that {name} was given"
        why = f"{len(trace.calls)} times line {line} computes gradients, and {name}.zero_grad() clears them, but "
        why += f"nothing ever calls {name}.step(): {what} has changed."
        if uncalled:
            text = edits.replace_node(case.text, steps[0], f"{name}.step()")
            advice = f"Write the brackets: {name}.step()."
            yield Hit(steps[0].lineno, cursor, why, advice, fixes((f"{name}.step()", text)))
            return
        clears = [case.function_of(call) for call in case.calls if case.source(_cleared_by(call) or call) == name]
        here = {*clears} == {case.function_of(backward[0])}
        text = edits.insert_after(case.text, line, f"{name}.step()") if here else None
        yield Hit(line, cursor, why, f"Call {name}.step() after backward().", fixes((f"{name}.step()", text)))
        return


def _cleared_by(call: ast.Call) -> ast.expr | None:
    return receiver_of(call) if name_of(call) == "zero_grad" else None


def _waits(case: Case, name: str, making: ast.Call) -> bool:
    """Whether what an optimizer was given often gets gradients and is never updated. It may be handed to something that
    calls its step() if no optimizer at all has stepped, which then is none."""
    given = [each for held in sources(case, making).values() for each in held] if case.updates else [*case.events]
    whats = [[event.what for event in case.events.get(each, [])] for each in given]
    often = any(each.count("added") > 1 for each in whats)
    moved = any("updated" in each for each in whats)
    reads = [n for n in case.walked if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)]
    handed = [
        n for n in reads
        if case.source(n) == name and not isinstance(case.parents.get(n), ast.Attribute)
    ]  # fmt: skip
    return often and not moved and not (handed and case.updates)
