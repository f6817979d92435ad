"""Errors of PyTorch's that a snippet catches are steps; everything else that it catches is not."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.errors import explain_at, explain_error
from gradviz.trace.words.explain import explain
from gradviz.trace.words.jsonable import trace_json
from tests.trace.running import run

HEAD = "import torch\nx = torch.tensor(2., requires_grad=True)\ny = x * x\n"
TWICE = HEAD + "y.backward()\ntry:\n    (y + y).backward()\nexcept RuntimeError as error:\n    print('so')\nz = x * 3\n"


def caught(trace: Trace) -> list[tuple[str, int]]:
    """Type and line of each caught error."""
    steps = np.flatnonzero(trace.steps.kind == Kind.CAUGHT)
    assert steps.tolist() == trace.caught.step.tolist()
    return list(zip(trace.caught.type.tolist(), trace.steps.line[steps].tolist(), strict=True))


def test_a_caught_error_is_a_step_and_the_run_goes_on() -> None:
    trace = run(TWICE)
    assert caught(trace) == [("RuntimeError", 6)] and not len(trace.errors)
    step = int(trace.caught.step[0])
    assert step == int(trace.texts.step[0]) - 1 and trace.nodes.step[-1] > step
    assert trace.sites.source[trace.steps.site[step]] == "(y + y).backward()"
    explained = explain(trace.frame(step + 1))
    assert explained.title == "Caught: RuntimeError (line 6)"
    assert explained.sentence.startswith("MulBackward0 (line 3) needs what it saved, but it freed x at")
    assert explained.sentence.endswith("The snippet catches the error and goes on.")
    (row,) = [each for each in trace_json(trace)["steps"] if each["kind"] == "caught"]
    assert (row["type"], row["line"]) == ("RuntimeError", 6) and "second time" in row["message"]


def test_a_caught_error_is_explained_as_one_that_ends_the_run() -> None:
    text = HEAD + "y.backward()\nFIRST\n    y.backward()\nLAST"
    for later in ("z = x * 3", "z = (x * 3).exp()\nz.backward()"):
        whole = run(text.replace("FIRST", "if True:").replace("LAST", later))
        trace = run(text.replace("FIRST", "try:").replace("LAST", f"except RuntimeError:\n    pass\n{later}"))
        expected = explain_error(whole)
        assert expected is not None and expected.marks
        assert explain_at(trace.frame(int(trace.caught.step[0]) + 1)) == expected
        assert explain_at(trace.frame(len(trace))) is None and not len(trace.errors)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass", []),
        ("try:\n    raise ValueError\nexcept ValueError:\n    pass", []),
        ("try:\n    import nothing_at_all\nexcept ImportError:\n    pass", []),
        ("try:\n    x @ x\nfinally:\n    pass", []),
        ("try:\n    x @ x\nexcept ValueError:\n    pass", []),
        ("try:\n    x @ x\nexcept:\n    pass", [("RuntimeError", 5)]),
        ("def f():\n    return x @ x\ntry:\n    f()\nexcept Exception:\n    pass", [("RuntimeError", 5)]),
        ("try:\n    torch.zeros(2)[5]\nexcept (IndexError, ValueError):\n    pass", [("IndexError", 5)]),
        ("try:\n    torch.zeros('a')\nexcept TypeError:\n    pass", [("TypeError", 5)]),
        (
            "for i in range(3):\n    try:\n        x @ x\n    except RuntimeError:\n        continue",
            [("RuntimeError", 6)] * 3,
        ),
        (
            "try:\n    try:\n        x @ x\n    except RuntimeError:\n        raise\nexcept RuntimeError:\n    pass",
            [("RuntimeError", 6)],
        ),
        (
            "try:\n    try:\n        x @ x\n    except RuntimeError as e:\n        raise ValueError from e\n"
            "except ValueError:\n    pass",
            [("RuntimeError", 6)],
        ),
        (
            "def hook(g):\n    raise ValueError\ny.register_hook(hook)\n"
            "try:\n    y.backward()\nexcept ValueError:\n    pass",
            [],
        ),
        (
            "class Mine(RuntimeError):\n    def __str__(self):\n        print('never')\n"
            "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        raise Mine\n"
            "try:\n    F.apply(x)\nexcept Mine:\n    pass",
            [],
        ),
    ],
)  # fmt: skip
def test_what_counts(source: str, expected: list[tuple[str, int]]) -> None:
    trace = run(HEAD + source)
    assert caught(trace) == expected
    assert len(trace.texts) == 0


def test_an_error_that_ends_the_run_is_no_caught_one() -> None:
    trace = run(HEAD + "try:\n    x @ x\nexcept RuntimeError:\n    raise\n")
    assert caught(trace) == [("RuntimeError", 5)] and len(trace.errors) == 1
    assert not len(run(HEAD + "x @ x\n").caught)
