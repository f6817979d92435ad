"""The forward pass of a PyTorch job: a mode that observes each operation below autograd. The result of an operation has
its node only when autograd is done with it, so its rows are written at the next event (`flush`)."""

from __future__ import annotations

import inspect
import sys
import traceback
from dataclasses import dataclass, replace
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, _pop_mode, _push_mode
from torch.utils._pytree import tree_leaves

from gradviz.recorder.backward import Backward, has_ranks
from gradviz.recorder.nodes import COPIES, is_custom, name_of, operation_of, outputs_of
from gradviz.recorder.output import Output, guarded
from gradviz.recorder.parameters import TO_THE_END, Argument, arguments_of, in_words
from gradviz.recorder.rows import Exchange, Rows, now
from gradviz.recorder.values import grad_fn_of, is_leaf, memory_of, not_compiled, version_of
from gradviz.trace.record.binding import MOST_GIVEN
from gradviz.trace.table.kinds import Kind

UNREAL = ("FakeTensor", "FunctionalTensor", "AsyncCollectiveTensor")  # a compiler traces: nothing of it runs
READING = ("profiler.", "aten._local_scalar_dense", "aten.lift_fresh", "prim.")
IGNORED = (*READING, "c10d", "fsdp.", "_c10d")
COLLECTIVES = {  # the names that the functions of torch.distributed have below it
    "allreduce_": "all_reduce",
    "allreduce_coalesced_": "all_reduce",
    "allgather_": "all_gather",
    "_allgather_base_": "all_gather_into_tensor",
    "allgather_into_tensor_coalesced_": "all_gather_into_tensor",
    "reduce_scatter_": "reduce_scatter",
    "_reduce_scatter_base_": "reduce_scatter_tensor",
    "reduce_scatter_tensor_coalesced_": "reduce_scatter_tensor",
    "alltoall_": "all_to_all",
    "alltoall_base_": "all_to_all_single",
    "recv_any_source_": "recv",
}
ALLOCATING = {torch.ops.aten.empty, torch.ops.aten.empty_strided, torch.ops.aten.empty_like, torch.ops.aten.new_empty}
ALLOCATING |= {torch.ops.aten.new_empty_strided, torch.ops.aten.empty_permuted}
REMAKING = {torch.ops.aten.view_as_complex, torch.ops.aten.view_as_real, torch.ops.aten._conj, torch.ops.aten._neg_view}
REMAKING |= {torch.ops.aten.as_strided}  # what autograd runs first to make a view anew whose base was written to
MOST_SHOWN = 6  # parameters of an operation
_ABSENT = object()
_APPLY = torch.autograd.Function.apply.__func__.__code__
_SETTING_UP = ("device_mesh", "_fsdp_param", "_fsdp_param_group", "_fsdp_collectives")  # modules of torch.distributed


_WRAPPERS = ("gradviz.recorder.values", "torch._compile", "torch._dynamo.eval_frame")  # between a call and the recorder
_Operands = tuple[list[tuple[int, int]], list[Any], list[Any], str]
_Place = tuple[int, int]  # a frame and its instruction: that of a call of PyTorch, which may be several operations


@dataclass(frozen=True, slots=True)
class _Pending:
    """An operation whose results have no node yet."""

    op: str
    slots: list[tuple[int, int]]
    outs: list[Any]
    written: list[Any]
    changed: list[Any]  # beside the result
    site: int
    applied: int  # the site where a custom function in progress was called
    params: str
    grad_mode: bool
    place: _Place
    is_inner: bool  # it overwrites what the same call of PyTorch has made


_ABOUT: dict[int, _About] = {}  # by identity: to hash an operation takes long


class _About(NamedTuple):
    """What is known of each operation: its name; that of the exchange that it is among processes, "" for any other, and
    for one that only waits; whether it is an update's label for a profiler; whether no step tells of it, whether it
    changes no tensor then, whether its result is raw memory or a view, and whether it may begin to make one anew."""

    func: Any
    name: str
    op: str  # as a step has it
    exchange: str
    is_label: bool
    is_ignored: bool
    only_reads: bool
    allocates: bool
    is_view: bool
    remakes: bool
    arguments: tuple[Argument, ...]

    @classmethod
    def of(cls, func: Any) -> _About:
        """Look it up."""
        name, text = str(func._schema.name), str(func)
        space, _, short = name.partition("::")
        is_exchange = space in ("c10d", "_c10d_functional") and short not in ("wait_tensor", "check_for_nan")
        exchange = COLLECTIVES.get(short, short.rstrip("_")) if is_exchange else ""
        allocates, remakes = func.overloadpacket in ALLOCATING, func.overloadpacket in REMAKING
        is_ignored, only_reads = text.startswith(IGNORED), text.startswith(READING)
        op = name.removeprefix("aten::").strip("_")
        is_label, arguments = space == "profiler", arguments_of(func)
        is_view = any(each.alias_info and not each.alias_info.is_write for each in func._schema.arguments)
        return cls(func, name, op, exchange, is_label, is_ignored, only_reads, allocates, is_view, remakes, arguments)


