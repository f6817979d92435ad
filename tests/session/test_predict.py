"""Predicting: which steps ask, what is right, what becomes of the cursor and the score, and that what is asked for is
not known before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradviz import RESOURCES
from gradviz.document.snippet import Snippet
from gradviz.session import predict, run_transitions
from gradviz.session.predict import is_right, typed_numbers
from gradviz.session.state import Phase, Run, State
from gradviz.session.store import Store
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.questions import HINTS, Question, question_in
from tests.trace.running import run as trace_of

TWICE = """import torch
w = torch.tensor(3., requires_grad=True)
x = torch.tensor(2.)
y = w * x
loss = y * y + w
loss.backward()
print(w.grad)
"""


def questions(trace: Trace) -> list[Question]:
    """All of a run, as one meets them."""
    ends = trace.folds.ends.tolist()
    found = (question_in(trace, start, end, str.upper) for start, end in zip([0, *ends], ends, strict=False))
    return [one for one in found if one is not None]


def store_of(text: str) -> Store:
    """A store in which one predicts, before the first step of a run."""
    store, snippet = Store(), Snippet(text)
    store.open(snippet, None)
    store.start_run(snippet)
    store.end_run(Run(Phase.OK, snippet), trace_of(text))
    store.consult(lambda state: run_transitions.predicting(state, True))
    return store


def walk_to_question(store: Store) -> Question:
    while store.state.predict.asked is None:
        store.move(store.state.trace.fold_around(store.state.cursor + 1)[1] if store.state.trace else 0)
    return store.state.predict.asked


def test_each_number_that_can_be_worked_out_is_asked_for_in_order() -> None:
    asked = [(one.subject, one.answer, one.part) for one in questions(trace_of(TWICE))]
    assert asked == [
        ("y", "6", "value"),
        ("y * y", "36", "value"),
        ("loss", "39", "value"),
        ("∂loss/∂(y * y)", "1", "grad"),
        ("what goes through the 1st y", "6", "contribution"),
        ("∂loss/∂y", "12", "sum"),
        ("what goes through this use of w", "24", "contribution"),
        ("∂loss/∂w", "25", "sum"),
        ("w.grad", "25", "grad"),
    ]


def test_the_hints_are_the_rule_the_symbols_and_the_numbers_without_the_result() -> None:
    by_subject = {one.subject: one for one in questions(trace_of(TWICE))}
    product = by_subject["what goes through this use of w"]
    assert product.prompt == "What does MulBackward0 (line 4) send through this use of w?"
    assert product.hints == (
        "The rule of MulBackward0 for self: grad · other.",
        "through this use of w: grad · x = ?",
        "through this use of w: 12 × 2 = ?",
    )
    assert by_subject["∂loss/∂y"].hints[2] == "∂loss/∂y = 6 + 6 = ?"
    assert by_subject["loss"].hints[2] == "36 + 3"
    assert by_subject["y"].hints[1] == "Line 4: w * x"


def test_an_optimizer_and_a_write_in_place_ask_for_the_new_number() -> None:
    found = questions(
        trace_of(
            "import torch\nw = torch.tensor(3., requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.5)\n"
            "(w * 4).backward()\nopt.step()\nwith torch.no_grad():\n    w -= 0.25 * w.grad\n"
        )
    )
    step, write = found[-2:]
    assert (step.subject, step.answer, step.prompt) == ("w", "1", "What is w after the step of SGD?")
    assert step.hints[1:] == ("w ← w − lr · w.grad", "w ← 3 − 0.5 × 4")
    assert (write.subject, write.answer) == ("w", "0")


def test_of_a_larger_array_the_shape_is_picked() -> None:
    text = "import torch\nW = torch.ones(3, 2, requires_grad=True)\nx = torch.ones(4, 3)\n(x @ W).sum().backward()\n"
    asked = {one.subject: one for one in questions(trace_of(text))}
    made, grad = asked["shape of x @ W"], asked["shape of ∂((x @ W).sum())/∂W"]
    assert (made.answer, grad.answer) == ("(4, 2)", "(3, 2)")
    assert made.choices == tuple(sorted(made.choices, key=len)) and 2 <= len(made.choices) <= 4
    assert made.answer in made.choices and not made.numbers


def test_what_nobody_can_work_out_is_not_asked_for() -> None:
    text = "import torch\ntorch.manual_seed(1)\na = torch.rand(2)\nb = torch.bernoulli(a)\nprint(b)\n"
    assert not questions(trace_of(text))


def test_no_hint_and_no_prompt_has_the_answer_of_an_unusual_number() -> None:
    """But for what takes the gradient that came as it is."""
    numbers = TWICE.replace("3.,", "1.2347,").replace("2.)", "2.3459)")
    for asked in questions(trace_of(numbers)):
        assert asked.answer not in " ".join((asked.prompt, asked.title, asked.subject, *asked.hints[:2]))
        if asked.subject != "w.grad" and not asked.hints[2].endswith("comes in."):
            assert f"= {asked.answer}" not in asked.hints[2]


def test_a_hint_about_a_layer_and_a_clamp_is_of_what_ran() -> None:
    """Not of the products of sparse matrices, nor of bounds for each element."""
    text = "import torch\nlayer = torch.nn.Linear(2, 1)\ny = layer(torch.ones(1, 2)).clamp(min=0)\n"
    store, found = store_of(text), list[str]()
    while store.state.cursor < store.state.steps:
        store.move(store.state.cursor + 1)
        if store.state.predict.asked is not None:
            found.append(store.state.predict.asked.hints[0])
            store.consult(predict.shown)
    assert found[-2:] == ["addmm: A product of matrices plus a third.", "clamp: Limits each element to a range."]


def test_a_hint_has_the_digits_that_its_arithmetic_takes() -> None:
    asked = questions(
        trace_of("import torch\na = torch.tensor([2.99361, 1.0])\nb = torch.tensor([3.0, 4.0])\nd = a - b")
    )
    assert asked[-1].hints[-1] == "[2.9936, 1] − [3, 4]"
    made = questions(
        trace_of("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward(create_graph=True)")
    )
    assert not [hint for one in made for hint in one.hints if hint == "1 = 1"]


def test_a_hint_about_a_write_in_place_reads_what_was_there_before() -> None:
    """In a module, and in a Function that marks its input: the result is another tensor, which is not known yet."""
    of_module = "import torch\nx = torch.tensor([-3., 5.])\nout = torch.nn.ReLU(inplace=True)(x)\n"
    assert [one.hints[2] for one in questions(trace_of(of_module))] == ["x = [-3, 5]"]
    scaled = "import torch\nx = torch.tensor([1., 2.])\ng = torch.tensor([4., 4.])\nx.add_(g, alpha=-0.5)\n"
    assert [one.hints[1:] for one in questions(trace_of(scaled))] == [
        ("Line 4: x.add_(g, alpha=-0.5)", "x = [1, 2], g = [4, 4]")
    ]
    own = (
        "import torch\nclass Two(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, t):\n"
        "        ctx.mark_dirty(t)\n        return t.add_(2)\n    @staticmethod\n    def backward(ctx, g):\n"
        "        return g\na = torch.ones(2, requires_grad=True) * 3\nb = Two.apply(a)\nb.sum().backward()\n"
    )
    written = [one for one in questions(trace_of(own)) if one.answer == "[5, 5]"]
    assert written and all("5" not in " ".join(one.hints) for one in written)
    passed = [one.hints for one in questions(trace_of(own)) if one.title.startswith("TwoBackward")]
    assert [one[0] for one in passed] == ["The rule of TwoBackward is Two.backward(), which the snippet defines."]


def test_a_hint_about_a_node_of_two_results_has_the_gradients_of_both() -> None:
    text = (
        "import torch\nclass Both(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, t):\n"
        "        return t * 2, t * 3\n    @staticmethod\n    def backward(ctx, g, h):\n        return 2 * g + 3 * h\n"
        "x = torch.tensor([1., 2.], requires_grad=True)\na, b = Both.apply(x)\n(a * 5 + b * 7).sum().backward()\n"
    )
    hints = [one.hints for one in questions(trace_of(text)) if one.title.startswith("BothBackward")]
    assert hints[0][-1] == "Gradients came in: [5, 5] for a and [7, 7] for b."


@pytest.mark.parametrize("path", sorted((RESOURCES / "examples").glob("*.py")), ids=lambda path: path.stem[:2])
def test_every_example_is_a_quiz(path: Path) -> None:
    """Each answer is right by its own measure, and a wrong one is not."""
    trace = trace_of(path.read_text(encoding="utf-8"))
    for asked in questions(trace):
        assert 0 <= asked.start < asked.end <= len(trace) and all(asked.hints)
        assert 0 < len(set(asked.hints)) == len(asked.hints) <= HINTS
        state = State(trace=trace, steps=len(trace), cursor=asked.start)
        state = replace(state, predict=replace(run_transitions.predicting(state, True).predict, asked=asked))
        text = asked.answer if asked.choices else ", ".join(map(repr, asked.numbers))
        done = predict.answered(state, text)
        assert done.cursor == asked.end and done.predict.score == "1 of 1 right", (asked, done.predict.verdict)
        wrong = next((one for one in asked.choices if one != text), "12345.678 " * max(1, len(asked.numbers)))
        assert predict.answered(state, wrong).predict.asked is asked


@pytest.mark.parametrize(
    "given, right, exact, fits",
    [
        (24, 24, False, True),
        (23.8, 24, False, True),
        (23.4, 24, False, False),
        (0.82, 0.8207, False, True),
        (1.0, 1.04, False, True),
        (-24, 24, False, False),
        (0, 0, False, True),
        (0.1, 0, False, False),
        (0, 1e-8, False, True),
        (7, 7, True, True),
        (7.01, 7, True, False),
        (float("nan"), float("nan"), False, True),
        (1, float("nan"), False, False),
        (float("inf"), float("inf"), False, True),
        (1e30, float("inf"), False, False),
    ],
)
def test_near_enough_is_one_percent_or_two_digits(given: float, right: float, exact: bool, fits: bool) -> None:
    assert is_right(given, right, exact) is fits


def test_numbers_are_typed_as_people_write_them() -> None:
    assert typed_numbers("1/4", 1) == (0.25,) and typed_numbers("0,5", 1) == (0.5,) and typed_numbers("−2", 1) == (-2,)
    assert typed_numbers("[1., 2]", 2) == (1, 2) and typed_numbers("1; 2\n3", 3) == (1, 2, 3)
    assert typed_numbers("nan inf", 2)[1] == float("inf") and typed_numbers("", 1) == ()
    assert typed_numbers("1/0", 1) == "“1/0” is not a number. Type one such as 0.5, -2 or 1/3."
    assert isinstance(typed_numbers("__import__('os')", 1), str) and isinstance(typed_numbers("9" * 10**6, 1), tuple)


def test_the_cursor_waits_until_the_answer_is_right() -> None:
    store = store_of(TWICE)
    asked = walk_to_question(store)
    assert (asked.subject, store.state.cursor) == ("y", asked.start)
    store.consult(lambda state: predict.answered(state, "5"))
    assert store.state.cursor == asked.start and store.state.predict.verdict == "✗ Not 5."
    store.consult(lambda state: predict.answered(state, "five"))
    assert "is not a number" in store.state.predict.verdict
    store.consult(lambda state: predict.answered(state, "6"))
    assert store.state.cursor == asked.end and store.state.predict.verdict == "✓ Right: y = 6"
    assert store.state.predict.score == "1 of 1 right"


def test_what_is_shown_is_not_right_and_what_was_answered_is_not_asked_again() -> None:
    store = store_of(TWICE)
    asked = walk_to_question(store)
    store.consult(predict.shown)
    assert store.state.cursor == asked.end and store.state.predict.score == "0 of 1 right"
    store.move(asked.start)
    store.move(asked.end)
    assert store.state.cursor == asked.end and store.state.predict.asked is None


def test_hints_come_one_by_one_and_go_with_the_question() -> None:
    store = store_of(TWICE)
    asked = walk_to_question(store)
    for count in range(1, HINTS + 2):
        store.consult(predict.hinted)
        assert store.state.predict.told == asked.hints[:count]
    store.consult(predict.withdrawn)
    assert store.state.predict.asked is None and store.state.cursor == asked.start
    assert walk_to_question(store) == asked and not store.state.predict.told


def test_a_jump_asks_before_the_step_that_it_goes_to() -> None:
    store = store_of(TWICE)
    trace = store.state.trace
    assert trace is not None
    target = next(one for one in questions(trace) if one.subject == "∂loss/∂w")
    store.move(target.end)
    assert store.state.predict.asked == target and store.state.cursor == target.start
    store.move(target.end)  # as a drag along the timeline does
    assert store.state.predict.asked == target and store.state.cursor == target.start
    store.move(1)
    assert store.state.predict.asked is None and store.state.cursor == 1


def test_playing_ends_at_a_question() -> None:
    store = store_of(TWICE)
    store.play(True)
    walk_to_question(store)
    assert not store.state.playing


def test_a_new_run_begins_at_its_start_with_no_score() -> None:
    store = store_of(TWICE)
    walk_to_question(store)
    store.consult(predict.shown)
    snippet = Snippet(TWICE)
    store.start_run(snippet)
    store.end_run(Run(Phase.OK, snippet), trace_of(TWICE))
    assert store.state.cursor == 0 and store.state.predict == replace(predict.Predict(), on=True)
    store.open(Snippet("a = 1\n"), None)
    assert store.state.predict.on and store.state.predict.asked is None


def test_it_ends_where_it_is_and_begins_at_the_start_only_if_all_is_known() -> None:
    store = store_of(TWICE)
    store.move(2)
    store.consult(lambda state: run_transitions.predicting(state, False))
    assert store.state.cursor == 2 and not store.state.predict.on
    store.consult(lambda state: run_transitions.predicting(state, True))
    assert store.state.cursor == 2


def test_a_hint_describes_the_operation_of_the_step() -> None:
    text = """import torch
