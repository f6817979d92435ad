"""Which of several equal elements `topk`, `kthvalue` and `mode` name. PyTorch selects with algorithms that don't keep
the order of equal elements, so the indices that it prints follow from their exchanges; here these are made on the ranks
of short rows that have equal elements. All other rows are sorted (`order.py`), which gives the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Selection = Callable[[list[int], int], list[int]]  # ranks and how many of the first are wanted: places in order
LONGEST = 127  # from 128 on PyTorch's topk goes by a heap


def ranks(rows: Array) -> Array:
    """Of sorted rows: the number of each element among the different ones; NaN are equal."""
    same = (rows[:, 1:] == rows[:, :-1]) | ((rows[:, 1:] != rows[:, 1:]) & (rows[:, :-1] != rows[:, :-1]))
    found = np.zeros(rows.shape, np.int64)
    np.cumsum(~same, axis=1, out=found[:, 1:])
    return found


def selected(order: Array, rows: Array, k: int, select: Selection) -> Array:
    """The places of sorted rows, `order`, with the first `k` in the order in which `select` leaves equal elements."""
    n = order.shape[1]
    if not 2 <= n <= LONGEST or not len(order):
        return order
    numbers = ranks(rows)
    tied = np.flatnonzero((numbers[:, -1] < n - 1) | (select is by_partition))
    if not len(tied):
        return order
    given = np.empty((len(tied), n), np.int64)
    np.put_along_axis(given, order[tied], numbers[tied], 1)
    patterns, which = np.unique(given, axis=0, return_inverse=True)
    places = np.array([select(pattern, k) for pattern in patterns.tolist()])
    order = order.copy()
    order[tied, :k] = places[which.reshape(-1)][:, :k]
    return order


def in_order(keys: list[int], k: int) -> list[int]:
    """Equal elements as they stand."""
    return sorted(range(len(keys)), key=keys.__getitem__)


def by_sorting(keys: list[int], k: int) -> list[int]:
    """As C++'s `sort`, which `mode` uses."""
    at = list(range(len(keys)))
    _sort(keys, at, len(at))
    return at


def by_partition(keys: list[int], k: int) -> list[int]:
    """As C++'s `nth_element` for the k-th: what `topk` does that need not sort."""
    at = list(range(len(keys)))
    if k == 1 and len(keys) >= 64:
        return in_order(keys, k)
    low, high = 0, len(at)
    while high - low > 3:
        cut = _parted(keys, at, low, high)
        low, high = (cut, high) if cut <= k - 1 else (low, cut)
    at[low:high] = sorted(at[low:high], key=keys.__getitem__)
    return at


def by_partitions(keys: list[int], k: int) -> list[int]:
    """And C++'s `sort` for those before the k-th: what `topk` does."""
    at = by_partition(keys, k)
    _sort(keys, at, k - 1)
    return at


def _sort(keys: list[int], at: list[int], end: int) -> None:
    """C++'s `sort` of the first places: long stretches are parted, and then all is sorted by insertion."""
    pending = [(0, end)]
    while pending:
        low, high = pending.pop()
        if high - low > 16:
            cut = _parted(keys, at, low, high)
            pending += [(low, cut), (cut, high)]
    at[:end] = sorted(at[:end], key=keys.__getitem__)


def _parted(keys: list[int], at: list[int], low: int, high: int) -> int:
    """Part a stretch around the middle one of three of its elements, which goes to the front; where the second part
    begins."""
    a, b, c = low + 1, low + (high - low) // 2, high - 1
    x, y, z = (keys[at[i]] for i in (a, b, c))
    if x < y:
        pivot = b if y < z else c if x < z else a
    else:
        pivot = a if x < z else c if y < z else b
    at[low], at[pivot] = at[pivot], at[low]
    middle = keys[at[low]]
    left, right = low + 1, high
    while True:
        while keys[at[left]] < middle:
            left += 1
        right -= 1
        while middle < keys[at[right]]:
            right -= 1
        if left >= right:
            return left
        at[left], at[right] = at[right], at[left]
        left += 1


def by_quickselect(keys: list[int], k: int) -> list[int]:
    """As PyTorch's own quickselect, which `kthvalue` uses: only the k-th place means something."""
    at = list(range(len(keys)))
    low, high, wanted = 0, len(at) - 1, k - 1
    while high > low + 1:
        _exchange(at, (low + high) >> 1, low + 1)
        for one, other in ((low + 1, high), (low, high), (low + 1, low)):
            if keys[at[one]] > keys[at[other]]:
                _exchange(at, one, other)
        cut, right = _crossed(keys, at, low, high)
        _exchange(at, low, right)
        low, high = (cut if right <= wanted else low), (right - 1 if right >= wanted else high)
    if high == low + 1 and keys[at[low]] > keys[at[high]]:
        _exchange(at, low, high)
    return at


def _crossed(keys: list[int], at: list[int], low: int, high: int) -> tuple[int, int]:
    """Exchange what stands on the wrong side of the pivot at `low`; where the two ways crossed."""
    pivot, left, right = keys[at[low]], low + 1, high
    while True:
        left += 1
        while keys[at[left]] < pivot:
            left += 1
        right -= 1
        while keys[at[right]] > pivot:
            right -= 1
        if right < left:
            return left, right
        _exchange(at, left, right)


def _exchange(at: list[int], i: int, j: int) -> None:
    at[i], at[j] = at[j], at[i]
