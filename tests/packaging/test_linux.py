"""The files in the packages for Linux fit the program: versions, names, options; and the installer of the archive."""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import icons
import pytest

from gradviz import RESOURCES, __version__, cli

ROOT = Path(__file__).parents[2]
LINUX = ROOT / "packaging/linux"
METAINFO = ElementTree.parse(LINUX / "org.gradviz.GradViz.metainfo.xml").getroot()
ENTRY = (LINUX / "org.gradviz.GradViz.desktop").read_text("utf-8")
DESKTOP = dict(line.split("=", 1) for line in ENTRY.splitlines() if "=" in line)
MIME = "application/x-gradviz+json"
COMMANDS = ("run", "export", "code", "draw", "explain")


def test_all_versions_agree() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    newest = METAINFO.find("releases/release")
    assert newest is not None
    heading = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heading is not None
    assert {project.get("version", __version__), newest.get("version"), heading[1]} == {__version__}


def test_resources_are_found_beside_the_package_of_a_work_tree() -> None:
    assert ROOT / "resources" == RESOURCES


def test_the_metainfo_names_the_menu_entry_and_the_type() -> None:
    assert METAINFO.findtext("id") == "org.gradviz.GradViz"
    assert METAINFO.findtext("launchable") == "org.gradviz.GradViz.desktop"
    assert METAINFO.findtext("provides/mediatype") == MIME
    assert METAINFO.findtext("summary") == DESKTOP["Comment"]
    for image in METAINFO.iter("image"):
        picture = (ROOT / "resources" / str(image.text).rpartition("/")[2]).read_bytes()
        assert struct.unpack(">II", picture[16:24]) == (int(image.get("width", 0)), int(image.get("height", 0)))


def test_gradviz_files_open_with_the_menu_entry_and_python_files_may() -> None:
    kind = ElementTree.parse(LINUX / "org.gradviz.GradViz.mime.xml").getroot()
    found = [element.get("type") for element in kind if element.tag.endswith("mime-type")]
    assert found == [MIME, "application/x-gradviz-recording", "application/x-gradviz-lessons+json"]
    assert DESKTOP["MimeType"].split(";")[:4] == [*found, "text/x-python"]
    assert DESKTOP["Exec"].endswith("%F")


def options(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The long options of each command; those of the window under ""."""
    found: dict[str, set[str]] = {}
    for command in ("", *COMMANDS):

        def note(parser: argparse.ArgumentParser, _: object, command: str = command) -> None:
            found[command] = {word for action in parser._actions for word in action.option_strings if word[:2] == "--"}
            raise SystemExit

        monkeypatch.setattr(argparse.ArgumentParser, "parse_args", note)
        with pytest.raises(SystemExit):
            cli.run_command_line([command] if command else [])
    return found


def test_the_manual_has_every_command_and_option(monkeypatch: pytest.MonkeyPatch) -> None:
    manual = (LINUX / "gradviz.1").read_text("utf-8").replace("\\-", "-")
    assert all(f".B {command}\n" in manual for command in COMMANDS)
    told = set(re.findall(r"--[\w-]+", manual))
    assert told == set().union(*options(monkeypatch).values())


@pytest.mark.parametrize("name", ["gradviz", "_gradviz", "gradviz.fish"])
def test_completions_offer_every_command_and_option(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "packaging/completions" / name).read_text("utf-8")
    found = set(re.findall(r"(?<![\w-])--([a-z][\w-]+)", text)) | set(re.findall(r"-l ([a-z-]+)", text))
    known = {option[2:] for each in options(monkeypatch).values() for option in each}
    assert known <= found
    assert found - known <= {"glob", "commands", "window"}  # -l also begins a variable of fish
    assert all(re.search(rf"\b{command}\b", text) for command in COMMANDS)


BASH = """
source {file}; COMP_WORDS=({words}); COMP_CWORD={at}; _gradviz 2>/dev/null; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("gradviz ru", {"run"}),
        (
            "gradviz run --",
            {
                *("--help", "--json", "--steps", "--every-step", "--time-limit", "--iterations", "--plots", "--record"),
                "--attach",
            },
        ),
        ("gradviz --theme ''", {"light", "dark", "projector", "contrast"}),
        ("gradviz export a.py --step e", {"end"}),
        ("gradviz code s", {"snippet one.py", "sub"}),
    ],
)
def test_bash_completes(words: str, offered: set[str], tmp_path: Path) -> None:
    (tmp_path / "snippet one.py").touch()
    (tmp_path / "some.txt").touch()
    (tmp_path / "sub").mkdir()
    script = BASH.format(file=ROOT / "packaging/completions/gradviz", words=words, at=len(words.split()) - 1)
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()) == offered


def test_icons_for_windows_and_macos_have_their_tables() -> None:
    made = icons.ico({16: b"\x89PNG-16", 256: b"\x89PNG-256"})
    assert struct.unpack("<HHH", made[:6]) == (0, 1, 2)
    size, at = struct.unpack("<II", made[6 + 16 + 8 : 6 + 32])
    assert (made[6 + 16], made[at : at + size]) == (0, b"\x89PNG-256")
    apple = icons.icns({b"ic07": b"\x89PNG"})
    assert apple == b"icns\x00\x00\x00\x14ic07\x00\x00\x00\x0c\x89PNG"


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """An archive with a program that is a script."""
    folder = tmp_path / "gradviz 1"
    for name in ("lib/gradviz", "bin", "share/applications"):
        (folder / name).mkdir(parents=True)
    (folder / "lib/gradviz/gradviz").write_text("#!/bin/sh\necho started\n")
    (folder / "lib/gradviz/gradviz").chmod(0o755)
    (folder / "bin/gradviz").symlink_to("../lib/gradviz/gradviz")
    (folder / "share/applications/org.gradviz.GradViz.desktop").write_text(ENTRY, "utf-8")
    (folder / "install.sh").write_bytes((ROOT / "packaging/install.sh").read_bytes())
    return folder


def install(folder: Path, *arguments: str) -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder.parent / "home")}
    done = subprocess.run(
        ["sh", str(folder / "install.sh"), *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout


def left(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir() and path.name != "mimeinfo.cache"]


@pytest.mark.skipif(sys.platform == "win32", reason="the archive is for Linux")
def test_the_archive_installs_itself_and_leaves_nothing(unpacked: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "home/.local"
    said = install(unpacked)
    assert str(prefix / "bin") in said  # it is not on the path
    assert subprocess.run([prefix / "bin/gradviz"], capture_output=True, text=True, check=True).stdout == "started\n"
    entry = (prefix / "share/applications/org.gradviz.GradViz.desktop").read_text()
    assert f'Exec="{prefix}/bin/gradviz" %F' in entry
    install(unpacked)  # once more: an upgrade
    install(unpacked, "--uninstall")
    assert left(prefix) == []


@pytest.mark.skipif(sys.platform == "win32", reason="the archive is for Linux")
def test_it_installs_below_a_prefix_of_any_name(unpacked: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "for all & some"
    install(unpacked, "--prefix", str(prefix))
    assert f'Exec="{prefix}/bin/gradviz" %F' in (prefix / "share/applications/org.gradviz.GradViz.desktop").read_text()
    install(unpacked, "--uninstall", "--prefix", str(prefix))
    assert left(prefix) == []
