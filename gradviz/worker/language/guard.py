"""The run-time half of the policy: what the hooks that `policy` inserts let a snippet read and write.

One `Guard` serves one run. It knows the classes that the snippet made (`own`): the snippet may change these and their
instances; of the facade's objects, only tensors, modules and the like accept attributes, and their private names stay
private; `vars(x)` and `x.__dict__` work where every class of an object is the snippet's, so that they contain nothing
of PyTorch's or Python's. Classes are made in `classes`, the builtins in `snippet_builtins`, modules in `stand_ins`."""

from __future__ import annotations

import abc
import collections
import collections.abc
import functools
import string
import types
import typing
import weakref
from collections.abc import Callable, Sequence
from inspect import getattr_static
from typing import Any, NoReturn, Protocol

import numpy as np

from gradviz.engine.kernel.dtypes import dtype
from gradviz.engine.kernel.graph import Node, RemovableHandle
from gradviz.engine.kernel.tensor import ORDINARY, Tensor
from gradviz.engine.numerics.distributions import Generator
from gradviz.engine.run.function import Function, FunctionCtx
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.optim.optimizer import Optimizer
from gradviz.worker.language.absent import Absent, error_of
from gradviz.worker.language.stand_in import StandIn, plain_type
from gradviz.worker.objects.arguments import check_arguments, is_numpys_own, keep_methods, looking, private_of
from gradviz.worker.objects.identity import Identities
from gradviz.worker.objects.kept_memory import beginning, remember
from gradviz.worker.objects.numpy_boundary import IN, REAL
from gradviz.worker.objects.type_slots import deletable, heirs, is_settable
from gradviz.worker.policy_names import (
    ENGINE_ATTRIBUTES,
    FORBIDDEN_ATTRIBUTES,
    HERE,
    HOOKED_ATTRIBUTES,
    MEMORY,
    NUMPY_ATTRIBUTES,
    OWN_NAMES,
    PYTORCHS_METHODS,
    READABLE_DUNDERS,
    is_dunder,
)

# --- vars(x) and x.__dict__ ---


class Owner(Protocol):
    """What `Attributes` needs of the guard."""

    plain_bases: tuple[type, ...]

    def owns(self, thing: object) -> bool:
        """Whether `thing` is the snippet's."""

    def setattr(self, thing: object, name: object, value: object) -> None:
        """The snippet's setattr."""


class Maker(Protocol):
    """What @dataclass needs of what makes classes."""

    def remake(self, made: type, names: dict[str, object]) -> type:
        """Return a class in place of this one, with these names instead."""

    def welcome(self, made: type) -> None:
        """Call the `__init_subclass__` of a base class."""


@keep_methods
class Attributes(dict[str, object]):
    """A copy of an object's attributes; items that are assigned are set on the object, too."""

    __slots__ = ("_put",)

    def __init__(self, names: dict[str, object], put: Callable[[str, object], None]) -> None:
        super().__init__(names)
        self._put = put

    def __setitem__(self, name: str, value: object) -> None:
        self._put(name, value)
        dict.__setitem__(self, name, value)

    def update(self, *given: object, **named: object) -> None:
        """Set several attributes."""
        for name, value in dict(*given, **named).items():
            self[name] = value

    def __reduce__(self) -> tuple[object, ...]:
        return (dict, (dict(self),))  # a copy is a plain dict

    def _refused(self, *given: object, **more: object) -> NoReturn:
        raise TypeError("attributes can't be taken out this way in GradViz snippets; write del x.name")

    __delitem__ = __ior__ = setdefault = pop = popitem = clear = _refused


def _registering(table: dict[str, object], kind: type | None) -> Callable[[object, object], None]:
    """Return what puts an object of this kind into a table of a module; under a number, if its key is no text."""

    def put(key: object, value: object) -> None:
        if kind is None or not (value is None or isinstance(value, kind)):
            raise TypeError("only modules, parameters and buffers are put into a module's tables in GradViz snippets")
        table[str.__str__(key) if isinstance(key, str) else str(len(table))] = value

    return put


