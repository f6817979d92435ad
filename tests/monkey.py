"""The monkey: seeded random clicks, keys, wheels, drags, resizes, scrubs, runs, edits, theme switches and commands on a
real window with a real worker. It knows nothing of what should happen; whoever lets it loose looks at what broke. In
the suite for a while (ui/test_monkey.py), for long by `python -m benchmarks.monkey EVENTS SEED`."""

from __future__ import annotations

import random
import shutil
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import Shiboken

from gradviz.commands.row import Command
from gradviz.commands.table import COMMANDS
from gradviz.document.files.examples import examples
from gradviz.ui.services.files import FileDialogs
from gradviz.ui.window import MainWindow
from tests.monkey_draws import Draws

SNIPPETS = (
    "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x * x + x\ny.backward()\nprint(x.grad)\n",
    "import torch\nw = torch.tensor(0.9, requires_grad=True)\nh = torch.tensor(1.0)\nfor t in range(60):\n"
    "    h = torch.tanh(w * h)\nh.backward()\n",
    "import torch\nfrom torch import nn\nm = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))\n"
    "o = torch.optim.SGD(m.parameters(), lr=0.1)\nx = torch.randn(5, 3)\nfor i in range(4):\n    o.zero_grad()\n"
    "    loss = m(x).pow(2).mean()\n    loss.backward()\n    o.step()\n    print(loss.item())\n",
    "import torch\nx = torch.tensor(2.0, requires_grad=True)\ng, = torch.autograd.grad(x ** 3, x, create_graph=True)\n"
    "g.backward()\nprint(x.grad)\n",
    "import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()\n",
    "import torch\nx = torch.tensor([0., 4.], requires_grad=True)\n(x.sqrt() * 0).sum().backward()\n",
    "import torch\na = torch.randn(2, 3)\nb = torch.randn(2, 3)\nc = a @ b\n",
    "import torch\nx = torch.ones(2, 2, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()\n",
    "import torch\nx = torch.tensor(1.0, requires_grad=True)\nwhile True:\n    x = x * 1.0001\n",
    "import torch\nx = torch.rand(300, 300, requires_grad=True)\n(x @ x).sum().backward()\n",
    "print('no tensor')\n",
    "import os\n",
    "for x in (\n",
    "",
)
KEYS = (
    *"Left Right Up Down Home End PgUp PgDown Space Return Esc Tab Shift+Tab Del Backspace F2 F3 / + - ? [ ]".split(),
    *"Shift+Left Shift+Right Ctrl+Left Ctrl+Right Ctrl+Home Ctrl+End Alt+Left Alt+Right a x 1 Menu".split(),
)
LEFT_ALONE = {"file.quit", "file.close", "window.new"}  # which end the play, or leave a second window
REMEMBERED = 40  # events that are told of when something broke
CLOSE_AFTER = 12  # looks at the same dialog until it is closed


class Browser(QObject):
    """Takes the place of the user's browser: links lead nowhere."""

    @Slot(QUrl)
    def open(self, address: QUrl) -> None:
        """Open nothing."""


class Careless(FileDialogs):
    """Answers anything."""

    def __init__(self, dice: random.Random, folder: Path) -> None:
        self._dice = dice
        self._folder = folder
        self._names = [shutil.copy(example.path, folder) for example in examples()]  # to be saved over

    def open_name(self, folder: str) -> str:
        return self._dice.choice(
            [*map(str, self._names), "", str(self._folder / "saved.gradviz"), str(self._folder / "missing.py")]
        )

    def save_name(self, suggestion: str) -> str:
        return self._dice.choice(
            [
                str(self._folder / "saved.py"),
                str(self._folder / "saved.gradviz"),
                "",
                str(self._folder / "no" / "folder.py"),
            ]
        )

    def export_name(self, suggestion: str, kind: str) -> str:
        return self._dice.choice(["", str(self._folder / "picture.svg"), str(self._folder / "no" / "picture.png")])

    def written_name(self, suggestion: str) -> str:
        return self._dice.choice(["", str(self._folder / "written.txt"), str(self._folder / "no" / "written.txt")])

    def written_folder(self, suggestion: str) -> str:
        return self._dice.choice(["", str(self._folder / "written")])

    def python_name(self) -> str:
        return ""

    def recording_name(self, suggestion: str) -> str:
        return self._dice.choice(["", str(self._folder / "run.gvtrace"), str(self._folder / "no" / "run.gvtrace")])

    def attach_names(self, title: str, folder: str) -> list[str]:
        return self._dice.choice([[], [str(self._names[0])], [str(name) for name in self._names[:3]]])

    def lessons_name(self, suggestion: str) -> str:
        return self._dice.choice(["", str(self._folder / "set.gvlessons"), str(self._folder / "no" / "set.gvlessons")])

    def lessons_text(self, title: str, text: str) -> tuple[str, str] | None:
        return self._dice.choice([None, ("", ""), ("A title", "A text\nof two lines")])

    def keep_changes(self, name: str) -> str:
        return self._dice.choice(["discard", "discard", "cancel", "save"])

    def changed_on_disk(self, name: str) -> str:
        return self._dice.choice(["reload", "keep", "save_as"])

    def recover(self, name: str) -> bool:
        return self._dice.random() < 0.5


