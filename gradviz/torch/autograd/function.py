"""`torch.autograd.function`: the base of custom functions and its decorators."""

from __future__ import annotations

from gradviz.engine.function import Function, FunctionCtx, once_differentiable


class InplaceFunction(Function):
    """For functions that may write to their inputs; today every one may."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


BackwardCFunction = FunctionCtx
InplaceFunction.__module__ = "torch.autograd.function"

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
