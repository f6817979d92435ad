"""The text of numbers and arrays, and what is said of values that do not fit."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.engine.kernel.memory import held_bytes, occurrences
from gradviz.trace.table.values import Value, array_text, edge_indices, number_text, summarise, summarise_all


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array(3.0), "3"),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
        (np.array([True, False]), "[True, False]"),
        (np.array([0.1, 1e-7]), "[0.1, 1e-07]"),
        (np.array([1.5, 2.5]).astype(ml_dtypes.bfloat16), "[1.5, 2.5]"),
        (np.array([1 + 2j, -1 - 0.5j]), "[1+2j, -1-0.5j]"),
        (np.zeros((2, 0)), "[]"),
    ],
)
def test_arrays_are_written_as_in_formulas(array: np.ndarray, text: str) -> None:
    assert array_text(array) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (7.0, "7"),
        (1 / 3, "0.3333"),
        (-2e-5, "-2e-05"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (True, "True"),
        (1 - 2j, "1-2j"),
        (1e20, "1e+20"),
        (-12345.67, "-12346"),
        (9999.96, "10000"),
        (1234567.8, "1.235e+06"),
    ],
)
def test_numbers_in_formulas(number: complex, text: str) -> None:
    assert number_text(number) == text


def value(array: np.ndarray) -> Value:
    return Value(array.shape, array.dtype.name, array, array, None)


def test_what_does_not_fit_is_described() -> None:
    assert value(np.arange(100.0)).text() == "(100,) in [0, 99]"
    assert value(np.ones((3, 50))).text() == "(3, 50) all 1"
    assert value(np.array([np.nan] * 100)).text() == "(100,) all nan"
    assert value(np.array([1.0000001, 1.0000004] * 50)).brief() == "(100,) in [1.0000001, 1.0000004]"
    assert value(np.array([1.0, np.nan] * 50)).brief() == "(100,) in [1, 1], 50 nan"
    assert value(np.zeros((0, 3))).brief() == "(0, 3) empty"
    assert value(np.array(0.25)).brief() == "0.25"


def test_a_few_elements_are_written_in_formulas() -> None:
    assert value(np.array([1.5, -1.25])).brief() == "[1.5, -1.25]"
    assert value(np.array([[1.0, np.nan], [0.0, 3.0]])).brief() == "[[1, nan], [0, 3]]"
    assert value(np.ones((2,))).brief() == "[1, 1]"
    assert value(np.arange(5.0)).brief() == "(5,) in [0, 4]"


def test_summaries() -> None:
    found = summarise(np.array([3.0, -4.0], np.float32))
    assert (found.low, found.high, found.mean, found.norm, found.nans) == (-4.0, 3.0, -0.5, 5.0, 0)
    broken = summarise(np.array([1.0, np.nan, 3.0]))
    assert (broken.low, broken.high, broken.mean, broken.nans) == (1.0, 3.0, 2.0, 1) and math.isnan(broken.norm)
    assert math.isinf(summarise(np.array([np.inf])).norm)
    assert math.isnan(summarise(np.zeros(0)).low)
    assert summarise(np.array([True, False])).mean == 0.5
    assert summarise(np.array([3 + 4j])).high == 5.0


_WATCHED = """
import time
import numpy as np
from gradviz.trace.table.values import summarise, summarise_all

one, many = np.ones(60_000, np.float32), np.ones((4, 20_000), np.float32)
summarise(one)
time.sleep(0.5)  # threads of BLAS look for work for a moment after they were made
process, thread = time.process_time(), time.thread_time()
for _ in range(40):
    summarise(one), summarise_all(many)
own = time.thread_time() - thread
print(time.process_time() - process - own, own)
"""


def test_no_other_thread_works_on_summaries() -> None:
    """On busy cores, threads of BLAS wait for each other far longer than a sum takes."""
    command, env = [sys.executable, "-c", _WATCHED], os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    printed = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
    others, own = map(float, printed.split())
    assert others < own / 4


def test_summaries_of_long_vectors() -> None:
    for size in (8_192, 8_193, 20_000, 40_001):
        array = np.linspace(-1, 2, size)
        assert math.isclose(summarise(array).norm, math.sqrt((array * array).sum()))
        norms = summarise_all(np.stack([array, array * 2]))["norm"]
        assert np.allclose(norms, summarise(array).norm * np.array([1, 2]))


def test_edges() -> None:
    assert edge_indices(4) == [0, 1, 2, 3] and edge_indices(6) == [0, 1, 2, 3, 4, 5]
    assert edge_indices(100) == [0, 1, 2, 97, 98, 99]


@st.composite
def overlapping(draw: st.DrawFn) -> np.ndarray:
    """Views whose elements share places, of any type."""
    memory = np.array(draw(st.lists(st.sampled_from([-2.5, 0.0, 1.0, 3.0, math.nan]), min_size=90, max_size=90)))
    if draw(st.booleans()):
        memory = np.nan_to_num(memory).astype(
            draw(st.sampled_from(["bool", "i4", "u1", "f2", "c8", ml_dtypes.bfloat16]))
        )
    shape = draw(st.lists(st.integers(0, 5), max_size=3))
    steps = draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, -1, -2]), min_size=len(shape), max_size=len(shape)))
    strides = [step * memory.itemsize for step in steps]
    return np.lib.stride_tricks.as_strided(memory[30:], shape, strides)  # 24 places at most before it, 36 behind it


@given(overlapping())
def test_what_stands_often_is_looked_at_once(array: np.ndarray) -> None:
    elements, often = occurrences(array)
    steps = [abs(step) * (n - 1) for n, step in zip(array.shape, array.strides, strict=True)]
    assert elements.size <= max(1, sum(steps) // array.itemsize + 1)
    again = np.repeat(elements.reshape(-1), np.broadcast_to(often, elements.shape).reshape(-1))
    assert sorted(map(str, again.tolist())) == sorted(map(str, array.reshape(-1).tolist()))
    assert held_bytes(array) <= array.nbytes


@given(overlapping())
def test_a_summary_of_what_overlaps_is_that_of_a_copy(array: np.ndarray) -> None:
    found, expected = summarise(array), summarise(array.copy())
    for name in ("low", "high", "mean", "norm", "nans"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), nan_ok=True), name


@pytest.mark.parametrize("shape", [(2**60,), (2**20, 2**20, 2**20)])
def test_a_view_of_one_element_costs_one_element(shape: tuple[int, ...]) -> None:
    one = np.broadcast_to(np.array([0.5], np.float16), shape)
    found = summarise(one)
    assert (found.low, found.high, found.mean, found.nans) == (0.5, 0.5, 0.5, 0)
    assert found.norm == 2.0**29
    assert summarise(np.broadcast_to(np.float16(math.nan), shape)).nans == 2**60
    assert occurrences(one)[0].size == 1 and held_bytes(one) == 2
    assert occurrences(np.broadcast_to(np.arange(3.0), (2**50, 3)))[0].size == 3
