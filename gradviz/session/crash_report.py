"""The text of a report about a failure of GradViz itself: where in our own code it happened, and nothing about the
person. Paths, the names of the user, the machine and files, and lines of the snippet are replaced. Knows no Qt;
`ui.crash` shows and keeps reports."""

from __future__ import annotations

import linecache
import os
import platform
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from gradviz import __version__

HOME = Path(__file__).resolve().parents[2]
FRAMES = 15  # of a deep recursion, at each end
CHAINED = 5  # chained exceptions
LONGEST = 300  # characters of a message
SHORTEST = 4  # a shorter name is no secret, but occurs inside many words
COMMON = ("root", "user", "home", "admin")  # generic user names, which also occur in our code

_QUOTED = re.compile(r"""(['"])(.*?)\1""")
_PLAIN = re.compile(r"[A-Za-z_][\w.]{0,60}")
_PATH = re.compile(r"(?:\w+://|(?<![\w.>])(?:[A-Za-z]:[\\/]|\\\\|~?/))(?=\S).*")
_NATIVE = re.compile(r'File "(.*?)", line (\d+)')


@dataclass(frozen=True)
class Private:
    """What must not appear in a report: the texts of documents, and the names of their files."""

    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def report(error: BaseException, versions: str = "", private: Private | None = None) -> str:
    """What a developer needs to know about a failure."""
    parts: list[str] = []
    now: BaseException | None = error
    while now is not None and len(parts) < CHAINED:
        said = f"{type(now).__name__}: {without_persons(_message(now), private or Private())}"
        parts.append(f"{_frames(now.__traceback__)}{said.rstrip(': ')}\n")
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)
    return f"{heading(versions)}\n\n" + "\nwhich came from\n\n".join(parts)


def native_report(text: str, versions: str = "") -> str:
    """The same for what Python and Qt wrote when the process died."""
    lines = (
        _NATIVE.sub(lambda found: f"{_short(found[1])}, line {found[2]}", line) for line in text.splitlines()[:200]
    )
    kept = [line if ", line " in line else without_persons(line) for line in lines]
    return f"{heading(versions)}\n\n" + "\n".join(kept) + "\n"


def heading(versions: str) -> str:
    """The version of GradViz and the platform."""
    told = f"GradViz {__version__}, Python {platform.python_version()}"
    return f"{told}, {versions}{', ' if versions else ''}{platform.platform()}"


def without_persons(text: str, private: Private | None = None) -> str:
    """A message without anything that reveals who the user is or what they wrote."""
    private = private or Private()
    text = " ".join(text[: 4 * LONGEST].split())
    for line in sorted({line.strip() for whole in private.texts for line in whole.splitlines()}, key=len, reverse=True):
        if len(line) > SHORTEST:
            text = text.replace(" ".join(line.split()), "<…>")
    for name in private.names:
        for word in (name, os.path.splitext(name)[0]):
            if len(word) >= SHORTEST:
                text = text.replace(word, "<file>")
    home = os.path.expanduser("~")
    if len(home) > 1:
        text = text.replace(home, "/<home>")
    text = _QUOTED.sub(lambda found: _quoted(found, private), text)
    for name in (os.path.basename(home), platform.node()):
        if len(name) >= SHORTEST and name not in COMMON:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "<…>", text)
    return _PATH.sub("<path>", text)[:LONGEST]


def _quoted(found: re.Match[str], private: Private) -> str:
    """Our own quoted words stay, such as the name of a type."""
    word = found[2]
    is_ours = _PLAIN.fullmatch(word) and not any(word in text for text in private.texts)
    return found[0] if is_ours or word in ("<…>", "<file>") else f"{found[1]}<…>{found[1]}"


def _message(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return error.msg or ""
    if isinstance(error, OSError) and error.strerror:
        return f"[Errno {error.errno}] {error.strerror}"
    try:
        return str(error)
    except Exception:  # noqa: BLE001 whatever its words are, they can't be had
        return ""


def _frames(trace: TracebackType | None) -> str:
    rows = []
    for frame, line in traceback.walk_tb(trace):
        code = frame.f_code
        place = _short(code.co_filename)
        own = linecache.getline(code.co_filename, line).strip() if place.startswith("gradviz/") else ""
        rows.append(f"  {place}, line {line}, in {code.co_name}\n" + (f"    {own}\n" if own else ""))
    if len(rows) > 2 * FRAMES:
        rows[FRAMES:-FRAMES] = [f"  … {len(rows) - 2 * FRAMES} more\n"]
    return "".join(rows)


def _short(file: str) -> str:
    """Where a module is in its package; "" for anything else."""
    path = file.replace("\\", "/")
    home = str(HOME).replace("\\", "/")
    if path.startswith(f"{home}/gradviz/"):
        return path[len(home) + 1 :]
    if path.startswith("<frozen "):
        return path
    found = re.search(r"/(?:site-packages|dist-packages|lib/python\d\.\d+|Lib)/([\w./-]+)$", path)
    return found[1] if found else "<…>"
