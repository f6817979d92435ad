"""`torchvision.transforms`: what is done with a picture or a tensor before a network gets it, with torchvision's random
numbers in torchvision's order. Their computations are not part of the recorded steps."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz import torch
from gradviz.engine.kernel.state import paused
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.worker.modules.vision.picture import Image, cut, picture, pixels_of, resized
from gradviz.worker.objects.numpy_boundary import to_numpy


def _pair(size: Any) -> tuple[int, int]:
    """Return height and width."""
    if isinstance(size, list | tuple):
        return (operator.index(size[0]), operator.index(size[-1]))
    return (operator.index(size), operator.index(size))


def _on_pixels(image: Any, change: Callable[[Any], Any]) -> Any:
    """Change a picture, or a tensor of channels, height and width, in NumPy's order of axes."""
    if isinstance(image, Image):
        return picture(change(pixels_of(image)))
    if not isinstance(image, Tensor):
        raise TypeError(f"img should be PIL Image. Got {type(image)}")
    with paused():
        array: Any = to_numpy(Tensor.detach(image))
        lead = array.shape[:-3]
        several = array.reshape(-1, *array.shape[-3:]) if array.ndim >= 3 else array[None, None]
        made = np.stack([change(each.transpose(1, 2, 0)).transpose(2, 0, 1) for each in several])
        made = made.reshape(*lead, *made.shape[1:]) if array.ndim >= 3 else made[0, 0]
        return torch.from_numpy(np.ascontiguousarray(made.astype(array.dtype)))


def _size(image: Any) -> tuple[int, int]:
    """Return height and width."""
    if isinstance(image, Image):
        return image.height, image.width
    return int(image.shape[-2]), int(image.shape[-1])


def _random() -> float:
    return float(torch.rand(1).item())


def _whole(low: int, high: int) -> int:
    return int(torch.randint(low, high, size=(1,)).item())


# --- functional ---


def to_tensor(pic: Any) -> Any:
    """Convert a picture to numbers from 0 to 1, channels first."""
    array = pic._pixels if type(pic) is Image else np.array(to_numpy(pic))
    if array.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    channels = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
    made = np.empty(channels.shape, np.float32 if array.dtype == np.uint8 else array.dtype)
    if array.dtype == np.uint8:
        np.divide(channels, np.float32(255), out=made)
    else:
        made[...] = channels
    with paused():
        return torch.from_numpy(made)


def pil_to_tensor(pic: Any) -> Any:
    """Convert a picture to integers, channels first."""
    array = pixels_of(pic)
    with paused():
        return torch.from_numpy(
            np.ascontiguousarray((array[..., None] if array.ndim == 2 else array).transpose(2, 0, 1))
        )


def to_pil_image(pic: Any, mode: object = None) -> Image:
    """Convert a tensor or an array to a picture."""
    if isinstance(pic, Tensor):
        array = np.array(to_numpy(Tensor.detach(pic)))
        array = array * 255 // 1 if array.dtype.kind == "f" else array
        array = array.transpose(1, 2, 0) if array.ndim == 3 else array
    else:
        array = np.array(to_numpy(pic))
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] != 3):
        raise ValueError(f"pic should be 2/3 dimensional with 1 or 3 channels. Got {array.shape}.")
    return picture(array)


def _plain(*given: object) -> bool:
    """Whether these are lists or tuples of floats of the same length."""
    several = all(type(each) in (list, tuple) for each in given)
    numbers = several and all(type(number) is float for each in given for number in each)  # type: ignore[attr-defined]
    return numbers and len({len(each) for each in given}) == 1  # type: ignore[arg-type]


