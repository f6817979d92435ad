"""What rewritten code calls while it runs, see `instrument.py`. At bindings tensors get names, and modules and
containers give names to the tensors in them. Where an `except` begins, an error of PyTorch's that the snippet catches
becomes a step: what a snippet raises itself is its own affair, and an error that nobody catches ends the run, see
`Recorder.raised`."""

from __future__ import annotations

import inspect
import sys
import types
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.trace.record.location import (
    CLOSED,
    COUNT,
    ENDLESS,
    KIND,
    OPEN,
    PLACE,
    ROW,
    TOTAL,
    UNKNOWN,
    VALUE,
    VARIABLE,
    WIDTH,
)
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import ELEMENT, INSIDE, LOCAL, PLAIN

if TYPE_CHECKING:
    from types import FrameType

    from gradviz.trace.record.rows import RowWriter

_MOST = 64  # elements of a container that get names, and containers that are looked into
_DEEPEST = 3
_NUMBERS = dict.fromkeys((int, float, str), "number")  # text counts as one: it can name an iteration


class _NumbersOnly(dict[type, str]):
    def get(self, key: type, default: Any = None) -> Any:
        return super().get(key, "")


_LONG = (list, tuple, dict, range, set, frozenset)
_LOOP = int(RegionKind.LOOP)
_ENDABLE = (range, list, tuple)  # their iterators can be moved to the end
_OWN = ("gradviz.", "torch.", "torchvision.")
_DISTRIBUTIONS = ("torch.distributions.", "gradviz.torch.distributions.")  # their parameters have names of their own
_DICTS = (dict, OrderedDict, defaultdict)


def length_of(gone_through: object) -> int:
    """The number of iterations of a loop over this, as far as it can be determined without running any code of the
    snippet."""
    if type(gone_through) is range and abs(gone_through.stop - gone_through.start) > sys.maxsize:
        return ENDLESS
    if type(gone_through) in _LONG:
        return len(gone_through)  # type: ignore[arg-type]
    if type(gone_through).__name__ == "DataLoader":
        loader: Any = gone_through
        parts = (loader, *(_attributes(loader).get(name) for name in ("dataset", "sampler", "batch_sampler")))
        if all(each is None or type(each) in _LONG or _module_of(type(each)).startswith(_OWN) for each in parts):
            return len(loader)
    return ENDLESS


def _counts(gone_through: object) -> bool:
    """Whether this is an `itertools.count`, whose loop ends by a `break` alone."""
    return type(gone_through).__name__ == "count" and _module_of(type(gone_through)) == "itertools"


def _exhaust(iterator: Any, total: int) -> None:
    """Move an iterator to the end of the `total` things that it goes through."""
    if isinstance(iterator, types.GeneratorType):
        iterator.close()
    elif type(iterator).__name__ == "_SingleProcessDataLoaderIter":
        iterator._batches = iter(())
    else:
        iterator.__setstate__(total)


def _module_of(kind: type) -> str:
    return str(type.__getattribute__(kind, "__module__"))


