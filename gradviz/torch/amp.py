"""`torch.amp`: mixed precision. What an autocast converts is in the engine's `autocast.py`; for hardware that is not
there it is off, as PyTorch itself leaves it when a script asks for CUDA."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.memory import device
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.function import FunctionCtx
from gradviz.torch import settings


class autocast:
    """Within it, products, convolutions and the like compute in a small type, and losses in float32."""

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

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n        output = "
                "model(input)"
            )

        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: object) -> Any:
            with self:
                return func(*args, **kwargs)

        return wrapped


autocast.__module__ = "torch.amp.autocast_mode"


class GradScaler:
    """Off: the loss is not scaled, and steps are taken as they are."""

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, enabled: bool = True, **options: object
    ) -> None:
        if enabled and device == "cuda":
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                UserWarning,
                stacklevel=2,
            )
        elif enabled:
            raise RuntimeError("torch.amp.GradScaler on the CPU is not supported in GradViz; leave it out")

    def scale(self, outputs: Any) -> Any:
        """The loss itself."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing was scaled."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimizer."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """There is no scale."""

    def get_scale(self) -> float:
        """One."""
        return 1.0

    def is_enabled(self) -> bool:
        """False."""
        return False

    def state_dict(self) -> dict[str, object]:
        """Empty."""
        return {}


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: object = None) -> Any:
    """For the `forward` of a custom function: with `cast_inputs`, an autocast converts what comes in and ends there."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: object) -> Any:
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
    """For the `backward` of a custom function: it runs under the autocast that its forward ran under."""
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


def _cast(value: Any, device_type: str, dtype: object) -> Any:
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

    def __init__(self, init_scale: float = 65536.0, enabled: bool = True, **options: object) -> None:
        _warn("GradScaler")
        super().__init__("cuda", init_scale, enabled, **options)


CPU_AMP: dict[str, object] = {"autocast": _OnCPU}
CUDA_AMP: dict[str, object] = {"autocast": _OnCUDA, "GradScaler": _ScalerOnCUDA}
for _kind, _name, _home in (
    (_OnCPU, "autocast", "torch.cpu.amp.autocast_mode"),
    (_OnCUDA, "autocast", "gradviz.torch.cuda.amp"),
    (_ScalerOnCUDA, "GradScaler", "gradviz.torch.cuda.amp"),
):
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = _home
