"""The layout: no overlaps, no edge through a box, arguments in order, the same every time, and always an answer."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gradviz.layout import process
from gradviz.layout.crossings import crossings, passes_a_box
from gradviz.layout.ladder import Cancelled, Layouter
from gradviz.layout.layered import layered
from gradviz.layout.packing import GRAPH_GAP, stack
from gradviz.layout.process import DotProcess, LayoutFailed, LayoutOverran
from gradviz.layout.records import LayoutInput, LayoutResult, NotAGraphToLayOut, layout_input
from gradviz.layout.wrap import NARROW, wrap
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
def layouter() -> Iterator[Layouter]:
    made = Layouter(rows=False)
    yield made
    made.close()


def engines(layouter: Layouter, graph: LayoutInput) -> dict[str, LayoutResult]:
    drawn = layouter._climb(graph)
    assert drawn is not None
    assert drawn.engine == "dot"
    return {"dot": drawn, "layered": layered(graph), "the ladder": layouter.layout(graph)}


@pytest.mark.parametrize("name", GRAPHS)
def test_no_boxes_overlap_and_no_edge_runs_through_a_box(name: str, layouter: Layouter) -> None:
    graph = GRAPHS[name]
    for drawing in engines(layouter, graph).values():
        assert overlapping(graph, drawing) == 0
        assert passing_through(graph, drawing) == []


@pytest.mark.parametrize("name", GRAPHS)
def test_edges_go_from_side_to_side_and_to_the_right(name: str, layouter: Layouter) -> None:
    graph = GRAPHS[name]
    for drawing in engines(layouter, graph).values():
        assert len(drawing.starts) == len(graph.edges) + 1
        for edge, (tail, head) in enumerate(graph.edges.tolist()):
            route = drawing.route(edge)
            begin = drawing.centres[tail] + (graph.sizes[tail, 0] / 2, graph.ports[edge, 0])
            end = drawing.centres[head] + (-graph.sizes[head, 0] / 2, graph.ports[edge, 1])
            np.testing.assert_allclose(route[0], begin, atol=1e-6)
            np.testing.assert_allclose(route[-1], end, atol=1e-6)
            assert begin[0] < end[0]
            assert len(route) % 3 == 1


@pytest.mark.parametrize("name", GRAPHS)
def test_the_drawing_fits_its_size(name: str, layouter: Layouter) -> None:
    graph = GRAPHS[name]
    for drawing in engines(layouter, graph).values():
        assert (drawing.centres - graph.sizes / 2 > -0.01).all()
        assert (drawing.centres + graph.sizes / 2 < np.array(drawing.size) + 0.01).all()


def test_arguments_of_one_tensor_used_twice_arrive_at_two_places(layouter: Layouter) -> None:
    graph, _ = autograd_like([(["x", "x"], "y")])
    first, second = (sampled(layouter.layout(graph).route(edge)) for edge in (0, 1))
    assert first[-1][1] < second[-1][1]
    x = (first[0][0] + first[-1][0]) / 2
    assert np.interp(x, *second.T) - np.interp(x, *first.T) > 2, "the two edges are apart along the way"


def test_same_graph_same_drawing() -> None:
    drawings = []
    for _ in range(2):
        layouter = Layouter()
        drawings.append(layouter.layout(random_graph(80, seed=3)))
        layouter.close()
    np.testing.assert_array_equal(drawings[0].centres, drawings[1].centres)
    np.testing.assert_array_equal(drawings[0].points, drawings[1].points)
    np.testing.assert_array_equal(layered(random_graph(80)).points, layered(random_graph(80)).points)


def test_the_same_structure_is_laid_out_once(layouter: Layouter) -> None:
    assert layouter.layout(recurrence(5)) is layouter.layout(recurrence(5))
    assert layouter.layout(recurrence(5)) is not layouter.layout(recurrence(6))


def test_a_wide_drawing_stays_exact(layouter: Layouter) -> None:
    count = 3000
    graph = layout_input(np.full((count, 2), 60.0), np.column_stack((np.arange(count - 1), np.arange(1, count))))
    steps = np.diff(layouter.layout(graph).centres[:, 0])
    np.testing.assert_allclose(steps, steps[0], atol=0.05)


def test_graphviz_is_killed_when_it_overruns_and_the_next_graph_gets_a_new_one() -> None:
    dot = DotProcess()
    try:
        with pytest.raises(LayoutOverran):
            dot.draw(random_graph(1500), False, 0.05)
        assert dot.draw(recurrence(2), False, 20.0).engine == "dot"
    finally:
        dot.close()
    with pytest.raises(LayoutFailed, match="closed"):
        dot.start()


def test_a_process_that_sleeps_is_killed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It uses no processor time, by which it would end itself."""
    monkeypatch.setattr(process, "command", lambda: [sys.executable, "-c", "import time; time.sleep(50)"])
    dot = DotProcess()
    try:
        with pytest.raises(LayoutOverran, match="took longer than"):
            dot.draw(recurrence(2), False, 0.1)
    finally:
        dot.close()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer of the processor")
