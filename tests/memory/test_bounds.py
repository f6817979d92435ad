"""Views by sizes and steps are refused where an element would lie beside the memory; what else could leave it is tried
by `test_memory`."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.engine.memory import strided


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
