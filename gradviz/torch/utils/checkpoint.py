"""`torch.utils.checkpoint`: recompute a part of the forward pass in the backward pass instead of keeping its buffers.
With `use_reentrant=False`, what the function saves in the forward pass is dropped, and the first buffer that a backward
pass asks for runs the function again.

Note [Places] A pack hook gives each saved tensor a numbered place instead of keeping it. Running the function again
saves the same tensors in the same order, and puts each into its place; an unpack takes it out. A place belongs to one
node, and dies with the node's buffers, so nothing is kept that nobody can ask for. The inputs of a checkpoint inside
another one are saved like any other tensor, so they too are dropped and recomputed."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import Enum
from typing import Any

from gradviz.engine.kernel.modes import enable_grad, no_grad
from gradviz.engine.kernel.state import paused, resumed, state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as F
from gradviz.engine.run.autograd import backward as run_backward
from gradviz.engine.run.function import Function
from gradviz.torch import settings
from gradviz.torch.amp import autocast
from gradviz.torch.autograd import _is_checkpoint_valid
from gradviz.torch.autograd.graph import saved_tensors_hooks
from gradviz.torch.nn.modules.container import Sequential

_TIP = (
    "\nTip: To see a more detailed error message, either pass `debug=True` to\n"
    "`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\n"
    "with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\n"
    "enable checkpoint\u2011debug mode globally.\n\n"
    "If this error occurs under torch.compile with automatic_dynamic_shapes enabled,\n"
    "it may be because the recomputation selected a different compiled graph than the\n"
    "forward pass (e.g., a dynamic graph instead of the original static graph).\n"
    "To fix this, either:\n"
    "  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as\n"
    "    dynamic upfront, avoiding the static-to-dynamic transition.\n"
    "  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache\n"
    "    reordering, which can change which graph is checked first between forward\n"
    "    and recompute.\n"
    "See https://github.com/pytorch/pytorch/issues/166926 for more details and\n"
    "workaround examples.\n"
)
_DEBUG = (
    " An error happened while unpacking tensors; what was saved both times follows.\n\n"
    "Saved during the original forward:\n\n{}\n\nSaved during recomputation:\n\n{}\n\n"
    " ERROR: Detected non-determinism while running activation checkpointing\n\n"
    " You are seeing this error because you passed `debug=True` to checkpoint and\n"
    " tensors to be saved during the original forward and differ between those saved\n"
    " during recomputation. This can happen if different operators were ran in the\n"
    " original forward and in the recomputation.\n"
)
_ONCE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details "
    "on your use case."
)
_OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) "
    "is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)


class CheckpointError(RuntimeError):
    """The function did something else when it ran again."""

    __module__ = "torch.utils.checkpoint"


class _Enough(Exception):
    """Ends a recomputation when every place is filled."""


class GraphExecGroup:
    """Inside, backward passes run each checkpointed function again only once, whichever of them needs it first."""

    current: GraphExecGroup | None = None

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup.current is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {self.current}")
        GraphExecGroup.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        GraphExecGroup.current = None


GraphExecGroup.__module__ = "torch.utils.checkpoint"


class _Moment:
    """Stands for a backward pass if a buffer is read outside of one."""


class _Place:
    """The place of one saved tensor; see Note [Places]."""

    def __init__(self) -> None:
        self.values: weakref.WeakKeyDictionary[Any, Tensor | None] = weakref.WeakKeyDictionary()


class _KeepInputs(Function):
    """Saves the inputs of a checkpointed function, under the hooks that are in force around it."""

    @staticmethod
    def forward(ctx: Any, start: Tensor, *inputs: object) -> Tensor:
        ctx.others = [None if isinstance(each, Tensor) else each for each in inputs]
        ctx.at = [i for i, each in enumerate(inputs) if isinstance(each, Tensor)]
        ctx.save_for_backward(*(inputs[i] for i in ctx.at))
        return F["empty"](0)


class Frame:
    """One call of `checkpoint`: what it saved, by place, and how to run it again."""

    def __init__(
        self,
        again: Callable[..., object],
        inputs: tuple[object, ...],
        *,
        early_stop: bool,
        facts: Callable[[Tensor], Mapping[str, object]] | None,
        debug: bool,
    ) -> None:
        self.again = again
        self.early_stop = early_stop
        self.facts = facts
        self.debug = debug
        with paused():  # not a step of the snippet
            self.inputs: Any = _KeepInputs.apply(F["empty"](0, requires_grad=True), *inputs).grad_fn
        self.places: list[weakref.ref[_Place]] = []
        self.expected: list[Mapping[str, object]] = []
        self.counts: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()
        self.done: weakref.WeakSet[object] = weakref.WeakSet()
        self.forward_ended = False
        self.backward_inside = False  # and it saved more than the forward pass had by then

    def hooks(self) -> AbstractContextManager[None]:
        """The hooks in force while the function runs the first time."""
        return saved_tensors_hooks(self._leave, self._fetch)

    def _leave(self, x: Tensor) -> _Place:
        place = _Place()
        self.places.append(weakref.ref(place))
        if self.facts is not None:
            self.expected.append(self.facts(x))
        return place

    def _fetch(self, place: _Place) -> Tensor:
        when = GraphExecGroup.current or state.running or _Moment()
        try:
            if when not in self.done:
                self._run_again(when)
                self.done.add(when)
                self._compare(when)
            found = place.values[when]
            if found is None:
                raise CheckpointError(_ONCE.format(_OVERLAP if GraphExecGroup.current is not None else ""))
        except CheckpointError as error:
            if not self.debug:
                raise
            raise CheckpointError(_DEBUG.format(*self._both(when))) from error
        place.values[when] = None
        return found

    def _run_again(self, when: object) -> None:
        node = self.inputs
        values = list(node.others)
        for i, tensor in zip(node.at, node.saved_tensors, strict=True):
            values[i] = tensor
        self.counts[when] = 0
        try:
            with resumed(), saved_tensors_hooks(lambda x: self._refill(x, when), lambda x: x), enable_grad():
                self.again(*values)
        except _Enough:
            pass

    def _refill(self, x: Tensor, when: object) -> Tensor:
        x = x.detach() if x.requires_grad else x
        at = self.counts[when]
        self.counts[when] = at + 1
        if at >= len(self.places):
            if not self.forward_ended:
                self.backward_inside = True
                return x
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                f"forward pass.\n{_TIP}"
            )
        place = self.places[at]()
        if place is not None:
            place.values[when] = x
        if self.early_stop and at + 1 == len(self.places):
            raise _Enough
        return x

    def _compare(self, when: object) -> None:
        """Refuse a recomputation that saved other tensors than the forward pass."""
        if self.backward_inside:
            return
        if self.counts[when] != len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.places)}\n"
                f"Number of tensors saved during recomputation: {self.counts[when]}.\n{_TIP}"
            )
        told = [
            f"tensor at position {i}:\nsaved metadata: {self.expected[i]}\nrecomputed metadata: {now}\n"
            for i, now in self._facts_now(when)
            if now != self.expected[i]
        ]
        if told:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{''.join(told)}.\n{_TIP}"
            )

    def _facts_now(self, when: object) -> list[tuple[int, Mapping[str, object]]]:
        """(number, facts) of each tensor that was recomputed and has not been taken yet."""
        found = []
        for i, known in enumerate(self.places if self.facts is not None else ()):
            place = known()
            value = None if place is None else place.values.get(when)
            if value is not None and self.facts is not None:
                found.append((i, self.facts(value)))
        return found

    def _both(self, when: object) -> tuple[str, str]:
        """What was saved in the forward pass and in the recomputation, one line each."""
        before = [f"  {i}: {facts}" for i, facts in enumerate(self.expected)]
        return "\n".join(before), "\n".join(f"  {i}: {facts}" for i, facts in self._facts_now(when))


__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "GraphExecGroup",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

_EXPLICIT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)
_WITH_INPUTS = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)


class _Settings:
    """What the context managers of this module set; None leaves the choice to each call."""

    early_stop: bool | None = None
    debug: bool | None = None


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Set whether a recomputation ends when every missing buffer is there, for the checkpoints made inside."""
    before, _Settings.early_stop = _Settings.early_stop, enable
    try:
        yield
    finally:
        _Settings.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Set whether errors list what was saved, for the checkpoints made inside, overriding their own setting."""
    before, _Settings.debug = _Settings.debug, enabled
    try:
        yield
    finally:
        _Settings.debug = before


def noop_context_fn() -> tuple[AbstractContextManager[object], AbstractContextManager[object]]:
    """No context for the forward pass, and none for the recomputation."""
    return nullcontext(), nullcontext()


def _default_facts(x: Tensor) -> Mapping[str, object]:
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


_FACTS: dict[str, Callable[[Tensor], Mapping[str, object]] | None] = {"default": _default_facts, "none": None}


def detach_variable(inputs: object) -> tuple[object, ...]:
    """The inputs without history; those that required grad become leaves that do."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    made = []
    for each in inputs:
        own = each.detach() if isinstance(each, Tensor) else each
        if isinstance(own, Tensor):
            own.requires_grad = each.requires_grad
        made.append(own)
    return tuple(made)


