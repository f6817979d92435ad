"""Keeps memory from being freed while a method of a snippet runs in the middle of a search.

A dict and a set compare a given key with their own in the middle of a search. If a method of such a key empties or
fills them meanwhile, they get another table, which Python detects by its address. But freed memory is reused: the new
table may be at the address of the old one, and the search continues in it with the size and layout of the old one. So
nothing is freed while such a method runs: Python's functions for that do nothing meanwhile. What a comparison leaves is
lost until the worker ends; that is little, and only concerns classes with an `__eq__` of their own.

Three kinds of methods run there: an `__eq__`, the truth value of its result, and what runs when an object dies, as that
result may: the end of a generator, the `close` of a StringIO. Next: `classes` and `guard`, which call this for each
class, and `python_types`, which does so for Python's own types, generators among them."""

from __future__ import annotations

import collections
import ctypes
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gradviz.engine.kernel.tensor import Tensor

_WORD = ctypes.sizeof(ctypes.c_void_p)
_FREE = 4 * _WORD  # offset of the free function in the table of a domain's functions
_DOMAINS = (1, 2)  # for memory and for objects
_Functions = ctypes.c_char * (5 * _WORD)
_ASKING_NOBODY = (object, int, float, complex, str, bytes, bytearray)
_ASKING_ITEMS = (list, tuple, dict, set, frozenset)  # which have a hash as well, unless a class defines one
_PLAIN = (bool, type(NotImplemented), type(None), int, float, str, Tensor)

_api = ctypes.pythonapi
for _function in (_api.PyMem_GetAllocator, _api.PyMem_SetAllocator):
    _function.argtypes, _function.restype = (ctypes.c_int, ctypes.c_char_p), None
# A function that ignores its arguments; by subscript, so that the library does not keep it as an attribute.
_NOTHING = ctypes.cast(_api["Py_IsInitialized"], ctypes.c_void_p).value


class _Memory:
    """The two places where Python looks up how to free memory; other places if these are not found."""

    def __init__(self) -> None:
        self.is_kept = self.is_found = False
        self.first, self.second = ctypes.c_void_p(), ctypes.c_void_p()
        self.of_first, self.of_second = 0, 0

    def find(self) -> bool:
        """Look for them once; return whether they were found."""
        if not self.is_found:
            places = [_place_of(domain) for domain in _DOMAINS]
            self.is_found = all(places)
            if self.is_found:
                self.first, self.second = map(ctypes.c_void_p.from_address, places)
                self.of_first, self.of_second = self.first.value or 0, self.second.value or 0
        return self.is_found

    def begin(self) -> None:
        """Stop freeing memory."""
        self.is_kept, self.first.value, self.second.value = True, _NOTHING, _NOTHING

    def end(self) -> None:
        """Free memory again from now on."""
        self.is_kept, self.first.value, self.second.value = False, self.of_first, self.of_second


_memory = _Memory()
find_memory = _memory.find
_made: weakref.WeakSet[type] = weakref.WeakSet()


def keeping(function: Callable[..., object]) -> Callable[..., Any]:
    """Return the function; while it runs, no memory is freed."""
    memory = _memory

    def keep(*given: object) -> object:
        if memory.is_kept:
            return function(*given)
        memory.begin()
        try:
            return function(*given)
        finally:
            memory.end()

    return functools.update_wrapper(keep, function, updated=())


def comparing(method: Callable[..., object], met: Callable[[object], object]) -> Callable[[object, object], object]:
    """Return an `__eq__` during which no memory is freed, called with stand-ins for its arguments."""
    memory = _memory

    def compare(self: object, other: object) -> object:
        other = met(other)
        if memory.is_kept:
            return method(self, other)
        memory.begin()
        try:
            found = method(self, other)
            if type(found) not in _PLAIN:
                _keep_for_answers_of(type(found))
            return found
        finally:
            memory.end()

    return functools.update_wrapper(compare, method, updated=())


def remember(made: type) -> None:
    """Wrap a class of the snippet. Its inherited methods run its own methods, too: the `__eq__` of a dataclass or a
    Counter, and what Python calls when a StringIO dies."""
    _made.add(made)
    equal = method_of(made, "__eq__")
    if _asks(made, equal):  # a tensor's, too: it asks the class of the other operand, and modes
        type.__setattr__(made, "__eq__", comparing(equal, lambda other: other))
    dying = method_of(made, "__del__")
    if type(dying) is types.WrapperDescriptorType:
        type.__setattr__(made, "__del__", keeping(dying))


def is_remembered(cls: type) -> bool:
    """Whether it is a class of the snippet."""
    return cls in _made


def _asks(made: type, equal: object) -> bool:
    """Whether an `__eq__` may run methods of the object or of its items and is not yet wrapped."""
    if type(equal) is types.FunctionType:
        return equal.__code__ is not _COMPARE
    if type(equal) is not types.WrapperDescriptorType or equal.__objclass__ in _ASKING_NOBODY:
        return False
    home = equal.__objclass__
    return home not in _ASKING_ITEMS or method_of(made, "__hash__") is not vars(home)["__hash__"]