def normalize(tensor: Any, mean: Any, std: Any, inplace: object = False) -> Tensor:
    """Subtract each channel's mean and divide by its standard deviation."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if type(tensor) is Tensor and not tensor.requires_grad and tensor.dtype is torch.float32 and _plain(mean, std):
        numbers = np.array((mean, std), np.float32)[..., None, None]
        result = (tensor._data - numbers[0]) / numbers[1] if numbers[1].all() and not inplace else None
        if result is not None and result.shape == tensor.shape:
            return wrap(result)
    with paused():
        middle = torch.as_tensor(mean, dtype=tensor.dtype).reshape(-1, 1, 1)
        spread = torch.as_tensor(std, dtype=tensor.dtype).reshape(-1, 1, 1)
        if (spread == 0).any():
            raise ValueError("std evaluated to zero, leading to division by zero.")
        return (tensor if inplace else tensor.clone()).sub_(middle).div_(spread)


def resize(img: Any, size: Any, *rest: object, **look: object) -> Any:
    """Resize; a single number is the size of the shorter side."""
    height, width = _size(img)
    if isinstance(size, list | tuple) and len(size) == 2:
        new_height, new_width = _pair(size)
    else:
        short = _pair(size)[0]
        new_height = short if height <= width else int(short * height / width)
        new_width = short if width <= height else int(short * width / height)
    if (new_height, new_width) == (height, width):
        return img
    return _on_pixels(img, lambda pixels: resized(pixels, new_height, new_width))


def crop(img: Any, top: Any, left: Any, height: Any, width: Any) -> Any:
    """Return a part."""
    place = [operator.index(each) for each in (top, left, height, width)]
    return _on_pixels(img, lambda pixels: cut(pixels, *place))


def center_crop(img: Any, output_size: Any) -> Any:
    """Return the part in the middle."""
    (height, width), (high, wide) = _size(img), _pair(output_size)
    return crop(img, round((height - high) / 2.0), round((width - wide) / 2.0), high, wide)


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: Any = "constant") -> Any:
    """Add a border."""
    several = (
        [operator.index(each) for each in padding] if isinstance(padding, list | tuple) else [operator.index(padding)]
    )
    left, top, right, bottom = (
        several if len(several) == 4 else [*several, *several] if len(several) == 2 else several * 4
    )
    mode = {"constant": "constant", "reflect": "reflect", "edge": "edge", "symmetric": "symmetric"}[str(padding_mode)]
    if max(left, top, right, bottom) > 4096:
        raise ValueError("a frame of more than 4096 pixels")
    options: dict[str, Any] = {"constant_values": float(fill)} if mode == "constant" else {}
    ends = ((top, bottom), (left, right))
    return _on_pixels(img, lambda pixels: np.pad(pixels, ends + ((0, 0),) * (pixels.ndim - 2), mode, **options))  # type: ignore[call-overload]


def hflip(img: Any) -> Any:
    """Flip horizontally."""
    return _on_pixels(img, lambda pixels: pixels[:, ::-1])


def vflip(img: Any) -> Any:
    """Flip vertically."""
    return _on_pixels(img, lambda pixels: pixels[::-1])


def rotate(img: Any, angle: Any, *rest: object, **look: object) -> Any:
    """Rotate around the centre."""
    turn = math.radians(float(angle))

    def change(pixels: Any) -> Any:
        height, width = pixels.shape[:2]
        ys, xs = np.mgrid[0:height, 0:width].astype(float)
        y, x = ys - (height - 1) / 2, xs - (width - 1) / 2
        from_x = np.rint(math.cos(turn) * x - math.sin(turn) * y + (width - 1) / 2).astype(int)
        from_y = np.rint(math.sin(turn) * x + math.cos(turn) * y + (height - 1) / 2).astype(int)
        inside = (from_x >= 0) & (from_x < width) & (from_y >= 0) & (from_y < height)
        found = pixels[np.clip(from_y, 0, height - 1), np.clip(from_x, 0, width - 1)]
        return np.where(inside if pixels.ndim == 2 else inside[..., None], found, 0)

    return _on_pixels(img, change)


def _shaded(img: Any, factor: float, middle: Callable[[Any], Any]) -> Any:
    top = 255.0 if isinstance(img, Image) or not img.is_floating_point() else 1.0
    return _on_pixels(
        img, lambda pixels: np.clip(factor * pixels + (1 - factor) * middle(pixels.astype(float)), 0, top)
    )


def adjust_brightness(img: Any, brightness_factor: Any) -> Any:
    """Make it brighter or darker."""
    return _shaded(img, float(brightness_factor), np.zeros_like)


def adjust_contrast(img: Any, contrast_factor: Any) -> Any:
    """Scale the differences from the mean."""
    return _shaded(img, float(contrast_factor), lambda pixels: np.full_like(pixels, pixels.mean()))


def adjust_saturation(img: Any, saturation_factor: Any) -> Any:
    """Scale the differences from grey."""
    return _shaded(img, float(saturation_factor), _grey)


def _grey(pixels: Any) -> Any:
    if pixels.ndim == 2 or pixels.shape[2] != 3:
        return pixels
    return np.repeat((pixels @ np.array((0.2989, 0.587, 0.114)))[..., None], 3, 2)


def rgb_to_grayscale(img: Any, num_output_channels: Any = 1) -> Any:
    """Convert to greyscale."""
    if isinstance(img, Image):
        grey = img.convert("L")
        return grey.convert("RGB") if num_output_channels == 3 else grey
    grey = _on_pixels(img, _grey)
    return grey if num_output_channels == 3 else grey[..., :1, :, :]


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(to_tensor, pil_to_tensor, to_pil_image, normalize, resize, crop, center_crop, pad, hflip, vflip, rotate),
    *(adjust_brightness, adjust_contrast, adjust_saturation, rgb_to_grayscale),
)


# --- classes ---


class _Transform(torch.nn.Module):
    """Base class: options by name, and how they are shown."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        for name, value in options.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        names = next((_SHOWN[each] for each in type(self).__mro__ if each in _SHOWN), ())
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)}' for name in names)})"


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

    def __call__(self, pic: Any) -> Any:
        return to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor(ToTensor):
    """Converts a picture to integers."""

    def __call__(self, pic: Any) -> Any:
        return pil_to_tensor(pic)


