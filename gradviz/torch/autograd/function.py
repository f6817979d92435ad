"""`torch.autograd.function`: the base of custom functions and its decorators."""

from __future__ import annotations

from gradviz.engine.function import Function, FunctionCtx, once_differentiable

InplaceFunction = Function

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
