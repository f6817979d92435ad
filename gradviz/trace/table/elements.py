"""The elements of values in a recording: separated into those of small values and the rest, cut into parts, compressed,
and read on demand. `recording` has the file around them.

Note [Elements in parts] The elements of values of at most `LITTLE` bytes, such as losses, follow the rows. All others
are cut, dtype by dtype, into parts of `PART` bytes, each compressed separately and with a checksum in the header, so
that reading a value reads little more than it. In files of version 1 they are a single part.

Note [Elements on demand] The elements of values are most of a large file. They stay on disk until somebody looks at
them, and the file has the norms that the trace needs. Elements with a wrong checksum read as NaN."""

from __future__ import annotations

import itertools
import threading
import zlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.encoding import LITTLE, TraceFormatError, refuse_unless, value_counts
from gradviz.trace.table.values import DTYPES, numpy_dtype

Array = NDArray[Any]

PART = 256 << 10  # bytes of elements that are read together
KEPT = 128 << 20  # bytes of them that are cached
LEVEL = 1  # compression: higher levels take long and gain little


def compressed(data: bytes) -> bytes:
    """Compressed, if that is worthwhile."""
    made = zlib.compress(data, LEVEL) if len(data) > 64 else data
    return made if len(made) < 0.9 * len(data) else data


def restored(data: bytes, length: int) -> bytes:
    """A part decompressed; never more than its declared length."""
    if len(data) == length:
        return data
    machine = zlib.decompressobj()
    try:
        found = machine.decompress(data, length + 1)
    except zlib.error as error:
        raise TraceFormatError(f"malformed trace: a part of it is damaged ({error})") from None
    refuse_unless(len(found) == length, "a part of it has the wrong length")
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive values of one dtype that are all small or all large: their range in the bytes of that dtype, and
    where they begin among all small, or all large, ones."""

    little: bool
    start: int
    stop: int
    base: int


def runs_of(rows: Mapping[str, Array], lengths: object, *, divided: bool = True) -> dict[str, list[Run]]:
    """The runs of the elements of new rows, by dtype; not `divided` in files of version 1."""
    refuse_unless(isinstance(lengths, dict) and set(lengths) <= set(DTYPES), "unknown type of values")
    assert isinstance(lengths, dict)
    count = value_counts(rows)
    found: dict[str, list[Run]] = {}
    bases = [0, 0]
    for code, name in enumerate(DTYPES):
        size = count[rows["values"]["dtype"] == code] * numpy_dtype(name).itemsize
        size = size[size > 0]
        refuse_unless(
            type(lengths.get(name, 0)) is int and size.sum() == lengths.get(name, 0) * numpy_dtype(name).itemsize,
            f"values and elements of {name} disagree",
        )
        little = (size <= LITTLE) & divided
        last = np.append(np.flatnonzero(np.diff(little)), len(size) - 1)[: len(size)]
        stops = np.cumsum(size)[last].tolist()
        found[name] = []
        for is_little, start, stop in zip(little[last].tolist(), [0, *stops], stops, strict=False):
            found[name].append(Run(is_little, start, stop, bases[is_little]))
            bases[is_little] += stop - start
    return found


def divided(runs: dict[str, list[Run]], elements: memoryview) -> tuple[bytes, bytes]:
    """The elements of small values, and those of the others."""
    found: tuple[list[memoryview], list[memoryview]] = ([], [])
    at = 0
    for each in runs.values():
        for run in each:
            found[run.little].append(elements[at + run.start : at + run.stop])
        at += each[-1].stop if each else 0
    return b"".join(found[True]), b"".join(found[False])


@dataclass(frozen=True, slots=True)
class Place:
    """Where the elements of a block are in the file, except those of small values."""

    raw: int  # bytes
    every: int  # of each part except the last
    parts: tuple[tuple[int, int, int], ...]  # offset, stored length and checksum of each
    divided: bool

    def length(self, part: int) -> int:
        """The length of a part before compression."""
        return min(self.every, self.raw - part * self.every)

    def restored(self, data: bytes) -> bytes:
        """All elements, from their bytes in the file."""
        first = self.parts[0][0] if self.parts else 0
        each = [
            restored(data[at - first : at - first + long], self.length(i)) for i, (at, long, _) in enumerate(self.parts)
        ]
        return b"".join(each)


def place_of(given: object, at: int, stored: int, raw: int, checksum: int) -> Place:
    """See Note [Elements in parts]."""
    if given is None:
        return Place(raw, max(raw, 1), ((at, stored, checksum),), divided=False)
    refuse_unless(isinstance(given, dict), "the parts of its elements are not told")
    assert isinstance(given, dict)
    every, lengths, checksums = (given.get(name) for name in ("bytes", "lengths", "checksums"))
    refuse_unless(type(every) is int and every > 0, "the parts of its elements have no length")
    assert isinstance(every, int)
    for each in (lengths, checksums):
        refuse_unless(isinstance(each, list) and all(type(one) is int and one >= 0 for one in each), "no list of parts")
    assert isinstance(lengths, list) and isinstance(checksums, list)
    refuse_unless(len(lengths) == len(checksums) == -(-raw // every) and sum(lengths) == stored, "a part is missing")
    places = itertools.accumulate(lengths[:-1], initial=at) if lengths else ()
    return Place(raw, every, tuple(zip(places, lengths, checksums, strict=True)), divided=True)


class Elements:
    """Reads parts of the elements of blocks on demand, and caches the most recent ones."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, bytes] = OrderedDict()  # by place in the file
        self._size = 0

    def bytes_of(self, place: Place, start: int, stop: int) -> bytes | None:
        """Some of the elements of a block; None if they are damaged."""
        first, last = start // place.every, -(-stop // place.every)
        parts = [self._part(place, number) for number in range(first, last)]
        whole = [each for each in parts if each is not None]
        at = first * place.every
        return b"".join(whole)[start - at : stop - at] if len(whole) == len(parts) else None

    def _part(self, place: Place, number: int) -> bytes | None:
        at, length, checksum = place.parts[number]
        with self._lock:
            if at in self._kept:
                self._kept.move_to_end(at)
                return self._kept[at]
            try:
                with open(self._path, "rb") as file:
                    file.seek(at)
                    data = file.read(length)
                found = restored(data, place.length(number)) if zlib.crc32(data) == checksum else None
            except (OSError, TraceFormatError):
                found = None
            if found is not None:
                self._kept[at] = found
                self._size += len(found)
                while len(self._kept) > 1 and self._size > KEPT:
                    self._size -= len(self._kept.popitem(last=False)[1])
            return found


