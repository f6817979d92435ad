"""What a snippet knows of its own classes and functions: `A.__bases__`, `A.__mro__`, `A.__subclasses__`, annotations, the
function inside a wrapper; and what `super().__new__` and `super().__init_subclass__` do for them. Of a class that is not the
snippet's nothing is told. The hooks are in `guard`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol


class Owner(Protocol):
    """What is asked of the guard."""

    def owns(self, thing: object) -> bool:
        """Whether `thing` is the snippet's."""

    def wrote(self, thing: object) -> bool:
        """Whether `thing` is a function of the snippet."""

    def is_plain(self, cls: type) -> bool:
        """Whether a class has nothing of GradViz's own."""

    def tell_of(self, made: type, after: type, **named: object) -> None:
        """Call the snippet's `__init_subclass__` that is next after a class in the order of a new one."""


def _own_class(guard: Owner, thing: object, name: str) -> type:
    if not isinstance(thing, type) or not guard.owns(thing):
        raise AttributeError(f"'{name}' can be read of classes of the snippet only, in GradViz snippets")
    return thing


def bases_of(guard: Owner, thing: object) -> tuple[type, ...]:
    """Return the snippet's A.__bases__: what it wrote itself in the `class` statement."""
    return _own_class(guard, thing, "__bases__").__bases__


def order_of(guard: Owner, thing: object) -> tuple[type, ...]:
    """Return the snippet's A.__mro__: its own classes, and of others those that it derives from by name."""
    classes = _own_class(guard, thing, "__mro__").__mro__
    named = {base for each in classes if guard.owns(each) for base in each.__bases__}
    return tuple(each for each in classes if guard.owns(each) or each in named or each is object)


def subclasses_of(guard: Owner, thing: object) -> Callable[[], list[type]]:
    """Return the snippet's A.__subclasses__, which finds its own ones."""
    own = _own_class(guard, thing, "__subclasses__")
    found: Callable[[type], list[type]] = type.__subclasses__
    return lambda: [each for each in found(own) if guard.owns(each)]


def annotations_of(guard: Owner, thing: object) -> dict[str, Any]:
    """Return a copy of the snippet's A.__annotations__ or f.__annotations__."""
    if guard.wrote(thing):
        return dict(thing.__annotations__)
    own = _own_class(guard, thing if isinstance(thing, type) else type(thing), "__annotations__")
    return dict(own.__annotations__)


_NEW = [kind.__new__ for kind in (object, int, float, tuple)]


def maker_of(guard: Owner, thing: object) -> Callable[..., object]:
    """Return the snippet's super().__new__, A.__new__ or object.__new__, for its own classes that derive from nothing
    of GradViz's."""

    def make(cls: object, *given: object, **named: object) -> object:
        if not isinstance(cls, type) or not guard.owns(cls) or not guard.is_plain(cls):
            raise TypeError("__new__ makes objects of plain classes of the snippet only, in GradViz snippets")
        found: Any = super.__getattribute__(thing, "__new__") if type(thing) is super else getattr(thing, "__new__", 0)
        if not (guard.wrote(found) or found in _NEW):
            raise TypeError("this __new__ is not available in GradViz snippets")
        return found(cls, *given, **named)

    return make


def subclassed_by(guard: Owner, thing: object) -> Callable[..., None]:
    """Return the snippet's super().__init_subclass__: what the next of its own classes does with a new subclass."""
    if type(thing) is not super:
        raise AttributeError("'__init_subclass__' can be read of super() only, in GradViz snippets")
    made = super.__getattribute__(thing, "__self__")
    return functools.partial(guard.tell_of, made, super.__getattribute__(thing, "__thisclass__"))


def wrapped_by(guard: Owner, thing: object) -> object:
    """Return the snippet's f.__wrapped__: the function of its own that a wrapper around it remembers."""
    found = getattr(thing, "__wrapped__", None)
    if not guard.wrote(found):
        raise AttributeError(f"'{type(thing).__name__}' object has no attribute '__wrapped__'")
    return found


OF_ITS_OWN: dict[str, Callable[[Any, object], object]] = {
    **{"<bases>": bases_of, "<order>": order_of, "<subclasses>": subclasses_of, "<annotations>": annotations_of},
    **{"<wrapped>": wrapped_by, "<maker>": maker_of, "<subclassed>": subclassed_by},
}
