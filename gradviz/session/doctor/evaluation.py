"""Evaluation in training mode, training in evaluation mode, and batches that never change."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import SWITCHED_OFF, Case, Fix, Hit, fixes, of_module, ran
from gradviz.session.doctor.losses import LOSSES
from gradviz.session.doctor.rates import constant
from gradviz.session.doctor.text import name_of, receiver_of
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.roles import is_mask


def eval_forgotten(case: Case) -> Iterator[Hit]:
    """Dropout or BatchNorm still in training mode when nothing is trained, or no longer in it when something is."""
    trace, nodes = case.trace, case.trace.nodes
    masks = _random_nodes(case)
    asked = [call for call in case.calls if _switches_mode(case, call)]
    switched = np.array([node for node in masks if nodes.reason[node] == SWITCHED_OFF or _in_no_grad(case, node)], int)
    yield from _functional(case, switched.tolist())
    mistaken = next((hit for call in asked if (hit := _train_for_eval(case, call, switched.tolist()))), None)
    if mistaken is not None:
        yield mistaken
        return
    if len(switched) and not asked and len(trace.calls):
        node = int(switched[0])
        line = case.outer_line(node)
        if not _is_judged(case, node, line):
            return
        what = "BatchNorm" if "batch_norm" in str(nodes.op[node]) else "dropout"
        why = f"The model is evaluated on line {line} inside no_grad(), but its {what} is still in training mode: "
        why += _told_of(what) + " no_grad() only switches gradients off; eval() switches layers over."
        text = _with_eval(case, line)
        advice = "Call model.eval() before evaluation, and model.train() before training goes on."
        yield Hit(line, int(nodes.step[node]) + 1, why, advice, fixes(("eval() first", text)), case.mark(node, what))
        return
    yield from _train_forgotten(case, masks)


def _train_for_eval(case: Case, call: ast.Call, switched: list[int]) -> Hit | None:
    """A function that only evaluates, and begins with train()."""
    held, around = receiver_of(call), case.function_of(call)
    if name_of(call) != "train" or call.args or held is None or not isinstance(around, ast.FunctionDef):
        return None
    name = case.source(held)
    evaluates = any(name_of(each) == "eval" for each in ast.walk(around) if isinstance(each, ast.Call))
    if evaluates or _calls(around, _TRAINING):
        return None
    lines = range(call.lineno + 1, (around.end_lineno or call.lineno) + 1)
    inside = [each for each in switched if case.outer_line(each) in lines and _is_compared(case, each)]
    if not inside:
        return None
    line = case.outer_line(inside[0])
    what = "BatchNorm" if "batch_norm" in str(case.trace.nodes.op[inside[0]]) else "dropout"
    why = f"Line {call.lineno} switches {name} to training, and line {line} evaluates it: its {what} is on, and "
    why += f"{_told_of(what)}"
    text = edits.replace_node(case.text, call, f"{name}.eval()")
    cursor = int(case.trace.nodes.step[inside[0]]) + 1
    offered = fixes(("eval() instead", text))
    return Hit(call.lineno, cursor, why, f"Call {name}.eval() before evaluation.", offered, case.mark(inside[0], what))


def _switches_mode(case: Case, call: ast.Call) -> bool:
    """Whether a call is eval(), or a train() other than the usual one before training or at the beginning of an
    epoch."""
    if receiver_of(call) is None or _is_own(case, name_of(call)):
        return False
    if name_of(call) == "eval":
        return not call.args
    backward = [each for each in case.calls if name_of(each) == "backward"]
    if name_of(call) != "train" or not backward:
        return name_of(call) == "train"
    loop = case.loop_of(call)
    early = call.lineno < backward[0].lineno and case.function_of(call) is case.function_of(backward[0])
    return bool(call.args) or not (early or (loop is not None and _trains(case, loop)))


def _is_own(case: Case, name: str) -> bool:
    """Whether a class of the snippet that is not a module has a method of this name: `trainer.train(10)`."""
    functions = [each for each in case.statements if isinstance(each, ast.FunctionDef) and each.name == name]
    holders = [holder for each in functions if (holder := case.class_of(each)) is not None]
    return any(not any("Module" in case.source(base) for base in holder.bases) for holder in holders)


def _functional(case: Case, switched: list[int]) -> Iterator[Hit]:
    """F.dropout() in a forward() that eval() does not affect, because it is not passed the mode."""
    evaluated = any(name_of(call) == "eval" and not call.args and receiver_of(call) is not None for call in case.calls)
    for node in switched if evaluated and len(case.trace.calls) else ():
        line = int(case.trace.nodes.line[node])
        call = case.called("dropout", line)
        if call is None or case.class_of(call) is None or len(call.args) > 2:
            continue
        held = receiver_of(call)
        if held is None or case.source(held) not in _FUNCTIONS or any(each.arg == "training" for each in call.keywords):
            continue
        why = (
            f"{case.source(call.func)} on line {line} is not told whether the model is in training, and drops elements "
        )
        why += "always: eval() does not reach it, and the same input gives another result each time."
        text = edits.add_keyword(case.text, line, "dropout", "training", "self.training")
        advice = "Give it training=self.training, or use the layer nn.Dropout."
        cursor = int(case.trace.nodes.step[node]) + 1
        yield Hit(line, cursor, why, advice, fixes(("training=self.training", text)), case.mark(node, "dropout"))
        return


_FUNCTIONS = ("F", "nn.functional", "torch.nn.functional", "functional", "torch")


def _is_judged(case: Case, node: int, line: int) -> bool:
    """Whether BatchNorm's result is more than displayed: a generator shows its pictures in training mode."""
    if "batch_norm" not in str(case.trace.nodes.op[node]):
        return True
    statement = case.statement(line)
    loop = case.loop_of(statement) if statement is not None else None
    if loop is not None and _trains(case, loop):
        return _is_compared(case, node)
    users = case.trace.users_of(_result(case, node)).tolist()
    return any(case.trace.nodes.op[user] != "detach" for user in users)


