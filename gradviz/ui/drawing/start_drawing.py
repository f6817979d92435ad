"""Beginning to draw where there is nothing yet: a double click, a key, or a drop from the palette on the invitation of
an empty window makes the document a drawing, and goes on there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QDropEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from gradviz.commands.row import Shell

if TYPE_CHECKING:
    from gradviz.ui.drawing.interactions import Interactions

HELD = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)  # a letter with one of these is a shortcut


class DrawingStarter(QObject):
    """Watches what is shown instead of a canvas."""

    def __init__(self, shown: QWidget, shell: Shell, hands: Callable[[], Interactions]) -> None:
        super().__init__(shown)
        self._shell = shell
        self._hands = hands
        shown.setAcceptDrops(True)
        shown.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        shown.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._shell.store.state.document.is_blank:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonDblClick:
            return self._type_at(event.position())
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        if event.type() in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            assert isinstance(event, QDropEvent)
            return self._drop(event)
        return False

    def _begin(self) -> Interactions:
        from gradviz.document.drawing import Drawing
        from gradviz.ui.drawing.board import NEW

        self._shell.store.edit(NEW, Drawing())
        return self._hands()

    def _type_at(self, at: QPointF) -> bool:
        self._begin().typing.open(at)
        return True

    def _key(self, event: QKeyEvent) -> bool:
        text = event.text()
        if event.modifiers() & HELD or not text.isprintable() or not text.strip():
            return False
        self._shell.board.type_here(text)
        return True

    def _drop(self, event: QDropEvent) -> bool:
        from gradviz.ui.drawing.dropping import MIME

        if not event.mimeData().hasFormat(MIME):
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self._begin().dropping.handle(event)
        return True
