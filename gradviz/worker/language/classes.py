"""The snippet's `class` statement: which bases it may have and what the finished class may hold.

Metaclasses run unchecked code, so every class has the plain one, or that of `enumerations`; NamedTuple has a restricted
form.

NumPy and the engine calculate with what they are given: a learning rate of a user-defined class is multiplied with one
of NumPy's own arrays, or compared with one. So a method that Python calls with an operand gets the stand-in instead."""

from __future__ import annotations

import builtins
import collections
import functools
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from gradviz.engine.kernel.graph import Node
from gradviz.engine.kernel.tensor import ORDINARY, Tensor
from gradviz.engine.run.function import Function
from gradviz.engine.run.overrides import disabled
from gradviz.torch.optim.optimizer import Optimizer
from gradviz.worker.language.absent import Absent, error_of
from gradviz.worker.language.enumerations import EnumForm, make_enum
from gradviz.worker.language.guard import (
    WITH_ARRAYS,
    Guard,
    bases_of,
    is_engines_name,
    is_tensors_state,
    meets_arrays,
)
from gradviz.worker.language.patterns import Patterns
from gradviz.worker.objects.arguments import is_offered, private_of
from gradviz.worker.objects.kept_memory import comparing, keeping, method_of
from gradviz.worker.objects.numpy_boundary import PLAIN, to_snippet
from gradviz.worker.policy_names import (
    CLASS_FURNITURE,
    DEFINABLE_DUNDERS,
    FORBIDDEN_ATTRIBUTES,
    HERE,
    HOOKED_ATTRIBUTES,
    MEMORY,
    OWN_DUNDERS,
    is_dunder,
)

# --- operators ---

_COMPARISONS = frozenset("__eq__ __ne__ __lt__ __le__ __gt__ __ge__".split())
_WITHOUT_OPERAND = frozenset(
    """ __init__ __call__ __len__ __iter__ __next__ __reversed__ __repr__ __str__ __format__ __enter__ __exit__ __hash__
    __bool__ __float__ __int__ __index__ __complex__ __neg__ __pos__ __abs__ __invert__ __copy__ __post_init__ __slots__
    __match_args__ __constants__ __torch_function__ """.split()
)
_OPERATORS = DEFINABLE_DUNDERS - OWN_DUNDERS - _WITHOUT_OPERAND


def guarded_operators(names: Any) -> dict[str, object]:
    """Return the operators among the names of a class, wrapped as they have to be."""
    operators = {name: value for name, value in names.items() if name in _OPERATORS}
    return {name: _guarded_as(name, value) for name, value in operators.items() if not _is_harmless(name, value)}


def _guarded_as(name: str, method: Any) -> Callable[..., object]:
    is_shorter = name == "__eq__" and type(method) is types.FunctionType  # what it lacks else is put on with the class
    return comparing(method, _met) if is_shorter else guarded(method)


def _is_harmless(name: str, value: object) -> bool:
    """Whether it is None, or one of Python's own comparisons, which keep nothing."""
    return value is None or (name in _COMPARISONS and isinstance(value, types.WrapperDescriptorType))


def guarded(method: Any) -> Callable[..., object]:
    """Return the method, called with stand-ins instead of NumPy's own objects."""
    bind = getattr(type(method), "__get__", None)

    def operate(self: object, *others: object, **named: object) -> object:
        call = method if bind is None else bind(method, self, type(self))
        return call(*map(_met, others), **{name: _met(value) for name, value in named.items()})

    def operate_plainly(self: object, *others: object, **named: object) -> object:
        return method(self, *map(_met, others), **{name: _met(value) for name, value in named.items()})

    plain = type(method) is types.FunctionType
    made = operate_plainly if plain else operate
    return functools.update_wrapper(made, method, updated=("__dict__",) if plain else ())


def _met(other: object) -> object:
    if isinstance(other, np.ndarray | np.generic):
        return to_snippet(other.copy())  # it may be the engine's own table
    if type(other) is tuple:  # of an index with several items
        return tuple(map(_met, other))
    return to_snippet(other) if isinstance(other, np.dtype) else other


