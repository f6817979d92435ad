"""Where the elements of results lie: in PyTorch's order, so that `view` after an operation works where it works there,
and numbers are drawn in the same order."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

import gradviz.torch as torch
from tests.engine.record_layout import GOLDEN, strides

GIVEN: dict[str, dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


@functools.cache
def ours() -> dict[str, dict[str, Any]]:
    return strides(torch)


def test_the_same_lines_are_recorded() -> None:
    assert set(ours()) == set(GIVEN)


@pytest.mark.parametrize("line", GIVEN)
def test_results_lie_as_pytorchs_do(line: str) -> None:
    assert ours()[line] == GIVEN[line]


def test_heads_that_attention_joins_can_be_viewed() -> None:
    x = torch.ones(2, 4, 3, 5).transpose(1, 2)
    out = torch.nn.functional.scaled_dot_product_attention(x, x, x)
    assert out.transpose(1, 2).view(2, 4, 15).shape == (2, 4, 15)
