"""`torch.nn.functional`: the functions that the engine registers under this name. No mathematics is here."""

from __future__ import annotations

from typing import Any

from gradviz.engine import ops as _ops
from gradviz.engine.api import FUNCTIONAL as _FUNCTIONAL

_ready = _ops  # importing it fills the table
globals().update(_FUNCTIONAL)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from gradviz.torch.missing import explain

    raise AttributeError(explain("torch.nn.functional", name))
