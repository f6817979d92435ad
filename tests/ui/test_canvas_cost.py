"""How much of a picture is painted: counts, no clocks."""

from __future__ import annotations

import sys

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QRegion
from pytestqt.qtbot import QtBot

from gradviz.ui.canvas.edge_painter import in_area
from gradviz.ui.canvas.surface import MOST_PARTS, _rectangles
from gradviz.ui.memory_management import trim_memory
from tests.trace.running import run
from tests.ui.canvas_fixtures import shown

WHOLE = QRect(0, 0, 400, 300)


def test_what_is_left_around_a_widget_is_painted_as_one() -> None:
    assert _rectangles(QRegion(WHOLE) - QRegion(QRect(150, 200, 100, 90))) == [WHOLE]


def test_small_parts_far_apart_are_painted_one_by_one() -> None:
    parts = [QRect(0, 0, 20, 20), QRect(300, 200, 20, 20)]
    assert _rectangles(QRegion(parts[0]) + QRegion(parts[1])) == parts


def test_many_parts_are_painted_as_the_box_around_them() -> None:
    region = QRegion()
    for nth in range(MOST_PARTS + 1):
        region += QRect(50 * nth, 40 * nth, 10, 10)
    assert _rectangles(region) == [region.boundingRect()]
    assert _rectangles(QRegion()) == []


def test_only_lines_that_may_be_seen_are_painted() -> None:
    lines = np.array([[0, 0, 10, 10], [-20, 5, -1, 5], [-20, 5, 40, 5], [5, 31, 5, 90], [8, 40, 8, -40]], float)
    assert in_area(lines, (0.0, 0.0, 30.0, 30.0)).tolist() == [True, False, True, False, True]


def test_memory_is_given_back_once_after_a_drawing(qtbot: QtBot) -> None:
    """A small drawing, too, may take the place of one with large values."""
    view = shown(qtbot, run("import torch\nx = torch.ones(2)\ny = x * 2"), 2)
    assert view.graph_layout.background.idle.isActive() and view.graph_layout.background.idle.isSingleShot()


def test_only_some_c_libraries_give_memory_back() -> None:
    assert trim_memory() in (True, False) and (sys.platform == "linux" or not trim_memory())
