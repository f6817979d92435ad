"""Lesson sets: snippets and drawings in an order, each with its text, with what to look at, and with whether one
predicts its numbers. A set is a folder, whose files are its lessons in the order of their names, or one `.gvlessons`
file: JSON with the documents in it, or with the names of files that lie beside it. Such a file is data like any other:
what is broken in it is left out and named, and nothing in it is run by being read. The examples that ship with the
program are a set.

How a lesson says its title is in `examples`; what a learner has done is kept in the window's settings, by
`Lesson.key`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import cast

from gradviz.document import disk
from gradviz.document.disk import read_at_most, shown
from gradviz.document.documents import text_of
from gradviz.document.errors import UserError
from gradviz.document.files import examples, gradviz_file
from gradviz.document.files.examples import Example
from gradviz.document.files.file_parts import Json, Part, Sight
from gradviz.document.files.gradviz_file import Contents

SUFFIX = ".gvlessons"
FORMAT = "gradviz-lessons"
VERSION = 1
MOST_BYTES = 20_000_000
MOST_LESSONS = 500
KEY = 16  # characters of what stands for a lesson in the settings
NAMED = 4  # so many of the lessons that were left out


@dataclass(frozen=True)
class Lesson:
    """One lesson; `part` is how it stands in the file, "" for one of a folder."""

    example: Example
    predict: bool = False
    part: str = ""

    @property
    def key(self) -> str:
        """What it is known by: another text is another lesson."""
        said = f"{self.example.title}\0{self.example.code}\0{self.predict}"
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:KEY]


@dataclass(frozen=True)
class LessonSet:
    """A set that is open. `at` is the lesson that is open, -1 for none; `doubt` says why nothing of it runs until the
    user says so."""

    title: str
    text: str = ""
    lessons: tuple[Lesson, ...] = ()
    path: Path | None = None  # of its file or folder
    doubt: str = ""
    dropped: tuple[str, ...] = ()
    at: int = -1
    is_trusted: bool = False  # the examples, and what a school has put on its computers

    @property
    def is_editable(self) -> bool:
        """Whether lessons are added to it and taken out: it is one file, of the user's own, and all of it was read."""
        return self.path is not None and is_lesson_set(self.path) and not (self.doubt or self.dropped)

    @property
    def sentence(self) -> str:
        """What is said when it is opened."""
        count = len(self.lessons)
        opened = f"{shown(self.title)}: {count} lesson{'' if count == 1 else 's'}."
        if not self.dropped:
            return opened
        rest = len(self.dropped) - NAMED
        named = ", ".join(self.dropped[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
        return f"{opened} Left out, because they could not be read: {named}."


def is_lesson_set(path: Path) -> bool:
    """True if a file of this name is a set."""
    return path.suffix.lower() == SUFFIX


def shipped() -> LessonSet:
    """The examples, as a set."""
    found = (*examples.examples(), *examples.drawn_examples())
    return LessonSet("Examples", lessons=tuple(map(Lesson, found)), path=examples.FOLDER, is_trusted=True)


# -- reading


def of_folder(folder: Path) -> LessonSet:
    """The files of a folder; UserError if there are none."""
    try:
        found = examples.lessons(folder)
    except OSError as error:
        raise UserError(f"{shown(folder.name)} could not be read: {disk.reason(error)}.") from error
    if not found:
        raise UserError(f"{shown(folder.name)} contains no snippets (.py) and no drawings (.gradviz).")
    title = folder.resolve().name.replace("_", " ")
    return LessonSet(title[:1].upper() + title[1:], lessons=tuple(map(Lesson, found)), path=folder)


def read_bytes(path: Path) -> bytes:
    """What is in the file of a set, if it is not far too big."""
    data, size = read_at_most(path, MOST_BYTES)
    if size > MOST_BYTES:
        most = f"{MOST_BYTES / 1e6:.0f} MB"
        raise UserError(f"{shown(path.name)} has {size / 1e6:.1f} MB; a lesson set may have {most} at most.")
    return data


def decode(data: bytes, path: Path) -> LessonSet:
    """The set in these bytes; UserError for what is none."""
    name, record = shown(path.name), _record(data, shown(path.name))
    version = record.get("version")
    if type(version) is not int or version < VERSION:
        raise UserError(f"{name} has an unknown format version ({str(version)[:20]}). Open another file.")
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
    """What stands in the file, which has to be whole: who makes one has it elsewhere."""
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
    """One lesson of a file; UserError, a few words, if it can't be read."""
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
    """With one more at its end, or in place of that with the same title which asks for predictions as it does: so is a
    lesson changed. `at` is where it is."""
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
    """With a lesson earlier or later in the order."""
    order, to = [*lessons.lessons], place + by
    if not (0 <= place < len(order) and 0 <= to < len(order)):
        return lessons
    order[place], order[to] = order[to], order[place]
    at = {place: to, to: place}.get(lessons.at, lessons.at)
    return replace(lessons, lessons=tuple(order), at=at)


def without(lessons: LessonSet, place: int) -> LessonSet:
    """Without a lesson."""
    rest = lessons.lessons[:place] + lessons.lessons[place + 1 :]
    at = -1 if lessons.at == place else lessons.at - (lessons.at > place)
    return replace(lessons, lessons=rest, at=at)


def encode(lessons: LessonSet) -> bytes:
    """The file of a set, a lesson on a line."""
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
    """Whether the lesson that is open has this code."""
    return 0 <= lessons.at < len(lessons.lessons) and text_of(lessons.lessons[lessons.at].example.document) == text
