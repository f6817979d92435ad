"""Names: what tells tensors apart, what it costs to find all of them, and that finding them together finds the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import shortened
from gradviz.trace.table.naming import Naming
from gradviz.trace.table.trace import Trace
from tests.trace.running import run
from tests.trace.true_sentences import all_sentences, look_at, problems, sentences

ROOT = Path(__file__).parents[2]

CHAIN = """
import torch
x = torch.tensor(1.0, requires_grad=True)
v = [x]
[v.append(v[-1] * 1.5) for i in range(COUNT)]
"""


@pytest.mark.parametrize("count", [100, 400])
def test_what_a_tensor_was_made_of_is_found_once_however_many_are_called_after_it(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = run(CHAIN.replace("COUNT", str(count)))
    asked: list[int] = []
    look_up = Trace.inputs_of
    monkeypatch.setattr(Trace, "inputs_of", lambda self, node: (asked.append(node), look_up(self, node))[1])
    names = [trace.naming.name(tensor, len(trace)) for tensor in range(len(trace.tensors))]
    assert len(set(names)) > 3
    assert 0 < len(asked) <= len(trace.nodes)


def names(source: str) -> list[str]:
    """What the results of all operations are called at the end."""
    trace = run("import torch\nimport torch.nn.functional as F\n" + source)
    frame = trace.frame(len(trace))
    return [frame.name(tensor) for node in range(len(trace.nodes)) for tensor in trace.outputs_of(node).tolist()]


FLOW = """
from torch.distributions import Normal, Transform, TransformedDistribution, constraints
class Double(Transform):
    domain = codomain = constraints.real
    bijective = True
    def _call(self, x): return x * 2
    def _inverse(self, y): return y / 2
    def log_abs_det_jacobian(self, x, y): return torch.full_like(x, 0.7)
