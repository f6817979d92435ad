"""`torch.backends`: switches of missing hardware. What a snippet assigns is stored and has no effect, except for those
that choose the kernel of attention."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager, nullcontext

from gradviz.engine.ops.attention import ALL_KERNELS, KERNELS, only_kernels


class Backend:
    """A back end: not available, with switches that can be set."""

    def __init__(self, name: str, available: bool = False, **switches: object) -> None:
        self.__name__ = f"torch.backends.{name}"
        self._available = available
        for key, value in switches.items():
            setattr(self, key, value)

    def is_available(self) -> bool:
        """Return whether the CPU build of PyTorch has it."""
        return self._available

    def is_built(self) -> bool:
        """Return whether it was compiled in."""
        return self._available

    def version(self) -> None:
        """Return None: there is no version."""

    def flags(self, **switches: object) -> AbstractContextManager[None]:
        """Set switches for a block; they have no effect."""
        return nullcontext()


def _attention_switches() -> dict[str, object]:
    """What `torch.backends.cuda` says of the kernels of attention, which holds for the CPU too."""

    def switch(kernel: str) -> tuple[object, object]:
        def enable(enabled: bool) -> None:
            (KERNELS.add if enabled else KERNELS.discard)(kernel)

        return enable, lambda: kernel in KERNELS

    def sdp_kernel(
        enable_flash: bool = True,
        enable_math: bool = True,
        enable_mem_efficient: bool = True,
        enable_cudnn: bool = True,
    ) -> AbstractContextManager[dict[object, object]]:
        warnings.warn(
            "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. "
            "Please see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
            FutureWarning,
            stacklevel=2,
        )
        chosen = zip(ALL_KERNELS, (enable_flash, enable_math, enable_mem_efficient, enable_cudnn), strict=True)
        return only_kernels([kernel for kernel, on in chosen if on])

    found: dict[str, object] = {"sdp_kernel": sdp_kernel}
    for kernel in ALL_KERNELS:
        found[f"enable_{kernel}_sdp"], found[f"{kernel}_sdp_enabled"] = switch(kernel)
    return found


mps = Backend("mps")
cudnn = Backend("cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True)
cuda = Backend("cuda", matmul=Backend("cuda.matmul", allow_tf32=False))
vars(cuda).update(_attention_switches())
mkl = Backend("mkl", available=True)
mkldnn = Backend("mkldnn", available=True, enabled=True)
openmp = Backend("openmp", available=True)