def _about(func: Any) -> _About:
    """What is known of an operation."""
    found = _ABOUT.get(id(func))
    if found is None:
        found = _ABOUT[id(func)] = _About.of(func)
    return found


class _Begun(NamedTuple):
    """An operation that runs: what is known of it, slot and number of each operand, the tensors that it writes to,
    those that it changes beside its result, the parameters worth showing, whether gradients are on, and whether it
    overwrites what the same call of PyTorch has made."""

    about: _About
    slots: list[tuple[int, int]]
    written: list[Any]
    changed: list[Any]
    shown: str
    grad_mode: bool
    is_inner: bool


class _View(NamedTuple):
    """An operation that may be autograd's, which makes a view anew and holds it meanwhile: who asks it for its node
    then waits for ever. So its operands are looked up at the next event."""

    about: _About
    args: Any
    kwargs: Any
    grad_mode: bool


_LIFT, _DETACH = torch.ops.aten.lift_fresh.default, torch.ops.aten.detach.default  # the former by `torch.tensor`
_DETACHED = _Begun(_about(_DETACH), [], [], [], "", grad_mode=False, is_inner=False)


class _OneCall:
    """What the call of PyTorch in progress has made by its operations. If it overwrites that, as in a GRU cell, nobody
    else has seen it, and it is told as making something new."""

    def __init__(self) -> None:
        self.place: _Place = (0, 0)
        self.made = set[int]()

    def comes_from(self, frame: FrameType) -> None:
        """An operation is about to run, dispatched from below a frame."""
        while frame.f_globals.get("__name__") in _WRAPPERS and frame.f_back is not None:
            frame = frame.f_back
        if (place := (id(frame), frame.f_lasti)) != self.place:
            self.place = place
            self.made.clear()

    def has_made(self, x: Any, rows: Rows) -> bool:
        """Whether the call has made a tensor, other than as a view."""
        return bool(self.made) and isinstance(x, torch.Tensor) and not x._is_view() and rows.known(x) in self.made

    def saves(self, pending: _Pending | None, number: int) -> bool:
        """Whether an operation is autograd's copy of a tensor that is about to be overwritten, which is no step."""
        copies = pending is not None and pending.op == "clone" and pending.slots == [(0, number)]
        return copies and pending is not None and pending.place == self.place


