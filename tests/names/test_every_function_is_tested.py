"""Every public function is tried somewhere: in a row of the operation tables, in a program of `tests/nn`, or in a
snippet. This names those that are not."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import gradviz.torch as torch
from gradviz.engine.run import api
from gradviz.torch import pytorch_names

TESTS = Path(__file__).parents[1]
TABLES = {
    "torch": api.FUNCTIONS,
    "torch.nn.functional": api.FUNCTIONAL,
    "torch.linalg": api.LINALG,
    "torch.special": api.SPECIAL,
    "torch.fft": api.FFT,
}
FOLDERS = ("engine", "nn", "snippets/corpus", "distributions", "trace", "worker", "examples")


@functools.cache
def words() -> frozenset[str]:
    """Every attribute, imported name and short text in the sources of tests: tables name functions in texts."""
    found: set[str] = set()
    for folder in FOLDERS:
        for path in sorted((TESTS / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute):
                    found.add(node.attr)
                elif isinstance(node, ast.alias):
                    found.add(node.name)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.update(node.value.replace(".", " ").split())
                    found.add(node.value.partition("_")[2])
    return frozenset(found)


def public(space: str, names: set[str]) -> set[str]:
    return {name for name in names if not name.startswith("_") and name in pytorch_names.NAMES[space]}


def test_every_public_function_is_tried() -> None:
    untried = {f"{space}.{name}" for space, table in TABLES.items() for name in public(space, set(table)) - words()}
    methods = {name for name in vars(torch.Tensor) if callable(vars(torch.Tensor)[name])}
    untried |= {f"Tensor.{name}" for name in public("torch.Tensor", methods) - words()}
    assert sorted(untried) == []


def test_torch_has_no_functions_of_its_own() -> None:
    for space, table in TABLES.items():
        module = functools.reduce(getattr, space.split(".")[1:], torch)
        offered = {name for name in table if not name.startswith("_") and name in vars(module)}
        assert sorted(name for name in offered if not pytorch_names.is_pytorch(space, name)) == [], space
