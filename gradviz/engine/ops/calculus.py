"""Running sums and products along a dimension, and functions based on them and on differences: derivatives and
integrals of samples (`diff`, `gradient`, `trapezoid` and their relatives), composed of other operations as in
PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.derivatives import over, scaled
from gradviz.engine.ops.elementwise import NUMBERS
from gradviz.engine.ops.reduce import call_in, wrap_dim
from gradviz.engine.run.api import FUNCTIONS, api

F = FUNCTIONS


def _part(x: Tensor, dim: int, start: int | None, end: int | None) -> Tensor:
    """A range along `dim`, counted from either end."""
    low, high, _ = slice(start, end).indices(x._data.shape[dim])
    return x.narrow(dim, low, max(high - low, 0))


# --- differences ---


@api("diff")
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours along `dim`, `n` times, with `prepend` and `append` joined on first."""
    if not input._data.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not n and prepend is append is None:
        return F["zeros_like"](input).copy_(input)
    axis = wrap_dim(dim, input._data.ndim)
    for each in (prepend, append):
        if each is not None:
            _check_joined(input, each, axis)
    if not n:
        return F["zeros_like"](input).copy_(input)
    parts = [each for each in (prepend, input, append) if each is not None]
    input = F["cat"](parts, axis) if len(parts) > 1 else input
    for _ in range(min(n, input._data.shape[axis])):
        size = input._data.shape[axis] - 1
        right, left = input.narrow(axis, 1, size), input.narrow(axis, 0, size)
        input = F["logical_xor"](right, left) if input._data.dtype.kind == "b" else right - left
    return input


def _check_joined(input: Tensor, other: Tensor, dim: int) -> None:
    if other._data.ndim != input._data.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for d, (n, m) in enumerate(zip(other._data.shape, input._data.shape, strict=True)):
        if n != m and d != dim:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({d}) = {m}, but got tensor.size({d}) = {n}"
            )


# --- gradients of samples ---


def _joined(center: Tensor, first: Tensor, last: Tensor, dim: int) -> Tensor:
    return F["cat"]([first, center, last], dim)


def _even(x: Tensor, h: float, dim: int, edge_order: int) -> Tensor:
    """The gradient of evenly spaced samples."""

    def divided(value: Tensor, by: Any) -> Tensor:
        return value / by if isinstance(by, Tensor) else _over(value, by)

    if edge_order == 1:
        first = divided(_part(x, dim, 1, 2) - _part(x, dim, 0, 1), h)
        last = divided(_part(x, dim, -1, None) - _part(x, dim, -2, -1), h)
    else:
        first = _by_number(_part(x, dim, 0, 1), -1.5) + _by_number(_part(x, dim, 1, 2), 2)
        first = first - _by_number(_part(x, dim, 2, 3), 0.5)
        last = _by_number(_part(x, dim, -3, -2), 0.5) - _by_number(_part(x, dim, -2, -1), 2)
        last = last + _by_number(_part(x, dim, -1, None), 1.5)
        first, last = divided(first, h), divided(last, h)
    center = divided(divided(_part(x, dim, 2, None) - _part(x, dim, 0, -2), h), 2)
    return _joined(center, first, last, dim)


