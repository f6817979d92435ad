"""Colour maps by name, each as a few colours between which is interpolated: what a plot's numbers are shown in, and
what `plt.cm.viridis(0.5)` gives. Plain Python; the painter makes its tables from this, the worker its colours.

The colours of viridis, plasma, magma, inferno and cividis are points of Matplotlib's own maps
(https://bids.github.io/colormap, CC0); the others follow ColorBrewer's and the classic ones roughly.
"""

from __future__ import annotations

REVERSED = "_r"
DEFAULT = "viridis"

_MAPS = {
    "viridis": "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
    "plasma": "0d0887 46039f 7201a8 9c179e bd3786 d8576b ed7953 fb9f3a fdca26 f0f921",
    "inferno": "000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4",
    "magma": "000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf",
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    "turbo": "30123b 4662d7 36aaf9 1ae4b6 72fe5e c8ef34 faba39 f66b19 ca2a04 7a0403",
    "gray": "000000 ffffff",
    "Greys": "ffffff d9d9d9 969696 525252 000000",
    "binary": "ffffff 000000",
    "bone": "000000 545474 a9c8c8 ffffff",
    "hot": "0b0000 ff0000 ffff00 ffffff",
    "jet": "00007f 0000ff 00ffff 7dff7a ffff00 ff0000 7f0000",
    "rainbow": "8000ff 00b5eb 80ffb4 ffb360 ff0000",
    "hsv": "ff0000 ffff00 00ff00 00ffff 0000ff ff00ff ff0000",
    "cool": "00ffff ff00ff",
    "spring": "ff00ff ffff00",
    "summer": "008066 ffff66",
    "autumn": "ff0000 ffff00",
    "winter": "0000ff 00ff80",
    "coolwarm": "3b4cc0 7b9ff9 c0d4f5 dddcdc f2cbb7 ee8468 b40426",
    "bwr": "0000ff ffffff ff0000",
    "seismic": "00004c 0000ff ffffff ff0000 7f0000",
    "RdBu": "67001f d6604d fddbc7 f7f7f7 d1e5f0 4393c3 053061",
    "RdYlBu": "a50026 f46d43 fee090 ffffbf e0f3f8 74add1 313695",
    "RdYlGn": "a50026 f46d43 fee08b ffffbf d9ef8b 66bd63 006837",
    "PiYG": "8e0152 de77ae fde0ef f7f7f7 e6f5d0 7fbc41 276419",
    "Spectral": "9e0142 f46d43 fee08b ffffbf e6f598 66c2a5 5e4fa2",
    "Blues": "f7fbff c6dbef 6baed6 2171b5 08306b",
    "Greens": "f7fcf5 c7e9c0 74c476 238b45 00441b",
    "Reds": "fff5f0 fcbba1 fb6a4a cb181d 67000d",
    "Oranges": "fff5eb fdd0a2 fd8d3c d94801 7f2704",
    "Purples": "fcfbfd dadaeb 9e9ac8 6a51a3 3f007d",
    "YlOrRd": "ffffcc fed976 fd8d3c e31a1c 800026",
    "YlGnBu": "ffffd9 c7e9b4 41b6c4 225ea8 081d58",
    "tab10": "1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf",
    "Set1": "e41a1c 377eb8 4daf4a 984ea3 ff7f00 ffff33 a65628 f781bf 999999",
    "Paired": "a6cee3 1f78b4 b2df8a 33a02c fb9a99 e31a1c fdbf6f ff7f00 cab2d6 6a3d9a ffff99 b15928",
}
_OTHER_NAMES = {"grey": "gray", "gist_gray": "gray", "Accent": "Set1", "Set2": "Set1", "tab20": "Paired"}
STEPPED = ("tab10", "Set1", "Paired")  # one colour after the other, nothing between them
NAMES = tuple(_MAPS) + tuple(_OTHER_NAMES)

RGB = tuple[int, int, int]


def is_map(name: str) -> bool:
    """Whether there is a colour map of this name."""
    return name.removesuffix(REVERSED) in NAMES


def anchors(name: str) -> tuple[RGB, ...]:
    """The colours of a map from its low to its high end, each 0..255; those of the default for an unknown name."""
    plain = name.removesuffix(REVERSED)
    text = _MAPS.get(_OTHER_NAMES.get(plain, plain), _MAPS[DEFAULT])
    colours = tuple((int(each[:2], 16), int(each[2:4], 16), int(each[4:], 16)) for each in text.split())
    return colours[::-1] if name.endswith(REVERSED) else colours


def is_stepped(name: str) -> bool:
    """Whether the map has a few colours that do not blend."""
    plain = name.removesuffix(REVERSED)
    return _OTHER_NAMES.get(plain, plain) in STEPPED


def colour_at(name: str, share: float) -> RGB:
    """The colour of a map at a share of its range, 0..1; beyond it the colour of the end."""
    colours = anchors(name)
    share = min(max(share, 0.0), 1.0) if share == share else 0.0
    if is_stepped(name):
        return colours[min(int(share * len(colours)), len(colours) - 1)]
    place = share * (len(colours) - 1)
    low = min(int(place), len(colours) - 2)
    part = place - low
    first, second = colours[low], colours[low + 1]
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(first, second, strict=True))
    return red, green, blue
