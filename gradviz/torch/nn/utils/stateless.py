"""`torch.nn.utils.stateless`: the older home of `torch.func.functional_call`."""

from __future__ import annotations

import warnings
from typing import Any

from gradviz.torch.func import functional_call as _call

__all__ = ["functional_call"]
_REPLACED = (
    "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
    "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
)


def functional_call(
    module: object, parameters_and_buffers: object, args: object = None, kwargs: object = None, *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with other parameters."""
    warnings.warn(_REPLACED, FutureWarning, stacklevel=2)
    return _call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
