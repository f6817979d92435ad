"""The run-time half of the policy: the hooks that `policy.Rewriter` put in, and the builtins that a snippet gets.

One `Guard` serves one run. It knows the classes that the snippet made (`own`): those and their instances are the
snippet's to change; of the facade's objects only tensors, modules and the like take attributes, and their private
names stay private. `stand_ins` builds the modules that can be imported; `policy` is the compile-time half.
"""

from __future__ import annotations

import builtins
import collections
import string
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from gradviz.engine.graph import Node
from gradviz.worker.oslock import AuditGate
from gradviz.worker.policy_names import (
    CLASS_FURNITURE,
    DEFINABLE_DUNDERS,
    ENGINE_ATTRIBUTES,
    FORBIDDEN_ATTRIBUTES,
    READABLE_DUNDERS,
    REFUSED_BUILTINS,
    is_dunder,
)

HERE = "available in GradViz snippets"

PLAIN_BUILTINS = """ abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter
float format frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord pow
property range repr reversed round set slice sorted staticmethod classmethod str sum super tuple zip None True False
Ellipsis NotImplemented __debug__ """.split()
_BASES = (object, bool, bytearray, bytes, complex, dict, float, frozenset, int, list, set, str, tuple)

# private names of PyTorch's own objects that tutorials read
_OPEN_PRIVATE = frozenset(
    """
    _version _base _sequence_nr _parameters _modules _buffers _backward_hooks _forward_hooks _is_view
    _fields _asdict _replace _make
    """.split()
)
_OPEN_PREFIXES = ("_saved_", "_raw_saved_")
_NEVER = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
_ALIASES = (types.GenericAlias, type(typing.List[int]))  # noqa: UP006 the kind of Generic[T] and List[int]
_MISSING = object()


class StandIn:
    """What `import x` gives: an object with the names of a module, which nothing can change."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the module {type(self).__name__} belongs to GradViz and can't be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the module {type(self).__name__} belongs to GradViz and can't be changed")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"module '{type(self).__name__}' has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<module '{type(self).__name__}'>"

    def __copy__(self) -> StandIn:
        return self

    def __deepcopy__(self, memo: object) -> StandIn:
        return self


def stand_in(name: str, names: Mapping[str, Any]) -> Any:
    """A stand-in for module `name` with these public names."""
    fixed = {
        key: staticmethod(value) if callable(value) and not isinstance(value, type) else value
        for key, value in names.items()
    }
    return type(name, (StandIn,), {"__slots__": (), **fixed})()


class _OneArgumentType(type):
    """`type(x)` and nothing else; the real `type` makes classes."""

    def __call__(cls, value: object, *more: object) -> Any:
        if more:
            raise TypeError(f"type() with three arguments is not {HERE}")
        found = type(value)
        return plain_type if found is type or issubclass(found, type) else found

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, type)

    def __eq__(cls, other: object) -> bool:
        return other is type or cls is other

    def __hash__(cls) -> int:
        return type.__hash__(cls)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class plain_type(metaclass=_OneArgumentType):
    """The snippet's `type`."""

    __slots__ = ()

    def __class_getitem__(cls, item: object) -> Any:
        return type[item]


