"""`torch.signal`: window functions."""

from __future__ import annotations

from gradviz.torch.signal import windows

__all__ = ["windows"]
