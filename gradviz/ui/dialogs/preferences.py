"""Preferences: every setting in one list that can be searched, made from the table in `session.preferences`. A choice
takes effect at once, in all windows. Undo reverts the last one, Cancel all of them; Restore Defaults does not ask,
because both can revert it. Settings locked by a school are shown as such; limits and trust, which can't be changed
here, are shown with what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.classroom import Classroom
from gradviz.session.preferences import GATHERED, REMEMBERED, SETTINGS, Gathered, Setting, values_of
from gradviz.session.state import Slice, State, View
from gradviz.session.store import Store
from gradviz.ui import look
from gradviz.ui.dialogs.command_palette import matches
from gradviz.ui.services.settings import Settings
from gradviz.ui.theme import Theme
from gradviz.worker.process.limits import Limits

BY_THE_SCHOOL = "Set by the school (classroom.toml)."
NO_MATCH = "No setting has all of these words. Commands are in the command palette, Ctrl+Shift+P."
RUNS = "Runs and Trust"
SIZE = QSize(640, 600)
MARGIN = QSize(24, 60)  # of the screen that stay free around the dialog


# -- what can't be changed here


@dataclass(frozen=True)
class Fact:
    """What applies, where to read more, and whether the school has set it."""

    title: str
    said: str
    help: str
    by_school: bool = False

    @property
    def text(self) -> str:
        """Everything it can be found by."""
        return f"{RUNS} {self.title} {self.said} {self.help}"


def facts(limits: Limits, room: Classroom, state: State) -> tuple[Fact, ...]:
    """Limits and trust."""
    return (
        Fact(
            "Time of a Run",
            f"{limits.cpu_seconds:g} seconds",
            "Run > Keep Going extends the limit of a run, Run Again with More Time that of the next.",
            room.seconds is not None,
        ),
        Fact(
            "Memory of a Run",
            f"{limits.memory_mb:,} MB",
            "A run that needs more is stopped, and keeps the steps that it has recorded.",
            room.memory_mb is not None,
        ),
        Fact(
            "Files from Elsewhere",
            "Wait for Run",
            "Opening a file never runs it, unless it is your own. No setting changes that; Help > Safety says why.",
        ),
        Fact(
            "cuda and mps",
            "Mean the CPU" if state.cuda_as_cpu else "Missing, as in PyTorch",
            "Run > Treat cuda as cpu changes it for the runs of one window.",
        ),
    )


# -- rows


class Choices(look.DropDown):
    """The wheel scrolls the list of settings: it changes none in passing."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Row(QFrame):
    """A title, its explanation, and on the right the widget in `control`."""

    def __init__(self, title: str, help: str, text: str, note: str = "") -> None:
        super().__init__()
        self.text = text  # what it can be found by
        self.title = QLabel(title)
        self.title.setObjectName("setting")
        self.help = QLabel(f"{help} {note}".rstrip())
        self.help.setObjectName("muted")
        self.help.setWordWrap(True)
        for label in (self.title, self.help):
            label.setIndent(0)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 5, 0, 5)
        self.grid.setVerticalSpacing(2)
        self.grid.setColumnStretch(0, 1)
        self.grid.addWidget(self.title, 0, 0)
        self.grid.addWidget(self.help, 1, 0, 1, 3)

    def put(self, control: QWidget) -> None:
        """Put a widget on the right."""
        control.setAccessibleName(self.title.text())
        control.setAccessibleDescription(self.help.text())
        self.title.setBuddy(control)
        self.grid.addWidget(control, 0, 1)

    def show_view(self, view: View) -> None:
        """Show the present choice."""


class FactRow(Row):
    """Says what applies."""

    def __init__(self, fact: Fact) -> None:
        super().__init__(fact.title, fact.help, fact.text, BY_THE_SCHOOL if fact.by_school else "")
        self.put(QLabel(fact.said))


