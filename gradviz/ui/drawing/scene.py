"""A drawing at a cursor: the ordinary scene, with what the canvas of a drawing has besides. `painting`
paints that; `view` asks."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from gradviz.document.documents import code_of
from gradviz.document.drawing import Operation, Ref
from gradviz.trace.words.explain import step_title
from gradviz.ui.canvas.camera import Box, Camera
from gradviz.ui.canvas.hover import HINT
from gradviz.ui.canvas.hover_words import Row, Words
from gradviz.ui.canvas.painter import world_transform
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.drawing.diagram import Sketch
from gradviz.ui.drawing.geometry import NOTHING, Hit, entry_of, name_of
from gradviz.ui.drawing.painting import Painting, paint_open_ports, paint_picked, paint_ports
from gradviz.ui.theme import Theme

PASSED = "It returns its input unchanged; there was nothing to compute."
LATER = "It runs at a later step."
ENDED = "The run ended with an error before this."
NOT_YET = "It has not run yet."


class DrawnScene(Scene):
    """What is shown of one drawing and its trace."""

    def __init__(self, sketch: Sketch, theme: Theme) -> None:
        super().__init__(sketch.placed, theme)
        self.sketch = sketch
        self.painting = Painting(sketch, self.painter.ink)
        self.picked: frozenset[int] = frozenset()
        self.hovered: Hit = NOTHING
        self.stale: frozenset[int] = frozenset()  # nodes whose values are of an older drawing

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.painting = Painting(self.sketch, self.painter.ink)

    def keep_pictures(self, old: DrawnScene) -> None:
        """Take over what an older scene of the same diagram has painted; what says something else is painted anew."""
        self.painter.sprites = old.painter.sprites
        self.marks.hovered = old.marks.hovered

    def has_the_edges_of(self, old: Scene) -> bool:
        """Whether what lies behind the nodes looks the same in an older scene of the same diagram."""
        return np.array_equal(self.moment.edges, old.moment.edges)

    def extent(self) -> Box | None:
        """The box around all of the drawing, with what is said at its nodes; None for a blank one."""
        around = self.sketch.geometry.extent()
        if around.isNull():
            return None
        placed = self.placed.extent(self.moment.graphs)
        if placed is not None:
            around = around.united(QRectF(placed[0], placed[1], placed[2] - placed[0], placed[3] - placed[1]))
        return around.left(), around.top(), around.right(), around.bottom()

    @property
    def boxes(self) -> int:
        """How many nodes there are, with their results, whether they have run or not."""
        return max(len(self.sketch.geometry.boxes), super().boxes)

    def paint_on_map(self, painter: QPainter) -> None:
        geometry, ink = self.sketch.geometry, self.painter.ink
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink.colour("faint", 0.5))
        waiting = [card for ref, card in geometry.cards.items() if not self._is_seen(ref)]
        for box in (*waiting, *(geometry.boxes[comment.id] for comment in geometry.drawing.comments)):
            painter.drawRect(box)

    def _is_seen(self, ref: Ref) -> bool:
        """Whether an output is an item, or in a closed group."""
        return ref in self.sketch.cards or self.sketch.geometry.closed_group(ref.node) is not None

    def paint_edges(self, painter: QPainter, camera: Camera, area: QRectF) -> None:
        painter.save()
        painter.setTransform(world_transform(camera), True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painting.paint_behind(painter, self.moment, _world(camera, area), camera.scale)
        painter.restore()
        super().paint_edges(painter, camera, area)

    def paint_rest(self, painter: QPainter, camera: Camera, area: QRectF, phase: float, ratio: float | None) -> None:
        super().paint_rest(painter, camera, area, phase, ratio)
        geometry, ink, world = self.sketch.geometry, self.painter.ink, _world(camera, area)
        painter.save()
        painter.setTransform(world_transform(camera), True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painting.paint_veil(painter, self.stale)
        self.painting.paint_nodes(painter, self.moment, world, camera.scale)
        if ratio is None:
            paint_open_ports(painter, ink, geometry)
        else:
            paint_ports(painter, ink, geometry, world, camera.scale, self.hovered)
        painter.restore()

    def paint_selection(self, painter: QPainter, camera: Camera, focused: bool) -> None:
        """The frames around what is picked, or, where nothing is, around what is selected of the trace."""
        if not self.picked:
            super().paint_selection(painter, camera, focused)
            return
        painter.save()
        painter.setTransform(world_transform(camera), True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_picked(
            painter, self.painter.ink, self.sketch.geometry, self.picked, camera.scale, focused=focused
        )  # fmt: skip
        painter.restore()

    @property
    def hint(self) -> int:
        return HINT + self.hovered.id if self.hovered.kind == "node" else -1

    def hint_words(self, hint: int, camera: Camera) -> tuple[Words, QRect] | None:
        """Why a node has not run."""
        said = waiting_words(self, hint - HINT)
        if said is None:
            return None
        box = self.sketch.geometry.box(hint - HINT)
        x, y = camera.to_screen(box.left(), box.top())
        return said, QRectF(x, y, box.width() * camera.scale, box.height() * camera.scale).toAlignedRect()

    def description(self) -> str:
        drawing = self.sketch.geometry.drawing
        nodes = f"{len(drawing.nodes)} nodes" if len(drawing.nodes) != 1 else "1 node"
        step = step_title(self.moment.frame)
        return f"Drawing with {nodes}. Now: {step or 'before the first step'}"


def _world(camera: Camera, area: QRectF) -> QRectF:
    left, top, right, bottom = camera.world_box((area.left(), area.top(), area.right(), area.bottom()), 12.0)
    return QRectF(left, top, right - left, bottom - top)


def waiting_words(scene: DrawnScene, number: int) -> Words | None:
    """What the card says of a node that the ordinary canvas does not know: why it has not run, or that it gave on what
    it was given. None of one that has run: it has the card of the canvas."""
    drawing, sketch = scene.sketch.geometry.drawing, scene.sketch
    node = drawing.by_id.get(number)
    if node is None or sketch.geometry.closed_group(number) is not None:
        return None
    item = sketch.operations.get(number, sketch.cards.get(Ref(number), -1))
    seen = item >= 0 and bool(scene.moment.items[item])
    if seen and number not in sketch.drawn.passed:
        return None
    own = entry_of(node).name if isinstance(node, Operation) else "leaf"
    kind = "has run" if seen else "has not run"
    return Words(name_of(node) or own, f"{own} · {kind}", (Row("", _why(scene, number, seen=seen)),))


def _why(scene: DrawnScene, number: int, *, seen: bool) -> str:
    drawn, errors = scene.sketch.drawn, scene.sketch.diagram.trace.errors
    left_out = dict(code_of(scene.sketch.geometry.drawing).left_out)
    if seen:
        return PASSED
    if number in left_out:
        return f"{left_out[number]}."
    if number in drawn.rows or Ref(number) in drawn.tensors:
        return LATER
    if number == drawn.failed:
        return scene.painting.error
    return ENDED if len(errors) else NOT_YET
