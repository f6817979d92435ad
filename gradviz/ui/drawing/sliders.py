"""Sliders above the cards of scalar leaves: one for the selected leaf, and one for each that has its own range. They
are widgets, so the keyboard reaches them; a drag is one undo step. `ui.services.live_drawing` reacts to changes;
`SlopeCard` shows the curve that the value moves along. A double click or F2 edits the range.

While a leaf's slider is held: a small curve of the root of the backward calls against the leaf's value, with the
tangent whose slope is its `.grad`. The curve comes from one run of the drawing's code, written out for a series of
values, in a worker beside the one that makes the picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSlider, QStyle, QWidget

from gradviz.commands.row import Samples
from gradviz.document import shaping
from gradviz.document.documents import code_of
from gradviz.document.drawing import Drawing, Leaf, Node, Ref
from gradviz.document.literals import as_float
from gradviz.session.drawn import Drawn
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.session.text_slope import FEWEST_POINTS, MARK, MOST_POINTS, spread
from gradviz.trace.table.values import number_text
from gradviz.ui import look
from gradviz.ui.canvas import sizes
from gradviz.ui.drawing.node_entry import LineField
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

LINES = 1500  # lines of code run for a curve, unless that leaves fewer than the minimum of points
SIZE = (210, 132)  # pixels at 100 %
PADDING, LINE, CARD_GAP = 8, 15, 6
SPARE = 0.08  # of the height, above and below the curve
BACKWARD = ".backward("


@dataclass(frozen=True)
class Slope:
    """The present value, the root there, the slope (None without one), and where PyTorch stores it ("" if it was
    measured)."""

    at: float
    root: float
    grad: float | None
    kept: str = ""

    @property
    def said(self) -> str:
        """ "slope 24 = w.grad", "slope ≈ 0.3"."""
        number = number_text(self.grad) if self.grad is not None else ""
        return f"slope {number} = {self.kept}" if self.kept else f"slope ≈ {number}" if number else ""


def program(drawing: Drawing, leaf: int, values: Sequence[float]) -> str:
    """Code that prints the root of the backward calls that reach a leaf, for each of the leaf's values; "" if there is
    no curve, because there is no such call or one starts from a gradient other than 1."""
    calls = [call for call in drawing.calls if call.inputs is None or leaf in call.inputs]
    if not calls or any(call.gradient is not None for call in calls):
        return ""
    parts = []
    for value in values:
        nodes = tuple(_with_data(node, value) if node.id == leaf else node for node in drawing.nodes)
        text = code_of(replace(drawing, nodes=nodes, calls=tuple(calls))).text
        lines = [line.rpartition(BACKWARD)[0] if BACKWARD in line else "" for line in text.splitlines()]
        sums = " + ".join(f"({root}).item()" for root in lines if root)
        kept = [line for line in text.splitlines() if BACKWARD not in line]
        parts += [*kept, f"print({MARK!r}, {sums})"]
    return "\n".join((*parts, ""))


def _with_data(node: Node, value: float) -> Node:
    return replace(node, data=value) if isinstance(node, Leaf) else node


def slope_of(drawn: Drawn, trace: Trace, leaf: int) -> Slope | None:
    """The point of the curve and its slope, from the trace of the picture; None if the trace does not have them."""
    node = drawn.drawing.by_id.get(leaf)
    if not isinstance(node, Leaf):
        return None
    frame, total = trace.frame(len(trace)), 0.0
    for call in drawn.drawing.calls:
        if call.inputs is None or leaf in call.inputs:
            value = frame.value(drawn.tensors[call.root]) if call.root in drawn.tensors else None
            if value is None or value.scalar is None or isinstance(value.scalar, complex):
                return None
            total += float(value.scalar)
    tensor = drawn.tensors.get(Ref(leaf), -1)
    stored = frame.grad(tensor) if tensor >= 0 else None
    number = stored.scalar if stored is not None else None
    at = as_float(node.data) if isinstance(node.data, int | float) else math.nan
    grad = None if number is None or isinstance(number, complex) else float(number)
    return Slope(at, total, grad, f"{node.name}.grad")


class SlopeCard(QWidget):
    """The picture: the curve, the point on it, and the tangent."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.theme: Theme = LIGHT
        self.points: tuple[tuple[float, float], ...] = ()
        self.slope: Slope | None = None
        self.names = "", ""  # of the leaf and of the root
        self.hide()

    def show_slope(
        self, points: tuple[tuple[float, float], ...], slope: Slope | None, names: tuple[str, str], theme: Theme
    ) -> None:
        """Show this curve and this tangent."""
        self.points, self.slope, self.names, self.theme = points, slope, names, theme
        self.setFixedSize(theme.px(SIZE[0]), theme.px(SIZE[1]))
        self.setAccessibleName(self.said)
        self.update()

    @property
    def said(self) -> str:
        """What it shows, in words."""
        leaf, root = self.names
        if self.slope is None or self.slope.grad is None:
            return f"{root} against {leaf}"
        return f"{root} against {leaf}: {self.slope.said}"

    def _scale(self, area: QRectF) -> Callable[[float, float], QPointF]:
        """From a value and a root to a pixel."""
        (low, *_, high), heights = [x for x, _ in self.points], [y for _, y in self.points]
        bottom, top = min(heights), max(heights)
        spare = SPARE * (top - bottom) or max(abs(top), 1.0)
        bottom, top = bottom - spare, top + spare
        return lambda x, y: QPointF(
            area.left() + area.width() * (x - low) / (high - low),
            area.bottom() - area.height() * (y - bottom) / (top - bottom),
        )

    def paintEvent(self, _: QPaintEvent) -> None:
        theme, line, padding = self.theme, self.theme.px(LINE), self.theme.px(PADDING)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.panel_border), 1))
            painter.setBrush(QColor(theme.panel))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), padding, padding)
            inner = QRectF(self.rect()).adjusted(padding, padding / 2, -padding, -padding / 2)
            self._words(painter, inner, line)
            area = inner.adjusted(0, line + 2, 0, -line - 2)
            if len(self.points) < 2:
                return
            place = self._scale(area)
            painter.setClipRect(area)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.forward), 2))
            painter.drawPolyline(QPolygonF([place(*point) for point in self.points]))
            if self.slope is not None and math.isfinite(self.slope.root):
                self._tangent(painter, self.slope, place)

    def _words(self, painter: QPainter, inner: QRectF, line: float) -> None:
        theme, (leaf, root) = self.theme, self.names
        painter.setFont(look.sans(theme, look.SMALL))
        painter.setPen(QColor(theme.muted))
        above = f"{root} = {number_text(self.slope.root)}" if self.slope is not None else root
        painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), line), Qt.AlignmentFlag.AlignLeft, above)
        below = QRectF(inner.left(), inner.bottom() - line, inner.width(), line)
        right = Qt.AlignmentFlag.AlignRight
        if self.slope is None or self.slope.grad is None:
            painter.drawText(below, right, f"{leaf} →")
            return
        painter.setPen(QColor(theme.gradient))
        painter.drawText(below, right, self.slope.said)

    def _tangent(self, painter: QPainter, slope: Slope, place: Callable[[float, float], QPointF]) -> None:
        theme, low, high = self.theme, self.points[0][0], self.points[-1][0]
        if slope.grad is not None and math.isfinite(slope.grad):
            painter.setPen(QPen(QColor(theme.gradient), 2, Qt.PenStyle.DashLine))
            ends = (place(x, slope.root + slope.grad * (x - slope.at)) for x in (low, high))
            painter.drawLine(*ends)
        painter.setPen(QPen(QColor(theme.panel), 1.5))
        painter.setBrush(QColor(theme.focus))
        painter.drawEllipse(place(slope.at, slope.root), 5, 5)


