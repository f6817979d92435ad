"""The part of the inspector above its page, for drawings: the editor of the selection. An editor is created when its
kind of thing is first selected, kept, and made as high as its contents, up to a limit.

Below it are the backward calls that begin at the selected node, with their options, and a button that adds one. The
toolbar has the same options for the call that is chosen there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gradviz.document.catalogue import catalogue
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Operation, Ref
from gradviz.document.entry import read_gradient, read_inputs, root_name, write_gradient, write_inputs
from gradviz.document.errors import UserError
from gradviz.document.shaping import add_call, change_call, check_root, remove_call
from gradviz.ui import look
from gradviz.ui.editors.form import Choice, Editor, TextField, Toggle, small_button
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

RETAIN = (("", "None (default)"), ("True", "True"), ("False", "False"))


class CallRows:
    """The rows of one call."""

    def __init__(self, editor: CallsEditor, index: int) -> None:
        self._editor = editor
        self._index = index
        form = editor.form
        self.gradient = TextField("gradient", self._take_gradient, hint="None")
        self.retain = Choice("retain_graph", RETAIN, self._take_retain)
        self.create = Toggle("create_graph", "create_graph", self._take_create)
        self.inputs = TextField("inputs", self._take_inputs, hint="all leaves")
        self.off = small_button("Remove", "Remove this backward call", self._remove)
        form.add("gradient", self.gradient)
        form.add("retain_graph", self.retain)
        form.add("inputs", self.inputs)
        form.add("", self.create, (self.off,))

    def fill(self, drawing: Drawing, call: BackwardCall) -> None:
        """Show its options."""
        self.gradient.show_text(write_gradient(call))
        self.retain.show_key("" if call.retain_graph is None else str(call.retain_graph))
        self.create.setChecked(call.create_graph)
        self.inputs.show_text(write_inputs(drawing, call))

    @property
    def _call(self) -> BackwardCall:
        calls = self._editor.drawing.calls
        if self._index >= len(calls):
            raise UserError("This backward call is no longer in the drawing.")
        return calls[self._index]

    def _change(self, call: BackwardCall) -> None:
        index = self._index
        self._editor.edit("Change Backward", lambda drawing: change_call(drawing, index, call))

    def _take_gradient(self, text: str) -> None:
        self._change(replace(self._call, gradient=read_gradient(text)))

    def _take_retain(self, key: str) -> None:
        self._change(replace(self._call, retain_graph={"True": True, "False": False}.get(key)))

    def _take_create(self, on: bool) -> None:
        self._change(replace(self._call, create_graph=on))

    def _take_inputs(self, text: str) -> None:
        self._change(replace(self._call, inputs=read_inputs(self._editor.drawing, text)))

    def _remove(self) -> None:
        index = self._index
        self._editor.edit("Remove Backward", lambda drawing: remove_call(drawing, index))


class CallsEditor(Editor):
    """All calls of one root."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.calls: list[CallRows] = []
        self.add = small_button("Backward from here", "Backward from here", self._add, "Begin a backward pass here")
        self.column.addWidget(self.add)
        self._heads: list[QLabel] = []
        self._made: tuple[object, ...] = ()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for head in self._heads:
            head.setFont(look.sans(theme, 12.5, bold=True))

    def fill(self, drawing: Drawing) -> None:
        indices = [at for at, call in enumerate(drawing.calls) if call.root.node == self.id]
        names = tuple(root_name(drawing, drawing.calls[at].root) for at in indices)
        made = (self.id, tuple(indices), names)
        if made != self._made:
            self._made = made
            self.form.clear()
            self._heads, self.calls = [], []
            for at, name in zip(indices, names, strict=True):
                head = QLabel(f"{name}.backward()")
                self._heads.append(head)
                self.form.add("", head)
                self.calls.append(CallRows(self, at))
            self.set_theme(self.theme)
        for at, rows in zip(indices, self.calls, strict=True):
            rows.fill(drawing, drawing.calls[at])
        node = drawing.by_id.get(self.id)
        self.add.setVisible(not indices and isinstance(node, Operation) and not _is_constant(node))

    def _add(self) -> None:
        try:
            self.edit("Backward from Here", self._added)
        except UserError as error:
            self.context.shell.store.say(str(error))

    def _added(self, drawing: Drawing) -> Drawing:
        check_root(drawing, Ref(self.id))
        return add_call(drawing, Ref(self.id))


def _is_constant(operation: Operation) -> bool:
    """Whether this is an operation without inputs."""
    entry = catalogue().get(operation.op)
    return entry is not None and not entry.ports


SHARE = 0.68  # maximum share of the inspector's height
LEAST = 150


def _leaf(context: Context) -> Editor:
    from gradviz.ui.editors.node import LeafEditor

    return LeafEditor(context)


def _operation(context: Context) -> Editor:
    from gradviz.ui.editors.node import OperationEditor

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
    from gradviz.ui.editors.sheet import CallsEditor

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
