"""Forward differentiation: which tensors hold tangents, at which level, in which memory; and how an operation pushes
forward, computing the tangents of its results from those of its operands. The rows have no formula for it: the gradient
formulas of a row are linear in the incoming gradient, so the tangent is their own derivative with respect to that
gradient, applied to the tangents. Levels are opened in `layers.py`; `layered.py` calls this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradviz.engine.kernel import layers
from gradviz.engine.kernel.batched import BatchedArray, levels_of, spread
from gradviz.engine.kernel.formula import rule
from gradviz.engine.kernel.graph import Node, bare, edge_of
from gradviz.engine.kernel.memory import memory_of, memory_order, repeated, start_of, strided
from gradviz.engine.kernel.rows import OpRow
from gradviz.engine.kernel.saved import Saved, keep
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor, only_tensor, twin, wrap
from gradviz.engine.run.apply import apply, as_views, call
from gradviz.engine.run.autograd import grad
from gradviz.engine.run.backward import conform
from gradviz.engine.run.inplace import part_of

Operands = Sequence[Tensor | None]
Tangents = dict[int, Tensor]  # by the position of the operand
Held = dict[int, Tensor | None]  # by level; None hides what a view would find in its base


class Switch:
    """Whether tangents are pushed forward."""

    enabled = True


@contextmanager
def pushing() -> Iterator[None]:
    """Push tangents forward inside, whatever the setting outside."""
    before, Switch.enabled = Switch.enabled, True
    try:
        yield
    finally:
        Switch.enabled = before


def tangent_of(tensor: Tensor, number: int) -> Tensor | None:
    """The tangent at one level, None if there is none."""
    known = held(tensor)
    return None if known is None else known.get(number)


def set_tangent(tensor: Tensor, number: int, tangent: Tensor) -> None:
    """Set a tensor's tangent at one level."""
    tensor._tangents = {**(tensor._tangents or {}), number: tangent}


def dual_base(tensor: Tensor) -> Tensor | None:
    """The tensor whose tangents contain those of a view. The results of `make_dual` and `unpack_dual` share the memory
    of another tensor but have their own tangents, which their views share."""
    known = tensor._dual_base
    return tensor._base if known is False else None if known is True else known


def inherit_base(source: Tensor, view: Tensor) -> None:
    """Let a view of a tensor with its own tangents share them."""
    if source._dual_base is not False:
        view._dual_base = source if source._dual_base is True else source._dual_base


def held(tensor: Tensor) -> Held | None:
    """The tangents of a tensor; a view of a tensor that became dual later finds them in its base."""
    base = dual_base(tensor)
    if base is not None and base._tangents:
        for number, tangent in base._tangents.items():
            if tangent is not None and number in layers.duals and number not in (tensor._tangents or ()):
                _share_with_base(tensor, number)
    return tensor._tangents


def innermost(tensors: Sequence[Tensor | None]) -> int | None:
    """The innermost open level at which any of these has a tangent."""
    known = [held(each) for each in tensors if each is not None]
    found = [n for each in known if each for n, t in each.items() if t is not None and n in layers.duals]
    return max(found) if found and Switch.enabled and not state.inference else None


@contextmanager
def without(tensors: Sequence[Tensor | None], number: int) -> Iterator[Tangents]:
    """While this is open, the tensors lack their tangents at a level; yields these tangents by position."""
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
    """A saved result with its tangents."""

    __slots__ = ("tangents",)

    def __init__(self, one: Saved, tangents: Held | None) -> None:
        self.counter, self.version, self.data = one.counter, one.version, one.data
        self.index, self.tensor = one.index, one.tensor
        self.tangents = tangents

    def value(self, node: Node) -> Tensor:
        found = super().value(node)
        found._tangents = self.tangents
        return found


def keep_with_saved(outputs: Sequence[Tensor]) -> None:
    """Results that a node saved are held without their tensor; tangents that are found later have to be kept too."""
    node = outputs[0]._node
    if node is None or node.saved is None:
        return
    for at, one in enumerate(node.saved):
        if type(one) in (Saved, DualSaved) and one is not None and one.tensor is None and one.index < len(outputs):
            node.saved[at] = DualSaved(one, outputs[one.index]._tangents)


