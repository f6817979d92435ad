"""`vars(x)` and `x.__dict__` of a snippet: the attributes of an object of its own, looked at and set through the guard.

Only objects whose classes are all the snippet's (or a namespace) have them: nothing of PyTorch's or Python's lies in
there. Next: `guard`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Protocol


class Owner(Protocol):
    """What is needed of the guard."""

    plain_bases: tuple[type, ...]

    def owns(self, thing: object) -> bool:
        """Whether it is the snippet's."""

    def setattr(self, thing: Any, name: Any, value: Any) -> None:
        """The snippet's setattr."""


class Attributes(dict[str, Any]):
    """A copy of an object's attributes; what is put in is set on the object."""

    __slots__ = ("_put",)

    def __init__(self, names: dict[str, Any], put: Callable[[str, Any], None]) -> None:
        super().__init__(names)
        self._put = put

    def __setitem__(self, name: str, value: Any) -> None:
        self._put(name, value)
        dict.__setitem__(self, name, value)

    def update(self, *given: Any, **named: Any) -> None:
        """Set several attributes."""
        for name, value in dict(*given, **named).items():
            self[name] = value

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))  # a copy is a plain dict

    def _refused(self, *given: object, **more: object) -> NoReturn:
        raise TypeError("attributes can't be taken out this way in GradViz snippets; write del x.name")

    __delitem__ = __ior__ = setdefault = pop = popitem = clear = _refused


def attributes_of(guard: Owner, *things: Any) -> Attributes:
    """What `vars(thing)` gives; raises TypeError where there is nothing to look at."""
    (thing,) = things if len(things) == 1 else (None,)
    bases = (int,) if isinstance(thing, type) else type(thing).__mro__
    if not all(base in guard.plain_bases or guard.owns(base) for base in bases) or not hasattr(thing, "__dict__"):
        raise TypeError(
            "__dict__ of this object is not available in GradViz snippets; name the attributes that you need"
        )
    return Attributes(object.__getattribute__(thing, "__dict__"), lambda name, value: guard.setattr(thing, name, value))
