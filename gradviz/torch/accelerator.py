"""`torch.accelerator`: there is none, and what needs one is refused in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NEEDING = """
current_device_index current_device_idx current_stream empty_cache get_memory_info max_memory_allocated
max_memory_reserved memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats
reset_peak_memory_stats set_device_index set_device_idx synchronize
""".split()


def is_available() -> bool:
    """False: everything runs on the CPU."""
    return False


def device_count() -> int:
    """None are there."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator."""


def _refused(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("Cannot access accelerator device when none is available.")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Refused, as by PyTorch without an accelerator."
    return function


globals().update({name: _refused(name) for name in _NEEDING})
