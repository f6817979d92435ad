"""500 random drawings: their code runs on our engine and in real PyTorch with the same values and gradients, as
recorded and, where torch is installed, as it runs now."""

from __future__ import annotations

import functools
import importlib.util
import json
from typing import Any

import pytest

import gradviz.torch as ours
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Operation
from tests.document.random_drawings import KEYS, differences, drawing, results
from tests.document.record_drawings import COUNT, GOLDEN, fingerprint

HAS_TORCH = importlib.util.find_spec("torch") is not None
IN_ONE = 50  # drawings of one test


@functools.cache
def made(seed: int) -> Drawing:
    """The drawing of a seed, made once."""
    return drawing(seed)


@functools.cache
def golden() -> list[Any]:
    """What was recorded."""
    found: list[Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("first", range(0, COUNT, IN_ONE))
def test_the_code_of_a_drawing_gives_what_pytorch_gives(first: int) -> None:
    wrong = []
    for seed in range(first, first + IN_ONE):
        found = made(seed)
        text, numbers = golden()[seed]
        assert fingerprint(text_of(found)) == text, (
            f"seed {seed} makes other code now: record_drawings.py\n{text_of(found)}"
        )
        mine, double = results(ours, found), "float64" in text_of(found)
        wrong += [f"{seed}: {each}" for each in differences(mine, numbers, double=double)]
        if HAS_TORCH:
            torch = importlib.import_module("torch")
            wrong += [f"{seed}, live: {each}" for each in differences(mine, results(torch, found), double=double)]
    assert not wrong


def test_a_planted_error_is_found() -> None:
    _, numbers = golden()[0]
    name = next(name for name in numbers if name.endswith(".grad"))
    assert differences({**numbers, name: [each * 1.01 + 0.01 for each in numbers[name]]}, numbers, double=False)
    assert not differences(numbers, numbers, double=True)


def test_the_drawings_have_most_of_the_operations() -> None:
    used = {node.op for seed in range(COUNT) for node in made(seed).nodes if isinstance(node, Operation)}
    assert len(set(KEYS) - used) <= 3
    assert sum(len(made(seed).calls) > 1 for seed in range(COUNT)) > 50
