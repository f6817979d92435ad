"""What the painters paint, pixel by pixel where a colour says something, at each level of detail. No picture is
compared with a stored one: fonts differ between machines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.session.folding import Folding, Presentation
from gradviz.trace.table.regions import RegionKind
from gradviz.ui.canvas import group_painter, item_painter, sizes
from gradviz.ui.canvas.brief import BETWEEN, Brief, BriefPainter, Briefs, Writer
from gradviz.ui.canvas.camera import Camera, Motion
from gradviz.ui.canvas.content import (
    GroupContent,
    OperationContent,
    ReferenceContent,
    Tab,
    TensorContent,
    ValueContent,
    content,
    ticking,
)
from gradviz.ui.canvas.diagram import LEAF, OPERATION, TENSOR
from gradviz.ui.canvas.group_painter import _frame_title, paint_group
from gradviz.ui.canvas.heat import cells, picture
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.item_painter import paint_grid, paint_map, paint_operation, paint_picture, paint_reference
from gradviz.ui.canvas.painter import BLOCK, SpriteCache
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.theme import DARK, LIGHT, Theme
from tests.ui.canvas_fixtures import run, scene_of, shown

PRODUCT = """import torch
w = torch.tensor(3., requires_grad=True)
x = torch.tensor(2.)
y = w * x + w
y.backward()
"""
SECOND = """import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
g, = torch.autograd.grad(y, x, create_graph=True)
g.backward()
"""


@pytest.fixture
def scene(qapp: QApplication) -> Scene:
    return scene_of(run(PRODUCT))


class Canvas:
    """A sheet to paint on, and what colours are on it."""

    def __init__(self, width: int, height: int, ground: str = "#ffffff") -> None:
        self.image = QImage(width, height, QImage.Format.Format_RGB32)
        self.image.fill(QColor(ground))
        self.painter = QPainter(self.image)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def end(self) -> None:
        if self.painter.isActive():
            self.painter.end()

    def colour(self, x: float, y: float) -> str:
        self.end()
        return self.image.pixelColor(int(x), int(y)).name()

    def count(self, colour: str, area: QRectF | None = None) -> int:
        self.end()
        box = (area or QRectF(self.image.rect())).toRect()
        places = ((x, y) for x in range(box.left(), box.right() + 1) for y in range(box.top(), box.bottom() + 1))
        return sum(self.image.pixelColor(*place).name() == colour for place in places)


def painted(scene: Scene, scale: float) -> tuple[Canvas, Camera]:
    """The whole scene from so far away."""
    left, top, right, bottom = scene.extent() or (0, 0, 0, 0)
    camera = Camera(scale, left - 20 / scale, top - 20 / scale)
    sheet = Canvas(int((right - left) * scale) + 40, int((bottom - top) * scale) + 40, LIGHT.canvas)
    area = QRectF(sheet.image.rect())
    scene.paint_edges(sheet.painter, camera, area)
    scene.paint_rest(sheet.painter, camera, area, 0.0, 1.0)
    return sheet, camera


def middle(scene: Scene, camera: Camera, item: int) -> tuple[float, float]:
    x, y = scene.placed.centre[item].tolist()
    return camera.to_screen(x, y)


def item_named(scene: Scene, name: str) -> int:
    diagram = scene.placed.diagram
    return next(item for item in range(len(diagram)) if diagram.kind[item] == TENSOR and diagram.names[item] == name)


# -- levels of detail


def test_far_away_items_are_blocks_in_their_colours(scene: Scene) -> None:
    sheet, camera = painted(scene, 0.12)
    ink = scene.painter.ink
    leaf = sheet.colour(*middle(scene, camera, item_named(scene, "w")))
    assert leaf == ink.mixed(ink.colours["leaf"], BLOCK).name()
    ran = np.flatnonzero(scene.placed.diagram.kind == OPERATION)
    assert {sheet.colour(*middle(scene, camera, int(item))) for item in ran} == {LIGHT.gradient}


def test_in_between_a_card_says_name_number_and_gradient(scene: Scene) -> None:
    item, frame = item_named(scene, "w"), scene.moment.frame
    says = Briefs(frame).of(scene.placed.diagram, item)
    writer = Writer(scene.trace)
    assert (says.name, writer.of(says.value).text, writer.of(says.grad).text) == ("w", "3", "3")
    assert says.stored
    assert (says.arrived, says.expected) == (2, 2)
    passing = Briefs(frame).of(scene.placed.diagram, item_named(scene, "y"))
    assert passing.grad >= 0 and not passing.stored


def test_the_briefs_of_every_step_agree_with_the_frame(scene: Scene) -> None:
    trace, diagram = scene.trace, scene.placed.diagram
    tensors = np.flatnonzero(diagram.kind == TENSOR).tolist()
    writer = Writer(trace)
    for cursor in range(len(trace) + 1):
        frame = trace.frame(cursor)
        briefs = Briefs(frame)
        for item in tensors:
            says, tensor = briefs.of(diagram, item), int(diagram.index[item])
            value, grad = frame.value(tensor), frame.grad(tensor) or frame.passing(tensor)
            assert value is not None and writer.of(says.value).text == f"{value.scalar:g}"
            assert (says.grad >= 0) == (grad is not None), (cursor, says)


def test_a_stored_gradient_stands_on_a_ground_of_its_own(scene: Scene) -> None:
    ink, card = Ink(LIGHT), QRectF(10, 10, 150, 96)
    for stored, seen in ((True, True), (False, False)):
        sheet = Canvas(120, 90)
        sheet.painter.scale(0.5, 0.5)
        says = Briefs(scene.moment.frame).of(scene.placed.diagram, item_named(scene, "w"))
        says = Brief(says.name, says.value, says.grad, stored=stored)
        BriefPainter(ink, Writer(scene.trace)).paint(sheet.painter, card, card, TENSOR, LEAF, says, 0.5)
        assert (sheet.count(LIGHT.gradient_fill) > 50) == seen
        assert sheet.count(LIGHT.leaf_fill) > 200


def test_a_number_at_medium_zoom_keeps_its_place_when_its_gradient_comes(scene: Scene) -> None:
    brief = BriefPainter(Ink(LIGHT), Writer(scene.trace))
    says = Briefs(scene.moment.frame).of(scene.placed.diagram, item_named(scene, "w"))
    assert says.grad >= 0
    for tall in np.arange(41.0, 90.0):
        card = QRectF(0, 0, 100, tall)
        (before,) = (spot.box for spot in brief.number_boxes(card, replace(says, grad=-1), 1.0))
        value, gradient = (spot.box for spot in brief.number_boxes(card, says, 1.0))
        assert before == value and value.bottom() <= gradient.top() <= gradient.bottom() <= tall, tall


def test_the_level_depends_on_the_zoom_and_the_size_of_text_only(qapp: QApplication) -> None:
    trace = run(PRODUCT)
    for theme, near in ((LIGHT, 0.8), (LIGHT.scaled(1.5), 1.2)):
        painter = scene_of(trace, theme=theme).painter
        assert painter.whole(near + 0.001) and not painter.whole(near - 0.01)


# -- arrays


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_zero_is_the_colour_of_the_card_and_what_is_not_finite_is_hatched(qapp: QApplication, theme: Theme) -> None:
    ink, sheet = Ink(theme), Canvas(220, 40, theme.card)
    array = np.array([[0.0, 2.0, np.nan, -np.inf]])
    value = ValueContent("grid", "", cells(array), (("", "", "", ""),))
    paint_grid(sheet.painter, ink, QRectF(0, 0, 200, 30), value, "text")
    assert sheet.colour(25, 9) == theme.card
    assert sheet.colour(75, 9) != theme.card
    for left in (100, 150):
        cell = QRectF(left + 2, 1, 44, 15)
        assert 0 < sheet.count(theme.error_fill, cell) < cell.width() * cell.height() * 0.95


def test_an_outlier_has_a_mark_in_its_corner(qapp: QApplication) -> None:
    ink, sheet = Ink(LIGHT), Canvas(220, 120, LIGHT.card)
    array = np.tile([1.0, -1.0, 0.5, 0.0], (6, 2))
    array[0, 3] = 1e6
    paint_picture(sheet.painter, ink, QRectF(0, 0, 200, 114), picture(array), "text")
    size = 114 / 6
    assert sheet.colour(4 * size - 2, 1.5) == LIGHT.text
    assert sheet.colour(4 * size - 2, size + 2) != LIGHT.text


def test_a_line_lies_on_both_sides_of_its_zero(qapp: QApplication) -> None:
    sheet = Canvas(120, 60)
    wave = np.sin(np.linspace(0, 2 * np.pi, 40))
    paint_picture(sheet.painter, Ink(LIGHT), QRectF(10, 5, 100, 50), picture(wave), "text")
    upper, lower = QRectF(10, 5, 48, 20), QRectF(62, 35, 48, 20)
    assert sheet.count("#ffffff", upper) < upper.width() * upper.height() * 0.7
    assert sheet.count("#ffffff", lower) < lower.width() * lower.height() * 0.7
    assert sheet.count("#ffffff", QRectF(66, 5, 40, 15)) >= 40 * 15, "nothing above zero where it is below"


# -- groups and orientation


def test_a_loop_has_sheets_behind_it_and_shows_both_passes(qapp: QApplication) -> None:
    ink, box = Ink(LIGHT), QRectF(10, 10, 200, 100)
    for kind, sheets in ((RegionKind.LOOP, True), (RegionKind.MODULE, False)):
        sheet = Canvas(240, 140)
        content = GroupContent("layers", "", int(kind), 40, 40, 40, 10, "80 B", "0.5", "", False)
        paint_group(sheet.painter, ink, box, content)
        assert (sheet.colour(box.right() + 4, box.center().y()) != "#ffffff") == sheets
        assert sheet.count(LIGHT.gradient) > 60
        assert sheet.count(LIGHT.saved) > 100, "what it holds, on a tab"


def test_labels_and_tabs_of_operations_leave_the_way_to_the_edges(qapp: QApplication) -> None:
    ruler, saved = sizes.Ruler(), ("input", "weight", "result1", "result2", "bias")
    wide, high = sizes.operation_size(ruler, "×", "MulBackward0", "layer", saved, vertical=True)
    narrow, tall = sizes.operation_size(ruler, "×", "MulBackward0", "layer", saved)
    assert high < tall and wide > narrow
    assert high <= 2 * sizes.RADIUS + 8
    rows = sizes.tab_rows(saved, vertical=True)
    assert [len(row) for row in rows] == [3, 2]
    assert len(rows) * (sizes.TAB_HEIGHT + 3) <= high


def test_tabs_that_do_not_fit_in_a_row_are_in_two_which_the_layout_leaves_room_for(qapp: QApplication) -> None:
    ink = Ink(LIGHT)
    words = "@+", "AddmmBackward0", "model[2]", ("mat1", "mat2")
    for names, rows in ((("x", "w"), 1), (("output of model[1]", "model[2].weight.t()"), 2)):
        width, height = sizes.operation_size(ink, *words, names)
        tabs = tuple(Tab(name, "held") for name in names)
        found = sizes.tab_rows(tabs, vertical=False, fit=sizes.tabs_fit(ink, names, width))
        assert [len(row) for row in found] == [2] if rows == 1 else [1, 1]
        room = width + 2 * (sizes.MARGIN - 2)
        for row in found:
            needed = [ink.width(sizes.TAB, tab.name) + 2 * sizes.TAB_PAD for tab in row]
            assert sizes.tab_widths(ink, tuple(tab.name for tab in row), room) == needed
        content = OperationContent(*words[:3], True, False, tabs)
        image = QImage(400, 240, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        box = QRectF(200 - width / 2, 120 - height / 2, width, height)
        with QPainter(image) as painter:
            paint_operation(painter, ink, box, content)
        inked = [y for x in range(400) for y in range(240) if image.pixelColor(x, y).alpha()]
        assert box.top() - 1 <= min(inked) <= box.top() + sizes.TAB_LINE * (2 if rows == 1 else 1)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_at_medium_zoom_a_saved_buffer_has_its_name_if_there_is_room(qapp: QApplication, theme: Theme) -> None:
    held, freed = Tab("x", "held"), Tab("y", "freed")

    def tabs(*shown: Tab, above: float) -> QImage:
        sheet = Canvas(120, 80, theme.canvas)
        circle, box = QRectF(50, 40, 24, 24), QRectF(20, 40 - above, 84, 24 + 2 * above)
        painter = BriefPainter(Ink(theme), Writer(run(PRODUCT)))
        painter.paint(sheet.painter, circle, box, OPERATION, 0, Brief("×", tabs=shown), 1.0)
        sheet.end()
        return sheet.image

    assert tabs(held, above=26) != tabs(replace(held, name="w"), above=26)
    assert tabs(freed, above=26) != tabs(replace(freed, name="w"), above=26)
    assert tabs(held, above=0) == tabs(replace(held, name="w"), above=0), "a tab that is too low has no name"
    many = tuple(Tab(f"a long name {nth}", "held") for nth in range(20))
    assert tabs(*many, above=26) == tabs(*(replace(tab, name="w" * 20) for tab in many), above=26)


def test_lines_of_a_reason_are_of_similar_lengths(qapp: QApplication) -> None:
    ink = Ink(LIGHT)
    reason = "overwrote h on line 5"
    lines = ink.broken(sizes.SMALL, reason, ink.width(sizes.SMALL, "overwrote h on line") + 1)
    assert lines == ["overwrote", "h on line 5"]
    assert ink.broken(sizes.SMALL, reason, 10_000) == [reason]
    assert ink.broken(sizes.SMALL, "one", 1) == ["one"]


def test_a_single_number_is_written_without_the_brackets_of_its_shape(qapp: QApplication) -> None:
    text = "import torch\nw = torch.tensor([[3.0]], requires_grad=True)\n(w * w).sum().backward()\n"
    scene = scene_of(run(text))
    says = content(scene.placed.diagram, scene.moment.frame, item_named(scene, "w"))
    assert isinstance(says, TensorContent)
    assert says.value.text == "3" and says.grad is not None and says.grad.text == "6"
    assert "[1, 1]" in says.meta


def test_from_top_to_bottom_nothing_is_painted_above_and_below_an_operation(qapp: QApplication) -> None:
    scene = scene_of(run(PRODUCT), drawing=Presentation(vertical=True))
    operation = int(np.flatnonzero(scene.placed.diagram.kind == OPERATION)[0])
    corner, size = scene.placed.corner[operation], scene.placed.diagram.size[operation]
    card = scene.painter.card(operation)
    assert card.top() - corner[1] < 6 and corner[1] + size[1] - card.bottom() < 6
    assert card.left() - corner[0] > 20, "tabs stand at the left"


def test_an_operation_is_linked_to_what_its_backward_made(qapp: QApplication) -> None:
    scene = scene_of(run(SECOND))
    diagram, origin = scene.placed.diagram, scene.trace.origin_of_node
    made = int(np.flatnonzero(origin >= 0)[0])
    first, second = (int(diagram.item_of_node[node]) for node in (origin[made], made))
    assert second in scene.marks.uses_of(scene.moment, first)
    assert first in scene.marks.uses_of(scene.moment, second)


# -- motion


def test_what_a_step_changes_dissolves_into_its_new_look(qapp: QApplication) -> None:
    sprites = SpriteCache()
    old, new = (Canvas(4, 4, colour) for colour in ("#ff0000", "#0000ff"))
    for sheet in (old, new):
        sheet.end()
    known = sprites.at(1.0, 1.0, True)
    before, after = QPixmap.fromImage(old.image), QPixmap.fromImage(new.image)
    sprites.keep(7, Brief("old"), before)
    assert sprites.dissolve(0.0) == []
    sprites.keep(7, Brief("new"), after)
    assert known[7][1].cacheKey() == after.cacheKey()
    assert sprites.shown(7, after).toImage().pixelColor(1, 1).name() == "#ff0000"
    assert sprites.dissolve(0.5) == [7]
    mixed = sprites.shown(7, after).toImage().pixelColor(1, 1)
    assert 100 < mixed.red() < 156 and 100 < mixed.blue() < 156 and mixed.alpha() > 250
    assert sprites.dissolve(1.0) == [7]
    assert sprites.shown(7, after) is after and sprites.dissolve(1.0) == []


def test_what_was_painted_as_a_mixture_is_painted_anew_when_the_next_step_comes(qapp: QApplication) -> None:
    sprites, picture = SpriteCache(), QPixmap(4, 4)
    sprites.at(1.0, 1.0, True)
    sprites.keep(7, Brief("old"), picture)
    sprites.dissolve(0.0)
    sprites.keep(7, Brief("new"), picture)
    sprites.dissolve(0.5)
    sprites.shown(7, picture)
    assert sprites.dissolve(0.0) == [7]
    assert sprites.dissolve(0.0) == []


def test_after_fast_stepping_the_screen_is_what_a_fresh_picture_is(qtbot: QtBot) -> None:
    trace = run(PRODUCT)
    view = shown(qtbot, trace, 0)
    motion = view.surface.motion
    motion.enabled = True
    mixtures = 0
    for cursor in [*range(1, len(trace) + 1), *range(len(trace) - 1, 3, -1)]:
        view.set_cursor(cursor)
        QApplication.processEvents()
        motion.fade = 0.4
        view.surface._tick()
        QApplication.processEvents()
        mixtures += bool(view.scene is not None and view.scene.painter.sprites.mixed)
    motion.stop()
    QApplication.processEvents()
    rested = view.screen().grabWindow(view.winId()).toImage()
    view.surface.repaint_all()
    QApplication.processEvents()
    assert mixtures > 3
    assert rested == view.screen().grabWindow(view.winId()).toImage()


def test_the_number_of_a_gradient_travels_along_its_edge(qtbot: QtBot) -> None:
    trace = run(PRODUCT)
    view = shown(qtbot, trace, 5)
    assert view.scene is not None
    motion, pills = view.surface.motion, view.scene.painter.pills
    motion.enabled = True
    view.set_cursor(6)
    QApplication.processEvents()
    mine = [pill for pill in pills.at(view.scene.moment, view.camera.scale, labels=True) if pill.now]
    assert mine and pills.travelled < 1 and motion.travels
    diagram, moment = view.scene.placed.diagram, view.scene.moment
    travellers = pills.travellers(moment)
    assert [text for text, _ in travellers] == [pill.text.rpartition("= ")[2].partition(",")[0] for pill in mine]
    for pill, (_, way) in zip(mine, travellers, strict=True):
        tensor, operation = (
            QRectF(*view.scene.placed.corner[item].tolist(), *diagram.size[item].tolist()).adjusted(-20, -20, 20, 20)
            for item in diagram.edges[pill.edge].tolist()
        )
        for part, end in ((0.0, operation), (1.0, tensor)):
            pills.travelled = part
            x, y = pills.on_its_way(way)
            assert end.contains(QPointF(x, y))
            areas = pills.ways(moment, view.camera.scale)
            assert any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in areas)
    motion.stop()
    assert pills.travelled == 1


def test_a_gradient_lands_in_its_sum_and_the_sum_drops_into_grad(qapp: QApplication) -> None:
    trace = run("import torch\nh = torch.tensor(2., requires_grad=True)\ny = h * h + h\ny.backward()\n")
    scene = scene_of(trace)
    card = QRectF(*scene.placed.corner[0].tolist(), *scene.placed.diagram.card[0].tolist())
    ends = []
    for cursor in range(len(trace) - 2, len(trace) + 1):
        scene.move_to(cursor)
        pills = scene.painter.pills
        pills.at(scene.moment, 1.0, labels=True)
        ((text, way),) = pills.travellers(scene.moment)
        pills.travelled = 1.0
        ends.append((text, card.contains(QPointF(*pills.on_its_way(way))), QPointF(*way[-1]).y() > card.bottom()))
        assert scene.moment.now.sum() <= 1, "one gradient at a time"
    assert ends == [("2", False, True), ("2", False, True), ("5", True, False)]


def test_a_sum_ticks_up_to_what_has_arrived(qtbot: QtBot) -> None:
    trace = run(PRODUCT)
    view = shown(qtbot, trace, len(trace) - 3)
    scene, motion = view.scene, view.surface.motion
    assert scene is not None
    motion.enabled = True
    sums, sprites = set[str](), scene.painter.sprites
    for cursor in range(len(trace) - 6, len(trace) + 1):
        motion.stop()
        view.set_cursor(cursor)
        QApplication.processEvents()
        for item, (before, _) in sprites.fading.items():
            halfway = ticking(before, sprites.known[item][0], 0.5)
            sums |= {halfway.badge.sums[0]} if halfway is not None and halfway.badge is not None else set()
    motion.stop()
    assert sums == {"Σ 2"}, "between 1 and 1 + 2"
    assert not sprites.fading


def test_no_number_travels_while_keys_repeat(qtbot: QtBot) -> None:
    view = shown(qtbot, run(PRODUCT), 5)
    motion = view.surface.motion
    motion.enabled = True
    view.set_cursor(6)
    assert motion.travels
    view.set_cursor(7)
    assert not motion.travels and view.scene is not None and view.scene.painter.pills.travelled == 1
    motion.stop()
    view.set_cursor(8)
    assert motion.travels
    motion.stop()


def test_nothing_moves_by_itself_without_a_screen(qtbot: QtBot) -> None:
    view = shown(qtbot, run(PRODUCT), 4)
    assert not view.surface.motion.enabled and not view.surface.motion.begin()
    view.set_cursor(6)
    assert view.surface.motion.fade == 1.0


def test_dashes_linger_after_a_step_and_end(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.ui.canvas.camera.LINGER", 120)
    view = shown(qtbot, run(PRODUCT), 4)
    motion = Motion(view)
    motion.enabled = True
    seen: list[float] = []
    motion.ticked.connect(lambda: seen.append(motion.fade))
    assert motion.begin() and motion.fade == 0.0
    qtbot.waitUntil(lambda: not motion._timer.isActive(), timeout=60_000)
    assert len(seen) > 1 and motion.fade == 1.0
    assert motion.phase == 0, "at rest, a step looks the same however it was reached"


def test_a_reference_tag_has_the_colour_of_its_leaf(qapp: QApplication) -> None:
    sheet = Canvas(100, 40)
    paint_reference(sheet.painter, Ink(LIGHT), QRectF(5, 5, 80, 26), ReferenceContent("w", LEAF))
    assert sheet.count(LIGHT.leaf_fill) > 300
    assert sheet.count(LIGHT.leaf) > 20
    assert sheet.colour(*QPointF(95, 35).toTuple()) == "#ffffff"


def test_a_picture_that_takes_too_long_is_finished_by_the_next_ones(scene: Scene) -> None:
    whole, _ = painted(scene, 0.8)
    whole.end()
    other = scene_of(scene.trace)
    other.painter.patience = 0.0
    pictures = []
    for _ in range(len(other.placed.diagram) + 2):
        other.painter.unfinished.clear()
        sheet, _ = painted(other, 0.8)
        sheet.end()
        pictures.append(sheet.image)
        if not other.painter.unfinished:
            break
        other.painter.patience = 60.0
    assert len(pictures) == 2 and pictures[0] != whole.image
    assert pictures[-1] == whole.image


def test_nothing_moves_where_the_user_has_switched_it_off(qtbot: QtBot) -> None:
    view = shown(qtbot, run(PRODUCT), 4)
    motion = Motion(view)
    motion.enabled, motion.wanted = True, False
    motion.set_playing(True)
    assert not motion.begin() and not motion._timer.isActive()


def test_a_path_loses_whole_words_from_its_beginning(qapp: QApplication) -> None:
    ink, path = Ink(LIGHT), "blocks.0.ln1.weight"
    for said in ("…0.ln1.weight", "…ln1.weight", "…weight", "weight"):
        assert ink.shortened(sizes.NAME, path, ink.width(sizes.NAME, said) + 1) == said
    room = ink.width(sizes.NAME, "self.ln1")
    assert ink.shortened(sizes.NAME, "self.ln1(x).view()", room).startswith("self"), "an expression keeps its beginning"


def test_a_number_has_as_many_digits_as_there_is_room_for(qapp: QApplication) -> None:
    writer = Writer(run("import torch\nx = torch.tensor(0.123456)\n"))
    brief, written = BriefPainter(Ink(LIGHT), writer), writer.of(0)
    ways = [brief.number(sizes.NUMBER, written, room) for room in (400, 40, 30, 1)]
    assert ways[0] == "0.1235"
    assert ways[-1] == "0.1"
    assert sorted(map(len, ways), reverse=True) == list(map(len, ways))
    grids = Writer(run("import torch\nx = torch.tensor([[0.123, -0.0456], [7., 25.3]])\n")).of(0).grids
    assert list(dict.fromkeys(grid.rows[0] for grid in grids)) == [
        ("0.123", "-0.0456"), ("0.12", "-0.046"), (".12", "-.046"), (".1", "-.05"),
    ]  # fmt: skip
    assert [grid.rows[1] for grid in grids][-1] == ("7", "25"), "of the larger ones no digit is lost"
    assert [grid.columns for grid in grids[:2]] == [(7 + BETWEEN,) * 2, (5 + BETWEEN, 7 + BETWEEN)]


@pytest.mark.parametrize("figures", ["-0.008629", "0.03676", "-1.234e-05"])
def test_the_mark_of_an_outlier_stands_before_the_number_that_it_marks(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, figures: str
) -> None:
    marks: list[float] = []
    lefts: list[float] = []

    def note(ink: Ink, painter: QPainter, role: str, colour: str, box: QRectF, text: str, align: int) -> None:
        if align == item_painter.RIGHT:
            lefts.append(box.right() - ink.width(role, text))

    monkeypatch.setattr(item_painter, "_corner", lambda painter, ink, at, side: marks.append(at.x()))
    monkeypatch.setattr(Ink, "text", note)
    monkeypatch.setattr(item_painter, "paint_picture", lambda *given: None)
    array = np.tile([[1.0, -1.0, 0.5, 0.0]], (10, 5))
    array[3, 3], array[4, 4] = 900.0, -900.0
    value = ValueContent("map", "", picture(array), summary=(f"max {figures}", f"min {figures}"))
    image, ink = QImage(300, 90, QImage.Format.Format_ARGB32), Ink(LIGHT)
    place = QRectF(0, 0, sizes.MAP_WIDTH + 10 + sizes.SUMMARY_WIDTH, 50)
    with QPainter(image) as painter:
        for scale in (1.0, 0.85, 0.7):
            with ink.at(scale):
                paint_map(painter, ink, place, value, "text")
    assert len(marks) == len(lefts) == 6
    assert all(mark < left for mark, left in zip(marks, lefts, strict=True))


def test_titles_of_frames_stay_while_their_strip_is_above_the_view(qapp: QApplication) -> None:
    source = "import torch\nx = torch.tensor(1., requires_grad=True)\nfor t in range(9):\n    x = torch.tanh(x * 2)\n"
    scene = scene_of(run(source), drawing=Presentation(Folding(level=2)))
    left, top, width, height = scene.placed.frames[0].tolist()
    inside = Camera(8.0, left + width / 2 - 50, top + 50)
    above = Camera(8.0, left + width / 2 - 50, top - 20)
    assert group_painter.title(
        scene.placed, group_painter.away(scene.placed, scene.moment, inside, 800, 80)
    ).startswith("for t in")
    assert group_painter.away(scene.placed, scene.moment, above, 800, 80) == []
    assert height > 50


@pytest.mark.parametrize("scale", [1.0, 0.8, 0.6])
def test_words_of_an_operation_stay_in_its_picture_where_they_are_larger(qapp: QApplication, scale: float) -> None:
    ink = Ink(LIGHT)
    content = OperationContent("leaky", "LeakyReluBackward0", "encoder.layers.12.activation", True, False, ())
    width, height = sizes.operation_size(ink, content.symbol, content.label, "1", ())
    image = QImage(500, 300, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    box = QRectF(0, 0, width, height)
    box.moveCenter(QPointF(250 / scale, 150 / scale))
    with QPainter(image) as painter, ink.at(scale):
        painter.scale(scale, scale)
        paint_operation(painter, ink, box, content)
    inked = [x for x in range(500) for y in range(300) if image.pixelColor(x, y).alpha()]
    assert min(inked) >= (box.left() - sizes.MARGIN) * scale - 1
    assert max(inked) <= (box.right() + sizes.MARGIN) * scale + 1


def test_a_title_too_long_for_its_frame_is_cut_and_never_left_out() -> None:
    title, scale, paper = "apply_repetition_penalty() · for token_id in set(past_tokens)", 0.54, "#ffffff"
    ink, sheet = Ink(LIGHT), Canvas(345, 40, paper)
    sheet.painter.scale(scale, scale)
    _frame_title(sheet.painter, ink, QRectF(0, 30, 638, 40), title, "", scale)
    words = QRectF(40, 0, 290, 39)
    assert sheet.count(LIGHT.canvas, words) + sheet.count(paper, words) < 0.95 * 291 * 40


def test_the_name_of_an_operation_stays_within_what_is_painted_of_it() -> None:
    scale, sheet, brief = 0.5, Canvas(200, 40, LIGHT.canvas), BriefPainter(Ink(LIGHT), Writer(run(PRODUCT)))
    sheet.painter.scale(scale, scale)
    card, name = QRectF(110, 20, 168, 44), "LegendrePolynomial3"
    brief.paint(sheet.painter, card, card, OPERATION, 0, Brief(name), scale)
    allowed = card.adjusted(-sizes.MARGIN, 0, sizes.MARGIN, 0)
    assert brief.circle(card, card, name, scale).left() > allowed.left()
    beyond = QRectF(0, 0, allowed.left() * scale - 1, 39).toRect()
    assert sheet.count(LIGHT.canvas, QRectF(beyond)) == beyond.width() * beyond.height(), "nothing is cut off"
