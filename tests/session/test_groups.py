"""What is folded, as the session keeps it, and what the inspector says of a group."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.document.snippet import Snippet
from gradviz.session.folding import EVERYTHING, Folding
from gradviz.session.groups import as_operation, nodes_of, title_of
from gradviz.session.inspect.inspection import inspect
from gradviz.session.inspect.lineage import ancestors, descendants
from gradviz.session.inspect.sources import place_of
from gradviz.session.moves import changes
from gradviz.session.state import Selection, State
from gradviz.session.store import Store
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

RNN = """import torch
from torch import nn
cell = nn.Linear(2, 2)
h = torch.ones(1, 2)
for t in range(5):
    h = torch.tanh(cell(h))
h.sum().backward()
"""
SECOND = """import torch
x = torch.tensor(2.0, requires_grad=True)
g, = torch.autograd.grad(x ** 3, x, create_graph=True)
"""


@pytest.fixture
def trace() -> Trace:
    return run(RNN)


def test_groups_are_opened_and_closed_one_by_one_or_to_a_level() -> None:
    folding = Folding().with_open(frozenset({"a"})).with_closed(frozenset({"b"}))
    assert (folding.opened, folding.closed) == ({"a"}, {"b"})
    assert folding.with_open(frozenset({"b"})).closed == frozenset()
    tagged = folding.with_references("w", "tags")
    assert tagged.at_level(EVERYTHING) == Folding(EVERYTHING, tagged=frozenset({"w"}))
    assert tagged.with_references("w", "edges").linked == {"w"} and not tagged.with_references("w", "").tagged


def test_a_rerun_keeps_what_is_open_and_another_document_does_not() -> None:
    store = Store()
    store.open(Snippet("x = 1\n"), None)
    store.fold(Folding(opened=frozenset({"/for t in range(5)"})))
    store.start_run(Snippet("x = 1\n"))
    assert store.state.folding.opened
    store.open(Snippet("y = 1\n"), None)
    assert store.state.folding == Folding()


def test_the_inspector_sums_a_group_up(trace: Trace) -> None:
    loop = Selection("group", 0)
    assert title_of(trace, 0) == "for t in range(5)"
    state = State(trace=trace, steps=len(trace), cursor=len(trace))
    found = inspect(state, loop)
    assert found is not None and found.title == "for t in range(5)"
    assert found.find("group") == "a loop, line 5"
    assert found.find("iterations") == "5"
    count = len(nodes_of(trace, 0))
    assert found.find("operations") == str(count)
    assert found.find("forward") == f"{count} of {count} have run"
    assert found.find("6 parameters") == "cell.weight, cell.bias"
    links = [part.target for row in found.sections[-1].rows for part in row.parts]
    assert links == [Selection("node", node) for node in nodes_of(trace, 0).tolist()]


def test_a_group_holds_buffers_until_they_are_freed(trace: Trace) -> None:
    before = int(trace.calls.step[0])
    held = inspect(State(trace=trace, steps=len(trace), cursor=before), Selection("group", 0))
    freed = inspect(State(trace=trace, steps=len(trace), cursor=len(trace)), Selection("group", 0))
    assert held is not None and held.find("saved buffers").startswith("holds ")
    assert freed is not None and freed.find("saved buffers") == "none held"


def test_the_gradients_of_a_call_are_a_group() -> None:
    trace = run(SECOND)
    nodes = nodes_of(trace, -2)
    assert len(nodes) and (trace.nodes.call[nodes] == 0).all()
    assert title_of(trace, -2) == "gradients · backward at line 3"
    assert inspect(State(trace=trace, steps=len(trace), cursor=len(trace)), Selection("group", -2)) is not None


def test_what_knows_operations_only_takes_the_first_of_a_group(trace: Trace) -> None:
    loop = Selection("group", 0)
    first = as_operation(trace, loop)
    assert first == Selection("node", int(nodes_of(trace, 0)[0]))
    assert as_operation(trace, first) == first
    place = place_of(trace, loop)
    assert place is not None and place.line == 5
    np.testing.assert_array_equal(changes(trace, loop), changes(trace, first))
    inside = nodes_of(trace, 0)
    assert ancestors(trace, loop).nodes[inside].all() and descendants(trace, loop).nodes[inside].all()


def test_a_group_that_is_not_there_is_empty(trace: Trace) -> None:
    assert len(nodes_of(trace, len(trace.regions))) == 0 and title_of(trace, len(trace.regions)) == ""
