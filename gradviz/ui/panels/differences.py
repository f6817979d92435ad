"""The What-if panel: the steps of both runs over one axis, and the list of differences; selecting a row goes to the
step at which the difference begins. `gradviz.session.comparison.differences` makes the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gradviz.session.state import Selection, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.comparison_timeline import ComparisonTimeline
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.comparison.differences import Difference

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SIGNS = {
    "rank": "≠",
    "error": "×",
    "gradient": "∇",
    "value": "=",
    "flag": "?",
    "memory": "▮",
    "output": "›",
    "step": "+",
}
SHARES = (0.42, 0.29)  # of the width, for all columns except the last
INVITATION = "See what one change does: the snippet runs again with it, and both runs are shown side by side."


class DifferencesModel(QAbstractTableModel):
    """The rows of the comparison."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows: tuple[Difference, ...] = ()
        self.titles = ("", "")

    def reset(self, rows: tuple[Difference, ...], titles: tuple[str, str]) -> None:
        """Show these rows."""
        self.beginResetModel()
        self.rows, self.titles = rows, titles
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else 3

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return ("What differs", *self.titles)[section]
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return left if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = (f"{SIGNS[row.sort]}  {row.subject}", row.here, row.there)[column]
            return text if role == Qt.ItemDataRole.DisplayRole else look.tip(self._whole(row))
        if role == Qt.ItemDataRole.ForegroundRole:
            return QBrush(QColor(self._colour(row, column)))
        return None

    def _whole(self, row: Difference) -> str:
        """The text of the tooltip."""
        sides = [f"{title}: {text}" for title, text in zip(self.titles, (row.here, row.there), strict=True)]
        return "\n".join([f"{row.subject} {row.note}".strip(), *sides])

    def _colour(self, row: Difference, column: int) -> str:
        if column == 0:
            return {"rank": self.theme.error, "error": self.theme.error, "gradient": self.theme.gradient}.get(
                row.sort, self.theme.text
            )
        return self.theme.text


class DifferencesPanel(Panel):
    """The twin strip on the left and the list on the right, or an invitation."""

    shows = Slice("document", "run", "what_if")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.setAccessibleName("What-if")
        self.strip = ComparisonTimeline(context)
        self.model = DifferencesModel(context.theme)
        self.table = self._make_table()
        self.invitation = QLabel(INVITATION)
        self.invitation.setWordWrap(True)
        self.invitation.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = QPushButton("What If…")
        self.button.clicked.connect(lambda: context.do("run.what_if"))
        both = QSplitter(Qt.Orientation.Horizontal)
        both.addWidget(self.strip)
        both.addWidget(self.table)
        both.setChildrenCollapsible(False)
        both.setSizes([500, 500])
        both.splitterMoved.connect(self._share)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._make_invitation())
        self._stack.addWidget(both)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 8, 6)
        column.addWidget(self._stack)
        self.set_theme(context.theme)

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setAccessibleName("Differences")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setMinimumWidth(220)
        table.verticalHeader().setVisible(False)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        table.horizontalHeader().setStretchLastSection(True)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.horizontalHeader().setHighlightSections(False)
        table.selectionModel().currentRowChanged.connect(self._chosen)
        table.clicked.connect(self._chosen)
        return table

    def _make_invitation(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.addStretch(1)
        column.addWidget(self.invitation)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        return page

    @property
    def focus_target(self) -> QWidget:
        return self.table if self.model.rows else self.button

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.model.theme = theme
        self.strip.set_theme(theme)
        self.table.setFont(look.sans(theme, 12.5))
        self.table.verticalHeader().setDefaultSectionSize(theme.px(23))
        self.invitation.setFont(look.sans(theme, 13))

    def show_state(self, before: State, after: State) -> None:
        beside, former = after.what_if, before.what_if
        self.button.setEnabled(not after.is_busy and not after.document.is_blank)
        self.strip.show_state(before, after)
        if before is not after and former is beside:
            return
        has = beside is not None and beside.comparison is not None
        self._stack.setCurrentIndex(1 if has else 0)
        if former is None or beside is None or former.rows is not beside.rows or before is after:
            rows = beside.rows if beside is not None else ()
            self.model.reset(rows, beside.short_titles if beside is not None else ("", ""))
            self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Distribute the width of the list over the columns."""
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        width = self.table.viewport().width()
        for column, part in enumerate(SHARES):
            self.table.setColumnWidth(column, int(width * part))

    def _chosen(self, index: QModelIndex, _: QModelIndex = ROOT) -> None:
        """Go to where the difference begins, and select what differs."""
        if not index.isValid():
            return
        row, store = self.model.rows[index.row()], self.context.shell.store
        store.play(False)
        if row.cursor_here >= 0:
            store.move(row.cursor_here)
        if row.cursor_there >= 0 and row.here == "–":
            store.move_there(row.cursor_there)
        if row.tensors[0] >= 0:
            store.select(Selection("tensor", row.tensors[0]))
        elif row.tensors[1] >= 0:
            store.select_there(Selection("tensor", row.tensors[1]))
