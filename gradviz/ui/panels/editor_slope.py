"""While a number in a snippet's text is held with the mouse, or after Alt+G: the curve of the root of backward()
against that number, with the tangent. `ui.drawing.slope` paints the curve; `session.text_slope` writes the program that
computes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from gradviz.commands.row import Shell
from gradviz.document.documents import text_of
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.text_slope import Held
    from gradviz.ui.drawing.slope import SlopeCard

HOLD = 450  # milliseconds until a press counts as holding
NO_CURVE = "Put the caret on a number of a snippet that has run and calls backward() to see the slope there."
GAP = 4


class TextSlope(QObject):
    """Watches an editor, and shows the card over it."""

    def __init__(self, editor: QPlainTextEdit, shell: Shell, theme: Theme) -> None:
        super().__init__(editor)
        self.theme = theme
        self._editor = editor
        self._shell = shell
        self._card: SlopeCard | None = None
        self._at = QTextCursor()
        self._pressed = QPoint()
        self._hold = QTimer(self, singleShot=True, interval=HOLD)
        self._hold.timeout.connect(lambda: self.ask(self._editor.cursorForPosition(self._pressed)))
        editor.viewport().installEventFilter(self)
        editor.installEventFilter(self)
        editor.textChanged.connect(self.let_go)

    @property
    def card(self) -> SlopeCard | None:
        """The card, while it is visible."""
        return self._card if self._card is not None and self._card.isVisible() else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self.let_go()
            self._pressed = event.position().toPoint()
            if event.button() == Qt.MouseButton.LeftButton:
                self._hold.start()
        elif kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            if (event.position().toPoint() - self._pressed).manhattanLength() > QApplication.startDragDistance():
                self._hold.stop()
        elif kind in (QEvent.Type.MouseButtonRelease, QEvent.Type.FocusOut):
            self.let_go()
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and watched is self._editor:
            self.let_go()
            if event.key() == Qt.Key.Key_G and event.modifiers() == Qt.KeyboardModifier.AltModifier:
                if not self.ask(self._editor.textCursor()):
                    self._shell.store.say(NO_CURVE)
                return True
        return False

    def ask(self, at: QTextCursor) -> bool:
        """Whether there will be a curve for the number at a place."""
        from gradviz.session.text_slope import FEWEST_POINTS, held_at, numbers_in, program, values_of

        state = self._shell.store.state
        text, can_run = text_of(state.document), state.is_trusted and not state.run.is_running
        if not can_run or state.trace is None or state.is_stale or state.drawing is not None or state.is_recording:
            return False
        held = held_at(text, at.blockNumber() + 1, at.positionInBlock())
        values = values_of(held, state.steps) if held is not None else ()
        if held is None or not values:
            return False
        self._at = at

        def take(printed: str) -> None:
            numbers = numbers_in(printed, len(values))
            if sum(map(math.isfinite, numbers)) >= FEWEST_POINTS:
                self._show(held, tuple(zip(values, numbers, strict=True)))

        self._shell.wire_trial.samples.ask(program(text, held, values), take)
        return True

    def _show(self, held: Held, points: tuple[tuple[float, float], ...]) -> None:
        from gradviz.session.text_slope import gradient_of
        from gradviz.ui.drawing.slope import Slope, SlopeCard

        *curve, before, here, after = points
        trace = self._shell.store.state.trace
        grad = gradient_of(held, trace) if trace is not None else None
        measured = (after[1] - before[1]) / (after[0] - before[0])
        slope = Slope(held.value, here[1], measured if grad is None else grad, held.grad if grad is not None else "")
        self._card = self._card or SlopeCard(self._editor.viewport())
        finite = tuple(point for point in curve if math.isfinite(point[1]))
        self._card.show_slope(finite, slope, (held.name, held.root), self.theme)
        place, room = self._editor.cursorRect(self._at), self._editor.viewport().rect()
        below = place.bottom() + GAP
        top = below if below + self._card.height() <= room.height() else place.top() - GAP - self._card.height()
        left = min(place.left(), room.width() - self._card.width())
        self._card.move(max(left, 0), max(top, 0))
        self._card.show()
        self._card.raise_()

    def let_go(self) -> None:
        """Nothing is held any more."""
        self._hold.stop()
        if not self._at.isNull():
            self._at = QTextCursor()
            self._shell.wire_trial.samples.drop()
        if self._card is not None:
            self._card.hide()
