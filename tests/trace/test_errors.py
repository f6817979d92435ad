"""Explained errors: for each the words that must be there, the line to change, and the nodes that are marked."""

from __future__ import annotations

import re
import sys
from types import FrameType

import numpy as np
import pytest

from gradviz.trace.record.binding import _arguments
from gradviz.trace.words.errors import SHAPE_ROWS, explain_error
from gradviz.trace.words.explain import explain
from gradviz.trace.words.graph_errors import GRAPH_ROWS
from gradviz.trace.words.jsonable import trace_json
from tests.trace.running import run

X = "import torch\nx = torch.tensor([1., 4.], requires_grad=True)\n"  # the code of a case begins on line 3

NO_SUPER = """
class N(torch.nn.Module):
    def __init__(self):
        self.layer = torch.nn.Linear(1, 1)
N()"""

ONCE = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return g * 2
y = (F.apply(x) ** 2).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()"""

NAN_OF_ITS_OWN = """class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g * float("nan")
with torch.autograd.set_detect_anomaly(True):
    Own.apply(x).sum().backward()"""
NAN = """
k = torch.tensor([0., 1.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    (k.sqrt() * 0).sum().backward()"""

# (code, words of the reason, words of the fix, names of the marked nodes)
CASES = [
    ("torch.select(x, 0, 5)", "no index 5 along dimension 0 of a tensor of size [2]", "below the size", []),
    ("x.index_select(0, torch.tensor([2]))", "not below the number of rows", "from 0 to that number − 1", []),
    ("torch.nn.Embedding(3, 2)(torch.tensor([3]))", "below 0, or not below", "more rows (num_embeddings)", []),
    (
        "y = x * x\ns = y.sum()\ns.backward()\ns.backward()",
        "freed x at step",
        "retain_graph=True on line 5",
        ["mul"],
    ),
    (
        "y = x.exp()\ny += 1  # for luck\ny.sum().backward()",
        "ExpBackward0 (line 3) saved y at version 0",
        "on line 4, “y += 1”, or clone()",
        ["exp", "add"],
    ),
    (
        "y = x.exp()\ny.sum().backward()\n(y * 2).sum().backward()",
        "ExpBackward0 (line 3) needs what it saved",
        "line 4",
        ["exp"],
    ),
    ("y = x * 2\ny.backward()", "y has shape (2,)", "gradient= of the same shape on line 4", ["mul"]),
    ("torch.autograd.grad(x ** 2, x)", "x ** 2 has shape (2,)", "Reduce it first", ["pow"]),
    (
        "y = x.exp()\ny += 1\ny.sum().backward()",
        "saved y at version 0",
        "line 4, “y += 1”",
        ["exp", "add"],
    ),
    ("x += 1", "written to in place", "“with torch.no_grad():”", []),
    ("x[0] = 1.", "(through a view)", "“with torch.no_grad():”", []),
    ("y = x.detach() * 2\ny.sum().backward()", "x.detach() was detached at line 3", "without detach()", ["detach"]),
    (
        "with torch.no_grad():\n    y = x * 2\nz = y.sum()\nz.backward()",
        "y was computed inside no_grad at line 4",
        "",
        ["mul"],
    ),
    ("k = torch.ones(2)\n(k * 3).sum().backward()", "none of the leaves", "requires_grad=True", []),
    (
        "x = x * 0.1\nx.sum().backward()\nx.grad * 2",
        "x.grad is None: x is not a leaf; the",
        "retain_grad() first",
        ["mul"],
    ),
    ("x.grad * 2", "x.grad is None: backward() has not run yet", "Run backward() first", []),
    ("torch.mm(torch.ones(2), torch.ones(2, 1))", "A row of shape (1, 2) was meant", ".unsqueeze(0)", []),
    ("a = torch.ones(2, 3)\nb = torch.ones(3)\ntorch.mm(a, b)", "operand b has shape (3,)", "(3, 1) on line 5", []),
    ("a = torch.ones(2, 3)\nb = torch.ones(4, 3)\na @ b", "a is (2, 3), with 3 columns, but b is (4, 3)", "b.t()", []),
    ("torch.ones(3, 2) @ torch.ones(3)", "(3, 2), with 2 columns, so it multiplies vectors of 2", "Transpose", []),
    ("x.grad = torch.ones(2, 1)", "the shape of its tensor, (2,), but what is assigned", "of shape (2,)", []),
    ("x + torch.ones(3)", "dimension 0 has 2 elements in one and 3 in the other", "unsqueeze()", []),
    ("y = x * 2\ny.backward(torch.ones(3))", "has shape (3,), but y has shape (2,)", "shape (2,) on line 4", []),
    ("x.item()", "2 elements", ".sum()", []),
    ("bool(x > 0)", "neither true nor false", ".any()", []),
    ("torch.tensor([1, 2], requires_grad=True)", "real and complex numbers only", "2.", []),
    ("z = torch.ones(2, requires_grad=True)\ntorch.autograd.grad(x.sum(), z)", "was not used", "allow_unused=True", []),
    ("x.numpy()", "NumPy arrays have no history", ".detach().numpy()", []),
    ("(x * 2).requires_grad_(False)", "Only a leaf decides", ".detach()", []),
    ("torch.ones(2).register_hook(print)", "No gradient will ever reach", "requires_grad=True", []),
    ("x @ x.detach().double()", "different types", ".float()", []),
    ("torch.ones(2, 2).double() @ torch.ones(2, 2)", "different types", ".float()", []),
    ("torch.nn.Linear(2, 1)(torch.ones(1, 2).double())", "different types", ".float()", []),
    ("torch.autograd.grad(x.sum(), torch.ones(2))", "does not require grad", "requires_grad=True", []),
    ("a, b = (x * 2).unbind()\na += 1", "one of several", "clone()", []),
    ("class N(torch.nn.Module):\n    pass\nN()(x)", "has none", "forward(self, x)", []),
    (NO_SUPER, "creates the tables that hold", "super().__init__()", []),
    (ONCE, "not differentiable itself", "differentiable operations", []),
    (
        NAN,
        "got the gradient [0, 0] and made nan of it. In the forward pass it read k = [0, 1]",
        "clamp()",
        ["sqrt"],
    ),
    (
        "with torch.autograd.set_detect_anomaly(True):\n    (0 * x).pow(2).sum().sqrt().backward()",
        "The gradient was infinite or nan before it came here, and 0 · inf is nan.",
        "Look at the operation that sent this gradient",
        ["pow"],
    ),
    (NAN_OF_ITS_OWN, ": what its backward() returned is nan.", "Look at backward() of this function", ["Own"]),
    ("x.argmax().float().backward()", "argmax at line", "Compute the root from the values themselves", ["argmax"]),
    ("torch.optim.SGD([x * 2], lr=0.1)", "never filled", "leaf", []),
]


@pytest.mark.parametrize(("code", "why", "fix", "marked"), CASES, ids=[code.splitlines()[-1] for code, *_ in CASES])
def test_errors_are_explained(code: str, why: str, fix: str, marked: list[str]) -> None:
    trace = run(X + code + "\n")
    found = explain_error(trace)
    assert found is not None, trace.errors.last_line.tolist()
    assert why in found.why and fix in found.fix
    assert [trace.nodes.op[mark.node] for mark in found.marks] == marked
    assert trace.error_step == len(trace)
    assert found.why in explain(trace.frame(len(trace))).sentence
    error = trace_json(trace)["error"]
    assert error is not None and error["why"] == found.why


def test_an_error_without_a_row_is_shown_as_it_is() -> None:
    trace = run(X + "undefined\n")
    assert explain_error(trace) is None
    assert explain(trace.frame(len(trace))).sentence == "NameError: name 'undefined' is not defined"
    assert trace_json(trace)["error"]["last_line"] == "NameError: name 'undefined' is not defined"


def test_a_run_without_an_error_has_no_explanation() -> None:
    trace = run(X)
    assert explain_error(trace) is None and trace.error_step is None and trace_json(trace)["error"] is None


def test_every_row_has_a_case() -> None:
    messages = [str(run(X + code + "\n").errors.message[0]) for code, *_ in CASES]
    for pattern, _ in (*GRAPH_ROWS, *SHAPE_ROWS):
        assert any(re.search(pattern, message) for message in messages), pattern


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("torch.relu(lin(x[None]))", "lin.weight.t()"),
        ("y = [lin(x[None]),\n     1]", "lin.weight.t()"),
        ("torch.mm(lin(torch.ones(2, 3)), x)", "lin(torch.ones(2, 3))"),
    ],
    ids=["within a call", "within lines", "after it returned"],
)
def test_a_call_that_raised_within_an_expression_names_nothing(call: str, name: str) -> None:
    trace = run(f"{X}lin = torch.nn.Linear(3, 2)\n{call}")
    frame = trace.frame(len(trace))
    assert frame.name(int(np.flatnonzero(trace.tensors.producer == len(trace.nodes) - 1)[0])) == name


@pytest.mark.parametrize("given", ["x", " x "])
def test_a_layer_of_another_size_is_told_with_what_it_was_given(given: str) -> None:
    source = f"{X}class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    source += (
        "        self.fc = torch.nn.Linear(3, 2)\n    def forward(self, x):\n        return self.fc(GIVEN).relu()\n"
    )
    trace = run(f"{source}Net()((x * 2)[None])".replace("GIVEN", given))
    found = explain_error(trace)
    assert found is not None
    assert found.why == "self.fc takes rows of 3 numbers, as its weight is (2, 3), but x₁ is (1, 2), with rows of 2."
    assert found.fix == "Make self.fc with 2 input features, or change the size of x₁ on line 8."
    marked = [(str(trace.nodes.op[mark.node]), mark.reason) for mark in found.marks]
    assert marked == [("t", "takes rows of 3"), ("unsqueeze", "made rows of 2")]


def test_an_error_after_a_layer_is_not_put_down_to_it() -> None:
    trace = run(f"{X}lin = torch.nn.Linear(2, 3)\ny = torch.mm(lin(x)[None], lin.weight.t())")
    found = explain_error(trace)
    assert found is not None and found.marks == () and " takes rows" not in found.why


GIVEN = {
    "torch.cat([x, x[:1] * 2, x[None]])": "x is (2,), x[:1] * 2 is (1,) and x[None] is (1, 2).",
    "torch.nn.Conv2d(2, 4, 3)(x.view(1, 1, 1, 2))": "x.view(1, 1, 1, 2) is (1, 1, 1, 2), ",
    "torch.nn.Embedding(3, 2)(x.long() + 2)": "x.long() + 2 is (2,) and ",
    "torch.einsum('i,j->', x, x * 2).view(3)": "",
    "torch.einsum('i,i->', x, torch.ones(3))": "x is (2,) and torch.ones(3) is (3,).",
    "torch.nn.BCELoss()(x.sigmoid(), torch.ones(2, 1))": "x.sigmoid() is (2,) and torch.ones(2, 1) is (2, 1).",
    "class M(torch.nn.Module):\n    forward = lambda self, a: torch.stack([a, a[:1]])\nM()(x * 2)": "a is (2,)",
    "try:\n    torch.bmm(x, x[None] * 2)\nfinally:\n    torch.relu(x)": "x is (2,) and x[None] * 2 is (1, 2).",
}


@pytest.mark.parametrize("code", GIVEN, ids=[code.splitlines()[-1] for code in GIVEN])
def test_what_the_operation_was_given_that_raised_is_told(code: str) -> None:
    trace = run(f"{X}{code}\n")
    assert GIVEN[code] in explain(trace.frame(len(trace))).sentence
    assert "Error" in str(trace.errors.type[0])


def test_a_caught_error_tells_what_was_given() -> None:
    trace = run(f"{X}y = x * 2\ntry:\n    torch.stack([x, y[:1]])\nexcept RuntimeError:\n    pass\ntorch.relu(y)\n")
    (step,) = trace.caught.step.tolist()
    assert "x is (2,) and y[:1] is (1,)." in explain(trace.frame(step + 1)).sentence


def test_the_graphs_of_both_operands_are_shown_at_the_error() -> None:
    trace = run(f"{X}y = x * 2\nz = torch.ones(3, requires_grad=True) * 2\ny + z\n")
    frame = trace.frame(len(trace))
    assert frame.shown_nodes.tolist() == [True, True]
    assert frame.step is not None and frame.step.is_error


def test_what_a_snippet_passes_beside_tensors_is_not_asked_for_its_class() -> None:
    class Odd:
        __class__ = property(lambda self: 1 / 0)

    def call(first: object, *others: object) -> FrameType:
        return sys._getframe()

    assert _arguments(call(Odd(), Odd(), [Odd()])) == {}
