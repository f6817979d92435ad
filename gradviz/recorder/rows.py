"""The rows that are written about PyTorch's tensors and nodes, and their numbers. A node carries its number in its
`metadata`, a dict that lives as long as the node; a tensor is identified by its node, or, if it has none, by its
identity and a weak reference. So nothing is kept alive, and nothing gets into what the job saves."""

from __future__ import annotations

import functools
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from gradviz.recorder.nodes import (
    NUMBER,
    NUMBERLESS,
    Made,
    Numbered,
    Operations,
    buffers_of,
    is_leaf_node,
    operation_of,
    outputs_of,
    results_of,
    saved_parameters,
)
from gradviz.recorder.sites import JobSites
from gradviz.recorder.values import Values, grad_fn_of, is_leaf, memory_of, overlap, storage_of, version_of
from gradviz.trace.record.location import UNKNOWN, RegionStack
from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.schema import CUT_OFF, NOT_DIFFERENTIABLE, NOTHING_REQUIRES, PLAIN, SWITCHED_OFF

PASSING = "RegisterPostBackwardFunctionBackward"  # of FSDP2: tells it of the pass, which goes through it unchanged
_WATCH = torch.Tensor.register_post_accumulate_grad_hook  # as it is while no job is recorded
_UNCOUNTED = 1 << 62  # AccumulateGrad nodes have the largest possible sequence number


_BEGAN = time.time() - time.monotonic()


def now() -> float:
    """Seconds since 1970, as the machine knew it when the job began: clocks may be set meanwhile."""
    return _BEGAN + time.monotonic()


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the processes of a job exchange: all_reduce and similar operations."""

    name: str
    tensors: Sequence[Any]
    ranks: int
    came: float  # when this process came to it, in seconds since 1970

    @property
    def detail(self) -> str:
        """How much is exchanged, among how many processes."""
        elements = sum(int(x.numel()) for x in self.tensors)
        count = f"{elements:,} element{'s' * (elements != 1)}, " if elements else ""
        return f"{count}{self.ranks} ranks"

    def tell(self, rows: Rows, site: int, *, is_over: bool = True) -> int:
        """The step of it; what it overwrites is known when it is over."""
        known = [x for x in self.tensors if rows.known(x) >= 0]
        first = rows.known(known[0]) if known else -1
        step = rows.step(Kind.COLLECTIVE, -1, first, rows.writer.count("collectives"), site)
        rows.add("collectives", step, rows.text(self.name), rows.text(self.detail))
        for x in known if is_over else ():
            rows.wrote(step, x)
        return step


class Memory:
    """Which tensors look at the same memory, and the number of the storage that it is."""

    def __init__(self) -> None:
        self.refilled = set[int]()  # what was given back and taken again, with other elements than were recorded
        self._numbers: dict[int, tuple[int, weakref.ref[Any]]] = {}  # and the memory, which others get when it is gone
        self._sharing: dict[int, dict[int, weakref.ref[Any]]] = {}

    def enter(self, x: Any, number: int, reference: weakref.ref[Any]) -> None:
        """A tensor looks at memory of this number."""
        if (storage := storage_of(x)) is not None:
            memory = int(storage._cdata)
            self._numbers[memory] = number, weakref.ref(storage)
            self._sharing.setdefault(memory, {})[id(x)] = reference

    def is_refilled(self, x: Any) -> bool:
        """Whether a tensor has other elements, which are recorded now."""
        memory = memory_of(x)
        if memory not in self.refilled:
            return False
        self.refilled.discard(memory)
        return True

    def number(self, x: Any, unknown: int) -> int:
        """The number of a tensor's memory."""
        number, memory = self._numbers.get(memory_of(x), (unknown, _gone))
        return number if memory() is not None else unknown

    def beside(self, x: Any) -> list[Any]:
        """The tensors that have elements in common with another one."""
        memory = memory_of(x)
        sharing = self._sharing.get(memory, {})
        known = [(key, reference()) for key, reference in sharing.items()]
        for key, each in known:
            if each is None:
                del sharing[key]  # each pass makes other views of a parameter
        others = [each for _, each in known if each is not None and each is not x and memory_of(each) == memory]
        return [each for each in others if overlap(each, x)]


