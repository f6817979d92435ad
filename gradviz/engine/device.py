"""`torch.device`: a name and an index. Only the CPU computes here."""

from __future__ import annotations

from typing import Any

_KINDS = ("cpu", "cuda", "mps", "xpu", "meta", "xla", "hpu", "mtia", "ipu")


class device:
    """Where a tensor lives: `device("cpu")`."""

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        self.type: str
        self.index: int | None
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        kind, _, number = str(type).partition(":")
        if kind not in _KINDS:
            raise RuntimeError(
                f"Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, "
                f"lazy, vulkan, mps, "
                f"meta, hpu, mtia, privateuseone device type at start of device string: {kind}"
            )
        self.type = kind
        self.index = int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))
