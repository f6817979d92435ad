"""What stands around the strip: iterations, marks, the course of a training, who holds memory, what changed something,
which events a filter shows, how playing goes on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradviz.session.breakpoints.points import Place, Playback, advanced
from gradviz.session.inspect.event_filter import Query, Sieve, query_of, title_of
from gradviz.session.moves import last_change_of, next_change_of
from gradviz.session.state import Selection
from gradviz.session.timeline.iterations import iterations, training
from gradviz.session.timeline.marks import Mark, Marks, find_marks
from gradviz.session.timeline.outline import MOST_LANES, holders, life_text, lives
from gradviz.session.timeline.zoom import Span, whole
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

TRAIN = """\
import torch
w = torch.tensor(1., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for t in range(20):
    x = torch.tensor(2.)
    opt.zero_grad()
    loss = (w * x - 4) ** 2
    loss.backward()
    opt.step()
print("done", loss.item())
"""
SPOILT = """\
import torch
w = torch.tensor([0., 1.], requires_grad=True)
for t in range(3):
    y = torch.log(w)
    z = (y * 0).sum()
    z.backward()
w.data.add_(1)
"""


@pytest.fixture(scope="module")
def trained() -> Trace:
    return run(TRAIN)


@pytest.fixture(scope="module")
def spoilt() -> Trace:
    return run(SPOILT)


def test_iterations_follow_each_other_without_gaps_and_end_with_the_loop(trained: Trace) -> None:
    found = iterations(trained, len(trained))
    assert len(found) == 20
    assert (found.starts[1:] == found.ends[:-1]).all()
    assert len(set(np.diff(found.starts)[1:].tolist())) == 1, "all alike but the first, which has no .grad to clear"
    assert trained.steps.line[found.starts[0]] == 5, "the leaf before the first operation is part of it"
    assert trained.steps.line[found.ends[-1]] == 10, "the print after the loop is not"
    at = found.at(int(found.starts[3]))
    assert at is not None and at.title == "t = 3"
    assert found.at(0) is None


def test_labels_are_merged_until_they_fit(trained: Trace) -> None:
    found = iterations(trained, len(trained))
    each = int(found.ends[0] - found.starts[0])
    single = found.labels(whole(len(trained)), room=each)
    assert [one.title for one in single] == [f"t = {number}" for number in range(20)]
    merged = found.labels(whole(len(trained)), room=6 * each)
    assert [one.title for one in merged] == ["t = 0 … 9", "t = 10 … 19"]
    some = found.labels(Span(found.starts[12], found.starts[14]), room=2 * each)
    assert [one.title for one in some] == ["t = 12 … 13"]


def test_a_program_without_loops_has_no_iterations() -> None:
    none = iterations(run("import torch\nx = torch.tensor(1.) * 2\n"), 2)
    assert len(none) == 0 and none.labels(Span(0, 2), 1) == [] and none.at(1) is None


def test_nan_and_infinity_are_marked_where_they_begin(spoilt: Trace) -> None:
    marks = find_marks(spoilt, len(spoilt))
    kinds = [Kind(int(spoilt.steps.kind[step])).name for step in marks[Mark.NOT_FINITE].tolist()]
    assert kinds[0] == "FORWARD", "log(0)"
    assert kinds.count("FORWARD") == 3, "in every iteration from finite weights again"
    assert len(marks[Mark.ACCUMULATE]) == 3 and len(marks[Mark.INPLACE]) == 1 and len(marks[Mark.ERROR]) == 0


def test_a_place_shows_its_most_important_mark() -> None:
    marks = Marks({Mark.ACCUMULATE: np.arange(0, 100, 2), Mark.ERROR: np.array([51])})
    places = marks.places(whole(100), 10)
    assert places[5] == (5, Mark.ERROR)
    assert [mark for _, mark in places].count(Mark.ACCUMULATE) == 9
    assert marks.within(50, 60) == [(Mark.ERROR, 1, 51), (Mark.ACCUMULATE, 5, 50)]
    assert marks.within(51.0, 51.2) == []


def test_the_course_of_a_training(trained: Trace) -> None:
    course = training(trained, len(trained))
    assert course is not None
    (loss,) = course.losses
    assert loss.name == "loss" and len(loss.numbers) == 20
    assert loss.numbers[0] == 4.0 and loss.numbers[-1] < 1e-3
    assert course.gradient.numbers[0] == 8.0
    assert loss.at(len(trained)) == loss.numbers[-1] and math.isnan(loss.at(0))
    assert training(trained, int(trained.calls.step[1]) + 1) is None, "two calls are no course"


def test_holders_are_counted_once_each_and_sum_up() -> None:
    trace = run(
        "import torch\nw = torch.ones(100, requires_grad=True)\ny = torch.exp(w)\nz = y * y\nu = (z * w[0]).sum()\n"
        "u.backward()\n"
    )
    cursor = int(trace.held_bytes.argmax())
    found = holders(trace, cursor)
    assert sum(one.nbytes for one in found) == trace.held_bytes[cursor]
    assert found[0].nbytes == 400 and math.isclose(sum(one.share for one in found), 1.0)
    assert any(one.others for one in found), "y is held by exp and by the product"
    assert holders(trace, 0) == () and holders(trace, len(trace)) == ()


def test_each_buffer_lives_from_birth_to_release_in_a_lane_of_its_own() -> None:
    head = "import torch\nw = torch.tensor(3., requires_grad=True)\n"
    trace = run(f"{head}y = w * 2\nloss = y * y + w.exp()\nloss.backward()\nz = w.sin()\n")
    found = lives(trace, len(trace))
    said = ["the number 2 for × (line 3)", "y = 6 for × (line 4)", "y = 6 for × (line 4)"]
    assert [life_text(trace, life) for life in found[:3]] == said
    assert "sin" in life_text(trace, found[-1])
    assert [life.is_freed for life in found] == [True] * 4 + [False] and found[-1].end == len(trace)
    assert [life.lane for life in found] == [0, 1, 2, 3, 0], "a lane is used again"
    for cursor in range(1, len(trace) + 1):
        held = {life.node for life in found if life.born < cursor <= life.end}
        assert {one.node for one in holders(trace, cursor)} <= held and bool(held) == bool(holders(trace, cursor))
    many = run(head + "".join(f"w{n} = w.exp()\n" for n in range(MOST_LANES + 1)))
    assert lives(many, len(many)) == () and len(lives(many, 1 + MOST_LANES)) == MOST_LANES


def test_what_changed_a_tensor_and_an_operation(trained: Trace) -> None:
    weight, end = Selection("tensor", 0), len(trained)
    kinds, cursor = [], end
    while (target := last_change_of(trained, weight, cursor)) is not None:
        assert target < cursor and next_change_of(trained, weight, target - 1) == target
        kinds.append(Kind(int(trained.steps.kind[target - 1])).name)
        cursor = target
    assert kinds[0] == "OPTIMIZER" and kinds[-1] == "LEAF" and kinds.count("ACCUMULATE") == 20
    node = Selection("node", 0)
    first = next_change_of(trained, node, 0)
    assert first is not None and trained.steps.node[first - 1] == 0
    assert last_change_of(trained, node, first) is None


def found(trace: Trace, text: str) -> list[int]:
    sieve = Sieve(trace, query_of(text), len(trace))
    while sieve.work(0.0):
        pass
    assert sieve.looked == len(trace)
    return sieve.found


def test_a_filter_reads_what_the_list_shows(trained: Trace) -> None:
    steps = range(len(trained))
    for word in ("line", "(w", "7)", "frees", "leaf", "×"):
        shown = [step for step in steps if word in f"{title_of(trained, step)} {kind_of(trained, step)}".lower()]
        assert found(trained, word) == shown and shown, word


def kind_of(trace: Trace, step: int) -> str:
    return Kind(int(trace.steps.kind[step])).name.replace("_", " ")


def test_words_and_fields_are_read() -> None:
    assert query_of("  Mul kind:backward LINE:3 ") == Query(("mul",), (("kind", "backward"), ("line", "3")))
    assert query_of("kind:").is_empty and query_of("").is_empty
    assert query_of("http://x").words == ("http://x",)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("kind:print", {"PRINT"}),
        ("kind:backward", {"BACKWARD"}),
        ("kind:backward_c", {"BACKWARD_CALL"}),
        ("line:8 kind:acc", {"ACCUMULATE"}),
        ("powbackward0 frees", {"FREE"}),
        ("kind:nothing", set()),
        ("line:x", set()),
        ("optimizer", {"OPTIMIZER"}),
    ],
)
def test_a_filter_finds_its_steps(trained: Trace, text: str, kinds: set[str]) -> None:
    assert {Kind(int(trained.steps.kind[step])).name for step in found(trained, text)} == kinds


def test_every_word_must_be_there_in_any_order(trained: Trace) -> None:
    rows = found(trained, "accumulategrad w")
    assert len(rows) == 20 and rows == sorted(rows) == found(trained, "w accumulategrad")
    assert all("AccumulateGrad (w" in title_of(trained, step) for step in rows)
    assert found(trained, "step:3-5") == [2, 3, 4] and found(trained, "step:7") == [6]
    assert set(found(trained, "name:loss")) and found(trained, "name:w line:2") == [0]


@pytest.mark.parametrize(
    ("at", "amount", "playback", "hits", "place"),
    [
        (3.0, 0.5, Playback(), (), Place(3.5)),
        (9.5, 2.0, Playback(), (), Place(10.0, stops=True)),
        (3.0, 4.0, Playback(), (4,), Place(5.0, stops=True)),
        (5.0, 1.0, Playback(), (4,), Place(6.0)),
        (7.5, 1.0, Playback(a=4, b=8), (), Place(4.5)),
        (7.5, 1.0, Playback(a=8, b=4), (), Place(4.5)),
        (3.0, 1.0, Playback(direction=-1), (), Place(2.0)),
        (0.5, 1.0, Playback(direction=-1), (), Place(0.0, stops=True)),
        (7.5, 4.0, Playback(direction=-1), (4,), Place(5.0, stops=True)),
        (4.5, 1.0, Playback(direction=-1, a=4, b=8), (), Place(7.5)),
    ],
)
def test_playing_goes_on(at: float, amount: float, playback: Playback, hits: tuple[int, ...], place: Place) -> None:
    assert advanced(at, amount, playback, 10, hits) == place