def method_of(cls: type, name: str) -> Any:
    """Return what a class has under a name, as it lies there: reading it from the class may call the snippet."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _keep_for_answers_of(cls: type) -> None:
    """Wrap the truth value of what an `__eq__` returns, which is asked for in the middle of the search."""
    name = "__bool__" if method_of(cls, "__bool__") is not None else "__len__"
    method = method_of(cls, name)
    if method is None or (type(method) is types.WrapperDescriptorType and cls is not types.MappingProxyType):
        return
    if type(method) is types.FunctionType and method.__code__ is _ANSWER:
        return
    if cls in _made:
        type.__setattr__(cls, name, _answering(method))
    else:
        raise TypeError(f"an __eq__ can't answer with a '{cls.__name__}' in GradViz snippets; return True or False")


def _answering(method: Any) -> Callable[[object], object]:
    """Return a `__bool__` or `__len__` during which no memory is freed."""
    bind = getattr(type(method), "__get__", None)
    asked = keeping(lambda self: (method if bind is None else bind(method, self, type(self)))())

    def answer(self: object) -> object:
        return asked(self)

    return functools.update_wrapper(answer, method, updated=())


_COMPARE = comparing(object.__eq__, str).__code__
_ANSWER = _answering(len).__code__


# --- Python's own types ---


def at_its_end(original: Callable[[object], None]) -> Callable[[Any], None]:
    """Wrap the end of a generator that nothing holds any more: what it does then, and what the `close` of an iterator
    that it runs through does, may run in the middle of a search."""
    end = keeping(original)

    def __del__(self: types.GeneratorType[object, object, object]) -> None:
        if self.gi_suspended:
            end(self)

    return __del__


def without_cache(original: Callable[..., object]) -> Callable[..., object]:
    """Return a function with a cache that bypasses the cache in the middle of a search: that may be a search in this
    cache, which would be torn down."""
    memory = _memory

    def __call__(self: Any, *given: Any, **named: Any) -> Any:
        return self.__wrapped__(*given, **named) if memory.is_kept else original(self, *given, **named)

    return __call__


def emptied_later(original: Callable[[object], None]) -> Callable[[object], None]:
    """Return a function that clears a cache, but only outside of searches."""

    def cache_clear(self: object) -> None:
        if _memory.is_kept:
            raise RuntimeError("a cache can't be cleared while its keys are compared")
        original(self)

    return cache_clear


def emptied_key_by_key(original: Callable[[object], None]) -> Callable[[dict[object, object]], None]:
    """Return `clear` of a dict, which in the middle of a search takes out one key after the other: an emptied table has
    texts as keys only, and what is being searched for would be put into it as if it were a text."""

    def clear(self: dict[object, object]) -> None:
        if not (_memory.is_kept and isinstance(self, dict)):
            return original(self)
        while dict.__len__(self):
            dict.popitem(self)

    return clear


def filled_key_by_key(original: Callable[..., object]) -> Callable[..., object]:
    """Return `update` of a dict, or the like, which in the middle of a search takes no table over from another dict,
    for the same reason."""

    def update(self: object, *given: object, **named: object) -> object:
        if not (_memory.is_kept and isinstance(self, dict) and not dict.__len__(self)):
            return original(self, *given, **named)
        found = original(self, *([*dict(each).items()] if isinstance(each, dict) else each for each in given))
        for name, value in named.items():
            dict.__setitem__(self, name, value)
        return found

    return functools.update_wrapper(update, original)


_BEGINNING: dict[object, Callable[..., object]] = {
    each: filled_key_by_key(each) for each in (dict.__init__, collections.defaultdict.__init__)
}


def beginning(initializer: Callable[..., object]) -> Callable[..., object]:
    """Return an `__init__`; that of a dict, which fills it, as `update` is. In the class itself Python's own stays: C
    code calls it, and looks at what it is."""
    if type(initializer) is types.MethodWrapperType:
        made = _BEGINNING.get(vars(initializer.__objclass__).get("__init__"))
        return initializer if made is None else types.MethodType(made, initializer.__self__)
    is_pythons = type(initializer) is types.WrapperDescriptorType
    return _BEGINNING.get(initializer, initializer) if is_pythons else initializer


# --- where the functions are ---


def _functions(domain: int) -> bytes:
    held = _Functions()
    _api.PyMem_GetAllocator(domain, ctypes.cast(held, ctypes.c_char_p))
    return held.raw


def _place_of(domain: int) -> int:
    """Return the address where Python looks up the function that frees memory of a domain; 0 if it is not found."""
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
    """Yield the addresses in Python's own data where these functions are listed one after the other."""
    start, size = _data()
    data = ctypes.string_at(start, size)
    at = data.find(functions)
    while at >= 0:
        yield start + at + _FREE
        at = data.find(functions, at + _WORD)


def _data() -> tuple[int, int]:
    """Return the start and size of Python's own data: the segment around one of Python's types, or, if the system does
    not tell, what is known of it."""
    if sys.platform == "linux":
        for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
            first, last = (int(each, 16) for each in line.split()[0].split("-"))
            if first <= id(int) < last and " rw" in line:
                return first, last - first
    if sys.version_info >= (3, 12):
        return ctypes.addressof(ctypes.c_char.in_dll(_api, "_PyRuntime")), 4096
    return id(int), 0
