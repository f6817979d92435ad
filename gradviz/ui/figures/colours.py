"""The colours of a figure in a theme: the cycle, text and paper, given colours kept readable, tables of colour maps."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from gradviz.trace.colour_maps import colour_at
from gradviz.trace.figures import Colours
from gradviz.ui.theme import Theme

LIGHT_CYCLE = "#0a6cb0 #d96400 #1b8a3c #c2272d #7b52b4 #8c564b #c9479a #636b78 #85850a #0b8c9e".split()
DARK_CYCLE = "#5aaeee #ff9f4a #5fd08a #ff7d7d #b99cf0 #cda291 #f29ac8 #b5bcc8 #d6d65e #4fd0e0".split()
LEAST_CONTRAST = 2.4
STEPS = 256


def colour(name: str, theme: Theme, alpha: float = 1.0) -> QColor:
    """A colour of a style in this theme."""
    if name == "none" or alpha <= 0:
        return QColor(0, 0, 0, 0)
    if name.startswith("C"):
        found = QColor((DARK_CYCLE if theme.dark else LIGHT_CYCLE)[int(name[1])])
    elif name in ("text", "paper"):
        found = QColor(theme.text if name == "text" else "#ffffff")
    else:
        found = _readable(QColor(name), QColor(theme.panel), QColor(theme.text))
    found.setAlphaF(alpha)
    return found


def _readable(found: QColor, paper: QColor, ink: QColor) -> QColor:
    """The colour, mixed with that of text until it stands out from the paper."""
    for _ in range(6):
        light, dark = sorted((_light(found), _light(paper)), reverse=True)
        if (light + 0.05) / (dark + 0.05) >= LEAST_CONTRAST:
            break
        mixed = [round(0.75 * a + 0.25 * b) for a, b in zip(_parts(found), _parts(ink), strict=True)]
        found = QColor(*mixed)
    return found


def _parts(one: QColor) -> tuple[int, int, int]:
    return one.red(), one.green(), one.blue()


def _light(one: QColor) -> float:
    """Relative luminance (WCAG)."""
    parts = [part / 255 for part in _parts(one)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@cache
def table(name: str) -> NDArray[np.uint8]:
    """256 colours of a map, red, green, blue."""
    return np.array([colour_at(name, step / (STEPS - 1)) for step in range(STEPS)], dtype=np.uint8)


def places(values: NDArray[np.float64], colours: Colours) -> NDArray[np.int64]:
    """Which of the 256 colours each number gets, -1 for NaN."""
    wide = colours.high / 2 - colours.low / 2  # halves: the difference may be beyond all numbers
    with np.errstate(all="ignore"):
        share = (values / 2 - colours.low / 2) / wide if wide else np.zeros_like(values)
        found = np.clip(np.nan_to_num(share, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    result = np.round(found * (STEPS - 1)).astype(np.int64)
    result[np.isnan(values)] = -1
    return result


def mapped(place: int, name: str, alpha: float = 1.0) -> QColor:
    """One colour of a map."""
    red, green, blue = (int(part) for part in table(name)[place])
    return QColor(red, green, blue, round(255 * alpha))
