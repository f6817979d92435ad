"""`torch.nn.functional`: the functions that the engine registers under this name. No mathematics is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gradviz.engine import ops as _ops
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONAL as _FUNCTIONAL

_ready = _ops  # importing it fills the table
globals().update(_FUNCTIONAL)

if TYPE_CHECKING:  # names that the engine registers; at run time `pytorch_names.py` answers for the others

    def __getattr__(name: str) -> Callable[..., Tensor]: ...
