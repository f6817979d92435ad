"""What is remembered between starts: theme, text size, speed, recent files, window position and panel sizes. Damaged
parts of the file are removed before Qt reads it; the rest stays, and the damaged file is kept."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths

from gradviz.classroom import Classroom
from gradviz.document.errors import UserError
from gradviz.session.preferences import BY_NAME, SETTINGS, Setting, Value, with_values
from gradviz.session.state import MOST_DONE, View

MOST_BYTES = 500_000
LONGEST_LINE = 100_000
BACKUP = ".bak"
RESET = "The settings file was damaged and has been reset; the old one is {}."
NO_FILE = "Settings cannot be saved: {} is not a file. Remove it and restart."
UNREADABLE = "Settings could not be read ({}); the defaults are used."

IsGood = Callable[[str, str, str], bool]  # takes a section, a name and a value


def prepared(path: Path, is_good: IsGood) -> tuple[bool, str]:
    """Whether Qt may read and write this file, and what to report about it ("" for nothing)."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return False, NO_FILE.format(path.name)
        data = path.read_bytes() if found.st_size <= MOST_BYTES else None
    except FileNotFoundError:
        return True, ""
    except OSError as error:
        return False, UNREADABLE.format((error.strerror or str(error)).lower())
    good = b"" if data is None else salvaged(data, is_good)
    return (True, "") if good == data else _reset(path, good)


def _reset(path: Path, good: bytes) -> tuple[bool, str]:
    from gradviz.document.disk import write_atomically

    backup = path.with_name(path.name + BACKUP)
    try:
        os.replace(os.path.realpath(path), backup)
        write_atomically(path, good, 0o600)
    except (OSError, UserError) as error:
        return False, f"The settings file is damaged and could not be reset: {error}"
    return True, RESET.format(backup.name)


def salvaged(data: bytes, is_good: IsGood) -> bytes:
    """The intact lines; what follows a damaged heading is dropped with it."""
    section: str | None = "General"
    kept = []
    for line in data.splitlines(keepends=True):
        text = _text(line)
        if text is None or (text.startswith("[") and not text.endswith("]")):
            section = section if text is None and b"=" in line else None
        elif text.startswith("["):
            section = text[1:-1]
            kept.append(line)
        elif text == "" or text.startswith((";", "#")):
            kept.append(line)
        elif section is not None:
            name, is_pair, value = text.partition("=")
            if is_pair and name.strip() and _is_whole(value) and is_good(section, name.strip(), value.strip()):
                kept.append(line)
    return b"".join(kept)


def _text(line: bytes) -> str | None:
    try:
        text = line.decode("utf-8").strip("\r\n")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= LONGEST_LINE and (text.isprintable() or "\t" in text) else None


def _is_whole(value: str) -> bool:
    """Whether a value ends on its line and is of a kind that is written: text, lists of text, bytes."""
    plain = value.replace("\\\\", "").replace('\\"', "")
    if plain.endswith("\\") or plain.count('"') % 2:
        return False
    if value.startswith("@") and not value.startswith("@@"):
        return value == "@Invalid()" or (value.startswith("@ByteArray(") and value.endswith(")"))
    return True


MOST_RECENT = 10
LONGEST_NAME = 4096


def settings_file() -> Path:
    """Where the settings are stored."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(place) / "GradViz" / "GradViz.ini"


class Memory(Protocol):
    """Where values are stored: QSettings, or `Forgetful`."""

    def value(self, key: str, /, default: Any = None) -> Any: ...
    def setValue(self, key: str, value: Any, /) -> None: ...
    def sync(self) -> None: ...


class Forgetful:
    """Remembers nothing, so that a picture of the window looks the same on every machine."""

    def value(self, _: str, /, default: Any = None) -> Any:
        """Always the default."""
        return default

    def setValue(self, _: str, value: Any, /) -> None:
        """Store nothing."""

    def sync(self) -> None:
        """Do nothing: no other program writes here."""


class Settings:
    """A thin, validated view of the stored values: a damaged value counts as missing. `note` says what was damaged.
    Where the user has chosen nothing, `classroom` decides.

    Several programs may run at once, so each writes only what was changed in it."""

    def __init__(
        self, memory: Memory | None = None, file: Path | None = None, classroom: Classroom | None = None
    ) -> None:
        self.classroom = classroom or Classroom()
        self.note = ""
        self._store = memory or self._of_file(file or settings_file())
        self.note = " ".join(filter(None, (self.note, *self.classroom.notes)))
        self._remembered = self.view()

    def _of_file(self, file: Path) -> Memory:
        """What is not safe to read is not written either."""

        is_usable, self.note = prepared(file, is_good)
        return QSettings(str(file), QSettings.Format.IniFormat) if is_usable else Forgetful()

    def view(self) -> View:
        """The view settings as last used."""
        default = self.default_view()
        view = replace(
            default,
            recent=self._recent(),
            quiet=tuple(filter(str.isprintable, str(self._store.value("quiet", "")).split())),
            done=tuple(filter(str.isalnum, str(self._store.value("done", "")).split()))[:MOST_DONE],
        )
        return with_values(view, {row.name: self._chosen(row, default) for row in SETTINGS})

    def default_view(self) -> View:
        """The view settings of a user who has chosen nothing."""
        view, room = View(), self.classroom
        return replace(view, theme=room.theme or view.theme, text_scale=room.text_size or view.text_scale)

    def _chosen(self, row: Setting, default: View) -> Value:
        """What is remembered, unless the school has locked it."""
        value = row.read(str(self._store.value(row.name, row.of(default))))
        return row.of(default) if value is None or row.name in self.classroom.locked else value

    def _recent(self) -> tuple[str, ...]:
        value = self._store.value("recent", [])
        names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        found = (str(name) for name in names[: 10 * MOST_RECENT])
        return tuple(name for name in found if name and "\0" not in name and len(name) <= LONGEST_NAME)[:MOST_RECENT]

    def remember_view(self, view: View) -> None:
        """Write what differs at once."""
        before, self._remembered = self._remembered, view
        for row in SETTINGS:
            if row.of(before) != row.of(view):
                self._store.setValue(row.name, row.of(view))
        for name in ("quiet", "done"):
            if getattr(before, name) != getattr(view, name):
                self._store.setValue(name, " ".join(getattr(view, name)))
        if before.recent != view.recent:
            self._store.setValue("recent", self._merged(before.recent, view.recent))

    def _merged(self, before: Sequence[str], after: Sequence[str]) -> list[str]:
        """What was opened here and what another program opened meanwhile, without what was removed here."""
        self._store.sync()
        gone = set(before) - set(after)
        first = list(after[:1]) if after[:1] != before[:1] else []
        first += [name for name in after if name not in before]
        others = [name for name in self._recent() if name not in gone] or list(after)
        return list(dict.fromkeys(first + others))[:MOST_RECENT]

    def layout(self, name: str) -> QByteArray:
        """The saved state of the window or of a splitter; empty if there is none."""
        value = self._store.value(f"layout/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def remember_layout(self, name: str, state: QByteArray) -> None:
        """Remember the state of the window or of a splitter."""
        self._store.setValue(f"layout/{name}", state)


def is_good(section: str, name: str, value: str) -> bool:
    """Whether this line of the file is valid; lines that are not ours may be anything."""
    if section == "layout":
        return value.startswith(("@ByteArray(", '"@ByteArray('))
    if section != "General":
        return True
    row = BY_NAME.get(name)
    return row is None or row.read(value) is not None
