"""Random programs of views and writes in place: versions, strides, bases, histories, gradients and errors are
PyTorch's, but for those whose numbers `DIFFER` names."""

from __future__ import annotations

import json

import pytest

import gradviz.torch as torch
from tests.engine.record_views import COUNT, GOLDEN, WRITTEN, observed, program

GIVEN: list[list[str]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
DIFFER: set[int] = {489, 539, 557, 635, 812, 879, 885}


def test_all_programs_are_recorded() -> None:
    assert len(GIVEN) == COUNT + len(WRITTEN)


def test_a_row_is_filled_with_its_own_element_also_after_a_function_transform() -> None:
    number = next(at for at in range(COUNT, len(GIVEN)) if "v[0] = y[1]" in "; ".join(program(at)[0]))
    weight = torch.ones(3, requires_grad=True)
    kept = torch.func.vmap(lambda each: each * weight)(torch.ones(2, 3))
    assert (observed(torch, number), kept.requires_grad) == (GIVEN[number], True)


@pytest.mark.parametrize("start", range(0, COUNT + len(WRITTEN), 20))
def test_programs_do_what_they_do_in_pytorch(start: int) -> None:
    numbers = range(start, min(start + 20, len(GIVEN)))
    found = {number: lines for number in numbers if (lines := observed(torch, number)) != GIVEN[number]}
    assert found.keys() == DIFFER & set(numbers), found


@pytest.mark.parametrize(
    ("replayed", "names"),
    [(True, ["UnsqueezeBackward0", "ViewBackward0"]), (False, ["AsStridedBackward0", "torch::autograd::CopySlices"])],
)
def test_the_history_of_a_written_view_is_its_own_functions_if_asked(replayed: bool, names: list[str]) -> None:
    with torch.autograd._force_original_view_tracking(replayed):
        view = torch.ones(2, 2, requires_grad=True).clone().view(-1).unsqueeze(0)
        view.add_(1)
        assert [each.name() for each in (view.grad_fn, view.grad_fn.next_functions[0][0])] == names
