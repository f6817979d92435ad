"""Every sentence of the examples and of the tutorial programs holds, and one that would not is found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gradviz.trace.table.kinds import Kind
from gradviz.trace.words import contributions
from gradviz.trace.words.explain import explain, explain_fold
from gradviz.trace.words.sentences import SENTENCES, full_stop, said
from tests.trace.running import run
from tests.trace.true_sentences import all_sentences, look_at, problems, sentences

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    *sorted((ROOT / "resources/examples").glob("*.py")),
    *sorted((ROOT / "tests/snippets/programs").glob("torch_*.py")),
]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_sentences_of_a_program_hold(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some save their weights
    assert look_at(path, most=1000) == []  # all of them: python -m tests.trace.true_sentences


TWICE = """
import torch
x = torch.tensor(2., requires_grad=True)
y = x * 3
loss = y * y
loss.backward()
"""


def test_a_tensor_that_is_used_twice_has_its_derivative_once() -> None:
    trace = run(TWICE)
    first, second = sentences(trace, Kind.BACKWARD)
    assert first == (
        "grad = 1 came in. Through the 1st y: grad · y = 1 × 6 = 6; through the 2nd y: grad · y = 1 × 6 = 6."
    )
    assert second == "grad = 12 came in. ∂loss/∂x = grad · 3 = 12 × 3 = 36."
    assert sentences(trace, Kind.CONTRIBUTION) == [
        "y has 1 of its 2 contributions: 6 came from MulBackward0 (line 5).",
        "y has both contributions now, as 6 came from MulBackward0 (line 5): ∂loss/∂y = 6 + 6 = 12.",
    ]


def test_what_is_no_derivative_of_the_root_is_not_called_one() -> None:
    for call in ("loss.backward(torch.tensor(2.))", "y.register_hook(lambda g: g * 2); loss.backward()"):
        trace = run(TWICE.replace("loss.backward()", call))
        assert sentences(trace, Kind.BACKWARD)[1].startswith(
            "grad = 24 came in. Gradient of x = grad · 3 = 24 × 3 = 72"
        )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda frame, tensor: f"∂out/∂{frame.name(tensor)}", "has 3 contributions"),
        (lambda frame, tensor: f"gradient of {frame.name(tensor)}..", "two full stops"),
    ],
)
def test_a_false_sentence_is_found(wrong: object, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(TWICE.replace("y * y", "y * y + y"))
    monkeypatch.setattr(contributions, "gradient_name", wrong)
    monkeypatch.setattr("tests.trace.true_sentences.gradient_name", wrong)
    monkeypatch.setattr(contributions, "_expected", lambda frame, tensor: 1)
    assert any(said in each for each in problems(trace))


def test_two_tensors_of_one_name_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run(TWICE)
    monkeypatch.setattr("gradviz.trace.table.frame.Frame.name", lambda self, tensor: "x")
    assert any("two tensors are called x" in each for each in problems(trace))


def test_a_rule_that_does_not_give_what_was_sent_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run("import torch\nx = torch.ones(4, 9, requires_grad=True)\n(x * 2).std(correction=0).backward()\n")
    assert list(problems(trace)) == []  # of too many elements for a sentence
    monkeypatch.setattr("tests.trace.true_sentences.formula_for", lambda *_: "grad · 3")
    assert any("the rule grad · 3 gives" in each for each in problems(trace))


SINGLE = [  # a backward call on x, and what its sentence says and does not say
    ("(x ** -1).sum()", "−grad · x⁻²", "x-²"),
    ("(x ** 0).sum()", "= 0", "x⁻¹"),
    ("x.norm(1)", "grad · sign x = 1 × sign [3, 0] = [1, 0]", "⁻¹"),
    ("x.norm()", "grad · x / x.norm()", "|x|"),
    ("torch.dist(2 * x.detach(), x, 1)", "−grad · sign ((2 * x.detach()) − x) = -1 × sign ([6, 0] − [3, 0])", "⁻¹"),
    ("x.clamp(min=2).sum()", "grad where 2 ≤ x, else 0", "max"),
    ("x.clamp(max=2).sum()", "grad where x ≤ 2, else 0", "min"),
    ("x.relu().sum()", "(grad where x.relu() > 0, else 0) = ([1, 1] where", ", else 0 ="),
    ("x[:1].mean()", "∂(x[:1]) = grad = 1", "reshaped"),
    ("x.prod()", "grad · the product of the other elements = [0, 3]", "/ x"),
    ("x[[0, 0]].sum()", "each element of grad added where it was taken from, 0 elsewhere", "at the ("),
    ("x.sort().values.sum()", "at the places the values came from", "the (x"),
    ("x.log().sum()", "[1, 1] / [3, 0] = [0.3333, inf]", "nan"),
    ("(0 * x.sqrt()).sum()", "[0, 0] / (2 × [1.732, 0]) = [0, nan]", "inf"),
    ("(-0.5 * x).clone().sum()", "= grad = [1, 1]", "(["),
    ("torch.nn.functional.binary_cross_entropy(x / 4, x.detach() / 4)", "∂", "inputs"),
]


@pytest.mark.parametrize(("call", "said", "unsaid"), SINGLE, ids=[row[0] for row in SINGLE])
def test_a_rule_says_what_is_computed(call: str, said: str, unsaid: str) -> None:
    trace = run(f"import torch\nx = torch.tensor([3., 0.], requires_grad=True)\n{call}.backward()\n")
    found = " ".join(sentences(trace, Kind.BACKWARD))
    assert said in found and unsaid not in found


def test_the_gradient_of_a_complex_power_says_the_conjugate() -> None:
    trace = run("import torch\nw = torch.tensor(3 + 4j, requires_grad=True)\n(w ** 2 * (1 + 2j)).abs().backward()\n")
    text = " ".join(sentences(trace, Kind.BACKWARD))
    assert "grad · 2 · conj(w)" in text and "grad · conj(1+2j)" in text


def test_what_a_node_keeps_for_itself_is_said_in_words() -> None:
    trace = run("""
