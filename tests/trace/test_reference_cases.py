"""The eight reference cases from the snippet to the frames: names, values, gradients, order, buffers, errors."""

from __future__ import annotations

import pytest

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.errors import explain_error
from gradviz.trace.words.explain import explain
from gradviz.trace.words.jsonable import trace_json
from gradviz.trace.words.reasons import no_grad_reason
from tests.trace.running import run

CASE_1 = """
import torch
x = torch.tensor(2.)
w = torch.tensor(3., requires_grad=True)
b = torch.tensor(1., requires_grad=True)
y = w * x + b
print(y)
print(x.grad, w.grad, b.grad)
y.backward()
print(x.grad, w.grad, b.grad)
"""

CASE_2 = """
import torch
X = torch.tensor([[2., 4., 6.], [2., 7., 9.], [2., 4., 5.]], requires_grad=True)
for i in range(2):
    for j in range(3):
        (X[i, j] * X[i, j]).backward()
print(X.grad)
"""

CASE_3 = """
import torch
A = torch.tensor(2., requires_grad=True)
(A * 4).backward()
print(A.grad.data)
"""

CASE_4 = """
import torch
torch.manual_seed(0)
x = torch.randn(1, requires_grad=True)
w = torch.randn(1, requires_grad=True)
b = torch.randn(1, requires_grad=True)
loss = (x * w + b - 2) ** 2
loss.backward()
optimizer = torch.optim.SGD([x, w, b], lr=0.01)
optimizer.step()
optimizer.zero_grad()
print(x.grad, w.grad, b.grad)
"""

CASE_5 = """
import torch
torch.mm(torch.randn(2), torch.randn(2, 1))
"""

CASE_6 = """
import torch
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
out.backward()
print(x.grad)
"""

CASE_7 = """
import torch
x = torch.tensor([2., 2., 2.], requires_grad=True)
y = x * 2
g = torch.tensor([0.1, 1., 10.])
y.backward(g)
print(x.grad)
y.backward(g)
"""

CASE_7_RETAINED = """
import torch
x = torch.tensor([2., 2., 2.], requires_grad=True)
y = x * 2
g = torch.tensor([0.1, 1., 10.])
y.backward(g, retain_graph=True)
y.backward(g, retain_graph=True)
print(x.grad)
x.grad.zero_()
print(x.grad)
y.backward(g)
print(x.grad)
"""

CASE_8 = """
import torch
x = torch.tensor(3., dtype=torch.float64, requires_grad=True)
y = x ** 2 + torch.sin(x)
y.backward()
by_hand = 2 * x + torch.cos(x)
h = 1e-6
with torch.no_grad():
    central = ((x + h) ** 2 + torch.sin(x + h) - (x - h) ** 2 - torch.sin(x - h)) / (2 * h)
print(torch.allclose(x.grad, by_hand), torch.allclose(x.grad, central))
"""

CASES = [CASE_1, CASE_2, CASE_3, CASE_4, CASE_5, CASE_6, CASE_7, CASE_7_RETAINED, CASE_8]


def printed(trace: Trace) -> str:
    return "".join(trace.texts.text.tolist())


def tensor(trace: Trace, name: str) -> int:
    """The last tensor that is called so at the end."""
    frame = trace.frame(len(trace))
    return [number for number in range(len(trace.tensors)) if frame.name(number) == name][-1]


def backward_order(trace: Trace) -> list[str]:
    frame = trace.frame(len(trace))
    found = []
    for kind, node, number in zip(trace.steps.kind, trace.steps.node, trace.steps.tensor, strict=True):
        if kind == Kind.BACKWARD:
            found.append(str(trace.nodes.name[node]))
        elif kind == Kind.ACCUMULATE:
            found.append(f"Accumulate({frame.name(int(number))})")
    return found


@pytest.mark.parametrize("source", CASES, ids=[f"case{i}" for i in (1, 2, 3, 4, 5, 6, 7, 70, 8)])
def test_every_step_of_every_case_can_be_looked_at_both_ways(source: str) -> None:
    trace = run(source)
    assert len(trace) > 2
    there = [(explain(trace.frame(c)), trace.held_bytes[c]) for c in range(len(trace) + 1)]
    back = [(explain(trace.frame(c)), trace.held_bytes[c]) for c in range(len(trace), -1, -1)]
    assert there == back[::-1]
    assert all(explanation.sentence for explanation, _ in there)
    assert len(trace_json(trace)["steps"]) == len(trace)


def test_case_1() -> None:
    trace = run(CASE_1)
    assert printed(trace) == "tensor(7., grad_fn=<AddBackward0>)\nNone None None\nNone tensor(2.) tensor(1.)\n"
    end = trace.frame(len(trace))
    names = ["x", "w", "b", "w * x", "y"]
    assert [end.name(t) for t in range(5)] == names
    assert trace.tensors.line.tolist() == [3, 4, 5, 6, 6]
    assert backward_order(trace) == ["AddBackward0", "Accumulate(b)", "MulBackward0", "Accumulate(w)"]
    grads = [value.scalar if (value := end.grad(t)) else None for t in range(5)]
    assert grads == [None, 2.0, 1.0, None, None]
    assert no_grad_reason(end, 0) == "requires_grad=False"
    assert [(one.name, one.tensor) for one in trace.frame(4).saved(0)] == [("other", 0)]


