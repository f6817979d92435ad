"""Breakpoints in the window: the editor's margin, the page that lists them, playing and running that stop at them; the
events list with its filter, and the memory page."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document.documents import with_text
from gradviz.document.snippet import Snippet
from gradviz.session.breakpoints.points import Breakpoint, Playback
from gradviz.session.state import Phase, Run, Selection
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.ui.panels.breakpoints import BreakpointsPanel
from gradviz.ui.panels.events import EventsPanel
from gradviz.ui.panels.memory import MemoryPanel
from tests.driver import Pilot
from tests.trace.running import run

TRAIN = """\
import torch
w = torch.tensor(1., requires_grad=True)
for t in range(5):
    loss = (w * 2 - t) ** 2
    loss.backward()
    print(t)
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run(TRAIN)


@pytest.fixture
def trained(pilot: Pilot, trace: Trace, monkeypatch: pytest.MonkeyPatch) -> Pilot:
    """A window that shows the loop, at its end. It looks at all of so short a trace at once, on a slow machine too."""
    monkeypatch.setattr("gradviz.ui.services.playback.AT_ONCE", 60.0)
    monkeypatch.setattr("gradviz.ui.panels.events.AT_ONCE", 60.0)
    store = pilot.window.store
    store.open(Snippet(TRAIN), None)
    store.end_run(Run(Phase.OK, store.state.document), trace)
    return pilot


def kind_now(pilot: Pilot) -> str:
    state = pilot.state
    assert state.trace is not None
    return Kind(int(state.trace.steps.kind[state.cursor - 1])).name


def click_margin(pilot: Pilot, line: int) -> None:
    code = pilot.window.editor.code
    block = code.document().findBlockByNumber(line - 1)
    y = code.blockBoundingGeometry(block).translated(code.contentOffset()).center().y()
    QTest.mouseClick(code.numbers, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(5, round(y)))


def breakpoints_of(pilot: Pilot) -> BreakpointsPanel:
    return cast(BreakpointsPanel, pilot.window.panel_area.panels["breakpoints"])


def events_of(pilot: Pilot) -> EventsPanel:
    pilot.window.shell.focus("events")
    return cast(EventsPanel, pilot.window.panel_area.panels["events"])


def test_a_click_beside_a_line_sets_a_breakpoint_and_takes_it_away(trained: Pilot) -> None:
    click_margin(trained, 5)
    assert trained.state.breakpoints.points == (Breakpoint(line=5),)
    assert len(trained.state.breakpoints.hits.steps) == 5, "found at once in a short trace"
    click_margin(trained, 5)
    assert trained.state.breakpoints.points == ()


def test_keys_set_a_breakpoint_and_go_to_it(trained: Pilot) -> None:
    trained.window.editor.code.go_to_line(6)
    trained.press("Ctrl+F2")
    trained.press("Alt+Home")
    trained.press("F2")
    trained.press("F2")
    assert kind_now(trained) == "PRINT" and trained.output.split() == ["0", "1"]
    trained.press("Shift+F2")
    assert trained.output.split() == ["0"]
    trained.press("Shift+F2")
    assert "No breakpoint" in trained.state.notice.sentence


def test_a_new_run_stops_at_the_first_breakpoint(trained: Pilot, trace: Trace) -> None:
    store = trained.window.store
    click_margin(trained, 5)
    store.end_run(Run(Phase.OK, store.state.document), run(TRAIN))
    assert store.state.cursor == store.state.breakpoints.hits.steps[0] + 1
    assert store.state.breakpoints.points == (Breakpoint(line=5),)


def test_playing_stops_at_a_breakpoint_and_loops_between_markers(trained: Pilot, qtbot: QtBot) -> None:
    store = trained.window.store
    store.look(replace(store.state.view, speed=1000.0))
    store.stop_at(store.state.breakpoints.with_points((Breakpoint(kind="accumulate"),)))
    store.move(0)
    trained.press("F6")
    qtbot.waitUntil(lambda: not store.state.playing, timeout=60_000)
    assert kind_now(trained) == "ACCUMULATE"
    store.stop_at(store.state.breakpoints.with_points(()))
    store.play_as(Playback(a=10, b=14))
    seen: set[int] = set()
    unsubscribe = store.subscribe(lambda _, after: seen.add(after.cursor))
    store.look(replace(store.state.view, speed=100.0))
    trained.press("F6")
    qtbot.waitUntil(lambda: len(seen & set(range(10, 15))) >= 3, timeout=60_000)
    assert store.state.playing
    trained.press("F6")
    assert not store.state.playing
    unsubscribe()
    store.play_as(Playback())
    store.move(5)
    trained.press("Shift+F6")
    qtbot.waitUntil(lambda: not store.state.playing, timeout=60_000)
    assert store.state.cursor == 0


