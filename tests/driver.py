"""The pilot: drives a real window and a real worker with the words of a user story. Keys go through the window as
from a keyboard; waiting is for signals, never for time."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionSlider
from pytestqt.qtbot import QtBot

from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.shaping import label
from gradviz.session.state import Phase, State
from gradviz.ui.drawing.interactions import Interactions
from gradviz.ui.drawing.sliders import LeafSlider
from gradviz.ui.services.files import FileDialogs
from gradviz.ui.window import MainWindow
from tests.dropping import carried, drop

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
RUN_TIMEOUT = 60_000  # milliseconds; a worker starts cold in a test


class Answers(FileDialogs):
    """The user's answers, given beforehand; asking what was not foreseen fails the test."""

    def __init__(self) -> None:
        self.to_open: list[str] = []
        self.to_save: list[str] = []
        self.to_keep: list[str] = []
        self.to_describe: list[tuple[str, str] | None] = []
        self.to_recover: list[bool] = []
        self.to_changed: list[str] = []
        self.asked: list[str] = []

    def open_name(self, folder: str) -> str:
        self.asked.append("open")
        return self.to_open.pop(0)

    def save_name(self, suggestion: str) -> str:
        self.asked.append("save")
        return self.to_save.pop(0)

    def export_name(self, suggestion: str, kind: str) -> str:
        self.asked.append(suggestion)
        return self.to_save.pop(0)

    def attach_names(self, title: str, folder: str) -> list[str]:
        self.asked.append(title)
        found, self.to_open = self.to_open, []
        return found

    def written_name(self, suggestion: str) -> str:
        self.asked.append(suggestion)
        return self.to_save.pop(0)

    def written_folder(self, suggestion: str) -> str:
        self.asked.append("folder")
        return self.to_save.pop(0)

    def python_name(self) -> str:
        self.asked.append("python")
        return self.to_open.pop(0)

    def recording_name(self, suggestion: str) -> str:
        self.asked.append(suggestion)
        return self.to_save.pop(0)

    def lessons_name(self, suggestion: str) -> str:
        self.asked.append(suggestion)
        return self.to_save.pop(0)

    def lessons_text(self, title: str, text: str) -> tuple[str, str] | None:
        self.asked += [title, text]
        return self.to_describe.pop(0)

    def keep_changes(self, name: str) -> str:
        self.asked.append("keep")
        return self.to_keep.pop(0)

    def changed_on_disk(self, name: str) -> str:
        self.asked.append("changed")
        return self.to_changed.pop(0)

    def recover(self, name: str) -> bool:
        self.asked.append("recover")
        return self.to_recover.pop(0)


