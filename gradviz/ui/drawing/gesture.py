"""What a gesture on the drawing canvas is, and what it works with. One gesture is one object: a press creates it, it
lives until the release, and it leaves no trace if it is cancelled. `interactions` chooses the gesture; `wiring` and
`drag` implement them.

Whatever is moved snaps to the centre line of another node, otherwise to a grid. Feedback during a gesture is painted on
an overlay above the canvas, together with the port under the pointer and the bubble that says why something is
impossible; it takes no mouse events and is hidden while it is empty. Permanent parts are painted by the canvas
itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gradviz.document.drawing import Drawing
from gradviz.document.shaping.places import with_members
from gradviz.session.drawn import drawing_of
from gradviz.session.store import Store
from gradviz.ui import look
from gradviz.ui.drawing.geometry import curve, path_of
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.drawing.geometry import Geometry, Hit
    from gradviz.ui.drawing.view import DrawingView
    from gradviz.ui.drawing.wiring import WireChecks


# -- snapping

GRID = 10.0  # world units between grid points
SNAP_REACH = 7.0  # pixels from which a centre line attracts

Place = tuple[float, float]


@dataclass(frozen=True)
class Guide:
    """A line through the centres of what is moving and what it is aligned with: at this x or y, from one end to the
    other."""

    upright: bool
    at: float
    begin: float
    end: float


@dataclass(frozen=True)
class Snapped:
    """The distance to move, and the lines that explain it."""

    dx: float
    dy: float
    guides: tuple[Guide, ...] = ()


def snap(drawing: Drawing, ids: Iterable[int], held: Place, dx: float, dy: float, scale: float) -> Snapped:
    """Snap a move of about dx, dy world units at this zoom; `held` is the position of what is dragged."""
    moving = with_members(drawing, ids)
    mine = [(node.x, node.y) for node in drawing.nodes if node.id in moving] or [held]
    others = [(node.x, node.y) for node in drawing.nodes if node.id not in moving]
    reach = SNAP_REACH / scale
    across = _line([place[0] for place in mine], [place[0] for place in others], dx, reach)
    down = _line([place[1] for place in mine], [place[1] for place in others], dy, reach)
    far_x = across if across is not None else round((held[0] + dx) / GRID) * GRID - held[0]
    far_y = down if down is not None else round((held[1] + dy) / GRID) * GRID - held[1]
    moved = [(x + far_x, y + far_y) for x, y in mine]
    guides = _guides(moved, others, 0, across is not None) + _guides(moved, others, 1, down is not None)
    return Snapped(far_x, far_y, guides)


def _line(mine: list[float], others: list[float], way: float, reach: float) -> float | None:
    """The distance to the nearest line of another centre; None if there is none nearby."""
    ways = [(abs(other - one - way), other - one) for one in mine for other in others]
    best = min(ways, default=None)
    return best[1] if best is not None and best[0] <= reach else None


def _guides(moved: list[Place], others: list[Place], axis: int, wanted: bool) -> tuple[Guide, ...]:
    if not wanted:
        return ()
    found = []
    for line in sorted({place[axis] for place in moved}):
        inline = [place[1 - axis] for place in others if abs(place[axis] - line) < 0.01]
        if inline:
            ends = inline + [place[1 - axis] for place in moved if place[axis] == line]
            found.append(Guide(axis == 0, line, min(ends), max(ends)))
    return tuple(found)


ROOM = 15.0  # world units kept free around what a command places
REACH = 9.0  # pixels around a port that count as the port
Keys = Qt.KeyboardModifier


@dataclass(frozen=True)
class Press:
    """Where and on what a gesture begins; `at` is in pixels of the canvas."""

    at: QPointF
    hit: Hit
    keys: Keys = Keys.NoModifier

    @property
    def adds(self) -> bool:
        """Shift or Ctrl is held: extend the selection."""
        return bool(self.keys & (Keys.ShiftModifier | Keys.ControlModifier))


class Ground:
    """The canvas, the drawing and the store, in the form that gestures need."""

    def __init__(self, view: DrawingView, store: Store, overlay: GestureOverlay, checks: WireChecks) -> None:
        self.view = view
        self.store = store
        self.overlay = overlay
        self.checks = checks

    @property
    def drawing(self) -> Drawing:
        """The drawing in the store, or a blank one."""
        return self.store.state.drawing or Drawing()

    @property
    def geometry(self) -> Geometry:
        """Where everything is on the canvas."""
        return self.view.world_geometry

    @property
    def picked(self) -> frozenset[int]:
        """The selection."""
        return self.store.state.picked

    def world(self, at: QPointF) -> QPointF:
        """The world point under a pixel."""
        return QPointF(*self.view.camera.to_world(at.x(), at.y()))

    def pixel(self, at: QPointF) -> QPointF:
        """The pixel at a world point."""
        return QPointF(*self.view.camera.to_screen(at.x(), at.y()))

    def pixels(self, box: QRectF) -> QRectF:
        """The pixels of a box in world coordinates."""
        return QRectF(self.pixel(box.topLeft()), self.pixel(box.bottomRight()))

    def in_world(self, painter: QPainter) -> None:
        """Switch a painter from pixels to world coordinates."""
        camera = self.view.camera
        painter.scale(camera.scale, camera.scale)
        painter.translate(-camera.left, -camera.top)

    def paint_wire(self, painter: QPainter, pen: QPen, begin: QPointF, end: QPointF) -> None:
        """A wire between two world points, as the canvas draws it, with a pen in pixels."""
        painter.save()
        self.in_world(painter)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path_of(curve(begin, end)))
        painter.restore()

    @property
    def port_radius(self) -> float:
        """Radius of a highlighted port; at a small zoom they are close together."""
        return min(max(5.0 * self.view.camera.scale, 2.2), 6.0)

    def hit(self, at: QPointF) -> Hit:
        """What is under a pixel."""
        return self.geometry.hit(self.world(at), REACH / self.view.camera.scale)

    def preview(self, drawing: Drawing | None) -> None:
        """Show this drawing in place of the store's during a gesture; None to go back."""
        state = self.store.state
        shown = drawing or self.drawing
        self.view.show_drawing(shown, drawing_of(state.traced, self.drawing), state.trace)

    def refuse(self, sentence: str, at: QPointF) -> None:
        """Say at a pixel why something is impossible, also to a screen reader."""
        self.overlay.say_no(sentence, at)
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
        """The grid point nearest to a pixel, in world coordinates."""
        place = self.world(at) / GRID
        return QPointF(round(place.x()) * GRID, round(place.y()) * GRID)

    def picked_box(self) -> QRectF:
        """The box around the selection, in world coordinates."""
        found = QRectF()
        for one in self.picked:
            found = found.united(self.geometry.box(one))
        return found

    def free_place(self, size: QPointF) -> QPointF:
        """The centre of a free area of this size, in world coordinates: in the middle of the canvas, or below what is
        there."""
        at = self.world(QPointF(self.view.rect().center()))
        boxes = [box.adjusted(-ROOM, -ROOM, ROOM, ROOM) for box in self.geometry.boxes.values()]
        while True:
            wanted = QRectF(at - size / 2, at + size / 2)
            under = [box.bottom() for box in boxes if box.intersects(wanted)]
            if not under:
                return self.rest(self.pixel(at))
            at.setY(max(under) + size.y() / 2 + 1)

    def reveal(self, ids: frozenset[int]) -> None:
        """Bring what is new into view; if it is already visible, nothing moves."""
        box = QRectF()
        for one in ids:
            box = box.united(self.geometry.box(one))
        if not box.isEmpty():
            self.view.viewport.bring_in((box.left(), box.top(), box.right(), box.bottom()))


