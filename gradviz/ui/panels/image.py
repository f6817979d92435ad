"""The inspected tensor, or its gradient, as an image: two of its dimensions, the others chosen by number. A click on a
cell asks where that number comes from."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from gradviz.session.moves import inspected_tensor
from gradviz.session.state import MOMENT, Slice, State
from gradviz.trace.table.values import number_text
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.values import Value
    from gradviz.ui.charts import Array
    from gradviz.ui.images import TensorImage

NOTHING = "Select a tensor with at least one dimension to see it as an image."
NO_GRADIENT = "No gradient has arrived at it so far."
NO_VALUE = "None of its numbers were kept."
UNKEPT = "Only its range and corners were kept. To keep it whole, record fewer iterations, or this module alone."
PARTS = (("Value", "value"), ("Gradient", "grad"))


def pages(array: Array) -> Array:
    """All images of a tensor: of the last two dimensions, one after the other. Complex numbers by their size."""
    wide = np.abs(array) if np.iscomplexobj(array) else array
    wide = wide.astype(np.float64)
    return wide.reshape(-1, *((1,) * (2 - wide.ndim) + wide.shape)[-2:])


class ImagePanel(Panel):
    """The choice of what is shown on the left, the image on the right; made only while visible."""

    shows = Slice(*MOMENT, "selection", "predict")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.image: TensorImage | None = None
        self._tensor: int | None = None
        self._name = ""
        self._shape: tuple[int, ...] = ()
        self._pages: Array | None = None
        self._most = 1.0  # the largest number of all of them, in size
        self.part = look.DropDown()
        self.part.setAccessibleName("What is shown")
        for title, _ in PARTS:
            self.part.addItem(title)
        self.part.currentIndexChanged.connect(self._again)
        self.number = QSlider(Qt.Orientation.Horizontal)
        self.number.setAccessibleName("Which of its images")
        self.number.valueChanged.connect(self._draw)
        self.title, self.said = QLabel(), QLabel()
        self.said.setObjectName("muted")
        for label in (self.title, self.said):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        left = QWidget()
        left.setMaximumWidth(context.theme.px(230))
        choice = QVBoxLayout(left)
        choice.setContentsMargins(0, 0, 0, 0)
        for widget in (self.title, self.part, self.number, self.said):
            choice.addWidget(widget)
        choice.addStretch(1)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 4, 8, 8)
        self._row.addWidget(left, 1)
        self._row.addStretch(0)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.image if self.image is not None and self.image.isVisibleTo(self) else self.part

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.title.setFont(look.sans(theme, 13))
        self.said.setFont(look.sans(theme, 12.5))
        if self.image is not None:
            self.image.set_theme(theme)

    def show_state(self, before: State, after: State) -> None:
        if self.isVisible():
            self._show(after)

    def showEvent(self, event: QShowEvent) -> None:
        """Show what happened in the meantime."""
        super().showEvent(event)
        self._again()

    def _again(self) -> None:
        self._show(self.context.shell.store.state)

    def _show(self, state: State) -> None:
        from gradviz.session.inspect.origins import value_of

        tensor, value = inspected_tensor(state), None
        self._tensor, self._name = tensor, ""
        if tensor is not None and state.trace is not None and not state.predict.on:
            frame = state.trace.frame(state.cursor)
            value = value_of(frame, tensor, self._part)
            self._name = f"{'∇' * (self._part == 'grad')}{frame.name(tensor)}"
        self._pages = pages(value.array) if value is not None and value.array is not None and value.shape else None
        if self._pages is not None and not self._pages.size:
            self._pages = None
        if self._pages is not None:
            self._most = float(np.abs(self._pages[np.isfinite(self._pages)]).max(initial=0)) or 1.0
        self._shape = value.shape if value is not None else ()
        self.said.setText(self._sentence(value))
        several = self._pages is not None and len(self._pages) > 1
        self.number.setVisible(several)
        if self._pages is not None and several:
            with QSignalBlocker(self.number):
                self.number.setMaximum(len(self._pages) - 1)
        self._draw()

    def _sentence(self, value: Value | None) -> str:
        if value is None:
            return NO_GRADIENT if self._name and self._part == "grad" else NOTHING
        if not value.shape or not value.numel:
            return NOTHING
        if value.array is None:
            return UNKEPT if value.is_known else NO_VALUE
        return f"{number_text(value.summary.low)} to {number_text(value.summary.high)}{self._bad(value)}"

    @staticmethod
    def _bad(value: Value) -> str:
        return f", {value.summary.nans:,} NaN" if value.summary.nans else ""

    @property
    def _part(self) -> str:
        return PARTS[self.part.currentIndex()][1]

    def _chosen(self, count: int) -> int:
        """Which of so many images is shown; for a tensor with a single one the slider keeps its place."""
        return min(self.number.value(), count - 1)

    def _draw(self) -> None:
        """Show the chosen image; the colours mean the same on all images of a tensor."""
        lead = self._shape[:-2]
        count = math.prod(lead)
        index = np.unravel_index(self._chosen(count), lead) if lead and count else ()
        which = f"[{', '.join([*map(str, map(int, index)), ':', ':'])}]" if lead else ""
        self.title.setText(f"{self._name}{which}" + (f" of {list(self._shape)}" if self._shape else ""))
        if self._pages is None:
            if self.image is not None:
                self.image.setVisible(False)
            return
        if self.image is None:
            self.image = import_module("gradviz.ui.images").TensorImage(self.theme)
            self.image.asked.connect(self._ask)
            self._row.insertWidget(1, self.image, 3)
        self.image.show_cells(self._pages[self._chosen(len(self._pages))], self._most, self._name)
        self.image.setVisible(True)

    def _ask(self, row: int, column: int) -> None:
        """Ask where the number in a cell comes from."""
        from gradviz.session.inspect.elements import Element

        if self._pages is not None and self._tensor is not None:
            at = np.ravel_multi_index((self._chosen(len(self._pages)), row, column), self._pages.shape)
            self.context.shell.elements.show(Element(self._tensor, self._part, int(at)))
            self.context.shell.focus("elements")
