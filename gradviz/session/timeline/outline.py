"""The numbers that the timeline and its neighbours draw for a trace at one length, computed once and kept with the
trace (for a long one in the thread that prepares it): the kinds of steps and the bytes held, reduced to pixels
(`Strip`), the iterations and training curve of `iterations`, the marks of `marks`; and who holds the memory of saved
buffers at a cursor (the largest storages with the operations that saved them), with the lifetimes of the buffers.
Nothing here draws; NumPy is loaded by the time there is a trace.

Note [A million steps] A `Strip` is made once per length of a trace. It counts the kinds in blocks of a few steps and
accumulates the counts, so that what a pixel stands for is the difference of two rows, at any zoom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradviz.session.columns import place
from gradviz.session.timeline.iterations import Iterations, Training, iterations, training
from gradviz.session.timeline.marks import Mark, find_marks
from gradviz.session.timeline.zoom import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


MOST = 200  # storages that are listed
LOOKED_AT = 4 * MOST  # buffers that are searched: several may hold the same storage


@dataclass(frozen=True)
class Holder:
    """One storage held by saved buffers, counted once however many hold it."""

    node: int  # the operation that saved it first
    operation: str  # "MulBackward0 (line 8)"
    buffers: str  # "self", "self, other"
    tensor: str  # its name in the snippet, "" for the operation's own memory
    nbytes: int
    share: float  # of everything held
    others: int  # how many other operations hold it, too


def holders(trace: Trace, cursor: int) -> tuple[Holder, ...]:
    """The largest first, equal ones in the order in which they were saved."""
    import numpy as np

    saved = trace.saved
    count = place(saved.step, cursor)
    rows = np.flatnonzero((saved.freed[:count] >= cursor) & (saved.nbytes[:count] > 0))
    if len(rows) > LOOKED_AT:
        rows = np.sort(rows[np.argpartition(-saved.nbytes[rows], LOOKED_AT)[:LOOKED_AT]])
    total = int(trace.held_bytes[cursor]) if len(rows) else 0
    of_storage: dict[int, list[int]] = {}
    for row in rows.tolist():
        of_storage.setdefault(int(saved.storage[row]), []).append(row)
    largest = sorted(of_storage.values(), key=lambda group: -max(int(saved.nbytes[row]) for row in group))
    return tuple(_holder(trace, cursor, group, total) for group in largest[:MOST])


def _holder(trace: Trace, cursor: int, rows: list[int], total: int) -> Holder:
    from gradviz.trace.table.trace import in_brackets  # imports NumPy, as an empty window does not

    saved, nodes = trace.saved, trace.nodes
    node, tensor = int(saved.node[rows[0]]), int(saved.tensor[rows[0]])
    name = str(nodes.name[node]) or str(nodes.op[node])
    nbytes = max(int(saved.nbytes[row]) for row in rows)
    mine = [str(saved.name[row]) for row in rows if saved.node[row] == node]
    return Holder(
        node=node,
        operation=f"{name}{in_brackets(trace, int(nodes.site[node]))}",
        buffers=", ".join(dict.fromkeys(mine)),
        tensor=trace.naming.shown(tensor, cursor) if tensor >= 0 else "",
        nbytes=nbytes,
        share=nbytes / total if total else 0.0,
        others=len({int(saved.node[row]) for row in rows} - {node}),
    )


# -- lifetimes

MOST_LIVES = 2000  # buffers; with more only the total of their bytes is drawn
MOST_LANES = 8  # at the same time


@dataclass(frozen=True)
class Life:
    """One saved buffer: held at the cursors (born, end], with a lane of its own during that time."""

    row: int  # row of the table of saved tensors
    node: int  # the operation that holds it
    born: int
    end: int
    is_freed: bool
    lane: int


def lives(trace: Trace, steps: int) -> tuple[Life, ...]:
    """All saved buffers, in the order in which they were saved; none if there are too many to be told apart."""
    import numpy as np

    saved = trace.saved
    rows = np.flatnonzero((saved.step < steps) & (saved.nbytes > 0))
    if not 0 < len(rows) <= MOST_LIVES:
        return ()
    order = rows[np.argsort(saved.step[rows], kind="stable")]
    found, free_from = list[tuple[int, int, int, int]](), list[int]()  # by lane, the step from which it is free
    for row, born, freed in zip(order.tolist(), saved.step[order].tolist(), saved.freed[order].tolist(), strict=True):
        end = min(freed, steps)
        lane = next((lane for lane, free in enumerate(free_from) if free <= born), len(free_from))
        if lane == MOST_LANES:
            return ()
        free_from[lane : lane + 1] = [end]
        found.append((row, born, end, lane))
    return tuple(
        Life(row, int(saved.node[row]), born, end, bool(saved.freed[row] < steps), lane)
        for row, born, end, lane in found
    )


def life_text(trace: Trace, life: Life) -> str:
    """What is kept and for which operation, "x = 2 for × (line 4)"."""
    from gradviz.trace.table.trace import in_brackets
    from gradviz.trace.table.values import number_text
    from gradviz.trace.words.contributions import saved_name

    node, frame = life.node, trace.frame_at(life.born + 1)
    first = int(trace.saved.node.searchsorted(node))
    one = frame.saved(node)[life.row - first]
    value = frame.value(one.tensor) if one.tensor >= 0 else None
    number = f" = {number_text(value.scalar)}" if value is not None and value.scalar is not None else ""
    symbol = str(trace.nodes.symbol[node]) or str(trace.nodes.op[node])
    return f"{saved_name(frame, node, one)}{number} for {symbol}{in_brackets(trace, int(trace.nodes.site[node]))}"


BLOCK = 16  # steps that are counted together
COARSE = 4 * BLOCK  # steps per pixel from which the blocks are exact enough

# The order of the kinds in a column that stands for many steps, from the top.
STACKED = (
    "LEAF",
    "FORWARD",
    "INPLACE",
    "BACKWARD_CALL",
    "BACKWARD",
    "CONTRIBUTION",
    "ACCUMULATE",
    "FREE",
    "HOOK",
    "CLEAR_GRAD",
    "COLLECTIVE",
    "OPTIMIZER",
    "PRINT",
    "GAP",
    "WARNING",
    "CAUGHT",
    "ERROR",
)
ALONE = ("WARNING", "CAUGHT", "ERROR")  # a column with one of these shows only that


@dataclass(frozen=True)
class Group:
    """Steps [start, end) that belong together."""

    start: int
    end: int
    title: str


class Strip:
    """A trace at one length, ready to be drawn at any zoom."""

    def __init__(self, trace: Trace, steps: int) -> None:
        self.trace = trace
        self.steps = steps
        self.kinds: NDArray[Any] = trace.steps.kind[:steps]

    @cached_property
    def _added(self) -> NDArray[Any]:
        """Row i: the number of steps of each kind, in the order of STACKED, before block i."""
        import numpy as np

        places = _places()[self.kinds]
        count = -(-self.steps // BLOCK)
        block = np.arange(self.steps, dtype=np.int32) // BLOCK * np.int32(len(STACKED))
        counts = np.bincount(block + places, minlength=count * len(STACKED)).reshape(count, len(STACKED))
        return np.concatenate([np.zeros((1, len(STACKED)), np.int64), np.cumsum(counts, axis=0)])

    def _counts(self, span: Span, columns: int) -> NDArray[Any]:
        """The number of steps of each kind, in the order of STACKED, in each of `columns` columns."""
        import numpy as np

        edges = np.linspace(span.start, span.end, columns + 1)
        if span.width / columns >= COARSE:
            return np.diff(
                self._added[np.minimum(np.rint(edges / BLOCK).astype(np.int64), len(self._added) - 1)], axis=0
            )
        first, last = int(span.start), min(self.steps, -int(-span.end // 1))
        steps = np.arange(first, last) + 0.5
        column = np.clip(((steps - span.start) / span.width * columns).astype(np.int64), 0, columns - 1)
        places = _places()[self.kinds[first:last]]
        counts = np.bincount(column * len(STACKED) + places, minlength=columns * len(STACKED))
        return counts.reshape(columns, len(STACKED))

    def picture(self, span: Span, columns: int, rows: int) -> NDArray[Any]:
        """A picture of the kinds, rows × columns: each column is divided among the kinds of its steps."""
        import numpy as np

        from gradviz.trace.table.kinds import Kind

        if span.width < columns:
            centres = span.start + (np.arange(columns) + 0.5) * span.width / columns
            one = self.kinds[np.minimum(centres.astype(np.int64), self.steps - 1)]
            return np.broadcast_to(one, (rows, columns))
        order = np.array([Kind[name] for name in STACKED], np.uint8)
        counts = self._counts(span, columns)
        shares = np.cumsum(counts, axis=1)
        for name in ALONE:
            place = STACKED.index(name)
            shares[counts[:, place] > 0, :] = np.where(np.arange(len(STACKED)) < place, 0, 1)
        heights = (np.arange(rows) + 0.5) / rows
        places = (shares[None, :, :] <= heights[:, None, None] * shares[None, :, -1:]).sum(axis=2)
        found: NDArray[Any] = order[np.minimum(places, len(order) - 1)]
        return found

    @cached_property
    def held(self) -> NDArray[Any]:
        """Bytes held by saved buffers after each step."""
        found: NDArray[Any] = self.trace.held_bytes[1 : self.steps + 1]
        return found

    @cached_property
    def _most_held(self) -> NDArray[Any]:
        import numpy as np

        found: NDArray[Any] = np.maximum.reduceat(self.held, np.arange(0, self.steps, BLOCK))
        return found

    @cached_property
    def peak(self) -> tuple[int, int]:
        """The maximum of the bytes held, and the first cursor at which it is reached."""
        at = int(self.held.argmax())
        return int(self.held[at]), at + 1

    def levels(self, span: Span, columns: int) -> NDArray[Any]:
        """The maximum of the bytes held in each of `columns` columns, which must not be more than the steps in view."""
        import numpy as np

        edges = np.linspace(span.start, span.end, columns + 1)[:-1]
        if span.width / columns >= COARSE:
            last = min(len(self._most_held), int(span.end / BLOCK) + 1)
            return np.maximum.reduceat(self._most_held[:last], np.minimum((edges / BLOCK).astype(np.int64), last - 1))
        last = min(self.steps, int(span.end) + 1)
        return np.maximum.reduceat(self.held[:last], np.minimum(edges.astype(np.int64), last - 1))

    def precompute(self) -> None:
        """Compute now what is drawn first."""
        for name in ("_added", "_most_held", "peak", "phases"):
            getattr(self, name)

    @cached_property
    def phases(self) -> Runs:
        """Forward passes, backward calls, optimizer steps, what was only printed and the error, in order."""
        import numpy as np

        from gradviz.trace.table.kinds import Kind

        call = self.trace.steps.call[: self.steps]
        key = np.where(self.kinds == Kind.OPTIMIZER, -2, np.where(self.kinds == Kind.ERROR, -3, call))
        starts = np.concatenate(([0], np.flatnonzero(np.diff(key)) + 1))
        keys, printed = key[starts], (self.kinds == Kind.PRINT) | (self.kinds == Kind.WARNING)
        keys[(keys == -1) & np.logical_and.reduceat(printed, starts)] = -4
        return Runs(np.append(starts, self.steps), keys, several=int(call.max(initial=-1)) > 0)


@dataclass(frozen=True, eq=False)
class Runs:
    """The consecutive groups of a trace: run i is steps [bounds[i], bounds[i + 1])."""

    bounds: NDArray[Any]
    keys: NDArray[Any]  # the backward call, or -1 forward, -2 optimizer, -3 error, -4 output
    several: bool  # whether there are several backward calls, which are then numbered

    def __len__(self) -> int:
        return len(self.keys)

    def in_view(self, span: Span) -> tuple[int, int]:
        """The first run in view, and the one after the last."""
        first = place(self.bounds, span.start, after=True) - 1
        return max(0, first), min(len(self), place(self.bounds, span.end))

    def calls(self, first: int, last: int) -> int:
        """How many backward calls are among these runs."""
        return int((self.keys[first:last] >= 0).sum())

    def __getitem__(self, at: int) -> Group:
        return Group(int(self.bounds[at]), int(self.bounds[at + 1]), self._title(int(self.keys[at])))

    def at(self, step: int) -> Group:
        """The run of a step."""
        return self[place(self.bounds, step, after=True) - 1]

    def _title(self, key: int) -> str:
        if key >= 0:
            return f"backward {key + 1}" if self.several else "backward"
        return {-1: "forward", -2: "optimizer", -3: "error", -4: "output"}[key]


def _places() -> NDArray[Any]:
    """For each kind its position in STACKED."""
    import numpy as np

    from gradviz.trace.table.kinds import Kind

    place_of = np.empty(len(Kind), np.int32)
    place_of[[Kind[name] for name in STACKED]] = np.arange(len(STACKED), dtype=np.int32)
    return place_of


@dataclass(frozen=True, eq=False)
class Outline:
    """A trace at one length."""

    strip: Strip
    iterations: Iterations
    course: Training | None
    marks: dict[Mark, NDArray[Any]]  # those that follow from the trace alone
    lives: tuple[Life, ...]  # of the saved buffers, if there are few at a time


def outline(trace: Trace, steps: int) -> Outline:
    """The outline of the first `steps` steps."""

    def make() -> Outline:
        strip, marks = Strip(trace, steps), find_marks(trace, steps)
        return Outline(strip, iterations(trace, steps), training(trace, steps), marks, lives(trace, steps))

    return trace.kept(f"outline of {steps}", make)


def precompute(trace: Trace) -> None:
    """Compute now what a window first needs of a long trace, in a different thread from the one that will read it."""
    from gradviz.trace.words.explain import explain
    from gradviz.trace.words.reasons import led_to_roots

    trace.precompute()
    if not len(trace):  # of a job that was killed before its first step was written
        return
    frame = trace.frame(len(trace))
    explain(frame)
    led_to_roots(trace, frame.call)  # why a tensor has no gradient
    made = (trace.tensors.producer >= 0).nonzero()[0]
    if len(made):  # the inspector tells the tensors of its graph apart
        trace.naming.shown(int(made[-1]), len(trace))
    outline(trace, len(trace)).strip.precompute()
