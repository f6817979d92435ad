"""The comparison itself: what it must find, and what it may pass as close."""

from __future__ import annotations

from typing import Any

import pytest

from tests.snippets.compare import close, compare


def result(*lines: str, error: str | None = None, warnings: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"stdout": list(lines), "error": error, "warnings": [["UserWarning", text] for text in warnings]}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("tensor([0.3333, 1.0000])", "tensor([0.3334, 1.0000])"),
        ("loss 1.23456789", "loss 1.23456791"),
        ("1.0001e-05", "1.0002e-05"),
        ("tensor(-0.0001)", "tensor(-0.0002)"),
    ],
)
def test_last_digits_are_close(ours: str, theirs: str) -> None:
    assert close(ours, theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("tensor([0.3333, 1.0000])", "tensor([0.3335, 1.0000])"),
        ("tensor(2.)", "tensor(4.)"),
        ("step 3", "step 4"),
        ("tensor([1, 2])", "tensor([1, 3])"),
        ("grad_fn=<MulBackward0>", "grad_fn=<AddBackward0>"),
        ("tensor(1.)", "tensor(-1.)"),
        ("tensor(1.5000)", "tensor(1.5000, grad_fn=<AddBackward0>)"),
    ],
)
def test_a_real_difference_is_not_close(ours: str, theirs: str) -> None:
    assert not close(ours, theirs)


def test_equal_results_are_the_same() -> None:
    assert compare(result("tensor(1.)"), result("tensor(1.)")) == ("same", "")


@pytest.mark.parametrize(
    "ours",
    [
        result("tensor(1.)", "more"),
        result(),
        result("tensor(1.)", error="RuntimeError: x"),
        result("tensor(1.)", warnings=("w",)),
        result("tensor(1. )"),
    ],
)
def test_each_part_counts(ours: dict[str, Any]) -> None:
    assert compare(ours, result("tensor(1.)"))[0] == "different"


def test_a_close_result_is_named_as_such_with_both_lines() -> None:
    verdict, difference = compare(result("0.3333"), result("0.3334"))
    assert verdict == "close"
    assert difference == "gradviz printed: 0.3333\npytorch printed: 0.3334"
