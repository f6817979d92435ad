"""The recovery file: what was typed comes back, and a damaged file does no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.recovery import Recovery, read, write


def test_what_was_typed_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "window-1.json"
    write(file, Recovery("x = 1\n", "/home/me/a.py"))
    write(file, Recovery("x = 2\n", "/home/me/a.py"))
    assert read(file) == Recovery("x = 2\n", "/home/me/a.py")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"version": 99, "text": "x", "path": ""}', b'{"version": 1, "text": 3, "path": ""}'],
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "window-1.json"
    file.write_bytes(content)
    assert read(file) is None


def test_nothing_but_blanks_is_nothing_to_recover(tmp_path: Path) -> None:
    file = tmp_path / "window-1.json"
    write(file, Recovery("  \n"))
    assert read(file) is None
