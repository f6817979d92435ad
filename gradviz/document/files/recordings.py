"""Recordings (`.gvtrace`) as files of the user: read and written, with a sentence if that fails, and what is shown
about an open one. The format is in `gradviz.trace.table.recording`."""

from __future__ import annotations

import io
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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
