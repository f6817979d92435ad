"""Settings of a school for all of its computers: one file, `classroom.toml`, with a folder of lessons, the default
theme and text size, limits for runs, disabled commands and locked settings. It is looked up in `GRADVIZ_CLASSROOM`,
next to a frozen program, and where the system keeps settings for all users. Wrong entries are ignored and reported
(`notes`); the others apply. docs/administrators.md has an example. No Qt, because `gradviz run` reads it, too."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.worker.process.limits import Limits

NAME = "classroom.toml"
VARIABLE = "GRADVIZ_CLASSROOM"
MOST_BYTES = 100_000
SECONDS = (1, 3600)
MEGABYTES = (200, 100_000)


@dataclass(frozen=True)
class Classroom:
    """The contents of the file; None, "" and empty mean not set. Times are in seconds, memory is in megabytes."""

    path: Path | None = None
    lessons: Path | None = None
    theme: str = ""
    text_size: float | None = None
    seconds: float | None = None
    memory_mb: int | None = None
    off: frozenset[str] = frozenset()  # ids of disabled commands
    locked: frozenset[str] = frozenset()  # names of settings; the commands that change them are disabled
    notes: tuple[str, ...] = ()

    def bounded(self, limits: Limits) -> Limits:
        """These limits, with those of the classroom replacing them."""
        wall, cpu = self.seconds or limits.wall_seconds, self.seconds or limits.cpu_seconds
        return replace(limits, wall_seconds=wall, cpu_seconds=cpu, memory_mb=self.memory_mb or limits.memory_mb)

    def lines(self) -> list[str]:
        """What applies, for a report."""
        if self.path is None:
            return []
        said = {
            "lessons": self.lessons,
            "theme": self.theme,
            "text_size": self.text_size,
            "limits.seconds": self.seconds,
            "limits.memory_mb": self.memory_mb,
            "off": ", ".join(sorted(self.off)),
            "locked": ", ".join(sorted(self.locked)),
        }
        held = [f"  {name} = {value}" for name, value in said.items() if value]
        return [f"Settings of the classroom, from {self.path}:", *held, *(f"  {note}" for note in self.notes)]


@cache
def classroom() -> Classroom:
    """The classroom of this computer."""
    for path in places(os.environ, sys.platform):
        if path.is_file():
            return read(path)
    return Classroom()


def limits() -> Limits:
    """The limits for runs on this computer."""
    from gradviz.worker.process.limits import Limits

    return classroom().bounded(Limits())


def places(environment: Mapping[str, str], platform: str) -> tuple[Path, ...]:
    """Where the file can be; the first one found is used."""
    named = environment.get(VARIABLE)
    if named:
        return (Path(named),)
    beside = (Path(sys.executable).parent / NAME,) if getattr(sys, "frozen", False) else ()
    if platform == "win32":
        folders = [environment.get("PROGRAMDATA", r"C:\ProgramData")]
    elif platform == "darwin":
        folders = ["/Library/Application Support"]
    else:
        folders = [each for each in environment.get("XDG_CONFIG_DIRS", "").split(":") if each] or ["/etc/xdg"]
    return (*beside, *(Path(folder) / "GradViz" / NAME for folder in folders))


def read(path: Path) -> Classroom:
    """Read the file. The folder of lessons is relative to the file."""
    import tomllib  # most computers have no such file

    found = Classroom(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            return replace(found, notes=(f"{path.name} is too long and was not read.",))
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        return replace(found, notes=(f"{path.name} can't be read: {(error.strerror or str(error)).lower()}.",))
    except (ValueError, RecursionError) as error:
        return replace(found, notes=(f"{path.name} is not valid TOML and was not used: {error}.",))
    for name, value in _flat(entries):
        take = _ENTRIES.get(name)
        taken = take(found, value) if take is not None else f"“{name}” is not an entry of {path.name}."
        found = replace(found, notes=(*found.notes, taken)) if isinstance(taken, str) else taken
    return _agreed(found) if found.off or found.locked else found


def _agreed(found: Classroom) -> Classroom:
    """A setting is locked if all of its commands are disabled, and the commands of a locked one are disabled."""
    from gradviz.session.preferences import BY_NAME, SETTINGS

    locked = found.locked | {row.name for row in SETTINGS if found.off.issuperset(row.ids)}
    return replace(found, locked=locked, off=found.off.union(*(BY_NAME[name].ids for name in locked)))


def _flat(entries: Mapping[str, object]) -> list[tuple[str, object]]:
    limits = entries.get("limits")
    inner = [(f"limits.{name}", value) for name, value in limits.items()] if isinstance(limits, dict) else []
    return [*((name, value) for name, value in entries.items() if value is not limits or not inner), *inner]


# -- one function per entry: the value for it, or what is wrong with the one in the file


def _lessons(found: Classroom, value: object) -> Classroom | str:
    folder = found.path.parent / value if found.path is not None and isinstance(value, str) else None
    if folder is None or not folder.is_dir():
        return f"lessons = {value!r} is not a folder."
    return replace(found, lessons=folder)


def _theme(found: Classroom, value: object) -> Classroom | str:
    from gradviz.session.state import THEME_CHOICES

    if value not in THEME_CHOICES:
        return f"theme = {value!r} is not one of {', '.join(each for each in THEME_CHOICES)}."
    return replace(found, theme=str(value))


def _text_size(found: Classroom, value: object) -> Classroom | str:
    from gradviz.session.state import TEXT_SCALES

    if value not in TEXT_SCALES or isinstance(value, bool):
        return f"text_size = {value!r} is not one of {', '.join(f'{each:g}' for each in TEXT_SCALES)}."
    return replace(found, text_size=float(str(value)))


def _seconds(found: Classroom, value: object) -> Classroom | str:
    if not _is_between(value, SECONDS):
        return f"limits.seconds = {value!r} is not a number from {SECONDS[0]} to {SECONDS[1]}."
    return replace(found, seconds=float(str(value)))


def _memory_mb(found: Classroom, value: object) -> Classroom | str:
    if not _is_between(value, MEGABYTES) or not isinstance(value, int):
        return f"limits.memory_mb = {value!r} is not a whole number from {MEGABYTES[0]} to {MEGABYTES[1]}."
    return replace(found, memory_mb=value)


def _off(found: Classroom, value: object) -> Classroom | str:
    from gradviz.commands.table import COMMANDS

    by_name = {name: row.id for row in COMMANDS for name in (row.id, row.plain_title.lower())}
    names = value if isinstance(value, list) else [value]
    known = [by_name.get(str(name).lower().removesuffix("…").removesuffix("...")) for name in names]
    strange = [str(name) for name, meant in zip(names, known, strict=True) if meant is None]
    notes = (f"off: {', '.join(f'“{name}”' for name in strange)} is no command.",) if strange else ()
    return replace(found, off=frozenset(filter(None, known)), notes=(*found.notes, *notes))


def _locked(found: Classroom, value: object) -> Classroom | str:
    from gradviz.session.preferences import named

    names = value if isinstance(value, list) else [value]
    rows, strange = named([str(name) for name in names])
    notes = (f"locked: {', '.join(f'“{name}”' for name in strange)} is no setting.",) if strange else ()
    return replace(found, locked=frozenset(row.name for row in rows), notes=(*found.notes, *notes))


def _is_between(value: object, bounds: tuple[int, int]) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bounds[0] <= value <= bounds[1]


_ENTRIES: Mapping[str, Callable[[Classroom, object], Classroom | str]] = {
    "lessons": _lessons,
    "theme": _theme,
    "text_size": _text_size,
    "limits.seconds": _seconds,
    "limits.memory_mb": _memory_mb,
    "off": _off,
    "locked": _locked,
}
