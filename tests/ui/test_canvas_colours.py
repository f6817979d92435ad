"""What each text on the canvas is written in: a colour has one meaning (`theme.py`), and a wrong one misleads."""

from __future__ import annotations

from collections import defaultdict

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.ui.canvas.camera import fitting
from gradviz.ui.canvas.ink import Ink
from tests.ui.canvas_fixtures import STALE, run, scene_of

NUMBERS = """import torch
x = torch.tensor([1.0, float('inf'), float('nan')], requires_grad=True)
h = x * 2
y = (h * h).sum()
y.backward()
"""
WRITTEN = {
    "numbers": (
        NUMBERS,
        {
            "text": {"x", "h * h", "y", "×", "∑"},
            "text saved_text freed": {"h"},  # the card, and the tab of what keeps it and lets it go
            "text gradient": {"1"},  # a value and the gradient of the output
            "error": {"inf", "nan", "NaN"},
            "gradient": {
                *("8", "–", "grad for every element = [1, 1, 1]", "1 of 2 arrived", "2 of 2 arrived"),
            },
            "muted": {
                *(".grad", "None", "∇", "∇ passing", "not stored", "in its input buffer", "written at step 13"),
                *("MulBackward0", "SumBackward0", "leaf · float32 [3]", "float32 [3]", "output · float32"),
            },
        },
    ),
    "a sum of gradients": (
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()\n",
        {"gradient": {"Σ 2 + 2 = 4", "1 · 2 = 2, through x's 1st use"}},
    ),
    "a saved tensor that was overwritten": (
        STALE,
        {
            "error": {"overwrote", "y on line 4", "saved y at", "version 0, now 1"},
            "card": {"!"},
        },
    ),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_every_text_has_the_colour_of_what_it_says(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    source, expected = WRITTEN[what]
    found: defaultdict[str, set[str]] = defaultdict(set)  # the colours of each text
    write = Ink.text

    def note(
        ink: Ink, painter: QPainter, role: str, colour: str, box: QRectF, text: str, align: Qt.AlignmentFlag
    ) -> None:
        if text:
            found[text].add(colour)
        write(ink, painter, role, colour, box, text, align)

    monkeypatch.setattr(Ink, "text", note)
    trace = run(source)
    scene, image = scene_of(trace), QImage(3000, 2000, QImage.Format.Format_RGB32)
    for cursor in range(1, len(trace) + 1):
        scene.move_to(cursor)
        extent = scene.extent()
        assert extent is not None
        with QPainter(image) as painter:
            scene.paint_edges(painter, fitting(extent, 3000, 2000, 1.0), QRectF(image.rect()))
        with QPainter(image) as painter:
            scene.paint_rest(painter, fitting(extent, 3000, 2000, 1.0), QRectF(image.rect()), 0.3, 1.0)
    wanted = {text: set(colours.split()) for colours, texts in expected.items() for text in texts}
    assert {text: found[text] for text in wanted} == wanted
