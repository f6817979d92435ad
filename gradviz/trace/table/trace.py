"""A `Trace`: everything that happened while a snippet ran, in columns that grow during the run. The state at a moment
is a `Frame` (`frame.py`); the tables are declared in `schema.py`. Indexes are built on first use, once per length of
the trace.

Graphs are operations that belong together: the connected components of the forward graph. It is found when each of
them is shown, and, from the order of steps, which node's backward made each node in the graph of gradients. Such a
graph is kept by `create_graph`, see `schema.Calls`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.derive import Op, derive, find_ops, held_curve
from gradviz.trace.table.encoding import Pieces, read, validate
from gradviz.trace.table.folds import Folds, find_folds
from gradviz.trace.table.frame import NORMAL, NOT_FINITE, ZERO, Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import called_op
from gradviz.trace.table.naming import Naming
from gradviz.trace.table.regions import Nesting, RegionKind, Runs, find_nesting, find_runs
from gradviz.trace.table.schema import (
    NEVER,
    Answers,
    Arrivals,
    Batch,
    Calls,
    Caught,
    Chains,
    Clock,
    Collectives,
    Dims,
    Drops,
    Elsewhere,
    Ends,
    Errors,
    Files,
    Flags,
    Flows,
    Frees,
    Gaps,
    Given,
    Grads,
    Hooks,
    Inputs,
    Links,
    Names,
    Nodes,
    Nudges,
    Operands,
    Optimizers,
    Partials,
    Regions,
    Remembered,
    Resumptions,
    Roots,
    Saved,
    Sites,
    Steps,
    Summaries,
    Tensors,
    Texts,
    Updates,
    Values,
    Versions,
    Wanted,
    Writes,
)  # fmt: skip
from gradviz.trace.table.tables import History, Table, span
from gradviz.trace.table.values import NOTHING, Value, ValueStore


def components(count: int, a: Array, b: Array) -> Array:
    """The smallest member of each node's component; `a` and `b` are the ends of the links."""
    parent = np.arange(count)
    while True:
        one, other = parent[a], parent[b]
        low, high = np.minimum(one, other), np.maximum(one, other)
        if (low == high).all():
            return parent
        np.minimum.at(parent, high, low)
        while True:
            up = parent[parent]
            if np.array_equal(up, parent):
                break
            parent = up


@dataclass(frozen=True, slots=True)
class Graphs:
    """Per graph: the step that begins it, and the step at which another graph takes its place (NEVER if none does)."""

    first: Array
    until: Array
    of_node: Array
    of_tensor: Array  # -1: a leaf, which belongs to every graph that uses it

    def __len__(self) -> int:
        return len(self.first)

    def shown(self, cursor: int) -> Array:
        """A mask of the graphs that are shown at a cursor."""
        return (self.first < cursor) & (self.until >= cursor)


def find_graphs(trace: Trace) -> Graphs:
    """Note [Graphs]: operations are linked through tracked tensors that are not leaves; untracked results link only
    untracked operations, but not one iteration of a training with another or with what was before, which would make all
    of it one graph wherever batches come from the same data. What a backward call made under create_graph is linked to
    its `origin`. A graph is shown from its first step until another graph starts after its last event (a step of one of
    its nodes, or a use of its results elsewhere, unless another iteration takes them, or an operation on them that
    raised); a tracked graph is replaced only by a tracked one."""
    steps, nodes, inputs, tensors = trace.steps, trace.nodes, trace.inputs, trace.tensors
    origin, turn = trace.origin_of_node, find_turns(trace.regions, nodes, trace.nesting, trace.calls)
    count = len(nodes)
    if not count:
        none = np.empty(0, np.int64)
        return Graphs(none, none, none, np.full(len(tensors), -1))
    tracked = nodes.name != ""
    maker = tensors.producer[inputs.tensor]
    made = maker >= 0
    user, maker, through = inputs.node[made], maker[made], inputs.tensor[made]
    link = np.where(tracked[maker], tracked[user] & tensors.requires_grad[through], ~tracked[user])
    apart = ~(tracked[maker] | tracked[user] | (turn[user] < 0) | (turn[maker] == turn[user]))
    link &= ~apart
    made_back = np.flatnonzero(tracked & (origin >= 0))
    made_back = made_back[tracked[origin[made_back]]]
    one, other = np.append(user[link], made_back), np.append(maker[link], origin[made_back])
    root, of_node = np.unique(components(count, one, other), return_inverse=True)
    first = nodes.step[root].astype(np.int64)
    last = first.copy()
    np.maximum.at(last, of_node, nodes.step)
    own = np.flatnonzero(steps.node >= 0)
    np.maximum.at(last, of_node[steps.node[own]], own)
    np.maximum.at(last, of_node[maker[~apart]], nodes.step[user[~apart]])
    taken = tensors.producer[trace.given.tensor]
    np.maximum.at(last, of_node[taken[taken >= 0]], trace.given.step[taken >= 0])
    until = np.full(len(root), NEVER, np.int64)
    graph_tracked = tracked[root]
    for mine, starts in ((~graph_tracked, first), (graph_tracked, first[graph_tracked])):
        after = np.searchsorted(starts, last[mine], "right")
        until[mine] = np.append(starts, NEVER)[after]
    of_tensor = np.where(
        (tensors.producer >= 0) & ~(tensors.requires_grad & tensors.is_leaf), of_node[tensors.producer], -1
    )
    return Graphs(first, until, of_node, of_tensor)


