"""Layers and losses over inputs of every type and of wrong shapes: what comes out, or the error, is PyTorch's."""

from __future__ import annotations

import functools
import json

import gradviz.torch as torch
from tests.engine.record_layers import GOLDEN, results

GIVEN: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
# What still differs: type checks of the kernels of reflection, and the order of two checks.
LATER = frozenset(
    (
        "nn.ReflectionPad1d(1)(torch.ones(1, 2, 3).to(torch.bool))",
        "nn.ReflectionPad1d(1)(torch.ones(0, 2))",
    )
)


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
