"""The picture of a timeline: everything that does not move with the cursor, drawn once per trace, size and zoom, and on
it the playhead, the lens, the markers and the numbers of the moment. `timeline` has the mouse and the keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPixmap

from gradviz.session.breakpoints.points import Playback
from gradviz.session.timeline.marks import Mark, Marks
from gradviz.session.timeline.outline import outline
from gradviz.ui.panels import timeline_plots as plots
from gradviz.ui.panels import timeline_rows as rows
from gradviz.ui.panels.timeline_geometry import Geometry
from gradviz.ui.panels.timeline_paint import paint_lens, paint_playhead, paint_strip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


class Content:
    """What is shown of one trace at one length; made once, asked at every zoom."""

    def __init__(self, trace: Trace, steps: int) -> None:
        self.trace = trace
        self.steps = steps
        known = outline(trace, steps)
        self.strip, self.iterations, self.course = known.strip, known.iterations, known.course
        self._marks = self._marked = known.marks
        self.marks = Marks(self._marks)

    def stop_at(self, hits: tuple[int, ...]) -> None:
        """Mark these steps as those at which breakpoints stop."""
        import numpy as np

        found: NDArray[np.int64] = np.array(hits, np.int64)
        self._marked = {**self._marks, Mark.BREAKPOINT: found[found < self.steps]}
        self.marks = Marks(self._marked)

    def looks_like(self, other: Content) -> bool:
        """Whether the picture of another trace is the same: a slider brings other values only. A course has values in
        it, so that it is another one each time."""
        import numpy as np

        if self.steps != other.steps or self.course is not None or other.course is not None:
            return False
        if max(len(self.iterations), len(other.iterations)) > 1 or self._marked.keys() != other._marked.keys():
            return False
        pairs = [(self.strip.kinds, other.strip.kinds), (self.strip.held, other.strip.held)]
        pairs += [(self.trace.steps.call[: self.steps], other.trace.steps.call[: self.steps])]
        pairs += [(self._marked[mark], other._marked[mark]) for mark in self._marked]
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


@dataclass(frozen=True)
class Now:
    """What moves: the cursor with the fraction of a glide, and the markers."""

    cursor: int
    glide: float
    playback: Playback


def draw(content: Content, geometry: Geometry, size: QSize, ratio: float) -> QPixmap:
    """Everything that does not move."""
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(geometry.theme.panel)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rows.paint_overview(painter, geometry, content.strip)
        if geometry.has_iterations:
            rows.paint_iterations(painter, geometry, content.iterations)
        paint_strip(painter, geometry, content.strip, ratio)
        rows.paint_marks(painter, geometry, content.marks)
        rows.paint_phases(painter, geometry, content.strip)
        course, held = plots.areas(geometry, content.course)
        plots.paint_held(painter, geometry, held, content.strip)
        if content.course is not None:
            plots.paint_course(painter, geometry, course, content.course)
    return picture


def paint_now(painter: QPainter, content: Content, geometry: Geometry, now: Now) -> None:
    """What moves, over the picture."""
    paint_playhead(painter, geometry, now.glide)
    rows.paint_markers(painter, geometry, now.playback)
    if geometry.lens.height():
        paint_lens(painter, geometry, content.trace, now.cursor)
    course, held = plots.areas(geometry, content.course)
    if content.course is not None and course.height():
        plots.paint_course_text(painter, geometry, course, content.course, now.cursor)
    if held.height():
        text = plots.held_text(content.strip, now.cursor)
        plots.paint_held_text(painter, geometry, held, text, at_right=course == held)
