"""Writes to windows that overlap, and with operands in the written memory: PyTorch computes them one after another, so
that a later one reads what an earlier one wrote. The numbers are PyTorch's."""

from __future__ import annotations

import json

import pytest

import gradviz.torch as torch
from tests.engine.record_turns import COUNT, GOLDEN, observed

# What differs: results of another size than `out`, whose memory becomes larger and is read on; and which of two reasons
# `where` and `clamp_` refuse for.
DIFFER = {19, 37, 107, 123, 152, 154, 167, 191, 202, 216, 248, 288, 359, 375}


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
        ("x[:, 2:].unfold(0, 2, 1).add_(1)", [[0, 1, 3], [3, 4, 7], [6, 7, 10], [9, 10, 12]]),
        ("x[::2].add_(1)", [[1, 2, 3], [3, 4, 5], [7, 8, 9], [9, 10, 11]]),
    ],
)
def test_a_later_window_reads_what_an_earlier_one_wrote(write: str, expected: list[list[int]]) -> None:
    x = counted(4, 3)
    eval(write)
    assert x.tolist() == expected


@pytest.mark.parametrize(
    ("columns", "write", "expected"),
    [
        (4, "x.div_(x[:, :1])", [8, 4, 11, 3, 10, 6, 9, 5, 1]),
        (4, "x.sub_(x[:, 1:2], alpha=2)", [-8, 20, 27, -3, 16, 12, -9, 23, 19]),
        (4, "x[:, 1:].sub_(x[:, :-1])", [7, -3, 14, -4, 14, -8, 7, -2, 3]),
        (4, "x[:, 1:] = x[:, :-1]", [1, 1, 1, 7, 7, 7, 2, 2, 2]),
        (4, "x[:, :3].t().add_(x[:, :3])", [15, 6, 11, 6, 19, 6, 28, 10, 1]),
        (4, "x.clamp_(x[:, :1], x[:, 1:2])", [8, 4, 8, 3, 3, 3, 9, 5, 2]),
        (4, "x.diagonal().sub_(x[:, 0])", [8, 4, 11, -4, 10, 6, 9, 3, 1]),
        (4, "torch.add(x, x[:, 1:2], out=x)", [16, 20, 27, 6, 16, 12, 18, 23, 19]),
        (4, "torch.neg(x[:, :3], out=x[:, 1:4])", [-1, 1, -1, -7, 7, -7, -2, 2, -2]),
        (19, "x.div_(x[:, :1])", [3, 10, 6, 4, 11, 7, 5, 1, 8]),
        (19, "x.sub_(x[:, 1:2], alpha=2)", [19, 26, 22, 22, 29, 25, 25, 21, 28]),
        (19, "x[:, 1:].sub_(x[:, :-1])", [-4, 14, -8, -4, 15, -8, -4, 5, 3]),
        (19, "x[:, 1:] = x[:, :-1]", [7, 7, 7, 8, 8, 8, 9, 9, 9]),
        (19, "x[:, :3].t().add_(x[:, :3])", [3, 10, 6, 4, 11, 7, 5, 1, 8]),
        (19, "x.clamp_(x[:, :1], x[:, 1:2])", [3, 8, 6, 4, 9, 7, 5, 3, 8]),
        (19, "x.diagonal().sub_(x[:, 0])", [3, 10, 6, 4, 11, 7, 5, 1, 8]),
        (19, "torch.add(x, x[:, 1:2], out=x)", [19, 26, 22, 22, 29, 25, 25, 21, 28]),
        (19, "torch.neg(x[:, :3], out=x[:, 1:4])", [3, 10, 6, 4, 11, 7, 5, 1, 8]),
    ],
)
def test_an_operand_in_the_written_memory_is_read_when_its_turn_comes(
    columns: int, write: str, expected: list[float]
) -> None:
    """Of rows of 16 numbers or more, those are read before they are written, 16 at once."""
    x = (counted(3, columns) * 7 % 11 + 1).float()
    exec(write)
    assert x[:, -3:].flatten().tolist() == expected


def test_rows_that_only_lie_between_each_other_are_computed_at_once() -> None:
    x = torch.ones(300, 400)
    x[:, ::2].sub_(x[:, 1::2])
    assert (x[:, ::2] == 0).all() and (x[:, 1::2] == 1).all()


@pytest.mark.parametrize("start", range(0, COUNT, 50))
def test_random_writes_in_shared_memory_do_what_they_do_in_pytorch(start: int) -> None:
    given = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert len(given) == COUNT
    numbers = range(start, start + 50)
    found = {number: text for number in numbers if (text := observed(torch, number)) != given[number]}
    assert found.keys() == DIFFER & set(numbers), found
