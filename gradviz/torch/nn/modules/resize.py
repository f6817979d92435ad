"""Layers that pad, enlarge or rearrange images: settings and a call to the function in `nn.functional`."""

from __future__ import annotations

from typing import Any

from gradviz.engine.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.conv import sizes
from gradviz.torch.nn.modules.module import Module


class _Pad(Module):
    dims = 0
    mode = ""

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = sizes(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode=self.mode)  # type: ignore[no-any-return]

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

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="constant", value=self.value)  # type: ignore[no-any-return]

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

    def __init__(self, padding: Any) -> None:
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
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(each) for each in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Any:
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
        return F.pixel_shuffle(input, self.upscale_factor)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"