from torch import nn
x = torch.tensor([[1., 2.]])
out = nn.Linear(2, 1)(x)
big = x > 1.5
U = torch.linalg.svd(torch.eye(2)).U
"""
    trace = trace_of(text)
    ends = trace.folds.ends.tolist()
    found = (question_in(trace, start, end, predict._brief) for start, end in zip([0, *ends], ends, strict=False))
    first = [one.hints[0] for one in found if one is not None]
    assert "addmm: A product of matrices plus a third." in first
    every = [question_in(trace, at, at + 1, predict._brief) for at in range(len(trace))]
    hints = {one.hints[0] for one in every if one is not None}
    assert "gt: Whether x > y, element by element." in hints
    assert "linalg.svd: U, S, Vᴴ with A = U diag(S) Vᴴ." in hints


def test_what_is_asked_of_a_shape_is_a_sentence_and_two_are_both() -> None:
    text = "import torch\nw = torch.ones(3, 4, requires_grad=True)\n(w * w.cos()).sum().backward()\n"
    prompts = [one.prompt for one in questions(trace_of(text))]
    assert not any("= :" in prompt for prompt in prompts)
    assert "w has both contributions now. What is ∂((w * w.cos()).sum())/∂w: of what shape?" in prompts


def test_a_hint_says_what_the_loss_was_given_and_is_not_the_answer() -> None:
    trace = trace_of("""
