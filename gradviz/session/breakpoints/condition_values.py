"""What the names in a condition mean at a step: the things that a step is about, each with its value and gradient, as
columns for many steps at once (`Things`) and one by one (`Moment`), and the methods that can be called on a value.
Pure; `conditions` has the language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradviz.session.breakpoints.points import AbsentError, ConditionError
from gradviz.session.columns import place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value


# -- methods over all elements of a value, or, if it was too large to be recorded whole, over what is known of it

NO_ANSWER = "This is not true or false; compare it with something."
ONE_EACH = "This gives one result per element; end it with .any() or .all()."


@dataclass(frozen=True)
class Known:
    """A value of which only the summary is known. Anything the summary does not tell is absent."""

    low: float
    high: float
    mean: float
    length: float
    nans: int
    shape: tuple[int, ...]
    numel: int

    def call(self, method: str) -> Any:
        """The result of a method."""
        if method == "abs":
            low = 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
            return Known(low, max(abs(self.low), abs(self.high)), float("nan"), self.length, self.nans, *self._size)
        found: dict[str, Any] = {
            "max": float("nan") if self.nans else self.high,
            "min": float("nan") if self.nans else self.low,
            "mean": self.mean,
            "sum": self.mean * self.numel,
            "norm": self.length,
            "isnan": Which(self.nans > 0, self.nans == self.numel),
            "isinf": Which(float("inf") in (self.high, -self.low), self.low == self.high == float("inf")),
        }
        if method not in found or (method in ("mean", "sum") and self.mean != self.mean and not self.nans):
            raise AbsentError
        return found[method]

    @property
    def _size(self) -> tuple[tuple[int, ...], int]:
        return self.shape, self.numel


@dataclass(frozen=True)
class Which:
    """For which elements something is true, as far as that is known."""

    any: bool
    all: bool

    def call(self, method: str) -> bool:
        """Only .any() and .all() can be evaluated."""
        if method not in ("any", "all"):
            raise AbsentError
        return self.any if method == "any" else self.all


def elements_of(value: Value) -> Any:
    """The value as a condition sees it."""
    if value.array is None:
        about = value.summary
        return Known(about.low, about.high, about.mean, about.norm, about.nans, value.shape, value.numel)
    array = value.array
    return array.astype("float64") if value.dtype in ("float16", "bfloat16", "float32") else array


def call(thing: Any, method: str) -> Any:
    """The result of a method. Raises AbsentError if there is none."""
    import numpy as np

    if thing is None:
        raise AbsentError
    if isinstance(thing, str | tuple):
        raise ConditionError(f"Only value and grad have .{method}().")
    if isinstance(thing, Known | Which):
        return thing.call(method)
    array = np.asarray(thing)
    if method in ("max", "min", "mean", "item") and (not array.size or (method == "item" and array.size != 1)):
        raise AbsentError
    return _METHODS[method](array)


def truth(thing: Any) -> bool:
    """True or false. Raises ConditionError if a result is neither."""
    if isinstance(thing, str | tuple | Which):
        raise ConditionError(NO_ANSWER)
    if getattr(thing, "size", 1) != 1:
        raise ConditionError(ONE_EACH)
    return bool(thing)


def _norm(array: Any) -> Any:
    import numpy as np

    return np.sqrt(np.square(abs(array)).sum())


def _isnan(array: Any) -> Any:
    import numpy as np

    return np.isnan(array)


def _isinf(array: Any) -> Any:
    import numpy as np

    return np.isinf(array)


_METHODS: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "max": lambda array: array.max(),
    "min": lambda array: array.min(),
    "sum": lambda array: array.sum(),
    "mean": lambda array: array.mean(),
    "norm": _norm,
    "isnan": _isnan,
    "isinf": _isinf,
    "any": lambda array: array.any(),
    "all": lambda array: array.all(),
    "item": lambda array: array.reshape(())[()],
}
METHODS = tuple(_METHODS)


def kind_words() -> tuple[str, ...]:
    """The kinds of steps in words, "backward call", in the order of `gradviz.trace.table.kinds.Kind`."""
    from gradviz.trace.table.kinds import Kind

    return tuple(kind.name.lower().replace("_", " ") for kind in Kind)


@dataclass(frozen=True, eq=False)
class Things:
    """What the steps from `first` to `last` are about, one row per thing: a tensor that was made, written or received a
    gradient, a gradient that flowed; and one row for the step itself. Rows are ascending by step."""

    trace: Trace
    step: NDArray[Any]
    tensor: NDArray[Any]
    node: NDArray[Any]
    value: NDArray[Any]  # -1: the tensor's own value at that moment
    grad: NDArray[Any]  # -1: None
    about: NDArray[Any]  # ABOUT_STEP, ABOUT_VALUE, ABOUT_GRAD

    def kept(self, mask: NDArray[Any]) -> Things:
        """Only these rows."""
        columns = (self.step, self.tensor, self.node, self.value, self.grad, self.about)
        return Things(self.trace, *(column[mask] for column in columns))

    @cached_property
    def norm(self) -> NDArray[Any]:
        """The norm of the gradient, or of the value if there is no gradient; NaN for a step itself."""
        import numpy as np

        norms = np.append(self.trace.values.norm, np.nan)
        found: NDArray[Any] = np.where(self.about == ABOUT_GRAD, norms[self.grad], norms[self.value])
        return found

    def look_up(self, name: str) -> NDArray[Any]:
        """A column of the language."""
        import numpy as np

        trace, step = self.trace, self.step
        made: dict[str, Callable[[], NDArray[Any]]] = {
            "norm": lambda: self.norm,
            "bytes": lambda: trace.held_bytes[step + 1],
            "line": lambda: trace.steps.line[step],
            "step": lambda: step + 1,
            "kind": lambda: np.array(kind_words(), object)[trace.steps.kind[step]],
            "op": lambda: np.append(trace.nodes.op, np.array([""], object))[self.node],
        }
        return made[name]()

    def __len__(self) -> int:
        return len(self.step)

    def moment(self, row: int) -> Moment:
        """One row."""
        return Moment(
            self.trace,
            int(self.step[row]),
            int(self.tensor[row]),
            int(self.node[row]),
            int(self.value[row]),
            int(self.grad[row]),
            int(self.about[row]),
        )


ABOUT_STEP, ABOUT_VALUE, ABOUT_GRAD = range(3)
ABOUT = {"value": ABOUT_VALUE, "grad": ABOUT_GRAD}


@dataclass(frozen=True)
class Moment:
    """One thing at one step."""

    trace: Trace
    step: int
    tensor: int
    node: int
    value: int
    grad: int
    about: int

    def look_up(self, name: str) -> Any:
        """The meaning of a name in this place. Raises AbsentError if it has none."""
        found = getattr(self, f"_{name}")()
        if found is ABSENT:
            raise AbsentError
        return found

    def _value(self) -> Any:
        if self.value >= 0:
            return elements_of(self.trace.store.get(self.value))
        if self.tensor < 0:
            return ABSENT
        value = self._frame().value(self.tensor)
        return ABSENT if value is None else elements_of(value)

    def _grad(self) -> Any:
        if self.grad >= 0:
            return elements_of(self.trace.store.get(self.grad))
        return None if self.about == ABOUT_GRAD else ABSENT

    def _norm(self) -> Any:
        index = self.grad if self.about == ABOUT_GRAD else self.value
        return float(self.trace.values.norm[index]) if index >= 0 else ABSENT

    def _version(self) -> Any:
        return float(self._frame().version(self.tensor)) if self.tensor >= 0 else ABSENT

    def _bytes(self) -> float:
        return float(self.trace.held_bytes[self.step + 1])

    def _line(self) -> float:
        return float(self.trace.steps.line[self.step])

    def _step(self) -> float:
        return float(self.step + 1)

    def _kind(self) -> str:
        return kind_words()[int(self.trace.steps.kind[self.step])]

    def _name(self) -> Any:
        return self.trace.naming.name(self.tensor, self.step + 1) if self.tensor >= 0 else ABSENT

    def _op(self) -> str:
        return str(self.trace.nodes.op[self.node]) if self.node >= 0 else ""

    def _frame(self) -> Any:
        from gradviz.trace.table.frame import Frame

        return Frame(self.trace, self.step + 1)


ABSENT = object()


def things(trace: Trace, first: int, last: int) -> Things:
    """What the steps from `first` to `last` are about."""
    import numpy as np

    steps = np.arange(first, last)
    none = np.full(len(steps), -1)
    rows: list[tuple[NDArray[Any], ...]] = [
        (steps, none, trace.steps.node[first:last], none, none, np.zeros(len(steps), np.int64))
    ]
    rows += [_part(trace, name, first, last) for name in ("tensors", "writes", "grads", "arrivals", "flows", "hooks")]
    columns = [np.concatenate(column).astype(np.int64) for column in zip(*rows, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return Things(trace, *(column[order] for column in columns))


def _part(trace: Trace, name: str, first: int, last: int) -> tuple[NDArray[Any], ...]:
    """(step, tensor, node, value, grad, about) of the rows of one table."""
    import numpy as np

    table = getattr(trace, name)
    low, high = place(table.step, first), place(table.step, last)
    here = slice(low, high)
    step = table.step[here]
    none, about = np.full(len(step), -1), np.full(len(step), ABOUT_GRAD)
    if name == "tensors":
        return step, np.arange(low, high), table.producer[here], table.value[here], none, about * 0 + ABOUT_VALUE
    if name == "writes":
        return step, table.tensor[here], none, table.value[here], none, about * 0 + ABOUT_VALUE
    if name == "grads":
        return step, table.tensor[here], none, none, table.value[here], about
    if name == "arrivals":
        return step, table.tensor[here], table.from_node[here], none, table.total[here], about
    if name == "flows":
        tensor = np.append(trace.inputs.tensor, -1)[table.input[here]]
        return step, tensor, table.node[here], none, table.value[here], about
    return step, table.tensor[here], table.node[here], none, table.after[here], about