class Leaves:
    """The leaves that tell when they get their `.grad`, while an iteration is recorded: it costs them time."""

    def __init__(self) -> None:
        self._watched: dict[int, tuple[weakref.ref[Any], Callable[[Any], None], Any]] = {}  # by identity

    def watch(self, leaf: Any, told: Callable[[Any], None]) -> None:
        """Tell when a leaf gets its `.grad`, once, and before the job's own hooks are called."""
        if told not in (leaf._post_accumulate_grad_hooks or {}).values():
            handle = _WATCH(leaf, told)
            leaf._post_accumulate_grad_hooks.move_to_end(handle.id, last=False)
            self._watched[id(leaf)] = weakref.ref(leaf), told, handle

    def let_go(self) -> None:
        """They tell nothing for now."""
        with torch._C.DisableTorchFunction():
            for key, (leaf, _, handle) in [*self._watched.items()]:
                handle.remove()
                if (x := leaf()) is None:
                    del self._watched[key]
                elif not x._post_accumulate_grad_hooks:
                    x._post_accumulate_grad_hooks = None

    def watch_again(self) -> None:
        """They tell it again."""
        for leaf, told, _ in [*self._watched.values()]:
            if (x := leaf()) is not None:
                self.watch(x, told)


class Unused:
    """Tensors that get a row when they are first used or named: where they were made, by `detach()` of which other one.
    What is like another tensor, such as the mask of a dropout, has no step of its own."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any, int, bool]] = {}  # by identity

    def enter(self, x: Any, site: int, source: Any = None, *, has_step: bool = True) -> None:
        """A tensor was made."""
        self._made[id(x)] = weakref.ref(x), _gone if source is None else weakref.ref(source), site, has_step

    def source(self, x: Any) -> Any:
        """What a tensor was detached from, if that is still there."""
        same, source, *_ = self._made.get(id(x), _NOWHERE)
        return source() if same() is x else None

    def take(self, x: Any) -> tuple[Any, int, bool]:
        """Source, site and whether it has a step, of a tensor that is used now."""
        same, source, site, has_step = self._made.pop(id(x), _NOWHERE)
        return (source(), site, has_step) if same() is x else _NOWHERE[1:]


class Quietly:
    """While it is entered, nothing is recorded."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __enter__(self) -> None:
        self._rows.quiet += 1

    def __exit__(self, *_: object) -> None:
        self._rows.quiet -= 1


