"""The fused LSTM layer: PyTorch runs one direction of one layer as a single node on the CPU when the numbers are
float32. The other recurrent layers are made of ordinary operations, in `gradviz.torch.nn.modules.rnn`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.sums import product, total
from gradviz.engine.ops.neural import in_single, is_half
from gradviz.engine.run.api import FUNCTIONS
from gradviz.engine.run.apply import call_all
from gradviz.engine.run.autocast import casting

F = FUNCTIONS
# The input, the weights, the biases, the state and the memory before the first step.
Operands = tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None, Tensor, Tensor]


def _workspace(work: Array, steps: tuple[int, int, int], dtype: np.dtype[np.generic]) -> tuple[Array, Array, Array]:
    """What the forward pass leaves for the backward pass, for each time: the gates i, f, g and o, the memory, and its
    tanh."""
    numbers, one = work.view(dtype), math.prod(steps)
    gates, memory, shown = numbers[: 4 * one], numbers[4 * one : 5 * one], numbers[5 * one :]
    return gates.reshape(*steps[:2], 4, steps[2]), memory.reshape(steps), shown.reshape(steps)


def _open(gates: Array) -> None:
    """σ of i, f and o, and tanh of g, in place."""
    sides = gates[:, :2], gates[:, 3]
    for side in sides:
        side *= 0.5
    np.tanh(gates, out=gates)
    for side in sides:
        side += 1
        side *= 0.5


def _forward(
    x: Array,
    w_in: Array,
    w_hidden: Array,
    b_in: Array | None,
    b_hidden: Array | None,
    hidden: Array,
    memory: Array,
    *,
    reverse: bool,
) -> tuple[Array, ...]:
    (count, batch), size = x.shape[:2], hidden.shape[-1]
    kind = np.result_type(x, w_in)
    work = np.empty(6 * count * batch * size * kind.itemsize, np.uint8)
    gates, memories, shown = _workspace(work, (count, batch, size), kind)
    rows = gates.reshape(count, batch, 4 * size)
    np.matmul(x, w_in.T, out=rows)
    if b_in is not None:
        rows += b_in
        rows += b_hidden
    outputs, down = np.empty((count, batch, size), kind), w_hidden.T
    for t in reversed(range(count)) if reverse else range(count):
        now, after = gates[t], memories[t]
        rows[t] += hidden @ down
        _open(now)
        np.multiply(now[:, 1], memory, out=after)
        after += now[:, 0] * now[:, 2]
        memory = after
        hidden = np.multiply(now[:, 3], np.tanh(memory, out=shown[t]), out=outputs[t])
    return outputs, hidden.copy(), memory.copy(), work if state.grad else work[:0]


def _steps(
    x: Tensor,
    w_in: Tensor,
    w_hidden: Tensor,
    b_in: Tensor | None,
    b_hidden: Tensor | None,
    hidden: Tensor,
    memory: Tensor,
    order: list[int],
) -> dict[int, Any]:
    """The forward pass again in tensor operations: for each time its gates, memory and initial state."""
    gates = x @ w_in.t()
    if b_in is not None:
        gates = gates + b_in + b_hidden
    kept = {}
    for t in order:
        i, f, g, o = F["chunk"](gates[t] + hidden @ w_hidden.t(), 4, 1)
        i, f, g, o = F["sigmoid"](i), F["sigmoid"](f), F["tanh"](g), F["sigmoid"](o)
        before = (hidden, memory)
        memory = f * memory + i * g
        shown = F["tanh"](memory)
        hidden = o * shown
        kept[t] = (i, f, g, o, shown, *before)
    return kept


def _through_time(
    grads: Sequence[Array | None], arrays: Sequence[Array], needs: tuple[bool, ...], *, reverse: bool
) -> list[Array | None]:
    """Back through time, as in the original: the last step comes first."""
    x, w_in, w_hidden, hidden, memory, outputs, work = arrays
    (count, batch), size = x.shape[:2], hidden.shape[-1]
    gates, memories, shown = _workspace(work, (count, batch, size), x.dtype)
    i, f, g, o = (gates[:, :, at] for at in range(4))
    order = list(reversed(range(count))) if reverse else list(range(count))
    before = {t: (outputs[last], memories[last]) for last, t in pairwise(order)}
    before[order[0]] = hidden, memory
    into_memory, into_o = o * (1 - shown * shown), shown * o * (1 - o)
    into_i, into_g = g * i * (1 - i), i * (1 - g * g)
    d_gates, d_recurrent = np.empty_like(gates), np.zeros_like(w_hidden)
    rows = d_gates.reshape(count, batch, 4 * size)
    d_hidden = np.zeros_like(hidden) if grads[1] is None else grads[1]
    d_memory = np.zeros_like(memory) if grads[2] is None else grads[2]
    for t in reversed(order):
        d_out = d_hidden if grads[0] is None else d_hidden + grads[0][t]
        d_memory = d_memory + d_out * into_memory[t]
        now = d_gates[t]
        np.multiply(d_memory, into_i[t], out=now[:, 0])
        np.multiply(d_memory, before[t][1] * f[t] * (1 - f[t]), out=now[:, 1])
        np.multiply(d_memory, into_g[t], out=now[:, 2])
        np.multiply(d_out, into_o[t], out=now[:, 3])
        d_hidden, d_memory = product(rows[t], w_hidden), d_memory * f[t]
        if needs[2]:
            d_recurrent += product(rows[t].T, before[t][0])
    flat = rows.reshape(-1, 4 * size)
    found: tuple[Callable[[], Array], ...] = (
        lambda: product(flat, w_in).reshape(x.shape),
        lambda: product(flat.T, x.reshape(-1, x.shape[-1])),
        lambda: d_recurrent,
        lambda: total(flat, (0,)),
        lambda: total(flat, (0,)),
        lambda: d_hidden,
        lambda: d_memory,
    )
    return [make() if need else None for make, need in zip(found, needs, strict=True)]


def _gradients(
    grads: Sequence[Tensor | None],
    input: Tensor,
    weight0: Tensor,
    weight1: Tensor,
    weight2: Tensor | None,
    weight3: Tensor | None,
    hx_: Tensor,
    cx_: Tensor,
    result0: Tensor,
    result1: Tensor,
    result2: Tensor,
    result3: Tensor,
    reverse: bool,
    needs: tuple[bool, ...],
) -> Sequence[object]:
    """PyTorch, too, computes what is to be differentiated again in another way, from the inputs alone."""
    if not state.grad and not is_half(input._data):
        arrays = [each._data for each in (input, weight0, weight1, hx_, cx_, result0, result3)]
        given = [None if each is None else each._data for each in grads[:3]]
        made = _through_time(given, arrays, needs, reverse=reverse)
        return [None if each is None else wrap(each) for each in made]
    operands = input, weight0, weight1, weight2, weight3, hx_, cx_
    return _differentiable(grads, operands, needs, reverse=reverse)


def _differentiable(
    grads: Sequence[Tensor | None], operands: Operands, needs: tuple[bool, ...], *, reverse: bool
) -> tuple[object, ...]:
    """The same in tensor operations."""
    x, w_in, w_hidden, *_, hidden, _ = operands
    count = x.shape[0]
    order = list(reversed(range(count))) if reverse else list(range(count))
    kept = _steps(*operands, order)
    zero = F["zeros_like"](hidden)
    d_hidden = zero if grads[1] is None else grads[1]
    d_memory = zero if grads[2] is None else grads[2]
    d_gates: list[Any] = [None] * count
    d_recurrent = F["zeros_like"](w_hidden)
    for t in reversed(order):
        i, f, g, o, shown, hidden, memory = kept[t]
        d_out = d_hidden if grads[0] is None else d_hidden + grads[0][t]
        d_memory = d_memory + d_out * o * (1 - shown * shown)
        parts = [d_memory * g * i * (1 - i), d_memory * memory * f * (1 - f), d_memory * i * (1 - g * g)]
        d_gates[t] = F["cat"]([*parts, d_out * shown * o * (1 - o)], 1)
        d_hidden, d_memory = d_gates[t] @ w_hidden, d_memory * f
        d_recurrent = d_recurrent + d_gates[t].t() @ hidden
    joined = F["stack"](d_gates, 0)
    flat = joined.reshape(-1, joined.shape[-1])
    bias = flat.sum(0)
    found: tuple[Callable[[], object], ...] = (
        lambda: joined @ w_in,
        lambda: flat.t() @ x.reshape(-1, x.shape[-1]),
        lambda: d_recurrent,
        lambda: bias,
        lambda: bias,
        lambda: d_hidden,
        lambda: d_memory,
    )
    return tuple(make() if need else None for make, need in zip(found, needs, strict=True))


LSTM_LAYER = op(
    "mkldnn_rnn_layer",
    "input, weight0, weight1, weight2, weight3, hx_, cx_",
    in_single(_forward),
    node="MkldnnRnnLayerBackward0",
    outputs="result0, result1, result2, result3",
    hidden=1,
    category="layers",
    symbol="LSTM",
    latex=r"c_t = f_t c_{t-1} + i_t g_t,\; h_t = o_t \tanh c_t",
    brief="One direction of one LSTM layer over all steps.",
    joint=jointly(_gradients, input="grad, passed back through all time steps"),
)


def lstm_layer(
    input: Tensor,
    weights: tuple[Tensor, Tensor],
    biases: tuple[Tensor | None, Tensor | None],
    hidden: Tensor,
    memory: Tensor,
    reverse: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """All steps of one direction of one layer: the outputs, the last output and the last memory."""
    outputs, hidden, memory, _ = _layer(input, *weights, *biases, hidden, memory, reverse)
    return outputs, hidden, memory


def _run_layer(*operands: Any) -> tuple[Tensor, ...]:
    return call_all(LSTM_LAYER, *operands[:-1], reverse=operands[-1])


_layer = casting(_run_layer, LSTM_LAYER.name)


# --- the checks of one step ---


def check_cell(input: Tensor, states: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, gates: int) -> None:
    """Refuse operands of one step that don't fit; an Elman network looks at its weights first."""

    def check_weights() -> None:
        wanted = gates * w_hh.size(1)
        for name, each in (("ih", w_ih), ("hh", w_hh)):
            if each.size(0) != wanted:
                raise RuntimeError(
                    f"weight_{name} first dim must be {gates} * hidden_size = {wanted}, but got {each.size(0)}"
                )

    if gates == 1:
        check_weights()
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")
    if gates > 1:
        check_weights()
    check_states(input.size(0), states, w_hh.size(1))


def check_states(count: int, states: Sequence[Tensor], size: int) -> None:
    """Refuse states that don't belong to `count` samples."""
    for i, each in enumerate(states):
        if each.size(0) != count:
            raise RuntimeError(f"Input batch size {count} doesn't match hidden{i} batch size {each.size(0)}")
        if each.size(1) != size:
            raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {each.size(1)}, expected {size}")
