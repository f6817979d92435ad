"""A value copied as text makes the same value again, in NumPy and in our torch."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.session.values import numpy_text, torch_text

ARRAYS = [
    np.array(0.1, np.float32),
    np.array([1.0, -2.5e-8, 3e10], np.float32),
    np.array([[1, 2], [3, -4]], np.int64),
    np.array([True, False]),
    np.array([1 / 3, np.inf, -np.inf], np.float64),
    np.array([[]], np.float32),
    np.array([7], np.uint8),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{list(array.shape)}")
def test_numpy_text(array: np.ndarray) -> None:
    text = numpy_text(array, f"torch.{array.dtype}")
    made = eval(text, {"np": np})  # our own text, in a test
    assert made.dtype == array.dtype
    assert np.array_equal(made, array)


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{list(array.shape)}")
def test_torch_text(array: np.ndarray) -> None:
    made = eval(torch_text(array, str(array.dtype)), {"torch": torch})  # our own text, in a test
    assert str(made.dtype) == f"torch.{array.dtype}"
    assert np.array_equal(made.detach().numpy(), array)


def test_nan_has_no_literal() -> None:
    assert torch_text(np.array([np.nan], np.float32), "float32") == 'torch.tensor([float("nan")])'
