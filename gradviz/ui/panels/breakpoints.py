"""The breakpoints page: a field that adds one, and the list of breakpoints, to disable, edit the condition of, and
delete. `session.breakpoints.points` defines what a breakpoint is; `playback` finds where they stop."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.session.breakpoints.condition_values import kind_words
from gradviz.session.breakpoints.conditions import HELP, compiled
from gradviz.session.breakpoints.points import Breakpoint, Breakpoints, ConditionError, read_breakpoint
from gradviz.session.state import STALE, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, plain_table
from gradviz.ui.theme import Theme

COLUMNS = ("Stops at", "When", "Stops")
CONDITION = 1


class BreakpointsPanel(Panel):
    """Everything about breakpoints that the editor's margin does not offer."""

    shows = Slice("breakpoints", *STALE)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._filling = False
        self.field = QLineEdit()
        self.field.setPlaceholderText(
            "Add: norm > 5   ·   line 9 when grad.isnan().any()   ·   kind accumulate   ·   name w"
        )
        self.field.setAccessibleName("New breakpoint")
        self.field.setToolTip(HELP)
        self.field.returnPressed.connect(self._add)
        self.add = QPushButton("Add")
        self.add.clicked.connect(self._add)
        self.delete = QPushButton("Delete")
        self.delete.setToolTip("Delete the selected breakpoint (Delete).")
        self.delete.clicked.connect(self._delete)
        self.message = QLabel()
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setObjectName("muted")
        self.message.setWordWrap(True)
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setHorizontalHeaderLabels(list(COLUMNS))
        plain_table(self.table, "Breakpoints", stretch=CONDITION)
        self.table.itemChanged.connect(self._changed)
        self.table.installEventFilter(self)
        row = QHBoxLayout()
        for widget, stretch in ((self.field, 1), (self.add, 0), (self.delete, 0)):
            row.addWidget(widget, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.message)
        column.addWidget(self.table, 1)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.field

    @property
    def _stops(self) -> Breakpoints:
        return self.context.shell.store.state.breakpoints

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.table.setFont(look.sans(theme, 12.5))
        self.table.verticalHeader().setDefaultSectionSize(theme.px(25))
        self.table.setColumnWidth(0, theme.px(260))
        self.table.setColumnWidth(2, theme.px(96))
        self.message.setFont(look.sans(theme, look.SMALL))
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.breakpoints.points != after.breakpoints.points:
            self._fill(after.breakpoints)
        if before is after or before.breakpoints != after.breakpoints or before.is_stale != after.is_stale:
            self._tell(after)

    def _fill(self, stops: Breakpoints) -> None:
        self._filling = True
        chosen = self.table.currentRow()
        self.table.setRowCount(len(stops.points))
        for row, point in enumerate(stops.points):
            place = QTableWidgetItem(replace(point, condition="").title)
            place.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            place.setCheckState(Qt.CheckState.Checked if point.enabled else Qt.CheckState.Unchecked)
            hits = QTableWidgetItem()
            hits.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            hits.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column, item in enumerate((place, QTableWidgetItem(point.condition), hits)):
                self.table.setItem(row, column, item)
        if 0 <= chosen < len(stops.points):
            self.table.setCurrentCell(chosen, 0)
        self.delete.setEnabled(bool(stops.points))
        self._filling = False

    def _tell(self, state: State) -> None:
        """Show how often each one stops, and what is wrong with its condition."""
        self._filling = True
        hits = state.breakpoints.hits
        for row, count in enumerate(hits.counts[: self.table.rowCount()]):
            self._item(row, 2).setText(f"{count:,}")
        problems = [problem for problem in hits.problems if problem]
        if problems:
            self._say(problems[0], is_error=True)
        elif state.is_stale and state.breakpoints.points:
            self._say("The snippet has changed: run it again to see where they stop.")
        elif not hits.is_complete:
            self._say(f"{100 * hits.looked // max(1, hits.steps_of_trace)} % of the steps have been checked.")
        else:
            self._say("" if state.breakpoints.points else "Playing and running stop at breakpoints.")
        self._filling = False

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        item = self.table.item(row, column)
        assert item is not None
        return item

    def _say(self, sentence: str, *, is_error: bool = False) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))
        self.message.setStyleSheet(f"color: {self.theme.error}" if is_error else "")

    # what the user does

    def _add(self) -> None:
        text, begin = self.field.text(), 0
        if not text.strip():
            return
        try:
            point = read_breakpoint(text, kind_words())
            if point.condition:
                begin = text.rfind(point.condition)
                compiled(point.condition, frozenset(kind_words()))
        except ConditionError as error:
            self._say(error.sentence, is_error=True)
            self.field.setCursorPosition(begin + error.column)
            self.field.setFocus()
            return
        self.field.clear()
        self._take((*self._stops.points, point))

    def _changed(self, item: QTableWidgetItem) -> None:
        if self._filling:
            return
        row = item.row()
        point = replace(
            self._stops.points[row],
            enabled=self._item(row, 0).checkState() is Qt.CheckState.Checked,
            condition=self._item(row, CONDITION).text().strip(),
        )
        if point.condition and item.column() == CONDITION:
            try:
                compiled(point.condition, frozenset(kind_words()))
            except ConditionError as error:
                self._fill(self._stops)
                self._say(error.sentence, is_error=True)
                return
        points = list(self._stops.points)
        points[row] = point
        self._take(tuple(points))

    def _delete(self) -> None:
        row = self.table.currentRow()
        points = self._stops.points
        if 0 <= row < len(points):
            self._take((*points[:row], *points[row + 1 :]))

    def _take(self, points: tuple[Breakpoint, ...]) -> None:
        self.context.shell.store.stop_at(self._stops.with_points(points))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the list, Delete deletes, Enter edits the condition, and Space enables or disables."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self.table.currentRow() >= 0:
            row = self.table.currentRow()
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                self._delete()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.table.editItem(self._item(row, CONDITION))
                return True
            if event.key() == Qt.Key.Key_Space:
                item = self._item(row, 0)
                is_on = item.checkState() is Qt.CheckState.Checked
                item.setCheckState(Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)
                return True
        return super().eventFilter(watched, event)
