"""The colours and text sizes of the window (light, dark, for projectors, and in high contrast) as frozen records of
"#rrggbb" strings; no Qt.

Each hue has one meaning, repeated by a shape: blue rings mark the current step (`halo`), violet tabs are held (`saved`)
and grey dashes freed, sky blue is the forward pass, orange-red with ∇ a gradient, gold with Σ an accumulating sum,
crimson with ! an error, and green frames mark leaves. Any two are at least 20 apart in CIELAB, also for eyes with the
common deficiencies; heat maps use slate and umber, which mean nothing else. Read `gradviz.ui.look` next, which makes Qt
palettes, style sheets and fonts from this."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Theme:
    """One look. `scale` multiplies every text size (a projector wants 1.5)."""

    name: str
    dark: bool
    scale: float
    # surfaces and text
    window: str
    panel: str
    panel_border: str
    header: str
    text: str
    muted: str
    faint: str
    link: str
    focus: str
    button: str
    button_hover: str
    selection: str
    current_line: str
    # canvas
    canvas: str
    grid: str
    card: str
    card_border: str
    edge: str
    leaf: str
    leaf_fill: str
    constant: str
    constant_fill: str
    intermediate: str
    intermediate_fill: str
    output: str
    output_fill: str
    operation: str
    gradient: str
    gradient_fill: str
    group: str
    group_fill: str
    halo: str
    saved: str
    saved_text: str
    freed: str
    stale: str
    # steps
    forward: str
    backward: str
    accumulate: str
    inplace: str
    other: str
    error: str
    error_fill: str
    ok: str
    warning: str
    # code
    keyword: str
    string: str
    number: str
    comment: str
    builtin: str

    def scaled(self, scale: float) -> Theme:
        """The same look with other text sizes."""
        return replace(self, scale=scale)

    def px(self, size: float) -> int:
        """A size in pixels at scale 1, scaled for this theme."""
        return max(1, round(size * self.scale))


LIGHT = Theme(
    name="light",
    dark=False,
    scale=1.0,
    window="#f3f5f9",
    panel="#ffffff",
    panel_border="#dde2ea",
    header="#eef1f6",
    text="#1b2534",
    muted="#5b6679",
    faint="#838ea3",
    link="#0a6aa6",
    focus="#0a6aa6",
    button="#ffffff",
    button_hover="#e8eef6",
    selection="#cfe4f5",
    current_line="#e3ebff",
    canvas="#fbfcfd",
    grid="#eceff4",
    card="#ffffff",
    card_border="#838ea3",
    edge="#8490a6",
    leaf="#00875f",
    leaf_fill="#dcf3ea",
    constant="#838ea3",
    constant_fill="#eef0f4",
    intermediate="#5b6679",
    intermediate_fill="#e6e9ef",
    output="#1b2534",
    output_fill="#dfe3ea",
    operation="#1b2534",
    gradient="#b23708",
    gradient_fill="#fdeee6",
    group="#6b6f98",
    group_fill="#e6e9f7",
    halo="#0541d9",
    saved="#572283",
    saved_text="#ffffff",
    freed="#667182",
    stale="#7c0828",
    forward="#0396fd",
    backward="#b23708",
    accumulate="#ca8101",
    inplace="#8e5aa8",
    other="#7d8798",
    error="#7c0828",
    error_fill="#fdecee",
    ok="#00875f",
    warning="#9a6a00",
    keyword="#0a5f9e",
    string="#00755a",
    number="#8f4a12",
    comment="#667083",
    builtin="#7d4a98",
)

DARK = Theme(
    name="dark",
    dark=True,
    scale=1.0,
    window="#12161d",
    panel="#1a2029",
    panel_border="#2e3745",
    header="#202835",
    text="#e8ecf3",
    muted="#a3aec0",
    faint="#77839a",
    link="#66b8f0",
    focus="#66b8f0",
    button="#232c39",
    button_hover="#2e3a4b",
    selection="#27496a",
    current_line="#1d2a4d",
    canvas="#161b23",
    grid="#222a36",
    card="#1f2733",
    card_border="#68758a",
    edge="#6d7a90",
    leaf="#62e3b7",
    leaf_fill="#153b31",
    constant="#77839a",
    constant_fill="#29313d",
    intermediate="#a3aec0",
    intermediate_fill="#2a3442",
    output="#e8ecf3",
    output_fill="#38434f",
    operation="#e8ecf3",
    gradient="#ff953c",
    gradient_fill="#43281a",
    group="#bcb4cf",
    group_fill="#262d4a",
    halo="#2971fc",
    saved="#d595f9",
    saved_text="#24103a",
    freed="#98a5b8",
    stale="#ff5c7a",
    forward="#c0e6fa",
    backward="#ff953c",
    accumulate="#f9e78e",
    inplace="#c39be0",
    other="#8b97aa",
    error="#ff5c7a",
    error_fill="#42202a",
    ok="#35c79a",
    warning="#ffc53d",
    keyword="#7cc0f5",
    string="#5fd3ae",
    number="#e0b070",
    comment="#8b97aa",
    builtin="#d0aceb",
)

PROJECTOR = replace(  # for a projector in a bright room, which shows neither light greys nor faint tints
    LIGHT,
    name="projector",
    window="#ffffff",
    header="#e3e8f0",
    panel_border="#9aa5b5",
    text="#000000",
    muted="#343d4c",
    faint="#5b6679",
    canvas="#ffffff",
    grid="#ffffff",
    card_border="#4a5568",
    edge="#4a5568",
    constant="#5b6679",
    intermediate="#343d4c",
    operation="#000000",
    output="#000000",
    freed="#4d5768",
    comment="#4d5768",
)

CONTRAST = replace(  # for users who need it: white on black, every line as bright as possible
    DARK,
    name="contrast",
    window="#000000",
    panel="#000000",
    panel_border="#8b97aa",
    header="#161b23",
    text="#ffffff",
    muted="#dde3ec",
    faint="#a3aec0",
    button="#000000",
    button_hover="#27496a",
    canvas="#000000",
    grid="#000000",
    card="#000000",
    card_border="#c3ccd9",
    edge="#c3ccd9",
    constant="#a3aec0",
    constant_fill="#161b23",
    intermediate="#dde3ec",
    intermediate_fill="#202835",
    operation="#ffffff",
    output="#ffffff",
    halo="#2971fc",
    comment="#b5c0cf",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, PROJECTOR, CONTRAST)}
