"""`torch.autograd`: backward, grad, custom functions, anomaly mode, checks."""

from __future__ import annotations

from typing import NoReturn

from gradviz.engine.kernel.modes import (
    _force_original_view_tracking,
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)
from gradviz.engine.kernel.saved import SavedTensor
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Size, Tensor
from gradviz.engine.run.autograd import backward, grad
from gradviz.engine.run.function import Function, FunctionCtx, once_differentiable
from gradviz.torch.autograd import forward_ad, functional, graph
from gradviz.torch.autograd.gradcheck import gradcheck, gradgradcheck
from gradviz.torch.legacy import InplaceFunction, Resize, Variable
from gradviz.torch.profiler import emit_nvtx, profile, record_function
from gradviz.torch.pytorch_names import rehome

__all__ = [
    "Function",
    "SavedTensor",
    "Variable",
    "anomaly_mode",  # made below
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",  # made below
    "functional",
    "grad",
    "grad_mode",  # made below
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]

rehome(
    __name__,
    {
        "_functions": [Resize],
        "anomaly_mode": [detect_anomaly, set_detect_anomaly],
        "function": [Function, InplaceFunction, once_differentiable],
        "grad_mode": [
            _force_original_view_tracking,
            enable_grad,
            inference_mode,
            no_grad,
            set_grad_enabled,
            set_multithreading_enabled,
        ],
        "variable": [Variable],
    },
)
rehome(  # those that print under another name
    __name__,
    {
        "function": {"BackwardCFunction": FunctionCtx, "FunctionCtx": FunctionCtx},
        "profiler": {
            "emit_itt": emit_nvtx,
            "emit_nvtx": emit_nvtx,
            "profile": profile,
            "record_function": record_function,
        },
    },
    keep=True,
)


def _is_checkpoint_valid() -> bool:
    """Whether the running backward pass is not limited to some inputs."""
    return state.running is None or state.running.needed is None


def is_view_replay_enabled() -> bool:
    """Return the last setting of `_force_original_view_tracking`."""
    return _force_original_view_tracking.enabled


def is_multithreading_enabled() -> bool:
    """Return the last setting of `set_multithreading_enabled`."""
    return state.multithreading


class _unsafe_preserve_version_counter:
    """Writes inside do not count: the versions are restored at the end."""

    def __init__(self, tensors: Tensor | tuple[Tensor, ...]) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tensors
        self.versions = tuple(each._version for each in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            tensor._share_version().value = version


def _calculate_shape(output: Tensor, grad: Tensor, is_grads_batched: bool) -> tuple[Size, Size]:
    """The shapes of an output and of the gradient given for it."""
    shape = Size(output.node.metas[output.output_nr][0]) if isinstance(output, graph.GradientEdge) else output.shape
    return shape, Size(grad.shape[1:]) if is_grads_batched else grad.shape


def variable(*args: object, **kwargs: object) -> NoReturn:
    """PyTorch has this function to say what to use; it replaces the module of this name."""
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
