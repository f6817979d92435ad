"""The gesture that makes a wire: from an output to an input, from an input back to an output, or with a wire pulled off
the input where it ended. Possible ends light up, what can't be reached fades, and the wire snaps to nearby ports.

While the wire is still being dragged, the worker is asked whether the drawing with it can run, so that impossible wires
are refused before they are made; a quick drop waits for the answer. Questions of a moving pointer replace each other;
the question of a dropped wire is always answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.nodes import InPort, free_port, inputs_for, outputs_for, port_count
from gradviz.ui.drawing.gesture import Gesture, Ground, Keys, Press, paint_bubble

SNAP = 22.0  # pixels around a port within which a wire snaps to it
CONNECT, DISCONNECT, RECONNECT = "Connect", "Disconnect", "Move Wire"
CLOSED = "The group is collapsed: double-click to expand it, then connect the wire to a port inside."
FADED = 150  # opacity of the cover over what can't be reached, out of 255


@dataclass(frozen=True)
class Loose:
    """A wire with one free end: it has a `source`, or goes to a `target`; `taken` is where it ended before."""

    source: Ref | None = None
    target: InPort | None = None
    taken: InPort | None = None

    @property
    def label(self) -> str:
        """The name of the edit."""
        return RECONNECT if self.taken is not None else CONNECT


@dataclass(frozen=True)
class Wire:
    """Both ends."""

    source: Ref
    target: InPort


def loose_wire(drawing: Drawing, kind: str, node: int, index: int) -> Loose | None:
    """What a drag from a port holds; None if there is no such port."""
    there = drawing.by_id.get(node)
    if kind == "out":
        return Loose(source=Ref(node, index))
    if kind != "in" or not isinstance(there, Operation):
        return None
    operand = there.inputs[index] if index < len(there.inputs) else None
    if isinstance(operand, Ref):
        return Loose(source=operand, taken=(node, index))
    return Loose(target=(node, index))


def without_wire(drawing: Drawing, loose: Loose) -> Drawing:
    """The drawing during the drag."""
    return shaping.disconnect(drawing, *loose.taken) if loose.taken is not None else drawing


def connected(drawing: Drawing, loose: Loose, wire: Wire) -> Drawing:
    """The drawing with the wire; raises UserError with the reason if it is impossible."""
    before = without_wire(drawing, loose)
    node, port = wire.target
    there = before.by_id.get(node)
    if loose.taken is not None and loose.taken[0] == node and there is not None:
        port = min(port, port_count(there) - 1)  # a variadic operation has one input fewer now
    return shaping.connect(before, wire.source, node, port)


class Dropped:
    """A wire that was dropped on a port: it is made as soon as it is known to be possible."""

    def __init__(self, ground: Ground, loose: Loose, wire: Wire, at: QPointF) -> None:
        self._ground, self._loose, self._wire, self._at = ground, loose, wire, at

    def make(self) -> None:
        """Make it, now or when the answer has arrived."""
        try:
            candidate = connected(self._ground.drawing, self._loose, self._wire)
        except UserError as error:
            self._ground.refuse(str(error), self._at)
            return
        self._ground.checks.ask(candidate, self._answered, keep=True)

    def _answered(self, reason: str) -> None:
        if reason:
            self._ground.refuse(reason, self._at)
            return
        try:  # the drawing may have changed by now
            candidate = connected(self._ground.drawing, self._loose, self._wire)
        except (UserError, KeyError) as error:
            self._ground.refuse(str(error), self._at)
            return
        self._ground.edit(self._loose.label, candidate)


class Wiring(Gesture):
    """A wire that follows the pointer."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, ground: Ground, press: Press, loose: Loose) -> None:
        super().__init__(ground, press)
        self.loose = loose
        self.at = press.at
        self.snapped: Wire | None = None
        self.reason = ""
        self.possible: frozenset[Wire] = frozenset()
        self.to_empty: Callable[[Loose, QPointF], None] | None = None  # dropped on empty space

    def begin(self) -> None:
        drawing = without_wire(self.ground.drawing, self.loose)
        source, target = self.loose.source, self.loose.target
        if source is not None:
            self.possible = frozenset(Wire(source, port) for port in inputs_for(drawing, source))
        elif target is not None:
            self.possible = frozenset(Wire(ref, target) for ref in outputs_for(drawing, target[0]))

    def move(self, at: QPointF, keys: Keys) -> None:
        self.at = at
        wire = self._near(at)
        if wire == self.snapped:
            return
        self.snapped, self.reason = wire, ""
        if wire is not None and wire.target != self.loose.taken:
            self._ask(wire)

    def finish(self, at: QPointF, keys: Keys) -> None:
        self.move(at, keys)
        wire, loose = self.snapped, self.loose
        if wire is not None and wire.target == loose.taken:
            return
        if wire is not None:
            Dropped(self.ground, loose, wire, at).make()
        elif loose.taken is not None:
            self.ground.edit(DISCONNECT, without_wire(self.ground.drawing, loose))
        elif any(group.closed and group.id == self.ground.hit(at).id for group in self.ground.drawing.groups):
            self.ground.refuse(CLOSED, at)
        elif self.to_empty is not None and self.ground.hit(at).kind in ("nothing", "comment", "wire", "group"):
            self.to_empty(loose, at)

    def _ask(self, wire: Wire) -> None:
        try:
            candidate = connected(self.ground.drawing, self.loose, wire)
        except UserError as error:
            self.reason = str(error)
            return
        self.ground.checks.ask(candidate, lambda reason: self._told(wire, reason))

    def _told(self, wire: Wire, reason: str) -> None:
        if wire == self.snapped:
            self.reason = reason
            self.ground.overlay.update()

    # -- the other end

    def _near(self, at: QPointF) -> Wire | None:
        """The wire that would be made here: to the nearest port, or to the first free one of the node below."""
        ports = [(QLineF(self._end(wire), at).length(), order, wire) for order, wire in enumerate(self._all_ports(at))]
        near = min((one for one in ports if one[0] <= SNAP), default=None)
        if near is not None:
            return near[2]
        hit = self.ground.hit(at)
        if hit.kind != "node":
            return None
        if self.loose.source is not None and hit.id != self.loose.source.node:
            port = free_port(without_wire(self.ground.drawing, self.loose), hit.id)
            return Wire(self.loose.source, (hit.id, port)) if port >= 0 else None
        if self.loose.target is not None and hit.id != self.loose.target[0]:
            return Wire(Ref(hit.id), self.loose.target)
        return None

    def _all_ports(self, at: QPointF) -> list[Wire]:
        """Wires to the ports near a pixel, possible or not."""
        hit = self.ground.geometry.hit(self.ground.world(at), SNAP / self.ground.view.camera.scale)
        found = list(self.possible)
        if hit.kind == "in" and self.loose.source is not None:
            found.append(Wire(self.loose.source, (hit.id, hit.index)))
        elif hit.kind == "out" and self.loose.target is not None:
            found.append(Wire(Ref(hit.id, hit.index), self.loose.target))
        return found

    def _end(self, wire: Wire) -> QPointF:
        """The pixel of the port to be found."""
        geometry = self.ground.geometry
        there = geometry.port_in(*wire.target) if self.loose.source is not None else geometry.port_out(wire.source)
        return self.ground.pixel(there)

    # -- feedback

    def paint(self, painter: QPainter) -> None:
        theme = self.ground.overlay.theme
        self._paint_reach(painter)
        start, end = map(self.ground.world, self._ends())
        bad = bool(self.reason)
        pen = QPen(QColor(theme.error if bad else theme.focus), 2.6)
        if bad or self.snapped is None:
            pen.setDashPattern([5, 3])
        self.ground.paint_wire(painter, pen, start, end)
        if self.snapped is not None:
            painter.setPen(QPen(QColor(theme.error if bad else theme.focus), 2))
            painter.setBrush(QColor(theme.error_fill if bad else theme.selection))
            painter.drawEllipse(self._end(self.snapped), 8, 8)
        if bad:
            within = self.ground.overlay.rect()
            paint_bubble(painter, theme, self.reason, self.at, within.toRectF())

    def _ends(self) -> tuple[QPointF, QPointF]:
        geometry, ground = self.ground.geometry, self.ground
        loose_end = self._end(self.snapped) if self.snapped is not None else self.at
        if self.loose.source is not None:
            return ground.pixel(geometry.port_out(self.loose.source)), loose_end
        assert self.loose.target is not None
        return loose_end, ground.pixel(geometry.port_in(*self.loose.target))

    def _paint_reach(self, painter: QPainter) -> None:
        """Cover what the wire can't reach, and light up the ports that it can."""
        theme, ground = self.ground.overlay.theme, self.ground
        forward = self.loose.source is not None
        lit = {wire.target[0] if forward else wire.source.node for wire in self.possible}
        own = self.loose.source.node if self.loose.source is not None else self.loose.target[0]  # type: ignore[index]
        cover = QColor(theme.canvas)
        cover.setAlpha(FADED)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(cover)
        for node in ground.drawing.nodes:
            if node.id not in lit and node.id != own:
                painter.drawRoundedRect(ground.pixels(ground.geometry.box(node.id)), 8, 8)
        painter.setPen(QPen(QColor(theme.focus), 1.6))
        painter.setBrush(QColor(theme.panel))
        for wire in self.possible:
            painter.drawEllipse(self._end(wire), ground.port_radius, ground.port_radius)


