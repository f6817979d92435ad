"""The rows of the View menu for the plots that a snippet shows with matplotlib."""

from __future__ import annotations

from gradviz.commands.row import Command
from gradviz.session.plots import visible
from gradviz.session.state import State

GROUP = 5


def _has_plot(state: State) -> bool:
    return bool(state.run.figures) and bool(visible(state))


def _has_plots(state: State) -> bool:
    return bool(state.run.figures) and len(visible(state)) > 1


PLOT_ROWS = (
    Command(
        id="plots.larger",
        title="Plot in a &Window",
        menu="View",
        help="Show the plot in its own window; scroll to zoom, drag to pan.",
        shortcuts=("Ctrl+Alt+P",),
        group=GROUP,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.enlarge(),
    ),
    Command(
        id="plots.next",
        title="Ne&xt Plot",
        menu="View",
        help="Show the next plot of the run.",
        shortcuts=("Ctrl+Alt+Right",),
        group=GROUP,
        enabled=_has_plots,
        run=lambda shell, _: shell.plots.turn(1),
    ),
    Command(
        id="plots.previous",
        title="Previous Plot",
        menu="View",
        help="Show the previous plot of the run.",
        shortcuts=("Ctrl+Alt+Left",),
        group=GROUP,
        enabled=_has_plots,
        run=lambda shell, _: shell.plots.turn(-1),
    ),
    Command(
        id="plots.step",
        title="Step of the Plot",
        menu="View",
        help="Go to the step at which the plot was shown.",
        shortcuts=("Ctrl+Alt+Up",),
        group=GROUP,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.go_to_step(),
    ),
    Command(
        id="plots.copy",
        title="Cop&y Plot",
        menu="View",
        help="Copy the plot to the clipboard as an image.",
        group=GROUP,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.copy_picture(),
    ),
    Command(
        id="plots.save",
        title="Save Plot…",
        menu="View",
        help="Save the plot as a PNG or SVG file.",
        shortcuts=("Ctrl+Alt+S",),
        group=GROUP,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.save_picture(),
    ),
)
