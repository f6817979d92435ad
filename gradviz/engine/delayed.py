"""Nodes that compute nothing: one whose backward is an error, and one that sends no gradient on. `once_differentiable`
puts the first where a gradient can't be differentiated again; see `function.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.graph import Node, edge_of, next_sequence
from gradviz.engine.tensor import Tensor, wrap


class ErrorNode(Node):
    """Stands where a gradient can't be differentiated again; running it raises."""

    class_name = "Error"

    def __init__(self, message: str = "") -> None:
        self.message = message

    def name(self) -> str:
        return "torch::autograd::Error"

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        raise RuntimeError(self.message)


class UndefinedNode(Node):
    """Sends no gradient on, whatever arrives."""

    class_name = "UndefinedGradBackward"

    def name(self) -> str:
        return "torch::autograd::UndefinedGradBackward"

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        return [None] * len(self.next)


ErrorNode.__name__, UndefinedNode.__name__ = ErrorNode.class_name, UndefinedNode.class_name


def passed_through(node: Node, inputs: Sequence[Any]) -> Any:
    """The inputs as outputs of `node`, where one of them requires grad."""
    made = [wrap(each._data) if isinstance(each, Tensor) else each for each in inputs]
    if any(isinstance(each, Tensor) and each._requires_grad for each in inputs):
        node.sequence_nr = next_sequence()
        node.next = tuple(edge_of(each) if isinstance(each, Tensor) else None for each in inputs)
        node.metas = [
            (each._data.shape, each._data.dtype) if isinstance(each, Tensor) else ((), np.dtype(np.float32))
            for each in inputs
        ]
        for nr, each in enumerate(made):
            if isinstance(each, Tensor):
                each._node, each._output_nr, each._requires_grad = node, nr, True
    return made[0] if len(made) == 1 else tuple(made)


def delayed_error(message: str, outputs: int) -> Callable[..., Any]:
    """A function that gives its inputs back, with an error as their gradient."""
    return lambda *inputs: passed_through(ErrorNode(message), inputs)


def undefined_grad() -> Callable[..., Any]:
    """A function that gives its inputs back, with no gradient behind them."""
    return lambda *inputs: passed_through(UndefinedNode(), inputs)
