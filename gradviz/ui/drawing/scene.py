"""What the scene of a drawing has beyond that of a trace: nodes that have not run, comments, groups, ports, the
selection. `painting` paints them; `canvas.scene` says when.

`SceneBuilder` makes it, reusing as much as possible of the previous one: if a trace only has other values, its
diagram is kept, together with the pictures whose content is unchanged, so that a slider moves 100 nodes 30 times a
second. Known sizes are kept, so that nothing jumps between an edit and its run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from gradviz.document.documents import code_of
from gradviz.document.drawing import Drawing, Leaf, Node, Operation, Ref
from gradviz.document.leaf_forms import leaf_dtype, leaf_shape
from gradviz.lists import quantity
from gradviz.session.drawn import Drawn
from gradviz.ui.canvas.camera import Box, Camera
from gradviz.ui.canvas.hover import HINT
from gradviz.ui.canvas.hover_words import Row, Words
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.canvas.moment import Moment
from gradviz.ui.canvas.painter import world_transform
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.drawing.diagram import Sketch
from gradviz.ui.drawing.geometry import NOTHING, Hit, Sizes, entry_of, name_of
from gradviz.ui.drawing.painting import Painting, paint_open_ports, paint_picked, paint_ports
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.drawing.diagram import Sketch

PASSED = "It returns its input unchanged; there was nothing to compute."
LATER = "It runs at a later step."
ENDED = "The run ended with an error before this."
NOT_YET = "It has not run yet."


class DrawnParts:
    """What a scene shows of a drawing besides the items of its trace."""

    def __init__(self, sketch: Sketch, ink: Ink) -> None:
        self.sketch = sketch
        self.painting = Painting(sketch, ink)
        self.picked: frozenset[int] = frozenset()
        self.hovered: Hit = NOTHING
        self.stale: frozenset[int] = frozenset()  # nodes whose values belong to an older drawing

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        self.painting = Painting(self.sketch, ink)

    def extent(self, items: Box | None) -> Box | None:
        """The box around the whole drawing, including the texts at its nodes; None for a blank one."""
        around = self.sketch.geometry.extent()
        if around.isNull():
            return None
        if items is not None:
            around = around.united(QRectF(items[0], items[1], items[2] - items[0], items[3] - items[1]))
        return around.left(), around.top(), around.right(), around.bottom()

    @property
    def boxes(self) -> int:
        """How many nodes there are, including their results, whether they have run or not."""
        return len(self.sketch.geometry.boxes)

    @property
    def title(self) -> str:
        """The description of the drawing for screen readers."""
        return f"Drawing with {quantity(len(self.sketch.geometry.drawing.nodes), 'node')}"

    @property
    def has_selection(self) -> bool:
        """Whether something is selected in the drawing; it is framed in place of the trace's selection."""
        return bool(self.picked)

    @property
    def hint(self) -> int:
        """The node under the pointer, if there is a reason to give for why it has not run."""
        return HINT + self.hovered.id if self.hovered.kind == "node" else -1

    def hint_words(self, hint: int, moment: Moment, camera: Camera) -> tuple[Words, QRect] | None:
        """Why a node has not run, and its pixels."""
        said = self._waiting_words(hint - HINT, moment)
        if said is None:
            return None
        box = self.sketch.geometry.box(hint - HINT)
        x, y = camera.to_screen(box.left(), box.top())
        return said, QRectF(x, y, box.width() * camera.scale, box.height() * camera.scale).toAlignedRect()

    def paint_on_map(self, painter: QPainter) -> None:
        """What has not run, and comments."""
        geometry = self.sketch.geometry
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.painting.ink.colour("faint", 0.5))
        waiting = [card for ref, card in geometry.cards.items() if not self._is_seen(ref)]
        for box in (*waiting, *(geometry.boxes[comment.id] for comment in geometry.drawing.comments)):
            painter.drawRect(box)

    def _is_seen(self, ref: Ref) -> bool:
        """Whether an output is an item, or inside a closed group."""
        return ref in self.sketch.cards or self.sketch.geometry.closed_group(ref.node) is not None

    def paint_behind(self, painter: QPainter, moment: Moment, camera: Camera, area: QRectF) -> None:
        """Comments, groups and wires."""
        with _in_world(painter, camera):
            self.painting.paint_behind(painter, moment, _world(camera, area), camera.scale)

    def paint_over(self, painter: QPainter, moment: Moment, camera: Camera, area: QRectF, *, on_screen: bool) -> None:
        """Nodes that have not run, and ports: on screen all of them, in a file those that must be connected."""
        geometry, ink, world = self.sketch.geometry, self.painting.ink, _world(camera, area)
        with _in_world(painter, camera):
            self.painting.paint_veil(painter, self.stale)
            self.painting.paint_nodes(painter, moment, world, camera.scale)
            if on_screen:
                paint_ports(painter, ink, geometry, world, camera.scale, self.hovered)
            else:
                paint_open_ports(painter, ink, geometry)

    def paint_selection(self, painter: QPainter, camera: Camera, focused: bool) -> None:
        """The frames of the selection."""
        ink, geometry = self.painting.ink, self.sketch.geometry
        with _in_world(painter, camera):
            paint_picked(painter, ink, geometry, self.picked, camera.scale, focused=focused)

    def _waiting_words(self, number: int, moment: Moment) -> Words | None:
        """The card's text for a node that the ordinary canvas does not know: why it has not run, or that it returned
        its input. None for a node that has run and has a card of the canvas."""
        sketch = self.sketch
        node = sketch.geometry.drawing.by_id.get(number)
        if node is None or sketch.geometry.closed_group(number) is not None:
            return None
        item = sketch.operations.get(number, sketch.cards.get(Ref(number), -1))
        seen = item >= 0 and bool(moment.items[item])
        if seen and number not in sketch.drawn.passed:
            return None
        own = entry_of(node).name if isinstance(node, Operation) else "leaf"
        kind = "has run" if seen else "has not run"
        return Words(name_of(node) or own, f"{own} · {kind}", (Row("", self._why(number, seen=seen)),))

    def _why(self, number: int, *, seen: bool) -> str:
        drawn = self.sketch.drawn
        left_out = dict(code_of(self.sketch.geometry.drawing).left_out)
        if seen:
            return PASSED
        if number in left_out:
            return f"{left_out[number]}."
        if number in drawn.rows or Ref(number) in drawn.tensors:
            return LATER
        if number == drawn.failed:
            return self.painting.error
        return ENDED if len(self.sketch.diagram.trace.errors) else NOT_YET


def parts_of(scene: Scene | None) -> DrawnParts | None:
    """What a scene shows of a drawing; None for the scene of a trace."""
    addition = scene.addition if scene is not None else None
    return addition if isinstance(addition, DrawnParts) else None


@contextmanager
def _in_world(painter: QPainter, camera: Camera) -> Iterator[None]:
    """Paint in world units for a while."""
    painter.save()
    painter.setTransform(world_transform(camera), True)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        yield
    finally:
        painter.restore()


def _world(camera: Camera, area: QRectF) -> QRectF:
    left, top, right, bottom = camera.world_box((area.left(), area.top(), area.right(), area.bottom()), 12.0)
    return QRectF(left, top, right - left, bottom - top)


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
            is_alike = same and (len(trace) == self._steps if former is trace else same_structure(former, trace))
            if is_alike and only_values_differ(before, drawing):
                return again(sketch, drawing, drawn, trace), True
            if is_alike and former is trace and only_places_differ(before, drawing):
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
