"""Every pair of element types: the result's type, shape and numbers, and the errors' texts, are PyTorch's."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import gradviz.torch as torch
from tests.engine.record_element_types import GOLDEN, results

GIVEN: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
LATER = Path(__file__).parent / "later_element_types.json"  # what still differs, by name: mostly complex32


@functools.cache
def ours() -> dict[str, str]:
    return results(torch)


def test_the_same_calls_are_recorded() -> None:
    assert set(ours()) == set(GIVEN)


def test_what_differs_is_known() -> None:
    found = sorted(name for name, text in ours().items() if text != GIVEN[name])
    assert found == json.loads(LATER.read_text(encoding="utf-8"))


def test_few_differ() -> None:
    assert len(json.loads(LATER.read_text(encoding="utf-8"))) <= 0.01 * len(GIVEN)
