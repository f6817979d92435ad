"""The pilot: drives a real window and a real worker with the words of a user story. Keys go through the window as
from a keyboard; waiting is for signals, never for time."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.session.state import Phase, State
from gradviz.ui.questions import Questions
from gradviz.ui.window import MainWindow

RUN_TIMEOUT = 60_000  # milliseconds; a worker starts cold in a test


class Answers(Questions):
    """The user's answers, given beforehand; asking what was not foreseen fails the test."""

    def __init__(self) -> None:
        self.to_open: list[str] = []
        self.to_save: list[str] = []
        self.to_keep: list[str] = []
        self.to_recover: list[bool] = []
        self.to_changed: list[str] = []
        self.asked: list[str] = []

    def open_name(self, folder: str) -> str:
        self.asked.append("open")
        return self.to_open.pop(0)

    def save_name(self, suggestion: str) -> str:
        self.asked.append("save")
        return self.to_save.pop(0)

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
        with self.qtbot.waitSignal(self.window.runner.ended, timeout=RUN_TIMEOUT):
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
        panel = self.window.layout_.panels["explanation"]
        return f"{panel.title.text()} {panel.sentence.toPlainText()}"  # type: ignore[attr-defined]

    @property
    def output(self) -> str:
        """What the output panel shows."""
        return str(self.window.layout_.panels["output"].text.toPlainText())  # type: ignore[attr-defined]
