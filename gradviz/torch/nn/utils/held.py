"""A module's tensor by a name that is data: what prune, weight_norm and parametrize read, set and delete. Only a module
has one, and only under a name that is not part of every module. Next: `prune`."""

from __future__ import annotations

from typing import Any

from gradviz.torch.nn.modules.module import Module

_EVERYWHERE = frozenset({*dir(Module), *vars(Module())})


def _checked(module: Any, name: Any) -> str:
    if not isinstance(module, Module):
        raise TypeError(f"expected a torch.nn.Module, not '{type(module).__name__}'")
    if type(name) is not str or name in _EVERYWHERE or name.startswith("__"):
        raise AttributeError(f"'{type(module).__name__}' object has no parameter '{name}'")
    return name


def held(module: Any, name: Any, *default: Any) -> Any:
    """As getattr."""
    return getattr(module, _checked(module, name), *default)


def hold(module: Any, name: Any, value: Any) -> None:
    """As setattr."""
    setattr(module, _checked(module, name), value)


def drop(module: Any, name: Any) -> None:
    """As delattr."""
    delattr(module, _checked(module, name))
