"""Losses that are computed, but are not what was meant: a softmax applied twice, probabilities in place of scores and
the other way round. What goes wrong with dimensions and shapes is in `dimensions`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes
from gradviz.session.doctor.text import is_of_gradients, name_of, receiver_of

DIFFERENCES = ("sub", "rsub", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
LOSSES = (  # that compare a prediction with a target
    *("nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
    *("binary_cross_entropy", "binary_cross_entropy_with_logits"),
)
SHAPES = (
    "view",
    "reshape",
    "squeeze",
    "unsqueeze",
    "t",
    "transpose",
    "permute",
    "expand",
    "select",
    "slice",
    "clone",
    "flatten",
    "_reshape_alias",
    "_unsafe_view",
)
ELEMENTWISE = ("add", "sub", "rsub", "mul", "div", "neg", "pow", "square", "abs", "detach", "sum", "mean", *SHAPES)


def ops(case: Case, *names: str) -> list[int]:
    found: list[int] = np.flatnonzero(np.isin(case.trace.nodes.op, names)).tolist()
    return found


def operand(case: Case, node: int, slot: int = 0) -> int:
    read = case.read_by(node)
    return read[slot] if len(read) > slot else -1


def before(case: Case, tensor: int, *through: str) -> int:
    """Return the node that computed a tensor, skipping changes of its shape; -1 for none."""
    producer, nodes = case.trace.tensors.producer, case.trace.nodes
    node = int(producer[tensor]) if tensor >= 0 else -1
    for _ in range(50):
        if node < 0 or nodes.op[node] not in (*SHAPES, *through):
            return node
        node = int(producer[operand(case, node)])
    return node


def _is_sigmoid(case: Case, node: int) -> bool:
    """Whether a node is a sigmoid, or the last step of a written-out one: 1 / (1 + exp(-x))."""
    nodes = case.trace.nodes
    if node < 0 or nodes.op[node] == "sigmoid":
        return node >= 0
    if nodes.op[node] == "mul" and "other=1" in str(nodes.params[node]).split(", "):
        node = maker_of(case, node)
    below = maker_of(case, node) if node >= 0 and nodes.op[node] in ("reciprocal", "div") else -1
    inner = maker_of(case, below) if below >= 0 and nodes.op[below] == "add" else -1
    return inner >= 0 and bool(nodes.op[inner] == "exp")


def is_softmax(case: Case, node: int) -> bool:
    """Whether a node is a softmax, or the last step of exp(x) / exp(x).sum() or of exp(log_softmax(x))."""
    nodes = case.trace.nodes
    if node < 0 or nodes.op[node] == "softmax":
        return node >= 0
    if nodes.op[node] == "exp" and (logged := maker_of(case, node)) >= 0:
        return bool(nodes.op[logged] == "log_softmax")
    if nodes.op[node] != "div" or len(case.read_by(node)) < 2:
        return False
    upper, lower = maker_of(case, node), before(case, operand(case, node, 1))
    summed = before(case, operand(case, lower)) if lower >= 0 and nodes.op[lower] == "sum" else -1
    return upper >= 0 and summed >= 0 and nodes.op[upper] == "exp" == nodes.op[summed]


def maker_of(case: Case, node: int, slot: int = 0) -> int:
    """Return the node that made an operand, skipping changes of its shape; -1 for none."""
    return before(case, operand(case, node, slot))


def line_of(case: Case, node: int) -> int:
    return int(case.trace.nodes.line[node])


def cursor_of(case: Case, node: int) -> int:
    return int(case.trace.nodes.step[node]) + 1


# -- softmax, sigmoid and the losses that contain them


def _is_cross_entropy(case: Case, node: int) -> bool:
    """Whether a log_softmax is part of a cross_entropy."""
    nodes, made = case.trace.nodes, case.output(node)
    users = case.trace.users_of(made).tolist() if made >= 0 else []
    for user in users:  # an image, or a sequence, is reshaped for nll_loss2d
        if nodes.op[user] in SHAPES and nodes.site[user] == nodes.site[node]:
            users += case.trace.users_of(case.output(user)).tolist()
    inner = any(nodes.site[user] == nodes.site[node] and nodes.region[user] == nodes.region[node] for user in users)
    return inner and any("nll" in str(nodes.op[user]) or nodes.op[user] in ("mul", "sum") for user in users)


def double_softmax(case: Case) -> Iterator[Hit]:
    """A softmax of a softmax."""
    yield from _softmax_again(case, cross_entropy=False)


def softmax_before_ce(case: Case) -> Iterator[Hit]:
    """Probabilities passed to cross_entropy, which applies the softmax itself."""
    yield from _softmax_again(case, cross_entropy=True)


def _softmax_again(case: Case, cross_entropy: bool) -> Iterator[Hit]:
    for node in ops(case, "softmax", "log_softmax", *(() if cross_entropy else ("logsumexp",))):
        first = before(case, operand(case, node), *(() if cross_entropy else ("masked_fill",)))
        if case.trace.nodes.op[node] == "logsumexp" and not _normalised(case, node):
            continue
        if not is_softmax(case, first) or _is_cross_entropy(case, node) != cross_entropy:
            continue
        line, inner = case.written(node), case.written(first)
        probabilities = case.trace.value(int(case.trace.tensors.value[case.output(first)]))
        numbers = f" ({probabilities.brief()})" if probabilities is not None else ""
        if cross_entropy:
            why = f"cross_entropy on line {line} takes the softmax of what it is given itself, but line {inner} has "
            why += f"taken it already{numbers}. Softmax twice flattens the probabilities: the loss can't come near 0, "
            why += "and the gradients are small."
            advice = "Give cross_entropy the plain scores (logits)."
        else:
            why = f"Line {line} takes the softmax a second time: line {inner} has made probabilities already{numbers}. "
            why += "Softmax twice flattens them: all classes come out nearly equal."
            advice = "Take the softmax once."
        scores = _scores_at_hand(case, node, first) if cross_entropy else ()
        apart = case.function_of(case.statement(line) or case.tree) is not case.function_of(
            case.statement(inner) or case.tree
        )
        at = line if scores and apart else inner if cross_entropy else line
        marks = (*case.mark(first, "the first softmax"), *case.mark(node, "the second one"))
        logged = case.trace.nodes.op[node] != "softmax"  # the logarithm is wanted
        taken = first if cross_entropy or logged else node
        offered = scores or _without(case, taken, first)
        offered = offered or (_undone(case, node, is_softmax, "torch.log") if cross_entropy else ())
        at = _first_changed(case, offered) if inner == line == at and offered else at  # a layer that was passed on
        yield Hit(at, cursor_of(case, node), why, advice, offered, marks)
        return


def _scores_at_hand(case: Case, node: int, first: int) -> tuple[Fix, ...]:
    """Give a loss the plain scores, if these have a name where it is called, and the probabilities a use of their
    own."""
    trace, cursor, scores = case.trace, cursor_of(case, node), operand(case, first)
    call = next((each for each in case.on_line(line_of(case, node)) if isinstance(each, ast.Call) and each.args), None)
    given = call.args[0] if call is not None else None
    if call is not None and len(call.args) < 2:
        return ()
    made = case.output(first)
    while isinstance(given, ast.Name) and made >= 0 and made not in case.were(given, cursor):  # reshaped
        made = next((case.output(n) for n in trace.users_of(made).tolist() if trace.nodes.op[n] in SHAPES), -1)
    if given is None or made != case.output(first) or not isinstance(given, ast.Name):
        return ()
    others = [n for n in trace.users_of(made).tolist() if trace.nodes.site[n] != trace.nodes.site[node]]
    stored = [n for n in case.walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored = [n for n in stored if case.function_of(n) is case.function_of(given) and scores in case.were(n, cursor)]
    if not others or not stored:
        return ()
    return fixes((f"of {stored[0].id}", edits.replace_node(case.text, given, stored[0].id)))


def _undone(case: Case, node: int, probabilities: Callable[[Case, int], bool], inverse: str) -> tuple[Fix, ...]:
    """Undo the softmax or sigmoid in the first argument of a loss that is only ever given probabilities."""
    alike = np.flatnonzero((case.trace.nodes.site == case.trace.nodes.site[node]) & _same_op(case, node)).tolist()
    for call in [each for each in case.on_line(line_of(case, node)) if isinstance(each, ast.Call)]:
        if len(call.args) >= 2 and all(probabilities(case, maker_of(case, each)) for each in alike):
            text = edits.replace_node(case.text, call.args[0], f"{inverse}({case.source(call.args[0])})")
            return fixes((inverse, text))
    return ()


def _same_op(case: Case, node: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = case.trace.nodes.op == case.trace.nodes.op[node]
    return found


def _without(case: Case, *nodes: int) -> tuple[Fix, ...]:
    """Return the text without an operation: a call of a function or method, a layer of a Sequential, or the call of a
    layer."""
    op = str(case.trace.nodes.op[nodes[0]])
    for node in nodes:
        for call in [each for each in case.on_line(line_of(case, node)) if isinstance(each, ast.Call)]:
            text = _uncalled(case, call, op)
            if text is not None:
                return fixes((f"without {op}", text))
    return fixes((f"without {op}", _without_layer(case, op)))


def _uncalled(case: Case, call: ast.Call, op: str) -> str | None:
    name, held = name_of(call), receiver_of(call)
    layer = isinstance(call.func, ast.Call) and name_of(call.func).lower() == op.replace("_", "")
    if layer or (held is not None and len(call.args) == 1 and _is_layer(case, call.func, op)):
        return edits.replace_node(case.text, call, case.source(call.args[0])) if call.args else None
    if isinstance(call.func, ast.Name) and len(call.args) == 1 and (_is_layer(case, call.func, op) or name == op):
        return edits.replace_node(case.text, call, case.source(call.args[0]))
    if name != op:
        return None
    function = held is None or case.source(held) in ("torch", "F", "nn.functional", "torch.nn.functional")
    inner = call.args[0] if function and call.args else held
    return edits.replace_node(case.text, call, case.source(inner)) if inner is not None else None


def _normalised(case: Case, node: int) -> bool:
    """Whether the logarithm of a sum of exponentials is subtracted, which makes a log_softmax."""
    read, made = operand(case, node), case.output(node)
    return any({*case.read_by(user)[:2]} == {read, made} for user in case.trace.users_of(made).tolist())


def _is_layer(case: Case, function: ast.expr, op: str) -> bool:
    """Whether a name is bound to a layer of this kind."""
    return layer_of(case, function, op) is not None


def layer_of(case: Case, function: ast.expr, op: str) -> ast.Call | None:
    """Return the call that made the layer of this kind that a name is bound to."""
    wanted, name = op.replace("_", ""), case.source(function)
    for statement in case.statements:
        if isinstance(statement, ast.Assign) and case.source(statement.targets[0]) == name:
            made = statement.value
            return made if isinstance(made, ast.Call) and name_of(made).lower() == wanted else None
    return None


def _without_layer(case: Case, op: str) -> str | None:
    """Return a Sequential without its last layer of this kind."""
    for call in reversed(case.calls):
        if name_of(call).lower() != op.replace("_", "") or not name_of(call)[:1].isupper():
            continue
        outer = case.parents.get(call)
        if isinstance(outer, ast.keyword) and (text := _not_passed(case, outer)) is not None:
            return text
        if isinstance(outer, ast.Call) and name_of(outer) == "Sequential":
            layers = [each for each in outer.args if each is not call]
            start, first = outer.args.index(call), outer.args
            if start and layers:
                code = case.source(first[start - 1])
                both = _between(case, first[start - 1], call)
                return case.text.replace(both, code, 1) if both and case.text.count(both) == 1 else None
    return None


def _first_changed(case: Case, offered: tuple[Fix, ...]) -> int:
    """Return the first line that the first fix changes."""
    pairs = zip(case.text.split("\n"), offered[0].text.split("\n"), strict=False)
    return next((number for number, (old, new) in enumerate(pairs, 1) if old != new), -1)


def _not_passed(case: Case, given: ast.keyword) -> str | None:
    """Return the text in which a function of the snippet has its own default, None, for what it is passed."""
    call = case.parents.get(given)
    own = [s for s in case.statements if isinstance(s, ast.FunctionDef) and isinstance(call, ast.Call)]
    for each in [one for one in own if isinstance(call, ast.Call) and one.name == name_of(call)]:
        names = [arg.arg for arg in (*each.args.args, *each.args.kwonlyargs)]
        values = [*each.args.defaults, *each.args.kw_defaults]
        default = dict(zip(reversed(names), reversed(values), strict=False)).get(given.arg or "")
        if isinstance(default, ast.Constant) and default.value is None and isinstance(call, ast.Call):
            return edits.remove_keyword(case.text, call, given.arg or "")
    return None


def _between(case: Case, first: ast.expr, last: ast.expr) -> str:
    """Return the text from the beginning of one expression to the end of another."""
    lines = case.text.split("\n")
    start, end = case.place(first), case.place(last)
    if start[0] == end[2]:
        return lines[start[0] - 1][start[1] : end[3]]
    return "\n".join([lines[start[0] - 1][start[1] :], *lines[start[0] : end[2] - 1], lines[end[2] - 1][: end[3]]])


def sigmoid_before_bce(case: Case) -> Iterator[Hit]:
    """Probabilities passed to BCEWithLogits, which applies the sigmoid itself, or a sigmoid of a sigmoid to BCELoss."""
    for node in ops(case, "binary_cross_entropy"):
        second = before(case, operand(case, node))
        first = maker_of(case, second) if second >= 0 and case.trace.nodes.op[second] == "sigmoid" else -1
        if _is_sigmoid(case, first):
            line, inner = case.written(second), case.written(first)
            why = f"Line {line} takes the sigmoid of what is a probability already: line {inner} has taken it before. "
            why += "Every probability comes out between 0.5 and 0.73."
            marks = (*case.mark(first, "the first sigmoid"), *case.mark(second, "the second one"))
            step = cursor_of(case, second)
            yield Hit(line, step, why, "Take the sigmoid once.", _without(case, second, first), marks)
            return
    for node in ops(case, "binary_cross_entropy_with_logits"):
        first = before(case, operand(case, node))
        if first >= 0 and case.trace.nodes.op[first] in ("cat", "stack"):  # of parts that are all made alike
            parts = [before(case, each) for each in case.read_by(first)]
            first = parts[0] if parts and len({line_of(case, each) for each in parts}) == 1 else first
        if not _is_sigmoid(case, first):
            continue
        line, inner = case.written(node), case.written(first)
        why = (
            f"BCEWithLogits on line {line} takes the sigmoid of what it is given itself, but line {inner} has taken it "
        )
        why += "already. What it sees lies between 0 and 1, so it takes every probability to be between 0.5 and 0.73."
        advice = "Give it the plain score without sigmoid, or use BCELoss."
        marks = (*case.mark(first, "the first sigmoid"), *case.mark(node, "takes the sigmoid again"))
        offered = _scores_at_hand(case, node, first) or _without(case, first)
        offered = offered or _undone(case, node, _is_sigmoid, "torch.logit")
        yield Hit(inner, cursor_of(case, node), why, advice, offered, marks)
        return


def kl_without_log(case: Case) -> Iterator[Hit]:
    """kl_div of probabilities, whose first argument has to be their logarithms."""
    trace, nodes = case.trace, case.trace.nodes
    for node in ops(case, "xlogy"):  # target · log(target), from which target · input is subtracted
        target, users = operand(case, node), trace.users_of(case.output(node)).tolist()
        products = [int(trace.tensors.producer[operand(case, user, 1)]) for user in users if nodes.op[user] == "sub"]
        read = case.read_by(products[0]) if products and products[0] >= 0 else []
        if case.output(node) not in case.below_roots:
            continue
        if target not in read or len(read) != 2 or nodes.region[node] != nodes.region[products[0]]:
            continue
        given = read[1] if read[0] == target else read[0]
        numbers, wanted = case.first_value(given), case.first_value(target)
        if numbers is None or wanted is None or not numbers.size or numbers.min() < 0 or not numbers.any():
            continue
        line, first, exchanged = line_of(case, node), before(case, given), bool(wanted.size and wanted.max() <= 0)
        text = _exchanged(case, line) if exchanged else None
        softmax = not exchanged and first >= 0 and nodes.op[first] == "softmax"
        if not exchanged:
            text = _logged(case, first) if softmax else _wrapped(case, node, "log")
        why = f"kl_div on line {line} expects logarithms of probabilities as its first argument and the probabilities "
        why += f"of the target as its second, but the first is given numbers from {numbers.min():.3g} to "
        why += f"{numbers.max():.3g}" + (": the two are exchanged." if exchanged else ". It is no divergence then.")
        advice = "kl_div(log_softmax(scores), target): the logarithms of what is trained come first."
        offered = fixes(("exchanged" if exchanged else "log_softmax" if softmax else "log", text))
        at = case.written(first) if softmax else line
        yield Hit(at, cursor_of(case, node), why, advice, offered, case.mark(node, "was given probabilities"))
        return


def _exchanged(case: Case, line: int) -> str | None:
    """Return the text with the first two arguments of a line's loss exchanged."""
    for each in case.on_line(line):
        if isinstance(each, ast.Call) and len(each.args) >= 2 and not isinstance(case.parents.get(each), ast.Call):
            one, other = each.args[:2]
            return edits.all_at_once(case.text, case.tree, {one: case.source(other), other: case.source(one)})
    return None


