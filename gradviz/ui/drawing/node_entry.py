"""Creating nodes by typing on the canvas: an entry box opens at a place, with matching operations below it, and the
typed node is created there. Its fields keep the keys they need to themselves: Enter, Esc, Tab, up and down.
`document.entry` interprets the text."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.catalogue import Entry, find
from gradviz.document.drawing import Drawing, Node, Ref
from gradviz.document.entry import Around, Made, make, operation
from gradviz.document.errors import UserError
from gradviz.ui import look
from gradviz.ui.drawing.gesture import Ground
from gradviz.ui.drawing.wiring import Loose
from gradviz.ui.theme import Theme

# -- text fields over the canvas

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
OWN = {
    Qt.Key.Key_Escape: "escape",
    Qt.Key.Key_Return: "enter",
    Qt.Key.Key_Enter: "enter",
    Qt.Key.Key_Tab: "tab",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
}
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


class LineField(QLineEdit):
    """One line."""

    key = Signal(str)  # "enter", "escape", "tab", "up", "down"
    left = Signal()  # the focus went elsewhere

    def commit(self) -> None:
        """As with Enter."""
        self.key.emit("enter")

    def event(self, event: QEvent) -> bool:
        return _taken(self, event, _of_line) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


class TextArea(QPlainTextEdit):
    """Several lines: Ctrl+Enter commits, Esc discards."""

    key = Signal(str)
    left = Signal()

    def commit(self) -> None:
        """As with Ctrl+Enter."""
        self.key.emit("enter")

    def event(self, event: QEvent) -> bool:
        return _taken(self, event, _of_lines) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


def _of_line(event: QKeyEvent) -> str:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return OWN.get(Qt.Key(event.key()), "") if plain else ""


def _of_lines(event: QKeyEvent) -> str:
    key, control = Qt.Key(event.key()), event.modifiers() & Qt.KeyboardModifier.ControlModifier
    return "escape" if key == Qt.Key.Key_Escape else "enter" if key in ENTER and control else ""


def _taken(field: LineField | TextArea, event: QEvent, name_of: Callable[[QKeyEvent], str]) -> bool:
    """Emit a key that the field handles itself; returns whether it was one."""
    name = name_of(event) if isinstance(event, QKeyEvent) and event.type() in _KEYS else ""
    if name:
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            field.key.emit(name)
    return bool(name)


WIDTH = 470
ROWS = 7  # suggestions that are visible at once
SYMBOL, NAME = 64, 138  # widths of the columns
ENTRY = Qt.ItemDataRole.UserRole
PLACEHOLDER = "mul, +, 3.0, [1, 2], randn(2, 3), w*x + b"
ModelIndex = QModelIndex | QPersistentModelIndex


class _Row(QStyledItemDelegate):
    """Paints a suggestion: symbol, name, description."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return QSize(10, self.theme.px(25))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        theme, box = self.theme, QRect(option.rect)
        entry = index.data(ENTRY)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(theme.selection))
        parts: tuple[tuple[str, QFont, str, int], ...]
        if isinstance(entry, Entry):
            parts = (
                (entry.symbol, look.sans(theme, 13, bold=True), theme.text, SYMBOL),
                (entry.name, look.mono(theme, 12.5, bold=True), theme.text, NAME),
                (entry.brief, look.sans(theme, 12), theme.muted, 0),
            )
        else:
            parts = (
                ("", look.sans(theme, 12), theme.text, 12),
                (str(index.data()), look.sans(theme, 12.5), theme.text, 0),
            )
        left = box.left() + theme.px(8)
        for text, font, colour, width in parts:
            metrics = QFontMetrics(font)
            room = theme.px(width) if width else box.right() - left - theme.px(6)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room - 4)
            painter.drawText(QRect(left, box.top(), room, box.height()), int(Qt.AlignmentFlag.AlignVCenter), elided)
            left += room
        painter.restore()


