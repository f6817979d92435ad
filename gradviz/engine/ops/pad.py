"""Padding in its four modes, and other rearrangements of images: unfold, fold, pixel_shuffle, pixel_unshuffle,
channel_shuffle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array, Kernel
from gradviz.engine.kernel.formula import expressed, sentence
from gradviz.engine.kernel.messages import check_value
from gradviz.engine.kernel.rows import OpRow, in_rows, op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics.windows import Sizes, keeps_layout, put_windows, sizes, window_count, windows
from gradviz.engine.ops.elementwise import number_array
from gradviz.engine.ops.neural import need_tensor
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call
from gradviz.engine.run.autocast import casting

F = FUNCTIONS

# --- constant ---


def _ends(pad: Sizes, ndim: int) -> list[tuple[int, int]]:
    """(before, after) for each dimension, from PyTorch's list, which begins with the last one."""
    pairs = [(pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


def _constant(x: Array, *, pad: Sizes, value: float) -> Array:
    ends = _ends(pad, x.ndim)
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, ends, strict=True))
    wide = [(max(a, 0), max(b, 0)) for a, b in ends]
    return np.pad(np.ascontiguousarray(x[cut]), wide, constant_values=number_array(value, x.dtype)[()])


CONSTANT_PAD: OpRow = op(
    "constant_pad_nd",
    "self",
    keeps_layout(_constant),
    category="shape",
    symbol="pad",
    latex=r"[v, x, v]",
    brief="A constant value around.",
    self=sentence(
        "its own part of grad",
        lambda grad, pad: call(CONSTANT_PAD, grad, pad=tuple(-n for n in pad), value=0),
    ),
)


