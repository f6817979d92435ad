"""Signals: short-time Fourier transforms, `torch.stft` and `torch.istft`, composed of views, a window and the
transforms of `fourier.py`; and window functions, `torch.hann_window` and its relatives and those of
`torch.signal.windows`. All are made of tensor operations in PyTorch's order, so that their last digits and, with
`requires_grad`, their graph are the same. The windows that slide over images are in `windows.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.messages import exact_number
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import paused, state, warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.creation import NOT_PINNED, check_device
from gradviz.engine.ops.fourier import C2C, C2R, R2C
from gradviz.engine.run.api import FUNCTIONAL, FUNCTIONS, WINDOWS, api, exact_argument
from gradviz.engine.run.apply import call

F = FUNCTIONS

_FILE = "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/SpectralOps.cpp:{}.)"
_NO_WINDOW = "A window was not provided. A rectangular window will be applied{} "
_ONES = "use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`. "
_NO_WINDOW_FORWARD = (
    _NO_WINDOW.format(",which is known to cause spectral leakage. Other windows such as torch.hann_window or")
    + "torch.hamming_window are recommended to reduce spectral leakage.To suppress this warning and "
    + _ONES
    + _FILE.format(835)
)
_NO_WINDOW_BACK = (
    _NO_WINDOW.format(".Please provide the same window used by stft to make the inversion lossless.To suppress this")
    + "warning and "
    + _ONES
    + _FILE.format(1035)
)
_REAL_RESULT = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the "
    "complex output to recover the old return format. " + _FILE.format(874)
)
_SHORT = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please "
    "check your center and hop_length settings. " + _FILE.format(1199)
)
_ONESIDED = "Cannot have onesided output if window or input is complex"


def _put_windows(g: Array, *, input_sizes: tuple[int, ...], dim: int, size: int, step: int) -> Any:
    if not input_sizes:
        return g.sum(dtype=g.dtype)
    out = np.zeros(input_sizes, g.dtype)
    along = np.moveaxis(out, dim, -1)
    parts = np.moveaxis(g, dim, -2)
    reach = (parts.shape[-2] - 1) * step + 1
    for k in range(size if parts.size else 0):
        along[..., k : k + reach : step] += parts[..., k]
    return out


UNFOLD_BACKWARD = op(
    "unfold_backward",
    "grad_in",
    _put_windows,
    category="shape",
    symbol="unfold′",
    latex=r"\sum_i g_i",
    brief="Windows added up where they came from.",
    grad_in=sentence("the windows of grad", lambda grad, dim, size, step: grad.unfold(dim, size, step)),
)


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype.cpu_type}{{{list(value._data.shape)}}}"
    return "None" if value is None else str(int(value))


def _arguments(title: str, *pairs: tuple[str, object]) -> str:
    return ", ".join([title, *(f"{name}={_shown(value)}" for name, value in pairs)]) + ")"


def _whole_window(window: Tensor | None, win_length: int, n_fft: int, like: Tensor) -> Tensor | None:
    """The window with zeros on both sides up to `n_fft`."""
    if win_length == n_fft:
        return window
    dtype = like.dtype if window is None else window.dtype
    left = (n_fft - win_length) // 2
    whole = F["zeros"](n_fft, dtype=dtype)
    part = whole.narrow(0, left, win_length)
    part.copy_(F["ones"](win_length, dtype=dtype) if window is None else window)
    return whole


def _centred(x: Tensor, n_fft: int, pad_mode: str) -> Tensor:
    shape = x._data.shape
    padded = FUNCTIONAL["pad"](x.view([1] * (3 - len(shape)) + list(shape)), [n_fft // 2] * 2, pad_mode)
    return padded.view(padded._data.shape[3 - len(shape) :] if len(shape) < 3 else padded._data.shape)


def _check_stft(x: Tensor, n_fft: int, hop: int, length: int, window: Tensor | None, text: str) -> None:
    if x.dtype.rank < 2:
        raise RuntimeError(f"{text} : expected a tensor of floating point or complex values")
    if x._data.ndim not in (1, 2):
        raise RuntimeError(f"{text} : expected a 1D or 2D tensor")
    size = x._data.shape[-1]
    if not 0 < n_fft <= size:
        raise RuntimeError(f"{text} : expected 0 < n_fft < {size}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"{text} : expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{text} : expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and window._data.shape != (length,):
        raise RuntimeError(
            f"{text} : expected a 1D window tensor of size equal to win_length={length}, but got window with size "
            f"{list(window._data.shape)}"
        )


@api("stft")
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of windows that slide over a signal: (frequencies, windows)."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    x = _centred(input, n_fft, pad_mode) if center else input
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    text = _arguments(
        f"stft({x.dtype.cpu_type}{list(x._data.shape)}",
        *(("n_fft", n_fft), ("hop_length", hop), ("win_length", length), ("window", window)),
        *(("normalized", normalized), ("onesided", onesided), ("return_complex", return_complex)),
        ("align_to_window", align_to_window),
    )
    if window is None:
        warn_once("stft window", _NO_WINDOW_FORWARD)
    is_complex = x.dtype.is_complex or (window is not None and window.dtype.is_complex)
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release."
        )
    if return_complex is False:
        warn_once("stft real", _REAL_RESULT)
    _check_stft(x, n_fft, hop, length, window, text)
    onesided = not is_complex if onesided is None else onesided
    if onesided and is_complex:
        raise RuntimeError(_ONESIDED)
    framed = _frames(x if x._data.ndim == 2 else x.unsqueeze(0), n_fft, hop)
    whole = _whole_window(window, length, n_fft, x)
    found = _transformed(framed if whole is None else framed * whole, int(normalized), onesided)
    found.transpose_(1, 2)
    if x._data.ndim == 1:
        found.squeeze_(0)
    return F["view_as_real"](found) if return_complex is False else found


def _frames(x: Tensor, n_fft: int, hop: int) -> Tensor:
    """The windows as a view, along new dimensions: (signals, windows, n_fft)."""
    count = 1 + (x._data.shape[1] - n_fft) // hop
    steps = [each // x._data.itemsize for each in x._data.strides]
    return x.as_strided((x._data.shape[0], count, n_fft), (steps[0], hop * steps[1], steps[1]))


def _transformed(x: Tensor, normalization: int, onesided: bool) -> Tensor:
    if x.dtype.is_complex:
        return call(C2C, x, dim=(2,), normalization=normalization, forward=True)
    return call(R2C, x, dim=(2,), normalization=normalization, onesided=onesided)


def _check_istft(
    x: Tensor, n_fft: int, hop: int, length: int, window: Tensor | None, onesided: bool, text: str
) -> None:
    shape = x._data.shape
    if not x._data.size:
        raise RuntimeError(f"{text} : input tensor cannot be empty.")
    if len(shape) not in (2, 3):
        raise RuntimeError(f"{text} : expected a tensor with 3 or 4 dimensions, but got {len(shape) + 1}")
    bins = n_fft // 2 + 1 if onesided else n_fft
    if shape[-2] != bins:
        wanted = "n_fft / 2 + 1 when onesided=True" if onesided else "n_fft when onesided=False"
        raise RuntimeError(
            f"{text} : expected the frequency dimension (3rd to the last) of the input tensor to match {wanted}, but "
            f"got {shape[-2]}"
        )
    if not 0 < hop <= length:
        raise RuntimeError(f"{text} : expected 0 < hop_length <= win_length")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{text} : expected 0 < win_length <= n_fft")
    if window is not None and window._data.shape != (length,):
        raise RuntimeError(f"{text} : Invalid window shape. window has to be 1D and length of `win_length`")


@api("istft")
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose `stft` is nearest to the input: the windows transformed back and added up."""
    hop = n_fft // 4 if hop_length is None else hop_length
    span = n_fft if win_length is None else win_length
    text = _arguments(
        f"istft(CPU{input.dtype.title}Type{list(input._data.shape)}",
        *(("n_fft", n_fft), ("hop_length", hop), ("win_length", span), ("window", window), ("center", center)),
        *(("normalized", normalized), ("onesided", onesided), ("length", length), ("return_complex", return_complex)),
    )
    if window is None:
        warn_once("istft window", _NO_WINDOW_BACK)
    if not input.dtype.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if input._data.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-2, 1], but got -3)")
    both = onesided if onesided is not None else input._data.shape[-2] != n_fft
    _check_istft(input, n_fft, hop, span, window, both, text)
    if return_complex and both:
        raise RuntimeError(_ONESIDED)
    if not return_complex and window is not None and window.dtype.is_complex:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    whole = _whole_window(window, span, n_fft, F["view_as_real"](input.detach()))
    if whole is None:
        whole = F["ones"](n_fft, dtype=input.dtype.to_real())
    parts = _back(input, n_fft, int(normalized), both, return_complex)
    first = n_fft // 2 if center else 0
    added = _overlapped(parts * whole.view([1, 1, n_fft]), whole, hop, first, (length, center), text)
    return added.squeeze(0) if input._data.ndim == 2 else added


