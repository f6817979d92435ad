"""No operation imports anything when it is first used: in the closed worker that would be refused."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys, warnings
import gradviz.torch as torch
from gradviz.worker.main import import_elsewhere
from gradviz.worker.running.warm import import_late_parts
from tests.engine.op_cases import cases
from tests.engine.record_ops import fed

every = cases(torch)
import_elsewhere()
import_late_parts()
for case in (every["add"], every["sum"]):
    case.run(*fed(torch, case, "float64"))
late = set()
sys.addaudithook(lambda event, given: late.add(given[0]) if event == "import" else None)
warnings.simplefilter("ignore")
for name, case in every.items():
    for dtype in ("float64", "float32"):
        case.run(*fed(torch, case, dtype))
print(len(every), sorted(late))
"""


def test_operations_import_nothing_late() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, _, late = done.stdout.strip().partition(" ")
    assert int(count) > 700
    assert late == "[]"
