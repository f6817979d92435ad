"""A softmax over the wrong dimension: over the batch instead of the classes, over the queries of an attention, or over
numbers that are all equal; the classes that are looked for in a column; and (n, 1) predictions against (n,) targets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Fix, Hit, fixes
from gradviz.session.doctor.losses import (
    DIFFERENCES,
    SHAPES,
    before,
    cursor_of,
    is_softmax,
    layer_of,
    line_of,
    maker_of,
    operand,
    ops,
)
from gradviz.session.doctor.text import name_of, receiver_of


def wrong_dim(case: Case) -> Iterator[Hit]:
    """A softmax over the batch instead of the classes."""
    yield from _over_queries(case)
    yield from _of_other_sum(case)
    yield from _classes_of_a_column(case)
    yield from _along_equals(case)
    yield from _lengths_of_columns(case)
    yield from _along_sequence(case)
    yield from _written_out(case)
    for node in ops(case, "softmax", "log_softmax"):
        read, made = operand(case, node), case.output(node)
        shape = case.shape(read) if read >= 0 else ()
        if len(shape) != 2 or not re.search(r"dim=(0|-2)\b", str(case.trace.nodes.params[node])) or shape[0] < 2:
            continue
        if shape[1] == 1 and not _picks_classes(case, made):  # one score for each part of a sequence
            continue
        by_rows = _is_of_samples(case, read) or _picks_classes(case, made) or _weighs_columns(case, made)
        if made not in case.below_roots or not by_rows:
            continue
        line, name = _dim_line(case, node), case.name(read)
        why = f"The softmax on line {line} goes along dimension 0 of {name} {shape}: it makes the {shape[0]} rows of "
        why += "each column add up to 1, so the samples of a batch compete with each other instead of the classes."
        advice = "Use dim=1 (or dim=-1): one distribution for each row."
        yield Hit(line, cursor_of(case, node), why, advice, _other_dim(case, node), case.mark(node, "along the batch"))
        return


def _written_out(case: Case) -> Iterator[Hit]:
    """exp(x) / exp(x).sum(0), or x - x.logsumexp(0): a written-out softmax over the batch."""
    for node in ops(case, "div", "sub"):
        summed, made = maker_of(case, node, 1), case.output(node)
        logarithms = summed >= 0 and case.trace.nodes.op[summed] == "logsumexp"
        alike = operand(case, summed) == operand(case, node) if logarithms else is_softmax(case, node)
        if not alike or len(case.shape(made)) != 2:
            continue
        if not re.search(r"dim=\(?(0|-2)\b,?\)?", str(case.trace.nodes.params[summed])) or case.shape(made)[0] < 2:
            continue
        scores = operand(case, node if logarithms else maker_of(case, node))
        if made not in case.below_roots or not (_is_of_samples(case, scores) or _picks_classes(case, made)):
            continue
        line = line_of(case, summed)
        calls = [each for each in case.on_line(line) if isinstance(each, ast.Call)]
        call = next((each for each in calls if name_of(each) in ("sum", "logsumexp")), None)
        given = call.args[:2] if call is not None else []
        given += [each.value for each in call.keywords if each.arg in ("dim", "axis")] if call is not None else []
        rows = next((each for each in given if case.source(each) in ("0", "-2")), None)
        text = edits.replace_node(case.text, rows, "1") if rows is not None else None
        if text and call is not None and len(case.shape(operand(case, node, 1))) == 1:
            text = edits.add_keyword(text, line, name_of(call), "keepdim", "True")
        why = f"Line {line} takes the sums of the columns of {case.shape(made)}: the rows of each column add up to "
        why += "1, so the samples of a batch compete with each other instead of the classes."
        marks = case.mark(summed, "along the batch")
        advice = "Sum along dimension 1: one distribution for each row."
        yield Hit(line, cursor_of(case, summed), why, advice, fixes(("dim=1", text)), marks)
        return


def _along_sequence(case: Case) -> Iterator[Hit]:
    """Scores (batch, time, classes) whose log_softmax goes along another dimension than the classes, before
    `nll_loss(p.reshape(-1, classes), targets)`."""
    nodes, producer = case.trace.nodes, case.trace.tensors.producer
    for loss in ops(case, "nll_loss"):
        flat = operand(case, loss)
        node = int(producer[flat]) if flat >= 0 and len(case.shape(flat)) == 2 else -1
        while node >= 0 and nodes.op[node] in ("view", "reshape", "flatten"):
            node = int(producer[operand(case, node)])
        found = re.search(r"dim=(-?\d+)", str(nodes.params[node])) if node >= 0 else None
        if node < 0 or nodes.op[node] != "log_softmax" or found is None:
            continue
        shape = case.shape(case.output(node))
        dim = int(found[1]) % len(shape)
        if len(shape) < 3 or dim == len(shape) - 1 or shape[-1] != case.shape(flat)[1]:
            continue
        line, name = _dim_line(case, node), case.name(operand(case, node))
        why = f"The log_softmax on line {line} goes along dimension {dim} of {name} {shape}, but the loss takes the "
        why += f"last dimension for the {shape[-1]} classes: their probabilities don't add up to 1."
        offered = _other_dim(case, node, found[1], "-1")
        mark = case.mark(node, "not along the classes")
        yield Hit(line, cursor_of(case, node), why, "Use dim=-1: one distribution over the classes.", offered, mark)
        return


def _lengths_of_columns(case: Case) -> Iterator[Hit]:
    """F.normalize(z, dim=0) before similarities of the rows: it makes unit vectors of the columns."""
    nodes = case.trace.nodes
    for node in ops(case, "div"):
        read, made = operand(case, node), case.output(node)
        shape, norm = case.shape(read) if read >= 0 else (), _norm_below(case, node)
        if norm < 0 or len(shape) != 2 or shape[0] < 2 or made not in case.below_roots:
            continue
        if not re.search(r"dim=\(?(0|-2)\b,?\)?", str(nodes.params[norm])) or not _multiplies_rows(case, made):
            continue
        if not _is_of_samples(case, read):
            continue
        line, name = line_of(case, norm), case.name(read)
        why = f"Line {line} divides the columns of {name} {shape} by their lengths, so the samples of a batch scale "
        why += "each other. The product that follows compares its rows, whose lengths are not 1: these are no cosines."
        yield Hit(
            line, cursor_of(case, norm), why, "Use dim=1 (or dim=-1): each row gets the length 1.",
            _other_dim(case, norm), case.mark(norm, "along the batch"),
        )  # fmt: skip
        return


def _multiplies_rows(case: Case, tensor: int) -> bool:
    """Whether a product multiplies the rows of a tensor by those of another, or of itself: `a @ b.t()`."""
    nodes, users = case.trace.nodes, case.trace.users_of(tensor).tolist()
    turned = [case.output(user) for user in users if nodes.op[user] in ("t", "transpose", "permute")]
    products = [user for each in (tensor, *turned) for user in case.trace.users_of(each).tolist()]
    for product in [each for each in products if nodes.op[each] in ("mm", "matmul")]:
        maker = int(case.trace.tensors.producer[operand(case, product, 1)])
        if maker >= 0 and nodes.op[maker] in ("t", "transpose", "permute"):
            return True
    return False


def _norm_below(case: Case, division: int) -> int:
    """Return the norm by which an operation divides what the norm was computed from; -1 if it does not."""
    norm = before(case, operand(case, division, 1), "clamp", "clamp_min", "add")
    alike = norm >= 0 and "norm" in str(case.trace.nodes.op[norm])
    return norm if alike and operand(case, norm) == operand(case, division) else -1


def _along_equals(case: Case) -> Iterator[Hit]:
    """A softmax along a dimension with only one number, or the same one repeated: always 1 / n."""
    nodes = case.trace.nodes
    for node in ops(case, "softmax", "log_softmax"):
        read, made = operand(case, node), case.output(node)
        shape, found = case.shape(read), re.search(r"dim=(-?\d+)", str(nodes.params[node]))
        if len(shape) != 2 or found is None or made not in case.below_roots:
            continue
        dim = int(found[1]) % 2
        maker = int(case.trace.tensors.producer[read])
        repeated = maker >= 0 and nodes.op[maker] == "expand" and _is_repeated(case, maker, dim)
        alone = shape[dim] == 1 < shape[1 - dim] and _is_of_samples(case, read)
        if not repeated and not (alone and (dim == 0 or nodes.op[node] == "softmax")):
            continue
        line, n = _dim_line(case, node), shape[dim]
        why = f"The softmax on line {line} goes along dimension {dim} of {case.name(read)} {shape}, in which all "
        why += f"numbers are equal: whatever the scores are, it makes 1 / {n} of each, and no gradient goes back."
        advice, offered = f"Use dim={1 - dim}: one distribution over the other dimension.", tuple[Fix, ...]()
        if alone and dim:
            advice = "Take the sigmoid of a single score, or give the last layer one output for each class."
            offered = _as_sigmoid(case, node)
        offered = offered or _other_dim(case, node, found[1], str(1 - dim))
        yield Hit(line, cursor_of(case, node), why, advice, offered, case.mark(node, "always 1 / n"))
        return


def _as_sigmoid(case: Case, node: int) -> tuple[Fix, ...]:
    """Take the sigmoid where a softmax of a single number was taken."""
    calls = [each for each in case.on_line(_dim_line(case, node)) if isinstance(each, ast.Call)]
    call = next((each for each in calls if name_of(each) in ("softmax", "Softmax")), None)
    if call is None:
        return ()
    held = receiver_of(call)
    if name_of(call) == "Softmax":
        code = f"{case.source(held)}.Sigmoid()" if held is not None else "Sigmoid()"
    elif held is None or case.source(held) in ("F", "torch", "nn.functional", "torch.nn.functional"):
        code = f"torch.sigmoid({case.source(call.args[0])})" if call.args else ""
    else:
        code = f"{case.source(held)}.sigmoid()"
    return fixes(("sigmoid", edits.replace_node(case.text, call, code) if code else None))


def _is_repeated(case: Case, expand: int, dim: int) -> bool:
    """Whether an expansion made one dimension of a matrix, whose rows or columns are all the same."""
    before, after = case.shape(operand(case, expand)), case.shape(case.output(expand))
    size = ((1,) * (len(after) - len(before)) + before)[dim]
    return size == 1 < after[dim]


def _is_of_samples(case: Case, tensor: int) -> bool:
    """Whether a layer made a tensor, which then has a row for each sample."""
    maker = before(case, tensor, "add", "relu", "tanh", "div", "mul")
    if maker < 0 or case.trace.nodes.op[maker] not in ("addmm", "mm", "linear", "matmul"):
        return False
    read, tensors = case.read_by(maker), case.trace.tensors
    left = read[0] if case.trace.nodes.op[maker] in ("mm", "matmul") else -1
    return left < 0 or tensors.producer[left] >= 0 or not tensors.requires_grad[left]  # W @ X has a column for each


def _picks_classes(case: Case, tensor: int) -> bool:
    """Whether a loss takes one element of each row of a tensor."""
    users = [user for user in case.trace.users_of(tensor).tolist() if operand(case, user) == tensor]
    users += [
        again
        for user in users
        if case.trace.nodes.op[user] == "log"
        for again in case.trace.users_of(case.output(user)).tolist()
    ]
    return any(case.trace.nodes.op[user] in ("nll_loss", "gather") or _takes_one_each(case, user) for user in users)


def _weighs_columns(case: Case, tensor: int) -> bool:
    """Whether the columns of a matrix are the weights of a sum: `(weights.unsqueeze(-1) * values).sum(1)`."""
    trace, nodes = case.trace, case.trace.nodes
    made = [case.output(user) for user in trace.users_of(tensor).tolist() if nodes.op[user] == "unsqueeze"]
    made = [each for each in made if case.shape(each)[:-1] == case.shape(tensor)]
    products = [user for each in made for user in trace.users_of(each).tolist() if nodes.op[user] == "mul"]
    sums = [user for each in products for user in trace.users_of(case.output(each)).tolist() if nodes.op[user] == "sum"]
    return any(re.search(r"dim=\(?(1|-2)\b,?\)?", str(nodes.params[each])) for each in sums)


def _takes_one_each(case: Case, node: int) -> bool:
    """Whether an operation takes one element of each row: `p[range(n), labels]`."""
    read, made = case.read_by(node), case.output(node)
    indexes = case.trace.nodes.op[node] == "index" and read and made >= 0
    return bool(indexes and len(case.shape(read[0])) == 2 and case.shape(made) == case.shape(read[0])[:1])


def _over_queries(case: Case) -> Iterator[Hit]:
    """Attention whose weights do not add up to 1 along the dimension that is summed next."""
    for node in ops(case, "softmax"):
        read, made = operand(case, node), case.output(node)
        shape, found = (
            case.shape(read) if read >= 0 else (),
            re.search(r"dim=(-?\d+)", str(case.trace.nodes.params[node])),
        )
        if len(shape) < 2 or found is None or int(found[1]) % len(shape) == len(shape) - 1:
            continue
        scores = before(case, read, "div", "mul", "add", "masked_fill", "where")
        product = scores >= 0 and case.trace.nodes.op[scores] in ("bmm", "mm", "matmul")  # as in attention
        if len(shape) == 2 and product:  # without a batch: q @ k.T, the rows of two matrices
            turned = int(case.trace.tensors.producer[operand(case, scores, 1)])
            product = turned >= 0 and case.trace.nodes.op[turned] in ("t", "transpose", "permute")
        if not product or not _is_left_factor(case, made):
            continue
        line = _dim_line(case, node)
        why = (
            f"The weights {case.name(made)} {shape} are summed over their last dimension by the product that follows, "
        )
        why += (
            f"but the softmax on line {line} makes them add up to 1 along dimension {int(found[1]) % len(shape)}: the "
        )
        why += "product is no average."
        yield Hit(
            line, cursor_of(case, node), why, "Use dim=-1: one distribution for each query.",
            _other_dim(case, node, found[1], "-1"), case.mark(node, "along the queries"),
        )  # fmt: skip
        return


def _of_other_sum(case: Case) -> Iterator[Hit]:
    """Weights (samples, steps, 1) of a sum over the steps that add up to 1 over the samples, or each by itself: `(a *
    x).sum(1)`."""
    trace, nodes = case.trace, case.trace.nodes
    for node in ops(case, "softmax"):
        made, found = case.output(node), re.search(r"dim=(-?\d+)", str(nodes.params[node]))
        shape = case.shape(made) if made >= 0 else ()
        if len(shape) != 3 or found is None or shape[2] != 1 or int(found[1]) % 3 == 1 or min(shape[:2]) < 2:
            continue
        products = [user for user in trace.users_of(made).tolist() if nodes.op[user] == "mul"]
        sums = [user for each in products for user in trace.users_of(case.output(each)).tolist()
                if nodes.op[user] == "sum" and re.search(r"dim=\(?(1|-2)\b", str(nodes.params[user]))]  # fmt: skip
        if not sums or case.output(sums[0]) not in case.below_roots:
            continue
        line = _dim_line(case, node)
        why = f"Line {nodes.line[sums[0]]} sums over dimension 1, weighted by {case.name(made)} {shape}, but the "
        why += f"softmax on line {line} "
        why += (
            "goes along the last dimension, which has one element: each weight is 1, and nothing can be learned."
            if int(found[1]) % 3
            else "makes these add up to 1 along dimension 0: the sum is no average, and the samples of a batch compete "
            "with each other."
        )
        offered = _other_dim(case, node, found[1], "1")
        mark = case.mark(node, "along one" if int(found[1]) % 3 else "along the batch")
        yield Hit(line, cursor_of(case, node), why, "Use dim=1: one distribution for each sample.", offered, mark)
        return


def _is_left_factor(case: Case, tensor: int) -> bool:
    """Whether a product sums over the last dimension of a tensor, possibly after other operations."""
    nodes, queue = case.trace.nodes, [tensor]
    for each in queue:
        for user in case.trace.users_of(each).tolist():
            if nodes.op[user] in ("bmm", "mm", "matmul") and operand(case, user) == each:
                return True
            turned = nodes.op[user] in _TURNS and not _moves_ones(case, user)
            if nodes.op[user] in (*SHAPES, "mul") and not turned and len(queue) < 20:
                queue.append(case.output(user))
    return False


def _moves_ones(case: Case, node: int) -> bool:
    """Whether a permutation only moves dimensions of size 1, as einsum does before its product."""
    found = re.search(r"dims=\(([\d, ]+)\)", str(case.trace.nodes.params[node]))
    shape = case.shape(operand(case, node))
    places = [int(each) for each in re.findall(r"\d+", found[1])] if found else []
    moved = [place for place in places if shape[place] != 1]
    return bool(moved) and moved == sorted(moved)


_TURNS = ("t", "transpose", "permute", "select", "slice")


def _classes_of_a_column(case: Case) -> Iterator[Hit]:
    """argmax over the batch of what the loss takes for scores, or of what is compared with the classes given to it."""
    trace, losses = case.trace, ops(case, "nll_loss")
    targets = {operand(case, node, 1) for node in losses}
    scores = {before for node in losses for before in case.ancestors(operand(case, node), most=3)}
    layers = {leaf for each in scores for leaf in _layer(case, each)}
    for node in ops(case, "argmax", "max"):
        read, made = operand(case, node), next(reversed(trace.outputs_of(node).tolist()), -1)
        shape = case.shape(read) if read >= 0 else ()
        if len(shape) != 2 or made < 0 or not re.search(r"dim=(0|-2)\b", str(trace.nodes.params[node])):
            continue
        turned = [user for user in trace.users_of(read).tolist() if trace.nodes.op[user] in _TURNS]
        if any(case.output(user) in scores for user in turned):  # both ways, as between pictures and their texts
            continue
        compared = [user for user in trace.users_of(made).tolist() if trace.nodes.op[user] == "eq"]
        if not compared and not any(case.output(loss) in case.below_roots for loss in losses):
            continue  # nothing is trained or counted
        again = bool(layers & _layer(case, read))  # of other samples, by the layer that makes the scores
        asked = any({*case.ancestors(*case.read_by(user))} & targets for user in compared)
        if read not in scores and not again and not asked:
            continue
        line = line_of(case, node)
        why = f"{trace.nodes.op[node]}(dim=0) on line {line} looks for the best sample of each class in "
        why += f"{case.name(read)} {shape}, not for the best class of each sample: it has nothing to do with the "
        why += "targets."
        yield Hit(
            line, cursor_of(case, node), why, "Use dim=1 (or dim=-1): one class for each row.",
            _other_dim(case, node), case.mark(node, "along the batch"),
        )  # fmt: skip
        return


def _layer(case: Case, tensor: int) -> set[int]:
    """Return the parameters of the layer that made a tensor."""
    node, tensors = int(case.trace.tensors.producer[tensor]), case.trace.tensors
    if node < 0 or case.trace.nodes.op[node] not in ("addmm", "linear"):
        return set()
    return {each for each in case.read_by(node) if tensors.is_parameter[each]}


def _other_dim(case: Case, node: int, given_dim: str = "", wanted: str = "1") -> tuple[Fix, ...]:
    calls = [each for each in case.on_line(line_of(case, node)) if isinstance(each, ast.Call)]
    for call in [*calls, *case.calls]:
        if name_of(call) not in _WITH_DIM:
            continue
        given = next((each.value for each in call.keywords if each.arg == "dim"), None)
        place = 0 if name_of(call)[0].isupper() else 1
        held = receiver_of(call)
        if (
            held is not None
            and place
            and case.source(held) not in ("F", "torch", "nn.functional", "torch.nn.functional")
        ):
            place = 0
        if given is None and len(call.args) > place:
            given = call.args[place]
        if given is not None and case.source(given) in ("0", "-2", given_dim):
            return fixes((f"dim={wanted}", edits.replace_node(case.text, given, wanted)))
    return ()


_WITH_DIM = ("softmax", "log_softmax", "Softmax", "LogSoftmax", "argmax", "max", "normalize", "norm")


def _dim_line(case: Case, node: int) -> int:
    """Return the line that chooses the dimension of a softmax: that of the layer, if one does it."""
    op, calls = str(case.trace.nodes.op[node]), case.on_line(line_of(case, node))
    layers = [layer_of(case, each.func, op) for each in calls if isinstance(each, ast.Call)]
    return next((each.lineno for each in layers if each is not None), case.written(node))


# -- targets and predictions of different shapes


def broadcast_loss(case: Case) -> Iterator[Hit]:
    """(n, 1) against (n,): every prediction is compared with every target."""
    trace = case.trace
    for node in ops(case, *DIFFERENCES, "mul", "eq"):
        read = [_unexpanded(case, each) for each in case.read_by(node)[:2]]
        if len(read) < 2:
            continue
        one, other = case.shape(read[0]), case.shape(read[1])
        stretched = next(_stretched(case, read), None)
        if stretched is not None and case.output(node) in case.below_roots:
            yield _stretched_hit(case, *stretched)
            return
        if all(trace.tensors.is_leaf[each] and trace.tensors.requires_grad[each] for each in read):
            continue  # both are learned: neither is a target
        facing = _facing(one, other) and not any(_was_stood_up(case, each) for each in read)
        facing = facing and len({bool(trace.tensors.requires_grad[each]) for each in read}) == 2
        if not (_crossed(one, other) or facing) or _of_one(case, *read):
            continue
        if trace.nodes.op[node] == "mul" and not _weighs_logarithms(case, node):
            continue
        if case.output(node) not in case.below_roots and not _is_measured(case, node):
            continue
        line, n = line_of(case, node), max(*one, *other)
        names = [f"{case.name(each)} {case.shape(each)}" for each in read]
        why = (
            f"{names[0]} and {names[1]} are stretched to ({n}, {n}): line {line} compares each of the {n} predictions "
        )
        why += f"with each of the {n} targets, {n * n} differences instead of {n}."
        advice = "Give both the same shape, for example with .squeeze(1) or .unsqueeze(1)."
        step, offered = int(trace.nodes.step[node]) + 1, _reshaped(case, node, one, other)
        offered = offered[::-1] if _meets_vectors(case, node, n) else offered
        yield Hit(line, step, why, advice, offered, case.mark(node, "broadcast"))
        return


def _meets_vectors(case: Case, node: int, n: int) -> bool:
    """Whether the result of an operation is later combined with (n,) numbers."""
    trace, made = case.trace, [case.output(node)]
    for each in made:
        for user in trace.users_of(each).tolist():
            read = [_unexpanded(case, one) for one in case.read_by(user)[:2]]
            if trace.nodes.op[user] in _ELEMENTWISE and any(case.shape(one) == (n,) for one in read if one != each):
                return True
            made += [case.output(user)] if trace.nodes.op[user] == "detach" else []
    return False


def _is_measured(case: Case, node: int) -> bool:
    """Whether a comparison of what a model predicts with something else is summed up, as an accuracy or an error is."""
    trace, made, op = case.trace, [case.output(node)], str(case.trace.nodes.op[node])
    through = ("_to_copy",) if op == "eq" else ("abs", "pow", "square")
    summed = op not in ("eq", "sub", "mul")
    for each in made if op != "mul" else ():
        users = trace.users_of(each).tolist() if each >= 0 else []
        summed |= (op == "eq" or each != made[0]) and any(trace.nodes.op[user] in ("sum", "mean") for user in users)
        made += [case.output(user) for user in users if trace.nodes.op[user] in through]
    learned = [trace.tensors.requires_grad[[*case.ancestors(one)]].any() for one in case.read_by(node)[:2]]
    return summed and sum(learned) == 1


def _stretched(case: Case, read: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the operation that stretched (n,) and (n, 1) to (n, n) numbers, as in `rewards + discount * values`, and
    the number of dimensions of the predictions that these are compared with."""
    nodes = case.trace.nodes
    for square, other in (read, read[::-1]):
        shape = case.shape(square)
        if len(shape) != 2 or shape[0] != shape[1] or case.shape(other) not in ((shape[0],), (shape[0], 1)):
            continue
        if case.trace.tensors.requires_grad[square] or not case.trace.tensors.requires_grad[other]:
            continue
        for each in case.ancestors(square, most=50):
            node = int(case.trace.tensors.producer[each])
            operands = [_unexpanded(case, one) for one in case.read_by(node)[:2]] if node >= 0 else []
            if len(operands) < 2 or nodes.op[node] not in _ELEMENTWISE or case.shape(each) != shape:
                continue
            if _crossed(*map(case.shape, operands)) and not any(_was_stood_up(case, one) for one in operands):
                yield node, len(case.shape(other))