class Rows:
    """The numbers given so far, and what has been written for each."""

    def __init__(self, source: str, script: str, values: str, budget: int) -> None:
        self.writer = Writer(budget)
        self.add, self.text = self.writer.add, self.writer.text
        self.sites, self.nodes = JobSites(self.writer, source, script), Numbered()
        self.regions = RegionStack(self.writer, self.sites)
        self.quietly = Quietly(self)
        self.value = Values(self.writer, values, self.quietly)
        self.steps, self.call, self.quiet, self.packing = 0, -1, 0, 0  # the last: hooks for saved tensors in place
        self.first: list[int] = []  # by node: its first tensor
        self.shown: list[int] = []  # by node: how many of its results have a number
        self.policies: list[str] = []  # by node: how much is kept of its values
        self.edges: list[list[tuple[int, int]]] = []  # by node: slot and tensor of each next function
        self.maker: list[int] = []  # by tensor: the node that made it
        self.hooks: dict[int, Any] = {}  # by node that has not run: the handle of our hook
        self.leaves = Leaves()
        self.memory = Memory()
        self.unused = Unused()
        self.ran: Callable[[int, int, Any, Any], None] = _nothing
        self.accumulated: Callable[[Any], None] = _nothing
        self.owner_of: Callable[[Any], int]  # the tensor whose `.grad` another one is, -1 if it is none
        self._requires: list[bool] = []  # by tensor
        self._storages: list[int] = []  # by tensor
        self.entered: dict[int, tuple[int, weakref.ref[Any]]] = {}  # by identity: the tensors that have a number
        self._named: dict[int, dict[str, tuple[str, int]]] = {}  # by tensor: its names, each with owner and rank
        self._operations = Operations(self.writer)

    def step(self, kind: Kind, node: int, tensor: int, ref: int, site: int) -> int:
        """Add a step; returns its number."""
        self.add("steps", kind, node, tensor, site, self.call, ref)
        self.steps += 1
        if self.regions.stack[-1] == UNKNOWN:
            self.regions.begin(self.steps - 1)
        return self.steps - 1

    # tensors

    def _storage_of(self, x: Any) -> int:
        """The number of the storage of a tensor that another row of it, or its base, has; -1 for none. Memory alone
        does not tell: parts of `unsafe_split` lie in one, and yet have versions of their own."""
        same = self.seen(x)
        if same < 0 and x._is_view():
            same = self.seen(x._base)
        return self._storages[same] if same >= 0 else self.memory.number(x, -1)

    def add_tensor(
        self, x: Any, step: int, producer: int, output_nr: int, storage: int, site: int, known: Any = None
    ) -> int:
        """The row of a tensor; None stands for one that is gone, whose node knows shape and type."""
        number = len(self.maker)
        requires = x is None or bool(x.requires_grad)
        self.maker.append(producer)
        self._requires.append(requires)
        storage = number if storage < 0 else storage
        self._storages.append(storage)
        leaf = x is not None and is_leaf(x)
        parameter = type(x) is not torch.Tensor and isinstance(x, torch.nn.Parameter)  # this asks it for more
        owner = self.owner_of(x) if leaf and producer < 0 and not requires else -1
        value, version = self.value(x) if known is None else self.value.unkept(known), version_of(x)
        self.add("tensors", step, producer, output_nr, value, storage, version, requires, leaf, parameter, owner, site)
        if x is not None:
            self.entered[id(x)] = (number, weakref.ref(x))
            self.memory.enter(x, storage, self.entered[id(x)][1])
            if leaf and requires:
                self.leaves.watch(x, self.accumulated)
        return number

    def known(self, x: Any) -> int:
        """The number of a tensor, -1 if it has none yet."""
        try:
            fn = x.grad_fn
        except RuntimeError:  # see `grad_fn_of`, which this is, as it is asked most often
            fn = None
        return self.seen(x) if fn is None else self.result(fn, x.output_nr)

    def seen(self, x: Any) -> int:
        """The number that a tensor had when it was last recorded, -1 for none: it may have been written to since."""
        found = self.entered.get(id(x))
        return found[0] if found is not None and found[1]() is x else -1

    def number(self, x: Any) -> int:
        """The number of a tensor; a new one gets a step: a leaf, an alias, or the result of an unobserved graph."""
        fn = grad_fn_of(x)
        found = self.seen(x) if fn is None else self.result(fn, x.output_nr)
        if found < 0 and fn is not None:
            if x._is_view() and (before := self.seen(x)) >= 0:
                self._remake(x, fn, before)
            else:
                self.adopt(fn, x)
            found = self.known(x)
        if found >= 0:
            if fn is None and self._requires[found] != x.requires_grad:
                self._changed(found, x)
            if self.memory.refilled and self.memory.is_refilled(x):
                self.wrote(self.steps - 1, x)
            return found
        if len(self.entered) > 100_000:
            self.entered = {key: each for key, each in self.entered.items() if each[1]() is not None}
        source, there, has_step = self.unused.take(x)
        site = there if there >= 0 else self.sites.here(2)
        if source is not None:
            return self._add_detached(x, self.number(source), site)
        if not has_step or self.owner_of(x) >= 0:  # a `.grad` that the job uses is where it was stored
            return self.add_tensor(x, self.steps - 1, -1, 0, -1, site)
        step = self.step(Kind.LEAF, -1, len(self.maker), len(self.maker), site)
        return self.add_tensor(x, step, -1, 0, self._storage_of(x) if x._is_view() else -1, site)

    def _remake(self, view: Any, fn: Any, number: int) -> None:
        """The base of a view was written to, by which the view has another history, as part of the latest step."""
        self.attach(fn, operation_of(fn), [], [view], self.sites.here(2), "", joins=True)
        for name, (owner, rank) in self._named.get(number, {}).items():
            self.name(view, name, owner, rank)

    def _changed(self, number: int, x: Any) -> None:
        """A leaf was frozen or made to require grad since it was last seen."""
        self._requires[number] = requires = bool(x.requires_grad)
        self.add("flags", self.steps - 1, number, requires, False, True)
        if requires and is_leaf(x):  # and no view whose base a tracked operation wrote to
            self.leaves.watch(x, self.accumulated)

    def _add_detached(self, x: Any, source: int, site: int) -> int:
        number = len(self.first)
        step = self.step(Kind.FORWARD, number, len(self.maker), number, site)
        self.add("inputs", number, 0, source)
        reason = (NOTHING_REQUIRES, CUT_OFF)[self._requires[source]]
        self.node_row(step, self._operations.made(None, "detach"), site, "", -1, reason, [])
        return self.add_tensor(x, step, number, 0, source, site)

    def name(self, x: Any, name: str, owner: str = "", rank: int = PLAIN) -> None:
        """Record the name of a tensor."""
        number = self.number(x)
        named = self._named.setdefault(number, {})
        if name not in named:
            named[name] = owner, rank
            self.add("names", self.steps - 1, number, self.text(name), self.text(owner), rank)

    # nodes

    def node_row(
        self, step: int, made: Made, site: int, params: str, sequence: int, reason: int, edges: list[tuple[int, int]]
    ) -> None:
        """The row of an operation; its tensors come next."""
        self.first.append(len(self.maker))
        self.shown.append(1)  # until `attach` knows better
        self.edges.append(edges)
        self.policies.append(self.value.policy)
        region, told = self.regions.row(step), self.text(params)
        self.add("nodes", step, made.op, made.name, made.symbol, site, region, told, sequence, self.call, reason)

    def adopt(self, fn: Any, x: Any = None) -> None:
        """Record nodes whose operations were not observed: compiled code, custom functions, before recording."""
        found, stack = set(), [fn]
        while stack:
            if (each := stack.pop()) not in found and not is_leaf_node(each) and self.nodes.number_of(each) is None:
                if type(each).__name__ != PASSING:
                    found.add(each)
                stack += [before for before, _ in each.next_functions if before is not None]
        results = results_of([x, *(saved for each in found for _, saved in buffers_of(each, self.packing))])
        for each in sorted(found, key=lambda one: int(one._sequence_nr())):
            outs = outputs_of(each, results.get(each, ()))
            self.attach(each, operation_of(each), [], outs, self.sites.here(2), saved_parameters(each))

    def attach(
        self, fn: Any, op: str, slots: list[tuple[int, int]], outs: Sequence[Any], site: int, params: str,
        kind: Kind = Kind.FORWARD, target: int = -1, grad_mode: bool = True, joins: bool = False,
    ) -> int:  # fmt: skip
        """The rows of an operation and of its results, and the hook on its node. `slots`: (slot, tensor) of operands;
        an in-place operation without a node writes to the tensor `target`; `joins`: it is part of the latest step."""
        edges = self._edges_of(fn, slots) if fn is not None else []
        number = len(self.first)
        made = target if target >= 0 else len(self.maker)
        step = self.steps - 1 if joins else self.step(kind, number, made, number, site)
        for slot, tensor in sorted(slots) if len(slots) > 1 else slots:
            self.add("inputs", number, slot, tensor)
        row = (known := self._operations.made(fn, op)).row
        sequence = int(fn._sequence_nr()) if fn is not None else -1
        reason = 0 if fn is not None else _reason(any(self._requires[each] for _, each in slots), grad_mode)
        self.node_row(step, known, site, params, sequence if sequence < _UNCOUNTED else -1, reason, edges)
        if row is not None and row.hidden:  # of which a node whose operation was not observed may not tell
            outs = outs[: len(row.outputs) - row.hidden]
        self.shown[number] = len(outs)
        for nr, x in enumerate(outs):
            shares = x is not None and (x._is_view() or kind is Kind.INPLACE)
            told = fn._input_metadata[nr] if x is None else None
            self.add_tensor(x, step, number, nr, self._storage_of(x) if shares else -1, site, told)
        if fn is not None:
            self.nodes.give(fn, number)
            self.hooks[number] = fn.register_hook(functools.partial(self.ran, number, self._save(fn, step, number)))
        return step

    def _edges_of(self, fn: Any, slots: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Slot and tensor of each next function; unobserved operands are added to the slots."""
        edges: list[tuple[int, int]] = []
        used: list[int] = []
        for at, (before, nr) in enumerate(fn.next_functions):
            slot = tensor = -1
            if before is not None:
                tensor = self._reached(before, nr)
                for each, one in slots if tensor >= 0 else ():
                    if one == tensor and each not in used:
                        slot = each
                        break
            if slot < 0 <= tensor:
                slot = at if all(each != at for each, _ in slots) else 100 + at
                slots.append((slot, tensor))
            used.append(slot)
            edges.append((slot, tensor))
        return edges

    def _reached(self, fn: Any, nr: int) -> int:
        """As `result`, of a node that may not be recorded yet."""
        if fn.metadata.get(NUMBER, NUMBERLESS)[0] is not self.nodes and not is_leaf_node(fn):
            self.adopt(fn)
        return self.result(fn, nr)

    def result(self, fn: Any, nr: int) -> int:
        """The number of the leaf that a node accumulates into, or of a result of it, -1 if that has none."""
        whose, node = fn.metadata.get(NUMBER, NUMBERLESS)  # as `number_of` does, but this is asked most often
        if whose is self.nodes:
            return self.first[node] + nr if nr < self.shown[node] else -1
        if is_leaf_node(fn):
            return self.number(fn.variable)
        return self.result(*fn.next_functions[nr]) if type(fn).__name__ == PASSING else -1

    def _save(self, fn: Any, step: int, number: int) -> int:
        """The buffers of a node; returns how many."""
        buffers, add, text = buffers_of(fn, self.packing), self.add, self.text
        for count, (name, x) in enumerate(buffers, 1):
            if not isinstance(x, torch.Tensor):  # a file's name, or whatever else a hook has made of it
                add("saved", step, number, text(name), -1, self.writer.unkept((), "float32"), 0, -2 - count, 0)
            elif (tensor := self.known(x)) >= 0:
                add("saved", step, number, text(name), tensor, -1, 0, self._storages[tensor], version_of(x))
            else:
                storage = self.memory.number(x, -2 - count)
                add("saved", step, number, text(name), -1, self.value(x), int(x.nbytes), storage, version_of(x))
        return len(buffers)

    def wrote(self, step: int, x: Any, fresh: bool = False) -> None:
        """The memory of a tensor was overwritten; `fresh`: its row is new and already has the value."""
        number, others = self.known(x), self.memory.beside(x)  # of these, `.data` counts its writes apart
        if number < 0:
            return
        if not fresh:
            self.add("writes", step, number, self.value(x), version_of(x))
        oldest = min((x, *others), key=self.seen) if others else x
        self.add("versions", step, self._storages[number], version_of(oldest))
        for each in others:  # their numbers are from before: asking for a node now would make a new one
            self.add("writes", step, self.seen(each), self.value(each), version_of(each))


def _reason(requires: bool, grad_mode: bool) -> int:
    """Why an operation has no node."""
    if not requires:
        return NOTHING_REQUIRES
    return NOT_DIFFERENTIABLE if grad_mode else SWITCHED_OFF


def _nothing(*_: Any) -> None:
    """Used while nobody listens."""


def _gone() -> None:
    """A weak reference to a dead object."""


_NOWHERE: tuple[Any, Any, int, bool] = (_gone, None, -1, True)
