"""The arithmetic of optimizer steps, rounded as PyTorch's x86 kernels round it: which product is fused with which sum
decides the last bit. Pure functions over NumPy arrays of one floating type; `gradviz.torch.optim` orders them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.fused import fma

Array = NDArray[Any]


def _work(array: Array) -> Array:
    """The array in the type that the arithmetic is done in: half types in float32."""
    return array.astype(np.float32) if array.dtype.kind in "fV" and array.dtype.itemsize < 4 else array


def add(a: Array, b: Array, alpha: float) -> Array:
    """`a.add(b, alpha=alpha)`."""
    return fma(_work(b), alpha, _work(a)).astype(a.dtype, copy=False)


def scale(a: Array, factor: float) -> Array:
    """`a.mul(factor)`."""
    wide = _work(a)
    product: Array = wide * wide.dtype.type(factor)
    return product.astype(a.dtype, copy=False)


def addcmul(a: Array, first: Array, second: Array, value: float) -> Array:
    """`a.addcmul(first, second, value=value)`."""
    wide = _work(first)
    return fma(wide * wide.dtype.type(value), _work(second), _work(a)).astype(a.dtype, copy=False)


def addcdiv(a: Array, first: Array, second: Array, value: float) -> Array:
    """`a.addcdiv(first, second, value=value)`."""
    wide = _work(first)
    with np.errstate(divide="ignore", invalid="ignore"):
        total: Array = _work(a) + wide * wide.dtype.type(value) / _work(second)
    return total.astype(a.dtype, copy=False)


def lerp(a: Array, end: Array, weight: float) -> Array:
    """`a.lerp(end, weight)`: from the nearer of the two ends."""
    start, stop = _work(a), _work(end)
    difference = stop - start
    small = start.dtype.type(weight)
    if abs(weight) < 0.5:
        return fma(difference, small, start).astype(a.dtype, copy=False)
    return fma(-difference, start.dtype.type(1) - small, stop).astype(a.dtype, copy=False)


def root(a: Array, divisor: float = 1.0, eps: float = 0.0) -> Array:
    """`a.sqrt() / divisor + eps`, each rounded; the last bit of PyTorch's root (a vector library) may differ."""
    wide = _work(a)
    kind = wide.dtype.type
    value = np.sqrt(wide).astype(a.dtype, copy=False)
    if divisor != 1.0:
        value = (_work(value) / kind(divisor)).astype(a.dtype, copy=False)
    return (_work(value) + kind(eps)).astype(a.dtype, copy=False) if eps else value


def shift(a: Array, amount: float) -> Array:
    """`a.add(amount)`."""
    wide = _work(a)
    total: Array = wide + wide.dtype.type(amount)
    return total.astype(a.dtype, copy=False)
