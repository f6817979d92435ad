"""`torchvision.transforms`: `functional` with torchvision's random numbers, in torchvision's order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz import torch
from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.state import paused
from gradviz.engine.kernel.tensor import Tensor
from gradviz.worker.modules.vision import functional
from gradviz.worker.modules.vision.functional import Fill, Form, Pair, Sizes, Span
from gradviz.worker.modules.vision.picture import Image
from gradviz.worker.objects.numpy_boundary import to_numpy


def _random() -> float:
    return float(torch.rand(1).item())


def _whole(low: int, high: int) -> int:
    return int(torch.randint(low, high, size=(1,)).item())


def _around(value: Span, middle: float, low: float = -math.inf) -> list[float]:
    """Return the ends of a range: those given, or a number to both sides."""
    if isinstance(value, list | tuple):
        return [float(each) for each in value]
    if not (value := float(value)) >= 0:
        raise ValueError("If it is a single number, it must be non negative.")
    return [max(low, middle - value), middle + value]


def _drawn(ends: Pair) -> float:
    low, high = map(float, ends)
    return float(torch.empty(1).uniform_(low, high).item())


class _Transform(torch.nn.Module):
    """Base class: options by name, which `repr` shows."""

    __slots__ = ("_shown",)  # which a snippet can't replace: any attribute is read by these names

    def __init__(self, **options: object) -> None:
        super().__init__()
        self._shown = tuple(options)
        for name, value in options.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        values = {name: getattr(self, name) for name in self._shown}
        for name in values.keys() & {"scale", "ratio"} if type(self) is RandomResizedCrop else ():
            values[name] = tuple(round(float(each), 4) for each in values[name])
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in values.items())})"


class Compose:
    """Applies transforms in sequence."""

    def __init__(self, transforms: Any) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for each in self.transforms:
            img = each(img)
        return img

    def __repr__(self) -> str:
        return "Compose(" + "".join(f"\n    {each}" for each in self.transforms) + "\n)"


class ToTensor:
    """Converts a picture to numbers from 0 to 1."""

    def __call__(self, pic: Image | Array) -> Tensor:
        return functional.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor(ToTensor):
    """Converts a picture to integers."""

    def __call__(self, pic: Any) -> Tensor:
        return functional.pil_to_tensor(pic)


class ToPILImage:
    """Converts a tensor to a picture."""

    def __init__(self, mode: object = None) -> None:
        self.mode = mode

    def __call__(self, pic: Tensor | Array) -> Image:
        return functional.to_pil_image(pic)

    def __repr__(self) -> str:
        return "ToPILImage()"


class Lambda:
    """Applies a function of the snippet."""

    def __init__(self, lambd: object) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return "Lambda()"


class Normalize(_Transform):
    """Subtracts each channel's mean and divides by its standard deviation."""

    def __init__(self, mean: Pair, std: Pair, inplace: object = False) -> None:
        super().__init__(mean=mean, std=std)
        self.inplace = inplace

    def forward(self, tensor: Tensor) -> Tensor:
        """Return the normalized tensor."""
        return functional.normalize(tensor, self.mean, self.std, self.inplace)


class Resize(_Transform):
    """Resizes to another size."""

    def __init__(
        self, size: Sizes, interpolation: object = "bilinear", max_size: object = None, antialias: object = True
    ) -> None:
        super().__init__(size=size, interpolation=interpolation, max_size=max_size, antialias=antialias)

    def forward(self, img: Form) -> Form:
        """Return the resized picture."""
        return functional.resize(img, self.size, self.interpolation, None, self.antialias)


class CenterCrop(_Transform):
    """Crops to the part in the middle."""

    def __init__(self, size: Sizes) -> None:
        super().__init__(size=functional.pair(size))

    def forward(self, img: Form) -> Form:
        """Return the cropped picture."""
        return functional.center_crop(img, self.size)


class Pad(_Transform):
    """Adds a border."""

    def __init__(self, padding: Sizes, fill: float = 0, padding_mode: str = "constant") -> None:
        super().__init__(padding=padding, fill=fill, padding_mode=padding_mode)

    def forward(self, img: Form) -> Form:
        """Return the picture with a border."""
        return functional.pad(img, self.padding, self.fill, self.padding_mode)


