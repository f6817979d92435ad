"""The grid of numbers of a leaf, with the choice of a slice if there are more dimensions, buttons for rows and columns,
the sentence of a refusal, and, in its large form, transpose, fill and a heat map. Keys, selection and clipboard work as
in a spreadsheet: Enter and arrows move, typing replaces, Delete writes zeros, and Tab goes to the next cell and leaves
after the last; a pasted table is laid out from the current cell, and a pasted whole array replaces everything.

The model holds no data of its own: an edited cell is requested with `change`, and the rows come back with the next
drawing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace as changed
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QSpinBox,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.document import tables
from gradviz.document.drawing import Literal
from gradviz.document.errors import UserError
from gradviz.document.tables import Rows, Typed, Value, read, read_number, write_number
from gradviz.ui import look
from gradviz.ui.editors.form import TextField, Toggle, small_button
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

# -- the model


Index = QModelIndex | QPersistentModelIndex
SAMPLED = 400  # cells that determine the width of a column
ROOT = QModelIndex()


class GridModel(QAbstractTableModel):
    """`heat` colours the background of each cell by its value: blue below zero, orange above."""

    said = Signal(str)  # the sentence of a refusal, "" once all is well

    def __init__(self, change: Callable[[Rows], None], theme: Theme) -> None:
        super().__init__()
        self.rows: Rows = ()
        self.theme = theme
        self._change = change
        self._heat = False
        self._most = 0.0

    def set_rows(self, rows: Rows) -> None:
        """Show these."""
        if rows == self.rows and repr(rows[:1]) == repr(self.rows[:1]):  # 1 equals 1.0 but is written differently
            return
        same = self.rows and (len(rows), len(rows[0])) == (len(self.rows), len(self.rows[0]))
        if not same:
            self.beginResetModel()
        self.rows = rows
        self._measure()
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(rows[0]) - 1))
        else:
            self.endResetModel()

    def set_heat(self, heat: bool) -> None:
        """Colour the background of the cells, or not."""
        self._heat = heat
        self._measure()
        if self.rows and self.rows[0]:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.rows[0]) - 1))

    def ask(self, rows: Rows) -> bool:
        """Request other rows; False if they were refused."""
        try:
            self._change(rows)
        except UserError as error:
            self.said.emit(str(error))
            return False
        self.said.emit("")
        return True

    def longest(self) -> int:
        """Characters of the longest number, from a sample if the table is large."""
        step = max(1, len(self.rows) * len(self.rows[0]) // SAMPLED) if self.rows and self.rows[0] else 1
        cells = [cell for row in self.rows for cell in row][::step]
        return max((len(write_number(cell)) for cell in cells), default=1)

    def _measure(self) -> None:
        if self._heat:
            sizes = (size for row in self.rows for cell in row if math.isfinite(size := abs(cell)))
            self._most = max(sizes, default=0.0)

    # what Qt asks

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() or not self.rows else len(self.rows[0])

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return write_number(self.rows[index.row()][index.column()])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.BackgroundRole and self._heat:
            return self._ground(self.rows[index.row()][index.column()])
        return None

    def _ground(self, value: Value) -> QColor | None:
        if isinstance(value, complex) or not math.isfinite(value) or not self._most:
            return None
        colour = QColor(self.theme.forward if value < 0 else self.theme.backward)
        colour.setAlphaF(0.55 * abs(value) / self._most)
        return colour

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return str(section) if role == Qt.ItemDataRole.DisplayRole else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or str(value) == self.data(index):
            return False
        try:
            number = read_number(str(value))
        except UserError as error:
            self.said.emit(str(error))
            return False
        return self.ask(tables.with_cells(self.rows, [(index.row(), index.column())], number))


Replace = Callable[[Typed], None]
CELL, NARROW, WIDE = 12.0, 44, 130
KEYS = QKeySequence.StandardKey
OWN_KEYS = (KEYS.Copy, KEYS.Cut, KEYS.Paste, KEYS.SelectAll)
CLEAR_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class GridView(QTableView):
    """`replace` takes a whole pasted array; `zero` is the value of an empty cell; `is_vector` has a single row."""

    def __init__(self, model: GridModel, replace: Replace, theme: Theme) -> None:
        super().__init__()
        self.cells = model
        self.zero: Value = 0.0
        self._replace = replace
        self.setModel(model)
        self.setAccessibleName("Numbers")
        self.setObjectName("grid")
        self.setEditTriggers(self.EditTrigger.AnyKeyPressed | self.EditTrigger.DoubleClicked)
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)
            header.setMinimumSectionSize(10)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self.cells.theme = theme
        self.setFont(look.mono(theme, CELL))
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setFont(look.sans(theme, 10.5))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self._fit(theme)

    def show_rows(self, rows: Rows, theme: Theme) -> None:
        """Show these; the current cell stays if possible."""
        at = self.currentIndex()
        row, column = at.row(), at.column()
        sizes = (self.cells.rowCount(), self.cells.columnCount())
        self.cells.set_rows(rows)
        self._fit(theme)
        if sizes != (self.cells.rowCount(), self.cells.columnCount()) and row >= 0:
            self._go(min(row, len(rows) - 1), min(column, len(rows[0]) - 1))

    def _fit(self, theme: Theme) -> None:
        width = self.fontMetrics().horizontalAdvance("0") * self.cells.longest() + 14
        self.horizontalHeader().setDefaultSectionSize(min(max(width, theme.px(NARROW)), theme.px(WIDE)))

    def _go(self, row: int, column: int) -> None:
        index = self.cells.index(row, column)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    @property
    def chosen(self) -> list[tuple[int, int]]:
        """The selected cells, or the current one."""
        found = [(one.row(), one.column()) for one in self.selectionModel().selectedIndexes()]
        at = self.currentIndex()
        return found or ([(at.row(), at.column())] if at.isValid() else [])

    # the clipboard; the Edit menu calls these methods by name

    def copy(self) -> None:
        """Copy the selected cells, from the first to the last, in spreadsheet format."""
        cells = self.chosen
        if cells:
            rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
            QGuiApplication.clipboard().setText(
                tables.tabbed([self.cells.rows[row][one] for one in columns] for row in rows)
            )

    def cut(self) -> None:
        """Copy, then write zeros."""
        self.copy()
        self.clear_cells()

    def paste(self) -> None:
        """Paste the clipboard here; if it can't be read, nothing changes."""
        try:
            self._paste(read(QGuiApplication.clipboard().text()))
        except UserError as error:
            self.cells.said.emit(str(error))

    def _paste(self, typed: Typed) -> None:
        everything = len(self.chosen) == self.cells.rowCount() * self.cells.columnCount() > 1
        block = typed.rows
        if typed.is_array or block is None or (everything and len(block) * len(block[0]) > 1):
            self._replace(typed)
            self.cells.said.emit("")
            return
        cells = self.chosen or [(0, 0)]
        if len(block) == len(block[0]) == 1:
            self.cells.ask(tables.with_cells(self.cells.rows, cells, block[0][0]))
            return
        at = (min(row for row, _ in cells), min(column for _, column in cells))
        if len(self.cells.rows) == 1 and len(block[0]) == 1:
            block = tuple(zip(*block, strict=True))  # a column into a vector
        if self.cells.ask(tables.with_block(self.cells.rows, block, at, self.zero)):
            self._go(*at)
            last = self.cells.index(at[0] + len(block) - 1, at[1] + len(block[0]) - 1)
            area = QItemSelection(self.cells.index(*at), last)
            self.selectionModel().select(area, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def clear_cells(self) -> None:
        """Write zeros into the selected cells."""
        self.cells.ask(tables.with_cells(self.cells.rows, self.chosen, self.zero))

    # rows and columns

    def add_row(self) -> None:
        """Add a row below the current one, or at the end."""
        at = self.currentIndex().row() + 1 or len(self.cells.rows)
        if self.cells.ask(tables.with_row(self.cells.rows, at, self.zero)):
            self._go(at, max(0, self.currentIndex().column()))

    def add_column(self) -> None:
        """Add a column to the right of the current one, or at the end."""
        at = self.currentIndex().column() + 1 or self.cells.columnCount()
        if self.cells.ask(tables.with_column(self.cells.rows, at, self.zero)):
            self._go(max(0, self.currentIndex().row()), at)

    def remove_rows(self) -> None:
        """Delete the selected rows; without a selection, the last one."""
        self._remove({row for row, _ in self.chosen} or {len(self.cells.rows) - 1}, tables.without_rows)

    def remove_columns(self) -> None:
        """Delete the selected columns; without a selection, the last one."""
        self._remove({column for _, column in self.chosen} or {self.cells.columnCount() - 1}, tables.without_columns)

    def _remove(self, gone: set[int], without: Callable[[Rows, set[int]], Rows]) -> None:
        try:
            rows = without(self.cells.rows, gone)
        except UserError as error:
            self.cells.said.emit(str(error))
            return
        self.cells.ask(rows)

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        entries = (("Cut", self.cut), ("Copy", self.copy), ("Paste", self.paste), ("Select All", self.selectAll))
        for title, do in entries:
            action = QAction(title, menu)
            action.triggered.connect(do)
            menu.addAction(action)
        menu.popup(self.viewport().mapToGlobal(at))

    # keys

    def event(self, event: QEvent) -> bool:
        """The clipboard's keys belong to the grid; the window has them as well."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            own = any(event.matches(key) for key in OWN_KEYS) or event.key() in CLEAR_KEYS
            event.setAccepted(own)
            if own:
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        own = {KEYS.Copy: self.copy, KEYS.Cut: self.cut, KEYS.Paste: self.paste, KEYS.SelectAll: self.selectAll}
        for key, do in own.items():
            if event.matches(key):
                do()
                return
        if event.key() in CLEAR_KEYS:
            self.clear_cells()
        elif self.state() == self.State.EditingState:
            super().keyPressEvent(event)  # the cell has already received the key and closes by itself
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._down(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def _down(self, step: int) -> None:
        at = self.currentIndex()
        row = min(max(at.row() + step, 0), self.cells.rowCount() - 1)
        if len(self.cells.rows) == 1:  # in a vector, move to the right
            self._go(0, min(max(at.column() + step, 0), self.cells.columnCount() - 1))
        else:
            self._go(row, max(0, at.column()))

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """After Enter in a cell, the one below is next."""
        super().closeEditor(editor, hint)
        if hint == QAbstractItemDelegate.EndEditHint.SubmitModelCache:
            self._down(1)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab leaves the grid after the last cell, and before the first."""
        at = self.currentIndex()
        last = (at.row(), at.column()) == (self.cells.rowCount() - 1, self.cells.columnCount() - 1)
        first = (at.row(), at.column()) == (0, 0)
        if not at.isValid() or (last if next else first):
            self.setTabKeyNavigation(False)
            left = super().focusNextPrevChild(next)
            self.setTabKeyNavigation(True)
            return left
        return super().focusNextPrevChild(next)


# -- the grid with its buttons, in the editor and, with more room, in a dialog


if TYPE_CHECKING:
    pass

SEEN = 6  # rows visible in the small form
TakeData = Callable[[Literal], None]


class GridBox(QWidget):
    """`take` receives changed numbers, `replace` a whole pasted array."""

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
            small_button("−", "Remove rows", view.remove_rows, "Delete the selected rows"),
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
        """Use other colours and sizes."""
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
        shape = tables.shape_of(data)
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
        self.view.show_rows(tables.slice_of(self._data, self._index), self._theme)
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
        """As high as its rows, up to a limit."""
        if self._large:
            return
        rows = min(max(self.model.rowCount(), 1), SEEN)
        head = self.view.horizontalHeader().sizeHint().height()
        bar = self.view.horizontalScrollBar().sizeHint().height()
        self.view.setFixedHeight(rows * self.view.verticalHeader().defaultSectionSize() + head + bar + 4)

    def _take_rows(self, rows: Rows) -> None:
        shape = tables.shape_of(self._data)
        if len(shape) > 2 and (len(rows), len(rows[0])) != shape[-2:]:
            sizes = f"{shape[-2]} × {shape[-1]}"
            needed = f"{len(rows)} × {len(rows[0])}"
            raise UserError(f"A slice has {sizes} cells, and this needs {needed}. Change the shape first.")
        grown = len(shape) == 1 and len(rows) > 1
        self._take(rows if grown else tables.with_slice(self._data, self._index, rows))

    def _say(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def _transpose(self) -> None:
        rows = self.model.rows
        if len(tables.shape_of(self._data)) != 2:
            self._say("Only a matrix can be transposed; choose Matrix as its kind first.")
        else:
            self._replace(Typed(tables.transposed(rows), True))

    def _fill(self, text: str) -> None:
        number = read_number(text)
        self._take_rows(tables.with_cells(self.model.rows, self.view.chosen or self._all(), number))
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
        """Close the large grid: the leaf is no longer shown."""
        if self.dialog is not None:
            self.dialog.reject()

    def _forget_dialog(self) -> None:
        self.dialog = None


ABOUT = "Type, or paste cells from a spreadsheet, a CSV file, NumPy or PyTorch. Ctrl+Z undoes a change."
UNDO_KEYS = ((QKeySequence.StandardKey.Undo, "edit.undo"), (QKeySequence.StandardKey.Redo, "edit.redo"))


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
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)  # Enter belongs to the grid
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addWidget(self.box, 1)
        column.addWidget(buttons)
        self.resize(theme.px(820), theme.px(600))
        self.box.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo apply to the drawing."""
        for keys, command in UNDO_KEYS:
            if event.matches(keys):
                self._do(command)
                return
        super().keyPressEvent(event)

    def show_data(self, id: int, name: str, data: Literal) -> None:
        """Show the numbers of this leaf."""
        if isinstance(data, tuple):
            self.setWindowTitle(f"{name}: {' × '.join(map(str, tables.shape_of(data)))}")
            self.box.show_data(id, name, data)
