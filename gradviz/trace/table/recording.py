"""A trace in a file, `.gvtrace`: a head that says what was recorded; the batches of `encoding` as they came, each
compressed and with checksums; then how it ended, and an index. Files are append-only: after a crash everything up to
the last complete batch opens. They are read as untrusted data: lengths before bytes, checksums before meaning, and
every batch is validated like one from a worker. No pickle. The elements of values are in `elements`.

Note [Blocks] After `MAGIC` and a version come blocks: a tag, the stored and original lengths of three parts (header,
rows, elements), a checksum of everything before the elements, and one of the elements. A part whose two lengths are
equal is stored uncompressed. The last block, `INDX`, lists where the others begin; a fixed trailer says where it is. A
file without one is scanned, verifying all checksums.

Note [Older and newer columns] The head lists the columns of all tables. Columns unknown to this program are ignored;
missing ones are filled with -1 if that means none, otherwise with 0. So files outlive changes of `schema`."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from struct import Struct
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.elements import (
    PART,
    Elements,
    OnDisk,
    Place,
    Run,
    compressed,
    divided,
    place_of,
    restored,
    runs_of,
)
from gradviz.trace.table.encoding import FORMAT, Pieces, TraceFormatError, read, refuse_unless
from gradviz.trace.table.schema import TABLES, Batch
from gradviz.trace.table.tables import Table, columns, row_dtype
from gradviz.trace.table.trace import Trace
from gradviz.trace.table.values import DTYPES, numpy_dtype

Array = NDArray[Any]

SUFFIX = ".gvtrace"
MAGIC = b"\x89GVTRACE\r\n\x1a\n"  # damaged by programs that convert line endings or strip the eighth bit
VERSION = 2  # version 1 can be read, too
HEAD, BATCH, FIGURE, END, INDEX = b"HEAD", b"BTCH", b"FIGR", b"DONE", b"INDX"
MOST_HEADER = 64 << 20
MOST_PART = 1 << 30
MOST_KEPT = 3 << 30  # bytes of headers, rows and plots that a file may have, all of which are loaded into memory
JSON = 8  # times its own length, about what a header takes once it is read
MOST_FIGURE = 8 << 20  # bytes of the numbers of a plot
MOST_SOURCE = 4_000_000  # characters of the recorded program
ON_DISK = 64 << 20  # bytes of a file from which its elements stay on disk
IN_MEMORY = 512 << 20  # bytes of elements of a smaller file from which they do, too: zeros take a thousandth in it
PIECE = 4 << 20  # bytes of elements that are written together

_BLOCK = Struct("<4s8I")
_START = Struct("<12sI")
_TRAILER = Struct("<4sQ")


@dataclass(frozen=True)
class About:
    """What was recorded: the text of the program and its name, by what and when, and which of how many processes."""

    source: str = ""
    name: str = ""
    maker: str = ""  # "PyTorch 2.13.0"
    when: str = ""  # "2026-11-23 04:28"
    rank: int = 0
    ranks: int = 1


@dataclass(frozen=True)
class Ending:
    """How the run ended: `status` is one of a worker's: `ok`, `raised`, `limit` and so on."""

    status: str = "ok"
    sentence: str = ""
    line: int = -1
    seconds: float = 0.0


@dataclass
class Recording:
    """The contents of a file. `ending` is None if the file breaks off."""

    about: About
    trace: Trace
    figures: list[tuple[dict[str, Any], bytes]] = field(default_factory=list)
    ending: Ending | None = None


# -- writing