class _Sometimes(_Transform):
    """Changes a picture with a probability."""

    _change: Any
    _usual = 0.5

    def __init__(self, p: float | None = None) -> None:
        super().__init__(p=float(self._usual if p is None else p))

    def forward(self, img: Form) -> Form:
        """Return the picture, changed or not."""
        with paused():
            return self._change(img) if _random() < self.p else img


class RandomHorizontalFlip(_Sometimes):
    """Flips horizontally at random."""

    _change = staticmethod(functional.hflip)


class RandomVerticalFlip(_Sometimes):
    """Flips vertically at random."""

    _change = staticmethod(functional.vflip)


class RandomGrayscale(_Sometimes):
    """Converts to greyscale at random."""

    _change = staticmethod(
        lambda img: functional.rgb_to_grayscale(img, 1 if isinstance(img, Image) and img.mode == "L" else 3)
    )
    _usual = 0.1


class Grayscale(_Transform):
    """Converts to greyscale."""

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__(num_output_channels=num_output_channels)

    def forward(self, img: Form) -> Form:
        """Return the picture in grey."""
        return functional.rgb_to_grayscale(img, self.num_output_channels)


class RandomCrop(_Transform):
    """Crops to a random part."""

    def __init__(
        self, size: Sizes, padding: Sizes | None = None, pad_if_needed: bool = False, fill: float = 0,
        padding_mode: str = "constant",
    ):  # fmt: skip
        super().__init__(size=functional.pair(size), padding=padding)
        self.pad_if_needed, self.fill, self.padding_mode = pad_if_needed, fill, padding_mode

    def forward(self, img: Form) -> Form:
        """Return the cropped picture."""
        with paused():
            img = img if self.padding is None else self._padded(img, self.padding)
            (height, width), (high, wide) = functional.size_of(img), self.size
            if self.pad_if_needed and (width < wide or height < high):
                img = self._padded(img, (max(0, wide - width), max(0, high - height)))
                height, width = functional.size_of(img)
            if height < high or width < wide:
                raise ValueError(f"Required crop size {self.size} is larger than input image size {(height, width)}")
            if (height, width) == (high, wide):
                return img
            return functional.crop(img, _whole(0, height - high + 1), _whole(0, width - wide + 1), high, wide)

    def _padded(self, img: Form, padding: Sizes) -> Form:
        return functional.pad(img, padding, self.fill, self.padding_mode)


class RandomResizedCrop(_Transform):
    """Crops to a part of random size and place, resized to the given size."""

    def __init__(
        self, size: Sizes, scale: Pair = (0.08, 1.0), ratio: Pair = (3 / 4, 4 / 3), interpolation: object = "bilinear",
        antialias: object = True,
    ) -> None:  # fmt: skip
        look = {"interpolation": interpolation, "antialias": antialias}
        super().__init__(size=functional.pair(size), scale=tuple(scale), ratio=tuple(ratio), **look)

    def forward(self, img: Form) -> Form:
        """Return the cropped and resized picture."""
        with paused():
            height, width = functional.size_of(img)
            for _ in range(10):
                area = height * width * _drawn(self.scale)
                ratio = math.exp(_drawn([math.log(float(each)) for each in self.ratio]))
                wide, tall = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
                if 0 < wide <= width and 0 < tall <= height:
                    top, left = _whole(0, height - tall + 1), _whole(0, width - wide + 1)
                    break
            else:
                tall = wide = min(height, width)
                top, left = round((height - tall) / 2.0), round((width - wide) / 2.0)
            part = functional.crop(img, top, left, tall, wide)
            return functional.resize(part, self.size, self.interpolation, None, self.antialias)


class RandomRotation(_Transform):
    """Rotates by a random angle."""

    def __init__(
        self, degrees: Span, interpolation: object = "nearest", expand: object = False, center: Pair | None = None,
        fill: Fill = 0,
    ) -> None:  # fmt: skip
        look = {"interpolation": interpolation, "expand": expand, "fill": fill}
        super().__init__(degrees=_around(degrees, 0.0), **look)
        self.center = center

    def forward(self, img: Form) -> Form:
        """Return the rotated picture."""
        with paused():
            return functional.rotate(img, _drawn(self.degrees), None, self.expand, self.center, self.fill)


