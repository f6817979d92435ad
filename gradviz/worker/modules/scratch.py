"""The folder of a run, in memory: what `open`, `os`, `pathlib`, `np.load`, `torch.save` and the like use as a disk.

It is empty at the start and gone at the end. No path of a snippet ever reaches the system: a name is a key in a table
here, and a file is a sequence of bytes behind Python's own text and byte readers, which the `ScratchFile` that a
snippet holds does not expose. Python objects are not converted to bytes: a file holds a marker, and whoever reads it
gets a copy of what this run has stored under that number, nothing else. Next: `file_modules` for the modules that use
this, `saved_files` for torch.save."""

from __future__ import annotations

import copy
import errno
import fnmatch
import io
import operator
import os
import posixpath
import time
import weakref
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from typing import Any, NoReturn, Self, SupportsIndex

import numpy as np

from gradviz.engine.kernel.state import paused
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.convert import AsSaved
from gradviz.worker.objects.arguments import keep_methods

HOME = "/home/you/snippet"
TEMPORARY = "/tmp"
MOST_BYTES = 64 << 20  # of all files; objects count with the size of their numbers
MOST_NAMES = 2_000
LONGEST_PATH = 1_000
NUMBER = 3  # of every open file, where Python's have one each
MARK = b"GradViz object "  # of an object that the run has put away, with its number
_MARK = MARK + b"%12d\n"
MARK_BYTES = len(_MARK % 0)
_ENCODINGS = {"utf8": "utf-8", "utf-8": "utf-8", "ascii": "ascii", "us-ascii": "ascii", "latin-1": "latin-1"}
_ENCODINGS |= {"latin1": "latin-1", "iso-8859-1": "latin-1", "utf-8-sig": "utf-8"}


class Content:
    """The bytes of a file, and the numbers of the objects that it stands for, which count towards its size."""

    __slots__ = ("data", "numbers", "weight", "when")

    def __init__(self) -> None:
        self.data = bytearray()
        self.numbers: list[int] = []
        self.weight = 0
        self.when = time.time()

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.data) + self.weight


