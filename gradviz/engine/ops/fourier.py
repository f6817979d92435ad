"""`torch.fft`: discrete Fourier transforms of real and complex numbers in any number of dimensions, as the three
transforms that PyTorch has underneath (real to complex, complex to real, complex to complex), and the preparation of
their input. Short-time transforms are in `signal.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.overflow import OF_FFT
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.creation import check_device, made
from gradviz.engine.ops.reduce import wrap_dim
from gradviz.engine.run.api import FFT, FUNCTIONS, api
from gradviz.engine.run.apply import call

F = FUNCTIONS
Dims = tuple[int, ...]

# --- the three transforms ---


def _factor(normalization: int, count: int) -> float:
    """0: unchanged, 1: divided by √n, 2: divided by n."""
    return 1.0 if normalization == 0 else 1 / math.sqrt(count) if normalization == 1 else 1 / count


def _scaled(x: Array, dims: Dims, shape: Sequence[int], normalization: int, target: np.dtype[np.generic]) -> Array:
    factor = _factor(normalization, math.prod(shape[d] for d in dims))
    x = x.astype(target, copy=False)
    return x if factor == 1 else x * target.type(factor)


def _laid_out(found: Array, x: Array, dims: Sequence[int]) -> Array:
    """A result in the memory order of PyTorch's library: first the other dimensions as they are ordered in the input,
    then the transformed ones."""
    others = sorted((d for d in range(x.ndim) if d not in dims), key=lambda d: -x.strides[d])
    order = [*others, *dims]
    return np.ascontiguousarray(found.transpose(order)).transpose(np.argsort(order))


def _by_stride(x: Array, dims: Sequence[int]) -> list[int]:
    return sorted(dims, key=lambda d: -x.strides[d])


def _c2c(x: Array, *, dim: Dims, normalization: int, forward: bool) -> Array:
    if not dim:
        return x.copy()
    transform: Any = np.fft.fftn if forward else np.fft.ifftn
    found = transform(x, axes=dim, norm="backward" if forward else "forward")
    return _laid_out(_scaled(found, dim, x.shape, normalization, x.dtype), x, _by_stride(x, dim))


def _r2c(x: Array, *, dim: Dims, normalization: int, onesided: bool) -> Array:
    transform: Any = np.fft.rfftn if onesided else np.fft.fftn
    target = np.dtype(np.complex128 if x.dtype.itemsize == 8 else np.complex64)
    found = _scaled(transform(x, axes=dim), dim, x.shape, normalization, target)
    return _laid_out(found, x, [*_by_stride(x, dim[:-1]), dim[-1]])


def _c2r(x: Array, *, dim: Dims, normalization: int, last_dim_size: int) -> Array:
    shape = [*x.shape]
    shape[dim[-1]] = last_dim_size
    transform: Any = OF_FFT["irfftn"]
    target = np.dtype(np.float64 if x.dtype.itemsize == 16 else np.float32)
    found = _scaled(
        transform(x, s=[shape[d] for d in dim], axes=dim, norm="forward"), dim, shape, normalization, target
    )
    if len(dim) > 1:  # PyTorch transforms the other dimensions first, which reorders the memory
        x = _laid_out(x, x, _by_stride(x, dim[:-1]))
    return _laid_out(found, x, dim[-1:])


def _r2c_grad(grad: Tensor, self: Tensor, dim: Dims, normalization: int, onesided: bool) -> Tensor:
    last = dim[-1]
    missing = self.shape[last] - grad.shape[last]
    if onesided and missing:
        wide = [*grad.shape]
        wide[last] = self.shape[last]
        whole = grad.new_zeros(wide)
        whole.narrow(last, 0, grad.shape[last]).copy_(grad)
        grad = whole
    return F["real"](call(C2C, grad, dim=dim, normalization=normalization, forward=False))


def _c2r_grad(grad: Tensor, dim: Dims, normalization: int) -> Tensor:
    found = call(R2C, grad, dim=dim, normalization=normalization, onesided=True)
    twice = grad.shape[dim[-1]] - found.shape[dim[-1]]
    if twice > 0:
        found.narrow(dim[-1], 1, twice).mul_(2)
    return found


_KIND: dict[str, Any] = {"category": "fourier", "symbol": "FFT"}
C2C: OpRow = op(
    "_fft_c2c",
    "self",
    _c2c,
    node="FftC2CBackward0",
    latex=r"\sum_n x_n e^{-2 \pi i k n / N}",
    brief="The Fourier transform of complex numbers.",
    self=sentence(
        "the transform of grad in the other direction",
        lambda grad, dim, normalization, forward: call(
            C2C, grad, dim=dim, normalization=normalization, forward=not forward
        ),
    ),
    **_KIND,
)
R2C = op(
    "_fft_r2c",
    "self",
    _r2c,
    node="FftR2CBackward0",
    latex=r"\sum_n x_n e^{-2 \pi i k n / N}",
    brief="The Fourier transform of real numbers.",
    self=sentence("the real part of grad, transformed in the other direction", _r2c_grad),
    **_KIND,
)
C2R = op(
    "_fft_c2r",
    "self",
    _c2r,
    node="FftC2RBackward0",
    latex=r"\sum_k X_k e^{2 \pi i k n / N}",
    brief="Real numbers from half of their Fourier transform.",
    self=sentence("the transform of grad, twice where a conjugate was left out", _c2r_grad),
    **_KIND,
)

# --- shared by the functions ---


def _promoted(x: Tensor, is_complex: bool = False) -> Tensor:
    if x.dtype.is_complex:
        return x
    target = x.dtype if x.dtype.is_floating_point else dtypes.get_default_dtype()
    if target not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"Unsupported dtype {target.title}")
    if is_complex:
        target = target.to_complex()
    return x if x.dtype is target else x.to(target)


def _mode(norm: str | None, forward: bool) -> int:
    if norm in (None, "backward"):
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm == "ortho":
        return 1
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _check_points(n: int) -> None:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _axis(dim: int, ndim: int) -> int:
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return dim % ndim


def _resized(x: Tensor, dims: Dims, sizes: Sequence[int]) -> Tensor:
    """Cut or zero-padded to `sizes` along `dims`."""
    padding = [0] * (2 * x._data.ndim)
    shape = x._data.shape
    for dim, size in zip(dims, sizes, strict=True):
        if shape[dim] < size:
            padding[-2 * dim - 1] = size - shape[dim]
        elif shape[dim] > size:
            x = x.narrow(dim, 0, size)
    return F["constant_pad_nd"](x, padding) if any(padding) else x


def _geometry(x: Tensor, s: Any, dim: Any) -> tuple[Dims, list[int]]:
    """The dimensions to transform and their sizes, from the arguments of an n-dimensional transform."""
    ndim, shape = x._data.ndim, x._data.shape
    dims = None if dim is None else tuple(_axis(d, ndim) for d in ((dim,) if isinstance(dim, int) else dim))
    sizes = None if s is None else [s] if isinstance(s, int) else list(s)
    if dims is not None and len(set(dims)) != len(dims):
        raise RuntimeError("FFT dims must be unique")
    if sizes is not None:
        if dims is None:
            if len(sizes) > ndim:
                raise RuntimeError(f"Got shape with {len(sizes)} values but input tensor only has {ndim} dimensions.")
            dims = tuple(range(ndim - len(sizes), ndim))
        if len(dims) != len(sizes):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        sizes = [shape[d] if n == -1 else n for d, n in zip(dims, sizes, strict=True)]
    else:
        dims = tuple(range(ndim)) if dims is None else dims
        sizes = [shape[d] for d in dims]
    for n in sizes:
        _check_points(n)
    return dims, sizes


def _need_real(x: Tensor, name: str, how: str) -> None:
    if x.dtype.is_complex:
        raise RuntimeError(f"{name} expects a {how} tensor, but got {x.dtype.title}")


def _half_geometry(x: Tensor, s: Any, dim: object, name: str) -> tuple[Dims, list[int], int]:
    """Like `_geometry`, for a transform to real numbers; and the size of its last dimension."""
    dims, sizes = _geometry(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    given = None if s is None else s if isinstance(s, int) else s[-1]
    last = 2 * (x._data.shape[dims[-1]] - 1) if given in (None, -1) else sizes[-1]
    _check_points(last)
    sizes[-1] = last // 2 + 1
    return dims, sizes, last


# --- in one dimension ---


def _to_complex(x: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    x = _promoted(x, is_complex=True)
    axis = _axis(dim, x._data.ndim)
    size = x._data.shape[axis] if n is None else n
    _check_points(size)
    if n is not None:
        x = _resized(x, (axis,), (n,))
    return call(C2C, x, dim=(axis,), normalization=_mode(norm, forward), forward=forward)


def _from_real(
    name: str, x: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, onesided: bool
) -> Tensor:
    _need_real(x, name, "real input")
    x = _promoted(x)
    axis = _axis(dim, x._data.ndim)
    _check_points(x._data.shape[axis] if n is None else n)
    if n is not None:
        x = _resized(x, (axis,), (n,))
    found = call(R2C, x, dim=(axis,), normalization=_mode(norm, forward), onesided=onesided)
    return found if forward else conj(found)


def _to_real(x: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    x = _promoted(x, is_complex=True)
    axis = _axis(dim, x._data.ndim)
    size = 2 * (x._data.shape[axis] - 1) if n is None else n
    _check_points(size)
    if n is not None:
        x = _resized(x, (axis,), (n // 2 + 1,))
    mode = _mode(norm, forward)
    return call(C2R, conj(x) if forward else x, dim=(axis,), normalization=mode, last_dim_size=size)


@api("fft", where="fft")
def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The Fourier transform along one dimension."""
    if input.dtype.is_complex:
        return _to_complex(input, n, dim, norm, True)
    return _from_real("fft", input, n, dim, norm, True, False)


