"""What a worker changes in the classes of its own process, once, before snippets arrive.

Some of PyTorch's objects set or read attributes whose names the snippet passes as data: the keys of a `ParameterDict`,
a scheduler's `load_state_dict`, the names of a module's children. NumPy would trust an `__array_interface__` set in
this way, and a `__class__` would expose the class. So names with two underscores on both sides are refused, and arrays
leave as `SafeArray`. The engine's arrays are NumPy's, so an array that does not fit raises NumPy's MemoryError; PyTorch
raises a RuntimeError, which tutorials catch: here it is both. Next: `python_types`, for Python's own."""

from __future__ import annotations

import collections
import contextlib
import enum
import fractions
import functools
import math
import random
import re
import types
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from gradviz.engine.kernel.modes import _Mode
from gradviz.engine.kernel.tensor import ORDINARY, Tensor
from gradviz.engine.run.api import method
from gradviz.worker.objects.arguments import keep_methods, keep_methods_of_module, keep_public_methods
from gradviz.worker.objects.identity import MEMORIES, hash_of_module, hash_of_tensor
from gradviz.worker.objects.kept_memory import is_remembered
from gradviz.worker.objects.numpy_boundary import to_snippet
from gradviz.worker.objects.python_types import change_python
from gradviz.worker.policy_names import MEMORY, is_dunder

# --- the error of an array that does not fit ---


def speak_as_pytorch() -> None:
    """Give NumPy's error the message and the name of PyTorch's; NumPy's C code keeps a reference to the class, so the
    class itself is changed."""
    from numpy._core import _exceptions

    error: Any = _exceptions._ArrayMemoryError
    error.__bases__ = (MemoryError, RuntimeError)
    error.__str__ = _words
    error.__repr__ = lambda raised: f"RuntimeError({str(raised)!r})"
    error.__name__ = error.__qualname__ = "RuntimeError"
    error.__module__ = "builtins"


def _words(raised: Any) -> str:
    size = math.prod(raised.shape) * int(raised.dtype.itemsize)
    return (
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: "
        f"you tried to allocate {size} bytes. Error code 12 (Cannot allocate memory)"
    )


_PYTHONS = (collections, contextlib, enum, fractions, random, re, warnings)


def harden(torch: dict[str, types.ModuleType]) -> None:
    """Apply all changes; `torch` maps the names that a snippet uses to the real modules."""
    root, modules = torch["torch"], torch["torch.nn"]
    for name in ("numpy", "__array__"):
        if hasattr(root.Tensor, name):
            _wrap(root.Tensor, name, _handing_out)
    method("data_ptr")(_data_ptr)
    modules.Module.__hash__, hash_by_address = hash_of_module, root.Tensor.__hash__
    for cls in _own_classes(torch):
        cls.__array_interface__ = property(_no_array_interface)
        if vars(cls).get("__hash__") is hash_by_address:  # every class with an `__eq__` has one
            cls.__hash__ = hash_of_tensor
    type(root.backends.cudnn).__init__ = _none_more
    module = modules.Module
    _wrap(_owner(module, "__getattr__"), "__getattr__", _with_plain_name)
    _wrap(_owner(module, "__setattr__"), "__setattr__", _with_plain_name_unless_lazy)
    for name in ("__getitem__", "__setitem__", "__delitem__"):
        _wrap(modules.ParameterDict, name, _with_public_name)
    modules.RNNBase._flat_weights = property(_plain_weights)
    for each in list(vars(torch["torch.optim.lr_scheduler"]).values()):
        if isinstance(each, type) and "load_state_dict" in vars(each):
            _wrap(each, "load_state_dict", _with_plain_keys)
    _wrap(_Mode, "__call__", _no_shared_class)
    for cls in _own_classes(torch):
        keep_methods_of_module(cls, module) if issubclass(cls, module) else keep_methods(cls)
    for cls in _classes_of_python():
        keep_public_methods(cls)
    speak_as_pytorch()
    change_python()
    for error in _errors_of_numpy():
        _keep_text_only(error)


def _own_classes(torch: dict[str, types.ModuleType]) -> set[Any]:
    """Return every class that the torch modules define or return, and the classes of their objects."""
    values = [value for module in torch.values() for value in vars(module).values()]
    found = {value if isinstance(value, type) else type(value) for value in values}
    bases = {base for cls in found for base in cls.__mro__} - ORDINARY
    return {cls for cls in bases if _is_ours(cls)}


def _is_ours(value: Any) -> bool:
    """Whether something is one of the engine's classes, or of those that have the names of PyTorch's."""
    return type(value) in ORDINARY and value.__module__.split(".")[0] in ("gradviz", "torch")


