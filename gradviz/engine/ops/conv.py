"""Convolutions in one, two and three dimensions, plain and transposed.

Note [Convolution and its gradients] One row, `convolution`, covers plain and transposed; each is the gradient of the
other with respect to the input. The gradient with respect to the weight is a second row, linear in both operands, whose
gradients are convolutions again: two rows suffice for any order."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly, rule
from gradviz.engine.kernel.rows import OpRow, op
from gradviz.engine.kernel.state import warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.numerics import windows
from gradviz.engine.numerics.windows import Sizes, sizes
from gradviz.engine.ops.neural import in_single, need_tensor, one_gradient
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call

F = FUNCTIONS
UNEVEN = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/Convolution.cpp:1101.)"
)


def _forward(
    x: Array,
    w: Array,
    b: Array | None,
    *,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> Any:
    if transposed:
        out = windows.transposed(x, w, stride, padding, dilation, output_padding, groups)
    else:
        out = windows.convolve(x, w, stride, padding, dilation, groups)
    if b is not None:
        out += b.reshape(-1, *(1,) * (out.ndim - 2))
    return out


def _input_gradient(grad: Tensor, weight: Tensor, shape: Sizes, settings: dict[str, Any]) -> Tensor:
    """The opposite convolution of the gradient, with the input's shape."""
    kernel = weight.shape[2:]
    extra = (0,) * len(kernel)
    if not settings["transposed"]:
        reach = windows.spans(kernel, settings["dilation"])
        extra = tuple(
            n - ((g - 1) * s - 2 * p + r)
            for n, g, s, p, r in zip(shape, grad.shape[2:], settings["stride"], settings["padding"], reach, strict=True)
        )
    found = call(
        CONVOLUTION,
        grad,
        weight,
        None,
        **{**settings, "transposed": not settings["transposed"], "output_padding": extra},
    )
    for dim, n in enumerate(shape, 2):
        if found.shape[dim] != n:
            found = found.narrow(dim, 0, n)
    return found


def _weight_gradient(image: Tensor, small: Tensor, kernel: Sizes, settings: dict[str, object]) -> Tensor:
    """The gradient with respect to the weight; a transposed convolution swaps the roles of input and gradient."""
    if settings["transposed"]:
        image, small = small, image
    given = {name: settings[name] for name in ("stride", "padding", "dilation", "groups")}
    return call(CONVOLUTION_WEIGHT, image, small, kernel=tuple(kernel), **given)


def _gradients(
    grad: Tensor,
    input: Tensor,
    weight: Tensor,
    wanted: tuple[bool, ...],
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    settings = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "transposed": transposed,
        "output_padding": output_padding,
        "groups": groups,
    }
    return (
        _input_gradient(grad, weight, input.shape[2:], settings) if wanted[0] else None,
        _weight_gradient(input, grad, weight.shape[2:], settings) if wanted[1] else None,
        grad.sum([0, *range(2, grad.ndim)]) if wanted[2] else None,
    )


_SETTINGS = "stride, padding, dilation, transposed, output_padding, groups"
_backward = one_gradient("convolution_backward", "grad_output, input, weight", _SETTINGS, _gradients, symbol="conv")
CONVOLUTION: OpRow = op(
    "convolution",
    "input, weight, bias",
    windows.keeps_layout(in_single(_forward)),
    category="layers",
    symbol="conv",
    latex=r"w \star x + b",
    brief="A small kernel slides over the input; each place gives the sum of their products.",
    joint=jointly(
        lambda grads, *rest: _backward(grads[0], *rest),
        f"grads, input, weight, needs, {_SETTINGS}",
        input="each element of grad times weight, added up where windows overlap",
        weight="each element of grad times its window of input, added up",
        bias="Σ grad of each channel",
    ),
)
# Not in the table of rows: it runs only within `convolution_backward`, and is never shown by itself.
CONVOLUTION_WEIGHT = OpRow(
    "convolution_weight",
    ("input", "grad_output"),
    in_single(windows.kernel_gradient),
    {
        "input": rule(
            lambda grad, grad_output, input_shape, stride, padding, dilation, groups: _input_gradient(
                grad_output, grad, input_shape[2:], _plain(stride, padding, dilation, groups)
            )
        ),
        "grad_output": rule(
            lambda grad, input, grad_output_shape, stride, padding, dilation, groups: _cropped(
                call(CONVOLUTION, input, grad, None, **_plain(stride, padding, dilation, groups)), grad_output_shape
            )
        ),
    },
    "ConvolutionBackwardBackward0",
)


