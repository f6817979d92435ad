"""The colours and text sizes of the window, light and dark, as one frozen record of "#rrggbb" strings; no Qt.

The hues come from Okabe and Ito's palette (https://jfly.uni-koeln.de/color/), which stays apart under the common
colour-vision deficiencies; red against green is never the only difference between two things. Read `gradviz.ui.look`
next, which makes Qt palettes, style sheets and fonts from this.
"""

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
    current_line="#fff3d1",
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
    output="#0a4c94",
    output_fill="#dcebf7",
    operation="#1b2534",
    gradient="#ba4d00",
    gradient_fill="#fef0e5",
    group="#6b6f98",
    group_fill="#e6e9f7",
    halo="#e69f00",
    saved="#e69f00",
    saved_text="#3a2800",
    freed="#667182",
    stale="#7c0828",
    forward="#2382bd",
    backward="#dd7420",
    accumulate="#a84300",
    inplace="#8e5aa8",
    other="#7d8798",
    error="#7c0828",
    error_fill="#fdecee",
    ok="#00875f",
    warning="#9a6a00",
    keyword="#0a5f9e",
    string="#00755a",
    number="#b04a00",
    comment="#6f7a8c",
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
    current_line="#3a3420",
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
    output="#4fa3e8",
    output_fill="#17374f",
    operation="#e8ecf3",
    gradient="#ffa257",
    gradient_fill="#43281a",
    group="#bcb4cf",
    group_fill="#262d4a",
    halo="#ffe27a",
    saved="#e6a817",
    saved_text="#1f1500",
    freed="#8b97aa",
    stale="#ff5c7a",
    forward="#4ea6dd",
    backward="#f08a3c",
    accumulate="#ffb780",
    inplace="#c39be0",
    other="#8b97aa",
    error="#ff5c7a",
    error_fill="#42202a",
    ok="#35c79a",
    warning="#ffc53d",
    keyword="#7cc0f5",
    string="#5fd3ae",
    number="#ffab70",
    comment="#8b97aa",
    builtin="#d0aceb",
)