import torch
x = torch.ones(1, 2, 4, 4, requires_grad=True)
h = torch.nn.functional.max_pool2d(torch.nn.BatchNorm2d(2)(x), 2).mean((2, 3))
torch.nn.functional.cross_entropy(torch.nn.LSTM(2, 2)(h)[0], torch.tensor([1])).backward()
""")
    text = " ".join(sentences(trace, Kind.FORWARD))
    said = "1 / √(variance + ε)", "the places of the maxima", "the number of rows", "the gates of every time step"
    assert [each for each in said if each not in text] == []
    assert "result1" not in text and "total_weight" not in text and "of its own" not in text


def test_the_step_of_an_optimizer_between_two_backwards_is_to_be_moved_not_cloned() -> None:
    trace = run((ROOT / "resources/examples/21_the_order_of_a_gan.py").read_text(encoding="utf-8"))
    (said,) = sentences(trace, Kind.ERROR)
    assert "Call step() on line 22 after every backward()" in said and "forward pass again" in said
    assert "clone()" not in said and "`" not in said


def test_a_caught_error_is_explained_from_the_steps_before_it() -> None:
    trace = run("""
import torch
a = torch.tensor([1., 2.], requires_grad=True)
b = a.exp()
try:
    b.backward()
except RuntimeError:
    pass
c = a * 2
""")
    (said,) = sentences(trace, Kind.CAUGHT)
    assert said.startswith("b has shape (2,).")


ROWS = [  # a backward call on a matrix, and what its sentence says and does not say
    (
        "x.mean(1) @ torch.tensor([1., 2.])",
        "grad / 2 for every element = [[0.5, 0.5], [1, 1]]",
        "[1, 2] / 2",
    ),
    ("x.logsumexp(1).sum()", "grad · exp(x − x.logsumexp(1)) = [[", "exp([["),
    ("x.amax(1).sum()", "grad at the maximum (shared equally at ties), 0 elsewhere = [[0, 1], [0, 1]]", "places"),
    ("x.amin(1).sum()", "grad at the minimum (shared equally at ties), 0 elsewhere = [[1, 0], [1, 0]]", "maximum"),
    (
        "torch.linalg.cholesky(x @ x.T).sum()",
        "Φ the lower triangle with half the diagonal = ",
        "normal distribution",
    ),
    ("torch.nn.functional.gelu(x).sum()", "Here Φ is the standard normal distribution function and φ its", "triangle"),
    ("(x.T * 2).sum()", "∂x = grad, transposed back = [[2, 2], [2, 2]]", "permuted"),
    (
        "(x.repeat(2, 2) * 1.23456).exp().log().sum()",  # sixteen elements are written out
        "= grad / (x.repeat(2, 2) * 1.23456).exp() = [[0.291, 0.08466, 0.291, 0.08466], [0.02463, ",
        " in [",
    ),
    ("(x.repeat(2, 2) * 1.23456).exp().log().sum()", "= grad · 1.235 = (4, 4) all 1.235", "[1.235, 1.235"),
    ("x.mean()", "grad / 4 for every element = [[0.25, 0.25], [0.25, 0.25]]", "= 1 / 4"),
]


@pytest.mark.parametrize(("call", "said", "unsaid"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_is_not_computed_with_a_matrix(call: str, said: str, unsaid: str) -> None:
    trace = run(f"import torch\nx = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)\n({call}).backward()\n")
    found = " ".join(sentences(trace, Kind.BACKWARD))
    assert said in found and unsaid not in found


def test_a_function_of_the_snippet_says_where_its_gradient_comes_from() -> None:
    trace = run("""
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x ** 2
x = torch.tensor(2., requires_grad=True)
y = Cube.apply(x) * 4
y.backward()
""")
    assert sentences(trace, Kind.BACKWARD)[1] == "grad = 4 came in. ∂y/∂x = what Cube.backward() returns = 48."
    assert sentences(trace, Kind.FORWARD)[1].endswith("and keeps the number 4.")


def test_a_gradient_without_a_graph_is_to_be_computed_with_one() -> None:
    trace = run("""
