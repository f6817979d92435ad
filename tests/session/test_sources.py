"""From a thing to its expression, and from a caret to what its line made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.session.inspect.sources import Place, made_at, next_made_at, place_of
from gradviz.session.state import Selection, State
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

SNIPPET = """import torch
a = torch.tensor(2., requires_grad=True)
y = (a * 3).exp() + a
z = (
    y *
    a)
for i in range(3):
    z = z + 1.
print("nothing")
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run(SNIPPET)


@pytest.fixture
def state(trace: Trace) -> State:
    return State(trace=trace, steps=len(trace), cursor=len(trace))


def op(trace: Trace, thing: Selection | None) -> str:
    assert thing is not None and thing.kind == "node"
    return str(trace.nodes.op[thing.index])


def test_where_things_were_made(trace: Trace) -> None:
    nodes = {str(name): row for row, name in enumerate(trace.nodes.op)}
    assert place_of(trace, Selection("node", nodes["exp"])) == Place(3, 4, 3, 17)
    assert place_of(trace, Selection("tensor", 0)) == Place(2, 4, 2, 40)


def test_the_caret_in_an_expression_finds_the_smallest_first(state: State, trace: Trace) -> None:
    assert op(trace, next_made_at(state, 3, 6)) == "mul"
    assert op(trace, next_made_at(state, 3, 15)) == "exp"
    assert op(trace, next_made_at(state, 3, 19)) == "add"


def test_outside_of_all_expressions_the_line_counts(state: State, trace: Trace) -> None:
    assert op(trace, next_made_at(state, 3, 0)) == "mul"


def test_again_goes_on_and_round(state: State) -> None:
    found = made_at(state, 3, 19)
    assert len(found) == len(set(found)) == 2
    seen = []
    for _ in range(3):
        thing = next_made_at(state, 3, 19)
        seen.append(thing)
        state = replace(state, selection=thing)
    assert seen == [*found, found[0]]


def test_an_expression_over_several_lines(state: State, trace: Trace) -> None:
    assert op(trace, next_made_at(state, 5, 5)) == "mul"


def test_a_line_that_ran_often_made_several(state: State) -> None:
    nodes = [thing for thing in made_at(state, 8, 0) if thing.kind == "node"]
    assert len(nodes) == 3


def test_what_is_on_the_screen_comes_first(state: State, trace: Trace) -> None:
    second = [thing for thing in made_at(state, 8, 0) if thing.kind == "node"][1]
    early = replace(state, cursor=int(trace.nodes.step[second.index]))
    assert made_at(early, 8, 0)[-1].index >= second.index


@pytest.mark.parametrize("line", [1, 9, 99, 0])
def test_lines_that_made_nothing(state: State, line: int) -> None:
    assert made_at(state, line, 0) == []
    assert next_made_at(state, line, 0) is None
    assert next_made_at(State(), line, 0) is None
