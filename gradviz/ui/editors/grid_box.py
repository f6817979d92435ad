"""The grid with what belongs to it: which slice of more dimensions is shown, buttons for rows and columns, the sentence
of a refusal, and in the large form transposing, filling and a heat map. It stands in the leaf's editor and, with more
room, in `GridDialog`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as changed
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.drawing import Literal
from gradviz.document.errors import UserError
from gradviz.document.tables import shape_of, slice_of, transposed, with_cells, with_slice
from gradviz.document.typed import Rows, Typed, read_number
from gradviz.ui import look
from gradviz.ui.editors.fields import TextField, Toggle, small_button
from gradviz.ui.editors.grid import GridView
from gradviz.ui.editors.grid_model import GridModel
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    pass

SEEN = 6  # rows that the small form shows
TakeData = Callable[[Literal], None]


class GridBox(QWidget):
    """`take` gets the changed numbers, `replace` a whole array that was pasted."""

    def __init__(
        self, context: Context, take: TakeData, replace: Callable[[Typed], None], *, large: bool = False
    ) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self._take = take
        self._replace = replace
        self._large = large
        self._id = -1
        self._data: Literal = ()
        self._index: tuple[int, ...] = ()
        self._heads: list[QLabel] = []
        self.dialog: GridDialog | None = None
        self.model = GridModel(self._take_rows, context.theme)
        self.view = GridView(self.model, replace, context.theme)
        self.sentence = QLabel()
        self.sentence.setObjectName("wrong")
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.hide()
        self.model.said.connect(self._say)
        self.slices = QWidget()
        self._slice_row = QHBoxLayout(self.slices)
        self._slice_row.setContentsMargins(0, 0, 0, 0)
        self.spins: list[QSpinBox] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addWidget(self.slices)
        column.addWidget(self.view, 1)
        column.addLayout(self._buttons())
        column.addWidget(self.sentence)
        self.setFocusProxy(self.view)

    def _buttons(self) -> QHBoxLayout:
        view = self.view
        self.more = [
            small_button("+", "Add a row", view.add_row, "Insert a row of zeros below the current one"),
            small_button("−", "Remove rows", view.remove_rows, "Take the selected rows away"),
            small_button("+", "Add a column", view.add_column, "Insert a column of zeros after the current one"),
            small_button("−", "Remove columns", view.remove_columns, "Delete the selected columns"),
        ]
        row = QHBoxLayout()
        row.setSpacing(3)
        for at, button in enumerate(self.more):
            if at % 2 == 0:
                self._heads.append(QLabel(("rows", "cols")[at // 2]))
                self._heads[-1].setObjectName("muted")
                row.addSpacing(4 if at else 0)
                row.addWidget(self._heads[-1])
            row.addWidget(button)
        if self._large:
            self.heat = Toggle("Heat map", "Heat map", self.model.set_heat)
            self.fill = TextField("Value to fill the selected cells with", self._fill, hint="fill with …")
            self.fill.setMaximumWidth(self._theme.px(130))
            self.fill.said.connect(self._say)
            row.addSpacing(12)
            for widget in (small_button("Transpose", "Transpose", self._transpose), self.fill, self.heat):
                row.addWidget(widget)
            self.heat.setChecked(True)
            self.model.set_heat(True)
        row.addStretch(1)
        return row

    def set_theme(self, theme: Theme) -> None:
        """Take other colours and sizes."""
        self._theme = theme
        self.view.set_theme(theme)
        for head in self._heads:
            head.setFont(look.sans(theme, 12))
        self._fit()

    @property
    def buttons(self) -> list[QToolButton]:
        """All buttons, in order."""
        return self.findChildren(QToolButton, "small")

    def show_data(self, id: int, name: str, data: Literal) -> None:
        """Show the numbers of this leaf."""
        shape = shape_of(data)
        if id != self._id:
            self._id, self._index = id, ()
            self._say("")
        self._data = data
        leading = shape[: max(0, len(shape) - 2)]
        kept = self._index + (0,) * len(leading)
        self._index = tuple(min(at, size - 1) for at, size in zip(kept, leading, strict=False))
        self._fill_slices(leading)
        self.view.setAccessibleName(f"Numbers of {name}")
        self.view.zero = self._zero()
        self._show_slice()
        for at, button in enumerate(self.more):
            button.setEnabled(len(shape) == 2 or (len(shape) == 1 and at % 2 == 1))
        if self.dialog is not None:
            self.dialog.show_data(id, name, data)

    def _zero(self) -> bool | int | float | complex:
        data = self._data
        while isinstance(data, tuple) and data:
            data = data[0]
        return type(data)() if isinstance(data, bool | int | float | complex) else 0.0

    def _show_slice(self) -> None:
        self.view.show_rows(slice_of(self._data, self._index), self._theme)
        self._fit()

    def _fill_slices(self, leading: tuple[int, ...]) -> None:
        if [spin.maximum() + 1 for spin in self.spins] == list(leading):
            return
        for spin in self.spins:
            self._slice_row.removeWidget(spin)
            spin.deleteLater()
        self.spins = []
        for dim, size in enumerate(leading):
            spin = QSpinBox()
            spin.setRange(0, size - 1)
            spin.setValue(self._index[dim])
            spin.setPrefix(f"dim {dim}: ")
            spin.setAccessibleName(f"Slice of dimension {dim}")
            spin.valueChanged.connect(self._choose_slice)
            self._slice_row.addWidget(spin)
            self.spins.append(spin)
        self.slices.setVisible(bool(leading))

    def _choose_slice(self) -> None:
        self._index = tuple(spin.value() for spin in self.spins)
        self._show_slice()

    def _fit(self) -> None:
        """As high as its rows, up to a bound."""
        if self._large:
            return
        rows = min(max(self.model.rowCount(), 1), SEEN)
        head = self.view.horizontalHeader().sizeHint().height()
        bar = self.view.horizontalScrollBar().sizeHint().height()
        self.view.setFixedHeight(rows * self.view.verticalHeader().defaultSectionSize() + head + bar + 4)

    def _take_rows(self, rows: Rows) -> None:
        shape = shape_of(self._data)
        if len(shape) > 2 and (len(rows), len(rows[0])) != shape[-2:]:
            sizes = f"{shape[-2]} × {shape[-1]}"
            needed = f"{len(rows)} × {len(rows[0])}"
            raise UserError(f"A slice has {sizes} cells, and this needs {needed}. Change the shape first.")
        grown = len(shape) == 1 and len(rows) > 1
        self._take(rows if grown else with_slice(self._data, self._index, rows))

    def _say(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def _transpose(self) -> None:
        rows = self.model.rows
        if len(shape_of(self._data)) != 2:
            self._say("Only a matrix can be transposed; choose Matrix as its kind first.")
        else:
            self._replace(Typed(transposed(rows), True))

    def _fill(self, text: str) -> None:
        number = read_number(text)
        self._take_rows(with_cells(self.model.rows, self.view.chosen or self._all(), number))
        self.fill.show_text("")

    def _all(self) -> list[tuple[int, int]]:
        return [(row, column) for row in range(self.model.rowCount()) for column in range(self.model.columnCount())]

    def enlarge(self) -> None:
        """Open the large grid."""

        self.dialog = GridDialog(self.window(), self._context, self._theme, self._take, self._replace)
        self.dialog.finished.connect(self._forget_dialog)
        name = self.view.accessibleName().removeprefix("Numbers of ")
        self.dialog.show_data(self._id, name, self._data)
        self.dialog.open()

    def close_dialog(self) -> None:
        """Close the large grid: the leaf is not shown any more."""
        if self.dialog is not None:
            self.dialog.reject()

    def _forget_dialog(self) -> None:
        self.dialog = None


ABOUT = "Type, or paste cells from a spreadsheet, a CSV file, NumPy or PyTorch. Ctrl+Z undoes a change."
KEYS = ((QKeySequence.StandardKey.Undo, "edit.undo"), (QKeySequence.StandardKey.Redo, "edit.redo"))


class GridDialog(QDialog):
    """Follows the drawing while it is open."""

    def __init__(
        self, parent: QWidget, context: Context, theme: Theme, take: TakeData, replace: Callable[[Typed], None]
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._do = context.do
        self.box = GridBox(changed(context, theme=theme), take, replace, large=True)
        about = QLabel(ABOUT)
        about.setObjectName("muted")
        about.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)  # Enter is the grid's
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addWidget(self.box, 1)
        column.addWidget(buttons)
        self.resize(theme.px(820), theme.px(600))
        self.box.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo are the drawing's."""
        for keys, command in KEYS:
            if event.matches(keys):
                self._do(command)
                return
        super().keyPressEvent(event)

    def show_data(self, id: int, name: str, data: Literal) -> None:
        """Show the numbers of this leaf."""
        if isinstance(data, tuple):
            self.setWindowTitle(f"{name}: {' × '.join(map(str, shape_of(data)))}")
            self.box.show_data(id, name, data)
