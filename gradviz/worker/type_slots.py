"""Methods of Python's own types, changed by hand.

Nobody can set an attribute of such a type. What would happen if one could is done here: the type's table of names gets
another method, and the type, with all that derive from it, the C function that belongs to that. Next: `python_types`
and `ordered_tables`, which say what is changed.
"""

from __future__ import annotations

import ctypes
import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.trace.record.location import Stack

Change = tuple[type, str, Callable[[Any], object]]  # the method of a class, and what makes another one of it
_WORD = ctypes.sizeof(ctypes.c_void_p)


class _Looking:
    """Its C functions look for the method of the type."""

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

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> None:
        return None

    def __call__(self) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return False

    def __del__(self) -> None:
        return None

    __hash__ = None  # type: ignore[assignment]


# of a method of Python's: the word of the type that leads to its C function, and the word there
_PLACES: dict[str, tuple[int, int | None]] = {
    "__repr__": (11, None),
    "__call__": (16, None),
    "__str__": (17, None),
    "__mod__": (12, 3),
    "__rmod__": (12, 3),
    "__contains__": (13, 7),
    "__setitem__": (14, 2),
    "__delitem__": (14, 2),
    **dict.fromkeys(("__lt__", "__le__", "__eq__", "__gt__", "__ge__"), (25, None)),
    "__iter__": (27, None),
    "__next__": (28, None),
    "__del__": (49, None),
}


def is_known(cls: type, name: str) -> bool:
    """Whether the type has the C function for its method where it is looked for here."""
    method = vars(cls)[name]
    return _word(_place(cls, name)) == _word(id(method) + 6 * _WORD)


def put(cls: type, name: str, around: Callable[[Any], object]) -> None:
    """Change a method that has no C function of its own in the type."""
    before = vars(cls)[name]
    made: Any = around(before)
    _name(cls, name, functools.wraps(before)(made))


def change(cls: type, name: str, around: Callable[[Any], object]) -> None:
    """Change a method that Python finds by a C function in the type."""
    function = _word(_place(cls, name))
    put(cls, name, around)
    _lead(cls, name, function, _word(_place(_Looking, name)))


def prepare(cls: type, name: str, around: Callable[[Any], object]) -> tuple[int, int]:
    """The same for a method that has to cost nothing until it is needed: where, and what, is to be written then."""
    put(cls, name, around)
    return _place(cls, name), _word(_place(_Looking, name))


def take(cls: type, name: str, source: type) -> None:
    """Let a class have the method of another one."""
    _name(cls, name, vars(source)[name])
    if name in _PLACES:
        _lead(cls, name, _word(_place(cls, name)), _word(_place(source, name)))


def _name(cls: type, name: str, method: object) -> None:
    (names,) = gc.get_referents(vars(cls))
    names[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _lead(cls: type, name: str, function: int, to: int) -> None:
    """In a class and its heirs, another C function in place of this one."""
    for heir in {cls, *_heirs(cls)} - {Stack}:
        if _word(_place(heir, name)) == function:
            ctypes.c_void_p.from_address(_place(heir, name)).value = to
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(heir))


def _place(cls: type, name: str) -> int:
    """Where a type has the C function for a method."""
    of_type, of_table = _PLACES[name]
    place = id(cls) + of_type * _WORD
    return place if of_table is None else _word(place) + of_table * _WORD


def _word(place: int) -> int:
    return ctypes.c_void_p.from_address(place).value or 0


def _heirs(cls: type) -> Iterator[type]:
    waiting: list[type] = [cls]
    while waiting:
        found: list[type] = type.__subclasses__(waiting.pop())
        yield from found
        waiting += found
