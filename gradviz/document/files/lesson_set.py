"""Lesson sets: snippets and drawings in an order, each with its text, what to look at, and whether its numbers are to
be predicted. A set is a folder, whose files are its lessons sorted by name, or one `.gvlessons` file: JSON with the
documents in it, or with the names of files beside it. Such a file is data like any other: what is broken in it is left
out and named, and reading it runs nothing in it. The examples that ship with the program are a set.

How a lesson states its title is in `examples`; what a learner has done is kept in the window's settings, by
`Lesson.key`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import cast

from gradviz.document import disk
from gradviz.document.disk import read_at_most, shown
from gradviz.document.documents import Contents, Sight, text_of
from gradviz.document.errors import UserError
from gradviz.document.files import examples, gradviz_file
from gradviz.document.files.examples import Example
from gradviz.document.files.file_parts import Json, Part
from gradviz.lists import quantity

SUFFIX = ".gvlessons"
FORMAT = "gradviz-lessons"
VERSION = 1
MOST_BYTES = 20_000_000
MOST_LESSONS = 500
KEY = 16  # characters of a lesson's key in the settings
NAMED = 4  # how many of the lessons that were left out are named


@dataclass(frozen=True)
class Lesson:
    """One lesson; `part` is its form in the file, "" for one from a folder."""

    example: Example
    predict: bool = False
    part: str = ""

    @property
    def key(self) -> str:
        """What identifies it: a lesson with another text is another lesson."""
        said = f"{self.example.title}\0{self.example.code}\0{self.predict}"
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:KEY]


@dataclass(frozen=True)
class LessonSet:
    """An open set. `at` is the lesson that is open, -1 for none; `doubt` says why nothing of it runs until the user
    says so."""

    title: str
    text: str = ""
    lessons: tuple[Lesson, ...] = ()
    path: Path | None = None  # of its file or folder
    doubt: str = ""
    dropped: tuple[str, ...] = ()
    at: int = -1
    is_trusted: bool = False  # the examples, and what a school has installed on its computers

    @property
    def is_editable(self) -> bool:
        """Whether lessons can be added and removed: it is one file, the user's own, and was read completely."""
        return self.path is not None and is_lesson_set(self.path) and not (self.doubt or self.dropped)

    @property
    def sentence(self) -> str:
        """Return what to say when it is opened."""
        opened = f"{shown(self.title)}: {quantity(len(self.lessons), 'lesson')}."
        if not self.dropped:
            return opened
        rest = len(self.dropped) - NAMED
        named = ", ".join(self.dropped[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
        return f"{opened} Left out, because they could not be read: {named}."


def is_lesson_set(path: Path) -> bool:
    """Whether a file of this name is a set."""
    return path.suffix.lower() == SUFFIX


def shipped() -> LessonSet:
    """Return the examples as a set."""
    found = (*examples.examples(), *examples.drawn_examples())
    return LessonSet("Examples", lessons=tuple(map(Lesson, found)), path=examples.FOLDER, is_trusted=True)


# -- reading


def of_folder(folder: Path) -> LessonSet:
    """Return the files of a folder as a set; UserError if there are none."""
    try:
        found = examples.lessons(folder)
    except OSError as error:
        raise UserError(f"{shown(folder.name)} could not be read: {disk.reason(error)}.") from error
    if not found:
        raise UserError(f"{shown(folder.name)} contains no snippets (.py) and no drawings (.gradviz).")
    title = folder.resolve().name.replace("_", " ")
    return LessonSet(title[:1].upper() + title[1:], lessons=tuple(map(Lesson, found)), path=folder)


def read_bytes(path: Path) -> bytes:
    """Return the content of a set's file, if it is not far too big."""
    data, size = read_at_most(path, MOST_BYTES)
    if size > MOST_BYTES:
        most = f"{MOST_BYTES / 1e6:.0f} MB"
        raise UserError(f"{shown(path.name)} has {size / 1e6:.1f} MB; a lesson set may have {most} at most.")
    return data


def decode(data: bytes, path: Path) -> LessonSet:
    """Return the set in these bytes; UserError if they are not one."""
    name, record = shown(path.name), _record(data, shown(path.name))
    version = record.get("version")
    if type(version) is not int or version < VERSION:
        raise UserError(f"{name} has an unknown format version ({shown(str(version), 20)}). Open another file.")
    parts, dropped = record.get("lessons", []), list[str]()
    if not isinstance(parts, list):
        raise UserError(f"{name} contains no list of lessons. Open another file.")
    if len(parts) > MOST_LESSONS:
        dropped.append(f"lessons beyond the first {MOST_LESSONS}")
    lessons = []
    for number, part in enumerate(parts[:MOST_LESSONS], start=1):
        try:
            lessons.append(_lesson(part, path, number))
        except UserError as error:
            dropped.append(f"lesson {number} ({error})")
    head = record if not gradviz_file.problem("lesson_set", record) else {}
    title, text = str(head.get("title", "") or path.stem.replace("_", " ")), str(head.get("text", ""))
    return LessonSet(title, text, tuple(lessons), path, "", tuple(dropped))


def _record(data: bytes, name: str) -> Part:
    """Return the record in the file, which has to be complete: its author has the original elsewhere."""
    try:
        record = gradviz_file.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is no lesson set: it is not UTF-8 text. Open another file.") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise UserError(f"{name} is no lesson set, or is damaged. Open another file.") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT or gradviz_file.is_too_deep(record):
        raise UserError(f"{name} is no lesson set that GradViz wrote. Open another file.")
    return record


def _lesson(part: Json, path: Path, number: int) -> Lesson:
    """Return one lesson of a file; UserError, a few words, if it can't be read."""
    found = gradviz_file.problem("lesson", part)
    if found:
        raise UserError(found)
    known = cast(Part, part)
    if "document" in known:
        example = _embedded(known, path, number)
    else:
        example = examples.read(path.parent / str(known["file"]))
    title, text, look_at = (str(known.get(name, "")) for name in ("title", "text", "look_at"))
    example = replace(
        example,
        title=title or example.title,
        paragraph=text or example.paragraph,
        look_at=look_at or example.look_at,
    )
    return Lesson(example, bool(known.get("predict", False)), _dumped(known))


def _embedded(part: Part, path: Path, number: int) -> Example:
    data = json.dumps(part["document"], allow_nan=False).encode("utf-8", "surrogatepass")
    contents = gradviz_file.read(data, f"lesson {number}")
    if contents.dropped:
        raise UserError(f"{len(contents.dropped)} of its parts can't be read")
    return examples.of(contents, path, f"Lesson {number}")


# -- writing


def with_lesson(lessons: LessonSet, contents: Contents, *, predict: bool) -> LessonSet:
    """Add a lesson at the end, or replace the one with the same title and the same setting for predictions: this is how
    a lesson is changed. `at` is its index."""
    document = cast(Json, json.loads(gradviz_file.write(replace(contents, sight=Sight()))))
    part: Part = {"predict": predict, "document": document}
    lesson = _lesson(part, lessons.path or Path("lessons"), len(lessons.lessons) + 1)
    named = [(each.example.title, each.predict) for each in lessons.lessons]
    if (lesson.example.title, predict) in named:
        at = named.index((lesson.example.title, predict))
        return replace(lessons, lessons=(*lessons.lessons[:at], lesson, *lessons.lessons[at + 1 :]), at=at)
    if len(named) >= MOST_LESSONS:
        raise UserError(f"A lesson set may have {MOST_LESSONS} lessons. Begin another one.")
    return replace(lessons, lessons=(*lessons.lessons, lesson), at=len(named))


def moved(lessons: LessonSet, place: int, by: int) -> LessonSet:
    """Move a lesson earlier or later in the order."""
    order, to = [*lessons.lessons], place + by
    if not (0 <= place < len(order) and 0 <= to < len(order)):
        return lessons
    order[place], order[to] = order[to], order[place]
    at = {place: to, to: place}.get(lessons.at, lessons.at)
    return replace(lessons, lessons=tuple(order), at=at)


def without(lessons: LessonSet, place: int) -> LessonSet:
    """Remove a lesson."""
    rest = lessons.lessons[:place] + lessons.lessons[place + 1 :]
    at = -1 if lessons.at == place else lessons.at - (lessons.at > place)
    return replace(lessons, lessons=rest, at=at)


def shared(lessons: LessonSet | None, before: LessonSet | None) -> LessonSet | None:
    """Return a set that another tab has opened or changed, for a tab in which `before` was open: the same lesson stays
    open in it."""
    if lessons is None:
        return None
    key = before.lessons[before.at].key if before is not None and before.at >= 0 else ""
    keys = [lesson.key for lesson in lessons.lessons]
    return replace(lessons, at=keys.index(key) if key in keys else -1)


def encode(lessons: LessonSet) -> bytes:
    """Return the file of a set, one lesson per line."""
    rows = ",\n    ".join(lesson.part for lesson in lessons.lessons)
    head = {"format": FORMAT, "version": VERSION, "title": lessons.title, "text": lessons.text}
    fields = ",\n  ".join(f"{_dumped(name)}: {_dumped(cast(Json, value))}" for name, value in head.items())
    data = f'{{\n  {fields},\n  "lessons": [\n    {rows}\n  ]\n}}\n'.encode("utf-8", "backslashreplace")
    if len(data) > MOST_BYTES:
        raise UserError(f"This would be {len(data) / 1e6:.1f} MB; a lesson set may have {MOST_BYTES / 1e6:.0f} MB.")
    return data


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def is_open_in(lessons: LessonSet, text: str) -> bool:
    """Whether the open lesson has this code."""
    return 0 <= lessons.at < len(lessons.lessons) and text_of(lessons.lessons[lessons.at].example.document) == text
