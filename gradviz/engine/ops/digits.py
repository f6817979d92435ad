"""Operations on the way a number is written: whole divisors, mantissa and exponent, the neighbour in the type."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS, RESIZED, api
from gradviz.engine.apply import NO_PARAMS, call_all
from gradviz.engine.checks import only
from gradviz.engine.elementwise import Prepared, cast, check_broadcast, prepare_pair, register, result_type
from gradviz.engine.formula import sentence
from gradviz.engine.outputs import return_type
from gradviz.engine.overloads import check_operands
from gradviz.engine.rows import OpRow, op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def _whole(name: str, ufunc: Any, latex: str, brief: str) -> None:
    forward = only("iu", f"{name}_cpu", ufunc)
    row = op(name, "self, other", forward, category="arithmetic", symbol=name, latex=latex, brief=brief)
    register(lambda input, other: prepare_pair(row, input, other, NO_PARAMS, False), (name,))


_whole("gcd", np.gcd, r"\gcd(x, y)", "The greatest common divisor.")
_whole("lcm", np.lcm, r"\operatorname{lcm}(x, y)", "The least common multiple.")


def _narrowed(forward: Any) -> Any:
    """Small types by way of single precision, where NumPy has no function for them."""

    def computed(x: Any) -> Any:
        wide = x.astype(np.float32) if x.dtype.kind == "V" else x
        mantissa, exponent = forward(wide)
        return mantissa.astype(x.dtype), exponent.astype(np.int32)

    return computed


FREXP = op(
    "frexp",
    "self",
    _narrowed(np.frexp),
    outputs="mantissa, exponent",
    category="functions",
    symbol="frexp",
    latex=r"x = m 2^e",
    brief="Mantissa and exponent of each element.",
    self="grad / exp2(exponent)",
)


@api("frexp")
def frexp(input: Tensor) -> Any:
    """Mantissa and exponent of each element."""
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_type("frexp", ("mantissa", "exponent"))(*call_all(FREXP, input))


def _times_power(x: Any, y: Any) -> Any:
    return (x * np.power(x.dtype.type(2), y.astype(x.dtype))).astype(x.dtype)


LDEXP = op(
    "ldexp",
    "self, other",
    _times_power,
    category="arithmetic",
    symbol="·2ⁿ",
    latex=r"x \cdot 2^y",
    brief="Times a power of two.",
    self="grad * conj(pow(2.0, other))",
    other="scaled(grad * conj(result), log(2))",
)


def _prepare_ldexp(input: Any, other: Any) -> Prepared:
    check_operands("ldexp", input, other)
    target = result_type(input, other)
    target = target if target.rank >= 2 else dtypes.get_default_dtype()
    check_broadcast(input._data, other._data)
    shape, wide = input._data.shape, np.broadcast_shapes(input._data.shape, other._data.shape)
    if (
        shape != wide and input._data.size and input.dtype is target
    ):  # PyTorch writes the power into a tensor of the first one's shape
        warnings.warn(RESIZED.format(list(shape), list(wide)), UserWarning, stacklevel=4)
    return LDEXP, (input, other), (cast(input, target), cast(other, target)), NO_PARAMS


register(_prepare_ldexp, ("ldexp",))


NEXTAFTER: OpRow = op(
    "nextafter",
    "self, other",
    only("fV", "nextafter_cpu", np.nextafter),
    category="functions",
    symbol="next",
    brief="The next number towards another.",
    self=sentence("PyTorch has none", lambda grad, self, other: F["where"](self == other, 0, grad)),
    other=sentence("PyTorch has none", lambda grad, self, other: F["zeros_like"](other) if self is not None else grad),
)
register(lambda input, other: prepare_pair(NEXTAFTER, input, other, NO_PARAMS, False), ("nextafter",))
