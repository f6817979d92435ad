"""Which of several reasons a call is refused for: the words are PyTorch's."""

from __future__ import annotations

import pytest

import gradviz.torch as torch

SHAPES = "output with shape [] doesn't match the broadcast shape [3]"
DIMS = "tensordot expects dims "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("torch.tensordot(single, mask, 1)", DIMS + "< ndim_a or ndim_b, but got dims=1"),
        ("torch.tensordot(x, mask, -1)", DIMS + ">= 0, but got dims=-1"),
        ("torch.tensordot(x, mask, [[0], []])", "both dimension lists should have same length"),
        ("torch.tensordot(x, mask, 1)", "both inputs should have same dtype"),
        (
            "torch.tensordot(x, x, 1.0)",
            DIMS + "to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got dims=1.0",
        ),
        (
            "torch.tensordot(x, x, [0, 0])",
            "tensordot(): argument 'dims_self' (position 3) must be tuple of ints, not int",
        ),
        ("single.__ipow__(mask)", SHAPES),
        ("single.pow_(mask)", SHAPES),
        ("torch.addcmul(bytes, x, x, value=2j)", "value cannot be converted to type float without overflow"),
        ("torch.addcdiv(x.half(), x.half(), x, value=2j)", "value cannot be converted to type float without overflow"),
        ("torch.addcdiv(x, x.double(), x, value=2j)", "value cannot be converted to type double without overflow"),
    ],
)
def test_the_first_reason_is_the_one_of_pytorch(text: str, words: str) -> None:
    known = {
        "single": torch.tensor(False),
        "mask": torch.tensor([True, False, True]),
        "x": torch.ones(3),
        "bytes": torch.ones(3, dtype=torch.int8),
        "torch": torch,
    }
    with pytest.raises((RuntimeError, TypeError)) as raised:
        eval(text, known)
    assert str(raised.value) == words


def test_the_dimensions_of_tensordot_may_be_a_tensor() -> None:
    x = torch.arange(6.0).view(2, 3)
    assert torch.tensordot(x, x.t(), torch.tensor(1)).equal(x @ x.t())
    assert torch.tensordot(x, x, torch.tensor([[1], [1]])).equal(x @ x.t())
