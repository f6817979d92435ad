"""The identity node that module backward hooks hang on."""

from __future__ import annotations

from typing import Any

from gradviz.engine.function import Function


class BackwardHookFunction(Function):
    """Passes tensors and gradients through unchanged."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return grad_outputs
