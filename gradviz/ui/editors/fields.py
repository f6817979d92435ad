"""The fields of the editors. What the program shows in a field never disturbs what a person is typing in it: the caret
stays, Enter or leaving the field takes the text, Esc takes it back, and a text that is refused stays with the sentence
that says why. Fields know no drawing: `take` gets the text and raises UserError."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QToolButton, QWidget

from gradviz.document.errors import UserError

Take = Callable[[str], None]
STEPS = {Qt.Key.Key_Up: 1.0, Qt.Key.Key_Down: -1.0, Qt.Key.Key_PageUp: 10.0, Qt.Key.Key_PageDown: -10.0}


def set_wrong(widget: QWidget, sentence: str) -> None:
    """Mark a field as refused, or not any more."""
    if widget.property("wrong") != bool(sentence):
        widget.setProperty("wrong", bool(sentence))
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    widget.setAccessibleDescription(sentence)


class TextField(QLineEdit):
    """One line of text. `said` brings the sentence of a refusal, "" once all is well."""

    said = Signal(str)
    stepped = Signal(float)  # Up and Down, where `steps`
    left = Signal()  # the keyboard went elsewhere

    def __init__(self, name: str, take: Take, *, steps: bool = False, hint: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self._take = take
        self._shown = ""
        self._steps = steps
        self._wrong = False
        self.returnPressed.connect(self.commit)

    @property
    def is_typed(self) -> bool:
        """True if there is a text in it that was not taken yet."""
        return self.isModified() and self.text() != self._shown

    def show_text(self, text: str) -> None:
        """Show this; a text that is being typed stays."""
        before, self._shown = self._shown, text
        if self.is_typed and (self.hasFocus() or (self._wrong and before == text)):
            return
        if self.text() != text:
            place = self.cursorPosition()
            self.setText(text)
            self.setCursorPosition(min(place, len(text)) if self.hasFocus() else 0)
        self._say("")

    def forget(self) -> None:
        """What was typed was for something that is not shown any more."""
        self.setModified(False)
        self._say("")

    def commit(self) -> bool:
        """Take what was typed; False if it was refused."""
        if not self.is_typed:
            self._say("")
            return True
        self.setModified(False)
        try:
            self._take(self.text())
        except UserError as error:
            self.setModified(True)
            self._say(str(error))
            return False
        self._say("")
        if self.text() != self._shown:  # it is written in another way, or it was the same value
            self.setText(self._shown)
        return True

    def take_back(self) -> None:
        """Show again what was there before."""
        self.setText(self._shown)
        self._say("")

    def _say(self, sentence: str) -> None:
        self._wrong = bool(sentence)
        set_wrong(self, sentence)
        self.said.emit(sentence)

    def event(self, event: QEvent) -> bool:
        """Esc and Ctrl+Z are the field's own while there is something to take back, else the window's."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape and (self.is_typed or self._wrong):
                event.accept()
                return True
            undo = event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
            if undo and not self.is_typed:
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape and (self.is_typed or self._wrong):
            self.take_back()
            return
        if self._steps and key in STEPS and self.commit():
            self.stepped.emit(STEPS[key] * (0.1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0))
            return
        super().keyPressEvent(event)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()  # it is not also pressed on what lies around the field

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.commit()
            self.left.emit()


class Choice(QComboBox):
    """One of several; the wheel scrolls the editor, not the choice."""

    said = Signal(str)

    def __init__(self, name: str, rows: Iterable[tuple[str, str]], take: Take) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self._take = take
        self._shown = ""
        for key, title in rows:
            self.addItem(title, key)
        self.activated.connect(self._chosen)

    def show_key(self, key: str, title: str = "") -> None:
        """Show this choice; one that is not in the list is added."""
        self._shown = key
        at = self.findData(key)
        if at < 0:
            self.addItem(title or key, key)
            at = self.count() - 1
        self.setCurrentIndex(at)

    def forget(self) -> None:
        """A refusal was about something that is not shown any more."""
        self._say("")

    def _chosen(self, at: int) -> None:
        try:
            self._take(str(self.itemData(at)))
        except UserError as error:
            self._say(str(error))
            self.setCurrentIndex(self.findData(self._shown))
        else:
            self._say("")

    def _say(self, sentence: str) -> None:
        set_wrong(self, sentence)
        self.said.emit(sentence)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """With a sign that there are others: the style sheet's own has the system's colours."""
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.PlaceholderText), 1.6))
            size = self.fontMetrics().height() / 4
            middle = QPointF(self.width() - 3.2 * size, self.height() / 2)
            ends = (QPointF(-size, -size / 2), QPointF(0, size / 2), QPointF(size, -size / 2))
            painter.drawPolyline([middle + end for end in ends])


class Toggle(QCheckBox):
    """Yes or no."""

    said = Signal(str)

    def __init__(self, title: str, name: str, take: Callable[[bool], None]) -> None:
        super().__init__(title)
        self.setAccessibleName(name)
        self._take = take
        self.clicked.connect(self._clicked)

    def forget(self) -> None:
        """A refusal was about something that is not shown any more."""
        self.said.emit("")

    def _clicked(self, checked: bool) -> None:
        try:
            self._take(checked)
        except UserError as error:
            self.setChecked(not checked)
            self.said.emit(str(error))
        else:
            self.said.emit("")


def small_button(text: str, name: str, do: Callable[[], object], tip: str = "") -> QToolButton:
    """A small button with a sign or a word on it."""
    button = QToolButton()
    button.setText(text)
    button.setObjectName("small")
    button.setProperty("sign", len(text) == 1)
    button.setAccessibleName(name)
    button.setToolTip(tip or name)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.clicked.connect(lambda _=False: do())
    return button
