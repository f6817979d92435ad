"""`torch.nn.utils.stateless`: the older home of `torch.func.functional_call`."""

from __future__ import annotations

from typing import Any

from gradviz.torch.func import functional_call as _call

__all__ = ["functional_call"]


def functional_call(
    module: object, parameters_and_buffers: object, args: object = None, kwargs: object = None, *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with other parameters."""
    return _call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
