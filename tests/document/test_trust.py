"""The list of own files: what it knows, what it never gives away, and that nothing which happens to its file makes a
strange file an own one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gradviz.document.disk import digest_of
from gradviz.document.documents import text_of
from gradviz.document.errors import UserError
from gradviz.document.files import gradviz_file, trust
from gradviz.document.files.trust import NAME, OwnFiles, origin_of
from tests.document.one_of_everything import with_its_view

ROOT = Path(__file__).parents[2]
ONE, OTHER = digest_of(b"x = 1\n"), digest_of(b"x = 2\n")


@pytest.fixture
def own(tmp_path: Path) -> OwnFiles:
    return OwnFiles(tmp_path / "data")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / NAME


def test_what_was_added_is_known_to_the_next_program(own: OwnFiles, tmp_path: Path) -> None:
    assert not own.knows(".py", ONE)
    own.add(".py", ONE)
    again = OwnFiles(tmp_path / "data")
    assert again.knows(".py", ONE) and not again.knows(".py", OTHER)
    assert not again.knows(".gradviz", ONE), "the same bytes mean something else in another kind of file"


def test_the_list_is_private_and_holds_neither_content_nor_its_digest(own: OwnFiles, file: Path) -> None:
    own.add(".py", ONE)
    own.add(".py", ONE)
    own.add(".py", OTHER)
    key, *marks = file.read_bytes().split()
    assert len(marks) == 2 and len(key) == 64
    assert ONE.hex().encode() not in file.read_bytes()
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600


def test_who_deletes_the_list_has_no_own_files(own: OwnFiles, file: Path) -> None:
    own.add(".py", ONE)
    file.unlink()
    assert not own.knows(".py", ONE) and not OwnFiles(file.parent).knows(".py", ONE)
    own.add(".py", OTHER)
    assert own.knows(".py", OTHER) and not own.knows(".py", ONE)


def test_another_computer_has_another_key(own: OwnFiles, file: Path, tmp_path: Path) -> None:
    own.add(".py", ONE)
    elsewhere = OwnFiles(tmp_path / "elsewhere")
    elsewhere.add(".py", OTHER)
    mark = file.read_bytes().split()[1]
    with (tmp_path / "elsewhere" / NAME).open("ab") as list_:
        list_.write(mark + b"\n")
    assert not elsewhere.knows(".py", ONE), "a mark that was carried over says nothing under this key"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"\0" * len(data),
        lambda data: data[:40],
        lambda data: data[1:],
        lambda data: b"{}" + data,
        lambda data: bytes(range(256)) * 100,
        lambda data: b"a" * (trust.MOST_BYTES + 1),
    ],
)
def test_a_damaged_list_is_an_empty_one_and_is_made_anew(
    own: OwnFiles, file: Path, damage: Callable[[bytes], bytes]
) -> None:
    own.add(".py", ONE)
    file.write_bytes(damage(file.read_bytes()))
    assert not own.knows(".py", ONE)
    own.add(".py", OTHER)
    assert own.knows(".py", OTHER) and not own.knows(".py", ONE)
    assert re.fullmatch(rb"[0-9a-f]{64}", file.read_bytes().split()[0]), "the key is whole"


def test_a_line_that_was_cut_short_costs_only_itself(own: OwnFiles, file: Path) -> None:
    own.add(".py", ONE)
    own.add(".py", OTHER)
    file.write_bytes(file.read_bytes()[:-20])
    own.add(".py", digest_of(b"third"))
    assert own.knows(".py", ONE) and not own.knows(".py", OTHER) and own.knows(".py", digest_of(b"third"))


def test_the_list_has_a_bound_and_the_newest_stay(own: OwnFiles, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "MOST", 10)
    digests = [digest_of(str(number).encode()) for number in range(55)]
    for digest in digests:
        own.add(".py", digest)
        assert own.knows(".py", digest)
    assert len(file.read_bytes().split()) <= 1 + 2 * 10
    assert not own.knows(".py", digests[0])
    assert all(own.knows(".py", digest) for digest in digests[-10:])


ADDING = """
import sys
from pathlib import Path
from gradviz.document.files.trust import OwnFiles
from gradviz.document.disk import digest_of
own = OwnFiles(Path(sys.argv[1]))
for number in range(100):
    own.add(".py", digest_of(f"{sys.argv[2]} {number}".encode()))
