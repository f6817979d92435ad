"""Recurrent layers: `RNN`, `LSTM`, `GRU` and their cells, in the order of operations of PyTorch's CPU code: the inputs
of all steps are multiplied at once, then the steps run one after the other. An LSTM of float32 numbers is one fused
node for each layer and direction, as in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradviz.engine.api import FUNCTIONS as T
from gradviz.engine.dtypes import dtype as DType
from gradviz.engine.dtypes import float32
from gradviz.engine.ops.recurrent import lstm_layer
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules import creating
from gradviz.torch.nn.modules.module import Module

State = Any  # a tensor, or for LSTM the pair (h, c)


def _rnn_step(activation: str) -> Callable[[Tensor, Tensor, Any, Any], Tensor]:
    def step(gates: Tensor, hidden: Tensor, weight: Any, bias: Any) -> Tensor:
        return T[activation](F.linear(hidden, weight, bias) + gates)  # type: ignore[no-any-return]

    return step


def _lstm_step(gates: Tensor, state: Any, weight: Any, bias: Any) -> tuple[Tensor, Tensor]:
    hidden, memory = state
    i, f, g, o = T["chunk"](F.linear(hidden, weight, bias) + gates, 4, 1)
    memory = T["sigmoid"](f) * memory + T["sigmoid"](i) * T["tanh"](g)
    return T["sigmoid"](o) * T["tanh"](memory), memory


def _gru_step(gates: Tensor, hidden: Tensor, weight: Any, bias: Any) -> Tensor:
    ir, iz, inew = T["chunk"](gates, 3, 1)
    hr, hz, hnew = T["chunk"](F.linear(hidden, weight, bias), 3, 1)
    reset, update = T["sigmoid"](hr + ir), T["sigmoid"](hz + iz)
    new = T["tanh"](inew + hnew * reset)
    return (hidden - new) * update + new  # type: ignore[no-any-return]


class _Recurrent(Module):
    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        creating.make(self, self._shapes(), dtype)
        creating.fill(self, self.reset_parameters)

    def _directions(self) -> list[str]:
        return ["", "_reverse"] if self.bidirectional else [""]

    def _shapes(self) -> dict[str, tuple[int, ...] | None]:
        rows = self.gates * self.hidden_size
        shapes: dict[str, tuple[int, ...] | None] = {}
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * len(self._directions())
            for end in self._directions():
                shapes[f"weight_ih_l{layer}{end}"] = (rows, width)
                shapes[f"weight_hh_l{layer}{end}"] = (rows, self.hidden_size)
                if self.bias:
                    shapes[f"bias_ih_l{layer}{end}"] = (rows,)
                    shapes[f"bias_hh_l{layer}{end}"] = (rows,)
        return shapes

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for param in self.parameters():
            init.uniform_(param, -bound, bound)

    def _step(self) -> Callable[..., State]:
        raise NotImplementedError

    def _zeros(self, input: Tensor, batch: int) -> State:
        count = self.num_layers * len(self._directions())
        return T["zeros"](count, batch, self.hidden_size, dtype=input.dtype)

    def forward(self, input: Tensor, hx: State = None) -> tuple[Tensor, State]:
        if input.ndim not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )
        batched = input.ndim == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            hx = None if hx is None else _each(hx, lambda each: each.unsqueeze(1))
        steps = input.transpose(0, 1) if self.batch_first else input
        state = self._zeros(input, steps.shape[1]) if hx is None else hx
        last = []
        for layer in range(self.num_layers):
            steps, ends = self._layer(layer, steps, state)
            last += ends
            if self.dropout and self.training and layer < self.num_layers - 1:
                steps = F.dropout(steps, self.dropout, True)
        output = steps.transpose_(0, 1) if self.batch_first else steps
        final = self._join(last)
        if not batched:
            return output.squeeze(0 if self.batch_first else 1), _each(final, lambda each: each.squeeze(1))
        return output, final

    def _layer(self, layer: int, steps: Tensor, state: State) -> tuple[Tensor, list[State]]:
        outputs, ends = [], []
        for number, end in enumerate(self._directions()):
            index = layer * len(self._directions()) + number
            ran, last = self._run(f"_l{layer}{end}", steps, _each(state, lambda each, i=index: each[i]), bool(end))
            outputs.append(ran)
            ends.append(last)
        return outputs[0] if len(outputs) == 1 else T["cat"](outputs, -1), ends

    def _run(self, name: str, steps: Tensor, state: State, backwards: bool) -> tuple[Tensor, State]:
        """One layer in one direction."""
        weight, bias = getattr(self, "weight_hh" + name), getattr(self, "bias_hh" + name, None)
        gates = F.linear(steps, getattr(self, "weight_ih" + name), getattr(self, "bias_ih" + name, None))
        step, outputs = self._step(), []
        every = list(gates.unbind(0))
        for each in reversed(every) if backwards else every:
            state = step(each, state, weight, bias)
            outputs.append(state[0] if isinstance(state, tuple) else state)
        return T["stack"](outputs[::-1] if backwards else outputs, 0), state

    def _join(self, last: list[State]) -> State:
        return T["stack"](last, 0)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.num_layers != 1:
            parts.append(f"num_layers={self.num_layers}")
        if not self.bias:
            parts.append("bias=False")
        if self.batch_first:
            parts.append("batch_first=True")
        if self.dropout:
            parts.append(f"dropout={self.dropout}")
        if self.bidirectional:
            parts.append("bidirectional=True")
        return ", ".join(parts)


def _each(state: State, fn: Callable[..., Tensor]) -> State:
    return tuple(fn(each) for each in state) if isinstance(state, tuple | list) else fn(state)


class RNN(_Recurrent):
    """Elman network with tanh or relu."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", **kwargs: Any
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(input_size, hidden_size, num_layers, **kwargs)
        self.nonlinearity = nonlinearity

    def _step(self) -> Callable[..., State]:
        return _rnn_step(self.nonlinearity)


