"""Errors of custom functions, hooks, transforms and modes are explained; every row has a snippet that raises it."""

from __future__ import annotations

import re

import pytest

from gradviz.trace.words.errors import USAGE_ROWS, explain_error
from tests.trace.running import run

HEAD = "import torch\nfrom torch.func import vmap\nx = torch.tensor([1., 2.], requires_grad=True)\n"
FUNCTION = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return {}
"""
AGAIN = """
from torch.utils.checkpoint import checkpoint
count = []
def f(x):
    count.append(1)
    return x.sin().exp().sin() if len(count) == 1 else x.sin().relu() * 1
checkpoint(f, x, use_reentrant=False, determinism_check="none").sum().backward()"""
# (code, words of the explanation)
CASES = [
    ("open('names.txt').read()", "folder is in memory"),
    ("open('results/a.txt', 'w')", "os.makedirs(folder)"),
    ("vmap(lambda v: v if v > 0 else -v)(x)", "torch.where"),
    ("vmap(lambda v: v.item())(x)", "no one value"),
    ("vmap(lambda v: v + torch.randn(()))(x)", "randomness="),
    ("y = torch.zeros(())\nvmap(lambda v: y.mul_(v))(x)", "without the underscore"),
    ("vmap(torch.add)(x, torch.ones(3))", "in_dims"),
    (FUNCTION.format("g, g, g") + "F.apply(x).sum().backward()", "1 here, not 3"),
    (FUNCTION.format("torch.ones(7)") + "F.apply(x).sum().backward()", "[2] for input 0, but backward returned [7]"),
    ("class F(torch.autograd.Function):\n    forward = staticmethod(lambda ctx, x: x * 2)\n"
     "F.apply(x).sum().backward()", "static method backward"),
    ("class F(torch.autograd.Function):\n    def forward(self, x):\n        return x\nF()(x)", "@staticmethod"),
    (FUNCTION.format("g") + "torch.autograd.gradcheck(F.apply, (x.detach().double().requires_grad_(),))", "slope"),
    ("x.register_hook(lambda g: g[0])\nx.sum().backward()", "the same size"),
    ("with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 1):\n    y = x * x\ny.sum().backward()",
     "from the unpack hook"),
    ("with torch.inference_mode():\n    y = torch.ones(2)\n(x * y).sum().backward()", "torch.no_grad()"),
    ("(x * 1j).sum().backward()", "complex"),
    ("torch.autograd.backward([x * 2, x * 3], [torch.ones(2)])", "Number of roots: 2, of gradients: 1"),
    ("torch.autograd.functional.jacobian(lambda t: torch.ones(2), x, strict=True)", "strict"),
    ("torch.nn.Conv2d(3, 8, 3)(torch.zeros(1, 1, 8, 8))", "inputs of 3 channels, but this one has 1"),
    ("torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))", "2 rows of scores but 3 targets"),
    ("for v in x.sum():\n    pass", "unsqueeze(0)"),
    ("a = torch.tensor([1, 2])\na += 1.5", "type of the tensor, Long, and a Float result"),
    ("torch.ones(1).expand(3).add_(1)", "one place in memory"),
    ("torch.mul(x, 2, out=torch.ones(2))", "out="),
    ("torch.ones(3).add_(torch.ones(2, 3))", "the result has shape [2, 3], the tensor [3]"),
    ("torch.nn.Embedding(3, 2)(torch.tensor([7]))", "not below the number of rows"),
    ("x.select(0, 5)", "Count from 0"),
    ("torch.tensor([1, 2]).mean()", "this tensor is Long"),
    ("x.sum(keepdim=True)", "sum() along a dim"),
    ("torch.median(x, keepdim=True)", "median() along a dim"),
    ("x.sum(dim=3)", "no dimension 3: its dimensions are counted from -1 to 0"),
    ("torch.ones(6).expand(2, 5)", "dimension 1 has 6 elements and cannot become 5"),
    (AGAIN, "did not do the same"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "words"), CASES, ids=[words for _, words in CASES])
def test_errors_are_explained(code: str, words: str) -> None:
    trace = run(HEAD + code + "\n")
    found = explain_error(trace)
    assert found is not None, trace.errors.last_line.tolist()
    assert words in f"{found.why} {found.fix}"
    assert any(re.search(pattern, str(trace.errors.message[0])) for pattern, _ in USAGE_ROWS)


def test_every_row_has_a_case() -> None:
    messages = [str(run(HEAD + code + "\n").errors.message[0]) for code, _ in CASES]
    assert [pattern for pattern, _ in USAGE_ROWS if not any(re.search(pattern, each) for each in messages)] == []
