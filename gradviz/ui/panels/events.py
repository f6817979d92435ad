"""The events list: every step as a clickable row, and a filter field. Rows are described only when they become visible,
so a trace of a hundred thousand steps opens at once; `session.inspect.event_filter` evaluates the filter."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)
from PySide6.QtGui import QBrush, QColor, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gradviz.session.breakpoints.condition_values import kind_words
from gradviz.session.inspect.event_filter import HELP, Query, Sieve, query_of, title_of
from gradviz.session.state import MOMENT, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved, plain_table
from gradviz.ui.panels.timeline_paint import colour_of
from gradviz.ui.theme import Theme

COLUMNS = ("Step", "Kind", "What happened", "Line")
AT_ONCE = 0.008  # seconds of filtering within a key press, before the list is shown
SLICE = 0.008
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class StepsModel(QAbstractTableModel):
    """The steps of the state's trace: all of them, or those that the filter has found so far."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.state = State()
        self._found: list[int] | None = None  # None means all
        self._shown = 0  # how many of them the view knows

    def reset(self, state: State, found: list[int] | None) -> None:
        """Show these steps of this state's trace."""
        self.beginResetModel()
        self.state, self._found = state, found
        self._shown = state.steps if found is None else len(found)
        self.endResetModel()

    def grow(self) -> None:
        """More steps have been found."""
        if self._found is not None and len(self._found) > self._shown:
            self.beginInsertRows(ROOT, self._shown, len(self._found) - 1)
            self._shown = len(self._found)
            self.endInsertRows()

    def step(self, row: int) -> int:
        """The step in a row, from 0."""
        return row if self._found is None else self._found[row]

    def row_of(self, step: int) -> int:
        """The row of a step, or of the last listed one before it; -1 if there is none."""
        from bisect import bisect_right

        return step if self._found is None else bisect_right(self._found, step, hi=self._shown) - 1

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._shown

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
            return self._text(self.step(index.row()), index.column())
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 1:
            kind = kind_words()[int(self.state.trace.steps.kind[self.step(index.row())])]
            return QBrush(QColor(colour_of(self.theme, kind.upper().replace(" ", "_"))))
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _text(self, step: int, column: int) -> str:
        trace = self.state.trace
        assert trace is not None
        if column == 0:
            return f"{step + 1:,}"
        if column == 1:
            return kind_words()[int(trace.steps.kind[step])]
        if column == 2:
            return title_of(trace, step)
        line = int(trace.steps.line[step])
        return str(line) if line > 0 else ""


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (0, 3) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class EventsPanel(Panel):
    """A filter and a table; the row of the current step is selected."""

    shows = Slice(*MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.model = StepsModel(context.theme)
        hint = "Filter: words, kind:backward, line:9, name:w, step:100-200"
        self.filter = look.search_field("Filter the events", hint)
        self.filter.setToolTip(HELP + " Enter goes to the next match, Shift+Enter to the previous one.")
        self.filter.textChanged.connect(self._sift)
        self.filter.installEventFilter(self)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.table = QTableView()
        self.table.setModel(self.model)
        plain_table(self.table, "Events", stretch=2)
        self.table.selectionModel().currentRowChanged.connect(self._chosen)
        self._sieve: Sieve | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._sift_on)
        row = QHBoxLayout()
        row.addWidget(self.filter, 1)
        row.addWidget(self.count)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(4)
        column.addLayout(row)
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
        for column, width in ((0, 82), (1, 128), (3, 56)):
            self.table.setColumnWidth(column, theme.px(width))
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.trace is not after.trace or before.steps != after.steps:
            self._sift()
        if moved(before, after):
            self._show_cursor(after.cursor)

    def showEvent(self, event: Any) -> None:
        """Only a visible list scrolls to the cursor."""
        super().showEvent(event)
        self._show_cursor(self.context.shell.store.state.cursor)

    # the filter

    def _sift(self) -> None:
        state, query = self.context.shell.store.state, query_of(self.filter.text())
        self._timer.stop()
        self._sieve = None
        if query.is_empty or state.trace is None:
            self.model.reset(state, None)
        else:
            self._begin(state, query)
        self._tell()
        self._show_cursor(state.cursor)

    def _begin(self, state: State, query: Query) -> None:
        assert state.trace is not None
        self._sieve = Sieve(state.trace, query, state.steps)
        if self._sieve.work(AT_ONCE):
            self._timer.start()
        self.model.reset(state, self._sieve.found)

    def _sift_on(self) -> None:
        if self._sieve is None or not self._sieve.work(SLICE):
            self._timer.stop()
        self.model.grow()
        self._tell()

    def _tell(self) -> None:
        """Show how many there are, or how far the search has come."""
        steps, shown = self.model.state.steps, self.model.rowCount()
        if self._sieve is None:
            self.count.setText(f"{steps:,} steps" if steps else "")
        elif self._timer.isActive():
            self.count.setText(f"{shown:,} found, {100 * self._sieve.looked // max(1, steps)} % looked at")
        else:
            self.count.setText(f"{shown:,} of {steps:,} steps")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the filter, Enter goes to the next listed step, and Down into the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._next(back=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                return True
            if event.key() == Qt.Key.Key_Down:
                self.table.setFocus()
                return True
        return super().eventFilter(watched, event)

    def _next(self, *, back: bool) -> None:
        cursor = self.context.shell.store.state.cursor
        row = self.model.row_of(cursor - 2) if back else self.model.row_of(cursor - 1) + 1
        if 0 <= row < self.model.rowCount():
            self._go(self.model.step(row) + 1)

    # the cursor

    def _show_cursor(self, cursor: int) -> None:
        """Select the current step; if the filter excludes it, only scroll to its place."""
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        row = self.model.row_of(cursor - 1) if cursor else -1
        if 0 <= row < self.model.rowCount():
            flags = QItemSelectionModel.SelectionFlag
            there = self.model.step(row) == cursor - 1
            how = flags.ClearAndSelect | flags.Rows if there else flags.Clear
            selection.setCurrentIndex(self.model.index(row, 0), how)
            if self.isVisible():
                self.table.scrollTo(self.model.index(row, 0))
        else:
            selection.clear()
        selection.blockSignals(False)
        self.table.viewport().update()

    def _chosen(self, index: QModelIndex, _: QModelIndex) -> None:
        if index.isValid():
            self._go(self.model.step(index.row()) + 1)

    def _go(self, cursor: int) -> None:
        self.context.shell.store.play(False)
        self.context.shell.store.move(cursor)
