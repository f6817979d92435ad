"""`torch.autograd.anomaly_mode`: errors in a backward that name the forward line."""

from __future__ import annotations

from gradviz.engine.modes import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
