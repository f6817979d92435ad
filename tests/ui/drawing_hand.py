"""The hand of the tests that draw: a shown drawing canvas with its gestures on a store, moved by mouse and keyboard.
What the worker would say about a wire is said by the test."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.ui.drawing.interactions import attach
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.theme import LIGHT, Theme
from tests.dropping import carried, drop, enter

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
NONE = Qt.KeyboardModifier.NoModifier
W, X, MUL, ADD = 1, 2, 3, 4


def small() -> Drawing:
    """w and x, a product of nothing and a sum of nothing."""
    drawing, _ = shaping.new_leaf(Drawing(), -200, -60, data=3.0, name="w", requires_grad=True)
    drawing, _ = shaping.new_leaf(drawing, -200, 80, data=2.0, name="x")
    drawing, _ = shaping.new_operation(drawing, "mul", 0, 0)
    drawing, _ = shaping.new_operation(drawing, "add", 330, 40)
    return drawing


class Hand:
    """Someone who draws."""

    def __init__(self, qtbot: QtBot, drawing: Drawing | None = None, theme: Theme = LIGHT) -> None:
        self.store = Store(State())
        self.view = DrawingView(theme)
        self.reasons: dict[Drawing, str] = {}  # what the worker would say
        self.waits = False  # it does not answer yet
        self.asked: list[tuple[Drawing, Callable[[str], None]]] = []
        self.done: list[str] = []  # commands
        self.store.subscribe(self._show)
        self.hands = attach(self.view, self.store, theme, self._ask, self.done.append)
        self.ground = self.hands.ground
        qtbot.addWidget(self.view, before_close_func=lambda view: view.shutdown())
        self.view.resize(1000, 640)
        self.view.show()
        self.view.activateWindow()
        self.view.setFocus()
        self.store.open(small() if drawing is None else drawing, None)
        QApplication.processEvents()

    def _show(self, before: State, after: State) -> None:
        if after.drawing is not None and before.document is not after.document:
            self.view.show_drawing(after.drawing, None, None)
        self.view.set_picked(after.picked)

    def _ask(self, candidate: Drawing, then: Callable[[str], None]) -> None:
        self.asked.append((candidate, then))
        if not self.waits:
            then(self.reasons.get(candidate, ""))

    def answer(self, reason: str) -> None:
        """The worker answers the latest question."""
        self.asked[-1][1](reason)

    # what is there

    @property
    def drawing(self) -> Drawing:
        return self.ground.drawing

    def inputs(self, node: int) -> tuple[object, ...]:
        found = self.drawing.by_id[node]
        assert isinstance(found, Operation)
        return found.inputs

    def undone(self) -> str:
        """Take the latest edit back; what it was called."""
        label = self.store.state.undo_label
        self.store.undo()
        return label

    # places, in pixels

    def pixel(self, point: QPointF) -> QPoint:
        return self.ground.pixel(point).toPoint()

    def out(self, node: int, output: int = 0) -> QPoint:
        return self.pixel(self.view.world_geometry.port_out(Ref(node, output)))

    def port(self, node: int, port: int) -> QPoint:
        return self.pixel(self.view.world_geometry.port_in(node, port))

    def node(self, node: int) -> QPoint:
        there = self.drawing.by_id[node]
        return self.pixel(QPointF(there.x, there.y))

    # the mouse

    def press(self, at: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.mousePress(self.view, LEFT, keys, at)

    def move(self, at: QPoint) -> None:
        QTest.mouseMove(self.view, at)

    def release(self, at: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.mouseRelease(self.view, LEFT, keys, at)

    def click(self, at: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.mouseClick(self.view, LEFT, keys, at)

    def double(self, at: QPoint) -> None:
        QTest.mouseClick(self.view, LEFT, NONE, at)
        QTest.mouseDClick(self.view, LEFT, NONE, at)

    def pull(self, begin: QPoint, end: QPoint) -> None:
        """Press and move there in steps; the button stays down."""
        self.press(begin)
        for step in range(1, 6):
            self.move(begin + (end - begin) * step / 5)

    def drag(self, begin: QPoint, end: QPoint) -> None:
        self.pull(begin, end)
        self.release(end)

    def drop(self, payload: str, at: QPoint) -> None:
        """Drag something from the palette to here and let it go."""
        drop(self.view, carried(payload), at)

    def hover_with(self, payload: str, at: QPoint) -> None:
        enter(self.view, carried(payload), at)

    # the keyboard

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.view, key, keys)

    def type(self, text: str) -> None:
        for letter in text:
            QTest.keyClicks(QApplication.focusWidget() or self.view, letter)
