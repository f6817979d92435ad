"""Attaching files in a window: by the command, by dropping, from what a run looked for; and running with more time, or
with cuda as the CPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.commands.row import Choice
from gradviz.commands.running import RUN_ROWS
from gradviz.document.documents import arguments_of, files_of
from gradviz.document.files import opening
from gradviz.document.snippet import MOST_ATTACHED, Snippet
from gradviz.session.state import Phase
from gradviz.ui.dialogs.run_dialogs import WHAT_SCRIPTS_SEE, RunDialog
from gradviz.ui.panels.editor import EditorPanel
from tests.driver import Pilot
from tests.dropping import carried, drop

READS = "import torch\nx = torch.ones(1, requires_grad=True)\nprint(open('data/names.txt').read(), (x * 2).item())\n"
IMPORTS = "import torch\nfrom helper import double\nx = torch.ones(1, requires_grad=True)\nprint(double(x).item())\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "names.txt").write_text("Anna")
    (tmp_path / "helper.py").write_text("def double(x):\n    return 2 * x\n")
    return tmp_path


def attached(pilot: Pilot) -> list[str]:
    return [each.name for each in files_of(pilot.state.document)]


def editor(pilot: Pilot) -> EditorPanel:
    found = pilot.window.findChild(EditorPanel)
    assert found is not None
    return found


def test_a_file_that_a_run_looked_for_is_attached_from_its_error(pilot: Pilot, data: Path) -> None:
    assert pilot.run_again(READS) is Phase.RAISED
    card = editor(pilot).card
    assert card.attach.isVisible() and card.attach.text().replace("&", "") == "Attach names.txt…"
    pilot.answers.to_open = [str(data / "names.txt")]
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        card.attach.click()
    assert pilot.state.run.phase is Phase.OK and attached(pilot) == ["data/names.txt"], "as the snippet calls it"
    assert pilot.answers.asked == ["Attach data/names.txt"]
    assert "data/names.txt" in editor(pilot).attached.text() and editor(pilot).attached.isVisible()


def test_a_module_that_is_dropped_is_attached_where_it_is_imported(pilot: Pilot, data: Path) -> None:
    assert pilot.run_again(IMPORTS) is Phase.RAISED
    assert editor(pilot).card.attach.text().replace("&", "") == "Attach helper.py…"
    assert drop(pilot.window, carried(data / "helper.py", data / "names.txt"))
    assert attached(pilot) == ["helper.py", "names.txt"] and pilot.run() is Phase.OK
    pilot.window.shell.attachments.detach("helper.py")
    assert attached(pilot) == ["names.txt"]
    pilot.window.store.undo()
    assert attached(pilot) == ["helper.py", "names.txt"]


def test_a_module_beside_a_file_is_found_by_each_run_as_it_is_then(pilot: Pilot, data: Path) -> None:
    (data / "main.py").write_text(IMPORTS)
    assert pilot.window.shell.files.open_path(data / "main.py")
    assert pilot.run() is Phase.OK and not attached(pilot) and not pilot.state.is_dirty
    (data / "helper.py").write_text("def double(x):\n    return 20 * x\n")
    assert pilot.run() is Phase.OK
    assert "20." in pilot.output, "as it is on disk now"
    (data / "helper.py").unlink()
    assert pilot.run() is Phase.RAISED


def test_a_module_that_nothing_imports_opens(pilot: Pilot, data: Path) -> None:
    assert drop(pilot.window, carried(data / "helper.py"))
    assert attached(pilot) == [] and pilot.state.path == data / "helper.py"


def test_a_page_with_code_opens_and_runs_with_its_lines(pilot: Pilot, data: Path) -> None:
    page = data / "page.md"
    page.write_text("# A page\n\n```python\nprint(6 * 7)\n1 / 0\n```\n")
    assert drop(pilot.window, carried(page))
    assert attached(pilot) == [] and pilot.state.path == page
    assert pilot.run() is Phase.RAISED and pilot.state.run.line == 5 and pilot.output.startswith("42\n")


def test_files_are_kept_in_a_gradviz_file_only(pilot: Pilot, data: Path) -> None:
    pilot.window.store.open(Snippet("x = 1\n"), None)
    pilot.window.shell.attachments.attach_paths([data / "names.txt"])
    pilot.window.store.edit("Change Arguments", replace(pilot.state.document, arguments="--lr 'a b'"))
    pilot.answers.to_save = [str(data / "a.py"), str(data / "a.gradviz")]
    assert pilot.window.files.save_as()
    assert pilot.state.notice.sentence.startswith("Saved the snippet in a.py; its attached files and arguments are")
    assert pilot.window.files.save_as()
    document = opening.load(data / "a.gradviz").document
    assert (files_of(document), arguments_of(document)) == (files_of(pilot.state.document), ("--lr", "a b"))


@pytest.mark.parametrize("name", ["large.txt", "no.txt"])
def test_what_cant_be_attached_is_said_and_changes_nothing(pilot: Pilot, data: Path, name: str) -> None:
    (data / "large.txt").write_bytes(bytes(MOST_ATTACHED + 1))
    before = pilot.state.document
    pilot.window.shell.attachments.attach_paths([data / "names.txt", data / name])
    assert pilot.state.document == before and name in pilot.state.notice.sentence


def test_a_run_that_was_stopped_runs_again_with_more_time(pilot: Pilot) -> None:
    pool = pilot.window.shell.runner.pool
    pool.limits = replace(pool.limits, cpu_seconds=0.3)
    assert pilot.run_again("import torch\nx = torch.ones(1)\nwhile True: x = x * 1\n") is Phase.LIMIT
    assert editor(pilot).card.longer.isVisible()
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        editor(pilot).card.longer.click()
    assert pool.limits.cpu_seconds == pytest.approx(1.2) and "1.2 seconds of processor" in pilot.state.run.sentence


CALLED = (
    "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int, required=True)\n"
    "w = torch.ones(1, requires_grad=True)\nfor epoch in range(p.parse_args().epochs):\n    (w * 2).backward()\n"
)


def test_a_script_gets_arguments_and_the_iterations_that_are_recorded_are_typed(pilot: Pilot) -> None:
    assert pilot.run_again(CALLED) is Phase.RAISED and editor(pilot).card.call.isVisible(), "--epochs is required"
    editor(pilot).card.call.click()
    dialog = pilot.window.findChild(RunDialog)
    assert dialog is not None
    dialog.arguments.setText("--epochs '30")
    assert not dialog.run_button.isEnabled() and "quote" in dialog.note.text()
    dialog.arguments.setText("--epochs 30")
    dialog.iterations.setText("first:some")
    assert not dialog.run_button.isEnabled() and "no iterations" in dialog.note.text()
    dialog.iterations.setText(" first:2, 7 ")
    assert dialog.note.text() == WHAT_SCRIPTS_SEE
    with pilot.qtbot.waitSignal(pilot.window.shell.runner.ended, timeout=60_000):
        dialog.run_button.click()
    run = pilot.state.run
    assert (run.phase, run.part) == (Phase.OK, "all but 27 iterations")
    assert "Called with --epochs 30" in editor(pilot).attached.text() and pilot.state.view.iterations == "first:2, 7"
    choices = next(row for row in RUN_ROWS if row.id == "run.iterations").choices
    assert choices is not None and choices(pilot.state)[-2:] == (
        Choice("first:2, 7", "first:2, 7", True),
        Choice("Others…", "other"),
    )
    assert pilot.window.status.choose.isVisible() and not pilot.window.status.more.isVisible()
    pilot.window.status.choose.click()
    again = pilot.window.findChild(RunDialog)
    assert again is not None and again.arguments.text() == "--epochs 30"
    again.arguments.clear()
    again.accept()
    pilot.window.store.undo()
    assert arguments_of(pilot.state.document) == ("--epochs", "30")


def test_cuda_is_the_cpu_where_somebody_says_so(pilot: Pilot) -> None:
    source = (
        "import torch\nx = torch.ones(1, device='cuda:0', requires_grad=True)\nnet = torch.nn.Linear(1, 1).cuda()\n"
        "y = net(x.to('mps')).sum().cuda()\ny.backward()\nprint(x.device, torch.cuda.is_available())\n"
    )
    assert pilot.run_again(source) is Phase.RAISED
    pilot.window.store.treat_cuda(True)
    assert pilot.run() is Phase.OK
    printed = "".join(pilot.window.shell.runner.live.printed)
    assert printed.endswith("cpu False\n") and "cuda and mps are the CPU" in printed
    pilot.window.store.treat_cuda(False)
    assert pilot.run() is Phase.RAISED, "the next run asks again"