def _classes_of_python() -> list[Any]:
    """Return those of Python's classes that a snippet can use, or whose objects it meets, and that are written in
    Python; no metaclasses."""
    values = [value for module in _PYTHONS for value in vars(module).values() if isinstance(value, type)]
    return [cls for cls in dict.fromkeys(values) if cls is not enum.Enum and not issubclass(cls, type)]


def _wrap(owner: type, name: str, around: Callable[[Callable[..., Any]], Callable[..., object]]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(around(original)))


def _owner(cls: type, name: str) -> type:
    """Return the class in the hierarchy that defines the method."""
    return next(base for base in cls.__mro__ if name in vars(base))


def _data_ptr(self: Tensor) -> int:
    """The number of the first element: found inside the method, so that what a class or mode answers stays as it is."""
    return MEMORIES.data_ptr(self)


def _handing_out(original: Callable[..., object]) -> Callable[..., object]:
    return lambda *args, **keywords: to_snippet(original(*args, **keywords))


def _no_array_interface(thing: object) -> NoReturn:
    raise AttributeError(f"'{type(thing).__name__}' object has no attribute '__array_interface__'")


def _errors_of_numpy() -> list[Any]:
    """Return the error classes that keep a reference to the function, or the dtypes, that they are about."""
    values = vars(np._core._exceptions).values()
    return [
        each for each in values if isinstance(each, type) and issubclass(each, Exception) and "__str__" in vars(each)
    ]


def _keep_text_only(error: Any) -> None:
    fill, tell = error.__init__, error.__str__

    def init(self: Any, *args: object) -> None:
        fill(self, *args)
        if type(self) is error:
            self.args = (tell(self),)
            vars(self).clear()

    error.__init__, error.__str__ = init, Exception.__str__


def _none_more(self: object, *given: object, **named: object) -> NoReturn:
    raise TypeError(f"cannot create '{type(self).__module__}.{type(self).__qualname__}' instances")


def _refuse_dunder(name: object) -> None:
    if type(name) is not str or is_dunder(name) or name == MEMORY:
        raise AttributeError(f"the name {name!r} is not available in GradViz snippets")


def _with_plain_name(original: Callable[..., object]) -> Callable[..., object]:
    def call(self: object, name: str, *rest: object) -> object:
        _refuse_dunder(name)
        return original(self, name, *rest)

    return call


def _with_public_name(original: Callable[..., object]) -> Callable[..., object]:
    """Accept public names only: a private one would be one of the module's own tables."""

    def call(self: object, name: str, *rest: object) -> object:
        if type(name) is not str or name.startswith("_"):
            raise AttributeError(f"the name {name!r} is not available in GradViz snippets")
        return original(self, name, *rest)

    return call


def _with_plain_name_unless_lazy(original: Callable[..., object]) -> Callable[..., object]:
    def call(self: object, name: str, value: Any) -> None:
        becomes = name == "__class__" and _is_ours(value)
        kind = type(self)  # a lazy layer becomes what it derives from; with parametrizations, what is derived from it
        if not (becomes and (issubclass(kind, value) or issubclass(value, kind))):
            _refuse_dunder(name)
        original(self, name, value)

    return call


def _plain_weights(module: Any) -> list[object]:
    """Return the weights of a recurrent module by the names in its list."""
    names = list(module._flat_weights_names)  # read once: the list may be an object of the snippet
    for name in names:
        _refuse_dunder(name)
    return [getattr(module, name, None) for name in names]


def _with_plain_keys(original: Callable[..., object]) -> Callable[..., object]:
    def call(self: object, state_dict: dict[str, object]) -> None:
        plain = _plain_table(state_dict)
        if plain.get("lr_lambdas") is not None:
            plain["lr_lambdas"] = [each and _plain_table(each) for each in plain["lr_lambdas"]]
        if plain.get("_scale_fn_custom") is not None:
            plain["_scale_fn_custom"] = _plain_table(plain["_scale_fn_custom"])
        original(self, plain)

    return call


def _no_shared_class(original: Callable[..., object]) -> Callable[..., object]:
    """Refuse classes that all runs share: `@torch.no_grad()` replaces a class's `__init__`, which only a class of the
    snippet's own may lose."""

    def call(self: object, fn: object) -> object:
        if isinstance(fn, type) and not is_remembered(fn):
            raise TypeError(f"the class '{fn.__name__}' can't be changed in GradViz snippets")
        return original(self, fn)

    return call


def _plain_table(given: Any) -> dict[str, Any]:
    """Return names and values, read once."""
    plain = dict(given.items())
    for name in plain:
        _refuse_dunder(name)
    return plain
