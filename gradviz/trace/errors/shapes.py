"""Explained errors of shapes and types: which operands they were, and what shape was probably meant."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from gradviz.trace.errors.explanation import ErrorExplanation, Match, Row, error_line, on_line
from gradviz.trace.spoken import operands, receiver

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

_Shape = tuple[int, ...]
_PRODUCTS = ("mm", "matmul", "bmm", "mv", "dot", "addmm", "linear")


def _product(trace: Trace) -> list[tuple[str, _Shape]]:
    """(name, shape) of the operands of the matrix product that failed; [] when they are not found."""
    frame = trace.frame_at(len(trace))
    found = operands(trace, error_line(trace), _PRODUCTS, ast.MatMult)
    return [(frame.name(each), tuple(trace.tensors.shape[each])) for each in found]


def _not_a_matrix(trace: Trace, match: Match) -> ErrorExplanation | None:
    which = 0 if match[1] in ("self", "mat1", "input") else 1
    known = _product(trace)
    if len(known) < 2 or len(known[which][1]) != 1:
        why = (
            f"torch.mm multiplies two matrices; its {('first', 'second')[which]} operand does not have two dimensions."
        )
        fix = "Give it two dimensions, for example with unsqueeze(), or use torch.matmul."
        return ErrorExplanation(why, fix, (), error_line(trace))
    (name, shape), (_, other) = known[which], known[1 - which]
    size = shape[0]
    meant = (1, size) if which == 0 else (size, 1)
    why = f"torch.mm multiplies two matrices, but its {('first', 'second')[which]} operand {name} has shape {shape}: "
    why += f"a vector of {size} elements, with one dimension."
    first, second = (meant, other) if which == 0 else (other, meant)
    result = ""
    if len(other) == 2 and first[1] == second[0]:
        result = f": {first} times {second} gives {(first[0], second[1])}"
    why += f" A {'row' if which == 0 else 'column'} of shape {meant} was meant{result}."
    fix = f"Make it {meant}{on_line(error_line(trace))}, for example with .unsqueeze({0 if which == 0 else 1})."
    return ErrorExplanation(why, fix, (), error_line(trace))


def _inner_sizes(trace: Trace, match: Match) -> ErrorExplanation | None:
    a, b = (int(match[1]), int(match[2])), (int(match[3]), int(match[4]))
    names = [name for name, _ in _product(trace)][:2]
    left, right = names if len(names) == 2 else ("the first operand", "the second operand")
    why = f"The inner sizes must be equal: {left} is {a}, with {a[1]} columns, but {right} is {b}, with {b[0]} rows."
    hints = []
    if a[1] == b[1]:
        hints.append(f"transpose the second ({right}.t(): {a} times {b[::-1]} gives {(a[0], b[0])})")
    if a[0] == b[0]:
        hints.append(f"transpose the first ({left}.t(): {a[::-1]} times {b} gives {(a[1], b[1])})")
    if a[0] == b[1]:
        hints.append(f"swap them ({b} times {a} gives {(b[0], a[1])})")
    fix = f"{', or '.join(hints) or 'Change one of the two sizes'}{on_line(error_line(trace))}."
    return ErrorExplanation(why, fix[0].upper() + fix[1:], (), error_line(trace))


def _broadcast(trace: Trace, match: Match) -> ErrorExplanation | None:
    a, b, dim = match[1], match[2], match[3]
    why = f"The two operands do not fit together: in dimension {dim} one has {a} elements and the other {b}."
    why += " Shapes are compared from the right; sizes must be equal, or one of them 1."
    return ErrorExplanation(
        why, "Reshape one of them, or add a dimension of size 1 with unsqueeze().", (), error_line(trace)
    )


def _gradient_shape(trace: Trace, match: Match) -> ErrorExplanation | None:
    line = error_line(trace)
    root = receiver(trace, line, "backward")
    name = trace.frame_at(len(trace)).name(root) if root >= 0 else "the root"
    given, wanted = _size(match[1]), _size(match[2])
    why = f"The gradient that was passed has shape {given}, but {name} has shape {wanted}: "
    why += "one weight is needed per element."
    return ErrorExplanation(why, f"Pass a gradient of shape {wanted}{on_line(line)}.", (), line)


def _size(text: str) -> _Shape:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _one_element(trace: Trace, match: Match) -> ErrorExplanation | None:
    why = f"A tensor of {match[1]} elements can't become one Python number."
    return ErrorExplanation(
        why, "Reduce it first, for example with .sum() or .mean(), or use .tolist().", (), error_line(trace)
    )


def _two_types(trace: Trace, match: Match) -> ErrorExplanation | None:
    why = (
        f"The operands of the product have different types, {match[1]} and {match[2]}; a product does not convert them."
    )
    return ErrorExplanation(why, "Convert one of them, for example with .float() or .double().", (), error_line(trace))


def _truth(trace: Trace, match: Match) -> ErrorExplanation | None:
    why = "A tensor of several elements is neither true nor false."
    return ErrorExplanation(why, "Use .any() or .all(), or compare with torch.equal().", (), error_line(trace))


SHAPE_ROWS: tuple[Row, ...] = (
    (r"^(self|mat1|mat2|input) must be a matrix", _not_a_matrix),
    (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", _inner_sizes),
    (
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        _broadcast,
    ),
    (
        r"Mismatch in shape: grad_output\[\d+\] has a shape of (\S.*?\)) and output\[\d+\] has a shape of (\S.*?\))",
        _gradient_shape,
    ),
    (r"a Tensor with (\d+) elements cannot be converted to Scalar", _one_element),
    (r"expected m1 and m2 to have the same dtype, but got: (\S+) != (\S+)", _two_types),
    (r"expected both vectors to have same dtype, but found (\S+) and (\S+)", _two_types),
    (r"mat1 and mat2 must have the same dtype, but got (\S+) and (\S+)", _two_types),
    (r"Boolean value of Tensor with more than one value is ambiguous", _truth),
)
