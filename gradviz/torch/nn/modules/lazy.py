"""Lazy layers: `LazyLinear`, `LazyConv1d`, `LazyBatchNorm2d` … learn their input size from the first input. Until then
their parameters and buffers have no shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.torch.nn.modules import conv
from gradviz.torch.nn.modules import normalization as norms
from gradviz.torch.nn.modules.linear import Linear
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import UninitializedBuffer, UninitializedParameter, fill_parameters, is_lazy


class LazyModuleMixin(Module):
    """Makes a layer wait for its first input, which `initialize_parameters` gets."""

    cls_to_become: type[Any] | None = None

    def __call__(self, *args: object, **kwargs: object) -> Any:
        self._infer_parameters(self, args, kwargs)
        return Module.__call__(self, *args, **kwargs)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Make the parameters for this input."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Return whether any parameter or buffer has no shape yet."""
        return any(map(is_lazy, itertools.chain(self._parameters.values(), self._buffers.values())))

    def _infer_parameters(self, module: object, args: Iterable[object], kwargs: Any = None) -> None:
        self.initialize_parameters(*args, **(kwargs or {}))
        if self.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become

    def reset_parameters(self) -> None:
        """Draw new values, once there are parameters to fill."""
        if not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def _materialise_impl(self, shapes: dict[str, tuple[int, ...]]) -> None:
        for name, shape in shapes.items():
            value = getattr(self, name, None)
            if value is not None:
                value.materialize(shape)
        fill_parameters(self, self.reset_parameters)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        for name, value in itertools.chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(value) and given is not None and not is_lazy(given):
                value.materialize(given.shape)  # type: ignore[union-attr]
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, value in itertools.chain(self._parameters.items(), self._buffers.items()):
            if value is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = value if is_lazy(value) or keep_vars else value.detach()


class LazyLinear(LazyModuleMixin, Linear):
    """Becomes a Linear when it is called first."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: object = None, dtype: DType | None = None) -> None:
        Module.__init__(self)
        self.in_features = 0
        self.out_features = out_features
        self.register_parameter("weight", UninitializedParameter(dtype=dtype))
        self.register_parameter("bias", UninitializedParameter(dtype=dtype) if bias else None)

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters for this input."""
        if self.has_uninitialized_params():
            self.in_features = int(input.shape[-1])
            self._materialise_impl({"weight": (self.out_features, self.in_features), "bias": (self.out_features,)})


class _LazyConv(LazyModuleMixin, conv._Conv):
    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, out_channels, kernel_size, *args, **kwargs)

    def _create_impl(self, bias: bool, dtype: DType | None, device: object) -> None:
        self.register_parameter("weight", UninitializedParameter(dtype=dtype))
        self.register_parameter("bias", UninitializedParameter(dtype=dtype) if bias else None)

    def initialize_parameters(self, input: Tensor, *args: object, **kwargs: object) -> None:
        """Make the parameters for this input."""
        if not self.has_uninitialized_params():
            return
        if input.ndim not in (self.dims + 1, self.dims + 2):
            raise RuntimeError(
                f"Expected {self.dims + 1}D (unbatched) or {self.dims + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = int(input.shape[1 if input.ndim == self.dims + 2 else 0])
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self._materialise_impl({"weight": self.weight_shape(), "bias": (self.out_channels,)})


class LazyConv1d(_LazyConv, conv.Conv1d):
    """Becomes a Conv1d when it is called first."""

    cls_to_become = conv.Conv1d


class LazyConv2d(_LazyConv, conv.Conv2d):
    """Becomes a Conv2d when it is called first."""

    cls_to_become = conv.Conv2d


class LazyConv3d(_LazyConv, conv.Conv3d):
    """Becomes a Conv3d when it is called first."""

    cls_to_become = conv.Conv3d


class LazyConvTranspose1d(_LazyConv, conv.ConvTranspose1d):
    """Becomes a ConvTranspose1d when it is called first."""

    cls_to_become = conv.ConvTranspose1d


class LazyConvTranspose2d(_LazyConv, conv.ConvTranspose2d):
    """Becomes a ConvTranspose2d when it is called first."""

    cls_to_become = conv.ConvTranspose2d


class LazyConvTranspose3d(_LazyConv, conv.ConvTranspose3d):
    """Becomes a ConvTranspose3d when it is called first."""

    cls_to_become = conv.ConvTranspose3d


class _LazyNorm(LazyModuleMixin, norms._BatchNorm):
    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: object = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        Module.__init__(self)
        self.num_features = 0
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.register_parameter("weight", UninitializedParameter(dtype=dtype) if affine else None)
        self.register_parameter("bias", UninitializedParameter(dtype=dtype) if affine and bias else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", UninitializedBuffer(dtype=dtype) if tracked else None)
        self.register_buffer("running_var", UninitializedBuffer(dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", wrap(np.zeros((), np.int64)) if tracked else None)

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters and buffers for this input."""
        if self.has_uninitialized_params():
            self.num_features = int(input.shape[1])
            shape = (self.num_features,)
            buffers = ("running_mean", "running_var") if self.track_running_stats else ()
            self._materialise_impl(dict.fromkeys(("weight", "bias", *buffers), shape))


class LazyBatchNorm1d(_LazyNorm, norms.BatchNorm1d):
    """Becomes a BatchNorm1d when it is called first."""

    cls_to_become = norms.BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, norms.BatchNorm2d):
    """Becomes a BatchNorm2d when it is called first."""

    cls_to_become = norms.BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, norms.BatchNorm3d):
    """Becomes a BatchNorm3d when it is called first."""

    cls_to_become = norms.BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, norms.InstanceNorm1d):
    """Becomes an InstanceNorm1d when it is called first."""

    cls_to_become = norms.InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, norms.InstanceNorm2d):
    """Becomes an InstanceNorm2d when it is called first."""

    cls_to_become = norms.InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, norms.InstanceNorm3d):
    """Becomes an InstanceNorm3d when it is called first."""

    cls_to_become = norms.InstanceNorm3d
