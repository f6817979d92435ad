"""Scalars, empty, transposed, expanded and strided inputs: values, gradients and names are PyTorch's, or both refuse.

`later_odd_shapes.json` names the pairs that differ today, operation by operation; it must be exactly what differs, so a
new difference fails and a mended one must be taken out. Strides and the words of refusals are recorded, not compared.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

import gradviz.torch as torch
from tests.engine import odd_shapes
from tests.engine.test_ops_golden import difference

HERE = Path(__file__).parent
GOLDEN: dict[str, dict[str, Any]] = json.loads((HERE / "golden" / "odd_shapes.json").read_text(encoding="utf-8"))
LATER: dict[str, list[str]] = json.loads((HERE / "later_odd_shapes.json").read_text(encoding="utf-8"))


@functools.cache
def subjects() -> dict[str, Any]:
    return odd_shapes.subjects(torch)


def differs(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, str) or isinstance(theirs, str):
        return type(mine) is not type(theirs)
    if len(mine["outputs"]) != len(theirs["outputs"]):
        return True
    pairs = list(zip(mine["outputs"], theirs["outputs"], strict=True))
    pairs.append((mine.get("gradient"), theirs.get("gradient")))
    return mine["grad_fn"] != theirs["grad_fn"] or any(difference(a, b) for a, b in pairs)


def test_odd_inputs_are_recorded_for_many_operations() -> None:
    assert len(GOLDEN) > 200
    assert set(GOLDEN) <= set(subjects())


@pytest.mark.parametrize("name", GOLDEN)
def test_odd_inputs(name: str) -> None:
    run = subjects()[name].run
    found = [
        kind
        for kind, make in odd_shapes.inputs(torch).items()
        if differs(odd_shapes.observe(torch, run, make), GOLDEN[name][kind])
    ]
    assert found == LATER.get(name, [])