class RandomAffine(_Transform):
    """Rotates, shifts, scales and shears at random."""

    def __init__(
        self, degrees: Span, translate: Pair | None = None, scale: Pair | None = None, shear: Span | None = None,
        interpolation: object = "nearest", fill: Fill = 0, center: Pair | None = None,
    ) -> None:  # fmt: skip
        lean = None if shear is None else _around(shear, 0.0)
        super().__init__(degrees=_around(degrees, 0.0), translate=translate, scale=scale, shear=lean)
        self.fill, self.center = fill, center

    def forward(self, img: Form) -> Form:
        """Return the changed picture."""
        with paused():
            angle, (high, wide) = _drawn(self.degrees), functional.size_of(img)
            parts = [float(part) * size for part, size in zip(self.translate or (), (wide, high), strict=False)]
            shift = [round(_drawn((-part, part))) for part in parts] or [0, 0]
            scale = 1.0 if self.scale is None else _drawn(self.scale)
            shear = [0.0, 0.0] if self.shear is None else [_drawn(self.shear[:2]), 0.0]
            if self.shear is not None and len(self.shear) == 4:
                shear[1] = _drawn(self.shear[2:])
            return functional.affine(img, angle, shift, scale, shear, None, self.fill, self.center)

    def __repr__(self) -> str:
        given = {name: getattr(self, name) for name in ("degrees", "translate", "scale", "shear")}
        return f"RandomAffine({', '.join(f'{name}={value}' for name, value in given.items() if value is not None)})"


class GaussianBlur(_Transform):
    """Blurs by a random sigma."""

    def __init__(self, kernel_size: Sizes, sigma: Span = (0.1, 2.0)) -> None:
        ends = tuple(sigma) if isinstance(sigma, list | tuple) else (float(sigma), float(sigma))
        super().__init__(kernel_size=functional.pair(kernel_size), sigma=ends)

    def forward(self, img: Form) -> Form:
        """Return the blurred picture."""
        with paused():
            return functional.gaussian_blur(img, self.kernel_size, _drawn(self.sigma))


class RandomErasing(_Transform):
    """Puts a value in the place of a random rectangle of a tensor."""

    def __init__(
        self, p: float = 0.5, scale: Pair = (0.02, 0.33), ratio: Pair = (0.3, 3.3), value: Fill | str = 0,
        inplace: object = False,
    ) -> None:  # fmt: skip
        super().__init__(p=p, scale=scale, ratio=ratio, value=value, inplace=inplace)

    def forward(self, img: Tensor) -> Tensor:
        """Return the tensor, changed or not."""
        with paused():
            if not _random() < self.p:
                return img
            channels, height, width = img.shape[-3:]
            ends = [math.log(float(each)) for each in self.ratio]
            for _ in range(10):
                area, ratio = height * width * _drawn(self.scale), math.exp(_drawn(ends))
                high, wide = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
                if not (high < height and wide < width):
                    continue
                if self.value == "random":
                    value = torch.empty(channels, high, wide).normal_()
                else:
                    value = torch.tensor(self.value, dtype=torch.float32).reshape(-1, 1, 1)
                place = _whole(0, height - high + 1), _whole(0, width - wide + 1)
                return functional.erase(img, *place, high, wide, value, self.inplace)
            return img


class ColorJitter(_Transform):
    """Changes brightness, contrast, saturation and hue at random."""

    def __init__(self, brightness: Span = 0, contrast: Span = 0, saturation: Span = 0, hue: Span = 0) -> None:
        given = {"brightness": brightness, "contrast": contrast, "saturation": saturation}
        ends = {name: _around(value, 1.0, 0.0) for name, value in given.items()} | {"hue": _around(hue, 0.0)}
        nothing = ([1.0, 1.0], [0.0, 0.0])
        super().__init__(**{name: None if both in nothing else tuple(both) for name, both in ends.items()})

    def forward(self, img: Form) -> Form:
        """Return the changed picture."""
        with paused():
            order = torch.randperm(4).tolist()
            spreads = (self.brightness, self.contrast, self.saturation, self.hue)
            factors = [None if each is None else _drawn(each) for each in spreads]
            for at in order:
                if factors[at] is not None:
                    img = _COLOURS[at](img, factors[at])
            return img


_COLOURS = [getattr(functional, f"adjust_{what}") for what in ("brightness", "contrast", "saturation", "hue")]


