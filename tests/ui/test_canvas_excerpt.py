"""Long trainings are drawn in excerpts: what is shown at a cursor is the same in each of them."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gradviz.layout.flat import Layouter
from gradviz.session.folding import Presentation
from gradviz.trace.table.trace import Trace
from gradviz.ui.canvas import diagram_layout, structure
from gradviz.ui.canvas.content import content
from gradviz.ui.canvas.diagram import build
from gradviz.ui.canvas.diagram_layout import initially_open, lay_out
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.sizes import Ruler
from gradviz.ui.canvas.structure import Excerpt, Structure, excerpt_around, find_structure
from gradviz.ui.sharing.picture import Shown
from gradviz.ui.theme import LIGHT
from tests.ui.canvas_fixtures import LOOP, run, scene_of, settle, shown

pytestmark = pytest.mark.usefixtures("qapp")

UPDATES = """import torch
x = torch.linspace(-1., 1., 5)
y = torch.sin(x)
a, b = (torch.tensor(v, requires_grad=True) for v in (0., 1.))
for t in range(9):
    loss = (a + b * x - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for p in (a, b):
            p -= 0.1 * p.grad
            p.grad = None
print(loss.item())
"""
KEPT = """import torch
w = torch.tensor([1., 2.], requires_grad=True)
v = torch.tensor([1., -2.], requires_grad=True)
kept = []
for t in range(8):
    h = (w * t).sum()
    g = (v * t).exp().sum()
    kept.append(h)
    (h * 2).backward(retain_graph=True)
    g.backward()
sum(each.detach() for each in kept[::3]).sqrt()
"""
MODULES = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x, y = torch.rand(6, 3), torch.rand(6, 1)
total = 0.
for epoch in range(4):
    for part in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x[part::2]), y[part::2])
        loss.backward()
        optimizer.step()
        total += loss.item()
"""
SECOND = """import torch
x = torch.tensor([1., 2.], requires_grad=True)
for t in range(5):
    y = (x ** 3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (g * g).sum().backward()
    x.grad = None
"""
PROGRAMS = {"loop": LOOP, "updates": UPDATES, "kept": KEPT, "modules": MODULES, "second": SECOND}


def scene_in(trace: Trace, part: Excerpt) -> Scene:
    """The scene of an excerpt."""
    ruler = Ruler()
    return Scene(lay_out(build(trace, ruler, Presentation(), part), ruler, Layouter()), LIGHT)


def seen(scene: Scene, cursor: int) -> list[object]:
    """Everything that is visible at a cursor: what it is, what it says, where it is, and where its edges go."""
    scene.move_to(cursor)
    moment, placed, diagram = scene.moment, scene.placed, scene.placed.diagram
    items = np.flatnonzero(moment.items).tolist()
    said = [(diagram.kind[i], diagram.index[i], *placed.corner[i], content(diagram, moment.frame, i)) for i in items]
    edges = [
        (diagram.row[e], moment.flow[e], moment.norm[e].tobytes(), placed.cubics[low:high].tobytes())
        for e in np.flatnonzero(moment.edges).tolist()
        for low, high in [placed.first_cubic[e : e + 2]]
    ]
    frames = [placed.frames[f].tolist() for f in np.flatnonzero(moment.frames).tolist()]
    return [said, edges, frames, scene.extent(), [diagram.index[i] for i in moment.current]]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("enough", [4, 120])
def test_each_excerpt_shows_what_the_whole_shows(name: str, enough: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(PROGRAMS[name])
    everything = scene_of(trace)
    monkeypatch.setattr(structure, "ENOUGH", enough)
    scene, excerpts = None, 0
    for cursor in range(0, len(trace) + 1, 5):
        if scene is None or not scene.placed.diagram.structure.excerpt.covers(cursor):
            scene, excerpts = scene_in(trace, excerpt_around(trace, cursor)), excerpts + 1
        assert seen(scene, cursor) == seen(everything, cursor), f"at {cursor}"
    assert excerpts > 1 or enough > 4 or name == "kept", "one excerpt has everything"


@pytest.mark.parametrize(("fits", "opens"), [(0.45, True), (1.2, False)])
def test_the_same_groups_are_open_at_first_in_each_excerpt(
    fits: float, opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = run(MODULES.replace("range(4)", "range(12)").replace("nn.Tanh(), ", "nn.Tanh(), " * 12))
    monkeypatch.setattr(diagram_layout, "FITS", fits)
    monkeypatch.setattr(diagram_layout, "FITS_OUTSIDE", fits)
    monkeypatch.setattr(diagram_layout, "TOO_MANY", 150)  # more than a graph has, and fewer than all have together
    everywhere = open_at_first(find_structure(trace))
    assert any(everywhere.values()) == opens
    monkeypatch.setattr(structure, "ENOUGH", 240)
    for cursor in (0, len(trace) // 2, len(trace)):
        here = open_at_first(find_structure(trace, excerpt_around(trace, cursor)))
        assert here == {first: everywhere[first] for first in here}


def open_at_first(structure: Structure) -> dict[int, set[str]]:
    """By the first step of each graph that has operations: the keys of its open groups."""
    opened, groups = initially_open(structure, Ruler(), Layouter(), Presentation()), structure.groups
    drawn = np.unique(structure.graph_of_node[structure.graph_of_node >= 0])
    found: dict[int, set[str]] = {first: set() for first in structure.first[drawn].tolist()}
    for row in np.flatnonzero(opened).tolist():
        found[int(structure.first[groups.graph[row]])].add(groups.key[row])
    return found


def test_an_excerpt_is_small_however_long_the_training_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "ENOUGH", 80)
    sizes = []
    for turns in (9, 90):
        trace = run(UPDATES.replace("range(9)", f"range({turns})"))
        for cursor in (len(trace) // 3, len(trace) // 2, len(trace)):
            part = excerpt_around(trace, cursor)
            assert part.covers(cursor)
            sizes.append(len(scene_in(trace, part).placed.diagram))
    assert max(sizes) < 3 * min(sizes)


def test_the_canvas_follows_the_cursor_out_of_an_excerpt(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(UPDATES)
    monkeypatch.setattr(structure, "ENOUGH", 56)
    view = shown(qtbot, trace)
    everything = scene_of(trace)
    for cursor in (3, len(trace) // 2, len(trace) // 2 + 1, len(trace)):
        assert view.scene is not None
        if view.scene.placed.diagram.structure.excerpt.covers(cursor):
            view.set_cursor(cursor)
        else:
            settle(view, lambda to=cursor: view.set_cursor(to))  # type: ignore[misc]
        assert view.scene is not None and view.scene.moment.frame.cursor == cursor
        assert seen(view.scene, cursor) == seen(everything, cursor)
        assert view.viewport.shows_something


def test_a_cursor_that_moves_on_while_an_excerpt_comes_is_shown_in_the_end(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = run(UPDATES)
    monkeypatch.setattr(structure, "ENOUGH", 56)
    view = shown(qtbot, trace)
    everything, middle = scene_of(trace), len(trace) // 2

    def move() -> None:
        for cursor in (3, 9, middle, 5, middle):
            view.set_cursor(cursor)

    settle(view, move)
    assert view.scene is not None
    assert seen(view.scene, middle) == seen(everything, middle)
    camera = view.camera
    settle(view, lambda: [view.set_cursor(each) for each in (3, middle)])  # type: ignore[arg-type, return-value]
    assert view.scene.moment.frame.cursor == middle and view.camera == camera


def test_a_picture_needs_an_excerpt_and_a_film_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(UPDATES)
    everything, middle = scene_of(trace), len(trace) // 2
    monkeypatch.setattr(structure, "ENOUGH", 40)
    shown_there = Shown(trace, middle)
    picture, film = shown_there.scene(LIGHT), shown_there.scene(LIGHT, throughout=True)
    assert not picture.placed.diagram.structure.excerpt.is_whole
    assert seen(picture, middle) == seen(everything, middle)
    for cursor in range(0, len(trace), 9):
        assert seen(film, cursor) == seen(everything, cursor)
