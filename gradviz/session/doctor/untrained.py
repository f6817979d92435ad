"""Parameters that get no gradient: their history is cut off, no loss uses them, or they are frozen. Which of them the
optimizer has is in `parameters`, why the .grad of a tensor is None in `missing`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes
from gradviz.session.doctor.cuts import PLAIN_NUMBERS, cut_fixes, cuts_below
from gradviz.session.doctor.missing import ROWS
from gradviz.session.doctor.parameters import expected, first_use, has_stepped, has_trained_sibling, sources
from gradviz.session.doctor.text import name_of
from gradviz.session.doctor.training import zeroed_too_late


def untrained_because(row: str) -> Callable[[Case], Iterator[Hit]]:
    """Return the finder of parameters that are not trained because their history is cut off in one way."""

    def find(case: Case) -> Iterator[Hit]:
        yield from (hit for found, hit in _untrained(case) if found == row)

    return find


def _untrained(case: Case) -> Iterator[tuple[str, Hit]]:
    trace, steps = case.trace, case.optimizer_steps
    if not steps or not len(trace.calls) or (case.raised and not has_stepped(case)):
        return
    given = [each for each in expected(case) if each not in case.events]
    if not given or next(zeroed_too_late(case), None) is not None:
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
    unused = [each for each in given if each not in case.below_roots and has_trained_sibling(case, each)]
    if unused and len(trace.calls) > 1:
        tensor = unused[0]
        line, name = int(trace.tensors.line[tensor]), case.name(tensor)
        used = trace.users_of(tensor).tolist()
        if used:
            at = case.outer_line(used[0]) if int(trace.nodes.line[used[0]]) == line else int(trace.nodes.line[used[0]])
            why = f"Line {at} computes something with {name}, but no loss was computed from the result: {name}.grad "
            why += f"stayed None in all {len(trace.calls)} backward passes."
            advice = "Go on with the result, or leave that out."
            yield "grad-none-not-reached", Hit(at, steps[0] + 1, why, advice, (), case.mark(used[0], "leads nowhere"))
            return
        why = f"{name} is given to the optimizer and requires grad, but no loss was computed from it: its .grad stayed "
        why += f"None in all {len(trace.calls)} backward passes, and step() never changed it."
        advice = "Use it in forward(), or take it out of the model."
        yield "frozen-parameter", Hit(line, steps[0] + 1, why, advice, _taken_out(case, line))


def _given_alone(case: Case, tensor: int) -> bool:
    """Whether an optimizer was given the module of a tensor by name, and nothing in it ever gets a gradient."""
    together = [tensors for tensors in sources(case).values() if tensor in tensors]
    return len(sources(case)) > 1 and any(not {*tensors} & case.events.keys() for tensors in together)


def _taken_out(case: Case, line: int) -> tuple[Fix, ...]:
    """Return the text without a layer that nothing uses."""
    statement = case.statement(line)
    target = case.source(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    attribute = target.partition(".")[2]
    used = [n for n in case.walked if isinstance(n, ast.Attribute) and n.attr == attribute]
    text = edits.without_statement(case.text, line) if target.startswith("self.") and len(used) == 1 else None
    return fixes((f"without {target}", text))


def frozen(case: Case) -> Iterator[Hit]:
    """What an optimizer was given although it requires no grad from beginning to end."""
    names = {str(each) for each in case.trace.optimizers.name}
    if any("requires_grad" in case.source(each) for each in case.calls if name_of(each) in names):
        return  # it takes only the trained ones
    found = next(_misspelt(case), None) or next(_frozen_source(case), None) or next(_half_frozen(case), None)
    if found is not None:
        yield found


def _misspelt(case: Case) -> Iterator[Hit]:
    """`p.require_grad = True` of a frozen p: Python makes a new attribute of that name, which nothing reads."""
    trace = case.trace
    for each in [each for each in case.statements if isinstance(each, ast.Assign)]:
        target = each.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr not in _MISSPELT or case.source(each.value) != "True":
            continue
        held = case.named(case.source(target.value), len(trace) + 1) if len(trace.calls) else []
        begins = trace.frame_at(int(trace.calls.step[-1])) if held else None
        off = [one for one in held if begins and not begins.requires_grad(one) and one in case.below_roots]
        if not off:
            continue
        name = case.name(off[0])
        why = f"Line {each.lineno} makes a new attribute {target.attr} of {name}, which PyTorch never looks at: "
        why += f"{name}.requires_grad is still False, so its .grad stayed None in all {len(trace.calls)} passes."
        text = edits.replace_node(case.text, target, f"{case.source(target.value)}.requires_grad")
        step = int(trace.calls.step[0]) + 1
        yield Hit(each.lineno, step, why, "It is called requires_grad, with an s.", fixes(("requires_grad", text)),
                  first_use(case, off[0]))  # fmt: skip
        return


_MISSPELT = ("require_grad", "required_grad", "requires_gradient", "require_gradient", "requires_grads", "requiresgrad")


def _half_frozen(case: Case) -> Iterator[Hit]:
    """The only tensor of a model that requires no grad, in a layer whose others are trained."""
    trace, names = case.trace, case.trace.names
    if not case.updates or len(trace.calls) < 2:
        return
    now = trace.frame_at(int(trace.calls.step[0]))
    off = [
        tensor
        for tensor in np.flatnonzero(trace.tensors.is_parameter).tolist()
        if not now.requires_grad(tensor) and tensor in case.below_roots and has_trained_sibling(case, tensor)
    ]
    rows = trace.history("flags", "tensor").all(off[0]).tolist() if len(off) == 1 else []
    step = int(trace.flags.step[rows[-1]]) if rows else -1
    if step < 0 or names.owner[trace.history("names", "tensor").all(off[0])[0]] == "":
        return
    name, line = case.name(off[0]), case.line_of(step)
    line = next((each for each in sorted(_switches(case)) if each >= line), line)
    why = f"Line {line} freezes {name}, while the rest of the same layer is trained: {name}.grad stays None in all "
    why += f"{len(trace.calls)} backward passes, and step() never changes it."
    statement = case.statement(line)
    alone = isinstance(statement, (ast.Assign, ast.Expr)) and case.loop_of(statement) is None
    text = edits.without_statement(case.text, line) if alone else None
    advice = "Freeze a whole layer, or nothing of it."
    yield Hit(line, int(trace.calls.step[0]) + 1, why, advice, fixes(("trained", text)), first_use(case, off[0]))


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
        why = (
            f"{name} is given to the optimizer, but requires no grad in any of {len(trace.calls)} backward passes: it "
        )
        why += "gets no gradient, and step() never changes it."
        advice = f"Let {name} require grad, or do not give it to the optimizer."
        switched = edits.replace_expression(case.text, line, "False", "True") if line in switches else None
        fix = fixes(("with gradients", switched)) or _asked_for(case, first, name)
        yield Hit(line, steps[0] + 1, why, advice, fix, first_use(case, first))
        return


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
