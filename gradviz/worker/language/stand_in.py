"""Objects that stand for modules, and for `type`: names with nothing behind them that a snippet could follow or
change."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from gradviz.worker.language.absent import is_known, removed, sentence_of
from gradviz.worker.objects.arguments import is_numpys_own, keep_methods, keep_offered


class StandIn:
    """What `import x` gives: an immutable object with the names of a module."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the module {type(self).__name__} belongs to GradViz and can't be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the module {type(self).__name__} belongs to GradViz and can't be changed")

    def __getattr__(self, name: str) -> NoReturn:
        module = type(self).__name__
        if is_known(module, name):
            raise AttributeError(sentence_of(f"{module}.{name}"))
        raise AttributeError(removed(module, name) or f"module '{module}' has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<module '{type(self).__name__}'>"

    def __copy__(self) -> StandIn:
        return self

    def __deepcopy__(self, memo: object) -> StandIn:
        return self


def stand_in(name: str, names: Mapping[str, object]) -> StandIn:
    """Return a stand-in for module `name` with these public names."""
    names = {key: _without_generator(value) for key, value in names.items()}
    for value in names.values():
        keep_offered(value)
        if type(value) is types.FunctionType and "<locals>" in value.__qualname__:
            value.__qualname__ = value.__name__  # these appear in Python's errors
    fixed = {
        key: staticmethod(value) if callable(value) and not isinstance(value, type) else value
        for key, value in names.items()
    }
    made: type[StandIn] = type(name, (StandIn,), {"__slots__": (), "__name__": name, **fixed})
    return made()


_OF_GENERATORS = contextlib.contextmanager(iter).__code__  # of every function that it makes


@keep_methods
class Context:
    """What a function made by `contextmanager` returns, without the generator and the arguments that it holds."""

    __slots__ = ("_inner", "_make")

    def __init__(self, make: Callable[[], AbstractContextManager[object]]) -> None:
        self._make, self._inner = make, make()

    def __enter__(self) -> object:
        return self._inner.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> object:
        return self._inner.__exit__(kind, error, trace)

    def __call__(self, function: Callable[..., object]) -> Callable[..., object]:
        make = self._make

        @functools.wraps(function)
        def call(*given: object, **named: object) -> object:
            with make():
                return function(*given, **named)

        return call


Context.__name__ = Context.__qualname__ = "_GeneratorContextManager"
Context.__module__ = "contextlib"


def _without_generator(value: object) -> object:
    if type(value) is not types.FunctionType or value.__code__ is not _OF_GENERATORS:
        return value

    @functools.wraps(value)
    def made(*given: object, **named: object) -> Context:
        return Context(functools.partial(value, *given, **named))

    return made


class _OneArgumentType(type):
    """Only `type(x)`; the real `type` makes classes."""

    def __call__(cls, value: object, *more: object) -> Any:
        if more:
            raise TypeError("type() with three arguments is not available in GradViz snippets")
        found = type(value)
        if is_numpys_own(found):  # it would make an array over any memory
            raise TypeError("the type of an object that belongs to GradViz is not available in GradViz snippets")
        if found is super:
            return plain_super
        if found is types.GenericAlias:
            return plain_alias
        return plain_type if found is type or issubclass(found, type) else found

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, type)

    def __eq__(cls, other: object) -> bool:
        return other is type or cls is other

    def __hash__(cls) -> int:
        return type.__hash__(cls)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class _TypeInBrackets:
    """What `type[int]` is made of: calling the real one would leave a mark on the class that it returns, which all runs
    share."""

    def __new__(cls, *given: object) -> NoReturn:
        raise TypeError("type[...] can't be called; write type()")


_TypeInBrackets.__name__ = _TypeInBrackets.__qualname__ = "type"
_TypeInBrackets.__module__ = "builtins"


class plain_type(metaclass=_OneArgumentType):
    """Return the snippet's `type`."""

    __slots__ = ()

    def __class_getitem__(cls, item: object) -> types.GenericAlias:
        return types.GenericAlias(_TypeInBrackets, (item,))


plain_type.__name__ = plain_type.__qualname__ = "type"


class _AliasType(type):
    """Refuses calls: the real one takes any function, and leaves a mark on whatever that returns."""

    def __call__(cls, *given: object) -> NoReturn:
        raise TypeError("write the type in brackets itself")

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, types.GenericAlias)

    def __repr__(cls) -> str:
        return "<class 'types.GenericAlias'>"


class plain_alias(metaclass=_AliasType):
    """Return the snippet's `type(list[int])`."""

    __slots__ = ()


plain_alias.__name__ = plain_alias.__qualname__ = "GenericAlias"
plain_alias.__module__ = "types"


def plain_super(*arguments: object) -> NoReturn:
    """Return the snippet's `type(super())`."""
    raise TypeError("write super() itself")
