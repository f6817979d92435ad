"""`torchvision.transforms.functional`: what is done with a picture or a tensor before a network gets it; and
`torchvision.utils`: pictures side by side. The computations are not part of the recorded steps. Next: `transforms`, the
same with random numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gradviz import torch
from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.state import paused
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.ops.facts import iinfo
from gradviz.engine.ops.interpolation import interpolate
from gradviz.worker.modules.vision.picture import Image, cut, picture, pixels_of
from gradviz.worker.objects.numpy_boundary import to_numpy

Form = TypeVar("Form", Image, Tensor)  # what goes in as a picture comes out as one, and a tensor as a tensor
Sizes = int | list[int] | tuple[int, ...]
Span = float | list[float] | tuple[float, ...]  # one number, or one for each side
Fill = float | list[float] | tuple[float, ...]
Pair = Sequence[float]
Pictures = Tensor | list[Tensor] | tuple[Tensor, ...]


def pair(size: Sizes) -> tuple[int, int]:
    """Return height and width."""
    if isinstance(size, list | tuple):
        return (operator.index(size[0]), operator.index(size[-1]))
    return (operator.index(size), operator.index(size))


def on_pixels(image: Form, change: Callable[[Array], Array]) -> Form:
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
        made = made if array.dtype.kind == "f" else np.rint(made)
        return torch.from_numpy(np.ascontiguousarray(made.astype(array.dtype)))


def size_of(image: Image | Tensor) -> tuple[int, int]:
    """Return height and width."""
    if isinstance(image, Image):
        return image.height, image.width
    return int(image.shape[-2]), int(image.shape[-1])


def to_tensor(pic: Image | Array) -> Tensor:
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


def pil_to_tensor(pic: Image) -> Tensor:
    """Convert a picture to integers, channels first."""
    array = pixels_of(pic)
    with paused():
        return torch.from_numpy(
            np.ascontiguousarray((array[..., None] if array.ndim == 2 else array).transpose(2, 0, 1))
        )


def convert_image_dtype(image: Tensor, dtype: dtypes.dtype = torch.float32) -> Tensor:
    """Convert to another dtype, scaled from the range of numbers of one to that of the other."""
    if not isinstance(image, Tensor):
        raise TypeError("Input img should be Tensor Image")
    if image.dtype == dtype or (image.is_floating_point() and dtype.is_floating_point):
        return image.to(dtype)
    with paused():
        if image.is_floating_point():
            if dtype == torch.int64 or (dtype == torch.int32 and image.dtype == torch.float32):
                raise RuntimeError(f"The cast from {image.dtype} to {dtype} cannot be performed safely.")
            return image.mul(_shades(dtype) - 1e-3).to(dtype)
        if dtype.is_floating_point:
            return image.to(dtype) / (_shades(image.dtype) - 1)
        given, wanted = _shades(image.dtype), _shades(dtype)
        return (image // (given // wanted)).to(dtype) if given > wanted else image.to(dtype) * (wanted // given)


def _shades(dtype: dtypes.dtype) -> int:
    """Return how many numbers a whole dtype has from 0 on."""
    return 2 if dtype == torch.bool else int(iinfo(dtype).max) + 1


def to_pil_image(pic: Tensor | Array, mode: object = None) -> Image:
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


def normalize(tensor: Tensor, mean: Pair, std: Pair, inplace: object = False) -> Tensor:
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


def resize(
    img: Form, size: Sizes, interpolation: str = "bilinear", max_size: object = None, antialias: object = True
) -> Form:
    """Resize; a single number is the size of the shorter side."""
    height, width = size_of(img)
    if isinstance(size, list | tuple) and len(size) == 2:
        new_height, new_width = pair(size)
    else:
        short = pair(size)[0]
        new_height = short if height <= width else int(short * height / width)
        new_width = short if width <= height else int(short * width / height)
    if (new_height, new_width) == (height, width):
        return img
    mode = str.__str__(interpolation)
    if isinstance(img, Image):
        return img.resize((new_width, new_height), mode)
    with paused():
        several = img.reshape(-1, *img.shape[-3:]) if img.ndim > 2 else img[None, None]
        look = {} if mode == "nearest" else {"align_corners": False, "antialias": bool(antialias)}
        numbers = several if several.is_floating_point() else several.float()
        made = interpolate(numbers, (new_height, new_width), mode=mode, **look)
        made = made if img.is_floating_point() else made.clamp(0, 255).round().to(img.dtype)
        return made.reshape(*img.shape[:-2], new_height, new_width)


def crop(img: Form, top: int, left: int, height: int, width: int) -> Form:
    """Return a part."""
    place = [operator.index(each) for each in (top, left, height, width)]
    return on_pixels(img, lambda pixels: cut(pixels, *place))


def center_crop(img: Form, output_size: Sizes) -> Form:
    """Return the part in the middle."""
    (height, width), (high, wide) = size_of(img), pair(output_size)
    return crop(img, round((height - high) / 2.0), round((width - wide) / 2.0), high, wide)


def pad(img: Form, padding: Sizes, fill: float = 0, padding_mode: str = "constant") -> Form:
    """Add a border."""
    sides = [operator.index(each) for each in (padding if isinstance(padding, list | tuple) else [padding])]
    left, top, right, bottom = sides * (4 // len(sides))
    mode = {"constant": "constant", "reflect": "reflect", "edge": "edge", "symmetric": "symmetric"}[str(padding_mode)]
    if max(left, top, right, bottom) > 4096:
        raise ValueError("a frame of more than 4096 pixels")
    options: dict[str, object] = {"constant_values": float(fill)} if mode == "constant" else {}
    ends = ((top, bottom), (left, right))
    return on_pixels(img, lambda pixels: np.pad(pixels, ends + ((0, 0),) * (pixels.ndim - 2), mode, **options))  # type: ignore[call-overload]


def hflip(img: Form) -> Form:
    """Flip horizontally."""
    return on_pixels(img, lambda pixels: pixels[:, ::-1])


def vflip(img: Form) -> Form:
    """Flip vertically."""
    return on_pixels(img, lambda pixels: pixels[::-1])


def rotate(
    img: Form, angle: float, interpolation: object = None, expand: object = False, center: Pair | None = None,
    fill: Fill = 0,
) -> Form:  # fmt: skip
    """Rotate counter-clockwise."""
    if expand:
        raise PermissionError("rotate(expand=True) is not available in GradViz snippets; pad the picture first")
    return affine(img, -float(angle), (0, 0), 1.0, (0.0, 0.0), fill=fill, center=center)


def affine(
    img: Form, angle: float, translate: Pair, scale: float, shear: Span, interpolation: object = None, fill: Fill = 0,
    center: Pair | None = None,
) -> Form:  # fmt: skip
    """Rotate clockwise, scale, shear (both angles in degrees) and shift by pixels."""
    if not float(scale) > 0:
        raise ValueError("Argument scale should be positive")
    turn = math.radians(float(angle))
    lean, rise = (math.radians(float(each)) for each in (shear if isinstance(shear, list | tuple) else (shear, 0)))
    across, along = math.cos(turn - rise) / math.cos(rise), math.sin(turn - rise) / math.cos(rise)
    from_x = math.cos(turn) - along * math.tan(lean), math.sin(turn) + across * math.tan(lean)
    matrix = np.array((from_x, (-along, across))) / float(scale)
    high, wide = size_of(img)
    middle = np.array(((wide - 1) / 2, (high - 1) / 2) if center is None else [float(each) - 0.5 for each in center])
    moved = middle + [float(each) for each in translate]

    def change(pixels: Array) -> Array:
        ys, xs = np.mgrid[0:high, 0:wide]
        x, y = (matrix @ (np.stack((xs.ravel(), ys.ravel())) - moved[:, None]) + middle[:, None]).reshape(2, high, wide)
        column, row = np.rint(x).astype(np.int64), np.rint(y).astype(np.int64)
        inside = (column >= 0) & (column < wide) & (row >= 0) & (row < high)
        found = pixels[np.clip(row, 0, high - 1), np.clip(column, 0, wide - 1)]
        made: Array = np.where(inside if pixels.ndim == 2 else inside[..., None], found, to_numpy(fill or 0))
        return made

    return on_pixels(img, change)


def gaussian_blur(img: Form, kernel_size: Sizes, sigma: Span | None = None) -> Form:
    """Blur; without a sigma, by one that suits the size of the kernel."""
    wide, high = sizes = pair(kernel_size)
    if min(sizes) <= 0 or wide % 2 == 0 or high % 2 == 0:
        raise ValueError(f"kernel_size should have odd and positive integers. Got {list(sizes)}")
    given = [size * 0.15 + 0.35 for size in sizes] if sigma is None else sigma
    spreads = [float(each) for each in (given if isinstance(given, list | tuple) else (given,))]
    if not min(spreads) > 0:
        raise ValueError(f"sigma should have positive values. Got {spreads}")

    def change(pixels: Array) -> Array:
        made = pixels.astype(np.float64)
        for axis, size, spread in ((0, high, spreads[-1]), (1, wide, spreads[0])):
            weights = np.exp(-0.5 * ((np.arange(size) - size // 2) / spread) ** 2)
            border = [(size // 2, size // 2) if each == axis else (0, 0) for each in range(made.ndim)]
            wider, count = np.pad(made, border, "reflect"), made.shape[axis]
            parts = enumerate(weights / weights.sum())
            made = sum(weight * wider.take(range(at, at + count), axis) for at, weight in parts)
        return made

    return on_pixels(img, change)


def _white(img: Image | Tensor) -> np.float32:
    return np.float32(255 if isinstance(img, Image) or not img.is_floating_point() else 1)


def _shaded(img: Form, factor: float, middle: Callable[[Array], Array]) -> Form:
    """Scale the differences from something by a factor."""
    top, by, rest = _white(img), np.float32(factor), np.float32(1 - float(factor))

    def change(pixels: Array) -> Array:
        made = np.clip(by * pixels + rest * middle(pixels).astype(np.float32), 0, top)
        return made if pixels.dtype.kind == "f" else np.trunc(made)

    return on_pixels(img, change)


def adjust_brightness(img: Form, brightness_factor: float) -> Form:
    """Make it brighter or darker."""
    return _shaded(img, brightness_factor, np.zeros_like)


def adjust_contrast(img: Form, contrast_factor: float) -> Form:
    """Scale the differences from the mean."""
    digits = 0 if isinstance(img, Image) else 12
    return _shaded(img, contrast_factor, lambda pixels: np.round(_grey(pixels).mean(), digits))


def adjust_saturation(img: Form, saturation_factor: float) -> Form:
    """Scale the differences from grey."""
    return _shaded(img, saturation_factor, _grey)


def adjust_sharpness(img: Form, sharpness_factor: float) -> Form:
    """Scale the differences from a smooth picture."""

    def smooth(pixels: Array) -> Array:
        made, size = pixels.astype(np.float64), pixels.shape
        if min(size[:2]) > 2:
            near = [pixels[y : size[0] - 2 + y, x : size[1] - 2 + x] for y in range(3) for x in range(3)]
            made[1:-1, 1:-1] = (np.sum(near, 0, dtype=np.float64) + 4.0 * near[4]) / 13
        return made if pixels.dtype.kind == "f" else np.rint(made)

    return _shaded(img, sharpness_factor, smooth)


def adjust_hue(img: Form, hue_factor: float) -> Form:
    """Turn the colours around the wheel, of which 1 is the whole."""
    if not -0.5 <= float(hue_factor) <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")

    def change(pixels: Array) -> Array:
        if pixels.ndim == 2 or pixels.shape[2] != 3:
            return pixels
        red, green, blue = np.moveaxis(pixels.astype(np.float64), 2, 0)
        most = pixels.max(2).astype(np.float64)
        span = most - pixels.min(2)
        part = np.where(span == 0, 1, span)
        sixth = np.where(most == red, (green - blue) / part, 2 + (blue - red) / part)
        sixth = np.where((most == blue) & (most != red) & (most != green), 4 + (red - green) / part, sixth)
        place = (np.array((5, 3, 1)) + (sixth + 6 * float(hue_factor))[..., None]) % 6
        made: Array = most[..., None] - span[..., None] * np.clip(np.minimum(place, 4 - place), 0, 1)
        return made if pixels.dtype.kind == "f" else np.floor(made * (255.999 / 255))

    return on_pixels(img, change)


def invert(img: Form) -> Form:
    """Exchange black and white."""
    return on_pixels(img, lambda pixels: _white(img) - pixels)


def solarize(img: Form, threshold: float) -> Form:
    """Invert what is at least as bright."""
    return on_pixels(img, lambda pixels: np.where(pixels >= float(threshold), _white(img) - pixels, pixels))


def posterize(img: Form, bits: int) -> Form:
    """Keep only some bits of each number."""
    if not 0 <= bits <= 8:
        raise ValueError(f"The number if bits should be between 0 and 8. Got {bits}")
    return on_pixels(img, lambda pixels: pixels & np.uint8(256 - 2 ** (8 - operator.index(bits))))


def autocontrast(img: Form) -> Form:
    """Stretch each channel to all shades."""

    def change(pixels: Array) -> Array:
        low, high = (edge(pixels, (0, 1), keepdims=True).astype(np.float32) for edge in (np.min, np.max))
        made = np.where(high == low, pixels, (pixels - low) * (_white(img) / np.where(high == low, 1, high - low)))
        return made if pixels.dtype.kind == "f" else np.trunc(made)

    return on_pixels(img, change)


def equalize(img: Form) -> Form:
    """Use all shades of each channel equally often."""

    def change(pixels: Array) -> Array:
        several = pixels if pixels.ndim == 3 else pixels[..., None]
        return np.stack([_equalized(several[..., at]) for at in range(several.shape[2])], 2).reshape(pixels.shape)

    return on_pixels(img, change)


def _equalized(channel: Array) -> Any:
    counts = np.bincount(channel.ravel(), minlength=256)
    step = counts[: channel.max()].sum() // 255
    if step == 0:
        return channel
    return np.clip((np.cumsum(counts) - counts + step // 2) // step, 0, 255).astype(np.uint8)[channel]


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Tensor | float, inplace: object = False) -> Tensor:
    """Put a value in the place of a rectangle of a tensor."""
    with paused():
        made = img if inplace else img.clone()
        top, left, high, wide = map(operator.index, (i, j, h, w))
        made[..., top : top + high, left : left + wide] = v
        return made


def _grey(pixels: Array) -> Array:
    if pixels.ndim == 2 or pixels.shape[2] != 3:
        return pixels
    grey = np.repeat((pixels @ np.array((0.2989, 0.587, 0.114)))[..., None], 3, 2)
    return grey if pixels.dtype.kind == "f" else np.trunc(grey)


def rgb_to_grayscale(img: Form, num_output_channels: int = 1) -> Form:
    """Convert to greyscale."""
    if isinstance(img, Image):
        grey = img.convert("L")
        return grey.convert("RGB") if num_output_channels == 3 else grey
    grey = on_pixels(img, _grey)
    return grey if num_output_channels == 3 else grey[..., :1, :, :]


FUNCTIONS: tuple[Callable[..., object], ...] = (
    *(convert_image_dtype, to_tensor, pil_to_tensor, to_pil_image, normalize, resize, crop, center_crop, pad, hflip),
    *(vflip, rotate, adjust_brightness, adjust_contrast, adjust_saturation, adjust_sharpness, adjust_hue),
    *(affine, gaussian_blur, invert, solarize, posterize, autocontrast, equalize, erase, rgb_to_grayscale),
)


# --- torchvision.utils ---


def make_grid(
    tensor: Pictures, nrow: int = 8, padding: int = 2, normalize: bool = False,
    value_range: tuple[float, float] | None = None, scale_each: bool = False, pad_value: float = 0.0,
) -> Tensor:  # fmt: skip
    """Return several pictures as one tensor."""
    with paused():
        several: Tensor = torch.stack(list(tensor), dim=0) if isinstance(tensor, list | tuple) else tensor
        if several.dim() == 2:
            several = several.unsqueeze(0)
        if several.dim() == 3:
            several = torch.cat((several, several, several), 0) if several.size(0) == 1 else several
            several = several.unsqueeze(0)
        if several.dim() == 4 and several.size(1) == 1:
            several = torch.cat((several, several, several), 1)
        if normalize:
            several = several.detach().clone()
            parts = list(several) if scale_each else [several]
            for part in parts:
                low, high = value_range if value_range is not None else (float(part.min()), float(part.max()))
                part.clamp_(min=low, max=high)
                part.sub_(low).div_(max(high - low, 1e-5))
        if several.size(0) == 1:
            return several.squeeze(0)
        return _laid(several, operator.index(nrow), operator.index(padding), pad_value)


def _laid(several: Tensor, nrow: int, padding: int, pad_value: float) -> Tensor:
    count = several.size(0)
    wide = min(nrow, count)
    high = -(-count // wide)
    height, width = int(several.size(2) + padding), int(several.size(3) + padding)
    grid = several.new_full((several.size(1), height * high + padding, width * wide + padding), float(pad_value))
    for at in range(count):
        row, column = divmod(at, wide)
        top, left = row * height + padding, column * width + padding
        grid[:, top : top + height - padding, left : left + width - padding] = several[at]
    return grid


def save_image(tensor: Pictures, fp: object, format: object = None, **look: Any) -> None:
    """Save a grid of pictures under a name in the folder of the run."""
    with paused():
        grid = make_grid(tensor, **look).mul(255).add(0.5).clamp(0, 255).permute(1, 2, 0)
        picture(np.floor(to_numpy(grid.detach()))).save(fp)
