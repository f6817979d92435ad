"""Graphs that are kept although nothing goes back through them again: losses that are summed or collected with their
history, and retain_graph=True without need."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Hit, fixes, of_module, returned
from gradviz.session.doctor.rates import constant
from gradviz.session.doctor.text import name_of, receiver_of
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import SUBSCRIPTS


def graph_kept(case: Case) -> Iterator[Hit]:
    """Losses that are summed or collected with their graphs."""
    trace, nodes = case.trace, case.trace.nodes
    grown: dict[int, int] = defaultdict(int)
    for node in np.flatnonzero((nodes.op == "add") & (nodes.name != "")).tolist():
        read = case.read_by(node)
        made = case.output(node)
        if made < 0 or made in case.below_roots or _root_of(case, read) < 0:
            continue
        line = int(nodes.line[node])
        makers = [int(trace.tensors.producer[each]) for each in read if _root_of(case, [each]) < 0]
        if grown[line] and not any(maker >= 0 and nodes.line[maker] == line for maker in makers):
            continue
        grown[line] += 1
        statement = case.statement(line)
        if grown[line] < 2 or statement is None:
            continue
        often = grown[line] >= (2 if _is_called_in_loop(case, statement) else 5)
        if case.loop_of(statement) is None and (case.function_of(statement) is None or not often):
            continue
        collected = next(_collected(case), None) if _sums(statement) else None
        yield collected or _kept(case, line, int(nodes.step[node]) + 1, _root_of(case, read), node)
        return
    yield from _summed_in_evaluation(case)
    for call in [each for each in case.calls if name_of(each) == "append" and len(each.args) == 1]:
        if case.loop_of(call) is not None:
            for given in getattr(call.args[0], "elts", call.args):
                yield from _judged_with_graph(case, call, given)
    yield from _predicted_with_graph(case)
    yield from _collected(case)
    yield from _carried_with_graph(case)


def _collected(case: Case) -> Iterator[Hit]:
    """Losses that are put away with their graphs after backward()."""
    trace = case.trace
    for given in _put_away(case):
        were = returned(case, given) if isinstance(given, ast.Call) else case.were(given, len(trace) + 1)
        done = _is_after_backward(case, given) or _ends_with_iteration(case, given, were)
        roots = [each for each in were if each in case.ended_roots or (done and _is_part_of_loss(case, each))]
        if len(roots) >= 2 and not any(trace.tensors.is_leaf[each] for each in roots):
            yield _kept(case, given.lineno, len(trace), roots[-1], int(trace.tensors.producer[roots[-1]]), given)
            return


def _sums(statement: ast.stmt) -> bool:
    """Whether a statement sums up what is stored somewhere: `sum(losses)`."""
    return any(isinstance(each, ast.Call) and name_of(each) == "sum" for each in ast.walk(statement))


def _is_called_in_loop(case: Case, node: ast.AST) -> bool:
    """Whether a loop calls the function around something."""
    function = case.function_of(node)
    if not isinstance(function, ast.FunctionDef):
        return False
    return any(name_of(call) == function.name and case.loop_of(call) is not None for call in case.calls)


def _is_after_backward(case: Case, given: ast.expr) -> bool:
    """Whether a loop has called backward() before something in it, and has nothing left to do in that iteration."""
    loop = case.loop_of(given)
    calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call)] if loop is not None else []
    return any(name_of(call) == "backward" and call.lineno < given.lineno for call in calls)


def _ends_with_iteration(case: Case, given: ast.expr, stored: list[int]) -> bool:
    """Whether a loop calls backward() after each of the tensors that it stores in what is never emptied, and computes
    nothing with them afterwards."""
    trace, loop = case.trace, case.loop_of(given)
    call = next((each for each in case.around(given) if isinstance(each, ast.Call) and name_of(each) == "append"), None)
    name = case.source(call.func.value) if call is not None and isinstance(call.func, ast.Attribute) else ""
    inside = [*ast.walk(loop)] if loop is not None else []
    empties = any(isinstance(each, ast.Call) and name_of(each) in _EMPTYING and case.source(each.func).startswith(name)
                  for each in case.walked)  # fmt: skip
    given_anew = any(statement in inside for statement, _ in case.given.get(name, []))
    if not name or empties or given_anew or "deque" in case.text or len(stored) < 2:
        return False
    made = trace.tensors.step[stored]
    after = np.searchsorted(trace.calls.step, made)
    if not (np.diff(after) == 1).all() or after[-1] >= len(trace.calls):
        return False
    used = [trace.nodes.step[trace.users_of(each)] for each in stored]
    return all((steps < trace.calls.step[call]).all() for steps, call in zip(used, after.tolist(), strict=True))


_EMPTYING = ("clear", "pop", "popleft")


def _is_part_of_loss(case: Case, tensor: int) -> bool:
    """Whether a tensor has a history and a loss was computed from it, or from what it was computed from."""
    producer = case.trace.tensors.producer
    read = case.read_by(int(producer[tensor])) if producer[tensor] >= 0 else []
    part = any(each in case.below_roots for each in (tensor, *(each for each in read if producer[each] >= 0)))
    return part and bool(case.trace.tensors.requires_grad[tensor])


def _put_away(case: Case) -> Iterator[ast.expr]:
    """Return what loops append to a list, or store under a key: `losses.append(loss)`, `losses += [loss]`, `kept[i] =
    loss`."""
    for node in case.walked:
        if isinstance(node, ast.ListComp) and isinstance(node.elt, ast.Call) and _calls_backward(case, node.elt):
            yield node.elt
        if not isinstance(node, (ast.Call, ast.AugAssign, ast.Assign)) or not _is_repeated(case, node):
            continue
        if isinstance(node, ast.Call) and name_of(node) in ("append", "add", "appendleft") and len(node.args) == 1:
            given = node.args[0]
        elif isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List):
            given = node.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            key, given = node.targets[0].slice, node.value
            if isinstance(key, ast.Constant):
                continue
        else:
            continue
        yield from _parts(given)
        function = case.function_of(given)
        if (
            isinstance(function, ast.FunctionDef)
            and function.args.kwarg
            and case.source(given) == function.args.kwarg.arg
        ):
            yield from (each.value for call in case.calls if name_of(call) == function.name for each in call.keywords)


def _parts(given: ast.expr) -> Iterator[ast.expr]:
    """Return what a list, a tuple or a dictionary consists of, also in others inside it: `(epoch, loss)`."""
    inner = given.values if isinstance(given, ast.Dict) else getattr(given, "elts", None)
    if inner is None:
        yield given
    for each in inner or ():
        yield from _parts(each)


def _calls_backward(case: Case, called: ast.Call) -> bool:
    """Whether a call is of a function of the snippet that calls backward() itself."""
    around = [case.function_of(each) for each in case.calls if name_of(each) == "backward"]
    return any(isinstance(each, ast.FunctionDef) and each.name == name_of(called) for each in around)


def _is_repeated(case: Case, node: ast.AST) -> bool:
    """Whether something runs repeatedly: in a loop, in a method that adds to what its object keeps, or in a function
    that adds to what was made outside of it, and that a loop calls."""
    held = receiver_of(node) if isinstance(node, ast.Call) else None
    name = case.source(held) if held is not None else ""
    if case.loop_of(node) is not None or name.startswith("self."):
        return True
    made = next((each for each, _ in case.given.get(name, []) if isinstance(each, ast.Assign)), None)
    return made is not None and case.function_of(made) is None and _is_called_in_loop(case, node)


def _summed_in_evaluation(case: Case) -> Iterator[Hit]:
    """Losses that a loop sums with their graphs and that never go backward."""
    trace = case.trace
    for each, target, value in _additions(case):
        if case.loop_of(each) is None or case.raised:
            continue
        made = [one for one in case.made_by(value) if trace.tensors.requires_grad[one] and case.shape(one) == ()]
        if len(made) < 2 or {*made} & case.below_roots or any(trace.tensors.is_leaf[one] for one in made):
            continue
        name, node = case.source(target), int(trace.tensors.producer[made[-1]])
        if not trace.nodes.op[node].endswith("_loss") and not _evaluates(case.function_of(each)):
            continue
        why = f"Line {each.lineno} sums up {len(made)} losses that never go backward, each with the whole graph that "
        why += f"it was computed by: {name} holds them all."
        code = case.source(value)
        code = f"({code})" if isinstance(value, ast.BinOp) else code
        kept = "detach" if _takes_numbers(case) or _is_still_tensor(case, each.lineno) else "item"
        text = edits.replace_node(case.text, value, f"{code}.{kept}()")
        yield Hit(
            each.lineno, len(trace), why, "Evaluate inside no_grad(), or keep numbers: .item().",
            fixes((f".{kept}()", text)), case.mark(node, "keeps its graph"),
        )  # fmt: skip
        return


def _additions(case: Case) -> Iterator[tuple[ast.stmt, ast.expr, ast.expr]]:
    """Return the statements that add to a name, with the name and what is added: `total += loss`, `total = total +
    loss`."""
    for each in case.statements:
        if isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add):
            yield each, each.target, each.value
        elif isinstance(each, ast.Assign) and isinstance(each.value, ast.BinOp) and isinstance(each.value.op, ast.Add):
            for one, other in ((each.value.left, each.value.right), (each.value.right, each.value.left)):
                if case.source(one) == case.source(each.targets[0]):
                    yield each, each.targets[0], other


def _evaluates(function: ast.AST | None) -> bool:
    """Whether a function switches a model to evaluation and trains nothing."""
    names = [name_of(call) for call in ast.walk(function) if isinstance(call, ast.Call)] if function else []
    return "eval" in names and "backward" not in names


def _judged_with_graph(case: Case, call: ast.Call, given: ast.expr) -> Iterator[Hit]:
    """Losses that are collected in a training loop and never go backward: those of an evaluation without no_grad()."""
    trace, loop = case.trace, case.loop_of(call)
    trains = loop is not None and any(isinstance(n, ast.Call) and name_of(n) == "backward" for n in ast.walk(loop))
    made = (
        (returned(case, given) if isinstance(given, ast.Call) else case.were(given, len(trace) + 1)) if trains else []
    )
    kept = [each for each in made if trace.tensors.requires_grad[each] and case.shape(each) == ()]
    if len(kept) < 2 or {*kept} & case.below_roots or any(trace.tensors.is_leaf[each] for each in kept):
        return
    node = int(trace.tensors.producer[kept[-1]])
    below = [int(trace.tensors.producer[each]) for each in case.read_by(node)]
    line = next((int(trace.nodes.line[b]) for b in below if b >= 0 and trace.nodes.op[b] == "add"), call.lineno)
    why = f"{case.source(given)} on line {call.lineno} keeps {len(kept)} losses that never go backward, each with the "
    why += "whole graph that computed it: memory grows with every iteration."
    advice = "Evaluate inside no_grad(), or keep numbers: .item()."
    text = edits.replace_node(case.text, given, f"{case.source(given)}.item()")
    yield Hit(line, len(trace), why, advice, fixes((".item()", text)), case.mark(node, "keeps its graph"))


def _predicted_with_graph(case: Case) -> Iterator[Hit]:
    """Outputs of a model in evaluation mode that a loop collects with their graphs, through which nothing ever goes
    back."""
    trace = case.trace
    evals = [each.lineno for each in case.calls if name_of(each) == "eval" and not each.args and receiver_of(each)]
    for call in [each for each in case.calls if name_of(each) == "append" and len(each.args) == 1]:
        loop, given = case.loop_of(call), call.args[0]
        if loop is None or not any(line < loop.lineno for line in evals):
            continue
        called = given if isinstance(given, ast.Call) else None
        made = (of_module(case, called) or returned(case, called)) if called else case.were(given, len(trace) + 1)
        kept = [each for each in made if trace.tensors.requires_grad[each] and not trace.tensors.is_leaf[each]]
        later = len(kept) > 1 and (trace.calls.step > trace.tensors.step[kept[0]]).any()
        if len(kept) < 2 or later or case.raised:
            continue
        why = f"Line {call.lineno} keeps {len(kept)} outputs of a model in evaluation, each with the whole graph that "
        why += "it was computed by, and nothing ever goes back through them. eval() does not switch gradients off."
        inside = edits.under_no_grad(case.text, call.lineno) if called else None
        detached = edits.replace_node(case.text, given, f"{case.source(given)}.detach()")
        offered = fixes(("inside no_grad()", inside), (".detach()", detached))
        marks = case.mark(int(trace.tensors.producer[kept[-1]]), "keeps its graph")
        yield Hit(call.lineno, len(trace), why, "Evaluate inside no_grad().", offered, marks)
        return


def _carried_with_graph(case: Case) -> Iterator[Hit]:
    """A running average, or anything else that each iteration computes from its former value, with the graphs of all
    iterations, through which nothing ever goes back."""
    trace = case.trace
    for name, (_, tensors) in case.bound.items() if not case.raised else ():
        last = list(dict.fromkeys(tensors))[-3:]
        passes = np.diff(np.searchsorted(trace.calls.step, trace.tensors.step[last]))
        if len(last) < 3 or not passes.all() or {*last} & case.below_roots:
            continue
        if not all(_has_in_graph(case, after, before) for before, after in pairwise(last)):
            continue
        node = int(trace.tensors.producer[last[-1]])
        line, count = int(trace.nodes.line[node]), len({*tensors}) - 1
        why = f"Line {line} computes {name} from its former value, and with it from the graph of that: after "
        why += f"{count} iterations {name} holds the graphs of all of them, and nothing ever goes back through it."
        offered = fixes((".detach()", _detached(case, line)))
        advice = f"Detach what is only there to be looked at: {name} needs no history."
        yield Hit(line, int(trace.nodes.step[node]) + 1, why, advice, offered, case.mark(node, "keeps its graph"))
        return


def _has_in_graph(case: Case, tensor: int, before: int) -> bool:
    """Whether the graph of a tensor contains another one, a few operations away."""
    queue = [tensor]
    for each in queue:
        if each == before:
            return True
        queue += _before(case, each) if len(queue) < FEW else []
    return False


FEW = 20  # operations in one statement


def _before(case: Case, tensor: int) -> list[int]:
    """Return the tensors with a history that a tensor with a history was computed from."""
    asks, node = case.trace.tensors.requires_grad, int(case.trace.tensors.producer[tensor])
    return [each for each in case.read_by(node) if asks[each]] if node >= 0 and asks[tensor] else []


def _detached(case: Case, line: int) -> str | None:
    """Return the text in which what a statement computes, or adds in place, has no history."""
    statement = case.statement(line)
    value = statement.value if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)) else None
    if isinstance(statement, ast.Expr):
        value = next(iter(value.args), None) if isinstance(value, ast.Call) else None
    if value is None:
        return None
    plain = isinstance(value, (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
    code = case.source(value) if plain else f"({case.source(value)})"
    return edits.replace_node(case.text, value, f"{code}.detach()")


def _root_of(case: Case, read: list[int]) -> int:
    """Return the loss among what was read, or the one of which something read is a multiple or how far it is from
    another; -1 for none."""
    nodes = case.trace.nodes
    for scaling in (("mul", "div", "sub"), ("sub",), ()):
        root = next((each for each in read if each in case.ended_roots), -1)
        if root >= 0:
            return root
        makers = [int(case.trace.tensors.producer[each]) for each in read]
        read = [each for node in makers if node >= 0 and nodes.op[node] in scaling for each in case.read_by(node)]
    return -1


def _kept(case: Case, line: int, cursor: int, loss: int, node: int, given: ast.expr | None = None) -> Hit:
    count = len(case.roots)
    name = case.name(loss).rstrip(SUBSCRIPTS)
    why = f"Line {line} keeps {name} together with the graph that computed it. After {count} backward passes "
    why += f"{count} graphs are still there, and memory grows with every iteration."
    tensor = case.shape(loss) != () or _takes_numbers(case) or _is_still_tensor(case, line) or _is_stacked(case)
    text, kept = None, "detach" if tensor else "item"
    if isinstance(given, ast.Call):
        name = case.source(given)
        text = edits.replace_node(case.text, given, f"{name}.{kept}()")
    read = [each for each in case.on_line(line) if isinstance(each, (ast.Name, ast.Attribute, ast.Subscript))]
    read = [each for each in read if isinstance(each.ctx, ast.Load)]
    held = [each for each in read if case.source(each) == name]
    held = held or [each for each in read if loss in case.were(each, cursor + 1)]  # that of a parameter
    if held and text is None:
        code = f"{case.source(held[0])}.{kept}()"
        text = edits.all_at_once(
            case.text, case.tree, {e: code for e in held if case.source(e) == case.source(held[0])}
        )
    advice = f"Keep the number{'s' if case.shape(loss) else ''}: " + ("" if case.shape(loss) else f"{name}.item(), or ")
    advice += f"{name}.detach()."
    return Hit(line, cursor, why, advice, fixes((f"{name}.{kept}()", text)), case.mark(node, "keeps its graph"))


def _is_still_tensor(case: Case, line: int) -> bool:
    """Whether what a line sums is used as a tensor elsewhere: `total.item()`."""
    statement = case.statement(line)
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    names = {case.source(each) for each in targets if each is not None}
    return any(isinstance(each, ast.Attribute) and case.source(each.value) in names for each in case.walked)


def _is_stacked(case: Case) -> bool:
    """Whether tensors are stacked, or joined, for something other than a loss."""
    calls = [made for each in case.calls if name_of(each) in ("stack", "cat") and (made := case.made_by(each))]
    return any(not {*made} & case.below_roots for made in calls)


def _takes_numbers(case: Case) -> bool:
    """Whether something takes numbers from what a list holds: from each of its tensors, or from some by index."""
    turns = {n.id for each in case.walked if isinstance(each, (ast.ListComp, ast.GeneratorExp, ast.For))
             for part in ([each] if isinstance(each, ast.For) else each.generators)
             for n in ast.walk(part.target) if isinstance(n, ast.Name)}  # fmt: skip
    held = [receiver_of(each) for each in case.calls if name_of(each) == "item"]
    return any(
        isinstance(node, ast.Subscript) or (isinstance(node, ast.Name) and node.id in turns)
        for each in held if each is not None for node in ast.walk(each)
    )  # fmt: skip


def needless_retain(case: Case) -> Iterator[Hit]:
    """retain_graph=True although nothing goes back through the graph again."""
    trace, calls = case.trace, case.trace.calls
    if case.raised or not calls.retain_graph.any():
        return
    ran: dict[int, list[int]] = defaultdict(list)
    backward = np.flatnonzero((trace.steps.kind == Kind.BACKWARD) & (trace.steps.node >= 0))
    for node, call in zip(trace.steps.node[backward].tolist(), trace.steps.call[backward].tolist(), strict=True):
        ran[node].append(call)
    needed = {call for many in ran.values() for call in many[:-1]}
    by_line: dict[int, list[int]] = defaultdict(list)
    for call in range(len(calls)):
        if calls.retain_graph[call] and not calls.create_graph[call]:
            by_line[int(calls.line[call])].append(call)
    for line, many in by_line.items():
        if line <= 0 or needed & {*many} or "_saved" in case.text or _is_called_again(case, many[0]):
            continue
        call = next(
            (c for c in case.calls if c.lineno <= line <= (c.end_lineno or line) and _has_retain(case, c)), None
        )
        if call is None:
            continue
        step = int(calls.step[many[0]])
        why = (
            f"retain_graph=True on line {line} keeps what the graph has saved, but nothing goes back through it again: "
        )
        why += f"memory that is held for nothing in {len(many)} backward pass{'es' if len(many) > 1 else ''}."
        text = edits.remove_keyword(case.text, call, "retain_graph")
        if _is_retain_position(call):
            text = edits.replace_node(case.text, call.args[1], "False")
        yield Hit(line, step + 1, why, "Leave retain_graph out.", fixes(("without retain_graph", text)))
        return


def _is_called_again(case: Case, call: int) -> bool:
    """Whether other calls go back from the same root, too, which then is kept for any number of them."""
    return any(int((case.trace.roots.tensor == root).sum()) > 1 for root in case.trace.roots_of(call).tolist())


def _has_retain(case: Case, call: ast.Call) -> bool:
    given = [each.value for each in call.keywords if each.arg == "retain_graph"]
    given += call.args[1:2] if _is_retain_position(call) else []
    return any(found is not None and found.value is True for found in (constant(case, each) for each in given))


def _is_retain_position(call: ast.Call) -> bool:
    """Whether the second positional argument of a call is retain_graph: `loss.backward(None, True)`."""
    return len(call.args) > 1 and name_of(call) == "backward" and receiver_of(call) is not None


def graph_in_grad(case: Case) -> Iterator[Hit]:
    """backward(create_graph=True) again and again, whose .grad is filled with zeros instead of set to None: it keeps
    the graph of every call."""
    calls = case.trace.calls
    made = {call for call in range(len(calls)) if calls.create_graph[call]}
    if case.raised or len(made) < 2 or "set_to_none=False" in case.text or "detach_" in case.text:
        return
    for tensor, events in sorted(case.events.items()):
        added = [event for event in events if event.what == "added" and case.call_of(event.step) in made]
        reset = [event.step for event in events if event.what == "cleared" and event.value < 0]
        zeroed = [event.step for event in events if event.what == "cleared" and event.value >= 0]
        if len(added) < 2 or not zeroed or any(added[0].step < step < added[-1].step for step in reset):
            continue
        line, name = case.line_of(added[0].step), case.name(tensor)
        why = f"backward(create_graph=True) on line {line} gives {name}.grad a graph that leads back to {name}, a "
        why += f"cycle that counting references can't free. {name}.grad is filled with zeros, but never set to None: "
        why += f"the graphs of all {len(added)} calls are still there."
        text, filled = case.text, [each for each in case.statements if _fills_grad(case, each)]
        for each in reversed(filled):
            held = case.source(each).partition(".grad")[0]
            text = edits.replace_node(text, each, f"{held}.grad = None") or text
        advice = f"Set {name}.grad to None after use, or take the gradient from torch.autograd.grad()."
        offered = fixes((".grad = None", text if text != case.text else None))
        call = case.called("backward", line)
        if call is not None and not _is_differentiated(case, made):
            advice = f"Leave create_graph out: nothing differentiates {name}.grad."
            offered = fixes(("without create_graph", edits.remove_keyword(case.text, call, "create_graph")))
        yield Hit(line, added[1].step + 1, why, advice, offered)
        return
    yield from _never_differentiated(case, made)


def _never_differentiated(case: Case, made: set[int]) -> Iterator[Hit]:
    """backward(create_graph=True) in training, although nothing differentiates the gradients."""
    trace = case.trace
    lines = {int(trace.calls.line[each]) for each in made}
    call = case.called("backward", min(lines))
    if _is_differentiated(case, made) or len(lines) > 1 or call is None or not _is_used_for_updates(case, made):
        return
    line, count = min(lines), len(made)
    why = f"create_graph=True on line {line} records the operations of backward() themselves, in each of {count} "
    why += "passes, so that gradients can be differentiated. Nothing does: it costs time and memory only."
    text = edits.remove_keyword(case.text, call, "create_graph")
    cursor = int(trace.calls.step[min(made)]) + 1
    yield Hit(line, cursor, why, "Leave create_graph out.", fixes(("without create_graph", text)))


def _is_differentiated(case: Case, made: set[int]) -> bool:
    """Whether a root was computed from the gradients of one of these calls."""
    behind = {int(case.trace.tensors.producer[each]) for each in case.below_roots}
    return any(node in behind for node in np.flatnonzero(np.isin(case.trace.nodes.call, [*made])).tolist())


def _is_used_for_updates(case: Case, made: set[int]) -> bool:
    """Whether leaves that got gradients from several of these calls are changed afterwards, each time."""
    for events in case.events.values():
        added = [event.step for event in events if event.what == "added" and case.call_of(event.step) in made]
        updated = [event.step for event in events if event.what == "updated"]
        if len(added) > 1 and updated and max(updated) > added[1]:
            return True
    return bool(case.optimizer_steps)


def _fills_grad(case: Case, statement: ast.stmt) -> bool:
    """Whether a statement is `x.grad.zero_()` or `x.grad.data.zero_()`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    held = case.source(call.func) if isinstance(call, ast.Call) else ""
    return held.endswith((".grad.zero_", ".grad.data.zero_"))
