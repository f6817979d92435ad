"""The editors for anything that is not a single node: a multiple selection (what its leaves have in common, how its
members are aligned, whether automatic layout may move them), a comment, a group."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPlainTextEdit, QWidget

from gradviz.document.drawing import Comment, Drawing, Group, Leaf
from gradviz.document.errors import UserError
from gradviz.document.leaf_forms import DTYPES
from gradviz.document.shaping import (
    align,
    change_comment,
    change_leaf,
    distribute,
    pin,
    set_group_closed,
    set_group_title,
    ungroup,
)
from gradviz.ui import look
from gradviz.ui.editors.form import Choice, Editor, Row, Take, TextField, Toggle, small_button
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

DIFFERENT = "different"
SIDES = (
    ("left", "Left", "Align Left"),
    ("center", "Center", "Align Centers"),
    ("right", "Right", "Align Right"),
    ("top", "Top", "Align Top"),
    ("middle", "Middle", "Align Middles"),
    ("bottom", "Bottom", "Align Bottom"),
)


class SeveralEditor(Editor):
    """One change of several things is one undo step."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.column.insertWidget(0, self.title)
        self.grad = Toggle("requires_grad", "requires_grad of all", self._take_grad)
        rows = (("", "default"), *((one, one) for one in DTYPES))
        self.dtype = Choice("dtype of all", rows, self._take_dtype)
        self.pinned = Toggle("pinned: Tidy Up leaves them", "Pinned", self._take_pinned)
        self._grad_row = self.form.add("", self.grad)
        self._dtype_row = self.form.add("dtype", self.dtype)
        self.buttons = self._buttons()
        self._align_row: Row = self.form.add("align", self.buttons)
        self.form.add("", self.pinned)

    def _buttons(self) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(5)
        for at, (how, title, name) in enumerate(SIDES):
            grid.addWidget(small_button(title, name, partial(self._align, how, name)), at // 3, at % 3)
        for at, (how, title) in enumerate((("across", "Space across"), ("down", "Space down"))):
            button = small_button(title, f"Distribute {how}", partial(self._distribute, how), "Make the gaps equal")
            grid.addWidget(button, 2 + at, 0, 1, 3)
        return box

    @property
    def leaves(self) -> list[Leaf]:
        """The leaves in the selection."""
        known = self.drawing.by_id
        return [node for id in sorted(self.thing) if isinstance(node := known.get(id), Leaf)]

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.title.setFont(look.sans(theme, 14, bold=True))

    def fill(self, drawing: Drawing) -> None:
        leaves = self.leaves
        nodes = [drawing.by_id[id] for id in self.thing if id in drawing.by_id]
        operations = len(nodes) - len(leaves)
        others = len(self.thing) - len(nodes)
        counts = ((len(leaves), "leaf", "leaves"), (operations, "operation", "operations"), (others, "other", "others"))
        said = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
        self.title.setText(", ".join(said))
        for row in (self._grad_row, self._dtype_row):
            self.form.show_row(row, bool(leaves))
        grads = {leaf.requires_grad for leaf in leaves}
        self.grad.setTristate(len(grads) > 1)
        self.grad.setCheckState(
            Qt.CheckState.PartiallyChecked
            if len(grads) > 1
            else Qt.CheckState.Checked
            if grads == {True}
            else Qt.CheckState.Unchecked
        )
        dtypes = {leaf.dtype for leaf in leaves}
        self.dtype.show_key(dtypes.pop() if len(dtypes) == 1 else DIFFERENT)
        self.pinned.setChecked(bool(nodes) and all(node.pinned for node in nodes))

    def _each(self, label: str, **fields: object) -> None:
        def change(drawing: Drawing) -> Drawing:
            for leaf in self.leaves:
                drawing = change_leaf(drawing, leaf.id, **fields)  # type: ignore[arg-type]
            return drawing

        self.edit(label, change)

    def _take_grad(self, _: bool) -> None:
        on = not all(leaf.requires_grad for leaf in self.leaves)
        self._each(f"Change {len(self.leaves)} Leaves", requires_grad=on)

    def _take_dtype(self, key: str) -> None:
        if key != DIFFERENT:
            self._each(f"Change {len(self.leaves)} Leaves", dtype=key)

    def _take_pinned(self, on: bool) -> None:
        self.edit("Pin" if on else "Unpin", lambda drawing: pin(drawing, self.thing, on))

    def _align(self, how: str, label: str) -> None:
        sizes = self.context.shell.board.sizes()
        self._place(label, lambda drawing: align(drawing, self.thing, how, sizes))

    def _distribute(self, how: str) -> None:
        sizes = self.context.shell.board.sizes()
        self._place(f"Distribute {how.title()}", lambda drawing: distribute(drawing, self.thing, how, sizes))

    def _place(self, label: str, change: Callable[[Drawing], Drawing]) -> None:
        try:
            self.edit(label, change)
        except UserError as error:
            self._align_row.say(str(error))
        else:
            self._align_row.say("")


# -- a comment, a group

LINES = 5


class CommentText(QPlainTextEdit):
    """Several lines; leaving or Ctrl+Enter commits, Esc reverts, Tab moves on."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self.setAccessibleName("Text of the comment")
        self.setObjectName("boxed")
        self.setPlaceholderText("What should be said here?")
        self.setTabChangesFocus(True)
        self._take = take
        self._shown = ""

    def show_text(self, text: str) -> None:
        """Show this, unless a text is being typed."""
        typed = self.toPlainText() != self._shown
        self._shown = text
        if not (typed and self.hasFocus()) and self.toPlainText() != text:
            self.setPlainText(text)

    def event(self, event: QEvent) -> bool:
        """Esc and Ctrl+Enter belong to it while there is something to revert."""
        if event.type() == QEvent.Type.ShortcutOverride and self.toPlainText() != self._shown:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape or self._ends(event):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.toPlainText() != self._shown:
            self.setPlainText(self._shown)
        elif (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self.commit()
        else:
            super().keyPressEvent(event)

    def _ends(self, event: QKeyEvent) -> bool:
        """Whether this is Ctrl+Enter, which commits."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.commit()

    def commit(self) -> None:
        """Commit the text."""
        if self.toPlainText() != self._shown:
            self._shown = self.toPlainText()
            self._take(self._shown)


class CommentEditor(Editor):
    """The text of a comment."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.text = CommentText(self._take)
        self.form.add("", self.text)

    def fill(self, drawing: Drawing) -> None:
        comment: Comment = next(one for one in drawing.comments if one.id == self.id)
        self.text.show_text(comment.text)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.text.setFont(look.sans(theme, 13))
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * LINES + 14)

    def _take(self, text: str) -> None:
        id = self.id
        self.edit("Change Comment", lambda drawing: change_comment(drawing, id, text=text))


class GroupEditor(Editor):
    """The title of a group, and whether it is closed."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.title = TextField("Title", self._take_title)
        self.closed = Toggle("collapsed into one box", "Closed", self._take_closed)
        self.form.add("title", self.title)
        self.form.add("", self.closed, (small_button("Ungroup", "Ungroup", self._ungroup),))

    def fill(self, drawing: Drawing) -> None:
        group: Group = next(one for one in drawing.groups if one.id == self.id)
        self.title.show_text(group.title)
        self.closed.setChecked(group.closed)

    @property
    def first(self) -> QWidget:
        return self.title

    def _take_title(self, text: str) -> None:
        self.edit("Rename Group", lambda drawing: set_group_title(drawing, self.id, text))

    def _take_closed(self, closed: bool) -> None:
        label = "Close Group" if closed else "Open Group"
        self.edit(label, lambda drawing: set_group_closed(drawing, self.id, closed))

    def _ungroup(self) -> None:
        self.edit("Ungroup", lambda drawing: ungroup(drawing, self.id))