def check_backward_validity(inputs: Sequence[object]) -> None:
    """Warn if no input requires grad."""
    if not any(isinstance(each, Tensor) and each.requires_grad for each in inputs):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


@contextmanager
def _random_numbers(saved: Tensor | None) -> Iterator[None]:
    """Continue the random numbers from a saved state; afterwards from where they were."""
    if saved is None:
        yield
        return
    outer = F["get_rng_state"]()
    F["set_rng_state"](saved)
    try:
        yield
    finally:
        F["set_rng_state"](outer)


def _same_autocast() -> Callable[[], AbstractContextManager[object]]:
    """A function that recreates the present autocast, for the recomputation."""
    small, wanted = settings.get_autocast_dtype("cpu"), settings.is_autocast_enabled("cpu")
    cache = settings.is_autocast_cache_enabled()
    return lambda: autocast("cpu", dtype=small, enabled=wanted, cache_enabled=cache)


class CheckpointFunction(Function):
    """The reentrant form: forward without a graph, and again with one in the backward."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., object], preserve_rng_state: bool, *args: object) -> object:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.random_state = F["get_rng_state"]() if preserve_rng_state else None
        ctx.autocast = _same_autocast()
        ctx.inputs = [None if isinstance(each, Tensor) else each for each in args]
        ctx.at = [i for i, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.at))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: object) -> tuple[Tensor | None, ...]:
        if not _is_checkpoint_valid():
            raise RuntimeError(_WITH_INPUTS)
        given = list(ctx.inputs)
        for i, tensor in zip(ctx.at, ctx.saved_tensors, strict=True):
            given[i] = tensor
        with resumed(), _random_numbers(ctx.random_state):
            inputs = detach_variable(tuple(given))
            with enable_grad(), ctx.autocast():
                found = ctx.run_function(*inputs)
        outputs = (found,) if isinstance(found, Tensor) else found
        pairs = [
            (out, grad)
            for out, grad in zip(outputs, grads, strict=True)
            if isinstance(out, Tensor) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        with resumed():
            run_backward([out for out, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *(each.grad if isinstance(each, Tensor) else None for each in inputs))


def checkpoint(
    function: Callable[..., object],
    *args: object,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: object,
) -> Any:
    """Run a function without keeping its intermediate values."""
    if use_reentrant is None:
        warnings.warn(_EXPLICIT, stacklevel=2)
        use_reentrant = True
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    debug = debug if _Settings.debug is None else _Settings.debug
    early_stop = early_stop if _Settings.early_stop is None else _Settings.early_stop
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in _FACTS:
        raise ValueError(f"determinism_check should be one of {list(_FACTS)}, but got {determinism_check}")
    forward_context, again_context = context_fn()
    random_state = F["get_rng_state"]() if preserve_rng_state else None
    conversions = _same_autocast()

    def again(keywords: dict[str, Any], *values: object) -> None:
        with _random_numbers(random_state), conversions(), again_context:
            function(*values, **keywords)

    frame = Frame(again, (kwargs, *args), early_stop=early_stop, facts=_FACTS[determinism_check], debug=debug)
    if frame.inputs is None:  # no graph is made, so nothing is saved
        return function(*args, **kwargs)
    with frame.hooks(), forward_context:
        found = function(*args, **kwargs)
    frame.forward_ended = True
    return found


def checkpoint_sequential(
    functions: Any, segments: int, input: object, use_reentrant: bool | None = None, **kwargs: Any
) -> object:
    """Checkpoint a sequence of modules in as many segments."""
    if use_reentrant is None:
        warnings.warn(_EXPLICIT.replace("checkpoint\nwithout", "checkpoint without"), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    chain = list(functions.children()) if isinstance(functions, Sequential) else functions
    size, end = len(chain) // segments, -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        part = _run(chain[start : end + 1])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _run(chain[end + 1 :])(input)


def _run(chain: Sequence[Callable[[object], object]]) -> Callable[[object], object]:
    def forward(value: object) -> object:
        for each in chain:
            value = each(value)
        return value

    return forward


class CheckpointPolicy(Enum):
    """The answers of a policy about an operation."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


CheckpointPolicy.__module__ = "torch.utils.checkpoint"


def create_selective_checkpoint_contexts(
    policy_fn_or_list: object, allow_cache_entry_mutation: bool = False
) -> tuple[object, object]:
    """Refused: which operations are kept can't be chosen here."""
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}.")
    elif not callable(policy_fn_or_list):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    raise NotImplementedError(
        "torch.utils.checkpoint.create_selective_checkpoint_contexts is not supported in GradViz; "
        "checkpoint(..., use_reentrant=False) computes every operation of its function again"
    )
