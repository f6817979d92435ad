"""Every sentence of the examples and of the tutorial programs holds, and one that would not is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.words import contributions
from gradviz.trace.words.explain import explain
from tests.trace.running import run
from tests.trace.true_sentences import look_at, problems

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    *sorted((ROOT / "resources/examples").glob("*.py")),
    *sorted((ROOT / "tests/snippets/programs").glob("torch_*.py")),
]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_sentences_of_a_program_hold(path: Path) -> None:
    assert look_at(path) == []


TWICE = """
import torch
x = torch.tensor(2., requires_grad=True)
y = x * 3
loss = y * y
loss.backward()
"""


def sentences(trace: Trace, kind: Kind) -> list[str]:
    return [
        explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == kind
    ]


def test_a_tensor_that_is_used_twice_has_its_derivative_once() -> None:
    trace = run(TWICE)
    first, second = sentences(trace, Kind.BACKWARD)
    assert first == (
        "grad = 1 came in. Through the 1st y: grad · y = 1 × 6 = 6; through the 2nd y: grad · y = 1 × 6 = 6."
    )
    assert second == "grad = 12 came in. ∂loss/∂x = grad · 3 = 12 × 3 = 36."
    assert sentences(trace, Kind.CONTRIBUTION) == [
        "y has 1 of its 2 contributions: 6 came from MulBackward0 (line 5).",
        "y has both contributions now, as 6 came from MulBackward0 (line 5): ∂loss/∂y = 6 + 6 = 12.",
    ]


def test_what_is_no_derivative_of_the_root_is_not_called_one() -> None:
    for call in ("loss.backward(torch.tensor(2.))", "y.register_hook(lambda g: g * 2); loss.backward()"):
        trace = run(TWICE.replace("loss.backward()", call))
        assert sentences(trace, Kind.BACKWARD)[1].startswith(
            "grad = 24 came in. Gradient of x = grad · 3 = 24 × 3 = 72"
        )


def test_tensors_of_one_graph_have_names_of_their_own() -> None:
    trace = run("""
import torch
w = torch.tensor(0.5, requires_grad=True)
h = w * 2
for _ in range(2):
    h = (h * w).exp()
h += 1
h.backward()
""")
    frame = trace.frame(len(trace))
    names = [frame.name(tensor) for tensor in range(len(trace.tensors)) if trace.tensors.producer[tensor] >= 0]
    assert names[:6] == ["h₁", "(h * w)₁", "h₂", "(h * w)₂", "h₃ (before line 7)", "h₃"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda frame, tensor: f"∂out/∂{frame.name(tensor)}", "has 3 contributions"),
        (lambda frame, tensor: f"gradient of {frame.name(tensor)}..", "two full stops"),
    ],
)
def test_a_false_sentence_is_found(wrong: object, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(TWICE.replace("y * y", "y * y + y"))
    monkeypatch.setattr(contributions, "gradient_name", wrong)
    monkeypatch.setattr("tests.trace.true_sentences.gradient_name", wrong)
    monkeypatch.setattr(contributions, "_expected", lambda frame, tensor: 1)
    assert any(said in each for each in problems(trace))
