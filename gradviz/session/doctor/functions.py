"""Functions of the snippet whose backward() loses a gradient: what it would send back, or what it was sent."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import Array, Case, Hit, fixes
from gradviz.trace.table.kinds import Kind


def swallowed(case: Case) -> Iterator[Hit]:
    """A Function of the snippet whose backward() returned None for an input that requires grad: its gradient ends."""
    trace, sent = case.trace, {*case.trace.arrivals.from_node.tolist()}
    for step, node, method in _own_backwards(case) if not case.raised else ():
        wants = [each for each in case.read_by(node) if trace.tensors.requires_grad[each]]
        if node in sent or not wants or _returns(method):
            continue
        name = case.name(wants[0])
        why = f"backward() of {trace.nodes.op[node]} (line {method.lineno}) returns nothing, which is None for {name}: "
        why += "no gradient goes further, and nothing says so."
        last = method.body[-1]
        kept = case.source(last.targets[0]) if isinstance(last, ast.Assign) else ""
        text = edits.after_statement(case.text, last, f"return {kept}") if kept.isidentifier() else None
        advice = f"Return the gradient of {name}: what came in, times the derivative."
        offered = fixes((f"return {kept}", text))
        marks = case.mark(node, "its backward() returned None")
        yield Hit(last.end_lineno or last.lineno, step + 1, why, advice, offered, marks)
        return


def ignoring(case: Case) -> Iterator[Hit]:
    """A Function of the snippet whose backward() never reads the gradient that it is given, which is not 1."""
    for step, node, method in _own_backwards(case):
        given = [each.arg for each in method.args.args[1:]]
        read = {n.id for n in ast.walk(method) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if not given or method.args.vararg is not None or read & {*given} or not _returns(method):
            continue
        came, sent = _gradients(case, node)
        if all((each == 1).all() for each in came) or not any(each.any() for each in sent):
            continue  # it begins at the root and loses nothing, or lets nothing through
        value = _returns(method)[-1]
        why = f"backward() of {case.trace.nodes.op[node]} never reads {given[0]}, the gradient that comes back to its "
        why += "result. The chain rule multiplies by it; without it all that comes after this operation is left out of "
        why += "the gradient."
        parts = [each for each in getattr(value, "elts", [value]) if not isinstance(each, ast.Constant)]
        changes: dict[ast.expr | ast.stmt, str | None] = {each: f"{given[0]} * {_factor(case, each)}" for each in parts}
        text = edits.all_at_once(case.text, case.tree, changes) if len(given) == 1 else None
        offered, marks = fixes((f"{given[0]} * …", text)), case.mark(node, "loses the gradient")
        yield Hit(value.lineno, step + 1, why, f"Multiply by {given[0]}.", offered, marks)
        return


def _own_backwards(case: Case) -> Iterator[tuple[int, int, ast.FunctionDef]]:
    """Yield the steps in which a backward() of the snippet runs, with its node and its method."""
    own = {
        each.name: method
        for each in case.statements if isinstance(each, ast.ClassDef)
        for method in each.body if isinstance(method, ast.FunctionDef) and method.name == "backward"
    }  # fmt: skip
    nodes, steps = case.trace.nodes, case.trace.steps
    for step in case.steps_of(Kind.BACKWARD) if own else ():
        if (method := own.get(str(nodes.op[steps.node[step]]))) is not None:
            yield step, int(steps.node[step]), method


def _returns(method: ast.FunctionDef) -> list[ast.expr]:
    """Return what a method returns."""
    return [n.value for n in ast.walk(method) if isinstance(n, ast.Return) and n.value is not None]


def _factor(case: Case, value: ast.expr) -> str:
    """Return the code of a value as the second factor of a product."""
    code = case.source(value)
    product = isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div))
    return code if product or isinstance(value, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) else f"({code})"


def _gradients(case: Case, node: int) -> tuple[list[Array], list[Array]]:
    """Return the gradients that came to a node's results, and those that it sent, as far as they were kept."""
    arrivals, made = case.trace.arrivals, case.trace.outputs_of(node)
    came = [case.array(value) for value in arrivals.total[np.isin(arrivals.tensor, made)].tolist()]
    sent = [case.array(value) for value in arrivals.value[arrivals.from_node == node].tolist()]
    return [each for each in came if each is not None], [each for each in sent if each is not None]
