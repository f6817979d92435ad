"""A recording in the window: saved from a run, opened, stepped through; nothing of it is run or changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz import cli
from gradviz.document.files import recordings as files
from gradviz.document.snippet import Recorded
from gradviz.session.inspect.sources import made_at, place_of
from gradviz.session.state import Phase, Selection
from gradviz.trace.table import recording
from gradviz.ui.panel_area import in_front
from gradviz.ui.panels.ranks import HINT, RanksPanel
from gradviz.ui.services import recordings
from gradviz.worker.process.client import WorkerPool
from tests.document.test_opened import in_two_files
from tests.driver import Pilot
from tests.trace.running import run

SNIPPET = """\
import torch
import matplotlib.pyplot as plt
w = torch.tensor(3.0, requires_grad=True)
for i in range(3):
    loss = w * w
    loss.backward()
plt.plot([1.0, 4.0], label="loss")
plt.title("squares")
plt.show()
print(w.grad)
"""


@pytest.fixture
def saved(pilot: Pilot, tmp_path: Path) -> Path:
    """The recording of a run that was saved from the window, which then shows an empty snippet."""
    pilot.run_again(SNIPPET)
    path = tmp_path / "squares.gvtrace"
    pilot.answers.to_save = [str(path)]
    pilot.press("Ctrl+Alt+R")
    settle(pilot)
    assert pilot.state.notice.sentence == "Saved squares.gvtrace"
    return path


def settle(pilot: Pilot) -> None:
    pilot.qtbot.waitUntil(lambda: not pilot.window.shell.recordings.is_busy)


def opened(pilot: Pilot, path: Path) -> None:
    pilot.answers.to_keep = ["discard"]
    pilot.window.files.open_path(path)
    settle(pilot)


def test_what_was_saved_opens_with_all_its_steps(pilot: Pilot, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = pilot.state
    assert before.trace is not None
    monkeypatch.setattr(WorkerPool, "start", None)  # nothing runs from now on
    opened(pilot, saved)
    after = pilot.state
    assert after.trace is not None and after.trace is not before.trace
    assert (after.steps, after.run.phase, after.title) == (before.steps, Phase.OK, "squares.gvtrace")
    assert [figure.name for figure in after.run.figures] == ["squares"]
    lines = lambda trace: [trace.frame(cursor).current_line for cursor in range(len(trace) + 1)]  # noqa: E731
    assert lines(after.trace) == lines(before.trace)
    pilot.press("Ctrl+Home")
    pilot.step(4)
    assert pilot.state.cursor >= 4
    assert pilot.window.canvas.isVisible()
    assert pilot.state.view.recent[0] == str(saved)


def test_a_recording_says_what_it_is_and_is_neither_run_nor_changed(pilot: Pilot, saved: Path) -> None:
    opened(pilot, saved)
    state, editor = pilot.state, pilot.window.editor
    assert isinstance(state.document, Recorded) and state.is_recording and not state.is_dirty
    assert "A recording of Untitled" in editor.note.text() and "neither run nor changed" in editor.note.text()
    assert editor.note.isVisible()
    assert "recording" in pilot.window.status.label.text()
    for name in ("run.run", "run.what_if", "view.check", "draw.as_drawing", "file.save"):
        assert not pilot.window.commands.actions[name].isEnabled(), name
    QGuiApplication.clipboard().setText("x = 2")
    for keys in ("F5", "Ctrl+V", "Ctrl+X"):
        pilot.press(keys)
    editor.code.setFocus()
    QTest.keyClicks(editor.code, "x = 1")
    assert pilot.state.document == state.document and pilot.state.trace is state.trace
    pilot.window.shell.runner.run()
    assert pilot.state.notice.sentence.startswith("A recording is looked at, not run.")
    assert pilot.state.trace is state.trace


def test_another_document_can_be_changed_again(pilot: Pilot, saved: Path) -> None:
    opened(pilot, saved)
    pilot.window.files.new()
    assert pilot.run_again("import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\n") is Phase.OK
    assert not pilot.window.editor.note.isVisible()


def test_saving_an_open_recording_copies_its_file(pilot: Pilot, saved: Path, tmp_path: Path) -> None:
    opened(pilot, saved)
    pilot.answers.to_save = [str(tmp_path / "copy.gvtrace"), str(saved)]
    for _ in range(2):  # the second time onto itself
        pilot.press("Ctrl+Shift+S")
        settle(pilot)
    assert (tmp_path / "copy.gvtrace").read_bytes() == saved.read_bytes()


def test_a_file_that_breaks_off_opens_and_says_so(pilot: Pilot, saved: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gvtrace"
    cut.write_bytes(saved.read_bytes()[:-600])
    opened(pilot, cut)
    assert pilot.state.steps > 5 and "breaks off" in pilot.window.editor.note.text()


def test_a_file_that_breaks_off_before_its_first_step_opens_and_says_so(
    pilot: Pilot, saved: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.gvtrace"
    cut.write_bytes(saved.read_bytes()[: saved.stat().st_size * 6 // 10])
    opened(pilot, cut)
    assert pilot.state.steps == 0 and "breaks off" in pilot.window.editor.note.text()
    assert pilot.state.notice.sentence.startswith("cut.gvtrace holds no steps: the job ended before")


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"import torch\n", "can't be opened: it is not a recording"), (None, "does not exist")],
)
def test_what_cannot_be_read_says_why_and_changes_nothing(
    pilot: Pilot, data: bytes | None, why: str, tmp_path: Path
) -> None:
    path, before = tmp_path / "odd.gvtrace", pilot.state.document
    if data is not None:
        path.write_bytes(data)
    pilot.window.files.open_path(path)
    settle(pilot)
    assert why in pilot.state.notice.sentence
    assert pilot.state.document is before and pilot.state.trace is None


def test_opening_a_long_one_can_be_cancelled(pilot: Pilot, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load, shell = recording.load, pilot.window.shell
    told: list[str] = []

    def waiting(path: Path, progress: object) -> recording.Recording:
        while progress(0.42):  # type: ignore[operator]
            QTest.qSleep(5)
        raise recording.Cancelled

    monkeypatch.setattr("gradviz.document.files.recordings.load", waiting)
    opened_before = pilot.state.document
    pilot.window.files.open_path(saved)
    pilot.qtbot.waitUntil(lambda: pilot.window.status.cancel.isVisible())
    told.append(pilot.state.layout_progress)
    pilot.press("Shift+F5")
    assert not shell.recordings.is_busy and not pilot.state.layout_progress
    assert told == ["reading squares.gvtrace · 42 %"]
    assert pilot.state.document is opened_before
    monkeypatch.setattr("gradviz.document.files.recordings.load", load)
    opened(pilot, saved)
    assert pilot.state.is_recording


def test_a_run_is_recorded_and_looked_at_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "squares.py", tmp_path / "out.gvtrace"
    source.write_text(SNIPPET)
    assert cli.run_command_line(["run", str(source), "--steps", "--record", str(out)]) == 0
    told = capsys.readouterr().out
    assert cli.run_command_line(["run", str(out), "--steps"]) == 0
    steps = capsys.readouterr().out
    assert len(steps.splitlines()) > 10 and told.endswith(steps)
    assert cli.run_command_line(["run", str(out)]) == 1
    assert "is a recording, which can't be run" in capsys.readouterr().err
    assert cli.run_command_line(["export", str(out), "-o", str(tmp_path / "graph.svg")]) == 0
    assert "MulBackward0" in (tmp_path / "graph.svg").read_text()


RANK = """\
import torch
x = torch.tensor([{0}.0, 2.0])
w = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([w], lr=0.1)
for i in range(2):
    (w * x).sum().backward()
    if i < {1}: w.grad = torch.ones(2)
    optimizer.step()
