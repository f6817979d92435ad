"""A panel is a widget that shows a slice of the state and requests changes through its context. Panels don't know each
other; `commands.panels` lists them and `panel_area` updates them. `plain_table` is the look that their lists share."""

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
    """What a panel gets when it is created; `do(id)` runs a command as its menu entry would."""

    shell: Shell
    do: Callable[[str], None]
    theme: Theme


class Panel(QWidget):
    """Base of the panels. The window calls `show_state` after each change to the slice of the state that a panel
    `shows`, and `set_theme` when the look changes. A hidden panel gets all changes at once when it comes to the
    front."""

    shows: ClassVar[Slice]

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.theme = context.theme

    def show_state(self, before: State, after: State) -> None:
        """Show what changed between two states; if both are the same state, show everything."""
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self.theme = theme

    @property
    def more(self) -> tuple[int, int]:
        """Pixels that it can use beyond the height of its card: those that are worth some of the width of the cards
        beside the graph, and all."""
        return 0, 0

    def end(self) -> None:
        """The window closes: end work in other threads."""

    @property
    def focus_target(self) -> QWidget:
        """The widget that gets the focus when the user goes to this panel."""
        return self


def moved(before: State, after: State) -> bool:
    """Whether what a trace panel shows may differ: the trace, its length or the cursor."""
    return before is after or (
        before.trace is not after.trace or before.steps != after.steps or before.cursor != after.cursor
    )


def plain_table(table: QTableView, name: str, *, stretch: int | None = None) -> None:
    """Give a table this look; the column `stretch`, which its model must have by now, takes the room that the others
    leave: Qt writes past its sections for one that is not there."""
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().setVisible(False)
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header = table.horizontalHeader()
    if stretch is not None:
        header.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
