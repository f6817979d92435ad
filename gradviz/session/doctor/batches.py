"""Batches that never change, or that are drawn in the same order in every epoch."""

from __future__ import annotations

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes
from gradviz.session.doctor.text import name_of, names_in


def same_batch(case: Case) -> Iterator[Hit]:
    """The first batch of a loader is used again and again."""
    for call in case.calls:
        inner = call.args[0] if name_of(call) == "next" and call.args else None
        if isinstance(inner, ast.Name) and case.loop_of(call) is None:
            reads = [n for n in case.walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
            inner = case.assigned(inner.id, call.lineno) if sum(n.id == inner.id for n in reads) == 1 else None
            if inner is not None and case.function_of(inner) is not case.function_of(call):
                continue  # it goes on where the last call ended
        if not isinstance(inner, ast.Call):
            continue
        if _is_generator(case, inner):
            yield from _begun_anew(case, call, inner)
            continue
        if name_of(inner) != "iter" or not inner.args:
            continue
        loop = case.loop_of(call)
        if not (trains(case, loop) if loop is not None else _is_step(case, call)):
            yield from _taken_once(case, call, inner.args[0]) if loop is None else ()
            continue
        loader = case.source(inner.args[0])
        steps = (
            [s for s in range(len(case.trace)) if case.line_of(s) == call.lineno] if len(case.trace) < 200_000 else []
        )
        if _shuffled(case, loader):
            continue
        why = f"Line {call.lineno} begins {loader} anew in every iteration, so the model is always trained with the "
        why += "first batch and never sees the others."
        advice = f"Go through the loader: for batch in {loader}, with shuffle=True."
        cursor = steps[0] + 1 if steps else len(case.trace)
        yield Hit(call.lineno, cursor, why, advice, _iterated(case, call, loader, loop))
        return
    finders = (_constant_slice, _unmoved_slice, _same_rows, _same_pieces)
    yield from itertools.islice(itertools.chain(*(find(case) for find in finders)), 1)
    yield from _counted_anew(case)
    yield from _sown_anew(case)
    yield from _sorted_batches(case)


def _is_generator(case: Case, call: ast.Call) -> bool:
    """Whether a call makes a generator from a function of the snippet."""
    made = next((s for s in case.statements if isinstance(s, ast.FunctionDef) and s.name == name_of(call)), None)
    return made is not None and any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(made))


def _begun_anew(case: Case, call: ast.Call, made: ast.Call) -> Iterator[Hit]:
    """`next(batches())` in each step, where batches() is a generator that draws nothing at random: its first batch."""
    loop, code = case.loop_of(call), case.source(made)
    given = names_in(made)
    if loop is None or not trains(case, loop) or given & _changing(loop) or len(case.optimizer_steps) < 3:
        return
    own = next(s for s in case.statements if isinstance(s, ast.FunctionDef) and s.name == name_of(made))
    if re.search(r"rand|shuffle|sample|choice|global|nonlocal", case.source(own)):
        return
    line, steps = call.lineno, [s for s in range(len(case.trace)) if case.line_of(s) == call.lineno]
    why = f"Line {line} begins {code} anew in every iteration, so the model is always trained with the first batch and "
    why += "never sees the others."
    text = edits.replace_node(case.text, call, "next(stream)")
    text = edits.insert_before(text, loop.lineno, f"stream = {code}") if text is not None else None
    cursor = steps[0] + 1 if steps else len(case.trace)
    yield Hit(line, cursor, why, f"Go through it: for batch in {code}.", fixes(("one batch after the other", text)))


_MEANT = re.compile(r"overfit|sanity|(one|single|same|fixed|first) (mini-?)?batch|memori[sz]", re.IGNORECASE)


