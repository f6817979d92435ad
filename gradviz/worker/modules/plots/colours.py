"""Styles: colours and format strings as Matplotlib writes them ("r--o", "tab:blue", "0.5", (1, 0, 0)), converted to the
few forms that a figure has ("C0" to "C9", "text", "paper", "none" and "#rrggbb"); the keywords for them (`color`, `c`,
`lw`, `linestyle`, `label`, …), put into a layer; and colour maps (`plt.cm.viridis(0.5)`, `cmap=…`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, SupportsFloat

import numpy as np

from gradviz.trace.figures import DEFAULT, MARKERS, NAMES, REVERSED, anchors, colour_at, is_map, is_stepped
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.plots.book import Layer, short
from gradviz.worker.modules.plots.facade import ACCEPTED, Facade, made
from gradviz.worker.modules.plots.numbers import Numbers
from gradviz.worker.objects.numpy_boundary import to_snippet

_LETTERS = {
    **{"b": "#0000ff", "g": "#008000", "r": "#ff0000", "c": "#00bfbf", "m": "#bf00bf", "y": "#bfbf00"},
    **{"k": "text", "w": "paper"},
}
_TABLEAU = "blue orange green red purple brown pink gray olive cyan".split()
_CSS = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black
000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse
7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b
darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta
8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f
darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493
deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen
228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000
greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c
lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan
e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon
ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de
lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa
mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee
mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose
ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500
orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093
papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 red ff0000
rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee
sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen
00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat
f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 rebeccapurple 663399
"""
_NAMED = dict(zip(_CSS.split()[::2], (f"#{each}" for each in _CSS.split()[1::2]), strict=True))
_NAMED |= {f"tab:{name}": f"C{number}" for number, name in enumerate(_TABLEAU)}
_NAMED |= {"tab:grey": "C7", "black": "text", "white": "paper", "none": "none", "None": "none", **_LETTERS}
_LINES = ("--", "-.", "-", ":")
_WORDS = {"solid": "-", "dashed": "--", "dashdot": "-.", "dotted": ":", "none": "none", "None": "none", "": "none"}
DRAWN_MARKERS = frozenset(MARKERS)
WRONG = "is not a valid value for {}: supported inputs are (r, g, b) and (r, g, b, a) 0-1 float tuples; the hex strings"
WRONG += " '#rrggbb', '#rrggbbaa', '#rgb', '#rgba'; the CSS color names, e.g. 'aquamarine'; and 'C0' to 'C9'"


def colour(value: object) -> tuple[str, float]:
    """Return a colour's form and its opacity; ValueError as Matplotlib raises it."""
    found = _from_text(value) if type(value) is str else _from_parts(value)
    if found is None:
        raise ValueError(f"{value!r} {WRONG.format('color')}")
    return found


def _from_text(text: str) -> tuple[str, float] | None:
    if text in _NAMED or text.lower() in _NAMED:
        return _NAMED.get(text) or _NAMED[text.lower()], 1.0
    if text.startswith("C") and text[1:].isascii() and text[1:].isdecimal():
        return f"C{int(text[1:4]) % 10}", 1.0
    if text.startswith("#"):
        digits = text[1:].lower()
        digits = "".join(2 * each for each in digits) if len(digits) in (3, 4) else digits
        if len(digits) in (6, 8) and all(each in "0123456789abcdef" for each in digits):
            return f"#{digits[:6]}", int(digits[6:] or "ff", 16) / 255
        return None
    try:
        grey = float(text)
    except ValueError:
        return None
    return (_hex(grey, grey, grey), 1.0) if 0 <= grey <= 1 else None


def _from_parts(value: Any) -> tuple[str, float] | None:
    if type(value) is tuple and len(value) == 2 and type(value[0]) is str:  # ("red", 0.5)
        return colour(value[0])[0], _share(value[1])
    try:
        parts = [float(each) for each in value]
    except (TypeError, ValueError):
        return None
    if len(parts) not in (3, 4) or not all(0 <= each <= 1 for each in parts):
        return None
    return _hex(*parts[:3]), parts[3] if len(parts) == 4 else 1.0


def _hex(red: float, green: float, blue: float) -> str:
    return "#" + "".join(f"{round(255 * each):02x}" for each in (red, green, blue))


