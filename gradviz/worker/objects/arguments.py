"""Which arguments functions and methods may not be called with.

A function of a snippet may not get objects that a snippet should never hold: NumPy's own and GradViz's internal ones.
No boundary hands them out, but the PyTorch part calls methods of the objects it is given with its own internal objects,
so every function of a snippet checks its arguments first.

A method of PyTorch or Python may not get an object of another class as self. Python allows any in
`Class.method(thing)`. A method that writes an attribute would then set it on a class that all runs share; one that
reads an attribute by a given name would read any attribute of any object; one that makes an object of its object's
class would make a class from a class; and one that passes what it holds to something of its object would pass it to the
snippet. Next: `policy`, which adds the argument checks, and `hardening`, which restricts methods to their own
classes."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from gradviz.engine.kernel.batched import BatchedArray
from gradviz.engine.kernel.memory import VersionCounter
from gradviz.engine.kernel.rows import OpRow, Plan
from gradviz.engine.kernel.saved import Saved
from gradviz.engine.kernel.state import State
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.backward import GraphTask
from gradviz.trace.record.recorder import PARTS, Recorder
from gradviz.worker.objects.numpy_boundary import REAL
from gradviz.worker.policy_names import READABLE_DUNDERS, is_dunder

_NUMPYS = (np.ndarray, np.generic, np.dtype, np.ufunc, np.random.Generator, np.random.BitGenerator)
_KEPT = (OpRow, Plan, Saved, VersionCounter, State, GraphTask, BatchedArray, Recorder, *PARTS)
_PYTHONS = (types.ModuleType, types.FrameType, types.CodeType, memoryview)
_OTHERS = (*_KEPT, *_PYTHONS)
_FREQUENT = frozenset((Tensor, int, float, bool, str, type(None), types.FunctionType))
_SEVERAL = (tuple, list)
_LOOKED_AT = 32  # items of a list that are checked


def is_numpys_own(thing: object) -> bool:
    """Whether this is an object or class of NumPy's own that has a stand-in or would need one."""
    if isinstance(thing, type):
        return issubclass(thing, _NUMPYS) and thing not in REAL and thing.__module__ != "__main__"
    return isinstance(thing, _NUMPYS) and type(thing) not in REAL


def check_arguments(*given: Any) -> None:
    """Raise TypeError if an argument of a call, or an item of one, is not allowed in a snippet."""
    for each in given:
        kind = type(each)
        if kind in _FREQUENT:
            continue
        if kind in _SEVERAL:
            for item in each[:_LOOKED_AT]:
                _check(item)
        elif kind is dict:
            for item in islice(each.values(), _LOOKED_AT):  # a table may be large, and is often passed
                _check(item)
        else:
            _check(each)


def looking(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function with a check of its arguments: for a function that is made for the snippet rather than
    written in it."""

    @functools.wraps(function)
    def call(*given: object, **named: object) -> object:
        check_arguments(*given, *named.values())
        return function(*given, **named)

    return call


def _check(value: object) -> None:
    if is_numpys_own(value) or isinstance(value, _OTHERS):
        raise TypeError("a function of a snippet can't be called with an object that belongs to GradViz")


# --- methods that only serve objects of their own class ---

C = TypeVar("C", bound=type)
_MAKING = frozenset("__new__ __init__ __init_subclass__ __set_name__ __class_getitem__".split())  # checked by the guard


def of_its_own(owner: type, original: Callable[..., object]) -> Callable[..., Any]:
    """Return the method, restricted to objects of its class."""

    @functools.wraps(original)
    def call(self: object, *args: object, **keywords: object) -> object:
        if not isinstance(self, owner):
            raise _of_another_class(self, owner)
        return original(self, *args, **keywords)

    return call


def _read_of_its_own(owner: type, original: Callable[[object], object]) -> Callable[[object], object]:
    """The same for what a property reads by, which gets nothing else: shapes are read more often than anything."""

    @functools.wraps(original)
    def call(self: object) -> object:
        if isinstance(self, owner):
            return original(self)
        raise _of_another_class(self, owner)

    return call


def _of_another_class(thing: object, owner: type) -> TypeError:
    return TypeError(f"expected a '{owner.__name__}', not '{type(thing).__name__}'")


_NONE: Mapping[str, type] = {}
_HAVE_KEPT: weakref.WeakSet[type] = weakref.WeakSet()


def keep_methods(cls: C) -> C:
    """Restrict every method and property of the class to objects of the class."""
    if cls not in _HAVE_KEPT:
        _HAVE_KEPT.add(_keep(cls))
    return cls


def keep_methods_of_module(cls: C, module: type) -> C:
    """Restrict every method of a class of modules: what other modules borrow, to modules."""
    return _keep(cls, borrowers=dict.fromkeys(("forward", "extra_repr"), module))


def keep_offered(thing: object) -> None:
    """Do so for the class that a stand-in offers, or whose object it does, and for those it derives from, as far as
    they are written for one."""
    kind = thing if isinstance(thing, type) else type(thing)
    for base in () if kind in _SEEN else kind.__mro__:
        if base not in _SEEN:
            _SEEN.add(base)
            if any(each.__module__.startswith(_OFFERING) for each in map(_function_of, vars(base).values()) if each):
                _OFFERED.add(keep_methods(base))


_OFFERING = "gradviz.worker.modules."
_OFFERED: weakref.WeakSet[type] = weakref.WeakSet()
_SEEN: weakref.WeakSet[type] = weakref.WeakSet()  # each run has stand-ins of its own, mostly for the same classes


def private_of(cls: type, name: str) -> list[object]:
    """Return what the offered classes that a class derives from have under a private name."""
    if name[:1] != "_" or is_dunder(name):
        return []
    return [vars(base)[name] for base in cls.__mro__ if base in _OFFERED and name in vars(base)]


def is_offered(cls: type) -> bool:
    """Whether a stand-in offers the class, or one that derives from it, and it is written for one."""
    return cls in _OFFERED


def _function_of(value: object) -> Callable[..., object] | None:
    found = value.fget if type(value) is property else value
    return found if type(found) is types.FunctionType else None


def keep_public_methods(cls: C) -> C:
    """Restrict every method that a snippet can name, in a class of Python's whose other functions may not be
    methods."""
    return _keep(cls, _MAKING.union(name for name in vars(cls) if name[:1] == "_" != name[1:2]))


def _keep(cls: C, left: frozenset[str] = _MAKING, borrowers: Mapping[str, type] = _NONE) -> C:
    for name, value in list(vars(cls).items()):
        owner = borrowers.get(name, cls)
        if is_dunder(name) and name not in READABLE_DUNDERS:  # no snippet can access it
            continue
        if type(value) is types.FunctionType and name not in left:
            setattr(cls, name, of_its_own(owner, value))
        elif type(value) is property:  # in a class of the snippet, it is read of that class's objects
            write, delete = (each and of_its_own(owner, each) for each in (value.fset, value.fdel))
            read = value.fget and _read_of_its_own(owner, value.fget)
            setattr(cls, name, property(read, write, delete, value.__doc__))
    return cls
