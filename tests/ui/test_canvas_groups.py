"""What closed groups say of what goes wrong in them, and where edges touch them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPixmap

from gradviz.session.folding import Folding, Presentation
from gradviz.session.groups import title_of
from gradviz.trace.table.regions import RegionKind
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.content import GroupContent
from gradviz.ui.canvas.diagram import GROUP, build
from gradviz.ui.canvas.group_painter import paint_group
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.sizes import Ruler
from gradviz.ui.theme import LIGHT
from tests.ui.canvas_fixtures import run, scene_of
from tests.ui.test_canvas_folding import BLOCKS, CLOSED, RNN, says

pytestmark = pytest.mark.usefixtures("qapp")

CELL = """import torch
cell = torch.nn.RNNCell(2, 3)
x, h = torch.randn(20, 1, 2), torch.zeros(1, 3)
for t in range(20):
    h = cell(x[t], h)
h.sum().backward()
"""


def test_a_closed_group_says_where_in_it_something_is_not_finite() -> None:
    source = BLOCKS.replace("torch.tanh(self.first(x)) * 2", "torch.tanh(self.first(x) * 0).log() * 0")
    trace = run(source)
    scene = scene_of(trace, drawing=CLOSED)
    group = says(scene, int(np.flatnonzero(scene.placed.diagram.kind == GROUP)[0]))
    assert group.problem.startswith("NaN in blocks[0]") and group.problem.endswith("MulBackward0")
    assert group.parameters > 0 and group.parameters % 12 == 0
    scene.move_to(3)
    assert not says(scene, int(np.flatnonzero(scene.placed.diagram.kind == GROUP)[0])).problem


def test_a_closed_group_says_where_a_gradient_is_not_finite() -> None:
    source = RNN.replace("torch.tanh(w * h)", "torch.sqrt(w * h * 0)")
    scene = scene_of(run(source), drawing=CLOSED)
    group = says(scene, int(np.flatnonzero(scene.placed.diagram.kind == GROUP)[0]))
    assert "gradient in t = " in group.problem


def test_infinity_that_stays_in_a_group_is_no_problem() -> None:
    source = BLOCKS.replace("torch.tanh(self.first(x)) * 2", "torch.exp(torch.tanh(self.first(x)) - float('inf'))")
    scene = scene_of(run(source), drawing=CLOSED)
    assert not says(scene, int(np.flatnonzero(scene.placed.diagram.kind == GROUP)[0])).problem


@pytest.mark.parametrize("vertical", [False, True])
def test_edges_touch_a_closed_group_at_places_of_their_own(vertical: bool) -> None:
    diagram = build(run(CELL), Ruler(), Presentation(Folding(level=0), vertical))
    group = int(np.flatnonzero(diagram.kind == GROUP)[0])
    into = np.flatnonzero(diagram.edges[:, 1] == group)
    places = diagram.port[into, 1]
    assert len(into) > 3
    assert len(np.unique(places)) == len(into)
    assert np.abs(places).max() < diagram.size[group, 0 if vertical else 1] / 2
    tensors = diagram.index[diagram.edges[into, 0]]
    assert (np.diff(places[np.argsort(tensors)]) > 0).all()


def test_a_called_module_has_the_name_of_its_variable() -> None:
    trace = run(
        "import torch\nnn = torch.nn\nx = torch.ones(3, 2)\n"
        "G, D = (nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)) for _ in range(2))\n"
        "loss = (D(x) + D(G(x))).sum() + nn.Softmax(dim=0)(G(x)).sum()\nloss.backward()\n"
    )
    titles = set(build(trace, sizes.Ruler()).structure.groups.title)
    assert {"G", "D"} <= titles and "Sequential" not in titles


def test_a_called_module_is_not_named_after_the_first_of_its_parts() -> None:
    trace = run(
        "import torch\nnn = torch.nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.enc, self.dec = nn.Linear(2, 2), nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        return self.dec(self.enc(x).tanh()).sigmoid().exp()\n"
        "class Trainer:\n    def __init__(self):\n        self.net = Net()\n"
        "    def loss(self, x):\n        return self.net(x).sum()\n"
        "model, trainer, x = Net(), Trainer(), torch.ones(3, 2)\n"
        "(model(x).mean() + trainer.loss(x).log() * 2).backward()\n"
    )
    titles = build(trace, sizes.Ruler()).structure.groups.title
    assert set(titles) == {"model", "enc", "dec", "loss()", "net"}


def test_the_parts_of_a_called_sequence_have_its_name_and_their_number() -> None:
    trace = run(
        "import torch\nnn = torch.nn\n"
        "part = lambda: nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))\n"
        "net = nn.Sequential(*(part() for _ in range(5)), nn.Linear(2, 1))\n"
        "(net(torch.ones(3, 2)).sum() + net(torch.zeros(3, 2)).sum()).exp().backward()\n"
    )
    titles = set(build(trace, sizes.Ruler()).structure.groups.title)
    assert titles > {"net", "net[0] … net[4]", "net[0][2]", "net[5]"} and title_of(trace, 1) == "net[0]"
    assert all(title.startswith("net") for title in titles)


def test_a_recurrent_module_is_one_box_even_if_it_is_nearly_all_of_its_graph() -> None:
    trace = run(
        "import torch\nrnn = torch.nn.GRU(3, 4, num_layers=2, bidirectional=True)\n"
        "rnn(torch.ones(5, 2, 3))[0].sum().backward()\n"
    )
    (title,) = build(trace, sizes.Ruler()).structure.groups.title
    assert title == "rnn"


def test_an_error_in_a_closed_group_is_marked_once_and_says_where() -> None:
    source = RNN.replace("torch.tanh(w * h)", "torch.tanh(w * h).exp()\n    if t == 20:\n        h.add_(1)")
    scene = scene_of(run(source), drawing=CLOSED)
    group = int(np.flatnonzero(scene.placed.diagram.kind == GROUP)[0])
    ((item, reason),) = scene.moment.failed
    assert item == group
    assert reason.startswith("t = 20 · ExpBackward0: ")


@pytest.mark.parametrize(("went", "norm"), [(3, "2"), (10_000, "1.436e-44"), (1_000_000, "-1.2345e-308")])
def test_the_words_of_the_backward_pass_leave_each_other_room(
    went: int, norm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = GroupContent("loop", "", RegionKind.LOOP, went, went, went, went, "", norm, "", bad=False)
    words: list[str] = []
    monkeypatch.setattr(Ink, "text", lambda self, painter, role, colour, box, text, align: words.append(text))
    ink, picture = Ink(LIGHT), QPixmap(300, 200)
    with QPainter(picture) as painter:
        paint_group(painter, ink, QRectF(10, 10, 132, 86), content)
    backward = [word for word in words if word.startswith(("∇", "norm"))]
    assert f"norm {norm}" in backward
    assert sum(ink.width(sizes.META, word) for word in backward) < 132 - 8
