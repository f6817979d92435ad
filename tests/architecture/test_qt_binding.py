"""PySide6 6.12.0 below Python 3.12 steals a reference to None in every call that returns nothing, and aborts the
process after some 5,000 of them. The requirements exclude it there, and the count is watched for whatever version is
installed. No window opens before 6.8.3: the feature of a font has no name there."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def test_calls_that_return_nothing_keep_the_references_to_none(qtbot: Any) -> None:
    from PySide6.QtWidgets import QWidget

    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setWindowTitle("GradViz")
    before = sys.getrefcount(None)
    for _ in range(1000):
        widget.setWindowTitle("GradViz")
    moved = sys.getrefcount(None) - before
    assert abs(moved) < 50, f"1,000 calls moved the count of references to None by {moved}"


@pytest.mark.parametrize(("python", "accepted"), [("3.11", False), ("3.12", True), ("3.13", True)])
def test_broken_versions_are_excluded_where_they_are_broken(python: str, accepted: bool) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = [Requirement(line) for line in project["dependencies"]]
    qt = [one for one in requirements if one.name == "PySide6-Essentials"]
    here = [one for one in qt if one.marker is None or one.marker.evaluate({"python_version": python})]
    assert len(here) == 1
    assert ("6.12.0" in here[0].specifier) is accepted
    assert "6.11.3" in here[0].specifier
    assert "6.8.2.1" not in here[0].specifier
    assert "6.8.3" in here[0].specifier
