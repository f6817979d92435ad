"""Products of matrices and vectors: mm, mv, dot, bmm and functions built on them (matmul, linear, outer). Products
added to a tensor (addmm) are in `addmm.py`."""

from __future__ import annotations

import math

import numpy as np

from gradviz.engine.kernel.formula import expressed, helper
from gradviz.engine.kernel.graph import show_as
from gradviz.engine.kernel.messages import broadcast_error
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import renaming, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.sums import product
from gradviz.engine.ops.arithmetic import conj
from gradviz.engine.ops.neural import in_single
from gradviz.engine.ops.shape import UNSAFE_VIEW
from gradviz.engine.run.api import FUNCTIONS, api, method
from gradviz.engine.run.apply import call, is_sparse
from gradviz.engine.run.overrides import foreign

F = FUNCTIONS


def adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    return conj(x.t())


@helper("grad @ adjoint(second)")
def first_grad(grad: Tensor, second: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """The gradient of a product with respect to its first factor, laid out in memory like the factor: a transposed one
    is not transposed again when its gradient goes on to the matrix behind it."""
    turned = _by_columns(grad, shape, strides)
    if _only_numbers(second):
        g, y = grad._data, second._data
        return wrap(_product(y, g.T).T if turned else _product(g, y.T))
    return conj(second).mm(grad.t()).t() if turned else grad.mm(adjoint(second))


@helper("adjoint(first) @ grad")
def second_grad(grad: Tensor, first: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """The same for the second factor."""
    turned = _by_columns(grad, shape, strides)
    if _only_numbers(first):
        g, x = grad._data, first._data
        return wrap(_product(g.T, x).T if turned else _product(x.T, g))
    return grad.t().mm(conj(first)).t() if turned else adjoint(first).mm(grad)


def _only_numbers(factor: Tensor) -> bool:
    """Whether the computation is not followed, so that it needs no operations."""
    followed = state.grad or state.layered or state.inference or state.observer is not None
    return not followed and factor._data.dtype.kind != "c"


def _by_columns(grad: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    size = grad._data.itemsize
    return bool(strides[0] == size and strides[1] == size * shape[0])


_product = in_single(product)  # NumPy's matmul knows no bfloat16, and adds up float16 in float16


MM = op(
    "mm",
    "self, mat2",
    _product,
    category="linear algebra",
    layout="rows",
    symbol="@",
    latex=r"A B",
    brief="The product of two matrices.",
    self="first_grad(grad, mat2, self_shape, self_strides)",
    mat2="second_grad(grad, self, mat2_shape, mat2_strides)",
)
MV = op(
    "mv",
    "self, vec",
    _product,
    category="linear algebra",
    layout="rows",
    symbol="@",
    latex=r"A x",
    brief="A matrix times a vector.",
    self=expressed("outer(grad, vec)", lambda grad, vec: grad.unsqueeze(1) * conj(vec).unsqueeze(0)),
    vec=expressed("adjoint(self) @ grad", lambda grad, self: adjoint(self).mv(grad)),
)
DOT = op(
    "dot",
    "self, tensor",
    in_single(lambda x, y: np.dot(x, y) + x.dtype.type(0)),  # a sum is never −0
    category="linear algebra",
    symbol="·",
    latex=r"x \cdot y",
    brief="The inner product of two vectors.",
    self="grad * conj(tensor)",
    tensor="grad * conj(self)",
)
BMM = op(
    "bmm",
    "self, mat2",
    _product,
    category="linear algebra",
    layout="rows",
    symbol="@",
    latex=r"A_i B_i",
    brief="Products of matrices in a batch.",
    self=expressed("grad @ adjoint(mat2)", lambda grad, mat2: grad.bmm(conj(mat2.transpose(1, 2)))),
    mat2=expressed("adjoint(self) @ grad", lambda grad, self: conj(self.transpose(1, 2)).bmm(grad)),
)


def _check_matrix(x: Tensor, name: str) -> None:
    if x._data.ndim != 2:
        raise RuntimeError(f"{name} must be a matrix")


def _check_types(x: Tensor, y: Tensor) -> None:
    if x._data.dtype != y._data.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x.dtype.cpp} != {y.dtype.cpp}")


def check_inner(x: Tensor, y: Tensor) -> None:
    """Refuse matrices whose inner sizes differ."""
    (n, k), (m, p) = x._data.shape, y._data.shape
    if k != m and x._coo is not None and y._coo is None:
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {k}, got {m}")
    if k != m:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {m}x{p})")


@api("mm")
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, n×k and k×m."""
    _check_matrix(input, "self")
    _check_matrix(mat2, "mat2")
    check_inner(input, mat2)
    _check_types(input, mat2)
    _refuse_bool("addmm_impl_cpu_", input)
    return call(MM, input, mat2)


@api("mv")
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix, n×m, times a vector of m."""
    input.size(0)
    check_vectors(1, None, input, vec)
    if input.dtype is not vec.dtype:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {vec.dtype.title}, {input.dtype.title}, and "
            f"{vec.dtype.title}"
        )
    _refuse_bool("addmv_impl_cpu", input)
    return call(MV, input, vec)


