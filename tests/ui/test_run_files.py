"""What a run wrote into its folder: listed under the output, saved one by one or all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.ui.panels.output import OutputPanel
from tests.driver import Pilot

WRITES = (
    "import os, torch\nx = torch.ones(1, requires_grad=True)\nos.mkdir('out')\n"
    "open('out/loss.csv', 'w').write('1,2')\nopen('<b>&.txt', 'w').write('bold')\ntorch.save(x, 'model.pt')\n"
)


@pytest.fixture
def written(pilot: Pilot) -> Pilot:
    pilot.run_again(WRITES)
    return pilot


def listed(pilot: Pilot) -> OutputPanel:
    found = pilot.window.findChild(OutputPanel)
    assert found is not None
    pilot.window.shell.focus("output")
    return found


def test_the_files_are_listed_under_the_output(written: Pilot) -> None:
    shown = listed(written).files
    assert shown.isVisible() and shown.text() == "The run wrote 3 files"
    assert [(each.text(), each.isEnabled()) for each in shown.menu().actions()] == [
        ("Save All, into a Folder…", True),
        ("", True),
        ("<b>&&.txt · 4 B", True),
        ("model.pt · Python objects, which stay in the run", False),
        ("out/loss.csv · 3 B", True),
    ]
    written.run_again("import torch\nx = torch.ones(1, requires_grad=True)\n")
    assert not shown.isVisible()


def test_one_file_is_saved_where_the_user_says(written: Pilot, tmp_path: Path) -> None:
    action = listed(written).files.menu().actions()[-1]
    written.answers.to_save = [str(tmp_path / "mine.csv")]
    action.trigger()
    assert (tmp_path / "mine.csv").read_bytes() == b"1,2" and written.answers.asked[-1].endswith("loss.csv")
    assert "mine.csv is saved" in written.state.notice.sentence
    written.answers.to_save = [""]
    action.trigger()
    assert sorted(each.name for each in tmp_path.glob("*.csv")) == ["mine.csv"]


def test_all_are_saved_below_a_folder_and_nothing_is_overwritten(written: Pilot, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    for _ in range(2):
        written.answers.to_save = [str(folder)]
        written.window.shell.attachments.save_written("all")
    names = sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
    assert names == ["_b_& (2).txt", "_b_&.txt", "out/loss (2).csv", "out/loss.csv"]
    assert not any((folder / name).stat().st_mode & 0o111 for name in names)


def test_a_link_does_not_lead_out_of_the_folder(written: Pilot, tmp_path: Path) -> None:
    folder, outside = tmp_path / "saved", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (folder / "out").symlink_to(outside)
    written.answers.to_save = [str(folder)]
    written.window.shell.attachments.save_written("all")
    assert list(outside.iterdir()) == [] and "leads out of it" in written.state.notice.sentence


def test_the_menu_offers_them(written: Pilot, tmp_path: Path) -> None:
    from gradviz.commands.table import COMMANDS

    (row,) = (each for each in COMMANDS if each.id == "file.save_written")
    assert row.choices is not None and row.enabled(written.state)
    titles = [each.title for each in row.choices(written.state)]
    assert titles == ["All, into a Folder…", "<b>&.txt…", "out/loss.csv…"]


def test_cuda_as_cpu_is_seen(pilot: Pilot) -> None:
    assert "cuda means cpu" not in pilot.window.status.label.text()
    pilot.window.commands.do("run.cuda_as_cpu")
    assert pilot.window.status.label.text().startswith("cuda means cpu")
    pilot.window.commands.do("run.cuda_as_cpu")
    assert "cuda means cpu" not in pilot.window.status.label.text()


def test_the_last_lines_stay_in_view_where_the_panel_gets_narrower(pilot: Pilot) -> None:
    pilot.run_again(
        "import torch\nx = torch.ones(1)\n"
        "for n in range(9):\n    print('some words', n, '.' * 90)\nprint('the last\\n\\n')\n"
    )
    text = listed(pilot).text
    for width in (900, 200, 500):
        text.setFixedSize(width, 60)
        pilot.qtbot.waitUntil(lambda width=width: text.width() == width)
        assert text.rect().contains(text.cursorRect().center())
        assert text.textCursor().block().text() == "the last"