_PYTORCHS = ("torch", "gradviz.engine", "gradviz.torch")
_BASES = (object, bool, bytearray, bytes, complex, dict, float, frozenset, int, list, set, str, tuple)
_ALIASES = (types.GenericAlias, type(typing.List[int]))  # noqa: UP006 the kind of Generic[T] and List[int]


class ClassMaker:
    """Makes the classes of one run, and tells the guard that they are the snippet's own."""

    def __init__(self, guard: Guard, bases: frozenset[type]) -> None:
        self._guard = guard
        self._bases = frozenset(_BASES) | bases
        self._welcomes: dict[type, Any] = {}  # what classes do with those that derive from them
        guard.of_classes = {"<welcome>": self._welcome_of, "<mro>": self._order_of, "<bases>": self._bases_of}
        guard.of_classes |= {"<maker>": self._maker_of, "<pattern>": Patterns(guard)}
        guard.classes = self
        self._never_bound: set[object] = set()

    def never_bind(self, found: Iterable[object]) -> None:
        """Take the functions among these for what they are in Python and PyTorch, built in: as an attribute of a class,
        none becomes a method."""
        self._never_bound.update(each for each in found if type(each) is types.FunctionType)

    def may_be_base(self, base: type) -> bool:
        """Whether the snippet may derive from a class that it did not define."""
        return base in self._bases or type(base) is EnumForm or issubclass(base, BaseException)

    def build_class(self, body: Any, name: str, *bases: object, **keywords: object) -> type:
        """Run the snippet's `class` statement."""
        metaclass = keywords.pop("metaclass", None)
        if metaclass is not None and metaclass is not ABSTRACT_META:
            raise TypeError(f"a metaclass is not {HERE}")
        if keywords and (keywords.keys() != {"total"} or TypedDictForm not in bases):
            raise TypeError(f"class keywords are not {HERE}")
        for base in bases:
            self._check_base(base)
        if bases == (TypedDictForm,):
            return self._typed_dict(body, name)
        if bases == (NamedTupleForm,):
            return self._named_tuple(body, name)
        if any(type(base) is EnumForm for base in bases):
            self._check_mixed(bases)
            made: type = make_enum(body, name, bases, self._finish, self._guard.getattr)
        else:
            made = builtins.__build_class__(body, name, *bases)
            if type(made) not in ORDINARY:
                raise TypeError(f"a metaclass is not {HERE}")
            if metaclass is not None:
                may_be_abstract(made)
            self._finish(made)
        self.welcome(made)
        return made

    def _finish(self, made: type) -> None:
        """Make a class one of the snippet's."""
        check_text(made)
        for key, value in list(vars(made).items()):
            if type(value) is types.FunctionType and value in self._never_bound:
                type.__setattr__(made, key, staticmethod(value))
        if issubclass(made, WITH_ARRAYS):
            self._check_alone(made)
        if issubclass(made, (Node, Function)):
            check_answering(made.__mro__)
        _move_restorer(made)
        self._move_welcome(made)
        self._check_maker(made)
        check_kept(self._guard, made)
        _check_finished(made)
        self._guard.adopt(made)
        check_patterns(self._guard, made)
        if issubclass(made, StopIteration):
            type.__setattr__(made, "__new__", staticmethod(_end_with_value))
        find_abstract(made)  # which reads attributes, and so may call the snippet

    def remake(self, made: type, names: dict[str, object]) -> type:
        """Return a class in place of this one, with these names instead."""
        other = type(made.__name__, made.__bases__, names)
        if made in self._welcomes:
            self._welcomes[other] = self._welcomes[made]
        return self._guard.adopt(other)

    def _move_welcome(self, made: type) -> None:
        """`__init_subclass__`, which Python would call on a class that nobody has looked at, is called when it is
        finished."""
        given = vars(made).get("__init_subclass__")
        if given is None:
            return
        if type(given) is not classmethod or not self._guard.wrote(given.__func__):
            raise TypeError("a class can't define '__init_subclass__' in GradViz snippets but by def")
        type.__delattr__(made, "__init_subclass__")
        self._welcomes[made] = given.__func__

    def welcome(self, made: type) -> None:
        """Call the `__init_subclass__` of the first base class that has one."""
        self._welcome(made, made)

    def _welcome(self, made: type, after: type, /, **keywords: object) -> None:
        """Call the `__init_subclass__` of the first base class behind `after` that has one."""
        bases = made.__mro__[made.__mro__.index(after) + 1 :]
        greet = next((self._welcomes[base] for base in bases if base in self._welcomes), None)
        if greet is not None:
            greet(made, **keywords)
        elif keywords:
            raise TypeError(f"{made.__name__}.__init_subclass__() takes no keyword arguments")

    def _welcome_of(self, thing: object) -> Callable[..., object]:
        """Return the snippet's super().__init_subclass__: what the next base class does with a new class."""
        made = super.__getattribute__(thing, "__self__") if type(thing) is super else None
        if not isinstance(made, type) or not self._guard.owns(made):
            raise AttributeError(f"the attribute '__init_subclass__' is not {HERE}")
        here = super.__getattribute__(thing, "__thisclass__")
        return lambda **keywords: self._welcome(made, here, **keywords)

    def _check_maker(self, made: type) -> None:
        """`__new__` of a class of tensors, which is to return one of its objects."""
        given = vars(made).get("__new__")
        if given is None:
            return
        if not issubclass(made, Tensor) or type(given) is not staticmethod or not self._guard.wrote(given.__func__):
            raise TypeError("a class can't define '__new__' in GradViz snippets but by def, and only one of tensors")
        type.__setattr__(made, "__new__", staticmethod(_making(given.__func__)))

    def _maker_of(self, thing: object) -> Callable[..., object]:
        """Return the snippet's super().__new__ and torch.Tensor.__new__: what makes an object of one of its classes of
        tensors from the data."""
        subject = super.__getattribute__(thing, "__self__") if type(thing) is super else thing
        if not isinstance(subject, type) or not issubclass(subject, Tensor):
            raise AttributeError(f"the attribute '__new__' is not {HERE}")
        make = next(vars(base)["__new__"].__func__ for base in bases_of(thing) if "__new__" in vars(base))

        def new(cls: object, /, *given: object, **named: object) -> object:
            if not isinstance(cls, type) or not issubclass(cls, Tensor) or not self._guard.owns(cls):
                raise TypeError("__new__ makes objects of a snippet's own classes of tensors")
            if make not in self._makers(cls):
                raise TypeError(f"{cls.__name__} is not derived from this class")
            return make(cls, *given, **named)

        return new

    def _makers(self, cls: type) -> Iterator[object]:
        """Yield each `__new__` of the snippet's for a class, and the first of PyTorch's, which sets all that it
        needs."""
        for base in cls.__mro__:
            if "__new__" in vars(base):
                yield vars(base)["__new__"].__func__
                if not self._guard.owns(base):
                    return

    def _named(self, name: str, thing: object) -> tuple[type, ...]:
        if not isinstance(thing, type) or not self._guard.owns(thing):
            raise AttributeError(f"the attribute '{name}' is not {HERE}")
        found: tuple[type, ...] = type.__getattribute__(thing, name)
        return tuple(each for each in found if self._guard.owns(each) or self.may_be_base(each))

    def _order_of(self, thing: object) -> tuple[type, ...]:
        """Return the snippet's C.__mro__ of a class of its own: those classes that it could have named itself."""
        return self._named("__mro__", thing)

    def _bases_of(self, thing: object) -> tuple[type, ...]:
        """Return the snippet's C.__bases__, likewise."""
        return self._named("__bases__", thing)

    def _named_tuple(self, body: Any, name: str) -> type:
        """`class Row(NamedTuple)`: the tuple's own code is generated from text whose names the policy has checked."""
        draft: type = builtins.__build_class__(body, name)
        _check_finished(draft)
        names = list(vars(draft).get("__annotations__", {}))
        given = [each for each in names if each in vars(draft)]
        if given != names[len(names) - len(given) :]:
            raise TypeError("Non-default namedtuple field cannot follow default field")
        defaults = [vars(draft)[each] for each in given]
        made: type = collections.namedtuple(name, names, defaults=defaults, module="__main__")  # type: ignore[misc]
        for key, value in vars(draft).items():
            if key not in names and (not is_dunder(key) or key in DEFINABLE_DUNDERS):
                setattr(made, key, value)
        return self._guard.adopt(made)

    def _typed_dict(self, body: Any, name: str) -> type:
        """`class Batch(TypedDict)`: calling it makes a plain dict."""
        made: type = builtins.__build_class__(body, name)
        _check_finished(made)
        made.__new__ = lambda cls, *args, **items: dict(*args, **items)  # type: ignore[method-assign,assignment]
        return self._guard.adopt(made)

    def _check_alone(self, made: type) -> None:
        """Refuse other bases beside a tensor or an optimizer: their own methods are called with arrays."""
        others = [base for base in made.__mro__[1:] if self._guard.owns(base) and not issubclass(base, WITH_ARRAYS)]
        if others:
            raise TypeError(f"{others[0].__name__} as another base class of a tensor or an optimizer is not {HERE}")

    def _check_mixed(self, bases: Iterable[object]) -> None:
        """Refuse classes beside an Enum whose methods are called with arrays."""
        for base in {each for given in bases for each in getattr(given, "__mro__", ())}:
            if type(base) is not EnumForm and (base.__module__.startswith(_PYTORCHS) or is_offered(base)):
                raise TypeError(f"{base.__name__} as another base class of an Enum is not {HERE}")

    def _check_base(self, base: object) -> None:
        if isinstance(base, Absent):
            raise error_of(base)
        if isinstance(base, _ALIASES):  # of Generic[T] or List[int], the part before the bracket
            base = getattr(base, "__origin__", None)
        known = isinstance(base, type) and (self._guard.owns(base) or self.may_be_base(base))
        if not known:
            label = getattr(base, "__name__", "this") if isinstance(base, type) else "this object"
            raise TypeError(f"{label} can't be a base class in GradViz snippets")