def test_breakpoints_move_with_the_text(trained: Pilot) -> None:
    click_margin(trained, 5)
    store = trained.window.store
    store.edit("Typing", with_text(store.state.document, "# first\n" + TRAIN))
    assert store.state.breakpoints.points == (Breakpoint(line=6),)
    store.undo()
    assert store.state.breakpoints.points == (Breakpoint(line=5),)


def test_a_breakpoint_on_what_is_inspected(trained: Pilot) -> None:
    trained.window.store.select(Selection("tensor", 0))
    trained.press("Ctrl+Shift+F2")
    assert trained.state.breakpoints.points == (Breakpoint(name="w"),)


def test_the_last_change_of_a_thing(trained: Pilot) -> None:
    trained.window.store.select(Selection("tensor", 0))
    trained.press("Alt+Up")
    assert kind_now(trained) == "ACCUMULATE"
    at = trained.state.cursor
    trained.press("Alt+Up")
    assert trained.state.cursor < at
    trained.press("Alt+Down")
    assert trained.state.cursor <= at
    trained.press("Alt+Home")
    trained.press("Alt+Up")
    assert trained.state.notice.sentence == "Nothing has changed it before this step."


def test_the_page_adds_changes_switches_off_and_deletes(trained: Pilot) -> None:
    page = breakpoints_of(trained)
    trained.press("Ctrl+Shift+B")
    page.field.setText("line 5 when norm > 1e9")
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    page.field.setText("kind accumulate")
    page.add.click()
    assert trained.state.breakpoints.points == (
        Breakpoint(line=5, condition="norm > 1e9"),
        Breakpoint(kind="accumulate"),
    )
    assert page.table.rowCount() == 2 and page._item(1, 2).text() == "5" and page._item(0, 2).text() == "0"
    page._item(0, 1).setText("norm >= 0")
    assert trained.state.breakpoints.points[0].condition == "norm >= 0"
    assert int(page._item(0, 2).text()) > 0
    page.table.setCurrentCell(1, 0)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Space)
    assert not trained.state.breakpoints.points[1].enabled and page._item(1, 2).text() == "0"
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    assert len(trained.state.breakpoints.points) == 1


@pytest.mark.parametrize(
    ("text", "words"), [("nrm > 5", "nrm"), ("line 5 when (", "not valid Python"), ("kind foo", "foo")]
)
def test_the_page_refuses_in_a_sentence_at_the_place(trained: Pilot, text: str, words: str) -> None:
    page = breakpoints_of(trained)
    trained.window.shell.focus("breakpoints")
    page.field.setText(text)
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    assert words in page.message.text() and page.message.isVisible()
    assert trained.state.breakpoints.points == () and page.field.text() == text
    page.field.setText("norm > 5")
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    assert len(trained.state.breakpoints.points) == 1


def test_the_filter_lists_what_it_says_and_enter_goes_there(trained: Pilot) -> None:
    events = events_of(trained)
    trained.window.store.move(0)
    events.filter.setText("kind:accumulate w")
    assert events.model.rowCount() == 5 and events.count.text().startswith("5 of ")
    events.filter.setFocus()
    QTest.keyClick(events.filter, Qt.Key.Key_Return)
    assert kind_now(trained) == "ACCUMULATE"
    assert events.table.selectionModel().currentIndex().row() == 0
    QTest.keyClick(events.filter, Qt.Key.Key_Return)
    assert events.table.selectionModel().currentIndex().row() == 1
    QTest.keyClick(events.filter, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert events.table.selectionModel().currentIndex().row() == 0
    trained.window.store.move(trained.state.cursor + 1)
    assert not events.table.selectionModel().selectedRows(), "the current step is not listed"
    events.filter.clear()
    assert events.model.rowCount() == trained.state.steps
    assert events.table.selectionModel().currentIndex().row() == trained.state.cursor - 1


def test_a_long_filter_goes_on_in_slices(trained: Pilot, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.ui.panels.events.AT_ONCE", 0.0)
    monkeypatch.setattr("gradviz.ui.panels.events.SLICE", 0.0)
    events = events_of(trained)
    events.filter.setText("accumulategrad")
    assert "looked at" in events.count.text()
    qtbot.waitUntil(lambda: not events._timer.isActive(), timeout=60_000)
    assert events.model.rowCount() == 5


def test_the_memory_page_lists_who_holds_and_a_click_selects(trained: Pilot) -> None:
    memory = cast(MemoryPanel, trained.window.panel_area.panels["memory"])
    trace = trained.state.trace
    assert trace is not None
    trained.window.shell.focus("memory")
    trained.window.store.move(int(trace.held_bytes.argmax()))
    assert memory.model.rowCount() > 0
    index = memory.model.index(0, 0)
    assert "Backward0" in index.data()
    memory.table.clicked.emit(index)
    assert trained.state.selection == Selection("node", memory.model.holders[0].node)
    trained.window.store.move(0)
    assert memory.model.rowCount() == 0
    QTest.mouseClick(memory.curve, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(100, 60))
    assert trained.state.cursor > 0
