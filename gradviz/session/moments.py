"""What the names of a condition mean at a step: the things that a step is about, each with its value and gradient, as
columns for many steps at once (`Things`) and one by one (`Moment`). Pure; `conditions` has the language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradviz.session.columns import place
from gradviz.session.condition_errors import AbsentError
from gradviz.session.elements import elements_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


def kind_words() -> tuple[str, ...]:
    """The kinds of steps in words, "backward call", in the order of `gradviz.trace.table.kinds.Kind`."""
    from gradviz.trace.table.kinds import Kind

    return tuple(kind.name.lower().replace("_", " ") for kind in Kind)


@dataclass(frozen=True, eq=False)
class Things:
    """What steps `first` up to `last` are about, one row for each thing: a tensor that was made, written or got a
    gradient, a gradient that flowed; and one row for the step itself. Rows are ascending by step."""

    trace: Trace
    step: NDArray[Any]
    tensor: NDArray[Any]
    node: NDArray[Any]
    value: NDArray[Any]  # -1: the tensor's own at that moment
    grad: NDArray[Any]  # -1: None
    about: NDArray[Any]  # ABOUT_STEP, ABOUT_VALUE, ABOUT_GRAD

    def kept(self, mask: NDArray[Any]) -> Things:
        """Only these rows."""
        columns = (self.step, self.tensor, self.node, self.value, self.grad, self.about)
        return Things(self.trace, *(column[mask] for column in columns))

    @cached_property
    def norm(self) -> NDArray[Any]:
        """The norm of the gradient, or of the value where a thing is about none; NaN for a step itself."""
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
        """What a name of the language means here. Raises AbsentError if it means nothing."""
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
    """What the steps `first` up to `last` are about."""
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