class RecordingWriter:
    """Appends to a file; every block is written as soon as it is complete."""

    def __init__(self, file: BinaryIO, about: About) -> None:
        self._file = file
        self._at = 0
        self._steps = 0
        self._blocks: list[tuple[str, int, int]] = []
        self._write(_START.pack(MAGIC, VERSION))
        self._block(HEAD, {**asdict(about), "schema": schema_now(), "dtypes": [*DTYPES]})

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._at

    def batch(self, batch: Batch) -> None:
        """Append recorded steps."""
        pieces = read(batch)
        rows = sum(array.nbytes for array in pieces.rows.values())
        norms = _norms(pieces).astype("<f8").tobytes()
        self._steps += len(pieces.rows["steps"])
        little, large = divided(runs_of(pieces.rows, batch.header["elements"]), memoryview(batch.payload)[rows:])
        parts = [compressed(large[at : at + PART]) for at in range(0, len(large), PART)]
        stored = {"bytes": PART, "lengths": [*map(len, parts)], "checksums": [*map(zlib.crc32, parts)]}
        front = norms + batch.payload[:rows] + little
        self._block(BATCH, {**batch.header, "parts": stored}, front, b"".join(parts), len(large))

    def figure(self, header: Mapping[str, Any], payload: bytes) -> None:
        """Append a plot, as a worker sends it."""
        self._block(FIGURE, header, payload)

    def end(self, ending: Ending) -> None:
        """Write how it ended, and the index."""
        self._block(END, asdict(ending))
        at = self._at
        self._block(INDEX, {"blocks": self._blocks})
        self._write(_TRAILER.pack(INDEX, at))

    def _block(
        self, tag: bytes, header: Mapping[str, Any], rows: bytes = b"", elements: bytes = b"", large: int = 0
    ) -> None:
        raw = (json.dumps(header, separators=(",", ":")).encode(), rows)
        stored = [*map(compressed, raw), elements]
        lengths = [length for each, was in zip(stored, raw, strict=False) for length in (len(each), len(was))]
        lengths += [len(elements), large]
        front = zlib.crc32(b"".join((_BLOCK.pack(tag, *lengths, 0, 0), *stored[:2])))
        self._blocks.append((tag.decode(), self._at, self._steps))
        self._write(b"".join((_BLOCK.pack(tag, *lengths, front, zlib.crc32(stored[2])), *stored)))

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        self._at += len(data)


def _norms(pieces: Pieces) -> Array:
    """The norms of all values of a batch."""
    trace = Trace()
    for name in ("dims", "summaries", "values"):
        rows = pieces.rows[name]
        arrays = {column: rows[column] for column in rows.dtype.names or ()}
        if name == "summaries":
            arrays["value"] = arrays["value"] - pieces.start["values"]
        if name == "values":
            ends = np.cumsum(arrays["ndim"], dtype=np.int64)
            arrays |= {"norm": np.zeros(len(rows)), "sizes": ends - arrays["ndim"]}
            arrays |= trace.store.place(pieces.elements, arrays, pieces.rows["dims"]["size"])
        trace.tables[name].append(arrays, len(rows))
    return trace.store.norms(0, len(pieces.rows["values"]))


def schema_now() -> dict[str, dict[str, str]]:
    """The columns of all tables, as the head of a file has them."""
    return {
        name: {column: spec.type for column, spec in columns(table).items() if not spec.derived}
        for name, table in TABLES.items()
    }


def batches_of(trace: Trace) -> Iterator[Batch]:
    """A trace as batches again: the values in pieces, then all other rows."""
    start = dict.fromkeys(TABLES, 0)
    first = size = 0
    itemsize = [numpy_dtype(name).itemsize for name in DTYPES]
    values = trace.values
    for at, (count, dtype) in enumerate(zip(values.count.tolist(), values.dtype.tolist(), strict=True), 1):
        size += count * itemsize[dtype]
        if size > PIECE:
            yield _batch_of(trace, start, first, at, ())
            first, size = at, 0
    yield _batch_of(trace, start, first, len(values), tuple(name for name in TABLES if name not in _OF_VALUES))


_OF_VALUES = ("values", "dims", "summaries")


