"""Makes the scene of a drawing, as much as possible of the one before: where a trace only brings other values, its
diagram and the pictures of what says the same are kept, so that a slider moves 100 nodes 30 times a second. What has
once been known of sizes stays, so that nothing jumps between an edit and its run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gradviz.document.drawing import Drawing
from gradviz.session.drawn import Drawn
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.drawing.shapes import Sizes
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.drawing.diagram import Sketch
    from gradviz.ui.drawing.scene import DrawnScene


class Sketching:
    """Remembers what of a drawing can be used again."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.ink = Ink(theme)
        self._sizes = Sizes()
        self._latest: tuple[Drawing, Trace, Sketch] | None = None

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme, self.ink = theme, Ink(theme)

    def forget(self) -> None:
        """Another drawing comes, whose numbers mean other nodes."""
        self._sizes, self._latest = Sizes(), None

    def scene(self, drawing: Drawing, drawn: Drawn | None, trace: Trace | None, old: Scene | None) -> DrawnScene:
        """The scene of a drawing with what a trace has of it, at its beginning."""
        from gradviz.ui.drawing.scene import DrawnScene

        drawn, trace = drawn or Drawn(drawing), trace or _no_trace()
        sketch, same = self._sketch(drawing, drawn, trace)
        scene = DrawnScene(sketch, self.theme)
        if same and isinstance(old, DrawnScene):
            scene.keep_pictures(old)
        self._sizes, self._latest = sketch.sizes, (drawing, trace, sketch)
        return scene

    def _sketch(self, drawing: Drawing, drawn: Drawn, trace: Trace) -> tuple[Sketch, bool]:
        from gradviz.ui.drawing.diagram import draw

        return draw(drawing, drawn, trace, self.ink, self._sizes), False


@cache
def _no_trace() -> Trace:
    """That of nothing."""
    from gradviz.trace.trace import Trace

    return Trace("")
