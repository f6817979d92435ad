"""File > Export and Edit > Copy Picture, as a person at the window meets them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gradviz.session.state import Selection
from gradviz.ui.sharing.export import FORMATS
from gradviz.ui.sharing.window import ExportDialog
from tests.driver import Pilot

LOOP = """import torch
w = torch.tensor(1., requires_grad=True)
for epoch in range(40):
    loss = (w * 2 - 3) ** 2
    loss.backward()
    w.grad = None
"""


def opened(pilot: Pilot, suffix: str) -> ExportDialog:
    """The dialog of File > Export with a kind of file chosen, and its first preview painted."""
    sharing = pilot.window.shell.sharing
    pilot.window.commands.do("file.export")
    dialog = sharing.dialog
    assert dialog is not None
    with pilot.qtbot.waitSignal(dialog.previews.ended, timeout=60_000):
        dialog.kind.setCurrentIndex([row.suffix for row in FORMATS].index(suffix))
    return dialog


def written(pilot: Pilot, dialog: ExportDialog, out: Path) -> str:
    """Press Export and say where to; what is said at the end."""
    pilot.answers.to_save.append(str(out))
    with pilot.qtbot.waitSignal(dialog.task.ended, timeout=60_000):
        dialog.write.click()
    return pilot.state.notice.sentence


def test_a_page_of_the_run_is_exported(sample: Pilot, tmp_path: Path) -> None:
    said = written(sample, opened(sample, ".html"), tmp_path / "lesson")
    assert said == "Exported lesson.html."
    text = (tmp_path / "lesson.html").read_text(encoding="utf-8")
    run = json.loads(re.findall(r'id="run">(.*?)</script>', text)[0])
    assert [step["cursor"] for step in run["steps"]] == [0, *sample.state.trace.folds.ends.tolist()]  # type: ignore[union-attr]
    assert 'data-theme="system"' in text


def test_a_picture_is_what_is_on_the_canvas(sample: Pilot, tmp_path: Path) -> None:
    store = sample.window.store
    store.move(6)
    store.select(Selection("tensor", 1))
    dialog = opened(sample, ".png")
    before = dialog.preview.pixmap().toImage()
    with sample.qtbot.waitSignal(dialog.previews.ended, timeout=60_000):
        dialog.theme.setCurrentIndex(2)
    assert dialog.preview.pixmap().toImage() != before
    assert dialog.selected.isChecked() and dialog.scale.isEnabled() and not dialog.every.isEnabled()
    dialog.scale.setValue(0.5)
    written(sample, dialog, tmp_path / "small.png")
    small = QImage(str(tmp_path / "small.png"))
    dialog = opened(sample, ".png")
    dialog.selected.setChecked(False)
    written(sample, dialog, tmp_path / "plain.png")
    plain = QImage(str(tmp_path / "plain.png"))
    assert plain.width() == pytest.approx(2 * small.width(), abs=2)
    assert small.pixelColor(2, 2).lightness() < 60 < plain.pixelColor(2, 2).lightness()


def test_a_long_export_can_be_cancelled(pilot: Pilot, tmp_path: Path) -> None:
    pilot.type_snippet(LOOP)
    pilot.run()
    dialog = opened(pilot, ".webp")
    pilot.answers.to_save.append(str(tmp_path / "run.webp"))
    with pilot.qtbot.waitSignal(dialog.task.told, timeout=60_000):
        dialog.write.click()
    assert not dialog.progress.isHidden() and not dialog.kind.isEnabled()
    dialog.buttons.rejected.emit()
    assert dialog.note.text() == "Cancelled: nothing was written." and dialog.kind.isEnabled()
    pilot.qtbot.waitUntil(lambda: not dialog.task.is_busy, timeout=60_000)
    assert not list(tmp_path.glob("run*"))
    dialog.buttons.rejected.emit()
    assert dialog.isHidden()
    pilot.qtbot.waitUntil(lambda: not dialog.previews.is_busy, timeout=60_000)


def test_what_cannot_be_written_is_a_sentence_in_the_dialog(sample: Pilot, tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    dialog = opened(sample, ".svg")
    written(sample, dialog, tmp_path / "folder.svg")
    assert dialog.note.text().startswith("folder.svg could not be written: it is a folder.")
    written(sample, dialog, tmp_path / "nowhere" / "graph.svg")
    assert "there is no such folder" in dialog.note.text()
    assert written(sample, dialog, tmp_path / "graph.svg") == "Exported graph.svg."


def test_a_kind_that_needs_a_library_says_so(sample: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.ui.sharing.export.find_spec", lambda _: None)
    dialog = opened(sample, ".mp4")
    assert not dialog.write.isEnabled() and "needs PyAV" in dialog.note.text()
    dialog.reject()
    sample.qtbot.waitUntil(lambda: not dialog.previews.is_busy, timeout=60_000)


def test_the_graph_is_copied_as_pixels_and_as_svg(sample: Pilot) -> None:
    sharing = sample.window.shell.sharing
    with sample.qtbot.waitSignal(sharing.copying.ended, timeout=60_000):
        sample.window.commands.do("edit.copy_picture")
    data = QApplication.clipboard().mimeData()
    assert data is not None and data.hasImage()
    assert b"MulBackward0" in data.data("image/svg+xml").data()
    assert data.data("image/png").data().startswith(b"\x89PNG")
    assert sample.state.notice.sentence == "Copied the graph as a picture, PNG and SVG."


def test_there_is_nothing_to_export_before_a_run(pilot: Pilot) -> None:
    pilot.window.complete()
    for name in ("file.export", "edit.copy_picture"):
        assert not pilot.window.commands.actions[name].isEnabled()
    pilot.window.shell.sharing.export()
    assert pilot.window.shell.sharing.dialog is None


def test_what_was_copied_lets_the_program_end() -> None:
    """Qt's clipboard is destroyed after Python has ended."""
    copying = """
from PySide6.QtWidgets import QApplication
from gradviz.ui.clipboard import empty_data
app = QApplication([])
data = empty_data()
data.setData("image/svg+xml", b"<svg/>")
app.clipboard().setMimeData(data)
assert app.clipboard().mimeData().formats() == ["image/svg+xml"]
"""
    done = subprocess.run([sys.executable, "-c", copying], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
