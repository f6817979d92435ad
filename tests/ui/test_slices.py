"""What a change of the state wakes: the panels and commands that show something of it, and no others. What is behind
another panel waits until it is seen, and each panel reads only what it says that it shows."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import fields
from pathlib import Path
from types import FrameType
from typing import Any, get_args

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import gradviz
from gradviz.commands.table import COMMANDS
from gradviz.document.snippet import Snippet
from gradviz.session.state import Field, ReadState, Search, Slice, State
from gradviz.ui.panels.panel import Panel
from gradviz.ui.window import MainWindow
from tests.driver import Pilot

OURS = str(Path(gradviz.__file__).parent)
FILES_OF_A_STEP = 60
OF_THE_PROGRAM = {"ui/memory_management.py"}  # its timer belongs to no window, and goes on
SQUARE = "import torch\nw = torch.tensor(3., requires_grad=True)\ny = w * w\ny.backward()\n"


def test_a_slice_can_name_every_field_of_the_state() -> None:
    assert list(get_args(Field)) == [field.name for field in fields(State)]


def test_a_step_enters_few_of_our_files(pilot: Pilot) -> None:
    """Painting included; what shows nothing of the cursor sleeps. What comes by the clock is no part of a step."""
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.examined, timeout=60_000):
        pilot.run_again(SQUARE)
    pilot.qtbot.waitUntil(lambda: pilot.window.canvas.is_settled)
    pilot.window.store.move(2)
    pilot.qtbot.wait(1500)  # the next worker reports after a run
    for timer in pilot.window.findChildren(QTimer):
        timer.stop()
    entered: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            entered.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        pilot.window.commands.do("run.step")
        for _ in range(20):
            QApplication.processEvents()
    finally:
        sys.setprofile(None)
    assert pilot.state.cursor == 3
    names = sorted({str(Path(name).relative_to(OURS)) for name in entered} - OF_THE_PROGRAM)
    assert "ui/panels/timeline.py" in names and "ui/canvas/painter.py" in names
    assert len(names) <= FILES_OF_A_STEP, names


def shown(window: MainWindow, name: str) -> list[State]:
    """The states that a panel shows from now on."""
    panel, states = window.panel_area.panel(name), list[State]()
    show = panel.show_state

    def note(before: State, after: State) -> None:
        states.append(after)
        show(before, after)

    panel.show_state = note  # type: ignore[method-assign]
    return states


def test_a_panel_hears_of_what_it_shows_only(sample: Pilot) -> None:
    timeline, canvas, gallery = (shown(sample.window, name) for name in ("timeline", "canvas", "examples"))
    sample.window.store.look_for(Search(open=True, query="mul"))
    assert (len(timeline), len(canvas), len(gallery)) == (0, 1, 0)
    sample.window.store.move(3)
    assert (len(timeline), len(canvas), len(gallery)) == (1, 2, 0)


def test_a_panel_behind_another_one_shows_what_it_missed_when_it_is_seen(sample: Pilot) -> None:
    memory = shown(sample.window, "memory")
    for cursor in (3, 5, 7):
        sample.window.store.move(cursor)
    assert not memory
    sample.window.panel_area.bring("memory")
    assert [state.cursor for state in memory] == [7]
    sample.window.store.move(8)
    assert [state.cursor for state in memory] == [7, 8]


def use(pilot: Pilot) -> None:
    """Many kinds of changes."""
    store, do = pilot.window.store, pilot.window.commands.do
    pilot.run_again(SQUARE)
    for cursor in (0, 2, store.state.steps):
        store.move(cursor)
    do("run.next_backward")
    store.look_for(Search(open=True, query="mul"))
    store.look_for(Search())
    do("run.play")
    do("run.play")
    pilot.type_snippet(SQUARE + "print(w.grad)\n")
    do("edit.undo")
    do("edit.redo")
    pilot.run_again("import torch\nw = torch.ones(2)\nw @ torch.ones(3)\n")
    store.open(Snippet(), None)
    do("draw.new")


def test_panels_read_nothing_that_they_do_not_show(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else they would miss a change of it."""
    area, store = pilot.window.panel_area, pilot.window.store
    read: defaultdict[str, set[str]] = defaultdict(set)

    def show(name: str, panel: Panel, before: State, after: State) -> None:
        one = ReadState.of(before)
        other = one if before is after else ReadState.of(after)
        store._state = other
        try:
            panel.show_state(one, other)
        finally:
            store._state = after
        read[name] |= {*one.slice().names, *other.slice().names} - {"steps"}

    def show_all(before: State, after: State) -> None:
        for name, panel in tuple(area.made.items()):
            show(name, panel, before, after)

    assert len(area.panels) > 10  # all are made, also those behind others
    monkeypatch.setattr(area, "show_state", show_all)
    use(pilot)
    missed = {name: names - {*area.made[name].shows.names} for name, names in read.items()}
    assert not {name: names for name, names in missed.items() if names}
    assert set(read) == set(area.panels)


def test_commands_are_as_if_all_of_them_were_asked_after_every_change(pilot: Pilot) -> None:
    differing = []

    def compare(_: State, after: State) -> None:
        for row in COMMANDS:
            action = pilot.window.commands.actions.get(row.id)
            title = row.retitle(after) if row.retitle is not None else row.title
            if action is not None and (action.isEnabled(), action.text()) != (row.enabled(after), title):
                differing.append(row.id)

    leave = pilot.window.store.subscribe(compare)
    use(pilot)
    leave()
    assert not differing


def test_a_slice_differs_by_identity_and_a_state_beside_itself_in_all() -> None:
    state = State(cursor=1)
    other = State(cursor=1, steps=2, view=state.view, document=state.document)
    assert not Slice("cursor", "view", "document").differs(state, other)
    assert Slice("steps").differs(state, other) and not Slice().differs(state, other)
    assert Slice().differs(state, state)