flow = TransformedDistribution(Normal(torch.zeros(1), torch.ones(1)), [Double(), Double()])
flow.log_prob(torch.ones(1))
"""
INSIDE = [  # a call, and what its operations are called: only what it returns goes by its own text
    (
        "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))\n"
        "net(torch.ones(1, 2)).sum()",
        ["net[0].weight.t()", "output of net[0]", "output of net[1]", "net[2].weight.t()", "net(torch.ones(1, 2))"],
    ),
    (  # a variable that looks like a class
        "G = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))\nG(torch.ones(1, 2))",
        ["output of G[0]", "output of G[1]"],
    ),
    (
        "x, y = torch.ones(2), torch.ones(2, requires_grad=True)\nF.cosine_similarity(x, y, dim=0)",
        ["mul in cosine_similarity", "F.cosine_similarity(x, y, dim=0)"],
    ),
    (
        "D, x = torch.nn.Linear(1, 1), torch.ones(2, 1, requires_grad=True) * 2\nD(x.detach())",
        ["D.weight.t()", "x.detach()", "D(x.detach())"],
    ),
    ("torch.distributions.Categorical(torch.ones(2))", ["all in Categorical"]),
    ("x = torch.ones(3)\nfor i in range(3):\n    F.relu(x)", ["F.relu(x)"]),
    ("torch.nn.GRU(2, 2)(torch.ones(1, 1, 2))", ["unsafe_split[1] in GRU", "(zeros in GRU)[0]"]),
    ("x = torch.tensor(1., requires_grad=True)\nF.softsign(x)", ["x.abs().add(1)"]),
    (  # of a Sequential that another function calls
        "from torch.utils.checkpoint import checkpoint\n"
        "block = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Tanh())\n"
        "h = checkpoint(block, torch.ones(1, 1), use_reentrant=False)",
        ["output of block[0]"],
    ),
    (  # all that is done to an operand before it is multiplied
        "a, b = torch.ones(2, 3), torch.ones(3, 4)\ntorch.einsum('ik,kj->ij', a, b)",
        ["(a for einsum)₁", "(a for einsum)₂", "a as 1 matrix", "(b for einsum)₃", "b as 1 matrix"],
    ),
    (
        "x = torch.tensor([3., 4.], requires_grad=True)\nF.normalize(x, dim=0)",
        ["x.norm()", "x.norm().clamp_min()", "x.norm().clamp_min().expand(2,)"],
    ),
    (
        "x = torch.eye(2, requires_grad=True)\ntorch.linalg.solve(x, x[0])",
        ["torch.linalg.solve(x, x[0])", "LU of solve"],
    ),
    ("torch.linalg.svdvals(torch.eye(2)).sum()", ["U of svdvals", "S of svdvals"]),
    (
        "torch.ones(2, 2).add(torch.eye(2)).inverse()",
        ["torch.ones(2, 2).add(…).inverse()", "info of inverse"],
    ),
    ("rnn = torch.nn.LSTM(1, 2)\nrnn(torch.ones(1, 1, 1))", ["h_T of rnn", "c_T of rnn", "h_n of rnn", "c_n of rnn"]),
    (
        "attend = torch.nn.MultiheadAttention(2, 1)\nx = torch.ones(1, 1, 2)\nattend(x, x, x)",
        ["mul in attend"],
    ),
    (  # not "(…).reshape(…).permute(…)", which does not say of what
        "attend = torch.nn.MultiheadAttention(4, 2, batch_first=True)\nx = torch.ones(1, 3, 4)\nattend(x, x, x)",
        ["squeeze in attend", "clone₁ in attend"],
    ),
    (
        "q, k = torch.ones(1, 2, 2), torch.ones(1, 2, 2)\nq @ k.transpose(1, 2)",
        ["bmm in q @ k.transpose(1, 2)", "q as 1 matrix"],
    ),
    (  # not half of a long expression
        "x = torch.ones(1, 2, 2)\nx.mul(2.0).add(1.0).mul(2.0).add(1.0).sub(1.0).transpose(1, 2) @ x",
        ["expand", "view", "x as 1 matrix"],
    ),  # not of the transpose
    (  # which fills one row after the other and returns the whole
        "from torch.nn.utils.rnn import pad_sequence\npadded = pad_sequence([torch.ones(2), torch.ones(1)])",
        ["padded[:, 0][0:2]", "padded[:, 1][0:1]"],
    ),
    (FLOW, ["(eq in log_prob).all()", "torch.full_like(x, 0.7).rsub(0)"]),  # what is called in between goes on
]


@pytest.mark.parametrize(("source", "expected"), INSIDE, ids=[row[0][-20:] for row in INSIDE])
def test_what_a_call_makes_on_its_way_is_not_called_after_the_call(source: str, expected: list[str]) -> None:
    found = names(source)
    assert set(expected) <= set(found)


SHORTENED = [  # expressions that are too long for a name: less in their brackets, which are in pairs
    ("nn.functional.log_softmax(model(image), dim=1)", "nn.functional.log_softmax(…, dim=1)"),
    ('torch.einsum("bij,bjk->bik", a[None], b[None])', 'torch.einsum("bij,bjk->bik", …, b[None])'),
    ("-0.5 * ((x - mu) / sigma) ** 2 - sigma.log()", "-0.5 * ((…) / sigma) ** 2 - sigma.log()"),
    ("torch.cat([h(y) for h in self.all_of_them], dim=-1)", "torch.cat([…], dim=-1)"),
    ("(output of blocks.0.ffwd.1).reshape(24, 32)", "(output of blocks.0.ffwd.1).reshape(…)"),
    ("first_operand * second + third_operand - fourth_one", "first_operand * second + … - fourth_one"),
    ("torch.nn.functional.binary_cross_entropy(x / 8, y)", "binary_cross_entropy(…)"),
    (f"torch.stack([{'x, ' * 70}…", "torch.stack(…)"),
    ("binary_cross_entropy_with_logits in log_prob",) * 2,
    ("torch.linalg.eigvals(A).real.sort().indices", "eigvals(A).real.sort().indices"),
    ("layer.parametrizations.weight.original.tril()", "layer … .weight.original.tril()"),
]


@pytest.mark.parametrize(("text", "expected"), SHORTENED)
def test_a_long_expression_is_shortened_within_its_brackets(text: str, expected: str) -> None:
    assert shortened(text) == expected


LEAVES = [  # parameters of modules that have no variable of their own, and what they are called
    ("torch.nn.Embedding(3, 2)(torch.tensor([1])).sum()", ["torch.nn.Embedding(3, 2).weight"]),
    ("torch.nn.Parameter(torch.ones(2)).sum()", ["torch.nn.Parameter(torch.ones(2))"]),
    ("torch.nn.Linear(1, 1)(torch.ones(1, 1)).sum()", ["torch.nn.Linear(1, 1).weight", "torch.nn.Linear(1, 1).bias"]),
    (
        "net = torch.nn.Sequential(torch.nn.LazyLinear(2), torch.nn.LazyLinear(1))\nnet(torch.ones(1, 3)).sum()",
        ["net[0].weight", "net[0].bias", "net[1].weight", "net[1].bias"],
    ),
    (
        "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc, self.scale = torch.nn.Linear(1, 1), torch.nn.Parameter(torch.ones(1))\n"
        "    def forward(self, x):\n        return self.scale * self.fc(x)\n"
        "def main():\n    model = Net().to('cpu')\n    model(torch.ones(1, 1)).sum()\nmain()",
        ["fc.weight", "fc.bias", "model.scale"],
    ),
]


@pytest.mark.parametrize(("source", "expected"), LEAVES, ids=[row[0][:20] for row in LEAVES])
def test_a_parameter_goes_by_the_name_that_its_module_has_in_the_snippet(source: str, expected: list[str]) -> None:
    trace = run("import torch\n" + source)
    frame, users = trace.frame(len(trace)), [trace.users_of(each) for each in range(len(trace.tensors))]
    used = [each for each in np.flatnonzero(trace.tensors.requires_grad) if len(users[each])]
    assert {frame.name(int(each)) for each in used if trace.tensors.is_leaf[each]} == set(expected)


CONSTANTS = [  # what is called after the part that it plays, the zeros that a recurrent module begins with first
    (
        "lstm = torch.nn.LSTM(1, 2)\nfor i in range(2):\n    lstm(torch.ones(1, 1, 1))",
        ["h_0 of lstm₁", "c_0 of lstm₁", "h_0 of lstm₂", "c_0 of lstm₂"],
    ),
    ("gru = torch.nn.GRU(1, 2)\ngru(torch.ones(1, 1, 1))", ["h_0 of gru"]),
    (
        "class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.cell = torch.nn.RNNCell(1, 2)\n    def forward(self, x):\n        return self.cell(x)\n"
        "m = M()\nm(torch.ones(1, 1))",
        ["initial state of cell"],
    ),
    ("y = torch.ones(3) * 1\ny[0] = 7", ["7"]),
    ("z = torch.ones(3)[[0, 2]]", ["indices of torch.ones(3)[[0, 2]]"]),
]


@pytest.mark.parametrize(("source", "expected"), CONSTANTS, ids=["lstm", "gru", "cell", "number", "places"])
def test_a_constant_without_a_name_is_called_after_its_part(source: str, expected: list[str]) -> None:
    trace = run("import torch\n" + source)
    frame = trace.frame(len(trace))
    constants = np.flatnonzero((trace.tensors.producer < 0) & ~trace.tensors.requires_grad.astype(bool)).tolist()
    assert set(expected) <= {frame.name(each) for each in constants}


def test_moving_a_model_to_a_device_is_no_step() -> None:
    trace = run("import torch\nnet = torch.nn.Linear(1, 1)\nsteps = 2\nnet.to('cpu').to(torch.float32)")
    assert len(trace) == 2  # the parameters


PARTS = [  # results that have no name of their own, and what they are called
    ("x = torch.ones(2)\nfor row in x:\n    pass\nlist(x)", ["row₁", "x[1]"]),
    ("x = torch.ones(4)\ntorch.cat(x.split(2)[:1])", ["x.split(2)[0]", "x.split(2)[1]"]),
    ("x = torch.ones(2, 2)\nx.max(0)", ["x.max(0).values", "x.max(0).indices"]),
]


@pytest.mark.parametrize(("source", "expected"), PARTS, ids=["rows", "split", "fields"])
def test_each_of_several_results_has_a_name_of_its_own(source: str, expected: list[str]) -> None:
    assert set(expected) <= set(names(source))


def test_a_buffer_of_a_module_goes_by_its_name() -> None:
    trace = run("""
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.tensor(0))
    def forward(self, x):
        self.seen += 1
        return x
