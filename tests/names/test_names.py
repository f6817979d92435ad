"""Which names are there, and what is said of those that are not: PyTorch's own words for a name that PyTorch does not
have either, one sentence with the reason for one that GradViz leaves out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gradviz.torch as torch
from gradviz.engine import reference
from gradviz.torch import coverage, pytorch_names

ROOT = Path(__file__).parents[2]
ONE_PROCESS = "a snippet runs in one process; leave it out and run the training function directly"
NOT_DISPATCHED = "operations are not dispatched to other classes; call your own function instead"


def test_the_document_is_current() -> None:
    written = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert written == coverage.document(), "run: make docs"


def test_the_operations_are_current() -> None:
    written = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert written == reference.document(), "run: make docs"


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: torch.foo, "module 'torch' has no attribute 'foo'"),
        (lambda: torch.nn.Foo, "module 'torch.nn' has no attribute 'Foo'"),
        (lambda: torch.optim.Fool, "module 'torch.optim' has no attribute 'Fool'"),
        (lambda: torch.nn.functional.softmaxx, "module 'torch.nn.functional' has no attribute 'softmaxx'"),
        (lambda: torch.ones(2).foo, "'Tensor' object has no attribute 'foo'"),
        (
            lambda: torch.ones(2).ccol_indices,
            "torch.Tensor.ccol_indices is not in GradViz: only sparse tensors by coordinates and by rows are built; "
            "use a dense tensor and a mask",
        ),
        (lambda: torch.nn.parallel.comm, f"torch.nn.parallel.comm is not in GradViz: {ONE_PROCESS}"),
        (lambda: torch.__future__, f"torch.__future__ is not in GradViz: {NOT_DISPATCHED}"),
        (
            lambda: torch.overrides.redispatch_function,
            f"torch.overrides.redispatch_function is not in GradViz: {NOT_DISPATCHED}",
        ),
        (
            lambda: torch.Tensor._make_wrapper_subclass,
            f"torch.Tensor._make_wrapper_subclass is not in GradViz: {NOT_DISPATCHED}",
        ),
        (
            lambda: torch.Tensor.__torch_dispatch__,
            f"torch.Tensor.__torch_dispatch__ is not in GradViz: {NOT_DISPATCHED}",
        ),
        (
            lambda: torch.sparse_bsr_tensor,
            "torch.sparse_bsr_tensor is not in GradViz: only sparse tensors by coordinates and by rows are built; "
            "use a dense tensor and a mask",
        ),
        (
            lambda: torch.distributed,
            f"torch.distributed is not in GradViz: {ONE_PROCESS}",
        ),
    ],
)
def test_what_is_said_of_a_name_that_is_not_there(ask: object, sentence: str) -> None:
    with pytest.raises(AttributeError) as raised:
        ask()  # type: ignore[operator]
    assert str(raised.value) == sentence


def test_only_classes_of_ours_are_given_a_home_in_torch() -> None:
    assert (Callable.__module__, Any.__module__) == ("collections.abc", "typing")
    assert torch.distributions.ExpTransform.__module__ == "torch.distributions.transforms"


def test_every_reason_is_used() -> None:
    absent = [f"{space}.{name}" for space, names in pytorch_names.NAMES.items() for name in names]
    used = {pytorch_names.reason(path) for path in [*absent, *pytorch_names.MODULES]}
    assert [(why, way) for _, why, way in pytorch_names.REASONS if (why, way) not in used] == []
