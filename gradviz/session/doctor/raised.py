"""Errors that ended a run: which lesson each belongs to, where the mistake was made, and how to fix it.
`gradviz.trace.words.errors` explains why it happened. Errors of shapes and types are in `shapes`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes, returned
from gradviz.session.doctor.cuts import (
    PLAIN_NUMBERS,
    Cut,
    cut_behind,
    cut_fixes,
    cut_hit,
    cuts_below,
    number_behind,
    taken_out,
)
from gradviz.session.doctor.losses import before
from gradviz.session.doctor.missing import why_none
from gradviz.session.doctor.text import asked_grads, is_of_gradients, name_of, receiver_of, values_of
from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.error_explanation import ErrorExplanation
from gradviz.trace.words.errors import explain_error

Fixes = tuple[Fix, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """The error and its explanation."""

    case: Case
    message: str
    line: int  # the line that raised
    explanation: ErrorExplanation | None
    match: re.Match[str]

    @property
    def text(self) -> str:
        """The snippet."""
        return self.case.text

    @property
    def fix_line(self) -> int:
        """The line that the explanation suggests to change."""
        return self.explanation.fix_line if self.explanation is not None else -1

    def hit(self, offered: Fixes, line: int = -1, why: str = "", advice: str = "") -> Hit:
        """Return a hit for the error."""
        found = self.explanation
        return Hit(
            line if line > 0 else self.line,
            int(self.case.trace.errors.step[0]) + 1,
            why or (found.beside(self.message) if found is not None else self.message),
            advice or (found.fix if found is not None else ""),
            offered,
            found.marks if found is not None else (),
        )


Say = Callable[[Fault], Hit | None]


@dataclass(frozen=True, slots=True)
class Raised:
    """The finder of errors whose message matches a pattern."""

    pattern: str
    say: Say

    def __call__(self, case: Case) -> Iterator[Hit]:
        if not case.raised:
            return
        message = str(case.trace.errors.message[0])
        match = re.search(self.pattern, message)
        if match is None:
            return
        line = int(case.trace.errors.line[0])
        hit = self.say(Fault(case, message, line, explain_error(case.trace), match))
        if hit is not None:
            yield hit


def with_fix(fix: Callable[[Fault], str | None], title: str, *more: tuple[str, Callable[[Fault], str | None]]) -> Say:
    """Return a row that needs nothing but its fixes."""

    def say(fault: Fault) -> Hit:
        return fault.hit(fixes((title, fix(fault)), *((name, other(fault)) for name, other in more)))

    return say


def inference(fault: Fault) -> Hit | None:
    """A tensor made inside inference_mode() that autograd encounters again."""
    case = fault.case
    made = [each for each in case.calls if name_of(each) == "inference_mode"]
    line = made[0].lineno if len(made) == 1 else fault.line
    text = edits.replace_node(fault.text, made[0], "torch.no_grad()") if len(made) == 1 else None
    return fault.hit(fixes(("no_grad()", text)), line)


# -- roots and leaves


def not_scalar(fault: Fault) -> Hit | None:
    """backward() of several elements."""
    call = fault.case.called("backward", fault.line) or fault.case.called("grad", fault.line)
    root = _asked_from(fault.case, call)[0] if call is not None else None
    of, ones = f"torch.ones_like({fault.case.source(root)})" if root is not None else "", None
    if call is not None and name_of(call) == "backward":
        ones = edits.insert_argument(fault.text, fault.line, "backward", of)
        if root is not receiver_of(call):
            ones = edits.add_keyword(fault.text, fault.line, "backward", "grad_tensors", of)
    summed = (
        edits.replace_node(fault.text, root, f"{_as_receiver(fault.case, root)}.sum()") if root is not None else None
    )
    held = root if call is not None and name_of(call) == "backward" else None
    name = held.id if isinstance(held, ast.Name) else ""
    numbers = [receiver_of(each) for each in fault.case.calls if name_of(each) == "item"]
    one = name and any(isinstance(each, ast.Name) and each.id == name for each in numbers)  # it is taken for one number
    if held is not None and (one or fault.case.optimizer_steps or fault.case.called("step")):
        given = (fault.case.assigned(name, fault.line) if name else None) or held
        plain = _as_receiver(fault.case, given)
        texts = [edits.replace_node(fault.text, given, f"{plain}.{each}()") for each in ("mean", "sum")]
        return fault.hit(fixes(*zip(("the mean", "the sum"), texts, strict=False)))
    return fault.hit(fixes(("torch.ones_like(…)", ones), ("the sum", summed)))


def gradient_shape(fault: Fault) -> Hit | None:
    """A starting gradient whose shape differs from its root's."""
    case = fault.case
    call = case.called("backward", fault.line)
    statement = case.statement(fault.line)
    if call is None and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        plain, sizes = _as_receiver(case, statement.value), re.findall(r"\[(\d+(?:, \d+)*)\]", fault.message)
        rows = len(sizes) == 2 and sizes[0].endswith(f", {sizes[1]}") and sizes[0].count(",") == 1 + sizes[1].count(",")
        code = f"({case.source(statement.value)}).reshape({case.source(statement.targets[0].value)}.shape)"
        shaped = edits.replace_node(fault.text, statement.value, code) if _as_many(fault) else None
        averaged = edits.replace_node(fault.text, statement.value, f"{plain}.mean(0)") if rows else None
        return fault.hit(fixes(("in the shape of the tensor", shaped), ("the mean of the rows", averaged)))
    call = call or case.called("grad", fault.line)
    held, given = _asked_from(case, call) if call is not None else (None, None)
    ones = edits.replace_node(fault.text, given, f"torch.ones_like({case.source(held)})") if given and held else None
    shaped = _for_each_row(fault, given, held) if given is not None and held is not None else None
    if given is not None and held is not None and _as_many(fault):
        plain = case.source(given)
        plain = plain if isinstance(given, (ast.Name, ast.Call, ast.Attribute)) else f"({plain})"
        shaped = edits.replace_node(fault.text, given, f"{plain}.reshape({case.source(held)}.shape)")
    if given is not None:
        shaped = _whole_or_part(fault, given) or shaped
    return fault.hit(fixes(("in the shape of the root", shaped), ("torch.ones_like(…)", ones)))