def _taken_once(case: Case, call: ast.Call, loader: ast.expr) -> Iterator[Hit]:
    """`x, y = next(iter(loader))` before the loop that trains with it, and nothing else ever asks the loader; unless
    the text says that it is meant to be so."""
    statement, code = case.parents.get(call), case.source(loader)
    if not isinstance(statement, ast.Assign) or not isinstance(loader, ast.Name) or _MEANT.search(case.text):
        return
    names = {n.id for target in statement.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    uses = [n for n in case.walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    loops = [loop for n in uses if n.id in names and (loop := case.loop_of(n)) is not None and trains(case, loop)]
    again = [n for n in case.walked if isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Store)]
    if not loops or sum(n.id == code for n in uses) > 1 or len(again) > len(names) or len(case.optimizer_steps) < 3:
        return
    batch = [tensor for name in names for tensor in case.named(name, len(case.trace) + 1)[-1:]]
    wholes = [
        each for tensor in batch for each in case.ancestors(tensor) if case.shape(each)[1:] == case.shape(tensor)[1:]
    ]
    if not any(case.shape(each)[:1] > case.shape(batch[0])[:1] for each in wholes):
        return
    line, loop = call.lineno, loops[0]
    why = f"Line {line} takes one batch of {code}, and all {len(case.optimizer_steps)} steps of the loop on line "
    why += f"{loop.lineno} train with it. The model never sees the others."
    text = edits.insert_before(
        case.text, loop.body[0].lineno, case.source(statement).replace(case.source(call), "next(batches)")
    )
    text = edits.insert_before(text, loop.lineno, _ENDLESS.format(code)) if text is not None else None
    text = edits.without_statement(text, line) if text is not None else None
    cursor = int(case.trace.calls.step[0]) + 1 if len(case.trace.calls) else len(case.trace)
    yield Hit(
        line, cursor, why, f"Go through the loader: for batch in {code}.", fixes(("one batch after the other", text))
    )


def _is_step(case: Case, call: ast.Call) -> bool:
    """Whether a call is in a function that a loop calls, and one of both trains."""
    around = case.function_of(call)
    if not isinstance(around, ast.FunctionDef):
        return False
    loops = [loop for each in case.calls if name_of(each) == around.name and (loop := case.loop_of(each)) is not None]
    return bool(loops) and (calls(around, TRAINING) or any(trains(case, loop) for loop in loops))


def _counted_anew(case: Case) -> Iterator[Hit]:
    """`data[torch.arange(16)]` in each step: indices that are made anew and always the same."""
    trace, places = case.trace, defaultdict[tuple[int, int], list[int]](list)
    for node in np.flatnonzero(trace.nodes.op == "index").tolist():
        if len(read := case.read_by(node)) == 2 and not trace.tensors.requires_grad[read[0]]:
            places[read[0], int(trace.nodes.site[node])].append(node)
    for (whole, _), nodes in places.items():
        drawn, taken = [case.read_by(node)[1] for node in nodes], case.maker(case.output(nodes[0]))
        made = taken.slice if isinstance(taken, ast.Subscript) else None
        made = case.assigned(made.id, made.lineno) if isinstance(made, ast.Name) else made
        if len({*drawn}) < 3 or not isinstance(made, ast.Call) or name_of(made) != "arange":
            continue
        picked = [user for user in trace.users_of(whole).tolist() if trace.nodes.op[user] in ("index", "slice")]
        few, many = case.shape(drawn[0])[0], case.shape(whole)[0]
        if few >= many or not {*picked} <= {*nodes} or not (_trained_between(case, drawn) and _all_equal(case, drawn)):
            continue
        name = case.source(taken.value) if isinstance(taken, ast.Subscript) else case.name(whole)
        why = f"Line {made.lineno} counts the same {few} rows of {name} in each of {len(nodes)} steps, and nothing "
        why += f"ever looks at the other {many - few}."
        code = f"torch.randint(len({name}), ({case.source(made.args[0])},))" if len(made.args) == 1 else ""
        text = edits.replace_node(case.text, made, code) if code else None
        cursor = int(trace.nodes.step[nodes[1]]) + 1
        advice = "Let the rows follow the step, or draw them at random."
        marks = case.mark(nodes[1], "the same rows")
        yield Hit(made.lineno, cursor, why, advice, fixes(("rows at random", text)), marks)
        return


def _same_rows(case: Case) -> Iterator[Hit]:
    """`X[self.at : self.at + 8]` in a function that each step calls, where nothing ever moves the position on."""
    trace, nodes, taken = case.trace, case.trace.nodes, defaultdict[tuple[int, int], list[int]](list)
    for node in np.flatnonzero(nodes.op == "slice").tolist():
        if len(read := case.read_by(node)) == 1 and not trace.tensors.requires_grad[read[0]]:
            taken[read[0], int(nodes.site[node])].append(node)
    for (whole, _), found in taken.items():
        made, part = case.maker(case.output(found[0])), case.shape(case.output(found[0]))
        rows = made.slice if isinstance(made, ast.Subscript) else None
        moving = isinstance(rows, ast.Slice) and isinstance(rows.lower, (ast.Name, ast.Attribute))
        others = {*trace.users_of(whole).tolist()} - {*found}
        if not moving or len({str(nodes.params[each]) for each in found}) > 1 or part[0] >= case.shape(whole)[0]:
            continue
        around = case.function_of(made) if made is not None else None
        if made is None or around is None or len(found) < 3 or others:
            continue
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(around)):
            continue  # a generator begins anew
        if not _trained_between(case, [case.output(each) for each in found]):
            continue
        name, at = case.name(whole), case.source(rows.lower) if isinstance(rows, ast.Slice) and rows.lower else ""
        why = f"Line {made.lineno} takes the same {part[0]} of the {case.shape(whole)[0]} rows of {name} in all "
        why += f"{len(found)} steps: {at} is never moved on, and nothing ever looks at the others."
        cursor, marks = int(nodes.step[found[1]]) + 1, case.mark(found[1], "the same rows")
        yield Hit(made.lineno, cursor, why, f"Add the size of the batch to {at} after each step.", (), marks)
        return


