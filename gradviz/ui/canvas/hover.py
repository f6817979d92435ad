"""What happens under a pointer with no button pressed: the edges of the item stand out, and after a short rest a card
shows its details. `hover_words` has the text of the card, `marks` paints the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QLabel, QMainWindow, QWidget

from gradviz.ui import look
from gradviz.ui.canvas.surface import Surface
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.hover_words import Elsewhere, Words
    from gradviz.ui.canvas.scene import Scene

REST = 380  # milliseconds until the card appears
GAP = 12
WIDEST = 460
HINT = 1 << 40  # numbers from here on refer not to items but to what a scene describes where there is no item


class Hover(QObject):
    """Shows details of the item under the pointer."""

    def __init__(self, widget: QWidget, surface: Surface) -> None:
        super().__init__(widget)
        self._widget = widget
        self._surface = surface
        self._hint = -1  # what is under the pointer where there is no item
        self.card: HoverCard | None = None
        self.elsewhere: Elsewhere | None = None  # the other run that the card compares with
        self._resting = QTimer(self, singleShot=True, interval=REST)
        self._resting.timeout.connect(self._rested)

    def item_at(self, pixel: QPoint) -> int:
        """The item under a pixel, -1 for none."""
        scene = self._surface.scene
        return scene.item_at(self._surface.camera, pixel) if scene is not None else -1

    # -- the pointer

    def move_to(self, pixel: QPoint) -> None:
        """The pointer has moved here."""
        scene, before = self._surface.scene, self._hint
        item = self.item_at(pixel)
        self._widget.setCursor(Qt.CursorShape.PointingHandCursor if item >= 0 else Qt.CursorShape.ArrowCursor)
        if scene is None:
            return
        self._hint = scene.hint if self._widget.rect().contains(pixel) else -1
        if item != scene.marks.hovered:
            self._hover(scene, item)
        if self._hint != before and item < 0:
            self.leave_card()
            self._resting.start()

    def light(self, kind: str, index: int) -> None:
        """Act as if the pointer were on this tensor or node, without its card; -1 for none."""
        scene = self._surface.scene
        if scene is not None:
            self._hover(scene, scene.find(kind, index) if index >= 0 else -1)
            self._resting.stop()

    def _hover(self, scene: Scene, item: int) -> None:
        old, scene.marks.hovered = scene.marks.hovered, item
        for each in (old, item):
            if each >= 0:
                region = scene.marks.region(scene.moment, self._surface.camera, each)
                self._widget.update(self._widget.rect() if region is None else region & QRegion(self._widget.rect()))
        self.leave_card()
        if item >= 0:
            self._resting.start()

    def _rested(self) -> None:
        scene = self._surface.scene
        if scene is None:
            return
        if self._hint >= 0 and scene.marks.hovered < 0:
            self.show_card(self._hint)
        elif self._widget.isVisible():
            self.show_card(scene.marks.hovered)

    # -- the card

    @property
    def shows_card(self) -> bool:
        """Whether a card is visible."""
        return self.card is not None and self.card.item >= 0

    def show_card(self, item: int) -> None:
        """Show the details of an item, or of a hint, beside it."""
        scene = self._surface.scene
        if scene is None or item < 0:
            return
        if item >= HINT:
            hint = scene.hint_words(item, self._surface.camera)
            if hint is None:
                self.leave_card()
            else:
                self._tell(*hint, item)
        elif scene.moment.items[item]:
            said = scene.words(item)
            if self.elsewhere is not None:
                from gradviz.ui.canvas.hover_words import in_both

                said = in_both(said, scene.placed.diagram, item, self.elsewhere)
            self._tell(said, scene.screen_box(item, self._surface.camera, 0), item)

    def show_details(self) -> None:
        """Show the card for the selection, as if the pointer rested on it."""
        scene = self._surface.scene
        if scene is not None:
            self.show_card(scene.selected if scene.selected >= 0 else scene.start_item())

    def _tell(self, said: Words, box: QRect, item: int) -> None:
        """Show these words beside a box of the canvas."""
        window = _document_window(self._widget)
        if self.card is None:
            self.card = HoverCard(window)
        box = box.intersected(self._widget.rect())
        around = QRect(self._widget.mapTo(window, box.topLeft()), box.size())
        self.card.show_words(said, self._surface.theme, item, around)

    def leave_card(self) -> bool:
        """Hide the card, and show none until the pointer rests again; returns whether one was visible."""
        self._resting.stop()
        shown = self.shows_card
        if self.card is not None:
            self.card.leave()
        return shown

    def refresh_card(self) -> None:
        """The cursor has moved: bring the text of the card up to date."""
        if self.card is not None and self.card.item >= 0:
            self.show_card(self.card.item)


def _document_window(widget: QWidget) -> QWidget:
    """The window of the document, which may be a tab of another one; the card moves with it from tab to tab."""
    while not isinstance(widget, QMainWindow) and (around := widget.parentWidget()) is not None:
        widget = around
    return widget


class HoverCard(QLabel):
    """The card; `item` is what it describes, -1 while it is hidden."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setObjectName("hoverCard")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.item = -1
        self.hide()

    def show_words(self, said: Words, theme: Theme, item: int, box: QRect) -> None:
        """Appear beside a box, given in the coordinates of the parent."""
        from gradviz.ui.canvas.hover_words import html

        self.item = item
        self.setFont(look.sans(theme, 12.5))
        self.setStyleSheet(
            f"QLabel#hoverCard {{ background: {theme.panel}; color: {theme.text}; padding: {theme.px(9)}px;"
            f" border: 1px solid {theme.card_border}; border-radius: {theme.px(8)}px; }}"
        )
        self.setWordWrap(False)
        self.setText(html(said, theme))
        self.setAccessibleName(f"{said.title}, {said.kind}")
        room = self._over.rect().adjusted(4, 4, -4, -4)
        size = self.sizeHint()
        if size.width() > min(theme.px(WIDEST), room.width()):
            width = min(theme.px(WIDEST), room.width())
            self.setWordWrap(True)
            size = QSize(width, self.heightForWidth(width))
        self.setGeometry(beside(box, size.boundedTo(room.size()), room))
        self.raise_()
        self.show()

    def leave(self) -> None:
        """Hide."""
        if self.item >= 0:
            self.item = -1
            self.hide()


def beside(box: QRect, size: QSize, room: QRect) -> QRect:
    """Where a card of this size goes: to the right of a box, otherwise left, below or above, wherever it fits; if it
    fits nowhere, where there is most room, cut off rather than covering the box."""
    space = {
        "right": room.right() - box.right() - GAP,
        "left": box.left() - room.left() - GAP,
        "below": room.bottom() - box.bottom() - GAP,
        "above": box.top() - room.top() - GAP,
    }
    needed = {"right": size.width(), "left": size.width(), "below": size.height(), "above": size.height()}
    side = next((side for side in space if space[side] >= needed[side]), "")
    side = side or max(space, key=lambda side: space[side] / needed[side])
    if side in ("right", "left"):
        width = min(size.width(), max(space[side], 40))
        x = box.right() + GAP if side == "right" else box.left() - GAP - width
        y = min(max(box.center().y() - size.height() // 3, room.top()), room.bottom() - size.height())
        return QRect(QPoint(x, max(y, room.top())), QSize(width, size.height()))
    height = min(size.height(), max(space[side], 40))
    y = box.bottom() + GAP if side == "below" else box.top() - GAP - height
    x = min(max(box.center().x() - size.width() // 2, room.left()), room.right() - size.width())
    return QRect(QPoint(max(x, room.left()), y), QSize(size.width(), height))
