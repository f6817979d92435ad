"""Errors of shapes, types and devices: what would fit instead. The other errors are in `raised`."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Hit, fixes
from gradviz.session.doctor.missing import floated
from gradviz.session.doctor.raised import Fault
from gradviz.session.doctor.text import first_line, name_of, receiver_of


def matrix(fault: Fault) -> Hit | None:
    """A vector where a matrix is needed."""
    arguments = edits.call_arguments(fault.text, fault.line, "mm")
    place = 1 if fault.message.startswith("mat2") else 0
    text = None
    if len(arguments) == 2:
        new = f"{arguments[place]}.unsqueeze({place})"
        text = edits.replace_expression(fault.text, fault.line, arguments[place], new)
    return fault.hit(fixes((f"unsqueeze({place})", text)))


def products(fault: Fault) -> Hit | None:
    """Two matrices whose inner sizes differ: the transposition that fits."""
    a, b, c, d = (int(each) for each in fault.match.groups()[-4:])
    offered: list[tuple[str, str | None]] = []
    for left, right in _operands(fault):
        if not (_may_have(fault, left, b) and _may_have(fault, right, c, d)):
            continue
        around = fault.case.parents.get(fault.case.parents[left])
        averaged = isinstance(around, ast.BinOp) and isinstance(around.op, ast.Div)
        if b == d and a == c and averaged:  # a covariance: over the samples
            offered.append(("the first transposed", _transposed(fault, left)))
        elif b == d:
            offered.append(("the second transposed", _transposed(fault, right)))
        elif a == d:
            offered.append(("in the other order", _swapped(fault, left, right)))
        elif a == c:
            offered.append(("the first transposed", _transposed(fault, left)))
        break
    else:
        offered += _linear(fault, b, c)
    return fault.hit(fixes(*offered))


def _may_have(fault: Fault, factor: ast.expr, *sizes: int) -> bool:
    """Whether a factor of a product may have had these sizes as its last ones."""
    were = fault.case.were(factor, len(fault.case.trace) + 1)  # `self.weight` is that of several objects
    return not were or any(fault.case.shape(each)[-len(sizes) :] == sizes for each in were)


def of_vector(fault: Fault) -> Hit | None:
    """A product of a matrix and a vector whose sizes differ: the transposition that fits."""
    sizes = re.search(r"mat \((\d+)x\d+\), vec \((\d+)\)", fault.message)
    calls = [each for each in fault.case.on_line(fault.line) if isinstance(each, ast.Call) and name_of(each) == "mv"]
    held = receiver_of(calls[0]) if len(calls) == 1 else None
    if sizes is None or sizes[1] != sizes[2] or held is None:
        return fault.hit(())
    matrix = calls[0].args[0] if fault.case.source(held) == "torch" and calls[0].args else held
    return fault.hit(fixes(("the matrix transposed", _transposed(fault, matrix))))


def batched(fault: Fault) -> Hit | None:
    """A product of stacks of matrices whose inner sizes differ."""
    sizes = [re.findall(r"\d+", each) for each in re.findall(r"\[([\d, ]+)\]", fault.message)]
    pair = next(_operands(fault), None)
    if len(sizes) != 2 or pair is None:
        return fault.hit(())
    code = f"{fault.case.source(pair[1])}.transpose(-2, -1)"
    plain = isinstance(pair[1], (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
    return fault.hit(fixes(("the second transposed", edits.replace_node(fault.text, pair[1], code) if plain else None)))


def _swapped(fault: Fault, left: ast.expr, right: ast.expr) -> str | None:
    case, outer = fault.case, fault.case.parents.get(left)
    codes = [f"({case.source(each)})" if isinstance(each, ast.BinOp) else case.source(each) for each in (right, left)]
    if isinstance(outer, ast.BinOp):
        code = case.source(outer)
        whole = isinstance(case.parents.get(outer), ast.BinOp) and code.startswith("(")
        return edits.replace_node(fault.text, outer, f"({' @ '.join(codes)})" if whole else " @ ".join(codes))
    changes: dict[ast.expr | ast.stmt, str | None] = {left: case.source(right), right: case.source(left)}
    return edits.all_at_once(fault.text, case.tree, changes)


def _operands(fault: Fault) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in fault.case.on_line(fault.line):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node.left, node.right
        if isinstance(node, ast.Call) and name_of(node) in ("mm", "matmul", "bmm"):
            held = receiver_of(node)
            given = node.args if held is None or fault.case.source(held) == "torch" else [held, *node.args]
            if len(given) == 2:
                yield given[0], given[1]


def _transposed(fault: Fault, node: ast.expr) -> str | None:
    code = fault.case.source(node)
    plain = code if isinstance(node, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) else f"({code})"
    if isinstance(node, ast.Call) and name_of(node) == "t" and not node.args:
        held = receiver_of(node)
        return edits.replace_node(fault.text, node, fault.case.source(held)) if held is not None else None
    if isinstance(node, ast.Attribute) and node.attr == "T":
        return edits.replace_node(fault.text, node, fault.case.source(node.value))
    return edits.replace_node(fault.text, node, f"{plain}.t()")


def _flattened(fault: Fault, wanted: int) -> str | None:
    """Return the text in which each sample is one row of numbers for a layer that wants as many."""
    case = fault.case
    for call in [each for each in case.on_line(fault.line) if isinstance(each, ast.Call) and len(each.args) == 1]:
        tensor = case.was(call.args[0], len(case.trace) + 1)
        shape = case.shape(tensor) if tensor >= 0 else ()
        if len(shape) > 2 and math.prod(shape[1:]) == wanted and isinstance(call.args[0], (ast.Name, ast.Attribute)):
            return edits.replace_node(fault.text, call.args[0], f"{case.source(call.args[0])}.flatten(1)")
    return None


def _linear(fault: Fault, given: int, wanted: int) -> list[tuple[str, str | None]]:
    """A layer whose number of inputs differs from what it gets."""
    case, tensors, found = fault.case, fault.case.trace.tensors, list[tuple[str, str | None]]()
    flat = _flattened(fault, wanted)
    if flat is not None:
        return [("flatten(1)", flat)]
    weights = [each for each in range(len(tensors)) if tensors.is_parameter[each] and case.shape(each)[1:] == (wanted,)]
    lines = {int(tensors.line[each]): case.shape(each)[0] for each in weights}
    for call in case.calls:
        named = {each.arg: each.value for each in call.keywords}
        first, second = (*call.args, *map(named.get, ("in_features", "out_features")[len(call.args) :]))[:2]
        if name_of(call) != "Linear" or first is None or second is None:
            continue
        if call.lineno in lines and lines[call.lineno] == given and not isinstance(first, ast.Constant):
            changes: dict[ast.expr | ast.stmt, str | None] = {first: case.source(second), second: case.source(first)}
            found.append(("in the other order", edits.all_at_once(fault.text, case.tree, changes)))
        elif call.lineno in lines or (isinstance(first, ast.Constant) and first.value == wanted):
            found.append((f"{given} inputs", edits.replace_node(fault.text, first, str(given))))
    return found if len(found) == 1 else []


def broadcast(fault: Fault) -> Hit | None:
    """Two operands whose sizes differ where neither is 1: the one turned over, or stood up, that fits."""
    case, end, line = fault.case, len(fault.case.trace) + 1, fault.line
    for left, right in _elementwise(case, line):
        tensors = case.was(left, end), case.was(right, end)
        if min(tensors) < 0:
            continue
        shapes = [case.shape(each) for each in tensors]
        fitting = [_made_to_fit(case, node, line, shapes[at], shapes[1 - at]) for at, node in enumerate((left, right))]
        offered = [each for each in fitting if each is not None]
        offered = offered or _cut_to_fit(case, (left, right), shapes) or _projected(case, (left, right), shapes)
        if any(offered):
            return fault.hit(fixes(*offered))
    return fault.hit(())


Shapes = list[tuple[int, ...]]


def _cut_to_fit(case: Case, pair: tuple[ast.expr, ast.expr], shapes: Shapes) -> list[tuple[str, str | None]]:
    """Return the change of an operand to the part of it that the other one needs: the weights of the classes that the
    samples have, the first rows of a table of positions."""
    for at, node in enumerate(pair):
        (own, other), beside = (shapes[at], shapes[1 - at]), pair[1 - at]
        losses = case.assigned(beside.id, beside.lineno) if isinstance(beside, ast.Name) else beside
        given = losses.args if isinstance(losses, ast.Call) and len(losses.args) > 1 else []
        logits = case.shape(was) if given and (was := case.was(given[0], len(case.trace))) >= 0 else ()
        if len(own) == len(other) == 1 and len(logits) == 2 and logits == (*other, *own):
            ending = f"[{case.source(given[1])}]"
        elif 2 <= len(own) <= len(other) and own[-1] == other[-1] and own[-2] > other[-2] and {*own[:-2]} <= {1}:
            if not isinstance(beside, ast.Name):
                continue
            ending = f"[{':, ' * (len(own) - 2)}:{beside.id}.shape[-2]]"
        else:
            continue
        return [(ending, edits.replace_node(case.text, node, f"{case.source(node)}{ending}"))]
    return []


def _projected(case: Case, pair: tuple[ast.expr, ast.expr], shapes: Shapes) -> list[tuple[str, str | None]]:
    """Return a layer that gives the input of a residual block the size of its output, on the way past the others."""
    holder, function = case.class_of(pair[0]), case.function_of(pair[0])
    arguments = [each.arg for each in function.args.args] if isinstance(function, ast.FunctionDef) else []
    layers = [(each, each.value) for each in case.statements if holder is not None and case.class_of(each) is holder
              and isinstance(each, ast.Assign) and isinstance(each.value, ast.Call) and len(each.value.args) > 1
              and case.source(each.targets[0]).startswith("self.") and name_of(each.value) in _DIMENSION]  # fmt: skip
    kinds = {name_of(layer) for _, layer in layers}
    for at, node in enumerate(pair):
        own, other = shapes[at], shapes[1 - at]
        if not isinstance(node, ast.Name) or node.id not in arguments or len(kinds) != 1 or len(own) != len(other):
            continue
        dimension, (first, last) = _DIMENSION[min(kinds)], (layers[0][1], layers[-1][1])
        sizes = [size for size in (own, other) if len(size) > abs(dimension)]
        rest = [[*size[:dimension], *(size[dimension + 1 :] if dimension > 0 else ())] for size in sizes]
        if len(rest) < 2 or rest[0] != rest[1]:
            continue
        before, after = case.source(first.args[0]), case.source(last.args[1])
        made = f"{case.source(first.func)}({before}, {after}{', 1' if dimension > 0 else ''})"
        if not (before + after).isdigit():
            made = f"{case.source(first.func).removesuffix(min(kinds))}Identity() if {before} == {after} else {made}"
        text = edits.replace_node(case.text, node, f"self.shortcut({node.id})")
        return [
            (
                "a layer beside the others",
                edits.insert_after(text or "", layers[-1][0].lineno, f"self.shortcut = {made}"),
            )
        ]
    return []


_DIMENSION = {"Linear": -1, "Conv1d": 1, "Conv2d": 1, "Conv3d": 1}  # of the features


def _elementwise(case: Case, line: int) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the operands of what a line adds, subtracts, multiplies or divides, the innermost first."""
    for node in reversed(case.on_line(line)):
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            yield node.left, node.right
        elif isinstance(node, ast.AugAssign):
            yield node.target, node.value
        elif isinstance(node, ast.Call) and len(node.args) >= 2:
            yield node.args[0], node.args[1]


