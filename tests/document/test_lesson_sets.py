"""Lesson sets as files and folders: what is written is read again, what is broken is left out and named, and nothing is
ever run or reached by being read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradviz.document.documents import Contents
from gradviz.document.errors import UserError
from gradviz.document.files import lesson_set
from gradviz.document.files.examples import FOLDER, lessons, read
from gradviz.document.files.lesson_set import LessonSet, decode, encode, moved, of_folder, shipped, with_lesson, without
from gradviz.document.files.opening import load
from gradviz.document.snippet import Snippet

FIRST = '"""Twice\n\nA number is used twice.\n\nLook at: the sum.\n"""\nx = 2\n'
DRAWN = FOLDER / "24_a_loss_drawn_by_hand.gradviz"


def own(path: Path) -> LessonSet:
    """A set with a snippet and a drawing."""
    made = with_lesson(LessonSet("Derivatives", "Two of them.", path=path), Contents(Snippet(FIRST)), predict=True)
    return with_lesson(made, load(DRAWN), predict=False)


def record(**lesson: Any) -> bytes:
    head = {"format": "gradviz-lessons", "version": 1, "title": "T", "lessons": [lesson]}
    return json.dumps(head).encode()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "set.gvlessons"
    made = own(path)
    found = decode(encode(made), path)
    assert (found.title, found.text, found.dropped, found.at) == ("Derivatives", "Two of them.", (), -1)
    assert found.lessons == made.lessons and encode(found) == encode(made)
    first, second = found.lessons
    assert (first.example.title, first.example.look_at, first.predict) == ("Twice", "the sum.", True)
    assert first.example.document == Snippet(FIRST) and second.example.document == load(DRAWN).document
    assert found.is_editable and not shipped().is_editable


def test_lessons_change_places_and_go() -> None:
    made = own(Path("set.gvlessons"))
    turned = moved(made, 0, 1)
    assert [each.example.title for each in turned.lessons] == [each.example.title for each in made.lessons[::-1]]
    assert moved(made, 0, -1) is made and moved(made, 1, 1) is made
    assert len(without(made, 0).lessons) == 1 and without(made, 1).at == -1 and without(made, 0).at == 0


def test_a_lesson_of_the_same_title_is_changed() -> None:
    made = own(Path("set.gvlessons"))
    longer = FIRST + "y = x * x\n"
    changed = with_lesson(made, Contents(Snippet(longer)), predict=True)
    assert len(changed.lessons) == 2 and changed.at == 0
    assert changed.lessons[0].example.document == Snippet(longer) and changed.lessons[1] == made.lessons[1]
    assert len(with_lesson(made, Contents(Snippet(longer)), predict=False).lessons) == 3


def test_the_examples_are_a_set_with_a_key_for_each() -> None:
    assert len({lesson.key for lesson in shipped().lessons}) == len(shipped().lessons) == len(lessons(FOLDER))
    assert shipped().lessons[0].example == read(FOLDER / "01_two_gradients.py")


def test_a_folder_is_a_set(tmp_path: Path) -> None:
    (tmp_path / "2_b.py").write_text("b = 1\n", encoding="utf-8")
    (tmp_path / "1_a.py").write_text(FIRST, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not a lesson", encoding="utf-8")
    found = of_folder(tmp_path)
    assert [each.example.title for each in found.lessons] == ["Twice", "2 b"] and not found.is_editable
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="contains no snippets"):
        of_folder(tmp_path / "empty")


def test_files_beside_a_set_are_its_lessons_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(FIRST, encoding="utf-8")
    found = decode(record(file="one.py", title="Mine", predict=True), tmp_path / "set.gvlessons")
    assert [(each.example.title, each.predict) for each in found.lessons] == [("Mine", True)]
    outside = ("../one.py", "/etc/passwd", "sub/one.py", "..\\one.py", "C:one.py", ".hidden.py", "one.txt", "\0.py", "")
    for name in outside:
        refused = decode(record(file=name), tmp_path / "set.gvlessons")
        assert not refused.lessons and refused.dropped and not refused.is_editable, name
    assert decode(record(file="missing.py"), tmp_path / "set.gvlessons").dropped


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "damaged"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "no lesson set"),
        (b"{}", "no lesson set"),
        (b"[" * 100_000, "damaged"),
        (b'{"format": "gradviz-lessons"}', "unknown format version"),
        (b'{"format": "gradviz-lessons", "version": true}', "unknown format version"),
        (b'{"format": "gradviz-lessons", "version": "a\\nb"}', r"version \(a\S+b\)"),
        (b'{"format": "gradviz-lessons", "version": 1, "lessons": {}}', "no list of lessons"),
        (b'{"format": "gradviz", "version": 1, "kind": "snippet", "text": []}', "no lesson set"),
    ],
)
def test_what_is_no_set_is_refused_with_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(UserError, match=words):
        decode(data, Path("set.gvlessons"))


@pytest.mark.parametrize(
    "lesson",
    [
        {},
        {"document": 3},
        {"document": {}},
        {"document": {"format": "gradviz", "version": 1, "kind": "drawing", "nodes": [{"id": -1}]}},
        {"document": {"format": "gradviz", "version": 1, "kind": "snippet", "text": ["a\0"]}},
        {"document": {"format": "gradviz", "version": 1, "kind": "snippet", "text": []}, "title": 7},
        {"document": {"format": "gradviz", "version": 1, "kind": "snippet", "text": []}, "predict": "yes"},
        {"document": {"format": "gradviz", "version": 1, "kind": "snippet", "text": []}, "title": "x" * 201},
    ],
)
def test_a_broken_lesson_is_left_out_and_named(lesson: dict[str, Any]) -> None:
    found = decode(record(**lesson), Path("set.gvlessons"))
    assert not found.lessons and len(found.dropped) == 1 and "Left out" in found.sentence


def test_a_docstring_of_any_length_gives_texts_of_a_lessons_length() -> None:
    long = f"{'t' * 999}\n\n{'p' * 9_999}\n\nLook at: {'l' * 9_999}"
    code = {"format": "gradviz", "version": 1, "kind": "snippet", "text": f'"""{long}"""\nx = 1'.split("\n")}
    [lesson] = decode(record(document=code), Path("set.gvlessons")).lessons
    example = lesson.example
    assert [len(text) for text in (example.title, example.paragraph, example.look_at)] == [200, 5_000, 1_000]
    assert all(text.endswith("…") for text in (example.title, example.paragraph, example.look_at))


def test_a_set_has_no_end_of_lessons() -> None:
    many = {"format": "gradviz-lessons", "version": 2, "lessons": [{}] * 2000, "title": ["no"]}
    found = decode(json.dumps(many).encode(), Path("many_lessons.gvlessons"))
    assert found.title == "many lessons" and len(found.dropped) == lesson_set.MOST_LESSONS + 1
