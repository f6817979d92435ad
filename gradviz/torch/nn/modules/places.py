"""What a Module does about devices and memory: there is one device, and nothing is compiled. A part of `Module`
(`module.py`), kept apart from what a module computes and saves."""

from __future__ import annotations

from typing import Any, TypeVar

from gradviz.engine.api import FUNCTIONS as T
from gradviz.torch.nn.modules.registry import Registry

Self = TypeVar("Self", bound="Places")


class Places(Registry):
    """Devices, memory and parts in other places."""

    def _apply(self: Self, fn: Any, recurse: bool = True) -> Self:
        raise NotImplementedError

    def cpu(self: Self) -> Self:
        """The module itself: this is where it is."""
        return self

    def cuda(self: Self, device: Any = None) -> Self:
        """Refused, as by PyTorch without CUDA, for a module that has parameters."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self: Self, device: Any = None) -> Self:
        """Refused for a module that has parameters."""
        return self._apply(lambda t: t.to("xpu"))

    def share_memory(self: Self) -> Self:
        """The module itself: there is one process."""
        return self

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """New memory for parameters and buffers, with any numbers in it."""
        return self._apply(lambda t: T["empty_like"](t, device=device), recurse=recurse)

    def compile(self, *args: Any, **options: Any) -> None:
        """Nothing is compiled, so that every operation can be seen."""

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put a module at the place that `target` names with dots."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        *path, name = target.split(".")
        if not isinstance(module, Registry):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent: Any = self
        for part in path:
            if not hasattr(parent, part):
                raise AttributeError(parent._get_name() + " has no attribute `" + part + "`")
            parent = getattr(parent, part)
            if not isinstance(parent, Registry):
                raise AttributeError("`" + part + "` is not an nn.Module")
        if strict and not hasattr(parent, name):
            raise AttributeError(parent._get_name() + " has no attribute `" + name + "`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Registry):
            raise AttributeError("`" + name + "` is not an nn.Module")
        setattr(parent, name, module)