class Forward(TorchDispatchMode):  # type: ignore[misc]
    """Records what operations do. `updating` counts the optimizers in progress: an update is a single step. During a
    backward pass or an update, which hooks report completely, the mode is removed (`pause`), because it costs most."""

    def __init__(self, rows: Rows, output: Output, backward: Backward) -> None:
        super().__init__()
        self._rows, self.output, self._backward = rows, output, backward
        self._pending: _Pending | None = None
        self._exchange: tuple[Exchange, int] | None = None  # and its site: not known to be over yet
        self._views: list[tuple[_View, _Pending]] = []  # which ran since
        self._is_paused = self._is_writing = False  # the latter reads tensors, which may run operations
        self._inside = _OneCall()
        self.updating = 0
        self.written: dict[int, Any] = {}  # by identity: parameters that an update in progress wrote to
        self.line: Any = _nothing  # called for each operation before it runs

    _should_skip_dynamo = classmethod(lambda _: False)  # PyTorch would keep its compiler off once more, and slowly

    @not_compiled
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """One operation runs."""
        kwargs = kwargs or {}
        about = _about(func)
        if about.is_label or self._is_writing:
            return func(*args, **kwargs)
        frame = sys._getframe(1)
        self._inside.comes_from(frame)
        begun = self._begin(frame, about, types, args, kwargs)
        out = func(*args, **kwargs)
        if begun is not None:
            self._has_run(begun, args, out)
        return out

    @guarded
    def _begin(self, frame: FrameType, about: _About, types: Any, args: Any, kwargs: Any) -> _Begun | _View | None:
        """An operation is about to run, called from this frame; returns what to record about it, None for nothing."""
        rows, func = self._rows, about.func
        if not rows.quiet and about.exchange:
            self._exchanged(about.exchange, args)
            return None
        inside = (rows.call >= 0 and not self._backward.create) or (has_ranks() and _is_set_up(frame))
        if (
            rows.quiet
            or inside
            or (self.updating and not torch.is_grad_enabled())
            or about.is_ignored
            or _is_unreal(types)
        ):
            if not about.only_reads:
                rows.value.forget()
            elif not rows.quiet and func is _LIFT:
                rows.unused.enter(args[0], rows.sites.here(1))
            if self.updating and not rows.quiet:
                self._note_written(about, args)
            return None
        if func is _DETACH:  # autograd calls it, too, while it saves a result: not ready yet
            return _DETACHED
        if about.is_view and (about.remakes or any(args[0] is x for _, each in self._views for x in each.outs)):
            return _View(about, args, kwargs, torch.is_grad_enabled())
        if self.written:
            self._catch_up()
        first = args[0] if args else None
        writes = about.name.endswith("_")
        if writes and self._inside.has_made(first, rows) and self._inside.saves(self._pending, rows.known(first)):
            self._pending = None
        self.flush()
        self.line()
        if writes and isinstance(first, torch.Tensor) and self._is_initialised(first):
            rows.value.forget(memory_of(first))
            return None
        is_inner = writes and self._inside.has_made(first, rows)
        return _Begun(about, *_operands(rows, about, args, kwargs), torch.is_grad_enabled(), is_inner)

    @guarded
    def _has_run(self, begun: _Begun | _View, args: Any, out: Any) -> None:
        rows = self._rows
        if begun is _DETACHED:
            rows.unused.enter(out, rows.sites.here(1), args[0])
            return
        outs = [out] if type(out) is torch.Tensor else [x for x in tree_leaves(out) if isinstance(x, torch.Tensor)]
        if isinstance(begun, _View):
            site, place = rows.sites.here(1), self._inside.place
            applied = site if begun.grad_mode else _applied(rows, site)
            made = _Pending(begun.about.op, [], outs, [], [], site, applied, "", begun.grad_mode, place, is_inner=False)
            self._views.append((begun, made))
            return
        about, slots, written, changed, shown, mode, is_inner = begun
        if about.allocates:
            rows.value.allocated(outs[0].untyped_storage(), version_of(outs[0]))
            rows.unused.enter(outs[0], rows.sites.here(1), has_step=not slots)
        elif slots and (outs or written):
            site, place = rows.sites.here(1), self._inside.place
            applied = site if mode else _applied(rows, site)
            self._pending = _Pending(
                about.op, slots, outs, written, changed, site, applied, shown, mode, place, is_inner
            )
        elif outs and not slots:
            rows.unused.enter(outs[0], rows.sites.here(1))

    def _note_written(self, about: _About, args: Any) -> None:
        """An update writes to parameters, which a closure may read before it is over."""
        for arg, spec in zip(args, about.arguments, strict=False):
            for x in (arg if isinstance(arg, (list, tuple)) else (arg,)) if spec.is_written else ():
                if isinstance(x, torch.Tensor) and is_leaf(x) and x.requires_grad:
                    self.written[id(x)] = x

    def _catch_up(self) -> None:
        """A closure runs within an update, which has changed parameters since it last ran."""
        self.flush()
        for x in self.written.values():
            self._rows.wrote(self._rows.steps - 1, x)
        self.written.clear()

    def _exchanged(self, name: str, args: Any) -> None:
        """The processes of the job exchange something; what that overwrites is known at the next event."""
        came = now()
        self.flush()
        self.line()
        self._rows.value.forget()
        tensors = [x for x in tree_leaves(args) if isinstance(x, torch.Tensor)]
        exchange = Exchange(name, tensors, torch.distributed.get_world_size(), came)
        if self._rows.call < 0:
            self._exchange = exchange, self._rows.sites.here(2)
        else:
            self._backward.exchanged(exchange)

    def _is_initialised(self, x: Any) -> bool:
        """Whether a write only initialises a new leaf."""
        is_new = self._rows.known(x) < 0 and is_leaf(x) and self._backward.owner_of(x) < 0
        return is_new and not self._is_alias(x)

    def _is_alias(self, x: Any) -> bool:
        """Whether a tensor without a number is what `detach()` or `.data` made of one that has a number."""
        source = self._rows.unused.source(x)
        return source is not None and self._rows.known(source) >= 0

    def let_go(self) -> None:
        """Keep no tensor: where the recording has ended early, some are left."""
        self._pending = self._exchange = None
        self._views.clear()
        self.written.clear()

    def pause(self) -> bool:
        """Stop observing operations, which then run at full speed; returns False if another mode is on top."""
        if self._is_paused or _get_current_dispatch_mode() is not self:
            return False
        self._is_paused = True
        _pop_mode()
        return True

    def resume(self) -> None:
        """Observe operations again."""
        if self._is_paused:
            self._is_paused = False
            _push_mode(self)

    def recover(self) -> None:
        """A new event begins: an update that did not finish was ended by an error."""
        if self._is_paused and self._rows.call < 0:
            self.updating = 0
            self.resume()

    def flush(self) -> None:
        """Write the last operation, if it is not written: only now do its results have their node."""
        if self._pending is not None or self._exchange is not None or self._views:
            self._is_writing = True
            try:
                self._write()
            finally:
                self._is_writing = False

    @guarded
    def _write(self) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            made, site = exchange
            self._rows.add("clock", made.tell(self._rows, site), made.came)
        pending, self._pending = self._pending, None
        if pending is not None:
            self._write_operation(pending)
        views, self._views = self._views, []
        for (about, args, kwargs, _), each in views:
            slots, _, _, shown = _operands(self._rows, about, args, kwargs)
            self._write_operation(replace(each, slots=slots, params=shown))

    def _write_operation(self, pending: _Pending) -> None:
        rows, fn = self._rows, None
        for x in pending.outs:
            if (fn := grad_fn_of(x)) is not None:
                break
        if fn is not None and rows.nodes.number_of(fn) is not None:
            fn = None
        if fn is not None and is_custom(fn) and not pending.written:  # its `forward`'s last operation gave it away
            rows.attach(fn, operation_of(fn), [], outputs_of(fn, pending.outs), pending.applied, "")
            return
        if not pending.written or pending.is_inner:
            for each in pending.written:
                rows.value.forget(memory_of(each))
            step = rows.attach(
                fn, pending.op, pending.slots, pending.outs, pending.site, pending.params, grad_mode=pending.grad_mode
            )
            if pending.place == self._inside.place:
                self._inside.made |= {rows.known(each) for each in pending.outs}
            for each in pending.changed:
                rows.value.forget(memory_of(each))
                rows.wrote(step, each)
            return
        self._wrote(pending, fn)

    def _wrote(self, pending: _Pending, fn: Any) -> None:
        """The rows of an operation that writes to tensors, such as to each of a list of gradients."""
        rows, others = self._rows, []
        for each in pending.written:
            rows.value.forget(memory_of(each))
            owner = self._backward.owner_of(each)
            if owner >= 0:
                self._backward.grad_row(Kind.CLEAR_GRAD, owner, each, pending.site)
                rows.wrote(rows.steps - 1, each, fresh=True)
            else:
                others.append(each)
        if not others:
            return
        x, fresh = others[0], fn is not None
        node = fn.next_functions[0][0] if fresh and x._is_view() and fn.next_functions else None
        if node is not None and name_of(node) == COPIES:
            self._wrote_through(pending, fn, node, x)
            return
        target = dict(pending.slots).get(0, -1) if x is pending.written[0] else rows.known(x)
        outs = outputs_of(fn, [x]) if is_custom(fn) else [x] if fresh else []
        op = operation_of(fn) if is_custom(fn) else pending.op
        step = rows.attach(
            fn, op, pending.slots, outs, pending.site, pending.params, Kind.INPLACE,
            -1 if fresh else target, pending.grad_mode,
        )  # fmt: skip
        rows.wrote(step, x, fresh)
        for each in others[1:]:
            rows.wrote(step, each)

    def _wrote_through(self, pending: _Pending, fn: Any, node: Any, view: Any) -> None:
        """A view through which its base was written: what was done belongs to the base, of which the view has a new
        history."""
        rows, base = self._rows, view._base
        slots = [(slot, each) for slot, each in pending.slots if slot]
        if (before := rows.seen(base)) >= 0:
            slots.insert(0, (0, before))
        rows.attach(node, pending.op, slots, [base], pending.site, pending.params, Kind.INPLACE)
        step = rows.attach(fn, "as_strided", [(0, rows.known(base))], [view], pending.site, "", joins=True)
        rows.wrote(step, view, fresh=True)


