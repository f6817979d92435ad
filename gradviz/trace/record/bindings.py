"""What instrumented code calls (see `instrument.py`): where it binds a name, tensors get the name, modules and
containers give names to the tensors in them; where an `except` begins, an error of PyTorch's that the snippet catches
becomes a step. What a snippet raises itself is its own affair, and an error that nobody catches ends the run, see
`Recorder.raised`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.trace.record.location import COUNT, ROW, UNKNOWN, VALUE, VARIABLE
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import ELEMENT, LOCAL, PLAIN

if TYPE_CHECKING:
    from gradviz.trace.record.rows import RowWriter

_MOST = 64  # elements of a container that get names
_DEEPEST = 3
_NUMBERS = dict.fromkeys((int, float, str), "number")  # a text counts as one: it can name an iteration


class Binder:
    """Writes the `names` of one run."""

    def __init__(self, rows: RowWriter) -> None:
        self._rows = rows
        self._kinds: dict[type, str] = {Tensor: "tensor", list: "list", tuple: "list", dict: "dict", **_NUMBERS}
        self._stack = rows.regions.stack
        self._done: set[tuple[int, str, int]] = set()

    def bind(self, name: str, value: Any, rank: int = PLAIN) -> Any:
        """The snippet bound `value` to `name`."""
        kind = self._kinds.get(type(value))
        if kind is None:
            kind = self._kinds[type(value)] = _kind_of(type(value))
        if kind == "tensor":
            self._name(value, name, "", rank)
        elif kind and kind != "number":
            for tensor, element, owner in _elements(name, value, kind, _kind_of):
                self._name(tensor, element, owner, max(rank, ELEMENT))
        return value

    def iterate(self, name: str, value: Any) -> None:
        """The next iteration of a loop begins, and `name` is its first variable."""
        stack = self._stack
        stack[COUNT] += 1
        stack[ROW] = UNKNOWN
        if self._kinds.get(type(value)) == "number" and name[0] != "_":
            stack[VARIABLE], stack[VALUE] = name, value
        else:
            stack[VALUE] = None
            self.bind(name, value, LOCAL)

    def also(self, name: str, value: Any) -> None:
        """A variable of a loop: the first number or text among them is what the iteration is called after."""
        if self._kinds.get(type(value)) != "number":
            self.bind(name, value, LOCAL)
        elif self._stack[VALUE] is None and name[0] != "_":
            self._stack[VARIABLE], self._stack[VALUE] = name, value

    def _name(self, tensor: Any, name: str, owner: str, rank: int) -> None:
        rows = self._rows
        number = tensor._tag
        if number < 0:
            if state.observer is None:
                return  # nobody watches now: this is no tensor of the graph
            number = rows.tensor_of(tensor)
        key = (number, name, rank)
        if key not in self._done:
            self._done.add(key)
            writer = rows.writer
            writer.add("names", rows.step - 1, number, writer.text(name), writer.text(owner), rank)


def _kind_of(type_: type) -> str:
    """How values of a type are looked into; "" for not at all."""
    if issubclass(type_, Tensor):
        return "tensor"
    if _module_class(type_) is not None:
        return "module"
    return "list" if type_ in (list, tuple) else "dict" if type_ is dict else ""


def _module_class(type_: type) -> Any:
    """`nn.Module` among the bases, found without importing it."""
    return next((c for c in type_.__mro__ if c.__name__ == "Module" and "torch.nn.modules" in c.__module__), None)


def _elements(name: str, value: Any, kind: str, kind_of: Any) -> Iterator[tuple[Any, str, str]]:
    """(tensor, name, owner) of every tensor in a module or container."""
    stack = [(name, value, kind, 0)]
    while stack:
        name, value, kind, depth = stack.pop()
        if kind == "module" and "_parameters" not in vars(value):
            continue  # in its own `__init__`, before `super().__init__()`
        if kind == "module":
            for path, parameter in _module_class(type(value)).named_parameters(value):
                yield parameter, path, name
            continue
        pairs = list(value.items() if kind == "dict" else enumerate(value))[:_MOST]
        for key, each in pairs:
            if not isinstance(key, (str, int)):
                continue
            inner = kind_of(type(each))
            if inner == "tensor":
                yield each, f"{name}[{key!r}]", ""
            elif inner and depth < _DEEPEST:
                stack.append((f"{name}[{key!r}]", each, inner, depth + 1))


LONGEST = 20_000  # characters of a message
_SEEN = "<e>"  # an attribute of what was looked at; no snippet can spell it
_PYTORCH = ("gradviz.engine.", "gradviz.torch.")


class Catcher:
    """Writes the `caught` errors of one run."""

    def __init__(self, rows: RowWriter) -> None:
        self._rows = rows

    def catch(self) -> None:
        """An `except` has caught something."""
        error = sys.exc_info()[1]
        if error is None or not _is_known(type(error)):
            return
        if _SEEN in error.__dict__:
            return  # it was caught and raised again: its traceback is a frame longer each time
        error.__dict__[_SEEN] = True
        rows = self._rows
        site, below = rows.sites.raised(error.__traceback__)
        if not any(module.startswith(_PYTORCH) for module in below):
            return
        text, writer = rows.writer.text, rows.writer
        step = rows.add_step(Kind.CAUGHT, -1, -1, site, writer.count("caught"))
        writer.add("caught", step, text(type(error).__qualname__), text(str(error)[:LONGEST]))


def _is_known(kind: type[BaseException]) -> bool:
    """Whether a class of errors is Python's or PyTorch's: one of the snippet's could run its code when looked at."""
    module = type.__getattribute__(kind, "__module__")
    return type(module) is str and (module == "builtins" or module.startswith(_PYTORCH))
