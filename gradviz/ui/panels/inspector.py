"""The inspector: everything about the selected tensor or operation, or about what the current step is about. What it
says is made in `gradviz.session.inspection`, the rich text of it in `inspector_page`. Of a drawing what is picked can
be changed above it: `gradviz.ui.editors`."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from gradviz.session.comparison_inspection import inspect_both
from gradviz.session.inspection import Inspection
from gradviz.session.overview import overview
from gradviz.session.state import Selection, State
from gradviz.ui import look
from gradviz.ui.editors.sheet import Sheet
from gradviz.ui.panels.inspector_page import NOT_YET, NOTHING, SIZE, page
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme


class InspectorPanel(Panel):
    """A text browser, so that everything can be selected, copied and reached by keyboard; links lead to other
    things."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.inspection: Inspection | None = None
        self._html = ""
        self.browser = QTextBrowser()
        self.browser.setAccessibleName("Inspector")
        self.browser.setOpenLinks(False)
        self.browser.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.browser.anchorClicked.connect(self._follow)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 4, 8)
        self.sheet = Sheet(context)
        column.addWidget(self.sheet)
        column.addWidget(self.browser, 1)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        editor = self.sheet.current
        return self.browser if editor is None else editor.first

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.browser.setFont(look.sans(theme, 12.5))
        self.sheet.set_theme(theme)
        self._html = ""
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.document is not after.document or before.picked != after.picked:
            self.sheet.show_picked(after.drawing, after.picked)
            self._write()
        same_thing = before.selection == after.selection and before.run is after.run
        same_thing = same_thing and before.what_if is after.what_if and before.picked == after.picked
        if not moved(before, after) and same_thing:
            return
        waits = after.selection is None and bool(self.sheet.kind)  # what is picked is not explained by another step
        self.inspection = None if waits else inspect_both(after) or overview(after)
        self._write()

    def _write(self) -> None:
        html = page(self.inspection, self.theme, self._columns(), self._otherwise)
        if html != self._html:
            self._html = html
            place = self.browser.verticalScrollBar().value()
            self.browser.setHtml(html)
            self.browser.verticalScrollBar().setValue(place)

    @property
    def _otherwise(self) -> str:
        """What is said where nothing is inspected."""
        if self.sheet.kind in ("leaf", "operation"):
            return NOT_YET
        return "" if self.sheet.kind else NOTHING

    def _columns(self) -> int:
        """How many characters of a number or of code fit beside each other."""
        width = QFontMetricsF(look.mono(self.theme, SIZE)).horizontalAdvance("0")
        room = self.browser.width() - self.browser.verticalScrollBar().sizeHint().width()  # it comes with the text
        return int((room - 2 * self.browser.document().documentMargin() - 4) / width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write arrays and long names again, for the room that there is."""
        super().resizeEvent(event)
        self.sheet.refit()
        self._write()

    def _follow(self, url: QUrl) -> None:
        kind, _, index = url.toString().partition(":")
        self.context.shell.store.select(Selection(kind, int(index)))
