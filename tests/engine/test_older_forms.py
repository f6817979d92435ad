"""Forms that PyTorch keeps for old programs: sums of products whose factors come before the tensors."""

from __future__ import annotations

import pytest

import gradviz.torch as torch
from gradviz.engine.kernel.state import state

X, M, V = "torch.full((2, 2), 2.0)", "torch.tensor([[1.0, 2.0], [3.0, 4.0]])", "torch.tensor([1.0, -1.0])"
PAIRS = [
    (f"torch.addmm(2, {X}, {M}, {M})", f"torch.addmm({X}, {M}, {M}, beta=2)"),
    (f"torch.addmm(2, {X}, 3, {M}, {M})", f"torch.addmm({X}, {M}, {M}, beta=2, alpha=3)"),
    (f"{X}.addmm(2, {M}, {M})", f"{X}.addmm({M}, {M}, beta=2)"),
    (f"{X}.addmm_(2, 3, {M}, {M})", f"{X}.addmm_({M}, {M}, beta=2, alpha=3)"),
    (f"torch.addmm(2, {X}, {M}, {M}, out=torch.empty(2, 2))", f"torch.addmm({X}, {M}, {M}, beta=2)"),
    (f"torch.addr(2, {X}, {V}, {V})", f"torch.addr({X}, {V}, {V}, beta=2)"),
    (f"{V}.addmv(2, 3, {M}, {V})", f"{V}.addmv({M}, {V}, beta=2, alpha=3)"),
    (f"{X}.addbmm(2, {M}[None], {M}[None])", f"{X}.addbmm({M}[None], {M}[None], beta=2)"),
    (f"torch.baddbmm(2, {X}[None], {M}[None], {M}[None])", f"torch.baddbmm({X}[None], {M}[None], {M}[None], beta=2)"),
    (f"torch.addcmul({X}, 2, {M}, {M})", f"torch.addcmul({X}, {M}, {M}, value=2)"),
    (f"{X}.addcdiv_(2, {M}, {M})", f"{X}.addcdiv_({M}, {M}, value=2)"),
    (f"{X}.add(2, {M})", f"{X}.add({M}, alpha=2)"),
    (f"torch.sub({X}, 2, {M})", f"torch.sub({X}, {M}, alpha=2)"),
]


@pytest.fixture(autouse=True)
def _warns_again() -> None:
    state.warned.discard("older form")


@pytest.mark.parametrize(("older", "present"), PAIRS)
def test_an_older_form_computes_the_same(older: str, present: str) -> None:
    with pytest.warns(UserWarning, match="This overload of .* is deprecated"):
        found = eval(older)
    assert torch.equal(found, eval(present))


def test_the_warning_names_the_forms_of_today() -> None:
    x = torch.ones(2, 2)
    with pytest.warns(UserWarning) as heard:
        x.addmm(2, x, x), x.addmm(2, x, x)
    assert [str(each.message).partition(" (Triggered")[0] for each in heard] == [
        "This overload of addmm is deprecated:\n\taddmm(Number beta, Tensor mat1, Tensor mat2)\n"
        "Consider using one of the following signatures instead:\n"
        "\taddmm(Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1)"
    ]


@pytest.mark.filterwarnings("error")
def test_subtract_takes_alpha_in_its_place_without_a_warning() -> None:
    x = torch.ones(2)
    assert torch.subtract(x, 3, 2).tolist() == x.subtract(3, 2).tolist() == [-5.0, -5.0]


def test_its_errors_are_those_of_the_operation() -> None:
    x = torch.ones(2)
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="mat1 must be a matrix, got 1-D tensor"):
        x.addmm_(1, x, x)
