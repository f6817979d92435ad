"""Where things stand in a timeline of a given size and zoom, and which step is under the mouse. Pure arithmetic;
`timeline_picture` paints into it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRectF

from gradviz.session.timeline.zoom import Span
from gradviz.ui.theme import Theme

BLOCK = 4.0  # from this width on every step is a block of its own
LENS_BLOCK = 24.0  # width of a step in the lens
CATCH = 7.0  # pixels beside a handle that still catch it


@dataclass(frozen=True)
class Geometry:
    """The rows from the top: overview, iterations, handles, strip, marks, phases, lens, plots."""

    width: float
    height: float
    theme: Theme
    steps: int
    span: Span
    has_iterations: bool = False

    def _row(self, top: float, height: float) -> QRectF:
        side = self.theme.px(16)
        return QRectF(side, top, max(1.0, self.width - 2 * side), height)

    @cached_property
    def is_whole(self) -> bool:
        """True if no step is out of view."""
        return self.span.is_whole(self.steps)

    @cached_property
    def overview(self) -> QRectF:
        """The bar that says which part of all steps is in view; only drawn where that is not all."""
        return self._row(self.theme.px(1), self.theme.px(4))

    @cached_property
    def iterations(self) -> QRectF:
        """The row of the iterations of the outermost loop."""
        return self._row(self.overview.bottom() + 1, self.theme.px(14) if self.has_iterations else 0.0)

    @cached_property
    def handles(self) -> QRectF:
        """The row of the playhead's knob and of the markers A and B."""
        return self._row(self.iterations.bottom(), self.theme.px(12))

    @cached_property
    def strip(self) -> QRectF:
        """The row of steps."""
        return self._row(self.handles.bottom(), self.theme.px(20))

    @cached_property
    def marks(self) -> QRectF:
        """The row of errors, NaN, breakpoints, writes in place and accumulations."""
        return self._row(self.strip.bottom() + 1, self.theme.px(9))

    @cached_property
    def phases(self) -> QRectF:
        """The row of group titles: forward, backward, optimizer."""
        return self._row(self.marks.bottom(), self.theme.px(14))

    @cached_property
    def is_dense(self) -> bool:
        """True if there are too many steps in view for blocks."""
        return self.strip.width() / max(1.0, self.span.width) < BLOCK

    @cached_property
    def lens(self) -> QRectF:
        """The row of the steps around the cursor, where the strip is dense and there is room."""
        top, height = self.phases.bottom() + 1, self.theme.px(18)
        return self._row(top, height if self.is_dense and top + height <= self.height else 0.0)

    def lens_range(self, cursor: int) -> tuple[int, int]:
        """The first step in the lens, and how many there are."""
        count = min(self.steps, max(3, int(self.lens.width() / (LENS_BLOCK * self.theme.scale))))
        return min(max(cursor - 1 - count // 2, 0), self.steps - count), count

    @cached_property
    def plots(self) -> QRectF:
        """The area of the curves under the strip."""
        top = self.lens.bottom() + self.theme.px(2)
        return self._row(top, max(0.0, self.height - top - self.theme.px(6)))

    def left_of(self, step: float) -> float:
        """x where a step begins."""
        row = self.strip
        return row.left() + row.width() * (step - self.span.start) / self.span.width

    def playhead(self, cursor: float) -> float:
        """x of the playhead: in the middle of the step that was done last, or where the first begins."""
        return self.left_of(max(cursor - 0.5, 0.0))

    def step_at(self, x: float) -> float:
        """The step under an x, with its fraction."""
        return self.span.start + (x - self.strip.left()) / self.strip.width() * self.span.width

    def whole_step_at(self, x: float) -> float:
        """The step under an x of the overview."""
        return (x - self.overview.left()) / self.overview.width() * self.steps

    def cursor_at(self, x: float, y: float, cursor: int) -> int:
        """The cursor under the mouse."""
        if self.lens.height() and self.lens.top() <= y <= self.lens.bottom():
            first, count = self.lens_range(cursor)
            return min(max(first + int((x - self.lens.left()) / self.lens.width() * count) + 1, 0), self.steps)
        place = self.step_at(x)
        return 0 if place < 0 else min(self.steps, int(place) + 1)

    def thumb(self) -> QRectF:
        """The part of the overview that is in view."""
        row = self.overview
        left = row.left() + row.width() * self.span.start / max(1, self.steps)
        width = max(self.theme.px(10), row.width() * self.span.width / max(1, self.steps))
        return QRectF(min(left, row.right() - width), row.top(), width, row.height())
