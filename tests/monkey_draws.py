"""What the monkey does to a drawing: it types on the canvas, drags from the palette, draws wires from port to port,
moves nodes and sliders, writes in fields, pastes code, takes edits back in the middle of a gesture, opens other
windows. What it does to any window is in `monkey`."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import Shiboken

from gradviz.commands.table import COMMANDS
from gradviz.document.catalogue import catalogue
from gradviz.document.code.parse import parse
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.leaf_kinds import LEAF_KINDS
from gradviz.ui.drawing.drag import MIME
from gradviz.ui.windows import Windows
from tests.dropping import place

if TYPE_CHECKING:
    from gradviz.ui.drawing.gesture import Ground
    from tests.monkey import Monkey

CODES = (
    "import torch\nw = torch.tensor(3.0, requires_grad=True)\nx = torch.tensor(2.0)\nb = torch.tensor(1.0)\n"
    "loss = ((w * x + b) - 4) ** 2\nloss.backward()\n",
    "import torch\nx = torch.randn(4, 3)\nW = torch.randn(3, 2, requires_grad=True)\ny = (x @ W).relu().sum()\n"
    "y.backward(retain_graph=True)\ny.backward()\n",
    "import torch\na = torch.tensor([1.0, 2.0], requires_grad=True)\nU, S, V = torch.linalg.svd(torch.randn(3, 3))\n"
    "b = torch.cat([a, a, S])\nc = b.sum()\n",
)
TYPED = (
    *("w = 3", "x", "w*x + b", "+", "matmul", "sum", "relu(x)", "x ** x ** x", "linear", "[1, 2, 3]", "randn(2, 3)"),
    *("1e400", "nan", "x; import os", "__import__('os')", "((((", "é = 2", "None", "torch", "lambda: 0", "x = y = 2"),
    *("cat([x, x])", "x[0]", "x.T", "-x", "randn(100000, 100000)", "cross_entropy", "\u202e", "<b>x</b>", "  "),
)
FIELDS = (
    *TYPED,
    "2",
    "-1",
    "1e308",
    "0, 1",
    "(2, 3)",
    "[[1, 2], [3, 4]]",
    "[[1, 2], [3]]",
    "class",
    "float64",
    "a" * 300,
)
KEYS = (
    *"Esc Esc Return Tab Del Left Right Up Down Ctrl+Z Ctrl+Z Ctrl+Z Ctrl+Y Ctrl+A Ctrl+C Ctrl+X Ctrl+V Ctrl+D".split(),
    *"Ctrl+J Ctrl+K Ctrl+L Ctrl+T Ctrl+U Ctrl+B Ctrl+P Ctrl+H Space Backspace F2 Shift+Right Ctrl+Up".split(),
)
MOST_NODES, MOST_WINDOWS = 60, 3
LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Draws:
    """The part of a monkey that draws."""

    def __init__(self, monkey: Monkey, dice: random.Random, note: Callable[[str], None]) -> None:
        self._monkey = monkey
        self._dice = dice
        self._note = note
        self.plays: dict[Callable[[], None], int] = {
            self._begin: 2, self._type_here: 8, self._drop: 8, self._wire: 14, self._drag_node: 8, self._rubber: 4,
            self._key: 16, self._command: 12, self._pick: 8, self._double: 4, self._slide: 5, self._field: 6,
            self._code: 2, self._paste: 3, self._undo: 6, self._half: 5, self._window: 1, self._close: 1,
            self._palette: 2,
        }  # fmt: skip

    @property
    def _ground(self) -> Ground:
        return self._monkey.window.canvas.drawn.hands.ground

    @property
    def _drawing(self) -> Drawing | None:
        return self._monkey.window.store.state.drawing

    def _press(self, key: str) -> None:
        self._monkey.press(key)

    def _spot(self) -> QPoint:
        """A place on the canvas, mostly where something is."""
        ground = self._ground
        drawing, geometry = self._drawing, ground.geometry
        if drawing is None or not drawing.nodes or self._dice.random() < 0.2:
            size = ground.view.size()
            return QPoint(self._dice.randrange(max(1, size.width())), self._dice.randrange(max(1, size.height())))
        node = self._dice.choice(ground.drawing.nodes)
        at = QPointF(node.x, node.y)
        if geometry.closed_group(node.id) is None and self._dice.random() < 0.6:
            ports = geometry.port_counts.get(node.id, 0)
            if isinstance(node, Operation) and ports and self._dice.random() < 0.6:
                at = geometry.port_in(node.id, self._dice.randrange(ports))
            else:
                at = geometry.port_out(Ref(node.id))
        return ground.pixel(at).toPoint()

    # -- plays

    def _begin(self) -> None:
        drawing = self._drawing
        if drawing is None or len(drawing.nodes) > MOST_NODES or self._dice.random() < 0.3:
            text = self._dice.choice(("", *CODES))
            self._note(f"drawing of {text!r}")
            self._monkey.window.store.open(parse(text) if text else Drawing(), None)
        else:
            self._note("select all")
            self._monkey.window.store.pick(frozenset(node.id for node in drawing.nodes))

    def _type_here(self) -> None:
        text = self._dice.choice(TYPED)
        self._note(f"type on the canvas {text!r}")
        self._ground.view.setFocus()
        for letter in text:
            type_text(self._monkey.window, letter)
            if self._dice.random() < 0.05:
                QApplication.processEvents()
        self._press(self._dice.choice(["Return", "Return", "Return", "Tab", "Esc", "Down"]))

    def _drop(self) -> None:
        kinds = [f"leaf:{kind.key}" for kind in LEAF_KINDS]
        what = self._dice.choice([*kinds * 3, *self._dice.choices(list(catalogue()), k=12), "leaf:none", "none", "\0"])
        at = self._spot()
        self._note(f"drop {what} at {at.toTuple()}")
        data = QMimeData()
        data.setData(MIME, what.encode())
        view = self._ground.view
        action = Qt.DropAction.CopyAction
        QApplication.sendEvent(view, QDragEnterEvent(place(at), action, data, LEFT, NO_KEYS))
        QApplication.sendEvent(view, QDragMoveEvent(place(self._spot()), action, data, LEFT, NO_KEYS))
        if self._dice.random() < 0.3:
            QApplication.processEvents()
        QApplication.sendEvent(view, QDropEvent(QPointF(at), action, data, LEFT, NO_KEYS))

    def _pull(self, points: list[QPoint], *, lets_go: bool = True) -> None:
        view = self._ground.view
        keys = self._dice.choice(
            [NO_KEYS] * 4 + [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier]
        )
        self._note(f"pull {[point.toTuple() for point in points]} {keys.name} {'' if lets_go else 'and hold'}")
        QTest.mousePress(view, LEFT, keys, points[0])
        for point in points[1:]:
            for part in (1, 2, 3):
                QTest.mouseMove(view, points[0] + (point - points[0]) * part / 3)
            if self._dice.random() < 0.4:
                QApplication.processEvents()
            if not Shiboken.isValid(view):
                return
        if lets_go:
            QTest.mouseRelease(view, LEFT, keys, points[-1])

    def _wire(self) -> None:
        self._pull([self._spot(), self._spot()])
        if self._dice.random() < 0.5:
            QTest.qWait(self._dice.choice([1, 30, 80]))

    def _drag_node(self) -> None:
        self._pull([self._spot(), *(self._somewhere() for _ in range(self._dice.randint(1, 4)))])

    def _somewhere(self) -> QPoint:
        return QPoint(self._dice.randint(-60, 1300), self._dice.randint(-60, 900))

    def _rubber(self) -> None:
        self._pull([self._somewhere(), self._somewhere()])

    def _half(self) -> None:
        """Something else in the middle of a gesture."""
        self._pull([self._spot(), self._spot()], lets_go=False)
        for _ in range(self._dice.randint(1, 3)):
            self._dice.choice([self._undo, self._key, self._command, self._field, self._type_here])()
        if self._dice.random() < 0.7:
            QTest.mouseRelease(self._ground.view, LEFT, NO_KEYS, self._spot())

    def _key(self) -> None:
        if self._dice.random() < 0.6:
            self._ground.view.setFocus()
        self._press(self._dice.choice(KEYS))

    def _command(self) -> None:
        rows = [row for row in COMMANDS if row.id.startswith(("draw.", "edit.", "paths."))]
        self._monkey.choose(self._dice.choice(rows))

    def _pick(self) -> None:
        drawing = self._drawing
        if drawing is not None and drawing.nodes:
            everything = [one.id for one in (*drawing.nodes, *drawing.comments, *drawing.groups)]
            ids = self._dice.choices(everything, k=self._dice.choice([1, 1, 2, 4]))
            self._note(f"pick {ids}")
            self._monkey.window.store.pick(frozenset(ids))

    def _double(self) -> None:
        at = self._spot()
        self._note(f"double click {at.toTuple()} and type")
        QTest.mouseClick(self._ground.view, LEFT, NO_KEYS, at)
        QTest.mouseDClick(self._ground.view, LEFT, NO_KEYS, at)
        type_text(self._monkey.window, self._dice.choice(FIELDS))
        self._press(self._dice.choice(["Return", "Esc", "Tab", "Ctrl+Z"]))

    def _slide(self) -> None:
        drawing = self._drawing
        leaves = [n for n in drawing.nodes if isinstance(n, Leaf) and isinstance(n.data, float)] if drawing else []
        if not leaves:
            return
        leaf = self._dice.choice(leaves)
        self._monkey.window.store.pick(frozenset({leaf.id}))
        QApplication.processEvents()
        slider = self._monkey.window.canvas.drawn.sliders.by_leaf.get(leaf.id)
        if slider is None or not slider.isVisible():
            return
        self._note(f"slide {leaf.name}")
        slider.setSliderDown(True)
        for _ in range(self._dice.randint(1, 12)):
            slider.setValue(self._dice.randint(slider.minimum(), slider.maximum()))
            if self._dice.random() < 0.5:
                QTest.qWait(self._dice.choice([1, 15]))
            if not Shiboken.isValid(slider):
                return
        slider.setSliderDown(False)

    def _field(self) -> None:
        window = self._monkey.window
        fields = [one for one in window.findChildren(QLineEdit) if one.isVisible() and one.isEnabled()]
        if fields:
            field, text = self._dice.choice(fields), self._dice.choice(FIELDS)
            self._note(f"write {text!r} in {field.accessibleName() or field!r}")
            field.setFocus()
            field.selectAll()
            field.insert(text)
            if self._dice.random() < 0.7:
                self._press(self._dice.choice(["Return", "Return", "Tab", "Esc", "Ctrl+Z"]))

    def _code(self) -> None:
        code = self._monkey.window.editor.code
        text = self._dice.choice((*CODES, *TYPED))
        self._note(f"write code {text!r}")
        if self._dice.random() < 0.5:
            code.selectAll()
        code.insertPlainText(text)

    def _paste(self) -> None:
        QApplication.clipboard().setText(self._dice.choice([*CODES, *TYPED, "1\t2\n3\t4\n", "a" * 5000, "\0"]))
        self._note(f"paste {QApplication.clipboard().text()[:60]!r}")
        self._ground.view.setFocus()
        self._press("Ctrl+V")

    def _undo(self) -> None:
        many = self._dice.choice([1, 1, 2, 5, 30])
        back = self._dice.random() < 0.65
        self._note(f"{'undo' if back else 'redo'} {many}")
        for _ in range(many):
            self._monkey.window.store.undo() if back else self._monkey.window.store.redo()

    def _palette(self) -> None:
        self._note("search in the palette")
        self._monkey.window.shell.focus("palette")
        type_text(self._monkey.window, self._dice.choice(("mul", "+", "zzz", "conv")))
        self._press(self._dice.choice(["Return", "Down", "Esc"]))

    # -- windows

    def _window(self) -> None:
        """Another one, or to another one."""
        windows = self._windows()
        if len(windows.open_now) < MOST_WINDOWS and self._dice.random() < 0.5:
            self._note("new window")
            self._monkey.take(windows.open())
        else:
            self._monkey.take(self._dice.choice(windows.open_now))
        self._monkey.window.activateWindow()

    def _close(self) -> None:
        """Close one that is not the first, whatever it does now."""
        others = self._windows().open_now[1:]
        if others:
            self._note("close a window")
            self._shut(self._dice.choice(others))

    def _shut(self, window: object) -> None:
        first = self._windows().open_now[0]
        self._monkey.take(first)
        for other in self._windows().open_now[1:]:
            if other is window and Shiboken.isValid(other):
                other.close()

    def leave(self) -> None:
        """One window is left, as there was at the beginning."""
        for _ in range(20):
            if len(self._windows().open_now) > 1:
                self._shut(self._windows().open_now[-1])

    def _windows(self) -> Windows:
        return self._monkey.window.windows


def type_text(window: QWidget, text: str) -> None:
    """Any characters, where the keyboard is: QTest takes ASCII only."""
    for letter in text:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            event = QKeyEvent(kind, ord(letter.upper()) & 0xFF, NO_KEYS, letter)
            QApplication.sendEvent(QApplication.focusWidget() or window, event)