def _back(x: Tensor, n_fft: int, normalization: int, onesided: bool, return_complex: bool) -> Tensor:
    """Each window transformed back: (signals, windows, n_fft)."""
    pairs = F["view_as_real"](x)
    pairs = pairs.unsqueeze(0) if x._data.ndim == 2 else pairs
    z = F["view_as_complex"](pairs.transpose(1, 2))
    normalization = normalization or 2
    if return_complex:
        return call(C2C, z, dim=(2,), normalization=normalization, forward=False)
    if not onesided:
        z = z[:, :, : n_fft // 2 + 1]
    return call(C2R, z, dim=(2,), normalization=normalization, last_dim_size=n_fft)


def _overlapped(parts: Tensor, window: Tensor, hop: int, first: int, how: tuple[int | None, bool], text: str) -> Tensor:
    """The windows added up, divided by the sum of the squared windows, and trimmed."""
    n_fft, count = window._data.shape[0], parts._data.shape[1]
    whole = n_fft + hop * (count - 1)
    at: dict[str, Any] = {"dim": 1, "size": n_fft, "step": hop}
    length, center = how
    last = first + length if length is not None else whole - n_fft // 2 if center else whole
    y = call(UNFOLD_BACKWARD, parts, input_sizes=(parts._data.shape[0], whole), **at)
    squares = window.pow(2).expand((1, count, n_fft))
    envelope = call(UNFOLD_BACKWARD, squares, input_sizes=(1, whole), **at)
    y, envelope = y[:, first:last], envelope[:, first:last]
    if np.abs(envelope._data).min() < 1e-11:
        raise RuntimeError(f"{text} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    found = y / envelope
    if last > whole:
        warn_once("istft length", _SHORT)
        found = F["constant_pad_nd"](found, [0, last - whole])
    return found


# --- window functions ---


# --- torch.hann_window … ---


def _window(name: str, values: Callable[..., Tensor], given: tuple[tuple[str, object], ...] = ()) -> None:
    """`torch.<name>(window_length, periodic, …)`: `values` makes a symmetric window of n points."""

    def window(
        window_length: int,
        periodic: bool = True,
        *more: float,
        dtype: dtypes.dtype | None = None,
        layout: object = None,
        device: object = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        **named: float,
    ) -> Tensor:
        check_device(device)
        if pin_memory:
            raise RuntimeError(NOT_PINNED)
        kind = dtypes.get_default_dtype() if dtype is None else dtype
        _check_window(name, window_length, kind)
        parameters = dict(given) | dict(zip((key for key, _ in given), more, strict=False)) | named
        with no_grad(), paused():
            if window_length < 2:
                found: Tensor = F["ones"](window_length, dtype=kind)
            else:
                found = values(window_length + bool(periodic), kind, **parameters)
                found = found.narrow(0, 0, window_length).detach() if periodic else found
            found.requires_grad_(requires_grad)
        if state.observer is not None:
            state.observer.created(found)
        return found

    window.__name__ = name
    api(name, where="torch")(window)


def _check_window(name: str, n: float, kind: dtypes.dtype) -> None:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"{name}(): argument 'window_length' (position 1) must be int, not {type(n).__name__}")
    if kind.rank < 2:
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={kind.cpp}, device=cpu, layout=Strided "
            "(default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if n < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={n}")
    if kind.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{kind.title}'")


