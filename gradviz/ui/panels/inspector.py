"""The inspector: everything about the selected tensor or operation, or about the subject of the current step.
`gradviz.session.inspect.inspection` makes the content; `page` turns it into rich text: rows of labels and texts, arrays
as tables, links on separate lines if there are several. In a drawing, what is picked can be edited above it:
`gradviz.ui.editors`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QFontMetricsF, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QTextBrowser, QVBoxLayout, QWidget

from gradviz.commands.search import WHY
from gradviz.session import moves
from gradviz.session.inspect.inspection import Inspection, Link, Row, Section
from gradviz.session.inspect.run_inspection import asking, inspect_both, overview
from gradviz.session.state import MOMENT, Selection, Slice, State
from gradviz.ui import look
from gradviz.ui.editors.sheet import Sheet
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.engine.kernel.expressions import Math
    from gradviz.session.inspect.why import Why
    from gradviz.ui.formula import Formulas
    from gradviz.ui.panels.ledger_bars import LedgerBars


Typeset = Callable[["Math | None", str], str]  # a formula and its text on one line, as rich text


def in_plain(_: Math | None, text: str) -> str:
    """A formula on one line."""
    return look.escape(text)


class FormulaBrowser(QTextBrowser):
    """A text browser that draws formulas and copies them as the equivalent line of text. The code that draws them is
    loaded for the first one."""

    def __init__(self) -> None:
        super().__init__()
        self._formulas: Formulas | None = None
        self._words: dict[str, str] = {}  # each formula as a line of text
        self._subject = ""

    def begin(self, size: float, room: float, colour: str) -> Typeset:
        """Typesets the formulas of the next text for this width in pixels."""
        self._words.clear()

        def typeset(written: Math | None, text: str) -> str:
            if written is None:
                return look.escape(text)
            if self._formulas is None:
                from gradviz.ui.formula import Formulas

                self._formulas = Formulas(self, self._words)
            return self._formulas.html(written, text, size, room, colour)

        return typeset

    def show_html(self, html: str, subject: str = "") -> None:
        """Show a text, keeping the scroll position if it is about the same thing; screen readers get the formulas in
        words."""
        place = self.verticalScrollBar().value() if subject == self._subject else 0
        self._subject = subject
        self.setHtml(html)
        self.verticalScrollBar().setValue(place)
        self.setAccessibleDescription("; ".join(self._words.values()))

    def showEvent(self, event: QShowEvent) -> None:
        """Qt brings the text cursor into view when first shown, and with little room scrolls the title away."""
        place = self.verticalScrollBar().value()
        super().showEvent(event)
        self.verticalScrollBar().setValue(place)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy formulas in words."""
        cursor = self.textCursor()
        if self._formulas is None or OBJECT not in cursor.selectedText():
            return super().createMimeDataFromSelection()
        return self._formulas.copied(cursor)


OBJECT = "\ufffc"  # what stands for a picture in a text


