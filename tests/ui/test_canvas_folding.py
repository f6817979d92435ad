"""Groups on the canvas: what is one, which are open, what a closed one stands for, and opening and closing them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.layout.flat import Layouter
from gradviz.session.folding import EVERYTHING, Folding, Presentation
from gradviz.session.groups import nodes_of, title_of
from gradviz.session.inspect.inspection import inspect_group
from gradviz.ui.canvas import TraceView
from gradviz.ui.canvas.content import GroupContent, bytes_text, content
from gradviz.ui.canvas.diagram import GROUP, OPERATION, REFERENCE, TENSOR, Diagram, build, diagram_of
from gradviz.ui.canvas.diagram_layout import lay_out
from gradviz.ui.canvas.hover_words import words
from gradviz.ui.canvas.moment import FLOW
from gradviz.ui.canvas.placed import Placed, morph
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.sizes import Ruler
from tests.ui.canvas_fixtures import LOOP, run, scene_of, settle, shown

pytestmark = pytest.mark.usefixtures("qapp")

RNN = """import torch
w = torch.tensor(0.9, requires_grad=True)
h = torch.tensor(1.0)
for t in range(50):
    h = torch.tanh(w * h)
h.backward()
"""
BLOCKS = """import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
    def forward(self, x):
        return x + torch.relu(self.second(torch.tanh(self.first(x)) * 2)).sin()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block(), Block()])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
