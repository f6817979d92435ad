"""Whether two values are the same, for a hundred thousand pairs at once: each value is boiled down to a few numbers
that follow from every one of its elements and their places. Values of two runs of the same arithmetic are equal to the
last digit; a difference in the seventh does not count as one. Read `compare` next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

Array = NDArray[Any]

TOLERANCE = 1e-6  # of the norm
MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """One row per value of a trace, and one more for no value."""

    shape: Array  # a number for dtype and sizes
    total: Array  # sum of the finite elements, each with the weight of its place
    norm: Array  # of the finite elements
    odd: Array  # the same sum over NaN and infinities


def fingerprints(trace: Trace) -> Fingerprints:
    """Of every value in the trace."""
    rows, count = trace.values, len(trace.values)
    total, odd, square = np.zeros(count + 1), np.zeros(count + 1), np.zeros(count + 1)
    filled = np.flatnonzero(rows.count)
    filled = filled[np.lexsort((rows.offset[filled], rows.chunk[filled]))]
    chunks, starts = np.unique(rows.chunk[filled], return_index=True)
    ends = np.append(starts[1:], len(filled))[: len(starts)]
    for chunk, start, end in zip(chunks.tolist(), starts.tolist(), ends.tolist(), strict=True):
        mine = filled[start:end]
        data, offsets, counts = trace.store.piece(chunk), rows.offset[mine], rows.count[mine]
        wide = _real(data[offsets[0] : offsets[-1] + counts[-1]])
        begins = offsets - offsets[0]
        weight = _weights(np.arange(len(wide)) - np.repeat(begins, np.diff(np.append(begins, len(wide)))))
        finite = np.isfinite(wide)
        if finite.all():
            plain = wide
        else:
            plain = np.where(finite, wide, 0.0)
            code = np.where(np.isnan(wide), 1.0, np.where(wide > 0, 2.0, 3.0))
            odd[mine] = np.add.reduceat(np.where(finite, 0.0, code) * weight, begins)
        total[mine] = np.add.reduceat(plain * weight, begins)
        square[mine] = np.add.reduceat(np.square(plain), begins)
    norm = np.sqrt(square)
    cut = np.flatnonzero(~rows.complete)  # only their edges are here, but the norm is of all
    total[cut] += np.nan_to_num(rows.norm[cut], posinf=0.0)
    norm[cut] = np.nan_to_num(rows.norm[cut], posinf=0.0)
    shape = np.append(_shapes(trace), np.uint64(0))
    return Fingerprints(shape, total, norm, odd)


def _real(data: Array) -> Array:
    """Numbers in double precision; of complex ones two parts as one."""
    return data.real + np.pi * data.imag if data.dtype.kind == "c" else data.astype(np.float64)


def _weights(place: Array) -> Array:
    """A weight between 0.5 and 1.5 for each place in a value, in no order that a change would keep."""
    mixed: Array = place.astype(np.uint64) * MIX >> np.uint64(40)
    return 0.5 + mixed / float(1 << 24)


def _shapes(trace: Trace) -> Array:
    """A number for the dtype and the sizes of each value."""
    rows = trace.values
    found = rows.dtype.astype(np.uint64) + np.uint64(1)
    deep = np.flatnonzero(rows.ndim)
    if len(deep):
        starts = np.cumsum(rows.ndim[deep], dtype=np.int64) - rows.ndim[deep]
        place = np.arange(len(trace.dims.size)) - np.repeat(starts, rows.ndim[deep])
        sizes = (trace.dims.size.astype(np.uint64) + np.uint64(7)) * MIX ** (place.astype(np.uint64) + np.uint64(1))
        found[deep] += np.add.reduceat(sizes, starts)
    return found


def same(here: Fingerprints, there: Fingerprints, a: Array, b: Array) -> Array:
    """For each pair of values (-1: none) whether they are the same."""
    shape, odd = here.shape[a] == there.shape[b], here.odd[a] == there.odd[b]
    room = TOLERANCE * np.maximum(here.norm[a], there.norm[b])
    near: Array = np.abs(here.total[a] - there.total[b]) <= room
    near &= np.abs(here.norm[a] - there.norm[b]) <= room
    found: Array = shape & odd & near
    return found