def check_vectors(ndim: int, size: int | None, mat: Tensor, vec: Tensor) -> None:
    """Refuse a matrix and a vector that do not fit together, or whose result does not fit the `size` elements of what
    it is added to."""
    if mat._data.ndim != 2 or vec._data.ndim != 1 or ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {ndim}, {mat._data.ndim}, {vec._data.ndim}")
    n, m = mat._data.shape
    size = n if size is None else size
    if m != vec._data.shape[0] or size not in (1, n):
        raise RuntimeError(f"size mismatch, got input ({size}), mat ({n}x{m}), vec ({vec._data.shape[0]})")


def _refuse_bool(kernel: str, x: Tensor) -> None:
    if x._data.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


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
    _refuse_bool("dot", input)
    return call(DOT, input, tensor)


@api("inner")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The inner product over the last dimension."""
    if not input._data.ndim or not other._data.ndim:
        return input * other
    if input._data.shape[-1] != other._data.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._data.shape)} and {list(other._data.shape)}"
        )
    return F["tensordot"](input, other, dims=([-1], [-1]))


@api("bmm")
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of matrices in a batch: b×n×k and b×k×m."""
    if state.sparse is not None and is_sparse((input, mat2)):
        return call(BMM, input, mat2)
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
    _refuse_bool("bmm", input)
    if input._data.dtype != mat2._data.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {mat2.dtype.title}")
    return call(BMM, input, mat2)


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


@renaming
def squeezed(x: Tensor, dim: int) -> Tensor:
    """PyTorch squeezes its result in place here, which names the node, and makes no view."""
    made = x.squeeze(dim)
    if made._base is x:
        made._base = made._view = None
        made._share_version().value += 1
    if made._node is not None:
        show_as(made._node, made._node.row.inplace_class)
    return made


def _batched(x: Tensor, y: Tensor) -> Tensor:
    """A product in a batch, as in PyTorch: folded into one mm or mv if one operand has no batch and nothing is copied
    for it, otherwise one bmm."""
    if not _is_folded(x, y):
        return _broadcast_batches(x, y)
    turned = x._data.ndim < y._data.ndim
    wide, plain = (y.mT, x.t() if x._data.ndim > 1 else x) if turned else (x, y)
    shape = wide._data.shape
    folded = wide.reshape(math.prod(shape[:-1]), shape[-1])
    if plain._data.ndim == 1:
        return _unfold(mv(folded, plain), shape[:-1])
    found = _unfold(mm(folded, plain), (*shape[:-1], plain._data.shape[1]))
    return found.mT.contiguous() if turned else found


def _is_folded(x: Tensor, y: Tensor) -> bool:
    wide, plain = (x, y) if x._data.ndim >= y._data.ndim else (y, x)
    if wide._data.ndim < 3 or plain._data.ndim > 2:
        return False
    if plain._requires_grad:
        return True
    if x._data.ndim == 2:
        return False
    flat = wide._data if wide is x else wide._data.swapaxes(-1, -2)
    shape, steps = flat.shape, flat.strides
    return not wide._data.size or all(steps[i] == steps[i + 1] * shape[i + 1] for i in range(len(shape) - 2))


def _unfold(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    return call(UNSAFE_VIEW, x, size=shape)


def _broadcast_batches(x: Tensor, y: Tensor) -> Tensor:
    (left, right), vector = (x._data.shape, y._data.shape), y._data.ndim == 1
    try:
        batch = np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        raise broadcast_error(left[:-2], right[:-2]) from None
    count = math.prod(batch)
    n = left[-2] if len(left) > 1 else 1
    first = x.expand(*batch, n, left[-1]).reshape(count, n, left[-1])
    if vector:
        columns = y.expand(*batch, right[0]).reshape(count, right[0]).unsqueeze(2)
        return _unfold(bmm(first, columns).squeeze(-1), (*batch, n))
    second = y.expand(*batch, *right[-2:]).reshape(count, *right[-2:])
    return _unfold(bmm(first, second), (*batch, *left[-2:-1], right[-1]))


@method("__matmul__")
def matmul_operator(self: Tensor, other: object) -> object:
    """`x @ y`."""
    return matmul(self, other) if isinstance(other, Tensor) else foreign("matmul", self, other)


method("__rmatmul__")(lambda self, other: matmul(other, self) if isinstance(other, Tensor) else NotImplemented)


@api("outer", "ger")
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every product of an element of one vector with one of the other."""
    if input._data.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input._data.ndim}-D")
    if vec2._data.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument vec2, but got {vec2._data.ndim}-D")
    return input.reshape(-1, 1) * vec2
