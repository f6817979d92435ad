"""The step of an optimizer is told as its rule with the numbers of each parameter."""

from __future__ import annotations

import ast
import math
import re

import numpy as np
import pytest

from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.explain import explain
from tests.trace.running import run

TWO_STEPS = """
import torch
w = torch.tensor(3., requires_grad=True)
opt = torch.optim.{}
for _ in range(2):
    opt.zero_grad()
    (w * w).backward()
    opt.step()
"""


def steps(optimizer: str) -> list[str]:
    trace = run(TWO_STEPS.format(optimizer))
    return [explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == Kind.OPTIMIZER]


@pytest.mark.parametrize(
    ("optimizer", "first", "second"),
    [
        (
            "SGD([w], lr=0.1)",
            "w ← w − lr · w.grad = 3 − 0.1 × 6 = 2.4.",
            "w ← w − lr · w.grad = 2.4 − 0.1 × 4.8 = 1.92.",
        ),
        (
            "SGD([w], lr=0.1, weight_decay=0.5)",
            "w ← w − lr · (w.grad + weight_decay · w) = 3 − 0.1 × (6 + 0.5 × 3) = 2.25.",
            "w ← w − lr · (w.grad + weight_decay · w) = 2.25 − 0.1 × (4.5 + 0.5 × 2.25) = 1.688.",
        ),
        (
            "SGD([w], lr=0.1, momentum=0.5)",
            "m ← w.grad = 6; w ← w − lr · m = 3 − 0.1 × 6 = 2.4.",
            "m ← momentum · m + w.grad = 0.5 × 6 + 4.8 = 7.8; w ← w − lr · m = 2.4 − 0.1 × 7.8 = 1.62.",
        ),
        (
            "Adam([w], lr=0.1)",
            "m ← β₁ · m + (1 − β₁) · w.grad = 0.9 × 0 + (1 − 0.9) × 6 = 0.6; "
            "v ← β₂ · v + (1 − β₂) · w.grad² = 0.999 × 0 + (1 − 0.999) × 6² = 0.036; "
            "corrected for step 1, m̂ = m / (1 − β₁ᵗ) = 0.6 / (1 − 0.9) = 6, "
            "v̂ = v / (1 − β₂ᵗ) = 0.036 / (1 − 0.999) = 36; "
            "w ← w − lr · m̂ / (√v̂ + ε) = 3 − 0.1 × 6 / (√36 + 1e-08) = 2.9.",
            "= 2.9 − 0.1 × 5.895 / (√34.82 + 1e-08) = 2.8.",
        ),
        (
            "SGD([w], lr=0.1, momentum=0.5, dampening=0.2)",
            "m ← w.grad = 6; w ← w − lr · m = 3 − 0.1 × 6 = 2.4.",
            "m ← momentum · m + (1 − dampening) · w.grad = 0.5 × 6 + (1 − 0.2) × 4.8 = 6.84; "
            "w ← w − lr · m = 2.4 − 0.1 × 6.84 = 1.716.",
        ),
        (
            "SGD([w], lr=0.1, momentum=0.5, weight_decay=0.5, nesterov=True)",
            "m ← w.grad + weight_decay · w = 6 + 0.5 × 3 = 7.5; looking one step ahead (Nesterov), "
            "w ← w − lr · (w.grad + weight_decay · w + momentum · m) = 3 − 0.1 × (6 + 0.5 × 3 + 0.5 × 7.5) = 1.875.",
            "m ← momentum · m + w.grad + weight_decay · w = 0.5 × 7.5 + 3.75 + 0.5 × 1.875 = 8.438; looking one step "
            "ahead (Nesterov), w ← w − lr · (w.grad + weight_decay · w + momentum · m) = "
            "1.875 − 0.1 × (3.75 + 0.5 × 1.875 + 0.5 × 8.438) = 0.9844.",
        ),
        (
            "SGD([w], lr=0.1, maximize=True)",
            "SGD with lr = 0.1, maximize updates w: 3 → 3.6.",
            "SGD with lr = 0.1, maximize updates w: 3.6 → 4.32.",
        ),
    ],
)
def test_an_optimizer_step_is_its_rule_with_the_numbers(optimizer: str, first: str, second: str) -> None:
    one, two = steps(optimizer)
    assert one == first and two.endswith(second)


def test_what_another_optimizer_remembers_of_a_parameter_is_its_own() -> None:
    both = TWO_STEPS.format("Adam([w], lr=0.1)\nother = torch.optim.RMSprop([w], lr=0.1)")
    anew = TWO_STEPS.format("SGD([w], lr=0.1, momentum=0.5)")
    sources = both.replace("    opt.step()", "    opt.step()\n    other.step()"), anew + anew.split("\n", 3)[3]
    (_, first, _, second), (*_, third, _) = (
        [explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == Kind.OPTIMIZER]
        for trace in map(run, sources)
    )
    assert first.startswith("v ← α · v + (1 − α) · w.grad² = 0.99 × 0 + (1 − 0.99) × 6² = 0.36;")
    assert second.startswith("v ← α · v + (1 − α) · w.grad² = 0.99 × 0.36 + (1 − 0.99) × ")
    assert third.startswith("m ← w.grad = ")


