"""Walking over steps that are folded: stops, breakpoints within a fold, playing, and every step where it is wanted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.session.breakpoints.points import Breakpoint, Breakpoints, Playback, advanced
from gradviz.session.state import State
from tests.driver import Pilot
from tests.trace.running import run

SNIPPET = """import torch
w = torch.tensor(3., requires_grad=True)
y = w * 2
y.backward()
with torch.no_grad():
    a = w + 1
    b = a + 1
    c = b + 1
print(c)
"""
STOPS = [1, 2, 3, 5, 6, 9, 10]


@pytest.fixture
def walked(pilot: Pilot) -> Pilot:
    pilot.run_again(SNIPPET)
    trace = pilot.state.trace
    assert trace is not None and trace.folds.ends.tolist() == STOPS
    return pilot


def test_the_title_has_the_numbers_of_all_steps(walked: Pilot) -> None:
    walked.window.store.move(9)
    title = walked.window.panel_area.panels["explanation"].title  # type: ignore[attr-defined]
    assert title.text().startswith("Steps 7–9 of 10 · 3 untracked operations")
    walked.press("Ctrl+Alt+E")
    assert title.text().startswith("Step 9 of 10 · add +")
    walked.press("F9")
    assert walked.state.cursor == 8


def test_a_breakpoint_within_a_fold_stops(walked: Pilot) -> None:
    walked.window.store.stop_at(Breakpoints((Breakpoint(line=7),)))
    walked.qtbot.waitUntil(lambda: walked.state.breakpoints.hits.is_complete)
    walked.window.store.move(6)
    seen = []
    for _ in range(3):
        walked.press("F10")
        seen.append(walked.state.cursor)
    assert seen == [8, 9, 10]
    for _ in range(3):
        walked.press("F9")
        seen.append(walked.state.cursor)
    assert seen[3:] == [9, 8, 6]


def test_jumps_show_a_node_with_what_it_lets_go_of(walked: Pilot) -> None:
    walked.press("Alt+Home")
    walked.press("F8")
    assert walked.state.cursor == 5


@pytest.mark.parametrize("key", ["F6", "Shift+F6"])
def test_playing_stops_where_folds_end(walked: Pilot, key: str) -> None:
    walked.window.store.look(replace(walked.state.view, speed=30.0))
    walked.window.store.move(0 if key == "F6" else 10)
    seen: list[int] = []
    walked.window.store.subscribe(lambda _, after: seen.append(after.cursor))
    walked.press(key)
    walked.qtbot.waitUntil(lambda: not walked.state.playing, timeout=60_000)
    walk = list(dict.fromkeys(seen))
    assert walk == [0, *STOPS] if key == "F6" else walk == [10, 9, 6, 5, 3, 2, 1, 0]


def test_fast_playing_goes_as_many_folds_as_steps() -> None:
    folds = run(SNIPPET).folds
    forward, backward = Playback(), Playback(direction=-1)
    assert advanced(0.0, 4.0, forward, 10, (), folds).at == 5.0
    assert advanced(9.0, 2.0, backward, 10, (), folds).at == 5.0
    assert advanced(0.0, 6.0, forward, 10, (7,), folds) == advanced(0.0, 9.0, forward, 10, (7,))
    assert advanced(9.0, 3.0, forward, 10, (), folds).stops


def test_before_there_is_a_trace_nothing_is_folded() -> None:
    from gradviz.session import moves

    assert (
        moves.walked(State(), 1) == 1 and moves.settled(State(), 3) == 3 and moves.with_buffers(State(), None) is None
    )
