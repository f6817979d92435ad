"""Modules that are trained together with others, and that no optimizer was given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import (
    Case,
    Hit,
    first_use,
    fixes,
    optimizer_of,
    owners_of,
    parameters_of,
    steps_for,
    trained_beside,
)  # fmt: skip
from gradviz.session.doctor.losses import LOSSES
from gradviz.session.doctor.text import name_of, names_in, receiver_of


def given_twice(case: Case, left: list[int], step: int) -> Iterator[Hit]:
    """Two optimizers of the same module, while another module that gets gradients has none."""
    seen, names = dict[str, ast.Call](), {str(each) for each in case.trace.optimizers.name}
    for call in [each for each in case.calls if name_of(each) in names and each.args]:
        given = call.args[0]
        held = receiver_of(given) if isinstance(given, ast.Call) and name_of(given) == "parameters" else None
        owner = case.source(held) if held is not None else ""
        earlier = seen.setdefault(owner, call)
        if earlier is call:
            continue
        lacking = owner_of(case, left) or (own_attribute(case, left) if owner.startswith("self.") else "")
        if not owner or not lacking:
            return
        name = lacking.rpartition(".")[2]
        named = isinstance(given, ast.Call) and _is_named_after(case, earlier, name, given)
        if named or (steps_for(case, earlier, left) and not steps_for(case, call, left)):
            call, given = earlier, earlier.args[0]
        why = f"Line {call.lineno} gives the parameters of {owner} to one of two optimizers. {lacking} gets gradients, "
        why += "but no optimizer has its parameters, so no step() ever changes it."
        text = edits.replace_node(case.text, given, f"{lacking}.parameters()")
        advice = f"Give this one the parameters of {lacking}."
        yield Hit(call.lineno, step + 1, why, advice, fixes((f"with {lacking}.parameters()", text)))
        return


def left_out(case: Case, left: list[int], step: int) -> Iterator[Hit]:
    """A module whose gradients are cleared by name before each backward(), and that no optimizer was given."""
    making = optimizer_of(case, step)
    for call in [each for each in case.calls if name_of(each) == "zero_grad"] if making is not None else ():
        held = receiver_of(call)
        name = case.source(held) if held is not None else ""
        own = parameters_of(case, name) if name else []
        if not own or making is None or case.loop_of(call) is None or not {*own} <= {*left}:
            continue
        if isinstance(held, ast.Name) and _is_counted(case, held):
            continue
        if not all(trained_beside(case, each) for each in own):
            continue
        why = f"{name} gets gradients with each backward(), and line {call.lineno} clears them, but no step() ever "
        why += f"changes {name}: line {making.lineno} does not give it to the optimizer."
        advice = f"Give the optimizer both, or switch off requires_grad where {name} is not to be trained."
        text, first = None, making.args[0] if making.args else None
        if isinstance(first, ast.Call) and name_of(first) == "parameters":
            code = f"[*{case.source(first)}, *{name}.parameters()]"
            code = f"{name}.parameters()" if _is_named_after(case, making, name, first) else code
            text = edits.replace_node(case.text, first, code)
        yield Hit(making.lineno, step + 1, why, advice, fixes((f"with {name}.parameters()", text)))
        return


def _is_counted(case: Case, name: ast.Name) -> bool:
    """Whether a name is that of one thing after the other, which a loop binds."""
    targets = [each.target for each in case.walked if isinstance(each, ast.For)]
    return any(isinstance(n, ast.Name) and n.id == name.id for each in targets for n in ast.walk(each))


def one_of_several(case: Case, left: list[int], step: int) -> Iterator[Hit]:
    """The only optimizer has one model of a list, or the last one that a loop came to, and all are trained together."""
    making = optimizer_of(case, step)
    names, statement = (
        {str(each) for each in case.trace.optimizers.name},
        case.statement(making.lineno) if making else None,
    )
    if making is None or not making.args or [each for each in case.calls if name_of(each) in names] != [making]:
        return
    if not isinstance(statement, ast.Assign) or _is_decided(case) or not case.updates:
        return
    given, loop = making.args[0], case.loop_of(making)
    picked = [case.source(n.value) for n in ast.walk(given) if isinstance(n, ast.Subscript)]
    over = [case.source(n) for n in ast.walk(loop.iter)] if isinstance(loop, ast.For) else []
    for held in _lists_of(case, left[0]):
        together = all(held in _lists_of(case, each) and trained_beside(case, each) for each in left)
        if held not in [*picked, *over] or not together or not _meets_targets(case, left):
            continue
        if not any(held in _lists_of(case, each) for each in case.updates):
            continue
        line, last = making.lineno, "the last model" if held in over else case.source(given)
        why = f"Line {line} gives the optimizer only {last} of {held}. The others get gradients with each backward(), "
        why += f"but no step() ever changes {case.name(left[0])}."
        code = _of_all(case, held)
        text = edits.replace_node(case.text, given, code)
        if held in over and isinstance(loop, ast.For):
            plain = case.source(statement).replace(case.source(given), code, 1)
            text = _after_loop(case, loop, statement, plain)
        offered = fixes((f"all of {held}", text))
        yield Hit(line, step + 1, why, f"Give it the parameters of all of {held}.", offered, first_use(case, left[0]))
        return


def first_for_each(case: Case, left: list[int], step: int) -> Iterator[Hit]:
    """Optimizers made in turn for several modules that were all given the same one: `[SGD(nets[0].parameters()) for net
    in nets]`."""
    names = {str(each) for each in case.trace.optimizers.name}
    for making in [each for each in case.calls if name_of(each) in names and each.args]:
        picks = [n for n in ast.walk(making.args[0]) if isinstance(n, ast.Subscript)]
        turn, over = _turn_around(case, making)
        if len(picks) != 1 or not isinstance(picks[0].slice, ast.Constant) or turn is None or over is None:
            continue
        held, first = case.source(picks[0].value), case.source(picks[0])
        if names_in(turn) & names_in(making.args[0]):
            continue
        if not all(held in _lists_of(case, each) or f"{held}[" in " ".join(owners_of(case, each)) for each in left):
            continue
        line, code = making.lineno, _in_turn(case, picks[0], turn, over)
        why = f"Line {line} makes an optimizer for each of {held}, but gives all of them the parameters of {first}. "
        why += f"The others get gradients, and no step() ever changes {case.name(left[0])}."
        text = edits.replace_node(case.text, picks[0], code) if code else None
        advice = f"Give each optimizer the parameters of its own module instead of {first}."
        yield Hit(line, step + 1, why, advice, fixes((f"with {code}", text)), first_use(case, left[0]))
        return


def _turn_around(case: Case, node: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """Return what the innermost loop or comprehension around something binds, and what it goes over."""
    for each in case.around(node):
        if isinstance(each, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            return each.generators[0].target, each.generators[0].iter
        if isinstance(each, ast.For):
            return each.target, each.iter
    return None, None


def _in_turn(case: Case, picked: ast.Subscript, turn: ast.expr, over: ast.expr) -> str:
    """Return the code of the module whose turn it is: its own name, or with its index or key; "" if it is not known."""
    held, name, source = case.source(picked.value), case.source(turn), case.source(over)
    if source == f"enumerate({held})" and isinstance(turn, ast.Tuple):
        return case.source(turn.elts[-1])
    if name == "_" or not isinstance(turn, ast.Name):
        return ""
    keyed = isinstance(picked.slice, ast.Constant) and isinstance(picked.slice.value, str)
    if source.startswith("range(") or (keyed and source in (held, f"{held}.keys()")):
        return f"{held}[{name}]"
    return name if source in (held, f"{held}.values()") else ""


def _lists_of(case: Case, tensor: int) -> list[str]:
    """Return the lists that the modules of a tensor are in: `nets` for nets[1].weight."""
    names, rows = case.trace.names, case.trace.history("names", "tensor").all(tensor)
    paths = {f"{names.owner[row]}.{names.name[row]}" for row in rows.tolist()}
    return sorted({found[1] for path in paths if (found := _PLACE.match(path)) is not None})


_PLACE = re.compile(r"([^\W\d][\w.]*?)(?:\[\d+\]|\.\d+)\.")


def _of_all(case: Case, held: str) -> str:
    """Return the code of the parameters of all modules in a list."""
    kinds = [name_of(s.value) for s in case.statements if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
             and case.source(s.targets[0]) == held]  # fmt: skip
    one = "each" if held != "each" else "one"
    return f"{held}.parameters()" if "ModuleList" in kinds else f"[p for {one} in {held} for p in {one}.parameters()]"


def _after_loop(case: Case, loop: ast.For, statement: ast.stmt, code: str) -> str | None:
    """Return the text with a statement of a loop written as `code` behind the loop, which may have no other."""
    if loop.body == [statement]:
        return edits.replace_node(case.text, loop, code)
    longer = edits.after_statement(case.text, loop, code)
    return edits.without_statement(longer, statement.lineno) if longer is not None else None


def _is_decided(case: Case) -> bool:
    """Whether the text loads, copies, freezes or evaluates something: not all of it may be there to be trained."""
    kept = ("load_state_dict", "deepcopy", "eval", "requires_grad_", "detach", "load", "register_buffer")
    return any(name_of(each) in kept for each in case.calls) or ".requires_grad" in case.text


def _is_named_after(case: Case, making: ast.Call, name: str, given: ast.Call) -> bool:
    """Whether an optimizer is called after one module and was given another: `opt_gen = Adam(disc.parameters())`."""
    statement, other = case.statement(making.lineno), case.source(receiver_of(given) or given)
    words = set(re.split(r"[_.]", case.source(statement.targets[0]))) if isinstance(statement, ast.Assign) else set()
    return name in words and other not in words


def forgotten(case: Case, left: list[int], step: int) -> Iterator[Hit]:
    """A new module that is trained together with another, and that the only optimizer was not given. One that was
    trained before, or is not to be, was loaded, copied, frozen or switched to evaluation."""
    making, owner = optimizer_of(case, step), owner_of(case, left)
    first: ast.expr | None = making.args[0] if making is not None and making.args else None
    if isinstance(first, ast.Name) and making is not None:
        first = case.assigned(first.id, making.lineno)
    if isinstance(first, ast.Call) and name_of(first) == "list" and len(first.args) == 1:
        first = first.args[0]
    names = {str(each) for each in case.trace.optimizers.name}
    alone = [each for each in case.calls if name_of(each) in names] == [making]
    holders = _holders(case, first) if first is not None else []
    owner = owner or _beside(case, left, holders)
    if not alone or first is None or not holders or not owner:
        return
    given = [n for n in case.walked if isinstance(n, ast.Name) and n.id == owner and isinstance(n.ctx, ast.Store)]
    plain = len(given) == 1 and "." not in "".join(holders)
    if not (plain or "." in owner) or _is_decided(case):
        return
    own = parameters_of(case, owner)
    around = {*own} > {*left} and {*own} - {*left} <= case.updates  # it holds what the optimizer was given
    cleared = {"cleared"} if around and own[0] not in left else set[str]()  # with the layers before
    own = left if around else own
    if {*own} != {*left} or not all(trained_beside(case, each) for each in own):
        return
    unused = {event.what for each in own for event in case.events[each]} <= {"added", *cleared}
    if making is None or not unused or not _meets_targets(case, own):
        return
    line, what = making.lineno, " and ".join(case.name(each) for each in own[:3]) if around else owner
    many = around and len(own) > 1
    why = f"{what} {'get' if many else 'gets'} gradients with each backward(), but line {line} gives the optimizer "
    why += f"only the parameters of {' and '.join(holders)}: no step() ever changes {what}."
    advice = f"Give the optimizer both, or switch off requires_grad where {what} "
    advice += f"{'are' if many else 'is'} not to be trained."
    before = case.source(first)[1:-1] if isinstance(first, ast.List) else f"*{case.source(first)}"
    before = f"*({before[1:]})" if isinstance(first, ast.BinOp) else before
    groups = isinstance(first, ast.List) and any(isinstance(each, ast.Dict) for each in first.elts)
    more = f'{{"params": {owner}.parameters()}}' if groups else f"*{owner}.parameters()"
    code = f"{owner}.parameters()" if around else f"[{before}, {more}]"
    text = edits.replace_node(case.text, first, code)
    offered = fixes((f"with {owner}.parameters()", text))
    yield Hit(making.lineno, step + 1, why, advice, offered, first_use(case, own[0]))


def _beside(case: Case, left: list[int], holders: list[str]) -> str:
    """Return the attribute that holds some tensors, if an optimizer was given several others of the same object."""
    objects = {each.rpartition(".")[0] for each in holders}
    if len(holders) < 2 or len(objects) != 1 or objects == {""}:
        return ""
    paths = {each for tensor in left for each in owners_of(case, tensor)}
    return next((each for each in sorted(paths) if each.rpartition(".")[0] in objects and each not in holders), "")


def _holders(case: Case, given: ast.expr) -> list[str]:
    """Return the modules whose parameters are all that an optimizer was given, `[*a.parameters(), *b.parameters()]` or
    in groups; none for anything else."""
    if isinstance(given, ast.BinOp) and isinstance(given.op, ast.Add):
        parts = [given.left, given.right]
    elif isinstance(given, ast.Call) and name_of(given) == "list" and len(given.args) == 1:
        parts = given.args
    elif isinstance(given, ast.Dict):
        pairs = zip(given.keys, given.values, strict=True)
        parts = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "params"]
    elif isinstance(given, ast.List):
        parts = [each.value if isinstance(each, ast.Starred) else each for each in given.elts]
    else:
        held = receiver_of(given) if isinstance(given, ast.Call) and name_of(given) == "parameters" else None
        return [case.source(held)] if held is not None else []
    found = [_holders(case, each) for each in parts]
    return [each for names in found for each in names] if all(found) else []


def _meets_targets(case: Case, leaves: list[int]) -> bool:
    """Whether a loss compares what was computed from some leaves with data; a critic is not trained by its judgement
    of others, which has no targets or always the same ones."""
    nodes, tensors = case.trace.nodes, case.trace.tensors
    fitting = [case.read_by(node)[:2] for node in np.flatnonzero(np.isin(nodes.op, _FITTING)).tolist()]
    for given, target in [read for read in fitting if len(read) == 2]:  # not `1 - x`
        value = case.first_value(target)
        if tensors.requires_grad[target] or value is None or value.size < 2 or not np.ptp(value):
            continue
        if {*leaves} & {*case.ancestors(given)} and not {*leaves} & {*case.ancestors(target)}:
            return True
    return False


_FITTING = (*LOSSES, "sub")


def owner_of(case: Case, left: list[int]) -> str:
    """Return the variable that holds the module of these tensors, "" if none does."""
    owners = {each for tensor in left for each in owners_of(case, tensor)}
    return next((each for each in sorted(owners, key=len) if _HELD.fullmatch(each) and each != "self"), "")


def own_attribute(case: Case, left: list[int]) -> str:
    """Return the attribute that holds the module of these tensors, as the methods of its object say it; "" for none."""
    paths = {each.partition(".")[2] for tensor in left for each in owners_of(case, tensor)}
    return next((f"self.{path}" for path in sorted(paths) if path.isidentifier()), "")


_HELD = re.compile(r"[^\W\d]\w*(\['\w+'\])?")  # `critic`, or `nets['critic']`
