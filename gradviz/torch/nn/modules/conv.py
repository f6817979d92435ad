"""Convolution layers in one, two and three dimensions, plain and transposed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import Parameter, fill_parameters, make_parameters

Sizes = int | tuple[int, ...]
_MODES = ("zeros", "reflect", "replicate", "circular")


def sizes(value: Any, count: int) -> tuple[int, ...]:
    """One number for each dimension."""
    return tuple(value) if isinstance(value, tuple | list) else (value,) * count


def repeating(count: int) -> Callable[[object], tuple[object, ...]]:
    """PyTorch's `_single`, `_pair` and `_triple`: a number repeated, or the items of a sequence."""

    def parse(x: object) -> tuple[object, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * count

    return parse


class _Conv(Module):
    dims = 0
    transposed = False
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: str | Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = sizes(kernel_size, self.dims)
        self.stride = sizes(stride, self.dims)
        self.padding = padding if isinstance(padding, str) else sizes(padding, self.dims)
        self.dilation = sizes(dilation, self.dims)
        self.output_padding = (0,) * self.dims
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_impl()
        self._create_impl(bias, dtype, device)

    def _create_impl(self, bias: bool, dtype: DType | None, device: object) -> None:
        """Make the parameters and draw their values."""
        make_parameters(
            self, {"weight": self.weight_shape(), "bias": (self.out_channels,) if bias else None}, dtype, device
        )
        fill_parameters(self, self.reset_parameters)

    def weight_shape(self) -> tuple[int, ...]:
        """(out, in / groups, kernel), with in and out exchanged for a transposed convolution."""
        sides = self.in_channels, self.out_channels
        ins, outs = reversed(sides) if self.transposed else sides
        return (outs, ins // self.groups, *self.kernel_size)

    def _check_impl(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'same', 'valid'}}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{self.padding_mode}'")

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def _both_ends_impl(self) -> list[int]:
        """The padding as `F.pad` takes it: last dimension first, before and after."""
        ends: list[int] = []
        for i in reversed(range(self.dims)):
            if self.padding == "same":
                total = self.dilation[i] * (self.kernel_size[i] - 1)
                ends += [total // 2, total - total // 2]
            else:
                ends += [0, 0] if self.padding == "valid" else [int(self.padding[i])] * 2
        return ends

    def forward(self, input: Tensor) -> Tensor:
        function = getattr(F, f"conv{self.dims}d")
        padding: str | tuple[int, ...] = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._both_ends_impl(), mode=self.padding_mode)
            padding = (0,) * self.dims
        return function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        if self.padding != (0,) * len(self.padding):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self.dims:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * self.dims:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class Conv1d(_Conv):
    """Convolution over (batch, channel, length)."""

    dims = 1


class Conv2d(_Conv):
    """Convolution over (batch, channel, height, width)."""

    dims = 2


class Conv3d(_Conv):
    """Convolution over (batch, channel, depth, height, width)."""

    dims = 3


class _ConvTranspose(_Conv):
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )
        self.output_padding = sizes(output_padding, self.dims)

    def forward(self, input: Tensor, output_size: object = None) -> Tensor:
        extra = self.output_padding if output_size is None else self._extra_impl(input, output_size)
        function = getattr(F, f"conv_transpose{self.dims}d")
        return function(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)  # type: ignore[no-any-return]

    def _extra_impl(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        every = self.dims + input.ndim - (self.dims + 1) + 1
        if len(output_size) not in (self.dims, every):
            raise ValueError(
                f"ConvTranspose{self.dims}D: for {input.ndim}D input, output_size must have {self.dims} or {every} "
                f"elements (got {len(output_size)})"
            )
        wanted = tuple(output_size)[-self.dims :]
        least = [
            (input.shape[i - self.dims] - 1) * self.stride[i]
            - 2 * int(self.padding[i])
            + self.dilation[i] * (self.kernel_size[i] - 1)
            + 1
            for i in range(self.dims)
        ]
        most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.shape[2:]})"
            )
        return tuple(size - low for size, low in zip(wanted, least, strict=True))


class ConvTranspose1d(_ConvTranspose):
    """The gradient of Conv1d with respect to its input, as a layer."""

    dims = 1


class ConvTranspose2d(_ConvTranspose):
    """The gradient of Conv2d with respect to its input, as a layer."""

    dims = 2


class ConvTranspose3d(_ConvTranspose):
    """The gradient of Conv3d with respect to its input, as a layer."""

    dims = 3
