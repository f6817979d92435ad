"""What the rows of neural networks share: operations with a Python number that save nothing, checks of types,
reductions of losses, and work in float32 for the half types. None of these functions has a public name; see
`activation.py` and `loss.py` next.

Numbers as operands, `plus` to `over`: Note [Numbers that are not saved] in `derivatives.py`."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, ArrayOrScalar, Kernel
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.sums import total
from gradviz.engine.ops.compare import CLAMP_MIN
from gradviz.engine.ops.derivatives import over
from gradviz.engine.ops.shape import ALIAS
from gradviz.engine.run.api import FUNCTIONS
from gradviz.engine.run.apply import call, call_all
from gradviz.engine.run.arguments import kind_name
from gradviz.engine.run.autograd import grad

F = FUNCTIONS


def at_least(x: Tensor, number: float) -> Tensor:
    """max(x, number); see Note [Numbers that are not saved]."""
    return call(CLAMP_MIN, x, min=number)


# --- formulas and types ---


def formula(names: str, fn: Callable[..., object]) -> Callable[..., object]:
    """`fn(*values)` as a gradient formula that asks for the values called `names`."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD

    def asked(*values: object) -> object:
        return fn(*values)

    asked.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name.strip(), kind) for name in names.split(",")]
    )
    return asked


def not_differentiable(name: str) -> Callable[[Tensor], None]:
    """The formula of an operation whose derivative PyTorch does not have."""

    def refuse(grad: Tensor) -> None:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return refuse


def is_half(x: Array) -> bool:
    """Whether the elements are float16 or bfloat16."""
    return bool(x.dtype.itemsize == 2 and x.dtype.kind in "fV")


def in_single(forward: Kernel) -> Kernel:
    """A forward that computes half types in float32 and rounds once at the end."""

    @functools.wraps(forward)
    def run(*arrays: Array | None, **params: object) -> object:
        for x in arrays:
            if x is not None and x.dtype.itemsize == 2 and is_half(x):
                target = x.dtype
                break
        else:
            return forward(*arrays, **params)
        made = forward(*(x.astype(np.float32) if x is not None and is_half(x) else x for x in arrays), **params)
        if isinstance(made, tuple):
            return tuple(_narrow(each, target) for each in made)
        return _narrow(made, target)

    return run


def _narrow(x: Array, target: np.dtype[np.generic]) -> Array:
    return x.astype(target) if x.dtype == np.float32 else x


def need_tensor(value: Tensor, function: str, name: str = "input", position: int = 1) -> None:
    """Refuse anything but a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{function}(): argument '{name}' (position {position}) must be Tensor, not {kind_name(value)}")


def need_line(input: Tensor, name: str) -> None:
    """Refuse anything but (C, L) or (N, C, L)."""
    need_tensor(input, name)
    ndim = input._data.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )


def need_constants(function: str, **operands: Tensor | None) -> None:
    """Refuse gradients with respect to operands that PyTorch has no derivative for."""
    for name, each in operands.items():
        if each is not None and each._requires_grad and state.grad:
            raise RuntimeError(
                f"The function '{function}' is not differentiable with respect to argument '{name}'. "
                "This input cannot have requires_grad True."
            )


def need_floats(x: Tensor, kernel: str) -> None:
    """Refuse types that PyTorch's kernel does not support."""
    if x.dtype.rank != 2:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{x.dtype.title}'")


def check_mixed(input: Tensor, parameter: Tensor | None) -> None:
    """Refuse a parameter of a norm that has another type; half types may be combined with float32."""
    if parameter is None or parameter.dtype is input.dtype:
        return
    if parameter.dtype is not dtypes.float32:
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if input.dtype not in (dtypes.float16, dtypes.bfloat16):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


# --- gradients as a single operation ---

Gradients = Callable[..., Sequence["Tensor | None"]]  # those of the operands, of each if it is wanted


