"""Recurrent layers: `RNN`, `LSTM`, `GRU`, in the order of operations of PyTorch's CPU code: the inputs of all steps are
multiplied at once, then the steps run one after the other; and single steps, `RNNCell`, `LSTMCell`, `GRUCell`. A
float32 LSTM is one fused node per layer and direction, as in PyTorch, unless it is packed or projected.

Note [Steps of a packed sequence] The steps of a packed sequence get smaller: each has as many rows as there are
sequences of at least that length. Forwards, the states of sequences that end are put aside; backwards, the initial
states of sequences that begin are added."""

from __future__ import annotations

import functools
import math
import numbers
import warnings
from collections.abc import Callable
from typing import Any

from gradviz.engine.kernel.dtypes import dtype as DType
from gradviz.engine.kernel.dtypes import float32
from gradviz.engine.kernel.state import state as engine
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.recurrent import check_cell, check_states, lstm_layer
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.engine.run.api import called, in_torch_words
from gradviz.torch.nn import functional as F
from gradviz.torch.nn import init
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import fill_parameters, make_parameters
from gradviz.torch.nn.utils.rnn import PackedSequence

# --- one step ---


State = Any  # a tensor, or for LSTM the pair (h, c)
Gates = Callable[[], Tensor]  # those of the input: a cell computes them when their turn has come


