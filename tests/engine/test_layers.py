"""Layers and losses over inputs of every type and of wrong shapes: what comes out, or the error, is PyTorch's."""

from __future__ import annotations

import functools
import json

import pytest

import gradviz.torch as torch
from tests.engine.record_layers import GOLDEN, results

GIVEN: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
# What still differs: the order of two checks of reflection.
LATER = frozenset(("nn.ReflectionPad1d(1)(torch.ones(0, 2))",))


@functools.cache
def ours() -> dict[str, str]:
    return results(torch)


def test_the_same_lines_are_recorded() -> None:
    assert set(ours()) == set(GIVEN)


def test_layers_answer_as_pytorchs() -> None:
    held = [line for line in GIVEN if line not in LATER]
    assert {line: ours()[line] for line in held} == {line: GIVEN[line] for line in held}


def test_what_is_left_still_differs() -> None:
    assert [line for line in LATER if ours()[line] == GIVEN[line]] == []


def test_the_largest_number_of_a_window_is_found_however_large_the_window_is() -> None:
    for side in (3, 11, 12, 16, 200):  # the places within a window are counted in one byte or two
        x = torch.zeros(1, 1, side, side)
        x[0, 0, side - 1, side - 1], x[0, 0, side - 1, side - 2] = 2.0, 2.0
        values, indices = torch.nn.functional.max_pool2d(x, side, return_indices=True)
        assert (values.item(), indices.item()) == (2.0, side * side - 2)


FOUND_LATER = [  # by random calls: an expression, and what PyTorch says
    ("F.max_pool1d(torch.ones(2, 4, 3).transpose(1, 2), 2).stride()", "(6, 2, 1)"),
    ("F.max_pool1d(torch.ones(2, 4, 3).transpose(1, 2).requires_grad_(), 2).stride()", "(6, 1, 3)"),
    ("F.soft_margin_loss(torch.ones(3).half(), torch.ones(3))", "tensor(0.3132, dtype=torch.float16)"),
    ("torch.arange(3.).scatter_reduce(0, torch.tensor(0), torch.tensor([5., 6.]), 'amax')", "tensor([5., 1., 2.])"),
    ("torch.unique_consecutive(3)", "unique_consecutive(): argument 'input' (position 1) must be Tensor, not int"),
    (
        "F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 2), align_corners=1)",
        "grid_sampler(): argument 'align_corners' (position 5) must be bool, not int",
    ),
    (
        "torch.baddbmm(torch.ones(2, 3, 4), torch.ones(1, 2, 4, 4), torch.ones(1, 2, 4, 4))",
        "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  Target "
        "sizes: [1, 2, 4].  Tensor sizes: [2, 3, 4]",
    ),
    (
        "F.max_unpool2d(torch.ones(3, 2, 4), torch.arange(24).view(3, 2, 4), 1)",
        "Found an invalid max index: 23 (output volumes are of size 2x4)",
    ),
]


@pytest.mark.parametrize(("call", "said"), FOUND_LATER)
def test_what_random_calls_found(call: str, said: str) -> None:
    try:
        found = repr(eval(call, {"torch": torch, "F": torch.nn.functional}))
    except (RuntimeError, TypeError) as error:
        found = str(error)
    assert found == said
