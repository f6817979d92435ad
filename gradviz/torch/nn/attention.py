"""`torch.nn.attention`: which of PyTorch's kernels computes attention. Here there is one, so a choice
changes nothing."""

from __future__ import annotations

import contextlib
import enum
from typing import Any

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.Enum):
    """The kernels that PyTorch has."""

    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION, OVERRIDEABLE = -1, 0, 1, 2, 3, 4


def sdpa_kernel(backends: Any, set_priority: bool = False) -> contextlib.AbstractContextManager[None]:
    """Accepted: there is one kernel."""
    given = backends if isinstance(backends, (list, tuple)) else [backends]
    if not all(isinstance(each, SDPBackend) for each in given):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    return contextlib.nullcontext()
