"""Evaluation in training mode, and training in evaluation mode. Batches that never change are in `batches`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.batches import TRAINING, calls, trains
from gradviz.session.doctor.case import Case, Hit, fixes, of_module, ran
from gradviz.session.doctor.losses import LOSSES
from gradviz.session.doctor.rates import constant
from gradviz.session.doctor.text import name_of, receiver_of, uncalled, values_of
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.roles import is_mask
from gradviz.trace.table.schema import SWITCHED_OFF


def eval_forgotten(case: Case) -> Iterator[Hit]:
    """Dropout or BatchNorm still in training mode when nothing is trained, or no longer in it when something is."""
    trace, nodes = case.trace, case.trace.nodes
    masks = _random_nodes(case)
    own = {name for name in _MODES if _is_own(case, name)}
    begun = next((each for each in case.calls if name_of(each) == "backward"), None)
    asked = [call for call in case.calls if name_of(call) in _MODES - own and _switches_mode(case, call, begun)]
    off = [node for node in masks if nodes.reason[node] == SWITCHED_OFF or _in_no_grad(case, node)]
    switched = np.array([node for node in off if not _is_trained_on(case, node)], int)
    yield from _functional(case, switched.tolist())
    turned = next(_turned_round(case, masks, switched.tolist()), None)
    if turned is not None:
        yield turned
        return
    mistaken = next((hit for call in asked if (hit := _train_for_eval(case, call, switched.tolist()))), None)
    if mistaken is not None:
        yield mistaken
        return
    after = _after_training(case, masks) if not len(switched) and not asked else -1
    if (len(switched) and not asked and len(trace.calls)) or after >= 0:
        node = after if after >= 0 else int(switched[0])
        line = case.outer_line(node)
        if not _is_judged(case, node, line):
            return
        what = "BatchNorm" if "batch_norm" in str(nodes.op[node]) else "dropout"
        where = "after training" if after >= 0 else "inside no_grad()"
        why = f"The model is evaluated on line {line} {where}, but its {what} is still in training mode: "
        why += _told_of(what)
        why += "" if after >= 0 else " no_grad() only switches gradients off; eval() switches layers over."
        text, named = _with_eval(case, line), uncalled(case, "eval")
        advice = "Call model.eval() before evaluation, and model.train() before training goes on."
        if named is not None:
            code, line = f"{case.source(named)}()", named.lineno
            why += f" Line {line} only names eval."
            text, advice = edits.replace_node(case.text, named, code), f"Write the brackets: {code}."
        yield Hit(line, int(nodes.step[node]) + 1, why, advice, fixes(("eval() first", text)), case.mark(node, what))
        return
    yield from _train_forgotten(case, masks)


def _after_training(case: Case, masks: list[int]) -> int:
    """Return the first dropout or BatchNorm in training mode on a line that runs once, after the last step of all
    optimizers, and after which no backward() comes; -1 for none."""
    trace, steps = case.trace, case.optimizer_steps
    last = max([*steps[-1:], *trace.calls.step[-1:].tolist()], default=-1) if steps else len(trace)
    late = [node for node in masks if trace.nodes.step[node] > last and trace.nodes.name[node]]
    lines = [case.outer_line(node) for node in masks]
    statements = [case.statement(case.outer_line(node)) for node in late]
    found = [
        node
        for node, statement in zip(late, statements, strict=True)
        if statement is not None and case.loop_of(statement) is None
        and not any(isinstance(each, _COMPREHENSIONS) for each in ast.walk(statement))
        and lines.count(case.outer_line(node)) <= len({str(trace.nodes.scope[each]) for each in late})
    ]  # fmt: skip
    return found[0] if found else -1


_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


def _train_for_eval(case: Case, call: ast.Call, switched: list[int]) -> Hit | None:
    """A function that only evaluates, and begins with train()."""
    held, around = receiver_of(call), case.function_of(call)
    if name_of(call) != "train" or call.args or held is None or not isinstance(around, ast.FunctionDef):
        return None
    name = case.source(held)
    evaluates = any(name_of(each) == "eval" for each in ast.walk(around) if isinstance(each, ast.Call))
    if evaluates or calls(around, TRAINING):
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


def _turned_round(case: Case, masks: list[int], switched: list[int]) -> Iterator[Hit]:
    """`model.train(not training)`: dropout and BatchNorm are in training mode only where nothing is trained."""
    trace = case.trace
    for call in [each for each in case.calls if name_of(each) == "train" and receiver_of(each) is not None]:
        given = [*call.args, *(each.value for each in call.keywords)]
        if len(given) != 1 or isinstance(given[0], ast.Constant) or len(trace.calls) < 2:
            continue
        compared = [node for node in switched if _is_compared(case, node)]
        if not compared or any(case.output(node) in case.below_roots for node in masks):
            continue
        mode, held = case.source(given[0]), case.source(receiver_of(call) or call)
        why = f"Line {call.lineno} switches {held} to training where it is evaluated, and to evaluation in all "
        why += f"{len(trace.calls)} backward passes: {mode} is True in the wrong place."
        inverse = f"not {mode}" if isinstance(given[0], ast.Name) else f"not ({mode})"
        inverse = case.source(given[0].operand) if isinstance(given[0], ast.UnaryOp) else inverse
        offered = fixes((f"train({inverse})", edits.replace_node(case.text, given[0], inverse)))
        cursor, marks = int(trace.nodes.step[compared[0]]) + 1, case.mark(compared[0], "in training mode")
        yield Hit(call.lineno, cursor, why, f"Call {held}.train({inverse}).", offered, marks)
        return


_MODES = {"eval", "train"}


def _switches_mode(case: Case, call: ast.Call, backward: ast.Call | None) -> bool:
    """Whether a call is eval(), or a train() other than the usual one before training, whose first backward() is given,
    or at the beginning of an epoch."""
    if receiver_of(call) is None:
        return False
    if name_of(call) == "eval":
        return not call.args
    if backward is None:
        return True
    loop = case.loop_of(call)
    early = call.lineno < backward.lineno and case.function_of(call) is case.function_of(backward)
    return bool(call.args) or not (early or (loop is not None and trains(case, loop)))


def _is_own(case: Case, name: str) -> bool:
    """Whether a class of the snippet that is not a module has a method of this name: `trainer.train(10)`."""
    functions = [each for each in case.statements if isinstance(each, ast.FunctionDef) and each.name == name]
    holders = [holder for each in functions if (holder := case.class_of(each)) is not None]
    return any(not any("Module" in case.source(base) for base in holder.bases) for holder in holders)


def _functional(case: Case, switched: list[int]) -> Iterator[Hit]:
    """F.dropout() in a forward() that eval() does not affect, because it is not passed the mode."""
    evaluated = any(name_of(call) == "eval" and not call.args and receiver_of(call) is not None for call in case.calls)
    for node in switched if len(case.trace.calls) else ():
        line = int(case.trace.nodes.line[node])
        call = case.called("dropout", line)
        function = case.function_of(call) if call is not None else None
        if call is None or function is None or len(call.args) > 2:
            continue
        if not (evaluated if case.class_of(call) is not None else _is_compared(case, node)):
            continue
        held = receiver_of(call)
        if held is None or case.source(held) not in _FUNCTIONS or any(each.arg == "training" for each in call.keywords):
            continue
        mode = "self.training" if case.class_of(call) is not None else _mode_of(function)
        why = (
            f"{case.source(call.func)} on line {line} is not told whether the model is in training, and drops elements "
        )
        why += "always: eval() does not reach it, and the same input gives another result each time."
        text = edits.add_keyword(case.text, line, "dropout", "training", mode) if mode else None
        advice = f"Give it training={mode or '…'}, or use the layer nn.Dropout."
        cursor = int(case.trace.nodes.step[node]) + 1
        yield Hit(line, cursor, why, advice, fixes((f"training={mode}", text)), case.mark(node, "dropout"))
        return


def _mode_of(function: ast.AST) -> str:
    """Return the argument that tells a function whether it is called in training, "" if it has none."""
    given = function.args if isinstance(function, ast.FunctionDef) else None
    names = [each.arg for each in (*given.args, *given.kwonlyargs)] if given is not None else []
    return next((each for each in names if "train" in each), "")


_FUNCTIONS = ("F", "nn.functional", "torch.nn.functional", "functional", "torch")


def _is_judged(case: Case, node: int, line: int) -> bool:
    """Whether BatchNorm's result is more than displayed: a generator shows its pictures in training mode."""
    if "batch_norm" not in str(case.trace.nodes.op[node]):
        return True
    statement = case.statement(line)
    loop = case.loop_of(statement) if statement is not None else None
    if loop is not None and trains(case, loop):
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


