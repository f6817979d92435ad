"""A batch of rows on its way through the pipe: `Writer` packs rows, texts and values in the worker; `read` unpacks them
and refuses whatever the schema does not allow, because the worker runs code that nobody has read. JSON and raw numbers
only, never pickle."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.schema import TABLES, Batch
from gradviz.trace.tables import row_dtype, row_format
from gradviz.trace.values import DTYPES, WHOLE, edges_of, numpy_dtype, summarise

Array = NDArray[Any]

FORMAT = 1
MAX_PAYLOAD = 1 << 30
MAX_STRINGS = 1 << 22
BUDGET = 256 << 20  # bytes of values that one run keeps whole

_CODE = {name: code for code, name in enumerate(DTYPES)}
PACK = {name: Struct(row_format(table)).pack for name, table in TABLES.items()}
_SIZE = {name: row_dtype(table).itemsize for name, table in TABLES.items()}


class TraceFormatError(ValueError):
    """A batch that does not follow the schema."""


def refuse_unless(holds: object, what: str) -> None:
    """Raise `TraceFormatError` saying `what` unless the condition holds."""
    if not holds:
        raise TraceFormatError(f"malformed trace: {what}")


class Writer:
    """Rows, texts and values since the last `take`, and how many there were in all."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.rows: dict[str, bytearray] = {name: bytearray() for name in TABLES}
        self.pending: list[Array] = []  # values by reference, not yet copied
        self.sealed = 0  # values copied so far; the next value is number `sealed + len(pending)`
        self.known: dict[int, int] = {}  # number of a pending value by the id of its array
        self._sent = dict.fromkeys(TABLES, 0)
        self._budget = budget
        self._texts: dict[str, int] = {}
        self._new_texts: list[str] = []
        self._data: dict[np.dtype[Any], tuple[int, int, bytearray]] = {}  # by type: chunk, its code, elements so far

    def count(self, table: str) -> int:
        """How many rows of a table there are so far, sent or not."""
        return self._sent[table] + len(self.rows[table]) // _SIZE[table]

    def add(self, table: str, *row: Any) -> int:
        """Add a row; returns its index."""
        at = self.count(table)
        self.rows[table] += PACK[table](*row)
        return at

    def text(self, text: str) -> int:
        """The index of a text, sent once."""
        at = self._texts.get(text)
        if at is None:
            at = self._texts[text] = len(self._texts)
            self._new_texts.append(text.encode("utf-8", "replace").decode())
        return at

    def value(self, array: Array) -> int:
        """The index of a value; the array is held by reference until `seal`."""
        at = self.known.get(id(array))
        if at is None:
            at = self.known[id(array)] = self.sealed + len(self.pending)
            self.pending.append(array)
        return at

    def seal(self) -> None:
        """Copy what was held by reference: its memory is about to change, or the batch is taken."""
        pending = self.pending
        if not pending:
            return
        dtypes = {array.dtype for array in pending}
        if len(dtypes) == 1 and {array.shape for array in pending} == {()}:
            self._seal_scalars(dtypes.pop(), len(pending))
        else:
            for at, array in enumerate(pending, self.sealed):
                self._seal_one(at, array)
        self.sealed += len(pending)
        pending.clear()
        self.known.clear()

    def _chunk(self, dtype: np.dtype[Any]) -> tuple[int, int, bytearray]:
        entry = self._data.get(dtype)
        if entry is None:
            entry = self._data[dtype] = (len(self._data), _CODE[dtype.name], bytearray())
        return entry

    def _seal_scalars(self, dtype: np.dtype[Any], count: int) -> None:
        """Many single numbers of one type at once."""
        chunk, code, elements = self._chunk(dtype)
        new = np.zeros(count, row_dtype(TABLES["values"]))
        new["dtype"], new["complete"], new["chunk"], new["count"] = code, True, chunk, 1
        new["offset"] = np.arange(count) + len(elements) // dtype.itemsize
        self.rows["values"] += new.tobytes()
        elements += _joined(dtype, self.pending)
        self._budget -= count * dtype.itemsize

    def _seal_one(self, at: int, array: Array) -> None:
        chunk, code, elements = self._chunk(array.dtype)
        whole = array.size <= WHOLE and array.nbytes <= self._budget
        if whole:
            self._budget -= array.nbytes
        else:
            found = summarise(array)
            self.add("summaries", at, found.low, found.high, found.mean, found.norm, found.nans)
        shape = array.shape
        if shape:
            self.rows["dims"] += np.array(shape, "<i8").tobytes()
            array = array if whole else edges_of(array)
        offset = len(elements) // array.itemsize
        self.rows["values"] += PACK["values"](code, len(shape), whole, chunk, offset, array.size)
        elements += array.tobytes()

    def take(self) -> Batch:
        """Everything since the last call."""
        self.seal()
        counts = {name: len(rows) // _SIZE[name] for name, rows in self.rows.items()}
        header = {
            "format": FORMAT,
            "start": dict(self._sent),
            "rows": counts,
            "strings": self._new_texts,
            "chunks": [[dtype.name, len(data) // dtype.itemsize] for dtype, (_, _, data) in self._data.items()],
        }
        payload = b"".join([*self.rows.values(), *(data for _, _, data in self._data.values())])
        for name, rows in self.rows.items():
            self._sent[name] += counts[name]
            rows.clear()
        self._new_texts, self._data = [], {}
        return Batch(header, payload)


def _joined(dtype: np.dtype[Any], arrays: list[Array]) -> bytes:
    """The elements of single numbers of one type; bfloat16 is no type that Python's buffers know."""
    if dtype.kind in "iufc":
        return b"".join(arrays)  # type: ignore[arg-type]
    return b"".join([array.tobytes() for array in arrays])


@dataclass(frozen=True, slots=True)
class Pieces:
    """A batch taken apart: rows as structured arrays, new texts, typed chunks."""

    start: dict[str, int]
    rows: dict[str, Array]
    strings: list[str]
    chunks: list[Array]


def _counts(found: object, what: str) -> dict[str, int]:
    refuse_unless(isinstance(found, dict) and set(found) == set(TABLES), f"{what} must name every table")
    assert isinstance(found, dict)
    refuse_unless(all(type(n) is int and 0 <= n < 1 << 31 for n in found.values()), f"{what} must be counts")
    return found


def read(batch: Batch) -> Pieces:
    """Take a batch apart by lengths and types; `validate.py` checks what the rows mean. Raises `TraceFormatError`."""
    header, payload = batch.header, batch.payload
    refuse_unless(isinstance(header, dict) and isinstance(payload, bytes), "header or payload has the wrong type")
    refuse_unless(set(header) == {"format", "start", "rows", "strings", "chunks"}, "unknown or missing header fields")
    refuse_unless(header["format"] == FORMAT and type(header["format"]) is int, "unknown format number")
    start, counts = _counts(header["start"], "start"), _counts(header["rows"], "rows")
    strings, chunks = header["strings"], header["chunks"]
    refuse_unless(isinstance(strings, list) and len(strings) <= MAX_STRINGS, "strings must be a list")
    refuse_unless(all(type(s) is str for s in strings), "strings must be texts")
    refuse_unless(isinstance(chunks, list), "chunks must be a list")
    for chunk in chunks:
        refuse_unless(isinstance(chunk, list) and len(chunk) == 2, "a chunk is a type and a length")
        refuse_unless(type(chunk[0]) is str and chunk[0] in _CODE, "unknown type of values")
        refuse_unless(type(chunk[1]) is int and 0 <= chunk[1] <= MAX_PAYLOAD, "impossible length of values")
    sizes = [counts[name] * _SIZE[name] for name in TABLES]
    sizes += [length * numpy_dtype(name).itemsize for name, length in chunks]
    refuse_unless(sum(sizes) == len(payload) <= MAX_PAYLOAD, "the payload has the wrong length")
    at = 0
    rows: dict[str, Array] = {}
    for name, table in TABLES.items():
        end = at + counts[name] * _SIZE[name]
        rows[name] = np.frombuffer(payload[at:end], row_dtype(table))
        at = end
    arrays = []
    for name, length in chunks:
        dtype = numpy_dtype(name)
        arrays.append(_chunk(payload[at : at + length * dtype.itemsize], dtype))
        at += length * dtype.itemsize
    return Pieces(start, rows, strings, arrays)


def _chunk(data: bytes, dtype: np.dtype[Any]) -> Array:
    array: Array = np.frombuffer(data, np.uint8 if dtype == np.bool_ else dtype)
    return array != 0 if dtype == np.bool_ else array