class Scratch:
    """The files and folders of one run, by their absolute paths."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Reset to an empty disk."""
        self.files: dict[str, Content] = {}
        self.folders = {"/", "/home", "/home/you", HOME, TEMPORARY}
        self.here = HOME
        self.made = 0  # temporary names
        self.unmatched = ""  # the first pattern of file names that matched nothing
        self._attached: dict[str, list[str]] = {}  # by the last part of their names
        self._given: dict[str, bytes] = {}  # the attached files, by path
        self._shelves: set[str] = set()  # the folders that they are in
        self._open: weakref.WeakSet[Any] = weakref.WeakSet()  # which may hold bytes back
        self._objects: dict[int, object] = {}
        self._next = 0

    def path(self, name: str) -> str:
        """Return the absolute path of a plain name."""
        if "\0" in name:
            raise ValueError("embedded null byte")
        if len(name) > LONGEST_PATH:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), name)
        whole = posixpath.normpath(posixpath.join(self.here, name))
        return "/" + whole.lstrip("/")

    def file(self, name: str) -> Content:
        """Return an existing file."""
        path = self.meant(name)
        if path in self.folders:
            fail(errno.EISDIR, name)
        if path not in self.files or not name:
            fail(errno.ENOENT, name)
        return self.files[path]

    def create(self, name: str, makes_folders: bool = False) -> Content:
        """Return a file of this name, created if necessary."""
        path = self.path(name)
        folder = self.meant_folder(posixpath.dirname(path))
        path = posixpath.join(folder, posixpath.basename(path))
        if path in self.folders:
            fail(errno.EISDIR, name)
        if folder not in self.folders:
            if not makes_folders:
                fail(errno.ENOENT, name)
            self.make_folders(folder)
        if path not in self.files:
            self._check_room(0)
            self.files[path] = Content()
        return self.files[path]

    def attach(self, name: str, data: bytes) -> None:
        """Put one of the document's files into the home folder."""
        path = posixpath.normpath(posixpath.join(HOME, name))
        if path.startswith(HOME + "/") and path not in self.folders:
            self.create(path, makes_folders=True).data[:] = data
            self._attached.setdefault(posixpath.basename(path), []).append(path)
            self._given[path] = data
            while (path := posixpath.dirname(path)) != HOME:
                self._shelves.add(path)

    def opened(self, inner: io.IOBase) -> None:
        """Register something that writes to a file; it lets go of everything at the end of the run."""
        self._open.add(inner)

    def written(self) -> Iterator[tuple[str, bytes, bool]]:
        """Return what the run has written, except temporary files: the name, the bytes, and whether those stand for
        Python objects, which nobody else can read."""
        for inner in list(self._open):
            with suppress(OSError, ValueError):
                inner.flush()
        for path, content in sorted(self.files.items()):
            data = bytes(content.data)
            if self._given.get(path) != data and not path.startswith(f"{TEMPORARY}/"):
                yield path.removeprefix(f"{HOME}/").lstrip("/"), data, bool(content.numbers)

    def meant(self, name: str) -> str:
        """Return the absolute path of a file; if nothing has this name, that of the attached file that the end of a
        path out of the home folder names, or of the only one with the same last part."""
        path = self._at_home(self.path(name), self._given)
        if path in self.files or path in self.folders:
            return path
        known = [each for each in self._attached.get(posixpath.basename(path), ()) if each in self.files]
        return known[0] if len(known) == 1 else path

    def meant_folder(self, name: str) -> str:
        """Return the absolute path of a folder; the end of a path out of the home folder may name an attached one."""
        return self._at_home(self.path(name), self._shelves)

    def _at_home(self, path: str, attached: Container[str]) -> str:
        """Return the longest end of a path that something attached has, as in ../data/train; the path itself if there
        is none, or if it is one of a file or folder of this run."""
        if path in self.files or path in self.folders or path.startswith((f"{HOME}/", f"{TEMPORARY}/")):
            return path
        parts = path.strip("/").split("/")
        ends = ("/".join((HOME, *parts[at:])) for at in range(len(parts)))
        return next((each for each in ends if each in attached), path)

    def make_folders(self, path: str) -> None:
        """Add a folder and its parents, by their absolute paths."""
        parts = path.strip("/").split("/")
        for each in ["/" + "/".join(parts[: end + 1]) for end in range(len(parts))]:
            if each in self.files:
                fail(errno.ENOTDIR, path)
            if each not in self.folders:
                self._check_room(0)
                self.folders.add(each)

    def children(self, path: str) -> list[str]:
        """Return the names in a folder, by its absolute path."""
        start = path.rstrip("/") + "/"
        inside = [each[len(start) :] for each in (*self.files, *self.folders) if each.startswith(start)]
        return sorted(each for each in inside if each and "/" not in each)

    def take(self, content: Content, more: int) -> None:
        """Let a file grow; raises OSError if the folder is full."""
        content.when = time.time()
        if more > 0:
            self._check_room(more)

    def _check_room(self, more: int) -> None:
        used = sum(each.size for each in self.files.values())
        if used + more > MOST_BYTES or len(self.files) + len(self.folders) >= MOST_NAMES:
            raise OSError(errno.ENOSPC, f"the folder of a run is full: {MOST_BYTES >> 20} MB and {MOST_NAMES:,} names")

    # --- objects ---

    def put_away(self, thing: object, content: Content | None = None) -> bytes:
        """Keep a copy of an object as long as a file stands for it; return its marker."""
        weight = weight_of(thing)
        self._check_room(weight)
        with paused():
            self._objects[self._next] = copy.deepcopy(thing, AsSaved())
        self._next += 1
        if content is not None:
            content.numbers.append(self._next - 1)
            content.weight += weight
        return _MARK % (self._next - 1)

    def empty(self, content: Content) -> None:
        """Truncate a file to nothing, and forget the objects that only it stood for."""
        content.data.clear()
        kept = {number for each in self.files.values() if each is not content for number in each.numbers}
        for number in content.numbers:
            if number not in kept:
                self._objects.pop(number, None)
        content.numbers, content.weight = [], 0

    def brought_back(self, mark: bytes) -> object:
        """Return a copy of the object that a marker stands for; raises ValueError if there is none."""
        number = mark[len(_MARK) - 5 : -1].strip() if len(mark) == MARK_BYTES else b""
        if not number.isdigit() or mark != _MARK % int(number) or int(number) not in self._objects:
            raise ValueError("only what this run itself has put away can be loaded in GradViz snippets")
        with paused():
            return copy.deepcopy(self._objects[int(number)])


SCRATCH = Scratch()


def fail(number: int, name: str) -> NoReturn:
    """Return Python's own file error."""
    raise OSError(number, os.strerror(number), name)


def weight_of(thing: object, deep: int = 6) -> int:
    """Return the approximate number of bytes that the numbers in an object take."""
    if isinstance(thing, Tensor):
        return int(Tensor.numel(thing)) * 4
    if isinstance(thing, np.ndarray):
        return int(thing.nbytes)
    if deep and isinstance(thing, dict):
        return sum(weight_of(each, deep - 1) for each in dict.values(thing))
    if deep and isinstance(thing, list | tuple):
        return sum(weight_of(each, deep - 1) for each in thing)
    return 8


# --- open ---