_ELEMENTWISE = ("add", "sub", "mul", "div")


def _stretched_hit(case: Case, node: int, wanted: int) -> Hit:
    read = [_unexpanded(case, each) for each in case.read_by(node)[:2]]
    one, other = map(case.shape, read)
    line, n = line_of(case, node), max(*one, *other)
    names = [f"{case.name(each)} {case.shape(each)}" for each in read]
    why = (
        f"{names[0]} and {names[1]} are stretched to ({n}, {n}): line {line} makes {n * n} targets for {n} predictions."
    )
    advice = "Give both the same shape, for example with .squeeze(1) or .unsqueeze(1)."
    fix = tuple(each for each in _reshaped(case, node, one, other) if ("unsqueeze" in each.title) == (wanted == 2))
    return Hit(line, int(case.trace.nodes.step[node]) + 1, why, advice, fix, case.mark(node, "broadcast"))


def _weighs_logarithms(case: Case, node: int) -> bool:
    """Whether a product is that of a target and logarithms of probabilities, as in a written-out cross entropy."""
    makers = [int(case.trace.tensors.producer[each]) for each in case.read_by(node)[:2]]
    logs = [maker >= 0 and case.trace.nodes.op[maker] in ("log", "log1p", "log_sigmoid") for maker in makers]
    grads = [bool(case.trace.tensors.requires_grad[each]) for each in case.read_by(node)[:2]]
    return sum(logs) == 1 and sum(grads) == 1 and logs == grads


