"""What old scripts still call of `torch.autograd`: tensors under their former name, custom functions that say that they
write to their inputs, and the one function of `torch.autograd._functions` that Python code uses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.function import Function


class _Engine:
    """The part of the backward engine that custom functions call."""

    def queue_callback(self, callback: Callable[[], object]) -> None:
        """Call it when the backward pass that runs now is over."""
        if state.running is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.running.callbacks.append(callback)


class _VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """As before PyTorch 0.4: the tensor itself."""

    _execution_engine = _Engine()

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = data.detach()
        if requires_grad:
            made.requires_grad_()
        return made


class InplaceFunction(Function):
    """For functions that may write to their inputs; today every one may."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


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
