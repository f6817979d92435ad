"""The rows of the Draw menu. What they do to the drawing is in `shaping`; what is done by hand on the canvas, in the
window's `Board`."""

from __future__ import annotations

from gradviz.commands import shaping
from gradviz.commands.row import Choice, Command
from gradviz.document.leaf_kinds import LEAF_KINDS
from gradviz.session.state import State

ALIGNMENTS = (
    *(("Left Edges", "left"), ("Centers, One Below the Other", "center"), ("Right Edges", "right")),
    *(("Top Edges", "top"), ("Middles, Side by Side", "middle"), ("Bottom Edges", "bottom")),
)
GAPS = (("Across", "across"), ("Down", "down"))


def _leaf_kinds(_: State) -> tuple[Choice, ...]:
    return tuple(Choice(kind.title, kind.key) for kind in LEAF_KINDS)


def _alignments(_: State) -> tuple[Choice, ...]:
    return tuple(Choice(title, value) for title, value in ALIGNMENTS)


def _gaps(_: State) -> tuple[Choice, ...]:
    return tuple(Choice(title, value) for title, value in GAPS)


def _several(state: State) -> bool:
    return shaping.has_several(state) or len(shaping.picked_nodes(state)) > 1


NEW_ROWS = (
    Command(
        id="draw.new",
        title="&New Drawing",
        menu="Draw",
        help="Begin an empty drawing: a graph that you put together by hand.",
        shortcuts=("Ctrl+Alt+N",),
        run=lambda shell, _: shaping.new_drawing(shell),
    ),
    Command(
        id="draw.add",
        title="&Add…",
        menu="Draw",
        help="Type an operation, a number or an expression such as w*x + b to place it.",
        shortcuts=("Ctrl+K",),
        group=1,
        enabled=shaping.can_draw,
        run=lambda shell, _: shell.board.type_here(),
    ),
    Command(
        id="draw.leaf",
        title="Add &Leaf",
        menu="Draw",
        help="Place a tensor that is written down: a number, a vector, a matrix, random numbers.",
        group=1,
        enabled=shaping.can_draw,
        choices=_leaf_kinds,
        run=lambda shell, kind: shell.board.add_leaf(kind),
    ),
    Command(
        id="draw.comment",
        title="Add Co&mment",
        menu="Draw",
        help="Place a box with text behind the nodes.",
        shortcuts=("Ctrl+H",),
        group=1,
        enabled=shaping.can_draw,
        run=lambda shell, _: shell.board.add_comment(),
    ),
    Command(
        id="draw.wire",
        title="Draw a &Wire",
        menu="Draw",
        help="Begin a wire at the selected node; the arrows choose where it goes, Enter connects.",
        shortcuts=("Ctrl+L",),
        group=1,
        enabled=shaping.has_nodes,
        run=lambda shell, _: shell.board.start_wire(),
    ),
)

EDIT_ROWS = (
    Command(
        id="draw.edit",
        title="&Edit in Place",
        menu="Draw",
        help="Edit the value or the name of what is selected where it stands (Enter on the canvas).",
        group=2,
        enabled=shaping.has_picked,
        run=lambda shell, _: shell.board.edit_here(),
    ),
    Command(
        id="draw.edit_value",
        title="Edit &Value…",
        menu="Draw",
        help="Go to the fields of what is selected in the inspector: numbers, dtype, arguments.",
        shortcuts=("Alt+Return", "Alt+Enter"),
        group=2,
        enabled=shaping.has_picked,
        run=lambda shell, _: shell.focus("inspector"),
    ),
    Command(
        id="draw.duplicate",
        title="D&uplicate",
        menu="Draw",
        help="Copy what is selected to a place beside it; the copy keeps the wires that come in.",
        shortcuts=("Ctrl+J",),
        group=2,
        enabled=shaping.has_picked,
        run=lambda shell, _: shaping.duplicate(shell),
    ),
    Command(
        id="draw.delete",
        title="&Delete",
        menu="Draw",
        help="Take away what is selected, with its wires (Delete on the canvas).",
        group=2,
        enabled=shaping.has_picked,
        run=lambda shell, _: shaping.delete(shell),
    ),
    Command(
        id="draw.requires_grad",
        title="Re&quires Gradient",
        menu="Draw",
        help="Whether the selected leaves get a gradient.",
        shortcuts=("Ctrl+Shift+R",),
        group=2,
        enabled=lambda state: bool(shaping.picked_leaves(state)),
        run=lambda shell, _: shaping.toggle_requires_grad(shell),
    ),
    Command(
        id="draw.backward",
        title="&Backward from Here",
        menu="Draw",
        help="Run backward from the selected node.",
        shortcuts=("Ctrl+B",),
        group=2,
        enabled=lambda state: shaping.root_of(state) is not None,
        run=lambda shell, _: shaping.backward(shell),
    ),
)

