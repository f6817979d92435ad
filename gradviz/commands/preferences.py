"""Preferences: the row that opens the dialog, and a row for the command palette for each setting that is in no menu.
The settings themselves are in `session.preferences`."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.commands.row import Choice, Command, Shell
from gradviz.session.preferences import SETTINGS, Setting, with_values
from gradviz.session.state import State


def choices_of(setting: Setting) -> Callable[[State], tuple[Choice, ...]]:
    """The choices of a command that changes this setting."""

    def listed(state: State) -> tuple[Choice, ...]:
        chosen = setting.of(state.view)
        return tuple(Choice(title, str(value), value == chosen) for title, value in setting.choices_with(chosen))

    return listed


def chooser_of(setting: Setting) -> Callable[[Shell, str], None]:
    """The action of such a command."""

    def choose(shell: Shell, text: str) -> None:
        value = setting.read(text)
        if value is not None:
            shell.store.look(with_values(shell.store.state.view, {setting.name: value}))

    return choose


PREFERENCES_ROWS = (
    Command(
        id="edit.preferences",
        title="Pr&eferences…",
        menu="Edit",
        help="Find and change any setting: colours, text size, motion, playing, the canvas.",
        shortcuts=("Ctrl+,",),
        group=9,
        run=lambda shell, _: shell.dialogs.preferences(),
    ),
    *(
        Command(
            id=name,
            title=setting.title,
            menu="Edit",
            under="Preferences",
            in_menu=False,
            help=setting.help,
            choices=choices_of(setting),
            run=chooser_of(setting),
        )
        for setting in SETTINGS
        for name in setting.ids
        if not setting.commands
    ),
)