def _plain(stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> dict[str, Any]:
    zeros = (0,) * len(stride)
    return {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "transposed": False,
        "output_padding": zeros,
        "groups": groups,
    }


def _cropped(x: Tensor, shape: Sizes) -> Tensor:
    for dim, n in enumerate(shape):
        if x.shape[dim] != n:
            x = x.narrow(dim, 0, n)
    return x


# --- checks, in PyTorch's order and words ---


def _per_dimension(value: object, count: int, dims: int, name: str) -> Sizes:
    found = sizes(value, count)
    if len(found) != dims:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the convolution "
            f"dimensions, but got {name}={list(found)}"
        )
    return found


def _check_dimensions(input: Tensor, weight: Tensor) -> int:
    """Check the number of dimensions against that of the kernel."""
    dims, w = weight._data.ndim, list(weight._data.shape)
    if dims < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if input._data.ndim != dims:
        raise RuntimeError(
            f"Expected {dims}-dimensional input for {dims}-dimensional weight{w}, but got "
            f"{input._data.ndim}-dimensional input of size {list(input._data.shape)} instead"
        )
    return dims - 2


def _need_groups(groups: int, weight: Tensor) -> None:
    if groups <= 0 and weight._data.ndim > 2:
        raise RuntimeError("non-positive groups is not supported")


