"""The settings: one row each, with a title, an explanation, search words and choices. The dialog
(`ui.dialogs.preferences`), the palette (`commands.view_menu`), the stored settings (`ui.services.settings`) and what a
school may lock (`gradviz.classroom`) are made from this table. To add one, add a field to `View` and a row.

`GATHERED` lists what accumulates during use and can be emptied. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from gradviz.lists import quantity
from gradviz.session.folding import DIRECT_USES_CHOICES
from gradviz.session.state import READING, SPEEDS, TEXT_SCALES, THEME_CHOICES, View

Value = str | float | bool

ON_OFF: tuple[tuple[str, Value], ...] = (("On", True), ("Off", False))
LOOK, GRAPH, STEPS, REMEMBERED = "Look", "Graph", "Steps", "Remembered"
_THEMES = {"system": "As the system", "contrast": "High contrast"}


def _is_choice(text: str) -> bool:
    """Whether this text chooses iterations; "" chooses as many as fit."""
    if not text:
        return True  # before the first paint the window does without the trace
    from gradviz.trace.record.chosen import is_choice

    return is_choice(text)


@dataclass(frozen=True)
class Setting:
    """One row. `name` is its field of `View` and its name in the file; `also` are further search words; `commands` are
    menu commands that change it, too."""

    name: str
    section: str
    title: str
    help: str
    choices: tuple[tuple[str, Value], ...] = ON_OFF
    also: str = ""
    commands: tuple[str, ...] = ()
    takes: Callable[[str], bool] | None = None  # which texts may be typed instead of a choice

    @property
    def is_switch(self) -> bool:
        """On or off."""
        return self.choices is ON_OFF

    @property
    def ids(self) -> tuple[str, ...]:
        """The commands that change it."""
        return self.commands or (f"set.{self.name}",)

    @property
    def text(self) -> str:
        """Everything it can be found by."""
        names = " ".join(title for title, _ in self.choices)
        return f"{self.section} {self.title} {self.help} {names} {self.also}"

    def of(self, view: View) -> Value:
        """The present choice."""
        return getattr(view, self.name)  # type: ignore[no-any-return]

    def title_of(self, value: Value) -> str:
        """The title of a choice."""
        return next((title for title, each in self.choices if each == value), str(value))

    def read(self, text: str) -> Value | None:
        """The choice that is written so in the file, or typed; None if there is none."""
        typed = text if self.takes is not None and self.takes(text) else None
        return next((value for _, value in self.choices if _is_written(value, text)), typed)

    def choices_with(self, value: Value) -> tuple[tuple[str, Value], ...]:
        """All choices, and what was typed."""
        known = any(each == value for _, each in self.choices)
        return self.choices if known else (*self.choices, (str(value), value))


def _is_written(value: Value, text: str) -> bool:
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, str):
        return text == value
    try:
        return float(text) == value
    except ValueError:
        return False


def _uses(count: int) -> str:
    return f"Above {quantity(count, 'use')}"


def speed_title(speed: float) -> str:
    """The title of a playback speed."""
    if speed == READING:
        return "As fast as one reads"
    return "1 step in 2 seconds" if speed == 0.5 else f"{speed:,.10g} step{'' if speed == 1 else 's'} a second"


SETTINGS = (
    Setting(
        "theme",
        LOOK,
        "Theme",
        "The colours of the window: light, dark, for a projector, or in high contrast.",
        tuple((_THEMES.get(name, name.capitalize()), name) for name in THEME_CHOICES),
        also="color scheme appearance night black white",
    ),
    Setting(
        "text_scale",
        LOOK,
        "Text Size",
        "The size of all text and graphics, on the canvas, too.",
        tuple((f"{scale:.0%}".replace("%", " %"), scale) for scale in TEXT_SCALES),
        also="font zoom larger smaller scale",
        commands=("view.larger", "view.smaller"),
    ),
    Setting(
        "animated",
        LOOK,
        "Motion",
        "Gradients travel along their edges, and groups move as they open. None where the system asks for less motion.",
        also="animation animate folding reduced reduce transition",
    ),
    Setting(
        "vertical",
        GRAPH,
        "Direction",
        "Where the graph goes from its leaves to its result.",
        (("Left to right", False), ("Top to bottom", True)),
        also="layout orientation horizontal vertical",
        commands=("view.direction",),
    ),
    Setting(
        "direct_uses",
        GRAPH,
        "Reference Tags",
        "Each further use of a leaf that has many is drawn as a small tag instead of an edge.",
        tuple((_uses(count), count) for count in DIRECT_USES_CHOICES),
        also="layout references wires",
    ),
    Setting(
        "minimap",
        GRAPH,
        "Mini-map",
        "Show an overview of the whole graph where it is larger than the canvas.",
        also="minimap overview",
        commands=("view.minimap",),
    ),
    Setting(
        "speed",
        STEPS,
        "Playing Speed",
        "How long Play stays at each step.",
        tuple((speed_title(speed), speed) for speed in SPEEDS),
        also="playback reading pace fast slow",
        commands=("run.faster", "run.slower"),
    ),
    Setting(
        "iterations",
        STEPS,
        "Recorded Iterations",
        "Which iterations of a training are recorded. The others run at full speed; values are true again after them.",
        (
            ("All that fit", ""),
            ("The first 20", "first:20"),
            ("Every 10th", "every:10"),
            ("20, every 100th, last 5", "first:20,every:100,last:5"),
        ),
        also="training loop epochs long every nth last record budget",
        commands=("run.iterations",),
        takes=_is_choice,
    ),
    Setting(
        "every_step",
        STEPS,
        "Stop at Every Step",
        "Walk operations that are not tracked, and what a node lets go of, one by one instead of at once.",
        also="fold granularity",
        commands=("view.every_step",),
    ),
    Setting(
        "overture",
        STEPS,
        "Overture",
        "Show the next run once in five seconds, forward and backward. Any key ends it; after that it is off.",
        also="introduction intro story welcome",
    ),
)
BY_NAME = {row.name: row for row in SETTINGS}


def with_values(view: View, values: dict[str, Value]) -> View:
    """The same view with these choices."""
    changes: dict[str, Any] = values
    return replace(view, **changes)


def values_of(view: View) -> dict[str, Value]:
    """All choices by setting name."""
    return {row.name: row.of(view) for row in SETTINGS}


def named(names: Collection[str]) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    """The settings with these names or titles, and the names that match none."""
    known = {_plain(name): row for row in SETTINGS for name in (row.name, row.title)}
    strange = tuple(name for name in names if _plain(name) not in known)
    return tuple(known[_plain(name)] for name in names if name not in strange), strange


def _plain(name: str) -> str:
    return name.lower().replace("_", " ")


# -- accumulated data


@dataclass(frozen=True)
class Gathered:
    """A field of `View` that can be emptied."""

    name: str
    title: str
    help: str
    one: str
    many: str
    button: str

    @property
    def text(self) -> str:
        """Everything it can be found by."""
        return f"{REMEMBERED} {self.title} {self.help} {self.button} {self.many}"

    def count(self, view: View) -> int:
        """How many there are."""
        return len(getattr(view, self.name))

    def said(self, view: View) -> str:
        """How many there are, in words."""
        count = self.count(view)
        return f"{count} {self.one if count == 1 else self.many}" if count else "None"


GATHERED = (
    Gathered("recent", "Recent Files", "What File > Open Recent lists.", "file", "files", "Clear"),
    Gathered(
        "quiet",
        "Dismissed Lessons",
        "What the doctor does not tell any more, in any document.",
        "lesson",
        "lessons",
        "Tell Again",
    ),
    Gathered(
        "done",
        "Progress in Lesson Sets",
        "Which lessons were seen to their end.",
        "lesson",
        "lessons",
        "Forget",
    ),
)
