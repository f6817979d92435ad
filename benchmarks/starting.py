"""From the start of the process to the first painted frame, against a bare QMainWindow: children in turns, each ended
at its first paint, by the resources that the system says they used. Both find their modules compiled, as after an
installation. And what `gradviz run` of a short file costs, with its worker, against `import numpy`."""

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

SNIPPET = """
import torch

x = torch.tensor([1.0, 2.0, 3.0])
w = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)
y = (w * x).sum() + b
loss = (y - 1.0) ** 2
loss.backward()
print(loss, w.grad)
"""
RUN = f"""
import os, sys
from gradviz.cli import run_command_line
with open(os.environ["XDG_DATA_HOME"] + "/snippet.py", "w") as file:
    file.write({SNIPPET!r})
sys.exit(run_command_line(["run", file.name]))
"""


def start() -> list[Line]:
    """Ratios of the medians."""
    (bare_cpu, bare_wall), (ours_cpu, ours_wall) = _in_turns(BARE, OURS)
    return [
        Line("start to the first painted frame: CPU", "ms", ours_cpu * 1e3),
        Line("start to the first painted frame: CPU, times a bare QMainWindow", "times", ours_cpu / bare_cpu, 1.5),
        Line("start to the first painted frame: wall, times a bare QMainWindow", "times", ours_wall / bare_wall, 1.5),
    ]


def run_a_file() -> list[Line]:
    """CPU of the command and of the processes that it has waited for."""
    (numpy_cpu, _), (ours_cpu, _) = _in_turns("import numpy", RUN)
    return [
        Line("gradviz run of ten lines: CPU, with the worker", "ms", ours_cpu * 1e3),
        Line("gradviz run of ten lines: CPU, times `import numpy`", "times", ours_cpu / numpy_cpu, 5.0),
    ]


def _in_turns(*codes: str) -> list[tuple[float, float]]:
    """The medians, of CPU and on the wall, of what each of these costs."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**ENVIRONMENT, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for code in codes:
            _child(code, environment)  # what is compiled and read from the disk once
        turns = [[_child(code, environment) for code in codes] for _ in range(TURNS)]
    return [
        (statistics.median(cpu for cpu, _ in rounds), statistics.median(wall for _, wall in rounds))
        for rounds in zip(*turns, strict=True)
    ]


def _child(code: str, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of CPU and on the wall of a process that runs this code."""
    begun = time.perf_counter()
    devnull = subprocess.DEVNULL
    child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=devnull, stderr=devnull)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise ChildProcessError(f"a child ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, wall