def _unexpanded(case: Case, tensor: int) -> int:
    node = int(case.trace.tensors.producer[tensor])
    return operand(case, node) if node >= 0 and case.trace.nodes.op[node] == "expand" else tensor


def _of_one(case: Case, one: int, other: int) -> bool:
    """Whether both are the same tensor in two shapes: then all pairs of its elements are wanted."""

    def whole(tensor: int) -> int:
        node = int(case.trace.tensors.producer[tensor])
        for _ in range(9):
            if node < 0 or case.trace.nodes.op[node] not in SHAPES:
                break
            tensor = operand(case, node)
            node = int(case.trace.tensors.producer[tensor])
        return tensor

    return whole(one) == whole(other)


def _crossed(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether these are the shapes (n, 1) and (n,), in either order, n > 1."""
    long, short = (one, other) if len(one) > len(other) else (other, one)
    return len(long) == 2 and len(short) == 1 and long[1] == 1 and long[0] == short[0] > 1


def _facing(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether these are the shapes (n, 1) and (1, n), in either order, n > 1."""
    return len(one) == len(other) == 2 and one == other[::-1] and 1 in one and max(one) > 1


def _was_stood_up(case: Case, tensor: int) -> bool:
    """Whether the snippet gave a tensor its shape on purpose, as if all pairs are wanted: `x[:, None] - y[None]`."""
    node = int(case.trace.tensors.producer[tensor])
    return node >= 0 and case.trace.nodes.op[node] in SHAPES


def _reshaped(case: Case, node: int, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[Fix, ...]:
    long_first = len(one) > len(other)
    computed = case.maker(case.output(node))
    for each in case.on_line(line_of(case, node)) if not isinstance(computed, ast.BinOp) else [computed]:
        pair: list[ast.expr] = []
        if isinstance(each, ast.BinOp) and (each is computed or isinstance(each.op, ast.Sub)):
            pair = [each.left, each.right]
        elif isinstance(each, ast.Compare) and each is computed:
            pair = [each.left, each.comparators[0]]
        elif isinstance(each, ast.Call) and name_of(each) == "eq" and each is case.maker(case.output(node)):
            held = receiver_of(each)
            pair = [held, each.args[0]] if held is not None and len(each.args) == 1 else []
        elif (
            isinstance(each, ast.Call)
            and len(each.args) >= 2
            and "loss" in f"{case.source(each.func)}{name_of(each)}".lower()
        ):
            pair = list(each.args[:2])
        elif (
            isinstance(each, ast.Call)
            and len(each.args) == 2
            and not isinstance(each.func, ast.Attribute)
            and case.trace.nodes.op[node] != "eq"
        ):
            pair = list(each.args)
        calls = [each.args[:2] for each in case.on_line(line_of(case, node)) if isinstance(each, ast.Call)]
        alike = [two for two in calls if pair and [*map(case.source, two)] == [*map(case.source, pair)]] or [pair]
        alike = _crossed_beside(case, node, one, other) or alike
        if pair and len(one) == len(other):
            turned = edits.replace_node(case.text, pair[1], f"{_primary(case, pair[1])}.T")
            return fixes((".T", turned))
        if pair:
            long, short = [two[not long_first] for two in alike], [two[long_first] for two in alike]
            squeezed = dict[ast.expr | ast.stmt, str | None]()
            squeezed |= {each: f"{_primary(case, each)}.squeeze(1)" for each in long}
            stood = dict[ast.expr | ast.stmt, str | None]()
            stood |= {each: f"{_primary(case, each)}.unsqueeze(1)" for each in short}
            texts = [edits.all_at_once(case.text, case.tree, changes) for changes in (stood, squeezed)]
            return fixes((".unsqueeze(1)", texts[0]), (".squeeze(1)", texts[1]))
    return ()


def _crossed_beside(case: Case, node: int, one: tuple[int, ...], other: tuple[int, ...]) -> list[list[ast.expr]]:
    """Return the operands of each product on the line of a product whose shapes are crossed in the same way, as in both
    parts of a written-out cross entropy."""
    found = list[list[ast.expr]]()
    for each in ops(case, "mul") if case.trace.nodes.op[node] == "mul" else ():
        made = case.maker(case.output(each)) if line_of(case, each) == line_of(case, node) else None
        shapes = [case.shape(_unexpanded(case, read)) for read in case.read_by(each)[:2]]
        if isinstance(made, ast.BinOp) and shapes == [one, other] and [made.left, made.right] not in found:
            found.append([made.left, made.right])
    return found


def _primary(case: Case, node: ast.expr) -> str:
    code = case.source(node)
    return code if isinstance(node, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) else f"({code})"