def _making(function: Callable[..., object]) -> Callable[..., object]:
    """Return what calls a `__new__` by def, without anything of NumPy's, and looks at what it has made."""

    def make(cls: type, /, *given: object, **named: object) -> object:
        found = function(cls, *map(_met, given), **{name: _met(value) for name, value in named.items()})
        if cls not in type(found).__mro__:
            raise TypeError(f"__new__() of {cls.__name__} has to return a {cls.__name__} in GradViz snippets")
        return found

    return functools.update_wrapper(make, function)


class NamedTupleForm:
    """Stands for `typing.NamedTuple` as a base class."""


class TypedDictForm:
    """Stands for `typing.TypedDict` as a base class."""


def may_be_abstract(cls: type) -> type:
    """Let a class, and all that derive from it, have abstract methods, as a class of ABCMeta may."""
    type.__setattr__(cls, "__abstractmethods__", frozenset())
    return cls


@may_be_abstract
class ProtocolForm:
    """Stands for `typing.Protocol` as a base class, without its metaclass."""

    def __class_getitem__(cls, item: object) -> types.GenericAlias:
        return types.GenericAlias(cls, item)


class AbstractMeta:
    """Stands for `abc.ABCMeta` in `class A(metaclass=ABCMeta)`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<class 'abc.ABCMeta'>"


ABSTRACT_META = AbstractMeta()


def _end_with_value(cls: type[StopIteration], *given: object, **named: object) -> StopIteration:
    """Return an end of an iterator that has a value: `yield from` takes it, also if the `__init__` of the class, or of
    another base class, sets none, and there Python's own code does not look whether there is one."""
    error = StopIteration.__new__(cls, *given)
    StopIteration.__init__(error, *given)
    return error


