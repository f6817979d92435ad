"""What elements become that are written one after another while operands in the same memory are read: as PyTorch's
loops do it, a later element sees what was written for an earlier one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import memory_of, outermost_first, start_of, strided


def written_in_turn(x: Array, places: Array, source: Array) -> Array:
    """What an array becomes when the elements of a source in the same memory are written to flat places one after
    another, so that a later one is read after it was written."""
    memory = memory_of(x)
    held = memory.copy()
    written, read = (strided(held, a.dtype, a.shape, a.strides, start_of(a, memory)) for a in (x, source))
    for place, value in zip(places.flat, read.flat, strict=False):
        written.flat[place] = value
    return written


def takes_turns(x: Array, operands: Sequence[object]) -> bool:
    """Whether writing the result of an elementwise function to an array changes elements that are read or written
    again: those of windows that overlap, and those that an operand reads for a later element."""
    others = [each for each in operands if type(each) is np.ndarray and each is not x]
    if not (x.ndim and (_has_windows(x) or any(_meets(x, each) for each in others))):
        return False
    return all(_fits(x, each) for each in others)


def _has_windows(x: Array) -> bool:
    """Whether elements of an array may share memory."""
    if x.flags.c_contiguous or type(x) is not np.ndarray or not x.size or 0 in x.strides:
        return False
    reach = x.itemsize
    for step, n in sorted((abs(step), n) for step, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if step < reach:
            return True
        reach += (n - 1) * step
    return False


def _fits(x: Array, operand: Array) -> bool:
    pairs = zip(reversed(operand.shape), reversed(x.shape), strict=False)
    return operand.ndim <= x.ndim and all(n in (1, whole) for n, whole in pairs)


def _meets(x: Array, operand: Array) -> bool:
    if not np.may_share_memory(x, operand):
        return False
    ours, theirs = (each.__array_interface__["data"][0] for each in (x, operand))
    if (ours, x.shape, x.strides) == (theirs, operand.shape, operand.strides):
        return False
    try:
        return bool(np.shares_memory(x, operand, max_work=10_000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def computed_in_turn(x: Array, operands: Sequence[object], compute: Callable[..., Array]) -> Array:
    """What an array becomes when an elementwise function of operands in the same memory is written to one element of it
    after another, so that a later one reads what an earlier one wrote. The operands are those of `compute`; x is one of
    them, or not."""
    memory = memory_of(x)
    held = memory.copy()

    def moved(a: Array) -> Array:
        inside = np.may_share_memory(a, memory)
        found = strided(held, a.dtype, a.shape, a.strides, start_of(a, memory)) if inside else a
        return np.broadcast_to(found, x.shape)

    arrays = [moved(each) if type(each) is np.ndarray else each for each in operands]
    written = strided(held, x.dtype, x.shape, x.strides, start_of(x, memory))
    strides = [each.strides for each in (x, *arrays) if type(each) is np.ndarray]
    order = outermost_first(x.shape, strides)
    rows = written.transpose(order)
    read = [each.transpose(order) if type(each) is np.ndarray else each for each in arrays]
    for at in np.ndindex(rows.shape[:-1]):
        row = rows[at]
        for part, line in _read_at_once(row, [each[at] if type(each) is np.ndarray else each for each in read]):
            values = compute(*(each[part] if type(each) is np.ndarray else each for each in line))
            np.copyto(row[part], values, casting="unsafe")
    return written


_AT_ONCE = 64  # bytes that PyTorch's loops read before they write, if the elements lie side by side


def _read_at_once(row: Array, line: Sequence[object]) -> list[tuple[slice, Sequence[object]]]:
    """The parts of a row that PyTorch's innermost loop reads before it writes them, each with the operands as they are
    then: registers of elements that lie side by side, in which one operand may be the same element throughout, which is
    read only once; the rest one by one."""
    arrays = [each for each in line if type(each) is np.ndarray]
    met = [each for each in arrays if _meets(row, each)]
    if not met:
        return [(slice(None), line)]
    steps = [each.strides[0] // each.itemsize for each in arrays]
    count, step = row.shape[0], _AT_ONCE // row.itemsize
    beside = row.strides[0] == row.itemsize and steps.count(0) <= 1 and {*steps} <= {0, 1}
    whole = count - count % step if beside else 0
    before = [each.copy() if type(each) is np.ndarray and not each.strides[0] else each for each in line]
    parts: list[tuple[slice, Sequence[object]]] = [(slice(i, i + step), before) for i in range(0, whole, step)]
    if any(each.strides[0] for each in met):
        return [*parts, *((slice(i, i + 1), line) for i in range(whole, count))]
    first = row.__array_interface__["data"][0]
    places = [(each.__array_interface__["data"][0] - first) // row.strides[0] for each in met]
    ends = [whole, *sorted({at + 1 for at in places if whole <= at < count - 1}), count]
    return [*parts, *((slice(a, b), line) for a, b in itertools.pairwise(ends) if a < b)]
