"""`torch._C`: the few names of PyTorch's compiled part that Python code about autograd uses. There is nothing else
here, as there is no compiled part."""

from __future__ import annotations

import weakref
from typing import Any

from gradviz.engine.kernel.graph import AccumulateGrad, Node, shown
from gradviz.engine.kernel.modes import is_grad_enabled
from gradviz.engine.kernel.saved import SavedTensor, save
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run import function
from gradviz.engine.run.backward import running_order
from gradviz.engine.run.inplace import CopySlices
from gradviz.engine.run.overrides import disabled
from gradviz.engine.transforms import forward_mode

__all__ = ["_WeakTensorRef", "_current_autograd_node", "_functions", "_will_engine_execute_node", "is_grad_enabled"]


has_lapack = True


def _set_grad_enabled(enabled: bool) -> None:
    state.grad = bool(enabled)


def _set_fwd_grad_enabled(enabled: bool) -> None:
    forward_mode.Switch.enabled = enabled


class _functions:
    """Functions whose nodes compute nothing; each is called with what its node needs to know, and returns the function
    that is applied to tensors."""

    class DelayedError(Node):
        def __new__(cls, message: str, outputs: int) -> Any:
            return function.delayed_error(message, outputs)

    class UndefinedGrad(Node):
        def __new__(cls) -> Any:
            return function.undefined_grad()

    AccumulateGrad = AccumulateGrad
    CopySlices = CopySlices


class _autograd:
    """Saved tensors, and setters that override facts about a tensor."""

    SavedTensor = SavedTensor

    @staticmethod
    def _make_saved_tensor(tensor: Tensor, is_output: bool) -> Any:
        holder = Node()
        holder.saved = [save(tensor, 0, is_output)]
        return SavedTensor(holder, 0)

    @staticmethod
    def _saved_tensors_hooks_is_enabled() -> bool:
        return state.saved_hooks_refusal is None

    @staticmethod
    def _get_current_graph_task_keep_graph() -> bool:
        return state.running is None or bool(state.running.retain_graph)

    @staticmethod
    def _unsafe_set_version_counter(tensors: tuple[Tensor, ...], versions: tuple[int, ...]) -> None:
        for tensor, version in zip(tensors, versions, strict=True):
            if version < 0:
                raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
            tensor._share_version().value = version


_disabled_torch_function_impl = disabled


class DisableTorchFunctionSubclass:
    """A context manager: functions take tensors of derived classes as any others."""

    def __enter__(self) -> None:
        self._before, state.overriding = state.overriding, False

    def __exit__(self, *_: object) -> None:
        state.overriding = self._before


DisableTorchFunction = DisableTorchFunctionSubclass


def _is_torch_function_enabled() -> bool:
    return state.overriding


class _WeakTensorRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self._ref = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether it is gone."""
        return self._ref() is None


def _current_autograd_node() -> Node | None:
    """The node that is running."""
    found: Node | None = shown(state.node)
    return found


def _will_engine_execute_node(node: object) -> bool:
    """Whether the running backward pass runs this node."""
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    if state.running is None:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    return bool(state.running.will_run(node))


def _current_graph_task_id() -> int:
    """The number of the running backward pass; −1 if none is running."""
    return -1 if state.running is None else int(state.running.number)


def _current_graph_task_execution_order() -> list[Node]:
    """The nodes that the backward pass still has to run, in order."""
    if state.running is None:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if state.multithreading:
        raise RuntimeError(
            "get_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n...     "
            "torch.autograd.grad(...)\n"
        )
    task = state.running
    wanted = running_order(task.roots, lambda node: task.needed is None or node in task.needed or node in task.captures)
    return [shown(node) for node in wanted]
