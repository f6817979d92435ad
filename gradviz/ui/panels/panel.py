"""What a panel is: a widget that shows a part of the state and asks for changes through its context. No panel knows
another one. `rows` lists the panels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from gradviz.commands.row import Shell
from gradviz.session.state import State
from gradviz.ui.theme import Theme


@dataclass(frozen=True)
class Context:
    """What a panel gets when it is made; `do(id)` runs a command as its menu entry would."""

    shell: Shell
    do: Callable[[str], None]
    theme: Theme


class Panel(QWidget):
    """Base of the panels. The window calls `show_state` after every change and `set_theme` when the look changes."""

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
    def focus_target(self) -> QWidget:
        """The widget that gets the keyboard when the user goes to this panel."""
        return self


def moved(before: State, after: State) -> bool:
    """True if what a trace panel draws may differ: the trace, its length or the cursor."""
    return before is after or (
        before.trace is not after.trace or before.steps != after.steps or before.cursor != after.cursor
    )