def _check_settings(stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
    if any(p < 0 for p in padding):
        raise RuntimeError("negative padding is not supported")
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if any(d <= 0 for d in dilation):
        found = f", but got {list(dilation)}" if min(dilation) == 0 else ""
        raise RuntimeError(f"dilation should be greater than zero{found}")


def _check_channels(input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool) -> None:
    w, x = list(weight._data.shape), list(input._data.shape)
    if transposed:
        if x[1] != w[0]:
            raise RuntimeError(
                f"Given transposed=1, weight of size {w}, expected input{x} to have {w[0]} channels, but got {x[1]} "
                f"channels instead"
            )
        outs, given = w[1] * groups, f"Given transposed=1, weight of size {w}"
    else:
        if w[0] < groups:
            raise RuntimeError(
                f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of "
                f"size {w} instead"
            )
        if w[0] % groups:
            raise RuntimeError(
                f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight "
                f"of size [{w}] instead"
            )
        if x[1] != w[1] * groups:
            raise RuntimeError(
                f"Given groups={groups}, weight of size {w}, expected input{x} to have {w[1] * groups} channels, but "
                f"got {x[1]} channels instead"
            )
        outs, given = w[0], f"Given weight of size {w}"
    if bias is not None and bias._data.shape != (outs,):
        raise RuntimeError(
            f"{given}, expected bias to be 1-dimensional with {outs} elements, but got bias of size "
            f"{list(bias._data.shape)} instead"
        )


def _check_reach(input: Tensor, kernel: Sizes, padding: Sizes, dilation: Sizes) -> None:
    if 0 in kernel:
        height, width = kernel[-2] if len(kernel) > 1 else 1, kernel[-1]
        flat = f" kernel_height: {height} kernel_width: {width}"
        sizes = f": {' x '.join(map(str, kernel))} (TxHxW)" if len(kernel) == 3 else flat
        raise RuntimeError(f"kernel size should be greater than zero, but got{sizes}")
    padded = [n + 2 * p for n, p in zip(input._data.shape[2:], padding, strict=True)]
    reach = windows.spans(kernel, dilation)
    if any(n < r for n, r in zip(padded, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )


def _takes_onednn(input: Tensor, weight: Tensor, groups: int) -> bool:
    """Whether PyTorch computes this with oneDNN, which refuses other types in its own words."""
    if input.dtype is dtypes.bfloat16:
        return True  # for float16 it depends on the processor
    kernel, shape = weight._data.shape[2:], input._data.shape
    large = len(kernel) > 1 and min(kernel[-2:]) > 3
    return input.dtype is dtypes.float32 and (groups > 1 or large or shape[0] > 1 or math.prod(shape[:4]) > 20480)


def _check_types(input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool = False) -> None:
    if transposed and input.dtype in (dtypes.bool_, dtypes.int32, dtypes.int8, dtypes.int16, dtypes.uint8):
        raise NotImplementedError(f"\"slow_conv_transpose2d_out_cpu\" not implemented for '{input.dtype.title}'")
    if input.dtype is dtypes.bool_:
        raise NotImplementedError("\"slow_conv2d_cpu\" not implemented for 'Bool'")
    if input.dtype is not weight.dtype:
        fast = _takes_onednn(input, weight, groups)
        if not fast and not input.dtype.is_complex:
            raise RuntimeError(f"expected scalar type {input.dtype.title} but found {weight.dtype.title}")
        either = " or input should be a MKLDNN tensor and weight is a dense tensor" if fast else ""
        raise RuntimeError(
            f"Input type ({input.dtype.cpu_type}) and weight type ({weight.dtype.cpu_type}) should be the same{either}"
        )
    _check_bias_type(input, bias)


def _check_transposed_reach(input: Tensor, kernel: Sizes, settings: tuple[Sizes, ...]) -> None:
    inner = input._data.shape[2:]
    stride, padding, dilation, extra = settings
    out = [
        (n - 1) * s - 2 * p + d * (k - 1) + 1 + e
        for n, k, s, p, d, e in zip(inner, kernel, stride, padding, dilation, extra, strict=True)
    ]
    if min(out) < 1:
        lead = (1,) if len(inner) == 1 else ()  # PyTorch computes a line as an image of height 1
        before, after = (" x ".join(map(str, (*lead, *sizes))) for sizes in (inner, out))
        raise RuntimeError(
            f"Given input size per channel: ({before}). Calculated output size per channel: ({after}). "
            "Output size is too small"
        )


def _check_output_padding(extra: Sizes, stride: Sizes, dilation: Sizes) -> None:
    if all(e < s or e < d for e, s, d in zip(extra, stride, dilation, strict=True)):
        return
    names = ("depth", "height", "width")[-len(extra) :] if len(extra) > 1 else ("height", "width")
    values = [(1, *v) if len(v) == 1 else v for v in (stride, dilation)]
    padded = (0, *extra) if len(extra) == 1 else extra
    parts = [
        f"{title}_{name}: {value}"
        for title, row in (("output_padding", padded), ("stride", values[0]), ("dilation", values[1]))
        for name, value in zip(names, row, strict=True)
    ]
    raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(parts)}")


def _batched(input: Tensor, count: int, name: str) -> tuple[Tensor, bool]:
    """The input with a batch dimension, and whether it had one."""
    ndim = input._data.ndim
    if ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input._data.shape)}"
        )
    return (input, True) if ndim == count + 2 else (input.unsqueeze(0), False)


