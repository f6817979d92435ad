"""The editor of a leaf: its name, the kind of its numbers, the numbers, dtype, requires_grad, and the range of its
slider. The grid of numbers is in `grid`; the arguments of a factory are rows of `form`."""

from __future__ import annotations

import random
from dataclasses import replace
from math import prod

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gradviz.document.catalogue import RANDOM
from gradviz.document.drawing import Drawing, Leaf, Literal
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
from gradviz.document.shaping import change_leaf
from gradviz.document.shaping.values import MOST
from gradviz.document.tables import Typed, quoted, read, read_number, resized, write
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
