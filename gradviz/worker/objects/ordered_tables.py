"""`collections.OrderedDict` without its list of nodes.

Python's own keeps a list beside its table, and reads the list at the position that a key has in the table. A method of
a key that is compared meanwhile can make either of them shorter or longer, and then freed memory is read. A plain dict
is ordered, too, and safe against this. So what an OrderedDict does with its list is done with its table here, for the
whole process: most methods are those of dict, in C as before, and the others do in Python what Python's own do. No
nodes are created any more. Every dict, and every view of one, is also gone through backwards in Python: C code goes on
at a place that a table which has become smaller no longer has. Next: `python_types`, which calls this."""

from __future__ import annotations

import functools
import reprlib
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.type_slots import change, is_known, put, take

_NONE: object = object()
_backwards = dict.__reversed__  # Python's own, which is safe for a single step
_KEEPING = (str, int)  # a key of one of these types is equal only by value
_OF_DICT = "__setitem__ __delitem__ __reversed__ clear".split()
_VIEWS: list[tuple[type, type]] = [
    (type(getattr(OrderedDict(), name)()), type(getattr({}, name)())) for name in ("keys", "values", "items")
]


def order_tables() -> bool:
    """Make the changes; return False if the types are laid out differently."""
    for each in (dict, *(plain for _, plain in _VIEWS)):
        put(each, "__reversed__", _of_what_was_there)
    own = all(is_known(OrderedDict, name) for name in ("__setitem__", "__iter__", "__eq__", "__repr__"))
    if not own or not all(is_known(view, "__iter__") for view, _ in _VIEWS):
        return False
    for name in _OF_DICT:
        take(OrderedDict, name, dict)
    for view, plain in _VIEWS:
        take(view, "__iter__", plain)
        take(view, "__reversed__", plain)
    for made in (pop, popitem, setdefault, move_to_end, copy, __ne__):
        put(OrderedDict, made.__name__, functools.partial(_of_tables, made))
    change(OrderedDict, "__iter__", functools.partial(_of_tables, __iter__))
    change(OrderedDict, "__eq__", functools.partial(_of_tables, __eq__))
    if sys.version_info < (3, 12):  # it is made from the nodes there
        change(OrderedDict, "__repr__", functools.partial(_of_tables, reprlib.recursive_repr()(__repr__)))
    return True


def _of_tables(made: Callable[..., object], original: object) -> Callable[..., object]:
    """Return the method, restricted to OrderedDicts."""

    def call(self: object, *given: object, **named: object) -> object:
        if not isinstance(self, OrderedDict):
            kind = type(self).__name__
            raise TypeError(
                f"descriptor '{made.__name__}' requires a 'collections.OrderedDict' object but received a '{kind}'"
            )
        return made(self, *given, **named)

    return call


# --- backwards ---


@keep_methods
class _Backwards:
    """The items of a dict, or of a view of one, from the last one on."""

    __slots__ = ("_count", "_items", "_of")

    def __init__(self, of: Callable[[], int], items: list[object]) -> None:
        self._of, self._count, self._items = of, len(items), reversed(items)

    def __iter__(self) -> _Backwards:
        return self

    def __next__(self) -> object:
        if self._of() != self._count:
            raise RuntimeError("dictionary changed size during iteration")
        return next(self._items)


_Backwards.__name__ = _Backwards.__qualname__ = "dict_reverseiterator"
_Backwards.__module__ = "builtins"


def _of_what_was_there(original: object) -> Callable[[object], _Backwards]:
    """Return `__reversed__` of a dict or of a view, which goes through the items that were there when it began."""
    kind = original.__objclass__  # type: ignore[attr-defined]
    forwards, size = kind.__iter__, kind.__len__

    def __reversed__(self: object) -> _Backwards:
        return _Backwards(functools.partial(size, self), [*forwards(self)])

    return __reversed__


# --- the methods; like Python's, each asks a subclass for its items ---


def pop(self: Any, key: object, default: Any = _NONE) -> Any:
    """Remove a key and return its value."""
    return dict.pop(self, key) if default is _NONE else dict.pop(self, key, default)


def popitem(self: Any, last: bool = True) -> tuple[object, object]:
    """Remove and return the last pair, or the first."""
    key = next(_backwards(self) if last else dict.__iter__(self), _NONE)
    if key is _NONE:
        raise KeyError("dictionary is empty")
    return key, pop(self, key)


def setdefault(self: Any, key: object, default: object = None) -> object:
    """Return the value of a key, after setting it if there is none."""
    if type(self) is OrderedDict:
        return dict.setdefault(self, key, default)
    if key in self:
        return self[key]
    self[key] = default
    return default


def move_to_end(self: Any, key: Any, last: bool = True) -> None:
    """Move a key to the end, or to the front."""
    value = dict.pop(self, key) if type(key) in _KEEPING else _NONE
    if value is _NONE:
        key = next((each for each in [*dict.__iter__(self)] if each is key or each == key), key)
        value = dict.pop(self, key)
    if last:
        dict.__setitem__(self, key, value)
        return
    others = [*dict.items(self)]
    dict.clear(self)
    dict.__setitem__(self, key, value)
    dict.update(self, others)


def copy(self: Any) -> Any:
    """Return another one with the same pairs."""
    made: Any = type(self)()
    for key in dict.__iter__(self):
        made[key] = self[key]
    return made


def __iter__(self: Any) -> Any:
    """In Python, because C code that finds dict's own iterator reads the table without asking a subclass for its
    items."""
    return dict.__iter__(self)


def __eq__(self: Any, other: object) -> bool:
    same = dict.__eq__(self, other)
    if same is not True or not isinstance(other, OrderedDict):
        return same
    pairs = zip(dict.__iter__(self), dict.__iter__(other), strict=True)
    return all(one is another or one == another for one, another in pairs)


def __ne__(self: object, other: object) -> object:
    same = __eq__(self, other)
    return same if same is NotImplemented else not same


def __repr__(self: Any) -> str:
    name = type(self).__name__
    if not dict.__len__(self):
        return f"{name}()"
    pairs = [*dict.items(self)] if type(self) is OrderedDict else [*self.items()]
    return f"{name}({pairs!r})"