@api("ifft", where="fft")
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`."""
    if input.dtype.is_complex:
        return _to_complex(input, n, dim, norm, False)
    return _from_real("ifft", input, n, dim, norm, False, False)


@api("rfft", where="fft")
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The half of `fft` that is enough for real numbers."""
    return _from_real("rfft", input, n, dim, norm, True, True)


@api("irfft", where="fft")
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `rfft`."""
    return _to_real(input, n, dim, norm, False)


@api("hfft", where="fft")
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real transform of a signal that is its own conjugate backwards, given by half of it."""
    return _to_real(input, n, dim, norm, True)


@api("ihfft", where="fft")
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`."""
    return _from_real("ihfft", input, n, dim, norm, False, True)


# --- in several dimensions ---


def _several(x: Tensor, s: object, dim: object, norm: str | None, forward: bool) -> Tensor:
    x = _promoted(x, is_complex=True)
    dims, sizes = _geometry(x, s, dim)
    x = _resized(x, dims, sizes)
    return call(C2C, x, dim=dims, normalization=_mode(norm, forward), forward=forward)


def _rfftn(input: Tensor, s: object = None, dim: object = None, norm: str | None = None) -> Tensor:
    _need_real(input, "rfftn", "real-valued input")
    x = _promoted(input)
    dims, sizes = _geometry(x, s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    return call(R2C, _resized(x, dims, sizes), dim=dims, normalization=_mode(norm, True), onesided=True)


def _irfftn(input: Tensor, s: object = None, dim: object = None, norm: str | None = None) -> Tensor:
    x = _promoted(input, is_complex=True)
    dims, sizes, last = _half_geometry(x, s, dim, "irfftn")
    x = _resized(x, dims, sizes)
    return call(C2R, x, dim=dims, normalization=_mode(norm, False), last_dim_size=last)


def _hfftn(input: Tensor, s: object = None, dim: object = None, norm: str | None = None) -> Tensor:
    x = _promoted(input, is_complex=True)
    dims, sizes, last = _half_geometry(x, s, dim, "hfftn")
    x = _resized(x, dims, sizes)
    mode = _mode(norm, True)
    if len(dims) > 1:
        x = call(C2C, x, dim=dims[:-1], normalization=mode, forward=True)
    return call(C2R, conj(x), dim=dims[-1:], normalization=mode, last_dim_size=last)


def _ihfftn(input: Tensor, s: object = None, dim: object = None, norm: str | None = None) -> Tensor:
    if input.dtype.is_complex:
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {input.dtype.title}")
    x = _promoted(input)
    dims, sizes = _geometry(x, s, dim)
    if not dims:
        raise RuntimeError("ihfftn must transform at least one axis")
    mode = _mode(norm, False)
    half = call(R2C, _resized(x, dims, sizes), dim=dims[-1:], normalization=mode, onesided=True)
    if len(dims) == 1:
        return conj(half)
    return call(C2C, half.conj_physical(), dim=dims[:-1], normalization=mode, forward=False)


def _offer(name: str, transform: Kernel) -> None:
    """`fftn` and its form for two dimensions, `fft2`."""

    @api(f"{name}n", where="fft")
    def several(input: Tensor, s: tuple[int, ...] | None = None, dim: object = None, norm: str | None = None) -> Tensor:
        found: Tensor = transform(input, s, dim, norm)
        return found

    @api(f"{name}2", where="fft")
    def two(input: Tensor, s: tuple[int, ...] | None = None, dim: object = (-2, -1), norm: str | None = None) -> Tensor:
        found: Tensor = transform(input, s, dim, norm)
        return found


_offer("fft", lambda input, s, dim, norm: _several(input, s, dim, norm, True))
_offer("ifft", lambda input, s, dim, norm: _several(input, s, dim, norm, False))
_offer("rfft", _rfftn)
_offer("irfft", _irfftn)
_offer("hfft", _hfftn)
_offer("ihfft", _ihfftn)

# --- frequencies ---


def _turned(input: Tensor, dim: int | None, shifts: Kernel) -> Tensor:
    ndim = input._data.ndim
    dims = [wrap_dim(d, ndim) for d in (range(ndim) if dim is None else (dim,) if isinstance(dim, int) else dim)]
    return input.roll(tuple(shifts(input._data.shape[d]) for d in dims), tuple(dims))


api("fftshift", where="fft")(lambda input, dim=None: _turned(input, dim, lambda n: n // 2))
api("ifftshift", where="fft")(lambda input, dim=None: _turned(input, dim, lambda n: (n + 1) // 2))


def _frequencies(name: str, numbers: Kernel) -> None:
    @api(name, where="fft")
    def frequencies(
        n: int,
        d: float = 1.0,
        *,
        out: Any = None,
        dtype: dtypes.dtype | None = None,
        device: object = None,
        requires_grad: bool = False,
    ) -> Tensor:
        """The frequencies that the elements of a transform belong to."""
        check_device(device)
        kind = dtypes.get_default_dtype() if dtype is None else dtype
        found = numbers(n).astype(kind.np) * kind.np.type(1.0 / (n * d))
        return made(found, requires_grad) if out is None else out.copy_(made(found))


_frequencies("fftfreq", lambda n: (np.arange(n) + n // 2) % n - n // 2)
_frequencies("rfftfreq", lambda n: np.arange(n // 2 + 1))
assert len(FFT) == 22
