"""What commands and the palette do by hand on a drawing: the window's `Board`. On a blank document each of these begins
a drawing. The gestures themselves are in `interactions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication

from gradviz.commands.row import Slow
from gradviz.document import shaping
from gradviz.document.clip import copy_code, paste_code
from gradviz.document.drawing import Drawing
from gradviz.document.errors import UserError
from gradviz.session.store import Store
from gradviz.ui.drawing.dropping import LEAF, place
from gradviz.ui.drawing.tidying import Tidying, sizes_of

if TYPE_CHECKING:
    from gradviz.ui.drawing.interactions import Interactions

NEW = "New Drawing"
NO_DRAWING = "This is a snippet. Choose Draw > New Drawing to build a graph by hand."
APART = 40.0  # world units between two things that are placed one after the other


class DrawingBoard:
    """Implements the commands' `Board`; `hands` gives the gestures of the canvas that shows the drawing."""

    def __init__(self, store: Store, hands: Callable[[], Interactions], slow: Slow) -> None:
        self._store = store
        self._hands = hands
        self.tidying = Tidying(store, slow)
        self.tidying.done.connect(self._fit)  # by a method: a lambda would keep the window

    def begin(self) -> bool:
        """Make a blank document a drawing; False, and a sentence, where it is a snippet with text."""
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
        """Open the box in which one types, beside what is picked."""
        if self.begin():
            self._hands().typing.open_beside(text)

    def add(self, key: str) -> None:
        """Place an operation; what is picked is wired to its ports."""
        if self.begin():
            self._hands().typing.place_beside(key)

    def add_leaf(self, kind: str) -> None:
        """Place a leaf of this kind where there is room."""
        if self.begin():
            self._place(f"{LEAF}{kind}")

    def add_comment(self) -> None:
        """Place a comment around what is picked, or where there is room, and write in it."""
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
        """Begin a wire at what is picked."""
        if self._store.state.drawing is not None:
            self._hands().keyboard.start_wire()

    def edit_here(self) -> None:
        """Edit the picked value, name or text in its place."""
        picked = self._store.state.picked
        if self._store.state.drawing is not None and len(picked) == 1:
            self._hands().inline.open(next(iter(picked)))

    def select_all(self) -> None:
        """Pick everything."""
        if self._store.state.drawing is not None:
            self._hands().keyboard.select_all()

    def tidy_up(self) -> None:
        """Place all nodes anew, but those that are pinned."""
        if self._store.state.drawing is not None:
            self.tidying.start(self._hands().ground.geometry)

    def sizes(self) -> dict[int, tuple[float, float]]:
        """Width and height of each leaf's card and of each operation's circle, by which they are aligned."""
        return sizes_of(self._hands().ground.geometry)

    def cut(self) -> None:
        """Copy what is picked, and take it away."""
        ground = self._hands().ground
        if ground.picked and self._store.state.drawing is not None:
            self.copy()
            ground.edit("Cut", shaping.delete(ground.drawing, ground.picked), frozenset())

    def copy(self) -> None:
        """Put what is picked on the clipboard, as code that runs on its own."""
        ground = self._hands().ground
        text = copy_code(ground.drawing, ground.picked)
        if ground.picked and text.strip():
            QGuiApplication.clipboard().setText(text)

    def paste(self) -> None:
        """Draw the code on the clipboard, where there is room."""
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
