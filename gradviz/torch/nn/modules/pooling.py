"""Layers over images that have nothing to learn, each holding the settings of one function of `nn.functional`: pooling,
padding, upsampling, unfolding, shuffling."""

from __future__ import annotations

from typing import Any

from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONAL
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.conv import sizes
from gradviz.torch.nn.modules.module import Module


class _MaxPool(Module):
    dims = 0

    def __init__(
        self,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        dilation: object = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        return getattr(F, f"max_pool{self.dims}d")(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest value of each window."""

    dims = 1


class MaxPool2d(_MaxPool):
    """The largest value of each window."""

    dims = 2


class MaxPool3d(_MaxPool):
    """The largest value of each window."""

    dims = 3


class AvgPool1d(Module):
    """The mean of each window."""

    def __init__(
        self,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = sizes(kernel_size, 1)
        self.stride = sizes(kernel_size if stride is None else stride, 1)
        self.padding = sizes(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(Module):
    dims = 0

    def __init__(
        self,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, f"avg_pool{self.dims}d")(  # type: ignore[no-any-return]
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPool):
    """The mean of each window."""

    dims = 2


class AvgPool3d(_AvgPool):
    """The mean of each window."""

    dims = 3


class _AdaptivePool(Module):
    function = ""

    def __init__(self, output_size: object) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return FUNCTIONAL[self.function](input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptivePool):
    """Means over windows chosen for an output size."""

    function = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptivePool):
    """Means over windows chosen for an output size."""

    function = "adaptive_avg_pool2d"


class _AdaptiveMaxPool(_AdaptivePool):
    def __init__(self, output_size: object, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Tensor:
        return FUNCTIONAL[self.function](input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Largest values over windows chosen for an output size."""

    function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Largest values over windows chosen for an output size."""

    function = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Largest values over windows chosen for an output size."""

    function = "adaptive_max_pool3d"


class _FractionalMaxPool(Module):
    dims = 0

    def __init__(
        self,
        kernel_size: object,
        output_size: object = None,
        output_ratio: object = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = sizes(kernel_size, self.dims)
        if self.dims == 3 and any(size <= 0 for size in self.kernel_size):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else sizes(output_size, self.dims)
        self.output_ratio = None if output_ratio is None else sizes(output_ratio, self.dims)
        if output_size is None and output_ratio is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < each < 1 for each in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        return getattr(F, f"fractional_max_pool{self.dims}d")(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest value of each window; the windows begin at random places."""

    dims = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest value of each window; the windows begin at random places."""

    dims = 3


class _PowerPool(Module):
    dims = 0

    def __init__(self, norm_type: float, kernel_size: object, stride: object = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        function = getattr(F, f"lp_pool{self.dims}d")
        return function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_PowerPool):
    """The p-norm of each window."""

    dims = 1


class LPPool2d(_PowerPool):
    """The p-norm of each window."""

    dims = 2


class LPPool3d(_PowerPool):
    """The p-norm of each window."""

    dims = 3


class _MaxUnpool(Module):
    dims = 0

    def __init__(self, kernel_size: object, stride: object = None, padding: object = 0) -> None:
        super().__init__()
        self.kernel_size = sizes(kernel_size, self.dims)
        self.stride = sizes(kernel_size if stride is None else stride, self.dims)
        self.padding = sizes(padding, self.dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: object = None) -> Tensor:
        function = getattr(F, f"max_unpool{self.dims}d")
        return function(input, indices, self.kernel_size, self.stride, self.padding, output_size)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Puts the values of a max pooling back at their places."""

    dims = 1


class MaxUnpool2d(_MaxUnpool):
    """Puts the values of a max pooling back at their places."""

    dims = 2


class MaxUnpool3d(_MaxUnpool):
    """Puts the values of a max pooling back at their places."""

    dims = 3


class AdaptiveAvgPool3d(Module):
    """Means over windows chosen for an output size."""

    def __init__(self, output_size: object) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


# --- padding, enlarging, shuffling of pixels ---


class _Pad(Module):
    dims = 0
    mode = ""

    def __init__(self, padding: object) -> None:
        super().__init__()
        self.padding = sizes(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        if self.mode == "circular" and input.dim() not in (self.dims + 1, self.dims + 2):
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, mode=self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(_Pad):
    """Pads with the mirror image of the input."""

    dims, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Pads with the mirror image of the input."""

    dims, mode = 2, "reflect"


class ReplicationPad1d(_Pad):
    """Pads with the border of the input."""

    dims, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Pads with the border of the input."""

    dims, mode = 2, "replicate"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: object, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="constant", value=self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads with one value."""

    dims = 1


class ConstantPad2d(_ConstantPad):
    """Pads with one value."""

    dims = 2


class ZeroPad1d(_ConstantPad):
    """Pads with zeros."""

    dims = 1

    def __init__(self, padding: object) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ZeroPad1d):
    """Pads with zeros."""

    dims = 2


class Upsample(Module):
    """Enlarges by interpolation."""

    def __init__(
        self,
        size: object = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: object = tuple(float(each) for each in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        options = (self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)
        return F.interpolate(input, *options)

    def extra_repr(self) -> str:
        first = f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"
        return f"{first}, mode={self.mode!r}"


class PixelShuffle(Module):
    """Moves channels into space."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class Unfold(Module):
    """Each window of an image as a column."""

    def __init__(self, kernel_size: object, dilation: object = 1, padding: object = 0, stride: object = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Unfold):
    """Columns put back as windows, added up where they overlap."""

    def __init__(
        self, output_size: object, kernel_size: object, dilation: object = 1, padding: object = 0, stride: object = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"


class PixelUnshuffle(Module):
    """Moves space into channels."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Mixes the channels of several groups."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class UpsamplingNearest2d(Upsample):
    """Enlarges by the nearest element."""

    def __init__(self, size: object = None, scale_factor: object = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Enlarges linearly, with the corners aligned."""

    def __init__(self, size: object = None, scale_factor: object = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class ReflectionPad3d(_Pad):
    """Pads with the mirror image of the input."""

    dims, mode = 3, "reflect"


class ReplicationPad3d(_Pad):
    """Pads with the border of the input."""

    dims, mode = 3, "replicate"


class CircularPad1d(_Pad):
    """Pads with the other end of the input."""

    dims, mode = 1, "circular"


class CircularPad2d(_Pad):
    """Pads with the other end of the input."""

    dims, mode = 2, "circular"


class CircularPad3d(_Pad):
    """Pads with the other end of the input."""

    dims, mode = 3, "circular"


class ConstantPad3d(_ConstantPad):
    """Pads with one value."""

    dims = 3


class ZeroPad3d(ZeroPad1d):
    """Pads with zeros."""

    dims = 3
