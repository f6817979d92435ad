"""Window functions for signals: `torch.hann_window` and its kin, and those of `torch.signal.windows`. They are made
from tensor operations in PyTorch's order, so that their last digits and, with `requires_grad`, their graph are its own.
The windows that slide over images are in `windows.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from gradviz.engine import dtypes
from gradviz.engine.api import FUNCTIONS, WINDOWS, api
from gradviz.engine.creation import check_device
from gradviz.engine.modes import no_grad
from gradviz.engine.observe import paused
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor

F = FUNCTIONS

# --- torch.hann_window … ---


def _window(name: str, values: Callable[..., Tensor], given: tuple[tuple[str, Any], ...] = ()) -> None:
    """`torch.<name>(window_length, periodic, …)`: `values` makes a symmetric window of n points."""

    def window(
        window_length: int,
        periodic: bool = True,
        *more: float,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        **named: float,
    ) -> Tensor:
        check_device(device)
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


def _check_window(name: str, n: Any, kind: dtypes.dtype) -> None:
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


def _hamming(n: int, kind: Any, alpha: float, beta: float) -> Tensor:
    x = F["arange"](n, dtype=kind)
    return x.mul_(2 * math.pi / (n - 1)).cos_().mul_(-beta).add_(alpha)  # type: ignore[no-any-return]


def _bartlett(n: int, kind: Any) -> Tensor:
    x = F["arange"](n, dtype=kind).mul_(2 / (n - 1))
    half = ((n - 1) >> 1) + 1
    x.narrow(0, half, n - half).mul_(-1).add_(2)
    return x  # type: ignore[no-any-return]


def _blackman(n: int, kind: Any) -> Tensor:
    x = F["arange"](n, dtype=kind).mul_(math.pi / (n - 1))
    return x.mul(4).cos_().mul_(0.08) - x.mul(2).cos_().mul_(0.5) + 0.42  # type: ignore[no-any-return]


def _kaiser(n: int, kind: Any, beta: float) -> Tensor:
    x = F["arange"](n, dtype=kind) * (2 / (n - 1)) - 1
    return F["i0"](beta * F["sqrt"]((1 - x * x).clamp(min=0))) / F["i0"](F["tensor"](float(beta), dtype=kind))  # type: ignore[no-any-return]


_window("hann_window", lambda n, kind: _hamming(n, kind, 0.5, 0.5))
_window("hamming_window", _hamming, (("alpha", 0.54), ("beta", 0.46)))
_window("bartlett_window", _bartlett)
_window("blackman_window", _blackman)
_window("kaiser_window", _kaiser, (("beta", 12.0),))

# --- torch.signal.windows ---


class _Made:
    """How the tensors of one window are made, and the points that its formula is computed at."""

    def __init__(self, name: str, count: int, dtype: Any, layout: Any, device: Any, requires_grad: bool) -> None:
        check_device(device)
        self.kind = dtypes.get_default_dtype() if dtype is None else dtype
        if count < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={count}")
        if layout is not None and str(layout) != "torch.strided":
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if self.kind not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {self.kind}")
        self.count, self.requires_grad = count, requires_grad

    def points(self, start: Any, end: Any) -> Tensor:
        return F["linspace"](start, end, self.count, dtype=self.kind, requires_grad=self.requires_grad)  # type: ignore[no-any-return]

    def ones(self) -> Tensor:
        return F["ones"](self.count, dtype=self.kind, requires_grad=self.requires_grad)  # type: ignore[no-any-return]

    def numbers(self, values: list[float]) -> Tensor:
        return F["tensor"](values, dtype=self.kind, requires_grad=self.requires_grad)  # type: ignore[no-any-return]


def _signal(
    name: str, check: Callable[..., None] = lambda **_: None, called: str = "", **defaults: Any
) -> Callable[..., Any]:
    """Register `torch.signal.windows.<name>`; the formula gets how to make tensors, `sym`, and its own parameters.
    `called` is the name that its refusals give, where that is another."""

    def register(values: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def window(
            M: int,
            *,
            sym: bool = True,
            dtype: Any = None,
            layout: Any = None,
            device: Any = None,
            requires_grad: bool = False,
            **given: Any,
        ) -> Tensor:
            for key in given:
                if key not in defaults:
                    raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            parameters = defaults | given
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
    return F["exp"](-F["abs"](k))  # type: ignore[no-any-return]


@_signal("cosine")
def _cosine(made: _Made, sym: bool) -> Tensor:
    start = 0.5
    constant = math.pi / (made.count + 1 if not sym and made.count > 1 else made.count)
    return F["sin"](made.points(start * constant, (start + (made.count - 1)) * constant))  # type: ignore[no-any-return]


def _check_gaussian(sym: bool, std: float) -> None:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")


@_signal("gaussian", _check_gaussian, std=1.0)
def _gaussian(made: _Made, sym: bool, std: float) -> Tensor:
    start = -(made.count if not sym and made.count > 1 else made.count - 1) / 2.0
    constant = 1 / (std * math.sqrt(2))
    k = made.points(start * constant, (start + (made.count - 1)) * constant)
    return F["exp"](-(k**2))  # type: ignore[no-any-return]


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
    return F["i0"](F["sqrt"](scale * scale - F["pow"](k, 2))) / F["i0"](scale)  # type: ignore[no-any-return]


@_signal("bartlett")
def _bartlett_signal(made: _Made, sym: bool) -> Tensor:
    if made.count == 1:
        return made.ones()
    constant = 2 / (made.count if not sym else made.count - 1)
    return 1 - F["abs"](made.points(-1, -1 + (made.count - 1) * constant))  # type: ignore[no-any-return]


def _sum_of_cosines(made: _Made, sym: bool, a: Any) -> Tensor:
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
    return (amounts.unsqueeze(-1) * F["cos"](i.unsqueeze(-1) * k)).sum(0)  # type: ignore[no-any-return]


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