x = torch.ones(2, 3)
out = Net()(x)
loss = ((out - 1) ** 2).mean().log().exp().sqrt()
loss.backward()
"""
SECOND = """import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3 + torch.sin(x)
g, = torch.autograd.grad(y, x, create_graph=True)
h = (g * g).sum()
h.backward()
"""
STACK = """import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
    def forward(self, x):
        return x + self.second(torch.relu(self.first(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential({before}*[Block() for _ in range(12)])
        self.head = nn.Linear(3, 3)
    def forward(self, x):
        x = self.head(self.blocks(torch.tanh(x)))
        return x.exp().log().sin().cos().exp().log().sin().cos().sin().cos().sin().cos()
Net()(torch.ones(2, 3)).sum().backward()
"""
CLOSED, OPEN = Presentation(Folding(level=0)), Presentation(Folding(level=EVERYTHING))


def titles(scene: Scene) -> list[str]:
    """What the closed groups are called."""
    diagram = scene.placed.diagram
    return [diagram.names[item] for item in np.flatnonzero(diagram.kind == GROUP).tolist()]


def says(scene: Scene, item: int) -> GroupContent:
    found = content(scene.placed.diagram, scene.moment.frame, item)
    assert isinstance(found, GroupContent)
    return found


def test_a_long_loop_opens_as_one_box() -> None:
    scene = scene_of(run(RNN))
    assert titles(scene) == ["for t in range(50)"]
    loop = scene.find("node", 17)
    said = says(scene, loop)
    assert (said.detail, said.operations, said.ran, said.tracked, said.went) == ("×50 · t = 0 … 49", 100, 100, 100, 100)
    assert scene.selection is None
    scene.select("node", 17)
    assert scene.selection == ("group", 0)


def test_a_bundle_stands_for_all_its_edges() -> None:
    trace = run(RNN)
    scene = scene_of(trace)
    diagram = scene.placed.diagram
    w, loop = scene.find("tensor", 0), scene.find("node", 0)
    edge = int(np.flatnonzero((diagram.edges == (w, loop)).all(1))[0])
    assert diagram.use_start[edge + 1] - diagram.use_start[edge] == 50
    assert scene.moment.flow[edge] == FLOW
    flowed = scene.moment.frame.input_grad_norm[trace.inputs.tensor == 0]
    np.testing.assert_allclose(scene.moment.norm[edge], np.sqrt(np.square(flowed).sum()))


def test_the_step_in_a_closed_group_is_seen_on_it() -> None:
    trace = run(RNN)
    scene = scene_of(trace)
    loop = scene.find("node", 0)
    scene.move_to(int(trace.nodes.step[35]) + 1)
    assert scene.moment.current == (loop,)
    assert says(scene, loop).now == "t = 17 · TanhBackward0"
    assert (says(scene, loop).ran, says(scene, loop).operations) == (36, 100)
    assert says(scene, loop).held


def test_everything_open_is_everything_there_is() -> None:
    trace = run(RNN)
    scene = scene_of(trace, drawing=OPEN)
    diagram = scene.placed.diagram
    assert GROUP not in diagram.kind
    assert int((diagram.kind == OPERATION).sum()) == 100
    assert len(diagram.frames) == 51
    inside = diagram.frame_of[scene.find("node", 5)]
    assert diagram.structure.groups.title[diagram.frames[inside]] == "t = 2"


@pytest.mark.parametrize("source", [RNN, BLOCKS])
@pytest.mark.parametrize("vertical", [False, True])
@pytest.mark.parametrize("level", [None, 0, 1, EVERYTHING])
def test_frames_hold_what_is_in_them(source: str, vertical: bool, level: int | None) -> None:
    placed = scene_of(run(source), drawing=Presentation(Folding(level), vertical=vertical)).placed
    diagram, low, high = placed.diagram, placed.corner, placed.corner + placed.diagram.size
    for frame, (left, top, width, height) in enumerate(placed.frames.tolist()):
        mine = diagram.frame_of == frame
        assert (low[mine] >= (left, top)).all() and (high[mine] <= (left + width, top + height)).all()
        around = int(diagram.frame_parent[frame])
        if around >= 0:
            outer = placed.frames[around]
            assert outer[0] <= left and outer[1] <= top
            assert left + width <= outer[0] + outer[2] and top + height <= outer[1] + outer[3]


def test_groups_that_say_nothing_are_left_out() -> None:
    assert len(build(run(LOOP), Ruler()).structure.groups) == 0, "an iteration that is the whole graph"
    groups = build(run(BLOCKS), Ruler()).structure.groups
    assert "Net" not in groups.title, "nearly the whole graph"
    assert [title for title in groups.title if title.startswith("blocks[")] == ["blocks[0]", "blocks[1]", "blocks[2]"]
    assert groups.size[[title.startswith("blocks[") for title in groups.title]].tolist() == [9, 9, 9]


def test_parameters_are_in_their_module_and_data_is_outside() -> None:
    trace = run(BLOCKS)
    scene = scene_of(trace, drawing=CLOSED)
    diagram = scene.placed.diagram
    cards = {diagram.names[item] for item in np.flatnonzero(diagram.kind == TENSOR).tolist()}
    assert "x" in cards and "loss" in cards
    assert not any("weight" in name for name in cards)


@pytest.mark.parametrize(("layers", "are_cards"), [(3, True), (4, False)])
def test_many_parameters_that_calls_of_a_module_share_are_in_the_first(layers: int, are_cards: bool) -> None:
    source = f"""import torch
from torch import nn
net = nn.Sequential(*[nn.Linear(3, 3) for _ in range({layers})])
one, other = torch.rand(2, 3), torch.rand(2, 3)
loss = (net(one).tanh() - net(other).tanh()).square().sum()
loss.backward()
"""
    scene = scene_of(run(source), drawing=CLOSED)
    diagram = scene.placed.diagram
    cards = {diagram.names[item] for item in np.flatnonzero(diagram.kind == TENSOR).tolist()}
    assert {"one", "other", "loss"} <= cards
    assert ("net[0].weight" in cards or "net.0.weight" in cards) == are_cards
    calls = np.flatnonzero(diagram.kind == GROUP)
    between = np.isin(diagram.edges, calls).all(axis=1).sum()
    assert (len(calls), between) == (2, 0 if are_cards else 1)
    told = [row.text for row in words(diagram, scene.moment.frame, int(calls[0])).rows if row.label == "parameters"]
    assert told == ["36 numbers" if are_cards else "48 numbers; 8 parameters are used outside it, too"]


def test_a_single_parameter_is_told_in_the_singular() -> None:
    source = """import torch
class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.tensor(2.))
    def forward(self, x):
        return (x * self.factor).tanh().exp().sin().cos().exp().sin()
class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = Scale(), Scale()
    def forward(self, x):
        return self.other(self.one(x)).sin().cos().exp()
Two()(torch.ones(2)).sum().backward()
"""
    scene = scene_of(run(source), drawing=CLOSED)
    groups = np.flatnonzero(scene.placed.diagram.kind == GROUP).tolist()
    rows = [row for group in groups for row in words(scene.placed.diagram, scene.moment.frame, group).rows]
    assert [row.text for row in rows if row.label == "parameters"] == ["1 number"] * 2


def test_parameters_of_which_another_makes_use_stay_beside_the_calls() -> None:
    source = """import torch
from torch import nn
net = nn.Sequential(*[nn.Linear(3, 3) for _ in range(4)])
one, other = torch.rand(2, 3), torch.rand(2, 3)
decay = sum((each ** 2).sum() for each in net.parameters())
loss = (net(one).tanh() - net(other).tanh()).square().sum() + decay
loss.backward()
"""
    diagram = scene_of(run(source), drawing=CLOSED).placed.diagram
    cards = {diagram.names[item] for item in np.flatnonzero(diagram.kind == TENSOR).tolist()}
    assert sum(name.endswith((".weight", ".bias")) for name in cards) == 8


def test_keys_are_the_same_in_another_run() -> None:
    one, other = (build(run(BLOCKS), Ruler()).structure.groups.key for _ in range(2))
    assert one == other and len(set(one)) == len(one)
    chosen = Presentation(Folding(level=0, opened=frozenset(one[:1])))
    assert len(build(run(BLOCKS), Ruler(), chosen).frames) == 1


def test_equal_modules_one_after_the_other_are_one_group() -> None:
    diagram = build(run(STACK.format(before="nn.Linear(3, 3), nn.Sigmoid(), ")), Ruler(), CLOSED)
    groups = diagram.structure.groups
    number = groups.title.index("blocks[2] … blocks[13]")
    assert groups.detail[number] == "×12"
    index = int(groups.index[number])
    assert title_of(diagram.trace, index) == "blocks[2] … blocks[13]"
    assert len(nodes_of(diagram.trace, index)) == groups.size[number]
    inside = [groups.title[group] for group in np.flatnonzero(groups.parent == number).tolist()]
    assert inside == [f"blocks[{block}]" for block in range(2, 14)]
    said = inspect_group(diagram.trace.frame(len(diagram.trace)), index)
    assert said.sections[0].rows[0].text.startswith("12 equal calls")


def test_equal_modules_that_are_all_of_a_module_are_told_with_it() -> None:
    groups = build(run(STACK.format(before="")), Ruler(), CLOSED).structure.groups
    assert ("blocks", "×12") in set(zip(groups.title, groups.detail, strict=True))
    assert not any("…" in title for title in groups.title)


def test_gradients_under_create_graph_are_a_group() -> None:
    trace = run(SECOND)
    scene = scene_of(trace, drawing=CLOSED)
    assert titles(scene) == ["gradients · backward at line 4"]
    made = int(np.flatnonzero(trace.nodes.call >= 0)[0])
    scene.select("node", made)
    assert scene.selection == ("group", -2 - int(trace.nodes.call[made]))


def test_a_leaf_has_tags_or_edges_as_one_likes() -> None:
    trace = run(RNN)
    number = trace.naming.name(0, len(trace))
    level = Folding(level=EVERYTHING)
    for drawing, tags in (
        (Presentation(level), 49),
        (Presentation(level, direct_uses=100), 0),
        (Presentation(level.with_references(number, "edges")), 0),
        (Presentation(level.with_references(number, "tags"), direct_uses=100), 49),
    ):
        diagram = build(trace, Ruler(), drawing)
        assert int(((diagram.kind == REFERENCE) & (diagram.index == 0)).sum()) == tags


def middle(view: TraceView, thing: tuple[str, int]) -> QPoint:
    scene = view.scene
    assert scene is not None
    place = scene.place_of(scene.find(*thing))
    assert place is not None
    return QPoint(*(round(each) for each in view.camera.to_screen(*place)))


def corner(view: TraceView, thing: tuple[str, int]) -> QPoint:
    scene = view.scene
    assert scene is not None
    place = scene.corner_of(*thing)
    assert place is not None
    return QPoint(*(round(each) for each in view.camera.to_screen(*place)))


def test_a_double_click_opens_in_place_and_closes_again(qtbot: QtBot) -> None:
    view = shown(qtbot, run(BLOCKS))
    settle(view, lambda: view.collapse.present(CLOSED))
    group = ("group", int(view.scene.groups.all.index[0]))  # type: ignore[union-attr]
    before = corner(view, group)
    folds: list[Folding] = []
    view.collapse.refolded.connect(folds.append)
    settle(view, lambda: QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=middle(view, group)))
    assert len(folds[-1].opened) == 1 and view.selection.current == group
    assert len(view.scene.placed.frames) == 1  # type: ignore[union-attr]
    assert (corner(view, group) - before).manhattanLength() <= 3
    title = corner(view, group) + QPoint(60, 8)
    settle(view, lambda: QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=title))
    assert folds[-1].opened == frozenset() and view.selection.current == group
    assert not len(view.scene.placed.frames)  # type: ignore[union-attr]


def test_enter_opens_and_closes_and_arrows_go_in(qtbot: QtBot) -> None:
    view = shown(qtbot, run(RNN))
    view.selection.select("node", 3)
    assert view.selection.current == ("group", 0)
    settle(view, lambda: QTest.keyClick(view, Qt.Key.Key_Return))
    assert len(view.scene.placed.frames) == 1  # type: ignore[union-attr]
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.selection.current is not None and view.selection.current != ("group", 0)
    view.selection.select("group", 0)
    settle(view, lambda: QTest.keyClick(view, Qt.Key.Key_Return))
    assert len(view.scene.placed.frames) == 0  # type: ignore[union-attr]


def test_a_click_on_the_triangle_is_enough(qtbot: QtBot) -> None:
    view = shown(qtbot, run(RNN))
    at = corner(view, ("group", 0)) + QPoint(14, 14)
    settle(view, lambda: QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at))
    assert len(view.scene.placed.frames) == 1  # type: ignore[union-attr]


def test_reveal_opens_the_way(qtbot: QtBot) -> None:
    view = shown(qtbot, run(RNN))
    settle(view, lambda: view.collapse.reveal("node", 41))
    scene = view.scene
    assert scene is not None
    assert view.selection.current == ("node", 41)
    assert [scene.groups.all.title[group] for group in scene.placed.diagram.frames.tolist()] == [
        "for t in range(50)",
        "t = 20",
    ]
    assert not view.collapse.reveal("node", 41)
    QApplication.processEvents()


def test_bytes_are_short() -> None:
    assert [bytes_text(count) for count in (0, 12, 1200, 45_000, 3_200_000)] == [
        "",
        "12 B",
        "1.2 kB",
        "45 kB",
        "3.2 MB",
    ]


def test_groups_open_and_close_in_a_movement(qtbot: QtBot) -> None:
    view = shown(qtbot, run(BLOCKS))
    settle(view, lambda: view.collapse.present(CLOSED))
    view.animated = view.viewport.flight.enabled = True
    group = ("group", int(view.scene.groups.all.index[0]))  # type: ignore[union-attr]
    view.selection.select(*group)
    few = len(view.scene.placed.diagram)  # type: ignore[union-attr]
    settle(view, view.collapse.toggle_selected)
    scene = view.scene
    assert scene is not None and not view.transition.is_going
    assert len(scene.placed.diagram) > few and view.selection.current == group
    settle(view, view.collapse.toggle_selected)
    assert len(view.scene.placed.diagram) == few  # type: ignore[union-attr]


def test_a_movement_begins_and_ends_in_the_two_drawings() -> None:
    trace = run(RNN)
    structure = build(trace, Ruler()).structure
    one, other = (place_of(diagram_of(structure, Ruler(), Presentation(Folding(level)))) for level in (1, EVERYTHING))
    for old, new in ((one, other), (other, one)):
        way = morph(old, new, (30.0, 0.0))
        assert way is not None
        begin, end = way.at(0.0), way.at(1.0)
        here, there = (end, begin) if way.opens else (begin, end)
        np.testing.assert_allclose(here.corner, other.corner + ((0.0, 0.0) if way.opens else (30.0, 0.0)))
        leaf = int(np.flatnonzero(other.diagram.kind == TENSOR)[0])
        twin = int(one.diagram.items_of_tensor(int(other.diagram.index[leaf]))[0])
        shift = (30.0, 0.0) if way.opens else (0.0, 0.0)
        np.testing.assert_allclose(there.corner[leaf], one.corner[twin] + shift)
        assert way.passing.any() and not way.passing[leaf]


def place_of(diagram: Diagram) -> Placed:
    return lay_out(diagram, Ruler(), Layouter())


def test_parameters_that_all_iterations_use_are_outside_of_the_loop() -> None:
    source = """import torch
from torch import nn
cell = nn.RNNCell(2, 3)
h = torch.zeros(1, 3)
for t in range(20):
    h = cell(torch.ones(1, 2) * t, h)
h.sum().backward()
"""
    diagram = scene_of(run(source), drawing=CLOSED).placed.diagram
    names = {diagram.names[item] for item in np.flatnonzero(diagram.kind == TENSOR).tolist()}
    assert {"cell.weight_ih", "cell.weight_hh", "cell.bias_ih", "cell.bias_hh"} <= names
