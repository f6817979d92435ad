"""Tensors that carry tangents, for forward differentiation: who holds them, at which level, in which memory. Levels are
opened in `layers.py`; how an operation finds the tangents of its results is in `pushforward.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradviz.engine import layers
from gradviz.engine.apply import call
from gradviz.engine.batched import BatchedArray, levels_of, spread
from gradviz.engine.formula import rule
from gradviz.engine.graph import Node
from gradviz.engine.inplace import geometry, memory_order
from gradviz.engine.rows import OpRow
from gradviz.engine.saved import Saved
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, wrap

Array = np.ndarray[Any, Any]
Tangents = dict[int, Tensor]  # by the position of the operand
Held = dict[int, Tensor | None]  # by level; None hides what a view would find in its base


class Switch:
    """Whether tangents are pushed forward."""

    enabled = True


@contextmanager
def pushing() -> Iterator[None]:
    """Tangents are pushed forward inside, whatever was asked outside."""
    before, Switch.enabled = Switch.enabled, True
    try:
        yield
    finally:
        Switch.enabled = before


def tangent_of(tensor: Tensor, number: int) -> Tensor | None:
    """The tangent of one level, None where it has none."""
    known = held(tensor)
    return None if known is None else known.get(number)


def set_tangent(tensor: Tensor, number: int, tangent: Tensor) -> None:
    """Give a tensor its tangent of one level."""
    tensor._tangents = {**(tensor._tangents or {}), number: tangent}


def held(tensor: Tensor) -> Held | None:
    """The tangents of a tensor; a view of what became dual later finds them in its base."""
    base = tensor._base
    if base is not None and base._tangents:
        for number, tangent in base._tangents.items():
            if tangent is not None and number in layers.duals and number not in (tensor._tangents or ()):
                _share_with_base(tensor, number)
    return tensor._tangents


def innermost(tensors: Sequence[Tensor | None]) -> int | None:
    """The youngest open level that any of these has a tangent of."""
    known = [held(each) for each in tensors if each is not None]
    found = [n for each in known if each for n, t in each.items() if t is not None and n in layers.duals]
    return max(found) if found and Switch.enabled and not state.inference else None


@contextmanager
def without(tensors: Sequence[Tensor | None], number: int) -> Iterator[Tangents]:
    """While this is open, the tensors lack their tangents of a level; gives these tangents by position."""
    known = [(i, t, t._tangents) for i, t in enumerate(tensors) if t is not None and t._tangents]
    taken = {i: one for i, _, kept in known if (one := kept.get(number)) is not None}
    for _, tensor, kept in known:
        tensor._tangents = {**kept, number: None}
    try:
        yield taken
    finally:
        for _, tensor, kept in known:
            tensor._tangents = kept


class DualSaved(Saved):
    """A saved result with the tangents that it had."""

    __slots__ = ("tangents",)

    def __init__(self, one: Saved, tangents: Held | None) -> None:
        self.counter, self.version, self.data, self.index, self.tensor = (
            one.counter,
            one.version,
            one.data,
            one.index,
            one.tensor,
        )
        self.tangents = tangents

    def value(self, node: Node) -> Tensor:
        found = super().value(node)
        found._tangents = self.tangents
        return found


def keep_with_saved(outputs: Sequence[Tensor]) -> None:
    """Results that a node saved are held without their tensor; the tangents, found later, have to be kept too."""
    node = outputs[0]._node
    if node is None or node.saved is None:
        return
    for at, one in enumerate(node.saved):
        if type(one) in (Saved, DualSaved) and one is not None and one.tensor is None and one.index < len(outputs):
            node.saved[at] = DualSaved(one, outputs[one.index]._tangents)


# --- what PyTorch offers ---


def make_dual(tensor: Tensor, tangent: Tensor, number: int) -> Tensor:
    """The tensor under another name, with a tangent."""
    if tangent_of(tensor, number) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if tangent_of(tangent, number) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    check_size(tensor, tangent)
    made: Tensor = tensor.view_as(tensor)
    set_tangent(made, number, laid_out(tangent, tensor))
    return made


def laid_out(tangent: Tensor, like: Tensor) -> Tensor:
    """The tangent, in memory as its tensor is: views of both go by their memory. Copied where it lies otherwise."""
    data: Any = like._data
    if tangent._data.strides == data.strides or data.ndim == 0 or data.size < 2:
        return tangent
    order = memory_order(data)
    if order is None:
        return tangent if tangent._data.flags.c_contiguous else tangent.contiguous()
    back = [order.index(dim) for dim in range(len(order))]
    found: Tensor = tangent.permute(order).contiguous().permute(back)
    return found


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """A tangent has the shape of its tensor."""
    if tangent._data.shape != tensor._data.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def unpack_dual(tensor: Tensor, number: int) -> tuple[Tensor, Tensor | None]:
    """The tensor without its tangent of a level, and that tangent."""
    tangent = tangent_of(tensor, number)
    if tangent is None:
        return tensor, None
    with without([tensor], number):
        primal = call(PRIMAL, tensor)
    primal._tangents = {**(primal._tangents or {}), number: None}
    return primal, tangent


PRIMAL = OpRow(
    name="_fw_primal",
    inputs=("self",),
    forward=lambda x: x[...],
    gradients={"self": rule("grad")},
    node_name="Identity",
    category="shape",
    symbol="primal",
    brief="A dual tensor without its tangent.",
    view=True,
)


# --- writing in place ---


def assign(target: Tensor, number: int, tangent: Tensor) -> None:
    """The tangent of a tensor that was written to: into the memory of the former one, which views share."""
    base, known = target._base, levels_of(tangent._data)
    if base is not None:
        former = tangent_of(base, number)
        if former is None or any(level not in levels_of(former._data) for level in known):
            set_tangent(base, number, _with_room(base, former, known))
            target._tangents = {n: each for n, each in (target._tangents or {}).items() if n != number}
            _share_with_base(target, number)
    held = tangent_of(target, number)
    if held is None or any(level not in levels_of(held._data) for level in known):
        set_tangent(target, number, laid_out(tangent, target))
        return
    for each in (held, held._base):  # the tangent is written to as its tensor is, captured or not
        if each is not None:
            each._wraps = layers.tracking()
    held.copy_(tangent)


def _with_room(base: Tensor, former: Tensor | None, known: dict[int, int]) -> Tensor:
    """The tangent of a base, zeros if it has none, with memory for the examples of all levels."""
    data: Any = np.zeros_like(base._data) if former is None else former._data
    known = {**levels_of(data), **known}
    if known:
        levels = tuple(sorted(known))
        data = BatchedArray(spread(data, levels, [known[level] for level in levels]).copy(), levels)
    return wrap(data)


def _share_with_base(view: Tensor, number: int) -> None:
    """A view without tangent gets the view of its base's."""
    base = view._base
    whole = None if base is None else tangent_of(base, number)
    assert base is not None and whole is not None
    size, stride, offset = geometry(view, base)
    if whole._data.strides == base._data.strides:
        set_tangent(view, number, whole.as_strided(size, stride, offset))
