"""Derived columns, which are not sent: lines, labels, shapes, when a buffer was freed, how much memory the saved
buffers held, and the formulas of operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.encoding import Pieces
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import NEVER, TABLES, Operands, Saved
from gradviz.trace.table.tables import columns, ranges
from gradviz.trace.table.values import ALL, DTYPES, numpy_dtype

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


Array = NDArray[Any]
Columns = dict[str, Array]


def derive(trace: Trace, pieces: Pieces, norms: Array | None = None) -> None:
    """Add the checked rows of a batch to the tables of a trace, with their derived columns."""
    strings = np.array(trace.strings, object)
    tables = trace.tables
    for name, table in TABLES.items():  # in this order: later tables refer to earlier ones
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
        if name == "values":
            first = len(trace.values) - len(rows)
            trace.values.norm[first:] = trace.store.norms(first, len(rows)) if norms is None else norms
        if name in _AFTER:
            _AFTER[name](trace, arrays)


def _at(column: Array, rows: Array, default: Any) -> Array:
    """`column[rows]`, with `default` where a row is -1."""
    if not len(column):
        return np.full(len(rows), default, column.dtype)
    found: Array = column[rows]
    found[rows < 0] = default
    return found


def _steps(trace: Trace, new: Columns) -> Columns:
    return {"line": _at(trace.sites.line, new["site"], -1)}


def _regions(trace: Trace, new: Columns) -> Columns:
    start, before = len(trace.regions), trace.regions
    depth: list[int] = []
    module: list[str] = []
    for parent, kind, name in zip(new["parent"].tolist(), new["kind"].tolist(), new["name"], strict=True):
        new_parent = parent >= start
        level = -1 if parent < 0 else depth[parent - start] if new_parent else int(before.depth[parent])
        path = "" if parent < 0 else module[parent - start] if new_parent else before.module[parent]
        depth.append(level + 1)
        module.append(name if kind == RegionKind.MODULE else path)
    return {"depth": np.array(depth, np.int64), "module": np.array(module, object)}


def _nodes(trace: Trace, new: Columns) -> Columns:
    sites = trace.sites
    places = {name: _at(getattr(sites, name), new["site"], -1) for name in ("line", "col", "end_line", "end_col")}
    return {**places, "source": _at(sites.source, new["site"], ""), "scope": _scopes(trace, new)}


def _scopes(trace: Trace, new: Columns) -> Array:
    """The modules that operations belong to. An argument that is detached, `D(fake.detach())`, gets its step where it
    is read, but is not of the module that is called with it."""
    regions = trace.regions
    modules = regions.module if len(regions) else np.empty(0, object)
    scope = _at(modules, new["region"], "")
    for row in np.flatnonzero((new["op"] == "detach") & (new["region"] >= 0)).tolist():
        region, site = int(new["region"][row]), int(new["site"][row])
        while region >= 0 and _is_inside(trace, site, int(regions.site[region])):
            region = int(regions.parent[region])
        scope[row] = modules[region] if region >= 0 else ""
    return scope


def _is_inside(trace: Trace, site: int, other: int) -> bool:
    """Whether the text of one site is a part of that of the other, and not all of it."""
    if min(site, other) < 0 or site == other:
        return False
    lines, cols, ends, end_cols = (getattr(trace.sites, name) for name in ("line", "col", "end_line", "end_col"))
    begins_later = (lines[other], cols[other]) <= (lines[site], cols[site])
    return bool(begins_later and (ends[site], end_cols[site]) <= (ends[other], end_cols[other]))


def _tensors(trace: Trace, new: Columns) -> Columns:
    codes = _at(trace.values.dtype, new["value"], len(DTYPES))
    return {
        "line": _at(trace.sites.line, new["site"], -1),
        "label": _at(trace.sites.source, new["site"], ""),
        "dtype": np.array([*DTYPES, ""], object)[codes],
        "shape": trace.store.shapes(new["value"]),
    }


def _flows(trace: Trace, new: Columns) -> Columns:
    inputs, node, slot = trace.inputs, new["node"], new["slot"]
    low, end = np.searchsorted(inputs.node, node), np.searchsorted(inputs.node, node, "right")
    high = np.minimum(low + slot, end - 1)  # the row, if every operand before it is a tensor; never a later one
    left = np.flatnonzero(low < high)
    left = left[inputs.slot[high[left]] > slot[left]]  # some operand was not a tensor: bisect
    while len(left):
        middle = (low[left] + high[left]) // 2
        before = inputs.slot[middle] < slot[left]
        low[left[before]], high[left[~before]] = middle[before] + 1, middle[~before]
        left = left[low[left] < high[left]]
    there = np.flatnonzero(low <= high)
    there = there[inputs.slot[high[there]] == slot[there]]
    found = np.full(len(node), -1)
    found[there] = high[there]
    return {"input": found}


def _saved(trace: Trace, new: Columns) -> Columns:
    tensor, storage = new["tensor"], new["storage"]
    size = _nbytes(trace, tensor)
    seen = np.flatnonzero((storage != tensor) & (storage >= 0) & (storage < len(trace.tensors)))
    size[seen] = np.minimum(size[seen], _nbytes(trace, storage[seen]))  # an expanded view is larger than its memory
    nbytes = np.where(tensor >= 0, size, new["nbytes"])
    return {"nbytes": nbytes, "freed": np.full(len(new["node"]), NEVER, np.int32)}


def _nbytes(trace: Trace, tensor: Array) -> Array:
    values, value = trace.values, _at(trace.tensors.value, tensor, -1)
    itemsize = np.array([numpy_dtype(name).itemsize for name in DTYPES])
    size: Array = _at(values.count, value, 0) * itemsize[_at(values.dtype, value, 0)]
    for row in np.flatnonzero(_at(values.kept, value, ALL) != ALL).tolist():  # the edges of a large array
        wanted = math.prod(trace.store.shape(int(value[row]))) * int(itemsize[values.dtype[value[row]]])
        size[row] = min(wanted, np.iinfo(np.int64).max)
    return size


def _calls(trace: Trace, new: Columns) -> Columns:
    return {
        "line": _at(trace.sites.line, new["site"], -1),
        "source": _at(trace.sites.source, new["site"], ""),
        "end": np.full(len(new["site"]), NEVER, np.int32),
    }


def _values(trace: Trace, new: Columns) -> Columns:
    begin = len(trace.dims) - int(new["ndim"].sum(dtype=np.int64))  # the sizes of these values have already been added
    ends = np.cumsum(new["ndim"], dtype=np.int64)
    return {"norm": np.zeros(len(new["dtype"])), "sizes": begin + ends - new["ndim"]}


def _after_frees(trace: Trace, new: Columns) -> None:
    node, at = np.unique(new["node"], return_index=True)  # the first time counts
    low = np.searchsorted(trace.saved.node, node)
    high = np.searchsorted(trace.saved.node, node, "right")
    rows = ranges(low, high)
    steps = np.repeat(new["step"][at], high - low)
    held = trace.saved.freed[rows] == NEVER
    rows, steps = rows[held], steps[held]
    trace.saved.freed[rows] = np.maximum(steps, trace.saved.step[rows] + 1)  # the step that saves it has it


def _after_ends(trace: Trace, new: Columns) -> None:
    known = new["call"] >= 0
    trace.calls.end[new["call"][known]] = new["step"][known]


_DERIVED: dict[str, Callable[[Trace, Columns], Columns]] = {
    "steps": _steps,
    "regions": _regions,
    "nodes": _nodes,
    "tensors": _tensors,
    "flows": _flows,
    "saved": _saved,
    "calls": _calls,
    "values": _values,
}
_AFTER: dict[str, Callable[[Trace, Columns], None]] = {
    "frees": _after_frees,
    "drops": _after_frees,
    "ends": _after_ends,
}


def held_curve(saved: Saved, steps: int) -> Array:
    """Bytes held at cursors 0..steps: for every storage that at least one buffer holds, the largest size that any of
    them saw."""
    change = np.zeros(steps + 2, np.int64)
    if len(saved):
        storage, which = np.unique(saved.storage, return_inverse=True)
        size = np.zeros(len(storage), np.int64)
        np.maximum.at(size, which, saved.nbytes)
        freed = saved.freed != NEVER
        when = np.concatenate([saved.step, saved.freed[freed]]).astype(np.int64)
        who = np.concatenate([which, which[freed]])
        by = np.concatenate([np.ones(len(saved), np.int64), np.full(int(freed.sum()), -1)])
        order = np.lexsort((by, when, who))
        when, who, by = when[order], who[order], by[order]
        holders = np.cumsum(by)
        holders -= np.repeat(*_before_group(who, holders, by))
        begins, ends = (holders == 1) & (by == 1), (holders == 0) & (by == -1)
        np.add.at(change, when[begins] + 1, size[who[begins]])
        np.add.at(change, when[ends] + 1, -size[who[ends]])
    return np.cumsum(change)[: steps + 1]


def _before_group(who: Array, running: Array, by: Array) -> tuple[Array, Array]:
    """The running sum just before each group of equal `who`, and the length of the group."""
    starts = np.flatnonzero(np.diff(who, prepend=-1))
    return (running - by)[starts], np.diff(np.append(starts, len(who)))


@dataclass(frozen=True, slots=True)
class Op:
    """One kind of operation."""

    inputs: tuple[str, ...]  # "self", "other"; "*tensors" for any number of operands
    outputs: tuple[str, ...]  # "result"
    derivatives: Mapping[str, str]  # by input: "grad · other"
    expressions: Mapping[str, str]  # by input, where the formula is more than words: "grad * other"

    def operand(self, slot: int) -> str:
        """The name of the operand in a slot, "" for none."""
        if self.inputs and self.inputs[0].startswith("*"):
            return self.inputs[0][1:]
        return self.inputs[slot] if slot < len(self.inputs) else ""


def find_ops(operands: Operands) -> dict[tuple[str, str], Op]:
    """All operations that were recorded, by name and name of the node."""
    rows: dict[tuple[str, str], list[tuple[bool, str, str, str]]] = {}
    columns = (operands.op, operands.node_name, operands.output, operands.name, operands.formula, operands.expression)
    for op, node_name, output, *texts in zip(*columns, strict=True):
        name, formula, expression = texts
        rows.setdefault((op, node_name), []).append((bool(output), name, formula, expression))
    return {
        key: Op(
            tuple(name for output, name, *_ in found if not output),
            tuple(name for output, name, *_ in found if output),
            {name.removeprefix("*"): formula for output, name, formula, _ in found if formula and not output},
            {name.removeprefix("*"): expression for output, name, _, expression in found if expression and not output},
        )
        for key, found in rows.items()
    }
