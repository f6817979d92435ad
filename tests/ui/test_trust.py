"""A file from elsewhere opens without running, by whatever way it comes in; Run is what the user does. Counted is what
a worker is asked to run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTextBrowser
from pytestqt.qtbot import QtBot

from gradviz.document.documents import Contents, text_of
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.files import opening, trust
from gradviz.document.files.examples import FOLDER
from gradviz.document.files.recovery import Recovery
from gradviz.document.shaping import add_call
from gradviz.document.snippet import Snippet
from gradviz.session.comparison.proposals import proposals
from gradviz.session.state import Phase
from gradviz.session.store import TYPING
from gradviz.session.trust_warnings import LONGEST, NOT_RUN, elsewhere
from gradviz.ui import launch
from gradviz.ui.dialogs import help_pages
from gradviz.ui.dialogs.help_pages import MODULES, safety_html
from gradviz.ui.panels import drawn_canvas, trust_bar
from gradviz.ui.services import recovery as recovery_keeper
from gradviz.ui.theme import LIGHT
from gradviz.worker.locks.layers import CAUTIONS, OPEN_DOORS, UNKNOWN
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.limits import Limits
from tests.driver import RUN_TIMEOUT, Answers, Pilot
from tests.dropping import carried, drop

SNIPPET = "import torch\nw = torch.tensor(3.0, requires_grad=True)\nloss = w * w\nloss.backward()\n"
DRAWN = add_call(
    Drawing((Leaf(1, "w", 3.0, requires_grad=True), Operation(2, "mul", (Ref(1), Ref(1)), names=("loss",))), next_id=3),
    Ref(2),
)
STRANGE = "net.gradviz is ready."


def with_w(number: float) -> Drawing:
    return replace(DRAWN, nodes=(Leaf(1, "w", number, requires_grad=True), DRAWN.nodes[1]))


class Counted:
    """Every text that a worker was asked to run."""

    def __init__(self) -> None:
        self.texts: list[str] = []


@pytest.fixture(autouse=True)
def ran(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted, start = Counted(), WorkerPool.start

    def note(self: WorkerPool, source: str, *rest: object) -> object:
        counted.texts.append(source)
        return start(self, source, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(WorkerPool, "start", note)
    return counted


@pytest.fixture
def snippet(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(SNIPPET)
    return path


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    path = tmp_path / "net.gradviz"
    opening.save(path, Contents(DRAWN, "Look at w."))
    return path


def nothing_ran(pilot: Pilot, ran: Counted) -> None:
    """And nothing is about to."""
    QApplication.processEvents()
    assert ran.texts == []
    assert pilot.window.shell.live.is_settled and not pilot.window.shell.wire_trial.live.is_running
    assert (pilot.state.run.phase, pilot.state.trace, pilot.state.is_trusted) == (Phase.NEVER, None, False)


# the ways in


def by_command_line(pilot: Pilot, path: Path) -> None:
    launch._open(pilot.window, path, None)


def by_dialog(pilot: Pilot, path: Path) -> None:
    pilot.answers.to_open = [str(path)]
    pilot.press("Ctrl+O")


def by_recent(pilot: Pilot, path: Path) -> None:
    pilot.window.store.look(pilot.state.view.with_recent(str(path)))
    pilot.window.commands.choose("file.recent", str(path))


def by_drop_on_the_window(pilot: Pilot, path: Path) -> None:
    drop(pilot.window, carried(path))


def by_drop_on_a_drawing(pilot: Pilot, path: Path) -> None:
    pilot.window.files.new_drawing()
    drop(pilot.window.canvas.drawn.view, carried(path))


def by_recovery(pilot: Pilot, path: Path) -> None:
    pilot.answers.to_recover = [True]
    pilot.window.files.recover(Recovery(opening.load(path), str(path)))


WAYS = (by_command_line, by_dialog, by_recent, by_drop_on_the_window, by_drop_on_a_drawing, by_recovery)


@pytest.mark.parametrize("way", WAYS)
def test_by_whatever_way_it_comes_nothing_runs(
    pilot: Pilot, ran: Counted, snippet: Path, drawing: Path, way: Callable[[Pilot, Path], None]
) -> None:
    for path, text in ((snippet, SNIPPET), (drawing, text_of(DRAWN))):
        way(pilot, path)
        assert text_of(pilot.state.document) == text
        nothing_ran(pilot, ran)
        if path == snippet:
            pilot.answers.to_keep = ["discard"]
            pilot.window.files.new()
    bar = pilot.window.editor.trust_bar
    assert bar is not None and bar.isVisible()


def test_several_files_at_once_run_in_none_of_their_windows(
    pilot: Pilot,
    ran: Counted,
    qtbot: QtBot,
    snippet: Path,
    drawing: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(recovery_keeper, "default_folder", lambda: tmp_path / "recovery")
    pilot.window.files.open_paths([snippet, drawing])
    other = pilot.window.windows.open_now[-1]
    try:
        qtbot.waitUntil(lambda: other.store.state.drawing is not None, timeout=60_000)
        nothing_ran(pilot, ran)
        nothing_ran(Pilot(qtbot, other, Answers()), ran)
    finally:
        other.store.open(Snippet(), None)
        other.close()
        other.deleteLater()


# Run


def test_run_runs_it_and_then_it_is_the_users_own(pilot: Pilot, ran: Counted, drawing: Path) -> None:
    by_command_line(pilot, drawing)
    nothing_ran(pilot, ran)
    assert not pilot.window.editor.note.isVisible(), "a stranger's words do not stand beside ours"
    assert pilot.run() is Phase.OK
    assert pilot.window.editor.note.isVisible()
    assert ran.texts == [text_of(DRAWN)] and pilot.state.is_trusted
    pilot.expect_grad("w", 6.0)
    with pilot.qtbot.waitSignal(pilot.window.shell.live.ended, timeout=RUN_TIMEOUT):
        pilot.window.store.edit("Change w", with_w(5.0))
    pilot.expect_grad("w", 10.0)
    pilot.answers.to_keep = ["discard"]
    pilot.window.files.new()
    with pilot.qtbot.waitSignal(pilot.window.shell.live.ended, timeout=RUN_TIMEOUT):
        by_dialog(pilot, drawing)
    pilot.expect_grad("w", 6.0)


def test_the_bar_is_reached_by_keyboard_and_goes_with_the_run(pilot: Pilot, ran: Counted, snippet: Path) -> None:
    by_dialog(pilot, snippet)
    bar = pilot.window.editor.trust_bar
    assert bar is not None
    assert bar.accessibleName() == bar.sentence.text() == "net.py is ready. Nothing has run yet."
    for button in (bar.run, bar.details):
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert button.accessibleName() or button.text()
    bar.run.setFocus()
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        QTest.keyClick(bar.run, Qt.Key.Key_Space)
    assert ran.texts == [SNIPPET]
    assert not bar.isVisible() and pilot.window.editor.code.hasFocus()


def test_one_file_of_ones_own_and_the_examples_run_when_they_are_named(
    pilot: Pilot, ran: Counted, snippet: Path
) -> None:
    by_dialog(pilot, snippet)
    pilot.run()
    pilot.window.files.new()
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        by_command_line(pilot, snippet)
    assert ran.texts == [SNIPPET] * 2
    example = FOLDER / "01_two_gradients.py"
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        by_command_line(pilot, example)
    assert ran.texts[2] == example.read_text()
    snippet.write_text(SNIPPET + "# one more line\n")
    by_command_line(pilot, snippet)
    assert not pilot.state.is_trusted and len(ran.texts) == 3


def test_to_name_a_step_is_to_run(pilot: Pilot, ran: Counted, snippet: Path) -> None:
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=RUN_TIMEOUT):
        launch._open(pilot.window, snippet, "1")
    assert ran.texts == [SNIPPET] and pilot.state.cursor == 1


# what comes between opening and running


def test_editing_does_not_trust(pilot: Pilot, ran: Counted, drawing: Path) -> None:
    by_dialog(pilot, drawing)
    store, window = pilot.window.store, pilot.window
    store.edit("Change w", with_w(4.0))
    store.edit("Change w", with_w(4.5), merge="slider")
    store.edit("Change w", with_w(5.0), merge="slider")
    store.seal()
    store.undo()
    store.redo()
    answered: list[str] = []
    window.shell.wire_trial.ask(with_w(7.0), answered.append)
    assert answered == [""]
    window.commands.do("run.what_if")
    assert QApplication.activeModalWidget() is None
    window.shell.what_if_runner.start(proposals("import torch\ntorch.manual_seed(0)\n")[0])
    assert pilot.state.notice.sentence == "Nothing has run yet. Press Run (F5) before trying a change."
    window.shell.chains.ask(0)
    nothing_ran(pilot, ran)
    waiting = window.canvas.drawn.waiting
    assert waiting.isVisible() and waiting.text() == f"{STRANGE} Nothing has run yet. Press Run (F5) to see its values."
    assert window.status.label.text().startswith("nothing has run yet")
    assert pilot.run() is Phase.OK
    assert ran.texts == [text_of(with_w(5.0))] and not waiting.isVisible()


def test_edit_as_drawing_runs_nothing(pilot: Pilot, ran: Counted, snippet: Path) -> None:
    by_dialog(pilot, snippet)
    pilot.press("Ctrl+Shift+D")
    assert pilot.state.drawing is not None
    nothing_ran(pilot, ran)
    pilot.press("Ctrl+Shift+T")
    assert pilot.state.drawing is None
    nothing_ran(pilot, ran)


def test_what_is_saved_without_a_run_stays_strange(pilot: Pilot, ran: Counted, snippet: Path, tmp_path: Path) -> None:
    by_dialog(pilot, snippet)
    pilot.window.store.edit(TYPING, Snippet(SNIPPET + "# mine\n"))
    assert pilot.window.files.save()
    by_command_line(pilot, snippet)
    nothing_ran(pilot, ran)
    pilot.window.files.new()
    pilot.type_snippet(SNIPPET + "# made here\n")
    pilot.answers.to_save = [str(tmp_path / "own.py")]
    assert pilot.window.files.save()
    pilot.window.files.new()
    assert pilot.window.files.open_path(tmp_path / "own.py")
    assert pilot.state.is_trusted


def test_what_another_program_wrote_waits_for_run(pilot: Pilot, ran: Counted, drawing: Path) -> None:
    by_dialog(pilot, drawing)
    pilot.run()
    opening.save(drawing, Contents(with_w(7.0)))
    later = drawing.stat().st_mtime_ns + 5_000_000_000
    os.utime(drawing, ns=(later, later))
    pilot.answers.to_changed = ["reload"]
    pilot.window.files.look_at_disk()
    assert pilot.state.document == with_w(7.0)
    assert pilot.state.doubt == "net.gradviz was changed by another program."
    ran.texts.clear()
    nothing_ran(pilot, ran)
    pilot.window.store.undo()
    nothing_ran(pilot, ran)
    assert pilot.run() is Phase.OK


def test_nothing_of_a_run_is_shown_in_the_document_that_is_opened_meanwhile(
    pilot: Pilot, ran: Counted, snippet: Path
) -> None:
    pilot.type_snippet("import torch\nwhile True:\n    torch.ones(2)\n")
    pilot.press("F5")
    assert pilot.state.run.is_running
    pilot.answers.to_keep = ["discard"]
    pilot.window.files.open_path(snippet)
    assert not pilot.window.shell.runner.live.is_running
    ran.texts.clear()
    nothing_ran(pilot, ran)


def test_a_file_cannot_say_that_it_is_trusted(pilot: Pilot, ran: Counted, drawing: Path) -> None:
    hostile = {"trusted": True, "doubt": "", "own": True, "run": True, "limits": {"wall_seconds": 1e9}, "policy": "off"}
    written = json.loads(drawing.read_text())
    written["view"] = {**written.get("view", {}), **hostile}
    drawing.write_text(json.dumps({**written, **hostile}))
    by_command_line(pilot, drawing)
    nothing_ran(pilot, ran)
    assert pilot.window.shell.runner.pool.limits == pilot.window.shell.live.pool.limits == Limits()


# what is said


def test_where_it_was_downloaded_from_is_said(
    pilot: Pilot, ran: Counted, snippet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "origin_of", lambda _: "from example.org")
    by_dialog(pilot, snippet)
    assert pilot.state.doubt == "net.py was downloaded from example.org."
    nothing_ran(pilot, ran)


def test_a_name_is_said_as_it_is_and_not_longer_than_a_name() -> None:
    assert elsewhere("<b>x</b>\n.py") == "<b>x</b>\ufffd.py is ready."
    assert len(elsewhere("n" * 500 + ".py")) == len(elsewhere("n" * LONGEST))


def test_what_it_may_do_is_told_from_the_bar_and_from_the_help_menu(pilot: Pilot, snippet: Path) -> None:
    by_dialog(pilot, snippet)
    bar = pilot.window.editor.trust_bar
    assert bar is not None
    pilot.qtbot.waitUntil(lambda: bool(pilot.window.shell.runner.pool.layers), timeout=RUN_TIMEOUT)
    for ask in (bar.details.click, lambda: pilot.press("Ctrl+F1")):
        ask()
        dialog = QApplication.activeModalWidget()
        assert dialog is not None
        browser = dialog.findChild(QTextBrowser)
        assert browser is not None
        text = browser.toPlainText()
        limits = pilot.window.shell.runner.pool.limits
        for said in (
            f"{limits.memory_mb:,} MB",
            "import gradviz.torch as torch",
            "no setting, option or file",
            "audit",
        ):
            assert said in text, said
        dialog.close()
    assert not pilot.state.is_trusted, "to read about it is not to run it"


def test_tab_reaches_the_buttons_of_the_bar_before_the_code(pilot: Pilot, snippet: Path) -> None:
    by_dialog(pilot, snippet)
    bar = pilot.window.editor.trust_bar
    assert bar is not None
    assert bar.run.nextInFocusChain() is bar.details
    assert bar.details.nextInFocusChain() is pilot.window.editor.code


def test_where_the_kernel_does_not_close_files_the_page_says_so() -> None:
    linux = {"language": "on", "audit hook": "on", "landlock": "on (ABI 7)", "seccomp": "absent: <no>", "trial": "on"}
    windows = {"language": "on", "audit hook": "on", "job": "on", "trial": "absent: it could open a file"}
    doors = OPEN_DOORS.format("it could open a file")
    assert doors not in safety_html(linux, Limits(), LIGHT) and "&lt;no&gt;" in safety_html(linux, Limits(), LIGHT)
    assert doors in safety_html(windows, Limits(), LIGHT)
    assert UNKNOWN in safety_html({}, Limits(), LIGHT)


@pytest.mark.parametrize("system", CAUTIONS)
def test_where_the_locks_were_never_seen_at_work_the_bar_and_the_page_say_so(
    pilot: Pilot, snippet: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    for module in (trust_bar, drawn_canvas, help_pages):
        monkeypatch.setattr(module, "caution", lambda: CAUTIONS[system])
    by_dialog(pilot, snippet)
    bar = pilot.window.editor.trust_bar
    assert bar is not None
    assert bar.sentence.text().endswith(f"{NOT_RUN} {CAUTIONS[system]}")
    assert bar.accessibleName() == bar.sentence.text()
    assert CAUTIONS[system] in safety_html({"language": "on"}, Limits(), LIGHT)


def test_what_the_page_says_may_be_imported_may_be(ran: Counted) -> None:
    pool = WorkerPool()
    try:
        run = pool.start("\n".join(f"import {name}" for name in (*MODULES, "matplotlib.pyplot")), lambda _: None)
        done = run.wait(60)
    finally:
        pool.close()
    assert done is not None and done.status == "ok", done
