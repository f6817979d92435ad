"""`torch.cuda`: there is none."""

from __future__ import annotations

from typing import Any

from gradviz.torch.cuda import amp

__all__ = ["amp", "device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all", "synchronize"]


def is_available() -> bool:
    """False: everything runs on the CPU."""
    return False


def device_count() -> int:
    """None are there."""
    return 0


def manual_seed(seed: int) -> None:
    """Accepted: there is no GPU to seed."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Accepted: there is no GPU memory."""


def synchronize(device: Any = None) -> None:
    """Accepted: nothing runs beside the CPU."""
