"""The fields of the editors, in rows with aligned labels and room for the sentence that says why something was refused.
Showing a value never disturbs what a person is typing: the caret stays, Enter or leaving the field commits, Esc
reverts, and a refused text stays with its sentence. Fields know no drawing: `take` receives the text and raises
UserError.

The row of a parameter is made from its entry in the catalogue: a switch, a choice or a field by its kind, with the
default greyed out and a button that restores it. `document.entry` interprets what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.arranging import with_room
from gradviz.document.catalogue import Parameter
from gradviz.document.drawing import Drawing, Literal
from gradviz.document.entry import WANTED, read_argument, write_argument
from gradviz.document.errors import UserError
from gradviz.document.leaf_forms import DTYPES
from gradviz.ui import look
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

# -- fields


Take = Callable[[str], None]
STEPS = {Qt.Key.Key_Up: 1.0, Qt.Key.Key_Down: -1.0, Qt.Key.Key_PageUp: 10.0, Qt.Key.Key_PageDown: -10.0}


def set_wrong(widget: QWidget, sentence: str) -> None:
    """Mark a field as refused, or remove the mark."""
    if widget.property("wrong") != bool(sentence):
        widget.setProperty("wrong", bool(sentence))
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    widget.setAccessibleDescription(sentence)


class TextField(QLineEdit):
    """One line of text. `said` carries the sentence of a refusal, "" once all is well."""

    said = Signal(str)
    stepped = Signal(float)  # Up and Down, if `steps`
    left = Signal()  # the focus went elsewhere

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
        """Whether it contains text that has not been committed."""
        return self.isModified() and self.text() != self._shown

    def show_text(self, text: str) -> None:
        """Show this, unless a text is being typed."""
        before, self._shown = self._shown, text
        if self.is_typed and (self.hasFocus() or (self._wrong and before == text)):
            return
        if self.text() != text:
            place = self.cursorPosition()
            self.setText(text)
            self.setCursorPosition(min(place, len(text)) if self.hasFocus() else 0)
        self._say("")

    def forget(self) -> None:
        """Discard a text typed for something that is no longer shown."""
        self.setModified(False)
        self._say("")

    def commit(self) -> bool:
        """Commit the text; False if it was refused."""
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
        if self.text() != self._shown:  # the value is formatted differently, or has not changed
            self.setText(self._shown)
        return True

    def take_back(self) -> None:
        """Show the previous text again."""
        self.setText(self._shown)
        self._say("")

    def _say(self, sentence: str) -> None:
        self._wrong = bool(sentence)
        set_wrong(self, sentence)
        self.said.emit(sentence)

    def event(self, event: QEvent) -> bool:
        """Esc and Ctrl+Z belong to the field while there is something to revert, otherwise to the window."""
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
            event.accept()  # so that whatever surrounds the field does not get it too

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.commit()
            self.left.emit()


class Choice(look.DropDown):
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
        """Drop a refusal about something that is no longer shown."""
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
        """With an arrow, because the style sheet's own has the system's colours."""
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
        """Drop a refusal about something that is no longer shown."""
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
    """A small button with a sign or a word."""
    button = QToolButton()
    button.setText(text)
    button.setObjectName("small")
    button.setProperty("sign", len(text) == 1)
    button.setAccessibleName(name)
    button.setToolTip(tip or name)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.clicked.connect(lambda _=False: do())
    return button


Field = TextField | Choice | Toggle
LABEL, TEXT = 12.0, 12.5


class Row(QWidget):
    """A field, what is beside it, and a sentence below when there is one."""

    def __init__(self, field: QWidget, beside: Sequence[QWidget] = ()) -> None:
        super().__init__()
        self.field = field
        self.sentence = QLabel()
        self.sentence.setObjectName("wrong")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.hide()
        line = QHBoxLayout()
        line.setSpacing(5)
        line.addWidget(field, 1)
        for widget in beside:
            line.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(line)
        column.addWidget(self.sentence)
        self.setFocusProxy(field)
        if isinstance(field, Field):
            field.said.connect(self.say)

    def say(self, sentence: str, *, quiet: bool = False) -> None:
        """Show why something was refused, or (`quiet`) is impossible; "" for nothing."""
        if self.sentence.property("quiet") != quiet:
            self.sentence.setProperty("quiet", quiet)
            self.sentence.style().unpolish(self.sentence)
            self.sentence.style().polish(self.sentence)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))


class Form(QWidget):
    """The rows; a label goes above its field if there is no room beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self._labels: list[QLabel] = []
        self._layout = QFormLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(8)
        self._layout.setVerticalSpacing(5)
        self._layout.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._layout.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)

    def add(self, label: str, field: QWidget, beside: Sequence[QWidget] = ()) -> Row:
        """Add a row; without a label it takes the whole width."""
        row = Row(field, beside)
        if label:
            head = QLabel(label)
            head.setTextFormat(Qt.TextFormat.PlainText)
            head.setObjectName("muted")
            head.setBuddy(field)
            self._labels.append(head)
            self._layout.addRow(head, row)
        else:
            self._layout.addRow(row)
        self.rows.append(row)
        return row

    def show_row(self, row: Row, shown: bool) -> None:
        """Show or hide a row with its label."""
        self._layout.setRowVisible(row, shown)

    def clear(self) -> None:
        """Remove all rows."""
        while self._layout.rowCount():
            self._layout.removeRow(0)
        self.rows.clear()
        self._labels.clear()

    def forget(self) -> None:
        """Discard texts and refusals about something that is no longer shown."""
        for row in self.rows:
            if isinstance(row.field, Field):
                row.field.forget()

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        for label in self._labels:
            label.setFont(look.sans(theme, LABEL))
            label.setMinimumWidth(theme.px(56))
        for row in self.rows:
            row.sentence.setFont(look.sans(theme, LABEL))
            is_code = isinstance(row.field, TextField)
            row.field.setFont(look.mono(theme, TEXT) if is_code else look.sans(theme, TEXT))


