"""The least that a program must do. `make mutants` asks for it first: where a guard is taken away and even this fails,
what else fails says nothing of the guard."""

from __future__ import annotations

from tests.worker.conftest import Runner


def test_a_small_snippet_runs(run: Runner) -> None:
    source = "import torch\nx = torch.tensor(3.0, requires_grad=True)\n(x * x).backward()\nprint(x.grad)\n"
    outcome = run(source)
    assert (outcome.status, outcome.printed()) == ("ok", "tensor(6.)\n")
