"""The canvas of a drawing: the ordinary canvas with all positions taken from the drawing, so that what has not run is
there as well. `scene` has what is painted, `geometry` where it is; mouse and keyboard handling is installed from
outside, see `interactions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QPointF, QRectF, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gradviz.document.code.emit import code_of, share_code
from gradviz.document.drawing import Drawing, Node
from gradviz.session.drawn import drawn, stale
from gradviz.ui.canvas.view import CanvasView
from gradviz.ui.drawing.geometry import NOTHING, Geometry, Hit
from gradviz.ui.drawing.scene import SceneBuilder
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.session.drawn import Drawn
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.scene import Scene
    from gradviz.ui.drawing.scene import DrawnParts

INVITATION = "Type on the canvas:  w = 3,  +,  matmul,  w*x + b\n\nor drag an operation from the palette"
MOST = 300  # nodes; with more there is no transition
RESTING = 200  # milliseconds after a slider's last value until edges have all their words again
LATE = 700  # milliseconds after which outdated values are shown as such
Places = Mapping[int, tuple[float, float]]


class Interaction(Protocol):
    """Gets all user input on the canvas first."""

    def handle(self, event: QEvent) -> bool:
        """Handle an event of the view; False leaves it to the canvas (pan, zoom, hover, select)."""


class DrawingView(CanvasView):
    """Shows a drawing, with the trace at a cursor at its nodes."""

    _interactions: tuple[Interaction, ...] = ()  # Qt delivers events during the base class's constructor

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent, centres_nothing=True)
        self.setAccessibleName("Drawing")
        self.setObjectName("drawing")
        self._sketching = SceneBuilder(theme)
        self._document = Drawing()
        self._geometry = Geometry(self._document, self._sketching.ink)
        self._drawn: Drawn | None = None
        self._late = QTimer(self, singleShot=True, interval=LATE)
        self._late.timeout.connect(self._fade)
        self._resting = QTimer(self, singleShot=True, interval=RESTING)
        self._resting.timeout.connect(self._write_in_full)
        self.invites = True  # show the invitation if it is blank, unless something is being typed
        self._looked = False  # the user has looked at this drawing: the camera is theirs
        self.picked: frozenset[int] = frozenset()
        self.hovered = NOTHING

    # -- what is shown

    @property
    def drawing(self) -> Drawing:
        """The drawing being shown."""
        return self._document

    @property
    def world_geometry(self) -> Geometry:
        """The positions of everything."""
        return self._geometry

    @property
    def drawn(self) -> Drawn | None:
        """Where its nodes are in the trace being shown, None without one."""
        return self._drawn

    def show_drawing(
        self, drawing: Drawing, traced: Drawing | None, trace: Trace | None, *, moving: bool = False,
        in_hand: bool = False,
    ) -> None:  # fmt: skip
        """Show a drawing with the values of a trace of it; `traced` is the drawing as it was when that ran. `moving`:
        what has moved goes there in a transition. `in_hand`: a slider is moving, more will follow soon."""
        if in_hand:
            self._resting.start()
        else:
            self._resting.stop()
        self._drawn = drawn(traced, trace) if traced is not None and trace is not None else None
        trace = trace if self._drawn is not None else None
        if self.trace is not trace:
            self.trace = trace
            self.selection.forget_marks()  # they are rows of the previous trace
        if drawing is not self._document:
            self.viewport.is_fitted = False  # adding or moving something must not move the rest
        before, self._document = self._document, drawing
        if self.transition.is_going and same_places(before, drawing):
            return  # the next picture of the transition shows it
        self.transition.finish()
        start = places_of(before) if moving and self._looked and self.has_transitions else {}
        if moves(start, drawing):
            self.transition.begin(lambda part: self._show(on_the_way(start, drawing, part)), self._show_all)
        else:
            self._show_all()

    def _show_all(self) -> None:
        self._show(self._document)

    def _show(self, drawing: Drawing) -> None:
        """Show the drawing, or a picture of it on its way."""
        old = self.scene
        scene = self._sketching.scene(drawing, self._drawn, self.trace, old)
        self._show_sketch(scene, old)

    def start_afresh(self) -> None:
        """Another drawing follows: look at all of it."""
        self._looked = False
        self._sketching.forget()

    def _show_sketch(self, scene: Scene, old: Scene | None) -> None:
        scene.move_to(self._cursor)
        scene.painter.sprites.spots.in_hand = self._resting.isActive()
        self.surface.scene = scene
        parts = self._parts
        assert parts is not None
        self._geometry = parts.sketch.geometry
        parts.picked, parts.hovered = self.picked, self.hovered
        self._watch_age(old)
        if not self._looked:
            self._looked = True
            self.viewport.open()
        self.selection.restore(scene)
        self.viewport.changed.emit()
        if not self._resting.isActive():
            self.surface.describe()
        if self._sketching.kept and old is not None and scene.has_the_edges_of(old):
            self.update()
        else:
            self.surface.repaint_all()
        self.laid_out.emit(True)

    def _watch_age(self, old: Scene | None) -> None:
        """Dim outdated values once their run is late, so that nothing flickers during edits."""
        from gradviz.ui.drawing.scene import parts_of

        former = parts_of(old)
        if self._drawn is None or not stale(self._document, self._drawn.drawing):
            self._late.stop()
        elif former is not None and former.stale:
            self._fade()
        elif not self._late.isActive():
            self._late.start()

    def _write_in_full(self) -> None:
        if self.scene is not None:
            self.scene.painter.pills.write_in_full()
            self.surface.describe()
            self.update()

    def boxes_of_words(self) -> list[QRectF]:
        """Where the words on edges are, in world coordinates."""
        if self.scene is None:
            return []
        painter, scale = self.scene.painter, self.camera.scale
        pills = painter.pills.at(self.scene.moment, scale, labels=painter.whole(scale))
        return [QRectF(QPointF(*pill.box[:2]), QPointF(*pill.box[2:])) for pill in pills]

    def _fade(self) -> None:
        parts = self._parts
        if parts is not None and self._drawn is not None:
            parts.stale = stale(self._document, self._drawn.drawing)
            self.update()

    def put_cursor(self, cursor: int) -> None:
        """The cursor for what is shown next."""
        self._cursor = cursor

    def set_picked(self, picked: frozenset[int]) -> None:
        """Select these nodes, comments and groups."""
        self.picked = picked
        if self._parts is not None:
            self._parts.picked = picked
        self.update()

    def set_hovered(self, hit: Hit) -> None:
        """What is under the pointer: its ports are shown with their names."""
        if hit != self.hovered:
            self.hovered = hit
            if self._parts is not None:
                self._parts.hovered = hit
            self.update()

    @property
    def _parts(self) -> DrawnParts | None:
        from gradviz.ui.drawing.scene import parts_of

        return parts_of(self.scene)

    def set_theme(self, theme: Theme) -> None:
        self._sketching.set_theme(theme)
        super().set_theme(theme)

    def shutdown(self) -> None:
        self._late.stop()
        self._resting.stop()
        super().shutdown()

    # -- user input

    def install(self, interaction: Interaction) -> None:
        """Give this all events first from now on."""
        self._interactions = (*self._interactions, interaction)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._document.is_blank and self.invites:
            with QPainter(self) as painter:
                self.surface.paint_invitation(painter, INVITATION)

    def event(self, event: QEvent) -> bool:
        if any(interaction.handle(event) for interaction in self._interactions):
            return True
        return super().event(event)


def places_of(drawing: Drawing) -> Places:
    """Where each node and comment is."""
    return {thing.id: (thing.x, thing.y) for thing in (*drawing.nodes, *drawing.comments)}


def same_places(one: Drawing, other: Drawing) -> bool:
    """Whether everything that two drawings share is at the same position in both."""
    return places_of(one) == places_of(other)


def moves(start: Places, drawing: Drawing) -> bool:
    """Whether something in the drawing has moved."""
    there = places_of(drawing)
    return len(there) <= MOST and any(start.get(thing, place) != place for thing, place in there.items())


def on_the_way(start: Places, drawing: Drawing, part: float) -> Drawing:
    """The drawing after a fraction of the way, 0 to 1, from other positions."""

    def at(thing: int, x: float, y: float) -> tuple[float, float]:
        before = start.get(thing, (x, y))
        return before[0] + (x - before[0]) * part, before[1] + (y - before[1]) * part

    def shifted(node: Node) -> Node:
        x, y = at(node.id, node.x, node.y)
        return replace(node, x=x, y=y)

    comments = []
    for comment in drawing.comments:
        x, y = at(comment.id, comment.x, comment.y)
        comments.append(replace(comment, x=x, y=y))
    made = replace(drawing, nodes=tuple(map(shifted, drawing.nodes)), comments=tuple(comments))
    share_code(made, code_of(drawing))  # writing it takes longer than painting a picture
    return made
