"""Writes to windows that overlap: PyTorch computes them one after another, so that a later one reads what an earlier
one wrote. The numbers are PyTorch's."""

from __future__ import annotations

import pytest

import gradviz.torch as torch


def counted(*shape: int) -> torch.Tensor:
    return torch.arange(torch.Size(shape).numel()).reshape(shape)


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        ("x.unfold(0, 2, 1).add_(1)", [[1, 2, 3], [5, 6, 7], [8, 9, 10], [10, 11, 12]]),
        ("x.unfold(0, 2, 1).mul_(2)", [[0, 2, 4], [12, 16, 20], [24, 28, 32], [18, 20, 22]]),
        ("x.as_strided((3, 2), (1, 1)).add_(1)", [[1, 3, 4], [4, 4, 5], [6, 7, 8], [9, 10, 11]]),
        ("x.unfold(0, 2, 1)[1:].copy_(x.unfold(0, 2, 1)[:-1])", [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]]),
        ("x.unfold(1, 2, 1).add_(1)", [[1, 3, 3], [4, 6, 6], [7, 9, 9], [10, 12, 12]]),
        ("x[::2].add_(1)", [[1, 2, 3], [3, 4, 5], [7, 8, 9], [9, 10, 11]]),
    ],
)
def test_a_later_window_reads_what_an_earlier_one_wrote(write: str, expected: list[list[int]]) -> None:
    x = counted(4, 3)
    eval(write)
    assert x.tolist() == expected