def _whole_or_part(fault: Fault, given: ast.expr) -> str | None:
    """Return the text with all of a vector of which too short a part was passed, or with the first elements of one
    that is too long."""
    case, sizes = fault.case, re.findall(r"has a shape of torch\.Size\(\[(\d+)\]\)", fault.message)
    if len(sizes) != 2:
        return None
    whole = case.was(given.value, len(case.trace) + 1) if isinstance(given, ast.Subscript) else -1
    fits = whole < 0 or case.shape(whole) == (int(sizes[1]),)  # -1: no operation has used it
    if isinstance(given, ast.Subscript) and int(sizes[0]) < int(sizes[1]) and fits:
        return edits.replace_node(fault.text, given, case.source(given.value))
    longer = isinstance(given, (ast.Name, ast.Attribute)) and int(sizes[0]) > int(sizes[1])
    return edits.replace_node(fault.text, given, f"{case.source(given)}[:{sizes[1]}]") if longer else None


def returned_shape(fault: Fault) -> Hit | None:
    """A gradient of another shape than its input, from the backward() of a class of the snippet."""
    case, (name, place, got, wanted) = fault.case, fault.match.groups()
    functions = [each for each in case.statements if isinstance(each, ast.FunctionDef) and each.name == "backward"]
    own = [each for each in functions if getattr(case.class_of(each), "name", "") == name]
    returns = [each for each in case.statements if isinstance(each, ast.Return) and case.function_of(each) in own]
    if not returns or returns[-1].value is None:
        return None
    given = returns[-1].value
    given = given.elts[int(place)] if isinstance(given, ast.Tuple) and int(place) < len(given.elts) else given
    given = (case.assigned(given.id, given.lineno) if isinstance(given, ast.Name) else None) or given
    sizes, shape = got.split(", "), wanted.split(", ")
    turned = len(sizes) == 2 and sizes[::-1] == shape
    text = edits.replace_node(fault.text, given, f"{_as_receiver(case, given)}.T") if turned else None
    shaped = f"{_as_receiver(case, given)}.reshape({wanted})" if _as_many(fault) and not turned else ""
    alike = edits.replace_node(fault.text, given, shaped) if shaped else None
    offered = fixes(("transposed", text), ("reshaped", alike))
    there, needed = (f"({each},)" if each and "," not in each else f"({each})" for each in (got, wanted))
    why = f"{name}.backward() returns a gradient of the shape {there} there, but input {place} has the shape {needed}."
    advice = f"Return a gradient of the shape {needed} for input {place} of {name}."
    return fault.hit(offered, given.lineno, why, advice)


