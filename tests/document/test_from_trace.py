"""From a run to a drawing: its code runs to the same values and gradients, and what is otherwise is said."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.document.code import parse
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Leaf, Operation
from gradviz.document.errors import UserError
from gradviz.document.from_trace import from_trace
from gradviz.document.literals import parameters
from gradviz.trace.table.trace import Trace
from tests.trace.running import run
from tests.trace.test_chains import NET, SCALARS, tensor_called

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.randn(2, 3, requires_grad=True)
i = torch.randn(1, 2, 6, 6, requires_grad=True)
"""
CALLS = """\
x * 2; 2 - x; x ** 2; 2 ** x; x / 3; 1 / x; -x; x + x; x - x * x; x.sum(dim=1, keepdim=True); x.mean(); x.view(3, 2)
x.reshape(-1); x.t() @ x; x[0]; x[:, 1]; x[:, 1:]; x[1:, None]; x[..., ::2]; torch.cat([x, x], dim=1)
torch.stack([x, x]); torch.max(x, dim=1)[0]; x.max(); F.softmax(x, dim=-1); F.log_softmax(x, 1); x.clamp(min=0)
x.clamp(-1, 1); x.pow(3); x.norm(); x.abs(); x.exp().log1p(); x.sigmoid(); x.tanh(); x.relu(); F.gelu(x); F.elu(x)
F.leaky_relu(x, 0.1); F.softplus(x); F.silu(x); F.hardtanh(x); x.sin() * x.cos(); x.std(); x.var(dim=0); x.prod(dim=1)
F.linear(x, torch.ones(4, 3), torch.zeros(4)); F.cross_entropy(x, torch.tensor([0, 2])); F.mse_loss(x, torch.ones(2, 3))
F.cross_entropy(x, torch.tensor([0, 2]), reduction="sum"); F.nll_loss(F.log_softmax(x, 1), torch.tensor([0, 1]))
F.binary_cross_entropy_with_logits(x, torch.ones(2, 3)); F.smooth_l1_loss(x, torch.ones(2, 3)); F.layer_norm(x, (3,))
F.dropout(x, 0.5); x.permute(1, 0).contiguous(); x.double() * 2; torch.where(x > 0, x, 0.); x.split(1)[1]
x.chunk(3, dim=1)[2]; x.flatten().unsqueeze(0).squeeze(0).expand(2, 6); torch.einsum("ij,kj->ik", x, x)
F.embedding(torch.tensor([1, 0, 1]), x); F.pad(x, (1, 1))
x[torch.tensor([1, 0, 1])]; x[:, torch.tensor([2, 0])]; F.normalize(x, dim=1)
x.cumsum(1); torch.logsumexp(x, 1); x.gather(1, torch.tensor([[0], [2]])); x.masked_fill(x > 0, 5.); x.transpose(0, 1)
torch.outer(x[0], x[1]); x[0] @ x[1]; torch.bmm(x[None], x.t()[None]); torch.addmm(x[:, :2], x, x.t()); x.sort()[0]
nn.BatchNorm1d(3)(x); nn.LayerNorm(3)(x); nn.Linear(3, 2)(x); torch.lerp(x, x * x, 0.3); x.topk(2)[0]
F.conv2d(i, torch.ones(3, 2, 3, 3), torch.ones(3), padding=1); F.max_pool2d(i, 2); F.avg_pool2d(i, 2); nn.Flatten()(i)
F.conv_transpose2d(i, torch.ones(2, 3, 3, 3)); F.adaptive_avg_pool2d(i, 1); nn.Conv2d(2, 3, 3, stride=2)(i)
nn.GroupNorm(1, 2)(i); nn.MultiheadAttention(6, 2)(i[0], i[0], i[0])[0]; x.repeat(2, 2); torch.tril(x); x.roll(1, 1)
F.scaled_dot_product_attention(i, i, i); x.index_select(1, torch.tensor([2, 0])); torch.minimum(x, x * x); x.rsqrt()
""".replace("\n", "; ").removesuffix("; ")


def drawn(source: str, cursor: int | None = None) -> tuple[Trace, Drawing, tuple[str, ...]]:
    trace = run(source)
    assert not len(trace.errors), trace.errors.last_line
    return trace, *from_trace(trace, cursor)


