"""Run in My PyTorch: nothing runs before it is trusted, the graph grows while the job runs, and what came is stepped
through like any run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from gradviz.session.state import Phase
from gradviz.trace.record.chosen import is_choice
from gradviz.trace.table.recording import Ending
from gradviz.ui.dialogs.run_dialogs import PyTorchDialog
from tests.driver import Pilot
from tests.pythons import environment, recording_python
from tests.trace.running import run as traced

TEXT = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
REFUSED = f"exec(compile(input(), 'x', 'exec'))\n{TEXT}"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in for PyTorch is started by its first line")


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment but those of the test is found."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PATH"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "nobody")


def opened(pilot: Pilot) -> PyTorchDialog:
    pilot.press("Ctrl+Alt+F5")
    dialog = pilot.window.findChild(PyTorchDialog)
    assert dialog is not None
    pilot.qtbot.waitUntil(lambda: not dialog.note.text().startswith("Looking"))
    return dialog


def test_a_refused_file_runs_in_the_users_pytorch_and_is_stepped_through(pilot: Pilot, tmp_path: Path) -> None:
    trace = traced(TEXT)
    python = recording_python(tmp_path / ".venv", trace, Ending("ok"))
    script = tmp_path / "train.py"
    script.write_text(REFUSED)
    pilot.window.shell.files.open_path(script)
    assert pilot.run() is Phase.REFUSED
    dialog = opened(pilot)
    assert "train.py" in dialog.findChildren(type(dialog.note))[0].text()
    assert dialog.list.currentItem().text() == f"PyTorch 9.9, Python {_here()}\n{python}"
    assert not dialog.run_button.isEnabled(), "not before it is trusted"
    dialog.trust.click()
    dialog.run_button.click()
    pilot.qtbot.waitUntil(lambda: pilot.state.trace is not None and len(pilot.state.trace) == len(trace))
    assert pilot.state.run.is_running
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        python.with_name("go").touch()
    assert (pilot.state.run.phase, pilot.state.run.sentence) == (Phase.OK, "Ran in PyTorch 9.9.")
    assert pilot.state.cursor == pilot.state.steps == len(trace)
    pilot.window.activateWindow()
    pilot.qtbot.waitUntil(pilot.window.isActiveWindow)
    pilot.back()
    assert pilot.state.cursor < len(trace)


def _here() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_what_is_typed_reaches_the_job_and_what_is_wrong_is_not_run(pilot: Pilot, tmp_path: Path) -> None:
    python = recording_python(tmp_path / "elsewhere", traced(TEXT), Ending("ok"))
    python.with_name("go").touch()
    pilot.type_snippet(TEXT)
    dialog = opened(pilot)
    assert dialog.list.count() == 0 and "No Python was found" in dialog.note.text()
    pilot.answers.to_open = [str(python)]
    dialog._choose()
    dialog.trust.click()
    for field, wrong, right in ((dialog.arguments, "--name 'A", "--name 'A B'"), (dialog.iterations, "0-", "0-3, 7")):
        field.setText(wrong)
        assert not dialog.run_button.isEnabled()
        field.setText(right)
        assert dialog.run_button.isEnabled()
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        dialog.run_button.click()
    assert "--steps 0-3,7 arguments --name A B" in "".join(pilot.window.shell.runner.live.printed)


def test_a_python_that_can_not_run_it_says_why_and_is_not_chosen(pilot: Pilot, tmp_path: Path) -> None:
    environment(tmp_path / ".venv", numpy="2.0")
    pilot.window.shell.files.open_path(_written(tmp_path))
    dialog = opened(pilot)
    item = dialog.list.item(0)
    assert "pip install torch" in item.text() and not item.flags() & Qt.ItemFlag.ItemIsEnabled
    dialog.trust.click()
    assert not dialog.run_button.isEnabled()


def test_changes_are_saved_before_the_file_runs(pilot: Pilot, tmp_path: Path) -> None:
    python = recording_python(tmp_path / ".venv", traced(TEXT), Ending("ok"))
    python.with_name("go").touch()
    script = _written(tmp_path)
    pilot.window.shell.files.open_path(script)
    pilot.type_snippet(TEXT + "# changed\n")
    dialog = opened(pilot)
    assert dialog.run_button.text() == "&Save and Run"
    dialog.trust.click()
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        dialog.run_button.click()
    assert script.read_text().endswith("# changed\n")
    assert "script train.py 4" in "".join(pilot.window.shell.runner.live.printed)


def _written(folder: Path) -> Path:
    script = folder / "train.py"
    script.write_text(TEXT)
    return script


@pytest.mark.parametrize(
    ("text", "are"),
    [("", True), ("0-9,100", True), ("first:2,every:9,last:1", True), ("a", False), ("1-", False), ("1,,2", False)],
)
def test_lists_of_iterations(text: str, are: bool) -> None:
    assert is_choice(text) is are
