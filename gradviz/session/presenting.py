"""Presenting: what is on screen while the window is shown to an audience, what only the speaker sees, and how long a
sentence takes to read. The keys are in `commands.learning`, the appearance in `ui.presenting`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from gradviz.document.documents import text_of
from gradviz.document.snippet import comments_of

if TYPE_CHECKING:
    from gradviz.session.state import State

PANELS = ("editor", "inspector", "timeline", "output")  # panels that may be brought beside the graph
FEWEST_SECONDS, MOST_SECONDS = 1.2, 12.0
WORDS_A_SECOND = 3.2  # for text with numbers and formulas, read by people who also look at a graph


@dataclass(frozen=True)
class Stage:
    """Whether the window presents, and what is beside or over the graph while it does."""

    on: bool = False
    black: bool = False
    spotlight: bool = False
    notes: bool = False  # in a window for the speaker
    panels: frozenset[str] = frozenset()

    def toggled(self, panel: str) -> Stage:
        """With a panel added or removed."""
        return replace(self, panels=self.panels ^ {panel})


def reading_seconds(text: str) -> float:
    """How long an audience needs for a text."""
    return min(max(FEWEST_SECONDS, len(text.split()) / WORDS_A_SECOND), MOST_SECONDS)


def seconds_of_step(state: State) -> float:
    """How long the sentence of the current step stays."""
    if state.trace is None or not state.steps:
        return FEWEST_SECONDS
    from gradviz.trace.words.explain import explain_fold  # not before the window was painted

    said = explain_fold(state.trace, state.cursor, state.view.every_step)
    return reading_seconds(f"{said.title} {said.sentence}")


def code_of_step(state: State) -> str:
    """The line of the snippet with the operation of the current step, or of the one asked about, with its number; "" if
    there is none."""
    line, lines = _line_of_step(state), text_of(state.traced).splitlines()
    return f"{line}  {lines[line - 1].strip()}" if 0 < line <= len(lines) else ""


def notes_of_step(state: State) -> str:
    """What the snippet itself says about that line: the comments right above it and at its end. At the start, the text
    above the code."""
    if state.trace is None or not state.cursor:
        return state.note
    line, lines = _line_of_step(state), text_of(state.traced).splitlines()
    said = _comments(text_of(state.traced))
    found = [said[line]] if line in said else []
    above = line - 1
    while above in said and lines[above - 1].lstrip().startswith("#"):
        found.insert(0, said[above])
        above -= 1
    return "\n".join(found)


_comments = lru_cache(maxsize=1)(comments_of)  # the text is the same at each step, and long ones take a while


def _line_of_step(state: State) -> int:
    """From 1; less if there is none."""
    asked = state.predict.asked
    if state.trace is None or not (state.cursor or asked):
        return 0
    frame = state.trace.frame(state.cursor) if asked is None else state.trace.frame_at(asked.end)
    node = frame.current_node
    return int(state.trace.nodes.line[node]) if node >= 0 else int(frame.current_line)
