"""Results with which nothing goes on, and how they are made a part of the loss. Cut histories are in `cuts`."""

from __future__ import annotations

import ast
import re

from gradviz.document import edits
from gradviz.session.doctor.case import USERS, Case, Fix, fixes
from gradviz.session.doctor.text import receiver_of


def dead_end(case: Case, tensor: int) -> int:
    """Return the last result of all that was computed from a tensor if only that line's are unused, -1 otherwise."""
    trace, queue = case.trace, [tensor]
    ends = list[int]()
    for each in queue:
        users = trace.users_of(each)[:USERS].tolist()
        made = [made for user in users for made in trace.outputs_of(user).tolist()]
        queue += [one for one in made if one not in queue and len(queue) < 50]
        ends += [] if made else [each]
    alone = len({*trace.tensors.line[ends].tolist()}) == 1 and tensor not in ends
    return ends[0] if alone else -1


def gone_on(case: Case, dead: int) -> tuple[Fix, ...]:
    """Go on with a result that leads nowhere instead of what it was computed from, if that has the same shape."""
    statement, step = case.statement(int(case.trace.tensors.line[dead])), int(case.trace.tensors.step[dead])
    if not isinstance(statement, (ast.Assign, ast.Expr)):
        return ()
    read = [n for n in ast.walk(statement.value) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    alike = dict.fromkeys(n.id for n in read if (was := case.was(n, step)) >= 0 and case.shape(was) == case.shape(dead))
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    for name in alike if target is None else ():  # a call whose result was dropped
        code = f"{name} = {case.source(statement.value)}"
        return fixes((f"{name} = …", edits.replace_node(case.text, statement, code)))
    block = next((each for each in edits.blocks(case.tree) if statement in each), [])
    changes: dict[ast.expr | ast.stmt, str | None] = {}
    for after in block[block.index(statement) + 1 :] if isinstance(target, ast.Name) else ():
        held = [n for n in ast.walk(after) if isinstance(n, ast.Name) and n.id in alike and isinstance(n.ctx, ast.Load)]
        changes |= {n: case.source(target) for n in held} if target is not None else {}
        stored = {case.source(each) for each in getattr(after, "targets", [])}
        if stored & {*alike, case.source(target) if target is not None else ""}:
            break
    text = edits.all_at_once(case.text, case.tree, changes) if changes and target is not None else None
    return fixes((f"with {case.source(target) if target is not None else ''}", text))


def summed(case: Case, dead: int) -> tuple[Fix, ...]:
    """Add a loss that leads nowhere to the one that backward() is called of, if the same function computes both."""
    made, backward = case.statement(int(case.trace.tensors.line[dead])), case.called("backward")
    root = receiver_of(backward) if backward is not None else None
    name = made.targets[0] if isinstance(made, ast.Assign) else None
    here = made is not None and backward is not None and case.function_of(made) is case.function_of(backward)
    if not here or root is None or not isinstance(name, ast.Name) or case.shape(dead) != ():
        return ()
    given = case.assigned(root.id, root.lineno) if isinstance(root, ast.Name) else None
    later = given is not None and made is not None and given.lineno > made.lineno
    value = given if given is not None and later else root
    code = f"{case.source(value)} + {name.id}"
    return fixes((f"with {name.id}", edits.replace_node(case.text, value, code if later else f"({code})")))


def shifted(case: Case, tensor: int, node: int) -> tuple[Fix, ...]:
    """Add a bias that nothing computes with to the product that computes with the weights beside it."""
    name, made = case.name(tensor), case.maker(case.output(node))
    sizes = zip(case.shape(tensor)[::-1], case.shape(case.output(node))[::-1], strict=False)
    fits = len(case.shape(tensor)) <= len(case.shape(case.output(node))) and all(a in (1, b) for a, b in sizes)
    if not fits or not _BIAS.search(name) or not isinstance(made, ast.BinOp) or name not in case.text:
        return ()
    code = f"{case.source(made)} + {name}"
    plain = isinstance(case.parents.get(made), (ast.stmt, ast.Call))
    return fixes((f"+ {name}", edits.replace_node(case.text, made, code if plain else f"({code})")))


_BIAS = re.compile(r"^(b|.*(bias|intercept|offset|shift))\d*$")
