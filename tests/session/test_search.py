"""Finding things in a trace: each kind of question, several at once, the order of the hits, and what the bar says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.session.inspect import search
from gradviz.session.inspect.search import find
from gradviz.session.state import Search, Selection, State
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

SNIPPET = """import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(3, 2)
    def forward(self, x):
        return self.fc1(x)
net = Net()
x = torch.tensor([[1., 2., 3.]])
h = torch.relu(net(x))
w = torch.tensor(2., requires_grad=True)
ww = w * w
loss = (h * ww).sum()
loss.backward()
n = torch.tensor([1, 2])
bad = torch.tensor([0., 1.], requires_grad=True)
z = (bad.log() * 0).sum()
z.backward()
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run(SNIPPET)


def names(trace: Trace, query: str, cursor: int | None = None) -> list[str]:
    state = State(trace=trace, steps=len(trace), cursor=len(trace) if cursor is None else cursor)
    hits = find(trace, query, state.cursor)
    return [search.name_of(state, hits[nth]) for nth in range(len(hits))]


def test_a_name_finds_the_tensor_of_exactly_that_name_first(trace: Trace) -> None:
    found = names(trace, "w")
    assert found[0] == "w"
    assert {"ww", "fc1.weight"} <= set(found)


def test_case_does_not_matter(trace: Trace) -> None:
    assert names(trace, "RELU") == names(trace, "relu") != []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("relu", "ReluBackward0"),
        ("SumBackward0", "SumBackward0"),
        ("line:12", "ww"),
        ("12", "MulBackward0"),
        ("[1, 3]", "x"),
        ("1x3", "x"),
        ("(1, 3)", "x"),
        ("int64", "n"),
        ("leaf", "w"),
        ("parameter", "fc1.weight"),
        ("freed", "MulBackward0"),
        ("w * w", "ww"),
        ("h * ww", "MulBackward0"),
        ("mul line:12", "MulBackward0"),
        ("inf", "bad.log()"),
    ],
)
def test_what_can_be_asked(trace: Trace, query: str, expected: str) -> None:
    assert expected in names(trace, query)


def test_a_scope_finds_the_operations_of_the_module(trace: Trace) -> None:
    hits = find(trace, "fc1", len(trace))
    assert len(hits.nodes) and all(trace.nodes.scope[node] == "fc1" for node in hits.nodes)


def test_nan_finds_values_and_gradients(trace: Trace) -> None:
    found = names(trace, "NaN")
    assert "z" in found
    assert "bad" in found, "its gradient is NaN"
    assert "w" not in found


def test_a_leaf_requires_grad(trace: Trace) -> None:
    assert not {"x", "n"} & set(names(trace, "leaf"))


def test_freed_is_asked_at_the_cursor(trace: Trace) -> None:
    assert names(trace, "freed", 3) == []
    assert len(names(trace, "freed")) > 3


def test_several_words_must_all_be_true(trace: Trace) -> None:
    assert set(names(trace, "leaf [2]")) == {"fc1.bias", "bad"}
    assert names(trace, "relu line:12") == []


@pytest.mark.parametrize("query", ["", "   ", "xyzzy", "line:9999", "[7, 7]", "(("])
def test_nothing_is_found_without_an_error(trace: Trace, query: str) -> None:
    assert len(find(trace, query, len(trace))) == 0


def test_an_empty_trace_has_nothing() -> None:
    assert len(find(Trace(), "w", 0)) == 0


def test_a_trace_that_grew_is_searched_anew() -> None:
    from tests.trace.running import record

    growing = Trace(SNIPPET)
    counts = []
    for batch in record(SNIPPET, every=3):
        growing.extend(batch)
        counts.append(len(find(growing, "mul", len(growing))))
    assert counts[-1] > counts[0]


def state_of(trace: Trace, query: str, cursor: int, at: int = -1) -> State:
    return State(trace=trace, steps=len(trace), cursor=cursor, search=Search(True, query, at))


def test_next_and_previous_go_round(trace: Trace) -> None:
    state = state_of(trace, "mul", len(trace))
    count = len(search.hits_of(state))
    assert count >= 3
    assert search.count_text(state) == f"{count} found"
    assert search.current(state) is None
    seen = []
    for _ in range(count):
        state = replace(state, search=search.stepped(state, 1))
        seen.append(search.current(state))
    assert len(set(seen)) == count
    assert search.count_text(state) == f"{count} of {count}"
    assert search.stepped(state, 1).at == 0
    assert search.stepped(state_of(trace, "mul", 0), -1).at == count - 1


def test_nothing_found_says_so(trace: Trace) -> None:
    state = state_of(trace, "xyzzy", 0)
    assert search.count_text(state) == "nothing found"
    assert search.stepped(state, 1).at == -1
    assert search.count_text(state_of(trace, " ", 0)) == ""
    assert len(search.hits_of(State())) == 0


def test_a_hit_that_is_still_to_come_says_when(trace: Trace) -> None:
    node = int(find(trace, "relu", len(trace)).nodes[0])
    thing = Selection("node", node)
    early, late = state_of(trace, "relu", 1), state_of(trace, "relu", int(trace.nodes.step[node]) + 1)
    assert search.coming(early, thing) == trace.nodes.step[node] + 1
    assert search.is_future(early, thing)
    assert search.coming(late, thing) is None
    assert not search.is_future(late, thing)


def test_a_hit_of_a_graph_that_is_gone_can_be_gone_back_to() -> None:
    trace = run("import torch\nw = torch.tensor(1., requires_grad=True)\nfor i in range(3):\n    (w * 2).backward()\n")
    state = state_of(trace, "mul", len(trace))
    first = search.hits_of(state)[0]
    back = search.coming(state, first)
    assert back is not None and back < state.cursor
    assert not search.is_future(state, first)
    assert search.coming(replace(state, cursor=back), first) is None


def test_the_place_of_a_thing_among_the_hits(trace: Trace) -> None:
    hits = find(trace, "mul", len(trace))
    assert [hits.place_of(hits[nth]) for nth in range(len(hits))] == list(range(len(hits)))
    assert hits.place_of(Selection("tensor", 0)) == -1
    assert hits.place_of(None) == -1