def _move_restorer(made: Any) -> None:
    """`__setstate__`, which Python would call on copies, is what an optimizer does when it has been loaded."""
    if "__setstate__" not in vars(made):
        return
    if not issubclass(made, Optimizer):
        raise TypeError("__setstate__ is for optimizers in GradViz snippets; leave it out")
    made._restored = vars(made)["__setstate__"]
    type.__delattr__(made, "__setstate__")


def _check_finished(made: type) -> None:
    """A second look at what a class body defined; the policy has already looked at its text. What Python, NumPy or the
    engine would use behind the snippet's back is replaced."""
    for key in vars(made):
        known = key in DEFINABLE_DUNDERS or key in CLASS_FURNITURE or key == "__getattr__"
        if is_dunder(key) and not known and not (key == "__new__" and issubclass(made, Tensor)):
            raise TypeError(f"a class can't define '{key}' in GradViz snippets")
    if MEMORY in vars(made) or MEMORY in vars(made).get("__annotations__", ()):
        raise TypeError(f"a class can't define '{MEMORY}' in GradViz snippets")
    _check_places(vars(made).get("__match_args__", ()))
    replaced = {**guarded_operators(dict(vars(made))), **_overriding(made), **_answering(made), **_overrides(made)}
    for key, method in replaced.items():
        type.__setattr__(made, key, method)
    if "__slots__" in vars(made):
        type.__setattr__(made, "__slots__", _plain_slots(made))


