"""The row of one input of an operation: the wire that ends there, as a button that goes to where it begins, or a plain
number, or nothing; and a button that takes it off."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gradviz.document.catalogue import Port
from gradviz.document.code.emit import Span
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing, Number, Operand, Operation, Ref
from gradviz.document.shaping import label
from gradviz.document.typed import read_number, write_number
from gradviz.ui.editors.fields import TextField, small_button
from gradviz.ui.editors.form import Form

LONGEST = 28  # characters of an expression


def expression(drawing: Drawing, ref: Ref) -> str:
    """What a wire carries, in code: a name, or the expression that is written in place."""
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
    """One input in a form. `give` gets a number or None to take off what is there; `go` follows the wire."""

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
        self.off = small_button("×", f"Disconnect {port.name}", self._take_off, "Take the wire or the number off")
        both = QWidget()
        line = QHBoxLayout(both)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.wire, 1)
        line.addWidget(self.number, 1)
        self.row = form.add(port.name, both, (self.off,))
        self.number.said.connect(self.row.say)

    def fill(self, drawing: Drawing, operand: Operand) -> None:
        """Show what is there."""
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
