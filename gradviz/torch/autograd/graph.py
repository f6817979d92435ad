"""`torch.autograd.graph`: nodes, and hooks on saved tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradviz.engine.graph import GradientEdge, Node, RemovableHandle, edge_of
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class saved_tensors_hooks:
    """While this is open, what is saved for backward goes through `pack_hook`, and comes back through `unpack_hook`."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if state.saved_hooks_refusal is not None:
            raise RuntimeError(state.saved_hooks_refusal)
        state.saved_hooks = [*state.saved_hooks, self.hooks]

    def __exit__(self, *exc: object) -> None:
        state.saved_hooks = state.saved_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """Saved tensors are on the CPU already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda x: x, lambda x: x)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """While this is open, `saved_tensors_hooks` raises with the message."""
    outer, state.saved_hooks_refusal = state.saved_hooks_refusal, error_message
    try:
        yield
    finally:
        state.saved_hooks_refusal = outer


class _Handles:
    """Takes several hooks off at once."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take the hooks off."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all") -> _Handles:
    """Call `fn` when the gradients of all the tensors that a backward pass reaches are known, or of the first."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    arrived: dict[int, Tensor] = {}
    seen: list[Any] = []

    def hook_of(index: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            if not seen or seen[0] is not state.reached:
                seen[:] = [state.reached]
                arrived.clear()
                if mode == "any":
                    fn(grad)
            arrived[index] = grad
            nodes = [edge[0] for each in tensors if (edge := edge_of(each)) is not None]
            if mode == "all" and len(arrived) == sum(node in state.reached for node in nodes):
                fn([arrived.get(i) for i in range(len(tensors))])
                seen.clear()

        return hook

    return _Handles([each.register_hook(hook_of(i)) for i, each in enumerate(tensors)])


def increment_version(tensor: Any) -> None:
    """Count a write that autograd could not see."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        each._share_version().value += 1


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of a tensor arrives."""
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*edge)
