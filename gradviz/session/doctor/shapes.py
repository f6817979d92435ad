"""Errors of shapes, types and devices: what fits instead. The other errors are in `raised`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gradviz.document import edits
from gradviz.session.doctor.case import Case, Hit, fixes
from gradviz.session.doctor.missing import floated
from gradviz.session.doctor.raised import Fault
from gradviz.session.doctor.text import name_of, receiver_of


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
        if b == d:
            offered.append(("the second transposed", _transposed(fault, right)))
        if a == c:
            offered.append(("the first transposed", _transposed(fault, left)))
        break
    else:
        offered += _linear(fault, b, c)
    return fault.hit(fixes(*offered))


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


def _linear(fault: Fault, given: int, wanted: int) -> list[tuple[str, str | None]]:
    """A layer whose number of inputs is another than what it gets."""
    found = []
    for call in fault.case.calls:
        if name_of(call) == "Linear" and call.args:
            first = call.args[0]
            if isinstance(first, ast.Constant) and first.value == wanted:
                found.append((f"{given} inputs", edits.replace_node(fault.text, first, str(given))))
    return found if len(found) == 1 else []


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
    ending = _target_ending(fault)
    text = edits.replace_node(case.text, given, f"{plain}{ending}") if ending else None
    return fault.hit(fixes((ending, text)), why=_target_why(fault), advice=f"{_TARGET_ADVICE}")


_TARGET_ADVICE = (
    "Cross entropy takes one class number (int64) for each row; binary cross entropy and squared errors take floating "
    "point numbers in the shape of the prediction."
)


def _target_why(fault: Fault) -> str:
    return fault.explanation.why if fault.explanation is not None else f"The target does not fit: {fault.message}"


def _writes(case: Case, line: int) -> bool:
    """Whether a line writes in place itself."""
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


def _target_ending(fault: Fault) -> str:
    message = fault.message
    if "multi-target not supported" in message or "1D target tensor expected" in message:
        return ".squeeze(1)"
    if "Long" in message and (
        "but found Float" in message or "but got Float" in message or "not implemented" in message
    ):
        return ".long()"
    if (
        "can't be cast" in message
        or "but found Long" in message
        or "got Long" in message
        or "Found dtype Long" in message
    ):
        return ".float()"
    if "Using a target size" in message:
        shapes = re.findall(r"\[([\d, ]*)\]", message)
        if len(shapes) >= 2 and shapes[1].count(",") > shapes[0].count(","):
            return ".unsqueeze(1)"
        return ".squeeze(1)" if len(shapes) >= 2 and shapes[0].count(",") > shapes[1].count(",") else ""
    return ""


def batchnorm(fault: Fault) -> Hit | None:
    """BatchNorm in training with one sample."""
    case = fault.case
    call = _outer_call(case)
    line, text = (call.lineno, None) if call is not None else (fault.line, None)
    if call is not None:
        text = edits.insert_before(case.text, line, f"{case.source(call.func)}.eval()")
    why = "BatchNorm in training subtracts the mean of the batch and divides by its deviation. Of one sample the mean "
    why += "is the sample itself and the deviation is 0, so nothing would be left of it."
    advice = "Call model.eval() before single samples go through; in training use batches of two or more "
    advice += "(DataLoader(drop_last=True))."
    return fault.hit(fixes(("eval() first", text)), line, why, advice)


def _outer_call(case: Case) -> ast.Call | None:
    """The outermost call of a module that was running when the error came."""
    numbers = [int(each) for each in re.findall(r"line (\d+)", str(case.trace.errors.traceback[0]))]
    owners = {str(each) for each in case.trace.names.owner}
    for line in [*numbers, int(case.trace.errors.line[0])]:
        for node in case.on_line(line):
            if isinstance(node, ast.Call) and case.source(node.func) in owners:
                return node
    return None


def cuda(fault: Fault) -> Hit | None:
    """`.cuda()` on a computer without it."""
    case, offered = fault.case, []
    text: str | None = case.text
    for node in reversed(case.walked):
        if text is None:
            break
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"cuda(:\d+)?", node.value):
            text = edits.replace_node(text, node, '"cuda" if torch.cuda.is_available() else "cpu"')
        elif isinstance(node, ast.Call) and name_of(node) == "cuda" and receiver_of(node) is not None:
            held = receiver_of(node)
            if held is not None:
                code = f'{case.source(held)}.to("cuda" if torch.cuda.is_available() else "cpu")'
                text = edits.replace_node(text, node, code)
    offered.append(("on the processor where there is no CUDA", text))
    why = "The program asks for a graphics card of NVIDIA (CUDA), and this PyTorch has none to use."
    advice = 'Choose the device by what there is: "cuda" if torch.cuda.is_available() else "cpu".'
    return fault.hit(fixes(*offered), why=why, advice=advice)


def integer_leaf(fault: Fault) -> Hit | None:
    """Whole numbers can't require grad."""
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
    return fault.hit(())
