"""Gradients by differences from a real worker: what they come to beside autograd's, for leaves, parameters in training
loops, with random numbers, at edges, and where there is nothing to compare."""

from __future__ import annotations

import queue

import numpy as np
import pytest

from gradviz.session.inspect.three_ways import Check, agree, differences, gradient, lines
from gradviz.trace.table.trace import Trace
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Batch, Done, Event, Output
from gradviz.worker.process.run import Run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_warm")]

SCALARS = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
y = x ** 3 / (w + 1)
z = torch.sqrt(y) * torch.exp(-w) + x * y
z.backward()
"""
LOOP = """\
import torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh(), torch.nn.Dropout(0.5), torch.nn.Linear(2, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.1)
X, Y = torch.randn(5, 3), torch.randn(5, 1)
print("begin")
for epoch in range(3):
    opt.zero_grad()
    loss = ((model(X) - Y) ** 2).mean()
    loss.backward()
    opt.step()
first = model[0].weight
"""
DOUBLE = """\
import torch
a = torch.tensor([[0.3, -1.2], [2.0, 5.0]], dtype=torch.float64, requires_grad=True)
out = torch.sin(a) @ a
out.backward(torch.tensor([[1.0, 2.0], [0.5, -1.0]], dtype=torch.float64))
"""
EDGE = """\
import torch
x = torch.tensor([0.0, 1.0, -2.0], requires_grad=True)
y = torch.relu(x).sum()
y.backward()
"""
CUT = """\
import torch
x = torch.tensor(3.0, requires_grad=True)
y = x * x.detach()
y.backward()
"""
ASKS = """\
import torch
x = torch.tensor(float(input("x? ")), requires_grad=True)
(x * x).backward()
"""


def ran(pool: WorkerPool, source: str, question: tuple[int, ...] = ()) -> tuple[Trace, Done, list[str]]:
    trace, printed, started = Trace(source), list[str](), queue.Queue[Run]()

    def take(event: Event) -> None:
        if isinstance(event, Batch):
            trace.extend(event)
        elif isinstance(event, Output):
            printed.append(event.text)
        elif not isinstance(event, Done):
            started.get(timeout=60).answer("3")

    run = pool.start(source, take, question=question)
    started.put(run)
    done = run.wait(60)
    assert done is not None
    return trace, done, printed


def checked(pool: WorkerPool, source: str, name: str, call: int = 0) -> Check:
    trace, done, printed = ran(pool, source)
    assert done.status == "ok"
    named = zip(trace.names.tensor, trace.names.name, strict=True)
    tensor = next(int(row) for row, each in named if each == name)
    again, done, reprinted = ran(pool, source, (call, tensor, True))
    assert done.status == "ok" and reprinted == printed and len(again) == len(trace)
    found = differences(again, call, tensor)
    return Check(trace, call, tensor, name, found, 2 * len(again.nudges), 0.1)


def slopes(check: Check) -> np.ndarray:
    return np.array([one.value for one in check.differences])


@pytest.mark.parametrize(
    ("source", "name", "call"),
    [(SCALARS, "x", 0), (SCALARS, "w", 0), (LOOP, "first", 0), (LOOP, "first", 2), (DOUBLE, "a", 0)],
)
def test_differences_agree_with_autograd_within_the_error_they_give(
    shared_pool: WorkerPool, source: str, name: str, call: int
) -> None:
    check = checked(shared_pool, source, name, call)
    grad = gradient(check.trace, call, check.tensor)
    assert grad is not None and len(check.differences) == len(grad)
    assert all(agree(check))
    errors = np.array([one.error for one in check.differences])
    assert np.all(np.abs(slopes(check) - grad) <= 2 * errors)
    assert np.all(errors < (1e-8 if source is DOUBLE else 0.02))
    assert "they agree" in [label for label, _, _ in lines(check)]


def test_an_edge_is_told_from_a_curve(shared_pool: WorkerPool) -> None:
    check = checked(shared_pool, EDGE, "x")
    assert [one.is_edge for one in check.differences] == [True, False, False]
    said = {label: text for label, text, _ in lines(check)}
    assert said["no derivative"] == "at [0]: slope 0 on the left, 1 on the right, within h of here; autograd takes 0"
    assert "they differ" not in said
    curve = checked(
        shared_pool, "import torch\nx = torch.tensor(0.0, requires_grad=True)\n(x * x + x ** 3).backward()\n", "x"
    )
    assert [one.is_edge for one in curve.differences] == [False] and all(agree(curve))


def test_what_autograd_does_not_follow_is_said_to_differ(shared_pool: WorkerPool) -> None:
    check = checked(shared_pool, CUT, "x")
    said = {label: text for label, text, _ in lines(check)}
    assert said["they differ"].startswith("6 beside 3. ") and "detach()" in said["they differ"]


def test_what_was_answered_is_answered_again(shared_pool: WorkerPool) -> None:
    check = checked(shared_pool, ASKS, "x")
    assert slopes(check) == pytest.approx([6.0], abs=1e-2)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nx = torch.tensor(1 + 2j, requires_grad=True)\n(x * x.conj()).real.backward()\n",
        "import torch\nx = torch.ones(0, requires_grad=True)\nx.sum().backward()\n",
    ],
)
def test_there_are_no_differences_of_complex_numbers_and_of_nothing(shared_pool: WorkerPool, source: str) -> None:
    assert checked(shared_pool, source, "x").differences == ()
