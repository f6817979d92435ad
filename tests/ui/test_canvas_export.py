"""Pictures of the canvas as files, at any step."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gradviz.document.documents import Contents
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.files import gradviz_file
from gradviz.layout import flat
from gradviz.ui.canvas import edge_painter, placed
from gradviz.ui.canvas.diagram import Floats, Ints
from gradviz.ui.canvas.edge_painter import dashes
from gradviz.ui.canvas.placed import Placed
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.sharing import picture
from gradviz.ui.sharing.export import Options, export, write
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
    assert "MulBackward0" in early and "21" in early
    assert "13" not in early and "13" in late


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
        write(sample_trace(), 3, tmp_path / "graph.bmp")
    with pytest.raises(UserError, match="could not be written"):
        write(sample_trace(), 3, tmp_path / "nowhere" / "graph.svg")


def test_a_snippet_is_run_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "snippet.py", tmp_path / "graph.svg"
    source.write_text(SNIPPET)
    assert export(source, out, Options("end")) == 0
    assert "MulBackward0" in texts(out)
    assert export(source, tmp_path / "first.svg", Options(1)) == 0
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


def test_of_an_edge_without_end_no_dashes_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    longest: list[float] = []

    def watched(placed: Placed, cubics: Ints, area: Any, dash: float, gap: float, phase: Floats) -> tuple[Floats, Ints]:
        longest.append(float(placed.cubic_length[cubics].max()))
        near = placed.cubic_length[cubics] < 1e6
        return dashes(placed, cubics[near], area, dash, gap, phase[near])

    monkeypatch.setattr(edge_painter, "dashes", watched)
    nodes = [Leaf(1, "x", 2.0, requires_grad=True), Leaf(2, "far", 3.0, requires_grad=True, x=1e9)]
    product = Operation(3, "mul", (Ref(1), Ref(2)), names=("y",), x=200.0)
    drawing = Drawing((*nodes, product), calls=(BackwardCall(Ref(3)),), next_id=4)
    (tmp_path / "far.gradviz").write_bytes(gradviz_file.write(Contents(drawing)))
    assert export(tmp_path / "far.gradviz", tmp_path / "graph.svg") == 0
    assert longest and max(longest) < 1e5


@pytest.mark.parametrize(
    ("whole", "named", "said", "has", "lacks"),
    [
        (100, 100, (), "MulBackward0", "nothing of all"),
        (1, 100, ("with their names and main values only",), "21", "MulBackward0"),
        (1, 1, ("as blocks without words",), "", "21"),
    ],
)
def test_of_a_large_graph_a_picture_has_less_and_it_is_said(
    whole: int, named: int, said: tuple[str, ...], has: str, lacks: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(picture, "MOST_WHOLE", whole)
    monkeypatch.setattr(picture, "MOST_NAMED", named)
    for name in ("graph.svg", "graph.png", "graph.pdf"):
        found = write(sample_trace(), 6, tmp_path / name)
        assert found == tuple(
            f"{name} shows its 9 boxes {how}, because the graph is so large; a window shows all of it." for how in said
        )
    words = texts(tmp_path / "graph.svg")
    assert has in words
    assert lacks not in words
    image = QImage(str(tmp_path / "graph.png"))
    assert len({image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}) > 5
    assert (tmp_path / "graph.png").stat().st_size < image.sizeInBytes() / 10


def test_it_is_said_how_many_edges_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "PAGE", replace(placed.PAGE, short=3))
    for name in ("graph.svg", "graph.png"):
        (said,) = write(sample_trace(), 6, tmp_path / name)
        assert said == f"{name} shows 3 of 9 edges: more of them could not be told apart."


def test_a_file_keeps_curves_as_curves(tmp_path: Path) -> None:
    write(sample_trace(), 6, tmp_path / "graph.svg")
    drawn = [node.attrib["d"] for node in ElementTree.parse(tmp_path / "graph.svg").iter() if node.tag.endswith("path")]
    edges = [path for path in drawn if "C" in path and "L" in path]
    assert edges
    write(sample_trace(), 6, tmp_path / "graph.pdf")
    assert (tmp_path / "graph.pdf").stat().st_size < 400_000


def test_a_png_has_no_more_pixels_than_can_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "graph.png"
    write(sample_trace(), 14, out)
    usual = QImage(str(out)).size()
    monkeypatch.setattr(picture, "MOST_PIXELS", 90_000)
    assert "names and main values only" in write(sample_trace(), 14, out)[0], "as on a screen from so far away"
    image = QImage(str(out))
    assert 80_000 < image.width() * image.height() < 92_000
    assert image.width() / image.height() == pytest.approx(usual.width() / usual.height(), rel=0.02)
    monkeypatch.setattr(picture, "LARGEST_SIDE", 120)
    assert "blocks" in write(sample_trace(), 14, out)[0]
    assert QImage(str(out)).width() == 120


def test_an_svg_and_a_pdf_are_no_larger_than_readers_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "LARGEST_SIDE", 200)
    monkeypatch.setattr(picture, "LARGEST_PAGE", 150.0)
    assert write(sample_trace(), 14, tmp_path / "graph.svg") == ()
    assert float(ElementTree.parse(tmp_path / "graph.svg").getroot().attrib["width"]) == pytest.approx(200)
    assert write(sample_trace(), 14, tmp_path / "graph.pdf") == ()
    page = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)", (tmp_path / "graph.pdf").read_bytes())
    assert page is not None
    assert float(page[1]) == pytest.approx(150, abs=1)
    assert "MulBackward0" in texts(tmp_path / "graph.svg"), "all of it is there, only smaller"


def test_it_is_said_on_the_terminal_that_a_graph_stands_in_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flat, "MOST_IN_LAYERS", 3)
    source, out = tmp_path / "snippet.py", tmp_path / "graph.svg"
    source.write_text(SNIPPET)
    assert export(source, out) == 0
    said = capsys.readouterr().err
    rows = "This graph is too large for a layered layout: boxes are placed in rows in execution order."
    assert said == f"gradviz: {rows}\n"


def test_what_fails_while_it_is_painted_is_an_error_and_not_the_end_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no such colour")

    monkeypatch.setattr(Scene, "paint_rest", fail)
    for name in ("graph.svg", "graph.png", "graph.pdf"):
        with pytest.raises(ValueError, match="no such colour"):
            write(sample_trace(), 14, tmp_path / name)
