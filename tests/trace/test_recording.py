"""Recordings as files: what is written comes back, a file that breaks off opens up to its last whole batch, one with
other columns is read, a large one leaves its elements on disk."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz import RESOURCES
from gradviz.trace.table import elements, recording
from gradviz.trace.table.encoding import TraceFormatError
from gradviz.trace.table.recording import About, Cancelled, Ending, RecordingWriter, batches_of, load
from gradviz.trace.table.schema import TABLES, Batch, Grads, Writes
from gradviz.trace.table.tables import row_dtype
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.jsonable import trace_json
from tests.trace.running import record

EXAMPLES = sorted((RESOURCES / "examples").glob("*.py"))
ABOUT = About("x = 1\n", "net.py", "PyTorch 2.13.0", "2026-11-23 04:28", 1, 2)
OK = Ending()
TRAINING = """\
import torch
w = torch.tensor([1., 2.], requires_grad=True)
for i in range(3):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
print(loss)
"""


def write(path: Path, batches: list[Batch], ending: Ending | None = OK) -> list[int]:
    """Write a file; returns its size after each batch."""
    with open(path, "wb") as file:
        writer = RecordingWriter(file, ABOUT)
        sizes = [writer.size]
        for batch in batches:
            writer.batch(batch)
            sizes.append(writer.size)
        if ending is not None:
            writer.end(ending)
    return sizes


def trace_of(batches: list[Batch], source: str = ABOUT.source) -> Trace:
    trace = Trace(source)
    for batch in batches:
        trace.extend(batch)
    return trace


def contents(trace: Trace) -> dict[str, Any]:
    """Everything that was recorded: all columns but where elements lie, and all elements."""
    rows = {
        f"{name}.{column}": [repr(each) for each in store[: len(table)].tolist()]
        for name, table in trace.tables.items()
        for column, store in table._store.items()
        if column not in ("chunk", "offset")
    }
    elements = [trace.store.get(value).edges.tobytes() for value in range(len(trace.values))]
    return {**rows, "elements": elements, "strings": trace.strings, "beyond": trace.beyond_budget}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_comes_back_whole(path: Path, tmp_path: Path) -> None:
    batches = list(record(path.read_text(encoding="utf-8"), every=3))
    trace, file = trace_of(batches), tmp_path / "out.gvtrace"
    write(file, batches, Ending("raised", "an error", 3, 0.5))
    found = load(file)
    assert (found.about, found.ending) == (ABOUT, Ending("raised", "an error", 3, 0.5))
    assert contents(found.trace) == contents(trace)
    assert trace_json(found.trace) == trace_json(trace)


def test_a_trace_becomes_batches_again_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "PIECE", 40)
    trace = trace_of(list(record(TRAINING, every=1)))
    batches = list(batches_of(trace))
    assert len(batches) > 3
    assert contents(trace_of(batches)) == contents(trace)


def test_cut_anywhere_it_opens_to_the_last_whole_batch(tmp_path: Path) -> None:
    small = "import torch\nw = torch.tensor(2.0, requires_grad=True)\nloss = w * w\nloss.backward()\n"
    batches, file = list(record(small, every=1)), tmp_path / "cut.gvtrace"
    sizes = write(file, batches)
    data, steps = file.read_bytes(), [0]
    trace = Trace()
    for batch in batches:
        trace.extend(batch)
        steps.append(len(trace))
    near = {size + by for size in sizes for by in (-2, -1, 0, 1)} & set(range(len(data)))
    for length in sorted(near.union(range(0, len(data), 7))):
        file.write_bytes(data[:length])
        if length < sizes[0]:
            with pytest.raises(TraceFormatError):
                load(file)
            continue
        whole = max(at for at, size in enumerate(sizes) if size <= length)
        assert len(load(file).trace) == steps[whole], f"cut after {length} bytes"
    file.write_bytes(data)
    assert load(file).ending == Ending()


def test_a_file_without_an_end_says_so(tmp_path: Path) -> None:
    file = tmp_path / "killed.gvtrace"
    write(file, list(record(TRAINING)), ending=None)
    found = load(file)
    assert found.ending is None and len(found.trace) > 10


def test_elements_stay_on_disk_until_they_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = TRAINING.replace("[1., 2.]", "[[i, 2.] for i in range(30)]")
    batches, file = list(record(wide, every=1)), tmp_path / "large.gvtrace"
    monkeypatch.setattr(recording, "PART", 100)  # less than a value
    write(file, batches)
    monkeypatch.setattr(recording, "ON_DISK", 0)
    monkeypatch.setattr(elements, "KEPT", 16)  # so that what was read is read again
    found = load(file).trace
    assert all(not isinstance(chunk, np.ndarray) or not len(chunk) for chunk in found.store._chunks)
    assert contents(found) == contents(trace_of(batches))


def test_a_value_is_read_without_the_others_and_a_loss_without_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import torch\n" + "".join(f"x{i} = torch.full((256, 256), {i}.)\ns{i} = x{i}.mean()\n" for i in range(8))
    file, read = tmp_path / "large.gvtrace", []
    write(file, list(record(source)))
    monkeypatch.setattr(recording, "ON_DISK", 0)
    monkeypatch.setattr(elements.Elements, "_part", _noted(elements.Elements._part, read))
    trace = load(file).trace
    values = [trace.value(at) for at in range(len(trace.values))]
    assert [each.scalar for each in values if each is not None and not each.shape] == [*map(float, range(8))]
    assert read == [*range(8)], "each of 256 kB is a part, read once"


def _noted(part: Any, read: list[int]) -> Any:
    def noted(self: elements.Elements, place: Any, number: int) -> Any:
        read.append(number)
        return part(self, place, number)

    return noted


def test_files_of_version_1_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(__file__).with_name("version1.gvtrace")
    for limit in (recording.ON_DISK, 0):
        monkeypatch.setattr(recording, "ON_DISK", limit)
        found = load(file)
        values = [found.trace.value(at) for at in range(len(found.trace.values))]
        arrays = [each.array for each in values if each is not None and each.array is not None]
        assert found.about == ABOUT and [each.size for each in arrays] == [400, 400, 1]
        assert np.array_equal(arrays[1], np.arange(400, dtype=np.float32) ** 0.5)


def test_damaged_elements_are_nan_and_the_rest_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "large.gvtrace"
    with open(file, "wb") as out:
        writer = RecordingWriter(out, ABOUT)
        writer.batch(next(record("import torch\nx = torch.arange(400.) ** 0.5\n")))
        writer.end(Ending())
        end = writer._blocks[2][1]  # the elements of the batch lie before it
    data = bytearray(file.read_bytes())
    data[end - 10] ^= 255
    file.write_bytes(data)
    assert len(load(file).trace) == 0, "a small file is checked when it is opened"
    monkeypatch.setattr(recording, "ON_DISK", 0)
    trace = load(file).trace
    value = trace.value(len(trace.values) - 1)
    assert value is not None and value.array is not None and np.isnan(value.array).all()


def test_columns_and_tables_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches, file = list(record(TRAINING)), tmp_path / "other.gvtrace"
    honest = recording.schema_now()
    newer = {name: dict(each) for name, each in honest.items()}
    newer["clocks"] = {"step": "i4", "seconds": "f8"}
    monkeypatch.setattr(recording, "schema_now", lambda: newer)
    monkeypatch.setattr(RecordingWriter, "_block", _with_clocks(RecordingWriter._block))
    write(file, batches)
    monkeypatch.setattr(recording, "schema_now", lambda: honest)
    assert contents(load(file).trace) == contents(trace_of(batches))


def _with_clocks(block: Any) -> Any:
    """Batches with one more table, of one row, behind all others."""

    def made(self: RecordingWriter, tag: bytes, header: Any, rows: bytes = b"", *rest: Any) -> None:
        if tag == recording.BATCH:
            end = 8 * header["rows"]["values"]
            end += sum(row_dtype(TABLES[name]).itemsize * count for name, count in header["rows"].items())
            counts, start = {**header["rows"], "clocks": 1}, {**header["start"], "clocks": 0}
            header, rows = {**header, "rows": counts, "start": start}, rows[:end] + bytes(12) + rows[end:]
        block(self, tag, header, rows, *rest)

    return made


def test_missing_columns_are_none_or_zero() -> None:
    rows = np.array([(3, 1), (4, 2)], [("step", "<i4"), ("tensor", "<i4")])
    assert recording._fit(rows, Grads).tolist() == [(3, 1, -1, -1), (4, 2, -1, -1)]
    assert recording._fit(rows, Writes).tolist() == [(3, 1, 0, 0), (4, 2, 0, 0)]
    assert recording._fit(None, Writes).tolist() == []
    with pytest.raises(TraceFormatError, match="another kind"):
        recording._fit(np.array([(3.0,)], [("step", "<f8")]), Writes)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not a recording"),
        (b"import torch\n" * 40, "not a recording"),
        (recording.MAGIC + b"\x03\0\0\0", "version 3"),
        (recording.MAGIC + b"\x02\0\0\0", "no head"),
    ],
)
def test_what_is_no_recording_is_refused(data: bytes, why: str, tmp_path: Path) -> None:
    file = tmp_path / "x.gvtrace"
    file.write_bytes(data)
    with pytest.raises(TraceFormatError, match=why):
        load(file)


def test_a_part_that_unpacks_to_more_than_it_says_is_refused() -> None:
    with pytest.raises(TraceFormatError, match="wrong length"):
        elements.restored(recording.zlib.compress(bytes(10_000)), 100)
    with pytest.raises(TraceFormatError, match="damaged"):
        elements.restored(b"no zlib at all", 100)


PLOT = {"number": 1}
TOO_MUCH = {
    "a plot": (bytes(recording.MOST_FIGURE + 1), 1, 3 << 30, "a part of it is too long"),
    "plots": (bytes(1000), 11, 10_000, "more steps than fit into memory"),
    "headers": (b"", 11, 1000, "more steps than fit into memory"),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_small_file_unpacks_to_no_more_than_fits_into_memory(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload, count, most, why = TOO_MUCH[what]
    file, unpacked = tmp_path / "zeros.gvtrace", []
    with open(file, "wb") as opened:
        writer = RecordingWriter(opened, ABOUT)
        for _ in range(count):
            writer.figure(PLOT, payload)
    assert file.stat().st_size < 50_000
    original, head = recording.restored, _lengths_of(writer)
    monkeypatch.setattr(recording, "MOST_KEPT", most + head)
    monkeypatch.setattr(recording, "restored", lambda data, length: unpacked.append(length) or original(data, length))
    with pytest.raises(TraceFormatError, match=why):
        load(file)
    assert sum(unpacked) <= most + head


def _lengths_of(writer: RecordingWriter) -> int:
    """What the head of a file counts."""
    assert isinstance(writer._file, io.BufferedWriter)
    with open(writer._file.name, "rb") as file:
        data = file.read()[recording._START.size :]
    return recording.JSON * recording._BLOCK.unpack_from(data)[2]


def test_elements_of_a_small_file_stay_on_disk_too_once_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import torch\n" + "".join(f"x{i} = torch.full((64, 64), {i}.)\n" for i in range(6))
    batches, file = list(record(source, every=1)), tmp_path / "small.gvtrace"
    write(file, batches)
    monkeypatch.setattr(recording, "IN_MEMORY", 40_000)  # two of the six
    found = load(file).trace
    assert sum(chunk.nbytes for chunk in found.store._chunks if isinstance(chunk, np.ndarray)) <= 40_000
    assert contents(found) == contents(trace_of(batches))


def test_reading_can_be_given_up(tmp_path: Path) -> None:
    file, heard = tmp_path / "long.gvtrace", []
    write(file, list(record(TRAINING, every=1)))

    def progress(share: float) -> bool:
        heard.append(share)
        return len(heard) < 3

    with pytest.raises(Cancelled):
        load(file, progress)
    assert heard == sorted(heard) and 0 < heard[0] < heard[-1] < 1


def test_what_is_written_is_whole_after_each_batch() -> None:
    file = io.BytesIO()
    writer = RecordingWriter(file, ABOUT)
    for batch in record(TRAINING, every=2):
        writer.batch(batch)
        assert writer.size == len(file.getvalue())
