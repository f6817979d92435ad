"""The drawing methods of an axes that draw a table in colours, contour lines, arrows or texts: `imshow`, `pcolormesh`,
`contour`, `hist2d`, `quiver`, `text`, `annotate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.trace.figures import colour_at
from gradviz.worker.modules.plots import colours
from gradviz.worker.modules.plots.artists import (
    Arrows,
    Artist,
    Cells,
    Coloured,
    Contours,
    Pen,
    Words,
    colour_range,
    number_range,
    spread,
)
from gradviz.worker.modules.plots.book import Layer, short
from gradviz.worker.modules.plots.colours import map_name, options
from gradviz.worker.modules.plots.facade import ACCEPTED, Facade, made
from gradviz.worker.objects.numpy_boundary import to_snippet

# -- contour lines, along which a table of numbers has one value: each cell of four neighbours gives up to two segments,
# found where its edges cross the level (marching squares, ambiguous cells unresolved)

MOST_CELLS = 400  # along each side; larger tables are thinned out


def thinned(x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Return the table, with fewer rows and columns if it is large."""
    down, across = (max(1, -(-side // MOST_CELLS)) for side in z.shape)
    return x[::across], y[::down], z[::down, ::across]


def lines_at(x: Array, y: Array, z: Array, level: float) -> tuple[Array, Array, Array, Array]:
    """Return (x0, y0, x1, y1) of the segments at a level; x belongs to the columns, y to the rows."""
    corners = (z[:-1, :-1], z[:-1, 1:], z[1:, 1:], z[1:, :-1])
    left, right = np.meshgrid(x[:-1], y[:-1]), np.meshgrid(x[1:], y[1:])
    across = (left[0], right[0], right[0], left[0])
    up = (left[1], left[1], right[1], right[1])
    ends: list[tuple[Array, Array, Array]] = []  # where each cell edge crosses the level
    for one in range(4):
        other = (one + 1) % 4
        first, second = corners[one], corners[other]
        passed = (first < level) != (second < level)
        step = np.where(second == first, 1.0, second - first)
        part = (level - first) / step
        ends.append(
            (passed, across[one] + part * (across[other] - across[one]), up[one] + part * (up[other] - up[one]))
        )
    found: list[tuple[Array, ...]] = []
    count = sum(passed.astype(int) for passed, _, _ in ends)
    for one in range(4):
        for other in range(one + 1, 4):
            both = ends[one][0] & ends[other][0]
            both &= (count == 2) | ((count == 4) & (((one, other) == (0, 1)) | ((one, other) == (2, 3))))
            found.append(tuple(ends[end][part][both] for end, part in ((one, 1), (one, 2), (other, 1), (other, 2))))
    x0, y0, x1, y1 = (np.concatenate([each[part] for each in found]) for part in range(4))
    return x0, y0, x1, y1


def smooth(z: Array, least: int) -> Array:
    """Return the table with interpolated rows and columns, so that bands have smooth edges."""
    rows, columns = (max(1, least // max(1, side)) for side in z.shape)
    for axis, times in ((0, rows), (1, columns)):
        if times > 1 and z.shape[axis] > 1:
            count = z.shape[axis]
            places = np.linspace(0, count - 1, (count - 1) * times + 1)
            low = np.minimum(places.astype(int), count - 2)
            part = (places - low).reshape((-1, 1) if axis == 0 else (1, -1))
            z = np.take(z, low, axis) * (1 - part) + np.take(z, low + 1, axis) * part
    return z


MOST_LEVELS = 60
BANDS = 240  # approximate rows and columns of filled bands


class Inside(Facade):
    """`ax.transAxes`: places are fractions of the axes."""

    __slots__ = ()


INSIDE = made(Inside)


def _edges(pen: Pen, given: tuple[object, ...], value: Array) -> tuple[Array, Array]:
    if not given:
        return np.arange(value.shape[1] + 1.0), np.arange(value.shape[0] + 1.0)
    x, y = _grid(pen.numbers.array(given[0]), pen.numbers.array(given[1]))
    sides = []
    for each, count in ((x, value.shape[1]), (y, value.shape[0])):
        if len(each) not in (count, count + 1):
            raise TypeError(f"Dimensions of C {value.shape} should be one smaller than X({len(x)}) and Y({len(y)})")
        half = (each[1] - each[0]) / 2 if len(each) > 1 else 0.5
        sides.append(each if len(each) == count + 1 else np.append(each - half, each[-1] + half))
    return sides[0], sides[1]


def _pixels(value: Array) -> Array:
    """A table of numbers, or one of colours from 0 to 1, which may have been given as integers up to 255."""
    value = value[:, :, 0] if value.ndim == 3 and value.shape[2] == 1 else value
    if value.ndim not in (2, 3) or (value.ndim == 3 and value.shape[2] not in (3, 4)):
        raise TypeError(f"Invalid shape {value.shape} for image data")
    if value.ndim == 2:
        return value
    whole = value.size and value.max() > 1.0 and bool(np.all(value == np.floor(value)))
    return np.clip(value / 255 if whole else value, 0.0, 1.0)


class Images:
    """The methods that draw these with a pen."""

    __slots__ = ("_pen",)

    def __init__(self, pen: Pen) -> None:
        self._pen = pen

    def imshow(
        self,
        X: object,
        cmap: object = None,
        norm: object = None,
        *,
        aspect: object = None,
        interpolation: object = None,
        alpha: object = None,
        vmin: object = None,
        vmax: object = None,
        origin: str = "upper",
        extent: Any = None,
        clim: Any = None,
        **look: object,
    ) -> Coloured:
        """Draw a picture, or a table of numbers in colours."""
        value = self._pen.numbers.array(X)
        options(look, "AxesImage")
        value = _pixels(value)
        if origin not in ("upper", "lower"):
            raise ValueError(f"{origin!r} is not a valid value for origin; supported values are 'upper', 'lower'")
        rows, columns = value.shape[:2]
        up = (rows - 0.5, -0.5) if origin == "upper" else (-0.5, rows - 0.5)
        sides = tuple(map(float, extent)) if extent is not None else (-0.5, columns - 0.5, *up)
        self._pen.axes.equal = aspect != "auto"
        self._pen.axes.y.flipped = sides[2] > sides[3]
        value = value if origin == "upper" else value[::-1]
        return self._picture(value, sides, (cmap, *(clim or (vmin, vmax))), alpha)

    def matshow(self, Z: Any, **look: Any) -> Coloured:
        """Draw a table of numbers in colours."""
        return self.imshow(Z, **look)

    def _picture(
        self,
        value: Array,
        extent: tuple[float, ...],
        look: tuple[object, object, object],
        alpha: object,
        kind: type[Coloured] = Coloured,
    ) -> Coloured:
        """Draw a picture; its first row is at the top of the extent: left, right, bottom, top."""
        channels = value.shape[2] if value.ndim == 3 else 1
        left, right, bottom, top = extent
        if not np.isfinite(extent).all():
            raise ValueError("Axis limits cannot be NaN or Inf")
        given = {"alpha": alpha if alpha is None or np.isscalar(alpha) else None}
        layer = self._pen.add(
            "image",
            {"value": np.ascontiguousarray(value).ravel()},
            given,
            shape=(value.shape[0], value.shape[1], channels),
            extent=(left, right, bottom, top),
            colours=colour_range(value, *look) if channels == 1 else None,
        )
        return self._pen.handle(kind, layer)

    def pcolormesh(
        self,
        *args: object,
        cmap: object = None,
        vmin: object = None,
        vmax: object = None,
        alpha: object = None,
        clim: Any = None,
        **look: object,
    ) -> Coloured:
        """Draw a table of numbers in colours between edges."""
        options(look, "QuadMesh")
        value = self._pen.numbers.array(args[-1])
        if value.ndim != 2:
            raise ValueError(f"pcolormesh takes a table of numbers, not one of shape {value.shape}")
        x, y = _edges(self._pen, args[:-1], value)
        if any(len(each) > 2 and not np.allclose(np.diff(each), np.diff(each)[0]) for each in (x, y)):
            self._pen.book.without("cells of different sizes (pcolormesh)")
        sides = tuple(float(each) for each in (x[0], x[-1], y[0], y[-1]))
        return self._picture(value[::-1], sides, (cmap, *(clim or (vmin, vmax))), alpha, Cells)

    pcolor = pcolormesh

    def contour(
        self,
        *args: object,
        levels: object = None,
        cmap: object = None,
        colors: Any = None,
        alpha: object = None,
        **look: object,
    ) -> Coloured:
        """Draw lines of equal values."""
        x, y, z, places = self._levels(args, levels)
        given = options(look, "ContourSet")
        layers: list[Layer] = []
        shown = colour_range(places, cmap, None, None)
        for number, level in enumerate(places):
            ends = lines_at(*thinned(x, y, z), float(level))
            share = number / max(1, len(places) - 1)
            color = "#" + "".join(f"{each:02x}" for each in colour_at(map_name(cmap), share))
            if colors is not None:
                color = colors if type(colors) is str else colors[number % len(colors)]
            columns = dict(zip(("x0", "y0", "x1", "y1"), ends, strict=True))
            layers.append(self._pen.add("segments", columns, {**given, "color": color, "alpha": alpha}))
        if layers:
            layers[0].colours = shown
        return self._pen.handle(Contours, *layers)

    def contourf(
        self,
        *args: object,
        levels: object = None,
        cmap: object = None,
        colors: object = None,
        alpha: object = None,
        **look: object,
    ) -> Coloured:
        """Draw bands between values."""
        x, y, z, places = self._levels(args, levels)
        options(look, "ContourSet")
        if colors is not None:
            self._pen.book.without("colours chosen for bands (contourf)")
        z = smooth(thinned(x, y, z)[2], BANDS)
        band = np.clip(np.searchsorted(places, z, side="right") - 1, 0, len(places) - 2)
        if len(places) < 2:
            raise ValueError("Filled contours require at least 2 levels.")
        middle = places[:-1] / 2 + places[1:] / 2
        value = np.where(np.isfinite(z), middle[band], np.nan)
        sides = tuple(float(each) for each in (x[0], x[-1], y[0], y[-1]))
        return self._picture(value[::-1], sides, (cmap, float(places[0]), float(places[-1])), alpha, Contours)

    def _levels(self, args: tuple[object, ...], levels: object) -> tuple[Array, Array, Array, Array]:
        if len(args) in (2, 4):
            levels, args = args[-1], args[:-1]
        z = self._pen.numbers.array(args[-1])
        if z.ndim != 2:
            raise TypeError(f"Input z must be 2D, not {z.ndim}D")
        if min(z.shape) < 2:
            raise TypeError(f"Input z must be at least a (2, 2) shaped array, but has shape {z.shape}")
        x, y = np.arange(float(z.shape[1])), np.arange(float(z.shape[0]))
        if len(args) == 3:
            x, y = _grid(self._pen.numbers.array(args[0]), self._pen.numbers.array(args[1]))
        if (len(y), len(x)) != z.shape:
            raise TypeError(f"Length of x ({len(x)}) must match number of columns in z ({z.shape[1]})")
        places = np.array(7.0) if levels is None else self._pen.numbers.array(levels)
        if not places.shape:
            low, high = number_range(z, None, None)
            share = np.linspace(0.0, 1.0, min(int(places), MOST_LEVELS) + 2)
            places = low * (1 - share) + (high if high > low else low + 1) * share
        places = np.sort(places.ravel())
        return x, y, z, places[np.isfinite(places)][:MOST_LEVELS]

    def hist2d(
        self, x: object, y: object, bins: Any = 10, range: object = None, **look: object
    ) -> tuple[object, object, object, Coloured]:
        """Count and draw how many points are in each cell."""
        many = min(int(bins), 500) if type(bins) is int else [min(int(each), 500) for each in bins]
        count, across, up = np.histogram2d(self._pen.x(x), self._pen.y(y), many)
        drawn = self.pcolormesh(to_snippet(across), to_snippet(up), to_snippet(count.T.copy()), **look)
        return to_snippet(count), to_snippet(across), to_snippet(up), drawn

    def quiver(self, *args: object, **look: Any) -> Artist:
        """Draw a field of arrows."""
        arrays = [self._pen.numbers.array(each) for each in args[:4]]
        u, v = arrays[-2:] if len(arrays) != 3 else arrays[:2]
        if len(arrays) == 4:
            x, y = arrays[:2]
            if x.ndim == 1 and u.ndim == 2:
                x, y = np.meshgrid(x, y)
        else:
            y, x = np.indices(u.shape, dtype=float) if u.ndim == 2 else (np.zeros(u.shape), np.arange(float(u.size)))
        x, y, u, v = spread(x.ravel(), y.ravel(), u.ravel(), v.ravel())
        factor = 1.0
        if look.get("angles") == "xy" and look.get("scale") is not None:
            factor = 1.0 / float(look["scale"])
        elif len(u):
            longest, wide = float(np.nanmax(np.hypot(u, v))), max(float(np.ptp(x)), float(np.ptp(y)), 1e-9)
            factor = wide / max(1.0, np.sqrt(len(u))) / longest if longest else 1.0
        given = options({key: look[key] for key in look if key not in ("cmap", "norm", "clim")}, "Quiver")
        columns = {"x0": x, "y0": y, "x1": x + factor * u, "y1": y + factor * v}
        return self._pen.handle(Arrows, self._pen.add("segments", columns, given, color="text", marker=">"))

    def arrow(self, x: object, y: object, dx: object, dy: object, **look: object) -> Artist:
        """Draw one arrow."""
        numbers = self._pen.numbers
        to_x, to_y = numbers.number(x) + numbers.number(dx), numbers.number(y) + numbers.number(dy)
        ends = {"x0": x, "y0": y, "x1": to_x, "y1": to_y}
        columns = {name: numbers.array([end]) for name, end in ends.items()}
        return self._pen.handle(Artist, self._pen.add("segments", columns, options(look, "FancyArrow"), marker=">"))

    def text(self, x: object, y: object, s: object, fontdict: object = None, **look: object) -> Words:
        """Draw a text."""
        inside = look.get("transform") is INSIDE
        given = options(look, "Text")
        where = (
            (self._pen.numbers.array([x]), self._pen.numbers.array([y])) if inside else (self._pen.x(x), self._pen.y(y))
        )
        return self._words(where, s, given, inside)

    def _words(self, where: tuple[Array, Array], text: object, given: dict[str, object], inside: bool) -> Words:
        across = given.get("ha", given.get("horizontalalignment", "left"))
        up = given.get("va", given.get("verticalalignment", "bottom"))
        size = given.pop("size", None)
        points = colours.finite(size, 10.0) if type(size) in (int, float) else 10.0
        layer = self._pen.add(
            "words",
            {"x": where[0], "y": where[1]},
            {**given, "label": None},
            color="text",
            text=short(text),
            anchor=short(f"{short(across)} {short(up)}"),
            inside=inside,
            size=min(points, 1000.0),
        )
        return self._pen.handle(Words, layer)

    def annotate(
        self,
        text: object,
        xy: Any,
        xytext: Any = None,
        xycoords: object = "data",
        textcoords: object = None,
        arrowprops: object = None,
        **look: object,
    ) -> Words:
        """Draw a text, with an arrow to a place if `arrowprops` are given."""
        x, y = xy
        target = (self._pen.x(x), self._pen.y(y))
        there = target
        if xytext is not None and textcoords in (None, "data"):
            there = (self._pen.x(xytext[0]), self._pen.y(xytext[1]))
        given = options(look, "Annotation")
        if arrowprops is not None and there is not target:
            color = arrowprops.get("color", "k") if type(arrowprops) is dict else "k"
            columns = dict(zip(("x0", "y0", "x1", "y1"), (*there, *target), strict=True))
            self._pen.add("segments", columns, {"color": color if colours.is_colour(color) else "k"}, marker=">")
        return self._words(there, text, given, xycoords == "axes fraction")

    def clabel(self, *args: object, **look: object) -> object:
        """Do nothing: the colour bar shows the numbers of contour lines."""
        self._pen.book.without("numbers on contour lines (clabel)")
        return ACCEPTED


def _grid(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the edges of a grid that may be given as two tables."""
    return (x[0] if x.ndim == 2 else x.ravel()), (y[:, 0] if y.ndim == 2 else y.ravel())
