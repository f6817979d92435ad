"""Iterations that are not recorded: what is true after them, and which they are."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from gradviz.session.inspect.ledger import ledger
from gradviz.session.timeline.iterations import iterations
from gradviz.session.timeline.training_curves import training_curves
from gradviz.trace.record.chains import Question
from gradviz.trace.record.chosen import Choice, Thinning
from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import Value
from gradviz.trace.words.explain import explain
from gradviz.worker.running.pacing import Again, Bounds, Pace
from tests.trace.running import run

NETWORK = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1))
opt = torch.optim.{}
x, y = torch.randn(4, 2), torch.randn(4, 1)
total, doubled = torch.zeros(1), x * 2
for t in range(12):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
    total += loss.detach()
    doubled += 1
    print(t)
result = total * doubled.sum()
"""
BY_HAND = """
import torch
w = torch.tensor([1.0], requires_grad=True)
n = 0
while n < 9:
    loss = (w * 3 - 1) ** 2
    loss.sum().backward()
    w.data -= 0.01 * w.grad
    if n % 3 == 0:
        w.grad = None
    n += 1
result = w * 2
"""
PASSES = """
import torch
w = torch.ones(1, requires_grad=True)
def train(count):
    for e in range(3):
        for i in range(count):
            (w * 3).sum().backward()
        seen = w * 2
train(4)
between = w * 5
train(2)
"""


def choosing(text: str) -> Callable[[Recorder], Pace]:
    return lambda recorder: Pace(
        Bounds(), recorder, lambda said: recorder.text("err", said), lambda: None, Choice.of(text)
    )


def same(one: Value | None, other: Value | None) -> bool:
    return (one is None) == (other is None) and (
        one is None or other is None or np.array_equal(one.edges, other.edges, equal_nan=True)
    )


@pytest.mark.parametrize(
    ("source", "which", "recorded"),
    [
        (NETWORK.format("Adam(net.parameters(), lr=0.1)"), "first:2, 8, last:1", [0, 1, 8, 11]),
        (NETWORK.format("SGD(net.parameters(), lr=0.1, momentum=0.9)"), "every:5", [0, 5, 10]),
        (BY_HAND, "3-4,8", [0, 3, 4, 8]),
    ],
)
def test_after_a_gap_all_is_as_in_a_recording_of_everything(source: str, which: str, recorded: list[int]) -> None:
    whole, part = run(source), run(source, turns=choosing(which))
    every, some = iterations(whole, len(whole)), iterations(part, len(part))
    numbers = [int(name.split()[-1]) for name in some.names]
    assert numbers == recorded
    tensors = [each for each in range(len(part.tensors)) if part.tensors.is_leaf[each] and part.tensors.step[each] < 8]
    for at, number in enumerate(numbers):
        start, begin = int(some.starts[at]), int(every.starts[number])
        for step in range(1, int(some.ends[at]) - start + 1):
            here, there = part.frame_at(start + step), whole.frame_at(begin + step)
            assert (explain(here).title, explain(here).sentence) == (explain(there).title, explain(there).sentence)
            for tensor in tensors:
                assert same(here.value(tensor), there.value(tensor)) and same(here.grad(tensor), there.grad(tensor))
                assert here.version(tensor) == there.version(tensor)
    ends = [explain(trace.frame(len(trace))).sentence for trace in (whole, part)]
    assert ends[0] == ends[1]
    said = [(step, text) for step, text in zip(part.texts.step, part.texts.text, strict=True)]
    assert [text for _, text in said] == whole.texts.text.tolist()
    assert part.resumptions.count.sum() == len(every) - len(numbers)


