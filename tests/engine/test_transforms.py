"""Function transforms over every operation of the table: forward differentiation against differences of values, vmap
against the same function called for each example. What they print and refuse is held to PyTorch's by the snippets
(`tests/snippets/corpus/func_*`, `vmap_*`, `forward_ad_*`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz.torch as torch
from gradviz.engine.kernel import batched, layers
from gradviz.engine.ops import compare
from gradviz.torch import func
from gradviz.torch.autograd import forward_ad
from tests.engine.op_cases import cases

TABLE = cases(torch)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
STEP = 1e-6
NO_SLOPE = {  # what a tangent is not the slope of the values for, in PyTorch neither
    "detach_product": "detach() hides a part",
    "F_gumbel_softmax_hard": "the gradient is that of the soft numbers",
    "cholesky_solve": "the other triangle is not read but counts",
    "cholesky_solve_upper": "the other triangle is not read but counts",
    "cholesky_inverse": "the other triangle is not read but counts",
    "cholesky_inverse_upper": "the other triangle is not read but counts",
    "gradient_under_create_graph": "asks for gradients itself",
    "lstsq_wide": "the residuals have no gradient",
}

NOT_APART = {
    "batch_norm_running": "every call moves the statistics on",
    "gradient_under_create_graph": "asks for gradients itself",
}


def inputs_of(case: Any, shift: float = 0.0) -> list[Any]:
    """The inputs of a case as tensors, the real ones a little apart."""
    kinds = {"index": torch.int64, "mask": torch.bool}
    made = []
    for feed, values in zip(case.inputs, case.values(), strict=True):
        tensor = torch.tensor(values, dtype=kinds.get(feed.kind, torch.float64))
        made.append(tensor + shift if shift and feed.differentiable else tensor)
    return made


def leaves(value: Any) -> list[Any]:
    """The tensors of a result."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [each for part in value for each in leaves(part)] if isinstance(value, (tuple, list)) else []


def pushed(case: Any) -> list[tuple[Any, Any]]:
    """(value, tangent) of each result, with random tangents."""
    random = np.random.RandomState(3)
    with forward_ad.dual_level():
        duals, ways = [], []
        for feed, x in zip(case.inputs, inputs_of(case), strict=True):
            way = torch.from_numpy(random.uniform(-1, 1, tuple(x.shape))) if feed.differentiable else None
            duals.append(x if way is None else forward_ad.make_dual(x, way))
            ways.append(way)
        found = [tuple(forward_ad.unpack_dual(each)) for each in leaves(case.run(*duals))]
    return [*found, ways]  # type: ignore[list-item]


def moved(case: Any, ways: list[Any], step: float) -> list[Any]:
    """The results a step further along the tangents."""
    given = [x if way is None else x + way * step for x, way in zip(inputs_of(case), ways, strict=True)]
    return leaves(case.run(*given))