class Gone(Exception):
    """The widget that was chosen was deleted before it was used."""


class Monkey:
    """Plays with one window; `broken` are the tracebacks of what went wrong, each with the events before it."""

    def __init__(self, window: MainWindow, seed: int, folder: Path, *, draws: bool = False) -> None:
        self.broken: list[str] = []
        self.done = 0
        self._dice = random.Random(seed)
        self._questions = Careless(self._dice, folder)
        self._log: deque[str] = deque(maxlen=REMEMBERED)
        self._looks = 0
        self.take(window)
        self._keys = sorted({key for row in COMMANDS if row.id not in LEFT_ALONE for key in row.shortcuts} | set(KEYS))
        self._plays: dict[Callable[[], None], int] = {
            self._press: 30, self._click: 18, self._wheel: 12, self._hover: 9, self._scrub: 9, self._command: 14,
            self._drag: 7, self._move: 6, self._type: 3, self._snippet: 3, self._run: 4, self._resize: 2,
            self._double_click: 2, self._wait: 5,
        }  # fmt: skip
        self._draws = Draws(self, self._dice, self._note)
        if draws:
            self._plays |= self._draws.plays

    def take(self, window: MainWindow) -> None:
        """Play with this one from now on."""
        self.window = window
        window.files.questions = self._questions
        window.windows.open_tab = lambda beside, then: then(window)  # it plays with one

    def play(self, events: int) -> None:
        """So many events; ends early when too much broke."""
        with self._watching():
            for _ in range(events):
                act = self._dice.choices(list(self._plays), list(self._plays.values()))[0]
                self._attempt(act)
                self._attempt(QApplication.processEvents)
                self.done += 1
                if len(self.broken) > 20:
                    return
            self._draws.leave()
            self.window.shell.runner.stop()
            self.window.store.play(False)

    @contextmanager
    def _watching(self) -> Iterator[None]:
        hook = sys.excepthook
        sys.excepthook = self._failed
        janitor = QTimer()
        janitor.setInterval(15)
        janitor.timeout.connect(self._close_dialogs)
        janitor.start()
        browser = Browser()
        QDesktopServices.setUrlHandler("https", browser, "open")
        try:
            yield
        finally:
            QDesktopServices.unsetUrlHandler("https")
            janitor.stop()
            while (dialog := QApplication.activeModalWidget() or QApplication.activePopupWidget()) is not None:
                dialog.close()
            sys.excepthook = hook

    def _failed(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        found = "".join(traceback.format_exception(kind, error, trace))
        self.broken.append(f"event {self.done}, after\n  " + "\n  ".join(self._log) + f"\n{found}")

    def _attempt(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Gone:
            self._note("it was gone")
        except Exception as error:  # noqa: BLE001 whatever it is, it is what the monkey is for
            self._failed(type(error), error, error.__traceback__)

    def _close_dialogs(self) -> None:
        """No dialog stays for long, also where it has an event loop of its own."""
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        self._looks = self._looks + 1 if top is not None else 0
        if top is not None and self._looks > CLOSE_AFTER:
            self._looks = 0
            top.reject() if isinstance(top, QDialog) else top.close()

    # -- what a monkey does

    def _note(self, what: str) -> None:
        self._log.append(what)

    def _widget(self) -> QWidget:
        """Something that is seen, often the graph or the timeline."""
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget() or self.window
        if top is self.window and self._dice.random() < 0.5:
            panel = self.window.panel_area.panels[self._dice.choice(["canvas", "timeline"])]
            inner = [each for each in panel.findChildren(QWidget) if each.isVisible() and each.objectName() == "canvas"]
            return inner[0] if inner else panel
        seen = [each for each in top.findChildren(QWidget) if each.isVisible() and each.width() > 2]
        return self._dice.choice(seen) if seen else top

    def _point(self, widget: QWidget) -> QPoint:
        if not Shiboken.isValid(widget):
            raise Gone  # with its popup, which nobody else held any longer
        return QPoint(self._dice.randrange(max(1, widget.width())), self._dice.randrange(max(1, widget.height())))

    def _modifiers(self) -> Qt.KeyboardModifier:
        kind = Qt.KeyboardModifier
        return self._dice.choice([kind.NoModifier] * 5 + [kind.ControlModifier, kind.ShiftModifier, kind.AltModifier])

    def _press(self) -> None:
        self.press(self._dice.choice(self._keys))

    def press(self, key: str) -> None:
        """A key where the keyboard is."""
        target = QApplication.activePopupWidget() or QApplication.focusWidget() or self.window
        self._note(f"press {key} on {target!r}")
        combination = QKeySequence(key)[0]
        QTest.keyClick(target, combination.key(), combination.keyboardModifiers())

    def _click(self) -> None:
        widget = self._widget()
        point, button = (
            self._point(widget),
            self._dice.choice([Qt.MouseButton.LeftButton] * 6 + [Qt.MouseButton.RightButton]),
        )
        self._note(f"click {button.name} {point.toTuple()} on {widget!r}")
        QTest.mouseClick(widget, button, self._modifiers(), point)

    def _double_click(self) -> None:
        widget = self._widget()
        point = self._point(widget)
        self._note(f"double click {point.toTuple()} on {widget!r}")
        QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)

    def _hover(self) -> None:
        widget = self._widget()
        point = self._point(widget)
        self._note(f"hover {point.toTuple()} on {widget!r}")
        QTest.mouseMove(widget, point)

    def _drag(self) -> None:
        widget = self._widget()
        points = [self._point(widget) for _ in range(self._dice.randint(2, 5))]
        self._note(f"drag {[point.toTuple() for point in points]} on {widget!r}")
        button, modifiers = Qt.MouseButton.LeftButton, self._modifiers()
        QTest.mousePress(widget, button, modifiers, points[0])
        for point in points[1:]:
            QTest.mouseMove(widget, point)
            QApplication.processEvents()
            if not Shiboken.isValid(widget):
                return  # its dialog was closed meanwhile
        QTest.mouseRelease(widget, button, modifiers, points[-1])

    def _wheel(self) -> None:
        widget = self._widget()
        place = QPointF(self._point(widget))
        angle = QPoint(self._dice.choice([0, 0, 120]), self._dice.choice([-240, -120, 120, 240, 30]))
        pixels = QPoint(0, 0) if self._dice.random() < 0.7 else angle / 4
        modifiers = self._modifiers()
        self._note(f"wheel {angle.toTuple()} {modifiers.name} on {widget!r}")
        event = QWheelEvent(
            place, widget.mapToGlobal(place), pixels, angle, Qt.MouseButton.NoButton, modifiers,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(widget, event)

    def _scrub(self) -> None:
        panel = self.window.panel_area.panels["timeline"]
        self._note("scrub")
        left = Qt.MouseButton.LeftButton
        QTest.mousePress(panel, left, Qt.KeyboardModifier.NoModifier, self._point(panel))
        for _ in range(self._dice.randint(1, 6)):
            QTest.mouseMove(panel, self._point(panel))
            QApplication.processEvents()
        QTest.mouseRelease(panel, left, Qt.KeyboardModifier.NoModifier, self._point(panel))

    def _move(self) -> None:
        cursor = self._dice.randint(-1, self.window.store.state.steps + 1)
        self._note(f"move to {cursor}")
        self.window.store.move(cursor)

    def _command(self) -> None:
        self.choose(self._dice.choice([row for row in COMMANDS if row.id not in LEFT_ALONE]))

    def choose(self, row: Command) -> None:
        """Choose it in the menu, with one of its choices."""
        choices = row.choices(self.window.store.state) if row.choices is not None else ()
        value = self._dice.choice(choices).value if choices else ""
        if row.choices is None or choices:
            self._note(f"command {row.id} {value}")
            self.window.commands.choose(row.id, value)

    def _type(self) -> None:
        for key in self._dice.choices("abxyz 0123.()=*", k=self._dice.randint(1, 8)):
            target = QApplication.focusWidget() or self.window
            self._note(f"type {key!r} on {target!r}")
            QTest.keyClick(target, key)

    def _snippet(self) -> None:
        text = self._dice.choice([*SNIPPETS, *(example.code for example in examples())])
        self._note(f"snippet {text!r}")
        code = self.window.editor.code
        code.selectAll()
        code.insertPlainText(text)

    def _run(self) -> None:
        self._note("run")
        self.window.shell.runner.run()

    def _resize(self) -> None:
        width, height = self._dice.randint(500, 1900), self._dice.randint(380, 1100)
        self._note(f"resize {width} {height}")
        self.window.resize(width, height)

    def _wait(self) -> None:
        milliseconds = self._dice.choice([1, 5, 20, 60])
        self._note(f"wait {milliseconds}")
        QTest.qWait(milliseconds)


def let_things_end(window: MainWindow) -> None:
    """After the play: the run has ended, no picture is written any more, nothing waits to be deleted."""
    for _ in range(200):
        QApplication.processEvents()
        writes = any(thread.name == "gradviz-task" for thread in threading.enumerate())
        if not window.store.state.run.is_running and not writes:
            break
        QTest.qWait(25)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
