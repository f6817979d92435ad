"""`torch.cpu`, the only device that exists, and others that do not: `torch.cuda`, `torch.mps`, `torch.accelerator`.
They answer as PyTorch's CPU build does, and raise its errors in the same words."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from gradviz.engine.kernel.devices import STANDING
from gradviz.torch.amp import CPU_AMP, CUDA_AMP
from gradviz.torch.legacy import OF_CUDA
from gradviz.torch.pytorch_names import rehome

Names = dict[str, Callable[..., object]]

_CPU: dict[str, object] = {
    **{"is_available": True, "is_initialized": True, "device_count": 1, "current_device": "cpu"},
    **{"set_device": None, "synchronize": None},
}
_MPS: dict[str, object] = {"is_available": False, "device_count": 0, "manual_seed": None}
_ACCELERATOR: dict[str, object] = {"is_available": False, "device_count": 0, "current_accelerator": None}
_NO_ACCELERATOR = "Cannot access accelerator device when none is available."
_NEEDS_ACCELERATOR = """
current_device_index current_device_idx current_stream empty_cache get_memory_info max_memory_allocated
max_memory_reserved memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats
reset_peak_memory_stats set_device_index set_device_idx synchronize
""".split()
_NO_CUDA = "Torch not compiled with CUDA enabled"
_NEEDS_CUDA = """
current_device current_stream default_stream get_device_capability get_device_name get_device_properties
get_rng_state init initial_seed ipc_collect mem_get_info synchronize set_device reset_peak_memory_stats
reset_max_memory_allocated get_per_process_memory_fraction set_per_process_memory_fraction current_blas_handle cudart
""".split()
_OF_THE_CPU = {"current_device": 0, "synchronize": None, "set_device": None, "init": None, "get_device_name": "CPU"}
_OF_THE_CPU |= {"empty_cache": None, "ipc_collect": None, "reset_peak_memory_stats": None}  # where it stands for a GPU
_CUDA: dict[str, object] = {
    "is_available": False, "is_initialized": False, "is_bf16_supported": False, "is_tf32_supported": False,
    "device_count": 0, "memory_allocated": 0, "memory_reserved": 0, "memory_cached": 0, "max_memory_allocated": 0,
    "max_memory_reserved": 0, "max_memory_cached": 0, "empty_cache": None, "manual_seed": None, "manual_seed_all": None,
    "seed": None, "seed_all": None, "get_arch_list": (), "get_gencode_flags": "", "get_rng_state_all": (),
}  # fmt: skip


def _refused(names: list[str], error: type[Exception], text: str) -> Names:
    def made(name: str) -> Callable[..., Any]:
        def function(*args: object, **kwargs: object) -> int | str | None:
            if STANDING.kinds and name in _OF_THE_CPU:
                return _OF_THE_CPU[name]
            raise error(text)

        function.__name__ = function.__qualname__ = name
        function.__doc__ = "Raises, as PyTorch does without such a device."
        return function

    return {name: made(name) for name in names}


def _answered(answers: dict[str, object]) -> Names:
    def made(name: str, answer: object) -> Callable[..., Any]:
        def function(*args: object, **kwargs: object) -> object:
            return list(answer) if answer == () else answer

        function.__name__ = function.__qualname__ = name
        function.__doc__ = f"{answer!r}, as in PyTorch for the CPU."
        return function

    return {name: made(name, answer) for name, answer in answers.items()}


def memory_stats(device: object = None) -> OrderedDict[str, int]:
    """Return an empty dictionary: there is no GPU memory."""
    return OrderedDict()


class device(contextlib.ContextDecorator):
    """Accepted: there is no device to choose."""

    def __init__(self, device: object) -> None:
        self.idx = -1

    def __enter__(self) -> None:
        """Do nothing: there is nothing to choose."""

    def __exit__(self, *exc: object) -> None:
        pass


def stream(stream: object) -> contextlib.AbstractContextManager[None]:
    """Accepted: everything runs in order."""
    return contextlib.nullcontext()


class Stream:
    """Refused, as by PyTorch without CUDA."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class Event:
    """Refused, as by PyTorch without CUDA."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


_OF_CUDA = (
    _answered(_CUDA)
    | _refused(_NEEDS_CUDA, AssertionError, _NO_CUDA)
    | {thing.__name__: thing for thing in (Event, Stream, device, memory_stats, stream)}
)
rehome(
    "gradviz.torch",
    {
        "cpu": _answered(_CPU) | {"stream": stream},
        "mps": _answered(_MPS),
        "accelerator": _answered(_ACCELERATOR) | _refused(_NEEDS_ACCELERATOR, RuntimeError, _NO_ACCELERATOR),
        "cuda": _OF_CUDA,
    },
)
_FLAGS = {"default_generators": (), "has_half": True, "has_magma": True}
rehome("gradviz.torch", {"cuda": _FLAGS | OF_CUDA}, keep=True)
rehome("gradviz.torch.cpu", {"amp": CPU_AMP}, keep=True)
rehome("gradviz.torch.cuda", {"amp": CUDA_AMP}, keep=True)
_MEMORY = {name: thing for name, thing in _OF_CUDA.items() if "mem" in name or name == "empty_cache"}
rehome("gradviz.torch.cuda", {"memory": _MEMORY}, keep=True)
