"""Replaces methods of Python's own types by hand.

Attributes of such a type can't be set. What setting one would do is done here: another method is put into the type's
table of names, and the type, with all its subclasses, gets the matching C function. `deletable` and `is_settable` look
at what C code keeps in an object. Next: `python_types` and `ordered_tables`, which say what is changed."""

from __future__ import annotations

import builtins
import collections
import ctypes
import functools
import gc
from collections.abc import Callable, Iterator
from inspect import getattr_static
from types import MemberDescriptorType
from typing import Any

from gradviz.trace.record.location import Stack

Change = tuple[type, str, Callable[[Any], object]]  # the method of a class, and what makes its replacement
_WORD = ctypes.sizeof(ctypes.c_void_p)


def deletable(thing: object, name: str) -> object:
    """Return an object whose attribute may be deleted. What Python's own code keeps in one may not: some of that code
    does not look whether it is still there, such as `yield from` with the value of a StopIteration."""
    member = getattr_static(type(thing), name, None)
    if type(member) is MemberDescriptorType and "__slots__" not in vars(member.__objclass__):
        raise AttributeError(f"'{name}' of a '{type(thing).__name__}' can't be deleted in GradViz snippets")
    return thing


_ERRORS = {each for each in vars(builtins).values() if isinstance(each, type) and issubclass(each, BaseException)}


def is_settable(cls: type, name: str) -> bool:
    """Whether an object of one of Python's own classes takes this attribute: an error takes any that is not in its
    class, where everything is that C code keeps, and a defaultdict another factory."""
    if cls in _ERRORS:
        return not hasattr(cls, name)
    return cls is collections.defaultdict and name == "default_factory"


class _Looking:
    """A class whose C functions look up the method in the type."""

    def __repr__(self) -> str:
        return ""

    def __str__(self) -> str:
        return ""

    def __mod__(self, other: object) -> None:
        return None

    def __contains__(self, other: object) -> bool:
        return False

    def __setitem__(self, key: object, value: object) -> None:
        return None

    def __iter__(self) -> _Looking:
        return self

    def __next__(self) -> None:
        return None

    def __call__(self) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return False

    def __ior__(self, other: object) -> _Looking:
        return self

    def __init__(self) -> None:
        return None

    def __del__(self) -> None:
        return None

    __hash__ = None  # type: ignore[assignment]


# for a method: the word of the type that points to its C function, and the word there
_PLACES: dict[str, tuple[int, int | None]] = {
    "__repr__": (11, None),
    "__call__": (16, None),
    "__str__": (17, None),
    "__mod__": (12, 3),
    "__rmod__": (12, 3),
    "__ior__": (12, 28),
    "__contains__": (13, 7),
    "__setitem__": (14, 2),
    "__delitem__": (14, 2),
    **dict.fromkeys(("__lt__", "__le__", "__eq__", "__gt__", "__ge__"), (25, None)),
    "__iter__": (27, None),
    "__next__": (28, None),
    "__init__": (37, None),
    "__del__": (49, None),
}


def is_known(cls: type, name: str) -> bool:
    """Whether the type has the C function for its method at the expected place."""
    method = vars(cls)[name]
    return _word(_place(cls, name)) == _word(id(method) + 6 * _WORD)


def put(cls: type, name: str, around: Callable[[object], object]) -> None:
    """Replace a method that has no C function in the type."""
    before = vars(cls)[name]
    made: Any = around(before)
    _name(cls, name, functools.wraps(before)(made))


def renew(cls: type, name: str) -> None:
    """Put another object in the place of a method, for the same C function: some of Python's instructions know the
    first one by its address, and do not look at what it is called with."""
    before = vars(cls)[name]
    _FIRST.append(before)  # nothing else may come to lie where it lies
    made = ctypes.pythonapi.PyDescr_NewMethod
    made.argtypes, made.restype = (ctypes.py_object, ctypes.c_void_p), ctypes.py_object
    _name(cls, name, made(cls, _word(id(before) + 5 * _WORD)))


_FIRST: list[object] = []


def change(cls: type, name: str, around: Callable[[object], object]) -> None:
    """Replace a method that Python finds by a C function in the type."""
    function = _word(_place(cls, name))
    put(cls, name, around)
    _lead(cls, name, function, _word(_place(_Looking, name)))


def take(cls: type, name: str, source: type) -> None:
    """Give a class the method of another one."""
    _name(cls, name, vars(source)[name])
    if name in _PLACES:
        _lead(cls, name, _word(_place(cls, name)), _word(_place(source, name)))


def _name(cls: type, name: str, method: object) -> None:
    (names,) = gc.get_referents(vars(cls))
    names[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _lead(cls: type, name: str, function: int, to: int) -> None:
    """Replace this C function by another one in a class and its subclasses."""
    for heir in {cls, *heirs(cls)} - {Stack}:
        if _word(_place(heir, name)) == function:
            ctypes.c_void_p.from_address(_place(heir, name)).value = to
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(heir))


def _place(cls: type, name: str) -> int:
    """Return the address where a type has the C function for a method."""
    of_type, of_table = _PLACES[name]
    place = id(cls) + of_type * _WORD
    return place if of_table is None else _word(place) + of_table * _WORD


def _word(place: int) -> int:
    return ctypes.c_void_p.from_address(place).value or 0


def heirs(cls: type) -> Iterator[type]:
    """Yield the classes that derive from a class."""
    waiting: list[type] = [cls]
    while waiting:
        found: list[type] = type.__subclasses__(waiting.pop())
        yield from found
        waiting += found
