"""The grid of numbers: keys, selection and clipboard as in a spreadsheet. Enter and the arrows move, typing replaces,
Delete writes zeros, Tab goes on to the next cell and out at the last; a table that is pasted is laid from the current
cell on, a whole array takes the place of all."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemDelegate, QHeaderView, QMenu, QTableView, QWidget

from gradviz.document.errors import UserError
from gradviz.document.tables import tabbed, with_block, with_cells, with_column, with_row, without_columns, without_rows
from gradviz.document.typed import Rows, Typed, Value, read
from gradviz.ui import look
from gradviz.ui.editors.grid_model import GridModel
from gradviz.ui.theme import Theme

Replace = Callable[[Typed], None]
CELL, NARROW, WIDE = 12.0, 44, 130
KEYS = QKeySequence.StandardKey
OWN_KEYS = (KEYS.Copy, KEYS.Cut, KEYS.Paste, KEYS.SelectAll)
CLEAR_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class GridView(QTableView):
    """`replace` takes a whole array that was pasted; `zero` is what an empty cell holds; `is_vector` has one row."""

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
        """Take other colours and sizes."""
        self.cells.theme = theme
        self.setFont(look.mono(theme, CELL))
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setFont(look.sans(theme, 10.5))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self._fit(theme)

    def show_rows(self, rows: Rows, theme: Theme) -> None:
        """Show these; the current cell stays where it can."""
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
        """The selected cells; the current one where none is."""
        found = [(one.row(), one.column()) for one in self.selectionModel().selectedIndexes()]
        at = self.currentIndex()
        return found or ([(at.row(), at.column())] if at.isValid() else [])

    # the clipboard; the Edit menu calls these by their names

    def copy(self) -> None:
        """Copy the selected cells, from the first to the last, as a spreadsheet takes them."""
        cells = self.chosen
        if cells:
            rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
            QGuiApplication.clipboard().setText(tabbed([self.cells.rows[row][one] for one in columns] for row in rows))

    def cut(self) -> None:
        """Copy, then write zeros."""
        self.copy()
        self.clear_cells()

    def paste(self) -> None:
        """Put what is on the clipboard here; what can't be read changes nothing."""
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
            self.cells.ask(with_cells(self.cells.rows, cells, block[0][0]))
            return
        at = (min(row for row, _ in cells), min(column for _, column in cells))
        if len(self.cells.rows) == 1 and len(block[0]) == 1:
            block = tuple(zip(*block, strict=True))  # a column into a vector
        if self.cells.ask(with_block(self.cells.rows, block, at, self.zero)):
            self._go(*at)
            last = self.cells.index(at[0] + len(block) - 1, at[1] + len(block[0]) - 1)
            area = QItemSelection(self.cells.index(*at), last)
            self.selectionModel().select(area, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def clear_cells(self) -> None:
        """Write zeros into the selected cells."""
        self.cells.ask(with_cells(self.cells.rows, self.chosen, self.zero))

    # rows and columns

    def add_row(self) -> None:
        """One row below the current one, or at the end."""
        at = self.currentIndex().row() + 1 or len(self.cells.rows)
        if self.cells.ask(with_row(self.cells.rows, at, self.zero)):
            self._go(at, max(0, self.currentIndex().column()))

    def add_column(self) -> None:
        """One column right of the current one, or at the end."""
        at = self.currentIndex().column() + 1 or self.cells.columnCount()
        if self.cells.ask(with_column(self.cells.rows, at, self.zero)):
            self._go(max(0, self.currentIndex().row()), at)

    def remove_rows(self) -> None:
        """Take the selected rows away; without a selection, the last."""
        self._remove({row for row, _ in self.chosen} or {len(self.cells.rows) - 1}, without_rows)

    def remove_columns(self) -> None:
        """Delete the selected columns; without a selection, the last."""
        self._remove({column for _, column in self.chosen} or {self.cells.columnCount() - 1}, without_columns)

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
        """The clipboard's keys are the grid's own; the window has them too."""
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
            super().keyPressEvent(event)  # the cell has had the key already and closes in its own time
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._down(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def _down(self, step: int) -> None:
        at = self.currentIndex()
        row = min(max(at.row() + step, 0), self.cells.rowCount() - 1)
        if len(self.cells.rows) == 1:  # a vector goes on to the right
            self._go(0, min(max(at.column() + step, 0), self.cells.columnCount() - 1))
        else:
            self._go(row, max(0, at.column()))

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """After Enter in a cell, the one below is next."""
        super().closeEditor(editor, hint)
        if hint == QAbstractItemDelegate.EndEditHint.SubmitModelCache:
            self._down(1)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab leaves the grid behind its last cell, and before its first."""
        at = self.currentIndex()
        last = (at.row(), at.column()) == (self.cells.rowCount() - 1, self.cells.columnCount() - 1)
        first = (at.row(), at.column()) == (0, 0)
        if not at.isValid() or (last if next else first):
            self.setTabKeyNavigation(False)
            left = super().focusNextPrevChild(next)
            self.setTabKeyNavigation(True)
            return left
        return super().focusNextPrevChild(next)
