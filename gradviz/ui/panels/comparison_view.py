"""The middle of the window during a what-if comparison: one sentence that says what differs, and two canvases below it,
each with the name of its run and its present step. `ComparisonCanvases` keeps the canvas of the front run and that of
the other one in step: cursors, selections, and marks over what differs, each a ring with a badge that says how.
`gradviz.session.comparison.compare` finds the differences, and `graph` creates this when a change first runs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gradviz.session.comparison.compare import ALONE, Marks
from gradviz.session.folding import Presentation
from gradviz.session.state import Selection, State
from gradviz.session.what_if import WhatIf, can_take
from gradviz.ui import look
from gradviz.ui.canvas import TraceView
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.diagram import OPERATION, REFERENCE, TENSOR
from gradviz.ui.canvas.sizes import RADIUS, Ruler, operation_text, symbol_width
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas import CanvasView
    from gradviz.ui.canvas.scene import Scene

BUTTONS = (  # label, command, what it does
    ("Swap", "run.swap_runs", "Make the inspector, the timeline and the output follow the other run."),
    ("Take it", "run.take_change", "Apply the change to the snippet. You can undo it."),
    ("Close", "run.close_what_if", "Close the comparison and keep the run of the snippet as written."),
)


class Elided(QLabel):
    """A line of text that is elided if it does not fit; the tooltip has all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def whole(self) -> str:
        """The text."""
        return self._whole

    def say(self, text: str) -> None:
        """Show this text."""
        self._whole = text
        self.setToolTip(look.tip(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs another width."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        text = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, max(10, self.width()))
        if text != self.text():
            self.setText(text)


class Side(QFrame):
    """One of the two: its header, and its canvas or a sentence that says why there is none."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("side")
        self.title, self.step = Elided(), Elided()
        self.step.setObjectName("muted")
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setContentsMargins(16, 8, 16, 8)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.message)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(10, 4, 8, 4)
        head.setSpacing(0)
        head.addWidget(self.title)
        head.addWidget(self.step)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.title.setFont(look.sans(theme, 13, bold=True))
        self.step.setFont(look.sans(theme, 12))
        self.message.setFont(look.sans(theme, 13))

    def put(self, canvas: CanvasView) -> None:
        """Show this canvas here."""
        if self.stack.indexOf(canvas) < 0:
            self.stack.addWidget(canvas)
        self.stack.setCurrentWidget(canvas)

    def say(self, sentence: str) -> None:
        """Show a sentence where the graph would be."""
        self.message.setText(sentence)
        self.stack.setCurrentWidget(self.message)


class ComparisonView(QWidget):
    """The sentence, the buttons and the two sides: the front run, then the other."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setAccessibleName("What-if")
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.buttons = {command: self._button(*row) for row in BUTTONS for command in (row[1],)}
        self.sides = (Side(context.theme), Side(context.theme))
        self.splitter = QSplitter()
        self.splitter.setHandleWidth(5)
        self.splitter.setChildrenCollapsible(False)
        for side in self.sides:
            self.splitter.addWidget(side)
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 8, 4)
        row.setSpacing(6)
        row.addWidget(self.sentence, 1)
        for button in self.buttons.values():
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.splitter, 1)
        self.set_theme(context.theme)

    def _button(self, label: str, command: str, tip: str) -> QPushButton:
        button = QPushButton(label)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self._context.do(command))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.sentence.setFont(look.sans(theme, 13))
        for side in self.sides:
            side.set_theme(theme)

    def show_state(self, state: State) -> None:
        """Show what differs and where both runs are."""
        beside = state.what_if
        if beside is None:
            return
        self.sentence.setText(beside.summary)
        self.buttons["run.swap_runs"].setEnabled(beside.comparison is not None)
        self.buttons["run.take_change"].setEnabled(can_take(state) and not state.is_busy)
        here, there = self.sides
        here.title.say(_first_up(beside.titles[0]))
        there.title.say(_first_up(beside.titles[1]))
        here.step.say(_place(state.trace, state.cursor, state.steps))
        there.step.say(_place(beside.trace, beside.cursor, beside.steps))

    def arrange(self, here: CanvasView, there: CanvasView | None, sentence: str) -> None:
        """Put the two canvases in place; without the second one, show a sentence."""
        self.sides[0].put(here)
        if there is None:
            self.sides[1].say(sentence)
        else:
            self.sides[1].put(there)
        QWidget.setTabOrder(self.buttons["run.close_what_if"], here)
        if there is not None:
            QWidget.setTabOrder(here, there)

    def turn(self, width: float, height: float) -> None:
        """Side by side or one above the other, whichever shows a graph of this size larger."""
        area = self.splitter.size()
        if min(width, height, area.width(), area.height()) <= 0:
            return
        across = min(area.width() / 2 / width, area.height() / height)
        down = min(area.width() / width, area.height() / 2 / height)
        wanted = Qt.Orientation.Horizontal if across >= down else Qt.Orientation.Vertical
        if wanted is not self.splitter.orientation():
            self.splitter.setOrientation(wanted)
        whole = area.width() if wanted is Qt.Orientation.Horizontal else area.height()
        self.splitter.setSizes([whole // 2, whole - whole // 2])


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _place(trace: Trace | None, cursor: int, steps: int) -> str:
    if trace is None:
        return ""
    from gradviz.trace.words.explain import step_title

    title = step_title(trace.frame_at(cursor))
    return f"Step {cursor:,} of {steps:,}" + (f" · {title}" if title else "")


# -- marks over items that differ

GAP = 4.0  # pixels between an item and its ring
BADGE = 15.0
SMALLEST = 9.0  # minimum size in pixels of an item with a badge
MOST = 600  # items with a badge; if there are more, only rings are painted
DIFFERS, ONLY_HERE = "Δ", "+"


@cache
def _ruler() -> Ruler:
    return Ruler()


class DifferenceMarks:
    """The marks on one canvas; call it to paint."""

    def __init__(self, marks: Marks, theme: Theme) -> None:
        self._marks = marks
        self._theme = theme

    def flags(self, scene: Scene) -> NDArray[np.uint8]:
        """In what each item differs, as a combination of the flags of `compare`."""
        diagram = scene.placed.diagram
        found = np.zeros(len(diagram), np.uint8)
        cards = np.flatnonzero((diagram.kind == TENSOR) | (diagram.kind == REFERENCE))
        found[cards] = self._marks.tensors[diagram.index[cards]]
        nodes = np.flatnonzero(self._marks.nodes)
        items = diagram.item_of_node[nodes]
        here = items >= 0
        np.bitwise_or.at(found, items[here], self._marks.nodes[nodes[here]])  # for a closed group, everything inside it
        groups = (diagram.kind != TENSOR) & (diagram.kind != REFERENCE) & (diagram.kind != OPERATION)
        found[groups & (found > 0)] &= ~np.uint8(ALONE)
        return found

    def __call__(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the visible marks."""
        if len(self._marks.tensors) != len(scene.trace.tensors):
            return  # the drawing of another trace is still on screen
        flags = self.flags(scene)
        items = np.flatnonzero((flags > 0) & scene.moment.items)
        area = painter.clipBoundingRect()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        few = len(items) <= MOST
        for item in items.tolist():
            box = QRectF(scene.screen_box(item, camera, 0))
            if box.adjusted(-BADGE, -BADGE, BADGE, BADGE).intersects(area):
                is_round = bool(scene.placed.diagram.kind[item] == OPERATION)
                if is_round:
                    box = self._circle(scene, item, box, camera.scale)
                self._paint(painter, box, bool(flags[item] & ALONE), badge=few, is_round=is_round)
        painter.restore()

    @staticmethod
    def _circle(scene: Scene, item: int, box: QRectF, scale: float) -> QRectF:
        """The circle (or rounded box) of an operation, without its name and tabs."""
        symbol = operation_text(scene.trace, int(scene.placed.diagram.index[item]))[0]
        width, height = symbol_width(_ruler(), symbol) * scale, 2 * RADIUS * scale
        return QRectF(box.center().x() - width / 2, box.center().y() - height / 2, width, height)

    def _paint(self, painter: QPainter, box: QRectF, alone: bool, *, badge: bool, is_round: bool) -> None:
        theme = self._theme
        colour = QColor(theme.inplace)
        style = Qt.PenStyle.DashLine if alone else Qt.PenStyle.SolidLine
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2.0, style))
        ring = box.adjusted(-GAP, -GAP, GAP, GAP)
        corner = ring.height() / 2 if is_round else 7.0
        painter.drawRoundedRect(ring, corner, corner)
        if not badge or min(box.width(), box.height()) < SMALLEST:
            return
        size = BADGE * theme.scale
        spot = QRectF(ring.right() - size * 0.7, ring.top() - size * 0.45, size, size)
        painter.setPen(QPen(QColor(theme.canvas), 1.5))
        painter.setBrush(colour)
        painter.drawEllipse(spot)
        painter.setPen(QColor(theme.panel))
        painter.setFont(look.sans(theme, 10.5, bold=True))
        painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, ONLY_HERE if alone else DIFFERS)


class ComparisonCanvases(QObject):
    """Shows a `WhatIf` beside the canvas of the front run."""

    def __init__(self, context: Context, front: TraceView, theme: Theme) -> None:
        super().__init__()
        self._context = context
        self._theme = theme
        self.front = front
        self.other = TraceView(theme)
        self.other.setAccessibleName("Graph of the other run")
        self.view = ComparisonView(context)
        self.view.set_theme(theme)
        self.view.sides[1].stack.addWidget(self.other)
        self.is_settled = True
        self._fresh = False  # both are to be shown as if just opened
        self._turn_soon = QTimer(self)
        self._turn_soon.setSingleShot(True)
        self._turn_soon.setInterval(0)
        self._turn_soon.timeout.connect(self._turn)
        self.other.laid_out.connect(self._laid_out)
        self.other.graph_layout.laying.connect(self._tell)
        self.other.graph_layout.presented.connect(context.shell.store.present)
        self.other.selection.chosen.connect(self._select)
        self.other.selection.cleared.connect(self._select_nothing)
        self.other.collapse.refolded.connect(context.shell.store.fold)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self.other.set_theme(theme)
        self.view.set_theme(theme)
        state = self._context.shell.store.state
        if state.what_if is not None:
            self._mark(state, state.what_if)

    def show_state(self, before: State, after: State) -> None:
        """Show both runs, if there is a second one."""
        beside, former = after.what_if, before.what_if
        if beside is None:
            return
        self.view.show_state(after)
        self.other.animated = after.view.animated
        self.other.collapse.present(Presentation(after.folding, after.view.vertical, after.view.direct_uses))
        new = former is None or former.trace is not beside.trace or former.run.phase is not beside.run.phase
        if new or before is after:
            self._show_trace(beside)
        if beside.trace is not None:
            self.other.set_cursor(beside.cursor)
            self.other.surface.motion.set_playing(after.playing)
            self._show_selection(former, beside)
        if new or before.cursor != after.cursor or former is None or former.cursor != beside.cursor:
            self._mark(after, beside)

    def _show_trace(self, beside: WhatIf) -> None:
        self.is_settled = beside.trace is None
        self.other.set_trace(beside.trace, beside.cursor)
        without = beside.run.sentence or beside.summary
        self.view.arrange(self.front, self.other if beside.trace is not None else None, without)
        self._fresh = True
        self._turn_soon.start()

    def _show_selection(self, former: WhatIf | None, beside: WhatIf) -> None:
        if former is not None and former.selection == beside.selection and former.trace is beside.trace:
            return
        if beside.selection is None:
            self.other.selection.clear()
        else:
            self.other.selection.select(beside.selection.kind, beside.selection.index)

    def _mark(self, state: State, beside: WhatIf) -> None:
        """Mark the differences at the present cursors."""
        if beside.comparison is None or state.trace is None:
            self.front.surface.overlay = self.front.hover.elsewhere = None
        else:
            here, there = beside.comparison.marks(state.cursor, beside.cursor)
            self.front.surface.overlay = DifferenceMarks(here, self._theme)
            self.other.surface.overlay = DifferenceMarks(there, self._theme)
            self._compare_cards(state, state.trace, beside)
            self.other.update()
        self.front.update()

    def _compare_cards(self, state: State, trace: Trace, beside: WhatIf) -> None:
        """Let the details of an item include how it differs in the other run."""
        from gradviz.ui.canvas.hover_words import Elsewhere

        found, (front, other) = beside.comparison, beside.short_titles
        assert found is not None and beside.trace is not None
        self.front.hover.elsewhere = Elsewhere(other, beside.trace.frame_at(beside.cursor), found.partner)
        self.other.hover.elsewhere = Elsewhere(front, trace.frame_at(state.cursor), found.flipped().partner)

    def end(self) -> None:
        """The other run is gone."""
        self._turn_soon.stop()
        self.front.hover.elsewhere = self.other.hover.elsewhere = None
        self.front.surface.overlay = self.other.surface.overlay = None
        self.other.selection.clear()
        self.other.set_trace(None)
        self.is_settled = True

    def shutdown(self) -> None:
        """End everything that the other canvas is still doing."""
        self._turn_soon.stop()
        self.other.shutdown()

    def _laid_out(self, final: bool) -> None:
        self.is_settled = final
        self._turn_soon.start()

    def _tell(self, what: str) -> None:
        """A layout begins or ends."""
        self._context.shell.layout_progress.update(self.other.graph_layout, what)

    def _turn(self) -> None:
        """Place them side by side or one above the other."""
        boxes = [box for box in (self.front.viewport.extent, self.other.viewport.extent) if box is not None]
        if boxes:
            self.view.turn(max(box[2] - box[0] for box in boxes), max(box[3] - box[1] for box in boxes))
        if self._fresh:
            self._fresh = not self.is_settled
            self.front.viewport.open()
            self.other.viewport.open()

    def _select(self, kind: str, index: int) -> None:
        self._context.shell.store.select_there(Selection(kind, index))

    def _select_nothing(self) -> None:
        self._context.shell.store.select_there(None)
