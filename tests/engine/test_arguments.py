"""Wrong arguments of every function and method whose signatures are recorded: the error is PyTorch's, to the letter."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import gradviz.torch as torch
from gradviz.engine.run.signatures import refusal
from tests.engine.record_arguments import GOLDEN, said

GIVEN: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
LATER = Path(__file__).parent / "later_arguments.json"  # what still differs


@functools.cache
def ours() -> dict[str, str]:
    return said(torch)


def test_the_same_calls_are_recorded() -> None:
    assert set(ours()) == set(GIVEN)


def test_what_differs_is_known() -> None:
    found = sorted(line for line, text in ours().items() if text != GIVEN[line])
    assert found == json.loads(LATER.read_text(encoding="utf-8"))


def test_few_differ() -> None:
    assert len(json.loads(LATER.read_text(encoding="utf-8"))) <= 0.001 * len(GIVEN)


def test_arguments_that_fit_are_not_refused() -> None:
    x = torch.ones(2, 3)
    assert refusal("torch.sum", (x, (0, 1)), {"keepdim": True}) is None
    assert refusal("torch.sum", (x,), {"axis": 0}) is None
    assert refusal("Tensor.view", (x, 3, 2), {}) is None
    assert refusal("torch.randint", (0, 10, (2,)), {"dtype": torch.int64}) is None
    assert refusal("nn.functional.layer_norm", (x, (3,)), {}) is None


def test_a_value_that_lies_about_itself_is_only_named() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise SystemExit

        def __index__(self) -> int:
            raise SystemExit

    x = torch.ones(2)
    assert str(refusal("torch.add", (x, Odd()), {})) == "add(): argument 'other' (position 2) must be Tensor, not Odd"
    assert (
        str(refusal("torch.zeros", (2,), {"dtype": Odd()})) == "zeros(): argument 'dtype' must be torch.dtype, not Odd"
    )
