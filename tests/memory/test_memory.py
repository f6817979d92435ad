"""No operation reads or writes beside its memory, whatever sizes, strides, offsets, indices, types and layouts it gets:
every function and method of torch and of NumPy, as a snippet has them, is called with arguments that nobody means, in a
process that may crash. Canaries lie before, behind and between the elements of each tensor; on POSIX systems each array
has pages around it that nobody may touch. HYPOTHESIS_PROFILE=long tries hundreds of times as many."""

from __future__ import annotations

import inspect
import os
import random
import types
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run import api
from tests.memory import numpy_calls
from tests.memory.calls import Call, Feed, corpus, entered_rows, methods
from tests.memory.changes import COPY, LEAF, NONE, tracked
from tests.memory.plants import PLANTS
from tests.memory.process import Trial, Trials
from tests.memory.trial import gradients, tensors_in

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
ROUNDS = 100 if LONG else 1
BATCH = 25
some = settings(max_examples=5_000 if LONG else 25, suppress_health_check=[HealthCheck.too_slow])
VIEWS = """
as_strided as_strided_ as_strided_copy as_strided_scatter empty_strided new_empty_strided set_ resize_ resize_as_ unfold
unfold_copy expand expand_copy diagonal_scatter slice_scatter select_scatter frombuffer view stft
repeat tile diagonal trace bincount choose
""".split()
ELSEWHERE = {
    "_grad_copy": "what a leaf keeps as its gradient",
    "mkldnn_rnn_layer": "a module's row",
    "set_": "it takes memory, and computes nothing",
}
decisions = st.lists(st.tuples(st.integers(0, 2**20), st.binary(max_size=60)), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def trials() -> Iterator[Trials]:
    with Trials() as found:
        yield found


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    return corpus()


def drawn(number: int, name: str, turn: int) -> Trial:
    """The same changes of a call in every run."""
    return number, random.Random(f"{name} {number} {turn}").randbytes(80).hex()


@some
@given(decisions)
def test_any_call(trials: Trials, chosen: list[tuple[int, bytes]]) -> None:
    found = trials.run([(number % len(trials.calls), data.hex()) for number, data in chosen])
    assert len(found) == len(chosen)


@some
@given(decisions)
def test_any_view(trials: Trials, chosen: list[tuple[int, bytes]]) -> None:
    views = [number for number, name in enumerate(trials.calls) if name.rpartition(".")[2] in VIEWS]
    found = trials.run([(views[number % len(views)], data.hex()) for number, data in chosen])
    assert len(found) == len(chosen)


def test_every_call_is_tried(trials: Trials) -> None:
    found = []
    assert trials.is_fenced or os.name == "nt"
    first = {name: number for number, name in reversed(list(enumerate(trials.calls)))}
    for turn in range(ROUNDS):
        chosen = enumerate(trials.calls) if LONG else ((number, name) for name, number in first.items())
        every = [drawn(number, name, turn) for number, name in chosen]
        for start in range(0, len(every), BATCH):
            found += trials.run(every[start : start + BATCH])
    assert found.count("returned") > len(found) / 3
    assert len(found) - found.count("returned") > len(found) / 5
    assert "SystemError" not in found


@pytest.mark.parametrize("plant", PLANTS)
def test_a_fault_is_found(trials: Trials, plant: str) -> None:
    parts = ("strided", "strided_scatter") if plant == "views_are_not_compared" else ("cumsum",)
    these = [(number, name) for number, name in enumerate(trials.calls) if name.endswith(parts)]
    with pytest.raises(AssertionError, match=r"ended with status|memory beside|depends on|outside of its memory"):
        for turn in range(200):
            trials.run([drawn(number, name, turn) for number, name in these], plant)


def test_every_row_is_entered(calls: list[Call]) -> None:
    taken = 0
    with entered_rows() as entered, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            ways = ((LEAF, LEAF), (COPY, COPY), (LEAF, NONE), (NONE, NONE))
            taken += any(_is_taken(call, *way) for way in ways)
    assert taken > 0.95 * len(calls)
    assert set(ROWS) - entered == set(ELSEWHERE)


def _is_taken(call: Call, first: str, others: str) -> bool:
    """Make a call, whose tensors have a history or none, and run its gradients."""
    inputs: list[Tensor] = []

    def made(value: object) -> object:
        if isinstance(value, Feed):
            inputs.append(wrap(value.values.copy()))
            return value.specified(tracked(inputs[-1], others if inputs[1:] else first))
        return type(value)(map(made, value)) if type(value) in (list, tuple) else value

    try:
        found = call.function(*map(made, call.args), **{name: made(each) for name, each in call.keywords.items()})
        gradients(tensors_in(found), inputs)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError):
        return False
    return True


def test_every_function_of_numpy_is_called(trials: Trials) -> None:
    assert set(numpy_calls.names()) <= set(trials.calls)


def test_every_function_is_called(calls: list[Call]) -> None:
    called = {call.name.rpartition(".")[2].removesuffix("_") for call in calls}
    tables = {"torch": api.FUNCTIONS, "F": api.FUNCTIONAL, "linalg": api.LINALG, "special": api.SPECIAL}
    tables |= {"fft": api.FFT, "windows": api.WINDOWS, "Tensor": methods()}
    untried = {
        f"{space}.{name}"
        for space, table in tables.items()
        for name, function in table.items()
        if isinstance(function, types.FunctionType) and inspect.signature(function).parameters
        if name.removesuffix("_") not in called
    }  # fmt: skip
    assert sorted(untried) == []
