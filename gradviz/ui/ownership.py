"""Whether a file that is opened is the user's own, and what becomes own by being saved or run. The list is kept by
`document.files.trust`, the sentences in `session.trust_warnings`; what is not one's own is opened without running
it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths

from gradviz.session import trust_warnings
from gradviz.session.state import State

if TYPE_CHECKING:
    from gradviz.document.disk import Stamp
    from gradviz.document.files.trust import OwnFiles


class Ownership:
    """Asks the list, and keeps it. Without a list it is that of this user, read when the first file is opened."""

    def __init__(self, own: OwnFiles | None = None) -> None:
        self._given = own

    @cached_property
    def _own(self) -> OwnFiles:
        from gradviz.document.files.trust import OwnFiles

        place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
        return self._given or OwnFiles(Path(place) if place else None)

    def doubt_of(self, path: Path, data: bytes) -> str:
        """Why this file is not run until the user says so; "" for one's own and those that ship with the program."""
        from gradviz.document.disk import digest_of

        if not data.strip() or _is_shipped(path) or self._own.knows(_kind(path), digest_of(data)):
            return ""
        from gradviz.document.files.trust import origin_of

        return trust_warnings.elsewhere(path.name, origin_of(path))

    def doubt_of_change(self, path: Path, data: bytes) -> str:
        """The same of a file that another program has changed."""
        return trust_warnings.changed(path.name) if self.doubt_of(path, data) else ""

    def runs(self, state: State, stamp: Stamp) -> None:
        """The user runs the document: if it is as its file is, the file is an own one from now on."""
        if not state.is_dirty:
            self._own.add(_kind(stamp.path), stamp.digest)

    def saved(self, state: State, stamp: Stamp) -> None:
        """The user has saved the document; one that has not run stays what it is."""
        if state.is_trusted:
            self._own.add(_kind(stamp.path), stamp.digest)


def _kind(path: Path) -> str:
    return path.suffix.lower()


def _is_shipped(path: Path) -> bool:
    from gradviz.document.files.examples import FOLDER

    return path.resolve().is_relative_to(FOLDER)