class _Hooks(Attributes):
    """The same of an OrderedDict, which looks like one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(collections.OrderedDict(self))


def _table(table: dict[str, object], kind: type | None) -> Attributes:
    """Return what a snippet gets of a table of a module: a copy that registers what is put into it."""
    look = _Hooks if isinstance(table, collections.OrderedDict) else Attributes
    return look(table, _registering(table, kind))


def attributes_of(guard: Owner, *things: object) -> Attributes:
    """Return what `vars(thing)` gives; raises TypeError if there is nothing to show."""
    (thing,) = things if len(things) == 1 else (None,)
    bases = (int,) if isinstance(thing, type) else type(thing).__mro__
    if not all(base in guard.plain_bases or guard.owns(base) for base in bases) or not hasattr(thing, "__dict__"):
        raise TypeError(
            "__dict__ of this object is not available in GradViz snippets; name the attributes that you need"
        )
    return Attributes(object.__getattribute__(thing, "__dict__"), lambda name, value: guard.setattr(thing, name, value))


# --- x.__getattr__, x.__setattr__ and f.__code__ ---


class Names:
    """What a snippet may read of a function's code: the names of its arguments."""

    __slots__ = ("co_argcount", "co_varnames")

    def __init__(self, code: types.CodeType) -> None:
        self.co_argcount = code.co_argcount
        self.co_varnames = tuple(name for name in code.co_varnames if "<" not in name)


def code_of(guard: Guard, thing: object) -> Names:
    """Return the snippet's f.__code__, for its own functions."""
    function = thing.__func__ if type(thing) is types.MethodType else thing
    if not guard.wrote(function):
        raise AttributeError(f"'{type(thing).__name__}' object has no attribute '__code__'")
    return Names(function.__code__)  # type: ignore[attr-defined]


def setter_of(guard: Guard, thing: object) -> Callable[..., object]:
    """Return the snippet's x.__setattr__: setattr on x, or on the instance if it is called on a class. A frozen
    dataclass refuses that, but not object.__setattr__."""
    if thing is object:
        return lambda *given: place(guard, *given)  # a partial would have the guard among its attributes
    return lambda *given: guard.setattr(*given) if isinstance(thing, type) else guard.setattr(thing, *given)


def place(guard: Guard, thing: Any, name: Any, value: object) -> None:
    """The snippet's object.__setattr__(thing, name, value)."""
    guard._check_name(name)
    name = OWN_NAMES.get(name, name)
    thing = guard.write(thing, name)
    found = (vars(base)["__setattr__"] for base in type(thing).__mro__ if "__setattr__" in vars(base))
    next(each for each in found if each not in guard.frozen)(thing, name, value)


def getter_of(guard: Guard, thing: object) -> Callable[..., object]:
    """Return the snippet's x.__getattr__: getattr on x. On super() and on a class, what that class does for a name that
    is not found."""
    if type(thing) is not super and not isinstance(thing, type):
        return lambda name: guard.getattr(thing, name)

    def ask(*given: Any) -> object:
        subject, name = (super.__getattribute__(thing, "__self__"), *given) if type(thing) is super else given
        classes = type(subject).__mro__
        if type(thing) is super:
            classes = classes[classes.index(super.__getattribute__(thing, "__thisclass__")) + 1 :]
        elif thing in classes:
            classes = classes[classes.index(thing) :]
        guard._check_name(name)
        if name.startswith("_"):
            return guard.getattr(subject, name)
        found = next((vars(each)["__getattr__"] for each in classes if "__getattr__" in vars(each)), None)
        if found is None:
            whose = "'super' object" if type(thing) is super else f"type object '{thing.__name__}'"  # type: ignore[union-attr]
            raise AttributeError(f"{whose} has no attribute '__getattr__'")
        if guard.is_closed(subject, name):
            raise AttributeError(f"'{type(subject).__name__}' object has no attribute '{name}'")
        return found(subject, name)

    return ask


def restorer_of(guard: Owner, thing: object) -> Callable[[object], None]:
    """Return the snippet's super().__setstate__ in an optimizer, which does nothing: `load_state_dict` has done
    everything."""
    subject = super.__getattribute__(thing, "__self__") if type(thing) is super else thing
    if not isinstance(subject, Optimizer) or not guard.owns(subject):
        raise AttributeError(f"'{type(subject).__name__}' object has no attribute '__setstate__' in GradViz snippets")
    return lambda state: None


def super_of(guard: Guard) -> Callable[..., object]:
    """Return the snippet's super() with arguments as a function: it can be named as a value, and a method would have
    the guard behind it."""

    def super_(*given: object) -> object:
        return guard.super(*given)

    super_.__name__ = super_.__qualname__ = "super"
    return super_


