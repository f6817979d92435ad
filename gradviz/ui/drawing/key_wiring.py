"""A wire made by keyboard: it begins at what is picked, Tab or an arrow goes from port to port, Enter makes it, or
takes it off where it is already, Esc forgets it. Where there are several outputs, Up and Down choose the one that it
begins at."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.reach import InPort, inputs_for
from gradviz.document.shaping.looking import outputs, port_name
from gradviz.ui.drawing.geometry import NOTHING
from gradviz.ui.drawing.gesture import Gesture, Ground, Press
from gradviz.ui.drawing.wiring import DISCONNECT, Dropped, Loose, Wire

NEXT = (Qt.Key.Key_Tab, Qt.Key.Key_Right)
BACK = (Qt.Key.Key_Backtab, Qt.Key.Key_Left)
OUTPUTS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
NO_PORT = "No port is free for {}. Add an operation, then connect it."
PICK_ONE = "Select the node at which the wire starts."


def targets(drawing: Drawing, source: Ref) -> tuple[InPort, ...]:
    """Where the wire could end, and then where such a wire ends already."""
    ended = [
        (node.id, port)
        for node in drawing.nodes
        for port, operand in enumerate(node.inputs if isinstance(node, Operation) else ())
        if operand == source
    ]
    return (*inputs_for(drawing, source), *ended)


class KeyWiring(Gesture):
    """Goes on until Enter or Esc."""

    def __init__(self, ground: Ground, source: Ref) -> None:
        super().__init__(ground, Press(QPointF(), NOTHING))
        self.source = source
        node = ground.drawing.by_id[source.node]
        self.outputs = outputs(node) if isinstance(node, Operation) else 1
        self.at = 0
        self.targets = self._targets()

    def _targets(self) -> list[InPort]:
        """The free ports, those of the nearest node first, and then those with such a wire."""
        drawing, geometry = self.ground.drawing, self.ground.geometry
        start, free = geometry.port_out(self.source), set(inputs_for(drawing, self.source))
        return sorted(
            targets(drawing, self.source),
            key=lambda port: (port not in free, QLineF(start, geometry.port_in(port[0], 0)).length(), port),
        )

    @property
    def target(self) -> InPort:
        """The port that Enter would connect."""
        return self.targets[self.at]

    @property
    def takes_off(self) -> bool:
        """Whether the wire is there already."""
        there = self.ground.drawing.by_id[self.target[0]]
        assert isinstance(there, Operation)
        return self.target[1] < len(there.inputs) and there.inputs[self.target[1]] == self.source

    @property
    def words(self) -> str:
        """What Enter would do."""
        drawing = self.ground.drawing
        if not self.targets:
            return f"No free port is left for {self.start}: type what it goes to"
        there = drawing.by_id[self.target[0]]
        assert isinstance(there, Operation)
        port = f"{port_name(there, self.target[1])} of {shaping.label(drawing, there.id)}"
        count = f"{self.at + 1} of {len(self.targets)}"
        start = f"{self.start} " if self.outputs > 1 else ""
        if self.takes_off:
            return f"Take the wire {f'of {start}' if start else ''}off {port} ({count})"
        return f"Connect {start}to {port} ({count})"

    @property
    def start(self) -> str:
        """The output that the wire begins at, as it is called."""
        name = self.ground.geometry.name(self.source)
        return name or f"output {self.source.output + 1} of {shaping.label(self.ground.drawing, self.source.node)}"

    def begin(self) -> None:
        self.ground.announce(self.words)

    def step(self, way: int) -> None:
        """Go to the next port, or the one before."""
        self.at = (self.at + way) % max(1, len(self.targets))
        self.ground.layer.update()
        self.ground.announce(self.words)

    def step_output(self, way: int) -> None:
        """Begin at the next output, or the one before; with one output only, go to another port."""
        if self.outputs == 1:
            self.step(way)
            return
        self.source = Ref(self.source.node, (self.source.output + way) % self.outputs)
        self.at, self.targets = 0, self._targets()
        self.step(0)

    def take(self) -> None:
        """Enter: do it."""
        if not self.targets:
            self.ground.refuse(
                NO_PORT.format(self.start), self.ground.pixel(self.ground.geometry.port_out(self.source))
            )
            return
        ground, at = self.ground, self.ground.pixel(self.ground.geometry.port_in(*self.target))
        if not self.takes_off:
            Dropped(ground, Loose(source=self.source), Wire(self.source, self.target), at).make()
            return
        try:
            ground.edit(DISCONNECT, shaping.disconnect(ground.drawing, *self.target))
        except UserError as error:
            ground.refuse(str(error), at)

    def paint(self, painter: QPainter) -> None:
        ground, theme = self.ground, self.ground.layer.theme
        painter.setPen(QPen(QColor(theme.focus), 1.4))
        painter.setBrush(QColor(theme.panel))
        for port in self.targets:
            painter.drawEllipse(ground.pixel(ground.geometry.port_in(*port)), ground.port_radius, ground.port_radius)
        keys = "Enter   ·   Tab: next port" + ("   ·   ↑↓: output" if self.outputs > 1 else "") + "   ·   Esc"
        if not self.targets:
            ground.layer.paint_hint(painter, self.words, ground.pixel(ground.geometry.port_out(self.source)))
            return
        end = ground.pixel(ground.geometry.port_in(*self.target))
        pen = QPen(QColor(theme.focus), 2.6)
        if self.takes_off:
            pen.setDashPattern([3, 3])
        ground.paint_wire(painter, pen, ground.geometry.port_out(self.source), ground.world(end))
        painter.setBrush(QColor(theme.selection))
        painter.drawEllipse(end, 8, 8)
        ground.layer.paint_hint(painter, f"{self.words}   ·   {keys}", end)
