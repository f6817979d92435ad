"""A snippet: the text of a Python file as a frozen record, how it is loaded from and saved to a file, and the files
that belong to it. What is not a snippet (missing, binary, far too big) is refused with one sentence before anything
changes.

The files are text, tables, pictures and modules that it reads or imports, by the name under which it finds them. They
are bytes in the document, read by the program when the user attaches them; a run gets copies, and no path.
`gradviz.worker.modules.scratch` is the folder where a run finds them.

A notebook (`.ipynb`) is read as Python text: the cells one after the other, in the form that editors know: `# %%` above
code, `# %% [markdown]` above text, which is a comment. Lines that only a notebook can run, such as `!pip install`,
become comments, too. Outputs are left out; nothing is written back. What a notebook shows of a cell's last expression
is printed by `gradviz.worker.language.pasted`."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import textwrap
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradviz.document.disk import read_at_most, shown, write_atomically
from gradviz.document.errors import UserError

# --- Notebooks ---


SUFFIX = ".ipynb"
MOST_BYTES = 40_000_000  # pictures in the outputs are large
CELL = "# %%"
MAGIC = re.compile(r"\s*(%{1,2}\w|!\s*\w|\?\w|(pip3?|conda) install\b)|.*\w\?{1,2}\s*$")
NOT_WRITTEN = "GradViz reads notebooks and writes none. Save {name} under a name that ends in .py or .gradviz."
FUTURE = re.compile(r"^from __future__ import ([\w, ]+?) *(#.*)?$", re.MULTILINE)
_OF_PYTHON = re.compile(r"%%(time|timeit|capture|prun|python3?)\b")  # cell magics with Python below them
_MOST = 200  # lines of a cell that are not Python
_MOST_READ = 8_000_000  # characters that Python parses to find them, since a cell is parsed again after each
_WIDTH = 110


def text_of_notebook(data: bytes, name: str) -> str:
    """Return the Python text of a notebook; raises UserError if it is not one."""
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name} is not a notebook: its text is not JSON.") from error
    cells = _cells(found)
    if cells is None:
        raise UserError(f"{name} is not a notebook: it has no list of cells.")
    sources = [_source_of(each) for each in cells]
    most = min(_MOST, _MOST_READ // max(sum(map(len, sources)), 1))
    parts = [_as_text(cell, source, most) for cell, source in zip(cells, sources, strict=True)]
    text = _future_first("\n".join(part for part in parts if part).replace("\0", ""))
    return text.encode("utf-8", "replace").decode("utf-8")


def _cells(found: Any) -> list[Any] | None:
    """Return the cells of version 4 or, from the first sheet, version 3; None if there are none."""
    if type(found) is dict and type(found.get("worksheets")) is list and found["worksheets"]:
        found = found["worksheets"][0]
    cells = found.get("cells") if type(found) is dict else None
    return cells if type(cells) is list else None


def _source_of(cell: Any) -> str:
    """Return the source of a cell, "" if it is empty or invalid."""
    source = cell.get("source", cell.get("input")) if type(cell) is dict else None
    if type(source) is list:
        source = "".join(each for each in source if type(each) is str)
    if type(source) is not str or not source.strip():
        return ""
    return source.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def _as_text(cell: Any, source: str, most: int) -> str:
    """Return one cell as text, in which that many lines may be no Python; "" for an empty one."""
    if not source:
        return ""
    if cell.get("cell_type") == "code":
        return f"{CELL}\n{_without_magics(source, most)}\n"
    lines = [part for line in source.split("\n") for part in textwrap.wrap(line[:2_000], _WIDTH) or [""]]
    return f"{CELL} [markdown]\n" + "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _without_magics(source: str, most: int) -> str:
    """Return code that Python can parse, if only notebook lines prevent it."""
    lines = source.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        whole = not _OF_PYTHON.match(lines[first])
        lines = [f"# {line}" if whole or at == first else line for at, line in enumerate(lines)]
    for _ in range(most):
        try:
            ast.parse("\n".join(lines) + "\n")
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or not MAGIC.match(lines[at]):
                return source  # Python's own error is shown when it runs
            _leave_out(lines, at)
        except (ValueError, RecursionError, MemoryError):
            return source
        else:
            return "\n".join(lines)
    return source


def _future_first(text: str) -> str:
    """Return the text with its imports from `__future__` at the top, the only place for them in a file; in a notebook
    each cell may begin with one."""
    found = list(FUTURE.finditer(text))
    before = text[: found[-1].start()].split("\n") if found else []
    if not any(line and not line.startswith("#") and not FUTURE.match(line) for line in before):
        return text
    names = sorted({name.strip() for each in found for name in each[1].split(",") if name.strip()})
    return f"from __future__ import {', '.join(names)}\n\n" + FUTURE.sub(r"# \g<0>", text)


def _leave_out(lines: list[str], at: int) -> None:
    """Turn a line, and its continuation lines, into comments."""
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    goes_on = True
    mark = f"{indent}pass  # " if indent else "# "
    while goes_on and at < len(lines):
        goes_on = lines[at].endswith("\\")
        lines[at] = mark + lines[at].lstrip()
        at, mark = at + 1, f"{indent}# "


MAX_BYTES = 400_000  # what the worker accepts at most


@dataclass(frozen=True)
class Snippet:
    """The text with "\\n" line ends; `newline` is what the file had and gets again."""

    text: str = ""
    newline: str = "\n"
    files: tuple[Attached, ...] = ()  # that it reads or imports
    arguments: str = ""  # that it is called with, as in a shell
    extra: str = ""  # JSON of what a newer version has written into its .gradviz file, to be kept

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to run."""
        return not self.text.strip()


