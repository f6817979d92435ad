"""Sentences that a teacher reads aloud: no result without a word of what it is, no sum without what it is over, no
letter without its meaning, and no more brackets than are needed."""

from __future__ import annotations

import pytest

from tests.trace.true_sentences import all_sentences

SAID = [  # a snippet with a leaf x of two numbers, what is said of it, and what is not
    ("y = x + 1", "AddBackward0 is made for the backward pass and keeps no tensor.", "keeps nothing"),
    # the further results of an operation
    ("v, i = x.max(0)", "v = the largest element of x over dimension 0 = 2, i = its index = 1.", "i = 1"),
    ("v, i = x.reshape(1, 2).topk(2)", ", i = their indices = [[1, 0]].", "i = [["),
    ("v, i = x.sort()", "v = x sorted along the last dimension = [1, 2], i = their former places = [0, 1].", "i = ["),
    ("v, m = torch.var_mean(x)", ", m = the mean of x = 1.5.", "m = 1.5"),
    ("a, b = torch.aminmax(x)", ", b = the largest element of x = 2.", "b = 2"),
    ("q, r = torch.linalg.qr(torch.eye(2) * x)", ", r = R of the same decomposition = ", "r = [["),
    ("l, v = torch.linalg.eigh(torch.eye(2) * x)", ", v = its eigenvectors as columns = ", "v = [["),
    ("s, d = torch.linalg.slogdet(torch.eye(2) * x)", ", d = ln of its absolute value = 0.6931.", "d = 0.6931"),
    ("m, e = torch.frexp(x.detach())", ", e = the exponents of these powers = [1, 2].", "e = [1"),
    # what a softmax and a layer that normalises add up
    (
        "x.reshape(2, 1).softmax(1).sum().backward()",
        "(grad − Σ(grad · x.reshape(2, 1).softmax(1))) = [[0], [0]]. Here Σ is the sum over dimension 1.", "Σ is a",
    ),
    ("x.reshape(1, 2).log_softmax(-1)[0, 0].backward()", "Here Σ is the sum over the last dimension.", "dimension -1"),
    ("x.softmax(0)[0].backward()", "Σ(grad · x.softmax(0))) = ", "Here Σ"),
    (
        "n = torch.nn.BatchNorm1d(2)\ny = n(x * torch.eye(2))\ny[0, 0].backward()",
        "y = ((x * torch.eye(2)) − the mean of its channel) / √(its variance + 1e-05) · n.weight + n.bias", "its mean)",
    ),
    (
        "n = torch.nn.BatchNorm1d(2)\ny = n(x * torch.eye(2))\ny[0, 0].backward()",
        "Here x̂ = ((x * torch.eye(2)) − the mean of its channel) / σ and σ = √(its variance + ε); the means are those "
        "of one channel; each Σ is that of one channel.", "the normalised input",
    ),
    (
        "y = torch.nn.LayerNorm(2)(x)", "y = (x − its mean over the last dimension) / √(its variance + 1e-05)",
        "− its mean)",
    ),
    (
        "torch.nn.LayerNorm((1, 2))(x.reshape(3 - 2, 1, 2)).sum().backward()",
        "Here x̂ = (x.reshape(3 - 2, 1, 2) − its mean over the last 2 dimensions) / σ and σ = √(its variance + ε); the "
        "means are over the last 2 dimensions; each Σ is over the other dimensions.", "normalised",
    ),
    ("y = torch.nn.LayerNorm(2)(x)", "the means and 1 / √(variance + ε)", "1 / σ"),
    (
        "y = torch.nn.LSTM(2, 3)(x.reshape(1, 1, 2))",
        "where i, f, o are σ and g is tanh of the parts of W_ih @ input[t] + b_ih + W_hh @ h + b_hh. ",
        "what x and h give",
    ),
    ("y = torch.nn.LSTM(2, 3, bias=False)(x.reshape(1, 1, 2))", "W_ih @ input[t] + W_hh @ h. ", "b_ih"),
    # lists
    (
        "w = torch.zeros(2, requires_grad=True)\no = torch.optim.Adam([x, w])\n(x + 0 * w).sum().backward()\n"
        "o.step()", "; w stays [0, 0].", "which stays",
    ),
    (
        "w = torch.zeros(2, requires_grad=True)\no = torch.optim.SGD([w], lr=0.1, maximize=True)\n"
        "(0 * w).sum().backward()\no.step()", "SGD with lr = 0.1, maximize updates w, which stays [0, 0].", "w stays",
    ),
    # brackets
    ("y = (x * torch.ones(20, 2)).tanh().log()", "= tanh (x * torch.ones(20, 2)) =", "tanh ((x"),
    ("y = torch.mul(x, torch.ones(20, 2)).log()", "= ln torch.mul(x, torch.ones(20, 2)) =", "ln (torch"),
    ("y = torch.mul(x, torch.ones(20, 2)).exp()", "= e^(torch.mul(x, torch.ones(20, 2))) =", "e^torch"),
    ("h = x\nfor i in range(2):\n    h = (h * torch.ones(20, 2)).tanh()", "= tanh (h * torch.ones(20, 2))₁ =", "(("),
    # what was never reshaped is not reshaped back
    ("(x + torch.ones(1, 2)).sum().backward()", "/∂x = grad in the shape (2,) = [1, 1]", "reshaped back"),
    ("x.expand(1, 2).sum().backward()", "= grad in the shape (2,) = [1, 1]", "reshaped back"),
    ("x.reshape(1, 2).sum().backward()", "= grad, reshaped back = [1, 1]", "in the shape"),
    # a selection by variables has its numbers, in a list it has its source
    ("i = 1\ny = x[i]", "y = x[1] = 2.", "x[i]"),
    ("W = x * torch.eye(2)\nfor t in range(2):\n    y = W[:, t]", "y₁ = column 0 of W = [1, 0].", "y₁ = W"),
    ("W = x * torch.eye(2)\nr = [2 * W[i] for i in (1, 0)]", "W[i]₁ = row 1 of W = [0, 2].", "W[i]₁ = ["),
    ("W = x * torch.eye(2)\nr = [W[i] for i in (1, 0)]\nr[0] * r[1]", "r[1] = row 0 of W = [1, 0].", "\nr[1] = [1"),
    ("W = x * torch.ones(2, 2, 2)\nt = 1\ny = W[:, :, t:]", "y = W[:, :, 1:] = ", "W[:, :, t"),
    ("y = (x * 2).narrow(0, 1, 1)", "y = (x * 2)[1:] = 4.", "y = 4"),
    ("y = torch.cat([x, x])\nk = 2\nz = y[::k]", "z = y[::2] = [1, 1].", "y[::k]"),
    ("y = x[1]", "y = x[1] = 2.", "row"),
    # what Python's sum() has before its last number
    ("y = sum(x[i] ** 2 for i in range(2))", "partial sum = 1 + 0 = 1. ", "range(2)) = 1"),
    ("y = sum([x[0], x[1], x[0]])", "partial sum₂ = 1 + 2 = 3. ", ".add(0)"),
    ("y = sum(3 * a for a in x)\ny.backward()", "∂y/∂(partial sum) = grad = 1", "∂y/∂(sum"),
    # a write
    ("y = x * 2\ny[0] = 7", "y[0], a part of y, was overwritten: y is [7, 4] now", "A part of"),
    ("y = x * 2\ny[1:] += 7", "y[1:], a part of y, was overwritten: y is [2, 11] now", "A part of"),
    ("y = x * 2\nz = y[:1]\nz.mul_(3)", "z, a part of y, was overwritten: y is [6, 4] now", "A part of"),
    # names
    ("torch.autograd.functional.hessian(lambda u: u.prod(), x)", "u.prod().squeeze() = u.prod(), unchanged", "e(())"),
    ("y = torch.ones(2) @ (x * torch.eye(2))", "torch.ones(2).unsqueeze(0) = torch.ones(2) reshaped", "ones(2).r"),
    (
        "w = torch.ones(2, 2, requires_grad=True)\ng = torch.autograd.grad((x @ w.t()).sum(), w, create_graph=True)",
        "transpose₁ in ∇(", " t₁ in ∇",
    ),
    # a part or result among several
    ("a, b = x.split(1)", "b = the 2nd part = 2.", "b = 2"),
    ("r = [2 * each for each in x.unbind()]", "x[1] = the 2nd slice = 2.", "x[1] = 2"),
    (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        return x * 2, x + 1\na, b = F.apply(x)",
        "a = the 1st result that F.forward() returns = [2, 4], b = its 2nd result = [2, 3].", "what F",
    ),
    # names that an assignment gives at its end
    ("def f(u):\n    a, b = u * 2, u + 1\n    return a * b\nf(x)", "a = [1, 2] × 2 = [2, 4].", "u * 2 ="),
    ("d = {\n    'a': x * 2,\n    'b': x + 1,\n}", "d['a'] = [1, 2] × 2 = [2, 4].", "x * 2 ="),
    ("y = x * 1\ny, z = y * 2, y + 1", "y₂ = [1, 2] × 2 = [2, 4].", "y * 2 ="),
    ("a, b = (c := x * 2) + 1, c * 3", "a = [2, 4] + 1 = [3, 5].", "a = [1, 2] × 2"),
    # what is written through a view keeps the name of the view
    (
        "h = x * torch.ones(2, 2)\nr = h[1]\nr.mul_(3)\nr += 1",
        "r, a part of h, was overwritten: h is [[1, 2], [4, 7]] now", "r₁",
    ),
    ("h = x * torch.ones(2, 2)\nh[:, 1:].exp_()", "h[:, 1:] = [[2], [2]].", "h[:, 1:]₁"),
    (
        "torch.nn.CrossEntropyLoss(label_smoothing=0.1)(x * torch.eye(2), torch.tensor([1, 0]))",
        "The neg in CrossEntropyLoss was overwritten", "The masked_fill",
    ),
    # what a call made for itself
    (
        "torch.nn.HingeEmbeddingLoss()(x, torch.tensor([1., -1.])).backward()",
        " Here the condition₁ of HingeEmbeddingLoss is [False, True].", "where condition",
    ),
    (
        "torch.nn.CrossEntropyLoss(label_smoothing=0.1)(x * torch.eye(2), torch.tensor([1, 0]))",
        "now, version 1. Here the condition of CrossEntropyLoss is [False, False].", "the sum of the weights",
    ),
    (
        "torch.nn.functional.cross_entropy(x.reshape(1, 2), torch.tensor([1]), torch.ones(2))",
        "the sum of the weights of its rows", "rows that count",
    ),
    (
        "torch.nn.functional.multi_margin_loss(x.reshape(1, 2), torch.tensor([0])).backward()",
        "grad · the slope of each term that is not 0, at its other class, minus their sum at the class of the row = ",
        "the slope of the loss",
    ),
    # what stays in its shape is not reshaped
    (
        "W = x * torch.ones(1, 2, 2)\ny = W @ W.transpose(-2, -1)",
        "W.transpose(-2, -1) as 1 matrix = W.transpose(-2, -1) for bmm, unchanged", "for bmm reshaped",
    ),
    ("y = torch.einsum('i,i->', x, x)", "(bmm in einsum).reshape(1)₁, unchanged = 5.", "₁ reshaped = 5. Per"),
    # a sum that is too long keeps its operators
    (
        "y = (x.sigmoid().cumprod(0)[-1] + x.abs().masked_select(x > 0).median() - x.flip(0)[0]).exp()",
        "x.sigmoid().cumprod(0)[…] + … - … = ", "…select",
    ),
    ("y = (x * torch.ones(20, 2)).mean((-1, -2))", "over the last 2 dimensions", "dimensions -1"),
    ("i = torch.tensor([0])\ntorch.zeros(2).index_add(0, i, x[:1]).sum().backward()", "= grad at i = 1", "indices"),
    # gradients of gradients
    (
        "def f(u):\n    return (u ** 3).sum()\ntorch.autograd.functional.hessian(f, x)", "mul₁ in the gradient = ",
        "∇(select",
    ),
    (
        "s = 0.\nfor k in (1, 2):\n    y = (k * x).sum() ** 2\n"
        "    s = s + torch.autograd.grad(y, x, create_graph=True)[0].sum()\ns.backward()",
        "mul₅ in the gradient = ", "in ∇y",
    ),
    (
        "y = torch.nn.functional.softplus(x)\ng = torch.autograd.grad(y.sum(), x, create_graph=True)[0]",
        "g = (expand in ∇(y.sum())) / (1 + e^(−x)) = ", "g = [0",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said", "not_said"), SAID, ids=[f"{text} {said[:9]}" for text, said, _ in SAID])
def test_a_sentence_needs_no_second_reading(text: str, said: str, not_said: str) -> None:
    found = all_sentences(text)
    assert said in found and not_said not in found