def _same_pieces(case: Case) -> Iterator[Hit]:
    """`torch.stack([data[i : i + 8] for i in ix])` in each step, with the same few places each time, while nothing ever
    looks at the rest."""
    trace, nodes, pieces = case.trace, case.trace.nodes, defaultdict[int, list[int]](list)
    for node in np.flatnonzero(nodes.op == "slice").tolist():
        whole = case.read_by(node)[0]
        if trace.tensors.producer[whole] < 0 and not trace.tensors.requires_grad[whole]:
            pieces[whole].append(node)
    for whole, found in pieces.items() if not _MEANT.search(case.text) else ():
        passes = np.searchsorted(trace.calls.step, nodes.step[found])
        groups = [[each for each, at in zip(found, passes, strict=True) if at == turn] for turn in sorted({*passes})]
        taken = [[(int(nodes.site[each]), str(nodes.params[each])) for each in group] for group in groups]
        covered = sum({str(nodes.params[each]): case.shape(case.output(each))[0] for each in found}.values())
        made = case.maker(case.output(found[0]))
        around = [each for each in case.around(made) if isinstance(each, _IN_TURN)] if made is not None else []
        if len(taken) < 3 or any(each != taken[0] for each in taken) or not around or made is None:
            continue
        if 2 * covered > case.shape(whole)[0] or {*trace.users_of(whole).tolist()} - {*found}:
            continue
        if not _trained_between(case, [case.output(group[0]) for group in groups]):
            continue
        why = f"Line {made.lineno} takes the same {len(groups[0])} pieces of {case.name(whole)} in all {len(groups)} "
        why += f"steps, and nothing ever looks at the rest of its {case.shape(whole)[0]} rows."
        cursor, marks = int(nodes.step[groups[1][0]]) + 1, case.mark(groups[1][0], "the same rows")
        yield Hit(made.lineno, cursor, why, "Draw other places for each step, for example with randint.", (), marks)
        return


_IN_TURN = (ast.ListComp, ast.GeneratorExp)


def _sown_anew(case: Case) -> Iterator[Hit]:
    """manual_seed() before each draw of a batch: the same samples every time."""
    trace, seeds = case.trace, [call for call in case.calls if name_of(call) == "manual_seed"]
    for seed in seeds:
        around = case.function_of(seed) or case.loop_of(seed)
        if around is None:
            continue
        for call in [node for node in ast.walk(around) if isinstance(node, ast.Call)]:
            drawn = case.made_by(call) if name_of(call) in ("randint", "randperm", "randn", "rand", "normal") else []
            if len(drawn) < 3 or not _trained_between(case, drawn) or not _all_equal(case, drawn):
                continue
            why = f"Line {seed.lineno} seeds the generator before each batch is drawn on line {call.lineno}, so all "
            why += f"{len(drawn)} batches have the same samples."
            alone = isinstance(case.parents.get(seed), ast.Expr)
            text = edits.without_statement(case.text, seed.lineno) if alone else None
            cursor = int(trace.tensors.step[drawn[1]]) + 1
            advice = "Seed once, at the beginning of the program."
            yield Hit(seed.lineno, cursor, why, advice, fixes(("without the seed", text)))
            return


