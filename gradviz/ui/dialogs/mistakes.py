"""Common mistakes: a page for each lesson of the doctor, with the broken snippet, what you see, why, and the change
that fixes it. Pasting an error message finds its page; the snippet can be opened in the window and stepped through."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.files.examples import Example
from gradviz.session.doctor.mistakes import Mistake, found, mistakes
from gradviz.ui import look
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.services.files import WindowFiles

NONE = "No page is about this. Paste the last line of an error, or type a word, such as backward, softmax or loss."
LONGEST = 20_000  # characters of a pasted error message that are read
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_AT = Qt.ItemDataRole.UserRole


class MistakesDialog(QDialog):
    """A list on the left, and the page of the selected mistake on the right."""

    def __init__(self, parent: QWidget, theme: Theme, query: str, files: WindowFiles) -> None:
        super().__init__(parent)
        self.setWindowTitle("Common Mistakes")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme, self._files = theme, files
        hint = "Paste an error message, or type a word of it, such as backward or softmax"
        self.query = look.search_field("Find a mistake", hint)
        self.query.setMaxLength(LONGEST)
        self.list = QListWidget()
        self.list.setAccessibleName("Mistakes")
        self.page = QTextBrowser()
        self.page.setAccessibleName("The mistake")
        self.page.setFont(look.sans(theme))
        self.count = QLabel()
        self.count.setObjectName("muted")
        sides = QSplitter()
        sides.addWidget(self.list)
        sides.addWidget(self.page)
        column = QVBoxLayout(self)
        for widget in (self.query, self.count, sides, self._buttons()):
            column.addWidget(widget)
        column.setStretchFactor(sides, 1)
        self.resize(theme.px(860), theme.px(640))
        self.list.currentItemChanged.connect(self._show)
        self.query.textChanged.connect(self._filter)
        self.query.installEventFilter(self)
        self.query.setText(query)
        self._filter(query)
        self.list.ensurePolished()
        widest = max(self.list.fontMetrics().horizontalAdvance(each.title) for each in mistakes()) + theme.px(50)
        sides.setSizes([widest, theme.px(860) - widest])

    def _buttons(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.open_button = box.addButton("&Open the Snippet", QDialogButtonBox.ButtonRole.ActionRole)
        self.open_button.setToolTip("Open the broken snippet as a new one and run it.")
        self.open_button.clicked.connect(self._open)
        box.rejected.connect(self.reject)
        for button in box.buttons():
            button.setAutoDefault(False)  # type: ignore[attr-defined]
        return box

    def _filter(self, query: str) -> None:
        fits = found(query)
        self.list.clear()
        for each in fits:
            item = QListWidgetItem(each.title)
            item.setData(_AT, each)
            self.list.addItem(item)
        self.count.setText(f"{len(fits)} of {len(mistakes())}" if fits else NONE)
        self.list.setCurrentRow(0)
        self._show()

    def _chosen(self) -> Mistake | None:
        item = self.list.currentItem()
        chosen = item.data(_AT) if item is not None else None
        return chosen if isinstance(chosen, Mistake) else None

    def _show(self) -> None:
        chosen = self._chosen()
        self.page.setHtml(page_html(chosen, self._theme) if chosen is not None else "")
        self.open_button.setEnabled(chosen is not None)

    def _open(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.accept()
            example = Example(Path(), chosen.title, "", "", chosen.broken)
            self._files.apart(lambda files: files.open_lesson(example, "", lambda: None))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up, Down and the page keys move in the list while typing."""
        if watched is self.query and isinstance(event, QKeyEvent) and event.key() in _MOVES:
            QCoreApplication.sendEvent(self.list, event)
            return True
        return super().eventFilter(watched, event)


def page_html(mistake: Mistake, theme: Theme) -> str:
    """The page: the snippet, what you see, why, and the change."""
    head = f"<p style='font-size:{theme.px(15)}px; font-weight:600; margin:14px 0 4px 0'>{{}}</p>".format
    said = " ".join(filter(None, (mistake.explanation, mistake.advice)))
    sees = [
        _code(mistake.prints, theme) if mistake.prints else "",
        _code(mistake.error, theme) if mistake.error else "",
    ]
    right = [head("Once put right, it prints"), _code(mistake.should_print, theme)] if mistake.should_print else []
    kept = f"As it is: {mistake.keeps}\nPut right: {mistake.should_keep}"
    right += [head("What is still there at the end"), _code(kept, theme)] if mistake.keeps else []
    return "".join((
        f"<h2>{look.escape(mistake.title)}</h2>",
        head("The snippet"),
        _code(mistake.broken, theme),
        head("What you see" if any(sees) else "Nothing is printed, and nothing is raised"),
        *sees,
        head("Why"),
        f"<p>{look.escape(said)}</p>",
        head("The change"),
        _change(mistake, theme),
        *right,
    ))  # fmt: skip


def _code(text: str, theme: Theme) -> str:
    return f"<pre style='{_style(theme)}'>{look.escape(text.rstrip())}</pre>"


def _style(theme: Theme) -> str:
    return f"font-family:{look.mono(theme).family()}; font-size:{theme.px(13)}px; white-space:pre-wrap; margin:0"


def _change(mistake: Mistake, theme: Theme) -> str:
    """Both snippets as one, with a sign in front of each line that is removed or added."""
    colours = {"-": theme.error, "+": theme.link, " ": theme.text}
    lines = (
        f"<span style='color:{colours[sign]}'>{look.escape(f'{sign} {line}')}</span>"
        for sign, line in mistake.changed()
    )
    return f"<pre style='{_style(theme)}'>{'<br>'.join(lines)}</pre>"
