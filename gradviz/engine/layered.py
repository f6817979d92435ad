"""The longer way of an operation while a function transform is open: tangents are pushed forward (`dual.py`), data of
`vmap` runs for all examples (`batching.py`), and what is made remembers which transforms wrap it. `apply.py` comes
here, and comes back for the operation itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine import batching, dual, layers
from gradviz.engine.batched import BatchedArray, levels_of, spread
from gradviz.engine.rows import OpRow
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor

Array = np.ndarray[Any, Any]


def apply(
    row: OpRow, tensors: Sequence[Tensor | None], arrays: Sequence[Array | None], params: Mapping[str, Any]
) -> Any:
    """Run a row on tensors that may be dual or batched."""
    number = dual.innermost(tensors)
    if number is None:
        return _marked(_plain(row, tensors, arrays, params))
    with dual.without(tensors, number) as tangents:
        made = apply(row, tensors, arrays, params)
        outputs = [made] if row.single else list(made)
        if row.view:
            pushed = _view_tangents(row, tangents, params)
        else:
            pushed = dual.push(row, tensors, outputs, tangents, params)
            pushed = [_own(each, tangents) for each in pushed]
    for output, tangent in zip(outputs, pushed, strict=False):
        if tangent is not None:
            dual.set_tangent(output, number, tangent)
    dual.keep_with_saved(outputs)
    return made


def write(
    target: Tensor,
    row: OpRow,
    tensors: Sequence[Tensor | None],
    arrays: Sequence[Array | None],
    params: Mapping[str, Any],
) -> Tensor:
    """Run a row whose first operand is `target`, and put the result and its tangent where `target` is."""
    from gradviz.engine.inplace import as_it_was
    from gradviz.engine.inplace import write as run

    number = dual.innermost(tensors)
    if number is None:
        return run(target, row, expanded(row, tensors), arrays, params, batching.forward)
    with dual.without(tensors, number) as tangents:
        operands = [as_it_was(t) if t is not None and _shares(t, target) else t for t in tensors]
        write(target, row, tensors, arrays, params)
        pushed = dual.push(row, operands, (target,), tangents, params)[0]
    if pushed is not None:
        own = _own(pushed, tangents)
        assert own is not None
        dual.assign(target, number, own)
    return target


def _shares(operand: Tensor, target: Tensor) -> bool:
    counter = target._version_counter
    return operand is target or (counter is not None and operand._version_counter is counter)


def _own(tangent: Tensor | None, given: dual.Tangents) -> Tensor | None:
    """A tangent in memory of its own, as the result is that it belongs to: both may be written to."""
    if tangent is None or not any(np.may_share_memory(tangent._data, each._data) for each in given.values()):
        return tangent
    return tangent.clone()


def _view_tangents(row: OpRow, tangents: dual.Tangents, params: Mapping[str, Any]) -> list[Tensor | None]:
    """A view has the same view of the tangent, so that a write to the one is a write to the other."""
    if 0 not in tangents:
        return []
    made = apply(row, (tangents[0],), (tangents[0]._data,), params)
    return [made] if row.single else list(made)


def _plain(
    row: OpRow, tensors: Sequence[Tensor | None], arrays: Sequence[Array | None], params: Mapping[str, Any]
) -> Any:
    from gradviz.engine.apply import apply as run

    return run(row, expanded(row, tensors), arrays, params, batching.forward)


def expanded(row: OpRow, tensors: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
    """Where a batched operand meets a tracked one that is the same for all examples, the gradient of the latter has
    to be summed over them: an operation that repeats it does so."""
    known = levels_of([None if t is None else t._data for t in tensors])
    if not known or not state.grad or not (row.gradients or row.joint):
        return tensors
    return [t if t is None or not t._requires_grad else repeat(t, known) for t in tensors]


def repeat(tensor: Tensor, known: Mapping[int, int]) -> Tensor:
    """The tensor with all of the levels; its gradient is summed over those that it lacked."""
    from gradviz.engine.apply import apply as run

    own = tuple(levels_of(tensor._data))
    if all(level in own for level in known):
        return tensor
    made: Tensor = run(REPEAT, (tensor,), (tensor._data,), {"known": dict(known), "keep": own}, batching.direct)
    return made


def _marked(made: Any) -> Any:
    """What is made while layers differentiate is wrapped by each of them."""
    wraps = layers.tracking()
    if wraps:
        for each in made if isinstance(made, (tuple, list)) else (made,):
            each._wraps = wraps
    return made


# --- between a tensor of all examples and a batched one ---


def _repeated(x: Any, *, known: Mapping[int, int], keep: tuple[int, ...]) -> Any:
    own = levels_of(x)
    every = dict(sorted({**own, **known}.items()))
    return BatchedArray(spread(x, tuple(every), tuple(every.values())), tuple(every))


def _summed(grad: Tensor, keep: tuple[int, ...]) -> Tensor:
    from gradviz.engine.apply import apply as run

    known = levels_of(grad._data)
    made: Tensor = run(SUM, (grad,), (grad._data,), {"keep": keep, "known": known}, batching.direct)
    return made


def _sum_levels(x: Any, *, keep: tuple[int, ...], known: Mapping[int, int]) -> Any:
    if not isinstance(x, BatchedArray):
        return x
    extra = tuple(i for i, level in enumerate(x.levels) if level not in keep)
    total = x.phys.sum(axis=extra, dtype=x.dtype) if extra else x.phys
    rest = tuple(level for level in x.levels if level in keep)
    return BatchedArray(total, rest) if rest else total


def _added(x: Any, *, level: int, dim: int) -> BatchedArray:
    """One dimension of every example as the examples of a level."""
    known = x.levels if isinstance(x, BatchedArray) else ()
    phys = x.phys if isinstance(x, BatchedArray) else x
    at = sum(each < level for each in known)
    levels = (*known[:at], level, *known[at:])
    return BatchedArray(np.moveaxis(phys, len(known) + dim, at), levels, dim)


def removed(x: Any, *, level: int, dim: int, size: int) -> Any:
    """The examples of a level as a dimension."""
    at = x.levels.index(level)
    levels = tuple(each for each in x.levels if each != level)
    phys = np.moveaxis(x.phys, at, len(levels) + dim)
    return BatchedArray(phys, levels) if levels else phys


def _row(name: str, forward: Any, formula: Any) -> OpRow:
    return OpRow(
        name=name, inputs=("self",), forward=forward, gradients={"self": formula}, node_name=f"{name}Backward0",
        category="shape", symbol="vmap", brief="Between examples and a dimension.",
    )  # fmt: skip


REPEAT = _row("BatchRepeat", _repeated, _summed)
SUM = _row("BatchSum", _sum_levels, lambda grad, known: repeat(grad, known))
ADD = _row("AddBatchDim", _added, lambda grad, level, dim, self_shape: remove(grad, level, dim, self_shape[dim]))
REMOVE = _row("RemoveBatchDim", removed, lambda grad, level, dim: add(grad, level, dim))


def add(tensor: Tensor, level: int, dim: int) -> Tensor:
    """A tensor whose dimension `dim` is mapped over: a batched one."""
    return _between(ADD, tensor, {"level": level, "dim": dim})


def remove(tensor: Tensor, level: int, dim: int, size: int) -> Tensor:
    """A batched tensor with its examples as dimension `dim`."""
    if level not in levels_of(tensor._data):
        tangents, tensor = tensor._tangents, repeat(tensor, {level: size})
        tensor._tangents = tangents
    return _between(REMOVE, tensor, {"level": level, "dim": dim, "size": size})


def _between(row: OpRow, tensor: Tensor, params: Mapping[str, Any]) -> Tensor:
    from gradviz.engine.apply import apply as run

    made: Tensor = run(row, (tensor,), (tensor._data,), params, batching.direct)
    if made._node is not None:
        layers.keep_looking()
    made._version_counter = tensor._share_version()
    for number, tangent in (tensor._tangents or {}).items():
        if number in layers.duals and tangent is not None:
            dual.set_tangent(made, number, _between(row, tangent, params))
    return made
