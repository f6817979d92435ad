"""Breakpoints: where they stop, what their conditions mean and refuse, how they move with the text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gradviz.session.breakpoints.condition_values import kind_words
from gradviz.session.breakpoints.conditions import Scan, compiled
from gradviz.session.breakpoints.points import (
    Breakpoint,
    Breakpoints,
    ConditionError,
    next_hit,
    of_selection,
    previous_hit,
    shifted,
    toggled,
)
from gradviz.session.state import Selection
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

LOOP = """\
import torch
w = torch.tensor(2., requires_grad=True)
x = torch.tensor([1., 2., 3.])
for t in range(4):
    loss = (w * x * 10 ** t).sum()
    loss.backward()
    print(t)
bad = torch.log(w - 2)
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run(LOOP)


def stops(trace: Trace, *points: Breakpoint) -> list[int]:
    scan = Scan(trace, points)
    while scan.work(0.0):
        pass
    assert scan.hits.is_complete
    assert not any(scan.hits.problems), scan.hits.problems
    return list(scan.hits.steps)


def kinds_at(trace: Trace, steps: list[int]) -> list[str]:
    return [Kind(int(trace.steps.kind[step])).name for step in steps]


def test_a_line_stops_once_whenever_the_program_comes_to_it(trace: Trace) -> None:
    found = stops(trace, Breakpoint(line=6))
    assert len(found) == 4
    assert all(trace.steps.line[step] == 6 != trace.steps.line[step - 1] for step in found)
    assert kinds_at(trace, found) == ["BACKWARD_CALL"] * 4


def test_a_kind_and_a_kind_on_a_line(trace: Trace) -> None:
    assert kinds_at(trace, stops(trace, Breakpoint(kind="accumulate"))) == ["ACCUMULATE"] * 4
    assert kinds_at(trace, stops(trace, Breakpoint(kind="accumulate", line=6))) == ["ACCUMULATE"] * 4
    assert stops(trace, Breakpoint(kind="accumulate", line=5)) == []
    assert kinds_at(trace, stops(trace, Breakpoint(kind="print"))) == ["PRINT"] * 4


def test_an_operation_stops_where_it_runs_forward_and_backward(trace: Trace) -> None:
    node = next(row for row in range(len(trace.nodes)) if trace.nodes.op[row] == "sum")
    point = of_selection(trace, Selection("node", node), len(trace))
    assert point == Breakpoint(line=5, name="sum", nth=1)
    assert kinds_at(trace, stops(trace, point)) == ["FORWARD", "BACKWARD"]
    assert len(stops(trace, Breakpoint(line=5, name="sum"))) == 8
    assert len(stops(trace, Breakpoint(name="SumBackward0"))) == 8


def test_a_tensor_stops_whenever_something_happens_to_it(trace: Trace) -> None:
    found = kinds_at(trace, stops(trace, of_selection(trace, Selection("tensor", 0), len(trace))))
    assert found[0] == "LEAF" and found.count("ACCUMULATE") == 4


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ('kind == "accumulate" and grad.abs().max() > 100', 2),
        ('name == "w" and grad >= 6 and kind == "accumulate"', 4),
        ('kind == "accumulate" and norm > 600', 2),
        ('kind == "accumulate" and not norm > 600', 2),
        ('kind == "accumulate" and 60 < norm < 700', 2),
        ("step == 3 or line == 7", 5),
        ('"mul" in op and kind == "forward" and value.shape == (3,)', 8),
        ("grad.abs().max() > 100", 8),
        ("grad is None", 0),
        ("grad.max() < 0", 0),
        ("grad.max() > 1e9 or value.isinf().any()", 1),
        ("value.isnan().any()", 0),
        ("value.isinf().any()", 1),
        ('kind == "forward" and op == "sum" and value.sum() / 6 - 1 > 10 ** 2', 2),
        ('kind == "print" and grad is None', 0),
        ("bytes > 1e9", 0),
        ("value.shape[0] == 3 and kind == 'leaf'", 1),
        ("version > 0", 0),
    ],
)
def test_a_condition_holds_where_it_should(trace: Trace, condition: str, count: int) -> None:
    assert len(stops(trace, Breakpoint(condition=condition))) == count, condition


@pytest.mark.parametrize(
    ("condition", "words", "column"),
    [
        ("__import__('os').system('x')", "no method .system()", 16),
        ("open('x')", "Write it as a method", 0),
        ("value.__class__", ".__class__ cannot be used", 5),
        ("lambda: 1", "cannot be used in a condition", 0),
        ("norm >< 2", "not valid Python", 6),
        ("nrm > 3", "nothing called nrm", 0),
        ("value.foo()", "no method .foo()", 5),
        ("value.max(0)", "takes no arguments", 0),
        ("value.abs", "with parentheses", 9),
        ("norm > 3 & step == 2", "Write and here", 7),
        ("norm ** 1e9 > 2", "power", 8),
        ("9 ** 9 ** 9 > 2", "power", 5),
        ('kind == "bakward"', 'no kind of step called "bakward"', 8),
        ("[x for x in value]", "cannot be used", 0),
        ("(step := 3)", "cannot be used", 1),
        ("f'{norm}'", "cannot be used", 0),
        ("x" * 500, "may have 400 characters", 400),
        ("+".join(["1"] * 190), "too long", 0),
        ("1" * 390 + " < 3", "too large", 0),
        ("value[0] > 1", "Only .shape", 0),
        ("value.shape[--1] > 1", "Only .shape", 0),
        ("value.shape[10 ** 9] > 1", "Only .shape", 0),
        ("(" * 250 + "norm" + ")" * 140, "not valid Python", 200),
        ("-" * 200 + "1 > 0", "too long", 0),
        ("value.__class__", "__class__ cannot be used", 5),
        ("wert.max() > 1", "nothing called wert", 0),
        ("norm > 1\0", "not valid Python", 0),
        ("norm > '\ud800'", "not valid Python", 0),
    ],
)
def test_what_is_not_understood_is_refused_at_its_place(condition: str, words: str, column: int) -> None:
    with pytest.raises(ConditionError) as caught:
        compiled(condition, frozenset(kind_words()))
    assert words in caught.value.sentence
    assert caught.value.column == column
    assert caught.value.sentence.endswith(".")