def _result(case: Case, node: int) -> int:
    """Return what the outermost module around an operation returned."""
    trace, nesting = case.trace, case.trace.nesting
    outer = [r for r in nesting.ancestors(int(trace.nodes.region[node])) if trace.regions.kind[r] == RegionKind.MODULE]
    inside = np.flatnonzero(nesting.contains(outer[-1], trace.nodes.region)) if outer else np.array([node])
    return case.output(int(inside[-1]))


def _is_compared(case: Case, node: int) -> bool:
    """Whether the result of a model is compared with targets, and nothing is trained by it."""
    nodes, queue, compared = case.trace.nodes, [_result(case, node)], False
    for each in queue:
        for user in case.trace.users_of(each).tolist():
            if nodes.name[user]:
                return False
            compared |= nodes.op[user] in _COMPARING or _is_distance(case, user)
            queue += [case.output(user)] if len(queue) < 50 else []
    return compared


def _is_distance(case: Case, node: int) -> bool:
    """Whether an operation squares a difference, or takes its size."""
    nodes = case.trace.nodes
    read = case.read_by(node) if nodes.op[node] in ("pow", "square", "abs") else []
    maker = int(case.trace.tensors.producer[read[0]]) if read else -1
    return maker >= 0 and nodes.op[maker] == "sub"


_COMPARING = (*LOSSES, "eq", "ne")


def _told_of(what: str) -> str:
    if what == "dropout":
        return "it zeroes elements at random, so the same input gives another result each time."
    return "it uses the mean of this batch, and changes its running mean by it."


