"""The rows of the View menu that fold the graph: groups, levels, direction, tags of leaves that are used often."""

from __future__ import annotations

from dataclasses import replace

from gradviz.commands.row import Choice, Command, Shell
from gradviz.session.folding import DIRECT_USES_CHOICES, EVERYTHING
from gradviz.session.state import State

GROUP = 6
LEVELS = (("Automatic", ""), ("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"))
DIRECTIONS = (("Left to Right", ""), ("Top to Bottom", "vertical"))
WAYS = (("By the Number of Its Uses", ""), ("Tags at Every Further Use", "tags"), ("Edges to Every Use", "edges"))


def _has_trace(state: State) -> bool:
    return state.steps > 0


def _fold_to(shell: Shell, level: int | None) -> None:
    shell.store.fold(shell.store.state.folding.at_level(level))


def _levels(state: State) -> tuple[Choice, ...]:
    level = "" if state.folding.level is None else str(state.folding.level)
    return tuple(Choice(title, value, value == level) for title, value in LEVELS)


def _directions(state: State) -> tuple[Choice, ...]:
    return tuple(Choice(title, value, bool(value) == state.view.vertical) for title, value in DIRECTIONS)


def _direct_uses(state: State) -> tuple[Choice, ...]:
    return tuple(
        Choice(f"More than {count} Use{'s' if count > 1 else ''}", str(count), count == state.view.direct_uses)
        for count in DIRECT_USES_CHOICES
    )


def _leaf(state: State) -> str:
    """The name of the selected leaf, "" if none is selected."""
    thing, trace = state.selection, state.trace
    if trace is None or thing is None or thing.kind != "tensor" or not 0 <= thing.index < len(trace.tensors):
        return ""
    return trace.naming.name(thing.index, len(trace)) if trace.tensors.producer[thing.index] < 0 else ""


def _ways(state: State) -> tuple[Choice, ...]:
    leaf, folding = _leaf(state), state.folding
    way = "tags" if leaf in folding.tagged else "edges" if leaf in folding.linked else ""
    return tuple(Choice(title, value, value == way) for title, value in WAYS)


def _animations(state: State) -> tuple[Choice, ...]:
    return (Choice("On", "on", state.view.animated), Choice("Off", "", not state.view.animated))


FOLD_ROWS = (
    Command(
        id="view.toggle_group",
        title="Open or Close Group",
        menu="View",
        help="Expand the selected module, loop or function in place, or collapse the one around the selection.",
        shortcuts=("Ctrl+G",),
        group=GROUP,
        enabled=_has_trace,
        run=lambda shell, _: shell.canvas.toggle_group(),
    ),
    Command(
        id="view.unfold_all",
        title="&Unfold All",
        menu="View",
        help="Expand every module, loop and function.",
        shortcuts=("Ctrl+Shift+G",),
        group=GROUP,
        enabled=_has_trace,
        run=lambda shell, _: _fold_to(shell, EVERYTHING),
    ),
    Command(
        id="view.fold_all",
        title="Fold All",
        menu="View",
        help="Collapse every module, loop and function.",
        shortcuts=("Ctrl+Alt+G",),
        group=GROUP,
        enabled=_has_trace,
        run=lambda shell, _: _fold_to(shell, 0),
    ),
    Command(
        id="view.fold_level",
        title="Fold to Le&vel",
        menu="View",
        help="Expand the outer groups only, or as many as stay readable.",
        group=GROUP,
        enabled=_has_trace,
        choices=_levels,
        run=lambda shell, value: _fold_to(shell, int(value) if value else None),
    ),
    Command(
        id="view.direction",
        title="Di&rection",
        menu="View",
        help="Lay out the graph from left to right or from top to bottom.",
        group=GROUP,
        choices=_directions,
        run=lambda shell, value: shell.store.look(replace(shell.store.state.view, vertical=bool(value))),
    ),
    Command(
        id="view.direct_uses",
        title="R&eference Tags",
        menu="View",
        help="Choose how many uses a leaf must have before each further use is drawn as a small tag.",
        group=GROUP,
        choices=_direct_uses,
        run=lambda shell, value: shell.store.look(replace(shell.store.state.view, direct_uses=int(value))),
    ),
    Command(
        id="view.leaf_references",
        title="Uses of t&he Selected Leaf",
        menu="View",
        help="Draw the uses of the selected leaf as edges or as small tags.",
        group=GROUP,
        enabled=lambda state: bool(_leaf(state)),
        choices=_ways,
        run=lambda shell, value: shell.store.fold(
            shell.store.state.folding.with_references(_leaf(shell.store.state), value)
        ),
    ),
    Command(
        id="view.animations",
        title="Animate Foldin&g",
        menu="View",
        help="Animate groups as they expand and collapse.",
        group=GROUP,
        choices=_animations,
        run=lambda shell, value: shell.store.look(replace(shell.store.state.view, animated=bool(value))),
    ),
)
