"""Every operation against PyTorch: value, dtype, `grad_fn`, graph, saved buffers, first and second gradients."""

from __future__ import annotations

import functools
import importlib.util
import json
import math
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import gradviz.torch as torch
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.state import set_observer
from tests.engine.op_cases import cases
from tests.engine.record_ops import DTYPES, observe_case

HERE = Path(__file__).parent
HAS_TORCH = importlib.util.find_spec("torch") is not None
CASES = cases(torch)
# Relative and absolute error of one operation, by the precision that holds the result.
TOLERANCE = {
    "torch.float64": (1e-9, 1e-11),
    "torch.float32": (2e-5, 2e-6),
    "torch.float16": (2e-3, 1e-3),
    "torch.bfloat16": (1e-2, 1e-2),
}
TOLERANCE |= {"torch.complex64": TOLERANCE["torch.float32"], "torch.complex128": TOLERANCE["torch.float64"]}


@functools.cache
def golden(dtype: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((HERE / "golden" / f"ops_{dtype}.json").read_text(encoding="utf-8"))
    return data


def near(mine: Any, theirs: Any, dtype: str) -> bool:
    relative, absolute = TOLERANCE.get(dtype, (0.0, 0.0))
    if isinstance(theirs, list):
        return all(near(a, b, dtype) for a, b in zip(mine, theirs, strict=True))
    if isinstance(theirs, str) or isinstance(mine, str):
        return str(mine) == str(theirs)
    return math.isclose(mine, theirs, rel_tol=relative, abs_tol=absolute)


def difference(mine: Any, theirs: Any, through: Iterable[str] = ()) -> str:
    """Where two descriptions of a tensor differ, or an empty text. A gradient is no more precise than what it went
    `through`."""
    if mine is None or theirs is None:
        return "" if mine is theirs else f"{mine} instead of {theirs}"
    for key in ("dtype", "shape"):
        if mine[key] != theirs[key]:
            return f"{key} {mine[key]} instead of {theirs[key]}"
    coarsest = max((theirs["dtype"], *through), key=lambda dtype: TOLERANCE.get(dtype, (0.0, 0.0)))
    if not near(mine["values"], theirs["values"], coarsest):
        return f"{mine['values']} instead of {theirs['values']}"
    return ""


def differences(mine: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Everything in which one observed case differs from what PyTorch did."""
    found = [
        f"{key}: {mine[key]} instead of {theirs[key]}"
        for key in ("grad_fn", "output_nr", "graph", "saved", "survives")
        if mine[key] != theirs[key]
    ]
    for key in ("outputs", "first", "second"):
        left, right = mine.get(key), theirs.get(key)
        if isinstance(left, str) or isinstance(right, str) or left is None or right is None:
            if left != right:
                found.append(f"{key}: {left} instead of {right}")
            continue
        if len(left) != len(right):
            found.append(f"{key}: {len(left)} instead of {len(right)}")
        through = [each["dtype"] for each in theirs["outputs"]] if key != "outputs" else []
        found += [
            f"{key}[{i}]: {text}"
            for i, (a, b) in enumerate(zip(left, right, strict=False))
            if (text := difference(a, b, through))
        ]
    return found


def names_differ(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether the gradients of a backward pass under `create_graph` come from other functions than PyTorch's."""
    return bool(mine.get("first_grad_fn") != theirs.get("first_grad_fn"))


def check(name: str, dtype: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return differences(observe_case(torch, CASES[name], dtype), golden(dtype)[name])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_operation_is_pytorchs(name: str, dtype: str) -> None:
    assert check(name, dtype) == []


@pytest.fixture(scope="module")
def all_observed() -> tuple[dict[str, Any], set[Any]]:
    """Every case in double precision, by name, and the rows of the engine that ran in one."""
    used = Used()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in ROWS.values():  # what runs in an ordinary backward pass is not reported
            patch.setattr(row, "forward", used.noting(row, row.forward))
        set_observer(used)
        try:
            return {name: observe_case(torch, case, "float64") for name, case in CASES.items()}, used.rows
        finally:
            set_observer(None)


def test_gradients_under_create_graph_have_pytorchs_names(all_observed: tuple[dict[str, Any], set[Any]]) -> None:
    """But for those in `later_names.json`, whose second derivatives are right and written in other operations."""
    later = set(json.loads((HERE / "later_names.json").read_text(encoding="utf-8")))
    seen, _ = all_observed
    assert {name for name in CASES if names_differ(seen[name], golden("float64")[name])} == later


def test_every_case_is_recorded() -> None:
    for dtype in DTYPES:
        assert set(golden(dtype)) == {"torch", *CASES}
    for name, case in CASES.items():
        assert golden("float64")[name]["inputs"] == case.values()


class Used:
    """An observer of the engine that keeps the rows that ran."""

    def __init__(self) -> None:
        self.rows: set[Any] = set()

    def forward(self, row: Any, *_: Any) -> None:
        self.rows.add(row)

    def noting(self, row: Any, forward: Any) -> Any:
        """`forward`, which is noted when it runs."""

        @functools.wraps(forward)
        def noted(*arguments: Any, **keywords: Any) -> Any:
            self.rows.add(row)
            return forward(*arguments, **keywords)

        return noted

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: None


def test_every_row_of_the_engine_is_in_some_case(all_observed: tuple[dict[str, Any], set[Any]]) -> None:
    _, used = all_observed
    elsewhere = {"set_"}  # it computes nothing: tests/engine/test_views.py
    elsewhere |= {"_standard_gamma", "_standard_gamma_grad"}  # PyTorch has four digits: tests/distributions
    names = {key for key, row in ROWS.items() if row not in used} - elsewhere
    assert names == set(), "rows of the engine without a case in op_cases.py"


@pytest.mark.parametrize("name", ["exp", "mul", "mm", "softmax", "sum_dim"])
def test_a_wrong_gradient_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Test the tester: a formula that is off by one in a thousand must not pass."""
    node_name = golden("float64")[name]["grad_fn"][0]
    row = next(row for row in ROWS.values() if row.node_name == node_name)
    inputs, formula = next(iter(row.gradients.items()))
    wrong = sentence("", _scaled(formula.function), ", ".join(formula.names))
    assert check(name, "float64") == []
    monkeypatch.setattr(row, "plans", {})
    monkeypatch.setattr(row, "gradients", {**row.gradients, inputs: wrong})
    assert any(text.startswith("first") for text in check(name, "float64"))


def _scaled(formula: Any) -> Any:
    @functools.wraps(formula)
    def wrong(*arguments: Any) -> Any:
        return formula(*arguments) * 1.001

    return wrong


def test_other_planted_mistakes_are_found() -> None:
    mine = observe_case(torch, CASES["mul"], "float64")
    theirs = golden("float64")["mul"]
    for key, wrong in {
        "grad_fn": ["AddBackward0"],
        "saved": [["self"], [], []],
        "graph": [*mine["graph"][:1]],
        "survives": True,
        "second": [None, None],
    }.items():
        assert differences({**mine, key: wrong}, theirs), key


if HAS_TORCH:

    @pytest.mark.parametrize("name", CASES)
    def test_operation_is_that_of_the_installed_pytorch(name: str) -> None:
        import torch as real

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = observe_case(real, cases(real)[name], "float64")
            mine = observe_case(torch, CASES[name], "float64")
        assert differences(mine, theirs) == []