# --- PyTorch's API ---


def make_dual(tensor: Tensor, tangent: Tensor, number: int) -> Tensor:
    """The tensor under another name, with a tangent."""
    for name, each in (("primal", tensor), ("tangent", tangent)):
        if not (each.is_floating_point() or each.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {each.dtype}")
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
    made = only_tensor(tensor.view_as(tensor))
    made._dual_base = True
    set_tangent(made, number, laid_out(tangent, tensor))
    return made


def laid_out(tangent: Tensor, like: Tensor) -> Tensor:
    """The tangent laid out in memory like its tensor, because views of both depend on it. Copied if its layout or the
    size of its memory differs."""
    data: Any = like._data
    if tangent._lazy != like._lazy:
        tangent = tangent.clone()
    plain = type(data) is type(tangent._data) is np.ndarray
    if (
        plain
        and not layers.stack
        and data.size
        and data.dtype == tangent._data.dtype
        and not repeated(data.shape, data.strides)
    ):
        memory = memory_of(data)
        if memory.size != memory_of(tangent._data).size:
            whole = np.zeros(memory.size, np.uint8)
            made = wrap(strided(whole, data.dtype, data.shape, data.strides, start_of(data, memory)))
            made.copy_(tangent)
            return made
    if tangent._data.strides == data.strides or data.ndim == 0 or data.size < 2:
        return tangent
    order = memory_order(data)
    if order is None:
        return tangent if tangent._data.flags.c_contiguous else tangent.contiguous()
    back = [order.index(dim) for dim in range(len(order))]
    return tangent.permute(order).contiguous().permute(back)


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """Refuse a tangent that does not have the shape of its tensor."""
    if tangent._data.shape != tensor._data.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def unpack_dual(tensor: Tensor, number: int) -> tuple[Tensor, Tensor | None]:
    """The tensor without its tangent at a level, and that tangent."""
    tangent = tangent_of(tensor, number)
    if tangent is None:
        return tensor, None
    with without([tensor], number):
        primal = call(PRIMAL, tensor)
    primal._tangents, primal._dual_base = {**(primal._tangents or {}), number: None}, True
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
    """Set the tangent of a tensor that was written to: in the memory of the former tangent, which views share."""
    base, known = dual_base(target), levels_of(tangent._data)
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
    """Give a view without tangent the view of its base's."""
    base = dual_base(view)
    whole = None if base is None else tangent_of(base, number)
    assert base is not None and whole is not None
    if whole._data.strides == base._data.strides:
        set_tangent(view, number, part_of(whole, view, base))


# --- pushing tangents through an operation ---


def push(
    row: OpRow, tensors: Operands, outputs: Sequence[Tensor], tangents: Tangents, params: Mapping[str, object]
) -> list[Tensor | None]:
    """The tangents of the results of an operation, from those of its operands."""
    if row.key in _REFUSED:
        raise NotImplementedError(NO_TANGENT.format(_REFUSED[row.key] or row.key))
    nothing: list[Tensor | None] = [None] * len(outputs)
    places = range(len(tensors)) if row.variadic else row.differentiable
    mask = sum(1 << i for i in tangents if i in places)
    shown = outputs[: len(outputs) - row.hidden]
    # The formulas are linear, so any seeds do; but one takes logarithms of them, and those of decompositions refuse
    # gradients that depend on a phase.
    fill = np.zeros_like if row.category == "linear algebra" else np.ones_like
    seeds = [wrap(fill(each._data)) if each.dtype.rank >= 2 else None for each in shown]
    if not mask or all(each is None for each in seeds) or not (row.gradients or row.joint):
        return nothing
    if row.single and (row.key in _LINEAR or row.key == "mul"):
        with paused():
            way = _linearly if row.key in _LINEAR else _of_product
            found = way(row, tensors, outputs, tangents, params)
        if found is not None:
            return [found]
    kept = state.grad and any(t is not None and t._requires_grad for t in (*tensors, *tangents.values()))
    if kept:
        tensors = [_primal(t) if i in tangents and t is not None else t for i, t in enumerate(tensors)]
    node = _node(row, tensors, outputs, params, 1 if row.variadic else mask)
    for each in seeds:
        if each is not None:
            each._requires_grad, each._wraps = True, (layers.next_number(),)
    before, state.grad = state.grad, True
    try:
        with paused(), as_views():
            pulled = row_pull(node, row, [*seeds, *[None] * row.hidden])
            pairs = [(pulled.get(i), tensors[i], t) for i, t in tangents.items()]
            back = _scaled(pairs) if row.key in _DIAGONAL else _transposed(node, seeds, pairs, kept)
    finally:
        state.grad = before
    if row.key in _PRODUCTS and back[0] is not None and not back[0]._requires_grad and kept:
        back[0] = _product_rule(row, tensors, back[0], params)
    return [*back, *nothing[len(shown) :]]


def _primal(tensor: Tensor) -> Tensor:
    """The operand for a formula whose history is kept: the same tensor, which gets no tangents back."""
    if tensor._requires_grad:
        edge_of(tensor)  # both then have the same accumulator
    return twin(tensor)


# Rows whose tangent is, in PyTorch, a sum with a product for each of these operands.
_PRODUCTS = {
    **dict.fromkeys(("mm", "bmm", "mv", "dot", "convolution"), (0, 1)),
    **dict.fromkeys(("addmm", "addmv", "baddbmm"), (1, 2)),
}


def _product_rule(row: OpRow, tensors: Operands, tangent: Tensor, params: Mapping[str, object]) -> Tensor:
    """The tangent with the history of the products in which the tangent is zeros."""
    tracked = [t is not None and t._requires_grad and i in _PRODUCTS[row.key] for i, t in enumerate(tensors)]
    given = [t if t is None or keep else wrap(np.zeros_like(t._data)) for t, keep in zip(tensors, tracked, strict=True)]
    if not any(tracked):
        return tangent
    with paused():
        made: Tensor = apply(row, given, [None if each is None else each._data for each in given], params)
        made._data = wrap(np.zeros_like(made._data)).neg()._data
        return made + tangent


# Rows for which PyTorch has no forward differentiation, and their names there.
_REFUSED = {
    "mkldnn_rnn_layer": "",
    "_scaled_dot_product_flash_attention_for_cpu": "",
    "_embedding_bag": "",
    "cdist": "_cdist_forward",
    "pdist": "_pdist_forward",
    "_pdist_forward": "",
    "_ctc_loss": "",
    "multi_margin_loss": "",
    "multilabel_margin_loss": "multilabel_margin_loss_forward",
    "igamma": "",
    "igammac": "",
    "index_reduce": "",
    "grid_sampler_2d": "",
    "grid_sampler_3d": "",
    "geqrf": "",
    "ormqr": "",
}
NO_TANGENT = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file "
    "an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
    "prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
)

