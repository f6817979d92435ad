"""The recovery file: what was typed comes back, and a damaged file does no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.documents import Contents
from gradviz.document.files.recovery import Recovery, read, write
from gradviz.document.snippet import Snippet
from tests.document.one_of_everything import with_its_view


def typed(text: str, path: str = "") -> Recovery:
    return Recovery(Contents(Snippet(text)), path)


def test_what_was_typed_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "window-1.json"
    write(file, typed("x = 1\n", "/home/me/a.py"))
    write(file, typed("x = 2\n", "/home/me/a.py"))
    assert read(file) == typed("x = 2\n", "/home/me/a.py")


def test_what_was_drawn_comes_back(tmp_path: Path) -> None:
    drawn = Recovery(with_its_view(), "/home/me/net.gradviz")
    write(tmp_path / "window-1.json", drawn)
    assert read(tmp_path / "window-1.json") == drawn


def test_a_text_of_any_size_comes_back(tmp_path: Path) -> None:
    long = typed("x = 1  # more than a snippet may have\n" * 20_000)
    write(tmp_path / "window-1.json", long)
    assert read(tmp_path / "window-1.json") == long


def test_what_the_first_version_wrote_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "window-1.json"
    file.write_text('{"version": 1, "path": "/home/me/a.py", "text": "x = 1\\n"}')
    assert read(file) == typed("x = 1\n", "/home/me/a.py")


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[]", b"\xff", b'{"version": 99, "text": "x", "path": ""}', b"[" * 100_000),
        *(b'{"version": 1, "text": 3, "path": ""}', b'{"version": 2, "path": "", "file": 3}'),
        *(b'{"version": 2, "path": "", "file": "{}"}', b'{"version": ' + b"9" * 5000 + b"}"),
    ],
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "window-1.json"
    file.write_bytes(content)
    assert read(file) is None


def test_nothing_but_blanks_is_nothing_to_recover(tmp_path: Path) -> None:
    file = tmp_path / "window-1.json"
    write(file, typed("  \n"))
    assert read(file) is None
