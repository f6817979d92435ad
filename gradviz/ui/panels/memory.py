"""The memory page: the bytes that saved buffers hold over all steps, with their peak, and who holds them at the cursor.
The numbers come from `session.timeline.outline`."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gradviz.lists import quantity, size_text
from gradviz.session.state import MOMENT, Selection, Slice, State
from gradviz.session.timeline.outline import Holder, Strip, holders, outline
from gradviz.session.timeline.zoom import whole
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved, plain_table
from gradviz.ui.panels.timeline_paint import Geometry
from gradviz.ui.panels.timeline_plots import held_text, paint_held, paint_held_text
from gradviz.ui.theme import Theme

COLUMNS = ("Operation", "Buffer", "Tensor", "Bytes", "Share")
SHARE = 4
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class HoldersModel(QAbstractTableModel):
    """The largest holders, one row each."""

    def __init__(self) -> None:
        super().__init__()
        self.holders: tuple[Holder, ...] = ()

    def show(self, found: tuple[Holder, ...]) -> None:
        """List these."""
        if found != self.holders:
            self.beginResetModel()
            self.holders = found
            self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.holders)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        one = self.holders[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(one, index.column())
        if role == Qt.ItemDataRole.UserRole:
            return one.share
        if role == Qt.ItemDataRole.ToolTipRole and one.others:
            return f"The same memory is also held by {quantity(one.others, 'other operation')}."
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _text(one: Holder, column: int) -> str:
    others = f" and {one.others:,} more" if one.others else ""
    texts = (one.operation + others, one.buffers, one.tensor, size_text(one.nbytes), f"{100 * one.share:.0f} %")
    return texts[column]


def _nothing_held(strip: Strip | None) -> str:
    """Instead of an empty table."""
    if strip is None or not strip.peak[0]:
        return "Nothing is saved for a backward pass."
    most, at = strip.peak
    return f"Nothing is held at this step. The most was {size_text(most)}, at step {at:,}: click there on the curve."


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column >= 3 else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class ShareDelegate(QStyledItemDelegate):
    """Paints a bar behind the share."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self.colour = QColor()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        share = float(index.data(Qt.ItemDataRole.UserRole) or 0.0)
        box = QRectF(option.rect).adjusted(2, 4, -2, -4)
        colour = QColor(self.colour)
        colour.setAlpha(90)
        painter.fillRect(QRectF(box.left(), box.top(), box.width() * share, box.height()), colour)
        super().paint(painter, option, index)


class Curve(QWidget):
    """The bytes over all steps; clicking goes to a step."""

    def __init__(self, panel: MemoryPanel) -> None:
        super().__init__()
        self._panel = panel
        self.strip: Strip | None = None
        self.setAccessibleName("Bytes held by saved buffers over the steps")
        self.setMinimumSize(160, 60)

    def sizeHint(self) -> QSize:
        return QSize(420, 120)

    @property
    def _geometry(self) -> Geometry:
        steps = self._panel.context.shell.store.state.steps
        return Geometry(self.width(), self.height(), self._panel.theme, steps, whole(steps))

    @property
    def _area(self) -> QRectF:
        row, text = self._geometry.strip, self._panel.theme.px(20)
        return QRectF(row.left(), text, row.width(), max(1.0, self.height() - text - 8))

    def paintEvent(self, _: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            theme, area, geometry = self._panel.theme, self._area, self._geometry
            if self.strip is None:
                return
            paint_held(painter, geometry, area, self.strip)
            cursor = self._panel.context.shell.store.state.cursor
            x = geometry.playhead(cursor)
            painter.setPen(QPen(QColor(theme.text), 1.5))
            painter.drawLine(int(x), int(area.top()), int(x), int(area.bottom()))
            paint_held_text(painter, geometry, area, held_text(self.strip, cursor), at_right=False)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._scrub(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._scrub(event)

    def _scrub(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self.strip is not None:
            store = self._panel.context.shell.store
            store.play(False)
            store.move(int(self._geometry.step_at(event.position().x())) + 1)


class MemoryPanel(Panel):
    """The curve on the left, the holders on the right; computed only while visible."""

    shows = Slice(*MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.curve = Curve(self)
        self.model = HoldersModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        plain_table(self.table, "Who holds the memory", stretch=0)
        self._bars = ShareDelegate(self.table)
        self.table.setItemDelegateForColumn(SHARE, self._bars)
        self.table.clicked.connect(self._select)
        self.table.activated.connect(self._select)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 8, 8)
        row.addWidget(self.curve, 2)
        row.addWidget(self.table, 3)
        self.nothing = QLabel()
        self.nothing.setObjectName("muted")
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row.addWidget(self.nothing, 3)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.table

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._bars.colour = QColor(theme.saved)
        self.table.setFont(look.sans(theme, 12.5))
        self.nothing.setFont(look.sans(theme, 12.5))
        self.table.verticalHeader().setDefaultSectionSize(theme.px(23))
        for column, width in ((1, 96), (2, 110), (3, 76), (4, 66)):
            self.table.setColumnWidth(column, theme.px(width))
        self.curve.update()

    def show_state(self, before: State, after: State) -> None:
        if self.isVisible() and moved(before, after):
            self._show(after)

    def showEvent(self, event: QShowEvent) -> None:
        """Show what happened in the meantime."""
        super().showEvent(event)
        self._show(self.context.shell.store.state)

    def _show(self, state: State) -> None:
        strip = self.curve.strip
        if state.trace is None or not state.steps:
            self.curve.strip = None
        elif strip is None or strip.trace is not state.trace or strip.steps != state.steps:
            self.curve.strip = outline(state.trace, state.steps).strip
        self.model.show(holders(state.trace, state.cursor) if state.trace is not None else ())
        self.table.setVisible(bool(self.model.holders))
        self.nothing.setVisible(not self.model.holders)
        self.nothing.setText(_nothing_held(self.curve.strip))
        self.curve.update()

    def _select(self, index: QModelIndex) -> None:
        self.context.shell.store.select(Selection("node", self.model.holders[index.row()].node))
