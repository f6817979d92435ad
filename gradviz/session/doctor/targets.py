"""Targets of other inputs than their own, and targets through which a loss is trained."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes, of_module
from gradviz.session.doctor.losses import DIFFERENCES, LOSSES, SHAPES
from gradviz.session.doctor.text import name_of, names_in


def shuffled_apart(case: Case) -> Iterator[Hit]:
    """Inputs and targets in two random orders: `X[randperm(n)]` and `y[randperm(n)]`."""
    trace, nodes, orders = case.trace, case.trace.nodes, dict[int, tuple[int, int]]()
    for node in np.flatnonzero(nodes.op == "index").tolist():
        read = case.read_by(node)
        if len(read) == 2 and case.shape(read[1]) == case.shape(read[0])[:1] and _is_shuffled(case, read[1]):
            orders[case.output(node)] = read[1], read[0]
    for loss in np.flatnonzero(np.isin(nodes.op, LOSSES)).tolist() if len(orders) > 1 else ():
        behind = [[each for each in case.ancestors(one, most=200) if each in orders] for one in case.read_by(loss)[:2]]
        if len(behind) < 2 or not all(behind) or case.output(loss) not in case.below_roots:
            continue
        first, second = sorted((behind[0][0], behind[1][0]), key=lambda each: int(trace.tensors.step[each]))
        one_order, other_order = (np.asarray(case.first_value(orders[each][0])) for each in (first, second))
        if np.array_equal(one_order, other_order) or orders[first][1] == orders[second][1]:
            continue
        line, before = int(trace.tensors.line[second]), int(trace.tensors.line[first])
        names = case.name(orders[first][1]), case.name(orders[second][1])
        why = f"Line {line} puts the rows of {names[1]} into another random order than line {before} those of "
        why += f"{names[0]}: each input is trained with the target of some other one."
        one, other = case.maker(first), case.maker(second)
        text = None
        if isinstance(one, ast.Subscript) and isinstance(other, ast.Subscript) and isinstance(one.slice, ast.Name):
            text = edits.replace_node(case.text, other.slice, case.source(one.slice))
        advice, offered = "Draw one permutation, and index both by it.", fixes(("the same order", text))
        marks = case.mark(int(trace.tensors.producer[second]), "another order")
        yield Hit(line, int(trace.tensors.step[second]) + 1, why, advice, offered, marks)
        return


def _is_shuffled(case: Case, indices: int) -> bool:
    """Whether indices are those of all rows in some other order."""
    order = case.first_value(indices)
    if order is None or order.size < 3 or order.dtype.kind != "i":
        return False
    rows = np.arange(order.size)
    return bool(np.array_equal(np.sort(order), rows) and not np.array_equal(order, rows))


def drawn_apart(case: Case) -> Iterator[Hit]:
    """`zip(DataLoader(X, shuffle=True), DataLoader(y, shuffle=True))`: each loader shuffles by itself."""
    for loop in [each for each in case.statements if isinstance(each, ast.For)] if not case.raised else ():
        given, pair = loop.iter, loop.target
        if isinstance(given, ast.Call) and name_of(given) == "enumerate" and given.args:
            given, pair = given.args[0], pair.elts[-1] if isinstance(pair, ast.Tuple) else pair
        if not isinstance(given, ast.Call) or name_of(given) != "zip" or not isinstance(pair, ast.Tuple):
            continue
        loaders = [_loader(case, each) for each in given.args]
        names = [names_in(each) for each in pair.elts]
        if len(loaders) != 2 or len(names) != 2 or not _are_compared(case, names[0], names[1]):
            continue
        first, second = loaders
        if first is None or second is None or "shuffle=True" not in case.source(first):
            continue
        if "shuffle=True" not in case.source(second) or "generator" in case.source(first):
            continue
        line = second.lineno
        why = f"Line {line} shuffles the targets in an order of its own, other than that in which line {first.lineno} "
        why += "shuffles the inputs: each input is trained with the target of some other one."
        cursor = int(case.trace.calls.step[0]) + 1 if len(case.trace.calls) else len(case.trace)
        advice = "Give one loader both, as TensorDataset(inputs, targets)."
        yield Hit(line, cursor, why, advice, _drawn_together(case, given, first, second))
        return


def _drawn_together(case: Case, zipped: ast.Call, first: ast.Call, second: ast.Call) -> tuple[Fix, ...]:
    """Draw pairs from one loader, if both loaders were given tensors."""
    name, other = zipped.args
    held = [case.was(each.args[0], len(case.trace) + 1) if each.args else -1 for each in (first, second)]
    named = isinstance(name, ast.Name) and isinstance(other, ast.Name)
    statement = case.statement(second.lineno)
    if not named or min(held) < 0 or statement is None or case.loop_of(second) is not None:
        return ()
    whole = f"torch.utils.data.TensorDataset({case.source(first.args[0])}, {case.source(second.args[0])})"
    changes: dict[ast.expr | ast.stmt, str | None] = {zipped: case.source(name), first.args[0]: whole}
    text = edits.all_at_once(case.text, case.tree, changes)
    return fixes(("one loader", edits.without_statement(text, statement.lineno)))


def _loader(case: Case, expression: ast.expr) -> ast.Call | None:
    made = case.assigned(expression.id, expression.lineno) if isinstance(expression, ast.Name) else expression
    return made if isinstance(made, ast.Call) and name_of(made) == "DataLoader" else None


def _are_compared(case: Case, inputs: set[str], targets: set[str]) -> bool:
    """Whether a loss compares what was computed from inputs with targets, by the names of both."""
    trace, end = case.trace, len(case.trace) + 1
    given = [{each for name in names for each in case.named(name, end)} for names in (inputs, targets)]
    for loss in np.flatnonzero(np.isin(trace.nodes.op, (*LOSSES, *DIFFERENCES))).tolist():
        read = case.read_by(loss)[:2]
        if len(read) < 2 or case.output(loss) not in case.below_roots or trace.tensors.requires_grad[read[1]]:
            continue
        behind = [{*case.ancestors(each, most=200)} for each in read]
        if behind[0] & given[0] and behind[1] & given[1] and not behind[0] & given[1]:
            return True
    return False


def trained_target(case: Case) -> Iterator[Hit]:
    """`r + 0.9 * q(s2).max(1).values` as the target of `q(s)`, with its history: the loss also pulls the target
    towards the prediction."""
    trace, nodes = case.trace, case.trace.nodes
    for loss in np.flatnonzero(np.isin(nodes.op, DIFFERENCES)).tolist() if not case.raised else ():
        read = case.read_by(loss)[:2]
        if len(read) < 2 or case.output(loss) not in case.below_roots or not trace.tensors.requires_grad[read].all():
            continue
        for target, predicted in (read[::-1], read):
            value = _bootstrapped(case, target, predicted)
            if not value:
                continue
            line, name = int(trace.tensors.line[target]), case.name(predicted)
            why = f"Line {line} computes the target of {name} with the same weights, and keeps its history: backward() "
            why += "goes back through both, and makes the target follow the prediction."
            made = _value_in(case, target, value)
            text = edits.replace_node(case.text, made, f"{case.source(made)}.detach()") if made is not None else None
            advice = "A target is a constant: compute it inside no_grad(), or detach() it."
            marks = case.mark(int(trace.tensors.producer[target]), "a target with a history")
            at = made.lineno if made is not None and text is not None else line
            yield Hit(at, int(nodes.step[loss]) + 1, why, advice, fixes(("detach()", text)), marks)
            return


def _bootstrapped(case: Case, target: int, predicted: int) -> list[int]:
    """Return the tensors from a target `rewards + discount * value` back to the value of the next state, computed with
    the weights of the prediction; none if it is no such target."""
    trace, nodes, at, rewarded, discount = case.trace, case.trace.nodes, target, False, ""
    way = list[int]()
    while (node := int(trace.tensors.producer[at])) >= 0 and nodes.op[node] in ("add", "mul", *SHAPES):
        read = case.read_by(node)
        learned = [each for each in read if trace.tensors.requires_grad[each]]
        if len(learned) != 1:
            return []
        others = [each for each in read if each != learned[0]]
        rewarded |= nodes.op[node] == "add" and any(case.shape(each) == case.shape(at) != () for each in others)
        makers = [node, *(int(trace.tensors.producer[each]) for each in others)]
        discount += " ".join(str(nodes.params[each]) for each in makers if each >= 0 and nodes.op[each] == "mul")
        at = learned[0]
        way.append(at)
    best = node >= 0 and nodes.op[node] in ("max", "amax") and _is_picked(case, predicted)
    discounted = bool(re.search(r"\bother=0\.[5-9]", discount))
    if not rewarded or not (best or discounted) or case.shape(at) == ():
        return []
    return way if _weights(case, at) & _weights(case, predicted) else []


def _value_in(case: Case, target: int, way: list[int]) -> ast.expr | None:
    """Return the expression in that of a target which has the value of the next state, on the way to it."""
    whole, step = case.maker(target), int(case.trace.tensors.step[target])
    for each in ast.walk(whole) if whole is not None else ():
        found = list[int]()
        if isinstance(each, ast.Call):
            found = [*case.made_by(each), *of_module(case, each)]
        elif isinstance(each, (ast.Name, ast.Attribute)):
            found = case.named(case.source(each), step)[-1:]
        if isinstance(each, (ast.Call, ast.Name, ast.Attribute)) and {*found} & {*way}:
            held: ast.expr = each
            while isinstance(outer := case.parents.get(held), (ast.Attribute, ast.Subscript)) and outer is not whole:
                held = outer
            return held
    return None


def _is_picked(case: Case, tensor: int) -> bool:
    """Whether a tensor has one element of each row of another."""
    behind = [*case.ancestors(tensor, most=6)]
    makers = [int(case.trace.tensors.producer[each]) for each in behind]
    return any(maker >= 0 and case.trace.nodes.op[maker] in ("gather", "index") for maker in makers)


def _weights(case: Case, tensor: int) -> set[int]:
    """Return the leaves that a tensor is trained through."""
    tensors = case.trace.tensors
    return {each for each in case.ancestors(tensor) if tensors.producer[each] < 0 and tensors.requires_grad[each]}
