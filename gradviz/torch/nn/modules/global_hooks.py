"""Hooks that every module has: `torch.nn.modules.module.register_module_forward_hook` and its kin. They run before the
module's own; where they are called is in `calling.py`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from gradviz.engine.graph import RemovableHandle
from gradviz.engine.state import on_new_run

KINDS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
EVERYWHERE: dict[str, OrderedDict[int, Any]] = {kind: OrderedDict() for kind in KINDS}


@on_new_run
def remove_all() -> None:
    """As in a new process."""
    for hooks in EVERYWHERE.values():
        hooks.clear()


def any_hook() -> bool:
    """Whether there is one."""
    return any(EVERYWHERE.values())


def of(module: Any, kind: str) -> tuple[Any, ...]:
    """The hooks of a kind for a module: those of all modules, then its own."""
    return (*EVERYWHERE[kind].values(), *module.__dict__[kind].values())


def _register(kind: str, hook: Any) -> RemovableHandle:
    handle = RemovableHandle(EVERYWHERE[kind])
    EVERYWHERE[kind][handle.id] = hook
    return handle


def register_module_forward_pre_hook(hook: Any) -> RemovableHandle:
    """Call `hook(module, args)` before the `forward` of every module."""
    from gradviz.torch.nn.modules.calling import ForwardHook

    return _register("_forward_pre_hooks", ForwardHook(hook))


def register_module_forward_hook(hook: Any, *, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:
    """Call `hook(module, args, output)` after the `forward` of every module."""
    from gradviz.torch.nn.modules.calling import ForwardHook

    return _register("_forward_hooks", ForwardHook(hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Any) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the gradients go through any module."""
    return _register("_backward_pre_hooks", hook)


def register_module_full_backward_hook(hook: Any) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` when the gradients have gone through any module."""
    return _register("_backward_hooks", hook)
