"""Sums of floating-point numbers in the order in which PyTorch adds them on the CPU, so that the last digit of a loss
is PyTorch's. The sum is neither faster nor more precise than NumPy's: the same additions in another order.

Note [The moments of a row] Mean and variance of layer_norm (aten/native/cpu/moments_utils.h) are updated vector by
vector, sixteen at a time; such pieces are combined in a cascade, then the numbers of the vector one after the other,
together with the rest of the row. The compiler rounds most added products once, which `_fused` does.

Note [The order of a sum] PyTorch (aten/native/cpu/SumKernel.cpp) reads a row in vectors of 32 bytes, keeps four of them
as partial sums, and adds in a cascade: sixteen vectors, then sixteen such sums, and so on. A reduced dimension that is
not the innermost in memory is added in the same cascade, column by column. Dimensions are first put in the order of
`TensorIterator`: the reduced ones innermost, those with the smallest strides first, and neighbours in memory joined.
Above 32,768 elements PyTorch divides the work among its threads, so that the order depends on the machine: then NumPy's
own sum is used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array

_VECTOR = 32  # bytes; PyTorch does not build this kernel for wider registers
_SIDE_BY_SIDE = 4
_LEVELS = 4
_STEP = 16  # at least so many vectors are added before the next level
_DIVIDED = 32_768  # from so many elements on, PyTorch uses several threads
_ROW = 8_192  # multiplications of a row with a matrix that are done in PyTorch's order, at 16 times the work
_TILE = 16  # rows and columns of a product that NumPy goes through term by term
_MANY, _NARROW = 16, 64  # so many rows of so few numbers side by side are slow in NumPy
_WIDE = 16  # numbers in the widest register, for which softmax is built
_SHORT = ([0], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 4, 1, 2, 3], [0, 4, 5, 1, 2, 3], [0, 4, 5, 6, 1, 2, 3])


def total(x: Array, axes: tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """The sum of a float or complex array over `axes` (all if None); see Note [The order of a sum]. PyTorch starts from
    0, so its sums are never −0."""
    return np.asarray(_total(x, axes, keepdims) + 0.0)


def _total(x: Array, axes: tuple[int, ...] | None, keepdims: bool) -> Array:
    if x.size >= _DIVIDED or x.dtype.itemsize < 4:
        return np.asarray(np.sum(x, axis=axes, keepdims=keepdims))
    plain = x.flags.c_contiguous
    if axes is None or len(axes) == x.ndim:
        shape = (1,) * x.ndim if keepdims else ()
        if plain and x.size:
            return _all(x.reshape(-1)).reshape(shape)
        axes = tuple(range(x.ndim))
    else:
        shape = tuple([1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes])
    if not x.size:
        return np.zeros(shape, x.dtype)
    if plain and max(axes) == len(axes) - 1:  # the first dimensions: contiguous in memory
        return _upright(x.reshape(-1, math.prod(x.shape[len(axes) :]))).reshape(shape)
    return _over(x, axes).reshape(shape)


def _upright(x: Array) -> Array:
    """The sum of each column of a contiguous matrix."""
    size, count = x.shape
    if count == 1:
        return _all(x.reshape(-1))
    lanes = _VECTOR // x.itemsize
    together = _SIDE_BY_SIDE * (lanes if count >= lanes else 1)
    if size < _SIDE_BY_SIDE or (size < _STEP and not count % together):
        return np.asarray(np.add.reduce(x, axis=0))
    return _columns(x.reshape(1, size, count), together)


def _all(x: Array) -> Array:
    """The sum of a contiguous one-dimensional array."""
    if x.size < 8 and x.size * x.itemsize < _VECTOR:
        return np.add.accumulate(x.take(_SHORT[x.size]))[-1:]
    return _contiguous_rows(x.reshape(1, -1))


def _over(x: Array, axes: tuple[int, ...]) -> Array:
    """The sum over `axes` of an array that has elements; the other dimensions keep their order."""
    kept = [i for i, n in enumerate(x.shape) if n != 1 and i not in axes]
    reduced = sorted((i for i in axes if x.shape[i] != 1), key=lambda i: -x.strides[i])
    if not reduced:
        return x
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    y = x.transpose(ones + kept + reduced)
    outer = _joined(y, len(ones), len(ones) + len(kept))
    inner = _joined(y, len(ones) + len(kept), y.ndim)
    y = y.reshape(outer + inner)
    size, step, lanes = y.shape[-1], y.strides[-1], _VECTOR // y.itemsize
    if step == y.itemsize and size >= lanes:
        rows = _contiguous_rows(y.reshape(-1, size))
    elif len(inner) == 1 and outer and y.strides[-2] <= step:
        wide = y.strides[-2] == y.itemsize and outer[-1] >= lanes
        return _columns(y.reshape(-1, outer[-1], size).swapaxes(1, 2), _SIDE_BY_SIDE * (lanes if wide else 1))
    else:
        rows = _row(y.reshape(-1, size, 1))
    return rows if len(inner) == 1 else _in_turn(rows.reshape(-1, math.prod(inner[:-1])))


def _joined(y: Array, start: int, stop: int) -> tuple[int, ...]:
    """The sizes of the dimensions from start to stop, with contiguous neighbours joined into one."""
    sizes: list[int] = []
    for i in range(start, stop):
        if sizes and y.strides[i - 1] == y.shape[i] * y.strides[i]:
            sizes[-1] *= y.shape[i]
        else:
            sizes.append(y.shape[i])
    return tuple(sizes)


def _contiguous_rows(x: Array) -> Array:
    """The sum of each row: vectors first, then the rest of the row, then the numbers of the vector."""
    lanes = _VECTOR // x.itemsize
    count = x.shape[1] // lanes
    vectors = _row(x[:, : count * lanes].reshape(len(x), count, lanes))
    left = x[:, count * lanes :]
    return _in_turn(np.concatenate([left, vectors], axis=1) if left.size else vectors)


def _in_turn(rows: Array) -> Array:
    """The sum of each row, one number after the other."""
    if len(rows) == 1:
        return np.asarray(np.add.accumulate(rows, axis=1)[:, -1])
    return np.asarray(np.add.reduce(np.ascontiguousarray(rows.T), axis=0))


def _columns(x: Array, together: int) -> Array:
    """The sums over the middle dimension; as many columns as are read `together` go through one cascade."""
    whole = x.shape[2] // together * together
    if whole == x.shape[2]:
        return _cascade(x)
    last = _row(x[:, :, whole:])
    return np.concatenate([_cascade(x[:, :, :whole]), last], axis=1) if whole else last


def _row(x: Array) -> Array:
    """The sums over the middle dimension in four partial sums, which are added at the end."""
    size = x.shape[1]
    if size < len(_SHORT) and x.shape[2] > 1:
        return _down(x.take(_SHORT[size], 1))
    steps = size // _SIDE_BY_SIDE
    whole = steps * _SIDE_BY_SIDE
    if not steps:
        parts, found = None, x[:, 0]
        whole = 1
    else:
        parts = _cascade(x[:, :whole].reshape(len(x), steps, _SIDE_BY_SIDE * x.shape[2])).reshape(
            len(x), _SIDE_BY_SIDE, x.shape[2]
        )
        found = parts[:, 0]
    for i in range(whole, x.shape[1]):
        found = found + x[:, i]
    for k in range(1, _SIDE_BY_SIDE if parts is not None else 0):
        found = found + parts[:, k]  # type: ignore[index]
    return found


def _down(x: Array) -> Array:
    """The sum over the middle dimension, one number after the other. NumPy goes through the rows one by one, which
    takes two to four times as long as turning narrow ones first; the additions are the same."""
    if len(x) >= _MANY and x.shape[2] <= _NARROW and x.strides[0] >= x.strides[1] >= x.strides[2]:
        return np.asarray(np.add.reduce(np.ascontiguousarray(x.swapaxes(0, 1)), axis=0))
    return np.asarray(np.add.reduce(x, axis=1))


def _cascade(x: Array) -> Array:
    """The sums over the middle dimension by levels; the last dimension, of size two or more, is the innermost in
    memory."""
    size = x.shape[1]
    step = max(_STEP, 1 << (size - 1).bit_length() // _LEVELS)
    if size < step:
        return _down(x)
    parts = []
    for _ in range(_LEVELS - 1):
        blocks = x.shape[1] // step
        if x.shape[1] % step:
            parts.append(_down(x[:, blocks * step :]))
        if not blocks:
            break
        x = np.add.reduce(x[:, : blocks * step].reshape(len(x), blocks, step, x.shape[2]), axis=2)
    else:
        parts.append(_down(x))
    found = parts[0]
    for part in parts[1:]:
        found = found + part
    return np.asarray(found)


def exponentials(e: Array, axis: int) -> Array:
    """The sum that softmax divides by, over one axis that is kept with size 1: single precision rows are read in
    registers of sixteen, which are halved and added until one number is left (aten/native/cpu/SoftMaxKernel.cpp)."""
    if e.dtype != np.float32 or not e.size:
        return np.asarray(np.sum(e, axis=axis, keepdims=True))
    if axis not in (-1, e.ndim - 1) or e.shape[-1] < _WIDE:
        return np.add.accumulate(e, axis=axis).take([-1], axis)
    rows = e.reshape(-1, e.shape[-1])
    whole = rows.shape[1] // _WIDE * _WIDE
    lanes = _down(rows[:, :whole].reshape(len(rows), -1, _WIDE))
    lanes[:, : rows.shape[1] - whole] += rows[:, whole:]
    return np.asarray(_by_halves(lanes).reshape(*e.shape[:-1], 1))


def _by_halves(lanes: Array) -> Array:
    """The sum of each row, halved and added until one number is left; the row length is a power of two."""
    while lanes.shape[1] > 1:
        lanes = lanes[:, : lanes.shape[1] // 2] + lanes[:, lanes.shape[1] // 2 :]
    return lanes[:, 0]


def squares(x: Array, axes: tuple[int, ...] | None, keepdims: bool) -> Array:
    """Σ x² in the order of PyTorch's norm (aten/native/cpu/ReduceOpsKernel.cpp): a single precision row in registers of
    eight, then their numbers one after the other, then the rest of the row."""
    if x.dtype != np.float32 or not x.size or x.size >= _DIVIDED:
        return np.asarray(np.sum(x * x, axis=axes, keepdims=keepdims))
    axes = tuple(range(x.ndim)) if axes is None else axes
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    y = x * x
    if not (x.flags.c_contiguous and kept == list(range(len(kept)))):
        turned = y.transpose([*axes, *kept]).reshape(-1, *(x.shape[i] for i in kept))
        return np.asarray(np.add.accumulate(turned, axis=0)[-1].reshape(shape))
    rows = y.reshape(math.prod([x.shape[i] for i in kept]), -1)
    lanes = _VECTOR // x.itemsize
    whole = rows.shape[1] // lanes * lanes
    found = _in_turn(_down(rows[:, :whole].reshape(len(rows), -1, lanes))) if whole else np.zeros_like(rows[:, 0])
    fours = whole + (rows.shape[1] - whole) // 4 * 4
    for i in range(whole, rows.shape[1]):
        if i < fours:
            found = found + rows[:, i]
        else:  # the last ones are multiplied and added with one rounding
            found = (found + x.reshape(rows.shape)[:, i].astype(np.float64) ** 2).astype(np.float32)
    return found.reshape(shape)


def _fused(a: Array, b: Any, c: Array) -> Array:
    """a · b + c in single precision, rounded once, except for one case in 2²⁸."""
    wide: Array = a.astype(np.float64) * b + c
    return wide.astype(np.float32)


Moments = tuple[int, Array, Array]  # the count, the mean, and the sum of squared deviations


def _piece(x: Array) -> Moments:
    """The moments over the second to last dimension."""
    mean, squares = x[..., 0, :], np.zeros_like(x[..., 0, :])
    for i in range(1, x.shape[-2]):
        each = x[..., i, :]
        delta = each - mean
        mean = _fused(delta, np.float32(1) / np.float32(i + 1), mean)
        squares = _fused(delta, each - mean, squares)
    return x.shape[-2], mean, squares


def _together(first: Moments, second: Moments, *, one_lane: bool = False) -> Moments:
    """The combined moments of both. For whole registers PyTorch writes the products in another order than for
    `one_lane` of them, so that others are rounded once."""
    if not first[0]:
        return second
    count = first[0] + second[0]
    share, before = np.float32(second[0]) / np.float32(count), np.float32(first[0])
    delta = second[1] - first[1]
    if one_lane:
        return count, _fused(delta, share, first[1]), first[2] + _fused(delta * delta * share, before, second[2])
    change = share * delta
    return count, first[1] + change, _fused(delta, change * before, first[2] + second[2])


def moments(rows: Array) -> tuple[Array, Array]:
    """Mean and variance of each single precision row; see Note [The moments of a row]."""
    lanes = _VECTOR // rows.itemsize
    count, size = rows.shape
    whole = size // lanes
    stack: list[Moments] = [(0, rows, rows)] * max((-(-whole // _STEP) - 1).bit_length(), 1)
    pieces: list[Moments] = []
    if full := whole // _STEP:
        n, means, squares = _piece(rows[:, : full * _STEP * lanes].reshape(count, full, _STEP, lanes))
        pieces += [(n, means[:, i], squares[:, i]) for i in range(full)]
    if whole % _STEP:
        pieces.append(_piece(rows[:, full * _STEP * lanes : whole * lanes].reshape(count, -1, lanes)))
    for i, piece in enumerate(pieces, 1):
        stack[0] = _together(stack[0], piece)
        level = 1
        while level < len(stack) and not i >> (level - 1) & 1:
            stack[level] = _together(stack[level], stack[level - 1])
            stack[level - 1] = (0, rows, rows)
            level += 1
    for part in stack[1:]:
        stack[0] = _together(stack[0], part) if part[0] else stack[0]
    found: Moments = (0, np.zeros(count, np.float32), np.zeros(count, np.float32))
    for i in range(whole * lanes, size):
        delta = rows[:, i] - found[1]
        mean = found[1] + delta / np.float32(found[0] + 1)
        found = found[0] + 1, mean, found[2] + delta * (rows[:, i] - mean)
    for i in range(lanes if whole else 0):
        found = _together(found, (whole, stack[0][1][:, i], stack[0][2][:, i]), one_lane=True)
    return found[1], found[2] / np.float32(size)


def _by_lanes(*factors: Array) -> Array:
    """The sum of the products in each row: in a register of eight, which is halved and added until one number is
    left."""
    lanes = _VECTOR // factors[0].itemsize
    count, size = factors[0].shape
    whole = size // lanes * lanes
    terms = factors[0]
    for each in factors[1:]:
        terms = terms * each
    if not whole:
        return _in_turn(terms)
    found = _down(terms[:, :whole].reshape(count, -1, lanes))
    if size > whole:
        left = factors[0][:, whole:]
        for each in factors[1:-1]:
            left = left * each[:, whole:]
        last = factors[-1][:, whole:] if len(factors) > 1 else np.float32(1)
        found[:, : size - whole] = _fused(left, last, found[:, : size - whole])
    return _by_halves(found)


def weight_of_rows(grad: Array, rows: Array, mean: Array, scale: Array) -> Array:
    """The gradient of the weight of layer_norm, row after row as in a single thread; a few of them with one
    rounding."""
    standard = _fused(rows, scale.reshape(-1, 1), -scale.reshape(-1, 1) * mean.reshape(-1, 1))
    if len(rows) > 4 * _STEP:
        return np.asarray(np.add.reduce(grad * standard, axis=0))
    found = np.zeros(rows.shape[1], np.float32)
    for each, value in zip(grad, standard, strict=True):
        found = _fused(each, value, found)
    return found


def through_moments(grad: Array, rows: Array, weight: Array | None, mean: Array, scale: Array) -> Array:
    """The gradient of single precision rows through layer_norm; mean and scale have one number per row."""
    weights = () if weight is None else (np.broadcast_to(weight, rows.shape),)
    along, total_ = (_by_lanes(grad, *more, *weights)[:, None] for more in ((rows,), ()))
    mean, scale, share = mean.reshape(-1, 1), scale.reshape(-1, 1), np.float32(1) / np.float32(rows.shape[1])
    slope = _fused(total_, mean, -along) * scale * scale * scale * share
    shift = _fused(-slope, mean, -(total_ * scale * share))
    inner = scale * grad
    return _fused(slope, rows, inner if weight is None else inner * weight) + shift


def picked_losses(x: Array) -> Array:
    """The sum of the losses of a batch in the order of nll_loss: in groups of sixteen in a cascade, the first one
    last."""
    if not x.size or x.size >= _DIVIDED:
        return np.asarray(np.sum(x))
    level = x.reshape(-1)[1:]
    parts = []
    while level.size:
        blocks = level.size // 16
        if level.size % 16:
            parts.append(np.add.accumulate(level[blocks * 16 :])[-1])
        level = _in_turn(level[: blocks * 16].reshape(blocks, 16)) if blocks else level[:0]
    return np.asarray(np.add.accumulate(np.array([*parts, x.reshape(-1)[0]], x.dtype))[-1] + 0.0)


def product(a: Array, b: Array) -> Array:
    """a @ b, or a batch of products. PyTorch multiplies small single precision matrices term by term, in order and with
    two roundings each (a batch: aten/native/LinearAlgebra.cpp; a single product: the small kernel of its BLAS), and a
    row with one rounding each. A single term can be −0, a sum of several can't."""
    if a.ndim == b.ndim == 2 and a.dtype.kind == "f" and a.size and b.size:
        (n, k), m = a.shape, b.shape[1]
        if k == 1 and n > 1 and m > 1:
            return np.multiply(a, b, order="C")
        found = _by_terms(a, b)
        found += 0.0
        return found
    return _by_terms(a, b)


