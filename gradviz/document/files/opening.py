"""Files by name: `.gradviz` contains a snippet or a drawing with everything that belongs to it, `.ipynb` is a notebook
and read-only, any other file is the text of a snippet. The formats are in `snippet` and in `gradviz_file`, which is
loaded on demand."""

from __future__ import annotations

from pathlib import Path

from gradviz.document import snippet
from gradviz.document.disk import read_at_most, shown, write_atomically
from gradviz.document.documents import SUFFIX, Contents, text_of
from gradviz.document.errors import UserError
from gradviz.document.snippet import Snippet


def is_gradviz(path: Path) -> bool:
    """Whether a file of this name has our own format."""
    return path.suffix.lower() == SUFFIX


def is_notebook(path: Path) -> bool:
    """Whether a file of this name is a notebook, which is read and never written."""
    return path.suffix.lower() == snippet.SUFFIX


def load(path: Path) -> Contents:
    """Read a file; raises UserError, with a sentence, if it can't be read at all."""
    return decode(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, if it is not far too big."""
    if is_notebook(path):
        data, size = read_at_most(path, snippet.MOST_BYTES)
        if size > snippet.MOST_BYTES:
            raise UserError(snippet.too_big(shown(path.name), size))
        return data
    if not is_gradviz(path):
        return snippet.read_bytes(path)
    from gradviz.document.files import gradviz_file

    data, size = read_at_most(path, gradviz_file.MOST_BYTES)
    if size > gradviz_file.MOST_BYTES:
        raise gradviz_file.too_big_to_read(shown(path.name), size)
    return data


def decode(data: bytes, path: Path) -> Contents:
    """Return what the bytes of this file contain."""
    if is_gradviz(path):
        from gradviz.document.files import gradviz_file

        return gradviz_file.read(data, shown(path.name))
    if is_notebook(path):
        text = snippet.text_of_notebook(data, shown(path.name))
        if len(text.encode()) > snippet.MAX_BYTES:
            raise UserError(snippet.too_big(shown(path.name), len(text.encode())))
        return Contents(Snippet(text))
    return Contents(snippet.decode(data, shown(path.name)))


def encode(contents: Contents, path: Path) -> bytes:
    """Return what is written to a file of this name; for a drawing in any file other than `.gradviz`, its code."""
    if is_gradviz(path):
        from gradviz.document.files import gradviz_file

        return gradviz_file.write(contents)
    if is_notebook(path):
        raise UserError(snippet.NOT_WRITTEN.format(name=shown(path.name)))
    document = contents.document
    text = document if isinstance(document, Snippet) else Snippet(text_of(document), document.newline)
    return snippet.encode(text)


def save(path: Path, contents: Contents) -> None:
    """Write a file; the one on disk is replaced in one step."""
    write_atomically(path, encode(contents, path))