def _uneven(x: Tensor, at: Tensor, dim: int, edge_order: int) -> Tensor:
    """The gradient of samples at the coordinates `at`."""
    shape = [1] * x._data.ndim
    step = _part(at, 0, 1, None) - _part(at, 0, 0, -1)
    shape[dim] = max(step._data.shape[0] - 1, 0)
    left, right = _part(step, 0, 0, -1), _part(step, 0, 1, None)
    a = (-right / (left * (left + right))).reshape(shape)
    b = ((right - left) / (left * right)).reshape(shape)
    c = (left / (right * (left + right))).reshape(shape)
    center = a * _part(x, dim, 0, -2) + b * _part(x, dim, 1, -1) + c * _part(x, dim, 2, None)
    if edge_order == 1:
        first = (_part(x, dim, 1, 2) - _part(x, dim, 0, 1)) / step[0]
        last = (_part(x, dim, -1, None) - _part(x, dim, -2, -1)) / step[-1]
        return _joined(center, first, last, dim)
    p, q = step[0], step[1]
    first = -(2.0 * p + q) / (p * (p + q)) * _part(x, dim, 0, 1) + (p + q) / (p * q) * _part(x, dim, 1, 2)
    first = first + (-p) / (q * (p + q)) * _part(x, dim, 2, 3)
    p, q = step[-2], step[-1]
    last = q / (p * (p + q)) * _part(x, dim, -3, -2) - (p + q) / (p * q) * _part(x, dim, -2, -1)
    last = last + (2.0 * q + p) / (q * (p + q)) * _part(x, dim, -1, None)
    return _joined(center, first, last, dim)


@api("gradient", where="torch")
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivative of samples along each dimension: central differences inside, one-sided ones at the ends."""
    ndim = input._data.ndim
    several = isinstance(spacing, (list, tuple))
    given = [dim] if isinstance(dim, int) else None if dim is None else list(dim)
    _check_gradient(input, spacing, ndim if given is None else len(given), edge_order, dim is not None)
    dims = list(range(ndim)) if given is None else [wrap_dim(d, ndim) for d in given]
    tensors = several and any(isinstance(each, Tensor) for each in spacing)
    _check_dims(input, dims, edge_order)
    if tensors:
        _check_coordinates(spacing)
    steps: list[Any] = list(spacing) if several else [1 if spacing is None else spacing] * len(dims)
    if tensors:
        return tuple(_uneven(input, at, d, edge_order) for at, d in zip(steps, dims, strict=True))
    return tuple(_even(input, h, d, edge_order) for h, d in zip(steps, dims, strict=True))


def _check_gradient(input: Tensor, spacing: Any, count: int, edge_order: int, chosen: bool) -> None:
    if input._data.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if isinstance(spacing, (list, tuple)) and len(spacing) != count:
        if not chosen:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() "
                f"= {count}', since dim argument was not given, but got a list of length {len(spacing)}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
            f"the same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{count}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")


def _check_dims(input: Tensor, dims: list[int], edge_order: int) -> None:
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    for d in dims:
        if input._data.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")


def _check_coordinates(spacing: Sequence[Tensor]) -> None:
    for at in spacing:
        if at._data.ndim != 1:
            raise RuntimeError(
                f"torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{at._data.ndim} dimensions!"
            )


# --- integrals ---


def _widths(y: Tensor, x: Tensor, dim: int, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """The distances of the samples, and the samples to the left and to the right of each."""
    count = y._data.shape[dim]
    if x._data.ndim == 1 and x._data.shape[0] != count:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    if x._data.ndim == 1 and y._data.ndim != 1:
        shape = [1] * y._data.ndim
        shape[dim] = count
        x = x.view(shape)
    elif x._data.ndim < y._data.ndim:
        x = x.view([1] * (y._data.ndim - x._data.ndim) + list(x._data.shape))
    step = _part(x, dim, 1, None) - _part(x, dim, 0, -1)
    return step, _part(y, dim, 0, -1), _part(y, dim, 1, None)


def _zeros_without(y: Tensor, dim: int) -> Tensor:
    shape = list(y._data.shape)
    del shape[dim]
    return y.new_zeros(shape)


def _checked(y: Tensor, x: Tensor | None, dx: float | None, dim: int, name: str) -> int:
    if x is not None and (y.dtype.rank == 0 or x.dtype.rank == 0):
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    if x is None and y.dtype.rank == 0:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    if not y._data.ndim:
        if name == "cumulative_trapezoid":
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, y._data.ndim)


@api("trapezoid", "trapz", where="torch")
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral by trapezoids."""
    axis = _checked(y, x, dx, dim, "trapezoid")
    if not y._data.shape[axis]:
        return _zeros_without(y, axis)
    if x is not None:
        step, left, right = _widths(y, x, axis, "trapezoid")
        return _over(((left + right) * step).sum(axis), 2.0)
    ends = y.select(axis, 0) + y.select(axis, -1)
    return _by_number(y.sum(axis) - _by_number(ends, 0.5), 1.0 if dx is None else dx)