class ToPILImage:
    """Converts a tensor to a picture."""

    def __init__(self, mode: object = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Image:
        return to_pil_image(pic)

    def __repr__(self) -> str:
        return "ToPILImage()"


class Lambda:
    """Applies a function of the snippet."""

    def __init__(self, lambd: Any) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return "Lambda()"


class Normalize(_Transform):
    """Subtracts each channel's mean and divides by its standard deviation."""

    def __init__(self, mean: Any, std: Any, inplace: object = False) -> None:
        super().__init__(mean=mean, std=std, inplace=inplace)

    def forward(self, tensor: Any) -> Any:
        """Return the normalized tensor."""
        return normalize(tensor, self.mean, self.std, self.inplace)


class Resize(_Transform):
    """Resizes to another size."""

    def __init__(
        self, size: Any, interpolation: object = "bilinear", max_size: object = None, antialias: object = True
    ) -> None:
        super().__init__(size=size, interpolation=interpolation, max_size=max_size, antialias=antialias)

    def forward(self, img: Any) -> Any:
        """Return the resized picture."""
        return resize(img, self.size)


class CenterCrop(_Transform):
    """Crops to the part in the middle."""

    def __init__(self, size: Any) -> None:
        super().__init__(size=_pair(size))

    def forward(self, img: Any) -> Any:
        """Return the cropped picture."""
        return center_crop(img, self.size)


class Pad(_Transform):
    """Adds a border."""

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: Any = "constant") -> None:
        super().__init__(padding=padding, fill=fill, padding_mode=padding_mode)

    def forward(self, img: Any) -> Any:
        """Return the picture with a border."""
        return pad(img, self.padding, self.fill, self.padding_mode)


class RandomHorizontalFlip(_Transform):
    """Flips horizontally at random."""

    def __init__(self, p: Any = 0.5) -> None:
        super().__init__(p=float(p))

    def forward(self, img: Any) -> Any:
        """Return the picture, flipped or not."""
        with paused():
            return hflip(img) if _random() < self.p else img


class RandomVerticalFlip(RandomHorizontalFlip):
    """Flips vertically at random."""

    def forward(self, img: Any) -> Any:
        """Return the picture, flipped or not."""
        with paused():
            return vflip(img) if _random() < self.p else img


class RandomGrayscale(RandomHorizontalFlip):
    """Converts to greyscale at random."""

    def __init__(self, p: Any = 0.1) -> None:
        super().__init__(p)

    def forward(self, img: Any) -> Any:
        """Return the picture, in grey or not."""
        with paused():
            return rgb_to_grayscale(img, 3) if _random() < self.p else img


class Grayscale(_Transform):
    """Converts to greyscale."""

    def __init__(self, num_output_channels: Any = 1) -> None:
        super().__init__(num_output_channels=num_output_channels)

    def forward(self, img: Any) -> Any:
        """Return the picture in grey."""
        return rgb_to_grayscale(img, self.num_output_channels)


class RandomCrop(_Transform):
    """Crops to a random part."""

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: Any = False, fill: Any = 0, padding_mode: Any = "constant"
    ):
        super().__init__(size=_pair(size), padding=padding)
        self.fill = fill

    def forward(self, img: Any) -> Any:
        """Return the cropped picture."""
        with paused():
            img = img if self.padding is None else pad(img, self.padding, self.fill)
            (height, width), (high, wide) = _size(img), self.size
            if height < high or width < wide:
                raise ValueError(f"Required crop size {self.size} is larger than input image size {(height, width)}")
            if (height, width) == (high, wide):
                return img
            return crop(img, _whole(0, height - high + 1), _whole(0, width - wide + 1), high, wide)


