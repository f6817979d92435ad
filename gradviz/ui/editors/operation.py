"""The editor of an operation: its description, the names of its outputs, what is connected to its inputs, and its
parameters, all made from its entry in the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gradviz.document.catalogue import Entry, Port, catalogue, outputs
from gradviz.document.code.emit import Span
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing, Literal, Number, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping import disconnect, label, rename, set_number, set_param
from gradviz.document.shaping.queries import port_at
from gradviz.document.tables import read_number, write_number
from gradviz.ui import look
from gradviz.ui.editors.form import Editor, Form, ParameterRow, TextField, small_button
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

LONGEST = 28  # characters of an expression


def expression(drawing: Drawing, ref: Ref) -> str:
    """What a wire carries, in code: a name, or an expression written in place."""
    node = drawing.by_id.get(ref.node)
    if node is None:
        return "?"
    if isinstance(node, Operation):
        if ref.output < len(node.names):
            return node.names[ref.output]
        span = next((one for one in code_of(drawing).spans if one.node == ref.node), None)
        if span is not None and not node.names:
            return _short(_text(text_of(drawing), span))
    return label(drawing, ref.node)


def _text(text: str, span: Span) -> str:
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_col]
    lines[0] = lines[0][span.col :]
    return " ".join(lines)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class PortRow:
    """One input in a form. `give` receives a number, or None to disconnect; `go` follows the wire."""

    def __init__(
        self, form: Form, port: Port, give: Callable[[Number | None], None], go: Callable[[Ref], None]
    ) -> None:
        self.port = port
        self._give = give
        self._go = go
        self._operand: Operand = None
        self.wire = QPushButton()
        self.wire.setObjectName("wire")
        self.wire.clicked.connect(self._follow)
        self.number = TextField(f"Number at {port.name}", self._take, steps=True)
        self.number.stepped.connect(self._step)
        self.off = small_button("×", f"Disconnect {port.name}", self._take_off, "Remove the wire or the number")
        both = QWidget()
        line = QHBoxLayout(both)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.wire, 1)
        line.addWidget(self.number, 1)
        self.row = form.add(port.name, both, (self.off,))
        self.number.said.connect(self.row.say)

    def fill(self, drawing: Drawing, operand: Operand) -> None:
        """Show what is connected."""
        self._operand = operand
        is_wire = isinstance(operand, Ref)
        had_focus = self.number.hasFocus() or self.wire.hasFocus() or self.off.hasFocus()
        self.wire.setVisible(is_wire)
        self.number.setVisible(not is_wire)
        self.off.setVisible(operand is not None)
        if isinstance(operand, Ref):
            what = expression(drawing, operand)
            self.wire.setText(f"← {what}".replace("&", "&&"))
            self.wire.setAccessibleName(f"{self.port.name} comes from {what}")
            self.wire.setToolTip(f"Go to {what}")
        else:
            self.number.show_text(write_number(operand.value) if isinstance(operand, Number) else "")
            open_ = "may stay open" if self.port.optional else "not connected"
            self.number.setPlaceholderText(f"{open_}; or type a number" if self.port.number else open_)
            self.number.setReadOnly(not self.port.number)
        if had_focus and not (self.wire if is_wire else self.number).hasFocus() and not self.off.isVisible():
            (self.wire if is_wire else self.number).setFocus()

    def _take(self, text: str) -> None:
        self._give(Number(read_number(text)) if text.strip() else None)

    def _take_off(self) -> None:
        self._give(None)

    def _step(self, step: float) -> None:
        value = self._operand.value if isinstance(self._operand, Number) else 0
        if self.port.number and not isinstance(value, bool | complex):
            whole = isinstance(value, int)
            change = (int(step) or (1 if step > 0 else -1)) if whole else step
            self._take(write_number(round(value + change, 12)))

    def _follow(self) -> None:
        if isinstance(self._operand, Ref):
            self._go(self._operand)


IN_PLACE = "none: written in place"


class OperationEditor(Editor):
    """The rows are rebuilt when another operation is shown, or its number of inputs changes."""

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
        """The operation being shown."""
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
