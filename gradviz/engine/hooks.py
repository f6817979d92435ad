"""Calling hooks: tensor hooks and node prehooks before a node runs, node hooks after it, post-accumulate hooks
after `.grad` changed. Used by `backward.py` only; registering is on `Tensor` and `Node`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.engine.graph import Node
from gradviz.engine.observe import Observer
from gradviz.engine.tensor import Tensor, wrap


def run_tensor_hooks(node: Node, grads: list[Tensor | None], observer: Observer | None) -> None:
    """`Tensor.register_hook`: each may replace the gradient of one output, in the order of registration."""
    assert node.tensor_hooks is not None
    for nr, hooks in node.tensor_hooks.items():
        for hook in tuple(hooks.values()):
            before = grads[nr]
            after = _checked(hook, before, hook(before))
            grads[nr] = after
            if observer is not None:
                observer.hook("tensor", node, before, after)


def _checked(hook: Any, before: Tensor | None, after: Any) -> Tensor | None:
    if after is None:
        return before
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    name = _name(hook)
    if after._data.dtype != before._data.dtype:
        raise RuntimeError(
            f"hook '{name}' has changed the type of value (was {before.dtype.label} got {after.dtype.label})"
        )
    if after._data.shape != before._data.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return after


def keep_retained(node: Node, grads: list[Tensor | None]) -> None:
    """`retain_grad`: runs after the tensor hooks."""
    assert node.retained is not None
    for nr, found in node.retained.items():
        grad, tensor = grads[nr], found()
        if grad is not None and tensor is not None:
            held = tensor._grad
            if held is not None:
                tensor._grad = held + grad
            else:
                tensor._grad = grad if grad._requires_grad else wrap(grad._data.copy())


def run_pre_hooks(node: Node, grads: list[Tensor | None], observer: Observer | None) -> list[Tensor | None]:
    """`Node.register_prehook`: each sees and may replace the gradients of all outputs."""
    assert node.pre_hooks is not None
    for hook in tuple(node.pre_hooks.values()):
        found = hook(tuple(grads))
        after = list(grads) if found is None else _counted(hook, found, len(grads))
        if observer is not None:
            observer.hook("pre", node, tuple(grads), tuple(after))
        grads = after
    return grads


def run_post_hooks(
    node: Node, inputs: list[Tensor | None], grads: Sequence[Tensor | None], observer: Observer | None
) -> list[Tensor | None]:
    """`Node.register_hook`: each sees (grad_inputs, grad_outputs) and may replace the former."""
    assert node.post_hooks is not None
    for hook in tuple(node.post_hooks.values()):
        found = hook(tuple(inputs), tuple(grads))
        after = list(inputs) if found is None else _counted(hook, found, len(inputs))
        if observer is not None:
            observer.hook("post", node, tuple(inputs), tuple(after))
        inputs = after
    return inputs


def run_post_accumulate_hooks(variable: Tensor, observer: Observer | None) -> None:
    """`register_post_accumulate_grad_hook`: it returns nothing, or the tensor itself."""
    assert variable._post_accumulate is not None
    for hook in tuple(variable._post_accumulate.values()):
        if _checked(hook, variable, hook(variable)) is not variable:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if observer is not None:
            observer.hook("post_accumulate", variable, None, None)


def _name(hook: Any) -> str:
    return str(getattr(hook, "__name__", type(hook).__name__))


def _counted(hook: Any, found: Any, expected: int) -> list[Any]:
    """What a node hook returned, refused when it is not one gradient for each that it got."""
    values = list(found) if isinstance(found, tuple | list) else [found]
    if len(values) != expected:
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(values)}, but expected "
            f"{expected})"
        )
    return values
