"""`torch.autograd`: backward, grad, custom functions, anomaly mode, checks."""

from __future__ import annotations

from typing import Any

from gradviz.engine.anomaly import detect_anomaly, set_detect_anomaly
from gradviz.engine.call import backward, grad
from gradviz.engine.function import Function
from gradviz.engine.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from gradviz.engine.tensor import Tensor
from gradviz.torch.autograd import function, functional, graph
from gradviz.torch.autograd.gradcheck import gradcheck, gradgradcheck

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]


class _VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """As before PyTorch 0.4: the tensor itself."""

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = data.detach()
        if requires_grad:
            made.requires_grad_()
        return made
