"""The row of one parameter, made from its entry in the catalogue: a switch, a choice or a field by its kind, with the
default shown greyed and a button that goes back to it. What is typed is read in `document.typed_arguments`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gradviz.document.catalogue import Parameter
from gradviz.document.drawing import Literal
from gradviz.document.errors import UserError
from gradviz.document.leaf_forms import DTYPES
from gradviz.document.typed_arguments import WANTED, read_argument, write_argument
from gradviz.ui.editors.fields import Choice, TextField, Toggle, small_button
from gradviz.ui.editors.form import Form, Row

SetArgument = Callable[[str, Literal], None]
STEPPED = ("int", "dim", "float", "number")


class ParameterRow:
    """One parameter in a form; `give` is called with its name and its value, the default to take it away."""

    def __init__(self, form: Form, parameter: Parameter, give: SetArgument) -> None:
        self.parameter = parameter
        self._give = give
        self._given: Literal = None
        self.field = self._field()
        self.reset = small_button("↺", f"Default of {parameter.name}", self._reset, f"Back to {self._default()}")
        self.row: Row = form.add(parameter.name, self.field, (self.reset,))

    def fill(self, given: Mapping[str, Literal]) -> None:
        """Show the arguments that are given."""
        parameter, is_set = self.parameter, self.parameter.name in given
        value = self._given = given.get(parameter.name, parameter.default)
        self.reset.setVisible(is_set and not parameter.required)
        if isinstance(self.field, Toggle):
            self.field.setChecked(bool(value))
            self.field.setText("" if is_set else "default")
        elif isinstance(self.field, Choice):
            self.field.show_key(str(value) if is_set and value is not None else "")
        else:
            self.field.show_text(write_argument(parameter, value) if is_set else "")

    def _field(self) -> TextField | Choice | Toggle:
        parameter = self.parameter
        if parameter.kind == "bool":
            return Toggle("", parameter.name, self._take_bool)
        if parameter.kind in ("choice", "dtype"):
            choices = parameter.choices or DTYPES
            first = ("", f"{self._default()} (default)")
            rows = [first, *((key, key) for key in choices if key != parameter.default)]
            return Choice(parameter.name, rows, self._take)
        steps = parameter.kind in STEPPED
        field = TextField(parameter.name, self._take, steps=steps, hint=self._default())
        field.stepped.connect(self._step)
        return field

    def _default(self) -> str:
        """What stands there greyed."""
        parameter = self.parameter
        if parameter.required:
            return f"needed: {WANTED.get(parameter.kind, 'a value')}"
        return write_argument(parameter, parameter.default)

    def _take(self, text: str) -> None:
        self._give(self.parameter.name, read_argument(self.parameter, text))

    def _take_bool(self, checked: bool) -> None:
        self._give(self.parameter.name, checked)

    def _reset(self) -> None:
        self._give(self.parameter.name, self.parameter.default)
        self.field.setFocus()

    def _step(self, step: float) -> None:
        value = self._given if isinstance(self._given, int | float) else 0
        whole = self.parameter.kind in ("int", "dim")
        try:
            self._give(self.parameter.name, value + (int(step) or (1 if step > 0 else -1)) if whole else value + step)
        except UserError as error:
            self.row.say(str(error))