def _for_each_row(fault: Fault, given: ast.expr, held: ast.expr) -> str | None:
    """Return the text with a factor for each row of the root, if that is what was given."""
    case = fault.case
    tensors = [case.was(each, len(case.trace) + 1) for each in (given, held)]
    rows, root = [case.shape(each) if each >= 0 else () for each in tensors]
    if len(rows) != 1 or len(root) != 2 or rows[0] != root[0]:
        return None
    code = f"{_as_receiver(case, given)}.unsqueeze(1).expand_as({case.source(held)})"
    return edits.replace_node(fault.text, given, code)


def _as_many(fault: Fault) -> bool:
    sizes = [re.findall(r"\d+", part) for part in re.findall(r"\[([\d, ]*)\]", fault.message)]
    products = []
    for size in sizes[-2:]:
        product = 1
        for each in size:
            product *= int(each)
        products.append(product)
    return len(products) == 2 and products[0] == products[1]


def no_grad_fn(fault: Fault) -> Hit | None:
    """A root without a history; if `.item()` or `.data` cut it off, there are separate lessons."""
    cut = _root_cut(fault.case)
    if cut is not None and cut.kind in (*PLAIN_NUMBERS, "data"):
        return None
    bound = _rebound_root(fault.case)
    if bound:
        return None
    switched = _switched_off(fault.case, trained=cut is not None)
    if cut is not None and switched < 0:
        offered = cut_fixes(fault.case, cut) or _as_cross_entropy(fault.case) or _smooth(fault.case, cut)
        return fault.hit(offered, cut.line)
    made_in = _gradient_root(fault)
    if made_in is not None:
        return made_in
    wanted = _wanted(fault.case)
    if wanted >= 0:
        line = int(fault.case.trace.tensors.line[wanted])
        statement = fault.case.statement(line)
        value = statement.value if isinstance(statement, ast.Assign) else None
        code = f"{_as_receiver(fault.case, value)}.requires_grad_()" if value is not None else ""
        asked = edits.replace_node(fault.text, value, code) if value is not None else None
        return fault.hit(fixes(("requires_grad_()", asked)), line)
    leaf = _constant_leaf(fault.case)
    if leaf < 0:
        return fault.hit(())
    if switched > 0:
        return fault.hit(
            fixes(("requires_grad=True", edits.replace_expression(fault.text, switched, "False", "True"))), switched
        )
    text = None
    for each in sorted({leaf, *_asked_leaves(fault.case)}, reverse=True):
        made = fault.case.maker(each)
        if isinstance(made, ast.Call) and name_of(made)[:1].islower():  # no module's own parameter
            text = edits.add_keyword(text or fault.text, made.lineno, name_of(made), "requires_grad", "True") or text
    return fault.hit(fixes(("requires_grad=True", text)), int(fault.case.trace.tensors.line[leaf]))