class TypeBox(QFrame):
    """A line, the suggestions, and a sentence below."""

    edited = Signal(str)
    taken = Signal(str, object)  # Enter: the text, and the chosen entry or None
    forgotten = Signal()  # Esc, or the focus went elsewhere

    def __init__(self, over: QWidget, theme: Theme) -> None:
        super().__init__(over)
        self.setObjectName("typeBox")
        self.theme = theme
        self._over = over
        self._at = QPointF()
        self._chosen = False  # an arrow key moved into the list
        self.line = LineField()
        self.line.setPlaceholderText(PLACEHOLDER)
        self.line.setAccessibleName("Type an operation, a number or an expression")
        self.line.textEdited.connect(self._edited)
        self.line.key.connect(self._key)
        self.line.left.connect(self.forgotten)
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("Operations that fit")
        self.list.setItemDelegate(_Row(theme, self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._clicked)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        for widget in (self.line, self.list, self.note):
            column.addWidget(widget)
        self.set_theme(theme)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self.theme = theme
        self.setStyleSheet(
            f"QFrame#typeBox {{ background: {theme.panel}; border: 1.5px solid {theme.focus};"
            f" border-radius: {theme.px(8)}px; }} QListWidget {{ background: {theme.panel}; border: none; }}"
        )
        self.line.setFont(look.mono(theme, 13.5))
        self.list.setItemDelegate(_Row(theme, self.list))
        self.note.setFont(look.sans(theme, 12))

    def open_at(self, at: QPointF, text: str) -> None:
        """Open at a pixel of the canvas."""
        self._at = at
        self._chosen = False
        self.say("")
        self.line.setText(text)
        self.show()
        self.raise_()
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self._edited(text)

    def center(self) -> None:
        """Move to the middle of the canvas."""
        self._at = QPointF(self._over.width() / 2 - self.width() / 2 + self.theme.px(16), self._at.y())
        self._place()

    @property
    def entry(self) -> Entry | None:
        """The highlighted suggestion."""
        item = self.list.currentItem()
        entry = item.data(ENTRY) if item is not None else None
        return entry if isinstance(entry, Entry) else None

    def suggest(self, entries: tuple[Entry, ...]) -> None:
        """List these operations."""
        self.list.clear()
        for entry in entries:
            item = QListWidgetItem(entry.name)
            item.setData(ENTRY, entry)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.name}: {entry.brief}")
            item.setToolTip(entry.key)
            self.list.addItem(item)
        if entries:
            self.list.setCurrentRow(0)
        self._place()

    def say(self, sentence: str, *, wrong: bool = False) -> None:
        """Show a sentence below: a hint, or what is wrong."""
        theme = self.theme
        self.note.setText(f"⊘  {sentence}" if wrong else sentence)
        self.note.setStyleSheet(
            f"color: {theme.text}; background: {theme.error_fill}; border: 1.5px solid {theme.error};"
            " border-radius: 5px; padding: 4px;"
            if wrong
            else f"color: {theme.muted}; border: none; padding: 2px;"
        )
        self.note.setVisible(bool(sentence))
        self._place()

    def _place(self) -> None:
        rows = min(self.list.count(), ROWS)
        self.list.setVisible(rows > 0)
        self.list.setFixedHeight(max(1, rows * self.theme.px(25) + 2))
        canvas = self._over.rect()
        width = min(self.theme.px(WIDTH), canvas.width() - 8)
        self.setFixedWidth(width)
        self._column.activate()
        height = self._column.totalHeightForWidth(width) if self.note.isVisible() else self.sizeHint().height()
        at = self._at.toPoint()
        left = max(4, min(at.x() - self.theme.px(16), canvas.width() - width - 4))
        top = max(4, min(at.y() - self.theme.px(16), canvas.height() - height - 4))
        self.setGeometry(left, top, width, height)

    def _edited(self, text: str) -> None:
        self._chosen = False
        self.edited.emit(text)

    def _key(self, name: str) -> None:
        if name == "escape":
            self.forgotten.emit()
        elif name == "enter":
            self.taken.emit(self.line.text(), self.entry if self._chosen else None)
        elif name == "tab" and self.entry is not None:
            self.line.setText(self.entry.name)
            self._edited(self.entry.name)
        elif name in ("up", "down") and self.list.count():
            step = 1 if name == "down" else -1
            row = self.list.currentRow()
            self.list.setCurrentRow((row + (step if self._chosen or row < 0 or step > 0 else 0)) % self.list.count())
            self._chosen = True
            if self.entry is not None:
                self.say(self.entry.brief)

    def _clicked(self, item: QListWidgetItem) -> None:
        self.taken.emit(self.line.text(), item.data(ENTRY))

    def event(self, event: QEvent) -> bool:
        """The canvas below gets no mouse events."""
        if event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.Wheel):
            return True
        return super().event(event)


