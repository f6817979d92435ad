"""The table of commands. To add one, add a row to the module of its menu; nothing else needs to know of it."""

from __future__ import annotations

from gradviz.commands.drawing import DRAW_ROWS
from gradviz.commands.editing import EDIT_ROWS, FILE_ROWS
from gradviz.commands.folding import FOLD_ROWS
from gradviz.commands.plotting import PLOT_ROWS
from gradviz.commands.row import Command
from gradviz.commands.running import RUN_ROWS
from gradviz.commands.view_menu import HELP_ROWS, LEARN_ROWS, VIEW_ROWS
from gradviz.commands.what_if import WHAT_IF_ROWS

MENUS = {
    "File": "&File",
    "Edit": "&Edit",
    "Draw": "&Draw",
    "View": "&View",
    "Run": "&Run",
    "Learn": "&Learn",
    "Help": "&Help",
}

COMMANDS: tuple[Command, ...] = (
    *FILE_ROWS,
    *EDIT_ROWS,
    *DRAW_ROWS,
    *VIEW_ROWS,
    *FOLD_ROWS,
    *PLOT_ROWS,
    *RUN_ROWS,
    *WHAT_IF_ROWS,
    *LEARN_ROWS,
    *HELP_ROWS,
)


def command(name: str) -> Command:
    """The row with this id."""
    return next(row for row in COMMANDS if row.id == name)
