"""Updates written by hand that bind a name anew, and how they are changed into updates in place."""

from __future__ import annotations

import ast

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, fixes
from gradviz.session.doctor.text import is_of_gradients, name_of, paired


def updated_in_place(case: Case, is_cleared: bool = False) -> tuple[Fix, ...]:
    """Rewrite every `w = w - … w.grad …` as `w -= …` inside no_grad, and clear .grad after it unless that is done."""
    text, names = case.text, case.gradient_names
    for statement in reversed(case.statements):
        in_turn = _updated_in_turn(case, statement, names)
        if in_turn:
            text = edits.replaced(text, statement, in_turn) or text
            continue
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        pairs = _updated_together(case, target, value)
        if pairs and is_of_gradients(value, names):
            copies = "\n".join(f"    {name}.copy_({code})" for name, code in pairs)
            cleared = "\n".join(f"{name}.grad = None" for name, _ in pairs)
            text = edits.replaced(text, statement, f"with torch.no_grad():\n{copies}\n{cleared}") or text
            continue
        name = _element(case, statement) or case.source(target)
        starts = isinstance(value, ast.BinOp) and case.source(value.left) == name
        if f"{name}.grad" not in case.source(value) and not (starts and is_of_gradients(value, names - {name})):
            continue
        if (
            isinstance(value, ast.BinOp)
            and isinstance(value.op, (ast.Sub, ast.Add))
            and case.source(value.left) == name
        ):
            sign = "-" if isinstance(value.op, ast.Sub) else "+"
            update = f"{name} {sign}= {case.source(value.right)}"
        else:
            update = f"{name}.copy_({case.source(value)})"
        inside = case.is_off(statement.lineno)
        cleared = "" if is_cleared or f"{name}.grad.zero_()" in case.text else f"\n{name}.grad = None"
        code = f"{update}{cleared}" if inside else f"with torch.no_grad():\n    {update}{cleared}"
        text = edits.replaced(text, statement, code) or text
    return fixes(("in place, inside no_grad()", text if text != case.text else None)) or _a_leaf_again(case)


def _a_leaf_again(case: Case) -> tuple[Fix, ...]:
    """Rewrite `w = w.detach() - … w.grad …` so that the new w is a leaf that requires grad, too."""
    for each in [each for each in case.statements if isinstance(each, ast.Assign)]:
        target, value = each.targets[0], each.value
        if not isinstance(target, ast.Name) or not isinstance(value, ast.BinOp):
            continue
        if case.source(value.left) in (f"{target.id}.detach()", f"{target.id}.data"):
            code = f"({case.source(value)}).requires_grad_()"
            return fixes(("requires_grad_()", edits.replace_node(case.text, value, code)))
    return ()


def _element(case: Case, statement: ast.Assign) -> str:
    """Return the variable of a loop over the items of a container whose element a statement replaces:
    `params[k] = p - lr * p.grad`."""
    target, left = statement.targets[0], getattr(statement.value, "left", None)
    loop = case.loop_of(statement)
    if not isinstance(target, ast.Subscript) or not isinstance(left, ast.Name) or not isinstance(loop, ast.For):
        return ""
    over = f"{case.source(target.value)}.items()"
    return left.id if over in case.source(loop.iter) and left.id in case.source(loop.target) else ""


def _updated_together(case: Case, target: ast.expr, value: ast.expr) -> list[tuple[str, str]]:
    """Return the names and new values of `w, b = w - lr * w.grad, b - lr * b.grad`; none if it is another statement."""
    pairs = paired(target, value)
    starts = [(one, other.left if isinstance(other, ast.BinOp) else other) for one, other in pairs]
    same = all(case.source(one) == case.source(start) for one, start in starts)
    return [(case.source(one), case.source(other)) for one, other in pairs] if same else []


def _updated_in_turn(case: Case, statement: ast.stmt, names: set[str]) -> str:
    """Return the code that changes in place what a statement binds or returns anew: `[p - lr * p.grad for p in held]`;
    "" for another statement."""
    made = statement.value if isinstance(statement, (ast.Assign, ast.Return)) else None
    value, turns = (made.elt, made.generators) if isinstance(made, ast.ListComp) else (None, [])
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Sub) or len(turns) != 1 or turns[0].ifs:
        return ""
    name, over, target = case.source(value.left), turns[0].iter, turns[0].target
    if isinstance(over, ast.Call):  # `for p, g in zip(params, grads)`
        paired_with = over.args if name_of(over) == "zip" and len(over.args) == 2 else []
        taken = [case.source(each) for each in target.elts] if isinstance(target, ast.Tuple) else []
        of_gradient = bool(paired_with) and case.source(paired_with[1]) in names
        held = case.source(paired_with[0]) if paired_with else ""
    else:
        taken, held = [case.source(target)], case.source(over)
        of_gradient = f"{name}.grad" in case.source(value.right)
    if taken[:1] != [name] or not of_gradient or not held.isidentifier():
        return ""
    loop = f"    for {case.source(target)} in {case.source(over)}:\n"
    code = f"with torch.no_grad():\n{loop}        {name} -= {case.source(value.right)}\n"
    code += f"        {name}.grad = None" if ".grad" in case.source(value.right) else ""
    after = f"{case.source(statement.targets[0])} = {held}" if isinstance(statement, ast.Assign) else f"return {held}"
    return code.rstrip("\n") + ("" if after == f"{held} = {held}" else f"\n{after}")