net = Net()
net(torch.ones(1))
""")
    frame = trace.frame(len(trace))
    assert frame.name(0) == "net.seen"


def test_a_parameter_is_not_called_after_the_variable_of_the_loop_that_updates_it() -> None:
    trace = run("""
import torch
net = torch.nn.Linear(1, 1)
params = [torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)]
loose = torch.ones(1, requires_grad=True)
total = 0
for factor in params:
    total += (net(torch.ones(1, 1)) * factor * loose).sum()
total.backward()
with torch.no_grad():
    for p in net.parameters():
        p -= 0.1 * p.grad
    for p in params:
        p -= 0.1 * p.grad
    for p in (loose,):
        p -= 0.1 * p.grad
""")
    frame = trace.frame(len(trace))
    leaves = trace.tensors.requires_grad & trace.tensors.is_leaf
    assert [frame.name(each) for each in np.flatnonzero(leaves)] == [
        *("net.weight", "net.bias", "params[0]", "params[1]", "loose")
    ]
    assert "total" in {frame.name(each) for each in np.flatnonzero(trace.tensors.producer >= 0)}


TRAINING = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(), torch.nn.Linear(3, 1))
optimizer = torch.optim.Adam(model.parameters())
a, b = (torch.tensor(v, requires_grad=True) for v in (0.5, 1.5))
for x in torch.rand(4, 2):
    optimizer.zero_grad()
    h = (model(x).sum() * a).exp().clamp(max=9.0) + (b * a) + (b * a)
    worth, place = torch.max(x, 0)
    h.backward()
    optimizer.step()
    with torch.no_grad():
        for p in (a, b):
            p -= 0.1 * p.grad
            p.grad = None
y = a ** 3
gradient, = torch.autograd.grad(y, a, create_graph=True)
gradient.backward()
"""
SNIPPETS = {
    path.stem: path.read_text() for path in (Path(__file__).parents[2] / "resources" / "examples").glob("*.py")
} | {"training": TRAINING, "flow": f"import torch{FLOW}"}


