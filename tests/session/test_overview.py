"""The run in numbers, and that steps about nothing leave the inspector with what was before."""

from __future__ import annotations

from gradviz.session.inspect.run_inspection import overview
from gradviz.session.moves import inspected
from gradviz.session.state import Selection, State
from gradviz.trace.table.kinds import Kind
from tests.trace.running import run

SNIPPET = """import torch
w = torch.ones(2, 3, requires_grad=True)
x = torch.ones(2, 3)
y = (w * x).sum()
y.backward()
print(y)
print(w.grad)
"""


def test_a_run_in_numbers() -> None:
    trace = run(SNIPPET)
    found = overview(State(trace=trace, steps=len(trace)))
    assert found is not None
    assert found.find("steps") == str(len(trace))
    assert found.find("operations") == "2, 2 with a grad_fn"
    assert found.find("leaves") == "1 with requires_grad, 6 elements"
    assert found.find("backward") == "1 call"
    assert found.find("buffers").endswith("at most")
    assert overview(State()) is None


def test_a_printed_line_leaves_what_was_inspected_before_it() -> None:
    trace = run(SNIPPET)
    assert trace.steps.kind[len(trace) - 1] == Kind.PRINT == trace.steps.kind[len(trace) - 2]
    before = inspected(State(trace=trace, steps=len(trace), cursor=len(trace) - 2))
    assert before is not None
    assert inspected(State(trace=trace, steps=len(trace), cursor=len(trace))) == before
    chosen = Selection("tensor", 0)
    assert inspected(State(trace=trace, steps=len(trace), cursor=len(trace), selection=chosen)) == chosen
    assert inspected(State(trace=trace, steps=len(trace), cursor=0)) is None
