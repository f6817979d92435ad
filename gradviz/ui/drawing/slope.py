"""While a leaf's slider is held: a small curve of the root of the backward calls against the leaf's value, with the
tangent whose slope is its `.grad`. The curve comes from one run of the drawing's code, written out for a series of
values, in a worker beside the one that makes the picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from gradviz.commands.row import Samples
from gradviz.document.documents import code_of
from gradviz.document.drawing import Drawing, Leaf, Node, Ref
from gradviz.document.literals import as_float
from gradviz.session.drawn import Drawn
from gradviz.session.text_slope import FEWEST_POINTS, MARK, MOST_POINTS, spread
from gradviz.trace.table.values import number_text
from gradviz.ui import look
from gradviz.ui.drawing.view import DrawingView
from gradviz.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

LINES = 1500  # lines of code run for a curve, unless that leaves fewer than the minimum of points
SIZE = (210, 132)  # pixels at 100 %
PADDING, LINE, GAP = 8, 15, 6
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
        gap, view = self.card.theme.px(GAP), self._view.rect()
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
