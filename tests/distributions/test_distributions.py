"""`torch.distributions` against what PyTorch answered: samples to the bit, densities to the last digits, messages
to the letter. PyTorch's slopes of gamma and Dirichlet samples are approximations of four digits; ours are exact."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest

import gradviz.torch as torch
from tests.distributions.cases import DISTRIBUTIONS, errors, observe, transforms

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
ROUGH = {"Gamma", "Chi2", "Beta", "Dirichlet", "StudentT", "FisherSnedecor", "InverseGamma"}


def differences(found: Any, expected: Any, path: str, tolerance: float) -> list[str]:
    """Where two answers differ by more than the tolerance."""
    if isinstance(expected, dict):
        if not isinstance(found, dict) or list(found) != list(expected):
            return [f"{path}: {found!r} instead of {expected!r}"]
        return [d for key in expected for d in differences(found[key], expected[key], f"{path}/{key}", tolerance)]
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{path}: {found!r} instead of {expected!r}"]
        rows = enumerate(zip(found, expected, strict=True))
        return [d for i, (f, e) in rows for d in differences(f, e, f"{path}/{i}", tolerance)]
    if isinstance(expected, float) and isinstance(found, float):
        close = math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
        return [] if close else [f"{path}: {found!r} instead of {expected!r}"]
    return [] if found == expected else [f"{path}: {found!r} instead of {expected!r}"]


def compared(name: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = json.loads(json.dumps(observe(torch, name)))
    expected = GOLDEN[name]
    wrong = [] if list(found) == list(expected) else [f"{list(found)} instead of {list(expected)}"]
    for key, value in expected.items():
        tolerance = 2e-3 if key == "rsample slopes" and name in ROUGH else 3e-5
        wrong += differences(found.get(key), value, key, tolerance)
    return wrong


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_as_pytorch(name: str) -> None:
    assert compared(name) == []


def test_transforms_as_pytorch() -> None:
    found = json.loads(json.dumps(transforms(torch)))
    assert differences(found, GOLDEN["transforms"], "", 3e-5) == []


def test_errors_as_pytorch() -> None:
    assert errors(torch) == GOLDEN["errors"]


def test_a_wrong_density_is_noticed() -> None:
    wrong = json.loads(json.dumps(GOLDEN["Normal"]))
    wrong["log_prob"][0]["values"][0] += 1e-3
    assert differences(wrong, GOLDEN["Normal"], "", 3e-5)


@pytest.mark.parametrize("draw", ["sample", "rsample"])
def test_a_number_is_no_shape(draw: str) -> None:
    with pytest.raises(TypeError, match=r"^'int' object is not iterable$"):
        getattr(torch.distributions.Normal(0.0, 1.0), draw)(3)
