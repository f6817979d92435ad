"""What a panel is: a widget that shows a slice of the state and asks for changes through its context. No panel knows
another one; `commands.panels` lists them, `panel_area` wakes them. `plain_table` is the look that their lists share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gradviz.commands.row import Shell
from gradviz.session.state import Slice, State
from gradviz.ui.theme import Theme


@dataclass(frozen=True)
class Context:
    """What a panel gets when it is made; `do(id)` runs a command as its menu entry would."""

    shell: Shell
    do: Callable[[str], None]
    theme: Theme


class Panel(QWidget):
    """Base of the panels. The window calls `show_state` after each change of the slice of the state that a panel
    `shows`, and `set_theme` when the look changes. A panel behind another one hears of all changes at once when it
    comes to the front."""

    shows: ClassVar[Slice]

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.theme = context.theme

    def show_state(self, before: State, after: State) -> None:
        """Draw what changed between two states; the same state twice means draw all of it."""
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Take other colours and sizes."""
        self.theme = theme

    @property
    def more_height(self) -> int:
        """Pixels that it can use beyond those that its card has."""
        return 0

    def end(self) -> None:
        """The window closes: leave what is being worked out in another thread."""

    @property
    def focus_target(self) -> QWidget:
        """The widget that gets the keyboard when the user goes to this panel."""
        return self


def moved(before: State, after: State) -> bool:
    """True if what a trace panel draws may differ: the trace, its length or the cursor."""
    return before is after or (
        before.trace is not after.trace or before.steps != after.steps or before.cursor != after.cursor
    )


def plain_table(table: QTableView, name: str, *, stretch: int) -> None:
    """Give a table this look; the column `stretch` takes the room that the others leave."""
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().setVisible(False)
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header = table.horizontalHeader()
    header.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
