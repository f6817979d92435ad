"""`torch.signal.windows`: the names; the mathematics is in the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.engine.api import WINDOWS as _NAMES

globals().update(_NAMES)

if TYPE_CHECKING:  # names that the engine registers; at run time `missing.py` answers for the others

    def __getattr__(name: str) -> Any: ...