def _as_cross_entropy(case: Case) -> Fixes:
    """Compute the cross entropy instead of the share of classes that argmax got wrong."""
    trace, root = case.trace, _root(case)
    for tensor in case.ancestors(root) if root >= 0 else ():
        node = int(trace.tensors.producer[tensor])
        if node < 0 or trace.nodes.op[node] not in ("eq", "ne", "sub") or len(read := case.read_by(node)) != 2:
            continue
        made = [before(case, each, "_to_copy") for each in read]
        chosen = next((each for each in made if each >= 0 and trace.nodes.op[each] in ("argmax", "max")), -1)
        if chosen < 0:
            continue
        target = read[1 - made.index(chosen)]
        if int(trace.tensors.producer[target]) >= 0 and trace.nodes.op[trace.tensors.producer[target]] == "_to_copy":
            target = case.read_by(int(trace.tensors.producer[target]))[0]
        statement, line = case.statement(int(trace.tensors.line[root])), int(trace.nodes.line[node])
        names = _as_called(case, line, statement, case.name(case.read_by(chosen)[0]), case.name(target))
        bound = isinstance(statement, ast.Assign) and case.source(statement.targets[0]) == case.name(root)
        if bound and isinstance(statement, ast.Assign) and names:
            code = f"torch.nn.functional.cross_entropy({', '.join(names)})"
            return fixes(("cross_entropy", edits.replace_node(case.text, statement.value, code)))
    return ()


def _as_called(case: Case, line: int, statement: ast.stmt | None, *names: str) -> list[str]:
    """Return what some names on a line are called in a statement: the same, or in a statement that calls the function
    around the line, what it passes for them; nothing if one is no name, or not known there."""
    around = case.function_of(case.statement(line) or case.tree)
    if statement is None or not all(name.isidentifier() for name in names):
        return []
    if around is case.function_of(statement):
        return [*names]
    calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call)]
    call = next((each for each in calls if name_of(each) == getattr(around, "name", "")), None)
    if call is None or not isinstance(around, ast.FunctionDef):
        return []
    given = dict(zip([each.arg for each in around.args.args], map(case.source, call.args), strict=False))
    return [given[name] for name in names] if {*names} <= given.keys() else []


def _smooth(case: Case, cut: Cut) -> Fixes:
    """Compute with the values themselves instead of 0 or 1 for those above a threshold, or of whole numbers: with
    sigmoid(x) instead of x > 0."""
    found = cut.expression
    if isinstance(found, ast.Call) and name_of(found) == "round" and (held := receiver_of(found)) is not None:
        return fixes(("without round()", edits.replace_node(case.text, found, case.source(held))))
    if not isinstance(found, ast.Compare) or len(found.ops) != 1 or not isinstance(found.ops[0], (ast.Gt, ast.GtE)):
        return ()
    limit, values = found.comparators[0], case.source(found.left)
    if not isinstance(limit, ast.Constant) or limit.value not in (0, 0.5):
        return ()
    code = f"torch.sigmoid({values})" if limit.value == 0 else values
    call = next((each for each in case.around(found) if isinstance(each, ast.Call)), None)
    whole = call if call is not None and name_of(call) == "float" and receiver_of(call) is found else found
    return fixes(("without the threshold", edits.replace_node(case.text, whole, code)))


