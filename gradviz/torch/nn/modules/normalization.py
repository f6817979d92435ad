"""Normalisation layers: `BatchNorm1d/2d/3d`, `InstanceNorm1d/2d/3d`, `LayerNorm`, `GroupNorm`, `RMSNorm`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter, fill_parameters, make_parameters, memory_for


def _one_and_zero(module: Module) -> None:
    if module.weight is not None:
        init.ones_(module.weight)
    if getattr(module, "bias", None) is not None:
        init.zeros_(module.bias)


class _BatchNorm(Module):
    _version = 2
    _accepted_impl: tuple[int, ...] = ()
    _expected_impl = ""
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: object = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        shape = (num_features,)
        make_parameters(
            self, {"weight": shape if affine else None, "bias": shape if affine and bias else None}, dtype, device
        )
        tracked = track_running_stats
        self.register_buffer("running_mean", memory_for(shape, dtype, device) if tracked else None)
        self.register_buffer("running_var", memory_for(shape, dtype, device) if tracked else None)
        self.register_buffer("num_batches_tracked", wrap(np.zeros((), np.int64)) if tracked else None)
        fill_parameters(self, self.reset_parameters)

    def reset_running_stats(self) -> None:
        """Reset the running mean and variance."""
        if self.track_running_stats:
            assert self.running_mean is not None and self.running_var is not None
            assert self.num_batches_tracked is not None
            self.running_mean._data.fill(0)
            self.running_var._data.fill(1)
            self.num_batches_tracked._data.fill(0)

    def reset_parameters(self) -> None:
        """Set weights to one, biases to zero."""
        self.reset_running_stats()
        _one_and_zero(self)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        key = prefix + "num_batches_tracked"  # states from before version 2 do not have it
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._accepted_impl:
            raise ValueError(f"expected {self._expected_impl} input (got {input.dim()}D input)")

    def _average_factor_impl(self) -> float:
        """The weight of the current batch in the running statistics."""
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            if layers.stack or layers.duals:
                self.num_batches_tracked.add_(1)  # refused inside a transform that differentiates
            else:
                self.num_batches_tracked._data += 1
            if self.momentum is None:
                return 1.0 / float(self.num_batches_tracked._data)
        return 0.0 if self.momentum is None else self.momentum

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = self._average_factor_impl()
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            by_batch,
            factor,
            self.eps,
        )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Normalises each channel over the batch (and length)."""

    _accepted_impl = (2, 3)
    _expected_impl = "2D or 3D"


class BatchNorm2d(_BatchNorm):
    """Normalises each channel over the batch, height and width."""

    _accepted_impl = (4,)
    _expected_impl = "4D"


class BatchNorm3d(_BatchNorm):
    """Normalises each channel over the batch, depth, height and width."""

    _accepted_impl = (5,)
    _expected_impl = "5D"


class _InstanceNorm(_BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: object = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        single = input.dim() == self._accepted_impl[0]
        dim = input.dim() - self._accepted_impl[0]
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                    f"{input.size(dim)}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                stacklevel=3,
            )
        found = F.instance_norm(
            input.unsqueeze(0) if single else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return found.squeeze(0) if single else found


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample."""

    _accepted_impl = (2, 3)
    _expected_impl = "2D or 3D"


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each sample."""

    _accepted_impl = (3, 4)
    _expected_impl = "3D or 4D"


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of each sample."""

    _accepted_impl = (4, 5)
    _expected_impl = "4D or 5D"


class LayerNorm(Module):
    """Normalises over the last dimensions."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape if elementwise_affine else None
        make_parameters(self, {"weight": shape, "bias": shape if bias else None}, dtype, device)
        fill_parameters(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Set weights to one, biases to zero."""
        _one_and_zero(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides by the root mean square over the last dimensions."""

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        make_parameters(self, {"weight": self.normalized_shape if elementwise_affine else None}, dtype, device)
        fill_parameters(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Set weights to one."""
        _one_and_zero(self)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Normalises groups of channels of each sample."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: object = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        shape = (num_channels,) if affine else None
        make_parameters(self, {"weight": shape, "bias": shape if bias else None}, dtype, device)
        fill_parameters(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Set weights to one, biases to zero."""
        _one_and_zero(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        numbers = f"{self.num_groups}, {self.num_channels}, eps={self.eps}"
        return f"{numbers}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """Divides each channel by a power of the mean square of its neighbours."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