def _again(
    fn: Gradients, kept: Sequence[int], grads: Sequence[Tensor | None], tensors: list[Any], rest: Sequence[object]
) -> list[int | None]:
    """The gradients of `fn(*tensors, *rest)` with respect to those of its operands that are `kept`."""
    inner = [i for i in kept if tensors[i] is not None and tensors[i]._requires_grad]
    create, count = state.grad, len(tensors)
    with unseen(True):
        for i in inner:  # an alias each, so that no operand is reached through the history of another
            tensors[i] = call(ALIAS, tensors[i])
        found = [each for each in fn(*tensors, *rest) if each is not None]
        pairs = [(y, g) for y, g in zip(found, grads, strict=True) if g is not None and y._requires_grad]
        made = grad(
            [y for y, _ in pairs],
            [tensors[i] for i in inner],
            [g for _, g in pairs],
            create_graph=create,
            allow_unused=True,
        )
    at = dict(zip(inner, made, strict=True))
    return [at.get(i) for i in range(count)]


def one_gradient(
    name: str,
    inputs: str,
    params: str,
    fn: Gradients,
    *,
    fixed: str = "",
    symbol: str,
    node: str | None = None,
) -> Gradients:
    """A gradient in tensor operations, `fn(*inputs, wanted, *params)`, that is recorded as a single operation: PyTorch
    has one backward function for it. To differentiate it, `fn` runs again with history. Returns the function to call
    instead of `fn`."""
    names = [each.strip() for each in params.split(",") if each.strip()]
    count = len(inputs.split(","))
    kept = [i for i, each in enumerate(inputs.split(",")) if each.strip() not in fixed.replace(" ", "").split(",")]

    def forward(*arrays: Array | None, wanted: Sequence[bool], **given: object) -> tuple[Array, ...]:
        with unseen(False):
            found = fn(*(None if x is None else wrap(x) for x in arrays), wanted, *(given[n] for n in names))
        return tuple(each._data for each in found if each is not None)

    def again(grads: Sequence[Tensor | None], *values: object) -> list[int | None]:
        return _again(fn, kept, grads, list(values[:count]), values[count:])

    row = op(
        name,
        inputs,
        forward,
        node=node,
        outputs="result, others",
        category="layers",
        symbol=f"{symbol}′",
        latex="g",
        brief="The gradients of an operation, at once.",
        fixed=fixed,
        joint=formula(f"grads, {inputs}, wanted, {params}".rstrip(", "), again),
    )

    def run(*values: Any) -> Sequence[Tensor | None]:
        if not state.grad:
            return fn(*(x.float() if isinstance(x, Tensor) and is_half(x._data) else x for x in values))
        tensors, wanted, rest = values[:count], tuple(values[count]), values[count + 1 :]
        made = iter(call_all(row, *tensors, wanted=wanted, **dict(zip(names, rest, strict=True))))
        return tuple(next(made) if want else None for want in wanted)

    return run


@contextmanager
def unseen(tracked: bool) -> Iterator[None]:
    """Inside, gradient mode is as given and nothing is reported."""
    before = state.grad, state.observer
    state.grad, state.observer = tracked, None
    try:
        yield
    finally:
        state.grad, state.observer = before


# --- losses ---

REDUCTIONS = ("none", "mean", "sum")


def need_reduction(reduction: str) -> None:
    """Refuse an unknown reduction."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")


def chosen_reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, checked; the deprecated arguments choose it with a warning."""
    if size_average is None and reduce is None:
        if reduction == "elementwise_mean":
            told = "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead."
            warnings.warn(told, stacklevel=4)
            return "mean"
        need_reduction(reduction)
        return reduction
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    found = "none" if not reduce else "mean" if size_average else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.", stacklevel=4
    )
    return found


def reduced(x: Tensor, reduction: str) -> Tensor:
    """All elements, their mean or their sum, by operations with nodes of their own."""
    if reduction == "none":
        return x
    return x.mean() if reduction == "mean" else x.sum()


def reduced_array(x: Array, reduction: str) -> ArrayOrScalar:
    """Like `reduced`, within a forward."""
    if reduction == "none":
        return x
    summed = total(x)
    return summed if reduction == "sum" else summed / x.dtype.type(x.size) if x.size else x.dtype.type(np.nan)


def share(grad: Tensor, shape: Sequence[int], reduction: str) -> Tensor:
    """The part of the gradient of the reduced loss that each element receives."""
    if reduction == "mean":
        count = 1
        for n in shape:
            count *= n
        return over(grad, count)
    return grad
