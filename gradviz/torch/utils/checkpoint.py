"""`torch.utils.checkpoint`: recompute a part of the forward pass in the backward pass instead of keeping its buffers.
How the non-reentrant form drops and refills buffers is in `recompute.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import Enum
from typing import Any

from gradviz.engine.kernel.modes import enable_grad, no_grad
from gradviz.engine.kernel.state import resumed
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as F
from gradviz.engine.run.autograd import backward as run_backward
from gradviz.engine.run.function import Function
from gradviz.torch import settings
from gradviz.torch.amp import autocast
from gradviz.torch.autograd import _is_checkpoint_valid
from gradviz.torch.utils.recompute import CheckpointError, Frame, GraphExecGroup

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
    chain = list(functions.children()) if hasattr(functions, "children") else list(functions)
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