def _batch_of(trace: Trace, start: dict[str, int], first: int, last: int, others: tuple[str, ...]) -> Batch:
    """The values from `first` to `last`, and all rows of the other tables; `start` is updated."""
    values, summaries = trace.values, trace.summaries
    sizes = int(values.ndim[first:last].sum(dtype=np.int64))
    summed = np.searchsorted(summaries.value, [first, last]).tolist()
    spans = {"values": (first, last), "dims": (start["dims"], start["dims"] + sizes), "summaries": tuple(summed)}
    spans |= {name: (0, len(trace.tables[name])) for name in others}
    text = {string: at for at, string in enumerate(trace.strings)} if others else {}
    rows = {name: _packed(trace.tables[name], spans.get(name, (0, 0)), text) for name in TABLES}
    elements: dict[str, list[bytes]] = {}
    for value in range(first, last):
        offset, many = int(values.offset[value]), int(values.count[value])
        part = trace.store.part(int(values.chunk[value]), offset, offset + many)
        elements.setdefault(DTYPES[values.dtype[value]], []).append(part.tobytes())
    joined = {name: b"".join(elements[name]) for name in DTYPES if name in elements}
    header = {
        "format": FORMAT,
        "start": dict(start),
        "rows": {name: len(packed) for name, packed in rows.items()},
        "strings": trace.strings if others else [],
        "beyond": trace.beyond_budget,
        "elements": {name: len(data) // numpy_dtype(name).itemsize for name, data in joined.items()},
    }
    for name, packed in rows.items():
        start[name] += len(packed)
    return Batch(header, b"".join([*(packed.tobytes() for packed in rows.values()), *joined.values()]))


def _packed(table: Table, span: tuple[int, ...], text: dict[str, int]) -> Array:
    first, last = span
    made = np.zeros(last - first, row_dtype(type(table)))
    for name, column in columns(type(table)).items():
        if not column.derived and last > first:
            found = getattr(table, name)[first:last]
            made[name] = [text[each] for each in found] if column.text else found
    return made


# -- reading


def load(path: Path, progress: Callable[[float], bool] = lambda _: True) -> Recording:
    """Read a file; `progress` is called with the fraction read, and cancels by returning False. Raises TraceFormatError
    if it is not a recording or is damaged in a way that a killed program does not cause; OSError if it can't be
    read."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        reader = _Reader(file, size, path)
        found = reader.head()
        while reader.next(found):
            if not progress(min(1.0, reader.at / max(1, size))):
                raise Cancelled
        return found


class Cancelled(Exception):
    """The reader of a recording has cancelled."""


class Follower:
    """Follows what a job appends to a file written by our own recorder; the file need not exist yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._reader: _Reader | None = None
        self.ending: Ending | None = None

    def batches(self) -> Iterator[Batch]:
        """The complete batches since the last call. Raises TraceFormatError if the file is damaged."""
        if self._file is None and self._path.exists():
            self._file = open(self._path, "rb")  # noqa: SIM115 closed by `close`
        if self._file is None:
            return
        size = os.fstat(self._file.fileno()).st_size
        if self._reader is None:
            reader = _Reader(self._file, size)
            with contextlib.suppress(TraceFormatError):  # its head is not complete yet
                reader.head()
                self._reader = reader
        while self._reader is not None and (block := self._reader.grown(size)) is not None:
            if block.tag == BATCH:
                yield self._reader.batch(block)
            elif block.tag == END:
                self.ending = _ending(block.header)

    def close(self) -> None:
        """Stop reading."""
        if self._file is not None:
            self._file.close()


class _Reader:
    """The blocks of a file, one after the other. Without a path, all elements are read into memory."""

    def __init__(self, file: BinaryIO, size: int, path: Path | None = None) -> None:
        self._file, self._size, self._path = file, size, path
        self._elements = Elements(path) if path is not None and size > ON_DISK else None
        self._is_whole = self._has_trailer()
        self._fits: _Columns | None = None
        self._kept = self._in_memory = 0
        self.at = 0

    def _has_trailer(self) -> bool:
        if self._size < _START.size + _TRAILER.size:
            return False
        self._file.seek(self._size - _TRAILER.size)
        return self._file.read(_TRAILER.size)[:4] == INDEX

    def head(self) -> Recording:
        """What was recorded."""
        self._file.seek(0)
        start = self._file.read(_START.size)
        refuse_unless(len(start) == _START.size and start[:12] == MAGIC, "it is not a recording")
        version = _START.unpack(start)[1]
        refuse_unless(1 <= version <= VERSION, f"it is of version {version}, and this program reads up to {VERSION}")
        self.at = _START.size
        block = self._block()
        if block is None or block.tag != HEAD:
            raise TraceFormatError("malformed trace: the recording has no head")
        about, self._fits = _about(block.header), _Columns(block.header)
        return Recording(about, Trace(about.source))

    def next(self, found: Recording) -> bool:
        """Take one more block; False at the end, or where the file breaks off."""
        block = self._block()
        if block is None or block.tag == INDEX or found.ending is not None:
            return False
        if block.tag == BATCH:
            assert self._fits is not None
            found.trace.extend_with(*self._fits.pieces(block))
        elif block.tag == FIGURE:
            found.figures.append((block.header, block.rows))
        elif block.tag == END:
            found.ending = _ending(block.header)
        return True

    def _make_room(self, tag: bytes, raw: list[int]) -> None:
        """Refuse a block that would take too much memory, before it is decompressed: a small file can hold many zeros.
        Elements stay on disk once there are many."""
        header, rows, elements = raw
        most = MOST_FIGURE if tag == FIGURE else MOST_PART
        refuse_unless(header <= MOST_HEADER and rows <= most and elements <= MOST_PART, "a part of it is too long")
        self._kept += JSON * header + rows
        refuse_unless(self._kept <= MOST_KEPT, "it has more steps than fit into memory")
        self._in_memory += elements
        if self._elements is None and self._path is not None and self._in_memory > IN_MEMORY:
            self._elements = Elements(self._path)

    def batch(self, block: _Block) -> Batch:
        """The batch of a block whose elements were read."""
        assert self._fits is not None
        return self._fits.batch(block)[0]

    def grown(self, size: int) -> _Block | None:
        """The next block of a file that has grown to this size, None if there is no complete one yet."""
        self._size = size
        return self._block()

    def _block(self) -> _Block | None:
        """The next block, None if there is no complete one."""
        self._file.seek(self.at)
        prefix = self._file.read(_BLOCK.size)
        if len(prefix) < _BLOCK.size:
            return None
        tag, *numbers = _BLOCK.unpack(prefix)
        stored, raw, (front, behind) = numbers[0:6:2], numbers[1:6:2], numbers[6:]
        begin = self.at + _BLOCK.size
        if self._size - begin < sum(stored):
            return None
        parts = [self._file.read(length) for length in stored[:2]]
        if zlib.crc32(b"".join((_BLOCK.pack(tag, *numbers[:6], 0, 0), *parts))) != front:
            return None
        self._make_room(tag, raw)
        header = _header(restored(parts[0], raw[0]))
        told = header.pop("parts", None) if tag == BATCH else None
        place = place_of(told, begin + stored[0] + stored[1], stored[2], raw[2], behind)
        elements: bytes | None = None
        if self._elements is None or not self._is_whole:
            data = self._file.read(stored[2])
            if zlib.crc32(data) != behind:
                return None
            elements = None if self._elements is not None else place.restored(data)
        self.at = begin + sum(stored)
        return _Block(tag, header, restored(parts[1], raw[1]), elements, place, self._elements)


@dataclass(frozen=True, slots=True)
class _Block:
    tag: bytes
    header: dict[str, Any]
    rows: bytes
    elements: bytes | None  # None: they stay on disk
    place: Place
    store: Elements | None


def _header(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    refuse_unless(type(found) is dict, "a header is not JSON")
    assert isinstance(found, dict)
    return found


def _text(header: dict[str, Any], name: str, most: int) -> str:
    found = header.get(name, "")
    refuse_unless(type(found) is str and len(found) <= most, f"{name} is not a text")
    return str(found).encode("utf-8", "replace").decode()


def _whole(header: dict[str, Any], name: str, low: int) -> int:
    found = header.get(name, low)
    refuse_unless(type(found) is int and low <= found < 1 << 31, f"{name} is not a number")
    return int(found)


def _about(header: dict[str, Any]) -> About:
    texts = {name: _text(header, name, 1_000) for name in ("name", "maker", "when")}
    return About(
        _text(header, "source", MOST_SOURCE), **texts, rank=_whole(header, "rank", 0), ranks=_whole(header, "ranks", 1)
    )


def _ending(header: dict[str, Any]) -> Ending:
    seconds = header.get("seconds", 0.0)
    refuse_unless(type(seconds) in (int, float) and 0 <= seconds < 1e12, "seconds is not a number")
    status = _text(header, "status", 20)
    refuse_unless(status in ("ok", "raised", "refused", "limit", "died", "stopped"), "unknown status")
    return Ending(status, _text(header, "sentence", 100_000), _whole(header, "line", -1), float(seconds))


# -- columns of another version


class _Columns:
    """Converts rows with the columns of the file into rows with those of this program."""

    def __init__(self, head: dict[str, Any]) -> None:
        schema, dtypes = head.get("schema"), head.get("dtypes")
        refuse_unless(isinstance(schema, dict) and isinstance(dtypes, list), "the head has no columns")
        assert isinstance(schema, dict) and isinstance(dtypes, list)
        refuse_unless(dtypes[: len(DTYPES)] == [*DTYPES][: len(dtypes)], "the types of elements are other ones")
        self._is_same = schema == schema_now() and [*schema] == [*TABLES]
        self._rows = {str(name): _row_type(each) for name, each in schema.items()}

    def pieces(self, block: _Block) -> tuple[Pieces, Array]:
        """The batch of a block, decoded, and the norms of its values."""
        if block.elements is not None:
            batch, norms = self.batch(block)
            return read(batch), norms
        pieces, _, norms, little, runs = self._front(block)
        assert block.store is not None
        for name, each in runs.items():
            if each:
                pieces.elements[name] = OnDisk(block.store, block.place, little, each, numpy_dtype(name))
        return pieces, norms

    def batch(self, block: _Block) -> tuple[Batch, Array]:
        """The batch of a block whose elements were read, and the norms of its values."""
        assert block.elements is not None
        _, batch, norms, little, runs = self._front(block)
        sources = (memoryview(block.elements), memoryview(little))
        elements = [
            sources[run.little][run.base : run.base + run.stop - run.start] for each in runs.values() for run in each
        ]
        lengths = {name: block.header["elements"][name] for name in DTYPES if name in block.header["elements"]}
        return Batch({**batch.header, "elements": lengths}, b"".join([batch.payload, *elements])), norms

    def _front(self, block: _Block) -> tuple[Pieces, Batch, Array, bytes, dict[str, list[Run]]]:
        """The rows of a block, taken apart and as a batch without elements, the norms of its values, the elements of
        those that are little, and where all others are."""
        header = dict(block.header)
        counts = header.get("rows")
        refuse_unless(isinstance(counts, dict) and set(counts) == set(self._rows), "rows must name every table")
        assert isinstance(counts, dict)
        refuse_unless(all(type(n) is int and 0 <= n < 1 << 31 for n in counts.values()), "rows must be counts")
        many = 8 * int(counts.get("values", 0))
        end = many + sum(counts[name] * kind.itemsize for name, kind in self._rows.items())
        refuse_unless(end <= len(block.rows), "rows or norms are missing")
        norms = np.frombuffer(block.rows[:many], "<f8")
        rows, little = block.rows[many:end], block.rows[end:]
        if not self._is_same:
            header, rows = self._fitted(header, rows)
        lengths, header["elements"] = header.get("elements"), {}
        batch = Batch(header, rows)
        pieces = read(batch)
        runs = runs_of(pieces.rows, lengths, divided=block.place.divided)
        sizes = [sum(run.stop - run.start for each in runs.values() for run in each if run.little is is_little)
                 for is_little in (False, True)]  # fmt: skip
        refuse_unless(sizes == [block.place.raw, len(little)], "the payload has the wrong length")
        return pieces, batch, norms, little, runs

    def _fitted(self, header: dict[str, Any], rows: bytes) -> tuple[dict[str, Any], bytes]:
        start, counts = header.get("start"), header["rows"]
        refuse_unless(isinstance(start, dict) and set(start) == set(counts), "start must name every table")
        at, found = 0, {}
        for name, kind in self._rows.items():
            end = at + counts[name] * kind.itemsize
            refuse_unless(end <= len(rows), "rows are missing")
            found[name] = np.frombuffer(rows[at:end], kind)
            at = end
        refuse_unless(at == len(rows), "the payload has the wrong length")
        fitted = {name: _fit(found.get(name), table) for name, table in TABLES.items()}
        assert isinstance(start, dict)
        header = {**header, "rows": {name: len(each) for name, each in fitted.items()}}
        header["start"] = {name: start.get(name, 0) for name in TABLES}
        return header, b"".join(each.tobytes() for each in fitted.values())


def _row_type(spec: object) -> np.dtype[Any]:
    """The packed row of a table in the file."""
    kinds = ("i4", "i8", "f8", "u1", "b1")
    refuse_unless(isinstance(spec, dict) and 0 < len(spec) < 1000, "a table has no columns")
    assert isinstance(spec, dict)
    refuse_unless(all(name.isidentifier() and kind in kinds for name, kind in spec.items()), "unknown kind of column")
    return np.dtype([(name, "<" + kind if kind[1] != "1" else kind) for name, kind in spec.items()])


def _fit(rows: Array | None, table: type[Table]) -> Array:
    made = np.zeros(0 if rows is None else len(rows), row_dtype(table))
    for name, column in columns(table).items():
        if column.derived or rows is None:
            continue
        if name in (rows.dtype.names or ()):
            refuse_unless(rows.dtype[name] == made.dtype[name], f"{name} is of another kind")
            made[name] = rows[name]
        elif column.none:
            made[name] = -1
    return made