# -- whether a wire is possible


Then = Callable[[str], None]  # takes the reason why not, "" for none
REMEMBERED = 16


@dataclass(eq=False)
class _Question:
    candidate: Drawing
    kept: bool
    thens: list[Then] = field(default_factory=list)


class WireChecks:
    """The questions waiting for an answer, and the latest answers."""

    def __init__(self, ask: Callable[[Drawing, Then], None]) -> None:
        self._ask = ask
        self._now: _Question | None = None
        self._next: deque[_Question] = deque()
        self._known: deque[tuple[Drawing, str]] = deque(maxlen=REMEMBERED)

    def ask(self, candidate: Drawing, then: Then, *, keep: bool = False) -> None:
        """Call `then` with the reason why this can't run; a question that need not be kept may be replaced and never
        answered."""
        for known, reason in self._known:
            if known == candidate:
                then(reason)
                return
        for question in (self._now, *self._next):
            if question is not None and question.candidate == candidate:
                question.thens.append(then)
                question.kept = question.kept or keep
                return
        question = _Question(candidate, keep, [then])
        if self._now is not None and self._now.kept:
            self._next = deque(one for one in self._next if one.kept)
            self._next.append(question)
        else:
            self._send(question)

    def _send(self, question: _Question) -> None:
        self._now = question
        self._ask(question.candidate, lambda reason: self._answered(question, reason))

    def _answered(self, question: _Question, reason: str) -> None:
        if question is not self._now:
            return
        self._now = None
        self._known.append((question.candidate, reason))
        for then in question.thens:
            then(reason)
        if self._now is None and self._next:
            self._send(self._next.popleft())
