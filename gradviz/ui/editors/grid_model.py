"""The cells of a slice of a leaf's numbers as Qt's table model. It holds nothing of its own: a cell that was typed is
asked for with `change`, and the rows come back with the next drawing. The widget is in `grid`."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor

from gradviz.document.errors import UserError
from gradviz.document.tables import with_cells
from gradviz.document.typed import Rows, Value, read_number, write_number
from gradviz.ui.theme import Theme

Index = QModelIndex | QPersistentModelIndex
SAMPLED = 400  # cells that say how wide a column is
ROOT = QModelIndex()


class GridModel(QAbstractTableModel):
    """`heat` paints the ground of each cell by its value: blue below zero, orange above."""

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
        if rows == self.rows and repr(rows[:1]) == repr(self.rows[:1]):  # 1 is 1.0, but is not written so
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
        """Paint the ground of the cells, or not."""
        self._heat = heat
        self._measure()
        if self.rows and self.rows[0]:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.rows[0]) - 1))

    def ask(self, rows: Rows) -> bool:
        """Ask for other rows; False if they were refused."""
        try:
            self._change(rows)
        except UserError as error:
            self.said.emit(str(error))
            return False
        self.said.emit("")
        return True

    def longest(self) -> int:
        """Characters of the longest number, of a sample in a large table."""
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
        return self.ask(with_cells(self.rows, [(index.row(), index.column())], number))
