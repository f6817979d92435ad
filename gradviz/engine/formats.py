"""`torch.layout` and `torch.memory_format`: names for how a tensor lies in memory. Here it lies row by row; the other
formats are taken where PyTorch takes them and change no number."""

from __future__ import annotations


class _Name(str):
    """A name that prints as PyTorch's object does."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class layout(_Name):
    """How the elements are kept: `torch.strided`."""

    __slots__ = ()
    __module__ = "torch"


class memory_format(_Name):
    """In which order the dimensions lie: `torch.contiguous_format` and its kin."""

    __slots__ = ()
    __module__ = "torch"


STRIDED = layout("torch.strided")
FORMATS = {
    name: memory_format(f"torch.{name}")
    for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
}
