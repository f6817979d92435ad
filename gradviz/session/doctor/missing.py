"""A .grad that is None, and why. Where a history was cut off is in `cuts`; what the optimizer does with gradients is in
`training`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import numpy as np

from gradviz.document import edits
from gradviz.session.doctor.case import SEARCHED, Case, Fix, Hit, fixes, once, requires, under_keys
from gradviz.session.doctor.cuts import (
    Cut,
    cut_at,
    cut_behind,
    cut_hit,
    cuts_below,
    is_used,
    taken_out,
    told,
)
from gradviz.session.doctor.ends import dead_end, gone_on, shifted
from gradviz.session.doctor.text import asked_grads, is_of_gradients, name_of, receiver_of
from gradviz.session.doctor.updates import updated_in_place
from gradviz.trace.words.reasons import no_grad_reason, none_sentence

_FLOATS = ("float", "bfloat", "complex")


# -- a .grad that is None

ROWS = {
    "detached": "grad-none-detached",
    "data": "cut-by-data",
    "no_grad": "grad-none-no-grad",
    "integer": "grad-none-integer",
    "copied": "grad-none-copied",
    "listed": "grad-none-copied",
    "item": "cut-by-item",
}


def why_none(case: Case, tensor: int, step: int) -> tuple[str, Hit] | None:
    """Return the lesson on why a tensor has no gradient at a step."""
    trace = case.trace
    frame = trace.frame_at(step)
    reason = no_grad_reason(frame, tensor)
    if reason is None:
        return None
    name, dtype = case.name(tensor), str(trace.tensors.dtype[tensor])
    why = none_sentence(name, reason)
    bound_anew = _bound_anew(case, tensor)
    if bound_anew is not None:
        return "grad-none-rebound", bound_anew
    if frame.requires_grad(tensor) and not frame.is_leaf(tensor):
        return "non-leaf-grad", _not_a_leaf(case, tensor, step, why)
    cut = cut_at(case, tensor) or (cut_behind(case, tensor) if not frame.requires_grad(tensor) else None)
    if cut is None and frame.requires_grad(tensor):
        if frame.call >= 0 and "set to None" not in reason:
            below = [each for each in cuts_below(case, tensor) if each.made in case.below_roots or is_used(case, each)]
            cut = below[0] if below else None
        if "set to None" in reason:
            return None
    if cut is not None:
        return ROWS[cut.kind], cut_hit(case, cut, step, f"{why} {told(case, cut)}")
    line = int(trace.tensors.line[tensor])
    if not dtype.startswith(_FLOATS):
        advice = f"Make {name} of floating point numbers: 2. instead of 2, or .float()."
        return "grad-none-integer", Hit(line, step, why, advice, floated(case, tensor))
    if not frame.requires_grad(tensor) and (by_default := _frozen_by_default(case, tensor, step, why)) is not None:
        return "frozen-parameter", by_default
    if not frame.requires_grad(tensor) and not case.raised:
        return None
    if not frame.requires_grad(tensor):
        advice = "Create it with requires_grad=True."
        return "frozen-parameter", Hit(line, step, why, advice, _requiring(case, tensor))
    if not case.raised and (
        "asks for" in reason or "input buffer" in reason or "autograd.grad()" in reason or _asked_otherwise(case, step)
    ):
        return None
    return "grad-none-not-reached", _not_reached(case, tensor, step, why)


def _frozen_by_default(case: Case, tensor: int, step: int, why: str) -> Hit | None:
    """`Embedding.from_pretrained(vectors)`, which freezes them unless it is told not to."""
    line = int(case.trace.tensors.line[tensor])
    call = next((each for each in case.calls if name_of(each) == "from_pretrained" and each.lineno == line), None)
    if call is None or any(each.arg == "freeze" for each in call.keywords) or len(call.args) > 1:
        return None
    why += f" from_pretrained() on line {line} freezes what it is given."
    text = edits.add_keyword(case.text, line, "from_pretrained", "freeze", "False")
    return Hit(line, step, why, "To train it further, pass freeze=False.", fixes(("freeze=False", text)))


def _asked_otherwise(case: Case, step: int) -> bool:
    """Whether the last backward call was autograd.grad, which writes no .grad."""
    call = int(np.searchsorted(case.trace.calls.step, step)) - 1
    return call >= 0 and case.called("backward", int(case.trace.calls.line[call])) is None


def _not_reached(case: Case, tensor: int, step: int, why: str) -> Hit:
    call = int(np.searchsorted(case.trace.calls.step, step)) - 1
    line = int(case.trace.calls.line[call]) if call >= 0 else case.line_of(step - 1)
    backward = case.called("backward", line) if call >= 0 else None
    root = receiver_of(backward) if backward is not None else None
    given = case.assigned(root.id, line) if isinstance(root, ast.Name) else None
    forgotten = _forgotten_root(case, tensor)
    other = case.name(forgotten) if forgotten >= 0 else ""
    line = given.lineno if given is not None and not other else line
    dead = -1 if other else dead_end(case, tensor)
    if dead >= 0:
        name, at = case.name(tensor), int(case.trace.tensors.line[dead])
        why += f" Line {at} computes {case.name(dead)} with {name}, and nothing uses it."
    if dead >= 0 and not _is_named_beside(case, dead, backward):
        marks = case.mark(int(case.trace.tensors.producer[dead]), "leads nowhere")
        return Hit(at, step, why, "Go on with the result, or leave that out.", gone_on(case, dead), marks)
    beside = -1 if other or dead >= 0 else _left_out(case, tensor)
    if beside >= 0:
        at, name = int(case.trace.nodes.line[beside]), case.name(tensor)
        why += f" Nothing computes with {name}, though line {at} computes with another leaf."
        offered, advice = shifted(case, tensor, beside), f"Compute with {name}, too, or leave it out."
        return Hit(at, step, why, advice, offered, case.mark(beside, f"no {name}"))
    advice = f"Compute the root from {case.name(tensor)}, or call backward() on what was computed from it."
    within = root is not None and other and case.was(root, step) in case.ancestors(forgotten)
    code = other if within else f"({case.source(root)} + {other})" if root is not None and other else ""
    text = edits.replace_node(case.text, root, code) if root is not None and code else None
    return Hit(line, step, why, advice, fixes((f"with {other}", text)))


def _forgotten_root(case: Case, tensor: int) -> int:
    """Return the named scalar that was computed from a tensor and is not used further, -1 if there is none."""
    trace, queue = case.trace, [tensor]
    for each in queue:
        users = trace.users_of(each).tolist()
        alone = not users and each != tensor and case.shape(each) == () and trace.tensors.requires_grad[each]
        if alone and case.name(each).isidentifier():
            return each
        queue += [made for user in users for made in trace.outputs_of(user).tolist() if len(queue) < SEARCHED]
    return -1


def _left_out(case: Case, tensor: int) -> int:
    """Return the last operation that computes with a trained leaf of the same shape, otherwise with any, if none does
    with this one; -1 if there is none."""
    trace = case.trace
    if len(trace.users_of(tensor)):
        return -1
    trained = [leaf for leaf, events in case.events.items() if any(event.what == "added" for event in events)]
    alike = [leaf for leaf in trained if case.shape(leaf) == case.shape(tensor)] or trained
    users = [user for leaf in alike for user in trace.users_of(leaf).tolist() if case.output(user) in case.below_roots]
    return max((user for user in users if trace.nodes.line[user] > 0), default=-1)


def _is_named_beside(case: Case, tensor: int, backward: ast.Call | None) -> bool:
    """Whether the function that calls backward() has a name of its own for what another one computed."""
    around = case.function_of(backward) if backward is not None else None
    made = case.statement(int(case.trace.tensors.line[tensor]))
    stores = [n for n in case.walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    names = {each.id for each in stores if case.function_of(each) is around}
    bound = {str(case.trace.names.name[row]) for row in case.trace.history("names", "tensor").all(tensor).tolist()}
    return made is not None and case.function_of(made) is not around and bool(names & bound)


def _requiring(case: Case, tensor: int) -> tuple[Fix, ...]:
    made = case.maker(tensor)
    if not isinstance(made, ast.Call):
        return ()
    text = edits.add_keyword(case.text, made.lineno, name_of(made), "requires_grad", "True")
    return fixes(("requires_grad=True", text))


def floated(case: Case, tensor: int) -> tuple[Fix, ...]:
    made = case.maker(tensor)
    if not isinstance(made, ast.Call) or name_of(made) not in ("tensor", "arange", "ones", "zeros", "full"):
        return ()
    text = edits.add_keyword(case.text, made.lineno, name_of(made), "dtype", "torch.float32")
    if text is not None and not requires(case, tensor, len(case.trace)):
        text = edits.add_keyword(text, made.lineno, name_of(made), "requires_grad", "True")
    return fixes(("dtype=torch.float32", text))


def _not_a_leaf(case: Case, tensor: int, step: int, why: str) -> Hit:
    """.grad of a computed tensor is read."""
    trace, name, line = case.trace, case.name(tensor), case.line_of(step - 1)
    node = int(trace.tensors.producer[tensor])
    made = int(trace.tensors.line[tensor])
    leaf = _leaf_without_name(case, tensor)
    if leaf >= 0:
        expression = case.maker(leaf)
        text = _asked_last(case, tensor, expression) if isinstance(expression, ast.Call) else None
        why += f" The leaf is what line {made} made before that; it has the gradient, and no name."
        return Hit(
            made, step, why, "Ask for gradients last, of the finished tensor: (…).requires_grad_().",
            fixes(("requires_grad_() at the end", text)), case.mark(node, f"made {name}: not a leaf"),
        )  # fmt: skip
    keep = None
    call = int(np.searchsorted(trace.calls.step, step)) - 1
    stored = (n for n in case.walked if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
    statement = case.statement(made)
    held = [case.source(each) for each in statement.targets] if isinstance(statement, ast.Assign) else []
    if call >= 0 and any(n.lineno <= made for n in stored):
        keep = edits.insert_after(case.text, made, f"{name}.retain_grad()")
    elif call >= 0 and held and held[0].split(".")[-1].replace('"', "'") == name.split(".")[-1].replace('"', "'"):
        keep = edits.insert_after(case.text, made, f"{held[0]}.retain_grad()")
    advice = f"Call {name}.retain_grad() before backward(), or read the .grad of the leaf that it was computed from."
    if 0 <= call < len(trace.calls) - 1 and trace.tensors.step[tensor] >= trace.calls.step[call]:
        advice = f"Call {name}.retain_grad() when it is made, and read its .grad after the next backward()."
    return Hit(line, step, why, advice, fixes((f"{name}.retain_grad()", keep)), case.mark(node, "not a leaf"))


def _leaf_without_name(case: Case, tensor: int) -> int:
    """The leaf in the same expression that a tensor was made from, if nothing else holds it; -1 otherwise."""
    trace, line = case.trace, int(case.trace.tensors.line[tensor])
    for each in case.ancestors(tensor):
        is_leaf = trace.tensors.producer[each] < 0 and trace.tensors.requires_grad[each]
        if trace.tensors.is_parameter[each] and case.called("Parameter", line) is None:  # of a layer that is made there
            continue
        if is_leaf and trace.tensors.line[each] == line and not len(trace.history("names", "tensor").all(each)):
            return each
    return -1


def _asked_last(case: Case, tensor: int, leaf: ast.Call) -> str | None:
    statement, made = case.statement(leaf.lineno), case.maker(tensor)
    if made is None and isinstance(statement, (ast.Assign, ast.AnnAssign)):
        made = statement.value
    if made is None or isinstance(made, ast.Dict):
        return None
    value = case.source(made)
    plain = edits.remove_keyword(value, _same_call(value, case.source(leaf)), "requires_grad") if value else None
    return edits.replace_node(case.text, made, f"({plain}).requires_grad_()") if plain else None


def _same_call(text: str, code: str) -> ast.Call:
    found = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call)]
    return next((each for each in found if ast.get_source_segment(text, each) == code), found[0])


def _bound_anew(case: Case, tensor: int) -> Hit | None:
    """`w = w - lr * w.grad`: the name of a leaf that now refers to a result."""
    trace = case.trace
    for text, step, held in [*_stored_under(case, tensor), *_names_of(case, tensor)]:
        before = [each for each in held if each != tensor and _was_leaf(case, each)]
        if not before or not {*before} & {*list(case.ancestors(tensor))[:64]}:
            continue
        line = int(trace.tensors.line[tensor])
        statement = case.statement(line)
        if (converted := _converted(case, statement, text, tensor)) is not None:
            return converted
        if statement is None or not is_of_gradients(statement, case.gradient_names - {text}):
            continue
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            line = _binding(case, text, statement)
        node = int(trace.tensors.producer[tensor])
        kind = "a result with a history" if trace.tensors.requires_grad[tensor] else "which requires no grad"
        why = f"Line {line} binds the name {text} to a new tensor, {kind}. The leaf that backward() gives its "
        why += f"gradient to has lost its name, so {text}.grad is None from then on."
        advice = f"Change {text} in place inside no_grad(), and clear {text}.grad before the next backward()."
        step = int(trace.nodes.step[node]) + 1 if node >= 0 else step + 2
        return Hit(line, step, why, advice, updated_in_place(case), case.mark(node, f"made the new {text}"))
    return None


def _converted(case: Case, statement: ast.stmt | None, text: str, tensor: int) -> Hit | None:
    """`w = w.double()`, `w = w * 0.01`: the name of a leaf that now refers to what was computed from the leaf alone."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or case.source(statement.targets[0]) != text:
        return None
    held, did = None, ""
    if isinstance(value, ast.Call) and name_of(value) in _CONVERSIONS:
        held, did = receiver_of(value), f"{name_of(value)}()"
    elif isinstance(value, ast.BinOp) and isinstance(value.right, ast.Constant):
        held, did = value.left, case.source(value)
    if value is None or held is None or case.source(held) != text:
        return None
    line, node = value.lineno, int(case.trace.tensors.producer[tensor])
    why = f"Line {line} binds the name {text} to what {did} computed from the leaf. The leaf, which backward() gives "
    why += f"its gradient to, has lost its name, so {text}.grad is None from then on."
    code = f"{text}.detach(){case.source(value).removeprefix(text)}"
    code = f"({code})" if isinstance(value, ast.BinOp) else code
    offered = fixes(("a leaf again", edits.replace_node(case.text, value, f"{code}.requires_grad_()")))
    advice = "Compute it first, then ask for gradients: (…).requires_grad_()."
    step = int(case.trace.nodes.step[node]) + 1
    return Hit(line, step, why, advice, offered, case.mark(node, f"made the new {text}"))


