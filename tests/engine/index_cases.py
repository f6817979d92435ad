"""Cases of `op_cases.py` for indexing and memory beyond what tutorials use: reductions by index, writing by place,
strides, the copying forms of views."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.engine.op_cases import Row, X, index, mask, positive, real


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
    yield "as_strided_scatter", lambda x, y: torch.as_strided_scatter(x, y, (2, 2), (1, 2), 1), X, real(2, 2)


def _scattered(reduce: str, include_self: bool) -> Any:
    return lambda x, i, y: x.scatter_reduce(0, i, y, reduce, include_self=include_self)


def _indexed(reduce: str, include_self: bool) -> Any:
    return lambda x, i, y: x.index_reduce(0, i, y, reduce, include_self=include_self)


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


INDEX_TABLES = (by_index, copies)
