"""Products of matrices and vectors: mm, mv, dot, bmm, addmm and what is put together from them (matmul, linear,
outer)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.api import FUNCTIONS, api, method
from gradviz.engine.apply import call
from gradviz.engine.ops.arithmetic import conj, scaled
from gradviz.engine.ops.shape import UNSAFE_VIEW
from gradviz.engine.rows import op
from gradviz.engine.tensor import Tensor

F = FUNCTIONS


def adjoint(x: Any) -> Any:
    """The conjugate transpose of a matrix."""
    return conj(x.t())


def _product(x: Any, y: Any) -> Any:
    return np.matmul(x, y)


MM = op(
    "mm",
    "self, mat2",
    _product,
    category="linear algebra",
    symbol="@",
    latex=r"A B",
    brief="The product of two matrices.",
    derivatives={"self": "grad @ mat2ᵀ", "mat2": "selfᵀ @ grad"},
    self=lambda grad, mat2, self_shape: grad.mm(adjoint(mat2)),  # the shapes as PyTorch's node has them
    mat2=lambda grad, self, mat2_shape: adjoint(self).mm(grad),
)
MV = op(
    "mv",
    "self, vec",
    _product,
    category="linear algebra",
    symbol="@",
    latex=r"A x",
    brief="A matrix times a vector.",
    derivatives={"self": "grad ⊗ vec", "vec": "selfᵀ @ grad"},
    self=lambda grad, vec: grad.unsqueeze(1) * conj(vec).unsqueeze(0),
    vec=lambda grad, self: adjoint(self).mv(grad),
)
DOT = op(
    "dot",
    "self, tensor",
    np.dot,
    category="linear algebra",
    symbol="·",
    latex=r"x \cdot y",
    brief="The inner product of two vectors.",
    derivatives={"self": "grad · tensor", "tensor": "grad · self"},
    self=lambda grad, tensor: grad * conj(tensor),
    tensor=lambda grad, self: grad * conj(self),
)
BMM = op(
    "bmm",
    "self, mat2",
    _product,
    category="linear algebra",
    symbol="@",
    latex=r"A_i B_i",
    brief="Products of matrices in a batch.",
    derivatives={"self": "grad @ mat2ᵀ", "mat2": "selfᵀ @ grad"},
    self=lambda grad, mat2: grad.bmm(conj(mat2.transpose(1, 2))),
    mat2=lambda grad, self: conj(self.transpose(1, 2)).bmm(grad),
)


def _scaled_sum(x: Any, product: Any, beta: Any, alpha: Any) -> Any:
    product = product if alpha == 1 else product * product.dtype.type(alpha)
    if beta == 0:
        return product
    return (x if beta == 1 else x * x.dtype.type(beta)) + product


ADDMM = op(
    "addmm",
    "self, mat1, mat2",
    lambda x, a, b, *, beta=1, alpha=1: _scaled_sum(x, a @ b, beta, alpha),
    category="linear algebra",
    symbol="@+",
    latex=r"C + A B",
    brief="A product of matrices plus a third.",
    derivatives={"self": "grad", "mat1": "grad @ mat2ᵀ", "mat2": "mat1ᵀ @ grad"},
    self=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat2, alpha: scaled(grad.mm(adjoint(mat2)), alpha),
    mat2=lambda grad, mat1, alpha: scaled(adjoint(mat1).mm(grad), alpha),
)
ADDMV = op(
    "addmv",
    "self, mat, vec",
    lambda x, a, v, *, beta=1, alpha=1: _scaled_sum(x, a @ v, beta, alpha),
    category="linear algebra",
    symbol="@+",
    latex=r"y + A x",
    brief="A matrix times a vector plus a third.",
    self=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(grad.unsqueeze(1) * conj(vec).unsqueeze(0), alpha),
    vec=lambda grad, mat, alpha: scaled(adjoint(mat).mv(grad), alpha),
)
BADDBMM = op(
    "baddbmm",
    "self, batch1, batch2",
    lambda x, a, b, *, beta=1, alpha=1: _scaled_sum(x, a @ b, beta, alpha),
    category="linear algebra",
    symbol="@+",
    latex=r"C_i + A_i B_i",
    brief="Products of matrices in a batch plus a third.",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(grad.bmm(conj(batch2.transpose(1, 2))), alpha),
    batch2=lambda grad, batch1, alpha: scaled(conj(batch1.transpose(1, 2)).bmm(grad), alpha),
)


def _check_matrix(x: Tensor, name: str) -> None:
    if x._data.ndim != 2:
        raise RuntimeError(f"{name} must be a matrix")


def _check_types(x: Tensor, y: Tensor) -> None:
    if x._data.dtype != y._data.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x.dtype.cpp} != {y.dtype.cpp}")


def _check_inner(x: Tensor, y: Tensor) -> None:
    (n, k), (m, p) = x._data.shape, y._data.shape
    if k != m:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {m}x{p})")


@api("mm")
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, n×k and k×m."""
    _check_matrix(input, "self")
    _check_matrix(mat2, "mat2")
    _check_inner(input, mat2)
    _check_types(input, mat2)
    made: Tensor = call(MM, input, mat2)
    return made