import torch
import torch.nn.functional as F
x, y = torch.tensor([[1., 2.], [0., 3.]], requires_grad=True), torch.tensor([0, 1])
each = F.nll_loss(x, y, reduction="none")
total = -F.nll_loss(x, y, reduction="sum", weight=torch.tensor([1., 5.]))
(total + each.view(2, 1).sum()).backward()
""")
    asked = {one.subject: one for one in questions(trace)}
    assert asked["each"].hints[0] == "nll_loss: −x at the class of each row."
    weighed = next(one for one in asked.values() if "weighted by" in one.hints[0])
    assert weighed.hints[0].startswith("nll_loss: the sum of −x at the class of each row, weighted by torch.tensor(")
    assert not [one for one in asked.values() if one.hints[0].startswith("The operation is")]
    sent = [one for one in asked.values() if one.title.startswith("NegBackward0")]
    assert [one.hints[-1] for one in sent] == ["grad = 1 comes in."] and sent[0].answer == "-1"
    (grad,) = [one for one in asked.values() if one.title.startswith("AccumulateGrad")]
    assert grad.hints[-1] == f"∂(total + each.view(2, 1).sum())/∂x = {grad.answer}"


def test_a_number_that_is_written_first_comes_first_where_names_are_numbered() -> None:
    trace = trace_of("import torch\nx = torch.tensor([3.0, 4.0])\ny = 5 * x[0] + 2 * x[0]")
    assert [one.hints[-1] for one in questions(trace) if "*" in one.subject] == ["5 × 3", "2 × 3"]