def _all_equal(case: Case, drawn: list[int]) -> bool:
    first = case.first_value(drawn[0])
    arrays = [case.first_value(each) for each in drawn]
    return first is not None and first.size > 2 and all(a is not None and np.array_equal(a, first) for a in arrays)


def _trained_between(case: Case, drawn: list[int]) -> bool:
    """Whether there is one backward pass of the same model between each two."""
    trace = case.trace
    counts = np.diff(np.searchsorted(trace.calls.step, trace.tensors.step[drawn]))
    often = [sum(event.what == "added" for event in events) for events in case.events.values()]
    return bool((counts == 1).all()) and max(often, default=0) >= len(drawn) - 1


def _sorted_batches(case: Case) -> Iterator[Hit]:
    """Batches with one class each, in the same order in every epoch. A shuffle=False without such harm is a decision of
    the author, as for a time series: nothing is said of it."""
    trace, found = case.trace, list[tuple[int, int]]()
    loaders = [call for call in case.calls if name_of(call) == "DataLoader"]
    for node in np.flatnonzero(trace.nodes.op == "nll_loss").tolist() if loaders else ():
        read = case.read_by(node)
        target = case.first_value(read[1]) if len(read) > 1 else None
        if target is None or target.size < 4 or case.output(node) not in case.below_roots or np.ptp(target):
            return
        found.append((node, int(target.flat[0])))
    classes = [each for _, each in found]
    again = next((n for n in range(2, len(classes) // 2 + 1) if classes[:n] == classes[n : 2 * n]), 0)
    if len({*classes}) < 2 or not again or any("shuffle=True" in case.source(each) for each in loaders):
        return
    line = loaders[0].lineno
    why = f"Each batch of the loader on line {line} has one class only, in the same order in every epoch: the model is "
    why += "pulled towards one class after the other."
    text = edits.add_keyword(case.text, line, "DataLoader", "shuffle", "True")
    shuffle = next((each.value for each in loaders[0].keywords if each.arg == "shuffle"), None)
    text = edits.replace_node(case.text, shuffle, "True") if shuffle is not None else text
    step = int(trace.nodes.step[found[0][0]]) + 1
    yield Hit(line, step, why, "Shuffle the samples: shuffle=True.", fixes(("shuffle=True", text)))


def _shuffled(case: Case, loader: str) -> bool:
    given = case.assigned(loader, 10**9)
    loaders = [given] if given is not None else [each for each in case.calls if name_of(each) == "DataLoader"]
    return any("shuffle=True" in case.source(each) for each in loaders)  # one that is an argument may be any of them


def trains(case: Case, loop: ast.For | ast.While) -> bool:
    """Whether a loop trains, directly or through a function of the snippet that it calls."""
    own = [each for each in case.statements if isinstance(each, ast.FunctionDef)]
    names = TRAINING | {each.name for each in own if calls(each, TRAINING)}
    return calls(loop, names)


def calls(where: ast.AST, names: set[str]) -> bool:
    return any(isinstance(node, ast.Call) and name_of(node) in names for node in ast.walk(where))


TRAINING = {"backward", "step"}


_ENDLESS = "import itertools\nbatches = itertools.chain.from_iterable(itertools.repeat({}))"


def _iterated(case: Case, call: ast.Call, loader: str, loop: ast.For | ast.While | None) -> tuple[Fix, ...]:
    """One iterator, made before the loop or the function, that starts again at its end."""
    changed = edits.replace_node(case.text, call, "next(batches)")
    code = _ENDLESS.format(loader)
    outer = loop or case.function_of(call) or call
    text = edits.insert_before(changed, getattr(outer, "lineno", 1), code) if changed is not None else None
    return fixes(("one batch after the other", text))


def _constant_slice(case: Case) -> Iterator[Hit]:
    """`X[:16]` in a loop over batches whose variable it does not use."""
    for node in case.walked:
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
            continue
        loop = case.loop_of(node)
        if not isinstance(loop, ast.For) or not trains(case, loop):
            continue
        if _ignores_its_place(case, node, loop):
            yield _ignored(case, node, loop)
            return
        if _is_first_of(case, node, loop):
            yield _first(case, node, loop)
            return
        if not isinstance(node.slice, ast.Slice):
            if _is_only_part(case, node, loop):
                yield _only(case, node, loop)
                return
            continue
        outer = case.loop_of(loop)
        if _stands_still(case, node.slice, loop):
            yield _still(case, node)
            return
        if _is_only_part(case, node, loop):
            yield _only(case, node, loop)
            return
        names = names_in(node.slice)
        counted = names_in(loop.target)
        given = names_in(loop.iter)
        moved = names_in(node.value) & counted  # x[i * 8 :][:8]
        if outer is None or moved or names & counted or not names <= given | {""} or not names:
            continue
        whole = case.was(node.value, len(case.trace) + 1)
        if whole < 0 or case.trace.tensors.requires_grad[whole] or not case.shape(whole):
            continue
        step = next((s for s in case.trace.tensors.step[case.made_by(node)].tolist()), len(case.trace) - 1)
        variable = sorted(counted)[0] if counted else "i"
        why = f"Line {node.lineno} takes the same rows of {case.source(node.value)} for every value of {variable}: the "
        why += "loop over batches trains with one and the same batch."
        text = _sliced(case, node, variable)
        advice = f"Let the slice follow {variable}."
        yield Hit(node.lineno, step + 1, why, advice, fixes((f"from {variable} on", text)))
        return


def _unmoved_slice(case: Case) -> Iterator[Hit]:
    """`X[:size]` in a loop that counts the rows it has seen, `while seen < len(X)` with `seen += size`."""
    for node in case.walked:
        loop = case.loop_of(node) if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else None
        if not isinstance(loop, ast.While) or not isinstance(node, ast.Subscript) or not trains(case, loop):
            continue
        size = node.slice.upper if isinstance(node.slice, ast.Slice) else None
        counted = [each.target for each in loop.body if isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add)
                   and size is not None and case.source(each.value) == case.source(size)]  # fmt: skip
        names = [each.id for each in counted if isinstance(each, ast.Name)]
        names = [each for each in names if each in names_in(loop.test)]
        text = _sliced(case, node, names[0]) if names else None
        if text is None or _changing(loop) & names_in(node.slice):
            continue
        step = next((s for s in case.trace.tensors.step[case.made_by(node)].tolist()), len(case.trace) - 1)
        why = f"Line {node.lineno} takes the same rows of {case.source(node.value)} for every value of {names[0]}: the "
        why += "loop over batches trains with one and the same batch."
        advice = f"Let the slice follow {names[0]}."
        yield Hit(node.lineno, step + 1, why, advice, fixes((f"from {names[0]} on", text)))
        return


def _is_first_of(case: Case, node: ast.Subscript, loop: ast.For) -> bool:
    """Whether a loop counts the elements of a list, `for i in range(len(batches))`, and takes `batches[0]` each time,
    which is all that is ever taken of it."""
    held = f"len({case.source(node.value)})"
    if (
        not isinstance(loop.target, ast.Name)
        or not isinstance(node.slice, ast.Constant)
        or case.loop_of(node) is not loop
    ):
        return False
    others = [
        n for n in case.walked if isinstance(n, ast.Subscript) and case.source(n.value) == case.source(node.value)
    ]
    counts = any(isinstance(each, ast.Call) and case.source(each) == held for each in ast.walk(loop.iter))
    names = [n for each in loop.body for n in ast.walk(each) if isinstance(n, ast.Name)]
    first = isinstance(node.slice.value, int) and all(each.slice is node.slice for each in others)
    return counts and first and all(n.id != loop.target.id or _is_printed(case, n) for n in names)


def _is_printed(case: Case, name: ast.Name) -> bool:
    """Whether a name is only read to be printed."""
    return any(isinstance(each, ast.Call) and name_of(each) == "print" for each in case.around(name))


def _first(case: Case, node: ast.Subscript, loop: ast.For) -> Hit:
    held, i = case.source(node.value), case.source(loop.target)
    step = next((s for s in range(len(case.trace)) if case.line_of(s) == node.lineno), len(case.trace) - 1)
    why = f"Line {node.lineno} takes {case.source(node)} for every {i}: the loop over {held} trains with one and the "
    why += "same batch."
    text = edits.replace_node(case.text, node, f"{held}[{i}]")
    return Hit(node.lineno, step + 1, why, f"Take {held}[{i}].", fixes((f"{held}[{i}]", text)))


def _ignores_its_place(case: Case, node: ast.Subscript, loop: ast.For) -> bool:
    """Whether a loop iterates over the batch positions of something, and takes the same rows of it at each."""
    if not isinstance(loop.target, ast.Name) or not isinstance(node.slice, ast.Slice):
        return False
    if not all(isinstance(each, ast.Constant) for each in (node.slice.lower, node.slice.upper) if each is not None):
        return False
    if isinstance(node.value, ast.Attribute) and node.value.attr == "dataset":
        return True
    length = any(
        isinstance(each, ast.Call) and name_of(each) == "len" and case.source(node.value) in map(case.source, each.args)
        for each in ast.walk(loop.iter)
    )
    names = [n for each in loop.body for n in ast.walk(each) if isinstance(n, ast.Name)]
    return length and all(n.id != loop.target.id or _is_printed(case, n) for n in names)


def _ignored(case: Case, node: ast.Subscript, loop: ast.For) -> Hit:
    name, i = case.source(node.value), case.source(loop.target)
    step = next((s for s in range(len(case.trace)) if case.line_of(s) == node.lineno), len(case.trace) - 1)
    why = f"Line {node.lineno} takes the same rows of {name} for every {i}: the loop over batches trains with one and "
    why += "the same batch."
    high = node.slice.upper if isinstance(node.slice, ast.Slice) else None
    code = f"{name}[{_rows(case, loop, i, case.source(high))}]" if high is not None else ""
    text = edits.replace_node(case.text, node, code) if code else None
    return Hit(node.lineno, step + 1, why, f"Let the rows begin at {i}.", fixes((f"from {i} on", text)))


def _stands_still(case: Case, rows: ast.Slice, loop: ast.For) -> bool:
    """Whether rows are `i:i + size`, and no surrounding loop changes i."""
    low, high = rows.lower, rows.upper
    if (
        not isinstance(low, ast.Name)
        or high is None
        or not any(isinstance(each, ast.Name) and each.id == low.id for each in ast.walk(high))
    ):
        return False
    around = [loop, *(each for each in case.around(loop) if isinstance(each, (ast.For, ast.While)))]
    return low.id not in _changing(around[-1])


def _changing(loop: ast.For | ast.While) -> set[str]:
    """Return the names that a loop binds, other than those to which it only assigns the same number each time."""
    plain = [
        target
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
    ]
    stored = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {n.id for n in stored if n not in plain}


_ROWS = ("slice", "arange", "randperm", "randint")


def _is_only_part(case: Case, node: ast.Subscript, loop: ast.For) -> bool:
    """Whether a loop takes the same few rows of a tensor each time, and nothing ever uses the others."""
    whole = case.was(node.value, len(case.trace) + 1)
    changing = _changing(loop)
    given: ast.expr | None = node.slice
    if isinstance(given, ast.Name):
        given = case.assigned(given.id, node.lineno)
        drawn = given.value if isinstance(given, ast.Subscript) else given  # `torch.randperm(n)[:16]`
        if given is None or not isinstance(drawn, ast.Call) or name_of(drawn) not in _ROWS:
            return False
        if given in [*ast.walk(loop)]:
            return False
    elif not isinstance(given, ast.Slice):
        return False
    fixed = not any(isinstance(n, ast.Name) and n.id in changing for n in ast.walk(given))
    if not fixed or whole < 0 or not isinstance(node.value, ast.Name) or not isinstance(loop.target, ast.Name):
        return False
    parts = case.made_by(node)
    less = len(parts) > 2 and case.shape(whole)[:1] > case.shape(parts[0])[:1]
    names = [n for n in case.walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    reads = [n for n in names if n.id == node.value.id and not _is_measured(case, n)]
    if {*case.trace.nodes.line[case.trace.users_of(whole)].tolist()} == {node.lineno}:  # under other names neither
        reads = [n for n in reads if case.function_of(n) is case.function_of(node)]
    rows = case.source(node.slice)
    same = all(isinstance(u := case.parents.get(n), ast.Subscript) and case.source(u.slice) == rows for n in reads)
    return bool(less and same and reads and not case.trace.tensors.requires_grad[whole])


def _is_measured(case: Case, name: ast.Name) -> bool:
    """Whether only the size of something is read: `len(x)`, `x.shape`."""
    outer = case.parents.get(name)
    return (isinstance(outer, ast.Call) and name_of(outer) == "len") or (
        isinstance(outer, ast.Attribute) and outer.attr in ("shape", "size")
    )


def _only(case: Case, node: ast.Subscript, loop: ast.For) -> Hit:
    name, i, whole = case.source(node.value), case.source(loop.target), case.was(node.value, len(case.trace) + 1)
    parts, rows = case.made_by(node), case.source(node.slice)
    given = case.assigned(rows, node.lineno) if isinstance(node.slice, ast.Name) else None
    line = node.lineno if given is None else given.lineno
    few, many = case.shape(parts[0])[0], case.shape(whole)[0]
    why = f"Line {line} takes the same {few} of the {many} rows of {name} in all {len(parts)} steps, and nothing "
    why += "ever looks at the others."
    text, high = case.text, node.slice.upper if isinstance(node.slice, ast.Slice) else None
    size = case.source(high) if high is not None else ""
    for each in reversed(case.walked):
        same = isinstance(each, ast.Subscript) and case.loop_of(each) is loop and case.source(each.slice) == rows
        if same and isinstance(each, ast.Subscript) and size:
            held = case.source(each.value)
            again = f"{i} * {size} % len({held}):][:{size}"
            rows_of = _rows(case, loop, i, size) if _counts_batches(loop, size) else again
            text = edits.replace_node(text, each, f"{held}[{rows_of}]") or text
    if node in ast.walk(loop.iter):
        text = case.text
    step = int(case.trace.tensors.step[parts[1]]) + 1
    advice = f"Let the rows follow {i}."
    if text == case.text and given is not None and "rand" in case.source(given):
        drawn = fixes(("drawn in each step", _drawn_in_each(case, node, given)))
        return Hit(line, step, why, "Draw other rows in each step.", drawn)
    return Hit(line, step, why, advice, fixes((f"rows that follow {i}", text if text != case.text else None)))


def _drawn_in_each(case: Case, node: ast.Subscript, given: ast.expr) -> str | None:
    """Return the text with the statement that draws rows at the beginning of the loop that takes them."""
    loop, statement = case.loop_of(node), case.statement(given.lineno)
    if loop is None or statement is None:
        return None
    text = edits.insert_before(case.text, loop.body[0].lineno, case.source(statement))
    return edits.without_statement(text, statement.lineno) if text is not None else None


def _still(case: Case, node: ast.Subscript) -> Hit:
    step = next((s for s in case.trace.tensors.step[case.made_by(node)].tolist()), len(case.trace) - 1)
    low = case.source(node.slice.lower) if isinstance(node.slice, ast.Slice) and node.slice.lower else ""
    why = f"Line {node.lineno} takes its rows from {low} on, but nothing in the loop ever changes {low}: every step "
    why += "trains with the same batch."
    return Hit(node.lineno, step + 1, why, f"Add the size of the batch to {low} after each step.")


def _sliced(case: Case, node: ast.Subscript, variable: str) -> str | None:
    if not isinstance(node.slice, ast.Slice) or case.source(node.slice.lower or ast.Pass()) not in ("", "0"):
        return None
    if node.slice.upper is None:
        return None
    loop, text = case.loop_of(node), case.text
    rows = _rows(case, loop, variable, case.source(node.slice.upper))
    for each in reversed(case.walked):
        same = isinstance(each, ast.Subscript) and case.loop_of(each) is loop
        if same and isinstance(each, ast.Subscript) and case.source(each.slice) == case.source(node.slice):
            text = edits.replace_node(text, each, f"{case.source(each.value)}[{rows}]") or text
    return text


def _counts_batches(loop: ast.For, size: str) -> bool:
    """Whether a loop goes once through all batches: range(0, n, size), or range(n // size)."""
    counted, parts = loop.iter, {ast.unparse(each) for each in ast.walk(loop.iter) if isinstance(each, ast.expr)}
    if not isinstance(counted, ast.Call) or name_of(counted) != "range":
        return False
    return len(counted.args) == 3 or size in parts


def _rows(case: Case, loop: ast.For | ast.While | None, variable: str, size: str) -> str:
    """Return the code of the rows of a batch in a loop that counts the rows in steps, or else the batches."""
    counted = loop.iter if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) else None
    if counted is not None and name_of(counted) == "range" and len(counted.args) < 3:
        return f"{variable} * {size} : ({variable} + 1) * {size}"
    return f"{variable} : {variable} + {size}"