def _random_nodes(case: Case) -> list[int]:
    """Return the operations of dropout, and those of BatchNorm in training mode."""
    trace, nodes = case.trace, case.trace.nodes
    found = [int(n) for n in np.flatnonzero(nodes.op == "native_batch_norm") if "training=True" in str(nodes.params[n])]
    for node in np.flatnonzero(nodes.op == "mul").tolist():
        read = case.read_by(node)
        if len(read) != 2 or trace.tensors.producer[read[1]] >= 0:
            continue
        bound = len(trace.history("names", "tensor").all(read[1])) > 0  # to name the others takes long
        if "mask" in case.name(read[1]) if bound else is_mask(trace, read[1], node):
            found.append(node)
    return sorted(found)


def _in_no_grad(case: Case, node: int) -> bool:
    """Whether an operation whose operands require no grad ran while gradients are switched off."""
    nodes = case.trace.nodes
    if nodes.name[node]:
        return False
    return case.is_off(case.outer_line(node))


def _with_eval(case: Case, line: int) -> str | None:
    for node in case.on_line(line):
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, (ast.Name, ast.Attribute, ast.Subscript)):
            name = case.source(node.func.value if isinstance(node.func, ast.Subscript) else node.func)  # layers["out"]
            rows = case.trace.names.owner == name
            if rows.any() or of_module(case, node):
                statement = case.statement(line)
                around = [each for each in case.around(statement) if isinstance(each, ast.With)] if statement else []
                text: str | None = case.text
                head = around[-1].items[0].context_expr if around else None
                if isinstance(head, ast.Call) and name_of(head) == "set_grad_enabled" and head.args:
                    code = f"{name}.train({case.source(head.args[0])})"
                    return edits.insert_before(case.text, around[-1].lineno, code)
                if around and _trains_again(case, line) and not isinstance(around[-1].body[-1], ast.Return):
                    text = edits.after_statement(case.text, around[-1], f"{name}.train()")
                at = around[-1].lineno if around else line
                return edits.insert_before(text or case.text, at, f"{name}.eval()")
    return None


def _trains_again(case: Case, line: int) -> bool:
    """Whether backward() runs after a line has run, and nothing switches to training before it."""
    again = bool((case.trace.calls.step > ran(case, line, 0)).any())
    return again and not any(name_of(call) == "train" and receiver_of(call) is not None for call in case.calls)


def _train_forgotten(case: Case, masks: list[int]) -> Iterator[Hit]:
    """Training continues in evaluation mode: the dropout of the first iterations is missing in later ones."""
    trace, nodes = case.trace, case.trace.nodes
    calls = [call for call in case.calls if name_of(call) == "eval" and not call.args and receiver_of(call) is not None]
    if not calls or not len(trace.calls):
        return
    yield from _never_in_training(case, calls, masks)
    last = int(trace.calls.step[-1])
    tracked = [node for node in masks if nodes.name[node]]
    first_half = [node for node in tracked if nodes.step[node] < last]
    if not first_half or len(trace.calls) < 2:
        return
    before = int(trace.calls.step[-2])
    if any(nodes.step[node] > before for node in first_half):
        return
    lines = {case.outer_line(node) for node in first_half}
    if not any(_ran_again(case, line, before) for line in lines):
        return
    call = calls[0]
    held = receiver_of(call)
    name = case.source(held) if held is not None else "model"
    training = min(lines)
    why = f"Line {call.lineno} switches {name} to evaluation, and nothing switches it back: from then on training runs "
    why += "without dropout, and BatchNorm no longer follows the data."
    text = edits.insert_before(case.text, training, f"{name}.train()")
    yield Hit(call.lineno, before + 1, why, f"Call {name}.train() before each epoch.", fixes((f"{name}.train()", text)))