import torch
x = torch.tensor(2., requires_grad=True)
(g,) = torch.autograd.grad(x ** 3, x)
g.backward()
""")
    (said,) = sentences(trace, Kind.ERROR)
    assert "create_graph=True" in said and "requires_grad=True" not in said


EXCEPTIONS = [  # parameters for which an operation has a rule of its own
    ("x.norm(float('inf'))", "∂x = grad · sign x where |x| is x.norm(float('inf')) (shared equally at ties)"),
    ("torch.linalg.vector_norm(x, 0)", "∂x = 0 everywhere"),
    ("torch.conv_transpose1d(x[None], torch.ones(2, 1, 2)).sum()", "= torch.ones(2, 1, 2) slides over grad"),
    (
        "torch.conv_transpose1d(torch.ones(1, 2, 2), x[:, None]).sum()",
        "= each element of torch.ones(1, 2, 2) times its window of grad, added up = [[[2, 2]], [[2, 2]]]",
    ),
    ("(x * float('inf')).sum()", "∂x = grad · inf = "),
    (
        "(x + 1j).logcumsumexp(1).abs().sum()",
        "= conj(exp(x + 1j)) · the sum from the end of grad · conj(exp(−(x + 1j).logcumsumexp(1))) = ",
    ),
    (
        "torch.conv1d(x[None], torch.ones(1, 2, 1)).sum()",
        "= each element of grad times torch.ones(1, 2, 1), added up where windows overlap",
    ),
    ("torch.dist(x, torch.ones(2, 2), 3)", "grad · (x − torch.ones(2, 2)) · |x − torch.ones(2, 2)| / torch.dist(x, "),
    ("x.std(1, correction=0).sum()", "grad · (x − mean) / (2 · x.std(1, correction=0))"),
    ("x.var(unbiased=False)", "grad · 2 (x − mean) / 4"),
    ("torch.addmv(torch.ones(2), x, torch.ones(2), alpha=3).sum()", "grad ⊗ torch.ones(2)₂ · 3 = [1, 1] ⊗ [1, 1] × 3"),
    ("torch.logit(x / 8, eps=0.3).sum()", "where 0.3 ≤ (x / 8) ≤ 0.7, else 0"),
    ("torch.nn.functional.softplus(x, 2., 5.).sum()", "grad where 2 · x > 5, else grad · σ(2 · x)"),
    (
        "torch.nn.functional.gelu(x, approximate='tanh').sum()",
        "grad · the slope of the tanh formula that stands for GELU",
    ),
    (
        "torch.nn.functional.binary_cross_entropy(x / 8, x.detach() / 9, weight=torch.ones(2))",
        "grad · torch.ones(2).expand(2, 2) · ((x / 8) − (x.detach() / 9)) / ((x / 8) · (1 − (x / 8)) · 4)",
    ),
    (
        "torch.nn.functional.binary_cross_entropy_with_logits(x, x.detach() / 9, pos_weight=torch.ones(2))",
        "grad · ((1 + (torch.ones(2) − 1) · (x.detach() / 9)) · σ(x) − torch.ones(2) · (x.detach() / 9)) / 4",
    ),
    (
        "torch.nn.functional.batch_norm(x, torch.zeros(2), torch.ones(2)).sum()",
        "= grad / σ = [[1, 1], [1, 1]]. Here σ = √(the running variance + ε).",
    ),
    ("torch.nn.functional.rrelu(x).sum()", "grad where x > 0, else grad · 0.2292"),
    (
        "torch.nn.functional.embedding_bag(torch.tensor([0, 1]), x, torch.tensor([0]), mode='mean').sum()",
        "grad of each bag / the number of its rows, added up at its rows = [[0.5, 0.5], [0.5, 0.5]]",
    ),
    (
        "torch.nn.functional.embedding_bag(torch.tensor([0, 1]), x, torch.tensor([0]), mode='max').sum()",
        "grad of each bag at the places of its maxima, 0 elsewhere = [[0, 0], [1, 1]]",
    ),
    (
        "torch.nn.functional.embedding(torch.tensor([0, 1]), x, padding_idx=0).sum()",
        "each row of grad added to the row that was looked up, but 0 at row 0 (padding_idx) = [[0, 0], [1, 1]]",
    ),
    ("torch.index_add(torch.zeros(2, 2), 0, torch.tensor([1, 0]), x, alpha=2).sum()", "]), times 2 ="),
    (
        "x.masked_fill(x.reshape(4).reshape(2, 2)[:, :] == 5, 0.).sum()",
        "0 where x.reshape(4).reshape(2, 2)[:, :] == 5, else grad",
    ),
    ("(lambda a, b: a * 2 + b)(*x.unbind()).sum()", "Gradients came in: [2, 2] for "),
    ("(0 * x).norm()", "grad · (0 * x) / (0 * x).norm(), 0 where it would divide by 0 = [[0, 0], [0, 0]]"),
    ("torch.fft.rfft(x).abs().sum()", "the real part of grad, transformed in the other direction"),
    ("torch.addmm(x[0], x, x, beta=0.5).sum()", "grad · 0.5, summed over the broadcast dimensions = [1, 1]"),
    ("torch.linalg.solve(x, torch.ones(2))[0]", "∂x = −((x⁻ᵀ @ grad) ⊗ torch.linalg.solve(x, torch.ones(2))) = "),
    ("torch.linalg.solve(x, x * 2, left=False)[0, 1]", "∂(x * 2) = grad @ x⁻ᵀ = "),
    ("(x @ torch.ones(2, 1)).sum()", "= grad @ torch.ones(2, 1)ᵀ = [[1], [1]] @ [[1, 1]] = [[1, 1], [1, 1]]"),
    ("torch.nn.functional.linear(x, x * 2).sum()", "grad @ (x * 2) = [[1, 1], [1, 1]] @ [[2, 4], [6, 10]] = "),
    ("x.clamp_min(1e-12).sum()", "grad where x ≥ 1e-12, else 0"),
    ("torch.polar(x, x).real.sum()", "through the 2nd x: Re(conj(grad) · j · torch.polar(x, x)) = "),
    ("x.var()", "grad · 2 (x − mean) / 3 = 1 × 2 × ([[1, 2], [3, 5]] − 2.75) / 3 = "),
    ("torch.nn.functional.nll_loss(x, torch.tensor([0, 1]))", "−grad / 2 at the class of each row, 0 elsewhere = [["),
    (
        "torch.nn.functional.nll_loss(x, torch.tensor([0, 1]), weight=torch.tensor([1., 3.]), ignore_index=0)",
        "−grad · torch.tensor([1., 3.])[class] / 3 at the class of each row, 0 elsewhere and where the class is 0 "
        "(ignore_index) = [[0, 0], [0, -1]]",
    ),
    ("(torch.autograd.grad((x ** 3).sum(), x, create_graph=True)[0] * x).sum()", "∂(mul₁ in ∇((x ** 3).sum()))"),
    ("(lambda grad: (grad * 2).sum())(x * x)", "grad_output = [[1, 1], [1, 1]] came in. ∂((grad * 2).sum())/∂grad = "
     "grad_output · 2 = "),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), EXCEPTIONS, ids=[row[0] for row in EXCEPTIONS])
def test_a_parameter_that_changes_the_rule_is_read(call: str, said: str) -> None:
    trace = run(f"import torch\nx = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)\n{call}.backward()\n")
    assert list(problems(trace)) == []
    assert said in " ".join(sentences(trace, Kind.BACKWARD))


def test_results_of_few_numbers_are_computed_with_them() -> None:
    trace = run("""
