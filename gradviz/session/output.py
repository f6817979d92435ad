"""What the snippet has printed at the cursor, as `plain` text. Pure; the output panel shows it.

Which of its plots are visible: those that had been shown at the cursor. Pure; the panel of plots shows them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from gradviz.session.state import State
from gradviz.worker.terminal import plain

if TYPE_CHECKING:
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace

NO_PLOTS = "No plots. A snippet makes one with matplotlib: plt.plot(losses), then plt.show()."
PLOTS_LATER = "The first plot comes at step {:,}."


def visible_plots(state: State) -> tuple[Figure, ...]:
    """The plots that had been shown after the completed steps; all of them if there is no trace to step through."""
    figures = state.run.figures
    if state.trace is None:
        return figures
    return tuple(figure for figure in figures if figure.step <= state.cursor)


def no_plots_text(state: State) -> str:
    """The text if there is no plot."""
    figures = state.run.figures
    return PLOTS_LATER.format(min(figure.step for figure in figures)) if figures else NO_PLOTS


def plot_title(figure: Figure, number: int) -> str:
    """The name of a plot in a list."""
    return f"{number + 1} · {figure.name.splitlines()[0]}" if figure.name.strip() else f"Plot {number + 1}"


def plot_place(figure: Figure) -> str:
    """Where it was shown, in words."""
    line = f"line {figure.line}, " if figure.line > 0 else ""
    return f"{line}step {figure.step:,}"


@dataclass(frozen=True)
class Piece:
    """Consecutive text of one stream, "out" or "err"."""

    stream: str
    text: str


def count(state: State, *, whole: bool = False) -> int:
    """How many prints and warnings there have been."""
    if state.trace is None:
        return 0
    step = state.trace.texts.step
    return len(step) if whole else int(step.searchsorted(state.cursor))


def pieces(trace: Trace, start: int, end: int) -> tuple[Piece, ...]:
    """The prints [start, end), with consecutive ones of the same stream joined."""
    texts = [plain(str(text)) for text in trace.texts.text[start:end]]
    rows = zip(trace.texts.stream[start:end], texts, strict=True)
    return tuple(
        Piece(stream, "".join(text for _, text in run)) for stream, run in groupby(rows, key=lambda row: str(row[0]))
    )


def lengths(trace: Trace) -> list[int]:
    """The total length in UTF-16 units (as Qt counts) of the first 0, 1, 2, … prints."""
    total = [0]
    for text in trace.texts.text:
        total.append(total[-1] + len(plain(str(text)).encode("utf-16-le", "surrogatepass")) // 2)
    return total
