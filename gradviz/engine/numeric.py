"""Special functions that NumPy lacks, as whole-array formulas; used by the forwards of the op rows."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

try:  # precise and vectorised, in C, one call for each element
    from math import erf as _scalar_erf
except ImportError:  # pragma: no cover
    raise

_erf = np.frompyfunc(_scalar_erf, 1, 1)


def erf(x: Array) -> Array:
    """The error function, to the last digit of a double."""
    return np.asarray(_erf(x.astype(np.float64)), dtype=np.float64).astype(x.dtype)
