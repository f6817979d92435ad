"""What calls made for themselves is called after what it is, and what they do to themselves is told as such."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.trace.table.modules import called_names, scope_name
from gradviz.trace.words.contributions import kept_name
from gradviz.trace.words.explain import explain, explain_fold
from tests.trace.running import run
from tests.trace.true_sentences import all_sentences

MADE = [  # a call, and what it made for itself
    ("t = torch.nn.functional.one_hot(torch.tensor([0, 2]), 3)", {"zeros in one_hot"}),
    ("torch.distributions.kl_divergence(torch.distributions.Normal(0.5, 2.0), torch.distributions.Normal(0.0, 1.0))",
     {"loc of Normal", "scale of Normal"}),
    ("torch.distributions.Normal(torch.zeros(2), scale=0.5)", {"scale of Normal"}),
    ("torch.distributions.Normal(x, torch.ones(2)).rsample()",
     {"zeros in rsample", "ones in rsample", "noise in rsample"}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), MADE, ids=["one_hot", "Normal", "by name", "rsample"])
def test_what_a_call_made_is_called_after_what_it_is(source: str, expected: set[str]) -> None:
    trace = run(f"import torch\nx = torch.ones(2, requires_grad=True)\n{source}\n")
    frame = trace.frame(len(trace))
    leaves = {frame.name(each) for each in range(len(trace.tensors)) if trace.tensors.producer[each] < 0}
    assert expected <= leaves, leaves


def test_what_an_operation_computes_for_out_is_its_result() -> None:
    said = all_sentences("out = torch.empty(2)\nwith torch.no_grad():\n    torch.mul(x, x, out=out)")
    assert "result of mul = [1, 2] × [1, 2] = [1, 4]" in said and "a copy of the result of mul = [1, 4]" in said
    assert "mul in mul" not in said


def test_what_an_operator_assigns_to_a_part_is_there_already() -> None:
    said = all_sentences("m = torch.zeros(2, 2)\nm[:, 0] += 10\nm[:, 1] = m[:, 0]")
    assert "m[:, 0]₂ is assigned what is there already, as Python does it after an operator such as +=" in said
    assert "no number changes, but it is version 2 now." in said
    assert "m[:, 1] was overwritten: it is a copy of m[:, 0] = [10, 10] now, version 3" in said


def test_a_sum_is_no_rule_where_a_part_was_added_to() -> None:
    said = all_sentences("y = torch.zeros(3)\ny[:2] = x\ny[0].add_(5)\ny[1].mul_(2)\ny.sum().backward()")
    assert "= grad, by the rule of mul where that wrote = [1, 2, 1]" in said
    assert "∂(y.sum())/∂(y (before line 5)) = grad = [1, 2, 1]" in said


def test_a_name_that_goes_on_from_a_numbered_one_has_its_number() -> None:
    trace = run(
        "import torch\nfrom torch.distributions import Normal\nmu = torch.ones(2, requires_grad=True)\n"
        "Normal(mu, 2.0).log_prob(torch.zeros(2)).sum()\n"
    )
    said = "\n".join(explain(trace.frame(at)).sentence for at in range(1, len(trace) + 1))
    assert "sub₁ in log_prob" in said and "(sub₁ in log_prob).pow(2)" in said and "(sub in log_prob)" not in said


def test_steps_that_are_walked_as_one_within_a_call_say_for_which() -> None:
    trace = run(
        "import torch\nfrom torch.distributions import Categorical\nw = torch.ones(3, requires_grad=True)\n"
        "d = Categorical(w.softmax(0))\nd.log_prob(torch.tensor(1)).backward()\n"
    )
    said = [explain_fold(trace, end).sentence for end in trace.folds.ends.tolist()]
    assert [each for each in said if "on line 4, for Categorical(w.softmax(0)): " in each and "= True" in each], said


def test_a_mean_of_losses_is_one_loss() -> None:
    said = all_sentences(
        "f, t = torch.nn.CrossEntropyLoss(label_smoothing=0.1), torch.tensor([1])\nf(x[None], t)\n"
        "torch.nn.CrossEntropyLoss(reduction='none')(x[None], t)"
    )
    assert "loss in CrossEntropyLoss = " in said and "losses in" not in said


def test_what_a_hook_puts_in_place_of_an_output_leaves_the_module_its_name() -> None:
    trace = run(
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())\n"
        "net[0].register_forward_hook(lambda module, given, made: made.detach())\nnet(torch.ones(1, 2))\n"
    )
    frame = trace.frame(len(trace))
    names = [frame.name(each) for node in range(len(trace.nodes)) for each in trace.outputs_of(node).tolist()]
    assert "output of net[0]" in names and not [each for each in names if each == "net(torch.ones(1, 2))₁"], names


def test_a_name_that_came_later_is_the_name() -> None:
    trace = run(
        "import torch\nfrom torch.func import stack_module_state\n"
        "kept, _ = stack_module_state([torch.nn.Linear(1, 1) for _ in range(2)])\ny = kept['weight'] * 2\n"
    )
    for at in range(1, len(trace) + 1):  # as the window does it, which walks
        explain(trace.frame(at))
    frame = trace.frame(len(trace))
    assert "kept['weight']" in {frame.name(each) for each in trace.inputs_of(len(trace.nodes) - 1).tolist()}


def test_what_finds_a_view_again_after_a_write_is_no_step() -> None:
    said = all_sentences("z = torch.tensor([1 + 2j], requires_grad=True)\ntorch.view_as_real(z.clone()).mul_(2)")
    assert "gradients are switched off" not in said and "it is 2+4j now" in said, said


def test_the_second_result_of_a_solution_has_its_letters() -> None:
    said = all_sentences("A = torch.eye(2).expand(2, 2, 2)\ntorch.linalg.solve(A, torch.ones(2, 2, 1))")
    assert "LU of solve = [[[1, 0]" in said and "linalg_solve_ex[1]" not in said, said


def test_two_leaves_of_one_text_on_a_line_are_told_apart_where_nothing_reads_them() -> None:
    said = all_sentences("for i in range(2):\n    print(torch.ones(3), torch.ones(3))\nprint(torch.ones(3))")
    assert said.count("torch.ones(3)₁ = ") == said.count("torch.ones(3)₂ = ") == 2 and "\ntorch.ones(3) = " in said, (
        said
    )


def test_what_an_untracked_chain_made_is_told_apart_from_what_is_tracked_beside_it() -> None:
    said = all_sentences(
        "from torch.distributions import Normal, kl_divergence\nkl_divergence(Normal(0.0, 2.0), Normal(x, 1.0))"
    )
    assert "(div₁ in kl_divergence).pow(2) = [2, 2]² = [4, 4]" in said, said
    assert "(div₂ in kl_divergence).pow(2) = [" in said and "ln ((div₁ in kl_divergence).pow(2))" in said, said


def test_a_write_to_picked_elements_of_a_view_sends_gradients_to_what_was_written() -> None:
    said = all_sentences(
        "j = torch.tensor([1, 0])\ny = torch.stack([x, x])\nv = x * 3\ny[0, j] = v\n(y * y).sum().backward()"
    )
    assert "; ∂((y * y).sum())/∂v = grad where it was written = [6, 12]." in said, said
    assert "= grad, 0 where it was overwritten = [[0, 0], [2, 4]]" in said, said


def test_lists_of_places_are_no_steps() -> None:
    said = all_sentences("y = x[[0, 1], ]\nz = torch.zeros(3).index_put((torch.tensor([2, 0]),), y)")
    assert said.count("indices of x[[0, 1], ]") == 1 and "keeps the indices of x[[0, 1], ]" in said, said
    assert "keeps the indices of torch.zeros(3).index_put(" in said, said


STATES = [  # a recurrent module, what it makes of two inputs, in the order of time, and what of its states at the end
    ("RNN(2, 3)", ["h₁ of m", "h₂ of m"], {"output of m", "h_n of m"}),
    (
        "GRU(2, 3, num_layers=2)", ["h₁ of layer 0 of m", "h₂ of layer 0 of m", "h₁ of layer 1 of m"],
        {"output of layer 0 of m", "output of layer 1 of m", "h_n of m"},
    ),
    (
        "RNN(2, 3, bidirectional=True)", ["h₁ of layer 0 of m", "h₂ of layer 0 of m", "h₂ of layer 0 (reverse) of m"],
        {"h₁ of layer 0 (reverse) of m", "h_n of m"},
    ),
    ("LSTM(2, 3)", ["h_T of m", "c_T of m"], {"output of m", "h_n of m", "c_n of m"}),
    (
        "LSTM(2, 3, num_layers=2)", ["h_T of layer 0 of m", "c_T of layer 0 of m", "h_T of layer 1 of m"],
        {"h_n of m", "c_n of m"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("made", "ordered", "others"), STATES, ids=[row[0] for row in STATES])
def test_states_say_their_time_and_layer(made: str, ordered: list[str], others: set[str]) -> None:
    trace = run(f"import torch\nm = torch.nn.{made}\nm(torch.ones(2, 1, 2))\n")
    frame = trace.frame(len(trace))
    names = [frame.name(each) for each in range(len(trace.tensors))]
    places = [names.index(each) for each in ordered]
    assert places == sorted(places) and others <= set(names)
    assert "m(torch.ones(2, 1, 2))" not in names  # which is a tuple


def test_tensors_of_one_name_are_numbered_in_the_order_in_which_they_were_made() -> None:
    source = """
