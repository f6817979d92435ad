"""`torch.autograd.variable`: the former name of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor

__all__ = ["Variable"]


class _Engine:
    """The part of the backward engine that custom functions call."""

    def queue_callback(self, callback: Callable[[], Any]) -> None:
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

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = data.detach()
        if requires_grad:
            made.requires_grad_()
        return made
