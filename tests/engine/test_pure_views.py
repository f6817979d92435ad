"""Custom functions that say of themselves that they are views only (`ctx._is_pure_view`): what they return may be
written to, and then the engine's own view stands for the function. The other views of custom functions are in
`tests/snippets/corpus/views_that_may_not_be_written.py`."""

from __future__ import annotations

from typing import Any

import pytest

import gradviz.torch as torch


class _Half(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Any, several: bool) -> Any:
        ctx._is_pure_view = True
        return (x[:2], x[2:]) if several else x[:2]

    @staticmethod
    def backward(ctx: Any, grad: Any, *others: Any) -> Any:
        _Half.calls += 1
        return torch.cat([grad, torch.zeros(2)]), None


def test_a_pure_view_may_be_written_to() -> None:
    leaf = torch.ones(4, requires_grad=True)
    whole = leaf * 1
    _Half.calls = 0
    half = _Half.apply(whole, False)
    assert half.grad_fn.name() == "_HalfBackward"
    half.mul_(5)
    assert half.grad_fn.name() == "AsStridedBackward0"
    whole.sum().backward()
    assert leaf.grad.tolist() == [5.0, 5.0, 1.0, 1.0]
    assert _Half.calls == 0


def test_a_pure_view_has_one_output() -> None:
    with pytest.raises(RuntimeError, match="Pure view custom Function can only have one input Tensor and one output"):
        _Half.apply(torch.ones(4, requires_grad=True), True)


def test_bytes_read_as_another_type_in_inference_mode_count_no_writes() -> None:
    x = torch.ones(2)
    x.add_(1)
    with torch.inference_mode():
        bits = x.view(torch.int32)
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = bits._version
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        bits.add_(1)
