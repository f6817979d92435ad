"""The line over the canvas of a drawing that comes from elsewhere: why nodes have no values, and what brings them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLabel, QWidget

from gradviz.session.state import State
from gradviz.session.trust_warnings import HOW, NOT_RUN
from gradviz.ui import look
from gradviz.ui.theme import Theme
from gradviz.worker.layers import caution

GAP = 10  # pixels to the edges
WIDEST = 460  # at 100 %


class WaitingNote(QLabel):
    """Lies at the bottom of a canvas; the mouse goes through it."""

    def __init__(self, over: QWidget, theme: Theme) -> None:
        super().__init__(over)
        self.setObjectName("doubt")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._over = over
        over.installEventFilter(self)
        self.hide()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take other sizes."""
        self._widest = theme.px(WIDEST)
        self.setFont(look.sans(theme, 12.5))
        self._place()

    def show_state(self, state: State) -> None:
        """Say why there are no values, or go."""
        if state.doubt:
            self.setText(f"{state.doubt} {NOT_RUN} {HOW} {caution()}".rstrip())
            self._place()
        self.setVisible(bool(state.doubt))

    def _place(self) -> None:
        width = max(80, min(self._widest, self._over.width() - 2 * GAP))
        height = self.heightForWidth(width)
        self.setGeometry((self._over.width() - width) // 2, self._over.height() - height - GAP, width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The canvas has another size."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)
