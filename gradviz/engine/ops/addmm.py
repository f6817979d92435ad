"""Products added to a tensor: addmm, addmv, baddbmm, addbmm, addr and their in-place forms; the conjugating dot
product, vdot; linear; and bilinear, a bilinear form. The products themselves are in `matmul.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.sums import product
from gradviz.engine.ops.arithmetic import conj, times_alpha
from gradviz.engine.ops.elementwise import cast, result_type
from gradviz.engine.ops.matmul import adjoint, check_inner, check_vectors, matmul
from gradviz.engine.ops.neural import in_single
from gradviz.engine.ops.shape import expanded_shape
from gradviz.engine.run.api import api, method
from gradviz.engine.run.apply import apply, call
from gradviz.engine.run.inplace import write

Sum = tuple[OpRow, tuple[Tensor, ...], tuple[Any, ...], tuple[int, ...]]  # row, operands, their data, shape


def _scaled_sum(x: Array, found: Array, beta: object, alpha: object) -> Array:
    found = found if alpha == 1 else found * found.dtype.type(alpha)
    if beta == 0:
        return found
    return (x if beta == 1 else x * x.dtype.type(beta)) + found


_one_product = in_single(lambda x, a, b, *, beta, alpha: _scaled_sum(x, product(a, b), beta, alpha))


def _sum_of_batch(x: Array, a: Array, b: Array, *, beta: int = 1, alpha: int = 1) -> Any:
    """One matrix after the other, as PyTorch adds them: half types are rounded each time."""
    if not len(a):
        return _scaled_sum(x, np.zeros((a.shape[1], b.shape[2]), a.dtype), beta, alpha)
    found = _one_product(x, a[0], b[0], beta=beta, alpha=alpha)
    for left, right in zip(a[1:], b[1:], strict=True):
        found = _one_product(found, left, right, beta=1, alpha=alpha)
    return found


def _batches_adjoint(x: Tensor) -> Tensor:
    return conj(x.transpose(1, 2))


def _spread(grad: Tensor, count: int) -> Tensor:
    return grad.unsqueeze(0).expand(count, *grad.shape)


_ABOUT: dict[str, Any] = {"category": "linear algebra", "layout": "rows", "symbol": "@+"}
ADDMM = op(
    "addmm",
    "self, mat1, mat2",
    in_single(lambda x, a, b, *, beta=1, alpha=1: _scaled_sum(x, product(a, b), beta, alpha)),
    latex=r"C + A B",
    brief="A product of matrices plus a third.",
    self="times_alpha(grad, beta)",
    mat1="times_alpha(first_grad(grad, mat2, mat1_shape, mat1_strides), alpha)",
    mat2="times_alpha(second_grad(grad, mat1, mat2_shape, mat2_strides), alpha)",
    **_ABOUT,
)
ADDMV = op(
    "addmv",
    "self, mat, vec",
    in_single(lambda x, a, v, *, beta=1, alpha=1: _scaled_sum(x, a @ v, beta, alpha)),
    latex=r"y + A x",
    brief="A matrix times a vector plus a third.",
    self="times_alpha(grad, beta)",
    mat=expressed(
        "outer(grad, vec) * alpha",
        lambda grad, vec, alpha: times_alpha(grad.unsqueeze(1) * conj(vec).unsqueeze(0), alpha),
    ),
    vec=expressed("adjoint(mat) @ grad * alpha", lambda grad, mat, alpha: times_alpha(adjoint(mat).mv(grad), alpha)),
    **_ABOUT,
)
BADDBMM = op(
    "baddbmm",
    "self, batch1, batch2",
    in_single(lambda x, a, b, *, beta=1, alpha=1: _scaled_sum(x, product(a, b), beta, alpha)),
    latex=r"C_i + A_i B_i",
    brief="Products of matrices in a batch plus a third.",
    self="times_alpha(grad, beta)",
    batch1=expressed(
        "grad @ adjoint(batch2) * alpha",
        lambda grad, batch2, alpha: times_alpha(grad.bmm(_batches_adjoint(batch2)), alpha),
    ),
    batch2=expressed(
        "adjoint(batch1) @ grad * alpha",
        lambda grad, batch1, alpha: times_alpha(_batches_adjoint(batch1).bmm(grad), alpha),
    ),
    **_ABOUT,
)
ADDBMM = op(
    "addbmm",
    "self, batch1, batch2",
    _sum_of_batch,
    latex=r"C + \sum_i A_i B_i",
    brief="A matrix plus the sum of a batch of matrix products.",
    self="times_alpha(grad, beta)",
    batch1=expressed(
        "grad @ adjoint(batch2) * alpha",
        lambda grad, batch1_shape, batch2, alpha: times_alpha(
            _spread(grad, batch1_shape[0]).bmm(_batches_adjoint(batch2)), alpha
        ),
    ),
    batch2=expressed(
        "adjoint(batch1) @ grad * alpha",
        lambda grad, batch1, alpha: times_alpha(_batches_adjoint(batch1).bmm(_spread(grad, batch1.shape[0])), alpha),
    ),
    **_ABOUT,
)
ADDR = op(
    "addr",
    "self, vec1, vec2",
    lambda x, a, b, *, beta, alpha: _scaled_sum(x, np.outer(a * a.dtype.type(alpha), b), beta, 1),
    latex=r"C + x y^\top",
    brief="A matrix plus the outer product of two vectors.",
    self="times_alpha(grad, beta)",
    vec1=expressed("grad @ vec2 * alpha", lambda grad, vec2, alpha: times_alpha(grad.mv(conj(vec2)), alpha)),
    vec2=expressed(
        "adjoint(grad) @ vec1 * alpha", lambda grad, vec1, alpha: times_alpha(grad.t().mv(conj(vec1)), alpha)
    ),
    **_ABOUT,
)
VDOT = op(
    "vdot",
    "self, other",
    in_single(np.vdot),
    category="linear algebra",
    symbol="·",
    latex=r"\bar{x} \cdot y",
    brief="The dot product with the conjugate of the first.",
    self=expressed("conjugate(grad) * other", lambda grad, other: conj(grad) * other),
    other="grad * self",
)

# --- checks of the operands ---


def _refuse_bool(kernel: str, dtype: dtypes.dtype) -> None:
    if dtype is dtypes.bool_:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> Sum:
    if not mat1.dtype is mat2.dtype is input.dtype:
        pair = (mat1, mat2) if mat1.dtype is not mat2.dtype and input.dtype is mat2.dtype else (input, mat2)
        name = "mat1" if pair[0] is mat1 else "self"
        raise RuntimeError(
            f"{name} and mat2 must have the same dtype, but got {pair[0].dtype.title} and {mat2.dtype.title}"
        )
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        if each._data.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each._data.ndim}-D tensor")
    check_inner(mat1, mat2)
    _refuse_bool("addmm_impl_cpu_", mat1.dtype)
    return _same(ADDMM, (input, mat1, mat2), (mat1._data.shape[0], mat2._data.shape[1]))


def _addmv(input: Tensor, mat: Tensor, vec: Tensor) -> Sum:
    check_vectors(input._data.ndim, input._data.size, mat, vec)
    if not mat.dtype is vec.dtype is input.dtype:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {input.dtype.title}, {mat.dtype.title}, and "
            f"{vec.dtype.title}"
        )
    _refuse_bool("addmv_impl_cpu", mat.dtype)
    return _same(ADDMV, (input, mat, vec), (mat._data.shape[0],))


def _check_batches(x: Tensor, y: Tensor) -> None:
    for name, each in (("batch1", x), ("batch2", y)):
        if each._data.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    b, _, k = x._data.shape
    if y._data.shape[:2] != (b, k):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {k}] but got: "
            f"[{y._data.shape[0]}, {y._data.shape[1]}]."
        )


def _baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor) -> Sum:
    for each, dim in ((batch1, 0), (batch1, 1), (batch2, 2)):
        each.size(dim)  # PyTorch asks for it before it looks at the number of dimensions
    if batch1._data.ndim != 3 or batch2._data.ndim != 3:
        expanded_shape(input, (*batch1._data.shape[:2], batch2._data.shape[2]))
    _check_batches(batch1, batch2)
    _refuse_bool("baddbmm", batch1.dtype)
    if batch1.dtype is input.dtype is not batch2.dtype:
        raise RuntimeError(f"expected scalar type {batch1.dtype.title} but found {batch2.dtype.title}")
    if not batch1.dtype is batch2.dtype is input.dtype:
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {input.dtype.cpp}, batch1: {batch1.dtype.cpp}, batch2: "
            f"{batch2.dtype.cpp}"
        )
    return _same(BADDBMM, (input, batch1, batch2), (*batch1._data.shape[:2], batch2._data.shape[2]))


def _addbmm(input: Tensor, batch1: Tensor, batch2: Tensor) -> Sum:
    if state.grad and any(each._requires_grad for each in (input, batch1, batch2)):
        batch1.size(0)  # a node keeps it
    batch1.size(1), batch2.size(2)
    if batch1._data.ndim != 3 or batch2._data.ndim != 3:
        expanded_shape(input, (batch1._data.shape[1], batch2._data.shape[2]))
    for name, each in (("batch1", batch1), ("batch2", batch2)):
        if each._data.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    (b, n, k), (c, m, p) = batch1._data.shape, batch2._data.shape
    if b != c:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {b} and {c}")
    if k != m:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({n}x{k} and {m}x{p})")
    _refuse_bool("addmm_impl_cpu_", batch1.dtype)
    return _same(ADDBMM, (input, batch1, batch2), (n, p))


def _addr(input: Tensor, vec1: Tensor, vec2: Tensor) -> Sum:
    for name, each in (("vec1", vec1), ("vec2", vec2)):
        if each._data.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {each._data.ndim}-D")
    tensors = (input, vec1, vec2)
    target = result_type(*tensors)
    return ADDR, tensors, tuple(cast(each, target) for each in tensors), (vec1._data.size, vec2._data.size)


def _same(row: OpRow, tensors: tuple[Tensor, ...], shape: tuple[int, ...]) -> Sum:
    return row, tensors, tuple(each._data for each in tensors), shape


# --- the functions, the methods and the in-place methods ---


def _check_shape(name: str, target: Tensor, shape: tuple[int, ...], operands: tuple[Tensor, ...]) -> None:
    """Refuse to write a result of another shape."""
    found = target._data.shape
    if found == shape:
        return
    if name != "addr":
        raise RuntimeError(
            f"Bad in-place call: input tensor size {list(found)} and output tensor size {list(shape)} should match"
        )
    if len(found) != 2:
        raise RuntimeError(f"2D tensor expected, got {len(found)}D tensor for input")
    sizes = [list(each._data.shape) for each in operands[1:]]
    raise RuntimeError(f"size mismatch, input: {list(found)}, v1: {sizes[0]}, v2: {sizes[1]}")


def _numbers(target: dtypes.dtype, beta: float, alpha: float) -> Mapping[str, Any]:
    for name, value in (("beta", beta), ("alpha", alpha)):
        if isinstance(value, bool) and target is not dtypes.bool_:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if target.rank < 2 and isinstance(value, float | complex):
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    return {"beta": beta, "alpha": alpha}


_ONCE: Mapping[str, Any] = {"beta": 1, "alpha": 1}


def _offer(name: str, prepare: Callable[..., Sum], first: str, second: str) -> Callable[..., Tensor]:
    """Register the function and the methods; returns the function, of which no error is put in PyTorch's words."""

    def arguments(input: Tensor, args: tuple[object, ...], named: dict[str, Any]) -> tuple[Sum, Mapping[str, Any]]:
        if not named and len(args) == 2:
            return prepare(input, *args), _ONCE
        beta, alpha = named.pop("beta", 1), named.pop("alpha", 1)
        given = dict(zip((first, second), args, strict=False)) | named
        made = prepare(input, given[first], given[second])
        dtype = dtypes.OF_NUMPY[made[2][0].dtype]
        plain = {"beta": beta, "alpha": alpha}
        return made, _numbers(dtype, beta, alpha) if name == "addr" else plain

    @api(name)
    def function(input: Tensor, *args: object, **named: object) -> Tensor:
        (row, tensors, arrays, shape), params = arguments(input, args, named)
        if input._data.shape != shape[len(shape) - input._data.ndim :]:
            expanded_shape(input, shape)  # refused here if the shapes do not fit
        made: Tensor = apply(row, tensors, arrays, params)
        return made

    @method(f"{name}_")
    def function_(self: Tensor, *args: object, **named: object) -> Tensor:
        (row, tensors, arrays, shape), params = arguments(self, args, named)
        _check_shape(name, self, shape, tensors)
        return write(self, row, tensors, arrays, params)

    return function


