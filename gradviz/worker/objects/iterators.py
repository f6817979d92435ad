"""`itertools` for a snippet.

Python's own iterators drop what they work with if they are asked for the next item while they are looking for one: a
method of an item, or an iterator that a chain runs through, then finds its memory freed. A generator refuses to be
entered twice, and keeps what it works with. So each iterator here is a generator around Python's own; Python's own
classes, which the engine uses, stay unchanged. Next: `standard_modules`, which offers it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gradviz.worker.objects.arguments import keep_methods

_ENTERED = "accumulate batched chain count cycle islice pairwise zip_longest".split()
_NONE: object = object()


def _one_by_one(items: Iterator[object]) -> Iterator[object]:
    for each in items:  # noqa: UP028 to delegate would close what the snippet may go on with
        yield each


def _entered_once(real: Any) -> object:
    """Return the class, with iterators that can only be asked for one item at a time."""

    class Items:
        __slots__ = ("_items",)

        def __init__(self, *given: object, **named: object) -> None:
            self._items = _one_by_one(real(*given, **named))

        def __iter__(self) -> Iterator[Any]:
            return self._items

        def __next__(self) -> object:
            return next(self._items)

    return Items


class _Chained:
    _items: Iterator[object]

    @classmethod
    def from_iterable(cls, iterable: Any, /) -> _Chained:
        made = cls()
        made._items = _one_by_one(itertools.chain.from_iterable(iterable))
        return made


class groupby:
    """Group consecutive items with the same key."""

    __slots__ = ("_all", "_group", "_item", "_key", "_key_of", "_last")

    def __init__(self, iterable: Iterable[object], key: Callable[[object], object] | None = None) -> None:
        self._all = iter(iterable)
        self._key_of = key
        self._key = self._last = self._item = _NONE
        self._group: object = None

    def __iter__(self) -> groupby:
        return self

    def __next__(self) -> object:
        self._group = None
        while self._key is _NONE or (self._last is not _NONE and _is_same(self._last, self._key)):
            self._step()
        self._last = self._key
        self._group = mine = object()
        return self._last, self._same(mine, self._last)

    def _step(self) -> None:
        item = next(self._all)
        key = item if self._key_of is None else self._key_of(item)
        self._item, self._key = item, key

    def _same(self, group: object, key: object) -> Iterator[Any]:
        while self._group is group and self._item is not _NONE and _is_same(key, self._key):
            item, self._item = self._item, _NONE
            yield item
            if self._group is not group:
                return
            try:
                self._step()
            except StopIteration:
                return


def _is_same(one: object, other: object) -> bool:
    return one is other or bool(one == other)


def _made() -> dict[str, Any]:
    found: dict[str, Any] = {"groupby": groupby}
    for name in _ENTERED:
        if hasattr(itertools, name):
            found[name] = _entered_once(getattr(itertools, name))
    found["chain"] = type("chain", (_Chained, found["chain"]), {"__slots__": ()})
    for name, made in found.items():
        made.__name__ = made.__qualname__ = name
        for each in made.__mro__[:-1]:  # private names of a Python module stay private in a subclass of the snippet
            each.__module__ = "itertools"
            keep_methods(each)
    return found


OWN = _made()


def iterator_names() -> dict[str, object]:
    """Return the names of `itertools`."""
    return {name: value for name, value in vars(itertools).items() if not name.startswith("_")} | OWN