def _made_to_fit(
    case: Case, node: ast.expr, line: int, own: tuple[int, ...], other: tuple[int, ...]
) -> tuple[str, str | None] | None:
    """Return a change of the shape of an operand after which both broadcast to the shape of the other, wherever the
    line combines it with another operand."""
    shapes = [(".T", own[::-1] if len(own) == 2 else None), (".unsqueeze(1)", (*own, 1) if len(own) == 1 else None)]
    for ending, shape in shapes:
        if shape is None or len(shape) > len(other) or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        if all(one in (1, size) for one, size in zip(shape[::-1], other[::-1], strict=False)):
            beside = _beside(case, node, own)
            inside = {each for one in beside for each in ast.walk(one)}
            alike = [one for pair in _elementwise(case, line) for one in pair if case.source(one) == case.source(node)]
            changes: dict[ast.expr | ast.stmt, str | None] = {}
            for each in [*beside, *(each for each in alike if each not in inside)]:
                plain = isinstance(each, (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
                changes[each] = f"{case.source(each)}{ending}" if plain else f"({case.source(each)}){ending}"
            return ending, edits.all_at_once(case.text, case.tree, changes)
    return None


def _beside(case: Case, node: ast.expr, own: tuple[int, ...]) -> list[ast.expr]:
    """Return the operands of the shape of another one that its result is combined with in turn: std in
    `(x - mean) / std`."""
    found, inner = list[ast.expr](), case.parents.get(node)
    while isinstance(outer := case.parents.get(inner) if inner is not None else None, ast.BinOp):
        other = outer.right if outer.left is inner else outer.left
        if not isinstance(outer.op, ast.MatMult) and _shape_of(case, other) == own:
            found.append(other)
        inner = outer
    return found


def _shape_of(case: Case, node: ast.expr) -> tuple[int, ...] | None:
    """Return the shape of an operand, also if it was not computed any more; None if it is not known."""
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        shapes = {_shape_of(case, each) for each in (node.left, node.right) if not isinstance(each, ast.Constant)}
        return shapes.pop() if len(shapes) == 1 else None
    tensor = case.was(node, len(case.trace) + 1)
    return case.shape(tensor) if tensor >= 0 else None


def target(fault: Fault) -> Hit | None:
    """A target of the wrong type or shape."""
    case = fault.case
    if "can't be cast" in fault.message and _writes(case, fault.line):
        return None
    call, given = _loss_call(case, fault.line)
    if call is None or given is None:
        return fault.hit((), why=_target_why(fault), advice=_TARGET_ADVICE)
    code = case.source(given)
    plain = code if isinstance(given, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)) else f"({code})"
    ending = " - 1" if _counts_from_one(fault, given) else _target_ending(fault)
    tensor = case.was(given, len(case.trace) + 1)
    dtype = str(case.trace.tensors.dtype[tensor]) if tensor >= 0 else "float"
    ending += ".float()" if "arget size" in fault.message and ending and "float" not in dtype else ""
    classes = tensor >= 0 and dtype.startswith("float") and "D target tensor expected" in fault.message
    ending += ".long()" if classes else ""
    if "multi-target" in fault.message and case.called("one_hot", -1) is not None:
        ending = ".argmax(1)"
    text = _in_all(case, call, ending) if ending and isinstance(given, ast.Name) else None
    text = text or (edits.replace_node(case.text, given, f"{plain}{ending}") if ending else None)
    if re.match(r"Expected target size \[\d+, \d+\], got", fault.message):  # the classes are last, but must be second
        ending = ".transpose(1, 2)"
        text = edits.replace_node(case.text, call.args[0], f"{case.source(call.args[0])}{ending}")
    elif "to match target batch_size (0)" in fault.message:
        ending = ".unsqueeze(0)"
        text = edits.replace_node(case.text, given, f"{plain}{ending}")
    advice = _CLASSES if " is out of bounds" in fault.message else _TARGET_ADVICE
    return fault.hit(fixes((ending, text)), why=_target_why(fault), advice=advice)


_CLASSES = "Number the classes from 0, and give the prediction one score for each class."


_TARGET_ADVICE = (
    "Cross entropy takes one class number (int64) for each row; binary cross entropy and squared errors take floating "
    "point numbers in the shape of the prediction."
)


def _in_all(case: Case, call: ast.Call, ending: str) -> str | None:
    """Return the text with the target of each call of the same loss changed, if several of them are given variables."""
    alike = [each for each in case.calls if case.source(each.func) == case.source(call.func) and len(each.args) > 1]
    changes: dict[ast.expr | ast.stmt, str | None] = {}
    for each in alike if len(alike) > 1 else ():
        if isinstance(each.args[1], ast.Name):
            changes[each.args[1]] = f"{case.source(each.args[1])}{ending}"
    return edits.all_at_once(case.text, case.tree, changes) if changes else None


def _target_why(fault: Fault) -> str:
    said = f"The target does not fit: {fault.message.rstrip('.')}."
    return fault.explanation.beside(said) if fault.explanation is not None else said


def _writes(case: Case, line: int) -> bool:
    """Whether a line itself writes in place."""
    nodes = case.on_line(line)
    named = [name_of(node) for node in nodes if isinstance(node, ast.Call)]
    return isinstance(case.statement(line), ast.AugAssign) or any(name.endswith("_") for name in named)


def _loss_call(case: Case, line: int) -> tuple[ast.Call | None, ast.expr | None]:
    for node in case.on_line(line):
        if isinstance(node, ast.Call) and len(node.args) >= 2:
            return node, node.args[1]
        if isinstance(node, ast.Call) and any(each.arg == "target" for each in node.keywords):
            return node, next(each.value for each in node.keywords if each.arg == "target")
    return None, None


def _counts_from_one(fault: Fault, given: ast.expr) -> bool:
    """Whether the classes of a target are 1 to n instead of 0 to n - 1."""
    found = re.match(r"Target (\d+) is out of bounds", fault.message)
    tensor = fault.case.was(given, len(fault.case.trace) + 1) if found else -1
    classes = fault.case.first_value(tensor) if tensor >= 0 else None
    return bool(
        found and classes is not None and classes.size and classes.min() == 1 and classes.max() == int(found[1])
    )


def _target_ending(fault: Fault) -> str:
    message = fault.message
    if "multi-target not supported" in message or "1D target tensor expected" in message:
        return ".squeeze(1)"
    if "spatial targets" in message and "dimension: 4" in message:
        return ".squeeze(1)"
    if "Long" in message and (
        "but found Float" in message
        or "but got Float" in message
        or "but found Int" in message
        or "but got Int" in message
        or "not implemented" in message
    ):
        return ".long()"
    if (
        "can't be cast" in message
        or "but found Long" in message
        or "got Long" in message
        or re.search(r"Found dtype (Long|Int|Bool)", message)
    ):
        return ".float()"
    if "Using a target size" in message or message.startswith("Target size"):
        shapes = re.findall(r"\[([\d, ]*)\]", message)
        if len(shapes) >= 2 and shapes[1].count(",") > shapes[0].count(","):
            return ".unsqueeze(1)"
        return ".squeeze(1)" if len(shapes) >= 2 and shapes[0].count(",") > shapes[1].count(",") else ""
    return ""


def batchnorm(fault: Fault) -> Hit | None:
    """BatchNorm in training mode with one sample."""
    case = fault.case
    call = _outer_call(case)
    single, whole = _single_batches(case), _whole_batches(case)
    line, text = (call.lineno, None) if call is not None else (fault.line, None)
    if single is None and whole is not None:
        line, title, text = whole
        return fault.hit(fixes((title, text)), line, _ONE_SAMPLE, _BATCHES)
    if single is not None:
        line, text = first_line(case, single), edits.replace_node(case.text, single, "2")
    elif call is not None:
        text = edits.insert_before(case.text, line, f"{case.source(call.func)}.eval()")
    title = "batches of 2" if single is not None else "eval() first"
    return fault.hit(fixes((title, text)), line, _ONE_SAMPLE, _BATCHES)


_ONE_SAMPLE = (
    "BatchNorm in training subtracts the mean of the batch and divides by its standard deviation. Of one sample the "
    "mean is the sample itself and the deviation is 0, so nothing would be left of it."
)
_BATCHES = (
    "Call model.eval() before single samples go through; in training use batches of two or more "
    "(DataLoader(drop_last=True))."
)


def _whole_batches(case: Case) -> tuple[int, str, str | None] | None:
    """Return where training splits its data, and the text in which it leaves out the last batch, which is smaller than
    the others."""
    backward = [each for each in case.calls if name_of(each) == "backward"]
    loaders = [each for each in case.calls if name_of(each) == "DataLoader"]
    if not backward or not len(case.trace.calls):
        return None
    if len(loaders) == 1 and not any(each.arg == "drop_last" for each in loaders[0].keywords):
        line = loaders[0].lineno
        return line, "drop_last=True", edits.add_keyword(case.text, line, "DataLoader", "drop_last", "True")
    loop = case.loop_of(backward[0])
    parts, held = loop.iter if isinstance(loop, ast.For) else None, None
    if isinstance(parts, ast.Call) and name_of(parts) == "split" and len(parts.args) == 1:
        held = receiver_of(parts)
    if held is None or not isinstance(held, ast.Name) or not isinstance(parts, ast.Call):
        return None
    size = case.source(parts.args[0])
    text = edits.replace_node(case.text, held, f"{held.id}[: len({held.id}) // {size} * {size}]")
    return parts.lineno, "whole batches", text


def _single_batches(case: Case) -> ast.expr | None:
    """Return the number 1 in the only place that splits the data into batches."""
    found = list[ast.expr]()
    for call in case.calls:
        found += [each.value for each in call.keywords if each.arg == "batch_size" and name_of(call) == "DataLoader"]
        found += call.args[1:2] if name_of(call) == "DataLoader" else call.args[:1] if name_of(call) == "split" else []
    found = [each for each in found if isinstance(each, ast.Constant) and each.value == 1]
    return found[0] if len(found) == 1 else None


def _outer_call(case: Case) -> ast.Call | None:
    """Return the outermost module call that was running when the error occurred."""
    numbers = [int(each) for each in re.findall(r"line (\d+)", str(case.trace.errors.traceback[0]))]
    owners = {str(each) for each in case.trace.names.owner}
    for line in [*numbers, int(case.trace.errors.line[0])]:
        for node in case.on_line(line):
            if isinstance(node, ast.Call) and case.source(node.func) in owners:
                return node
    return None


_DEVICE = r"""["']cuda(:\d+)?["']|f["']cuda:\{[^{}]+\}["']"""


def cuda(fault: Fault) -> Hit | None:
    """`.cuda()` on a computer without it."""
    case, offered, lines = fault.case, [], list[int]()
    text: str | None = case.text
    for node in reversed(case.walked):
        if text is None:
            break
        before = text
        if isinstance(case.parents.get(node), ast.JoinedStr):
            continue
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and re.fullmatch(_DEVICE, case.source(node)):
            asked_for = '"cuda"' if isinstance(node, ast.Constant) else case.source(node)
            text = edits.replace_node(text, node, f'{asked_for} if torch.cuda.is_available() else "cpu"')
        elif isinstance(node, ast.Call) and name_of(node) == "cuda" and receiver_of(node) is not None:
            held = receiver_of(node)
            if held is not None:
                code = f'{case.source(held)}.to("cuda" if torch.cuda.is_available() else "cpu")'
                text = edits.replace_node(text, node, code)
        lines += [node.lineno] if text != before and isinstance(node, ast.expr) else []
    offered.append(("on the processor where there is no CUDA", text))
    why = "The program asks for an NVIDIA graphics card (CUDA), and this PyTorch has none to use."
    advice = 'Choose the device by what there is: "cuda" if torch.cuda.is_available() else "cpu".'
    asked = fault.line if fault.line in lines or not lines else min(lines)
    return fault.hit(fixes(*offered), asked, why, advice)


def integer_leaf(fault: Fault) -> Hit | None:
    """Integers can't require grad."""
    case = fault.case
    for call in [node for node in case.on_line(fault.line) if isinstance(node, ast.Call)]:
        if name_of(call) in ("tensor", "arange", "ones", "zeros", "full", "eye", "randint", "as_tensor"):
            dtype = next((each.value for each in call.keywords if each.arg == "dtype"), None)
            text = edits.replace_node(fault.text, dtype, "torch.float32") if dtype is not None else None
            text = text or edits.add_keyword(fault.text, call.lineno, name_of(call), "dtype", "torch.float32")
            return fault.hit(fixes(("dtype=torch.float32", text)))
        if name_of(call) == "requires_grad_":
            held = receiver_of(call)
            tensor = case.was(held, len(case.trace) + 1) if held is not None else -1
            if tensor >= 0 and (offered := floated(case, tensor)):
                return fault.hit(offered, int(case.trace.tensors.line[tensor]))
            if held is not None:
                text = edits.replace_node(fault.text, held, f"{case.source(held)}.float()")
                if isinstance(case.statement(fault.line), ast.Expr):
                    name = case.source(held)
                    text = edits.insert_before(fault.text, fault.line, f"{name} = {name}.float()")
                return fault.hit(fixes((".float()", text)))
    for node in case.on_line(fault.line):
        if isinstance(node, ast.Attribute) and node.attr == "requires_grad" and isinstance(node.ctx, ast.Store):
            name, tensor = case.source(node.value), case.was(node.value, len(case.trace) + 1)
            if tensor >= 0 and (offered := floated(case, tensor)):
                return fault.hit(offered, int(case.trace.tensors.line[tensor]))
            text = edits.insert_before(fault.text, fault.line, f"{name} = {name}.float()")
            return fault.hit(fixes((".float()", text)))
    return fault.hit(())
