"""What is painted of the edges where there are very many: counts and decisions, no clocks."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.ui.canvas.edge_painter import MIDDLE, NEAR, cubics_in
from gradviz.ui.canvas.marks import MOST_OF_ONE
from gradviz.ui.canvas.placed import LONG, PAGE, SCREEN, Budget, find_density
from tests.trace.running import run
from tests.ui.canvas_fixtures import CHAIN, RECURRENCE, scene_of, shown

STAR = """import torch
x = torch.tensor(1., requires_grad=True)
hub = x * 2.
[hub * 3. for i in range(2500)]
"""
ONE = np.zeros(1, np.int64)


@pytest.mark.parametrize("scale", [0.1, MIDDLE, NEAR, 1.0, 4.0])
@pytest.mark.parametrize("budget", [SCREEN, PAGE])
@pytest.mark.parametrize("source", [RECURRENCE, CHAIN.format(count=300)])
def test_of_an_ordinary_graph_every_edge_is_painted(
    qapp: QApplication, source: str, budget: Budget, scale: float
) -> None:
    painted, dashed = scene_of(run(source)).placed.density.painted(scale, budget)
    assert painted.all()
    assert dashed.all()


def test_of_very_many_long_edges_some_are_painted_and_without_dashes() -> None:
    count = 3 * SCREEN.long
    density = find_density(np.zeros(count, np.int64), np.full(count, 2 * LONG), np.array([1e9]))
    for scale in (MIDDLE, 1.0):
        painted, dashed = density.painted(scale, SCREEN)
        assert painted.sum() == SCREEN.long
        assert not dashed.any()
    painted, dashed = density.painted(1.0, PAGE)
    assert painted.all(), "on a page there is room for them"
    assert not dashed.any(), "but not for 800,000 dashes"


def test_of_short_edges_more_are_painted_the_nearer_one_looks() -> None:
    count = 40 * SCREEN.short
    density = find_density(np.zeros(count, np.int64), np.full(count, 100.0), np.array([20_000.0**2]))
    before = np.zeros(count, bool)
    for scale in (0.09, 0.12, 0.2, 0.4, 0.8, 2.0):
        painted, _ = density.painted(scale, SCREEN)
        near = min(1.0, (1920 / scale + 100) * (1080 / scale + 100) / 20_000.0**2)
        assert SCREEN.short / 4 < painted.sum() * near <= SCREEN.short or painted.all()
        assert painted[before].all(), "what is seen does not go when one looks nearer"
        before = painted
    assert before.all()


def test_each_graph_is_counted_for_itself() -> None:
    """Of a training loop only one graph is shown at a time."""
    graph = np.repeat(np.arange(50), SCREEN.short // 4)
    painted, _ = find_density(graph, np.full(len(graph), 50.0), np.full(50, 1e4)).painted(0.1, SCREEN)
    assert painted.all()


def test_no_edges_have_no_density() -> None:
    painted, dashed = find_density(ONE[:0], np.zeros(0), np.zeros(1)).painted(1.0, SCREEN)
    assert len(painted) == len(dashed) == 0


def test_a_tensor_with_thousands_of_uses_has_few_edges_on_a_screen(qapp: QApplication) -> None:
    scene = scene_of(run(STAR))
    placed, density = scene.placed, scene.placed.density
    assert density.long.sum() > SCREEN.long
    for scale in (MIDDLE, NEAR, 1.0):
        painted, _ = density.painted(scale, SCREEN)
        x, y = placed.centre.mean(0)
        area = (x - 600 / scale, y - 400 / scale, x + 600 / scale, y + 400 / scale)
        assert len(cubics_in(placed, area, scene.moment.edges & painted)) < SCREEN.short + 4 * SCREEN.long
    hub = int(np.bincount(placed.diagram.edges[:, 0]).argmax())
    edges = scene.marks.edges_of(scene.moment, hub)
    assert edges.sum() > 2 * MOST_OF_ONE
    assert MOST_OF_ONE / 2 < scene.marks._some(edges).sum() <= MOST_OF_ONE


def test_a_part_of_many_edges_looks_as_in_the_whole(qtbot: QtBot) -> None:
    view = shown(qtbot, run(STAR))
    view.viewport.zoom_reset()
    view.viewport.flight.stop()
    view.viewport.sharpen()
    whole = view.grab()
    part = QRect(300, 200, 350, 250)
    inner = part.adjusted(2, 2, -2, -2)
    alone = view.grab(part)
    again = alone.copy(inner.translated(-part.topLeft())).toImage()
    assert again == whole.copy(inner).toImage()
    assert len({again.pixel(x, y) for x in range(0, 340, 3) for y in range(0, 240, 3)}) > 3
