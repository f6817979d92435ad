"""Both looks can be read: text against its surface has at least the contrast that WCAG asks for, and the kinds of
steps differ in more than hue for eyes that see fewer hues."""

from __future__ import annotations

import pytest

from gradviz.ui.panels.timeline_paint import SIGNS
from gradviz.ui.theme import DARK, LIGHT, Theme

PAIRS = [
    ("text", "panel", 7.0),
    ("text", "window", 7.0),
    ("text", "current_line", 7.0),
    ("text", "selection", 4.5),
    ("text", "error_fill", 7.0),
    ("muted", "panel", 4.5),
    ("muted", "window", 4.5),
    ("link", "panel", 4.5),
    ("link", "error_fill", 4.5),
    ("error", "error_fill", 4.5),
    ("gradient", "panel", 3.0),
    ("gradient", "gradient_fill", 3.0),
    ("keyword", "panel", 4.5),
    ("string", "panel", 4.5),
    ("number", "panel", 4.5),
    ("comment", "panel", 3.0),
    ("builtin", "panel", 4.5),
    ("leaf", "panel", 3.0),
    ("output", "panel", 3.0),
    ("stale", "panel", 3.0),
    ("focus", "panel", 3.0),
]


def channels(colour: str) -> list[float]:
    values = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def contrast(one: str, other: str) -> float:
    weights = (0.2126, 0.7152, 0.0722)
    light = sorted(sum(w * c for w, c in zip(weights, channels(colour), strict=True)) for colour in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("ink", "surface", "least"), PAIRS)
def test_contrast(theme: Theme, ink: str, surface: str, least: float) -> None:
    ratio = contrast(getattr(theme, ink), getattr(theme, surface))
    assert ratio >= least, f"{ink} on {surface}: {ratio:.2f}"


def test_steps_differ_by_sign_as_well_as_by_colour() -> None:
    signs = [sign for kind, sign in SIGNS.items() if kind not in ("FREE",)]
    assert len(set(signs)) == len(signs)
    assert SIGNS["FREE"] == "", "freed buffers are an empty, dashed block"


def test_text_sizes_scale() -> None:
    assert LIGHT.scaled(1.5).px(12) == 18
    assert LIGHT.scaled(1.5).text == LIGHT.text
