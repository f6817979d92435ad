"""What a run can leave behind in tables that outlive it: a formula for a pair of distributions, a module's hook for all
modules, a type in Python's cache. `Fresh` remembers the tables of the torch packages as they are before the first run,
what their modules call by which name, and the same of those modules of Python that keep what they are given, and
restores them; a worker that runs only one snippet does not need it."""

from __future__ import annotations

import enum
import re
import sys
import types
import typing
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from gradviz.engine.kernel.tensor import ORDINARY
from gradviz.worker.objects.type_slots import heirs

_TABLES = (dict, OrderedDict, list, set)
_PACKAGES = ("gradviz.engine", "gradviz.torch")
_OF_PYTHON = ("_strptime", "warnings")
_HOMES = ("gradviz", "torch")  # what functions and classes of these name as theirs


class Fresh:
    """The tables of this process, as they were when this object was created."""

    def __init__(self) -> None:
        self._kept = [(table, list(_items(table))) for table in _tables()]
        values = list(_values())
        self._classes = [(cls, dict(vars(cls))) for cls in {each for each in values if _is_own_class(each)}]
        self._caches = [each.cache_clear for each in values if hasattr(type(each), "cache_clear")]

    def restore(self) -> None:
        """Restore what has changed; only identities are compared, so that no code of a snippet runs."""
        for module in list(sys.modules.values()):  # which of its lines have warned: a snippet says whose line it was
            if isinstance(module, types.ModuleType):
                vars(module).pop("__warningregistry__", None)
        for table, before in self._kept:
            now = list(_items(table))
            if len(now) != len(before) or any(x is not y for x, y in zip(now, before, strict=True)):
                _refill(table, before)
        for cls, attributes in self._classes:
            restore_class(cls, attributes)
        for forget in self._caches:
            forget()
        for forget in typing._cleanups:  # type: ignore[attr-defined]
            forget()
        re.purge()


def _tables() -> Iterator[Any]:
    """Return every table of the packages' modules, with that of their names, of a class or object that a module holds,
    and the tables and objects of ours in those; and the members of flags, which get more when they are combined."""
    yield from (vars(module) for module in _modules())
    yield from (vars(kind)["_value2member_map_"] for kind in heirs(enum.Flag))
    seen: set[int] = set()
    waiting = list(_values())
    for value in waiting:
        if id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) in _TABLES:
            yield value
            if isinstance(value, dict):
                waiting += [each for each in value.values() if type(each) in _TABLES]
        elif _is_own_class(value):
            waiting += [each for each in vars(value).values() if type(each) in _TABLES]
        elif _is_object_of_ours(value):
            held = getattr(value, "__dict__", None)
            if type(held) is dict:
                yield held
                waiting += [each for each in held.values() if type(each) in _TABLES or _is_object_of_ours(each)]


def _modules() -> Iterator[types.ModuleType]:
    for name, module in sorted(sys.modules.items()):
        if name.startswith(_PACKAGES) or name in _OF_PYTHON:
            yield module


def _values() -> Iterator[Any]:
    for module in _modules():
        yield from (value for key, value in vars(module).items() if not key.startswith("__"))


def _is_object_of_ours(value: object) -> bool:
    return (_is_function(value) or type(value).__module__.startswith(_HOMES)) and not _is_frozen(value)


def _is_function(value: object) -> bool:
    return type(value) is types.FunctionType and value.__module__.startswith(_HOMES)


def _is_own_class(value: object) -> bool:
    return type(value) in ORDINARY and value.__module__.startswith(_HOMES)


def restore_class(cls: type, before: dict[str, object]) -> None:
    """Restore what a setting such as `Distribution.set_default_validate_args`, or a method that got the class as self,
    stores in the class."""
    now = dict(vars(cls))
    for name in now.keys() - before.keys():
        delattr(cls, name)
    for name, value in before.items():
        if now.get(name) is not value and name not in ("__dict__", "__weakref__"):
            setattr(cls, name, value)


def _is_frozen(value: object) -> bool:
    parameters = getattr(type(value), "__dataclass_params__", None)
    return isinstance(value, type) or (parameters is not None and parameters.frozen)


def _items(table: Any) -> Iterator[Any]:
    if isinstance(table, dict):
        for key, value in table.items():
            yield key
            yield value
    else:
        yield from table


def _refill(table: Any, before: list[object]) -> None:
    table.clear()
    if isinstance(table, dict):
        table.update(zip(before[::2], before[1::2], strict=True))
    elif isinstance(table, set):
        table.update(before)
    else:
        table.extend(before)