def _share(value: Any) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(f"alpha ({value}) is outside 0-1 range")
    return share


def alpha(value: object) -> float:
    """Return the opacity; ValueError outside 0..1."""
    return 1.0 if value is None else _share(value)


def is_colour(value: object) -> bool:
    """Whether this is a single colour."""
    try:
        colour(value)
    except (ValueError, TypeError):
        return False
    return True


def dash(value: object) -> str:
    """Return the dash of a linestyle; patterns other than the four become dashed."""
    if type(value) is not str:
        return "--"
    if value in _LINES:
        return value
    if value in _WORDS:
        return _WORDS[value]
    if value == " ":
        return "none"
    raise ValueError(
        f"{value!r} is not a valid value for ls; supported values are '-', '--', '-.', ':', 'None', ' ', ''"
    )


def marker(value: object) -> str:
    """Return the marker to draw; a dot for those that are not drawn."""
    if value is None or value in ("None", "none", " ", ""):
        return ""
    if type(value) is not str or value.startswith("$"):
        return "o"
    if value in DRAWN_MARKERS:
        return value
    if value == ",":
        return "."
    raise ValueError(f"Unrecognized marker style {value!r}")


def format_string(text: str) -> tuple[str | None, str | None, str | None]:
    """Return (dash, marker, colour) of a format string like "r--o", None for each that it does not mention."""
    if is_colour(text) and text not in "1234":
        return None, None, text
    found: dict[str, str] = {}
    rest = text
    while rest:
        kind, taken = _next_part(rest)
        if not kind:
            raise ValueError(f"{text!r} is not a valid format string (unrecognized character {rest[0]!r})")
        if kind in found:
            raise ValueError(f"{text!r} is not a valid format string (two {kind} symbols)")
        found[kind], rest = rest[: len(taken)], rest[len(taken) :]
    return found.get("linestyle"), found.get("marker"), found.get("color")


def _next_part(rest: str) -> tuple[str, str]:
    for line in _LINES:
        if rest.startswith(line):
            return "linestyle", line
    if rest[0] == "C" and rest[1:2].isdecimal():
        return "color", rest[:2]
    if rest[0] in _LETTERS:
        return "color", rest[0]
    if rest[0] in DRAWN_MARKERS or rest[0] == ",":
        return "marker", rest[0]
    return "", ""


def finite(value: Any, otherwise: float) -> float:
    """Return a number of points, or the default if it is not given or not finite."""
    if value is None:
        return otherwise
    number = float(value)
    return number if math.isfinite(number) and number >= 0 else otherwise


_SHORT = {
    **{"c": "color", "lw": "linewidth", "linewidths": "linewidth", "ls": "linestyle", "linestyles": "linestyle"},
    **{"ms": "markersize", "ec": "edgecolor", "edgecolors": "edgecolor", "fc": "color", "facecolor": "color"},
    **{
        "facecolors": "color",
        "colors": "color",
        "markerfacecolor": "mfc",
        "markeredgecolor": "mec",
        "fontsize": "size",
    },
}
# what changes nothing in the drawing
_IGNORED = frozenset(
    """ zorder mfc mec markeredgewidth mew antialiased aa clip_on rasterized visible drawstyle solid_capstyle
    dash_capstyle dashes picker transform snap hatch capsize capthick elinewidth ecolor error_kw log fill joinstyle
    plotnonfinite norm rwidth interpolation filternorm resample origin aspect shading antialiaseds data fillstyle
    markevery gid url path_effects fontweight weight fontstyle family fontfamily fontname fontdict rotation
    rotation_mode bbox backgroundcolor wrap multialignment linespacing style variant stretch usetex pad loc y x
    labelpad math_fontfamily animated agg_filter clip_path sketch_params in_layout scalex scaley annotation_clip
    arrowstyle orientation interpolate step lolims uplims
    xlolims xuplims barsabove errorevery head_width head_length length_includes_head overhang shape width headwidth
    headlength minlength pivot units angles scale_units scale """.split()
)


