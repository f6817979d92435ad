"""Cases of `op_cases.py` for indexing and memory beyond what tutorials use: reductions by index, writing by place,
strides, the copying forms of views."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.engine.op_cases import Row, X, constant, index, mask, positive, probability, real


def by_index(torch: Any) -> Iterator[Row]:
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        yield f"scatter_reduce_{reduce}", _scattered(reduce, True), real(3, 4), index(3, 2, 4), positive(2, 4)
    yield "scatter_reduce_alone", _scattered("prod", False), real(3, 4), index(3, 2, 4), positive(2, 4)
    for reduce in ("prod", "mean", "amax", "amin"):
        yield f"index_reduce_{reduce}", _indexed(reduce, True), real(3, 4), index(3, 2), positive(2, 4)
    yield "index_reduce_alone", _indexed("mean", False), real(3, 4), index(3, 2), positive(2, 4)
    yield "put", lambda x, i, y: x.put(i, y), X, index(2, 2), real(2)
    yield "put_accumulate", lambda x, i, y: x.put(i, y, accumulate=True), X, index(6, 4), real(4)
    yield "index_fill_tensor", lambda x, i, v: x.index_fill(1, i, v), X, index(3, 2), real()
    yield "index_add_scalar", lambda x, i, y: x.index_add(0, i, y), real(), index(1, 1), real()
    yield "index_copy_scalar", lambda x, i, y: x.index_copy(0, i, y), real(), index(1, 1), real()
    yield "gather_scalar", lambda x, i: x.gather(0, i), real(), index(1)
    yield "scatter_scalar", lambda x, i, y: x.scatter(0, i, y), real(), index(1), real()
    yield "take_along_negative", lambda x, i: torch.take_along_dim(x, i - 2, 1), X, index(4, 2, 1)
    yield "take_negative", lambda x, i: x.take(i - 6), X, index(6, 4)
    yield "renorm", lambda x: x.renorm(2, 0, 1.0), X
    yield "nonzero_static", lambda m: torch.nonzero_static(m, size=5, fill_value=9), mask(2, 3)
    yield from in_memory(torch)


def _scattered(reduce: str, include_self: bool) -> Any:
    return lambda x, i, y: x.scatter_reduce(0, i, y, reduce, include_self=include_self)


def _indexed(reduce: str, include_self: bool) -> Any:
    return lambda x, i, y: x.index_reduce(0, i, y, reduce, include_self=include_self)


def in_memory(torch: Any) -> Iterator[Row]:
    """Views by sizes and strides: of a part of a larger memory, of elements that share a place."""
    scatter = torch.as_strided_scatter
    yield "as_strided_scatter", lambda x, y: scatter(x, y, (2, 2), (1, 2), 1), X, real(2, 2)
    yield "as_strided_scatter_view", lambda c, d: scatter(c[2:4], d, (2,), (2,)), constant(6), constant(2)
    yield "as_strided_scatter_before", lambda c, d: scatter(c[2:4], d, (2,), (2,), 0), constant(6), constant(2)
    yield "as_strided_scatter_turned", lambda c, d: scatter(c.t(), d, (2,), (1,), 2), constant(2, 3), constant(2)
    yield "as_strided_scatter_expanded", lambda c, d: scatter(c.expand(2, 3), d, (2,), (2,)), constant(3), constant(2)
    yield "as_strided_scatter_types", lambda c, d: scatter(c, d.double() + 1j, (2,), (2,)), constant(3), constant(2)
    yield "diagonal_scatter_lowest", lambda c, d: c.diagonal_scatter(d, -(2**31)), constant(2, 3), constant(0)
    yield "as_strided_repeated", lambda x: x.as_strided((2, 2, 3), (1, 0, 1)), real(4)
    yield "as_strided_of_expanded", lambda x: x.expand(2, 3).as_strided((2, 2), (1, 1)), real(3)
    yield "as_strided_overlapping", lambda x: x.as_strided((3, 2), (1, 1)).as_strided((4,), (1,)), real(4)
    yield "as_strided_other_type", lambda c: c.int()[1:].view(c.short().dtype).as_strided((3,), (2,), 0), constant(3)


def copies(torch: Any) -> Iterator[Row]:
    yield "expand_copy", lambda x: torch.expand_copy(x, (2, 2, 3)), X
    yield "diagonal_copy", lambda x: torch.diagonal_copy(x, 1), X
    yield "alias_copy", torch.alias_copy, X
    yield "as_strided_copy", lambda x: torch.as_strided_copy(x, (2, 2), (1, 2), 1), X
    yield "narrow_copy", lambda x: torch.narrow_copy(x, 1, 1, 2), X
    yield "view_copy", lambda x: torch.view_copy(x, (3, 2)), X
    yield "permute_copy", lambda x: torch.permute_copy(x, (1, 0)), X
    yield "transpose_copy", lambda x: torch.transpose_copy(x, 0, 1), X
    yield "t_copy", torch.t_copy, X
    yield "squeeze_copy", torch.squeeze_copy, real(2, 1)
    yield "squeeze_copy_dim", lambda x: torch.squeeze_copy(x, 1), real(2, 1)
    yield "squeeze_copy_dims", lambda x: torch.squeeze_copy(x, (0, 1)), real(2, 1)
    yield "unsqueeze_copy", lambda x: torch.unsqueeze_copy(x, 1), X
    yield "unbind_copy", lambda x: torch.unbind_copy(x, 1), X
    yield "split_copy", lambda x: torch.split_copy(x, 2, 1), X
    yield "split_with_sizes_copy", lambda x: torch.split_with_sizes_copy(x, [1, 2], 1), X
    yield "slice_copy", lambda x: torch.slice_copy(x, 1, 0, 3, 2), X
    yield "select_copy", lambda x: torch.select_copy(x, 1, 2), X
    yield "unfold_copy", lambda x: torch.unfold_copy(x, 1, 2, 1), X
    yield "view_as_real_copy", lambda x: torch.view_as_real_copy(torch.view_as_complex(x)), real(3, 2)
    yield "unsafe_split", lambda x: torch.unsafe_split(x, 2, 1), X
    yield "unsafe_split_with_sizes", lambda x: torch.unsafe_split_with_sizes(x, [1, 2], 1), X
    yield "unsafe_chunk", lambda x: torch.unsafe_chunk(x, 2), X


def overloads(torch: Any) -> Iterator[Row]:
    """Operations whose node is another for a number than for a tensor."""
    yield "remainder_tensor", lambda x, y: x % y, X, positive(2, 3)
    yield "remainder_of_number", lambda c: 2 % c, constant(2, 3)
    yield "fmod_tensor", lambda x, y: torch.fmod(x, y), X, positive(2, 3)
    yield "floor_divide_tensor", lambda c, d: c // d, constant(2, 3), constant(2, 3)
    yield "copysign_number", lambda x: torch.copysign(x, -2.0), X
    yield "sum_in_double", lambda x: x.sum(0, dtype=x.double().dtype), X
    yield "mean_in_double", lambda x: x.mean(dtype=x.double().dtype), X
    yield "prod_in_double", lambda x: x.prod(1, dtype=x.double().dtype), X
    yield "cumsum_in_double", lambda x: x.cumsum(0, dtype=x.double().dtype), X
    yield "cumprod_in_double", lambda x: x.cumprod(1, dtype=x.double().dtype), X
    yield "nansum_in_double", lambda x: x.nansum(dtype=x.double().dtype), X
    yield "norm_in_double", lambda x: torch.linalg.vector_norm(x, dtype=x.double().dtype), X
    yield "tensordot_to_one", lambda x, y: torch.tensordot(x, y, 2), X, real(2, 3)
    yield "inner_of_vectors", lambda x, y: torch.inner(x[0], y[1]), X, real(2, 3)
    yield "xlogy_number", lambda x: torch.xlogy(x, 2.0), X
    yield "xlogy_of_number", lambda x: torch.xlogy(2.0, x), positive(2, 3)
    yield "rsub_tensor", lambda x, y: torch.rsub(x, y, alpha=2), X, real(2, 3)
    yield "clamp_min_number", lambda x: x.clamp_min(0.1), X
    yield "clamp_min_tensor", lambda x, y: x.clamp_min(y), X, real(2, 3)
    yield "clamp_max_number", lambda x: x.clamp_max(0.1), X
    yield "clamp_max_tensor", lambda x, y: x.clamp_max(y), X, real(2, 3)
    yield "round_decimals", lambda x: x.round(decimals=1), X


def samples(torch: Any) -> Iterator[Row]:
    yield "gradient_plain", lambda x: torch.gradient(x), real(4, 3)
    yield "gradient_second_order", lambda x: torch.gradient(x, spacing=0.5, dim=0, edge_order=2), real(4, 3)
    yield "gradient_coordinates", lambda x, t: torch.gradient(x, spacing=(t.cumsum(0),), dim=1), X, positive(3)
    yield "diff_twice", lambda x: x.diff(n=2), real(2, 4)
    yield "diff_not_at_all", lambda x: x.diff(n=0), X
    yield "trapezoid_along", lambda y, x: torch.trapezoid(y, x, dim=0), X, real(2)
    yield "trapezoid_step", lambda y: torch.trapezoid(y, dx=0.5), X
    yield "cumulative_trapezoid_along", lambda y, x: torch.cumulative_trapezoid(y, x), X, real(3)
    yield "cumulative_trapezoid_step", lambda y: torch.cumulative_trapezoid(y, dx=0.5), X
    yield "nanmedian", torch.nanmedian, X
    yield "nanmedian_dim", lambda x: torch.nanmedian(x, 1), X
    yield "nanmedian_with_nan", lambda c: torch.nanmedian(c.sqrt(), 1), constant(2, 3)
    for way in ("lower", "higher", "midpoint", "nearest"):
        yield f"quantile_{way}", _quantile(torch, way), real(3, 4)
    yield "quantile_several", lambda x, q: x.quantile(q, dim=0), real(3, 4), probability(2)
    yield "nanquantile", lambda x, q: x.nanquantile(q, dim=1, keepdim=True), real(3, 4), probability(2)
    yield "nanquantile_with_nan", lambda c: c.sqrt().nanquantile(0.4, dim=1), constant(2, 3)
    yield "histogram", lambda c: tuple(torch.histogram(c, 3)), constant(9)
    yield (
        "histogram_density",
        lambda c, w: tuple(torch.histogram(c, 3, weight=w, density=True)),
        constant(9),
        P_CONSTANT,
    )
    yield "histogramdd", lambda c: torch.histogramdd(c, (2, 3))[0], constant(9, 2)


def numbers(torch: Any) -> Iterator[Row]:
    yield "gcd", torch.gcd, index(9, 4), index(9, 4)
    yield "lcm", torch.lcm, index(9, 4), index(9, 4)
    yield "frexp_both", lambda x: tuple(torch.frexp(x)), positive(2, 3)
    yield "ldexp_both", lambda x, y: torch.ldexp(x, y), X, real(2, 3)
    yield "nextafter", lambda x, y: torch.nextafter(x, y), X, real(2, 3)
    yield "sort_stable", lambda x: x.sort(dim=1, stable=True), X
    yield "unique_rows", lambda i: torch.unique(i, return_inverse=True, return_counts=True, dim=0), index(2, 5, 2)
    yield "unique_runs", lambda i: torch.unique_consecutive(i, return_counts=True), index(2, 9)
    yield "unique_runs_rows", lambda i: torch.unique_consecutive(i, return_inverse=True, dim=0), index(2, 5, 1)
    yield (
        "searchsorted_rows",
        lambda c, d: torch.searchsorted(c.sort(1)[0], d, right=True),
        constant(2, 4),
        constant(2, 3),
    )
    yield "fill_number", lambda x: torch.fill(x, 2.0), X
    yield "fill_tensor", lambda x, v: torch.fill(x, v), X, real()
    yield "cumprod_", lambda x: (x * 1).cumprod_(1), positive(2, 3)
    yield "logit_", lambda x: (x * 1).logit_(0.1), probability(2, 3)
    yield "tensordot_broadcast", lambda x, y: torch.tensordot(x, y, dims=([1], [0])), real(2, 1), real(3, 2)


def _quantile(torch: Any, way: str) -> Any:
    return lambda x: torch.quantile(x, 0.4, dim=0, interpolation=way)


P_CONSTANT = constant(9)
INDEX_TABLES = (by_index, copies, numbers, overloads, samples)
