"""Gradients and parameters of many tensors at once: clipping gradients before a step, by their total norm or each
element by value; and parameters as one long vector and back."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.messages import real_number
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.api import FUNCTIONS
from gradviz.engine.run.inplace import put
from gradviz.torch.nn.modules.registry import typename
from gradviz.torch.nn.parameter import give_data

Tensors = Tensor | Iterable[Tensor]


def _with_grad(parameters: Tensors) -> list[Tensor]:
    """The tensors that have a gradient. A non-leaf without one warns each time it is asked."""
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [param for param in listed if param.grad is not None]


def _norm(values: Array, p: float) -> Any:
    """The p-norm of an array in its own type, summed in float64 as PyTorch's vector code nearly does."""
    magnitudes = np.abs(values).astype(np.float64)
    kind = values.real.dtype
    if magnitudes.size == 0:
        return np.zeros((), kind)
    if p == float("inf"):
        return magnitudes.max().astype(kind)
    if p == -float("inf"):
        return magnitudes.min().astype(kind)
    if p == 0:
        return np.asarray(np.count_nonzero(magnitudes)).astype(kind)
    return np.asarray((magnitudes**p).sum() ** (1.0 / p)).astype(kind)


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of the norms of all tensors."""
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not listed:
        return wrap(np.zeros((), np.float32))
    total = np.asarray(_norm(np.stack([_norm(t._data, norm_type) for t in listed]), norm_type))
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return wrap(total)


def _replace(grad: Tensor, values: Array) -> None:
    if state.observer is not None:
        state.observer.before_write(grad)
    with paused():
        put(grad, values)


def _tell(name: str, params: list[Tensor], **settings: float) -> None:
    if state.observer is not None and params:
        state.observer.clipped(name, params, settings)


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients so that their norm is at most `max_norm`; returns the norm before."""
    if not isinstance(parameters, Tensor):
        listed = list(parameters)
        if isinstance(parameters, types.GeneratorType) and not listed:
            warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
        parameters = listed
    params = _with_grad(parameters)
    total = get_total_norm([_grad(param) for param in params], norm_type, error_if_nonfinite)
    params = _with_grad(parameters)
    factor = _scale(params, max_norm, total)
    _tell("clip_grad_norm_", params, max_norm=max_norm, total=float(total._data), factor=factor, norm_type=norm_type)
    return total


def _grad(param: Tensor) -> Tensor:
    assert param._grad is not None
    return param._grad


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients as `clip_grad_norm_` does, with a given norm."""
    params = _with_grad(parameters if isinstance(parameters, Tensor) else list(parameters))
    factor = _scale(params, max_norm, total_norm)
    _tell("clip_grads_with_norm_", params, max_norm=max_norm, total=float(total_norm._data), factor=factor)


def _scale(params: list[Tensor], max_norm: float, total: Tensor) -> float:
    """Scale the gradients, and report the factor."""
    kind = total._data.dtype.type
    factor = np.minimum(
        kind(float(max_norm) if isinstance(max_norm, str) else real_number(max_norm)) / (total._data + kind(1e-6)),
        kind(1.0),
    )
    for grad in map(_grad, params):
        _replace(grad, grad._data * factor.astype(grad._data.dtype))
    return float(factor)


def clip_grad_norm(*args: Any, **kwargs: Any) -> Tensor:
    """The old name of `clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(*args, **kwargs)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clamp every element of every gradient to [-clip_value, clip_value]."""
    bound = float(clip_value)
    params = _with_grad(parameters)
    if not params:
        raise RuntimeError(
            "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be improved? "
            " If so, please report an enhancement request to PyTorch.)"
        )
    for grad in map(_grad, params):
        kind = grad._data.dtype.type
        _replace(grad, np.clip(grad._data, kind(-bound), kind(bound)))
    _tell("clip_grad_value_", params, clip_value=bound)


# --- parameters as one vector ---


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened and joined."""
    return FUNCTIONS["cat"]([_on_one_device(param).view(-1) for param in parameters])


def _on_one_device(param: Tensor) -> Tensor:
    """The parameter; there are no two devices that could differ, but anything without one is refused."""
    _ = param.device
    return param


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Replace the data of the parameters by pieces of a vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for param in parameters:
        count = _on_one_device(param).numel()
        give_data(param, vec[start : start + count].view_as(param).data)
        start += count
