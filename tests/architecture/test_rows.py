"""The tables that the program is assembled from: ids are unique, and every row is complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

import pytest

from gradviz.commands.row import Command
from gradviz.commands.table import COMMANDS, MENUS


def repeated(things: Iterable[Hashable]) -> list[Hashable]:
    return [thing for thing, count in Counter(things).items() if count > 1]


def test_command_ids_and_titles_are_unique() -> None:
    assert not repeated(row.id for row in COMMANDS)
    assert not repeated((row.menu, row.plain_title) for row in COMMANDS)


def test_no_two_commands_share_a_shortcut() -> None:
    assert not repeated(shortcut for row in COMMANDS for shortcut in row.shortcuts)


def test_no_two_menu_entries_share_a_mnemonic() -> None:
    for menu in MENUS:
        titles = [row.title for row in COMMANDS if row.menu == menu and "&" in row.title]
        assert not repeated(title[title.index("&") + 1].lower() for title in titles), menu


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.id)
def test_a_command_row_is_complete(row: Command) -> None:
    assert row.menu in MENUS
    assert row.id.partition(".")[0].isidentifier() and row.id.partition(".")[2].isidentifier()
    assert row.help[0].isupper() and row.help.endswith("."), "help is a sentence"