class _Formatter(string.Formatter):
    """`str.format` whose field names read attributes through the guard."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        import _string  # type: ignore[import-not-found]

        first, rest = _string.formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = self._guard.getattr(value, key) if is_attribute else value[key]
        return value, first


class Guard:
    """Hooks and builtins of one run."""

    def __init__(
        self,
        facade_types: tuple[type, ...],
        changeable: tuple[type, ...],
        extra_bases: frozenset[type],
        metaclasses: tuple[type, ...],
        gate: AuditGate,
    ) -> None:
        self._gate = gate
        self._facade_types = facade_types
        self._changeable = changeable
        self._metaclasses = metaclasses
        self._bases = {*_BASES, *extra_bases, *_exceptions().values()}
        self._own: set[type] = set()
        self._formatter = _Formatter(self)
        self.globals: dict[str, Any] = {}

    def hooks(self) -> dict[str, Any]:
        """The names that `Rewriter` calls."""
        return {"<get>": self.get, "<write>": self.write, "<class>": plain_type}

    def allow_bases(self, classes: frozenset[type]) -> None:
        """Let the snippet derive from these classes too."""
        self._bases |= classes

    def adopt(self, made: type) -> type:
        """Count a class as made by the snippet."""
        self._own.add(made)
        return made

    def owns(self, thing: object) -> bool:
        """Whether `thing` is a class of the snippet or an instance of one."""
        return thing in self._own if isinstance(thing, type) else type(thing) in self._own

    # --- reading ---

    def get(self, thing: Any, name: str) -> Any:
        """`thing.name` for the names that are read through a hook."""
        if type(thing) is super:
            owner = super.__getattribute__(thing, "__self__")
            if name in ("format", "format_map") and (isinstance(owner, str) or self._is_str_class(owner)):
                thing = owner
        if name in ("format", "format_map") and (isinstance(thing, str) or self._is_str_class(thing)):
            return self._format(thing, name)
        if name == "obj" and isinstance(thing, BaseException):
            raise AttributeError(f"'{type(thing).__name__}' object has no attribute 'obj'")
        if name == "resize" and isinstance(thing, np.ndarray):  # it frees memory that other arrays still look at
            raise AttributeError("the array attribute 'resize' is not available in GradViz snippets; use numpy.reshape")
        if name in ENGINE_ATTRIBUTES and isinstance(thing, self._facade_types) and not self.owns(thing):
            raise AttributeError(f"'{type(thing).__name__}' object has no attribute '{name}'")
        if name.startswith("_") and not is_dunder(name):
            self._check_private(thing, name)
        value = getattr(thing, name)
        if (
            type(value) in (dict, collections.OrderedDict)
            and name in _OPEN_PRIVATE
            and isinstance(thing, self._changeable)
        ):
            return types.MappingProxyType(value)  # a module's own tables: to look at
        if isinstance(value, _NEVER) or type(value) is np.ndarray or value is type:
            raise AttributeError(f"'{name}' is private to GradViz")
        return value

    def getattr(self, thing: Any, name: Any, default: Any = _MISSING) -> Any:
        """The snippet's getattr."""
        self._check_name(name)
        try:
            return self.get(thing, name)
        except AttributeError:
            if default is _MISSING:
                raise
            return default

    def hasattr(self, thing: Any, name: Any) -> bool:
        """The snippet's hasattr."""
        absent = object()
        return self.getattr(thing, name, absent) is not absent

    def _check_name(self, name: object) -> None:
        if type(name) is not str:
            raise TypeError("attribute name must be string")
        if name in FORBIDDEN_ATTRIBUTES or (is_dunder(name) and name not in READABLE_DUNDERS):
            raise AttributeError(f"the attribute '{name}' is not {HERE}")

    def _check_private(self, thing: Any, name: str) -> None:
        if type(thing) is super:
            thing = super.__getattribute__(thing, "__self__")
        cls = thing if isinstance(thing, type) else type(thing)
        if cls in self._own and not self._is_engine_state(cls, name):
            return
        if name in _OPEN_PRIVATE or name.startswith(_OPEN_PREFIXES):
            return
        raise AttributeError(f"'{cls.__name__}' object has no attribute '{name}'")

    def _is_engine_state(self, cls: type, name: str) -> bool:
        """Whether a facade class that carries raw memory defines this private name."""
        return any(
            name in vars(base) or name in vars(base).get("__annotations__", ())
            for base in cls.__mro__
            if base not in self._own and base.__module__.startswith("gradviz.engine")
        )

    @staticmethod
    def _is_str_class(thing: object) -> bool:
        return isinstance(thing, type) and issubclass(thing, str)

    def _format(self, thing: Any, which: str) -> Callable[..., str]:
        vformat = self._formatter.vformat
        if isinstance(thing, type):  # str.format("{}", x)
            return lambda text, *args, **kwargs: self._format(text, which)(*args, **kwargs)
        if not isinstance(thing, str):
            raise TypeError(f"descriptor '{which}' requires a 'str' object")
        text = str.__str__(thing)
        if which == "format":
            return lambda *args, **kwargs: vformat(text, args, kwargs)
        return lambda mapping: vformat(text, (), mapping)

    # --- writing ---

    def write(self, thing: Any, name: str) -> Any:
        """`thing`, if its attribute `name` may be assigned or deleted."""
        if is_dunder(name):
            raise AttributeError(f"'{name}' can't be assigned to in GradViz snippets")
        cls = type(thing)
        if name.startswith("_"):
            self._check_private(thing, name)
            if name in _OPEN_PRIVATE and isinstance(thing, self._changeable):
                raise AttributeError(f"'{name}' of a '{cls.__name__}' can be read in GradViz snippets, not replaced")
        if isinstance(thing, type):
            if thing in self._own:
                return thing
            raise AttributeError(f"'{thing.__name__}' belongs to GradViz and can't be changed")
        if cls in self._own or isinstance(thing, StandIn):
            return thing  # a stand-in refuses by itself, with its own sentence
        if cls is types.FunctionType and thing.__globals__ is self.globals:
            return thing
        if isinstance(thing, Node) and hasattr(Node, name):
            raise AttributeError(f"'{name}' on a '{cls.__name__}' belongs to GradViz; choose another name")
        if isinstance(thing, self._changeable) and name not in ENGINE_ATTRIBUTES:
            return thing
        raise AttributeError(f"the attributes of '{cls.__name__}' objects can't be changed in GradViz snippets")

    def setattr(self, thing: Any, name: Any, value: Any) -> None:
        """The snippet's setattr."""
        self._check_name(name)
        setattr(self.write(thing, name), name, value)

    def delattr(self, thing: Any, name: Any) -> None:
        """The snippet's delattr."""
        self._check_name(name)
        delattr(self.write(thing, name), name)

    # --- classes ---

    def build_class(self, body: Any, name: str, *bases: Any, **keywords: Any) -> type:
        """The snippet's `class` statement."""
        if keywords:
            raise TypeError(f"class keywords are not {HERE}")
        for base in bases:
            self._check_base(base)
        if bases == (NamedTupleForm,):
            return self._named_tuple(body, name)
        made: type = builtins.__build_class__(body, name, *bases)
        if type(made) in self._metaclasses:
            return self.adopt(made)
        if type(made) is not type:
            raise TypeError(f"a metaclass is not {HERE}")
        _check_finished(made)
        _find_abstract(made)
        return self.adopt(made)

    def _named_tuple(self, body: Any, name: str) -> type:
        """`class Row(NamedTuple)`: the tuple's own code is made from text, the names in which the policy has
        checked."""
        draft: type = builtins.__build_class__(body, name)
        _check_finished(draft)
        names = list(vars(draft).get("__annotations__", {}))
        given = [each for each in names if each in vars(draft)]
        if given != names[len(names) - len(given) :]:
            raise TypeError("Non-default namedtuple field cannot follow default field")
        defaults = [vars(draft)[each] for each in given]
        with self._gate.lifted():
            made: type = collections.namedtuple(name, names, defaults=defaults, module="__main__")  # type: ignore[misc]
        for key, value in vars(draft).items():
            if key not in names and (not is_dunder(key) or key in DEFINABLE_DUNDERS):
                setattr(made, key, value)
        return self.adopt(made)

    def _check_base(self, base: Any) -> None:
        known = isinstance(base, type) and (base in self._own or base in self._bases or type(base) in self._metaclasses)
        if not known and not isinstance(base, _ALIASES):
            label = getattr(base, "__name__", "this") if isinstance(base, type) else "this object"
            raise TypeError(f"{label} can't be a base class in GradViz snippets")

    # --- builtins ---

    def builtins(self, import_module: Callable[[str], Any], printer: Callable[..., None]) -> dict[str, Any]:
        """The `__builtins__` of the snippet."""
        names = {name: getattr(builtins, name) for name in PLAIN_BUILTINS}
        names.update(_exceptions())
        names.update({name: _refused(name, way) for name, way in REFUSED_BUILTINS.items()})
        names.update(
            print=printer,
            getattr=self.getattr,
            hasattr=self.hasattr,
            setattr=self.setattr,
            delattr=self.delattr,
            type=plain_type,
            exit=_leave,
            quit=_leave,
            __build_class__=self.build_class,
            __import__=_importer(import_module),
        )
        return names


