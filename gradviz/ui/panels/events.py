"""The events list: every step as a row that can be clicked. Rows are described only when they are seen, so a trace of
a hundred thousand steps opens at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout, QWidget

from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.panels.timeline_paint import colour_of
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

COLUMNS = ("Step", "Kind", "What happened", "Line")
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class StepsModel(QAbstractTableModel):
    """The steps of the state's trace."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.state = State()

    def reset(self, state: State) -> None:
        """Show the steps of this state's trace."""
        self.beginResetModel()
        self.state = state
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self.state.steps

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.state.trace is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(index.row(), index.column())
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 1:
            return QBrush(QColor(colour_of(self.theme, self._kind(index.row()))))
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _kind(self, row: int) -> str:
        from gradviz.trace.kinds import Kind

        assert self.state.trace is not None
        return Kind(int(self.state.trace.steps.kind[row])).name

    def _text(self, row: int, column: int) -> str:
        trace = self.state.trace
        assert trace is not None
        if column == 0:
            return str(row + 1)
        if column == 1:
            return self._kind(row).lower().replace("_", " ")
        if column == 2:
            return _title(trace, row)
        line = int(trace.steps.line[row])
        return str(line) if line > 0 else ""


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (0, 3) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _title(trace: Trace, row: int) -> str:
    """The title of a step, from a frame of its own: the trace's cached one stays the cursor's."""
    from gradviz.trace.frame import Frame

    step = Frame(trace, row + 1).step
    return step.title if step else ""


class EventsPanel(Panel):
    """A table; the row of the current step is selected."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.model = StepsModel(context.theme)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Events")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().setVisible(False)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.selectionModel().currentRowChanged.connect(self._chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 8, 8)
        column.addWidget(self.table)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.table

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.model.theme = theme
        self.table.setFont(look.sans(theme, 12.5))
        self.table.verticalHeader().setDefaultSectionSize(theme.px(23))
        for column, width in ((0, 62), (1, 128), (3, 56)):
            self.table.setColumnWidth(column, theme.px(width))
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.trace is not after.trace or before.steps != after.steps:
            self.model.reset(after)
        if moved(before, after):
            self._show_cursor(after.cursor)

    def showEvent(self, event: Any) -> None:
        """Only a list that can be seen follows the cursor by scrolling."""
        super().showEvent(event)
        self._show_cursor(self.context.shell.store.state.cursor)

    def _show_cursor(self, cursor: int) -> None:
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        if cursor:
            flags = QItemSelectionModel.SelectionFlag
            selection.setCurrentIndex(self.model.index(cursor - 1, 0), flags.ClearAndSelect | flags.Rows)
            if self.isVisible():
                self.table.scrollTo(self.model.index(cursor - 1, 0))
        else:
            selection.clear()
        selection.blockSignals(False)
        self.table.viewport().update()

    def _chosen(self, index: QModelIndex, _: QModelIndex) -> None:
        if index.isValid():
            self.context.shell.store.play(False)
            self.context.shell.store.move(index.row() + 1)
