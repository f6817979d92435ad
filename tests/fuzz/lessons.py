"""The readers of lesson sets and notebooks on damaged and forged files: they give a set or a text, or a `UserError`,
whose text is a sentence. A set leads to no file but those beside it, and what it holds is written and read again as it
was."""

from __future__ import annotations

import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

from gradviz.document.documents import text_of
from gradviz.document.errors import UserError
from gradviz.document.files import lesson_set, opening
from gradviz.document.files.lesson_set import LessonSet
from tests.fuzz import files
from tests.fuzz.choices import Choices
from tests.fuzz.documents import refused

SECRET = "what lies outside"
BESIDE = "x = 1  # beside"


def one_input(data: bytes) -> None:
    """The first byte says which of both, and whether the file is damaged once more."""
    choices = Choices(data)
    kind = choices.number(4)
    name, made = (files.lessons if kind % 2 else files.notebook)(choices)
    if kind > 1:
        made = files.scratched(made, choices)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with suppress(_Refused):
            look_at_set(read(made)) if kind % 2 else look_at_notebook(made, name)


class _Refused(Exception):
    """A file was refused as it should be."""


@cache
def _folder() -> Path:
    """A folder with a file that a set may name, below one with a file that it may not."""
    outer = Path(tempfile.mkdtemp(prefix="gradviz-fuzz-"))
    (outer / "net.py").write_text(f"x = 1  # {SECRET}\n", encoding="utf-8")
    inner = outer / "sets"
    inner.mkdir()
    (inner / "net.py").write_text(f"{BESIDE}\n", encoding="utf-8")
    return inner


def read(data: bytes) -> LessonSet:
    """The set in these bytes."""
    try:
        return lesson_set.decode(data, _folder() / "set.gvlessons")
    except UserError as error:
        refused(error)
        raise _Refused from error


def look_at_set(found: LessonSet) -> None:
    """All that the program asks of a set."""
    assert found.sentence and "\n" not in found.sentence and len(found.sentence) < 3000, found.sentence
    assert len(found.lessons) <= lesson_set.MOST_LESSONS
    for at, lesson in enumerate(found.lessons):
        code = text_of(lesson.example.document)
        assert SECRET not in code and len(lesson.key) == lesson_set.KEY
        texts = (lesson.example.title, lesson.example.paragraph, lesson.example.look_at)
        assert all(len(text) <= most for text, most in zip(texts, (200, 5_000, 1_000), strict=True)), texts
        lesson_set.moved(found, at, 1)
        lesson_set.without(found, at)
    if found.dropped:  # it is not written
        return
    again = lesson_set.decode(lesson_set.encode(found), _folder() / "set.gvlessons")
    assert not again.dropped, again.dropped
    assert [each.key for each in again.lessons] == [each.key for each in found.lessons]


def look_at_notebook(data: bytes, name: str) -> None:
    """The text of a notebook is one that a file can hold."""
    try:
        text = text_of(opening.decode(data, Path(name)).document)
    except UserError as error:
        refused(error)
        raise _Refused from error
    assert "\0" not in text and "\r" not in text
    text.encode()
