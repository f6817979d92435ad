"""`torch.amp`: mixed precision. The conversions of autocast are in the engine's `autocast.py`; for missing hardware
autocast is off, as in PyTorch itself when a script asks for CUDA."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, SupportsFloat

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import device
from gradviz.engine.kernel.messages import real_number
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.function import FunctionCtx
from gradviz.torch import settings


class autocast:
    """Within it, products, convolutions and similar operations compute in a small type, and losses in float32."""

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device_type
        self.fast_dtype = settings.get_autocast_dtype(device_type) if dtype is None else dtype
        if not is_autocast_available(device(device_type).type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = settings.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (dtypes.bfloat16, dtypes.float16):
            warnings.warn(
                f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{device_type.upper()} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        device = self.device
        self.prev_cache_enabled = settings.is_autocast_cache_enabled()
        self.prev = settings.is_autocast_enabled(device)
        self.prev_fastdtype = settings.get_autocast_dtype(device)
        settings.set_autocast_enabled(device, self._enabled)
        settings.set_autocast_dtype(device, self.fast_dtype)
        settings.autocast_increment_nesting()
        settings.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *exc: object) -> None:
        if settings.autocast_decrement_nesting() == 0:
            settings.clear_autocast_cache()
        settings.set_autocast_enabled(self.device, self.prev)
        settings.set_autocast_dtype(self.device, self.prev_fastdtype)
        settings.set_autocast_cache_enabled(self.prev_cache_enabled)

    def __call__(self, func: Callable[..., object]) -> Callable[..., object]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n        output = "
                "model(input)"
            )

        @functools.wraps(func)
        def wrapped(*args: object, **kwargs: object) -> object:
            with self:
                return func(*args, **kwargs)

        return wrapped


autocast.__module__ = "torch.amp.autocast_mode"


_NO_SCALE = (
    "Attempted {} but {} is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in "
    "the iteration."
)


class GradScaler:
    """Multiplies the loss, so that small gradients are not lost in a small type, and divides the gradients before a
    step, which is skipped if one of them is not finite. For CUDA it is off: the loss is not scaled, and steps are taken
    as they are."""

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device == "cuda":
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        if not enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._scale = init_scale, wrap(np.zeros((), np.float32))
        self._scaled, self._unskipped = False, 0  # whether a loss was scaled; steps since the last change of the scale
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        # of each optimizer since the last update: its stage, and whether it had inf or nan
        self._optimizers: dict[int, tuple[str, bool | None]] = {}

    def _check(self, function: str) -> None:
        if not self._scaled:
            raise AssertionError(_NO_SCALE.format(function, "_scale"))

    def scale(self, outputs: object) -> Any:
        """Return the loss times the scale; also for several in a list or tuple."""
        if not self._enabled:
            return outputs
        if not self._scaled:
            self._scale, self._scaled = wrap(np.asarray(real_number(self._init_scale), np.float32)), True
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer by the scale, to look at them or clip them before its step."""
        if not self._enabled:
            return
        self._check("unscale_")
        stage, _ = self._optimizers.get(id(optimizer), ("", False))
        if stage == "unscaled":
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage == "stepped":
            raise RuntimeError("unscale_() is being called after step().")
        inverse = np.float32(1.0 / np.float64(self._scale._data))
        grads = [p._grad for group in optimizer.param_groups for p in group["params"] if p._grad is not None]
        if any(grad.dtype is dtypes.float16 for grad in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        infinite = False
        for grad in grads:
            infinite = infinite or not np.isfinite(grad._data).all()
            with no_grad():
                grad.mul_(float(inverse))
        self._optimizers[id(optimizer)] = "unscaled", infinite if grads else None

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimizer, unless a gradient is infinite or nan."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check("step")
        stage, _ = self._optimizers.get(id(optimizer), ("", False))
        if stage == "stepped":
            raise RuntimeError("step() has already been called since the last update().")
        if not stage:
            self.unscale_(optimizer)
        _, infinite = self._optimizers[id(optimizer)]
        if infinite is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        found = None if infinite else optimizer.step(*args, **kwargs)
        self._optimizers[id(optimizer)] = "stepped", infinite
        return found

    def update(self, new_scale: SupportsFloat | None = None) -> None:
        """Make the scale smaller after a skipped step, larger after many that were not skipped."""
        if not self._enabled:
            return
        self._check("update")
        if new_scale is not None:
            self._scale = wrap(np.asarray(float(new_scale), np.float32))
        else:
            found = [infinite for _, infinite in self._optimizers.values() if infinite is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._follow(any(found))
        self._optimizers = {}

    def _follow(self, infinite: bool) -> None:
        scale = self._scale._data
        if infinite:
            self._unskipped, scale = 0, scale * np.float32(real_number(self._backoff_factor))
        else:
            self._unskipped += 1
            if self._unskipped == self._growth_interval:
                grown = scale * np.float32(real_number(self._growth_factor))
                self._unskipped, scale = 0, grown if np.isfinite(grown) else scale
        self._scale = wrap(np.asarray(scale, np.float32))

    def get_scale(self) -> float:
        """Return the scale; 1 if scaling is off."""
        return (float(self._scale._data) if self._scaled else self._init_scale) if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor by which the scale is multiplied after an infinite gradient."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale is multiplied after an infinite gradient."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return after how many steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Return whether scaling is on."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale and its settings; empty if scaling is off."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._unskipped,
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._scale = wrap(np.asarray(real_number(self._init_scale), np.float32))
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._unskipped = state_dict["growth_interval"], state_dict["_growth_tracker"]


GradScaler.__module__ = "torch.amp.grad_scaler"


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: object = None) -> Any:
    """For the `forward` of a custom function: with `cast_inputs`, an autocast converts the inputs and ends there."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: object, **kwargs: object) -> Any:
        if not isinstance(args[0], FunctionCtx):
            raise TypeError(f"expected the context of a custom function, not '{type(args[0]).__name__}'")
        ctx: Any = args[0]
        ctx._dtype = settings.get_autocast_dtype(device_type)
        on = settings.is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = on and cast_inputs is None
        if not on or cast_inputs is None:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """For the `backward` of a custom function: it runs under the autocast of its forward."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: object) -> Any:
        ctx = args[0]
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd


def _cast(value: object, device_type: str, dtype: object) -> Any:
    """Tensors of real numbers, also those within lists and dictionaries, in another type; float64 stays."""
    if isinstance(value, Tensor):
        convert = value.is_floating_point() and device_type == "cpu" and value.dtype is not dtypes.float64
        return value.to(dtype) if convert else value
    if isinstance(value, Mapping):
        return {key: _cast(each, device_type, dtype) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cast(each, device_type, dtype) for each in value)
    return value


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch has an autocast for the device."""
    return device_type in ("cpu", "cuda", "xpu", "mps", "hpu", "mtia")


# --- the former names, with PyTorch's warning ---


class _OnCPU(autocast):
    """`torch.amp.autocast("cpu")`."""

    def __init__(self, enabled: bool = True, dtype: object = dtypes.bfloat16, cache_enabled: bool = True) -> None:
        warnings.warn(
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cpu", dtype, enabled, cache_enabled)


def _warn(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class _OnCUDA(autocast):
    """`torch.amp.autocast("cuda")`."""

    def __init__(self, enabled: bool = True, dtype: object = None, cache_enabled: bool = True) -> None:
        _warn("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class _ScalerOnCUDA(GradScaler):
    """`torch.amp.GradScaler("cuda")`."""

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


CPU_AMP: dict[str, object] = {"autocast": _OnCPU}
CUDA_AMP: dict[str, object] = {"autocast": _OnCUDA, "GradScaler": _ScalerOnCUDA}
for _kind, _name, _home in (
    (_OnCPU, "autocast", "torch.cpu.amp.autocast_mode"),
    (_OnCUDA, "autocast", "gradviz.torch.cuda.amp"),
    (_ScalerOnCUDA, "GradScaler", "gradviz.torch.cuda.amp"),
):
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = _home
