"""`gradviz code` and `gradviz draw`, and what the other commands do with `.gradviz` files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.documents import Contents, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.files import opening
from gradviz.document.snippet import Snippet
from tests.command_line import gradviz, gradviz_process
from tests.document.one_of_everything import everything, with_its_view
from tests.worker.test_cli import written

CODE = """import torch

w = torch.tensor(3., requires_grad=True)
x = torch.tensor(2.)

y = w * x
loss = y * y + w

loss.backward()
"""
LOOP = """import torch
w = torch.tensor(1.5, requires_grad=True)
y = w
for _ in range(3):
    y = y * w
y.backward()
"""


def test_code_to_a_drawing_and_back(tmp_path: Path) -> None:
    drawn = tmp_path / "net.gradviz"
    done = gradviz("draw", written(tmp_path, CODE + "print(w.grad)\n"), "-o", drawn)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "Line 10: print is no part of a drawing.\n"
    assert isinstance(opening.load(drawn).document, Drawing)
    done = gradviz("code", drawn)
    assert (done.returncode, done.stdout, done.stderr) == (0, CODE, "")


def test_a_loop_is_drawn_as_it_ran(tmp_path: Path) -> None:
    drawn = tmp_path / "net.gradviz"
    done = gradviz("draw", written(tmp_path, LOOP, "loop.py"), "-o", drawn)
    assert done.returncode == 0
    assert done.stderr == "Line 4: a loop can't be drawn. So loop.py was run, and is drawn as it ran.\n"
    assert gradviz("code", drawn).stdout.count(" * w\n") == 3


def test_a_loop_that_raises_is_not_drawn(tmp_path: Path) -> None:
    done = gradviz("draw", written(tmp_path, LOOP + "y.backward()\n"), "-o", tmp_path / "net.gradviz")
    assert done.returncode == 1
    assert "can't be drawn: Line 4: a loop can't be drawn." in done.stderr
    assert "Trying to backward through the graph a second time" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "net.gradviz").exists()


def test_a_drawing_runs(tmp_path: Path) -> None:
    gradviz("draw", written(tmp_path, CODE), "-o", tmp_path / "net.gradviz")
    done = gradviz("run", "--steps", tmp_path / "net.gradviz")
    assert (done.returncode, done.stderr) == (0, "")
    assert "25" in done.stdout.splitlines()[-1]


def test_a_snippet_in_a_gradviz_file_runs(tmp_path: Path) -> None:
    opening.save(tmp_path / "a.gradviz", Contents(Snippet("print(3)\n")))
    done = gradviz("run", tmp_path / "a.gradviz")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
    assert gradviz("code", tmp_path / "a.gradviz").stdout == "print(3)\n"


def test_a_drawing_is_exported_at_its_places(tmp_path: Path) -> None:
    gradviz("draw", written(tmp_path, CODE), "-o", tmp_path / "net.gradviz")
    done = gradviz_process("export", tmp_path / "net.gradviz", "-o", tmp_path / "net.svg")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "backward()" in (tmp_path / "net.svg").read_text()


def test_a_snippet_is_exported_with_the_files_that_it_imports(tmp_path: Path) -> None:
    written(tmp_path, "import torch\nw = torch.tensor(3., requires_grad=True)\n", "helper.py")
    snippet = written(tmp_path, "from helper import w\n(w * 2).backward()\n", "main.py")
    done = gradviz_process("export", snippet, tmp_path / "graph.json", "--attach", tmp_path / "helper.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert '"MulBackward0"' in (tmp_path / "graph.json").read_text(encoding="utf-8")


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    path = tmp_path / "net.gradviz"
    opening.save(path, with_its_view())
    path.write_text(path.read_text().replace('"op": "mul"', '"op": "mull"'))
    done = gradviz("code", path)
    assert done.returncode == 0
    assert "1 part" in done.stderr or "2 parts" in done.stderr
    assert "node 5 (no operation 'mull')" in done.stderr
    assert done.stdout != text_of(everything())


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("code", "no.gradviz"), 1, "no.gradviz does not exist"),
        (("code", "bad.gradviz"), 1, "bad.gradviz was not written by GradViz"),
        (("run", "bad.gradviz"), 1, "bad.gradviz was not written by GradViz"),
        (("code", "blank.gradviz"), 1, "blank.gradviz is empty: there is no code."),
        (("draw", "blank.py", "-o", "x.gradviz"), 1, "blank.py is empty: there is nothing to draw."),
        (("draw", "blank.py", "-o", "x.py"), 2, "must end in .gradviz"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_a_sentence(tmp_path: Path, arguments: tuple[str, ...], status: int, says: str) -> None:
    (tmp_path / "bad.gradviz").write_text("{}")
    (tmp_path / "blank.py").write_text("\n")
    opening.save(tmp_path / "blank.gradviz", Contents(Drawing()))
    done = gradviz(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert says in done.stderr and "Traceback" not in done.stderr