class Slopes(QObject):
    """Shows the card of the leaf whose slider is held or has the focus."""

    def __init__(self, view: DrawingView, samples: Callable[[], Samples]) -> None:
        super().__init__(view)
        self._view = view
        self._samples = samples
        self._beside = QRectF()
        self.card = SlopeCard(view)
        self.leaf = 0
        self._sampled: Drawing | None = None  # the drawing that the curve belongs to, apart from the leaf's value
        self._values: tuple[float, ...] = ()
        self._points: tuple[tuple[float, float], ...] = ()

    def hold(self, leaf: int, ends: tuple[float, float], drawing: Drawing) -> None:
        """This leaf's slider is grabbed, or is still moving."""
        nodes = tuple(_with_data(node, 0.0) if node.id == leaf else node for node in drawing.nodes)
        same, values = replace(drawing, nodes=nodes), _spread(ends, len(drawing.nodes))
        if (leaf, values, same) != (self.leaf, self._values, self._sampled):
            self.let_go()
            self.leaf, self._values, self._sampled = leaf, values, same
            text = program(drawing, leaf, values)
            if text:
                self._samples().ask(text, self._take)

    def let_go(self) -> None:
        """No slider is held."""
        if self.leaf:
            self.leaf, self._sampled, self._points = 0, None, ()
            self._samples().drop()
            self.card.hide()

    def _take(self, printed: str) -> None:
        numbers = [line.split()[1] for line in printed.splitlines() if line.startswith(f"{MARK} ")]
        if len(numbers) == len(self._values):
            points = ((value, float(text)) for value, text in zip(self._values, numbers, strict=True))
            self._points = tuple(point for point in points if math.isfinite(point[1]))
            self.show()

    def put(self, beside: QRectF, theme: Theme) -> None:
        """The leaf and its slider are here now."""
        self._beside, self.card.theme = beside, theme
        self.show()

    def show(self) -> None:
        """The card, with the values of the present picture."""
        drawn, trace = self._view.drawn, self._view.trace
        leaf = drawn.drawing.by_id.get(self.leaf) if drawn is not None else None
        if drawn is None or trace is None or not isinstance(leaf, Leaf) or len(self._points) < 2:
            self.card.hide()
            return
        names = dict(code_of(drawn.drawing).names)
        roots = {name for call in drawn.drawing.calls for name in names.get(call.root.node, ())[:1]}
        root = roots.pop() if len(drawn.drawing.calls) == len(roots) == 1 else "the sum of the roots"
        self.card.show_slope(self._points, slope_of(drawn, trace, self.leaf), (leaf.name, root), self.card.theme)
        self.card.move(*self._place())
        self.card.show()
        self.card.raise_()

    def _place(self) -> tuple[int, int]:
        """Place it beside the leaf and its slider, where it covers the fewest cards."""
        width, height, box = self.card.width(), self.card.height(), self._beside
        gap, view = self.card.theme.px(CARD_GAP), self._view.rect()
        corners = (
            (box.center().x() - width / 2, box.top() - gap - height),
            (box.center().x() - width / 2, box.bottom() + gap),
            (box.left() - gap - width, box.center().y() - height / 2),
            (box.right() + gap, box.center().y() - height / 2),
        )
        camera, geometry = self._view.camera, self._view.world_geometry
        others = (*geometry.circles.values(), *geometry.cards.values())

        def covered(place: QRectF) -> tuple[bool, int]:
            ends = QPointF(*camera.to_world(place.left(), place.top())), camera.to_world(place.right(), place.bottom())
            world = QRectF(ends[0], QPointF(*ends[1]))
            return place.intersects(box), sum(world.intersects(other) for other in others)

        inside = (
            QRectF(min(max(x, 0.0), view.width() - width), min(max(y, 0.0), view.height() - height), width, height)
            for x, y in corners
        )
        best = min(inside, key=covered)
        return round(best.left()), round(best.top())


