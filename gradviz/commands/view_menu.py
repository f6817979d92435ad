"""The rows of the View, Learn and Help menus."""

from __future__ import annotations

from dataclasses import replace

from gradviz.commands.panels import PANELS
from gradviz.commands.row import Choice, Command, Shell
from gradviz.commands.search import FIND_ROWS
from gradviz.session import moves
from gradviz.session.state import TEXT_SCALES, THEME_CHOICES, State

PAN = 80.0  # pixels per key press


def _themes(state: State) -> tuple[Choice, ...]:
    return tuple(Choice(name.capitalize(), name, name == state.view.theme) for name in THEME_CHOICES)


def _set_theme(shell: Shell, name: str) -> None:
    shell.store.look(replace(shell.store.state.view, theme=name))


def _next_scale(state: State, step: int) -> float:
    current = state.view.text_scale
    nearest = min(range(len(TEXT_SCALES)), key=lambda place: abs(TEXT_SCALES[place] - current))
    return TEXT_SCALES[min(max(nearest + step, 0), len(TEXT_SCALES) - 1)]


def _set_scale(shell: Shell, scale: float) -> None:
    shell.store.look(replace(shell.store.state.view, text_scale=scale))


def _select(shell: Shell, step: int) -> None:
    shell.store.select(moves.neighbour(shell.store.state, step))


def _end(shell: Shell) -> None:
    """One thing at a time: a layout that takes long, the search, what stands out, the selection."""
    store = shell.store
    if store.state.shows_layout_progress:
        shell.layout_progress.stop()
    elif store.state.search.open:
        store.look_for(replace(store.state.search, open=False))
    elif store.state.lineage is not None:
        store.trace_lineage(None)
    else:
        store.select(None)


def _can_end(state: State) -> bool:
    chosen = state.selection is not None or state.lineage is not None
    return chosen or state.search.open or state.shows_layout_progress


def _has_graph(state: State) -> bool:
    return state.steps > 0 or (state.drawing is not None and not state.drawing.is_blank)


def _pan_row(direction: str, key: str, dx: float, dy: float) -> Command:
    return Command(
        id=f"view.pan_{direction.lower()}",
        title=f"Move {direction}",
        menu="View",
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
        help="Zoom in on the graph.",
        shortcuts=("Ctrl+=", "Ctrl++"),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.zoom_in(),
    ),
    Command(
        id="view.zoom_out",
        title="Zoom &Out",
        menu="View",
        help="Zoom out of the graph.",
        shortcuts=("Ctrl+-",),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.zoom_out(),
    ),
    Command(
        id="view.zoom_reset",
        title="&Actual Size",
        menu="View",
        help="Show the graph at its actual size.",
        shortcuts=("Ctrl+0",),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.zoom_reset(),
    ),
    Command(
        id="view.fit",
        title="&Fit to Window",
        menu="View",
        help="Show the whole graph.",
        shortcuts=("Ctrl+9",),
        enabled=_has_graph,
        run=lambda shell, _: shell.canvas.fit(),
    ),
    Command(
        id="view.zoom_selection",
        title="Zoom to Selection",
        menu="View",
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
    _pan_row("Left", "Left", PAN, 0),
    _pan_row("Right", "Right", -PAN, 0),
    _pan_row("Up", "Up", 0, PAN),
    _pan_row("Down", "Down", 0, -PAN),
    Command(
        id="view.select_next",
        title="Select &Next",
        menu="View",
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
        help="Inspect whatever the current step is about. Cancels a long layout, a search or a dimmed graph first.",
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
            help=f"Move the keyboard focus to the {panel.title.lower()}.",
            shortcuts=(f"Ctrl+{panel.digit}",),
            group=3,
            run=lambda shell, _, id=panel.id: shell.focus(id),  # type: ignore[misc]
        )
        for panel in sorted(PANELS, key=lambda each: each.digit)
        if panel.digit
    ),
    Command(
        id="view.theme",
        title="&Theme",
        menu="View",
        help="Use a light or dark theme, or follow the system.",
        group=4,
        choices=_themes,
        run=_set_theme,
    ),
    Command(
        id="view.larger",
        title="&Larger Text",
        menu="View",
        help="Make all text and graphics larger, for example on a projector.",
        shortcuts=("Ctrl+Alt+=", "Ctrl+Alt++"),
        group=4,
        enabled=lambda state: state.view.text_scale < TEXT_SCALES[-1],
        run=lambda shell, _: _set_scale(shell, _next_scale(shell.store.state, 1)),
    ),
    Command(
        id="view.smaller",
        title="&Smaller Text",
        menu="View",
        help="Make all text and graphics smaller.",
        shortcuts=("Ctrl+Alt+-",),
        group=4,
        enabled=lambda state: state.view.text_scale > TEXT_SCALES[0],
        run=lambda shell, _: _set_scale(shell, _next_scale(shell.store.state, -1)),
    ),
)

LEARN_ROWS = (
    Command(
        id="learn.examples",
        title="&Examples",
        menu="Learn",
        help="Open a worked example.",
        shortcuts=("Ctrl+Shift+E",),
        run=lambda shell, _: shell.dialogs.examples(),
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
        id="help.about",
        title="&About GradViz",
        menu="Help",
        help="Show the version of GradViz, and of the PyTorch that it mirrors.",
        group=1,
        run=lambda shell, _: shell.dialogs.about(),
    ),
)
