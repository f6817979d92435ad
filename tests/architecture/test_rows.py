"""The tables that the program is assembled from: ids are unique, and every row is complete."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Hashable, Iterable

import pytest

from gradviz.commands.panels import PANELS
from gradviz.commands.row import Command
from gradviz.commands.table import COMMANDS, MENUS
from gradviz.commands.view_menu import MOST_ENTRIES, MOST_IN_SUBMENU
from gradviz.document.files.examples import Example, examples
from gradviz.engine.kernel.rows import ROWS


def repeated(things: Iterable[Hashable]) -> list[Hashable]:
    return [thing for thing, count in Counter(things).items() if count > 1]


def test_command_ids_and_titles_are_unique() -> None:
    assert not repeated(row.id for row in COMMANDS)
    assert not repeated((row.menu, row.plain_title) for row in COMMANDS)


def test_no_two_commands_share_a_shortcut() -> None:
    assert not repeated(shortcut for row in COMMANDS for shortcut in row.shortcuts)


def entries(menu: str, under: str = "") -> list[str]:
    """The titles of a menu itself, or of one of its submenus, with those of submenus."""
    rows = [row for row in COMMANDS if row.in_menu and row.menu == menu and (not under or row.under == under)]
    return list(dict.fromkeys(row.title if under or not row.under else row.under for row in rows))


def test_no_two_menu_entries_share_a_mnemonic() -> None:
    menus = dict.fromkeys((row.menu, under) for row in COMMANDS for under in ("", row.under))
    for menu, under in menus:
        titles = [title for title in entries(menu, under) if "&" in title]
        assert not repeated(title[title.index("&") + 1].lower() for title in titles), (menu, under)


def test_the_view_menu_fits_a_hand() -> None:
    assert len(entries("View")) <= MOST_ENTRIES
    assert all(
        len(entries("View", row.under)) <= MOST_IN_SUBMENU for row in COMMANDS if row.menu == "View" and row.under
    )


def test_the_rows_of_a_submenu_stand_in_one_menu_in_the_order_of_their_groups() -> None:
    for under in {row.under for row in COMMANDS if row.under and row.in_menu}:
        rows = [row for row in COMMANDS if row.under == under]
        assert len({row.menu for row in rows}) == 1 and [row.group for row in rows] == sorted(row.group for row in rows)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.id)
def test_a_command_row_is_complete(row: Command) -> None:
    assert row.menu in MENUS
    assert row.id.partition(".")[0].isidentifier() and row.id.partition(".")[2].isidentifier()
    assert row.help[0].isupper() and row.help.endswith("."), "help is a sentence"


def test_panel_ids_and_titles_are_unique() -> None:
    assert not repeated(row.id for row in PANELS)
    assert not repeated(row.title for row in PANELS)


def test_example_titles_and_numbers_are_unique() -> None:
    assert not repeated(example.title for example in examples())
    assert not repeated(example.path.name.partition("_")[0] for example in examples())


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.path.stem)
def test_an_example_says_what_it_shows(example: Example) -> None:
    assert example.title and example.paragraph and example.look_at


def test_an_operation_is_described() -> None:
    importlib.import_module("gradviz.torch")  # registers the rows
    assert ROWS
    assert not [key for key, row in ROWS.items() if not (row.symbol and row.category and row.node_name)]
