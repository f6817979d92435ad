"""The page of one number: where an element of a value or gradient comes from. On the left is the tensor with the
element marked, in the middle the arithmetic, and on the right the tensors it comes from, with their elements lit by how
much each contributes. Clicking a number asks about that one, the arrow keys move along the tensor, and Backspace goes
back. `session.inspect.origins` makes the content on behalf of `ElementRunner`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gradviz.session.moves import inspected_tensor
from gradviz.session.state import MOMENT, Slice, State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradviz.session.inspect.elements import Element, Line, Origin
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.values import Value

HINT = (
    "Click a number in the inspector, or on the card that is selected in the graph, to see where it comes from: "
    "row and column, window, sum, or derivative."
)
MOST_SOURCES = 4  # tensors that are drawn
ROWS, COLUMNS = 5, 6  # of a tensor that are drawn
Place = tuple[int, ...]


@dataclass(frozen=True)
class Sheet:
    """One tensor as a table of numbers: two of its dimensions, and part of these if they are long. `cells` are their
    elements by row, `marked` the one being asked about, `lit` those that it comes from, with how much each
    contributes."""

    name: str
    detail: str
    cells: tuple[tuple[int, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    shape: Place
    marked: int = -1
    lit: Mapping[int, float] | None = None
    is_gradient: bool = False


def sheet(name: str, value: Value, marked: int, lit: Mapping[int, float], is_gradient: bool) -> Sheet:
    """The part of a tensor around the marked element, or around the lit ones."""
    from gradviz.session.inspect.elements import at_index
    from gradviz.trace.table.values import number_text

    shape = value.shape
    wide = (1,) * max(0, 2 - len(shape)) + shape
    focus = [marked] if marked >= 0 else sorted(lit) or [0]
    places = np.stack(np.unravel_index(np.array(focus), wide))
    lead = tuple(int(one) for one in places[:-2, 0])
    here = (np.array(lead, np.int64) == places[:-2].T).all(axis=1)
    rows = _stretch(wide[-2], places[-2][here], ROWS)
    columns = _stretch(wide[-1], places[-1][here], COLUMNS)
    cells = tuple(tuple(int(np.ravel_multi_index((*lead, r, c), wide)) for c in columns) for r in rows)
    texts = tuple(
        tuple("…" if (one := at_index(value, cell)) is None else number_text(one) for cell in line) for line in cells
    )
    detail = ""
    if len(shape) > 2:
        detail = f"[{', '.join([*map(str, lead), ':', ':'])}] of {' × '.join(map(str, shape))}"
    elif len(rows) < wide[-2] or len(columns) < wide[-1]:
        detail = f"of {' × '.join(map(str, shape))}"
    return Sheet(name, detail, cells, texts, rows, columns, shape, marked, lit, is_gradient)


def _stretch(size: int, wanted: np.ndarray, most: int) -> tuple[int, ...]:
    """A range of this length that contains the wanted positions, or as many of them as fit."""
    if size <= most:
        return tuple(range(size))
    middle = (int(wanted.min()) + int(min(wanted.max(), wanted.min() + most - 1))) // 2
    first = min(max(0, middle - most // 2), size - most)
    return tuple(range(first, first + most))


class SheetView(QWidget):
    """Paints a sheet. The marked element has a thick frame; lit ones have a tinted background, a thin frame and bold
    digits."""

    asked = Signal(int)  # an element was clicked, or reached by an arrow key

    def __init__(self, theme: Theme, *, takes_arrows: bool) -> None:
        super().__init__()
        self.sheet: Sheet | None = None
        self.theme = theme
        self._takes_arrows = takes_arrows
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_sheet(self, shown: Sheet, theme: Theme) -> None:
        """Paint this one."""
        self.sheet, self.theme = shown, theme
        self.setAccessibleName(f"Numbers of {shown.name}")
        at = next((self._said(row, column) for row, column in self._marks()), "")
        self.setAccessibleDescription(at)
        self.setFixedSize(self.sizeHint())
        self.update()

    def _marks(self) -> list[tuple[int, int]]:
        found = self.sheet
        if found is None:
            return []
        return [(r, c) for r, line in enumerate(found.cells) for c, cell in enumerate(line) if cell == found.marked]

    def _said(self, row: int, column: int) -> str:
        assert self.sheet is not None
        return f"row {self.sheet.rows[row]}, column {self.sheet.columns[column]}: {self.sheet.texts[row][column]}"

    # sizes

    @property
    def _cell(self) -> tuple[float, float]:
        texts = [text for line in self.sheet.texts for text in line] if self.sheet is not None else []
        metrics = QFontMetricsF(look.mono(self.theme, 12, bold=True))
        wide = max((metrics.horizontalAdvance(text) for text in texts), default=0.0)
        return max(wide + self.theme.px(12), self.theme.px(34)), float(self.theme.px(21))

    @property
    def _origin(self) -> QPointF:
        """Where the first cell is: below the name and the column numbers, right of the row numbers."""
        scale = self.theme.px
        return QPointF(scale(26) if self._has_rows else scale(4), scale(20) + scale(15))

    @property
    def _has_rows(self) -> bool:
        return self.sheet is not None and len(self.sheet.shape) > 1

    def sizeHint(self) -> QSize:
        found = self.sheet
        if found is None:
            return QSize(0, 0)
        wide, high = self._cell
        name = QFontMetricsF(look.sans(self.theme, 12.5, bold=True)).horizontalAdvance(f"{found.name} {found.detail}")
        across = self._origin.x() + wide * len(found.columns) + 4
        return QSize(round(max(across, name + 10)), round(self._origin.y() + high * len(found.rows) + 4))

    @property
    def heart(self) -> QPointF:
        """The centre of the marked element, or of the one that contributes most."""
        found = self.sheet
        if found is None:
            return QPointF()
        lit = found.lit or {}
        wanted = found.marked if found.marked >= 0 else max(lit, key=lambda cell: lit[cell], default=0)
        for row, line in enumerate(found.cells):
            if wanted in line:
                return self._box(row, line.index(wanted)).center()
        return self._box(0, 0).center()

    def _box(self, row: int, column: int) -> QRectF:
        wide, high = self._cell
        return QRectF(self._origin.x() + column * wide, self._origin.y() + row * high, wide, high)

    # painting

    def paintEvent(self, _: QPaintEvent) -> None:
        found = self.sheet
        if found is None:
            return
        theme = self.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_names(painter, found)
            for row, line in enumerate(found.cells):
                for column, cell in enumerate(line):
                    self._paint_cell(painter, self._box(row, column), found, cell, found.texts[row][column])
            for row, column in self._marks():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(theme.focus), 2.5))
                painter.drawRect(self._box(row, column).adjusted(1, 1, -1, -1))
            if self.hasFocus():
                painter.setPen(QPen(QColor(theme.focus), 1, Qt.PenStyle.DotLine))
                painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_names(self, painter: QPainter, found: Sheet) -> None:
        theme, left = self.theme, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.sans(theme, 12.5, bold=True))
        painter.setPen(QColor(theme.gradient if found.is_gradient else theme.text))
        box = painter.boundingRect(QRectF(4, 0, self.width() - 4, theme.px(19)), left, found.name)
        painter.drawText(box, left, found.name)
        painter.setFont(look.sans(theme, 11))
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(box.right() + 6, 0, self.width(), theme.px(19)), left, found.detail)
        wide, high = self._cell
        centre = Qt.AlignmentFlag.AlignCenter
        for column, number in enumerate(found.columns if found.shape else ()):
            above = QRectF(self._origin.x() + column * wide, theme.px(20), wide, theme.px(14))
            painter.drawText(above, centre, str(number))
        for row, number in enumerate(found.rows if self._has_rows else ()):
            beside = QRectF(0, self._origin.y() + row * high, self._origin.x() - 4, high)
            painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number))

    def _paint_cell(self, painter: QPainter, box: QRectF, found: Sheet, cell: int, text: str) -> None:
        theme = self.theme
        weight = None if found.lit is None else found.lit.get(cell)
        strong = weight is not None or cell == found.marked
        inner = box.adjusted(0.5, 0.5, -0.5, -0.5)
        if weight is not None:
            ground = QColor(theme.focus)
            ground.setAlphaF(0.10 + 0.25 * min(1.0, weight))
            painter.fillRect(inner, ground)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.focus if weight is not None else theme.panel_border), 1))
        painter.drawRect(inner)
        painter.setFont(look.mono(theme, 12, bold=strong))
        painter.setPen(QColor(theme.text if strong else theme.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    # asking

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if cell >= 0 and event.button() is Qt.MouseButton.LeftButton:
            self.asked.emit(cell)

    def cell_at(self, at: QPointF) -> int:
        """The element at a point, -1 for none."""
        if self.sheet is None:
            return -1
        for row, line in enumerate(self.sheet.cells):
            for column, cell in enumerate(line):
                if self._box(row, column).contains(at):
                    return cell
        return -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        found, key = self.sheet, event.key()
        moves = {
            Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -(found.shape[-1] if found is not None and found.shape else 1),
            Qt.Key.Key_Down: found.shape[-1] if found is not None and found.shape else 1,
        }  # fmt: skip
        if found is None:
            return
        if self._takes_arrows and key in moves:
            at = found.marked + moves[Qt.Key(key)]
            if 0 <= at < int(np.prod(found.shape)):
                self.asked.emit(at)
        elif not self._takes_arrows and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and found.lit:
            self.asked.emit(max(found.lit, key=lambda cell: (found.lit or {})[cell]))
        else:
            super().keyPressEvent(event)


class ElementsPanel(Panel):
    """The sheet of the tensor, the arithmetic, and the sheets of the tensors it comes from."""

    shows = Slice("origin", "selection", "picked", "document", "what_if", *MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.target = SheetView(context.theme, takes_arrows=True)
        self.target.asked.connect(lambda cell: self._ask_of(self._element, cell))
        self.said = QTextBrowser()
        self.said.setAccessibleName("Where the number comes from")
        self.said.setOpenLinks(False)
        self.said.setFrameShape(QFrame.Shape.NoFrame)
        self.said.anchorClicked.connect(self._follow)
        self.hint = QLabel(HINT)
        self.hint.setWordWrap(True)
        self.button = QPushButton("Where does it come from?")
        self.button.clicked.connect(lambda: context.do("view.element"))
        self.sources: list[SheetView] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(18)
        self._row.addStretch(1)
        self._row.setContentsMargins(0, 0, 0, 0)
        inner = QWidget()
        inner.setLayout(self._row)
        self._area, self._left = _scrolling(inner), _scrolling(self.target)
        self._element: Element | None = None
        self._before: list[Element] = []  # those asked about before, to go back to
        self._lay_out()
        self.set_theme(context.theme)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.hint, 1)
        top.addWidget(self.button)
        self._body = QWidget()
        row = QHBoxLayout(self._body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(14)
        row.addWidget(self._left)
        row.addWidget(self.said, 3)
        row.addWidget(self._area, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 8, 8)
        column.addLayout(top)
        column.addWidget(self._body, 1)
        column.addStretch(0)

    @property
    def focus_target(self) -> QWidget:
        return self.target if self._element is not None else self.button

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.hint.setFont(look.sans(theme, 12.5))
        self.said.setFont(look.sans(theme, 12.5))
        state = self.context.shell.store.state
        self._show(state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        """The tensor gets the room that it needs, up to a third; the window never grows for it."""
        self._left.setFixedWidth(min(self.target.sizeHint().width() + 2, self.width() // 3))

    def show_state(self, before: State, after: State) -> None:
        tensor = inspected_tensor(after) if self.isVisible() or before is after else None
        self.button.setEnabled(tensor is not None)
        if before is after or before.origin is not after.origin or before.cursor != after.cursor:
            self._show(after)

    def _show(self, state: State) -> None:
        found, trace = state.origin, state.trace
        there = found is not None and trace is not None
        was_asking = self.button.hasFocus()
        self._body.setVisible(there)
        self.hint.setVisible(not there)
        self.button.setVisible(not there)
        self._element = found.element if found is not None and there else None
        if found is None or trace is None:
            self._before = []
            self._take_sources(0)
            return
        frame = trace.frame(state.cursor)
        self.said.setHtml(page(found, frame, self.theme))
        lit = found.lit
        own = lit.get((found.element.tensor, found.element.part), {})
        shown = _sheet_of(frame, found.element.tensor, found.element.part, found.element.index, own)
        if shown is not None:
            self.target.show_sheet(shown, self.theme)
            self._share()
            _bring_into_view(self._left, self.target)
        self.target.setVisible(shown is not None)
        if was_asking:  # the button is gone, so the focus continues here
            self.target.setFocus()
        others = [key for key in lit if key != (found.element.tensor, found.element.part)]
        self._show_sources(frame, others[:MOST_SOURCES], lit)

    def _show_sources(
        self, frame: Frame, keys: list[tuple[int, str]], lit: dict[tuple[int, str], dict[int, float]]
    ) -> None:
        sheets = [(key, _sheet_of(frame, *key, -1, lit[key])) for key in keys]
        drawn = [(key, shown) for key, shown in sheets if shown is not None]
        self._take_sources(len(drawn))
        for view, (key, shown) in zip(self.sources, drawn, strict=True):
            view.show_sheet(shown, self.theme)
            view.setProperty("tensor", key[0])
            view.setProperty("part", key[1])
        for view in self.sources[:1]:
            _bring_into_view(self._area, view)

    def _take_sources(self, count: int) -> None:
        """Have this many sheets."""
        while len(self.sources) > count:
            view = self.sources.pop()
            self._row.removeWidget(view)
            view.hide()
            view.deleteLater()
        while len(self.sources) < count:
            view = SheetView(self.theme, takes_arrows=False)
            view.asked.connect(lambda cell, view=view: self._ask_at(view, cell))
            self._row.insertWidget(len(self.sources), view, 0, Qt.AlignmentFlag.AlignTop)
            self.sources.append(view)

    def _ask_at(self, view: SheetView, cell: int) -> None:
        from gradviz.session.inspect.elements import Element

        self._ask_of(Element(int(view.property("tensor")), str(view.property("part")), cell), cell)

    def _ask_of(self, element: Element | None, cell: int) -> None:
        """Ask about another element of the same tensor and part."""
        from gradviz.session.inspect.elements import Element

        if element is None:
            return
        if self._element is not None and (element.tensor, element.part) != (self._element.tensor, self._element.part):
            self._before.append(self._element)
        self.target.setFocus()
        self.context.shell.elements.show(Element(element.tensor, element.part, cell))

    def _follow(self, url: QUrl) -> None:
        from gradviz.session.inspect.elements import Element
        from gradviz.session.state import Selection

        kind, _, what = url.toString().partition(":")
        if kind == "node":
            self.context.shell.store.select(Selection("node", int(what)))
        elif self._element is not None:
            self._before.append(self._element)
            self.context.shell.elements.show(Element(self._element.tensor, what, self._element.index))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace and self._before:
            self.context.shell.elements.show(self._before.pop())
        else:
            super().keyPressEvent(event)


def _scrolling(inner: QWidget) -> QScrollArea:
    """A scroll area for sheets, which may be larger than it."""
    area = QScrollArea()
    area.setWidget(inner)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    for each in (area, area.viewport(), inner):
        each.setAutoFillBackground(False)
    area.setStyleSheet("QScrollArea { background: transparent; }")
    return area


def _bring_into_view(area: QScrollArea, view: SheetView) -> None:
    """Scroll until what a sheet is about is visible."""
    inner = area.widget()
    if inner is None:
        return
    inner.adjustSize()
    at = view.mapTo(inner, view.heart.toPoint())
    area.ensureVisible(at.x(), at.y(), view.theme.px(60), view.theme.px(20))


def _sheet_of(frame: Frame, tensor: int, part: str, marked: int, lit: Mapping[int, float]) -> Sheet | None:
    from gradviz.session.inspect.origins import value_of
    from gradviz.trace.words.formulas import bracketed

    value = value_of(frame, tensor, part)
    if value is None or not value.numel:
        return None
    name = frame.name(tensor)
    return sheet(f"∇{bracketed(name)}" if part == "grad" else name, value, marked, lit, part == "grad")


def page(found: Origin, frame: Frame, theme: Theme) -> str:
    """The text about an element, as rich text."""
    mono = f"font-family:{', '.join(look.MONO)}; font-size:{theme.px(12.5)}px"
    colour = theme.gradient if found.element.part == "grad" else theme.text
    title = f"<p style='font-size:{theme.px(15)}px; font-weight:600; color:{colour}; margin:0 0 4px 0'>"
    text = f"{title}{look.escape(found.title)}</p>"
    for line in found.lines:
        text += _line(line, theme, mono)
    if found.sentence:
        text += f"<p style='color:{theme.muted}; margin:2px 0 4px 0'>{look.escape(found.sentence)}</p>"
    return text + _other_part(found, frame, theme)


def _line(line: Line, theme: Theme, mono: str) -> str:
    from gradviz.trace.words.elements import number

    said = look.escape(line.said)
    if line.node >= 0:
        said = f"<a href='node:{line.node}' style='color:{theme.link}; text-decoration:none'>{said}</a>"
    result = "" if line.result is None or not line.text else number(line.result)
    equals = f" <b>= {look.escape(result)}</b>" if result and result != line.text else ""
    arithmetic = f"<p style='{mono}; margin:0 0 7px 0'>{look.escape(line.text)}{equals}</p>" if line.text else ""
    return f"<p style='margin:0'>{said}</p>{arithmetic}"


def _other_part(found: Origin, frame: Frame, theme: Theme) -> str:
    """A link to the gradient of the same element, or to its value."""
    from gradviz.session.inspect.elements import Element
    from gradviz.session.inspect.origins import element_of

    element = found.element
    other = "value" if element.part == "grad" else "grad"
    if element_of(frame, Element(element.tensor, other, element.index)) is None:
        return ""
    word = "its value" if other == "value" else "its gradient"
    return f"<p style='margin:4px 0 0 0'><a href='part:{other}' style='color:{theme.link}'>And {word}?</a></p>"
