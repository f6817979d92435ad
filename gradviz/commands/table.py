"""The table of commands. To add one, add a row to the module of its menu; nothing else needs to know about it. Keys and
mouse gestures on the canvas of a drawing are not commands, but are listed here for the keyboard page; their handlers
are in `gradviz.ui.drawing`."""

from __future__ import annotations

from collections.abc import Collection

from gradviz.commands.drawing import DRAW_ROWS
from gradviz.commands.editing import EDIT_ROWS, FILE_ROWS, WINDOW_ROWS
from gradviz.commands.learning import FILE_LESSON_ROWS, LEARN_ROWS, LESSON_ROWS, PREDICT_ROWS, PRESENT_ROWS, STAGE_ROWS
from gradviz.commands.row import Command
from gradviz.commands.running import RUN_ROWS
from gradviz.commands.view_menu import FOLD_ROWS, HELP_ROWS, PLOT_ROWS, PREFERENCES_ROWS, VIEW_ROWS
from gradviz.commands.what_if import WHAT_IF_ROWS

MENUS = {
    "File": "&File",
    "Edit": "&Edit",
    "Draw": "&Draw",
    "View": "&View",
    "Run": "&Run",
    "Learn": "&Learn",
    "Window": "&Window",
    "Help": "&Help",
}

CLOSING = -2  # the rows of the File menu that close windows come last

COMMANDS: tuple[Command, ...] = (
    *FILE_ROWS[:CLOSING],
    *FILE_LESSON_ROWS,
    *FILE_ROWS[CLOSING:],
    *EDIT_ROWS,
    *PREFERENCES_ROWS,
    *DRAW_ROWS,
    *VIEW_ROWS,
    *FOLD_ROWS,
    *PLOT_ROWS,
    *RUN_ROWS,
    *WHAT_IF_ROWS,
    *LEARN_ROWS,
    *PREDICT_ROWS,
    *PRESENT_ROWS,
    *STAGE_ROWS,
    *LESSON_ROWS,
    *WINDOW_ROWS,
    *HELP_ROWS,
)


def without(off: Collection[str]) -> tuple[Command, ...]:
    """All except the disabled ones, given by id."""
    return tuple(row for row in COMMANDS if row.id not in off) if off else COMMANDS


def command(name: str) -> Command:
    """The row with this id."""
    return next(row for row in COMMANDS if row.id == name)


SNIPPET_KEYS = (
    (
        "Hold the mouse on a number",
        "See what backward() starts from as a curve against the number, and the slope there.",
    ),
    ("Alt+G", "The same for the number at the caret."),
)

DRAWING_KEYS = (
    ("Double-click, or type", "Add a node from what you type: mul, +, 3.0, [1, 2], randn(2, 3), x = 2., w*x + b."),
    ("Drag from a port", "Draw a wire, or detach the one that ends there; drop it on empty canvas to add a node."),
    ("Click a wire, Delete", "Delete the wire."),
    (
        "Ctrl+L, Tab, Enter",
        "Connect or disconnect the selected node by keyboard. Up and Down choose among several outputs; type to add "
        "the node that the wire goes to.",
    ),
    ("Click, Shift+Click", "Select one node, or add to the selection; drag from empty canvas to select a rectangle."),
    ("Arrow keys", "Select the next item in that direction."),
    ("Drag, Ctrl+Arrow", "Move the selection; hold Shift for larger steps. It snaps to lines unless you hold Alt."),
    ("Enter, double-click", "Edit a value, name, comment or title in place."),
    ("Middle button, Space+Drag", "Pan the view (or Shift+arrow keys); scroll to zoom."),
    ("Ctrl+D, Ctrl+G, Delete", "Duplicate, group or delete the selection."),
    (
        "Slider over a number",
        "Drag it, or click it and use arrow or page keys, to change the number. F2 changes its range.",
    ),
    ("Escape", "Cancel the gesture; press again to clear the selection."),
)
