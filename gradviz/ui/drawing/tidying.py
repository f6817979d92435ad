"""Tidies a drawing up off the window's thread, as one step of undo; the canvas shows the movement. What the places are
is in `session.tidying`. A thread lives only while there is something to do."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradviz.commands.row import Slow
from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Number, Operation
from gradviz.session.store import Store
from gradviz.session.tidying import Box, Wire, tidied

if TYPE_CHECKING:
    from gradviz.layout.ladder import Layouter
    from gradviz.ui.drawing.geometry import Geometry

LABEL = "Tidy Up"
TIDYING = "Tidying up {:,} nodes…"
NUMBER_ROOM = 30.0  # for a number before a port


class Tidying(QObject):
    """`done` comes when the drawing is tidy, or stays as it was because it changed meanwhile, but not if that is given
    up."""

    done = Signal()
    _found = Signal(object, object, object)

    def __init__(self, store: Store, slow: Slow) -> None:
        super().__init__()
        self._store = store
        self._slow = slow
        self._threads: list[threading.Thread] = []  # the last of them, and those that were given up and still end
        self._layouter: Layouter | None = None  # of what is in work
        self._found.connect(self._place)

    @property
    def is_busy(self) -> bool:
        """Whether places are being looked for."""
        return self._layouter is not None

    def start(self, geometry: Geometry) -> None:
        """Find places for all that this is the geometry of, unless that goes on already."""
        if self.is_busy:
            return
        from gradviz.layout.ladder import Layouter

        self._layouter = layouter = Layouter(rows=False)
        drawing, boxes, wires = geometry.drawing, boxes_of(geometry), wires_of(geometry)
        thread = threading.Thread(
            target=self._find, args=(drawing, boxes, wires, layouter), name="tidying", daemon=True
        )
        self._threads = [*(other for other in self._threads if other.is_alive()), thread]
        thread.start()
        self._slow.tell(self, TIDYING.format(len(drawing.nodes)))

    def give_up(self) -> None:
        """Leave the drawing as it is."""
        if self._layouter is not None:
            self._layouter.cancel()
            self._layouter = None
            self._slow.tell(self, "")

    def close(self) -> None:
        """Give up what is in work, and wait for its end."""
        self.give_up()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _find(self, drawing: Drawing, boxes: dict[int, Box], wires: tuple[Wire, ...], layouter: Layouter) -> None:
        from gradviz.layout.ladder import Cancelled

        places: dict[int, tuple[float, float]] = {}
        try:
            places = tidied(drawing, boxes, wires, layouter)
        except Cancelled:
            return
        self._found.emit(layouter, drawing, places)

    def _place(self, layouter: Layouter, drawing: Drawing, places: dict[int, tuple[float, float]]) -> None:
        if layouter is not self._layouter:
            return
        self._layouter = None
        self._slow.tell(self, "")
        now = self._store.state.drawing
        if now is not None and now.by_id.keys() == drawing.by_id.keys():
            self._store.edit(LABEL, shaping.move_to(now, places))
        else:
            self._store.say("The drawing changed while it was tidied up; choose Tidy Up once more.")
        self.done.emit()


def boxes_of(geometry: Geometry) -> dict[int, Box]:
    """What each node that is seen covers with its results, and each closed group."""
    drawing = geometry.drawing
    ids = [node.id for node in drawing.nodes if geometry.closed_group(node.id) is None]
    ids += [group.id for group in drawing.groups if group.closed and group.id in geometry.boxes]
    found = {}
    for id in ids:
        box, room = geometry.boxes[id], NUMBER_ROOM if _has_number(drawing, id) else 0.0
        found[id] = Box(box.left() - room, box.top(), box.width() + room, box.height())
    return found


def _has_number(drawing: Drawing, id: int) -> bool:
    """Whether a plain number is written before one of its ports."""
    node = drawing.by_id.get(id)
    return isinstance(node, Operation) and any(isinstance(operand, Number) for operand in node.inputs)


def wires_of(geometry: Geometry) -> tuple[Wire, ...]:
    """The wires between them."""
    boxes, found = geometry.boxes, []
    for ref, node, port in geometry.wires():
        tail, head = (geometry.closed_group(id) for id in (ref.node, node))
        first, second = tail.id if tail else ref.node, head.id if head else node
        if first != second:
            begin, end = geometry.port_out(ref).y(), geometry.port_in(node, port).y()
            found.append(Wire(first, second, begin - boxes[first].center().y(), end - boxes[second].center().y()))
    return tuple(found)


def sizes_of(geometry: Geometry) -> dict[int, tuple[float, float]]:
    """Width and height of what stands around the place of each node: a leaf's card, an operation's circle."""
    cards = {ref.node: card for ref, card in geometry.cards.items() if ref.node not in geometry.circles}
    return {id: (box.width(), box.height()) for id, box in (cards | geometry.circles).items()}