"""


@pytest.mark.parametrize(("common", "said"), [(1, "part at step"), (2, "is equal")])
def test_a_folder_of_ranks_opens_side_by_side(pilot: Pilot, tmp_path: Path, common: int, said: str) -> None:
    for rank in range(2):
        about = recording.About(RANK.format(0, 0), "net.py", "PyTorch 2.13.0", rank=rank, ranks=2)
        trace = run(RANK.format(rank, common))
        files.write(tmp_path / f"rank{rank}.gvtrace", trace, about, recording.Ending())
    opened(pilot, tmp_path)
    state = pilot.state
    assert state.is_recording and state.path == tmp_path
    beside = state.what_if
    assert beside is not None and beside.titles == ("rank 0", "rank 1") and said in beside.summary
    apart = [row for row in beside.rows if row.sort == "rank"]
    assert [(row.subject, row.here, row.there) for row in apart] == (
        [] if common > 1 else [("w", "[0.8, 0.6]", "[0.7, 0.6]")]
    )
    if apart:
        assert state.cursor == apart[0].cursor_here and f"step {state.cursor}" in beside.summary
    pilot.answers.to_open = [str(tmp_path / "rank0.gvtrace")]
    pilot.window.commands.do("run.close_what_if")
    pilot.window.commands.do("file.compare_recording")
    settle(pilot)
    assert pilot.state.what_if is not None and not pilot.state.what_if.rows


def shown_ranks(pilot: Pilot, folder: Path, number: int) -> RanksPanel:
    """Open a job with so many ranks, of which the table is read at once."""
    for rank in range(number):
        about = recording.About(RANK.format(0, 0), "net.py", "PyTorch 2.13.0", rank=rank, ranks=number)
        files.write(folder / f"rank{rank}.gvtrace", run(RANK.format(rank, 2)), about, recording.Ending())
    opened(pilot, folder)
    panel = pilot.window.panel_area.panel("ranks")
    assert isinstance(panel, RanksPanel)
    pilot.qtbot.waitUntil(lambda: not panel.task.is_busy)
    QApplication.processEvents()
    return panel


def test_many_ranks_are_a_table_of_which_one_opens(pilot: Pilot, tmp_path: Path) -> None:
    area, tabs = pilot.window.panel_area, pilot.window.panel_area.cards["bottom"].tabs
    assert "Ranks" not in [tabs.tabText(at) for at in range(tabs.count()) if tabs.isTabVisible(at)]
    panel = shown_ranks(pilot, tmp_path, 4)
    assert "ranks" in in_front(area.cards) and tabs.isTabVisible(tabs.count() - 1)
    model, last = panel.model, panel.model.index(3, 0)
    assert model.rowCount() == 4 and [model.data(model.index(at, 2)) for at in range(4)] == ["2"] * 4
    titles = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    assert titles[0] == "Rank" and "Waits per update" in titles and panel.hint.text() == HINT
    panel.table.activated.emit(last)
    settle(pilot)
    beside = pilot.state.what_if
    assert beside is not None and beside.titles == ("rank 0", "rank 3") and "ranks" in in_front(area.cards)
    panel.table.activated.emit(model.index(0, 0))
    assert pilot.state.what_if is None and "ranks" in in_front(area.cards)
    opened(pilot, tmp_path / "rank2.gvtrace")
    assert not tabs.isTabVisible(tabs.count() - 1)


def test_a_rank_that_cannot_be_read_says_so_below_the_others(pilot: Pilot, tmp_path: Path) -> None:
    (tmp_path / "rank3.gvtrace").write_bytes(b"nothing")
    panel = shown_ranks(pilot, tmp_path, 3)
    assert panel.model.rowCount() == 3 and "rank3.gvtrace can't be opened" in panel.hint.text()


def test_closing_the_window_ends_the_reading(pilot: Pilot, saved: Path) -> None:
    pilot.window.files.open_path(saved)
    pilot.window.shell.recordings.close()
    QApplication.processEvents()
    assert not pilot.state.is_recording
    assert recordings.NOTHING.format("x").startswith("x holds no steps")


def test_the_file_is_shown_that_a_step_belongs_to(pilot: Pilot, tmp_path: Path) -> None:
    opened(pilot, in_two_files(tmp_path / "run.gvtrace"))
    editor, store = pilot.window.editor, pilot.window.shell.store
    store.move(2)
    assert editor.place.isVisible() and editor.place.text() == "net/model.py"
    assert "return x * 2" in editor.text and editor.code._step_line == 7
    assert [each.kind for each in made_at(pilot.state, 7, 12, editor.file)] == ["node", "tensor"]
    editor.code.break_clicked.emit(7)
    assert "not of the files that it imports" in pilot.state.notice.sentence and not pilot.state.breakpoints.points
    store.move(1)
    assert not editor.place.isVisible() and "import torch" in editor.text and editor.code._step_line == 2
    thing = Selection("node", 0)
    editor.show_place(place_of(pilot.state.trace, thing))
    assert editor.place.text() == "net/model.py" and editor.caret == (7, 11)