def _operands(rows: Rows, about: _About, args: Any, kwargs: Any) -> _Operands:
    """Slot and number of each tensor, the tensors that are written to, those that are changed beside the result,
    and the parameters worth showing."""
    slots: list[tuple[int, int]] = []
    written, changed, shown, slot = [], [], [], 0
    for at, spec in enumerate(about.arguments):
        arg = args[at] if at < len(args) else kwargs.get(spec.name, _ABSENT)
        if type(arg) is int and arg == TO_THE_END:
            arg = _end_of_slice(about, args)
        several: Any = (arg,)
        if not isinstance(arg, torch.Tensor):
            if said := spec.default if arg is _ABSENT else in_words(spec.name, arg):
                shown.append(said)
            if isinstance(arg, (list, tuple)):
                several = arg
        for each in several:
            if isinstance(each, torch.Tensor) and each.layout is torch.strided:
                slots.append((slot, rows.number(each)))
                slot += 1
                if spec.is_written:
                    written.append(each)
                elif spec.is_changed:
                    changed.append(each)
            elif spec.is_tensor:
                slot += 1
    if "training=False" in shown:
        changed = []
    return slots, written, changed, ", ".join(shown[:MOST_SHOWN])


def _end_of_slice(about: _About, args: Any) -> int:
    """Where a slice ends that goes to the end of its dimension."""
    given = {spec.name: arg for spec, arg in zip(about.arguments, args, strict=False)}
    sizes = given.get("input_sizes") or given["self"].shape
    return int(sizes[given.get("dim", 0)])


