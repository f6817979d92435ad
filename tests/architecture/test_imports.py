"""What is loaded when: the engine and its torch work in a Python that has neither Qt nor PyTorch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

BARE_ENGINE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"PySide6", "shiboken6", "pyqtgraph", "networkx", "pygraphviz", "torch"}:
            raise ModuleNotFoundError(f"{name} is not installed in this test")

sys.meta_path.insert(0, Refuse())
import gradviz.torch as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
print(x.grad)
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"PySide6", "pyqtgraph", "networkx", "pygraphviz", "torch"}))
print(sorted(name for name in sys.modules if name.startswith(("gradviz.ui", "gradviz.trace", "gradviz.worker"))))
"""


def run(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_engine_works_without_qt_and_without_pytorch() -> None:
    assert run(BARE_ENGINE).splitlines() == ["tensor([2., 4.])", "[]", "[]"]
