"""The backward pass of a PyTorch job, from hooks on its nodes and leaves: calls, arriving gradients, running nodes,
freed buffers, stored gradients. PyTorch frees a node's buffers right after its hooks, unless the call keeps the
graph."""

from __future__ import annotations

import functools
import operator
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from gradviz.recorder.nodes import is_leaf_node
from gradviz.recorder.output import Output, guarded
from gradviz.recorder.rows import Exchange, Rows
from gradviz.recorder.values import memory_of, not_compiled, version_of
from gradviz.trace.table.kinds import Kind


@dataclass
class _Call:
    """A backward call in progress."""

    number: int = -1
    site: int = -1
    keeps: bool = False
    creates: bool = False
    expected: Counter[int] = field(default_factory=Counter)  # by tensor: how many gradients
    arrived: dict[int, int] = field(default_factory=dict)
    total: dict[int, Any] = field(default_factory=dict)
    latest: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # by tensor: what arrived, see `_told`
    stored: dict[int, tuple[Any, int]] = field(default_factory=dict)  # by leaf: the leaf, and the version of its .grad
    exchange: Exchange | None = None  # the latest exchange that the processes of the job began


class Observed:
    """A hook of the job: after each call, `told` gets what the hook was given and what it returned."""

    def __init__(self, hook: Any, told: Callable[..., None]) -> None:
        functools.update_wrapper(self, hook, updated=())
        self._hook, self._told = hook, told

    def __call__(self, *given: Any) -> Any:
        """PyTorch calls the hook."""
        out = self._hook(*given)
        self._told(*given, out)
        return out


class Hooks:
    """The job's own hooks on tensors and nodes, which see and may replace gradients; `now` gives the backward call in
    progress."""

    def __init__(self, rows: Rows, output: Output, now: Callable[[], _Call]) -> None:
        self._rows, self.output, self._now = rows, output, now

    def called(self, kind: str, node: int, tensor: int, before: int, after: int) -> None:
        """A hook of the job on a node or a tensor was called; the values are numbers of gradients."""
        rows = self._rows
        step = rows.step(Kind.HOOK, node, tensor, rows.writer.count("hooks"), self._now().site)
        rows.add("hooks", step, rows.text(kind), node, tensor, before, after)

    def passed(self, tensor: int, before: Any, after: Any) -> None:
        """A hook of the job on a tensor was given a gradient and lets one pass."""
        rows, latest = self._rows, self._now().latest
        arrived = latest.get(tensor)
        value = arrived[2] if arrived is not None else rows.value(before)
        is_same = after is before and arrived in (None, (*_identity(after), value))
        passes = value if is_same else rows.value(after)
        self.called("tensor", -1, tensor, value, passes)
        if arrived is not None:
            latest[tensor] = (*_identity(after), passes)

    def observe(self, node: int) -> None:
        """Let our hook on a node come after those of the job, which may replace the gradients that it sends and are
        observed. PyTorch calls them in the order in which the dict holds them."""
        handle = self._rows.hooks.get(node)
        hooks = handle.hooks_dict_ref() if handle is not None else None
        if handle is None or not hooks or len(hooks) == 1:
            return
        if next(reversed(hooks)) != handle.id:
            hooks[handle.id] = hooks.pop(handle.id)
        for key, hook in hooks.items():
            if key != handle.id and not isinstance(hook, Observed):
                hooks[key] = Observed(hook, functools.partial(self._sends, node))

    @guarded
    def _sends(self, node: int, grads_in: Any, grads_out: Any, found: Any) -> None:
        """A hook of the job on this node was called, and may have replaced the gradients that it sends."""
        rows = self._rows
        if rows.call < 0 or rows.quiet:
            return
        with rows.quietly:
            self.received(node, grads_out)
            given = (grads_in,) if isinstance(grads_in, torch.Tensor) else grads_in
            before = next((grad for grad in given if grad is not None), None)
            several = found if isinstance(found, (tuple, list)) else (found,)
            after = next((grad for grad in several if isinstance(grad, torch.Tensor)), before)  # else it is an error
            value = rows.value(before)
            self.called("post", node, -1, value, value if after is before else rows.value(after))

    def received(self, node: int, grads: Any) -> None:
        """A node has got these gradients of its results. Where they are not what arrived, a hook that is called before
        the node has replaced them."""
        rows, latest = self._rows, self._now().latest
        for tensor, grad in enumerate(grads[: rows.shown[node]], rows.first[node]):
            arrived = latest.pop(tensor, None)
            if arrived is not None and grad is not None and arrived[:2] != _identity(grad):
                self.called("pre", node, -1, arrived[2], rows.value(grad))


