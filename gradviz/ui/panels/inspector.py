"""The inspector: everything about the selected tensor or operation, or about what the current step is about. What it
says is made in `gradviz.session.inspection`; this module makes rich text of it."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from gradviz.session.both_sides import inspect_both
from gradviz.session.inspection import Inspection, Link, Row, Section
from gradviz.session.overview import overview
from gradviz.session.state import Selection, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme

NOTHING = "Select a tensor or an operation on the graph to see its shape, value, gradient and saved buffers here."


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
        column.addWidget(self.browser)
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.browser

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.browser.setFont(look.sans(theme, 12.5))
        self._html = ""
        state = self.context.shell.store.state
        self.show_state(state, state)

    def show_state(self, before: State, after: State) -> None:
        same_thing = before.selection == after.selection and before.run is after.run
        same_thing = same_thing and before.what_if is after.what_if
        if not moved(before, after) and same_thing:
            return
        self.inspection = inspect_both(after) or overview(after)
        html = page(self.inspection, self.theme)
        if html != self._html:
            self._html = html
            place = self.browser.verticalScrollBar().value()
            self.browser.setHtml(html)
            self.browser.verticalScrollBar().setValue(place)

    def _follow(self, url: QUrl) -> None:
        kind, _, index = url.toString().partition(":")
        self.context.shell.store.select(Selection(kind, int(index)))


def page(inspection: Inspection | None, theme: Theme) -> str:
    """The rich text of an inspection."""
    if inspection is None:
        return f"<p style='color:{theme.muted}'>{NOTHING}</p>"
    style = f"font-size:{theme.px(16)}px; font-weight:600; margin:4px 2px 8px 2px"
    head = f"<p style='{style}'>{look.escape(inspection.title)}</p><p style='font-size:4px; margin:0'>&nbsp;</p>"
    return head + "".join(_section(section, theme) for section in inspection.sections)


def _section(section: Section, theme: Theme) -> str:
    title = (
        f"<p style='font-weight:600; margin:16px 2px 6px 2px'>{look.escape(section.title)}</p>" if section.title else ""
    )
    draw = {"rows": _rows, "boxes": _boxes, "formula": _formulas}[section.form]
    return title + draw(section.rows, theme)


def _mono(theme: Theme) -> str:
    return f"font-family:{', '.join(look.MONO)}; font-size:{theme.px(12.5)}px"


def _rows(rows: tuple[Row, ...], theme: Theme) -> str:
    label = f"color:{theme.muted}; padding:3px 14px 3px 2px; white-space:nowrap"
    cells = "".join(
        f"<tr><td style='{label}'>{look.escape(row.label)}</td>"
        f"<td style='{_mono(theme)}; padding:3px 0px; color:{_tone(row, theme)}'>{_links(row.parts, theme)}</td></tr>"
        for row in rows
    )
    return f"<table cellspacing='0'>{cells}</table>"


def _boxes(rows: tuple[Row, ...], theme: Theme) -> str:
    """One shaded line per row: what it is at the left, the label at the right."""
    lines = []
    for row in rows:
        shade = theme.gradient_fill if row.tone == "gradient" else theme.header
        struck = "text-decoration:line-through;" if row.tone == "freed" else ""
        lines.append(
            f"<tr><td bgcolor='{shade}' style='padding:6px 8px'>{_links(row.parts, theme)}</td>"
            f"<td bgcolor='{shade}' align='right' style='{_mono(theme)}; {struck} padding:6px 8px; font-weight:600;"
            f" color:{_tone(row, theme)}'>{look.escape(row.label)}</td></tr>"
        )
    return f"<table width='100%' cellspacing='3'>{''.join(lines)}</table>"


def _formulas(rows: tuple[Row, ...], theme: Theme) -> str:
    cell = f"bgcolor='{theme.header}' align='center' style='{_mono(theme)}; padding:9px 8px'"
    cells = "".join(f"<tr><td {cell}>{look.escape(row.text)}</td></tr>" for row in rows)
    return f"<table width='100%' cellspacing='3'>{cells}</table>"


def _tone(row: Row, theme: Theme) -> str:
    tones = {
        "gradient": theme.gradient,
        "muted": theme.muted,
        "pending": theme.faint,
        "freed": theme.muted,
        "stale": theme.stale,
    }
    return tones.get(row.tone, theme.text)


def _links(parts: tuple[Link, ...], theme: Theme) -> str:
    return "".join(_link(part, theme) for part in parts)


def _link(link: Link, theme: Theme) -> str:
    text = look.escape(link.text)
    if link.target is None:
        return text
    address = f"{link.target.kind}:{link.target.index}"
    return f"<a href='{address}' style='color:{theme.link}; text-decoration:none'>{text}</a>"
