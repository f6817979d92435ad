"""What a command row is, and what a command may act on (`Shell`, which the window implements)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gradviz.session.proposals import Proposal
from gradviz.session.sources import Place
from gradviz.session.state import Selection, State
from gradviz.session.store import Store


class Files(Protocol):
    """What is done with files; each asks before something is lost."""

    def new(self) -> None: ...
    def open(self, name: str = "") -> None: ...
    def open_example(self, name: str) -> None: ...
    def save(self) -> bool: ...
    def save_as(self) -> bool: ...
    def quit(self) -> None: ...


class Runner(Protocol):
    """What is done with the worker."""

    def run(self) -> None: ...
    def stop(self) -> None: ...


class Beside(Protocol):
    """What is done with a second run, of the snippet with one change."""

    def start(self, proposal: Proposal) -> None: ...
    def stop(self) -> None: ...
    def drop(self) -> None: ...


class Canvas(Protocol):
    """How the graph is looked at."""

    def fit(self) -> None: ...
    def zoom_in(self) -> None: ...
    def zoom_out(self) -> None: ...
    def zoom_reset(self) -> None: ...
    def pan(self, dx: float, dy: float) -> None: ...
    def toggle_group(self) -> None: ...
    def fit_selection(self) -> None: ...
    def show_thing(self, thing: Selection) -> None: ...
    def show_details(self) -> None: ...
    def look_for(self) -> None: ...


class Source(Protocol):
    """The text of the snippet on the screen."""

    @property
    def caret(self) -> tuple[int, int]: ...
    def show_place(self, place: Place) -> None: ...


class Dialogs(Protocol):
    """What opens over the window."""

    def command_palette(self) -> None: ...
    def examples(self) -> None: ...
    def keyboard_help(self) -> None: ...
    def operation_reference(self) -> None: ...
    def about(self) -> None: ...
    def what_if(self) -> None: ...


class Shell(Protocol):
    """Everything that a command may act on."""

    @property
    def store(self) -> Store: ...
    @property
    def files(self) -> Files: ...
    @property
    def runner(self) -> Runner: ...
    @property
    def beside(self) -> Beside: ...
    @property
    def canvas(self) -> Canvas: ...
    @property
    def source(self) -> Source: ...
    @property
    def dialogs(self) -> Dialogs: ...
    def copy(self, text: str) -> None: ...
    def edit_text(self, action: str) -> None: ...
    def focus(self, panel: str) -> None: ...


@dataclass(frozen=True)
class Choice:
    """One entry of a command that has several, such as a theme."""

    title: str
    value: str
    checked: bool = False


def always(_: State) -> bool:
    """A command that is possible at any time."""
    return True


@dataclass(frozen=True)
class Command:
    """One row. `run` gets the value of the choice that was made, or "" where there are none."""

    id: str
    title: str  # "&" before the mnemonic letter
    menu: str
    help: str
    run: Callable[[Shell, str], None]
    shortcuts: tuple[str, ...] = ()
    group: int = 0  # a line in the menu between groups
    toolbar: str = ""  # its short label there
    primary: bool = False
    enabled: Callable[[State], bool] = always
    retitle: Callable[[State], str] | None = None
    choices: Callable[[State], tuple[Choice, ...]] | None = None

    @property
    def plain_title(self) -> str:
        """The title without its mnemonic and dots."""
        return self.title.replace("&", "").removesuffix("…")