def _never_in_training(case: Case, evals: list[ast.Call], masks: list[int]) -> Iterator[Hit]:
    """A model with dropout that is switched to evaluation before it is trained, so that its dropout never does
    anything."""
    trace, names = case.trace, {name_of(call) for call in case.calls}
    backward = next((call for call in case.calls if name_of(call) == "backward"), None)
    dropouts = [call for call in case.calls if name_of(call).startswith("Dropout") and _drops(case, call)]
    if masks or not dropouts or backward is None or "train" in names:
        return
    for call in evals:
        held, loop = receiver_of(call), case.loop_of(call)
        name = case.source(held) if held is not None else ""
        owners = {str(trace.names.owner[row]) for each in case.updates
                  for row in trace.history("names", "tensor").all(each).tolist()}  # fmt: skip
        if (loop is not None and _trains(case, loop)) or not any(f"{each}.".startswith(f"{name}.") for each in owners):
            continue
        roots = trace.roots.tensor.tolist()[:1]
        node = int(trace.tensors.producer[roots[0]]) if roots else -1
        why = f"Line {call.lineno} switches {name} to evaluation, and training begins without a train(): the dropout "
        why += f"of line {dropouts[0].lineno} never drops anything, in none of {len(trace.calls)} backward passes."
        around = case.loop_of(backward)
        first = around.body[0].lineno if around is not None else backward.lineno
        text = edits.insert_before(case.text, first, f"{name}.train()")
        cursor = int(trace.calls.step[0]) + 1
        advice = f"Call {name}.train() before each epoch."
        yield Hit(call.lineno, cursor, why, advice, fixes((f"{name}.train()", text)), case.mark(node, "no dropout"))
        return


def _drops(case: Case, layer: ast.Call) -> bool:
    """Whether a dropout layer has a probability other than 0."""
    given = [*layer.args[:1], *(each.value for each in layer.keywords if each.arg == "p")]
    number = constant(case, given[0]) if given else None
    return not given or (number is not None and bool(number.value))


def _ran_again(case: Case, line: int, after: int) -> bool:
    nodes = case.trace.nodes
    later = np.flatnonzero((nodes.step > after) & (nodes.name != "")).tolist()
    return any(case.outer_line(node) == line for node in later)


def same_batch(case: Case) -> Iterator[Hit]:
    """The first batch of a loader is used again and again."""
    for call in case.calls:
        inner = call.args[0] if name_of(call) == "next" and call.args else None
        if not isinstance(inner, ast.Call) or name_of(inner) != "iter" or not inner.args:
            continue
        loop = case.loop_of(call)
        if not (_trains(case, loop) if loop is not None else _is_step(case, call)):
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
    yield from _constant_slice(case)
    yield from _counted_anew(case)
    yield from _sown_anew(case)
    yield from _sorted_batches(case)


def _is_step(case: Case, call: ast.Call) -> bool:
    """Whether a call is in a function that trains and that a loop calls."""
    around = case.function_of(call)
    if not isinstance(around, ast.FunctionDef) or not _calls(around, _TRAINING):
        return False
    return any(name_of(each) == around.name and case.loop_of(each) is not None for each in case.calls)


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


def _sown_anew(case: Case) -> Iterator[Hit]:
    """manual_seed() before each draw of a batch: the same samples every time."""
    trace, seeds = case.trace, [call for call in case.calls if name_of(call) == "manual_seed"]
    for seed in seeds:
        around = case.function_of(seed) or case.loop_of(seed)
        if around is None:
            continue
        for call in [node for node in ast.walk(around) if isinstance(node, ast.Call)]:
            drawn = case.made_by(call) if name_of(call) in ("randint", "randperm") else []
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
    """Batches with one class each, in the same order in every epoch."""
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


def _trains(case: Case, loop: ast.For | ast.While) -> bool:
    """Whether a loop trains, directly or through a function of the snippet that it calls."""
    own = [each for each in case.statements if isinstance(each, ast.FunctionDef)]
    names = _TRAINING | {each.name for each in own if _calls(each, _TRAINING)}
    return _calls(loop, names)


def _calls(where: ast.AST, names: set[str]) -> bool:
    return any(isinstance(node, ast.Call) and name_of(node) in names for node in ast.walk(where))


