"""The operation reference: a list to search in, made from the engine's rows (`gradviz/engine/reference.py`) and, for
functions that are made of several of them, from the catalogue. It is opened from the Help menu and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from gradviz.ui import look
from gradviz.ui.command_palette import matches
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.engine.reference import Entry


class ReferenceDialog(QDialog):
    """Type a part of a name, a node or a word of the description."""

    def __init__(self, parent: QWidget, theme: Theme, query: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle("Operation reference")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._entries = _listed()
        self.query = QLineEdit()
        self.query.setPlaceholderText("Type part of a name, such as softmax or MulBackward0")
        self.query.setAccessibleName("Find an operation")
        self.query.setClearButtonEnabled(True)
        self.count = QLabel()
        self.text = QTextBrowser()
        self.text.setAccessibleName("Operations")
        self.text.setOpenExternalLinks(True)
        self.text.setFont(look.sans(theme))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)  # Enter ends a word, not the search
        column = QVBoxLayout(self)
        for widget in (self.query, self.count, self.text, buttons):
            column.addWidget(widget)
        self.resize(theme.px(820), theme.px(640))
        self.query.textChanged.connect(self._filter)
        self.query.installEventFilter(self)
        self.query.setText(query)
        self._filter(query)

    def _filter(self, query: str) -> None:
        found = [each for each in self._entries if matches(query, each.text())]
        self.count.setText(f"{len(found)} of {len(self._entries)} operations")
        self.text.setHtml(reference_html(found, self._theme))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up, Down and the page keys move in the text while one types."""
        if watched is self.query and isinstance(event, QKeyEvent) and event.key() in _MOVES:
            QCoreApplication.sendEvent(self.text, event)
            return True
        return super().eventFilter(watched, event)


def _listed() -> list[Entry]:
    """The rows of the engine, and the functions of the catalogue that no row is called by, by category."""
    from gradviz.document.catalogue import catalogue
    from gradviz.engine.reference import Entry, entries  # the engine is loaded when it is first asked for

    found = entries()
    known = {call for each in found for call in each.calls}
    for entry in catalogue().values():
        calls = tuple(name if name.startswith("Tensor.") else f"torch.{name}" for name in (entry.key, *entry.aliases))
        if known.isdisjoint(calls[:1]):
            shown = (entry.name, entry.category, entry.symbol, entry.brief, entry.formula)
            found.append(Entry(*shown, calls=calls, node="", gradients=entry.gradients, saved=(), link=entry.link))
    return sorted(found, key=lambda each: each.category)


_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


def reference_html(found: list[Entry], theme: Theme) -> str:
    """The operations below the names of their categories."""
    parts, category = [], ""
    for each in found:
        if each.category != category:
            category = each.category
            style = f"font-size:{theme.px(15)}px; font-weight:600; margin:16px 0 2px 0"
            parts.append(f"<p style='{style}'>{look.escape(category.capitalize())}</p>")
        parts.append(_entry_html(each, theme))
    return "".join(parts) or f"<p style='color:{theme.muted}'>No operation matches all of these words.</p>"


def _entry_html(each: Entry, theme: Theme) -> str:
    names = look.escape(", ".join(each.calls) or each.name)
    title = f"<a href='{each.link}' style='color:{theme.link}'>{names}</a>" if each.link else names
    lines = [f"<b>{title}</b>"]
    if each.formula:
        lines.append(f"<code>{look.escape(each.formula)}</code>")
    if each.brief:
        lines.append(look.escape(each.brief))
    lines += [f"gradient of <i>{look.escape(name)}</i>: {look.escape(how)}" for name, how in each.gradients]
    if each.node:
        kept = ", ".join(each.saved) if each.saved else "nothing"
        lines.append(f"<span style='color:{theme.muted}'>{each.node} saves {look.escape(kept)}</span>")
    return f"<p style='margin:8px 0 0 0'>{'<br>'.join(lines)}</p>"
