"""Calls that are rarely made, with PyTorch's answers."""

from __future__ import annotations

import pytest

import gradviz.torch as torch


def test_the_sign_of_a_determinant_has_no_gradient() -> None:
    x = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    torch.slogdet(x)[0].backward()
    assert x.grad is None
    torch.slogdet(x)[1].backward()
    assert x.grad is not None and torch.allclose(x.grad, torch.tensor([[0.6, -0.2], [-0.2, 0.4]]))


def test_rrelu_takes_the_generator_that_it_has_by_default() -> None:
    assert torch.rrelu(torch.ones(2), generator=None).tolist() == [1.0, 1.0]


def test_a_norm_that_is_a_text_is_read_as_a_number() -> None:
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    torch.nn.utils.clip_grad_norm_([x], "0.5")
    assert x.grad is not None and round(float(x.grad.norm()), 4) == 0.5
    with pytest.raises(ValueError, match="could not convert string to float: 'a'"):
        torch.nn.utils.clip_grad_norm_([x], "a")
