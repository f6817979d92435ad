"""The canvas of the front run and that of the other one, kept in step: cursors, selections, and marks over what
differs, each a ring with a badge that says how. `gradviz.session.comparison.compare` finds the differences,
`comparison_view` arranges the two on screen, and `graph` creates this when a change first runs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.session.comparison.compare import ALONE, Marks
from gradviz.session.folding import Presentation
from gradviz.session.state import Selection, State
from gradviz.session.what_if import WhatIf
from gradviz.ui import look
from gradviz.ui.canvas import TraceView
from gradviz.ui.canvas.camera import Camera
from gradviz.ui.canvas.diagram import OPERATION, REFERENCE, TENSOR
from gradviz.ui.canvas.sizes import RADIUS, Ruler, operation_text, symbol_width
from gradviz.ui.panels.comparison_view import ComparisonView
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.scene import Scene


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
        self.other.set_trace(beside.trace)
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
