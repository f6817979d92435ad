"""`enum` for snippets.

The body of an Enum fills a table, nothing else. Of what is no member there, a class is made and finished as every class
of a snippet is; then its members are made, of a class that everybody may see. Python's own module never gets a class of
a snippet. Next: `classes`."""

from __future__ import annotations

import builtins
import enum
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

from gradviz.worker.objects.arguments import keep_methods
from gradviz.worker.objects.kept_memory import method_of
from gradviz.worker.policy_names import MEMORY, is_dunder

_TABLE = "__members__"
_RESERVED = ("_order_", "_generate_next_value_", "_missing_", "_ignore_")
_SINCE_3_12, _SINCE_3_13 = (sys.version_info >= version for version in ((3, 12), (3, 13)))

# --- the body ---


class _Names(dict[str, Any]):
    """What the body of an Enum fills."""

    def __init__(self, name: str, generate: Callable[..., object]) -> None:
        self._name, self._generate = name, generate
        self.members: list[str] = []
        self._values: list[object] = []
        self._ignored: list[str] = []
        self._is_counted = False

    def __setitem__(self, key: str, value: Any) -> None:
        if key.startswith(f"_{self._name}__") and not key.endswith("__"):
            pass
        elif _is_sunder(key):
            value = self._setting(key, value)
        elif is_dunder(key) or key in self._ignored:
            pass
        elif key in self.members:
            raise TypeError(f"{key!r} already defined as {self[key]!r}")
        elif isinstance(value, enum.nonmember):
            value = value.value
        elif not self._is_attribute(value):
            if key in self:
                raise TypeError(f"{key!r} already defined as {self[key]!r}")
            value = self._valued(key, value.value if isinstance(value, enum.member) else value)
            self.members.append(key)
        super().__setitem__(key, value)

    def _is_attribute(self, value: Any) -> bool:
        inner = isinstance(value, type) and value.__qualname__.endswith(f"{self._name}.{value.__name__}")
        if inner and not _SINCE_3_13:
            warnings.warn(_OF_CLASSES, DeprecationWarning, stacklevel=3)
        return (inner and _SINCE_3_13) or any(hasattr(value, name) for name in ("__get__", "__set__", "__delete__"))

    def _setting(self, key: str, value: Any) -> object:
        if key not in _RESERVED:
            raise ValueError(f"_sunder_ names, such as {key!r}, are reserved for future Enum use")
        if key == "_generate_next_value_":
            if self._is_counted:
                raise TypeError("_generate_next_value_ must be defined before members")
            self._generate = value.__func__ if isinstance(value, staticmethod) else value
        elif key == "_ignore_":
            self._ignored = value = value.replace(",", " ").split() if isinstance(value, str) else list(value)
            already = set(value) & set(self.members)
            if already:
                raise ValueError(f"_ignore_ cannot specify already set names: {already!r}")
        return value

    def _valued(self, key: str, value: Any) -> object:
        parts = value if type(value) is tuple else (value,)
        if not any(isinstance(each, enum.auto) for each in parts):
            self._values.append(value)
            return value
        found: list[object] = []
        for each in parts:
            if not isinstance(each, enum.auto):
                found.append(each)
                continue
            counted: Any = each
            if counted.value == _AUTO:
                counted.value = self._generate(key, 1, len(self.members), self._values[:])
                self._is_counted = True
            self._values.append(counted.value)
            found.append(counted.value)
        return tuple(found) if type(value) is tuple else found[0]

    def taken(self) -> dict[str, Any]:
        """Return what is no member, and no setting."""
        left = {*self.members, *self._ignored, "_ignore_", "_order_"}
        return {key: value for key, value in self.items() if key not in left}


_AUTO: Any = vars(enum)["_auto_null"]
_OF_CLASSES = (
    "In 3.13 classes created inside an enum will not become a member.  "
    "Use the `member` decorator to keep the current behavior."
)
_OF_VALUES = (
    "in 3.12 __contains__ will no longer raise TypeError, but will return True or\n"
    "False depending on whether the value is a member or the value of a member"
)


def _is_sunder(key: str) -> bool:
    return len(key) > 2 and key[0] == key[-1] == "_" and key[1] != "_" != key[-2]


