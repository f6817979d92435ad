"""Cases of `op_cases.py` for operations that tutorials seldom use: complex numbers, bits, decompositions, tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.engine.op_cases import P, Row, X, constant, index, mask, positive, real

C = constant(2, 3)


def complex_numbers(torch: Any) -> Iterator[Row]:
    def number(x: Any) -> Any:
        return torch.view_as_complex(x)

    Z = real(3, 2)
    yield "view_as_complex", lambda x: number(x), Z
    yield "view_as_real", lambda x: torch.view_as_real(number(x) * 2), Z
    yield "complex", lambda x, y: torch.complex(x, y), X, real(2, 3)
    yield "complex_conj", lambda x: torch.view_as_real(number(x).conj() * number(x)), Z
    yield "complex_angle", lambda x: number(x).angle(), Z
    yield "complex_abs", lambda x: number(x).abs(), Z
    yield "complex_real", lambda x: number(x).real, Z
    yield "complex_imag", lambda x: (number(x) * number(x)).imag, Z
    yield "complex_square", lambda x: torch.view_as_real(number(x) ** 2), Z
    yield "complex_exp", lambda x: torch.view_as_real(number(x).exp()), Z
    yield "complex_divided", lambda x, y: torch.view_as_real(number(x) / number(y)), Z, positive(3, 2)
    yield "complex_product_of_matrices", lambda x: torch.view_as_real(number(x) @ number(x)), real(2, 2, 2)
    yield "polar", lambda r, x: torch.view_as_real(torch.polar(r, x)), P, X


def seldom(torch: Any) -> Iterator[Row]:
    yield "acosh", lambda x: torch.acosh(x + 1), P
    yield "fmin", torch.fmin, X, real(2, 3)
    yield "cummin", lambda x: x.cummin(1), X
    yield "copysign", torch.copysign, X, constant(2, 3)
    yield "deg2rad", torch.deg2rad, X
    yield "rad2deg", torch.rad2deg, X
    yield "logaddexp2", torch.logaddexp2, X, real(2, 3)
    yield "angle", torch.angle, X
    for name in ("isneginf", "isposinf", "isreal", "signbit"):
        yield name, getattr(torch, name), X
    yield "shift_left", lambda a: a << 2, index(9, 3)
    yield "shift_right", lambda a: a >> 1, index(9, 3)
    yield "scatter_multiply", lambda c, i, d: c.scatter(1, i, d, reduce="multiply"), C, index(3, 2, 2), constant(2, 2)
    yield "scatter_reduce_add", lambda c, i: c.scatter(1, i, 1.5, reduce="add"), C, index(3, 2, 2)
    yield "masked_scatter_wide", lambda x, m, y: x.masked_scatter(m, y), real(3), mask(2, 3), real(2, 3)
    yield "median_nan", lambda c: (c / c.clamp(min=0).round()).median(1), C
    yield "quantile_nan", lambda c: (c.sqrt()).quantile(0.4, dim=1), C
    yield "repeat_interleave_counts", lambda i: torch.repeat_interleave(i), index(4, 3)
    yield "diff_between", lambda x, y: x.diff(prepend=y, append=y), X, real(2, 1)
    yield "bincount_weights", lambda i, c: torch.bincount(i, c), index(4, 5), constant(5)


def _differentiable_gradient(x: Any) -> Any:
    (x**3).sum().backward(create_graph=True)
    found, x.grad = x.grad, None
    return found


def _lstm(torch: Any, x: Any) -> Any:
    torch.manual_seed(0)
    return torch.nn.LSTM(2, 3)(x)[0]


def whole_passes(torch: Any) -> Iterator[Row]:
    yield "gradient_under_create_graph", _differentiable_gradient, X
    yield "lstm", lambda x: _lstm(torch, x.float()), real(3, 1, 2)


def decompositions(torch: Any) -> Iterator[Row]:
    def symmetric(x: Any) -> Any:
        return x + x.t() + 4 * torch.diag(torch.arange(3.0)).to(x.dtype)

    yield "eigvalsh", lambda x: torch.linalg.eigvalsh(symmetric(x)), real(3, 3)
    yield "svdvals", lambda x: torch.linalg.svdvals(x), real(2, 3)
    yield "qr_r", lambda x: torch.linalg.qr(x)[1].abs(), real(3, 2)


def parts_and_products(torch: Any) -> Iterator[Row]:
    yield "block_diag", lambda x, y: torch.block_diag(x, y), real(2, 2), real(3)
    yield "vdot", torch.vdot, real(3), real(3)
    yield "addr", lambda x, a, b: torch.addr(x, a, b, beta=0.5, alpha=2.0), X, real(2), real(3)
    yield "addbmm", lambda x, a, b: torch.addbmm(x, a, b), real(2, 3), real(2, 2, 2), real(2, 2, 3)
    yield "select_scatter", lambda x, y: torch.select_scatter(x, y, 0, 1), X, real(3)
    yield "slice_scatter", lambda x, y: torch.slice_scatter(x, y, 1, 0, 2), X, real(2, 2)
    yield "diagonal_scatter", lambda x, y: torch.diagonal_scatter(x, y), X, real(2)
    yield "tril_", lambda x: (x * 1).tril_(), X
    yield "sum_to_size", lambda x: x.sum_to_size(1, 3), X


def _sparse_facts(torch: Any, values: Any) -> list[Any]:
    rows = torch.sparse_csr_tensor(torch.tensor([0, 1, 3]), torch.tensor([2, 0, 2]), values, (2, 3))
    known = rows.to_dense().to_sparse_coo()
    counts = torch.tensor([known.sparse_dim(), known.dense_dim(), int(known.is_coalesced())])
    masked = torch.ones(2, 3).sparse_mask(known).values()
    return [rows.crow_indices(), rows.col_indices(), counts, masked.long(), (rows.values() * 100).long()]


def sparse(torch: Any) -> Iterator[Row]:
    places = torch.tensor([[0, 1, 1], [2, 0, 2]])

    def made(x: Any) -> Any:
        return torch.sparse_coo_tensor(places, x, (2, 3), is_coalesced=True)

    V, M = real(3), real(3, 2)
    yield "sparse_to_dense", lambda x: made(x).to_dense(), V
    yield "sparse_coalesced", lambda x: torch.sparse_coo_tensor(places, x, (2, 3)).coalesce().values(), V
    yield "sparse_products", lambda x, y: torch.sparse.mm(made(x), y), V, M
    yield "sparse_mm", lambda x, y: made(x) @ y, V, M
    yield "sparse_mv", lambda x, y: made(x).mv(y), V, real(3)
    yield "sparse_addmm", lambda z, x, y: torch.sparse.addmm(z, made(x), y, beta=0.5, alpha=2.0), real(2, 2), V, M
    yield "addmm_of_sparse", lambda z, x, y: torch.addmm(z, made(x), y, beta=0.5, alpha=2.0), real(2, 2), V, M
    yield "sparse_times_sparse", lambda x: torch.sparse.mm(made(x), made(x).t()).to_dense(), V
    yield "sparse_softmax", lambda x: torch.sparse.softmax(made(x), 1).to_dense(), V
    yield "sparse_log_softmax", lambda x: torch.sparse.log_softmax(made(x), 1).to_dense(), V
    yield "sparse_sum", lambda x: torch.sparse.sum(made(x), 0).to_dense(), V
    yield "to_sparse", lambda x: x.to_sparse().coalesce().values(), X
    yield "to_sparse_csr", lambda x: x.to_sparse_csr().to_dense(), X
    yield "sparse_by_old_names", lambda x, y: torch.spmm(made(x), y) + torch.dsmm(made(x), y), V, M
    yield "sparse_facts", lambda c: torch.cat(_sparse_facts(torch, c)), constant(3)
    yield "sparse_doubled", lambda x: (made(x) * 2 + made(x).abs()).to_dense(), V


RARE_TABLES = (complex_numbers, seldom, whole_passes, decompositions, parts_and_products, sparse)
