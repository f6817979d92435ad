"""Files that belong to a snippet: text, tables, pictures and modules that it reads or imports, by the name under which
it finds them. They are bytes in the document, read by the program when the user attaches them; a run gets copies, and
no path. Next: `gradviz.worker.modules.scratch`, the folder where a run finds them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gradviz.document.disk import read_at_most, shown
from gradviz.document.errors import UserError

MOST_BYTES = 6_000_000  # of all files of a document, which are saved in it
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
    data, size = read_at_most(path, MOST_BYTES)
    if size > MOST_BYTES:
        raise UserError(
            f"{shown(path.name)} has {size / 1e6:.1f} MB; the files of a document may have {MOST_BYTES / 1e6:.0f} MB "
            "together. Attach a part of it."
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
    """Return the files and the modules beside a snippet that it imports, as Python finds them, and those that they
    import; a file that was attached goes first. Only the files where all together are too much."""
    found: dict[str, Attached] = {}
    texts = [text]
    try:
        while texts:
            text = texts.pop()
            imports = _imports(text) if _may_import_of(folder, text) else ()
            for path in (each for name in imports for each in _modules(folder, name)):
                name = path.relative_to(folder).as_posix()
                if name not in found and is_name(name):
                    found[name] = Attached(name, _bytes_of(path))
                    texts.append(found[name].data.decode("utf-8", "replace"))
                    together((), tuple(found.values()))
        return together(tuple(found.values()), files)
    except (UserError, OSError):
        return files


def _may_import_of(folder: Path, text: str) -> bool:
    """Whether a line with an import has a name from this folder; found quickly, as most texts have none."""
    words = set(re.findall(r"\w+", " ".join(re.findall(r"\b(?:import|from)\b(.*)", text))))
    return any((folder / f"{word}.py").is_file() or (folder / word).is_dir() for word in words)


def _imports(text: str) -> set[str]:
    """The packages and modules of the top level that a text imports; none if it is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names} - {""}


def _modules(folder: Path, name: str) -> list[Path]:
    if (module := folder / f"{name}.py").is_file():
        return [] if module.is_symlink() else [module]
    package = folder / name
    return [path for path in _files_in(package) if path.suffix == ".py"] if not package.is_symlink() else []


def together(before: tuple[Attached, ...], more: tuple[Attached, ...]) -> tuple[Attached, ...]:
    """Return both sets of files, the newer of those with the same name; UserError if that is too much for a
    document."""
    by_name = {each.name: each for each in (*before, *more)}
    size = sum(len(each.data) for each in by_name.values())
    if size > MOST_BYTES or len(by_name) > MOST_FILES:
        raise UserError(
            f"That would be {len(by_name)} files and {size / 1e6:.1f} MB; a document may have {MOST_FILES} files and "
            f"{MOST_BYTES / 1e6:.0f} MB. Attach what the snippet needs only."
        )
    return tuple(by_name.values())


def without(files: tuple[Attached, ...], name: str) -> tuple[Attached, ...]:
    """Return all files but one."""
    return tuple(each for each in files if each.name != name)
