"""What computes: `torch.device`. Here only the CPU does, also where a run lets it stand for others; tensors on the meta
device have a type, sizes and strides and show no numbers (`options.py` makes them, `layered.py` computes with them)."""

from __future__ import annotations

import re

from gradviz.engine.kernel.messages import called
from gradviz.engine.kernel.state import on_new_run

_KINDS = ("cpu", "cuda", "mps", "xpu", "meta", "xla", "hpu", "mtia", "ipu")

NO_CUDA_TYPE = "type {} not available. Torch not compiled with CUDA enabled."
NO_CUDA_LIBRARY = (
    "Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU "
    "library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but "
    "the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, "
    "EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of "
    "-Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you "
    "don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if "
    "there is a dependency on *_cuda.so library."
)


class Standing:
    """Which devices stand for the CPU in this run because the user chose so: none, or those of `ACCELERATORS`."""

    __slots__ = ("kinds",)

    def __init__(self) -> None:
        self.kinds: frozenset[str] = frozenset()


STANDING = Standing()
_chosen: list[device] = []  # by set_default_device, and by each open `with torch.device(…)`
on_new_run(_chosen.clear)
ACCELERATORS = frozenset({"cuda", "mps"})


@called("torch.device")
class device:
    """Where a tensor lives: `device("cpu")`."""

    __slots__ = ("index", "type")

    def __init__(self, type: object = ..., index: int | None = None) -> None:
        self.type: str
        self.index: int | None
        if not isinstance(type, str | int | device):
            got = "" if type is ... else type.__class__.__name__
            why = f"      didn't match because some of the arguments have invalid types: (!{got}!)\n" if got else ""
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({got}), but expected one of:\n"
                f" * (torch.device device)\n{why} * (str type, int index = -1)\n"
            )
        if index is not None and not isinstance(index, int):
            kind = index.__class__.__name__
            raise TypeError(f"device(): argument 'index' (position 2) must be int, not {kind}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int):
            if type < 0:
                raise RuntimeError("Device index must not be negative")
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not type:
            raise RuntimeError("Device string must not be empty")
        found = re.fullmatch(r"([a-zA-Z_]+)(?::(\d+))?", str(type))
        if found is None:
            raise RuntimeError(f"Invalid device string: '{type}'")
        kind, number = found.groups()
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
        return hash((self.type, -1 if self.index is None else self.index))  # before Python 3.12 None hashes by address

    def __enter__(self) -> device:
        _chosen.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        """Let new tensors be made where they were before."""
        if _chosen:
            _chosen.pop()


def choose(place: device) -> None:
    """Make new tensors there from now on."""
    _chosen[:] = [place]


def chosen() -> device:
    """Where new tensors are made if nothing is said."""
    return _chosen[-1] if _chosen else device("cpu")


def is_meta(place: object) -> bool:
    """Whether tensors made there have no numbers: the chosen device, if `place` is None."""
    if place is None:
        return bool(_chosen) and _chosen[-1].type == "meta"
    return place == "meta" or (isinstance(place, device) and place.type == "meta")