@pytest.mark.parametrize("name", sorted(SNIPPETS))
def test_names_that_are_found_together_are_those_that_are_found_one_by_one(name: str) -> None:
    trace = run(SNIPPETS[name])
    one_by_one = Naming(trace)
    for tensor in range(len(trace.tensors)):
        one_by_one.name(tensor, len(trace))
    every = np.arange(len(trace.tensors))
    expected = [one_by_one.shown(tensor, len(trace)) for tensor in every.tolist()]
    assert Naming(trace).shown_at_end(every) == expected
    assert Naming(trace).shown_at_end(every[::3]) == expected[::3]


def test_variables_and_texts_need_no_look_at_each_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    trace, looked = run(TRAINING), []
    look = Naming._name
    monkeypatch.setattr(Naming, "_name", lambda self, tensor, at: (looked.append(tensor), look(self, tensor, at))[1])
    trace.naming.shown_at_end(np.arange(len(trace.tensors)))
    assert 0 < len(looked) < len(trace.tensors) / 2


def test_tensors_in_objects_of_the_snippet_are_called_after_the_object() -> None:
    trace = run("""
import torch
class Layer:
    def __init__(self, n):
        self.weight = torch.ones(n, requires_grad=True)
class Net:
    def __init__(self):
        self.layers = [Layer(1), Layer(2)]
class Odd(type):
    @property
    def __dict__(self):
        raise ValueError
class Strange(metaclass=Odd):
    @property
    def __dict__(self):
        raise ValueError
    def __init__(self):
        self.hidden = torch.ones(3, requires_grad=True)
net, one, strange = Net(), Layer(3), Strange()
""")
    frame = trace.frame(len(trace))
    assert [frame.name(each) for each in range(len(trace.tensors))] == [
        *("net.layers[0].weight", "net.layers[1].weight", "one.weight", "self.hidden")
    ]


