"""Colour maps for a snippet: `plt.cm.viridis(0.5)`, `plt.get_cmap("plasma", 8)`, `cmap=…`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.trace.colour_maps import DEFAULT, NAMES, REVERSED, anchors, colour_at, is_map, is_stepped
from gradviz.worker.numpy_boundary import to_snippet
from gradviz.worker.plots.facade import ACCEPTED, Facade, made
from gradviz.worker.plots.numbers import Numbers
from gradviz.worker.stand_in import stand_in


class Colormap(Facade):
    """A colour map: called with shares of its range, or numbers of its colours, it gives (red, green, blue, alpha)."""

    __slots__ = ("_count", "_name", "_numbers")
    _name: str
    _count: int
    _numbers: Numbers

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def N(self) -> int:
        """How many colours it has."""
        return self._count

    @property
    def colors(self) -> list[tuple[float, ...]]:
        """Its colours, of those that have a few."""
        return [tuple(part / 255 for part in each) for each in anchors(self._name)]

    def reversed(self) -> Colormap:
        """From the high end to the low one."""
        other = self._name.removesuffix(REVERSED) if self._name.endswith(REVERSED) else self._name + REVERSED
        return made(Colormap, name=other, count=self._count, numbers=self._numbers)

    def __call__(self, x: Any, alpha: Any = None, bytes: bool = False) -> Any:
        found = self._numbers.array(x)
        whole = type(x) is int or (hasattr(x, "dtype") and "int" in str(getattr(x, "dtype", "")))
        shares = (found + 0.5) / self._count if whole else found
        opaque = 1.0 if alpha is None else float(alpha)
        colours = [(*(part / 255 for part in colour_at(self._name, float(one))), opaque) for one in shares.ravel()]
        if not found.shape:
            return colours[0]
        return to_snippet(np.array(colours).reshape((*found.shape, 4)))


def map_name(value: Any) -> str:
    """The name of a colour map that is given by name or as it is; ValueError for an unknown one."""
    if value is None or value is ACCEPTED:
        return DEFAULT
    if isinstance(value, Colormap):
        return value.name
    if type(value) is str and is_map(value):
        return value
    shown = ", ".join(sorted(NAMES))
    raise ValueError(f"{value!r} is not a valid value for cmap; GradViz has {shown}, each also with {REVERSED}")


def get_cmap(numbers: Numbers, name: Any = None, lut: Any = None) -> Colormap:
    """`plt.get_cmap`."""
    found = map_name(name)
    many = len(anchors(found)) if is_stepped(found) else 256
    return made(Colormap, name=found, count=many if lut is None else int(lut), numbers=numbers)


def cm_module(numbers: Numbers) -> Any:
    """`matplotlib.cm`."""
    names = {each: get_cmap(numbers, each) for name in NAMES for each in (name, name + REVERSED)}
    more = {"get_cmap": lambda name=None, lut=None: get_cmap(numbers, name, lut), "ScalarMappable": ACCEPTED}
    return stand_in("matplotlib.cm", {**names, **more})
