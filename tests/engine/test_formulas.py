"""What the screen shows of each gradient is what the engine sends: the formulas of all rows, as they are typeset,
computed anew in NumPy from what the engine's rules were given in the cases of `op_cases.py`."""

from __future__ import annotations

import contextlib
import functools
import math
import re
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.engine.kernel import formula
from gradviz.engine.kernel.formula import JointRule, Rule, compiled, parse, shown
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.tensor import Tensor
from tests.engine.op_cases import Case, cases, mask, positive, real
from tests.engine.record_ops import fed, weights
from tests.engine.shown_formulas import computed

Pair = tuple[str, str]
Given = dict[str, Any]
Note = tuple[Given, Any]  # what a rule was given, and what it sent
PAIRS: dict[Pair, Rule] = {(key, name): rule for key, row in ROWS.items() for name, rule in row.gradients.items()}
JOINT = {key: row.joint for key, row in ROWS.items() if isinstance(row.joint, JointRule)}
FORMULAS = [pair for pair, rule in PAIRS.items() if rule.is_formula]
FORMULAS += [(key, name) for key, rule in JOINT.items() for name in rule.formulas]


MORE = [  # operands that no case differentiates
    Case("masked_fill", lambda x, m, v: x.masked_fill(m, v), (real(3), mask(3), real())),
    Case("fill_", lambda x, v: (x * 1).fill_(v), (real(3), real())),
    Case("clamp", lambda x, low, high: torch.clamp(x * 2, low, high + 2), (real(9), positive(9), positive(9))),
    Case("rrelu_", lambda x: torch.nn.functional.rrelu_(x * 1, training=True), (real(9),)),
    Case("copysign", lambda x, y: torch.copysign(x, y), (real(3), real(3))),
]

NEVER = [("rsub", "other"), ("_grad_copy", "self")]  # a number; a tensor that was made for the copy


