"""Memory that stays while an `__eq__` of a snippet is at work.

A dict and a set compare a key with their own in the middle of a search. If a method of that key empties or fills them
meanwhile, they get another table, and Python sees that by its address. But memory that is given back is given out
again: another table can come to lie where the former lay, and the search goes on in it by the size and the layout of
the former. So nothing is given back as long as such a method runs: Python's functions for that do nothing meanwhile.
What a comparison leaves is lost until the worker ends; that is little, and only of classes with an `__eq__` of their
own. Next: `classes`, which calls this for each of them.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_WORD = ctypes.sizeof(ctypes.c_void_p)
_FREE = 4 * _WORD  # where the function for it stands among those of a domain
_DOMAINS = (1, 2)  # of memory and of objects
_Functions = ctypes.c_char * (5 * _WORD)
_PLAIN = (bool, type(NotImplemented), type(None), int, float, str)

_api = ctypes.pythonapi
for _function in (_api.PyMem_GetAllocator, _api.PyMem_SetAllocator):
    _function.argtypes, _function.restype = (ctypes.c_int, ctypes.c_char_p), None
# A function that does nothing with what it gets; by subscript, so that the library does not keep it as an attribute.
_NOTHING = ctypes.cast(_api["Py_IsInitialized"], ctypes.c_void_p).value


class _Memory:
    """The two places where Python looks up how memory is given back; others where they are not found."""

    def __init__(self) -> None:
        self.is_kept = self.is_found = False
        self.first, self.second = ctypes.c_void_p(), ctypes.c_void_p()
        self.of_first, self.of_second = 0, 0

    def find(self) -> bool:
        """Look for them once; whether they are there."""
        if not self.is_found:
            places = [_place_of(domain) for domain in _DOMAINS]
            self.is_found = all(places)
            if self.is_found:
                self.first, self.second = map(ctypes.c_void_p.from_address, places)
                self.of_first, self.of_second = self.first.value or 0, self.second.value or 0
        return self.is_found


_memory = _Memory()
find_memory = _memory.find
_made: weakref.WeakSet[type] = weakref.WeakSet()
_answers: weakref.WeakSet[Callable[[Any], Any]] = weakref.WeakSet()
remember = _made.add  # a class of the snippet


def comparing(method: Callable[..., Any], met: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """An `__eq__`, while which all memory stays, with what it is to get in place of what it gets."""
    memory = _memory

    def compare(self: object, other: object) -> Any:
        other = met(other)
        if memory.is_kept:
            return method(self, other)
        memory.is_kept, memory.first.value, memory.second.value = True, _NOTHING, _NOTHING
        try:
            found = method(self, other)
        finally:
            memory.is_kept, memory.first.value, memory.second.value = False, memory.of_first, memory.of_second
        if type(found) not in _PLAIN:
            _keep_for_answers_of(type(found))
        return found

    return functools.update_wrapper(compare, method, updated=())


def _keep_for_answers_of(cls: type) -> None:
    """What an `__eq__` gives is asked whether it is true, in the middle of the search."""
    for base in _made.intersection(cls.__mro__):
        for name in ("__bool__", "__len__"):
            method = vars(base).get(name)
            if method is not None and method not in _answers and type(method) is not types.WrapperDescriptorType:
                type.__setattr__(base, name, _answering(method))


def _answering(method: Any) -> Callable[[Any], Any]:
    """A `__bool__` or `__len__`, while which all memory stays."""
    bind = getattr(type(method), "__get__", None)

    def asked(self: object, _: object) -> Any:
        return (method if bind is None else bind(method, self, type(self)))()

    kept = comparing(asked, lambda other: other)

    def answer(self: object) -> Any:
        return kept(self, None)

    _answers.add(answer)
    return functools.update_wrapper(answer, method, updated=())


# --- where the functions are ---


def _functions(domain: int) -> bytes:
    held = _Functions()
    _api.PyMem_GetAllocator(domain, ctypes.cast(held, ctypes.c_char_p))
    return held.raw


def _place_of(domain: int) -> int:
    """Where Python looks up the function that gives back memory of a domain; 0 where that is not found."""
    functions = _functions(domain)
    for place in _places(functions):
        way = ctypes.c_void_p.from_address(place)
        before, way.value = way.value, _NOTHING
        is_it = _functions(domain) != functions
        way.value = before
        if is_it:
            return place
    return 0


def _places(functions: bytes) -> Iterator[int]:
    """Where these functions stand one behind the other in Python's own data."""
    start, size = _data()
    data = ctypes.string_at(start, size)
    at = data.find(functions)
    while at >= 0:
        yield start + at + _FREE
        at = data.find(functions, at + _WORD)


def _data() -> tuple[int, int]:
    """Where Python's own data lie: around a type of Python's; where the system does not tell, what is known of them."""
    if sys.platform == "linux":
        for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
            first, last = (int(each, 16) for each in line.split()[0].split("-"))
            if first <= id(int) < last and " rw" in line:
                return first, last - first
    if sys.version_info >= (3, 12):
        return ctypes.addressof(ctypes.c_char.in_dll(_api, "_PyRuntime")), 4096
    return id(int), 0
