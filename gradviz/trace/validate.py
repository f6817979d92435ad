"""What the rows of a batch may say: every number that refers to another table must be a row of it, steps never
decrease, sizes and lengths agree. After this check nothing that reads a trace can run into a bad index. Lengths and
types were checked by `encoding.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.encoding import Pieces, refuse_unless
from gradviz.trace.kinds import TABLE_OF_KIND, Kind
from gradviz.trace.regions import RegionKind
from gradviz.trace.schema import TABLES, UNTRACKED
from gradviz.trace.tables import Table, columns
from gradviz.trace.values import DTYPES, WHOLE, kept_elements, numpy_dtype, products

Array = NDArray[Any]

_ASCENDING = {  # columns that never decrease, besides every `step`
    "inputs": "node",
    "saved": "node",
    "roots": "call",
    "wanted": "call",
    "summaries": "value",
    "links": "chain",
}


def validate(pieces: Pieces, tables: dict[str, Table], strings: int) -> None:
    """Check a batch against the trace so far, of which `strings` is the number of texts. Raises `TraceFormatError`."""
    counts = {name: len(table) for name, table in tables.items()}
    refuse_unless(pieces.start == counts, "a batch is missing or came twice")
    totals = {name: counts[name] + len(pieces.rows[name]) for name in TABLES}
    totals["strings"] = strings + len(pieces.strings)
    for name, table in TABLES.items():
        if len(pieces.rows[name]):
            _references(name, table, pieces.rows[name], totals)
            _ascending(name, tables[name], pieces.rows[name])
    _kinds(pieces.rows["steps"], totals)
    _values(pieces)
    refuse_unless((pieces.rows["flows"]["slot"] >= 0).all(), "a negative slot")
    refuse_unless((pieces.rows["nodes"]["reason"] < len(UNTRACKED)).all(), "unknown reason in nodes")
    _edges(tables, pieces.rows)
    _regions(tables["regions"].parent, pieces.rows["regions"])  # type: ignore[attr-defined]
    _answers(tables, pieces.rows, totals)
    refuse_unless(totals["errors"] <= 1, "more than one error")


def _references(name: str, table: type[Table], rows: Array, totals: dict[str, int]) -> None:
    for column, spec in columns(table).items():
        if spec.refers:
            numbers = rows[column]
            low = -1 if spec.none else 0
            refuse_unless(
                (numbers >= low).all() and (numbers < totals[spec.refers]).all(), f"{name}.{column} is out of range"
            )
        elif spec.type == "b1":
            refuse_unless((rows[column].view(np.uint8) <= 1).all(), f"{name}.{column} is not a flag")


def _ascending(name: str, before: Table, rows: Array) -> None:
    for column in {"step", _ASCENDING.get(name, "step")} & set(rows.dtype.names or ()):
        numbers = rows[column]
        known = getattr(before, column)
        refuse_unless((np.diff(numbers) >= 0).all(), f"{name}.{column} goes back")
        refuse_unless(not len(known) or numbers[0] >= known[-1], f"{name}.{column} goes back")


def _kinds(steps: Array, totals: dict[str, int]) -> None:
    refuse_unless((steps["kind"] < len(Kind)).all(), "unknown kind of step")
    for kind in Kind:
        refs = steps["ref"][steps["kind"] == kind]
        refuse_unless((refs >= 0).all() and (refs < totals[TABLE_OF_KIND[kind]]).all(), f"{kind.name} refers to no row")


def _edges(tables: dict[str, Table], rows: dict[str, Array]) -> None:
    """The edges of the forward graph: each slot once, a real tensor, and no cycle."""
    inputs, tensors = rows["inputs"], rows["tensors"]
    numbers = np.arange(len(tables["tensors"]), len(tables["tensors"]) + len(tensors))
    refuse_unless((tensors["grad_of"] < numbers).all(), "a gradient came before its tensor")
    if not len(inputs):
        return
    refuse_unless((inputs["slot"] >= 0).all(), "a negative slot")
    refuse_unless(int(inputs["node"][0]) >= len(tables["nodes"]), "an edge of an earlier batch's node")
    key = inputs["node"].astype(np.int64) << 32 | inputs["slot"]
    refuse_unless((np.diff(key) > 0).all(), "a slot is used twice")
    producer = np.concatenate([tables["tensors"].producer, tensors["producer"]])  # type: ignore[attr-defined]
    refuse_unless((producer[inputs["tensor"]] < inputs["node"]).all(), "an edge leads back")


def _regions(before: Array, rows: Array) -> None:
    """Note [Order of regions]: each is in the one before it or in one around that."""
    refuse_unless((rows["kind"] < len(RegionKind)).all(), "unknown kind of region")
    refuse_unless((rows["index"] >= 0).all(), "a negative iteration")
    around, last = [-1], len(before) - 1
    while last >= 0:
        around.insert(1, last)
        last = int(before[last])
    for row, parent in enumerate(rows["parent"].tolist(), len(before)):
        while around and around[-1] != parent:
            around.pop()
        refuse_unless(around, "a region is not in one that is open")
        around.append(row)


def _answers(tables: dict[str, Table], rows: dict[str, Array], totals: dict[str, int]) -> None:
    """The paths of the one backward call that was asked about: each from a root of it."""
    chains, links = rows["chains"], rows["links"]
    refuse_unless(totals["answers"] <= 1, "more than one answer")
    refuse_unless((links["chain"] >= 0).all() and (links["chain"] < totals["chains"]).all(), "a link of no path")
    if not len(chains):
        return
    refuse_unless(totals["answers"], "a path that nobody asked for")
    call = np.concatenate([tables["answers"].call, rows["answers"]["call"]])  # type: ignore[attr-defined]
    roots = np.concatenate([tables["roots"].call, rows["roots"]["call"]])  # type: ignore[attr-defined]
    refuse_unless((chains["root"] >= 0).all() and (chains["root"] < (roots == call).sum()).all(), "a path from no root")


def _values(pieces: Pieces) -> None:
    rows, sizes = pieces.rows["values"], pieces.rows["dims"]["size"]
    refuse_unless((rows["dtype"] < len(DTYPES)).all(), "unknown type of value")
    refuse_unless((rows["ndim"] <= 64).all(), "too many dimensions")
    refuse_unless(int(rows["ndim"].sum(dtype=np.int64)) == len(sizes), "sizes are missing")
    refuse_unless((sizes >= 0).all() and (_bytes(rows, sizes) <= 2.0**63).all(), "impossible size")
    count = kept_elements(rows, sizes)
    refuse_unless((count <= WHOLE).all(), "a value is too large")
    for code, name in enumerate(DTYPES):
        found = count[rows["dtype"] == code].sum()
        refuse_unless(found == len(pieces.elements[name]), f"values and elements of {name} disagree")
    partial = np.flatnonzero(~rows["complete"]) + pieces.start["values"]
    refuse_unless(np.array_equal(partial, pieces.rows["summaries"]["value"]), "a summary is missing")


def _bytes(rows: Array, sizes: Array) -> Array:
    """How long each value would be if its elements lay side by side; a size of 0 counts as 1, as it does in NumPy."""
    itemsize = np.array([float(numpy_dtype(name).itemsize) for name in DTYPES])[rows["dtype"]]
    found: Array = itemsize * products(rows["ndim"], np.maximum(sizes, 1))
    return found