def _is_trained_on(case: Case, node: int) -> bool:
    """Whether something is trained with the result of an operation, such as a target or an input with noise."""
    nodes, queue = case.trace.nodes, [case.output(node)]
    for each in queue:
        for user in case.trace.users_of(each).tolist():
            if nodes.name[user] and case.output(user) in case.below_roots:
                return True
            queue += [case.output(user)] if len(queue) < 50 else []
    return False


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
    return case.is_off(case.outer_line(node)) or (_is_of_switched_off(case, node) and _is_compared(case, node))


def _is_of_switched_off(case: Case, node: int) -> bool:
    """Whether an operation reads what was computed while gradients were switched off."""
    producer = case.trace.tensors.producer
    makers = [int(producer[each]) for each in case.ancestors(*case.read_by(node), most=50)]
    return any(maker >= 0 and case.trace.nodes.reason[maker] == SWITCHED_OFF for maker in makers)


def _with_eval(case: Case, line: int) -> str | None:
    for node in case.on_line(line):
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, (ast.Name, ast.Attribute, ast.Subscript)):
            name = case.source(node.func.value if isinstance(node.func, ast.Subscript) else node.func)  # layers["out"]
            if any(isinstance(each, ast.Call) and _is_model(case, each) for one in node.args for each in ast.walk(one)):
                continue  # the loss of what the model returns
            if _is_model(case, node):
                statement = case.statement(line)
                around = [each for each in case.around(statement) if isinstance(each, ast.With)] if statement else []
                text: str | None = case.text
                head = around[-1].items[0].context_expr if around else None
                if isinstance(head, ast.Call) and name_of(head) == "set_grad_enabled" and head.args:
                    code = f"{name}.train({case.source(head.args[0])})"
                    return edits.insert_before(case.text, around[-1].lineno, code)
                at, training = around[-1].lineno if around else line, -1
                own = (
                    case.function_of(statement) if statement is not None and not around and case.is_off(line) else None
                )
                if (around or own is not None) and _trains_again(case, line):
                    ends = around and not isinstance(around[-1].body[-1], ast.Return)
                    training = -1 if ends else _training_of(case, name, case.function_of(node))
                    again = edits.after_statement(case.text, around[-1], f"{name}.train()") if around else case.text
                    text = None if training > 0 else again
                inserted = sorted([(at, f"{name}.eval()"), (training, f"{name}.train()")], reverse=True)
                for row, code in [each for each in inserted if each[0] > 0]:
                    text = edits.insert_before(text or case.text, row, code)
                return text
    return None


