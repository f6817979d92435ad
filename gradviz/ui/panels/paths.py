"""The chain rule page: every path by which a gradient reaches a tensor, with its local derivatives, their product and
the sum, and what that gradient depends on. A selected path is highlighted on the canvas. `session.inspect.chain_rule`
makes the content on behalf of `ChainRunner`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QTableView, QVBoxLayout, QWidget

from gradviz.session.moves import inspected_tensor
from gradviz.session.state import MOMENT, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, plain_table
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.inspect.chain_rule import ChainRule
    from gradviz.trace.table.frame import Frame

COLUMNS = ("Path, from the end to the tensor", "Product of the local derivatives", "Gradient along it")
HINT = "Select a tensor with a gradient to see every path along which it arrives."
MOST_NAMES = 8
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Row = tuple[str, str, str]


class PathsModel(QAbstractTableModel):
    """The paths, one row each."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []

    def show(self, rows: list[Row]) -> None:
        """List these."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        across = orientation is Qt.Orientation.Horizontal
        return COLUMNS[section] if across and role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        text = self.rows[index.row()][index.column()]
        return text if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None


def rows_of(chain: ChainRule, frame: Frame) -> list[Row]:
    """The texts of the table."""
    if chain.paths is None or not chain.paths.found:
        return []
    found = []
    for path in chain.paths.found:
        way = "  ·  ".join(step.words(frame) for step in path.steps) or "it is where the backward call begins"
        found.append((way, path.product, path.value.brief()))
    return found


def headline(chain: ChainRule, frame: Frame) -> str:
    """ "w: 3 paths from loss; each passes y; the gradient depends on x."."""
    paths, depends = chain.paths, chain.depends
    if paths is None or depends is None:
        return chain.sentence
    roots = ", ".join(frame.name(root) for root in chain.trace.roots_of(chain.call).tolist())
    if not paths.count:
        return f"No path leads from {roots} to {chain.name}."
    count = f"{paths.count:,.0f}" if paths.count < 1e15 else f"about {paths.count:.2g}"
    shown = "" if paths.is_whole else f", the first {len(paths.found)} are listed"
    parts = [f"{chain.name}: {count} path{'s' if paths.count > 1 else ''} from {roots}{shown}"]
    inner = [frame.name(one) for one in depends.bottlenecks[1:]]
    if inner and paths.count > 1:
        parts.append(f"each passes {_listed(inner)}")
    values = [frame.name(one.tensor) for one in depends.values]
    parts.append(f"the gradient depends on {_listed(values)}" if values else "the gradient depends on no value")
    total = f"\nΣ  {paths.sum_words()}" if len(paths.found) > 1 and paths.is_whole else ""
    return "; ".join(parts) + "." + total


def _listed(names: list[str]) -> str:
    shown = names[:MOST_NAMES]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return ", ".join(shown) + more


class PathsPanel(Panel):
    """A sentence, the table, and a button that asks; computed only while visible."""

    shows = Slice("chain", "selection", "picked", "document", "what_if", *MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.sentence = QLabel(HINT)
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QPushButton()
        self.button.clicked.connect(lambda: context.do("view.chain"))
        self.model = PathsModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        plain_table(self.table, "Paths of the gradient", stretch=0)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.table.clicked.connect(self._choose)  # of a single row, which is current from the start
        top = QHBoxLayout()
        top.addWidget(self.sentence, 1)
        top.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 8, 8)
        column.addLayout(top)
        column.addWidget(self.table, 1)
        self._showing = False
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.table

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.sentence.setFont(look.sans(theme, 12.5))
        self.table.setFont(look.sans(theme, 12.5))
        self.table.verticalHeader().setDefaultSectionSize(theme.px(23))
        self._share()

    def _share(self) -> None:
        """The path gets what the numbers leave."""
        for column, width, share in ((1, 250, 0.28), (2, 180, 0.18)):
            self.table.setColumnWidth(column, min(self.theme.px(width), round(self.width() * share)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def show_state(self, before: State, after: State) -> None:
        tensor = inspected_tensor(after) if self.isVisible() or before is after else None
        self.button.setEnabled(tensor is not None)
        name = after.trace.frame(after.cursor).name(tensor) if tensor is not None and after.trace is not None else ""
        self.button.setText(f"Paths to {name}" if name else "Paths of the gradient")
        if before is after or before.chain is not after.chain:
            self._show(after.chain)

    def showEvent(self, event: QShowEvent) -> None:
        """What was selected in the meantime can be asked about."""
        super().showEvent(event)
        state = self.context.shell.store.state
        self.show_state(state, state)

    def _show(self, chain: ChainRule | None) -> None:
        self._showing = True
        if chain is None:
            self.model.show([])
            self.sentence.setText(HINT)
        else:
            frame = chain.trace.frame(len(chain.trace))
            self.model.show(rows_of(chain, frame))
            self.sentence.setText(headline(chain, frame))
            if chain.at >= 0:
                self.table.selectRow(chain.at)
            else:
                self.table.clearSelection()
        self.table.setVisible(bool(self.model.rows))
        self._showing = False

    def _choose(self, index: QModelIndex) -> None:
        store = self.context.shell.store
        chain = store.state.chain
        if self._showing or chain is None or chain.paths is None:
            return
        at = index.row() if 0 <= index.row() < len(chain.paths.found) else -1
        store.show_chain(replace(chain, at=at))