@api("constant_pad_nd", where="torch")
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: object = 0) -> Tensor:
    """A constant around the input; negative numbers cut off."""
    shape = list(input._data.shape)
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * len(shape):
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. "
            f"Pad length is {len(pad)} while the input has {len(shape)} dimensions."
        )
    for n, (a, b) in zip(shape, _ends(tuple(pad), len(shape)), strict=True):
        if n + min(a, 0) + min(b, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    check_value(value, input.dtype)
    return call(CONSTANT_PAD, input, pad=tuple(int(n) for n in pad), value=value)


# --- reflect and replicate ---


def _mirrored(n: int, a: int, b: int) -> Array:
    at = np.abs(np.arange(-a, n + b))
    return np.where(at >= n, 2 * (n - 1) - at, at)


def _repeated(n: int, a: int, b: int) -> Array:
    return np.clip(np.arange(-a, n + b), 0, n - 1)


def _copy_rows(kind: str, camel: str, index: Kernel, dims: int, brief: str) -> OpRow:
    """The row of a padding that copies elements of the input, with the row of its gradient."""

    def places(shape: Sizes, pad: Sizes) -> list[Array]:
        return [index(n, *ends) for n, ends in zip(shape[-dims:], _ends(pad, dims), strict=True)]

    def forward(x: Array, *, padding: Sizes) -> Array:
        for axis, at in enumerate(places(x.shape, padding), x.ndim - dims):
            x = x.take(at, axis)
        return x

    def backward(g: Array, x: Array, *, padding: Sizes) -> Array:
        for axis, at in enumerate(places(x.shape, padding), g.ndim - dims):
            out = np.zeros((x.shape[axis], *np.moveaxis(g, axis, 0).shape[1:]), g.dtype)
            np.add.at(out, at, np.moveaxis(g, axis, 0))
            g = np.moveaxis(out, 0, axis)
        return np.ascontiguousarray(g)

    back: OpRow = op(
        f"{kind}_pad{dims}d_backward",
        "grad_output, self",
        backward,
        node=f"{camel}Pad{dims}DBackwardBackward0",
        category="shape",
        symbol="pad′",
        latex="g",
        brief="Gradients added up at the elements that were copied.",
        grad_output=sentence("grad, padded in the same way", lambda grad, padding: call(row, grad, padding=padding)),
        self=expressed("0", lambda grad, self_shape: grad.new_zeros(self_shape)),
    )
    row = op(
        f"{kind}_pad{dims}d",
        "self",
        forward,
        node=f"{camel}Pad{dims}DBackward0",
        category="shape",
        symbol="pad",
        latex=r"[\cdot, x, \cdot]",
        brief=brief,
        self=sentence(
            "grad, added up at the elements that were copied",
            lambda grad, self, padding: call(back, grad, self, padding=padding),
        ),
    )
    return row


COPYING = {
    ("reflect", n): _copy_rows("reflection", "Reflection", _mirrored, n, "The input mirrored at its borders.")
    for n in (1, 2, 3)
} | {
    ("replicate", n): _copy_rows("replication", "Replication", _repeated, n, "The border repeated.") for n in (1, 2, 3)
}


def _check_mirror(input: Tensor, pad: Sizes) -> None:
    shape = input._data.shape
    for i in range(len(pad) // 2):
        dim = len(shape) - 1 - i
        a, b = pad[2 * i], pad[2 * i + 1]
        if a >= shape[dim] or b >= shape[dim]:
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but "
                f"got: padding "
                f"({a}, {b}) at dimension {dim} of input {list(shape)}"
            )


# --- circular ---


def _circular(input: Tensor, pad: Sizes) -> Tensor:
    """The input continued at its other end: written part by part into new memory, as in PyTorch."""
    shape, ndim = input._data.shape, input._data.ndim
    ends = _ends(pad, ndim)
    for n, (a, b) in zip(shape, ends, strict=True):
        if a > n or b > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if n + a + b < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    size = tuple(n + a + b for n, (a, b) in zip(shape, ends, strict=True))
    out: Tensor = input.new_zeros(size)
    inner, source = out, input
    used = [dim for dim in reversed(range(ndim)) if dim >= ndim - len(pad) // 2]
    for dim in used:
        a, b = ends[dim]
        inner = inner.narrow(dim, max(a, 0), size[dim] - max(b, 0) - max(a, 0))
        source = source.narrow(dim, max(-a, 0), shape[dim] - max(-b, 0) - max(-a, 0))
    inner.copy_(source)
    for dim in used:
        a, b = ends[dim]
        if a > 0:
            out.narrow(dim, 0, a).copy_(out.narrow(dim, size[dim] - a - max(b, 0), a))
        if b > 0:
            out.narrow(dim, size[dim] - b, b).copy_(out.narrow(dim, max(a, 0), b))
    return out


@api("pad", where="F")
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """More elements around the last dimensions: (before, after) of the last, then of the one before …"""
    need_tensor(input, "pad")
    ends = tuple(int(n) for n in pad)
    ndim = input._data.ndim
    if len(ends) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(ends) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(ends)} and input of dimension {ndim}"
        )
    if mode == "constant":
        return constant_pad_nd(input, ends, 0 if value is None else value)
    if value is not None:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    count = len(ends) // 2
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if ndim not in (count + 1, count + 2) or count not in (1, 2, 3):
        raise NotImplementedError(
            f"Padding size {len(ends)} is not supported for {ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return _circular(input, ends)
    if mode == "reflect":
        _check_mirror(input, ends)
    if input.dtype is dtypes.bool_:
        kernel = f"{'reflection' if mode == 'reflect' else 'replication'}_pad{count}d"
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
    made: Tensor = _COPIES[mode, count](input, ends)
    return made


def _copies(mode: str, count: int) -> Any:
    def run(input: Tensor, padding: tuple[int, ...]) -> Tensor:
        return call(COPYING[mode, count], input, padding=padding)

    return casting(run, f"{'reflection' if mode == 'reflect' else 'replication'}_pad{count}d")


_COPIES = {(mode, count): _copies(mode, count) for mode, count in COPYING}


# --- unfold and fold ---


def _im2col(x: Array, *, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Any:
    view = windows(x, kernel_size, stride, padding, dilation)
    lead, n = view.shape[:-5], len(view.shape)
    moved = np.moveaxis(view, (n - 2, n - 1), (n - 4, n - 3))
    return moved.reshape(*lead, view.shape[-5] * math.prod(kernel_size), math.prod(view.shape[-4:-2]))


def _col2im(
    cols: Array, *, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Array:
    counts = [window_count(*each) for each in zip(output_size, kernel_size, stride, padding, dilation, strict=True)]
    split = cols.reshape(*cols.shape[:-2], cols.shape[-2] // math.prod(kernel_size), *kernel_size, *counts)
    n = split.ndim
    return np.ascontiguousarray(
        put_windows(np.moveaxis(split, (n - 4, n - 3), (n - 2, n - 1)), output_size, stride, padding, dilation)
    )


IM2COL: OpRow = op(
    "im2col",
    "self",
    _im2col,
    node="Im2ColBackward0",
    category="shape",
    symbol="unfold",
    latex=r"[x_{W_1}, x_{W_2}, \dots]",
    brief="Each window as a column.",
    self=sentence(
        "grad, added up where windows overlap",
        lambda grad, self_shape, kernel_size, dilation, padding, stride: call(
            COL2IM,
            grad,
            output_size=tuple(self_shape[-2:]),
            kernel_size=kernel_size,
            dilation=dilation,
            padding=padding,
            stride=stride,
        ),
    ),
)
COL2IM: OpRow = op(
    "col2im",
    "self",
    _col2im,
    node="Col2ImBackward0",
    category="shape",
    symbol="fold",
    latex=r"\sum_i x_{W_i}",
    brief="Columns put back as windows, added up where they overlap.",
    self=sentence(
        "the windows of grad",
        lambda grad, kernel_size, dilation, padding, stride: call(
            IM2COL, grad, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
        ),
    ),
)


def _pairs(**given: object) -> dict[str, Sizes]:
    return {name: sizes(value, 2) for name, value in given.items()}


def _need_numbers(input: Tensor, kernel: str) -> None:
    if input.dtype.rank == 1:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.title}'")


@api("unfold", where="F")
def unfold(input: Tensor, kernel_size: object, dilation: object = 1, padding: object = 0, stride: object = 1) -> Tensor:
    """Each window of (N, C, H, W) as a column: (N, C · kernel elements, windows)."""
    given = _pairs(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    shape = input._data.shape
    if len(shape) not in (3, 4):
        if len(shape) < 3:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got "
                f"{len(shape)})"
            )
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(shape)}"
        )
    counts = tuple(
        window_count(n, *(given[k][i] for k in ("kernel_size", "stride", "padding", "dilation")))
        for i, n in enumerate(shape[-2:])
    )
    if min(counts) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(shape[-2:])}, kernel_size={given['kernel_size']}, "
            f"dilation={given['dilation']}, "
            f"padding={given['padding']}, calculated shape of the array of sliding blocks as "
            f"{tuple(max(c, 0) for c in counts)}, "
            "but its components must be at least one."
        )
    _need_numbers(input, "im2col_out_cpu")
    return call(IM2COL, input, **given)