addmm = _offer("addmm", _addmm, "mat1", "mat2")
_offer("addmv", _addmv, "mat", "vec")
_offer("baddbmm", _baddbmm, "batch1", "batch2")
_offer("addbmm", _addbmm, "batch1", "batch2")
_offer("addr", _addr, "vec1", "vec2")


@api("linear", where="F")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weightᵀ + bias, with weight of shape (out, in)."""
    if not isinstance(input, Tensor):
        raise TypeError(f"linear(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if not isinstance(weight, Tensor):
        raise TypeError(f"linear(): argument 'weight' (position 2) must be Tensor, not {type(weight).__name__}")
    n, m = input._data.ndim, weight._data.ndim
    if not n or not m:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {n}D and {m}D")
    if bias is None:
        return matmul(input, weight.t())
    if not (type(input._data) is type(weight._data) is type(bias._data) is np.ndarray):
        return matmul(input, weight.t()) + bias  # vmap turns it into this
    if n == 2:
        return addmm(bias, input, weight.t())
    if bias._data.ndim == 1 and n > 2 and input._data.flags.c_contiguous:
        shape = input._data.shape
        flat = addmm(bias, input.view(math.prod(shape[:-1]), shape[-1]), weight.t())
        return flat.view(*shape[:-1], weight._data.shape[0])
    if bias._data.ndim == 1 and n == 1:
        return addmm(bias, input.view(1, -1), weight.t()).view(weight._data.shape[0])
    return matmul(input, weight.t()) + bias


@api("vdot")
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The dot product with the conjugate of the first."""
    n, m = input._data.ndim, other._data.ndim
    if n != 1 or m != 1:
        raise RuntimeError(f"1D tensors expected, but got {n}D and {m}D tensors")
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {input.dtype.title} and {other.dtype.title}"
        )
    _refuse_bool("dot", input.dtype)
    if input._data.size != other._data.size:
        a, b = input._data.size, other._data.size
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a}] and src [{b}] to have the same number of elements, but "
            f"got {a} and {b} elements respectively"
        )
    return call(VDOT, input, other)