PLACE_ROWS = (
    Command(
        id="draw.tidy",
        title="&Tidy Up",
        menu="Draw",
        help="Place all nodes anew, in the order of the computation; what is pinned stays where it is.",
        shortcuts=("Ctrl+T",),
        group=3,
        enabled=shaping.has_nodes,
        run=lambda shell, _: shell.board.tidy_up(),
    ),
    Command(
        id="draw.pin",
        title="&Pin",
        menu="Draw",
        help="Let Tidy Up leave the selected nodes where they are, or not any more.",
        shortcuts=("Ctrl+P",),
        group=3,
        enabled=shaping.has_picked_nodes,
        retitle=lambda state: "Un&pin" if shaping.has_picked_nodes(state) and shaping.all_pinned(state) else "&Pin",
        run=lambda shell, _: shaping.pin(shell),
    ),
    Command(
        id="draw.align",
        title="Al&ign",
        menu="Draw",
        help="Put the selected nodes on one line.",
        group=3,
        enabled=_several,
        choices=_alignments,
        run=lambda shell, how: shaping.align(shell, how),
    ),
    Command(
        id="draw.distribute",
        title="Distribute Evenl&y",
        menu="Draw",
        help="Make the gaps between the selected nodes equal.",
        group=3,
        enabled=_several,
        choices=_gaps,
        run=lambda shell, how: shaping.distribute(shell, how),
    ),
    Command(
        id="draw.group",
        title="&Group",
        menu="Draw",
        help="Put the selected nodes into a group with a title.",
        shortcuts=("Ctrl+U",),
        group=4,
        enabled=shaping.has_picked_nodes,
        run=lambda shell, _: shaping.group(shell),
    ),
    Command(
        id="draw.ungroup",
        title="Ung&roup",
        menu="Draw",
        help="Take the group of what is selected away and leave its nodes.",
        shortcuts=("Ctrl+Shift+U",),
        group=4,
        enabled=lambda state: bool(shaping.picked_groups(state)),
        run=lambda shell, _: shaping.ungroup(shell),
    ),
    Command(
        id="draw.toggle_group",
        title="&Open or Close Group",
        menu="Draw",
        help="Close the group of what is selected to one box, or open it.",
        shortcuts=("Ctrl+Shift+K",),
        group=4,
        enabled=lambda state: bool(shaping.picked_groups(state)),
        run=lambda shell, _: shaping.toggle_groups(shell),
    ),
)

CODE_ROWS = (
    Command(
        id="draw.as_drawing",
        title="Edit a&s Drawing",
        menu="Draw",
        help="Turn the snippet into a drawing that can be changed by hand.",
        shortcuts=("Ctrl+Shift+D",),
        group=5,
        enabled=shaping.is_text,
        run=lambda shell, _: shaping.as_drawing(shell),
    ),
    Command(
        id="draw.as_text",
        title="Edit as Te&xt",
        menu="Draw",
        help="Turn the drawing into a snippet: its PyTorch code.",
        shortcuts=("Ctrl+Shift+T",),
        group=5,
        enabled=shaping.has_things,
        run=lambda shell, _: shaping.as_text(shell),
    ),
    Command(
        id="draw.copy_code",
        title="&Copy as Code",
        menu="Draw",
        help="Copy the PyTorch code of what is selected, or of all of the drawing.",
        group=5,
        enabled=shaping.has_nodes,
        run=lambda shell, _: shaping.copy_code(shell),
    ),
)

DRAW_ROWS = (*NEW_ROWS, *EDIT_ROWS, *PLACE_ROWS, *CODE_ROWS)
