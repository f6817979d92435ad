"""Writing files so that a crash or a full disk never leaves half of one."""

from __future__ import annotations

import os
from pathlib import Path

from gradviz.document.errors import UserError


def write_atomically(path: Path, data: bytes) -> None:
    """Replace `path` by `data` in one step; the old content stays if anything goes wrong."""
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode if path.exists() else None
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644 if mode is None else mode & 0o777)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"{path.name} could not be written: {reason(error)}. Choose another place.") from error


def reason(error: OSError) -> str:
    """The system's own words, without the path and the number."""
    return (error.strerror or str(error)).lower()
