"""Numbers that go wrong: gradients that vanish or explode along the depth, dead ReLUs. These are often effects of other
mistakes, so `lessons` reports them only if there is no other. NaN and infinity are in `not_finite`."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gradviz.document import edits
from gradviz.session.doctor import rates
from gradviz.session.doctor.case import Case, Fix, Hit, fixes, once
from gradviz.session.doctor.losses import DIFFERENCES, LOSSES, SHAPES
from gradviz.session.doctor.text import name_of, receiver_of
from gradviz.trace.table.frame import ZERO

# -- along the depth


def _depths(case: Case, call: int) -> list[tuple[int, int, float]]:
    """Return (step, node, size of the gradient that it sent) along a backward call, from the root down."""
    trace = case.trace
    if not len(trace.calls):
        return []
    flows = trace.flows
    low, high = np.searchsorted(
        flows.step, [int(trace.calls.step[call]), int(min(trace.calls.end[call], len(trace))) + 1]
    )
    found = []
    for row in range(int(low), int(high)):
        if flows.slot[row] != _main_slot(case, int(flows.node[row])):
            continue
        value = int(flows.value[row])
        size = math.prod(trace.store.shape(value)) or 1
        found.append((int(flows.step[row]), int(flows.node[row]), float(trace.values.norm[value]) / math.sqrt(size)))
    return found


@once
def _in_first(case: Case) -> list[tuple[int, int, float]]:
    """Return the same along the first backward call."""
    return _depths(case, 0)


def _main_slot(case: Case, node: int) -> int:
    """Return the operand of a node that was computed: on the longest way back to the inputs."""
    trace, longest, found = case.trace, -1, -1
    for slot, tensor in trace.slots_of(node).items():
        maker = int(trace.tensors.producer[tensor])
        computed = maker >= 0 and trace.tensors.requires_grad[tensor]
        if computed and trace.nodes.op[maker] not in ("t", "transpose") and _depth(case, maker) > longest:
            longest, found = _depth(case, maker), slot
    return found


def _path(case: Case) -> set[int]:
    """Return the nodes on the longest way from the first root back to the inputs."""
    producer, found = case.trace.tensors.producer, set[int]()
    node = int(producer[case.trace.roots_of(0)[0]]) if len(case.trace.roots_of(0)) else -1
    while node >= 0 and node not in found:
        found.add(node)
        read = [each for each in case.read_by(node) if case.trace.tensors.requires_grad[each]]
        makers = [maker for each in read if (maker := int(producer[each])) >= 0]
        node = max(makers, key=lambda maker: _depth(case, maker), default=-1)
    return found


def _depth(case: Case, node: int) -> int:
    """Return the number of operations on the longest way from a leaf to a node."""
    found, producer = case.trace.kept("depths", list[int]), case.trace.tensors.producer
    for at in range(len(found), node + 1):
        makers = producer[case.read_by(at)].tolist()
        found.append(1 + max((found[each] for each in makers if 0 <= each < at), default=0))
    return found[node]


def vanishing(case: Case) -> Iterator[Hit]:
    """Gradients that shrink with every layer until nothing is left."""
    found = _trend(case, falling=True)
    if found is None:
        return
    node, first, last, layers = found
    if _is_recurrent(case):
        return
    line, op, step = case.written(node), str(case.trace.nodes.op[node]), int(case.trace.calls.step[0]) + 1
    why = f"On its way back through {layers} layers the gradient shrank from {first:.2g} to {last:.2g}: "
    small, part = _shrinking(case)
    if small >= 0 and (larger := _smaller_weights(case, small, at := _begun(case, small))):
        why += f"the weights of line {at} make it smaller each time, to {part:.2g} of its size at most. The first "
        why += "layers hardly learn."
        yield Hit(at, step, why, "Begin with larger weights.", larger, case.mark(small, "shrinks it"))
        return
    why += f"each {op} (line {line}) lets only a part of it pass. The first layers hardly learn."
    advice = "Use ReLU instead of sigmoid or tanh, a normalisation, residual connections, or larger initial weights."
    fix = _residual(case, node) or _relus(case, op, layers)
    yield Hit(line, step, why, advice, fix, case.mark(node, "shrinks it"))


def _shrinking(case: Case) -> tuple[int, float]:
    """Return a product among those along the depth whose weights nearly all shrink whatever passes through them at
    least by half, and the largest part that one lets pass; -1 if there is none."""
    frame, nodes = case.trace.frame_at(int(case.trace.calls.step[0])), case.trace.nodes
    found, parts = -1, list[float]()
    for node in [each for _, each, _ in _in_first(case) if nodes.op[each] in _PRODUCTS]:
        values = [frame.value(leaf) for leaf in _weights(case, node, later=True) if len(case.shape(leaf)) == 2]
        arrays = [each.array for each in values if each is not None and each.array is not None]
        parts += [float(np.linalg.norm(each, 2)) for each in arrays if np.isfinite(each).all()]
        found = node if arrays and parts[-1:] and parts[-1] < _HALF else found
    small = [each for each in parts if each < _HALF]
    return (found, max(small)) if len(small) > 0.7 * len(parts) else (-1, 0.0)


_HALF = 0.5


def _is_recurrent(case: Case) -> bool:
    """Whether the gradient goes back in time, repeatedly through one layer with its module's initial weights: every
    such network forgets what is long ago, and learns all the same."""
    trace = case.trace
    products = [node for _, node, _ in _in_first(case) if trace.nodes.op[node] in _LAYERS]
    weights = {each for node in products for each in _weights(case, node) if len(case.shape(each)) > 1}
    first = int(trace.calls.step[0])
    written = {int(trace.writes.tensor[row]) for row in np.flatnonzero(trace.writes.step < first).tolist()}
    changed = {each for each in written & weights if _is_smaller(case, each, first)}
    by_module = weights and not weights & changed and all(trace.tensors.is_parameter[each] for each in weights)
    return bool(by_module and len(products) >= 4 * len(weights))


def _is_smaller(case: Case, tensor: int, step: int) -> bool:
    """Whether a tensor was made smaller until a step."""
    before, now = case.first_value(tensor), case.trace.frame_at(step).value(tensor)
    if before is None or now is None or now.array is None:
        return True
    return bool(np.linalg.norm(now.array) < np.linalg.norm(before))


def exploding(case: Case) -> Iterator[Hit]:
    """Gradients that grow with every layer."""
    found = _trend(case, falling=False)
    if found is None:
        return
    node, first, last, layers = found
    line, at = int(case.trace.nodes.line[node]), _begun(case, node)
    why = f"On its way back through {layers} layers the gradient grew from {first:.2g} to {last:.2g}: the product on "
    why += f"line {line} makes it larger each time, with the weights of line {at}. One step with it throws them far "
    why += "away."
    advice = "Make the weights smaller at the start, clip the gradients (clip_grad_norm_), or normalise."
    fix = _smaller_weights(case, node, at) or _unchanged(case, at, "the weights as they were") or _clipped(case)
    yield Hit(at, int(case.trace.calls.step[0]) + 1, why, advice, fix, case.mark(node, "makes it grow"))


def _begun(case: Case, node: int) -> int:
    """Return the line that initialised the weights of products like this one, otherwise that of the product."""
    nodes, lines = case.trace.nodes, list[int]()
    deep = [each for each in np.flatnonzero(nodes.op == nodes.op[node]).tolist() if _main_slot(case, each) >= 0]
    later = _asked_later(case)
    for each in deep:
        held = [leaf for leaf in _weights(case, each, later=True) if len(case.shape(leaf)) > 1]
        lines += [int(case.trace.tensors.line[leaf]) if leaf in later else case.begun(leaf) for leaf in held]
    lines = [line for line in lines if line > 0]
    return max(lines, key=lines.count) if lines else int(nodes.line[node])


def _asked_later(case: Case) -> set[int]:
    """Return the results that requires_grad_() turned into leaves: `(3 * torch.randn(8, 8)).requires_grad_()`."""
    flags, tensors = case.trace.flags, case.trace.tensors
    asked = flags.tensor[flags.requires_grad & flags.is_leaf]
    return {each for each in asked.tolist() if tensors.producer[each] >= 0 and not tensors.requires_grad[each]}


def _weights(case: Case, node: int, later: bool = False) -> list[int]:
    """Return the leaves that a layer was computed with: of its product and of the sum with its bias; `later` also
    includes those that became leaves after they had been computed."""
    trace, queue, found = case.trace, [node], list[int]()
    for each in queue:
        for tensor in case.read_by(each):
            maker = int(trace.tensors.producer[tensor])
            if (maker < 0 and trace.tensors.requires_grad[tensor]) or (later and tensor in _asked_later(case)):
                found.append(tensor)
            elif maker >= 0 and len(queue) < 9 and trace.nodes.op[maker] in (_INSIDE if each == node else _TURNS):
                queue.append(maker)
    return found


_TURNS = ("t", "transpose", "permute")
_INSIDE = (*_TURNS, "mm", "addmm", "matmul", "mv", "mul", "add", "sub")


_PRODUCTS = ("addmm", "mm", "linear", "matmul", "mul", "mv", "bmm", "baddbmm")
_LAYERS = (*_PRODUCTS, "native_batch_norm", "convolution", "conv2d")
_SQUASHING = ("sigmoid", "tanh", "softmax")


def _trend(case: Case, falling: bool) -> tuple[int, float, float, int] | None:
    """The operation at which the gradient shrinks or grows most often, its first and last size, and how many layers."""
    trace, along = case.trace, _in_first(case)
    path = _path(case)
    layers = [each for each in along if each[1] in path and trace.nodes.op[each[1]] in _LAYERS + _SQUASHING]
    few = 6 if falling and layers and 0 < layers[-1][2] < 1e-7 * layers[0][2] else 8
    if len(layers) < (few if falling else 4) or layers[0][2] <= 0 or not all(math.isfinite(each[2]) for each in layers):
        return None
    sizes = np.array([each[2] for each in layers])
    first, last = float(sizes[0]), float(sizes[-2:].min() if falling else sizes[-1])  # an RNN's input product is last
    if falling and (last > 1e-4 * first or not (np.diff(sizes) <= 0).mean() > 0.7 or first < 1e-12):
        return None
    if falling and last == 0 and _comes_later(case):
        return None
    grows = any((sizes[gap:] >= sizes[:-gap]).mean() > 0.6 for gap in (1, 2))  # 2: a product may turn back and forth
    if not falling and not (_grows_much(first, last) and grows):
        return None
    counted: dict[str, int] = {}
    for each in layers:
        op = str(trace.nodes.op[each[1]])
        if (op in _SQUASHING) or not falling or not any(trace.nodes.op[one[1]] in _SQUASHING for one in layers):
            counted[op] = counted.get(op, 0) + 1
    op = max(counted, key=lambda name: counted[name])
    if counted[op] < 4:
        return None
    node = next(each[1] for each in layers if trace.nodes.op[each[1]] == op)
    return node, first, last, counted[op]


def _comes_later(case: Case) -> bool:
    """Whether the same backward() reaches the first layers later: weights initialised with zeros blocked the first."""
    again = np.flatnonzero(case.trace.calls.line == case.trace.calls.line[0])
    return len(again) > 1 and any(each[2] > 0 for each in _depths(case, int(again[-1]))[-1:])


def _grows_much(first: float, last: float) -> bool:
    return (last >= 1e4 * first and last >= 1e2) or (last >= 1e2 * first and last >= 1e4)


def _residual(case: Case, node: int) -> tuple[Fix, ...]:
    """Rewrite `x = sigmoid(layer(x))` as `x = x + sigmoid(layer(x))`, if the shapes permit it."""
    trace, made = case.trace, case.output(node)
    statement = case.statement(int(trace.nodes.line[node]))
    if isinstance(statement, ast.Return) and statement.value is not None:
        name = _only_argument(case, statement)
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
    else:
        return ()
    alike = np.flatnonzero(trace.nodes.site == trace.nodes.site[node]).tolist()
    value = statement.value or ast.Constant(None)
    uses = any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value))
    shapes = {case.shape(case.output(each)) for each in alike} | {
        case.shape(each) for each in case.named(name, int(trace.nodes.step[node]))
    }
    if not uses or made < 0 or len(shapes) > 1:
        return ()
    code = f"{name} + {case.source(value)}"
    return fixes(("a residual connection", edits.replace_node(case.text, value, code)))


def _only_argument(case: Case, statement: ast.Return) -> str:
    """Return the `x` of `def forward(self, x)` around a statement, "" if there are several."""
    function = case.function_of(statement)
    given = function.args.args if isinstance(function, ast.FunctionDef) else []
    names = [each.arg for each in given if each.arg != "self"]
    return names[0] if len(names) == 1 else ""


_DEEP = 10  # layers through which ReLUs with nn.Linear's initial weights let nothing pass


def _relus(case: Case, op: str, layers: int) -> tuple[Fix, ...]:
    changes: dict[ast.expr | ast.stmt, str | None] = {}
    for node in case.walked:
        if isinstance(node, ast.Attribute) and node.attr in (op, op.capitalize()):
            called = isinstance(outer := case.parents.get(node), ast.Call) and outer.func is node
            if called or node.attr[0].isupper():
                name = "ReLU" if node.attr[0].isupper() else "relu"
                changes[node] = f"{case.source(node.value)}.{name}"
    text = edits.all_at_once(case.text, case.tree, changes) if changes else None
    if text is not None and layers >= _DEEP:
        text = _with_first_weights(case, text)
    return fixes(("relu", text))


def _with_first_weights(case: Case, text: str) -> str | None:
    """Return the text in which the initial weights of the model are those for ReLU."""
    call = next((each for each in case.calls if name_of(each) == "parameters"), None)
    held = receiver_of(call) if call is not None else None
    owners = (
        [case.source(held)] if held is not None else sorted({str(each) for each in case.trace.names.owner}, key=len)
    )
    owner = next((each for each in owners if each.isidentifier()), "")
    bound = [each for each in case.statements if isinstance(each, ast.Assign) and case.source(each.targets[0]) == owner]
    if not bound or case.function_of(bound[0]) is not None:
        return None
    code = f"for layer in {owner}.modules():\n    if isinstance(layer, torch.nn.Linear):\n"
    code += "        torch.nn.init.kaiming_normal_(layer.weight)"
    return edits.insert_after(text, bound[0].end_lineno or bound[0].lineno, code)


def _smaller_weights(case: Case, node: int, line: int) -> tuple[Fix, ...]:
    """Return the text in which the initial weights on a line preserve the size of what passes through a product."""
    leaves = [leaf for leaf in _weights(case, node, later=True) if len(case.shape(leaf)) > 1]
    sizes = [case.shape(leaf)[0] for leaf in leaves]
    if leaves and leaves[0] in _asked_later(case):
        line = int(case.trace.tensors.line[leaves[0]])
    for call in [each for each in case.on_line(line) if isinstance(each, ast.Call)] if sizes else ():
        scale, outer = f"{sizes[0] ** -0.5:.2g}", case.parents.get(call)
        held = call.args[0] if call.args else None
        if name_of(call) in ("normal_", "uniform_", "constant_", "ones_") and held and "init" in case.source(call.func):
            code = f"{case.source(call.func).removesuffix(name_of(call))}xavier_uniform_({case.source(held)})"
            return fixes(("xavier_uniform_", edits.replace_node(case.text, call, code)))
        if name_of(call) in ("normal_", "uniform_") and (held := receiver_of(call)) is not None:
            code = f"torch.nn.init.xavier_uniform_({case.source(held)})"
            return fixes(("xavier_uniform_", edits.replace_node(case.text, call, code)))
        if name_of(call) in ("full", "ones", "tensor") and (given := case.first_value(leaves[0])) is not None:
            scale = f"{1 / np.abs(given).sum(-1).max():.2g}"  # the largest sum of a row: no product is larger
        elif name_of(call) not in ("randn", "rand", "normal", "eye"):
            continue
        scale = "1.0" if name_of(call) == "eye" else scale
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult):
            factor = outer.right if outer.left is call else outer.left
            return fixes(("smaller weights", edits.replace_node(case.text, factor, scale)))
        code = case.source(call)
        asked = any(each.arg == "requires_grad" for each in call.keywords)
        if asked:
            plain = edits.remove_keyword(code, ast.parse(code, mode="eval").body, "requires_grad")  # type: ignore[arg-type]
            code = f"({plain} * {scale}).requires_grad_()" if plain else code
        else:
            code = f"({code} * {scale})"
        return fixes(("smaller weights", edits.replace_node(case.text, call, code)))
    return ()


def _clipped(case: Case) -> tuple[Fix, ...]:
    for step in case.optimizer_steps[:1]:
        for call in case.calls:
            if name_of(call) in {str(each) for each in case.trace.optimizers.name} and call.args:
                code = f"torch.nn.utils.clip_grad_norm_({case.source(call.args[0])}, 1.0)"
                return fixes(("clip_grad_norm_", edits.insert_before(case.text, case.line_of(step), code)))
    return ()


def dead_relu(case: Case) -> Iterator[Hit]:
    """A ReLU that lets nothing through, in every iteration from some point on."""
    trace = case.trace
    places: dict[tuple[int, str], list[int]] = {}
    rectified = (trace.nodes.op == "relu") | (np.isin(trace.nodes.op, ("clamp", "clamp_min")) & _from_zero(case))
    for node in np.flatnonzero(rectified & (trace.nodes.name != "")).tolist():
        made = case.output(node)
        if made >= 0 and made in case.below_roots:
            places.setdefault((int(trace.nodes.site[node]), str(trace.nodes.scope[node])), []).append(node)
    is_zero = trace.value_flag[trace.tensors.value] == ZERO
    for nodes in places.values():
        zero = is_zero[[case.output(node) for node in nodes]].tolist()
        shape = case.shape(case.output(nodes[0]))
        samples = len(nodes) * (shape[0] if len(shape) > 1 else math.prod(shape))  # one alone says nothing of others
        if not zero[-1] or math.prod(shape) < 2 or samples < 2 or (len(nodes) > 2 and not all(zero[-2:])):
            continue
        if _is_close(case, nodes) if all(zero) else is_summand(case, case.output(nodes[-1])):
            continue
        node = nodes[zero.index(True)] if all(zero[zero.index(True) :]) else nodes[-1]
        line, step = int(trace.nodes.line[node]), int(trace.nodes.step[node]) + 1
        at = _died_of(case, node, alive=not zero[0])
        before = trace.frame_at(step).value(case.read_by(node)[0])
        numbers = f" ({before.brief()})" if before is not None else ""
        why = f"Everything that comes to the ReLU on line {line} is negative{numbers}: it lets 0 through, and sends 0 "
        why += "back. All that lies before it gets a gradient of 0 and does not change any more."
        advice = "Use a smaller learning rate or another initial bias, or LeakyReLU, which lets a little through."
        fix = rates.slowed(case) if not zero[0] and at != line else ()
        passed = _passed_negative(case, at) if at != line and not fix else None
        if passed is not None:
            at, fix = passed.lineno, fixes(("a bias of 0", edits.replace_node(case.text, passed, "0.0")))
        fix = fix or (_without_constant(case, at) if at != line else ())
        last = _last_relu(case, node) if not fix else None
        if last is not None:
            at, fix = last.lineno, _without_last(case, last)
            advice = f"Leave out the ReLU on line {at}: it is the last operation, and a target may be negative."
        fix = fix or _leaky(case)
        why += f" That comes from line {at}." if at != line else ""
        yield Hit(at, step, why, advice, fix, case.mark(node, "lets nothing through"))
        return


def _passed_negative(case: Case, line: int) -> ast.expr | None:
    """Return the only negative number that a function gets from its calls to fill a tensor with on a line."""
    for call in [each for each in case.on_line(line) if isinstance(each, ast.Call) and name_of(each) == "full"]:
        number = call.args[1] if len(call.args) == 2 else None
        given = [*rates.arguments(case, number)] if isinstance(number, ast.Name) else []
        below = [each for each in given if isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub)]
        if len(below) == 1:
            return below[0]
    return None


def _is_close(case: Case, nodes: list[int]) -> bool:
    """Whether fresh data may bring a ReLU to life: each time it sees others, and they come close to 0."""
    seen = [case.trace.frame_at(int(case.trace.nodes.step[node]) + 1).value(case.read_by(node)[0]) for node in nodes]
    arrays = [each.array for each in seen if each is not None and each.array is not None and each.array.size]
    if len(arrays) < 2 or any(np.array_equal(arrays[0], each) for each in arrays[1:]):
        return False
    low, high = min(float(each.min()) for each in arrays), max(float(each.max()) for each in arrays)
    return -high < 0.1 * (high - low)


def _died_of(case: Case, node: int, alive: bool) -> int:
    """The line that made everything negative that reaches a ReLU: the learning rate if it was alive at first, otherwise
    the first bias or weight of one sign, otherwise the origin of the data; its own line if none did."""
    trace, line = case.trace, int(case.trace.nodes.line[node])
    if alive:
        rate = rates.learning_rate(case)[0]
        return rate if rate > 0 else line
    layer, found = int(trace.tensors.producer[case.read_by(node)[0]]), list[int]()
    for tensor in sorted(_weights(case, layer) if layer >= 0 else [], key=lambda each: len(case.shape(each))):
        value = trace.frame_at(int(trace.nodes.step[node])).value(tensor)
        array = value.array if value is not None else None
        if array is None or array.size < 2 or case.begun(tensor) <= 0:
            continue
        if (array < 0).all() or (len(case.shape(tensor)) < 2 and (array > 0).all()):
            found.append(tensor)
    if found:
        return case.begun(found[-1] if len(found) == 2 and _is_dead_without(case, node, found[0]) else found[0])
    for tensor in case.read_by(layer) if layer >= 0 else ():
        made, array = int(trace.tensors.producer[tensor]), case.first_value(tensor)
        if made >= 0 and not trace.tensors.requires_grad[tensor] and array is not None and (array < 0).all():
            return int(trace.nodes.line[made])
    return line


def _is_dead_without(case: Case, node: int, bias: int) -> bool:
    """Whether what reaches a ReLU would be negative without a bias, too: the weights alone make it so."""
    frame = case.trace.frame_at(int(case.trace.nodes.step[node]))
    before, added = frame.value(case.read_by(node)[0]), frame.value(bias)
    array, less = before.array if before is not None else None, added.array if added is not None else None
    if array is None or less is None or array.ndim != 2 or array.shape[1:] != less.shape:
        return False
    return bool((array - less < 0).all())


def _from_zero(case: Case) -> NDArray[np.bool_]:
    params = case.trace.nodes.params
    return np.array([str(each) in ("min=0", "min=0.0") for each in params], bool)


_SUMMING = ("sum", "mean", "add", "sub", "neg", "mul", "div", "view", "squeeze", "stack", "select")


def is_summand(case: Case, tensor: int) -> bool:
    """Whether a loss is a sum of this and others, as a hinge loss is: there, 0 is the aim of training."""
    trace, queue = case.trace, [tensor]
    for each in queue:
        users = [user for user in trace.users_of(each).tolist() if case.output(user) in case.below_roots]
        if not users and each not in case.roots:
            return False
        for user in users:
            if trace.nodes.op[user] not in _SUMMING:
                return False
            if trace.nodes.op[user] == "mul" and len(case.read_by(user)) > 1:
                return False
            queue += [case.output(user)] if len(queue) < 100 else []
    return True


def _without_constant(case: Case, line: int) -> tuple[Fix, ...]:
    """Return the text in which a bias that a line fills with a number begins with zeros."""
    for call in [each for each in case.on_line(line) if isinstance(each, ast.Call)]:
        number = call.args[-1] if call.args else None
        alone = not isinstance(case.parents.get(call), ast.BinOp)
        if name_of(call) == "full" and len(call.args) == 2 and alone:
            return fixes(("a bias of 0", edits.replace_node(case.text, call.args[1], "0.0")))
        if name_of(call) in ("fill_", "constant_") and number is not None and rates.constant(case, number) is not None:
            return fixes(("a bias of 0", edits.replace_node(case.text, number, "0.0")))
        if isinstance(number, ast.UnaryOp) and name_of(call) in ("fill_", "constant_"):
            return fixes(("a bias of 0", edits.replace_node(case.text, number, "0.0")))
    return _unchanged(case, line, "the bias as it was")


def _unchanged(case: Case, line: int, title: str) -> tuple[Fix, ...]:
    """Return the text without a line that only moves or scales what a module began with: `bias -= 15`,
    `weight.mul_(6)`."""
    statement = case.statement(line)
    call = statement.value if isinstance(statement, ast.Expr) else None
    number = call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else getattr(statement, "value", None)
    written = isinstance(call, ast.Call) and name_of(call) in ("mul_", "add_", "sub_")
    written = written or isinstance(statement, ast.AugAssign)
    if not written or not isinstance(number, ast.expr) or rates.constant(case, number) is None:
        return ()
    return fixes((title, edits.without_statement(case.text, line)))


def _last_relu(case: Case, node: int) -> ast.Call | None:
    """Return the call of a ReLU that is made of the last layer before a loss compares it with targets below 0, or that
    of its module at the end of a Sequential."""
    trace, queue, below = case.trace, [case.output(node)], False
    for each in queue:
        for user in trace.users_of(each).tolist():
            read = case.read_by(user)
            targets = [one for one in read if one != each and not trace.tensors.requires_grad[one]]
            values = [case.first_value(one) for one in targets]
            if trace.nodes.op[user] in SHAPES:
                queue.append(case.output(user))
            elif trace.nodes.op[user] not in (*DIFFERENCES, *LOSSES):
                return None
            below |= any(value is not None and bool((value < 0).any()) for value in values)
    made = case.maker(case.output(node))
    if not below or not isinstance(made, ast.Call):
        return None
    if name_of(made) in ("relu", "clamp"):
        return made
    chains = [each for each in case.calls if name_of(each) == "Sequential" and each.args]
    ends = [last for each in chains if isinstance(last := each.args[-1], ast.Call) and name_of(last) == "ReLU"]
    return ends[0] if len(chains) == len(ends) == 1 else None


def _without_last(case: Case, call: ast.Call) -> tuple[Fix, ...]:
    """Return the text without a ReLU that nothing follows."""
    if name_of(call) == "ReLU":
        chain = case.parents.get(call)
        text = edits.remove_argument(case.text, chain, call) if isinstance(chain, ast.Call) else None
    else:
        held = receiver_of(call)
        inner = call.args[0] if call.args and name_of(call) == "relu" else held
        text = edits.replace_node(case.text, call, case.source(inner)) if inner is not None else None
    return fixes(("without the last ReLU", text))


def _leaky(case: Case) -> tuple[Fix, ...]:
    text: str | None = case.text
    for call in reversed(case.calls):
        if text is None or name_of(call) not in ("relu", "ReLU"):
            continue
        if name_of(call) == "ReLU":
            text = edits.replace_node(text, call, f"{case.source(call.func)[: -len('ReLU')]}LeakyReLU(0.1)")
        elif call.args:
            text = edits.replace_node(text, call, f"torch.nn.functional.leaky_relu({case.source(call.args[0])}, 0.1)")
    return fixes(("LeakyReLU", text if text != case.text else None))


# -- clipping at the wrong time


def clipped_too_late(case: Case) -> Iterator[Hit]:
    """Gradients that are clipped only after the step has used them, and cleared before the next one."""
    late, clipped = list[tuple[int, int]](), 0
    for _, events in sorted(case.events.items()):
        clipped += sum(event.what == "clipped" for event in events)
        for before, event, after in zip(events, events[1:], [*events[2:], None], strict=False):
            if event.what == "clipped" and before.what == "updated" and (after is None or after.what == "cleared"):
                late.append((event.step, before.step))
    if not late or len(late) < clipped or len({step for step, _ in late}) < 2:
        return
    step, update = min(late)
    line, used = case.line_of(step), case.line_of(update)
    why = f"Line {line} clips the gradients after line {used} has used them: every step was taken with the gradients "
    why += "as they were, and the clipped ones are cleared before the next."
    clip, later = case.statement(line), case.statement(used)
    alike = clip is not None and later is not None and case.parents.get(clip) is case.parents.get(later)
    text = edits.moved(case.text, line, before=used) if alike else None
    yield Hit(line, step + 1, why, "Clip between backward() and step().", fixes(("before the step", text)))


def clipped_too_early(case: Case) -> Iterator[Hit]:
    """Gradients that are clipped before backward() computes them, when there are none."""
    trace, steps = case.trace, case.optimizer_steps
    if case.raised or len(steps) < 2 or any(event.what == "clipped" for each in case.events.values() for event in each):
        return
    for call in [each for each in case.calls if name_of(each).startswith("clip_grad_")]:
        block = next((each for each in edits.blocks(case.tree) if case.statement(call.lineno) in each), [])
        later = [each for each in block if each.lineno > call.lineno]
        backward = [one for each in later for one in ast.walk(each) if isinstance(one, ast.Call)]
        backward = [each for each in backward if name_of(each) == "backward"]
        if not backward or not any(case.line_of(int(step)) == backward[0].lineno for step in trace.calls.step):
            continue
        line, after = call.lineno, backward[0].lineno
        why = f"Line {line} clips gradients before line {after} computes any: there is nothing to clip, and each of "
        why += f"{len(steps)} steps was taken with the gradients as they were."
        text = edits.moved_after(case.text, line, after, case.source(case.statement(line) or call))
        advice = "Clip between backward() and step()."
        yield Hit(line, int(trace.calls.step[0]) + 1, why, advice, fixes(("after backward()", text)))
        return