import torch
x = torch.tensor([[1., 2.], [-3., 4.]])
y = 0.5 * (1 - x[1])
z = (x @ y).mean() - y[0].tanh()
z -= -1 * x[0, 1]
z **= 2
""")
    told = [*sentences(trace, Kind.FORWARD), *sentences(trace, Kind.INPLACE)]
    found = [each.partition(" = ")[2].partition(". Not")[0].partition(" now,")[0] for each in told]
    assert [each for each in found if " = " in each] == [
        "1 − [-3, 4] = [4, -3]",
        "0.5 × [4, -3] = [2, -1.5]",
        "[[1, 2], [-3, 4]] @ [2, -1.5] = [-1, -12]",
        "(-1 − 12) / 2 = -6.5",
        "tanh 2 = 0.964",
        "-6.5 − 0.964 = -7.464",
        "-1 × 2 = -2",
    ]
    assert found[-2:] == ["-5.464", "29.86"] and "it is -7.464 − (-2) = -5.464 now" in told[-2]
    assert "it is (-5.464)² = 29.86 now" in told[-1] and list(problems(trace)) == []


def test_steps_that_are_walked_as_one_name_what_the_snippet_made() -> None:
    trace = run("""
import torch
n = torch.distributions.Normal(torch.tensor([0., 1.]), 1.)
p = n.log_prob(torch.tensor([0., 0.]))
for w in (torch.ones(2), torch.ones(3)):
    print(float(w.abs().sum()), w.sum().item() + w.sum().item())