def rnn_step(activation: str) -> Callable[[Gates, Tensor, Any, Any], Tensor]:
    """One step of an Elman network, from the gates of its input."""

    def step(gates: Gates, hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return T[activation](F.linear(hidden, weight, bias) + gates())

    return step


def lstm_step(
    gates: Gates, state: Tensor | tuple[Tensor, ...], weight: Tensor, bias: Tensor, projection: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM, from the gates of its input."""
    hidden, memory = state
    i, f, g, o = T["unsafe_chunk"](F.linear(hidden, weight, bias) + gates(), 4, 1)
    i, f, g, o = T["sigmoid"](i), T["sigmoid"](f), T["tanh"](g), T["sigmoid"](o)
    memory = f * memory + i * g
    hidden = o * T["tanh"](memory)
    return hidden if projection is None else T["matmul"](hidden, projection.t()), memory


def gru_step(gates: Gates, hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """One step of a GRU, from the gates of its input."""
    ir, iz, inew = T["unsafe_chunk"](gates(), 3, 1)
    hr, *others = T["unsafe_chunk"](F.linear(hidden, weight, bias), 3, 1)
    reset = T["sigmoid"](hr + ir)  # where a state of another shape is refused
    hz, hnew = others
    update = T["sigmoid"](hz + iz)
    new = T["tanh"](inew + hnew * reset)
    return (hidden - new) * update + new


def _computed(gates: Tensor) -> Tensor:
    """The gates of a layer, computed for all its steps at once."""
    return gates


def each_state(state: State, fn: Callable[..., Tensor]) -> State:
    """Apply a function to each tensor of a state."""
    return tuple(fn(each) for each in state) if isinstance(state, tuple | list) else fn(state)


class RNNCellBase(Module):
    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        num_chunks: int = 0,
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = (num_chunks or self.gates) * hidden_size
        ends = {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {"bias_ih": None, "bias_hh": None}
        make_parameters(
            self, {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size), **ends}, dtype, device
        )
        fill_parameters(self, self.reset_parameters)

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for param in self.parameters():
            init.uniform_(param, -bound, bound)

    def _step_impl(self) -> Callable[..., State]:
        raise NotImplementedError

    def _zeros_impl(self, input: Tensor) -> State:
        return T["zeros"](input.shape[0], self.hidden_size, dtype=input.dtype, device=input.device)

    def forward(self, input: Tensor, hx: State = None) -> State:
        if input.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        self._check_state_impl(hx)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
            hx = (hx[0], hx[1]) if self.gates == 4 and isinstance(hx, Tensor) else hx
            hx = None if hx is None else each_state(hx, lambda each: each.unsqueeze(0))
        state = self._zeros_impl(input) if hx is None else hx
        if self.gates == 4 and isinstance(state, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        self._check_sizes_impl(input, state)
        gates = functools.partial(F.linear, input, self.weight_ih, self.bias_ih)
        new = self._step_impl()(gates, tuple(state) if isinstance(state, list) else state, self.weight_hh, self.bias_hh)
        return new if batched else each_state(new, lambda each: each.squeeze(0))

    def _check_state_impl(self, hx: State) -> None:
        if hx is not None and hx.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected hidden to be 1D or 2D, got {hx.ndim}D instead")

    def _check_sizes_impl(self, input: Tensor, state: State) -> None:
        count, size = input.shape
        if size != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {size} expected {self.input_size}")
        check_states(count, state if isinstance(state, tuple | list) else (state,), self.hidden_size)

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
        device: object = None,
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
        self, input_size: int, hidden_size: int, bias: bool = True, device: object = None, dtype: DType | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)

    def _check_state_impl(self, hx: State) -> None:
        for i, each in enumerate(() if hx is None else hx):
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
        self, input_size: int, hidden_size: int, bias: bool = True, device: object = None, dtype: DType | None = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)

    def _step_impl(self) -> Callable[..., State]:
        return gru_step


def _cell(name: str, step: Callable[..., State], gates: int) -> Callable[..., State]:
    """One step as a function of a state and of weights: `torch.lstm_cell(input, (h, c), w_ih, w_hh, b_ih, b_hh)`."""

    def cell(input: Tensor, hx: State, w_ih: Tensor, w_hh: Tensor, b_ih: object = None, b_hh: object = None) -> State:
        states = (hx,) if isinstance(hx, Tensor) else tuple(hx or ())
        if gates == 4 and len(states) != 2:
            raise RuntimeError("lstm_cell expects two hidden states")
        check_cell(input, states, w_ih, w_hh, gates)
        return step(functools.partial(F.linear, input, w_ih, b_ih), hx, w_hh, b_hh)

    return in_torch_words(called(cell, name), f"torch.{name}")


lstm_cell = _cell("lstm_cell", lstm_step, 4)
gru_cell = _cell("gru_cell", gru_step, 3)
rnn_tanh_cell = _cell("rnn_tanh_cell", rnn_step("tanh"), 1)
rnn_relu_cell = _cell("rnn_relu_cell", rnn_step("relu"), 1)


_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_PROJECTED = (
    "LSTM with projections is not supported with oneDNN. Using default implementation. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/RNN.cpp:1512.)"
)
_BOTH_WAYS = ("", "_reverse")


class RNNBase(Module):
    """The parameters of recurrent layers, and the loops over layers, directions and steps that they share."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_settings_impl(dropout)
        shapes = self._shapes_impl()
        self._flat_weights_names = list(shapes)
        make_parameters(self, shapes, dtype, device)
        fill_parameters(self, self.reset_parameters)

    def _check_settings_impl(self, dropout: float) -> None:
        if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= self.dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=4,
            )
        for kind, names in ((bool, ("bias", "batch_first")), (int, ("input_size", "hidden_size"))):
            for name in names:
                value = getattr(self, name)
                if not isinstance(value, kind):
                    raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
                if kind is int and value <= 0:
                    raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _directions_impl(self) -> tuple[str, ...]:
        return _BOTH_WAYS if self.bidirectional else _BOTH_WAYS[:1]

    def _shapes_impl(self) -> dict[str, tuple[int, ...] | None]:
        rows, shown = _GATES[self.mode] * self.hidden_size, self.proj_size or self.hidden_size
        shapes: dict[str, tuple[int, ...] | None] = {}
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else shown * len(self._directions_impl())
            for end in self._directions_impl():
                shapes[f"weight_ih_l{layer}{end}"] = (rows, width)
                shapes[f"weight_hh_l{layer}{end}"] = (rows, shown)
                if self.bias:
                    shapes[f"bias_ih_l{layer}{end}"] = (rows,)
                    shapes[f"bias_hh_l{layer}{end}"] = (rows,)
                if self.proj_size:
                    shapes[f"weight_hr_l{layer}{end}"] = (self.proj_size, self.hidden_size)
        return shapes

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name, None) for name in self._flat_weights_names]

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each layer and direction."""
        each = len(self._flat_weights_names) // (self.num_layers * len(self._directions_impl()))
        weights = self._flat_weights
        return [weights[i : i + each] for i in range(0, len(weights), each)]

    def flatten_parameters(self) -> None:
        """Do nothing: this is for GPUs."""

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for param in self.parameters():
            init.uniform_(param, -bound, bound)

    def _step_impl(self) -> Callable[..., State]:
        raise NotImplementedError

    def _zeros_impl(self, input: Tensor, batch: int) -> State:
        count = self.num_layers * len(self._directions_impl())
        return T["zeros"](count, batch, self.proj_size or self.hidden_size, dtype=input.dtype, device=input.device)

    def forward(self, input: Any, hx: State = None) -> tuple[Any, State]:
        if isinstance(input, PackedSequence):
            return self._forward_packed_impl(input, hx)
        if input.dim() not in (2, 3):
            word = " tensor" if self.mode.startswith("RNN") else ""
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D{word} instead")
        batched = input.dim() == 3
        self._check_dimensions_impl(hx, input.dim())
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            hx = None if hx is None else each_state(hx, lambda each: each.unsqueeze(1))
        batch = input.shape[0 if self.batch_first else 1]
        state = self._zeros_impl(input, batch) if hx is None else hx
        self._check_input_impl(input, 3)
        self._check_state_impl(state, batch)
        if not input.shape[1 if self.batch_first else 0]:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        steps = input.transpose(0, 1) if self.batch_first else input
        if self.mode == "LSTM" and not self.proj_size:
            steps = steps.contiguous()
        steps, final = self._layers_impl(steps, state, None)
        turn = steps.transpose if self.mode == "LSTM" else steps.transpose_
        output = turn(0, 1) if self.batch_first else steps
        if not batched:
            return output.squeeze(0 if self.batch_first else 1), each_state(final, lambda each: each.squeeze(1))
        return output, final

    def _forward_packed_impl(self, input: PackedSequence, hx: State) -> tuple[PackedSequence, State]:
        """Run on a packed sequence; see Note [Steps of a packed sequence]."""
        sizes = input.batch_sizes.tolist()
        given = input.sorted_indices
        if hx is None:
            state = self._zeros_impl(input.data, sizes[0])
        else:
            state = hx if given is None else each_state(hx, lambda each: each.index_select(1, given))
        self._check_input_impl(input.data, 2)
        self._check_state_impl(state, sizes[0])
        data, final = self._layers_impl(input.data, state, sizes)
        back = input.unsorted_indices
        if back is not None:
            final = each_state(final, lambda each: each.index_select(1, back))
        return PackedSequence(data, input.batch_sizes, input.sorted_indices, back), final

    def _check_dimensions_impl(self, hx: State, ndim: int) -> None:
        if hx is not None and hx.dim() != ndim:
            kind = "unbatched" if ndim == 2 else "batched"
            raise RuntimeError(f"For {kind} {ndim}-D input, hx should also be {ndim}-D but got {hx.ndim}-D tensor")

    def _check_input_impl(self, input: Tensor, ndim: int) -> None:
        kind = self._flat_weights[0].dtype
        if input.dtype is not kind:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind}). Convert input: "
                f"input.to({kind}), or convert model: model.to({input.dtype})"
            )
        if input.dim() != ndim:
            raise RuntimeError(f"input must have {ndim} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _check_state_impl(self, state: State, batch: int) -> None:
        self._check_size_impl(state, batch, self.hidden_size, "hidden size")

    def _check_size_impl(self, state: Tensor, batch: int, width: int, what: str) -> None:
        wanted = (self.num_layers * len(self._directions_impl()), batch, width)
        if tuple(state.shape) != wanted:
            raise RuntimeError(f"Expected {what} {wanted}, got {list(state.shape)}")

    def _layers_impl(self, steps: Tensor, state: State, sizes: list[int] | None) -> tuple[Tensor, State]:
        """Run all layers: their outputs and the last states of each direction of each layer."""
        last = []
        is_fused = self.mode == "LSTM" and not self.proj_size and sizes is None
        begins = None if is_fused else _apart(state)
        for layer in range(self.num_layers):
            outputs = []
            for number, end in enumerate(self._directions_impl()):
                index = layer * len(self._directions_impl()) + number
                begin = each_state(state, lambda each, i=index: each[i]) if begins is None else begins[index]
                ran, final = self._run_impl(f"_l{layer}{end}", steps, begin, bool(end), sizes)
                outputs.append(ran)
                last.append(final)
            steps = outputs[0] if len(outputs) == 1 else T["cat"](outputs, -1)
            if self.dropout and self.training and layer < self.num_layers - 1:
                steps = F.dropout(steps, self.dropout, True)
        return steps, self._join_impl(last)

    def _run_impl(
        self, name: str, steps: Tensor, state: State, backwards: bool, sizes: list[int] | None
    ) -> tuple[Tensor, State]:
        """Run one layer in one direction."""
        weights = [getattr(self, f"{part}{name}", None) for part in ("weight_hh", "bias_hh", "weight_hr")]
        if weights[2] is None:
            weights.pop()
        gates = F.linear(steps, getattr(self, "weight_ih" + name), getattr(self, "bias_ih" + name, None))
        step, outputs = self._step_impl(), []
        if sizes is not None:
            run = _packed_backwards if backwards else _packed
            return run(lambda each, old: step(functools.partial(_computed, each), old, *weights), gates, state, sizes)
        every = list(gates.unbind(0))
        for each in reversed(every) if backwards else every:
            state = step(functools.partial(_computed, each), state, *weights)
            outputs.append(_shown(state))
        return T["stack"](outputs[::-1] if backwards else outputs, 0), state

    def _join_impl(self, last: list[State]) -> State:
        return T["stack"](last, 0)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.proj_size != 0:
            parts.append(f"proj_size={self.proj_size}")
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


def _apart(state: State) -> list[State]:
    """The states of each direction of each layer."""
    if isinstance(state, tuple):
        return list(zip(*(each.unbind(0) for each in state), strict=True))
    return list(state.unbind(0))


def _shown(state: State) -> Tensor:
    found: Tensor = state[0] if isinstance(state, tuple) else state
    return found


def _packed(
    step: Callable[[Tensor, State], State], gates: Tensor, state: State, sizes: list[int]
) -> tuple[Tensor, State]:
    """Forwards; see Note [Steps of a packed sequence]."""
    outputs, ended, start, last = [], [], 0, sizes[0]
    for size in sizes:
        each = gates.narrow(0, start, size)
        start += size
        if size < last:
            ended.append(_rows(state, size, last))
            state = _rows(state, 0, size)
        last = size
        state = step(each, state)
        outputs.append(_shown(state))
    return T["cat"](outputs, 0), _stacked([state, *ended[::-1]])


def _packed_backwards(
    step: Callable[[Tensor, State], State], gates: Tensor, state: State, sizes: list[int]
) -> tuple[Tensor, State]:
    """Backwards; see Note [Steps of a packed sequence]."""
    outputs, end, last, begin = [], sum(sizes), sizes[-1], state
    state = _rows(begin, 0, last)
    for size in reversed(sizes):
        if size > last:
            state = _stacked([state, _rows(begin, last, size)])
        each = gates.narrow(0, end - size, size)
        end -= size
        last = size
        state = step(each, state)
        outputs.append(_shown(state))
    return T["cat"](outputs[::-1], 0), state


def _rows(state: State, start: int, end: int) -> State:
    return each_state(state, lambda each: each.narrow(0, start, end - start))


def _stacked(states: list[State]) -> State:
    if isinstance(states[0], tuple):
        return tuple(T["cat"](list(column), 0) for column in zip(*states, strict=True))
    return T["cat"](states, 0)


def _need_no_projection(kwargs: dict[str, object]) -> None:
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """Elman network with tanh or relu."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _need_no_projection(kwargs)
        if len(args) > 3:
            self.nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)

    def _step_impl(self) -> Callable[..., State]:
        return rnn_step(self.nonlinearity)


