"""The editor of an operation: what it does, the names of its outputs, what is at its inputs, and its parameters, all
made from its entry in the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gradviz.document.catalogue import Entry, catalogue, outputs
from gradviz.document.drawing import Drawing, Literal, Number, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping import disconnect, label, rename, set_number, set_param
from gradviz.document.shaping.looking import port_at
from gradviz.ui import look
from gradviz.ui.editors.fields import TextField, small_button
from gradviz.ui.editors.form import Editor
from gradviz.ui.editors.params import ParameterRow
from gradviz.ui.editors.ports import PortRow
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

IN_PLACE = "none: written in place"


class OperationEditor(Editor):
    """The rows are made again when another operation is shown, or it got another number of inputs."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.title = QLabel()
        self.brief = QLabel()
        self.brief.setObjectName("muted")
        self.formula = QLabel()
        self.formula.setObjectName("note")
        self.reference = small_button("Reference", "Operation reference", self._look_up, "Open the operation reference")
        for text in (self.title, self.brief, self.formula):
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setWordWrap(True)
        self.formula.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.reference, 0, Qt.AlignmentFlag.AlignTop)
        self.column.insertLayout(0, head)
        self.column.insertWidget(1, self.brief)
        self.column.addWidget(self.formula)
        self.names: list[TextField] = []
        self.ports: list[PortRow] = []
        self.params: list[ParameterRow] = []
        self._made: tuple[object, ...] = ()

    @property
    def operation(self) -> Operation:
        """The operation that is shown."""
        found = self.drawing.by_id.get(self.id)
        if not isinstance(found, Operation):
            raise UserError("This operation is no longer in the drawing; choose another one.")
        return found

    @property
    def first(self) -> QWidget:
        return self.params[0].field if self.params else self.names[0]

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.title.setFont(look.sans(theme, 14, bold=True))
        self.brief.setFont(look.sans(theme, 12))
        self.formula.setFont(look.mono(theme, 11.5))
        for row in self.ports:
            row.number.setFont(look.mono(theme, 12.5))
            row.wire.setFont(look.mono(theme, 12.5))

    def fill(self, drawing: Drawing) -> None:
        operation = self.operation
        entry = catalogue().get(operation.op)
        names = ("result",) if entry is None else outputs(entry, operation)
        shape = (operation.id, operation.op, len(operation.inputs), names)
        if shape != self._made:
            self._made = shape
            self._make(operation, entry, names)
        for at, field in enumerate(self.names):
            field.show_text(operation.names[at] if at < len(operation.names) else "")
        for row, operand in zip(self.ports, operation.inputs, strict=True):
            row.fill(drawing, operand)
        given = dict(operation.params)
        for parameter in self.params:
            parameter.fill(given)

    def _make(self, operation: Operation, entry: Entry | None, names: tuple[str, ...]) -> None:
        had_focus = self.form.isAncestorOf(self.window().focusWidget() or self)
        self.form.clear()
        word = operation.op if entry is None else entry.name
        symbol = "" if entry is None or entry.symbol in ("", word) else f"  {entry.symbol}"
        self.title.setText(f"{word}{symbol}")
        self.brief.setText("This version does not know it." if entry is None else entry.brief)
        self.formula.setText("" if entry is None else entry.formula)
        self.formula.setVisible(bool(self.formula.text()))
        self.names = [self._name_field(name, at, len(names)) for at, name in enumerate(names)]
        self.ports = [
            PortRow(self.form, port_at(entry, at), self._give_at(at), self._go) for at in range(len(operation.inputs))
        ]
        params = () if entry is None else entry.params
        self.params = [ParameterRow(self.form, one, self._give_param) for one in params]
        self.set_theme(self.theme)
        if had_focus:
            self.names[0].setFocus()

    def _name_field(self, name: str, at: int, several: int) -> TextField:
        field = TextField(
            f"Name of {name}", lambda text: self._rename(text, at), hint=IN_PLACE if several == 1 else name
        )
        self.form.add("name" if several == 1 else name, field)
        return field

    def _give_at(self, at: int) -> Callable[[Number | None], None]:
        def give(number: Number | None) -> None:
            operand = self.operation.inputs[at]
            if number is None and operand is not None:
                self.edit("Disconnect", lambda drawing: disconnect(drawing, self.id, at))
            elif number is not None:
                what = label(self.drawing, self.id)
                self.edit(f"Change {what}", lambda drawing: set_number(drawing, self.id, at, number.value))

        return give

    def _rename(self, text: str, output: int) -> None:
        self.edit(f"Rename {label(self.drawing, self.id)}", lambda one: rename(one, self.id, text, output))

    def _give_param(self, name: str, value: Literal) -> None:
        what = f"{name} of {label(self.drawing, self.id)}"
        self.edit(f"Change {what}", lambda drawing: set_param(drawing, self.id, name, value))

    def _go(self, ref: Ref) -> None:
        self.context.shell.store.pick(frozenset({ref.node}))

    def _look_up(self) -> None:
        self.context.shell.dialogs.operation_reference(self.operation.op.rpartition(".")[2])
