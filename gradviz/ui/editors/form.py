"""Rows of labels and fields below each other, each with room for the sentence that says why something was refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gradviz.document.drawing import Drawing
from gradviz.ui import look
from gradviz.ui.editors.fields import Choice, TextField, Toggle
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

Field = TextField | Choice | Toggle
LABEL, TEXT = 12.0, 12.5


class Row(QWidget):
    """A field, what stands beside it, and below it a sentence once there is one."""

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
        """Show why something was refused, or (`quiet`) can't be; "" for nothing."""
        if self.sentence.property("quiet") != quiet:
            self.sentence.setProperty("quiet", quiet)
            self.sentence.style().unpolish(self.sentence)
            self.sentence.style().polish(self.sentence)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))


class Form(QWidget):
    """The rows; a label goes above its field where there is no room beside it."""

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
        """One more row; without a label it takes the whole width."""
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
        """Take all rows away."""
        while self._layout.rowCount():
            self._layout.removeRow(0)
        self.rows.clear()
        self._labels.clear()

    def forget(self) -> None:
        """What was typed or refused was for something that is not shown any more."""
        for row in self.rows:
            if isinstance(row.field, Field):
                row.field.forget()

    def set_theme(self, theme: Theme) -> None:
        """Take other sizes."""
        for label in self._labels:
            label.setFont(look.sans(theme, LABEL))
            label.setMinimumWidth(theme.px(56))
        for row in self.rows:
            row.sentence.setFont(look.sans(theme, LABEL))
            is_code = isinstance(row.field, TextField)
            row.field.setFont(look.mono(theme, TEXT) if is_code else look.sans(theme, TEXT))


class Editor(QWidget):
    """Base of the editors. `show_thing` is called after every change of the drawing or the selection with the numbers
    of what is picked; `thing` says what it was."""

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
        """The drawing as it is now."""
        return self.context.shell.store.state.drawing or Drawing()

    @property
    def id(self) -> int:
        """The number of the one thing that is shown."""
        return next(iter(self.thing))

    def edit(self, label: str, change: Callable[[Drawing], Drawing], merge: str = "") -> None:
        """Change the drawing; UserError goes to the field that asked."""
        self.context.shell.store.edit(label, change(self.drawing), merge=merge)

    def show_thing(self, drawing: Drawing, picked: frozenset[int]) -> None:
        """Show what is picked."""
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
        """Take other colours and sizes."""
        self.theme = theme
        self.form.set_theme(theme)

    @property
    def first(self) -> QWidget:
        """The field that gets the keyboard when the value is to be edited."""
        return self.form.rows[0].field
