"""`torch.utils.checkpoint`: compute a part of the forward pass again in the backward pass instead of keeping its
buffers. Here the buffers are kept: values, gradients and the result's `grad_fn` are PyTorch's."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from gradviz.engine.call import backward as run_backward
from gradviz.engine.function import Function
from gradviz.engine.modes import enable_grad
from gradviz.engine.tensor import Tensor

_EXPLICIT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)
_NO_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"


class CheckpointFunction(Function):
    """The reentrant form: forward without a graph, and again with one in the backward."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        ctx.run_function = run_function
        ctx.inputs = args
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        inputs = [each.detach() if isinstance(each, Tensor) else each for each in ctx.inputs]
        for own, given in zip(inputs, ctx.inputs, strict=True):
            if isinstance(given, Tensor):
                own.requires_grad = given.requires_grad
        with enable_grad():
            found = ctx.run_function(*inputs)
        outputs = (found,) if isinstance(found, Tensor) else found
        pairs = [
            (out, grad)
            for out, grad in zip(outputs, grads, strict=True)
            if isinstance(out, Tensor) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        run_backward([out for out, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *(each.grad if isinstance(each, Tensor) else None for each in inputs))


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Run a function whose inner values need not be kept."""
    if use_reentrant is None:
        warnings.warn(_EXPLICIT, stacklevel=2)
        use_reentrant = True
    if not use_reentrant:
        return function(*args, **kwargs)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if not any(isinstance(each, Tensor) and each.requires_grad for each in args):
        warnings.warn(_NO_INPUT, stacklevel=2)
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True
) -> Any:
    """Checkpoint a sequence of modules in as many segments."""
    if use_reentrant is None:
        warnings.warn(_EXPLICIT.replace("checkpoint\nwithout", "checkpoint without"), stacklevel=2)
        use_reentrant = True
    chain = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size, end = len(chain) // segments, -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(_run(chain[start : end + 1]), input, use_reentrant=use_reentrant)
    return _run(chain[end + 1 :])(input)


def _run(chain: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def forward(value: Any) -> Any:
        for each in chain:
            value = each(value)
        return value

    return forward
