"""Class patterns: `case Person(name=n)`.

Python reads the attributes of such a pattern itself, and there is no room for a hook. Most names need none. For one
that is read through a hook elsewhere, because it may be something else in an object of GradViz's or Python's, the
pattern gets a stand-in of its class (`policy.Rewriter`): it has no instances where the attribute is not for a snippet,
so the pattern doesn't match there, as if the object had none. Next: `guard`, whose rules these are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.worker.language.guard import is_engines_name
from gradviz.worker.policy_names import PYTHON_ATTRIBUTES

if TYPE_CHECKING:
    from gradviz.worker.language.guard import Guard

# a pattern of one of these, or of a class derived from it, takes the object itself by its first place
_TAKEN_WHOLE = (bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class _Pattern(type):
    """The kind of the stand-ins."""

    guard: Guard
    of: type
    names: tuple[str, ...]

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls.of) and all(_is_shown(cls.guard, thing, name) for name in cls.names)

    @property
    def __match_args__(cls) -> object:
        return getattr(cls.of, "__match_args__")  # noqa: B009 an AttributeError of its own would be about a stand-in


def _is_shown(guard: Guard, thing: object, name: str) -> bool:
    """Whether Python may read this attribute past the hooks. What the snippet has in place of an engine's name does not
    count: a method of the snippet may take it away before the attribute is read."""
    cls = thing if isinstance(thing, type) else type(thing)
    is_pythons = name in PYTHON_ATTRIBUTES and (issubclass(cls, str) or not guard.owns(thing))
    return not (is_pythons or is_engines_name(cls, name) or guard.is_closed(thing, name))


class Patterns:
    """The hook, and what it has made: `<pattern>(A, key, name)` makes what is then `<pattern>.key`. No variable of the
    snippet holds a stand-in: in the body of a class, that would be an attribute of it."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._of: dict[str, object] = {}  # what each was made for the last time: in a loop mostly the same

    def __call__(self, of: object, key: str, *names: str) -> None:
        """Make what stands for a class in a pattern that reads these names; what is no class is there unchanged."""
        if key not in self._of or self._of[key] is not of:
            self._of[key] = of
            self.__dict__[key] = self._made(of, names) if isinstance(of, type) else of

    def _made(self, of: type, names: tuple[str, ...]) -> type:
        base = next((each for each in _TAKEN_WHOLE if issubclass(of, each)), object)
        made = _Pattern(of.__name__, (base,), {})
        made.guard, made.of, made.names = self._guard, of, names
        return made
