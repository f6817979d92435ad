"""Schedulers of the learning rate that step too early, too often or never. What becomes of a rate that is too large or
too small is in `rates`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Hit, fixes
from gradviz.session.doctor.rates import SEVERAL, constant
from gradviz.session.doctor.text import name_of, receiver_of, values_of


def scheduler_first(case: Case) -> Iterator[Hit]:
    """scheduler.step() before the first step of its optimizer, about which PyTorch warns."""
    texts, found = case.trace.texts, list[int]()
    for step, text in zip(texts.step.tolist(), texts.text, strict=True):
        found += [step] if _EARLY in str(text) else []
    trained = {case.line_of(step) for step in case.optimizer_steps}
    steps = [each for each in case.calls if found and name_of(each) == "step"]
    for call in [each for each in steps if each.lineno == case.line_of(found[0])]:
        line = call.lineno
        around = {getattr(case.function_of(each), "name", "") for each in steps if each.lineno in trained} - {""}
        called = [each.lineno for each in case.calls if name_of(each) in around]
        later = [each for each in [*trained, *called] if each > line]
        why = f"Line {line} moves the learning rate on before any step with the first one was taken: that value of the "
        why += "schedule is skipped, and each later one comes a step early."
        statement = case.statement(line)
        text = _after_training(case, statement, min(later)) if later and isinstance(statement, ast.Expr) else None
        advice = "Call optimizer.step() first, then scheduler.step()."
        yield Hit(line, found[0] + 1, why, advice, fixes(("after optimizer.step()", text)))
        return


_EARLY = "lr_scheduler.step()` before `optimizer.step()"


def _after_training(case: Case, statement: ast.stmt, step: int) -> str | None:
    """Move a statement after the optimizer's step; if this is in an inner loop, after that."""
    trained = case.statement(step)
    block = next((each for each in edits.blocks(case.tree) if statement in each), [])
    around = [trained, *case.around(trained)] if trained is not None else []
    last = next((each for each in block if each in around), trained)
    longer = edits.after_statement(case.text, last, case.source(statement)) if last is not None else None
    return edits.without_statement(longer, statement.lineno) if longer is not None else None


def scheduler_unused(case: Case) -> Iterator[Hit]:
    """A scheduler whose step() is never called: the learning rate stays what it was."""
    settings = case.trace.updates.settings
    rates = {found[1] for each in settings if (found := re.search(r"\blr=([\d.e+-]+)", str(each)))}
    if len(case.optimizer_steps) < SEVERAL or len(rates) != 1 or case.raised:
        return
    for statement in [each for each in case.statements if isinstance(each, ast.Assign)]:
        made, target = statement.value, statement.targets[0]
        if not isinstance(made, ast.Call) or not re.search(r"lr_scheduler\.|LR$|Restarts$", case.source(made.func)):
            continue
        name = case.source(target)
        reads = [n for n in case.walked if isinstance(n, (ast.Name, ast.Attribute)) and case.source(n) == name]
        reads = [n for n in reads if n is not target and isinstance(n.ctx, ast.Load)]
        outer = [case.parents.get(n) for n in reads]
        if any(not isinstance(each, ast.Attribute) or each.attr == "step" for each in outer):
            continue
        why = f"Line {statement.lineno} makes a scheduler, but nothing ever calls {name}.step(): all "
        why += f"{len(case.optimizer_steps)} steps were taken with the same learning rate, {rates.pop()}."
        trained = case.statement(case.line_of(case.optimizer_steps[0]))
        around = [each for each in case.around(trained) if isinstance(each, (ast.For, ast.While))] if trained else []
        inside = (
            [each for each in around[-1].body if each in [trained, *case.around(trained or made)]] if around else []
        )
        held = case.function_of(trained or made) is case.function_of(statement) or name.startswith("self.")
        plain = inside and held and "Plateau" not in case.source(made.func)
        text = edits.after_statement(case.text, inside[0], f"{name}.step()") if plain else None
        cursor = case.optimizer_steps[1] + 1
        advice = "Call its step() once in each epoch, after the steps of the optimizer."
        line = inside[0].end_lineno or 0 if text is not None else statement.lineno  # which the call has to follow
        yield Hit(line, cursor, why, advice, fixes((f"{name}.step() in each epoch", text)))
        return