def _switched_off(case: Case, trained: bool) -> int:
    """Return the line that made the leaf nearest to the root require no grad, if all leaves did before; -1 if none
    did. With `trained`, only leaves of a module that an optimizer was given."""
    trace, root, off = case.trace, _root(case), list[tuple[int, int]]()
    for leaf in [each for each in case.ancestors(root) if trace.tensors.producer[each] < 0] if root >= 0 else ():
        asked = bool(trace.tensors.requires_grad[leaf])
        for row in trace.history("flags", "tensor").all(leaf).tolist():
            if asked and not trace.flags.requires_grad[row]:
                off.append((leaf, case.line_of(int(trace.flags.step[row]))))
            asked = asked or bool(trace.flags.requires_grad[row])
    if trained:
        asked_for = [case.source(each.args[0]) for each in _optimizers(case)]
        off = [each for each in off if f"{case.name(each[0]).rpartition('.')[0]}.parameters()" in asked_for]
    stores = [n for n in case.walked if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
    written = [n for n in [*stores, *case.calls] if "requires_grad" in case.source(n).split(".")[-1]]
    written = sorted((n for n in written if off and n.lineno >= min(line for _, line in off)), key=lambda n: n.lineno)
    owner = case.name(off[0][0]).partition(".")[0] if off else ""
    for node in written:
        loop = case.loop_of(node)
        given = loop.iter if isinstance(loop, ast.For) else node
        if any(isinstance(n, ast.Name) and n.id == owner for n in ast.walk(given)):
            return node.lineno
    return written[0].lineno if written else -1


def _gradient_root(fault: Fault) -> Hit | None:
    """A root that is a gradient, computed without a graph."""
    case, trace = fault.case, fault.case.trace
    for root in [each for each in case.ancestors(_root(case)) if each >= 0]:
        step = int(trace.tensors.step[root])
        call = case.call_of(step)
        if call < 0 or trace.tensors.producer[root] >= 0 or trace.steps.kind[step] == Kind.LEAF:
            continue
        line = int(trace.calls.line[call])
        text = None
        for function in ("grad", "backward"):
            text = text or edits.add_keyword(fault.text, line, function, "create_graph", "True")
        constant = bool(trace.calls.create_graph[call])
        return fault.hit(() if constant else fixes(("create_graph=True", text)), line)
    return None


def _root(case: Case) -> int:
    line, end = int(case.trace.errors.line[0]), len(case.trace) + 1
    call = case.called("backward", line) or case.called("grad", line)
    held = _asked_from(case, call)[0] if call is not None else None
    if held is None:
        return -1
    made = case.were(held, end) or (returned(case, held) if isinstance(held, ast.Call) else [])
    return made[-1] if made else -1


def _asked_from(case: Case, call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """Return the root that backward() or grad() is called for, the first of several, and the gradient that it begins
    with."""
    held = receiver_of(call)
    if name_of(call) == "grad":
        return _argument(call, 0, "outputs"), _argument(call, 2, "grad_outputs")
    if held is not None and case.source(held).endswith("autograd"):
        return _argument(call, 0, "tensors"), _argument(call, 1, "grad_tensors")
    return held, _argument(call, 0, "gradient")


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """Return what a call passes at a place or by a name, the first part of it if it is several."""
    named = [each.value for each in call.keywords if each.arg == name]
    given = next(iter([*call.args[place : place + 1], *named]), None)
    return given.elts[0] if isinstance(given, (ast.Tuple, ast.List)) and given.elts else given


def _root_cut(case: Case) -> Cut | None:
    root = _root(case)
    return cut_behind(case, root) or number_behind(case, root) if root >= 0 else None


def _rebound_root(case: Case) -> tuple[str, Hit] | None:
    """The root has no history because a leaf was rebound under no_grad."""
    root = _root(case)
    for each in case.ancestors(root) if root >= 0 else ():
        found = why_none(case, each, len(case.trace))
        if found is not None and found[0] == "grad-none-rebound":
            return found
    return None


def rebound_root(fault: Fault) -> Hit | None:
    """`w = w - lr * w.grad` inside no_grad: the next root has no history."""
    found = _rebound_root(fault.case)
    return found[1] if found is not None else None


def cut_root(*kinds: str) -> Say:
    """Return the finder of roots whose history was cut off in one of these ways."""

    def say(fault: Fault) -> Hit | None:
        cut = _root_cut(fault.case)
        if cut is None or cut.kind not in kinds:
            return None
        why = fault.explanation.beside(fault.message) if fault.explanation is not None else fault.message
        return cut_hit(fault.case, cut, len(fault.case.trace), why)

    return say


def _wanted(case: Case) -> int:
    """Return what was computed without a history although its .grad is read under its name; -1 if there is none."""
    root = _root(case)
    behind = {*case.ancestors(root)} if root >= 0 else set()
    for name in sorted(asked_grads(case) | _optimized(case)):
        tensor = next(iter(case.named(name, len(case.trace) + 1)[-1:]), -1)
        if tensor in behind and case.trace.tensors.producer[tensor] >= 0 and tensor != root:
            return tensor if not case.trace.tensors.requires_grad[tensor] else -1
    return -1


def _optimized(case: Case) -> set[str]:
    """Return the names in the lists that optimizers are given."""
    lists = [each.args[0] for each in _optimizers(case)]
    return {case.source(each) for held in lists if isinstance(held, ast.List) for each in held.elts}


def _optimizers(case: Case) -> list[ast.Call]:
    """Return the calls that make optimizers, none of which has stepped yet."""
    return [each for each in case.calls if each.args and any(given.arg == "lr" for given in each.keywords)]


def _as_receiver(case: Case, node: ast.expr) -> str:
    """Return an expression as it is written before a dot."""
    code = case.source(node)
    return code if isinstance(node, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) else f"({code})"


def _constant_leaf(case: Case) -> int:
    """Return the floating point leaf that could have required grad: preferably one whose .grad is read, that an
    optimizer is given, or that has the name of a parameter."""
    root = _root(case)
    leaves = [each for each in case.ancestors(root) if case.trace.tensors.producer[each] < 0] if root >= 0 else []
    leaves = [each for each in leaves if str(case.trace.tensors.dtype[each]).startswith(("float", "bfloat"))]
    asked = _asked_leaves(case)

    def rank(each: int) -> tuple[bool, bool, int]:
        return each not in asked, case.name(each) not in _PARAMETERS, int(case.trace.tensors.step[each])

    leaves.sort(key=rank)
    return leaves[0] if leaves else -1


def _asked_leaves(case: Case) -> set[int]:
    """Return the leaves whose .grad is read, or that an optimizer is given."""
    found = {each for name in asked_grads(case) | _optimized(case) for each in case.named(name, len(case.trace) + 1)}
    return {each for each in found if case.trace.tensors.producer[each] < 0}


_PARAMETERS = ("w", "W", "weight", "weights", "b", "bias", "theta", "params", "a", "w1", "W1")


def number_backward(fault: Fault) -> Hit | None:
    """backward() is called on `loss.item()`, which is a number and has no backward()."""
    case, line = fault.case, fault.line
    call = case.called("backward", line)
    held = receiver_of(call) if call is not None else None
    candidates: list[ast.AST] = list(ast.walk(held)) if held is not None else []
    for node in list(candidates):
        if isinstance(node, ast.Name):
            given = case.assigned(node.id, line)
            candidates += ast.walk(given) if given is not None else []
    for each in [*candidates, *case.calls]:
        source = taken_out(case, each, len(case.trace) + 1)
        if source is not None and isinstance(each, ast.Call):
            cut = Cut("item", each.lineno, source, -1, -1, each)
            why = f"Line {each.lineno} takes a plain number out of {case.name(source)}. A number has no history and no "
            why += "backward()."
            return cut_hit(case, cut, len(case.trace), why)
    return None


def plain_hit(fault: Fault) -> Hit | None:
    """Return a hit with what the explanation says, without a fix."""
    return fault.hit(())


def under_no_grad(fault: Fault) -> str | None:
    """Put the line inside no_grad(), including the lines after it that write in place."""
    case, statement, last = fault.case, fault.case.statement(fault.line), fault.line
    block = next((b for b in edits.blocks(case.tree) if statement in b), []) if statement is not None else []
    for each in block[block.index(statement) + 1 :] if statement in block else ():
        call = each.value if isinstance(each, ast.Expr) else None
        written = isinstance(call, ast.Call) and name_of(call).endswith("_") and (call.args or _is_zeroed(call))
        if not written and not (isinstance(each, ast.AugAssign) and is_of_gradients(each, set())):
            break
        last = each.end_lineno or each.lineno
    return edits.under_no_grad(fault.text, fault.line, last)


def _is_zeroed(call: ast.Call) -> bool:
    """Whether a call fills a tensor, which is no gradient, with zeros."""
    return name_of(call) == "zero_" and getattr(receiver_of(call), "attr", "") != "grad"


def unused_input(fault: Fault) -> Hit:
    """An input of autograd.grad() that was cut off or not used: None is acceptable if nothing continues from it."""
    case, call = fault.case, fault.case.called("grad", fault.line)
    given = [each for each in call.args[1:2] for each in (getattr(each, "elts", None) or [each])] if call else []
    for each in given:
        cuts = [cut for tensor in case.were(each, len(case.trace) + 1) for cut in cuts_below(case, tensor)]
        cuts = [cut for cut in cuts if cut.made in case.ancestors(_root(case))]
        if cuts and (offered := cut_fixes(case, cuts[0])):
            return fault.hit(offered)
    if (whole := _of_the_whole(case)) is not None:
        return fault.hit(fixes(("of the whole", whole)))
    keyword = "materialize_grads" if _goes_on(case, fault.line) else "allow_unused"  # zeros to go on with, or None
    return fault.hit(fixes((f"{keyword}=True", edits.add_keyword(fault.text, fault.line, "grad", keyword, "True"))))


def _of_the_whole(case: Case) -> str | None:
    """Differentiate by the tensor that was used, where parts of it are given, which are other tensors, and take the
    part of the gradient: `grad(u, xy)[0][:, 0]` instead of `grad(u, x)[0]` after `x = xy[:, 0]`."""
    changes, behind = dict[ast.expr | ast.stmt, str | None](), case.ancestors(_root(case))
    for call in [each for each in case.calls if name_of(each) == "grad" and len(each.args) > 1]:
        given, first = call.args[1], case.parents.get(call)
        parts = [*values_of(case, given.id)] if isinstance(given, ast.Name) else []
        part = parts[0] if len(parts) == 1 else None
        if not isinstance(part, ast.Subscript) or not isinstance(first, ast.Subscript):
            continue
        if case.was(part.value, len(case.trace) + 1) in behind and case.function_of(part) is case.function_of(call):
            changes[given] = case.source(part.value)
            changes[first.slice] = f"{case.source(first.slice)}][{case.source(part.slice)}"
    return edits.all_at_once(case.text, case.tree, changes) if changes else None


def _goes_on(case: Case, line: int) -> bool:
    """Whether a result of a line is used in computations afterwards, or returned to a caller that does so."""
    statement, call = case.statement(line), case.called("grad", line)
    if isinstance(statement, ast.Return) or (call is not None and _is_operand(case, call)):
        return True
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    turns: list[ast.For | ast.comprehension] = [each for each in case.walked if isinstance(each, ast.For)]
    turns += [turn for each in case.walked for turn in getattr(each, "generators", ())]
    over = [{*ast.walk(turn.iter)} for turn in turns]
    turns = [turn for turn, parts in zip(turns, over, strict=True)
             if call in parts or any(isinstance(n, ast.Name) and n.id in names for n in parts)]  # fmt: skip
    names |= {n.id for turn in turns for n in ast.walk(turn.target) if isinstance(n, ast.Name)}
    inside = {n for turn in turns for n in ast.walk(case.parents.get(turn, turn))}
    used = [n for n in case.walked if isinstance(n, ast.Name) and n.id in names and (n.lineno > line or n in inside)]
    return any(_is_operand(case, n) for n in used)


def _is_operand(case: Case, node: ast.AST) -> bool:
    """Whether an expression, or an item of it, is computed with or asked for an attribute."""
    around = case.parents.get(node)
    while isinstance(around, ast.Subscript) and around.value is node:
        node, around = around, case.parents.get(around)
    return isinstance(around, (ast.BinOp, ast.UnaryOp, ast.Attribute))


def non_leaf_optimized(fault: Fault) -> Hit | None:
    """An optimizer was given a tensor that was computed."""
    case = fault.case
    call = next((node for node in case.on_line(fault.line) if isinstance(node, ast.Call) and node.args), None)
    if call is None:
        return fault.hit(())
    for each in [node for node in ast.walk(call.args[0]) if isinstance(node, ast.expr)]:  # it may be in a group
        tensor = case.was(each, len(case.trace) + 1)
        if tensor >= 0 and not case.trace.tensors.is_leaf[tensor]:
            found = why_none(case, tensor, len(case.trace))
            if found is not None and found[0] == "non-leaf-grad" and found[1].line == case.trace.tensors.line[tensor]:
                return fault.hit(found[1].fixes, found[1].line)
            name = case.name(tensor)
            text = edits.insert_before(case.text, fault.line, f"{name} = {name}.detach().requires_grad_()")
            return fault.hit(fixes(("a leaf of its own", text)), int(case.trace.tensors.line[tensor]))
    return fault.hit(())