def nll_without_log(case: Case) -> Iterator[Hit]:
    """NLLLoss of values that are not logarithms of probabilities."""
    nodes = case.trace.nodes
    for node in ops(case, "nll_loss", "nll_loss2d"):
        given = operand(case, node)
        values = case.first_value(given) if given >= 0 else None
        if values is None or values.ndim < 2 or not values.size or values.shape[1] < 2:
            continue
        with np.errstate(all="ignore"):
            sums = np.exp(values.astype(np.float64)).sum(1)
        if np.all(np.abs(sums - 1) < 0.05) or not np.isfinite(sums).all():
            continue
        if (np.all(values <= 1e-6) and np.all(sums <= 1.05)) or given not in case.below_roots:
            continue
        line, first = line_of(case, node), before(case, given)
        softmax = first >= 0 and nodes.op[first] == "softmax"
        written = not softmax and is_softmax(case, first)
        what = "probabilities" if softmax or written else "plain scores"
        loss = case.trace.value(int(case.trace.tensors.value[case.output(node)]))
        why = f"NLLLoss on line {line} expects logarithms of probabilities, but is given {what}. It only picks out the "
        why += "negative of one number of each row" + (f" (here {loss.brief()})" if loss is not None else "")
        why += ": the loss has no lower bound and is no likelihood."
        advice = "Take log_softmax first, or use cross_entropy, which does both."
        at = case.written(first) if softmax else line
        text = _logged(case, first) if softmax else _wrapped(case, node, "log" if written else "log_softmax")
        offered = fixes(("log" if written else "log_softmax", text))
        yield Hit(at, cursor_of(case, node), why, advice, offered, case.mark(node, f"was given {what}"))
        return


