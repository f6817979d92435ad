"""Pictures of the canvas as files, at any step."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gradviz.document.errors import UserError
from gradviz.ui.export import export, write
from gradviz.ui.theme import DARK
from tests.trace.sample import sample_trace

pytestmark = pytest.mark.usefixtures("qapp")
SNIPPET = "import torch\nw = torch.tensor(3., requires_grad=True)\ny = w * 2\ny.backward()\n"


def texts(path: Path) -> str:
    return " ".join(node.text or "" for node in ElementTree.parse(path).iter() if node.tag.endswith("text"))


def test_an_svg_has_the_names_and_numbers_of_its_step(tmp_path: Path) -> None:
    trace = sample_trace()
    write(trace, 6, tmp_path / "early.svg")
    write(trace, len(trace), tmp_path / "late.svg")
    early, late = texts(tmp_path / "early.svg"), texts(tmp_path / "late.svg")
    assert "MulBackward0" in early and "21." in early
    assert "13." not in early and "13." in late


@pytest.mark.parametrize("scale", [DARK, None])
def test_a_png_is_sharp(tmp_path: Path, scale: object) -> None:
    write(sample_trace(), 14, tmp_path / "graph.png", *([DARK] if scale else []))
    image = QImage(str(tmp_path / "graph.png"))
    assert image.width() > 1500
    assert len({image.pixel(x, image.height() // 2) for x in range(0, image.width(), 3)}) > 5


def test_a_pdf_is_one_page(tmp_path: Path) -> None:
    write(sample_trace(), 14, tmp_path / "graph.pdf")
    data = (tmp_path / "graph.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert data.count(b"/Type /Page\n") == 1


def test_what_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"must end in \.svg"):
        write(sample_trace(), 3, tmp_path / "graph.gif")
    with pytest.raises(UserError, match="could not be written"):
        write(sample_trace(), 3, tmp_path / "nowhere" / "graph.svg")


def test_a_snippet_is_run_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "snippet.py", tmp_path / "graph.svg"
    source.write_text(SNIPPET)
    assert export(source, out, "end") == 0
    assert "MulBackward0" in texts(out)
    assert export(source, tmp_path / "first.svg", 1) == 0
    assert "MulBackward0" not in texts(tmp_path / "first.svg")
    source.write_text(SNIPPET + "y.backward()\n")
    assert export(source, out) == 1
    assert "second time" in capsys.readouterr().err
    assert "freed" in texts(out)


def test_nothing_to_draw_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "snippet.py"
    for text, sentence in (("", "empty"), ("print(1)\n", "made no tensor"), ("1 +\n", "made no tensor")):
        source.write_text(text)
        assert export(source, tmp_path / "graph.svg") == 1
        assert sentence in capsys.readouterr().err
    assert export(tmp_path / "missing.py", tmp_path / "graph.svg") == 1
    assert QApplication.instance() is not None


def test_groups_are_drawn_as_on_the_screen(tmp_path: Path) -> None:
    snippet, out = tmp_path / "loop.py", tmp_path / "loop.svg"
    snippet.write_text(
        "import torch\nw = torch.tensor(0.9, requires_grad=True)\nh = torch.tensor(1.0)\n"
        "for t in range(30):\n    h = torch.tanh(w * h)\nh.backward()\n",
        encoding="utf-8",
    )
    assert export(snippet, out) == 0
    assert "for t in range(30)" in texts(out)
