"""Layers that pad, enlarge or rearrange images, each holding the settings of one function of `nn.functional`: padding,
upsampling, unfolding, shuffling. Pooling is in `pooling.py`."""

from __future__ import annotations

from typing import Any

from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.conv import sizes
from gradviz.torch.nn.modules.module import Module

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
