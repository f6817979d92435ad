"""`torch.cuda`: there is none. What PyTorch's CPU build answers is answered here, and what it refuses is refused in the
same words."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from gradviz.torch.cuda import amp

default_generators: tuple[Any, ...] = ()
has_half, has_magma = True, False

NOT_COMPILED = "Torch not compiled with CUDA enabled"
_REFUSED = """
current_device current_stream default_stream get_device_capability get_device_name get_device_properties
get_rng_state init initial_seed ipc_collect mem_get_info synchronize set_device reset_peak_memory_stats
reset_max_memory_allocated get_per_process_memory_fraction set_per_process_memory_fraction current_blas_handle cudart
""".split()
_ANSWERS: dict[str, Any] = {
    "is_available": False, "is_initialized": False, "is_bf16_supported": False, "is_tf32_supported": False,
    "device_count": 0, "memory_allocated": 0, "memory_reserved": 0, "memory_cached": 0, "max_memory_allocated": 0,
    "max_memory_reserved": 0, "max_memory_cached": 0, "empty_cache": None, "manual_seed": None, "manual_seed_all": None,
    "seed": None, "seed_all": None, "get_arch_list": (), "get_gencode_flags": "", "get_rng_state_all": (),
}  # fmt: skip


def _refused(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError(NOT_COMPILED)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Refused, as by PyTorch without CUDA."
    return function


def _answered(name: str, answer: Any) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return list(answer) if answer == () else answer

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{answer!r}, as in PyTorch without CUDA."
    return function


globals().update({name: _refused(name) for name in _REFUSED})
globals().update({name: _answered(name, answer) for name, answer in _ANSWERS.items()})


def memory_stats(device: Any = None) -> OrderedDict[str, int]:
    """Empty: there is no GPU memory."""
    return OrderedDict()


class device(contextlib.ContextDecorator):
    """Accepted: there is no device to choose."""

    def __init__(self, device: Any) -> None:
        self.idx = -1

    def __enter__(self) -> None:
        """Nothing is chosen."""

    def __exit__(self, *exc: object) -> None:
        pass


def stream(stream: Any) -> contextlib.AbstractContextManager[None]:
    """Accepted: everything runs in one order."""
    return contextlib.nullcontext()


class Stream:
    """Refused, as by PyTorch without CUDA."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class Event:
    """Refused, as by PyTorch without CUDA."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


__all__ = ["Event", "Stream", "amp", "device", "memory_stats", "stream", *_REFUSED, *_ANSWERS]
