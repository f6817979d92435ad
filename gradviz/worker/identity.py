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

_FIRST, _STEP = 1 << 40, 16  # they look like addresses, and like none of this process
_ALIGNED = 64  # bytes, as PyTorch lays memory out
_ADDRESS = re.compile(r"(?<= at 0x)[0-9a-f]{6,16}(?=[>, ])")
_HASH: Any = object.__hash__
_CALLABLE = (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)


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
        if kind.__hash__ is _HASH or (kind is float and thing != thing):
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
        """A method of Python's that tells about an object, without its address."""
        if name != "__hash__":
            return lambda *given: self.text(method(*given))
        if method.__objclass__ is not object:
            return method  # type: ignore[no-any-return]
        tell = self._defaults["__hash__"]
        return (lambda: tell(method.__self__)) if isinstance(method, types.MethodWrapperType) else tell

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
