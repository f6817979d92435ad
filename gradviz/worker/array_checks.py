"""`numpy.testing` for a snippet: the assertions that tutorials end with, without the package, which is slow to import.

Each returns None or raises an AssertionError in NumPy's first words. Next: `arrays`, which offers them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _fail(what: str, actual: Any, desired: Any, err_msg: str) -> None:
    note = f"\n{err_msg}" if err_msg else ""
    raise AssertionError(f"\n{what}{note}\n ACTUAL: {np.asarray(actual)!r}\n DESIRED: {np.asarray(desired)!r}")


def assert_allclose(
    actual: Any, desired: Any, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True, err_msg: str = ""
) -> None:
    """Equal within tolerances."""
    same_shape = np.shape(actual) == np.shape(desired) or () in (np.shape(actual), np.shape(desired))
    if not (same_shape and np.allclose(actual, desired, rtol, atol, equal_nan)):
        _fail(f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}", actual, desired, err_msg)


def assert_array_equal(actual: Any, desired: Any, err_msg: str = "") -> None:
    """Equal to the last bit, NaNs too."""
    a, b = np.asarray(actual), np.asarray(desired)
    numeric = a.dtype.kind in "fc" and b.dtype.kind in "fc"
    if not (a.shape == b.shape or () in (a.shape, b.shape)) or not np.all((a == b) | (numeric and (a != a) & (b != b))):
        _fail("Arrays are not equal", actual, desired, err_msg)


def assert_almost_equal(actual: Any, desired: Any, decimal: int = 7, err_msg: str = "") -> None:
    """Equal up to so many decimals."""
    if not np.all(np.abs(np.asarray(desired) - np.asarray(actual)) < 1.5 * 10.0**-decimal):
        _fail(f"Arrays are not almost equal to {decimal} decimals", actual, desired, err_msg)


CHECKS: dict[str, Callable[..., None]] = {
    "assert_allclose": assert_allclose,
    "assert_array_equal": assert_array_equal,
    "assert_equal": assert_array_equal,
    "assert_almost_equal": assert_almost_equal,
    "assert_array_almost_equal": assert_almost_equal,
}