def _logged(case: Case, node: int) -> str | None:
    calls = [
        each for each in case.on_line(line_of(case, node)) if isinstance(each, ast.Call) and name_of(each) == "softmax"
    ]
    layers = [each for each in case.calls if name_of(each) == "Softmax"]
    for call in (*calls, *layers):
        code = case.source(call.func)
        new = f"{code[: -len('softmax')]}{'LogSoftmax' if code.endswith('Softmax') else 'log_softmax'}"
        return edits.replace_node(case.text, call.func, new)
    return None


def _wrapped(case: Case, node: int, function: str) -> str | None:
    rest = ", dim=1" if function == "log_softmax" else ""
    for each in case.on_line(line_of(case, node)):
        if isinstance(each, ast.Call) and len(each.args) >= 2:
            code = f"torch.{function}({case.source(each.args[0])}{rest})"
            return edits.replace_node(case.text, each.args[0], code)
    return None


# -- the wrong direction


def ascent(case: Case) -> Iterator[Hit]:
    """A loss that is made larger: every step goes up along the gradient of a loss, or down along that of its negative.
    Of weights only, and where nothing else is trained: a reward or an attack on inputs is meant to be so."""
    trace, roots = case.trace, sorted(case.roots)
    if case.raised or len(trace.calls) < _STEPS or not roots:
        return
    makers = [int(trace.tensors.producer[each]) for each in roots]
    negated = [maker for maker in makers if maker >= 0 and trace.nodes.op[maker] == "neg" and _is_loss(case, maker)]
    up = _goes_up(case)
    if len(negated) == len(makers) and not up:
        yield from _negative(case, negated[0])
    elif up and all(maker >= 0 and not negated and _is_error(case, maker) for maker in makers):
        yield from _upwards(case)


