"""Steps that carry no news are walked as one: which these are, and what is said of them."""

from __future__ import annotations

import textwrap

import pytest

from gradviz.report import step_lines
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain, explain_fold, fold_number
from tests.trace.running import run

HEAD = "import torch\nw = torch.tensor(3., requires_grad=True)\ny = w * 2\ny.backward()\n"


def traced(text: str) -> Trace:
    return run(HEAD + textwrap.dedent(text))


def folds(trace: Trace) -> list[str]:
    """The kinds of the steps that are walked as one, behind the head."""
    ends = trace.folds.ends.tolist()
    runs = zip([0, *ends], ends, strict=False)
    texts = ["+".join(Kind(kind).name.lower() for kind in trace.steps.kind[first:end]) for first, end in runs]
    assert texts[:5] == ["leaf", "forward", "backward_call", "backward+free", "accumulate"]
    return texts[5:]


def said(trace: Trace) -> list[str]:
    return [explain_fold(trace, end).sentence for end in trace.folds.ends.tolist()][5:]


def test_what_a_node_lets_go_of_is_one_step_with_its_backward() -> None:
    trace = traced("")
    sentence = explain_fold(trace, 5).sentence
    assert sentence.startswith("Grad = 1 came in") or sentence.startswith("grad = 1 came in")
    assert "MulBackward0 lets go of the number 2" in sentence
    assert fold_number(trace, 5) == "Steps 4–5"
    assert explain_fold(trace, 3).next == "MulBackward0 (line 3)"


def test_within_a_fold_each_step_speaks_for_itself() -> None:
    trace = traced("")
    assert explain_fold(trace, 4).sentence == explain(trace.frame(4)).sentence
    assert fold_number(trace, 4) == "Step 4"
    assert explain_fold(trace, 4).next == "MulBackward0 (line 3) frees its buffers"


def test_untracked_operations_are_one_step() -> None:
    trace = traced("with torch.no_grad():\n    a = w * 2\n    b = a + 1\n    c = (b - 1) * 2\n")
    assert folds(trace) == ["forward+forward+forward+forward"]
    assert said(trace) == [
        "4 untracked operations on lines 6 to 8, with gradients switched off: a = 6; b = 7; c = 12. "
        "None of this is recorded for the backward pass."
    ]


def test_a_mask_of_nine_is_written_out() -> None:
    (sentence,) = said(traced("a = torch.tril(torch.ones(3, 3))\nb = a == 0\n"))
    assert "b = [[False, True, True], [False, False, True], [False, False, False]]" in sentence


def test_a_long_run_tells_of_its_last_results() -> None:
    (sentence,) = said(traced("a = torch.ones(3).sum()\nfor i in range(200):\n    a = a + 1\n"))
    assert sentence.startswith("1 constant and 201 untracked operations on lines 5 to 7: ")
    assert "lines 5 to 7: …; " in sentence and " = 203. " in sentence and len(sentence) < 250


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("with torch.no_grad():\n    w -= 0.1 * w.grad\n", ["forward+inplace"]),
        ("with torch.no_grad():\n    a = w + 1\n    w -= 0.1 * w.grad\n", ["forward", "forward+inplace"]),
        ("w.grad.zero_()\n", ["clear_grad"]),
        ("w.grad.mul_(0.5)\n", ["inplace"]),
        ("w.grad = None\n", ["clear_grad"]),
        ("a = w.detach()\nb = a * 2\nc = b + 1\n", ["forward", "forward+forward"]),
        ("a = torch.tensor(1.)\nb = torch.tensor(2.)\n", ["leaf", "leaf"]),
        ("a = torch.ones(2).sum()\n", ["leaf+forward"]),
        ("a = torch.ones(2)\na += 1\na *= 2\n", ["leaf", "inplace+inplace"]),
        ("a = torch.ones(2)\nz = w * a\na += 1\nb = a + 1\n", ["leaf", "forward", "inplace", "forward"]),
        ("a = w.grad + 1\nprint(a)\nb = a + 1\n", ["forward", "print", "forward"]),
        ("v = torch.ones(2)\nv.requires_grad_()\n", ["leaf"]),
    ],
)
def test_what_is_news_stays_a_step(text: str, kinds: list[str]) -> None:
    assert folds(traced(text)) == kinds


def test_an_update_by_hand_says_what_was_computed_for_it() -> None:
    (sentence,) = said(traced("with torch.no_grad():\n    w -= 0.1 * w.grad\n"))
    assert sentence.startswith("w was overwritten: it is 3 − 0.2 = 2.8 now, version 1.")
    assert sentence.endswith(" Computed for it, untracked: 0.1 * w.grad = 0.2.")


def test_a_view_that_is_written_to_is_not_told_with_its_former_value() -> None:
    sentence = said(traced("b = torch.ones(3) * w\nwith torch.no_grad():\n    b[1] = 7.\n"))[-1]
    assert sentence == "b[1] was overwritten: it is 7 now, version 1. b changed with it: they share memory."
    sentence = said(traced("b = torch.ones(3) * w\nwith torch.no_grad():\n    b[1] = w * 2\n"))[-1]
    assert sentence.endswith(" they share memory. Computed for it, untracked: w * 2 = 6.")


def test_iterations_with_news_do_not_run_into_each_other() -> None:
    trace = traced("""
        x = torch.arange(4.)
        for i in range(2):
            batch = x[i] * 2
            loss = w * batch
            seen = loss.detach() + 1
            more = seen * 2
        for i in range(3):
            x = x + 1
    """)
    assert folds(trace) == ["leaf"] + 2 * ["forward+forward", "forward", "forward", "forward+forward"] + [
        "forward+forward+forward"
    ]


def test_where_nothing_is_differentiated_every_operation_is_news() -> None:
    trace = run("import torch\nx = torch.arange(6.)\ny = x.reshape(2, 3)\nz = y.sum(0)\n")
    assert trace.folds.ends.tolist() == [1, 2, 3]


def test_an_empty_trace_has_none() -> None:
    trace = run("")
    assert len(trace.folds) == 0 and trace.fold_around(0) == (0, 0) and not list(step_lines(trace))


def test_lines_have_the_numbers_of_the_window() -> None:
    trace = traced("")
    assert [line.split()[0] for line in step_lines(trace)] == ["1", "2", "3", "4–5", "6"]
    assert [line.split()[0] for line in step_lines(trace, every=True)] == ["1", "2", "3", "4", "5", "6"]


def test_moving_by_folds_goes_back_the_same_way() -> None:
    found = traced("with torch.no_grad():\n    a = w * 2\n    b = a + 1\n").folds
    assert found.ends.tolist() == [1, 2, 3, 5, 6, 8]
    assert [found.moved(0.0, by) for by in (1, 3, 3.5, 4, 6)] == [1.0, 3.0, 4.0, 5.0, 8.0]
    assert found.moved(8.0, -1) == 6.0 and found.moved(4.0, 1) == 5.5 and found.moved(1.0, -1) == 0.0
    assert found.moved(8.0, 1) > 8.0
