"""Both looks can be read: text against its surface has at least the contrast that WCAG asks for, and the kinds of
steps differ in more than hue for eyes that see fewer hues."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gradviz.ui import look
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.item_painter import GRID_STRENGTH
from gradviz.ui.panels.timeline_paint import SIGNS
from gradviz.ui.theme import LIGHT, THEMES, Theme
from tests.ui.colour_vision import MATRICES, seen

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
    ("text", "group_fill", 7.0),
    ("text", "leaf_fill", 7.0),
    ("text", "output_fill", 7.0),
    ("text", "intermediate_fill", 7.0),
    ("muted", "canvas", 4.5),
    ("muted", "group_fill", 4.5),
    ("gradient", "panel", 4.5),
    ("gradient", "gradient_fill", 4.5),
    ("saved_text", "saved", 4.5),
    ("group", "canvas", 3.0),
    ("keyword", "panel", 4.5),
    ("string", "panel", 4.5),
    ("number", "panel", 4.5),
    ("comment", "panel", 4.5),
    ("builtin", "panel", 4.5),
    ("leaf", "panel", 3.0),
    ("output", "panel", 3.0),
    ("stale", "panel", 4.5),
    ("freed", "canvas", 4.5),
    ("freed", "panel", 4.5),
    ("faint", "panel", 3.0),
    ("edge", "canvas", 3.0),
    ("card_border", "canvas", 3.0),
    ("constant", "canvas", 3.0),
    ("intermediate", "canvas", 3.0),
    ("operation", "canvas", 3.0),
    ("forward", "panel", 3.0),
    ("backward", "panel", 3.0),
    ("accumulate", "panel", 3.0),
    ("inplace", "panel", 3.0),
    ("other", "panel", 3.0),
    ("ok", "panel", 3.0),
    ("warning", "panel", 4.5),
    ("text", "constant_fill", 7.0),
    ("text", "button", 7.0),
    ("text", "button_hover", 7.0),
    ("text", "header", 7.0),
    ("text", "card", 7.0),
    ("focus", "panel", 3.0),
    ("halo", "canvas", 3.0),
    ("halo", "card", 3.0),
    ("saved", "canvas", 3.0),
    ("gradient", "card", 4.5),
    ("gradient", "canvas", 4.5),
    ("freed", "card", 3.0),
    ("error", "canvas", 3.0),
    ("forward", "canvas", 3.0),
    ("accumulate", "canvas", 3.0),
]


NO_COLOURS = {"name", "dark", "scale"}
# What only adorns: no meaning is lost where it is not seen.
ADORNING = {
    "panel_border": "panels stand apart by their surface, too",
    "grid": "a hint of places on the canvas",
}


def test_every_colour_is_looked_at() -> None:
    """Else one that can't be read, or a wrong one, would pass."""
    looked_at = {name for ink, surface, _ in PAIRS for name in (ink, surface)}
    assert {field.name for field in fields(Theme)} == looked_at | NO_COLOURS | ADORNING.keys()
    assert not looked_at & ADORNING.keys()


# what must be told apart at a glance: now, held, freed, forward, gradient, accumulating, error, leaf
MEANINGS = ("halo", "saved", "freed", "forward", "gradient", "accumulate", "error", "leaf")
APART = 20.0  # distance in CIELAB; a just noticeable difference is about 2.3


def channels(colour: str) -> list[float]:
    values = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def contrast(one: str, other: str) -> float:
    weights = (0.2126, 0.7152, 0.0722)
    light = sorted(sum(w * c for w, c in zip(weights, channels(colour), strict=True)) for colour in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())
@pytest.mark.parametrize(("ink", "surface", "least"), PAIRS)
def test_contrast(theme: Theme, ink: str, surface: str, least: float) -> None:
    ratio = contrast(getattr(theme, ink), getattr(theme, surface))
    assert ratio >= least, f"{ink} on {surface}: {ratio:.2f}"


def rgb(colour: str) -> NDArray[np.float64]:
    return np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])


def lab(colour: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB of an sRGB colour between 0 and 1."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    xyz = xyz / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())
def test_numbers_are_read_on_the_colours_of_a_grid(theme: Theme) -> None:
    ink = Ink(theme)
    for strength in (-100, -60, 60, 100):
        cell = ink.strength(strength, GRID_STRENGTH).name()
        assert contrast(theme.text, cell) >= 7.0 and contrast(theme.gradient, cell) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())
def test_a_heat_map_has_colours_that_mean_nothing_else(theme: Theme) -> None:
    for heat in Ink(theme).heat:
        for name in ("halo", "gradient", "accumulate", "error", "saved"):
            distance = float(np.linalg.norm(lab(rgb(heat.name())) - lab(rgb(getattr(theme, name)))))
            assert distance >= 1.5 * APART, f"{heat.name()} and {name}: {distance:.0f}"


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())
@pytest.mark.parametrize("deficiency", ["none", *MATRICES])
def test_meanings_stay_apart_for_eyes_that_see_fewer_hues(theme: Theme, deficiency: str) -> None:
    for one, other in combinations(MEANINGS, 2):
        colours = [rgb(getattr(theme, name)) for name in (one, other)]
        if deficiency != "none":
            colours = [seen(colour, deficiency) for colour in colours]
        distance = float(np.linalg.norm(lab(colours[0]) - lab(colours[1])))
        assert distance >= APART, f"{one} and {other}: {distance:.0f}"


def test_the_simulation_keeps_grey_and_takes_red_from_green() -> None:
    grey, red, green = np.full(3, 0.5), np.array([0.8, 0.3, 0.3]), np.array([0.35, 0.55, 0.3])
    for deficiency in MATRICES:
        np.testing.assert_allclose(seen(grey, deficiency), grey, atol=0.01)
    before = np.linalg.norm(lab(red) - lab(green))
    assert np.linalg.norm(lab(seen(red, "deutan")) - lab(seen(green, "deutan"))) < before / 3


def test_steps_differ_by_sign_as_well_as_by_colour() -> None:
    signs = [sign for kind, sign in SIGNS.items() if kind not in ("FREE",)]
    assert len(set(signs)) == len(signs)
    assert SIGNS["FREE"] == "", "freed buffers are an empty, dashed block"


def test_text_sizes_scale() -> None:
    assert LIGHT.scaled(1.5).px(12) == 18
    assert LIGHT.scaled(1.5).text == LIGHT.text


def test_without_the_bundled_fonts_the_systems_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "FONT_FOLDER", tmp_path / "removed")
    assert look.load_fonts.__wrapped__() == ()