_TRAINING = {"backward", "step"}


def _iterated(case: Case, call: ast.Call, loader: str, loop: ast.For | ast.While | None) -> tuple[Fix, ...]:
    """One iterator, made before the loop or the function, that starts again at its end."""
    changed = edits.replace_node(case.text, call, "next(batches)")
    code = f"import itertools\nbatches = itertools.chain.from_iterable(itertools.repeat({loader}))"
    outer = loop or case.function_of(call) or call
    text = edits.insert_before(changed, getattr(outer, "lineno", 1), code) if changed is not None else None
    return fixes(("one batch after the other", text))


def _constant_slice(case: Case) -> Iterator[Hit]:
    """`X[:16]` in a loop over batches whose variable it does not use."""
    for node in case.walked:
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
            continue
        loop = case.loop_of(node)
        if not isinstance(loop, ast.For) or not _trains(case, loop):
            continue
        if _ignores_its_place(case, node, loop):
            yield _ignored(case, node, loop)
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
        names = {n.id for n in ast.walk(node.slice) if isinstance(n, ast.Name)}
        counted = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        given = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
        if outer is None or names & counted or not names <= given | {""} or not names:
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
    return length and all(n.id != loop.target.id for n in names)


def _ignored(case: Case, node: ast.Subscript, loop: ast.For) -> Hit:
    name, i = case.source(node.value), case.source(loop.target)
    step = next((s for s in range(len(case.trace)) if case.line_of(s) == node.lineno), len(case.trace) - 1)
    why = f"Line {node.lineno} takes the same rows of {name} for every {i}: the loop over batches trains with one and "
    why += "the same batch."
    high = node.slice.upper if isinstance(node.slice, ast.Slice) else None
    code = f"{name}[{i} : {i} + {case.source(high)}]" if high is not None else ""
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


def _is_only_part(case: Case, node: ast.Subscript, loop: ast.For) -> bool:
    """Whether a loop takes the same few rows of a tensor each time, and nothing ever uses the others."""
    whole = case.was(node.value, len(case.trace) + 1)
    changing = _changing(loop)
    given: ast.expr | None = node.slice
    if isinstance(given, ast.Name):
        given = case.assigned(given.id, node.lineno)
        if not isinstance(given, ast.Call) or name_of(given) not in ("slice", "arange"):
            return False
    elif not isinstance(given, ast.Slice):
        return False
    fixed = not any(isinstance(n, ast.Name) and n.id in changing for n in ast.walk(given))
    if not fixed or whole < 0 or not isinstance(node.value, ast.Name) or not isinstance(loop.target, ast.Name):
        return False
    parts = case.made_by(node)
    less = len(parts) > 2 and case.shape(whole)[:1] > case.shape(parts[0])[:1]
    names = [n for n in case.walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    reads = [n for n in names if n.id == node.value.id]
    rows = case.source(node.slice)
    same = all(isinstance(u := case.parents.get(n), ast.Subscript) and case.source(u.slice) == rows for n in reads)
    return bool(less and same and reads and not case.trace.tensors.requires_grad[whole])


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
            text = edits.replace_node(text, each, f"{held}[{i} * {size} % len({held}):][:{size}]") or text
    if node in ast.walk(loop.iter):
        text = case.text
    step = int(case.trace.tensors.step[parts[1]]) + 1
    advice = f"Let the rows follow {i}."
    return Hit(line, step, why, advice, fixes((f"rows that follow {i}", text if text != case.text else None)))


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
    size, text = case.source(node.slice.upper), case.text
    for each in reversed(case.walked):
        same = isinstance(each, ast.Subscript) and case.loop_of(each) is case.loop_of(node)
        if same and isinstance(each, ast.Subscript) and case.source(each.slice) == case.source(node.slice):
            code = f"{case.source(each.value)}[{variable}:{variable} + {size}]"
            text = edits.replace_node(text, each, code) or text
    return text