def given_to(rows: Rows, at: TracebackType | None) -> list[int]:
    """What the operation was given that raised an error with this traceback: the tensors that the outermost function of
    PyTorch got, if it got several, otherwise those that the operation was about to run with, if it came to that."""
    given: dict[int, None] = {}
    for frame, _ in traceback.walk_tb(at):
        begun = frame.f_locals.get("begun") if frame.f_code is _DISPATCH else None
        if isinstance(begun, _Begun):
            given = dict.fromkeys(number for _, number in begun.slots)
        elif isinstance(begun, _View):
            given = dict.fromkeys(rows.number(x) for x in begun.args if isinstance(x, torch.Tensor))
        elif str(frame.f_globals.get("__name__")).startswith("torch."):
            given = _arguments(rows, frame) or given
        if len(given) > 1:
            break
    return list(given)[:MOST_GIVEN]


def _arguments(rows: Rows, frame: FrameType) -> dict[int, None]:
    """The recorded tensors among the arguments of a call, and in lists of them."""
    code, held, found = frame.f_code, frame.f_locals, dict[int, None]()
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    for arg in map(held.get, code.co_varnames[:count]):
        for each in arg if isinstance(arg, (list, tuple)) else (arg,):
            if isinstance(each, torch.Tensor) and (number := rows.known(each)) >= 0:
                found[number] = None
    return found


def _applied(rows: Rows, site: int) -> int:
    """The site where a custom function in progress was called, whose `forward` runs without gradients; otherwise the
    same site."""
    depth, frame = 0, sys._getframe()
    while frame.f_code is not _APPLY:
        if frame.f_back is None:
            return site
        depth, frame = depth + 1, frame.f_back
    return rows.sites.here(depth + 1)


def _is_set_up(frame: FrameType | None) -> bool:
    """Whether an operation that was called from this frame lays out processes, or gathers or scatters parameters of
    FSDP2, whose exchanges say what happens."""
    while frame is not None and (name := str(frame.f_globals.get("__name__"))).startswith(("torch.", "gradviz.")):
        if name.rpartition(".")[2] in _SETTING_UP:
            return True
        frame = frame.f_back
    return False


def _is_unreal(types: Any) -> bool:
    for each in types:  # noqa: SIM110  asked of each operation
        if each.__name__ in UNREAL:
            return True
    return False


def _nothing() -> None:
    """Used while nobody listens."""


_DISPATCH = inspect.unwrap(Forward.__torch_dispatch__).__code__
