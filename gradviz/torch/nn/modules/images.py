"""More layers over images, each the settings of one function of `nn.functional`: unfolding, shuffling, further
pools and paddings. The common ones are in `pooling.py` and `resize.py`."""

from __future__ import annotations

from typing import Any

from gradviz.engine.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.conv import sizes
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.modules.resize import Upsample, ZeroPad1d, _ConstantPad, _Pad


class Unfold(Module):
    """Each window of an image as a column."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Unfold):
    """Columns put back as windows, added up where they overlap."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(  # type: ignore[no-any-return]
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"


class PixelUnshuffle(Module):
    """Moves space into channels."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Mixes the channels of several groups."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class UpsamplingNearest2d(Upsample):
    """Enlarges by the nearest element."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Enlarges by straight lines, corners on corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
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


class _PowerPool(Module):
    dims = 0

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
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

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = sizes(kernel_size, self.dims)
        self.stride = sizes(kernel_size if stride is None else stride, self.dims)
        self.padding = sizes(padding, self.dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
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
    """The mean of each of so many windows."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class LocalResponseNorm(Module):
    """Divides each channel by a power of the mean square of its neighbours."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class Softmax2d(Module):
    """Softmax over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)  # type: ignore[no-any-return]


class RReLU(Module):
    """Scales negative elements by a random number in training, by the mean of its range otherwise."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"