def _other(grad: Tensor, known: tuple[Tensor, Tensor], equation: str, at: int) -> Tensor:
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
    layout="rows",
    symbol="xᵀAy",
    latex=r"x^\top A_o\, y",
    brief="A form of two inputs, one matrix for each output.",
    i1=sentence("grad · A y", lambda grad, i2, i3, equation: _other(grad, (i2, i3), equation, 0)),
    i2=sentence("x yᵀ · grad", lambda grad, i1, i3, equation: _other(grad, (i1, i3), equation, 1)),
    i3=sentence("grad · Aᵀ x", lambda grad, i1, i2, equation: _other(grad, (i1, i2), equation, 2)),
)


def _check(x: tuple[int, ...], y: tuple[int, ...], w: tuple[int, ...], bias: Tensor | None) -> None:
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
    given = {"input1": input1, "input2": input2, "weight": weight, **({} if bias is None else {"bias": bias})}
    if len({each.dtype for each in given.values()}) > 1:
        kinds = ", ".join(f"{name}: {each.dtype.cpp}" for name, each in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {kinds}")
    if len(x) != len(y):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(x)} and {len(y)}")
    weight.size(1), weight.size(2)
    _check(x, y, w, bias)
    flat = call(TRILINEAR, input1.reshape(-1, x[-1]), weight, input2.reshape(-1, y[-1]), equation="bi,oij,bj->bo")
    made: Tensor = flat.reshape(*x[:-1], w[0])
    return made if bias is None else made + bias
