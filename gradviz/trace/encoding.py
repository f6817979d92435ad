"""A batch of rows on its way through the pipe: `Writer` packs rows, texts and values in the worker; `read` unpacks them
and refuses whatever the schema does not allow, because the worker runs code that nobody has read. JSON and raw numbers
only, never pickle."""

from __future__ import annotations

from collections.abc import Sequence
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
_PACK = {name: Struct(row_format(table)).pack for name, table in TABLES.items()}
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
        self._sent = dict.fromkeys(TABLES, 0)
        self._budget = budget
        self._texts: dict[str, int] = {}
        self._new_texts: list[str] = []
        self.pending: list[Array] = []  # values by reference, not yet copied
        self._sealed = 0  # values copied so far
        self._chunks: list[tuple[str, int, bytes]] = []

    def count(self, table: str) -> int:
        """How many rows of a table there are so far, sent or not."""
        return self._sent[table] + len(self.rows[table]) // _SIZE[table]

    def add(self, table: str, *row: Any) -> int:
        """Add a row; returns its index."""
        at = self.count(table)
        self.rows[table] += _PACK[table](*row)
        return at

    def text(self, text: str) -> int:
        """The index of a text, sent once."""
        at = self._texts.get(text)
        if at is None:
            at = self._texts[text] = len(self._texts)
            self._new_texts.append(text.encode("utf-8", "replace").decode())
        return at

    def value(self, array: Array) -> int:
        """The index of a new value; the array is held by reference until `seal`."""
        self.pending.append(array)
        return self._sealed + len(self.pending) - 1

    def seal(self) -> None:
        """Copy what was held by reference: its memory is about to change, or the batch is taken."""
        pending = self.pending
        if not pending:
            return
        rows = bytearray()
        groups: dict[str, list[Array]] = {}
        lengths: dict[str, int] = {}
        pack = _PACK["values"]
        first_chunk = len(self._chunks)
        places: dict[str, int] = {}
        for array in pending:
            name = array.dtype.name
            whole = array.size <= WHOLE and array.nbytes <= self._budget
            if not whole:
                self._summarise(self._sealed, array)
            else:
                self._budget -= array.nbytes
            if array.shape:
                self._add_dims(array.shape)
            kept = array if whole else edges_of(array)
            place = places.setdefault(name, len(places))
            offset = lengths.get(name, 0)
            rows += pack(_CODE[name], array.ndim, whole, first_chunk + place, offset, kept.size)
            lengths[name] = offset + kept.size
            groups.setdefault(name, []).append(kept)
            self._sealed += 1
        self.rows["values"] += rows
        for name, arrays in groups.items():
            self._chunks.append((name, lengths[name], _joined(name, arrays)))
        pending.clear()

    def _summarise(self, index: int, array: Array) -> None:
        found = summarise(array)
        self.rows["summaries"] += _PACK["summaries"](index, found.low, found.high, found.mean, found.norm, found.nans)

    def _add_dims(self, shape: Sequence[int]) -> None:
        self.rows["dims"] += np.array(shape, "<i8").tobytes()

    def take(self) -> Batch:
        """Everything since the last call."""
        self.seal()
        counts = {name: len(rows) // _SIZE[name] for name, rows in self.rows.items()}
        header = {
            "format": FORMAT,
            "start": dict(self._sent),
            "rows": counts,
            "strings": self._new_texts,
            "chunks": [[name, length] for name, length, _ in self._chunks],
        }
        payload = b"".join([*self.rows.values(), *(data for _, _, data in self._chunks)])
        for name, rows in self.rows.items():
            self._sent[name] += counts[name]
            rows.clear()
        self._new_texts, self._chunks = [], []
        return Batch(header, payload)


def _joined(name: str, arrays: list[Array]) -> bytes:
    """The elements of arrays of one type, one array after the other in row-major order."""
    if name == "bfloat16":
        return b"".join([np.ascontiguousarray(a).tobytes() for a in arrays])
    return b"".join([a.data if a.flags.c_contiguous else np.ascontiguousarray(a).data for a in arrays])


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
