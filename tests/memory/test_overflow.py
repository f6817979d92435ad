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
        lambda: overflow.repeat(X[0], [2.0**62] * 3),
        lambda: overflow.repeat(X[0], [str(MANY)] * 3),
        lambda: overflow.tile(X, (2**40, 2**40)),
        lambda: overflow.bincount(np.array([MOST])),
    ],
    ids=["repeat", "repeat each", "repeat along", "repeat by fractions", "repeat by texts", "tile", "bincount"],
)
def test_what_has_no_place_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="array is too big"):
        call()


@pytest.mark.parametrize("offset", [MOST, LEAST, 2**31, -(2**31), 2**32, -(2**32) - 1])
def test_a_diagonal_beyond_all_is_empty(offset: int) -> None:
    assert overflow.diagonal(X, offset).size == 0
    assert overflow.trace(X, offset) == 0.0
    assert overflow.diag(X, offset).size == 0
    assert overflow.OF_LINALG["diagonal"](X, offset=offset).size == 0  # type: ignore[attr-defined]
    assert overflow.OF_LINALG["trace"](X, offset=offset) == 0.0


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_an_output_with_gaps_is_filled_where_its_elements_are(mode: str) -> None:
    memory = np.zeros((3, 4))
    overflow.choose(np.array([0, 1, 0]), [np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])], memory[:, 1], mode)
    assert memory.tolist() == [[0, 1, 0, 0], [0, 5, 0, 0], [0, 3, 0, 0]]
    with pytest.raises(TypeError, match="invalid shape for output array"):
        overflow.choose(np.array([0, 1, 0]), [np.ones(3), np.zeros(3)], out=memory[:2, 1])


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
def test_a_running_sum_has_an_output_of_its_size(name: str) -> None:
    run = overflow.CAREFUL[name]
    out = np.zeros(6)
    assert run(X, out=out).tolist() == getattr(np, name)(X).tolist() == out.tolist()
    for axis, size in ((None, (5,)), (0, (2, 2)), (1, (3, 3))):
        with pytest.raises(ValueError, match="wrong size"):
            run(X, axis, out=np.zeros(size))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_so_has_one_that_may_begin_before_the_first_element(name: str) -> None:
    run, theirs = overflow.CAREFUL[name], getattr(np, name)
    for initial in (False, True):
        out = np.zeros((2, 3 + initial))
        given: dict[str, object] = {"axis": 1, "include_initial": initial}
        assert run(X, out=out, **given).tolist() == theirs(X, **given).tolist() == out.tolist()  # type: ignore[attr-defined]
        for size in ((2, 4 - initial), (3, 3 + initial)):
            with pytest.raises(ValueError, match="wrong size"):
                run(X, out=np.zeros(size), **given)
    assert run(X[0]).tolist() == theirs(X[0]).tolist()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "axes"), [("irfft", -1), ("hfft", 1), ("irfft2", (0, 1)), ("irfftn", (-1,))])
def test_a_transform_to_real_numbers_begins_with_an_element(name: str, axes: Any) -> None:
    run, theirs, sizes = (
        overflow.OF_FFT[name],
        getattr(np.fft, name),
        (4,) if name == "irfftn" else (2, 4) if name == "irfft2" else 4,
    )
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        run(np.zeros((2, 0)), sizes, axes)
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        run(np.zeros((2, 0)), sizes, **{"axis" if name in ("irfft", "hfft") else "axes": axes})
    assert run(X, sizes, axes).tolist() == theirs(X, sizes, axes).tolist()
    assert run(np.zeros((0, 3)), sizes, axes).shape == theirs(np.zeros((0, 3)), sizes, axes).shape


def test_whole_numbers_are_drawn_within_limits_that_are_there() -> None:
    draws = [np.random.RandomState(0).randint, np.random.default_rng(0).integers]
    for draw in draws:
        run = overflow.within(draw)
        for low, high in (([], None), (0, []), (np.zeros((4, 0), int), 5)):
            with pytest.raises(ValueError, match="limits without elements"):
                run(low, high, size=(4, 1))
        assert run([], 5).shape == (0,)
        assert 0 <= run(7) < 7 and run(2, 5, (3, 2)).shape == (3, 2) and run([2, 3], size=2).shape == (2,)


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
