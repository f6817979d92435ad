"""The paths of a backward call, walked one by one: what comes along each, and that all together are the gradient."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.trace.record.chains import MOST_PATHS, Question
from gradviz.trace.table.trace import Trace
from tests.trace.running import run

SCALARS = """\
import torch
x = torch.tensor(2., requires_grad=True)
w = torch.tensor(3., requires_grad=True)
y = x * w + x.sin()
z = y * x
z.backward()
"""
NET = """\
import torch
torch.manual_seed(1)
x, W, V = torch.randn(5, 2), torch.randn(2, 3, requires_grad=True), torch.randn(3, 1, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
h = torch.tanh(x @ W + b)
loss = ((h @ V) * h.mean() - x[:, :1]).pow(2).mean()
loss.backward()
"""


def tensor_called(trace: Trace, name: str) -> int:
    return next(int(tensor) for tensor, each in zip(trace.names.tensor, trace.names.name, strict=True) if each == name)


def asked(source: str, name: str, call: int = 0) -> Trace:
    return run(source, question=Question(call, tensor_called(run(source), name)))


def links(trace: Trace, chain: int) -> list[tuple[str, int, float]]:
    rows = np.flatnonzero(trace.links.chain == chain)
    columns = zip(trace.links.node[rows], trace.links.slot[rows], trace.links.local[rows], strict=True)
    return [(str(trace.nodes.op[node]), int(slot), round(float(local), 6)) for node, slot, local in columns]


def test_each_path_has_its_operations_operands_and_local_derivatives() -> None:
    trace = asked(SCALARS, "x")
    assert trace.answers.paths.tolist() == [3.0]
    assert [links(trace, chain) for chain in range(3)] == [
        [("mul", 0, 2.0), ("add", 0, 1.0), ("mul", 0, 3.0)],
        [("mul", 0, 2.0), ("add", 1, 1.0), ("sin", 0, -0.416147)],
        [("mul", 1, 6.909297)],
    ]


@pytest.mark.parametrize(("source", "name"), [(SCALARS, "x"), (SCALARS, "w"), (NET, "W"), (NET, "b"), (NET, "V")])
def test_what_comes_along_the_paths_adds_up_to_the_gradient(source: str, name: str) -> None:
    trace = asked(source, name)
    values = [trace.value(int(row)) for row in trace.chains.value]
    grad = trace.frame(len(trace)).grad(int(trace.answers.tensor[0]))
    assert grad is not None and grad.array is not None and len(values) == trace.answers.paths[0]
    total = sum(value.array for value in values if value is not None and value.array is not None)
    np.testing.assert_allclose(total, grad.array, rtol=1e-5)


def test_being_asked_changes_nothing_else() -> None:
    plain, other = run(NET), asked(NET, "W")
    assert plain.texts.text.tolist() == other.texts.text.tolist() and len(plain) == len(other)
    for name in ("steps", "nodes", "inputs", "tensors", "frees"):
        one, two = getattr(plain, name), getattr(other, name)
        assert one.step.tolist() == two.step.tolist() if hasattr(one, "step") else len(one) == len(two)


def test_paths_are_counted_without_being_walked() -> None:
    source = "import torch\nx = torch.tensor(1., requires_grad=True)\ny = x\nfor _ in range(200):\n    y = y + y\n"
    trace = asked(source + "y.backward()\n", "x")
    assert trace.answers.paths[0] == 2.0**200
    assert 0 < len(trace.chains) <= MOST_PATHS


def test_there_is_no_path_to_what_the_call_does_not_reach() -> None:
    trace = asked(SCALARS.replace("z.backward()", "q = x * 2\nz.backward()"), "q")
    assert trace.answers.paths.tolist() == [0.0] and not len(trace.chains)


def test_a_root_is_its_own_path_and_one_in_the_middle_ends_there() -> None:
    trace = asked(SCALARS, "z")
    assert trace.answers.paths.tolist() == [1.0] and not len(trace.links) and len(trace.chains) == 1
    assert [op for op, _, _ in links(asked(SCALARS, "y"), 0)] == ["mul"]


def test_a_call_whose_buffers_are_gone_is_not_answered() -> None:
    trace = asked(SCALARS + "z.backward()\n", "x", call=1)
    assert not len(trace.answers) and "second time" in str(trace.errors.message[0])


def test_the_gradient_that_was_given_goes_along() -> None:
    source = "import torch\nv = torch.ones(2, requires_grad=True)\nu = v * 3\nu.backward(torch.tensor([1., 10.]))\n"
    trace = asked(source, "v")
    value = trace.value(int(trace.chains.value[0]))
    assert value is not None and value.array is not None and value.array.tolist() == [3.0, 30.0]