(torch.tensor(2., requires_grad=True) * 2).backward()
""")
    said = [explain_fold(trace, end).sentence for end in trace.folds.ends.tolist()]
    assert [" in log_prob" in each for each in said if "p = [-0.9189, -1.419]" in each] == [False]
    assert any("w.abs().sum() = 2; w.sum() = 2, then 2. None" in each for each in said), said


def test_every_sentence_of_a_step_is_in_the_table_under_its_kind() -> None:
    for path in PROGRAMS[:6]:
        trace = run(path.read_text(encoding="utf-8"))
        for at in range(len(trace)):
            found = explain(trace.frame(at + 1)).sentence
            kind = Kind(int(trace.steps.kind[at])).name.lower()
            assert found.id in SENTENCES and found.id.split(".")[0] == kind, (found.id, kind)


def test_a_sentence_ends_once() -> None:
    ended = "x = 3", "x = f(3.)", "Really?", "It is so (as in PyTorch.)"
    assert [*map(full_stop, ended)] == ["x = 3.", "x = f(3.).", "Really?", "It is so (as in PyTorch.)"]


def test_a_sentence_that_is_not_there_or_has_other_places_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said("clear_grad.none", tensor="w") == "w.grad was None already."
    for which, places in (("clear_grad.nothing", {"tensor": "w"}), ("clear_grad.none", {"tensor": "w", "now": "1"})):
        with pytest.raises(KeyError):
            said(which, **places)
    monkeypatch.setattr(contributions, "said", lambda which, **places: said("free", node="a", kept="b"))
    trace = run(TWICE)
    assert {
        explain(trace.frame(at + 1)).sentence.id for at in range(len(trace)) if trace.steps.kind[at] == Kind.BACKWARD
    } == {"free"}


# Since Python 3.13 the place of what a loop fetches is that of its iterable, not of the whole statement.
OVER = "" if sys.version_info >= (3, 13) else "the loop over "
SAID = [  # a program, and what one of its sentences says and none does
    ("w = torch.ones(8, 8, requires_grad=True); (w * torch.ones(8, 8)).sum().backward()", "∂w = grad · ", "It sends"),
    ("torch.eye(5).requires_grad_().softmax(1)[0, 0].backward()", " · (grad − Σ(grad · ", "It sends"),
    ("(x ** 2).sum().backward(); x.grad.zero_(); (x ** 3).sum().backward()", "x.grad was 0, so it becomes", "held [0"),
    ("(0 * -x[0]).backward()", "−grad = 0", "-0"),
    (
        "from torch.utils.checkpoint import checkpoint\n"
        "checkpoint(lambda a: a.exp() * a.sin(), x, use_reentrant=True).sum().backward()",
        "keeps the recomputed sin and the recomputed exp", "keeps recomputed",
    ),
    (
        "torch.nn.BatchNorm1d(1)(torch.tensor([[-1.], [-2.]]))", "0.9 × 0 + 0.1 × (-1.5) = -0.15", "× -1.5",
    ),
    (
        "torch.autograd.grad([], [x], allow_unused=True)", "The backward pass has no root to start at", "at the root",
    ),
    (
        "w = torch.zeros(4, requires_grad=True); v = torch.zeros(5, requires_grad=True)\nx.sum().backward()\n"
        "o = torch.optim.Adam([x, w, v])\nw.grad = torch.zeros(4); v.grad = torch.zeros(5)\no.step()",
        "v stays [0, 0, 0, 0, 0]", "[0, 0, 0, 0, 0] → [0, 0, 0, 0, 0]",
    ),
    (
        "try:\n    torch.nn.CrossEntropyLoss()(x[None], torch.ones(1, 5))\nexcept RuntimeError:\n    pass",
        "For torch.nn.CrossEntropyLoss()(x[None], …): x[None].log_softmax() = ", "CrossEntropyLoss()(x[None], …) = ",
    ),
    (
        "ce = torch.nn.CrossEntropyLoss()\nloss = ce(x[None], torch.tensor([7]))",
        "For ce(x[None], torch.tensor([7])): x[None].log_softmax() = ", "torch.tensor([7])) = ",
    ),
    ("d = torch.zeros(2, 2).fill_diagonal_(5)", "d.as_strided() was overwritten: it is [5, 5]", "fill_diagonal_(5) = "),
    ("torch.func.grad(torch.sin)(x[0].detach())", "starts at x[0].detach().detach().sin() with", "(x[0].detach()) = "),
    ("y = x * float('inf')", "keeps the number inf.", "keeps inf"),
    ("y = x.to(memory_format=torch.contiguous_format, copy=True)", "y = a copy of x = [1, 2]", "as float32"),
    ("y = x ** 2 + x.exp() ** 2\nwith torch.no_grad(): x += 1", "PowBackward0 (line 3) saved an", "Backward0, "),
    ("y = x.exp() * x * x\nwith torch.no_grad(): x += 1", "2 × MulBackward0 (line 3) saved", "Backward0, "),
    ("torch.where(x > 1, x, x).sum().backward()", "grad where x > 1, else 0", "(x > 1)"),
    ("(x * 2).backward(torch.ones(2))", "starts at x * 2 with the gradient [1, 1].", "with [1"),
    (
        "y = torch.tensor([1., -1.])\ntorch.nn.HingeEmbeddingLoss()(x, y).backward()",
        "where the condition₂ of HingeEmbeddingLoss, else 0", "where torch.nn.Hinge",
    ),
    ("w = torch.tensor(1 + 2j, requires_grad=True); (w * w).abs().backward()", "j) + (", "j + "),
    ("y = x * 1; y.cos_().sum().backward()", "CosBackward0 lets go of a copy of y (before line 3)", "its own"),
    (
        "torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 1))(x).sum().backward()",
        " and the norms", "the means",
    ),
    ("(x + x * 1j).abs().sum().backward()", "this use of x: the real part of grad · conj(1j) = [0.7", "x: grad"),
    ("y = (x * 2.0)[[0, 0]]; y[x > 1] = 0", "keeps the indices of (x * 2.0)[[0, 0]].", "keeps (x"),
    ("y = x[x > 1]", "IndexBackward0 is made for the backward pass and keeps the indices of x[x > 1].", "keeps x[x"),
    ("y = torch.outer(x, x)[1, 0]", "torch.outer(x, x)[1] = [2, 4].", "select()"),
    ("y = x * 1.0 * 1j", "keeps the number 1j.", "1i"),
    ("y = x * 2.0", "keeps the number 2.", "2.0."),
    ("torch.nn.BatchNorm1d(2).eval()(torch.outer(x, x))", ".running_mean, ", "packed"),
    (
        "w = torch.ones(2, requires_grad=True); o = torch.optim.LBFGS([w], max_iter=1)\n"
        "def closure():\n    o.zero_grad(); l = (w ** 2).sum(); l.backward(); return l\no.step(closure)",
        "l = 1 + 1 = 2.", "step(closure) =",
    ),
    (
        "h = x * 1\nfor _ in range(2):\n    h = (h + x).tanh()\n    h = h.detach()",
        "It shares the memory of h₂ and is cut off", "memory of h and",
    ),
    ("x.grad = None", "x.grad was None already.", "None → None"),
    ("y = -x[0]", "y = -1. NegBackward0", "-1 = -1"),
    ("y = torch.nn.Linear(2, 9)(x[None])", "bias + x[None] @ torch.nn.Linear(2, 9).weight.t() = ", "= None"),
    ("S = torch.linalg.svdvals(torch.outer(x, x) + torch.eye(2)); S.sum().backward()", ") diag(∇S) (", "skew"),
    (
        "L, V = torch.linalg.eigh(torch.outer(x, x)); (L + V[0]).sum().backward()",
        "V (diag(∇L) + X) Vᴴ, X the antisymmetric part of Vᴴ ∇V over the differences of L = ", "skew",
    ),
    (
        "torch.nn.LayerNorm(2)(x * 3).sum().backward()",
        "· torch.nn.LayerNorm(2).weight · x̂)) / σ = [0, 0]", "grad · w ",
    ),
    (
        "torch.nn.LayerNorm(2, elementwise_affine=False)(x * 3).sum().backward()",
        "Here x̂ = ((x * 3) − its mean over the last dimension) / σ and σ = √(its variance + ε);", "weight",
    ),
    (
        "w = torch.nn.Parameter(torch.ones(3, 3)); w.sum().backward()\ntorch.optim.SGD([w], lr=0.25).step()",
        "(with lr = 0.25)", "lr = 0.25, ",
    ),
    (
        "w = torch.nn.Parameter(torch.tensor(1.)); o = torch.optim.SGD([w], 0.1, momentum=0.5, nesterov=True)\n"
        "(w * 2).backward(); o.step(); o.step()",
        "w ← w − lr · (w.grad + momentum · m) = 0.7 − 0.1 × (2 + 0.5 × 3) = 0.35", "updates",
    ),
    (
        "o = torch.optim.AdamW([x], lr=0.1, amsgrad=True)\nx.sum().backward(); o.step()",
        "β₁ = 0.9, β₂ = 0.999, ε = 1e-08, amsgrad", "betas1",
    ),
    (
        "x.sum().backward()\ntorch.nn.utils.clip_grad_value_([x], 100.)",
        "No element of a gradient is above 100 or below -100: they stay as they are.", "become",
    ),
    (
        "a = x * 2\ntorch.div(a, x, rounding_mode=None).sum().backward()",
        "∂a = grad / x = [1, 1] / [1, 2]",
        "0 everywhere",
    ),
    ("y = (x * 0 + 1).var(correction=0)", "+ (1 − 1)²) / 2 = 0.", "/ 1 ="),
    (
        "(x * float('nan')).relu().sum().backward()",
        "(0 where (x * float('nan')).relu() ≤ 0, else grad) = (0 where",
        "else 0",
    ),
    ("y = -torch.tensor(0.6482)", "y = -0.6482. Not", "-0.6482 = "),
    ("y = (x[:1] + 1e-9).squeeze(); z = y - 1 + 1e-5 - 1e-5", "1 + 1e-09 ≈ 1", "1e-09 = 1"),
    (
        "y = torch.tensor([1.00001], dtype=torch.float64) - torch.tensor([1.], dtype=torch.float64)",
        "y = 1.00001 − 1 = 1e-05.", "y = 1 − 1",
    ),
    ("y = torch.arange(99) > 3", "y = torch.arange(99) > 3 = (99,), 95 of 99 True.", "in [0, 1]"),
    ("torch.autograd.functional.hessian(lambda v: (v ** 3).sum(), x)", "∂((v ** 3).sum().reshape(1)[0])", "∂(torch.a"),
    (
        "F = torch.nn.functional\nF.cosine_similarity(x, x.detach() * 3, dim=0)",
        "div₁ in cosine_similarity",
        "cosine_similarity: div",
    ),
    (
        "(x - 1).backward(torch.ones(2))\n(x * x - x).backward(torch.ones(2))",
        "Gradient of (x * x) = grad",
        "of x * x =",
    ),
    (
        "F = torch.nn.functional\nF.cross_entropy(x, torch.tensor(1))",
        "For F.cross_entropy(x, torch.tensor(1)): x.log_",
        "NT",
    ),
    (
        "with torch.inference_mode(), torch.enable_grad():\n    y = x * 2",
        "as gradients are switched off here",
        "not diff",
    ),
    (
        "(torch.outer(x, x).tril(-1) + torch.outer(x, x).triu(1)).sum().backward()",
        "= grad at the elements that were kept, 0 elsewhere = [[0, 1], [0, 0]]", "triangle",
    ),
    (
        "torch.det(torch.outer(x, x)).backward()",
        "= grad · the cofactors of torch.outer(x, x) = [[4, -2], [-2, 1]]", "⁻ᵀ",
    ),
    (
        "y = x * 2; y.view(2, 1).t().add_(1); y.sum().backward()",
        "y was overwritten: it is [2, 4] + 1 = [3, 5] now, version 1.", "A part of",
    ),
    (
        "y = x * 2; y.view(2, 1)[0].mul_(3); y.sum().backward()",
        "= grad, by the rule of mul where that wrote = [3, 1]", "overwritten by",
    ),
    ("y = max(x[0], x[1])", "gt in max = y > x[0] = True.", "max(x[0], x[1]) = True"),
    (
        "for a in torch.utils.data.DataLoader(x.detach(), 2):\n    a * 2",
        f"For {OVER}torch.utils.data.DataLoader(…, 2): x.detach()[0]", "For for",
    ),
    (
        "g, = torch.autograd.grad(2 * x.sum(), x, create_graph=True)\ng.sum().backward()",
        "it was computed from a gradient that", "1 is",
    ),
    (
        "lin = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 1))", "weight.norm() = √",
        "weight_norm(torch.nn.Linear(2, 1)) = √",
    ),
    ("y = x[:1] * 1e-7 + 1", "1e-07 + 1 ≈ 1", "1e-07 + 1 = 1"),
    ("y = 0\nfor w in [torch.ones(2), torch.zeros(2)]:\n    y = y + w * x", "w₂ = [0, 0] (float32)", "w = ["),
    (
        "F = torch.nn.functional\nF.embedding_bag(\n    torch.tensor([[0, 1]]), x[:, None], mode='sum', "
        "per_sample_weights=torch.tensor([[2., 3.]])).backward(torch.ones(1, 1))",
        "grad of each bag, times the weight of each of its rows, added to that row, 0 elsewhere = [[2], [3]]",
        "grad of each bag added",
    ),
    ("y = x // 2", "PyTorch has no derivative of it: backward() through it will fail.", "NotImplemented is"),
    (
        "y = torch.nn.functional.mse_loss(x[0] * 0.52821, torch.tensor(0.52896))\ny.backward()",
        "(0.52821 − 0.52896)", "(0.5282 − 0.529)",
    ),
    ("(x[0] * 0.5 - x[0] * 0.49999848).backward()", "[-0.49999848, 0] + [0.5, 0] = [1.52e-06, 0]", "[-0.5, 0] +"),
    ("(x[0] * 0.5 + x[0] * 5e-7).backward()", "[5e-07, 0] + [0.5, 0] ≈ [0.5, 0]", "+ [0.5, 0] ="),
    (
        "v = torch.ones(9).requires_grad_()\nopt = torch.optim.RMSprop([v], lr=0.1, momentum=0.9)\n"
        "v.sum().backward()\nopt.step()",
        "m ← momentum · m + v.grad / (√v + ε); v ← v − lr · m = ", "v − lr · v.grad / (√v + ε)",
    ),
    (
        "class F(torch.autograd.Function):\n    forward = staticmethod(lambda ctx, x: x * 2)\n"
        "    backward = staticmethod(lambda ctx, grad: grad * 2)\n"
        "torch.autograd.gradcheck(F.apply, (x.double(),))",
        "F₂ in gradcheck = what F.forward() returns", "gradcheck(F.apply, (x.double(),)) = ",
    ),
    (
        "from torch.nn.utils import prune\nlin = torch.nn.Linear(2, 1)\nprune.identity(lin, 'weight')",
        "mul in identity = ", "prune.identity(lin, 'weight') = ",
    ),
    (
        "y = x[0] * 3\ny.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))\ny.backward()",
        "grad = 2 came in. Gradient of x[0] = grad · 3 = 2 × 3 = 6.", "grad = 1 came in",
    ),
    (
        "b = torch.distributions.Bernoulli(x.detach() / 4)\nprint(b.sample((3,)))",
        "For b.sample((3,)): ", "b.sample((3,)) = b.probs",
    ),
    (
        "torch.distributions.MultivariateNormal(x.detach(), torch.eye(2)).sample()", "linalg_cholesky_ex()[0] = the l",
        "MultivariateNormal(x.detach(), torch.eye(2)) = L",
    ),
    (
        "def loss(w, a):\n    return (w * a).sum()\n"
        "g = torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(x.detach(), torch.eye(2))",
        "torch.eye(2).per_example = [[1, 0], [0, 1]]", "(x.detach(), torch.eye(2)) = ",
    ),
    ("y = x * 1; y.atan2_(y)", "the angle of the point (the former y, the former y) = ", "(y (before"),
    ("y = torch.ones(9); y.atan2_(y)", "the angle of the point (the former y, the former y) = ", "(y, the"),
    ("net = torch.nn.Linear(1, 1).double()\nnet.float()", "net.weight as float32", "a copy of net.weight"),
    ("{}['lr']", "KeyError: 'lr'", "\n'lr'"),
    ("a = torch.tensor([3.])\nfor _ in range(2):\n    a * 2; a * 3; a = a + 1", "a * 2 = ", "in [0, 1]"),
]  # fmt: skip


def test_what_has_the_name_of_what_it_was_made_from_does_not_equal_itself() -> None:
    trace = run((ROOT / "tests/snippets/corpus/cnn_small.py").read_text(encoding="utf-8"))
    assert any("x₂ = the mean of each window of x₁ = " in each for each in sentences(trace, Kind.FORWARD))


@pytest.mark.parametrize(("source", "said", "unsaid"), SAID)
def test_a_sentence_reads_well(source: str, said: str, unsaid: str) -> None:
    found = all_sentences(source)
    assert said in found and unsaid not in found