class Pilot:
    """One window with its user."""

    def __init__(self, qtbot: QtBot, window: MainWindow, answers: Answers) -> None:
        self.qtbot = qtbot
        self.window = window
        self.answers = answers

    @property
    def state(self) -> State:
        """What is now."""
        return self.window.store.state

    # what the user does

    def type_snippet(self, text: str) -> None:
        """Replace the snippet by this text, as by selecting all and pasting."""
        code = self.window.editor.code
        code.setFocus()
        code.selectAll()
        code.insertPlainText(text)

    def press(self, keys: str) -> None:
        """Press a shortcut such as "Ctrl+Return" where the keyboard is."""
        combination = QKeySequence(keys)[0]
        target = QApplication.focusWidget() or self.window
        QTest.keyClick(target, combination.key(), combination.keyboardModifiers())

    def run(self) -> Phase:
        """Press F5 and wait until the run has ended."""
        with self.qtbot.waitSignal(self.window.shell.runner.ended, timeout=RUN_TIMEOUT):
            self.press("F5")
        assert self.state.run.phase is not Phase.DIED, self.state.run.sentence
        return self.state.run.phase

    def run_again(self, text: str) -> Phase:
        """Type this text and run it."""
        self.type_snippet(text)
        return self.run()

    def step(self, count: int = 1) -> None:
        """Press F10."""
        for _ in range(count):
            self.press("F10")

    def back(self, count: int = 1) -> None:
        """Press F9."""
        for _ in range(count):
            self.press("F9")

    def click(self, widget: object) -> None:
        """Click a widget with the mouse."""
        self.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)  # type: ignore[arg-type]

    # what the user draws

    @property
    def hands(self) -> Interactions:
        """What the user's hands act on: the canvas of the drawing."""
        return self.window.canvas.drawn.hands

    @property
    def drawing(self) -> Drawing:
        """The drawing in the window."""
        assert self.state.drawing is not None, "this is a snippet"
        return self.state.drawing

    def new_drawing(self) -> None:
        """Choose Draw > New Drawing, and go to the canvas."""
        self.press("Ctrl+Alt+N")
        assert self.drawing.is_blank
        self.hands.ground.view.setFocus()

    def named(self, name: str) -> int:
        """The number of the node that is called so, or of the only one of that operation."""
        ids = [node.id for node in self.drawing.nodes if label(self.drawing, node.id) == name]
        ids = ids or [node.id for node in self.drawing.nodes if isinstance(node, Operation) and node.op == name]
        assert len(ids) == 1, f"{len(ids)} nodes are called {name}"
        return ids[0]

    def place(self, what: str, x: int, y: int) -> int:
        """Drag an operation ("mul") or a leaf ("leaf:scalar") from the palette to a pixel of the canvas."""
        drop(self.hands.ground.view, carried(what), QPoint(x, y))
        return max(node.id for node in self.drawing.nodes)

    def wire(self, source: str, target: str, port: int = 0) -> None:
        """Drag from the output of a node to a port of another, and wait until the wire is there or refused."""
        geometry, ground = self.hands.ground.geometry, self.hands.ground
        begin = ground.pixel(geometry.port_out(Ref(self.named(source)))).toPoint()
        end = ground.pixel(geometry.port_in(self.named(target), port)).toPoint()
        before = self.state.document
        ground.overlay.drop_bubble()
        self.drag(begin, end)
        self.qtbot.waitUntil(lambda: self.state.document is not before or bool(ground.overlay.sentence), timeout=60_000)

    def drag(self, begin: QPoint, end: QPoint) -> None:
        """Press on the canvas, move in steps, release."""
        view = self.hands.ground.view
        QTest.mousePress(view, LEFT, NO_KEYS, begin)
        for step in range(1, 6):
            QTest.mouseMove(view, begin + (end - begin) * step / 5)
        QTest.mouseRelease(view, LEFT, NO_KEYS, end)

    def type_on_canvas(self, text: str) -> None:
        """Type on the canvas, and Enter: the box opens with the first letter. Waits until it is there."""
        before = self.state.document
        self.hands.ground.view.setFocus()
        self.type_keys(text)
        self.press("Return")
        self.qtbot.waitUntil(lambda: self.state.document is not before, timeout=RUN_TIMEOUT)

    def type_keys(self, text: str) -> None:
        """Type where the keyboard is, which the first letter may move."""
        for letter in text:
            QTest.keyClicks(QApplication.focusWidget() or self.window, letter)

    def pick(self, *names: str) -> None:
        """Click nodes, the second and further ones with Shift."""
        ground = self.hands.ground
        for at, name in enumerate(names):
            node = self.drawing.by_id[self.named(name)]
            keys = Qt.KeyboardModifier.ShiftModifier if at else NO_KEYS
            QTest.mouseClick(ground.view, LEFT, keys, ground.pixel(QPointF(node.x, node.y)).toPoint())
        assert self.state.picked == {self.named(name) for name in names}

    def set_value(self, name: str, value: str) -> None:
        """Double-click a leaf and type other numbers."""
        ground = self.hands.ground
        node = self.drawing.by_id[self.named(name)]
        at = ground.pixel(QPointF(node.x, node.y)).toPoint()
        QTest.mouseClick(ground.view, LEFT, NO_KEYS, at)
        QTest.mouseDClick(ground.view, LEFT, NO_KEYS, at)
        self.type_keys(value)
        self.press("Return")

    def value(self, name: str) -> float:
        """What a scalar leaf of the drawing holds."""
        leaf = self.drawing.by_id[self.named(name)]
        assert isinstance(leaf, Leaf) and isinstance(leaf.data, int | float)
        return float(leaf.data)

    def slider(self, name: str) -> LeafSlider:
        """The slider over a leaf."""
        return self.window.canvas.drawn.sliders.by_leaf[self.named(name)]

    def handle(self, slider: LeafSlider) -> QPoint:
        """The middle of a slider's handle."""
        option = QStyleOptionSlider()
        slider.initStyleOption(option)
        style, part = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
        return slider.style().subControlRect(style, option, part, slider).center()

    def backward_from(self, name: str) -> None:
        """Pick a node and choose Backward from Here."""
        self.pick(name)
        self.press("Ctrl+B")

    def settle(self) -> None:
        """Wait until the drawing as it is has run."""
        live = self.window.shell.live
        ran = lambda: live.is_settled and not self.state.run.is_running and not self.state.is_stale  # noqa: E731
        self.qtbot.waitUntil(ran, timeout=RUN_TIMEOUT)

    def expect_refusal(self, words: str) -> None:
        """The bubble at the pointer says this."""
        assert words in self.hands.ground.overlay.sentence, self.hands.ground.overlay.sentence

    # what the user sees

    def tensor(self, name: str) -> int:
        """The youngest tensor that is called so at the cursor."""
        trace = self.state.trace
        assert trace is not None, "nothing has run"
        frame = trace.frame(self.state.cursor)
        known = [row for row in range(len(trace.tensors)) if frame.tensor_created[row] and frame.name(row) == name]
        assert known, f"no tensor is called {name} at step {self.state.cursor}"
        return known[-1]

    def grad(self, name: str) -> str:
        """What .grad holds, as text."""
        trace = self.state.trace
        assert trace is not None
        value = trace.frame(self.state.cursor).grad(self.tensor(name))
        return "None" if value is None else value.text(200)

    def expect_grad(self, name: str, number: float) -> None:
        """.grad is this number."""
        assert math.isclose(float(self.grad(name)), number, rel_tol=1e-6), f"{name}.grad is {self.grad(name)}"

    def expect_error(self, line: int, words: str) -> None:
        """The error card is on the screen, for that line, with these words."""
        card = self.window.editor.card
        assert card.isVisible(), "no error card"
        assert card.line == line
        assert words in card.text.toPlainText()

    @property
    def sentence(self) -> str:
        """What the explanation bar says."""
        panel = self.window.panel_area.panels["explanation"]
        return f"{panel.title.text()} {panel.sentence.toPlainText()}"  # type: ignore[attr-defined]

    @property
    def output(self) -> str:
        """What the output panel shows."""
        return str(self.window.panel_area.panels["output"].text.toPlainText())  # type: ignore[attr-defined]