def _check_places(given: object) -> None:
    """The places of a class pattern: read as they are, past the hooks (`check_patterns` looks at public names)."""
    if type(given) is not tuple or not all(type(each) is str for each in given):
        raise TypeError("__match_args__ can only be a tuple of texts in GradViz snippets")
    private = next((each for each in given if each.startswith("_")), None)
    if private is not None:
        raise TypeError(f"a field can't be called '{private}' in GradViz snippets")


def _overriding(made: type) -> dict[str, Any]:
    """What is called in place of PyTorch's own methods, as it is to be; a tensor's own state has no other place."""
    found = {}
    for key, value in vars(made).items():
        if issubclass(made, Tensor) and key.startswith("_") and not is_dunder(key) and hasattr(Tensor, key):
            raise TypeError(f"a class can't define '{key}' in GradViz snippets")
        if is_tensors_state(made, key):
            raise TypeError(f"a class can't define '{key}' of a tensor in GradViz snippets; choose another name")
        if not is_dunder(key) and meets_arrays(made, key):
            if type(value) is not types.FunctionType:
                raise TypeError(f"the method '{key}' can only be defined by def in GradViz snippets")
            found[key] = guarded(value)
    return found


def _overrides(made: type) -> dict[str, object]:
    """`__torch_function__` is asked with what functions are called with, by the engine, too."""
    given = vars(made).get("__torch_function__")
    kind = type(given)
    if given is None or given is disabled or (kind is staticmethod and given.__func__ is disabled):
        return {}
    function = given.__func__ if kind in (staticmethod, classmethod) else given
    if type(function) is not types.FunctionType:
        raise TypeError("'__torch_function__' can only be defined by def in GradViz snippets")

    at = 0 if kind is staticmethod else 1  # where it gets the function
    in_search = keeping(function)

    def asked(*given: object, **named: object) -> object:
        answer = in_search if _is_in_search(given[at : at + 1]) else function
        return answer(*map(_met_within, given), **{name: _met_within(value) for name, value in named.items()})

    functools.update_wrapper(asked, function)
    return {"__torch_function__": kind(asked) if kind in (staticmethod, classmethod) else asked}


_IN_SEARCHES = ("__eq__", "eq", "__bool__")


def _is_in_search(functions: tuple[object, ...]) -> bool:
    """Whether a class is asked what Python asks a tensor in the middle of a search."""
    return any(type(each) is types.FunctionType and each.__name__ in _IN_SEARCHES for each in functions)


def _met_within(value: object) -> object:
    if type(value) is tuple or type(value) is list:
        return type(value)(map(_met_within, value))
    if type(value) is dict:
        return {name: _met_within(each) for name, each in value.items()}
    return _met(value)


_METHODS = (types.FunctionType, staticmethod, classmethod)


def check_kept(guard: Guard, made: type) -> None:
    """Refuse what takes the place of something that a base class has under a private name, where it keeps NumPy's own
    arrays and passes them on: but a method by def, which looks at its arguments, and a plain value for another."""
    own = [made, *(base for base in made.__mro__ if guard.owns(base))]  # one that stands beside it comes first
    for name, value in [pair for each in own for pair in vars(each).items()]:
        for theirs in private_of(made, name):
            is_method = type(theirs) in _METHODS and guard.wrote(value)
            if not is_method and not {type(theirs), type(value)} <= PLAIN:
                raise TypeError(f"'{name}' belongs to a base class in GradViz snippets; choose another name")


