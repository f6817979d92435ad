"""What happens under a pointer that is not pressed: the item's edges stand out, and after a short rest a card tells all
about it. `hover` has the words of the card, `marks` paints the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent, QRegion
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.hover_card import HoverCard
from gradviz.ui.canvas.viewport import Viewport
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.hover import Words
    from gradviz.ui.canvas.hover_both import Elsewhere

REST = 380  # milliseconds until the card appears


class Hovering(Viewport):
    """A viewport that tells more of the item under the pointer."""

    def __init__(self, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(theme, parent)
        self.setMouseTracking(True)
        self.card: HoverCard | None = None
        self.elsewhere: Elsewhere | None = None  # another run that the card compares with
        self._resting = QTimer(self, singleShot=True, interval=REST)
        self._resting.timeout.connect(self._rested)
        self.cameraChanged.connect(self.leave_card)

    def _item_at(self, pixel: QPoint) -> int:
        return self._scene.item_at(self._camera, pixel) if self._scene is not None else -1

    def hover_at(self, pixel: QPoint) -> None:
        """The pointer is here now."""
        scene = self._scene
        item = self._item_at(pixel)
        self.setCursor(Qt.CursorShape.PointingHandCursor if item >= 0 else Qt.CursorShape.ArrowCursor)
        if scene is None or item == scene.marks.hovered:
            return
        old, scene.marks.hovered = scene.marks.hovered, item
        for each in (old, item):
            if each >= 0:
                self._update_around(each)
        self.leave_card()
        if item >= 0:
            self._resting.start()

    def _update_around(self, item: int) -> None:
        assert self._scene is not None
        region = self._scene.marks.region(self._scene.moment, self._camera, item)
        self.update(self.rect() if region is None else region & QRegion(self.rect()))

    def _rested(self) -> None:
        if self._scene is not None and self.isVisible():
            self.show_card(self._scene.marks.hovered)

    def show_card(self, item: int) -> None:
        """Tell all about an item, beside it."""
        scene = self._scene
        if scene is None or item < 0 or not scene.moment.items[item]:
            return
        said = scene.words(item)
        if self.elsewhere is not None:
            from gradviz.ui.canvas.hover_both import in_both

            said = in_both(said, scene.placed.diagram, item, self.elsewhere)
        self._tell(said, item, scene.screen_box(item, self._camera, 0))

    def _tell(self, said: Words, item: int, box: QRect) -> None:
        """Show this beside a box of the view."""
        if self.card is None:
            self.card = HoverCard(self.window())
        box = box.intersected(self.rect())
        self.card.show_words(said, self._theme, item, QRect(self.mapTo(self.window(), box.topLeft()), box.size()))

    def leave_card(self) -> bool:
        """Hide the card, and show none until the pointer rests again; whether there was one."""
        self._resting.stop()
        shown = self.card is not None and self.card.item >= 0
        if self.card is not None:
            self.card.leave()
        return shown

    def refresh_card(self) -> None:
        """The cursor moved: the card says what is so now."""
        if self.card is not None and self.card.item >= 0:
            self.show_card(self.card.item)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            return True  # the card takes its place
        if isinstance(event, QKeyEvent) and self._is_escape_of_card(event):
            event.accept()  # it hides the card before it is the window's
            return True
        if event.type() == QEvent.Type.Leave:
            self.hover_at(QPoint(-1, -1))
        return super().event(event)

    def _is_escape_of_card(self, event: QKeyEvent) -> bool:
        shown = self.card is not None and self.card.item >= 0
        return shown and event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.leave_card()
