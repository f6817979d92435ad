"""Views by sizes and steps are refused where an element would lie beside the memory; what else could leave it is tried
by `test_memory`."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.engine.kernel.batched import plain
from gradviz.engine.kernel.memory import check_count, check_room, sliding, storage_bytes, strided


@pytest.mark.parametrize(
    ("size", "steps", "start"),
    [((2,), (64,), 0), ((2,), (8,), 56), ((2,), (-8,), 0), ((1,), (8,), -8), ((9,), (8,), 0)],
)
def test_no_view_is_made_beside_its_memory(size: tuple[int, ...], steps: tuple[int, ...], start: int) -> None:
    with pytest.raises(ValueError, match="lies outside of 64 bytes of memory"):
        strided(np.zeros(64, np.uint8), np.float64, size, steps, start)


@pytest.mark.parametrize(("size", "stride", "offset"), [((9,), (1,), 0), ((2,), (2**40,), 0), ((1,), (1,), 8)])
def test_a_view_that_leaves_its_memory_is_pytorchs_error(
    size: tuple[int, ...], stride: tuple[int, ...], offset: int
) -> None:
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
        torch.zeros(8).as_strided(size, stride, offset)


def test_more_bytes_than_64_bits_count_are_refused() -> None:
    with pytest.raises(RuntimeError, match="overflow"):
        torch.zeros(8).as_strided((2, 2), (2**62, 2**62))
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        storage_bytes((3,), (2**62,), 4)
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        check_count((2**40, 2**40), 1)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        check_room((2**40, 2**22), 8)


def test_windows_are_as_long_as_they_said_when_they_were_compared() -> None:
    class Lying(int):
        def __gt__(self, other: object) -> bool:
            return False

        def __rsub__(self, other: object) -> int:
            return 1

    x = np.arange(4.0)
    with pytest.raises(ValueError, match="window shape cannot be larger"):
        sliding(x, [Lying(5)], [0])


@pytest.mark.parametrize("answer", [[1.0], bytearray(b"12"), (1, 2), "1", None])
def test_what_an_operator_answers_is_a_number_or_is_refused(answer: object) -> None:
    """Whatever came past the check of arguments: NumPy would read a list, and share the memory of a bytearray."""

    class Answering(float):
        def __mul__(self, other: object) -> object:
            return answer

    with pytest.raises(TypeError, match="an operation with a number came to a"):
        plain(Answering(2) * 3)
    assert plain(2.0 * 3).shape == plain(np.float32(2) * 3).shape == ()