def _is_model(case: Case, call: ast.Call) -> bool:
    """Whether a call is that of a module."""
    name = case.source(call.func.value if isinstance(call.func, ast.Subscript) else call.func)  # layers["out"]
    return bool((case.trace.names.owner == name).any() or of_module(case, call))


def _training_of(case: Case, name: str, evaluation: ast.AST | None) -> int:
    """Return the line at which the training of a model of this name begins, in each epoch if the function that
    evaluates it is called in each; -1 if it is not known."""
    for call in [each for each in case.calls if name_of(each) == "backward"]:
        function = case.function_of(call)
        loops = [each for each in case.around(call) if isinstance(each, (ast.For, ast.While))]
        first: ast.AST | None = loops[-1] if loops else case.statement(call.lineno)
        uses = [n for n in ast.walk(function or first or call) if isinstance(n, (ast.Name, ast.Attribute))]
        if loops and calls(loops[-1], {getattr(evaluation, "name", "")}):
            first = loops[-1].body[0]
        if first is not None and any(case.source(each) == name for each in uses):
            return getattr(first, "lineno", -1)
    return -1


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
    """A model with dropout or BatchNorm that is switched to evaluation before it is trained, so that its dropout never
    does anything, and its running mean stays what it was. Of BatchNorm only one whose weights are trained."""
    trace, names = case.trace, {name_of(call) for call in case.calls}
    backward = next((call for call in case.calls if name_of(call) == "backward"), None)
    layers = [call for call in case.calls if name_of(call).startswith("Dropout") and _drops(case, call)]
    kind, does, mark = "dropout", "drops anything", "no dropout"
    if not layers:
        kind, does, mark = "BatchNorm", "uses or follows the mean of a batch", "no batch is averaged"
        inner = np.flatnonzero(np.char.find(trace.nodes.op.astype(str), "batch_norm") >= 0).tolist()
        trained = any({*case.read_by(node)} & case.updates for node in inner)
        layers = [call for call in case.calls if name_of(call).startswith(kind) and trained]
    if masks or not layers or backward is None or "train" in names:
        return
    for call in evals:
        held, loop = receiver_of(call), case.loop_of(call)
        name = case.source(held) if held is not None else ""
        owners = {str(trace.names.owner[row]) for each in case.updates
                  for row in trace.history("names", "tensor").all(each).tolist()}  # fmt: skip
        if (loop is not None and trains(case, loop)) or not any(f"{each}.".startswith(f"{name}.") for each in owners):
            continue
        roots = trace.roots.tensor.tolist()[:1]
        node = int(trace.tensors.producer[roots[0]]) if roots else -1
        why = f"Line {call.lineno} switches {name} to evaluation, and training begins without a train(): the {kind} "
        why += f"of line {layers[0].lineno} never {does}, in none of {len(trace.calls)} backward passes."
        around = case.loop_of(backward)
        first = around.body[0].lineno if around is not None else backward.lineno
        text = edits.insert_before(case.text, first, f"{name}.train()")
        cursor = int(trace.calls.step[0]) + 1
        advice = f"Call {name}.train() before each epoch."
        yield Hit(call.lineno, cursor, why, advice, fixes((f"{name}.train()", text)), case.mark(node, mark))
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