def find_turns(regions: Regions, nodes: Nodes, nesting: Nesting, calls: Calls) -> Array:
    """Per node the innermost iteration around it of a loop in which backward calls ran, otherwise -1."""
    ran = np.searchsorted(calls.step, nesting.first) < np.searchsorted(calls.step, nesting.last)
    trains = np.append((regions.kind == RegionKind.LOOP) & ran, False)
    turn = np.full(len(regions) + 1, -1)
    for depth in range(int(regions.depth.max(initial=-1)) + 1):
        here = np.flatnonzero(regions.depth == depth)
        above = regions.parent[here]
        turn[here] = np.where((regions.kind[here] == RegionKind.ITERATION) & trains[above], here, turn[above])
    found: Array = turn[nodes.region]
    return found


def last_uses(nodes: Nodes, inputs: Inputs, tensors: Tensors) -> Array:
    """Per tensor the last step at which an operation read it, -1 for never."""
    last = np.full(len(tensors), -1, np.int64)
    last[inputs.tensor] = nodes.step[inputs.node]  # in order of nodes, so the last one remains
    return last


def find_superseded(tensors: Tensors, names: Names, last_use: Array) -> Array:
    """Leaves that are never used, have no name, and whose memory another leaf has taken over."""
    nameless = (tensors.producer < 0) & (last_use < 0)
    nameless[names.tensor[names.tensor >= 0]] = False
    leaf_storage, counts = np.unique(tensors.storage[tensors.producer < 0], return_counts=True)
    found: Array = nameless & np.isin(tensors.storage, leaf_storage[counts > 1])
    return found


_ENDS = (Kind.BACKWARD, Kind.CONTRIBUTION, Kind.ACCUMULATE, Kind.HOOK)


def find_origins(steps: Steps, nodes: Nodes, calls: Calls) -> Array:
    """Per node the one whose backward made it, -1 for all others.

    Note [Origins]: within a backward call, what a node's formula makes is reported first, followed by the node's own
    step. Likewise sums of gradients come before the arrival that they are for, and what hooks make before the hook's
    step: these have no origin, and neither has a formula if a hook follows before its node is reported. Steps of a call
    within the call have its own number and do not interfere."""
    origin = np.full(len(nodes), -1, np.int64)
    made = np.flatnonzero((nodes.call >= 0) & (nodes.step >= 0))
    made = made[calls.create_graph[nodes.call[made]]]
    made = made[(nodes.site[made] >= 0) | (steps.node[nodes.step[made]] == made)]  # not one that was only met there
    ends = np.flatnonzero(np.isin(steps.kind, _ENDS) & (steps.call >= 0))
    if not len(made) or not len(ends):
        return origin
    keys = steps.call[ends].astype(np.int64) << 32 | ends
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], nodes.call[made].astype(np.int64) << 32 | nodes.step[made])
    end = ends[order[np.minimum(at, len(ends) - 1)]]
    known = (at < len(ends)) & (steps.call[end] == nodes.call[made]) & (steps.kind[end] == Kind.BACKWARD)
    origin[made[known]] = steps.node[end[known]]
    return origin


