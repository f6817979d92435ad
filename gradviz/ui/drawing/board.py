"""What commands and the palette do by hand on a drawing: the window's `Board`. On a blank document each of these begins
a drawing. The gestures themselves are in `interactions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gradviz.document.drawing import Drawing
from gradviz.session.store import Store

if TYPE_CHECKING:
    from gradviz.ui.drawing.interactions import Interactions

NEW = "New Drawing"
NO_DRAWING = "This is a snippet. Choose Draw > New Drawing to draw a graph."


class DrawingBoard:
    """Implements the commands' `Board`; `hands` gives the gestures of the canvas that shows the drawing."""

    def __init__(self, store: Store, hands: Callable[[], Interactions]) -> None:
        self._store = store
        self._hands = hands

    def begin(self) -> bool:
        """Make a blank document a drawing; False, and a sentence, where it is a snippet with text."""
        if self._store.state.drawing is not None:
            return True
        if self._store.state.document.is_blank:
            self._store.edit(NEW, Drawing())
            return True
        self._store.say(NO_DRAWING)
        return False
