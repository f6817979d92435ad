"""The card that appears beside an item when the pointer rests on it. It lies over the window, takes no input, and never
covers what it is about. `hover` says what is on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from gradviz.ui import look
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.canvas.hover import Words

GAP = 12
WIDEST = 460


class HoverCard(QLabel):
    """One card; `item` is what it is about, -1 while it is hidden."""

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
        from gradviz.ui.canvas.hover import html

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
        """Go away."""
        if self.item >= 0:
            self.item = -1
            self.hide()


def beside(box: QRect, size: QSize, room: QRect) -> QRect:
    """Where a card of this size goes: right of a box, else left, below or above, wherever it fits, and where it fits
    nowhere, where there is most room; there it is cut rather than laid over the box."""
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