def _exceptions() -> dict[str, type[BaseException]]:
    return {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }


def _refused(name: str, way_round: str) -> Callable[..., NoReturn]:
    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise PermissionError(f"{name}() is not {HERE}; {way_round}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _leave(code: object = None) -> NoReturn:
    raise SystemExit(code)


def _importer(import_module: Callable[[str], Any]) -> Callable[..., Any]:
    def import_(name: Any, globals: Any = None, locals: Any = None, fromlist: Any = (), level: Any = 0) -> Any:
        # Note [Imports by C code]: NumPy imports lazily through the *caller's* __import__, with a list as fromlist. A
        # snippet can't name __import__; its statements pass a tuple or None. So a list means C code, which gets the
        # real module.
        if type(fromlist) is list and name in sys.modules:
            return sys.modules[name]
        if level or type(name) is not str:
            raise ImportError(f"a relative import is not {HERE}")
        return import_module(name) if fromlist else import_module(name.partition(".")[0])

    return import_


class NamedTupleForm:
    """Stands for `typing.NamedTuple` as a base class."""


def _check_finished(made: type) -> None:
    """A second look at what a class body defined; the policy has already looked at its text."""
    for key in vars(made):
        if is_dunder(key) and key not in DEFINABLE_DUNDERS and key not in CLASS_FURNITURE:
            raise TypeError(f"a class can't define '{key}' in GradViz snippets")


def _find_abstract(made: type) -> None:
    """What ABCMeta does: a class with abstract methods can't be instantiated."""
    inherited = {name for base in made.__bases__ for name in getattr(base, "__abstractmethods__", ())}
    own = {name for name, value in vars(made).items() if getattr(value, "__isabstractmethod__", False) is True}
    left = own | {
        name for name in inherited if getattr(getattr(made, name, None), "__isabstractmethod__", False) is True
    }
    if left:
        made.__abstractmethods__ = frozenset(left)  # type: ignore[attr-defined]