@pytest.mark.parametrize("name", sorted(TABLE.keys() - NO_SLOPE.keys()))
def test_a_tangent_is_the_slope_of_the_values(name: str) -> None:
    case = TABLE[name]
    try:
        *found, ways = pushed(case)
    except NotImplementedError as error:
        assert "Trying to use forward AD with" in str(error)
        return
    ahead, behind = moved(case, ways, STEP), moved(case, ways, -STEP)
    for (value, tangent), high, low in zip(found, ahead, behind, strict=True):
        if value.dtype is not torch.float64 or tangent is None:
            continue
        slope = ((high - low) / (2 * STEP)).numpy(force=True)
        np.testing.assert_allclose(tangent.numpy(force=True), slope, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", sorted(TABLE.keys() - NOT_APART.keys()))
def test_vmap_is_the_function_for_each_example(name: str) -> None:
    case = TABLE[name]
    examples = [inputs_of(case), inputs_of(case, 0.01), inputs_of(case, 0.02)]
    apart = [leaves(case.run(*each)) for each in examples]
    stacked = [torch.stack(column) for column in zip(*examples, strict=True)]
    try:
        together = torch.vmap(lambda *args: leaves(case.run(*args)))(*stacked)
    except RuntimeError as error:
        said = str(error)
        assert "vmap" in said or "batching rule" in said or "Cannot access data pointer" in said, error
        return
    for i, found in enumerate(together):
        for one, row in zip(found, apart, strict=True):
            tolerance = {"rtol": 1e-9, "atol": 1e-12} if one.dtype is torch.float64 else {"rtol": 1e-2}
            np.testing.assert_allclose(numbers(one), numbers(row[i]), **tolerance)


def numbers(tensor: Any) -> Any:
    """The numbers of a tensor in a type that NumPy knows."""
    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy(force=True)


def test_no_layer_is_left_open_when_a_function_fails() -> None:
    def fail(x: Any) -> Any:
        raise ZeroDivisionError

    for transform in (torch.func.grad, torch.vmap, torch.func.jacfwd, torch.func.jacrev):
        with pytest.raises(ZeroDivisionError):
            transform(fail)(torch.ones(2))
    assert layers.stack == [] and layers.duals == []


def test_a_jacobian_with_many_rows_is_pulled_back_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Hessian by two jacrev has as many unit vectors as a Jacobian has elements, each as large."""
    made, basis = [], func.standard_basis
    x = torch.arange(6.0) / 6

    def counted(*args: Any) -> Any:
        found = basis(*args)
        made.append(sum(each.numel() for each in found))
        return found

    def hessian() -> Any:
        return torch.func.jacrev(torch.func.jacrev(lambda x: (x.sin() * x.sum())[:4]))(x)

    whole = hessian()
    monkeypatch.setattr(func, "standard_basis", counted)
    monkeypatch.setattr(func, "_BASIS", 50)
    assert np.array_equal(hessian().numpy(), whole.numpy())
    assert max(made) <= 50
    assert len(made) > 12


def test_examples_are_not_reshaped_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    x, more = torch.arange(24.0).reshape(4, 6), torch.arange(24.0).reshape(6, 4)

    def shapes(x: Any) -> Any:
        return x.reshape(2, -1), x.view(3, 2), x.reshape(-1), x.reshape(1, 6).reshape([2, 3])

    wanted = [[each.numpy() for each in column] for column in zip(*map(shapes, x), strict=True)]
    turned = [each.numpy() for each in map(torch.flatten, more.T)]
    monkeypatch.setattr(batched, "one_by_one", None)
    for column, found in zip(wanted, torch.vmap(shapes)(x), strict=True):
        assert np.array_equal(np.stack(column), found.numpy())
    assert np.array_equal(np.stack(turned), torch.vmap(torch.flatten, in_dims=1)(more).numpy())


def test_large_tensors_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = torch.rand(5, 7), torch.rand(5, 7).round()
    whole, sizes, isclose = torch.isclose(a, b, atol=0.3), [], np.isclose

    def watched(x: Any, *args: Any, **kwargs: Any) -> Any:
        sizes.append(x.size)
        return isclose(x, *args, **kwargs)

    monkeypatch.setattr(compare, "_AT_ONCE", 14)
    monkeypatch.setattr(np, "isclose", watched)
    assert torch.isclose(a, b, atol=0.3).tolist() == whole.tolist()
    assert sizes == [14, 14, 7]


def test_a_product_of_all_examples_with_one_matrix_rounds_as_that_of_a_batch() -> None:
    """Where a tanh is near its ends, its slope shows the last digit of what went in."""
    torch.manual_seed(0)
    w, x = torch.randn(33, 31), torch.randn(64, 31)
    for one in (lambda x: torch.nn.functional.linear(x, w), lambda x: w @ x, lambda x: x @ w.T):
        assert np.array_equal(torch.vmap(one)(x).numpy(), (x @ w.T).numpy())
    deep = x.reshape(2, 4, 8, 31)
    found = torch.vmap(torch.vmap(lambda x: x @ w.T))(deep)
    assert np.array_equal(found.numpy(), (x @ w.T).reshape(2, 4, 8, 33).numpy())
    assert torch.vmap(lambda x: x @ w.T)(torch.ones(0, 31)).shape == (0, 33)
