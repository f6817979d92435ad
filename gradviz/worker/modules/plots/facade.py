"""What the objects that a snippet gets from `matplotlib` have in common: the snippet can't create, change or explore
them; what only concerns the style is accepted silently, and what is not drawn is reported once.

Their slots are private, and the guard keeps a snippet from these. Next: `book`, which knows what is being drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self, TypeVar

from gradviz.worker.objects.arguments import keep_methods

T = TypeVar("T", bound="Facade")


class Facade:
    """Base class of figures, axes and what is drawn in them."""

    __slots__ = ()

    def __new__(cls, *args: object, **keywords: object) -> Self:
        raise TypeError(f"{cls.__name__} objects are made by matplotlib.pyplot in GradViz snippets")

    def __init_subclass__(cls) -> None:
        keep_methods(cls)

    _of_matplotlib: ClassVar[str] = ""  # the class that this stands for, "lines.Line2D"

    def __repr__(self) -> str:
        return told(self, self._of_matplotlib) if self._of_matplotlib else f"<{type(self).__name__}>"


def told(thing: Facade, name: str) -> str:
    """Return what `repr` gives for an object of this class of Matplotlib, with the run's number of the object."""
    return f"<matplotlib.{name} object at {object.__repr__(thing).rpartition(' ')[2]}"


def made(cls: type[T], **slots: object) -> T:
    """Return an object of a facade class with these slots."""
    one = object.__new__(cls)
    for name, value in slots.items():
        object.__setattr__(one, f"_{name}", value)
    return one


class Accepted(Facade):
    """Stands for a part of the style (a spine, a tick, a font): accepts any public attribute, call, index,
    iteration."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Accepted:
        if name.startswith("_"):
            raise AttributeError(f"a part of a plot has no attribute '{name}'")
        return self

    def __call__(self, *args: object, **keywords: object) -> Accepted:
        return self

    def __getitem__(self, key: object) -> Accepted:
        return self

    def __add__(self, other: object) -> Accepted:  # lists of labels, for matplotlib
        return self

    __radd__ = __add__

    def __iter__(self) -> Iterator[Accepted]:
        return iter((self,))

    def __len__(self) -> int:
        return 1

    def __enter__(self) -> Accepted:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Title(Accepted):
    """A title or the label of an axis, which a notebook shows as a cell's last value."""

    __slots__ = ("_place", "_put", "_text")
    _place: tuple[float, float]
    _text: str
    _put: Callable[[object], Title]  # puts another text in its place

    def set_text(self, s: object) -> None:
        """Change it."""
        object.__setattr__(self, "_text", self._put(s)._text)

    def get_text(self) -> str:
        """Return what it says."""
        return self._text

    def __repr__(self) -> str:
        return f"Text({self._place[0]}, {self._place[1]}, {self._text!r})"


class Legend(Accepted):
    """A legend, of which only the place is drawn as it is asked for."""

    __slots__ = ()
    _of_matplotlib = "legend.Legend"


ACCEPTED = made(Accepted)


def accept(*args: object, **keywords: object) -> Accepted:
    """Accept a call that only concerns the style."""
    return ACCEPTED


def absent(owner: str, name: str, look: str, undrawn: str, say: Callable[[str], None]) -> Any:
    """Return what a facade gives for a name that it does not have: style is accepted, a kind of plot that is not drawn
    is reported when it is called, everything else is an AttributeError."""
    if name in look.split() or name.startswith(("set_", "get_")):
        return accept
    if name in undrawn.split():

        def tell(*args: object, **keywords: object) -> Accepted:
            say(name)
            return ACCEPTED

        return tell
    raise AttributeError(f"{owner} has no attribute '{name}'")