# private names of PyTorch's own objects that tutorials read
_OPEN_PRIVATE = frozenset(
    """
    _version _base _sequence_nr _tensor_name _parameters _modules _buffers _backward_hooks _forward_hooks
    _forward_pre_hooks _metadata _is_view _get_name _apply _nnz _indices _values
    _make_subclass _fields _asdict _replace _make
    _value_ _name_ _missing_ _generate_next_value_ _ignore_
    """.split()
)
_REGISTERED = {"_modules": Module, "_parameters": Tensor, "_buffers": Tensor}
_OF_TENSORS = frozenset("_version _base _sequence_nr _is_view _nnz _indices _values".split())
_OPEN_PREFIXES = ("_saved_", "_raw_saved_")
_FORWARDING = (types.MethodType, types.GenericAlias, typing._BaseGenericAlias)  # type: ignore[attr-defined]
_NEVER = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
_TABLES = (dict, collections.OrderedDict)
_VIEWS = (collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)
_MAKING = ("__init__", "__new__")
_PYTORCHS = ("torch.", "gradviz.torch.", "gradviz.engine.")
_METHODS = (types.FunctionType, staticmethod, classmethod, property)
_MISSING = object()


class _Unbound:
    """What `super(C)` is without an object: PyTorch's page of IterableDataset writes `super(C).__init__()`, which
    initializes nothing."""

    __slots__ = ()

    def __init__(self) -> None:
        pass


_CLASSES: dict[str, type] = {
    "Node": Node,
    "Function": Function,
    "dtype": dtype,
    "Generator": Generator,
    "RemovableHandle": RemovableHandle,
}
_ENGINES = [(_CLASSES[name], names) for name, names in ENGINE_ATTRIBUTES.items()]
_NUMPY_DOORS = ("__array_interface__", "__array_struct__", "__array__")  # which it looks up on the object itself


WITH_ARRAYS = (Tensor, Optimizer)


def meets_arrays(cls: type, name: str) -> bool:
    """Whether PyTorch's own part of a class calls a method of this name with NumPy's own arrays: any of a tensor's, the
    private ones of an optimizer."""
    if not issubclass(cls, WITH_ARRAYS) or not (name.startswith("_") or issubclass(cls, Tensor)):
        return False
    theirs = [vars(base).get(name) for base in cls.__mro__ if base.__module__ != "__main__"]
    return any(isinstance(each, types.FunctionType | staticmethod | classmethod) for each in theirs)


def is_tensors_state(cls: type, name: str) -> bool:
    """Whether a class would have something else in place of an attribute in which a tensor keeps its state."""
    return issubclass(cls, Tensor) and not is_dunder(name) and type(getattr_static(Tensor, name, None)) is property


def bases_of(thing: object) -> Sequence[type]:
    """Return the classes in which a name of an object is looked up, of `super()` those that come next."""
    subject = super.__getattribute__(thing, "__self__") if type(thing) is super else thing
    bases: tuple[type, ...] = (subject if isinstance(subject, type) else type(subject)).__mro__
    return bases[bases.index(super.__getattribute__(thing, "__thisclass__")) + 1 :] if type(thing) is super else bases


def is_kept(guard: Owner, cls: type, name: str) -> bool:
    """Whether PyTorch's part of a class stores something under this readable private name: a tensor's names are free in
    the snippet's own data sets and modules."""
    return name not in _OF_TENSORS or any(hasattr(base, name) for base in cls.__mro__ if not guard.owns(base))


def is_engines_name(cls: type, name: str) -> bool:
    """Whether the engine keeps something of its own in objects of a class under this public name."""
    return any(name in names and issubclass(cls, ours) for ours, names in _ENGINES)


def _refusal(thing: object, said: str) -> Exception:
    """Return the error with this text, or what is said of something that does not exist here."""
    return error_of(thing) if isinstance(thing, Absent) else AttributeError(said)


def _unclaimed(cls: type, name: str) -> type:
    """Return the class, unless what it would get comes before something that an heir has of another base class, or is
    in place of a tensor's state."""
    if is_tensors_state(cls, name):
        raise AttributeError(f"'{name}' of a tensor can't be replaced in GradViz snippets; choose another name")
    for heir in heirs(cls):
        if private_of(heir, name):
            raise AttributeError(f"'{name}' belongs to a base class of {heir.__name__} in GradViz snippets")
    return cls


def _shut_door(thing: object) -> NoReturn:
    raise AttributeError(f"'{type(thing).__name__}' object gives NumPy no memory")


