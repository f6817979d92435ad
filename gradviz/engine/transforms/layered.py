"""The path of an operation while a function transform is open: tangents are pushed forward (`forward_mode.py`), data of
`vmap` runs for all examples (`batching.py`), and results remember which transforms wrap them, as their text says:
`GradTrackingTensor(lvl=1, value=…)`, `BatchedTensor(…)`. `apply.py` calls this, and this calls it back for the
operation itself."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes, layers, printing
from gradviz.engine.kernel.batched import BatchedArray, levels_of, no_room, removed, spread
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.graph import Node, renamed, show_as
from gradviz.engine.kernel.messages import NO_NUMBERS
from gradviz.engine.kernel.rows import OpRow
from gradviz.engine.kernel.state import paused, renaming, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run import inplace
from gradviz.engine.run.apply import apply as run_row
from gradviz.engine.transforms import batching, forward_mode
from gradviz.engine.transforms.forward_mode import held, push


def apply(
    row: OpRow, tensors: Sequence[Tensor | None], arrays: Sequence[Array | None], params: Mapping[str, object]
) -> Any:
    """Run a row on tensors that may be dual, batched or without numbers."""
    if any(t is not None and t._on_meta for t in tensors):
        _check_places(tensors)
    return _apply(row, tensors, arrays, params)


def _check_places(tensors: Sequence[Tensor | None]) -> None:
    """Refuse operands with and without numbers, but single numbers, and the gradients that a backward pass makes."""
    given = [t for t in tensors if t is not None and t._data.ndim]
    first = max(given, key=lambda t: t._data.ndim, default=None)  # the input of a layer, not its bias
    other = next((t for t in given if first is not None and t._on_meta != first._on_meta), None)
    if other is not None and first is not None and state.running is None:
        places = [t.device.type for t in (other, first)]  # type: ignore[attr-defined]
        raise RuntimeError("Tensor on device {} is not on the expected device {}!".format(*places))


def _apply(
    row: OpRow, tensors: Sequence[Tensor | None], arrays: Sequence[Array | None], params: Mapping[str, object]
) -> Any:
    number = forward_mode.innermost(tensors)
    if number is None:
        made = _marked(_plain(row, tensors, arrays, params))
        if row.view:
            _hide(tensors[0], made)
        return made
    with forward_mode.without(tensors, number) as tangents:
        made = _apply(row, tensors, arrays, params)
        outputs = [made] if row.single else list(made)
        with paused():
            if row.view:
                pushed = _view_tangents(row, tangents, params)
            else:
                pushed = push(row, tensors, outputs, tangents, params)
                pushed = [
                    None if each is None else forward_mode.laid_out(each, output)
                    for each, output in zip((_own(one, tangents) for one in pushed), outputs, strict=False)
                ]
    for output, tangent in zip(outputs, pushed, strict=False):
        if tangent is not None:
            forward_mode.set_tangent(output, number, tangent)
    forward_mode.keep_with_saved(outputs)
    return made


def write(
    target: Tensor,
    row: OpRow,
    tensors: Sequence[Tensor | None],
    arrays: Sequence[Array | None],
    params: Mapping[str, object],
) -> Tensor:
    """Run a row whose first operand is `target`, and write the result and its tangent to `target`."""
    if not target._on_meta and any(t is not None and t._on_meta for t in tensors):
        if row.name == "copy":
            raise NotImplementedError(NO_NUMBERS)
        _check_places(tensors)
    _check_captured(target, row, tensors)
    number = forward_mode.innermost(tensors)
    if number is None:
        _check_room(target, row, tensors)
        return inplace.write(target, row, expanded(row, tensors), arrays, params, batching.forward)
    with forward_mode.without(tensors, number) as tangents:
        operands = [inplace.as_it_was(t) if t is not None and _shares(t, target) else t for t in tensors]
        write(target, row, tensors, arrays, params)
        with paused():
            pushed = _own(push(row, operands, (target,), tangents, params)[0], tangents)
    if pushed is not None:
        with paused():
            forward_mode.assign(target, number, pushed)
    return target


def _check_captured(target: Tensor, row: OpRow, tensors: Sequence[Tensor | None]) -> None:
    """Refuse to write, within a layer that differentiates, to a tensor from before it."""
    source = target if target._base is None else target._base
    if all(number in source._wraps for number in layers.tracking()):
        return
    kind = ".Tensor" if "other" in row.inputs else ""
    if row.name == "fill":
        kind = ".Scalar"
    raise RuntimeError(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
        f"(aten::{row.name}_{kind}) that would mutate a captured Tensor. This is not supported; please rewrite the "
        "function being transformed to explicitly accept the mutated Tensor(s) as inputs."
    )


def check_running(input: Tensor, running: Sequence[Tensor | None]) -> None:
    """Refuse running statistics that all examples share: they can't follow each of them."""
    known = levels_of(input._data)
    if any(level not in levels_of(each._data) for each in running if each is not None for level in known):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched.\nIf you are using a module and do not need eval mode, please set "
            "`track_running_stats` to be False.If you are using a prebuilt module and do not need eval mode, please "
            "see the functorch website for resources on how to patch your module to work with vmap"
        )