class _Draft:
    """Stands for a metaclass while the body runs, and makes no class."""

    def __init__(self, names: _Names) -> None:
        self._names = names

    def __prepare__(self, name: str, bases: tuple[type, ...]) -> _Names:
        return self._names

    def __call__(self, name: str, bases: tuple[type, ...], names: _Names) -> tuple[type, ...]:
        return bases


# --- the class ---


class _Members:
    """The members of an Enum."""

    __slots__ = ("by_name", "by_value", "data", "listed", "told")

    def __init__(self, data: type, told: Callable[[object], str]) -> None:
        self.data, self.told = data, told
        self.by_name: dict[str, Any] = {}
        self.by_value: dict[object, Any] = {}
        self.listed: list[Any] = []  # without other names for the same

    def find(self, value: object) -> Any:
        """Return the member with a value, None if there is none."""
        try:
            return self.by_value.get(value)
        except TypeError:  # it has no hash
            return next((each for each in self.by_name.values() if each._value_ == value), None)


def _members(cls: type) -> _Members:
    found: _Members = method_of(cls, _TABLE)
    return found


class EnumForm(type):
    """What an Enum does as a class."""

    def __call__(cls, value: Any, *more: object, **named: object) -> Any:
        if more or named:
            raise TypeError("an Enum is made with a class statement in GradViz snippets")
        if type(value) is cls:
            return value
        found = _members(cls).find(value)
        return _missing(cls, value) if found is None else found

    def __contains__(cls, value: object) -> bool:
        if isinstance(value, Enum if not _SINCE_3_12 else cls):
            return isinstance(value, cls)
        if _SINCE_3_12:
            return _members(cls).find(value) is not None
        warnings.warn(_OF_VALUES, DeprecationWarning, stacklevel=2)
        raise TypeError(f"unsupported operand type(s) for 'in': '{type(value).__qualname__}' and 'EnumType'")

    def __getitem__(cls, name: str) -> object:
        return _members(cls).by_name[name]

    def __iter__(cls) -> Iterator[Any]:
        return iter(list(_members(cls).listed))

    def __reversed__(cls) -> Iterator[Any]:
        return iter(_members(cls).listed[::-1])

    def __len__(cls) -> int:
        return len(_members(cls).listed)

    def __bool__(cls) -> bool:
        return True

    if not _SINCE_3_12:

        def __getattr__(cls, name: str) -> NoReturn:
            raise AttributeError(name)

    def __dir__(cls) -> list[str]:
        table = _members(cls)
        return [*table.by_name, *(() if table.data is object else dir(table.data))]

    def __repr__(cls) -> str:
        return f"<enum {cls.__name__!r}>"

    def __setattr__(cls, name: str, value: object) -> None:
        if _TABLE in vars(cls) and name in _members(cls).by_name:
            raise AttributeError(f"cannot reassign member {name!r}")
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        if _TABLE in vars(cls) and name in _members(cls).by_name:
            raise AttributeError(f"{cls.__name__!r} cannot delete member {name!r}.")
        super().__delattr__(name)


def _missing(cls: Any, value: object) -> object:
    error: Exception | None = None
    try:
        found = cls._missing_(value)
    except Exception as raised:  # noqa: BLE001 it is raised below
        error, found = raised, None
    if isinstance(found, cls):
        return found
    unknown = ValueError(f"{value!r} is not a valid {cls.__qualname__}")
    if found is None and error is None:
        raise unknown
    if error is None:
        told = f"returned {found!r} instead of None or a valid member"
        error = TypeError(f"error in {cls.__name__}._missing_: {told}")
    if not isinstance(error, ValueError):
        error.__context__ = unknown
    raise error