class Gesture:
    """Base of the gestures. All methods get the pixel of the pointer and the modifier keys."""

    cursor = Qt.CursorShape.ArrowCursor
    begins_at_once = False  # otherwise only once the pointer has moved too far for a click

    def __init__(self, ground: Ground, press: Press) -> None:
        self.ground = ground
        self.press = press

    def begin(self) -> None:
        """The pointer has left the place of the press."""

    def move(self, at: QPointF, keys: Keys) -> None:
        """The pointer has moved."""

    def finish(self, at: QPointF, keys: Keys) -> None:
        """The button was released: carry it out."""

    def cancel(self) -> None:
        """Cancel it: everything is as before."""

    def paint(self, painter: QPainter) -> None:
        """Paint its feedback, in pixels of the canvas."""


# -- the overlay above the canvas


Paint = Callable[[QPainter], None]

STAYS = 6000  # milliseconds that a bubble stays visible
BUBBLE_WIDTH = 340
GAP = 16


class GestureOverlay(QWidget):
    """Paints `shown` and, above it, a bubble."""

    def __init__(self, over: QWidget, theme: Theme) -> None:
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setObjectName("gestureLayer")
        self.theme = theme
        self._over = over
        self._shown: tuple[Paint, ...] = ()
        self._bubble: tuple[str, QPointF] | None = None
        self._going = QTimer(self, singleShot=True, interval=STAYS)
        self._going.timeout.connect(self.drop_bubble)
        over.installEventFilter(self)
        self.hide()

    @property
    def sentence(self) -> str:
        """The text of the bubble, "" for none."""
        return self._bubble[0] if self._bubble is not None else ""

    def show_these(self, *paints: Paint) -> None:
        """Paint these from now on; none clears the overlay."""
        self._shown = paints
        self._renew()

    def say_no(self, sentence: str, at: QPointF) -> None:
        """Show beside a pixel why something is impossible; it disappears by itself."""
        self._bubble = (sentence, QPointF(at))
        self._going.start()
        self._renew()

    def drop_bubble(self) -> None:
        """Remove the bubble."""
        self._going.stop()
        self._bubble = None
        self._renew()

    def paint_hint(self, painter: QPainter, sentence: str, at: QPointF) -> None:
        """A sentence beside a pixel that is not a refusal."""
        theme = self.theme
        font = look.sans(theme, 12.5)
        width = QFontMetricsF(font).horizontalAdvance(sentence) + 2 * theme.px(9)
        box = QRectF(at.x() + GAP, at.y() + GAP, width, theme.px(28))
        box.moveRight(min(box.right(), self.width() - 4.0))
        box.moveBottom(min(box.bottom(), self.height() - 4.0))
        painter.setPen(QPen(QColor(theme.focus), 1.2))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(box, 6, 6)
        painter.setFont(font)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sentence)

    def _renew(self) -> None:
        seen = bool(self._shown or self._bubble)
        if seen:
            self.setGeometry(self._over.rect())
            self.raise_()
        self.setVisible(seen)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.setGeometry(self._over.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for paint in self._shown:
                painter.save()
                paint(painter)
                painter.restore()
            if self._bubble is not None:
                paint_bubble(painter, self.theme, *self._bubble, QRectF(self.rect()))


def paint_bubble(painter: QPainter, theme: Theme, sentence: str, at: QPointF, within: QRectF) -> None:
    """A sentence with a red outline and a sign, beside a pixel and within a box."""
    font = look.sans(theme, 12.5)
    metrics = QFontMetricsF(font)
    sign, pad = theme.px(16), theme.px(9)
    flags = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft)
    width = min(float(theme.px(BUBBLE_WIDTH)), within.width() - 3 * pad - sign)
    text = metrics.boundingRect(QRectF(0, 0, width, 1000), flags, sentence)
    box = QRectF(0, 0, text.width() + 3 * pad + sign + 1, max(text.height(), sign) + 2 * pad)
    box.moveTopLeft(at + QPointF(GAP, GAP))
    box.moveRight(min(box.right(), within.right() - 4))
    if box.bottom() > within.bottom() - 4:
        box.moveBottom(at.y() - GAP)
    box.moveLeft(max(box.left(), within.left() + 4))
    painter.setPen(QPen(QColor(theme.error), 1.6))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(box, 7, 7)
    tint = QColor(theme.error_fill)
    painter.setBrush(tint)
    painter.drawRoundedRect(box, 7, 7)
    _paint_no(painter, theme, QRectF(box.left() + pad, box.top() + pad, sign, sign))
    painter.setFont(font)
    painter.setPen(QColor(theme.text))
    painter.drawText(
        QRectF(box.left() + 2 * pad + sign, box.top() + pad, text.width() + 1, text.height()), flags, sentence
    )


def _paint_no(painter: QPainter, theme: Theme, box: QRectF) -> None:
    """The sign for "impossible": a circle with a bar."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.error), 2.2))
    inner = box.adjusted(1.5, 1.5, -1.5, -1.5)
    painter.drawEllipse(inner)
    reach = inner.width() / 2 * 0.7
    painter.drawLine(inner.center() - QPointF(reach, -reach), inner.center() + QPointF(reach, -reach))
