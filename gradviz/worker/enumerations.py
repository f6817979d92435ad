"""`enum` for a snippet: Enum's metaclass makes classes in a `class` statement only, and looks at them before they have
members. Next: `standard_modules`, which offers it, and `classes`."""

from __future__ import annotations

import enum
from typing import Any

from gradviz.worker.classes import check_text
from gradviz.worker.operands import guarded_operators


def enum_names() -> dict[str, Any]:
    """The names of `enum`."""
    return {"Enum": EnumBase, "IntEnum": IntEnumBase, "auto": enum.auto, "unique": _unique}


class ClassFormOnly(enum.EnumMeta):
    """Enum's metaclass without the call that makes classes from names given as text."""

    def __new__(cls, name: str, bases: Any, names: Any, **keywords: Any) -> Any:
        mixed_in = tuple(base for base in bases if not isinstance(base, enum.EnumMeta))
        if any(issubclass(base, str) for base in mixed_in):  # its members are made before it is
            check_text(type(name, mixed_in, {each: names[each] for each in ("__eq__", "__hash__") if each in names}))
        for key, method in guarded_operators(names).items():
            dict.__setitem__(names, key, method)
        return super().__new__(cls, name, bases, names, **keywords)

    def __call__(cls, value: Any, *more: Any, **keywords: Any) -> Any:
        if more or keywords:
            raise TypeError("an Enum is made with a class statement in GradViz snippets")
        return super().__call__(value)


class EnumBase(enum.Enum, metaclass=ClassFormOnly):
    """`enum.Enum`."""


class IntEnumBase(enum.IntEnum, metaclass=ClassFormOnly):
    """`enum.IntEnum`."""


def _unique(enumeration: Any) -> Any:
    if type(enumeration) is not ClassFormOnly:
        raise TypeError("unique works on Enum classes")
    return enum.unique(enumeration)  # type: ignore[type-var]
