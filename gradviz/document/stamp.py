"""Whether a file on disk is still the one that was read or written: another program may have changed or deleted it."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Stamp:
    """What was known of a file last."""

    path: Path
    modified: int  # nanoseconds
    size: int
    digest: bytes

    @staticmethod
    def of(path: Path, data: bytes) -> Stamp:
        """Of a file that was just read or written with this content."""
        try:
            now = path.stat()
        except OSError:  # gone already; it will be noticed
            return Stamp(path, 0, -1, b"")
        return Stamp(path, now.st_mtime_ns, now.st_size, digest_of(data))

    def now(self) -> tuple[str, Stamp]:
        """ "same", "changed" or "deleted", and what is known now. A file that was only touched is the same."""
        try:
            found = self.path.stat()
            if (found.st_mtime_ns, found.st_size) == (self.modified, self.size):
                return "same", self
            known = replace(self, modified=found.st_mtime_ns, size=found.st_size)
            is_read = stat.S_ISREG(found.st_mode) and found.st_size < MOST  # nobody waits for a pipe
            digest = digest_of(self.path.read_bytes()) if is_read else b""
        except FileNotFoundError:
            return "deleted", self
        except OSError:  # a folder that is not there at the moment, as on a network, says nothing
            return "same", self
        return "same" if digest == self.digest else "changed", replace(known, digest=digest)


MOST = 50_000_000  # bytes; what is larger was not written by us


def digest_of(data: bytes) -> bytes:
    """What stands for a content."""
    return hashlib.sha256(data).digest()