@pytest.mark.parametrize(
    "condition",
    [
        "value > 3",
        '"w" * 3 == name',
        'norm < "w"',
        "name",
        'value < "w"',
        "norm",
        "line * line",
        "not step",
        "kind * step * step == kind",
        "value == (1, (2, 3))",
        "3 in (value > (1, 2, 3, 4))",
    ],
)
def test_what_is_no_yes_or_no_is_said(trace: Trace, condition: str) -> None:
    scan = Scan(trace, (Breakpoint(condition=condition),))
    while scan.work(1.0):
        pass
    (problem,) = scan.hits.problems
    assert problem.endswith(".") and "\n" not in problem


class One:
    """Names with given meanings."""

    def __init__(self, **meanings: Any) -> None:
        self.meanings = meanings

    def look_up(self, name: str) -> Any:
        return self.meanings[name]


def test_a_value_that_was_too_large_is_asked_by_its_summary() -> None:
    big = run("import torch\nx = torch.full((300, 300), 2.0)\nx[0, 0] = -7\n")
    found = stops(big, Breakpoint(condition="value.abs().max() == 7 and value.min() < 0 and value.max() == 2"))
    assert found == [len(big) - 1]
    assert stops(big, Breakpoint(condition="value.isnan().any() or value.isinf().all()")) == []
    assert stops(big, Breakpoint(condition="value.shape == (300, 300)"))


@pytest.mark.parametrize(
    "condition", ["line + None > 1", "(1e300 ** 60) * step > 1", "step > 1 % 0", "(9 ** 64) ** 64 < 1"]
)
def test_what_has_no_result_holds_nowhere(trace: Trace, condition: str) -> None:
    assert stops(trace, Breakpoint(condition=condition)) == []


def test_how_numpy_treats_errors_is_nobody_elses_business_between_two_pieces(trace: Trace) -> None:
    scan, before = Scan(trace, (Breakpoint(condition="value.sum() > 1e9"),)), np.geterr()
    assert scan.work(0.0) and np.geterr() == before


def test_division_by_zero_does_not_hold() -> None:
    assert not compiled("version / version > 0").holds(One(version=0.0))
    assert compiled("version > 0").holds(One(version=1.0))
    assert not compiled("version > 0").holds(One(version=math.nan))


def test_a_disabled_breakpoint_stops_nowhere_and_several_stop_at_each(trace: Trace) -> None:
    assert stops(trace, Breakpoint(line=6, enabled=False)) == []
    both = stops(trace, Breakpoint(line=6), Breakpoint(kind="print"))
    assert both == sorted(both) and len(both) == 8


def test_next_and_previous() -> None:
    hits = (3, 7)
    assert [next_hit(hits, cursor) for cursor in (0, 3, 4, 8)] == [4, 4, 8, None]
    assert [previous_hit(hits, cursor) for cursor in (0, 4, 5, 8, 9)] == [None, None, 4, 4, 8]


def test_toggling_takes_away_what_is_there() -> None:
    points = toggled((), Breakpoint(line=3))
    assert points == (Breakpoint(line=3),)
    assert toggled((Breakpoint(line=3, condition="norm > 1", enabled=False),), Breakpoint(line=3)) == ()


@pytest.mark.parametrize(
    ("new", "line"),
    [
        ("a\nb\nc\nd", 3),
        ("a\nb\nnew\nc\nd", 4),
        ("new\na\nb\nc\nd", 4),
        ("b\nc\nd", 2),
        ("a\nb\nchanged\nd", 3),
        ("a\nb\nc\nd\ne", 3),
        ("a\nb\nc more\nd", 3),
        ("a\nb\nd", None),
        ("", None),
    ],
)
def test_a_line_breakpoint_moves_with_its_line(new: str, line: int | None) -> None:
    moved = shifted((Breakpoint(line=3),), "a\nb\nc\nd", new)
    assert [point.line for point in moved] == ([line] if line else [])


def test_titles_say_what_stops() -> None:
    assert Breakpoint(line=9, condition="norm > 5").title == "line 9, when norm > 5"
    assert Breakpoint(kind="accumulate").title == "every step of kind accumulate"
    assert Breakpoint(line=6, name="tanh", nth=3).title == "tanh number 3 on line 6"
    assert Breakpoint(condition="norm > 5").title == "when norm > 5"


def test_the_lines_for_the_editor() -> None:
    points = (Breakpoint(line=3), Breakpoint(line=4, enabled=False), Breakpoint(line=5, name="mul"))
    assert Breakpoints(points).lines() == {3: True, 4: False}


def test_a_line_that_is_a_whole_loop_stops_at_each_iteration() -> None:
    one_line = run("import torch\ny = torch.ones(2)\nfor t in range(4): z = y * t; y = z + torch.ones(2)\ny = y * 2\n")
    regions = one_line.regions
    begins = regions.step[regions.kind == RegionKind.ITERATION].tolist()
    assert len(begins) == 4 and stops(one_line, Breakpoint(line=3)) == begins
    body = run("import torch\ny = torch.ones(2)\nfor t in range(4):\n    y = y * t * 2\n")
    assert len(stops(body, Breakpoint(line=4))) == 4 and stops(body, Breakpoint(line=3)) == []
