"""`torch.autograd.forward_ad`: dual tensors, which carry the derivative along one direction through everything that is
computed from them. The work is done in `gradviz.engine.transforms.forward_mode`; this is PyTorch's API for it."""

from __future__ import annotations

from typing import NamedTuple

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.modes import _Mode
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.transforms import forward_mode

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent."""

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


class _Level:
    """The one level that can be open, and its number in the engine."""

    number: int | None = None


def enter_dual_level() -> int:
    """Open the level in which dual tensors can be made."""
    if _Level.number is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _Level.number = layers.open_dual()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level and drop its tangents."""
    if level is None:
        level = _current()
    if level != _current():
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if _Level.number is None:
        raise RuntimeError("Dual level must be a positive number.")
    layers.close_dual(_Level.number)
    _Level.number = None


def _current() -> int:
    return -1 if _Level.number is None else 0


def __getattr__(name: str) -> int:
    if name == "_current_level":
        return _current()
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute '{name}'")


def _number(level: int) -> int | None:
    """The engine's number of a level; inside `torch.func.jvp` that of the jvp."""
    return _Level.number if level == 0 else None


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return the tensor with a tangent, sharing its memory."""
    level = _current() if level is None else level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    number = _number(level)
    if number is None:
        raise RuntimeError("Invalid level given to _make_dual")
    return forward_mode.make_dual(tensor, tangent, number)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return a dual tensor as a pair; for any other tensor, the tensor itself and None."""
    level = _current() if level is None else level
    number = _number(level)
    if number is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    return UnpackedDualTensor(*((tensor, None) if number is None else forward_mode.unpack_dual(tensor, number)))


class dual_level(_Mode):
    """The level, for a `with` block or a decorated function."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()


def _is_fwd_grad_enabled() -> bool:
    return forward_mode.Switch.enabled


class _set_fwd_grad_enabled(_Mode):
    """Set whether tangents are pushed forward, at once or for a `with` block."""

    def __init__(self, mode: bool) -> None:
        self.prev = forward_mode.Switch.enabled
        self.mode = mode
        forward_mode.Switch.enabled = mode

    def clone(self) -> _set_fwd_grad_enabled:
        return _set_fwd_grad_enabled(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        forward_mode.Switch.enabled = self.prev


dual_level.__module__ = _set_fwd_grad_enabled.__module__ = "torch.autograd.forward_ad"