_STEPS = 3  # backward passes from which on it is a direction


def _is_loss(case: Case, negation: int) -> bool:
    """Whether what is negated is a loss that compares with targets."""
    maker = maker_of(case, negation)
    return maker >= 0 and _is_error(case, maker)


def _is_error(case: Case, node: int) -> bool:
    """Whether a node is a loss with targets, or the mean or sum of squares or absolute values of differences."""
    nodes = case.trace.nodes
    if nodes.op[node] in LOSSES:
        read = case.read_by(node)
        return len(read) > 1 and not case.trace.tensors.requires_grad[read[1]]
    inner = maker_of(case, node) if nodes.op[node] in ("mean", "sum") else -1
    return inner >= 0 and nodes.op[inner] in ("pow", "abs") and nodes.op[maker_of(case, inner)] in ("sub", "rsub")


def _goes_up(case: Case) -> bool:
    """Whether each update of each weight went the way of its own gradient."""
    trace, updates = case.trace, 0
    for leaf, events in case.events.items():
        grad = -1
        for event in events:
            if event.what == "updated" and grad >= 0:
                before, after = (trace.frame_at(step).value(leaf) for step in (event.step, event.step + 1))
                slope = case.array(grad)
                if before is None or after is None or before.array is None or after.array is None or slope is None:
                    return False
                an_input = _has_layers(case) and not trace.tensors.is_parameter[leaf]
                if before.array.shape != after.array.shape or an_input:
                    return False
                if not ((after.array.astype(float) - before.array) * slope).sum() > 0:
                    return False
                updates += 1
            grad = event.value if event.what in ("added", "clipped") else grad
    return updates >= _STEPS