def test_a_gap_says_what_was_left_out_and_what_changed() -> None:
    trace = run(BY_HAND, turns=choosing("every:4"))
    (first, _) = np.flatnonzero(trace.steps.kind == Kind.GAP).tolist()
    found = explain(trace.frame(first + 1))
    assert found.title == "Not recorded: iteration 1 to iteration 3"
    said = (
        "3 iterations, iteration 1 to iteration 3, ran without being recorded. What changed meanwhile: w: 0.88 → 0.375."
    )
    assert found.sentence == said


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "(w * i).sum().backward()",
            "The iteration i = 1 ran without being recorded. What changed meanwhile: w.grad: 0 → 1.",
        ),
        ("(w * 0).sum().backward()", "i = 1 ran without being recorded. Nothing that is known here changed meanwhile."),
        (
            "(w * i).sum().backward(); w.grad.zero_()",
            "i = 1 ran without being recorded. Nothing that is known here changed meanwhile.",
        ),
        (
            "(w * i).sum().backward(); w.data -= w.grad; w.grad.zero_()",
            "The iteration i = 1 ran without being recorded. What changed meanwhile: w: 2 → 1.",
        ),
    ],
)
def test_a_gap_of_one_iteration_has_its_sentence(line: str, sentence: str) -> None:
    source = f"import torch\nw = torch.tensor(2.0, requires_grad=True)\nfor i in range(3):\n    {line}\n"
    trace = run(source, turns=choosing("0,2"))
    (gap,) = np.flatnonzero(trace.steps.kind == Kind.GAP).tolist()
    assert explain(trace.frame(gap + 1)).sentence == sentence


def test_what_a_gap_left_in_a_grad_counts_once() -> None:
    trace = run(BY_HAND, turns=choosing("every:4"))
    frame = trace.frame(len(trace))
    entries = ledger(frame, 0)
    assert [each.kind for each in entries] == ["added", "cleared", "added", "gap", "added"]
    now = frame.grad(0)
    parts = [each.value.edges for each in entries[-2:] if each.value is not None]
    assert now is not None and np.allclose(sum(parts), now.edges)


@pytest.mark.parametrize(
    ("which", "gaps"),
    [
        ("first:2,last:1", [("e = 0, i = 2", "e = 2, i = 2", 9), ("e = 1, i = 0", "e = 2, i = 0", 3)]),
        (
            "every:5",
            [
                ("e = 0, i = 1", "e = 1, i = 0", 4),
                ("e = 1, i = 2", "e = 2, i = 1", 4),
                ("e = 2, i = 3", "e = 2, i = 3", 1),
            ],
        ),
    ],
)
def test_iterations_are_those_of_the_loop_that_calls_backward(which: str, gaps: list[tuple[str, str, int]]) -> None:
    trace = run(PASSES, turns=choosing(which))
    ends = trace.resumptions
    found = list(zip(trace.gaps.begins, ends.ends, ends.count.tolist(), strict=True))
    assert found[: len(gaps)] == gaps
    assert "between" in trace.names.name.tolist()


def test_a_question_about_a_recording_finds_the_same_gaps() -> None:
    trace = run(PASSES, turns=choosing("first:2,last:2"))
    call = len(trace.calls) - 1
    again = run(PASSES, question=Question(call, 0, nudges=False), turns=lambda made: Again(made, trace.gap_turns))
    assert again.steps.kind.tolist() == trace.steps.kind.tolist()
    assert again.answers.call.tolist() == [call]


ENDED = """
import torch
w, seen = torch.ones(1, requires_grad=True), []
def train(count):
    for e in [1, 2]:
        for i in {}:
            (w * 3).sum().backward()
            seen.append(i)
        seen.append(e)
train(1000)
y = (w * 2).sum()
y.backward()
print(seen)
"""


def _late(made: Recorder) -> Pace:
    """A pace in whose run the time is nearly over; each look at the clock takes a second."""
    seconds = itertools.count()
    pace = Pace(Bounds(100.0), made, lambda text: made.text("err", text), bool, clock=lambda: float(next(seconds)))
    for _ in range(72):
        pace.tick(0)
    return pace


LOADER = "torch.utils.data.DataLoader(list(range(count)), collate_fn=lambda items: items[0])"