@api("mv")
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix, n×m, times a vector of m."""
    if input._data.ndim != 2 or vec._data.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input._data.ndim}, {vec._data.ndim}")
    if input._data.shape[1] != vec._data.shape[0]:
        n, m = input._data.shape
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{m}), vec ({vec._data.shape[0]})")
    _check_types(input, vec)
    made: Tensor = call(MV, input, vec)
    return made


@api("dot")
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors."""
    if input._data.ndim != 1 or tensor._data.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input._data.ndim}D and {tensor._data.ndim}D tensors")
    if input._data.dtype != tensor._data.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {input.dtype.title} and {tensor.dtype.title}"
        )
    n, m = input._data.size, tensor._data.size
    if n != m:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, "
            f"but got {n} and {m} elements respectively"
        )
    made: Tensor = call(DOT, input, tensor)
    return made


@api("inner")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The inner product over the last dimension."""
    if not input._data.ndim or not other._data.ndim:
        return input * other
    if input._data.ndim == 1 and other._data.ndim == 1:
        return dot(input, other)
    made: Tensor = F["tensordot"](input, other, dims=([-1], [-1]))
    return made


@api("bmm")
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of matrices in a batch: b×n×k and b×k×m."""
    if input._data.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2._data.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    b, _, k = input._data.shape
    if mat2._data.shape[:2] != (b, k):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {k}] but got: "
            f"[{mat2._data.shape[0]}, {mat2._data.shape[1]}]."
        )
    if input._data.dtype != mat2._data.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {mat2.dtype.title}")
    made: Tensor = call(BMM, input, mat2)
    return made


@api("addmm")
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · mat1 @ mat2."""
    _check_matrix(mat1, "mat1")
    _check_matrix(mat2, "mat2")
    _check_inner(mat1, mat2)
    if mat1._data.dtype != mat2._data.dtype:
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {mat1.dtype.title} and {mat2.dtype.title}")
    made: Tensor = call(ADDMM, input, mat1, mat2, beta=beta, alpha=alpha)
    return made


@api("addmv")
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · mat @ vec."""
    made: Tensor = call(ADDMV, input, mat, vec, beta=beta, alpha=alpha)
    return made


@api("baddbmm")
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · batch1 @ batch2."""
    made: Tensor = call(BADDBMM, input, batch1, batch2, beta=beta, alpha=alpha)
    return made


@api("matmul", where="torch method linalg")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product by the number of dimensions: dot, mv, mm, or products in a batch with broadcasting."""
    n, m = input._data.ndim, other._data.ndim
    if not n or not m:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {n}D and {m}D")
    if n == 1 and m == 1:
        return dot(input, other)
    if n == 2 and m == 1:
        return mv(input, other)
    if n == 1 and m == 2:
        return squeezed(mm(input.unsqueeze(0), other), 0)
    if n == 2 and m == 2:
        return mm(input, other)
    return _batched(input, other)


def squeezed(x: Tensor, dim: int) -> Tensor:
    """PyTorch squeezes its result in place here, which names the node."""
    made = x.squeeze(dim)
    if made._node is not None:
        made._node.__class__ = made._node.row.inplace_class
    return made


def _batched(x: Tensor, y: Tensor) -> Tensor:
    """As PyTorch folds it: into one mm where only the first has a batch, else into one bmm."""
    if x._data.ndim >= 3 and y._data.ndim <= 2:
        shape = x._data.shape
        vector = y._data.ndim == 1
        folded = x.reshape(-1, shape[-1])
        if vector:
            return _unfold(mv(folded, y), shape[:-1])
        return _unfold(mm(folded, y), (*shape[:-1], y._data.shape[1]))
    if y._data.ndim == 1:
        return squeezed(_batched(x, y.unsqueeze(-1)), -1)
    if x._data.ndim == 1:
        return squeezed(_batched(x.unsqueeze(0), y), -2)
    return _broadcast_batches(x, y)


def _unfold(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    made: Tensor = call(UNSAFE_VIEW, x, size=shape)
    return made


def _broadcast_batches(x: Tensor, y: Tensor) -> Tensor:
    try:
        batch = np.broadcast_shapes(x._data.shape[:-2], y._data.shape[:-2])
    except ValueError:
        from gradviz.engine.elementwise import broadcast_error

        raise broadcast_error(x._data.shape[:-2], y._data.shape[:-2]) from None
    count = math.prod(batch)
    left = x.expand(*batch, *x._data.shape[-2:]).reshape(count, *x._data.shape[-2:])
    right = y.expand(*batch, *y._data.shape[-2:]).reshape(count, *y._data.shape[-2:])
    return _unfold(bmm(left, right), (*batch, x._data.shape[-2], y._data.shape[-1]))


@method("__matmul__")
def matmul_operator(self: Tensor, other: Any) -> Any:
    """`x @ y`."""
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


method("__rmatmul__")(lambda self, other: matmul(other, self) if isinstance(other, Tensor) else NotImplemented)


@api("linear", where="F")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weightᵀ + bias, with weight of shape (out, in)."""
    if not isinstance(input, Tensor):
        raise TypeError(f"linear(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if input._data.ndim == 2 and bias is not None:
        return addmm(bias, input, weight.t())
    if bias is not None and input._data.ndim > 2 and input._data.flags.c_contiguous:
        shape = input._data.shape
        flat = addmm(bias, input.view(math.prod(shape[:-1]), shape[-1]), weight.t())
        return flat.view(*shape[:-1], weight._data.shape[0])
    if bias is not None and input._data.ndim == 1:
        return addmm(bias, input.view(1, -1), weight.t()).view(weight._data.shape[0])
    product = matmul(input, weight.t())
    return product if bias is None else product + bias


@api("outer", "ger")
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every product of an element of one vector with one of the other."""
    if input._data.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input._data.ndim}-D")
    if vec2._data.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument vec2, but got {vec2._data.ndim}-D")
    return input.reshape(-1, 1) * vec2
