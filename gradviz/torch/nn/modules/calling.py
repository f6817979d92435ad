"""What `module(x)` does around `forward`: reports the scope to the observer and runs the hooks, forward and backward.
Registering hooks is in `module.py`. A module without hooks and an unobserved run cost one test each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn.modules import global_hooks, legacy_hooks

if TYPE_CHECKING:
    from gradviz.torch.nn.modules.module import Module

FULL_HOOK_WARNING = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)


@dataclass(frozen=True)
class ForwardHook:
    """A forward hook and how it wants to be called."""

    fn: Callable[..., Any]
    with_kwargs: bool = False
    always: bool = False

    def __repr__(self) -> str:
        return repr(self.fn)


_names: list[dict[Any, str]] = []  # dotted names below the outermost module that is being called


def observed_call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a module and tell the observer where it begins and ends."""
    observer = state.observer
    if observer is None:
        return call(module, args, kwargs)
    outermost = not _names
    if outermost:
        _names.append({below: name for name, below in module.named_modules()})
    observer.enter(_names[0].get(module) or type(module).__name__)
    try:
        return call(module, args, kwargs)
    finally:
        observer.exit()
        if outermost:
            _names.clear()


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`forward` with the hooks around it."""
    own = module.__dict__
    if not (
        own["_forward_hooks"]
        or own["_forward_pre_hooks"]
        or own["_backward_hooks"]
        or own["_backward_pre_hooks"]
        or global_hooks.any_hook()
    ):
        return module.forward(*args, **kwargs)
    try:
        return _with_hooks(module, args, kwargs)
    except Exception:
        for hook in global_hooks.of(module, "_forward_hooks"):
            if hook.always:
                _always_hook(module, hook, args, kwargs)
        raise


def _always_hook(module: Module, hook: ForwardHook, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Run an `always_call` hook after `forward` failed: the first error is the one that counts."""
    try:
        hook.fn(module, args, kwargs, None) if hook.with_kwargs else hook.fn(module, args, None)
    except Exception as error:  # noqa: BLE001  what the user's hook raises becomes PyTorch's warning
        warnings.warn(
            "module forward hook with ``always_call=True`` raised an exception that was silenced as another error was "
            f"raised in forward: {error}",
            stacklevel=4,
        )


def _with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    for hook in global_hooks.of(module, "_forward_pre_hooks"):
        args, kwargs = _pre_hook(module, hook, args, kwargs)
    backward = None
    legacy = module._is_full_backward_hook is False
    full = tuple(global_hooks.EVERYWHERE["_backward_hooks"].values())
    full = full if legacy else global_hooks.of(module, "_backward_hooks")
    before = global_hooks.of(module, "_backward_pre_hooks")
    if full or before:
        backward = BackwardHooks(module, full, before)
        args = backward.on_inputs(args)
    result = module.forward(*args, **kwargs)
    for hook in global_hooks.of(module, "_forward_hooks"):
        found = hook.fn(module, args, kwargs, result) if hook.with_kwargs else hook.fn(module, args, result)
        if found is not None:
            result = found
    if legacy and module._backward_hooks:
        legacy_hooks.hang(module, tuple(module._backward_hooks.values()), args, result)
    return result if backward is None else backward.on_outputs(result)


def _pre_hook(
    module: Module, hook: ForwardHook, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if not hook.with_kwargs:
        found = hook.fn(module, args)
        if found is None:
            return args, kwargs
        return (found if isinstance(found, tuple) else (found,)), kwargs
    found = hook.fn(module, args, kwargs)
    if found is None:
        return args, kwargs
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {found}.")
    return found


Grads = tuple[Any, ...]


class BackwardHooks:
    """Backward hooks of one call: an identity node before and one after the module, whose hooks see its gradients."""

    def __init__(self, module: Module, hooks: Sequence[Any], pre_hooks: Sequence[Any]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: Grads | None = None
        self.inputs: list[int] | None = None  # which arguments are tensors behind the identity node
        self.outputs: list[int] | None = None
        self.counts = (0, 0)

    def on_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, passed through a node that will call the hooks last."""
        passed, self.inputs = _through(args, self._after_inputs)
        self.counts = (len(args), 0)
        return passed

    def on_outputs(self, result: Any) -> Any:
        """The result, passed through a node that will note its gradients first."""
        if not isinstance(result, Tensor | tuple):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=5,
            )
        values = result if isinstance(result, tuple) else (result,)
        passed, self.outputs = _through(values, self._after_outputs)
        self.counts = (self.counts[0], len(values))
        return passed if isinstance(result, tuple) else passed[0]

    def _after_outputs(self, _: Grads, grads: Grads) -> Grads | None:
        assert self.outputs is not None
        outer = _spread(self.outputs, grads, self.counts[1])
        for hook in self.pre_hooks:
            found = hook(self.module, outer)
            if found is None:
                continue
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(outer):
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(found)}, but expected {len(outer)}"
                )
            outer = found
        self.grad_outputs = outer
        if self.inputs is None:
            self._without_inputs(outer)
        return tuple(outer[index] for index in self.outputs)

    def _without_inputs(self, outer: Grads) -> None:
        """No input wants a gradient, so nothing will run after the module: the hooks run now."""
        warnings.warn(FULL_HOOK_WARNING, stacklevel=6)
        nothing = (None,) * self.counts[0]
        for hook in self.hooks:
            found = hook(self.module, nothing, outer)
            if found is not None and not (isinstance(found, tuple) and all(each is None for each in found)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def _after_inputs(self, grads: Grads, _: Grads) -> Grads | None:
        if self.grad_outputs is None:
            return None
        assert self.inputs is not None
        inner = _spread(self.inputs, grads, self.counts[0])
        for hook in self.hooks:
            found = hook(self.module, inner, self.grad_outputs)
            if found is None:
                continue
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != len(inner):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(found)}, but expected {len(inner)}"
                )
            inner = found
        self.grad_outputs = None
        return tuple(inner[index] for index in self.inputs)


def _spread(indices: Sequence[int], values: Sequence[Any], size: int) -> Grads:
    spread: list[Any] = [None] * size
    for index, value in zip(indices, values, strict=True):
        spread[index] = value
    return tuple(spread)


def _through(values: tuple[Any, ...], hook: Callable[[Grads, Grads], Any]) -> tuple[tuple[Any, ...], list[int] | None]:
    """Send the tensors through one identity node with a hook; None instead of indices when nothing wants a gradient."""
    indices = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (state.grad and any(values[i].requires_grad for i in indices)):
        return values, None
    from gradviz.torch.nn.modules.identity import BackwardHookFunction

    passed = BackwardHookFunction.apply(*[values[i] for i in indices])
    new = passed if isinstance(passed, tuple) else (passed,)
    node = next(tensor.grad_fn for tensor in new if tensor.grad_fn is not None)
    node.register_hook(hook)
    replaced = list(values)
    for index, tensor in zip(indices, new, strict=True):
        replaced[index] = tensor
    return tuple(replaced), indices
