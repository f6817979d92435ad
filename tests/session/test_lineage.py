"""Ancestors, descendants and ways between two things, on a small graph by hand and on a deep one."""

from __future__ import annotations

import pytest

from gradviz.session.inspect.lineage import Family, ancestors, between, descendants, family
from gradviz.session.state import Lineage, Selection
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

SNIPPET = """import torch
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
c = a * b
d = c.exp()
e = c + b
f = d * e
g = a + 1.
f.backward()
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run(SNIPPET)


def tensor(trace: Trace, name: str) -> Selection:
    rows = [row for row, known in zip(trace.names.tensor, trace.names.name, strict=True) if known == name]
    return Selection("tensor", int(rows[0]))


def maker(trace: Trace, name: str) -> Selection:
    return Selection("node", int(trace.tensors.producer[tensor(trace, name).index]))


def names(trace: Trace, found: Family) -> str:
    frame = trace.frame(len(trace))
    return "".join(sorted(frame.name(row) for row in found.tensors.nonzero()[0].tolist() if len(frame.name(row)) == 1))


def ops(trace: Trace, found: Family) -> list[str]:
    return [str(op) for op in trace.nodes.op[found.nodes]]


def test_what_a_tensor_was_computed_from(trace: Trace) -> None:
    assert names(trace, ancestors(trace, tensor(trace, "d"))) == "abcd"
    assert ops(trace, ancestors(trace, tensor(trace, "d"))) == ["mul", "exp"]
    assert names(trace, ancestors(trace, tensor(trace, "a"))) == "a"
    assert len(ancestors(trace, tensor(trace, "a"))) == 1


def test_what_an_operation_was_computed_from(trace: Trace) -> None:
    assert names(trace, ancestors(trace, maker(trace, "e"))) == "abc"
    assert ops(trace, ancestors(trace, maker(trace, "e"))) == ["mul", "add"]


def test_what_a_tensor_goes_into(trace: Trace) -> None:
    assert names(trace, descendants(trace, tensor(trace, "d"))) == "df"
    assert names(trace, descendants(trace, tensor(trace, "a"))) == "acdefg"
    assert ops(trace, descendants(trace, tensor(trace, "g"))) == []


def test_what_an_operation_goes_into(trace: Trace) -> None:
    assert names(trace, descendants(trace, maker(trace, "c"))) == "cdef"


def test_the_ways_between_two_things_in_either_direction(trace: Trace) -> None:
    there = between(trace, tensor(trace, "b"), tensor(trace, "e"))
    back = between(trace, tensor(trace, "e"), tensor(trace, "b"))
    assert names(trace, there) == names(trace, back) == "bce"
    assert ops(trace, there) == ["mul", "add"]
    assert names(trace, between(trace, tensor(trace, "c"), maker(trace, "f"))) == "cde"


def test_no_way_is_empty(trace: Trace) -> None:
    assert len(between(trace, tensor(trace, "g"), tensor(trace, "f"))) == 0


def test_a_lineage_names_its_kind(trace: Trace) -> None:
    c = tensor(trace, "c")
    assert names(trace, family(trace, Lineage("ancestors", c))) == "abc"
    assert names(trace, family(trace, Lineage("descendants", c))) == "cdef"
    assert names(trace, family(trace, Lineage("path", c, tensor(trace, "d")))) == "cd"


def test_a_deep_graph_needs_no_recursion() -> None:
    depth = 3000
    deep = run(
        f"import torch\nx = torch.tensor(1., requires_grad=True)\ny = x\nfor i in range({depth}):\n    y = y * 1.0\n"
    )
    last = Selection("tensor", len(deep.tensors) - 1)
    assert ancestors(deep, last).nodes.sum() == depth
    assert descendants(deep, tensor(deep, "x")).nodes.sum() == depth
