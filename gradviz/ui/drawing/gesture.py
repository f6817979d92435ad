"""What a gesture on the drawing canvas is, and what it works on. One gesture is one object: it is made by a press,
lives until the release and leaves no trace when it is cancelled. `interactions` chooses the gesture; `wiring` and
`drag` are the gestures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPen

from gradviz.document.drawing import Drawing
from gradviz.session.drawn import drawing_of
from gradviz.session.store import Store
from gradviz.ui.drawing.geometry import curve, path_of
from gradviz.ui.drawing.snapping import GRID

if TYPE_CHECKING:
    from gradviz.ui.drawing.geometry import Geometry, Hit
    from gradviz.ui.drawing.overlay import Layer
    from gradviz.ui.drawing.view import DrawingView
    from gradviz.ui.drawing.wire_check import WireChecks

ROOM = 15.0  # world units that stay free around what is placed by a command
REACH = 9.0  # pixels around a port that are still the port
Keys = Qt.KeyboardModifier


@dataclass(frozen=True)
class Press:
    """Where and on what a gesture begins; `at` in pixels of the canvas."""

    at: QPointF
    hit: Hit
    keys: Keys = Keys.NoModifier

    @property
    def adds(self) -> bool:
        """Shift or Ctrl is held: what is picked stays picked."""
        return bool(self.keys & (Keys.ShiftModifier | Keys.ControlModifier))


class Ground:
    """The canvas, the drawing and the store, as gestures need them."""

    def __init__(self, view: DrawingView, store: Store, layer: Layer, checks: WireChecks) -> None:
        self.view = view
        self.store = store
        self.layer = layer
        self.checks = checks

    @property
    def drawing(self) -> Drawing:
        """The drawing as it is in the store; a blank one if there is none."""
        return self.store.state.drawing or Drawing()

    @property
    def geometry(self) -> Geometry:
        """Where everything is on the canvas."""
        return self.view.geometry

    @property
    def picked(self) -> frozenset[int]:
        """What is selected."""
        return self.store.state.picked

    def world(self, at: QPointF) -> QPointF:
        """The point of the world under a pixel."""
        return QPointF(*self.view.camera.to_world(at.x(), at.y()))

    def pixel(self, at: QPointF) -> QPointF:
        """The pixel of a point of the world."""
        return QPointF(*self.view.camera.to_screen(at.x(), at.y()))

    def pixels(self, box: QRectF) -> QRectF:
        """The pixels of a box of the world."""
        return QRectF(self.pixel(box.topLeft()), self.pixel(box.bottomRight()))

    def in_world(self, painter: QPainter) -> None:
        """Let a painter of pixels paint in the world."""
        camera = self.view.camera
        painter.scale(camera.scale, camera.scale)
        painter.translate(-camera.left, -camera.top)

    def paint_wire(self, painter: QPainter, pen: QPen, begin: QPointF, end: QPointF) -> None:
        """A wire between two points of the world, as the canvas draws it, with a pen of pixels."""
        painter.save()
        self.in_world(painter)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path_of(curve(begin, end)))
        painter.restore()

    @property
    def port_radius(self) -> float:
        """How large a port is that lights up; at a small zoom they stand close together."""
        return min(max(5.0 * self.view.camera.scale, 2.2), 6.0)

    def hit(self, at: QPointF) -> Hit:
        """What is under a pixel."""
        return self.geometry.hit(self.world(at), REACH / self.view.camera.scale)

    def preview(self, drawing: Drawing | None) -> None:
        """Show this drawing instead of that of the store, for as long as a gesture goes on; None for that again."""
        state = self.store.state
        shown = drawing or self.drawing
        self.view.show_drawing(shown, drawing_of(state.traced, self.drawing), state.trace)

    def refuse(self, sentence: str, at: QPointF) -> None:
        """Say at a pixel why something can't be, and to a screen reader too."""
        self.layer.say_no(sentence, at)
        self.announce(sentence)

    def announce(self, sentence: str) -> None:
        """Tell a screen reader."""
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.view, sentence))

    def edit(self, label: str, drawing: Drawing, picked: frozenset[int] | None = None) -> None:
        """Change the drawing, and select what is new in it."""
        self.store.edit(label, drawing)
        if picked is not None:
            self.store.pick(picked)

    def rest(self, at: QPointF) -> QPointF:
        """The place on the grid that is nearest to a pixel, in the world."""
        place = self.world(at) / GRID
        return QPointF(round(place.x()) * GRID, round(place.y()) * GRID)

    def picked_box(self) -> QRectF:
        """Around what is picked, in the world."""
        found = QRectF()
        for one in self.picked:
            found = found.united(self.geometry.box(one))
        return found

    def free_place(self, size: QPointF) -> QPointF:
        """The middle of a free place of this size in the world: the middle of the canvas, or below what is there."""
        at = self.world(QPointF(self.view.rect().center()))
        boxes = [box.adjusted(-ROOM, -ROOM, ROOM, ROOM) for box in self.geometry.boxes.values()]
        while True:
            wanted = QRectF(at - size / 2, at + size / 2)
            under = [box.bottom() for box in boxes if box.intersects(wanted)]
            if not under:
                return self.rest(self.pixel(at))
            at.setY(max(under) + size.y() / 2 + 1)

    def reveal(self, ids: frozenset[int]) -> None:
        """Bring what is new into view; where it is seen already, nothing moves."""
        box = QRectF()
        for one in ids:
            box = box.united(self.geometry.box(one))
        if not box.isEmpty():
            self.view.viewport.bring_in((box.left(), box.top(), box.right(), box.bottom()))


class Gesture:
    """Base of the gestures. All are called with the pixel of the pointer and the keys that are held."""

    cursor = Qt.CursorShape.ArrowCursor
    begins_at_once = False  # else only once the pointer has moved far enough for no click to be meant

    def __init__(self, ground: Ground, press: Press) -> None:
        self.ground = ground
        self.press = press

    def begin(self) -> None:
        """The pointer has left the place where it was pressed."""

    def move(self, at: QPointF, keys: Keys) -> None:
        """The pointer is here now."""

    def finish(self, at: QPointF, keys: Keys) -> None:
        """The button was released: do it."""

    def cancel(self) -> None:
        """Forget it: everything is as it was."""

    def paint(self, painter: QPainter) -> None:
        """What is seen of it, in pixels of the canvas."""
