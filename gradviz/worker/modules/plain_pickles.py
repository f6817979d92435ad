"""The part of Python's pickle format that plain data takes: numbers, texts, bytes, and lists, tuples, dictionaries and
sets of these.

A pickle is a program for a small machine, two of whose instructions find something by its name and call it. The machine
here lacks them, and all others that plain data does not need, so that bytes from anywhere can be read: they can only
make a new object of one of the types above. Next: `file_formats`, which offers this as `pickle`."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from typing import Any

_PLAIN = frozenset({int, float, bool, str, bytes, type(None)})

_NUMBERS = {ord("K"): "<B", ord("M"): "<H", ord("J"): "<i", ord("G"): ">d"}
_CONSTANTS = {ord("N"): None, 0x88: True, 0x89: False}
_EMPTY: dict[int, Callable[[], object]] = {ord("}"): dict, ord("]"): list, ord(")"): tuple, 0x8F: set}
_LENGTHS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
_TEXTS = {0x8C: 1, ord("X"): 4, 0x8D: 8}
_BYTES = {ord("C"): 1, ord("B"): 4, 0x8E: 8}
_LONGS = {0x8A: 1, 0x8B: 4}
_TUPLES = {0x85: 1, 0x86: 2, 0x87: 3}
_PUTS = {ord("q"): 1, ord("r"): 4}
_GETS = {ord("h"): 1, ord("j"): 4}
_SKIPPED = {0x80: 1, 0x95: 8}  # the version, and how long a part is
_STOP, _MARK, _MEMOIZE = ord("."), ord("("), 0x94
_GLOBAL, _STACK_GLOBAL = ord("c"), 0x93


def is_plain(thing: object) -> bool:
    """Whether an object is plain data all through; it may contain itself."""
    seen: set[int] = set()
    waiting = [thing]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind in _PLAIN or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, dict) and kind is dict:
            waiting += [*each, *each.values()]
        elif isinstance(each, list | tuple | set | frozenset) and kind in (list, tuple, set, frozenset):
            waiting += each
        else:
            return False
    return True


def read(data: bytes) -> tuple[Any, int]:
    """Return what a pickle at the start of the bytes holds, and its length; raises pickle.UnpicklingError."""
    machine = _Machine(data)
    try:
        return machine.run(), machine.at
    except (IndexError, KeyError, struct.error):
        raise pickle.UnpicklingError("pickle data was truncated") from None
    except (TypeError, ValueError):
        raise pickle.UnpicklingError("invalid load key: this is no pickle of plain data") from None


class _Machine:
    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._data = data
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, object] = {}

    def run(self) -> object:
        """Follow the instructions to the end."""
        while True:
            code = self._taken(1)[0]
            if code == _STOP:
                return self._stack.pop()
            if code == _MARK:
                self._marks.append(len(self._stack))
            elif code in _SKIPPED:
                self._taken(_SKIPPED[code])
            elif code == _MEMOIZE:
                self._memo[len(self._memo)] = self._stack[-1]
            elif code in _PUTS:
                self._memo[self._length(_PUTS[code])] = self._stack[-1]
            elif code in _FILLS:
                _FILLS[code](self)
            else:
                self._stack.append(self._made(code))

    def _taken(self, size: int) -> bytes:
        part = self._data[self.at : self.at + size]
        if len(part) < size:
            raise IndexError
        self.at += size
        return part

    def _length(self, size: int) -> int:
        return int(struct.unpack(_LENGTHS[size], self._taken(size))[0])

    def _made(self, code: int) -> object:
        if code in _CONSTANTS:
            return _CONSTANTS[code]
        if code in _NUMBERS:
            form = _NUMBERS[code]
            return struct.unpack(form, self._taken(struct.calcsize(form)))[0]
        if code in _TEXTS:
            return self._taken(self._length(_TEXTS[code])).decode("utf-8", "surrogatepass")
        if code in _BYTES:
            return self._taken(self._length(_BYTES[code]))
        if code in _LONGS:
            return int.from_bytes(self._taken(self._length(_LONGS[code])), "little", signed=True)
        if code in _EMPTY:
            return _EMPTY[code]()
        if code in _GETS:
            return self._memo[self._length(_GETS[code])]
        if code in _TUPLES:
            return tuple(self._last(_TUPLES[code]))
        if code == ord("t"):
            return tuple(self._since_mark())
        if code == 0x91:
            return frozenset(map(_key, self._since_mark()))
        raise pickle.UnpicklingError(self._refusal(code))

    def _last(self, count: int) -> list[object]:
        if len(self._stack) < count:
            raise IndexError
        found = self._stack[-count:]
        del self._stack[-count:]
        return found

    def _since_mark(self) -> list[object]:
        start = self._marks.pop()
        found = self._stack[start:]
        del self._stack[start:]
        return found

    def _set_items(self, pairs: list[object]) -> None:
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            dict.__setitem__(self._stack[-1], _key(key), value)

    def _append(self, items: list[Any]) -> None:
        list.extend(self._stack[-1], items)

    def _add(self, items: list[Any]) -> None:
        set.update(self._stack[-1], map(_key, items))

    def _refusal(self, code: int) -> str:
        name = ""
        if code == _GLOBAL:
            name = ".".join(self._data[self.at :].decode("latin-1").split("\n")[:2])
        elif code == _STACK_GLOBAL and len(self._stack) > 1:
            name = ".".join(str(each) for each in self._stack[-2:])
        what = f"an object of {name[:80]}" if name.isprintable() and name else "more than that"
        return (
            f"pickle in GradViz snippets reads numbers, texts and containers of them, and this holds {what}; what the "
            "run itself has put away can be loaded, too"
        )


_FILLS: dict[int, Callable[[_Machine], None]] = {
    ord("u"): lambda machine: machine._set_items(machine._since_mark()),
    ord("s"): lambda machine: machine._set_items(machine._last(2)),
    ord("e"): lambda machine: machine._append(machine._since_mark()),
    ord("a"): lambda machine: machine._append(machine._last(1)),
    0x90: lambda machine: machine._add(machine._since_mark()),
}


def _key(value: object) -> object:
    """Return a key of a dictionary or a member of a set; TypeError for one whose hash goes deep."""
    parts = value if type(value) is tuple else (value,)
    if not all(type(each) in _PLAIN for each in parts):
        raise TypeError("a key is a number, a text, or a tuple of these")
    return value
