"""What the loop checks of each gradient that a node returns: its shape (undoing broadcasting here, once), its
type, and in anomaly mode that it is no NaN. Used by `backward.py` only."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.graph import Node
from gradviz.engine.kernel.memory import as_leaf, is_as_leaf
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.apply import call

Array = np.ndarray[Any, Any]
_NO_STACK = "No forward pass information available. Enable detect anomaly during forward pass for more information."


def conform(grad: Tensor, shape: tuple[int, ...], dtype: np.dtype[Any] | None, node: Node, index: int) -> Tensor:
    """The gradient summed to the shape and cast to the type of the value that it belongs to, or PyTorch's refusal."""
    found = grad._data.shape
    if found != shape:
        if not _expandable(shape, found):
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - got {list(found)} "
                f"but expected shape compatible with {list(shape)}"
            )
        grad = sum_to(grad, shape)
    if dtype is not None and grad._data.dtype != dtype:
        target = dtypes.OF_NUMPY[dtype]
        if grad.dtype.is_complex and not target.is_complex:
            grad = grad.real
        if grad._data.dtype != dtype:
            grad = grad.to(target)
    return grad


def sum_to(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Sum over the dimensions along which `shape` was broadcast to the gradient's shape."""
    if not shape:
        total: Tensor = grad.sum()
        return total
    extra = grad._data.ndim - len(shape)
    dims = [*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and grad._data.shape[i + extra] != 1)]
    summed: Tensor = grad.sum(dims, keepdim=True)
    return summed.view(shape) if extra else summed


def _expandable(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    if len(shape) > len(wide):
        return False
    return all(n in (1, m) for n, m in zip(reversed(shape), reversed(wide), strict=False))


def check_layout(grad: Array, leaf: Array, line: int) -> None:
    """Warn of a `.grad` that does not lie in memory as its leaf does."""
    if grad.shape != leaf.shape or is_as_leaf(grad, leaf):
        return
    lies = [
        f"{name}.sizes() = {list(x.shape)}, strides() = {[step // x.itemsize for step in x.strides]}"
        for name, x in (("grad", grad), ("param", leaf))
    ]
    where = f"/__w/pytorch/pytorch/torch/csrc/autograd/functions/accumulate_grad.h:{line}"
    warn_once(
        f"layout {line}",
        "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance.\n"
        f"{lies[0]}\n{lies[1]} (Triggered internally at {where}.)",
        stacklevel=9,
    )


def copy_with_history(grad: Tensor, leaf: Array) -> Tensor:
    """What a leaf keeps as `.grad` under `create_graph`: a copy that is itself part of the graph."""
    copied = call(ROWS["_grad_copy"], None, grad)
    if not is_as_leaf(copied._data, leaf):
        copied._data = as_leaf(copied._data, leaf)
    return copied


def check_nan(node: Node, grads: Sequence[Tensor | None]) -> None:
    """Anomaly mode: refuse a gradient with a NaN and say which forward call made the node."""
    if not state.anomaly_nan:
        return
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(grad._data).any():
            warn_of_forward(node)
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def warn_of_forward(node: Node) -> None:
    """Anomaly mode's warnings: the stack of the forward call, and of those whose backward made this node."""
    name = node.name()
    if node.stack is None:
        _warn(f"Error detected in {name}. {_NO_STACK}", 100)
        return
    _warn(f"Error detected in {name}. Traceback of forward call that caused the error:\n{''.join(node.stack)}", None)
    parent = node.parent
    while parent is not None:
        induced = f"\n\nPrevious calculation was induced by {parent.name()}. "
        if parent.stack is None:
            _warn(induced + _NO_STACK, 100)
        else:
            words = "Traceback of forward call that induced the previous calculation:\n"
            _warn(f"{induced}{words}{''.join(parent.stack)}", None)
        parent = parent.parent


def _warn(message: str, line: int | None) -> None:
    """A warning; where warnings are errors it is printed, as the error of the pass must come through."""
    if line is not None:
        message += (
            f" (Triggered internally at /__w/pytorch/pytorch/torch/csrc/autograd/python_anomaly_mode.cpp:{line}.)"
        )
    try:
        warnings.warn(message, UserWarning, stacklevel=3)
    except UserWarning as error:
        print(f"UserWarning: {error}", file=sys.stderr)  # noqa: T201
