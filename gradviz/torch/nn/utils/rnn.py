"""Sequences of different lengths: padded to one length, packed one after another without the padding, and separated
again. The loop over a packed sequence is in `modules/rnn.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from gradviz.engine.kernel.dtypes import int64
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FUNCTIONS as T

_A = TypeVar("_A")
_B = TypeVar("_B")


class PackedSequence_(NamedTuple):
    """The fields of a packed sequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def bind(optional: _A | None, fn: Callable[[_A], _B]) -> _B | None:
    """The function applied to a value that may be None."""
    return None if optional is None else fn(optional)


class PackedSequence(PackedSequence_):
    """Sequences step by step: first elements of all, longest first, then the second elements of those that have one."""

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: object, **kwargs: object) -> PackedSequence:
        """With the data in another type."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self, *args: object, **kwargs: object) -> PackedSequence:
        """The sequence itself: everything is on the CPU."""
        return self.to(*args, **kwargs)

    def double(self) -> PackedSequence:
        """As float64."""
        return self.to(self.data.double().dtype)

    def float(self) -> PackedSequence:
        """As float32."""
        return self.to(self.data.float().dtype)

    def half(self) -> PackedSequence:
        """As float16."""
        return self.to(self.data.half().dtype)

    def long(self) -> PackedSequence:
        """As int64."""
        return self.to(self.data.long().dtype)

    def int(self) -> PackedSequence:
        """As int32."""
        return self.to(self.data.int().dtype)

    def short(self) -> PackedSequence:
        """As int16."""
        return self.to(self.data.short().dtype)

    def char(self) -> PackedSequence:
        """As int8."""
        return self.to(self.data.char().dtype)

    def byte(self) -> PackedSequence:
        """As uint8."""
        return self.to(self.data.byte().dtype)

    @property
    def is_cuda(self) -> bool:
        """Return False."""
        return False

    def is_pinned(self) -> bool:
        """Return False."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The inverse of a permutation."""
    if permutation is None:
        return None
    made: Tensor = T["empty_like"](permutation)
    return made.scatter_(0, permutation, T["arange"](0, permutation.numel()))


def pack_padded_sequence(
    input: Tensor, lengths: object, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The sequences of a padded batch, step by step, without the padding."""
    lengths = lengths.to(int64) if isinstance(lengths, Tensor) else T["as_tensor"](lengths, dtype=int64)
    order = None
    if not enforce_sorted:
        lengths, order = T["sort"](lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = T["_pack_padded_sequence"](input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The padded batch of a packed sequence, and the lengths of the sequences."""
    longest = sequence.batch_sizes.shape[0]
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    padded, lengths = T["_pad_packed_sequence"](
        sequence.data, sequence.batch_sizes, batch_first, padding_value, total_length or longest
    )
    back = sequence.unsorted_indices
    if back is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, back), lengths[back]


def pad_sequence(
    sequences: object, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack tensors of different first dimension, padded with a value."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return T["_pad_sequence"](tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences without the padding."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    at = T["arange"](padded_sequences.shape[1])
    return [row[at < length] for row, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of different lengths, step by step."""
    lengths = T["as_tensor"]([each.size(0) for each in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed sequence."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
