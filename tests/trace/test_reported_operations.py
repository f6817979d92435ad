"""What PyTorch does as one operation is one node: how the engine does it inside is not reported. Nor is what PyTorch
itself makes of several operations put together: `matmul` of batches is expand, clone, view and bmm in both."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.engine.kernel.state import state
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

HEAD = """\
import torch
import copy
from torch import nn
from torch.nn import functional as F
x = torch.ones(2, 2)
"""
ONE = {
    "linear": ("nn.Linear(2, 3)(x)", ["t", "addmm"]),
    "linear of three dimensions": ("nn.Linear(2, 3)(x.view(1, 2, 2))", ["view", "view", "t", "addmm", "view"]),
    "addmm": ("torch.addmm(torch.ones(2), x, x)", ["addmm"]),
    "baddbmm": ("torch.baddbmm(torch.ones(2), x[None], x[None])", ["unsqueeze", "unsqueeze", "baddbmm"]),
    "recurrent cell": ("nn.RNNCell(2, 3)(x)", ["t", "addmm", "t", "addmm", "add", "tanh"]),
    "matmul": (
        "nn.Parameter(torch.ones(3, 1, 2, 2)) @ nn.Parameter(torch.ones(2, 2, 2)).transpose(-2, -1)",
        ["transpose", "expand", "clone", "_unsafe_view", "expand", "clone", "_unsafe_view", "bmm", "_unsafe_view"],
    ),
    "attention weights": ("nn.Parameter(x) @ x.t()", ["t", "mm"]),
    "part of the memory": (
        "torch.as_strided_scatter(nn.Parameter(x), x[0], (2,), (1,))",
        ["select", "as_strided_scatter"],
    ),
    "conv": ("nn.Conv1d(2, 3, 1)(x)", ["unsqueeze", "convolution", "squeeze"]),
    "batch norm": ("nn.BatchNorm1d(2)(x)", ["native_batch_norm"]),
    "loss": ("F.mse_loss(nn.Parameter(x), x)", ["mse_loss"]),
    "a copy of a layer": ("copy.deepcopy(nn.Linear(2, 3))", []),
    "a stack of copies": ("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)", []),
    "window": ("torch.hann_window(4)", []),
    "symmetric window": ("torch.blackman_window(4, periodic=False)", []),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), ONE.values(), ids=ONE)
def test_operations(source: str, expected: list[str]) -> None:
    assert run(HEAD + source).nodes.op.tolist() == expected


def made(trace: Trace) -> list[str]:
    """The names of the tensors that no operation made."""
    frame = trace.frame(len(trace))
    return [frame.name(int(each)) for each in trace.steps.tensor[trace.steps.kind == Kind.LEAF]]


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hann", "kaiser"])
@pytest.mark.parametrize("rest", ["4", "4, periodic=False", "1", "4, requires_grad=True"])
def test_a_window_is_a_tensor_that_a_factory_made(name: str, rest: str) -> None:
    trace = run(HEAD + f"w = torch.{name}_window({rest})\n")
    assert made(trace) == ["x", "w"] and len(trace.nodes) == 0 and len(trace) == 2


def test_copied_parameters_are_new_leaves() -> None:
    trace = run(HEAD + "net = nn.Linear(2, 3)\nother = copy.deepcopy(net)\n")
    assert made(trace) == ["x", "net.weight", "net.bias", "other.weight", "other.bias"]
    assert np.unique(trace.tensors.storage).size == len(trace.tensors)


@pytest.mark.parametrize("sizes", ["(3,), (2, 2)", "(2, 3), (2, 2)", "(1, 2, 2), (2, 2)"])
def test_a_term_that_does_not_fit_is_refused_as_before(sizes: str) -> None:
    trace = run(HEAD + f"a, b = {sizes}\ntorch.addmm(torch.ones(*a), torch.ones(*b), x)\n")
    assert "expand" in trace.errors.message[0] and len(trace.nodes) == 0


def test_a_graph_that_vmap_made_earlier_adds_no_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "layered", True)  # as it stays once such a graph was made
    assert run(HEAD + "nn.BatchNorm1d(2)(x)").nodes.op.tolist() == ["native_batch_norm"]