@pytest.mark.parametrize("loop", ["range(count)", "tuple(range(count))", LOADER])
def test_a_loop_that_was_ended_is_ended_again(loop: str) -> None:
    source = ENDED.format(loop)
    trace = run(source, turns=_late)
    said, printed = trace.texts.text.tolist()
    assert "ends here, after 3 of 2,000 iterations" in said
    assert printed == "[0, 1, 2, 1]\n", "both loops end after their iterations"
    assert trace.gap_turns == [(1, -4)]
    call = len(trace.calls) - 1
    again = run(source, question=Question(call, 0, nudges=False), turns=lambda made: Again(made, trace.gap_turns))
    assert again.steps.kind.tolist() == [kind for kind in trace.steps.kind.tolist() if kind != Kind.WARNING]
    assert again.answers.call.tolist() == [call]


def test_loops_around_one_that_fits_end_with_it() -> None:
    source = ENDED.format("range(count)").replace("[1, 2]", "range(500)").replace("1000", "6")
    trace = run(source, turns=_late)
    assert trace.texts.text.tolist()[1] == "[0, 1, 2, 3, 4, 5, 0]\n"
    call = len(trace.calls) - 1
    again = run(source, question=Question(call, 0, nudges=False), turns=lambda made: Again(made, trace.gap_turns))
    assert again.answers.call.tolist() == [call] and again.steps.kind.tolist()[-3:] == trace.steps.kind.tolist()[-3:]


def test_a_loop_that_will_come_to_its_end_in_time_does() -> None:
    assert run(ENDED.format("range(count)").replace("1000", "2"), turns=_late).texts.text.tolist() == [
        "[0, 1, 1, 0, 1, 2]\n"
    ]


def test_last_iterations_of_a_loop_without_a_length_are_not_promised() -> None:
    trace = run(BY_HAND, turns=choosing("first:2, last:2"))
    assert trace.texts.text.tolist() == [
        "The last iterations are not recorded: how many there will be is not known before they have run.\n"
    ]


def test_a_gap_at_an_error_is_closed_before_it() -> None:
    source = NETWORK.format("SGD(net.parameters(), lr=0.1)").replace("    print(t)", "    x[0] if t < 7 else x[9]")
    trace = run(source, turns=choosing("first:2"))
    assert trace.steps.kind[-2:].tolist() == [Kind.GAP, Kind.ERROR]
    assert trace.resumptions.ends.tolist() == ["t = 7"]


def test_the_axis_of_a_training_counts_what_was_not_recorded() -> None:
    trace = run(NETWORK.format("SGD(net.parameters(), lr=0.1)"), turns=choosing("first:2, 8, last:1"))
    curves = training_curves(trace, len(trace))
    assert curves is not None
    assert curves.axis.length == 12
    calls = trace.calls.step
    assert curves.axis.positions(calls).astype(int).tolist() == [0, 1, 8, 11]
    titles = [curves.axis.title(int(step)) for step in (*calls, trace.gaps.step[0])]
    assert titles == ["t = 0", "t = 1", "t = 8", "t = 11", "t = 2 to t = 7 (not recorded)"]


@pytest.mark.parametrize("text", ["", "evry:10", "first:0", "last:-1", "3-1", "first:20,", "every:1.5", "7:first"])
def test_what_names_no_iterations_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="names no iterations; first:20"):
        Choice.of(text)


def test_a_recording_without_gaps_has_none() -> None:
    trace = Trace("")
    assert trace.gap_turns == []


def test_of_a_long_job_ever_fewer_iterations_are_recorded() -> None:
    thinning, steps, taken = Thinning(), 0, []
    for iteration in range(100_000):
        if thinning.takes(iteration, steps, 0):
            steps += 26
            taken.append(iteration)
    whole = -(-Thinning.STEPS // 26)
    assert taken[: whole + 1] == [*range(whole), -(-whole // 10) * 10] and steps < 3 * Thinning.STEPS
    assert np.all(np.diff(taken[whole:-1]) >= 10) and thinning.every == 100
    assert thinning.told().startswith(
        f"It has each of the first {whole:,} iterations, then fewer, in the end every 100th;"
    )


def test_a_short_job_is_recorded_whole_and_a_large_one_is_not() -> None:
    short, large = Thinning(), Thinning()
    assert all(short.takes(iteration, 10 * iteration, 0) for iteration in range(1000)) and short.told() == ""
    assert [large.takes(iteration, 0, iteration << 28) for iteration in range(4)] == [True, True, False, False]
