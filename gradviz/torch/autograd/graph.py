"""`torch.autograd.graph`: nodes, and hooks on saved tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.graph import Node, edge_of
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor

__all__ = ["Node", "get_gradient_edge", "save_on_cpu", "saved_tensors_hooks"]


class saved_tensors_hooks:
    """While this is open, what is saved for backward goes through `pack_hook`, and comes back through `unpack_hook`."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        state.saved_hooks = [*state.saved_hooks, self.hooks]

    def __exit__(self, *exc: object) -> None:
        state.saved_hooks = state.saved_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """Saved tensors are on the CPU already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda x: x, lambda x: x)


class GradientEdge(tuple):  # type: ignore[type-arg]
    """(node, output number) of a tensor."""

    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of a tensor arrives."""
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(edge)