_CONVERSIONS = ("to", "double", "float", "half", "bfloat16", "cuda", "type")


def changed_nothing(case: Case) -> Iterator[Hit]:
    """`p = p - lr * p.grad` in a function or a loop over parameters: only the name p has the result, and nothing ever
    reads it."""
    trace = case.trace
    for each in case.statements if len(trace.calls) > 1 else ():
        value, target = (each.value, each.targets[0]) if isinstance(each, ast.Assign) else (None, None)
        if not isinstance(target, ast.Name) or not isinstance(value, ast.BinOp):
            continue
        name = target.id
        if not is_of_gradients(value, case.gradient_names - {name}) or _is_read(case, each, name):
            continue
        made = case.made_by(value)
        leaves = {one for result in made for one in case.read_by(int(trace.tensors.producer[result]))}
        leaves = {one for one in leaves if _was_leaf(case, one) and one in case.below_roots}
        if not leaves or any(len(trace.users_of(result)) for result in made):
            continue
        if any(event.what == "updated" for leaf in leaves for event in case.events.get(leaf, ())):
            continue
        why = f"Line {each.lineno} binds the name {name} to a new tensor, which nothing ever reads: the parameter that "
        why += f"{name} meant before keeps its numbers, so the loss never changes."
        advice = f"Change {name} in place inside no_grad(): {name} -= …"
        step, node = int(trace.tensors.step[made[0]]) + 1, int(trace.tensors.producer[made[0]])
        is_cleared = all(any(event.what == "cleared" for event in case.events.get(leaf, ())) for leaf in leaves)
        offered = updated_in_place(case, is_cleared)
        yield Hit(each.lineno, step, why, advice, offered, case.mark(node, "nothing reads it"))
        return


