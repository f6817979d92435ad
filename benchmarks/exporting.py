"""How long `gradviz export` takes on the wall from the command to the file, the run of the snippet included, and how
large the file is: a chain, which is one box after the other, and a tensor with very many uses."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.aims import ENVIRONMENT, ROOT, Line

BOUND = 10.0  # seconds
CHAIN = "import torch\ny = torch.tensor(1., requires_grad=True)\n[y := y * 1.0001 for i in range({})]\ny.backward()\n"
STAR = "import torch\nx = torch.tensor(1., requires_grad=True)\nhub = x * 2.\n[hub * 3. for i in range({})]\n"


def large_pictures() -> list[Line]:
    """Two lines for each graph and format."""
    lines = []
    for what, source, count in (("chain", CHAIN, 20_000), ("chain", CHAIN, 100_000), ("star", STAR, 100_000)):
        for ending in (".svg", ".png"):
            seconds, megabytes = _export(source.format(count), ending)
            title = f"gradviz export of a {what} of {count:,} operations to {ending[1:].upper()}"
            lines += [Line(title, "s", seconds, BOUND), Line("   size of the file", "MB", megabytes)]
    return lines


def _export(source: str, ending: str) -> tuple[float, float]:
    with TemporaryDirectory() as folder:
        snippet, out = Path(folder, "graph.py"), Path(folder, f"graph{ending}")
        snippet.write_text(source, encoding="utf-8")
        command = [sys.executable, "-m", "gradviz", "export", str(snippet), "-o", str(out)]
        begun = time.perf_counter()
        subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=True, stderr=subprocess.DEVNULL)
        return time.perf_counter() - begun, out.stat().st_size / 1e6