def state_not_copied(case: Case) -> Iterator[Hit]:
    """A state_dict() that was kept to go back to: it is the parameters themselves, which the steps after it changed."""
    trace, steps = case.trace, case.optimizer_steps
    for node in np.flatnonzero(trace.nodes.op == "copy").tolist():
        step, read = int(trace.nodes.step[node]), case.read_by(node)
        if len(read) != 2 or trace.tensors.storage[read[0]] != trace.tensors.storage[read[1]]:
            continue
        loading = case.called("load_state_dict", case.line_of(step))
        held = case.source(loading.args[0]) if loading is not None and loading.args else ""
        given = values_of(case, held)
        inside = [one for value in given for one in ast.walk(value) if isinstance(one, ast.Call)]
        kept = [each for each in inside if name_of(each) == "state_dict"]
        if len(kept) != 1 or not steps or steps[0] > step or loading is None:
            continue
        line, name = kept[0].lineno, case.name(read[0])
        why = f"Line {line} keeps the parameters themselves, not a copy: every step goes on changing them, and line "
        why += f"{loading.lineno} only copies {name} onto itself."
        code = f"{{name: each.clone() for name, each in {case.source(kept[0])}.items()}}"
        offered = fixes(("a copy of each", edits.replace_node(case.text, kept[0], code)))
        yield Hit(line, step + 1, why, "Keep copies: copy.deepcopy(model.state_dict()).", offered)
        return
