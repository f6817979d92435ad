"""The arguments of the backward call at the cursor, as the explanation bar writes them."""

from __future__ import annotations

from gradviz.session.inspect.sources import call_texts
from gradviz.session.state import State
from gradviz.trace.table.kinds import Kind
from tests.trace.running import run

SNIPPET = """import torch
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * w
y.backward(torch.ones(2), retain_graph=True)
torch.autograd.grad(y.sum(), x, create_graph=True)
"""


def texts(cursor: int, source: str = SNIPPET) -> tuple[str, ...]:
    trace = run(source)
    return call_texts(State(trace=trace, steps=len(trace), cursor=cursor))


def test_nothing_is_written_before_a_backward_call() -> None:
    assert texts(0) == ()
    assert texts(1) == ()


def test_every_argument_then_the_flags_then_only_what_was_given() -> None:
    trace = run(SNIPPET)
    first, second = (int(step) + 1 for step in trace.calls.step)
    assert texts(first) == (
        "backward( gradient=given  retain_graph ☑  create_graph ☐  inputs=all )",
        "backward( gradient=given  retain_graph ☑  create_graph ☐ )",
        "backward( gradient=given  retain_graph ☑ )",
    )
    assert texts(second)[0] == "autograd.grad( grad_outputs=None  retain_graph ☑  create_graph ☑  inputs=x )"


def test_the_call_is_written_until_its_last_step() -> None:
    trace = run(SNIPPET)
    end = int(trace.calls.end[0])
    assert texts(end)
    after = next(step for step in range(end + 1, len(trace)) if trace.steps.kind[step] == Kind.FORWARD)
    assert texts(after + 1) == () or texts(after + 1)[0].startswith("autograd")
