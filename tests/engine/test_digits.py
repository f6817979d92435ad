"""Single precision to the last digit: how many of PyTorch's numbers ours are, for each elementary function.

What is not equal is off by one in the last binary digit: see Note [The last digit] in
`gradviz/engine/numerics/functions.py`. Sums are equal: see Note [The order of a sum] in
`gradviz/engine/numerics/sums.py`.
"""

from __future__ import annotations

import functools
import itertools
import json
import math

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.engine.numerics import rounding
from gradviz.engine.numerics.functions import chosen, erf
from gradviz.trace.table.values import DTYPES, numpy_dtype
from tests.engine.record_digits import COUNT, GOLDEN, computed, sums

# The share of numbers that may be off by one; those that are not named agree but for two in a hundred.
SHARES = {
    "sin": 0.08,
    "cos": 0.08,
    "tan": 0.25,
    "sinh": 0.3,
    "cosh": 0.3,
    "atan": 0.1,
    "log": 0.1,
    "pow 0.5": 0.2,
    "softmax": 0.1,
    "softplus": 0.08,
}
LAST_DIGIT = 2.0**-23


@functools.cache
def ours() -> dict[str, list[float]]:
    return computed(torch) | sums(torch)


GIVEN: dict[str, list[float]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_the_same_functions_are_recorded() -> None:
    assert set(ours()) == set(GIVEN)


@pytest.mark.parametrize("name", GIVEN)
def test_digits_are_pytorchs(name: str) -> None:
    mine, theirs = np.array(ours()[name]), np.array(GIVEN[name])
    assert np.sum(mine != theirs) <= SHARES.get(name, 0.02) * COUNT
    np.testing.assert_allclose(mine, theirs, rtol=2 * LAST_DIGIT, atol=0)


@pytest.mark.parametrize("name", sums(torch))
def test_many_numbers_are_added_in_pytorchs_order(name: str) -> None:
    assert ours()[name] == GIVEN[name]


@pytest.mark.parametrize(
    ("terms", "columns"), [(2, 1), (5, 1), (19, 1), (100, 1), (600, 1), (5, 2), (64, 4), (200, 10)]
)
def test_a_row_is_multiplied_with_one_rounding_a_term(terms: int, columns: int) -> None:
    """As PyTorch's BLAS does on processors with AVX2 and with AVX-512; the weight of a linear regression with one input
    gets its gradient this way."""
    rng = np.random.default_rng(terms)
    for _ in range(20):
        row, matrix = rng.standard_normal((1, terms)), rng.standard_normal((terms, columns))
        row, matrix = row.astype(np.float32).astype(float), matrix.astype(np.float32).astype(float)
        right = np.zeros((1, columns), np.float32)
        for each in range(terms):
            right = (row[:, each : each + 1] * matrix[each] + right).astype(np.float32)  # exact until it is rounded
        found = torch.tensor(row, dtype=torch.float32) @ torch.tensor(matrix, dtype=torch.float32)
        assert found.tolist() == right.tolist()


@pytest.mark.parametrize("size", [7, 5_000])
@pytest.mark.parametrize("name", [*DTYPES])
def test_a_choice_has_the_bits_of_numpys(name: str, size: int) -> None:
    rng = np.random.default_rng(size)
    dtype = numpy_dtype(name)
    first, second = (
        np.frombuffer(rng.integers(0, 2, size, np.int8) if name == "bool" else rng.bytes(size * dtype.itemsize), dtype)
        for _ in range(2)
    )
    random = rng.random(size) < 0.5
    which = random, rng.random((3, size)) < 0.5, random.view(np.uint8), np.ones(size, np.uint8) * 2
    number = second[0]
    for mask, yes, no in itertools.product(which, (first, first[::-1], number), (second, np.array(number))):
        found, right = chosen(mask, yes, no), np.where(mask, yes, no)
        assert (found.dtype, found.shape, found.tobytes()) == (right.dtype, right.shape, right.tobytes())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_without_a_factor_is_rounded_like_one_with_the_factor_1(dtype: type[np.floating]) -> None:
    rng = np.random.default_rng(1)
    powers = 10.0 ** rng.integers(-9, 9, (2, 50_000))
    first, second = (rng.standard_normal((2, 50_000)) * powers).astype(dtype)
    first[:4], second[:4] = [0.0, np.inf, np.nan, 1.0], [-0.0, -np.inf, 1.0, np.inf]
    found, right = rounding.add(first, second, 1), rounding.fma(second, 1, first)
    assert found.dtype == dtype and found.tobytes() == right.tobytes()
    assert np.signbit(rounding.add(np.full(2, -0.0, dtype), np.full(2, -0.0, dtype), 1)).all()  # as in PyTorch


def test_erf_of_many_numbers_is_that_of_each() -> None:
    x = np.concatenate([np.linspace(-7, 7, 20_001), np.geomspace(1e-44, 1, 5_000), [np.inf, -np.inf, np.nan, -0.0]])
    many = x.astype(np.float32)
    each = np.array([math.erf(float(number)) for number in many], np.float32)
    found = erf(many)
    assert found.dtype == np.float32 and np.array_equal(found[-4:], each[-4:], equal_nan=True)
    assert np.signbit(found[-1]) and np.array_equal(found, each, equal_nan=True)