import torch
def double(a):
    return a * 2
a = torch.ones(2)
a = a * w if (w := torch.tensor(3., requires_grad=True)) else a
b = double(torch.zeros(2))
loss = (a + b * w).sum()
"""
    trace = run(source)
    names = trace.naming.shown_at_end(np.arange(len(trace.tensors)))
    assert [name for name in names if name.startswith("a") and len(name) == 2] == ["a₁", "a₂", "a₃"], names


PARTS = """
import torch
from torch import nn
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
    def forward(self, x):
        return torch.relu(self.lin(x))
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([R()])
    def forward(self, x):
        return sum(h(x) for h in self.heads)
net, model = nn.Sequential(R(), nn.Tanh()), M()
net(torch.ones(1, 2)) + model(torch.ones(1, 2))
"""


def test_a_module_of_the_snippet_in_a_list_or_a_sequential_has_its_path() -> None:
    trace = run(PARTS)
    assert called_names(trace) == ["net", "net[0]", "net[0].lin", "net[1]", "model", "heads[0]", "heads[0].lin"]
    scopes = {str(op): scope_name(trace, node) for node, op in enumerate(trace.nodes.op) if node < 4}
    assert scopes == {"t": "net[0].lin", "addmm": "net[0].lin", "relu": "net[0]", "tanh": "net[1]"}


def test_the_number_of_rows_is_no_number_on_a_tab() -> None:
    trace = run(
        "import torch\nx = torch.ones(1, 2, requires_grad=True)\n"
        "torch.nn.functional.cross_entropy(x, torch.tensor([1]))\n"
    )
    frame, node = trace.frame(len(trace)), len(trace.nodes) - 1
    assert "number of rows that count" in [kept_name(frame, node, each) for each in frame.saved(node)]
