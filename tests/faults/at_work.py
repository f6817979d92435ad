"""Not a test: somebody at work in the real program, who types, draws, runs and saves at random until the program is
killed. `killing` starts it, again and again on what is left. Every document that a window has held is noted in a file,
with the time, so that what the next start offers can be compared with it.

`python -m tests.faults.at_work FOLDER LIFE SEED [WORKS]`: its files are in FOLDER; without WORKS it looks at what is
offered, and closes in good order."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document.documents import Contents
from gradviz.document.drawing import Drawing
from gradviz.document.files.gradviz_file import write as encoded
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.ui.crash import CrashBox
from gradviz.ui.services.files import FileDialogs
from gradviz.ui.window import MainWindow
from tests.driver import Answers, Pilot
from tests.stories.drawn_and_killed import Patience

NOTES = "notes.jsonl"
MOST_WINDOWS = 3
OPERATIONS = ("add", "mul", "tanh", "exp", "sin", "leaf:scalar", "leaf:parameter")
BEAT = 100  # milliseconds between two signs that the window is awake
SOON = 200  # milliseconds
PAUSE = 150  # milliseconds between two things that are done, at most
SLOW = "import time\nfor _ in range(50):\n    time.sleep(0.02)\n"


def content(state: State) -> str:
    """The document as it is compared: the text of a file, without how it is looked at."""
    return encoded(Contents(state.document)).decode()


class Notes:
    """What has happened, one line each: survives the death of this process."""

    def __init__(self, folder: Path, life: int) -> None:
        self._file = os.open(folder / NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._life = life

    def add(self, event: str, **facts: object) -> None:
        """One line; the time is that of all processes of the machine."""
        line = json.dumps(
            {"life": self._life, "time": time.clock_gettime(time.CLOCK_MONOTONIC), "event": event, **facts}
        )
        os.write(self._file, f"{line}\n".encode())

    def watch(self, number: int, store: Store) -> None:
        """Every document of this window, before it is there: a signal may come between any two lines."""
        become = store._become

        def changed(after: State) -> None:
            before = store.state
            if before.document is not after.document or before.saved is not after.saved or before.path != after.path:
                self.note(number, after)
            become(after)

        store._become = changed  # type: ignore[method-assign]

    def note(self, number: int, state: State) -> None:
        """The document of a window now."""
        blank = state.document.is_blank
        saved = "" if state.is_dirty or not state.path else state.path.name
        self.add("document", window=number, text=content(state), blank=blank, dirty=state.is_dirty, saved=saved)


class Worker:
    """Does one thing after the other in the windows that are open."""

    def __init__(self, notes: Notes, folder: Path, seed: int) -> None:
        self._notes = notes
        self._folder = folder
        self._random = random.Random(seed)
        self._windows: dict[int, MainWindow] = {}
        self._met = 0
        self._has_begun = False
        self._offered = 0  # windows that have offered what was left
        self._count = 0
        self._beats = QTimer()
        self._beats.timeout.connect(lambda: notes.add("awake"))

    def meet(self, window: MainWindow) -> None:
        """A window has come."""
        number = self._met = self._met + 1
        self._windows[number] = window
        self._notes.watch(number, window.store)
        window.files.questions = AtRandom(self._folder, self._random, self._notes, number)

    def offered(self, works: bool) -> None:
        """A window is there and has offered what was left, if anything was."""
        self._offered += 1
        if self._offered == len(self._windows):  # and there may be more of them soon
            QTimer.singleShot(
                SOON, lambda seen=self._offered: self._begin(works) if seen == len(self._windows) else None
            )

    def _begin(self, works: bool) -> None:
        if self._has_begun:
            return
        self._has_begun = True
        for number, window in self._windows.items():
            self._notes.note(number, window.store.state)
        notices = [window.store.state.notice.sentence for window in self._windows.values()]
        self._notes.add("started", notices=notices, windows=len(self._windows))
        if works:
            QTimer.singleShot(0, self._do)
            self._beats.start(BEAT)
        else:
            QTimer.singleShot(0, self._leave)

    def _do(self) -> None:
        self._windows = {key: each for key, each in self._windows.items() if each in each.windows.open_now}
        number = self._random.choice(list(self._windows))
        window = self._windows[number]
        pilot = Pilot(cast(QtBot, Patience()), window, cast(Answers, window.files.questions))
        window.activateWindow()
        draws = isinstance(window.store.state.document, Drawing)
        what = self._random.choices((self._draw if draws else self._type, self._keys, self._other), (24, 4, 0.7))[0]
        self._count += 1
        what(pilot)
        QTimer.singleShot(self._random.randrange(PAUSE), self._do)

    def _type(self, pilot: Pilot) -> None:
        code = pilot.window.editor.code
        code.setFocus()
        if self._random.random() < 0.2:
            pilot.press("Ctrl+End")
        unique = f"{os.getpid()}_{self._count}"
        lines = (
            f"a_{unique} = {self._count}\n",
            f"# {unique} é中😀\n",
            f"print({unique!r})\n",
            SLOW,
            "while True: pass\n",
        )
        line = self._random.choices(lines, (8, 4, 4, 1, 0.3))[0]
        if self._random.random() < 0.3 or not line.isascii() or line is SLOW:
            code.insertPlainText(line)
        else:
            QTest.keyClicks(code, line.strip()[: self._random.randrange(1, 30)])
            QTest.keyClicks(code, "\r")

    def _draw(self, pilot: Pilot) -> None:
        nodes = pilot.drawing.nodes
        if len(nodes) < 2 or self._random.random() < 0.6:
            place = self._random.randrange(40, 500), self._random.randrange(40, 400)
            pilot.place(self._random.choice(OPERATIONS), *place)
        else:
            pilot.hands.ground.view.setFocus()
            node = self._random.choice(nodes)
            pilot.window.store.pick(frozenset({node.id}))
            pilot.press(self._random.choice(("Left", "Shift+Right", "Up", "Ctrl+D", "Delete")))

    def _keys(self, pilot: Pilot) -> None:
        pilot.press(
            self._random.choices(("F5", "Ctrl+S", "Ctrl+Z", "Ctrl+Shift+Z", "Shift+F5", "F10"), (5, 1, 2, 1, 2, 2))[0]
        )

    def _other(self, pilot: Pilot) -> None:
        open_now = len(self._windows)
        chosen = self._random.randrange(4)
        if chosen == 0 and open_now < MOST_WINDOWS:
            pilot.press("Ctrl+Shift+N")
        elif chosen == 1:
            pilot.window.files.new_drawing()
        elif chosen == 2 and open_now > 1:
            pilot.window.close()
        else:
            pilot.window.files.new()

    def _leave(self) -> None:
        for window in reversed(self._windows.values()):
            window.close()


class AtRandom(FileDialogs):
    """Answers what is asked: everything is taken back, changes are saved or given up."""

    def __init__(self, folder: Path, chance: random.Random, notes: Notes, window: int) -> None:
        self._folder, self._random, self._notes, self._window = folder, chance, notes, window

    def save_name(self, suggestion: str) -> str:
        return str(self._folder / f"saved-{os.getpid()}-{self._random.randrange(10**6)}{Path(suggestion).suffix}")

    def keep_changes(self, name: str) -> str:
        answer = self._random.choice(("save", "discard"))
        if answer == "discard":
            self._notes.add("discarded", window=self._window)
        return answer

    def changed_on_disk(self, name: str) -> str:
        return "keep"

    def recover(self, name: str) -> bool:
        self._notes.add("offered", name=name)
        return True


def wrapped(original: Callable[..., object], after: Callable[..., None]) -> Callable[..., object]:
    """The same, and then something else with the same arguments."""

    def call(*arguments: object) -> object:
        result = original(*arguments)
        after(*arguments)
        return result

    return call


def main(folder: Path, life: int, seed: int, works: bool) -> int:
    """The real program, with somebody at its windows."""
    from gradviz.__main__ import main as gradviz

    notes = Notes(folder, life)
    worker = Worker(notes, folder, seed)
    original = MainWindow.__init__

    def made(self: MainWindow, *arguments: object) -> None:
        original(self, *arguments)  # type: ignore[arg-type]
        worker.meet(self)

    MainWindow.__init__ = made  # type: ignore[method-assign, assignment]
    MainWindow.offer_recovery = wrapped(MainWindow.offer_recovery, lambda _: worker.offered(works))  # type: ignore[method-assign, assignment]
    CrashBox.exec = lambda self: notes.add("report")  # type: ignore[method-assign, assignment]
    sys.argv[1:] = []
    return gradviz()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), len(sys.argv) > 4))