class LSTM(_Recurrent):
    """Long short-term memory; the state is a pair (h, c)."""

    gates = 4

    def _step(self) -> Callable[..., State]:
        return _lstm_step

    def _run(self, name: str, steps: Tensor, state: State, backwards: bool) -> tuple[Tensor, State]:
        if steps.dtype is not float32:
            return super()._run(name, steps, state, backwards)
        weights = getattr(self, "weight_ih" + name), getattr(self, "weight_hh" + name)
        biases = getattr(self, "bias_ih" + name, None), getattr(self, "bias_hh" + name, None)
        output, hidden, memory = lstm_layer(steps, weights, biases, state[0], state[1], backwards)
        return output, (hidden, memory)

    def _zeros(self, input: Tensor, batch: int) -> State:
        return super()._zeros(input, batch), super()._zeros(input, batch)

    def _join(self, last: list[State]) -> State:
        return T["stack"]([each[0] for each in last], 0), T["stack"]([each[1] for each in last], 0)


class GRU(_Recurrent):
    """Gated recurrent unit."""

    gates = 3

    def _step(self) -> Callable[..., State]:
        return _gru_step


class _Cell(Module):
    gates = 1

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = self.gates * hidden_size
        ends = {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {"bias_ih": None, "bias_hh": None}
        creating.make(self, {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size), **ends}, dtype)
        creating.fill(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for param in self.parameters():
            init.uniform_(param, -bound, bound)

    def _step(self) -> Callable[..., State]:
        raise NotImplementedError

    def _zeros(self, input: Tensor) -> State:
        return T["zeros"](input.shape[0], self.hidden_size, dtype=input.dtype)

    def forward(self, input: Tensor, hx: State = None) -> State:
        if input.ndim not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        batched = input.ndim == 2
        if not batched:
            input = input.unsqueeze(0)
            hx = None if hx is None else _each(hx, lambda each: each.unsqueeze(0))
        state = self._zeros(input) if hx is None else hx
        gates = F.linear(input, self.weight_ih, self.bias_ih)
        new = self._step()(gates, tuple(state) if isinstance(state, list) else state, self.weight_hh, self.bias_hh)
        return new if batched else _each(new, lambda each: each.squeeze(0))

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """One step of an Elman network."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", **kwargs: Any
    ) -> None:
        super().__init__(input_size, hidden_size, bias, **kwargs)
        self.nonlinearity = nonlinearity

    def _step(self) -> Callable[..., State]:
        return _rnn_step(self.nonlinearity)

    def extra_repr(self) -> str:
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class LSTMCell(_Cell):
    """One step of an LSTM."""

    gates = 4

    def _step(self) -> Callable[..., State]:
        return _lstm_step

    def _zeros(self, input: Tensor) -> State:
        return super()._zeros(input), super()._zeros(input)


class GRUCell(_Cell):
    """One step of a GRU."""

    gates = 3

    def _step(self) -> Callable[..., State]:
        return _gru_step
