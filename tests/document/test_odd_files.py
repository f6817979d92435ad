"""Names that lead to no file: pipes, devices, loops, names that can't be; and files that change while they are read.
None of them holds up the program, and each is a sentence."""

from __future__ import annotations

import os
import socket
import sys
import tracemalloc
from pathlib import Path

import pytest

from gradviz.document import disk
from gradviz.document.disk import Stamp
from gradviz.document.documents import Contents
from gradviz.document.errors import UserError
from gradviz.document.files import opening
from gradviz.document.snippet import Snippet

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices have no such names there")


def make(kind: str, path: Path) -> Path:
    """A file of this kind that is none to read."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "long":
        return path.with_name("n" * 300 + path.name)
    elif kind == "deep":
        return path.parent.joinpath(*["d" * 250] * 20, path.name)
    elif kind == "null":
        return path.with_name("a\0b" + path.suffix)
    else:
        path.mkdir()
    return path


KINDS = {
    "pipe": "is a pipe or a device",
    "device": "is a pipe or a device",
    "loop": "could not be (read|written): too many levels",
    "long": "could not be (read|written): file name too long",
    "deep": "could not be (read|written): file name too long",
    "null": "can't be the name of a file",
    "folder": "is a folder",
}


@pytest.mark.parametrize("ending", [".py", ".gradviz"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path: Path, kind: str, ending: str) -> None:
    path = make(kind, tmp_path / f"a{ending}")
    with pytest.raises(UserError, match=KINDS[kind]):
        opening.load(path)
    before = os.path.lexists(path) if kind not in ("null", "long", "deep") else None
    with pytest.raises(UserError, match=KINDS[kind]):
        opening.save(path, Contents(Snippet("x = 1\n")))
    assert before is None or os.path.lexists(path), "nothing was put in its place"


def test_a_socket_is_no_file(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "a.py"))
        with pytest.raises(UserError, match="is a pipe or a device"):
            opening.load(tmp_path / "a.py")


def test_a_file_that_grows_is_read_to_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.py"
    path.write_bytes(b"x")
    plain = os.fstat

    def fstat(number: int) -> os.stat_result:
        with path.open("ab") as more:
            more.write(b"y" * 100)
        return plain(number)

    monkeypatch.setattr(disk.os, "fstat", fstat)
    data, size = disk.read_at_most(path, 50)
    assert (data, size) == (b"", 101)


def test_of_a_huge_file_little_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.py"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    tracemalloc.start()
    try:
        assert disk.read_at_most(path, 50) == (b"", 50_000_000)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_names_that_are_no_text_can_be_read_and_written(tmp_path: Path) -> None:
    for name in (b"bad\xff\xfe.py", b"nl\nx.py", "漢字 🎉 ü.py".encode(), b"n" * 252 + b".py"):
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        opening.save(path, Contents(Snippet("x = 1\n")))
        opening.save(path, Contents(Snippet("x = 2\n")))
        assert opening.load(path).document == Snippet("x = 2\n")


def test_a_file_that_became_a_pipe_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    stamp = Stamp.of(path, b"x = 1\n")
    path.unlink()
    os.mkfifo(path)
    assert stamp.now()[0] == "changed"


def test_a_folder_that_is_gone_under_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(UserError, match=r"The folder of a\.py is gone"):
        disk.absolute(Path("a.py"))
    monkeypatch.undo()
