"""How a graph is seen when it is opened: whole, and folded so far that it can be read."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gradviz.layout.flat import Layouter
from gradviz.session.folding import Folding, Presentation
from gradviz.ui.canvas.diagram import GROUP, TENSOR, diagram_of
from gradviz.ui.canvas.diagram_layout import initially_open
from gradviz.ui.canvas.sizes import Ruler
from gradviz.ui.canvas.structure import drawn_graphs, find_structure
from gradviz.ui.canvas.viewport import READABLE
from tests.ui.canvas_fixtures import run, scene_of, settle, shown

pytestmark = pytest.mark.usefixtures("qapp")

MODULES = """import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.first, self.second, self.third = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
    def forward(self, x):
        a, b, c = self.first(self.norm(x)), self.second(x), self.third(x)
        return x + torch.softmax(a @ b.T, 1) @ c
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.block, self.after = nn.Linear(4, 4), Block(), nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
    def forward(self, x):
        return self.head(torch.relu(self.after(self.block(torch.relu(self.before(x))))))
net = Net()
loss = (net(torch.ones(3, 4)) - 1).pow(2).mean()
loss.backward()
"""
SECOND = """import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3 + torch.sin(x)
g, = torch.autograd.grad(y, x, create_graph=True)
h = (g * g).sum()
h.backward()
"""
BATCH = """import torch
from torch.utils.data import DataLoader, Dataset
class Squares(Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, i):
        return torch.tensor([float(i * i)])
w = torch.ones(1, requires_grad=True)
for batch in DataLoader(Squares(), batch_size=32):
    (batch * w).mean().backward()
"""
AUTOENCODER = """import torch
import torch.nn.functional as F
from torch import nn
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(8, 6), nn.Linear(6, 2), nn.Linear(6, 2)
        self.fc3, self.fc4 = nn.Linear(2, 6), nn.Linear(6, 8)
    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)
    def reparameterize(self, mu, logvar):
        return mu + torch.randn_like(logvar) * torch.exp(0.5 * logvar)
    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))
    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 8))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar
