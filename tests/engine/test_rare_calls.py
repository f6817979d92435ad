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


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("x.register_hook()", "Tensor.register_hook() missing 1 required positional argument: 'hook'"),
        ("x.backward(1, 2, 3, 4, 5)", "Tensor.backward() takes from 1 to 5 positional arguments but 6 were given"),
        ("x.stft()", "Tensor.stft() missing 1 required positional argument: 'n_fft'"),
        ("x.dim_order(1, 2)", "Tensor.dim_order() takes 1 positional argument but 3 were given"),
        ("x.split()", "Tensor.split() missing 1 required positional argument: 'split_size'"),
        ("torch.stft(x)", "stft() missing 1 required positional argument: 'n_fft'"),
    ],
)
def test_a_method_that_pytorch_has_written_in_python_is_named_with_its_class(call: str, said: str) -> None:
    with pytest.raises(TypeError) as raised:
        eval(call, {"torch": torch, "x": torch.ones(2)})
    assert str(raised.value) == said
