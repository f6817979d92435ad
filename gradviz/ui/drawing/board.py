"""Manual changes to a drawing by commands and the palette: the window's `Board`. On a blank document each of these
begins a drawing. Tidying up runs off the window's thread and is a single undo step; `session.tidy_up` decides where
things go. The gestures are in `interactions`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, Signal
from PySide6.QtGui import QGuiApplication

from gradviz.commands.row import LayoutProgress
from gradviz.document import shaping
from gradviz.document.drawing import Drawing, Number, Operation
from gradviz.document.entry import copy_code, paste_code
from gradviz.document.errors import UserError
from gradviz.session.store import Store
from gradviz.session.tidy_up import Box, Wire, tidied
from gradviz.ui.drawing.drag import LEAF, place

if TYPE_CHECKING:
    from gradviz.layout.flat import Layouter
    from gradviz.ui.drawing.geometry import Geometry
    from gradviz.ui.drawing.interactions import Interactions


LABEL = "Tidy Up"
TIDYING = "Tidying up {:,} nodes…"
NUMBER_ROOM = 30.0  # for a number before a port


class Tidier(QObject):
    """`done` is emitted when the drawing is tidy, or unchanged because it was edited meanwhile, but not if tidying was
    given up."""

    done = Signal()
    _found = Signal(object, object, object)

    def __init__(self, store: Store, progress: LayoutProgress) -> None:
        super().__init__()
        self._store = store
        self._progress = progress
        self._threads: list[threading.Thread] = []  # the latest, and those that were given up but have not ended yet
        self._layouter: Layouter | None = None  # of the work in progress
        self._found.connect(self._place)

    @property
    def is_busy(self) -> bool:
        """Whether positions are being computed."""
        return self._layouter is not None

    def start(self, geometry: Geometry) -> None:
        """Compute positions for everything in this geometry, unless that is already in progress."""
        if self.is_busy:
            return
        from gradviz.layout.flat import Layouter

        self._layouter = layouter = Layouter(rows=False)
        drawing, boxes, wires = geometry.drawing, boxes_of(geometry), wires_of(geometry)
        thread = threading.Thread(target=self._find, args=(drawing, boxes, wires, layouter), name="tidier", daemon=True)
        self._threads = [*(other for other in self._threads if other.is_alive()), thread]
        thread.start()
        self._progress.update(self, TIDYING.format(len(drawing.nodes)))

    def give_up(self) -> None:
        """Leave the drawing as it is."""
        if self._layouter is not None:
            self._layouter.cancel()
            self._layouter = None
            self._progress.update(self, "")

    def close(self) -> None:
        """Give up the work in progress and wait for its end."""
        self.give_up()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _find(self, drawing: Drawing, boxes: dict[int, Box], wires: tuple[Wire, ...], layouter: Layouter) -> None:
        from gradviz.layout.flat import Cancelled

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
        self._progress.update(self, "")
        now = self._store.state.drawing
        if now is not None and now.by_id.keys() == drawing.by_id.keys():
            self._store.edit(LABEL, shaping.move_to(now, places))
        else:
            self._store.say("The drawing changed while it was tidied up; choose Tidy Up once more.")
        self.done.emit()


def boxes_of(geometry: Geometry) -> dict[int, Box]:
    """The area of each visible node with its results, and of each closed group."""
    drawing = geometry.drawing
    ids = [node.id for node in drawing.nodes if geometry.closed_group(node.id) is None]
    ids += [group.id for group in drawing.groups if group.closed and group.id in geometry.boxes]
    found = {}
    for id in ids:
        box, room = geometry.boxes[id], NUMBER_ROOM if _has_number(drawing, id) else 0.0
        found[id] = Box(box.left() - room, box.top(), box.width() + room, box.height())
    return found


def _has_number(drawing: Drawing, id: int) -> bool:
    """Whether a plain number is written in front of one of its ports."""
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
    """Width and height of what surrounds the position of each node: a leaf's card, an operation's circle."""
    cards = {ref.node: card for ref, card in geometry.cards.items() if ref.node not in geometry.circles}
    return {id: (box.width(), box.height()) for id, box in (cards | geometry.circles).items()}


NEW = "New Drawing"
NO_DRAWING = "This is a snippet. Choose Draw > New Drawing to build a graph by hand."
APART = 40.0  # world units between two things placed one after the other


class DrawingBoard:
    """Implements the commands' `Board`; `hands` returns the gestures of the canvas that shows the drawing."""

    def __init__(self, store: Store, hands: Callable[[], Interactions], progress: LayoutProgress) -> None:
        self._store = store
        self._hands = hands
        self.tidier = Tidier(store, progress)
        self.tidier.done.connect(self._fit)  # a bound method: a lambda would keep the window alive

    def begin(self) -> bool:
        """Turn a blank document into a drawing; False, after saying so, if it is a snippet with text."""
        if self._store.state.drawing is not None:
            return True
        if self._store.state.document.is_blank:
            self._store.edit(NEW, Drawing())
            return True
        self._store.say(NO_DRAWING)
        return False

    def _fit(self) -> None:
        self._hands().ground.view.viewport.fit()

    # -- the commands' Board

    def type_here(self, text: str = "") -> None:
        """Open the entry box beside the selection."""
        if self.begin():
            self._hands().typing.open_beside(text)

    def add(self, key: str) -> None:
        """Place an operation; the selection is wired to its ports."""
        if self.begin():
            self._hands().typing.place_beside(key)

    def add_leaf(self, kind: str) -> None:
        """Place a leaf of this kind where there is room."""
        if self.begin():
            self._place(f"{LEAF}{kind}")

    def add_comment(self) -> None:
        """Place a comment around the selection, or where there is room, and edit it."""
        if not self.begin():
            return
        hands = self._hands()
        drawing, ground = hands.ground.drawing, hands.ground
        box = ground.picked_box().adjusted(-APART / 2, -APART, APART / 2, APART / 2)
        if ground.picked:
            size = (box.width(), box.height())
            drawing, comment = shaping.new_comment(drawing, box.left(), box.top(), "", *size)
        else:
            at = ground.free_place(QPointF(200, 120))
            drawing, comment = shaping.new_comment(drawing, at.x() - 100, at.y() - 60)
        ground.edit("Add Comment", drawing, frozenset({comment}))
        ground.reveal(frozenset({comment}))
        hands.inline.open(comment)

    def start_wire(self) -> None:
        """Begin a wire at the selection."""
        if self._store.state.drawing is not None:
            self._hands().keyboard.start_wire()

    def edit_here(self) -> None:
        """Edit the selected value, name or text in place."""
        picked = self._store.state.picked
        if self._store.state.drawing is not None and len(picked) == 1:
            self._hands().inline.open(next(iter(picked)))

    def select_all(self) -> None:
        """Select everything."""
        if self._store.state.drawing is not None:
            self._hands().keyboard.select_all()

    def tidy_up(self) -> None:
        """Rearrange all nodes except the pinned ones."""
        if self._store.state.drawing is not None:
            self.tidier.start(self._hands().ground.geometry)

    def sizes(self) -> dict[int, tuple[float, float]]:
        """Width and height of each leaf's card and each operation's circle, which alignment uses."""
        return sizes_of(self._hands().ground.geometry)

    def cut(self) -> None:
        """Copy the selection, then delete it."""
        ground = self._hands().ground
        if ground.picked and self._store.state.drawing is not None:
            self.copy()
            ground.edit("Cut", shaping.delete(ground.drawing, ground.picked), frozenset())

    def copy(self) -> None:
        """Copy the selection to the clipboard as code that runs on its own."""
        ground = self._hands().ground
        text = copy_code(ground.drawing, ground.picked)
        if ground.picked and text.strip():
            QGuiApplication.clipboard().setText(text)

    def paste(self) -> None:
        """Draw the code on the clipboard where there is room."""
        if not self.begin():
            return
        ground = self._hands().ground
        at = ground.free_place(QPointF(220, 120))
        try:
            pasted = paste_code(ground.drawing, QGuiApplication.clipboard().text(), at.x(), at.y())
        except UserError as error:
            ground.refuse(str(error), QPointF(ground.view.rect().center()))
            return
        ground.edit("Paste", pasted.drawing, pasted.nodes)
        ground.reveal(pasted.nodes)
        if pasted.passed_over:
            self._store.say(" ".join(pasted.passed_over[:2]))

    def _place(self, payload: str) -> None:
        ground = self._hands().ground
        at = ground.free_place(QPointF(110, 70))
        try:
            label, drawing, node = place(ground.drawing, payload, at.x(), at.y())
        except UserError as error:
            self._store.say(str(error))
            return
        ground.edit(label, drawing, frozenset({node}))
        ground.reveal(frozenset({node}))
        ground.view.setFocus()
