"""A snippet from and to a file: what is refused, and that nothing is lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.documents import with_text
from gradviz.document.errors import UserError
from gradviz.document.snippet import MAX_BYTES, Snippet, decode, load, save


def test_text_goes_to_the_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    save(path, Snippet("x = 'ä → ∂'\n"))
    assert load(path) == Snippet("x = 'ä → ∂'\n")


def test_windows_line_ends_survive(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a = 1\r\nb = 2\r\n")
    snippet = load(path)
    assert snippet.text == "a = 1\nb = 2\n"
    save(path, with_text(snippet, "a = 3\nb = 2\n"))
    assert path.read_bytes() == b"a = 3\r\nb = 2\r\n"


def test_the_declared_encoding_is_read() -> None:
    assert decode("# coding: latin-1\nx = 'ä'\n".encode("latin-1"), "a.py").text.endswith("'ä'\n")


def test_a_byte_order_mark_is_no_text() -> None:
    assert decode(b"\xef\xbb\xbfx = 1\n", "a.py").text == "x = 1\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7fELF\0\0\1", "not a text file"),
        (b"x = '\xff\xfe\xfa'\n", "not UTF-8"),
        (b"# coding: no-such-coding\n", "not UTF-8"),
        (b"# coding: rot13\n", "not UTF-8"),
        (b"# coding: undefined\n", "not UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_by_name(data: bytes, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        decode(data, "thing.py")
    assert "thing.py" in str(caught.value)


def test_missing_folder_and_big_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        load(tmp_path / "no.py")
    with pytest.raises(UserError, match="is a folder"):
        load(tmp_path)
    big = tmp_path / "big.py"
    big.write_text("x = 1\n" * (5_000_000 // 6))
    with pytest.raises(UserError, match=r"big.py has 5.0 MB; a snippet may have 0.4 MB at most"):
        load(big)
    assert MAX_BYTES == 400_000


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "here.py"
    target.mkdir()
    (target / "inside").write_text("x")
    with pytest.raises(UserError, match="could not be written"):
        save(target, Snippet("new"))
    assert (target / "inside").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["here.py"], "no half-written file is left"
