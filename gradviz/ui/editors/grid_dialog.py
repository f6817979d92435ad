"""The grid of a leaf's numbers in a window of its own, with room for a matrix, a heat map behind the numbers, and
buttons to transpose and fill. Every change is made at once, as in the small grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as changed

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from gradviz.document.drawing import Literal
from gradviz.document.tables import shape_of
from gradviz.document.typed import Typed
from gradviz.ui.editors.grid_box import GridBox, TakeData
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

ABOUT = "Type, or paste cells from a spreadsheet, a CSV file, NumPy or PyTorch. Ctrl+Z undoes a change."
KEYS = ((QKeySequence.StandardKey.Undo, "edit.undo"), (QKeySequence.StandardKey.Redo, "edit.redo"))


class GridDialog(QDialog):
    """Follows the drawing while it is open."""

    def __init__(
        self, parent: QWidget, context: Context, theme: Theme, take: TakeData, replace: Callable[[Typed], None]
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._do = context.do
        self.box = GridBox(changed(context, theme=theme), take, replace, large=True)
        about = QLabel(ABOUT)
        about.setObjectName("muted")
        about.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)  # Enter is the grid's
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addWidget(self.box, 1)
        column.addWidget(buttons)
        self.resize(theme.px(820), theme.px(600))
        self.box.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo are the drawing's."""
        for keys, command in KEYS:
            if event.matches(keys):
                self._do(command)
                return
        super().keyPressEvent(event)

    def show_data(self, id: int, name: str, data: Literal) -> None:
        """Show the numbers of this leaf."""
        if isinstance(data, tuple):
            self.setWindowTitle(f"{name}: {' × '.join(map(str, shape_of(data)))}")
            self.box.show_data(id, name, data)
