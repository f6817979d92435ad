"""Complex numbers as pairs of real ones and back: view_as_real, view_as_complex, real, imag, complex, polar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.elementwise import check_broadcast
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call
from gradviz.engine.run.arguments import check_operands

F = FUNCTIONS


def _pairs(x: Array) -> Array:
    return x[..., np.newaxis].view(np.float64 if x.dtype.itemsize == 16 else np.float32)


def _joined(x: Array) -> Array:
    return x.view(np.complex128 if x.dtype.itemsize == 8 else np.complex64)[..., 0]


def _to_complex(grad: Tensor) -> Tensor:
    return view_as_complex(grad.contiguous())


def _to_real(grad: Tensor) -> Tensor:
    """What PyTorch makes of the resolved gradient: `view_as_real` refuses one that says it is a conjugate."""
    return call(VIEW_AS_REAL, grad)


VIEW_AS_REAL = op(
    "view_as_real",
    "self",
    _pairs,
    category="complex",
    symbol="(re, im)",
    latex=r"(\operatorname{Re} x, \operatorname{Im} x)",
    brief="Real and imaginary parts along a new last dimension.",
    view=True,
    self=sentence("grad as complex numbers", lambda grad: _to_complex(grad)),
)
VIEW_AS_COMPLEX = op(
    "view_as_complex",
    "self",
    _joined,
    category="complex",
    symbol="re + im·i",
    latex=r"x_0 + x_1 i",
    brief="Pairs along the last dimension as complex numbers.",
    view=True,
    self=sentence("grad as pairs", lambda grad: _to_real(grad)),
)


def _from_parts(re: Array, im: Array) -> Array:
    """Both parts as they are: infinity times 1j would add a NaN real part."""
    re, im = np.broadcast_arrays(re, im)
    made = np.empty(re.shape, np.complex128 if re.dtype.itemsize == 8 else np.complex64)
    made.real, made.imag = re, im
    return made


COMPLEX = op(
    "complex",
    "real, imag",
    lambda re, im: _from_parts(re, im),
    category="complex",
    layout="operands",
    symbol="re + im·i",
    latex=r"a + b i",
    brief="Complex numbers from their parts.",
    real=sentence("the real part of grad", lambda grad, real: F["real"](grad).to(real.dtype)),
    imag=sentence("the imaginary part of grad", lambda grad, imag: F["imag"](grad).to(imag.dtype)),
)
POLAR = op(
    "polar",
    "abs, angle",
    lambda r, a: (r * (np.cos(a) + 1j * np.sin(a))).astype(np.complex128 if r.dtype.itemsize == 8 else np.complex64),
    category="complex",
    layout="operands",
    symbol="r·eⁱᵠ",
    latex=r"r e^{i \varphi}",
    brief="Complex numbers from absolute value and angle.",
    abs=sentence("Re(conj(grad) · sgn(result))", lambda grad, result: F["real"](grad.conj() * result.sgn())),
    angle=sentence("Re(conj(grad) · j · result)", lambda grad, result: F["real"](grad.conj() * (result * 1j))),
)


@api("view_as_real", where="torch")
def view_as_real(input: Tensor) -> Tensor:
    """Real and imaginary parts along a new last dimension, in the same memory."""
    if not input.dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if input._lazy:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return call(VIEW_AS_REAL, input)


@api("view_as_complex", where="torch")
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs along the last dimension as complex numbers, in the same memory."""
    if input.dtype.rank != 2 or input.dtype is dtypes.bfloat16:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{input.dtype.title}"
        )
    if not input._data.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input._data.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.dtype is dtypes.float16:
        raise NotImplementedError("torch.complex32 is not in GradViz: use x.float(), whose pairs are complex64")
    *others, last = (step // input._data.itemsize for step in input._data.strides)
    is_empty = not input._data.size  # NumPy's strides of no elements mean nothing
    if last != 1 and not is_empty:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % 2 for step in others) and not is_empty:
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if input.storage_offset() % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return call(VIEW_AS_COMPLEX, input)


def _part(input: Tensor, which: int) -> Tensor:
    pairs = call(VIEW_AS_REAL, input)
    pairs._lazy = "neg" if which and input._lazy else ""
    return pairs.select(pairs._data.ndim - 1, which)


@api("real", where="torch")
def real(input: Tensor) -> Tensor:
    """The real part: a view, like all parts of complex tensors; a real tensor is returned as it is."""
    return _part(input, 0) if input.dtype.is_complex else input


@api("imag", where="torch")
def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor."""
    if not input.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return _part(input, 1)


def _writable_part(name: str, read: Callable[[Tensor], Tensor]) -> None:
    """`x.real = value` writes to that part of `x`."""

    def write(self: Tensor, value: Any) -> None:
        if isinstance(value, Tensor):
            read(self).copy_(value)
        else:
            read(self)[...] = value

    setattr(Tensor, name, property(read, write))


_writable_part("real", real)
_writable_part("imag", imag)


def _need_reals(first: Tensor, second: Tensor) -> None:
    kinds = dtypes.float16, dtypes.float32, dtypes.float64
    if first.dtype not in kinds or second.dtype not in kinds:
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {first.dtype.title} and "
            f"{second.dtype.title}"
        )


@api("complex", where="torch")
def complex_of(real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers from their real and imaginary parts."""
    check_operands("complex", real, imag)
    _need_reals(real, imag)
    if real.dtype is not imag.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {real.dtype.title} but got scalar type {imag.dtype.title} for second "
            "argument"
        )
    check_broadcast(real._data, imag._data)
    return call(COMPLEX, real, imag)


@api("polar", where="torch")
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers from absolute value and angle."""
    check_operands("polar", abs, angle)
    _need_reals(abs, angle)
    if abs.dtype is not angle.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {abs.dtype.title} but got scalar type {angle.dtype.title} for second "
            "argument"
        )
    if abs.dtype is dtypes.float16:
        raise NotImplementedError("\"polar_cpu\" not implemented for 'Half'")
    check_broadcast(abs._data, angle._data)
    return call(POLAR, abs, angle)


@api("resolve_conj")
def resolve_conj(input: Tensor) -> Tensor:
    """The numbers of a conjugate in memory of their own; any other tensor is returned as it is."""
    return input.clone() if input._lazy == "conj" else input


@api("resolve_neg")
def resolve_neg(input: Tensor) -> Tensor:
    """The same for a negative view."""
    return input.clone() if input._lazy == "neg" else input