class Editor(QWidget):
    """Base of the editors. `show_thing` is called after every change of the drawing or the selection with the ids of
    the selection; `thing` is what it was."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.theme = context.theme
        self.form = Form()
        self.thing: frozenset[int] = frozenset()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(6)
        self.column.addWidget(self.form)

    @property
    def drawing(self) -> Drawing:
        """The present drawing."""
        return self.context.shell.store.state.drawing or Drawing()

    @property
    def id(self) -> int:
        """The id of the one thing shown."""
        return next(iter(self.thing))

    def edit(self, label: str, change: Callable[[Drawing], Drawing], merge: str = "") -> None:
        """Change the drawing; what grows pushes its neighbours away. UserError goes to the field that asked."""
        changed = change(self.drawing)
        self.context.shell.store.edit(label, with_room(self.drawing, changed), merge=merge)

    def show_thing(self, drawing: Drawing, picked: frozenset[int]) -> None:
        """Show the selection."""
        if picked != self.thing:
            self.leave()
            self.thing = picked
            self.form.forget()
        self.fill(drawing)

    def leave(self) -> None:
        """Something else is shown from now on."""

    def fill(self, drawing: Drawing) -> None:
        """Bring every field up to date."""
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self.theme = theme
        self.form.set_theme(theme)

    @property
    def first(self) -> QWidget:
        """The field that gets the focus when the value is to be edited."""
        return self.form.rows[0].field


# -- the row of one parameter


SetArgument = Callable[[str, Literal], None]
STEPPED = ("int", "dim", "float", "number")


class ParameterRow:
    """One parameter in a form; `give` is called with its name and value, or with the default to remove it."""

    def __init__(self, form: Form, parameter: Parameter, give: SetArgument) -> None:
        self.parameter = parameter
        self._give = give
        self._given: Literal = None
        self.field = self._field()
        self.reset = small_button("↺", f"Default of {parameter.name}", self._reset, f"Back to {self._default()}")
        self.row: Row = form.add(parameter.name, self.field, (self.reset,))

    def fill(self, given: Mapping[str, Literal]) -> None:
        """Show the given arguments."""
        parameter, is_set = self.parameter, self.parameter.name in given
        value = self._given = given.get(parameter.name, parameter.default)
        self.reset.setVisible(is_set and not parameter.required)
        if isinstance(self.field, Toggle):
            self.field.setChecked(bool(value))
            self.field.setText("" if is_set else "default")
        elif isinstance(self.field, Choice):
            self.field.show_key(str(value) if is_set and value is not None else "")
        else:
            self.field.show_text(write_argument(parameter, value) if is_set else "")

    def _field(self) -> TextField | Choice | Toggle:
        parameter = self.parameter
        if parameter.kind == "bool":
            return Toggle("", parameter.name, self._take_bool)
        if parameter.kind in ("choice", "dtype"):
            choices = parameter.choices or DTYPES
            first = ("", f"{self._default()} (default)")
            rows = [first, *((key, key) for key in choices if key != parameter.default)]
            return Choice(parameter.name, rows, self._take)
        steps = parameter.kind in STEPPED
        field = TextField(parameter.name, self._take, steps=steps, hint=self._default())
        field.stepped.connect(self._step)
        return field

    def _default(self) -> str:
        """The greyed-out default."""
        parameter = self.parameter
        if parameter.required:
            return f"needed: {WANTED.get(parameter.kind, 'a value')}"
        return write_argument(parameter, parameter.default)

    def _take(self, text: str) -> None:
        self._give(self.parameter.name, read_argument(self.parameter, text))

    def _take_bool(self, checked: bool) -> None:
        self._give(self.parameter.name, checked)

    def _reset(self) -> None:
        self._give(self.parameter.name, self.parameter.default)
        self.field.setFocus()

    def _step(self, step: float) -> None:
        value = self._given if isinstance(self._given, int | float) else 0
        whole = self.parameter.kind in ("int", "dim")
        try:
            self._give(self.parameter.name, value + (int(step) or (1 if step > 0 else -1)) if whole else value + step)
        except UserError as error:
            self.row.say(str(error))
