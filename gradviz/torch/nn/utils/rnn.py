"""Sequences of different lengths: padding them to one length and cutting them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.engine.api import FUNCTIONS
from gradviz.engine.tensor import Tensor


def pad_sequence(
    sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack tensors of different first dimension, filled up with a value."""
    from gradviz.torch.nn import functional as F

    longest = max(each.shape[0] for each in sequences)
    padded = []
    for each in sequences:
        missing = longest - each.shape[0]
        ends = (0, missing) if padding_side == "right" else (missing, 0)
        pads = (0, 0) * (each.ndim - 1) + ends
        padded.append(F.pad(each, pads, value=padding_value) if missing else each)
    return FUNCTIONS["stack"](padded, 0 if batch_first else 1)  # type: ignore[no-any-return]


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """The sequences without what was filled up."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows, lengths, strict=True)]
