"""A failure while something is painted, or a model is asked: the painter ends, a report is shown, and the program goes
on. In a process of its own, because what fails here is the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

NESTED = """
import math, sys
from PySide6.QtWidgets import QWidget
from gradviz.ui import launch

ERRORS = {"zero": lambda: 1 / 0, "overflow": lambda: math.floor(math.inf), "own": lambda: exec("raise KeyError('x')")}

class Inner(QWidget):
    painted = 0

    def paintEvent(self, event):
        self.painted += 1
        ERRORS[sys.argv[1]]()

class Outer(QWidget):
    def event(self, event):
        return super().event(event)

app = launch.application()
told = []
sys.excepthook = lambda kind, error, trace: told.append(kind.__name__)
outer = Outer()
inner = Inner(outer)
outer.show()
while inner.painted < 5:
    inner.update()
    try:
        app.processEvents()
    except Exception as error:  # PySide6 up to 6.10 raises it here
        told.append(type(error).__name__)
print(len(told) >= 5, set(told))
"""

MODEL = """
import numpy as np
from PySide6.QtCore import QAbstractListModel
from PySide6.QtWidgets import QListView
from gradviz.ui import launch

class Model(QAbstractListModel):
    asked = 0

    def rowCount(self, parent):
        return 3

    def data(self, index, role):
        self.asked += 1
        return np.zeros(1)[index.row() + 1]

app = launch.application()
view = QListView()
model = Model(view)
view.setModel(model)
for _ in range(2):
    try:
        view.grab()
    except IndexError:  # PySide6 up to 6.10 raises it here, sooner or later
        pass
print(model.asked > 0)
"""

WINDOW = """
import sys
from PySide6.QtCore import QTimer
from gradviz.ui import crash, launch
from gradviz.ui.figures import view

paint_figure = view.paint_figure

def failing(*arguments):
    view.paint_figure = paint_figure
    return 1 / 0

def painted(window):
    view.paint_figure = failing
    window.editor.code.setPlainText("import matplotlib.pyplot as plt\\nplt.plot([1, 2])\\n")
    window.shell.runner.run()
    poll = QTimer(window, interval=20)
    poll.timeout.connect(lambda: look(window, poll))
    poll.start()

def look(window, poll):
    boxes = [one for one in launch.application().topLevelWidgets() if isinstance(one, crash.CrashBox)]
    if not boxes:
        return
    poll.stop()
    print("BOXES", [box.isVisible() for box in boxes], "ZeroDivisionError" in boxes[0].detailedText(), flush=True)
    boxes[0].close()
    window.shell.plots.view.resize(300, 200)
    window.shell.plots.view.grab()
    print("PLACED", len(window.shell.plots.view._placed), flush=True)
    window.store.open(launch.Snippet(), None)
    window.close()

class Window(launch.MainWindow):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.painted.connect(lambda: QTimer.singleShot(0, lambda: painted(self)))

launch.MainWindow = Window
sys.exit(launch.open_window([], None, None))
"""


def output(program: str, folder: Path, *arguments: str) -> str:
    places = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"), str(folder))
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env=os.environ | places,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize(
    ("error", "name"), [("zero", "ZeroDivisionError"), ("overflow", "OverflowError"), ("own", "KeyError")]
)
def test_an_error_in_a_paint_event_ends_in_the_hook(tmp_path: Path, error: str, name: str) -> None:
    assert output(NESTED, tmp_path, error) == f"True {{'{name}'}}\n"


def test_an_error_in_what_a_view_asks_its_model_does_not_end_the_process(tmp_path: Path) -> None:
    assert output(MODEL, tmp_path) == "True\n"


def test_a_plot_that_cannot_be_painted_is_a_report_and_the_next_one_is_painted(tmp_path: Path) -> None:
    assert output(WINDOW, tmp_path) == "BOXES [True] True\nPLACED 1\n"
