"""The layout: no overlaps, no edge through a box, arguments in order, the same every time, and always an answer."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gradviz.layout.flat import NARROW, Layouter, crossings, wrap
from gradviz.layout.layered import layered
from gradviz.layout.records import LayoutInput, LayoutResult, NotAGraphToLayOut, layout_input
from gradviz.layout.rows import GRAPH_GAP, stack
from tests.layout.drawings import CARD, autograd_like, overlapping, passing_through, random_graph, recurrence, sampled

REFERENCE = {
    "y = w * x + b": [(["w", "x"], "wx"), (["wx", "b"], "y")],
    "y = w * x + b; z = y * w": [(["w", "x"], "wx"), (["wx", "b"], "y"), (["y", "w"], "z")],
    "x * x": [(["x", "x"], "y")],
    "two paths": [(["v"], "a"), (["w"], "c"), (["a", "c"], "d"), (["d", "v"], "e"), (["e", "w"], "r")],
    "mean of squares": [(["x"], "y"), (["y", "y"], "yy"), (["yy"], "z"), (["z"], "out")],
    "two layers": [
        (["x", "w1", "b1"], "a"),
        (["a"], "h"),
        (["h", "w2", "b2"], "o"),
        (["o", "t"], "l"),
    ],
}
GRAPHS = {name: autograd_like(operations)[0] for name, operations in REFERENCE.items()} | {
    "recurrence": recurrence(30),
    "random": random_graph(120),
    "one box": layout_input(np.array([[100.0, 50.0]]), np.zeros((0, 2), np.int64)),
    "two apart": layout_input(np.array([[100.0, 50.0], [80.0, 40.0]]), np.zeros((0, 2), np.int64)),
}


@pytest.fixture
def layouter() -> Layouter:
    return Layouter(rows=False)


@cache
def drawings(name: str) -> list[LayoutResult]:
    """A graph in every way. The tests of one are neighbours (`scope`), in one process."""
    graph, ways = GRAPHS[name], [(left, bundled) for left in (True, False) for bundled in (True, False)]
    own = Layouter(rows=False).layout(graph)
    return [*(layered(graph, from_left=left, bundled=bundled) for left, bundled in ways), own]


@pytest.mark.parametrize("name", GRAPHS, scope="module")
def test_no_boxes_overlap_and_no_edge_runs_through_a_box(name: str) -> None:
    graph = GRAPHS[name]
    for drawing in drawings(name):
        assert overlapping(graph, drawing) == 0
        assert passing_through(graph, drawing) == []


@pytest.mark.parametrize("name", GRAPHS, scope="module")
def test_edges_go_from_side_to_side_and_to_the_right(name: str) -> None:
    graph = GRAPHS[name]
    for drawing in drawings(name):
        assert len(drawing.starts) == len(graph.edges) + 1
        for edge, (tail, head) in enumerate(graph.edges.tolist()):
            route = drawing.route(edge)
            begin = drawing.centres[tail] + (graph.sizes[tail, 0] / 2, graph.ports[edge, 0])
            end = drawing.centres[head] + (-graph.sizes[head, 0] / 2, graph.ports[edge, 1])
            np.testing.assert_allclose(route[0], begin, atol=1e-6)
            np.testing.assert_allclose(route[-1], end, atol=1e-6)
            assert begin[0] < end[0]
            assert len(route) % 3 == 1


@pytest.mark.parametrize("name", GRAPHS, scope="module")
def test_the_drawing_fits_its_size(name: str) -> None:
    graph = GRAPHS[name]
    for drawing in drawings(name):
        assert (drawing.centres - graph.sizes / 2 > -0.01).all()
        assert (drawing.centres + graph.sizes / 2 < np.array(drawing.size) + 0.01).all()


def test_arguments_of_one_tensor_used_twice_arrive_at_two_places(layouter: Layouter) -> None:
    graph, _ = autograd_like([(["x", "x"], "y")])
    first, second = (sampled(layouter.layout(graph).route(edge)) for edge in (0, 1))
    assert first[-1][1] < second[-1][1]
    x = (first[0][0] + first[-1][0]) / 2
    assert np.interp(x, *second.T) - np.interp(x, *first.T) > 2, "the two edges are apart along the way"


def test_same_graph_same_drawing() -> None:
    one, other = (Layouter().layout(random_graph(80, seed=3)) for _ in range(2))
    np.testing.assert_array_equal(one.centres, other.centres)
    np.testing.assert_array_equal(one.points, other.points)
    np.testing.assert_array_equal(layered(random_graph(80)).points, layered(random_graph(80)).points)


def test_the_same_structure_is_laid_out_once(layouter: Layouter) -> None:
    assert layouter.layout(recurrence(5)) is layouter.layout(recurrence(5))
    assert layouter.layout(recurrence(5)) is not layouter.layout(recurrence(6))


def test_a_wide_drawing_stays_exact(layouter: Layouter) -> None:
    count = 3000
    graph = layout_input(np.full((count, 2), 60.0), np.column_stack((np.arange(count - 1), np.arange(1, count))))
    steps = np.diff(layouter.layout(graph).centres[:, 0])
    np.testing.assert_allclose(steps, steps[0], atol=0.05)


@pytest.mark.parametrize(
    ("boxes", "edges"),
    [
        (20_000, [(i, i + 1) for i in range(19_999)]),
        (20_000, [(i, i + d) for i in range(0, 19_998, 2) for d in (1, 2)] + [(i, i + 1) for i in range(1, 19_998, 2)]),
        (1_001, [(0, i) for i in range(1, 1_001)]),
        (602, [(0, i) for i in range(1, 601)] + [(i, i + 1) for i in range(1, 601)]),
        (0, []),
    ],
)
def test_our_own_drawing_is_there_whatever_the_graph(boxes: int, edges: list[tuple[int, int]]) -> None:
    graph = layout_input(np.full((boxes, 2), 60.0), np.array(edges, np.int64))
    for thorough in (False, True):
        drawing = layered(graph, thorough=thorough)
        assert len(drawing.centres) == boxes
        assert np.isfinite(drawing.points).all()


def test_bad_input_is_refused_before_anything_is_drawn() -> None:
    with pytest.raises(NotAGraphToLayOut, match="cycle"):
        layered(layout_input(np.full((2, 2), 9.0), np.array([[0, 1], [1, 0]])))
    with pytest.raises(NotAGraphToLayOut, match="not among"):
        layout_input(np.full((2, 2), 9.0), np.array([[0, 2]]))
    with pytest.raises(NotAGraphToLayOut, match="ports"):
        layout_input(np.full((2, 2), 9.0), np.array([[0, 1]]), np.zeros((2, 2)))


@pytest.mark.parametrize("graph", [recurrence(6), recurrence(40), random_graph(150, seed=5)], ids=["6", "40", "random"])
def test_a_wide_drawing_is_broken_into_rows(graph: LayoutInput, layouter: Layouter) -> None:
    flat = layouter.layout(graph)
    rows = wrap(graph, flat)
    assert rows.size[0] < flat.size[0] / 1.5
    assert rows.size[1] > flat.size[1]
    assert overlapping(graph, rows) == 0
    assert passing_through(graph, rows) == []
    for edge, (tail, head) in enumerate(graph.edges.tolist()):
        route = rows.route(edge)
        assert len(route) % 3 == 1
        np.testing.assert_allclose(route[0, 0], rows.centres[tail, 0] + graph.sizes[tail, 0] / 2, atol=1e-6)
        np.testing.assert_allclose(route[-1, 0], rows.centres[head, 0] - graph.sizes[head, 0] / 2, atol=1e-6)
    assert (rows.points > -0.01).all()


@pytest.mark.parametrize("name", REFERENCE)
def test_a_drawing_that_can_be_read_on_one_line_stays_there(name: str, layouter: Layouter) -> None:
    drawing = layouter.layout(GRAPHS[name])
    assert wrap(GRAPHS[name], drawing) is drawing or drawing.size[0] > NARROW


def test_graphs_shown_together_stand_apart_and_others_may_share_a_place() -> None:
    tops = stack([100.0, 50.0, 70.0, 30.0], first=[0, 2, 8, 9], until=[5, 9, 12, 12])
    assert tops == [0.0, 100.0 + GRAPH_GAP, 0.0, 70.0 + GRAPH_GAP]
    assert stack([40.0] * 100, list(range(100)), list(range(1, 101))) == [0.0] * 100
    assert stack([], [], []) == []


def test_a_tensor_of_many_uses_is_one_line_that_branches() -> None:
    uses = 60
    edges = [(0, 1)]  # 0 is used by every second box from 1 on, whose results are summed up
    for use in range(uses):
        used, summed = 1 + 2 * use, 2 + 2 * use
        edges += [(0, used), (used, summed)] + ([(summed - 2, summed)] if use else [])
    graph = layout_input(np.tile(CARD, (2 * uses + 1, 1)), np.array(sorted(set(edges))))
    drawing = layered(graph)
    assert len(crossings(graph, drawing)) <= 2
    assert passing_through(graph, drawing) == []