@dataclass(frozen=True)
class Recorded(Snippet):
    """The text of what ran and was recorded elsewhere: read-only, and it can't be run."""

    origin: str = ""  # by what, when, and how far: a sentence
    ranks: int = 1  # of how many processes it shows the first


def is_recording(path: Path) -> bool:
    """Whether a file of this name is a recording, which is viewed and never run, or a folder with those of the ranks of
    a job. Its format is in `gradviz.trace.table.recording`."""
    return path.suffix.lower() == ".gvtrace" or bool(ranks_of(path))


def ranks_of(folder: Path) -> list[Path]:
    """Return the recordings of one job's processes in this folder, in the order of their ranks."""
    found = {int(number): path for path in folder.glob("rank*.gvtrace") if (number := path.stem[4:]).isdecimal()}
    return [found[rank] for rank in sorted(found)]


def load(path: Path) -> Snippet:
    """Read a `.py` file; raises UserError if it is not one."""
    return decode(read_bytes(path), shown(path.name))


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, if it is not far too big."""
    data, size = read_at_most(path, MAX_BYTES)
    if size > MAX_BYTES:
        raise UserError(too_big(shown(path.name), size))
    return data


def too_big(name: str, size: int) -> str:
    """Return the sentence for a file or text that is too big for a snippet."""
    return (
        f"{name} has {size / 1e6:.1f} MB; a snippet may have {MAX_BYTES / 1e6:.1f} MB at most. "
        "Cut out the part that you want to see."
    )


def decode(data: bytes, name: str) -> Snippet:
    """Return the text of a Python file, in the encoding that it declares (UTF-8 by default)."""
    if b"\0" in data:
        raise UserError(f"{name} is not a text file. GradViz opens Python files (.py).")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as error:  # the encoding may be for bytes only, such as zlib
        raise UserError(f"{name} is not UTF-8 text. Save it as UTF-8 in your editor and open it again.") from error
    newline = "\r\n" if "\r\n" in text else "\n"
    return Snippet(text.replace("\r\n", "\n").replace("\r", "\n"), newline)


def encode(snippet: Snippet) -> bytes:
    """Return the bytes of a `.py` file."""
    return snippet.text.replace("\n", snippet.newline).encode("utf-8", errors="backslashreplace")


def save(path: Path, snippet: Snippet) -> None:
    """Write the snippet; the file on disk is replaced in one step."""
    write_atomically(path, encode(snippet))


def comments_of(text: str) -> dict[int, str]:
    """Return the comment in each line that has one, without its "#"; lines count from 1. If Python can't parse the
    text, as far as it gets."""
    found = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string.lstrip("#").strip()
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


# --- The files that belong to a snippet ---

MOST_ATTACHED = 6_000_000  # of all files of a document, which are saved in it
MOST_FILES = 300
LONGEST = 200  # characters of a file name
_PART = re.compile(r"[^\\/:*?\"<>|\x00-\x1f\x7f]+")
_OF_USE = frozenset(
    ".py .txt .csv .tsv .json .md .yaml .yml .cfg .png .npy .npz .pkl .pickle .gz .zip .tar .tgz .dat .bin".split()
)


@dataclass(frozen=True)
class Attached:
    """A file by its name, such as "names.txt" or "data/names/Italian.txt"."""

    name: str
    data: bytes


def is_name(name: str) -> bool:
    """Whether a file may have this name: a path within the folder of the run that no system reads in another way."""
    parts = name.split("/")
    good = all(_PART.fullmatch(part) and part.strip(". ") for part in parts)
    return bool(good and len(name) <= LONGEST)


def safe_name(name: str) -> str:
    """Return a name that a snippet gave to a file in a form that every system accepts: a path that only leads
    downwards."""
    parts = [_safe_part(part) for part in re.split(r"[/\\]+", name) if part.strip(". ")]
    return "/".join(parts[-8:]) or "file"


def _safe_part(part: str) -> str:
    kept = "".join(letter if letter.isprintable() and letter not in _TAKEN else "_" for letter in part).strip(". -")
    stem, dot, ending = kept.partition(".")
    ending = ending[-40:].strip(". ")
    return f"{'_' if stem.lower() in _RESERVED else ''}{stem[:80]}{dot if ending else ''}{ending}" or "_"


_TAKEN = frozenset('\\/:*?"<>|')
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})


def read(path: Path, name: str = "") -> tuple[Attached, ...]:
    """Read the file at a path, or those files of a folder that a snippet can use; UserError if there is none, or too
    much."""
    if path.is_dir():
        return _read_folder(path)
    data = _bytes_of(path)
    chosen = name or path.name
    if not is_name(chosen):
        raise UserError(f"A file can't be attached as {shown(chosen)}. Rename it and attach it again.")
    return (Attached(chosen, data),)


def _bytes_of(path: Path) -> bytes:
    data, size = read_at_most(path, MOST_ATTACHED)
    if size > MOST_ATTACHED:
        raise UserError(
            f"{shown(path.name)} has {size / 1e6:.1f} MB; the files of a document may have {MOST_ATTACHED / 1e6:.0f} "
            "MB together. Attach a part of it."
        )
    return data


def _read_folder(folder: Path) -> tuple[Attached, ...]:
    found: tuple[Attached, ...] = ()
    for path in _files_in(folder):
        name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        if is_name(name):
            found = together(found, (Attached(name, _bytes_of(path)),))
    if not found:
        raise UserError(f"The folder {shown(folder.name)} has no text, table, picture or module in it.")
    return found


def _files_in(folder: Path) -> Iterator[Path]:
    """Return the files of a kind that a snippet can read; no hidden ones and no links."""
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith((".", "__")))
        for name in sorted(names):
            path = Path(top, name)
            if not name.startswith(".") and path.suffix.lower() in _OF_USE and not path.is_symlink():
                yield path


def with_imported(text: str, folder: Path, files: tuple[Attached, ...]) -> tuple[Attached, ...]:
    """Return the files and the modules that a snippet in this folder imports, as Python finds them, and those that they
    import; a file that was attached goes first. Only the files where all together are too much."""
    found: dict[str, Attached] = {}
    texts, folders = [text], _search_path(text, folder)
    try:
        while texts:
            text = texts.pop()
            imports = _imports(text) if any(_may_import_of(each, text) for each in folders) else ()
            for name, path in (each for module in imports for each in _modules(folders, module)):
                if name not in found and is_name(name):
                    found[name] = Attached(name, _bytes_of(path))
                    texts.append(found[name].data.decode("utf-8", "replace"))
                    together((), tuple(found.values()))
        return together(tuple(found.values()), files)
    except (UserError, OSError):
        return files


def _search_path(text: str, folder: Path) -> list[Path]:
    """The folders in which Python looks for the modules of a snippet: its own, and those near it that it adds to
    `sys.path`."""
    found = [folder]
    for node in _nodes(text) if "sys.path" in text else ():
        if not isinstance(node, ast.Call) or not node.args or (how := dotted_name(node.func)) not in _ADDS:
            continue
        added = _written_path(node.args[-1])
        if added is not None and not Path(added).is_absolute() and Path(added).parts.count("..") <= _MOST_UP:
            found.insert(0 if how == "sys.path.insert" else len(found), folder / added)
    return found


_ADDS = ("sys.path.append", "sys.path.insert")
_MOST_UP = 2  # folders above a snippet in which its modules are looked for


def _written_path(node: ast.expr) -> str | None:
    """Return a path as the text says it, from the folder of the snippet: `".."`, `os.path.abspath("..")`,
    `os.path.join(os.path.dirname(__file__), "..")`; None if only a run can tell it."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.Call):
        return {"__file__": _FILE, "os.pardir": ".."}.get(dotted_name(node))
    parts = [_written_path(each) for each in node.args]
    given = [part for part in parts if part is not None]
    if not given or len(given) < len(parts):
        return None
    match dotted_name(node.func):
        case "os.path.join":
            return str(Path(*given))
        case "os.path.dirname":
            return "." if given[0] == _FILE else f"{given[0]}/.."
        case "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "str":
            return given[0]
    return None


