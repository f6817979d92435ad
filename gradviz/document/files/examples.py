"""The examples that ship with the program: Python files whose docstring contains the title, a paragraph and what to
look at, and drawings whose note does. To add one, add a file to `resources/examples`; the gallery and the tests find
it."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

from gradviz import RESOURCES
from gradviz.document.documents import Contents, Document, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.document.files.opening import is_gradviz, load
from gradviz.document.snippet import Snippet

FOLDER = RESOURCES / "examples"
LOOK_AT = "look at"
MOST_LESSONS = 500  # of one folder that are offered
MOST_OF_TITLE, MOST_OF_TEXT, MOST_OF_HINTS = 200, 5_000, 1_000  # characters, as in a lesson set


@dataclass(frozen=True)
class Example:
    """One example: `paragraph` says what it shows, `look_at` where to look; `code` is the rest of the file, or the code
    of the drawing."""

    path: Path
    title: str
    paragraph: str
    look_at: str
    code: str
    drawn: Document | None = None

    @property
    def document(self) -> Document:
        """Return the document to open."""
        return Snippet(self.code) if self.drawn is None else self.drawn

    @property
    def note(self) -> str:
        """Return the note beside it."""
        look_at = f"Look at {self.look_at}" if self.look_at else ""
        return f"{self.title}\n{self.paragraph}\n{look_at}".strip()


def examples(folder: Path = FOLDER) -> tuple[Example, ...]:
    """Return all snippets, sorted by file name."""
    return tuple(read(path) for path in _paths(folder, "*.py"))


def drawn_examples(folder: Path = FOLDER) -> tuple[Example, ...]:
    """Return all drawings, sorted by file name."""
    return tuple(read(path) for path in _paths(folder, "*.gradviz"))


@dataclass(frozen=True)
class Introduction:
    """What is shown about a file before it is opened."""

    path: Path
    title: str
    paragraph: str


def introductions(pattern: str, at_most: int | None = None) -> tuple[Introduction, ...]:
    """Return the introductions of the examples that ship with the program. Only their texts are read: every empty
    window offers them, and checking a drawing like a stranger's takes a tenth of a second the first time."""
    return tuple(map(_introduction, _paths(FOLDER, pattern)[:at_most]))


def _introduction(path: Path) -> Introduction:
    text = path.read_text("utf-8")
    said: str | None = json.loads(text)["note"] if is_gradviz(path) else ast.get_docstring(ast.parse(text))
    title, paragraph, _ = _texts(said or _called(path))
    return Introduction(path, title, paragraph)


def _paths(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern))


def lessons(folder: Path) -> tuple[Example, ...]:
    """Return the snippets and drawings in a folder of the user's, sorted by name; those that can't be read are left
    out."""
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".py", ".gradviz"))[:MOST_LESSONS]
    return tuple(lesson for lesson in map(_readable, paths) if lesson is not None)


def _readable(path: Path) -> Example | None:
    try:
        return read(path)
    except UserError:
        return None


def read(path: Path) -> Example:
    """Read one example with its title and texts."""
    contents = load(path)
    return of(contents, path, _called(path), whole=is_gradviz(path))


def of(contents: Contents, path: Path, called: str, *, whole: bool = True) -> Example:
    """Return a file's content as an example; `called` is the title if it has none. As a `whole`, it is opened with its
    docstring and its attached files."""
    text = text_of(contents.document)
    if whole and (contents.note or isinstance(contents.document, Drawing)):
        return Example(path, *_texts(contents.note or called), text, contents.document)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the lesson may be about such an error
        return Example(path, *_texts(called), text, contents.document if whole else None)
    docstring = ast.get_docstring(tree)
    if docstring is None or whole:
        return Example(path, *_texts(docstring or called), text, contents.document if whole else None)
    code = "\n".join(text.split("\n")[tree.body[0].end_lineno :]).lstrip("\n")
    return Example(path, *_texts(docstring), code)


def _called(path: Path) -> str:
    return path.stem.replace("_", " ")


def _texts(said: str) -> tuple[str, str, str]:
    """Return the title, the paragraphs, and what to look at."""
    title, *rest = [" ".join(part.split()) for part in said.split("\n\n")]
    look_at = [part for part in rest if part.lower().startswith(LOOK_AT)]
    texts = [part for part in rest if part not in look_at]
    hints = [part.partition(":")[2].strip() for part in look_at]
    return (
        _cut(title.rstrip("."), MOST_OF_TITLE),
        _cut(" ".join(texts), MOST_OF_TEXT),
        _cut(" ".join(hints), MOST_OF_HINTS),
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
