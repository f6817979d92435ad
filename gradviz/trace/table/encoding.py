"""A batch of rows on its way through the pipe: `Writer` packs rows, texts and values in the worker; `read` unpacks them
and `validate` refuses whatever the schema does not allow, because the worker runs untrusted code. JSON and raw numbers
only, never pickle."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.batched import BatchedArray
from gradviz.trace.table.kinds import TABLE_OF_KIND, Kind
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import NO_PARTIALS, TABLES, UNTRACKED, Batch
from gradviz.trace.table.tables import Table, columns, row_dtype, row_format
from gradviz.trace.table.values import (
    ALL,
    DTYPES,
    EDGES,
    NO_NUMBERS,
    NOTHING,
    WHOLE,
    Elsewhere,
    Summary,
    edge_indices,
    edges_of,
    kept_elements,
    numpy_dtype,
    products,
    summarise,
    summarise_all,
)

Array = NDArray[Any]

FORMAT = 1
MAX_PAYLOAD = 1 << 30
MAX_STRINGS = 1 << 22
BUDGET = 256 << 20  # bytes of values that one run keeps in full
LARGE = 4_096  # bytes from which a value is not joined with others
LITTLE = 64  # bytes: anything no larger than its summary is always kept in full
WAITING = 32 << 20  # maximum bytes of values waiting for their summaries

_HEADER = {"format", "start", "rows", "strings", "elements", "beyond"}
_CODE = {name: code for code, name in enumerate(DTYPES)}
PACK = {name: Struct(row_format(table)).pack for name, table in TABLES.items()}
_MOST_DIMS = 64  # of a NumPy array
_PACK_DIMS = [Struct(f"<{ndim}q").pack for ndim in range(_MOST_DIMS + 1)]
_WAITS = 4  # until the batch is taken: still complete here, to be summarised (EDGES) then
_ROW = {name: row_dtype(table) for name, table in TABLES.items()}
_SIZE = {name: row.itemsize for name, row in _ROW.items()}


class TraceFormatError(ValueError):
    """A batch that does not follow the schema."""


def refuse_unless(holds: object, what: str) -> None:
    """Raise `TraceFormatError` saying `what` unless the condition holds."""
    if not holds:
        raise TraceFormatError(f"malformed trace: {what}")


_Small = dict[tuple[int, ...], tuple[bytes, bytes, float]]  # rows of `dims` and `values`, and the size in bytes
_Kind = tuple[list[bytes | bytearray], list[list[bytes]], _Small]  # of a dtype: elements, rows, its small shapes
_UNKNOWN = (b"", b"", math.inf)
Parts = tuple[dict[str, object], list[bytes | bytearray]]  # the header of a batch, and its payload in parts


@functools.cache
def _rows_of(code: int) -> list[list[bytes]]:
    """The rows of `values` for a dtype, by what is kept (EDGES, ALL or _WAITS) and the number of dimensions."""
    pack = PACK["values"]
    return [[pack(code, ndim, kept) for ndim in range(_MOST_DIMS + 1)] for kept in (EDGES, ALL, _WAITS)]


class Writer:
    """Rows, texts and values since the last `take`, and how many there were in all."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.rows: dict[str, bytearray] = {name: bytearray() for name in TABLES}
        self.values = 0  # how many values there have been so far
        self._sent = dict.fromkeys(TABLES, 0)
        self._budget: float = budget
        self._beyond = 0  # values that the budget did not suffice for
        self._texts: dict[str, int] = {}
        self._new_texts: list[str] = []
        # The elements of the values, by dtype: large values unchanged, everything between two of them joined.
        self._elements: dict[str, list[bytes | bytearray]] = {name: [] for name in DTYPES}
        self._value_rows = self.rows["values"]
        self._dims = self.rows["dims"]
        self._waiting = 0  # bytes of values that are summarised when the batch is taken
        self._kinds: dict[np.dtype[Any], _Kind] = {}
        self._switch(np.dtype(np.float32))

    def count(self, table: str) -> int:
        """How many rows of a table there have been, sent or not."""
        return self._sent[table] + len(self.rows[table]) // _SIZE[table]

    def add(self, table: str, *row: Any) -> int:
        """Add a row; returns its index."""
        rows = self.rows[table]
        at = self._sent[table] + len(rows) // _SIZE[table]
        rows += PACK[table](*row)
        return at

    def text(self, text: str) -> int:
        """The index of a text, sent once."""
        at = self._texts.get(text)
        if at is None:
            at = self._texts[text] = len(self._texts)
            self._new_texts.append(text.encode("utf-8", "replace").decode())
        return at

    def value(self, array: Array | BatchedArray, *, whole: bool = True) -> int:
        """The index of a new value, copied as it is now; if it need not stay `whole`, a summary is kept."""
        at = self.values
        self.values = at + 1
        if isinstance(array, BatchedArray):
            array = array.phys  # all examples of a vmap
        if array.dtype is not self._dtype:
            self._switch(array.dtype)
        if not array.ndim:
            self._value_rows += self._scalar_row
            self._now += array.tobytes()
            return at
        dims, row, size = self._small.get(array.shape, _UNKNOWN)
        if whole and size <= self._budget:
            self._budget -= size
            self._dims += dims
            self._value_rows += row
            self._now += array.tobytes()
        else:
            self._add_array(at, array, whole)
        return at

    def copied(self, dtype: np.dtype[Any], shape: tuple[int, ...], data: bytes, *, whole: bool = True) -> int:
        """The index of a new value with these elements, no more than `WHOLE`, as `value` writes them."""
        at = self.values
        self.values = at + 1
        if dtype is not self._dtype:
            self._switch(dtype)
        dims, row, size = (b"", self._scalar_row, 0) if not shape else self._small.get(shape, _UNKNOWN)
        if whole and size <= self._budget:
            self._budget -= size
            self._dims += dims
            self._value_rows += row
            self._now += data
        else:
            self._add_bytes(shape, data, whole)
        return at

    def _switch(self, dtype: np.dtype[Any]) -> None:
        """The next values have this dtype, which is looked up once."""
        known = self._kinds.get(dtype)
        if known is None:
            known = self._kinds[dtype] = (self._elements[dtype.name], _rows_of(_CODE[dtype.name]), {})
        self._dtype, (self._chunks, (self._edge_rows, self._whole_rows, self._waiting_rows), self._small) = dtype, known
        self._scalar_row = self._whole_rows[0]
        self._begin_chunk()

    def _begin_chunk(self) -> None:
        last = self._chunks[-1] if self._chunks else b""
        self._now = last if isinstance(last, bytearray) else bytearray()
        if self._now is not last:
            self._chunks.append(self._now)

    def _add_array(self, at: int, array: Array, whole: bool) -> None:
        if array.size > WHOLE:
            self._dims += _PACK_DIMS[array.ndim](*array.shape)
            self._add_summary(at, array.ndim, edges_of(array), summarise(array))
        else:
            self._add_bytes(array.shape, array.tobytes(), whole)

    def _add_bytes(self, shape: tuple[int, ...], data: bytes, whole: bool) -> None:
        ndim, size = len(shape), len(data)
        self._dims += _PACK_DIMS[ndim](*shape)
        if size <= LITTLE or (whole and size <= self._budget):
            self._budget = max(self._budget - size, 0)
            self._value_rows += self._whole_rows[ndim]
            if size < LARGE:
                self._small[shape] = (_PACK_DIMS[ndim](*shape), self._whole_rows[ndim], size)
        else:
            self._beyond += whole
            self._waiting += size
            self._value_rows += self._waiting_rows[ndim]
        if size < LARGE:
            self._now += data
        else:
            self._chunks.append(data)
            self._begin_chunk()
        if self._waiting > WAITING:
            self._summarise_waiting()

    def _summarise_waiting(self) -> None:
        """Summarise the waiting values, all of one shape at once: one by one, this would take longer than everything
        else that is recorded about small arrays."""
        rows = np.frombuffer(self._value_rows, _ROW["values"]).copy()
        waits = rows["kept"] == _WAITS
        rows["kept"][waits] = ALL
        sizes = np.frombuffer(bytes(self._dims), np.int64)
        counts = kept_elements(rows, sizes).astype(np.int64)
        first = (np.cumsum(rows["ndim"], dtype=np.int64) - rows["ndim"]).tolist()
        rows["kept"][waits] = EDGES
        dims, ndim = sizes.tolist(), rows["ndim"].tolist()
        summaries = [np.frombuffer(bytes(self.rows["summaries"]), _ROW["summaries"])]
        for code in np.unique(rows["dtype"][waits]).tolist():
            mine = np.flatnonzero(rows["dtype"] == code)
            ends = np.cumsum(counts[mine]) * numpy_dtype(DTYPES[code]).itemsize
            mine, ends = mine[waits[mine]], ends[waits[mine]]
            shapes = [tuple(dims[first[at] : first[at] + ndim[at]]) for at in mine.tolist()]
            summaries += self._shortened(DTYPES[code], shapes, ends.tolist(), mine + self.values - len(rows))
        merged = np.concatenate(summaries)
        self.rows["summaries"][:] = merged[np.argsort(merged["value"])].tobytes()
        self._value_rows[:] = rows.tobytes()
        self._waiting = 0
        self._begin_chunk()

    def _shortened(self, name: str, shapes: list[tuple[int, ...]], ends: list[int], numbers: Array) -> list[Array]:
        """Keep only the edges of the values that end at these positions in the elements of a dtype; returns their rows
        of `summaries`."""
        chunks, dtype = self._elements[name], numpy_dtype(name)
        data = memoryview(b"".join(chunks))
        groups: dict[tuple[int, ...], list[int]] = {}
        for at, shape in enumerate(shapes):
            groups.setdefault(shape, []).append(at)
        made: list[Array] = []
        pieces = [b""] * len(shapes)
        for shape, places in groups.items():
            size = math.prod(shape) * dtype.itemsize
            together = np.frombuffer(b"".join([data[ends[at] - size : ends[at]] for at in places]), dtype)
            together = together.reshape(-1, *shape)
            edges = together[np.ix_(range(len(places)), *map(edge_indices, shape))]
            for at, each in zip(places, edges, strict=True):
                pieces[at] = each.tobytes()
            rows = np.zeros(len(places), _ROW["summaries"])
            rows["value"] = numbers[places]
            for column, found in summarise_all(together).items():
                rows[column] = found
            made.append(rows)
        kept: list[bytes | memoryview] = []
        last = 0
        for at, (shape, end) in enumerate(zip(shapes, ends, strict=True)):
            kept += (data[last : end - math.prod(shape) * dtype.itemsize], pieces[at])
            last = end
        chunks[:] = [b"".join([*kept, data[last:]])]
        return made

    def summarised(self, shape: Sequence[int], edges: Array, found: Summary) -> int:
        """The index of a new value of which only this is known; the edges are as returned by `edges_of`."""
        at = self.values
        self.values = at + 1
        if edges.dtype is not self._dtype:
            self._switch(edges.dtype)
        self._dims += _PACK_DIMS[len(shape)](*shape)
        self._add_summary(at, len(shape), edges, found)
        return at

    def value_of(self, tensor: Any) -> int:
        """The index of the value of a tensor of the engine as it is now."""
        return self.no_numbers(tensor._data) if tensor._on_meta else self.value(tensor._data)

    def no_numbers(self, array: Array | BatchedArray) -> int:
        """The index of a new value of something on the meta device."""
        return self.unkept(array.shape, array.dtype.name, NO_NUMBERS)

    def unkept(self, shape: Sequence[int], dtype: str, kept: int = NOTHING) -> int:
        """The index of a new value of which only shape and dtype are known."""
        at = self.values
        self.values = at + 1
        self._dims += _PACK_DIMS[len(shape)](*shape)
        self._value_rows += PACK["values"](_CODE[dtype], len(shape), kept)
        return at

    def _add_summary(self, at: int, ndim: int, edges: Array, found: Summary) -> None:
        self.add("summaries", at, found.low, found.high, found.mean, found.norm, found.nans)
        self._value_rows += self._edge_rows[ndim]
        self._now += edges.tobytes()

    @property
    def size(self) -> int:
        """Bytes of rows and elements since the last `take`."""
        elements = sum([sum(map(len, chunks)) for chunks in self._elements.values()])
        return sum(map(len, self.rows.values())) + elements

    def take(self) -> Batch:
        """Everything since the last call."""
        return joined(self.take_parts())

    def take_parts(self) -> Parts:
        """The same with the payload in parts: large values are copied only once, when they are recorded."""
        if self._waiting:
            self._summarise_waiting()
        counts = {name: len(rows) // _SIZE[name] for name, rows in self.rows.items()}
        header = {
            "format": FORMAT,
            "start": dict(self._sent),
            "rows": counts,
            "strings": self._new_texts,
            "beyond": self._beyond,
            "elements": {
                name: sum(map(len, chunks)) // numpy_dtype(name).itemsize
                for name, chunks in self._elements.items()
                if any(chunks)
            },
        }
        parts = [b"".join(self.rows.values()), *itertools.chain.from_iterable(self._elements.values())]
        for name, rows in self.rows.items():
            self._sent[name] += counts[name]
            rows.clear()
        for chunks in self._elements.values():
            chunks.clear()
        self._begin_chunk()
        self._new_texts = []
        return header, parts


def joined(parts: Parts) -> Batch:
    """A batch as it comes out of the pipe."""
    header, payload = parts
    return Batch(header, b"".join(payload))


@dataclass(frozen=True, slots=True)
class Pieces:
    """A decoded batch: rows as structured arrays, new texts, the elements of the values."""

    start: dict[str, int]
    rows: dict[str, Array]
    strings: list[str]
    elements: dict[str, Array | Elsewhere]  # of the values, by dtype
    beyond: int  # values of the run so far that were not kept in full because the budget was spent


def _counts(found: object, what: str) -> dict[str, int]:
    refuse_unless(isinstance(found, dict) and set(found) == set(TABLES), f"{what} must name every table")
    assert isinstance(found, dict)
    refuse_unless(all(type(n) is int and 0 <= n < 1 << 31 for n in found.values()), f"{what} must be counts")
    return found


def read(batch: Batch) -> Pieces:
    """Decode a batch by lengths and types; `validate` checks what the rows mean. Raises `TraceFormatError`."""
    header, payload = batch.header, batch.payload
    refuse_unless(isinstance(header, dict) and isinstance(payload, bytes), "header or payload has the wrong type")
    refuse_unless(set(header) == _HEADER, "unknown or missing header fields")
    refuse_unless(header["format"] == FORMAT and type(header["format"]) is int, "unknown format number")
    start, counts = _counts(header["start"], "start"), _counts(header["rows"], "rows")
    strings, elements, beyond = header["strings"], header["elements"], header["beyond"]
    refuse_unless(type(beyond) is int and 0 <= beyond < 1 << 31, "impossible count of values")
    refuse_unless(isinstance(strings, list) and len(strings) <= MAX_STRINGS, "strings must be a list")
    refuse_unless(all(type(s) is str for s in strings), "strings must be texts")
    refuse_unless(isinstance(elements, dict) and set(elements) <= set(DTYPES), "unknown type of values")
    refuse_unless(
        all(type(n) is int and 0 <= n <= MAX_PAYLOAD for n in elements.values()), "impossible length of values"
    )
    sizes = [counts[name] * _SIZE[name] for name in TABLES]
    sizes += [length * numpy_dtype(name).itemsize for name, length in elements.items()]
    refuse_unless(sum(sizes) == len(payload) <= MAX_PAYLOAD, "the payload has the wrong length")
    at = 0
    rows: dict[str, Array] = {}
    for name, row in _ROW.items():
        end = at + counts[name] * _SIZE[name]
        rows[name] = np.frombuffer(payload[at:end], row)
        at = end
    found: dict[str, Array | Elsewhere] = {}
    for name in DTYPES:
        end = at + elements.get(name, 0) * numpy_dtype(name).itemsize
        found[name] = _chunk(payload[at:end], numpy_dtype(name))
        at = end
    return Pieces(start, rows, strings, found, beyond)


def _chunk(data: bytes, dtype: np.dtype[Any]) -> Array:
    array: Array = np.frombuffer(data, np.uint8 if dtype == np.bool_ else dtype)
    return array != 0 if dtype == np.bool_ else array


# -- what the rows of a batch may say: every reference to another table must be a valid row, steps never
# decrease, sizes and lengths agree. After this check nothing that reads a trace can run into a bad index.

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
    refuse_unless((pieces.rows["partials"]["reason"] < len(NO_PARTIALS)).all(), "unknown reason in partials")
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
    rows = np.array([totals[TABLE_OF_KIND[kind]] for kind in Kind])[steps["kind"]]
    lost = steps["kind"][(steps["ref"] < 0) | (steps["ref"] >= rows)]
    refuse_unless(not len(lost), f"{', '.join(Kind(kind).name for kind in lost[:1])} refers to no row")
    refuse_unless((steps["tensor"][steps["kind"] == Kind.LEAF] >= 0).all(), "LEAF has no tensor")


def _edges(tables: dict[str, Table], rows: dict[str, Array]) -> None:
    """The edges of the forward graph: each slot once, a real tensor, no cycle."""
    inputs, tensors = rows["inputs"], rows["tensors"]
    numbers = range(len(tables["tensors"]), len(tables["tensors"]) + len(tensors))
    refuse_unless((tensors["grad_of"] < np.array(numbers)).all(), "a gradient came before its tensor")
    if not len(inputs):
        return
    refuse_unless((inputs["slot"] >= 0).all(), "a negative slot")
    refuse_unless(int(inputs["node"][0]) >= len(tables["nodes"]), "an edge of an earlier batch's node")
    key = inputs["node"].astype(np.int64) << 32 | inputs["slot"]
    refuse_unless((np.diff(key) > 0).all(), "a slot is used twice")
    new = inputs["tensor"] >= numbers.start
    known = tables["tensors"].producer[inputs["tensor"][~new]]  # type: ignore[attr-defined]
    later = tensors["producer"][inputs["tensor"][new] - numbers.start]
    leads_on = (known < inputs["node"][~new]).all() and (later < inputs["node"][new]).all()
    refuse_unless(leads_on, "an edge leads back")


def _regions(before: Array, rows: Array) -> None:
    """Note [Order of regions]: the parent of each is the one before it, or one around that."""
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
    """The paths of the single backward call that was asked about: each starts at one of its roots."""
    chains, links = rows["chains"], rows["links"]
    refuse_unless(totals["answers"] <= 1, "more than one answer")
    refuse_unless((links["chain"] >= 0).all() and (links["chain"] < totals["chains"]).all(), "a link of no path")
    if not len(chains):
        return
    refuse_unless(totals["answers"], "a path that nobody asked for")
    call = np.concatenate([tables["answers"].call, rows["answers"]["call"]])  # type: ignore[attr-defined]
    roots = np.concatenate([tables["roots"].call, rows["roots"]["call"]])  # type: ignore[attr-defined]
    refuse_unless((chains["root"] >= 0).all() and (chains["root"] < (roots == call).sum()).all(), "a path from no root")


def value_counts(found: Mapping[str, Array]) -> Array:
    """How many elements each new value brought. Raises TraceFormatError where its rows make no sense."""
    rows, sizes = found["values"], found["dims"]["size"]
    refuse_unless((rows["dtype"] < len(DTYPES)).all(), "unknown type of value")
    refuse_unless((rows["ndim"] <= 64).all(), "too many dimensions")
    refuse_unless(int(rows["ndim"].sum(dtype=np.int64)) == len(sizes), "sizes are missing")
    refuse_unless((sizes >= 0).all() and (_bytes(rows, sizes) <= 2.0**63).all(), "impossible size")
    count = kept_elements(rows, sizes)
    refuse_unless((count <= WHOLE).all(), "a value is too large")
    return count.astype(np.int64)


def _values(pieces: Pieces) -> None:
    rows, count = pieces.rows["values"], value_counts(pieces.rows)
    for code, name in enumerate(DTYPES):
        found = count[rows["dtype"] == code].sum()
        refuse_unless(found == len(pieces.elements[name]), f"values and elements of {name} disagree")
    refuse_unless((rows["kept"] <= NO_NUMBERS).all(), "unknown kind of value")
    partial = np.flatnonzero(rows["kept"] == EDGES) + pieces.start["values"]
    refuse_unless(np.array_equal(partial, pieces.rows["summaries"]["value"]), "a summary is missing")


def _bytes(rows: Array, sizes: Array) -> Array:
    """The length of each value if its elements were contiguous; a size of 0 counts as 1, as in NumPy."""
    itemsize = np.array([float(numpy_dtype(name).itemsize) for name in DTYPES])[rows["dtype"]]
    found: Array = itemsize * products(rows["ndim"], np.maximum(sizes, 1))
    return found