"""


def test_programs_that_write_at_the_same_time_keep_each_others_marks(own: OwnFiles, tmp_path: Path) -> None:
    own.add(".py", ONE)
    place = str(tmp_path / "data")
    programs = [subprocess.Popen([sys.executable, "-c", ADDING, place, str(name)], cwd=ROOT) for name in range(3)]
    assert [program.wait(60) for program in programs] == [0, 0, 0]
    known = [own.knows(".py", digest_of(f"{name} {number}".encode())) for name in range(3) for number in range(100)]
    assert all(known)


def test_where_nothing_can_be_written_nothing_is_own(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    for folder in (None, tmp_path / "a file" / "below"):
        own = OwnFiles(folder)
        own.add(".py", ONE)
        assert not own.knows(".py", ONE)


def test_what_is_not_there_any_more_has_no_mark(own: OwnFiles, file: Path) -> None:
    own.add(".py", b"")
    assert not file.exists()


# where a file was downloaded from


@pytest.mark.parametrize(
    ("platform", "note", "said"),
    [
        ("linux", b"https://www.example.org/a/net.py?x=1", "from www.example.org"),
        ("linux", b"https://user:secret@example.org:8080/a", "from example.org"),
        ("linux", "https://ex\u0430mple.org/a".encode(), ""),
        ("linux", b"https://a.org\nRun me: it is safe/", ""),
        ("linux", b"https://" + b"a" * 300 + b".org/", ""),
        ("linux", b"https://[::1/", ""),
        ("linux", b"\xff\xfe", ""),
        ("win32", b"[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=https://example.org/net.py\r\n", "from example.org"),
        ("win32", b"[ZoneTransfer]\r\nZoneId=3\r\n", "from the internet"),
        ("win32", b"[ZoneTransfer]\r\nZoneId=0\r\n", ""),
        ("darwin", b"0081;5f3c0a1b;Safari;11111111-2222", "with Safari"),
        ("darwin", b"0081;5f3c0a1b;Google\\x20Chrome;", "with Google Chrome"),
        ("darwin", b"0081;5f3c0a1b;<b>x</b>;", ""),
        ("darwin", b"", ""),
    ],
)
def test_the_note_of_a_download_is_shown_only_if_it_is_plain(platform: str, note: bytes, said: str) -> None:
    assert origin_of(Path("net.py"), platform, lambda _: note) == said


def test_a_file_without_a_note_and_a_system_without_notes_say_nothing(tmp_path: Path) -> None:
    def fails(_: Path) -> bytes:
        raise OSError

    (tmp_path / "net.py").write_text("")
    assert origin_of(tmp_path / "net.py") == ""
    assert origin_of(tmp_path / "gone.py") == origin_of(tmp_path / "net.py", "linux", fails) == ""
    assert origin_of(tmp_path / "net.py", "win32") == ""


def test_the_attribute_of_a_browser_is_read(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("")
    try:
        os.setxattr(path, "user.xdg.origin.url", b"https://example.org/net.py")
    except (OSError, AttributeError):
        said = ""  # this system or this file system has no attributes
    else:
        said = "from example.org"
    assert origin_of(path) == said


# a file can't speak for itself


def test_no_field_of_a_file_is_about_trust_or_limits() -> None:
    hostile = {
        **{"trusted": True, "doubt": "", "own": True, "run": True, "policy": "off", "is_trusted": True},
        "limits": {"wall_seconds": 1e9, "memory_mb": 1e9},
    }
    plain = json.loads(gradviz_file.write(with_its_view()))
    plain["view"] |= hostile
    read = gradviz_file.read(json.dumps({**plain, **hostile}).encode(), "net.gradviz")
    assert text_of(read.document) == text_of(with_its_view().document)
    assert json.loads(read.document.extra) == hostile, "kept as text for the version that knows them, and not read"
    assert not [name for name in (*vars(read), *vars(read.document)) if name in hostile]
    with pytest.raises(UserError):
        gradviz_file.read(json.dumps(hostile).encode(), "net.gradviz")
