"""Decisions taken from bytes: what a fuzzer mutates becomes a program, a batch or a stream of messages. After the last
byte every decision is the first one, so that whatever is made comes to an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """Reads decisions from the front of `data`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        """True if nothing is left to decide with."""
        return self._at >= len(self._data)

    def number(self, below: int) -> int:
        """A number from 0 to `below` - 1."""
        value, reach = 0, 1
        while reach < below and not self.is_over:
            value, reach = value << 8 | self._data[self._at], reach << 8
            self._at += 1
        return value % below

    def of(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.number(len(options))]

    def bytes(self, most: int) -> bytes:
        """Some bytes as they are."""
        length = self.number(most + 1)
        found = self._data[self._at : self._at + length]
        self._at += length
        return found

    def rest(self) -> bytes:
        """All that is left."""
        found = self._data[self._at :]
        self._at = len(self._data)
        return found
