"""What GradViz says of itself: from which commit it was built and what it is made of, in the About box, on the command
line and in the bill of materials of a package."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import parts
import pytest

from gradviz import __version__, about
from gradviz.ui.dialogs.dialogs import about_html

ROOT = Path(__file__).parents[2]

PART = parts.Part("Qt", "6.11", "LGPL-3.0-only", "pkg:generic/qt@6.11", "the text", "https://www.qt.io")
DOCUMENT = parts.sbom([PART], "1.2.3", "abcdef", "2026-01-02")


def test_a_work_tree_names_no_commit() -> None:
    assert about.build() == about.Build()
    assert about.version() == __version__
    assert about.how() == "source"
    assert about.licences_folder() is None


def test_a_package_names_its_commit_and_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / about.BUILD).write_text('{"commit": "0123456789abcdef", "date": "2026-01-02"}')
    assert about.build(tmp_path) == about.Build("0123456789abcdef", "2026-01-02")
    monkeypatch.setattr(about, "build", lambda: about.Build("0123456789abcdef", "2026-01-02"))
    assert about.version() == f"{__version__} (0123456789, 2026-01-02)"
    assert f"{'commit:':<20} 0123456789abcdef" in about.lines()


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"components": 3}'])
def test_what_can_not_be_read_is_unknown(tmp_path: Path, damaged: str) -> None:
    for name in (about.BUILD, about.PARTS):
        (tmp_path / name).write_text(damaged)
    assert about.build(tmp_path) == about.Build()
    assert about.parts(tmp_path)[0].name == "Python"


def test_the_parts_are_those_of_the_bill_of_materials(tmp_path: Path) -> None:
    (tmp_path / about.PARTS).write_text(json.dumps(DOCUMENT))
    assert about.parts(tmp_path) == (about.Part("Qt", "6.11", "LGPL-3.0-only"),)


def test_without_one_they_are_the_installed_packages() -> None:
    found = {part.name: part for part in about.parts()}
    assert {"Python", *about.MAIN_PARTS} <= found.keys()
    assert all(part.version and part.licence for part in found.values())


def test_every_requirement_is_among_them() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["dependencies"]
    assert {re.split(r"[<>=!]", each)[0] for each in wanted} == set(about.MAIN_PARTS)


def test_the_about_box_lists_every_part_with_its_licence() -> None:
    html = about_html({})
    for part in about.parts():
        assert part.name in html and part.licence in html


def test_the_bill_of_materials_has_what_cyclonedx_asks_for() -> None:
    assert (DOCUMENT["bomFormat"], DOCUMENT["specVersion"], DOCUMENT["version"]) == ("CycloneDX", "1.5", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", str(DOCUMENT["serialNumber"]))
    (component,) = DOCUMENT["components"]
    assert component["licenses"] == [{"expression": "LGPL-3.0-only"}]
    assert component["bom-ref"] == component["purl"] == PART.purl
    assert DOCUMENT["dependencies"][0]["dependsOn"] == [PART.purl]


def test_two_builds_of_a_commit_have_the_same_bill() -> None:
    assert parts.sbom([PART], "1.2.3", "abcdef", "2026-01-02") == DOCUMENT


@pytest.mark.parametrize("name", parts.WHEELS)
def test_each_wheel_says_its_licence_and_has_its_text(name: str) -> None:
    found = parts._wheel(name)
    assert found.licence and len(found.text) > 400
