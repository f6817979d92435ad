"""What a snippet can do with file names: `pathlib`, `os`, `os.path`, `glob`, `shutil` and `tempfile` over the folder of
a run.

Each function takes plain texts or a `Path` of this module, makes an absolute path from it and looks that up in
`scratch`. It never becomes a real path, and nothing here reveals anything about the computer: the environment is an
empty table of the run; the home folder, the number of processors and the process number are constants. Next:
`scratch`."""

from __future__ import annotations

import errno
import operator
import os
import pathlib
import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex

from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.modules.scratch import HOME, NUMBER, SCRATCH, TEMPORARY, ScratchFile, Search, fail, open_scratch

_READING = 0o200000  # O_DIRECTORY; O_RDONLY has no bit


def plain_path(part: object) -> str:
    """Return the text of a path."""
    if isinstance(part, Path):
        return str.__str__(Path.__str__(part))
    if not isinstance(part, str):
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(part).__name__}")
    return str.__str__(part)


def open_(
    file: object,
    mode: object = "r",
    buffering: object = -1,
    encoding: object = None,
    errors: object = None,
    newline: object = None,
    closefd: object = True,
    opener: object = None,
) -> ScratchFile:
    """The snippet's open()."""
    if opener is not None:
        raise ValueError("open() takes no opener in GradViz snippets")
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    return open_scratch(plain_path(file), str.__str__(mode), encoding, errors, newline)


open_.__name__ = open_.__qualname__ = "open"


# --- os ---


def exists(path: object) -> bool:
    """Whether a file or folder exists."""
    return isfile(path) or isdir(path)


def isfile(path: object) -> bool:
    """Whether it is a file."""
    return SCRATCH.meant(plain_path(path)) in SCRATCH.files


def isdir(path: object) -> bool:
    """Whether it is a folder."""
    text = plain_path(path)
    return bool(text) and SCRATCH.meant_folder(text) in SCRATCH.folders


def listdir(path: object = ".") -> list[str]:
    """Return the names in a folder."""
    return SCRATCH.children(_folder(path))


def _folder(path: object) -> str:
    text = plain_path(path)
    whole = SCRATCH.meant_folder(text)
    if whole not in SCRATCH.folders:
        fail(errno.ENOTDIR if whole in SCRATCH.files else errno.ENOENT, text)
    return whole


def mkdir(path: object, mode: object = 0o777, *, exist_ok: bool = False) -> None:
    """Make a folder in an existing one."""
    text = plain_path(path)
    whole = SCRATCH.path(text)
    if exists(path):
        if not exist_ok or whole in SCRATCH.files:
            fail(errno.EEXIST, text)
        return
    if posixpath.dirname(whole) not in SCRATCH.folders:
        fail(errno.ENOENT, text)
    SCRATCH.make_folders(whole)


def makedirs(name: object, mode: object = 0o777, exist_ok: object = False) -> None:
    """Make a folder and its parents."""
    text = plain_path(name)
    if exists(name) and (not exist_ok or isfile(name)):
        fail(errno.EEXIST, text)
    SCRATCH.make_folders(SCRATCH.path(text))


def remove(path: object) -> None:
    """Remove a file."""
    text = plain_path(path)
    SCRATCH.empty(SCRATCH.file(text))
    del SCRATCH.files[SCRATCH.meant(text)]


def rmdir(path: object) -> None:
    """Remove an empty folder."""
    whole = _folder(path)
    if SCRATCH.children(whole) or whole in (HOME, "/"):
        fail(errno.ENOTEMPTY, plain_path(path))
    SCRATCH.folders.discard(whole)


def rmtree(path: object, ignore_errors: object = False, onerror: object = None) -> None:
    """Remove a folder with everything in it."""
    if ignore_errors and not isdir(path):
        return
    whole = _folder(path)
    for each in [name for name in SCRATCH.files if name.startswith(whole.rstrip("/") + "/")]:
        remove(each)
    kept = {"/", HOME, SCRATCH.here}
    inside = {each for each in SCRATCH.folders if (each + "/").startswith(whole.rstrip("/") + "/")}
    SCRATCH.folders -= inside - kept


