"""What the gradients say on their edges: factor and product, through which use; legible, and over nothing else."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication

from gradviz.trace.table.trace import Trace
from gradviz.trace.words.contributions import edge_words
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.edge_painter import PILL_HEIGHT
from gradviz.ui.canvas.ink import ALMOST, LEAST, Ink
from gradviz.ui.canvas.painter import reason_box
from gradviz.ui.canvas.pills import MOST_PILLS, Pill, PillPlaces
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.surface import legible
from gradviz.ui.canvas.viewport import words_box
from gradviz.ui.theme import DARK, LIGHT, Theme
from tests.trace.running import run
from tests.ui.canvas_fixtures import ARRAYS, LOOP, NOT_FINITE, RECURRENCE, STALE, scene_of
from tests.ui.test_legibility import Writing, paint

TWICE = """import torch
w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0)
y = w * x
loss = y * y + w
loss.backward()
"""
MATRICES = """import torch
x = torch.tensor([[1., 2.], [3., 4.]])
W = torch.tensor([[0.5], [-1.]], requires_grad=True)
h = torch.relu(x @ W + 3)
loss = ((h - 1) ** 2).mean()
loss.backward()
"""
OVERWRITTEN = """import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = (x * x).exp()
y += 1
y.sum().backward()
"""
ODD = """import torch
c = torch.tensor(1 + 2j, requires_grad=True)
e = torch.zeros(0, requires_grad=True)
(c * c.conj()).real.backward()
e.sum().backward()
(torch.ones(100, requires_grad=True) * 2).sum().backward()
"""


def pills(scene: Scene, scale: float = 1.0) -> tuple[Pill, ...]:
    return scene.painter.pills.at(scene.moment, scale, labels=scene.painter.whole(scale))


def words(trace: Trace) -> list[str]:
    return [next(iter(edge_words(trace, row)), "") for row in range(len(trace.flows))]


def test_factor_product_and_use(qapp: QApplication) -> None:
    said = words(run(TWICE))
    assert said == [
        "1",
        "1, through w's 2nd use",
        "1 · 6 = 6, through y's 1st use",
        "1 · 6 = 6, through y's 2nd use",
        "12 · 2 = 24, through w's 1st use",
    ]


def test_a_rule_stands_where_its_numbers_are_too_many() -> None:
    assert words(run(MATRICES))[:3] == [
        "grad / 2 for every element = [[0.5], [0.5]]",
        "grad · 2 · (h - 1) = [[0.5], [-0.5]]",
        "[[0.5], [-0.5]]",
    ]


def test_numbers_are_those_of_the_step_and_not_of_a_later_write() -> None:
    trace = run(TWICE + "with torch.no_grad():\n    x.mul_(100)\n")
    assert words(trace)[-1] == "12 · 2 = 24, through w's 1st use"


def test_large_and_empty_arrays_say_nothing() -> None:
    trace = run(ODD)
    sizes = [trace.value(int(value)) for value in trace.flows.value]
    for value, said in zip(sizes, words(trace), strict=True):
        assert bool(said) == (value is not None and 0 < value.numel <= 4)


@pytest.mark.parametrize("scale", [0.45, 0.7, 1.0, 2.5])
@pytest.mark.parametrize("source", [TWICE, MATRICES, LOOP, RECURRENCE, ARRAYS, NOT_FINITE])
def test_pills_cover_no_card_no_circle_and_no_other_pill(qapp: QApplication, source: str, scale: float) -> None:
    trace = run(source)
    scene = scene_of(trace, 0)
    for cursor in range(len(trace) + 1):
        scene.move_to(cursor)
        placed, diagram = scene.placed, scene.placed.diagram
        boxes = np.array([pill.box for pill in pills(scene, scale)]).reshape(-1, 4)
        cards = np.column_stack((placed.card_corner, placed.card_corner + diagram.card))[scene.moment.items]
        for box in boxes:
            assert not ((box[:2] < cards[:, 2:]) & (box[2:] > cards[:, :2])).all(1).any()
        for one, other in combinations(boxes, 2):
            assert not ((one[:2] < other[2:]) & (one[2:] > other[:2])).all()


def test_a_picture_without_edges_has_none_whatever_flowed(qapp: QApplication) -> None:
    scene = scene_of(run(TWICE))
    placed, pairs, numbers = scene.placed, np.empty((0, 2)), np.empty(0, np.int64)
    bare = replace(
        placed.diagram, edges=pairs.astype(np.int64), port=pairs, row=numbers, uses=numbers, use_start=numbers
    )
    places = PillPlaces(replace(placed, diagram=bare), scene.painter.pills._ink)
    assert places.at(replace(scene.moment, flow=np.empty(0, np.uint8)), 1.0, labels=True) == ()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_pills_stay_as_large_from_further_away_and_grow_with_the_cards_from_closer(
    qapp: QApplication, theme: Theme
) -> None:
    scene = scene_of(run(TWICE), theme=theme)
    for scale, larger in ((0.5, 1.0), (1.0, 1.0), (3.0, 3.0)):
        heights = {round(scale * (pill.box[3] - pill.box[1]), 6) for pill in pills(scene, scale)}
        assert heights == {PILL_HEIGHT * larger}
    assert len(pills(scene, 1.0)) == 5 and not pills(scene, 0.2)


@pytest.mark.parametrize("scale", [0.5, 0.9, 1.0, 3.0])
def test_a_gradient_that_is_zero_or_nan_says_so_from_further_away_too(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    scene, written = scene_of(run(NOT_FINITE)), Writing(monkeypatch)
    paint(scene, Camera(scale).centred(*scene.world_box(scene.start_item())[:2], 6000, 2000), 6000, 2000)
    for chip in ("0", "NaN"):
        found = [size for size, text in written.sizes if text == chip]
        assert found and min(found) >= LEAST * max(scale, 1.0) * ALMOST


def test_only_what_has_flowed_says_something_and_keeps_its_place(qapp: QApplication) -> None:
    scene = scene_of(run(TWICE), 6)
    known: dict[int, Pill] = {}
    for cursor, count in ((6, 0), (7, 2), (10, 4), (14, 5), (16, 5)):
        scene.move_to(cursor)
        found = {pill.edge: pill for pill in pills(scene)}
        assert len(found) == count
        assert all((found[edge].box, found[edge].text) == (pill.box, pill.text) for edge, pill in known.items())
        known = found


def test_of_many_gradients_the_latest_say_something(qapp: QApplication) -> None:
    lines = 3 * MOST_PILLS * ["y = y * 1.5"]
    trace = run("\n".join(["import torch", "y = x = torch.tensor(1., requires_grad=True)", *lines, "y.backward()"]))
    scene = scene_of(trace, 0)
    most = 0
    for cursor in range(len(trace) + 1):
        scene.move_to(cursor)
        found = pills(scene)
        most = max(most, len(found))
        assert len(found) <= MOST_PILLS
    assert most > MOST_PILLS // 2 and max(pill.edge for pill in found) < len(scene.placed.diagram.edges) // 2


@pytest.mark.parametrize("scale", [0.7, 1.3])
def test_places_do_not_depend_on_the_way(qapp: QApplication, scale: float) -> None:
    trace = run(RECURRENCE)
    scene = scene_of(trace, 0)
    there = {cursor: _at(scene, cursor, scale) for cursor in range(len(trace) + 1)}
    for cursor in (*range(len(trace), -1, -1), 3, len(trace), 40, 41, 40, len(trace) - 1):
        assert _at(scene, cursor, scale) == there[cursor]


def _at(scene: Scene, cursor: int, scale: float) -> tuple[Pill, ...]:
    scene.move_to(cursor)
    return pills(scene, scale)


def test_pills_stay_where_they_are_while_a_number_changes(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    free = PillPlaces._free

    def noted(places: PillPlaces, edge: int, *given: object) -> tuple[int, int]:
        searched.append(edge)
        return free(places, edge, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(PillPlaces, "_free", noted)
    monkeypatch.setattr(Ink, "width", lambda ink, role, text: 7.0 * len(text))
    scenes = [
        scene_of(trace, len(trace)) for trace in (run(TWICE.replace("3.0", text)) for text in ("3.0", "4.0", "5.0"))
    ]
    first, second, fresh = scenes
    before = pills(first)
    assert before and searched
    searched.clear()
    second.keep_pictures(first)
    after = pills(second)
    assert [pill.box for pill in after] == [pill.box for pill in before] and not searched
    assert {pill.text for pill in after} != {pill.text for pill in before}
    pills(fresh)
    assert searched, "another scene has nothing to remember"


@pytest.mark.parametrize("text", [1.0, 2.0])
@pytest.mark.parametrize("scale", [0.6, 1.0, 1.6])
def test_why_an_operation_failed_covers_no_item(qapp: QApplication, text: float, scale: float) -> None:
    trace = run(OVERWRITTEN)
    scene = scene_of(trace, len(trace), theme=legible(LIGHT.scaled(text)))
    failed = scene.moment.failed
    assert failed
    placed = scene.placed
    boxes = np.hstack((placed.corner, placed.diagram.size)).tolist()
    for item, reason in failed:
        place = reason_box(scene.painter, scene.moment, item, reason, scale * text)
        shown = (QRectF(*box) for box, there in zip(boxes, scene.moment.items.tolist(), strict=True) if there)
        assert not any(place.intersects(box) for box in shown), reason
        box = words_box(scene, Camera(scale * text))
        assert box.isValid() and box.bottom() >= (place.bottom() * scale * text) - 1


def test_the_place_of_a_reason_is_looked_for_once(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = scene_of(run(STALE))
    scene.move_to(len(scene.trace))
    (item, reason), *_ = scene.moment.failed
    searched: list[object] = []
    search = PillPlaces._obstacles
    monkeypatch.setattr(PillPlaces, "_obstacles", lambda *given: searched.append(given) or search(*given))
    places = {reason_box(scene.painter, scene.moment, item, reason, 1.0).getRect() for _ in range(3)}
    assert (len(places), len(searched)) == (1, 1)
    reason_box(scene.painter, scene.moment, item, reason, 0.5)
    assert len(searched) == 2, "another zoom"
    scene.move_to(len(scene.trace) - 1)
    scene.move_to(len(scene.trace))
    assert reason_box(scene.painter, scene.moment, item, reason, 1.0).getRect() in places
