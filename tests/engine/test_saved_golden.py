"""What users read of nodes as `_saved_*` against PyTorch: the names, and the values of what is no tensor.

`later_saved.json` names the cases that differ; each must still differ: the list only shrinks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gradviz.torch as torch
from tests.engine.op_cases import cases
from tests.engine.record_saved import GOLDEN, observe

CASES = cases(torch)
RECORDED: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
LATER: list[str] = json.loads((Path(__file__).parent / "later_saved.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in LATER])
def test_saved_values_are_pytorchs(name: str) -> None:
    assert observe(torch, CASES[name]) == RECORDED[name]


def test_those_for_later_still_differ() -> None:
    assert [name for name in LATER if observe(torch, CASES[name]) == RECORDED[name]] == []


def test_every_case_is_recorded() -> None:
    assert set(RECORDED) == set(CASES)
