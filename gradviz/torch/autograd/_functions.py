"""`torch.autograd._functions`: the one function of it that Python code still calls."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.function import Function
from gradviz.engine.tensor import Tensor

__all__ = ["Resize"]


class Resize(Function):
    """The same elements in another shape."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: tuple[int, ...]) -> Tensor:
        """The tensor in the new shape; the number of elements must be the same."""
        ctx.input_sizes = tensor.size()
        wanted = math.prod(sizes)
        if tensor.numel() != wanted:
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({wanted} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). autograd's resize can "
                "only change the shape of a given tensor, while preserving the number of elements. "
            )
        made: Tensor = tensor.contiguous().view(*sizes)
        return made

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        """The gradient in the former shape."""
        return grad_output.contiguous().view(ctx.input_sizes), None
