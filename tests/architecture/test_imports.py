"""What is loaded when: the engine and its torch work in a Python that has neither Qt nor PyTorch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BARE_ENGINE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"PySide6", "shiboken6", "networkx", "torch"}:
            raise ModuleNotFoundError(f"{name} is not installed in this test")

sys.meta_path.insert(0, Refuse())
import gradviz.torch as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
print(x.grad)
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"PySide6", "networkx", "torch"}))
print(sorted(name for name in sys.modules if name.startswith(("gradviz.ui", "gradviz.trace", "gradviz.worker"))))
"""


def run(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_engine_works_without_qt_and_without_pytorch() -> None:
    assert run(BARE_ENGINE).splitlines() == ["tensor([2., 4.])", "[]", "[]"]


FIRST_PAINT = """
import sys
from PySide6.QtCore import QEvent, QObject
from gradviz.ui.launch import application

class Watch(QObject):
    loaded = None
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and self.loaded is None:
            self.loaded = {name.partition(".")[0] for name in sys.modules}
        return False

app = application()
watch = Watch()
app.installEventFilter(watch)

from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow

window = MainWindow(Settings(Forgetful()))
window.show()
while watch.loaded is None:
    app.processEvents()
window.close()
app.processEvents()
qt = {"PySide6", "shiboken6", "shibokensupport", "signature_bootstrap", "__feature__"}
ours = qt | {"gradviz", "__main__", "sitecustomize", "_distutils_hack"}
print(sorted(n for n in watch.loaded - ours if n not in sys.stdlib_module_names and not n.startswith("__editable__")))
"""


@pytest.mark.slow
def test_nothing_but_qt_is_imported_before_the_first_paint() -> None:
    assert run(FIRST_PAINT).splitlines() == ["[]"]