class RandomResizedCrop(_Transform):
    """Crops to a part of random size and place, resized to the given size."""

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3 / 4, 4 / 3), *rest: object, **look: object
    ) -> None:
        super().__init__(size=_pair(size), scale=tuple(scale), ratio=tuple(ratio))

    def forward(self, img: Any) -> Any:
        """Return the cropped and resized picture."""
        with paused():
            height, width = _size(img)
            for _ in range(10):
                area = height * width * float(torch.empty(1).uniform_(*self.scale).item())
                low, high = (math.log(float(each)) for each in self.ratio)
                ratio = math.exp(float(torch.empty(1).uniform_(low, high).item()))
                wide, tall = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
                if 0 < wide <= width and 0 < tall <= height:
                    top, left = _whole(0, height - tall + 1), _whole(0, width - wide + 1)
                    return resize(crop(img, top, left, tall, wide), self.size)
            return resize(center_crop(img, min(height, width)), self.size)


class RandomRotation(_Transform):
    """Rotates by a random angle."""

    def __init__(self, degrees: Any, *rest: object, **look: object) -> None:
        both = (-float(degrees), float(degrees)) if isinstance(degrees, int | float) else tuple(degrees)
        super().__init__(degrees=both)

    def forward(self, img: Any) -> Any:
        """Return the rotated picture."""
        with paused():
            return rotate(img, float(torch.empty(1).uniform_(*map(float, self.degrees)).item()))


class ColorJitter(_Transform):
    """Changes brightness, contrast and saturation at random."""

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None:
        super().__init__(brightness=brightness, contrast=contrast, saturation=saturation, hue=hue)

    def forward(self, img: Any) -> Any:
        """Return the changed picture."""
        with paused():
            order = torch.randperm(4).tolist()
            spreads = (self.brightness, self.contrast, self.saturation)
            ends = [tuple(each) if isinstance(each, list | tuple) else (max(0, 1 - each), 1 + each) for each in spreads]
            factors = [float(torch.empty(1).uniform_(*end).item()) if end != (1, 1) else 1.0 for end in ends]
            for at in order:
                if at < 3 and factors[at] != 1.0:
                    img = (adjust_brightness, adjust_contrast, adjust_saturation)[at](img, factors[at])
            return img


class ConvertImageDtype(_Transform):
    """Converts to another dtype."""

    def __init__(self, dtype: Any) -> None:
        super().__init__(dtype=dtype)

    def forward(self, image: Any) -> Any:
        """Return the converted tensor."""
        with paused():
            return image.to(self.dtype) / 255 if not image.is_floating_point() else image.to(self.dtype)


class ToImage(PILToTensor):
    """Converts a picture or an array to integers."""

    def __call__(self, pic: Any) -> Any:
        if isinstance(pic, Tensor | Image):
            return pic if isinstance(pic, Tensor) else pil_to_tensor(pic)
        with paused():
            array: Any = np.atleast_3d(np.asarray(to_numpy(pic)))
            return torch.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))


class ToDtype(_Transform):
    """Converts to another dtype, scaled to numbers from 0 to 1 if requested."""

    def __init__(self, dtype: Any, scale: object = False) -> None:
        super().__init__(dtype=dtype, scale=bool(scale))

    def forward(self, image: Any) -> Any:
        """Return the converted tensor; anything else is unchanged."""
        if not isinstance(image, Tensor):
            return image
        with paused():
            is_scaled = self.scale and self.dtype.is_floating_point and not image.is_floating_point()
            return image.to(self.dtype) / 255 if is_scaled else image.to(self.dtype)


SECOND: tuple[type, ...] = (ToImage, ToDtype)  # only in torchvision.transforms.v2
CLASSES: tuple[type, ...] = (
    *(Compose, ToTensor, PILToTensor, ToPILImage, Lambda, Normalize, Resize, CenterCrop, Pad, RandomHorizontalFlip),
    *(RandomVerticalFlip, RandomGrayscale, Grayscale, RandomCrop, RandomResizedCrop, RandomRotation, ColorJitter),
    ConvertImageDtype,
)
_SHOWN: dict[type, tuple[str, ...]] = {
    Normalize: ("mean", "std"),
    Resize: ("size", "interpolation", "max_size", "antialias"),
    CenterCrop: ("size",),
    Pad: ("padding", "fill", "padding_mode"),
    RandomHorizontalFlip: ("p",),
    Grayscale: ("num_output_channels",),
    RandomCrop: ("size", "padding"),
    RandomResizedCrop: ("size", "scale", "ratio"),
    RandomRotation: ("degrees",),
    ColorJitter: ("brightness", "contrast", "saturation", "hue"),
    ToDtype: ("scale",),
}
for _class in (_Transform, *CLASSES, *SECOND):
    _class.__module__ = "torchvision.transforms.transforms"
