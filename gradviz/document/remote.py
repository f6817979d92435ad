"""Recordings elsewhere: what is at an address such as `s3://bucket/run`, one recording or a folder with one for each
rank, is copied to this computer through fsspec, an optional extra. The copy is what is opened; it goes with the
program."""

from __future__ import annotations

import atexit
import importlib
import posixpath
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from gradviz.document.disk import shown
from gradviz.document.errors import UserError

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