def test_case_2_six_graphs_one_at_a_time() -> None:
    trace = run(CASE_2)
    assert "[ 4.,  8., 12.]" in printed(trace) and "[ 4., 14., 18.]" in printed(trace)
    assert len(trace.graphs) == 6
    assert [len(trace.frame(c).shown_graphs()) for c in range(2, len(trace) + 1)] == [1] * (len(trace) - 1)
    accumulations = [c for c in range(1, len(trace) + 1) if trace.steps.kind[c - 1] == Kind.ACCUMULATE]
    assert len(accumulations) == 6
    assert all(trace.frame(c).shown_tensors[0] for c in range(1, len(trace) + 1))  # X belongs to all
    last = trace.frame(accumulations[-1]).grad(0)
    assert last is not None and last.array is not None
    assert last.array.tolist() == [[4, 8, 12], [4, 14, 18], [0, 0, 0]]


def test_case_3() -> None:
    trace = run(CASE_3)
    assert printed(trace) == "tensor(4.)\n"
    mul = trace.frame(trace.next_of(Kind.BACKWARD, 0) or 0)
    assert "∂(A * 4)/∂A = grad · 4 = 1 × 4 = 4" in explain(mul).sentence


def test_case_4_optimizer_and_zero_grad() -> None:
    trace = run(CASE_4)
    assert printed(trace) == "None None None\n"
    step = trace.frame(trace.next_of(Kind.OPTIMIZER, 0) or 0)
    before = trace.frame(step.cursor - 1)
    for name in ("x", "w", "b"):
        number = tensor(trace, name)
        old, new, grad = before.value(number), step.value(number), step.grad(number)
        assert old is not None and new is not None and grad is not None
        assert old.array is not None and new.array is not None and grad.array is not None
        assert new.array == pytest.approx(old.array - 0.01 * grad.array)
        assert step.version(number) == 1
        assert trace.frame(len(trace)).grad(number) is None
    assert "SGD step" in explain(step).title and "x ← x − lr · x.grad = " in explain(step).sentence


def test_case_5_says_which_shape_was_meant() -> None:
    trace = run(CASE_5)
    assert trace.errors.last_line.tolist() == ["RuntimeError: self must be a matrix"]
    found = explain_error(trace)
    assert found is not None
    assert "has shape (2,)" in found.why and "(1, 2) was meant: (1, 2) times (2, 1) gives (1, 1)" in found.why
    assert found.fix == "Make it (1, 2) on line 3, for example with .unsqueeze(0)."
    assert trace.error_step == len(trace)


def test_case_6() -> None:
    trace = run(CASE_6)
    end = trace.frame(len(trace))
    grad = end.grad(tensor(trace, "x"))
    assert grad is not None and grad.text() == "[[4.5, 4.5], [4.5, 4.5]]"
    y = tensor(trace, "y")
    assert end.grad(y) is None and "was not stored (retain_grad() stores it)" in str(no_grad_reason(end, y))
    buffer = end.buffer(y)
    assert buffer is not None and buffer.expected == 2


def test_case_7_marks_the_node_that_freed_its_buffers() -> None:
    trace = run(CASE_7)
    assert printed(trace) == "tensor([ 0.2000,  2.0000, 20.0000])\n"
    found = explain_error(trace)
    assert found is not None
    (mark,) = found.marks
    freed = trace.next_of(Kind.FREE, 0)
    assert (mark.node, mark.step) == (0, freed) and mark.reason == f"freed the number 2 at step {freed}"
    assert (
        found.why == f"MulBackward0 (line 4) needs what it saved, but it {mark.reason}, when backward() ran on line 6."
    )
    assert found.fix.startswith("Pass retain_graph=True on line 6") and found.fix_line == 6
    assert explain(trace.frame(len(trace))).sentence == f"{found.why} {found.fix}"


def test_case_7_with_retain_graph() -> None:
    trace = run(CASE_7_RETAINED)
    assert printed(trace).splitlines() == [
        "tensor([ 0.4000,  4.0000, 40.0000])",
        "tensor([0., 0., 0.])",
        "tensor([ 0.2000,  2.0000, 20.0000])",
    ]
    x = tensor(trace, "x")
    history = [value.text() for c in range(len(trace) + 1) if (value := trace.frame(c).grad(x))]
    assert list(dict.fromkeys(history)) == ["[0.2, 2, 20]", "[0.4, 4, 40]", "[0, 0, 0]"]
    assert (
        Kind.FREE in trace.steps.kind[trace.calls.step[2] :]
        and Kind.FREE not in trace.steps.kind[: trace.calls.step[2]]
    )


def test_case_7_without_a_gradient() -> None:
    trace = run(CASE_7.replace("y.backward(g)", "y.backward()", 1))
    found = explain_error(trace)
    assert found is not None and "y has shape (3,)" in found.why and [mark.node for mark in found.marks] == [0]


def test_case_8() -> None:
    trace = run(CASE_8)
    assert printed(trace) == "True True\n"
    central = tensor(trace, "central")
    reason = str(no_grad_reason(trace.frame(len(trace)), central))
    assert reason.endswith("which was computed inside no_grad at line 9")
