"""The ranks of a recorded job, a row each: which of many to open. The recordings are read in a thread when the panel
is first seen; `session.comparison.ranks` makes the rows."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QLabel, QTableView, QVBoxLayout, QWidget

from gradviz.document.snippet import ranks_of
from gradviz.session.state import Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, plain_table
from gradviz.ui.tasks import Task
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.comparison.ranks import Rank

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
READING = "Reading rank {:,} of {:,} …"
HINT = "Enter or a double click shows a rank beside the first."


class RanksModel(QAbstractTableModel):
    """The rows of the table; `titles` and `meanings` are those of its columns."""

    def __init__(self) -> None:
        super().__init__()
        self.ranks: tuple[Rank, ...] = ()
        self.titles: tuple[str, ...] = ()
        self._meanings: tuple[str, ...] = ()
        self._cells: list[tuple[str, ...]] = []

    def show(self, ranks: tuple[Rank, ...]) -> None:
        """Show these."""
        from gradviz.session.comparison.ranks import MEANINGS, TITLES, cells, waits

        self.beginResetModel()
        self.ranks, self.titles, self._meanings = ranks, TITLES, MEANINGS
        self._cells = [cells(*row) for row in zip(ranks, waits(ranks), strict=True)]
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._cells)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.titles[section][0].upper() + self.titles[section][1:]
        if role == Qt.ItemDataRole.ToolTipRole:
            return look.tip(self._meanings[section])
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        return LEFT if column == len(self.titles) - 1 else RIGHT

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells[index.row()][index.column()]
        return self._alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None


class RanksPanel(Panel):
    """The table, and under it how far it has been read or what a row is for."""

    shows = Slice("document", "path")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.model = RanksModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        plain_table(self.table, "Ranks")
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.activated.connect(self._open)
        self.hint = QLabel(HINT)
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        self.task = Task()
        self.task.told.connect(self._grow)
        self.task.ended.connect(self._take)
        self._job: Path | None = None
        self._read: list[Rank] = []  # by the thread
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.table, 1)
        column.addWidget(self.hint)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.table

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for each in (self.table, self.hint):
            each.setFont(look.sans(theme, 12.5))
        self.table.verticalHeader().setDefaultSectionSize(theme.px(23))

    def show_state(self, before: State, after: State) -> None:
        if self.isVisible() and after.job != self._job:
            self._leave()
            self._job = after.job
            self._read = []
            self.model.show(())
            if after.job is not None:
                self.task.begin(_read(ranks_of(after.job), self._read))

    def showEvent(self, event: QShowEvent) -> None:
        """Show what happened in the meantime."""
        super().showEvent(event)
        state = self.context.shell.store.state
        self.show_state(state, state)

    def give_up(self) -> None:
        """Stop reading; what was read stays."""
        self._leave()
        self._show(HINT)

    def end(self) -> None:
        self._leave()
        self.task.close()

    def _leave(self) -> None:
        self.task.cancel()
        self.context.shell.layout_progress.update(self, "")

    def _grow(self, whole: float) -> None:
        """One more has been read, of so many in all."""
        said = READING.format(len(self._read) + 1, round(whole))
        self.context.shell.layout_progress.update(self, said)
        self._show(said)

    def _take(self, _: object, sentence: str) -> None:
        self.context.shell.layout_progress.update(self, "")
        self._show(sentence or HINT)

    def _show(self, said: str) -> None:
        self.hint.setText(said)
        if len(self._read) != len(self.model.ranks):
            self.model.show(tuple(self._read))

    def _open(self, index: QModelIndex) -> None:
        """Show a rank beside the first, or the first alone."""
        if self._job is None:
            return
        path = ranks_of(self._job)[index.row()]
        if index.row():
            self.context.shell.recordings.show_beside(path)
        else:
            self.context.do("run.close_what_if")


def _read(paths: list[Path], found: list[Rank]) -> Generator[float, None, None]:
    """Read these recordings one after the other into a list; yields how many there are."""
    from gradviz.document.files import recordings
    from gradviz.session.comparison.ranks import rank

    for path in paths:
        yield len(paths)
        found.append(rank(recordings.read(path)))
