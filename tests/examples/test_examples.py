"""Every shipped example does what PyTorch does: its output, its gradients, and its backward steps in their order."""

from __future__ import annotations

import functools
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

import gradviz.torch as torch
from gradviz.document.files.examples import examples
from gradviz.engine.kernel.state import set_observer
from gradviz.worker.modules.plots import Book, plot_modules
from gradviz.worker.objects.numpy_boundary import to_numpy
from tests.examples.watch import run_example
from tests.snippets.compare import compare
from tests.snippets.execute import aliased

EXAMPLES = examples()
REFERENCE_CASES = 8


class Steps:
    """An observer of the engine that keeps the names of the nodes that ran, call by call."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def backward_begin(self, *_: Any) -> None:
        self.calls.append([])

    def backward_node(self, node: Any, *_: Any) -> None:
        if node.name() != "torch::autograd::AccumulateGrad":
            self.calls[-1].append(node.name())

    def accumulated(self, node: Any, *_: Any) -> None:
        self.calls[-1].append(node.name())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: None


@functools.cache
def golden() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
    return data


@functools.cache
def ours(path: Path) -> tuple[dict[str, Any], list[list[str]]]:
    """What our torch does, and the steps as an observer of the engine saw them."""
    steps = Steps()
    set_observer(steps)
    try:
        with aliased(), pytest.MonkeyPatch.context() as patch:
            for name, module in plot_modules(Book(len, lambda *_: None), to_numpy).items():
                patch.setitem(sys.modules, name, module)
            result = run_example(torch, path)
    finally:
        set_observer(None)
    return result, [call for call in steps.calls if call]


def test_there_is_one_per_reference_case_and_a_recording_of_each() -> None:
    assert len(EXAMPLES) > REFERENCE_CASES
    assert set(golden()) == {"torch", *(example.path.stem for example in EXAMPLES)}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_the_gallery_has_something_to_show(example: Any) -> None:
    assert 5 < len(example.title) < 50
    assert 100 < len(example.paragraph) < 400
    assert 30 < len(example.look_at) < 200


def test_titles_differ() -> None:
    assert len({example.title for example in EXAMPLES}) == len(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem, scope="module")
def test_output_is_pytorchs(example: Any) -> None:
    assert compare(ours(example.path)[0], golden()[example.path.stem]) == ("same", "")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem, scope="module")
def test_steps_come_in_pytorchs_order(example: Any) -> None:
    hooked, (_, observed) = ours(example.path)[0]["order"], ours(example.path)
    assert hooked == golden()[example.path.stem]["order"]
    assert observed == hooked


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem, scope="module")
def test_gradients_are_pytorchs(example: Any) -> None:
    mine, theirs = ours(example.path)[0]["gradients"], golden()[example.path.stem]["gradients"]
    assert mine.keys() == theirs.keys()
    for name, expected in theirs.items():
        if expected is None:
            assert mine[name] is None
            continue
        assert (mine[name]["dtype"], mine[name]["shape"]) == (expected["dtype"], expected["shape"])
        for a, b in zip(mine[name]["values"], expected["values"], strict=True):
            assert math.isclose(float(a), float(b), rel_tol=1e-5, abs_tol=1e-7), name