def test_graphviz_ends_itself_by_its_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes on the clock of a busy machine."""
    monkeypatch.setattr(process, "PATIENCE", 500.0)
    dot = DotProcess()
    try:
        with pytest.raises(LayoutOverran, match="worked longer than"):
            dot.draw(random_graph(1500), False, 0.05)
    finally:
        dot.close()


def test_the_ladder_ends_in_our_own_drawing_when_graphviz_overruns() -> None:
    layouter = Layouter(budgets=((False, 0.0), (True, 0.0)))
    drawing = layouter.layout(random_graph(300))
    layouter.close()
    assert drawing.engine == "layered"


def test_the_ladder_ends_in_our_own_drawing_without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "graphviz_is_here", lambda: False)
    layouter = Layouter()
    assert layouter.layout(recurrence(3)).engine == "layered"
    layouter.close()


def test_a_process_that_dies_is_reported_and_replaced() -> None:
    dot = DotProcess()
    dot.start()
    assert dot._child is not None
    dot._child.kill()
    dot._child.wait()
    assert dot.draw(recurrence(2), False, 20.0).engine == "dot"
    dot.close()


def test_a_file_of_the_users_folder_is_not_taken_for_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pygraphviz.py").write_text("raise SystemExit(3)")
    (tmp_path / "struct.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    dot = DotProcess()
    assert dot.draw(recurrence(2), False, 20.0).engine == "dot"
    dot.close()


def test_the_rough_draft_is_a_drawing_too() -> None:
    dot = DotProcess()
    drawing = dot.draw(recurrence(20), True, 20.0)
    dot.close()
    assert drawing.engine == "dot, rough"
    assert overlapping(recurrence(20), drawing) == 0


def test_cancel_from_another_thread() -> None:
    layouter = Layouter(budgets=((False, 60.0),))
    layouter.start()
    timer = threading.Timer(0.3, layouter.cancel)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        layouter.layout(random_graph(2900))
    assert time.monotonic() - began < 20
    timer.join()
    layouter.close()


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


def test_whether_an_edge_runs_through_a_box() -> None:
    graph = layout_input(np.tile((40.0, 40.0), (3, 1)), np.array([(0, 2)]))
    straight = np.column_stack((np.linspace(20, 180, 4), np.full(4, 0.0)))
    for between, expected in ((0.0, True), (60.0, False)):
        centres = np.array([(0.0, 0.0), (100.0, between), (200.0, 0.0)])
        drawing = LayoutResult(centres, straight, np.array([0, 4]), (0.0, 0.0), "by hand")
        assert passes_a_box(graph, drawing) is expected
    back = straight[::-1] - (40.0, 0.0)
    home = LayoutResult(centres, back, np.array([0, 4]), (0.0, 0.0), "by hand")
    assert passes_a_box(graph, home), "back through its own first box"
