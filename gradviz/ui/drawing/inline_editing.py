"""Editing in place on the canvas: the numbers of a leaf, the name of an operation, the text of a comment, the title of
a group. Everything else about a node is edited in the inspector."""

from __future__ import annotations

import ast

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtWidgets import QWidget

from gradviz.document import shaping, tables
from gradviz.document.arranging import with_room
from gradviz.document.drawing import Comment, Drawing, Group, Leaf, Literal, Operation, Ref
from gradviz.document.entry import literal
from gradviz.document.errors import UserError
from gradviz.document.leaf_forms import fitted
from gradviz.ui import look
from gradviz.ui.drawing.geometry import FRAME_TITLE
from gradviz.ui.drawing.gesture import Ground
from gradviz.ui.drawing.node_entry import LineField, TextArea

LEAST_WIDTH, LEAST_HEIGHT = 110, 30
Thing = Leaf | Operation | Comment | Group


class InlineEditing:
    """One editor at a time; it commits on Enter or when the focus goes elsewhere, and Esc discards."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._editor: LineField | TextArea | None = None
        self._id = 0

    @property
    def editor(self) -> LineField | TextArea | None:
        """The line or text editor, None while nothing is edited."""
        return self._editor

    def is_title(self, group: int, at: QPointF) -> bool:
        """Whether a pixel is on the words of an open group's title, which are on its left."""
        frame = self._ground.geometry.box(group)
        return self._ground.world(at).x() < frame.left() + frame.width() / 2

    def open(self, id: int) -> bool:
        """Edit the main property of this; False if there is nothing to edit in place."""
        thing = self._thing(id)
        if thing is None:
            return False
        self.close()
        self._id = id
        editor = self._make(thing)
        theme = self._ground.overlay.theme
        editor.setStyleSheet(f"border: 2px solid {theme.focus}; background: {theme.panel}; padding: 1px 4px;")
        editor.setFont(look.mono(theme, 13.5) if isinstance(thing, Leaf | Operation) else look.sans(theme, 13))
        editor.setGeometry(self._place(thing))
        editor.key.connect(self._key)
        editor.left.connect(self._done)
        self._editor = editor
        editor.show()
        editor.setFocus()
        editor.selectAll()
        return True

    def close(self) -> None:
        """Discard what was typed."""
        editor, self._editor = self._editor, None
        if editor is not None:
            had = editor.hasFocus()
            editor.hide()
            editor.deleteLater()
            if had:
                self._ground.view.setFocus()

    def _thing(self, id: int) -> Thing | None:
        drawing = self._ground.drawing
        behind: tuple[Comment | Group, ...] = (*drawing.comments, *drawing.groups)
        for one in behind:
            if one.id == id:
                return one
        return drawing.by_id.get(id)

    def _make(self, thing: Thing) -> LineField | TextArea:
        parent: QWidget = self._ground.view
        if isinstance(thing, Comment):
            lines = TextArea(thing.text, parent)
            lines.setAccessibleName("Text of the comment; Ctrl+Enter ends")
            return lines
        text, name = _text_of(thing)
        line = LineField(text, parent)
        line.setAccessibleName(name)
        return line

    def _place(self, thing: Thing) -> QRect:
        ground, theme = self._ground, self._ground.overlay.theme
        box = ground.geometry.box(thing.id)
        if isinstance(thing, Leaf | Operation) and Ref(thing.id) in ground.geometry.cards:
            box = ground.geometry.cards[Ref(thing.id)]
        elif isinstance(thing, Group) and not thing.closed:
            box = QRectF(box.left(), box.top(), box.width(), FRAME_TITLE)
        pixels = ground.pixels(box).toRect()
        height = pixels.height() if isinstance(thing, Comment) else theme.px(LEAST_HEIGHT)
        top = pixels.top() if isinstance(thing, Comment | Group) else pixels.center().y() - height // 2
        width = max(pixels.width(), theme.px(LEAST_WIDTH))
        return QRect(pixels.left(), top, width, max(height, theme.px(LEAST_HEIGHT)))

    # -- the end

    def _key(self, name: str) -> None:
        if name == "escape":
            self.close()
            self._ground.view.setFocus()
        elif name in ("enter", "tab"):
            self._done()
            if self._editor is None:
                self._ground.view.setFocus()

    def _done(self) -> None:
        editor, thing = self._editor, self._thing(self._id)
        if editor is None or thing is None:
            self.close()
            return
        text = editor.text() if isinstance(editor, LineField) else editor.toPlainText()
        try:
            label, drawing = changed(self._ground.drawing, thing, text)
        except UserError as error:
            if editor.hasFocus():
                self._ground.refuse(str(error), QPointF(editor.geometry().bottomLeft()))
            else:
                self.close()
            return
        self.close()
        self._ground.edit(label, drawing)


def _text_of(thing: Leaf | Operation | Group) -> tuple[str, str]:
    """The initial text of the editor, and its accessible name."""
    if isinstance(thing, Group):
        return thing.title, "Title of the group"
    if isinstance(thing, Operation):
        return (thing.names[0] if thing.names else ""), "Name of the result"
    if thing.maker == "tensor":
        return tables.write(thing.data), f"Value of {thing.name}"
    data = thing.data if isinstance(thing.data, tuple) else (thing.data,)
    return ", ".join(map(tables.write, data)), f"Arguments of {thing.maker}"


def changed(drawing: Drawing, thing: Thing, text: str) -> tuple[str, Drawing]:
    """The name of the edit, and the drawing with it; raises UserError if it is not possible."""
    if isinstance(thing, Comment):
        return "Change Comment", shaping.change_comment(drawing, thing.id, text=text)
    if isinstance(thing, Group):
        return "Rename Group", shaping.set_group_title(drawing, thing.id, text)
    if isinstance(thing, Operation):
        return f"Rename {shaping.label(drawing, thing.id)}", shaping.rename(drawing, thing.id, text)
    label = f"Change {thing.name}"
    data = fitted(thing, tables.read(text).data) if thing.maker == "tensor" else _arguments(text)
    return label, with_room(drawing, shaping.change_leaf(drawing, thing.id, data=data))


def _arguments(text: str) -> Literal:
    """`2, 3` or `(2, 3)` as the arguments of a factory."""
    inside = text.strip()
    try:
        data = literal(
            ast.parse(f"({inside},)" if inside and not inside.startswith(("(", "[")) else inside, mode="eval").body
        )
    except (SyntaxError, ValueError):
        data = None
    if data is None:
        raise UserError("Type the arguments with commas between, such as 2, 3.")
    return data
