"""The bar above the code of a document from elsewhere: it says that nothing has run and what to be aware of on this
system, with a button that runs it and one that says what it may do then. It disappears with the first run, but not by
editing. The sentences are in `gradviz.session.trust_warnings` and `gradviz.worker.locks.layers`; the second button
opens `gradviz.ui.dialogs.help_pages`."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton

from gradviz.session.state import State
from gradviz.session.trust_warnings import NOT_RUN
from gradviz.ui import look
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme
from gradviz.worker.locks.layers import caution

WIDE = 480  # pixels at 100 % from which the buttons are beside the sentence


class TrustBar(QFrame):
    """Hidden if the document may run."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("doubt")
        self._theme = context.theme
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.run = QPushButton("Run")
        self.run.setProperty("primary", True)
        self.run.setToolTip("Run it under the same policy and limits as every snippet  (F5)")
        self.run.setAccessibleName("Run what comes from elsewhere")
        self.run.clicked.connect(lambda: context.do("run.run"))
        self.details = QPushButton("What may it do?")
        self.details.setToolTip("What a running snippet can and cannot do  (Ctrl+F1)")
        self.details.clicked.connect(lambda: context.do("help.safety"))
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.run)
        buttons.addWidget(self.details)
        buttons.addStretch(1)
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setContentsMargins(10, 7, 10, 8)
        self._row.setSpacing(6)
        self._row.addWidget(self.sentence, 1)
        self._row.addLayout(buttons)
        self.hide()
        self.set_theme(context.theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self._theme = theme
        self.sentence.setFont(look.sans(theme, 12.5))
        self._turn()

    def show_state(self, state: State) -> None:
        """Say why nothing has run, or hide."""
        if state.doubt:
            said = f"{state.doubt} {NOT_RUN} {caution()}".rstrip()
            self.sentence.setText(said)
            self.setAccessibleName(said)
        self.setVisible(bool(state.doubt))

    @property
    def has_keyboard(self) -> bool:
        """Whether one of its buttons has the focus."""
        return self.run.hasFocus() or self.details.hasFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        way = QBoxLayout.Direction
        self._row.setDirection(way.LeftToRight if self.width() >= self._theme.px(WIDE) else way.TopToBottom)