class LSTM(RNNBase):
    """Long short-term memory; the state is a pair (h, c)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _step_impl(self) -> Callable[..., State]:
        return lstm_step

    def _run_impl(
        self, name: str, steps: Tensor, state: State, backwards: bool, sizes: list[int] | None
    ) -> tuple[Tensor, State]:
        if self.proj_size and steps.dtype is float32 and sizes is None and "lstm projection" not in engine.warned:
            engine.warned.add("lstm projection")
            warnings.warn(_PROJECTED, UserWarning, stacklevel=6)
        fused = steps.dtype is float32 or engine.autocast is not None
        if not fused or sizes is not None or self.proj_size:
            return super()._run_impl(name, steps, state, backwards, sizes)
        weights = getattr(self, "weight_ih" + name), getattr(self, "weight_hh" + name)
        biases = getattr(self, "bias_ih" + name, None), getattr(self, "bias_hh" + name, None)
        output, hidden, memory = lstm_layer(steps, weights, biases, state[0], state[1], backwards)
        return output, (hidden, memory)

    def _zeros_impl(self, input: Tensor, batch: int) -> State:
        count = self.num_layers * len(self._directions_impl())
        state = super()._zeros_impl(input, batch)
        return state, T["zeros"](count, batch, self.hidden_size, dtype=input.dtype, device=input.device)

    def _check_dimensions_impl(self, hx: State, ndim: int) -> None:
        if hx is not None and (hx[0].ndim != ndim or hx[1].ndim != ndim):
            kind = "unbatched" if ndim == 2 else "batched"
            raise RuntimeError(
                f"For {kind} {ndim}-D input, hx and cx should also be {ndim}-D but got ({hx[0].ndim}-D, "
                f"{hx[1].ndim}-D) tensors"
            )

    def _check_state_impl(self, state: State, batch: int) -> None:
        self._check_size_impl(state[0], batch, self.proj_size or self.hidden_size, "hidden[0] size")
        self._check_size_impl(state[1], batch, self.hidden_size, "hidden[1] size")

    def _join_impl(self, last: list[State]) -> State:
        return T["stack"]([each[0] for each in last], 0), T["stack"]([each[1] for each in last], 0)


class GRU(RNNBase):
    """Gated recurrent unit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _need_no_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def _step_impl(self) -> Callable[..., State]:
        return gru_step
