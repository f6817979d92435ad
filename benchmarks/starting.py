"""From the start of the process to the first painted frame, against a bare QMainWindow: children in turns, each ended
at its first paint, by the resources that the system says they used. Both find their modules compiled, as after an
installation."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.aims import ENVIRONMENT, ROOT, Line

TURNS = 9
BARE = """
import os, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

class Window(QMainWindow):
    def paintEvent(self, event):
        QTimer.singleShot(0, lambda: os._exit(0))

app = QApplication(sys.argv)
window = Window()
window.resize(1280, 800)
window.show()
app.exec()
"""
OURS = """
import os, sys
from gradviz.ui import app
load = app.load_launch
def load_and_end():
    launch = load()
    launch.MainWindow._after_first_paint = lambda self: os._exit(0)
    return launch
app.load_launch = load_and_end
sys.argv = ["gradviz"]
from gradviz.__main__ import main
main()
"""


def start() -> list[Line]:
    """Ratios of the medians."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**ENVIRONMENT, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for code in (BARE, OURS):
            _child(code, environment)  # what is compiled and read from the disk once
        turns = [(_child(BARE, environment), _child(OURS, environment)) for _ in range(TURNS)]
    bare_cpu, ours_cpu = (statistics.median(turn[which][0] for turn in turns) for which in (0, 1))
    bare_wall, ours_wall = (statistics.median(turn[which][1] for turn in turns) for which in (0, 1))
    return [
        Line("start to the first painted frame: CPU", "ms", ours_cpu * 1e3),
        Line("start to the first painted frame: CPU, times a bare QMainWindow", "times", ours_cpu / bare_cpu, 1.5),
        Line("start to the first painted frame: wall, times a bare QMainWindow", "times", ours_wall / bare_wall, 1.5),
    ]


def _child(code: str, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of CPU and on the wall of a process that runs this code."""
    begun = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise ChildProcessError(f"a child ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, wall