def scheduler_each_batch(case: Case) -> Iterator[Hit]:
    """A scheduler whose numbers are epochs, and that steps after each batch: the rate is gone after a few of them."""
    trace, steps = case.trace, case.optimizer_steps
    settings = trace.updates.settings[np.isin(trace.updates.step, steps)]
    rates = [float(found[1]) for each in settings if (found := re.search(r"\blr=([\d.e+-]+)", str(each)))]
    for call in [each for each in case.calls if name_of(each) == "step"] if rates and not case.raised else ():
        held, inner = receiver_of(call), case.loop_of(call)
        made = [each for each in values_of(case, case.source(held)) if isinstance(each, ast.Call)] if held else []
        outer, after = _epochs_around(case, inner) if inner is not None else (None, None)
        epochs = _turns(case, outer) if outer is not None else 0
        if held is None or inner is None or len(made) != 1 or epochs < 2 or len(steps) < 2 * epochs:
            continue
        told = _counts_epochs(case, made[0], epochs, len(steps), rates)
        if not told:
            continue
        code, line = f"{case.source(held)}.step()", call.lineno
        why = f"Line {line} moves the schedule on after each batch, {len(steps) // epochs} times in each of {epochs} "
        why += f"epochs, but {told}: the learning rate went from {rates[0]:g} to {rates[-1]:.2g}."
        text = edits.after_statement(case.text, after, code) if after is not None else None
        text = edits.without_statement(text, line) if text is not None else None
        here = after is inner or (case.source(held).isidentifier() and case.function_of(made[0]) is None)
        offered = fixes((f"{code} after each epoch", text if here else None))
        yield Hit(line, steps[1] + 1, why, f"Call {code} once in each epoch, after the loop over batches.", offered)
        return


def _epochs_around(case: Case, inner: ast.For | ast.While) -> tuple[ast.For | ast.While | None, ast.stmt | None]:
    """Return the loop over epochs around one over batches, or around the only call of its function, and the statement
    in it that contains the loop over batches."""
    function, outer = case.function_of(inner), case.loop_of(inner)
    if outer is not None or not isinstance(function, ast.FunctionDef):
        return outer, inner
    called = [each for each in case.calls if name_of(each) == function.name]
    outer = case.loop_of(called[0]) if len(called) == 1 else None
    return outer, case.statement(called[0].lineno) if outer is not None else None


def _turns(case: Case, loop: ast.For | ast.While) -> int:
    """Return how often `for epoch in range(n)` runs, 0 if it is not known."""
    given = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(given, ast.Call) or name_of(given) != "range":
        return 0
    numbers = [constant(case, each) for each in given.args[:2]]
    values = [each.value for each in numbers if each is not None and isinstance(each.value, int)]
    return (values[-1] - (values[0] if len(values) > 1 else 0)) if len(values) == len(given.args[:2]) else 0


def _counts_epochs(case: Case, making: ast.Call, epochs: int, steps: int, rates: list[float]) -> str:
    """Return what says that the numbers of a scheduler are epochs, "" if they may be batches."""
    kind, middle = name_of(making), rates[len(rates) // 2]
    keyword = {"StepLR": "step_size", "MultiStepLR": "milestones", "CosineAnnealingLR": "T_max"}.get(kind, "")
    given = [each.value for each in making.keywords if each.arg == keyword] or making.args[1:2]
    if not keyword or not given:
        return ""
    if isinstance(given[0], ast.List):
        numbers = [constant(case, each) for each in given[0].elts]
    else:
        numbers = [constant(case, given[0])]
    known = [each.value for each in numbers if each is not None and isinstance(each.value, int)]
    if not known or len(known) < len(numbers):
        return ""
    last, code = max(known), case.source(given[0])
    if kind == "CosineAnnealingLR":
        return f"T_max={code} is the number of epochs" if last == epochs else ""
    passed = last <= epochs and 4 * last <= steps and middle < 2e-2 * rates[0]
    return f"{keyword}={code} is meant in epochs" if passed else ""