def test_an_underscore_is_no_name() -> None:
    trace = run(
        """
import torch
net = torch.nn.Linear(2, 1)
weight, _ = net.parameters()
best, _ = torch.tensor([1., 3., 2.], requires_grad=True).max(0)
loss = net(torch.ones(1, 2)).sum() + best
loss.backward()
"""
    )
    frame = trace.frame(len(trace))
    names = {frame.name(tensor) for tensor in range(len(trace.tensors))}
    assert {"net.bias", "weight", "best"} <= names and not any(name.startswith("_") for name in names)


@pytest.mark.parametrize(
    "made, names",
    [
        ("RNN(2, 3)", {"h₁ of m", "h₂ of m"}),
        ("GRU(2, 3)", {"r₁ of m", "z₂ of m", "n₁ of m", "h₂ of m"}),
        ("LSTMCell(2, 3)", {"i of m before σ", "g of m before tanh", "f of m", "o of m", "c of m"}),
    ],
)
def test_what_a_recurrent_module_makes_has_the_letters_of_its_documentation(made: str, names: set[str]) -> None:
    x = "torch.ones(1, 2)" if "Cell" in made else "torch.ones(2, 1, 2)"
    trace = run(f"import torch\nm = torch.nn.{made}\n(m({x})[0] * 2).sum().backward()\n")
    frame = trace.frame(len(trace))
    assert names <= {frame.name(tensor) for tensor in range(len(trace.tensors))}


def test_the_results_of_a_comprehension_have_one_name_with_numbers() -> None:
    source = """
import torch
p = torch.tensor([2., 3.], requires_grad=True)
layers = torch.nn.ModuleList(torch.nn.Linear(2, 1) for _ in range(2))
powers = torch.stack([p ** 2 for _ in range(2)])
outputs = torch.stack([layer(p) for layer in layers])
rows = torch.stack([torch.autograd.grad(each, p, retain_graph=True)[0] for each in powers.sum(1)])
"""
    trace = run(source)
    names = trace.naming.shown_at_end(np.arange(len(trace.tensors)))
    assert {"(p ** 2)₁", "(p ** 2)₂", "layer(p)₁", "layer(p)₂"} <= set(names)
    assert {"gradient₁ in stack", "gradient₂ in stack"} <= set(names)


def test_exchanged_axes_are_not_called_a_new_shape() -> None:
    source = """
import torch
q = torch.ones(1, 2, 3, requires_grad=True)
o = torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
mha = torch.nn.MultiheadAttention(2, 1, batch_first=True)
a = mha(torch.ones(1, 3, 2), torch.ones(1, 3, 2), torch.ones(1, 3, 2), need_weights=False)[0]
gru = torch.nn.GRU(2, 2)
h = gru(torch.ones(1, 1, 2))[0]
"""
    trace = run(source)
    names = trace.naming.shown_at_end(np.arange(len(trace.tensors)))
    assert "q.permute(0, 2, 1)" in names and {"q of mha", "k of mha", "v of mha"} <= set(names)
    assert {"r of gru from x", "z of gru from h", "n of gru from x"} <= set(names)


def test_a_parameter_that_was_replaced_is_called_what_pytorch_calls_it_then() -> None:
    source = """
import torch
from torch.nn.utils import parametrize, prune
class Double(torch.nn.Module):
    def forward(self, w):
        return w * 2
mix = torch.nn.Linear(2, 1)
parametrize.register_parametrization(mix, "weight", Double())
lin = torch.nn.Linear(2, 1)
prune.l1_unstructured(lin, "weight", amount=1)
for each in torch.nn.Sequential(torch.nn.Linear(2, 1)):
    prune.identity(each, "bias")
loss = mix(torch.ones(2)) + lin(torch.ones(2))
loss.backward()
"""
    trace = run(source)
    names = trace.naming.shown_at_end(np.arange(len(trace.tensors)))
    assert {"parametrizations.weight.original", "mix.bias", "lin.weight_orig", "lin.weight_mask"} <= set(names)
    assert "mix.weight" not in names and "lin.weight" not in names


