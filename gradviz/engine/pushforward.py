"""What an operation pushes forward: the tangents of its results, from those of its operands. There is no formula for it
in the rows: the gradient formulas of a row are linear in what comes back, so their own derivative with respect to that,
applied to the tangents, is it. Who holds tangents, and how long, is in `dual.py`; `layered.py` calls this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.engine import layers
from gradviz.engine.apply import apply, as_views
from gradviz.engine.call import grad
from gradviz.engine.dual import Tangents
from gradviz.engine.graph import Node, bare
from gradviz.engine.observe import paused
from gradviz.engine.rows import OpRow
from gradviz.engine.saved import keep
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, wrap
from gradviz.engine.validate import conform

Array = np.ndarray[Any, Any]


def push(
    row: OpRow,
    tensors: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    tangents: Tangents,
    params: Mapping[str, Any],
) -> list[Tensor | None]:
    """The tangents of the results of an operation, from those of its operands."""
    if row.key in _REFUSED:
        raise NotImplementedError(_NOT_IMPLEMENTED.format(_REFUSED[row.key] or row.key))
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
    return [*back, *nothing[len(shown) :]]


# Rows that PyTorch has no forward differentiation for, and their names there.
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
_NOT_IMPLEMENTED = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file "
    "an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
    "prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
)

# Rows that are linear in all their differentiable operands together: what they push forward is they themselves.
_LINEAR = frozenset(
    """neg sum sum_dim mean mean_dim mul_number div_number mul_scalar clone flip roll rot90 repeat tril triu trace
    diag_embed cumsum cat stack pixel_shuffle pixel_unshuffle im2col col2im channel_shuffle gather
    index_select index take max_unpool2d max_unpool3d as_strided_scatter select_scatter slice_scatter diagonal_scatter
    add sub _conj _to_copy embedding""".split()
)


def _linearly(
    row: OpRow,
    tensors: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    tangents: Tangents,
    params: Mapping[str, Any],
) -> Tensor | None:
    """The row on the tangents, where that is all; None where types are mixed."""
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
    return made


def row_pull(node: Node, row: OpRow, seeds: list[Tensor | None]) -> dict[int, Tensor | None]:
    """What the formulas return for each operand."""
    places = range(len(node.next)) if row.variadic else row.differentiable
    assert node.plan is not None
    return dict(zip(places, node.plan.run(node, seeds), strict=False))


def _node(
    row: OpRow, tensors: Sequence[Tensor | None], outputs: Sequence[Tensor], params: Mapping[str, Any], mask: int
) -> Node:
    """A node for the formulas to read from. It stands in no graph; what it saved keeps its own history."""
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
    row: OpRow,
    tensors: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    tangents: Tangents,
    params: Mapping[str, Any],
) -> Tensor | None:
    """The product rule, as PyTorch computes it."""
    x, y = tensors
    assert x is not None and y is not None
    known = [x, y, *tangents.values()]
    if any(each._wrapped is None and each._data.dtype != outputs[0]._data.dtype for each in known):
        return None
    dx, dy = (tangents.get(i) for i in (0, 1))
    nothing = wrap(np.negative(np.zeros_like(outputs[0]._data)))  # adding it changes no sign of a zero
    first = nothing if dy is None else x * dy
    second = nothing if dx is None else dx * y
    found: Tensor = first + second
    return found if found._data.dtype == outputs[0]._data.dtype else None


_DIAGONAL = ("hardsigmoid",)  # element by element, and PyTorch refuses to differentiate their gradient


def _scaled(pairs: Sequence[tuple[Any, Any, Tensor]]) -> list[Tensor | None]:
    """What a gradient of ones becomes, times the tangent."""
    found: Tensor | None = None
    for slope, _, tangent in pairs:
        part = slope.detach() * tangent
        found = part if found is None else found + part
    return [found]


def _transposed(
    node: Node, seeds: Sequence[Tensor | None], pairs: Sequence[tuple[Any, Any, Tensor]], kept: bool
) -> list[Tensor | None]:
    """The derivative of what was pulled back with respect to the seeds, along the tangents."""
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