def _is_read(case: Case, update: ast.stmt, name: str) -> bool:
    """Whether the function around an update reads a name other than there, and for more than its .grad."""
    function, inside = case.function_of(update), {*ast.walk(update)}
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and node not in inside
        and case.function_of(node) is function
        and not (isinstance(outer := case.parents.get(node), ast.Attribute) and outer.attr in ("grad", "requires_grad"))
        for node in case.walked
    )  # fmt: skip


Binding = tuple[str, int, list[int]]  # a name, the step at which it was bound, what it may have meant until then


def _names_of(case: Case, tensor: int) -> Iterator[Binding]:
    names = case.trace.names
    for row in case.trace.history("names", "tensor").all(tensor).tolist():
        text, step = str(names.name[row]), int(names.step[row])
        yield text, step, case.named(text, step + 1)


def _stored_under(case: Case, tensor: int) -> Iterator[Binding]:
    """What replaced an element of a container: `params[name] = …`."""
    statement, step = case.statement(int(case.trace.tensors.line[tensor])), int(case.trace.tensors.step[tensor])
    if isinstance(statement, ast.Assign) and tensor in case.made_by(statement.value):
        for target in statement.targets:
            held = under_keys(case, target, step + 1) or case.named(ast.unparse(target), step + 1)
            yield case.source(target), step, held


