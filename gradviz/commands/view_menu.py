"""The rows of the View and Help menus: the look of the window, how the graph is collapsed (groups, levels, direction,
tags of frequently used leaves), and the plots that a snippet shows with matplotlib.

Preferences have a row that opens the dialog, and one for the command palette for each setting that is in no menu.
The settings themselves are in `session.preferences`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gradviz.commands.panels import PANELS
from gradviz.commands.row import Choice, Command, Shell, has_steps
from gradviz.commands.search import FIND_ROWS, SELECTION
from gradviz.session import moves
from gradviz.session.folding import EVERYTHING
from gradviz.session.output import visible_plots
from gradviz.session.preferences import BY_NAME, SETTINGS, Setting, with_values
from gradviz.session.presenting import Stage
from gradviz.session.state import TEXT_SCALES, State

# --- Preferences ---


def choices_of(setting: Setting) -> Callable[[State], tuple[Choice, ...]]:
    """The choices of a command that changes this setting."""

    def listed(state: State) -> tuple[Choice, ...]:
        chosen = setting.of(state.view)
        return tuple(Choice(title, str(value), value == chosen) for title, value in setting.choices_with(chosen))

    return listed


def chooser_of(setting: Setting) -> Callable[[Shell, str], None]:
    """The action of such a command."""

    def choose(shell: Shell, text: str) -> None:
        value = setting.read(text)
        if value is not None:
            shell.store.look(with_values(shell.store.state.view, {setting.name: value}))

    return choose


PREFERENCES_ROWS = (
    Command(
        id="edit.preferences",
        title="Pr&eferences…",
        menu="Edit",
        help="Find and change any setting: colours, text size, motion, playing, the canvas.",
        shortcuts=("Ctrl+,",),
        group=9,
        run=lambda shell, _: shell.dialogs.preferences(),
    ),
    *(
        Command(
            id=name,
            title=setting.title,
            menu="Edit",
            under="Preferences",
            in_menu=False,
            help=setting.help,
            choices=choices_of(setting),
            run=chooser_of(setting),
        )
        for setting in SETTINGS
        for name in setting.ids
        if not setting.commands
    ),
)


PAN = 80.0  # pixels per key press
ZOOM, PANELS_MENU, PLOTTED = "&Zoom and Move", "&Panels", "Pl&ots"  # submenus of the View menu
GRAPH = "&Graph"
MOST_ENTRIES, MOST_IN_SUBMENU = 8, 12


def _next_scale(state: State, step: int) -> float:
    current = state.view.text_scale
    nearest = min(range(len(TEXT_SCALES)), key=lambda place: abs(TEXT_SCALES[place] - current))
    return TEXT_SCALES[min(max(nearest + step, 0), len(TEXT_SCALES) - 1)]


def _set_scale(shell: Shell, scale: float) -> None:
    shell.store.look(replace(shell.store.state.view, text_scale=scale))


def _select(shell: Shell, step: int) -> None:
    shell.store.select(moves.neighbour(shell.store.state, step))


def _end(shell: Shell) -> None:
    """End one thing at a time: a long layout, the search, highlights, a number, the selection."""
    store = shell.store
    if store.state.shows_layout_progress:
        shell.layout_progress.stop()
    elif store.state.search.open:
        store.look_for(replace(store.state.search, open=False))
    elif store.state.lineage is not None:
        store.trace_lineage(None)
    elif store.state.origin is not None:
        store.show_origin(None)
    elif store.state.stage.on:
        store.set_stage(replace(store.state.stage, black=False) if store.state.stage.black else Stage())
    else:
        store.select(None)


def _can_end(state: State) -> bool:
    chosen = state.selection is not None or state.lineage is not None or state.origin is not None
    return chosen or state.search.open or state.shows_layout_progress or state.stage.on


def _has_graph(state: State) -> bool:
    return state.steps > 0 or (state.drawing is not None and not state.drawing.is_blank)


def _pan_row(direction: str, key: str, dx: float, dy: float) -> Command:
    return Command(
        id=f"view.pan_{direction.lower()}",
        title=f"Move {direction}",
        menu="View",
        under=ZOOM,
        help=f"Scroll the canvas {direction.lower()}.",
        shortcuts=(f"Alt+Shift+{key}",),
        group=1,
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.pan(dx, dy),
    )


VIEW_ROWS = (
    Command(
        id="view.zoom_in",
        title="Zoom &In",
        menu="View",
        under=ZOOM,
        help="Zoom in on the graph.",
        shortcuts=("Ctrl+=", "Ctrl++"),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.zoom_in(),
    ),
    Command(
        id="view.zoom_out",
        title="Zoom &Out",
        menu="View",
        under=ZOOM,
        help="Zoom out of the graph.",
        shortcuts=("Ctrl+-",),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.zoom_out(),
    ),
    Command(
        id="view.zoom_reset",
        title="&Actual Size",
        menu="View",
        under=ZOOM,
        help="Show the graph at its actual size.",
        shortcuts=("Ctrl+0",),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.zoom_reset(),
    ),
    Command(
        id="view.fit",
        title="&Fit to Window",
        menu="View",
        under=ZOOM,
        help="Show the whole graph.",
        shortcuts=("Ctrl+9",),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.fit(),
    ),
    Command(
        id="view.zoom_selection",
        title="Zoom to Selection",
        menu="View",
        under=ZOOM,
        help="Zoom to the selection, or to the current step.",
        shortcuts=("Ctrl+8",),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.fit_selection(),
    ),
    Command(
        id="view.minimap",
        title="Hide &Mini-map",
        menu="View",
        help="Show or hide the overview of the whole graph.",
        shortcuts=("Ctrl+M",),
        retitle=lambda state: "Hide &Mini-map" if state.view.minimap else "Show &Mini-map",
        run=lambda shell, _: shell.store.look(
            replace(shell.store.state.view, minimap=not shell.store.state.view.minimap)
        ),
    ),
    Command(
        id="view.every_step",
        title="Show Every Step",
        menu="View",
        help="Stop at every step, or walk untracked operations and what a node lets go of as one.",
        shortcuts=("Ctrl+Alt+E",),
        retitle=lambda state: "Group Steps without News" if state.view.every_step else "Show Every Step",
        run=lambda shell, _: shell.store.look(
            replace(shell.store.state.view, every_step=not shell.store.state.view.every_step)
        ),
    ),
    _pan_row("Left", "Left", PAN, 0),
    _pan_row("Right", "Right", -PAN, 0),
    _pan_row("Up", "Up", 0, PAN),
    _pan_row("Down", "Down", 0, -PAN),
    Command(
        id="view.larger",
        title="&Larger Text",
        menu="View",
        under=ZOOM,
        help="Make all text and graphics larger, for example on a projector.",
        shortcuts=("Ctrl+Alt+=", "Ctrl+Alt++"),
        group=2,
        enabled=lambda state: state.view.text_scale < TEXT_SCALES[-1],
        run=lambda shell, _: _set_scale(shell, _next_scale(shell.store.state, 1)),
    ),
    Command(
        id="view.smaller",
        title="&Smaller Text",
        menu="View",
        under=ZOOM,
        help="Make all text and graphics smaller.",
        shortcuts=("Ctrl+Alt+-",),
        group=2,
        enabled=lambda state: state.view.text_scale > TEXT_SCALES[0],
        run=lambda shell, _: _set_scale(shell, _next_scale(shell.store.state, -1)),
    ),
    Command(
        id="view.select_next",
        title="Select &Next",
        menu="View",
        under=SELECTION,
        help="Select the next tensor or operation in the order of creation.",
        shortcuts=("Ctrl+Down",),
        group=2,
        enabled=_has_graph,
        run=lambda shell, _: _select(shell, 1),
    ),
    Command(
        id="view.select_previous",
        title="Select &Previous",
        menu="View",
        under=SELECTION,
        help="Select the previous tensor or operation in the order of creation.",
        shortcuts=("Ctrl+Up",),
        group=2,
        enabled=_has_graph,
        run=lambda shell, _: _select(shell, -1),
    ),
    Command(
        id="view.select_none",
        title="Follow the &Current Step",
        menu="View",
        under=SELECTION,
        help="Inspect whatever the current step is about. Ends a long layout, a search or presenting first.",
        shortcuts=("Escape",),
        group=2,
        enabled=_can_end,
        run=lambda shell, _: _end(shell),
    ),
    *FIND_ROWS,
    *(
        Command(
            id=f"view.focus_{panel.id}",
            title=f"Go to {panel.title}",
            menu="View",
            under=PANELS_MENU,
            help=f"Move the keyboard focus to the {panel.title.lower()}.",
            shortcuts=(f"Ctrl+{panel.digit}",),
            group=3,
            run=lambda shell, _, id=panel.id: shell.focus(id),  # type: ignore[misc]
        )
        for panel in sorted(PANELS, key=lambda each: each.digit)
        if panel.digit
    ),
    Command(
        id="view.fold_away",
        title="Hide This Panel",
        menu="View",
        under=PANELS_MENU,
        help="Give the room of the panel that has the keyboard to the graph; going to it brings it back.",
        shortcuts=("Shift+Escape",),
        group=3,
        run=lambda shell, _: shell.fold_away(),
    ),
)


HELP_ROWS = (
    Command(
        id="help.palette",
        title="&Command Palette…",
        menu="Help",
        help="Find any command by typing part of its name.",
        shortcuts=("Ctrl+Shift+P",),
        toolbar="Ctrl+Shift+P   Command palette",
        run=lambda shell, _: shell.dialogs.command_palette(),
    ),
    Command(
        id="help.keyboard",
        title="&Keyboard",
        menu="Help",
        help="List all commands with their shortcuts.",
        shortcuts=("F1",),
        run=lambda shell, _: shell.dialogs.keyboard_help(),
    ),
    Command(
        id="help.operations",
        title="&Operation Reference",
        menu="Help",
        help="Look up every operation: its formula, its gradients and what it saves.",
        shortcuts=("Shift+F1",),
        run=lambda shell, _: shell.dialogs.operation_reference(),
    ),
    Command(
        id="help.timeline",
        title="&Reading the Timeline",
        menu="Help",
        help="Explain the colours, marks and curves of the timeline, and its keys.",
        run=lambda shell, _: shell.dialogs.timeline_legend(),
    ),
    Command(
        id="help.safety",
        title="&Safety",
        menu="Help",
        help="Explain what a running snippet can and cannot do, and what enforces it.",
        shortcuts=("Ctrl+F1",),
        run=lambda shell, _: shell.dialogs.safety(),
    ),
    Command(
        id="help.updates",
        title="Check for &Updates",
        menu="Help",
        help="Show this version, and how to install a newer one. GradViz never looks for updates by itself.",
        group=1,
        run=lambda shell, _: shell.dialogs.updates(),
    ),
    Command(
        id="help.about",
        title="&About GradViz",
        menu="Help",
        help="Show the version of GradViz, and of the PyTorch that it mirrors.",
        group=1,
        run=lambda shell, _: shell.dialogs.about(),
    ),
)


# -- collapsing the graph

GROUP = 6
LEVELS = (("Automatic", ""), ("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"))
WAYS = (("By the Number of Its Uses", ""), ("Tags at Every Further Use", "tags"), ("Edges to Every Use", "edges"))


def _fold_to(shell: Shell, level: int | None) -> None:
    shell.store.fold(shell.store.state.folding.at_level(level))


def _levels(state: State) -> tuple[Choice, ...]:
    level = "" if state.folding.level is None else str(state.folding.level)
    return tuple(Choice(title, value, value == level) for title, value in LEVELS)


def _leaf(state: State) -> str:
    """The name of the selected leaf, "" if there is none."""
    thing, trace = state.selection, state.trace
    if trace is None or thing is None or thing.kind != "tensor" or not 0 <= thing.index < len(trace.tensors):
        return ""
    return trace.naming.name(thing.index, len(trace)) if trace.tensors.producer[thing.index] < 0 else ""


def _ways(state: State) -> tuple[Choice, ...]:
    leaf, folding = _leaf(state), state.folding
    way = "tags" if leaf in folding.tagged else "edges" if leaf in folding.linked else ""
    return tuple(Choice(title, value, value == way) for title, value in WAYS)


FOLD_ROWS = (
    Command(
        id="view.toggle_group",
        title="Open or Close Group",
        menu="View",
        under=GRAPH,
        help="Expand the selected module, loop or function in place, or collapse the one around the selection.",
        shortcuts=("Ctrl+G",),
        group=GROUP,
        enabled=has_steps,
        run=lambda shell, _: shell.canvas.toggle_group(),
    ),
    Command(
        id="view.unfold_all",
        title="&Expand All",
        menu="View",
        under=GRAPH,
        help="Expand every module, loop and function.",
        shortcuts=("Ctrl+Shift+G",),
        group=GROUP,
        enabled=has_steps,
        run=lambda shell, _: _fold_to(shell, EVERYTHING),
    ),
    Command(
        id="view.fold_all",
        title="Collapse All",
        menu="View",
        under=GRAPH,
        help="Collapse every module, loop and function.",
        shortcuts=("Ctrl+Alt+G",),
        group=GROUP,
        enabled=has_steps,
        run=lambda shell, _: _fold_to(shell, 0),
    ),
    Command(
        id="view.fold_level",
        title="Expand to Le&vel",
        menu="View",
        under=GRAPH,
        help="Expand the outer groups only, or as many as stay readable.",
        group=GROUP,
        enabled=has_steps,
        choices=_levels,
        run=lambda shell, value: _fold_to(shell, int(value) if value else None),
    ),
    Command(
        id="view.direction",
        title="Di&rection",
        menu="View",
        under=GRAPH,
        help="Lay out the graph from left to right or from top to bottom.",
        group=GROUP,
        choices=choices_of(BY_NAME["vertical"]),
        run=chooser_of(BY_NAME["vertical"]),
    ),
    Command(
        id="view.leaf_references",
        title="Uses of t&he Selected Leaf",
        menu="View",
        under=GRAPH,
        help="Draw the uses of the selected leaf as edges or as small tags.",
        group=GROUP,
        enabled=lambda state: bool(_leaf(state)),
        choices=_ways,
        run=lambda shell, value: shell.store.fold(
            shell.store.state.folding.with_references(_leaf(shell.store.state), value)
        ),
    ),
)


# -- plots

PLOTS = 5


def _has_plot(state: State) -> bool:
    return bool(state.run.figures) and bool(visible_plots(state))


def _has_plots(state: State) -> bool:
    return bool(state.run.figures) and len(visible_plots(state)) > 1


PLOT_ROWS = (
    Command(
        id="plots.larger",
        title="Plot in a &Window",
        menu="View",
        under=PLOTTED,
        help="Show the plot in its own window; scroll to zoom, drag to pan.",
        shortcuts=("Ctrl+Alt+P",),
        group=PLOTS,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.enlarge(),
    ),
    Command(
        id="plots.next",
        title="Ne&xt Plot",
        menu="View",
        under=PLOTTED,
        help="Show the next plot of the run.",
        shortcuts=("Ctrl+Alt+Right",),
        group=PLOTS,
        enabled=_has_plots,
        run=lambda shell, _: shell.plots.turn(1),
    ),
    Command(
        id="plots.previous",
        title="Previous Plot",
        menu="View",
        under=PLOTTED,
        help="Show the previous plot of the run.",
        shortcuts=("Ctrl+Alt+Left",),
        group=PLOTS,
        enabled=_has_plots,
        run=lambda shell, _: shell.plots.turn(-1),
    ),
    Command(
        id="plots.step",
        title="Step of the Plot",
        menu="View",
        under=PLOTTED,
        help="Go to the step at which the plot was shown.",
        shortcuts=("Ctrl+Alt+Up",),
        group=PLOTS,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.go_to_step(),
    ),
    Command(
        id="plots.copy",
        title="Cop&y Plot",
        menu="View",
        under=PLOTTED,
        help="Copy the plot to the clipboard as an image.",
        group=PLOTS,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.copy_picture(),
    ),
    Command(
        id="plots.save",
        title="Save Plot…",
        menu="View",
        under=PLOTTED,
        help="Save the plot as a PNG or SVG file.",
        shortcuts=("Ctrl+Alt+S",),
        group=PLOTS,
        enabled=_has_plot,
        run=lambda shell, _: shell.plots.save_picture(),
    ),
)
