"""The editor of one node. Of a leaf: its name, the kind of its numbers, the numbers, dtype, requires_grad, and the
range of its slider; the grid of numbers is in `grid`, the arguments of a factory are rows of `form`. Of an operation:
its description, the names of its outputs, what is connected to its inputs, and its parameters, all made from its entry
in the catalogue."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from math import prod

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from gradviz.document.catalogue import Entry, Port, catalogue, outputs
from gradviz.document.code.emit import Span
from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing, Leaf, Literal, Number, Operand, Operation, Ref
from gradviz.document.entry import read_argument
from gradviz.document.errors import UserError
from gradviz.document.leaf_forms import (
    DTYPES,
    FORMS,
    arguments,
    as_form,
    fitted,
    form_of,
    leaf_dtype,
    leaf_shape,
    packed,
    zero,
)
from gradviz.document.leaf_kinds import RANDOM
from gradviz.document.shaping import change_leaf, disconnect, label, rename, set_number, set_param
from gradviz.document.shaping.queries import port_at
from gradviz.document.shaping.values import MOST
from gradviz.document.tables import Typed, quoted, read, read_number, resized, write, write_number
from gradviz.ui import look
from gradviz.ui.editors.form import Choice, Editor, Form, ParameterRow, TextField, Toggle, small_button
from gradviz.ui.editors.grid import GridBox
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

SHAPE = FORMS[4].params[0]
SLIDER = (-10.0, 10.0)
SEEDS = 10_000


class LeafEditor(Editor):
    """Every change is named after the leaf: "Change w"."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.name = TextField("Name", self._take_name)
        self.kind = Choice("Kind", ((one.key, one.title) for one in FORMS), self._take_kind)
        self.value = TextField("Value", self._take_value, steps=True)
        self.value.stepped.connect(self._step)
        self.value.left.connect(context.shell.store.seal)
        self.grid = GridBox(context, self._take_data, self._take_typed)
        self.shape = TextField("Shape", self._take_shape)
        self.made = Form()
        self.seed = TextField("Seed", self._take_seed, steps=True, hint="continues the random numbers before it")
        self.seed.stepped.connect(lambda step: self._take_seed(str(max(0, (self.leaf.seed or 0) + round(step)))))
        again = small_button("New", "New seed", self._new_seed, "Other random numbers")
        self.dtype = Choice("dtype", (("", "default"), *((one, one) for one in DTYPES)), self._take_dtype)
        self.grad = Toggle("requires_grad", "requires_grad", self._take_grad)
        self.low = TextField("Minimum of the slider", lambda text: self._take_slider(text, 0))
        self.high = TextField("Maximum of the slider", lambda text: self._take_slider(text, 1))
        larger = small_button("Larger…", "Larger grid", self.grid.enlarge, "Edit in a window of its own")
        add = self.form.add
        self._rows = {
            "name": add("name", self.name),
            "kind": add("kind", self.kind),
            "value": add("value", self.value),
            "grid": add("", self.grid),
            "shape": add("shape", self.shape, (larger,)),
            "made": add("", self.made),
            "seed": add("seed", self.seed, (again,)),
            "dtype": add("dtype", self.dtype),
            "grad": add("", self.grad),
            "slider": add("slider", self._pair()),
        }
        self._arguments: list[ParameterRow] = []
        self._made_for = ""
        for field in (self.low, self.high):
            field.said.connect(self._rows["slider"].say)

    def _pair(self) -> QWidget:
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        row.addWidget(self.low)
        row.addWidget(self.high)
        return pair

    @property
    def leaf(self) -> Leaf:
        """The leaf being shown."""
        found = self.drawing.by_id.get(self.id)
        if not isinstance(found, Leaf):
            raise UserError("This leaf is no longer in the drawing; choose another one.")
        return found

    @property
    def first(self) -> QWidget:
        kind = form_of(self.leaf)
        if kind.maker != "tensor":
            return self._arguments[0].field if self._arguments else self.kind
        return self.value if kind.key == "scalar" else self.grid.view

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.made.set_theme(theme)
        self.grid.set_theme(theme)
        for field in (self.low, self.high):
            field.setFont(self.name.font())

    def leave(self) -> None:
        self.grid.close_dialog()

    # showing

    def fill(self, drawing: Drawing) -> None:
        leaf = self.leaf
        kind = form_of(leaf)
        is_written = kind.maker == "tensor"
        is_number = is_written and not isinstance(leaf.data, tuple)
        show = {
            "value": is_number,
            "grid": is_written and not is_number,
            "shape": is_written and not is_number,
            "made": not is_written,
            "seed": leaf.maker in RANDOM,
            "slider": is_number and not isinstance(leaf.data, bool | complex),
        }
        for name, shown in show.items():
            self.form.show_row(self._rows[name], shown)
        self.name.show_text(leaf.name)
        self.kind.show_key(kind.key, kind.title)
        if is_number:
            self.value.show_text(write(leaf.data))
        elif is_written:
            self.grid.show_data(leaf.id, leaf.name, leaf.data)
            self.shape.show_text(", ".join(map(str, leaf_shape(leaf))))
        else:
            self._fill_made(leaf)
        self.seed.show_text("" if leaf.seed is None else str(leaf.seed))
        self.dtype.setItemText(0, f"{leaf_dtype(leaf)} (default)" if not leaf.dtype else "default")
        self.dtype.show_key(leaf.dtype)
        self._fill_grad(drawing, leaf)
        for at, field in enumerate((self.low, self.high)):
            field.show_text("" if leaf.slider is None else write(leaf.slider[at]))
            field.setPlaceholderText(write(SLIDER[at]))

    def _fill_grad(self, drawing: Drawing, leaf: Leaf) -> None:
        """The switch, or why there is none."""
        why = ""
        if not leaf.requires_grad:
            try:
                change_leaf(drawing, leaf.id, requires_grad=True)
            except UserError as error:
                why = str(error)
        self.grad.setChecked(leaf.requires_grad)
        self.grad.setEnabled(not why)
        self.grad.setAccessibleDescription(why)
        self._rows["grad"].say(why, quiet=True)

    def _fill_made(self, leaf: Leaf) -> None:
        kind = form_of(leaf)
        if self._made_for != kind.key:
            self._made_for = kind.key
            self.made.clear()
            self._arguments = [ParameterRow(self.made, one, self._take_argument) for one in kind.params]
            self.made.set_theme(self.theme)
        given = arguments(leaf)
        for row in self._arguments:
            row.fill(given)

    def show_thing(self, drawing: Drawing, picked: frozenset[int]) -> None:
        if picked != self.thing:
            self.made.forget()
            for field in (self.low, self.high):
                field.forget()
        super().show_thing(drawing, picked)

    # changing

    def _label(self) -> str:
        return f"Change {self.leaf.name}"

    def _change(self, leaf: Leaf, merge: str = "") -> None:
        """Replace the leaf by one made from it."""
        self.edit(
            self._label(),
            lambda drawing: change_leaf(
                drawing,
                leaf.id,
                data=leaf.data,
                maker=leaf.maker,
                seed=leaf.seed,
                dtype=leaf.dtype,
                requires_grad=leaf.requires_grad,
                slider=leaf.slider,
            ),
            merge,
        )

    def _take_name(self, text: str) -> None:
        self.edit(f"Rename {self.leaf.name}", lambda drawing: change_leaf(drawing, self.id, name=text))

    def _take_kind(self, key: str) -> None:
        self._change(as_form(self.leaf, key))

    def _take_value(self, text: str) -> None:
        stripped = text.strip()
        if stripped[:1] in "[(" or any(mark in stripped for mark in "\t\n") or stripped.endswith(")"):
            self._take_typed(read(text))
        else:
            self._take_data(read_number(text))

    def _take_data(self, data: Literal) -> None:
        self._change_data(data)

    def _change_data(self, data: Literal, merge: str = "") -> None:
        leaf = self.leaf
        slider = leaf.slider if not isinstance(data, tuple) else None
        self._change(replace(leaf, data=fitted(leaf, data), slider=slider), merge)

    def _take_typed(self, typed: Typed) -> None:
        """A whole array, with its dtype and requires_grad if they were written."""
        leaf = self.leaf
        dtype = typed.dtype if typed.dtype in DTYPES else leaf.dtype
        grad = leaf.requires_grad if typed.requires_grad is None else typed.requires_grad
        new = replace(leaf, dtype=dtype, requires_grad=grad)
        slider = leaf.slider if not isinstance(typed.data, tuple) else None
        self._change(replace(new, data=fitted(new, typed.data), slider=slider))

    def _step(self, step: float) -> None:
        value = self.leaf.data
        if isinstance(value, int | float) and not isinstance(value, bool):
            if isinstance(value, int):
                step = int(step) or (1 if step > 0 else -1)
            self._change_data(round(value + step, 12), f"step {self.id}")

    def _take_shape(self, text: str) -> None:
        shape = read_argument(SHAPE, text)
        assert isinstance(shape, tuple)
        if not all(isinstance(size, int) and size > 0 for size in shape):
            raise UserError(f"{quoted(text)} is not a shape. Type sizes such as 2, 3.")
        leaf = self.leaf
        if prod(shape) > MOST:  # type: ignore[arg-type]
            raise UserError(f"{text} are too many numbers to write down; {MOST:,} are the most. Choose randn or zeros.")
        self._take_data(resized(leaf.data, shape, zero(leaf)))  # type: ignore[arg-type]

    def _take_argument(self, name: str, value: Literal) -> None:
        leaf = self.leaf
        given = {**arguments(leaf), name: value}
        self._change(replace(leaf, data=packed(form_of(leaf), given)))

    def _take_seed(self, text: str) -> None:
        seed = read_number(text) if text.strip() else None
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise UserError(f"{quoted(text)} is not a seed. Type a whole number such as 0.")
        self._change(replace(self.leaf, seed=seed))

    def _new_seed(self) -> None:
        old = self.leaf.seed
        self._take_seed(str(random.choice([seed for seed in range(SEEDS) if seed != old])))

    def _take_dtype(self, key: str) -> None:
        self._change(replace(self.leaf, dtype=key))

    def _take_grad(self, on: bool) -> None:
        self._change(replace(self.leaf, requires_grad=on))

    def _take_slider(self, text: str, end: int) -> None:
        """One end of the slider's range; an empty field removes the range."""
        leaf = self.leaf
        if not text.strip():
            self._change(replace(leaf, slider=None))
            return
        value = read_number(text)
        if isinstance(value, bool | complex) or not abs(value) < float("inf"):
            raise UserError(f"{quoted(text)} is not a number. Type the end of the slider, such as -5.")
        low, high = leaf.slider or SLIDER
        if leaf.slider is None and not (value < high if end == 0 else value > low):
            low, high = (value, value + 20.0) if end == 0 else (value - 20.0, value)
        self._change(replace(leaf, slider=(float(value), high) if end == 0 else (low, float(value))))


# --- Operations ---

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
