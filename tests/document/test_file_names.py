"""A file may have any name: what is shown of it is one line, says how it ends, and is not longer than a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.disk import LONGEST, shown
from gradviz.document.errors import UserError
from gradviz.document.files import opening
from gradviz.session.state import State

NAMES = ["\u202eyp.gpj", "a\nb.py", "\x1b[31mred.py", "\udcff.py", "\u2066net\u2069.py"]


def test_an_ordinary_name_is_shown_as_it_is() -> None:
    for name in ("net.py", "Übung 3 — β.gradviz", "<b>&amp;.py", "神经.py"):
        assert shown(name) == name


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_seen_is_shown_as_a_sign(name: str) -> None:
    assert shown(name).isprintable() and "\ufffd" in shown(name)
    assert State(path=Path(name)).title == shown(name)


def test_a_long_name_keeps_its_ending() -> None:
    found = shown("n" * 250 + ".gradviz")
    assert len(found) == LONGEST and found.startswith("nnn") and found.endswith("n.gradviz")


@pytest.mark.parametrize("ending", [".py", ".gradviz"])
def test_what_is_wrong_with_a_file_is_said_in_one_line(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a\u202e\n{'b' * 150}{ending}"
    for content in (b"\0\xff", None):
        if content is not None:
            path.write_bytes(content)
        else:
            path.unlink()
            path.mkdir()
        with pytest.raises(UserError) as caught:
            opening.load(path)
        assert str(caught.value).isprintable() and len(str(caught.value)) < 200