def _answering(made: type) -> dict[str, object]:
    """`__getattr__` is asked for public names only: those with an underscore are what Python, NumPy and PyTorch's part
    of a class look for, and a base class answers for its own."""
    given = vars(made).get("__getattr__")
    if given is None:
        return {}
    if type(given) is not types.FunctionType or issubclass(made, (*WITH_ARRAYS, Node, Function)):
        raise TypeError("a class can't define '__getattr__' in GradViz snippets but by def, and no tensor's can")

    def answer(self: Any, name: str) -> object:
        if not name.startswith("_"):
            return given(self, name)
        here = next((each for each in type(self).__mro__ if vars(each).get("__getattr__") is answer), object)
        base = getattr(super(here, self), "__getattr__", None)  # @dataclass with slots has made the class anew
        if base is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return base(name)

    return {"__getattr__": functools.update_wrapper(answer, given)}


def check_answering(bases: Iterable[type]) -> None:
    """Raise TypeError if one of the base classes answers for attributes that are not there: of an Enum or a Function,
    Python and the engine ask for others than the snippet does."""
    for base in bases:
        if "__getattr__" in vars(base) and not issubclass(base, (Node, Function)):
            raise TypeError(f"{base.__name__}, which defines __getattr__, as another base class is not {HERE}")


def _plain_slots(made: type) -> object:
    """The names of the slots: `copy` reads them again, and reads and sets attributes of these names."""
    given = vars(made)["__slots__"]
    if type(given) in (list, tuple) and all(type(each) is str for each in given):
        return tuple(given)
    return tuple(name for name, value in vars(made).items() if isinstance(value, types.MemberDescriptorType))


def check_text(made: type, compares: bool = False) -> None:
    """A text is equal to its letters only: else a name would be another one when it is looked up than when the guard,
    or the engine, looked at it. `compares` is for a class that is about to get methods of its own."""
    own = [name for name in ("__eq__", "__hash__") if method_of(made, name) is not vars(str)[name]]
    if issubclass(made, str) and (compares or own):
        raise TypeError(f"a class of texts with an __eq__ or __hash__ of its own is not {HERE}")


def check_patterns(guard: Guard, made: type, fields: Iterable[str] = ()) -> None:
    """No class whose pattern `case A(x)`, or whose `__init__` by @dataclass, reaches past the guard what a class of
    GradViz's or Python's keeps under that name. `fields` are those to come: what @dataclass does can't be undone."""
    names = {name for base in made.__mro__ for name in vars(base).get("__match_args__", ())}
    names.update(fields)
    names.update(name for base in made.__mro__ for name in vars(base).get("__dataclass_fields__", ()))
    for name in names:
        guarded = name.startswith("_") or name in HOOKED_ATTRIBUTES or name in FORBIDDEN_ATTRIBUTES
        theirs = is_engines_name(made, name) or any(
            _may_hold(base, name) for base in made.__mro__ if not guard.owns(base)
        )
        if guarded and theirs:
            raise TypeError(f"a field can't be called '{name}' in GradViz snippets")


def _may_hold(base: type, name: str) -> bool:
    """Whether objects of a class that the snippet did not make may keep something of their own under a name."""
    return name in vars(base) or (name.startswith("_") and base.__module__.split(".")[0] in ("torch", "gradviz"))


def add_methods(made: type, names: dict[str, Any]) -> None:
    """Give a finished class more names, as if its statement had had them."""
    for name, value in {**names, **guarded_operators(names)}.items():
        type.__setattr__(made, name, value)


def find_abstract(made: type) -> None:
    """What ABCMeta does: a class with abstract methods can't be instantiated."""
    if not any("__abstractmethods__" in vars(base) for base in made.__mro__):
        return
    inherited = {name for base in made.__bases__ for name in getattr(base, "__abstractmethods__", ())}
    own = {name for name, value in vars(made).items() if getattr(value, "__isabstractmethod__", False) is True}
    left = own | {
        name for name in inherited if getattr(getattr(made, name, None), "__isabstractmethod__", False) is True
    }
    made.__abstractmethods__ = frozenset(left)  # type: ignore[attr-defined]