def _binding(case: Case, name: str, statement: ast.stmt) -> int:
    """The line that binds a name to the result of the function around a statement, otherwise the statement's line."""
    function = case.function_of(statement)
    for other in case.statements if isinstance(function, ast.FunctionDef) else ():
        if isinstance(other, ast.Assign) and isinstance(other.value, ast.Call):
            bound = {node.id for target in other.targets for node in ast.walk(target) if isinstance(node, ast.Name)}
            if name in bound and isinstance(function, ast.FunctionDef) and name_of(other.value) == function.name:
                return other.lineno
    return statement.lineno


def _was_leaf(case: Case, tensor: int) -> bool:
    return bool(case.trace.tensors.is_leaf[tensor] and requires(case, tensor, len(case.trace)))


# -- the rows


def none_because(row: str) -> Callable[[Case], Iterator[Hit]]:
    """Return the finder of gradients that are missing for one reason."""

    def find(case: Case) -> Iterator[Hit]:
        yield from (hit for found, hit in _reads(case) if found == row)

    return find


@once
def _reads(case: Case) -> Iterator[tuple[str, Hit]]:
    """Return the lessons of every .grad that the snippet reads while it is None, each once."""
    seen: set[tuple[str, int]] = set()
    for step, tensor in [*_failed_reads(case), *_printed_reads(case), *_warned_reads(case)]:
        found = why_none(case, tensor, step)
        if found is not None and (found[0], found[1].line) not in seen:
            seen.add((found[0], found[1].line))
            yield found
    if not seen and not case.raised:
        yield from _cut_roots(case)


