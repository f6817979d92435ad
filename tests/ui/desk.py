"""A window with a small drawing, and how a user picks and types in its inspector."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.shaping import connect, group, new_comment, new_leaf, new_operation
from gradviz.ui.editors.form import Choice
from gradviz.ui.panels.inspector import InspectorPanel
from tests.driver import Pilot


class Desk:
    """The inspector of a window with a drawing, and the numbers of what is on it."""

    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.store = pilot.window.store
        drawing = Drawing()
        drawing, self.w = new_leaf(drawing, 0, 0, data=2.0, name="w", requires_grad=True)
        drawing, self.b = new_leaf(drawing, 0, 100, data=1.0, name="b")
        drawing, self.mul = new_operation(drawing, "mul", 200, 0)
        drawing = connect(drawing, Ref(self.w), self.mul, 0)
        drawing, self.total = new_operation(drawing, "sum", 400, 0)
        drawing = connect(drawing, Ref(self.mul), self.total, 0)
        drawing, self.comment = new_comment(drawing, 0, -200, "a note")
        drawing, self.group = group(drawing, [self.mul, self.total], "all")
        self.store.open(drawing, None)
        self.panel = pilot.window.panel_area.panel("inspector")
        assert isinstance(self.panel, InspectorPanel)

    def pick(self, *ids: int) -> object:
        self.store.pick(frozenset(ids))
        editor = self.panel.sheet.current
        assert editor is not None
        assert editor.isVisible()
        return editor

    def leaf(self, id: int = 0) -> Leaf:
        found = self.store.state.drawing.by_id[id or self.w]  # type: ignore[union-attr]
        assert isinstance(found, Leaf)
        return found

    def operation(self, id: int) -> Operation:
        found = self.store.state.drawing.by_id[id]  # type: ignore[union-attr]
        assert isinstance(found, Operation)
        return found

    def type(self, field: QWidget, text: str, *, key: Qt.Key | None = Qt.Key.Key_Return) -> None:
        """Click, replace all, type, press a key."""
        self.pilot.click(field)
        assert field.hasFocus()
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text) if text else QTest.keyClick(field, Qt.Key.Key_Delete)
        if key is not None:
            QTest.keyClick(field, key)

    def choose(self, choice: Choice, key: str) -> None:
        choice.setCurrentIndex(choice.findData(key))
        choice.activated.emit(choice.currentIndex())