def check_same(source: str, *names: str) -> Drawing:
    """The drawing's code makes the same values and gradients."""
    trace, drawing, _ = drawn(source)
    other = run(text_of(drawing))
    assert not len(other.errors), (other.errors.last_line, text_of(drawing))
    ends = trace.frame(len(trace)), other.frame(len(other))
    for name in names:
        for what in ("value", "grad"):
            one, two = (
                getattr(frame, what)(tensor_called(frame.trace, name))
                if tensor_called(frame.trace, name) >= 0
                else None
                for frame in ends
            )
            assert (one is None) == (two is None), (name, what, text_of(drawing))
            if one is not None and two is not None:
                np.testing.assert_allclose(one.array, two.array, rtol=1e-5, atol=1e-6, err_msg=f"{name} {what}")
    return drawing


@pytest.mark.parametrize("call", CALLS.split("; "))
def test_an_operation_as_it_ran(call: str) -> None:
    leaf = "i" if "i" in call.replace("(i", "( i").split() or "(i" in call else "x"
    source = f"{HEAD}out = {call}\nloss = (out * out).sum()\nloss.backward()\n"
    check_same(source, "out", "loss", leaf)


def test_names_calls_and_options_are_those_of_the_snippet() -> None:
    _, drawing, notes = drawn(
        SCALARS.replace("backward()", "backward(torch.tensor(2.), retain_graph=True, inputs=[w])")
    )
    assert notes == ()
    assert [node.name for node in drawing.nodes if isinstance(node, Leaf)] == ["x", "w"]
    (call,) = drawing.calls
    assert (call.gradient, call.retain_graph, call.create_graph) == (2.0, True, False)
    assert call.inputs == tuple(node.id for node in drawing.nodes if isinstance(node, Leaf) and node.name == "w")
    assert "z.backward(" in text_of(drawing)


def test_a_loop_is_unrolled_and_a_function_is_looked_into() -> None:
    source = """\
import torch
def layer(v):
    return torch.tanh(v * w)
w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.)
while h > 0.1:
    h = layer(h)
h.backward()
"""
    drawing = check_same(source, "w")
    ops = [node.op for node in drawing.nodes if isinstance(node, Operation)]
    assert ops.count("tanh") == ops.count("mul") == 4


def test_of_a_training_loop_the_step_on_the_screen_is_drawn() -> None:
    source = """\
import torch
w = torch.tensor([1., 2.], requires_grad=True)
for i in range(3):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
"""
    _, drawing, notes = drawn(source)
    leaf = next(node for node in drawing.nodes if isinstance(node, Leaf))
    assert np.allclose(leaf.data, [0.64, 1.28]) and any("this step" in note for note in notes)
    _, first, _ = drawn(source, cursor=4)
    leaf = next(node for node in first.nodes if isinstance(node, Leaf))
    assert leaf.data == (1.0, 2.0)


def test_modules_become_groups() -> None:
    source = (
        HEAD + "net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))\nout = net(x).sum()\nout.backward()\n"
    )
    drawing = check_same(source, "out", "x")
    assert [group.title for group in drawing.groups] == ["0", "1", "2"]
    assert [node.op for node in drawing.nodes if isinstance(node, Operation)] == [
        "nn.functional.linear", "tanh", "nn.functional.linear", "sum",
    ]  # fmt: skip
    leaves = [node.name for node in drawing.nodes if isinstance(node, Leaf)]
    assert leaves == ["x", "layer0_weight", "layer0_bias", "layer2_weight", "layer2_bias"]


def test_what_ran_without_gradients_has_a_frame_and_lets_none_through() -> None:
    source = (
        HEAD + "with torch.no_grad():\n    s = x * 2\n    r = s + x\n    with torch.enable_grad():\n        t = x * 3\n"
        "z = x * r + t\nz.mul_(2)\nz.sum().backward()\n"
    )
    drawing = check_same(source, "s", "r", "t", "x")
    inside = {
        group.title: [node.op for node in drawing.nodes if isinstance(node, Operation) and node.id in group.members]
        for group in drawing.groups
    }
    assert inside == {"no_grad": ["mul", "detach", "add", "detach"], "enable_grad": ["mul"]}


def test_an_index_has_the_masks_and_tensors_that_were_given() -> None:
    source = (
        HEAD + "m = x > 0\nidx = torch.tensor([0, 1])\nback = torch.tensor([-1, 0])\n"
        "a = x[m]\nb = x[:, idx]\nc = x[idx, idx]\nd = x[0, idx]\ne = x[back]\ng = x[x.argmax(0), x.argmax(0)]\n"
        "k = x[idx, :, None]\n(a.sum() + b.sum() + c.sum() + d.sum() + e.sum() + g.sum() + k.sum()).backward()\n"
    )
    drawing = check_same(source, "a", "b", "c", "d", "e", "g", "k", "x")
    text = text_of(drawing)
    for line in ("m = x > 0", "a = x[m]", "b = x[:, idx]", "c = x[idx, idx]", "e = x[back]"):
        assert f"\n{line}\n" in text, text
    more = text.replace("m = x > 0", "m = x < 0")
    assert text_of(parse.parse(more)) == more, "it follows the text"


