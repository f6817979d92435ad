"""What keeps a layout from taking for ever: how its work grows is counted in lines of code that run, and what is too
large for a good drawing gets a simple one. Nothing here looks at a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

from gradviz.layout import flat, nested
from gradviz.layout.flat import Layouter, crossings, work_of_crossings
from gradviz.layout.layered import TOO_HIGH, layered
from gradviz.layout.ordering import FEW_HOPS, MOST_PASSED, Effort, _inversions, layers_of, mesh_of
from gradviz.layout.records import LayoutInput, LayoutResult, NestedInput
from gradviz.layout.rows import in_rows
from tests.layout.drawings import overlapping
from tests.layout.shapes import BOX, SHAPES, graph_of

GROWTH = 2.4  # times the work for twice the graph: sorting costs a little more than twice


@pytest.fixture
def layouter() -> Layouter:
    return Layouter()


def lines_run(act: Callable[[], object]) -> int:
    """How many lines of the layout run, each turn of a loop counted."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        nonlocal count
        if "layout" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_for_a_drawing_in_layers_grows_with_the_graph(shape: str) -> None:
    small, large = graph_of(shape, 250), graph_of(shape, 500)
    assert lines_run(lambda: layered(large)) < GROWTH * lines_run(lambda: layered(small))


def test_the_work_for_two_boxes_with_many_edges_each_grows_with_the_edges() -> None:
    small, large = (graph_of("hubs", boxes) for boxes in (800, 1600))
    assert lines_run(lambda: layered(large)) < GROWTH * lines_run(lambda: layered(small))


@pytest.mark.parametrize("count", [5, 300, FEW_HOPS + 5])
def test_crossings_of_few_and_of_many_hops_are_counted_alike(count: int) -> None:
    dice = np.random.default_rng(count)
    numbers = np.where(dice.random(count) < 0.5, dice.random(count), dice.integers(0, 5, count)).tolist()
    inversions = sum(int((np.array(numbers[:at]) > number).sum()) for at, number in enumerate(numbers))
    assert _inversions(numbers) == inversions


@pytest.mark.parametrize(("shape", "boxes"), [("chain", 1000), ("comb", 1000), ("grid", 900), ("scattered", 300)])
def test_a_thousand_boxes_stand_in_layers(shape: str, boxes: int, layouter: Layouter) -> None:
    graph = graph_of(shape, boxes)
    drawing = layouter.layout(graph)
    assert drawing.engine == "layered"
    assert max(drawing.size) <= flat.LONGEST
    assert overlapping(graph, drawing) == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_a_hundred_thousand_boxes_stand_in_rows(shape: str, layouter: Layouter) -> None:
    graph = graph_of(shape, 100_000)
    drawing = layouter.layout(graph)
    assert drawing.engine == "rows"
    assert max(drawing.size) < 50_000, "a page, not a line"
    assert len(drawing.points) == 4 * len(graph.edges)
    assert layouter.layout(graph) is drawing, "and are remembered so"