def test_further_parameters_of_a_long_rule_are_told_shortly() -> None:
    trace = run(
        TWO_STEPS.format("Adam([w, torch.nn.Parameter(torch.ones(()))], lr=0.1)").replace(
            "(w * w)", "sum(each * each for group in opt.param_groups for each in group['params'])"
        )
    )
    (sentence, _) = [
        explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == Kind.OPTIMIZER
    ]
    assert sentence.endswith(": 1 → 0.9.") and sentence.count("β₁ · m") == 1


def test_settings_that_the_rule_shows_are_not_told_beside_it() -> None:
    many = "w = torch.full((3, 3), 2., requires_grad=True)\n"
    trace = run(f"import torch\n{many}opt = torch.optim.AdamW([w], lr=0.1)\nw.sum().backward()\nopt.step()")
    sentence = explain(trace.frame(len(trace))).sentence
    assert "w · (1 − lr · weight_decay)" in sentence and "(with lr = 0.1, weight_decay = 0.01, " in sentence
    assert "decoupled" not in sentence


OPTIMIZERS = (
    "SGD([w], lr=0.1, momentum=0.9, weight_decay=0.1)", "Adam([w], lr=0.1, weight_decay=0.2)",
    "AdamW([w], lr=0.1, weight_decay=0.2)", "RMSprop([w], lr=0.1)",
    "RMSprop([w], lr=0.02, momentum=0.5, weight_decay=0.1)",
    "Adagrad([w], lr=1.0)", "Adagrad([w], lr=1.0, lr_decay=0.1, weight_decay=0.5, initial_accumulator_value=2)",
    "Adadelta([w])", "Adadelta([w], lr=5.0, rho=0.5, weight_decay=0.3)", "Adamax([w], lr=0.1)",
    "Adamax([w], lr=0.1, weight_decay=0.1)", "NAdam([w], lr=0.1)", "NAdam([w], lr=0.1, weight_decay=0.1)",
    "RAdam([w], lr=0.1)", "ASGD([w], lr=0.1, lambd=0.01)", "ASGD([w], lr=0.1, weight_decay=0.1)", "Rprop([w], lr=1.0)",
)  # fmt: skip
NUMBER = r"\(?-?[\d.]+(?:e-?\d+)?\)?"
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def computed(text: str) -> float:
    """What a person gets who computes this."""
    text = text.replace("×", "*").replace("−", "-")
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    text = re.sub(r"√(\([^()]*\)|[\d.e-]+)", r"sqrt(\1)", text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: "**" + found[0].translate(RAISED), text)
    known = {"sqrt": math.sqrt, "abs": abs, "max": max, "sign": lambda x: math.copysign(1, x)}
    return float(eval(text, {"__builtins__": {}}, known))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_each_number_of_a_rule_is_what_one_computes(optimizer: str) -> None:
    trace = run(TWO_STEPS.format(optimizer).replace("range(2)", "range(7)").replace("(w * w)", "(w * w - w)"))
    checked = 0
    for at in range(len(trace)):
        if trace.steps.kind[at] != Kind.OPTIMIZER:
            continue
        frame = trace.frame(at + 1)
        sentence = explain(frame).sentence.removesuffix(".")
        assert "updates" not in sentence
        for clause in re.split(r"; |: |, (?=[a-zÀ-ž̂ΔμΠηm̂v̂][^ ]* (?:=|←))", sentence):
            *_, shown, result = ["", *clause.split(" = ")]
            in_numbers = bool(shown) and not re.search(r"[a-df-zβαρληΔμΠ]", re.sub("sign|max", "", shown))
            if in_numbers and re.fullmatch(NUMBER, result):
                assert computed(shown) == pytest.approx(float(result), rel=5e-3, abs=2e-3), clause
                checked += 1
        now = frame.value(int(trace.updates.tensor[0]))
        assert now is not None
        *_, shown = sentence.split("; u ← ρ")[0].split(" = ")
        assert "stays" in sentence or float(shown) == pytest.approx(now.scalar, rel=5e-4)
    assert checked >= 7


CLIPPED = """
import torch
w = torch.tensor([3., 4.], requires_grad=True)
v = torch.tensor(12., requires_grad=True)
((w * w).sum() / 2 + v * v / 2).backward()
torch.nn.utils.{}
"""