def _spread(ends: tuple[float, float], nodes: int) -> tuple[float, ...]:
    """The values for which the curve is computed, from end to end."""
    return spread(*ends, min(MOST_POINTS, max(FEWEST_POINTS, LINES // max(nodes, 1))))


RANGE = (-10.0, 10.0)  # for a leaf without its own range
STEPS = 1000
HEIGHT, GAP = 20, 6  # pixels at 100 %
GROOVE, HANDLE = 4, 7
MOST = 1e30  # the largest value of a slider; beyond this a position means nothing
FIELD = 120  # width in pixels of the field for the range, at 100 %
NO_RANGE = "Type both ends of the slider, the smaller one first, such as -5 to 5."
SMALLEST = 0.4  # zoom below which a slider can't be grabbed


def has_slider(leaf: Leaf) -> bool:
    """Whether this is a number that a slider can change."""
    is_number = isinstance(leaf.data, int | float) and not isinstance(leaf.data, bool)
    return leaf.maker == "tensor" and is_number and all(abs(end) <= MOST for end in range_of(leaf))


def range_of(leaf: Leaf) -> tuple[float, float]:
    """The range of its slider, which always contains the value."""
    if leaf.slider is not None:
        return leaf.slider
    value = leaf.data if isinstance(leaf.data, int | float) else 0.0
    if value != value or abs(value) == math.inf or RANGE[0] <= value <= RANGE[1]:
        return RANGE
    return -2 * abs(value), 2 * abs(value)


def range_in(text: str) -> tuple[float, float] | None:
    """The two numbers in "-5 to 5", None if it is not a range."""
    low, _, high = text.partition("to") if "to" in text else text.strip().replace(",", " ").partition(" ")
    try:
        ends = float(low), float(high)
    except ValueError:
        return None
    return ends if -MOST <= ends[0] < ends[1] <= MOST else None


def value_at(place: int, low: float, high: float, *, whole: bool) -> int | float:
    """The value at a slider position, with no more digits than a position has."""
    value = low + (high - low) * place / STEPS
    if whole:
        return round(value)
    step = (high - low) / STEPS
    return round(value, max(0, math.ceil(-math.log10(step)))) if 0 < step < 1 else value


class LeafSlider(QSlider):
    """The slider of one leaf. `take` receives the value; `done` is emitted on release, `left` when the focus goes
    elsewhere."""

    left = Signal()
    range_wanted = Signal()  # the user wants to edit the range

    def __init__(self, over: DrawingView, take: Callable[[int | float], None], done: Callable[[], None]) -> None:
        super().__init__(Qt.Orientation.Horizontal, over)
        self.setObjectName("leaf")
        self.setRange(0, STEPS)
        self.setSingleStep(STEPS // 100)
        self.setPageStep(STEPS // 10)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._take = take
        self._done = done
        self.theme = LIGHT
        self._range = RANGE
        self._whole = False
        self.side = 0  # of its card: which of the possible places
        self.valueChanged.connect(self._moved)
        self.sliderReleased.connect(done)

    def show_leaf(self, leaf: Leaf) -> None:
        """Show the leaf's value; a slider that is being dragged stays where it is."""
        if not self.isSliderDown():
            self._range = range_of(leaf)
        self._whole = isinstance(leaf.data, int)
        low, high = self._range
        value = as_float(leaf.data) if isinstance(leaf.data, int | float) else 0.0
        share = (min(max(value, low), high) - low) / (high - low) if math.isfinite(value) else 0.0
        place = round(share * STEPS)
        if not self.isSliderDown() and self.value() != place:
            self.blockSignals(True)
            self.setValue(place)
            self.blockSignals(False)
        self.setAccessibleName(f"Value of {leaf.name}, from {low:g} to {high:g}")
        self.setToolTip(f"{leaf.name} from {low:g} to {high:g}. Double-click or F2 to change the range.")

    @property
    def ends(self) -> tuple[float, float]:
        """The range."""
        return self._range

    def _moved(self, place: int) -> None:
        self._take(value_at(place, *self._range, whole=self._whole))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.range_wanted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F2:
            self.range_wanted.emit()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        super().keyReleaseEvent(event)
        if not event.isAutoRepeat():
            self._done()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._done()
        self.left.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A groove filled up to a round handle, which is solid with focus."""
        theme = self.theme
        groove, radius = theme.px(GROOVE), theme.px(HANDLE)
        length = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self)
        room = self.width() - length
        x = length / 2 + QStyle.sliderPositionFromValue(0, STEPS, self.sliderPosition(), room)
        middle = self.height() / 2
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.canvas))  # above a pill or an edge
            painter.drawRoundedRect(self.rect(), self.height() / 2, self.height() / 2)
            for colour, end in ((theme.panel_border, self.width() - length / 2), (theme.focus, x)):
                painter.setBrush(QColor(colour))
                box = QRectF(length / 2, middle - groove / 2, end - length / 2, groove)
                painter.drawRoundedRect(box, groove / 2, groove / 2)
            painter.setPen(QPen(QColor(theme.focus), 2))
            painter.setBrush(QColor(theme.focus if self.hasFocus() else theme.panel))
            painter.drawEllipse(QPointF(x, middle), radius - 1, radius - 1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel zooms the canvas."""
        event.ignore()


class Sliders(QObject):
    """All sliders of a canvas."""

    def __init__(self, view: DrawingView, store: Store, theme: Theme, samples: Callable[[], Samples]) -> None:
        super().__init__(view)
        self.slopes = Slopes(view, samples)
        self._view = view
        self._store = store
        self._theme = theme
        self.by_leaf: dict[int, LeafSlider] = {}
        view.viewport.changed.connect(self._place)  # as it does with each new picture

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self._theme = theme
        self._place()

    def show_state(self, before: State, after: State) -> None:
        """Create a slider for each leaf that should have one."""
        self.slopes.show()
        if before is not after and (before.document, before.picked) == (after.document, after.picked):
            return
        drawing = after.drawing or Drawing()
        wanted = {
            node.id: node
            for node in drawing.nodes
            if isinstance(node, Leaf)
            and has_slider(node)
            and (node.slider is not None or after.picked == frozenset({node.id}))
        }
        for id in [id for id in self.by_leaf if id not in wanted]:
            slider = self.by_leaf.pop(id)
            if slider.hasFocus():
                self._view.setFocus()
            slider.hide()
            slider.deleteLater()
            if id == self.slopes.leaf:
                self.slopes.let_go()
        for id, leaf in wanted.items():
            if id not in self.by_leaf:
                self.by_leaf[id] = self._made(id)
            self.by_leaf[id].show_leaf(leaf)
        if self.slopes.leaf:
            self._hold(self.slopes.leaf)
        self._place()

    def _made(self, id: int) -> LeafSlider:
        slider = LeafSlider(self._view, lambda value: self._take(id, value), self._store.seal)
        slider.sliderPressed.connect(lambda: self._hold(id))
        slider.left.connect(self.slopes.let_go)
        slider.range_wanted.connect(lambda: self._edit_range(id))
        return slider

    def _edit_range(self, id: int) -> None:
        """Open a field above the slider with both ends of the range."""
        slider = self.by_leaf[id]
        field = LineField("{:g} to {:g}".format(*slider.ends), self._view)
        field.setAccessibleName("Range of the slider")
        field.setStyleSheet(
            f"border: 2px solid {self._theme.focus}; background: {self._theme.panel}; padding: 1px 4px;"
        )
        field.setFont(look.mono(self._theme, 12.5))
        place = slider.geometry()
        width, height = max(place.width(), self._theme.px(FIELD)), self._theme.px(HEIGHT + GAP)
        field.setGeometry(place.left(), place.bottom() - height, width, height)
        field.key.connect(lambda name: self._end_range(id, field, name))
        field.left.connect(lambda: self._end_range(id, field, "enter"))
        field.show()
        field.setFocus()
        field.selectAll()

    def _end_range(self, id: int, field: LineField, key: str) -> None:
        """Take what was typed; an invalid range stays to be corrected, unless the focus is elsewhere."""
        drawing, leaf = self._store.state.drawing, None
        if drawing is not None:
            leaf = drawing.by_id.get(id)
        if key not in ("enter", "escape", "tab") or field.isHidden():
            return
        ends = range_in(field.text())
        if key != "escape" and ends is None and field.hasFocus():
            self._store.say(NO_RANGE)
            return
        field.hide()
        field.deleteLater()
        if drawing is not None and isinstance(leaf, Leaf) and key != "escape" and ends is not None:
            data = leaf.data if isinstance(leaf.data, int | float) else 0.0
            inside = min(max(data, ends[0]), ends[1]) if data == data else data
            changed = shaping.change_leaf(drawing, id, slider=ends, data=data if inside == data else type(data)(inside))
            self._store.edit(f"Change Range of {leaf.name}", changed)
        if id in self.by_leaf:
            self.by_leaf[id].setFocus()

    def _hold(self, id: int) -> None:
        """Show how the result depends on this leaf."""
        drawing, slider = self._store.state.drawing, self.by_leaf.get(id)
        if drawing is not None and slider is not None and self._store.state.is_trusted:
            self.slopes.hold(id, slider.ends, drawing)
            self._place()

    def _take(self, id: int, value: int | float) -> None:
        drawing = self._store.state.drawing
        leaf = drawing.by_id.get(id) if drawing is not None else None
        if drawing is not None and isinstance(leaf, Leaf) and leaf.data != value:
            changed = shaping.change_leaf(drawing, id, data=value)
            self._store.edit(f"Change {leaf.name}", changed, merge=f"slider {id}")
            self._hold(id)

    def _place(self) -> None:
        """Place each above its card, or below it if another card is above."""
        view, scale = self._view, self._view.camera.scale / self._theme.scale
        for id, slider in self.by_leaf.items():
            card = view.world_geometry.cards.get(Ref(id))
            if card is None or scale < SMALLEST or view.world_geometry.closed_group(id) is not None:
                slider.hide()
                continue
            height, gap = self._theme.px(HEIGHT), self._theme.px(GAP)
            place = self._beside(id, card, (height + gap) / view.camera.scale)
            left, top = view.camera.to_screen(place.left(), place.top())
            width = round(card.width() * view.camera.scale)
            slider.theme = self._theme
            slider.setGeometry(round(left), round(top) + (gap if place.top() > card.top() else 0), width, height)
            slider.setVisible(view.rect().contains(QPointF(left, top).toPoint()))
            if id == self.slopes.leaf:
                at = QRectF(*view.camera.to_screen(card.left(), card.top()), width, card.height() * view.camera.scale)
                self.slopes.put(at.united(QRectF(slider.geometry())), self._theme)

    def _beside(self, id: int, card: QRectF, room: float) -> QRectF:
        """Where there is room beside a card, in world coordinates: above it, unless that covers another card, or words
        on an edge, and below does not; words may appear and disappear under one that is being dragged."""
        geometry = self._view.world_geometry
        shared = geometry.uses.get(Ref(id), 0) > 1
        badge = sizes.BADGE_GAP + sizes.BADGE_HEIGHT if shared else 0.0
        over = QRectF(card.left(), card.top() - room, card.width(), room)
        under = QRectF(card.left(), card.bottom(), card.width(), room)  # better its own badge than another card
        others = [*geometry.circles.values(), *(other for ref, other in geometry.cards.items() if ref.node != id)]
        words = self._view.boxes_of_words()
        places = (over, under.translated(0, badge), under)
        free = [box for box in places if not any(map(box.intersects, others))]
        at = self.by_leaf[id].side
        if not self.by_leaf[id].isSliderDown() or places[at] not in free:
            clear = [box for box in free if not any(map(box.intersects, words))]
            at = self.by_leaf[id].side = places.index([*clear, *free, over][0])
        return places[at]