# -- creating what the text says

WORD = re.compile(r"(torch\.|F\.)?[A-Za-z_][\w.]*|[-+*/@%^&|<>=!~]{1,2}")
SUGGESTED = 12
OPERATION_SIZE = QPointF(300, 110)
PITCH = 150.0  # world units from the selection to what is made of it


class NodeEntry:
    """The entry box, created on first use, and what it is for."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._box: TypeBox | None = None
        self._around = Around(0.0, 0.0)
        self._waits = ""  # the text being tried out

    @property
    def box(self) -> TypeBox:
        """The box, created on first use."""
        if self._box is None:
            self._box = TypeBox(self._ground.view, self._ground.overlay.theme)
            self._box.edited.connect(self._edited)
            self._box.taken.connect(self._taken)
            self._box.forgotten.connect(self.close)
        return self._box

    @property
    def is_open(self) -> bool:
        """Whether the box is open."""
        return self._box is not None and self._box.isVisible()

    def open(self, at: QPointF, text: str = "", feeds: tuple[Ref, ...] = ()) -> None:
        """Open at a pixel; the new node will be wired to `feeds`."""
        self._open(at, text, feeds)

    def open_beside(self, text: str = "") -> None:
        """Open beside the selection, to be wired to it; without one, at the pointer or in the middle."""
        ground, view = self._ground, self._ground.view
        nodes = self._picked_nodes()
        if nodes:
            self._open(ground.pixel(self._beside(nodes)), text, tuple(Ref(node.id) for node in nodes), about=True)
            return
        at = QPointF(view.mapFromGlobal(view.cursor().pos()))
        inside = view.rect().adjusted(20, 20, -20, -20).contains(at.toPoint()) and view.underMouse()
        self._open(at if inside else QPointF(view.rect().center()), text, ())
        if not inside:
            self.box.center()

    def place_beside(self, key: str) -> None:
        """Create an operation at once, beside the selection and wired to it."""
        ground = self._ground
        nodes = self._picked_nodes()
        if nodes:
            at = self._beside(nodes)
            self._around = Around(at.x(), at.y(), tuple(Ref(node.id) for node in nodes), about=True)
        else:
            at = ground.free_place(OPERATION_SIZE) - QPointF(100, 0)  # its result is to the right of it
            self._around = Around(at.x(), at.y())
        try:
            made = make(ground.drawing, key, self._around)
        except UserError as error:
            ground.refuse(str(error), ground.pixel(at))
            return
        base = ground.drawing

        def told(reason: str) -> None:
            if reason:
                ground.refuse(reason, ground.pixel(at))
            elif ground.drawing is base:
                self._keep(made)

        if self._around.feeds:
            ground.checks.ask(made.drawing, told, keep=True)
        else:
            told("")

    def _picked_nodes(self) -> list[Node]:
        """From top to bottom, the order in which they are wired to the ports."""
        ground = self._ground
        nodes = [node for node in ground.drawing.nodes if node.id in ground.picked]
        return sorted(nodes, key=lambda node: (node.y, node.x))

    def _beside(self, nodes: list[Node]) -> QPointF:
        right = max(self._ground.geometry.box(node.id).right() for node in nodes)
        return QPointF(right + PITCH / 2, sum(node.y for node in nodes) / len(nodes))

    def open_for_wire(self, loose: Loose, at: QPointF) -> None:
        """A wire was dropped on empty space: what is typed becomes its other end."""
        feeds = (loose.source,) if loose.source is not None else ()
        self._open(at, "", feeds, loose.target)

    def _open(
        self,
        at: QPointF,
        text: str,
        feeds: tuple[Ref, ...],
        into: tuple[int, int] | None = None,
        *,
        about: bool = False,
    ) -> None:
        place = self._ground.rest(at)
        self._around = Around(place.x(), place.y(), feeds, into, about)
        self._ground.overlay.drop_bubble()
        self.box.set_theme(self._ground.overlay.theme)
        self.box.open_at(at, text)
        self._invite(False)

    def close(self) -> None:
        """Discard what was typed."""
        self._waits = ""
        if self._box is not None and self._box.isVisible():
            had = self._box.isAncestorOf(self._box.window().focusWidget() or self._box.window())
            self._box.hide()
            self._invite(True)
            if had:
                self._ground.view.setFocus()

    def _invite(self, invited: bool) -> None:
        """On a blank canvas, say what to type until the user does."""
        self._ground.view.invites = invited
        self._ground.view.update()

    # -- the text in the box

    def _edited(self, text: str) -> None:
        word = text.strip()
        asks = not word or WORD.fullmatch(word) is not None
        self.box.suggest(find(word, SUGGESTED) if asks else ())
        if not asks:
            added = "the nodes of this expression" if re.search(r"[A-Za-z]", word) else "a leaf"
            self.box.say(f"Press Enter to add {added}.")
        elif self._around.feeds:
            names = self._ground.geometry
            fed = " and ".join(names.name(ref) or "the result" for ref in self._around.feeds[:2])
            self.box.say(f"It will be wired to {fed}.")
        else:
            self.box.say("")

    def _taken(self, text: str, entry: Entry | None) -> None:
        base = self._ground.drawing
        if self._waits:
            return
        try:
            made = self._make(text, entry)
        except UserError as error:
            self._refuse(str(error))
            return
        if self._around.feeds or self._around.into is not None:
            self._waits = text
            self._ground.checks.ask(made.drawing, lambda reason: self._told(base, made, reason), keep=True)
        else:
            self._told(base, made, "")

    def _make(self, text: str, entry: Entry | None) -> Made:
        drawing = self._ground.drawing
        if entry is None and not text.strip():
            raise UserError("Type an operation such as mul, a number such as 3.0, or an expression such as w*x + b.")
        if entry is None and operation(text) is None and text.strip() and WORD.fullmatch(text.strip()):
            marked = self.box.entry
            if marked is not None and text.strip() in marked.name:  # part of a word: use the best match
                entry = marked
        return make(drawing, entry.key if entry is not None else text, self._around)

    def _told(self, base: Drawing, made: Made, reason: str) -> None:
        """The answer arrived; the user may have continued typing, which starts the next question."""
        text, self._waits = self._waits, ""
        if reason:
            self._refuse(reason)
            return
        if not self.is_open or self._ground.drawing is not base:
            return  # cancelled while the answer was on its way, or the drawing has changed
        rest = self.box.line.text().removeprefix(text) if text else ""
        self.close()
        self._keep(made)
        if rest:
            self.open_beside(rest)

    def _keep(self, made: Made) -> None:
        self._ground.edit(made.label, made.drawing, frozenset({made.result.node}))
        self._ground.reveal(made.nodes)

    def _refuse(self, sentence: str) -> None:
        if self.is_open:
            self.box.say(sentence, wrong=True)
            self._ground.announce(sentence)
