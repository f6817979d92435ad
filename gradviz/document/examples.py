"""The examples that ship with the program: Python files whose docstring is the title, a paragraph and what to look
at. To add one, add a file to `resources/examples`; the gallery and the tests find it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "examples"
LOOK_AT = "look at"


@dataclass(frozen=True)
class Example:
    """One example: `paragraph` says what it shows, `look_at` where to look; `code` is the rest of the file."""

    path: Path
    title: str
    paragraph: str
    look_at: str
    code: str


def examples(folder: Path = FOLDER) -> tuple[Example, ...]:
    """All examples in the order of their file names."""
    return tuple(read(path) for path in sorted(folder.glob("*.py")))


def read(path: Path) -> Example:
    """The title and texts of one example."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    docstring = ast.get_docstring(tree)
    code = text
    if docstring is None:
        docstring = path.stem.replace("_", " ")
    else:
        code = "\n".join(text.split("\n")[tree.body[0].end_lineno :]).lstrip("\n")
    title, *rest = [" ".join(part.split()) for part in docstring.split("\n\n")]
    look_at = [part for part in rest if part.lower().startswith(LOOK_AT)]
    texts = [part for part in rest if part not in look_at]
    hints = [part.partition(":")[2].strip() for part in look_at]
    return Example(path, title.rstrip("."), " ".join(texts), " ".join(hints), code)
