"""Dialogs over the window: keyboard help (made from the table of commands), the About page, and the dialogs that have
modules of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gradviz import about
from gradviz.commands.table import DRAWING_KEYS, SNIPPET_KEYS, without
from gradviz.ui import look
from gradviz.ui.dialogs.command_palette import CommandPalette, keys_of, matches
from gradviz.ui.dialogs.help_pages import ReferenceDialog, SearchDialog
from gradviz.ui.dialogs.what_if import WhatIfDialog
from gradviz.ui.theme import Theme
from gradviz.worker.locks.layers import sentence

if TYPE_CHECKING:
    from gradviz.commands.row import Command
    from gradviz.ui.services.settings import Settings
    from gradviz.ui.shell import WindowShell

FOLLOWS = "PyTorch 2.13"


class TextDialog(QDialog):
    """Rich text and a Close button."""

    def __init__(self, parent: QWidget, title: str, html: str, theme: Theme, size: tuple[int, int]) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QTextBrowser()
        self.text.setAccessibleName(title)
        self.text.setOpenExternalLinks(True)
        self.text.setFont(look.sans(theme))
        self.text.setHtml(html)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        self.resize(theme.px(size[0]), theme.px(size[1]))


class KeyboardDialog(SearchDialog):
    """Every command with its shortcuts, by menu, and the keys and mouse gestures that are not commands."""

    def __init__(self, parent: QWidget, theme: Theme, rows: Sequence[Command]) -> None:
        menus = dict.fromkeys(row.menu for row in rows)
        self._sections = [
            (menu, [(row.plain_title, keys_of(row), row.help) for row in rows if row.menu == menu and row.shortcuts])
            for menu in menus
        ]
        self._sections += [
            (title, [("", keys, what) for keys, what in gestures])
            for title, gestures in (("In the text of a snippet", SNIPPET_KEYS), ("On a drawing", DRAWING_KEYS))
        ]
        super().__init__(
            parent, theme, "Keyboard", "Type part of a command, a key or a menu, such as zoom or Ctrl+Shift"
        )

    def found(self, query: str) -> tuple[str, str]:
        """The lines that match, below their menus."""
        parts, count, theme = [], 0, self._theme
        cell = "style='padding:3px 12px 3px 0; color:"
        for title, lines in self._sections:
            fits = [line for line in lines if matches(query, " ".join((title, *line)))]
            count += len(fits)
            text = "".join(
                (f"<tr><td width='{theme.px(180)}' {cell}{theme.text}'>{name}</td>" if name else "<tr>")
                + f"<td width='{theme.px(170 if name else 180)}' {cell}{theme.link}'>{look.escape(keys)}</td>"
                f"<td {cell}{theme.muted}'>{look.escape(what)}</td></tr>"
                for name, keys, what in fits
            )
            head = f"<p style='font-size:{theme.px(15)}px; font-weight:600; margin:14px 0 4px 0'>{title}</p>"
            parts.append(f"{head}<table>{text}</table>" if text else "")
        return f"{count} of {sum(len(lines) for _, lines in self._sections)} keys and gestures", "".join(parts)


def about_html(layers: Mapping[str, str]) -> str:
    """What this is, what contains snippets here, and which libraries it uses; `layers` are those of the latest
    worker."""
    parts = "".join(
        f"<tr><td style='padding-right:14px'>{look.escape(part.name)}</td>"
        f"<td style='padding-right:14px'>{look.escape(part.version)}</td><td>{look.escape(part.licence)}</td></tr>"
        for part in about.parts()
    )
    texts = f"<p>Their texts are in {look.escape(str(folder))}.</p>" if (folder := about.licences_folder()) else ""
    return (
        f"<h2>GradViz {look.escape(about.version())}</h2>"
        "<p>See what <code>backward()</code> does, one node at a time.</p>"
        f"<p>Its own autograd engine on NumPy follows {FOLLOWS} on the CPU: values, shapes, <code>grad_fn</code> "
        "names, saved buffers, the order of steps and error messages.</p>"
        f"<p>{look.escape(sentence(layers))}</p>"
        "<p>MIT licence. Fonts: Inter, JetBrains Mono, DejaVu Sans.</p>"
        f"<p>Made with</p><table>{parts}</table>{texts}"
    )


def updates_html() -> str:
    """The version and how to get a newer one. Nothing is looked up: GradViz opens no connection."""
    cell = "<td style='padding:2px 14px 2px 0'>"
    commands = "".join(
        f"<tr>{cell}{look.escape(where)}</td><td><code>{look.escape(what)}</code></td></tr>"
        for where, what in about.UPDATES
    )
    return (
        f"<h2>This is GradViz {look.escape(about.version())}</h2>"
        "<p>GradViz opens no connection and never looks for updates by itself. Compare this version with the latest "
        "release where you got it from; then install that over this one:</p>"
        f"<table>{commands}</table>"
        "<p>Settings and recent files stay as they are. A school computer is updated by whoever looks after it.</p>"
    )


class WindowDialogs:
    """Implements the commands' `Dialogs`."""

    def __init__(
        self,
        window: QWidget,
        shell: WindowShell,
        settings: Settings,
        theme: Callable[[], Theme],
        choose: Callable[[str, str], None],
    ) -> None:
        self._window = window
        self._shell = shell
        self._settings = settings
        self._rows = without(settings.classroom.off)
        self._theme = theme
        self._choose = choose

    def command_palette(self) -> None:
        """Open the palette."""
        CommandPalette(self._window, self._rows, self._shell.store.state, self._theme(), self._choose).open()

    def examples(self) -> None:
        """Show the gallery."""
        self._shell.focus("examples")

    def keyboard_help(self) -> None:
        """Every command with its shortcuts, with a search field."""
        KeyboardDialog(self._window, self._theme(), self._rows).open()

    def operation_reference(self, query: str = "") -> None:
        """Every operation, with a search field that starts with a query."""
        ReferenceDialog(self._window, self._theme(), query).open()

    def what_if(self) -> None:
        """Choose a change to compare with the snippet."""
        WhatIfDialog(self._window, self._shell.store.state, self._theme(), self._shell.what_if_runner.start).open()

    def preferences(self) -> None:
        """Every setting, with a search field."""
        from gradviz.ui.dialogs.preferences import PreferencesDialog

        shell = self._shell
        PreferencesDialog(self._window, shell.store, self._settings, self._theme, shell.runner.pool.limits).open()

    def mistakes(self, query: str = "") -> None:
        """The pages of common mistakes, with a search field that starts with a query."""
        from gradviz.ui.dialogs.help_pages import MistakesDialog

        MistakesDialog(self._window, self._theme(), query, self._shell.files).open()

    def run_in_pytorch(self) -> None:
        """Choose one of the user's PyTorch installations to run the snippet in."""
        from gradviz.ui.dialogs.run_dialogs import PyTorchDialog

        state, shell = self._shell.store.state, self._shell
        PyTorchDialog(self._window, state, self._theme(), shell.files, shell.runner.run_in_pytorch).open()

    def run_with(self) -> None:
        """Say what the script is called with, and what is recorded."""
        from gradviz.ui.dialogs.run_dialogs import RunDialog

        shell, locked = self._shell, "iterations" in self._settings.classroom.locked
        RunDialog(self._window, shell.store, self._theme(), lambda: self._choose("run.run", ""), locked).open()

    def timeline_legend(self) -> None:
        """What the timeline shows."""
        from gradviz.ui.dialogs.help_pages import legend_html

        theme = self._theme()
        TextDialog(self._window, "Reading the timeline", legend_html(theme), theme, (620, 600)).open()

    def safety(self) -> None:
        """What a snippet may do."""
        from gradviz.ui.dialogs.help_pages import safety_html

        pool = self._shell.runner.pool
        html = safety_html(pool.layers, pool.limits, self._theme())
        TextDialog(self._window, "What a snippet may do", html, self._theme(), (640, 680)).open()

    def updates(self) -> None:
        """How to get a newer version: the program does not look for one."""
        TextDialog(self._window, "Check for updates", updates_html(), self._theme(), (520, 400)).open()

    def about(self) -> None:
        """What this is."""
        html = about_html(self._shell.runner.pool.layers)
        TextDialog(self._window, "About GradViz", html, self._theme(), (560, 480)).open()