def test_clipping_is_a_step_with_the_norm_and_the_factor() -> None:
    trace = run(CLIPPED.format("clip_grad_norm_([w, v], 1.0)"))
    frame = trace.frame(len(trace))
    rows = {str(name): int(row) for row, name in zip(trace.names.tensor, trace.names.name, strict=True)}
    w, v = rows["w"], rows["v"]
    before = trace.frame(len(trace) - 1)
    olds = [before.grad(each) for each in (w, v)]
    total = math.sqrt(sum(float((old.array**2).sum()) for old in olds if old is not None and old.array is not None))
    for each, old in zip((w, v), olds, strict=True):
        now = frame.grad(each)
        assert now is not None and now.array is not None and old is not None and old.array is not None
        assert now.array == pytest.approx(old.array / (total + 1e-6), rel=1e-5)
    assert explain(frame).title == "clip_grad_norm_ (line 6)"
    assert explain(frame).sentence == (
        "The norm of all gradients together (√(Σ grad²)) is 13, more than max_norm = 1, so each is multiplied by "
        "1 / (13 + 1e-06) = 0.07692: w.grad: [3, 4] → [0.2308, 0.3077]; v.grad: 12 → 0.9231."
    )
    assert "None → [3, 4]" in explain(trace.frame(len(trace) - 1)).sentence  # what backward() wrote stays


def test_what_an_optimizer_remembers_is_not_forgotten_over_a_clipping() -> None:
    source = TWO_STEPS.format("RMSprop([w], lr=0.1)").replace(
        "    opt.step()", "    torch.nn.utils.clip_grad_norm_([w], 100.0)\n    opt.step()"
    )
    trace = run(source)
    assert "0.99 × 0.36 + (1 − 0.99) × 4² = 0.5164" in explain(trace.frame(len(trace))).sentence


def test_clipping_what_is_small_enough_and_by_value() -> None:
    trace = run(CLIPPED.format("clip_grad_norm_([w, v], 20.0, norm_type=float('inf'))"))
    said = explain(trace.frame(len(trace))).sentence
    assert said.endswith("(the largest |grad|) is 12, not more than max_norm = 20: they stay as they are.")
    trace = run(CLIPPED.format("clip_grad_value_([w], 3.5)"))
    assert explain(trace.frame(len(trace))).sentence == (
        "Elements of a gradient above 3.5 become 3.5, those below -3.5 become -3.5: w.grad: [3, 4] → [3, 3.5]."
    )


MODULES = """
import torch
torch.manual_seed(0)
bn, drop, table = torch.nn.BatchNorm1d(2), torch.nn.Dropout(0.5), torch.nn.Embedding(5, 2)
for at in range(3):
    x = torch.randn(4, 2)
    y = drop(bn(x)) + torch.nn.functional.dropout(x, 0.5)
picked = table(torch.tensor([1, 3, 1]))
(y.sum() + picked.sum()).backward()
"""


def test_running_statistics_are_told_with_the_numbers_of_each_batch() -> None:
    trace = run(MODULES)
    frames = [trace.frame(at + 1) for at in range(len(trace)) if trace.steps.kind[at] == Kind.FORWARD]
    norms = [frame for frame in frames if str(trace.nodes.op[frame.current_node]) == "native_batch_norm"]
    mean, var = np.zeros(2), np.ones(2)
    for frame in norms:
        x = frame.value(trace.slots_of(frame.current_node)[0])
        assert x is not None and x.array is not None
        mean = 0.9 * mean + 0.1 * x.array.mean(axis=0)
        var = 0.9 * var + 0.1 * x.array.var(axis=0, ddof=1)
        for slot, name, expected in ((3, "bn.running_mean", mean), (4, "bn.running_var", var)):
            tensor = trace.slots_of(frame.current_node)[slot]
            now = frame.value(tensor)
            assert frame.name(tensor) == name
            assert now is not None and now.array is not None and now.array == pytest.approx(expected, rel=1e-5)
            assert f"{name} ← 0.9 · " in explain(frame).sentence and f" = {now.written()}" in explain(frame).sentence
    assert len(norms) == 3


def test_masks_and_rows_are_called_what_they_are() -> None:
    trace = run(MODULES)
    end = trace.frame(len(trace))
    names = {end.name(tensor) for tensor in range(len(trace.tensors))}
    assert {"mask of drop", "mask of dropout"} <= names
    sentences = [explain(trace.frame(at + 1)).sentence for at in range(len(trace))]
    assert any(" These are rows 1, 3 and 1 of table.weight." in each for each in sentences)
    assert any("keeps the mask of drop." in each for each in sentences)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("y = torch.nn.Linear(2, 1)(torch.ones(2))", {"torch.nn.Linear(2, 1).weight", "torch.nn.Linear(2, 1).bias"}),
        (
            "net = torch.nn.Sequential(torch.nn.Linear(2, 1))\ny = net(torch.ones(1, 2))",
            {"net[0].weight", "net[0].bias"},
        ),
        ("v = torch.ones(2, 2)\na = v.max(0)[0].sum()", {"v.max(0).values", "v.max(0).indices"}),
    ],
)
def test_what_has_no_name_of_its_own_is_told_apart(source: str, expected: set[str]) -> None:
    trace = run(f"import torch\n{source}\n")
    end = trace.frame(len(trace))
    assert expected <= {end.name(tensor) for tensor in range(len(trace.tensors))}


