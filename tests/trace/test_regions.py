"""Which regions operations are in: module calls, functions, loops and iterations; and what follows from that."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.trace.table.encoding import TraceFormatError, Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import NEVER
from gradviz.trace.table.trace import Trace
from tests.trace.running import run


def tree(trace: Trace) -> list[str]:
    """The regions with operations, indented, each with the operations directly in it."""
    lines = []
    for region in range(len(trace.regions)):
        inside = trace.nodes.op[trace.nodes.region == region].tolist()
        lines.append(
            "  " * trace.nesting.depth[region] + " ".join([f"{trace.regions.name[region]}:", *inside]).strip(":")
        )
    return lines


MODULES = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.ReLU()
        self.act = nn.Identity()
    def forward(self, x):
        return self.act(self.fc1(x.exp())).sum()
net = Net()
x = torch.ones(1, 2, requires_grad=True)
net(x * 2)
net(x)
y = x.cos()
"""


def test_each_call_of_a_module_is_a_region_and_one_without_operations_is_none() -> None:
    trace = run(MODULES)
    assert tree(trace) == ["Net: exp sum", "  fc1: relu", "Net: exp sum", "  fc1: relu"]
    assert trace.nodes.region.tolist() == [-1, 0, 1, 0, 2, 3, 2, -1]
    assert trace.nodes.scope.tolist() == ["", "Net", "fc1", "Net", "Net", "fc1", "Net", ""]
    assert set(trace.regions.kind.tolist()) == {RegionKind.MODULE}
    assert trace.sites.line[trace.regions.site].tolist() == [13, 10, 14, 10]


def test_what_is_in_a_region_is_counted_at_any_depth() -> None:
    trace = run(MODULES)
    nesting = trace.nesting
    assert nesting.nodes.tolist() == [3, 1, 3, 1] and nesting.children.tolist() == [1, 0, 1, 0]
    assert nesting.end.tolist() == [2, 2, 4, 4]
    assert nesting.first.tolist() == trace.nodes.step[[1, 2, 4, 5]].tolist()
    assert nesting.last.tolist() == trace.nodes.step[[3, 2, 6, 5]].tolist()
    assert nesting.ancestors(3) == [3, 2] and nesting.ancestors(-1) == []
    assert nesting.contains(2, np.array([-1, 0, 1, 2, 3])).tolist() == [False, False, False, True, True]


def written(parents: list[int], kind: int = 0, index: int = 0) -> Trace:
    writer = Writer()
    for parent in parents:
        writer.add("regions", -1, parent, kind, writer.text("a"), -1, index)
    trace = Trace()
    trace.extend(writer.take())
    return trace


def test_regions_that_nothing_is_in_are_empty() -> None:
    nesting = written([-1, 0, 1, 0]).nesting
    assert nesting.depth.tolist() == [0, 1, 2, 1] and nesting.end.tolist() == [4, 3, 3, 4]
    assert set(nesting.first.tolist()) == {NEVER} and set(nesting.last.tolist()) == {-1}
    assert len(Trace().nesting.first) == 0


@pytest.mark.parametrize("parents", [[0], [1, -1], [-1, -1, 0], [-1, 0, -1, 1], [-2]])
def test_a_region_must_be_in_one_that_is_open(parents: list[int]) -> None:
    with pytest.raises(TraceFormatError, match="region"):
        written(parents)


@pytest.mark.parametrize(("kind", "index"), [(4, 0), (3, -1)])
def test_kinds_and_iterations_are_checked(kind: int, index: int) -> None:
    with pytest.raises(TraceFormatError, match="malformed trace"):
        written([-1], kind, index)


def test_regions_of_a_later_batch_go_on_where_the_earlier_one_ended() -> None:
    trace, writer = Trace(), Writer()
    for parents in ([-1, 0, 1], [1, 0]):
        for parent in parents:
            writer.add("regions", -1, parent, RegionKind.FUNCTION, writer.text("f"), -1, 0)
        trace.extend(writer.take())
    assert trace.nesting.depth.tolist() == [0, 1, 2, 2, 1]
    writer.add("regions", -1, 1, RegionKind.FUNCTION, writer.text("f"), -1, 0)
    with pytest.raises(TraceFormatError, match="not in one that is open"):
        trace.extend(writer.take())


FIRST_STEPS = """\
import torch
w = torch.tensor(1., requires_grad=True)
def half(x):
    h = torch.tensor(0.5)
    return twice(x * h)
def twice(x):
    return x * 2
for t in range(2): x = torch.tensor(3.); y = half(x * w); y.backward(); w.grad = None
while w > 5:
    pass
for t in range(2):
    n = torch.ones(1)
    if t:
        n = n + w
"""


def test_a_region_begins_with_its_first_step_also_where_that_is_a_leaf() -> None:
    trace = run(FIRST_STEPS)
    regions, steps = trace.regions, trace.steps
    assert (np.diff(regions.step) >= 0).all() and (regions.step <= trace.nesting.first).all()
    kinds = [Kind(int(kind)).name for kind in steps.kind[regions.step]]
    first = ["LEAF", "LEAF", "LEAF", "FORWARD"]  # the loop, its first iteration, half, twice
    second = ["LEAF", "LEAF", "FORWARD"]
    assert kinds == [*first, *second, "FORWARD", "LEAF", "LEAF"], "the while loop, and the loop without its first t"
    last = regions.step[-2:]
    assert last[0] == last[1] - 1, "a loop begins in its first iteration, also where no operation runs in that"


def test_regions_that_begin_before_those_in_front_of_them_are_refused() -> None:
    writer = Writer()
    writer.add("steps", int(Kind.WARNING), -1, -1, -1, -1, 0)
    writer.add("texts", 0, writer.text("err"), writer.text("a"))
    for step in (0, -1):
        writer.add("regions", step, -1, RegionKind.FUNCTION, writer.text("f"), -1, 0)
    with pytest.raises(TraceFormatError, match=r"regions\.step goes back"):
        Trace().extend(writer.take())


def test_ten_thousand_regions_in_each_other() -> None:
    count = 10_000
    trace = written([-1, *range(count - 1)], RegionKind.FUNCTION)
    assert trace.nesting.depth[-1] == count - 1 and set(trace.nesting.end.tolist()) == {count}
    assert len(trace.nesting.ancestors(count - 1)) == count
