"""`torch.mps`: there is none."""

from __future__ import annotations


def is_available() -> bool:
    """False: everything runs on the CPU."""
    return False


def device_count() -> int:
    """None are there."""
    return 0


def manual_seed(seed: int) -> None:
    """Accepted: there is no GPU to seed."""