def run_all_cases() -> None:
    """Every case forwards, backwards, and backwards again, in double precision."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in [*cases(torch).values(), *MORE]:
            inputs = fed(torch, case, "float64")
            wanted = [each for each in inputs if each.requires_grad]
            with contextlib.suppress(RuntimeError, AttributeError, TypeError):  # PyTorch has no second gradient of some
                result = case.run(*inputs)
                tracked = [
                    each for each in (result if isinstance(result, tuple | list) else [result]) if each.requires_grad
                ]
                seeds = [weights(torch, each).requires_grad_() for each in tracked]
                first = torch.autograd.grad(tracked, wanted, seeds, create_graph=True, allow_unused=True)
                again = [each for each in first if each is not None and each.requires_grad]
                ones = [torch.ones_like(each) for each in again]
                torch.autograd.grad(again, [*wanted, *seeds], ones, allow_unused=True)


@functools.cache
def sent() -> Mapping[Pair, list[Note]]:
    """For each row and input, what its rule was given in the cases and the gradient that it sent."""
    found: dict[Pair, list[Note]] = defaultdict(list)
    with pytest.MonkeyPatch.context() as patch:
        for pair, rule in PAIRS.items():
            patch.setattr(ROWS[pair[0]], "plans", {})
            patch.setattr(rule, "_function", _noting(rule, found[pair].append))
        for key, joint in JOINT.items():
            patch.setattr(ROWS[key], "plans", {})
            patch.setattr(joint, "_function", _noting(joint, functools.partial(_note_each, key, found)))
        run_all_cases()
    return found


def _note_each(key: str, found: dict[Pair, list[Note]], note: Note) -> None:
    given, results = note
    for name, result in zip(ROWS[key].inputs, results, strict=False):
        if result is not None:
            found[key, name].append((given, result))


def _noting(rule: Rule, keep: Callable[[Note], None]) -> Callable[..., Any]:
    names, function = rule.names, rule.function

    def noted(*values: Any) -> Any:
        given = {name: _plain(value) for name, value in zip(names, values, strict=True)}
        result = function(*values)
        keep((given, _plain(result)))
        return result

    return noted


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [*map(_plain, value)]
    return np.array(value._data) if isinstance(value, Tensor) else value


# Where a formula is that of the usual case: when it holds.
USUAL: Mapping[str, Callable[[Given], bool]] = {
    "linalg_vector_norm": lambda given: given["ord"] == 2,
    "norm_along": lambda given: given["p"] == 2,
    "gelu": lambda given: given["approximate"] == "none",
    "gelu_backward": lambda given: given["approximate"] == "none",
    "clamp": lambda given: given["min"] is not None and given["max"] is not None,
    "clamp_tensor self": lambda given: given["min"] is not None and given["max"] is not None,
    "binary_cross_entropy": lambda given: given["weight"] is None,
    "binary_cross_entropy_with_logits": lambda given: given["weight"] is None and given["pos_weight"] is None,
    "rrelu_with_noise": lambda given: given["training"],
    "rrelu_with_noise_": lambda given: given["training"],
    "rrelu_with_noise_backward grad_output": lambda given: given["training"],
    "_linalg_solve_ex": lambda given: given["left"] and not given["vector"],
    "linalg_solve_triangular": lambda given: given["left"] and not given["unitriangular"],
    "triangular_solve": lambda given: not given["transpose"] and not given["unitriangular"],
    "cholesky_inverse": lambda given: not given["upper"],
    "softplus": lambda given: bool((given["self"] * given["beta"] <= given["threshold"]).all()),
    "softplus_backward": lambda given: bool((given["self"] * given["beta"] <= given["threshold"]).all()),
    "logit": lambda given: given["eps"] is None,
    "var": lambda given: given["correction"] == 1,
    "std": lambda given: given["correction"] == 1,
}


def values_of(given: Given, result: Any) -> Given:
    """The names of a formula: what the rule got, and the words of statistics, n and mean."""
    values = dict(given)
    own = given.get("self")
    shape = own.shape if isinstance(own, np.ndarray) else given.get("self_shape", np.shape(result))
    if "dim" in given and "keepdim" in given:  # reduced tensors, with their dimensions back in place
        for name in ("grad", "result"):
            if name in values and given["dim"] is not None and not given["keepdim"] and shape:
                values[name] = np.expand_dims(values[name], given["dim"])
        axes = given["dim"]
    else:
        axes = None
    axes = tuple(axes) if isinstance(axes, list) else axes
    values.setdefault("n", math.prod(shape) if axes is None else math.prod(np.take(shape, axes).reshape(-1).tolist()))
    if "reduction" in given:
        values["n"] = math.prod(shape) if given["reduction"] == "mean" else 1
    if "exponent" in given and not isinstance(given["exponent"], np.ndarray):
        values["n"] = given["exponent"]
    if isinstance(own, np.ndarray) and own.dtype.kind == "f":
        values["mean"] = np.mean(own, axis=axes, keepdims=True)
    return values | _of_several(given)


def _of_several(given: Given) -> Given:
    """The names in formulas of operations with several results, and of those that stand for whole matrices."""
    values: Given = {}
    if "grads" in given:
        values["grad"] = given["grads"]["sign" in given]  # of the logarithm, not of the sign
    if "inverse" in given:
        values["A"] = np.linalg.inv(given["inverse"])
    if "LU" in given and "left" not in given:  # a determinant, with its matrix
        values |= {
            name: one[..., None, None] for name, one in {**given, **values}.items() if name in ("grad", "result")
        }
    if "transpose" in given:  # only the triangle counts
        values["A"] = np.triu(given["A"]) if given["upper"] else np.tril(given["A"])
    if "v" in given:  # the norm is over all dimensions but one
        values["dim"] = tuple(at for at in range(given["v"].ndim) if at != given["dim"] % given["v"].ndim)
    return values


def text_of(pair: Pair) -> str:
    """What the screen shows."""
    return JOINT[pair[0]].texts[pair[1]] if pair[0] in JOINT else PAIRS[pair].text


def differs(text: str, given: Given, result: Any) -> str:
    """In what the formula, computed, differs from the gradient; "unknown" where it has no finite value to compare."""
    with np.errstate(all="ignore"):
        wanted = computed(text, values_of(given, result))
    wanted, result = np.asarray(wanted, np.float64), np.asarray(result)
    wanted = np.broadcast_to(wanted, np.broadcast_shapes(wanted.shape, result.shape))
    result = np.broadcast_to(result, wanted.shape)
    known = np.isfinite(wanted) & np.isfinite(result)
    if not known.any():
        return "unknown"
    near = np.isclose(wanted[known], result[known], rtol=1e-7, atol=1e-9)
    return "" if near.all() else f"{wanted[known].reshape(-1)[:4]} is shown, {result[known].reshape(-1)[:4]} is sent"


def is_real(given: Given, result: Any) -> bool:
    tensors = [each for each in [*given.values(), result] if isinstance(each, np.ndarray)]
    numbers = [each for each in tensors if each.dtype.kind not in "iub"]
    return isinstance(result, np.ndarray) and all(each.dtype == np.float64 for each in numbers)


def compared(pair: Pair) -> list[str]:
    """The differences of all cases in which the formula says something."""
    text, usual = text_of(pair), USUAL.get(" ".join(pair)) or USUAL.get(pair[0], lambda given: True)
    found = [differs(text, given, result) for given, result in sent()[pair] if is_real(given, result) and usual(given)]
    return [each for each in found if each != "unknown"]


@pytest.mark.parametrize("pair", [pair for pair in FORMULAS if pair not in NEVER], ids=" ".join)
def test_the_formula_on_the_screen_is_the_gradient(pair: Pair) -> None:
    found = compared(pair)
    assert found, "no case in which the formula could be compared"
    assert [each for each in found if each] == []


def test_what_is_never_differentiated_sends_nothing() -> None:
    assert [pair for pair in NEVER if sent()[pair]] == []


@pytest.mark.parametrize(
    ("pair", "written"),
    [
        (("exp2", "self"), "grad * result * log(3)"),
        (("mul", "other"), "-grad * self"),
        (("logaddexp", "other"), "grad * sigmoid(self - other)"),
        (("mm", "self"), "grad @ adjoint(mat2) * 2"),
        (("softmax", "self"), "result * (grad - sum(grad))"),
        (("var", "self"), "grad * 2 * (self - mean) / n"),
    ],
    ids=str,
)
def test_a_wrong_formula_is_found(pair: Pair, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any(compared(pair))
    monkeypatch.setattr(PAIRS[pair], "written", written)
    assert any(compared(pair))


def test_a_wrong_formula_of_a_helper_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    function, _ = formula._HELPERS["tanh_backward"]
    monkeypatch.setitem(formula._HELPERS, "tanh_backward", (function, "grad * (1 + output * output)"))
    monkeypatch.setattr(formula, "shown", formula.shown.__wrapped__)
    assert any(compared(("tanh", "self")))


def test_what_is_no_formula_is_said_in_words() -> None:
    """No rule of a formula hides in a sentence: these have words that are no names of the operation."""
    hidden = []
    for (key, name), rule in PAIRS.items():
        row = ROWS[key]
        words = set(re.findall(r"[^\W\d]+", rule.text))
        if not rule.is_formula and rule.text and words <= {"grad", "n", *row.inputs, *row.outputs}:
            hidden.append(f"{key} {name}: {rule.text}")
    assert hidden == []


def test_what_is_shown_of_joint_rules_is_about_inputs() -> None:
    texts = {(key, name) for key, rule in JOINT.items() for name in rule.texts}
    assert len(texts) > 30
    assert [(key, name) for key, name in texts if name not in [each.strip("*") for each in ROWS[key].inputs]] == []


# --- expressions ---


def test_an_expression_asks_for_the_names_in_it() -> None:
    assert formula.rule("where(self > threshold, grad, 0)").names == ("grad", "self", "threshold")
    assert formula.rule("2 / sqrt(pi) * exp(-(self * self)) * grad").names == ("grad", "self")


@pytest.mark.parametrize(
    "text",
    ["grad.__class__", "(lambda: grad)()", "[grad for _ in self]", "exp(grad)(self)", "_x", "f'{grad}'", "grad[0]"],
)
def test_an_expression_is_arithmetic_and_calls_by_name(text: str) -> None:
    with pytest.raises(ValueError, match="not allowed in a formula"):
        parse(text)


def test_an_expression_calls_only_helpers_and_functions_of_torch() -> None:
    with pytest.raises(ValueError, match="neither a helper nor a function of torch"):
        compiled("eval(grad) + 1")


def test_numbers_are_computed_when_the_function_is_made() -> None:
    function = compiled("grad * (2 / sqrt(pi)) + log(2)")
    assert function(0.0) == math.log(2)
    assert set(function.__code__.co_names) == {"scaled", "plus"}


def test_an_expression_that_calls_a_helper_with_its_names_is_the_helper() -> None:
    assert compiled("tanh_backward(grad, result)") is formula._HELPERS["tanh_backward"][0]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("grad * conj(result) * log(2)", "grad · result · ln 2"),
        ("grad / (conj(self) * log(10))", "grad / (self · ln 10)"),
        ("-0.5 * grad * result * result * result", "−½ · grad · result³"),
        ("grad * rsqrt(-self * self + 1)", "grad / √(1 − self²)"),
        ("-2 / sqrt(pi) * exp(-(self * self)) * grad", "−grad · 2/√π · exp(−self²)"),
        ("grad * 2 * (self - target) / n", "grad · 2 (self − target) / n"),
        ("grad - (self - (other - 1))", "grad − self + other − 1"),
        ("grad * n * self ** (n - 1)", "grad · n · selfⁿ⁻¹"),
        ("grad * pow(2.0, other - self)", "grad · 2^(other − self)"),
        ("masked_fill(grad, logical_not(isnan(self)), 0)", "grad where self is NaN, else 0"),
        ("tanh_backward(grad, result)", "grad · (1 − result²)"),
        ("threshold_backward(grad, result, 0)", "grad where result > 0, else 0"),
        ("grad @ adjoint(mat2) * alpha", "grad @ mat2ᵀ · alpha"),
        ("cos(self + 1) * grad", "grad · cos(self + 1)"),
    ],
)
def test_an_expression_is_written_as_a_person_would(text: str, written: str) -> None:
    assert shown(text) == written


def test_nothing_is_compiled_before_it_runs() -> None:
    code = (  # nor are its names read
        "import gradviz.torch\nfrom gradviz.engine.kernel.rows import ROWS\n"
        "rules = [each for row in ROWS.values() for each in row.gradients.values() if each.is_formula]\n"
        "waiting = [each for each in rules if each._function is None]\n"
        "print(len(waiting) > 100, {each._names for each in waiting})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True {None}\n"
