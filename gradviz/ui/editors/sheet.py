"""The part of the inspector above its page, for drawings: the editor of the selection. An editor is created when its
kind of thing is first selected, kept, and made as high as its contents, up to a limit."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gradviz.document.drawing import Drawing, Leaf
from gradviz.ui.editors.form import Editor
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

SHARE = 0.68  # maximum share of the inspector's height
LEAST = 150


def _leaf(context: Context) -> Editor:
    from gradviz.ui.editors.leaf import LeafEditor

    return LeafEditor(context)


def _operation(context: Context) -> Editor:
    from gradviz.ui.editors.operation import OperationEditor

    return OperationEditor(context)


def _comment(context: Context) -> Editor:
    from gradviz.ui.editors.several import CommentEditor

    return CommentEditor(context)


def _group(context: Context) -> Editor:
    from gradviz.ui.editors.several import GroupEditor

    return GroupEditor(context)


def _several(context: Context) -> Editor:
    from gradviz.ui.editors.several import SeveralEditor

    return SeveralEditor(context)


def _calls(context: Context) -> Editor:
    from gradviz.ui.editors.calls import CallsEditor

    return CallsEditor(context)


EDITORS: dict[str, Callable[[Context], Editor]] = {
    "leaf": _leaf,
    "operation": _operation,
    "comment": _comment,
    "group": _group,
    "several": _several,
    "calls": _calls,
}


def kind_of(drawing: Drawing, picked: frozenset[int]) -> str:
    """Which editor the selection has; "" for none."""
    things = drawing.by_id.keys() | {one.id for one in drawing.comments} | {one.id for one in drawing.groups}
    if not picked or not picked <= things:
        return ""
    if len(picked) > 1:
        return "several"
    id = next(iter(picked))
    node = drawing.by_id.get(id)
    if node is None:
        return "comment" if any(one.id == id for one in drawing.comments) else "group"
    return "leaf" if isinstance(node, Leaf) else "operation"


class Sheet(QScrollArea):
    """Hidden unless something that can be edited is selected."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self.editors: dict[str, Editor] = {}
        self.kind = ""
        self.content = QWidget()
        self.content.setObjectName("sheet")
        self.setObjectName("sheetArea")
        self._column = QVBoxLayout(self.content)
        self._column.setContentsMargins(5, 6, 5, 8)
        self._column.setSpacing(8)
        self.setWidget(self.content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.content.installEventFilter(self)
        self.hide()

    def show_picked(self, drawing: Drawing | None, picked: frozenset[int]) -> None:
        """Show the editor of the selection."""
        self.kind = kind_of(drawing, picked) if drawing is not None else ""
        wanted = {self.kind, "calls"} if self.kind in ("leaf", "operation") else {self.kind}
        for kind in sorted(wanted - {""}, key=list(EDITORS).index):
            assert drawing is not None
            self._editor(kind).show_thing(drawing, picked)
        for kind, editor in self.editors.items():
            editor.setVisible(kind in wanted)
            if kind not in wanted:
                editor.leave()
        self.setVisible(bool(self.kind))
        self._fit()

    @property
    def current(self) -> Editor | None:
        """The visible editor."""
        return self.editors.get(self.kind)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        for editor in self.editors.values():
            editor.set_theme(theme)
        self._fit()

    def _editor(self, kind: str) -> Editor:
        if kind not in self.editors:
            editor = self.editors[kind] = EDITORS[kind](self._context)
            editor.set_theme(self._theme)
            order = list(EDITORS)
            self._column.insertWidget(sum(order.index(one) < order.index(kind) for one in self.editors), editor)
        return self.editors[kind]

    def _fit(self) -> None:
        """As high as the editor, up to a share of the panel."""
        parent = self.parentWidget()
        if parent is None or not self.kind:
            return
        width = self.viewport().width()
        layout = self._column
        wanted = layout.heightForWidth(width) if layout.hasHeightForWidth() else self.content.sizeHint().height()
        self.setFixedHeight(max(min(wanted + 2, round(parent.height() * SHARE)), min(LEAST, wanted + 2)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another row, or a sentence, makes it higher."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def refit(self) -> None:
        """The panel was resized."""
        self._fit()