def test_a_gradient_is_promised_where_it_comes() -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n"
    stored = explain(run(f"{source}x.sum().backward()\n").frame(1)).sentence
    asked = explain(run(f"{source}torch.autograd.grad(x.sum(), x)\n").frame(1)).sentence
    assert stored.endswith("so backward() will put its gradient into .grad.")
    assert asked.endswith("It is a leaf and requires grad: gradients can be computed for it.")


def test_a_write_into_a_view_has_a_rule() -> None:
    trace = run(
        "import torch\nv = torch.ones(3, requires_grad=True)\nu = v * 1\nu[1:] = v[:2] * 2\nu.sum().backward()\n"
    )
    said = " ".join(explain(trace.frame(at + 1)).sentence for at in range(len(trace)))
    assert "grad, 0 where it was overwritten = [1, 0, 0]" in said and "grad where it was written = [1, 1]" in said


@pytest.mark.parametrize("count", ["float('nan')", "float('inf')", "-1.0", "1e30", "2j"])
def test_what_is_no_count_of_updates_stops_no_recording(count: str) -> None:
    """PyTorch computes on with it, where it can."""
    trace = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1, momentum=0.9)\n"
        f"w.sum().backward()\nopt.step()\nopt.state[w]['step'] = torch.tensor({count})\nopt.step()"
    )
    assert trace.updates.count.tolist() == [0, 0]


SMALL = "import torch\nw = torch.tensor([2.0, -4.0], requires_grad=True)\nw.sum().backward()\n"
STEPS = ("SGD([w], 1e-4)", "Adam([w], 1e-4)", "RMSprop([w], 1e-5)", "SGD([w], 1e-4, maximize=True)")


@pytest.mark.parametrize("optimizer", STEPS)
def test_a_small_step_is_seen(optimizer: str) -> None:
    trace = run(f"{SMALL}torch.optim.{optimizer}.step()\n")
    sentence = explain(trace.frame(len(trace))).sentence
    shown = [np.array(ast.literal_eval(each)) for each in re.findall(r"\[[12]\.?\d*, -[34]\.?\d*\]", sentence)]
    now = trace.frame(len(trace)).value(0)
    assert len(shown) == 2 and now is not None and now.array is not None
    np.testing.assert_allclose(shown[1] - shown[0], now.array - np.array([2.0, -4.0]), rtol=0.1)


def test_a_sum_of_squares_begins_with_zero_despite_rounding() -> None:
    source = """
import torch
w = torch.tensor([1., 2., 3.], requires_grad=True)
(w * torch.tensor([-0.01332, 0.02586, 0.08664])).sum().backward()
torch.optim.Adagrad([w], lr=0.1).step()
"""
    trace = run(source)
    said = explain(trace.frame(len(trace))).sentence
    assert said.startswith("s ← s + w.grad² = 0 + [-0.01332, 0.02586, 0.08664]² = [0.0001774, 0.0006687, 0.007506]; ")


def test_asgd_takes_the_rate_that_its_former_step_computed() -> None:
    trace = run("""
import torch
w = torch.tensor(3., requires_grad=True)
opt = torch.optim.ASGD([w], lr=0.1)
decay = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
for _ in range(2):
    opt.zero_grad()
    (w * w).backward()
    torch.nn.utils.clip_grad_norm_([w], 100)
    opt.step()
    decay.step()
""")
    said = [explain(trace.frame(at + 1)).sentence for at in range(len(trace)) if trace.steps.kind[at] == Kind.OPTIMIZER]
    assert "η = 0.1 / (1 + λ · 0.1 · 1)^α = 0.1; " in said[-1]
    assert said[-1].endswith("= 2.4 × (1 − 0.0001 × 0.1) − 0.1 × 4.8 = 1.92."), said[-1]


def test_digits_that_tell_a_value_from_the_one_before_are_for_where_both_are_told() -> None:
    source = (
        "import torch\nw = torch.linspace(1, 2, {}, requires_grad=True)\n"
        "o = torch.optim.SGD([w], lr=1e-5)\nw.sum().backward()\no.step()\n"
    )
    few, many = (explain(trace.frame(len(trace))).sentence for trace in (run(source.format(n)) for n in (2, 20)))
    assert "= [1, 2] − 1e-05 × [1, 1] = [0.99999, 1.99999]" in few
    assert "w.grad = [1, 1.053, 1.105," in many
