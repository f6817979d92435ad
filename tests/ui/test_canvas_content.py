"""What the canvas says and shows at a cursor, without a widget: cards, badges, tabs, gradients on edges, errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import Value
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.brief import Briefs
from gradviz.ui.canvas.content import (
    OperationContent,
    ReferenceContent,
    Tab,
    TensorContent,
    cell_text,
    content,
    short_reason,
    value_content,
)  # fmt: skip
from gradviz.ui.canvas.diagram import CONSTANT, LEAF, OUTPUT, REFERENCE, TENSOR
from gradviz.ui.canvas.edge_painter import dashes, in_area, seen_length
from gradviz.ui.canvas.heat import BEYOND, GAP, INFINITE, MISSING, cells, picture
from gradviz.ui.canvas.hover_words import html, words
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.item_painter import cell_in, paint_operation
from gradviz.ui.canvas.moment import BAD_FLOW, FLOW, NO_FLOW, ZERO_FLOW
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.theme import DARK, LIGHT, Theme
from tests.trace.sample import ADD, MUL1, MUL2, WX, B, W, X, Y, Z, sample_trace
from tests.ui.canvas_fixtures import ARRAYS, CHAIN, LOOP, NOT_FINITE, RECURRENCE, STALE, run, scene_of

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def trace() -> Trace:
    return sample_trace()


@pytest.fixture
def scene(qapp: QApplication, trace: Trace) -> Scene:
    return scene_of(trace)


def card(scene: Scene, tensor: int) -> TensorContent:
    says = content(scene.placed.diagram, scene.moment.frame, scene.find("tensor", tensor))
    assert isinstance(says, TensorContent)
    return says


def operation(scene: Scene, node: int) -> OperationContent:
    says = content(scene.placed.diagram, scene.moment.frame, scene.find("node", node))
    assert isinstance(says, OperationContent)
    return says


def cursor_where(scene: Scene, found: object) -> int:
    """The first cursor at which a question is answered with yes."""
    for cursor in range(len(scene.trace) + 1):
        scene.move_to(cursor)
        if found(scene):  # type: ignore[operator]
            return cursor
    raise AssertionError("at no cursor")


def test_cards_say_what_the_snippet_says(scene: Scene) -> None:
    scene.move_to(6)
    assert [card(scene, tensor).name for tensor in (X, W, B, WX)] == ["x", "w", "b", "w * x"]
    assert [card(scene, tensor).category for tensor in (X, W, Z)] == [CONSTANT, LEAF, OUTPUT]
    assert card(scene, W).meta == "leaf · float32"
    assert card(scene, W).value.text == "3"
    assert card(scene, X).note == "requires_grad=False"
    assert (card(scene, W).label, card(scene, W).note) == (".grad", "")


def test_one_of_two_arrived_then_the_sum_then_grad(scene: Scene) -> None:
    waiting = cursor_where(scene, lambda s: card(s, W).badge is not None)
    badge = card(scene, W).badge
    assert badge is not None
    assert (badge.sums[0], badge.count, badge.complete) == ("Σ 7 + …", "1 of 2 arrived", False)
    assert card(scene, W).grad is not None and card(scene, W).grad.text == "None"
    complete = cursor_where(scene, lambda s: (b := card(s, W).badge) is not None and b.complete)
    badge = card(scene, W).badge
    assert badge is not None
    assert (badge.sums[0], badge.count) == ("Σ 7 + 6 = 13", "2 of 2 arrived")
    stored = cursor_where(scene, lambda s: card(s, W).grad.text == "13")
    assert waiting < complete < stored


def test_a_passing_gradient_is_not_stored(scene: Scene) -> None:
    cursor_where(scene, lambda s: card(s, Y).label == "∇ passing")
    assert card(scene, Y).note == "not stored"
    assert card(scene, Y).grad is not None


@pytest.mark.parametrize(
    ("meta", "version", "ways"),
    [
        ("leaf · float32 [2, 3]", 0, ["leaf · float32 [2, 3]", "leaf · [2, 3]", "leaf"]),
        ("float32 [2, 3]", 2, ["v2 · float32 [2, 3]", "float32 [2, 3]", "[2, 3]"]),
        ("output · float32", 0, ["output · float32", "output"]),
        ("float32", 0, ["float32"]),
    ],
)
def test_a_header_gives_up_the_version_and_the_dtype_before_the_name_is_cut(
    scene: Scene, meta: str, version: int, ways: list[str]
) -> None:
    assert replace(card(scene, Y), meta=meta, version=version).metas == ways


@pytest.mark.parametrize(
    ("note", "ways"),
    [
        ("arrives at step 12, not stored", ["arrives at step 12, not stored", "arrives at step 12"]),
        ("set to None at line 27", ["set to None at line 27", "set to None"]),
        ("stopped by the error", ["stopped by the error", "stopped"]),
        ("not reached from d_loss", ["not reached from d_loss", "not reached"]),
        ("written at step 16", ["written at step 16"]),
        ("no input requires grad", ["no input requires grad", "not tracked"]),
        ("bool has no gradients", ["bool has no gradients", "no gradients"]),
        ("made after backward", ["made after backward", "made later"]),
        ("a constant gradient", ["a constant gradient", "constant"]),
        ("requires_grad=False", ["requires_grad=False", "constant"]),
    ],
)
def test_a_note_that_does_not_fit_ends_sooner(scene: Scene, note: str, ways: list[str]) -> None:
    assert replace(card(scene, Y), note=note).notes == ways


def test_saved_buffers_are_held_then_freed(scene: Scene) -> None:
    scene.move_to(6)
    assert [(tab.name, tab.state) for tab in operation(scene, MUL2).tabs] == [("w", "held"), ("y", "held")]
    assert operation(scene, ADD).tabs == ()
    scene.move_to(len(scene.trace))
    assert {tab.state for tab in operation(scene, MUL2).tabs} == {"freed"}


def test_the_error_marks_the_operation_with_a_reason(scene: Scene) -> None:
    assert scene.moment.failed == ((scene.find("node", MUL2), "freed w and y at step 9"),)
    scene.move_to(len(scene.trace) - 1)
    assert scene.moment.failed == ()


def test_the_halo_is_on_what_the_step_is_about(scene: Scene) -> None:
    current = []
    for cursor in range(len(scene.trace) + 1):
        scene.move_to(cursor)
        current.append(scene.moment.current)
    assert current[0] == ()
    assert current[1] == (scene.find("tensor", X),)
    assert current[4] == (scene.find("node", MUL1),)
    assert all(len(items) <= 1 for items in current)


def test_gradients_are_on_the_edges_where_they_flowed(scene: Scene) -> None:
    diagram = scene.placed.diagram
    scene.move_to(6)
    assert (scene.moment.flow == NO_FLOW).all()
    assert scene.moment.edges.all()
    cursor_where(scene, lambda s: bool(s.moment.ran[s.find("node", MUL2)]))
    flowing = {tuple(edge) for edge in diagram.edges[scene.moment.flow == FLOW].tolist()}
    at = scene.find
    assert flowing == {
        (at("tensor", Y), at("node", MUL2)), (at("tensor", W), at("node", MUL2)), (at("node", MUL2), at("tensor", Z)),
    }  # fmt: skip
    assert {tuple(edge) for edge in diagram.edges[scene.moment.now].tolist()} == flowing
    last = scene.moment.norm[scene.moment.flow == FLOW]
    assert sorted(last.tolist()) == [1.0, 3.0, 7.0]


def test_stepping_back_shows_exactly_what_was_seen(scene: Scene) -> None:
    def state(cursor: int) -> tuple[object, ...]:
        scene.move_to(cursor)
        now, diagram = scene.moment, scene.placed.diagram
        says = [content(diagram, now.frame, item) for item in np.flatnonzero(now.items).tolist()]
        arrays = (now.items, now.edges, now.ran, now.flow, now.now, np.nan_to_num(now.norm, nan=-1.0))
        return *(array.tolist() for array in arrays), now.current, now.failed, says

    cursors = list(range(len(scene.trace) + 1))
    forwards = [state(cursor) for cursor in cursors]
    backwards = [state(cursor) for cursor in reversed(cursors)]
    assert forwards == backwards[::-1]


ALL_KINDS = """import torch
a = torch.tensor([2., 3.], requires_grad=True)
b = torch.ones(2)
with torch.no_grad():
    c = a * b
