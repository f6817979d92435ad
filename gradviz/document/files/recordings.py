"""Recordings (`.gvtrace`) as files of the user, here or elsewhere: read and written, with a sentence if that fails, and
what is shown about an open one. The format is in `gradviz.trace.table.recording`.

What is at an address such as `s3://bucket/run`, one recording or a folder with one for each rank, is copied to this
computer through fsspec, an optional extra. The copy is what is opened; it goes with the program."""

from __future__ import annotations

import atexit
import importlib
import io
import os
import posixpath
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradviz.document.disk import reason, shown, write_atomically
from gradviz.document.errors import UserError
from gradviz.document.snippet import Recorded, ranks_of
from gradviz.trace.figures import read as read_figure
from gradviz.trace.figures import sent
from gradviz.trace.table.encoding import TraceFormatError
from gradviz.trace.table.recording import About, Ending, Recording, RecordingWriter, batches_of, load

if TYPE_CHECKING:
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace


BROKEN_OFF = "It breaks off: the job ended before it could say how. All that was written whole is here."
LOOKED_AT = "It can be stepped through, searched and exported, but neither run nor changed."


def read(path: Path, progress: Callable[[float], bool] = lambda _: True) -> Recording:
    """Return the content of a recording, for a folder that of the first rank; UserError if it can't be read. `progress`
    as for `recording.load`."""
    path = next(iter(ranks_of(path)), path)
    name = shown(path.name)
    try:
        if not path.is_file():
            raise UserError(f"{name} is a folder or a device." if path.exists() else f"{path} does not exist.")
        return load(path, progress)
    except TraceFormatError as error:
        why = str(error).removeprefix("malformed trace: ")
        raise UserError(f"{name} can't be opened: {why}. Record it again.") from error
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "its name can't be one of a file here"
        raise UserError(f"{name} could not be read: {why}.") from error
    except MemoryError as error:
        raise UserError(f"{name} needs more memory than there is. Record fewer steps.") from error


def document_of(found: Recording) -> Recorded:
    """Return what the editor shows."""
    about, ending = found.about, found.ending
    rank = f", rank {about.rank} of {about.ranks}" if about.ranks > 1 else ""
    said = [f"Recorded by {about.maker or 'an unknown program'}{f' on {about.when}' if about.when else ''}{rank}."]
    if ending is None:
        said.append(BROKEN_OFF)
    elif ending.status != "ok" and ending.sentence:
        said.append(ending.sentence)
    return Recorded(about.source, origin=" ".join([*said, LOOKED_AT]), ranks=about.ranks)


def figures_of(found: Recording) -> tuple[Figure, ...]:
    """Return the plots of a recording; invalid ones are left out."""
    figures = []
    for header, payload in found.figures:
        try:
            figures.append(read_figure(header, payload))
        except TraceFormatError:
            continue
    return tuple(figures)


def write(path: Path, trace: Trace, about: About, ending: Ending, figures: Sequence[Figure] = ()) -> None:
    """Write an existing trace; UserError if that fails."""
    file = io.BytesIO()
    writer = RecordingWriter(file, about)
    for batch in batches_of(trace):
        writer.batch(batch)
    for figure in figures:
        writer.figure(*sent(figure))
    writer.end(ending)
    write_atomically(path, file.getvalue())


def copy(path: Path, to: Path) -> None:
    """Copy the file of an open recording; UserError if that fails."""
    path = next(iter(ranks_of(path)), path)
    try:
        if not (to.exists() and os.path.samefile(path, to)):
            shutil.copyfile(path, to)
    except OSError as error:
        raise UserError(f"{shown(to.name)} could not be written: {reason(error)}. Choose another place.") from error


def about_now(source: str, name: str, maker: str) -> About:
    """Return the header of a file that is written now."""
    return About(source, name, maker, time.strftime("%Y-%m-%d %H:%M"))


# --- Recordings elsewhere ---

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://.+")  # a drive of Windows has a single letter
_RANK = re.compile(r"rank[0-9]+\.gvtrace")
SUFFIX = ".gvtrace"
LONGEST = 80  # characters of the name of a copy
MISSING = "{} is not on this computer, and reading it needs fsspec: pip install gradviz[remote]"


def is_remote(name: str) -> bool:
    """Whether this is an address rather than the name of a file."""
    return _ADDRESS.fullmatch(name) is not None


def on_this_computer(name: str) -> str:
    """Return the name of a file, or of a copy of what is at an address. Raises UserError if that can't be read."""
    return str(fetched(name)) if is_remote(name) else name


def fetched(address: str) -> Path:
    """Return a copy of the recording, or of the folder of ranks, at this address. Raises UserError if it can't be
    read."""
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        raise UserError(MISSING.format(shown(address))) from None
    folder = Path(tempfile.mkdtemp(prefix="gradviz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        system, place = fsspec.url_to_fs(address)
        return _copied(system, place, folder)
    except UserError:
        raise
    except Exception as error:  # each kind of storage has errors of its own
        raise UserError(f"{shown(address)} can't be read: {shown(str(error)) or type(error).__name__}.") from error


def _copied(system: Any, place: str, folder: Path) -> Path:
    """Copy one recording, or those of a folder under the name of the folder."""
    name = posixpath.basename(place.rstrip("/")) or "recording"
    here = folder / (re.sub(r"[^\w.-]", "_", name)[-LONGEST:].lstrip(".") or "recording")
    if not system.isdir(place):
        if not name.endswith(SUFFIX):
            raise UserError(f"{shown(name)} is neither a recording (.gvtrace) nor a folder of them.")
        system.get_file(place, str(here))
        return here
    ranks = [each for each in system.ls(place, detail=False) if _RANK.fullmatch(posixpath.basename(each))]
    if not ranks:
        raise UserError(f"{shown(name)} holds no recordings of ranks (rank0.gvtrace and so on).")
    here.mkdir()
    for each in ranks:
        system.get_file(each, str(here / posixpath.basename(each)))
    return here