def loss_function(found, x, mu, logvar):
    BCE = F.binary_cross_entropy(found, x.view(-1, 8), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD
model, data = VAE(), torch.rand(4, 8)
found, mu, logvar = model(data)
loss = loss_function(found, data, mu, logvar)
loss.backward()
"""
REGRESSION = """import torch
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
y = torch.tensor([[1.0], [0.0]]).view(2, 1)
model = torch.nn.Linear(2, 1)
for _ in range(3):
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
"""
LITTLE = (653, 420)  # the canvas in a window of 1280 by 800


def test_a_block_of_a_network_opens_whole_and_readable(qtbot: QtBot) -> None:
    view = shown(qtbot, run(MODULES), size=LITTLE)
    assert view.viewport.shows_everything
    assert view.camera.scale >= READABLE


def test_what_fits_stays_open() -> None:
    structure = find_structure(run("import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"))
    opened = initially_open(structure, Ruler(), Layouter(), Presentation())
    assert opened.all()


def test_a_small_model_is_not_one_box() -> None:
    structure = find_structure(run(AUTOENCODER))
    opened = initially_open(structure, Ruler(), Layouter(), Presentation())
    keys = {structure.groups.title[group] for group in np.flatnonzero(opened)}
    assert {"model", "loss_function()"} <= keys


def test_what_the_user_opens_leaves_the_rest_as_it_was(qtbot: QtBot) -> None:
    view = shown(qtbot, run(MODULES), size=LITTLE)
    scene = view.scene
    assert scene is not None
    diagram = scene.placed.diagram
    closed = [diagram.names[item] for item in np.flatnonzero(diagram.kind == GROUP).tolist()]
    key = diagram.structure.groups.key[int(diagram.group[np.flatnonzero(diagram.kind == GROUP)[0]])]
    settle(view, lambda: view.collapse.present(Presentation(Folding(opened=frozenset((key,))))))
    scene = view.scene
    assert scene is not None
    after = scene.placed.diagram
    still = {after.names[item] for item in np.flatnonzero(after.kind == GROUP).tolist()}
    assert set(closed[1:]) <= still
    assert closed[0] not in still


def test_the_choice_of_what_is_open_can_be_given() -> None:
    structure = find_structure(run(MODULES))
    none = np.zeros(len(structure.groups), bool)
    diagram = diagram_of(structure, Ruler(), Presentation(), none)
    assert not len(diagram.frames)


def test_gradients_stand_after_what_they_came_from_and_a_leaf_of_both_once() -> None:
    trace = run(SECOND)
    scene = scene_of(trace)
    placed = scene.placed
    diagram = placed.diagram
    assert int((diagram.kind == TENSOR)[diagram.index == 0].sum()) == 1
    root = int(diagram.items_of_tensor(int(trace.roots.tensor[0]))[0])
    left, top = placed.frames[0, :2].tolist()
    corner = placed.corner[root]
    assert left > corner[0] or top > corner[1]
    assert len(placed.first_cubic) == len(diagram.edges) + 1


def test_a_module_of_one_operation_folds_with_its_parameters() -> None:
    groups = find_structure(run(MODULES)).groups
    norm = [number for number in range(len(groups)) if groups.title[number].endswith("norm")]
    assert [int(groups.size[number]) for number in norm] == [1]


def test_what_a_batch_is_made_of_is_one_closed_box() -> None:
    scene = scene_of(run(BATCH))
    diagram = scene.placed.diagram
    boxes = np.flatnonzero(diagram.kind == GROUP).tolist()
    assert [diagram.names[box] for box in boxes] == ["DataLoader"] * 2
    inside = diagram.structure.items_in[diagram.group[boxes]]
    assert inside.tolist() == [33, 33]  # 32 leaves and the operation
    assert {name for name in diagram.names if name} >= {"w", "batch"}
    assert len(diagram) < 20


def test_what_is_tried_out_is_the_drawing_that_is_shown(qtbot: QtBot) -> None:
    scene = shown(qtbot, run(SECOND)).scene
    assert scene is not None
    assert len(scene.placed.diagram.frames) == 1


def test_a_closed_group_is_there_from_its_first_parameter_on() -> None:
    trace = run(MODULES)
    structure = find_structure(trace)
    diagram = diagram_of(structure, Ruler(), Presentation(), np.zeros(len(structure.groups), bool))
    boxes = np.flatnonzero(diagram.kind == GROUP)
    parameters = trace.tensors.step[trace.tensors.is_parameter]
    assert diagram.step[boxes].min() == parameters.min() < trace.nodes.step.min()


@pytest.mark.parametrize(("rows", "inside"), [(20, 20), (12, 0)])
def test_the_rows_of_a_data_set_belong_to_the_loop_that_uses_them(rows: int, inside: int) -> None:
    """A few are shown beside the operation that made them."""
    trace = run(
        f"""import torch
w = torch.tensor(1., requires_grad=True)
data = torch.arange({rows}.).unbind(0)
total = torch.tensor(0.)
for row in data:
    total = total + w * row * row
total.backward()
"""
    )
    structure = find_structure(trace)
    unbind = int(np.flatnonzero(trace.nodes.op == "unbind")[0])
    cards = np.flatnonzero(structure.producer == unbind)
    assert len(cards) == rows and np.count_nonzero(structure.group_of_card[cards] >= 0) == inside


@pytest.mark.parametrize(("lines", "boxes"), [(20, ["gathered()"]), (12, [])])
def test_data_of_many_tensors_are_one_closed_box(lines: int, boxes: list[str]) -> None:
    """As many words as a text has lines would be a wall."""
    trace = run(
        f"""import torch
def gathered():
    data = [torch.tensor([n]) for n in range({lines})]
    return torch.cat(data)
data = gathered()
twice = data * 2
"""
    )
    diagram = scene_of(trace).placed.diagram
    assert [diagram.names[box] for box in np.flatnonzero(diagram.kind == GROUP)] == boxes
    assert np.count_nonzero(diagram.kind == TENSOR) == (2 if boxes else lines + 2)


def test_a_tensor_is_on_the_canvas_as_soon_as_it_is_made(qtbot: QtBot) -> None:
    """Not only when the first operation reads it, however many iterations there are."""
    trace = run(REGRESSION)
    view, seen = shown(qtbot, trace, 1), []
    for cursor in (1, 2, 4, 5):
        view.set_cursor(cursor)
        scene = view.scene
        assert scene is not None
        (item,) = scene.moment.current
        assert view.rect().contains(scene.screen_box(item, view.camera, 0)), cursor
        seen.append(trace.frame_at(cursor).name(int(scene.placed.diagram.index[item])))
    assert seen == ["x", "torch.tensor([[1.0], [0.0]])", "model.weight", "model.bias"]


def test_the_graph_of_an_iteration_stays_until_the_next_one_begins() -> None:
    """However early a tensor of the next one is made."""
    batches = run(f"{REGRESSION.replace('    loss = ', '    x = torch.ones(2, 2)' + chr(10) + '    loss = ')}")
    graphs = drawn_graphs(batches)
    iterations = np.flatnonzero(graphs.operations >= 4)
    assert len(iterations) == 3 and (graphs.since[iterations] <= graphs.first[iterations]).all()
    assert (graphs.since[iterations[1:]] >= graphs.until[iterations[:-1]]).all()
