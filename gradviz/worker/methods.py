"""Methods that serve objects of their own class only.

Python calls a method with any object, `Class.method(thing)`. One that then writes an attribute would set it on a class
that all runs share, one that reads an attribute by a name that it is given would read any of any object, one that makes
an object of its object's class would make a class of a class, and one that hands what it holds to something of its
object would hand it to the snippet. Next: `hardening`, which keeps those of PyTorch's and Python's classes to
themselves.
"""

from __future__ import annotations

import dis
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from gradviz.worker.policy_names import READABLE_DUNDERS, is_dunder

C = TypeVar("C", bound=type)
_MAKING = frozenset("__new__ __init__ __init_subclass__ __set_name__ __class_getitem__".split())  # the guard's affair
_OPERATORS = frozenset("__add__ __sub__ __mul__ __truediv__ __matmul__ __rmatmul__".split())  # write to what they make
_WRITING = frozenset(("STORE_ATTR", "DELETE_ATTR"))
_BY_NAME = frozenset("getattr setattr delattr vars type __class__ __dict__".split())  # or by the class of an object


def of_its_own(owner: type, original: Callable[..., Any]) -> Callable[..., Any]:
    """The method, for objects of its class."""

    @functools.wraps(original)
    def call(self: Any, *args: Any, **keywords: Any) -> Any:
        if not isinstance(self, owner):
            raise TypeError(f"expected a '{owner.__name__}', not '{type(self).__name__}'")
        return original(self, *args, **keywords)

    return call


def keep_methods(cls: C) -> C:
    """Every method of the class is for its own objects."""
    return _keep(cls, lambda method: True)


def keep_public_methods(cls: C) -> C:
    """So is every method that a snippet can name, in a class of Python's, whose other functions may be no methods."""
    return _keep(cls, lambda method: True, _MAKING.union(name for name in vars(cls) if name[:1] == "_" != name[1:2]))


def keep_reaching_methods(cls: C) -> C:
    """So is every method and property that writes an attribute of something, or reaches one by a name that it has as
    data, but operators, which have to be fast."""
    return _keep(cls, _reaches, _MAKING | _OPERATORS)


def _keep(cls: C, chosen: Callable[[Any], bool], left: frozenset[str] = _MAKING) -> C:
    for name, value in list(vars(cls).items()):
        if is_dunder(name) and name not in READABLE_DUNDERS:  # no snippet gets it
            continue
        if type(value) is types.FunctionType and name not in left and chosen(value):
            setattr(cls, name, of_its_own(cls, value))
        elif type(value) is property:  # with classmethod() in a class of the snippet it is read with that class
            before: Any = (value.fget, value.fset, value.fdel)
            read, write, delete = (of_its_own(cls, each) if each and chosen(each) else each for each in before)
            if (read, write, delete) != before:
                setattr(cls, name, property(read, write, delete, value.__doc__))
    return cls


def _reaches(method: Any) -> bool:
    code = getattr(inspect.unwrap(method), "__code__", None)
    return code is not None and any(_writes(each) or _BY_NAME.intersection(each.co_names) for each in _codes(code))


def _writes(code: types.CodeType) -> bool:
    return any(step.opname in _WRITING for step in dis.get_instructions(code))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function, and of the functions within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)
