"""Which plots of the run are visible: those that had been shown at the cursor. Pure; the panel of plots shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.session.state import State

if TYPE_CHECKING:
    from gradviz.trace.figures import Figure

NONE = "No plots. A snippet makes one with matplotlib: plt.plot(losses), then plt.show()."
LATER = "The first plot comes at step {:,}."


def visible(state: State) -> tuple[Figure, ...]:
    """The plots that had been shown after the completed steps; all of them if there is no trace to step through."""
    figures = state.run.figures
    if state.trace is None:
        return figures
    return tuple(figure for figure in figures if figure.step <= state.cursor)


def nothing_text(state: State) -> str:
    """The text if there is no plot."""
    figures = state.run.figures
    return LATER.format(min(figure.step for figure in figures)) if figures else NONE


def title(figure: Figure, number: int) -> str:
    """The name of a plot in a list."""
    return f"{number + 1} · {figure.name.splitlines()[0]}" if figure.name.strip() else f"Plot {number + 1}"


def place(figure: Figure) -> str:
    """Where it was shown, in words."""
    line = f"line {figure.line}, " if figure.line > 0 else ""
    return f"{line}step {figure.step:,}"