# Rows that are linear in all their differentiable operands together: they push tangents forward by themselves.
_LINEAR = frozenset(
    """neg sum sum_dim mean mean_dim mul_number div_number mul_scalar clone flip roll rot90 repeat tril triu trace
    diag_embed cumsum cat stack pixel_shuffle pixel_unshuffle im2col col2im channel_shuffle gather
    index_select index take max_unpool2d max_unpool3d as_strided_scatter select_scatter slice_scatter diagonal_scatter
    add sub _conj _to_copy embedding""".split()
)


def _linearly(
    row: OpRow, tensors: Operands, outputs: Sequence[Tensor], tangents: Tangents, params: Mapping[str, object]
) -> Tensor | None:
    """The row applied to the tangents, if that suffices; None if types are mixed."""
    if row.key == "_to_copy":
        return apply(row, (tangents[0],), (tangents[0]._data,), params)  # type: ignore[no-any-return]
    places = range(len(tensors)) if row.variadic else row.differentiable
    kind = outputs[0]._data.dtype
    given = list(tensors)
    for i in places:
        operand = tensors[i]
        tangent = tangents.get(i)
        if operand is None or (tangent is None and operand._data.dtype != kind):
            return None
        given[i] = wrap(np.zeros_like(operand._data)) if tangent is None else tangent
    if any(each is not None and each._data.dtype != kind for i, each in enumerate(given) if i in places):
        return None
    made: Tensor = apply(row, given, [None if each is None else each._data for each in given], params)
    if row.key == "mul_number" and tensors[0] is not None and tensors[0]._requires_grad:
        made = _nothing_of(tensors[0], made) + made  # in PyTorch the product rule: the number has a tangent of zeros
    return made


