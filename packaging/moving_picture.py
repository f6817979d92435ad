"""The pictures of the README and of software centres, as the program draws them: `resources/backward.webp`, the
README's own example step by step, and the windows of `WINDOWS`. `make picture` renews them; tests compare them with
what the program draws now. `resources/page.png` is of a browser and not made here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PySide6.QtGui import QImage

from gradviz.ui.sharing.film import animated, still

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "resources/backward.webp"
SIZE = (1180, 720)
LARGE = (1600, 1000)  # as the description for software centres says
WINDOWS = {  # the file, its example and step
    "screenshot.png": ("09_backward_twice.py", 12),
    "drawing.png": ("24_a_loss_drawn_by_hand.gradviz", 13),
}
MILLISECONDS = 1100  # a step
AT_THE_END = 3500


def example() -> str:
    """The first Python code in the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def drawn(snippet: Path, step: int, out: Path, size: tuple[int, int] = SIZE) -> None:
    """The window at a step, as a picture."""
    command = [sys.executable, "-m", "gradviz", str(snippet), "--step", str(step), "--screenshot", str(out)]
    subprocess.run([*command, "--size", "x".join(map(str, size)), "--theme", "light"], cwd=ROOT, check=True)


def window(name: str, out: Path) -> None:
    """Draw one of `WINDOWS`."""
    example_file, step = WINDOWS[name]
    drawn(ROOT / "resources/examples" / example_file, step, out, LARGE)


def steps(snippet: Path) -> int:
    """How many there are."""
    command = [sys.executable, "-m", "gradviz", "run", "--json", str(snippet)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return len(json.loads(done.stdout)["steps"])


def main() -> None:
    """Draw every step and each window, and write the pictures."""
    for name in WINDOWS:
        window(name, ROOT / "resources" / name)
    with tempfile.TemporaryDirectory() as scratch:
        snippet = Path(scratch, "example.py")
        snippet.write_text(example(), "utf-8")
        stills = []
        for step in range(1, steps(snippet) + 1):
            drawn(snippet, step, Path(scratch, "step.png"))
            stills.append(still(QImage(str(Path(scratch, "step.png")))))
    times = [MILLISECONDS] * (len(stills) - 1) + [AT_THE_END]
    PICTURE.write_bytes(animated(stills, times, SIZE))
    print(f"{PICTURE.name}: {len(stills)} steps, {PICTURE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    main()