class Binder:
    """Writes the `names` of one run."""

    def __init__(self, rows: RowWriter) -> None:
        self._rows = rows
        self._kinds: dict[type, str] = {Tensor: "tensor", list: "list", tuple: "list", dict: "dict", **_NUMBERS}
        self._all_kinds = self._kinds
        self._stack = rows.regions.stack
        self._done: set[tuple[int, str, int]] = set()
        self.turned = self.left_loop = _nothing
        self.every_turn = False  # report every loop, not only the one that trains
        self._counted: list[tuple[int, Any]] = []  # loops that can be ended: the stack's height, their iterator
        self._modules: dict[str, tuple[Any, int]] = {}  # by the name of a variable: weakly the module, its rank
        self._of_empty: dict[int, list[tuple[str, str, int]]] = {}  # names of tensors without elements, by number

    def rest(self) -> None:
        """Give no names for a while, during which nothing else is recorded either."""
        self._kinds = _NumbersOnly(_NUMBERS)

    def wake(self) -> None:
        """Give names again."""
        self._kinds = self._all_kinds

    def bind(self, name: str, value: Any, rank: int = PLAIN) -> Any:
        """The snippet bound `value` to `name`; with "" it put something into `value`."""
        if not name:
            return self._placed(value)
        kind = self._kinds.get(type(value))  # without a call, for which a recursion near its limit would have no room
        if kind is None:
            kind = self._kind(type(value))
        if rank == LOCAL and "." in name and (kind == "module" or _is_parameter(value)):
            rank = INSIDE  # "self.fc", which will be "model.fc"
        if kind == "tensor":
            self._name(value, name, "", rank)
        elif kind and kind != "number":
            for tensor, element, owner in _elements(name, value, kind, self._kind):
                self._name(tensor, element, owner, max(rank, ELEMENT))
            if kind == "module" and "." not in name:
                self._modules[name] = weakref.ref(value), rank
        return value

    def _placed(self, holder: Any) -> None:
        """Something was put into a module: what it and those that hold it have inside may be called otherwise now."""
        if self._kind(type(holder)) == "module":
            for name, (held, rank) in list(self._modules.items()):
                self.bind(name, held(), rank)

    def _kind(self, type_: type) -> str:
        """How values of a type are searched, determined once per type."""
        kind = self._kinds.get(type_)
        if kind is None:
            kind = self._kinds[type_] = _kind_of(type_)
        return kind

    def iterate(self, name: str, value: Any) -> None:
        """The next iteration of a loop begins, and `name` is its first variable."""
        stack = self._stack
        stack[COUNT] += 1
        stack[ROW] = UNKNOWN
        is_number = self._kinds.get(type(value)) == "number" and name[0] != "_"
        stack[VARIABLE], stack[VALUE] = (name, value) if is_number else ("", None)
        if stack[PLACE] is self._rows.training or self.every_turn:
            self.turned()
        if not is_number:
            self._turning(name, value)

    def _turning(self, name: str, value: Any) -> None:
        """A variable of a loop was bound: what the loop goes through has better names."""
        self.bind(name, value, LOCAL)
        self._modules.pop(name, None)

    def sized(self, gone_through: Any) -> Any:
        """A loop will iterate over this; returns what it iterates over instead, which gives the same."""
        shown = gone_through
        if type(shown).__name__ == "tqdm" and _module_of(type(shown)).startswith(_OWN):  # a progress bar, not drawn
            shown = _attributes(shown).get("iterable")
        self._stack[TOTAL] = length_of(shown)
        height, counted = len(self._stack), self._counted
        while counted and counted[-1][0] >= height:
            counted.pop()
        counts = _counts(shown)
        loads = type(shown).__name__ == "DataLoader" and _module_of(type(shown)).startswith(_OWN)
        if (counts or loads) and self._stack[TOTAL] < 0:
            self._stack[TOTAL] = OPEN  # a data set of the snippet has a length that only its own code knows
        if not (counts or loads or (self._stack[TOTAL] >= 0 and type(shown) in _ENDABLE)):
            return gone_through
        counted.append((height, (number for number in gone_through) if counts else iter(shown)))
        return counted[-1][1]

    def end_loops(self) -> int:
        """Make the current iteration of each loop the last one; returns how many loops end. None does inside of a loop
        of unknown length that can't be ended, which would begin it again."""
        stack = self._stack
        loops = [at for at in range(len(stack), WIDTH, -WIDTH) if stack[at + KIND] == _LOOP]
        if any(stack[at + TOTAL] == ENDLESS for at in loops):
            return 0
        opened = [at for at in loops if stack[at + TOTAL] == OPEN]
        for at in opened:
            stack[at + TOTAL] = CLOSED
        ended = len(opened)
        for height, iterator in self._counted:
            if height <= len(self._stack) and self._stack[height + TOTAL] == CLOSED:
                _exhaust(iterator, 0)
            elif height <= len(self._stack) and self._stack[height + TOTAL] > self._stack[height + COUNT] + 1:
                _exhaust(iterator, self._stack[height + TOTAL])
                self._stack[height + TOTAL] = self._stack[height + COUNT] + 1
                ended += 1
        return ended

    def left(self) -> None:
        """A loop was left."""
        self.left_loop()

    def also(self, name: str, value: Any) -> None:
        """Another variable of a loop: the first number or text among them names the iteration."""
        if self._kinds.get(type(value)) != "number":
            self._turning(name, value)
        elif self._stack[VALUE] is None and name[0] != "_":
            self._stack[VARIABLE], self._stack[VALUE] = name, value

    def _name(self, tensor: Any, name: str, owner: str, rank: int) -> None:
        rows = self._rows
        number = tensor._tag
        if number < 0:
            if state.observer is None:
                return  # nothing is being recorded: this tensor is not part of the graph
            number = rows.tensor_of(tensor)
        key = (number, name, rank)
        if key not in self._done:
            self._done.add(key)
            writer = rows.writer
            writer.add("names", rows.step - 1, number, writer.text(name), writer.text(owner), rank)
            if not tensor._data.size:
                self._of_empty.setdefault(number, []).append((name, owner, rank))

    def made_anew(self, before: int, now: int) -> None:
        """A parameter of a lazy module has got its shape, and with it another number: its names go with it."""
        rows, writer = self._rows, self._rows.writer
        for name, owner, rank in self._of_empty.pop(before, ()):
            writer.add("names", rows.step - 1, now, writer.text(name), writer.text(owner), rank)


def _nothing() -> None:
    pass


def _is_parameter(value: object) -> bool:
    return isinstance(value, Tensor) and value._is_param


def _kind_of(type_: type) -> str:
    """How values of a type are searched; "" if they are not."""
    if issubclass(type_, Tensor):
        return "tensor"
    if _module_class(type_) is not None:
        return "module"
    module = _names_of(type_).get("__module__")
    if module == "__main__" or (type(module) is str and module.startswith(_DISTRIBUTIONS)):
        return "object"
    return "list" if type_ in (list, tuple) else "dict" if type_ in _DICTS else ""