def rename(src: object, dst: object) -> None:
    """Rename a file or folder."""
    old, new = SCRATCH.path(plain_path(src)), SCRATCH.path(plain_path(dst))
    if not exists(src):
        fail(errno.ENOENT, plain_path(src))
    if posixpath.dirname(new) not in SCRATCH.folders or ((new + "/").startswith(old + "/") and new != old):
        fail(errno.ENOENT, plain_path(dst))
    old = SCRATCH.meant(plain_path(src))
    if old in SCRATCH.files:
        if isdir(dst):
            fail(errno.EISDIR, plain_path(dst))
        SCRATCH.files[new] = SCRATCH.files.pop(old)
        return
    if exists(dst) and new != old:
        fail(errno.EEXIST, plain_path(dst))
    for each in [name for name in SCRATCH.files if name.startswith(old + "/")]:
        SCRATCH.files[new + each[len(old) :]] = SCRATCH.files.pop(each)
    moved = {each for each in SCRATCH.folders if (each + "/").startswith(old + "/")}
    SCRATCH.folders = (SCRATCH.folders - moved) | {new + each[len(old) :] for each in moved}


def walk(top: object, topdown: object = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder with the folders and files in it."""
    text = plain_path(top)
    if not isdir(text):
        return
    names = listdir(text)
    folders = [name for name in names if isdir(posixpath.join(text, name))]
    files = [name for name in names if name not in folders]
    if topdown:
        yield text, folders, files
    for name in folders:
        yield from walk(posixpath.join(text, str.__str__(name)), topdown)
    if not topdown:
        yield text, folders, files


def chdir(path: object) -> None:
    """Change the current folder."""
    SCRATCH.here = _folder(path)


def getsize(path: object) -> int:
    """Return the number of bytes of a file."""
    return SCRATCH.file(plain_path(path)).size


class Facts:
    """What `os.stat` returns."""

    __slots__ = ("st_mtime", "st_size")

    def __init__(self, size: int, when: float) -> None:
        self.st_size, self.st_mtime = size, when


def stat(path: object) -> Facts:
    """Return the size and time of a file or folder."""
    content = None if isdir(path) else SCRATCH.file(plain_path(path))
    return Facts(4096, 0.0) if content is None else Facts(content.size, content.when)


def numbered(path: object, flags: SupportsIndex, mode: object = 0o777, *, dir_fd: object = None) -> int:
    """Open a file or folder as `os.open` does, for `os.fsync`: programs that save carefully do so."""
    if operator.index(flags) & ~_READING:
        raise ValueError("os.open() only reads in GradViz snippets; use open()")
    if not exists(path):
        fail(errno.ENOENT, plain_path(path))
    return NUMBER


def fsync(fd: SupportsIndex | ScratchFile) -> None:
    """Do what `os.fsync` and `os.close` have to do here: nothing."""
    number = ScratchFile.fileno(fd) if isinstance(fd, ScratchFile) else operator.index(fd)
    if number != NUMBER:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def _expanded(text: str) -> str:
    return posixpath.dirname(HOME) + text[1:] if text == "~" or text.startswith("~/") else text


def _of_paths(function: Callable[..., object]) -> Callable[..., object]:
    """Wrap a function of texts so that it only gets plain ones."""

    def call(*paths: object) -> object:
        return function(*[plain_path(each) for each in paths])

    call.__name__ = call.__qualname__ = function.__name__
    return call


def _common(paths: Iterable[object]) -> str:
    return posixpath.commonpath([plain_path(each) for each in paths])


def _relative(path: object, start: object = ".") -> str:
    return posixpath.relpath(SCRATCH.path(plain_path(path)), SCRATCH.path(plain_path(start)))


def abspath(path: object) -> str:
    """Return the absolute path."""
    return SCRATCH.path(plain_path(path))


def _same(first: object, second: object) -> bool:
    return stat(first) is not None and stat(second) is not None and abspath(first) == abspath(second)


_OF_TEXT = "join basename dirname split splitext isabs normpath normcase"


_SIGNS = {
    "sep": "/",
    "altsep": None,
    "extsep": ".",
    "pathsep": ":",
    "curdir": ".",
    "pardir": "..",
    "devnull": "/dev/null",
}


def _path_names() -> dict[str, object]:
    def expanduser(path: object) -> str:
        return _expanded(plain_path(path))

    def getmtime(path: object) -> float:
        return stat(path).st_mtime

    def islink(path: object) -> bool:
        return False

    chosen = (exists, isfile, isdir, getsize, getmtime, abspath, expanduser, islink)
    names: dict[str, object] = {function.__name__: function for function in chosen}
    names |= {name: _of_paths(getattr(posixpath, name)) for name in _OF_TEXT.split()}
    names |= {"realpath": abspath, "expandvars": expanduser, "lexists": exists, "samefile": _same}
    names["getctime"] = getmtime
    return names | {"commonpath": _common, "relpath": _relative} | _SIGNS


def _os_names(path: object) -> dict[str, Any]:
    environment: dict[str, str] = {}

    def getenv(key: Any, default: Any = None) -> object:
        return environment.get(key, default)

    def getcwd() -> str:
        return SCRATCH.here

    def cpu_count() -> int:
        return 1

    def getpid() -> int:
        return 1

    chosen = (listdir, mkdir, makedirs, remove, rmdir, rename, walk, chdir, stat, getenv, getcwd, cpu_count, getpid)
    names: dict[str, object] = {function.__name__: function for function in chosen}
    names |= {"open": numbered, "fsync": fsync, "fdatasync": fsync, "close": fsync}
    names |= {"O_RDONLY": 0, "O_DIRECTORY": _READING}
    names |= {"path": path, "environ": environment, "unlink": remove, "replace": rename, "fspath": plain_path}
    return names | {"linesep": "\n", "name": "posix"} | _SIGNS


# --- glob, shutil, tempfile ---


def glob(
    pathname: object,
    *,
    root_dir: object = None,
    dir_fd: object = None,
    recursive: object = False,
    include_hidden: object = False,
) -> list[str]:
    """Return the names that match a pattern, each once."""
    pattern = plain_path(pathname)
    search = Search("" if root_dir is None else plain_path(root_dir), bool(recursive), bool(include_hidden))
    names = search.found(pattern)
    if not names:
        SCRATCH.unmatched = SCRATCH.unmatched or pattern
    return names


def _copied(src: object, dst: object, *, follow_symlinks: object = True) -> str:
    target = plain_path(dst)
    if isdir(target):
        target = posixpath.join(target, posixpath.basename(plain_path(src)))
    source, made = SCRATCH.file(plain_path(src)), SCRATCH.create(target)
    if made is not source:
        SCRATCH.empty(made)
        SCRATCH.take(made, source.size)
        made.data += source.data
        made.numbers, made.weight = list(source.numbers), source.weight
    return target


def _moved(src: object, dst: object) -> str:
    target = plain_path(dst)
    if isdir(target):
        target = posixpath.join(target, posixpath.basename(plain_path(src).rstrip("/")))
    rename(src, target)
    return target


def _new_name(suffix: object, prefix: object, folder: object) -> str:
    SCRATCH.made += 1
    return posixpath.join(
        TEMPORARY if folder is None else plain_path(folder),
        f"{plain_path(prefix or 'tmp')}{SCRATCH.made:08d}{plain_path(suffix or '')}",
    )


def mkdtemp(suffix: object = None, prefix: object = None, dir: object = None) -> str:
    """Make a folder with a new name."""
    name = _new_name(suffix, prefix, dir)
    makedirs(name)
    return name


class TemporaryDirectory:
    """A folder that is removed at the end."""

    __slots__ = ("name",)

    def __init__(
        self, suffix: object = None, prefix: object = None, dir: object = None, ignore_cleanup_errors: object = False
    ):
        self.name = mkdtemp(suffix, prefix, dir)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *error: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder."""
        rmtree(self.name, ignore_errors=True)


TemporaryDirectory.__module__ = "tempfile"


def _temporary_file(
    mode: object = "w+b", buffering: object = -1, encoding: object = None, newline: object = None,
    suffix: object = None, prefix: object = None, dir: object = None, delete: object = True,
) -> ScratchFile:  # fmt: skip
    return open_(_new_name(suffix, prefix, dir), mode, buffering, encoding, None, newline)


# --- pathlib ---


class Path:
    """`pathlib.Path`: a name, and what it refers to in the folder of the run."""

    __slots__ = ("_text",)

    def __init__(self, *parts: object) -> None:
        self._text = str(pathlib.PurePosixPath(*(plain_path(part) for part in parts)))

    def __truediv__(self, part: object) -> Path:
        return Path(self, part)

    def __rtruediv__(self, part: object) -> Path:
        return Path(part, self)

    def joinpath(self, *parts: object) -> Path:
        """Return the path with further parts appended."""
        return Path(self, *parts)

    def __str__(self) -> str:
        return self._text

    as_posix = __str__

    def __repr__(self) -> str:
        return f"PosixPath({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Path) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._text < other._text if isinstance(other, Path) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    @property
    def name(self) -> str:
        """The last part."""
        return self._pure().name

    @property
    def stem(self) -> str:
        """The last part without its suffix."""
        return self._pure().stem

    @property
    def suffix(self) -> str:
        """The suffix of the last part."""
        return self._pure().suffix

    @property
    def parts(self) -> tuple[str, ...]:
        """Every part."""
        return self._pure().parts

    @property
    def parent(self) -> Path:
        """All but the last part."""
        return Path(str(self._pure().parent))

    @property
    def parents(self) -> tuple[Path, ...]:
        """The parent, its parent, and so on."""
        return tuple(Path(str(each)) for each in self._pure().parents)

    def with_suffix(self, suffix: str) -> Path:
        """Return the path with another suffix."""
        return Path(str(self._pure().with_suffix(plain_path(suffix))))

    def with_name(self, name: str) -> Path:
        """Return the path with another last part."""
        return Path(str(self._pure().with_name(plain_path(name))))

    def resolve(self, strict: object = False) -> Path:
        """Return the absolute path."""
        return Path(SCRATCH.path(self._text))

    absolute = resolve

    def mkdir(self, mode: object = 0o777, parents: object = False, exist_ok: object = False) -> None:
        """Make a folder."""
        makedirs(self, exist_ok=bool(exist_ok)) if parents else mkdir(self, exist_ok=bool(exist_ok))

    def exists(self) -> bool:
        """Whether it exists."""
        return exists(self)

    def is_file(self) -> bool:
        """Whether it is a file."""
        return isfile(self)

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return isdir(self)

    def open(
        self, mode: object = "r", buffering: object = -1, encoding: object = None, errors: object = None
    ) -> ScratchFile:
        """Open the file."""
        return open_(self, mode, buffering, encoding, errors)

    def read_text(self, encoding: object = None, errors: object = None) -> str:
        """Return the whole text of the file."""
        with open_(self, "r", -1, encoding, errors) as file:
            return str(file.read())

    def read_bytes(self) -> bytes:
        """Return all bytes of the file."""
        return bytes(SCRATCH.file(self._text).data)

    def write_text(self, data: object, encoding: object = None, errors: object = None) -> int:
        """Replace the file's text."""
        with open_(self, "w", -1, encoding, errors) as file:
            return file.write(data)

    def write_bytes(self, data: object) -> int:
        """Replace the file's bytes."""
        with open_(self, "wb") as file:
            return file.write(data)

    def iterdir(self) -> Iterator[Path]:
        """Yield what is in the folder."""
        return iter([Path(self, name) for name in listdir(self)])

    def glob(self, pattern: object) -> Iterator[Path]:
        """Yield what matches a pattern in the folder."""
        whole = plain_path(Path(self, pattern))
        folders = "/" if posixpath.basename(whole) == "**" else ""
        return iter([Path(each) for each in glob(whole + folders, recursive=True, include_hidden=True)])

    def rglob(self, pattern: object) -> Iterator[Path]:
        """Yield what matches a pattern in the folder and those below it."""
        return self.glob(Path("**", pattern))

    def unlink(self, missing_ok: object = False) -> None:
        """Remove the file."""
        if not missing_ok or exists(self):
            remove(self)

    def rmdir(self) -> None:
        """Remove the empty folder."""
        rmdir(self)

    def rename(self, target: object) -> Path:
        """Rename it."""
        rename(self, target)
        return Path(target)

    replace = rename

    def touch(self, mode: object = 0o666, exist_ok: object = True) -> None:
        """Make an empty file, unless it exists."""
        SCRATCH.create(self._text)

    def stat(self) -> Facts:
        """Return its size and time."""
        return stat(self)

    @classmethod
    def cwd(cls) -> Path:
        """Return the folder of the run."""
        return Path(SCRATCH.here)

    @classmethod
    def home(cls) -> Path:
        """Return the home folder, which is nobody's."""
        return Path(posixpath.dirname(posixpath.dirname(HOME + "/")))

    def expanduser(self) -> Path:
        """Return the path with the home folder in place of "~"."""
        return Path(_expanded(self._text))

    def is_absolute(self) -> bool:
        """Whether it begins at the root."""
        return self._pure().is_absolute()

    def relative_to(self, other: object) -> Path:
        """Return the path relative to a folder."""
        return Path(str(self._pure().relative_to(plain_path(other))))

    def _pure(self) -> pathlib.PurePosixPath:
        return pathlib.PurePosixPath(self._text)


Path.__module__ = "pathlib"


def path_modules() -> dict[str, object]:
    """Return the stand-ins by module name."""
    paths = stand_in("os.path", _path_names())
    copies = {"copyfile": _copied, "copy": _copied, "copy2": _copied, "move": _moved, "rmtree": rmtree}
    temporary = {"TemporaryDirectory": TemporaryDirectory, "mkdtemp": mkdtemp, "gettempdir": lambda: TEMPORARY}
    temporary |= {"NamedTemporaryFile": _temporary_file, "TemporaryFile": _temporary_file}
    every: dict[str, dict[str, Any]] = {
        "os": _os_names(paths),
        "glob": {"glob": glob, "iglob": lambda pathname, **how: iter(glob(pathname, **how))},
        "shutil": copies,
        "tempfile": temporary,
        "pathlib": {"Path": Path, "PurePath": Path, "PurePosixPath": Path, "PosixPath": Path},
    }
    return {"os.path": paths, **{name: stand_in(name, names) for name, names in every.items()}}