def _nothing_of(tensor: Tensor, like: Tensor) -> Tensor:
    """The product with a tangent of zeros: adding it never changes the sign of a zero."""
    zeros: Tensor = wrap(np.zeros_like(like._data)).neg()
    if not tensor._requires_grad:
        return zeros
    made: Tensor = tensor * zeros
    made._data = zeros._data
    return made


def row_pull(node: Node, row: OpRow, seeds: list[Tensor | None]) -> dict[int, Tensor | None]:
    """What the formulas return for each operand."""
    places = range(len(node.next)) if row.variadic else row.differentiable
    assert node.plan is not None
    return dict(zip(places, node.plan.run(node, seeds), strict=False))


def _node(row: OpRow, tensors: Operands, outputs: Sequence[Tensor], params: Mapping[str, object], mask: int) -> Node:
    """A node for the formulas to read from. It belongs to no graph; what it saved keeps its own history."""
    node = bare(row.node_class)
    node.params = params
    node.metas = [(each._data.shape, each._data.dtype) for each in outputs]
    node.next = (None,) * (len(tensors) if row.variadic else len(row.differentiable))
    node.plan = plan = row.plan(mask)
    plan.save(node, tensors, outputs)
    chosen = [outputs[i] if is_output else tensors[i] for i, is_output in plan.saves]
    if chosen:
        node.saved = [
            None if one is None else keep(one, i, False) for one, (i, _) in zip(chosen, plan.saves, strict=True)
        ]
    return node


def _of_product(
    row: OpRow, tensors: Operands, outputs: Sequence[Tensor], tangents: Tangents, params: Mapping[str, object]
) -> Tensor | None:
    """The product rule, as PyTorch computes it."""
    x, y = tensors
    assert x is not None and y is not None
    known = [x, y, *tangents.values()]
    if any(each._wrapped is None and each._data.dtype != outputs[0]._data.dtype for each in known):
        return None
    dx, dy = (tangents.get(i) for i in (0, 1))
    first = _nothing_of(x, outputs[0]) if dy is None else x * dy
    second = _nothing_of(y, outputs[0]) if dx is None else dx * y
    found: Tensor = first + second
    return found if found._data.dtype == outputs[0]._data.dtype else None


_DIAGONAL = ("hardsigmoid",)  # element by element, and PyTorch refuses to differentiate their gradient


def _scaled(pairs: Sequence[tuple[Any, object, Tensor]]) -> list[Tensor | None]:
    """The gradient of ones, times the tangent."""
    found: Tensor | None = None
    for slope, _, tangent in pairs:
        part = slope.detach() * tangent
        found = part if found is None else found + part
    return [found]


def _transposed(
    node: Node, seeds: Sequence[Tensor | None], pairs: Sequence[tuple[Any, Any, Tensor]], kept: bool
) -> list[Tensor | None]:
    """The derivative of the pulled-back gradients with respect to the seeds, along the tangents."""
    asked = [each for each in seeds if each is not None]
    given = [
        (conform(g, x._data.shape, x._data.dtype, node, 0), t)
        for g, x, t in pairs
        if g is not None and g._requires_grad
    ]
    found: list[Tensor | None] = [None] * len(asked)
    if given:
        ways = [_fitting(t, g) for g, t in given]
        found = list(grad([g for g, _ in given], asked, ways, retain_graph=kept, create_graph=kept, allow_unused=True))
    answers = iter(found)
    made: list[Tensor | None] = []
    for seed in seeds:
        one = None if seed is None else next(answers)
        made.append(wrap(np.zeros_like(seed._data)) if one is None and seed is not None else one)
    return made


def _fitting(tangent: Tensor, pulled: Tensor) -> Tensor:
    return tangent if tangent._data.dtype == pulled._data.dtype else tangent.to(pulled.dtype)
