"""The fused LSTM layer: PyTorch runs one direction of one layer as a single node on the CPU when the numbers are
float32. The other recurrent layers are made of ordinary operations, in `gradviz.torch.nn.modules.rnn`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import jointly
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.neural import in_single
from gradviz.engine.run.api import FUNCTIONS
from gradviz.engine.run.apply import call_all
from gradviz.engine.run.autocast import casting

F = FUNCTIONS


def _sigmoid(x: Array) -> Array:
    return (0.5 * (1 + np.tanh(0.5 * x))).astype(x.dtype)


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
    gates = x @ w_in.T
    if b_in is not None:
        gates = gates + b_in + b_hidden
    outputs = [hidden] * len(x)
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        i, f, g, o = np.split(gates[t] + hidden @ w_hidden.T, 4, axis=1)
        memory = _sigmoid(f) * memory + _sigmoid(i) * np.tanh(g)
        hidden = outputs[t] = _sigmoid(o) * np.tanh(memory)
    return np.stack(outputs), hidden, memory


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


def _gradients(
    grads: Sequence[Tensor | None],
    input: Tensor,
    weight0: Tensor,
    weight1: Tensor,
    weight2: Tensor | None,
    weight3: Tensor | None,
    hx_: Tensor,
    cx_: Tensor,
    reverse: bool,
    needs: tuple[bool, ...],
) -> tuple[object, ...]:
    """Back through time, as in the original: the last step comes first."""
    count = input.shape[0]
    order = list(reversed(range(count))) if reverse else list(range(count))
    kept = _steps(input, weight0, weight1, weight2, weight3, hx_, cx_, order)
    zero = F["zeros_like"](hx_)
    d_hidden = zero if grads[1] is None else grads[1]
    d_memory = zero if grads[2] is None else grads[2]
    d_gates: list[Any] = [None] * count
    d_recurrent = F["zeros_like"](weight1)
    for t in reversed(order):
        i, f, g, o, shown, hidden, memory = kept[t]
        d_out = d_hidden if grads[0] is None else d_hidden + grads[0][t]
        d_memory = d_memory + d_out * o * (1 - shown * shown)
        parts = [d_memory * g * i * (1 - i), d_memory * memory * f * (1 - f), d_memory * i * (1 - g * g)]
        d_gates[t] = F["cat"]([*parts, d_out * shown * o * (1 - o)], 1)
        d_hidden, d_memory = d_gates[t] @ weight1, d_memory * f
        d_recurrent = d_recurrent + d_gates[t].t() @ hidden
    joined = F["stack"](d_gates, 0)
    flat = joined.reshape(-1, joined.shape[-1])
    bias = flat.sum(0)
    found: tuple[Callable[[], object], ...] = (
        lambda: joined @ weight0,
        lambda: flat.t() @ input.reshape(-1, input.shape[-1]),
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
    outputs="result0, result1, result2",
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
    return _layer(input, *weights, *biases, hidden, memory, reverse)  # type: ignore[no-any-return]


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
