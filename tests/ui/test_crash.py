"""A failure of GradViz itself is shown with a report that can be copied."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.ui.crash import Reporter


def fail(reporter: Reporter, words: str) -> None:
    try:
        raise RuntimeError(words)
    except RuntimeError:
        reporter(*sys.exc_info())  # type: ignore[arg-type]


def test_the_report_can_be_copied_and_opens_once(qtbot: QtBot, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter()
    fail(reporter, "first failure")
    box = reporter.box
    assert box is not None and box.isVisible()
    qtbot.addWidget(box)
    fail(reporter, "second failure")
    assert reporter.box is box
    box.copy.click()
    assert box.isVisible()
    copied = QApplication.clipboard().text()
    assert "RuntimeError: first failure" in copied and "PySide6" in copied
    assert "second failure" in capsys.readouterr().err
