"""What a window holds: a snippet, or a drawing, and what else a file contains. Each has a text, which is the code that
runs; that of a drawing is in `code`, which is loaded on demand: a window with a snippet opens without it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from gradviz.document.disk import shown
from gradviz.document.errors import UserError
from gradviz.document.snippet import Snippet

if TYPE_CHECKING:
    from gradviz.document.code.emit import Emitted
    from gradviz.document.drawing import Drawing
    from gradviz.document.snippet import Attached

SUFFIX = ".gradviz"
NAMED = 4  # how many of the things that could not be read are named

Document: TypeAlias = "Snippet | Drawing"


@dataclass(frozen=True)
class Stop:
    """A breakpoint, in the form of `session.breakpoints.points`."""

    line: int = -1
    kind: str = ""
    name: str = ""
    nth: int = 0
    condition: str = ""
    enabled: bool = True


@dataclass(frozen=True)
class Sight:
    """How a document was viewed, independent of theme and size: what is collapsed, in the form of `session.folding`,
    where playback stops, and the lessons of the doctor that were dismissed in it."""

    level: int | None = None
    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    tagged: frozenset[str] = frozenset()
    linked: frozenset[str] = frozenset()
    stops: tuple[Stop, ...] = ()
    dismissed: frozenset[str] = frozenset()
    extra: str = ""


@dataclass(frozen=True)
class Contents:
    """What a file contains. `dropped` names what could not be read; `newer` is the version of a file that was written
    by a newer GradViz, otherwise 0."""

    document: Document
    note: str = ""
    sight: Sight = field(default_factory=Sight)
    dropped: tuple[str, ...] = ()
    newer: int = 0

    def sentence(self, name: str) -> str:
        """Return what to say about it when it is opened; "" for nothing."""
        said = []
        if self.dropped:
            several = len(self.dropped) > 1
            parts = f"{len(self.dropped)} parts" if several else "1 part"
            rest = len(self.dropped) - NAMED
            named = ", ".join(self.dropped[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
            were = "were" if several else "was"
            said.append(f"{parts} of {name} could not be read and {were} left out: {named}.")
        if self.newer:
            said.append(
                f"{name} is from a newer GradViz (format {shown(str(self.newer), 20)}): "
                "parts that this version does not know are kept but not shown."
            )
        return " ".join(said)


def text_of(document: Document) -> str:
    """Return the code that runs."""
    return document.text if isinstance(document, Snippet) else code_of(document).text


def files_of(document: Document) -> tuple[Attached, ...]:
    """Return the files that are attached to it."""
    return document.files if isinstance(document, Snippet) else ()


def arguments_of(document: Document) -> tuple[str, ...]:
    """Return the arguments of the script, split as a shell does."""
    return words_of(document.arguments) or () if isinstance(document, Snippet) else ()


def with_arguments(document: Document, words: Sequence[str]) -> Document:
    """Return a snippet that is called with these arguments; anything else reads none and stays as it is."""
    return replace(document, arguments=shlex.join(words)) if words and isinstance(document, Snippet) else document


def words_of(line: str) -> tuple[str, ...] | None:
    """Return the words of a command line; None if a quote is not closed."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        return None


def code_of(drawing: Drawing) -> Emitted:
    """Return the code of a drawing, and which part of it belongs to which node."""
    from gradviz.document.code import emit

    return emit.code_of(drawing)


def with_text(document: Document, text: str) -> Document:
    """Return the same document with another text: a drawing keeps the positions of what stays the same, and becomes a
    snippet if the code can't be drawn."""
    if isinstance(document, Snippet):
        return replace(document, text=text)
    from gradviz.document.code.parse import parse

    try:
        return parse(text, like=document)
    except UserError:
        return Snippet(text, document.newline)