class _Shown:
    """`name` and `value` of a member; in a class that has a member of this name, that member."""

    __slots__ = ("_key", "_member", "_owner")

    def __init__(self, key: str, owner: str = "Enum", member: object = None) -> None:
        self._key, self._owner, self._member = key, owner, member

    def __get__(self, thing: Any, owner: type) -> object:
        if thing is not None:
            return object.__getattribute__(thing, f"_{self._key}_")
        if self._member is None:
            raise AttributeError(f"{owner!r} has no attribute {self._key!r}")
        return self._member

    def __set__(self, thing: object, value: object) -> NoReturn:
        raise AttributeError(f"<enum {self._owner!r}> cannot set attribute {self._key!r}")

    def __delete__(self, thing: object) -> NoReturn:
        raise AttributeError(f"<enum {self._owner!r}> cannot delete attribute {self._key!r}")


@keep_methods
class Enum(metaclass=EnumForm):
    """`enum.Enum`."""

    __module__ = "enum"
    name, value = _Shown("name"), _Shown("value")

    def __init__(self, *given: object, **named: object) -> None:
        pass

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[Any]) -> Any:
        if not last_values:
            return start
        try:
            last = sorted(last_values).pop()
        except TypeError:
            if not _SINCE_3_13:
                last = next((each for each in reversed(last_values) if hasattr(each, "__add__")), start - 1)
                return last + 1
            raise TypeError("unable to sort non-numeric values") from None
        try:
            return last + 1
        except TypeError:
            raise TypeError(f"unable to increment {last!r}") from None

    @classmethod
    def _missing_(cls, value: object) -> object:
        return None

    def __repr__(self) -> str:
        cls: Any = type(self)
        return f"<{cls.__name__}.{self._name_}: {_members(cls).told(self._value_)}>"  # type: ignore[attr-defined]

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self._name_}"  # type: ignore[attr-defined]

    def __format__(self, form: str) -> str:
        return str.__format__(str(self), form)

    def __hash__(self) -> int:
        return hash(self._name_)  # type: ignore[attr-defined]

    def __copy__(self) -> Enum:
        return self

    def __deepcopy__(self, memo: object) -> Enum:
        return self


class IntEnum(int, Enum):
    """`enum.IntEnum`."""

    __module__ = "enum"
    __str__ = int.__repr__
    __format__ = int.__format__  # type: ignore[assignment]


class StrEnum(str, Enum):
    """`enum.StrEnum`."""

    __module__ = "enum"
    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[Any]) -> Any:
        return name.lower()


_GIVEN = ("__repr__", "__str__", "__format__")  # an Enum's, not its data's
for _each, _data in ((Enum, object), (IntEnum, int), (StrEnum, str)):
    type.__setattr__(_each, _TABLE, _Members(_data, _data.__repr__ if _data is not object else repr))
for _each in (IntEnum, StrEnum):
    type.__setattr__(_each, "__repr__", Enum.__repr__)


# --- how one is made ---


def make_enum(
    body: Any,
    name: str,
    bases: tuple[Any, ...],
    finish: Callable[[type], object],
    read: Callable[[object, str], object],
) -> EnumForm:
    """Run a class statement with an Enum among its bases; `finish` does what is done to every class, and `read` is the
    snippet's getattr."""
    first: Any = bases[-1]
    if type(first) is not EnumForm:
        raise TypeError("new enumerations should be created as `EnumName([mixin_type, ...] [data_type,] enum_type)`")
    for base in (each for given in bases for each in getattr(given, "__mro__", ())):
        if type(base) is EnumForm and _members(base).listed:
            raise TypeError(f"<enum {name!r}> cannot extend {base!r}")
    names = _Names(name, first._generate_next_value_)
    real: tuple[type, ...] = builtins.__build_class__(body, name, *bases, metaclass=_Draft(names))
    wrong = {"mro", ""} & {*names.members}
    if wrong:
        raise ValueError(f"invalid enum member name(s) {','.join(map(repr, wrong))}")
    if MEMORY in names.members:
        raise TypeError(f"a class can't define '{MEMORY}' in GradViz snippets")
    made = type.__new__(EnumForm, name, real, names.taken())
    data = _data_of(name, real)
    for key in _GIVEN:
        found = method_of(made, key)
        if key not in names and (found is method_of(data, key) or found is vars(object)[key]):
            type.__setattr__(made, key, method_of(first, key))
    finish(made)
    type.__setattr__(made, _TABLE, _Members(data, _teller(real, read)))
    for key in names.members:
        _add(made, key, names[key])
    _check_order(made, names.get("_order_"))
    return made