def test_what_a_loop_puts_into_a_module_is_called_by_its_new_place() -> None:
    source = """
import torch
from torch import nn
from torch.nn.utils import prune
class Wrapped(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
    def forward(self, x):
        return self.base(x) * 2
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for name, child in net.named_children():
    setattr(net, name, Wrapped(child))
net[1] = nn.Linear(2, 2)
deep = nn.Sequential(nn.Linear(2, 1))
for each in deep:
    prune.l1_unstructured(each, "weight", amount=1)
def doubled(module):
    for each in module.children():
        each.weight = nn.Parameter(each.weight.detach() * 2)
other = nn.Sequential(nn.Linear(2, 1))
doubled(other)
(net(torch.ones(2)).sum() + deep(torch.ones(2)) + other(torch.ones(2))).backward()
"""
    trace = run(source)
    names = set(trace.naming.shown_at_end(np.arange(len(trace.tensors))))
    assert {"net[0].base.weight", "net[1].weight", "net[1].bias", "other[0].weight"} <= names
    assert {"deep[0].weight_orig", "deep[0].weight_mask"} <= names
    assert not {"net[0].weight", "deep[0].weight"} & names


def test_a_module_within_a_block_of_a_sequential_is_called_as_its_parameters_are() -> None:
    source = """
import torch
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.short = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    def forward(self, x):
        return self.short(x) + x
net = torch.nn.Sequential(Block(), torch.nn.Linear(2, 1), torch.nn.ReLU())
y = net(torch.ones(2))
"""
    trace = run(source)
    names = trace.naming.shown_at_end(np.arange(len(trace.tensors)))
    assert {"output of net[0].short[0]", "output of net[1]"} <= set(names)


def test_leaves_and_arguments_have_names_of_their_own() -> None:
    told = all_sentences("""
((torch.ones(2, requires_grad=True) + torch.ones(2, requires_grad=True)).sum() * x.sum()).backward()
torch.func.grad(lambda t: (t * t).sum())(x.detach())""")
    assert "∂(torch.ones(2, requires_grad=True)₁) = grad" in told
    assert "∂(torch.ones(2, requires_grad=True)₂) = grad" in told
    assert "Through the 1st t: grad · t = [1, 1] × [1, 2] = [1, 2]" in told


def test_tensors_of_one_graph_have_names_of_their_own() -> None:
    trace = run("""
import torch
w = torch.tensor(0.5, requires_grad=True)
h = w * 2
for _ in range(2):
    h = (h * w).exp()
h += 1
h.backward()
""")
    frame = trace.frame(len(trace))
    names = [frame.name(tensor) for tensor in range(len(trace.tensors)) if trace.tensors.producer[tensor] >= 0]
    assert names[:6] == ["h₁", "(h * w)₁", "h₂", "(h * w)₂", "h₃ (before line 7)", "h₃"]


def test_what_a_backward_call_makes_has_a_name_of_its_own() -> None:
    trace = run((ROOT / "resources/examples/22_a_derivative_of_a_derivative.py").read_text(encoding="utf-8"))
    told = sentences(trace, Kind.FORWARD)
    assert [each.removeprefix("For a gradient with a graph of its own: ").split(" = ")[0] for each in told] == [
        "y", "pow in ∇y", "mul in ∇y", "dy", "mul₁ in ∇dy", "mul₂ in ∇dy", "pow in ∇dy", "mul₃ in ∇dy", "d2y",
    ]  # fmt: skip
    assert "keeps the number 1." in told[3]
    assert "∂d2y/∂(mul₃ in ∇dy) = grad · (mul₂ in ∇dy) = 1 × 4 = 4." in " ".join(sentences(trace, Kind.BACKWARD))


def test_states_of_a_tensor_that_a_line_writes_into_again_are_told_apart() -> None:
    trace = run("""
import torch
w = torch.tensor(2., requires_grad=True)
loss = torch.zeros(())
for t in range(1, 4):
    loss += w * t
loss.backward()
""")
    told = " ".join(sentences(trace, Kind.BACKWARD))
    assert "∂loss/∂(loss (before line 6, 3rd time)) = grad = 1" in told
    assert "∂loss/∂(loss (before line 6, 2nd time)) = grad = 1" in told
    assert list(problems(trace)) == []


