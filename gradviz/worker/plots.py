"""`import matplotlib.pyplot` for tutorials that end with a plot: every call is accepted and nothing is drawn yet.

The first use says so once, on the error stream. Recording figures for the program's own plot panel replaces this
module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradviz.worker.stand_in import stand_in

NOT_DRAWN = "GradViz: plots are not drawn yet; the snippet runs on without them.\n"


class NotDrawn:
    """Stands for a figure, an axis, a line or a colour map: has any public attribute, can be called, indexed and
    iterated."""

    __slots__ = ()

    def __getattr__(self, name: str) -> NotDrawn:
        if name.startswith("_"):
            raise AttributeError(f"a plot has no attribute '{name}'")
        return self

    def __call__(self, *args: object, **keywords: object) -> NotDrawn:
        return self

    def __getitem__(self, key: object) -> NotDrawn:
        return self

    def __iter__(self) -> Iterator[NotDrawn]:
        return iter((self,))

    def __len__(self) -> int:
        return 1

    def __enter__(self) -> NotDrawn:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __repr__(self) -> str:
        return "<a plot that is not drawn>"


_NOTHING = NotDrawn()


class _Pyplot:
    """The functions of pyplot: those whose result is unpacked give as many parts as asked for."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said = False

    def drawn(self, *args: object, **keywords: object) -> NotDrawn:
        if not self._said:
            self._said = True
            self._say(NOT_DRAWN)
        return _NOTHING

    def subplots(self, nrows: int = 1, ncols: int = 1, *args: object, **keywords: object) -> tuple[NotDrawn, Any]:
        self.drawn()
        if nrows == 1 and ncols == 1:
            return _NOTHING, _NOTHING
        if nrows == 1 or ncols == 1:
            return _NOTHING, [_NOTHING] * max(nrows, ncols)
        return _NOTHING, _Grid([[_NOTHING] * ncols for _ in range(nrows)])


class _Grid(list):  # type: ignore[type-arg]
    """Axes in rows, with `flatten()` and `axes[0, 1]`."""

    def flatten(self) -> list[NotDrawn]:
        return [each for row in self for each in row]

    ravel = flatten

    def __getitem__(self, key: Any) -> Any:
        return list.__getitem__(self, key[0])[key[1]] if isinstance(key, tuple) else list.__getitem__(self, key)


_DRAWING = """plot scatter bar barh hist hist2d imshow matshow contour contourf pcolormesh fill_between errorbar
boxplot pie step stem semilogx semilogy loglog quiver axhline axvline axhspan axvspan hlines vlines text annotate
arrow legend title suptitle xlabel ylabel xlim ylim xticks yticks grid axis colorbar show figure subplot tight_layout
savefig close clf cla gca gcf pause draw ion ioff margins twinx twinx tick_params set_cmap subplots_adjust plot_date
table setp rc clim gray axes"""


def plot_modules(write: Callable[[str, str], None]) -> dict[str, Any]:
    """`matplotlib`, `matplotlib.pyplot` and what is imported beside them."""
    pyplot = _Pyplot(lambda text: write("err", text))
    names: dict[str, Any] = {name: pyplot.drawn for name in _DRAWING.split()}
    names |= {"subplots": pyplot.subplots, "rcParams": {}, "style": _NOTHING, "cm": _NOTHING, "Figure": _NOTHING}
    plt = stand_in("matplotlib.pyplot", names)
    parts = {name: _NOTHING for name in ("cm", "style", "ticker", "colors", "animation", "patches", "gridspec")}
    root = stand_in("matplotlib", {"pyplot": plt, "use": pyplot.drawn, "rcParams": {}, "rc": pyplot.drawn, **parts})
    submodules = {f"matplotlib.{name}": part for name, part in parts.items()}
    return {"matplotlib": root, "matplotlib.pyplot": plt, **submodules}
