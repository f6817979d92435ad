"""`gradviz run` and a snippet that draws: it says so once, and writes the plots where it is told to."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import gradviz, gradviz_process
from tests.worker.test_cli import written

PLOTTED = "import matplotlib.pyplot as plt\nprint('a')\nplt.plot([3, 2, 1])\nplt.show()\nplt.bar(['x'], [1])\n"


def test_it_says_how_to_see_the_plots(tmp_path: Path) -> None:
    done = gradviz("run", written(tmp_path, PLOTTED))
    assert (done.returncode, done.stdout) == (0, "a\n")
    assert done.stderr == (
        "snippet.py drew 2 plots: gradviz snippet.py shows them, gradviz run --plots FOLDER writes them.\n"
    )


def test_plots_are_written(tmp_path: Path) -> None:
    done = gradviz_process("run", "--plots", tmp_path / "out", written(tmp_path, PLOTTED))
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["snippet-1.png", "snippet-2.png"]
    assert (tmp_path / "out" / "snippet-1.png").read_bytes().startswith(b"\x89PNG")


def test_plots_that_cannot_be_written_are_a_sentence(tmp_path: Path) -> None:
    snippet = written(tmp_path, PLOTTED)
    done = gradviz_process("run", "--plots", snippet / "out", snippet)
    assert done.returncode == 1
    assert "could not be made" in done.stderr
    assert "Traceback" not in done.stderr
