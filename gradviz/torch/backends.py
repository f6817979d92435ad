"""`torch.backends`: switches of hardware that is not there. What a snippet assigns is kept and changes nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


class Backend:
    """One back end: not available, with switches that may be set."""

    def __init__(self, name: str, available: bool = False, **switches: object) -> None:
        self.__name__ = f"torch.backends.{name}"
        self._available = available
        for key, value in switches.items():
            setattr(self, key, value)

    def is_available(self) -> bool:
        """Whether the build of PyTorch for the CPU has it."""
        return self._available

    def is_built(self) -> bool:
        """Whether it was compiled in."""
        return self._available

    def version(self) -> None:
        """There is none."""

    def flags(self, **switches: object) -> AbstractContextManager[None]:
        """Switches that hold for a block; nothing follows them here."""
        return nullcontext()


mps = Backend("mps")
cudnn = Backend("cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True)
cuda = Backend("cuda", matmul=Backend("cuda.matmul", allow_tf32=False))
mkl = Backend("mkl", available=True)
mkldnn = Backend("mkldnn", available=True, enabled=True)
openmp = Backend("openmp", available=True)
