"""What it costs to find the names of all tensors."""

from __future__ import annotations

import pytest

from gradviz.trace.table.trace import Trace
from tests.trace.running import run

CHAIN = """
import torch
x = torch.tensor(1.0, requires_grad=True)
v = [x]
[v.append(v[-1] * 1.5) for i in range(COUNT)]
"""


@pytest.mark.parametrize("count", [100, 400])
def test_what_a_tensor_was_made_of_is_found_once_however_many_are_called_after_it(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = run(CHAIN.replace("COUNT", str(count)))
    asked: list[int] = []
    look_up = Trace.inputs_of
    monkeypatch.setattr(Trace, "inputs_of", lambda self, node: (asked.append(node), look_up(self, node))[1])
    names = [trace.naming.name(tensor, len(trace)) for tensor in range(len(trace.tensors))]
    assert len(set(names)) > 3
    assert 0 < len(asked) <= len(trace.nodes)


def names(source: str) -> list[str]:
    """What the results of all operations are called at the end."""
    trace = run("import torch\nimport torch.nn.functional as F\n" + source)
    frame = trace.frame(len(trace))
    return [frame.name(tensor) for node in range(len(trace.nodes)) for tensor in trace.outputs_of(node).tolist()]


INSIDE = [  # a call, and what its operations are called: only what it returns goes by its own text
    (
        "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))\n"
        "net(torch.ones(1, 2)).sum()",
        ["net[0].weight.t()", "net[0]: addmm", "(net[0]: addmm).tanh()", "net[2].weight.t()", "net(torch.ones(1, 2))"],
    ),
    (
        "x, y = torch.ones(2), torch.ones(2, requires_grad=True)\nF.cosine_similarity(x, y, dim=0)",
        ["cosine_similarity: mul", "F.cosine_similarity(x, y, dim=0)"],
    ),
    ("x = torch.ones(3)\nfor i in range(3):\n    F.relu(x)", ["F.relu(x)"]),
    ("torch.nn.GRU(2, 2)(torch.ones(1, 1, 2))", ["GRU: split[1]", "(constant of GRU)[0]"]),
    ("x = torch.tensor(1., requires_grad=True)\nF.softsign(x)", ["x.abs().add(1)"]),
    ("torch.linalg.svdvals(torch.eye(2)).sum()", ["svdvals: linalg_svd[0]", "svdvals: linalg_svd[1]"]),
]


@pytest.mark.parametrize(("source", "expected"), INSIDE, ids=[row[0][-20:] for row in INSIDE])
def test_what_a_call_makes_on_its_way_is_not_called_after_the_call(source: str, expected: list[str]) -> None:
    found = names(source)
    assert set(expected) <= set(found)


PARTS = [  # results that have no name of their own, and what they are called
    ("x = torch.ones(2)\nfor row in x:\n    pass\nlist(x)", ["row₁", "x[1]"]),
    ("x = torch.ones(4)\ntorch.cat(x.split(2)[:1])", ["x.split(2)[0]", "x.split(2)[1]"]),
    ("x = torch.ones(2, 2)\nx.max(0)", ["x.max(0).values", "x.max(0).indices"]),
]


@pytest.mark.parametrize(("source", "expected"), PARTS, ids=["rows", "split", "fields"])
def test_each_of_several_results_has_a_name_of_its_own(source: str, expected: list[str]) -> None:
    assert set(expected) <= set(names(source))


def test_a_buffer_of_a_module_goes_by_its_name() -> None:
    trace = run("""
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.tensor(0))
    def forward(self, x):
        self.seen += 1
        return x
net = Net()
net(torch.ones(1))
""")
    frame = trace.frame(len(trace))
    assert frame.name(0) == "net.seen"
