"""Parts of `torch.autograd` that old scripts still use: tensors under their former name, custom functions that declare
that they write to their inputs, and the one function of `torch.autograd._functions` that Python code uses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.function import Function


class _Engine:
    """The part of the backward engine that custom functions call."""

    def queue_callback(self, callback: Callable[[], object]) -> None:
        """Call the function at the end of the running backward pass."""
        if state.running is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.running.callbacks.append(callback)


class _VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """As before PyTorch 0.4: returns the tensor itself."""

    _execution_engine = _Engine()

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        made = data.detach()
        if requires_grad:
            made.requires_grad_()
        return made


class InplaceFunction(Function):
    """For functions that may write to their inputs; today every function may."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class Resize(Function):
    """The same elements in another shape."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: tuple[int, ...]) -> Tensor:
        """Return the tensor in the new shape, which must have the same number of elements."""
        ctx.input_sizes = tensor.size()
        wanted = math.prod(sizes)
        if tensor.numel() != wanted:
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({wanted} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). autograd's resize can "
                "only change the shape of a given tensor, while preserving the number of elements. "
            )
        return tensor.contiguous().view(sizes)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        """Return the gradient in the former shape."""
        return grad_output.contiguous().view(ctx.input_sizes), None
