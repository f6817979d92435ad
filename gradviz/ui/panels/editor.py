"""The snippet panel: the code editor and, below it, the card that says what went wrong."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.session.state import State
from gradviz.session.store import TYPING
from gradviz.ui.panels.code_edit import CodeEdit
from gradviz.ui.panels.error_card import ErrorCard
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme


class EditorPanel(Panel):
    """Shows the document, the line of the current step, and the latest run's problem."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.code = CodeEdit(context.theme)
        self.code.edited.connect(self._edited)
        self.code.refused.connect(context.shell.store.say)
        self.card = ErrorCard(context.shell, context.theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 2, 8, 8)
        column.addWidget(self.code, 1)
        column.addWidget(self.card)

    @property
    def focus_target(self) -> QWidget:
        return self.code

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.code.set_theme(theme)
        self.card.set_theme(theme)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.document is not after.document:
            self.code.set_text(after.document.text)
        self.card.show_state(after)
        step = -1
        if after.trace is not None and after.cursor and not after.is_stale:
            step = int(after.trace.frame(after.cursor).current_line)
        self.code.mark_lines(step=step, error=self.card.line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The card may take a part of the height only."""
        super().resizeEvent(event)
        self.card.fit()

    def _edited(self, text: str) -> None:
        store = self.context.shell.store
        store.edit(TYPING, store.state.document.with_text(text))
