"""Gives memory back to the system that was needed only for a while. No cache is emptied here: it is what has been freed
already and what the C library keeps for later."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> bool:
    """After work that took much memory, in its own thread; whether the C library did something (only glibc can)."""
    if not sys.platform.startswith("linux"):
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))