_FILE = "<the snippet>"


def dotted_name(node: ast.AST) -> str:
    """Return `a.b.c` as text, "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _may_import_of(folder: Path, text: str) -> bool:
    """Whether a line with an import has a name from this folder; found quickly, as most texts have none."""
    words = set(re.findall(r"\w+", " ".join(re.findall(r"\b(?:import|from)\b(.*)", text))))
    return any((folder / f"{word}.py").is_file() or (folder / word).is_dir() for word in words)


def _imports(text: str) -> set[str]:
    """The packages and modules of the top level that a text imports; none if it is no Python."""
    nodes = _nodes(text)
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names} - {""}


def _nodes(text: str) -> list[ast.AST]:
    """Return the nodes of the tree of a text; none if it is no Python."""
    try:
        return list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _modules(folders: list[Path], name: str) -> list[tuple[str, Path]]:
    """Return the files of a module or package from the first folder that has it, each by its name from there."""
    for folder in folders:
        if (module := folder / f"{name}.py").is_file():
            return [] if module.is_symlink() else [(module.name, module)]
        package = folder / name
        if package.is_dir() and not package.is_symlink():
            files = [path for path in _files_in(package) if path.suffix == ".py"]
            if files:
                return [(path.relative_to(folder).as_posix(), path) for path in files]
    return []


def together(before: tuple[Attached, ...], more: tuple[Attached, ...]) -> tuple[Attached, ...]:
    """Return both sets of files, the newer of those with the same name; UserError if that is too much for a
    document."""
    by_name = {each.name: each for each in (*before, *more)}
    size = sum(len(each.data) for each in by_name.values())
    if size > MOST_ATTACHED or len(by_name) > MOST_FILES:
        raise UserError(
            f"That would be {len(by_name)} files and {size / 1e6:.1f} MB; a document may have {MOST_FILES} files and "
            f"{MOST_ATTACHED / 1e6:.0f} MB. Attach what the snippet needs only."
        )
    return tuple(by_name.values())


def without(files: tuple[Attached, ...], name: str) -> tuple[Attached, ...]:
    """Return all files but one."""
    return tuple(each for each in files if each.name != name)