def _check_room(target: Tensor, row: OpRow, tensors: Sequence[Tensor | None]) -> None:
    """Refuse to write different results into a tensor that all examples share."""
    own = levels_of(target._data)
    known = levels_of([None if t is None else t._data for t in tensors])
    if any(level not in own for level in known):
        shape = list(target.shape)
        if row.name in ("add", "sub"):
            whole = [*(n for level, n in known.items() if level not in own), *shape]
            raise RuntimeError(f"output with shape {shape} doesn't match the broadcast shape {whole}")
        raise no_room("fill_" if row.name == "fill" else "inplace arithmetic")


def _shares(operand: Tensor, target: Tensor) -> bool:
    counter = target._version_counter
    return operand is target or (counter is not None and operand._version_counter is counter)


def _hide(source: Tensor | None, made: object) -> None:
    """Hide from views what is hidden from their tensor; they would look for it in the base."""
    hidden = {} if source is None else {n: None for n, t in (source._tangents or {}).items() if t is None}
    if source is not None and (hidden or source._dual_base is not False):
        for each in made if isinstance(made, (tuple, list)) else (made,):
            each._tangents = dict(hidden)
            forward_mode.inherit_base(source, each)


def _own(tangent: Tensor | None, given: forward_mode.Tangents) -> Tensor | None:
    """A tangent in new memory, like the result that it belongs to: both may be written to."""
    if tangent is None or not any(np.may_share_memory(tangent._data, each._data) for each in given.values()):
        return tangent
    return tangent.clone()


def _view_tangents(row: OpRow, tangents: forward_mode.Tangents, params: Mapping[str, object]) -> list[Tensor | None]:
    """Give a view the same view of the tangent, so that writes to one also write to the other."""
    if 0 not in tangents:
        return []
    made = apply(row, (tangents[0],), (tangents[0]._data,), params)
    return [made] if row.single else list(made)


def _plain(
    row: OpRow, tensors: Sequence[Tensor | None], arrays: Sequence[Array | None], params: Mapping[str, object]
) -> Any:
    return run_row(row, expanded(row, tensors), arrays, params, batching.forward)