def _has_layers(case: Case) -> bool:
    return bool(case.trace.tensors.is_parameter.any())


def _negative(case: Case, node: int) -> Iterator[Hit]:
    line, made = line_of(case, node), case.maker(case.output(node))
    name = case.name(operand(case, node))
    why = f"Line {line} takes the negative of {name}, so that each step makes the loss larger: optimizers go downhill."
    is_minus = isinstance(made, ast.UnaryOp) and isinstance(made.op, ast.USub)
    code = case.source(made.operand) if is_minus and isinstance(made, ast.UnaryOp) else ""
    text = edits.replace_node(case.text, made, code) if made is not None and code else None
    text = text.replace(f"({code}).backward()", f"{code}.backward()") if text is not None else None
    yield Hit(line, cursor_of(case, node), why, "Minimise the loss itself.", fixes(("without the minus", text)))


def _upwards(case: Case) -> Iterator[Hit]:
    """The line that steps upwards: an optimizer with maximize=True, or `w += lr * w.grad`."""
    asked = [call for call in case.calls if any(each.arg == "maximize" for each in call.keywords)]
    cursor, steps = len(case.trace), case.optimizer_steps
    why = "goes up along the gradient of the loss, so that each step makes the loss larger."
    if asked and steps:
        given = next(each.value for each in asked[0].keywords if each.arg == "maximize")
        line, text = asked[0].lineno, edits.replace_node(case.text, given, "False")
        why = f"The optimizer of line {line} {why}"
        yield Hit(line, steps[0] + 1, why, "Leave out maximize=True.", fixes(("maximize=False", text)))
        return
    for statement in case.statements:
        ran = [step for step in range(cursor) if case.line_of(step) == statement.lineno] if cursor < 200_000 else []
        text = _downwards(case, statement) if ran else None
        if text is not None:
            line = statement.lineno
            yield Hit(line, ran[0] + 1, f"Line {line} {why}", "Subtract the gradient.", fixes(("downwards", text)))
            return


