"""`torch.cpu`: the one device that is there."""

from __future__ import annotations

import contextlib
from typing import Any

from gradviz.torch.cpu import amp

__all__ = ["amp", "current_device", "device_count", "is_available", "is_initialized", "set_device", "synchronize"]


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """One."""
    return 1


def current_device() -> str:
    """`cpu`."""
    return "cpu"


def set_device(device: Any) -> None:
    """Accepted: there is one."""


def synchronize(device: Any = None) -> None:
    """Accepted: nothing runs beside."""


def stream(stream: Any) -> contextlib.AbstractContextManager[None]:
    """Accepted: everything runs in one order."""
    return contextlib.nullcontext()