class Backward:
    """Records what backward calls do."""

    def __init__(self, rows: Rows, output: Output) -> None:
        self._rows, self.output = rows, output
        self._now = _Call()
        self.hooks = Hooks(rows, output, lambda: self._now)
        self._given: Sequence[Any] = ()
        self.retained: dict[int, weakref.ref[Any]] = {}  # by tensor: the results that keep their .grad
        self._grads: dict[tuple[int, int], tuple[int, weakref.ref[Any]]] = {}  # by place of a .grad: its tensor
        self.flush: Callable[[], None] = _nothing
        self.pause: Callable[[], bool] = _no
        self.resume: Callable[[], None] = _nothing
        self.line: Callable[..., None] = _nothing
        rows.ran, rows.accumulated, rows.owner_of = self.ran, self.accumulated, self.owner_of

    @property
    def site(self) -> int:
        """The site of the call in progress."""
        return self._now.site

    @property
    def create(self) -> bool:
        """Whether the call in progress makes a graph."""
        return self._now.creates

    def keep_grad(self, x: Any, number: int) -> None:
        """From now on, writes to the memory of this `.grad` count as writes to it."""
        self._grads[_place(x.grad)] = number, weakref.ref(x)

    def owner_of(self, written: Any) -> int:
        """The tensor whose `.grad` this is, -1 if it is none: its memory may belong to something else by now."""
        place = _place(written)
        number, tensor = self._grads.get(place, _NOBODY)
        x = tensor()
        if x is None or _place(x.grad) != place:
            self._grads.pop(place, None)
            return -1
        return int(number)

    def exchanged(self, exchange: Exchange) -> None:
        """The processes of the job begin an exchange during the backward pass."""
        self._now.exchange = exchange
        self._rows.add("clock", exchange.tell(self._rows, self._now.site, is_over=False), exchange.came)

    def make_grads(self, original: Any, roots: Any, grads: Any, *rest: Any, **more: Any) -> Any:
        """PyTorch makes the gradients of roots that were given none."""
        self.flush()
        self._given = tuple(grads)
        is_paused = self.pause()
        try:
            with self._rows.quietly:
                return original(roots, grads, *rest, **more)
        finally:
            if is_paused:
                self.resume()

    def run(
        self, original: Any, roots: Any, grads: Any, keep: Any, create: Any, inputs: Any, *rest: Any, **more: Any
    ) -> Any:
        """A backward call, wrapped around PyTorch's own."""
        outer, before = self._now, self._rows.call
        if not self._begin(roots, grads, bool(keep), bool(create), inputs):
            return original(roots, grads, keep, create, inputs, *rest, **more)
        is_paused = not create and not has_ranks() and self.pause()
        try:
            return original(roots, grads, keep, create, inputs, *rest, **more)
        finally:
            if is_paused:
                self.resume()
            self._end()
            self._now, self._rows.call = outer, before

    @guarded
    def _begin(self, roots: Any, grads: Any, keeps: bool, creates: bool, inputs: Any) -> bool:
        """A backward call begins; returns whether it is recorded."""
        tensors = [x for x in (*roots, *(inputs or ())) if isinstance(x, torch.Tensor)]  # others are edges of the graph
        is_odd = any(not hasattr(x, "node") for x in (*roots, *(inputs or ())) if not isinstance(x, torch.Tensor))
        is_refused = is_odd or len(roots) != len(grads) or not all(x.requires_grad for x in tensors)  # by PyTorch
        if self._rows.quiet or is_refused:
            return False
        self.flush()
        self.line()
        rows = self._rows
        before = len(rows.first)
        numbers = [self._number(x) for x in roots]
        if len(rows.first) > before:  # their graph was made before anything was recorded, and so were their names
            self.line(anew=True)
        call = rows.writer.count("calls")
        self._now = now = _Call(call, rows.sites.here(2), keeps, creates)
        rows.call = call
        step = rows.step(Kind.BACKWARD_CALL, -1, numbers[0] if numbers else -1, call, now.site)
        rows.add("calls", step, now.site, keeps, creates)
        for number, grad, given in zip(numbers, grads, self._given or grads, strict=False):
            rows.add("roots", call, number, -1 if given is None else rows.value(grad))
        self._given = ()
        wanted = [self._number(x) for x in inputs or ()]
        for number, x in zip(wanted, inputs or (), strict=True):
            if isinstance(x, torch.Tensor):
                rows.add("wanted", call, number)
        self._expect(numbers, wanted)
        for number, grad in zip(numbers, grads, strict=False):
            self._arrive(number, -1, grad, rows.value(grad))
        return True

    def _number(self, x: Any) -> int:
        """The number of a tensor, or of the one that an edge of the graph stands for, which may be gone."""
        rows = self._rows
        if isinstance(x, torch.Tensor):
            return rows.number(x)
        if not is_leaf_node(x.node) and rows.nodes.number_of(x.node) is None:
            rows.adopt(x.node)
        return rows.result(x.node, int(x.output_nr))

    @guarded
    def _end(self) -> None:
        rows = self._rows
        rows.value.forget()
        self.flush()
        self._reread()
        rows.add("ends", rows.steps - 1, rows.call)
        self.output.write()

    def _expect(self, roots: list[int], wanted: list[int]) -> None:
        """How many gradients will arrive at each tensor."""
        rows, now = self._rows, self._now
        now.expected.update(roots)
        needed = _needed(rows, roots, wanted) if wanted else None
        seen: set[int] = set()
        left = [rows.maker[number] for number in roots]
        while left:
            node = left.pop()
            if node < 0 or node in seen or (needed is not None and node not in needed):
                continue
            seen.add(node)
            self.hooks.observe(node)
            for _, tensor in rows.edges[node]:
                if tensor >= 0:
                    now.expected[tensor] += 1
                    left.append(rows.maker[tensor])

    def _arrive(self, tensor: int, sender: int, grad: Any, value: int) -> None:
        rows, now = self._rows, self._now
        expected = now.expected.get(tensor, 1)
        now.arrived[tensor] = arrived = now.arrived.get(tensor, 0) + 1
        total, step = value, rows.steps - 1
        if expected > 1:
            if grad is not None:
                with torch.no_grad(), rows.quietly:
                    now.total[tensor] = now.total[tensor] + grad if tensor in now.total else grad
            step = rows.step(Kind.CONTRIBUTION, sender, tensor, rows.writer.count("arrivals"), now.site)
            total = rows.value(now.total.get(tensor)) if arrived > 1 else value
            if arrived >= expected:
                now.total.pop(tensor, None)
        elif grad is not None:
            now.latest[tensor] = (*_identity(grad), value)
        rows.add("arrivals", step, tensor, sender, value, total, arrived, expected, now.number)

    @not_compiled
    @guarded
    def ran(self, number: int, saved: int, grads_in: Any, grads_out: Any) -> None:
        """A node ran; its `saved` buffers are freed afterwards, unless the graph is kept."""
        rows, now = self._rows, self._now
        if rows.call < 0:
            return
        if not now.keeps:
            rows.hooks.pop(number, None)
        self.flush()
        around, rows.value.policy = rows.value.policy, rows.policies[number]
        with rows.quietly:
            self.hooks.received(number, grads_out)
            step = rows.step(Kind.BACKWARD, number, -1, number, now.site)
            self._keep_retained(step, number)
            sent, values = [], {}
            for (slot, tensor), grad in zip(rows.edges[number], grads_in, strict=False):
                if tensor >= 0 and grad is not None:
                    sent.append((slot, tensor, grad))
                elif tensor >= 0:
                    now.expected[tensor] -= 1
            for slot, _, grad in sent if len(sent) == 1 else sorted(sent, key=_SLOT):
                values[slot] = rows.value(grad)
                rows.add("flows", step, number, slot, values[slot])
            if saved and not now.keeps:
                rows.add("frees", rows.step(Kind.FREE, number, -1, rows.writer.count("frees"), now.site), number)
            for slot, tensor, grad in sent:
                self._arrive(tensor, number, grad, values[slot])
        rows.value.policy = around

    def _keep_retained(self, step: int, node: int) -> None:
        """Results of a node that keep their `.grad` have it once the node has run."""
        rows = self._rows
        for tensor in range(rows.first[node], rows.first[node] + rows.shown[node]) if self.retained else ():
            x = self.retained.get(tensor, _gone)()
            if x is not None and x.grad is not None:
                self.holds(step, tensor, x.grad)

    @not_compiled
    @guarded
    def accumulated(self, x: Any) -> None:
        """A leaf got its `.grad`."""
        rows = self._rows
        if x.grad is None or rows.call < 0 or rows.quiet:
            return
        self.flush()
        number = rows.known(x)
        is_shard = hasattr(x, "to_local") and number not in self._now.arrived  # FSDP gave it its .grad
        if number < 0 or is_shard:
            return
        self.keep_grad(x, number)
        self._now.stored[number] = (x, version_of(x.grad))
        self.grad_row(Kind.ACCUMULATE, number, x.grad, self._now.site, self._told(x, number))

    def _told(self, x: Any, number: int) -> int:
        """The number of the value of a `.grad` that is exactly the gradient that arrived; otherwise -1."""
        *same, value = self._now.latest.get(number, (-2, 0, -1))
        return value if not x._backward_hooks and tuple(same) == _identity(x.grad) else -1

    def _reread(self) -> None:
        """Re-read gradients that changed after they were stored. The sum over all ranks changes them in the memory of a
        bucket, so that no version tells of it."""
        rows, now = self._rows, self._now
        changed = [
            (number, x)
            for number, (x, version) in now.stored.items()
            if x.grad is not None and (now.exchange is not None or version_of(x.grad) != version)
        ]
        step = rows.steps - 1
        if now.exchange is not None and changed:
            rows.value.forget()
            name, summed = f"{now.exchange.name} is over", [x.grad for _, x in changed]
            over = replace(now.exchange, name=name, tensors=summed)
            step = over.tell(rows, now.site)
        for number, x in changed:
            self.holds(step, number, x.grad)

    def grad_row(self, kind: Kind, number: int, grad: Any, site: int, value: int = -1) -> None:
        """The `.grad` of a tensor was replaced, or has a new value, whose number may be known."""
        rows = self._rows
        step = rows.step(kind, -1, number, rows.writer.count("grads"), site)
        self.holds(step, number, grad, value)

    def holds(self, step: int, number: int, grad: Any, value: int = -1) -> None:
        """What the `.grad` of a tensor is after a step; a `.grad` that the job uses is a tensor of its own, too."""
        rows = self._rows
        value, own = value if value >= 0 else rows.value(grad), rows.known(grad) if grad is not None else -1
        rows.add("grads", step, number, value, own)
        if own >= 0:
            rows.add("writes", step, own, value, version_of(grad))