@dataclass(frozen=True, slots=True)
class OnDisk:
    """The elements of one dtype in a block: those of small values are here, the others in the file."""

    store: Elements
    place: Place
    little: bytes
    runs: list[Run]
    kind: np.dtype[Any]

    def __len__(self) -> int:
        return self.runs[-1].stop // self.kind.itemsize

    def array(self) -> Array:
        """All of them."""
        return self.between(0, len(self))

    def between(self, start: int, stop: int) -> Array:
        """The elements from `start` to `stop`; NaN or 0 where the file is damaged."""
        low, high = start * self.kind.itemsize, stop * self.kind.itemsize
        found = []
        at = bisect_right(self.runs, low, key=_stop)
        while low < high:
            run = self.runs[at]
            end = min(high, run.stop)
            found.append(self._bytes(run, low - run.start, end - run.start))
            low, at = end, at + 1
        data = found[0] if len(found) == 1 else b"".join(found)
        return np.frombuffer(data, np.uint8) != 0 if self.kind == np.bool_ else np.frombuffer(data, self.kind)

    def _bytes(self, run: Run, low: int, high: int) -> bytes:
        if run.little:
            return self.little[run.base + low : run.base + high]
        found = self.store.bytes_of(self.place, run.base + low, run.base + high)
        if found is not None:
            return found
        count = (high - low) // self.kind.itemsize
        return np.full(count, 0 if self.kind.kind in "biu" else np.nan, self.kind).tobytes()


def _stop(run: Run) -> int:
    return run.stop