class InspectorPanel(Panel):
    """A text browser, so that everything can be selected, copied and reached by keyboard; links lead to other
    things."""

    shows = Slice(
        "document", "picked", "selection", "run", "what_if", "playing", "check", "doctor", "predict", "view", *MOMENT
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.inspection: Inspection | None = None
        self._html = ""
        self.browser = FormulaBrowser()
        self.browser.setAccessibleName("Inspector")
        self.browser.setOpenLinks(False)
        self.browser.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.browser.anchorClicked.connect(self._follow)
        self.browser.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.browser.customContextMenuRequested.connect(self._show_menu)
        self._fit = QTimer(self, singleShot=True, interval=0)  # arranging the window changes the size more than once
        self._fit.timeout.connect(self._write)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 4, 8)
        self.sheet = Sheet(context)
        column.addWidget(self.sheet)
        column.addWidget(self.browser, 1)
        self._bars: LedgerBars | None = None  # created for the first ledger
        self._why: Why | None = None  # created for the first selection
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        editor = self.sheet.current
        return self.browser if editor is None else editor.first

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.browser.setFont(look.sans(theme, 12.5))
        self.sheet.set_theme(theme)
        if self._bars is not None:
            self._bars.set_theme(theme)
        self._html = ""
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        if before is after or before.document is not after.document or before.picked != after.picked:
            self.sheet.show_picked(after.drawing, after.picked)
            self._write()
        same_thing = before.selection == after.selection and before.run is after.run
        same_thing = same_thing and before.what_if is after.what_if and before.picked == after.picked
        same_thing = same_thing and before.check is after.check and before.predict.asked is after.predict.asked
        if not moved(before, after) and same_thing:
            return
        waits = after.selection is None and bool(self.sheet.kind)  # a step must not explain something else
        asked = after.predict.asked
        if asked is not None:
            self.inspection = asking(after, asked)
        else:
            self.inspection = None if waits else inspect_both(after) or overview(after)
        self._add_why(after)
        self._write()

    def _add_why(self, state: State) -> None:
        """Add the answer to why the selection is as it is."""
        if self.inspection is None or state.selection is None or state.predict.asked is not None:
            return
        if self._why is None:
            from gradviz.session.inspect.why import Why

            self._why = Why()
        self.inspection = self._why.added_to(self.inspection, state)

    def _write(self) -> None:
        theme = self.theme
        typeset = self.browser.begin(theme.px(FORMULA), self._room - 2 * FORMULA, theme.text)
        html = page(self.inspection, theme, self._columns(), self._otherwise, typeset)
        if html != self._html:
            self._html = html
            self.browser.show_html(html, self.inspection.title if self.inspection is not None else "")
        self._show_bars()

    def _show_bars(self) -> None:
        """Show the ledger of a `.grad` as bars, below."""
        bars = self.inspection.bars if self.inspection is not None else ()
        if bars and self._bars is None:
            from gradviz.ui.panels.ledger_bars import LedgerBars

            self._bars = LedgerBars(self.theme)
            self._bars.step_wanted.connect(self._go_to)
            layout = self.layout()
            assert layout is not None
            layout.addWidget(self._bars)
        if self._bars is not None:
            self._bars.show_bars(bars, self.inspection.title if self.inspection is not None else "")
            self._bars.fit(self.height(), self.theme)

    def _go_to(self, step: int) -> None:
        self.context.shell.store.play(False)
        self.context.shell.store.move(step)

    @property
    def _otherwise(self) -> str:
        """The text if nothing is inspected."""
        if self.sheet.kind in ("leaf", "operation"):
            return NOT_YET
        return "" if self.sheet.kind else NOTHING

    def _columns(self) -> int:
        """How many characters of numbers or code fit on a line."""
        return int(self._room / QFontMetricsF(look.mono(self.theme, SIZE)).horizontalAdvance("0"))

    @property
    def _room(self) -> float:
        """The width of a line in pixels."""
        room = self.browser.width() - self.browser.verticalScrollBar().sizeHint().width()  # comes with the text
        return room - 2 * self.browser.document().documentMargin() - 4

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Reformat arrays and long names for the available width."""
        super().resizeEvent(event)
        self.sheet.refit()
        self._fit.start()

    def _follow(self, url: QUrl) -> None:
        kind, _, index = url.toString().partition(":")
        if kind == "check":
            self.context.do("view.check")
            return
        if kind == "element":
            self._ask(*index.split(":"))
            return
        if kind in ("step", "why") and self._why is not None:
            self._follow_why(kind, int(index))
            return
        self.context.shell.store.select(Selection(kind, int(index)))

    def _follow_why(self, kind: str, index: int) -> None:
        """Go to a step that led there, or answer a question."""
        state = self.context.shell.store.state
        if kind == "step" and self._why is not None:
            self._why.keep(state, index)
            self._go_to(index)
        elif self._why is not None:
            self._why.ask(index)
            self._answer(state)

    def _answer(self, state: State) -> None:
        """Show the answer, from the top."""
        self.inspection = inspect_both(state)
        self._add_why(state)
        self._write()
        self.browser.verticalScrollBar().setValue(0)

    def menu_at(self, at: QPoint) -> QMenu:
        """The context menu: copy, and why the thing of a link, or the inspected thing, is as it is."""
        kind, _, index = self.browser.anchorAt(at).partition(":")
        kind = "tensor" if kind == "element" else kind
        thing = Selection(kind, int(index.split(":")[0])) if kind in ("tensor", "node") else None
        menu = self.browser.createStandardContextMenu(at)
        for action in [each for each in menu.actions() if each.objectName() == "link-copy"]:
            menu.removeAction(action)  # the links lead nowhere outside
        why = QAction(WHY, menu)
        why.setEnabled((thing or moves.inspected(self.context.shell.store.state)) is not None)
        why.triggered.connect(partial(self._ask_why, thing))
        menu.insertAction(menu.actions()[0], why)
        menu.insertSeparator(menu.actions()[1])
        return menu

    def _show_menu(self, at: QPoint) -> None:
        menu = self.menu_at(at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.browser.viewport().mapToGlobal(at))

    def _ask_why(self, thing: Selection | None) -> None:
        if thing is not None:
            self.context.shell.store.select(thing)
        self.context.do("view.why")
        if self._why is not None:
            self._why.ask_all()
            self._answer(self.context.shell.store.state)

    def _ask(self, tensor: str, part: str, index: str) -> None:
        """Ask where a number comes from."""
        from gradviz.session.inspect.elements import Element

        self.context.shell.elements.show(Element(int(tensor), part, int(index)))
        self.context.shell.focus("elements")


NOT_YET = "Its value and its gradient appear here once it has run."
NOTHING = "Select a tensor or an operation on the graph to see its shape, value, gradient and saved buffers here."
SIZE, SMALLER, FORMULA = 12.5, 11, 14  # of numbers and code, of arrays on lines of their own, of formulas
LABEL, LABEL_WIDTH = 11, 72  # width of the column of labels, in characters and in pixels
ARRAYS = ("value", ".grad", "∇ passing")  # labels of texts that may be arrays
PROSE = 1.12  # characters of the text font in the room of one of the code font
MOST_ROWS = 8  # of an array
ARRAY = re.compile(r"(\[[^…]*\])(.*)", re.DOTALL)


def page(
    inspection: Inspection | None, theme: Theme, columns: int, nothing: str = NOTHING, typeset: Typeset = in_plain
) -> str:
    """The rich text of an inspection for a panel this many characters wide. `nothing` is shown if there is none;
    formulas are `typeset`."""
    if inspection is None:
        return f"<p style='color:{theme.muted}'>{nothing}</p>"
    style = f"font-size:{theme.px(16)}px; font-weight:600; margin:4px 2px 8px 2px"
    head = f"<p style='{style}'>{look.escape(inspection.title)}</p><p style='font-size:4px; margin:0'>&nbsp;</p>"
    return head + "".join(_section(section, theme, columns, typeset) for section in inspection.sections)


def _section(section: Section, theme: Theme, columns: int, typeset: Typeset) -> str:
    title = (
        f"<p style='font-weight:600; margin:16px 2px 6px 2px'>{look.escape(section.title)}</p>" if section.title else ""
    )
    if section.form == "formula":
        return title + _formulas(section.rows, theme, typeset)
    return title + (_boxes if section.form == "boxes" else _rows)(section.rows, theme, columns)


def _mono(theme: Theme) -> str:
    return f"font-family:{', '.join(look.MONO)}; font-size:{theme.px(SIZE)}px"


# rows


def _rows(rows: tuple[Row, ...], theme: Theme, columns: int) -> str:
    return "".join(_row(row, theme, columns) for row in rows)


def _row(row: Row, theme: Theme, columns: int) -> str:
    """The label on the left, or above if the text needs the whole width."""
    cell = f"{_mono(theme)}; color:{_tone(row, theme)}"
    room = columns - LABEL
    address = "" if row.numbers is None else f"element:{row.numbers[0]}:{row.numbers[1]}:"
    style = f"style='color:{_tone(row, theme)}; text-decoration:none'"
    across = int(columns * theme.px(SIZE) / theme.px(SMALLER))
    array = array_table(row.text, across, address, style) if row.label in ARRAYS else ""
    fits = len(row.text) <= room or (not array and max(map(len, row.text.split()), default=0) <= room)
    said = _numbers(row.text, address, style) if address else _listed(row.parts, theme)
    if array and not fits:
        said = f"<span style='font-size:{theme.px(SMALLER)}px'>{array}</span>"
    label = f"style='color:{theme.muted}; padding:3px 6px 3px 2px; white-space:nowrap'>{look.escape(row.label)}"
    table = "<table cellspacing='0'>"
    if fits or not row.label:
        width = theme.px(LABEL_WIDTH)
        return (
            f"{table}<tr><td width='{width}' {label}</td><td style='{cell}; padding:3px 0px'>{said}</td></tr></table>"
        )
    return f"{table}<tr><td {label}</td></tr><tr><td style='{cell}; padding:0px 0px 3px 2px'>{said}</td></tr></table>"


NUMBERS = re.compile(r"(\[[^…]*\]|[^\s(]+)(.*)", re.DOTALL)


def _numbers(text: str, address: str, style: str) -> str:
    """A text whose elements are links, numbered in reading order."""
    found = NUMBERS.fullmatch(text)
    if found is None or text == "None":
        return look.escape(text)
    counted = itertools.count()
    linked = re.sub(r"[^\[\], ]+", lambda one: _number(one[0], next(counted), address, style), found[1])
    return linked + look.escape(found[2])


def _number(text: str, index: int, address: str, style: str) -> str:
    return f"<a href='{address}{index}' {style}>{look.escape(text)}</a>" if address else look.escape(text)


def array_table(text: str, columns: int, address: str = "", style: str = "") -> str:
    """A matrix row by row, or a vector in rows as long as there is room; "" for anything else. With an `address`, each
    number links to it and to its position in reading order."""
    found = ARRAY.fullmatch(text)
    if found is None or text.startswith("[[[") or "," not in text:
        return ""
    inner, after = found[1], found[2].strip()
    is_matrix = inner.startswith("[[")
    counted = itertools.count()
    rows = [[(each, next(counted)) for each in line.split(", ")] for line in inner.strip("[]").split("], [")]
    width = max(len(each) for line in rows for each, _ in line) + 1
    fitting = max(1, (columns - 2) // width)
    if is_matrix:
        fewer = max(1, (columns - 4) // width)
        rows = [line if len(line) <= fitting else [*line[:fewer], ("…", -1)] for line in rows]
    else:
        rows = [rows[0][start : start + fitting] for start in range(0, len(rows[0]), fitting)]
    if len(rows) > MOST_ROWS:
        rows = [*rows[: MOST_ROWS - 2], [("⋮", -1)], rows[-1]]
    lines = ["&nbsp;".join(_cell(*each, width - 1, address, style) for each in line) for line in rows]
    if is_matrix:
        lines = [f"[{line}]" if "⋮" not in line else f"&nbsp;{line}" for line in lines]
    else:
        lines = [f"&nbsp;{line}" for line in lines]
        lines[0] = "[" + lines[0].removeprefix("&nbsp;")
        lines[-1] += "]"
    drawn = "<br>".join(lines)
    return f"{drawn}<br>{look.escape(after)}" if after else drawn


def _cell(text: str, index: int, width: int, address: str, style: str) -> str:
    """A number padded to the width of the others."""
    padding = "" if text == "…" else "&nbsp;" * (width - len(text))
    return padding + (_number(text, index, address, style) if index >= 0 else text)


def _listed(parts: tuple[Link, ...], theme: Theme) -> str:
    """Long links are on lines of their own; repeated words are only numbered."""
    links = [part for part in parts if part.text != ", "]
    is_list = len(parts) == 2 * len(links) - 1 and len(links) > 1
    if not is_list or max(len(part.text) for part in links) < LABEL:
        return "".join(_link(part.text, part, theme) for part in parts)
    lines: list[str] = []
    seen: dict[str, tuple[int, int]] = {}  # the line of these words, and how often they occurred
    for link in links:
        place, count = seen.get(link.text, (len(lines), 0))
        seen[link.text] = place, count + 1
        if count and link.target is not None:
            lines[place] += " &nbsp;" + _link(f"{count + 1}", link, theme)
        else:
            lines.append(_link(link.text, link, theme))
    return "<br>".join(lines)


# boxes and formulas


def _boxes(rows: tuple[Row, ...], theme: Theme, columns: int) -> str:
    """One shaded line per row: the text on the left, the label on the right, or below if there is no room."""
    return "".join(_box(row, theme, columns) for row in rows)


def _box(row: Row, theme: Theme, columns: int) -> str:
    shade = theme.gradient_fill if row.tone == "gradient" else theme.header
    struck = "text-decoration:line-through;" if row.tone == "freed" else ""
    said = "".join(_link(part.text, part, theme) for part in row.parts)
    number = f"{_mono(theme)}; {struck} font-weight:600; color:{_tone(row, theme)}"
    label, table = look.escape(row.label), "<table width='100%' cellspacing='3'>"
    if len(row.text) / PROSE + len(row.label) <= columns - 6:
        cells = f"<td bgcolor='{shade}' style='padding:6px 8px'>{said}</td>"
        cells += f"<td bgcolor='{shade}' align='right' style='{number}; padding:6px 8px'>{label}</td>"
        return f"{table}<tr>{cells}</tr></table>"
    lower = f"<p align='right' style='{number}; margin:0'>{label}</p>"
    cell = f"<td bgcolor='{shade}' style='padding:6px 8px'><p style='margin:0'>{said}</p>{lower}</td>"
    return f"{table}<tr>{cell}</tr></table>"


def _formulas(rows: tuple[Row, ...], theme: Theme, typeset: Typeset) -> str:
    cell = f"bgcolor='{theme.header}' align='center' style='{_mono(theme)}; padding:9px 8px'"
    cells = "".join(f"<tr><td {cell}>{typeset(row.written, row.text)}</td></tr>" for row in rows)
    return f"<table width='100%' cellspacing='3'>{cells}</table>"


def _tone(row: Row, theme: Theme) -> str:
    tones = {
        "gradient": theme.gradient,
        "muted": theme.muted,
        "pending": theme.faint,
        "freed": theme.freed,
        "stale": theme.stale,
    }
    return tones.get(row.tone, theme.text)


def _link(text: str, link: Link, theme: Theme) -> str:
    if link.target is None:
        return look.escape(text)
    address = f"{link.target.kind}:{link.target.index}"
    return f"<a href='{address}' style='color:{theme.link}; text-decoration:none'>{look.escape(text)}</a>"