class _Raw(io.RawIOBase):
    """The bytes of a file, for Python's own readers and writers."""

    def __init__(self, content: Content, reads: bool, writes: bool, appends: bool) -> None:
        self._content, self._reads, self._writes, self._appends = content, reads, writes, appends
        self._at = len(content.data) if appends else 0

    def readable(self) -> bool:
        return self._reads

    def writable(self) -> bool:
        return self._writes

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._content.data[self._at : self._at + len(buffer)]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)

    def write(self, given: Any) -> int:
        data, held = bytes(given), self._content.data
        at = len(held) if self._appends else self._at
        SCRATCH.take(self._content, at + len(data) - len(held))
        if at > len(held):
            held.extend(bytes(at - len(held)))
        held[at : at + len(data)] = data
        self._at = at + len(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        start = (0, self._at, len(self._content.data))[whence]
        if start + offset < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def truncate(self, size: int | None = None) -> int:
        size = self._at if size is None else size
        if size < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        SCRATCH.take(self._content, size - len(self._content.data))
        self._content.data[size:] = bytes(max(0, size - len(self._content.data)))
        return size


@keep_methods
class ScratchFile:
    """What `open` returns: the methods of a file, with plain texts, bytes and numbers."""

    __slots__ = ("_content", "_inner", "mode", "name")

    _content: Content
    _inner: Any
    mode: str
    name: str

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError("files are made by open() in GradViz snippets")

    def read(self, size: object = -1) -> Any:
        """Read this many characters or bytes, or all that is left."""
        return self._inner.read(_count(size))

    def readline(self, size: int = -1) -> object:
        """Return the next line."""
        return self._inner.readline(_count(size))

    def readlines(self, hint: object = -1) -> list[object]:
        """Return the lines that are left."""
        return list(self._inner.readlines(_count(hint)))

    def write(self, data: Any, /) -> int:
        """Write a text or bytes."""
        return int(self._inner.write(self._plain(data)))

    def writelines(self, lines: Iterable[object], /) -> None:
        """Write several texts."""
        for each in lines:
            self._inner.write(self._plain(each))

    def _plain(self, data: object) -> bytes | str:
        if "b" not in self.mode:
            if not isinstance(data, str):
                raise TypeError(f"write() argument must be str, not {type(data).__name__}")
            return str.__str__(data)
        return plain_bytes(data)

    def seek(self, offset: SupportsIndex, whence: Any = 0) -> int:
        """Move the position."""
        whence = operator.index(whence)
        if whence not in (0, 1, 2):
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        return int(self._inner.seek(operator.index(offset), whence))

    def tell(self) -> int:
        """Return the position."""
        return int(self._inner.tell())

    def truncate(self, size: int | None = None) -> int:
        """Cut off the rest."""
        return int(self._inner.truncate(_count(size)))

    def flush(self) -> None:
        """Make what was written visible to others."""
        self._inner.flush()

    def close(self) -> None:
        """Close the file."""
        self._inner.close()

    def fileno(self) -> int:
        """Return a number for `os.fsync`, the same for every file."""
        if self._inner.closed:
            raise ValueError("I/O operation on closed file")
        return NUMBER

    def readable(self) -> bool:
        """Whether it was opened for reading."""
        return bool(self._inner.readable())

    def writable(self) -> bool:
        """Whether it was opened for writing."""
        return bool(self._inner.writable())

    def seekable(self) -> bool:
        """Whether the position can be moved: True."""
        return True

    def isatty(self) -> bool:
        """Whether it is a terminal: False."""
        return False

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return bool(self._inner.closed)

    @property
    def encoding(self) -> str:
        """The encoding of a text file."""
        if "b" in self.mode:
            raise AttributeError("'_io.BufferedReader' object has no attribute 'encoding'")
        return str(self._inner.encoding)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> object:
        line = self._inner.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self) -> ScratchFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._inner.close()

    def __repr__(self) -> str:
        return f"<_io.{type(self._inner).__name__} name={self.name!r} mode={self.mode!r}>"


ScratchFile.__name__ = ScratchFile.__qualname__ = "TextIOWrapper"
ScratchFile.__module__ = "_io"


def plain_bytes(data: object) -> bytes:
    """Return bytes as they are stored, whatever a class of the snippet overrides."""
    if isinstance(data, bytes):
        return bytes.__getitem__(data, slice(None))
    if isinstance(data, bytearray):
        return bytes(bytearray.__getitem__(data, slice(None)))
    raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")


def _count(size: Any) -> int | None:
    return None if size is None else operator.index(size)


