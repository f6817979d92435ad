"""`enum` for a snippet: Enum's metaclass makes classes in a `class` statement only, and looks at them before they have
members. Next: `standard_modules`, which offers it, and `classes`."""

from __future__ import annotations

import enum
from typing import Any

from gradviz.worker.classes import check_text
from gradviz.worker.operands import guarded_operators
from gradviz.worker.policy_names import HERE, MEMORY, is_dunder


def enum_names() -> dict[str, Any]:
    """The names of `enum`."""
    return {"Enum": EnumBase, "IntEnum": IntEnumBase, "auto": enum.auto, "unique": _unique}


def _check_names(names: Any) -> None:
    """The members are made before anybody could look at the finished class."""
    slots = names.get("__slots__", ())
    plain = [slots] if type(slots) is str else slots
    if type(plain) not in (list, tuple) or any(type(each) is not str or is_dunder(each) for each in plain):
        raise TypeError("the slots of an Enum are a list of names in GradViz snippets")
    if "__slots__" in names:
        dict.__setitem__(names, "__slots__", tuple(plain))
    if MEMORY in {*names, *plain, *names.get("__annotations__", ())}:
        raise TypeError(f"a class can't define '{MEMORY}' in GradViz snippets")


_PYTORCHS = ("torch", "gradviz.engine", "gradviz.torch")


class ClassFormOnly(enum.EnumMeta):
    """Enum's metaclass without the call that makes classes from names given as text."""

    def __new__(cls, name: str, bases: Any, names: Any, **keywords: Any) -> Any:
        _check_names(names)
        mixed_in = tuple(base for base in bases if not isinstance(base, enum.EnumMeta))
        if any(issubclass(base, str) for base in mixed_in):  # its members are made before it is
            check_text(type(name, mixed_in, {each: names[each] for each in ("__eq__", "__hash__") if each in names}))
        for base in {each for mixed in mixed_in for each in mixed.__mro__}:
            if base.__module__.startswith(_PYTORCHS):  # their methods are called with arrays
                raise TypeError(f"{base.__name__} as another base class of an Enum is not {HERE}")
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
