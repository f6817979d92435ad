"""How large closed groups and the titles of open ones are, in world units; `sizes` has the rest."""

from __future__ import annotations

from gradviz.ui.canvas import sizes

TITLE = 28.0
TRIANGLE = 22.0
LINE = 18.0
BAR = 14.0
NARROWEST, WIDEST = 190.0, 340.0
FRAME_TITLE = 26.0


def group_size(ruler: sizes.Measure, title: str, detail: str) -> tuple[float, float]:
    """Width and height of a closed group."""
    width = max(ruler.width(sizes.NAME, title) + TRIANGLE, ruler.width(sizes.META, detail)) + 2 * sizes.PAD
    height = TITLE + (LINE if detail else 0.0) + 2 * LINE + BAR + sizes.PAD
    return round(min(max(width, NARROWEST), WIDEST)), round(height)


def frame_header(ruler: sizes.Measure, title: str, detail: str) -> tuple[float, float]:
    """Least width and height of the title of an open group."""
    width = ruler.width(sizes.NAME, title) + TRIANGLE + 2 * sizes.PAD
    if detail:
        width += ruler.width(sizes.META, detail) + sizes.PAD
    return round(min(width, 2 * WIDEST)), FRAME_TITLE
