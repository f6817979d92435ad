"""What is counted as a crossing, and that the drawings have few."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.layout.flat import FEW_CROSSINGS, VARIANTS, Layouter, _settled, crossings
from gradviz.layout.layered import layered
from gradviz.layout.records import LayoutInput, LayoutResult, layout_input
from tests.layout.drawings import autograd_like, random_graph, recurrence

FOUR = np.array([[0.0, 0.0], [0.0, 200.0], [300.0, 0.0], [300.0, 200.0]])


@pytest.fixture
def layouter() -> Layouter:
    return Layouter(rows=False)


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ([(0, 2), (1, 3)], []),
        ([(0, 3), (1, 2)], [[0, 1]]),
        ([(0, 2), (0, 3)], []),
        ([(0, 3), (1, 3)], []),
        ([], []),
    ],
    ids=["beside each other", "across", "from one box", "into one box", "none"],
)
def test_what_a_crossing_is(edges: list[tuple[int, int]], found: list[list[int]]) -> None:
    graph = layout_input(np.full((4, 2), 40.0), np.array(edges))
    half = np.array([20.0, 0.0])
    begin, end = FOUR[graph.edges[:, 0]] + half, FOUR[graph.edges[:, 1]] - half
    reach = np.array([60.0, 0.0])
    points = np.stack((begin, begin + reach, end - reach, end), axis=1).reshape(-1, 2)
    drawing = LayoutResult(FOUR, points, 4 * np.arange(len(edges) + 1), (340.0, 240.0), "by hand")
    assert crossings(graph, drawing).tolist() == found


@pytest.mark.parametrize("steps", [1, 10, 60])
def test_a_recurrence_has_no_crossing(steps: int) -> None:
    graph = recurrence(steps)
    assert len(crossings(graph, layered(graph))) == 0


@pytest.mark.parametrize("seed", range(4))
def test_a_tree_has_no_crossing(seed: int) -> None:
    dice = np.random.default_rng(seed)
    edges = [(int(dice.integers(0, box)), box) for box in range(1, 80)]
    graph = layout_input(np.full((80, 2), 50.0), np.array(edges))
    assert len(crossings(graph, layered(graph))) == 0


@pytest.mark.parametrize("seed", range(4))
def test_other_drawings_are_tried_where_edges_cross(seed: int, layouter: Layouter) -> None:
    graph = random_graph(60, seed)
    ways = [(True, True), *VARIANTS]
    variants = [_settled(graph, layered(graph, from_left=left, bundled=bundled)) for left, bundled in ways]
    fewest = min(len(crossings(graph, each)) for each in variants)
    assert len(crossings(graph, layouter.layout(graph))) == fewest


def test_lines_that_cross_others_where_they_share_their_way_go_apart(layouter: Layouter) -> None:
    """Of a star whose points have an argument each that stands between."""
    sizes = np.array([(1.0, 1.0)] + [(200.0, 300.0), (100.0, 60.0)] * 8)
    edges = [(0, point) for point in range(1, 17, 2)] + [(point + 1, point) for point in range(1, 17, 2)]
    ports = np.array([(0.0, 30.0)] * 8 + [(0.0, -30.0)] * 8)
    graph = LayoutInput(sizes, np.array(edges), ports, np.array([-1] + [0] * 16))
    assert len(crossings(graph, layered(graph))) > FEW_CROSSINGS
    assert len(crossings(graph, layouter.layout(graph))) <= FEW_CROSSINGS


def test_the_main_line_is_straight() -> None:
    operations = [([f"h{n}", f"w{n}", f"b{n}"], f"h{n + 1}") for n in range(8)]
    graph, names = autograd_like(operations)
    y = layered(graph).centres[:, 1]
    line = [y[names.index(f"h{n}")] for n in range(1, 9)] + [y[names.index(f"op{n}")] for n in range(8)]
    np.testing.assert_allclose(line, line[0])


def test_a_skip_connection_runs_level_past_the_boxes() -> None:
    operations = [(["x", "w"], "a"), (["a"], "b"), (["b", "v"], "c"), (["c", "x"], "y")]
    graph, names = autograd_like(operations)
    drawing = layered(graph)
    skip = graph.edges.tolist().index([names.index("x"), names.index("op3")])
    route = drawing.route(skip)
    level = np.abs(np.diff(route[::3, 1])) < 0.01
    assert np.diff(route[::3, 0])[level].max() > 500
