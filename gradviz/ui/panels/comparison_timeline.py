"""The steps of two runs as two strips over one axis; mouse and keys move both playheads. Painting is in
`comparison_timeline_paint`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.session.state import State
from gradviz.ui import look
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.session.comparison.align import Merged
    from gradviz.session.comparison.compare import Comparison
    from gradviz.ui.panels.comparison_timeline_paint import ComparisonGeometry

PAGE = 10  # steps per PageUp or PageDown


class ComparisonTimeline(QWidget):
    """Painted by hand; the picture is made once per comparison and size."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self._picture: QPixmap | None = None
        self._merged: tuple[Comparison, Merged] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Steps of both runs")
        self.setAccessibleDescription("Arrow keys step both runs, Home and End go to the ends.")

    def sizeHint(self) -> QSize:
        return QSize(480, self._theme.px(150))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self._theme.px(66))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self._picture = None
        self.update()

    def show_state(self, before: State, after: State) -> None:
        """Follow both cursors."""
        if before is after or before.what_if is not after.what_if:
            former, beside = before.what_if, after.what_if
            if before is after or former is None or beside is None or former.comparison is not beside.comparison:
                self._picture = None
            if beside is None:
                self._merged = None
            self.update()

    # painting

    def _found(self) -> Comparison | None:
        beside = self._context.shell.store.state.what_if
        return beside.comparison if beside is not None else None

    def _axis(self, found: Comparison) -> Merged:
        from gradviz.session.comparison.align import merge

        if self._merged is None or self._merged[0] is not found:
            self._merged = found, merge(found.alignment.steps)
        return self._merged[1]

    def _geometry(self, merged: Merged) -> ComparisonGeometry:
        from gradviz.ui.panels.comparison_timeline_paint import ComparisonGeometry, titles_width

        beside = self._context.shell.store.state.what_if
        titles = beside.short_titles if beside is not None else ("", "")
        wide = titles_width(self._theme, titles, self.width())
        return ComparisonGeometry(self.width(), self.height(), self._theme, merged.count, wide)

    def paintEvent(self, _: QPaintEvent) -> None:
        beside, found = self._context.shell.store.state.what_if, self._found()
        with QPainter(self) as painter:
            if beside is None or found is None:
                return
            from gradviz.ui.panels.comparison_timeline_paint import paint_heads

            merged = self._axis(found)
            geometry = self._geometry(merged)
            if self._picture is None:
                self._picture = self._draw(geometry, found, merged)
            painter.drawPixmap(0, 0, self._picture)
            state = self._context.shell.store.state
            heads = [
                float(places[cursor - 1]) + 0.5 if cursor else 0.0
                for places, cursor in ((merged.here, state.cursor), (merged.there, beside.cursor))
            ]
            paint_heads(painter, geometry, (heads[0], heads[1]))

    def _draw(self, geometry: ComparisonGeometry, found: Comparison, merged: Merged) -> QPixmap:
        from gradviz.ui.panels.comparison_timeline_paint import paint_comparison

        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._theme.panel)
        beside = self._context.shell.store.state.what_if
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_comparison(painter, geometry, found, merged, beside.short_titles if beside is not None else ("", ""))
        return picture

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        super().resizeEvent(event)

    # moving

    def _go(self, place: int) -> None:
        """Move both runs to the step at this place on the axis."""
        found, store = self._found(), self._context.shell.store
        if found is None:
            return
        merged = self._axis(found)
        store.play(False)
        if place < 0:
            store.move(0)
        elif merged.step_here[place] >= 0:
            store.move(int(merged.step_here[place]) + 1)
        else:
            store.move_there(int(merged.step_there[place]) + 1)

    def _scrub(self, x: float) -> None:
        found = self._found()
        if found is not None:
            self._go(self._geometry(self._axis(found)).place_at(x))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._scrub(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._scrub(event.position().x())

    def _place(self) -> int:
        """The place of the playheads: the later one, because one of them waits in a gap."""
        beside, found, state = self._context.shell.store.state.what_if, self._found(), self._context.shell.store.state
        if beside is None or found is None:
            return -1
        merged = self._axis(found)
        cursors = ((merged.here, state.cursor), (merged.there, beside.cursor))
        return max(int(places[cursor - 1]) if cursor else -1 for places, cursor in cursors)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        found = self._found()
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageUp: -PAGE,
            Qt.Key.Key_PageDown: PAGE,
        }
        if found is None:
            super().keyPressEvent(event)
            return
        last = self._axis(found).count - 1
        ends = {Qt.Key.Key_Home: -1, Qt.Key.Key_End: last}
        if event.key() in ends:
            self._go(ends[Qt.Key(event.key())])
        elif event.key() in steps:
            self._go(min(max(self._place() + steps[Qt.Key(event.key())], -1), last))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Describe the step under the mouse."""
        found = self._found()
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and found is not None:
            merged = self._axis(found)
            place = self._geometry(merged).place_at(event.pos().x())
            if place >= 0:
                QToolTip.showText(event.globalPos(), look.tip(_words(found, merged, place)), self)
            return True
        return super().event(event)


def _words(found: Comparison, merged: Merged, place: int) -> str:
    """What the step at a place is, and how it differs."""
    from gradviz.session.comparison.compare import WORDS
    from gradviz.trace.words.explain import step_title

    is_here = merged.step_here[place] >= 0
    trace, steps, marks = (
        (found.here, merged.step_here, found.steps_here)
        if is_here
        else (found.there, merged.step_there, found.steps_there)
    )
    step = int(steps[place])
    differs = [word for flag, word in WORDS.items() if marks[step] & flag]
    return " · ".join([f"Step {step + 1:,}", step_title(trace.frame_at(step + 1)), *differs])
