"""`torch.cpu.amp`: the old names of `torch.amp`, with PyTorch's warning."""

from __future__ import annotations

import warnings
from typing import Any

from gradviz.engine import dtypes
from gradviz.torch import amp


class autocast(amp.autocast):
    """`torch.amp.autocast("cpu")`."""

    def __init__(self, enabled: bool = True, dtype: Any = dtypes.bfloat16, cache_enabled: bool = True) -> None:
        warnings.warn(
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cpu", dtype, enabled, cache_enabled)


autocast.__module__ = "torch.cpu.amp.autocast_mode"
