"""A conjugate is a view: writes to it and to its base are seen by both, and change the history of both. What is
expected is what PyTorch prints."""

from __future__ import annotations

import gc

import pytest

import gradviz.torch as torch
from gradviz.engine.kernel import conjugates


def numbers(x: torch.Tensor) -> list[complex]:
    return x.resolve_conj().tolist()


def test_a_write_is_seen_on_the_other_side() -> None:
    z = torch.tensor([1 + 2j, 3 - 1j, 2j])
    v = z.conj()
    w, part = v.conj(), v[1:]
    z[0] = 5 + 1j
    assert numbers(v) == [5 - 1j, 3 + 1j, -2j]
    v.mul_(2j)
    assert numbers(z) == [2 - 10j, -2 - 6j, 4]
    part.zero_()
    assert numbers(w) == numbers(z) == [2 - 10j, 0, 0] and not w.is_conj()
    z.data.add_(1)
    assert numbers(v) == [3 + 10j, 1, 1]
    assert z._version == v._version == 3 and v._base is z


def test_gradients_follow_a_write_through_a_conjugate() -> None:
    x = torch.tensor([1 + 2j, 3 - 1j, 2j], requires_grad=True)
    y = x * 2
    v = y[1:].conj()
    y.mul_(2)
    v[0].mul_(1j)
    (v.abs() ** 2).sum().backward()
    assert x.grad is not None and numbers(x.grad) == [0, 96 - 32j, 64j]
    assert y.grad_fn.name() == "torch::autograd::CopySlices" and v.grad_fn.name() == "ConjBackward0"


def test_the_version_check_sees_the_write() -> None:
    x = torch.tensor([1 + 2j], requires_grad=True)
    y = x * 1
    squares = y.conj() ** 2
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        squares.abs().sum().backward()


def test_what_may_not_be_written_to_through_a_conjugate() -> None:
    leaf = torch.tensor([1j], requires_grad=True)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        leaf.conj().mul_(2)
    y = leaf * 1
    with torch.no_grad():
        v = y.conj()
    with pytest.raises(RuntimeError, match="no_grad mode"):
        v.mul_(2)


def test_parts_of_a_conjugate_are_views_too() -> None:
    z = torch.tensor([1j, 2])
    part = z.conj().imag
    z.mul_(2j)
    assert part.tolist() == [0.0, -4.0] and part.is_neg()
    part.add_(1)
    assert numbers(z) == [-2 - 1j, 3j]


def test_nothing_is_kept_of_memory_that_is_gone() -> None:
    before = dict(conjugates.known)
    z = torch.ones(3, dtype=torch.complex64)
    for _ in range(5):
        z.conj()
    v = z.conj()
    assert max(map(len, (pairs for key, pairs in conjugates.known.items() if key not in before))) <= 2
    del z, v
    gc.collect()
    assert conjugates.known.keys() <= before.keys()


@pytest.mark.parametrize(
    ("text", "lazily"),
    [
        ("z.conj()", True),
        ("z[None].mH * 2", True),
        ("(z + 1).conj().view(2, 1)", True),
        ("z.conj().conj()", False),
        ("z * 2", False),
    ],
)
def test_a_gradient_that_arrives_at_a_leaf_stays_a_conjugate(text: str, lazily: bool) -> None:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    eval(text).abs().sum().backward()
    assert z.grad is not None and z.grad.is_conj() is lazily
    (z * 1).abs().sum().backward()
    assert z.grad.is_conj() is lazily