Array = NDArray[Any]
T = TypeVar("T")
FIRST_READ = """arrivals.tensor flags.tensor grads.tensor hooks.tensor inputs.tensor names.tensor roots.call
saved.storage steps.node tensors.producer versions.storage wanted.call writes.tensor"""  # histories, by table and key
CHANGING = {"saved": ("freed",), "calls": ("end",)}  # columns that later batches modify


class Trace:
    """The tables of one run. Later rows never change what was read before; `extend` adds rows at the end."""

    def __init__(self, source: str = "") -> None:
        self.source = source  # the snippet's text, for explanations
        self.sites, self.files, self.elsewhere = Sites(), Files(), Elsewhere()
        self.values, self.dims, self.summaries = Values(), Dims(), Summaries()
        self.operands, self.regions = Operands(), Regions()
        self.steps, self.nodes, self.inputs, self.tensors = Steps(), Nodes(), Inputs(), Tensors()
        self.names, self.writes, self.versions, self.flags, self.grads = Names(), Writes(), Versions(), Flags(), Grads()
        self.flows, self.arrivals, self.saved, self.frees, self.drops = Flows(), Arrivals(), Saved(), Frees(), Drops()
        self.hooks, self.optimizers, self.updates, self.calls, self.roots, self.wanted = (
            Hooks(),
            Optimizers(),
            Updates(),
            Calls(),
            Roots(),
            Wanted(),
        )
        self.ends, self.texts, self.errors, self.caught, self.given = Ends(), Texts(), Errors(), Caught(), Given()
        self.collectives = Collectives()
        self.clock = Clock()
        self.gaps, self.resumptions, self.remembered = Gaps(), Resumptions(), Remembered()
        self.answers, self.chains, self.links = Answers(), Chains(), Links()
        self.partials, self.nudges = Partials(), Nudges()
        self.strings: list[str] = []
        self.beyond_budget = 0  # values that were not kept in full because the run had kept too much already
        self.store = ValueStore(self.values, self.dims, self.summaries)
        self.run: object = self.store  # the same for all results of `as_now` of one run
        self._cache: dict[str, Any] = {}
        self._frame: Frame | None = None

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self.steps)

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by name."""
        return {name: table for name, table in vars(self).items() if isinstance(table, Table)}

    def extend(self, batch: Batch) -> None:
        """Add the contents of a batch. Raises `TraceFormatError` without adding anything."""
        self.extend_with(read(batch))

    def extend_with(self, pieces: Pieces, norms: Array | None = None) -> None:
        """Add a decoded batch, with the norms of its values if they are known."""
        validate(pieces, self.tables, len(self.strings))
        self.strings += pieces.strings
        self.beyond_budget = pieces.beyond
        derive(self, pieces, norms)
        self.let_go()

    def let_go(self) -> None:
        """Drop derived data, which refers back to the trace. Then only its viewers hold the trace, and it is freed with
        them, without waiting for the garbage collector. Derived data is recomputed on demand."""
        self._cache = {}  # another thread may still be using the old one
        self._frame = None

    def as_now(self) -> Trace:
        """The trace as it is now, which does not grow: to be read while this one does. The rows are shared."""
        made = Trace(self.source)
        for name, table in self.tables.items():
            setattr(made, name, table.as_now(*CHANGING.get(name, ())))
        made.strings, made.beyond_budget = self.strings, self.beyond_budget
        made.store = self.store.as_now(made.values, made.dims, made.summaries)
        made.run = self.run
        return made

    def value(self, index: int) -> Value | None:
        """The value with this index, None for -1."""
        return self.store.get(int(index)) if index >= 0 else None

    def frame(self, cursor: int) -> Frame:
        """The state after `cursor` steps, clamped to 0..len(self)."""
        cursor = max(0, min(int(cursor), len(self)))
        frame = self._frame  # as in `kept`
        if frame is None or frame.cursor != cursor:
            frame = self._frame = Frame(self, cursor)
        return frame

    def frame_at(self, cursor: int) -> Frame:
        """Like `frame`, without replacing the cached frame."""
        return Frame(self, max(0, min(int(cursor), len(self))))

    def precompute(self) -> None:
        """Compute now what a window first needs, in a different thread from the one that will read it."""
        for name in "graphs held_bytes last_use superseded value_flag nesting runs naming folds".split():
            getattr(self, name)
        for each in FIRST_READ.split():
            table, _, key = each.partition(".")
            self.history(table, key)
        for kind in Kind:
            self._steps_of(kind)
        frame = self.frame(len(self))
        for name in ("shown_nodes", "shown_tensors", "node_freed", "input_grad_norm", "input_grad_flag"):
            getattr(frame, name)

    @property
    def gap_turns(self) -> list[tuple[int, int]]:
        """The beginnings and ends of its gaps, in the form that makes another run have the same ones."""
        ends = dict(zip(self.resumptions.gap.tolist(), self.resumptions.turn.tolist(), strict=True))
        return [(turn, ends.get(row, -2)) for row, turn in enumerate(self.gaps.turn.tolist())]

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """Derived data of the trace alone, computed on first use."""
        cache = self._cache  # `let_go` may replace it in the meantime
        found: T = cache[name] if name in cache else cache.setdefault(name, make())
        return found

    @property
    def graphs(self) -> Graphs:
        """The graphs, in order of their first steps: `.first`, `.until`, `.of_node`, `.of_tensor`."""
        found: Graphs = self.kept("graphs", lambda: find_graphs(self))
        return found

    @property
    def graph_of_node(self) -> Array:
        """The graph of each node."""
        return self.graphs.of_node

    @property
    def origin_of_node(self) -> Array:
        """For each node made in a backward call under create_graph, whose backward made it; -1 for all others."""
        found: Array = self.kept("origins", lambda: find_origins(self.steps, self.nodes, self.calls))
        return found

    @property
    def held_bytes(self) -> Array:
        """Bytes of saved buffers held at each cursor, every storage counted once."""
        found: Array = self.kept("held", lambda: held_curve(self.saved, len(self)))
        return found

    @property
    def last_use(self) -> Array:
        """Per tensor the last step at which an operation read it, -1 for never."""
        found: Array = self.kept("last use", lambda: last_uses(self.nodes, self.inputs, self.tensors))
        return found

    @property
    def superseded(self) -> Array:
        """Leaves that only lent their memory, such as the argument of nn.Parameter: never used, and without a name."""
        found: Array = self.kept("superseded", lambda: find_superseded(self.tensors, self.names, self.last_use))
        return found

    @property
    def value_flag(self) -> Array:
        """Per value: 1 normal, 2 all zero, 3 with NaN or infinity."""
        norm, unknown = self.values.norm, self.values.kept >= NOTHING

        def find() -> Array:
            flags = np.where(np.isfinite(norm), np.where(norm == 0, ZERO, NORMAL), NOT_FINITE)
            return np.where(unknown, NORMAL, flags).astype(np.uint8)

        found: Array = self.kept("flags", find)
        return found

    @property
    def nesting(self) -> Nesting:
        """The contents of each region: `.parent`, `.depth`, `.end`, `.nodes`, `.first`, `.last`, `.children`."""
        found: Nesting = self.kept("nesting", lambda: find_nesting(self.regions, self.nodes))
        return found

    @property
    def runs(self) -> Runs:
        """Equal calls of modules, one directly after the other."""
        found: Runs = self.kept("runs", lambda: find_runs(self.regions, self.nodes, self.nesting))
        return found

    @property
    def folds(self) -> Folds:
        """Which steps are walked as one."""
        found: Folds = self.kept("folds", lambda: find_folds(self))
        return found

    def fold_around(self, cursor: int) -> tuple[int, int]:
        """The steps [start, end) that are walked as one with the step before a cursor; (0, 0) before the first."""
        ends = self.folds.ends
        at = span(ends, cursor, cursor)[0]
        return (int(ends[at - 1]) if at else 0), (int(ends[min(at, len(ends) - 1)]) if cursor > 0 else 0)

    @property
    def naming(self) -> Naming:
        """The names of tensors in the snippet."""
        found: Naming = self.kept("naming", lambda: Naming(self))
        return found

    def history(self, table: str, key: str) -> History:
        """The rows of a table by the value of column `key`, in order of steps."""
        rows: Table = getattr(self, table)
        found: History = self.kept(f"{table}.{key}", lambda: History(getattr(rows, key), getattr(rows, "step", None)))
        return found

    def inputs_of(self, node: int) -> Array:
        """The tensors that a node read, by slot."""
        low, high = span(self.inputs.node, node, node + 1)
        return self.inputs.tensor[low:high]

    def slots_of(self, node: int) -> dict[int, int]:
        """The tensors that a node read, by operand; operands that are numbers are left out."""
        low, high = span(self.inputs.node, node, node + 1)
        return dict(zip(self.inputs.slot[low:high].tolist(), self.inputs.tensor[low:high].tolist(), strict=True))

    def op_of(self, node: int) -> Op | None:
        """The formulas of a node's operation; None if it is unknown."""
        known: dict[tuple[str, str], Op] = self.kept("ops", lambda: find_ops(self.operands))
        return known.get((str(self.nodes.op[node]), str(self.nodes.name[node])))

    def outputs_of(self, node: int) -> Array:
        """The tensors that a node made, by output number."""
        return self.history("tensors", "producer").all(node)

    def saved_on(self, storage: int, cursor: int) -> list[int]:
        """The nodes that saved this storage before a cursor."""
        rows = self.history("saved", "storage").before(storage, cursor)
        return list(dict.fromkeys(self.saved.node[rows].tolist()))

    def users_of(self, tensor: int) -> Array:
        """The nodes that read a tensor."""
        return self.inputs.node[self.history("inputs", "tensor").all(tensor)]

    def roots_of(self, call: int) -> Array:
        """The roots of a backward call."""
        return self.roots.tensor[self.history("roots", "call").all(call)]

    def wanted_by(self, call: int) -> Array:
        """The tensors given as `inputs=` of a call; empty if it was not given."""
        return self.wanted.tensor[self.history("wanted", "call").all(call)]

    def _steps_of(self, kind: Kind) -> Array:
        found: Array = self.kept(f"kind {kind}", lambda: np.flatnonzero(self.steps.kind == kind))
        return found

    def next_of(self, kind: Kind, cursor: int) -> int | None:
        """The first cursor after `cursor` at which a step of this kind is the current one."""
        steps = self._steps_of(kind)
        at = int(np.searchsorted(steps, cursor))
        return int(steps[at]) + 1 if at < len(steps) else None

    @property
    def error_step(self) -> int | None:
        """The cursor at which the error is the current step."""
        return int(self.errors.step[0]) + 1 if len(self.errors) else None

    def call_end(self, call: int) -> int:
        """The last step of a backward call, NEVER while it runs."""
        return int(self.calls.end[call]) if call >= 0 else NEVER


def elsewhere_at(trace: Trace, site: int) -> int:
    """The row of `elsewhere` for a site, -1 if that is in the program that was started."""
    sites = trace.elsewhere.site
    rows: dict[int, int] = trace.kept("elsewhere", lambda: {each: row for row, each in enumerate(sites.tolist())})
    return rows.get(site, -1)


def place_text(trace: Trace, site: int) -> str:
    """ "line 12", in another file than the one that was started "line 7 of model.py"; "" if unknown."""
    row, line = elsewhere_at(trace, site), int(trace.sites.line[site]) if site >= 0 else -1
    if row >= 0:
        return f"line {trace.elsewhere.line[row]} of {trace.files.name[trace.elsewhere.file[row]]}"
    return f"line {line}" if line > 0 else ""


def node_name(trace: Trace, node: int) -> str:
    """A node's name in the graph; of an operation that is in none, what a person calls it: "to" of "_to_copy"."""
    return str(trace.nodes.name[node]) or called_op(str(trace.nodes.op[node]))


def in_brackets(trace: Trace, site: int) -> str:
    """The same as it follows a name, " (line 12)"."""
    place = place_text(trace, site)
    return f" ({place})" if place else ""