def _hamming(n: int, kind: object, alpha: float, beta: float) -> Tensor:
    x = F["arange"](n, dtype=kind)
    return x.mul_(2 * math.pi / (n - 1)).cos_().mul_(-beta).add_(alpha)


def _bartlett(n: int, kind: object) -> Tensor:
    x = F["arange"](n, dtype=kind).mul_(2 / (n - 1))
    half = ((n - 1) >> 1) + 1
    x.narrow(0, half, n - half).mul_(-1).add_(2)
    return x


def _blackman(n: int, kind: object) -> Tensor:
    x = F["arange"](n, dtype=kind).mul_(math.pi / (n - 1))
    return x.mul(4).cos_().mul_(0.08) - x.mul(2).cos_().mul_(0.5) + 0.42


def _kaiser(n: int, kind: object, beta: float) -> Tensor:
    x = F["arange"](n, dtype=kind) * (2 / (n - 1)) - 1
    return F["i0"](beta * F["sqrt"]((1 - x * x).clamp(min=0))) / F["i0"](F["tensor"](float(beta), dtype=kind))


_window("hann_window", lambda n, kind: _hamming(n, kind, 0.5, 0.5))
_window("hamming_window", _hamming, (("alpha", 0.54), ("beta", 0.46)))
_window("bartlett_window", _bartlett)
_window("blackman_window", _blackman)
_window("kaiser_window", _kaiser, (("beta", 12.0),))

