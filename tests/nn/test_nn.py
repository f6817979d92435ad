"""`torch.nn`, `torch.optim` and `torch.utils.data` against what PyTorch returned for the same programs: texts and drawn
numbers exactly, computed numbers to the last digits of their type."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz.torch as torch
from tests.nn.cases import PROGRAMS
from tests.nn.record import plain
from tests.python_text import in_this_python

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "nn.json").read_text(encoding="utf-8"))
EXACT = {"initial", "next", "values", "after"}  # drawn, not computed
TOLERANCE = {"torch.float32": 2e-5, "torch.float64": 1e-10}


def differences(found: Any, expected: Any, path: str = "", exact: bool = False) -> list[str]:
    """Where two results differ."""
    if isinstance(expected, dict) and set(expected) == {"dtype", "shape", "values"}:
        return _tensor_differences(found, expected, path, exact)
    if isinstance(expected, dict):
        if not isinstance(found, dict) or list(found) != list(expected):
            return [f"{path}: {found!r} has other keys than {expected!r}"]
        return [d for k in expected for d in differences(found[k], expected[k], f"{path}/{k}", exact or k in EXACT)]
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{path}: {found!r} instead of {expected!r}"]
        pairs = enumerate(zip(found, expected, strict=True))
        return [d for i, (f, e) in pairs for d in differences(f, e, f"{path}/{i}", exact)]
    if isinstance(expected, float) and isinstance(found, float):
        return [] if found == pytest.approx(expected, rel=2e-6) else [f"{path}: {found} instead of {expected}"]
    if isinstance(expected, str):
        expected = in_this_python(expected)
    return [] if found == expected else [f"{path}: {found!r} instead of {expected!r}"]


def _tensor_differences(found: Any, expected: Any, path: str, exact: bool) -> list[str]:
    if not isinstance(found, dict) or [found.get("dtype"), found.get("shape")] != [
        expected["dtype"],
        expected["shape"],
    ]:
        return [f"{path}: {found!r} instead of {expected!r}"]
    ours, theirs = np.array(found["values"], float), np.array(expected["values"], float)
    tolerance = 0.0 if exact else TOLERANCE.get(expected["dtype"], 0.0)
    largest = max([1.0, *np.abs(theirs[np.isfinite(theirs)])])  # where large terms cancel, theirs decide
    if np.allclose(ours, theirs, rtol=tolerance, atol=tolerance / 2 * largest, equal_nan=True):
        return []
    return [f"{path}: {found['values']} instead of {expected['values']}"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_pytorch(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = json.loads(json.dumps(plain(PROGRAMS[name](torch))))
    assert differences(found, GOLDEN[name]) == []


@pytest.mark.parametrize("name", [name for name in PROGRAMS if ": SGD" in name or ": Adamax" in name])
def test_steps_without_a_root_are_exact(name: str) -> None:
    """PyTorch's square root is that of a vector library and may differ in the last bit; the rest must not."""
    found = json.loads(json.dumps(plain(PROGRAMS[name](torch))))["history"]
    assert differences(found, GOLDEN[name]["history"], exact=True) == []


def test_a_wrong_number_is_noticed() -> None:
    expected = GOLDEN["training"]
    wrong = json.loads(json.dumps(expected))
    wrong["parameters"][0]["values"][3] += 1e-3
    assert differences(wrong, expected)
    wrong = json.loads(json.dumps(expected))
    wrong["losses"][0] += 1e-4
    assert differences(wrong, expected)
    assert differences(expected, expected) == []
