"""What a sentence says that an operation on arrays computes: the words, and the formulas worked out in NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradviz.trace.table.name_text import shortened
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.elements import in_names
from gradviz.trace.words.explain import explain
from tests.engine.shown_formulas import FUNCTIONS, computed
from tests.trace.running import run
from tests.trace.true_sentences import all_sentences

HEAD = """import torch
import torch.nn.functional as F
x = torch.arange(12.).reshape(3, 4).sub(4.5).div(3).requires_grad_()
t = torch.linspace(0.05, 0.95, 12).reshape(3, 4)
w, b = torch.linspace(1, 2, 4), torch.linspace(-1, 0, 4)
m, v = torch.linspace(-1, 1, 4), torch.linspace(0.5, 2, 4)
k, p = torch.tensor([0, 3, 1]), t.flip(0)
"""
WORDS = {
    "x.sum(0)": "the sum of x over dimension 0",
    "x.sum((0, 1))": "the sum of x over dimensions 0 and 1",
    "x.mean(-1)": "the mean of x over the last dimension",
    "x.std()": "the standard deviation of x (with n − 1)",
    "x.std(correction=0)": "the standard deviation of x (with n)",
    "x.std(correction=2)": "",
    "x.var(1, unbiased=False)": "the variance of x over dimension 1 (with n)",
    "x.topk(1)[0]": "the largest element of x along the last dimension",
    "x.kthvalue(2, 1)[0]": "the 2nd smallest element of x over dimension 1",
    "x.kthvalue(1, 1)[0]": "the smallest element of x over dimension 1",
    "torch.var_mean(x, 1)": "the variance of x over dimension 1 (with n − 1)",
    "torch.aminmax(x, dim=1)": "the smallest element of x over dimension 1",
    "F.grid_sample(x[None, None], t[None, :2, :2, None].repeat(1, 1, 1, 2), align_corners=False)": (
        "x[None, None] read between its pixels, at the points of t[None, :2, :2, None].repeat(1, 1, 1, 2), by linear "
        "interpolation"
    ),
    "torch.addbmm(t[:, :3], x[None], t.T[None])": "t[:, :3] + Σᵢ x[None]ᵢ @ t.T[None]ᵢ",
    "torch.addr(t, x[:, 0], w)": "t + x[:, 0] ⊗ w",
    "torch.block_diag(x, t)": "x and t along the diagonal, 0 elsewhere",
    "x.as_strided((2, 2), (1, 2))": "the elements of x read in the shape (2, 2) with the strides (1, 2)",
    "x.select_scatter(t[0], 0, 1)": "x with t[0] at index 1 along dimension 0",
    "x[:, :3].diagonal_scatter(t[0, :3])": "x[:, :3] with t[0, :3] on its diagonal",
    "x.diagonal(1)": "the diagonal number 1 of x (0 is the main one)",
    "x[0].repeat(2)": "x[0] repeated 2 times",
    "x.repeat(2, 1)": "x repeated 2 × 1 times",
    "x.roll(1, 0)": "x rolled by 1 along dimension 0",
    "x.roll((1, 2), (0, 1))": "x rolled by 1 and 2 along dimensions 0 and 1",
    "x.tril()": "x, 0 above its diagonal",
    "x.scatter(1, k[None] % 2, 1.)": "x with 1 written at k[None] % 2 along dimension 1",
    "x.scatter_reduce(1, k[None] % 2, t, 'sum')": "x with t added at k[None] % 2 along dimension 1",
    "x.scatter_reduce(1, k[None] % 2, t, 'amax')": (
        "x with t put at k[None] % 2 along dimension 1, where the largest element of each place stays"
    ),
    "x.scatter_reduce(1, k[None] % 2, t, 'amax', include_self=False)": (
        "x with t put at k[None] % 2 along dimension 1, where the largest element of what is put at each place stays"
    ),
    "w.index_put((k,), b[:3], accumulate=True)": "w with b[:3] added at the indices",
    "x.renorm(2, 0, 0.5)": "x, of which each slice along dimension 0 has a norm of at most 0.5",
    "x.topk(2, largest=False)[0]": "the 2 smallest elements of x along the last dimension",
    "F.softplus(x, beta=2)": "ln(1 + e^(2 · x)) / 2",
    "torch.addmm(torch.eye(3), x, x.T, beta=0)": "x @ x.T",
    "torch.addmm(torch.eye(3), x, x.T, beta=2, alpha=0.5)": "2 · torch.eye(3) + 0.5 · x @ x.T",
    "x.masked_fill(x > 0, torch.tensor(3.))": "(torch.tensor(3.) where x > 0, else x)",
    "torch.dist(x, t)": "√(the sum of (x − t)²)",
    "torch.dist(x, t, 1)": "",
    "~(x > t)": "~(x > t)",
    "torch.bitwise_or(x > 1, x > t)": "(x > 1) | (x > t)",
    "torch.heaviside(x, t)": "(0 where x < 0, t where it is 0, else 1)",
    "x.nansum()": "the sum of x without nan",
    "x.signbit()": "where x has a minus sign",
    "x.tril(1)": "x, 0 above its diagonal number 1 (0 is the main one)",
    "x.triu(1)": "x, 0 on and below its diagonal",
    "torch.tensor([1 + 2j]).conj()": "the conjugate of torch.tensor([1 + 2j])",
    "t.acos()": "arccos t",
    "torch.remainder(x, t)": "the remainder of x / t, with the sign of t",
    "torch.fmod(x, 2)": "the remainder of x / 2, with the sign of x",
    "F.adaptive_avg_pool2d(x[None], 2)": "the mean of each window of x[None]",
    "F.embedding_bag(k[None], w[:, None], per_sample_weights=k[None] / 2., mode='sum')": (
        "the sum of the rows of w[:, None] at k[None].reshape(3), times (k[None] / 2.).reshape(3), for each bag"
    ),
    "torch.cholesky_solve(x[:, :1], torch.eye(3) + 1)": "((torch.eye(3) + 1) @ (torch.eye(3) + 1)ᵀ)⁻¹ @ x[:, :1]",
    "(x + t).ge(t)": "(x + t) ≥ t",
    "x.double()": "x as float64",
    "x.round(decimals=1)": "",
    "F.embedding(k[:1], x)": "the rows of x at k[:1]",
    "F.embedding_bag(k[None, :1], x)": "the mean of the rows of x at k[None, :1].reshape(1), for each bag",
    "F.conv_transpose1d(x[None], torch.ones(3, 1, 2))": (
        "each element of x[None] times torch.ones(3, 1, 2), added up where they overlap"
    ),
    "torch.cdist(x, t)": "the distance of each row of x from each row of t",
    "torch.tensordot(x, t, dims=([1], [1]))": "the mm in tensordot, unchanged",
    "(x > 0).any(1)": "whether any element of x > 0 over dimension 1 is True",
    "x.permute(0, 1)": "x, unchanged",
    "x.max()": "the largest element of x",
    "x.max(1)[0]": "the largest element of x over dimension 1",
    "x.argmin(1)": "the place of the smallest element of x over dimension 1",
    "torch.cat([x, t], 1)": "x and t joined along dimension 1",
    "torch.stack([x, t, x])": "x, t and x stacked along dimension 0",
    "x.view(2, 6)": "x reshaped",
    "x.t()": "x transposed",
    "x.T": "x transposed",
    "x[:, None].squeeze(1)": "x[:, None] reshaped",
    "x.prod(1)": "the product of x over dimension 1",
    "x.cumsum(1)": "the running sums of x over dimension 1",
    "x.sort(1)[0]": "x sorted along dimension 1",
    "x.sort()[0]": "x sorted along the last dimension",
    "torch.cat([x, t], -1)": "x and t joined along the last dimension",
    "F.binary_cross_entropy_with_logits(x, t)": "the mean of (ln(1 + e^x) − t · x)",
    "F.smooth_l1_loss(x, t)": "the mean of ((x − t)² / 2 where |x − t| < 1, else |x − t| − 0.5)",
    "F.mse_loss(x, t, reduction='sum')": "the sum of (x − t)²",
    "torch.linalg.det(x[:2, :2])": "the determinant of x[:2, :2]",
    "torch.linalg.solve(x[:2, :2], w[:2])": "x[:2, :2]⁻¹ @ w[:2]",
    "F.nll_loss(x, k, weight=w)": "the mean of −x at the class of each row, weighted by w[class]",
    "x.detach().clone()": "a copy of x.detach()",
    "torch.maximum(x, t)": "the larger of x and t",
    "x.permute(1, 0).unsqueeze(0).permute(0, 2, 1)": (
        "x.permute(1, 0).unsqueeze(0) with its dimensions in the order (0, 2, 1)"
    ),
    "w.expand(3, 4)": "w repeated to the shape (3, 4)",
    "x.expand(3, 4)": "x, unchanged",
    "x.squeeze(0)": "x, unchanged",  # which is 3 long
    "x.index_select(1, k)": "the elements of x at k along dimension 1",
    "x.scatter_add(1, k[:, None], t)": "x with t added at k[:, None] along dimension 1",
    "x.topk(2)[0]": "the 2 largest elements of x along the last dimension",
    "x.flip(0)": "x in reverse order along dimension 0",
    "x.split(2)[0]": "the first part of x along dimension 0",
    "x[1]": "x[1]",
    "x[:, 1:3]": "x[:, 1:3]",
    "x[x > 0]": "x[x > 0]",
    "torch.fft.rfft(x)": "the discrete Fourier transform of x over dimension 1",
    "torch.fft.rfft(x, norm='ortho')": "",
    "F.group_norm(x, 2)": "(x − the mean of its group) / √(its variance + 1e-05)",
    "x.masked_fill(t > 0.5, -1e9)": "(-1e+09 where t > 0.5, else x)",
    "x.sort(1, descending=True)[0]": "x sorted along dimension 1, the largest first",
    "x.norm(1)": "the sum of |x|",
    "torch.linalg.vector_norm(x, float('inf'), dim=1)": "the largest |x| over dimension 1",
    "x.norm(3)": "(the sum of |x|^3)^(1 / 3)",
    "x.norm(0)": "how many elements of x are not 0",
    "torch.complex(x, t)": "x + t · i",
    "torch.polar(t, x)": "t · e^(i · x)",
    "torch.complex(x, t).sgn()": ("(torch.complex(x, t) / |torch.complex(x, t)|, 0 where torch.complex(x, t) is 0)"),
    "torch.fmax(x, t)": "the larger of x and t, or the one that is not nan",
    "F.multi_margin_loss(x, k)": (
        "the mean of the sum of max(0, 1 − x[class] + x[other]) over the other classes, divided by the number of "
        "classes"
    ),
    "F.ctc_loss(x[:, None].log_softmax(2), k[None, 1:], (3,), (2,), reduction='none')": (
        "−ln of the sum of the probabilities of all paths that spell k[None, 1:]"
    ),
    "x[None] @ t.T[None]": "(x[None] as 1 matrix) @ (t.T[None] as 1 matrix)",
    "(x[0, :2] + 1e-6 - x[0, :2])": "[-1.49999905, -1.16666567] − [-1.5, -1.16666663]",
    "F.nll_loss(x, k)": "the mean of −x at the class of each row",
    "F.nll_loss(x, k, reduction='sum')": "the sum of −x at the class of each row",
    "F.nll_loss(x, k, ignore_index=1)": "the mean of −x at the class of each row, left out where that is 1",
    "(x + t).tanh()": "tanh (x + t)",
    "F.softmax(F.relu(x), -1)": "e^(F.relu(x)) / Σ e^(F.relu(x)) over the last dimension",
}
FORMULAS = (
    "F.mse_loss(x, t)", "F.mse_loss(x, t, reduction='sum')", "F.mse_loss(x, t, reduction='none')",
    "F.binary_cross_entropy(t, p)", "F.binary_cross_entropy(t, p, reduction='sum')",
    "F.binary_cross_entropy_with_logits(x, t)", "F.relu(x)", "F.leaky_relu(x, 0.2)", "x.sigmoid()", "x.tanh()",
    "F.silu(x)", "x.exp()", "t.log()", "t.sqrt()", "x.abs()", "x.sin()", "x.cos()", "x.clamp(min=-0.5)",
    "x.clamp(max=0.5)", "x.clamp(-0.5, 0.5)", "x.clamp_min(0.25)", "F.softmax(x, 1)", "F.log_softmax(x, 0)",
    "x.logsumexp(1)", "x.norm()", "F.layer_norm(x, (4,))", "F.layer_norm(x, (4,), w, b)",
    "torch.logaddexp(x, t)", "F.selu(x)", "F.elu(x, 0.5)", "F.celu(x, 0.5)", "torch.linalg.vector_norm(x, 1, dim=1)",
    "F.batch_norm(x, m, v, w, b)", "F.batch_norm(x, m, v)", "F.batch_norm(x, m, v, training=True)",
    "F.layer_norm(x, (4,), w)",
    "F.batch_norm(x, m, v, w, b, training=True)", "F.smooth_l1_loss(x, t)",
    "F.huber_loss(x, t)", "x.square()", "x.pow(3)", "x.neg()", "x @ w",
    "x / 1.7", "x * -2.5", "x + 0.3", "x - 0.3", "x ** 4", "t ** -1.5", "F.huber_loss(x, t, delta=0.5)",
    "F.smooth_l1_loss(x, t, beta=0.25)", "F.binary_cross_entropy_with_logits(x, t, pos_weight=w)",
    "x.reciprocal()", "1 - x", "t.rsqrt()", "F.elu(x)", "F.hardtanh(x)", "F.hardswish(x)", "F.softplus(x)", "F.mish(x)",
    "F.logsigmoid(x)", "torch.lerp(x, t, 0.3)", "torch.lerp(x, t, p)", "x.add(t, alpha=2)", "x.sub(t, alpha=2)",
    "torch.hypot(x, t)", "t.logit()", "x.cosh()", "x.deg2rad()", "x.clamp_max(0.2)",
    "torch.addcmul(x, t, p, value=2)", "torch.addcdiv(x, t, p)", "x.expm1()", "t.log1p()", "F.threshold(x, 0.1, 20)",
    "F.prelu(x, w[:1])", "torch.xlogy(x, t)", "F.soft_margin_loss(x, t)", "torch.outer(x[0], t[0])",
    "x + t", "x - t", "x * t", "x / t", "x.sum(1)", "x.mean(0)",
)  # fmt: skip


def made(code: str) -> Trace:
    """The run of one operation after its operands."""
    return run(f"{HEAD}made = {code}\n")


@pytest.mark.parametrize(("code", "words"), WORDS.items())
def test_what_an_operation_computes_in_words(code: str, words: str) -> None:
    trace = made(code)
    steps = [int(trace.nodes.step[node]) + 1 for node in (-1, -2)]  # what it takes of the result may come last
    sentences = [explain(trace.frame(step)).sentence for step in steps]
    if words:
        assert any(f" = {words} = " in each for each in sentences), sentences
    else:
        assert sentences[0].count(" = ") == 1


def test_a_power_that_the_name_says_is_not_said_again() -> None:
    trace = made("(x ** 2).sum()")
    assert explain(trace.frame(int(trace.nodes.step[-2]) + 1)).sentence.startswith("x ** 2 = [[2.25, ")


@pytest.mark.parametrize("code", FORMULAS)
def test_what_an_operation_computes_as_a_formula(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FUNCTIONS, "max", np.maximum)
    monkeypatch.setitem(FUNCTIONS, "min", np.minimum)
    trace = made(code)
    node = len(trace.nodes) - 1
    operands = [trace.frame(len(trace)).value(each) for each in trace.slots_of(node).values()]
    values = {f"a{at}": each.array for at, each in enumerate(operands) if each is not None and each.array is not None}
    if "training=True" in code:  # its running statistics are not what it computes with
        values |= dict.fromkeys(("a3", "a4"), np.zeros(4))
    names = dict(zip(trace.slots_of(node), values, strict=False))
    rule = in_names(str(trace.nodes.op[node]), str(trace.nodes.params[node]), names, [*names.values()])
    assert rule
    result = trace.value(int(trace.tensors.value[trace.outputs_of(node)[0]]))
    assert result is not None and result.array is not None
    np.testing.assert_allclose(
        np.squeeze(worked_out(rule, values, "batch" in code)), result.array, rtol=1e-3, atol=1e-5
    )


def worked_out(rule: str, values: dict[str, np.ndarray], by_column: bool) -> np.ndarray:
    """The number of a rule, or of the rule that it takes the mean or the sum of."""
    given: dict[str, object] = {"e": np.e, **values}
    rule = re.sub("its mean over the last dimension|the mean of its channel", "mu", rule)
    rule, _, over = rule.partition(" over ")
    dims = tuple(map(int, re.findall(r"-?\d+", over))) or None
    given |= {"dim": dims} if dims else {}
    axis = 0 if by_column else -1
    given["mu"], given["va"] = (of(values["a0"], axis=axis, keepdims=True) for of in (np.mean, np.var))
    rule = rule.replace("its variance", "va").replace("Σ e^a0", "Σ (e^a0)")
    reduced = re.fullmatch(r"(√\()?the (mean|sum) of (.*?)(?(1)\))", rule)
    if reduced is None:
        return np.asarray(computed(rule, given))
    found = {"mean": np.mean, "sum": np.sum}[reduced[2]](computed(reduced[3], given), axis=dims)
    return np.asarray(np.sqrt(found) if reduced[1] else found)


def test_a_summand_that_cannot_be_seen_in_the_sum_makes_no_equation() -> None:
    trace = run("import torch\nx = torch.tensor([2.0, 0.0])\ny = x + 1e-06\nz = torch.tensor([0.0, 1.0, -1.0]).sum()\n")
    said = [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]
    assert any(each.startswith("y = [2, 0] + 1e-06 ≈ [2, 1e-06].") for each in said)
    assert any(" = 0 + 1 − 1 = 0." in each for each in said)


LISTED = """
import torch
class InList(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return [x, x * 2]
found = InList.apply(torch.ones(2, requires_grad=True))
"""


@pytest.mark.parametrize("source", [LISTED, LISTED.replace("found = ", "").replace("[x, ", "[")])
def test_a_function_that_returns_a_list_writes_nothing(source: str) -> None:
    trace = run(source)  # the second has no tensor after it that its step could be taken to have made
    assert trace.steps.tensor[-1] == -1
    sentence = explain(trace.frame(len(trace))).sentence
    assert sentence.startswith("InList.forward() returns neither a tensor nor a tuple: ")


def test_a_whole_lstm_says_what_it_computes() -> None:
    trace = run("import torch\nlstm = torch.nn.LSTM(2, 2)\no, (h, c) = lstm(torch.ones(1, 1, 2))\n")
    said = [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]
    assert any(
        "In each time step c ← f · c + i · g and h ← o · tanh c, where i, f, o are σ and " in each for each in said
    )


def test_a_write_in_place_says_its_rule_with_the_former_value() -> None:
    trace = run(f"{HEAD}q = t.clone()\nq.clamp_(max=0.5)\nq.sigmoid_()\nq.copy_(p)\n")
    said = [explain(trace.frame(step)).sentence for step in range(len(trace) - 2, len(trace) + 1)]
    assert [each.partition(": it is ")[2].partition(" = ")[0] for each in said] == [
        *("min(the former q, 0.5)", "1 / (1 + e^(−(the former q)))", "a copy of p")
    ]


def test_a_write_through_a_view_is_not_told_of_the_whole() -> None:
    trace = run("import torch\nh = torch.ones(2, requires_grad=True) * 2\nh[1] += 1\n")
    said = [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]
    assert any(each.startswith("h[1], a part of h, was overwritten: h is [2, 3] now, version 1.") for each in said)
    assert not any("the former h" in each or "copy of" in each or "h[1] += 1" in each for each in said)


def test_running_statistics_of_one_channel_have_their_names() -> None:
    trace = run("import torch\nbn = torch.nn.BatchNorm2d(1)\nbn(torch.ones(1, 1, 2, 2))\n")
    said = explain(trace.frame(len(trace))).sentence
    assert "bn.running_mean ← 0.9 · running_mean + 0.1 · the mean of the batch = 0.9 × 0 + 0.1 × 1 = 0.1; " in said


def test_a_dropout_says_what_its_mask_is() -> None:
    source = "torch.manual_seed(0)\ndrop = torch.nn.Dropout(0.5)\ny = drop(torch.ones(6, requires_grad=True))\n"
    trace = run(f"import torch\n{source}")
    said = " The mask of drop is 0 where an element is dropped, else 1 / (1 − p) = 2."
    assert said in explain(trace.frame(len(trace))).sentence


WRITES = """
import torch
class Quiet(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return 2 * g
a = torch.ones(2, requires_grad=True)
b = a * 3
made = Quiet.apply(b)
with torch.no_grad():
    c = torch.ones(2)
    Quiet.apply(c)
d = b + c
"""


def test_a_function_that_writes_to_its_input_without_saying_so_is_seen_to() -> None:
    trace = run(WRITES)
    said = [explain(trace.frame(step)).sentence for step in range(1, len(trace) + 1)]
    unmarked = [each.partition("unmarked: ")[2].partition(".")[0] for each in said if "unmarked: " in each]
    assert unmarked == ["b: [3, 3] → [6, 6]", "c: [1, 1] → [2, 2]"]
    assert said[-1].startswith("d = [6, 6] + [2, 2] = [8, 8].")


def test_one_of_several_results_and_an_inner_number_are_not_called_by_the_whole_call() -> None:
    trace = run("""
import torch
from torch.func import grad, jvp
x = torch.ones(2, 4, requires_grad=True) * 1
torch.hsplit(x, [3, 6])
distributions = torch.distributions
distributions.MixtureSameFamily(distributions.Categorical(torch.ones(2)), distributions.Normal(x[0, :2], 1.0))
y = torch.autograd.grad(outputs=(x * x), inputs=(x,), grad_outputs=torch.ones_like(x), retain_graph=False)
try:
    torch.linalg.cholesky(-torch.eye(2))
except RuntimeError:
    pass
grad(lambda x: x * jvp(lambda y: x * y, (x,), (torch.tensor(1.0),))[1])(torch.tensor(2.0))
""")
    told = [explain(trace.frame(step)) for step in range(1, len(trace) + 1)]
    said = " ".join(f"{each.title} {each.sentence}" for each in told)
    assert "torch.hsplit(x, [3, 6]) =" not in said and "x[:, 4:4] = (2, 0) empty" in said
    assert "torch.autograd.grad(outputs=(x * x), …) (line 8)" in [each.title for each in told]
    assert "log in MixtureSameFamily = ln" in said and "Cholesky" not in said and "mask of" not in said
    assert "∂(tensor made in x * jvp(…)[1]) = grad · x = 1 × 2 = 2" in said


def test_a_number_that_is_written_at_indices_is_not_called_the_indices() -> None:
    trace = run("import torch\ni = torch.arange(4)\ni[i > 1] = -1\n")
    said = [explain(trace.frame(at)).sentence for at in range(1, len(trace) + 1)]
    assert any("it is (the former i) with -1 at the indices of i[i > 1] =" in each for each in said)


def test_the_states_of_an_lstm_have_the_letters_of_what_reads_them() -> None:
    text = """import torch
lstm = torch.nn.LSTM(2, 3).double()
out = lstm(torch.ones(2, 1, 2, dtype=torch.float64))[0]
h, c = torch.zeros(1, 1, 3), torch.zeros(1, 1, 3)
"""
    trace = run(text)
    said = [explain(trace.frame(at)).sentence for at in range(1, len(trace) + 1)]
    assert any("+ (h_0 of lstm)[0] @ lstm.weight_hh_l0.t()" in each for each in said)
    assert any("· (c_0 of lstm)[0]" in each or "× [[0, 0, 0]]" in each for each in said)


def test_what_a_call_overwrote_for_itself_is_named_within_the_sentence() -> None:
    text = """import torch
leaf = torch.ones(3, requires_grad=True)
base = leaf * 1
base[1:].exp_()
torch.autograd.grad(base.sum(), leaf, create_graph=True)
"""
    trace = run(text)
    said = [explain(trace.frame(at)).sentence for at in range(1, len(trace) + 1)]
    assert not any("A part of The" in each for each in said)


def test_what_forward_mode_pushes_forward_is_no_step() -> None:
    """Nor is the copy of a tangent that a result gets: it would be called as the result is."""
    trace = run("""
import torch, torch.autograd.forward_ad as fwAD
x, v = torch.tensor([1., 2.]), torch.tensor([1., 0.])
with fwAD.dual_level():
    d = fwAD.make_dual(x, v)
    y = d % 0.3
    t = fwAD.unpack_dual(y).tangent
""")
    assert [str(op) for op in trace.nodes.op].count("clone") == 0
    assert [trace.frame(len(trace)).name(each) for each in range(len(trace.tensors))].count("y") == 1


def test_what_returns_no_tensor_names_none() -> None:
    trace = run("""
import torch
lin = torch.nn.Linear(2, 1)
lin(torch.ones(1, 2)).sum().backward()
lin.double()
meta = torch.nn.Linear(2, 1, device="meta")
meta.load_state_dict({"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, assign=True)
meta(torch.ones(1, 2))
loader = torch.utils.data.DataLoader([torch.ones(1), torch.zeros(1)], batch_size=2)
total = sum(x.sum() for x in loader)
""")
    names = {trace.frame(len(trace)).name(each) for each in range(len(trace.tensors))}
    assert "lin.bias.grad.to(float64)" in names
    said = [explain(trace.frame(at)).sentence for at in range(1, len(trace) + 1)]
    assert any("meta.bias + torch.ones(1, 2) @ meta.weight.t() = 2." in each for each in said)
    assert not [each for each in names if each.startswith(("lin.double", "meta.load", "(x.sum() for"))], names


def test_what_a_part_a_copy_and_one_of_several_results_are_is_said_once() -> None:
    trace = run("""
import torch
A = torch.tensor([[2., 1.], [1., 3.]])
torch.linalg.eigvals(A)
torch.linalg.svdvals(A)
torch.linalg.lu_factor(A)
x = torch.ones(2, requires_grad=True)
torch.autograd.functional.jacobian(lambda t: t ** 2, x)
y = x * 3
y[1:2] = 7
with torch.no_grad():
    torch.ones(1).copy_(torch.tensor(7.))
torch.nn.functional.prelu(x, torch.tensor([0.25]))
""")
    told = [explain(trace.frame(at)) for at in range(1, len(trace) + 1)]
    said = " ".join(f"{each.title}: {each.sentence}" for each in told)
    assert "eigenvectors of eigvals = [[" in said and "S of svdvals = [" in said and "pivots of lu_factor = [" in said
    assert "= t ** 2, unchanged = [1, 1]" in said and "y[1:2], a part of y, was overwritten: y is [3, 7] now" in said
    assert "it is a copy of 7 = 7" not in said and "kernel" not in said.replace("PreluKernelBackward0", "")


def test_memory_that_is_read_as_another_type_is_not_told_as_detached() -> None:
    said = all_sentences("bits = x.view(torch.int32)")
    assert "bits = the memory of x read as int32 = [1065353216, 1073741824]. Not tracked, as it is not diff" in said
    assert "history" not in said


def test_what_is_on_the_meta_device_has_no_numbers() -> None:
    trace = run("""
import torch
m = torch.empty(3, 2, device="meta")
net = torch.nn.Linear(2, 1, device="meta")
loss = (net(m * 2) + m.new_ones(3, 1) + torch.ones(1).to("meta")).sum()
loss.backward()
net.weight.grad.zero_()
""")
    said = [str(explain(trace.frame(at)).sentence) for at in range(1, len(trace) + 1)]
    assert said[0].startswith("m = (3, 2) without numbers (float32).")
    assert "net.weight.grad: (1, 2) without numbers → (1, 2) without numbers." in said
    assert all("= 0" not in each and "= [" not in each for each in said if "torch.ones(1) =" not in each), said
    assert not any(value.is_known for value in map(trace.value, range(4)) if value)


def test_the_parameters_of_a_distribution_and_of_an_ordered_dict_have_the_names_of_their_places() -> None:
    trace = run("""
import torch
from collections import OrderedDict, defaultdict
prior = torch.distributions.Normal(0.0, 1.0)
shifted = torch.distributions.TransformedDistribution(prior, [torch.distributions.transforms.ExpTransform()])
state = OrderedDict((key, torch.zeros(1)) for key in "ab")
found = defaultdict(list, one=[torch.ones(1)])
""")
    names = [trace.frame(len(trace)).name(each) for each in range(len(trace.tensors))]
    assert {"prior.loc", "prior.scale", "state['a']", "state['b']", "found['one'][0]"} <= set(names)


def test_what_a_hook_is_given_is_not_called_as_the_hook_calls_it() -> None:
    trace = run("""
import torch
lin, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
def keep(module, inner, outer):
    pass
def keeper(name):
    def hook(module, inner, outer):
        return outer * 2
    return hook
lin.register_forward_hook(keep)
lin.register_forward_hook(keeper("lin"))
lin.register_forward_pre_hook(lambda module, inner: None)
y = lin(torch.zeros(1, 2)) + lin(x)
""")
    names = [trace.frame(len(trace)).name(each) for each in range(len(trace.tensors))]
    assert not {"outer", "inner", "inner[0]"} & set(names) and "torch.zeros(1, 2)" in names, names


def test_a_sum_that_the_name_says_is_not_said_again_in_brackets() -> None:
    said = all_sentences("y = x.tile(40)\n0.9 * y + 0.1 * y")
    assert "0.9 * y + 0.1 * y = (80,) in" in said and "(0.9 * y)" not in said


def test_a_leaf_that_a_tracked_write_overwrites_keeps_its_name() -> None:
    said = all_sentences("base = torch.zeros(2)\nbase[0] = x[0]\nbase.mul_(2).sum().backward()")
    assert "base[0], a part of base, was overwritten: base is [1, 0] now" in said and "base₁" not in said
    assert "Gradient of (base (before line" not in said and "∂(base.mul_(2).sum())/∂(base (before line 5))" in said


def test_a_gradient_with_a_graph_is_called_as_the_snippet_reads_it() -> None:
    said = all_sentences("(x ** 3).sum().backward(create_graph=True)\nx.grad.sum().backward()")
    assert "x.grad = [3, 12]. CopyBackwards" in said and "∂(x.grad.sum())/∂x.grad = grad for" in said


def test_a_child_of_a_sequential_in_another_one_has_the_brackets_of_both() -> None:
    trace = run("""
import torch
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(1, 1))
model, block = torch.nn.Sequential(Block(), Block()), Block()
""")
    names = {trace.frame(len(trace)).name(each) for each in range(len(trace.tensors))}
    assert {"model[0].net[0].weight", "model[1].net[0].bias", "net[0].weight"} <= names, names


def test_the_part_of_a_complex_tensor_is_not_the_name_of_what_is_put_there() -> None:
    said = all_sentences("z = torch.zeros(2) * 1j\nz.real = torch.ones(2)")
    assert "it is a copy of torch.ones(2) = [1, 1] now" in said


def test_a_tuple_of_one_is_not_shortened_to_two() -> None:
    assert shortened("functional_call(network_of_layers, parameters, (one_example,)).squeeze()").count("…, )") == 0
    assert "with 0 at the indices" in all_sentences("m = torch.ones(30)\nm[m > 0] = 0")


def test_the_product_that_becomes_a_vector_is_called_after_what_the_snippet_writes() -> None:
    said = all_sentences("y = x @ torch.ones(2, 2)")
    assert "For x @ torch.ones(2, 2): mm in x @ torch.ones(2, 2) = [[1, 2]] @ [[1, 1], [1, 1]] = [[3, 3]]" in said
    assert "y = the mm in x @ torch.ones(2, 2) reshaped = [3, 3]" in said
