"""Whatever a program changes for all that follows is as in a new process when the next run begins."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradviz
from gradviz import torch
from gradviz.engine.kernel import layers
from gradviz.engine.kernel.state import begin_run
from gradviz.torch.nn.modules.module import register_module_forward_hook

PACKAGE = Path(gradviz.__file__).parent

# what: (how a program changes it, how it is seen)
KEPT: dict[str, tuple[Callable[[], object], Callable[[], Any]]] = {
    "gradient mode": (lambda: torch.set_grad_enabled(False), torch.is_grad_enabled),
    "anomaly detection": (lambda: torch.autograd.set_detect_anomaly(True), torch.is_anomaly_enabled),
    "default type": (lambda: torch.set_default_dtype(torch.float64), torch.get_default_dtype),
    "print options": (lambda: torch.set_printoptions(precision=2, sci_mode=True), lambda: str(torch.tensor(1 / 3))),
    "random numbers": (lambda: torch.manual_seed(1), lambda: (torch.initial_seed(), torch.rand(3).tolist())),
    "threads": (lambda: torch.set_num_threads(7), torch.get_num_threads),
    "determinism": (
        lambda: torch.use_deterministic_algorithms(True),
        torch.are_deterministic_algorithms_enabled,
    ),
    "autocast": (
        lambda: torch.set_autocast_dtype("cpu", torch.float16),
        lambda: torch.get_autocast_dtype("cpu"),
    ),
    "what distributions check": (
        lambda: torch.distributions.Distribution.set_default_validate_args(False),
        lambda: torch.distributions.Distribution._validate_args,
    ),
    "hooks of all modules": (
        lambda: register_module_forward_hook(lambda module, args, output: output * 0),
        lambda: torch.nn.Identity()(torch.ones(1)).item(),
    ),
    "an open transform": (lambda: layers.stack.append(layers.Layer(1, "vmap", 2)), lambda: list(layers.stack)),
    "an open level": (layers.open_dual, lambda: list(layers.duals)),
    "graphs with batches": (
        layers.keep_looking,
        lambda: layers.state.layered or layers.refresh() or layers.state.layered,
    ),
}


@pytest.fixture(autouse=True)
def afterwards() -> Iterator[None]:
    yield
    begin_run()


@pytest.mark.parametrize("what", KEPT)
def test_a_run_finds_it_as_at_first(what: str) -> None:
    change, look = KEPT[what]
    begin_run()
    at_first = look()
    begin_run()
    change()
    assert look() != at_first
    begin_run()
    assert look() == at_first


def test_a_module_that_assigns_its_globals_registers_them() -> None:
    """A `global` statement is how a module keeps something; `layers._last` alone goes on, as numbers never repeat."""
    assigning = {
        path.relative_to(PACKAGE).as_posix()
        for folder in ("engine", "torch")
        for path in (PACKAGE / folder).rglob("*.py")
        if any(isinstance(node, ast.Global) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert assigning == {"engine/kernel/layers.py", "engine/kernel/printing.py"}
    for name in assigning:
        assert "on_new_run" in (PACKAGE / name).read_text(encoding="utf-8")
