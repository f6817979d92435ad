"""Whose backward made which node of a graph of gradients."""

from __future__ import annotations

import pytest

from tests.trace.running import run

HEAD = "import torch\nx = torch.tensor(2., requires_grad=True)\n"
_CASES = """
### a sum of two gradients is made by no node
y = x.sin() * x
torch.autograd.grad(y, x, create_graph=True)
=>
mul: mul mul
sin: cos mul
-: add
### nothing without create_graph
(x.sin() * x).backward()
=>
### each call of its own
y = x.sin()
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g, x, create_graph=True)
=>
sin: cos mul
mul: mul
cos: sin neg mul
### what a hook makes is made by no node, before and after the formula
def hook(g):
    return g * 3
y = x.exp()
y.register_hook(hook)
y.sin().backward(create_graph=True)
=>
sin: cos mul
-: mul _grad_copy
exp: mul
### nor the formula, where a hook follows it
y = x.exp()
y.grad_fn.register_hook(lambda after, before: (after[0] * 3,))
y.backward(create_graph=True)
=>
-: mul mul _grad_copy
### a gradient that is added to an earlier one
x.grad = torch.ones(())
x.exp().backward(create_graph=True)
=>
exp: mul
-: add
### a call within a call
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.detach().cos()
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        before = g.neg()
        with torch.enable_grad():
            y = x.cos()
        (inner,) = torch.autograd.grad(y, x, create_graph=True)
        return inner * before.neg()
torch.autograd.grad(F.apply(x), x, create_graph=True)
=>
F: neg cos neg mul
cos: sin neg mul
"""


def _cases() -> dict[str, tuple[str, list[str]]]:
    parts = [part.split("\n", 1) for part in _CASES.split("### ")[1:]]
    return {name: (source, expected.splitlines()) for name, text in parts for source, expected in [text.split("=>\n")]}


CASES = _cases()


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_origins(source: str, expected: list[str]) -> None:
    trace = run(HEAD + source)
    found: dict[str, list[str]] = {}
    for node, origin in enumerate(trace.origin_of_node.tolist()):
        if trace.nodes.call[node] >= 0 or origin >= 0:
            found.setdefault(trace.nodes.op[origin] if origin >= 0 else "-", []).append(trace.nodes.op[node])
    assert sorted(f"{name}: {' '.join(ops)}" for name, ops in found.items()) == sorted(expected)
    assert (trace.origin_of_node < range(len(trace.nodes))).all()


def test_gradients_are_in_the_graph_that_they_came_from() -> None:
    trace = run("""import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3 + torch.sin(x)
g, = torch.autograd.grad(y, x, create_graph=True)
h = (g * g).sum()
h.backward()
""")
    assert set(trace.graph_of_node[trace.nodes.name != ""].tolist()) == {0}
    assert trace.graphs.shown(len(trace)).sum() == 1