class _Formatter(string.Formatter):
    """`str.format` whose field names read attributes through the guard."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> object:
        import _string  # type: ignore[import-not-found]

        first, rest = _string.formatter_field_name_split(field_name)
        if type(first) is int and first >= len(args):
            raise IndexError(f"Replacement index {first} out of range for positional args tuple")
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = self._guard.getattr(value, key) if is_attribute else value[key]
        return value, first


class Guard:
    """The hooks of one run."""

    def __init__(self, changeable: tuple[type, ...]) -> None:
        self._changeable = changeable
        self._own: set[type] = set()
        self.frozen: weakref.WeakSet[Callable[..., None]] = weakref.WeakSet()  # what refuses to set attributes
        self.globals: dict[str, Any] = {}
        self.tables: weakref.WeakSet[type] = weakref.WeakSet()  # what globals() returns, one for each table of names
        self.of_classes: dict[str, object] = {}  # the hooks of `classes`
        self.compiler: Callable[[str, str, str], types.CodeType]  # the text, its file and its package
        self.classes: Maker
        self.identities = Identities(self.wrote)
        self._formatter = _Formatter(self)
        self.plain_bases: tuple[type, ...] = (object, types.SimpleNamespace)  # without anything of GradViz's own

    def hooks(self) -> dict[str, object]:
        """Return the names that `Rewriter` calls."""
        hooks: dict[str, object] = {"<get>": self.get, "<getattr>": self.getattr, "<write>": self.write}
        hooks |= {"<super>": super_of(self), "<vars>": self.vars, "<class>": plain_type, "<absent>": Absent}
        hooks |= {"<dict>": dict, "<deletable>": deletable}
        hooks["<entry>"], hooks["<code>"] = check_arguments, functools.partial(code_of, self)
        hooks["<getter>"] = functools.partial(getter_of, self)
        hooks["<setter>"] = functools.partial(setter_of, self)
        return hooks | {"<restorer>": functools.partial(restorer_of, self)} | self.of_classes

    def adopt(self, made: type) -> type:
        """Register a class as made by the snippet; NumPy does not ask its objects for an address, and its constructor
        checks its arguments as a function of the snippet does."""
        for name in _NUMPY_DOORS:
            if not hasattr(made, name):
                setattr(made, name, property(_shut_door))
        self.identities.dress(made)
        for name in _MAKING if type(made) in ORDINARY else ():
            given = getattr(vars(made).get(name), "__func__", vars(made).get(name))
            if type(given) is types.FunctionType and not self.wrote(given):  # made by @dataclass or namedtuple
                type.__setattr__(made, name, staticmethod(looking(given)) if name == "__new__" else looking(given))
        remember(made)
        self._own.add(made)
        return made

    def owns(self, thing: object) -> bool:
        """Whether `thing` is a class of the snippet or an instance of one."""
        return thing in self._own if isinstance(thing, type) else type(thing) in self._own

    def wrote(self, thing: object) -> bool:
        """Whether `thing` is a function of the snippet, of one of its own modules or of a text that it runs: these have
        the hooks of this guard among their globals."""
        return type(thing) is types.FunctionType and thing.__globals__.get("<get>") == self.get

    # --- reading ---

    def get(self, thing: object, name: str) -> Any:
        """Return `thing.name` for names that are read through a hook."""
        subject = super.__getattribute__(thing, "__self__") if type(thing) is super else thing
        if name in ("format", "format_map") and (isinstance(subject, str) or self._is_str_class(subject)):
            return self._format(subject, name)
        if self.is_closed(subject, name):
            raise AttributeError(f"'{type(subject).__name__}' object has no attribute '{name}'")
        if name == "__init__":
            return self._initializer(thing, subject)
        if name.startswith("_") and not is_dunder(name):
            self._check_private(thing, name)
        value = getattr(thing, name)
        if name == "__hash__" and callable(value):
            return self.identities.telling(value)
        foreign = isinstance(thing, self._changeable) or not self.owns(thing)
        if type(value) in _TABLES and name in _OPEN_PRIVATE and foreign:
            return _table(value, _REGISTERED.get(name))
        if type(value) is types.MappingProxyType:
            return types.MappingProxyType(value.copy())
        if isinstance(value, _NEVER) or value is type:
            raise AttributeError(f"'{name}' is private to GradViz")
        return value

    def is_closed(self, thing: object, name: str) -> bool:
        """Whether an attribute that Python would return is hidden from a snippet."""
        if isinstance(thing, _FORWARDING):  # the attribute it forwards to would be read without a check
            return name in HOOKED_ATTRIBUTES or name in NUMPY_ATTRIBUTES
        if name == "register":  # it tells all runs what an abstract class is
            return isinstance(thing, abc.ABCMeta)
        if name in NUMPY_ATTRIBUTES and is_numpys_own(thing):
            return True
        if name == "mapping":  # of a view, the table behind it, which a comparison gets
            return isinstance(thing, _VIEWS)
        if name == "obj":
            return isinstance(thing, BaseException) or (isinstance(thing, type) and issubclass(thing, BaseException))
        return self._is_engines(thing, name)

    def _is_engines(self, thing: object, name: str) -> bool:
        """Whether the engine keeps something internal under this public name."""
        cls = thing if isinstance(thing, type) else type(thing)
        if not is_engines_name(cls, name):
            return False
        made_here = [base for base in cls.__mro__ if base in self._own and name in vars(base)]
        return all(name == "row" and issubclass(base, Function) for base in made_here)  # the engine sets it there

    def _initializer(self, thing: object, subject: object) -> object:
        """Return `__init__` unless it would initialize again what all runs share: typing's forms, one of PyTorch's
        constraints."""
        value = beginning(getattr(thing, "__init__"))  # noqa: B009 of an object
        if not isinstance(subject, type):
            self._check_initialized(subject)
            return value
        if self.wrote(value):
            return value

        def initialize(each: object, /, *args: object, **keywords: object) -> None:
            self._check_initialized(each)
            if not isinstance(each, subject):  # it would be filled with what the class keeps internally
                raise TypeError(f"expected a '{subject.__name__}', not '{type(each).__name__}'")
            value(each, *args, **keywords)

        return functools.update_wrapper(initialize, value, updated=())

    def _check_initialized(self, thing: object) -> None:
        if not self.owns(thing) and not isinstance(thing, (*self._changeable, _Unbound)):
            raise TypeError(f"'{type(thing).__name__}' objects can't be initialized again in GradViz snippets")

    def super(self, cls: object, thing: object = _MISSING) -> _Unbound | super:
        """The snippet's super() with arguments: for its own classes, which have nothing to hide from it."""
        if thing is _MISSING and self.owns(cls):
            return _Unbound()
        if thing is _MISSING or not self.owns(thing):
            raise TypeError("super() with arguments works on classes of the snippet and their objects")
        return super(cls, thing)

    def getattr(self, thing: Any, name: Any, default: object = _MISSING) -> Any:
        """The snippet's getattr."""
        self._check_name(name)
        try:
            return self.get(thing, OWN_NAMES.get(name, name))
        except AttributeError:
            if default is _MISSING:
                raise
            return default

    def hasattr(self, thing: object, name: object) -> bool:
        """The snippet's hasattr."""
        absent = object()
        return self.getattr(thing, name, absent) is not absent

    def _check_name(self, name: object) -> None:
        if type(name) is not str:
            raise TypeError("attribute name must be string")
        if name in FORBIDDEN_ATTRIBUTES or (is_dunder(name) and name not in READABLE_DUNDERS):
            raise AttributeError(f"the attribute '{name}' is not {HERE}")

    def _check_private(self, thing: object, name: str) -> None:
        bases = bases_of(thing)
        if type(thing) is super:
            thing = super.__getattribute__(thing, "__self__")
        cls = thing if isinstance(thing, type) else type(thing)
        if name == OWN_NAMES[MEMORY] and issubclass(cls, Tensor):
            raise AttributeError(f"'{cls.__name__}' object has no attribute '{MEMORY}'")
        theirs = self._is_engine_state(cls, name) or self._is_inherited(thing, bases, name)
        if cls in self._own and not theirs:
            return
        if name in _OPEN_PRIVATE or name.startswith(_OPEN_PREFIXES):
            return
        if isinstance(thing, FunctionCtx | Tensor) and not hasattr(cls, name):
            return  # the snippet's own data
        if isinstance(thing, StandIn) and name in vars(cls):
            return  # torch.optim.lr_scheduler._LRScheduler: allowed by list, like its other names
        raise _refusal(thing, f"'{cls.__name__}' object has no attribute '{name}'")

    @staticmethod
    def _is_engine_state(cls: type, name: str) -> bool:
        """Whether this private name belongs to the engine's part of a tensor or node from which the snippet derives."""
        kinds = [raw for raw in (Tensor, Node, Function) if issubclass(cls, raw)]
        kinds += [FunctionCtx] if issubclass(cls, Function) else []  # to which an object of it forwards
        return any(hasattr(raw, name) or name in raw.__annotations__ for raw in kinds)

    def _is_inherited(self, thing: object, bases: Sequence[type], name: str) -> bool:
        """Whether this private name belongs to a base class that the snippet did not make.
        Methods that PyTorch lacks would calculate with NumPy's arrays and take names of attributes."""
        for base in bases:
            if name in vars(base):
                if base in self._own or name in PYTORCHS_METHODS:
                    return False
                return not base.__module__.startswith(_PYTORCHS) or isinstance(vars(base)[name], _METHODS)
        return isinstance(thing, type) and hasattr(type(thing), name)

    @staticmethod
    def _is_str_class(thing: object) -> bool:
        return isinstance(thing, type) and issubclass(thing, str)

    def _format(self, thing: object, which: str) -> Callable[..., str]:
        vformat = self._formatter.vformat
        if isinstance(thing, type):  # str.format("{}", x)
            return lambda text, *args, **kwargs: self._format(text, which)(*args, **kwargs)
        if not isinstance(thing, str):
            raise TypeError(f"descriptor '{which}' requires a 'str' object")
        text = str.__str__(thing)
        if which == "format":
            return lambda *args, **kwargs: vformat(text, args, kwargs)
        return lambda mapping: vformat(text, (), mapping)

    def vars(self, *things: object) -> Attributes:
        """The snippet's vars(x) and x.__dict__."""
        return attributes_of(self, *things)

    def dir(self, *things: object) -> list[str]:
        """The snippet's dir(x): the names that it may read."""
        (thing,) = things
        names = dir(type(thing)) if isinstance(thing, StandIn) else dir(thing)
        hidden = FORBIDDEN_ATTRIBUTES | NUMPY_ATTRIBUTES | HOOKED_ATTRIBUTES
        shown = [name for name in names if not name.startswith("_") or name.startswith(_OPEN_PREFIXES)]
        return sorted(str.__str__(name) for name in shown if name not in hidden)

    # --- writing ---

    def write(self, thing: Any, name: str) -> Any:
        """Return `thing` if its attribute `name` may be assigned or deleted."""
        if is_dunder(name) or name == MEMORY:  # for which what the snippet writes is another name
            raise AttributeError(f"'{name}' can't be assigned to in GradViz snippets")
        cls = type(thing)
        if name.startswith("_"):
            self._check_private(thing, name)
            if name in _OPEN_PRIVATE and isinstance(thing, self._changeable) and is_kept(self, cls, name):
                raise AttributeError(f"'{name}' of a '{cls.__name__}' can be read in GradViz snippets, not replaced")
        if self.owns(thing) and self._is_engines(thing, name):  # `x.saved += y` also reads it
            raise AttributeError(f"'{name}' belongs to GradViz here; choose another name")
        if meets_arrays(thing if isinstance(thing, type) else cls, name):
            raise AttributeError(f"the method '{name}' can't be replaced in GradViz snippets; choose another name")
        if isinstance(thing, type):
            if thing in self._own:
                return _unclaimed(thing, name)
            raise AttributeError(f"'{thing.__name__}' belongs to GradViz and can't be changed")
        if cls in self._own or isinstance(thing, StandIn) or self.wrote(thing) or is_settable(cls, name):
            return thing  # a stand-in refuses with its own message
        if isinstance(thing, Node) and hasattr(Node, name):
            raise AttributeError(f"'{name}' on a '{cls.__name__}' belongs to GradViz; choose another name")
        if isinstance(thing, self._changeable) and not self.is_closed(thing, name):
            return thing
        if (name == "shape" and REAL.get(cls) is np.ndarray) or (name == "columns" and cls in IN):  # of a table
            return thing
        raise _refusal(thing, f"the attributes of '{cls.__name__}' objects can't be changed in GradViz snippets")

    def setattr(self, thing: Any, name: Any, value: object) -> None:
        """The snippet's setattr."""
        self._check_name(name)
        name = OWN_NAMES.get(name, name)
        setattr(self.write(thing, name), name, value)

    def delattr(self, thing: object, name: Any) -> None:
        """The snippet's delattr."""
        self._check_name(name)
        name = OWN_NAMES.get(name, name)
        delattr(self.write(deletable(thing, name), name), name)


def own_names(names: dict[str, object]) -> dict[str, object]:
    """Return a copy of a namespace with only the names that the snippet defined."""
    return {name: value for name, value in names.items() if "<" not in name and not is_dunder(name)}
