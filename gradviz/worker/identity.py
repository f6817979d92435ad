"""Numbers in place of addresses: what `id`, `hash`, a default `repr` and `data_ptr` tell a snippet.

An address would tell code that got out of the language where things lie, and would be another one in every run. So
the first object that a run asks about is 1, the next one is 2, and what is printed is the same every time. Next:
`snippet_builtins`, which offers these as builtins, and `guard`, which gives them to the classes of a snippet.
"""

from __future__ import annotations

import re
import types
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from gradviz.engine.memory import root_of
from gradviz.engine.tensor import Tensor
from gradviz.worker.numpy_boundary import to_numpy

_FIRST, _STEP = 1 << 40, 16  # they look like addresses, and like none of this process
_ALIGNED = 64  # bytes, as PyTorch lays memory out
_ADDRESS = re.compile(r"(?<= at 0x)[0-9a-f]{6,16}(?=[>, ])")
_HASH: Any = object.__hash__
_CALLABLE = (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)


def _is_nan_by_address(thing: Any) -> bool:
    """Whether it is a number that is none, whose hash is its address unless its class has one of the snippet's."""
    if isinstance(thing, np.inexact):
        return bool(np.isnan(to_numpy(thing)))
    if isinstance(type(thing).__hash__, types.FunctionType):
        return False
    plain = next((each for each in (float, complex) if isinstance(thing, each)), None)
    return plain is not None and plain.__ne__(thing, thing)


def _may_be_address(method: Any) -> bool:
    """Whether a `__hash__` that the snippet did not write may tell where something lies."""
    home = getattr(method, "__objclass__", None)
    of_numbers = home in (object, float, complex) or (isinstance(home, type) and issubclass(home, np.inexact))
    return of_numbers or getattr(method, "__func__", method) is Tensor.__hash__


class Memories:
    """Where the memories of tensors begin, as if they lay one behind the other in the order in which they were asked
    about."""

    def __init__(self) -> None:
        self._starts: dict[int, int] = {}  # by the address of the array that has the memory
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._end = _FIRST

    def begin(self) -> None:
        """Another run begins."""
        self._starts.clear()
        self._alive.clear()
        self._end = _FIRST

    def numbering(self, data_ptr: Callable[[Tensor], int]) -> Callable[[Tensor], int]:
        """`Tensor.data_ptr` without an address: equal numbers, and the same distances, within one memory."""

        def call(self_: Tensor) -> int:
            address, root = data_ptr(self_), root_of(np.asarray(self_._data))
            lowest: int = np.lib.array_utils.byte_bounds(root)[0]
            return self._start(root) + address - lowest

        return call

    def _start(self, root: Any) -> int:
        key = id(root)
        start = self._starts.get(key)
        if start is None:
            start = self._starts[key] = self._end
            self._end += -(-max(1, root.nbytes) // _ALIGNED) * _ALIGNED
            self._alive[key] = weakref.ref(root, lambda gone: self._forget(key))
        return start

    def _forget(self, key: int) -> None:
        self._starts.pop(key, None)
        self._alive.pop(key, None)


MEMORIES = Memories()  # of the one run that a worker has at a time


class Identities:
    """The numbers of one run."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # by address
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._count = 0
        MEMORIES.begin()

        def default_repr(thing: object) -> str:
            cls = type(thing)
            return f"<{cls.__module__}.{cls.__qualname__} object at {self.id(thing):#x}>"

        def default_hash(thing: object) -> int:
            return self.id(thing) // _STEP

        self._defaults = {"__repr__": default_repr, "__hash__": default_hash}

    def id(self, thing: object, /) -> int:
        """The number of an object: its own while it lives."""
        address = id(thing)
        number = self._numbers.get(address)
        if number is None:
            number = self._number(address)
            with suppress(TypeError):  # else, as with Python's id, another object may have the number after this one
                self._alive[address] = weakref.ref(thing, lambda gone: self._forget(address))
        return number

    def hash(self, thing: Any, /) -> int:
        """Python's hash, but for objects that would give their address."""
        kind = type(thing)
        if isinstance(thing, Tensor):
            return self.id(thing)
        if kind.__hash__ is _HASH or _is_nan_by_address(thing):
            return self.id(thing) // _STEP
        if kind in _CALLABLE:
            return hash((self.id(thing.__self__), thing.__name__))
        return hash(thing)

    def repr(self, thing: object, /) -> str:
        """Python's repr."""
        return self.local(repr(thing))

    def ascii(self, thing: object, /) -> str:
        """Python's ascii."""
        return self.local(ascii(thing))

    def format(self, thing: object, spec: str = "", /) -> str:
        """Python's format."""
        return self.local(format(thing, spec))

    def text(self, value: Any) -> Any:
        """What an f-string, `str()` or `%` made; anything but a text is left alone."""
        return self.local(value) if type(value) is str else value

    def local(self, text: str) -> str:
        """The text with numbers for the addresses that a default `repr` wrote into it."""
        if " at 0x" not in text:
            return text
        return _ADDRESS.sub(lambda found: f"{self._known(int(found[0], 16)):x}", text)

    def telling(self, name: str, method: Any) -> Callable[..., Any]:
        """A method that tells about an object and is not the snippet's, without its address."""
        if name != "__hash__":
            return lambda *given: self.text(method(*given))

        if not _may_be_address(method):
            return method  # type: ignore[no-any-return]
        own = isinstance(method, types.MethodWrapperType | types.MethodType)
        if not own and getattr(method, "__objclass__", None) is object:
            return self._defaults[name]

        def tell(*given: Any) -> Any:
            value, thing = method(*given), method.__self__ if own else given[0]
            known = isinstance(thing, Tensor)
            addressed = known or getattr(method, "__objclass__", None) is object or _is_nan_by_address(thing)
            return self.id(thing) // (1 if known else _STEP) if addressed else value

        return tell

    def dress(self, made: type) -> None:
        """Give a class that has the `repr` or hash of `object` those of this run."""
        for name, default in self._defaults.items():
            if getattr(made, name) is getattr(object, name):
                type.__setattr__(made, name, default)

    def undress(self, made: type) -> None:
        """Take them away again: @dataclass looks whether a class has its own."""
        for name, default in self._defaults.items():
            if vars(made).get(name) is default:
                type.__delattr__(made, name)

    def _known(self, address: int) -> int:
        if _FIRST <= address <= _FIRST + _STEP * self._count:
            return address  # a number already
        return self._numbers.get(address) or self._number(address)

    def _number(self, address: int) -> int:
        self._count += 1
        number = self._numbers[address] = _FIRST + _STEP * self._count
        return number

    def _forget(self, address: int) -> None:
        self._numbers.pop(address, None)
        self._alive.pop(address, None)
