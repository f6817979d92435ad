"""Random programs of views and writes in place: versions, strides, bases, histories, gradients and errors are
PyTorch's, but for those whose numbers `DIFFER` names."""

from __future__ import annotations

import json

import pytest

import gradviz.torch as torch
from tests.engine.record_views import COUNT, GOLDEN, WRITTEN, observed, program

GIVEN: list[list[str]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
DIFFER: set[int] = {539, 635, 812, 879, 885}


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


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_several_numbers_at_once_give_the_view_of_one_after_the_other(mode: type, requires_grad: bool) -> None:
    whole = torch.arange(24.0).reshape(2, 3, 4).requires_grad_(requires_grad)
    with mode():
        at_once, in_turn = whole[1, -1, 2], whole[1][-1][2]
        row, same_row = whole[-1, 0], whole[-1][0]
    for one, other in ((at_once, in_turn), (row, same_row)):
        assert one.tolist() == other.tolist() and one._base is other._base
        assert (one.storage_offset(), one.stride()) == (other.storage_offset(), other.stride())
        assert (one.requires_grad, one.is_leaf, one._is_view(), one.is_inference()) == (
            *(other.requires_grad, other.is_leaf, other._is_view(), other.is_inference()),
        )
        assert type(one.grad_fn) is type(other.grad_fn)


def test_a_write_to_an_element_counts_and_a_number_that_is_too_large_is_said_with_its_dimension() -> None:
    counts = torch.zeros(2, 3, dtype=torch.int32)
    counts[1, 2] += 1
    counts[-1, -1] += 2
    assert counts.tolist() == [[0, 0, 0], [0, 0, 3]] and counts._version == 4
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1 with size 3"):
        counts[0, 3] = 1


def test_a_view_that_was_looked_at_before_its_base_is_tracked_has_a_history_then() -> None:
    base = torch.zeros(3, 4)
    view = base.view(-1)
    view.add_(1)
    assert view.grad_fn is None
    base.requires_grad_()
    assert view.grad_fn is not None and view.grad_fn.name() == "AsStridedBackward0" and not view.is_leaf


def test_parts_that_are_not_tracked_are_views_in_inference_mode() -> None:
    with torch.inference_mode():
        parts = torch.inference_mode(False)(lambda: torch.zeros(3, 2).add_(1))().unsafe_chunk(3)
    assert [(each.is_inference(), each._is_view(), each._version) for each in parts] == [(False, True, 0)] * 3
