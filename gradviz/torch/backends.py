"""`torch.backends`: switches of missing hardware. What a snippet assigns is stored and has no effect."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


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


mps = Backend("mps")
cudnn = Backend("cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True)
cuda = Backend("cuda", matmul=Backend("cuda.matmul", allow_tf32=False))
mkl = Backend("mkl", available=True)
mkldnn = Backend("mkldnn", available=True, enabled=True)
openmp = Backend("openmp", available=True)
