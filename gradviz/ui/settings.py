"""What is remembered between starts: theme, text size, speed, recent files, the window's place and the panels'
sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from PySide6.QtCore import QByteArray, QSettings

from gradviz.session.folding import DIRECT_USES_CHOICES
from gradviz.session.state import SPEEDS, TEXT_SCALES, THEME_CHOICES, View

ORGANISATION = "GradViz"


class Memory(Protocol):
    """Where values are kept: QSettings, or `Forgetful`."""

    def value(self, key: str, /, default: Any = None) -> Any: ...
    def setValue(self, key: str, value: Any, /) -> None: ...


class Forgetful:
    """Remembers nothing: a picture of the window looks the same on every machine."""

    def value(self, _: str, /, default: Any = None) -> Any:
        """Always the default."""
        return default

    def setValue(self, _: str, value: Any, /) -> None:
        """Nothing is kept."""


class Settings:
    """A thin, checked view of what is kept: a damaged value is as good as none."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._store: Any = memory or QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, ORGANISATION, ORGANISATION
        )

    def view(self) -> View:
        """How things were looked at."""
        default = View()
        theme = str(self._store.value("theme", default.theme))
        recent = self._store.value("recent", [])
        names = [recent] if isinstance(recent, str) else recent if isinstance(recent, list) else []
        return View(
            theme=theme if theme in THEME_CHOICES else default.theme,
            text_scale=self._number("text_scale", default.text_scale, TEXT_SCALES),
            speed=self._number("speed", default.speed, SPEEDS),
            recent=tuple(str(name) for name in names),
            minimap=str(self._store.value("minimap", "true")).lower() != "false",
            vertical=self._flag("vertical", default.vertical),
            direct_uses=int(self._number("direct_uses", default.direct_uses, DIRECT_USES_CHOICES)),
            animated=self._flag("animated", default.animated),
        )

    def _flag(self, name: str, default: bool) -> bool:
        return str(self._store.value(name, default)).lower() == "true"

    def _number(self, name: str, default: float, allowed: Sequence[float]) -> float:
        try:
            value = float(str(self._store.value(name, default)))
        except ValueError:
            return default
        return value if value in allowed else default

    def remember_view(self, view: View) -> None:
        """Write it at once."""
        self._store.setValue("theme", view.theme)
        self._store.setValue("text_scale", view.text_scale)
        self._store.setValue("speed", view.speed)
        self._store.setValue("vertical", view.vertical)
        self._store.setValue("direct_uses", view.direct_uses)
        self._store.setValue("animated", view.animated)
        self._store.setValue("minimap", str(view.minimap).lower())
        self._store.setValue("recent", list(view.recent))

    def layout(self, name: str) -> QByteArray:
        """The saved state of the window or of a splitter; empty if there is none."""
        value = self._store.value(f"layout/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def remember_layout(self, name: str, state: QByteArray) -> None:
        """Remember the state of the window or of a splitter."""
        self._store.setValue(f"layout/{name}", state)
