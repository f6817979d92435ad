"""Conjugates as views. PyTorch marks a tensor as the conjugate of the same memory; NumPy has no such arrays. So the
conjugate has memory of its own here, and what is written to either of the two is carried over to the other."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import extent, memory_of, root_of, start_of, strided


def conjugate(x: Array) -> Array:
    """The conjugate, in memory that is laid out as that of the array, as far as it reaches."""
    made: Array = np.conjugate(x)
    if type(x) is not np.ndarray or (made.strides == x.strides and x.base is None):
        return made
    start = start_of(x, memory_of(x))
    memory = np.zeros(start + extent(x.shape, x.strides)[1] + x.itemsize, np.uint8)
    placed = strided(memory, x.dtype, x.shape, x.strides, start)
    placed[...] = made
    return placed


class _Region:
    """A part of some memory, which it does not keep alive."""

    __slots__ = ("kind", "root", "size", "start", "steps")

    def __init__(self, x: Array) -> None:
        self.root: weakref.ref[Array] = weakref.ref(root_of(x))
        self.kind = x.dtype
        self.size, self.steps, self.start = x.shape, x.strides, start_of(x, memory_of(x))

    def array(self) -> Array | None:
        """The elements, None if nobody has the memory any more."""
        root = self.root()
        return None if root is None else strided(memory_of(root), self.kind, self.size, self.steps, self.start)


@dataclass(frozen=True)
class _Pair:
    original: _Region
    conjugate: _Region


known: dict[int, list[_Pair]] = {}  # by the identity of the array at the root of either memory
_roots: dict[int, weakref.ref[Array]] = {}  # which take what is known of them along


def _forget(number: int, _: object) -> None:
    del known[number], _roots[number]


def pair(original: Array, conjugate: Array) -> None:
    """Let each of two arrays follow what is written to the other, as long as both exist."""
    made = _Pair(_Region(original), _Region(conjugate))
    for region in (made.original, made.conjugate):
        root = region.root()
        assert root is not None
        number = id(root)
        if number not in known:
            known[number] = []
            # Not by `weakref.finalize`, which imports a module when it is first used: not while a snippet runs.
            _roots[number] = weakref.ref(root, partial(_forget, number))
        pairs = known[number]
        pairs[:] = [each for each in pairs if each.original.root() is not None and each.conjugate.root() is not None]
        pairs.append(made)


def carry_over(written: Array) -> None:
    """Write to the conjugates of what was written to, and to what it is the conjugate of."""
    for source, target in followers(written):
        np.conjugate(source, out=target)


def followers(written: Array) -> Iterator[tuple[Array, Array]]:
    """What follows a write to some memory, each with what it is the conjugate of."""
    waiting, done = [root_of(written)], set()
    while waiting:
        root = waiting.pop()
        done.add(id(root))
        for each in known.get(id(root), ()):
            here, there = each.original, each.conjugate
            if here.root() is not root:
                here, there = there, here
            source, target = here.array(), there.array()
            other = there.root()
            if source is None or target is None or other is None or id(other) in done:
                continue
            yield source, target
            waiting.append(other)


def leading_to(base: Array, view: Array) -> list[tuple[Array, Array]]:
    """The pairs by which a view is reached from the memory of its base, none if it is the same memory."""
    found: list[tuple[Array, Array]] = []
    start, root = root_of(base), root_of(view)
    while root is not start:
        each = next((one for one in known.get(id(root), ()) if one.conjugate.root() is root), None)
        original = None if each is None else each.original.array()
        if each is None or original is None:
            return []
        conjugate = each.conjugate.array()
        assert conjugate is not None
        found.insert(0, (original, conjugate))
        root = root_of(original)
    return found
