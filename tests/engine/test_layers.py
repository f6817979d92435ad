"""Layers and losses over inputs of every type and of wrong shapes: what comes out, or the error, is PyTorch's."""

from __future__ import annotations

import functools
import json

import gradviz.torch as torch
from tests.engine.record_layers import GOLDEN, results

GIVEN: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
# What still differs: type checks of the kernels of random numbers and of reflection, and the order of two checks.
LATER = frozenset(
    (
        "nn.Dropout(0.5)(torch.ones(2).to(torch.complex64))",
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