# --- torch.signal.windows ---


class _Made:
    """How the tensors of one window are made, and the points at which its formula is evaluated."""

    def __init__(
        self, name: str, count: int, dtype: object, layout: object, device: object, requires_grad: bool
    ) -> None:
        check_device(device)
        self.kind = dtypes.get_default_dtype() if dtype is None else dtype
        if count < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={count}")
        if layout is not None and str(layout) != "torch.strided":
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if self.kind not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {self.kind}")
        self.count, self.requires_grad = count, requires_grad

    def points(self, start: object, end: object) -> Tensor:
        return F["linspace"](start, end, self.count, dtype=self.kind, requires_grad=self.requires_grad)

    def ones(self) -> Tensor:
        return F["ones"](self.count, dtype=self.kind, requires_grad=self.requires_grad)

    def numbers(self, values: list[float]) -> Tensor:
        return F["tensor"](values, dtype=self.kind, requires_grad=self.requires_grad)


def _signal(
    name: str, check: Callable[..., None] = lambda **_: None, called: str = "", **defaults: object
) -> Callable[..., object]:
    """Register `torch.signal.windows.<name>`; the formula gets a `_Made`, `sym`, and its own parameters. `called` is
    the name in its error messages, if different."""

    def register(values: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def window(
            M: int,
            *,
            sym: bool = True,
            dtype: object = None,
            layout: object = None,
            device: object = None,
            requires_grad: bool = False,
            **given: object,
        ) -> Tensor:
            for key in given:
                if key not in defaults:
                    raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            M, parameters = exact_number(M), {key: exact_argument(each) for key, each in (defaults | given).items()}
            for key, value in parameters.items():
                if value is ...:
                    raise TypeError(f"{name}() missing 1 required keyword-only argument: '{key}'")
            made = _Made(called or name, M, dtype, layout, device, requires_grad)
            check(sym=sym, **parameters)
            return values(made, sym, **parameters) if M else made.ones()

        window.__name__ = window.__qualname__ = name
        WINDOWS[name] = window
        return values

    return register


def _check_exponential(sym: bool, tau: float, center: float | None) -> None:
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")


@_signal("exponential", _check_exponential, center=None, tau=1.0)
def _exponential(made: _Made, sym: bool, center: float | None, tau: float) -> Tensor:
    if center is None:
        center = (made.count if not sym and made.count > 1 else made.count - 1) / 2.0
    constant = 1 / tau
    k = made.points(-center * constant, (-center + (made.count - 1)) * constant)
    return F["exp"](-F["abs"](k))


@_signal("cosine")
def _cosine(made: _Made, sym: bool) -> Tensor:
    start = 0.5
    constant = math.pi / (made.count + 1 if not sym and made.count > 1 else made.count)
    return F["sin"](made.points(start * constant, (start + (made.count - 1)) * constant))


def _check_gaussian(sym: bool, std: float) -> None:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")


@_signal("gaussian", _check_gaussian, std=1.0)
def _gaussian(made: _Made, sym: bool, std: float) -> Tensor:
    start = -(made.count if not sym and made.count > 1 else made.count - 1) / 2.0
    constant = 1 / (std * math.sqrt(2))
    k = made.points(start * constant, (start + (made.count - 1)) * constant)
    return F["exp"](-(k**2))


def _check_kaiser(sym: bool, beta: float) -> None:
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")


@_signal("kaiser", _check_kaiser, beta=12.0)
def _kaiser_signal(made: _Made, sym: bool, beta: float) -> Tensor:
    if made.count == 1:
        return made.ones()
    scale = F["tensor"](beta, dtype=made.kind)
    constant = 2.0 * scale / (made.count if not sym else made.count - 1)
    end = F["minimum"](scale, -scale + (made.count - 1) * constant)
    k = made.points(-scale, end)
    return F["i0"](F["sqrt"](scale * scale - F["pow"](k, 2))) / F["i0"](scale)


@_signal("bartlett")
def _bartlett_signal(made: _Made, sym: bool) -> Tensor:
    if made.count == 1:
        return made.ones()
    constant = 2 / (made.count if not sym else made.count - 1)
    return 1 - F["abs"](made.points(-1, -1 + (made.count - 1) * constant))


def _sum_of_cosines(made: _Made, sym: bool, a: object) -> Tensor:
    if made.count == 1:
        return made.ones()
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    constant = 2 * math.pi / (made.count if not sym else made.count - 1)
    k = made.points(0, (made.count - 1) * constant)
    amounts = made.numbers([(-1) ** i * w for i, w in enumerate(a)])
    i = made.numbers([float(n) for n in range(amounts._data.shape[0])])
    return (amounts.unsqueeze(-1) * F["cos"](i.unsqueeze(-1) * k)).sum(0)


_signal("general_cosine", a=...)(_sum_of_cosines)
_signal("general_hamming", called="general_cosine", alpha=0.54)(
    lambda made, sym, alpha: _sum_of_cosines(made, sym, [alpha, 1.0 - alpha])
)
_signal("hamming", called="general_cosine")(lambda made, sym: _sum_of_cosines(made, sym, [0.54, 1.0 - 0.54]))
_signal("hann", called="general_cosine")(lambda made, sym: _sum_of_cosines(made, sym, [0.5, 0.5]))
_signal("blackman")(lambda made, sym: _sum_of_cosines(made, sym, [0.42, 0.5, 0.08]))
_signal("nuttall", called="general_cosine")(
    lambda made, sym: _sum_of_cosines(made, sym, [0.3635819, 0.4891775, 0.1365995, 0.0106411])
)