def _same_padding(input: Tensor, weight: Tensor, stride: Sizes, dilation: Sizes) -> tuple[Tensor, Sizes]:
    """The padding for `padding="same"`; if the total is odd, the end of the input is padded first."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(weight._data.shape[2:], dilation, strict=True)]
    left = tuple(t // 2 for t in totals)
    if any(t % 2 for t in totals):
        warn_once("padding same", UNEVEN)
        ends = [n for t in reversed(totals) for n in (0, t % 2)]
        input = F["constant_pad_nd"](input, ends)
    return input, left


def _convolved(x: Tensor, w: Tensor, b: Tensor | None, **settings: object) -> Tensor:
    """A convolution; a complex one takes three real ones."""
    if not x.dtype.is_complex:
        return call(CONVOLUTION, x, w, b, **settings)
    (xr, xi), (wr, wi) = _parts(x), _parts(w)
    br, bi = (None, None) if b is None else _parts(b)
    real, both = call(CONVOLUTION, xr, wr, br, **settings), call(CONVOLUTION, xi, wi, None, **settings)
    bias = None if br is None else br + bi  # the last argument first
    weight = wr + wi
    total = call(CONVOLUTION, xr + xi, weight, bias, **settings)
    imaginary = (total - real - both) * 1j  # before the difference of the real parts, as PyTorch's compiler has it
    made: Tensor = real - both + imaginary
    return made


def _parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """The real and the imaginary part of a complex tensor."""
    pairs = F["view_as_real"](F["resolve_conj"](x))
    return pairs.select(pairs.ndim - 1, 0), pairs.select(pairs.ndim - 1, 1)


def _check_bias_type(input: Tensor, bias: Tensor | None) -> None:
    if isinstance(bias, Tensor) and bias.dtype is not input.dtype:
        raise RuntimeError(f"Input type ({input.dtype.cpp}) and bias type ({bias.dtype.cpp}) should be the same")


def _plain_convolution(count: int) -> None:
    name = f"conv{count}d"

    @api(name, where="torch F")
    def convolution(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: object = 1,
        padding: object = 0,
        dilation: object = 1,
        groups: int = 1,
    ) -> Tensor:
        need_tensor(input, name)
        need_tensor(weight, name, "weight", 2)
        if not isinstance(padding, str):
            _check_bias_type(input, bias)
        whole, had_batch = _batched(input, count, name)
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        _need_groups(groups, weight)
        if not isinstance(padding, str) and weight._data.ndim > 2:
            _per_dimension(stride, count, weight._data.ndim - 2, "stride")
        dims = _check_dimensions(whole, weight)
        steps = _per_dimension(stride, count, dims, "stride")
        around = (0,) * dims if isinstance(padding, str) else _per_dimension(padding, count, dims, "padding")
        gaps = _per_dimension(dilation, count, dims, "dilation")
        if padding == "same":
            whole, around = _same_padding(whole, weight, steps, gaps)
        _check_settings(steps, around, gaps)
        _check_channels(whole, weight, bias, groups, False)
        _check_reach(whole, weight._data.shape[2:], around, gaps)
        _check_types(whole, weight, bias, groups)
        made = _convolved(
            whole,
            weight,
            bias,
            stride=steps,
            padding=around,
            dilation=gaps,
            transposed=False,
            output_padding=(0,) * dims,
            groups=groups,
        )
        return made if had_batch else made.squeeze(0)

    convolution.__name__, convolution.__doc__ = name, f"Cross-correlation over the last {count} dimension(s)."


def _transposed_convolution(count: int) -> None:
    name = f"conv_transpose{count}d"

    @api(name, where="torch F")
    def convolution(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: object = 1,
        padding: object = 0,
        output_padding: object = 0,
        groups: int = 1,
        dilation: object = 1,
    ) -> Tensor:
        need_tensor(input, name)
        need_tensor(weight, name, "weight", 2)
        whole, had_batch = _batched(input, count, name)
        _need_groups(groups, weight)
        dims = _check_dimensions(whole, weight)
        steps, gaps = _per_dimension(stride, count, dims, "stride"), _per_dimension(dilation, count, dims, "dilation")
        around, extra = (
            _per_dimension(padding, count, dims, "padding"),
            _per_dimension(output_padding, count, dims, "output_padding"),
        )
        _check_settings(steps, around, gaps)
        _check_channels(whole, weight, bias, groups, True)
        _check_output_padding(extra, steps, gaps)
        _check_transposed_reach(whole, weight._data.shape[2:], (steps, around, gaps, extra))
        _check_types(whole, weight, bias, groups, True)
        made = _convolved(
            whole,
            weight,
            bias,
            stride=steps,
            padding=around,
            dilation=gaps,
            transposed=True,
            output_padding=extra,
            groups=groups,
        )
        return made if had_batch else made.squeeze(0)

    convolution.__name__, convolution.__doc__ = (
        name,
        f"The gradient of conv{count}d with respect to its input, as a function.",
    )


for _count in (1, 2, 3):
    _plain_convolution(_count)
    _transposed_convolution(_count)
