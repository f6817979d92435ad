"""`torch.version`: which PyTorch is followed."""

from __future__ import annotations

__version__ = "2.13.0+cpu"
cuda: str | None = None
hip: str | None = None
debug = False
