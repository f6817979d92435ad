"""Sequences of different lengths: padded into one tensor, and packed step by step without the padding. The functions
for snippets are in `gradviz.torch.nn.utils.rnn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.numerics.overflow import repeat
from gradviz.engine.run.api import FUNCTIONS, api
from gradviz.engine.run.apply import call_all
from gradviz.engine.run.arguments import need_tensors

F = FUNCTIONS


def _places(batch_sizes: Array) -> tuple[Array, Array]:
    """The time and the sequence of each row of the packed data."""
    times = repeat(np.arange(len(batch_sizes)), batch_sizes)
    starts = np.cumsum(batch_sizes) - batch_sizes
    return times, np.arange(len(times)) - repeat(starts, batch_sizes)


def _packed(x: Array, *, lengths: tuple[int, ...], batch_first: bool) -> tuple[Array, Array]:
    each = np.asarray(lengths)
    batch_sizes = (each[None, :] > np.arange(each[0])[:, None]).sum(1).astype(np.int64)
    times, rows = _places(batch_sizes)
    return (x[rows, times] if batch_first else x[times, rows]), batch_sizes


def _unpacked(grads: Any, self_shape: object, result1: Tensor, batch_first: bool) -> Any:
    times, rows = (wrap(each) for each in _places(result1._data))
    at = (rows, times) if batch_first else (times, rows)
    return grads[0].new_zeros(self_shape).index_put(at, grads[0])


PACK = op(
    "_pack_padded_sequence",
    "self",
    _packed,
    node="PackPaddedSequenceBackward0",
    outputs="result0, result1",
    category="layers",
    symbol="pack",
    latex=r"x_{t, b},\; t < l_b",
    brief="The sequences of a padded batch, step by step, without the padding.",
    self=sentence("grad at the places that were taken, zeros at the padding", _unpacked),
)

_NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
    "need ONNX exportability."
)


@api("_pack_padded_sequence", where="torch")
def pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: bool = False) -> tuple[Tensor, ...]:
    """The packed data and how many sequences each step has."""
    if lengths._data.ndim != 1 or lengths.dtype is not dtypes.int64:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths._data.ndim}D cpu "
            f"{lengths.dtype.title} tensor"
        )
    if not input._data.size:
        raise RuntimeError("Cannot pack empty tensors.")
    if input._data.ndim < 2:
        input.size(1)  # PyTorch's error for a missing dimension
    batch = input._data.shape[0 if batch_first else 1]
    each = lengths._data
    if len(each) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(each)} (batch_size={batch})"
        )
    if (each <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (np.diff(each) > 0).any():
        raise RuntimeError(_NOT_SORTED)
    longest = input._data.shape[1 if batch_first else 0]
    if each[0] > longest:
        raise RuntimeError(
            f"pack_padded_sequence() got a length of {each[0]} in GradViz for an input of {longest} steps; "
            "give lengths that the input has"
        )
    return call_all(PACK, input, lengths=tuple(each.tolist()), batch_first=batch_first)


@api("_pad_packed_sequence", where="torch")
def pad_packed_sequence(
    data: Tensor, batch_sizes: Tensor, batch_first: bool, padding_value: float, total_length: int
) -> tuple[Tensor, Tensor]:
    """The padded batch and the lengths; runs of steps with the same sequences are written at once."""
    sizes = batch_sizes._data
    rest = data._data.shape[1:]
    out: Tensor = F["full"]((total_length, int(sizes[0]), *rest), padding_value, dtype=data.dtype)
    ends = [*(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(sizes)]
    start = taken = 0
    for end in ends:
        size = int(sizes[start])
        count = size * (end - start)
        part = data[taken : taken + count].view(end - start, size, *rest)
        out[start:end][:, :size].copy_(part)
        start, taken = end, taken + count
    lengths = (sizes[:, None] > np.arange(sizes[0])[None, :]).sum(0).astype(np.int64)
    return (out.transpose(0, 1) if batch_first else out), wrap(lengths)


@api("_pad_sequence", where="torch")
def pad_sequence(sequences: tuple[Tensor, ...], batch_first: bool, padding_value: float, padding_side: str) -> Tensor:
    """Tensors of different first dimension, written one by one into a tensor filled with a value."""
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    need_tensors(sequences)
    if not sequences[0]._data.ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    rest = sequences[0]._data.shape[1:]
    longest = max(each._data.shape[0] for each in sequences)
    lead = (len(sequences), longest) if batch_first else (longest, len(sequences))
    out: Tensor = F["full"]((*lead, *rest), padding_value, dtype=sequences[0].dtype)
    for i, each in enumerate(sequences):
        length = each._data.shape[0]
        steps = slice(0, length) if padding_side == "right" else slice(longest - length, longest)
        (out[i] if batch_first else out[:, i])[steps].copy_(each)
    return out