y = (a * b).exp()
y.retain_grad()
z = y * a
z.register_hook(lambda grad: grad * 2)
z.sum().backward()
for turn in range(3):
    with torch.no_grad():
        a -= 0.1 * a.grad
    a.grad = None
    (a * a * b).sum().backward()
saved = a.exp()
saved += 1
saved.sum().backward()
"""


@pytest.mark.parametrize("code", [ALL_KINDS, LOOP, NOT_FINITE], ids=["all kinds", "loop", "not finite"])
def test_what_is_kept_from_step_to_step_is_what_is_said(qapp: QApplication, code: str) -> None:
    scene = scene_of(run(code))
    diagram, painter, cursors = scene.placed.diagram, scene.painter, list(range(len(scene.trace) + 1))
    for cursor in cursors[::-1] + cursors + cursors[::-7]:
        scene.move_to(cursor)
        now = scene.moment
        briefs = Briefs(now.frame)
        for item in np.flatnonzero(now.items).tolist():
            whole = content(diagram, now.frame, item)
            assert painter._says(now, item) == whole
            group = diagram.kind[item] > REFERENCE
            assert painter._says_briefly(now, item) == (whole if group else briefs.of(diagram, item))


EVERYWHERE = (-np.inf, -np.inf, np.inf, np.inf)
STAR = """import torch
x = torch.tensor(1., requires_grad=True)
hub = x * 2.
total = torch.stack([hub * 3. for i in range(300)]).sum()
total.backward()
"""


def test_nothing_moves_and_nothing_overlaps(scene: Scene) -> None:
    corners = scene.placed.corner.copy()
    for cursor in range(len(scene.trace) + 1):
        scene.move_to(cursor)
    np.testing.assert_array_equal(corners, scene.placed.corner)
    low, high = scene.placed.corner, scene.placed.corner + scene.placed.diagram.size
    both = ((low[:, None] < high[None]) & (low[None] < high[:, None])).all(2)
    assert both.sum() == len(low)


def test_edges_end_at_the_cards_and_circles(scene: Scene) -> None:
    placed, diagram = scene.placed, scene.placed.diagram
    for edge, (tail, head) in enumerate(diagram.edges.tolist()):
        begin = placed.cubics[placed.first_cubic[edge], 0]
        end = placed.cubics[placed.first_cubic[edge + 1] - 1, 3]
        np.testing.assert_allclose(begin[0], placed.card_corner[tail, 0] + diagram.card[tail, 0], atol=0.5)
        on_circle = diagram.row[edge] >= 0
        reach = np.hypot(*(end - placed.centre[head])) if on_circle else end[0]
        np.testing.assert_allclose(reach, sizes.RADIUS if on_circle else placed.card_corner[head, 0], atol=0.5)
    for edge in range(len(diagram.edges)):
        pieces = placed.cubics[placed.first_cubic[edge] : placed.first_cubic[edge + 1]]
        np.testing.assert_allclose(pieces[1:, 0], pieces[:-1, 3], atol=1e-6)


def test_dashes_stay_on_their_edges(qapp: QApplication) -> None:
    trace = run(CHAIN.format(count=60))
    placed = scene_of(trace).placed
    for phase in (0.0, 0.4):
        cubics = np.arange(len(placed.cubics))
        lines, owner = dashes(placed, cubics, EVERYWHERE, 9.0, 6.0, np.full(len(cubics), phase))
        assert np.hypot(*(lines[:, 2:] - lines[:, :2]).T).max() < 4.6
        low, high = placed.cubic_bounds[:2, owner].T - 0.1, placed.cubic_bounds[2:, owner].T + 0.1
        assert ((lines[:, :2] >= low) & (lines[:, :2] <= high)).all()
    lengths = np.abs(np.diff(placed.cubics, axis=1)).sum((1, 2))
    assert lengths.min() > 0.01


def test_dashes_in_a_part_are_those_of_the_whole(qapp: QApplication) -> None:
    placed = scene_of(run(CHAIN.format(count=60))).placed
    cubics = np.arange(len(placed.cubics))
    area = (300.0, 50.0, 900.0, 400.0)
    for phase in (0.0, 0.4):
        phases = np.full(len(cubics), phase)
        whole, _ = dashes(placed, cubics, EVERYWHERE, 9.0, 6.0, phases)
        part, _ = dashes(placed, cubics, area, 9.0, 6.0, phases)
        np.testing.assert_array_equal(part[in_area(part, area)], whole[in_area(whole, area)])
        assert 0 < len(part) < len(whole) / 3


def test_dashes_of_long_edges_are_made_only_where_they_are_seen(qapp: QApplication) -> None:
    placed = scene_of(run(STAR)).placed
    cubics = np.arange(len(placed.cubics))
    area = (0.0, 1000.0, 600.0, 1400.0)
    lines, owner = dashes(placed, cubics, area, 9.0, 6.0, np.zeros(len(cubics)))
    met = len(np.unique(owner))
    assert met > 20
    assert len(lines) < 2 * met * (600 + 400 + 2 * 15) / 15


def test_an_edge_from_very_far_has_dashes_where_it_is_seen(qapp: QApplication) -> None:
    placed = scene_of(run(CHAIN.format(count=1))).placed
    cubics = placed.cubics.copy()
    cubics[0] = ((-1e9, 300.0), (-5e8, 300.0), (-5e8, 0.0), (0.0, 0.0))
    placed, far = replace(placed, cubics=cubics), np.zeros(1, np.int64)
    area = (-200.0, -200.0, 400.0, 200.0)
    lines, _ = dashes(placed, far, area, 9.0, 6.0, np.zeros(1))
    assert 2 * 200 / 15 - 2 <= len(lines) <= 2 * 200 / 15 + 4
    assert np.hypot(*(lines[1:-1, 2:] - lines[1:-1, :2]).T) == pytest.approx(4.5, abs=0.2)
    assert seen_length(placed, far, area) == pytest.approx(200, abs=1)
    assert seen_length(placed, far, (0.0, 1e6, 9.0, 2e6)) == 0.0
    assert seen_length(placed, far, (-200.0, 0.0, 0.0, 9.0)) > 0.0, "along the border"


def test_the_iterations_of_a_loop_keep_their_place(qapp: QApplication) -> None:
    trace = run(LOOP)
    scene = scene_of(trace)
    diagram = scene.placed.diagram
    assert len(diagram.first) == 6
    by_graph = [scene.placed.corner[diagram.graph == graph] for graph in range(6)]
    for corners in by_graph[1:]:
        np.testing.assert_array_equal(corners, by_graph[0])
    for cursor in range(1, len(trace) + 1):
        scene.move_to(cursor)
        assert scene.moment.graphs.sum() == 1


def test_a_leaf_with_many_uses_gets_tags(qapp: QApplication) -> None:
    scene = scene_of(run(RECURRENCE))
    diagram = scene.placed.diagram
    tags = np.flatnonzero(diagram.kind == REFERENCE)
    assert len(tags) == 11
    says = {content(diagram, scene.moment.frame, item) for item in tags.tolist()}
    assert says == {ReferenceContent("w", LEAF)}
    owners = diagram.edges[:, 0].tolist()
    assert all(owners.count(int(tag)) == 1 for tag in tags)
    chosen = scene.find("tensor", int(diagram.index[tags[0]]))
    assert diagram.kind[chosen] != REFERENCE


def test_a_contribution_is_shown_at_the_tag_that_it_comes_through(qapp: QApplication) -> None:
    trace = run(RECURRENCE)
    scene = scene_of(trace)
    kinds = []
    for cursor in range(1, len(trace) + 1):
        scene.move_to(cursor)
        step = scene.moment.frame.step
        if step is not None and step.kind == Kind.CONTRIBUTION and step.tensor == 0:
            kinds.append(int(scene.placed.diagram.kind[scene.moment.current[0]]))
    assert kinds == [REFERENCE] * 11 + [TENSOR]


TWO_GRAPHS = """import torch
w = torch.tensor(2., requires_grad=True)
a, b = w * w * 3, w * 5
b.backward()
a.backward()
"""


def test_a_parameter_of_two_graphs_is_looked_at_where_its_gradient_comes_from(qapp: QApplication) -> None:
    trace = run(TWO_GRAPHS)
    scene = scene_of(trace)
    places = []
    for cursor in range(1, len(trace) + 1):
        scene.move_to(cursor)
        if scene.moment.frame.step is not None and scene.moment.frame.step.kind == Kind.ACCUMULATE:
            places.append(int(scene.placed.diagram.graph[scene.moment.focus]))
    graph_of = scene.placed.diagram.graph[[scene.find("tensor", t) for t in trace.roots.tensor.tolist()]]
    assert len(set(places)) == 2 and places == graph_of.tolist()


def test_arrays_are_grids_of_numbers_or_pictures(qapp: QApplication) -> None:
    trace = run(ARRAYS)
    scene = scene_of(trace)
    by_name = {card(scene, t).name: card(scene, t) for t in range(len(trace.tensors)) if scene.find("tensor", t) >= 0}
    assert by_name["x"].value.cells == (("1", "-2"), ("3", "0"))
    assert by_name["x"].grad is not None and by_name["x"].grad.kind == "grid"
    assert by_name["big"].value.kind == "map"
    assert by_name["big"].value.summary == ("max 59", "min 0")


def test_one_small_matrix_is_its_numbers_whatever_dimensions_of_size_1_it_has() -> None:
    grids = {(3, 4): (3, 4), (1, 3, 4): (3, 4), (4, 1, 2): (4, 2), (1, 1, 3): (1, 3), (3, 1): (3, 1), (5, 5): (5, 5)}
    grids |= {(2, 3, 1): (2, 3)}
    assert {shape: (sizes.shape_of(shape).rows, sizes.shape_of(shape).columns) for shape in grids} == grids
    assert {sizes.shape_of(shape).kind for shape in grids} == {"grid"}
    assert {sizes.shape_of(shape).kind for shape in ((2, 3, 3), (6, 2), (2, 6), (0, 3))} <= {"map", "number"}


COMPLEX = """import torch
z = torch.tensor([1 + 2j, -0.51234 + 0.30001j], requires_grad=True)
many = torch.full((3, 3), 2j) * z.sum()
(z * z).abs().sum().backward()
"""


def test_few_complex_numbers_are_written_and_many_are_shown_by_their_magnitudes(qapp: QApplication) -> None:
    trace = run(COMPLEX)
    scene = scene_of(trace)
    by_name = {card(scene, t).name: card(scene, t) for t in range(len(trace.tensors)) if scene.find("tensor", t) >= 0}
    z = by_name["z"]
    assert z.value.cells == (("1+2j", "-0.5123+0.3j"),) and z.grad is not None and z.grad.kind == "grid"
    assert by_name["many"].value.summary == ("all |4.702|",)
    ink = Ink(LIGHT)
    for text in z.grad.cells[0]:
        shown = cell_in(ink, text, 2 * sizes.CELL_WIDTH - 1.5)
        assert ink.width(sizes.CELL, shown) <= 2 * sizes.CELL_WIDTH - 1.5 and "…" not in shown


def test_a_short_exponent_is_written_in_one_way(qapp: QApplication) -> None:
    ink = Ink(LIGHT)
    assert [cell_in(ink, text, 36.0) for text in ("1.832e-05", "-0.0001832", "-5.96e-08")] == ["2e-5", "-2e-4", "-6e-8"]


def test_zero_and_nan_gradients_are_told_apart(qapp: QApplication) -> None:
    scene = scene_of(run(NOT_FINITE))
    kinds = set(scene.moment.flow.tolist())
    assert {ZERO_FLOW, BAD_FLOW} <= kinds
    x = card(scene, 0)
    assert x.grad is not None and x.grad.cells == (("nan", "0"),)
    assert x.grad.picture is not None and x.grad.picture.grid()[0, 0] == MISSING


def test_a_buffer_that_was_changed_is_stale(qapp: QApplication) -> None:
    scene = scene_of(run(STALE))
    tab = operation(scene, 0).tabs[0]
    assert (tab.name, tab.state, tab.versions) == ("y", "stale", "v0 ≠ v1")


@pytest.mark.parametrize("magnitude", range(-12, 13))
def test_numbers_fit_where_they_stand(magnitude: int) -> None:
    ink, rng = Ink(LIGHT), np.random.default_rng(magnitude + 20)
    numbers = [*(rng.normal(size=40) * 10.0**magnitude), float("nan"), float("inf"), -float("inf")]
    for number in numbers:
        assert ink.width(sizes.CELL, cell_text(number)) <= sizes.CELL_WIDTH - 1.5
        array = np.array(number, np.float32)
        value = Value((), "float32", array, array, None)
        says = value_content(value, sizes.shape_of(()))
        room = sizes.CARD_MIN - 2 * sizes.PAD
        assert ink.width(sizes.NUMBER, says.text) <= room
        assert ink.width(sizes.CELL, says.summary[0]) <= room - ink.width(sizes.META, "∇ passing") - 6


def test_summaries_fit_beside_pictures() -> None:
    ink = Ink(LIGHT)
    for text in ("max -1.234e-05", "min -1.234e+10", "65536 × NaN", "all -0.00123"):
        assert ink.width(sizes.CELL, text) <= sizes.SUMMARY_WIDTH


def test_pictures_put_zero_in_the_middle() -> None:
    grid = picture(np.array([[-2.0, 0.0, 2.0], [np.nan, 1.0, -1.0]])).grid()
    assert grid.tolist() == [[-100, 0, 100], [MISSING, 50, -50]]
    assert cells(np.zeros((1, 5))).grid().tolist() == [[0] * 5]
    assert picture(np.ones((300, 400))).grid().shape == (14, 26)


def test_a_vector_is_a_line_from_its_lowest_to_its_highest() -> None:
    short = picture(np.array([0.0, -2.0, 4.0, np.nan, np.inf, 1.0]))
    assert short.line
    assert short.grid().tolist() == [[0, -50, 100, MISSING, INFINITE, 25]] * 2
    long = picture(np.where(np.arange(10_000) % 2, 3.0, -3.0))
    assert long.line and long.columns <= 72
    assert set(long.grid()[0].tolist()) == {-100} and set(long.grid()[1].tolist()) == {100}


def test_a_few_outliers_are_cut_and_marked_and_do_not_wash_out_the_rest() -> None:
    array = np.tile([[1.0, -1.0, 0.5, 0.0]], (10, 5))
    array[3, 3], array[4, 4] = 900.0, -np.inf
    grid = picture(array).grid()
    assert grid[3, 3] == BEYOND and grid[4, 4] == -INFINITE and picture(array).is_cut
    assert grid[0, :4].tolist() == [100, -100, 50, 0]
    assert not picture(np.array([[1.0, 10.0], [1.0, 1.0]])).is_cut, "among four numbers there are no outliers"


def test_images_are_tiled_with_gaps_between_them() -> None:
    grid = picture(np.ones((3, 4, 5))).grid()
    assert grid.shape == (4, 17)
    assert (grid[:, 5] == GAP).all() and (grid[:, 11] == GAP).all() and (grid == GAP).sum() == 8
    batch = picture(np.ones((64, 3, 28, 28))).grid()
    assert batch.shape == (25, 51), "the first eight, four by two"
    odd = picture(np.ones((5, 2, 2))).grid()
    assert (odd[3:, 6:] == GAP).all(), "no image stands there"


def test_reasons_are_short_on_cards_and_whole_in_the_hover_card(scene: Scene) -> None:
    long = "int64: only floating point and complex tensors can require gradients"
    assert short_reason(long) == "int64 has no gradients"
    assert short_reason("computed inside no_grad at line 4") == "inside no_grad at line 4"
    assert short_reason(".grad is written at step 12") == "written at step 12"
    arrives = "its gradient arrives at step 12, but is not stored"
    assert short_reason(arrives) == "arrives at step 12, not stored"
    assert short_reason("detached at line 4") == "detached at line 4"
    assert short_reason("not reached from z: no operation has used it") == "not reached from z"
    assert short_reason("not reached from (trunk ** 2).sum()") == "not reached by backward"
    assert short_reason("computed from v, which was detached at line 20") == "no input requires grad"
    assert short_reason(None) == ""
    text = html(words(scene.placed.diagram, scene.moment.frame, scene.find("tensor", W)), LIGHT)
    assert "13" in text and "<b>w</b>" in text
    text = html(words(scene.placed.diagram, scene.moment.frame, scene.find("node", MUL2)), LIGHT)
    assert "y * w" in text and "freed" in text


def test_a_trace_without_operations_shows_its_tensors(qapp: QApplication) -> None:
    scene = scene_of(run("import torch\na = torch.tensor([1., 2.])\nb = torch.tensor(3)"))
    assert scene.moment.items.tolist() == [True, True]
    assert len(scene.placed.diagram.edges) == 0


def test_an_empty_trace_is_an_empty_scene(qapp: QApplication) -> None:
    scene = scene_of(run("pass"))
    assert scene.extent() is None
    assert scene.next_item("right") == -1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_an_edge_behind_a_label_or_a_freed_buffer_strikes_no_letter_through(qapp: QApplication, theme: Theme) -> None:
    content = OperationContent("@+", "AddmmBackward0", "model[2]", True, True, (Tab("output of model[1]", "freed"),))
    ink, image = Ink(theme), QImage(300, 200, QImage.Format.Format_ARGB32)
    image.fill(ink.colours["gradient"])
    with QPainter(image) as painter:
        paint_operation(painter, ink, QRectF(90, 50, 120, 100), content)

    edge, canvas = ink.colours["gradient"].getRgb(), ink.colours["canvas"].getRgb()

    def is_ground(colour: QColor) -> bool:
        """Whether a pixel of the canvas has at most a seventh of the edge in it."""
        parts = [(c, e, p) for c, e, p in zip(canvas, edge, colour.getRgb(), strict=True) if abs(c - e) > 20]
        return all(abs(c - p) <= abs(c - e) / 7 for c, e, p in parts)

    ground = [sum(is_ground(image.pixelColor(x, y)) for x in range(130, 170)) for y in range(200)]
    assert ground[0] == 0
    beside = [each for y, each in enumerate(ground) if abs(y - 100) > sizes.RADIUS]
    assert sum(each > 8 for each in beside) >= 2 * (sizes.LABEL_HEIGHT - 3) + sizes.TAB_HEIGHT / 3, "labels and a tab"