class GatheredRow(Row):
    """An amount, and a button that empties it."""

    emptied = Signal(str)

    def __init__(self, row: Gathered) -> None:
        super().__init__(row.title, row.help, row.text)
        self._row = row
        self.count = QLabel()
        self.button = QPushButton(row.button)
        self.button.setAutoDefault(False)
        self.put(self.button)
        self.button.setAccessibleName(f"{row.button}: {row.title}")
        self.grid.addWidget(self.count, 0, 1)
        self.grid.addWidget(self.button, 0, 2)
        self.button.clicked.connect(lambda: self.emptied.emit(row.name))

    def show_view(self, view: View) -> None:
        self.count.setText(self._row.said(view))
        self.button.setEnabled(self._row.count(view) > 0)


class SettingRow(Row):
    """A switch or a list of choices, and a button that restores the default if another is chosen."""

    chosen = Signal(str, object)

    def __init__(self, row: Setting, default: View, is_locked: bool) -> None:
        super().__init__(row.title, row.help, row.text, BY_THE_SCHOOL if is_locked else "")
        self.row, self._default = row, row.of(default)
        self.control: look.CheckBox | Choices = look.CheckBox("On") if row.is_switch else Choices()
        self.back = QToolButton()
        self.back.setObjectName("small")
        self.back.setText("Reset")
        self.back.setAccessibleName(f"Reset {row.title} to {row.title_of(self._default)}")
        self.back.setToolTip(f"Back to the default: {row.title_of(self._default)}")
        self.back.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        room = self.back.sizePolicy()
        room.setRetainSizeWhenHidden(True)
        self.back.setSizePolicy(room)
        self.grid.addWidget(self.back, 0, 2)
        self.put(self.control)
        self.control.setEnabled(not is_locked)
        self._is_locked = is_locked
        self.back.clicked.connect(lambda: self.chosen.emit(row.name, self._default))
        if isinstance(self.control, look.CheckBox):
            self.control.toggled.connect(lambda on: self.chosen.emit(row.name, on))
        else:
            self.control.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            self.control.activated.connect(lambda place: self.chosen.emit(row.name, self.control.itemData(place)))

    def show_view(self, view: View) -> None:
        value = self.row.of(view)
        self.control.blockSignals(True)
        if isinstance(self.control, look.CheckBox):
            self.control.setChecked(bool(value))
        else:
            choices = self.row.choices_with(value)
            if self.control.count() != len(choices) or self.control.itemData(len(choices) - 1) != choices[-1][1]:
                self.control.clear()
                for title, each in choices:
                    self.control.addItem(title, each)
            self.control.setCurrentIndex([each for _, each in choices].index(value))
        self.control.blockSignals(False)
        self.back.setVisible(value != self._default and not self._is_locked)


# -- the dialog


