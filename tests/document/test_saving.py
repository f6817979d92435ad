"""Saving replaces a file in one step or not at all: killed at any moment, on a full disk, in a folder that can't be
written. What is around the file stays: its permissions, the link that leads to it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.document import disk
from gradviz.document.disk import write_atomically
from gradviz.document.documents import Contents
from gradviz.document.errors import UserError
from gradviz.document.files import opening
from gradviz.document.snippet import Snippet
from tests.document.one_of_everything import with_its_view
from tests.document.saver import KILLS

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, limits and links are a matter of POSIX")

FULL = """
import resource, sys
from pathlib import Path
from gradviz.document.errors import UserError
from gradviz.document.disk import write_atomically

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomically(Path(sys.argv[1]), b"x" * 5000)
except UserError as error:
    print(error)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that was saved before."""
    place = tmp_path / "net.gradviz"
    opening.save(place, Contents(Snippet("old = 1\n")))
    return place


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.slow
@posix
def test_killed_at_any_moment_the_last_saved_state_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.document.saver", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    kills, saved, between, _ = map(int, done.stdout.split())
    assert kills == KILLS == 200
    assert saved > 0
    assert between < kills, "most kills come while something is written"


@posix
def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout == "net.gradviz could not be written: file too large. Choose another place.\n", done.stderr
    assert opening.load(path).document == Snippet("old = 1\n")
    assert names(path.parent) == ["net.gradviz"], "no half-written file is left"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_whatever_step_fails_the_old_file_stays(path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk.os, step, fail)
    with pytest.raises(UserError, match=r"net.gradviz could not be written: no space left on device\. Choose another"):
        opening.save(path, with_its_view())
    monkeypatch.undo()
    assert opening.load(path).document == Snippet("old = 1\n")
    assert names(path.parent) == ["net.gradviz"]


@posix
def test_the_folder_is_written_through_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bool] = []
    fsync = os.fsync
    monkeypatch.setattr(
        disk.os, "fsync", lambda file: (synced.append(os.path.isdir(f"/proc/self/fd/{file}")), fsync(file))
    )
    opening.save(path, with_its_view())
    assert len(synced) == 2, "the file, then its folder"


@posix
def test_a_link_stays_and_what_it_leads_to_is_replaced(path: Path) -> None:
    folder = path.parent / "elsewhere"
    folder.mkdir()
    link = folder / "link.gradviz"
    link.symlink_to(os.path.relpath(path, folder))
    opening.save(link, with_its_view())
    assert link.is_symlink()
    assert opening.load(path) == with_its_view()
    assert names(folder) == ["link.gradviz"]
    path.unlink()
    opening.save(link, with_its_view())
    assert link.is_symlink() and path.exists(), "a link to a file that is gone makes it anew"


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_permissions_stay(path: Path, mode: int) -> None:
    path.chmod(mode)
    opening.save(path, with_its_view())
    assert path.stat().st_mode & 0o777 == mode


def test_a_read_only_file_is_not_written(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(UserError, match=r"net.gradviz is read-only\. Save it under another name"):
        opening.save(path, with_its_view())
    path.chmod(0o644)
    assert opening.load(path).document == Snippet("old = 1\n")


@posix
def test_a_read_only_folder_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk.os, "access", lambda place, _: Path(place) != path.parent)  # root may write anywhere
    with pytest.raises(UserError, match=f"The folder {path.parent.name} is read-only. Save net.gradviz in another"):
        opening.save(path, with_its_view())


def test_what_a_killed_program_left_is_removed_later(path: Path) -> None:
    old, young, others = (path.parent / f".{name}{disk.TEMPORARY}" for name in ("net.gradviz.a", "net.gradviz.b", "c"))
    for left in (old, young, others):
        left.write_bytes(b"half")
    for left in (old, others):
        os.utime(left, (1e9, 1e9))
    write_atomically(path, b"new")
    assert names(path.parent) == sorted([others.name, young.name, "net.gradviz"])


def test_a_long_name_can_be_saved(tmp_path: Path) -> None:
    place = tmp_path / ("ä" * 100 + ".gradviz")
    opening.save(place, with_its_view())
    assert opening.load(place) == with_its_view()
