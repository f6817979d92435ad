"""Explained errors, run for real: why, what to change, and that the offered change is in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gradviz.document.documents import text_of
from gradviz.document.snippet import Snippet
from gradviz.session.comparison.differences import judge
from gradviz.session.comparison.proposals import Proposal
from gradviz.session.moves import inspected
from gradviz.session.problem import Problem, problem
from gradviz.session.state import Phase, Run, Selection, State
from gradviz.session.what_if import begun, compared, swapped
from gradviz.trace.table import schema
from gradviz.trace.table.trace import Trace
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Event

X = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n"


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(reuse=True)
    made.start("", lambda event: None).wait(60)  # the process and its threads are there before the first test
    yield made
    made.close()


def run(pool: WorkerPool, text: str) -> State:
    trace = Trace(text)

    def take(event: Event) -> None:
        if isinstance(event, Batch):
            trace.extend(schema.Batch(event.header, event.payload))

    done = pool.start(text, take).wait(60)
    assert done is not None
    snippet = Snippet(text)
    ended = Run(Phase(done.status), snippet, done.detail.sentence, done.detail.line)
    return State(document=snippet, run=ended, trace=trace, traced=snippet, steps=len(trace), cursor=len(trace))


CASES = [  # the end of the snippet, words of why, words of the fix, the end of the text with the fix in it
    (
        "y = (x * 2).sum()\ny.backward()\ny.backward()",
        "MulBackward0 (line 3) needs what it saved, but it freed the number 2 at step",
        "retain_graph=True on line 4",
        "y.backward(retain_graph=True)\ny.backward()",
    ),
    ("y = x * 2\ny.backward()", "y has shape (2,)", "gradient=", "y.backward(torch.ones_like(y))"),
    (
        "a = torch.randn(2)\nprint(torch.mm(a, torch.randn(2, 1)))",
        "first operand a has shape (2,)",
        "(1, 2) on line 4, for example with .unsqueeze(0)",
        "torch.mm(a.unsqueeze(0), torch.randn(2, 1)))",
    ),
    (
        "y = x.exp()\nz = y.sum()\ny += 1\nz.backward()",
        "ExpBackward0 (line 3) saved y at version 0",
        "new tensor",
        "y = y + 1\nz.backward()",
    ),
    ("x += 1", "leaf that requires grad", "torch.no_grad()", "with torch.no_grad():\n    x += 1"),
    (
        "w = torch.tensor(1., requires_grad=True)\ntorch.autograd.grad(x.sum(), [x, w])",
        "not used",
        "allow_unused=True",
        "[x, w], allow_unused=True)",
    ),
    ("y = x.detach() * 2\ny.sum().backward()", "no history", "requires_grad=True", "y = x * 2\ny.sum().backward()"),
    ("print(x + torch.ones(3))", "2", "unsqueeze", None),
    (
        "torch.tensor([1], requires_grad=True)",
        "integers",
        "2. instead of 2",
        "torch.tensor([1], requires_grad=True, dtype=torch.float32)",
    ),
    (
        "for _ in range(2):\n    (x * x).sum().backward()\n    x = x - 0.1 * x.grad",
        "has lost its name",
        "in place inside no_grad()",
        "with torch.no_grad():\n        x -= 0.1 * x.grad\n    x.grad = None",
    ),
    (
        "class Bad(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n        return a * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return torch.ones(3)\nBad.apply(x).sum().backward()",
        "Bad.backward() returns a gradient of the shape (3,) there, but input 0 has the shape (2,).",
        "Return a gradient of the shape (2,) for input 0 of Bad.",
        None,
    ),
]


@pytest.mark.parametrize(("tail", "why", "fix", "changed"), CASES, ids=[case[0] for case in CASES])
def test_an_explained_error(pool: WorkerPool, tail: str, why: str, fix: str, changed: str | None) -> None:
    state = run(pool, X + tail)
    assert state.run.phase is Phase.RAISED
    found = problem(state)
    assert found is not None
    assert why in found.why
    assert fix in found.fix
    assert state.trace is not None
    assert found.cursor == state.trace.error_step
    if changed is None:
        assert found.text is None
    else:
        assert found.text is not None and found.text.endswith(changed)


@pytest.mark.parametrize("tail", [case[0] for case in CASES[:6]])
def test_the_offered_change_mends_it(pool: WorkerPool, tail: str) -> None:
    found = problem(run(pool, X + tail))
    assert found is not None and found.text is not None
    assert run(pool, found.text).run.phase is Phase.OK


def test_a_syntax_error_names_its_line(pool: WorkerPool) -> None:
    found = problem(run(pool, "import torch\nx = = 1\n"))
    assert found is not None
    assert found.line == 2
    assert found.title.startswith("Line 2 · ")


def test_a_refused_call_is_a_sentence(pool: WorkerPool) -> None:
    found = problem(run(pool, "compile('1')\n"))
    assert found is not None
    assert found.line == 1
    assert "compile()" in found.message


def test_no_problem_when_all_is_well_or_the_text_has_changed(pool: WorkerPool) -> None:
    fine = run(pool, X + "(x * x).sum().backward()")
    assert problem(fine) is None
    changed = State(document=Snippet("other"), run=Run(Phase.DIED, Snippet("x"), "It ended."))
    assert problem(changed) is None
    assert problem(State(run=Run(Phase.DIED, Snippet(""), "It ended."))) == Problem("The worker ended", "It ended.")


def test_a_caught_error_is_the_problem_while_it_is_the_current_step(pool: WorkerPool) -> None:
    state = run(
        pool, X + "y = (x * 2).sum()\ny.backward()\ntry:\n    y.backward()\nexcept RuntimeError:\n    pass\nz = x + 1"
    )
    assert state.run.phase is Phase.OK and state.trace is not None and problem(state) is None
    cursor = int(state.trace.caught.step[0]) + 1
    found = problem(replace(state, cursor=cursor))
    assert found is not None and found.title == "Line 6 · RuntimeError, caught"
    assert "retain_graph=True on line 4" in found.fix and found.text is not None and found.nodes
    assert "y.backward(retain_graph=True)\ntry:" in found.text
    assert inspected(replace(state, cursor=cursor)) == Selection("node", found.nodes[0])
    assert problem(replace(state, cursor=cursor, playing=True)) is None
    assert problem(replace(state, cursor=cursor, document=Snippet("x = 1"))) is None


def test_after_a_swap_the_problem_is_that_of_the_run_in_front(pool: WorkerPool) -> None:
    written, changed = run(pool, X + "y = x.sum()\ny.backward()"), run(pool, X + "y = x * 2\ny.backward()")
    assert written.trace is not None and changed.trace is not None
    proposal = Proposal("with another line", 3, text_of(changed.document))
    verdict = judge(written.trace, changed.trace)
    other = compared(written, begun(written, proposal), changed.run, verdict)
    state = replace(written, what_if=other)
    assert problem(state) is None
    found = problem(swapped(state))
    assert found is not None and found.title == "With the change · Line 4 · RuntimeError"
    assert "y has shape (2,)" in found.why and found.text is None, "a fix of the change is none of the document"
    assert problem(swapped(swapped(state))) is None


def test_a_refusal_names_its_line_once() -> None:
    snippet = Snippet("x = 1\nimport os\n")
    ended = Run(Phase.REFUSED, snippet, "line 2: import os is not available; leave it out.", 2)
    found = problem(State(document=snippet, run=ended))
    assert found is not None
    assert (found.title, found.message) == ("Line 2 · not run", "import os is not available; leave it out.")


def test_files_that_a_run_looked_for_in_vain_are_named_beside_its_own_error(pool: WorkerPool) -> None:
    text = "import glob\nif not glob.glob('data/*.txt'):\n    raise RuntimeError('Data not found')"
    found = problem(run(pool, text))
    assert found is not None and found.message == "Data not found"
    assert found.fix == (
        "This run looked for files named 'data/*.txt' and found none: attach them, or the folder that they are in."
    )
