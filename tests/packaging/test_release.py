"""What a release checks, and what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
import release

from gradviz import __version__


def bill(*licences: str) -> dict[str, list[dict[str, object]]]:
    return {"components": [{"name": each, "licenses": [{"expression": each}]} for each in licences]}


def test_a_licence_that_nobody_thought_about_is_found() -> None:
    assert release.strange_licences(bill("MIT", "BSD-3-Clause AND Zlib", "LGPL-3.0-only OR GPL-2.0-only")) == []
    assert release.strange_licences(bill("GPL-2.0-or-later WITH Bootloader-exception")) == []
    strange = ["AGPL-3.0-only", "MIT AND Proprietary", "GPL-2.0-only OR SSPL-1.0"]
    assert release.strange_licences(bill(*strange, "MIT")) == [f"{each} has the licence {each}" for each in strange]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is ready for a release."""
    for name in ("gradviz", "packaging/linux"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "gradviz/__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n')
    log = "# Changelog\n\n## 1.2.0, 2026-05-01\n\n* New.\n\n## 1.1.0, 2026-01-01\n\n* Old.\n"
    (tmp_path / "CHANGELOG.md").write_text(log)
    entry = '<component><releases><release version="1.2.0" date="2026-05-01"/></releases></component>'
    (tmp_path / release.METAINFO).write_text(entry)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "DIST", tmp_path / "dist")
    monkeypatch.setattr(release, "said", lambda *command: "")
    return tmp_path


def test_a_project_that_is_ready_has_no_obstacle(tree: Path) -> None:
    assert release.obstacles() == []


@pytest.mark.parametrize(
    ("name", "before", "after", "sentence"),
    [
        ("CHANGELOG.md", "2026-05-01", "unreleased", "CHANGELOG.md says 'unreleased' and not the day of 1.2.0."),
        ("CHANGELOG.md", "1.2.0", "1.1.9", "CHANGELOG.md does not begin with 1.2.0."),
        ("pyproject.toml", "1.2.0", "1.1.9", "pyproject.toml has another version than 1.2.0."),
        (release.METAINFO, "1.2.0", "1.1.9", f"The newest release in {release.METAINFO} is not that of CHANGELOG.md."),
        (release.METAINFO, "<release ", '<release type="development" ', "calls 1.2.0 a development release."),
    ],
)
def test_each_obstacle_is_a_sentence(tree: Path, name: str, before: str, after: str, sentence: str) -> None:
    path = tree / name
    path.write_text(path.read_text().replace(before, after, 1))
    assert any(found.endswith(sentence) for found in release.obstacles())


def test_what_is_not_committed_and_a_second_tag_are_obstacles(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "said", lambda *command: "something")
    assert len(release.obstacles()) == 2


def test_notes_are_the_newest_changes_with_checksums(tree: Path) -> None:
    (tree / "dist").mkdir()
    (tree / "dist/SHA256SUMS").write_text("0123  gradviz_1.2.0_amd64.deb\n")
    notes = release.notes()
    assert "* New." in notes and "* Old." not in notes
    assert "apt install ./gradviz_1.2.0_amd64.deb" in notes
    assert "0123  gradviz_1.2.0_amd64.deb" in notes


def test_the_version_is_that_of_the_program() -> None:
    assert release.version() == __version__
