"""The keywords that say how something looks (`color`, `c`, `lw`, `linestyle`, `label`, …), put into a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradviz.worker.plots import colours
from gradviz.worker.plots.book import Layer, short

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
# what changes nothing that is drawn here
_IGNORED = frozenset(
    """ zorder mfc mec markeredgewidth mew antialiased aa clip_on rasterized visible drawstyle solid_capstyle
    dash_capstyle dashes picker transform snap hatch capsize capthick elinewidth ecolor error_kw log fill joinstyle
    plotnonfinite norm rwidth interpolation filternorm resample origin aspect shading antialiaseds data fillstyle
    markevery gid url path_effects fontweight weight fontstyle family fontfamily fontname fontdict rotation
    rotation_mode bbox backgroundcolor wrap multialignment linespacing style variant stretch usetex pad loc y x
    labelpad math_fontfamily scalex scaley annotation_clip arrowstyle orientation interpolate step lolims uplims
    xlolims xuplims barsabove errorevery head_width head_length length_includes_head overhang shape width headwidth
    headlength minlength pivot units angles scale_units scale """.split()
)


def options(look: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The keywords under their long names; AttributeError for one that Matplotlib does not know, as it says it."""
    found: dict[str, Any] = {}
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


def dress(layer: Layer, given: Mapping[str, Any]) -> Layer:
    """Put what is known of these options into a layer."""
    if given.get("color") is not None:
        layer.color, opaque = colours.colour(given["color"])
        layer.alpha *= opaque
    if given.get("edgecolor") is not None and given["edgecolor"] != "face":
        layer.edge = colours.colour(given["edgecolor"])[0]
    if given.get("alpha") is not None:
        layer.alpha = colours.alpha(given["alpha"])
    if given.get("linestyle") is not None:
        layer.dash = colours.dash(given["linestyle"])
    if given.get("marker") is not None:
        layer.marker = colours.marker(given["marker"])
    layer.width = min(colours.finite(given.get("linewidth"), layer.width), 100.0)
    layer.size = min(colours.finite(given.get("markersize"), layer.size), 1000.0)
    if given.get("label") is not None:
        text = short(given["label"])
        layer.label = "" if text.startswith("_") else text
    return layer
