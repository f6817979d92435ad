"""Switches of PyTorch, most of which have no effect here, and their getters: threads, determinism, precision, autocast,
warnings. Each getter returns the value that was set."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import NO_CUDA_TYPE, STANDING, device
from gradviz.engine.kernel.dtypes import set_default_dtype
from gradviz.engine.kernel.state import on_new_run, state, warn_once
from gradviz.engine.run.api import in_torch_words
from gradviz.engine.run.autocast import clear as forget_converted
from gradviz.engine.run.autocast import settings as autocasts

__all__ = [
    "are_deterministic_algorithms_enabled",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "compiled_with_cxx11_abi",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "is_anomaly_check_nan_enabled",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "is_deterministic_algorithms_warn_only_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_num_threads",
    "use_deterministic_algorithms",
]

_FRESH: dict[str, Any] = {
    "threads": 1,
    "interop": 1,
    "deterministic": False,
    "warn_only": False,
    "precision": "highest",
}
_now = dict(_FRESH)
on_new_run(lambda: _now.update(_FRESH))


def set_num_threads(count: int) -> None:
    """Stored for the getter: computation uses one thread."""
    if not isinstance(count, int) or isinstance(count, bool):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(count).__name__}")
    if count <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _now["threads"] = count


def get_num_threads() -> int:
    """Return 1, or what was set."""
    return _now["threads"]  # type: ignore[no-any-return]


def set_num_interop_threads(count: int) -> None:
    """Stored for the getter."""
    _now["interop"] = count


def get_num_interop_threads() -> int:
    """Return 1, or what was set."""
    return _now["interop"]  # type: ignore[no-any-return]


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Stored for the getter: everything here is deterministic."""
    if not isinstance(mode, bool):
        raise TypeError(
            f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {type(mode).__name__}"
        )
    _now.update(deterministic=mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Return what was set."""
    return _now["deterministic"]  # type: ignore[no-any-return]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return what was set."""
    return _now["warn_only"]  # type: ignore[no-any-return]


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set 0 or "default", 1 or "warn", 2 or "error"."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    known: dict[int | str, int] = {"default": 0, "warn": 1, "error": 2, 0: 0, 1: 1, 2: 2}
    if debug_mode not in known:
        choices = "one of `default`, `warn`, `error`" if isinstance(debug_mode, str) else "0, 1, or 2"
        raise RuntimeError(f"invalid value of debug_mode, expected {choices}, but got {debug_mode}")
    level = known[debug_mode]
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode() -> int:
    """Return 0, 1 or 2."""
    return 0 if not _now["deterministic"] else 1 if _now["warn_only"] else 2


def set_float32_matmul_precision(precision: str) -> None:
    """Stored for the getter: products are computed in full precision."""
    if precision not in ("highest", "high", "medium"):
        warn_once(
            "precision",
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has "
            "no effect.",
        )
        return
    _now["precision"] = precision


def get_float32_matmul_precision() -> str:
    """Return what was set."""
    return _now["precision"]  # type: ignore[no-any-return]


def set_flush_denormal(mode: bool) -> bool:
    """Return True, as on a processor that can do it; small numbers are kept all the same."""
    return True


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether anomaly mode, when it is on, looks for nan."""
    return state.anomaly_nan


def set_default_tensor_type(t: Any) -> None:
    """Set the element type of new tensors, by the old name of a tensor type."""
    name = t if isinstance(t, str) else f"torch.{t.__name__}"
    kind = {"FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16"}
    last = name.rpartition(".")[2]
    if last not in kind:
        raise TypeError("only floating-point types are supported as the default type")
    warn_once(
        "set_default_tensor_type",
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives. (Triggered internally at "
        "/__w/pytorch/pytorch/torch/csrc/tensor/python_tensor.cpp:434.)",
    )
    if not STANDING.kinds and (name.startswith("torch.cuda.") or getattr(t, "is_cuda", False) is True):
        raise TypeError(NO_CUDA_TYPE.format(f"torch.cuda.{last}"))
    set_default_dtype(getattr(dtypes, kind[last]))


F = TypeVar("F", bound=Callable[..., Any])


def _asking(fn: F) -> F:
    """Refuse wrong arguments in PyTorch's words."""
    return in_torch_words(fn, f"torch.{fn.__name__}")


@_asking
def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return whether an autocast is on for the device."""
    device(device_type)
    return autocasts.enabled.get(device_type, False)


def is_autocast_cpu_enabled() -> bool:
    """Return whether an autocast is on for the CPU."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')", 883)
    return is_autocast_enabled("cpu")


def _deprecated(old: str, new: str, line: int) -> None:
    if state.warn_always or old not in state.warned:
        state.warned.add(old)
        where = f"/__w/pytorch/pytorch/torch/csrc/autograd/init.cpp:{line}"
        text = f"torch.{old} is deprecated. Please use torch.{new} instead. (Triggered internally at {where}.)"
        warnings.warn(text, DeprecationWarning, stacklevel=3)


@_asking
def set_autocast_enabled(*args: Any) -> None:
    """Switch an autocast on or off."""
    kind, enabled = args if len(args) == 2 else ("cuda", *args)
    device(kind)
    autocasts.enabled[kind] = enabled
    autocasts.refresh()


def is_autocast_cache_enabled() -> bool:
    """Return whether autocast caches converted parameters."""
    return autocasts.cache


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether autocast caches converted parameters."""
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    autocasts.cache = enabled


@_asking
def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """Return the type in which an autocast computes."""
    return autocasts.dtype.get(device_type, dtypes.float16)


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """Return the type in which an autocast on the CPU computes."""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')", 1016)
    return get_autocast_dtype("cpu")


@_asking
def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Set the type in which an autocast computes."""
    autocasts.dtype[device_type] = dtype
    autocasts.refresh()


def autocast_increment_nesting() -> int:
    """Count one more open autocast; return how many are open."""
    autocasts.nesting += 1
    return autocasts.nesting


def autocast_decrement_nesting() -> int:
    """Count one open autocast less; return how many are open."""
    autocasts.nesting -= 1
    return autocasts.nesting


def clear_autocast_cache() -> None:
    """Drop the converted parameters."""
    forget_converted()


def compiled_with_cxx11_abi() -> bool:
    """Return True."""
    return True