class PreferencesDialog(QDialog):
    """Type part of a name; Down or Enter goes to what was found."""

    def __init__(
        self, parent: QWidget, store: Store, settings: Settings, theme: Callable[[], Theme], limits: Limits
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store, self._settings, self._theme = store, settings, theme
        self._before = store.state.view
        self._past: list[dict[str, Any]] = []  # the previous values of changed fields of the view
        self.sections: list[tuple[QLabel, list[Row]]] = []
        self.query = look.search_field("Find a setting", "Type part of a name, such as text, colour or speed")
        self.query.textChanged.connect(self._filter)
        self.query.installEventFilter(self)
        self.none = QLabel(NO_MATCH)
        self.none.setObjectName("muted")
        self.none.setWordWrap(True)
        self.area = QScrollArea()
        self.area.setWidget(self._list(facts(limits, settings.classroom, store.state)))
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        for widget in (self.query, self.none, self.area):
            column.addWidget(widget)
        column.addLayout(self._buttons())
        column.setStretchFactor(self.area, 1)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self, self.undo_change)
        self._end = store.watch(Slice("view"), lambda _, after: self._show(after.view))
        self._show(store.state.view)
        self._filter("")
        self._fit()
        self.query.setFocus()

    @property
    def rows(self) -> list[Row]:
        """All of them, in order."""
        return [row for _, rows in self.sections for row in rows]

    def _list(self, held: tuple[Fact, ...]) -> QWidget:
        locked, default = self._settings.classroom.locked, self._settings.default_view()
        found: dict[str, list[Row]] = {}
        for setting in SETTINGS:
            row = SettingRow(setting, default, setting.name in locked)
            row.chosen.connect(lambda name, value: self._change({name: value}))
            found.setdefault(setting.section, []).append(row)
        found[RUNS] = [FactRow(fact) for fact in held]
        for gathered in GATHERED:
            each = GatheredRow(gathered)
            each.emptied.connect(lambda name: self._change({name: ()}))
            found.setdefault(REMEMBERED, []).append(each)
        page = QWidget()
        page.setObjectName("sheet")
        column = QVBoxLayout(page)
        for section, rows in found.items():
            heading = QLabel(section)
            heading.setObjectName("section")
            heading.setIndent(0)
            self.sections.append((heading, rows))
            for widget in (heading, *rows):
                column.addWidget(widget)
        column.addStretch(1)
        return page

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.restore = QPushButton("Restore &Defaults")
        self.undo = QPushButton("&Undo")
        self.undo.setToolTip("Undo the last change")
        kind = QDialogButtonBox.StandardButton
        self.end = QDialogButtonBox(kind.Ok | kind.Cancel)
        for button in (self.restore, self.undo, self.end.button(kind.Ok), self.end.button(kind.Cancel)):
            button.setAutoDefault(False)
        self.restore.clicked.connect(self.restore_defaults)
        self.undo.clicked.connect(self.undo_change)
        self.end.accepted.connect(self.accept)
        self.end.rejected.connect(self.reject)
        for widget in (self.restore, self.undo):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.end)
        return row

    # what is changed

    def _change(self, values: dict[str, Any]) -> None:
        view = self._store.state.view
        old = {name: getattr(view, name) for name in values}
        if old != values:
            self._past.append(old)
            self._store.look(replace(view, **values))

    def undo_change(self) -> None:
        """Revert the last change."""
        if self._past:
            self._store.look(replace(self._store.state.view, **self._past.pop()))

    def restore_defaults(self) -> None:
        """Set everything to its default, except for gathered data."""
        self._change(dict(values_of(self._settings.default_view())))

    def reject(self) -> None:
        """Revert all changes."""
        touched = {name for old in self._past for name in old}
        if touched:
            before = {name: getattr(self._before, name) for name in touched}
            self._store.look(replace(self._store.state.view, **before))
        super().reject()

    def done(self, result: int) -> None:
        """The dialog was closed, in any way."""
        self._end()
        self._end = _nothing
        super().done(result)

    # what is shown

    def _show(self, view: View) -> None:
        for row in self.rows:
            row.show_view(view)
        default = values_of(self._settings.default_view())
        self.restore.setEnabled(values_of(view) != default)
        self.undo.setEnabled(bool(self._past))
        QTimer.singleShot(0, self, self._fit)  # text of another size is there by then

    def _filter(self, query: str) -> None:
        for heading, rows in self.sections:
            for row in rows:
                row.setVisible(matches(query, row.text))
            heading.setVisible(any(not row.isHidden() for row in rows))
        found = sum(not row.isHidden() for row in self.rows)
        self.none.setVisible(not found)
        self.query.setAccessibleDescription(f"{found} found" if found else NO_MATCH)

    def _fit(self) -> None:
        """As large as its text requires, but no larger than the screen."""
        room = self.screen().availableGeometry().size() - MARGIN
        theme = self._theme()
        wanted = QSize(theme.px(SIZE.width()), theme.px(SIZE.height())).expandedTo(self.minimumSizeHint())
        if wanted.boundedTo(room) != self.size():
            self.resize(wanted.boundedTo(room))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down and Enter go from the search field to the first setting found."""
        keys = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        is_key = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in keys
        if watched is self.query and is_key:
            self._go_to_first()
            return True
        return super().eventFilter(watched, event)

    def _go_to_first(self) -> None:
        for row in self.rows:
            control = row.title.buddy()
            if not row.isHidden() and control is not None and control.isEnabled() and not isinstance(control, QLabel):
                control.setFocus(Qt.FocusReason.TabFocusReason)
                self.area.ensureWidgetVisible(row)
                return


def _nothing() -> None:
    """The dialog has stopped listening to the store."""
