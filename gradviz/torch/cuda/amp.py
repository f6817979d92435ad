"""`torch.cuda.amp`: the old names of `torch.amp`, with PyTorch's warning."""

from __future__ import annotations

import warnings
from typing import Any

from gradviz.torch import amp


def _warn(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast(amp.autocast):
    """`torch.amp.autocast("cuda")`."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        _warn("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler("cuda")`."""

    def __init__(self, init_scale: float = 65536.0, enabled: bool = True, **options: Any) -> None:
        _warn("GradScaler")
        super().__init__("cuda", init_scale, enabled, **options)
