"""`torch.accelerator`: there is none."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """False: everything runs on the CPU."""
    return False


def device_count() -> int:
    """None are there."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator."""


def synchronize(device: Any = None) -> None:
    """Accepted: nothing runs beside the CPU."""
