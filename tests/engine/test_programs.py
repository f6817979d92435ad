"""Random programs around `backward()`, and random calls of all functions, print and raise what they do in PyTorch, to
the last digit or one beside it, but for those whose numbers `DIFFER` names: what the node of a vmap's result has
saved, complex numbers of half precision, the strides of zeros, and which of two errors comes first."""

from __future__ import annotations

import json

import pytest

import gradviz.torch as torch
from tests.engine.record_programs import CALLS, COUNT, GOLDEN, observed
from tests.snippets.compare import close

GIVEN: list[list[str]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
DIFFER = {103, 154, 155, 221, 247, 311}


@pytest.mark.parametrize("start", range(0, COUNT + CALLS, 20))
def test_programs_do_what_they_do_in_pytorch(start: int) -> None:
    found = {}
    for number in range(start, start + 20):
        lines = observed(torch, number)
        if not all(ours == theirs or close(ours, theirs) for ours, theirs in zip(lines, GIVEN[number], strict=True)):
            found[number] = [pair for pair in zip(lines, GIVEN[number], strict=True) if pair[0] != pair[1]]
    assert found.keys() == DIFFER & set(range(start, start + 20)), found