def test_a_weight_that_others_use_too_is_turned_by_itself() -> None:
    source = HEAD + "fc = nn.Linear(3, 2)\nw = fc.weight.t()\nout = torch.addmm(fc.bias, x, w)\nq = (x @ w).sum()\n"
    ops = [node.op for node in check_same(source, "out", "q").nodes if isinstance(node, Operation)]
    assert ops == ["t", "addmm", "matmul", "sum"]


def test_what_can_not_be_drawn_is_a_value_and_said() -> None:
    source = HEAD + "y = x * 2\nz = F.interpolate(i, scale_factor=2) * y[0, 0]\nz.sum().backward()\n"
    _, drawing, notes = drawn(source)
    assert notes == (
        "upsample_nearest2d in line 8 can't be drawn; its result becomes a constant, and no gradient flows through it.",
    )
    assert not len(run(text_of(drawing)).errors)


def test_large_tensors_are_random_and_large_indices_are_refused() -> None:
    _, drawing, notes = drawn(
        "import torch\nw = torch.ones(100, 100, requires_grad=True) * 1.5\n"
        "v = torch.randn(90, 100)\nout = (v @ w).sum()\n"
    )
    leaf = next(node for node in drawing.nodes if isinstance(node, Leaf) and node.name == "v")
    assert (leaf.maker, leaf.data) == ("randn", (90, 100)) and notes == (
        "v has 9,000 numbers; other random ones stand for them.",
    )
    with pytest.raises(UserError, match="smaller tensors"):
        drawn("import torch\nw = torch.randn(5000)\nk = torch.arange(5000)\nout = w.gather(0, k)\n")


def test_tensors_alone_and_nothing() -> None:
    _, drawing, _ = drawn("import torch\nx = torch.tensor([1, 2])\n")
    assert [node.data for node in drawing.nodes if isinstance(node, Leaf)] == [(1, 2)]
    with pytest.raises(UserError, match="no tensor"):
        drawn("print(1)\n")


def test_gradients_of_gradients_are_not_drawn_twice() -> None:
    source = "import torch\nx = torch.tensor(2., requires_grad=True)\ny = x ** 3\ny.backward(create_graph=True)\n"
    drawing = check_same(source, "x", "y")
    assert [node.op for node in drawing.nodes if isinstance(node, Operation)] == ["pow"] and drawing.calls[
        0
    ].create_graph


def test_a_net_with_broadcasting() -> None:
    check_same(NET, "loss", "W", "V", "b")


def test_parameters_are_read_as_data() -> None:
    assert parameters("dim=(1, 2), keepdim=True, reduction=mean, ord=inf, end=-1") == {
        "dim": (1, 2), "keepdim": True, "reduction": "mean", "ord": float("inf"), "end": -1,
    }  # fmt: skip
    assert parameters("") == {} and parameters("other=exit()") == {"other": "exit()"}


def test_a_call_that_has_lost_its_ends_is_left_out() -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * x\nz = y.sum()\ntorch.autograd.grad(z, y)\n"
    _, drawing, notes = drawn(source)
    assert drawing.calls == () and notes == ("The backward call in line 5 can't be drawn and was left out.",)


def test_numbers_are_as_short_as_a_person_writes_them() -> None:
    _, drawing, _ = drawn("import torch\nw = torch.tensor([0.1, float('inf')])\n")
    assert [node.data for node in drawing.nodes if isinstance(node, Leaf)] == [(0.1, float("inf"))]


@pytest.mark.parametrize("call", CALLS.split("; ")[::3])
@pytest.mark.parametrize("op", ["", "select", "unbind", "split", "convolution", "slice", "_to_copy", "index", "addmm"])
def test_an_operation_that_is_not_what_it_is_called_is_written_as_its_numbers(call: str, op: str) -> None:
    trace = run(f"{HEAD}({call}) * 2")
    for node in range(len(trace.nodes)):
        trace.nodes.params[node] = "dim=9, sizes=(1, x), slots=(3,)" if node % 2 else ""
        trace.nodes.op[node] = op or trace.nodes.op[node]
    drawing, _ = from_trace(trace)
    assert text_of(parse.parse(text_of(drawing)))