def _cut_roots(case: Case) -> Iterator[tuple[str, Hit]]:
    """A root from which backward() only reaches a copy: `torch.tensor(loss.item(), requires_grad=True)`."""
    trace, asked = case.trace, asked_grads(case)
    firsts = np.unique(trace.calls.line[trace.roots.call], return_index=True)[1]  # one on each line represents all
    for call, root in zip(trace.roots.call[firsts].tolist(), trace.roots.tensor[firsts].tolist(), strict=True):
        step = int(trace.calls.step[call])
        behind = [each for each in case.ancestors(root) if requires(case, each, step)]
        leaves = [each for each in behind if trace.tensors.producer[each] < 0 or not trace.tensors.requires_grad[each]]
        if not leaves or len(trace.wanted_by(call)) or any(case.name(each) in asked for each in leaves):
            continue
        cuts = [cut_behind(case, each) or _only_number(case, root) for each in leaves]
        cut = cuts[0]
        if cut is None or None in cuts or not _is_untrained(case, cut.source):
            continue
        name = case.name(root)
        why = f"backward() of {name} on line {trace.calls.line[call]} comes to {case.name(leaves[0])} and no further. "
        yield ROWS[cut.kind], cut_hit(case, cut, step + 1, f"{why}{told(case, cut)}")
        return


def _only_number(case: Case, root: int) -> Cut | None:
    """Return the only plain number that is taken from a tensor with a history and is not just displayed."""
    found, end = list[Cut](), len(case.trace) + 1
    for call in case.calls:
        source = taken_out(case, call, end)
        shown = [each for each in case.around(call) if isinstance(each, ast.Call) and name_of(each) == "print"]
        if source is not None and source != root and source not in case.roots and not shown:
            found.append(Cut("item", call.lineno, source, -1, expression=call))
    return found[0] if len({cut.line for cut in found}) == 1 else None


def _is_untrained(case: Case, tensor: int) -> bool:
    """Whether there are leaves behind a tensor, and none of them ever gets a gradient."""
    leaves = [each for each in case.ancestors(tensor) if case.trace.tensors.producer[each] < 0]
    leaves = [each for each in leaves if requires(case, each, len(case.trace))]
    return bool(leaves) and not any(event.what == "added" for leaf in leaves for event in case.events.get(leaf, []))


