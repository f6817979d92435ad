"""What is said of an item that is neither near nor far: its name, its main number or picture, its gradient. Cheap to
ask of hundreds of items at every step: it compares numbers of values, and writes a value once. `brief_painter` paints
it; `content` says more of what is near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.values import number_text
from gradviz.ui.canvas.diagram import OPERATION, TENSOR, Diagram, Ints
from gradviz.ui.canvas.heat import Picture, picture

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace

DIGITS = (4, 3, 2, 1)  # of a number, the first that there is room for
LONGEST = 14  # characters of a small array that is written


@dataclass(frozen=True)
class Brief:
    """`value` and `grad` are numbers of values in the trace, -1 for none."""

    name: str
    value: int = -1
    grad: int = -1
    stored: bool = False  # the gradient is in `.grad`, not only passing
    ran: bool = False  # an operation that has run backward in this call
    tabs: tuple[str, ...] = ()  # states of an operation's saved buffers
    arrived: int = 0  # gradients in the input buffer, of those that it waits for
    expected: int = 0


@dataclass(frozen=True)
class Written:
    """A value in a few characters, or as a picture."""

    text: str
    norm: str
    picture: Picture | None
    shorter: tuple[str, ...] = ()  # the norm with fewer digits


class Briefs:
    """All tensors' values and gradients at one frame."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        trace, cursor = frame.trace, frame.cursor
        self.value: Ints = np.array(trace.tensors.value, np.int64)
        _follow(self.value, trace.writes, cursor)
        self.grad: Ints = np.full(len(trace.tensors), -1, np.int64)
        _follow(self.grad, trace.grads, cursor)
        self.stored = self.grad >= 0
        passing = np.full(len(trace.tensors), -1, np.int64)
        self._arrival: Ints = np.full(len(trace.tensors), -1, np.int64)  # the last one in this call
        if frame.call >= 0:
            arrivals = trace.arrivals
            low, high = np.searchsorted(arrivals.step, [int(trace.calls.step[frame.call]), cursor])
            rows = np.arange(low, high)
            rows = rows[(arrivals.call[rows] == frame.call) & (arrivals.tensor[rows] >= 0)]
            passing[arrivals.tensor[rows]] = arrivals.total[rows]
            self._arrival[arrivals.tensor[rows]] = rows
            passing[trace.tensors.is_leaf[: len(passing)].astype(bool)] = -1
        self.grad = np.where(self.stored, self.grad, passing)

    def of(self, diagram: Diagram, item: int) -> Brief:
        """What is said of a card, an operation or a tag."""
        index = int(diagram.index[item])
        if diagram.kind[item] == TENSOR:
            value, grad, stored = int(self.value[index]), int(self.grad[index]), bool(self.stored[index])
            last, arrivals = int(self._arrival[index]), self._frame.trace.arrivals
            arrived, expected = (int(arrivals.arrived[last]), int(arrivals.expected[last])) if last >= 0 else (0, 0)
            return Brief(diagram.names[item], value, grad, stored, arrived=arrived, expected=expected)
        if diagram.kind[item] == OPERATION:
            tabs = tuple(saved.state for saved in self._frame.saved(index))
            symbol = diagram.names[item] or str(diagram.trace.nodes.symbol[index])
            return Brief(symbol, ran=bool(self._frame.node_ran[index]), tabs=tabs)
        return Brief(diagram.names[item])


def _follow(values: Ints, table: object, cursor: int) -> None:
    """Put in what a table of changes has until a cursor, the last one last."""
    end = int(np.searchsorted(table.step, cursor))  # type: ignore[attr-defined]
    values[table.tensor[:end]] = table.value[:end]  # type: ignore[attr-defined]


class Writer:
    """Values as they are written, each once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[int, Written] = {}

    def of(self, number: int) -> Written:
        """How the value with this number is written."""
        if number not in self._known:
            self._known[number] = self._written(number)
        return self._known[number]

    def _written(self, number: int) -> Written:
        value = self._trace.value(number)
        if value is None:
            return Written("None", "None", None)
        if value.scalar is not None:
            text, *shorter = (number_text(value.scalar, digits) for digits in DIGITS)
            return Written(text, text, None, tuple(shorter))
        text = value.text(LONGEST)
        shown = picture(value.edges) if value.numel > 1 else None
        norm, *shorter = (f"‖{number_text(value.norm, digits)}‖" for digits in DIGITS)
        return Written(text if len(text) <= LONGEST else "", norm, shown, tuple(shorter))
