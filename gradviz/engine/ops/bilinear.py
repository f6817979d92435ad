"""bilinear: a form of two inputs, one matrix for each output."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.api import api
from gradviz.engine.apply import call
from gradviz.engine.formula import sentence
from gradviz.engine.ops.neural import in_single
from gradviz.engine.rows import OpRow, op
from gradviz.engine.tensor import Tensor


def _other(grad: Any, known: tuple[Any, Any], equation: str, at: int) -> Any:
    """The gradient of operand `at`: the same product with the gradient in its place and the result in the operand's."""
    operands, result = equation.split("->")
    names = operands.split(",")
    wanted, names[at] = names[at], result
    tensors = [*known[:at], grad, *known[at:]]
    return call(TRILINEAR, *tensors, equation=f"{','.join(names)}->{wanted}")


TRILINEAR: OpRow = op(
    "_trilinear",
    "i1, i2, i3",
    in_single(lambda x, w, y, *, equation: np.einsum(equation, x, w, y, optimize=True)),
    node="TrilinearBackward0",
    category="linear algebra",
    symbol="xᵀAy",
    latex=r"x^\top A_o\, y",
    brief="A form of two inputs, one matrix for each output.",
    i1=sentence("grad · A y", lambda grad, i2, i3, equation: _other(grad, (i2, i3), equation, 0)),
    i2=sentence("x yᵀ · grad", lambda grad, i1, i3, equation: _other(grad, (i1, i3), equation, 1)),
    i3=sentence("grad · Aᵀ x", lambda grad, i1, i2, equation: _other(grad, (i1, i2), equation, 2)),
)


def _check(x: Any, y: Any, w: Any, bias: Tensor | None) -> None:
    if len(x) != len(y):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(x)} and {len(y)}")
    for i, (n, m) in enumerate(zip(x[:-1], y[:-1], strict=True)):
        if n != m:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {n} and {m}")
    for name, n, m in (("input1", x[-1], w[1]), ("input2", y[-1], w[2])):
        if n != m:
            raise RuntimeError(f"bilinear(): {name} size does not match weight size: got {n} but expected {m}")
    if bias is not None and bias._data.shape[0] != w[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._data.shape[0]} but expected {w[0]}"
        )


@api("bilinear", where="torch F")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1ᵀ · weight[o] · input2 + bias[o] for each output o."""
    x, y, w = input1._data.shape, input2._data.shape, weight._data.shape
    _check(x, y, w, bias)
    flat = call(TRILINEAR, input1.reshape(-1, x[-1]), weight, input2.reshape(-1, y[-1]), equation="bi,oij,bj->bo")
    made: Tensor = flat.reshape(*x[:-1], w[0])
    return made if bias is None else made + bias
