"""The columns that are not sent because they follow from others: lines, labels, shapes, when a buffer was freed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.encoding import Pieces
from gradviz.trace.schema import NEVER, TABLES
from gradviz.trace.tables import columns
from gradviz.trace.values import DTYPES, numpy_dtype

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

Array = NDArray[Any]
Columns = dict[str, Array]


def derive(trace: Trace, pieces: Pieces) -> None:
    """Add the checked rows of a batch to the tables of a trace, with their derived columns."""
    strings = np.array(trace.strings, object)
    tables = trace.tables
    for name, table in TABLES.items():  # in this order: later tables look things up in earlier ones
        rows = pieces.rows[name]
        if not len(rows):
            continue
        arrays: Columns = {}
        for column, spec in columns(table).items():
            if not spec.derived:
                arrays[column] = strings[rows[column]] if spec.text else rows[column]
        if name in _DERIVED:
            arrays |= _DERIVED[name](trace, arrays)
        if name == "values":
            arrays |= trace.store.place(pieces.elements, arrays, pieces.rows["dims"]["size"])
        tables[name].append(arrays, len(rows))
        if name in _AFTER:
            _AFTER[name](trace, arrays)


def _at(column: Array, rows: Array, default: Any) -> Array:
    """`column[rows]`, `default` where a row is -1."""
    return np.append(column, np.array([default], column.dtype))[rows]


def _steps(trace: Trace, new: Columns) -> Columns:
    return {"line": _at(trace.sites.line, new["site"], -1)}


def _nodes(trace: Trace, new: Columns) -> Columns:
    sites = trace.sites
    places = {name: _at(getattr(sites, name), new["site"], -1) for name in ("line", "col", "end_line", "end_col")}
    return {**places, "source": _at(sites.source, new["site"], "")}


def _tensors(trace: Trace, new: Columns) -> Columns:
    codes = _at(trace.values.dtype, new["value"], len(DTYPES))
    shapes = np.empty(len(codes), object)
    shape = trace.store.shape
    shapes[:] = [shape(value) if value >= 0 else () for value in new["value"].tolist()]
    return {
        "line": _at(trace.sites.line, new["site"], -1),
        "label": _at(trace.sites.source, new["site"], ""),
        "dtype": np.array([*DTYPES, ""], object)[codes],
        "shape": shapes,
    }


def _flows(trace: Trace, new: Columns) -> Columns:
    inputs = trace.inputs
    keys = inputs.node.astype(np.int64) << 32 | inputs.slot
    wanted = new["node"].astype(np.int64) << 32 | new["slot"]
    row = np.searchsorted(keys, wanted)
    found = np.append(keys, -1)[row] == wanted
    return {"input": np.where(found, row, -1)}


def _saved(trace: Trace, new: Columns) -> Columns:
    tensors, values = trace.tensors, trace.values
    value = _at(tensors.value, new["tensor"], -1)
    itemsize = np.array([numpy_dtype(name).itemsize for name in DTYPES])
    size = _at(values.count, value, 0) * itemsize[_at(values.dtype, value, 0)]
    for row in np.flatnonzero(~_at(values.complete, value, True)).tolist():  # the edges of a large array
        size[row] = math.prod(trace.store.shape(int(value[row]))) * itemsize[values.dtype[value[row]]]
    nbytes = np.where(new["tensor"] >= 0, size, new["nbytes"])
    return {"nbytes": nbytes, "freed": np.full(len(new["node"]), NEVER, np.int32)}


def _calls(trace: Trace, new: Columns) -> Columns:
    return {
        "line": _at(trace.sites.line, new["site"], -1),
        "source": _at(trace.sites.source, new["site"], ""),
        "end": np.full(len(new["site"]), NEVER, np.int32),
    }


def _values(trace: Trace, new: Columns) -> Columns:
    return {"norm": np.zeros(len(new["dtype"]))}


def _after_values(trace: Trace, new: Columns) -> None:
    count = len(new["dtype"])
    first = len(trace.values) - count
    trace.store.grown()
    trace.values.norm[first:] = trace.store.norms(first, count)


def _after_frees(trace: Trace, new: Columns) -> None:
    low = np.searchsorted(trace.saved.node, new["node"])
    high = np.searchsorted(trace.saved.node, new["node"], "right")
    for start, end, step in zip(low.tolist(), high.tolist(), new["step"].tolist(), strict=True):
        freed = trace.saved.freed[start:end]
        freed[freed == NEVER] = step


def _after_ends(trace: Trace, new: Columns) -> None:
    known = new["call"] >= 0
    trace.calls.end[new["call"][known]] = new["step"][known]


_DERIVED: dict[str, Callable[[Trace, Columns], Columns]] = {
    "steps": _steps,
    "nodes": _nodes,
    "tensors": _tensors,
    "flows": _flows,
    "saved": _saved,
    "calls": _calls,
    "values": _values,
}
_AFTER: dict[str, Callable[[Trace, Columns], None]] = {
    "values": _after_values,
    "frees": _after_frees,
    "drops": _after_frees,
    "ends": _after_ends,
}
