"""Every reference case as an example in the gallery: run it, step by keyboard from the first step to the last and
back; each step says what it did, and stepping back shows exactly what was seen on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.files.examples import FOLDER, examples
from gradviz.session.state import Phase
from tests.driver import Pilot

CASES = [example for example in examples() if example.path.name[:2] in {f"0{number}" for number in range(1, 9)}]
ENDS = {"05": Phase.RAISED, "07": Phase.RAISED}


@pytest.mark.parametrize("every", [False, True], ids=["folded", "every step"])
@pytest.mark.parametrize("path", [example.path for example in CASES], ids=lambda path: path.stem)
def test_a_reference_case_from_the_first_step_to_the_last_and_back(pilot: Pilot, path: Path, every: bool) -> None:
    if every:
        pilot.press("Ctrl+Alt+E")
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        pilot.window.files.open_example(str(path))
    assert pilot.state.run.phase is ENDS.get(path.name[:2], Phase.OK)
    steps, trace = pilot.state.steps, pilot.state.trace
    assert steps > 0 and trace is not None
    cursors = list(range(1, steps + 1)) if every else trace.folds.ends.tolist()
    pilot.press("Alt+Home")
    seen = {0: look(pilot)}
    for cursor in cursors:
        pilot.step()
        assert pilot.state.cursor == cursor
        seen[cursor] = look(pilot)
    assert pilot.state.cursor == steps
    for cursor in reversed([0, *cursors]):
        assert pilot.state.cursor == cursor
        assert look(pilot) == seen[cursor]
        pilot.back()


def look(pilot: Pilot) -> tuple[str, str, str, list[int]]:
    """What the panels say at this step."""
    inspector = pilot.window.panel_area.panels["inspector"].browser.toPlainText()  # type: ignore[attr-defined]
    lines = [mark.cursor.blockNumber() for mark in pilot.window.editor.code.extraSelections()]
    if pilot.state.cursor:
        assert len(pilot.sentence.strip()) > 10
    return pilot.sentence, inspector, pilot.output, lines


def test_all_eight_reference_cases_are_there() -> None:
    assert len(CASES) == 8
    assert all(example.title and example.paragraph and example.look_at for example in CASES), FOLDER