@api("fold", where="F")
def fold(
    input: Tensor,
    output_size: object,
    kernel_size: object,
    dilation: object = 1,
    padding: object = 0,
    stride: object = 1,
) -> Tensor:
    """The transpose of `unfold`: columns put back as windows and added up."""
    given = _pairs(output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    shape = input._data.shape
    if len(shape) not in (2, 3) or not all(shape[-2:]):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    first = len(shape) - 2
    if shape[first] % math.prod(given["kernel_size"]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[first]} and kernel_size={given['kernel_size']}."
        )
    order = ("output_size", "kernel_size", "stride", "padding", "dilation")
    counts = [window_count(*(given[k][i] for k in order)) for i in range(2)]
    if math.prod(counts) != shape[-1]:
        settings = ", ".join(f"{k}={given[k]}" for k in ("output_size", "kernel_size", "dilation", "padding", "stride"))
        raise RuntimeError(
            f"Given {settings}, expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {counts[0]} * {counts[1]} = {math.prod(counts)}, but got input.size(2)={shape[-1]}."
        )
    _need_numbers(input, "col2im_out_cpu")
    return call(COL2IM, input, **given)


# --- shuffles ---


def _shuffled(x: Array, *, upscale_factor: int) -> Array:
    r, (c, h, w) = upscale_factor, x.shape[-3:]
    lead = x.shape[:-3]
    split = x.reshape(math.prod(lead), c // (r * r), r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
    return split.reshape(*lead, c // (r * r), h * r, w * r)


def _unshuffled(x: Array, *, downscale_factor: int) -> Array:
    r, (c, h, w) = downscale_factor, x.shape[-3:]
    lead = x.shape[:-3]
    split = x.reshape(math.prod(lead), c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)
    return split.reshape(*lead, c * r * r, h // r, w // r)


PIXEL_SHUFFLE: OpRow = op(
    "pixel_shuffle",
    "self",
    keeps_layout(in_rows(_shuffled)),
    category="shape",
    symbol="shuffle",
    latex=r"x",
    brief="Channels become finer pixels.",
    self=sentence(
        "grad, put back", lambda grad, upscale_factor: call(PIXEL_UNSHUFFLE, grad, downscale_factor=upscale_factor)
    ),
)
PIXEL_UNSHUFFLE: OpRow = op(
    "pixel_unshuffle",
    "self",
    keeps_layout(in_rows(_unshuffled)),
    category="shape",
    symbol="unshuffle",
    latex=r"x",
    brief="Pixels become channels.",
    self=sentence(
        "grad, put back", lambda grad, downscale_factor: call(PIXEL_SHUFFLE, grad, upscale_factor=downscale_factor)
    ),
)
CHANNEL_SHUFFLE: OpRow = op(
    "channel_shuffle",
    "self",
    lambda x, *, groups: x.reshape(x.shape[0], groups, x.shape[1] // groups, -1).swapaxes(1, 2).reshape(x.shape),
    category="shape",
    symbol="shuffle",
    latex=r"x",
    brief="Channels of several groups mixed.",
    self=sentence("grad, put back", lambda grad, groups: call(CHANNEL_SHUFFLE, grad, groups=grad.shape[1] // groups)),
)


def _need_image(input: Tensor, name: str) -> None:
    if input._data.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input._data.ndim} dimension(s)"
        )


@api("pixel_shuffle", where="torch F")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(…, C · r², H, W) to (…, C, H · r, W · r)."""
    _need_image(input, "pixel_shuffle")
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    c, square = input._data.shape[-3], upscale_factor**2
    if c % square:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={c} is not divisible by {square}"
        )
    return call(PIXEL_SHUFFLE, input, upscale_factor=upscale_factor)


@api("pixel_unshuffle", where="torch F")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(…, C, H · r, W · r) to (…, C · r², H, W)."""
    _need_image(input, "pixel_unshuffle")
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for name, dim in (("height", -2), ("width", -1)):
        n = input._data.shape[dim]
        if n % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, "
                f"but input.size({dim})={n} is not divisible by {downscale_factor}"
            )
    return call(PIXEL_UNSHUFFLE, input, downscale_factor=downscale_factor)


@api("channel_shuffle", where="torch F")
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of each group spread over all groups."""
    if input._data.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    channels = input._data.shape[1]
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    return call(CHANNEL_SHUFFLE, input, groups=groups)


api("native_channel_shuffle", where="torch F")(channel_shuffle)
