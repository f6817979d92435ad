"""A report says where our own code failed, and nothing of the person: no paths, no names, nothing that was typed."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from gradviz.document import disk
from gradviz.document.errors import UserError
from gradviz.session.crash_report import Private, native_report, report, without_persons

SNIPPET = "import torch\nmy_secret = torch.ones(3)\npassword = 'hunter two'\n"
PRIVATE = Private((SNIPPET,), ("diary.py", "Ünïque näme.gradviz"))


@pytest.fixture(autouse=True)
def _somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/jane doe")
    monkeypatch.setenv("USERPROFILE", "/home/jane doe")
    monkeypatch.setattr(platform, "node", lambda: "janes-laptop")


@pytest.mark.parametrize(
    "said",
    [
        *("/home/jane doe/papers/diary.py is gone", "in /home/jane doe", "the user jane doe", "on janes-laptop now"),
        *("C:\\Users\\Jane Doe\\x.py", r"\\server\share\jane", "file:///media/Jane's stick/a.py", "at ~/Jane/x"),
        *("No such file: '/media/Jane/a b.py'", 'bad name "jane doe\'s.py"', "diary.py", "the diary is bad"),
        *("Ünïque näme.gradviz", "name 'my_secret' is not defined", "near password = 'hunter two' here"),
        *("invalid: my_secret = torch.ones(3)", "line\nmy_secret = torch.ones(3)\n", "https://jane.example/x?jane"),
    ],
)
def test_nothing_personal_is_in_it(said: str) -> None:
    shown = without_persons(said, PRIVATE).lower()
    for word in ("jane", "diary", "ünïque", "secret", "hunter", "laptop"):
        assert word not in shown


def test_words_of_ours_stay() -> None:
    for said in (
        "'NoneType' object is not callable",
        "1 / 2 and x/y",
        "unsupported operand type(s) for +: 'int' and 'str'",
    ):
        assert without_persons(said, PRIVATE) == said


def test_where_it_failed_is_told_by_our_own_modules_only(tmp_path: Path) -> None:
    try:
        disk.read_at_most(tmp_path / "diary.py", 10)
    except UserError as error:
        told = report(error, "PySide6 6", PRIVATE)
    assert "  gradviz/document/disk.py, line " in told and ", in read_at_most\n" in told
    assert "UserError: <path>" in told and "FileNotFoundError: [Errno 2]" in told, "and what it came from"
    assert "<…>, line " in told, "this test is none of our modules"
    assert str(tmp_path) not in told and "diary" not in told and os.path.dirname(__file__) not in told
    assert "PySide6 6" in told.splitlines()[0]


def test_a_deep_recursion_is_cut() -> None:
    def deeper(number: int) -> int:
        return deeper(number + 1)

    with pytest.raises(RecursionError) as caught:
        deeper(0)
    told = report(caught.value)
    assert len(told.splitlines()) < 60 and "more\n" in told


def test_an_error_that_has_no_words() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError("none")

    assert report(Odd()).endswith("Odd\n")


def test_what_a_dying_process_wrote() -> None:
    here = Path(disk.__file__)
    wrote = (
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n"
        f'  File "{here}", line 5 in read\n  File "/home/jane doe/x.py", line 7 in run\n'
        "Qt: could not open /home/jane doe/.config\n"
    )
    told = native_report(wrote)
    assert "Segmentation fault" in told and "gradviz/document/disk.py, line 5 in read" in told
    assert "<…>, line 7 in run" in told
    assert "jane" not in told