def _failed_reads(case: Case) -> Iterator[tuple[int, int]]:
    """From an error that a None caused."""
    errors = case.trace.errors
    if not case.raised or "NoneType" not in str(errors.message[0]):
        return
    end = len(case.trace)
    yield from ((end, each) for each in _held(case, int(errors.line[0]), end))


def is_read_at_end(case: Case) -> bool:
    """Whether the error that ended the run is that a .grad is None."""
    return next(_failed_reads(case), None) is not None


def _held(case: Case, line: int, step: int) -> list[int]:
    """Return the tensors without .grad whose .grad a line reads."""
    frame, found = case.trace.frame_at(step), []
    nodes = case.on_line(line)
    called = {name_of(node) for node in nodes if isinstance(node, ast.Call)}
    for each in [each for each in case.statements if isinstance(each, ast.Return)]:  # print(gradients()) reads it there
        around = case.function_of(each)
        nodes += ast.walk(each) if isinstance(around, ast.FunctionDef) and around.name in called else ()
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load):
            were = case.were(node.value, step)
            were = were[-1:] if isinstance(node.value, ast.Attribute) else were  # a name may be a loop's variable
            were = [each for each in were if frame.grad(each) is None]
            found += were[-1:] or [each for each in under_keys(case, node.value, step) if frame.grad(each) is None]
    return found


def _printed_reads(case: Case) -> Iterator[tuple[int, int]]:
    """From printed text that says None."""
    texts = case.trace.texts
    if not len(case.trace.calls):
        return
    first = int(case.trace.calls.step[0])
    for step, text in zip(texts.step.tolist(), texts.text, strict=True):
        if step > first and ("None" in str(text) or _asks_for_none(case, case.line_of(step))):
            for each in _held(case, case.line_of(step), step + 1):
                leaf = case.trace.frame_at(step + 1).is_leaf(each)
                if leaf and not any(event.what == "added" for event in case.events.get(each, [])):
                    yield step + 1, each


def _asks_for_none(case: Case, line: int) -> bool:
    """Whether a line compares a .grad with None: `print(w.grad is None)`."""
    compared = [node for node in case.on_line(line) if isinstance(node, ast.Compare)]
    return any(
        isinstance(node.left, ast.Attribute) and node.left.attr == "grad" and case.source(node.comparators[0]) == "None"
        for node in compared
    )


def _warned_reads(case: Case) -> Iterator[tuple[int, int]]:
    """From non-leaf tensors, about which PyTorch warns."""
    texts = case.trace.texts
    for step, text in zip(texts.step.tolist(), texts.text, strict=True):
        if _WARNED in str(text):
            frame = case.trace.frame_at(step + 1)
            held = _held(case, case.line_of(step), step + 1) or _made_anew(case, case.line_of(step))
            yield from ((step + 1, each) for each in held if not frame.is_leaf(each))


def _made_anew(case: Case, line: int) -> list[int]:
    """Results of an update that a line returns, `[p - lr * p.grad for p in params]`, or whose .grad it reads where they
    are stored: `held[name]`."""
    nodes = case.on_line(line)
    read = {case.source(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "grad"}
    stored = [each for each in case.statements if isinstance(each, ast.Assign)]
    nodes += [each.value for each in stored if case.source(each.targets[0]) in read]
    made = [each for node in nodes if isinstance(node, ast.BinOp) for each in case.made_by(node)]
    return [each for each in made if _bound_anew(case, each) is not None][:1]


_WARNED = "that is not a leaf Tensor is being accessed"


def warned(case: Case) -> Iterator[Hit]:
    """About any non-leaf tensor: `getattr(module, name).grad`."""
    texts = case.trace.texts
    for step, text in zip(texts.step.tolist(), texts.text, strict=True):
        line = case.line_of(step)
        if _WARNED in str(text) and line > 0 and not _held(case, line, step + 1) and not _made_anew(case, line):
            why = f"Line {line} reads the .grad of a tensor that was computed: backward() keeps the gradients of "
            why += "leaves only, so it is None."
            advice = "Call retain_grad() on that tensor before backward(), or read the .grad of a leaf."
            yield Hit(line, step + 1, why, advice)
            return
