"""The text of tensors inside function transforms: `GradTrackingTensor(lvl=1, value=…)`, `BatchedTensor(…)` and the
tangent of a dual tensor. Called by `convert.py` when there is any such thing."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from gradviz.engine import dtypes, layers, printing
from gradviz.engine.batched import BatchedArray, removed
from gradviz.engine.dual import held
from gradviz.engine.tensor import Tensor, wrap


def wrappers(tensor: Tensor) -> list[tuple[int, str, int]]:
    """(number, kind, mapped dimension) of each open layer that wraps the tensor, innermost first."""
    data: Any = tensor._data
    found = [(number, "grad", 0) for number in tensor._wraps]
    if isinstance(data, BatchedArray):
        found += [(n, "vmap", data.place if n == data.levels[-1] else 0) for n in data.levels]
    return sorted((each for each in found if layers.depth_of(each[0]) is not None), reverse=True)


def unwrapped(tensor: Tensor, recurse: bool = True) -> Tensor:
    """What is inside of the wrappers, or of the outermost one."""
    data: Any = tensor._data
    found = wrappers(tensor)
    kept = () if recurse else tuple(number for number, _, _ in found[1:])
    if isinstance(data, BatchedArray):
        data = _all_examples(data) if not kept else _less(data, found[0][0]) if found else data
    made = wrap(data)
    made._wraps = tuple(number for number in tensor._wraps if number in kept)
    return made


def _less(data: BatchedArray, number: int) -> Any:
    if number not in data.levels:
        return data
    return removed(data, level=number, dim=0, size=0)


def _all_examples(data: Any) -> Any:
    """One array with the mapped dimension where it lay."""
    if not isinstance(data, BatchedArray):
        return data
    last = len(data.levels) - 1
    return np.moveaxis(data.phys, last, last + data.place)


def text_of(tensor: Tensor) -> str | None:
    """The text, None when nothing is special about the tensor."""
    around = wrappers(tensor)
    tangent = next((t for n, t in (held(tensor) or {}).items() if t is not None and n in layers.duals), None)
    data: Any = tensor._data
    if not around and not isinstance(data, BatchedArray):
        return None if tangent is None else _plain(tensor, data, tangent)
    text = _plain(tensor, _all_examples(data), None, not any(kind == "grad" for _, kind, _ in around))
    for number, kind, place in reversed(around):
        depth = layers.depth_of(number)
        inner = textwrap.indent(text, "    ")
        head = f"BatchedTensor(lvl={depth}, bdim={place}" if kind == "vmap" else f"GradTrackingTensor(lvl={depth}"
        text = f"{head}, value=\n{inner}\n)"
    return text


def _plain(tensor: Tensor, data: Any, tangent: Tensor | None, history: bool = True) -> str:
    node = tensor.grad_fn if history else None
    if node is not None and node.class_name == "AddBatchDimBackward0":
        edge = node.next[0]
        node = None if edge is None else edge[0]
    suffixes = printing.data_suffixes(data, dtypes.get_default_dtype().np)
    if node is not None and node.class_name != "AccumulateGrad":
        suffixes.append(f"grad_fn=<{node.class_name}>")
    elif history and tensor._requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    return printing.format_tensor(data, suffixes=suffixes)


def tracks(tensor: Tensor) -> bool:
    """Whether the outermost transform that wraps a tracked tensor is one that differentiates backwards: another hides
    what is tracked inside."""
    around = wrappers(tensor)
    return not around or any(each.number == around[0][0] and each.kind == "grad" for each in layers.stack)