# From the class and not from its metaclass, which may return anything.
_names_of = type.__dict__["__dict__"].__get__
_bases_of = type.__dict__["__mro__"].__get__


def _attributes(value: object) -> dict[str, Any]:
    """The attributes of an object of a class of the snippet; no code of that class runs."""
    found = next((names["__dict__"] for names in map(_names_of, _bases_of(type(value))) if "__dict__" in names), None)
    attributes = found.__get__(value) if type(found) is types.GetSetDescriptorType else None
    return attributes if type(attributes) is dict else {}


def _is_inner(value: object, key: object) -> bool:
    """Whether this is an attribute that a distribution keeps for itself."""
    return str(key).startswith("_") and _names_of(type(value)).get("__module__") != "__main__"


def _module_class(type_: type) -> Any:
    """`nn.Module` among the bases, found without importing it."""
    return next((c for c in type_.__mro__ if c.__name__ == "Module" and "torch.nn.modules" in c.__module__), None)


def _elements(name: str, value: Any, kind: str, kind_of: Callable[[type], str]) -> Iterator[tuple[Any, str, str]]:
    """(tensor, name, owner) of every tensor in a module or container."""
    stack, looked = [(name, value, kind, 0)], 0
    while stack:
        name, value, kind, depth = stack.pop()
        if kind == "module" and "_parameters" not in vars(value):
            continue  # in its own `__init__`, before `super().__init__()`
        if kind == "module":
            its = _module_class(type(value))
            for path, parameter in its.named_parameters(value):
                yield parameter, path, name
            for path, buffer in its.named_buffers(value):
                if buffer._tag >= 0:  # one that the snippet made; a layer's own counter is in no graph
                    yield buffer, path, name
            continue
        looked += 1
        if looked > _MOST:
            return
        inside = _attributes(value) if kind == "object" else value if kind == "dict" else dict(enumerate(value[:_MOST]))
        for key, each in list(inside.items())[:_MOST]:
            if not isinstance(key, (str, int)) or (kind == "object" and _is_inner(value, key)):
                continue
            inner = kind_of(type(each))
            path = f"{name}.{key}" if kind == "object" else f"{name}[{key!r}]"
            if inner == "tensor":
                yield each, path, ""
            elif inner and inner != "number" and depth < _DEEPEST:
                stack.append((path, each, inner, depth + 1))


LONGEST = 20_000  # characters of a message
MOST_GIVEN, _MOST_LOOKED_AT = 6, 1_000  # tensors that an operation was given, arguments of a call
_SEEN = "<e>"  # an attribute of inspected errors, with a name that no snippet can spell
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
            return  # caught and raised again: its traceback gets a frame longer each time
        error.__dict__[_SEEN] = True
        rows = self._rows
        if rows.in_gap:
            return
        site, below = rows.sites.raised(error.__traceback__)
        if not any(map(_is_ours, below)):
            return
        text, writer = rows.writer.text, rows.writer
        step = rows.add_step(Kind.CAUGHT, -1, -1, site, writer.count("caught"))
        writer.add("caught", step, text(type(error).__qualname__), text(str(error)[:LONGEST]))
        write_given(rows, step, below)


def write_given(rows: RowWriter, step: int, calls: Iterable[FrameType]) -> None:
    """Write which tensors the operation was given that raised within these calls: the arguments of the outermost one of
    ours that has several, otherwise of the innermost that has one."""
    given: dict[int, None] = {}
    for found in map(_arguments, filter(_is_ours, calls)):
        given = found or given
        if len(given) > 1:
            break
    for tensor in list(given)[:MOST_GIVEN]:
        rows.writer.add("given", step, tensor)


def _is_ours(frame: FrameType) -> bool:
    """Whether it runs a function of our PyTorch."""
    name = frame.f_globals.get("__name__")
    return type(name) is str and name.startswith(_PYTORCH) and vars(sys.modules.get(name, sys)) is frame.f_globals


def _arguments(frame: FrameType) -> dict[int, None]:
    """The recorded tensors among the arguments of a call, and in lists of them, in order. What else a snippet passed is
    looked at by `type` alone: isinstance() could run its code."""
    code, held = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    several: list[object] = []
    for each in map(held.get, code.co_varnames[:count]):
        several += cast("list[object]", each) if type(each) in (list, tuple) else (each,)
    tensors = (cast("Tensor", one) for one in several[:_MOST_LOOKED_AT] if issubclass(type(one), Tensor))
    return dict.fromkeys(one._tag for one in tensors if one._tag >= 0)


def _is_known(kind: type[BaseException]) -> bool:
    """Whether a class of errors is Python's or PyTorch's: one of the snippet's could run its own code when
    inspected."""
    module = type.__getattribute__(kind, "__module__")
    return type(module) is str and (module == "builtins" or module.startswith(_PYTORCH))
