"""Numbers in place of addresses: what `id`, `hash`, a default `repr` and `data_ptr` tell a snippet.

An address would tell code that has escaped the language where things are, and would differ in every run. So the first
object that a run asks about is 1, the next is 2, and printed output is the same every time.

Python itself writes an address into a text in a few places, the `repr` of some of its own types, whoever asks for the
text: an f-string, `map(str, …)`, the message of an error. `python_types` changes these for the whole process. Next:
`snippet_builtins`, which offers `id` and `hash`, and `guard`, which gives the classes of a snippet a hash."""

from __future__ import annotations

import re
import types
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from gradviz.engine.kernel.memory import root_of
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.creation import Memory
from gradviz.engine.ops.facts import data_ptr as address_of
from gradviz.worker.objects.kept_memory import method_of
from gradviz.worker.objects.numpy_boundary import to_numpy

_FIRST, _STEP = 1 << 40, 16  # these look like addresses, but not like any in this process
_ALIGNED = 64  # bytes, the alignment of PyTorch's memory
_ADDRESS = re.compile(r"(?<= at 0x)[0-9a-fA-F]{6,16}(?=[>,;: ])")
_HASH: Any = object.__hash__
_PLAIN = frozenset((int, str, bool, bytes))  # hashed by content
_NUMBERS = (int, str, bytes, float, complex)
_BOUND = (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)


def _is_nan(thing: Any) -> bool:
    """Whether it is a NaN, whose hash is its address."""
    if isinstance(thing, np.inexact):
        return bool(np.isnan(to_numpy(thing)))
    plain = next((each for each in (float, complex) if isinstance(thing, each)), None)
    return plain is not None and plain.__ne__(thing, thing)


class Memories:
    """The starts of the memory of tensors, as if the memories were laid out consecutively in the order in which they
    were asked about."""

    def __init__(self) -> None:
        self._starts: dict[int, int] = {}  # by the address of the array that owns the memory
        self._alive: dict[int, weakref.ref[object]] = {}
        self._end = _FIRST

    def begin(self) -> None:
        """Begin another run."""
        self._starts.clear()
        self._alive.clear()
        self._end = _FIRST

    def data_ptr(self, tensor: Tensor) -> int:
        """Return the address of the first element of a tensor as a number of the run: the same memory gives the same
        numbers and the same distances; 0 without any element."""
        address = address_of(tensor)
        if not address:
            return 0
        root = root_of(np.asarray(tensor._data))
        lowest: int = np.lib.array_utils.byte_bounds(root)[0]
        return self._start(root) + address - lowest

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


MEMORIES = Memories()  # of the one run that a worker executes at a time


class Identities:
    """The identity numbers of one run; `wrote` recognizes its functions."""

    def __init__(self, wrote: Callable[[object], bool]) -> None:
        self._wrote = wrote
        self._numbers: dict[int, int] = {}  # by address
        self._alive: dict[int, weakref.ref[object]] = {}
        self._hashes: dict[int, int] = {}
        self._count = 0
        MEMORIES.begin()
        _latest[:] = [self]

        def default_hash(thing: object) -> int:
            return self.id(thing) // _STEP

        self._default_hash = default_hash

    def id(self, thing: object, /) -> int:
        """Return the number of an object, which is unique while it lives; of a storage, that of its memory, because
        lessons compare `id(x.storage())` to show that tensors share it."""
        if isinstance(thing, Memory):
            thing = root_of(np.asarray(thing._whole._data))
        address = id(thing)
        number = self._numbers.get(address)
        if number is None:
            number = self._number(address)
            with suppress(TypeError):  # otherwise, as with Python's id, another object may get this number later
                self._alive[address] = weakref.ref(thing, lambda gone: self._forget(address))
        return number

    def hash(self, thing: object, /) -> int:
        """Return Python's hash of what contains numbers and texts; of anything else, a number of the run."""
        value, method = hash(thing), type(thing).__hash__
        if type(thing) in _PLAIN or self._is_answered_here(method):
            return value
        return self._hash_by(method, thing, value)

    def telling(self, method: Any) -> Callable[..., object]:
        """Return a `__hash__` without addresses."""
        if self._is_answered_here(getattr(method, "__func__", method)):
            return method  # type: ignore[no-any-return]
        bound = isinstance(method, types.MethodWrapperType | types.MethodType)

        def tell(*given: Any) -> int:
            return self._hash_by(method, method.__self__ if bound else given[0], method(*given))

        return tell

    def _is_answered_here(self, method: object) -> bool:
        """Whether the snippet, or this module, defines the method."""
        is_ours = type(method) is types.FunctionType and method.__globals__ is _HERE
        return is_ours or self._wrote(method)

    def _hash_by(self, method: object, thing: Any, value: int) -> int:
        """Return the hash to report for the value that this `__hash__` has returned."""
        home = getattr(method, "__objclass__", None)
        if getattr(method, "__func__", method) is Tensor.__hash__:
            return self.id(thing)
        if home is object or _is_nan(thing):
            return self.id(thing) // _STEP
        if home in _NUMBERS or isinstance(thing, np.generic):
            return value
        if home in (tuple, frozenset):
            kept = [hash(each) for each in home.__iter__(thing)]
            told = [self.hash(each) for each in home.__iter__(thing)]
            return value if told == kept else hash(home(told))
        if type(thing) in _BOUND:
            return hash((self.id(thing.__self__), thing.__name__))
        return self._hashes.setdefault(value, _FIRST // _STEP + len(self._hashes))

    def local(self, text: str) -> str:
        """Return what Python's own `repr` wrote, with numbers in place of addresses."""
        return _ADDRESS.sub(lambda found: f"{self._known(int(found[0], 16)):x}", text)

    def dress(self, made: type) -> None:
        """Give a class that has the hash of `object` the hash of this run."""
        if method_of(made, "__hash__") is _HASH:
            type.__setattr__(made, "__hash__", self._default_hash)

    def has_put(self, method: object) -> bool:
        """Whether it is the hash that `dress` gives."""
        return method is self._default_hash

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


def current() -> Identities | None:
    """Return the identities of the one run that a worker executes at a time."""
    return _latest[0] if _latest else None


def hash_of_tensor(tensor: object) -> int:
    """`Tensor.__hash__`, which is `id` in PyTorch, with the number of the run."""
    identities = current()
    return id(tensor) if identities is None else identities.id(tensor)


def hash_of_module(module: object) -> int:
    """`nn.Module.__hash__`, which is that of `object`."""
    return hash_of_tensor(module) // _STEP


_HERE = globals()
_latest: list[Identities] = []
