"""The functions of NumPy that look for overflow here first: they refuse what has no place, and else are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradviz.engine.numerics import overflow

MANY = 2**62
MOST, LEAST = 2**63 - 1, -(2**63)
X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: overflow.repeat(X, MANY),
        lambda: overflow.repeat(np.ones(2), np.array([MANY, MANY])),
        lambda: overflow.repeat(X, 2**61, axis=1),
        lambda: overflow.tile(X, (2**40, 2**40)),
        lambda: overflow.bincount(np.array([MOST])),
    ],
    ids=["repeat", "repeat each", "repeat along", "tile", "bincount"],
)
def test_what_has_no_place_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="array is too big"):
        call()


@pytest.mark.parametrize("offset", [MOST, LEAST, 2**31, -(2**31), 2**32, -(2**32) - 1])
def test_a_diagonal_beyond_all_is_empty(offset: int) -> None:
    assert overflow.diagonal(X, offset).size == 0
    assert overflow.trace(X, offset) == 0.0
    assert overflow.diag(X, offset).size == 0


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_an_output_with_gaps_is_filled_where_its_elements_are(mode: str) -> None:
    memory = np.zeros((3, 4))
    overflow.choose(np.array([0, 1, 0]), [np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])], memory[:, 1], mode)
    assert memory.tolist() == [[0, 1, 0, 0], [0, 5, 0, 0], [0, 3, 0, 0]]
    with pytest.raises(TypeError, match="invalid shape for output array"):
        overflow.choose(np.array([0, 1, 0]), [np.ones(3), np.zeros(3)], out=memory[:2, 1])


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum"])
def test_a_running_sum_has_an_output_of_its_size(name: str) -> None:
    run = overflow.CAREFUL[name]
    out = np.zeros(6)
    assert run(X, out=out).tolist() == getattr(np, name)(X).tolist() == out.tolist()
    for axis, size in ((None, (5,)), (0, (2, 2)), (1, (3, 3))):
        with pytest.raises(ValueError, match="wrong size"):
            run(X, axis, out=np.zeros(size))


def test_else_they_are_numpys() -> None:
    for ours, theirs in (
        (overflow.repeat(X, 2, 1), np.repeat(X, 2, 1)),
        (overflow.repeat(X, [1, 2], 0), np.repeat(X, [1, 2], 0)),
        (overflow.tile(X, (2, 1, 2)), np.tile(X, (2, 1, 2))),
        (overflow.bincount([1, 1, 4], minlength=7), np.bincount([1, 1, 4], minlength=7)),
        (overflow.diagonal(X, 1), np.diagonal(X, 1)),
        (overflow.trace(X, -1), np.trace(X, -1)),
        (overflow.diag([1, 2], -1), np.diag([1, 2], -1)),
        (overflow.choose([1, 0], [[1, 2], [3, 4]]), np.choose([1, 0], [[1, 2], [3, 4]])),
        (overflow.clip(X, 1, a_max=3), np.clip(X, 1, 3)),
        (overflow.clip([1, 9], min=2), np.clip([1, 9], 2, None)),
        (overflow.pad(X, 1, "edge"), np.pad(X, 1, "edge")),
        (overflow.pad(X, 1, constant_values=2), np.pad(X, 1, constant_values=2)),
    ):
        assert np.array_equal(ours, theirs) and np.asarray(ours).dtype == np.asarray(theirs).dtype
