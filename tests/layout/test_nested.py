"""Groups in groups: frames hold what is in them, nothing overlaps, and an edge is one line through all borders."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from gradviz.layout.flat import Cancelled, Layouter
from gradviz.layout.nested import nested
from gradviz.layout.records import Floats, LayoutInput, LayoutResult, NestedInput, NestedResult, NotAGraphToLayOut
from tests.layout.drawings import random_graph
from tests.layout.nests import CLOSE, around, corners, made, overlaps, random_nest, standing_together, strangers

BOX = (90.0, 40.0)
RANDOM = [*range(6, 30), 157, 4_952, 4_992, 5_613]  # what once failed: a group that begins after the last box, rows
# that were broken on a slope


@pytest.fixture
def layouter() -> Layouter:
    return Layouter()


def drawn(graph: NestedInput, *, draft: bool = False) -> NestedResult:
    return nested(Layouter(), graph, draft=draft)


def row_of(count: int) -> Floats:
    return np.tile(BOX, (count, 1))


GRAPHS = {
    "nothing": made(np.zeros((0, 2)), [], [], []),
    "one box": made(row_of(1), [], [-1], []),
    "one box in a group": made(row_of(1), [], [0], [-1]),
    "a group with nothing in it": made(row_of(1), [], [-1], [-1]),
    "a group in a group and nothing else": made(np.zeros((0, 2)), [], [], [-1, 0]),
    "a chain through a group": made(row_of(3), [(0, 1), (1, 2)], [-1, 0, -1], [-1]),
    "past a group": made(row_of(3), [(0, 1), (1, 2), (0, 2)], [-1, 0, -1], [-1]),
    "through a group": made(row_of(4), [(0, 1), (0, 2), (1, 3), (2, 3)], [-1, 0, 0, -1], [-1]),
    "one tensor into a group three times": made(row_of(4), [(0, 1), (0, 2), (0, 3)], [-1, 0, 0, 0], [-1]),
    "from group to group": made(row_of(2), [(0, 1)], [1, 3], [-1, 0, -1, 2]),
    "groups in a circle": made(row_of(3), [(0, 1), (1, 2)], [0, 1, 0], [-1, -1]),
    "boxes in a circle": made(row_of(2), [(0, 1), (1, 0), (1, 1)], [-1, -1], []),
} | {f"random {number}": random_nest(number) for number in range(6)}


def must_hold(graph: NestedInput, drawing: NestedResult) -> None:
    """What is true of every drawing."""
    for low, high in standing_together(graph, drawing):
        assert overlaps(low, high) == 0
    for group, (low, high) in enumerate(standing_together(graph, drawing)[1:]):
        left, top, width, height = drawing.frames[group]
        assert width >= graph.header[group, 0]
        assert (low > (left, top + graph.header[group, 1])).all()
        assert (high < (left + width, top + height)).all()
    low, high = corners(drawing.centres, graph.sizes)
    assert len(drawing.starts) == len(graph.edges) + 1
    across, along = (0, 1) if graph.vertical else (1, 0)
    for edge, (tail, head) in enumerate(graph.edges.tolist()):
        route = drawing.route(edge)
        assert len(route) % 3 == 1
        for point, side, box, port in ((route[0], high, tail, 0), (route[-1], low, head, 1)):
            assert abs(point[along] - side[box, along]) < CLOSE
            assert abs(point[across] - drawing.centres[box, across] - graph.ports[edge, port]) < CLOSE
        crossed = around(graph, int(graph.group[tail])) ^ around(graph, int(graph.group[head]))
        for frame in crossed:
            begin, size = drawing.frames[frame][[along, along + 2]]
            sides = (begin, begin + size)
            assert min(np.abs(route[::3, along] - side).min() for side in sides) < CLOSE, "it passes where a piece ends"
    everything = np.concatenate((low, high, drawing.points, drawing.frames[:, :2]))
    assert np.isfinite(everything).all()
    assert (everything > -CLOSE).all()
    assert (everything < np.array(drawing.size) + CLOSE).all()


@pytest.mark.parametrize("vertical", [False, True], ids=["rightwards", "downwards"])
@pytest.mark.parametrize("name", GRAPHS)
def test_what_holds_of_every_drawing(name: str, vertical: bool, layouter: Layouter) -> None:
    graph = replace(GRAPHS[name], vertical=vertical)
    drawing = nested(layouter, graph)
    must_hold(graph, drawing)
    assert strangers(graph, drawing) == []


@pytest.mark.parametrize("vertical", [False, True], ids=["rightwards", "downwards"])
@pytest.mark.parametrize("number", RANDOM)
def test_what_holds_of_any_drawing(number: int, vertical: bool) -> None:
    graph = random_nest(number, vertical=vertical)
    drawing = drawn(graph)
    must_hold(graph, drawing)
    assert strangers(graph, drawing) == []


@pytest.mark.parametrize("number", RANDOM)
def test_a_draft_is_a_drawing_too(number: int) -> None:
    graph = random_nest(number)
    must_hold(graph, drawn(graph, draft=True))


@pytest.mark.parametrize("number", [1, 7, 12])
def test_same_graph_same_drawing(number: int) -> None:
    first, second = drawn(random_nest(number)), drawn(random_nest(number))
    np.testing.assert_array_equal(first.centres, second.centres)
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.frames, second.frames)


def test_downwards_without_groups_is_the_drawing_to_the_right_turned() -> None:
    graph = random_graph(30)
    lying = made(graph.sizes, graph.edges.tolist(), [-1] * 30, [])
    standing = replace(lying, sizes=lying.sizes[:, ::-1].copy(), vertical=True)
    layouter = Layouter(rows=False)
    first, second = nested(layouter, lying), nested(layouter, standing)
    np.testing.assert_allclose(first.centres, second.centres[:, ::-1])
    np.testing.assert_allclose(first.points, second.points[:, ::-1])


def blocks(count: int) -> NestedInput:
    """A chain through equal groups of three boxes."""
    boxes = 3 * count
    chain = [(box, box + 1) for box in range(boxes - 1)]
    return made(row_of(boxes), chain, [box // 3 for box in range(boxes)], [-1] * count)


def test_equal_groups_are_laid_out_once(layouter: Layouter, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def drawing(graph: LayoutInput, *, draft: bool = False, upright: bool = False) -> LayoutResult:
        asked.append(len(graph.sizes))
        return Layouter.drawing(layouter, graph, draft=draft, upright=upright)

    monkeypatch.setattr(layouter, "drawing", drawing)
    nested(layouter, blocks(100))
    assert len(asked) == 4, "the first, the last, those between, and the whole"


def test_a_chain_through_groups_is_straight() -> None:
    drawing = nested(Layouter(rows=False), blocks(3))
    assert np.ptp(drawing.points[:, 1]) < CLOSE


def test_a_tensor_enters_a_group_once(layouter: Layouter) -> None:
    graph = GRAPHS["one tensor into a group three times"]
    drawing = nested(layouter, graph)
    left = drawing.frames[0, 0]
    entries = {
        tuple(point.round(3)) for edge in range(3) for point in drawing.route(edge)[::3] if abs(point[0] - left) < CLOSE
    }
    assert len(entries) == 1


def test_a_thousand_levels(layouter: Layouter) -> None:
    count = 1_000
    chain = [(box, box + 1) for box in range(count - 1)]
    drawing = nested(layouter, made(row_of(count), chain, list(range(count)), list(range(-1, count - 1))))
    low, high = drawing.frames[:, :2], drawing.frames[:, :2] + drawing.frames[:, 2:]
    assert (low[1:] > low[:-1]).all()
    assert (high[1:] < high[:-1]).all()


def test_twenty_thousand_groups(layouter: Layouter) -> None:
    graph = blocks(20_000)
    drawing = nested(layouter, graph)
    left, right = drawing.frames[:, 0], drawing.frames[:, 0] + drawing.frames[:, 2]
    row = np.flatnonzero(np.diff(drawing.frames[:, 1]) == 0)
    assert len(row) > 10_000
    assert (left[row + 1] > right[row]).all()
    assert np.isfinite(drawing.points).all()


def test_progress_is_told(layouter: Layouter) -> None:
    heard: list[tuple[int, int]] = []
    nested(layouter, GRAPHS["from group to group"], progress=lambda done, of: heard.append((done, of)))
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_cancelled_from_another_thread_wherever_it_is() -> None:
    graph = random_graph(2_500)
    flat = made(graph.sizes, graph.edges.tolist(), [-1] * 2_500, [])
    for wait in (0.0, 0.05, 0.15):
        layouter = Layouter()
        timer = threading.Timer(wait, layouter.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            for _ in range(1_000):
                nested(layouter, flat, draft=True)
        timer.join()


def test_a_request_that_begins_forgets_that_the_last_was_cancelled(layouter: Layouter) -> None:
    layouter.cancel()
    with pytest.raises(Cancelled):
        nested(layouter, blocks(2))
    layouter.begin()
    assert nested(layouter, blocks(2)).size[0] > 0


@pytest.mark.parametrize(
    ("group", "parent", "message"),
    [([1], [-1], "not among"), ([0], [0], "before"), ([0], [-2], "before"), ([0, 0], [-1], "one number a box")],
)
def test_bad_groups_are_refused(group: list[int], parent: list[int], message: str) -> None:
    with pytest.raises(NotAGraphToLayOut, match=message):
        made(row_of(1), [], group, parent)