def _needed(rows: Rows, roots: list[int], wanted: list[int]) -> set[int]:
    """The nodes on a path to what `inputs=` names: no others run."""
    goals = set(wanted)
    order: list[int] = []
    seen: set[int] = set()
    left = [rows.maker[number] for number in roots]
    while left:
        node = left.pop()
        if node >= 0 and node not in seen:
            seen.add(node)
            order.append(node)
            left += [rows.maker[tensor] for _, tensor in rows.edges[node] if tensor >= 0]
    needed: set[int] = set()
    for node in sorted(order):  # the nodes that a node leads to have lower numbers
        ways = [tensor for _, tensor in rows.edges[node] if tensor >= 0]
        if any(tensor in goals or rows.maker[tensor] in needed for tensor in ways):
            needed.add(node)
    return needed


def _gone() -> None:
    """A weak reference to nothing."""


def _identity(grad: Any) -> tuple[int, int]:
    """What a gradient keeps as long as nobody writes to it: its address, or, if it has none, its memory. A hook may be
    given None for one."""
    try:
        address = 0 if grad is None else grad.data_ptr()
    except RuntimeError:
        address = 0
    return address or memory_of(grad), version_of(grad)


def _place(grad: Any) -> tuple[int, int]:
    """The address at which a gradient begins: those of a bucket share its memory."""
    memory = memory_of(grad)
    return (memory, int(grad.storage_offset())) if memory >= 0 else (-1, -1)


def has_ranks() -> bool:
    """Whether this process exchanges something with others."""
    return _MEMBERS is not None and _MEMBERS.WORLD is not None


_MEMBERS = getattr(torch.distributed, "GroupMember", None)  # where it can be exchanged at all
_SLOT = operator.itemgetter(0)
_NOBODY: Any = (-1, _gone)


def _no() -> bool:
    """Stands in until there is something to pause."""
    return False


def _nothing(*, anew: bool = False) -> None:
    """Stands in until somebody listens."""