def _by_terms(a: Array, b: Array) -> Array:
    if a.dtype != np.float32 or a.ndim != b.ndim or a.ndim < 2 or not a.size or b.dtype != np.float32:
        return np.asarray(np.matmul(a, b))
    (n, k), m = a.shape[-2:], b.shape[-1]
    work = n * k * m
    if a.ndim == 2 and n == 1 and (m == 1 or b.flags.c_contiguous):
        return _fused_row(a, b) if work < _ROW else np.asarray(np.matmul(a, b))
    if a.ndim > 2:
        in_turn = work < 400 and len(a) * work < _DIVIDED
    elif n == 1:
        in_turn = work < 20
    else:
        turned = not a.flags.c_contiguous
        in_turn = work < 20 or (work < 100 and (turned or (m > 1 and (k < 4 or b.flags.c_contiguous))))
    if not in_turn:
        return np.asarray(np.matmul(a, b))
    terms = a[..., :, :, None] * b[..., None, :, :]
    if m > 1:
        return np.asarray(np.add.reduce(terms, axis=-2))
    return np.ascontiguousarray(np.add.accumulate(terms, axis=-2)[..., -1, :])


def _fused_row(a: Array, b: Array) -> Array:
    """A row times a matrix, term by term and with one rounding each, which is what NumPy does in a tile of its own. A
    single row or column would be added in other parts, so the rest of the tile is filled up with zeros."""
    k, m = b.shape
    rows, columns = np.zeros((_TILE, k), np.float32), np.zeros((k, max(m, _TILE)), np.float32)
    rows[0], columns[:, :m] = a[0], b
    found: Array = np.matmul(rows, columns)[:1, :m]
    return found.copy()
