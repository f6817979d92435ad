"""Jacobians for `gradcheck`: numerical ones by central differences and analytical ones by repeated passes, whole or
projected on a direction (`fast_mode`). What they are compared for is in `gradcheck.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.call import grad
from gradviz.engine.tensor import Tensor, wrap

Array = np.ndarray[Any, Any]
Direction = Tensor | tuple[Tensor, Tensor]  # of a complex input: of its real and of its imaginary part


def as_tuple(value: Any) -> tuple[Any, ...]:
    """What a function takes or returns, as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def tracked(values: Sequence[Any]) -> list[Tensor]:
    """The tensors that require grad."""
    return [each for each in values if isinstance(each, Tensor) and each.requires_grad]


def differentiable_outputs(found: Any) -> tuple[Tensor, ...]:
    """The outputs that require grad."""
    return tuple(each for each in as_tuple(found) if each.requires_grad)


def differentiable_types(found: Any) -> list[Tensor]:
    """The outputs that are tensors of floating point or complex numbers."""
    return [each for each in as_tuple(found) if isinstance(each, Tensor) and each.dtype.rank >= 2]


# --- numerical ---


def numerical(func: Callable[..., Any], inputs: Sequence[Any], x: Tensor, eps: float) -> list[Tensor]:
    """∂ each output / ∂ x, with a row for each element of x."""
    rows: list[list[Array]] = []
    for at in np.ndindex(x._data.shape):
        step = np.zeros(x._data.shape, x._data.dtype)
        step[at] = eps
        rows.append(_directional(func, inputs, x, (step, step * 1j), eps, f"on index {at} "))
    if not rows:
        outputs = as_tuple(func(*inputs))
        return [wrap(np.zeros((0, each.numel()), each._data.dtype)) for each in outputs]
    return [wrap(np.stack(column)) for column in zip(*rows, strict=True)]


def numerical_along(
    func: Callable[..., Any], inputs: Sequence[Any], x: Tensor, u: Direction, eps: float
) -> list[Tensor]:
    """The numerical Jacobian of each output times the direction `u`."""
    real, imaginary = u if isinstance(u, tuple) else (u, u)
    shape = x._data.shape
    steps = real._data.reshape(shape) * eps, imaginary._data.reshape(shape) * eps * 1j
    return [wrap(each) for each in _directional(func, inputs, x, steps, eps, "")]


def _directional(
    func: Callable[..., Any], inputs: Sequence[Any], x: Tensor, steps: tuple[Array, Array], eps: float, where: str
) -> list[Array]:
    """(f(x + step) − f(x − step)) / 2 eps for each output; of a complex x also along the imaginary step."""
    real = _difference(func, inputs, x, steps[0], eps, where)
    if not x.is_complex():
        return real
    return [a + b * 1j for a, b in zip(real, _difference(func, inputs, x, steps[1], eps, where), strict=True)]


def _difference(
    func: Callable[..., Any], inputs: Sequence[Any], x: Tensor, step: Array, eps: float, where: str
) -> list[Array]:
    if not x._data.flags.writeable:
        x._data = x._data.copy()
    before = x._data.copy()
    x._data[...] = before - step
    low = _values(func, inputs)
    x._data[...] = before + step
    high = _values(func, inputs)
    x._data[...] = before
    for a, b in zip(low, high, strict=False):
        for fact in ("shape", "dtype"):
            if getattr(a, fact) != getattr(b, fact):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {fact} when inputs are perturbed {where}by {eps},"
                    f" but got: {fact}s {getattr(a, fact)} and {getattr(b, fact)}."
                )
    return [((b._data - a._data) / a._data.dtype.type(2 * eps)).reshape(-1) for a, b in zip(low, high, strict=False)]


def _values(func: Callable[..., Any], inputs: Sequence[Any]) -> list[Tensor]:
    return [each.detach().clone() for each in as_tuple(func(*inputs))]


# --- analytical ---


def analytical(y: Tensor, xs: Sequence[Tensor]) -> list[Tensor]:
    """∂ y / ∂ each x, with a row for each element of x, by one backward pass for each element of y."""
    seeds = []
    for i in range(y.numel()):
        seed = np.zeros(y.numel(), y._data.dtype)
        seed[i] = 1
        seeds.append(wrap(seed.reshape(y._data.shape)))
    return _passes(y, xs, seeds)


def analytical_along(y: Tensor, xs: Sequence[Tensor], v: Tensor) -> list[Tensor]:
    """The gradient of v·y with respect to each x, as one column."""
    return _passes(y, xs, [v.reshape(y.shape)])


def _passes(y: Tensor, xs: Sequence[Tensor], seeds: Sequence[Tensor]) -> list[Tensor]:
    found = [grad(y, xs, seed, retain_graph=True, allow_unused=True) for seed in seeds]
    made = []
    for i, x in enumerate(xs):
        whole = np.zeros((x.numel(), len(seeds)), x._data.dtype)
        for j, gradients in enumerate(found):
            if gradients[i] is not None:
                whole[:, j] = gradients[i]._data.reshape(-1)
        made.append(wrap(whole))
    return made


def project(vj: Tensor, u: Direction) -> Tensor:
    """One column times a direction."""
    column = vj._data.reshape(-1)
    if isinstance(u, tuple):
        return wrap(np.asarray(column.real @ u[0]._data + 1j * (column.imag @ u[1]._data)))
    return wrap(np.asarray(column @ u._data))
