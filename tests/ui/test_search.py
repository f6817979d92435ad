"""Finding by the keyboard in a real window: search bar, mini-map, relatives, from the graph to the line and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gradviz.commands.table import command
from gradviz.document.documents import text_of, with_text
from gradviz.session.state import Lineage, Phase, Run, Selection, State
from gradviz.ui.canvas import TraceView
from gradviz.ui.panels.canvas_overlays import Minimap, SearchBar
from gradviz.ui.theme import DARK, LIGHT
from tests.driver import Pilot
from tests.trace.running import run
from tests.trace.sample import ADD, MUL1, MUL2, W, sample_trace
from tests.ui.canvas_fixtures import RECURRENCE, differing, settle, shown


def view_of(pilot: Pilot) -> TraceView:
    """The canvas, laid out."""
    view = pilot.window.canvas.view
    if not pilot.window.canvas.is_settled:
        settle(view, lambda: None)
    return view


def bar_of(pilot: Pilot) -> SearchBar:
    return pilot.window.canvas.over.bar


# search


def test_ctrl_f_finds_while_one_types(sample: Pilot) -> None:
    view = view_of(sample)
    view.setFocus()
    sample.press("Ctrl+F")
    bar = bar_of(sample)
    assert bar.isVisible() and bar.line.hasFocus()
    QTest.keyClicks(bar.line, "mul")
    assert bar.count.text() == "2 found"
    assert view.scene is not None and view.scene.marks.hits is not None and view.scene.marks.hits.sum() == 2
    QTest.keyClicks(bar.line, "xyz")
    assert bar.count.text() == "nothing found"
    assert view.scene.marks.hits is None


def test_enter_and_f3_go_to_the_hits_and_escape_gives_the_keyboard_back(sample: Pilot) -> None:
    view = view_of(sample)
    view.setFocus()
    sample.press("Ctrl+F")
    bar = bar_of(sample)
    QTest.keyClicks(bar.line, "mul")
    QTest.keyClick(bar.line, Qt.Key.Key_Return)
    assert bar.count.text() == "1 of 2"
    assert sample.state.selection == Selection("node", MUL1)
    QTest.keyClick(bar.line, Qt.Key.Key_Return)
    assert sample.state.selection == Selection("node", MUL2)
    QTest.keyClick(bar.line, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert sample.state.selection == Selection("node", MUL1)
    sample.press("F3")
    assert sample.state.selection == Selection("node", MUL2)
    sample.press("Shift+F3")
    assert sample.state.selection == Selection("node", MUL1)
    QTest.keyClick(bar.line, Qt.Key.Key_Escape)
    assert not bar.isVisible() and view.hasFocus()
    assert view.scene is not None and view.scene.marks.hits is None


def test_the_keyboard_goes_to_the_canvas_if_what_had_it_is_gone(sample: Pilot) -> None:
    field = QLineEdit(sample.window)
    field.show()
    field.setFocus()
    sample.press("Ctrl+F")
    Shiboken.delete(field)
    sample.press("Esc")
    assert QApplication.focusWidget() is sample.window.canvas.view


def test_the_search_is_there_again_with_what_was_asked(sample: Pilot) -> None:
    view_of(sample)
    sample.press("Ctrl+F")
    QTest.keyClicks(bar_of(sample).line, "mul")
    QTest.keyClick(bar_of(sample).line, Qt.Key.Key_Escape)
    sample.press("Ctrl+F")
    assert bar_of(sample).line.text() == "mul" == bar_of(sample).line.selectedText()


def test_a_hit_that_is_still_to_come_says_when_and_can_be_gone_to(sample: Pilot) -> None:
    view_of(sample)
    sample.window.store.move(2)
    sample.press("Ctrl+F")
    bar = bar_of(sample)
    QTest.keyClicks(bar.line, "mul")
    QTest.keyClick(bar.line, Qt.Key.Key_Return)
    trace = sample.state.trace
    assert trace is not None
    when = int(trace.nodes.step[MUL1]) + 1
    assert bar.note.text() == f"MulBackward0 comes at step {when}"
    assert sample.state.selection is None and sample.state.cursor == 2
    sample.click(bar.jump)
    assert sample.state.cursor == when
    assert sample.state.selection == Selection("node", MUL1)
    assert not bar.jump.isVisible()


def test_f3_without_a_question_asks_for_one(sample: Pilot) -> None:
    view_of(sample)
    sample.press("F3")
    assert bar_of(sample).isVisible()
    sample.press("Escape")
    assert not bar_of(sample).isVisible()


def test_the_bar_follows_the_theme(sample: Pilot) -> None:
    bar = bar_of(sample)
    bar.set_theme(DARK)
    assert DARK.panel in bar.styleSheet()
    bar.set_theme(LIGHT)
    assert LIGHT.panel in bar.styleSheet()


def test_a_hit_in_a_closed_group_is_revealed(pilot: Pilot) -> None:
    from gradviz.document.snippet import Snippet

    source = RECURRENCE.replace("12", "60")
    trace, store = run(source), pilot.window.store
    store.open(Snippet(source), None)
    store.start_run(store.state.document)
    store.end_run(Run(Phase.OK, store.state.document), trace)
    view = view_of(pilot)
    assert view.scene is not None
    assert len(view.scene.placed.diagram) < 60, "it opens folded"
    pilot.press("Ctrl+F")
    QTest.keyClicks(bar_of(pilot).line, "tanh")
    settle(view, lambda: QTest.keyClick(bar_of(pilot).line, Qt.Key.Key_Return))
    thing = pilot.state.selection
    assert thing is not None and thing.kind == "node"
    assert view.scene is not None and view.selection.current == ("node", thing.index)
    item = view.scene.find("node", thing.index)
    assert view.rect().contains(view.scene.screen_box(item, view.camera, 0).center())


# relatives


def test_ancestors_and_descendants_stand_out_until_escape(sample: Pilot) -> None:
    view = view_of(sample)
    sample.window.store.select(Selection("node", ADD))
    sample.press("Ctrl+[")
    assert sample.state.lineage == Lineage("ancestors", Selection("node", ADD))
    assert view.scene is not None and view.scene.marks.lit is not None
    assert not view.scene.marks.lit[view.scene.find("node", MUL2)]
    sample.press("Ctrl+]")
    assert view.scene.marks.lit[view.scene.find("node", MUL2)]
    sample.press("Escape")
    assert sample.state.lineage is None and view.scene.marks.lit is None
    assert sample.state.selection == Selection("node", ADD), "the selection is the next Escape's"
    sample.press("Escape")
    assert sample.state.selection is None


def test_relatives_in_a_run_that_is_gone_mean_nothing_in_the_next(sample: Pilot) -> None:
    view, store = view_of(sample), sample.window.store
    store.trace_lineage(Lineage("ancestors", Selection("node", ADD)))
    assert view.scene.marks.lit is not None
    store.end_run(Run(Phase.DIED, store.state.document), None)
    other = run("import torch\nx = torch.tensor(1., requires_grad=True)\ny = x * x\n")
    settle(view, lambda: store.end_run(Run(Phase.OK, store.state.document), other))
    assert view.scene.trace is other and view.scene.marks.lit is None


def test_the_same_again_ends_it(sample: Pilot) -> None:
    sample.window.store.select(Selection("node", ADD))
    sample.press("Ctrl+[")
    sample.press("Ctrl+[")
    assert sample.state.lineage is None


def test_a_path_by_the_keyboard(sample: Pilot) -> None:
    store = sample.window.store
    store.select(Selection("tensor", W))
    sample.press("Ctrl+\\")
    assert "other end" in sample.state.notice.sentence
    store.select(Selection("node", MUL2))
    sample.press("Ctrl+\\")
    assert sample.state.lineage == Lineage("path", Selection("tensor", W), Selection("node", MUL2))


def test_a_path_by_shift_and_a_click(sample: Pilot) -> None:
    view = view_of(sample)
    sample.window.store.select(Selection("tensor", W))
    view.input.other_end.emit("node", MUL2)
    assert sample.state.lineage == Lineage("path", Selection("tensor", W), Selection("node", MUL2))


def test_no_path_says_so(sample: Pilot) -> None:
    view = view_of(sample)
    trace = sample.state.trace
    assert trace is not None
    leaves = [int(row) for row in (trace.tensors.producer < 0).nonzero()[0][:2]]
    sample.window.store.select(Selection("tensor", leaves[0]))
    view.input.other_end.emit("tensor", leaves[1])
    assert sample.state.lineage is None
    assert sample.state.notice.sentence == "Neither of the two is computed from the other."


@pytest.mark.parametrize("name", ["view.ancestors", "view.descendants", "view.path", "view.source"])
def test_a_folded_group_has_no_relatives_and_no_line(name: str) -> None:
    trace = run(RECURRENCE)
    state = State(trace=trace, steps=len(trace), cursor=len(trace), selection=Selection("group", 0))
    assert not command(name).enabled(state)
    assert command(name).enabled(replace(state, selection=Selection("node", 0)))


# the line and back


def test_f12_goes_to_the_line_and_shows_the_expression(sample: Pilot) -> None:
    sample.window.store.select(Selection("node", MUL2))
    sample.press("F12")
    code = sample.window.editor.code
    assert code.hasFocus() and sample.window.shell.source.caret[0] == 8
    assert code.flash.marks(LIGHT)[0].cursor.selectedText() == "y * w"


def test_a_double_click_does_the_same(sample: Pilot) -> None:
    view = view_of(sample)
    view.input.opened.emit("node", MUL2)
    assert sample.window.shell.source.caret[0] == 8
    assert sample.state.selection == Selection("node", MUL2)


def test_a_changed_snippet_is_not_gone_to(sample: Pilot) -> None:
    sample.window.store.select(Selection("node", MUL2))
    sample.window.store.edit("Fix", with_text(sample.state.document, "# new\n" + text_of(sample.state.document)))
    sample.press("F12")
    assert "run it again" in sample.state.notice.sentence


def test_from_the_line_to_the_graph_and_on(sample: Pilot) -> None:
    view_of(sample)
    sample.window.editor.code.go_to_line(8)
    seen = []
    for _ in range(3):
        sample.press("Ctrl+F12")
        seen.append(sample.state.selection)
    assert seen[0] == Selection("node", MUL2) and seen[1] != seen[0]
    sample.window.editor.code.go_to_line(2)
    sample.press("Ctrl+F12")
    assert sample.state.notice.sentence == "Line 2 made no tensor and ran no operation."


# the mini-map


@pytest.fixture
def far(qtbot: QtBot) -> TraceView:
    view = shown(qtbot, sample_trace(), 14)
    for _ in range(7):
        view.viewport.zoom_in()
    view.viewport.sharpen()
    return view


def test_the_map_is_there_when_something_is_out_of_view(far: TraceView) -> None:
    minimap = Minimap(far, LIGHT)
    minimap.refresh()
    assert minimap.isVisible()
    assert far.rect().contains(minimap.geometry()) and minimap.geometry().right() > far.width() - 20
    far.viewport.fit()
    assert not minimap.isVisible()


def test_the_map_covers_no_card_where_a_corner_is_free(qtbot: QtBot) -> None:
    far = shown(qtbot, sample_trace(), 14)
    minimap, placed = Minimap(far, LIGHT), far.scene.placed
    for _ in range(3):
        far.viewport.zoom_in()
    far.viewport.sharpen()
    for x, y in placed.card_corner.tolist():  # each card in the corner at the top right
        left, top = far.camera.to_screen(x, y)
        far.viewport.pan(far.width() - 100 - left, 20 - top)
        minimap.refresh()
        across, down = (placed.card_corner - (far.camera.left, far.camera.top)).T * far.camera.scale
        wide, high = placed.diagram.card.T * far.camera.scale
        at = minimap.geometry()
        over = (across < at.right()) & (across + wide > at.x()) & (down < at.bottom()) & (down + high > at.y())
        assert not over.any()
    assert minimap.y() > far.height() / 2


@pytest.mark.parametrize("width", [60, 96, 101, 130, 240])
def test_on_a_narrow_canvas_the_map_has_room_for_the_graph_or_is_not_there(far: TraceView, width: int) -> None:
    minimap = Minimap(far, LIGHT)
    far.resize(width, 600)
    minimap.refresh()
    QApplication.processEvents()
    assert not minimap.isVisible() or minimap._transform().m11() > 0
    minimap.grab()


def test_a_click_and_a_drag_on_the_map_move_the_view(far: TraceView) -> None:
    minimap = Minimap(far, LIGHT)
    minimap.refresh()
    at = QPoint(minimap.width() - 12, minimap.height() // 2)
    QTest.mouseClick(minimap, Qt.MouseButton.LeftButton, pos=at)
    right = far.camera.left
    assert minimap.frame.center().x() > minimap.width() / 2
    QTest.mousePress(minimap, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(minimap, QPoint(12, minimap.height() // 2))
    assert far.camera.left < right
    QTest.mouseRelease(minimap, Qt.MouseButton.LeftButton, pos=at)


def test_the_map_is_painted_anew_only_for_another_drawing(far: TraceView) -> None:
    minimap = Minimap(far, LIGHT)
    minimap.refresh()
    QApplication.processEvents()
    kept = minimap._picture
    assert kept is not None
    far.set_cursor(15)
    far.viewport.pan(30, 0)
    minimap.refresh()
    QApplication.processEvents()
    assert minimap._picture is kept
    minimap.set_theme(DARK)
    QApplication.processEvents()
    assert minimap._picture is not kept


def test_a_pan_leaves_no_trace_of_the_map(far: TraceView) -> None:
    minimap = Minimap(far, LIGHT)
    minimap.refresh()
    QApplication.processEvents()
    for dx, dy in ((-40, 10), (25, -7), (-90, 30)):
        far.viewport.pan(dx, dy)
        QApplication.processEvents()
        assert differing(far) <= 6, "rounding where a wide line is cut by the edge of the painted part"


def test_a_command_hides_the_map(sample: Pilot) -> None:
    view = view_of(sample)
    view.viewport.zoom_reset()
    for _ in range(5):
        view.viewport.zoom_in()
    assert sample.window.canvas.over.minimap.isVisible()
    sample.press("Ctrl+M")
    assert not sample.window.canvas.over.minimap.isVisible()
    assert sample.window.commands.actions["view.minimap"].text() == "Show &Mini-map"
    sample.press("Ctrl+M")
    assert sample.window.canvas.over.minimap.isVisible()
    assert sample.window.palette().color(QPalette.ColorRole.Window).isValid()
