"""What a worker changes on the torch classes of its own process, once, before snippets come.

Some of PyTorch's objects set or read attributes whose names the snippet gives as data: a `ParameterDict` its keys, a
scheduler its `load_state_dict`, a module the names of its children. NumPy would believe an `__array_interface__` that
gets in this way, and a `__class__` would open the class. So names with two underscores on both sides stay out; and
arrays leave as `SafeArray`.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

from gradviz.worker.arrays import safe
from gradviz.worker.policy_names import is_dunder


def harden(torch: dict[str, types.ModuleType]) -> None:
    """Do all of it; `torch` are the real modules by the name that a snippet uses."""
    root, modules = torch["torch"], torch["torch.nn"]
    for name in ("numpy", "__array__"):
        if hasattr(root.Tensor, name):
            _wrap(root.Tensor, name, _handing_out_safe)
    for cls in _own_classes(torch):
        cls.__array_interface__ = property(_no_array_interface)
    module = modules.Module
    _wrap(_owner(module, "__getattr__"), "__getattr__", _with_plain_name)
    _wrap(_owner(module, "__setattr__"), "__setattr__", _with_plain_name_unless_lazy)
    for name in ("__getitem__", "__setitem__", "__delitem__"):
        _wrap(modules.ParameterDict, name, _with_plain_name)
    recurrent = modules.RNNBase
    weights = vars(recurrent)["_flat_weights"].fget
    recurrent._flat_weights = property(lambda self: _with_plain_names(weights, self))
    for each in list(vars(torch["torch.optim.lr_scheduler"]).values()):
        if isinstance(each, type) and "load_state_dict" in vars(each):
            _wrap(each, "load_state_dict", _with_plain_keys)


def _own_classes(torch: dict[str, types.ModuleType]) -> set[Any]:
    """Every class that the torch modules define or hand out, and the classes of their objects."""
    values = [value for module in torch.values() for value in vars(module).values()]
    found = {value if isinstance(value, type) else type(value) for value in values}
    bases = {base for cls in found for base in cls.__mro__}
    return {cls for cls in bases if type(cls) is type and cls.__module__.split(".")[0] in ("gradviz", "torch")}


def _wrap(owner: type, name: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(around(original)))


def _owner(cls: type, name: str) -> type:
    """The class in the hierarchy that defines the method."""
    return next(base for base in cls.__mro__ if name in vars(base))


def _handing_out_safe(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **keywords: safe(original(*args, **keywords))


def _no_array_interface(thing: object) -> NoReturn:
    raise AttributeError(f"'{type(thing).__name__}' object has no attribute '__array_interface__'")


def _refuse_dunder(name: object) -> None:
    if type(name) is not str or is_dunder(name):
        raise AttributeError(f"the name {name!r} is not available in GradViz snippets")


def _with_plain_name(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, name: str, *rest: Any) -> Any:
        _refuse_dunder(name)
        return original(self, name, *rest)

    return call


def _with_plain_name_unless_lazy(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, name: str, value: Any) -> None:
        becomes = name == "__class__" and type(value) is type and value.__module__.split(".")[0] in ("torch", "gradviz")
        if not becomes:  # a lazy layer becomes what it stands for
            _refuse_dunder(name)
        original(self, name, value)

    return call


def _with_plain_names(weights: Callable[[Any], Any], module: Any) -> Any:
    """The weights of a recurrent module, by the names in a list that is its own."""
    for name in module._flat_weights_names:
        _refuse_dunder(name)
    return weights(module)


def _with_plain_keys(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, state_dict: dict[str, Any]) -> None:
        for key, value in state_dict.items():
            _refuse_dunder(key)
            if key == "lr_lambdas":
                for attributes in value:
                    for name in attributes or ():
                        _refuse_dunder(name)
        original(self, state_dict)

    return call
