"""The rows of the Draw menu. What they do to the drawing is in `drawing_edits`; what is done by hand on the canvas, in
the window's `Board`."""

from __future__ import annotations

from gradviz.commands import drawing_edits as edits
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
    return edits.has_several(state) or len(edits.picked_nodes(state)) > 1


NEW_ROWS = (
    Command(
        id="draw.new",
        title="&New Drawing",
        menu="Draw",
        help="Start an empty drawing: a graph that you build by hand.",
        shortcuts=("Ctrl+Alt+N",),
        run=lambda shell, _: edits.new_drawing(shell),
    ),
    Command(
        id="draw.add",
        title="&Add…",
        menu="Draw",
        help="Type an operation, a number or an expression such as w*x + b to add it.",
        shortcuts=("Ctrl+K",),
        group=1,
        enabled=edits.can_draw,
        run=lambda shell, _: shell.board.type_here(),
    ),
    Command(
        id="draw.leaf",
        title="Add &Leaf",
        menu="Draw",
        help="Add a constant tensor: a number, a vector, a matrix or random numbers.",
        group=1,
        enabled=edits.can_draw,
        choices=_leaf_kinds,
        run=lambda shell, kind: shell.board.add_leaf(kind),
    ),
    Command(
        id="draw.comment",
        title="Add Co&mment",
        menu="Draw",
        help="Add a text box behind the nodes.",
        shortcuts=("Ctrl+H",),
        group=1,
        enabled=edits.can_draw,
        run=lambda shell, _: shell.board.add_comment(),
    ),
    Command(
        id="draw.wire",
        title="Draw a &Wire",
        menu="Draw",
        help="Start a wire at the selected node; choose its target with the arrow keys and connect with Enter.",
        shortcuts=("Ctrl+L",),
        group=1,
        enabled=edits.has_nodes,
        run=lambda shell, _: shell.board.start_wire(),
    ),
)

EDIT_ROWS = (
    Command(
        id="draw.edit",
        title="&Edit in Place",
        menu="Draw",
        help="Edit the value or name of the selected node in place (Enter on the canvas).",
        group=2,
        enabled=edits.has_picked,
        run=lambda shell, _: shell.board.edit_here(),
    ),
    Command(
        id="draw.edit_value",
        title="Edit &Value…",
        menu="Draw",
        help="Edit the selected node in the inspector: numbers, dtype, arguments.",
        shortcuts=("Alt+Return", "Alt+Enter"),
        group=2,
        enabled=edits.has_picked,
        run=lambda shell, _: shell.focus("inspector"),
    ),
    Command(
        id="draw.duplicate",
        title="D&uplicate",
        menu="Draw",
        help="Duplicate the selected nodes; the copies keep their incoming wires.",
        shortcuts=("Ctrl+J",),
        group=2,
        enabled=edits.has_picked,
        run=lambda shell, _: edits.duplicate(shell),
    ),
    Command(
        id="draw.delete",
        title="&Delete",
        menu="Draw",
        help="Delete the selected nodes and their wires (Delete on the canvas).",
        group=2,
        enabled=edits.has_picked,
        run=lambda shell, _: edits.delete(shell),
    ),
    Command(
        id="draw.requires_grad",
        title="Re&quires Gradient",
        menu="Draw",
        help="Turn requires_grad of the selected leaves on or off.",
        shortcuts=("Ctrl+Shift+R",),
        group=2,
        enabled=lambda state: bool(edits.picked_leaves(state)),
        run=lambda shell, _: edits.toggle_requires_grad(shell),
    ),
    Command(
        id="draw.backward",
        title="&Backward from Here",
        menu="Draw",
        help="Call backward() on the selected node.",
        shortcuts=("Ctrl+B",),
        group=2,
        enabled=lambda state: edits.root_of(state) is not None,
        run=lambda shell, _: edits.backward(shell),
    ),
)

PLACE_ROWS = (
    Command(
        id="draw.tidy",
        title="&Tidy Up",
        menu="Draw",
        help="Lay out all nodes again in the order of the computation. Pinned nodes stay where they are.",
        shortcuts=("Ctrl+T",),
        group=3,
        enabled=edits.has_nodes,
        run=lambda shell, _: shell.board.tidy_up(),
    ),
    Command(
        id="draw.pin",
        title="&Pin",
        menu="Draw",
        help="Pin or unpin the selected nodes for Tidy Up.",
        shortcuts=("Ctrl+P",),
        group=3,
        enabled=edits.has_picked_nodes,
        retitle=lambda state: "Un&pin" if edits.has_picked_nodes(state) and edits.all_pinned(state) else "&Pin",
        run=lambda shell, _: edits.pin(shell),
    ),
    Command(
        id="draw.align",
        title="Al&ign",
        menu="Draw",
        help="Align the selected nodes.",
        group=3,
        enabled=_several,
        choices=_alignments,
        run=lambda shell, how: edits.align(shell, how),
    ),
    Command(
        id="draw.distribute",
        title="Distribute Evenl&y",
        menu="Draw",
        help="Space the selected nodes evenly.",
        group=3,
        enabled=_several,
        choices=_gaps,
        run=lambda shell, how: edits.distribute(shell, how),
    ),
    Command(
        id="draw.group",
        title="&Group",
        menu="Draw",
        help="Group the selected nodes under a title.",
        shortcuts=("Ctrl+U",),
        group=4,
        enabled=edits.has_picked_nodes,
        run=lambda shell, _: edits.group(shell),
    ),
    Command(
        id="draw.ungroup",
        title="Ung&roup",
        menu="Draw",
        help="Remove the selected group but keep its nodes.",
        shortcuts=("Ctrl+Shift+U",),
        group=4,
        enabled=lambda state: bool(edits.picked_groups(state)),
        run=lambda shell, _: edits.ungroup(shell),
    ),
    Command(
        id="draw.toggle_group",
        title="&Open or Close Group",
        menu="Draw",
        help="Collapse the selected group into one box, or expand it.",
        shortcuts=("Ctrl+Shift+K",),
        group=4,
        enabled=lambda state: bool(edits.picked_groups(state)),
        run=lambda shell, _: edits.toggle_groups(shell),
    ),
)

CODE_ROWS = (
    Command(
        id="draw.as_drawing",
        title="Edit a&s Drawing",
        menu="Draw",
        help="Turn the snippet into a drawing that you can edit by hand.",
        shortcuts=("Ctrl+Shift+D",),
        group=5,
        enabled=edits.is_text,
        run=lambda shell, _: edits.as_drawing(shell),
    ),
    Command(
        id="draw.as_text",
        title="Edit as Te&xt",
        menu="Draw",
        help="Turn the drawing into a snippet with its PyTorch code.",
        shortcuts=("Ctrl+Shift+T",),
        group=5,
        enabled=edits.has_things,
        run=lambda shell, _: edits.as_text(shell),
    ),
    Command(
        id="draw.copy_code",
        title="&Copy as Code",
        menu="Draw",
        help="Copy the PyTorch code of the selection, or of the whole drawing.",
        group=5,
        enabled=edits.has_nodes,
        run=lambda shell, _: edits.copy_code(shell),
    ),
)

DRAW_ROWS = (*NEW_ROWS, *EDIT_ROWS, *PLACE_ROWS, *CODE_ROWS)
