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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("torch.tensor([1, 'a'])", "new(): invalid data type 'str'"),
        ("torch.tensor([1, 'a'], dtype=torch.int8)", "'str' object cannot be interpreted as an integer"),
        ("torch.tensor([1, {}], dtype=torch.bool)", "'dict' object cannot be interpreted as an integer"),
        ("torch.tensor([1, None, 'a'], dtype=torch.cfloat)", "must be real number, not NoneType"),
        ("torch.ones(1).new_tensor([[1, 'a'], [2, 3]])", "must be real number, not str"),
        ("torch.Tensor([1j, 'a'])", "must be real number, not complex"),
        ("torch.IntTensor([1, 2j])", "'complex' object cannot be interpreted as an integer"),
        ("torch.tensor('a', dtype=torch.int8)", "new(): invalid data type 'str'"),
        (
            "torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 1, 2, 2)] * 3, dropout_p=2.0)",
            "dropout probability has to be between 0 and 1, but got 2",
        ),
    ],
)
def test_elements_are_refused_by_the_type_that_is_made(text: str, words: str) -> None:
    with pytest.raises((RuntimeError, TypeError)) as raised:
        eval(text)
    assert str(raised.value) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("half & 1j", "\"bitwise_and_cpu\" not implemented for 'ComplexHalf'"),
        ("torch.tensor(1j) >> half", "\"rshift_cpu\" not implemented for 'ComplexHalf'"),
        ("half < 1j", "\"lt_cpu\" not implemented for 'ComplexHalf'"),
        ("half.sub_(1j)", "result type ComplexHalf can't be cast to the desired output type Half"),
        ("half.__iadd__(torch.tensor(1j))", "result type ComplexHalf can't be cast to the desired output type Half"),
        (
            "half.mul_(torch.ones(2, dtype=torch.cfloat))",
            "result type ComplexFloat can't be cast to the desired output type Half",
        ),
    ],
)
def test_complex_numbers_of_half_precision_have_their_name(text: str, words: str) -> None:
    with pytest.raises((RuntimeError, NotImplementedError)) as raised:
        eval(text, {"torch": torch, "half": torch.ones(2, dtype=torch.half)})
    assert str(raised.value) == words


def test_alpha_and_the_wish_for_indices_may_stand_in_their_places() -> None:
    assert torch.ones(2).subtract_(3, 2).tolist() == torch.ones(2).subtract(3, 2).tolist() == [-5, -5]
    images = torch.arange(16.0).view(1, 1, 4, 4)
    values, places = torch.nn.functional.max_pool2d_with_indices(images, 2, 2, 0, 1, False, False)
    assert values.flatten().tolist() == places.flatten().tolist() == [5, 7, 13, 15]