class RandomApply(Compose):
    """Applies transforms in sequence, with a probability."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__(transforms)
        self.p = p

    def __call__(self, img: Any) -> Any:
        with paused():
            chance = _random()
        return img if self.p < chance else super().__call__(img)

    def __repr__(self) -> str:
        return f"RandomApply(\n    p={self.p}" + Compose.__repr__(self)[len("Compose(") :]


class TrivialAugmentWide(_Transform):
    """Applies one of the changes of TrivialAugment, by a random amount."""

    def __init__(
        self, num_magnitude_bins: int = 31, interpolation: object = "InterpolationMode.NEAREST",
        fill: Fill | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_magnitude_bins=num_magnitude_bins, interpolation=interpolation, fill=fill)

    def forward(self, img: Image | Tensor) -> object:
        """Return the changed picture."""
        with paused():
            change, first, last, signed = _TRIVIAL[_whole(0, len(_TRIVIAL))]
            if first == last:
                return change(img, first)
            amounts = torch.linspace(first, last, self.num_magnitude_bins)
            amount = float(amounts[_whole(0, len(amounts))].item())
            return change(img, -amount if signed and _whole(0, 2) else amount)


def _sheared(img: Form, x: float, y: float) -> Form:
    lean = [math.degrees(math.atan(each)) for each in (x, y)]
    return functional.affine(img, 0.0, (0, 0), 1.0, lean, center=(0, 0))


# each change, its amount from the least to the most, and whether it goes both ways
_TRIVIAL: tuple[tuple[Callable[[Any, float], Any], float, float, bool], ...] = (
    (lambda img, by: img, 0.0, 0.0, False),
    (lambda img, by: _sheared(img, by, 0.0), 0.0, 0.99, True),
    (lambda img, by: _sheared(img, 0.0, by), 0.0, 0.99, True),
    (lambda img, by: functional.affine(img, 0.0, (int(by), 0), 1.0, (0.0, 0.0)), 0.0, 32.0, True),
    (lambda img, by: functional.affine(img, 0.0, (0, int(by)), 1.0, (0.0, 0.0)), 0.0, 32.0, True),
    (functional.rotate, 0.0, 135.0, True),
    (lambda img, by: functional.adjust_brightness(img, 1 + by), 0.0, 0.99, True),
    (lambda img, by: functional.adjust_saturation(img, 1 + by), 0.0, 0.99, True),
    (lambda img, by: functional.adjust_contrast(img, 1 + by), 0.0, 0.99, True),
    (lambda img, by: functional.adjust_sharpness(img, 1 + by), 0.0, 0.99, True),
    (lambda img, by: functional.posterize(img, round(by)), 8.0, 2.0, False),
    (functional.solarize, 255.0, 0.0, False),
    (lambda img, by: functional.autocontrast(img), 0.0, 0.0, False),
    (lambda img, by: functional.equalize(img), 0.0, 0.0, False),
)


class ConvertImageDtype(_Transform):
    """Converts to another dtype, scaled from the range of one to that of the other."""

    def __init__(self, dtype: dtypes.dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Tensor) -> Tensor:
        """Return the converted tensor."""
        return functional.convert_image_dtype(image, self.dtype)


class ToImage(PILToTensor):
    """Converts a picture or an array to integers."""

    def __call__(self, pic: Any) -> Tensor:
        if isinstance(pic, Tensor | Image):
            return pic if isinstance(pic, Tensor) else functional.pil_to_tensor(pic)
        with paused():
            array: Array = np.atleast_3d(np.asarray(to_numpy(pic)))
            return torch.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))


class ToDtype(_Transform):
    """Converts to another dtype, scaled to its range if requested."""

    def __init__(self, dtype: dtypes.dtype, scale: object = False) -> None:
        super().__init__(scale=bool(scale))
        self.dtype = dtype

    def forward(self, image: Tensor) -> Tensor:
        """Return the converted tensor; anything else is unchanged."""
        if not isinstance(image, Tensor):
            return image
        with paused():
            return functional.convert_image_dtype(image, self.dtype) if self.scale else image.to(self.dtype)


SECOND: tuple[type, ...] = (ToImage, ToDtype)  # only in torchvision.transforms.v2
CLASSES: tuple[type, ...] = (
    *(Compose, ToTensor, PILToTensor, ToPILImage, Lambda, Normalize, Resize, CenterCrop, Pad, RandomHorizontalFlip),
    *(RandomVerticalFlip, RandomGrayscale, Grayscale, RandomCrop, RandomResizedCrop, RandomRotation, ColorJitter),
    *(ConvertImageDtype, GaussianBlur, RandomAffine, RandomErasing, RandomApply, TrivialAugmentWide),
)
for _class in (_Transform, *CLASSES, *SECOND):
    _class.__module__ = "torchvision.transforms.transforms"
