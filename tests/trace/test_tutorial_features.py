"""What a person who steps through a tutorial sees of checkpoints, hooks, transforms and anomaly mode: no step is
missing, and no sentence speaks of the program's insides."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.session.inspect.inspection import inspect
from gradviz.session.state import Selection, State
from gradviz.trace.table.frame import Frame
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.explain import explain
from tests.trace.running import run

CHECKPOINT = """
import torch
from torch.utils.checkpoint import checkpoint
w = torch.tensor([1., 2.], requires_grad=True)
x = torch.tensor([3., 4.], requires_grad=True)
def block(x):
    return (w * x).sin().exp()
y = checkpoint(block, x, use_reentrant={})
y.sum().backward()
"""


def frames(trace: Trace, kind: Kind) -> list[Frame]:
    return [trace.frame(int(step) + 1) for step in np.flatnonzero(trace.steps.kind == kind)]


def sentences(trace: Trace, kind: Kind) -> list[str]:
    return [explain(frame).sentence for frame in frames(trace, kind)]


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_a_checkpoint_computes_again_is_in_the_trace(reentrant: bool) -> None:
    trace = run(CHECKPOINT.format(reentrant))
    again = [frame for frame in frames(trace, Kind.FORWARD) if frame.call >= 0 and frame.current_line == 7]
    ops = [str(trace.nodes.op[frame.current_node]) for frame in again]
    assert ops == (["mul", "sin", "exp"] if reentrant else ["mul", "sin"])  # else it ends when all buffers are there
    said = "Computed again for the backward pass: recomputed mul = [1, 2] × [3, 4] = [3, 8]."
    assert explain(again[0]).sentence.startswith(said)
    end = trace.frame(len(trace))
    grads = {end.name(each): end.grad(each) for each in range(len(trace.tensors)) if end.is_leaf(each)}
    assert grads["w"] is not None and grads["x"] is not None
    assert len(frames(trace, Kind.BACKWARD_CALL)) == 1 + reentrant
    assert len(frames(trace, Kind.LEAF)) == 2 and "_KeepInputsBackward" not in trace.nodes.name.tolist()


@pytest.mark.parametrize(
    ("code", "formula"),
    [
        ("torch.where(x > 0, x, b)", "radient of b = 0 where x > 0, else grad, summed"),
        ("torch.maximum(x, b)", "radient of b = grad where b > x, half of it where they are equal, else 0, summed"),
        ("torch.lerp(x, b, b)", "the 1st b: grad · b, summed"),
        ("torch.addcmul(x, b, x, value=0.5)", "radient of b = grad · 0.5 · x, summed"),
        ("torch.atan2(x, b)", "radient of b = −grad · x / (x² + b²), summed"),
        ("torch.clamp(x, min=b)", "radient of b = grad where x < b, else 0, summed"),
    ],
)
def test_the_formula_of_a_gradient_says_that_it_is_summed_over_broadcast_dimensions(code: str, formula: str) -> None:
    made = (
        "x = torch.tensor([[1., -2.], [3., 4.]], requires_grad=True)\nb = torch.tensor([0.5, 1.], requires_grad=True)"
    )
    trace = run(f"import torch\n{made}\ny = {code}\ny.backward(torch.ones(2, 2))\n")
    assert f"{formula} over the broadcast dimensions = [" in " ".join(sentences(trace, Kind.BACKWARD))


def test_a_hook_that_returns_an_equal_gradient_does_not_claim_a_change() -> None:
    trace = run(
        "import torch\nx = torch.tensor(2., requires_grad=True)\ny = x * x\n"
        "y.register_hook(lambda g: g * 1)\ny.register_hook(lambda g: None)\ny.register_hook(lambda g: g * 3)\n"
        "y.backward()\n"
    )
    assert sentences(trace, Kind.HOOK) == [
        "The hook returned a new gradient, which reads the same: 1.",
        "The hook was called and changed nothing.",
        "The hook changed the gradient: 1 → 3.",
    ]


def test_anomaly_mode_shows_the_lines_of_the_snippet_only() -> None:
    trace = run(
        "import torch\nx = torch.tensor(-1., requires_grad=True)\n"
        "class F(torch.autograd.Function):\n"
        "    forward = staticmethod(lambda ctx, x: x.sqrt())\n"
        "    backward = staticmethod(lambda ctx, g: g / 0 - g / 0)\n"
        "with torch.autograd.detect_anomaly():\n"
        "    for f in (torch.sqrt, F.apply):\n"
        "        try:\n            f(x).backward()\n"
        "        except RuntimeError:\n            pass\n"
    )
    told = [text for text in trace.texts.text if "Error detected in" in text]
    assert len(told) == 2
    for each in told:
        assert 'File "<snippet>", line 9' in each and "gradviz/engine" not in each and "<string>" not in each


def test_what_vmap_adds_is_explained() -> None:
    trace = run(
        "import torch\nw = torch.ones(3, requires_grad=True)\nx = torch.ones(4, 3)\n"
        "torch.func.vmap(lambda w, x: w @ x, (None, 0))(w, x).sum().backward()\n"
    )
    said = " ".join(sentences(trace, Kind.FORWARD))
    assert ". vmap splits it into examples, which are computed together with a leading batch dimension. Not" in said
    assert ". vmap passes the same value to every example. BatchRepeatBackward0 is made" in said
    assert ". vmap stacks the results of all examples. RemoveBatchDimBackward0 is made" in said
    assert "∂w = grad, summed over the examples = [4, 4, 4]." in " ".join(
        each.replace("(torch.func.vmap(lambda w, x: w @ x, (None…)", "s") for each in sentences(trace, Kind.BACKWARD)
    )


def test_a_buffer_that_a_hook_has_packed_is_not_called_memory_of_the_node() -> None:
    trace = run(CHECKPOINT.format(False))
    assert "SinBackward0 is made for the backward pass and keeps what a hook packed." in " ".join(
        sentences(trace, Kind.FORWARD)
    )
    sin = trace.nodes.op.tolist().index("sin")
    shown = inspect(State(trace=trace, cursor=10), Selection("node", sin))
    assert shown is not None and shown.find("self") == "packed by a hook · held" and shown.find("operation") == "sin"


def test_a_node_whose_forward_was_not_recorded_says_so_and_has_no_empty_rows() -> None:
    trace = run(
        "import torch\nimport torch.autograd.forward_ad as fwAD\np = torch.tensor([1., 2.], requires_grad=True)\n"
        "with fwAD.dual_level():\n    d = fwAD.make_dual(p, torch.ones(2))\n"
        "    t = fwAD.unpack_dual(d.exp() * d).tangent\nt.sum().backward()\n"
    )
    hidden = [node for node in range(len(trace.nodes)) if not len(trace.outputs_of(node))]
    assert hidden
    for node in hidden:
        shown = inspect(State(trace=trace, cursor=len(trace)), Selection("node", node))
        assert shown is not None and shown.find("forward").startswith("not recorded")
        assert all(row.text for section in shown.sections for row in section.rows)


def test_a_second_gradient_of_a_node_that_was_not_recorded_is_given_to_no_other_tensor() -> None:
    trace = run("""
import torch
other = torch.ones(2, requires_grad=True)
w = torch.tensor([2., 3.], requires_grad=True)
kept = []
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            kept.append((w * 1).unbind())
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g
F.apply(other)
a, b = kept[0]
s = a * b
s.backward(retain_graph=True)
s.backward()
""")
    end = trace.frame(len(trace))
    names = {end.name(int(each)) for each in trace.arrivals.tensor if each >= 0}
    assert "other" not in names and {"s", "w"} <= names
