"""What the timeline draws, in words: the legend that the Help menu shows. The colours and signs are those of the
painters themselves."""

from __future__ import annotations

from gradviz.session.breakpoints.condition_values import kind_words
from gradviz.session.timeline.marks import TITLES, Mark
from gradviz.ui.panels.timeline_paint import SIGNS, colour_of
from gradviz.ui.panels.timeline_rows import SHAPES, mark_colour
from gradviz.ui.theme import Theme

MOUSE = (
    ("Click or drag on the steps", "go there"),
    ("Wheel", "a step forward or back"),
    ("Ctrl and wheel, or two fingers", "zoom at the pointer; a double click shows all steps again"),
    ("Shift and wheel, or drag the bar at the top", "move along"),
    ("Click a title, such as t = 3 or backward 2", "play only these steps, in a loop; drag A and B to change that"),
    ("Click a mark", "go to its step"),
)
KEYS = (
    ("← →, Page Up, Page Down, Home, End", "go to other steps"),
    ("Ctrl ← →", "the mark before, the next mark"),
    ("+ − 0", "closer, further away, all steps"),
    ("Shift ← →", "move along"),
    ("[ ] Backspace", "loop from here, loop up to here, no loop"),
    ("Space", "play or pause"),
)
CURVES = (
    ("saved buffers held", "bytes that wait for the backward pass; the dot is the peak"),
    ("loss, gradient norm", "of each backward call in a training loop: the loss as a line, the gradient dashed"),
)


def legend_html(theme: Theme) -> str:
    """All of it as rich text."""
    steps = [
        (_sign(SIGNS[word.upper().replace(" ", "_")] or "▭", colour_of(theme, word.upper().replace(" ", "_"))), word)
        for word in kind_words()
    ]
    marks = [(_sign(SHAPES[mark], mark_colour(theme, mark)), TITLES[mark][0]) for mark in sorted(Mark, reverse=True)]
    parts = (("Steps", steps), ("Marks", marks), ("Curves", CURVES), ("Mouse", MOUSE), ("Keys, when it has them", KEYS))
    return "".join(_table(theme, title, rows) for title, rows in parts)


def _sign(sign: str, colour: str) -> str:
    return f"<span style='color:{colour}; font-weight:600'>{sign}</span>"


def _table(theme: Theme, title: str, rows: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> str:
    cell = "style='padding:2px 14px 2px 0"
    lines = "".join(
        f"<tr><td {cell}; color:{theme.text}'>{left}</td><td {cell}; color:{theme.muted}'>{right}</td></tr>"
        for left, right in rows
    )
    return (
        f"<p style='font-size:{theme.px(15)}px; font-weight:600; margin:12px 0 4px 0'>{title}</p><table>{lines}</table>"
    )
