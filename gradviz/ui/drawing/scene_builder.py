"""Makes the scene of a drawing, reusing as much as possible of the previous one: if a trace only has other values, its
diagram is kept, together with the pictures whose content is unchanged, so that a slider moves 100 nodes 30 times a
second. Known sizes are kept, so that nothing jumps between an edit and its run."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from gradviz.document.drawing import Drawing, Leaf, Node
from gradviz.document.leaf_forms import leaf_dtype, leaf_shape
from gradviz.session.drawn import Drawn
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.drawing.geometry import Sizes
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.drawing.diagram import Sketch


class SceneBuilder:
    """Remembers what can be reused of a drawing."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.ink = Ink(theme)
        self._sizes = Sizes()
        self.kept = False  # everything in the latest scene is where it was
        self._latest: tuple[Drawing, Trace, Sketch] | None = None
        self._steps = 0  # of its trace

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme, self.ink = theme, Ink(theme)
        self._latest = None

    def forget(self) -> None:
        """Another drawing follows, in which the same numbers mean other nodes."""
        self._sizes, self._latest = Sizes(), None

    def scene(self, drawing: Drawing, drawn: Drawn | None, trace: Trace | None, old: Scene | None) -> Scene:
        """The scene of a drawing with what a trace has of it, at the start of the trace."""
        from gradviz.ui.canvas.scene import Scene
        from gradviz.ui.drawing.scene import DrawnParts, parts_of

        drawn, trace = drawn or Drawn(drawing), trace or _no_trace()
        sketch, same = self._sketch(drawing, drawn, trace)
        scene = Scene(sketch.placed, self.theme, DrawnParts(sketch, self.ink))
        if same and old is not None and parts_of(old) is not None:
            scene.keep_pictures(old)
        self.kept = same and self._latest is not None and sketch.placed.cubics is self._latest[2].placed.cubics
        self._sizes, self._latest, self._steps = sketch.sizes, (drawing, trace, sketch), len(trace)
        return scene

    def _sketch(self, drawing: Drawing, drawn: Drawn, trace: Trace) -> tuple[Sketch, bool]:
        from gradviz.ui.drawing.diagram import again, draw, elsewhere

        if self._latest is not None:
            before, former, sketch = self._latest
            same = sketch.drawn.rows == drawn.rows and sketch.drawn.tensors == drawn.tensors
            if same and only_values_differ(before, drawing) and same_structure(former, trace):
                return again(sketch, drawing, drawn, trace), True
            if same and former is trace and len(trace) == self._steps and only_places_differ(before, drawing):
                return elsewhere(sketch, drawing, self.ink), True
        latest = self._latest[2].geometry if self._latest is not None else None
        return draw(drawing, drawn, trace, self.ink, self._sizes, latest), False


def only_values_differ(one: Drawing, other: Drawing) -> bool:
    """Whether two drawings are equal except for numbers in leaves of unchanged shape."""
    if one is other:
        return True
    if len(one.nodes) != len(other.nodes):
        return False
    if (one.comments, one.groups, one.calls) != (other.comments, other.groups, other.calls):
        return False
    return all(a is b or _same_but_values(a, b) for a, b in zip(one.nodes, other.nodes, strict=True))


def only_places_differ(one: Drawing, other: Drawing) -> bool:
    """Whether two drawings are equal except for positions; comments and frames of groups are not part of the
    diagram."""
    if len(one.nodes) != len(other.nodes) or (one.groups, one.calls) != (other.groups, other.calls):
        return False
    return all(a is b or replace(a, x=b.x, y=b.y) == b for a, b in zip(one.nodes, other.nodes, strict=True))


def _same_but_values(one: Node, other: Node) -> bool:
    if not (isinstance(one, Leaf) and isinstance(other, Leaf)):
        return one == other
    return replace(one, data=None, slider=None) == replace(other, data=None, slider=None) and (
        leaf_shape(one) == leaf_shape(other) and leaf_dtype(one) == leaf_dtype(other)
    )


def same_structure(one: Trace, other: Trace) -> bool:
    """Whether two traces have the same rows, whatever their numbers: then everything has the same size and position."""
    import numpy as np

    if one is other:
        return False  # it may have grown
    pairs = (
        (one.nodes.name, other.nodes.name),
        (one.tensors.shape, other.tensors.shape),
        (one.tensors.dtype, other.tensors.dtype),
        (one.tensors.requires_grad, other.tensors.requires_grad),
        (one.inputs.tensor, other.inputs.tensor),
        (one.steps.kind, other.steps.kind),
        (one.saved.name, other.saved.name),
        (one.arrivals.expected, other.arrivals.expected),
    )
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


@cache
def _no_trace() -> Trace:
    """An empty trace."""
    from gradviz.trace.table.trace import Trace

    return Trace("")