def expanded(row: OpRow, tensors: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
    """If a batched operand meets a tracked one that is the same for all examples, the gradient of the latter has to be
    summed over them: an operation that repeats it does so."""
    if not state.grad or not (row.gradients or row.joint):
        return tensors
    known = levels_of([None if t is None else t._data for t in tensors])
    maps = layers.maps()
    if not known and not maps:
        return tensors
    inner = max(layers.tracking(), default=0)
    for each in maps:
        if each.number < inner:
            known[each.number] = each.size
    return [t if t is None or not t._requires_grad else repeat(t, known) for t in tensors]


def repeat(tensor: Tensor, known: Mapping[int, int]) -> Tensor:
    """Repeat the tensor for the examples of these levels: its gradient is summed over those of the levels that it lacks
    and that were opened after it was made. (A tensor made within a layer inside a vmap has a gradient for each example
    of that vmap.)"""
    own, born = tuple(levels_of(tensor._data)), max(tensor._wraps, default=0)
    lacking = {level: size for level, size in known.items() if level not in own and level > born}
    if not lacking:
        return tensor
    made = _for_all(tensor, lacking)
    made._wraps = layers.tracking()
    return made


def _for_all(tensor: Tensor, known: Mapping[int, int]) -> Tensor:
    """The tensor repeated for each example; the gradients of all of them are summed."""
    made: Tensor = run_row(REPEAT, (tensor,), (tensor._data,), {"known": known}, batching.direct)
    if made._node is not None:
        made._node.stands_aside = True
    made._tangents = tensor._tangents
    return made


def _marked(made: object) -> object:
    """Results made while layers differentiate are wrapped by each of them."""
    wraps = layers.tracking()
    if wraps:
        for each in made if isinstance(made, (tuple, list)) else (made,):
            each._wraps = wraps
    return made


# --- between a tensor of all examples and a batched one ---


def _repeated(x: Array, *, known: Mapping[int, int]) -> BatchedArray:
    own = levels_of(x)
    every = dict(sorted({**own, **known}.items()))
    return BatchedArray(spread(x, tuple(every), tuple(every.values())), tuple(every))


def _summed(grad: Tensor, known: Mapping[int, int]) -> Tensor:
    made: Tensor = run_row(SUM, (grad,), (grad._data,), {"known": known}, batching.direct)
    return made


def _sum_levels(x: object, *, known: Mapping[int, int]) -> Any:
    if not isinstance(x, BatchedArray):
        return x
    extra = tuple(i for i, level in enumerate(x.levels) if level in known)
    total = x.phys.sum(axis=extra, dtype=x.dtype) if extra else x.phys
    rest = tuple(level for level in x.levels if level not in known)
    return BatchedArray(total, rest) if rest else total


def _added(x: Any, *, level: int, dim: int) -> BatchedArray:
    """Turn one dimension of every example into the examples of a level."""
    known = x.levels if isinstance(x, BatchedArray) else ()
    phys = x.phys if isinstance(x, BatchedArray) else x
    at = sum(each < level for each in known)
    levels = (*known[:at], level, *known[at:])
    return BatchedArray(np.moveaxis(phys, len(known) + dim, at), levels, dim)


def _row(name: str, forward: Any, gradient: Any, brief: str, derivative: str) -> OpRow:
    return OpRow(
        name=name, inputs=("self",), forward=forward, node_name=f"{name}Backward0",
        gradients={"self": sentence(derivative, gradient)}, category="shape", symbol="vmap", brief=brief,
    )  # fmt: skip


REPEAT = _row("BatchRepeat", _repeated, _summed, "The same for every example.", "grad, summed over the examples")
SUM = _row(
    "BatchSum", _sum_levels, lambda grad, known: _for_all(grad, known),
    "The sum over the examples.", "grad, the same for every example",
)  # fmt: skip
ADD = _row(
    "AddBatchDim", _added, lambda grad, level, dim, self_shape: remove(grad, level, dim, self_shape[dim]),
    "A dimension taken apart into examples.", "grad of all examples",
)  # fmt: skip
REMOVE = _row(
    "RemoveBatchDim", removed, lambda grad, level, dim: add(grad, level, dim),
    "The results of all examples put together.", "grad of each example",
)  # fmt: skip


def add(tensor: Tensor, level: int, dim: int) -> Tensor:
    """A batched tensor from one whose dimension `dim` is mapped over."""
    made = _between(ADD, tensor, {"level": level, "dim": dim})
    made._all_examples = (tensor, level, dim, made._node)
    return made


def remove(tensor: Tensor, level: int, dim: int, size: int) -> Tensor:
    """A batched tensor with its examples as dimension `dim`."""
    whole = tensor._all_examples
    if whole is not None and whole[1:3] == (level, dim) and whole[3] is tensor._node:
        return whole[0]
    if level not in levels_of(tensor._data):
        tensor = _for_all(tensor, {level: size})
    return _between(REMOVE, tensor, {"level": level, "dim": dim, "size": size})


# Operations that PyTorch runs on all examples instead of one on each.
_FOR_ALL = {
    **{f"{name}Backward0": f"{name}Backward1" for name in ("Sum", "Mean", "Prod")},
    "AddmmBackward0": "AddBackward0", "BatchRepeatBackward0": "ExpandBackward0", "MaxBackward1": "MaxBackward0",
    "MinBackward1": "MinBackward0", "SqueezeBackward4": "SqueezeBackward5", "TBackward0": "TransposeBackward0",
}  # fmt: skip


def _name_as_inside(node: Node, row: OpRow, tensor: Tensor, params: Mapping[str, object]) -> None:
    """In PyTorch an operation inside a vmap is one on all examples, whose node is the history of the result: the node
    that restores the dimension of the examples stands for it, unless it moves the dimension."""
    if row is ADD:
        node.stands_aside = not params["dim"]
        if params["dim"]:
            show_as(node, renamed(node._kind, "PermuteBackward0"))
    inside = tensor.grad_fn
    if row is REMOVE and inside is not None:
        name = _FOR_ALL.get(inside.class_name, inside.class_name)
        moved = params["dim"] != 0 or name == "AddBatchDimBackward0"
        show_as(node, renamed(node._kind, "PermuteBackward0" if moved else name))
        node.stands_outside = not moved


@renaming
def _between(row: OpRow, tensor: Tensor, params: Mapping[str, object]) -> Tensor:
    made: Tensor = run_row(row, (tensor,), (tensor._data,), params, batching.direct)
    if row is ADD:
        made._inference = False
    if made._node is not None:
        layers.keep_looking()
        _name_as_inside(made._node, row, tensor, params)
    made._version_counter, made._wraps = tensor._share_version(), tensor._wraps
    for number, tangent in (tensor._tangents or {}).items():
        if number in layers.duals and tangent is not None:
            forward_mode.set_tangent(made, number, _between(row, tangent, params))
    return made


# --- the text of tensors inside of transforms ---


def wrappers(tensor: Tensor) -> list[tuple[int, str, int]]:
    """(number, kind, mapped dimension) of each open layer that wraps the tensor, innermost first."""
    data: object = tensor._data
    found = [(number, "grad", 0) for number in tensor._wraps]
    if isinstance(data, BatchedArray):
        found += [(n, "vmap", data.place if n == data.levels[-1] else 0) for n in data.levels]
    return sorted((each for each in found if layers.depth_of(each[0]) is not None), reverse=True)


def unwrapped(tensor: Tensor, recurse: bool = True) -> Tensor:
    """The tensor inside all wrappers, or inside the outermost one."""
    data: Array = tensor._data
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


def _all_examples(data: object) -> object:
    """One array with the mapped dimension back in its place."""
    if not isinstance(data, BatchedArray):
        return data
    last = len(data.levels) - 1
    return np.moveaxis(data.phys, last, last + data.place)


def text_of(tensor: Tensor) -> str | None:
    """The text; None if the tensor needs no special text."""
    around = wrappers(tensor)
    tangent = next((t for n, t in (held(tensor) or {}).items() if t is not None and n in layers.duals), None)
    data: object = tensor._data
    if not around and not isinstance(data, BatchedArray):
        return None if tangent is None else _plain_text(tensor, data, tangent)
    text = _plain_text(tensor, _all_examples(data), None, not any(kind == "grad" for _, kind, _ in around))
    for number, kind, place in reversed(around):
        depth = layers.depth_of(number)
        inner = textwrap.indent(text, "    ")
        head = f"BatchedTensor(lvl={depth}, bdim={place}" if kind == "vmap" else f"GradTrackingTensor(lvl={depth}"
        text = f"{head}, value=\n{inner}\n)"
    return text


def _plain_text(tensor: Tensor, data: Any, tangent: Tensor | None, history: bool = True) -> str:
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
    """Whether the outermost transform that wraps a tracked tensor differentiates backwards: any other one hides what is
    tracked inside."""
    around = wrappers(tensor)
    return not around or any(each.number == around[0][0] and each.kind == "grad" for each in layers.stack)


layers.transforms = sys.modules[__name__]
Tensor._is_tracked_here = tracks  # type: ignore[method-assign,assignment]