@api("cumulative_trapezoid", where="torch")
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The running integral by trapezoids."""
    axis = _checked(y, x, dx, dim, "cumulative_trapezoid")
    if x is not None:
        step, left, right = _widths(y, x, axis, "cumulative_trapezoid")
        return _over(((left + right) * step).cumsum(axis), 2.0)
    pairs = _part(y, axis, 0, -1) + _part(y, axis, 1, None)
    found = _by_number(pairs, (1.0 if dx is None else dx) / 2.0).cumsum(axis)
    return found


def _over(x: Tensor, number: float) -> Tensor:
    return over(x, number) if x.dtype.rank >= 2 else x / number


def _by_number(x: Tensor, number: float) -> Tensor:
    plain = isinstance(number, NUMBERS) and x.dtype.rank >= 2
    return scaled(x, number) if plain else x * number


def _reversed_cumsum(x: Tensor, dim: int) -> Tensor:
    return x.flip(dim).cumsum(dim).flip(dim) if x._data.ndim else x


def _cumulative(ufunc: np.ufunc) -> Any:
    def forward(x: Array, *, dim: int) -> Array:
        axis = wrap_dim(dim, x.ndim)
        made = np.int64 if x.dtype.kind in "iub" else x.dtype
        wide = np.float64 if x.dtype.kind in "fV" else made  # as PyTorch accumulates it
        found = ufunc.accumulate(x, axis=axis, dtype=wide) if x.ndim else x.astype(wide)
        if ufunc is np.add:
            found = found + found.dtype.type(0)  # it starts from 0: there is no sum of −0
        return found.astype(made, copy=False)

    return forward


CUMSUM = op(
    "cumsum",
    "self",
    _cumulative(np.add),
    category="reductions",
    symbol="cumsum",
    latex=r"\sum_{j \le i} x_j",
    brief="Running sums.",
    self=sentence("running sums of grad from the end", lambda grad, dim: _reversed_cumsum(grad, dim)),
)
CUMPROD = op(
    "cumprod",
    "self",
    _cumulative(np.multiply),
    category="reductions",
    symbol="cumprod",
    latex=r"\prod_{j \le i} x_j",
    brief="Running products.",
    self=sentence(
        "Σ over the running products that hold the element: grad · the product of their other elements",
        lambda grad, self, result, dim: _cumprod_grad(grad, self, result, dim),
    ),
)


def _cumprod_grad(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    if not (self._data == 0).any() or not self._data.ndim:
        return _reversed_cumsum(grad * conj(result), dim) / conj(self) if self._data.ndim else grad
    axis = wrap_dim(dim, self.ndim)
    self = conj(self)
    parts = []
    for i in range(self.shape[axis]):  # for each element: the products that leave it out
        head = self.narrow(axis, 0, i).prod(axis, keepdim=True) if i else 1
        tail = F["cat"](
            [self.narrow(axis, 0, 1) * 0 + 1, self.narrow(axis, i + 1, self.shape[axis] - i - 1)], axis
        ).cumprod(axis)
        parts.append((grad.narrow(axis, i, self.shape[axis] - i) * tail * head).sum(axis, keepdim=True))
    return F["cat"](parts, axis)


def refuse_running(name: str, input: Tensor, dtype: object) -> None:
    """Refuse running sums and products in booleans."""
    if dtype is dtypes.bool_ and input._data.ndim:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")


@api("cumsum")
def cumsum(input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """Running sums along `dim`."""
    refuse_running("cumsum", input, dtype)
    return call_in(CUMSUM, input, dtype, dim=dim)


@api("cumprod")
def cumprod(input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """Running products along `dim`."""
    refuse_running("cumprod", input, dtype)
    return call_in(CUMPROD, input, dtype, dim=dim)
