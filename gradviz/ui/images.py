"""A tensor as an image, with a colour bar and the number under the mouse or the marked cell, built on pyqtgraph like
`charts`, and imported as late."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QGraphicsRectItem, QLabel, QVBoxLayout, QWidget

from gradviz.trace.table.values import number_text
from gradviz.ui import look
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.charts import Array, pg
from gradviz.ui.theme import Theme

ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
STEPS = np.linspace(-100, 100, 41)  # of the colours from the lowest to the highest number


class TensorImage(QWidget):
    """Rows and columns of numbers as an image; a click, Enter or Space asks about the marked one."""

    asked = Signal(int, int)  # row and column

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.cells: Array = np.zeros((1, 1))
        self.marked = (0, 0)
        self.view = pg.GraphicsLayoutWidget()
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot = self.view.addPlot(enableMenu=False)
        self.plot.hideButtons()
        self.plot.showAxes(selection=False)
        self.plot.setAspectLocked(True)
        self.plot.invertY(True)
        self.plot.setMouseEnabled(x=False, y=False)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.plot.addItem(self.image)
        self.frame = QGraphicsRectItem(0, 0, 1, 1)
        self.plot.addItem(self.frame)
        self.bar = pg.ColorBarItem(interactive=False, width=14)
        self.bar.setImageItem(self.image, insert_in=self.plot)
        for each in (self.plot, self.bar):
            each.ctrlMenu.setParent(self)  # it has a menu that would outlive the window,
            each.ctrlMenu.hide()  # and must not be shown with it
        self.under = QLabel()
        self.under.setTextFormat(Qt.TextFormat.PlainText)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.plot.scene().sigMouseMoved.connect(self._point)
        self.plot.scene().sigMouseClicked.connect(lambda event: self._click(event.scenePos()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.view, 1)
        column.addWidget(self.under)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes: those of the heat maps on the canvas."""
        self.theme = theme
        ink = Ink(theme)
        colours = [ink.strength(round(step)) for step in STEPS]
        table = [(each.red(), each.green(), each.blue()) for each in colours]
        self.bar.setColorMap(pg.ColorMap(np.linspace(0, 1, len(table)), np.array(table, np.uint8)))
        self.view.setBackground(QColor(theme.panel))
        axis = self.bar.axis
        axis.setTextPen(QColor(theme.text))
        axis.setPen(QColor(theme.card_border))
        axis.setStyle(tickFont=look.sans(theme, 11))
        pen = pg.mkPen(QColor(theme.text), width=2 * theme.scale)
        pen.setCosmetic(True)
        self.frame.setPen(pen)
        self.under.setFont(look.mono(theme, 12))

    def show_cells(self, cells: Array, most: float, name: str) -> None:
        """Show these rows and columns; colours go from -`most` to `most`."""
        self.cells = cells
        rows, columns = cells.shape
        self.image.setImage(cells, autoLevels=False)
        self.bar.setLevels((-most, most))
        self.plot.setRange(xRange=(0, columns), yRange=(0, rows), padding=0.02)
        self.setAccessibleName(f"{name} as an image")
        self.mark(min(self.marked[0], rows - 1), min(self.marked[1], columns - 1))

    def mark(self, row: int, column: int) -> None:
        """Mark a cell, and say what is there."""
        self.marked = row, column
        self.frame.setRect(column, row, 1, 1)
        said = f"row {row}, column {column}: {number_text(self.cells[row, column].item())}"
        self.under.setText(said)
        self.setAccessibleDescription(said)

    def _cell(self, at: QPointF) -> tuple[int, int] | None:
        place = self.plot.vb.mapSceneToView(at)
        row, column = math.floor(place.y()), math.floor(place.x())
        inside = 0 <= row < self.cells.shape[0] and 0 <= column < self.cells.shape[1]
        return (row, column) if inside else None

    def _point(self, at: QPointF) -> None:
        found = self._cell(at)
        if found is not None:
            self.mark(*found)

    def _click(self, at: QPointF) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        found = self._cell(at)
        if found is not None:
            self.mark(*found)
            self.asked.emit(*found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move the mark."""
        move = ARROWS.get(Qt.Key(event.key()))
        if move is not None:
            row, column = (
                min(max(at + by, 0), size - 1) for at, by, size in zip(self.marked, move, self.cells.shape, strict=True)
            )
            self.mark(row, column)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.asked.emit(*self.marked)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Arrow keys are for the mark, not for shortcuts of the window."""
        is_ours = isinstance(event, QKeyEvent) and event.key() in (*ARROWS, Qt.Key.Key_Space)
        if is_ours and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)
