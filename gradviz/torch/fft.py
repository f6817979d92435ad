"""`torch.fft`: the names; the mathematics is in the engine."""

from __future__ import annotations

from typing import Any

from gradviz.engine.api import FFT as _NAMES

globals().update(_NAMES)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from gradviz.torch.missing import explain

    raise AttributeError(explain("torch.fft", name))
