"""The orthogonal polynomials of `torch.special` on whole arrays: each by its recurrence in the degree, Chebyshev's of
high degree inside of (−1, 1) by their trigonometric form. The degree may differ from element to element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # an ndarray of floating point numbers
Step = Callable[[Array, Array, Array, int], Array]  # (x, the last, the one before, degree of the last)


def _recur(x: Array, n: Array, first: Array, step: Step) -> Array:
    """The polynomial of degree n, from those of degree 0 (which is 1) and 1."""
    before, last = np.ones_like(x), first
    found = np.where(n == 0, before, np.where(n == 1, last, x.dtype.type(0)))
    for degree in range(1, int(n.max(initial=0))):
        before, last = last, step(x, last, before, degree)
        found = np.where(n == degree + 1, last, found)
        if not np.isfinite(last).any():  # what is nan or has overflown stays so
            found = np.where(n > degree + 1, last, found)
            break
    return found


def _prepared(x: Array, n: Array) -> tuple[Array, Array]:
    x, n = np.broadcast_arrays(x, n)
    return x, np.trunc(np.nan_to_num(n)).astype(np.int64)


def polynomial(
    first: Callable[[Array], Array], step: Step, limit: int | None = None
) -> Callable[[Array, Array], Array]:
    """The function of x and n for one family; above the degree `limit` PyTorch's result is nan."""

    def values(x: Array, n: Array) -> Array:
        x, n = _prepared(x, n)
        found = _recur(x, n if limit is None else np.minimum(n, limit), first(x), step)
        return found if limit is None else np.where(n > limit, np.nan, found).astype(x.dtype)

    return values


def chebyshev(first: Callable[[Array], Array], trigonometric: Any, *, shifted: bool) -> Callable[[Array, Array], Array]:
    """The function of x and n for one of Chebyshev's four families, over [0, 1] when shifted."""

    def values(x: Array, n: Array) -> Array:
        x, n = _prepared(x, n)
        y = x + x - 1 if shifted else x
        far = (n > 8) & (np.abs(y) < 1)
        angle = np.arccos(y)
        plain = _recur(y, np.where(far, 0, n), first(y), lambda y, last, before, _: (y + y) * last - before)
        return np.where(far, trigonometric(angle, n), plain).astype(x.dtype)

    return values


def chebyshev_kinds(shifted: bool) -> dict[str, Callable[[Array, Array], Array]]:
    """Chebyshev's polynomials of the first to the fourth kind."""
    return {
        "t": chebyshev(lambda y: y, lambda a, n: np.cos(n * a), shifted=shifted),
        "u": chebyshev(lambda y: y + y, lambda a, n: np.sin((n + 1) * a) / np.sin(a), shifted=shifted),
        "v": chebyshev(lambda y: y + y - 1, lambda a, n: np.cos((n + 0.5) * a) / np.cos(a / 2), shifted=shifted),
        "w": chebyshev(lambda y: y + y + 1, lambda a, n: np.sin((n + 0.5) * a) / np.sin(a / 2), shifted=shifted),
    }


hermite_h = polynomial(lambda x: x + x, lambda x, last, before, n: (x + x) * last - 2 * n * before, 512)
hermite_he = polynomial(lambda x: x, lambda x, last, before, n: x * last - n * before, 512)
laguerre_l = polynomial(lambda x: 1 - x, lambda x, last, before, n: ((2 * n + 1 - x) * last - n * before) / (n + 1))
legendre_p = polynomial(lambda x: x, lambda x, last, before, n: ((2 * n + 1) * x * last - n * before) / (n + 1))