def options(look: Mapping[str, object], owner: str) -> dict[str, object]:
    """Return the keywords under their long names; AttributeError, with its message, for one that Matplotlib does not
    know."""
    found: dict[str, object] = {}
    for key, value in look.items():
        name = _SHORT.get(key, key)
        if name not in _KNOWN and name not in _IGNORED:
            raise AttributeError(f"{owner}.set() got an unexpected keyword argument '{key}'")
        if name in found and name in _KNOWN:
            raise TypeError(f"Got both '{key}' and '{name}', which are aliases of one another")
        found[name] = value
    return found


_KNOWN = frozenset("color linewidth linestyle marker markersize edgecolor alpha label size ha va".split()) | {
    "horizontalalignment",
    "verticalalignment",
}


def dress(layer: Layer, given: Mapping[str, object]) -> Layer:
    """Apply those of these options that are known to a layer."""
    if given.get("color") is not None:
        layer.color, opaque = colour(given["color"])
        layer.alpha *= opaque
    if given.get("edgecolor") is not None and given["edgecolor"] != "face":
        layer.edge = colour(given["edgecolor"])[0]
    if given.get("alpha") is not None:
        layer.alpha = alpha(given["alpha"])
    if given.get("linestyle") is not None:
        layer.dash = dash(given["linestyle"])
    if given.get("marker") is not None:
        layer.marker = marker(given["marker"])
    layer.width = min(finite(given.get("linewidth"), layer.width), 100.0)
    layer.size = min(finite(given.get("markersize"), layer.size), 1000.0)
    if given.get("label") is not None:
        text = short(given["label"])
        layer.label = "" if text.startswith("_") else text
    return layer


# -- colour maps: `plt.cm.viridis(0.5)`, `plt.get_cmap("plasma", 8)`, `cmap=…`


class Colormap(Facade):
    """A colour map: called with fractions of its range, or indices of its colours, it returns (red, green, blue,
    alpha)."""

    __slots__ = ("_count", "_name", "_numbers")
    _name: str
    _count: int
    _numbers: Numbers

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def N(self) -> int:
        """The number of its colours."""
        return self._count

    @property
    def colors(self) -> list[tuple[float, ...]]:
        """Its colours, if it is a list of a few."""
        return [tuple(part / 255 for part in each) for each in anchors(self._name)]

    def reversed(self) -> Colormap:
        """Return the map in reverse."""
        other = self._name.removesuffix(REVERSED) if self._name.endswith(REVERSED) else self._name + REVERSED
        return made(Colormap, name=other, count=self._count, numbers=self._numbers)

    def __call__(self, x: object, alpha: SupportsFloat | None = None, bytes: bool = False) -> Any:
        found = self._numbers.array(x)
        whole = type(x) is int or (hasattr(x, "dtype") and "int" in str(getattr(x, "dtype", "")))
        shares = (found + 0.5) / self._count if whole else found
        opaque = 1.0 if alpha is None else float(alpha)
        colours = [(*(part / 255 for part in colour_at(self._name, float(one))), opaque) for one in shares.ravel()]
        if not found.shape:
            return colours[0]
        return to_snippet(np.array(colours).reshape((*found.shape, 4)))


def map_name(value: object) -> str:
    """Return the name of a colour map given by name or as an object; ValueError for an unknown one."""
    if value is None or value is ACCEPTED:
        return DEFAULT
    if isinstance(value, Colormap):
        return value.name
    if type(value) is str and is_map(value):
        return value
    shown = ", ".join(sorted(NAMES))
    raise ValueError(f"{value!r} is not a valid value for cmap; GradViz has {shown}, each also with {REVERSED}")


def get_cmap(numbers: Numbers, name: object = None, lut: Any = None) -> Colormap:
    """`plt.get_cmap`."""
    found = map_name(name)
    many = len(anchors(found)) if is_stepped(found) else 256
    return made(Colormap, name=found, count=many if lut is None else int(lut), numbers=numbers)


def cm_module(numbers: Numbers) -> object:
    """`matplotlib.cm`."""
    names = {each: get_cmap(numbers, each) for name in NAMES for each in (name, name + REVERSED)}
    more = {"get_cmap": lambda name=None, lut=None: get_cmap(numbers, name, lut), "ScalarMappable": ACCEPTED}
    return stand_in("matplotlib.cm", {**names, **more})
