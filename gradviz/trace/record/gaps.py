"""Iterations of a training that run without being recorded: a gap in a recording (`Gaps`). Which ones are wanted is in
`chosen`. When a gap begins and ends is decided in `gradviz.worker.running.pacing`; what is written of one is in `Gap`
and `Resumption` of `schema.py`.

Note [True after a gap] While nothing is recorded nobody listens, so the run goes on as fast as without a recorder. When
recording resumes, whatever the trace knows has to be as it is now: a fingerprint of each known tensor and of its
`.grad` is taken where a gap begins and again where it ends, and what differs is written, at the gap's step. Of the
tensors that can share memory all are known (`Memory`); of others it is noted when they are written to, which a guard
of the engine tells. What optimizers remember is written anew, as the sentence of their next step speaks of it. A node
whose graph went, and what was printed, carry the gap's step, too.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

from gradviz.engine.kernel.state import Observer, set_observer, state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.trace.record.location import COUNT, KIND, PLACE, TOTAL, VALUE, VARIABLE, WIDTH, iteration_name
from gradviz.trace.record.rows import RowWriter, version_of
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind

if TYPE_CHECKING:
    from gradviz.trace.record.forward import Writes

_LARGE = 1 << 20  # elements from which on a part of them is looked at, and how often the memory was written
_LOOP = int(RegionKind.LOOP)


def iterations_left(stack: Sequence[Any]) -> int:
    """How many iterations follow the one that goes on, those of the loops around it counted too; -1 where one does not
    know its length."""
    found, size = 0, 1
    for at in range(len(stack), WIDTH, -WIDTH):
        if stack[at + KIND] == _LOOP:
            if stack[at + TOTAL] < 0:
                return -1
            found += (stack[at + TOTAL] - 1 - stack[at + COUNT]) * size
            size *= stack[at + TOTAL]
    return int(found)


class Gaps:
    """The gaps of one run. At most one is open at a time."""

    def __init__(self, rows: RowWriter, writes: Writes) -> None:
        self._rows = rows
        self._writes = writes
        self._observer: Observer | None = None
        self._outermost: tuple[int, Any] = (0, None)  # of the loops around: how high the stack is in it, and its place
        self._count = 0
        self._last: list[Any] = []  # number of iterations of each loop around it, and their names
        self._known: dict[int, tuple[ref[Tensor], object, object]] = {}
        self._optimizers: dict[tuple[str, int], tuple[ref[Tensor], dict[str, Any]]] = {}

    @property
    def is_open(self) -> bool:
        """Whether a gap is in progress."""
        return self._rows.in_gap

    @property
    def is_left(self) -> bool:
        """Whether the program has left the loops in which the gap began."""
        height, place = self._outermost
        stack = self._rows.stack
        return self.is_open and (len(stack) < height or (height > 0 and stack[height + PLACE] is not place))

    @property
    def loops_around(self) -> int:
        """How many loops the program is in."""
        stack = self._rows.stack
        return sum(stack[at + KIND] == _LOOP for at in range(len(stack), WIDTH, -WIDTH))

    def optimizer(self, name: str, tensor: Tensor, kept: dict[str, Any]) -> None:
        """Register what an optimizer remembers of a parameter, now and later."""
        self._optimizers[name, tensor._tag] = (ref(tensor), kept)

    def begin(self, turn: int) -> None:
        """From now on nothing is recorded; the `turn` of the program's loops begins."""
        rows, stack = self._rows, self._rows.stack
        self._observer, self._count, self._last = state.observer, 0, []
        set_observer(None)
        loops = [at for at in range(len(stack), WIDTH, -WIDTH) if stack[at + KIND] == _LOOP]
        self._outermost = (loops[-1], stack[loops[-1] + PLACE]) if loops else (0, None)
        site = rows.sites.here(3)
        rows.add_step(Kind.GAP, -1, -1, site, rows.writer.count("gaps"))
        rows.writer.add("gaps", rows.step - 1, turn, rows.writer.text(self._name(self._here())))
        rows.in_gap = True
        for tensor in rows.memory.every():
            if tensor._tag >= 0:
                self._known[tensor._tag] = (ref(tensor), _fingerprint(tensor), _grad_fingerprint(tensor))
        if state.write_guard is None:
            state.write_guard = self._note_write

    def skip(self) -> None:
        """An iteration begins that is not recorded."""
        self._count += 1
        self._last = self._here()

    def end(self, turn: int) -> None:
        """Recording goes on at this `turn`, -1 where the loop was left, -2 where the run is over."""
        rows, writer = self._rows, self._rows.writer
        if state.write_guard == self._note_write:
            state.write_guard = None
        step = rows.step - 1
        self._write_changes(step)
        self._write_remembered(step)
        last = writer.text(self._name(self._last))
        writer.add("resumptions", step, writer.count("gaps") - 1, turn, last, self._count)
        rows.in_gap = False
        set_observer(self._observer)

    def _here(self) -> list[Any]:
        return self._rows.stack[WIDTH:]

    @staticmethod
    def _name(stack: list[Any]) -> str:
        """The iterations of the loops that are on a stack: "e = 0, i = 5"."""
        loops = [at for at in range(WIDTH, len(stack) + 1, WIDTH) if stack[at + KIND] == _LOOP]
        return ", ".join(iteration_name(stack[at + COUNT], stack[at + VARIABLE], stack[at + VALUE]) for at in loops)

    def _note_write(self, tensor: Tensor) -> None:
        if tensor._tag >= 0 and tensor._tag not in self._known:
            self._known[tensor._tag] = (ref(tensor), None, _grad_fingerprint(tensor))

    def _write_changes(self, step: int) -> None:
        """Write everything that has changed since the gap began."""
        known, self._known = self._known, {}
        rows, add = self._rows, self._rows.writer.add
        for number, (reference, value, grad) in sorted(known.items()):
            tensor = reference()
            if tensor is None or tensor._tag != number:
                continue
            if _fingerprint(tensor) != value:
                add("writes", step, number, rows.value_of(tensor), version_of(tensor))
                self._writes.count_write(step, tensor, rows.memory.sharing(tensor))
            if _grad_fingerprint(tensor) != grad:
                self._writes.grad_changed(step, tensor)

    def _write_remembered(self, step: int) -> None:
        rows = self._rows
        for (name, number), (reference, kept) in list(self._optimizers.items()):
            tensor = reference()
            if tensor is None:
                del self._optimizers[name, number]
                continue
            average, square = (rows.remembered(kept, names) for names in (AVERAGES, SQUARES))
            rows.writer.add("remembered", step, number, rows.writer.text(name), count_of(kept), average, square)


AVERAGES = ("momentum_buffer", "exp_avg", "acc_delta", "step_size")
SQUARES = ("exp_avg_sq", "square_avg", "sum", "exp_inf")


def count_of(kept: Mapping[str, Any]) -> int:
    """How often an optimizer has updated a parameter, 0 if it does not count or the program replaced the count by
    something else."""
    count = kept.get("step")
    number = count._data.item() if isinstance(count, Tensor) and count._data.size == 1 else 0
    return int(number) if isinstance(number, int | float) and 0 <= number < _MOST else 0


_MOST = 1 << 31


def _fingerprint(tensor: Tensor) -> object:
    """Something that differs if the values of a tensor have changed, or its memory was written."""
    data = tensor._data
    if data.size > _LARGE:
        data = data.reshape(-1)[:: data.size // _LARGE + 1] if data.flags.c_contiguous else data[:1]
    return version_of(tensor), data.shape, zlib.crc32(data.tobytes())


def _grad_fingerprint(tensor: Tensor) -> object:
    grad = tensor._grad
    return None if grad is None else (_fingerprint(grad)[1:], max(grad._tag, -1))  # type: ignore[index]
