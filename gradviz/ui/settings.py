"""What is remembered between starts: theme, text size, speed, recent files, the window's place and the panels'
sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths

from gradviz.session.folding import DIRECT_USES_CHOICES
from gradviz.session.state import SPEEDS, TEXT_SCALES, THEME_CHOICES, View

MOST_RECENT = 10
LONGEST_NAME = 4096
NUMBERS: Mapping[str, Sequence[float]] = {
    "text_scale": TEXT_SCALES,
    "speed": SPEEDS,
    "direct_uses": DIRECT_USES_CHOICES,
}
FLAGS = ("vertical", "animated", "minimap")


def settings_file() -> Path:
    """Where they are kept."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(place) / "GradViz" / "GradViz.ini"


class Memory(Protocol):
    """Where values are kept: QSettings, or `Forgetful`."""

    def value(self, key: str, /, default: Any = None) -> Any: ...
    def setValue(self, key: str, value: Any, /) -> None: ...
    def sync(self) -> None: ...


class Forgetful:
    """Remembers nothing: a picture of the window looks the same on every machine."""

    def value(self, _: str, /, default: Any = None) -> Any:
        """Always the default."""
        return default

    def setValue(self, _: str, value: Any, /) -> None:
        """Nothing is kept."""

    def sync(self) -> None:
        """There is nothing to take over from another program."""


class Settings:
    """A thin, checked view of what is kept: a damaged value is as good as none. `note` says what was damaged.

    Several programs may run at once: each writes only what was changed in it."""

    def __init__(self, memory: Memory | None = None, file: Path | None = None) -> None:
        self.note = ""
        self._store = memory or self._of_file(file or settings_file())
        self._remembered = self.view()

    def _of_file(self, file: Path) -> Memory:
        """What is not safe to read is not written either."""
        from gradviz.ui.settings_file import prepared

        is_usable, self.note = prepared(file, is_good)
        return QSettings(str(file), QSettings.Format.IniFormat) if is_usable else Forgetful()

    def view(self) -> View:
        """How things were looked at."""
        default = View()
        theme = str(self._store.value("theme", default.theme))
        return View(
            theme=theme if theme in THEME_CHOICES else default.theme,
            text_scale=self._number("text_scale", default.text_scale),
            speed=self._number("speed", default.speed),
            recent=self._recent(),
            minimap=str(self._store.value("minimap", "true")).lower() != "false",
            vertical=self._flag("vertical", default.vertical),
            direct_uses=int(self._number("direct_uses", default.direct_uses)),
            animated=self._flag("animated", default.animated),
        )

    def _flag(self, name: str, default: bool) -> bool:
        return str(self._store.value(name, default)).lower() == "true"

    def _number(self, name: str, default: float) -> float:
        value = _as_number(str(self._store.value(name, default)))
        return value if value is not None and value in NUMBERS[name] else default

    def _recent(self) -> tuple[str, ...]:
        value = self._store.value("recent", [])
        names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        found = (str(name) for name in names[: 10 * MOST_RECENT])
        return tuple(name for name in found if name and "\0" not in name and len(name) <= LONGEST_NAME)[:MOST_RECENT]

    def remember_view(self, view: View) -> None:
        """Write at once what is other than before."""
        before, self._remembered = self._remembered, view
        values = {
            "theme": (before.theme, view.theme),
            "text_scale": (before.text_scale, view.text_scale),
            "speed": (before.speed, view.speed),
            "vertical": (before.vertical, view.vertical),
            "direct_uses": (before.direct_uses, view.direct_uses),
            "animated": (before.animated, view.animated),
            "minimap": (before.minimap, view.minimap),
        }
        for name, (old, new) in values.items():
            if old != new:
                self._store.setValue(name, str(new).lower() if name == "minimap" else new)
        if before.recent != view.recent:
            self._store.setValue("recent", self._merged(before.recent, view.recent))

    def _merged(self, before: Sequence[str], after: Sequence[str]) -> list[str]:
        """What came here and what another program has opened meanwhile, but not what went here."""
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
    """Whether this line of the file means something to us; what is not ours may be anything."""
    if section == "layout":
        return value.startswith(("@ByteArray(", '"@ByteArray('))
    if section != "General":
        return True
    if name in NUMBERS:
        return _as_number(value) in NUMBERS[name]
    if name in FLAGS:
        return value.lower() in ("true", "false")
    return name != "theme" or value in THEME_CHOICES


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
