"""One step of a recurrent layer: `RNNCell`, `LSTMCell`, `GRUCell`, and the functions of a step, which the layers over
whole sequences (`rnn.py`) run again and again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.api import called
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules import creating
from gradviz.torch.nn.modules.module import Module

State = Any  # a tensor, or for LSTM the pair (h, c)


def rnn_step(activation: str) -> Callable[[Tensor, Tensor, Any, Any], Tensor]:
    """One step of an Elman network, from the gates of its input."""

    def step(gates: Tensor, hidden: Tensor, weight: Any, bias: Any) -> Tensor:
        return T[activation](F.linear(hidden, weight, bias) + gates)  # type: ignore[no-any-return]

    return step


def lstm_step(gates: Tensor, state: Any, weight: Any, bias: Any, projection: Any = None) -> tuple[Tensor, Tensor]:
    """One step of an LSTM, from the gates of its input."""
    hidden, memory = state
    i, f, g, o = T["chunk"](F.linear(hidden, weight, bias) + gates, 4, 1)
    i, f, g, o = T["sigmoid"](i), T["sigmoid"](f), T["tanh"](g), T["sigmoid"](o)
    memory = f * memory + i * g
    hidden = o * T["tanh"](memory)
    return hidden if projection is None else T["matmul"](hidden, projection.t()), memory


def gru_step(gates: Tensor, hidden: Tensor, weight: Any, bias: Any) -> Tensor:
    """One step of a GRU, from the gates of its input."""
    ir, iz, inew = T["chunk"](gates, 3, 1)
    hr, hz, hnew = T["chunk"](F.linear(hidden, weight, bias), 3, 1)
    reset, update = T["sigmoid"](hr + ir), T["sigmoid"](hz + iz)
    new = T["tanh"](inew + hnew * reset)
    return (hidden - new) * update + new  # type: ignore[no-any-return]


def each_state(state: State, fn: Callable[..., Tensor]) -> State:
    """A function of each tensor of a state."""
    return tuple(fn(each) for each in state) if isinstance(state, tuple | list) else fn(state)


class RNNCellBase(Module):
    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        num_chunks: int = 0,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = (num_chunks or self.gates) * hidden_size
        ends = {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {"bias_ih": None, "bias_hh": None}
        creating.make(self, {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size), **ends}, dtype)
        creating.fill(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for param in self.parameters():
            init.uniform_(param, -bound, bound)

    def _step_impl(self) -> Callable[..., State]:
        raise NotImplementedError

    def _zeros_impl(self, input: Tensor) -> State:
        return T["zeros"](input.shape[0], self.hidden_size, dtype=input.dtype)

    def forward(self, input: Tensor, hx: State = None) -> State:
        if input.ndim not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        self._check_state_impl(hx)
        batched = input.ndim == 2
        if not batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else each_state(hx, lambda each: each.unsqueeze(0))
        state = self._zeros_impl(input) if hx is None else hx
        gates = F.linear(input, self.weight_ih, self.bias_ih)
        new = self._step_impl()(gates, tuple(state) if isinstance(state, list) else state, self.weight_hh, self.bias_hh)
        return new if batched else each_state(new, lambda each: each.squeeze(0))

    def _check_state_impl(self, hx: State) -> None:
        if hx is not None and hx.ndim not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected hidden to be 1D or 2D, got {hx.ndim}D instead")

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RNNCellBase):
    """One step of an Elman network."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _step_impl(self) -> Callable[..., State]:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return rnn_step(self.nonlinearity)

    def extra_repr(self) -> str:
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    gates = 4

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)

    def _check_state_impl(self, hx: State) -> None:
        for i, each in enumerate(hx or ()):
            if each.ndim not in (1, 2):
                raise ValueError(f"LSTMCell: Expected hx[{i}] to be 1D or 2D, got {each.ndim}D instead")

    def _step_impl(self) -> Callable[..., State]:
        return lstm_step

    def _zeros_impl(self, input: Tensor) -> State:
        zeros = super()._zeros_impl(input)
        return zeros, zeros


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    gates = 3

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)

    def _step_impl(self) -> Callable[..., State]:
        return gru_step


def _cell(name: str, step: Callable[..., State]) -> Callable[..., State]:
    """One step as a function of a state and of weights: `torch.lstm_cell(input, (h, c), w_ih, w_hh, b_ih, b_hh)`."""

    def cell(input: Tensor, hx: State, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> State:
        return step(F.linear(input, w_ih, b_ih), hx, w_hh, b_hh)

    return called(cell, name)


lstm_cell = _cell("lstm_cell", lstm_step)
gru_cell = _cell("gru_cell", gru_step)
rnn_tanh_cell = _cell("rnn_tanh_cell", rnn_step("tanh"))
rnn_relu_cell = _cell("rnn_relu_cell", rnn_step("relu"))