def _data_of(name: str, bases: tuple[type, ...]) -> type:
    """Return the class that a member's value is of, besides its Enum."""
    found: dict[type, None] = {}
    for chain in bases:
        before: type | None = None
        for base in chain.__mro__[:-1]:
            if type(base) is EnumForm:
                if _members(base).data is not object:
                    found[_members(base).data] = None
                    break
            elif "__new__" in vars(base) or "__dataclass_fields__" in vars(base):
                found[before or base] = None
                break
            else:
                before = before or base
    if len(found) > 1:
        raise TypeError(f"too many data types for {name!r}: {set(found)!r}")
    return next(iter(found), object)


def _teller(bases: tuple[type, ...], read: Callable[[object, str], object]) -> Callable[[Any], str]:
    """Return what writes the value of a member, which the snippet may have replaced by anything."""
    for base in (each for chain in bases for each in chain.__mro__[:-1]):
        if type(base) is EnumForm:
            return _members(base).told
        if "__repr__" in vars(base):
            fields = vars(base).get("__dataclass_fields__", {})
            shown = [name for name, each in fields.items() if each.repr]
            if fields and _SINCE_3_12 and vars(base)["__dataclass_params__"].repr:
                return lambda value: ", ".join(f"{name}={read(value, name)!r}" for name in shown)
            told: Callable[[Any], str] = vars(base)["__repr__"]
            return told
    return repr


def _add(cls: Any, name: str, value: Any) -> None:
    table = _members(cls)
    given = value if isinstance(value, tuple) else (value,)
    given = (given,) if table.data is tuple else given
    if issubclass(cls, StrEnum):
        _check_texts(given)
    new: Any = cls.__new__  # not its data's: an end of an iterator is made with a value
    member = object.__new__(cls) if new is object.__new__ else new(cls, *given)
    if table.data is not object:
        try:
            value = table.data(*given)
        except Exception as error:
            raise TypeError("_value_ not set in __new__, unable to create it") from error
    object.__setattr__(member, "_value_", value)
    object.__setattr__(member, "_name_", name)
    cls.__init__(member, *given)
    found = table.find(value)
    if found is None:
        found = member
        table.listed.append(member)
    is_shown = type(vars(Enum).get(name)) is _Shown
    type.__setattr__(cls, name, _Shown(name, cls.__name__, found) if is_shown else found)
    table.by_name[name] = found
    with suppress(TypeError):  # it has no hash
        table.by_value.setdefault(value, found)


def _check_texts(given: tuple[Any, ...]) -> None:
    if len(given) > 3:
        raise TypeError(f"too many arguments for str(): {given!r}")
    if len(given) == 1 and not isinstance(given[0], str):
        raise TypeError(f"{given[0]!r} is not a string")
    for what, each in zip(("encoding", "errors"), given[1:], strict=False):
        if not isinstance(each, str):
            raise TypeError(f"{what} must be a string, not {each!r}")


def _check_order(cls: type, order: Any) -> None:
    told = order.replace(",", " ").split() if isinstance(order, str) else order
    table = _members(cls)
    listed = [each._name_ for each in table.listed]
    wanted = [each for each in told or () if each in listed or each not in table.by_name]
    if wanted and wanted != listed:
        raise TypeError(f"member order does not match _order_:\n  {listed!r}\n  {wanted!r}")


def _unique(enumeration: Any) -> EnumForm:
    if type(enumeration) is not EnumForm:
        raise TypeError("unique works on Enum classes")
    twice = [(name, each._name_) for name, each in _members(enumeration).by_name.items() if name != each._name_]
    if twice:
        told = ", ".join(f"{alias} -> {name}" for alias, name in twice)
        raise ValueError(f"duplicate values found in {enumeration!r}: {told}")
    return enumeration


def enum_names() -> dict[str, object]:
    """Return the names of `enum`."""
    of_python = {name: getattr(enum, name) for name in ("auto", "member", "nonmember")}
    return of_python | {"Enum": Enum, "IntEnum": IntEnum, "StrEnum": StrEnum, "unique": _unique}