def _downwards(case: Case, statement: ast.stmt) -> str | None:
    """Return the text where `w += lr * w.grad`, or `w.add_(w.grad, alpha=lr)`, goes the other way; None if a statement
    is another one."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        code = f"{case.source(statement.target)} -= {case.source(statement.value)}"
        return edits.replace_node(case.text, statement, code) if _is_gradient(case, statement.value) else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or name_of(call) != "add_" or not call.args:
        return None
    alpha = next((each.value for each in call.keywords if each.arg == "alpha"), None)
    if alpha is None or not _is_gradient(case, call.args[0]):
        return None
    return edits.replace_node(case.text, alpha, f"-{case.source(alpha)}")


def _is_gradient(case: Case, value: ast.expr) -> bool:
    return is_of_gradients(value, case.gradient_names)


def undivided(case: Case) -> Iterator[Hit]:
    """Gradients of several micro-batches that are added up as if they were one batch, but not divided by their number:
    a step is that many times as long. Adam's steps do not depend on it."""
    trace, steps = case.trace, case.optimizer_steps
    adaptive = any(str(each) != "SGD" for each in trace.optimizers.name)
    counts = [n for n in case.walked if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod)]
    codes = {case.source(each.right) for each in counts}
    names = {each for each in codes if re.search("accum|micro", each.lower())}
    if len(names) != 1 or adaptive or len(steps) < 2 or case.raised:
        return
    name, before = names.pop(), np.searchsorted(trace.calls.step, steps[:2])
    many = int(before[1] - before[0])
    uses = [n for n in case.walked if isinstance(n, (ast.BinOp, ast.AugAssign)) and isinstance(n.op, _SCALING)]
    root = int(trace.roots_of(int(before[0]))[0])
    node = int(trace.tensors.producer[root])
    means = node >= 0 and trace.nodes.op[node] in LOSSES and "reduction=mean" in str(trace.nodes.params[node])
    if many < 2 or not means or any(name in case.source(each) for each in uses):
        return
    backward = case.called("backward", int(trace.calls.line[before[0]]))
    held = receiver_of(backward) if backward is not None else None
    if backward is None or held is None:
        return
    line = backward.lineno
    why = f"Line {line} adds the gradients of {many} batches before each step, and each is that of a mean: their sum "
    why += f"is {many} times as large as the gradient of one batch of them all, and so is the step."
    text = edits.replace_node(case.text, held, f"({case.source(held)} / {name})")
    advice = f"Divide each loss by {name}."
    yield Hit(line, steps[0] + 1, why, advice, fixes((f"/ {name}", text)), case.mark(node, "not divided"))


_SCALING = (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)
