"""Presenting: what is on the screen while the window is shown to a room, and how long a room needs to read a sentence.
Which keys do what is in `commands.presenting`, what it looks like in `ui.presenting`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradviz.document.documents import text_of

if TYPE_CHECKING:
    from gradviz.session.state import State

PANELS = ("editor", "inspector", "timeline", "output")  # those that may be brought beside the graph
FEWEST_SECONDS, MOST_SECONDS = 1.2, 12.0
WORDS_A_SECOND = 3.2  # of a text with numbers and formulas, read by somebody who also looks at a graph


@dataclass(frozen=True)
class Stage:
    """Whether the window presents, and what is beside or over the graph then."""

    on: bool = False
    black: bool = False
    spotlight: bool = False
    panels: frozenset[str] = frozenset()

    def toggled(self, panel: str) -> Stage:
        """With a panel, or without it."""
        return replace(self, panels=self.panels ^ {panel})


def reading_seconds(text: str) -> float:
    """How long a room needs for a text."""
    return min(max(FEWEST_SECONDS, len(text.split()) / WORDS_A_SECOND), MOST_SECONDS)


def seconds_of_step(state: State) -> float:
    """How long the sentence of the current step is looked at."""
    if state.trace is None or not state.steps:
        return FEWEST_SECONDS
    from gradviz.trace.words.explain import explain, explain_fold  # not before the window was painted

    every = state.view.every_step
    said = explain(state.trace.frame(state.cursor)) if every else explain_fold(state.trace, state.cursor)
    return reading_seconds(f"{said.title} {said.sentence}")


def code_of_step(state: State) -> str:
    """The line of the snippet with the operation of the current step, or of that which is asked for, with its number;
    "" where there is none."""
    asked = state.predict.asked
    if state.trace is None or not (state.cursor or asked):
        return ""
    frame = state.trace.frame(state.cursor) if asked is None else state.trace.frame_at(asked.end)
    node = frame.current_node
    line = int(state.trace.nodes.line[node]) if node >= 0 else int(frame.current_line)
    lines = text_of(state.traced).splitlines()
    return f"{line}  {lines[line - 1].strip()}" if 0 < line <= len(lines) else ""