def open_scratch(
    name: str, mode: str, encoding: object = None, errors: object = None, newline: object = None
) -> ScratchFile:
    """Open a file of the run by a plain name."""
    kind, extra = mode.replace("b", "").replace("t", "").replace("U", ""), "+" in mode
    kind = kind.replace("+", "") or "r"
    if kind not in ("r", "w", "a", "x") or ("b" in mode and "t" in mode):
        raise ValueError(f"invalid mode: {mode!r}")
    if kind == "x" and SCRATCH.path(name) in {*SCRATCH.files, *SCRATCH.folders}:
        fail(errno.EEXIST, name)
    content = SCRATCH.file(name) if kind == "r" else SCRATCH.create(name)
    if kind == "w":
        SCRATCH.empty(content)
    raw = _Raw(content, kind == "r" or extra, kind != "r" or extra, kind == "a")
    inner: Any = io.BufferedRandom(raw) if extra else (io.BufferedReader if kind == "r" else io.BufferedWriter)(raw)
    if "b" not in mode:
        inner = io.TextIOWrapper(inner, encoding_of(encoding), _errors(errors), _newline(newline))
    if kind != "r" or extra:
        SCRATCH.opened(inner)
    made: ScratchFile = object.__new__(ScratchFile)
    made.name, made.mode, made._inner, made._content = name, mode, inner, content
    return made


def encoding_of(name: object) -> str:
    """Return the encoding that is meant, one of those that are loaded."""
    plain = "utf-8" if name is None else str.__str__(name).lower().replace("_", "-")
    if plain not in _ENCODINGS:
        raise LookupError(f"unknown encoding: {plain}; UTF-8, ASCII and Latin-1 are available in GradViz snippets")
    return _ENCODINGS[plain]


def _errors(name: object) -> str:
    plain = "strict" if name is None else str.__str__(name)
    if plain not in ("strict", "ignore", "replace", "surrogateescape", "backslashreplace"):
        raise LookupError(f"unknown error handler name '{plain}'")
    return plain


def _newline(given: object) -> str | None:
    return None if given is None else str.__str__(given)


class Search:
    """A search for file names, which looks into each folder once for each part of the pattern."""

    def __init__(self, top: str, recursive: bool, hidden: bool) -> None:
        self._top, self._recursive, self._hidden = top, recursive, hidden
        self._inside: dict[str, list[str]] = {}  # the names in each folder
        for path in sorted((*SCRATCH.files, *SCRATCH.folders - {"/"})):
            self._inside.setdefault(posixpath.dirname(path), []).append(posixpath.basename(path))

    def found(self, pattern: str) -> list[str]:
        """Return the matches; those of a pattern that ends with a slash are folders, and end with one, too."""
        *folders, last = pattern.lstrip("/").split("/")
        names = ["/" if pattern.startswith("/") else ""]
        for part in filter(None, folders):
            names = [each for each in self._step(names, part) if self._is_folder(each)]
        if last == "**" and self._recursive:
            tops = set(names)
            names = [posixpath.join(each, "") if each in tops else each for each in self._below(names, files=True)]
        elif last:
            names = self._step(names, last)
        else:
            names = [posixpath.join(each, "") for each in names]
        return [each for each in names if each]

    def _step(self, folders: list[str], part: str) -> list[str]:
        """Return what matches one part of the pattern in these folders."""
        if part == "**" and self._recursive:
            return self._below(folders, files=False)
        if set(part) & set("*?["):
            listed = ((each, fnmatch.filter(self._shown(each, part), part)) for each in folders)
            found = [posixpath.join(each, name) for each, names in listed for name in names]
        else:
            found = [name for each in folders if self._is_there(name := posixpath.join(each, part))]
        return list(dict.fromkeys(found))

    def _below(self, folders: list[str], files: bool) -> list[str]:
        """Return these folders and those in them, with or without the files."""
        found: dict[str, None] = {}
        waiting = folders[::-1]
        while waiting:
            each = waiting.pop()
            is_new_folder = each not in found and self._is_folder(each)
            if is_new_folder:
                waiting += [posixpath.join(each, name) for name in reversed(self._shown(each))]
            if is_new_folder or files:
                found[each] = None
        return list(found)

    def _shown(self, folder: str, part: str = "") -> list[str]:
        """Return the names in a folder, the hidden ones only if they are asked for."""
        names = self._inside.get(SCRATCH.meant_folder(posixpath.join(self._top, folder)), [])
        return [name for name in names if self._hidden or part.startswith(".") or not name.startswith(".")]

    def _is_folder(self, name: str) -> bool:
        return SCRATCH.meant_folder(posixpath.join(self._top, name)) in SCRATCH.folders

    def _is_there(self, name: str) -> bool:
        return self._is_folder(name) or SCRATCH.meant(posixpath.join(self._top, name)) in SCRATCH.files