def test_what_would_be_too_long_in_layers_stands_in_rows(layouter: Layouter) -> None:
    boxes = int(flat.LONGEST / (BOX[1] + 20.0))
    drawing = layouter.layout(graph_of("star", boxes))
    assert drawing.engine == "rows"
    assert max(drawing.size) < flat.LONGEST / 10
    assert layouter.layout(graph_of("star", boxes // 2)).engine == "layered"


def test_rows_have_every_box_apart_in_order_and_edges_from_side_to_side() -> None:
    graph = graph_of("scattered", 300)
    sizes = np.random.default_rng(1).uniform(20, 200, (300, 2))
    graph = LayoutInput(sizes, graph.edges, graph.ports)
    drawing = in_rows(graph)
    assert overlapping(graph, drawing) == 0
    by_place = sorted(range(300), key=lambda box: (drawing.centres[box, 1], drawing.centres[box, 0]))
    assert by_place == list(range(300)), "as words on a page"
    tail, head = graph.edges.T
    begin = drawing.centres[tail] + np.column_stack((sizes[tail, 0] / 2, graph.ports[:, 0]))
    end = drawing.centres[head] + np.column_stack((-sizes[head, 0] / 2, graph.ports[:, 1]))
    np.testing.assert_allclose(drawing.points[0::4], begin)
    np.testing.assert_allclose(drawing.points[3::4], end)
    wide, high = drawing.size
    assert 1.2 < wide / high < 2.1


def test_rows_of_a_drawing_that_will_be_turned_are_a_page_then() -> None:
    wide, high = in_rows(graph_of("chain", 400), upright=True).size
    assert 1.2 < high / wide < 2.1


def test_what_passes_a_frame_stands_beside_the_rows() -> None:
    plain = graph_of("chain", 50)
    side = np.zeros(50, np.int64)
    side[:3], side[-2:] = -1, 1
    drawing = in_rows(LayoutInput(plain.sizes, plain.edges, plain.ports, side))
    x = drawing.centres[:, 0]
    assert x[:3].max() < x[3:-2].min()
    assert x[-2:].min() > x[3:-2].max()
    assert len({tuple(place) for place in drawing.centres.tolist()}) == 50


def test_the_teeth_of_a_comb_do_not_stand_in_stairs() -> None:
    graph = graph_of("comb", 400)
    drawing = layered(graph)
    highest = 4 * (BOX[1] + 24.0)
    assert drawing.size[1] < 2 * TOO_HIGH * highest


def test_the_points_of_routes_are_bounded() -> None:
    graph = graph_of("dense", 2000)
    far = np.column_stack((np.zeros(1999, np.int64), np.arange(1, 2000)))
    edges = np.unique(np.concatenate((graph.edges, far)), axis=0)
    graph = LayoutInput(graph.sizes, edges, np.zeros(edges.shape))
    mesh = mesh_of(graph, layers_of(graph, lambda: None))
    passed = len(mesh.path) - 2 * len(edges)
    assert 0 < passed <= MOST_PASSED


def test_crossings_are_not_counted_where_that_takes_long(layouter: Layouter, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(graph: LayoutInput, drawing: object) -> object:
        counted.append(work_of_crossings(drawing))  # type: ignore[arg-type]
        return crossings(graph, drawing)  # type: ignore[arg-type]

    monkeypatch.setattr(flat, "crossings", counting)
    layouter.layout(graph_of("scattered", 40))
    assert len(counted) == 1 + len(flat.VARIANTS), "of a small graph they are"
    layouter.layout(graph_of("scattered", 300))
    layouter.layout(graph_of("dense", 300))
    assert all(work <= flat.MOST_PAIRS_TO_COUNT for work in counted)
    before = len(counted)
    monkeypatch.setattr(flat, "MOST_PAIRS_TO_COUNT", 10)
    layouter.layout(graph_of("scattered", 42))
    assert len(counted) == before, "few points, and more pairs than there is time for"


def test_looks_are_counted_for_a_request_as_a_whole() -> None:
    graph, alone, together = graph_of("scattered", 150), Effort(), Effort(1_000_000)
    layered(graph, effort=alone)
    used = Effort().left - alone.left
    assert 8 * used > 2 * together.left, "there is not enough for all of them"
    for _ in range(8):
        layered(graph, effort=together)
    assert 1_000_000 - together.left < 8 * used * 0.75, "the later ones get little more than the least"


def test_a_request_has_room_for_so_many_boxes_in_layers(layouter: Layouter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "MOST_IN_LAYERS", 100)
    layouter.begin()
    engines = [layouter.drawing(graph_of("chain", boxes)).engine for boxes in (20, 22, 24, 26)]
    assert engines == ["layered", "layered", "rows", "rows"]
    layouter.begin()
    assert layouter.drawing(graph_of("chain", 24)).engine == "layered", "what alone has room is not remembered in rows"


def test_a_request_draws_so_many_boxes_again(layouter: Layouter, monkeypatch: pytest.MonkeyPatch) -> None:
    again: list[int] = []

    def drawing(graph: LayoutInput, *args: Any, **more: Any) -> LayoutResult:
        again.extend([len(graph.sizes)] * ("bundled" in more))
        return layered(graph, *args, **more)

    monkeypatch.setattr(flat, "layered", drawing)
    monkeypatch.setattr(flat, "MOST_BOXES_AGAIN_AT_ONCE", 100)
    layouter.begin()
    for boxes in (40, 42, 44, 46):
        layouter.drawing(graph_of("scattered", boxes))
    assert again == [40] * 3 + [42] * 3


def rows_of_loops(side: int) -> NestedInput:
    """A grid with each of its rows in a group: every tensor leaves one group for the next."""
    plain = graph_of("grid", side * side)
    header = np.full((side, 2), (80.0, 26.0))
    group = np.arange(side * side) // side
    return NestedInput(plain.sizes, plain.edges, plain.ports, group, np.full(side, -1), header)


def test_edges_run_straight_where_their_routes_would_have_too_many_points(
    layouter: Layouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = rows_of_loops(12)
    routed = nested.nested(layouter, graph)
    assert routed.engine == "layered"
    monkeypatch.setattr(nested, "MOST_POINTS", len(routed.points) - 1)
    layouter.begin()
    straight = nested.nested(layouter, graph)
    assert straight.engine == "straight"
    assert len(straight.points) == 4 * len(graph.edges)
    for edge in range(len(graph.edges)):
        np.testing.assert_allclose(straight.route(edge)[[0, -1]], routed.route(edge)[[0, -1]])


def test_a_nested_drawing_tells_that_some_of_it_stands_in_rows(
    layouter: Layouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flat, "MOST_IN_LAYERS", 60)
    layouter.begin()
    drawing = nested.nested(layouter, rows_of_loops(12))
    assert drawing.engine == "rows"