def test_two_gradients_of_functions_without_a_name_have_names_of_their_own() -> None:
    path = ROOT / "tests/snippets/corpus/functional_create_graph.py"
    assert look_at(path, most=1000) == []  # all of them: python -m tests.trace.true_sentences


def test_a_result_that_its_node_unpacks_keeps_its_name() -> None:
    trace = run("""
import torch
x = torch.tensor(0.5, requires_grad=True)
y = torch.tanh(x)
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g, x)
""")
    assert "∂g/∂y = −grad · 2 · y · 1 = -1 × 2 × 0.4621 × 1 = -0.9242." in sentences(trace, Kind.BACKWARD)[1]
    assert list(problems(trace)) == []


def test_what_a_method_gives_back_that_writes_is_called_as_what_it_writes_to() -> None:
    source = """
import torch
t = torch.arange(6., requires_grad=True) * 1
m = t.view(2, 3)
row = m[0]
row.mul_(2)
y = torch.ones(2, 1, requires_grad=True).clone()
y.squeeze_()
y.t_()
f = torch.zeros(2)
f[f < 1] = -1
w = (t * 2).view(6)
w[w < 1] = w.new_tensor(5.0)
(w.prod() + t.sum() + y.sum() + m.sum()).backward()
"""
    trace = run(source)
    names = set(trace.naming.shown_at_end(np.arange(len(trace.tensors))))
    assert {"row", "row (before line 6)", "copy of -1", "w", "w (before line 13)"} <= names
    assert not [each for each in names if "_(" in each or each.startswith("w[w < 1")]
    rows = [int(each) for each in trace.arrivals.tensor]
    assert min(rows) >= 0  # m has another history since its base was written to, and is the same tensor


def test_what_calls_make_for_themselves_is_not_called_by_their_text() -> None:
    source = """
import copy
import torch
from torch.func import functional_call, grad, vmap
from torch.utils.data import DataLoader
rows = [x.tolist() for x in DataLoader(range(2))]
net = torch.nn.Linear(1, 1)
other = copy.deepcopy(net).to(torch.float64)
xs = torch.ones(3, 2)
def inner(p, x):
    return grad(lambda q: (q * x).sum())(p)
g = grad(lambda p: vmap(inner, in_dims=(None, 0))(p, xs).sum())(torch.ones(2))
e = torch.einsum("ij,jk->", torch.ones(2, 2), torch.ones(2, 2))
"""
    trace = run(source)
    names = set(trace.naming.shown_at_end(np.arange(len(trace.tensors))))
    whole = {"[x.tolist() for x in DataLoader(range(2))]", "copy.deepcopy(net).to(torch.float64)"}
    assert not whole & names and any(each.startswith("p.for_every_example") for each in names), names
    assert not [each for each in names if " for einsum." in each and ") for einsum)" not in each]


def test_the_outputs_of_a_checkpointed_sequence_are_those_of_its_children() -> None:
    trace = run("""
import torch, torch.nn as nn
from torch.utils.checkpoint import checkpoint_sequential
blocks = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Softplus()) for _ in range(2)])
checkpoint_sequential(blocks, 2, torch.ones(1, 2), use_reentrant=False).sum().backward()
""")
    names = set(trace.naming.shown_at_end(np.arange(len(trace.tensors))))
    assert {"output₁ of blocks[…][0]", "output of blocks[…][1]"} <= names


def test_a_backward_call_names_nothing() -> None:
    """It returns None: what it casts the given gradient to has another name."""
    trace = run(
        "import torch\nx = torch.ones(3, requires_grad=True)\ny = x * 2\n"
        "try:\n    y.backward(torch.ones(3, dtype=torch.float64))\nexcept RuntimeError:\n    pass\n"
    )
    frame = trace.frame(len(trace))
    names = [frame.name(each) for each in range(len(trace.tensors))]
    assert len(names) > 3 and not [name for name in names if "backward" in name]
